"""Edits of an expression or of a single statement.

y = x + 1;   ->   y = x - 1;   |   y = x + 2;   |   if (x > 3) { y = x + 1; }   |   (nothing)
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

from csg.language.syntax import (
    Assign,
    Binary,
    Call,
    Cast,
    Compound,
    CompoundAssign,
    Conditional,
    Declaration,
    Empty,
    Expression,
    ExpressionStatement,
    FunctionDefinition,
    If,
    Increment,
    IntegerConstant,
    Return,
    Statement,
    While,
)
from csg.language.traversal import walk
from csg.language.types import (
    BOOL,
    CHAR,
    INT,
    LONG,
    SCHAR,
    SHORT,
    UCHAR,
    UINT,
    ULONG,
    USHORT,
    Integer,
)
from tests.csg.unify.mutating.places import (
    blocks,
    comparison,
    conjunction,
    constant,
    has_label,
    in_list,
    integers,
    jumps,
    movable,
    nodes,
    pick,
    replaced,
    returns,
    spliced,
)

SWAPS = {
    "+": "-", "-": "+", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
    "&": "|", "|": "&", "*": "+",
}  # fmt: skip


def swap_operator(function: FunctionDefinition, random: Random) -> Compound | None:
    found = [
        node
        for node in nodes(function, Binary)
        if node.operator in SWAPS
        and isinstance(node.type, Integer)
        and isinstance(node.left.type, Integer)
        and isinstance(node.right.type, Integer)
    ]
    node = pick(found, random)
    return node and replaced(function.body, node, replace(node, operator=SWAPS[node.operator]))


def swap_operands(function: FunctionDefinition, random: Random) -> Compound | None:
    found = [node for node in nodes(function, Binary) if isinstance(node.type, Integer)]
    node = pick(found, random)
    return node and replaced(function.body, node, replace(node, left=node.right, right=node.left))


def change_constant(function: FunctionDefinition, random: Random) -> Compound | None:
    found = [node for node in nodes(function, IntegerConstant) if 0 < node.value < 100]
    node = pick(found, random)
    if node is None:
        return None
    value = IntegerConstant(node.value + random.choice((1, 2, -1)), node.type)
    return replaced(function.body, node, value)


def change_condition(function: FunctionDefinition, random: Random) -> Compound | None:
    """A clause added to a condition, in front or behind."""
    names = integers(function)
    node = pick(nodes(function, If, While), random)
    if node is None or not names:
        return None
    operands = [node.condition, comparison(names, random)]
    random.shuffle(operands)
    condition = conjunction(random.choice(("&&", "||")), operands)
    return replaced(function.body, node, replace(node, condition=condition))


INTEGERS = (BOOL, CHAR, SCHAR, UCHAR, SHORT, USHORT, INT, UINT, LONG, ULONG)


def cast_operand(function: FunctionDefinition, random: Random) -> Compound | None:
    """An operand, an argument or what is assigned is converted before it is used."""
    node = pick(_operands(function), random)
    return node and replaced(function.body, node, Cast(node, random.choice(INTEGERS)))


def other_operand(function: FunctionDefinition, random: Random) -> Compound | None:
    """An operand becomes another one, which may have another type."""
    found = _operands(function)
    node, other = pick(found, random), pick(found, random)
    if node is None or other is node:
        return None
    return replaced(function.body, node, other)


def _operands(function: FunctionDefinition) -> list[Expression]:
    """What has a number's value in expressions."""
    sides: list[Expression] = []
    for node in nodes(function, Binary, Call, Assign, CompoundAssign, Conditional, Return):
        match node:
            case Binary(left=left, right=right):
                sides += [left, right]
            case Call(arguments=arguments):
                sides += arguments
            case Assign(value=value) | CompoundAssign(value=value) | Return(value=value):
                sides += [value] if value is not None else []
            case Conditional(then=then, otherwise=otherwise):
                sides += [otherwise] if then is None else [then, otherwise]
    return [each for each in sides if isinstance(each.type, Integer)]


