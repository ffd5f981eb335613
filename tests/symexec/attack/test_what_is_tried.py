"""An attack tries each kind of value, and looks at all that a caller sees.

What a function is given is what it says itself; what is compared is what the driver shows. Some
values come about in more than one way; then it is asked how many of the 2,000 inputs have one. That
no kind can be left out unnoticed is what benchmarks/omissions.py tries.
"""

from __future__ import annotations

import functools
import math
import string
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from csg.frontend import parse_text
from symexec.attack.functions import Unusual
from symexec.attack.words import words_of
from symexec.options import InputOptions, Range
from tests.symexec.attack.attacks import attacked
from tests.symexec.attack.driven import Driven, compiled

INPUTS = 2000
HEAP = 1 << 44  # addresses are above, numbers beside pointers below
FUNCTIONS = {
    "numbers": """
        long f(long x, int i, unsigned char c, _Bool b) {
            say("long %ld", x); say("int %d", i); say("char %d", c); say("bool %d", b);
            return x == 48611;
        }""",
    "floating": """
        int f(double d, float g, long double e) {
            say("double %a", d); say("float %a", g); say("long %La", e); return 0; }""",
    "texts": """
        int f(const char *s, int n) {
            const char *word = "quux";
            if (!s) return 0;
            dprintf(9, "text ");
            for (int i = 0; s[i]; i++) dprintf(9, "%02x", (unsigned char) s[i]);
            dprintf(9, " %d\\n", n); return 0; }""",
    "arrays": """
        unsigned long malloc_usable_size(void *);
        int f(short *a, int n, char **v, char buf[]) {
            int k = 0; while (v[k]) k++;
            say("texts %d", k); say("room %ld", (long) malloc_usable_size(a)); say("n %d", n);
            return 0; }""",
    "structures": """
        struct s { int n; struct s *next; char *text; unsigned b : 3; int c[3]; };
        unsigned long malloc_usable_size(void *);
        int f(struct s *a, struct s *b, long keep) {
            static int calls;
            if (!a || !b) { say("null"); return 0; }
            long u = (long) a, w = (long) b;
            if (u & 3) { say("tagged"); return 0; }
            if (w & 3) return 0;
            say("call %d", ++calls);
            if (a == b) say("same");
            else if (b > a && (char *) b < (char *) a + malloc_usable_size(a)) say("into");
            long size = malloc_usable_size(a);
            say("size %ld", size);
            if (a->next) say("next"); else say("last");
            if (a->next && a->next->next) say("next next");
            if (a->text) say("text");
            say("bits %d", a->b);
            if (size >= sizeof *a + 64) {
                long *behind = (long *) (a + 1);
                for (int i = 0; i < 8; i++)
                    if (behind[i] > 1L << 44) say("pointer behind");
                    else if (behind[i]) say("number behind");
            }
            if (a != b) { a = realloc(a, 500); say("grown"); }
            return 0; }""".replace(
        "int f(", "void *realloc(void *, unsigned long);\n        int f("
    ),
    "unions": """
        struct v { int kind; union { long n; char *s; double d; } as; };
        int f(struct v *v) {
            if (!v) return 0;
            say("union %lx", (unsigned long) v->as.n); return 0; }""",
    "opaque": """
        struct o;
        int f(void *p, struct o *o) { long *w = p; unsigned char *c = p;
            if (p && o) { say("word %lx", w[0]); say("opaque %lx", *(long *) o); } return 0; }""",
    "functions": """
        int f(int (*compare)(const void *, const void *), int (*g)(int), double (*h)(void)) {
            int a = 1, b = 2;
            say("order %d %d %d", compare(&a, &b), compare(&b, &a), compare(&a, &a));
            say("result %d", g(5)); say("floating %a", h()); return 0; }""",
    "files": """
        struct _IO_FILE;
        int fgetc(struct _IO_FILE *);
        int f(struct _IO_FILE *in) { int n = 0; if (in) while (fgetc(in) >= 0) n++;
            say("file %d", n); return 0; }""",
    "globals": """
        int state = 7;
        int f(int x) { say("state %d", state); return 0; }""",
    "values": """
        struct p { short x; unsigned y : 3; double z; };
        int f(struct p p, enum { A, B } e) { say("y %d", p.y); say("x %d", p.x); return 0; }""",
    "few bits": 'int f(unsigned char c, _Bool b) { say("%d %d", c, b); return 0; }',
}
NULLABLE = {"structures": ("a",)}


