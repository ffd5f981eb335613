"""Prepare a search: two versions become one program, its graph, and its entry function.

prepared.program, prepared.graph, prepared.targets(Aim.SEQUENCES)
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

import networkx

from csg.analysis import (
    DependenceGraph,
    Distances,
    Guard,
    changes_reachable,
    dependence_graph,
    guard_names,
    guards,
)
from csg.analysis.aliasing import Stores, shared_places, stores
from csg.analysis.changes_behind import changes_behind
from csg.analysis.lengths import Functions
from csg.analysis.nullness import asked_for_null, functions_of, null_tests
from csg.analysis.output_buffers import output_buffers
from csg.analysis.pointer_identity import pointer_identities
from csg.analysis.pointer_numbers import numbers_of_pointers
from csg.analysis.pointer_ranges import pointer_ranges
from csg.analysis.preconditions import (
    Bounded,
    NonNull,
    OneOf,
    Precondition,
    Single,
    guarantees,
    preconditions,
)
from csg.analysis.registered import unfollowed
from csg.analysis.several import ALONE, Several, several
from csg.analysis.views import views
from csg.errors import CsgtestError, Location, UsageError
from csg.files import read_file
from csg.frontend.builtins import LIBRARY
from csg.graphs import SequenceGraph
from csg.graphs.program_graphs import control_graph
from csg.graphs.sequence_graph import NodeKind
from csg.ir import DRIVEN, Call, FunctionCode, Program
from csg.ir.instructions import successors
from csg.language.syntax import Call as SyntaxCall
from csg.language.syntax import FunctionDefinition, Linkage, Name, Symbol, TranslationUnit
from csg.language.traversal import walk
from csg.language.types import INT, Function, Pointer
from csg.lower.linking import names_reached
from csg.pipeline import graph_of, program_of, shared_entry
from csg.programs import NOT_COMPILED, FilePair, SourceFile, assembler_files, is_aside
from csg.retained import Retained, retained
from csg.toolchain import preprocess
from csg.unify import Unified, printed
from csg.unify.changes.identities import Identity, identities
from csg.unify.changes.textual import moved_objects
from csg.unify.compiled import MASKED, Confirmation, confirmed, located
from csg.unify.matching.layouts import complete_records
from csg.unify.object_code import COMPILED
from csg.unify.pairs import (
    LeftOut,
    ProgramPair,
    Readings,
    read_pair,
    undefined_names,
    unify_pair,
    with_flags,
)
from csg.unify.unified import without_version
from symexec.exploration.callbacks import beyond_stubs
from symexec.exploration.clocks import beyond_now, beyond_silence
from symexec.exploration.depending import Influence
from symexec.exploration.handed_out import initialised_apart
from symexec.exploration.lent_constants import stores_to_constants
from symexec.exploration.nameless import compiled_names, nameless, nameless_in
from symexec.exploration.observable import (
    NOTHING_OUTLIVES,
    Caller,
    Outliving,
    outliving,
)
from symexec.exploration.orientations import mixed_streams
from symexec.exploration.sampled_answers import beyond_samples
from symexec.exploration.shared_memory import accesses_of_shared
from symexec.exploration.start import definition
from symexec.expr import TermTable
from symexec.fuzzing.option_table import Vocabulary, option_table, vocabulary
from symexec.fuzzing.usage import Usage, usage_of
from symexec.inputs.assumptions import ended, terminated, truth_values, within_bounds
from symexec.inputs.plan import plan
from symexec.inputs.structures import every_depth
from symexec.ledger import Omission, Reason
from symexec.options import BuildOptions, Globals, InputOptions, versions_of
from symexec.runtime import library
from symexec.runtime.process import SETTERS
from symexec.search.frontier import Frontier
from symexec.search.registry import Aim
from symexec.search.strategies import pruner
from symexec.search.targets import Targets
from symexec.state.state import State
from symexec.testcases import EntrySignature, Step, called_with, differing_part, signature_of
from symexec.testcases.alternatives import Choice, choices, shown_other
from symexec.testcases.driver import (
    NOTHING,
    PLACE_OF_DRIVERS,
    Uses,
    driven_files,
    events_made_good,
    known_views,
    role_of,
    shown_call,
)
from symexec.testcases.sequences import is_sequence, sequence_files
from symexec.testcases.signature import ERRNO_NAME

if TYPE_CHECKING:
    from csg.unify import Unified

    Graph = networkx.DiGraph[int]


Places = dict[str, dict[tuple[int, int], int]]


@dataclass(frozen=True, slots=True)
class Prepared:
    unified: Unified
    program: Program
    graph: SequenceGraph
    dependences: DependenceGraph
    distances: Distances
    guards: tuple[Guard, ...] = ()
    guarding: frozenset[str] = frozenset()  # names of the variables that guard the changes
    outliving: Outliving = NOTHING_OUTLIVES
    # what is expected of callers; None: nothing is inferred
    expected: tuple[Precondition, ...] | None = ()
    several: Several = ALONE
    # what all callers that are there guarantee, of a function that others can call
    guaranteed: tuple[Precondition, ...] = ()
    # functions with a change ahead that the library may run, and no path is known on which it does,
    # and what the linker keeps though nothing is known to use it
    unfollowed: tuple[str, ...] = ()
    made_good: frozenset[str] = frozenset()  # texts of events that other inputs make good

    @property
    def symbols(self) -> list[Symbol]:
        """The symbols that the files of the program declare, and ``errno`` where it is an input."""
        found = [each.symbol for unit in self.unified.units for each in unit.declarations]
        if ERRNO_NAME in self.outliving.inputs:
            found.append(Symbol(ERRNO_NAME, INT, linkage=Linkage.EXTERNAL))
        return found

    @property
    def input_units(self) -> list[TranslationUnit]:
        """The files whose text suggests inputs: those that differ, and the one with the entry
        function."""
        units = self.unified.units
        name = self.program.entry
        return [
            unit
            for unit in units
            if unit is units[0] or any(each.symbol.name == name for each in unit.functions)
        ]

    def vocabulary_and_usage(self) -> tuple[Vocabulary, Usage]:
        """The words that the text of these files suggests for inputs, and the form of a command
        line; options near a change come first."""
        changes = [change.info() for change in self.unified.changes]
        units = self.input_units
        options = option_table(self.unified.units, changes, self.guarding)
        words = vocabulary(*units).led_by([each.name for each in options])
        return words, usage_of(units, options, changes)

    @property
    def unmodelled(self) -> list[Omission]:
        """The differences that only native runs show: one tree stands for both versions, or types
        are something else for the compiler."""
        unified = self.unified
        texts = {
            each.text: each.location for each in (*unified.unmodelled, *unified.read_otherwise)
        }
        texts |= {f"{COMPILED}, {each.name}: {each.text}": each.location for each in unified.unseen}
        return [Omission(Reason.COMPILED, text, place) for text, place in texts.items()]

    @property
    def entry(self) -> FunctionDefinition:
        return definition(self.unified.units, self.program.entry)

    @property
    def asked(self) -> frozenset[str]:
        """The pointer parameters that are null in some inputs: those that a version compares with
        null, unless both versions expect that they are not; all of them where nothing is expected
        of callers."""
        if self.expected is None:
            pointers = (each for each in self.entry.parameters if isinstance(each.type, Pointer))
            return frozenset(each.name for each in pointers)
        claims = [each.claim for each in self.expected]
        never = {claim.pointer for claim in claims if isinstance(claim, NonNull)}
        return _asked_for_null(self.unified, self.entry) - never

    @property
    def stores(self) -> Stores:
        """What the entry function stores to, as far as parameters can lead to one object."""
        return stores(self.unified.units, self.entry)

    @property
    def asks_for_inputs(self) -> bool:
        """Does the program ask for inputs while it runs (intrinsics)?"""
        return any(name.startswith(("klee_", "__VERIFIER_")) for name in self.program.undefined)

    @property
    def caller(self) -> Caller:
        apart = initialised_apart(self.program)
        public = {each.name for each in self.symbols if each.linkage is Linkage.EXTERNAL}
        return Caller.of(self.entry, self.outliving.objects, apart, self.program, public)

    def targets(self, aim: Aim, wanted: Collection[Identity] = ()) -> Targets:
        """What states look for: the graph from its start nodes, or a flat set. For ``wanted``
        changes the graph begins at their statements."""
        graph = self.graph
        outputs = frozenset(
            node.node for node in graph.records if node.output or node.kind is NodeKind.OUTPUT
        )
        changes = frozenset(node.node for node in graph.changes)
        following: Mapping[int, frozenset[int]] | None = None
        match aim:
            case Aim.SEQUENCES:
                following = {
                    node.node: frozenset(
                        graph.record(name).node for name in graph.successors(node.id)
                    )
                    for node in graph.records
                }
                start = self._statements(wanted) if wanted else frozenset()
                start = start or frozenset(graph.record(name).node for name in graph.start)
            case Aim.FLAT:
                start = outputs | deepest_changes(changes, control_graph(self.dependences))
            case Aim.NOTHING:
                start = frozenset()
            case _:
                assert_never(aim)
        return Targets(start, following, outputs, self.distances, changes)

    def _statements(self, wanted: Collection[Identity]) -> frozenset[int]:
        known = identities(self.unified)
        numbers = {number for number, each in known.items() if each in wanted}
        return frozenset(
            node.node for node in self.graph.changes if not numbers.isdisjoint(node.changes)
        )

    def frontier(self, covered: Collection[tuple[str, int]]) -> Frontier:
        """The targets for code of the program that no path has ``covered``."""
        wanted = {
            (name, block.index)
            for name, function in self.program.functions.items()
            if not function.library
            for block in function.blocks
        }
        return Frontier(wanted, covered, lambda: self.distances)

    def unmet(self, covered: Collection[tuple[str, int]]) -> Frontier:
        """The targets for changed statements that no path has come to."""
        nodes = frozenset(node.node for node in self.graph.changes)
        places = beginnings(self.program, nodes)
        wanted = {(name, block) for name, found in places.items() for block, _ in found}
        return Frontier(wanted, covered, lambda: self.distances)

    def behind(self) -> Callable[[Location], frozenset[int]]:
        """The changes that may run behind a place; computed when it is first asked for."""
        found = cache(lambda: changes_behind(self.program))
        return lambda place: found().at(place)

    def pruner(self) -> Callable[[State], bool]:
        """See ``search.strategies``. Where a change may run at any time, no state is dropped."""
        if self.unfollowed:
            return lambda state: False
        again = {name for name, code in self.program.functions.items() if _calls_setjmp(code)}
        return pruner(changes_reachable(self.program, self.distances), again)

    def watched(self) -> Places:
        """The places where the graph's nodes begin: function -> (block, index) -> node."""
        return beginnings(self.program, frozenset(node.node for node in self.graph.records))


