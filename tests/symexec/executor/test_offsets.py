"""Writes, fills, copies and reads at symbolic offsets against arrays of bytes, one for each value
that the offsets can have: the naive second implementation."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symexec.executor import offsets
from symexec.executor.offsets import read_at, write_at
from symexec.expr import (
    Data,
    Operand,
    Term,
    TermTable,
    binary,
    compare,
    evaluate,
    new_half,
    old_half,
    shadowed,
)
from symexec.memory import BOTH, NEW, OLD, AllocationKind, Memory, MemoryObject
from symexec.solver import PathCondition, build_solver
from tests.nightly import examples

Bytes = list[tuple[int, int]]  # what old and new see
Step = tuple[str, str, int, int, int, int, str]

kinds = st.sampled_from(["store", "store", "store", "load", "fill", "copy", "move", "fork"])
forms = st.sampled_from(["known", "i", "j", "i + 4", "2 * j", "4 * k", "4 * l"])


def steps(last: int) -> st.SearchStrategy[list[Step]]:
    return st.lists(
        st.tuples(
            kinds,
            forms,
            st.integers(0, last),
            st.sampled_from([1, 2, 4, 8]),
            st.integers(0, (1 << 64) - 1),
            st.sampled_from([BOTH, BOTH, OLD, NEW]),
            st.sampled_from(["int", "symbol", "pair"]),
        ),
        max_size=10,
    )


@dataclass
class Tables:
    """Two objects of ``4 * unit`` bytes and some more, and their bytes under each model."""

    unit: int
    values: list[tuple[int, int, int, int]]
    table: TermTable = field(default_factory=TermTable)
    memory: Memory = field(default_factory=Memory)
    read: list[tuple[Data, list[Bytes]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.size = 4 * self.unit + 16
        names = [self.table.symbol(name, 32) for name in "ijkl"]
        self.names = dict(zip("ijkl", names, strict=True))
        path = PathCondition()
        for symbol in names:
            bound = compare("ult", 32, symbol, self.unit)
            assert isinstance(bound, Term)
            path = path.assuming(bound)
        self.models = [dict(zip(names, each, strict=True)) for each in self.values]
        self.numbers = [
            self.memory.allocate(self.size, AllocationKind.GLOBAL, name).number for name in "ab"
        ]
        self.naive: list[list[Bytes]] = [[[(0, 0)] * self.size] * 2 for _ in self.values]
        self.state = SimpleNamespace(path=path, memory=self.memory, mode=BOTH, write_mode=BOTH)
        self.engine = SimpleNamespace(solver=build_solver())

    def offset(self, form: str, known: int) -> int | Term:
        i, j, k, l = self.names.values()  # noqa: E741
        found: dict[str, Operand] = {
            "known": known,
            "i": i,
            "j": j,
            "i + 4": i + 4,
            "2 * j": j * 2,
            "4 * k": k * 4,
            "4 * l": binary("shl", 32, l, 2),  # type: ignore[dict-item]
        }
        return found[form]

    def item(self, which: int) -> MemoryObject:
        found = self.state.memory.find(self.numbers[which])
        assert found is not None
        return found

    def known(self, value: Operand, model: dict[Term, int]) -> int:
        return value if isinstance(value, int) else evaluate(value, model)

    def take(self, count: int, step: Step) -> None:
        kind, form, place, size, bits, mode, shape = step
        memory = self.state.memory
        self.state.mode = self.state.write_mode = mode
        which = bits & 1
        length = min(bits >> 8 & 0xFFFF, self.size - place)
        if kind == "fork":
            other = memory.fork()
            for number in self.numbers:  # what the other one does is not seen here
                other.writable(other.find(number)).store(0, 8, bits, BOTH)
            left = self.names["i"]
            other.update(other.find(self.numbers[0]), left, range(self.unit), 1, 9, BOTH)
        elif kind == "fill":
            memory.writable(self.item(which)).fill(place, length, bits & 255)
            for objects in self.naive:
                self._put(objects, which, place, [(bits & 255, bits & 255)] * length)
        elif kind in ("copy", "move"):
            source = which if kind == "move" else 1 - which
            start = (bits >> 24) % (self.size - length + 1)
            if bits >> 40 & 1:  # all of it
                place, start, length = 0, 0, self.size
            target = memory.writable(self.item(which))
            target.copy_from(place, self.item(source), start, length)
            for objects in self.naive:
                self._put(objects, which, place, objects[source][start : start + length])
        else:
            where = self.offset(form, min(place, self.size - size))
            if kind == "load":
                self.look(which, where, size, mode)
            else:
                self.store(count, which, where, size, bits & ((1 << 8 * size) - 1), mode, shape)

    def _put(self, objects: list[Bytes], which: int, place: int, row: Bytes) -> None:
        objects[which] = [*objects[which][:place], *row, *objects[which][place + len(row) :]]

    def store(
        self, count: int, which: int, where: int | Term, size: int, bits: int, mode: int, shape: str
    ) -> None:
        old = new = bits
        value: Data = bits
        if shape != "int":
            symbol = self.table.symbol(f"s{count}", 8 * size)
            for model in self.models:
                model[symbol] = bits
            value = symbol
        if shape == "pair" and mode == BOTH:
            new = bits ^ 1
            value = shadowed(symbol, new)
        write_at(self.engine, self.state, self.item(which), where, size, value)  # type: ignore[arg-type]
        for objects, model in zip(self.naive, self.models, strict=True):
            place = self.known(where, model)
            before = objects[which][place : place + size]
            row = [
                (
                    old >> 8 * index & 255 if mode != NEW else left,
                    new >> 8 * index & 255 if mode != OLD else right,
                )
                for index, (left, right) in enumerate(before)
            ]
            self._put(objects, which, place, row)

    def look(self, which: int, where: int | Term, size: int, mode: int) -> None:
        """Read, and compare with each model."""
        self.state.mode = mode
        value = read_at(self.engine, self.state, self.item(which), where, size)  # type: ignore[arg-type]
        for objects, model in zip(self.naive, self.models, strict=True):
            place = self.known(where, model)
            row = objects[which][place : place + size]
            if mode != NEW:
                expected = sum(left << 8 * index for index, (left, _) in enumerate(row))
                assert self.known(old_half(value), model) == expected
            if mode != OLD:
                expected = sum(right << 8 * index for index, (_, right) in enumerate(row))
                assert self.known(new_half(value), model) == expected


def values(unit: int) -> st.SearchStrategy[list[tuple[int, int, int, int]]]:
    one = st.integers(0, unit - 1)
    return st.lists(st.tuples(one, one, one, one), min_size=1, max_size=6)


@given(steps(31), values(8), st.sampled_from([(2, 99, 99), (2, 99, 3), (2, 4, 99), (24, 99, 99)]))
@examples(100)
def test_small_objects_hold_what_arrays_of_bytes_do(
    taken: list[Step], valued: list[tuple[int, int, int, int]], limits: tuple[int, int, int]
) -> None:
    tables = Tables(8, valued)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(offsets, "FEW", limits[0])
        patched.setattr(offsets, "MANY", limits[1])
        patched.setattr(offsets, "UPDATES", limits[2])
        for count, step in enumerate(taken):
            tables.take(count, step)
        for which in (0, 1):
            for size in (1, 2, 4, 8):
                for place in range(tables.size - size + 1):
                    tables.look(which, place, size, BOTH)
                for form in ("i", "i + 4", "2 * j", "4 * k", "4 * l"):
                    tables.look(which, tables.offset(form, 0), size, BOTH)


@given(steps(6000), values(1500))
@examples(40)
def test_large_tables_hold_what_arrays_of_bytes_do(
    taken: list[Step], valued: list[tuple[int, int, int, int]]
) -> None:
    tables = Tables(1500, valued)
    for count, step in enumerate(taken):
        tables.take(count, step)
    for which in (0, 1):
        tables.look(which, tables.offset("4 * k", 0), 4, BOTH)
        tables.look(which, tables.offset("i", 0), 1, BOTH)
        for _, form, place, size, _, mode, _ in taken:
            where = tables.offset(form, min(place, tables.size - size))
            tables.look(which, where, size, mode)


def test_a_large_table_is_read_as_its_runs_of_equal_elements() -> None:
    elements = [0, 99, 100, 119, 120, 499, 500, 501, 1498, 1499]
    tables = Tables(1500, [(0, 0, element, 0) for element in elements])
    tables.take(0, ("fill", "known", 400, 4, 80 << 8 | 0xFE, BOTH, "int"))
    tables.take(1, ("store", "known", 2000, 4, 70, BOTH, "symbol"))
    tables.take(2, ("store", "known", 5996, 4, 72, BOTH, "pair"))
    item = tables.item(0)
    runs = item.runs(range(0, 6000, 4), 4, 9)
    assert runs is not None
    assert [run[:2] for run in runs] == [
        (0, 396),
        (400, 476),
        (480, 1996),
        (2000, 2000),
        (2004, 5992),
        (5996, 5996),
    ]
    for mode in (BOTH, OLD, NEW):
        tables.look(0, tables.offset("4 * k", 0), 4, mode)


def test_forks_share_the_bytes_of_a_table_that_only_updates_lie_over() -> None:
    tables = Tables(1500, [(1, 2, 3, 4)])
    held = tables.item(0).data
    tables.state.memory = tables.memory.fork()
    tables.take(0, ("store", "4 * k", 0, 4, 8, BOTH, "int"))
    assert tables.item(0).data is held
    tables.take(1, ("store", "known", 12, 4, 6, BOTH, "int"))
    assert tables.item(0).data is not held and not any(held)
    tables.look(0, tables.offset("4 * k", 0), 4, BOTH)


def test_only_after_many_updates_a_store_is_pinned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offsets, "UPDATES", 8)
    tables = Tables(1500, [(1, 2, 3, 4)])
    pinned: list[str] = []

    def pin(state: object, offset: Term, why: str) -> int:
        pinned.append(why)
        return evaluate(offset, tables.models[0])

    tables.engine.pin = pin
    for count in range(offsets.UPDATES + 1):
        where = tables.names["i"] * (2 * count + 1) & 1023
        tables.store(count, 0, where, 1, 7, BOTH, "int")
    assert pinned == []  # 1,024 places are written one by one
    tables.store(0, 0, tables.names["j"], 1, 8, BOTH, "int")
    tables.look(0, 2, 1, BOTH)
    assert len(pinned) == 1 and "offset of a store into a" in pinned[0]
