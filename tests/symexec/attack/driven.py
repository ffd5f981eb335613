"""Compile a driver with a function that says what it is given, and run it by itself.

driven = compiled(folder, "int f(int x) { say(\\"%d\\", x); return x; }")
driven.given(1000)      ["7", "-1", ...]: what f said of 1000 inputs
driven.shown(5)         "input ... output returned 7 ...": the driver's words of input 5
"""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import symexec.replay
from csg.frontend import parse_text
from csg.language.syntax import Symbol
from symexec.attack.drivers import drivers
from symexec.attack.words import words_of
from symexec.options import InputOptions

# Descriptor 9 is the file of what is said.
HEAD = """\
extern int dprintf(int, const char *, ...);
#define say(...) (dprintf(9, __VA_ARGS__), dprintf(9, "\\n"))
"""
WRAPPED = [f"-Wl,--wrap={name}" for name in ("malloc", "calloc", "realloc", "free")]
RUN = 'exec ./driver 3<>asked 9>>"$1"'


@dataclass(frozen=True, slots=True)
class Driven:
    folder: Path
    whole: int | None

    def given(self, count: int, first: int = 0) -> list[str]:
        """What the function said, in the order of inputs."""
        said = self.folder / "said"
        said.unlink(missing_ok=True)
        self._run(first, count, 0, False)
        return said.read_text("latin-1").splitlines()

    def shown(self, number: int, fill: int = 0) -> str:
        """What the driver says of one input."""
        data = self._run(number, 1, fill, True)
        return data[struct.calcsize("<QII") :].decode("latin-1")

    def unusual(self, count: int) -> set[int]:
        """What the driver calls unusual of its inputs, each bit by itself."""
        data = self._run(0, count, 0, False)
        bits = 0
        for _, _, unusual in struct.iter_unpack("<QII", data[: len(data) // 16 * 16]):
            bits |= unusual
        return {1 << at for at in range(16) if bits >> at & 1}

    def _run(self, first: int, count: int, fill: int, verbose: bool) -> bytes:
        asked = self.folder / "asked"
        asked.write_text(f"run 1 {first} {count} 60000 1000 {fill} 0 {int(verbose)}\n")
        subprocess.run(["sh", "-c", RUN, "sh", "said"], cwd=self.folder, check=True)
        return asked.read_bytes()


def compiled(
    folder: Path,
    text: str,
    may_be_null: Collection[str] = (),
    inputs: InputOptions | None = None,
    has_restrict: bool = False,
) -> Driven:
    """The driver of the function ``f``."""
    folder.mkdir(exist_ok=True)
    whole = HEAD.replace("#define say(...) ", "extern int say(const char *, ...);\n//") + text
    unit = parse_text(whole, "t.c")
    entry = next(each for each in unit.functions if each.symbol.name == "f")
    objects: list[Symbol] = [each.symbol for each in unit.declarations if each.symbol.defined]
    made = drivers(
        entry,
        objects,
        words_of([unit]),
        inputs or InputOptions("f"),
        frozenset(may_be_null),
        has_restrict,
    )
    (folder / "f.c").write_text(f"{HEAD}{text}\n{made.text}")
    common = Path(symexec.replay.__file__).parent / "driver.c"
    command = ["gcc", "-O0", "-w", f"-I{common.parent}", "f.c", str(common), "-o", "driver"]
    subprocess.run([*command, *WRAPPED, "-lm"], cwd=folder, check=True)
    return Driven(folder, made.whole)
