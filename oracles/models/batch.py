"""Cases of many models: made, compiled, run on both sides.

for verdict, seconds in run(cases(["strlen", "strchr"], library(folder), 1), 1, 3, folder): ...

What is drawn depends on the seed, the model and the place of the case among those of its model: a
disagreement of a run over all models is there again when its model is tried alone.
"""

from __future__ import annotations

import itertools
import math
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from oracles.models.cases import Case, Maker, Unknown, default_template
from oracles.models.checking import Checker, Verdict
from oracles.models.native import Natives
from oracles.models.prototypes import INCLUDES, Library
from oracles.models.symbolic import Symbolic
from oracles.models.table import row_of

MACROS = ("__builtin_trap", "sigsetjmp")  # there without being linked
HERE = Path(__file__).parent


def reason(name: str, host: Library) -> str:
    """Why a model has no case; "" when it has one. An *unknown* type asks for a row."""
    row = row_of(name)
    if row is not None and row.why:
        return row.why
    if name not in host.linked and name not in MACROS:
        return "this machine's library has no such function"
    try:
        list(_calls(name, host))
    except Unknown as unknown:
        return f"unknown: {unknown}"
    return ""


def _calls(name: str, host: Library) -> Iterator[tuple[str, str, str]]:
    """Each call with the function that it is of, and what stands before."""
    row = row_of(name)
    if row is not None:
        for call in row.calls:
            yield call, name, row.declared.replace("@", name)
        return
    prototype = host.prototypes.get(name.removeprefix("__isoc99_"))
    if prototype is None:
        raise Unknown("not declared")
    alias = ""
    if prototype.name != name:
        alias = f"extern __typeof__({prototype.name}) {name};\n"
        prototype = replace(prototype, name=name)
    if not prototype.listed:
        yield default_template(prototype), name, ""
        return
    twin = name.removeprefix("__isoc99_").replace("v", "", 1)  # vsnprintf is tried as snprintf is
    row = row_of(twin)
    if row is None:
        raise Unknown(f"no row for {twin}")
    wrapper = f"by_list_{name}"
    for call in row.calls:
        yield call, wrapper, alias + prototype.with_ellipsis(wrapper)


def cases(names: Sequence[str], host: Library, seed: int) -> list[Case]:
    found: list[Case] = []
    for name in names:
        maker = Maker(f"{seed} {name}")
        before = ""
        for call, called, declared in _calls(name, host):
            now = declared if declared != before else ""
            found.append(maker.case(len(found), name, call, called, now))
            before = declared
    return found


def text(found: Sequence[Case], native: bool) -> str:
    parts = [INCLUDES]
    parts.append((HERE / "preamble.h").read_text())
    parts += [case.source for case in found]
    if native:
        rows = "".join(f"{{case_{c.number}, inputs_{c.number}}},\n" for c in found)
        parts.append(
            "static const struct { void (*run)(void); const struct input *inputs; } cases[] = {\n"
            f"{rows}}};\n" + (HERE / "main.c").read_text()
        )
    return "".join(parts)


def run(
    found: Sequence[Case], seed: int, rounds: int, folder: Path, bound_s: float = math.inf
) -> Iterator[tuple[Verdict, float]]:
    """Each verdict with the seconds of processor time that it took. A model that has had
    ``bound_s`` of them gets no more rounds: a verdict *bounded* says so."""
    source = folder / "cases.c"
    source.write_text(text(found, native=False))
    with Natives(text(found, native=True), folder) as natives:
        checker = Checker(Symbolic(source, found[0]), natives)
        for _, group in itertools.groupby(found, key=lambda case: case.name):
            yield from _of_model(list(group), seed, rounds, bound_s, checker)


def _of_model(
    found: Sequence[Case], seed: int, rounds: int, bound_s: float, checker: Checker
) -> Iterator[tuple[Verdict, float]]:
    spent = 0.0
    for turn in range(rounds):  # each case has its turn before one of them has two
        for place, case in enumerate(found):
            if spent > bound_s:
                yield Verdict(case, "forced", "bounded", f"after {turn} of {rounds} rounds"), 0.0
                return
            chance = random.Random(f"{seed} {case.name} {place} {turn}")
            before = time.process_time()
            for verdict in (*checker.forced(case, chance), *checker.free(case, chance)):
                now = time.process_time()
                yield verdict, now - before
                spent += now - before
                before = now