def deepest_changes(changes: Collection[int], control: Graph) -> frozenset[int]:
    """The flat targets of isolated search, outputs aside (FSE 2013, section 7: "such statements
    that have the greatest depth in the chain of control-dependencies").

        if (a)              # changed; the next is control-dependent on it
            while (b)       # changed, and the deepest of its chain: to cover it covers both
                work();

    Every chain has its own deepest statement: a changed statement on which no other changed one is
    transitively control-dependent. Statements that depend on each other in a loop are equally deep.
    ``control`` has an edge from each statement to those that are control-dependent on it."""
    chains = networkx.condensation(control)
    above: set[int] = set()  # parts that control a changed statement of another part
    for part in reversed(list(networkx.topological_sort(chains))):
        if part in above or not chains.nodes[part]["members"].isdisjoint(changes):
            above.update(chains.predecessors(part))
    part_of = chains.graph["mapping"]
    return frozenset(change for change in changes if part_of[change] not in above)


def beginnings(program: Program, nodes: frozenset[int]) -> Places:
    """The places where statements begin: where control reaches the first instruction of a statement
    from another statement."""
    places: Places = {}
    for name, function in program.functions.items():
        found: dict[tuple[int, int], int] = {}
        last = {}
        for block in function.blocks:
            assert block.terminator is not None
            last[block.index] = block.terminator.node
        before: dict[int, set[int]] = {}
        for block in function.blocks:
            assert block.terminator is not None
            for target in successors(block.terminator):
                before.setdefault(target, set()).add(last[block.index])
        for block in function.blocks:
            assert block.terminator is not None
            steps = [*block.instructions, block.terminator]
            for index, step in enumerate(steps):
                if step.node not in nodes:
                    continue
                earlier = before.get(block.index, set()) if index == 0 else {steps[index - 1].node}
                if earlier != {step.node}:
                    found[block.index, index] = step.node
        if found:
            places[name] = found
    return places


