"""Many tests, few findings: differences that look alike and have one cause become one group.

t0001 x=1000, t0004 x=7 (both: regression, blamed 1 and 2, SIGABRT)    g1: t0004, t0001
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from symexec.classification.compare import Kind, differing_parts
from symexec.testcases import Observation, TestCase

Shape = tuple[object, ...]

# What a user wants to see first.
_ORDER = (
    Kind.HANG,
    Kind.REGRESSION,
    Kind.INCOMPLETE_FIX,
    Kind.BOTH_FAIL,
    Kind.DIFFERENCE,
    Kind.LEAK,
    Kind.HANG_FIX,
    Kind.FIX,
    Kind.PROGRESSION,
    Kind.LEAK_FIX,
    Kind.STDERR_ONLY,
    Kind.HELP_TEXT,
    Kind.NONDETERMINISTIC,
    Kind.TIMEOUT,
    Kind.PATH_ONLY,
)


@dataclass(frozen=True, slots=True)
class Group:
    """``tests``: ids, the smallest witness first. ``found_by``: the source of the test that was
    first to show it, after ``found_s`` seconds."""

    id: str  # g1, g2, .. in order of importance
    kind: str
    blamed: tuple[int, ...]
    interaction: bool
    tests: tuple[str, ...]
    found_by: str = ""
    found_s: float = 0.0

    @property
    def witness(self) -> str:
        return self.tests[0]


def shape(old: Observation, new: Observation) -> Shape:
    """How an observation differs, without what differs: how both end, and which streams."""

    def end(seen: Observation) -> Shape:
        return (seen.exit, seen.signal, seen.sanitizer, seen.timed_out)

    return end(old), end(new), differing_parts(old, new)


def contrast(old: Observation, new: Observation) -> Shape:
    """In which way the texts differ that the versions show, whatever the texts are: in the number
    of lines, the length of a line, blanks and zeros that fill a column, or anything else."""
    return _contrast(old.stdout, new.stdout), _contrast(old.stderr, new.stderr)


def _contrast(old: bytes, new: bytes) -> str:
    if old == new:
        return "same"
    if not old or not new:
        return "nothing before" if not old else "nothing now"
    before, after = old.splitlines(), new.splitlines()
    if len(before) != len(after):
        return "more lines" if len(before) < len(after) else "fewer lines"
    pairs = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
    if all(_unfilled(a) == _unfilled(b) for a, b in pairs):
        return "filled" if len(old) < len(new) else "less filled"
    if len(old) == len(new):
        return "other characters"
    return "longer" if len(old) < len(new) else "shorter"


def _unfilled(line: bytes) -> bytes:
    """Without what pads: blanks, and zeros that say nothing."""
    return bytes(each for each in line if each not in b" \t0.")


def group(cases: Iterable[TestCase]) -> list[Group]:
    """Groups of all tests whose versions were observed to differ."""
    members: dict[Shape, list[TestCase]] = {}
    unexplained: list[TestCase] = []
    for case in cases:
        if case.observed == "different" and case.old is not None and case.new is not None:
            if case.blame is not None and case.blame.blamed:
                members.setdefault(_key(case), []).append(case)
            else:
                unexplained.append(case)
    alike = {likeness(tests[0]): key for key, tests in reversed(members.items())}
    for case in unexplained:
        members.setdefault(alike.get(likeness(case), _key(case)), []).append(case)
    for tests in members.values():
        tests.sort(key=_plainness)
    ordered = sorted(members.values(), key=lambda tests: (_rank(tests[0]), tests[0].id))
    return [_group(f"g{number}", tests) for number, tests in enumerate(ordered, 1)]


def _key(case: TestCase) -> Shape:
    assert case.old is not None and case.new is not None
    place = (case.divergence.file, case.divergence.line) if case.divergence else None
    if case.kind == Kind.HELP_TEXT.value:
        return (case.kind, (), None, ())
    blamed = case.blame.blamed if case.blame else ()
    return case.kind, blamed, place, shape(case.old, case.new)


def _plainness(case: TestCase) -> tuple[object, ...]:
    """The witness is the smallest test that is explained."""
    return case.blame is None or not case.blame.blamed, case.input.size, case.id


def likeness(case: TestCase) -> Shape:
    """What tests of one cause have in common, as far as it can be seen without asking which changes
    are to blame: a test that nobody explained belongs to those that look alike."""
    kind, _, place, seen = _key(case)
    return kind, place, seen


def _rank(case: TestCase) -> tuple[int, int]:
    interaction = case.blame is not None and case.blame.interaction
    return _ORDER.index(Kind(case.kind)), 0 if interaction else 1


def _group(name: str, tests: list[TestCase]) -> Group:
    blamed = tests[0].blame
    first = min(tests, key=lambda case: (case.found_s, case.id))
    if tests[0].kind == Kind.HELP_TEXT.value:  # all of the reworded texts
        every = {change for case in tests if case.blame for change in case.blame.reproducing}
        return Group(
            name,
            tests[0].kind,
            tuple(sorted(every)),
            False,
            tuple(c.id for c in tests),
            first.source,
            first.found_s,
        )
    return Group(
        id=name,
        kind=tests[0].kind,
        blamed=blamed.blamed if blamed else (),
        interaction=blamed is not None and blamed.interaction,
        tests=tuple(case.id for case in tests),
        found_by=first.source,
        found_s=first.found_s,
    )
