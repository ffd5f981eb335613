"""Many tests, few findings: differences that look alike and have one cause become one group."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from csg.ir import ChangeInfo
from symexec.options import Internal
from symexec.testcases import (
    DifferenceKind,
    EntrySignature,
    Observation,
    Observed,
    TestCase,
)
from symexec.testcases.signature import ParameterKind
from symexec.triage.classification import differing_parts, outputs, rank
from symexec.triage.undefined import UNINITIALISED, uses_uninitialised

# ---------------------------------------------------------------------------------------- wording
# Tell differences apart that are a matter of wording: help, version and usage text.
#
#     fputs(_("  -d   print twice
# "), stdout);   ->   fputs(_("  -d   print it twice
# "), stdout);
#
# A test is one of these when three things hold: both versions end alike and only their text
# differs; the changes that bring that about only reword text which is printed; and the program
# was asked to inform (``--help``, ``--version``), or answers with its usage. Of a text that
# several changes touch, each by itself, one that only rewords is enough: nobody who asked for the
# text learns from the others what the program does. So a status that differs, a help text that
# depends on something else that changed, and reworded results stay what they are.


_JUDGED = {
    DifferenceKind.DIFFERENCE,
    DifferenceKind.PROGRESSION,
}  # also errors against a golden version
_TEXT = {"stdout", "stderr"}
_ASKING = ("--help", "--version", "--usage")
_USAGE = re.compile(rb"usage\b", re.IGNORECASE)

_LITERAL = re.compile(r"""'(?:\\.|[^'\\])+'|(?:u8|[LuU])?"((?:\\.|[^"\\])*)"|%%""", re.DOTALL)
_CONVERSION = re.compile(r"%[-+ #0']*[\d*$]*(?:\.[\d*]*)?(?:hh|h|ll|l|q|L|j|z|t)?[a-zA-Z]")
_CALLED = re.compile(r"([A-Za-z_]\w*)\s*\(")
_TRANSLATORS = frozenset(("_", "N_", "gettext", "dgettext", "ngettext"))
_PRINTERS = _TRANSLATORS | {"printf", "fprintf", "puts", "fputs", "fputs_unlocked", "error", "exit"}
_DEFINITION = re.compile(r'macro \w+ \(.*\): ("(?:\\.|[^"\\])*") became ("(?:\\.|[^"\\])*")')

Shown = tuple[object, ...]


def rewordings(cases: Iterable[TestCase], changes: Sequence[ChangeInfo]) -> Iterator[TestCase]:
    """The cases that are differences of wording, with this class. A case without an explanation is
    one when exactly the same texts differ in a case that is one."""
    rewording = {change.id for change in changes if rewords(change)}
    if not rewording:
        return
    open_cases = [case for case in cases if case.kind in _JUDGED or case.error]
    texts = {
        _shown(case) for case in open_cases if informs(case) and _reworded(case, rewording, False)
    }
    for case in open_cases:
        if _shown(case) in texts and _reworded(case, rewording, True):
            yield replace(case, kind=DifferenceKind.HELP_TEXT, error="")


def informs(case: TestCase) -> bool:
    """Was the program asked for help, or does it answer with its usage, in both versions?"""
    if case.old is None or case.new is None:
        return False
    if not set(differing_parts(case.old, case.new)) <= _TEXT:
        return False
    words = [word.decode("latin-1") for word in case.input.args]
    options = words[: words.index("--")] if "--" in words else words
    if any(len(word) > 2 and asks.startswith(word) for word in options for asks in _ASKING):
        return True
    texts = (case.old.stdout + case.old.stderr, case.new.stdout + case.new.stderr)
    return all(_USAGE.match(text) for text in texts)


def _reworded(case: TestCase, rewording: set[int], unexplained: bool) -> bool:
    """Is the difference brought about by rewording alone? ``unexplained``: the answer when no cause
    is known."""
    if case.blame is None or not case.blame.blamed:
        return unexplained
    return any(rewording.issuperset(changes) for changes in case.blame.minimal)


def _shown(case: TestCase) -> Shown:
    """The texts that differ. What both versions write as well (such as the name of an unknown
    option) may be different in each test."""
    assert case.old is not None and case.new is not None
    parts = differing_parts(case.old, case.new)
    return parts, tuple(
        (seen.exit, *(getattr(seen, part) for part in parts if part in _TEXT))
        for seen in (case.old, case.new)
    )