def longer_assignment(function: FunctionDefinition, random: Random) -> Compound | None:
    """``x += e`` and ``x++`` written out."""
    node = pick(nodes(function, CompoundAssign, Increment), random)
    if node is None:
        return None
    if isinstance(node, Increment):
        if not isinstance(node.type, Integer):
            return None
        value = CompoundAssign(node.operator[0], node.operand, constant(2), INT, node.type)
        return replaced(function.body, node, value)
    kind = node.operation_type
    return replaced(
        function.body,
        node,
        Assign(node.target, Binary(node.operator, node.target, node.value, kind), node.type),
    )


def delete_statement(function: FunctionDefinition, random: Random) -> Compound | None:
    return in_list(
        function, random, lambda s: isinstance(s, ExpressionStatement | If), lambda s: [Empty()]
    )


def duplicate_statement(function: FunctionDefinition, random: Random) -> Compound | None:
    return in_list(function, random, lambda s: isinstance(s, ExpressionStatement), lambda s: [s, s])


def wrap_statement(function: FunctionDefinition, random: Random) -> Compound | None:
    names = integers(function)
    if not names:
        return None
    condition = comparison(names, random)
    return in_list(function, random, _plain, lambda s: [If(condition, Compound((s,)), None)])


def wrap_run(function: FunctionDefinition, random: Random) -> Compound | None:
    """Two or more statements, declarations too when nobody behind needs them."""
    names = integers(function)
    places = [
        (block, start, end)
        for block in blocks(function)
        for start in range(len(block.items))
        for end in range(start + 2, min(start + 5, len(block.items) + 1))
        if not any(has_label(item) for item in block.items[start:end])
        and not any(
            isinstance(node, Return) for item in block.items[start:end] for node in walk(item)
        )
    ]
    place = pick(places, random)
    if place is None or not names:
        return None
    block, start, end = place
    inside = Compound(block.items[start:end])
    return spliced(function, block, start, end, [If(comparison(names, random), inside, None)])


def free_statement(function: FunctionDefinition, random: Random) -> Compound | None:
    return in_list(
        function,
        random,
        lambda s: isinstance(s, If) and all(map(movable, s.then.items)),
        lambda s: list(s.then.items),
    )


def insert_return(function: FunctionDefinition, random: Random) -> Compound | None:
    names = integers(function)
    if not names or returns(function) != INT:
        return None
    leaving = Return(constant(random.randrange(5)))
    guard = If(comparison(names, random), Compound((leaving,)), None)
    return in_list(function, random, _plain, lambda s: [guard, s])


def swap_statements(function: FunctionDefinition, random: Random) -> Compound | None:
    places = [
        (block, at)
        for block in blocks(function)
        for at in range(len(block.items) - 1)
        if all(isinstance(each, ExpressionStatement) for each in block.items[at : at + 2])
    ]
    place = pick(places, random)
    if place is None:
        return None
    block, at = place
    return spliced(function, block, at, at + 2, [block.items[at + 1], block.items[at]])


def move_statement(function: FunctionDefinition, random: Random) -> Compound | None:
    """Anywhere else in its block."""
    places = [
        (block, at)
        for block in blocks(function)
        for at, item in enumerate(block.items)
        if _plain(item) and len(block.items) > 2 and not jumps(item) and not has_label(item)
    ]
    place = pick(places, random)
    if place is None:
        return None
    block, at = place
    rest: list[Statement] = [*block.items[:at], *block.items[at + 1 :]]
    to = random.randrange(len(rest) + 1)
    first = next((i for i, item in enumerate(rest) if not isinstance(item, Declaration)), len(rest))
    rest.insert(max(to, first), block.items[at])
    return spliced(function, block, 0, len(block.items), rest)


def _plain(item: Statement) -> bool:
    return isinstance(item, ExpressionStatement | If | While)


SMALL = (
    swap_operator,
    swap_operands,
    change_constant,
    change_condition,
    cast_operand,
    other_operand,
    longer_assignment,
    delete_statement,
    duplicate_statement,
    wrap_statement,
    wrap_run,
    free_statement,
    insert_return,
    swap_statements,
    move_statement,
)
