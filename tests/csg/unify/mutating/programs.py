"""Edits that reach beyond one function.

x = a * b + c;                 ->   x = helper(a, b, c);        with a new function
static int f(int a)            ->   static int f(int a, int extra)      and all its calls
static int limit = 3;          ->   static long limit = 3;      |   static int limit = 4;
"""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

from csg.language.syntax import (
    AddressOf,
    Assign,
    Binary,
    Builtin,
    Call,
    Compound,
    CompoundAssign,
    CompoundLiteral,
    Declaration,
    Expression,
    ExpressionStatement,
    FunctionDefinition,
    If,
    Increment,
    InitializerList,
    IntegerConstant,
    Linkage,
    Name,
    Return,
    StatementExpression,
    StorageDuration,
    Symbol,
    SymbolKind,
    TranslationUnit,
    VaArg,
)
from csg.language.traversal import walk
from csg.language.types import INT, Array, Function, Pointer, Void, decayed, is_scalar
from tests.csg.unify.mutating.objects import OTHER_TYPES, other_entries
from tests.csg.unify.mutating.places import (
    comparison,
    constant,
    everywhere,
    mapped,
    named,
    nodes,
    own_functions,
    pick,
    replaced,
    returns,
)

EFFECTS = (
    Assign,
    CompoundAssign,
    Increment,
    AddressOf,
    StatementExpression,
    CompoundLiteral,
    VaArg,
    Builtin,
)


# ------------------------------------------------------------------ functions


def extract_function(unit: TranslationUnit, random: Random) -> TranslationUnit | None:
    places = [
        (at, node)
        for at in own_functions(unit)
        for node in nodes(unit.functions[at], Binary, Call)
        if is_scalar(node.type) and _extractable(node)
    ]
    place = pick(places, random)
    if place is None:
        return None
    at, node = place
    function = unit.functions[at]
    used = _locals_in(node)
    taken = tuple(decayed(each.type) for each in used)
    symbol = _new_function("extracted", node.type, taken)
    parameters = tuple(
        Symbol(each.name, kind, kind=SymbolKind.PARAMETER)
        for each, kind in zip(used, taken, strict=True)
    )
    inside = dict(zip(used, parameters, strict=True))

    def renamed(inner: Any) -> Any:
        if isinstance(inner, Name) and inner.symbol in inside:
            return replace(inner, symbol=inside[inner.symbol])
        return inner

    body = Compound((Return(mapped(node, renamed)),))
    helper = FunctionDefinition(symbol, parameters, body)
    call = Call(Name(symbol, Pointer(symbol.type)), tuple(map(named, used)), node.type)
    caller = replace(function, body=replaced(function.body, node, call))
    functions = [*unit.functions[:at], helper, caller, *unit.functions[at + 1 :]]
    return replace(unit, functions=functions)


def _extractable(node: Expression) -> bool:
    if any(isinstance(each, EFFECTS) for each in walk(node)):
        return False
    if sum(1 for _ in walk(node)) < 4:
        return False
    return all(not isinstance(each, Name) or _passable(each.symbol) for each in walk(node)) and all(
        not (isinstance(each, Name) and isinstance(each.type, Array)) for each in walk(node)
    )


def _passable(symbol: Symbol) -> bool:
    if symbol.linkage != "none" or symbol.kind == "function":
        return True
    return is_scalar(decayed(symbol.type)) and not _variable(symbol)


def _variable(symbol: Symbol) -> bool:
    return isinstance(symbol.type, Array) or symbol.name == "selected"


def _locals_in(node: Expression) -> list[Symbol]:
    found = [
        each.symbol
        for each in walk(node)
        if isinstance(each, Name)
        and each.symbol.linkage == "none"
        and each.symbol.kind != "function"
    ]
    return list(dict.fromkeys(found))


def _new_function(name: str, result: Any, taken: tuple[Any, ...]) -> Symbol:
    kind = Function(result, taken)
    return Symbol(name, kind, kind=SymbolKind.FUNCTION, linkage=Linkage.INTERNAL, defined=True)


