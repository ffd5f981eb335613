"""Join the files of a version that differ from the other's to one, so that they are united as one.

    a.c    static int n; struct p {int x;};       struct p {int x;};
    b.c    static int n; struct p {int x;};  ->   static int n; static int n__b;
           int f(struct p *q)                     int f(struct p *q)
           { return n + q->x; }                   { return n__b + q->x; }

A function may then move from one file to another, and one that is called from another file may
change its parameters. What several files call by one name and each means for itself is renamed, in
both versions alike; records and enumerations that are equal become one. A call of a function that
its file declares as something else than it is stays one: ``((void (*)(char *))warn)(text)``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from csg.errors import UnsupportedError
from csg.frontend.deep import deep_recursion
from csg.frontend.operators import compatible
from csg.language.syntax import (
    Call,
    Cast,
    Declaration,
    FunctionDefinition,
    Name,
    Symbol,
    TranslationUnit,
    Version,
)
from csg.language.traversal import Tree, rebuilt, walk
from csg.language.types import Enumeration, Function, Pointer, Record
from csg.versions.names import is_global
from csg.versions.same_types import SameTypes
from csg.versions.translation import Translation

Unit = TranslationUnit
UnitPair = tuple[Unit | None, Unit | None]


def join(pairs: Sequence[UnitPair]) -> tuple[Unit, Unit]:
    """All old files as one, and all new ones. The units are changed in place."""
    if len(pairs) == 1:
        old, new = pairs[0]
        return old or Unit(_file(pairs[0])), new or Unit(_file(pairs[0]))
    keep_names_apart(pairs)
    return (
        _joined([old for old, _ in pairs if old is not None], _file(pairs[0])),
        _joined([new for _, new in pairs if new is not None], _file(pairs[0])),
    )


def _file(pair: UnitPair) -> str:
    unit = pair[1] or pair[0]
    return unit.file if unit is not None else ""


def _stem(file: str) -> str:
    """``lib/a-b.c`` gives ``a_b``: part of a name."""
    return re.sub(r"\W", "_", Path(file).stem)


# ------------------------------------------------------------------ names


def keep_names_apart(pairs: Sequence[UnitPair]) -> None:
    """``static int n`` of the second file that has one is called ``n__b`` after the file b.c."""
    symbols = [[symbol for unit in pair if unit for symbol in _globals(unit)] for pair in pairs]
    taken = {each.name for found in symbols for each in found if each.linkage == "external"}
    reserved = taken | {name for pair in pairs for unit in pair if unit for name in _names(unit)}
    for pair, found in zip(pairs, symbols, strict=True):
        own = {symbol.name for symbol in found if symbol.linkage == "internal"}
        renamed = {}
        for name in sorted(own & taken):
            renamed[name] = fresh(f"{name}__{_stem(_file(pair))}", reserved)
        for symbol in found:
            if symbol.linkage == "internal":
                symbol.name = renamed.get(symbol.name, symbol.name)
        taken |= own


def fresh(name: str, taken: set[str]) -> str:
    """``name``, or with as many signs behind it as make it new; ``taken`` has it afterwards."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def _globals(unit: Unit) -> list[Symbol]:
    """Every symbol of file scope, each once."""
    found: dict[Symbol, None] = {}
    for symbol in _mentioned(unit):
        if is_global(symbol):
            found[symbol] = None
    return list(found)


def _names(unit: Unit) -> set[str]:
    return {symbol.name for symbol in _mentioned(unit)} | {
        name for kind in unit.types if isinstance(kind, Enumeration) for name, _ in kind.enumerators
    }


def _mentioned(unit: Unit) -> Iterator[Symbol]:
    for function in unit.functions:
        yield function.symbol
        yield from function.parameters
    yield from (declaration.symbol for declaration in unit.declarations)
    for node in walk(*unit.declarations, *(function.body for function in unit.functions)):
        if isinstance(node, Name | Declaration):
            yield node.symbol


# ------------------------------------------------------------------ trees


def _joined(units: Sequence[Unit], file: str) -> Unit:
    whole = Unit(file)
    with deep_recursion():
        for at, unit in enumerate(units):
            _add(whole, unit if at == 0 else _in_types_of(whole, unit))
        _call_as_declared(whole)
    whole.declarations = _one_for_each_name(whole)
    return whole


def _add(whole: Unit, unit: Unit) -> None:
    known = set(whole.types)
    whole.types += [kind for kind in unit.types if kind not in known]
    whole.declarations += unit.declarations
    for function in unit.functions:
        _add_function(whole.functions, function)
    whole.sources |= unit.sources
    whole.dropped += unit.dropped
    whole.warnings += unit.warnings


