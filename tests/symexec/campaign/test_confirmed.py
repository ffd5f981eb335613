"""The C compiler confirms the unified program before the search; what is no C is kept twice."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from csg.errors import ToolchainError
from csg.unify import compiled
from symexec.campaign.building import BuildJob
from symexec.options import BuildOptions

OLD = """\
static int h(int x) { return x + 1; }
int f(int x) { return h(x) * 2; }
"""


def job(folder: Path) -> BuildJob:
    old, new = folder / "old.c", folder / "new.c"
    old.write_text(OLD)
    new.write_text(OLD.replace("x + 1", "x + 2").replace("* 2", "* 3"))
    return BuildJob(BuildOptions(old, new))


def test_a_function_that_is_no_c_is_run_once_for_each_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = compiled.compile_program

    def refusing(
        sources: list[str],
        output: str,
        flags: list[str],
        command: str | None,
        cancelled: threading.Event,
    ) -> None:
        text = Path(flags[-1]).read_text()
        if "static int h__old(" not in text:
            Path(flags[-1]).write_text(text.replace("return x + change", "return nobody + change"))
        real(sources, output, flags, command, cancelled)

    monkeypatch.setattr(compiled, "compile_program", refusing)
    tried = job(tmp_path)
    tried.prepare()
    try:
        assert tried.unified is not None
        assert {each.region for each in tried.unified.fallbacks} == {"h"}
        assert "does not compile" in tried.unified.fallbacks[-1].reason
        assert "'nobody' undeclared" in tried.unified.fallbacks[-1].reason
        changes = tried.prepared.program.changes  # type: ignore[union-attr]
        # The statement of each copy, what chooses between the copies, and the one of f.
        assert [change.id for change in changes] == [1, 2, 3, 4]
        assert "h__old" in tried.unified_text
    finally:
        tried.close()


def test_a_compiler_that_never_says_yes_ends_with_both_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refusing(*_: object, cancelled: threading.Event) -> None:
        raise ToolchainError("out of memory")

    monkeypatch.setattr(compiled, "compile_program", refusing)
    tried = job(tmp_path)
    tried.prepare()
    try:
        assert tried.unified is not None
        assert [each.region for each in tried.unified.fallbacks] == ["program"]
    finally:
        tried.close()
