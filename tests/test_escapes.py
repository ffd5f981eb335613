"""What strangers have written moves no cursor and turns no line around, wherever it is shown."""

from __future__ import annotations

import io
import os
import pty
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csg.errors import LINES, CsgtestError, Location, printable
from csg.ir import ChangeInfo
from symexec.report.model import Report
from symexec.report.page import page
from symexec.report.table import print_report
from symexec.report.words import readable_test
from symexec.testcases import DifferenceKind, Observation, Observed, TestCase, TestInput
from tests.command_line import CSGTEST

WICKED = "\x1b]0;title\x07\x1b[2J\u202egnp.exe\u2066\x9b\x00\x7f\udc9b"


def is_harmless(text: str) -> bool:
    return all(each.isprintable() or each in LINES for each in text)


@given(st.text(st.characters(), max_size=20))
def test_what_is_left_can_be_printed(text: str) -> None:
    assert is_harmless(printable(text, LINES)) and printable(text).isprintable()
    assert printable(printable(text)) == printable(text)
    if text.isprintable():
        assert printable(text) == text


def test_what_cannot_be_printed_is_spelt_as_c_does() -> None:
    assert printable("\x1b \u202e \U000e0001 \n", LINES) == "\\x1b \\u202e \\U000e0001 \n"


def report() -> Report:
    seen = [
        Observation(
            stdout=f"{number}{WICKED}".encode("utf-8", "surrogateescape"),
            stderr=WICKED.encode("utf-8", "surrogateescape"),
            exit=number,
            files=((WICKED, WICKED.encode("utf-8", "surrogateescape")),),
            sanitizer=f"heap {WICKED}",
            report=WICKED,
        )
        for number in (1, 2)
    ]
    case = TestCase(
        "t0001",
        TestInput(args=(WICKED.encode("utf-8", "surrogateescape"),)),
        old=seen[0],
        new=seen[1],
        observed=Observed.DIFFERENT,
        kind=DifferenceKind.DIFFERENCE,
    )
    made = Report(WICKED, WICKED, name=WICKED, entry="main", tests=[case])
    made.changes = [ChangeInfo(1, "modified", WICKED, Location(WICKED, 1), None, WICKED, WICKED)]
    made.notes = [WICKED]
    return made


def test_reports_are_harmless() -> None:
    told = io.StringIO()
    print_report(report(), told)
    assert "\\x1b[2J" in told.getvalue() and is_harmless(told.getvalue())
    text = readable_test(report().tests[0], report())
    assert "\\u202egnp" in text and is_harmless(text)
    assert is_harmless(page(report(), None))


def test_messages_are_harmless() -> None:
    assert is_harmless(str(CsgtestError(WICKED, Location(WICKED, 3), WICKED)))


@pytest.mark.parametrize("words", [["unify"], ["unify", "--explain"], ["graph"]])
def test_source_text_is_harmless_on_a_terminal(words: list[str], tmp_path: Path) -> None:
    text = 'char *f(int x) { return x ? "\x1b[2J\u202e" : "b"; }\n'
    (tmp_path / "a.c").write_text(text)
    (tmp_path / "b.c").write_text(text.replace('"b"', '"\x1b[3J"'))
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*CSGTEST, *words, "a.c", "b.c", "--entry", "f"],
        cwd=tmp_path,
        stdout=theirs,
        stderr=theirs,
        stdin=subprocess.DEVNULL,
    ) as process:
        os.close(theirs)
        shown = b""
        try:
            while piece := os.read(ours, 4096):
                shown += piece
        except OSError:  # the end of a terminal
            pass
        os.close(ours)
        process.wait()
    told = shown.decode().replace("\r", "")
    assert process.returncode == 0 and is_harmless(told), told
    assert "[3J" in told or "[2J" in told
