"""Searches and strategies by name: what there is, what a word means, what is refused."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from csg.errors import UsageError
from symexec.search import Budget, registry
from symexec.search.modes import BreadthFirst, DepthFirst
from symexec.search.registry import (
    ALL,
    Aim,
    Mode,
    Strategy,
    behaviour,
    build_searcher,
    chosen,
    described,
    mode,
    modes,
    strategies,
    strategy,
    variant,
)
from symexec.search.searchers import AlongSeeds, RoundRobin
from tests.symexec.search.fakes import context

ROOT = Path(__file__).parents[3]
EVERYWHERE = ("bounds", "turns", "speculations", "divergences", "opposites", "aliases", "pruning")
GUIDED = (
    "bounds", "reachable", "turns", "speculations", "guards", "masks", "continuation",
    "usage", "divergences", "opposites", "rest", "aliases", "pruning", "uniform", "unmet",
)  # fmt: skip


def test_the_searches() -> None:
    """What states look for, and the strategies around it, outermost first."""
    assert {name: (each.aim, each.strategies) for name, each in modes().items()} == {
        "published": (Aim.SEQUENCES, ()),
        "guided": (Aim.SEQUENCES, GUIDED),
        "isolated": (Aim.FLAT, GUIDED),
        "breadth-first": (Aim.NOTHING, EVERYWHERE),
        "depth-first": (Aim.NOTHING, EVERYWHERE),
        "undirected": (Aim.NOTHING, (*EVERYWHERE, "rest")),
    }
    assert all(each.name == name for name, each in modes().items())


def test_what_the_help_text_says_of_them() -> None:
    assert described() == {
        "modes": "published (Algorithm 2 of FSE 2013, nothing else); "
        "guided (towards change sequences, with every strategy); "
        "isolated (as guided, towards each change by itself); "
        "breadth-first (the oldest state: what is near before what is far); "
        "depth-first (the newest state: each path to its end before the next one); "
        "undirected (random path in turn with the state nearest to new code)",
        "strategies": "bounds (inputs beyond the bounds as well, in one turn of eight once the "
        "search takes long, of two when nothing is new within); "
        "reachable (states that can reach one of their targets first, 15 turns of 16); "
        "turns (fair turns over the initial states, so that large inputs starve no small one); "
        "speculations (states that are the rest of speculations later, the fewest speculations "
        "first); "
        "guards (turns over the values of variables that decide whether a change is met); "
        "masks (turns over the values of variables that hide the effect of a change); "
        "uncovered (states with a target that has no test, in three turns of four); "
        "uniform (in every second turn any state, each equally likely); "
        "unmet (in every second turn the state nearest to a change that no path has come to, if "
        "any); "
        "continuation (go on behind an output, to differences that show later on the path); "
        "usage (along ordinary command lines, most of the time, where no native fuzzing runs); "
        "divergences (a test as soon as the versions diverge for the first time); "
        "opposites (with it, a test whose input has the opposite sign); "
        "rest (a path on which no input decides anything more is a test at once, and runs last); "
        "aliases (pointers into one object of which one writes, and texts that end with theirs); "
        "pruning (drop states that can neither reach a change nor carry one)",
    }


def test_documents_have_every_name() -> None:
    documents = (ROOT / "docs" / "comparing-searches.md").read_text()
    assert all(f"| `{name}` |" in documents for name in (*modes(), *strategies()))


def test_what_is_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_MODES", {})
    monkeypatch.setattr(registry, "_STRATEGIES", {})

    def make(*_: object) -> Any:
        raise AssertionError

    assert mode("plain", "a few words")(make) is make
    assert mode("full", "more", Aim.FLAT, ["rest"])(make) is make
    assert strategy("wrapping", "words")(make) is make
    behaviour("heeded", "others")
    assert {
        "plain": Mode("plain", "a few words", Aim.NOTHING, (*EVERYWHERE, "rest"), make),
        "full": Mode("full", "more", Aim.FLAT, ("rest",), make),
    } == registry._MODES
    assert {
        "wrapping": Strategy("wrapping", "words", make),
        "heeded": Strategy("heeded", "others", None),
    } == registry._STRATEGIES


def test_the_campaign_heeds_what_wraps_no_searcher() -> None:
    heeded = {name for name, each in strategies().items() if each.wrap is None}
    found_by_the_campaign = {"continuation", "usage", "divergences", "opposites", "rest"}
    assert heeded == {*found_by_the_campaign, "aliases", "pruning"}


def test_strategies_are_loaded_when_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    known = list(strategies())
    monkeypatch.delattr(sys.modules["symexec.search"], "strategies")
    monkeypatch.delitem(sys.modules, "symexec.search.strategies")
    monkeypatch.setattr(registry, "_STRATEGIES", {})
    assert list(strategies()) == known


def test_what_is_left_out_is_not_there_and_the_rest_keeps_its_order() -> None:
    found = chosen("guided", ("turns", "masks"))
    assert found.strategies == tuple(each for each in GUIDED if each not in ("turns", "masks"))
    assert found.mode is modes()["guided"]
    assert found.has("guards") and not found.has("turns")
    assert chosen("guided").strategies == GUIDED
    assert chosen("guided", (ALL,)).strategies == ()
    assert chosen("published", ("turns",)).strategies == ()


def test_a_strategy_is_added_around_what_chooses_among_the_same_states() -> None:
    assert chosen("guided+uncovered").strategies == (*GUIDED[:-2], "uncovered", *GUIDED[-2:])
    assert chosen("undirected+uniform+guards").strategies[-2:] == ("guards", "uniform")
    assert chosen("guided+uncovered", (ALL,)).strategies == ("uncovered",)
    assert chosen("guided+turns").strategies == GUIDED
    assert chosen("published+turns+rest").strategies == ("turns", "rest")


SEARCHES = "searches: breadth-first, depth-first, guided, isolated, published, undirected"
STRATEGIES = (
    "strategies: aliases, all, bounds, continuation, divergences, guards, masks, opposites, "
    "pruning, reachable, rest, speculations, turns, uncovered, uniform, unmet, usage"
)


@pytest.mark.parametrize(
    ("name", "without", "message", "hint"),
    [
        ("guidde", (), "no search is called 'guidde'", f"did you mean guided? {SEARCHES}"),
        ("best", (), "no search is called 'best'", SEARCHES),
        ("guided", ("turn",), "no strategy is called 'turn'", f"did you mean turns? {STRATEGIES}"),
        ("guided", ("turns", "x"), "no strategy is called 'x'", STRATEGIES),
        ("guided+x", (), "no strategy is called 'x'", STRATEGIES),
        ("guided+all", (), "no strategy is called 'all'", f"did you mean all? {STRATEGIES}"),
        ("guided+all", ("all",), "no strategy is called 'all'", f"did you mean all? {STRATEGIES}"),
    ],
)
def test_names_that_nobody_has_are_refused(
    name: str, without: tuple[str, ...], message: str, hint: str
) -> None:
    with pytest.raises(UsageError) as found:
        chosen(name, without)
    assert (found.value.message, found.value.hint) == (message, hint)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("guided", ("guided", ())),
        ("guided-guards-turns", ("guided", ("guards", "turns"))),
        ("breadth-first", ("breadth-first", ())),
        ("breadth-first-turns", ("breadth-first", ("turns",))),
        ("published-all", ("published", (ALL,))),
        ("guided+uncovered", ("guided+uncovered", ())),
        ("depth-first+uncovered-turns", ("depth-first+uncovered", ("turns",))),
    ],
)
def test_a_search_and_what_is_left_out_in_one_word(
    text: str, meant: tuple[str, tuple[str, ...]]
) -> None:
    assert variant(text) == meant


def test_of_two_searches_that_fit_the_longer_is_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever was registered first."""
    monkeypatch.setattr(registry, "_MODES", {**modes()})
    for name in ("new-turns", "new", "new-turns-first"):
        mode(name, "")(BreadthFirst)
    assert variant("new-turns-rest") == ("new-turns", ("rest",))
    assert variant("new-rest") == ("new", ("rest",))
    assert variant("new-turns-first") == ("new-turns-first", ())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("guide", "no search is called 'guide'"),
        ("breadth", "no search is called 'breadth'"),
        ("guidedx", "no search is called 'guidedx'"),
        ("guided-gards", "no strategy is called 'gards'"),
        ("guided--turns", "no strategy is called ''"),
        ("guided+x", "no strategy is called 'x'"),
        ("guided+all", "no strategy is called 'all'"),
        ("guided+", "no strategy is called ''"),
    ],
)
def test_a_word_that_means_none_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError) as found:
        variant(text)
    assert found.value.message == message


