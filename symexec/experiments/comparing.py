"""``csgtest compare``: all strategies on one pair, each for the same time, with several seeds.

    compare(options, progress).table()

The pair is prepared once, before any clock runs. The output folder gets compare.json, compare.txt
and compare.svg, rewritten after each run, so that Ctrl-C (or worse) keeps what was found.
"""

from __future__ import annotations

import gc

from symexec.experiments.comparison import Comparison, compared, unchanged
from symexec.experiments.plot import plot
from symexec.experiments.runs import Laboratory, Run
from symexec.options import CompareOptions
from symexec.progress import Progress
from symexec.testcases import OutputFolder


def compare(options: CompareOptions, progress: Progress) -> Comparison:
    """Run every strategy with every seed: all strategies with the first seed, then the next."""
    laboratory = Laboratory(options)
    with OutputFolder(options.out) as folder:
        try:
            laboratory.prepare()
            return _compared(options, laboratory, folder, progress)
        finally:
            laboratory.close()


def _compared(
    options: CompareOptions, laboratory: Laboratory, folder: OutputFolder, progress: Progress
) -> Comparison:
    prepared = laboratory.job.prepared
    title = f"{options.old} -> {options.new}"
    seeds = range(options.search.seed, options.search.seed + options.seeds)
    if prepared is None:
        result = unchanged(title, options.search.time, seeds)
        _write(folder, result)
        return result
    runs: list[Run] = []
    for seed in seeds:
        for strategy in options.modes:
            run = laboratory.run(strategy, seed, progress)
            gc.collect()  # terms and states of this run are not the next one's to pay for
            runs.append(run)
            last = seed == seeds[-1] and strategy == options.modes[-1]
            finished = run.finished and last
            result = compared(title, prepared.graph, options.search.time, seeds, runs, finished)
            _write(folder, result)
            if not run.finished:
                raise KeyboardInterrupt
    return result


def _write(folder: OutputFolder, comparison: Comparison) -> None:
    folder.write_text("compare.json", comparison.json_text() + "\n")
    folder.write_text("compare.txt", comparison.table() + "\n")
    folder.write_text("compare.svg", plot(comparison))
