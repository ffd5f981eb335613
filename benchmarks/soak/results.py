"""What units found, a line of JSON for each, and the page that tells of all -> docs/soak.md.

records = Records(Path("outcomes.jsonl"))
records.add(outcome, at=61.5)           61.5 s after this run of the soak began
records.failing()                       names of units whose last outcome was a failure
write(records)
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.soak.faults import FAULTS
from benchmarks.soak.units import Outcome, named

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "soak.md"
HEAD = """\
# Hours of random pairs and faults

Written by `python -m benchmarks.soak` (`make soak`: two hours on two cores; `--minutes 60 --resume`
adds to the figures). A unit is a random pair of versions that `csgtest build` judges twice: under
a fault, or under none, and then, in the same folder, undisturbed, by the other solver (z3) and with
an option that changes no verdict. Of each run it is asked:

- Is the verdict that of the programs? Both versions run natively, built by the soak itself, on
  every input within the bounds where these are few, else on thousands; each difference that csgtest
  shows is run once more by the soak, plain and with sanitizers, and what a function returned is
  compared.
- Do both runs, and the exit code and the report, say the same? Is a verdict that claims little
  explained? Is csgtest content with itself: nothing mispredicted, no branch but those of the path?
- No traceback, no exit code that is not documented, no exit code 2 without a message; no process,
  no temporary file, no half-written entry of the cache and no shared memory left; no control
  characters on the terminal; no more CPU time than asked for.
- After a run without fault: does `csgtest replay` show the same, does it refuse a report that was
  changed at random, and take it with `--trust` without a traceback?

`python -m benchmarks.soak --only GENERATOR:FAULT:SEED` repeats a unit alone; what fails leaves a
folder with the programs, the calls, and what was said. `--again` runs everything that failed once
more, on the tree as it is then.

