"""What is only written to is found by its uses, and what stands there before means nothing."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from itertools import product
from pathlib import Path

import pytest

from csg.analysis.nullness import functions_of
from csg.analysis.output_buffers import output_buffers
from csg.frontend import parse_text

HEADER = """
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
struct place { char *at; };
static char *put(char *p, int c) { *p++ = (char) c; return p; }
static void put_all(char *p, const char *s) { while ((*p++ = *s++)) ; }
static int first(const char *p) { return *p; }
static void inner(char *p, int n) { if (n > 0) *p = 'i'; else put(p, 'j'); }
static void print(char *p, const char *format, ...)
{ va_list list; va_start(list, format); vsprintf(p, format, list); va_end(list); }
"""
WRITES = (  # of what ``out`` leads to; ``s`` is a text, ``n`` a small number
    "*out = 1;",
    "out[n & 3] = 'x'; out[0] = s[0];",
    "while (*s) *out++ = *s++; *out = 0;",
    "char *p = out; for (; *s; s++) *p++ = *s; n = (int) (p - out);",
    "unsigned char *p = (unsigned char *) out; *p++ = 7; *p = 8;",
    "strcpy(out, s);",
    "char *end = stpcpy(out, s); *end++ = '!'; *end = 0;",
    'n += sprintf(out, "%d: %s", n, s);',
    "memset(out, 'x', 3); memcpy(out + 3, \"abc\", 4);",
    "out = put(put(out, s[0]), 'z');",
    "put_all(&out[1], s);",
    "inner(out, n);",
    'print(out, "%s.", s);',
    "if (out && n) { out[2] = 3; }",
    "char *p; p = out + 1; p[-1] = 0; *(p + 1) = 5;",
)
READS = (  # and of what makes it more than that
    "n = *out;",
    "n += out[1];",
    "out[0]++;",
    "out[0] |= 1;",
    "n += (int) strlen(out);",
    "strcat(out, s);",
    "n += first(out);",
    "*out = out[1];",
    'n += printf("%s", out);',
    "char *q = out; n += *q;",
    "char **q = &out; n += **q;",
    "struct place q = {out}; n += *q.at;",
    "char *q = n ? out : (char *) s; n += *q;",
    "out = (char *) s; *out = 1;",
    "n += memcmp(out, s, 1);",
)
FUNCTION = "int f{number}(char *out, const char *s, int n) {{ {body} return n; }}\n"


def found(text: str, name: str = "f") -> set[str]:
    return found_in(text, [name])[name]


def found_in(text: str, names: Iterable[str]) -> dict[str, set[str]]:
    functions = functions_of([parse_text(HEADER + text)])
    return {
        name: {
            functions[name].parameters[at].name
            for at in output_buffers([functions, functions], name)
        }
        for name in names
    }


def test_each_write_alone_and_none_with_a_read() -> None:
    mixed = [f"{{ {one} }} {other}" for write in WRITES for read in READS
             for one, other in ((write, read), (read, write))]  # fmt: skip
    bodies = [*WRITES, *READS, *mixed]
    text = "".join(FUNCTION.format(number=at, body=each) for at, each in enumerate(bodies))
    judged = found_in(text, [f"f{at}" for at in range(len(bodies))])
    for at, body in enumerate(bodies):
        assert judged[f"f{at}"] == ({"out"} if at < len(WRITES) else set()), body


def test_what_stands_there_before_means_nothing(tmp_path: Path) -> None:
    """Natively: whatever the buffer is filled with, the same is written and returned."""
    functions = [
        FUNCTION.format(number=number, body=f"{{ {one} }} {other}")
        for number, (one, other) in enumerate(product(WRITES, WRITES))
    ]
    judged = found_in("".join(functions), [f"f{number}" for number in range(len(functions))])
    assert all(judged.values()) and len(judged) == len(WRITES) ** 2
    names = ", ".join(f"f{number}" for number in range(len(functions)))
    main = f"""