@functools.cache
def driven(name: str) -> Driven:
    folder = Path(tempfile.mkdtemp(prefix="csgtest-driven-"))
    return compiled(folder, FUNCTIONS[name], NULLABLE.get(name, ()))


@functools.cache
def lines(name: str) -> tuple[str, ...]:
    """What a function has said of all inputs."""
    return tuple(driven(name).given(INPUTS))


@functools.cache
def said(name: str, word: str) -> tuple[str, ...]:
    """What a function has said behind a word."""
    return tuple(each[len(word) :] for each in lines(name) if each.startswith(word))


def numbers(word: str, name: str = "numbers") -> set[int]:
    return {int(each) for each in said(name, word + " ")}


def floating(word: str) -> list[float]:
    return [float.fromhex(each) if "x" in each else float(each) for each in said("floating", word)]


def texts() -> list[bytes]:
    return [bytes.fromhex(each.split(" ")[0]) for each in said("texts", "text ")]


def is_one_letter_off(text: bytes) -> bool:
    same = sum(one == other for one, other in zip(text, b"quux", strict=False))
    return len(text) == 4 and same == 3


def near_powers(least: int) -> int:
    found = numbers("long")
    return sum(
        bool({(1 << bits) + step for step in (-1, 0, 1)} & found) for bits in range(least, 62)
    )


