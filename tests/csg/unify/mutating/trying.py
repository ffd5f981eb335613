"""Unify a generated pair, build it in every way, and run it beside its originals.

try_pair(pair, folder)   ->   "held", "no C", or "undefined"; AssertionError when it does not hold

A mutant that gcc refuses, or whose behaviour C does not define, says nothing about unifying. The
sanitizers are asked only when something differs: most of the time nothing does.
"""

from __future__ import annotations

import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path
from random import Random

from csg.unify import printed
from csg.unify.output.printing import mask_text
from tests.csg.unify.building import COMPILE, SANITIZE, Run, run, unification
from tests.csg.unify.mutating.pairs import Pair

WORDS = ("-n", "3", "word", "-x", "", "12", "a b", "--", "-h", "0", "5-10-", "0-", "2-4,7", "-100")
LETTERS = b"ab 12\n.-(+),"
Input = tuple[list[str], bytes]


def inputs(seed: str) -> list[Input]:
    random = Random(seed)
    words = [random.choice(WORDS) for _ in range(random.randrange(1, 4))]
    number = str(random.choice((-1, 0, 1, 7, 100, 105, 65536, -65536)))
    text = bytes(random.choice(LETTERS) for _ in range(random.randrange(40)))
    return [([], b""), (words, text), ([number, "-100"], text)]


@dataclass(frozen=True, slots=True)
class Program:
    """A text compiled with some flags."""

    text: str
    binary: Path

    def runs(self, given: Input, mask: str = "") -> Run | None:
        """None when it does not end."""
        seen = run(self.binary, *given, mask)
        return None if seen.status == -signal.SIGXCPU else seen


def compiled(text: str, folder: Path, name: str, *flags: str) -> Program | None:
    source, binary = folder / f"{name}.c", folder / name
    source.write_text(text, errors="surrogateescape")
    command = [*COMPILE, *flags, str(source), "-o", str(binary), "-lm"]
    done = subprocess.run(command, capture_output=True, check=False)
    return Program(text, binary) if done.returncode == 0 else None


def try_pair(pair: Pair, folder: Path) -> str:
    old, new, edits = pair.texts()
    return try_texts(old, new, f"{pair.seed} {edits}", folder)


def try_texts(old: str, new: str, title: str, folder: Path) -> str:
    originals = compiled(old, folder, "old"), compiled(new, folder, "new")
    if originals[0] is None or originals[1] is None:
        return "no C"
    unified = unification(old, new)
    text = printed(unified, ids=True)
    masked = compiled(text, folder, "masked")
    sides = [compiled(text, folder, f"as_{name}", f"-DCSGTEST_{name}") for name in ("OLD", "NEW")]
    assert masked is not None and None not in sides, f"{title}: the unified program is no C"
    masks = mask_text([]), mask_text(change.id for change in unified.changes)
    for original, side, mask in zip(originals, sides, masks, strict=True):
        assert original is not None and side is not None
        for given in inputs(title):
            seen = original.runs(given)
            if seen is None:
                return "undefined"
            found = side.runs(given), masked.runs(given, mask)
            if found != (seen, seen):
                assert not _defined(original, given, folder), f"{title} {given}: {seen} {found}"
                return "undefined"
    return "held"


def _defined(program: Program, given: Input, folder: Path) -> bool:
    """It does the same each time, and the sanitizers have nothing to say."""
    if program.runs(given) != program.runs(given):
        return False
    careful = compiled(program.text, folder, "careful", *SANITIZE)
    assert careful is not None
    arguments, stdin = given
    command = [str(careful.binary), *arguments]
    done = subprocess.run(command, input=stdin, capture_output=True, timeout=20, check=False)
    return b"Sanitizer" not in done.stderr and b"runtime error" not in done.stderr
