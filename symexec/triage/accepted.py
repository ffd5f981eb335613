"""Which differences somebody has accepted, told from those that nobody has.

    accepted: change "c = v" -> "c = lhs" in parse_ranges, class difference, what is returned

    t0001  returns 2, was 1                    by this change alone         accepted
    t0002  returns 3, was 1                    by it, and by another one    the other is to blame
    t0003  returns 2, was 1, and prints "x"    by this change alone         a difference: it prints

What is accepted is named by what changed statements say (``csg.unify.changes.identities``), the
class, and which parts of what a run shows differ; never by places, numbers of changes or inputs.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from csg.unify.changes.identities import Identity
from symexec.testcases import DifferenceKind, Observed, TestCase
from symexec.testcases.inputs import Json
from symexec.triage.blame import closed
from symexec.triage.classification import fault_name, outputs

Cause = frozenset[Identity]  # changes that bring a difference about together
Causes = frozenset[Cause]  # each of them does so by itself
# One that was cut off is told more of if there is time.
_NO_END = frozenset(
    (DifferenceKind.HANG, DifferenceKind.HANG_FIX, DifferenceKind.UNDECIDED, DifferenceKind.SLOWER)
)
MOST_CAUSES = 64  # ways of coming about that one accepted difference may have


@dataclass(frozen=True, slots=True)
class Accepted:
    """A difference that the user has accepted. ``causes``: for each of its tests the changes that
    bring it about. ``extra``: statements without which the new version does not show exactly what
    it showed. ``entry`` and ``program`` are what was started. ``witness`` and ``summary`` are for
    readers."""

    kind: DifferenceKind
    entry: str
    program: str
    outputs: frozenset[str]
    causes: frozenset[Causes]
    extra: Cause = frozenset()
    reason: str = ""
    summary: str = ""
    witness: str = ""

    @property
    def changes(self) -> Cause:
        """Every changed statement that it names."""
        return self.extra.union(*(cause for causes in self.causes for cause in causes))

    @property
    def id(self) -> str:
        """The fingerprint: twelve hexadecimal digits."""
        form = accepted_to_json(self)
        identity = {name: form[name] for name in ("class", "entry", "outputs", "changes", "causes")}
        text = json.dumps(identity, sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]


def accepted_of(
    cases: Sequence[TestCase],
    blamed: Sequence[int],
    known: Mapping[int, Identity],
    entry: str,
    program: str,
) -> Accepted | None:
    """The tests of one group as an accepted difference; None where their causes are not known.
    ``blamed`` are the group's changes."""
    explained = [case for case in cases if case.blame is not None and case.blame.blamed]
    found = {_causes(case, known) for case in explained or cases}
    kind = cases[0].kind
    if kind is not DifferenceKind.HELP_TEXT:  # it would name all reworded texts
        found.add(frozenset({_named(blamed, known)}))
    found = {causes for causes in found if causes and all(causes)}
    if not found:
        return None
    extra = {each for case in explained for each in _reproducing(case, known)}
    extra -= {each for causes in found for cause in causes for each in cause}
    shown = frozenset[str]().union(*map(outputs, cases))
    assert kind is not None
    return Accepted(kind, entry, program, shown, frozenset(_needed(found)), frozenset(extra))


def _needed(found: set[Causes]) -> list[Causes]:
    """The causes without those that are unions of others."""
    retained: list[Causes] = []
    order = sorted(found, key=lambda causes: (len(causes), sorted(map(sorted, causes))))
    for causes in order[:MOST_CAUSES]:
        if _covered(causes, retained) != causes:
            retained.append(causes)
    return retained


def _covered(causes: Causes, known: Iterable[Causes]) -> Causes:
    return frozenset[Cause]().union(*(each for each in known if each <= causes))


def _named(changes: Iterable[int], known: Mapping[int, Identity]) -> Cause:
    """The identities of changes; empty where one of them has none."""
    numbers = list(changes)
    found = frozenset(known[each] for each in numbers if each in known)
    return found if len(found) == len(set(numbers)) else frozenset()


def _causes(case: TestCase, known: Mapping[int, Identity]) -> Causes:
    """The causes of a difference; where they are not known, all changes that its test executes."""
    if case.blame is not None and case.blame.blamed:
        return frozenset(_named(changes, known) for changes in case.blame.minimal)
    visited = [int(name[1:]) for name in case.sequence if name[:1] in "cd" and name[1:].isdecimal()]
    return frozenset({_named(visited, known)})


def _reproducing(case: TestCase, known: Mapping[int, Identity]) -> Cause:
    return _named(case.blame.reproducing, known) if case.blame is not None else frozenset()


# ---------------------------------------------------------------------------------------- judging


def switched(
    entries: Iterable[Accepted],
    known: Mapping[int, Identity],
    requires: Mapping[int, frozenset[int]],
) -> frozenset[int]:
    """The numbers of the changes that accepted differences name, with all that they require."""
    named = {change for each in entries for change in each.changes}
    found = frozenset(number for number, identity in known.items() if identity in named)
    return closed(found, requires)


@dataclass(frozen=True, slots=True)
class Judgement:
    """The result. ``cases`` are in their order: accepted ones are ``accounted``, of the others the
    blame is what is left of it. ``by``: the entry that accepts a test, by the test's id."""

    cases: tuple[TestCase, ...]
    by: Mapping[str, Accepted]