USUAL = (0.5, 1.0, 2.0, 3.0, 10.0, 100.0)
KINDS: dict[str, Callable[[], bool]] = {
    "the least number": lambda: -(1 << 63) in numbers("long") and -(1 << 31) in numbers("int"),
    "the greatest number": lambda: {(1 << 63) - 1} <= numbers("long"),
    "powers of two and their neighbours": lambda: near_powers(34) > 20,
    "numbers of the text": lambda: {48610, 48611, 48612} <= numbers("long"),
    "usual numbers": lambda: {63, 64, 100, 127, 128, 255, 256} <= numbers("int"),
    "small numbers": lambda: (
        sum(each in (0, 1, 2) for each in map(int, said("numbers", "int "))) > 300
    ),
    "negative numbers": lambda: set(range(-16, 0)) <= numbers("long"),
    "any numbers": lambda: sum(each > 1 << 40 for each in numbers("long")) > 60,
    "both truth values": lambda: numbers("bool") == {0, 1},
    "digits": lambda: often(string.digits, 180),
    "small letters": lambda: often(string.ascii_lowercase, 270),
    "capital letters": lambda: often(string.ascii_uppercase, 250),
    "white space": lambda: often(string.whitespace, 150),
    "printed characters": lambda: len(set(string.punctuation.encode()) & numbers("char")) > 25,
    "NaN": lambda: any(map(math.isnan, floating("double"))),
    "NaN of both signs": lambda: {"nan", "-nan"} <= set(said("floating", "double ")),
    "infinity": lambda: {math.inf, -math.inf} <= set(floating("double")),
    "infinity as float": lambda: {math.inf, -math.inf} <= set(floating("float")),
    "minus zero": lambda: "-0x0p+0" in said("floating", "double "),
    "subnormal numbers": lambda: 5e-324 in floating("double"),
    "the greatest floating number": lambda: 1.7976931348623157e308 in floating("double"),
    "neighbours of usual numbers": lambda: (
        sum(
            any(math.nextafter(each, to) in USUAL for to in (-math.inf, math.inf))
            for each in finite()
        )
        > 8
    ),
    "whole numbers": lambda: (
        sum(each.is_integer() and 10 < abs(each) < 1 << 31 for each in finite()) > 100
    ),
    "eighths": lambda: (
        sum((8 * each).is_integer() and not each.is_integer() for each in finite()) > 250
    ),
    "fractions": lambda: (
        sum(not (8 * each).is_integer() and 1 < abs(each) < 1 << 31 for each in finite()) > 150
    ),
    "any bits": lambda: sum(each > 1e30 or 0 < each < 1e-30 for each in finite()) > 180,
    "long double": lambda: (
        "nan" in said("floating", "long ") and "inf" in said("floating", "long ")
    ),
    "words of the text": lambda: b"quux" in texts(),
    "words with another letter": lambda: sum(map(is_one_letter_off, texts())) > 20,
    "words with more behind": lambda: any(
        each.startswith(b"quux") and len(each) == 5 for each in texts()
    ),
    "texts of digits": lambda: sum(len(each) > 2 and each.isdigit() for each in texts()) > 100,
    "texts of few letters": lambda: (
        sum(len(each) > 3 and set(each) <= set(b"abc") for each in texts()) > 50
    ),
    "texts of signs": lambda: (
        sum(len(each) > 2 and set(each) <= set(b" \t\n-+.,:;/%\\\"'#=0aA") for each in texts())
        > 100
    ),
    "texts of any bytes": lambda: (
        sum(any(letter > 127 for letter in each) for each in texts()) > 120
    ),
    "texts that are empty": lambda: b"" in texts(),
    "texts that are long": lambda: sum(len(each) > 100 for each in texts()) > 20,
    "texts of the length of a number": lambda: sum(8 < len(each) < 24 for each in texts()) > 40,
    "arrays of several lengths": lambda: len(numbers("room", "arrays")) > 3,
    "arrays of texts": lambda: {0, 1, 2, 3} <= numbers("texts", "arrays"),
    "null": lambda: "null" in lines("structures"),
    "two pointers to one object": lambda: len(said("structures", "same")) > 90,
    "a pointer into another object": lambda: len(said("structures", "into")) > 0,
    "low bits of pointers": lambda: len(said("structures", "tagged")) > 20,
    "more behind an object": lambda: said("structures", "size ").count("104") > 100,
    "pointers behind an object": lambda: len(said("structures", "pointer behind")) > 850,
    "a second call": lambda: "2" in said("structures", "call "),
    "several objects in an array": lambda: max(numbers("size", "structures")) > 160,
    "objects of members": lambda: len(said("structures", "next next")) > 100,
    "members without objects": lambda: len(said("structures", "last")) > 100,
    "texts of members": lambda: len(said("structures", "text")) > 100,
    "bit-fields": lambda: {"0", "1", "2", "3", "7"} <= set(said("structures", "bits ")),
    "memory that can grow": lambda: len(said("structures", "grown")) > 500,
    "each member of a union": lambda: (
        sum(HEAP < each < 1 << 47 for each in unions()) > 300
        and sum(each >> 52 in (0x3FF, 0x7FF, 0x405) for each in unions()) > 100
        and 1 in unions()
    ),
    "texts behind void": lambda: (
        sum(is_printed(int(each, 16) & 0xFFFF) for each in said("opaque", "word ")) > 600
    ),
    "numbers and pointers behind void": lambda: (
        any(int(each, 16) > HEAP for each in said("opaque", "opaque "))
        and any(0 < int(each, 16) < 1 << 36 for each in said("opaque", "opaque "))
    ),
    "functions that compare": lambda: set(said("functions", "order ")) == {"-1 1 0"},
    "results of functions": lambda: {"0", "1", "2", "3"} <= set(said("functions", "result ")),
    "floating results of functions": lambda: len(set(said("functions", "floating "))) > 20,
    "files": lambda: 0 in numbers("file", "files") and max(numbers("file", "files")) > 5,
    "global objects": lambda: (
        7 in numbers("state", "globals") and len(numbers("state", "globals")) > 50
    ),
    "structures by value": lambda: (
        set("01237") <= set(said("values", "y ")) and len(said("values", "x ")) > 500
    ),
    "few bits completely": lambda: (
        len(set(driven("few bits").given(512))) == 512 and driven("few bits").whole == 9
    ),
}


