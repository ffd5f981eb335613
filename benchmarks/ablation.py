"""What each strategy of the search brings: states to the first difference, with it and without.

    python -m benchmarks.ablation                       samples, three seeds -> a table
    python -m benchmarks.ablation fields/a --seeds 1    one pair
    python -m benchmarks.ablation --tree DIR --write    the edits of coreutils that interact as well

Counted is the search alone, in one process beside its replays: until a test is confirmed natively
whose difference is more than wording (help, version, stderr). States tell more than seconds on a
machine that has other things to do; both are told.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

from csg.records import record
from symexec.campaign.building import BuildJob
from symexec.options import BuildOptions, FileOptions, InputOptions, SearchOptions
from symexec.options import SymbolicArguments as Arguments
from symexec.progress import Silence
from symexec.search.registry import chosen, strategies, variant

ROOT = Path(__file__).parent.parent
SAMPLES = ROOT / "samples"
TABLE = ROOT / "docs" / "comparing-searches.md"
BEGIN, END = "<!-- ablation: begin -->", "<!-- ablation: end -->"
MOST = 6_000  # states; a search that needs more counts as one that finds nothing
SECONDS = 60.0
WORDING = ("stderr-only", "help-text")
OTHERS = ("published", "isolated", "isolated-all", "undirected", "breadth-first", "depth-first")


@record
class Pair:
    name: str
    options: BuildOptions


@record
class Found:
    """Of one run: states made and seconds until the first difference; None: there was none."""

    states: int | None
    seconds: float


def pair(name: str, old: str, new: str, inputs: InputOptions = InputOptions()) -> Pair:  # noqa: B008
    return Pair(name, BuildOptions(SAMPLES / old, SAMPLES / new, inputs=inputs))


def fields(which: str, length: int) -> Pair:
    inputs = InputOptions(arguments=Arguments(1, 2, length), stdin=2)
    return pair(f"fields/{which}", f"fields/{which}_old.c", f"fields/{which}_new.c", inputs)


PAIRS = (
    pair("cut_ranges", "cut_ranges/old.c", "cut_ranges/new.c"),
    pair("commands", "commands/old.c", "commands/new.c"),
    pair("shelf", "shelf/old", "shelf/new", InputOptions(arguments=Arguments(1, 1, 2))),
    fields("a", 4),
    fields("b", 5),
    fields("c", 4),
)


def variants() -> list[str]:
    """Guided search, without each of its strategies that choose states, without all; the others."""
    own = [name for name in chosen("guided").strategies if strategies()[name].wrap is not None]
    return ["guided", *(f"guided-{name}" for name in own), *OTHERS]


def run(pair: Pair, text: str, seed: int) -> Found:
    mode, without = variant(text)
    search = SearchOptions(time=SECONDS, seed=seed, mode=mode, without=without)
    options = pair.options
    job = BuildJob(
        BuildOptions(
            options.old,
            options.new,
            options.flags,
            options.inputs,
            search,
            native=False,
            attack=0.0,
            files=options.files,
        )
    )
    try:
        job.prepare()
        job.started = job.clock()
        return _first(job)
    finally:
        job.close()
        gc.collect()


def _first(job: BuildJob) -> Found:
    made: dict[str, int] = {}
    for case in job.cases(Silence()):
        made.setdefault(case.id, job.states)
        if case.observed == "different" and case.kind not in WORDING:
            return Found(made[case.id], case.found_s)
        if job.states > MOST:
            break
    return Found(None, 0.0)


def cell(found: Sequence[Found]) -> str:
    """Medians over the seeds that found one, and how many did."""
    states = [each.states for each in found if each.states is not None]
    if not states:
        return "-"
    seconds = median(each.seconds for each in found if each.states is not None)
    missed = "" if len(states) == len(found) else f" ({len(states)}/{len(found)})"
    return f"{median(states):,.0f}, {seconds:.1f} s{missed}"


def rows(pairs: Sequence[Pair], names: Sequence[str], seeds: int) -> Iterator[str]:
    yield f"| search | {' | '.join(each.name for each in pairs)} |"
    yield f"|---|{'---:|' * len(pairs)}"
    for name in names:
        cells = [cell([run(each, name, seed) for seed in range(seeds)]) for each in pairs]
        yield f"| `{name}` | {' | '.join(cells)} |"


def interactions(tree: Path, folder: Path) -> list[Pair]:
    """The pairs of benchmarks/interactions.py, in a tree of coreutils that is built."""
    from benchmarks import interactions as edits
    from benchmarks.coreutils import FLAGS, load

    os.chdir(tree)
    found = []
    for each in edits.PAIRS:
        old, new = edits.versions(tree, each, folder / each.name)
        _, files = load(tree, each.utility)
        others = tuple(edits.linkable(tree, files)[1:])
        options = BuildOptions(old, new, tuple(FLAGS), files=FileOptions(others))
        found.append(Pair(f"{each.utility}, {each.name}", options))
    return found


def write(lines: Sequence[str], seeds: int) -> None:
    text = TABLE.read_text()
    before, rest = text.split(BEGIN)
    load = f"Load of the machine {os.getloadavg()[2]:.0f}; seeds 0 to {seeds - 1}."
    table = "\n".join([BEGIN, "", *lines, "", load, ""])
    TABLE.write_text(before + table + rest[rest.index(END) :])


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="the search without each of its strategies")
    parser.add_argument("pairs", nargs="*", help="default: all")
    parser.add_argument("--modes", type=lambda text: text.split(","), help="default: all")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--tree", type=Path, help="configured and built source of coreutils")
    parser.add_argument("--write", action="store_true", help=f"write the table of {TABLE.name}")
    given = parser.parse_args(words)
    with tempfile.TemporaryDirectory(prefix="ablation-") as name:
        pairs = [*PAIRS, *(interactions(given.tree, Path(name)) if given.tree else ())]
        pairs = [each for each in pairs if not given.pairs or each.name in given.pairs]
        lines = []
        for line in rows(pairs, given.modes or variants(), given.seeds):
            print(line, flush=True)
            lines.append(line)
    if given.write:
        write(lines, given.seeds)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
