"""gcc's builtins, with arguments of every arithmetic type, mean what they do for gcc -O0.

A builtin with a prototype converts its arguments as any function does (C17 6.5.2.2p7); one without
computes with the values that they have. gcc's binaries have the truth.
"""

from __future__ import annotations

import random
import re
import subprocess
from pathlib import Path

import pytest

from csg.frontend import parse_text
from csg.language.syntax import IntegerConstant, Return, Unsupported, Version
from tests.command_line import csgtest
from tests.nightly import daily, every
from tests.test_evaluation_order import printed_by_both

FIELDS = {
    **{f"u{bits}": f"unsigned {{}} : {bits}" for bits in (1, 5, 31, 32)},
    **{f"i{bits}": f"int {{}} : {bits}" for bits in (1, 5, 31, 32)},
    **{f"ul{bits}": f"unsigned long {{}} : {bits}" for bits in (7, 33, 40, 64)},
    **{f"l{bits}": f"long {{}} : {bits}" for bits in (7, 33, 40, 64)},
    "uc3": "unsigned char {} : 3",
    "s9": "short {} : 9",
    "ux70": "unsigned __int128 {} : 70",
    "x70": "__int128 {} : 70",
}
INTEGERS = {
    "c": "char",
    "sc": "signed char",
    "uc": "unsigned char",
    "s": "short",
    "us": "unsigned short",
    "i": "int",
    "u": "unsigned",
    "l": "long",
    "ul": "unsigned long",
    "q": "long long",
    "uq": "unsigned long long",
    "x": "__int128",
    "ux": "unsigned __int128",
}
MEMBERS = {
    **FIELDS,
    **{name: f"{kind} {{}}" for name, kind in INTEGERS.items()},
    "b": "_Bool {}",
    "b1": "_Bool {} : 1",
    "e": "enum e {}",
    "e2": "enum e {} : 2",
}
FRACTIONS = {"f": "float {}", "d": "double {}", "ld": "long double {}"}
VALUES = (
    *("0", "1", "2", "3", "5", "-1", "-3", "14", "15", "16", "127", "128", "-128", "255", "-129"),
    *("32767", "65535", "0x7fffffff", "-0x7fffffff - 1", "0x80000000", "0xffffffff"),
    *("0x100000000", "0x1ffffffff", "0x8000000000", "0x7fffffffffffffff", "0x8000000000000005u"),
    *("-0x7fffffffffffffff - 1", "0xffffffffffffffff", "(__int128) 1 << 64"),
    *("-((__int128) 3 << 90)", "~((__int128) 1 << 127)", "(__int128) 1 << 127"),
)
SIZES = {"": ("int", "unsigned"), "l": ("long", "unsigned long")}
SIZES["ll"] = ("long long", "unsigned long long")

