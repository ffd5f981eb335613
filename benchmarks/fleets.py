"""Debian's patch series as one fleet that is killed twice and resumed -> docs/fleet-debian.md

    python -m benchmarks.fleets FOLDER                        all of it
    python -m benchmarks.fleets FOLDER --time 5 netcat mpack  of these packages
    python -m benchmarks.fleets FOLDER --write                runs nothing: the pages anew

FOLDER gets a git history of each package (benchmarks.revisions), the samples, pairs of generated
parsers, and LIST.toml with all of them. ``csgtest fleet`` runs the list in a process group of its
own, which is killed when a third and when two thirds of the tasks are complete. What was complete
before a kill has to be there at the end as it was, and is not to be run again. Pages are made of
the store, and each link in them is followed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import posixpath
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import unquote

from benchmarks.revisions import Step, fetch, git, history, trouble
from fleet.outcomes import TaskState
from fleet.store import Store
from generators import parsers

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "fleet-debian.md"
CSGTEST = (sys.executable, str(ROOT / "cli.py"))
# Those that are built soonest, with more than 60 patches of C together. netcat is not one of them:
# most of its patches want a macro that only debian/rules defines.
PACKAGES = (
    "bc", "bzip2", "cjson", "dash", "giflib", "libexif", "libtar", "mpack", "ncompress", "sl",
    "tree", "unzip", "zip",
)  # fmt: skip
SEEDS = range(10)  # of generated parsers
SHARES = (1 / 3, 2 / 3)  # of the tasks, when all processes are killed
RESULTS = "measured.json"
_GONE = 60.0  # seconds in which the processes of a killed call have to be gone
_RAN = re.compile(r"^\d+/\d+  (.*): (?:\d+ differences?|failed|poisoned)$", re.MULTILINE)
_LINK = re.compile(r'(?:href|src)="([^"]*)"')
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_NAMED = re.compile(r'id="([^"]*)"')


@dataclass(frozen=True, slots=True)
class Row:
    """What has come of the tasks of one package. ``failures``: the patch, and why."""

    name: str
    patches: int
    tasks: int = 0
    done: int = 0
    failures: tuple[tuple[str, str], ...] = ()
    differences: int = 0
    tests: int = 0
    mispredicted: int = 0


@dataclass(frozen=True, slots=True)
class Pages:
    """``dangling``: the links that lead nowhere, or that need a network; each as a page and what it
    names. ``unwritten``: those of reports to files that ``csgtest build`` has not written."""

    pages: int
    links: int
    dangling: tuple[tuple[str, str], ...]
    unwritten: int = 0


@dataclass(slots=True)
class Survived:
    """How a run went that was killed. ``kills``: the tasks that were complete at each.
    ``wrong``: whatever does not hold."""

    seconds: float = 0.0
    kills: list[int] = field(default_factory=list)
    ran: list[int] = field(default_factory=list)  # tasks that each call completed
    lost: int = 0  # tasks and findings of before a kill that are not there as they were
    again: int = 0  # tasks that were complete, and ran again
    left: int = 0  # processes of a killed call that went on
    after: list[int] = field(default_factory=list)  # tasks run by --resume, and by the call anew
    loads: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


# ------------------------------------------------------------------------------------------ a list


def series(package: str, folder: Path, most: int) -> list[Step]:
    """The first patches of a package that touch C, as commits."""
    found: list[Step] = []
    try:
        for step in history(package, folder, folder / "histories"):
            found.append(step)
            if len(found) == most:
                break
    except subprocess.CalledProcessError as error:
        print(f"{package}: {error.cmd[-1]} does not apply", flush=True)
    return found


def ranges(steps: Sequence[Step]) -> list[str]:
    """``A..B`` for each sequence of commits of which every one touches C."""
    found: list[list[str]] = []
    for step in steps:
        parent = git(step.tree, "rev-parse", f"{step.commit}~1").strip()
        if found and found[-1][1] == parent:
            found[-1][1] = step.commit
        else:
            found.append([parent, step.commit])
    return [f"{old}..{new}" for old, new in found]


def sample_pairs(folder: Path) -> Iterator[tuple[Path, Path]]:
    """The pairs of C files and of folders in a folder of samples."""
    for old in sorted([*folder.glob("*/old"), *folder.glob("*/*old.c")]):
        yield old, old.with_name(old.name.replace("old", "new"))


def write_list(
    folder: Path, found: Mapping[str, Sequence[Step]], samples: Path, seeds: Sequence[int]
) -> Path:
    """FOLDER/LIST.toml: a history for each package, the samples, the generated pairs. Files are
    copied into FOLDER."""
    tables = [
        {"repository": steps[0].tree.relative_to(folder).as_posix(), "history": ranges(steps)}
        for steps in found.values()
        if steps
    ]
    shutil.copytree(samples, folder / "samples", dirs_exist_ok=True)
    for pair in sample_pairs(folder / "samples"):
        old, new = (each.relative_to(folder).as_posix() for each in pair)
        tables.append({"old": old, "new": new})
    for seed in seeds:
        made = parsers.generated(seed)
        place = Path("generated", f"parser{seed}")
        parsers.written(made, folder / place)
        files = {side: (place / f"{side}.c").as_posix() for side in ("old", "new")}
        tables.append({**files, **({"entry": made.entry} if made.entry else {})})
    text = "\n".join(
        "[[pair]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in table.items())
        for table in tables
    )
    (folder / "LIST.toml").write_text(text)
    return folder / "LIST.toml"


# ------------------------------------------------------------------------------------ what happens


@dataclass(frozen=True, slots=True)
class _Held:
    """The tasks of the first run that are complete, and the findings, as the store has them."""

    all: int
    tasks: Mapping[str, Any]
    findings: Mapping[str, Any]

    @property
    def labels(self) -> set[str]:
        return {each["label"] for each in self.tasks.values()}

    def lost(self, later: _Held) -> int:
        """How many of these are not in a later state, or not as they are here."""
        return sum(
            after.get(name) != value
            for before, after in ((self.tasks, later.tasks), (self.findings, later.findings))
            for name, value in before.items()
        )


def _held(folder: Path) -> _Held:
    tasks = _shown(folder, "tasks", "--run", "1")
    complete = {each["id"]: each for each in tasks if each["state"] != TaskState.WAITING}
    findings = {str(each["id"]): each for each in _shown(folder, "findings")} if tasks else {}
    return _Held(len(tasks), complete, findings)


def _reached(folder: Path, share: float) -> bool:
    """Is that share of the tasks complete?"""
    states = [each["state"] for each in _shown(folder, "tasks", "--run", "1")]
    return bool(states) and len(states) - states.count(TaskState.WAITING) >= share * len(states)


def _shown(folder: Path, *words: str) -> list[Any]:
    """What ``csgtest show`` says; nothing while there is no run."""
    command = [*CSGTEST, "show", *words, "--store", "store", "--json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return list(json.loads(done.stdout)) if done.returncode == 0 else []


class _Call:
    """A ``csgtest fleet`` in a process group of its own; what it says goes to FOLDER/NAME.log."""

    def __init__(self, folder: Path, name: str, words: Sequence[str]) -> None:
        self._log = folder / f"{name}.log"
        with self._log.open("wb") as log:
            self._process = _begun(folder, ["fleet", "LIST.toml", *words], log)

    def code(self, seconds: float | None = None) -> int | None:
        """The exit code; None: it has not ended in so many seconds."""
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(seconds)
        return None

    def ran(self) -> list[str]:
        """The labels of the tasks that it says to have completed."""
        return _RAN.findall(self._log.read_text(errors="replace"))

    def kill(self) -> int:
        """Kill the whole group. How many of the processes that it had begun are left."""
        begun = _descendants(self._process.pid)
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        until = time.monotonic() + _GONE
        while (left := begun & _alive()) and time.monotonic() < until:
            time.sleep(0.2)
        return len(left)


def _begun(folder: Path, words: Sequence[str], log: BinaryIO) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*CSGTEST, *words],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        start_new_session=True,
    )


def _processes() -> Iterator[tuple[tuple[int, str], int]]:
    """Each process that has not ended, by its number and when it began, and its parent's number."""
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            state, parent, *rest = (place / "stat").read_text().rpartition(")")[2].split()
            if state not in "ZX":
                yield (int(place.name), rest[17]), int(parent)


