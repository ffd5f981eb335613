"""Sources are read with the macros of the compiler; where they are others, it is admitted."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from csg.frontend.files import HEADERS
from csg.programs import Versions
from csg.toolchain import names_defined_otherwise, preprocess_text
from csg.unify.pairs import read_pair, unify_pair

STANDARD = (
    "assert", "ctype", "errno", "fenv", "float", "inttypes", "iso646", "limits", "locale", "math",
    "setjmp", "signal", "stdalign", "stdarg", "stdbool", "stddef", "stdint", "stdio", "stdlib",
    "stdnoreturn", "string", "time", "wchar", "wctype",
)  # fmt: skip
POSIX = ("fcntl", "getopt", "libgen", "pthread", "regex", "strings", "sys/stat", "unistd")
# The clock stands still, and an assertion is one expression.
MODELLED = {"__DATE__", "__TIME__", "__TIMESTAMP__", "assert", "assert_perror", "CSGTEST_ASSERT_H"}


def macros(text: str) -> set[str]:
    return {line for line in text.splitlines() if line.startswith("#define ")}


def names(lines: set[str]) -> set[str]:
    return {line.split()[1].partition("(")[0] for line in lines}


@pytest.mark.parametrize("first", ["", "#define _GNU_SOURCE\n", "#define NDEBUG\n"])
@pytest.mark.parametrize("flags", [(), ("-std=c99",), ("-std=c11", "-D_XOPEN_SOURCE=700")])
def test_macros_are_those_of_the_compiler(first: str, flags: tuple[str, ...]) -> None:
    text = first + "".join(f"#include <{name}.h>\n" for name in (*STANDARD, *POSIX))
    ours = macros(preprocess_text(text, "text.c", ("-dM", *flags), None, HEADERS))
    command = ["cc", "-E", "-dM", *flags, "-x", "c", "-"]
    done = subprocess.run(command, input=text, text=True, capture_output=True, check=True)
    theirs = macros(done.stdout)
    assert len(theirs) > 2000 or flags
    assert names(ours ^ theirs) <= MODELLED


@pytest.mark.parametrize(
    ("flags", "text", "admitted"),
    [
        (("-O2",), "#ifdef __NO_INLINE__\n", "__NO_INLINE__"),
        (("-O2", "-D_FORTIFY_SOURCE=2"), "#if _FORTIFY_SOURCE > 0\n", "_FORTIFY_SOURCE"),
        (("-Ofast",), "#ifdef __FAST_MATH__\n", "__FAST_MATH__"),
        (("-O2",), "#ifdef __OPTIMIZE__\n", ""),
        (("-Os",), "#ifdef __OPTIMIZE_SIZE__\n", ""),
        (("-O0",), "#ifdef __NO_INLINE__\n", ""),
        ((), "#ifdef _FORTIFY_SOURCE\n", ""),
    ],
)
def test_a_file_that_asks_for_a_name_of_optimisation(
    flags: tuple[str, ...], text: str, admitted: str, tmp_path: Path
) -> None:
    for version, value in (("old", 1), ("new", 2)):
        body = f"{text}    return {value};\n#endif\n    return 3;\n"
        (tmp_path / f"{version}.c").write_text(f"int main(void)\n{{\n{body}}}\n")
    files = Versions(tmp_path / "old.c", tmp_path / "new.c", flags=flags).pairs()
    found = unify_pair(read_pair(files)).read_otherwise
    assert {each.text.split("'")[1] for each in found} == ({admitted} if admitted else set())
    assert all(each.location.line == 3 for each in found)


def test_calls_are_computed_where_the_compiler_has_builtins(tmp_path: Path) -> None:
    text = '#include <string.h>\nint f(void)\n{\n    return strcmp("a", "c");\n}\n'
    (tmp_path / "old.c").write_text(text)
    (tmp_path / "new.c").write_text(text.replace('"c"', '"d"'))
    found = {}
    for flags in ((), ("-fno-builtin",), ("-ffreestanding",)):
        files = Versions(tmp_path / "old.c", tmp_path / "new.c", flags=flags).pairs()
        found[flags] = unify_pair(read_pair(files), "f").read_otherwise
    assert [len(each) for each in found.values()] == [0, 2, 2]


def test_without_optimisation_no_name_differs() -> None:
    assert names_defined_otherwise(()) == names_defined_otherwise(("-O2", "-O0")) == frozenset()
