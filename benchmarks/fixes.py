"""Does the main job see what a fix of Debian's fixed? -> docs/fixes.md

    python -m benchmarks.fixes                    fetch, configure, build, write
    python -m benchmarks.fixes --time 30 --no-write

The old version is the author's, the new one has Debian's patches of one file. ``csgtest build``
gets whole programs, and no word about their inputs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.foreign import private_apt
from benchmarks.interactions import command_line
from csg.records import record

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "docs" / "fixes.md"


@record
class Fix:
    """``file`` is what the patches touch; ``others`` are linked with it. ``report`` says, after
    Debian's bug or the patch, what was wrong."""

    package: str
    file: str
    others: tuple[str, ...]
    flags: tuple[str, ...]
    report: str


FIXES = (
    Fix(
        "uni2ascii",
        "ascii2uni.c",
        ("GetWord.c", "SetFormat.c", "UTF8in.c", "endian.c", "enttbl.c", "putu8.c"),
        ("-DHAVE_CONFIG_H", '-DLOCALEDIR="/"'),
        "segmentation fault on an HTML entity without its semicolon (bug 633704)",
    ),
)


@record
class Seen:
    fix: Fix
    verdict: str
    kind: str
    witness: str
    old: str
    new: str
    found_s: float | None
    found_by: str
    mispredicted: int


def fetched(fix: Fix, folder: Path) -> tuple[Path, Path]:
    """The author's tree and Debian's, which is configured."""
    environment = {**os.environ, "APT_CONFIG": str(private_apt(folder))}
    for command in (["apt-get", "update", "-qq"], ["apt-get", "source", "-qq", fix.package]):
        subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
    (new,) = (path for path in folder.glob(f"{fix.package}-*") if path.is_dir())
    (archive,) = folder.glob(f"{fix.package}_*.orig.tar.*")
    (folder / "author").mkdir()
    subprocess.run(["tar", "xf", str(archive), "-C", str(folder / "author")], check=True)
    (old,) = (folder / "author").iterdir()
    subprocess.run(["./configure", "--quiet"], cwd=new, check=True, capture_output=True)
    return old, new


def build(fix: Fix, folder: Path, seconds: float) -> Seen:
    old, new = fetched(fix, folder)
    out = folder / "out"
    words = [str(old / fix.file), str(new / fix.file), "--with"]
    words += [str(new / each) for each in fix.others]
    words += ["--out", str(out), "--quiet", "--time", str(seconds), "--", *fix.flags, f"-I{new}"]
    command = [sys.executable, str(ROOT / "cli.py"), "build", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"csgtest build failed:\n{done.stderr[-2000:]}")
    report = json.loads((out / "report.json").read_text())
    tests = {test["id"]: test for test in report["tests"]}
    group = next(iter(report["groups"]), None)
    case = tests[group["witness"]] if group else None
    return Seen(
        fix,
        report["verdict"],
        group["class"] if group else "",
        command_line(case["input"]) if case else "",
        _ending(case["old"]) if case else "",
        _ending(case["new"]) if case else "",
        group["found_s"] if group else None,
        group["found_by"] if group else "",
        report["counters"]["mispredicted"],
    )


def _ending(seen: dict[str, object]) -> str:
    if seen.get("timed_out"):
        return "does not end"
    return str(seen["sanitizer"] or seen["signal"] or f"exit {seen['exit']}")


def document(found: Sequence[Seen], seconds: float) -> str:
    rows = "\n".join(
        f"| {each.fix.package}, `{each.fix.file}` | {each.fix.report} | {each.verdict} | "
        f"{each.kind} | `{each.witness}` | {each.old} | {each.new} | "
        + ("-" if each.found_s is None else f"{each.found_s:.1f} s, {each.found_by}")
        + f" | {each.mispredicted} |"
        for each in found
    )
    return f"""# Fixes of real errors

Written by `python -m benchmarks.fixes`: the author's source and Debian's, whole programs, with no
word about their inputs and {seconds:g} seconds each. The table has the first group of the report.

| program | what was wrong | verdict | class | witness | old version | new version | found after | mispredicted |
|---|---|---|---|---|---|---|---|---:|
{rows}
"""  # noqa: E501


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="is what a fix of Debian's fixed seen?")
    parser.add_argument("--time", type=float, default=60, help="seconds for each (default: 60)")
    parser.add_argument("--no-write", action="store_true", help=f"leave {TABLE.name} as it is")
    given = parser.parse_args(words)
    found = []
    for fix in FIXES:
        with tempfile.TemporaryDirectory(prefix="fixes-") as name:
            Path(name).chmod(0o755)
            found.append(build(fix, Path(name), given.time))
        print(found[-1], flush=True)
    if not given.no_write:
        TABLE.write_text(document(found, given.time))
    return int(any(each.kind not in ("fix", "hang-fix") for each in found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
