"""Experiments: strategies compared under the same budget.

compare(options, progress) -> Comparison       its table, its JSON, and a plot in the folder
table(comparison), json_text(comparison)
"""

from __future__ import annotations

import gc
import math
from collections.abc import Mapping, Sequence
from html import escape
from statistics import median_low

from symexec.experiments.comparison import Comparison, compared, unchanged
from symexec.experiments.runs import Laboratory, Run
from symexec.experiments.wording import json_text, table
from symexec.options import CompareOptions
from symexec.progress import Progress
from symexec.testcases import OutputFolder

__all__ = ["Comparison", "compare", "json_text", "table"]


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
    folder.write_text("compare.json", json_text(comparison) + "\n")
    folder.write_text("compare.txt", table(comparison) + "\n")
    folder.write_text("compare.svg", plot(comparison))


# ------------------------------------------------------------------------------------------- plot
# Time against distinct differences, one line of steps for each strategy, as SVG.
#
#     curves({"guided": [(0.1, 1), (2.0, 2)]}, 10.0)    ->  "<svg ...>"
#
# The axis of time is logarithmic: what matters happens early.


Steps = Sequence[tuple[float, int]]  # (second, differences from then on)

WIDTH, HEIGHT = 760, 420
LEFT, RIGHT, TOP, BOTTOM = 60, 150, 50, 50
EARLIEST = 0.01  # seconds; earlier differences are drawn here
# Colours that most eyes can distinguish, and a pattern for those that see none.
STYLES = (("#0072b2", ""), ("#d55e00", "8 3"), ("#009e73", "2 3"), ("#000000", "10 3 2 3"))


def plot(comparison: Comparison) -> str:
    """The plot of the medians of all seeds."""
    lines = {name: steps_of(comparison, name) for name in comparison.strategies}
    return curves(lines, comparison.budget_s, comparison.title)


def steps_of(comparison: Comparison, strategy: str) -> list[tuple[float, int]]:
    """How many differences at least half of the runs have found, each time that the number
    changes."""
    seeds = [run.seed for run in comparison.runs if run.strategy == strategy]
    events = sorted(
        (second, seed)
        for finding in comparison.findings
        for seed, second in finding.times[strategy].items()
    )
    counts = dict.fromkeys(seeds, 0)
    found: list[tuple[float, int]] = []
    for second, seed in events:
        counts[seed] += 1
        middle = median_low(counts.values())
        if middle != (found[-1][1] if found else 0):
            found.append((second, middle))
    return found


def curves(lines: Mapping[str, Steps], budget: float, title: str = "") -> str:
    most = max([1, *(count for steps in lines.values() for _, count in steps)])
    last = max([budget, EARLIEST * 10, *(time for steps in lines.values() for time, _ in steps)])
    frame = _Frame(last, most)
    parts = [_text(LEFT, 24, f"Differences found: {title}", size=15), *frame.axes()]
    for number, (name, steps) in enumerate(lines.items()):
        parts += _line(frame, number, name, steps)
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif">\n'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>\n{body}\n</svg>\n'
    )


class _Frame:
    """Maps seconds and counts to points."""

    def __init__(self, last: float, most: int) -> None:
        self.last = last
        self.most = most

    def x(self, second: float) -> float:
        span = math.log(self.last / EARLIEST)
        share = math.log(min(max(second, EARLIEST), self.last) / EARLIEST) / span
        return round(LEFT + share * (WIDTH - LEFT - RIGHT), 1)

    def y(self, count: float) -> float:
        return round(HEIGHT - BOTTOM - count / self.most * (HEIGHT - TOP - BOTTOM), 1)

    def axes(self) -> list[str]:
        low, right = self.y(0), self.x(self.last)
        parts = [
            f'<path d="M{LEFT} {TOP}V{low}H{right}" fill="none" stroke="#444"/>',
            _text((LEFT + right) / 2, HEIGHT - 12, "seconds", anchor="middle"),
            _text(LEFT - 8, TOP - 12, "distinct differences", anchor="start"),
        ]
        for second in self._decades():
            x = self.x(second)
            parts.append(f'<path d="M{x} {low}v5" stroke="#444"/>')
            parts.append(_text(x, low + 20, f"{second:g}", anchor="middle"))
        step = max(1, math.ceil(self.most / 8))
        for count in range(0, self.most + 1, step):
            y = self.y(count)
            parts.append(f'<path d="M{LEFT} {y}H{right}" stroke="#ddd"/>')
            parts.append(_text(LEFT - 8, y + 4, str(count), anchor="end"))
        return parts

    def _decades(self) -> list[float]:
        exponents = range(round(math.log10(EARLIEST)), math.floor(math.log10(self.last)) + 1)
        return [10.0**exponent for exponent in exponents]


def _line(frame: _Frame, number: int, name: str, steps: Steps) -> list[str]:
    colour, dashes = STYLES[number % len(STYLES)]
    path = f"M{frame.x(0)} {frame.y(0)}"
    for second, count in steps:
        path += f"H{frame.x(second)}V{frame.y(count)}"
    path += f"H{frame.x(frame.last)}"
    stroke = f'fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes or "none"}"'
    # Of lines that coincide each is drawn a little lower than the one before.
    shift = f'transform="translate(0 {2 * number})"'
    y = TOP + 20 * number
    x = WIDTH - RIGHT + 12
    total = steps[-1][1] if steps else 0
    return [
        f'<path d="{path}" {stroke} {shift}><title>{escape(name)}</title></path>',
        f'<path d="M{x} {y}h26" {stroke}/>',
        _text(x + 32, y + 4, f"{name}: {total}"),
    ]


def _text(x: float, y: float, text: str, size: int = 12, anchor: str = "start") -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}">{escape(text)}</text>'
    )
