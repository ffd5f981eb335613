"""Keep one ledger of everything that a search leaves out; a verdict claims only what it allows.

    ledger.record(Omission(Reason.CONCRETISED, "the argument of sin: 1.0", Location("f.c", 3)))
    ledger.allows(Claim.EQUALITY)                     False
    verdict_of(ledger, changed=True, differing=False) Verdict.NO_DIFFERENCE_FOUND

A search begins with one omission, ``Reason.UNFINISHED``, and strikes it out when it has followed
every path. So a stage that is forgotten, or dies, never makes a verdict stronger.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from csg.errors import NOWHERE, Location
from csg.records import record


class Verdict(StrEnum):
    """What a run has found out; report.json's ``verdict``."""

    DIFFERENT = "different"
    NO_DIFFERENCE_FOUND = "no-difference-found"
    EQUIVALENT_WITHIN_BOUNDS = "equivalent-within-bounds"
    NO_CHANGE = "no-change"  # the programs are the same
    ALL_PATHS_EXPLORED = "all-paths-explored"  # of one program alone
    EXPLORED_IN_PART = "explored-in-part"


class Claim(StrEnum):
    """What a verdict may say, as long as no omission withdraws it."""

    EQUALITY = "equality"  # "Equivalent", "the same"
    ALL_PATHS = "all paths"  # "searched every path"


class Reason(StrEnum):
    """Why something was left out; ``REASONS`` says what each reason withdraws."""

    UNFINISHED = "unfinished"
    TIME = "time"
    MEMORY = "memory"
    WORKER = "worker"
    CUT = "cut"
    UNSUPPORTED = "unsupported"
    COMPILED = "compiled"
    UNKNOWN = "unknown"
    CONCRETISED = "concretised"
    APPROXIMATED = "approximated"
    SAMPLED = "sampled"
    ATTACKED = "attacked"
    ADDRESSES = "addresses"
    FAILS_ALIKE = "fails-alike"
    ENDLESS = "endless"
    UNDEFINED = "undefined"
    UNINITIALISED = "uninitialised"
    SEEDS = "seeds"
    OUTPUT = "output"
    ONE_VERSION = "one-version"
    UNREAD = "unread"
    UNCONFIRMED = "unconfirmed"
    MISMATCHED = "mismatched"


@record
class Row:
    """What an omission means. ``says`` completes "The verdict is withdrawn where ...";
    ``withdraws``: the claims that the verdict no longer makes."""

    says: str
    withdraws: frozenset[Claim]


_BOTH = frozenset((Claim.EQUALITY, Claim.ALL_PATHS))
_EQUALITY = frozenset((Claim.EQUALITY,))

REASONS: Mapping[Reason, Row] = MappingProxyType(
    {
        Reason.UNFINISHED: Row("the search has not ended by itself", _BOTH),
        Reason.TIME: Row("a path still waited when the time was over", _BOTH),
        Reason.MEMORY: Row("a path was dropped because memory was short", _BOTH),
        Reason.WORKER: Row("a path was lost because worker processes died on it", _BOTH),
        Reason.CUT: Row("a path was cut at a bound, for example --loop-bound", _BOTH),
        Reason.UNSUPPORTED: Row("a path met code or a call that csgtest cannot execute", _BOTH),
        Reason.COMPILED: Row(
            "the compiler sees a difference, or a meaning of types, that the search does not",
            _EQUALITY,
        ),
        Reason.UNKNOWN: Row("the solver gave no answer to a query", _BOTH),
        Reason.CONCRETISED: Row("a value was fixed to one of its possible values", _BOTH),
        Reason.APPROXIMATED: Row("a model, an input or a comparison is not exact", _BOTH),
        Reason.SAMPLED: Row(
            "a change meets the answer of a library function whose model was compared with it"
            " in samples alone",
            _EQUALITY,
        ),
        Reason.ATTACKED: Row(
            "native runs show something that the search does not know of", _EQUALITY
        ),
        Reason.ADDRESSES: Row("a result depends on where objects lie in memory", _BOTH),
        Reason.FAILS_ALIKE: Row(
            "both versions fail with the same memory error, and a change may lie behind it", _BOTH
        ),
        Reason.ENDLESS: Row("one version repeats its state for ever", _EQUALITY),
        Reason.UNDEFINED: Row("the program does what C leaves undefined", _EQUALITY),
        Reason.UNINITIALISED: Row("the program uses memory that nothing initialised", _EQUALITY),
        Reason.SEEDS: Row("only paths near the given seeds were searched", _BOTH),
        Reason.OUTPUT: Row("a path stopped at an output, as in the published algorithm", _BOTH),
        Reason.ONE_VERSION: Row("only the new version was followed (--after new)", _BOTH),
        Reason.UNREAD: Row("a file that differs could not be read as C", _BOTH),
        Reason.UNCONFIRMED: Row("a predicted difference was not confirmed natively", _EQUALITY),
        Reason.MISMATCHED: Row("a native run took other branches than predicted", _EQUALITY),
    }
)