def shows_the_same_text(case: TestCase, other: TestCase) -> bool:
    """Do the same texts differ in both tests, of a program that informs?"""
    return informs(case) and _shown(case) == _shown(other)


def rewords(change: ChangeInfo) -> bool:
    """Does a change replace, add or remove literals that are printed, and nothing else?"""
    if change.cause:
        return _DEFINITION.fullmatch(change.cause) is not None and _prints(change.new_text)
    old, new = change.old_text, change.new_text
    if not old or not new:
        return _only_literals(old or new)
    if _only_literals(old) and _only_literals(new):
        return True
    return (
        _skeleton(old) == _skeleton(new) and _conversions(old) == _conversions(new) and _prints(new)
    )


def _prints(text: str) -> bool:
    """Does the statement call nothing but functions that print, or define a text?"""
    bare = _LITERAL.sub('"', text)
    called = set(_CALLED.findall(bare)) - {"return", "sizeof"}
    if called:
        return called <= _PRINTERS
    defined = re.fullmatch(r"(?:\w+\s+|\*\s*)*\w+\s*(?:\[\s*\w*\s*\])?\s*=[\s\"N_()]*;?", bare)
    return defined is not None and any(" " in found for found in _literals(text))


def _only_literals(text: str) -> bool:
    """Does the statement print literals only, and use nothing else of the program?"""
    bare = _LITERAL.sub('"', text)
    names = set(re.findall(r"[A-Za-z_]\w*", bare))
    return (
        bool(names)
        and names <= _PRINTERS | {"stdout", "stderr"}
        and not _conversions(text)
        and re.fullmatch(r'[\w\s(),;"]*', bare) is not None
    )


def _skeleton(text: str) -> str:
    """The text without the contents of literals, and without spaces; adjacent literals are one."""
    bare = re.sub(r"\s+", "", _LITERAL.sub(lambda found: _blanked(found[0]), text))
    return re.sub(r'"+', '"', bare)


def _blanked(literal: str) -> str:
    return '"' if literal.endswith('"') else literal


def _literals(text: str) -> list[str]:
    return [found[1] or "" for found in _LITERAL.finditer(text)]


def _conversions(text: str) -> list[str]:
    return [
        each for part in _literals(text) for each in _CONVERSION.findall(part.replace("%%", ""))
    ]


# --------------------------------------------------------------------------------------- grouping
# Many tests, few findings: differences that look alike and have one cause become one group.
#
# t0001 x=1000, t0004 x=7 (both: regression, blamed 1 and 2, SIGABRT)    g1: t0004, t0001


Shape = tuple[object, ...]

# groups shown to a reader, as long as all differences of one class can be one group
MOST_GROUPS = 20


@dataclass(frozen=True, slots=True)
class Symptom:
    """A way in which the cause of a group shows that its witness does not show. ``outputs``: what
    differs in the test ``witness``, and neither in the group's witness nor in the symptoms before.
    ``count``: how many tests need this symptom. ``internal``: no caller can run them."""

    witness: str
    outputs: frozenset[str]
    count: int
    internal: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """A group of differences. ``tests``: ids, the smallest witness first. ``found_by``: the source
    of the test that first showed it, after ``found_s`` seconds. ``also``: with the witness they
    have every kind of output that differs in a test."""

    id: str  # g1, g2, .. in order of importance
    kind: DifferenceKind
    blamed: tuple[int, ...]
    interaction: bool
    tests: tuple[str, ...]
    found_by: str = ""
    found_s: float = 0.0
    internal: bool = False  # seen only where no caller of the program gets by itself
    minimal: bool | None = None  # see TestCase
    also: tuple[Symptom, ...] = ()

    @property
    def called(self) -> str:
        """The name of its class; nobody is blamed for what is internal."""
        if not self.internal:
            return self.kind
        return f"internal-{'failure' if self.kind is DifferenceKind.REGRESSION else self.kind}"

    @property
    def tells(self) -> bool:
        """Do callers meet a version that behaves differently?"""
        return not self.internal and self.kind.is_behaviour

    @property
    def witness(self) -> str:
        return self.tests[0]


def shape(old: Observation, new: Observation) -> Shape:
    """The form of a difference: how both versions end, and which streams differ."""

    return _end(old), _end(new), differing_parts(old, new)


