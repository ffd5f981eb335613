"""A model of a path as an input that a person, and a native run, can use."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from csg.frontend import parse_text
from symexec.expr import TermTable
from symexec.inputs.plan import plan
from symexec.options import InputOptions, SymbolicArguments
from symexec.state.inputs import Input, InputKind, Start
from symexec.testcases import decode, input_from_json, input_to_json


def started(text: str, options: InputOptions, table: TermTable) -> Start:
    unit = parse_text(text)
    symbols = [declaration.symbol for declaration in unit.declarations]
    (start,) = plan(unit.functions[-1], symbols, options).starts(table)
    return start


def test_values_are_shown_as_c_has_them() -> None:
    table = TermTable()
    text = """int g[2]; _Bool b; double d;
              int f(int x, char *s, short *a, float q, long double z) { return x; }"""
    start = started(text, InputOptions(symbolic_globals=("g", "b", "d")), table)
    model = {
        table.symbol("x", 32): 2**32 - 1,
        table.symbol("s[0]", 8): 255,
        table.symbol("a[1]", 16): 2**16 - 2,
        table.symbol("q", 32): 0x3FC00000,
        table.symbol("z", 80): 0x3FFF8000000000000000,
        table.symbol("g[1]", 32): 7,
        table.symbol("d", 64): 0x7FF0000000000000,
    }
    assert input_to_json(decode(start.inputs, model)) == {
        "args": [],
        "stdin": "",
        "files": {},
        "parameters": {
            "x": -1,
            "s": {"base64": "/wAAAA=="},
            "a": [0, -2, 0, 0],
            "q": 1.5,
            "z": {"float": "0x8000000000000000p-63"},
        },
        "globals": {"g": [0, 7], "b": 0, "d": {"float": "inf"}},
    }


def test_arguments_end_at_their_first_nul_and_stdin_at_its_size() -> None:
    table = TermTable()
    options = InputOptions(arguments=SymbolicArguments(1, 1, 3), stdin=2)
    start = started("int main(int argc, char **argv) { return argc; }", options, table)
    model = {
        table.symbol("arg1[0]", 8): ord("a"),
        table.symbol("arg1[2]", 8): ord("b"),
        table.symbol("stdin[0]", 8): ord("x"),
        table.symbol("stdin[1]", 8): ord("y"),
        table.symbol("stdin_size", 32): 1,
    }
    shown = decode(start.inputs, model)
    assert (shown.args, shown.stdin) == ((b"a",), b"x")


def test_objects_and_nondet_values_come_in_the_order_of_their_numbers() -> None:
    inputs = [
        Input(InputKind.OBJECT, "b", "unsigned char", 8, (1, 2), order=1),
        Input(InputKind.OBJECT, "a", "unsigned char", 32, (258,), order=0, scalar=True),
        Input(InputKind.NONDET, "int#0", "int", 32, (2**32 - 1,), signed=True, scalar=True),
    ]
    shown = decode(inputs, {})
    assert shown.objects == (("a", b"\2\1\0\0"), ("b", b"\1\2"))
    assert shown.nondet == (-1,)


def test_an_object_filled_scalar_by_scalar_lies_in_memory_whole() -> None:
    wide = TermTable().symbol("a[0]", 32)
    item = Input(InputKind.OBJECT, "a", "unsigned char", 8, (wide, 7))
    assert decode([item], {wide: 0x01020304}).objects == (("a", b"\4\3\2\1\7"),)


@given(st.integers(0, 2**80 - 1), st.sampled_from((32, 64, 80)))
def test_floating_values_come_back_from_json(bits: int, width: int) -> None:
    item = Input(
        InputKind.PARAMETER, "x", "double", width, (bits % 2**width,), floating=True, scalar=True
    )
    test = decode([item], {})
    assert input_from_json(input_to_json(test)) == test