def _calls_setjmp(code: FunctionCode) -> bool:
    """Does the function call setjmp? Then control can come back to it from any call."""
    return any(
        isinstance(step, Call) and step.callee in SETTERS
        for block in code.blocks
        for step in block.instructions
    )


# -------------------------------------------------------------------------------------- preparing
# The first stages of a campaign: from the files of both versions to what is searched.
#
#     read = read_versions(options)          both versions as one syntax tree, and where they start
#     lowered = lower(read, options)         its text, which C compilers take, and its program
#  prepared = analysed(lowered, options)  its graph, its distances, the objects that outlive a call
#
# Each stage raises CsgtestError. Between the second and the third compilers can begin (builds.py).


@dataclass(frozen=True, slots=True)
class Read:
    """Both versions as one syntax tree. Where ``unified`` has no changes there is nothing to
    search."""

    files: tuple[FilePair, ...]
    pair: ProgramPair
    unified: Unified
    entry: str
    notes: tuple[str, ...]  # for the report
    steps: tuple[Step, ...] = ()  # of a driver of several calls
    unread: tuple[Omission, ...] = ()  # files that differ and are no C
    untold: tuple[Omission, ...] = ()  # what parameters are compared with, and no test passes
    made_good: frozenset[str] = frozenset()  # texts of events that do not hold: tests pass this


