"""Where the tests of a library begin: functions that its users call, or inner ones that changed.

    list.h   struct list;  int size(struct list *);     ->  Entry("size", hidden: struct list)
    list.c   static int walk(struct node *) {..}        ->  Entry("walk", inner: static in list.c:9)
    pool.c   void *get(void *p) { struct pool *q = p;   ->  Entry("get", handles: p is struct pool)

*Public* is what a header for others declares, and ``main``. What a test does in an inner function,
or with a structure that only the library can make, no caller need be able to do: a difference seen
there is internal until a public entry confirms it (docs/entries.md).
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import networkx

from csg.analysis.call_graph import named_calls
from csg.files import read_text
from csg.frontend.files import Preprocessed
from csg.frontend.prune import (
    declared_in_headers,
    declared_names,
    statics_of,
    without_attributes,
)
from csg.frontend.sources import Segment, segments
from csg.ir import DRIVEN, Program
from csg.ir import Call as Called
from csg.language.syntax import (
    HEADERS,
    Assign,
    Call,
    Cast,
    Declaration,
    FunctionDefinition,
    Linkage,
    Name,
    Symbol,
    TranslationUnit,
    Version,
)
from csg.language.traversal import Tree, walk
from csg.language.type_text import declaration_text
from csg.language.types import Function, Pointer, Record, Type, Void
from csg.pipeline import call_graph_of, program_of
from csg.programs import Versions, matches
from csg.records import record
from csg.unify.changes.identities import Identity
from csg.unify.changes.textual import MOVED
from csg.unify.object_code import is_changed
from csg.unify.pairs import ProgramPair, Readings
from csg.unify.unified import Unified
from symexec.options import Internal
from symexec.report.model import Reached, Report
from symexec.testcases import DifferenceKind, TestCase, rendered
from symexec.testcases.driver import in_source_names, structure_of
from symexec.testcases.sequences import Members, making_of, observers_of, parts_of, steps_of
from symexec.triage import Group

if TYPE_CHECKING:
    from csg.analysis.call_graph import NameGraph

MOST = 4  # programs, or functions of a library, that share the time
MANY = 16  # functions of a library that may be tested
THROUGH_POINTER = 4  # calls by name that one through a pointer is as far as
BETWEEN = 2  # calls between the one that makes an object and the one that is tested
# Parts of the names of headers, and of folders, that are not for others.
_PRIVATE = re.compile(r"(?:^|[^a-z])(?:internals?|intern|private|priv|impl|local)(?![a-z])", re.I)
_OFFERED = frozenset(("include", "includes", "inc"))  # folders of headers that are
# Functions of the C library that compute, allocate and write, and read nothing.
_READS_NOTHING = re.compile(
    r"(?:__builtin_)?(?:__)?(?:v?f?printf|v?s?n?printf|puts|putchar|fputs|putc|fputc|fwrite|fflush|"
    r"perror|mem\w+|str\w+|[cm]alloc|realloc|free|exit|abort|atexit|assert_fail|is[a-z]+|to(?:upper|lower)|"
    r"l?l?abs|l?l?div|ato[ifl]+|s?rand|qsort|bsearch|setvbuf|setbuf|time|clock|f?(?:abs|min|max|mod)f?|"
    r"(?:sqrt|pow|exp2?|log(?:2|10)?|floor|ceil|l?l?round|trunc|a?(?:sin|cos|tan)h?|atan2|hypot|ldexp)f?)(?:_chk)?"
)
_LONGEST = 120  # characters of a call that is told
_LAID_OUT = re.compile(r"\b(struct|union)\s+(\w+)\s*\{")
_NAMED = re.compile(r"\b(struct|union)\s+(\w+)")


@record
class Entry:
    """A function to start in. ``name`` "": main, or the only function. ``internal``: None where
    every difference is one that callers can meet. ``reaches``: inner entries that a public entry
    reaches. ``sequence``: the calls that make what the function takes, and the function.
    ``changed``: of a library the changed functions that it reaches."""

    name: str
    internal: Internal | None = None
    reaches: frozenset[str] = frozenset()
    sequence: str = ""
    changed: frozenset[str] = frozenset()


@dataclass(slots=True)
class Headers:
    """The interface of a library: ``functions`` are those that a public header declares, or defines
    as static (None: no header has any, and all that are not static can be called); if headers only
    define static ones, all that are not static are among them. ``private`` are the other functions
    with their headers. ``hidden`` are structures of which public headers have the name at most,
    ``own`` those that no public header lays out."""

    functions: frozenset[str] | None = None
    private: dict[str, str] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()

    def why_inner(self, function: Symbol) -> str:
        """Why no user of the library can call a function; "": users can."""
        place = f"{PurePosixPath(function.location.file).name}:{function.location.line}"
        if self.functions is not None and function.name in self.functions:
            return ""
        if function.linkage is not Linkage.EXTERNAL:
            return f"{function.name} is static ({place})"
        if self.functions is None:
            return ""
        if function.name in self.private:
            return f"{function.name} is declared in {self.private[function.name]} alone"
        return f"{function.name} is declared in no header ({place})"


def entries_of(
    versions: Versions,
    readings: Readings,
    installed: frozenset[str] = frozenset(),
    ignored: Sequence[str] = (),
) -> tuple[Entry, ...]:
    """The entries to test, ``MOST`` at most, and more for where no test can call one of these, or
    time is left: inner functions of a library that changed, and then the public ones that reach a
    change by the fewest calls (of equals those that call fewer functions); for each inner one the
    nearest public one that reaches it. "" where there is a ``main`` or nothing that differs.
    ``installed``: names of headers; ``ignored``: patterns of files whose functions are no
    entries."""
    pair = readings.read(versions.pairs())
    old, new = Counter(_names(pair.old)), Counter(_names(pair.new))
    named = old.keys() & new.keys()  # before unifying calls one otherwise
    once = frozenset(name for name in named if old[name] == new[name] == 1)
    if "main" in named:
        return (Entry(""),)
    headers = headers_of(pair, os.path.abspath(versions.new), installed)
    library = _library_of(versions, readings.unify(versions.pairs(), ""), named, ignored)
    if not library.changed or not library.both:
        return ()
    calls = _joined_forms(library)
    begun = library.changed & set(calls)
    if not begun:
        return ()
    far = networkx.multi_source_dijkstra_path_length(calls.reverse(copy=False), begun)
    inner = {name: headers.why_inner(library.definitions[name].symbol) for name in library.both}
    sequences = _Sequences(library, headers, inner, once, Members(library.definitions, calls))
    shared, apart = library.both - library.apart, sequences.of_forms(far)
    public = [name for name in shared & far.keys() if not inner[name]] + apart
    width = {name: len(networkx.descendants(calls, name)) for name in public}
    nearest = sorted(public, key=lambda name: (far[name], width[name], name))
    weight = Counter(change.function for change in library.unified.changes)
    changing = sorted(begun & shared - {*public}, key=lambda name: (-weight[name], name))
    above = {name: {*networkx.ancestors(calls, name)} for name in changing}
    many = MOST // 2 if nearest else len(changing)
    first = {next(filter(above[name].__contains__, nearest), "") for name in changing[:many]}
    nearest.sort(key=lambda name: name not in first)
    entries: list[Entry] = []
    for name in [*changing[:many], *nearest, *changing[many:]]:
        if len(entries) >= MANY:
            break
        reached = frozenset(each for each in changing if name in above[each] and not inner[name])
        within = frozenset(begun & {name, *networkx.descendants(calls, name)})
        entries += sequences.entries(name, reached, within)
    return tuple(entries[:MANY])


@record
class _Library:
    """The functions of a library by the names that the sources have. ``both``: those that both
    versions have, apart from those of ignored files; ``apart``: those of which the unified program
    has two forms, as their types differ. ``definitions``: of these the new version's. ``forms``:
    the sources' names for what the unified program calls otherwise. ``changed``: the functions that
    changed, or that use an object which did."""

    unified: Unified
    forms: Mapping[str, str]
    definitions: Mapping[str, FunctionDefinition]
    both: frozenset[str]
    apart: frozenset[str]
    changed: frozenset[str]

    def is_called_alike(self, name: str) -> bool:
        """Does one text call both forms, which pass no structure that differs by value?"""
        texts = {
            in_source_names(declaration_text(each.symbol.type, ""), [unit])
            for unit in (self.unified.old, self.unified.new)
            for each in unit.functions
            if each.symbol.name == name
        }
        kinds = _types_of(self.definitions[name])
        return len(texts) == 1 and not any(map(self.unified.names.layouts.split_record, kinds))

    def differing_structures(self, kinds: Iterable[Type]) -> list[str]:
        """The structures that differ, of those that pointers of these types lead to."""
        split = self.unified.names.layouts.split_record
        pointers = [each for each in kinds if isinstance(each, Pointer)]
        return [structure_of(each) for each in pointers if split(each.target) is not None]


def _library_of(
    versions: Versions, unified: Unified, named: Collection[str], ignored: Sequence[str]
) -> _Library:
    """``named``: the functions that both versions name so."""
    forms = {form: name for name, both in unified.splits.items() for form in both}
    copies = {
        each.symbol.name: caller.name for caller, pair in unified.clones.items() for each in pair
    }
    definitions = {
        each.symbol.name: each
        for unit in unified.units
        for each in unit.functions
        if each.symbol.name not in forms
    }
    new = {each.symbol.name: each for each in unified.new.functions}
    apart = frozenset(unified.splits.keys() & new.keys() & {*named})
    definitions |= {name: new[name] for name in apart}
    both = frozenset(
        name
        for name in definitions.keys() & {*named}
        if not _is_ignored(definitions[name], versions.new, ignored)
    )
    changed = {change.function for change in unified.changes if change.cause != MOVED}
    changed = changed or {change.function for change in unified.changes}
    users = _users_of_changed_objects(unified.units)
    changed |= {{**forms, **copies}.get(name, name) for name in users}
    return _Library(unified, forms, definitions, both, apart & both, frozenset(changed - {""}))


def _is_ignored(function: FunctionDefinition, tree: Path, ignored: Sequence[str]) -> bool:
    return matches(os.path.relpath(function.symbol.location.file, tree), ignored)


def _joined_forms(library: _Library) -> NameGraph:
    """Which function calls which, as ``_weighed`` says, by the names that the sources have."""
    units = library.unified.units
    start = min(each.symbol.name for unit in units for each in unit.functions)
    found = _weighed(program_of(library.unified, start), units)
    joined: NameGraph = networkx.DiGraph()
    joined.add_nodes_from(library.forms.get(each, each) for each in found)
    for caller, called in found.edges:
        far = found.edges[caller, called]["weight"]
        edge = library.forms.get(caller, caller), library.forms.get(called, called)
        known = joined.get_edge_data(*edge, default={"weight": far})["weight"]
        joined.add_edge(*edge, weight=min(far, known))
    return joined


@dataclass(slots=True)
class _Sequences:
    """The entries of one function each: by itself, and behind calls that make what it takes.
    ``inner``: why no user can call a function. ``once``: the functions that no other one is called
    like."""

    library: _Library
    headers: Headers
    inner: Mapping[str, str]
    once: Collection[str]
    members: Members
    _offered: list[FunctionDefinition] = field(init=False)

    def __post_init__(self) -> None:
        self._offered = [
            self.library.definitions[name]
            for name in sorted(self.library.both & {*self.once})
            if not self.inner[name] and (name not in self.library.apart or self._is_offered(name))
        ]

    def _is_offered(self, name: str) -> bool:
        """Can a sequence call a function of two forms: what differs users do not see?"""
        taken = [each.type for each in self.library.definitions[name].parameters]
        differing = self.library.differing_structures(taken)
        return self.library.is_called_alike(name) and self.headers.own.issuperset(differing)

    def of_forms(self, reaching: Collection[str]) -> list[str]:
        """The functions of two forms that can be called behind others, as these make all that
        differs in what the function takes, and it returns none of that."""
        found = []
        for name in sorted(self.library.apart & {*self.once} & {*reaching}):
            function = self.library.definitions[name]
            result, *taken = _types_of(function)
            made = next(filter(None, map(structure_of, taken)), "")
            alone = {*self.library.differing_structures(taken)} <= {made}
            returned = self.library.differing_structures([result])
            if alone and not returned and self.library.is_called_alike(name) and self.of(name):
                found.append(name)
        return found

    def of(self, name: str) -> str:
        """The calls that make what a public function takes, and then the function."""
        if self.inner[name]:
            return ""
        function, changed = self.library.definitions[name], self.library.changed
        return _sequence(function, self._offered, self.headers, self.members, changed)

    def entries(
        self, name: str, reached: frozenset[str], within: frozenset[str]
    ) -> Iterator[Entry]:
        """A function of two forms alone is no entry: no test can lay out what differs in them.
        ``reached``: inner entries; ``within``: changed functions that it reaches."""
        definitions, hidden = self.library.definitions, tuple(sorted(self.headers.hidden))
        sequence = self.of(name)
        if name not in self.library.apart:
            made = _made_by_others(definitions[name], sequence, definitions) - self.headers.hidden
            handles = _handles(name, definitions, self.headers.own)
            internal = _internal(self.inner[name], (*hidden, *sorted(made)), handles)
            yield Entry(name, internal, reached, changed=within)
        if sequence:
            maker, *others = parts_of(sequence)
            called = {*maker.names}.union(
                *(each.names for each in others if not each.may_be_left_out)
            )
            within |= called & self.library.apart & self.library.changed
            beyond = _internal("", hidden, ())
            yield Entry(f"{maker.names[0]},{name}", beyond, reached, sequence, within)


def _types_of(function: FunctionDefinition) -> list[Type]:
    """The type of the result, and those of the parameters."""
    kind = function.symbol.type
    assert isinstance(kind, Function)
    return [kind.result, *(each.type for each in function.parameters)]


@record
class Changed:
    """What differs in a library, by the names in the sources. ``functions``: those of both versions
    that changed, or that use an object which did; ``retyped``: those with parameters or results of
    other types, which are no entries; ``old`` and ``new``: those that others can call and that one
    version alone has; ``objects``: those that no function uses."""

    functions: frozenset[str]
    retyped: frozenset[str]
    old: frozenset[str]
    new: frozenset[str]
    objects: frozenset[str]

    @property
    def names_alone(self) -> Changed:
        """What one version alone has, by its name."""
        return Changed(frozenset(), frozenset(), self.old, self.new, frozenset())


def changed_in(versions: Versions, readings: Readings, ignored: Sequence[str] = ()) -> Changed:
    """What differs in a library, apart from what is in ignored files."""
    library = _every_function(versions, readings, ignored)
    unified = library.unified
    pair = readings.read(versions.pairs())
    gone = _gone_statics(pair)
    copies = {each.symbol for both in unified.clones.values() for each in both}
    functions: set[str] = set()
    alone: dict[Version, set[str]] = {  # also where it has another name now
        Version.OLD: public_names(pair.old, versions.old, ignored) - {*_names(pair.new)},
        Version.NEW: public_names(pair.new, versions.new, ignored) - {*_names(pair.old)},
    }
    for name, each in library.definitions.items():
        tree = versions.old if each.version is Version.OLD else versions.new
        if each.symbol in copies or _is_ignored(each, tree, ignored):
            continue
        if each.version is None or name in library.apart:
            functions.add(name)
        elif name in gone[each.version]:
            alone[each.version].add(name)
    return Changed(
        library.changed & functions - alone[Version.OLD] - alone[Version.NEW],
        library.changed & library.apart,
        frozenset(alone[Version.OLD]),
        frozenset(alone[Version.NEW]),
        frozenset(library.forms.get(name, name) for name in _unused_objects(unified.units)),
    )


def public_names(
    units: Iterable[TranslationUnit], tree: Path, ignored: Sequence[str] = ()
) -> set[str]:
    """The functions that other files can call by their names, apart from those of ignored files."""
    return {
        each.symbol.name
        for unit in units
        for each in unit.functions
        if each.symbol.linkage is Linkage.EXTERNAL and not _is_ignored(each, tree, ignored)
    }


def _gone_statics(pair: ProgramPair) -> dict[Version, set[str]]:
    """The static functions that headers of one version alone define, by their names: files of a
    library may have them under others, and not each file uses them."""
    differing = {
        Version.OLD: [before.text for before, _ in pair.differing_texts if before is not None],
        Version.NEW: [after.text for _, after in pair.differing_texts if after is not None],
    }
    found = {version: statics_of(texts) for version, texts in differing.items()}
    if found[Version.OLD] != found[Version.NEW]:
        shared = statics_of(each.text for each in pair.shared_texts)
        found = {version: names - shared for version, names in found.items()}
    defined = {Version.OLD: {*_names(pair.old)}, Version.NEW: {*_names(pair.new)}}
    return {
        version: names - found[version.other] - defined[version.other]
        for version, names in found.items()
    }


def reached_from_main(versions: Versions, readings: Readings) -> frozenset[tuple[str, str]]:
    """The functions of a program that its ``main`` may come to, each with its file in the tree."""
    library = _every_function(versions, readings)
    calls = _joined_forms(library)
    reached = {"main", *networkx.descendants(calls, "main")} if "main" in calls else set()
    return frozenset(
        (name, _file_in_tree(each, versions))
        for name, each in library.definitions.items()
        if name in reached
    )


def functions_among(
    functions: Collection[tuple[str, str]], versions: Versions, readings: Readings
) -> frozenset[str]:
    """The functions of a library that are among ``functions``, which have their files with them."""
    return frozenset(
        name
        for name, each in _every_function(versions, readings).definitions.items()
        if (name, _file_in_tree(each, versions)) in functions
    )


def _every_function(
    versions: Versions, readings: Readings, ignored: Sequence[str] = ()
) -> _Library:
    pair, unified = readings.read(versions.pairs()), readings.unify(versions.pairs(), "")
    return _library_of(versions, unified, {*_names(pair.old)} & {*_names(pair.new)}, ignored)


def _file_in_tree(function: FunctionDefinition, versions: Versions) -> str:
    tree = versions.old if function.version is Version.OLD else versions.new
    return os.path.relpath(function.symbol.location.file, tree)


def _users_of_changed_objects(units: Sequence[TranslationUnit]) -> set[str]:
    """The functions that name an object whose initial value or type changed, or one whose initial
    value names such an object."""
    changed = _leading_to(units, {each.symbol.name for each in _changed_objects(units)})
    return {
        each.symbol.name
        for unit in units
        for each in unit.functions
        if changed and _names_one(each.body, changed)
    }


def _changed_objects(units: Sequence[TranslationUnit]) -> list[Declaration]:
    return [each for unit in units for each in unit.declarations if is_changed(each)]


def _leading_to(units: Sequence[TranslationUnit], names: Collection[str]) -> set[str]:
    """These objects, and those whose initial values name one of them, or one that does."""
    declared = [each for unit in units for each in unit.declarations]
    found = {*names}
    while found:
        more = {
            each.symbol.name
            for each in declared
            if each.initializer is not None and _names_one(each.initializer, found)
        }
        if more <= found:
            break
        found |= more
    return found


def _unused_objects(units: Sequence[TranslationUnit]) -> set[str]:
    """The objects that changed, that no function uses, and that other files can."""
    changed = [each.symbol.name for each in _changed_objects(units)]
    bodies = [each.body for unit in units for each in unit.functions] if changed else []
    used = {each.symbol.name for each in walk(*bodies) if isinstance(each, Name)}
    symbols = [each.symbol for unit in units for each in unit.declarations]
    outer = {
        each.name
        for each in symbols
        if each.linkage is Linkage.EXTERNAL or each.location.file.endswith(HEADERS)
    }
    leading = {name: _leading_to(units, {name}) for name in changed}
    return {name for name, by in leading.items() if by.isdisjoint(used) and by & outer}


def _names_one(tree: Tree, names: Collection[str]) -> bool:
    return any(isinstance(each, Name) and each.symbol.name in names for each in walk(tree))


def _sequence(
    function: FunctionDefinition,
    offered: Sequence[FunctionDefinition],
    headers: Headers,
    members: Members,
    changed: Collection[str],
) -> str:
    """The calls of public functions that make the structure which a function takes, where users of
    the library may not see its members, or what these lead to, or where one of them returns it."""
    makers, getters = making_of(function, offered, headers.own, members)
    if not any(_is_made(each.type, headers) for each in function.parameters):
        makers = [each for each in makers if not getters and _returns_object(each)]
    if not makers:
        return ""
    last = getters[-1] if getters else makers[0]
    steps = steps_of(function, last, offered, members)
    between = "".join(f"{each.symbol.name}|" for each in steps)
    first = "|".join(each.symbol.name for each in makers)
    observers = observers_of(function, offered, steps, members, changed)
    then = "".join(f"{each.symbol.name}|" for each in observers)
    led = [each.symbol.name for each in getters]
    calls = (first, *led, *[between] * BETWEEN, function.symbol.name, then)
    return ",".join(filter(None, calls))


def _made_by_others(
    function: FunctionDefinition, sequence: str, functions: Mapping[str, FunctionDefinition]
) -> frozenset[str]:
    """The structures that a function takes and that one of the calls before it makes: what holds of
    such an object its maker sees to, whoever can see its members."""
    makers = re.split(r"[,|]", sequence)[:1] if sequence else []
    taken = {structure_of(each.type) for each in function.parameters}
    made: set[str] = set()
    for name in makers:
        kind = functions[name].symbol.type
        assert isinstance(kind, Function)
        given = [each.type for each in functions[name].parameters]
        set_ = [each.target for each in given if isinstance(each, Pointer)]
        made |= {structure_of(each) for each in (kind.result, *given, *set_)}
    return frozenset(taken & made - {""})


def _returns_object(function: FunctionDefinition) -> bool:
    """Does a function return a pointer to a structure, or set one?"""
    kind = function.symbol.type
    given = [each.type for each in function.parameters]
    set_ = [each.target for each in given if isinstance(each, Pointer)]
    found = [each for each in set_ if isinstance(each, Pointer)]
    return isinstance(kind, Function) and any(map(structure_of, (kind.result, *found)))


def _is_made(kind: Type, headers: Headers) -> bool:
    """Is it a pointer to a structure that users do not see, or that has pointers in it?"""
    if structure_of(kind) in headers.own:
        return True
    target = kind.target if isinstance(kind, Pointer) else None
    fields = target.fields if isinstance(target, Record) else None
    return any(isinstance(each.type, Pointer) for each in fields or ())


class Aside(StrEnum):
    """Why no input of a program shows what differs in it."""

    UNCALLED = "linked with what differs, but main calls nothing of it"
    SHOWING = "without any input, as a program that only shows how a library is used"


def entries_of_program(
    versions: Versions, readings: Readings, ignored: Sequence[str] = ()
) -> tuple[Entry, ...] | Aside:
    """``main``, and then functions that changed and that it comes to, for where no input of
    ``main`` shows a difference."""
    files = versions.pairs()
    unified = readings.unify(files, "")
    program = program_of(unified, "main")
    changed = {change.function for change in unified.changes}
    calls = named_calls(program)
    begun = _begun(unified.units) & set(calls)
    reached = begun.union(*(networkx.descendants(calls, each) for each in begun))
    if changed and changed <= set(calls) and changed.isdisjoint(reached):  # else objects differ
        return Aside.UNCALLED
    if not _takes_input(program, reached, unified.units):
        return Aside.SHOWING
    pair = readings.read(files)
    old, new = Counter(_names(pair.old)), Counter(_names(pair.new))
    places = {each.symbol.name: each.location for unit in unified.units for each in unit.functions}
    weight = Counter(change.function for change in unified.changes if change.cause != MOVED)
    inner = [
        name
        for name in sorted(
            weight.keys() & reached - {"main"}, key=lambda name: (-weight[name], name)
        )
        if old[name] == new[name] == 1
        if not matches(os.path.relpath(places[name].file, versions.new), ignored)
    ]
    found = [Entry("", reaches=frozenset(inner))]
    for name in inner[: 2 * MOST]:
        place = f"{PurePosixPath(places[name].file).name}:{places[name].line}"
        why = f"{name} is called inside of the program ({place})"
        found.append(Entry(name, Internal(why, program=True)))
    return tuple(found)


def _begun(units: Sequence[TranslationUnit]) -> set[str]:
    """Where a program begins: ``main``, functions whose address is taken, so that calls through
    pointers lead nowhere else, and those that run before ``main``."""
    trees = [each.body for unit in units for each in unit.functions]
    declared = [each for unit in units for each in unit.declarations]
    begun = {"main", *_addressed([*trees, *declared])}
    return begun.union(
        each.symbol.name for unit in units for each in unit.functions if each.symbol.hooks
    )


def _takes_input(
    program: Program, reached: Collection[str], units: Sequence[TranslationUnit]
) -> bool:
    """Does ``main`` look at its arguments, or does anything call what may read something? Functions
    without source that are known to read nothing are those that compute, allocate and write."""
    for unit in units:
        for function in unit.functions:
            if function.symbol.name == "main" and any(
                isinstance(node, Name) and node.symbol in function.parameters
                for node in walk(function.body)
            ):
                return True
    called = {
        each.callee
        for name in reached
        for block in program.functions[name].blocks
        for each in block.instructions
        if isinstance(each, Called) and isinstance(each.callee, str)
    }
    return not all(map(_READS_NOTHING.fullmatch, called - program.functions.keys()))


def _weighed(program: Program, units: Iterable[TranslationUnit]) -> NameGraph:
    """Which function calls which, or passes it on by its address; weights say how far that is. A
    call through a pointer, of which nobody knows where it leads for this caller, is as far as
    several others:

        int find(s) { return each(s, seen); }               find -> seen: 1, find -> each: 1
        int each(s, f) { .. return f(*s); }                 each -> seen: THROUGH_POINTER
    """
    calls = call_graph_of(program)
    calls.add_edges_from([*calls.edges], weight=THROUGH_POINTER)
    near = [*named_calls(program).edges]
    for unit in units:
        for function in unit.functions:
            name = function.symbol.name
            near += [(name, each) for each in _addressed([function.body]) if each in calls]
    calls.add_edges_from((edge for edge in near if edge[0] in calls), weight=1)
    return calls


def _addressed(trees: Iterable[Tree]) -> set[str]:
    """The functions that are named other than to be called."""
    found: Counter[str] = Counter()
    for node in walk(*trees):
        match node:
            case Name(symbol=Symbol(type=Function(), name=name)):
                found[name] += 1
            case Call(function=Name(symbol=Symbol(name=name))):
                found[name] -= 1
            case _:
                pass
    return {name for name, count in found.items() if count > 0}


def _internal(
    inner: str, hidden: tuple[str, ...], handles: tuple[tuple[str, str], ...]
) -> Internal | None:
    return Internal(inner, hidden, handles) if inner or hidden or handles else None


def headers_of(pair: ProgramPair, tree: str, installed: frozenset[str] = frozenset()) -> Headers:
    """The interface by the headers of the new version below ``tree``; for two C files by those that
    the compiler reads for them. ``installed``: names of headers, where that is known."""
    texts = [text for _, text in pair.differing_texts if text is not None] + pair.shared_texts
    said: dict[str, list[str]] = {}
    for text in texts:
        for header, declared in declared_in_headers(text.text):
            said.setdefault(header, []).append(declared)
    own = _own_headers(said, tree)
    functions = {each.symbol.name: each.symbol for unit in pair.new for each in unit.functions}
    names = {header: functions.keys() & _declared(said[header]) for header in own}
    public = _public(own, frozenset(header for header in own if names[header]), installed)
    offered: set[str] = set().union(*(names[header] for header in public))
    others = {name for name, each in functions.items() if each.linkage is Linkage.EXTERNAL}
    if not offered:
        return Headers()
    if offered.isdisjoint(others):
        return Headers(frozenset(offered | others))
    private = {name: PurePosixPath(each).name for each in own for name in sorted(names[each])}
    shown = [each for header in public for each in said[header]]
    retained = [each for header in own.keys() - public for each in said[header]]
    retained += [text.text[each.start : each.end] for text in texts for each in _own_segments(text)]
    laid_out = _found(_LAID_OUT, retained) - _found(_LAID_OUT, shown)
    hidden = _found(_NAMED, shown) & laid_out
    return Headers(frozenset(offered), private, frozenset(hidden), frozenset(laid_out))


def _handles(
    name: str, functions: Mapping[str, FunctionDefinition], own: frozenset[str]
) -> tuple[tuple[str, str], ...]:
    """The parameters of type ``void *`` that the function, or one that it passes them to, takes for
    a structure of the library's own: ``tlsf`` for ``control_t *control = tlsf;``."""
    found: dict[str, str] = {}
    pointers = [each for each in functions[name].parameters if _is_void(each.type)]
    for parameter in pointers if own else ():
        seen, waiting = {parameter}, [(functions[name], parameter)]
        for definition, symbol in waiting:
            for kind, called, to in _taken_for(definition, symbol, functions):
                text = structure_of(kind)
                if text in own:
                    found.setdefault(parameter.name, text)
                elif called is not None and _is_void(kind) and to not in seen:
                    seen.add(to)
                    waiting.append((called, to))
    return tuple(found.items())


