"""Let deeply nested C be read by recursive functions; give up with an error, not a crash."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from csg.errors import UnsupportedError

_DEEPEST = 30_000  # Python frames; a level of C's nesting takes about 15 of them


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Within it, Python functions may nest deeper than Python's default allows."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _DEEPEST))
    try:
        yield
    except RecursionError:
        raise UnsupportedError("the program nests too deeply to be read") from None
    finally:
        sys.setrecursionlimit(before)
