"""Calls of csgtest that nobody would write: mutated pairs of programs, words that are no options.

    python -m benchmarks.fuzz --cases 2000 --seed 1         each ends with 0, 1 or 2 and a message

    old.c   int f(int x) { return x + 1; }        new.c   int f(int x) { return x + ) 1; }
    csgtest graph old.c new.c --what cfg --entry ''

A traceback, another exit code, or a case that takes longer than ``PATIENCE`` is a defect of ours;
what shows it is left in a folder.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import random
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cli
from symexec.options.commands import COMMANDS
from symexec.watchdog import Spent, Watchdog

ROOT = Path(__file__).parent.parent
PATIENCE = 20.0  # seconds for one case
LONGEST = 6_000  # characters of a program that is mutated
SEARCH = 8  # one case in so many runs a search as well, for a moment
TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|\w+|\s+|[^\w\s]')
_ODD = r"""
    { } ( ) [ ] ; , # ## \ ' " /* */ // ... -> . :: @ $ ` if else goto case default while switch
    return break struct union enum typedef static extern inline _Generic __attribute__ __asm__
    _Static_assert sizeof alignof typeof 0x 1e 08 0b12 1.e+ 99999999999999999999 change( change_(1,
    execute(OLD) NEW #line #include #if #define __VA_ARGS__ __COUNTER__ _Complex __int128 _Atomic
    _Thread_local __builtin_va_arg __label__ asm volatile register auto ?: <: %:
"""
ODD = (*_ODD.split(), "\0", "\x1b", "\u202e", "\udcff", "\n")
_VALUES = """
    - -- 0 -1 1 3 x x= x=1..2 x=2..1 x=.. x>1 x> y>1 f main nowhere 1e9 nan inf 0.2 /dev/null / . %s
    * 99999999999999999999999 ' x=0x.. A=3 = csg cfg svg text ast
"""
VALUES = (*_VALUES.split(), "", "\udcff", "\u0663", "x > ")


@dataclass(frozen=True, slots=True)
class Case:
    old: str
    new: str
    words: tuple[str, ...]


def programs() -> list[str]:
    """Texts to mutate."""
    folders = ("samples", "tests/programs", "benchmarks/kernels")
    files = sorted(file for folder in folders for file in (ROOT / folder).rglob("*.c"))
    texts = [file.read_text(errors="surrogateescape") for file in files]
    return [text for text in texts if len(text) <= LONGEST]


def cases(seed: int, number: int) -> Iterator[Case]:
    texts = programs()
    for at in range(number):
        chance = random.Random(f"{seed}-{at}")
        old = new = chance.choice(texts)
        for _ in range(chance.choice((1, 2, 4))):
            new = edited(new, chance)
        if at % 2:  # hardly any of these is C
            old = mutated(old, texts, chance) if chance.randrange(2) else old
            for _ in range(chance.choice((1, 1, 2, 8))):
                new = mutated(new, texts, chance)
        yield Case(old, new, words(chance))


def edited(text: str, chance: random.Random) -> str:
    """Mostly C still."""
    lines = text.splitlines(keepends=True)
    statements = [at for at, line in enumerate(lines) if " = " in line or ");" in line]
    places = list(re.finditer(r"\b\d+\b|(?<= )(?:[<>]=?|[!=]=|[-+])(?= )", text))
    match chance.randrange(4):
        case 0 if statements:
            del lines[chance.choice(statements)]
            return "".join(lines)
        case 1 if statements:
            at = chance.choice(statements)
            lines.insert(at, lines[at])
            return "".join(lines)
        case _ if places:
            place = chance.choice(places)
            other = str(chance.randrange(300))
            if not place[0].isdigit():
                other = chance.choice(("+", "-", "<", ">=", "==", "!="))
            return text[: place.start()] + other + text[place.end() :]
        case _:
            return text


def mutated(text: str, texts: list[str], chance: random.Random) -> str:
    tokens = TOKEN.findall(text) or [" "]
    at, other = sorted(chance.randrange(len(tokens)) for _ in range(2))
    match chance.randrange(8):
        case 0:
            del tokens[at]
        case 1:
            tokens.insert(at, f" {chance.choice(ODD)} ")
        case 2:
            tokens[at], tokens[other] = tokens[other], tokens[at]
        case 3:
            tokens[at] = chance.choice(tokens)
        case 4:
            del tokens[at : at + chance.randrange(30)]
        case 5:
            tokens[other:other] = tokens[at : at + chance.randrange(30)]
        case 6:
            donor = TOKEN.findall(chance.choice(texts))
            place = chance.randrange(len(donor))
            tokens[at:at] = donor[place : place + chance.randrange(40)]
        case _:
            number = chance.randrange(len(text) + 1)
            return text[:number] + chance.choice(ODD) + text[number + chance.randrange(3) :]
    return "".join(tokens)


def words(chance: random.Random) -> tuple[str, ...]:
    """A call about old.c and new.c; ``build`` replays nothing and has no time worth speaking of."""
    if chance.randrange(SEARCH) == 0:
        found = ["build", "old.c", "new.c", "--time", "0.3", "--no-replay", "--quiet"]
    else:
        found = [chance.choice(("unify", "graph")), "old.c", "new.c"]
    options = [row for row in COMMANDS[found[0]].arguments if row.names[0].startswith("-")]
    for _ in range(chance.choice((0, 0, 0, 1, 3))):
        row = chance.choice(options)
        name = chance.choice(row.names)
        if name in ("--time", "--out", "-o", "--output", "--memory"):
            continue
        found.append(name)
        takes = row.settings.get("nargs", 0 if row.settings.get("action") == "store_true" else 1)
        number = takes if isinstance(takes, int) else chance.randrange(3)
        sensible = list(row.settings.get("choices", ())) * 3
        found += [
            chance.choice((*VALUES, *sensible) if sensible else VALUES) for _ in range(number)
        ]
    if chance.randrange(8) == 0:
        found.insert(chance.randrange(len(found)), chance.choice(VALUES))
    if chance.randrange(8) == 0:
        found += ["--", *(chance.choice(("-DX", "-O9", "@x", "-std=x", "-I")) for _ in range(2))]
    return tuple(found)


def tried(case: Case, folder: Path) -> tuple[int, str]:
    """The exit code, and what is wrong with how csgtest takes the case; "" for nothing."""
    for name, text in (("old.c", case.old), ("new.c", case.new)):
        (folder / name).write_bytes(text.encode("utf-8", "surrogateescape"))
    told, watchdog = io.TextIOWrapper(io.BytesIO(), errors="backslashreplace"), Watchdog()
    began, before = time.monotonic(), Path.cwd()
    os.chdir(folder)
    try:
        with (
            contextlib.redirect_stdout(told),
            contextlib.redirect_stderr(told),
            watchdog.until(began + PATIENCE),
            watchdog.guard(),
        ):
            code = cli.main(case.words)
    except SystemExit as ended:
        code = int(ended.code or 0)
    except Spent as spent:
        return -1, f"{spent.what.value} is over"
    except BaseException as trouble:
        return -1, f"ends with {trouble!r}"
    finally:
        os.chdir(before)
    told.flush()
    shown = told.buffer.getvalue().decode(errors="replace")
    if "Traceback" in shown or "internal error" in shown:
        return code, shown[-2000:]
    if "this should not happen" in shown:
        return code, shown[-2000:]
    if code not in (0, 1, 2):
        return code, f"exit code {code}"
    silent = code == 2 and "error" not in shown
    return code, f"exit code 2, and says only {shown!r}" if silent else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="folder for what shows a defect")
    given = parser.parse_args()
    found, codes = 0, Counter[int]()
    with tempfile.TemporaryDirectory() as folder:
        for number, case in enumerate(cases(given.seed, given.cases)):
            code, wrong = tried(case, Path(folder))
            codes[code] += 1
            if not wrong:
                continue
            found += 1
            print(f"{number}: csgtest {' '.join(case.words)!a}\n{wrong}", flush=True)
            if given.keep is not None:
                kept = given.keep / str(number)
                kept.mkdir(parents=True, exist_ok=True)
                for name, text in (("old.c", case.old), ("new.c", case.new)):
                    (kept / name).write_bytes(text.encode("utf-8", "surrogateescape"))
    told = ", ".join(f"{count} with {code}" for code, count in sorted(codes.items()))
    print(f"{given.cases} cases, {found} defects; they end {told}")
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
