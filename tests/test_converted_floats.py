"""A floating-point number becomes an integer as gcc -O0 has it, also where C leaves that undefined.

The processor and libgcc have functions for some types only: the x87 stores 16, 32 and 64 bits, SSE2
has 32 and 64, and nothing of libgcc saturates. A bit-field is a type of just its bits. gcc's
binaries, without and with sanitizers, have the truth.
"""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

from tests.command_line import csgtest
from tests.nightly import every
from tests.test_evaluation_order import printed_by_both

SOURCES = ("float", "double", "long double")
KINDS = (
    *("char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned"),
    *("long", "unsigned long", "__int128", "unsigned __int128", "_Bool", "enum e"),
)
FIELDS = (
    *(("int", bits) for bits in (1, 5, 8, 9, 12, 16, 17, 31, 32)),
    *(("unsigned", bits) for bits in (1, 5, 8, 9, 12, 16, 17, 31, 32)),
    *(("long", bits) for bits in (7, 12, 20, 33, 40, 64)),
    *(("unsigned long", bits) for bits in (7, 12, 20, 33, 40, 63)),
    *(("short", 3), ("unsigned short", 9), ("char", 5), ("unsigned char", 8), ("_Bool", 1)),
    *(("enum e", 2), ("__int128", 70), ("unsigned __int128", 70), ("__int128", 12)),
)
# ``X`` is the number, ``K`` the type, ``r`` the result; the statements of a loop.
FORMS = (
    *("r = (K) X;", "K t; t = X; r = t;", "K t; r = (t = X);", "K t = 3; t += X; r = t;"),
    *("volatile K t = X; r = t;", "K t[2] = { [1] = X }; r = t[1];", "r = take(X);"),
    *("r = give(x);", "K t[1]; K *p = t; *p = X; r = *t;", "K t = 9; t -= X; r = t;"),
)
FIELD_FORMS = (
    *("s.b = X; r = s.b;", "r = (s.b = X);", "s.b = 1; s.b += X; r = s.b;"),
    *("struct s t = { X }; r = t.b;", "struct s t = { .b = X, .a = 1 }; r = t.b;"),
    *("struct s *p = &s; p->b = X; r = p->b;", "r = (s.b = 0, s.b = X, s.b) + 1;"),
    *("r = ((struct s){ X }).b;", "s.b = 2; s.b *= X; r = s.b;"),
)
STEPS = ("x", "(int) x", "(long) x", "(float) x", "(short) x", "(unsigned) x", "x + 0.5f", "-x")
VALUES = (
    *("0.5", "-0.5", "-1.0", "3", "127.9", "-129", "255.7", "300", "2047.5", "4095", "-2049"),
    *("32767.5", "32768", "-32769", "65535", "65536", "70001", "-70001", "131071.0", "262145"),
    *("2147483647.0", "2147483648.0", "-2147483649.0", "4294967295.0", "4294967301.0"),
    *("8589934597.0", "-4294967301.0", "1e15", "-1e15", "9223372036854775807.0L"),
    "9223372036854775808.0",
    *("1.3e19", "18446744073709551616.0", "-1e19", "1e25", "-1e30", "0x1.8p127", "-0x1p127"),
    *("0x1p128", "-0x1.fp130", "1e38", "1 / 0.0", "-1 / 0.0", "0 / 0.0", "-0.0", "1e-40"),
)  # fmt: skip