@dataclass(frozen=True, slots=True)
class Lowered:
    """The lowered program. ``text`` runs with any set of changes; ``signature`` None means main;
    ``several``: the pointers of a function that lead to several structures."""

    unified: Unified
    text: str
    program: Program
    signature: EntrySignature | None
    several: Several
    files: tuple[FilePair, ...] = ()
    made_good: frozenset[str] = frozenset()


# gnulib's headers say "#define fseeko rpl_fseeko" where its own function is to be called. In a
# library of what was compiled before a build failed, or without its files, there is none; defined
# as fseeko the name is that of the C library again, as a macro is not expanded in itself.
_REPLACED = "rpl_"
_INCLUDED = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)
_ABOUT_THE_HEAP = re.compile(r"(alloc|free|dup|destroy|release|dispose)\w*\s*\(", re.IGNORECASE)


def read_versions(options: BuildOptions, readings: Readings | None = None) -> Read:
    """Read and unify both versions. Options for inputs that do not exist raise UsageError, also
    where nothing has changed. ``readings``: of the same versions, for other entries."""
    given = versions_of(options).pairs()
    files: tuple[FilePair, ...] = given
    left_out: LeftOut = {}
    if readings is not None and given in readings.instead:
        files, left_out = readings.instead[given]
    pair = read_pair(files) if readings is None else readings.read(files)
    left_out = {**left_out, **pair.left_out}
    replaced = _replaced(pair)
    if replaced:
        flags = tuple(f"-D{_REPLACED}{each}={each}" for each in replaced)
        files = with_flags([each for each in given if each not in left_out], flags)
        pair = read_pair(files) if readings is None else readings.read(files)
        if readings is not None:
            readings.instead[given] = files, left_out
        left_out = {**left_out, **pair.left_out}
    named = files
    notes = tuple(_left_out(each, error) for each, error in left_out.items())
    notes += tuple(
        f"{_REPLACED}{each} is defined nowhere: calls of {each} are those of the C library"
        for each in sorted(_called_as_they_are(files))
    )
    files = tuple(file for file in files if file not in left_out)
    nowhere: UsageError | None = None
    steps: tuple[Step, ...] = ()
    untold: tuple[Omission, ...] = ()
    made_good: frozenset[str] = frozenset()
    driven: tuple[FilePair, ...] | None = None
    named_entry = options.inputs.entry
    if named_entry is not None and is_sequence(named_entry):
        driven, entry, steps = sequence_files(
            files, pair, named_entry, lambda name: _uses(pair, name, options.inputs)
        )
    else:
        entry, nowhere = _entry(pair.old, pair.new, named_entry)
        if nowhere is None:
            uses = _uses(pair, entry, options.inputs)
            driven = driven_files(files, pair, entry, _may_be_null, uses)
            if driven is not None:
                asked = _may_be_null(pair.old, entry) | _may_be_null(pair.new, entry)
                steps = shown_call(pair.new, entry, uses, asked)
            untold = tuple(_alternatives_left_out(uses, entry, driven is not None))
            if driven is not None:
                made_good = frozenset(events_made_good(uses))
            entry = entry if driven is None else DRIVEN + entry
    if driven is not None:
        given_files, files, pair = {*files}, driven, read_pair(driven)
        for each, error in pair.left_out.items():
            if each not in given_files:  # nothing needs the driver but who calls it
                raise error
    if driven is not None or readings is None:
        unified = unify_pair(pair, entry, options.annotation)
    else:
        unified = readings.unify(named, entry, options.annotation)
    if not options.search_same_code:
        unified.take_same_code_for_no_change()
    unread = (*_unread(left_out), *_no_c(options), *_not_compiled(options))
    read = Read(files, pair, unified, entry, notes, steps, unread, untold, made_good)
    inputs, changed = options.inputs, bool(unified.changes)
    if not changed:
        for each, error in left_out.items():
            if _differs(each):
                raise error
    described = bool(inputs.ranges or inputs.assumptions or inputs.symbolic_globals)
    if nowhere is not None and (changed or described):
        raise nowhere
    if described and not changed:
        _check_inputs(unified.units, entry, inputs)
    return read


def texts_differ(files: Sequence[FilePair]) -> bool:
    """Does what the compiler reads of a file differ between the versions, apart from where it
    stands?"""
    return any(_tokens(each.old) != _tokens(each.new) for each in files)


_MARKER = re.compile(r"^#.*$", re.MULTILINE)


def _tokens(file: SourceFile | None) -> tuple[Sequence[str], tuple[str, ...]]:
    """The words of a file after preprocessing, and its flags."""
    if file is None:
        return (), ()
    text = preprocess(str(file.path), (*file.flags, *file.name_flags))
    return _MARKER.sub("", text).split(), file.flags


