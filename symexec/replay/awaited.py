"""Executables that another process compiles: this one waits for the word that they are there.

builds = AwaitedBuilds(folder, {"old", "new", "mask"}, wants)
builds.start("new", PLAIN)           wants("new", PLAIN), once
builds.arrived(Built("new", PLAIN, executable))
builds.result("new", PLAIN).path     waits for that one
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Condition
from typing import TypeVar

from csg.errors import ToolchainError
from csg.records import record
from symexec.replay.build import SANITIZED, Executable

T = TypeVar("T")


@record
class Built:
    """``outcome``: what became of it, an error of the compiler too."""

    build: str
    style: str
    outcome: Executable | ToolchainError


class AwaitedBuilds:
    """``wants`` is called when something is wanted for the first time."""

    def __init__(
        self, folder: Path, names: frozenset[str], wants: Callable[[str, str], None]
    ) -> None:
        self.folder = folder
        self._names = names
        self._wants = wants
        self._wanted: set[tuple[str, str]] = set()
        self._made: dict[tuple[str, str], Executable | ToolchainError] = {}
        self._changed = Condition()
        self._runner: Path | ToolchainError | None = None
        self._over = False

    def arrived(self, built: Built) -> None:
        with self._changed:
            self._made[built.build, built.style] = built.outcome
            self._changed.notify_all()

    def runner_arrived(self, outcome: Path | ToolchainError) -> None:
        with self._changed:
            self._runner = outcome
            self._changed.notify_all()

    def stop(self) -> None:
        """Nothing more will come: whoever waits gets a ToolchainError."""
        with self._changed:
            self._over = True
            self._changed.notify_all()

    def has(self, name: str) -> bool:
        return name in self._names

    def runner(self) -> Path:
        with self._changed:
            while self._runner is None:
                self._wait()
            return _successful(self._runner)

    def start(self, name: str, style: str = SANITIZED) -> None:
        key = (name, style)
        with self._changed:
            if key in self._wanted or key in self._made:
                return
            self._wanted.add(key)
        self._wants(name, style)

    def done(self, name: str, style: str = SANITIZED) -> bool:
        return (name, style) in self._made

    def result(self, name: str, style: str = SANITIZED) -> Executable:
        self.start(name, style)
        with self._changed:
            while (name, style) not in self._made:
                self._wait()
            return _successful(self._made[name, style])

    def _wait(self) -> None:
        if self._over:
            raise ToolchainError("whoever compiles has left")
        self._changed.wait()

    def close(self) -> None:
        """They are not ours."""


def _successful(outcome: T | ToolchainError) -> T:
    if isinstance(outcome, ToolchainError):
        raise outcome
    return outcome
