"""The command line: see the package."""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from random import Random

from benchmarks.soak import results
from benchmarks.soak.faults import FAULTS
from benchmarks.soak.process import ROOT, Awake, depend
from benchmarks.soak.subjects import GENERATORS
from benchmarks.soak.units import Outcome, UnitName, named, tried
from csg.cache import cache_folder

WEIGHTS = {"functions": 6, "shapes": 4, "programs": 5, "language": 2, "edits": 2, "samples": 2}
PATIENCE = 1500.0  # seconds on the clock for a unit
NAMESPACE = ("unshare", "--mount", "--propagation", "private")


def drawn(seed: int, number: int) -> UnitName:
    """The unit of this number, of the run with this seed: each third one without a fault, the
    others under each fault in turn, in an order of their own every time."""
    random = Random(f"{seed}-{number}")
    generator = random.choices([*WEIGHTS], [*WEIGHTS.values()])[0]
    turn, third = divmod(number, 3)
    faults = [each for each in FAULTS if each != "none"]
    turn, place = divmod(2 * turn + third - 1, len(faults))
    Random(f"{seed}-turn-{turn}").shuffle(faults)
    return UnitName(generator, faults[place] if third else "none", seed * 1_000_000 + number)


def alone(name: UnitName, cache: Path, failures: Path) -> Outcome:
    """A unit in a process of its own, in a mount namespace where it needs one."""
    prefix = NAMESPACE if FAULTS[name.fault].mounts else ()
    if prefix and subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode:
        return Outcome(str(name), left_out="no file system can be mounted")
    words = ["--only", str(name), "--json", "--cache", str(cache), "--keep", str(failures)]
    process = subprocess.Popen(
        [*prefix, sys.executable, "-m", "benchmarks.soak", *words],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    clock = Awake()
    while True:
        try:
            out, err = process.communicate(timeout=1.0)
            break
        except subprocess.TimeoutExpired:
            if clock() > PATIENCE:
                _killed(process)
                told = f"the unit does not end in {PATIENCE:.0f} s"
                return Outcome(str(name), complaints=(told,))
    try:
        value = json.loads(out.splitlines()[-1])
    except (IndexError, ValueError):
        told = f"the soak itself fails, exit code {process.returncode}: {err[-1500:]}"
        return Outcome(str(name), complaints=(told,))
    value["verdicts"], value["complaints"] = tuple(value["verdicts"]), tuple(value["complaints"])
    return Outcome(**value)


def _killed(process: subprocess.Popen[str]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


class Soak:
    """Units one after the other in several threads, until the time is over."""

    def __init__(self, asked: argparse.Namespace, records: results.Records) -> None:
        self.asked = asked
        self.records = records
        self.seconds = 0.0
        self.number = records.next_number(asked.seed)
        self._lock = threading.Lock()

    def perform(self) -> None:
        threads = [
            threading.Thread(target=self._work, args=(at,), daemon=True)
            for at in range(self.asked.jobs)
        ]
        clock = Awake()
        for each in threads:
            each.start()
        while any(each.is_alive() for each in threads):
            self.seconds = clock()
            time.sleep(0.5)

    def _work(self, slot: int) -> None:
        cache = self.asked.keep / f"cache-{slot}"
        while self.seconds < 60 * self.asked.minutes:
            with self._lock:
                number, self.number = self.number, self.number + 1
            outcome = alone(drawn(self.asked.seed, number), cache, self.asked.keep / "failures")
            with self._lock:
                self.records.add(outcome, self.seconds)
                print(results.line(outcome), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description="random pairs, faults, and a second opinion")
    parser.add_argument("--minutes", type=float, default=120.0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--resume", action="store_true", help="add to what former runs found")
    parser.add_argument("--again", action="store_true", help="run what failed once more")
    parser.add_argument("--only", metavar="GENERATOR:FAULT:SEED", help="one unit")
    parser.add_argument(
        "--keep", type=Path, help="folder for figures and failures: the page stays as it is"
    )
    parser.add_argument("--cache", type=Path, help="with --only: the cache of the runs")
    parser.add_argument("--json", action="store_true", help="with --only: the outcome as JSON")
    asked = parser.parse_args()
    apart = asked.keep is not None
    asked.keep = (asked.keep or cache_folder() / "soak").absolute()
    if asked.only:
        return _only(asked)
    fresh = not (asked.resume or asked.again)
    records = results.Records(asked.keep / "outcomes.jsonl", fresh)
    if asked.again:
        for name in records.failing():
            cache = asked.keep / "cache-again"
            outcome = alone(named(name), cache, asked.keep / "failures")
            records.add(outcome, again=True)
            print(results.line(outcome), flush=True)
    else:
        Soak(asked, records).perform()
    if not apart:
        results.write(records)
    print(records.summary())
    return int(bool(records.failing()))


def _only(asked: argparse.Namespace) -> int:
    try:
        name = named(asked.only)
    except ValueError:
        told = f"{asked.only} is no GENERATOR:FAULT:SEED of {[*GENERATORS]} and {[*FAULTS]}"
        print(told, file=sys.stderr)
        return 2
    if not asked.json:
        with tempfile.TemporaryDirectory() as cache:
            outcome = alone(name, asked.cache or Path(cache), asked.keep)
        print(results.line(outcome), *outcome.complaints, sep="\n")
        return int(bool(outcome.complaints))
    depend()
    asked.cache.mkdir(parents=True, exist_ok=True)
    outcome = tried(name, asked.cache, asked.keep)
    print(json.dumps(asdict(outcome)))
    return int(bool(outcome.complaints))


if __name__ == "__main__":
    sys.exit(main())
