"""Does the main job see what a fix of Debian's fixed? -> docs/fixes.md

    python -m benchmarks.fixes                    fetch, configure, build, write
    python -m benchmarks.fixes --time 30 --no-write

The old version is the author's, the new one has Debian's patches; of one patch, the old version has
those before it. ``csgtest build`` gets whole programs, and no word about their inputs.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.foreign import private_apt
from benchmarks.interactions import command_line
from csg.records import record

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "docs" / "fixes.md"


@record
class Fix:
    """``file`` is what the patches touch; ``others`` are linked with it, ``include`` are folders of
    headers. ``report`` says, after Debian's bug or the patch, what was wrong; ``patch`` is one of
    debian/patches, "" for all."""

    package: str
    file: str
    others: tuple[str, ...]
    flags: tuple[str, ...]
    report: str
    patch: str = ""
    include: tuple[str, ...] = (".",)


FIXES = (
    Fix(
        "uni2ascii",
        "ascii2uni.c",
        ("GetWord.c", "SetFormat.c", "UTF8in.c", "endian.c", "enttbl.c", "putu8.c"),
        ("-DHAVE_CONFIG_H", '-DLOCALEDIR="/"'),
        "segmentation fault on an HTML entity without its semicolon (bug 633704)",
    ),
    Fix(
        "indent",
        "src/output.c",
        tuple(
            f"src/{name}.c"
            for name in (
                "args", "backup", "code_io", "comments", "globs", "handletoken", "indent", "lexi",
                "parse", "utils",
            )
        ),
        # locale.h: <libintl.h> has it for programs that are optimised
        ("-DHAVE_CONFIG_H", '-DLOCALEDIR="/"', "-include", "locale.h"),
        "a read before the array of parentheses behind a comment (bug 1061543)",
        "05-fix-a-heap-buffer-underread-in-set-buf-break.patch",
        (".", "src"),
    ),
)  # fmt: skip


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
    """The tree before and the one behind the patch; the latter is configured."""
    environment = {**os.environ, "APT_CONFIG": str(private_apt(folder))}
    for command in (["apt-get", "update", "-qq"], ["apt-get", "source", "-qq", fix.package]):
        subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
    (new,) = (path for path in folder.glob(f"{fix.package}-*") if path.is_dir())
    names = (new / "debian" / "patches" / "series").read_text().split() if fix.patch else []
    behind = names[names.index(fix.patch) + 1 :] if fix.patch else []
    for name in reversed(behind):
        _take_back(name, new)
    if fix.patch:
        old = folder / "before"
        shutil.copytree(new, old, symlinks=True)
        _take_back(fix.patch, old)
    else:
        (archive,) = folder.glob(f"{fix.package}_*.orig.tar.*")
        (folder / "author").mkdir()
        subprocess.run(["tar", "xf", str(archive), "-C", str(folder / "author")], check=True)
        (old,) = (folder / "author").iterdir()
    subprocess.run(["./configure", "--quiet"], cwd=new, check=True, capture_output=True)
    return old, new


def _take_back(name: str, tree: Path) -> None:
    with (tree / "debian" / "patches" / name).open("rb") as patch:
        command = ["patch", "-p1", "-R", "-s", "--no-backup-if-mismatch"]
        subprocess.run(command, cwd=tree, stdin=patch, check=True, capture_output=True)


def build(fix: Fix, folder: Path, seconds: float) -> Seen:
    old, new = fetched(fix, folder)
    out = folder / "out"
    words = [str(old / fix.file), str(new / fix.file), "--with"]
    words += [str(new / each) for each in fix.others]
    words += ["--out", str(out), "--quiet", "--time", str(seconds), "--", *fix.flags]
    words += [f"-I{new / each}" for each in fix.include]
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
        _witness(case["input"]) if case else "",
        _ending(case["old"]) if case else "",
        _ending(case["new"]) if case else "",
        group["found_s"] if group else None,
        group["found_by"] if group else "",
        report["counters"]["mispredicted"],
    )


def _witness(given: dict[str, Any]) -> str:
    files = [f"{name}: {json.dumps(text)}" for name, text in given.get("files", {}).items()]
    return ", ".join([command_line(given), *files]) or "no input"


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

Written by `python -m benchmarks.fixes`: whole programs before and behind Debian's patches, or one of
them, with no word about their inputs and {seconds:g} seconds each. The table has the first group of
the report.

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
