"""Run the main job on a program that nobody here wrote: ddate of Debian -> docs/foreign-program.md.

    ddate_0.2.2.orig.tar.gz  ->  ddate.c  ->  old.c, new.c (two places edited)  ->  csgtest build

The source is fetched each time and never kept: what stands here of it are the lines that the edit
replaces. ``--source FILE`` takes a ddate.c that is already there.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PACKAGE, MEMBER = "ddate", "ddate-0.2.2/ddate.c"
SOURCE_SHA256 = "62bbbc20376043f03b6ef67cc4d80f944c53ebd5e47bd9e929aea7fcbd7d23bd"
BUILD = ("--sym-args", "3", "3", "2", "--time", "60")

# ddate asks for today's date only when it is given none; the clock is pinned all the same, so that
# both versions, and each replay, see one day. This stands behind the last #include.
PRELUDE = """\
static time_t pinned_time(time_t *where) { if (where) *where = 0; return 0; }
static struct tm *pinned_localtime(const time_t *when) { static struct tm epoch; (void) when; return &epoch; }
#define time pinned_time
#define localtime pinned_localtime
"""  # noqa: E501
PRELUDE_AFTER = 76


COUNTERS = (
    "states", "paths", "diff_paths", "forks", "cuts", "queries", "solver_s", "unknown",
    "concretised", "gaps", "mispredicted", "wall_s",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Edit:
    """``line`` counts in the original file."""

    line: int
    old: str
    new: str
    meant_as: str


EDITS = (
    Edit(
        291,
        "\t\tcase 'H': if(dt.day==4||dt.day==49)",
        "\t\tcase 'H': if(dt.day%45==4)",
        "a shorter test for the two holidays of a season, equal for every day from -1 to 72",
    ),
    Edit(
        348,
        "\tif (funkychickens.day==59 && iday==29)  funkychickens.day=-1;",
        "\tif (funkychickens.day==59)  funkychickens.day=-1;",
        "an error: day 59 counted from 0 is 29 February in a leap year, and 1 March as well, since "
        "the table of months has 28 days for February",
    ),
)


class Failure(Exception):
    """What kept us from fetching or editing, in a sentence."""


# --------------------------------------------------------------------------- the source


def fetched(folder: Path) -> str:
    """ddate.c out of Debian's source package. apt works on a configuration of its own in
    ``folder``: the machine's package lists stay as they are."""
    configuration = private_apt(folder)
    environment = {**os.environ, "APT_CONFIG": str(configuration)}
    for command in (
        ["apt-get", "update", "-qq"],
        ["apt-get", "source", "-qq", "--download-only", "--tar-only", PACKAGE],
    ):
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise Failure(f"{' '.join(command)}: {done.stderr.strip()}")
    archives = sorted(folder.glob(f"{PACKAGE}_*.orig.tar.*"))
    if not archives:
        raise Failure(f"apt-get delivered no source of {PACKAGE}")
    with tarfile.open(archives[0]) as archive:
        member = archive.extractfile(MEMBER)
        assert member is not None
        return member.read().decode()


def private_apt(folder: Path) -> Path:
    """The machine's package sources again, as source packages."""
    parts = folder / "sources"
    parts.mkdir()
    (folder / "lists" / "partial").mkdir(parents=True)
    (folder / "cache" / "archives" / "partial").mkdir(parents=True)
    system = Path("/etc/apt")
    for file in (system / "sources.list", *sorted((system / "sources.list.d").glob("*.*"))):
        if not file.exists() or file.suffix not in (".list", ".sources"):
            continue
        lines = [source_line(line) for line in file.read_text().splitlines()]
        (parts / file.name).write_text("\n".join(lines) + "\n")
    configuration = folder / "apt.conf"
    configuration.write_text(
        'Dir::Etc::SourceList "/dev/null";\n'
        f'Dir::Etc::SourceParts "{parts}";\n'
        f'Dir::State::Lists "{folder}/lists";\n'
        f'Dir::Cache "{folder}/cache";\n'
        'APT::Sandbox::User "";\n'
    )
    return configuration


def source_line(line: str) -> str:
    """``deb ...`` -> ``deb-src ...``, in both formats of apt's lists."""
    if line.startswith("Types:"):
        return "Types: deb-src"
    return line.replace("deb ", "deb-src ", 1) if line.startswith("deb ") else line


def versions(original: str) -> tuple[str, str]:
    """The old and the new program."""
    if hashlib.sha256(original.encode()).hexdigest() != SOURCE_SHA256:
        raise Failure(f"this {MEMBER} is another version than the one that the edit was made for")
    old = original.splitlines()
    new = list(old)
    for edit in EDITS:
        assert old[edit.line - 1] == edit.old, edit
        new[edit.line - 1] = edit.new
    return with_prelude(old), with_prelude(new)


