"""What all tests that show a difference have in common."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csg.graphs import SequenceGraph
from csg.pipeline import graph_of, program_of, unify_files
from csg.programs import Versions
from symexec.experiments.comparison import (
    Difference,
    critical_sequence,
    critical_sequences,
    differences_of,
    exercises,
    longest_common,
)
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

SAMPLES = Path(__file__).parents[3] / "samples"
NODES = st.lists(st.sampled_from("abc"), max_size=9)


@pytest.fixture(scope="module")
def cut_ranges() -> SequenceGraph:
    pair = SAMPLES / "cut_ranges"
    return graph_of(program_of(unify_files(Versions(pair / "old.c", pair / "new.c"))))


@pytest.mark.parametrize(
    ("nodes", "sequence", "goes_through"),
    [
        ("c1 c2 c3", "c1 c3", True),
        ("c1 c2 c3", "c3 c1", False),
        ("c1 c2", "c1 c2 c3", False),
        ("c1 c2", "", True),
        ("c2 c1 c2", "c1 c2", True),
    ],
)
def test_exercising_means_visiting_in_order(nodes: str, sequence: str, goes_through: bool) -> None:
    assert exercises(nodes.split(), sequence.split()) is goes_through


@given(NODES, NODES)
def test_a_longest_common_subsequence_is_one_of_both(one: list[str], other: list[str]) -> None:
    common = longest_common(one, other)
    assert exercises(one, common) and exercises(other, common)
    longest = max(
        (mask.bit_count() for mask in range(1 << len(one)) if exercises(other, _chosen(one, mask))),
    )
    assert len(common) == longest


def _chosen(nodes: list[str], mask: int) -> list[str]:
    return [name for place, name in enumerate(nodes) if mask >> place & 1]


@pytest.mark.parametrize(
    ("blamed", "sequences", "critical"),
    [
        # Interaction locations, outputs and repetitions fall away.
        ({1, 2, 3}, ["c1 c2 c3 i1 o1", "c1 c2 c2 c3 i1 o1 o2"], "c1 c2 c3"),
        # A statement that not every test goes through is not critical.
        ({1, 2, 3}, ["c1 c2 c3 i1", "c1 c3 i1"], "c1 c3"),
        # A changed statement that nothing blames is not critical, though all tests visit it.
        ({2, 3}, ["c1 c2 c3 i1"], "c2 c3"),
        ({1}, ["c2 c3"], ""),
        # Nothing is blamed: every changed statement counts.
        (set(), ["c1 c2 i1"], "c1 c2"),
        # Order counts: of c2 and c3 only one can be kept.
        ({2, 3}, ["c2 c3", "c3 c2"], "c2"),
    ],
)
def test_a_critical_sequence_is_what_the_tests_have_in_common(
    cut_ranges: SequenceGraph, blamed: set[int], sequences: list[str], critical: str
) -> None:
    found = critical_sequence(
        cut_ranges, frozenset(blamed), [tuple(text.split()) for text in sequences]
    )
    assert " ".join(found) == critical
    assert all(exercises(text.split(), found) for text in sequences)


def case(
    kind: DifferenceKind,
    line: int,
    *blamed: int,
    exits: int | None = None,
    sequence: str = "",
    args: tuple[bytes, ...] = (),
    alone: bool = False,
) -> TestCase:
    """``exits``: the exit code of the new version; None: never replayed. ``alone``: the last
    blamed change does it by itself as well."""
    minimal = (blamed, blamed[-1:]) if alone else (blamed,)
    return TestCase(
        "t0001" if blamed else "t0002",
        TestInput(args=args),
        sequence=tuple(sequence.split()),
        old=None if exits is None else Observation(exit=0),
        new=None if exits is None else Observation(exit=exits),
        divergence=Divergence(DivergenceKind.CONTROL, "new.c", line),
        observed=Observed.DIFFERENT,
        kind=kind,
        blame=Blame(minimal=minimal) if blamed else None,
    )


def test_differences_are_told_apart_by_class_blame_and_place() -> None:
    cases = [
        case(DifferenceKind.FIX, 1, 1),
        case(DifferenceKind.FIX, 1, 2),
        case(DifferenceKind.FIX, 2, 1),
        case(DifferenceKind.REGRESSION, 1, 1),
    ]
    assert len(set(differences_of(cases).values())) == 4


def test_what_is_not_explained_counts_with_the_only_explained_one_of_its_kind() -> None:
    found = differences_of(
        [case(DifferenceKind.FIX, 1, 1), case(DifferenceKind.FIX, 1), case(DifferenceKind.FIX, 9)]
    )
    assert found[1] == found[0] == Difference(DifferenceKind.FIX, (1,), "new.c", 1)
    assert found[2] == Difference(DifferenceKind.FIX, (), "new.c", 9)


def test_what_could_be_either_stays_by_itself() -> None:
    found = differences_of(
        [
            case(DifferenceKind.FIX, 1, 1),
            case(DifferenceKind.FIX, 1, 2),
            case(DifferenceKind.FIX, 1),
        ]
    )
    assert found[2].blamed == ()


def test_what_is_not_explained_counts_with_the_one_that_ends_alike() -> None:
    cases = [
        case(DifferenceKind.FIX, 1, 1, exits=3),
        case(DifferenceKind.FIX, 1, 2, exits=4),
        case(DifferenceKind.FIX, 1, exits=4),
    ]
    assert differences_of(cases)[2].blamed == (2,)


# ------------------------------------------------------------------ which differences have one

ON, OFF = "c1 c2 c3 i1 o1", "c1 c3 o1"


def critical(graph: SequenceGraph, *shown: TestCase, others: tuple[str, ...] = (OFF,)) -> str:
    difference = Difference(shown[0].kind, shown[0].blame.blamed if shown[0].blame else (), "", 0)
    known = [each.sequence for each in shown] + [tuple(other.split()) for other in others]
    return " ".join(critical_sequences(graph, {difference: shown}, known)[difference])


def test_what_changes_bring_about_only_together_has_a_critical_sequence(
    cut_ranges: SequenceGraph,
) -> None:
    assert (
        critical(cut_ranges, case(DifferenceKind.REGRESSION, 1, 1, 2, 3, sequence=ON)) == "c1 c2 c3"
    )
    assert critical(cut_ranges, case(DifferenceKind.DIFFERENCE, 1, 2, 3, sequence=ON)) == "c2 c3"


def test_the_tests_that_show_it_decide_what_is_in_it(cut_ranges: SequenceGraph) -> None:
    """Definition 3, condition 2: a test that skips c2 shows it, so c2 is not needed."""
    shown = [
        case(DifferenceKind.REGRESSION, 1, 1, 2, 3, sequence=each) for each in (ON, "c1 c3 i1")
    ]
    assert critical(cut_ranges, *shown, others=("c1 o1",)) == "c1 c3"


def test_a_sequence_that_every_test_goes_through_tells_nothing(cut_ranges: SequenceGraph) -> None:
    shown = case(DifferenceKind.REGRESSION, 1, 1, 2, 3, sequence=ON)
    assert critical(cut_ranges, shown, others=()) == ""
    assert critical(cut_ranges, shown, others=(ON,)) == ""


def test_fewer_than_two_statements_are_no_sequence(cut_ranges: SequenceGraph) -> None:
    shown = [case(DifferenceKind.REGRESSION, 1, 2, 3, sequence=each) for each in ("c2 c3", "c3 c2")]
    assert critical(cut_ranges, *shown) == ""


@pytest.mark.parametrize(
    "shown",
    [
        case(DifferenceKind.REGRESSION, 1, 1, sequence=ON),  # one change is enough
        case(
            DifferenceKind.REGRESSION, 1, 2, 3, sequence=ON, alone=True
        ),  # so it is here, in another way
        case(DifferenceKind.REGRESSION, 1, sequence=ON),  # nobody knows which changes
        case(DifferenceKind.STDERR_ONLY, 1, 1, 2, 3, sequence=ON),
        case(DifferenceKind.HELP_TEXT, 1, 1, 2, 3, sequence=ON),
        case(DifferenceKind.PROGRESSION, 1, 1, 2, 3, sequence=ON),
        case(DifferenceKind.DIFFERENCE, 1, 1, 2, 3, sequence=ON, args=(b"--help",), exits=0),
        case(DifferenceKind.DIFFERENCE, 1, 1, 2, 3, sequence=ON, args=(b"--vers",), exits=0),
    ],
)
def test_single_changes_and_wording_have_none(cut_ranges: SequenceGraph, shown: TestCase) -> None:
    assert critical(cut_ranges, shown) == ""