def finite() -> list[float]:
    return [each for each in floating("double") if math.isfinite(each)]


def often(letters: str, least: int) -> bool:
    """Are all letters tried, and at least so many of these?"""
    given = [int(each) for each in said("numbers", "char ")]
    return set(letters.encode()) <= set(given) and (
        sum(each in letters.encode() for each in given) >= least
    )


def is_printed(two_bytes: int) -> bool:
    return all(0x20 <= each < 0x7F for each in two_bytes.to_bytes(2))


def unions() -> list[int]:
    return [int(each, 16) for each in said("unions", "union ")]


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_value_is_tried(kind: str) -> None:
    assert KINDS[kind]()


UNUSUAL = {
    **dict.fromkeys(
        ("ALIASES", "OVERLAPS", "TAGS", "BEHIND_IT", "TWICE", "RECORDS", "HEAP_WORDS"), "structures"
    ),
    "INNER_NULLS": "structures",
    "NULLS": "structures",
    "GLOBALS": "globals",
    "UNIONS": "unions",
}


@functools.cache
def told(name: str) -> Unusual:
    return Unusual(sum(driven(name).unusual(INPUTS)))


@pytest.mark.parametrize("flag", UNUSUAL)
def test_what_is_unusual_is_told(flag: str) -> None:
    assert Unusual[flag] in told(UNUSUAL[flag])


def test_what_callers_promise_holds(tmp_path: Path) -> None:
    text = 'int f(int x, int *a, int *b) { say("%d %d", x, a == b && a); return 0; }'
    asked = InputOptions("f", ranges=(Range("x", 0, 9),), assumptions=("x != 3",))
    given = compiled(tmp_path, text, inputs=asked, has_restrict=True).given(INPUTS)
    assert {each.split()[0] for each in given} == set("012456789")
    assert {each.split()[1] for each in given} == {"0"}


def test_what_is_const_lies_apart(tmp_path: Path) -> None:
    text = 'int f(int *a, const int *b) { say("%d", a == b && a); return 0; }'
    assert set(compiled(tmp_path, text).given(INPUTS)) == {"0"}


def test_restrict_is_found_in_the_text(tmp_path: Path) -> None:
    old = "int f(int *restrict a, int *restrict b) { *a = 5; *b = 1; return *a; }\n"
    new = old.replace("return *a", "return 5")
    found = attacked(tmp_path, old, new, "--entry", "f", "--deterministic", "--time", "5")
    assert found.tests == [] and found.omissions == []


WORDS = {
    "tags": ("long f(char *p) { return (long) p & 1; }", True),
    "enumerators": ("enum e { A = 4711 }; int f(enum e e) { return 0; }", 4711),
    "constants": ("int f(int x) { return x == 4712; }", 4712),
    "floating constants": ("int f(double x) { return x == 4713.5; }", 4713),
    "texts": ('const char *f(void) { return "hijk"; }', b"hijk"),
    "initialisers": ("int g = 4714; int f(void) { return g; }", 4714),
}


@pytest.mark.parametrize("kind", WORDS)
def test_each_word_of_the_text_is_found(kind: str) -> None:
    text, word = WORDS[kind]
    found = words_of([parse_text(text, "t.c")])
    assert word in (*found.numbers, *found.texts) or word is found.tags


BUILDS = {
    "-O0": "!defined __OPTIMIZE__ && !defined __SANITIZE_ADDRESS__",
    "-O2": "defined __OPTIMIZE__",
}


@pytest.mark.parametrize("build", BUILDS)
def test_each_build_is_tried(build: str, tmp_path: Path) -> None:
    """What one build alone shows is found."""
    old = f"int f(unsigned char x)\n{{\n#if {BUILDS[build]}\n    if (x == 3) return 1;\n#endif\n"
    old += "    return x + 1;\n}\n"
    new = old.replace("return 1;", "return 2;").replace("x + 1", "1 + x + 0")
    found = attacked(tmp_path, old, new, "--entry", "f", seconds=15)
    assert found.tests or found.omissions


