"""Which calls show what a call has left in objects that no caller can look at.

    static int count;                                worth(x) writes it,
    int worth(int x) { return count++ ? x : 0; }     worth and total read it:
    int total(void) { return count; }                "worth,worth|total|,worth", ".., total"

A call that leaves another number there has done nothing that a caller can tell, until a later one
reads it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import networkx

from csg.analysis.call_graph import named_calls
from csg.errors import CsgtestError
from csg.ir import DRIVEN
from csg.language.syntax import (
    Declaration,
    FunctionDefinition,
    Linkage,
    Name,
    SymbolKind,
    TranslationUnit,
)
from csg.language.traversal import walk
from csg.pipeline import program_of
from csg.unify.pairs import Readings
from symexec.options import BuildOptions, versions_of
from symexec.report.model import Report
from symexec.testcases import DifferenceKind
from symexec.testcases.sequences import is_sequence
from symexec.triage import initial_values

LEAST = 1.0  # seconds for which it is worth to begin
BETWEEN = 2  # calls between the first and the last
MOST = 3  # functions of which each is the last one once


def only_hidden_state(report: Report) -> bool:
    """Is all that differs hidden in the program, or shown where a test has set what is, so that
    calls alone can tell?"""
    groups = report.groups
    hidden = any(each.kind is DifferenceKind.INTERNAL_STATE for each in groups)
    hidden = hidden or bool(_set_objects(report))
    return hidden and report.finished and not any(each.tells for each in groups)


def _set_objects(report: Report) -> frozenset[str]:
    """The objects that differing tests set and only calls can set."""
    begun = initial_values(report.signature)
    given = [each for case in report.differing for each in case.input.globals]
    return frozenset(name for name, value in given if begun.get(name, value) != value)


def seconds_left(report: Report, options: BuildOptions) -> float:
    """The seconds that the calls of the entry alone have left; 0 where that is too little."""
    took = report.counters.get("wall_s")
    left = options.search.time - took if isinstance(took, float) else 0.0
    return left if left >= LEAST else 0.0


def later_calls(report: Report, options: BuildOptions, readings: Readings) -> tuple[str, ...]:
    """The sequences of calls that begin with the entry and end with a function that reads what
    differs; none where no such function can be called from outside."""
    entry = report.entry.removeprefix(DRIVEN)
    if is_sequence(options.inputs.entry or "") or report.entry.startswith(DRIVEN):
        return ()
    try:
        unified = readings.unify(versions_of(options).pairs(), "")
        program = program_of(unified, entry)
    except CsgtestError:
        return ()
    definitions = {each.symbol.name: each for unit in unified.units for each in unit.functions}
    objects = _set_objects(report)
    hidden = objects
    if not objects:  # a test shows one of them; what else the changes write may differ as well
        changed = {each.function for each in unified.changes}
        hidden = differing_objects(report).union(_named_in(unified.units, changed))
    touching = {function for function, name in _uses_of_objects(unified.units) if name in hidden}
    calls = named_calls(program)
    above = {one for name in touching & set(calls) for one in networkx.ancestors(calls, name)}
    called = [name for name in sorted(touching | above) if _is_offered(definitions.get(name))]
    called.sort(key=lambda name: name != entry)
    between = ",".join(["".join(f"{name}|" for name in called)] * BETWEEN)
    if objects:  # others set them first
        return tuple(f"{name},{between},{entry}" for name in (*called[1:], entry)[:MOST])
    return tuple(f"{entry},{between},{name}" for name in called[:MOST])


def differing_objects(report: Report) -> frozenset[str]:
    """The names of the objects that no caller can look at and that a test leaves different."""
    signature = report.signature
    owners = {each.name: each.owner for each in signature.lasting} if signature else {}
    found: set[str] = set()
    for case in report.differing:
        if case.old is not None and case.new is not None:
            before, after = dict(case.old.state), dict(case.new.state)
            names = before.keys() | after.keys()
            found |= {name for name in names if before.get(name) != after.get(name)}
    return frozenset(_root(name.removesuffix(" as given"), owners) for name in found)


def _root(name: str, owners: dict[str, str]) -> str:
    """The object that a part belongs to; one that is a scalar is a part of itself."""
    while owners.get(name, name) not in ("", name):
        name = owners[name]
    return name


def _named_in(units: Sequence[TranslationUnit], functions: Collection[str]) -> frozenset[str]:
    """The objects that no caller can look at and that some of these functions name."""
    return frozenset(name for function, name in _uses_of_objects(units) if function in functions)


def _uses_of_objects(units: Sequence[TranslationUnit]) -> Iterator[tuple[str, str]]:
    """Each function, and an object that it names and other files do not see; ``f.n`` is what the
    function f itself declares as n."""
    for unit in units:
        for function in unit.functions:
            own = function.symbol.name
            for node in walk(function.body):
                match node:
                    case Name(symbol=symbol) if (
                        symbol.linkage is Linkage.INTERNAL and symbol.kind is SymbolKind.OBJECT
                    ):
                        yield own, symbol.name
                    case Declaration(symbol=symbol):
                        yield own, f"{own}.{symbol.name}"
                    case _:
                        continue


def _is_offered(function: FunctionDefinition | None) -> bool:
    return function is not None and function.is_for_others