def judge_accepted(
    cases: Iterable[TestCase],
    entries: Sequence[Accepted],
    known: Mapping[int, Identity],
    entry: str,
) -> Judgement:
    """Find the accepted tests: an entry must name every cause of the test, what differs, and its
    class, and the new version must show no more than the accepted changes bring about."""
    entries = [each for each in entries if each.entry == entry]
    names = frozenset(change for each in entries for change in each.changes)
    found: list[TestCase] = []
    by: dict[str, Accepted] = {}
    for case in cases:
        accepting, narrowed = _judge(case, entries, known, names)
        if accepting is not None:
            by[case.id] = accepting
        found.append(replace(narrowed, accounted=accepting is not None))
    return Judgement(tuple(found), by)


def _judge(
    case: TestCase, entries: Sequence[Accepted], known: Mapping[int, Identity], names: Cause
) -> tuple[Accepted | None, TestCase]:
    if case.observed is not Observed.DIFFERENT or case.old is None or case.new is None:
        return None, case
    shown = outputs(case)
    fitting = [each for each in entries if _alike(each.kind, case.kind) and shown <= each.outputs]
    causes = _causes(case, known)
    taking = [each for each in fitting if any(known_one <= causes for known_one in each.causes)]
    covered = _covered(causes, (each for one in taking for each in one.causes))
    if case.blame is None or not case.blame.blamed:
        if all(causes) and causes == covered:
            return taking[0], case
        return (fitting[0] if case.accounted and fitting else None), case
    exact = _reproducing(case, known)
    complete = case.accounted or (exact != frozenset() and exact <= names)
    if causes == covered and complete:
        return taking[0], case
    return None, _narrowed(case, covered, known)


def _narrowed(case: TestCase, covered: Causes, known: Mapping[int, Identity]) -> TestCase:
    """The test with those of its causes that are not accepted. Where each of them is, these changes
    together show something else than the accepted ones."""
    blame = case.blame
    assert blame is not None
    sets = blame.generators or blame.minimal
    left = [
        (minimal, generators)
        for minimal, generators in zip(blame.minimal, sets, strict=True)
        if _named(minimal, known) not in covered
    ] or [(blame.reproducing or blame.blamed, blame.reproducing or blame.blamed)]
    minimal, generators = zip(*left, strict=True)
    return replace(case, blame=replace(blame, minimal=minimal, generators=generators))


def _alike(one: DifferenceKind, other: DifferenceKind | None) -> bool:
    return one is other or (one in _NO_END and other in _NO_END)


# ------------------------------------------------------------------------------------------- JSON


def identity_to_json(identity: Identity) -> dict[str, Json]:
    form: dict[str, Json] = {
        "function": identity.function,
        "old": identity.old,
        "new": identity.new,
        "nth": identity.nth,
    }
    if identity.part != 1:
        form["part"] = identity.part
    if identity.cause:
        form["cause"] = identity.cause
    return form


def identity_from_json(value: Json) -> Identity:
    """The identity in JSON. Raises ValueError where it is none."""
    form = _object(value)
    return Identity(
        _text(form, "function"),
        _text(form, "old"),
        _text(form, "new"),
        _count(form.get("nth", 1)),
        _count(form.get("part", 1)),
        _text(form, "cause", ""),
    )


def accepted_to_json(entry: Accepted) -> dict[str, Json]:
    """The entry as JSON: ``causes`` and ``beside`` name changes by their positions in ``changes``,
    from 1 on."""
    changes = sorted(entry.changes)
    numbers = {change: number for number, change in enumerate(changes, 1)}

    def numbered(cause: Cause) -> list[int]:
        return sorted(numbers[change] for change in cause)

    form: dict[str, Json] = {
        "class": entry.kind,
        "program": entry.program,
        "entry": entry.entry,
        "outputs": sorted(entry.outputs),
        "changes": [identity_to_json(change) for change in changes],
        "causes": sorted(sorted(map(numbered, causes)) for causes in entry.causes),
    }
    if entry.extra:
        form["beside"] = numbered(entry.extra)
    return form


def accepted_from_json(value: Json) -> Accepted:
    """The accepted difference in JSON. Raises ValueError where it is none."""
    form = _object(value)
    changes = [identity_from_json(each) for each in _list(form.get("changes"))]

    def cause(numbers: Json) -> Cause:
        found = [_count(number) for number in _list(numbers)]
        if any(number > len(changes) for number in found):
            raise ValueError("a cause names a change that is not there")
        return frozenset(changes[number - 1] for number in found)

    causes = frozenset(frozenset(map(cause, _list(each))) for each in _list(form.get("causes")))
    if not causes or not all(each and all(each) for each in causes):
        raise ValueError("there is no cause")
    shown = [_output_of(str(each)) for each in _list(form.get("outputs"))]
    return Accepted(
        DifferenceKind(_text(form, "class")),
        _text(form, "entry"),
        _text(form, "program"),
        frozenset(shown),
        causes,
        cause(form.get("beside", [])),
        _text(form, "reason", ""),
        _text(form, "summary", ""),
        _text(form, "witness", ""),
    )


def _output_of(text: str) -> str:
    """What differs, as ``outputs`` names it."""
    version, space, failure = text.partition(" ")
    return f"{version}{space}{fault_name(failure)}"


def _object(value: Json) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise ValueError("an object was expected")
    return value


def _list(value: Json) -> list[Json]:
    if not isinstance(value, list):
        raise ValueError("a list was expected")
    return value


def _text(form: Mapping[str, Json], name: str, usual: str | None = None) -> str:
    value = form.get(name, usual)
    if not isinstance(value, str):
        raise ValueError(f"'{name}' is to be a text")
    return value


def _count(value: Json) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ValueError("a number from 1 on was expected")
    return value
