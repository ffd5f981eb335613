"""Many witnesses of one cause are one finding."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symexec.state.state import DivergenceKind
from symexec.testcases import (
    Blame,
    DifferenceKind,
    Divergence,
    Observation,
    Observed,
    TestCase,
    TestInput,
)
from symexec.triage import group, severity
from symexec.triage.classification import outputs
from symexec.triage.grouping import MOST_GROUPS, contrast
from symexec.triage.undefined import UNINITIALISED

FINE, CRASH = Observation(exit=0, stdout=b"1"), Observation(signal="SIGABRT")


def case(name: str, argument: bytes, **fields: object) -> TestCase:
    defaults: dict[str, object] = {
        "old": FINE,
        "new": CRASH,
        "observed": Observed.DIFFERENT,
        "kind": DifferenceKind.REGRESSION,
        "blame": Blame(((1, 2),)),
        "divergence": Divergence(DivergenceKind.CONTROL, "new.c", 3, "diff-true"),
    }
    return TestCase(name, TestInput(args=(argument,)), **{**defaults, **fields})  # type: ignore[arg-type]


def test_the_smallest_witness_comes_first() -> None:
    (only,) = group([case("t1", b"1000"), case("t2", b"7"), case("t3", b"10")])
    assert (only.tests, only.witness, only.interaction) == (("t2", "t3", "t1"), "t2", True)


def test_what_was_not_explained_belongs_to_no_cause_that_it_does_not_come_by() -> None:
    cases = [
        case("t1", b"a", sequence=("c1", "c7", "o1")),
        case("t2", b"b", sequence=("c1", "o1"), blame=None),
        case("t3", b"c", sequence=("d1", "o1"), blame=None),
        case("t4", b"d", blame=None),  # nobody knows where it comes by
    ]
    assert [each.tests for each in group(cases)] == [("t1", "t2", "t4"), ("t3",)]


USED = Observation(exit=0, stdout=b"-1094795586", sanitizer=UNINITIALISED)


@pytest.mark.parametrize(
    ("fields", "groups"),
    [
        ({}, [("t2", "t1")]),  # although t1 is smaller
        ({"blame": Blame(((1,),))}, [("t1",), ("t2",)]),  # another cause
        ({"blame": None}, [("t2", "t1")]),
        ({"blame": None, "sequence": ("c9", "o1")}, [("t1",), ("t2",)]),
        ({"undefined": ("old: a.c:1:2: signed integer overflow",)}, [("t1",), ("t2",)]),
    ],
)
def test_bytes_that_nobody_has_written_are_no_finding_beside_their_cause(
    fields: dict[str, object], groups: list[tuple[str, ...]]
) -> None:
    lines = tuple(f"{name}: {UNINITIALISED}, with zeros .." for name in ("old", "new"))
    chance = {"kind": DifferenceKind.UNDEFINED, "undefined": lines, "new": FINE, **fields}
    known = case("t2", b"22", old=USED, new=FINE, kind=DifferenceKind.FIX, sequence=("c1",))
    found = group([case("t1", b"", **chance), known])
    assert [each.tests for each in found] == groups
    assert found[-1].kind is DifferenceKind.FIX


def test_the_first_test_tells_who_found_a_difference() -> None:
    cases = [
        case("t1", b"7", found_s=2.0, source="guided"),
        case("n0031", b"1000", found_s=0.5, source="native"),
    ]
    (only,) = group(cases)
    assert (only.witness, only.found_by, only.found_s) == ("t1", "native", 0.5)


def test_neither_what_is_printed_nor_how_the_versions_end_matters() -> None:
    two = Observation(exit=0, stdout=b"2")
    three = Observation(exit=0, stdout=b"3")
    refused = Observation(exit=1, stdout=b"", stderr=b"!")
    cases = [
        case("t1", b"a", new=two, kind=DifferenceKind.DIFFERENCE),
        case("t2", b"b", new=three, kind=DifferenceKind.DIFFERENCE),
        case("t3", b"c", new=refused, kind=DifferenceKind.DIFFERENCE),
    ]
    assert [each.tests for each in group(cases)] == [("t1", "t2", "t3")]


PARTS = st.fixed_dictionaries(
    {},
    optional={
        "stdout": st.just(b"2"),
        "returned": st.just("2"),
        "memory": st.just((("p", 2),)),
        "signal": st.sampled_from(["SIGSEGV", "SIGABRT"]),
        "sanitizer": st.sampled_from(["SEGV", "heap-buffer-overflow"]),
    },
)


@given(st.lists(PARTS.filter(bool), min_size=1, max_size=8))
def test_each_kind_of_what_differs_is_shown_once(shown: list[dict[str, object]]) -> None:
    """A row and its further lines show what ``accept`` accepts of it: no more, and no less."""
    cases = [
        case(f"t{number}", b"a" * number, new=replace(FINE, **fields))  # type: ignore[arg-type]
        for number, fields in enumerate(shown)
    ]
    (only,) = group(cases)
    by_id = {each.id: each for each in cases}
    witness = outputs(by_id[only.witness])
    more = [each.outputs for each in only.also]
    every = frozenset().union(*map(outputs, cases))
    assert witness.union(*more) == every
    assert len(witness) + sum(map(len, more)) == len(every) and all(more)
    assert all(each.outputs <= outputs(by_id[each.witness]) for each in only.also)
    alike = sum(outputs(each) <= witness for each in cases)
    assert alike + sum(each.count for each in only.also) == len(cases)


def test_a_fault_is_one_symptom_whoever_reports_it() -> None:
    ends = [{"signal": "SIGSEGV"}, {"sanitizer": "SEGV"}, {"sanitizer": "heap-buffer-overflow"}]
    cases = [
        case(f"t{number}", b"a" * number, new=Observation(**fields))  # type: ignore[arg-type]
        for number, fields in enumerate(ends)
    ]
    (only,) = group(cases)
    assert [(each.witness, each.outputs, each.count) for each in only.also] == [
        ("t2", {"new heap-buffer-overflow"}, 1)
    ]


def test_a_row_is_as_important_as_the_worst_that_it_shows() -> None:
    cut = Observation(timed_out=True)
    undecided = {"kind": DifferenceKind.UNDECIDED, "blame": Blame(((1,),))}
    cases = [
        case("t1", b"", old=cut, new=FINE, **undecided),
        case("t2", b"aa", old=FINE, new=cut, **undecided),
        case("t3", b"a", new=Observation(exit=1), kind=DifferenceKind.DIFFERENCE),
    ]
    assert [each.tests for each in group(cases)] == [("t1", "t2"), ("t3",)]
    assert [each.tests for each in group(cases[::2])] == [("t3",), ("t1",)]


def test_a_symptom_that_no_caller_meets_is_internal() -> None:
    cases = [case("t1", b"a"), case("t2", b"b", new=Observation(signal="SIGSEGV"))]
    for inner, internal in ((None, False), (lambda each: each.id == "t2", True)):
        (only,) = group(cases, inner)
        assert (only.internal, [each.internal for each in only.also]) == (False, [internal])


def test_another_cause_is_another_group_and_another_place_is_not() -> None:
    cases = [
        case("t1", b"a"),
        case("t2", b"a", blame=Blame(((1,),))),
        case("t3", b"a", divergence=Divergence(DivergenceKind.CONTROL, "new.c", 9)),
    ]
    assert [each.tests for each in group(cases)] == [("t1", "t3"), ("t2",)]


def test_more_than_a_reader_takes_in_is_grouped_by_what_causes_share() -> None:
    cases = [
        case(f"t{number}", b"a", new=Observation(exit=number), blame=Blame(((number % 2,),)))
        for number in range(2, 2 + 2 * MOST_GROUPS)
    ]
    assert [len(each.tests) for each in group(cases)] == [MOST_GROUPS, MOST_GROUPS]
    chain = [case(f"t{number}", b"a", blame=Blame(((number, number + 1),))) for number in range(40)]
    assert len(group([*chain, case("t99", b"a", blame=Blame(((77,),)))])) == 2


def test_a_text_that_was_asked_for_stands_behind_what_the_program_does() -> None:
    said = Observation(exit=0, stdout=b"2")
    cases = [
        case("t1", b"--help", new=said, kind=DifferenceKind.DIFFERENCE, blame=Blame(((1,),))),
        case("t2", b"a", new=said, kind=DifferenceKind.DIFFERENCE, blame=Blame(((2,),))),
    ]
    assert [each.witness for each in group(cases)] == ["t2", "t1"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (b"1\n2\n", b"1\n", "fewer lines"),
        (b"9\n10\n", b" 9\n10\n", "filled in front, now in a column"),
        (b"9\n9.5\n10\n", b"9.0\n9.5\n10.0\n", "filled behind"),
        (b"08\n10\n", b"08.0\n10.0\n", "filled behind, before in a column, now in a column"),
        (b".5\n", b"0.50\n", "filled"),
        (b"9.0\n", b"9\n", "less filled behind"),
        (b"ab\n", b"ba\n", "other characters"),
        (b"a:b\n", b"ab\n", "shorter"),
        (b"", b"x", "nothing before"),
        (b"x", b"x", "same"),
    ],
)
def test_outputs_differ_in_form(old: bytes, new: bytes, said: str) -> None:
    assert contrast(Observation(stdout=old), Observation(stdout=new)) == (said, "same")


# The table of docs/usage.md, "Severity": the classes in the order of the rows.
ROWS = [
    ("worse", "hang"),
    ("worse", "regression"),
    ("worse", "leak"),
    ("worse", "undecided"),
    ("together", "incomplete-fix"),
    ("together", "difference"),
    ("together", "undefined"),
    ("other", "incomplete-fix"),
    ("other", "difference"),
    ("other", "undefined"),
    ("both fail", "both-fail-differently"),
    ("better", "hang-fix"),
    ("better", "fix"),
    ("better", "progression"),
    ("better", "leak-fix"),
    ("minor", "undecided"),
    ("minor", "slower"),
    ("minor", "internal-state"),
    ("minor", "stderr-only"),
    ("minor", "help-text"),
]


def rows() -> list[TestCase]:
    """A test for each row of the table, those further down first; each with a cause of its own."""
    found = []
    for number, (level, kind) in enumerate(ROWS):
        single = level != "together"
        new = replace(CRASH, timed_out=(level, kind) == ("worse", "undecided"))
        blame = Blame(((number,),) if single else ((number, 100 + number),))
        name = f"t{99 - number}"
        found.append(case(name, b"a", kind=DifferenceKind(kind), new=new, blame=blame))
    return found[::-1]


def test_rows_stand_in_the_order_of_their_severity() -> None:
    found = {each.id: each for each in rows()}
    groups = group(found.values())
    levels = [severity(each.kind, found[each.witness].new, each.interaction) for each in groups]
    assert [*zip(levels, (each.kind for each in groups), strict=True)] == ROWS
    assert [each.id for each in groups] == [f"g{number + 1}" for number in range(len(ROWS))]


def test_of_each_class_interactions_come_first() -> None:
    for _, kind in ROWS:
        cases = [
            case("t1", b"a", kind=DifferenceKind(kind), blame=Blame(((1,),))),
            case("t2", b"aa", kind=DifferenceKind(kind), blame=Blame(((2, 3),))),
        ]
        help_text = kind == "help-text"  # is one group
        assert group(cases)[0].witness == ("t1" if help_text else "t2")


def test_each_class_of_a_difference_has_its_place() -> None:
    assert {each for each in DifferenceKind if each.is_difference} == {kind for _, kind in ROWS}


def test_what_no_caller_can_meet_comes_last_and_is_no_regression() -> None:
    every = rows()
    hidden = {each.id for each in every if each.kind is DifferenceKind.REGRESSION}
    groups = group(every, inner=lambda each: each.id in hidden)
    assert [each.internal for each in groups] == [False] * (len(ROWS) - 1) + [True]
    assert groups[-1].called == "internal-failure"
    words = [each.called for each in group(every, inner=lambda each: True)]
    assert all(each.startswith("internal-") for each in words)
    assert not any("regression" in each for each in words)


def test_a_caller_can_run_the_witness_where_he_can_run_some_test() -> None:
    cases = [case("t1", b"a"), case("t2", b"aaa")]
    (only,) = group(cases, inner=lambda each: each.id == "t1")
    assert (only.tests, only.internal) == (("t2", "t1"), False)


def test_what_does_not_differ_is_in_no_group() -> None:
    assert group([case("t1", b"a", observed=Observed.SAME, kind=DifferenceKind.PATH_ONLY)]) == []


def test_a_test_without_an_explanation_joins_those_that_look_alike() -> None:
    cases = [case("t1", b"", blame=Blame(note="no time")), case("t2", b"a"), case("t3", b"bb")]
    (only,) = group(cases)
    assert (only.tests, only.blamed) == (("t2", "t3", "t1"), (1, 2))


def test_unexplained_tests_alone_are_a_group() -> None:
    (only,) = group([case("t1", b"", blame=None), case("t2", b"a", blame=None)])
    assert (only.tests, only.blamed, only.interaction) == (("t1", "t2"), (), False)