def extract_statement(unit: TranslationUnit, random: Random) -> TranslationUnit | None:
    """A statement that calls something becomes a function."""
    places = [
        (at, node)
        for at in own_functions(unit)
        for node in nodes(unit.functions[at], ExpressionStatement)
        if isinstance(node.expression, Call) and _extractable(node.expression)
    ]
    place = pick(places, random)
    if place is None:
        return None
    at, node = place
    function = unit.functions[at]
    used = _locals_in(node.expression)
    symbol = _new_function("announce", Void(), tuple(each.type for each in used))
    copies = {each: Symbol(each.name, each.type, kind=SymbolKind.PARAMETER) for each in used}

    def renamed(inner: Any) -> Any:
        known = isinstance(inner, Name) and inner.symbol in copies
        return replace(inner, symbol=copies[inner.symbol]) if known else inner

    helper = FunctionDefinition(symbol, tuple(copies.values()), Compound((mapped(node, renamed),)))
    call = Call(Name(symbol, Pointer(symbol.type)), tuple(map(named, used)), Void())
    caller = replace(function, body=replaced(function.body, node, ExpressionStatement(call)))
    return replace(
        unit, functions=[*unit.functions[:at], helper, caller, *unit.functions[at + 1 :]]
    )


def _private(unit: TranslationUnit) -> list[int]:
    """Functions that are only ever called, by this file, with a prototype."""
    callees = {
        id(node.function): node.function.symbol
        for each in unit.functions
        for node in nodes(each, Call)
        if isinstance(node.function, Name)
    }
    used_otherwise = {
        node.symbol
        for each in [*(f.body for f in unit.functions), *unit.declarations]
        for node in walk(each)
        if isinstance(node, Name) and id(node) not in callees
    }
    return [
        at
        for at in own_functions(unit)
        if (symbol := unit.functions[at].symbol) in set(callees.values())
        and symbol not in used_otherwise
        and symbol.name != "main"
        and symbol.type.prototype
        and not symbol.type.variadic
    ]


def add_parameter(unit: TranslationUnit, random: Random) -> TranslationUnit | None:
    at = pick(_private(unit), random)
    if at is None:
        return None
    function = unit.functions[at]
    place = random.randrange(len(function.parameters) + 1)
    extra = Symbol("extra", INT, kind=SymbolKind.PARAMETER)
    kind = function.symbol.type
    taken = (*kind.parameters[:place], INT, *kind.parameters[place:])
    symbol = replace(function.symbol, type=replace(kind, parameters=taken))
    parameters = (*function.parameters[:place], extra, *function.parameters[place:])
    body = function.body
    leaving = pick([each for each in nodes(function, Return) if each.value is not None], random)
    if leaving is not None and returns(function) == INT:
        value = Binary("+", leaving.value, Name(extra, INT), INT)
        body = replaced(body, leaving, replace(leaving, value=value))
    functions = list(unit.functions)
    functions[at] = replace(function, parameters=parameters, body=body)
    changed = everywhere(replace(unit, functions=functions), function.symbol, symbol)
    value = random.randrange(3)

    def called(node: Any) -> Any:
        match node:
            case Call(function=Name(symbol=callee), arguments=given) if callee is symbol:
                return replace(node, arguments=(*given[:place], constant(value), *given[place:]))
            case _:
                return node

    return replace(
        changed,
        functions=[replace(each, body=mapped(each.body, called)) for each in changed.functions],
    )