def _is_void(kind: Type) -> bool:
    return isinstance(kind, Pointer) and isinstance(kind.target, Void)


def _taken_for(
    definition: FunctionDefinition, pointer: Symbol, functions: Mapping[str, FunctionDefinition]
) -> Iterator[tuple[Type, FunctionDefinition | None, Symbol]]:
    """The types that a pointer is converted to, with the function and its parameter that it is
    passed to."""
    for node in walk(definition.body):
        match node:
            case Cast(operand=Name(symbol=symbol), type=kind) if symbol is pointer:
                yield kind, None, pointer
            case Declaration(symbol=to, initializer=Name(symbol=symbol)) if symbol is pointer:
                yield to.type, None, pointer
            case Assign(target=target, value=Name(symbol=symbol)) if symbol is pointer:
                yield target.type, None, pointer
            case Call(function=Name(symbol=Symbol(name=name)), arguments=given):
                called = functions.get(name)
                for to, value in zip(called.parameters if called else (), given, strict=False):
                    if isinstance(value, Name) and value.symbol is pointer:
                        yield to.type, called, to
            case _:
                pass


def _declared(texts: Iterable[str]) -> set[str]:
    return set().union(*map(declared_names, texts))


def _own_segments(text: Preprocessed) -> Iterator[Segment]:
    return (each for each in segments(text.text) if each.own)