def _end(seen: Observation) -> Shape:
    return seen.exit, seen.signal, seen.sanitizer, seen.timed_out


def contrast(old: Observation, new: Observation) -> Shape:
    """In which way the texts of the versions differ, whatever they are: in the number of lines, in
    the length of a line, in blanks and zeros that fill a column, or in anything else; and whether
    the lines of both form a column."""
    return _contrast(old.stdout, new.stdout), _contrast(old.stderr, new.stderr)


def _contrast(old: bytes, new: bytes) -> str:
    if old == new:
        return "same"
    if not old or not new:
        return "nothing before" if not old else "nothing now"
    before, after = old.splitlines(), new.splitlines()
    if len(before) != len(after):
        return "more lines" if len(before) < len(after) else "fewer lines"
    return _filling(before, after) + _column(before, after)


def _filling(before: list[bytes], after: list[bytes]) -> str:
    old, new = sum(map(len, before)), sum(map(len, after))
    pairs = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
    if all(_unfilled(a) == _unfilled(b) for a, b in pairs):
        longer = "filled" if old < new else "less filled"
        if all(a.endswith(b) or b.endswith(a) for a, b in pairs):
            return f"{longer} in front"
        return f"{longer} behind" if all(a[:1] == b[:1] for a, b in pairs) else longer
    if old == new:
        return "other characters"
    return "longer" if old < new else "shorter"


def _column(before: list[bytes], after: list[bytes]) -> str:
    """Whether there are several lines that are all as long as the first, in either version."""
    if len(before) < 2:
        return ""
    return "".join(
        f", {when} in a column"
        for when, lines in (("before", before), ("now", after))
        if len(set(map(len, lines))) == 1
    )


def _unfilled(line: bytes) -> bytes:
    """The line without padding: blanks, and zeros without meaning."""
    return bytes(each for each in line if each not in b" \t0.")


def hidden_parts(internal: Internal | None, signature: EntrySignature | None) -> dict[str, str]:
    """The inputs that only the library can make, unless they are null, each with the structure that
    it is."""
    if internal is None:
        return {}
    parts = signature.parameters if signature is not None else ()
    structures = [each for each in parts if each.kind is ParameterKind.STRUCTURE]
    found = {each.name: each.element for each in structures if each.element in internal.hidden}
    return {**found, **dict(internal.handles)}


def never_met(
    internal: Internal | None, signature: EntrySignature | None
) -> Callable[[TestCase], bool] | None:
    """Whether no caller can run a test, as far as is known; None where callers can run all of
    them."""
    if internal is not None and internal.reason:
        return lambda case: True
    return never_made(internal, signature)


def never_made(
    internal: Internal | None, signature: EntrySignature | None
) -> Callable[[TestCase], bool] | None:
    """Whether a test has an object, or a value of a static object, that is not known to come from
    any calls; None where there is no such object."""
    begun = initial_values(signature)
    hidden = hidden_parts(internal, signature)
    if not begun and not hidden:
        return None

    def unmade(case: TestCase) -> bool:
        given = dict(case.input.parameters)
        if any(given.get(name) is not None for name in hidden):
            return True
        return any(begun.get(name, value) != value for name, value in case.input.globals)

    return unmade


def initial_values(signature: EntrySignature | None) -> dict[str, int]:
    """What the inputs begin with that only calls of the program's functions can set."""
    parts = signature.globals if signature is not None else ()
    return {each.name: each.initial for each in parts if each.private}


def group(
    cases: Iterable[TestCase], inner: Callable[[TestCase], bool] | None = None
) -> list[Group]:
    """Groups of all tests on which the versions differ: one for each class and cause. However the
    runs end and whatever they show, it is one defect; each way in which it shows is a symptom of
    the group. When the groups are too many for a reader, those whose causes overlap are joined.
    Tests that are ``accounted`` for have groups of their own, after the others.

    ``inner``: can no caller run the test? Groups that have no other tests are internal, and come
    last; the witness of any other group is a test that callers can run."""
    explained: list[TestCase] = []
    unexplained: list[TestCase] = []
    for case in cases:
        if case.observed is Observed.DIFFERENT and case.old is not None and case.new is not None:
            known = case.blame is not None and case.blame.blamed
            (explained if known else unexplained).append(case)
    members: dict[Shape, list[TestCase]] = {}
    for keyed in (_by_cause, _by_overlap(explained)):
        members = _grouped(explained, unexplained, keyed)
        if len(members) <= MOST_GROUPS:
            break
    met_by_none = inner or (lambda case: False)
    for tests in members.values():
        tests.sort(key=lambda case: (met_by_none(case), _plainness(case)))
    ordered = sorted(
        ((met_by_none(tests[0]), tests) for tests in members.values()),
        key=lambda each: (each[0], each[1][0].accounted, _worst(each[1], inner), each[1][0].id),
    )
    return [
        replace(_group(f"g{number}", tests), internal=internal, also=symptoms(tests, inner))
        for number, (internal, tests) in enumerate(ordered, 1)
    ]


