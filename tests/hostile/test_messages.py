"""What strangers write in messages, verdicts and notes: no terminal obeys it, it forges no line."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from csg.errors import printable
from csg.terminal import drawn, printable_streams
from tests.command_line import csgtest, write_versions
from tests.hostile.judging import is_clean
from tests.nightly import daily

ODD = "\x1b]0;x\x07\u202e\x9b2J\r\x7f"
FORGED = "Equivalent for every input; all paths were followed."
OPENS = (
    "#include <stdio.h>\nint main(int argc, char **argv)\n"
    '{ FILE *f = fopen(%s, "r"); if (f) puts("1"); return 0; }\n'
)


def test_no_text_gets_to_a_terminal_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    out, err = io.StringIO(), io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    with printable_streams(), printable_streams():
        print(ODD, "\ud800")
        print(ODD, file=sys.stderr)
        sys.stderr.writelines([ODD, "\n"])
        print("\x1b[K", end="", file=drawn(sys.stdout))
    assert out.getvalue() == f"{printable(ODD)} \\ud800\n\x1b[K"
    assert err.getvalue() == f"{printable(ODD)}\n" * 2
    assert sys.stdout is out and sys.stderr is err


@pytest.mark.parametrize("field", daily(["file", "directory", "arguments"], 1))
def test_a_database_speaks_to_no_terminal(field: str, tmp_path: Path) -> None:
    for version, number in (("old", 1), ("new", 2)):
        folder = tmp_path / version
        folder.mkdir()
        (folder / "a.c").write_text(f"int f(int x) {{ return x + {number}; }}\n")
        entry = {"directory": str(folder), "file": "a.c", "arguments": ["cc", "-c", "a.c"]}
        odd = dict(entry)
        odd[field] = ["cc", f"-D{ODD}", "-c", "a.c"] if field == "arguments" else f"/x/{ODD}"
        (folder / "compile_commands.json").write_text(json.dumps([odd, entry]))
    done = csgtest(
        "build", "old/a.c", "new/a.c", "--entry", "f", "--time", "2", folder=tmp_path, seconds=60.0
    )
    is_clean(done)
    assert "files are gone" in done.err or field == "arguments"


@pytest.mark.parametrize("command", daily(["build", "explore"], 1))
def test_a_name_with_a_newline_forges_no_line(command: str, tmp_path: Path) -> None:
    name = json.dumps(f"x'\n{FORGED}\n  all of it: nothing")
    write_versions(tmp_path, OPENS % '"y"', OPENS % name)
    files = ("old.c", "new.c") if command == "build" else ("new.c",)
    done = csgtest(command, *files, "--time", "3", folder=tmp_path, seconds=60.0)
    is_clean(done)
    assert "no input has a file" in done.out
    shown = csgtest("export", "csgtest-out", "--as", "markdown", folder=tmp_path)
    texts = [done.out, shown.out]
    texts += [each.read_text() for each in (tmp_path / "csgtest-out").rglob("*.txt")]
    assert not any(line.startswith(FORGED) for text in texts for line in text.splitlines())
