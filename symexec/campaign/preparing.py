"""The first stages of a campaign: from the files of both versions to what is searched.

    read = read_versions(options)          both versions as one syntax tree, and where they start
    lowered = lower(read, options)         its text, which C compilers take, and its program
    prepared = analysed(lowered, options)  its graph, its distances, the objects that outlive a call

Each stage raises CsgtestError. Between the second and the third compilers can begin (builds.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from csg.analysis import DependenceGraph, Distances, dependence_graph, guard_names, guards
from csg.errors import CsgtestError, UsageError
from csg.ir import Program
from csg.language.completing import complete_records
from csg.language.syntax import TranslationUnit
from csg.pipeline import graph_of, program_of, shared_entry
from csg.programs import FilePair
from csg.unite import ProgramPair, read_pair, unite
from csg.versions import Unified, printed
from csg.versions.compiled import MASKED, Confirmation, confirmed, located
from symexec.campaign.lasting import NOTHING_OUTLIVES, Outliving, outliving
from symexec.campaign.preparation import Prepared, asked_for_null
from symexec.campaign.start import definition
from symexec.environment import library
from symexec.environment.plan import plan
from symexec.expr import TermTable
from symexec.options import BuildOptions, Globals, InputOptions, versions_of
from symexec.testcases import EntrySignature, called_with, differing_part, signature_of


@dataclass(frozen=True, slots=True)
class Read:
    """Where ``unified`` has no changes there is nothing to search."""

    files: tuple[FilePair, ...]
    pair: ProgramPair
    unified: Unified
    entry: str
    notes: tuple[str, ...]  # for the report


@dataclass(frozen=True, slots=True)
class Lowered:
    """``text`` is the program that runs with any set of changes; ``signature`` None means main."""

    unified: Unified
    text: str
    program: Program
    signature: EntrySignature | None


def read_versions(options: BuildOptions) -> Read:
    """What is said of inputs that there are not is wrong, also where nothing has changed."""
    files = versions_of(options).pairs()
    pair = read_pair(files)
    notes = tuple(_left_out(each, trouble) for each, trouble in pair.left_out.items())
    files = tuple(file for file in files if file not in pair.left_out)
    entry, nowhere = _entry(pair.old, pair.new, options.inputs.entry)
    read = Read(files, pair, unite(pair, entry, options.annotation), entry, notes)
    inputs, changed = options.inputs, bool(read.unified.changes)
    named = bool(inputs.ranges or inputs.assumptions or inputs.symbolic_globals)
    if nowhere is not None and (changed or named):
        raise nowhere
    if named and not changed:
        _check_inputs(read.unified.units, entry, inputs)
    return read


def _left_out(pair: FilePair, trouble: CsgtestError) -> str:
    file = pair.new or pair.old
    assert file is not None
    return f"{file.shown or file.path} is left out, for nothing of it is needed: {trouble.message}"


def _entry(
    old: Sequence[TranslationUnit], new: Sequence[TranslationUnit], asked: str | None
) -> tuple[str, UsageError | None]:
    """The function to start in; and why there is none, which matters only if anything changed."""
    try:
        return shared_entry(old, new, asked), None
    except UsageError as trouble:
        if asked is not None:
            raise
        return "main", trouble


def _check_inputs(units: Sequence[TranslationUnit], entry: str, inputs: InputOptions) -> None:
    complete_records(units)
    symbols = [each.symbol for unit in units for each in unit.declarations]
    next(plan(definition(units, entry), symbols, inputs).starts(TermTable()), None)


# ---------------------------------------------------------------------- the united program


def lower(read: Read, options: BuildOptions) -> Lowered:
    """Lower the united program while the compiler looks at it; again, with more of it kept twice,
    should it be no C."""
    lowered, trouble = _lowered(read.unified, read.entry, options, confirms=options.replay)
    if trouble is None:
        return lowered
    found = located(lowered.unified, lowered.text, trouble)
    again = confirmed(lowered.unified, read.entry, found, annotation=options.annotation)
    return _lowered(again, read.entry, options, confirms=False)[0]


def _lowered(
    unified: Unified, entry: str, options: BuildOptions, confirms: bool
) -> tuple[Lowered, tuple[int, str] | None]:
    """And what the compiler has to say against the text, if it is asked."""
    text = printed(unified, ids=True)
    signature = _signature(unified, entry, options.inputs) if entry != "main" else None
    with Confirmation(text, MASKED if confirms else (), flags=options.flags) as confirmation:
        lowered = Lowered(unified, text, program_of(unified, entry), signature)
        return lowered, confirmation.trouble()


def _signature(unified: Unified, entry: str, inputs: InputOptions) -> EntrySignature:
    """UsageError where the versions are not called in the same way."""

    def of(units: Sequence[TranslationUnit], asked: frozenset[str] = frozenset()) -> EntrySignature:
        complete_records(units)
        declared = [each.symbol for unit in units for each in unit.declarations]
        symbols = {each.name: each for each in declared if each.name in inputs.symbolic_globals}
        return signature_of(definition(units, entry), list(symbols.values()), asked)

    before, after = ((unit, *unified.shared) for unit in (unified.old, unified.new))
    old, new = of(before), of(after)
    if called_with(old) != called_with(new):
        part = differing_part(old, new)
        raise UsageError(
            f"the parameters or the result of '{entry}' differ between the versions"
            f"{f', in {part}' if part else ''}",
            definition(after, entry).location,
            hint="choose another function with --entry, or write a wrapper that both have",
        )
    return of(unified.units, asked_for_null(unified, definition(unified.units, entry)))


# ---------------------------------------------------------------------- what a search needs


def analysed(lowered: Lowered, options: BuildOptions) -> Prepared:
    unified, program = lowered.unified, lowered.program
    library.complete(program)
    dependences = dependence_graph(program)
    graph = graph_of(program, options.rules, dependences)
    distances = Distances(program, dependences.calls)
    outputs = frozenset(node.node for node in graph.records if node.output and node.changes)
    barring = guards(dependences, outputs)
    names = guard_names(dependences, barring)
    found = _outliving(unified, program, dependences)
    return Prepared(unified, program, graph, dependences, distances, barring, names, found)


def _outliving(unified: Unified, program: Program, dependences: DependenceGraph) -> Outliving:
    if program.entry == "main":
        return NOTHING_OUTLIVES
    before, after = ((unit, *unified.shared) for unit in (unified.old, unified.new))
    return outliving(program, dependences, unified.units, before, after)


def with_lasting(
    prepared: Prepared, signature: EntrySignature, options: BuildOptions
) -> tuple[BuildOptions, EntrySignature]:
    """The objects that outlive a call are compared after it, and inputs of it."""
    inputs, found = options.inputs, prepared.outliving
    if inputs.globals is Globals.ANY:
        named = dict.fromkeys((*inputs.symbolic_globals, *found.inputs))
        inputs = replace(inputs, symbolic_globals=tuple(named))
    known = {symbol.name: symbol for symbol in prepared.symbols}
    symbols = [known[name] for name in inputs.symbolic_globals if name in known]
    signature = replace(signature_of(prepared.entry, symbols, prepared.asked), lasting=found.parts)
    return replace(options, inputs=inputs), signature
