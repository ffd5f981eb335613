"""Standard input: what a program reads of it, byte by byte, line by line and in blocks."""

from __future__ import annotations

import pytest

from oracles.reference.context import Ended, ReferenceContext
from symexec.expr import Operand
from symexec.runtime.filesystem.nodes import Contents, standard_input
from symexec.runtime.stdio.streams import EOF
from symexec.state.endings import Unsupported


def world_with(data: bytes, symbolic: bool = False) -> ReferenceContext:
    """``symbolic``: two more bytes could be there, and the size is a term."""
    world = ReferenceContext()
    elements: tuple[Operand, ...] = tuple(data)
    size: Operand = len(data)
    if symbolic:
        elements = tuple(world.symbols("stdin", data + b"??"))
        size = world.table.symbol("stdin_size", 32)
        world.assignment[size] = len(data)
    world.store_.update(standard_input(Contents(elements, size)))
    return world


def stream(world: ReferenceContext, descriptor: int = 0) -> int:
    return world.place([*descriptor.to_bytes(4, "little"), *bytes(4)])


BOTH_WAYS = pytest.mark.parametrize("symbolic", [False, True], ids=["known", "symbolic"])


@BOTH_WAYS
def test_bytes_come_in_order_and_the_end_stays(symbolic: bool) -> None:
    world = world_with(b"a\xff", symbolic)
    got = [world.value(world.run("getchar")) for _ in range(4)]
    assert got == [ord("a"), 255, EOF, EOF]
    assert world.run("feof", stream(world)) == 1


@BOTH_WAYS
def test_ungetc_gives_back_and_clears_the_end(symbolic: bool) -> None:
    world = world_with(b"", symbolic)
    file = stream(world)
    assert world.run("getc", file) == EOF
    assert world.run("ungetc", ord("x"), file) == ord("x")
    assert world.run("feof", file) == 0
    assert [world.run("getc", file), world.run("getc", file)] == [ord("x"), EOF]
    assert world.run("ungetc", EOF, file) == EOF


@BOTH_WAYS
def test_fgets_stops_at_newline_room_and_end(symbolic: bool) -> None:
    world = world_with(b"ab\nlonger", symbolic)
    buffer, file = world.allocate(8, "static", "b"), stream(world)
    lines = []
    while world.run("fgets", buffer, 5, file):
        lines.append(world.bytes_at(buffer))
    assert lines == [b"ab\n", b"long", b"er"]
    assert world.run("fgets", buffer, 1, file) == buffer
    assert world.bytes_at(buffer) == b""


@BOTH_WAYS
def test_fread_counts_whole_items(symbolic: bool) -> None:
    world = world_with(b"12345", symbolic)
    buffer = world.allocate(8, "static", "b")
    assert world.run("fread", buffer, 2, 4, stream(world)) == 2
    assert world.bytes_at(buffer, 5) == b"12345"


@BOTH_WAYS
def test_getline_grows_its_buffer(symbolic: bool) -> None:
    world = world_with(b"x" * 130 + b"\nrest", symbolic)
    line, size, file = world.place(bytes(8)), world.place(bytes(8)), stream(world)
    assert world.run("getline", line, size, file) == 131
    assert world.bytes_at(world.value(world.load(line, 8))) == b"x" * 130 + b"\n"
    assert world.load(size, 8) == 240
    assert world.run("getline", line, size, file) == 4
    assert world.run("getline", line, size, file) == 2**64 - 1


def test_read_gets_nothing_that_a_stream_has_buffered() -> None:
    world = world_with(b"abcd")
    buffer = world.allocate(8, "static", "b")
    assert world.run("read", 0, buffer, 2) == 2
    assert world.bytes_at(buffer, 2) == b"ab"
    assert world.run("getchar") == ord("c")
    assert world.run("read", 0, buffer, 2) == 0
    assert world.run("read", 5, buffer, 2) == 2**64 - 1


def test_output_goes_to_its_descriptor() -> None:
    world = ReferenceContext()
    out, err = stream(world, 1), stream(world, 2)
    text = world.text(b"hey")
    world.run("puts", text)
    world.run("fputs", text, err)
    world.run("fputc", 300, out)
    assert world.run("fwrite", text, 1, 2, out) == 2
    assert world.run("write", 2, text, 1) == 1
    assert bytes(world.output[1]) == b"hey\n,he"  # type: ignore[arg-type]
    assert bytes(world.output[2]) == b"heyh"  # type: ignore[arg-type]


def test_nothing_is_written_to_a_stream_for_reading() -> None:
    world = ReferenceContext()
    assert world.run("fputc", 65, stream(world, 0)) == EOF
    assert world.run("fprintf", stream(world, 0), world.text(b"x")) == EOF


def test_an_input_is_no_stream() -> None:
    """As where a union holds a stream or a text, and the text is what a caller gave."""
    world = ReferenceContext()
    with pytest.raises(Ended) as ended:
        world.run("fgetc", world.place(world.symbols("text", b"some of it")))
    assert ended.value.ending == Unsupported("a stream that nobody has opened")