def _alive() -> set[tuple[int, str]]:
    return {process for process, _ in _processes()}


def _descendants(ancestor: int) -> set[tuple[int, str]]:
    children: dict[int, list[tuple[int, str]]] = {}
    for process, parent in _processes():
        children.setdefault(parent, []).append(process)
    found: set[tuple[int, str]] = set()
    waiting = [ancestor]
    while waiting:
        below = children.get(waiting.pop(), [])
        found.update(below)
        waiting += [number for number, _ in below]
    return found


def survived(
    folder: Path, words: Sequence[str], shares: Sequence[float] = SHARES, beat: float = 15.0
) -> Survived:
    """Run FOLDER/LIST.toml into FOLDER/store, and kill it when these shares of it are complete.
    ``beat``: seconds between two looks at the store."""
    shutil.rmtree(folder / "store", ignore_errors=True)
    result = Survived()
    words = ["--store", "store", *words]
    held = [_Held(0, {}, {})]
    code: int | None = None
    for number, share in enumerate([*shares, None]):
        call = _Call(folder, f"fleet{number}", [*words, *(["--resume"] if number else [])])
        result.loads.append(os.getloadavg()[0])
        began, before = time.monotonic(), held[-1]
        while (code := call.code(beat)) is None:
            if share is not None and _reached(folder, share):
                held.append(_held(folder))
                result.left += call.kill()
                result.kills.append(len(held[-1].tasks))
                break
        result.seconds += time.monotonic() - began
        held.append(_held(folder))
        ran = call.ran()
        result.ran.append(len(ran))
        result.again += len(before.labels.intersection(ran))
        print(f"call {number}: {len(held[-1].tasks)} of {held[-1].all} are complete", flush=True)
        if code is not None:
            break
    for name, more in (("resumed", ["--resume"]), ("anew", [])):
        call = _Call(folder, name, [*words, *more])
        if call.code() != code:
            result.wrong.append(f"{name}: exit code {call.code()}, and not {code}")
        result.after.append(len(call.ran()))
    held.append(_held(folder))
    result.lost = sum(each.lost(held[-1]) for each in held)
    result.wrong += [
        text
        for failed, text in (
            (code not in (0, 1, 2), f"the last call ended with {code}"),
            (len(held[-1].tasks) != held[-1].all, "tasks are waiting"),
            (len(held[-1].labels) != len(held[-1].tasks), "tasks have one label"),
            (result.lost, f"{result.lost} tasks or findings were lost"),
            (result.again, f"{result.again} tasks were run again"),
            (any(result.after), f"complete, and yet run: {result.after}"),
            (result.left, f"{result.left} processes were left by a kill"),
        )
        if failed
    ]
    return result


