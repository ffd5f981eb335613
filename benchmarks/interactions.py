"""Two edits of a utility that do harm together: does the search find it? -> docs/interactions.md.

    python -m benchmarks.interactions                      fetch, make, edit, build, write
    python -m benchmarks.interactions --tree DIR seq       a tree that is there; this pair

Each pair is GNU coreutils' source and the same with two edits of its main file. ``csgtest build``
gets whole programs (the gnulib files that they link are the same in both versions) and no word
about their inputs.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.coreutils import FLAGS, ROOT, built, libraries, load, source_of
from csg.records import record

TABLE = ROOT / "docs" / "interactions.md"
_HEAD = (
    "| pair | an input needs | verdict | found after | beside it | blamed | witness | new version "
    "| tests | replayed | branches compared | mispredicted | limit |\n"
    "|---|---|---|---:|---:|---|---|---|---:|---:|---:|---:|---:|"
)
BESIDE = ("native", "seeded")
LIMIT = 120  # seconds for ``csgtest build``


@record
class Edit:
    """``anchor`` stands once in the file; ``replacement`` in its place."""

    anchor: str
    replacement: str


@record
class Pair:
    """``needs``: what an input must have to show the difference."""

    name: str
    utility: str
    edits: tuple[Edit, ...]
    needs: str


PAIRS = (
    Pair(
        "complement",
        "cut",
        (
            Edit(
                "complement = true;",
                "complement = true;\n          output_delimiter_length = 2;",
            ),
            Edit(
                "      output_delimiter_length = 1;",
                "      if (output_delimiter_length == 0\n"
                "          || output_delimiter_string[output_delimiter_length - 1] == '\\0')\n"
                "        output_delimiter_length = 1;",
            ),
        ),
        "two options together, a memory checker",
    ),
    Pair(
        "suppress",
        "cut",
        (
            Edit(
                "buffer_first_field = (suppress_non_delimited ^ !print_kth (1));",
                "buffer_first_field = suppress_non_delimited || !print_kth (1);",
            ),
            Edit(
                "          if (print_kth (1))\n            {\n              /* Print the field,",
                "          if (suppress_non_delimited)\n            {\n"
                "              /* Print the field,",
            ),
        ),
        "two options together, a delimiter on standard input",
    ),
    Pair(
        "seq",
        "seq",
        (
            Edit("equal_width = true;", "equal_width = true;\n          step.width = 32;"),
            Edit(
                "    format_str = get_default_format (first, step, last);",
                "    {\n"
                "      format_str = get_default_format (first, step, last);\n"
                "      if (*separator != '\\n' && strlen (format_str) < step.width\n"
                "          && format_str[step.width])\n"
                "        layout.suffix_len = 0;\n"
                "    }",
            ),
        ),
        "two options together, a memory checker",
    ),
    Pair(
        "index",
        "expr",
        (
            Edit("if (accept[0] == '\\0')", "if (accept[0] == '\\0' && s[0] == '\\0')"),
            Edit("return (s[i] ? i + 1 : 0);", "return (s[i + !*accept] ? i + 1 : 0);"),
        ),
        "three arguments that fit each other, a memory checker",
    ),
)


@record
class Found:
    """``first_s`` is when the search made its first test that differs natively; None: there was
    none. ``native_s``: the same of what ran beside it. ``compared`` tests took natively the
    branches that were predicted, or not: that was looked at."""

    pair: Pair
    verdict: str
    first_s: float | None
    native_s: float | None
    blamed: tuple[int, ...]
    witness: str
    shown: str
    tests: int
    replayed: int
    compared: int
    mispredicted: int
    limit_s: float


def edited(text: str, edits: Sequence[Edit]) -> str:
    for edit in edits:
        if text.count(edit.anchor) != 1:
            sys.exit(f"the source has {text.count(edit.anchor)} times: {edit.anchor}")
        text = text.replace(edit.anchor, edit.replacement)
    return text


def versions(tree: Path, pair: Pair, folder: Path) -> tuple[Path, Path]:
    """The main file as it is, and with the edits."""
    text = (tree / "src" / f"{pair.utility}.c").read_text()
    old, new = folder / "old" / f"{pair.utility}.c", folder / "new" / f"{pair.utility}.c"
    for file, content in ((old, text), (new, edited(text, pair.edits))):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    return old, new


def linkable(tree: Path, files: Sequence[Path]) -> list[Path]:
    """With the files of inline functions, which only a build without optimisation calls."""
    members = libraries(tree)
    definitions = {name: member for member, (defined, _) in members.items() for name in defined}
    found = dict.fromkeys(files)
    while True:
        command = ["gcc", *FLAGS, "-w", "-O0", *map(str, found), "-o", "/dev/null"]
        done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
        missing = set(re.findall(r"undefined reference to `(\w+)'", done.stderr))
        more = {source_of(tree, definitions[name]) for name in missing & definitions.keys()}
        if not more - found.keys():
            return list(found)
        found |= dict.fromkeys(sorted(more))


def build(tree: Path, pair: Pair, folder: Path, words: Sequence[str]) -> Found:
    old, new = versions(tree, pair, folder)
    _, files = load(tree, pair.utility)
    out = folder / "out"
    command = [sys.executable, str(ROOT / "cli.py"), "build", str(old), str(new)]
    files = linkable(tree, files)
    command += ["--with", *map(str, files[1:]), "--out", str(out), *words, "--", *FLAGS]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"csgtest build failed:\n{done.stderr[-2000:]}")
    return read(pair, out)


def read(pair: Pair, out: Path) -> Found:
    report = json.loads((out / "report.json").read_text())
    differing = [each for each in report["tests"] if each["observed"] == "different"]
    mode = report["bounds"]["mode"]
    explained = [each for each in report["groups"] if each["blamed"]]
    witness = report["groups"][0]["witness"] if report["groups"] else None
    case = next((each for each in report["tests"] if each["id"] == witness), None)
    return Found(
        pair,
        report["verdict"],
        first_of(each for each in differing if each["source"] == mode),
        first_of(each for each in differing if each["source"] in BESIDE),
        tuple(explained[0]["blamed"]) if explained else (),
        "" if case is None else command_line(case["input"]),
        "" if case is None else case["new"]["sanitizer"] or case["class"],
        len(report["tests"]),
        sum(each["observed"] != "not-replayed" for each in report["tests"]),
        report["counters"].get("branches_compared", 0),
        report["counters"].get("mispredicted", 0),
        report["bounds"]["time_s"],
    )


def first_of(tests: Iterable[dict[str, Any]]) -> float | None:
    return min((each["found_s"] for each in tests), default=None)


def command_line(given: dict[str, object]) -> str:
    args = given.get("args", [])
    assert isinstance(args, list)
    words = [json.dumps(each) for each in args]
    stdin = given.get("stdin")
    return " ".join([*words, *([f"< {json.dumps(stdin)}"] if stdin else [])])


def document(results: Sequence[Found], load: float) -> str:
    rows = "\n".join(
        f"| {each.pair.utility}, {each.pair.name} | {each.pair.needs} | {each.verdict} | "
        f"{_seconds(each.first_s)} | {_seconds(each.native_s)} | "
        f"{', '.join(map(str, each.blamed)) or '-'} | `{each.witness}` | {each.shown} | "
        f"{each.tests} | {each.replayed} | {each.compared} | "
        f"{each.mispredicted} | {each.limit_s:g} s |"
        for each in results
    )
    edits = "\n".join(
        f"**{pair.utility}, {pair.name}**\n\n```diff\n"
        + "\n".join(_diff(edit) for edit in pair.edits)
        + "\n```\n"
        for pair in PAIRS
    )
    return f"""# Two edits that do harm together

