"""What a graph costs as programs grow: generated pairs of 1,000 to 100,000 lines.

    python -m benchmarks.graphs [--lines 1000,10000] [--write docs/graphs-cost.md]

A generated program has what slows analyses down: globals that many functions share, arrays and
structures behind pointers, loops, calls several deep, a table of functions. One line in a hundred
is changed (10 changes in 1,000 lines), one in 125 of the largest. Each size runs in a process of
its own; CPU seconds are those of the process and its children, memory is its peak.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

SIZES = ((1_000, 10), (10_000, 90), (30_000, 250), (100_000, 800))
STAGES = ("unify", "lower", "dependences", "graph", "drawing")

_HEAD = """\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct item { int key; int weight; struct item *next; };
"""


_PAGE = """\
# What a graph costs

Written by `python -m benchmarks.graphs --write docs/graphs-cost.md`: generated pairs of versions,
each measured in a process of its own ({machine}). CPU seconds, compilers included.

- *unify*: preprocess, parse and unify both versions
- *lower*: to the intermediate representation
- *dependences*: pointers, calls, data and control dependences of every instruction
- *graph*: sets of changes, interaction locations, Algorithm 1
- *drawing*: the text of the graph

{table}
"""


class _Writer:
    """Writes one program; notes how a line could differ, so that pairs can be made of it."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.lines: list[str] = []
        self.changeable: dict[int, str] = {}  # line -> what it would be instead

    def program(self, lines: int) -> None:
        self.lines += _HEAD.splitlines()
        module = 0
        names: list[str] = []
        while len(self.lines) < lines - 20:
            names += self.module(module, names)
            module += 1
        self.lines.append("int main(int argc, char **argv) {")
        self.lines.append("    int total = argc > 1 ? atoi(argv[1]) : 0;")
        for name in names[-3:] + self.random.sample(names, min(len(names), 12)):
            self.lines.append(f"    total += {name}(total, argc);")
        self.lines += ['    printf("%d\\n", total);', "    return total & 1;", "}"]

    def module(self, number: int, earlier: list[str]) -> list[str]:
        """Some globals, and functions that call each other and those of the modules before."""
        self.lines.append(f"static int state{number}, limit{number} = {self.number()};")
        self.lines.append(f"static int table{number}[16];")
        self.lines.append(f"static struct item *head{number};")
        made: list[str] = []
        for place in range(self.random.randrange(5, 9)):
            name = f"f{number}_{place}"
            self.function(name, number, earlier[-24:] + made)
            made.append(name)
        self.dispatcher(f"d{number}", number, made)
        return [*made, f"d{number}"]

    def dispatcher(self, name: str, module: int, handlers: list[str]) -> None:
        chosen = ", ".join(handlers[:4])
        self.lines += [
            f"static int (*const handlers{module}[])(int, int) = {{{chosen}}};",
            f"static int {name}(int a, int b) {{",
            f"    if (a < 0 || a >= {min(4, len(handlers))})",
            "        return b;",
        ]
        self.change(f"    return handlers{module}[a](b, a + {{}});")
        self.lines.append("}")

    def function(self, name: str, module: int, callees: list[str]) -> None:
        self.lines.append(f"static int {name}(int a, int b) {{")
        self.lines.append(f"    int x = a + {self.number()}, y = b, i;")
        self.lines.append("    struct item *item;")
        for _ in range(self.random.randrange(3, 8)):
            self.statement(module, callees)
        self.lines += ["    return x + y;", "}"]

    def statement(self, module: int, callees: list[str]) -> None:
        pick = self.random.randrange(9)
        if pick == 0:
            self.change(f"    x = y * {{}} + state{module};")
        elif pick == 1:
            self.change("    if (x > {})")
            self.change(f"        state{module} = x - y + {{}};")
            self.lines += ["    else", "        y++;"]
        elif pick == 2:
            self.change("    for (i = 0; i < {} % 16; i++) {{")
            self.change(f"        table{module}[i] += x + {{}};")
            self.lines += [f"        y += table{module}[(i + 1) & 15];", "    }"]
        elif pick == 3 and callees:
            self.change(f"    y = {self.random.choice(callees)}(x, {{}});")
        elif pick == 4:
            self.lines += [
                "    item = malloc(sizeof *item);",
                "    if (item == NULL)",
                "        exit(2);",
            ]
            self.change("    item->key = x + {};")
            self.lines += [
                "    item->weight = y;",
                f"    item->next = head{module};",
                f"    head{module} = item;",
            ]
        elif pick == 5:
            self.lines.append(f"    for (item = head{module}; item != NULL; item = item->next)")
            self.change("        if (item->key == {})")
            self.lines.append("            x += item->weight;")
        elif pick == 6:
            self.lines.append("    switch (x & 3) {")
            for case in range(3):
                self.lines.append(f"    case {case}:")
                self.change("        y += {};")
                self.lines.append("        break;")
            self.lines += ["    default:", "        y = -y;", "    }"]
        elif pick == 7:
            self.change(f"    while (x > limit{module} + {{}})")
            self.lines.append("        x /= 2;")
        else:
            self.lines.append("    if (y < 0)")
            self.lines.append('        printf("%d %d\\n", x, y);')

    def number(self) -> int:
        return self.random.randrange(1, 1000)

    def change(self, line: str) -> None:
        number = self.number()
        self.changeable[len(self.lines)] = line.format(number + 1)
        self.lines.append(line.format(number))


