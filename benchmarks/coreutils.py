"""Run GNU coreutils in the engine and natively, and compare -> docs/coreutils.md.

    python -m benchmarks.coreutils                          fetch, configure, make, compare, write
    python -m benchmarks.coreutils --tree DIR cut seq       a tree that is there; these utilities

Debian's source package is fetched with apt-get source, by a configuration of its own, configured
and built once; nothing of it is kept. The gnulib files that a utility needs are read from the
symbols of the native build. Standard output, standard error and exit status have to be equal.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from benchmarks.coreutils_lines import FILES, LINES, command_lines
from benchmarks.foreign import private_apt
from csg.errors import CsgtestError
from csg.ir import Program
from symexec.exploration.concrete_run import run_program
from symexec.exploration.start import loaded_program
from symexec.runtime.filesystem.nodes import FILE, Contents, Node, disk
from symexec.runtime.library import unmodelled

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "docs" / "coreutils.md"
FLAGS = ("-I.", "-Ilib", "-Isrc", "-DHAVE_CONFIG_H", "-DNO_ASM")  # factor's, which has C beside it
CONFIGURATION = (  # what Debian takes from other libraries is taken from gnulib
    "--disable-nls",
    "--without-libgmp",
    "--with-included-regex",
)
PROCESSOR = "#define USE_AVX2_WC_LINECOUNT 1\n"  # a faster wc -l with vector instructions
LIMIT = 10  # seconds of the processor for one command line in the engine
SLOW = f"not finished in {LIMIT} s"
_NONE: Mapping[str, str] = MappingProxyType({})
PATIENCE = 2  # lines of a utility that may take longer; the rest is not run then


@dataclass(frozen=True, slots=True)
class Result:
    """What one command line did."""

    out: bytes
    err: bytes
    status: int


@dataclass(frozen=True, slots=True)
class Compared:
    """``trouble`` says why a utility could not be loaded; ``wrong`` pairs lines with what went
    wrong."""

    utility: str
    lines: int
    wrong: tuple[tuple[str, str], ...] = ()
    trouble: str = ""
    files: int = 0
    load_s: float = 0.0


# ---------------------------------------------------------------------- the package


def built(tree: Path | None, folder: Path, utilities: Sequence[str]) -> Path:
    """The tree that is given, or one that is fetched and built below ``folder``."""
    if tree is not None:
        return tree.resolve()
    fresh = fetch(folder / "package")
    make(fresh, utilities)
    return fresh


def fetch(folder: Path) -> Path:
    """Source of coreutils, configured, in a folder that apt's own files are in, too."""
    folder.mkdir()
    configuration = {"APT_CONFIG": str(private_apt(folder))}
    _step(["apt-get", "update"], folder, 300, configuration)
    _step(["apt-get", "source", "coreutils"], folder, 300, configuration)
    (tree,) = (path for path in folder.glob("coreutils-*") if path.is_dir())
    _step(["./configure", *CONFIGURATION], tree, 1200)
    header = tree / "lib" / "config.h"
    header.write_text(header.read_text().replace(PROCESSOR, ""))
    return tree


def make(tree: Path, utilities: Sequence[str]) -> None:
    """The generated headers first: a plain ``make src/cut`` does not know them."""
    with tempfile.NamedTemporaryFile("w", suffix=".mk") as rule:
        rule.write("built-sources: $(BUILT_SOURCES)\n")
        rule.flush()
        _step(["make", "-f", "Makefile", "-f", rule.name, "built-sources"], tree, 600)
    _step(["make", *(f"src/{utility}" for utility in utilities)], tree, 1800)


def _step(
    command: Sequence[str], folder: Path, limit: float, variables: Mapping[str, str] = _NONE
) -> None:
    environment = {**os.environ, "FORCE_UNSAFE_CONFIGURE": "1", **variables}
    print("  " + " ".join([*command[:1], *command[-2:]]), flush=True)
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, timeout=limit, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr.decode(errors='replace')[-2000:]}")


# ---------------------------------------------------------------------- files of a utility