# Statements that set ``o``, ``v`` and ``d``; ``A`` and ``B`` are operands, ``N`` is an integer one.
WITH_PROTOTYPE = (
    *(f"v = __builtin_bswap{bits}(A);" for bits in (16, 32, 64, 128)),
    *(f"v = __builtin_{name}{size}(A);" for name in ("popcount", "parity") for size in SIZES),
    *(f"v = __builtin_{name}{size}(A);" for name in ("ffs", "clrsb") for size in SIZES),
    *(
        f"{kind} t = A; v = t ? __builtin_{name}{size}(A) : -1;"
        for name in ("clz", "ctz")
        for size, (_, kind) in SIZES.items()
    ),
    *(
        f"{kind} r = 0; o = __builtin_{sign}{name}{size}_overflow(A, B, &r); v = r;"
        for name in ("add", "sub", "mul")
        for size, kinds in SIZES.items()
        for sign, kind in zip("su", kinds, strict=True)
    ),
    *("v = __builtin_expect(A, B);", "if (__builtin_expect(A, B)) v = 3; else v = 4;"),
    *("v = !__builtin_expect(A, B);", "v = __builtin_expect(A, 1) || __builtin_expect(B, 0);"),
    *("v = __builtin_expect_with_probability(A, B, 0.5) ? 2 : 5;", "o = __builtin_expect(A, 0);"),
    *("while (__builtin_expect(A, 1) && v < 2) v++;", "v = __builtin_expect(A, 1) < B;"),
    *("switch (__builtin_expect(A, 1)) { case 1: v = 7; break; case -1: v = 8; }",),
    *(f"v = __builtin_{name}(A);" for name in ("abs", "labs", "llabs")),
    *("o = __builtin_isdigit(A) != 0;", "char t[4] = {0}; __builtin_memset(t, A, 3); v = t[1];"),
    *(f"d = __builtin_{name}{size}(A);" for name in ("fabs", "floor") for size in ("", "f", "l")),
    *(f"d = __builtin_copysign{size}(A, B);" for size in ("", "f", "l")),
    *(f"d = __builtin_fmax{size}(A, B);" for size in ("", "f", "l")),
    *(f"o = __builtin_signbit{size}(A) != 0;" for size in "fl"),
    *("char *t = __builtin_alloca((N) & 7); v = t != 0;", "__builtin_prefetch(p + !A, 0);"),
)
GENERIC = (
    *(
        f"{kind} r = 0; o = __builtin_{name}_overflow(N, M, &r); v = r;"
        for name in ("add", "sub", "mul")
        for kind in INTEGERS.values()
    ),
    *(
        f"o = __builtin_{name}_overflow_p(N, M, {place});"
        for name in ("add", "sub", "mul")
        for place in (
            *(f"({kind}) 0" for kind in INTEGERS.values()),
            *(f"q->{field}" for field in FIELDS),
            *(f"({{ q->{field}; }})" for field in FIELDS),
            *("(n = n * 4 + 3, q->u5)", "q->u5++", "(q->l40 = 3)", "q->ul33 + 1", "-q->u5"),
        )
    ),
    *(f"o = __builtin_{name}(A, F);" for name in ("isgreater", "islessequal", "islessgreater")),
    *("o = __builtin_isunordered(F, A);", "o = __builtin_isless(F, G);"),
    *(
        f"{kind} r = B; v = {call}; v += (__int128) r * 3;"
        for kind in INTEGERS.values()
        if "128" not in kind
        for call in (
            *("__sync_fetch_and_add(&r, A)", "__sync_sub_and_fetch(&r, A)"),
            *("__sync_val_compare_and_swap(&r, A, B)", "__sync_lock_test_and_set(&r, A)"),
            *("__atomic_fetch_xor(&r, A, 0)", "__atomic_exchange_n(&r, A, 0)"),
            "__atomic_nand_fetch(&r, N, 0)",
        )
    ),
)
DRAWN = {"A": MEMBERS | FRACTIONS, "N": MEMBERS, "F": FRACTIONS}
DRAWN |= {"B": DRAWN["A"], "M": DRAWN["N"], "G": DRAWN["F"]}
# An operand is one of these of a member; a number keeps apart in which order they are evaluated.
FORMS = ("{}", "{}", "({{ {}; }})", "(n = n * 4 + {1}, {0})", "({{ int t = {1}; n -= t; {0}; }})")


def stated(statement: str, chance: random.Random) -> str:
    """The statement with operands in place of its letters."""
    operands = {
        letter: chance.choice(FORMS).format(f"{pointer}->{chance.choice([*members])}", number)
        for number, (letter, members) in enumerate(DRAWN.items())
        for pointer in ("p" if letter in "ANF" else "q")
    }
    return re.sub(r"\b[ABNMFG]\b", lambda found: operands[found[0]], statement)


def program(statements: list[str]) -> str:
    """A program that prints what each statement sets, for each pair of values."""
    functions = "".join(
        f"static void case_{number}(struct all *p, struct all *q)\n{{\n"
        f"    int o = 0; __int128 v = 0; double d = 0;\n    n = 0;\n    {each}\n"
        f"    show({number}, o, v, d);\n}}\n"
        for number, each in enumerate(statements)
    )
    calls = "".join(f"        case_{number}(&p, &q);\n" for number in range(len(statements)))
    parts = {**MEMBERS, **FRACTIONS}
    members = "".join(f"    {kind.format(name)};\n" for name, kind in parts.items())
    filled = "".join(f"    p->{name} = x{' * 0.25L' * (name in FRACTIONS)};\n" for name in parts)
    return (
        f"#include <stdio.h>\nenum e {{ E0, E1, E2, E3 }};\nstruct all {{\n{members}}};\n"
        f"static void fill(struct all *p, __int128 x)\n{{\n{filled}}}\nstatic int n;\n"
        "static void show(int number, int o, __int128 v, double d)\n{\n"
        "    union { double d; long l; } bits = { d };\n"
        '    printf("%d %d %lx %lx %lx %d\\n", number, o, (long) (v >> 64), (long) v, bits.l, n);\n'
        f"}}\n{functions}int main(void)\n{{\n"
        f"    static const __int128 values[] = {{ {', '.join(VALUES)} }};\n"
        f"    for (int i = 0; i < {len(VALUES)}; i++) {{\n        static struct all p, q;\n"
        f"        fill(&p, values[i]);\n        fill(&q, values[i * 7 % {len(VALUES)}]);\n"
        f"{calls}    }}\n    return 0;\n}}\n"
    )


