"""A public function of a library that has another name in the new version: its users no longer
link. What nobody outside can name may have any name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import csgtest, write_versions

OTHER = "int other(int x) { return x + 1; }\n"
HALF = "KIND NAME(int a) { return a / 2; }\n"


def library(folder: Path, kind: str, rest: str = OTHER) -> None:
    texts = (HALF.replace("KIND", kind).replace("NAME", name) + rest for name in ("half", "halve"))
    for side, text in zip(("old", "new"), texts, strict=True):
        used = text.replace("x + 1", f"{'half' if side == 'old' else 'halve'}(x)")
        (folder / side).mkdir()
        (folder / side / "x.c").write_text(used)


@pytest.mark.parametrize("given", [("old", "new"), ("old/x.c", "new/x.c")])
def test_a_public_name_that_is_gone_is_said(given: tuple[str, str], tmp_path: Path) -> None:
    library(tmp_path, "int")
    done = csgtest("build", *given, folder=tmp_path)
    assert done.code == 2 and "half: only the old version has it" in done.out + done.err, done
    assert "the same" not in done.out


def test_a_static_function_may_have_any_name(tmp_path: Path) -> None:
    library(tmp_path, "static int")
    done = csgtest("build", "old", "new", folder=tmp_path)
    assert done.code == 0 and "not tested" not in done.out + done.err, done


def test_a_program_may_name_its_functions_as_it_likes(tmp_path: Path) -> None:
    text = HALF.replace("KIND", "int") + "int main(int n, char **v) { (void) v; return NAME(n); }\n"
    write_versions(tmp_path, text.replace("NAME", "half"), text.replace("NAME", "halve"))
    done = csgtest("build", "old.c", "new.c", folder=tmp_path)
    assert done.code == 0 and done.report["verdict"] == "no-change", done
