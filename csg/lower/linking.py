"""Whole programs: several translation units become one, and a library is linked to it.

    lower([parse_file("main.c"), parse_file("list.c")])   ->  Program
    lower(units, changes, "f", roots={"g"})                   without functions that neither needs
    link(program, library)                                   adds what the program lacks, no more

External names mean the same in all units; of a static function or object met twice, the second is
called ``name.1``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from csg.errors import UnsupportedError, deep_recursion
from csg.ir import (
    Call,
    ChangeInfo,
    FunctionAddress,
    FunctionCode,
    GlobalAddress,
    GlobalObject,
    Program,
)
from csg.ir.program import StatementKind
from csg.language.syntax import (
    STRONG,
    Declaration,
    FunctionDefinition,
    Linkage,
    Name,
    Symbol,
    SymbolKind,
    TranslationUnit,
    Version,
)
from csg.language.syntax import Call as SyntaxCall
from csg.language.traversal import Tree, walk
from csg.language.types import Function
from csg.lower import static_data
from csg.lower.function import FunctionLowering, lower_function
from csg.lower.tables import Excerpts, NodeTable, Objects
from csg.records import record

LIBRARY_PREFIX = "libc:"


def lower(
    units: Sequence[TranslationUnit],
    changes: Sequence[ChangeInfo] = (),
    entry: str = "main",
    library: bool = False,
    roots: Collection[str] | None = None,
) -> Program:
    """Lower all units to one program. ``library``: its functions are marked as models, and the
    names of its static objects are distinct from those of any program. ``roots``: functions
    are left out that are none of these, that a call of the entry function does not come to, that no
    change is in, and that use no object which such functions use; None: all are there."""
    with deep_recursion():
        return _lower(units, changes, entry, library, roots)


def _lower(
    units: Sequence[TranslationUnit],
    changes: Sequence[ChangeInfo],
    entry: str,
    library: bool,
    roots: Collection[str] | None,
) -> Program:
    objects = Objects(LIBRARY_PREFIX if library else "")
    nodes = NodeTable(numbered=not library)
    program = Program(entry=entry, changes=list(changes))
    _reserve_external_names(units, objects)
    _name_aliases(units, objects)
    needed = None
    if roots is not None:
        names = {entry, *roots, *(each.function for each in changes)}
        needed = _Needed(units).functions(names)
    several = len(units) > 1
    strongest = _strongest(units) if several else {}
    waiting: dict[str, tuple[TranslationUnit, FunctionDefinition]] = {}

    def define(unit: TranslationUnit, definition: FunctionDefinition, name: str) -> None:
        nodes.excerpts = Excerpts(unit.sources)
        nodes.function = ""
        function = lower_function(definition, name, objects, nodes, name == entry)
        function.library = library
        program.functions[name] = function

    for unit in units:
        nodes.excerpts = Excerpts(unit.sources)
        nodes.function = ""
        for declaration in unit.declarations:
            symbol = declaration.symbol
            known = several and objects.name(symbol) in objects.initialized
            if not _yields(symbol, strongest, known):
                _file_scope(declaration, objects, nodes)
        for definition in unit.functions:
            name = objects.name(definition.symbol)
            known = several and (name in program.functions or name in waiting)
            if _yields(definition.symbol, strongest, known):
                continue
            if name in program.functions:
                raise UnsupportedError(
                    f"function '{name}' is defined a second time",
                    definition.location,
                    f"the first definition is at {program.functions[name].location}",
                )
            if needed is None or id(definition) in needed:
                define(unit, definition, name)
            else:
                waiting[name] = unit, definition
    while found := sorted(objects.used_functions & waiting.keys()):
        for name in found:
            define(*waiting.pop(name), name)
    program.weak = {
        objects.name(each)
        for unit in units
        for each in _declared(unit)
        if each.weak and not each.defined and not each.alias
    }
    _hook(program, [each.symbol for unit in units for each in unit.functions], objects)
    objects.declare_missing()
    program.globals = objects.globals
    program.nodes = nodes.finished()
    program.decisions = nodes.decisions
    program.undefined = objects.used_functions - program.functions.keys()
    return program


@record
class _Mentions:
    """What the body of a function names."""

    functions: frozenset[str]
    taken: frozenset[str]  # those of which it takes the address
    objects: frozenset[tuple[int, str]]  # that can be modified, each with its unit or -1
    through_pointers: bool  # it calls what a pointer leads to


class _Needed:
    """The functions that some functions need, as a linker keeps them with --gc-sections: those that
    they name, and those that use a modifiable object which one of them uses, as they may set it.
    Where one of them calls through a pointer, all whose address is taken are needed."""

    def __init__(self, units: Sequence[TranslationUnit]) -> None:
        self._all = [(number, each) for number, unit in enumerate(units) for each in unit.functions]
        self._own = [{each.symbol.name: each for each in unit.functions} for unit in units]
        self._external: dict[str, list[tuple[int, FunctionDefinition]]] = {}
        for number, each in self._all:
            if each.symbol.linkage is Linkage.EXTERNAL:
                self._external.setdefault(each.symbol.name, []).append((number, each))
        self._initial = [
            (number, _mentions(number, unit.declarations)) for number, unit in enumerate(units)
        ]
        self._mentions: dict[int, _Mentions] = {}

    def functions(self, names: Collection[str]) -> set[int]:
        """The definitions, by their ids, that functions of these ``names`` need, with those that
        run before and after main and those that objects are initialised with."""
        waiting = [
            (number, each)
            for number, each in self._all
            if each.symbol.name in names or each.symbol.hooks
        ]
        for number, mentions in self._initial:
            waiting += self._named(number, mentions.functions)
        found: set[int] = set()
        objects: set[tuple[int, str]] = set()
        through_pointers = False
        while waiting:
            number, definition = waiting.pop()
            if id(definition) not in found:
                found.add(id(definition))
                mentions = self._of(number, definition)
                through_pointers |= mentions.through_pointers
                objects |= mentions.objects
                waiting += self._named(number, mentions.functions)
            if not waiting and (objects or through_pointers):
                for number, each in self._all:
                    mentions = self._of(number, each)
                    if not objects.isdisjoint(mentions.objects):
                        waiting.append((number, each))
                    if through_pointers:
                        waiting += self._named(number, mentions.taken)
                waiting = [each for each in waiting if id(each[1]) not in found]
        return found

    def _of(self, number: int, definition: FunctionDefinition) -> _Mentions:
        known = self._mentions.get(id(definition))
        if known is None:
            known = self._mentions[id(definition)] = _mentions(number, [definition.body])
        return known

    def _named(self, number: int, names: Iterable[str]) -> Iterator[tuple[int, FunctionDefinition]]:
        """What these names mean in a unit. Of an external one there may be several definitions, of
        which one is chosen later."""
        for name in names:
            own = self._own[number].get(name)
            if own is not None and own.symbol.linkage is not Linkage.EXTERNAL:
                yield number, own
            else:
                yield from self._external.get(name, ())


def _mentions(number: int, roots: Sequence[Tree]) -> _Mentions:
    functions: set[str] = set()
    taken: set[str] = set()
    objects: set[tuple[int, str]] = set()
    through_pointers = False
    callees: set[int] = set()
    for node in walk(*roots):
        match node:
            case SyntaxCall(function=callee):
                if isinstance(callee, Name) and isinstance(callee.symbol.type, Function):
                    callees.add(id(callee))
                else:
                    through_pointers = True
            case Name(symbol=symbol) if isinstance(symbol.type, Function):
                functions.add(symbol.name)
                if id(node) not in callees:
                    taken.add(symbol.name)
            case Name(symbol=symbol) if symbol.linkage is not Linkage.NONE:
                if "const" not in symbol.qualifiers:
                    unit = -1 if symbol.linkage is Linkage.EXTERNAL else number
                    objects.add((unit, symbol.name))
            case _:
                pass
    return _Mentions(frozenset(functions), frozenset(taken), frozenset(objects), through_pointers)


def _hook(program: Program, symbols: Sequence[Symbol], objects: Objects) -> None:
    """Enter the constructors, which run before main, by priority and then in the order of the text,
    and the destructors, which run after it, in the reverse of this order."""
    hooks = [(*hook, objects.name(symbol)) for symbol in symbols for hook in symbol.hooks]
    hooks.sort(key=lambda hook: hook[1])
    program.before_main = [name for kind, _, name in hooks if kind == "constructor"]
    program.after_main = [name for kind, _, name in reversed(hooks) if kind == "destructor"]


def _yields(symbol: Symbol, strongest: Mapping[str, int], known: bool) -> bool:
    """Does this definition give way to another one? An inline definition, which many files may have
    from a header, counts only where there is no other, and then once (C17 6.7.4); so does a weak
    one."""
    if symbol.strength == STRONG or symbol.linkage is not Linkage.EXTERNAL:
        return False
    return known or strongest.get(symbol.name, symbol.strength) > symbol.strength


def _strongest(units: Sequence[TranslationUnit]) -> dict[str, int]:
    """How strong the strongest definition of each external name is."""
    found: dict[str, int] = {}
    for unit in units:
        for each in _declared(unit):
            if each.defined and each.linkage is Linkage.EXTERNAL:
                found[each.name] = max(each.strength, found.get(each.name, each.strength))
    return found


def _declared(unit: TranslationUnit) -> list[Symbol]:
    symbols = [each.symbol for each in unit.declarations]
    return [*symbols, *(each.symbol for each in unit.functions)]


def _reserve_external_names(units: Sequence[TranslationUnit], objects: Objects) -> None:
    for unit in units:
        symbols = _declared(unit)
        objects.taken.update(each.name for each in symbols if each.linkage is Linkage.EXTERNAL)


def _name_aliases(units: Sequence[TranslationUnit], objects: Objects) -> None:
    """Define the other names of functions and objects: ``__attribute__((alias("f")))`` in the same
    unit, and ``asm("f")``, except for those in headers, which rename functions of the library."""
    external = [s for unit in units for s in _declared(unit) if s.linkage is Linkage.EXTERNAL]
    defined = {symbol.name for symbol in external if symbol.defined}
    for symbol in external:
        own = symbol.linked_as in defined or not symbol.from_header
        if symbol.linked_as and own and not symbol.defined:
            objects.aliases[symbol.name] = symbol.linked_as
        elif symbol.linked_as and symbol.defined and symbol.linked_as not in defined:
            objects.aliases[symbol.linked_as] = symbol.name
    for unit in units:
        known = {symbol.name: symbol for symbol in _declared(unit)}
        for symbol in known.values():
            target = known.get(symbol.alias)
            if target is not None:
                objects.names[symbol] = objects.name(target)
                if symbol.linkage is Linkage.EXTERNAL:
                    objects.aliases[symbol.name] = objects.name(target)


def _file_scope(declaration: Declaration, objects: Objects, nodes: NodeTable) -> None:
    """Define a file-scope object. One that is only declared is external until a unit defines it."""
    symbol = declaration.symbol
    if isinstance(symbol.type, Function) or symbol.kind is SymbolKind.FUNCTION:
        return
    if not symbol.defined and declaration.initializer is None:
        return
    name = objects.name(symbol)
    if declaration.initializer is not None:
        if name in objects.initialized:
            raise UnsupportedError(
                f"'{name}' is defined a second time",
                declaration.location,
                f"the first definition is at {objects.globals[name].location}",
            )
        objects.initialized.add(name)
    changes = static_data.define(FunctionLowering, objects, symbol, declaration.initializer)
    if declaration.change:
        changes.add(declaration.change)
    if changes:
        version: Version | None = declaration.version
        text = nodes.excerpts.statement(declaration.location)
        node = nodes.draft(StatementKind.DECLARATION, declaration.location, text)
        nodes.drafts[node].changes |= changes
        nodes.drafts[node].version = version
        objects.globals[name] = replace(objects.globals[name], node=node)


def link(program: Program, library: Program) -> None:
    """Add the library's functions and objects that the program refers to, directly or not."""
    wanted = sorted(program.undefined) + [
        name for name, item in program.globals.items() if item.external
    ]
    offset = len(program.nodes)
    added = False
    while wanted:
        name = wanted.pop()
        if name in library.functions and name not in program.functions:
            function = _renumbered(library.functions[name], offset)
            program.functions[name] = function
            wanted += names_of(function)
            added = True
        elif name in library.globals and _is_missing(program, name):
            item = library.globals[name]
            program.globals[name] = item
            wanted += [each.symbol for each in item.relocations]
        elif name in library.undefined and name not in program.functions:
            program.undefined.add(name)
    program.undefined -= program.functions.keys()
    if added:
        program.nodes += [replace(node, id=node.id + offset) for node in library.nodes]