def natively(text: str, folder: Path) -> list[str]:
    source, binary = folder / "native.c", folder / "native"
    source.write_text(text)
    subprocess.run(["gcc", "-w", "-O0", "-fwrapv", "-o", binary, source, "-lm"], check=True)
    return subprocess.run([binary], capture_output=True, text=True, check=True).stdout.split("\n")


COUNT = 40  # statements of a program


@pytest.mark.parametrize("seed", daily(range(100), 2))
def test_versions_compute_as_gcc_does(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    statements = [chance.choice(chance.choice((WITH_PROTOTYPE, GENERIC))) for _ in range(COUNT)]
    versions = [[stated(each, chance) for each in statements] for _ in Version]
    files = [tmp_path / f"{version}.c" for version in Version]
    for path, stated_ in zip(files, versions, strict=True):
        path.write_text(program(stated_))
    for stated_, ours in zip(versions, printed_by_both(*files), strict=True):
        truth, wrong = natively(program(stated_), tmp_path), {}
        for at, (here, native) in enumerate(zip(ours, truth, strict=True)):
            if here != native:
                number = int(native.split()[0])
                wrong.setdefault(stated_[number], (VALUES[at // COUNT], here, native))
        assert wrong == {}


GUARDED = (
    "{declared} int f(int k, {kind} v) {{ if (k * 3 == 30045 && {met}) {{ {body} }} return 7; }}"
)
# What is declared, the type of v, the condition, and what the versions do.
DIFFERENT = (
    ("", "int", "v == -1", "unsigned long r; return __builtin_{}(v, 1, &r);",
     "add_overflow", "uaddl_overflow"),
    ("", "unsigned", "v == 3000000000u", "int r; return __builtin_{}(v, 1, &r);",
     "mul_overflow", "smul_overflow"),
    ("", "long", "v == 5", "unsigned __int128 r; return __builtin_sub_overflow(v, {}, &r);",
     "6", "4"),
    ("", "long", "v == -1", "unsigned __int128 r; return __builtin_mul_overflow(v, {}, &r);",
     "v", "-v"),
    ("static struct { unsigned n : 4; } g;", "int", "v == 14",
     "return __builtin_add_overflow_p(v, 3, {});", "g.n", "(unsigned char) 0"),
    ("", "double", "v == 0.5", "return __builtin_expect({}, 1) ? 1 : 2;", "v", "!!v"),
    ("", "long", "v == 1", "return __builtin_expect({}(__int128) v << 70, 1) ? 1 : 2;",
     "", "0 != "),
    ("struct s { unsigned n : 31; };", "int", "v == 3",
     "struct s s = {{ v }}; return ({{ s.n; }}){} - 4 > 0;", "", " + 0u"),
    ("struct s { unsigned __int128 n : 100; };", "int", "v == 1",
     "struct s s = {{ v }}; return ({} s.n << 100) != 0;", "", "(unsigned __int128)"),
    ("", "int", "v == 300", "unsigned char r = 7; __sync_lock_test_and_set(&r, v); return {};",
     "r", "1 + r"),
)  # fmt: skip


@pytest.mark.parametrize("case", every(5, DIFFERENT))
def test_a_difference_behind_a_guard_is_found(case: tuple[str, ...], tmp_path: Path) -> None:
    declared, kind, met, body, *halves = case
    for name, half in zip(("old.c", "new.c"), halves, strict=True):
        text = GUARDED.format(declared=declared, kind=kind, met=met, body=body.format(half))
        (tmp_path / name).write_text(text + "\n")
    words = ("build", "old.c", "new.c", "--entry", "f", "--time", "20")
    assert csgtest(*words, folder=tmp_path).report["verdict"] == "different"


# Operands of __builtin_constant_p: what gcc simplifies without optimisation, and what it does not.
PLAIN = ("r", "u", "c", "d", "s.m", "t[1]", "*p", "g()", "i", "&r", "p")
LEAVES = (
    *PLAIN,
    *('"abc"', "(r, 1)", "0", "1", "2", "-1", "1.5", "0.0", "E1", "sizeof r", "0x7fffffff"),
    *('"abc"[1]', "N", "__builtin_clz(5)", "__builtin_expect(1, 1)", "(int []){1}[0]", "({ 1; })"),
)
BINARY = ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", "==", "!=", "&&", "||", ",")
UNARY = ("-", "!", "!!", "~", "(char) ", "(long) ", "(_Bool) ", "(double) ", "(unsigned) ")
DECLARED = """
enum { E1 = 1 };
static const int i = 3;
static int N;
static int g(void) { return 1; }
struct s { int m; };
"""


def operand(chance: random.Random, depth: int) -> str:
    """An expression of up to ``depth`` operators."""
    which = chance.randrange(5) if depth else 0
    if which == 0:
        return chance.choice(LEAVES)
    if which == 1:
        return f"{chance.choice(UNARY)}({operand(chance, depth - 1)})"
    left, right = operand(chance, depth - 1), operand(chance, depth - 1)
    if which == 2:
        return f"({left} ? {right} : {operand(chance, depth - 1)})"
    return f"({left}) {chance.choice(BINARY)} ({chance.choice((left, right))})"


def asking(expressions: list[str]) -> str:
    """A function for each expression, on its own line, that returns whether gcc knows it."""
    parameters = "int r, unsigned u, char c, double d, struct s s, int *t, int *p"
    functions = (
        f"int q{number}({parameters}) {{ return __builtin_constant_p({each}); }}\n"
        for number, each in enumerate(expressions)
    )
    return DECLARED + "".join(functions)


def in_c(expressions: list[str], folder: Path) -> list[str]:
    """Those of the expressions that are C."""
    source = folder / "asking.c"
    source.write_text(asking(expressions))
    command = ["gcc", "-w", "-fsyntax-only", "-fmax-errors=0", str(source)]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stderr
    wrong = {int(each) for each in re.findall(r"asking\.c:(\d+):\d+: error", said)}
    first = DECLARED.count("\n") + 1
    return [each for number, each in enumerate(expressions) if number + first not in wrong]


def known_to_gcc(expressions: list[str], folder: Path) -> list[bool]:
    source = folder / "known.c"
    calls = "".join(
        f'    printf("%d\\n", q{number}(1, 1, 1, 1, (struct s) {{1}}, t, t));\n'
        for number in range(len(expressions))
    )
    shown = f"int main(void)\n{{\n    int t[2] = {{ 1 }};\n{calls}    return 0;\n}}\n"
    source.write_text(f"#include <stdio.h>\n{asking(expressions)}{shown}")
    binary = folder / "known"
    subprocess.run(["gcc", "-w", "-O0", "-fwrapv", "-o", binary, source], check=True)
    shown = subprocess.run([binary], capture_output=True, text=True, check=True).stdout
    return [each == "1" for each in shown.split()]


def known_here(expressions: list[str]) -> list[bool | None]:
    """The same as the front end has it; None where it refuses to say."""
    found: list[bool | None] = []
    for function in parse_text(asking(expressions), "asking.c").functions:
        if function.symbol.name.startswith("q"):
            (said,) = function.body.items
            if isinstance(said, Unsupported):
                found.append(None)
            else:
                assert isinstance(said, Return) and isinstance(said.value, IntegerConstant)
                found.append(bool(said.value.value))
    return found


@pytest.mark.parametrize("seed", daily(range(100), 2))
def test_what_gcc_knows_without_optimisation_is_known_or_refused(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    drawn = [*dict.fromkeys(operand(chance, chance.randrange(3)) for _ in range(400))]
    asked = in_c(drawn, tmp_path)
    answers = [*zip(asked, known_here(asked), known_to_gcc(asked, tmp_path), strict=True)]
    assert [each for each in answers if each[1] not in (None, each[2])] == []
    assert len(answers) > 100 and any(here is not None for _, here, _ in answers)
    assert {each for each, here, _ in answers if here is None}.isdisjoint(PLAIN)
