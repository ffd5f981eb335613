"""Searches and strategies by name, and the searcher that a campaign gets.

    @mode("newest", "the newest state")            a class with the four methods of the contract,
    class Newest:                                  in a file of symexec/search/modes
        def __init__(self, context: Context) -> None: ...

    build_searcher(chosen("guided", ("guards",)), context)

Reading names and summaries imports nothing large: the command line needs them for its help.
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
    from symexec.search.frontier import Frontier
    from symexec.search.searchers import Searcher
    from symexec.state.state import State

ALL = "all"  # all strategies, where the user leaves out some
Group = Callable[["State"], Hashable]
Rank = tuple[float, ...]


class Aim(Enum):
    """What the states of a search look for."""

    SEQUENCES = auto()  # the change sequence graph, from its start nodes
    FLAT = auto()  # a flat set: the outputs, and the changes deepest in the control dependences
    NOTHING = auto()


@dataclass(frozen=True, slots=True)
class Context:
    """What searchers are made from. ``rank`` and ``distance`` are those of a state's own targets;
    ``guards`` and ``masks`` give the group of a state, None where there are no groups; ``frontier``
    knows the distance to code that was not reached, ``unmet`` that to changes."""

    seed: int
    rank: Callable[[State], Rank]
    distance: Callable[[State], float]
    witnessed: AbstractSet[int] = frozenset()
    guards: Group | None = None
    masks: Group | None = None
    frontier: Callable[[], Frontier] | None = None
    unmet: Frontier | None = None


@dataclass(frozen=True, slots=True)
class Mode:
    """A search. ``strategies`` are those it has unless they are left out, outermost first."""

    name: str
    summary: str
    aim: Aim
    strategies: tuple[str, ...]
    make: Callable[[Context], Searcher]


@dataclass(frozen=True, slots=True)
class Strategy:
    """A strategy. ``wrap`` is None where the campaign implements it, not a searcher. One that
    ``alternates`` adds a searcher that takes turns with the search's own among the same states:
    nothing that keeps states apart may come between the two."""

    name: str
    summary: str
    wrap: Callable[[Callable[[], Searcher], Context], Searcher] | None
    alternates: bool = False


_MODES: dict[str, Mode] = {}
_STRATEGIES: dict[str, Strategy] = {}
ORDERED = ("bounds", "turns", "speculations", "divergences", "opposites", "aliases", "pruning")
UNDIRECTED = (*ORDERED, "rest")
WITH_SEEDS = ("speculations", "guards", "masks")  # along seeds, each divergence has its own time
Make = TypeVar("Make", bound=Callable[..., object])


def mode(
    name: str, summary: str, aim: Aim = Aim.NOTHING, strategies: Sequence[str] = UNDIRECTED
) -> Callable[[Make], Make]:
    """Register the class that makes the searcher of a search: ``--mode NAME``."""

    def register(make: Make) -> Make:
        _MODES[name] = Mode(name, summary, aim, tuple(strategies), make)  # type: ignore[arg-type]
        return make

    return register


def strategy(name: str, summary: str, alternates: bool = False) -> Callable[[Make], Make]:
    """Register a function that wraps a searcher: ``--without NAME``."""

    def register(wrap: Make) -> Make:
        _STRATEGIES[name] = Strategy(name, summary, wrap, alternates)  # type: ignore[arg-type]
        return wrap

    return register


def behaviour(name: str, summary: str) -> None:
    """Register a strategy that the campaign implements."""
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
    """All names with a summary each, for the help text, under "modes" and "strategies"."""
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
    """The search that ``--mode NAME --without ...`` names; ``guided+uncovered`` is guided search
    with one more strategy, within the others. Leaving out a strategy that the search does not have,
    or adding one that it has, changes nothing. Raises UsageError for unknown names."""
    name, *more = name.split("+")
    known = modes()
    if name not in known:
        raise _unknown("search", name, known)
    for each in (*without, *more):
        if each not in strategies() and (each != ALL or each in more):
            raise _unknown("strategy", each, [*strategies(), ALL])
    found = known[name]
    left = () if ALL in without else tuple(s for s in found.strategies if s not in without)
    together = dict.fromkeys((*left, *more))
    return Chosen(found, tuple(sorted(together, key=lambda each: strategies()[each].alternates)))


def variant(text: str) -> tuple[str, tuple[str, ...]]:
    """``guided+uncovered-guards-turns`` as (guided+uncovered, (guards, turns)): a search with what
    is added to it, and what is left out of it. Names of searches may contain hyphens: the longest
    that fits counts."""
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
    """The searcher of a mode within its strategies. ``along``: for a search along seeds, where only
    those strategies count that work within the states that begin at one divergence."""

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
