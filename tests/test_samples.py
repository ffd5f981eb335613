"""The samples hold the errors that their comments speak of: seen natively, under the sanitizers.

Each row is a call or a command line and how it ends in the old and in the new version.
"""

from __future__ import annotations

import functools
import itertools
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

SAMPLES = Path(__file__).parent.parent / "samples"
SANITIZED = ["gcc", "-g", "-fwrapv", "-fsanitize=address,undefined", "-fno-sanitize=shift", "-w"]


FIVE = 'evaluate("let a=1;let b=1;let c=1;let d=1;let e=1;1", &(int){0})'
REQUEST = r'parse("GET / HTTP/1.0\r\nTransfer-Encoding:a\r\n\r\n")'


def compiled(source: Path, folder: Path, name: str) -> Path:
    program = folder / name
    subprocess.run([*SANITIZED, "-o", str(program), str(source)], check=True)
    return program


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], list[Path]]:
    """The programs of a sample's two files, as "marks/" or "fields/a_", compiled once."""
    folder = tmp_path_factory.mktemp("samples")

    @functools.cache
    def both(sample: str) -> list[Path]:
        return [
            compiled(
                SAMPLES / f"{sample}{version}.c", folder, f"{sample}{version}".replace("/", "-")
            )
            for version in ("old", "new")
        ]

    return both


def outcome(program: Path, arguments: list[str], stdin: bytes = b"") -> str:
    """``output/exit code``, or the kind of failure in one word."""
    done = subprocess.run(
        [str(program), *arguments], input=stdin, capture_output=True, timeout=20, check=False
    )
    if b"AddressSanitizer" in done.stderr or b"runtime error" in done.stderr:
        found = re.search(rb"AddressSanitizer: ([\w-]+)|runtime error: (\w+)", done.stderr)
        assert found is not None
        return (found[1] or found[2]).decode()
    if b"Assertion" in done.stderr:
        return "assertion"
    return f"{done.stdout.decode()}/{done.returncode}"


@pytest.mark.parametrize(
    ("sample", "call", "old", "new"),
    [
        ("cut_ranges", 'parse_ranges("0-")', "1/0", "assertion"),
        ("cut_ranges", 'parse_ranges("5-10-")', "1/0", "assertion"),
        ("cut_ranges", 'parse_ranges("3-")', "3/0", "3/0"),
        ("cut_ranges", 'parse_ranges("-0")', "1/0", "1/0"),
        ("foo", "foo(-1)", "assertion", "0/0"),
        ("foo", "foo(0)", "1/0", "assertion"),
        ("foo", "foo(-65536)", "0/0", "assertion"),
        ("foo", "foo(7)", "0/0", "0/0"),
        ("bar", "bar(-100, 105)", "assertion", "0/0"),
        ("bar", "bar(105, -100)", "0/0", "assertion"),
        ("bar", "bar(1, 2)", "0/0", "0/0"),
        ("toy", "foo(7)", "1/0", "index"),
        ("toy", "foo(8)", "1/0", "0/0"),
        ("toy", "foo(-2147483647 - 1)", "0/0", "1/0"),
        ("toy", "foo(2147483647)", "0/0", "1/0"),
        ("toy", "foo(9)", "0/0", "0/0"),
        ("commands", 'run("s1:")', "1/0", "11/0"),
        ("commands", 'run("b1:")', "1/0", "1/0"),
        ("request", REQUEST, "400/0", "201/0"),
        ("request", REQUEST.replace(":a", ":chunked"), "201/0", "201/0"),
        ("formula", FIVE, "0/0", "stack-buffer-overflow"),
        ("formula", FIVE.replace("let e=1;", ""), "1/0", "1/0"),
        ("plus_two", "next(1000)", "1001/0", "1001/0"),
        ("plus_two", "next(1001)", "1002/0", "1003/0"),
        ("endless", "settle(2)", "2/0", "3/0"),
    ],
)
def test_a_call_ends_as_the_sample_says(
    sample: str, call: str, old: str, new: str, tmp_path: Path
) -> None:
    endings = []
    for version in ("old", "new"):
        source = tmp_path / f"{version}.c"
        source.write_text(
            f'#include "{SAMPLES / sample / version}.c"\n'
            f'#include <stdio.h>\nint main(void) {{ printf("%d", {call}); return 0; }}\n'
        )
        endings.append(outcome(compiled(source, tmp_path, version), []))
    assert endings == [old, new]