def test_the_searcher_of_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(build_searcher(chosen("depth-first", (ALL,)), context()), DepthFirst)
    plain = build_searcher(chosen("published"), context())
    assert isinstance(plain, RoundRobin)
    assert plain.name == "round robin of random path, shortest distance"
    names = [each.name for each in (BreadthFirst(), DepthFirst())]
    assert names == ["breadth-first", "depth-first"]


def test_beside_seeds_only_what_fits_within_one_divergence_is_around_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wrapped: list[str] = []

    def noting(name: str) -> Strategy:
        def wrap(make: Any, surroundings: object) -> Any:
            wrapped.append(name)
            return make()

        return Strategy(name, "", wrap)

    table = {name: noting(name) if each.wrap else each for name, each in strategies().items()}
    monkeypatch.setattr(registry, "_STRATEGIES", table)
    build_searcher(chosen("guided"), context())
    assert wrapped == [
        "bounds", "reachable", "turns", "speculations", "guards", "masks", "uniform", "unmet",
    ]  # fmt: skip
    wrapped.clear()
    searcher = build_searcher(chosen("guided"), context(), Budget(0.0, 1.0, None, lambda: 0.0))
    assert isinstance(searcher, AlongSeeds)
    assert wrapped == ["speculations", "guards", "masks"]


def test_a_file_among_the_modes_offers_its_searches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "newest.py").write_text(
        "from symexec.search.modes import DepthFirst\n"
        "from symexec.search.registry import mode\n\n\n"
        '@mode("newest", "the newest state")\n'
        "class Newest(DepthFirst):\n"
        '    name = "newest"\n'
    )
    package = sys.modules["symexec.search.modes"]
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    monkeypatch.setattr(registry, "_MODES", dict(registry._MODES))
    try:
        assert modes()["newest"].summary == "the newest state"
    finally:
        sys.modules.pop("symexec.search.modes.newest", None)
