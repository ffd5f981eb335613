"""Attack two versions without any search before it.

tests = attacked(tmp_path, old, new, "f")      what the attack alone shows
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from symexec.campaign.building import BuildJob
from symexec.ledger import Omission
from symexec.options.arguments import parse
from symexec.testcases import TestCase
from symexec.testcases.inputs import Json


@dataclass(frozen=True, slots=True)
class Attacked:
    tests: list[TestCase]
    omissions: list[Omission]
    facts: dict[str, Json]


def attacked(
    folder: Path, old: str, new: str, *words: str, seconds: float = 20.0, inputs: int = 20_000
) -> Attacked:
    """``seconds`` and ``inputs`` at most; what comes first ends it."""
    folder.mkdir(exist_ok=True)
    (folder / "old.c").write_text(old)
    (folder / "new.c").write_text(new)
    files = [str(folder / name) for name in ("old.c", "new.c")]
    options = parse(["build", *files, "--no-config", *words]).options
    job = BuildJob(options)  # type: ignore[arg-type]
    try:
        job.prepare()
        attack = job.attack()
        assert attack is not None
        attack.wait()
        until = time.monotonic() + seconds
        tests = list(
            attack.cases(
                lambda: time.monotonic() < until and int(attack.facts()["inputs"]) < inputs
            )
        )
        return Attacked(tests, list(attack.omissions), attack.facts())
    finally:
        job.close()