Symbols = dict[str, tuple[set[str], set[str]]]  # an object file: what it defines and what it needs


def symbols_of(file: Path) -> Symbols:
    listed = subprocess.run(["nm", str(file)], capture_output=True, text=True, check=True).stdout
    found: Symbols = {}
    member = file.name
    for line in listed.splitlines():
        match line.split():
            case [name] if name.endswith(".o:"):
                member = name[:-1]
            case ["U", name]:
                found.setdefault(member, (set(), set()))[1].add(name)
            case [_, kind, name] if kind.isupper():
                found.setdefault(member, (set(), set()))[0].add(name)
            case _:
                pass
    return found


def libraries(tree: Path) -> Symbols:
    """Every object file that a utility may be linked with."""
    found = symbols_of(tree / "lib" / "libcoreutils.a")
    for file in sorted(tree.glob("src/*.o")):
        members = symbols_of(file)
        if not any("main" in defined for defined, _ in members.values()):
            found |= members
    return found | symbols_of(tree / "src" / "libver.a")


def load(tree: Path, utility: str) -> tuple[Program, list[Path]]:
    """The program and its files, the main one first: those that the linker takes, then those that
    define what the compiler had left out as never called."""
    members = libraries(tree)
    definitions = {name: member for member, (defined, _) in members.items() for name in defined}
    needed: dict[str, None] = {}
    waiting = list(symbols_of(tree / "src" / f"{utility}.o")[f"{utility}.o"][1])
    while True:
        while waiting:
            member = definitions.get(waiting.pop())
            if member is not None and member not in needed:
                needed[member] = None
                waiting += members[member][1]
        files = [Path(f"src/{utility}.c"), *(source_of(tree, member) for member in sorted(needed))]
        with chdir(tree):
            program = loaded_program(files[0], FLAGS, "main", files[1:])
        waiting = [name for name in unmodelled(program) if name in definitions]
        if not waiting:
            return program, files


def source_of(tree: Path, member: str) -> Path:
    name = re.sub(r"^lib\w+_a-", "", member).removesuffix(".o") + ".c"
    found = sorted([*tree.glob(f"lib/**/{name}"), *tree.glob(f"src/{name}")])
    return found[0].relative_to(tree)


# ---------------------------------------------------------------------- running


def natively(tree: Path, words: Sequence[str], stdin: bytes) -> Result:
    done = subprocess.run(
        words,
        executable=tree / "src" / words[0],
        input=stdin,
        env={},
        capture_output=True,
        timeout=20,
        check=False,
    )
    status = done.returncode if done.returncode >= 0 else 128 - done.returncode
    return Result(done.stdout, done.stderr, status)


def in_engine(program: Program, words: Sequence[str], stdin: bytes) -> Result:
    written = {1: bytearray(), 2: bytearray()}
    status = run_program(
        program,
        [os.fsencode(word) for word in words],
        Contents(tuple(stdin), len(stdin)),
        disk(
            (name.encode(), Node(FILE, contents=Contents(tuple(data), len(data))))
            for name, data in FILES.items()
        ),
        lambda stream, data: written[stream].extend(data),
    )
    return Result(bytes(written[1]), bytes(written[2]), status)


class _Slow(Exception):
    pass


def _ring(number: int, frame: object) -> None:
    raise _Slow


def compare(tree: Path, utility: str, folder: Path) -> Compared:
    lines = command_lines(utility)
    started = time.monotonic()
    try:
        program, files = load(tree, utility)
    except CsgtestError as trouble:
        return Compared(utility, len(lines), trouble=_short(str(trouble)))
    loaded = time.monotonic() - started
    wrong: list[tuple[str, str]] = []
    with chdir(folder):
        for line, words, stdin in lines:
            slow = sum(reason == SLOW for _, reason in wrong)
            reason = "not run"
            if slow < PATIENCE:
                reason = _compared(tree, program, [utility, *words], stdin)
            if reason:
                wrong.append((line, reason))
    return Compared(utility, len(lines), tuple(wrong), files=len(files), load_s=loaded)