@pytest.mark.parametrize(
    ("pair", "arguments", "stdin", "old", "new"),
    [
        ("a", ["-b2-", "-o:"], b"", "/0", "heap-buffer-overflow"),
        ("a", ["-b2-"], b"abc", "bc\n/0", "bc\n/0"),
        ("b", ["-b1,2", "-o:"], b"ab", "a:b\n/0", "ab\n/0"),
        ("b", ["-b1-,3", "-o:"], b"abc", "abc\n/0", "ab:c\n/0"),
        ("b", ["-b1,2"], b"ab", "ab\n/0", "ab\n/0"),
        ("c", ["-b0"], b"ab", "\n/0", "/2"),
        ("c", ["-b-1"], b"ab", "a\n/0", "/2"),
        ("c", ["-b1"], b"ab", "a\n/0", "a\n/0"),
    ],
)
def test_a_command_line_of_fields_ends_as_its_comment_says(
    pair: str,
    arguments: list[str],
    stdin: bytes,
    old: str,
    new: str,
    versions: Callable[[str], list[Path]],
) -> None:
    programs = versions(f"fields/{pair}_")
    assert [outcome(each, arguments, stdin) for each in programs] == [old, new]


@pytest.mark.parametrize(
    ("depth", "old", "new"), [(2, "1\n/0", "1\n/0"), (3, "3\n/0", "1\n/0"), (4, "4\n/0", "4\n/0")]
)
def test_a_weight_counts_by_its_depth(
    depth: int, old: str, new: str, versions: Callable[[str], list[Path]]
) -> None:
    text = b"section a{" * depth + b"weight=1;" + b"}" * depth
    assert [outcome(each, [], text) for each in versions("settings/")] == [old, new]


@pytest.mark.parametrize(
    ("arguments", "old", "new"),
    [
        (["-j", "-2", "9"], "9 columns\n/0", "heap-buffer-overflow"),
        (["-j", "9"], "9 columns\n/0", "0 columns\n/0"),
        (["-2", "9"], "9 columns\n/0", "2 columns\n/0"),
        (["-j", "-9", "2"], "range from 2\n9 columns\n/0", "range from 2\n9 columns\n/0"),
    ],
)
def test_marks_are_used_behind_their_end(
    arguments: list[str], old: str, new: str, versions: Callable[[str], list[Path]]
) -> None:
    assert [outcome(each, arguments) for each in versions("marks/")] == [old, new]


@pytest.mark.parametrize(
    ("place", "slots", "ending"),
    [
        ("old", "old", "8\n/0"),
        ("new", "old", "8\n/0"),
        ("old", "new", "8\n/0"),
        ("new", "new", "index"),
    ],
)
def test_the_shelf_breaks_when_two_files_change(
    place: str, slots: str, ending: str, tmp_path: Path
) -> None:
    shelf = SAMPLES / "shelf"
    files = [shelf / "old/main.c", shelf / place / "place.c", shelf / slots / "slots.c"]
    assert (shelf / "new/main.c").read_bytes() == files[0].read_bytes()
    whole = tmp_path / "whole"
    subprocess.run([*SANITIZED, "-o", str(whole), *map(str, files)], check=True)
    assert outcome(whole, ["9"]) == ending
    assert outcome(whole, ["8"]) == "8\n/0"


def hunks(old: str, new: str) -> list[tuple[str, str]]:
    """The replaced pieces of code, the comment at the head left out."""
    import difflib

    old_lines, new_lines = old.splitlines(keepends=True), new.splitlines(keepends=True)
    found = []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, old_lines, new_lines, False).get_opcodes():
        if tag != "equal" and a > 5:
            context = "".join(old_lines[a - 2 : a])
            found.append((context + "".join(old_lines[a:b]), context + "".join(new_lines[c:d])))
    return found


def test_neither_change_of_fields_a_does_anything_alone(tmp_path: Path) -> None:
    old = (SAMPLES / "fields" / "a_old.c").read_text()
    new = (SAMPLES / "fields" / "a_new.c").read_text()
    pieces = hunks(old, new)
    assert len(pieces) == 2
    programs = [compiled(SAMPLES / "fields" / "a_old.c", tmp_path, "old")]
    for number, (before, after) in enumerate(pieces, 1):
        assert old.count(before) == 1
        source = tmp_path / f"only_{number}.c"
        source.write_text(old.replace(before, after))
        programs.append(compiled(source, tmp_path, f"only_{number}"))
    lists = ["-b1", "-b2-", "-b-2", "-b1,3-", "-c2-", "-f2-", "-f1,3", "-b2-3,1"]
    extras: list[list[str]] = [[], ["-o:"], ["-v"], ["-v", "-o:"]]
    for choice, extra in itertools.product(lists, extras):
        ends = {outcome(program, [choice, *extra], b"a\tbc\td\n") for program in programs}
        assert len(ends) == 1, (choice, extra, ends)
