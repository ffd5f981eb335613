"""What is symbolic, what is known of it, and how its values are shown."""

from __future__ import annotations

import pytest

from csg.errors import CsgtestError
from csg.frontend import parse_text
from symexec.expr import TermTable, evaluate, symbols
from symexec.inputs.plan import plan
from symexec.options import InputOptions, Range, SymbolicArguments
from symexec.runtime.filesystem.nodes import STDIN
from symexec.state.inputs import Address, Start


def starts(text: str, options: InputOptions, table: TermTable | None = None) -> list[Start]:
    unit = parse_text(text)
    symbols = [declaration.symbol for declaration in unit.declarations]
    return list(plan(unit.functions[-1], symbols, options).starts(table or TermTable()))


def test_numbers_are_symbols_and_pointers_are_arrays() -> None:
    (start,) = starts("int f(int x, char *s, short *a) { return x; }", InputOptions())
    assert start.arguments[1:] == (Address(0), Address(1))
    assert [(item.name, item.size, len(item.cells)) for item in start.objects] == [
        ("s", 5, 5),
        ("a", 8, 4),
    ]
    assert start.objects[0].cells[4].value == 0
    assert [item.kind for item in start.inputs] == ["parameter", "string", "array"]


def test_command_lines_grow() -> None:
    options = InputOptions(arguments=SymbolicArguments(0, 2, 3), stdin=2)
    found = starts("int main(int argc, char **argv) { return argc; }", options)
    assert [start.arguments[0] for start in found] == [1, 2, 3]
    last = found[-1]
    argv = last.arguments[1]
    assert isinstance(argv, Address)
    assert [cell.value for cell in last.objects[argv.object].cells] == [
        Address(0),
        Address(1),
        Address(2),
    ]
    assert [item.kind for item in last.inputs] == ["stdin", "argument", "argument"]
    assert f"node{STDIN}" in last.environment


@pytest.mark.parametrize(
    ("text", "holds", "fails"),
    [
        ("x >= -100 && x < y", (-100, 5), (-101, 5)),
        ("x + y < 9", (4, 4), (5, 4)),
        ("!(x == 3) || y", (3, 1), (3, 0)),
        ("c - 1 < 0", (0, 0), (0, 1)),  # promoted to int
        ("(unsigned) x > 5", (-1, 0), (5, 0)),
        ("x / 2 == -1 && x % 2", (-3, 0), (-2, 0)),
        ("(x > 0 ? x : -x) <= 4", (-4, 0), (-5, 0)),
        ("x << 1 == 6", (3, 0), (4, 0)),
        ("x >> 1 == -2", (-3, 0), (3, 0)),
        ("a[1] == 'b' || sizeof a == 1", (98, 0), (97, 0)),
        ("~x & 1", (2, 0), (1, 0)),
    ],
)
def test_assumptions_have_c_s_meaning(
    text: str, holds: tuple[int, int], fails: tuple[int, int]
) -> None:
    table = TermTable()
    program = "int f(int x, long y, unsigned char c, char a[2]) { return x; }"
    (start,) = starts(program, InputOptions(assumptions=(text,)), table)
    (condition,) = start.conditions
    for (x, y), expected in ((holds, 1), (fails, 0)):
        model = {
            table.symbol("x", 32): x % 2**32,
            table.symbol("y", 64): y % 2**64,
            table.symbol("c", 8): y % 2**8,
            table.symbol("a[1]", 8): x % 2**8,
        }
        assert not isinstance(condition, int)
        assert evaluate(condition, model) == expected


def test_ranges_hold_for_elements_too() -> None:
    options = InputOptions(ranges=(Range("x", -5, 5), Range("s", 97, 122)))
    (start,) = starts("int f(int x, char *s) { return x; }", options)
    assert len(start.conditions) == 2 + 4 * 2


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("int f(int x) { return x; }", InputOptions(ranges=(Range("y", 0, 1),)), "no symbolic inp"),
        ("int f(int x) { return x; }", InputOptions(symbolic_globals=("g",)), "no global object"),
        ("int f(int (*x)(void)) { return 0; }", InputOptions(), "cannot be symbolic"),
        ("int f(char x) { return x; }", InputOptions(ranges=(Range("x", 300, 301),)), "no value"),
        ("int f(int x) { return x; }", InputOptions(assumptions=("0",)), "exclude every"),
        ("int f(float x) { return 0; }", InputOptions(assumptions=("x > 1",)), "too much"),
    ],
)
def test_what_the_user_can_mend_is_said(text: str, options: InputOptions, message: str) -> None:
    with pytest.raises(CsgtestError, match=message):
        starts(text, options)


LIST = (
    "struct list { int n; short v[2]; struct { char c; } at; struct { int u; }; char *s;"
    " struct list *next; };\nint f(struct list *l, char **out, int m) { return 0; }"
)


@pytest.mark.parametrize(
    ("text", "inputs"),
    [
        ("l->n > m", {"l->n", "m"}),
        ("l->v[1] == 3", {"l->v[1]"}),
        ("l->at.c && l->u < 3", {"l->at.c", "l->u"}),
        ("l->s[0] == 'a' || (*out)[1]", {"l->s[0]", "*out[1]"}),
        ("l->next->n < l->n", {"l->next->n", "l->n"}),
    ],
)
def test_assumptions_speak_of_members(text: str, inputs: set[str]) -> None:
    """Where what they speak of is not there, they say nothing."""
    told = set()
    for start in starts(LIST, InputOptions(assumptions=(text,))):
        for condition in start.conditions:
            told |= {each.name for each in symbols(condition)}  # type: ignore[arg-type]
    assert told == inputs


def test_ranges_hold_where_there_is_something_in_them() -> None:
    options = InputOptions(ranges=(Range("l->next->n", 1, 2), Range("l->s", 65, 70)))
    found = [len(start.conditions) for start in starts(LIST, options)]
    assert found[:4] == [8, 10, 0, 10]
    with pytest.raises(CsgtestError, match="no symbolic input 'l->m'"):
        starts(LIST, InputOptions(ranges=(Range("l->m", 1, 2),)))
