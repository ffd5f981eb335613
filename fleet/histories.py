"""A series of commits: which of them brought a difference, and which took it away.

    c1  c2  c3  c4        c2 shows f against c1; so do c3 and not c4, both against c1:
        f   f   -         c2 brought f, c4 took it away

Each commit is a task against its parent. What it shows there is looked for again between that
parent and later commits, by bisection: a difference has the same fingerprint there, as long as the
changed statements say the same. Where it is found no more, but another one is in the same
functions, the later commit changed it. All follows from what the store holds of the run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import assert_never

from csg.errors import UsageError
from fleet.acceptance import with_accepted
from fleet.lists import Candidate
from fleet.outcomes import TaskState
from fleet.repositories import commits
from fleet.session import Ended, Work, begin, ended, planned
from fleet.store import Row, Store
from fleet.tasks import Commits, Task, task_from_spec
from symexec.options import HistoryOptions
from symexec.projects.revisions import read_revisions

_TIME = 20.0  # seconds of a task, where nobody says more


class Fate(StrEnum):
    """What later commits make of a difference. ``UNKNOWN``: a task that would say it has failed."""

    STANDS = "stands"
    GONE = "gone"
    CHANGED = "changed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Span:
    """A finding of one commit against its parent. ``until``: the commit that took it away or
    changed it; the one that could not be tested; or else the last."""

    finding: Row
    commit: str
    title: str
    fate: Fate
    until: str
    until_title: str


@dataclass(frozen=True, slots=True)
class History:
    """A run of a history that has ended, as far as it came."""

    ended: Ended
    spans: Sequence[Span]


@dataclass(frozen=True, slots=True)
class _Result:
    """What is known of one pair of commits. ``functions``: those that its findings are in."""

    known: bool  # is it done?
    findings: Mapping[str, Row]

    def near(self, other: Row) -> bool:
        """Is there a finding in a function of another one?"""
        functions = set(other["functions"])
        return any(not functions.isdisjoint(each["functions"]) for each in self.findings.values())


def history(options: HistoryOptions, quiet: bool) -> History:
    """``csgtest history``."""
    both = read_revisions(options.revisions, Path.cwd())
    top = both.repository
    found = commits(top, options.revisions)
    if not found:
        raise UsageError(f"'{options.revisions}' holds no commit", hint="name two: v1.0..HEAD")
    tasks = [
        Candidate(_task(options, str(top), each.old, each.new), f"{each.new[:10]} {each.title}", 0)
        for each in found
    ]
    with Store.open(
        options.store.place, options.store.artefacts, trusted=options.store.trusted
    ) as store:
        source = f"{top} {both.old}..{both.new}"
        run = begin(store, "history", source, options.engine, lambda: tasks)
        work = Work(store, run, options.engine, quiet)
        finished = work.finished(close=False)
        while finished:
            wanted = [
                Candidate(_task(options, str(top), *each), f"{each[0][:10]}..{each[1][:10]}", 0)
                for each in spans(store, run)[1]
            ]
            if not wanted:
                break
            store.add(run, planned(wanted))
            finished = work.finished(close=False)
        work.close()
        known, _ = spans(store, run)
        return History(ended(store, run, options.store.place, not finished), known)


def _task(options: HistoryOptions, place: str, old: str, new: str) -> Task:
    return Task(
        Commits(place, old, new),
        (),
        (),
        options.time or _TIME,
        options.seed or 0,
        options.deterministic,
    )


Pair = tuple[str, str]


def spans(store: Store, run: int) -> tuple[list[Span], list[Pair]]:
    """What is known of each finding of a history, and the pairs of commits that would say more."""
    rows = store.tasks(run)
    chain = _chain(rows)
    pairs = {each["id"]: _pair(each) for each in rows}
    findings: dict[str, dict[str, Row]] = {}
    for each in with_accepted(store.findings(run), rows):
        if each["accepted"] is None:
            findings.setdefault(each["task"], {})[each["fingerprint"]] = each
    results = {
        pairs[each["id"]]: _Result(each["state"] == TaskState.DONE, findings.get(each["id"], {}))
        for each in rows
        if each["state"] != TaskState.WAITING
    }
    titles = [each["label"].partition(" ")[2] for each in chain]
    return _followed([pairs[each["id"]] for each in chain], titles, results)


def _followed(
    chain: Sequence[Pair], titles: Sequence[str], results: Mapping[Pair, _Result]
) -> tuple[list[Span], list[Pair]]:
    known: list[Span] = []
    wanted: dict[Pair, None] = {}
    for at, pair in enumerate(chain):
        brought = results[pair].findings if pair in results else {}
        for fingerprint in sorted(brought):

            def there(later: int, pair: Pair = pair, name: str = fingerprint) -> bool | None:
                result = results.get((pair[0], chain[later][1]))
                if result is None:
                    wanted[pair[0], chain[later][1]] = None
                    raise _WantedError
                return True if name in result.findings else False if result.known else None

            try:
                fate, until = _bisected(at, len(chain) - 1, there)
            except _WantedError:
                continue
            after = results[pair[0], chain[until][1]]
            if fate is Fate.GONE and after.near(brought[fingerprint]):
                fate = Fate.CHANGED
            places = (pair[1], titles[at], fate, chain[until][1], titles[until])
            known.append(Span(brought[fingerprint], *places))
    return known, list(wanted)


class _WantedError(Exception):
    """The result of a task is needed that has not been run."""


def _bisected(first: int, last: int, there: Callable[[int], bool | None]) -> tuple[Fate, int]:
    """What becomes of a difference that is there at ``first``, and where."""
    low, high = first, last
    if low == high:
        return Fate.STANDS, last
    match there(high):
        case True:
            return Fate.STANDS, last
        case None:
            return Fate.UNKNOWN, high
    while high - low > 1:
        middle = (low + high) // 2
        match there(middle):
            case True:
                low = middle
            case False:
                high = middle
            case None:
                return Fate.UNKNOWN, middle
    return Fate.GONE, high


def _pair(row: Row) -> Pair:
    source = task_from_spec(row["spec"]).source
    return source.old, source.new


def _chain(rows: Iterable[Row]) -> list[Row]:
    """The tasks of commits against their parents, which come first."""
    found: list[Row] = []
    for each in rows:
        if found and _pair(each)[0] != _pair(found[-1])[1]:
            break
        found.append(each)
    return found


def fate_text(span: Span) -> str:
    """What became of a difference, in words."""
    until = f"{span.until[:10]} {span.until_title}"
    match span.fate:
        case Fate.STANDS:
            return f"still there in {until}"
        case Fate.GONE:
            return f"taken away by {until}"
        case Fate.CHANGED:
            return f"changed by {until}"
        case Fate.UNKNOWN:
            return f"not known after {until}, which could not be tested"
        case _:
            assert_never(span.fate)