def rows_of(folder: Path, found: Mapping[str, Sequence[Step]]) -> list[Row]:
    """What the store says of the first run, package by package."""
    names = {str(steps[0].tree): name for name, steps in found.items() if steps}
    rows = {name: Row(name, len(steps)) for name, steps in found.items()}
    with Store.open(str(folder / "store"), new=False) as store:
        differences: dict[str, int] = {}
        for each in store.findings(1):
            differences[each["task"]] = differences.get(each["task"], 0) + 1
        for task in store.tasks(1):
            spec = json.loads(task["spec"])
            group = names.get(spec.get("place", ""), task["label"].partition("/")[0])
            row = rows.get(group, Row(group, 0))
            reports = [
                json.loads(store.artefacts.get(file["hash"]))
                for file in store.files(task["id"])
                if Path(file["name"]).name == "report.json"
            ]
            failures = row.failures
            if task["state"] != TaskState.DONE:
                why = trouble(task["message"].splitlines())
                failures += ((task["label"].split(" ", 2)[-1], f"{task['state']}: {why}"),)
            rows[group] = Row(
                group,
                row.patches,
                row.tasks + 1,
                row.done + (task["state"] == TaskState.DONE),
                failures,
                row.differences + differences.get(task["id"], 0),
                row.tests + sum(len(each["tests"]) for each in reports),
                row.mispredicted + sum(each["counters"].get("mispredicted", 0) for each in reports),
            )
    return list(rows.values())