typedef int (*function)(char *, const char *, int);
static function all[] = {{{names}}};
int main(void)
{{
    static char filled[2][4096];
    for (unsigned at = 0; at < sizeof all / sizeof *all; at++)
        for (int n = 0; n < 4; n++) {{
            int results[2];
            for (int with = 0; with < 2; with++) {{
                memset(filled[with], with ? 0xa5 : 0, 4096);
                results[with] = all[at](filled[with], n & 1 ? "" : "text", n);
            }}
            for (int i = 0; i < 4096; i++) {{
                char one = filled[0][i], other = filled[1][i];
                if (one != other && !(one == 0 && other == (char) 0xa5))
                    return printf("f%u writes otherwise\\n", at), 1;
            }}
            if (results[0] != results[1])
                return printf("f%u returns otherwise\\n", at), 1;
        }}
    return 0;
}}
"""
    (tmp_path / "all.c").write_text(HEADER + "".join(functions) + main)
    command = ["gcc", "-w", "-O0", str(tmp_path / "all.c"), "-o", str(tmp_path / "all")]
    subprocess.run(command, check=True, capture_output=True)
    done = subprocess.run([tmp_path / "all"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize(
    ("function", "buffers"),
    [
        # a number says how much there is
        ("int f(char *to, int n) { for (int i = 0; i < n; i++) to[i] = 'x'; return 0; }", set()),
        ("int f(char *to, size_t size) { return snprintf(to, size, \"%d\", 5); }", set()),
        ("int f(char *to, const char *s, int n) { memcpy(to, s, n); return 0; }", set()),
        # but not of what is stepped further than it counts
        (
            "int f(char *to, const char *s, int n)"
            "{ for (int i = 0; i < n; i++) { *to++ = '%'; *to++ = s[i]; } return 0; }",
            {"to"},
        ),
        (
            "int f(char *to, const char *s, int n)"
            "{ while (n--) { if (*s == 'q') *to++ = '_'; *to++ = *s++; } return 0; }",
            {"to"},
        ),
        (
            "int f(char *to, const char *s, int n)"
            "{ for (; n >= 2; n -= 2) { *to++ = *s++; *to++ = *s++; } return 0; }",
            set(),
        ),
        (
            "int f(char *to, const char *s, int n)"
            '{ for (int i = 0; i < n; i++) to += sprintf(to, "%d", s[i]); return 0; }',
            {"to"},
        ),
        # each parameter by itself
        ("int f(char *a, char *b) { *a = *b; return 0; }", {"a"}),
        ("int f(char *a, char *b) { strcpy(a, b); strcpy(b, \"x\"); return 0; }", {"a"}),
        # nothing is written, it is no character, or it cannot be written to
        ("int f(char *a) { return a != NULL; }", set()),
        ("int f(int *a) { *a = 1; return 0; }", set()),
        ("int f(const char *a) { return a != NULL; }", set()),
        # functions that call each other
        (
            "int g(char *a, int n);"
            "int f(char *a, int n) { if (!n) return 0; *a = 1; return g(a + 1, n - 1); }"
            "int g(char *a, int n) { return n ? f(a, n - 1) : 1; }",
            {"a"},
        ),
        (
            "int g(char *a, int n);"
            "int f(char *a, int n) { if (!n) return 0; *a = 1; return g(a + 1, n - 1); }"
            "int g(char *a, int n) { return n ? f(a, n - 1) : *a; }",
            set(),
        ),
        ("int g(char *a); int f(char *a) { *a = 1; return g(a); }", set()),  # nobody knows
    ],
)  # fmt: skip
def test_buffers_of_a_function(function: str, buffers: set[str]) -> None:
    assert found(function) == buffers


def test_all_versions_have_to_write_only() -> None:
    one = functions_of([parse_text("int f(char *a) { *a = 1; return 0; }")])
    other = functions_of([parse_text("int f(char *a) { *a = 1; return *a; }")])
    assert output_buffers([one, one], "f") == {0}
    assert output_buffers([one, other], "f") == output_buffers([other, one], "f") == set()
    assert output_buffers([one, {}], "f") == set()