def with_prelude(lines: Sequence[str]) -> str:
    return "\n".join([*lines[:PRELUDE_AFTER], PRELUDE.rstrip(), *lines[PRELUDE_AFTER:]]) + "\n"


# --------------------------------------------------------------------------- the run


def built(old: Path, new: Path, out: Path) -> tuple[dict[str, Any], float, str]:
    """report.json, seconds, and what was said on standard error."""
    command = [sys.executable, str(ROOT / "cli.py"), "build", old.name, new.name, *BUILD]
    begin = time.monotonic()
    done = subprocess.run(
        [*command, "--json", "--out", str(out)],
        cwd=old.parent, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode == 2:
        raise Failure(f"csgtest build ended with trouble:\n{done.stderr}")
    return json.loads(done.stdout), time.monotonic() - begin, done.stderr


# --------------------------------------------------------------------------- the page


def page(report: Mapping[str, Any], seconds: float, remarks: str) -> str:
    """docs/foreign-program.md; ``remarks`` is the part written by hand, kept from run to run."""
    differing = [test for test in report["tests"] if test["observed"] == "different"]
    lines = [
        "# A program that nobody here wrote",
        "",
        "Written by `make docs` (`benchmarks/foreign.py`), but for the last section.",
        "",
        "`ddate` turns a date into the Discordian calendar. Debian ships it as one C file of 399 "
        "lines (public domain); it reads its command line and uses libc alone. The source is "
        "fetched, never stored here. Two places are edited:",
        "",
    ]
    for number, edit in enumerate(EDITS, 1):
        lines += [
            f"{number}. line {edit.line}: {edit.meant_as}",
            "",
            "   ```diff",
            f"   -{edit.old.strip()}",
            f"   +{edit.new.strip()}",
            "   ```",
            "",
        ]
    lines += [
        "Both versions have the clock pinned by four lines behind their includes.",
        "",
        "## What happened",
        "",
        f"`csgtest build old.c new.c {' '.join(BUILD)}` took {seconds:.0f} s. "
        f"Verdict: **{report['verdict']}**; {len(report['tests'])} tests, {len(differing)} of them "
        "show a difference when both versions run natively.",
        "",
        *test_table(differing[:8]),
        "## Counters",
        "",
        "| what | number |",
        "|---|---:|",
        *(f"| {name} | {told(report['counters'][name])} |" for name in COUNTERS),
        "",
        remarks.strip(),
        "",
    ]
    return "\n".join(lines)


def test_table(tests: Sequence[Mapping[str, Any]]) -> list[str]:
    lines = [
        "| arguments | old | new | class | blamed | found after |",
        "|---|---|---|---|---|---:|",
    ]
    for test in tests:
        shown = [f"`{seen(test[version])}`" for version in ("old", "new")]
        blamed = ", ".join(str(change) for change in test.get("blamed") or ()) or "-"
        lines.append(
            f"| `{' '.join(repr(word) for word in test['input']['args'])}` | {' | '.join(shown)} "
            f"| {test['class']} | {blamed} | {test['found_s']:.1f} s |"
        )
    return [*lines, ""] if tests else []


def seen(observation: Mapping[str, Any]) -> str:
    output = observation["stdout"]
    text = output if isinstance(output, str) else repr(output)
    return f"{text.strip()} ({observation['exit']})"


def told(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, dict):
        return ", ".join(f"{name} {count}" for name, count in sorted(value.items())) or "none"
    if isinstance(value, list):
        return "; ".join(str(item) for item in value) or "none"
    return str(value)


REMARKS = "## Warts\n\nNothing is written down yet.\n"


def main() -> int:
    parser = argparse.ArgumentParser(description="Run the main job on Debian's ddate.")
    parser.add_argument("--source", type=Path, help="a ddate.c that is already there")
    parser.add_argument("--keep", type=Path, help="folder to leave the versions and the report in")
    given = parser.parse_args()
    document = ROOT / "docs" / "foreign-program.md"
    remarks = REMARKS
    if document.exists() and "## Warts" in document.read_text():
        remarks = "## Warts" + document.read_text().split("## Warts", 1)[1]
    with tempfile.TemporaryDirectory() as temporary:
        work = given.keep or Path(temporary) / "work"
        work.mkdir(parents=True, exist_ok=True)
        try:
            original = given.source.read_text() if given.source else fetched(Path(temporary))
            for name, text in zip(("old.c", "new.c"), versions(original), strict=True):
                (work / name).write_text(text)
            report, seconds, _ = built(work / "old.c", work / "new.c", work / "out")
        except Failure as trouble:
            print(f"foreign.py: {trouble}", file=sys.stderr)
            return 2
    document.write_text(page(report, seconds, remarks))
    print(f"{report['verdict']} after {seconds:.0f} s; see {document.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
