"""Which definition gcc calls, and in which order a section has its objects, is part of a program.

    a.c  static inline int level(int x) {..}    inline int level(int x) {..}     calls b.c's now
    b.c  int level(int x) {..}                  the same

Each pair's truth is what gcc -O0 makes of it. Of flags for the linker that nothing here follows an
omission is told, and no error.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path

import pytest

from csg.frontend import parse_text
from csg.language.syntax import Linkage
from csg.programs import Versions
from csg.unify.linked import asking_linker
from csg.unify.pairs import read_pair, unify_pair
from tests.command_line import csgtest
from tests.nightly import every

MAIN = (
    '#include <stdio.h>\n%s\nint main(int n, char **v) { printf("%%d\\n", level(n)); return 0; }\n'
)
OTHER = "int level(int x) { return x + 2; }\n"
BODY = "int level(int x) { return x + 1; }"
# How a file can have a function that another file defines as well.
OWN = {
    "static": f"static {BODY}",
    "static inline": f"static inline {BODY}",
    "declared static": f"static int level(int);\ninline {BODY}",
    "inline": f"inline {BODY}",
    "inline twice": f"inline int level(int);\ninline {BODY}",
    "declared in a block": f"inline {BODY}\nint u(void) {{ extern int level(int); return 1; }}",
    "gnu_inline": f"extern inline __attribute__((gnu_inline)) {BODY}",
    "always inline": f"inline __attribute__((always_inline)) {BODY}",
    "weak": f"__attribute__((weak)) {BODY}",
    "weak by a pragma": f"#pragma weak level\n{BODY}",
    "a weak alias": f"static {BODY.replace('level', 'own')}\n"
    'int level(int x) __attribute__((weak, alias("own")));',
    "declared": "int level(int);",
}
ALIKE = "static", "static inline", "declared static"
SEEN_ELSEWHERE = frozenset({*OWN} - {*ALIKE, "always inline"})
PAIRS = [*permutations(OWN, 2)]


@dataclass(frozen=True, slots=True)
class Two:
    """The files of both versions."""

    old: dict[str, str]
    new: dict[str, str]
    flags: tuple[str, ...] = ()

    def written(self, folder: Path) -> Versions:
        for name, files in (("old", self.old), ("new", self.new)):
            (folder / name).mkdir()
            for file, text in files.items():
                (folder / name / file).write_text(text)
        return Versions(folder / "old", folder / "new", flags=self.flags)

    def differ(self, folder: Path) -> bool:
        return _output(folder / "old", self.flags) != _output(folder / "new", self.flags)


def _output(folder: Path, flags: tuple[str, ...]) -> bytes:
    words = ["gcc", "-O0", "-w", *sorted(folder.glob("*.c")), "-o", folder / "program", *flags]
    subprocess.run(words, check=True)
    return subprocess.run([folder / "program", "a"], capture_output=True, check=False).stdout


def linked(old: str, new: str) -> Two:
    return Two({"a.c": MAIN % OWN[old], "b.c": OTHER}, {"a.c": MAIN % OWN[new], "b.c": OTHER})


@pytest.mark.parametrize("kinds", every(13, PAIRS, first=1), ids=" to ".join)
def test_a_call_reaches_what_the_linker_takes(kinds: tuple[str, str], tmp_path: Path) -> None:
    old, new = kinds
    pair = linked(old, new)
    found = unify_pair(read_pair(pair.written(tmp_path).pairs()))
    if pair.differ(tmp_path):
        assert found.changes and not found.same_code
    elif {old, new} <= SEEN_ELSEWHERE or {old, new} <= {*ALIKE}:
        assert {each.function for each in found.changes} <= {"own", "u"}  # which nobody calls


SEARCHED = ("static inline", "inline"), ("gnu_inline", "static"), ("weak", "declared static")


@pytest.mark.parametrize(("old", "new"), SEARCHED)
def test_the_search_runs_what_gcc_calls(old: str, new: str, tmp_path: Path) -> None:
    linked(old, new).written(tmp_path)
    done = csgtest(
        "build", "old", "new", "--sym-args", "0", "1", "1", "--time", "5", folder=tmp_path
    )
    assert done.report["verdict"] == "different"
    reasons = {each["reason"] for each in done.report["omissions"]}
    assert reasons.isdisjoint(("attacked", "compiled", "mismatched"))
    assert "error of csgtest" not in done.out


@pytest.mark.parametrize(
    "other", [OTHER.replace("level", "mine"), "__attribute__((weak)) " + OTHER]
)
def test_a_weak_definition_of_a_file_that_does_not_differ(other: str, tmp_path: Path) -> None:
    main = MAIN % OWN["weak by a pragma"]
    pair = Two({"a.c": main, "b.c": other}, {"a.c": main, "b.c": OTHER})
    found = unify_pair(read_pair(pair.written(tmp_path).pairs()))
    assert pair.differ(tmp_path)
    assert found.changes and not found.shared


def test_an_inline_definition_that_gcc_may_call_as_well_is_told(tmp_path: Path) -> None:
    """Not where it is the one that is linked, as from a header."""
    edited = MAIN % OWN["inline"].replace("+ 1", "+ 4")
    pair = Two({"a.c": MAIN % OWN["inline"], "b.c": OTHER}, {"a.c": edited, "b.c": OTHER})
    (told,) = unify_pair(read_pair(pair.written(tmp_path).pairs())).read_otherwise
    assert told.name == "level" and "gcc may call the inline definition" in told.text
    (tmp_path / "header").mkdir()
    main = MAIN % '#include "level.h"'
    other = '#include "level.h"\nextern int level(int);\n'
    files = {"a.c": main, "b.c": other, "level.h": OWN["inline"]}
    alike = Two(files, {**files, "level.h": OWN["inline"].replace("x + 1", "1 + x")})
    found = unify_pair(read_pair(alike.written(tmp_path / "header").pairs()))
    assert not found.read_otherwise


STANDARDS = "-std=gnu17", "-std=gnu89", "-fgnu89-inline"


@pytest.mark.parametrize("flag", STANDARDS)
@pytest.mark.parametrize("words", ["inline", "extern inline", "static inline", ""])
@pytest.mark.parametrize(
    "declared", ["", "int level(int);", "extern int level(int);", "inline int level(int);"]
)
def test_a_file_defines_for_others_what_gcc_defines(words: str, declared: str, flag: str) -> None:
    if words == "static inline" and declared:
        declared = f"static {declared.removeprefix('extern ')}"
    for text in (f"{declared}\n{words} {BODY}\n", f"{words} {BODY}\n{declared}\n"):
        command = ["gcc", "-S", "-O0", "-w", flag, "-x", "c", "-", "-o", "-"]
        made = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
        (function,) = parse_text(text, "a.c", (flag,)).functions
        symbol = function.symbol
        public = symbol.linkage is Linkage.EXTERNAL and symbol.strength > 0
        assert (".globl\tlevel" in made.stdout) == public, text


def test_what_gcc_links_otherwise_is_told(tmp_path: Path) -> None:
    text = f'{BODY}\n__asm__(".weak level");\n'
    versions = [f"{text}int f(int x) {{ return level(x) + {each}; }}\n" for each in ("x", "2 * x")]
    pair = Two({"a.c": versions[0]}, {"a.c": versions[1]})
    found = unify_pair(read_pair(pair.written(tmp_path).pairs()), "f")
    assert "the linker sees 'level' otherwise" in found.unmodelled[0].text


# ------------------------------------------------------------------ sections

IN_TABLE = '__attribute__((used, section("tab")))'
WALK = (
    "#include <stdio.h>\nextern int __start_tab[], __stop_tab[];\nint main(void)\n"
    '{ for (int *p = __start_tab; p < __stop_tab; p++) printf("%d ", *p); return 0; }\n'
)
RUN = "int main(void) { return 0; }\n"
SAY = '#include <stdio.h>\nstatic void a(void) { puts("a"); } static void b(void) { puts("b"); }\n'
INIT = 'static void (*p%s)(void) __attribute__((used, section(".init_array"))) = %s;'
INNER = f"int %s(void) {{ static int x {IN_TABLE} = %s; return x; }}"
# A head, two things of which the order counts, and a main.
TABLES = {
    "static": ("", f"static int x {IN_TABLE} = 1;", f"static int y {IN_TABLE} = 2;", WALK),
    "global": ("", f"int x {IN_TABLE} = 1;", f"int y {IN_TABLE} = 2;", WALK),
    "of functions": ("", INNER % ("f", 1), INNER % ("g", 2), WALK),
    "by a macro": (
        f"#define ROW(n) static int row_##n {IN_TABLE} = n",
        "ROW(1);",
        "ROW(2);",
        WALK,
    ),
    "pointers to run": (SAY, INIT % ("a", "a"), INIT % ("b", "b"), RUN),
    "a pointer and a constructor": (
        SAY,
        INIT % ("a", "a"),
        "__attribute__((constructor)) static void c(void) { b(); }",
        RUN,
    ),
    "assembly": (
        "",
        '__asm__(".pushsection tab,\\"aw\\"\\n.long 1\\n.popsection");',
        f"int y {IN_TABLE} = 2;",
        WALK,
    ),
}
PLACES = "second", "first", "moved"


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", TABLES)
def test_the_order_in_a_section_counts_in_every_file(kind: str, place: str, tmp_path: Path) -> None:
    head, one, two, main = TABLES[kind]
    flags = ("-fno-toplevel-reorder",)
    texts = [f"{head}\n{first}\n{second}\n" for first, second in ((one, two), (two, one))]
    if place == "first":
        pair = Two({"a.c": texts[0] + main}, {"a.c": texts[1] + main}, flags)
    elif place == "second":
        pair = Two({"a.c": main, "b.c": texts[0]}, {"a.c": main, "b.c": texts[1]}, flags)
    else:
        head = head.replace("static void", "__attribute__((unused)) static void")
        old = {"a.c": main, "b.c": f"{head}\n{one}\n", "c.c": f"{head}\n{two}\n"}
        new = {"a.c": main, "b.c": f"{head}\n{two}\n", "c.c": f"{head}\n{one}\n"}
        pair = Two(old, new, flags)
    found = unify_pair(read_pair(pair.written(tmp_path).pairs()))
    assert pair.differ(tmp_path)
    assert found.changes and not found.same_code


@pytest.mark.parametrize("kind", ["static", "pointers to run"])
def test_another_order_elsewhere_is_no_change(kind: str, tmp_path: Path) -> None:
    head, one, two, main = TABLES[kind]
    more = "static int k = 1;\nstatic int l = 2;\nint *at(int n) { return n ? &k : &l; }\n"
    table = f"{head}\n{one}\n{two}\n"
    swapped = more.replace(
        "static int k = 1;\nstatic int l = 2;", "static int l = 2;\nstatic int k = 1;"
    )
    pair = Two({"a.c": main, "b.c": table + more}, {"a.c": main, "b.c": table + swapped})
    found = unify_pair(read_pair(pair.written(tmp_path).pairs()))
    assert not found.changes and not found.dissents
    assert not pair.differ(tmp_path)


def test_the_order_in_a_section_of_another_file_is_no_equality(tmp_path: Path) -> None:
    head, one, two, main = TABLES["pointers to run"]
    texts = [f"{head}\n{first}\n{second}\n" for first, second in ((one, two), (two, one))]
    Two({"a.c": main, "b.c": texts[0]}, {"a.c": main, "b.c": texts[1]}).written(tmp_path)
    done = csgtest("build", "old", "new", "--time", "4", folder=tmp_path)
    assert done.report["verdict"] in ("different", "no-difference-found"), done.out
    assert any("'.init_array'" in each["text"] for each in done.report["omissions"])


# ------------------------------------------------------------------ flags of linkers

CALLING = "int measure(int);\n" + MAIN.replace("level", "measure") % ""
MEASURE = "int measure(int x) { return x + %d; }\n"
WRAPPING = "int __real_measure(int);\nint __wrap_measure(int x) { return %s; }\n"
WRAPPED = {
    "what stands for it": (WRAPPING % "__real_measure(x)", WRAPPING % "__real_measure(x) + x"),
    "what is never called": (MEASURE % 1 + WRAPPING % "7", MEASURE % 2 + WRAPPING % "7"),
}


@pytest.mark.parametrize("kind", WRAPPED)
def test_a_wrapped_function_is_an_omission_and_no_error(kind: str, tmp_path: Path) -> None:
    old, new = WRAPPED[kind]
    if "measure(int x) { return x" not in old:
        old, new = MEASURE % 1 + old, MEASURE % 1 + new
    flags = ("-Wl,--wrap=measure",)
    pair = Two({"a.c": CALLING, "b.c": old}, {"a.c": CALLING, "b.c": new}, flags)
    pair.written(tmp_path)
    words = ["build", "old", "new", "--sym-args", "0", "1", "1", "--time", "5", "--", *flags]
    done = csgtest(*words, folder=tmp_path)
    expected = "different" if pair.differ(tmp_path) else "no-difference-found"
    assert done.report["verdict"] == expected, done.out
    assert "error of csgtest" not in done.out
    (told,) = [each for each in done.report["omissions"] if "--wrap=measure" in each["text"]]
    assert told["reason"] == "compiled"


@pytest.mark.parametrize(
    ("flags", "asked"),
    [
        (["-Wl,--wrap=f,-z,relro"], ["--wrap=f"]),
        (["-Wl,--wrap", "-Wl,f"], ["--wrap=f"]),
        (["-Xlinker", "--defsym=f=g"], ["--defsym=f=g"]),
        (["-Wl,-z,muldefs", "-Wl,-Bsymbolic"], ["-z muldefs", "-Bsymbolic"]),
        (["-T", "script.ld"], ["-Tscript.ld"]),
        (["-Wl,--allow-multiple-definition"], ["--allow-multiple-definition"]),
        (["-Wl,-rpath,lib", "-Wl,-z,relro,-z,now", "-Wl,--as-needed", "-Wl,--gc-sections"], []),
        (["-Wl,-O1,--sort-common", "-Wl,-soname,libf.so", "-Wl,-Map=f.map", "-O2", "-DTAB"], []),
    ],
)
def test_flags_that_ask_for_other_definitions(flags: list[str], asked: list[str]) -> None:
    assert [*asking_linker(flags)] == asked


def test_flags_about_other_names_and_the_same_text_are_no_omission(tmp_path: Path) -> None:
    old, new = (
        {"a.c": CALLING, "b.c": MEASURE.replace("x + %d", each)} for each in ("x + 1", "1 + x")
    )
    for number, (before, after, flag) in enumerate(
        [(old, new, "-Wl,--wrap=other"), (old, old, "-Wl,--wrap=measure")]
    ):
        (tmp_path / str(number)).mkdir()
        pair = Two(before, after, (flag,))
        found = unify_pair(read_pair(pair.written(tmp_path / str(number)).pairs()))
        assert not found.read_otherwise
