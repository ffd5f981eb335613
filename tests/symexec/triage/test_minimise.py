"""Witnesses shrink, and only shrink."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symexec.testcases import LongDouble, TestInput
from symexec.testcases.inputs import Elements
from symexec.triage.minimise import _element_of, minimise, smaller

scalars = st.one_of(st.integers(-(2**10), 2**31), st.floats(allow_nan=False, allow_infinity=False))
values = st.one_of(
    scalars,
    st.binary(max_size=5),
    st.lists(scalars, max_size=3).map(tuple),
    st.builds(Elements, st.integers(0, 16)),
)
inputs = st.builds(
    TestInput,
    args=st.lists(st.binary(max_size=5), max_size=3).map(tuple),
    stdin=st.binary(max_size=5),
    files=st.just((("f", b"abc"),)),
    parameters=st.dictionaries(st.sampled_from("xyz"), values).map(lambda d: tuple(d.items())),
    nondet=st.lists(scalars, max_size=3).map(tuple),
    objects=st.binary(max_size=3).map(lambda data: (("o", data),)),
)


@given(inputs)
def test_every_candidate_is_smaller(test: TestInput) -> None:
    assert all(candidate.size < test.size for candidate in smaller(test))


@given(inputs)
def test_with_no_condition_nothing_is_left(test: TestInput) -> None:
    found, _ = minimise(test, lambda candidate: True, clock=lambda: 0.0)
    elements = sum(len(value) for _, value in found.parameters if isinstance(value, tuple))
    assert found.size == (0, elements, 0, 0)  # an array keeps its length


@given(inputs, st.data())
def test_the_result_keeps_and_no_candidate_of_it_does(test: TestInput, data: st.DataObject) -> None:
    least = data.draw(st.integers(0, test.size[1]))

    def keeps(candidate: TestInput) -> bool:
        return candidate.size[1] >= least

    found, minimal = minimise(test, keeps, clock=lambda: 0.0)
    assert keeps(found) and minimal
    assert not any(keeps(candidate) for candidate in smaller(found))


def test_numbers_find_a_boundary() -> None:
    test = TestInput(parameters=(("x", 123456),))
    found, _ = minimise(test, lambda candidate: int(candidate.parameters[0][1]) > 1000)  # type: ignore[arg-type]
    assert found.parameters == (("x", 1001),)


def test_long_doubles_become_zero() -> None:
    test = TestInput(parameters=(("x", LongDouble("0x1p-4")),))
    assert minimise(test, lambda candidate: True)[0].parameters == (("x", 0.0),)


def test_time_ends_it() -> None:
    ticks = iter(range(1000))
    test = TestInput(parameters=(("x", 2**62),))
    found, minimal = minimise(test, lambda each: each.parameters[0][1] > 9, 5, lambda: next(ticks))  # type: ignore[operator]
    assert int(found.parameters[0][1]) > 9 and not minimal  # type: ignore[arg-type]
    assert next(ticks) < 10


def test_so_many_candidates_end_it() -> None:
    asked = []
    test = TestInput(parameters=(("x", 2**62),))
    minimise(test, lambda each: bool(asked.append(each)), most=7)  # type: ignore[func-returns-value]
    assert len(asked) == 7


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (TestInput(stdin=b"\0\0"), b"aa"),  # zeros are escapes wherever they are shown
        (TestInput(parameters=(("s", b"\0a"), ("n", 0))), b"aa"),
        (TestInput(parameters=(("s", b"\0\0"), ("n", 3))), b"aa"),
        (TestInput(parameters=(("s", b"\0\0"), ("n", 0))), b"\0\0"),  # shown as ""
        (TestInput(args=(b"\1",)), b"a"),
    ],
)
def test_zero_bytes_that_are_shown_become_characters(given: TestInput, found: bytes) -> None:
    def text(test: TestInput) -> bytes:
        return test.stdin or b"".join(test.args) or dict(test.parameters).get("s", b"")  # type: ignore[return-value]

    def keeps(test: TestInput) -> bool:
        numbers = dict(test.parameters).get("n") == dict(given.parameters).get("n")
        return numbers and len(text(test)) == len(text(given))

    assert text(minimise(given, keeps, clock=lambda: 0.0)[0]) == found


@pytest.mark.parametrize("character", [b"/", b"~", b"\n", b"-"])
def test_any_character_that_serves_takes_the_place_of_an_escape(character: bytes) -> None:
    test = TestInput(stdin=b"\xff")
    found, minimal = minimise(
        test, lambda each: each.stdin in (b"\xff", character), clock=lambda: 0.0
    )
    assert (found.stdin, minimal) == (character, True)


def test_an_option_goes_with_its_value() -> None:
    test = TestInput(args=(b"-n", b"5", b"file"))
    kept = ((b"-n", b"5", b"file"), (b"file",))
    found, _ = minimise(test, lambda each: each.args in kept, clock=lambda: 0.0)
    assert found.args == (b"file",)


def test_what_cannot_be_read_is_replaced_at_once() -> None:
    """One question for all of a witness, though it has many such bytes."""
    test = TestInput(args=(b"-n", b"\1\1\1\1\1"), stdin=b"\2" * 40, files=(("A", b"\3\n"),))
    asked = []
    minimise(test, lambda candidate: asked.append(candidate) or False)  # type: ignore[func-returns-value]
    assert TestInput(args=(b"-n", b"aaaaa"), stdin=b"a" * 40, files=(("A", b"a\n"),)) in asked[:3]


def test_members_become_zero_together() -> None:
    """Of a hundred that do not matter not each costs a run."""
    members = tuple((f"l->m{at}", at + 1) for at in range(100))
    texts = tuple((f"l->s{at}", b"text") for at in range(30))
    test = TestInput(parameters=(("l", ()), *members, *texts))
    tried = []

    def keeps(candidate: TestInput) -> bool:
        tried.append(candidate)
        return dict(candidate.parameters).get("l->m70", 0) == 71

    found, _ = minimise(test, keeps, clock=lambda: 0.0)
    told = {name: value for name, value in found.parameters if value not in (0, None)}
    assert told == {"l": (), "l->m70": 71}
    assert len(tried) < 60


def test_pointers_become_null_together_with_what_is_behind_them() -> None:
    """Of a hundred that do not matter not each costs a run; the one that does keeps its owner."""
    parts: list[tuple[str, object]] = [("l", ())]
    for at in range(30):
        parts += [(f"l->s{at}", b"\0" * 4), (f"l->n{at}", ()), (f"l->n{at}->s", b"text")]
    test = TestInput(parameters=tuple(parts))  # type: ignore[arg-type]
    tried = []

    def keeps(candidate: TestInput) -> bool:
        tried.append(candidate)
        return (dict(candidate.parameters).get("l->n17->s") or b"").startswith(b"t")

    found, _ = minimise(test, keeps, clock=lambda: 0.0)
    told = {name: value for name, value in found.parameters if value is not None}
    assert told == {"l": (), "l->n17": (), "l->n17->s": b"t"}
    assert len(tried) < 60


def test_arrays_of_structures_lose_elements() -> None:
    """The last one is zero where it has to be: then one element more stays."""
    named = [("b", ()), ("b->at", Elements(8))]
    named += [("b->at->n", 3), *((f"b->at[{i}].n", 3) for i in range(1, 7)), ("b->n", 2)]
    test = TestInput(parameters=tuple(named))

    def keeps(candidate: TestInput) -> bool:
        given = dict(candidate.parameters)
        count = given.get("b->at")
        last = count.count - 1 if isinstance(count, Elements) else 0
        ended = last > 0 and not given.get(f"b->at[{last}].n", 0)
        return ended and given.get("b->at[1].n", 0) != 0

    found = dict(minimise(test, keeps, clock=lambda: 0.0)[0].parameters)
    assert found["b->at"] == Elements(3)
    assert found["b->at[1].n"] == 1
    assert not found.get("b->at[2].n") and "b->at[3].n" not in found


@pytest.mark.parametrize(
    ("name", "array", "element"),
    [
        ("p->x", "p", 0),
        ("p[2].x", "p", 2),
        ("p[2].next->x", "p", 2),
        ("p", "p", None),
        ("pp[1].x", "p", None),
        ("*words", "words", 0),
        ("words[3]", "words", 3),
        ("(*items)->x", "items", 0),
        ("(*at)[1].x", "*at", 1),
        ("(*at)->x", "*at", 0),
        ("at[1]->x", "*at", None),
        ("*b[1].words", "b", 1),
    ],
)
def test_the_element_that_a_part_is_in(name: str, array: str, element: int | None) -> None:
    assert _element_of(name, array) == element
