"""Debian's patches as git histories, csgtest build HEAD~1..HEAD on each -> docs/revisions-debian.md

    python -m benchmarks.revisions FOLDER                  fetch, make the histories, run, write
    python -m benchmarks.revisions FOLDER --time 10 zip    what is in FOLDER is not fetched again

Upstream's files are the first commit, each patch of debian/patches/series is one more. A commit
that touches .c or .h is looked at without a word about how the package is built: its build
dependencies have to be installed. Histories and results stay in FOLDER; what has a result there is
not run again.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

from benchmarks.foreign import private_apt
from benchmarks.patches import unpacked

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "docs" / "revisions-debian.md"
# Configured, plain make, cmake, meson; programs and libraries.
PACKAGES = (
    "bc", "bzip2", "cjson", "cpio", "dash", "giflib", "indent", "iputils", "libexif", "libtar",
    "mpack", "ncompress", "netcat", "pkgconf", "sharutils", "sl", "tree", "unzip", "zip",
)  # fmt: skip
R = TypeVar("R")
_IDENTITY = ("-c", "user.name=series", "-c", "user.email=series@localhost")
# So that the same archives give the same commits.
_DATES = dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), "2000-01-01T00:00:00Z")


@dataclass(frozen=True, slots=True)
class Step:
    """A commit that touches C: the patch that made it."""

    package: str
    patch: str
    commit: str
    tree: Path


@dataclass(frozen=True, slots=True)
class Row:
    """What a run showed; ``trouble`` is why it gave no result."""

    package: str
    patch: str
    targets: tuple[str, ...] = ()
    verdicts: tuple[str, ...] = ()
    tests: int = 0
    mispredicted: int = 0
    build_s: float | None = None
    time_s: float = 0.0
    trouble: str = ""


def fetch(folder: Path, names: Sequence[str]) -> list[str]:
    """Downloads the source packages that are not there yet. Returns those that are there now: what
    a mirror does not have is left out."""
    missing = [name for name in names if not _complete(name, folder)]
    if missing:
        own = folder / "apt"
        shutil.rmtree(own, ignore_errors=True)
        own.mkdir()
        environment = {**os.environ, "APT_CONFIG": str(private_apt(own))}
        words = ["apt-get", "update", "-qq"]
        subprocess.run(words, cwd=folder, env=environment, check=True, capture_output=True)
        for name in missing:
            words = ["apt-get", "source", "-qq", "--download-only", name]
            subprocess.run(words, cwd=folder, env=environment, check=False, capture_output=True)
    for name in names:
        if not _complete(name, folder):
            print(f"{name}: not to be had", flush=True)
    return [name for name in names if _complete(name, folder)]


def _complete(name: str, folder: Path) -> bool:
    return all([*folder.glob(f"{name}_*.{kind}.tar.*[!c]")] for kind in ("orig", "debian"))


def history(package: str, sources: Path, folder: Path) -> Iterator[Step]:
    """Upstream, and a commit for each patch; those that touch C. None where nothing is patched."""
    place = folder / package
    shutil.rmtree(place, ignore_errors=True)
    folder.mkdir(exist_ok=True)
    tree = unpacked(package, sources, place)
    if not (tree / "debian" / "patches" / "series").is_file():
        return
    patches = Path(shutil.move(tree / "debian" / "patches", place / "patches"))
    shutil.rmtree(tree / "debian")
    shutil.rmtree(tree / ".git", ignore_errors=True)
    git(tree, "init", "-q")
    _committed(tree, "upstream")
    for line in (patches / "series").read_text().splitlines():
        name = line.partition("#")[0].strip()
        if name:
            command: list[str | Path] = [
                "patch",
                "-p1",
                "-s",
                "-f",
                "--no-backup-if-mismatch",
                "-i",
                patches / name,
            ]
            subprocess.run(command, cwd=tree, check=True, capture_output=True)
            commit = _committed(tree, name)
            touched = git(tree, "show", "--name-only", "--format=", commit).splitlines()
            if any(file.endswith((".c", ".h")) for file in touched):
                yield Step(package, name, commit, tree)


def _committed(tree: Path, message: str) -> str:
    git(tree, "add", "--all", "--force")
    git(tree, "commit", "-q", "--allow-empty", "-m", message)
    return git(tree, "rev-parse", "HEAD").strip()


def git(tree: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", *_IDENTITY, *words],
        cwd=tree,
        env={**os.environ, **_DATES},
        check=True,
        capture_output=True,
        errors="replace",
    )
    return done.stdout


def tried(step: Step, out: Path, seconds: float) -> Row:
    git(step.tree, "checkout", "-q", "--force", "--detach", step.commit)
    git(step.tree, "clean", "-qfdx")
    shutil.rmtree(out, ignore_errors=True)
    out.parent.mkdir(parents=True, exist_ok=True)
    words = ["build", "HEAD~1..HEAD", "--time", f"{seconds:g}", "--out", str(out)]
    began = time.time()
    done = subprocess.run(
        [sys.executable, str(ROOT / "cli.py"), *words],
        cwd=step.tree,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if out.is_dir():
        (out / "printed").write_text(done.stdout + done.stderr)
    built = [each.stat().st_mtime - began for each in out.rglob("versions/old.json")]
    reports = [json.loads(each.read_text()) for each in sorted(out.rglob("report.json"))]
    targets = re.findall(r"^(\S+(?: \S+)*):$", done.stdout, re.MULTILINE)
    return Row(
        step.package,
        step.patch,
        tuple(targets),
        tuple(each["verdict"] for each in reports) or ("nothing differs",),
        sum(len(each["tests"]) for each in reports),
        sum(each["counters"].get("mispredicted", 0) for each in reports),
        min(built, default=None),
        seconds,
        trouble(done.stderr.splitlines()) if done.returncode not in (0, 1) else "",
    )


def trouble(said: Sequence[str]) -> str:
    """Why a run gave no result, of the lines of its standard error."""
    lines = [line for line in said if line and not line.startswith("hint:")]
    errors = [line for line in lines if re.match(r"csgtest: (?:.*: )?error: ", line)]
    text = (errors or lines or ["nothing was said"])[-1]
    return re.sub(r"/\S*/versions/", "", text.removeprefix("csgtest: ")).strip()


def stored_rows(file: Path, kind: type[R]) -> list[R]:
    lines = file.read_text().splitlines() if file.is_file() else []
    return [kind(**json.loads(line)) for line in lines]


def document(rows: Sequence[Row], most: int) -> str:
    given = sum(not row.trouble for row in rows)
    wrong = sum(row.mispredicted for row in rows)
    packages = len({row.package for row in rows})
    lines = "\n".join(
        f"| {row.package} | {row.patch} | {', '.join(row.targets) or '-'} | "
        + ("none" if row.trouble else ", ".join(dict.fromkeys(row.verdicts)))
        + f" | {row.tests} | {row.mispredicted} | "
        + ("-" if row.build_s is None else f"{row.build_s:.0f}")
        + f" | {row.time_s:g} | {row.trouble.replace('|', '/')} |"
        for row in rows
    )
    return f"""# Patches of Debian as revisions

