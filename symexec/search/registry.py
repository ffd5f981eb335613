"""Searches and strategies by name, and the searcher that a campaign gets.

    @mode("newest", "the newest state")            a class with the four methods of the contract,
    class Newest:                                  in a file of symexec/search/modes
        def __init__(self, context: Context) -> None: ...

    build_searcher(chosen("guided", ("guards",)), context)

Reading names and summaries imports nothing heavy: the command line asks for them.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import Enum, auto
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, TypeVar

from csg.errors import UsageError
from symexec.search.searchers import AlongSeeds, Budget

if TYPE_CHECKING:
    from symexec.search.searchers import Searcher
    from symexec.search.targets import Frontier
    from symexec.state.state import State

ALL = "all"  # every strategy, where some are left out
Group = Callable[["State"], Hashable]
Rank = tuple[float, ...]


class Aim(Enum):
    """What the states of a search look for."""

    SEQUENCES = auto()  # the change sequence graph, from its start nodes
    FLAT = auto()  # a flat set: the outputs, and the changes deepest in the control dependences
    NOTHING = auto()


@dataclass(frozen=True, slots=True)
class Context:
    """What searchers are made from. ``rank`` and ``distance`` speak of a state's own targets;
    ``guards`` and ``masks`` say which group a state belongs to, None where there are no groups;
    ``frontier`` knows how far it is to code that was not reached."""

    seed: int
    rank: Callable[[State], Rank]
    distance: Callable[[State], float]
    witnessed: AbstractSet[int] = frozenset()
    guards: Group | None = None
    masks: Group | None = None
    frontier: Callable[[], Frontier] | None = None


@dataclass(frozen=True, slots=True)
class Mode:
    """``strategies``, outermost first, are those that it has unless they are left out."""

    name: str
    summary: str
    aim: Aim
    strategies: tuple[str, ...]
    make: Callable[[Context], Searcher]


@dataclass(frozen=True, slots=True)
class Strategy:
    """``wrap`` is None where the campaign heeds it, not the searcher."""

    name: str
    summary: str
    wrap: Callable[[Callable[[], Searcher], Context], Searcher] | None


_MODES: dict[str, Mode] = {}
_STRATEGIES: dict[str, Strategy] = {}
ORDERED = ("bounds", "turns", "speculations", "divergences", "opposites", "pruning")
UNDIRECTED = (*ORDERED, "rest")
WITH_SEEDS = ("speculations", "guards", "masks")  # each divergence beside a seed has its own time
Make = TypeVar("Make", bound=Callable[..., object])


def mode(
    name: str, summary: str, aim: Aim = Aim.NOTHING, strategies: Sequence[str] = UNDIRECTED
) -> Callable[[Make], Make]:
    """Register what makes the searcher of a search: ``--mode NAME``."""

    def register(make: Make) -> Make:
        _MODES[name] = Mode(name, summary, aim, tuple(strategies), make)  # type: ignore[arg-type]
        return make

    return register


def strategy(name: str, summary: str) -> Callable[[Make], Make]:
    """Register what wraps a searcher: ``--without NAME``."""

    def register(wrap: Make) -> Make:
        _STRATEGIES[name] = Strategy(name, summary, wrap)  # type: ignore[arg-type]
        return wrap

    return register


def behaviour(name: str, summary: str) -> None:
    """Register a strategy that the campaign heeds."""
    _STRATEGIES[name] = Strategy(name, summary, None)


def modes() -> dict[str, Mode]:
    """All searches, in the order of their files, whichever of these was loaded first."""
    package = import_module("symexec.search.modes")
    for found in iter_modules(package.__path__):
        import_module(f"{package.__name__}.{found.name}")
    return dict(sorted(_MODES.items(), key=lambda each: each[1].make.__module__))


def strategies() -> dict[str, Strategy]:
    import_module("symexec.search.strategies")
    return dict(_STRATEGIES)


def described() -> dict[str, str]:
    """All names with a few words each, for the help text: of "modes" and of "strategies"."""
    return {
        what: "; ".join(f"{each.name} ({each.summary})" for each in table.values())
        for what, table in (("modes", modes()), ("strategies", strategies()))
    }


# ---------------------------------------------------------------------------- what is asked for


@dataclass(frozen=True, slots=True)
class Chosen:
    """A search, and those of its strategies that are not left out."""

    mode: Mode
    strategies: tuple[str, ...]

    def has(self, strategy: str) -> bool:
        return strategy in self.strategies


def chosen(name: str, without: Sequence[str] = ()) -> Chosen:
    """What ``--mode NAME --without ...`` means; ``guided+uncovered`` is guided search with one more
    strategy, next to its own searcher. Leaving out what a search does not have changes nothing, nor
    does adding what it has; raises UsageError for names that nobody has."""
    name, *more = name.split("+")
    known = modes()
    if name not in known:
        raise _unknown("search", name, known)
    for each in (*without, *more):
        if each not in strategies() and (each != ALL or each in more):
            raise _unknown("strategy", each, [*strategies(), ALL])
    found = known[name]
    left = () if ALL in without else tuple(s for s in found.strategies if s not in without)
    return Chosen(found, tuple(dict.fromkeys((*left, *more))))


def variant(text: str) -> tuple[str, tuple[str, ...]]:
    """``guided+uncovered-guards-turns`` as (guided+uncovered, (guards, turns)): a search, what it
    has besides, and what is left out of it. Names of searches may have a hyphen in them: the
    longest that fits is meant."""
    known = modes()
    fitting = [name for name in known if re.match(rf"{re.escape(name)}([-+]|$)", text)]
    if not fitting:
        raise _unknown("search", text, modes())
    name = max(fitting, key=len)
    more, *without = text[len(name) :].split("-")
    chosen(name + more, without)
    return name + more, tuple(without)


def _unknown(what: str, name: str, known: Iterable[str]) -> UsageError:
    names = sorted(known)
    close = difflib.get_close_matches(name, names, 1)
    hint = f"did you mean {close[0]}? " if close else ""
    plural = "searches" if what == "search" else "strategies"
    return UsageError(f"no {what} is called '{name}'", hint=f"{hint}{plural}: {', '.join(names)}")


# ---------------------------------------------------------------------------- the searcher


def build_searcher(asked: Chosen, context: Context, along: Budget | None = None) -> Searcher:
    """The searcher of a mode within its strategies, outermost first. ``along``: beside seeds, where
    only those count that fit within what begins at one divergence."""

    def base() -> Searcher:
        return asked.mode.make(context)

    make = base
    for name in reversed(asked.strategies):
        wrap = strategies()[name].wrap
        if wrap is not None and (along is None or name in WITH_SEEDS):
            make = _wrapped(wrap, make, context)
    return make() if along is None else AlongSeeds(make, along)


def _wrapped(
    wrap: Callable[[Callable[[], Searcher], Context], Searcher],
    make: Callable[[], Searcher],
    context: Context,
) -> Callable[[], Searcher]:
    return lambda: wrap(make, context)
