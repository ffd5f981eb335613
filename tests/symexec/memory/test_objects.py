"""Objects against a list of bytes, each byte a pair (old, new): the naive second implementation."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from symexec.expr import TermTable, evaluate, new_half, old_half, shadowed
from symexec.memory import BOTH, NEW, OLD, AllocationKind, Memory

SIZE = 12

accesses = st.lists(
    st.tuples(
        st.sampled_from(["store", "fill", "copy", "fork"]),
        st.integers(0, SIZE - 1),
        st.sampled_from([1, 2, 4, 8]),
        st.integers(0, (1 << 64) - 1),
        st.sampled_from([BOTH, OLD, NEW]),
        st.sampled_from(["int", "symbol", "pair"]),
    ),
    max_size=12,
)


@given(accesses)
@settings(max_examples=150, deadline=None)
def test_memory_agrees_with_a_list_of_bytes(
    steps: list[tuple[str, int, int, int, int, str]],
) -> None:
    table = TermTable()
    model: dict[object, int] = {}
    memory = Memory()
    number = memory.allocate(SIZE, AllocationKind.GLOBAL, "a").number
    naive = [(0, 0)] * SIZE
    for count, (what, offset, wished, bits, mode, form) in enumerate(steps):
        size = min(wished, SIZE - offset)
        value = bits & ((1 << 8 * size) - 1)
        item = memory.writable(memory.find(number))
        if what == "fork":
            other = memory.fork()
            twin = other.writable(other.find(number))
            twin.store(0, 1, 255 - twin.data[0], BOTH)
        elif what == "fill":
            item.fill(offset, size, value & 255)
            naive[offset : offset + size] = [(value & 255, value & 255)] * size
        elif what == "copy":
            start = value % (SIZE - size + 1)
            moved = naive[start : start + size]
            item.copy_from(offset, item, start, size)
            naive[offset : offset + size] = moved
        else:
            old = new = value
            data: object = value
            if form != "int":
                symbol = table.symbol(f"s{count}", 8 * size)
                model[symbol] = value
                data = symbol
            if form == "pair" and mode == BOTH:
                new = value ^ 1
                data = shadowed(symbol, new)
            item.store(offset, size, data, mode)
            for place in range(size):
                left = old >> 8 * place & 255 if mode != NEW else naive[offset + place][0]
                right = new >> 8 * place & 255 if mode != OLD else naive[offset + place][1]
                naive[offset + place] = (left, right)
    item = memory.find(number)

    def known(data: object) -> int:
        return data if isinstance(data, int) else evaluate(data, model)

    for size in (1, 2, 4, 8):
        for offset in range(SIZE - size + 1):
            found = item.load(offset, size, BOTH)
            expected = naive[offset : offset + size]
            assert known(old_half(found)) == sum(b[0] << 8 * i for i, b in enumerate(expected))
            assert known(new_half(found)) == sum(b[1] << 8 * i for i, b in enumerate(expected))
            assert known(item.load(offset, size, OLD)) == known(old_half(found))
            assert known(item.load(offset, size, NEW)) == known(new_half(found))


def test_what_lies_outside_an_object_is_named() -> None:
    memory = Memory()
    first = memory.allocate(4, AllocationKind.GLOBAL, "first")
    second = memory.allocate(4, AllocationKind.HEAP, "second")
    base = second.number << 32
    assert memory.fault(base, 4, True) is None
    assert memory.fault(base + 1, 4, True).kind == "out-of-bounds"
    assert memory.fault(base - 1, 1, False).what == "second"
    assert memory.fault((first.number << 32) + 4, 1, False).what == "first"
    assert memory.fault(0, 1, False).kind == "null"
    memory.release(second.number)
    assert memory.fault(base, 1, False).kind == "use-after-free"


def test_read_only_objects_refuse_stores() -> None:
    memory = Memory()
    item = memory.allocate(4, AllocationKind.CONSTANT, "text", readonly=True)
    assert memory.load(item.number << 32, 4, BOTH) == 0
    assert not memory.store(item.number << 32, 4, 1, BOTH)
    assert memory.fault(item.number << 32, 1, True).kind == "read-only"


def test_a_fork_does_not_see_later_writes() -> None:
    memory = Memory()
    address = memory.allocate(4, AllocationKind.GLOBAL, "a").number << 32
    memory.store(address, 4, 1, BOTH)
    twin = memory.fork()
    memory.store(address, 4, 2, BOTH)
    twin.store(address, 4, 3, BOTH)
    late = twin.allocate(4, AllocationKind.HEAP, "late").number
    assert memory.load(address, 4, BOTH) == 2
    assert twin.load(address, 4, BOTH) == 3
    assert memory.find(late) is None


def test_an_object_found_before_the_last_write_is_good_for_the_next() -> None:
    """Both writes stand, though the first one made a copy for this memory."""
    memory = Memory(TermTable().symbol)
    number = memory.allocate(2, AllocationKind.STACK, "a", unset=b"\1\1").number
    memory.fork()
    found = memory.find(number)
    assert found is not None
    memory.put(found, 0, 1, 7, OLD)
    memory.put(found, 1, 1, 8, OLD)
    assert old_half(memory.load(number << 32, 1, OLD)) == 7
    assert old_half(memory.load((number << 32) + 1, 1, OLD)) == 8