*open*: neither version is proved equal nor shown to differ (exit code 0 with reasons, 2 with a
message, a signal that the fault sent, a report on a disk that was full); *missed*: of these, runs
on pairs that do differ.
"""


def line(outcome: Outcome) -> str:
    told = ", ".join(outcome.verdicts) or outcome.left_out
    state = "FAILS" if outcome.complaints else "ok"
    missed = f", {outcome.missed} missed" if outcome.missed else ""
    return f"{state:5} {outcome.unit:45} {outcome.seconds:6.1f} s  {told}{missed}"


class Records:
    """``file`` has a line for each outcome and each note, in the order they came."""

    def __init__(self, file: Path, fresh: bool = False) -> None:
        self.file = file
        self.session = time.time()
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if fresh:
            file.unlink(missing_ok=True)
        lines = file.read_text().splitlines() if file.exists() else []
        self.lines: list[dict[str, Any]] = [json.loads(each) for each in lines]

    def add(self, outcome: Outcome, at: float = 0.0, again: bool = False) -> None:
        self._append({**asdict(outcome), "session": self.session, "at": at, "again": again})

    def note(self, unit: str, text: str) -> None:
        """What became of a failure."""
        self._append({"unit": unit, "note": text})

    def _append(self, value: dict[str, Any]) -> None:
        self.lines.append(value)
        with self.file.open("a") as stream:
            stream.write(json.dumps(value) + "\n")

    def units(self) -> list[dict[str, Any]]:
        """Outcomes as they were first."""
        return [each for each in self.lines if not each.get("again", True)]

    def failed(self) -> list[str]:
        """Every unit that ever failed."""
        return list(dict.fromkeys(e["unit"] for e in self.lines if e.get("complaints")))

    def failing(self) -> list[str]:
        last = {each["unit"]: each for each in self.lines if "complaints" in each}
        return [name for name, each in last.items() if each["complaints"]]

    def notes(self) -> dict[str, str]:
        return {each["unit"]: each["note"] for each in self.lines if "note" in each}

    def next_number(self, seed: int) -> int:
        """Of the first unit of this seed that was not tried."""
        numbers = [named(each["unit"]).seed - seed * 1_000_000 for each in self.units()]
        return max((each for each in numbers if 0 <= each < 1_000_000), default=-1) + 1

    def minutes(self) -> float:
        """On the clock, all runs of the soak together."""
        ends: dict[float, float] = {}
        for each in self.units():
            ends[each["session"]] = max(ends.get(each["session"], 0.0), each["at"])
        return sum(ends.values()) / 60

    def longest(self) -> tuple[float, int]:
        """The longest time without a failure: minutes, and units."""
        best, minutes, units = (0.0, 0), 0.0, 0
        session, before = 0.0, 0.0
        for each in self.units():
            if each["session"] != session:
                session, before = each["session"], 0.0
            minutes += max(each["at"] - before, 0.0) / 60
            units += 1
            before = max(each["at"], before)
            if each["complaints"]:
                minutes, units = 0.0, 0
            best = max(best, (minutes, units))
        return best

    def summary(self) -> str:
        units = self.units()
        failed, failing = self.failed(), self.failing()
        minutes, count = self.longest()
        return (
            f"{self.minutes():.0f} minutes, {len(units):,} units, {len(failed)} of them failed, "
            f"{len(failing)} still do; the longest time without a failure: {minutes:.0f} minutes, "
            f"{count} units"
        )


def write(records: Records) -> None:
    DOCUMENT.write_text(document(records))


def document(records: Records) -> str:
    units = records.units()
    ran = [each for each in units if each["verdicts"]]
    cells = {
        "minutes on the clock": f"{records.minutes():,.0f}",
        "units": f"{len(ran):,}",
        "runs of csgtest": f"{sum(len(each['verdicts']) for each in ran):,}",
        "their CPU time, minutes": f"{sum(each['cpu'] for each in ran) / 60:,.0f}",
        "inputs tried natively": f"{sum(each['inputs'] for each in ran):,}",
        "checks": f"{sum(each['checks'] for each in ran):,}",
        "units that failed": f"{len(records.failed()):,}",
        "units that still fail": f"{len(records.failing()):,}",
        "longest time without a failure": "{:,.0f} minutes, {:,} units".format(*records.longest()),
    }
    lines = [HEAD, "| all | |", "|---|---:|"]
    lines += [f"| {name} | {value} |" for name, value in cells.items()]
    lines += [
        "",
        *_table("generator", ran, 0),
        "",
        *_table("fault", ran, 1),
        "",
        *_failures(records),
    ]
    return "\n".join(lines) + "\n"


def _table(what: str, units: Sequence[dict[str, Any]], part: int) -> Iterator[str]:
    counted = ("different", "equivalent-within-bounds", "no-change")
    shown = ("different", "equivalent", "no change")
    extra = " part | asked for |" if part else ""
    yield f"| {what} |{extra} units | {' | '.join(shown)} | open | missed | failed |"
    yield f"|---|{'---|---|' if part else ''}" + "---:|" * (len(shown) + 4)
    for name in sorted({each["unit"].split(":")[part] for each in units}):
        mine = [each for each in units if each["unit"].split(":")[part] == name]
        verdicts = Counter(verdict for each in mine for verdict in each["verdicts"])
        numbers = [len(mine), *(verdicts[each] for each in counted)]
        numbers += [sum(verdicts.values()) - sum(verdicts[each] for each in counted)]
        numbers += [sum(each["missed"] for each in mine)]
        numbers += [sum(bool(each["complaints"]) for each in mine)]
        found = FAULTS.get(name)
        told = f" {found.part} | {found.expects.value} |" if part and found else ""
        yield f"| {name} |{told} {' | '.join(map(str, numbers))} |"


def _failures(records: Records) -> Iterator[str]:
    failed, failing, notes = records.failed(), set(records.failing()), records.notes()
    if not failed:
        yield "Nothing failed."
        return
    yield "| what failed | how | now | what it was |"
    yield "|---|---|---|---|"
    first = {each["unit"]: each["complaints"] for each in reversed(records.lines)
             if each.get("complaints")}  # fmt: skip
    for name in failed:
        told = " ".join(first[name][0].split())[:160].replace("|", "\\|").replace("`", "'")
        now = "fails" if name in failing else "right"
        yield f"| {name} | `` {told} `` | {now} | {notes.get(name, '')} |"


__all__ = ["Records", "document", "line", "write"]