def pair(lines: int, changes: int, seed: int = 1) -> tuple[str, str]:
    """Two versions of a generated program of about ``lines`` lines that differ in ``changes``
    statements."""
    writer = _Writer(seed)
    writer.program(lines)
    new = list(writer.lines)
    for place in writer.random.sample(sorted(writer.changeable), changes):
        new[place] = writer.changeable[place]
    return _text(writer.lines), _text(new)


def _text(lines: list[str]) -> str:
    return "\n".join(lines) + "\n"


def measured(lines: int, changes: int) -> dict[str, float]:
    """Seconds of each stage and megabytes, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in zip(("old.c", "new.c"), pair(lines, changes), strict=True):
            Path(folder, name).write_text(text, encoding="ascii")
        command = [sys.executable, "-m", "benchmarks.graphs", "--stages", folder]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def stages(folder: Path) -> dict[str, float]:
    """Runs ``csgtest graph`` step by step on ``old.c`` and ``new.c``."""
    from csg.analysis import dependence_graph
    from csg.pipeline import graph_of, program_of, unify_files
    from csg.programs import Versions
    from csg.render import listing
    from symexec.watchdog import collect_rarely

    collect_rarely()  # as every command does
    found: dict[str, float] = {}
    clock = _cpu()

    def lap(name: str) -> None:
        nonlocal clock
        found[name] = _cpu() - clock
        clock = _cpu()

    unified = unify_files(Versions(folder / "old.c", folder / "new.c"))
    lap("unify")
    program = program_of(unified)
    lap("lower")
    dependences = dependence_graph(program)
    lap("dependences")
    graph = graph_of(program, dependences=dependences)
    lap("graph")
    listing(graph)
    lap("drawing")
    found |= {"nodes": len(graph), "edges": graph.number_of_edges()}
    found["megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    found["seconds"] = sum(found[name] for name in STAGES)
    return found


def _cpu() -> float:
    own = time.process_time()
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return own + children.ru_utime + children.ru_stime


def table(rows: list[tuple[int, int, dict[str, float]]]) -> Iterator[str]:
    yield "| lines | changes | " + " | ".join(STAGES) + " | all, s | per 1,000 lines | MB |"
    yield "|" + "---:|" * (len(STAGES) + 5)
    for lines, changes, found in rows:
        cells = [f"{lines:,}", str(changes)]
        cells += [f"{found[name]:.1f}" for name in STAGES]
        cells += [f"{found['seconds']:.1f}", f"{found['seconds'] / lines * 1000:.2f}"]
        yield "| " + " | ".join([*cells, f"{found['megabytes']:.0f}"]) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", default="", help="sizes to measure, with commas")
    parser.add_argument("--write", type=Path, help="the page to write")
    parser.add_argument("--stages", type=Path, help="measure the pair in this folder")
    options = parser.parse_args()
    if options.stages:
        print(json.dumps(stages(options.stages)))
        return
    wanted = {int(size) for size in options.lines.split(",") if size}
    rows = []
    for lines, changes in SIZES:
        if not wanted or lines in wanted:
            rows.append((lines, changes, measured(lines, changes)))
            print(rows[-1][:2], rows[-1][2], file=sys.stderr)
    written = "\n".join(table(rows))
    print(written)
    if options.write:
        machine = f"{os.cpu_count()} processors, Python {platform.python_version()}"
        options.write.write_text(_PAGE.format(machine=machine, table=written), encoding="utf-8")


if __name__ == "__main__":
    main()