def _found(form: re.Pattern[str], texts: Iterable[str]) -> set[str]:
    """``struct list`` for each structure in the texts."""
    return {
        f"{each[1]} {each[2]}"
        for text in texts
        for each in form.finditer(without_attributes(text) if "__attribute" in text else text)
    }


# The headers that build files install, with the variables that they set in one step.
_BUILD_FILES = re.compile(r"(?:GNU)?[Mm]akefile(?:\.am|\.in)?|.*\.mk|CMakeLists\.txt|meson\.build")
_SET = re.compile(
    r"^\s*(?:set\s*\(\s*(\w+)\s([^)]*)\)|(\w+)\s*[:?+]?=\s*(\[[^]]*\]|files\s*\([^)]*\)|.*)$)",
    re.M | re.I,
)
_USED = re.compile(r"\$[({](\w+)[)}]")
_INSTALLED = re.compile(
    r"""install_headers\s*\(([^)]*)\) | ^\s*install\s*\(([^)]*)\) | PUBLIC_HEADER\s([^)]*)
    | ^\w*include\w*_HEADERS\s*\+?=(.*)$ | ^\t.*(?:\binstall\b|\$[({]INSTALL\w*[)}]|\bcp\b)(.*)$""",
    re.M | re.X,
)
_HEADER = re.compile(r"[\w+-]+\.h\b")
_INCLUDES = re.compile(r"^\s*#\s*include\s*[<\"]([^>\"]+)[>\"]", re.M)
_LARGEST = 1 << 20  # bytes; larger build files, and headers, are not read


