"""Source text that is shown is text that the compiler has read, at the line where it stands."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csg.frontend.files import parse_file, preprocess_files
from csg.frontend.sources import (
    LARGEST,
    joined,
    lines_left_out,
    lines_of,
    lines_without_comments,
    segments,
    without_comments,
)
from csg.frontend.tokens import tokenize
from csg.language.syntax import TranslationUnit
from csg.programs import SourceFile
from csg.toolchain import preprocess
from tests.nightly import examples


def read(folder: Path, text: str, name: str = "a.c") -> TranslationUnit:
    (folder / name).write_text(text)
    return parse_file(folder / name)


def made(folder: Path, kind: str) -> str:
    """A name that ``#line`` may not make anybody open."""
    place = folder / kind
    match kind:
        case "fifo":
            os.mkfifo(place)
        case "folder":
            place.mkdir()
        case "secret":
            place.write_text("password\n" * 9)
        case "link":
            (folder / "behind").write_text("password\n" * 9)
            place.symlink_to("behind")
        case "large":
            with place.open("wb") as stream:
                stream.truncate(LARGEST + 1)
        case _:
            return kind
    return str(place)


@pytest.mark.parametrize(
    "kind", ["/dev/zero", "fifo", "folder", "secret", "link", "large", "nowhere", "/proc/kmsg"]
)
def test_a_line_directive_opens_no_file(kind: str, tmp_path: Path) -> None:
    name = made(tmp_path, kind)
    unit = read(tmp_path, f'#line 3 "{name}"\nint f(int x) {{\n    return x;\n}}\n')
    assert unit.sources[name] == ["", "", "int f(int x) {", "    return x;", "}"]


def test_lines_are_shown_where_directives_say_that_they_are(tmp_path: Path) -> None:
    text = """int a;
#line 5
int b;
#if 0
#line 90 "left-out"
#endif
# 2 "other.y"
int c;
"""
    unit = read(tmp_path, text)
    own = str(tmp_path / "a.c")
    assert unit.sources[own] == ["int a;", "", "", "", "int b;", *text.splitlines()[3:6]]
    assert unit.sources["other.y"] == ["", "int c;"]


def test_of_two_texts_for_one_line_neither_is_shown(tmp_path: Path) -> None:
    unit = read(tmp_path, '#line 1 "x"\nint a;\nint c;\n#line 1 "x"\nint b;\n')
    assert unit.sources["x"] == ["", "int c;"]


def test_a_line_that_is_far_away_has_no_text(tmp_path: Path) -> None:
    unit = read(tmp_path, '#line 2000000000 "x"\nint f(void) { return 1; }\n')
    assert len(unit.sources["x"]) < 1 << 20


def test_headers_are_files_that_the_compiler_has_read(tmp_path: Path) -> None:
    """With names as make has to spell them."""
    for name in ("with space.h", "hash#.h", "dollar$.h", "back\\slash.h"):
        (tmp_path / name).write_text("int known;\n")
        unit = read(tmp_path, f'#include "{name}"\nint f(void) {{ return known; }}\n')
        assert [lines for file, lines in unit.sources.items() if file.endswith(".h")] == [
            ["int known;"]
        ], name


def test_the_files_that_were_read_are_known(tmp_path: Path) -> None:
    (tmp_path / "own.h").write_text("#include <stddef.h>\n")
    (tmp_path / "a.c").write_text('#include "own.h"\nint a;\n')
    (text,) = preprocess_files([SourceFile(tmp_path / "a.c", ())])
    assert {str(tmp_path / "a.c"), str(tmp_path / "own.h")} < set(text.read)
    assert any(each.endswith("stddef.h") for each in text.read)


def test_lines_that_take_the_compilers_name_are_the_users(tmp_path: Path) -> None:
    unit = read(tmp_path, '#line 1 "<built-in>"\nint f(int x) {\n    return x;\n}\n')
    assert [each.symbol.name for each in unit.functions] == ["f"]
    assert "<command-line>" not in unit.sources


TABLE = """\
#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>
#define OWN(x) (x + INT8_MAX)
struct row { bool a, b; int16_t c; char *d; } rows[] = {
    {true, false, INT16_MAX, NULL}, {false, true,
     INT16_MIN, NULL},
    {true, INT8_MIN, OWN(INT8_MIN), "# 5 \\"a.c\\" 3 4"},
};
#pragma pack(1)
_Bool last = OWN(
    true
) ==
#line 3
 false; int next = true;
_Pragma("GCC poison other") size_t more = INT8_MAX; _Pragma("pack()")
int *none = NULL;
"""


def test_tokens_stand_where_they_stood_when_lines_are_joined(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(TABLE)
    text = preprocess(os.fspath(tmp_path / "a.c"))

    def tokens(text: str) -> list[tuple[str, str, int, str]]:
        return [(t.type, t.value, t.lineno, t.filename) for t in tokenize(text, "a.c")]

    made = joined(text)
    assert tokens(made) == tokens(text)
    assert len(list(segments(made))) < len(list(segments(text))) - 20
    assert joined(made) == made
    (only,) = preprocess_files([SourceFile(tmp_path / "a.c", ())])
    assert len(only.text) < len(text)


PIECES = (
    *("/*", "*/", "//", "\\", "\n", "\\\n", '"', "'", "\\'", '\\"', 'R"('),
    *("\r", "\r\n", "\f", "\v", "\x1c", "\x85", "\u2028", "\udc81", "??/", " ", "a", ""),
    *("#if A", "#ifdef X", "#else", "#endif", "#line 3"),
)
TEXTS = st.lists(st.sampled_from(PIECES), max_size=20).map("".join)


@examples(400)
@given(TEXTS)
def test_comments_that_go_leave_each_line(text: str) -> None:
    assert without_comments(text).count("\n") == text.count("\n")
    lines = lines_of(text)
    assert len(lines_without_comments(lines)) == len(lines)


@examples(400)
@given(st.lists(TEXTS, max_size=6))
def test_lines_of_any_text_stay_as_many_as_they_are(lines: list[str]) -> None:
    assert len(lines_without_comments(lines)) == len(lines)


@examples(20)
@given(st.lists(TEXTS, max_size=6))
def test_only_lines_that_there_are_can_be_left_out(lines: list[str]) -> None:
    """A file that nobody may read has no lines at all."""
    assert all(1 <= each <= len(lines) for each in lines_left_out("a.c", lines))


@pytest.mark.parametrize(
    ("text", "left_out"),
    [
        ("#if 0\nint a;\n#endif\n", {2}),
        ("// \\\n#if 0\nint a;\n// \\\n#endif\n", set()),
        ("/*\n#if 0\n*/\nint a;\n", set()),
        ("#if 0 /*\n*/\nint a;\n#endif\n", {2, 3}),
    ],
)
def test_lines_of_a_branch_that_is_not_taken_are_left_out(text: str, left_out: set[int]) -> None:
    assert lines_left_out("a.c", lines_of(text)).keys() == left_out
