"""``--mode`` and ``--without`` on the command line; the recipe for a new search, as documented."""

from __future__ import annotations

import re
import sys
import textwrap
from pathlib import Path

import pytest

import cli
from symexec.search import modes as folder
from symexec.search import registry
from symexec.search.registry import described, modes
from tests.command_line import pair

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
    words: tuple[str, ...], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["build", *map(str, pair("foo")), *words]) == 2
    said = capsys.readouterr().err
    assert words[1] in said and hint in said


def test_the_help_text_has_every_name_with_its_summary(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["build", "--help"])
    shown = " ".join(capsys.readouterr().out.split())
    assert all(text in shown for text in described().values())