def installed_headers(tree: Path) -> frozenset[str]:
    """The names of the headers that build files below ``tree`` install, as far as a textual search
    in Automake, CMake, Meson and make files finds them."""
    found: set[str] = set()
    for folder, folders, files in os.walk(tree):
        folders[:] = [each for each in folders if not each.startswith((".", "csgtest-"))]
        for name in filter(_BUILD_FILES.fullmatch, files):
            path = Path(folder, name)
            if path.is_file() and path.stat().st_size <= _LARGEST:
                found |= _installed(read_text(path).replace("\\\n", " "))
    return frozenset(found)


def _installed(text: str) -> set[str]:
    values: dict[str, str] = {}
    for made in _SET.finditer(text):
        name, value = made[1] or made[3], made[2] or made[4] or ""
        values[name] = f"{values.get(name, '')} {value}"
    found: set[str] = set()
    for said in _INSTALLED.finditer(text):
        words = " ".join(filter(None, said.groups()))
        named = _USED.findall(words)
        if said[1] is not None:  # Meson's variables stand as they are
            named += re.findall(r"\b\w+\b", re.sub(r"'[^']*'", "", words))
        for each in (words, *(values.get(name, "") for name in named)):
            found.update(_HEADER.findall(each))
    return found


def _own_headers(said: Iterable[str], tree: str) -> dict[str, PurePosixPath]:
    """The headers with their paths below the tree; empty where that is no folder."""
    if not os.path.isdir(tree):
        return {header: PurePosixPath(PurePosixPath(header).name) for header in said}
    top = os.path.realpath(tree)
    below = {header: os.path.relpath(os.path.realpath(header), top) for header in said}
    return {header: PurePosixPath(path) for header, path in below.items() if path[:2] != ".."}