def symptoms(
    tests: Sequence[TestCase], inner: Callable[[TestCase], bool] | None = None
) -> tuple[Symptom, ...]:
    """The symptoms of a group that its witness, the first of its tests, does not show. ``inner``:
    see ``group``."""
    differing = {case.id: outputs(case) for case in tests}
    shown = differing[tests[0].id]
    left = [case for case in tests if not differing[case.id] <= shown]
    found: list[Symptom] = []
    while left:
        more = differing[left[0].id] - shown
        shown |= more
        covered = [case for case in left if differing[case.id] <= shown]
        internal = inner is not None and all(map(inner, covered))
        found.append(Symptom(left[0].id, more, len(covered), internal))
        left = [case for case in left if not differing[case.id] <= shown]
    return tuple(found)


def _grouped(
    explained: Sequence[TestCase],
    unexplained: Sequence[TestCase],
    keyed: Callable[[TestCase], Shape],
) -> dict[Shape, list[TestCase]]:
    """The groups; a test without an explanation joins the group that is most like it."""
    members: dict[Shape, list[TestCase]] = {}
    for case in explained:
        members.setdefault((case.accounted, *keyed(case)), []).append(case)
    alike: dict[Shape, dict[frozenset[str], Shape]] = {}  # by the changed nodes that they visit
    for key, tests in members.items():
        for case in tests:
            for likeness_of in _LIKENESSES:
                likeness_there = likeness_of.__name__, case.accounted, *likeness_of(case)
                there = alike.setdefault(likeness_there, {})
                there.setdefault(changed_nodes(case), key)
    for case in unexplained:
        nodes = changed_nodes(case)
        found = (
            key
            for each in _LIKENESSES
            for others, key in alike.get((each.__name__, case.accounted, *each(case)), {}).items()
            if may_share(nodes, others)
        )
        members.setdefault(next(found, (case.accounted, *keyed(case))), []).append(case)
    return _with_chance(members)


def _with_chance(members: dict[Shape, list[TestCase]]) -> dict[Shape, list[TestCase]]:
    """The groups, with those of which only bytes differ that neither version has written in the
    group of the use of uninitialised memory that has the same cause."""
    uses = [key for key, tests in members.items() if any(map(uses_uninitialised, tests))]
    result = dict(members)
    for key, tests in members.items():
        if not all(map(_by_chance, tests)):
            continue
        same = (
            other for other in uses if other[0] == key[0] and _same_cause(tests, members[other])
        )
        if (home := next(same, None)) is not None:
            result[home] = [*result[home], *result.pop(key)]
    return result


def _by_chance(case: TestCase) -> bool:
    """Do only bytes differ that neither version has written?"""
    return case.kind is DifferenceKind.UNDEFINED and any(
        UNINITIALISED in each for each in case.undefined
    )


def _same_cause(some: Sequence[TestCase], others: Sequence[TestCase]) -> bool:
    """Is the same blamed, or for want of that, is there a changed statement that both visit?"""
    causes = [{_blamed(case) for case in tests} - {()} for tests in (some, others)]
    if all(causes):
        return not causes[0].isdisjoint(causes[1])
    return any(
        may_share(changed_nodes(one), changed_nodes(other)) for one in some for other in others
    )


def changed_nodes(case: TestCase) -> frozenset[str]:
    """The changed nodes of the change sequence graph that the test visits; none where that is not
    known."""
    return frozenset(name for name in case.sequence if name.startswith(("c", "d")))


def may_share(one: frozenset[str], other: frozenset[str]) -> bool:
    """Can two tests have one cause? Not where they have no changed statement in common."""
    return not one or not other or not one.isdisjoint(other)


