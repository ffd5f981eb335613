"""Build both originals and the unified program in its three ways, and run them.

Builds(tmp_path, old_text, new_text).check([["1"], ["2"]])
"""

from __future__ import annotations

import resource
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from csg.frontend import parse_text
from csg.unify import Unified, check, printed, unify
from csg.unify.output.printing import mask_text

COMPILE = ["gcc", "-std=gnu11", "-w", "-O0", "-fwrapv", "-ftrivial-auto-var-init=zero"]
SANITIZE = ["-fsanitize=address,undefined"]


def unification(old: str, new: str) -> Unified:
    """Checked as it is made."""
    unified = unify(parse_text(old, "old.c"), parse_text(new, "new.c"))
    assert check(unified, thorough=True) == []
    return unified


@dataclass(frozen=True)
class Run:
    status: int
    output: bytes
    messages: int  # lines on stderr: their text holds file names and lines


@dataclass
class Builds:
    """``old`` and ``new`` are the originals."""

    folder: Path
    old: str
    new: str
    unified: Unified = field(init=False)

    def __post_init__(self) -> None:
        self.unified = unification(self.old, self.new)

    def build(self, text: str, name: str, *flags: str) -> Path:
        source = self.folder / f"{name}.c"
        source.write_text(text)
        binary = self.folder / name
        subprocess.run([*COMPILE, *flags, str(source), "-o", str(binary), "-lm"], check=True)
        return binary

    def originals(self) -> tuple[Path, Path]:
        """The old version and the new one, as they are without us."""
        return self.build(self.old, "original_old"), self.build(self.new, "original_new")

    def versions(self) -> tuple[list[Path], list[Path]]:
        """Binaries of the old version and of the new one, the original first."""
        text = printed(self.unified, ids=True)
        masked = self.build(text, "masked")
        old, new = self.originals()
        return (
            [old, self.build(text, "unified_old", "-DCSGTEST_OLD"), masked],
            [new, self.build(text, "unified_new", "-DCSGTEST_NEW"), masked],
        )

    def check(self, inputs: list[list[str]] | None = None, stdin: bytes = b"") -> None:
        numbers = [change.id for change in self.unified.changes]
        masks = (mask_text([]), mask_text(numbers))
        for binaries, mask in zip(self.versions(), masks, strict=True):
            for arguments in inputs or [[]]:
                runs = [run(binary, arguments, stdin, mask) for binary in binaries]
                assert runs[1] == runs[0], f"{binaries[1].name} {arguments}"
                assert runs[2] == runs[0], f"mask {mask!r} {arguments}"


def run(binary: Path, arguments: list[str], stdin: bytes = b"", mask: str = "") -> Run:
    """A program that does not end is killed after a second of the processor."""
    done = subprocess.run(
        ["program", *arguments],
        executable=str(binary),
        input=stdin,
        capture_output=True,
        timeout=60,
        check=False,
        env={"CSGTEST_MASK": mask},
        preexec_fn=_one_second,
    )
    return Run(done.returncode, done.stdout, done.stderr.count(b"\n"))


def _one_second() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (1, 2))