def pages_of(site: Path) -> Pages:
    """The pages of a folder, and where their links lead."""
    pages = sorted(site.rglob("*.html"))
    texts = {page.resolve(): page.read_text(errors="replace") for page in pages}
    links = [(page, link) for page, text in texts.items() for link in _LINK.findall(text)]
    dangling = [
        (page.relative_to(site.resolve()).as_posix(), link)
        for page, link in links
        if not _leads_somewhere(page, link, texts)
    ]
    return Pages(len(pages), len(links), tuple(dangling))


def _leads_somewhere(page: Path, link: str, texts: Mapping[Path, str]) -> bool:
    if link.startswith("data:"):
        return True
    if _ELSEWHERE.match(link):
        return False
    name, _, place = link.partition("#")
    target = (page.parent / unquote(name)).resolve() if name else page
    if not target.exists():
        return False
    return not place or unquote(place) in _NAMED.findall(texts.get(target, ""))


def made_pages(folder: Path) -> Pages:
    """FOLDER/site, checked: an index, a page of the run, and a report of each finding."""
    shutil.rmtree(folder / "site", ignore_errors=True)
    command = [*CSGTEST, "site", "site", "--store", "store"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    found = pages_of(folder / "site")
    with Store.open(str(folder / "store"), new=False) as store:
        files = {
            f"reports/{task['id']}/{file['name']}"
            for task in store.tasks()
            for file in store.files(task["id"])
        }
    dangling = tuple(
        (page, link)
        for page, link in found.dangling
        if page not in files
        or _ELSEWHERE.match(link)
        or posixpath.normpath(posixpath.join(posixpath.dirname(page), unquote(link))) in files
    )
    wanted = ["index.html", "run-1.html"]
    for each in _shown(folder, "findings", "--run", "1"):
        wanted.append((Path("reports", each["task"], each["report"]) / "report.html").as_posix())
    missing = [("site", name) for name in wanted if not (folder / "site" / name).is_file()]
    unwritten = len(found.dangling) - len(dangling)
    return Pages(found.pages, found.links, (*dangling, *missing), unwritten)


# ------------------------------------------------------------------------------------- the document


@dataclass(frozen=True, slots=True)
class Measured:
    rows: tuple[Row, ...]
    missing: tuple[str, ...]  # packages that are not to be had
    survived: Survived
    words: str  # of the call
    most: int


def stored(file: Path) -> Measured:
    form = json.loads(file.read_text())
    rows = [
        Row(**{**each, "failures": tuple((what, why) for what, why in each["failures"])})
        for each in form["rows"]
    ]
    own = {"survived": Survived(**form["survived"]), "missing": tuple(form["missing"])}
    return Measured(**{**form, **own, "rows": tuple(rows)})


def document(found: Measured, pages: Pages) -> str:
    rows, run = found.rows, found.survived
    patches = sum(row.patches for row in rows)
    packages = sum(row.patches > 0 for row in rows)
    tasks = sum(row.tasks for row in rows)
    failures = [why for row in rows for _, why in row.failures]
    poisoned = sum(why.startswith(f"{TaskState.POISONED}:") for why in failures)
    loads = sorted({f"{each:.0f}" for each in (min(run.loads), max(run.loads))}, key=int)
    facts = {
        "processors": f"{os.cpu_count()} x {platform.machine()}",
        "load as the calls began": " to ".join(loads),
        "patches that touch C": patches,
        "tasks": tasks,
        "done": sum(row.done for row in rows),
        "failed": len(failures) - poisoned,
        "poisoned": poisoned,
        "differences": sum(row.differences for row in rows),
        "tests mispredicted": sum(row.mispredicted for row in rows),
        "seconds, of all calls": f"{run.seconds:.0f}",
        "kills survived": len(run.kills),
        "tasks complete at each kill": ", ".join(map(str, run.kills)),
        "tasks that each call completed": ", ".join(map(str, run.ran)),
        "processes left by a kill": run.left,
        "complete tasks and findings lost or changed": run.lost,
        "complete tasks run again": run.again,
        "tasks run by a further `--resume`, by the call anew": ", ".join(map(str, run.after)),
        "pages": pages.pages,
        "links in them": pages.links,
        "links of the site that lead nowhere": len(pages.dangling),
        "links of reports to files and places that `csgtest build` did not write": pages.unwritten,
    }
    listed = "\n".join(f"| {name} | {value} |" for name, value in facts.items())
    lines = "\n".join(
        f"| {row.name} | {row.patches or '-'} | {row.tasks} | {row.done} | {len(row.failures)} | "
        f"{row.differences} | {row.tests} | {row.mispredicted} | "
        + "; ".join(f"{what}: {why}" for what, why in row.failures).replace("|", "/")
        + " |"
        for row in rows
    )
    absent = f"Not on the mirror: {', '.join(found.missing)}.\n" if found.missing else ""
    return f"""# Patch series of Debian as a fleet

Written by `python -m benchmarks.fleets FOLDER`, which makes a git history of each package's patch
series, writes a [list](fleets.md#a-list) of the commits that touch C, at most {found.most} of a
package, of the [samples](../samples/README.md) and of [generated parsers](parsers.md), and calls

    csgtest fleet LIST.toml {found.words}

When a third of the tasks is complete, all processes of the call are killed with SIGKILL; the same
call with `--resume` goes on, and so once more at two thirds. `csgtest site` makes pages of the
store, and each link in them is followed.
{absent}
**{patches} patches of {packages} packages, {tasks} tasks, {facts["done"]} done; kills survived: \
{len(run.kills)}; lost: {run.lost}; run again: {run.again}.**

| all | |
|---|---:|
{listed}

| package | patches | tasks | done | failed | differences | tests | mispredicted | reason |
|---|---:|---:|---:|---:|---:|---:|---:|---|
{lines}
"""


def measured(folder: Path, given: argparse.Namespace) -> Measured:
    names = fetch(folder, given.packages)
    found = {name: series(name, folder, given.most) for name in names}
    write_list(folder, found, ROOT / "samples", SEEDS)
    words = [f"--time={given.time:g}", f"--jobs={given.jobs}"]
    run = survived(folder, words)
    missing = tuple(name for name in given.packages if name not in names)
    call = " ".join(["--store store", *words]).replace("=", " ")
    return Measured(tuple(rows_of(folder, found)), missing, run, call, given.most)


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="a fleet of Debian's patches, killed and resumed")
    parser.add_argument("folder", type=Path, help="for archives, histories, the store and pages")
    parser.add_argument("packages", nargs="*", default=PACKAGES, help="default: all")
    parser.add_argument("--time", type=float, default=10, help="seconds of a task (default: 10)")
    parser.add_argument("--jobs", type=int, default=2, help="tasks at once (default: 2)")
    parser.add_argument("--most", type=int, default=20, help="patches of a package (default: 20)")
    parser.add_argument("--write", action="store_true", help="run nothing: pages of FOLDER's store")
    given = parser.parse_intermixed_args(words)
    folder = given.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    if not given.write:
        (folder / RESULTS).write_text(json.dumps(asdict(measured(folder, given)), indent=1))
    found, pages = stored(folder / RESULTS), made_pages(folder)
    DOCUMENT.write_text(document(found, pages))
    wrong = [*found.survived.wrong, *map(": ".join, pages.dangling)]
    print(*wrong, sep="\n")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