READS = "volatile int a[4]; int f(unsigned char x)\n{\n    return x == 4 ? %s : x + 1;\n}\n"


def test_the_sanitized_build_is_tried(tmp_path: Path) -> None:
    """What a sanitizer reports is found, though no other build shows it."""
    found = attacked(tmp_path, READS % "(a[x], 0)", READS % "0", "--entry", "f", seconds=15)
    assert found.tests or found.omissions


def test_what_a_sanitizer_changes_and_does_not_report_is_none(tmp_path: Path) -> None:
    old = "int f(unsigned char x)\n{\n#ifdef __SANITIZE_ADDRESS__\n    if (x == 3) return 1;\n"
    old += "#endif\n    return x + 1;\n}\n"
    new = old.replace("return 1;", "return 2;").replace("x + 1", "1 + x + 0")
    found = attacked(tmp_path, old, new, "--entry", "f", seconds=15)
    assert not found.tests and not found.omissions


# ---------------------------------------------------------------------- what is compared


SHOWN = {
    "what is returned": ("int f(int x) { return 77; }", "returned 77\n"),
    "members of what is returned": (
        "struct r { int a; double b; }; struct r f(int x) { struct r r = {5, 2}; return r; }",
        "returned {.a 5,.b 0x8p-2}",
    ),
    "where a returned pointer leads to": (
        "int t[3]; int *f(int x) { return t + 1; }",
        "returned elsewhere",
    ),
    "a new object": (
        "void *malloc(unsigned long); struct n { int a; };"
        " struct n *f(int x) { struct n *n = malloc(8); n[1].a = 6; return n + 1; }",
        "returned new 1+4 -> {.a 6}",
    ),
    "an object that is freed": (
        "void free(void *); struct s { int a; }; void f(struct s *s) { free(s); }",
        "object 0 freed",
    ),
    "objects of the caller": (
        "struct s { int a; }; void f(struct s *s) { if (s) s->a = 66; }",
        "object 0 {.a 66}",
    ),
    "global objects": ("int state; void f(int x) { state = 55; }", "state 55\n"),
    "calls of functions": (
        "void f(void (*g)(int)) { if (g) g(4); }",
        "callback 0\n  given 4\n",
    ),
    "output": (
        'int puts(const char *); void f(int x) { puts("abc"); }',
        "printed 1 4\nabc\n",
    ),
    "errors": ('void f(int x) { dprintf(2, "def"); }', "printed 2 3\ndef"),
    "every NaN alike": ('double f(int x) { return -__builtin_nan(""); }', "returned nan\n"),
    "texts": ('char *f(int x) { return "hij"; }', '"68696a"'),
    "bit-fields": (
        "struct b { unsigned b : 3; }; struct b f(int x) { struct b b = {5}; return b; }",
        "returned {.b 5}",
    ),
    "unions": (
        "union u { int a; }; union u f(int x) { union u u = {0x11223344}; return u; }",
        "returned 44332211",
    ),
    "arrays": (
        "struct a { int a[2]; }; struct a f(int x) { struct a a = {{8, 9}}; return a; }",
        "returned {.a {8,9}}",
    ),
}


@pytest.mark.parametrize("kind", SHOWN)
def test_all_that_a_caller_sees_is_compared(kind: str, tmp_path: Path) -> None:
    text, expected = SHOWN[kind]
    made = compiled(tmp_path, text)
    shown = [made.shown(number).partition("output\n")[2] for number in range(6)]
    assert any(expected in each for each in shown), shown


def test_uninitialised_memory_holds_what_is_asked_for(tmp_path: Path) -> None:
    text = (
        "void *malloc(unsigned long);\n"
        "int f(int x) { volatile unsigned char k[64]; unsigned char *m = malloc(40);"
        " return k[9] << 8 | m[30]; }"
    )
    made = compiled(tmp_path, text)
    assert len({made.shown(1, fill).partition("returned ")[2][:6] for fill in (0, 0xA5)}) == 2
    assert f"returned {0xA5 << 8 | 0x5A}\n" in made.shown(1, 0xA5)
