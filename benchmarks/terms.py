"""Measure terms and the solver chain in CPU time: microseconds per operation, queries per second.

python benchmarks/terms.py
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from time import process_time

from symexec.counters import Counters
from symexec.expr import Term, TermTable, compare, extend, negate, truncate
from symexec.solver import PathCondition, SolverOptions, build_solver

COUNT = 20_000


def report(name: str, run: Callable[[], object], count: int = COUNT) -> None:
    started = process_time()
    run()
    print(f"{name:40} {(process_time() - started) / count * 1e6:8.2f} us")


def terms() -> None:
    table = TermTable()
    x, y = table.symbol("x", 32), table.symbol("y", 32)
    many = [table.symbol(f"s{i}", 32) for i in range(COUNT)]
    byte = [table.symbol(f"b{i}", 8) for i in range(COUNT)]
    mask = 0xFFFFFFFF
    report("fresh s + y", lambda: [s + y for s in many])
    report("fresh x + constant", lambda: [x + k for k in range(1, COUNT)])
    report("fresh x ^ s", lambda: [x ^ s for s in many])
    report("hit x + y", lambda: [x + y for _ in many])
    report("x & all ones", lambda: [x & mask for _ in many])
    report("fresh s < y", lambda: [compare("slt", 32, s, y) for s in many])
    report("fresh s == constant", lambda: [compare("eq", 32, s, 7) for s in many])
    report("fresh (int) b", lambda: [extend(b, 8, 32, True) for b in byte])
    report("hit (int) b", lambda: [extend(b, 8, 32, True) for b in byte])
    report("fresh (char) (b + 1)", lambda: [truncate(extend(b, 8, 32, True) + 1, 8) for b in byte])
    path = PathCondition()
    conditions = [table.compare("eq", 32, s, 7) for s in many]
    report("assuming", lambda: [path.assuming(condition) for condition in conditions])


def bubble_sort(name: str, size: int) -> None:
    """All paths of a bubble sort of symbolic ints: size! of them."""
    table = TermTable()
    counters = Counters()
    solver = build_solver(name, SolverOptions(), counters)
    numbers = tuple(table.symbol(f"a{i}", 32) for i in range(size))
    pairs = [(i, i + 1) for last in range(size - 1, 0, -1) for i in range(last)]
    work = [(PathCondition(), numbers, 0)]
    paths = 0
    started = process_time()
    while work:
        path, values, step = work.pop()
        if step == len(pairs):
            paths += 1
            continue
        i, j = pairs[step]
        condition = compare("slt", 32, values[j], values[i])
        assert isinstance(condition, Term)
        can_be_true, can_be_false = solver.directions(path, condition)
        if can_be_false:
            work.append((path.assuming(_plain(negate(condition))), values, step + 1))
        if can_be_true:
            swapped = list(values)
            swapped[i], swapped[j] = values[j], values[i]
            work.append((path.assuming(condition), tuple(swapped), step + 1))
    summary(f"bubble sort of {size} ({name})", paths, process_time() - started, counters)


def _plain(value: object) -> Term:
    assert isinstance(value, Term)
    return value


def list_parser(name: str, length: int) -> None:
    """A parser of "1-3,5" over symbolic bytes, with the numbers' values compared."""
    table = TermTable()
    counters = Counters()
    solver = build_solver(name, SolverOptions(), counters)
    text = [table.symbol(f"c{i}", 8) for i in range(length)]
    paths = 0
    started = process_time()
    work: list[tuple[PathCondition, int, object, object]] = [(PathCondition(), 0, 0, 0)]
    while work:
        path, position, low, number = work.pop()
        if position == length:
            paths += 1
            continue
        c = text[position]
        is_digit = compare("ult", 8, c - ord("0"), 10)
        for condition, follow in (
            (is_digit, "digit"),
            (compare("eq", 8, c, ord("-")), "dash"),
            (compare("eq", 8, c, ord(",")), "comma"),
        ):
            yes, no = solver.directions(path, _plain(condition))
            if yes:
                taken = path.assuming(_plain(condition)) if no else path
                if follow == "digit":
                    digit = extend(c - ord("0"), 8, 32, False)
                    work.append((taken, position + 1, low, number * 10 + digit))  # type: ignore[operator]
                elif follow == "dash":
                    work.append((taken, position + 1, number, 0))
                else:
                    ordered = compare("slt", 32, number, low)  # type: ignore[arg-type]
                    wrong, right = solver.directions(taken, ordered)  # type: ignore[arg-type]
                    paths += wrong
                    if right and isinstance(ordered, Term):
                        taken = taken.assuming(_plain(negate(ordered)))
                    if right:
                        work.append((taken, position + 1, 0, 0))
            if not no:
                break
            path = path.assuming(_plain(negate(condition)))
        else:
            paths += 1
    summary(f"list parser, {length} bytes ({name})", paths, process_time() - started, counters)


def controller(name: str, steps: int) -> None:
    """A state machine over bounded inputs: every branch is decided by domains and models."""
    table = TermTable()
    counters = Counters()
    solver = build_solver(name, SolverOptions(), counters)
    started = process_time()
    paths = 0
    work = [(PathCondition(), 0)]
    while work:
        path, step = work.pop()
        if step == steps:
            paths += 1
            continue
        pedal = table.symbol(f"pedal{step}", 32)
        for limit in (0, 5, 12, 20):
            condition = _plain(compare("slt", 32, pedal, limit + 1))
            yes, no = solver.directions(path, condition)
            if yes:
                work.append((path.assuming(condition), step + 1))
            if not no:
                break
            path = path.assuming(_plain(negate(condition)))
        else:
            work.append((path, step + 1))
    summary(f"controller, {steps} steps ({name})", paths, process_time() - started, counters)


def summary(name: str, paths: int, seconds: float, counters: Counters) -> None:
    layers = " ".join(f"{layer} {count}" for layer, count in sorted(counters.answered.items()))
    rate = counters.backend_queries / counters.solver_s if counters.solver_s else 0
    print(
        f"{name}: {paths} paths, {seconds:.2f} s; {counters.queries} queries ({layers}); "
        f"backend {rate:.0f}/s"
    )


if __name__ == "__main__":
    gc.disable()
    terms()
    gc.enable()
    for solver_name in ("bitwuzla", "z3"):
        bubble_sort(solver_name, 5)
        list_parser(solver_name, 6)
        controller(solver_name, 5)