@contextmanager
def blaming_entry(inputs: InputOptions) -> Iterator[None]:
    """An error in what csgtest has written to call the entry function says that it cannot be
    called. Raises UsageError."""
    try:
        yield
    except CsgtestError as error:
        place = error.location
        if place is None or PLACE_OF_DRIVERS.match(place.file) is None:
            raise
        named = f"'{inputs.entry}'" if inputs.entry else "the entry function"
        raise UsageError(
            f"{named} cannot be called by a test: {error.message}",
            hint=error.hint or "write a small wrapper as the entry function",
        ) from error


def _replaced(pair: ProgramPair) -> list[str]:
    """The functions of the C library that a header replaces by some that no file defines."""
    wanted = undefined_names(pair)
    names = (each.removeprefix(_REPLACED) for each in wanted if each.startswith(_REPLACED))
    return sorted(name for name in names if library.is_known(name))


def _called_as_they_are(files: Sequence[FilePair]) -> set[str]:
    """The functions that ``_replaced`` has found: the flags of all files say it."""
    begin = f"-D{_REPLACED}"
    every = {flag for pair in files for file in (pair.old, pair.new) if file for flag in file.flags}
    return {flag.partition("=")[2] for flag in every if flag.startswith(begin)}


def _differs(pair: FilePair) -> bool:
    """Does a file that belongs to the program differ, or a header next to it that it includes?"""
    if pair.below and is_aside(pair.below):
        return False
    read = [_with_headers(file.path) for file in (pair.old, pair.new) if file is not None]
    return len(read) < 2 or read[0] != read[1]


def _with_headers(file: Path) -> dict[bytes, bytes]:
    """A file, and the headers that it includes from its folder, as far as they are there."""
    text = read_file(file)
    included = {name: file.parent / os.fsdecode(name) for name in _INCLUDED.findall(text)}
    there = {name: read_file(header) for name, header in included.items() if header.is_file()}
    return {b"": text, **there}


def _unread(left_out: LeftOut) -> tuple[Omission, ...]:
    """The files that differ and could not be read, tests and examples aside."""
    return tuple(
        Omission(Reason.UNREAD, f"not read: {error.message}", Location(_shown(pair), 0))
        for pair, error in left_out.items()
        if not isinstance(error, UsageError) and _differs(pair)
    )


def _no_c(options: BuildOptions) -> Iterator[Omission]:
    """Files of both folders that are part of a program, and that nobody reads here."""
    for name, text in assembler_files(options.old, options.new):
        yield Omission(Reason.UNREAD, text, Location(name, 0))


def _not_compiled(options: BuildOptions) -> Iterator[Omission]:
    """Parts of a program that differ, and that no call of a compiler has made."""
    if options.linked:
        yield Omission(Reason.UNREAD, NOT_COMPILED, Location(options.linked, 0))


def _shown(pair: FilePair) -> str:
    file = pair.new or pair.old
    assert file is not None
    return file.shown or str(file.path)


def _left_out(pair: FilePair, error: CsgtestError) -> str:
    return f"{_shown(pair)} is left out, for nothing of it is needed: {error.message}"


def _entry(
    old: Sequence[TranslationUnit], new: Sequence[TranslationUnit], asked: str | None
) -> tuple[str, UsageError | None]:
    """The entry function, and the error that there is none, which matters only if anything
    changed."""
    try:
        return shared_entry(old, new, asked), None
    except UsageError as error:
        if asked is not None:
            raise
        return "main", error


def _asked_for_null(unified: Unified, entry: FunctionDefinition) -> frozenset[str]:
    """The parameters that a version compares with null, by their names in the unified program."""
    places = asked_for_null(unified, entry).asked
    return frozenset(entry.parameters[at].name for at in places if at < len(entry.parameters))


def _uses(pair: ProgramPair, entry: str, inputs: InputOptions) -> Uses:
    """What a driver has to see to; nothing where nothing is inferred. What the user says something
    of is an input of its own."""
    if entry == "main":
        return NOTHING
    versions = [functions_of(units) for units in (pair.old, pair.new)]
    named = _named_by_user(versions[1], entry, inputs)
    compared = _choices(pair, entry, named)
    if not inputs.inferred:
        return Uses(choices=compared)
    ranges = pointer_ranges(versions, entry)
    viewed = known_views((pair.old, pair.new), entry, views(versions, entry))
    buffers = output_buffers(versions, entry) - named
    return Uses(
        tuple(each for each in ranges if named.isdisjoint((each.start, each.end))),
        buffers,
        tuple(each for each in viewed if each.at not in named),
        shared_places(versions, entry, buffers),
        compared,
    )


