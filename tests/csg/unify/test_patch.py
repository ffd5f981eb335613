"""The patch, line by line, with the changes that stand on each line."""

from __future__ import annotations

from csg.frontend import parse_text
from csg.unify import unify
from csg.unify.changes.patch import (
    FilePatch,
    Patch,
    paired_files,
    patch,
    patch_form,
    patch_of_form,
)


def of_texts(old: str, new: str) -> Patch:
    return patch(unify(parse_text(old, "old.c"), parse_text(new, "new.c")))


def told(file: FilePatch) -> list[tuple[str, str, tuple[int, ...]]]:
    lines = [line for hunk in file.hunks for line in hunk]
    signs = ["-" if not line.new else " " if line.old else "+" for line in lines]
    return [(sign, line.text, line.changes) for sign, line in zip(signs, lines, strict=True)]


def test_each_changed_line_has_its_changes() -> None:
    old = "int f(int x) {\n    int y = x;\n    /* a */\n    return y;\n}\n"
    new = "int f(int x) {\n    int y = x;\n    y++;\n    /* b */\n    return y + 1;\n}\n"
    (file,) = of_texts(old, new).files
    assert (file.old, file.new) == ("old.c", "new.c")
    assert told(file) == [
        (" ", "int f(int x) {", ()),
        (" ", "    int y = x;", ()),
        ("-", "    /* a */", ()),
        ("-", "    return y;", (2,)),
        ("+", "    y++;", (1,)),
        ("+", "    /* b */", ()),
        ("+", "    return y + 1;", (2,)),
        (" ", "}", ()),
    ]


def test_a_line_that_means_something_else_belongs_to_it() -> None:
    between = "".join(f"int v{number};\n" for number in range(9))
    text = "#define N {}\n" + between + "int f(void) {{\n    return N;\n}}\n"
    (file,) = of_texts(text.format(1), text.format(2)).files
    assert (" ", "    return N;", (1,)) in told(file)
    assert ("+", "#define N 2", ()) in told(file)


def test_hunks_are_apart_where_enough_is_common() -> None:
    common = "".join(f"int v{number};\n" for number in range(30))
    old = "int f(void) { return 1; }\n" + common + "int g(void) { return 1; }\n"
    (file,) = of_texts(old, old.replace("return 1", "return 2")).files
    assert [len(hunk) for hunk in file.hunks] == [5, 5]


def test_files_of_one_name_are_paired_by_their_folders() -> None:
    old, new = ["a/x/util.c", "a/y/util.c", "gone.c"], ["b/y/util.c", "b/x/util.c"]
    assert paired_files(old, new) == [
        ("a/y/util.c", "b/y/util.c"),
        ("a/x/util.c", "b/x/util.c"),
        ("gone.c", ""),
    ]
    assert paired_files(["old.c"], ["new.c"]) == [("old.c", "new.c")]


def test_it_is_read_back_from_a_report() -> None:
    found = of_texts("int f(void) { return 1; }\n", "int f(void) { return 2; }\n")
    assert patch_of_form(patch_form(found)) == found and found.files