def _is_missing(program: Program, name: str) -> bool:
    present: GlobalObject | None = program.globals.get(name)
    return present is None or present.external


def names_of(function: FunctionCode) -> list[str]:
    """The functions and objects that its code refers to."""
    names: dict[str, None] = {}
    for block in function.blocks:
        for item in block.instructions:
            match item:
                case Call(callee=str() as name):
                    names[name] = None
                case GlobalAddress(name=name) | FunctionAddress(name=name):
                    names[name] = None
                case _:
                    pass
    return sorted(names)


def names_used(program: Program) -> set[str]:
    """Functions and objects that code or the contents of objects refer to."""
    used = {place.symbol for item in program.globals.values() for place in item.relocations}
    for function in program.functions.values():
        used.update(names_of(function))
    return used


def names_reached(program: Program) -> set[str]:
    """The functions and objects to which a run that begins with the entry function can come by
    their names: what it calls, and what it takes the address of."""
    found: set[str] = set()
    waiting = [program.entry, *program.before_main, *program.after_main]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        if (function := program.functions.get(name)) is not None:
            waiting += names_of(function)
        elif (item := program.globals.get(name)) is not None:
            waiting += (place.symbol for place in (*item.relocations, *item.old_relocations))
    return found


def _renumbered(function: FunctionCode, offset: int) -> FunctionCode:
    """A copy of a function whose instructions refer to the joined table of nodes."""
    blocks = [
        replace(
            block,
            instructions=[replace(item, node=item.node + offset) for item in block.instructions],
            terminator=block.terminator
            and replace(block.terminator, node=block.terminator.node + offset),
        )
        for block in function.blocks
    ]
    return replace(function, blocks=blocks)