def _choices(pair: ProgramPair, entry: str, named: Collection[int]) -> tuple[Choice, ...]:
    """What tests pass for parameters whose identity a version looks at."""
    both = (pair.old, pair.new)
    asked = [_may_be_null(units, entry) for units in both]
    found = choices(both, entry, pointer_identities(both, entry), asked[0] | asked[1], role_of)
    return tuple(each for each in found if each.at not in named)


def _alternatives_left_out(uses: Uses, entry: str, driven: bool) -> Iterator[Omission]:
    """What the parameters of a function are compared with, and no test passes."""
    for each in uses.choices:
        left = each.left_out if driven else (*each.others, *each.left_out)
        if left:
            names = ", ".join(dict.fromkeys(map(shown_other, left)))
            text = f"no test passes {names} as '{each.name}' of {entry}"
            yield Omission(Reason.APPROXIMATED, text, each.location)


def _named_by_user(functions: Functions, entry: str, inputs: InputOptions) -> frozenset[int]:
    """The parameters that the user says something of, by their numbers."""
    if entry not in functions:
        return frozenset()
    texts = (*inputs.assumptions, *(each.name for each in inputs.ranges))
    return frozenset(
        at
        for at, each in enumerate(functions[entry].parameters)
        if any(re.search(rf"\b{re.escape(each.name)}\b", text) for text in texts)
    )


def _may_be_null(units: Sequence[TranslationUnit], entry: str) -> frozenset[int]:
    functions = functions_of(units)
    return null_tests(functions, functions[entry]).asked if entry in functions else frozenset()


def _check_inputs(units: Sequence[TranslationUnit], entry: str, inputs: InputOptions) -> None:
    complete_records(units)
    symbols = [each.symbol for unit in units for each in unit.declarations]
    next(plan(definition(units, entry), symbols, inputs).starts(TermTable()), None)


# ---------------------------------------------------------------------- the unified program


def lower(read: Read, options: BuildOptions) -> Lowered:
    """Lower the unified program while the compiler checks its text. If the text is no C, unify more
    coarsely and lower again."""
    lowered, error = _lowered(read, read.unified, options, confirms=options.replay)
    if error is None:
        return lowered
    found = located(lowered.unified, lowered.text, error)
    again = confirmed(lowered.unified, read.entry, found, annotation=options.annotation)
    return _lowered(read, again, options, confirms=False)[0]


def _lowered(
    read: Read, unified: Unified, options: BuildOptions, confirms: bool
) -> tuple[Lowered, tuple[int, str] | None]:
    """The lowered program, and the compiler's error for its text, if it was asked."""
    text = printed(unified, ids=True)
    signature, stepped, entry = None, ALONE, read.entry
    if entry != "main":
        signature, stepped = _signature(unified, entry, options.inputs)
        signature = replace(signature, steps=read.steps)
    with Confirmation(text, MASKED if confirms else (), flags=options.flags) as confirmation:
        # the C library may call a function that has the name of one of its own, as malloc
        named = {each.symbol.name for unit in unified.units for each in unit.functions}
        program = program_of(
            unified, entry, roots={each for each in named if library.is_known(each)}
        )
        lowered = Lowered(unified, text, program, signature, stepped, read.files, read.made_good)
        return lowered, confirmation.error()


def _signature(
    unified: Unified, entry: str, inputs: InputOptions
) -> tuple[EntrySignature, Several]:
    """The signature of the entry function, and its pointers that lead to several structures. Raises
    UsageError where the versions are not called in the same way."""

    def of(
        units: Sequence[TranslationUnit],
        asked: frozenset[str] = frozenset(),
        stepped: Several = ALONE,
    ) -> EntrySignature:
        complete_records(units)
        declared = [each.symbol for unit in units for each in unit.declarations]
        symbols = {each.name: each for each in declared if each.name in inputs.symbolic_globals}
        depths = every_depth(inputs.structure_depth)
        named = list(symbols.values())
        return signature_of(definition(units, entry), named, asked, stepped, depths)

    before, after = ((unit, *unified.shared) for unit in (unified.old, unified.new))
    old, new = of(before), of(after)
    if called_with(old, unified.names.layouts.renamed()) != called_with(new):
        part = differing_part(old, new)
        raise UsageError(
            f"the parameters or the result of '{entry}' differ between the versions"
            f"{f', in {part}' if part else ''}",
            definition(after, entry).location,
            hint="choose another function with --entry, or write a wrapper that both have",
        )
    function = definition(unified.units, entry)
    stepped = several(unified.units, function)
    if not inputs.inferred:
        stepped = replace(stepped, texts=frozenset())
    return of(unified.units, _asked_for_null(unified, function), stepped), stepped


