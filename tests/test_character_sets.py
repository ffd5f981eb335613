"""Flags that say in which character sets sources and programs are: no verdict relies on others, and
no test is called an error of csgtest. The truth is what gcc's binaries do on every byte."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from symexec.ledger import Verdict
from tests.command_line import csgtest, differing
from tests.nightly import every

PROGRAM = """
#include <wchar.h>
int main(int argc, char **argv)
{{
    if (argc < 2)
        return 0;
    unsigned char c = argv[1][0];
    return {};
}}
"""
EQUAL = (Verdict.NO_CHANGE, Verdict.EQUIVALENT_WITHIN_BOUNDS)
# What the versions return, with a flag.
PAIRS = {
    "EBCDIC": ("-fexec-charset=IBM1047", "c == 'a'", "c == 'A'"),
    "EBCDIC as a number": ("-fexec-charset=IBM1047", "c == 'a'", "c == 97"),
    "EBCDIC as another number": ("-fexec-charset=IBM1047", "c == 'a'", "c == 0x81"),
    "a newline of EBCDIC": ("-fexec-charset=IBM1047", "c == '\\n'", "c == 0x15"),
    "a text of EBCDIC": ("-fexec-charset=IBM1047", 'c == "xy"[1]', "c == 'y' && 'y' < 'z'"),
    "Latin-1": ("-fexec-charset=LATIN1", 'sizeof "é" == 2', 'sizeof "é" == 3'),
    "a letter of Latin-1": ("-fexec-charset=LATIN1", 'c == (unsigned char) "é"[0]', "c == 0xe9"),
    "wide, of two bytes": ("-fwide-exec-charset=UTF-16LE", 'L"é"[0] == 0xe9 && c == 1', "c == 1"),
    "wide, highest first": ("-fwide-exec-charset=UTF-32BE", "L'a' == 97 && c == 1", "c == 1"),
    "sources in Latin-1": ("-finput-charset=LATIN1", 'c == (unsigned char) "é"[0]', "c == 0xe9"),
    "sources in Latin-1, alike": (
        "-finput-charset=LATIN1",
        'c == (unsigned char) "é"[0]',
        'c == (sizeof "é" == 3 ? 0xc3 : 0xe9)',
    ),
}  # fmt: skip


def differs(folder: Path, flag: str) -> bool:
    seen = []
    for version in ("old", "new"):
        made = folder / f"{version}.exe"
        subprocess.run(["gcc", "-w", flag, folder / f"{version}.c", "-o", made], check=True)
        codes = [subprocess.run([bytes(made), bytes([c])], check=False) for c in range(1, 256)]
        seen.append([each.returncode for each in codes])
    return seen[0] != seen[1]


@pytest.mark.parametrize("pair", every(6, PAIRS))
def test_verdicts_with_character_sets(pair: str, tmp_path: Path) -> None:
    flag, *versions = PAIRS[pair]
    encoding = "latin-1" if "input" in flag else "utf-8"
    for name, returned in zip(("old", "new"), versions, strict=True):
        (tmp_path / f"{name}.c").write_bytes(PROGRAM.format(returned).encode(encoding))
    done = csgtest("build", "old.c", "new.c", "--time", "6", "--", flag, folder=tmp_path)
    assert "error of csgtest" not in done.out
    verdict, apart = done.report["verdict"], differs(tmp_path, flag)
    assert not (apart and verdict in EQUAL)
    assert apart or not differing(done.report)
    if "input" in flag:  # preprocessed text is in UTF-8, whatever the sources are in
        assert verdict == Verdict.DIFFERENT if apart else verdict in EQUAL
