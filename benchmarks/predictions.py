"""Does csgtest accuse itself? Programs that it was not made for -> docs/predictions.md.

    python -m benchmarks.predictions --pairs DIR --tree DIR     all of them
    python -m benchmarks.predictions samples par crunch         a group, or programs by name
    python -m benchmarks.predictions --table                    only the document, of what is there

The groups: the samples; Debian's source packages, upstream against what Debian's patches make of
it; the pairs of ``benchmarks.interactions`` (``--tree`` is coreutils, configured and built) and of
``benchmarks.fse13`` (``--pairs`` are their folders). A prediction that native runs do not show, and
a test that takes other branches than its path, is an error of csgtest: the document counts them by
their reasons, beside how much was predicted at all. Each run leaves a report in the work folder and
is made once; ``--again`` makes it anew.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import interactions
from benchmarks.coreutils import FLAGS, load
from benchmarks.fse13.facts import PAIRS as PAPER
from benchmarks.patches import fetch, unpacked

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "docs" / "predictions.md"
SAMPLES = ROOT / "samples"
SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Call:
    """``csgtest build WORDS -- FLAGS`` in ``folder``."""

    folder: Path
    words: tuple[str, ...]
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Package:
    """A program of a Debian source package. Of the files the first has ``main``; ``headers`` are
    what configure would write, by name; ``base`` are patches that both versions have: without them
    upstream's text no longer compiles."""

    name: str
    source: str
    files: tuple[str, ...]
    flags: tuple[str, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    base: tuple[str, ...] = ()


DEBIAN = (
    Package("netcat", "netcat", ("netcat.c",),
            ("-std=gnu89", "-DLINUX", "-DTELNET", "-DGAPING_SECURITY_HOLE", "-DIP_TOS",
             '-DDEBIAN_VERSION="1"', "-Dres_init=__res_init", "-Dsleep=alarm")),
    Package("ncompress", "ncompress", ("compress42.c",),
            ("-std=gnu89", "-D_DEFAULT_SOURCE", "-DNOFUNCDEF", "-DDIRENT=1", "-DUSERMEM=800000")),
    Package("jot", "athena-jot", ("jot.c",),
            ("-std=gnu11", "-DHAVE_SRANDOM", "-Dpw_random_number=labs"), {"config.h": ""}),
    Package("buffer", "buffer", ("buffer.c", "sem.c"), ("-std=gnu89", "-D__alpha"),
            base=("typo-fixes", "semun-semctl-fixes")),
    Package("cksfv", "cksfv",
            ("src/cksfv.c", "src/crc32.c", "src/newsfv.c", "src/print.c", "src/readsfv.c"),
            ('-DVERSION="1.3.15"', "-D_GNU_SOURCE"), {"config.h": "#include <stdint.h>\n"}),
    Package("crunch", "crunch", ("crunch.c",), ("-std=gnu99", "-pthread")),
    Package("ent", "ent", ("ent.c", "chisq.c", "iso8859.c", "randtest.c"), ("-lm",)),
    Package("mpack", "mpack",
            ("unixpk.c", "encode.c", "codes.c", "magic.c", "unixos.c", "xmalloc.c", "md5c.c"),
            ("-std=gnu89",)),
    Package("munpack", "mpack",
            ("unixunpk.c", "decode.c", "uudecode.c", "codes.c", "unixos.c", "part.c", "xmalloc.c",
             "md5c.c"),
            ("-std=gnu89",)),
    Package("par", "par", ("par.c", "buffer.c", "charset.c", "errmsg.c", "reformat.c")),
    Package("pwgen", "pwgen",
            ("pwgen.c", "pw_phonemes.c", "pw_rand.c", "randnum.c", "sha1.c", "sha1num.c"),
            ("-DHAVE_DRAND48", "-DHAVE_GETOPT_LONG", "-DHAVE_STDLIB_H", "-DHAVE_UNISTD_H",
             "-DHAVE_GETOPT_H")),
    Package("sysvbanner", "sysvbanner", ("sysvbanner.c",), ("-std=gnu89",)),
    Package("zipinfo", "fcrackzip", ("zipinfo.c",),
            ("-DHAVE_CONFIG_H", "-I.", "-D_DEFAULT_SOURCE", '-DVERSION="1.0"',
             '-DPACKAGE="fcrackzip"'),
            {"config.h": "typedef unsigned char u8;\ntypedef unsigned short u16;\n"
                         "typedef unsigned int u32;\n"}),
)  # fmt: skip
SAMPLE_CALLS: Mapping[str, tuple[str, ...]] = {
    "cut_ranges": ("--entry", "parse_ranges"),
    "foo": ("--range", "x=-100..100"),
    "bar": (),
    "toy": (),
    "plus_two": (),
    "commands": ("--entry", "run"),
    "endless": (),
    "marks": (),
}
FIELDS = ("a", "b", "c")


# --------------------------------------------------------------------------- what is run


def samples() -> Iterator[tuple[str, Call]]:
    for name, words in SAMPLE_CALLS.items():
        pair = (f"samples/{name}/old.c", f"samples/{name}/new.c")
        yield f"samples/{name}", Call(ROOT, (*pair, *words))
    for letter in FIELDS:
        files = tuple(f"samples/fields/{letter}_{side}.c" for side in ("old", "new"))
        words = ("--sym-args", "1", "2", "4", "--sym-stdin", "2")
        yield f"samples/fields/{letter}", Call(ROOT, (*files, *words))
    yield "samples/shelf", Call(ROOT, ("samples/shelf/old", "samples/shelf/new"))


def debian(sources: Path | None, folder: Path, names: Sequence[str]) -> Iterator[tuple[str, Call]]:
    """``sources`` has the packages' archives; without it they are fetched."""
    chosen = [each for each in DEBIAN if _asked("debian", each.name, names)]
    if chosen and sources is None:
        sources = folder / "archives"
        sources.mkdir()
        fetch(sources, sorted({each.source for each in chosen}))
    for package in chosen:
        assert sources is not None
        pair = folder / package.name
        pair.mkdir()
        _made(package, sources, pair)
        yield f"debian/{package.name}", Call(pair, ("old", "new"), package.flags)


def _made(package: Package, sources: Path, pair: Path) -> None:
    """``old/`` as upstream has it, ``new/`` with all patches; beside each file its headers."""
    tree = unpacked(package.source, sources, pair / "tree")
    patches = tree / "debian" / "patches"
    lines = (patches / "series").read_text().splitlines()
    series = [name for line in lines if (name := line.partition("#")[0].strip())]
    for name in package.base:
        _patch(tree, patches / name)
    _taken(package, tree, pair / "old")
    for name in series:
        if name not in package.base:
            _patch(tree, patches / name)
    _taken(package, tree, pair / "new")


def _patch(tree: Path, patch: Path) -> None:
    command = ["patch", "-p1", "-s", "-f", "-i", str(patch)]
    subprocess.run(command, cwd=tree, check=True, capture_output=True)


def _taken(package: Package, tree: Path, folder: Path) -> None:
    folder.mkdir()
    for file in package.files:
        shutil.copy(tree / file, folder)
    for header in (tree / package.files[0]).parent.glob("*.h"):
        shutil.copy(header, folder)
    for name, text in package.headers.items():
        (folder / name).write_text(text)


def utilities(tree: Path | None, folder: Path, names: Sequence[str]) -> Iterator[tuple[str, Call]]:
    for pair in interactions.PAIRS if tree is not None else ():
        if _asked("interactions", pair.name, names):
            assert tree is not None
            old, new = interactions.versions(tree, pair, folder / "edited" / pair.name)
            files = interactions.linkable(tree, load(tree, pair.utility)[1])
            words = (str(old), str(new), "--with", *map(str, files[1:]))
            yield f"interactions/{pair.name}", Call(tree, words, FLAGS)


def paper(folders: Path | None) -> Iterator[tuple[str, Call]]:
    for pair in PAPER.values() if folders is not None else ():
        assert folders is not None
        folder = folders / pair.name
        words, flags = (folder / "args").read_text(), (folder / "cflags").read_text()
        yield f"fse13/{pair.name}", Call(folder, tuple(words.split()), tuple(flags.split()))


def _asked(group: str, name: str, names: Sequence[str]) -> bool:
    return not names or any(each in (group, name, f"{group}/{name}") for each in names)


def run(name: str, call: Call, out: Path, seconds: float) -> None:
    """Leaves the report in ``out``, or what was said instead of one, with the load beside it."""
    words = [sys.executable, str(ROOT / "cli.py"), "build", *call.words]
    words += ["--time", f"{seconds:g}", "--out", str(out / "run"), "--quiet", "--", *call.flags]
    before = os.getloadavg()[0]
    done = subprocess.run(words, cwd=call.folder, capture_output=True, text=True, check=False)
    kept: dict[str, Any] = {"name": name, "load": before, "seconds": seconds}
    if done.returncode in (0, 1):
        kept |= figures(json.loads((out / "run" / "report.json").read_text()))
    else:
        kept["said"] = done.stderr.strip().splitlines()[:1]
    (out / "figures.json").write_text(json.dumps(kept, indent=1))


def figures(report: Mapping[str, Any]) -> dict[str, Any]:
    """What the document needs of a report."""
    counters, tests = report["counters"], report["tests"]
    aside = Counter(each["class"] for each in tests if each["class"] in ASIDE)
    return {
        "verdict": report["verdict"],
        "tests": len(tests),
        "replayed": sum(each["observed"] != "not-replayed" for each in tests),
        "differing": sum(each["observed"] == "different" for each in tests),
        "native": (report.get("native") or {}).get("tests", 0),
        "mispredicted": counters.get("mispredicted", 0),
        "refused": counters.get("refused") or {},
        "aside": dict(aside),
        "compared": counters["branches_compared"],
        "mismatches": counters["branch_mismatches"],
        "left_out": counters["branches_left_out"],
    }


ASIDE = ("timeout", "nondeterministic", "undecided")


# --------------------------------------------------------------------------- the document


def document(found: Sequence[Mapping[str, Any]]) -> str:
    ran = [each for each in found if "tests" in each]
    rows = "\n".join(_row(each) for each in found)
    total = {key: sum(each[key] for each in ran) for key in ("tests", "replayed", "compared")}
    wrong = sum(each["mispredicted"] for each in ran)
    other = sum(each["mismatches"] for each in ran)
    loads = [each["load"] for each in found]
    seconds = " or ".join(f"{each:g}" for each in sorted({each["seconds"] for each in found}))
    busy = f"{min(loads):.0f} to {max(loads):.0f}"
    return f"""# What is predicted, and what happens

Written by `python -m benchmarks.predictions`: `csgtest build` of the samples, of programs of Debian
(upstream's text against the one with all of Debian's patches), of the pairs of
[interactions.md](interactions.md) and of those of [fse13.md](fse13.md), told nothing about inputs
(but for the samples, as their README has it), {seconds} s each, on two cores with a load of
{busy} from other work.

**{total["tests"]} tests, {total["replayed"]} of them replayed: {wrong} not as predicted.
{total["compared"]} followed [branch by branch](shadow.md#branch-by-branch):
{other} took another branch.**

*refused*: predicted to differ, alike natively in every way of running, by reasons: errors of
csgtest. *not judged*: tests of which a version differs from itself, or was cut off. *tried beside*:
inputs that native testing ran on both versions. *mismatches*: tests that take other branches
natively than their path; *not compared* says why others were not.

| {" | ".join(COLUMNS)} |
|---|---|{"---:|" * 4}---|---|{"---:|" * 2}---|
{rows}

{CAUSES}"""


CAUSES = """\
## What such runs have shown

What was wrong, and is held by a test since:

- *cut.v1v2 took another branch than predicted*: the versions diverged while options were read; the
  test has no file A, which the path had not looked at by then; further on the prediction opened
  one. Any program that parts before it opens a file was accused so. A test is predicted without the
  files that it does not have; and one found beside a seed keeps the seed's files and bytes.
- *seq: conditions that are not met again*: where a search tries one value after the other it
  assumes that the first ones are not there; the guided run takes the value at once, and the paths
  were not compared.
- *ent*: a `sizeof` of a variable whose type changed made two copies of `main`.
- *mpack*: one file defines `warn(void)`, another calls `warn(text)`; joined, that did not compile:
  nothing could be blamed, no branch compared.
- *cgif* (a9ecd7a, not in the table): `p->frames[6]` of three is undefined (C17 J.2), and lies in
  the structure: the sanitized builds of both versions stopped there, and the search, which knew
  bounds of objects and not of arrays in them, went on. 55 tests predicted to differ were alike, 57
  took other branches; such [an index](memory.md#indexes-beyond-an-array) ends a path now, and none
  is or does.
- *netcat*: every path meets a function that is not modelled; the run ended with nothing, though
  native testing finds 50 tests that differ.

What is open: *ncompress* has tables of 70,000 numbers that it fills and reads at symbolic places,
and no path comes to its end; *sysvbanner* differs for one letter of the alphabet, which neither the
search (its table of texts is one change) nor native testing came by in half a minute; few tests
are replayed where each takes long (*jot* counts without an end, *buffer* forks).
"""


COLUMNS = (
    "program", "verdict", "tests", "replayed", "differ", "tried beside", "refused", "not judged",
    "branches compared", "mismatches", "not compared",
)  # fmt: skip


def _row(each: Mapping[str, Any]) -> str:
    if "tests" not in each:
        return f"| {each['name']} | {' '.join(each['said'])} |" + " |" * 9
    numbers = [each[key] for key in ("tests", "replayed", "differing", "native")]
    cells = [
        each["name"],
        each["verdict"],
        *map(str, numbers),
        _by_reason(each["refused"]),
        _by_reason(each["aside"]),
        str(each["compared"]),
        str(each["mismatches"]),
        "; ".join(each["left_out"]) or "-",
    ]
    return f"| {' | '.join(cells)} |"


def _by_reason(counts: Mapping[str, int]) -> str:
    return "; ".join(f"{why}: {count}" for why, count in sorted(counts.items())) or "-"


def _kept(work: Path) -> Iterable[Mapping[str, Any]]:
    order = {"samples": 0, "debian": 1, "interactions": 2, "fse13": 3}
    files = sorted(work.glob("*/*/**/figures.json"))
    found = [json.loads(file.read_text()) for file in files]
    return sorted(found, key=lambda each: (order[each["name"].split("/")[0]], each["name"]))


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="count what csgtest predicts wrongly")
    parser.add_argument("names", nargs="*", help="groups or programs; default: all")
    parser.add_argument("--pairs", type=Path, help="folders of the pairs of benchmarks.fse13")
    parser.add_argument("--tree", type=Path, help="coreutils, configured and built")
    parser.add_argument("--sources", type=Path, help="folder with Debian's archives")
    parser.add_argument(
        "--work", type=Path, default=Path("csgtest-out-predictions"), help="what was run stays"
    )
    parser.add_argument("--time", type=float, default=SECONDS, help="seconds for each search")
    parser.add_argument("--again", action="store_true", help="run what has been run anew")
    parser.add_argument("--table", action="store_true", help="run nothing")
    given = parser.parse_args(words)
    work = given.work.resolve()
    with tempfile.TemporaryDirectory(prefix="predictions-") as name:
        folder = Path(name)
        calls: list[Iterator[tuple[str, Call]]] = [
            samples(),
            debian(given.sources, folder, given.names),
            utilities(given.tree and given.tree.resolve(), folder, given.names),
            paper(given.pairs and given.pairs.resolve()),
        ]
        for label, call in (each for group in calls if not given.table for each in group):
            out = work / label
            kind, _, program = label.partition("/")
            if not _asked(kind, program, given.names) or (
                (out / "figures.json").exists() and not given.again
            ):
                continue
            shutil.rmtree(out, ignore_errors=True)
            out.mkdir(parents=True)
            run(label, call, out, given.time)
            print((out / "figures.json").read_text(), flush=True)
    found = list(_kept(work))
    TABLE.write_text(document(found))
    return int(any(each.get("mispredicted") or each.get("mismatches") for each in found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