def unchanged_signature(read: Read, options: BuildOptions) -> EntrySignature | None:
    """The signature of the entry function of versions without changes; None for main. Raises
    UsageError where a test cannot call it."""
    if read.entry == "main":
        return None
    return _signature(read.unified, read.entry, options.inputs)[0]


# ---------------------------------------------------------------------- what a search needs


def lost_objects_matter(unified: Unified, entry: str) -> bool:
    """Does the patch concern heap memory? It does where a call that it changes is of a function
    whose name says that it allocates or frees. Only then is memory that is not freed at the end a
    difference."""
    texts = (text for change in unified.changes for text in (change.old_text, change.new_text))
    return entry != "main" and any(map(_ABOUT_THE_HEAP.search, texts))


def analysed(lowered: Lowered, options: BuildOptions) -> Prepared:
    unified, program = lowered.unified, lowered.program
    library.complete(program)
    dependences = dependence_graph(program)
    graph = graph_of(program, options.rules, dependences)
    distances = Distances(program, dependences.calls)
    outputs = frozenset(node.node for node in graph.records if node.output and node.changes)
    barring = guards(dependences, outputs)
    names = guard_names(dependences, barring)
    given = tuple(unfollowed(program, dependences.calls, dependences.pointers))
    found = _outliving(unified, program, dependences)
    program.carried = {*found.carried}
    program.numbers_of_pointers = numbers_of_pointers(program, dependences.pointers)
    if program.entry != "main":  # which hands nothing out
        program.nameless = nameless_in(program, nameless(_versions(unified)))
    staying = retained(unified, program.entry, lowered.files)
    functions = [each for unit in unified.units for each in unit.functions]
    influence = Influence(program, dependences)
    left_open = (
        *_not_followed(program, given),
        *_not_as_named(unified, program),
        *_unexplained(staying),
        *beyond_stubs(influence),
        *beyond_now(influence, functions),
        *beyond_silence(influence),
        *beyond_samples(influence),
        *mixed_streams(influence),
        *accesses_of_shared(functions),
        *stores_to_constants(influence, functions),
    )
    found = replace(found, events=(*found.events, *left_open))
    stepped = lowered.several
    known = _callers_are_known(unified, options)
    expected = _expected(unified, program.entry, options.inputs, stepped, known)
    guaranteed: tuple[Precondition, ...] = ()
    if expected is not None and program.entry != "main" and not known:
        function = definition(unified.units, program.entry)
        known_ones = {each.text for each in expected}
        every = guarantees(unified, function)
        guaranteed = tuple(each for each in every if each.text not in known_ones)
    return Prepared(
        unified,
        program,
        graph,
        dependences,
        distances,
        barring,
        names,
        found,
        expected,
        stepped,
        guaranteed,
        (*given, *(each.name for each in staying)),
        made_good=lowered.made_good,
    )


def _unexplained(found: Iterable[Retained]) -> Iterator[Omission]:
    """An event for each function or object that runs use where no path does."""
    for each in found:
        yield Omission(Reason.APPROXIMATED, each.text, each.location)


def _not_followed(program: Program, names: Iterable[str]) -> Iterator[Omission]:
    """An event for each function that the library may run where no path does."""
    for name in names:
        text = f"'{name}' is handed to the library, and may run where no path runs it"
        yield Omission(Reason.APPROXIMATED, text, program.functions[name].location)


# The compiler computes results of these at once, or calls one instead of another (``puts`` for
# ``printf``), and the library itself calls those that allocate.
_BUILT_IN = LIBRARY.keys() - {"abort", "exit", "_exit"} | {
    "fputc", "fputs", "fwrite", "putc", "stpcpy", "mempcpy", "strcspn", "strspn", "strpbrk",
    "fprintf", "vfprintf", "index", "rindex", "bcmp", "bzero", "bcopy", "ffs",
}  # fmt: skip


# Nothing but a call by its name comes to one of these.
_BY_NAME_ALONE = frozenset({"strdup", "abs", "labs", "llabs", "toupper", "tolower"}) | {
    name for name in LIBRARY if name.startswith("is")
}


def _not_as_named(unified: Unified, program: Program) -> Iterator[Omission]:
    """An event for each library function that the program defines itself: calls of it may go
    elsewhere, and others may come to it."""
    out_of_reach = _BY_NAME_ALONE - {without_version(name) for name in names_reached(program)}
    for unit in unified.units:
        for function in unit.functions:
            symbol = function.symbol
            name = without_version(symbol.name)
            if name in _BUILT_IN - out_of_reach and symbol.linkage is Linkage.EXTERNAL:
                text = library.passed_over(name)
                yield Omission(Reason.APPROXIMATED, text, function.location)


def defines_library_functions(unified: Unified) -> bool:
    """Does a version define a function of the C library itself?"""
    functions = (each.symbol for unit in unified.units for each in unit.functions)
    names = (without_version(each.name) for each in functions if each.linkage is Linkage.EXTERNAL)
    return any(map(library.is_known, names))


