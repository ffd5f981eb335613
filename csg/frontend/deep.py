"""Let deeply nested C be read by recursive functions; give up with an error, not a crash."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from csg.errors import UnsupportedError
from csg.source import Location

_DEEPEST = 30_000  # Python frames; a level of C's nesting takes about 15 of them


def too_deep(location: Location | None) -> UnsupportedError:
    return UnsupportedError("this nests too deeply to be read", location)


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Within it, Python functions may nest deeper than Python's default allows."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _DEEPEST))
    try:
        yield
    except RecursionError:
        raise too_deep(None) from None
    finally:
        sys.setrecursionlimit(before)
