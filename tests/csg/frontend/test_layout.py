"""Structures are laid out as gcc lays them out: gcc prints its numbers, we compare."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from csg.frontend import parse_text
from csg.language.types import Field, Record
from csg.toolchain import compile_program

STRUCTURES = [
    "struct t { char c; int i; char d; };",
    "struct t { char c; long l; short s; };",
    "struct t { char c; double d; long double ld; };",
    "struct t { int a : 3; int b : 5; int c : 25; };",
    "struct t { char c; int b : 7; int d : 17; short s; };",
    "struct t { int a : 3; int : 0; int b : 4; };",
    "struct t { long a : 40; int b : 20; char c : 5; };",
    "struct t { _Bool a : 1; _Bool b : 1; unsigned char c : 6; char d : 3; };",
    "struct t { char a; long long : 40; char b; };",
    "struct t { unsigned a : 32; unsigned long b : 33; };",
    "struct __attribute__((packed)) t { char c; int i; short s; };",
    "struct t { char c; int i; short s; } __attribute__((packed));",
    "struct __attribute__((packed)) t { int a : 3; int b : 31; char c; long d : 60; };",
    "struct t { char c; int i __attribute__((packed)); short s; };",
    "struct t { char c; int b : 30 __attribute__((packed)); int d : 10; };",
    "struct t { char c; int i __attribute__((aligned(16))); };",
    "struct t { char c; } __attribute__((aligned(8)));",
    "struct t { char c; } __attribute__((packed, aligned(4)));",
    "struct t { _Alignas(16) char c; _Alignas(double) char d; };",
    "struct t { char c; int flexible[]; };",
    "struct t { char c; int zero[0]; };",
    "struct t { char c; struct { short s; union { int i; char text[5]; }; }; char d; };",
    "struct t { char c; union { double d; char b[9]; } u; char e; };",
    "union t { char c[5]; int i; short s; };",
    "union t { int a : 3; char b; long c : 40; };",
    "struct t { };",
    "struct t { char c; struct { char x; long y; } inner[2]; char d; };",
    "#pragma pack(push, 1)\nstruct t { char c; int i; long l; };\n#pragma pack(pop)",
    "#pragma pack(2)\nstruct t { char c; int i; double d; int b : 5; int e : 30; };\n#pragma pack()",
    "typedef int wide __attribute__((aligned(16)));\nstruct t { char c; wide w; };",
    "typedef int byte4 __attribute__((mode(SI))); struct t { char c; byte4 w; short s; };",
    "enum __attribute__((packed)) e { A, B }; struct t { enum e a; enum e b; int c; };",
    "enum big { HUGE = 0x100000000 }; struct t { char c; enum big b; };",
    "struct t { char c; __int128 big; void *p; int (*f)(int); };",
    "struct t { __builtin_va_list list; char c; };",
    "struct t { float f; struct t *next; char text[3]; };",
]  # fmt: skip


def measured_by_gcc(declarations: list[str], folder: Path) -> list[list[int]]:
    """Size, alignment, and for each named plain member its offset; one line per structure."""
    functions, calls = [], []
    for number, text in enumerate(declarations):
        record = record_of(text)
        members = "".join(
            f', (long) __builtin_offsetof({record.kind} t, {f.name})' for f in plain(record)
        )
        holes = " %ld" * (2 + len(plain(record)))
        functions.append(
            f"void f{number}(void) {{ {split_pragma(text)} "
            f'printf("{holes}\\n", (long) sizeof({record.kind} t), '
            f"(long) _Alignof({record.kind} t){members}); }}"
        )
        calls.append(f"f{number}();")
    program = folder / "layout.c"
    text = "\n".join(functions)
    program.write_text(f"#include <stdio.h>\n{text}\nint main(void) {{ {' '.join(calls)} }}\n")
    compile_program([str(program)], str(folder / "layout"), ["-w"])
    done = subprocess.run([folder / "layout"], capture_output=True, text=True, check=True)
    return [[int(word) for word in line.split()] for line in done.stdout.splitlines()]


def split_pragma(text: str) -> str:
    """A pragma needs a line of its own."""
    return f"\n{text}\n"


def record_of(text: str) -> Record:
    unit = parse_text(text + "\nint used;", "layout.c")
    found = [t for t in unit.types if isinstance(t, Record) and t.tag == "t"]
    return found[-1]


def plain(record: Record) -> list[Field]:
    return [f for f in record.fields or () if f.name and f.bit_width is None]


def ours(text: str) -> list[int]:
    record = record_of(text)
    return [record.size, record.alignment, *(f.offset for f in plain(record))]


def test_table(tmp_path: Path) -> None:
    wanted = measured_by_gcc(STRUCTURES, tmp_path)
    for text, numbers in zip(STRUCTURES, wanted, strict=True):
        assert ours(text) == numbers, text


KINDS = ["char", "short", "int", "long", "_Bool", "double", "char *", "long double", "unsigned"]
BITS = {"char": 8, "short": 16, "int": 32, "long": 64, "_Bool": 1, "unsigned": 32}
SUFFIXES = ["", "", "", " __attribute__((packed))", " __attribute__((aligned(8)))"]


@st.composite
def members(draw: st.DrawFn) -> str:
    kind = draw(st.sampled_from(KINDS))
    suffix = draw(st.sampled_from(SUFFIXES))
    form = draw(st.sampled_from(["plain", "plain", "bits", "bits", "bits", "unnamed", "array"]))
    if form == "array":
        return f"{kind} NAME[{draw(st.integers(1, 5))}]{suffix};"
    if form == "plain" or kind not in BITS:
        return f"{kind} NAME{suffix};"
    if form == "unnamed":
        return f"{kind} : {draw(st.integers(0, BITS[kind]))};"
    return f"{kind} NAME : {draw(st.integers(1, BITS[kind]))}{suffix};"


@st.composite
def structures(draw: st.DrawFn) -> str:
    listed = draw(st.lists(members(), min_size=1, max_size=7))
    text = " ".join(m.replace("NAME", f"m{i}") for i, m in enumerate(listed))
    attribute = draw(st.sampled_from(["", "", "__attribute__((packed))"]))
    record = f"{draw(st.sampled_from(['struct', 'struct', 'union']))} {attribute} t {{ {text} }};"
    pack = draw(st.sampled_from([0, 0, 0, 1, 2, 4]))
    return f"#pragma pack({pack})\n{record}\n#pragma pack()" if pack else record


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(texts=st.lists(structures(), min_size=20, max_size=20))
def test_random_structures(texts: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    wanted = measured_by_gcc(texts, tmp_path_factory.mktemp("layout"))
    for text, numbers in zip(texts, wanted, strict=True):
        assert ours(text) == numbers, text


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(texts=st.lists(structures(), min_size=20, max_size=20))
def test_bits_lie_where_gcc_puts_them(
    texts: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Setting one bit-field to all ones changes exactly the bits that we say it occupies."""
    folder = tmp_path_factory.mktemp("bits")
    functions, wanted = [], []
    for number, text in enumerate(texts):
        record = record_of(text)
        body = ""
        for field in record.fields or ():
            if not field.name or field.bit_width is None:
                continue
            wanted.append(bits_of(record, field))
            body += (
                f"{{ {record.kind} t x; memset(&x, 0, sizeof x); x.{field.name} = -1; "
                "dump((unsigned char *) &x, sizeof x); }\n"
            )
        functions.append(f"void f{number}(void) {{ \n{text}\n {body} }}")
    calls = " ".join(f"f{number}();" for number in range(len(texts)))
    program = folder / "bits.c"
    program.write_text(
        "#include <stdio.h>\n#include <string.h>\n"
        "void dump(unsigned char *p, int n) { for (int i = 0; i < 8 * n; i++)"
        ' if (p[i / 8] >> i % 8 & 1) printf("%d ", i); puts(""); }\n'
        + "\n".join(functions) + f"\nint main(void) {{ {calls} }}\n"
    )  # fmt: skip
    compile_program([str(program)], str(folder / "bits"), ["-w"])
    done = subprocess.run([folder / "bits"], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert [[int(word) for word in line.split()] for line in lines] == wanted


def bits_of(record: Record, field: Field) -> list[int]:
    assert field.bit_width is not None
    start = 8 * field.offset + field.bit_offset
    return list(range(start, start + field.bit_width))
