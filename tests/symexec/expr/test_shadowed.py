"""Pairs collapse as soon as both versions agree."""

from __future__ import annotations

from symexec.expr import (
    Shadowed,
    ShadowedArray,
    TermTable,
    array_of,
    array_select,
    array_store,
    binary,
    compare,
    concat,
    extend,
    float_binary,
    ite,
    new_half,
    old_half,
    shadowed,
)


def test_equal_halves_collapse() -> None:
    x = TermTable().symbol("x", 32)
    assert shadowed(x, x) is x
    assert shadowed(3, 3) == 3
    assert isinstance(shadowed(x, 3), Shadowed)


def test_operators_map_over_halves() -> None:
    x = TermTable().symbol("x", 32)
    pair = shadowed(x, 5)
    total = (pair + 1) & 0xFFFFFFFF
    assert (old_half(total), new_half(total)) == (x + 1, 6)
    assert pair * 0 == 0
    assert pair - pair == 0
    assert (1 - shadowed(0, 1)) & 0xFF == Shadowed(1, 0)
    assert x + pair == Shadowed(x + x, x + 5)
    assert (x & pair) == Shadowed(x, x & 5)


def test_functions_map_over_halves() -> None:
    table = TermTable()
    x = table.symbol("x", 32)
    assert binary("add", 32, Shadowed(1, 2), x) == Shadowed(x + 1, x + 2)
    assert compare("slt", 32, Shadowed(1, 2), 5) == 1
    assert compare("eq", 32, Shadowed(1, 2), 2) == Shadowed(0, 1)
    assert extend(Shadowed(0x80, 1), 8, 32, True) == Shadowed(0xFFFFFF80, 1)
    assert concat(Shadowed(1, 2), 8, 7, 8) == Shadowed(0x107, 0x207)
    assert ite(Shadowed(0, 1), x, x, 32) is x
    one, two = 0x3FF0000000000000, 0x4000000000000000
    assert float_binary("add", 64, Shadowed(one, 0), one) == Shadowed(two, one)


def test_arrays_map_over_halves() -> None:
    table = TermTable()
    i = table.symbol("i", 32)
    same = array_of([1, 2, 3])
    assert same == b"\x01\x02\x03"
    stored = array_store(same, i, Shadowed(7, 8))
    assert isinstance(stored, ShadowedArray)
    assert array_select(stored, i) == Shadowed(7, 8)
    assert array_select(same, 1) == 2


def test_reads_pass_writes_elsewhere() -> None:
    table = TermTable()
    i = table.symbol("i", 32)
    array = array_store(array_of([0] * 8), i + 1, 7)
    assert array_select(array_store(array, i, 5), i + 1) == 7
    assert array_select(array_store(array, i + 1, 9), i + 1) == 9
    assert not isinstance(array_select(array, 3), int)
    low = extend(table.symbol("b", 1), 1, 32, False)  # 0 or 1
    assert array_select(array_of([4, 4, 5]), low) == 4
