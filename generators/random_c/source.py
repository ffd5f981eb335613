"""The text of a program while it is written: random choices, fresh names, sections.

source = Source(7)
with source.function("static void unit1(void)"):
    source.write("puts(\\"hello\\");")
source.text()
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")

HEADERS = (
    "ctype.h",
    "errno.h",
    "limits.h",
    "math.h",
    "stdarg.h",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "string.h",
    "strings.h",
)


class Source:
    """``units`` are the functions that ``main`` calls in order. ``mutation`` says which literals
    are others than the seed's: the same program, with a few changes."""

    def __init__(self, seed: int, mutation: int | None = None) -> None:
        self.random = random.Random(seed)
        self.mutation = None if mutation is None else Source(mutation)
        self.units: list[str] = []
        self._lines: list[str] = []
        self._depth = 0
        self._names = 0

    # ------------------------------------------------------------------ choices

    def choose(self, items: Sequence[T]) -> T:
        return items[self.random.randrange(len(items))]

    def below(self, limit: int) -> int:
        return self.random.randrange(limit)

    def between(self, low: int, high: int) -> int:
        return self.random.randint(low, high)

    def maybe(self, percent: int) -> bool:
        return self.random.randrange(100) < percent

    # ------------------------------------------------------------------ text

    def name(self, prefix: str) -> str:
        self._names += 1
        return f"{prefix}{self._names}"

    def write(self, *lines: str) -> None:
        self._lines += ["    " * self._depth + line for line in lines]

    @contextmanager
    def braces(self, head: str, tail: str = "") -> Iterator[None]:
        """``head { ... } tail``"""
        self.write(f"{head} {{".lstrip())
        self._depth += 1
        yield
        self._depth -= 1
        self.write("}" + tail)

    @contextmanager
    def function(self, head: str) -> Iterator[None]:
        assert self._depth == 0
        with self.braces(head):
            yield
        self.write("")

    @contextmanager
    def unit(self, what: str) -> Iterator[None]:
        """A function that main calls."""
        name = self.name(what)
        self.units.append(name)
        with self.function(f"static void {name}(void)"):
            yield

    def text(self) -> str:
        includes = [f"#include <{header}>" for header in HEADERS]
        calls = [f'    puts("{unit}:"); {unit}();' for unit in self.units]
        return "\n".join([*includes, "", *self._lines, "int main(void)", "{", *calls]) + (
            "\n    return 0;\n}\n"
        )