def _compared(tree: Path, program: Program, words: Sequence[str], stdin: bytes) -> str:
    """Why the two do not agree; empty when they do."""
    expected = natively(tree, words, stdin)
    signal.signal(signal.SIGVTALRM, _ring)
    signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT)
    try:
        got = in_engine(program, words, stdin)
    except _Slow:
        return SLOW
    except CsgtestError as trouble:
        return _short(str(trouble))
    except Exception as trouble:  # a defect of ours is a line of the table
        return f"internal error: {type(trouble).__name__}: {_short(str(trouble))}"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    if got == expected:
        return ""
    parts = []
    if got.status != expected.status:
        parts.append(f"exit status {got.status}, native {expected.status}")
    if got.out != expected.out:
        parts.append("standard output differs")
    if got.err != expected.err:
        parts.append("standard error differs")
    return ", ".join(parts)


def _short(text: str) -> str:
    return text.splitlines()[0][:160] if text else ""


# ---------------------------------------------------------------------- the table


def document(results: Sequence[Compared], version: str) -> str:
    agreed = sum(each.lines - len(each.wrong) for each in results if not each.trouble)
    total = sum(each.lines for each in results)
    rows = "\n".join(
        f"| {each.utility} | {each.files} | {each.load_s:.1f} | {each.lines} | "
        + (each.trouble if each.trouble else str(each.lines - len(each.wrong)))
        + " |"
        for each in results
    )
    left = "\n".join(
        f"| `{each.utility} {line.replace('|', chr(92) + '|')}` | {reason.replace('|', '/')} |"
        for each in results
        for line, reason in each.wrong
    )
    return f"""# GNU coreutils in the engine

Written by `python -m benchmarks.coreutils`, which fetches Debian's source package ({version}),
configures it (without gmp, with gnulib's regex), builds it, loads each utility with the gnulib
files that it links (with `-DNO_ASM`, so that factor's arithmetic is its C), and runs the command
lines of `benchmarks/coreutils_lines.py` natively and with the engine. With `--tree` it takes a tree
as it is, and with names only those utilities. A line agrees when standard output, standard error
and exit status are equal. Seconds are those of the clock, whatever else the machine did.

**{agreed} of {total} command lines agree.**

| utility | files | seconds to load | command lines | agree |
|---|---|---|---|---|
{rows}

## What does not agree yet

| command line | difference |
|---|---|
{left or "| nothing | |"}
"""


def _not_run(utility: str) -> Compared:
    return Compared(utility, len(command_lines(utility)), trouble="not run")


def _print_result(result: Compared) -> None:
    shown = result.trouble or f"{result.lines - len(result.wrong)} of {result.lines} agree"
    print(f"{result.utility}: {shown}", flush=True)
    for line, reason in result.wrong:
        print(f"    {result.utility} {line}   {reason}", flush=True)


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="compare coreutils in the engine and natively")
    parser.add_argument("utilities", nargs="*", default=list(LINES), help="default: all")
    parser.add_argument("--tree", type=Path, help="configured and built source, else it is fetched")
    parser.add_argument("--jobs", type=int, default=2, help="utilities at a time (default: 2)")
    parser.add_argument("--write", action="store_true", help=f"write {TABLE.name} of this run")
    given = parser.parse_args(words)
    with tempfile.TemporaryDirectory(prefix="coreutils-") as name:
        folder = Path(name)
        tree = built(given.tree, folder, given.utilities)
        data = folder / "data"
        data.mkdir()
        for file, content in FILES.items():
            (data / file).write_bytes(content)
        found: dict[str, Compared] = {}
        with ProcessPoolExecutor(max_workers=given.jobs) as pool:
            jobs = [pool.submit(compare, tree, utility, data) for utility in given.utilities]
            for job in as_completed(jobs):
                _print_result(job.result())
                found[job.result().utility] = job.result()
                results = [found.get(each, _not_run(each)) for each in LINES]
                if given.write or not given.tree:
                    TABLE.write_text(document(results, tree.name))
    return int(any(each.wrong or each.trouble for each in found.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