def _in_types_of(whole: Unit, unit: Unit) -> Unit:
    """The unit with the records and enumerations of ``whole`` in place of those that equal them."""
    types = SameTypes(whole, unit, _stem(unit.file))
    settled: set[Symbol] = set()

    def symbol(found: Symbol) -> Symbol:
        if found not in settled:
            settled.add(found)
            found.type = translation.type(found.type)
        return found

    translation = Translation(types, Version.OLD, symbol)
    declarations = [translation.node(each) for each in unit.declarations]
    functions = [
        replace(
            each,
            symbol=symbol(each.symbol),
            parameters=tuple([symbol(parameter) for parameter in each.parameters]),
            body=translation.node(each.body),
        )
        for each in unit.functions
    ]
    named: list[Record | Enumeration] = []
    for kind in unit.types:
        united = types.unified(kind)
        assert isinstance(united, Record | Enumeration)
        named.append(united)
    return replace(unit, types=named, declarations=declarations, functions=functions)


def _add_function(functions: list[FunctionDefinition], function: FunctionDefinition) -> None:
    """An inline definition, which many files may have from a header, yields to any other."""
    symbol = function.symbol
    for at, known in enumerate(functions):
        if known.symbol.name != symbol.name or symbol.linkage != "external":
            continue
        if not symbol.inline and not known.symbol.inline:
            raise defined_twice("function", symbol.name, function, known)
        if not symbol.inline:
            functions[at] = function
        return
    functions.append(function)


def defined_twice(
    what: str,
    name: str,
    second: Declaration | FunctionDefinition,
    first: Declaration | FunctionDefinition,
) -> UnsupportedError:
    return UnsupportedError(
        f"{what} '{name}' is defined a second time",
        second.location,
        f"the first definition is at {first.location}",
    )


def _one_for_each_name(whole: Unit) -> list[Declaration]:
    """Of an external object its definition, of a function that is defined no declaration."""
    bodies = {function.symbol.name for function in whole.functions}
    best: dict[str, Declaration] = {}
    for each in _external(whole.declarations):
        known = best.get(each.symbol.name)
        if known is not None and known.initializer is not None and each.initializer is not None:
            raise defined_twice("object", each.symbol.name, each, known)
        if known is None or _weight(each) > _weight(known):
            best[each.symbol.name] = each
    return [
        each
        for each in whole.declarations
        if each.symbol.linkage != "external"
        or (best[each.symbol.name] is each and each.symbol.name not in bodies)
    ]


def _call_as_declared(whole: Unit) -> None:
    """A call of what another file defines otherwise goes through a pointer of the type that the
    call's own file declares: the one declaration that is left would not let it pass."""
    defined = {each.symbol.name: each.symbol for each in whole.functions if is_global(each.symbol)}

    def called(node: Tree) -> Tree:
        node = rebuilt(node, called)
        match node:
            case Call(function=Name(symbol=symbol), arguments=given) if (
                symbol.linkage == "external"
                and not _passes(symbol, defined.get(symbol.name, symbol), len(given))
            ):
                function = Cast(node.function, Pointer(symbol.type), node.location)
                return replace(node, function=function)
            case _:
                return node

    def differs(symbol: Symbol) -> bool:
        return not _passes(symbol, defined.get(symbol.name, symbol), None)

    for at, function in enumerate(whole.functions):
        if any(isinstance(node, Name) and differs(node.symbol) for node in walk(function.body)):
            whole.functions[at] = replace(function, body=rebuilt(function.body, called))


def _passes(declared: Symbol, defined: Symbol, given: int | None) -> bool:
    """Whether a call as by one declaration is one by the definition as well. Without a prototype
    ``given`` arguments count (None: any number may come)."""
    if declared is defined:
        return True
    one, other = declared.type, defined.type
    if not (isinstance(one, Function) and isinstance(other, Function)):
        return True
    if one.prototype or not other.prototype:
        return compatible(one, other)
    fits = given is not None and (given == len(other.parameters) or other.variadic)
    return fits and compatible(one.result, other.result)


def _external(declarations: Iterable[Declaration]) -> Iterator[Declaration]:
    return (each for each in declarations if each.symbol.linkage == "external")


def _weight(declaration: Declaration) -> int:
    return 2 if declaration.initializer is not None else int(declaration.symbol.defined)