def _public(
    own: Mapping[str, PurePosixPath], declaring: frozenset[str], installed: frozenset[str]
) -> frozenset[str]:
    """The public headers: those that are installed, with what they include, if one of them declares
    functions; else those whose names do not say that they are private, in a folder for public
    headers only, if one there declares functions."""
    waiting = [header for header, path in own.items() if path.name in installed]
    shown = {*waiting}
    for header in waiting:
        included = _included(header)
        more = [each for each, path in own.items() if each not in shown and path.name in included]
        waiting += more
        shown.update(more)
    if not shown.isdisjoint(declaring):
        return frozenset(shown)
    named = {
        header: path
        for header, path in own.items()
        if not any(map(_PRIVATE.search, (*path.parent.parts, path.stem)))
    }
    offered = {header for header, path in named.items() if not _OFFERED.isdisjoint(path.parts)}
    return frozenset(named if offered.isdisjoint(declaring) else offered)


def _included(header: str) -> frozenset[str]:
    """The names of the files that a header includes; none where it cannot be read."""
    path = Path(header)
    if not path.is_file() or path.stat().st_size > _LARGEST:
        return frozenset()
    found = _INCLUDES.findall(read_text(path))
    return frozenset(PurePosixPath(each).name for each in found)


def _names(units: Iterable[TranslationUnit]) -> Iterator[str]:
    return (function.symbol.name for unit in units for function in unit.functions)