def _callers_are_known(unified: Unified, options: BuildOptions) -> bool:
    """Is nobody else able to call the entry function? In a library nobody calls an inner function
    from outside, and in a program nobody any, if all of it is there: main, and what is called."""
    if options.internal is not None and options.internal.reason:
        return True
    tests = {
        str(file.path)
        for pair in versions_of(options).pairs()
        for file in (pair.old, pair.new)
        if file is not None and pair.below and is_aside(pair.below)
    }
    return all(
        _is_whole((version, *unified.shared), tests) for version in (unified.old, unified.new)
    )


def _is_whole(units: Sequence[TranslationUnit], tests: Collection[str]) -> bool:
    """Is there the main of a program, and all that is called? A test, or an example, is not all
    that calls what it is about."""
    functions = {each.symbol.name: each for unit in units for each in unit.functions}
    defined = functions.keys()
    if "main" not in defined or functions["main"].location.file in tests:
        return False
    return all(
        name in defined or symbol.from_header or library.is_known(name)
        for symbol in _called(units)
        for name in (symbol.name.removeprefix("__builtin_"),)
    )


def _called(units: Sequence[TranslationUnit]) -> Iterator[Symbol]:
    for unit in units:
        for node in walk(*(each.body for each in unit.functions)):
            match node:
                case SyntaxCall(function=Name(symbol=symbol)) if isinstance(symbol.type, Function):
                    yield symbol
                case _:
                    pass


def _expected(
    unified: Unified, entry: str, inputs: InputOptions, stepped: Several, known: bool
) -> tuple[Precondition, ...] | None:
    """What both versions expect of the callers of their entry function; None where nothing is
    inferred. ``known``: there are no other callers than those that are seen."""
    if entry == "main" or not inputs.inferred:
        return () if inputs.inferred else None
    function = definition(unified.units, entry)
    found = preconditions(unified, function, stepped, known)
    found = (*found, *ended(found, function.parameters, stepped))
    found = (*found, *terminated(function.parameters, stepped))
    found = (*found, *truth_values(function.parameters, stepped))
    return tuple(each for each in found if not _is_contradicted(each, inputs))


def _is_contradicted(expected: Precondition, inputs: InputOptions) -> bool:
    """Does the user say what the values of a number are, or speak of further elements behind a
    pointer to a single number?"""
    match expected.claim:
        case OneOf(name=name) | Bounded(name=name):
            word = re.compile(rf"\b{re.escape(name)}\b")
            return inputs.range_of(name) is not None or any(map(word.search, inputs.assumptions))
        case Single(pointer=pointer):
            element = re.compile(rf"\b{re.escape(pointer)}\s*\[")
            return any(map(element.search, inputs.assumptions))
        case _:
            return False


def _outliving(unified: Unified, program: Program, dependences: DependenceGraph) -> Outliving:
    if program.entry == "main":
        return NOTHING_OUTLIVES
    before, after = _versions(unified)
    moved = frozenset(moved_objects(unified.unit, unified.changes))
    return outliving(program, dependences, unified.units, before, after, moved)


def _versions(unified: Unified) -> list[tuple[TranslationUnit, ...]]:
    """The files of each version."""
    return [(unit, *unified.shared) for unit in (unified.old, unified.new)]


def with_lasting(
    prepared: Prepared, signature: EntrySignature, options: BuildOptions
) -> tuple[BuildOptions, EntrySignature]:
    """The options and the signature, with the objects that outlive a call: they are compared after
    it, and are inputs of it within what is expected of callers."""
    found = prepared.outliving
    inputs = replace(options.inputs, several=prepared.several)
    inputs = within_bounds(prepared.expected or (), prepared.entry.parameters, inputs)
    if inputs.globals is Globals.ANY:
        named = dict.fromkeys((*inputs.symbolic_globals, *found.inputs))
        inputs = replace(inputs, symbolic_globals=tuple(named))
    known = {symbol.name: symbol for symbol in prepared.symbols}
    symbols = [known[name] for name in inputs.symbolic_globals if name in known]
    depths = every_depth(inputs.structure_depth)
    made = signature_of(prepared.entry, symbols, prepared.asked, prepared.several, depths)
    asked, initial = options.inputs.symbolic_globals, dict(found.initial)
    given = [
        replace(each, private=True, initial=initial[each.name])
        if each.name in initial and each.name not in asked
        else each
        for each in made.globals
    ]
    made = replace(
        made,
        globals=tuple(given),
        lasting=found.parts,
        steps=signature.steps,
        nameless=compiled_names(prepared.program.nameless),
    )
    return replace(options, inputs=inputs), made