def drop_parameter(unit: TranslationUnit, random: Random) -> TranslationUnit | None:
    """One that the function does not use any more: its uses become 1."""
    found = [
        (at, place)
        for at in _private(unit)
        for place, each in enumerate(unit.functions[at].parameters)
        if each.type == INT and not each.address_taken
    ]
    chosen = pick(found, random)
    if chosen is None:
        return None
    at, place = chosen
    function = unit.functions[at]
    gone = function.parameters[place]
    local = replace(gone, kind=SymbolKind.OBJECT)
    kind = function.symbol.type
    taken = (*kind.parameters[:place], *kind.parameters[place + 1 :])
    symbol = replace(function.symbol, type=replace(kind, parameters=taken))
    parameters = (*function.parameters[:place], *function.parameters[place + 1 :])
    functions = list(unit.functions)
    first = Declaration(local, constant(1))
    body = everywhere_in(function.body, gone, local)
    functions[at] = replace(
        function, parameters=parameters, body=replace(body, items=(first, *body.items))
    )
    changed = everywhere(replace(unit, functions=functions), function.symbol, symbol)

    def called(node: Any) -> Any:
        match node:
            case Call(function=Name(symbol=callee), arguments=given) if callee is symbol:
                return replace(node, arguments=(*given[:place], *given[place + 1 :]))
            case _:
                return node

    return replace(
        changed,
        functions=[replace(each, body=mapped(each.body, called)) for each in changed.functions],
    )


def everywhere_in(body: Compound, symbol: Symbol, other: Symbol) -> Compound:
    def change(node: Any) -> Any:
        same = isinstance(node, Name) and node.symbol is symbol
        return replace(node, symbol=other) if same else node

    return mapped(body, change)


def wider_result(unit: TranslationUnit, random: Random) -> TranslationUnit | None:
    found = [at for at in _private(unit) if returns(unit.functions[at]) in OTHER_TYPES]
    at = pick(found, random)
    if at is None:
        return None
    symbol = unit.functions[at].symbol
    result = random.choice(OTHER_TYPES[symbol.type.result])
    return everywhere(unit, symbol, replace(symbol, type=replace(symbol.type, result=result)))


def rename_function(unit: TranslationUnit, random: Random) -> TranslationUnit | None:
    found = [at for at in own_functions(unit) if unit.functions[at].symbol.name != "main"]
    at = pick(found, random)
    if at is None:
        return None
    symbol = unit.functions[at].symbol
    return everywhere(unit, symbol, replace(symbol, name=f"{symbol.name}_renamed"))


def reorder_functions(unit: TranslationUnit, random: Random) -> TranslationUnit | None:
    functions = list(unit.functions)
    random.shuffle(functions)
    return replace(unit, functions=functions)


def remove_function(unit: TranslationUnit, random: Random) -> TranslationUnit | None:
    """A call in a statement goes, and the function with it when nobody else calls it."""
    places = [
        (at, node)
        for at in own_functions(unit)
        for node in nodes(unit.functions[at], ExpressionStatement)
        if isinstance(node.expression, Call) and isinstance(node.expression.function, Name)
    ]
    place = pick(places, random)
    if place is None:
        return None
    at, node = place
    function = unit.functions[at]
    functions = list(unit.functions)
    functions[at] = replace(function, body=replaced(function.body, node, Compound(())))
    left = {
        each.symbol
        for body in [*(f.body for f in functions), *unit.declarations]
        for each in walk(body)
        if isinstance(each, Name)
    }
    gone = node.expression.function.symbol
    kept = [each for each in functions if each.symbol is not gone or gone in left]
    return replace(unit, functions=kept)


# ------------------------------------------------------------------ objects of file scope


def _own_objects(unit: TranslationUnit) -> list[int]:
    return [
        at
        for at, each in enumerate(unit.declarations)
        if each.symbol.kind == "object" and each.symbol.defined and not each.symbol.from_header
    ]


def retype_global(unit: TranslationUnit, random: Random) -> TranslationUnit | None:
    found = [
        symbol
        for at in _own_objects(unit)
        if (symbol := unit.declarations[at].symbol).type in OTHER_TYPES and not symbol.address_taken
    ]
    symbol = pick(found, random)
    if symbol is None:
        return None
    kind = random.choice(OTHER_TYPES[symbol.type])
    return everywhere(unit, symbol, replace(symbol, type=kind))