def _wording_shape(case: TestCase) -> Shape | None:
    """A shape for differences of wording, which are one group whatever words changed; None for
    others."""
    return (case.kind,) if case.kind is DifferenceKind.HELP_TEXT else None


def _blamed(case: TestCase) -> tuple[int, ...]:
    return case.blame.blamed if case.blame is not None else ()


def _by_cause(case: TestCase) -> Shape:
    return _wording_shape(case) or (case.kind, _blamed(case))


def _by_overlap(cases: Sequence[TestCase]) -> Callable[[TestCase], Shape]:
    """A function that gives one shape to causes that have a change in common, directly or through
    others."""
    leader: dict[int, int] = {}

    def first(change: int) -> int:
        while leader.setdefault(change, change) != change:
            change = leader[change]
        return change

    for case in cases:
        for one, other in pairwise(_blamed(case)):
            low, high = sorted((first(one), first(other)))
            leader[high] = low

    def keyed(case: TestCase) -> Shape:
        blamed = _blamed(case)
        return _wording_shape(case) or (case.kind, first(blamed[0]) if blamed else None)

    return keyed


def _plainness(case: TestCase) -> tuple[object, ...]:
    """A key for the witness: the smallest test that is explained, and that shows more than
    chance."""
    return (
        _by_chance(case),
        case.blame is None or not case.blame.blamed,
        case.input.size,
        case.id,
    )


_NEGATIVE = re.compile(rb"-\.?[0-9]")


def likeness(case: TestCase) -> Shape:
    """What tests of one cause have in common, as far as that is visible without finding the changes
    to blame: some of them are explained, and the others join these."""
    assert case.old is not None and case.new is not None
    if case.kind is DifferenceKind.HELP_TEXT or informs(case):
        return "informing", shape(case.old, case.new)
    return (*_alike_there(case), contrast(case.old, case.new), options_used(case))


def _alike_there(case: TestCase) -> Shape:
    assert case.old is not None and case.new is not None
    place = (case.divergence.file, case.divergence.line) if case.divergence else None
    return case.kind, place, shape(case.old, case.new)


def _alike(case: TestCase) -> Shape:
    assert case.old is not None and case.new is not None
    return case.kind, shape(case.old, case.new)


_LIKENESSES = (likeness, _alike_there, _alike)  # the most specific first


def options_used(case: TestCase) -> Shape:
    """The options of a command line without their values, judged by their form: a word that begins
    like a number is none."""
    dashed = [word for word in case.input.args if word.startswith(b"-")]
    words = [word.partition(b"=")[0] for word in dashed if not _NEGATIVE.match(word)]
    return tuple(sorted({word if word.startswith(b"--") else word[:2] for word in words}))


def _worst(
    tests: Sequence[TestCase], inner: Callable[[TestCase], bool] | None
) -> tuple[int, int, bool]:
    """The rank of a group: that of its most important test that callers can run as they can the
    first."""
    if inner is None:
        return min(map(_rank, tests))
    internal = inner(tests[0])
    return min(_rank(case) for case in tests if inner(case) == internal)


def _rank(case: TestCase) -> tuple[int, int, bool]:
    interaction = case.blame is not None and case.blame.interaction
    kind = case.kind
    assert kind is not None
    if kind is DifferenceKind.DIFFERENCE and informs(case):
        kind = DifferenceKind.HELP_TEXT  # more than words may have changed, but nobody waits for it
    return rank(kind, case.new, interaction)


def _group(name: str, tests: list[TestCase]) -> Group:
    blamed = tests[0].blame
    first = min(tests, key=lambda case: (case.found_s, case.id))
    kind = tests[0].kind
    assert kind is not None
    if kind is DifferenceKind.HELP_TEXT:  # the changes are all reworded texts
        every = {change for case in tests if case.blame for change in case.blame.reproducing}
        return Group(
            name,
            kind,
            tuple(sorted(every)),
            False,
            tuple(c.id for c in tests),
            first.source,
            first.found_s,
            minimal=tests[0].minimal,
        )
    return Group(
        id=name,
        kind=kind,
        blamed=blamed.blamed if blamed else (),
        interaction=blamed is not None and blamed.interaction,
        tests=tuple(case.id for case in tests),
        found_by=first.source,
        found_s=first.found_s,
        minimal=tests[0].minimal,
    )