# The reasons that the states of a search collect on their paths: each is a note of the report.
EVENTS = frozenset(
    (
        Reason.ADDRESSES,
        Reason.APPROXIMATED,
        Reason.SAMPLED,
        Reason.COMPILED,
        Reason.ATTACKED,
        Reason.CONCRETISED,
        Reason.CUT,
        Reason.ENDLESS,
        Reason.UNDEFINED,
        Reason.UNINITIALISED,
        Reason.UNSUPPORTED,
    )
)


@record
class Omission:
    """One thing that was left out, and where. ``text`` says what, in one clause."""

    reason: Reason
    text: str
    location: Location = NOWHERE


@record
class Entry:
    """An omission with the number of times that it happened and the changes that may lie behind
    it."""

    omission: Omission
    count: int
    changes: tuple[int, ...] = ()


@dataclass(slots=True)
class Ledger:
    """The omissions of a search, each with the number of times that it happened."""

    entries: dict[Omission, int] = field(default_factory=dict)

    def record(self, omission: Omission, count: int = 1) -> None:
        """Add an omission. A count of 0 adds nothing."""
        if count:
            self.entries[omission] = self.entries.get(omission, 0) + count

    def strike(self, omission: Omission) -> None:
        """Remove an omission that has been made good."""
        self.entries.pop(omission, None)

    def take_back(self, reason: Reason, text: str) -> None:
        """Remove the omissions with this text: the paths go on in another process."""
        self.entries = {
            each: count
            for each, count in self.entries.items()
            if (each.reason, each.text) != (reason, text)
        }

    def add(self, other: Ledger) -> None:
        """Add what another process, or another part of the search, has left out."""
        for omission, count in other.entries.items():
            self.record(omission, count)

    def allows(self, claim: Claim) -> bool:
        """Does no omission withdraw this claim?"""
        return next(self.withdrawing(claim), None) is None

    def withdrawing(self, claim: Claim) -> Iterator[Omission]:
        """The omissions because of which the claim cannot be made."""
        return (each for each in self.entries if claim in REASONS[each.reason].withdraws)

    def events(self) -> dict[Omission, int]:
        """The omissions that paths have collected; the report has a note for each."""
        return {each: count for each, count in self.entries.items() if each.reason in EVENTS}


# What a search says of states that it leaves; a portion of it takes back what others go on with.
WAITING = "a path was still waiting"
NOT_BEGUN = "making the inputs took all the time or memory"
PARKED = "a path was dropped because memory was short"

SEARCH_UNFINISHED = Omission(Reason.UNFINISHED, "the search did not follow every path")
RUN_UNFINISHED = Omission(Reason.UNFINISHED, "the run has not ended")


def verdict_of(ledger: Ledger, changed: bool, differing: bool) -> Verdict:
    """The strongest verdict that the ledger allows. ``changed``: unification found a change;
    ``differing``: a native run showed a difference."""
    if differing:
        return Verdict.DIFFERENT
    if not ledger.allows(Claim.EQUALITY):
        return Verdict.NO_DIFFERENCE_FOUND
    return Verdict.EQUIVALENT_WITHIN_BOUNDS if changed else Verdict.NO_CHANGE


def allows(entries: Iterable[Entry], claim: Claim) -> bool:
    """Does no entry of a report withdraw this claim?"""
    return all(claim not in REASONS[each.omission.reason].withdraws for each in entries)


def merge(ledgers: Iterable[Ledger]) -> Ledger:
    """One ledger with the omissions of all."""
    whole = Ledger()
    for each in ledgers:
        whole.add(each)
    return whole