def program(source: str, cases: list[tuple[str, str, str]]) -> str:
    """A program that prints what each case makes of each value. A case has a form, the declaration
    of ``s`` or ``""``, and the step between the number and the object."""
    functions, calls = [], []
    for number, (form, kind, step) in enumerate(cases):
        name, base = f"case_{number}", kind.split(":")[0]
        head = f"struct s {{ {kind.replace(':', ' b :')}; int a; }} s;" if ":" in kind else ""
        functions.append(
            f"static {base} take_{number}({base} a) {{ return a; }}\n"
            f"static {base} give_{number}({source} x) {{ return {step}; }}\n"
            f"static void {name}({source} x)\n{{\n    {head}\n    __int128 r = 0;\n"
            f"    {stated(form, number, base, step)}\n    show({number}, r);\n}}\n"
        )
        calls.append(f"        {name}(values[i]);\n")
    values = ", ".join(VALUES)
    return (
        "#include <stdio.h>\nenum e { E0, E1, E2, E3 };\n"
        "static void show(int number, __int128 r)\n"
        '{ printf("%d %lx %lx\\n", number, (long) (r >> 64), (long) r); }\n'
        f"{''.join(functions)}int main(void)\n{{\n"
        f"    static volatile {source} values[] = {{ {values} }};\n"
        f"    for (int i = 0; i < {len(VALUES)}; i++) {{\n{''.join(calls)}    }}\n"
        "    return 0;\n}\n"
    )


def stated(form: str, number: int, kind: str, step: str) -> str:
    text = form.replace("take", f"take_{number}").replace("give", f"give_{number}")
    return text.replace("K ", f"{kind} ").replace("K)", f"{kind})").replace("X", step)


def all_cases(source: str) -> list[tuple[str, str]]:
    whole = [(form, kind) for form in FORMS for kind in KINDS]
    fields = [(form, f"{kind}:{bits}") for form in FIELD_FORMS for kind, bits in FIELDS]
    cases = whole + fields
    random.Random(source).shuffle(cases)
    return cases


def natively(text: str, folder: Path, *flags: str) -> list[str]:
    source, binary = folder / "native.c", folder / "native"
    source.write_text(text)
    command = ["gcc", "-w", "-O0", "-fwrapv", *flags, "-o", str(binary), str(source), "-lm"]
    subprocess.run(command, check=True)
    return subprocess.run([binary], capture_output=True, text=True, check=True).stdout.split("\n")


PARTS = 40  # of the cases of a source type; each is a test


