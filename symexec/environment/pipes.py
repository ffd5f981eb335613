"""Pipes that the program makes, for itself: nobody else is at the other end.

pipe(p); write(p[1], "ab", 2)     a node that holds "ab"; p[0] stands before it
read(p[0], b, 9)                  2 bytes; once more: it would wait for ever, *unsupported*
close(p[1]); read(p[0], b, 9)     0: the end

The node keeps what was written; the end for reading moves on in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from symexec.environment.contract import Context, End
from symexec.environment.error_numbers import EAGAIN
from symexec.environment.nodes import (
    FIRST_NUMBER,
    MOST_DESCRIPTORS,
    PIPE,
    Opened,
    changed_bytes,
    descriptor,
    node,
    opened,
    put_node,
)
from symexec.environment.operands import Asking
from symexec.expr import Operand
from symexec.state.endings import Unsupported

CAPACITY = 1 << 16  # bytes on Linux
NOT_WAITING = 0o4000  # O_NONBLOCK


def is_own(context: Context, file: Opened) -> bool:
    """A pipe of the program's, not one of the standard streams."""
    return file.node >= FIRST_NUMBER and node(context, file.node).kind == PIPE


def _ends(context: Context, pipe: int, writing: bool) -> Iterator[Opened]:
    for number in range(MOST_DESCRIPTORS):
        known = descriptor(context, number)
        if known is None:
            continue
        end = opened(context, known.opened)
        if end.node == pipe and bool(end.flags & 1) == writing:
            yield end


def size_of_pipe(context: Context, file: Opened) -> int:
    size = node(context, file.node).contents.size
    assert isinstance(size, int)  # what is written is counted
    return size


def starved(context: Context, file: Opened) -> Asking[int]:
    """Before a read: -EAGAIN when there is nothing yet; 0 when it can go on."""
    if not is_own(context, file) or file.position < size_of_pipe(context, file):
        return 0
    if not any(_ends(context, file.node, True)):
        return 0  # the end
    if file.flags & NOT_WAITING:
        return -EAGAIN
    return (yield from _refused("reading an empty pipe, which waits for ever"))


def put_into_pipe(context: Context, file: Opened, text: Sequence[Operand]) -> Asking[int]:
    """All of ``text``: its length, or -EAGAIN."""
    readers = list(_ends(context, file.node, False))
    if not readers:
        yield from _refused("writing into a pipe that nobody reads (SIGPIPE)")
    size = size_of_pipe(context, file)
    if size - min(end.position for end in readers) + len(text) > CAPACITY:
        yield from _refused("writing into a pipe that is full")
    target = node(context, file.node)
    after = changed_bytes(target.contents, size, size, list(text))
    put_node(context, file.node, replace(target, contents=after))
    return len(text)


def _refused(what: str) -> Asking[int]:
    yield End(Unsupported(what))
    return 0
