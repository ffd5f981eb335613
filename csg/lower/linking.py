"""Whole programs: several translation units become one, and a library is linked to it.

    lower([parse_file("main.c"), parse_file("list.c")])   ->  Program
    link(program, library)                                   adds what the program lacks, no more

External names mean the same in all units; of a static function or object met twice, the second is
called ``name.1``.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    Linkage,
    Symbol,
    SymbolKind,
    TranslationUnit,
    Version,
)
from csg.language.types import Function
from csg.lower import static_data
from csg.lower.function import FunctionLowering, lower_function
from csg.lower.tables import Excerpts, NodeTable, Objects

LIBRARY_PREFIX = "libc:"


def lower(
    units: Sequence[TranslationUnit],
    changes: Sequence[ChangeInfo] = (),
    entry: str = "main",
    library: bool = False,
) -> Program:
    """Lower all units to one program. ``library``: its functions are marked as models, and the
    names of its static objects are distinct from those of any program."""
    with deep_recursion():
        return _lower(units, changes, entry, library)


def _lower(
    units: Sequence[TranslationUnit], changes: Sequence[ChangeInfo], entry: str, library: bool
) -> Program:
    objects = Objects(LIBRARY_PREFIX if library else "")
    nodes = NodeTable(numbered=not library)
    program = Program(entry=entry, changes=list(changes))
    _reserve_external_names(units, objects)
    _name_aliases(units, objects)
    for unit in units:
        nodes.excerpts = Excerpts(unit.sources)
        nodes.function = ""
        for declaration in unit.declarations:
            symbol = declaration.symbol
            if not _yields(symbol, units, objects.name(symbol) in objects.initialized):
                _file_scope(declaration, objects, nodes)
        for definition in unit.functions:
            name = objects.name(definition.symbol)
            if _yields(definition.symbol, units, name in program.functions):
                continue
            if name in program.functions:
                raise UnsupportedError(
                    f"function '{name}' is defined a second time",
                    definition.location,
                    f"the first definition is at {program.functions[name].location}",
                )
            function = lower_function(definition, name, objects, nodes, name == entry)
            function.library = library
            program.functions[name] = function
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
    program.arities = {
        name: count for name, count in objects.arities.items() if name in program.undefined
    }
    return program


def _hook(program: Program, symbols: Sequence[Symbol], objects: Objects) -> None:
    """Enter the constructors, which run before main, by priority and then in the order of the text,
    and the destructors, which run after it, in the reverse of this order."""
    hooks = [(*hook, objects.name(symbol)) for symbol in symbols for hook in symbol.hooks]
    hooks.sort(key=lambda hook: hook[1])
    program.before_main = [name for kind, _, name in hooks if kind == "constructor"]
    program.after_main = [name for kind, _, name in reversed(hooks) if kind == "destructor"]


def _yields(symbol: Symbol, units: Sequence[TranslationUnit], known: bool) -> bool:
    """Does this definition give way to another one? An inline definition, which many files may have
    from a header, counts only where there is no other, and then once (C17 6.7.4); so does a weak
    one."""
    if len(units) == 1 or symbol.strength == STRONG or symbol.linkage is not Linkage.EXTERNAL:
        return False
    return known or any(
        each.defined
        and each.name == symbol.name
        and each.linkage is Linkage.EXTERNAL
        and each.strength > symbol.strength
        for unit in units
        for each in _declared(unit)
    )


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
