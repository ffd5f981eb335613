"""Standard output and error as csgtest writes them: whatever text comes, no terminal obeys it.

with printable_streams():
    print("a\\x1b[2Jb")                       # the escape spelt out
    print("\\r\\x1b[K", file=drawn(sys.stderr))  # as csgtest itself draws
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

from csg.errors import LINES, printable


class _Printable:
    """A stream that lets through only what ``printable`` leaves of a text."""

    def __init__(self, stream: TextIO, commanding: bool = False) -> None:
        """``commanding``: GitHub reads commands in whatever line of it has ``##[``."""
        self.stream = stream
        self._commanding = commanding

    def write(self, text: str) -> int:
        shown = printable(text, LINES)
        self.stream.write(shown.replace("##[", "#\\x23[") if self._commanding else shown)
        return len(text)

    def writelines(self, lines: Iterator[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def drawn(stream: TextIO) -> TextIO:
    """The stream for escape sequences of csgtest itself."""
    return stream.stream if isinstance(stream, _Printable) else stream


@contextmanager
def printable_streams() -> Iterator[None]:
    """Within it, every text for standard output and error is made printable. Bytes, which go to
    ``sys.stdout.buffer``, are not."""
    before = sys.stdout, sys.stderr
    errors = _Printable(drawn(sys.stderr), commanding="GITHUB_ACTIONS" in os.environ)
    sys.stdout = cast(TextIO, _Printable(drawn(sys.stdout)))
    sys.stderr = cast(TextIO, errors)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
