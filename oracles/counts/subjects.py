"""The programs of this folder and their mutants, which are recorded as edits.

    account.toml             program = "account.c", entry = "session", ranges, and for each mutant
                             name = "account-1", edits = [["opening > 0", "opening >= 0"]]

What an edit replaces must occur exactly once.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

COUNTS = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Mutant:
    """``ranges``: the inputs, parameter by parameter, with both bounds."""

    name: str
    kinds: str
    program: str
    entry: str
    ranges: tuple[tuple[str, int, int], ...]
    edits: tuple[tuple[str, str], ...]
    replay: bool = True  # False: so many paths that replaying each takes minutes

    @property
    def old(self) -> str:
        return (COUNTS / self.program).read_text()

    @property
    def new(self) -> str:
        text = self.old
        for before, after in self.edits:
            assert text.count(before) == 1, f"{self.name}: {before!r} is not there exactly once"
            text = text.replace(before, after)
        return text

    def write(self, folder: Path) -> tuple[Path, Path]:
        """Both versions as files."""
        old, new = folder / "old.c", folder / "new.c"
        old.write_text(self.old)
        new.write_text(self.new)
        return old, new


def subjects() -> dict[str, list[Mutant]]:
    """Each subject's mutants, in the order of the files' names."""
    return {path.stem: mutants(path) for path in sorted(COUNTS.glob("*.toml"))}


def mutants(path: Path) -> list[Mutant]:
    given = tomllib.loads(path.read_text())
    ranges = tuple((name, low, high) for name, (low, high) in given["ranges"].items())
    return [
        Mutant(
            each["name"],
            each["kinds"],
            given["program"],
            given["entry"],
            ranges,
            tuple((before, after) for before, after in each["edits"]),
            given.get("replay", True),
        )
        for each in given["mutants"]
    ]
