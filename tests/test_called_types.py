"""A call has a type of its own: what a header, a declaration, or a pointer says of the function.

    long strtol(); return strtol(s, 0, 10);  |  int strtol(); return strtol(s, 0, 10);

gcc takes the result as the call says, and passes arguments so. A header may also let a name stand
for another function: basename of <libgen.h> is __xpg_basename. What gcc's code does is the truth.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import csgtest, version_of, write_versions
from tests.nightly import every

EQUAL = ("no-change", "equivalent-within-bounds")
NUMBERS = (0, 1, 2, 5, 127, 128, 256, 257, 65536, 1 << 31, 1 << 32, 5 << 32, -1, -256, -(1 << 40))

# A function of the type RESULT g(ARGUMENT), called as another one.
WAYS = {
    "a pointer": "fn p = (fn) g; return p(x);",
    "a cast in the call": "return ((fn) g)(x);",
    "a table": "static const fn all[] = {(fn) g, (fn) g}; return all[x & 1](x);",
    "a parameter": "return run((fn) g, x);",
}
WHOLE = ("long", "int", "short", "unsigned char")  # each one's low bits are the next one
TYPES = (*WHOLE, "_Bool", "double", "void *")
POINTED = """\
static RESULT g(ARGUMENT x) { return (RESULT) (long) (x * 3); }
typedef ⟨RESULT | CALLED⟩ (*fn)(⟨ARGUMENT | GIVEN⟩);
static long run(fn p, long x) { return (long) p(x); }
long f(long x) { WAY }
"""
# A function of the library, declared otherwise in one version.
DECLARED = {
    "int for long": "⟨long | int⟩ labs(long); long f(long x) { return labs(x); }",
    "a byte for int": "⟨int | unsigned char⟩ abs(int); long f(long x) { return abs(x); }",
    "long for int": "⟨int | long⟩ abs(int); long f(long x) { return abs(x); }",
    "a truth value": "⟨int | _Bool⟩ isalpha(int); long f(long x) { return isalpha(x & 127); }",
    "a model in Python": "⟨unsigned long | signed char⟩ strlen(const char *);"
    " long f(long x) { char b[301]; for (int i = 0; i < 300; i++) b[i] = 1 + (i == 150 - (x == 5));"
    " b[300] = 0; b[200 - (x == 2)] = 0; return strlen(b); }",
    "no header": "⟨#include <stdlib.h>\n | ⟩"
    'long f(long x) { return atoll(x > 3 ? "5000000000" : "7"); }',
    "no header for a builtin": "⟨#include <stdlib.h>\n | ⟩long f(long x) { return labs(x); }",
    "no header for a fraction": "⟨#include <stdlib.h>\n | ⟩"
    'long f(long x) { return x > 3 ? atof("2.5") : 1; }',
    "an old definition": "static long g⟨(int x) | (x) int x;⟩ { return x > 5; }"
    " long f(long x) { return g((double) (x & 15)); }",
    "declared behind the call": "⟨int g(double); | ⟩long f(long x) { return g(x & 7); }"
    " int g(double x) { return x > 2; }",
    "fewer arguments": "static long g(a, b) long a, b; { return a + b; }"
    " long f(long x) { return ⟨g(x, 3L) | g(x)⟩; }",
    "more arguments": "static long g(a) long a; { return a; }"
    " long f(long x) { return ⟨g(x) | g(x, 3L)⟩; }",
}
# Calls of another type that gcc makes as it would make the right ones.
FITTING = {
    "old declarations": "⟨#include <string.h>\n#include <stdlib.h>\n"
    " | int strcmp(); char *strchr(); void free(); void *malloc(unsigned long);\n⟩"
    'long f(long x) { char *p = malloc(4); if (!p) return 1; p[0] = "ab"[x & 1]; p[1] = 0;'
    " long n = strcmp(p, \"b\") ⟨!= 0 | ? 1 : 0⟩; n += strchr(p, 'a') != 0; free(p); return n; }",
    "a printer without a header": '⟨#include <stdio.h>\n | ⟩long f(long x) { printf("%ld %d\\n", x,'
    " ⟨(int) x & 7 | 7 & (int) x⟩); return 0; }",
    "a comparator of other pointers": "#include <stdlib.h>\n#include <string.h>\n"
    "static int order(⟨const void *a, const void *b | const char *a, const char *b⟩)"
    " { return *(const char *) a - *(const char *) b; }\n"
    'long f(long x) { char t[] = "cab"; t[0] += x & 3;'
    " qsort(t, 3, 1, (int (*)(const void *, const void *)) order); return t[x & 1]; }",
    "a result of another pointer": "static ⟨char | void⟩ *g(⟨char | void⟩ *p) { return p; }"
    " typedef void *(*fn)(void *); long f(long x) { char c = x; fn p = (fn) g;"
    " return *(char *) p(&c); }",
    "a result that nobody takes": "static void g(long *p) { ++*p; }"
    " typedef ⟨void | int⟩ (*fn)(long *); long f(long x) { ((fn) g)(&x); return x; }",
    "an old definition": "static long g⟨(long a, int b) | (a, b) long a; int b;⟩ { return a ^ b; }"
    " long f(long x) { return g(x, (int) x); }",
    "a narrow argument": "static int g(⟨char | signed char⟩ c) { return c; }"
    " typedef int (*fn)(signed char); long f(long x) { fn p = (fn) g; return p(x); }",
}
# Programs with macros that let a name stand for another function, and how they are called.
LABELS: dict[str, tuple[str, str, list[list[str]], str]] = {
    "getopt": (
        "#include <stdio.h>\n#include <unistd.h>\n",
        "int c, n = 0; opterr = 0; while ((c = getopt(argc, argv, \"a\")) != -1) n += c == 'a';"
        " return n * 10 + argc - optind;",
        [["x", "-a"]],
        "_POSIX_C_SOURCE 200809L",
    ),
    "signal": (
        "#include <signal.h>\n#include <stdio.h>\n"
        "static void h(int s) { putchar(s == SIGUSR1 ? 'h' : 'H'); fflush(stdout); }\n",
        "signal(SIGUSR1, h); raise(SIGUSR1); if (argc > 1) raise(SIGUSR1); return 0;",
        [["x"]],
        "_XOPEN_SOURCE 700",
    ),
    "strerror_r": (
        "#include <stdio.h>\n#include <string.h>\n",
        'char b[64] = "q"; (void) !strerror_r(argc, b, sizeof b); return b[0];',
        [[]],
        "_GNU_SOURCE",
    ),
    "sscanf": (
        "#include <stdio.h>\n",
        'int n = 0; return argc > 1 ? sscanf(argv[1], "%2d", &n) + n : 0;',
        [["12"], ["-5"]],
        "_GNU_SOURCE",
    ),
    "open": (
        "#include <fcntl.h>\n#include <unistd.h>\n",
        'return open("/dev/null", O_RDONLY) < 0 ? argc : 0;',
        [[], ["x"]],
        "_FILE_OFFSET_BITS 64",
    ),
}


def pointed() -> list[Any]:
    """All ways, with results and arguments of other types in turn."""
    pairs = [
        *((one, other, "long", "long") for one, other in product(TYPES, TYPES) if one != other),
        *(("long", "long", one, other) for one, other in product(TYPES, TYPES) if one != other),
    ]
    ways = [*WAYS]
    return [(ways[at % len(ways)], *each) for at, each in enumerate(pairs) if is_compiled(*each)]


def is_compiled(result: str, called: str, argument: str, given: str) -> bool:
    """Would gcc compile it? A pointer is no operand of a multiplication."""
    return "void *" not in (argument, given) and not {"void *", "double"} <= {result, called}


def shown(folder: Path, text: str, calls: Sequence[Sequence[str]] = ((),)) -> list[object]:
    """What a program shows with these arguments."""
    file = folder / "called.c"
    file.write_text(text)
    subprocess.run(["gcc", "-w", "-O0", "-o", folder / "called", file], check=True)
    words: list[list[str | Path]] = [[folder / "called", *each] for each in calls]
    runs = [subprocess.run(each, check=False, capture_output=True) for each in words]
    return [(each.returncode, each.stdout) for each in runs]


def caller(text: str) -> str:
    """The text with a program that calls ``f`` with all numbers."""
    calls = " ".join(f"show(f({each}L));" for each in NUMBERS)
    show = 'static void show(long n) { extern int printf(const char *, ...); printf("%ld\\n", n); }'
    return f"{text}\n{show}\nint main(void) {{ {calls} return 0; }}\n"


def verdict(folder: Path, old: str, new: str, *words: str) -> str:
    write_versions(folder, old, new)
    words = (*words, "--time", "6", "--attack", "0")
    done = csgtest("build", "old.c", "new.c", *words, folder=folder)
    assert "error of csgtest" not in done.out and "internal error" not in done.err
    return str(done.report["verdict"])


def check(folder: Path, text: str, is_equal: bool = False, is_definite: bool = False) -> None:
    """Versions that differ are not called equal, and found different where all ``is_definite``.
    ``is_equal``: they have to be called equal."""
    old, new = (version_of(text, which) + "\n" for which in (0, 1))
    apart = shown(folder, caller(old)) != shown(folder, caller(new))
    said = verdict(folder, old, new, "--entry", "f")
    assert said not in EQUAL or not apart, said
    assert said == "different" or not (apart and is_definite), said
    assert not is_equal or (not apart and said in EQUAL), said


@pytest.mark.parametrize("member", every(40, pointed(), 3), ids="-".join)
def test_a_function_is_called_as_the_pointer_says(member: Any, tmp_path: Path) -> None:
    way, result, called, argument, given = member
    text = POINTED.replace("WAY", WAYS[way]).replace("RESULT", result).replace("CALLED", called)
    text = text.replace("ARGUMENT", argument).replace("GIVEN", given)
    whole = {result, called, argument, given} <= {*WHOLE}
    is_definite = whole and WHOLE.index(called) >= WHOLE.index(result)
    check(tmp_path, text, is_definite=is_definite)


@pytest.mark.parametrize("name", every(6, DECLARED))
def test_a_function_is_called_as_its_declaration_says(name: str, tmp_path: Path) -> None:
    check(tmp_path, DECLARED[name])


@pytest.mark.parametrize("name", every(4, FITTING))
def test_calls_that_fit_are_equivalent(name: str, tmp_path: Path) -> None:
    check(tmp_path, FITTING[name], is_equal=True)


@pytest.mark.parametrize("name", every(5, LABELS))
def test_a_name_is_the_function_that_the_header_says(name: str, tmp_path: Path) -> None:
    head, body, calls, macro = LABELS[name]
    # The second version says the same in other words, and defines the macro.
    old, new = (
        f"{define}{head}int main(int argc, char **argv) {{ {words} {body} }}\n"
        for define, words in (("", ""), (f"#define {macro}\n", "argc += 0;"))
    )
    apart = shown(tmp_path, old, calls) != shown(tmp_path, new, calls)
    assert (verdict(tmp_path, old, new) in EQUAL) is not apart
