"""Output folders that somebody has changed.

for name, change in CHANGES:
    change(folder)        report.json has another value somewhere, or is no file at all
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

Change = Callable[[Path], None]
VALUES: tuple[Any, ...] = (
    *(None, -1, 0, 1 << 70, "", 0.5, 1e308, True, [], {}, [[]], [None], {"a": 1}, ["a"], [1, 2]),
    *("\0", "\x1b[2J", "\u202ea", "\ud800", "x" * 100_000, "/dev/zero", "../../../../etc/passwd"),
    *("NaN", "0", "same", "different", "regression", "c1", "g1", "t0001"),
)
RANDOM = 290  # changes of a value


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container with each of its keys."""
    waiting = [value]
    while waiting:
        top = waiting.pop()
        for key in list(top) if isinstance(top, dict) else range(len(top)):
            yield top, key
            if isinstance(top[key], dict | list):
                waiting.append(top[key])


def _tampered(folder: Path, seed: int) -> None:
    """Up to three values are others, or gone."""
    random = Random(seed)
    file = folder / "report.json"
    value = json.loads(file.read_text())
    for _ in range(random.choice((1, 1, 1, 3))):
        container, key = random.choice([*places(value)])
        if random.random() < 0.15:
            del container[key]
        else:
            container[key] = random.choice(VALUES)
    file.write_text(json.dumps(value))


def _instead(folder: Path, name: str, make: Change) -> None:
    (folder / name).unlink(missing_ok=True)
    make(folder / name)


def _of_bytes(file: Path, content: bytes) -> None:
    file.write_bytes(content)


def _of_holes(file: Path) -> None:
    with file.open("wb") as stream:
        stream.truncate(1 << 40)


def _of_socket(file: Path) -> None:
    here = os.getcwd()
    os.chdir(file.parent)  # the name of a socket is short
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(file.name)
    finally:
        os.chdir(here)


def _link(file: Path, to: str) -> None:
    file.symlink_to(to)


_FILES: dict[str, Change] = {
    "an endless device": partial(_link, to="/dev/zero"),
    "a terminal": partial(_link, to="/dev/tty"),
    "a pipe": os.mkfifo,
    "a socket": _of_socket,
    "a folder": Path.mkdir,
    "a link to itself": partial(_link, to="report.json"),
    "a link to nothing": partial(_link, to="nowhere"),
    "a file of its user": partial(_link, to="/etc/passwd"),
    "a terabyte of holes": _of_holes,
    "nothing": partial(_of_bytes, content=b""),
    "no UTF-8": partial(_of_bytes, content=b'{"old": "\xff"}'),
    "deep": partial(_of_bytes, content=b"[" * 200_000),
    "a list": partial(_of_bytes, content=b"[]"),
    "a number": partial(_of_bytes, content=b"1" * 10_000),
    "two values": partial(_of_bytes, content=b"{}{}"),
}


def changes() -> Iterator[tuple[str, Change]]:
    for kind, make in _FILES.items():
        yield f"report is {kind}", partial(_instead, name="report.json", make=make)
    for name in ("runs.json", ".sealed", ".csgtest"):
        for kind in ("an endless device", "a pipe", "a folder", "a list", "no UTF-8", "deep"):
            yield f"{name} is {kind}", partial(_instead, name=name, make=_FILES[kind])
    for seed in range(RANDOM):
        yield f"value {seed}", partial(_tampered, seed=seed)


CHANGES = [*changes()]
