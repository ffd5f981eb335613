"""Searches and strategies by name; the recipe for a new one, as the documents give it."""

from __future__ import annotations

import re
import sys
import textwrap
from pathlib import Path

import pytest

import cli
from csg.errors import UsageError
from symexec.search import modes as folder
from symexec.search import registry
from symexec.search.registry import ALL, chosen, described, modes, strategies, variant
from tests.command_line import csgtest, pair

ROOT = Path(__file__).parents[3]


def recipe() -> str:
    """The class that docs/architecture.md shows."""
    text = (ROOT / "docs" / "architecture.md").read_text()
    found = re.search(r"- \*A search\*.*?```python\n(.*?)```", text, re.DOTALL)
    assert found is not None
    return textwrap.dedent(found[1])


def test_a_search_made_after_the_recipe_is_the_one_that_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    called = tmp_path / "called"
    noting = "        chosen = min("
    code = recipe()
    assert noting in code
    note = f"        open({str(called)!r}, 'a').write('.')\n"
    (tmp_path / "fewest_forks.py").write_text(code.replace(noting, note + noting))
    monkeypatch.setattr(registry, "_MODES", modes())
    monkeypatch.setattr(folder, "__path__", [*folder.__path__, str(tmp_path)])
    words = [*map(str, pair("foo")), "--range", "x=-100..100", "--no-replay", "--json"]
    out = ["--out", str(tmp_path / "out"), "--quiet"]
    try:
        assert cli.main(["build", *words, *out, "--mode", "fewest-forks"]) == 0
    finally:
        sys.modules.pop(f"{folder.__name__}.fewest_forks", None)
    assert '"mode": "fewest-forks"' in capsys.readouterr().out
    assert len(called.read_text()) > 3
    called.unlink()
    cli.main(["build", *words, *out])
    assert not called.exists()


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("--mode", "guidde"), "did you mean guided?"),
        (("--without", "turn"), "did you mean turns?"),
        (("--mode", "best"), "published"),
    ],
)
def test_names_that_nobody_has_are_refused(
    words: tuple[str, ...], hint: str, tmp_path: Path
) -> None:
    done = csgtest("build", *pair("foo"), *words, folder=tmp_path)
    assert done.code == 2 and words[1] in done.err and hint in done.err


def test_help_and_documents_have_every_name_with_a_summary(tmp_path: Path) -> None:
    shown = " ".join(csgtest("build", "--help", folder=tmp_path).out.split())
    documents = (ROOT / "docs" / "comparing-searches.md").read_text()
    for table in (modes(), strategies()):
        for name, each in table.items():
            assert f"{name} ({each.summary})" in shown
            assert f"| `{name}` |" in documents
    assert described()["modes"] in shown


def test_all_strategies_of_a_search_exist() -> None:
    for each in modes().values():
        assert set(each.strategies) <= strategies().keys()
        assert len(set(each.strategies)) == len(each.strategies)


def test_what_is_left_out_is_not_there_and_the_rest_keeps_its_order() -> None:
    all_of_them = chosen("guided").strategies
    some = chosen("guided", ("turns", "masks")).strategies
    assert some == tuple(each for each in all_of_them if each not in ("turns", "masks"))
    assert chosen("guided", (ALL,)).strategies == ()


def test_a_strategy_is_added_next_to_the_search_s_own_searcher() -> None:
    every = chosen("guided").strategies
    assert chosen("guided+uncovered").strategies == (*every, "uncovered")
    assert chosen("guided+uncovered", (ALL,)).strategies == ("uncovered",)
    assert chosen("guided+turns").strategies == every


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


@pytest.mark.parametrize(
    "text",
    ["guide", "guided-gards", "breadth", "guided--turns", "guided+x", "guided+all", "guided+"],
)
def test_a_word_that_means_none_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is called"):
        variant(text)
