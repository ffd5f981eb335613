"""Structures are laid out as gcc lays them out: gcc prints its numbers, we compare."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given
from hypothesis import strategies as st

from csg.frontend import parse_text
from csg.language.types import Record
from csg.toolchain import compile_program
from tests.nightly import examples

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
    "#pragma pack(2)\nstruct t { char c; int i; double d; int b : 5, e : 30; };\n#pragma pack()",
    "typedef int wide __attribute__((aligned(16)));\nstruct t { char c; wide w; };",
    "typedef int byte4 __attribute__((mode(SI))); struct t { char c; byte4 w; short s; };",
    "enum __attribute__((packed)) e { A, B }; struct t { enum e a; enum e b; int c; };",
    "enum big { HUGE = 0x100000000 }; struct t { char c; enum big b; };",
    "struct t { char c; __int128 big; void *p; int (*f)(int); };",
    "struct t { __builtin_va_list list; char c; };",
    "struct t { float f; struct t *next; char text[3]; };",
]  # fmt: skip


def functions(structures: list[str], bodies: list[str] | None = None) -> str:
    """A function for each structure, so that equal tags do not clash."""
    return "\n".join(
        f"void f{number}(void) {{\n{text}\n{bodies[number] if bodies else ''} }}"
        for number, text in enumerate(structures)
    )


def records_of(structures: list[str]) -> list[Record]:
    unit = parse_text(functions(structures), "layout.c")
    return [t for t in unit.types if isinstance(t, Record) and t.tag.startswith("t__f")]


def output_of(program: str, count: int, folder: Path) -> list[list[int]]:
    """The numbers that a program prints, line by line, when it calls all its functions."""
    calls = " ".join(f"f{number}();" for number in range(count))
    source = folder / "layout.c"
    source.write_text(f"{HEAD}\n{program}\nint main(void) {{ {calls} }}\n")
    compile_program([str(source)], str(folder / "layout"), ["-w"])
    done = subprocess.run([folder / "layout"], capture_output=True, text=True, check=True)
    return [[int(word) for word in line.split()] for line in done.stdout.splitlines()]


def check(structures: list[str], folder: Path) -> None:
    """Size, alignment and offsets are gcc's, and a bit-field set to all ones changes exactly the
    bits that we say it occupies."""
    records = records_of(structures)
    assert len(records) == len(structures)
    found = output_of(
        functions(structures, [printing(record) for record in records]), len(records), folder
    )
    for text, record, numbers in zip(structures, records, found, strict=True):
        assert measured(record) == numbers, text


def measured(record: Record) -> list[int]:
    numbers = [record.size, record.alignment]
    for field in record.fields or ():
        if field.name and field.bit_width is None:
            numbers.append(field.offset)
        elif field.name and field.bit_width is not None:
            start = 8 * field.offset + field.bit_offset
            numbers.extend(range(start, start + field.bit_width))
    return numbers


def printing(record: Record) -> str:
    """C statements that print what ``measured`` returns."""
    kind = f"{record.kind} t"
    parts = [f"show(sizeof({kind})); show(_Alignof({kind}));"]
    for field in record.fields or ():
        if field.name and field.bit_width is None:
            parts.append(f"show(__builtin_offsetof({kind}, {field.name}));")
        elif field.name:
            parts.append(f"{{ {kind} x; memset(&x, 0, sizeof x); x.{field.name} = -1;")
            parts.append("show_bits((unsigned char *) &x, sizeof x); }")
    return " ".join([*parts, 'puts("");'])


HEAD = """
#include <stdio.h>
#include <string.h>
static void show(long number) { printf("%ld ", number); }
static void show_bits(unsigned char *p, int n) {
    for (int i = 0; i < 8 * n; i++) if (p[i / 8] >> i % 8 & 1) show(i);
}
"""


def test_table(tmp_path: Path) -> None:
    check(STRUCTURES, tmp_path)


KINDS = ["char", "short", "int", "long", "_Bool", "double", "char *", "long double", "unsigned"]
BITS = {"char": 8, "short": 16, "int": 32, "long": 64, "_Bool": 1, "unsigned": 32}
SUFFIXES = ["", "", " __attribute__((packed))", " __attribute__((aligned(8)))",
            " __attribute__((aligned(2)))"]  # fmt: skip


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
        return f"{kind} : {draw(st.sampled_from([0, 1, BITS[kind]]))};"
    return f"{kind} NAME : {draw(st.integers(1, BITS[kind]))}{suffix};"


@st.composite
def structures(draw: st.DrawFn) -> str:
    listed = draw(st.lists(members(), min_size=1, max_size=7))
    text = " ".join(m.replace("NAME", f"m{i}") for i, m in enumerate(listed))
    attribute = draw(st.sampled_from(["", "", "__attribute__((packed))"]))
    record = f"{draw(st.sampled_from(['struct', 'struct', 'union']))} {attribute} t {{ {text} }};"
    pack = draw(st.sampled_from([0, 0, 0, 1, 2, 4]))
    return f"#pragma pack({pack})\n{record}\n#pragma pack()" if pack else record


@examples(8, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(texts=st.lists(structures(), min_size=60, max_size=60))
def test_random_structures(texts: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    check(texts, tmp_path_factory.mktemp("layout"))