@pytest.mark.parametrize("part", every(41, range(3 * PARTS), first=5))
def test_versions_convert_as_gcc_does(part: int, tmp_path: Path) -> None:
    source, part = SOURCES[part % 3], part // 3
    rng = random.Random(f"{source}{part}")
    chosen = all_cases(source)[part::PARTS]
    texts = [
        program(source, [(form, kind, rng.choice(STEPS)) for form, kind in chosen]),
        program(source, [(form, kind, rng.choice(STEPS)) for form, kind in chosen]),
    ]
    files = []
    for version, text in zip(("old", "new"), texts, strict=True):
        files.append(tmp_path / f"{version}.c")
        files[-1].write_text(text)
    for text, ours in zip(texts, printed_by_both(*files), strict=True):
        truth = natively(text, tmp_path)
        assert truth == natively(text, tmp_path, "-fsanitize=address,undefined")
        wrong = {}
        for at, (here, native) in enumerate(zip(ours, truth, strict=True)):
            if here != native:
                number = int(native.split()[0])
                wrong.setdefault(chosen[number], (VALUES[at // len(chosen)], here, native))
        assert wrong == {}


CONSTANTS = (
    *("(long) (9007199254740993.0L + 1.0L)", "(int) (4.35L * 100)", "(int) (4.35 * 100)"),
    *("(int) (1e30L * 3)", "(short) (-1e30L * 3)", "(unsigned char) (300.5L + 1)"),
    *("(long) (unsigned __int128) (1e300 * 2)", "(long) (__int128) (-1.5L * 2)"),
    *("(s.a = 70001.0L)", "(s.a = 1e10 * 2)", "(s.b = -1e30L)", "(s.c = 3.0 + 1)", "(s.d = 9.5f)"),
)


def test_constants_are_converted_as_gcc_does(tmp_path: Path) -> None:
    shown = "".join(f'    printf("%ld\\n", (long) {each});\n' for each in CONSTANTS)
    text = (
        "#include <stdio.h>\nstruct s { int a : 12; unsigned b : 5; int c : 1; long d : 20; };\n"
        "static struct s g = { 70001.0L, -1e30, 3.0 + 1, 1e9L * 1 };\n"
        "static long n[] = { 9007199254740993.0L + 1.0L, 4.35L * 100, 1e30L * 3, -1e30L * 3 };\n"
        f"int main(void)\n{{\n    struct s s = g;\n{shown}"
        '    printf("%d %d %d %ld\\n", g.a, g.b, g.c, (long) g.d);\n'
        '    printf("%ld %ld %ld %ld\\n", n[0], n[1], n[2], n[3]);\n    return 0;\n}\n'
    )
    source = tmp_path / "constants.c"
    source.write_text(text)
    assert printed_by_both(source, source)[0] == natively(text, tmp_path)


# ---------------------------------------------------------------------- verdicts

EQUAL = ("no-change", "equivalent-within-bounds")
# What a function of a number x and an int k returns behind a guard: the type of x, the declarations
# in front, the statements of the old version, of the new one, and whether the versions differ.
PAIRS = {
    "return": ("long double", "static short g(long double x) { return x; }",
               "return g(x);", "return (short) (int) x;", True),
    "narrow": ("long double", "", "return (signed char) x;", "return (signed char) (int) x;", True),
    "field": ("long double", "struct s { int v : 12; };",
              "struct s s; s.v = x; return s.v;", "struct s s; s.v = (int) x; return s.v;", True),
    "field-of-double": ("double", "struct s { unsigned v : 12; };",
                        "struct s s; s.v = x; return s.v;",
                        "struct s s; s.v = (long) x; return s.v;", True),
    "field-initialised": ("long double", "struct s { unsigned v : 5; };",
                          "if (x != 70001) return 1; struct s s = { x }; return s.v;",
                          "if (x != 70001) return 1; struct s s = { 17 }; return s.v;", True),
    "compound": ("long double", "", "short a = k; a += x; return a;",
                 "short a = k; a = (int) (a + x); return a;", True),
    "wide": ("double", "", "if (x != 0x1p130) return 1; return (int) ((__int128) x >> 96);",
             "if (x != 0x1p130) return 1; return -2147483647 - 1;", True),
    "wide-unsigned": ("long double", "",
                      "if (x != -3) return 1; return (int) ((unsigned __int128) x >> 64);",
                      "if (x != -3) return 1; return -1;", True),
    "wide-infinite": ("float", "", "if (x != 1 / 0.0f) return 1; return (__int128) x == 0;",
                      "if (x != 1 / 0.0f) return 1; return 1;", False),
    "in-range": ("long double", "", "if (!(x > -32769 && x < 32768)) return 1; return (short) x;",
                 "if (!(x > -32769 && x < 32768)) return 1; return (short) (int) x;", False),
    "field-in-range": ("double", "struct s { int v : 5; };", "struct s s; s.v = x; return s.v;",
                       "struct s s; s.v = (int) x; return s.v;", False),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", every(5, sorted(PAIRS), first=2))
def test_a_verdict_knows_what_a_conversion_makes(name: str, tmp_path: Path) -> None:
    kind, head, old, new, differs = PAIRS[name]
    for version, body in (("old", old), ("new", new)):
        (tmp_path / f"{version}.c").write_text(
            f"{head}\nint f({kind} x, int k)\n"
            f"{{\n    if (k * 3 != 30045) return 0;\n    {body}\n}}\n"
        )
    words = ("old.c", "new.c", "--entry", "f", "--time", "25", "--no-config")
    done = csgtest("build", *words, folder=tmp_path)
    expected = ("different",) if differs else EQUAL
    assert done.report["verdict"] in expected
    assert "an error of csgtest" not in done.out