# ------------------------------------------------------------------------------------ confirming
# An internal difference is confirmed by one of a public entry that goes back to the same changes.


@record
class _Cause:
    """What two differences must have in common to be one."""

    changes: frozenset[Identity]
    kind: DifferenceKind
    place: tuple[str, int] | None  # where the versions diverge

    def likeness(self, other: _Cause) -> tuple[bool, ...]:
        """How well two causes agree, as a key to compare; () where they are different."""
        one, two = self.changes, other.changes
        same_place = self.place is not None and self.place == other.place
        if not ((one and two and (one <= two or two <= one)) or (same_place and not (one and two))):
            return ()
        return one == two, self.kind == other.kind, same_place


def unconfirmed(found: Sequence[tuple[Path, Report]], entries: Collection[str]) -> set[Identity]:
    """The changes to blame for internal differences at these entries that no public entry
    confirms."""
    confirm(found)
    return {
        change
        for _, report in found
        if report.entry.removeprefix(DRIVEN) in entries
        for each, case in _groups(report)
        if each.internal and not _is_confirmed(report, each)
        for change in _cause(report, case, each).changes
    }


def _is_confirmed(report: Report, each: Group) -> bool:
    reached = report.reached.get(each.witness)
    return reached is not None and reached.confirms(each)


def confirm(found: Sequence[tuple[Path, Report]]) -> list[tuple[Path, Report]]:
    """Note at each internal difference of finished reports the public one with the same changes
    that is most like it. The reports come with their folders; those in which something was noted
    are returned."""
    public = [
        (_cause(report, case, each), folder, report, case, each.kind)
        for folder, report in found
        for each, case in _groups(report)
        if not each.internal
    ]
    noted = []
    for folder, report in found:
        for each, case in _groups(report):
            mine = _cause(report, case, each)
            best = max(mine.likeness(theirs) for theirs, *_ in public) if public else ()
            if not each.internal or not best:
                continue
            _, place, other, shown, kind = next(
                one for one in public if mine.likeness(one[0]) == best
            )
            relative = os.path.relpath(place, folder)
            call = rendered(shown.input, f"./{other.name}", other.entry, other.signature)
            entry = _called(other)
            report.reached[case.id] = Reached(entry, _cut(call), shown.id, relative, kind)
            if (folder, report) not in noted:
                noted.append((folder, report))
    return noted


def _called(report: Report) -> str:
    """The function of the library that a report is about."""
    steps = report.signature.steps if report.signature is not None else ()
    called = [each.function for each in steps if not each.chosen]
    return called[-1] if called else report.entry


def _groups(report: Report) -> Iterator[tuple[Group, TestCase]]:
    """All groups, accepted ones too, with their witnesses."""
    found = report.findings()
    for each in (*found.open, *(group for group, _ in found.accepted)):
        yield each, found.cases[each.witness]


def _cause(report: Report, case: TestCase, group: Group) -> _Cause:
    changes = {report.identities[each] for each in group.blamed if each in report.identities}
    place = case.divergence
    return _Cause(
        frozenset(changes), group.kind, (place.file, place.line) if place is not None else None
    )


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
