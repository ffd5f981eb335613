"""Where a mutation can strike, and the tree afterwards.

replaced(body, node, other)          the same body with ``other`` where the very node stood
in_list(function, random, fits, f)   a random statement that fits becomes the list f(statement)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random
from typing import Any

from csg.language.syntax import (
    Assign,
    Binary,
    Break,
    Case,
    Compound,
    Continue,
    Declaration,
    DoWhile,
    Expression,
    ExpressionStatement,
    For,
    FunctionDefinition,
    Goto,
    IntegerConstant,
    Label,
    Logical,
    Name,
    Statement,
    Switch,
    Symbol,
    TranslationUnit,
    Unary,
    While,
)
from csg.language.traversal import children, rebuilt, walk
from csg.language.types import INT, Function, Type, decayed

Mutation = Callable[[FunctionDefinition, Random], Compound | None]
UnitMutation = Callable[[TranslationUnit, Random], TranslationUnit | None]
Items = tuple[Statement, ...]
LOOPS = (While, DoWhile, For)


def replaced(body: Any, target: Any, value: Any) -> Any:
    """``value`` instead of the very node ``target``."""

    def changed(node: Any) -> Any:
        return value if node is target else rebuilt(node, changed)

    return changed(body)


def mapped(node: Any, change: Callable[[Any], Any]) -> Any:
    """``change`` applied to every node, from the leaves up."""
    return change(rebuilt(node, lambda inner: mapped(inner, change)))


def nodes(function: FunctionDefinition, *kinds: type) -> list[Any]:
    return [node for node in walk(function.body) if isinstance(node, kinds)]


def pick(found: list[Any], random: Random) -> Any:
    return random.choice(found) if found else None


def constant(value: int, kind: Type = INT) -> IntegerConstant:
    return IntegerConstant(value, kind)


def inverted(condition: Expression) -> Expression:
    return Unary("!", condition, INT)


def integers(function: FunctionDefinition) -> list[Name]:
    """Parameters: in scope everywhere, and always initialised."""
    return [Name(each, each.type) for each in function.parameters if each.type == INT]


def comparison(names: list[Name], random: Random) -> Expression:
    limit = constant(random.randrange(9))
    return Binary(random.choice(("<", ">", "==")), random.choice(names), limit, INT)


def conjunction(operator: str, operands: list[Expression]) -> Expression:
    flat: list[Expression] = []
    for operand in operands:
        same = isinstance(operand, Logical) and operand.operator == operator
        flat.extend(operand.operands if same else (operand,))
    return Logical(operator, tuple(flat), INT)


def blocks(function: FunctionDefinition) -> Iterator[Compound]:
    return (node for node in walk(function.body) if isinstance(node, Compound) and node.items)


def in_list(
    function: FunctionDefinition,
    random: Random,
    fits: Callable[[Statement], bool],
    change: Callable[[Any], list[Statement]],
) -> Compound | None:
    places = [
        (block, at)
        for block in blocks(function)
        for at, item in enumerate(block.items)
        if fits(item)
    ]
    if not places:
        return None
    block, at = random.choice(places)
    items = [*block.items[:at], *change(block.items[at]), *block.items[at + 1 :]]
    return replaced(function.body, block, replace(block, items=tuple(items)))


def spliced(
    function: FunctionDefinition, block: Compound, start: int, end: int, items: list[Statement]
) -> Compound:
    """``items`` instead of those from ``start`` to before ``end``."""
    whole = (*block.items[:start], *items, *block.items[end:])
    return replaced(function.body, block, replace(block, items=whole))


def movable(item: Statement) -> bool:
    """It may stand in a block of its own: it declares nothing, and nothing jumps to it."""
    return not isinstance(item, Declaration | Case | Label)


def has_label(item: Any) -> bool:
    return any(isinstance(node, Label | Case) for node in walk(item))


def leaves(item: Any, kind: type) -> list[Any]:
    """The breaks (or continues) that leave ``item`` itself, not a loop or switch inside."""
    inner = (*LOOPS, Switch) if kind is Break else LOOPS
    found: list[Any] = []
    stack = [item]
    while stack:
        node = stack.pop()
        if isinstance(node, kind):
            found.append(node)
        elif node is item or not isinstance(node, inner):
            stack.extend(children(node))
    return found


def jumps(item: Any) -> bool:
    return any(isinstance(node, Break | Continue | Goto) for node in walk(item))


def set_to(symbol: Symbol, value: Expression) -> ExpressionStatement:
    target = Name(symbol, symbol.type)
    return ExpressionStatement(Assign(target, value, symbol.type))


def named(symbol: Symbol) -> Name:
    return Name(symbol, decayed(symbol.type))


def returns(function: FunctionDefinition) -> Type:
    kind = function.symbol.type
    assert isinstance(kind, Function)
    return kind.result


def locals_of(function: FunctionDefinition) -> list[Symbol]:
    return [
        node.symbol for node in nodes(function, Declaration) if node.symbol.storage == "automatic"
    ]


def retyped(body: Compound, symbol: Symbol, other: Symbol) -> Compound:
    """Every mention of ``symbol`` mentions ``other``; the text is parsed again, types follow."""

    def change(node: Any) -> Any:
        if isinstance(node, Name | Declaration) and node.symbol is symbol:
            return replace(node, symbol=other)
        return node

    return mapped(body, change)


def everywhere(unit: TranslationUnit, symbol: Symbol, other: Symbol) -> TranslationUnit:
    """``retyped`` for a whole program."""
    functions = [
        replace(
            each,
            symbol=other if each.symbol is symbol else each.symbol,
            body=retyped(each.body, symbol, other),
        )
        for each in unit.functions
    ]
    declarations = [retyped(each, symbol, other) for each in unit.declarations]
    return replace(unit, functions=functions, declarations=declarations)


def own_functions(unit: TranslationUnit) -> list[int]:
    return [at for at, each in enumerate(unit.functions) if not each.symbol.from_header]
