"""Run two versions of a function natively on random inputs and compare what they show.

    tried(pair, folder, count)  ->  (20000, None), or what was compared and the first input that
                                    tells them apart: "year = 1900"

The oracle of the pairs of this folder, apart from all that csgtest does: gcc compiles both
files and a loop (``alike.c``) that draws the parameters, leaves out what the options exclude, calls
both and compares result, parameters' memory and standard output. A program with ``main`` is started
again and again.
"""

from __future__ import annotations

import random
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from oracles.equivalence.pairs import Pair
from symexec.options import BuildOptions, InputOptions, Range
from symexec.options.arguments import parse

LOOP = Path(__file__).parent / "alike.c"
COMPILE = ("gcc", "-O1", "-w", "-fwrapv", "-fPIC")
RUNS_OF_MAIN = 150
BYTES = b"\n \t-n/*ab\x00\xff"


def tried(pair: Pair, old: Path, new: Path, folder: Path, count: int) -> tuple[int, str | None]:
    inputs = _inputs(pair)
    if pair.entry == "main":
        return _programs(old, new, inputs, folder)
    objects = [_shared(path, folder / f"{name}.so") for name, path in (("old", old), ("new", new))]
    text = _loop(old.read_text(), pair.entry, inputs)
    loop = folder / "loop.c"
    loop.write_text(text)
    program = folder / "loop"
    _run(["gcc", "-O1", "-w", "-fwrapv", "-o", str(program), str(loop), "-ldl"])
    words = _run([str(program), *map(str, objects), str(count)]).decode().split(" ", 1)
    return int(words[0]), words[1].strip() or None


def _inputs(pair: Pair) -> InputOptions:
    options = parse(["build", "old.c", "new.c", "--entry", pair.entry, *pair.options]).options
    assert isinstance(options, BuildOptions)
    return options.inputs


def _shared(source: Path, target: Path) -> Path:
    _run([*COMPILE, "-shared", "-Wl,-Bsymbolic", "-o", str(target), str(source)])
    return target


def _run(command: list[str]) -> bytes:
    done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    return done.stdout


# ---------------------------------------------------------------------- a function


@dataclass(frozen=True, slots=True)
class Drawn:
    """A parameter: what the loop has in its place. ``room``: elements behind a pointer, else 0;
    what is behind it is kept three times, as drawn and for each version."""

    type: str
    name: str
    room: int
    bounds: Range | None

    @property
    def declared(self) -> str:
        copies = f"[3][{self.room}]" if self.room else ""
        return f"static {self.type} {self.name}{copies};"

    @property
    def drawn(self) -> str:
        if not self.room:
            within = self.bounds and f"within({self.bounds.low}L, {self.bounds.high}L)"
            return f"{self.name} = {within or 'any()'};"
        end = f"{self.name}[0][{self.room - 1}] = 0;" if self.type.endswith("char") else ""
        return f"draw({self.name}[0], sizeof **{self.name}, {self.room}); {end}"

    @property
    def copied(self) -> str:
        return f"memcpy({self.passed}, {self.name}[0], sizeof {self.name}[0]);" if self.room else ""

    @property
    def passed(self) -> str:
        return f"{self.name}[side]" if self.room else self.name

    @property
    def alike(self) -> str:
        name = self.name
        return f"&& !memcmp({name}[1], {name}[2], sizeof {name}[0])" if self.room else ""

    @property
    def shown(self) -> str:
        element = f"{self.name}[0][0]" if self.room else self.name
        return f'show("{self.name}", &{element}, sizeof {element}, {self.room or 1});'


def _loop(source: str, entry: str, inputs: InputOptions) -> str:
    """``alike.c`` with what is special to the function."""
    found = re.search(rf"^([a-z][\w ]*?[ *]+){entry}\(([^)]*)\)\s*{{", source, re.MULTILINE)
    assert found is not None, f"no definition of {entry}"
    parameters = [_drawn(each, inputs) for each in found[2].split(",")]
    floats = int(any("float" in each.type for each in parameters))
    parts = {
        "DECLARED": (each.declared for each in parameters),
        "DRAWN": (each.drawn for each in parameters),
        "ASSUMED": [" && ".join(f"({each})" for each in inputs.assumptions) or "1"],
        "BEFORE": (each.copied for each in parameters),
        "CALL": [_call(found[1].strip(), found[2], parameters)],
        "ALIKE": (each.alike for each in parameters),
        "SHOWN": (each.shown for each in parameters),
        "ENTRY": [f'"{entry}"'],
    }
    text = f"#define FLOATS {floats}\n{LOOP.read_text()}"
    for place, what in parts.items():
        text = text.replace(f"/*{place}*/", " ".join(what))
    return text


def _drawn(text: str, inputs: InputOptions) -> Drawn:
    found = re.fullmatch(r"\s*(?:const )?(.*?)\s*(\*?)\s*(?:restrict\s+)?(\w+)\s*", text)
    assert found is not None, text
    kind, star, name = found.groups()
    room = inputs.elements + kind.endswith("char") if star else 0
    return Drawn(kind, name, room, inputs.range_of(name))


def _call(result: str, declared: str, parameters: list[Drawn]) -> str:
    call = f"(({result} (*)({declared}))called)({', '.join(each.passed for each in parameters)})"
    if result == "void":
        return call
    return f"remember_{'text' if result.endswith('*') else 'number'}({call})"


# ---------------------------------------------------------------------- a program


def _programs(old: Path, new: Path, inputs: InputOptions, folder: Path) -> tuple[int, str | None]:
    chosen = random.Random(1)
    programs = [folder / "old", folder / "new"]
    for source, program in zip((old, new), programs, strict=True):
        _run(["gcc", "-O1", "-w", "-fwrapv", "-o", str(program), str(source)])
    for number in range(RUNS_OF_MAIN):
        words, stdin = _line(inputs, chosen)
        shown = [
            subprocess.run([program, *words], input=stdin, capture_output=True, check=False)
            for program in programs
        ]
        if len({(each.returncode, each.stdout, each.stderr) for each in shown}) > 1:
            return number, f"{words} {stdin!r}"
    return RUNS_OF_MAIN, None


def _line(inputs: InputOptions, chosen: random.Random) -> tuple[list[bytes], bytes]:
    asked = inputs.arguments
    count = chosen.randint(asked.minimum, asked.maximum) if asked else 0
    words = [_text(chosen, asked.length).split(b"\0")[0] for _ in range(count)] if asked else []
    return words, _text(chosen, inputs.stdin or 0)


def _text(chosen: random.Random, most: int) -> bytes:
    return bytes(chosen.choice(BYTES) for _ in range(chosen.randint(0, most)))
