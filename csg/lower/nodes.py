"""The table of statements: what instructions point into and graphs show.

    if (x > limit)      ->   n4  condition  "if (x > limit)"
        return limit;   ->   n5  return     "return limit;"

A node is drafted when its statement is lowered; the rules that meet a change or an output call
inside note it in the draft.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from csg.ir import Decision, Node
from csg.language.syntax import Expression, Version
from csg.lower.excerpts import Excerpts
from csg.source import NOWHERE, Location

OUTPUT_FUNCTIONS = frozenset(
    {"printf", "fprintf", "vprintf", "vfprintf", "dprintf", "vdprintf", "printf_unlocked",
     "puts", "fputs", "putchar", "putc", "fputc", "fwrite", "putchar_unlocked",
     "putc_unlocked", "fputc_unlocked", "fputs_unlocked", "fwrite_unlocked", "putwchar",
     "fputwc", "fputws", "wprintf", "fwprintf", "write", "pwrite", "writev", "perror",
     "psignal", "error", "error_at_line", "err", "errx", "warn", "warnx", "verr", "verrx",
     "vwarn", "vwarnx", "exit", "_exit", "_Exit", "quick_exit", "abort",
     "__csgtest_assert_fail", "__assert_fail", "reach_error", "__builtin_trap",
     "klee_report_error", "klee_silent_exit"}
)  # fmt: skip


@dataclass(slots=True)
class Draft:
    function: str
    location: Location
    text: str
    kind: str
    version: Version | None
    changes: set[int] = field(default_factory=set)
    output: bool = False


class NodeTable:
    """``enclosing`` has the Execute being lowered and what else one version alone runs, innermost
    last: a statement belongs to the innermost that has a number.
    ``numbered``: decisions get numbers; those of a library would meet the program's."""

    def __init__(self, numbered: bool = True) -> None:
        self.numbered = numbered
        self.drafts: list[Draft] = []
        self.function = ""
        self.excerpts = Excerpts({})
        self.enclosing: list[tuple[Version, int]] = []
        self.decisions: list[Decision] = []
        self._stands_for: tuple[Expression, Expression, Version] | None = None

    def draft(self, kind: str, location: Location, text: str) -> int:
        version = self.enclosing[-1][0] if self.enclosing else None
        draft = Draft(self.function, location, text, kind, version)
        draft.changes.update([change for _, change in self.enclosing if change][-1:])
        self.drafts.append(draft)
        return len(self.drafts) - 1

    def alone(self, version: Version) -> bool:
        """Code of ``version`` is being lowered that the other one never gets to."""
        return bool(self.enclosing) and self.enclosing[-1][0] is version

    def note_change(self, node: int, change: int) -> None:
        if change:
            self.drafts[node].changes.add(change)

    def decision(self, node: int, expression: Expression) -> int:
        """The number of what a branch or a switch asks."""
        if not self.numbered:
            return 0
        version = None
        if self._stands_for is not None and self._stands_for[0] is expression:
            _, expression, version = self._stands_for
            self._stands_for = None
        place = expression.location
        if place == NOWHERE:
            place = self.drafts[node].location
        self.decisions.append(Decision(expression, place, node, version))
        return len(self.decisions)

    def stands_for(self, made: Expression, written: Expression, version: Version) -> None:
        """The next branch asks ``made``; of the source it is ``written``, in one version."""
        self._stands_for = made, written, version

    def note_call(self, node: int, function: str) -> None:
        if function in OUTPUT_FUNCTIONS:
            self.drafts[node].output = True

    def finished(self) -> list[Node]:
        return [
            Node(
                number,
                draft.function,
                draft.location,
                draft.text,
                draft.kind,
                frozenset(draft.changes),
                draft.version,
                draft.output,
            )
            for number, draft in enumerate(self.drafts)
        ]
