"""Initialisers put into memory what gcc puts there."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from csg.errors import ParseError
from csg.frontend import parse_text
from csg.frontend.constants import fold
from csg.language.syntax import (
    Declaration,
    Initializer,
    InitializerList,
    StringLiteral,
    TranslationUnit,
)
from csg.language.types import Array, Type, size_of
from csg.toolchain import compile_program

TYPES = """
struct in { char x; short y; };
struct s { int a[3]; struct in in; unsigned b : 3, c : 5; union { long l; char t[4]; } u; };
struct anonymous { int a; struct { char b, c; union { short d; int e; }; }; int f; };
struct bits { int a : 4; int : 4; int b : 8; int : 0; int c : 3; };
struct text { char name[4]; int n; };
union first { char c; long l; };
enum { ONE = 1, TWO };
"""
OBJECTS = """
int v1 = 5;
int v2 = {6};
char v3[] = "abc";
char v4[2] = "ab";
char v5[6] = {"ab"};
unsigned char v6[] = {'a', 0, 255};
int v7[] = {1, 2, [5] = 6, 7};
int v8[4] = {[1] = 1, 2, [0] = 9};
int v9[2][3] = {1, 2, 3, 4};
int v10[2][3] = {{1}, {2, 3}};
int v11[][2] = {1, 2, 3};
int v12[5] = {[0 ... 2] = 7, [4] = 1};
struct s v13 = {1, 2, 3, 4, 5, 6, 7, 8};
struct s v14 = {{1}, {2}, 3, .u.t = {1, 2}, };
struct s v15 = {.in = {.y = 5}, .c = 9, .a[1] = 3, 4, 5};
struct s v16 = {.in.x = 1, 2, 3, 4, 5};
struct s v17[] = {[1] = {.b = 1}, {.a = {9}}, [0].in.y = 3};
struct anonymous v18 = {1, 2, 3, 4, 5};
struct anonymous v19 = {.c = 1, .e = 0x01020304, 7};
struct anonymous v20 = {1, {2, 3, {4}}, 5};
struct bits v21 = {1, -2, 3};
struct bits v22 = {.b = 5, -1};
struct text v23[] = {"abcd", 1, "x", 2, {"y"}, {{'z', 'w'}, 4}};
union first v24 = {1};
union first v25 = {.l = 258, .c = 1};
union first v26 = {.c = 1, .l = 258};
union first v27[2] = {{.l = 5}, 6};
char v28[2][4] = {"ab", "cde"};
char v29[][4] = {{"ab"}, 'x', 'y'};
struct in v30 = {.y = 1, .x = 2, .y = 3};
struct s v31 = {.in = {1, 2}, .in.y = 7};
struct s v32 = {.in.y = 7, .in = {1}};
int v33[3] = {1, 2, 3,};
short v34[TWO] = {ONE, TWO};
struct { int n; struct { int m; } q[2]; } v35 = {1, 2, 3};
struct { int n; int *p; } v36 = {1, (int *) 16};
int v37[] = {sizeof(int), 'a' + 1, 1 ? 3 : 4};
struct in v38[2] = {{1, 2}, {.x = 3}};
int v39[2][2][2] = {{{1}, {2}}, {{3}}};
int v40[2][2][2] = {1, 2, {3}, {{5, 6}}};
struct s v41 = {};
int v42[3] = {};
_Bool v43[] = {5, 0};
char v44[] = {"a" "b"};
unsigned short v45[] = u"hi";
int v46[] = L"wide";
struct { char t[3]; } v47[2] = {{"abc"}, "de"};
struct { struct in i; int z; } v48 = {.i.y = 2, 3};
int v49[3] = {[2] = 1, [0] = 2, 3};
struct { int a, b; } v50[3] = {[0 ... 1] = {1, 2}, [2].b = 5};
struct { int a; char f[]; } v51 = {1, "abc"};
struct in v53 = {x: 1, y: 2};
"""


def bytes_of(initializer: Initializer, kind: Type) -> bytes:
    size = size_of(kind)
    if isinstance(initializer, InitializerList):
        memory = bytearray(size)
        for entry in initializer.entries:
            put(memory, entry.offset, entry.value, entry.type, entry.field)
        return bytes(memory[:size])
    memory = bytearray(size)
    put(memory, 0, initializer, kind, None)
    return bytes(memory)


def put(memory: bytearray, offset: int, value, kind, field) -> None:  # type: ignore[no-untyped-def]
    if isinstance(value, StringLiteral) and isinstance(kind, Array):
        data = value.value.ljust(size_of(kind), b"\0")
        memory[offset : offset + len(data)] = data
        return
    number = fold(value)
    assert number is not None, value
    if field is None:
        size = size_of(kind)
        if str(kind) == "_Bool":
            number = int(number != 0)
        memory[offset : offset + size] = (number % (1 << 8 * size)).to_bytes(size, "little")
        return
    whole = int.from_bytes(memory, "little")
    shift = 8 * field.offset + field.bit_offset + 8 * (offset - field.offset)
    mask = (1 << field.bit_width) - 1
    whole = whole & ~(mask << shift) | (number & mask) << shift
    memory[:] = whole.to_bytes(len(memory), "little")


def objects(unit: TranslationUnit) -> list[Declaration]:
    return [d for d in unit.declarations if d.symbol.kind == "object"]


def test_memory_is_that_of_gcc(tmp_path: Path) -> None:
    unit = parse_text(TYPES + OBJECTS, "init.c")
    dumps = "".join(f"dump(&{d.symbol.name}, sizeof {d.symbol.name});\n" for d in objects(unit))
    source = tmp_path / "init.c"
    source.write_text(
        "#include <stdio.h>\n"
        "void dump(void *p, int n) {"
        ' for (unsigned char *q = p; n-- > 0;) printf("%02x", *q++); puts("."); }\n'
        f"{TYPES}{OBJECTS}\nint main(void) {{\n{dumps}\nreturn 0; }}\n"
    )
    compile_program([str(source)], str(tmp_path / "init"), ["-w"])
    done = subprocess.run([tmp_path / "init"], capture_output=True, text=True, check=True)
    for declaration, line in zip(objects(unit), done.stdout.split(), strict=True):
        assert declaration.initializer is not None
        ours = bytes_of(declaration.initializer, declaration.symbol.type).hex() + "."
        if declaration.symbol.name != "v51":  # sizeof leaves the flexible member out
            assert ours == line, declaration.symbol.name


def test_paths_name_the_targets() -> None:
    unit = parse_text(TYPES + "struct s x[2] = {[1].in = {1, 2}, [0] = {.u.t[2] = 7}};")
    initializer = objects(unit)[0].initializer
    assert isinstance(initializer, InitializerList)
    assert [entry.path for entry in initializer.entries] == [
        (1, "in", "x"),
        (1, "in", "y"),
        (0, "u", "t", 2),
    ]


def test_values_that_are_no_constants() -> None:
    unit = parse_text(
        TYPES + "struct in g(void);\nvoid f(int n) { struct in y = g(), z[2] = {y, {n, n + 1}};"
        " int a[2] = {n}; struct in *p = &(struct in){n}; char *t = (char[]){'a'}; }"
    )
    y, z, *_ = unit.functions[0].body.items
    assert isinstance(y, Declaration) and not isinstance(y.initializer, InitializerList)
    assert isinstance(z, Declaration) and isinstance(z.initializer, InitializerList)
    assert [entry.path for entry in z.initializer.entries] == [(0,), (1, "x"), (1, "y")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("int a[2] = {[2] = 1};", "designates no element"),
        ("struct in a = {.z = 1};", "no member named 'z'"),
        ("int a = {.x = 1};", "designator"),
        ("struct in a = 5;", "where"),
        ("int *p = 1.5;", "where"),
        ("int a[] = 5;", "where"),
        ("int a[2] = {[-1] = 1};", "designates no element"),
        ("struct in a = {{1}, {2}, {&undeclared}};", None),
    ],
)
def test_refusals(text: str, message: str | None) -> None:
    if message is None:
        assert parse_text(TYPES + text).warnings
        return
    with pytest.raises(ParseError) as caught:
        parse_text(TYPES + text)
    assert message in caught.value.message


def test_a_large_table_is_read_quickly() -> None:
    rows = ",".join(f'{{{i}, "name{i}", {{{i}, {i}}}}}' for i in range(3000))
    unit = parse_text(f"struct row {{ int n; char *t; int v[2]; }} rows[] = {{{rows}}};")
    declaration = objects(unit)[0]
    assert isinstance(declaration.symbol.type, Array)
    assert declaration.symbol.type.length == 3000