Written by `python -m benchmarks.revisions FOLDER`, which makes a git history of each package,
upstream first and then a commit for each patch, and calls `csgtest build HEAD~1..HEAD` on each
commit that touches C, at most {most} of a package. Seconds of the build are for both versions and
for finding what the change reaches; `--time` is for all targets together. What has a row in FOLDER
is not run again: rows can be of different states of csgtest.

**{given} of {len(rows)} patches of {packages} packages give a result; mispredicted: {wrong}.**

| package | patch | targets | verdict | tests | mispredicted | build, s | --time | reason |
|---|---|---|---|---:|---:|---:|---:|---|
{lines}
"""


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="csgtest on Debian's patches as revisions")
    parser.add_argument("folder", type=Path, help="for archives, histories and results")
    parser.add_argument("packages", nargs="*", default=PACKAGES, help="default: all")
    parser.add_argument("--time", type=float, default=60, help="seconds for each (default: 60)")
    parser.add_argument("--most", type=int, default=6, help="patches of a package (default: 6)")
    parser.add_argument("--patch", help="only those whose name has this in it")
    parser.add_argument("--no-write", action="store_true", help=f"leave {TABLE.name} as it is")
    given = parser.parse_intermixed_args(words)
    folder = given.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    stored = folder / "results" / "rows.jsonl"
    rows = stored_rows(stored, Row)
    for package in fetch(folder, given.packages):
        steps = [*history(package, folder, folder / "histories")]
        for step in [each for each in steps if (given.patch or "") in each.patch][: given.most]:
            if any((each.package, each.patch) == (package, step.patch) for each in rows):
                continue
            out = folder / "results" / package / step.patch.replace("/", "_")
            rows.append(tried(step, out, given.time))
            with stored.open("a") as file:
                file.write(json.dumps(asdict(rows[-1])) + "\n")
            print(rows[-1], flush=True)
    if not given.no_write:
        rows.sort(key=lambda each: each.package)
        TABLE.write_text(document(rows, given.most))
    return int(any(row.trouble or row.mispredicted for row in rows))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
