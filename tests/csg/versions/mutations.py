"""Turn a program into a slightly different one, as a patch would.

    y = x + 1;   ->   y = x - 1;   |   y = x + 2;   |   if (x > 3) { y = x + 1; }   |   (nothing)

Everything is drawn from the given random generator, so a seed names a mutant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random
from typing import Any

from csg.language.syntax import (
    Binary,
    Compound,
    Declaration,
    Empty,
    Expression,
    ExpressionStatement,
    FunctionDefinition,
    If,
    IntegerConstant,
    Logical,
    Name,
    Return,
    Statement,
    TranslationUnit,
    While,
)
from csg.language.traversal import rebuilt, walk
from csg.language.types import INT, Integer

SWAPS = {
    "+": "-",
    "-": "+",
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "==": "!=",
    "!=": "==",
    "&": "|",
    "|": "&",
    "*": "+",
}


def mutant(unit: TranslationUnit, random: Random, count: int) -> TranslationUnit:
    """``count`` mutations in the functions that the user wrote."""
    functions = list(unit.functions)
    own = [at for at, function in enumerate(functions) if not function.symbol.from_header]
    for _ in range(count):
        at = random.choice(own)
        functions[at] = mutated(functions[at], random)
    return replace(unit, functions=functions)


def mutated(function: FunctionDefinition, random: Random) -> FunctionDefinition:
    kinds = list(KINDS)
    random.shuffle(kinds)
    for kind in kinds:
        body = kind(function, random)
        if body is not None:
            return replace(function, body=body)
    return function


def _replace(body: Compound, target: Any, value: Any) -> Compound:
    """``value`` instead of the very node ``target``."""

    def changed(node: Any) -> Any:
        return value if node is target else rebuilt(node, changed)

    result: Compound = changed(body)
    return result


def _expressions(function: FunctionDefinition, kind: type) -> list[Any]:
    return [node for node in walk(function.body) if isinstance(node, kind)]


def swap_operator(function: FunctionDefinition, random: Random) -> Compound | None:
    found = [
        node
        for node in _expressions(function, Binary)
        if node.operator in SWAPS
        and isinstance(node.type, Integer)
        and isinstance(node.left.type, Integer)
        and isinstance(node.right.type, Integer)
    ]
    if not found:
        return None
    node = random.choice(found)
    return _replace(function.body, node, replace(node, operator=SWAPS[node.operator]))


def change_constant(function: FunctionDefinition, random: Random) -> Compound | None:
    found = [node for node in _expressions(function, IntegerConstant) if 0 < node.value < 100]
    if not found:
        return None
    node = random.choice(found)
    value = IntegerConstant(node.value + random.choice((1, 2, -1)), node.type)
    return _replace(function.body, node, value)


def change_condition(function: FunctionDefinition, random: Random) -> Compound | None:
    """A clause added to a condition, in front or behind."""
    found = [node for node in walk(function.body) if isinstance(node, If)]
    names = _integers(function)
    if not found or not names:
        return None
    node = random.choice(found)
    clause = _comparison(names, random)
    operands = [node.condition, clause]
    random.shuffle(operands)
    flat: list[Expression] = []
    operator = random.choice(("&&", "||"))
    for operand in operands:
        same = isinstance(operand, Logical) and operand.operator == operator
        flat.extend(operand.operands if same else (operand,))
    condition = Logical(operator, tuple(flat), INT)
    return _replace(function.body, node, replace(node, condition=condition))


def _integers(function: FunctionDefinition) -> list[Name]:
    """Parameters: in scope everywhere, and always initialised."""
    return [
        Name(parameter, parameter.type)
        for parameter in function.parameters
        if parameter.type == INT
    ]


def _comparison(names: list[Name], random: Random) -> Expression:
    limit = IntegerConstant(random.randrange(9), INT)
    return Binary(random.choice(("<", ">", "==")), random.choice(names), limit, INT)


def _blocks(function: FunctionDefinition) -> Iterator[Compound]:
    for node in walk(function.body):
        if isinstance(node, Compound) and node.items:
            yield node


def _in_list(
    function: FunctionDefinition,
    random: Random,
    fits: Callable[[Statement], bool],
    change: Callable[[Statement], list[Statement]],
) -> Compound | None:
    places = [
        (block, at)
        for block in _blocks(function)
        for at, item in enumerate(block.items)
        if fits(item)
    ]
    if not places:
        return None
    block, at = random.choice(places)
    items = [*block.items[:at], *change(block.items[at]), *block.items[at + 1 :]]
    return _replace(function.body, block, replace(block, items=tuple(items)))


def _plain(item: Statement) -> bool:
    return isinstance(item, ExpressionStatement | If | While)


def delete_statement(function: FunctionDefinition, random: Random) -> Compound | None:
    return _in_list(
        function, random, lambda s: isinstance(s, ExpressionStatement | If), lambda s: [Empty()]
    )


def duplicate_statement(function: FunctionDefinition, random: Random) -> Compound | None:
    return _in_list(
        function, random, lambda s: isinstance(s, ExpressionStatement), lambda s: [s, s]
    )


def wrap_statement(function: FunctionDefinition, random: Random) -> Compound | None:
    names = _integers(function)
    if not names:
        return None
    condition = _comparison(names, random)
    return _in_list(function, random, _plain, lambda s: [If(condition, Compound((s,)), None)])


def free_statement(function: FunctionDefinition, random: Random) -> Compound | None:
    return _in_list(
        function,
        random,
        lambda s: isinstance(s, If),
        lambda s: list(s.then.items),  # type: ignore[union-attr]
    )


def insert_return(function: FunctionDefinition, random: Random) -> Compound | None:
    names = _integers(function)
    result = getattr(function.symbol.type, "result", None)
    if not names or result != INT:
        return None
    leaving = Return(IntegerConstant(random.randrange(5), INT))
    guard = If(_comparison(names, random), Compound((leaving,)), None)
    return _in_list(function, random, _plain, lambda s: [guard, s])


def swap_statements(function: FunctionDefinition, random: Random) -> Compound | None:
    places = [
        (block, at)
        for block in _blocks(function)
        for at in range(len(block.items) - 1)
        if isinstance(block.items[at], ExpressionStatement)
        and isinstance(block.items[at + 1], ExpressionStatement)
    ]
    if not places:
        return None
    block, at = random.choice(places)
    items = list(block.items)
    items[at], items[at + 1] = items[at + 1], items[at]
    return _replace(function.body, block, replace(block, items=tuple(items)))


def rename_local(function: FunctionDefinition, random: Random) -> Compound | None:
    """The symbol itself is renamed: the printed text of the mutant shows it."""
    found = [
        node.symbol
        for node in walk(function.body)
        if isinstance(node, Declaration) and node.symbol.linkage == "none"
    ]
    if not found:
        return None
    symbol = random.choice(found)
    if symbol.name.endswith("_renamed"):
        return None
    renamed = replace(symbol, name=f"{symbol.name}_renamed")

    def changed(node: Any) -> Any:
        inner = rebuilt(node, changed)
        if isinstance(inner, Name | Declaration) and inner.symbol is symbol:
            return replace(inner, symbol=renamed)
        return inner

    result: Compound = changed(function.body)
    return result


def widen_local(function: FunctionDefinition, random: Random) -> Compound | None:
    """``int x`` becomes ``long x``: the text is parsed again, so types of uses follow."""
    from csg.language.types import LONG

    found = [
        node.symbol
        for node in walk(function.body)
        if isinstance(node, Declaration)
        and node.symbol.type == INT
        and not node.symbol.address_taken
        and node.symbol.storage == "automatic"
    ]
    if not found:
        return None
    symbol = random.choice(found)
    widened = replace(symbol, type=LONG)

    def changed(node: Any) -> Any:
        inner = rebuilt(node, changed)
        if isinstance(inner, Name | Declaration) and inner.symbol is symbol:
            return replace(inner, symbol=widened)
        return inner

    result: Compound = changed(function.body)
    return result


KINDS = (
    swap_operator,
    change_constant,
    change_condition,
    delete_statement,
    duplicate_statement,
    wrap_statement,
    free_statement,
    insert_return,
    swap_statements,
    rename_local,
    widen_local,
)