def rename_global(unit: TranslationUnit, random: Random) -> TranslationUnit | None:
    at = pick(_own_objects(unit), random)
    if at is None:
        return None
    symbol = unit.declarations[at].symbol
    return everywhere(unit, symbol, replace(symbol, name=f"{symbol.name}_renamed"))


def change_global(unit: TranslationUnit, random: Random) -> TranslationUnit | None:
    """Another first value."""
    found = [
        at
        for at in _own_objects(unit)
        if isinstance(unit.declarations[at].initializer, InitializerList | IntegerConstant)
    ]
    at = pick(found, random)
    if at is None:
        return None
    node = unit.declarations[at]
    value: Any = node.initializer
    if isinstance(value, InitializerList):
        if not value.entries:
            return None
        value = other_entries(value, random)
    else:
        value = replace(value, value=value.value + 1, text="")
    declarations = list(unit.declarations)
    declarations[at] = replace(node, initializer=value)
    return replace(unit, declarations=declarations)


def add_global(unit: TranslationUnit, random: Random) -> TranslationUnit | None:
    """A counter that one function raises and another condition asks."""
    symbol = Symbol(
        "hits", INT, storage=StorageDuration.STATIC, linkage=Linkage.INTERNAL, defined=True
    )
    name = Name(symbol, INT)
    at, to = random.choice(own_functions(unit)), random.choice(own_functions(unit))
    functions = list(unit.functions)
    step = ExpressionStatement(CompoundAssign("+", name, constant(1), INT, INT))
    functions[at] = _with_first(functions[at], step)
    node = pick(nodes(functions[to], If), random)
    if node is not None:
        test = Binary("&", node.condition, Binary("<", name, constant(50), INT), INT)
        if node.condition.type == INT:
            body = replaced(functions[to].body, node, replace(node, condition=test))
            functions[to] = replace(functions[to], body=body)
    value = constant(1) if random.random() < 0.5 else None
    declarations = [Declaration(symbol, value), *unit.declarations]
    return replace(unit, functions=functions, declarations=declarations)


def _with_first(function: FunctionDefinition, statement: Any) -> FunctionDefinition:
    items = function.body.items
    at = next((i for i, each in enumerate(items) if not isinstance(each, Declaration)), len(items))
    body = replace(function.body, items=(*items[:at], statement, *items[at:]))
    return replace(function, body=body)


def add_function(unit: TranslationUnit, random: Random) -> TranslationUnit | None:
    """A new function that an existing one returns through."""
    found = [
        at
        for at in own_functions(unit)
        if returns(unit.functions[at]) == INT and nodes(unit.functions[at], Return)
    ]
    at = pick(found, random)
    if at is None:
        return None
    function = unit.functions[at]
    symbol = _new_function("adjusted", INT, (INT,))
    value = Symbol("value", INT, kind=SymbolKind.PARAMETER)
    leave = If(
        comparison([Name(value, INT)], random),
        Compound((Return(constant(random.randrange(4))),)),
        None,
    )
    helper = FunctionDefinition(symbol, (value,), Compound((leave, Return(Name(value, INT)))))
    leaving = pick([each for each in nodes(function, Return) if each.value is not None], random)
    if leaving is None:
        return None
    call = Call(Name(symbol, Pointer(symbol.type)), (leaving.value,), INT)
    body = replaced(function.body, leaving, replace(leaving, value=call))
    functions = list(unit.functions)
    functions[at] = replace(function, body=body)
    functions.insert(random.randrange(len(functions) + 1), helper)
    return replace(unit, functions=functions)


PROGRAMS = (
    extract_function,
    extract_statement,
    add_parameter,
    drop_parameter,
    wider_result,
    rename_function,
    reorder_functions,
    remove_function,
    retype_global,
    rename_global,
    change_global,
    add_global,
    add_function,
)
