"""Symbolic files: models run on symbols, and on the values of these symbols, do the same; and what
two versions leave behind is told apart."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from csg.errors import NOWHERE
from oracles.reference.context import Ended, ReferenceContext
from symexec.expr import Operand, Term, evaluate
from symexec.runtime.filesystem.nodes import FILE, Contents, Node, disk
from symexec.runtime.process import compare_files_left
from symexec.state.endings import Exit, Unsupported
from symexec.state.inputs import Input, InputKind
from symexec.state.state import Outcome

Call = tuple[str, int, int]
O_RDWR, O_CREAT, O_TRUNC, O_APPEND = 2, 0o100, 0o1000, 0o2000


def world_with(data: bytes, symbolic: bool, there: bool = True) -> ReferenceContext:
    """A file A; if it is symbolic, two more bytes could be there, and its size is a term."""
    world = ReferenceContext()
    node = Node(FILE, contents=Contents(tuple(data), len(data)))
    if symbolic:
        terms = tuple(world.symbols("A", data + b"??"))
        size = world.table.symbol("A_size", 32)
        exists = world.table.symbol("A_exists", 1)
        world.assignment |= {size: len(data), exists: int(there)}
        made = Input(InputKind.FILE, "A", "char", 8, terms, size=size)
        node = Node(FILE, contents=Contents(terms, size), given=made, exists=exists)
    world.store_.update(disk([(b"A", node)] if symbolic or there else []))
    return world


def opened(world: ReferenceContext, flags: int) -> int:
    return world.value(world.run("open", world.text(b"A"), flags, 0o644))


def stream(world: ReferenceContext, descriptor: int, flags: int) -> int:
    number = world.value(world.run("__csgtest_attach", descriptor, flags))
    return world.place(number.to_bytes(4, "little"))


NAMES = """read write pread lseek ftruncate getc fgets fread fputs fseek ftell fflush ungetc stat
    feof"""
CALLS = st.tuples(st.sampled_from(NAMES.split()), st.integers(0, 6), st.integers(0, 2))


def done(world: ReferenceContext, calls: list[Call], flags: int) -> list[object]:
    """What each call yields and what it puts into a buffer."""
    descriptor = opened(world, flags)
    file = stream(world, world.value(world.run("dup", descriptor)), O_RDWR)
    buffer = world.place(bytes(160))
    found: list[object] = []
    for name, number, way in calls:
        match name:
            case "read":
                result = world.run("read", descriptor, buffer, number)
            case "write":
                result = world.run("write", descriptor, world.text(b"abcdef"), number)
            case "pread":
                result = world.run("pread", descriptor, buffer, number, way)
            case "lseek":
                result = world.run("lseek", descriptor, number - 2 & (1 << 64) - 1, way)
            case "ftruncate":
                result = world.run("ftruncate", descriptor, number)
            case "getc":
                result = world.run("getc", file)
            case "fgets":
                result = world.run("fgets", buffer, number, file)
            case "fread":
                result = world.run("fread", buffer, 1, number, file)
            case "fputs":
                result = world.run("fputs", world.text(b"xyz"[:number]), file)
            case "fseek":
                result = world.run("__csgtest_seek", file, number, way)
            case "ftell":
                result = world.run("__csgtest_tell", file)
            case "fflush":
                result = world.run("__csgtest_flush", file)
            case "ungetc":
                result = world.run("ungetc", 65 + number, file)
            case "stat":
                result = world.run("stat", world.text(b"A"), buffer)
            case _:
                result = world.run("feof", file)
        found.append((name, world.value(result), world.bytes_at(buffer, 160)))
    return found


@given(
    data=st.binary(max_size=5),
    calls=st.lists(CALLS, max_size=12),
    flags=st.sampled_from([0, O_TRUNC, O_APPEND]),
)
@settings(max_examples=150)
def test_symbols_and_their_values_do_the_same(data: bytes, calls: list[Call], flags: int) -> None:
    symbolic, known = world_with(data, True), world_with(data, False)
    assert done(symbolic, calls, O_RDWR | flags) == done(known, calls, O_RDWR | flags)
    assert not symbolic.events
    assert [each.name for each in symbolic.inputs] == ["A"]


def test_a_file_nobody_looks_at_is_no_input() -> None:
    world = world_with(b"ab", True)
    assert world.run("open", world.text(b"B"), 0) == 0xFFFFFFFF
    assert not world.inputs


def test_a_file_that_is_not_there_is_no_input() -> None:
    world = world_with(b"ab", True, there=False)
    assert world.run("open", world.text(b"A"), 0) == 0xFFFFFFFF
    assert world.load(world.global_address("__csgtest_errno"), 4) == 2
    assert not world.inputs


FOLDERS = (b"", b"/tmp/work/", b"./", b"../work/", b"none/", b"/tmp/work/A/", b"/")


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize("name", [b"A", b"q", b"/", b".", b".."])
def test_a_symbolic_name_is_one_of_those_there_are_or_none(folder: bytes, name: bytes) -> None:
    world, known = world_with(b"ab", True), world_with(b"ab", False)
    address = world.place([*folder, *world.symbols("name", name), 0])
    result = world.value(world.run("open", address, 0))
    assert result == known.value(known.run("open", known.text(folder + name), 0))
    missing = folder in (b"none/", b"/tmp/work/A/")
    pinned = name == b"/" or (folder == b"/" and not name.startswith(b"."))
    assert len(world.events) == (pinned and not missing)


@pytest.mark.parametrize("name", [b"/etc/passwd", b"/usr/../tmp/work/A", b"/proc/self", b"/etc"])
def test_a_file_of_the_host_ends_the_path(name: bytes) -> None:
    world = world_with(b"ab", True)
    with pytest.raises(Ended) as ended:
        world.run("open", world.text(name), 0)
    assert ended.value.ending == Unsupported(f"a file of the host: {name.decode()}")


@pytest.mark.parametrize(
    ("name", "error"),
    [
        (b"/usr/q-none", 2),
        (b"/q-none/q", 2),
        (b"/q-none/../tmp", 2),
        (b"/etc/passwd/q", 20),
        (b"/dev/tty", 6),
    ],
)
def test_what_the_host_has_not_is_missing(name: bytes, error: int) -> None:
    world = world_with(b"ab", True)
    assert world.run("open", world.text(name), 0) == 0xFFFFFFFF
    assert world.load(world.global_address("__csgtest_errno"), 4) == error


def test_nothing_is_made_among_the_files_of_the_host() -> None:
    world = world_with(b"ab", True)
    assert world.run("open", world.text(b"/usr/q-none"), O_RDWR | O_CREAT, 0o644) == 0xFFFFFFFF
    assert world.load(world.global_address("__csgtest_errno"), 4) == 30


@pytest.mark.parametrize(("folder", "listed"), [(b".", True), (b"/tmp", True), (b"/", False)])
def test_a_folder_of_the_host_is_not_listed(folder: bytes, listed: bool) -> None:
    world = world_with(b"ab", True)
    descriptor = world.run("open", world.text(folder), 0)
    entry = world.place(bytes(280))
    if listed:
        assert world.run("__csgtest_list", descriptor, 0, entry) == 1
        return
    with pytest.raises(Ended):
        world.run("__csgtest_list", descriptor, 0, entry)


# ---------------------------------------------------------------------- what is left


def outcome(world: ReferenceContext, status: Operand = 0) -> Outcome:
    return Outcome(Exit(status), None, NOWHERE, dict(world.store_))


def left(world: ReferenceContext, text: list[Operand], flush: bool = False) -> None:
    descriptor = opened(world, O_RDWR | O_CREAT | O_TRUNC)
    file = stream(world, descriptor, O_RDWR)
    world.run("fwrite", world.place(text), 1, len(text), file)
    if flush:
        world.run("__csgtest_flush", file)


def both(there: bytes = b"ab") -> tuple[ReferenceContext, ReferenceContext]:
    """Two versions on the same input."""
    old = world_with(there, True)
    new = ReferenceContext(table=old.table, assignment=old.assignment)
    new.store_ = dict(old.store_)
    return old, new


@given(old=st.binary(max_size=3), new=st.binary(max_size=3), flushed=st.booleans())
@settings(max_examples=40)
def test_files_differ_where_their_bytes_do(old: bytes, new: bytes, flushed: bool) -> None:
    one, other = both()
    x, y = one.symbols("x", old), one.symbols("y", new)
    if x:
        left(one, x, flushed)
    if y:
        left(other, y)
    condition = compare_files_left(outcome(one), outcome(other)).condition
    expected = (old or b"ab") != (new or b"ab")
    assert one.value(condition) == expected


def test_versions_that_touch_nothing_leave_the_same() -> None:
    one, other = both()
    assert compare_files_left(outcome(one), outcome(other, 1)).condition == 0


def test_a_file_that_one_version_removes() -> None:
    one, other = both()
    assert one.run("unlink", one.text(b"A")) == 0
    condition = compare_files_left(outcome(one), outcome(other)).condition
    assert isinstance(condition, Term)
    assert evaluate(condition, one.assignment) == 1  # it was there


def test_an_immediate_exit_loses_what_is_pending() -> None:
    one, other = both()
    left(one, [ord("x")])
    left(other, [ord("x")])
    with pytest.raises(Exception, match="Exit"):
        one.run("_exit", 0)
    assert compare_files_left(outcome(one), outcome(other)).condition == 1