Written by `python -m benchmarks.interactions`: whole utilities of GNU coreutils, the second version
with two edits of the main file, each harmless by itself. `csgtest build OLD NEW --with FILES` is
told nothing about inputs, only how long it may take. *found after* is when the search made the
first test that natively differs, counted from the start of the command; it says much about what
else the machine had to do (its load was {load:.0f}; 3 is this measurement alone). *beside it*: when
the native phase, or symbolic execution beside one of its inputs, came to the first one. *branches
compared*: so many tests were followed [branch by branch](shadow.md#branch-by-branch), natively too.

{_HEAD}
{rows}

## The edits

{edits}"""


def _seconds(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds:.1f} s"


def _diff(edit: Edit) -> str:
    lines = [f"-{line}" for line in edit.anchor.splitlines()]
    return "\n".join([*lines, *(f"+{line}" for line in edit.replacement.splitlines())])


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="find two edits of coreutils that interact")
    parser.add_argument("pairs", nargs="*", help="default: all")
    parser.add_argument("--tree", type=Path, help="configured and built source, else it is fetched")
    parser.add_argument("--write", action="store_true", help=f"write {TABLE.name} of this run")
    given = parser.parse_args(words)
    chosen = [pair for pair in PAIRS if not given.pairs or pair.name in given.pairs]
    with tempfile.TemporaryDirectory(prefix="interactions-") as name:
        folder = Path(name)
        tree = built(given.tree, folder, sorted({pair.utility for pair in chosen}))
        results = []
        for pair in chosen:
            limit = ("--time", str(LIMIT))
            results.append(build(tree, pair, folder / pair.name, limit))
            print(results[-1], flush=True)
        if given.write:
            TABLE.write_text(document(results, os.getloadavg()[2]))
    return int(any(each.first_s is None or len(each.blamed) < 2 for each in results))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
