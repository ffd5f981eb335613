"""Check that jumps have a place to go to: ``goto`` a label, ``break`` a loop or switch.

void f(void) { goto end; }      label 'end' is not defined
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from csg.errors import ParseError
from csg.source import Location


@dataclass(slots=True)
class Jumps:
    """The jumps of the function that is being read."""

    labels: set[str] = field(default_factory=set)
    wanted: dict[str, Location] = field(default_factory=dict)
    loops: int = 0
    switches: list[set[tuple[int, int] | None]] = field(default_factory=list)  # their cases

    @contextmanager
    def loop(self) -> Iterator[None]:
        self.loops += 1
        yield
        self.loops -= 1

    @contextmanager
    def switch(self) -> Iterator[None]:
        self.switches.append(set())
        yield
        self.switches.pop()

    def label(self, name: str, location: Location) -> None:
        if name in self.labels:
            raise ParseError(f"duplicate label '{name}'", location)
        self.labels.add(name)

    def go(self, name: str, location: Location) -> None:
        self.wanted.setdefault(name, location)

    def case(self, values: tuple[int, int] | None, location: Location) -> None:
        """One label of a switch; ``None`` is the default."""
        if not self.switches:
            raise ParseError("a case label outside of a switch", location)
        if values in self.switches[-1]:
            raise ParseError("duplicate case label in a switch", location)
        self.switches[-1].add(values)

    def leave(self, word: str, location: Location) -> None:
        """``break`` or ``continue``."""
        if not self.loops and not (word == "break" and self.switches):
            raise ParseError(f"'{word}' outside of a loop", location)

    def finish(self) -> None:
        """At the end of a function every label that is jumped to has to be there."""
        for name, location in self.wanted.items():
            if name not in self.labels:
                raise ParseError(f"label '{name}' is not defined", location)
