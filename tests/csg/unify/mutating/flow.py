"""Edits of how control flows: conditions split and merged, loops, switches and jumps rewritten.

if (a && b) S       ->   if (a) { if (b) S }
for (i; c; n) S     ->   { i; while (c) { S n; } }
while (c) S         ->   while (1) { if (!c) break; S }   |   if (c) do S while (c);
switch (e) {...}    ->   if (e == 1) ... else if ...
break;              ->   goto out;
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

from csg.language.syntax import (
    Binary,
    Break,
    Case,
    Compound,
    Continue,
    Declaration,
    DoWhile,
    Empty,
    Expression,
    ExpressionStatement,
    For,
    FunctionDefinition,
    Goto,
    If,
    Label,
    Logical,
    Name,
    Return,
    Statement,
    StatementExpression,
    Switch,
    Symbol,
    While,
)
from csg.language.traversal import walk
from csg.language.types import INT, Integer, Void, is_scalar
from tests.csg.unify.mutating.places import (
    LOOPS,
    blocks,
    conjunction,
    constant,
    has_label,
    in_list,
    inverted,
    leaves,
    mapped,
    movable,
    named,
    nodes,
    pick,
    replaced,
    returns,
    set_to,
    spliced,
)

# ------------------------------------------------------------------ conditions


def split_condition(function: FunctionDefinition, random: Random) -> Compound | None:
    found = [
        node
        for node in nodes(function, If)
        if isinstance(node.condition, Logical)
        and node.condition.operator == "&&"
        and node.otherwise is None
    ]
    node = pick(found, random)
    if node is None:
        return None
    first, *rest = node.condition.operands
    second: Expression = conjunction("&&", rest) if len(rest) > 1 else rest[0]
    inner = If(second, node.then, None)
    return replaced(function.body, node, If(first, Compound((inner,)), None))


def merge_conditions(function: FunctionDefinition, random: Random) -> Compound | None:
    found = [
        node
        for node in nodes(function, If)
        if node.otherwise is None
        and len(node.then.items) == 1
        and isinstance(node.then.items[0], If)
        and node.then.items[0].otherwise is None
    ]
    node = pick(found, random)
    if node is None:
        return None
    inner = node.then.items[0]
    both = conjunction("&&", [node.condition, inner.condition])
    return replaced(function.body, node, If(both, inner.then, None))


def drop_clause(function: FunctionDefinition, random: Random) -> Compound | None:
    node = pick(nodes(function, Logical), random)
    if node is None:
        return None
    operands = list(node.operands)
    del operands[random.randrange(len(operands))]
    left = conjunction(node.operator, operands) if len(operands) > 1 else operands[0]
    return replaced(function.body, node, left)


def swap_branches(function: FunctionDefinition, random: Random) -> Compound | None:
    found = [node for node in nodes(function, If) if node.otherwise is not None]
    node = pick(found, random)
    if node is None:
        return None
    turned = replace(
        node, condition=inverted(node.condition), then=node.otherwise, otherwise=node.then
    )
    return replaced(function.body, node, turned)


def rest_into_else(function: FunctionDefinition, random: Random) -> Compound | None:
    """``if (c) return 1; S`` -> ``if (c) return 1; else { S }``"""
    places = [
        (block, at)
        for block in blocks(function)
        for at, item in enumerate(block.items[:-1])
        if isinstance(item, If)
        and item.otherwise is None
        and item.then.items
        and isinstance(item.then.items[-1], Return | Break | Continue)
        and not any(map(has_label, block.items[at + 1 :]))
    ]
    place = pick(places, random)
    if place is None:
        return None
    block, at = place
    whole = replace(block.items[at], otherwise=Compound(block.items[at + 1 :]))
    return spliced(function, block, at, len(block.items), [whole])


# ------------------------------------------------------------------ loops


def for_to_while(function: FunctionDefinition, random: Random) -> Compound | None:
    found = [node for node in nodes(function, For) if not leaves(node.body, Continue)]
    node = pick(found, random)
    if node is None:
        return None
    step = (ExpressionStatement(node.step),) if node.step is not None else ()
    body = replace(node.body, items=(*_inner(node.body), *step))
    loop = While(node.condition or constant(1), body)
    return replaced(function.body, node, Compound((*node.start, loop)))


def _inner(body: Compound) -> tuple[Statement, ...]:
    declares = any(isinstance(item, Declaration) for item in body.items)
    return (body,) if declares else body.items


def while_to_for(function: FunctionDefinition, random: Random) -> Compound | None:
    node = pick(nodes(function, While), random)
    return node and replaced(function.body, node, For((), node.condition, None, node.body))


def while_to_endless(function: FunctionDefinition, random: Random) -> Compound | None:
    node = pick(nodes(function, While), random)
    if node is None:
        return None
    leave = If(inverted(node.condition), Compound((Break(),)), None)
    body = Compound((leave, *node.body.items))
    return replaced(function.body, node, While(constant(1), body))


def while_to_do(function: FunctionDefinition, random: Random) -> Compound | None:
    node = pick(nodes(function, While), random)
    if node is None:
        return None
    loop = DoWhile(node.body, node.condition)
    return replaced(function.body, node, If(node.condition, Compound((loop,)), None))


def count_down(function: FunctionDefinition, random: Random) -> Compound | None:
    """Another step or another first value of a counting loop."""
    found = [node for node in nodes(function, For) if node.step is not None and not node.start]
    node = pick(found or nodes(function, For), random)
    if node is None:
        return None
    if node.step is not None and random.random() < 0.5:
        moved = Compound((*_inner(node.body), ExpressionStatement(node.step)))
        if not leaves(node.body, Continue):
            return replaced(function.body, node, replace(node, step=None, body=moved))
    if node.start and all(isinstance(each, Declaration) for each in node.start):
        outer = Compound((*node.start, replace(node, start=())))
        return replaced(function.body, node, outer)
    return None


# ------------------------------------------------------------------ switches


def switch_to_chain(function: FunctionDefinition, random: Random) -> Compound | None:
    found = [node for node in nodes(function, Switch) if _groups(node) is not None]
    node = pick(found, random)
    if node is None:
        return None
    groups = _groups(node)
    assert groups is not None
    symbol = Symbol("selected", node.selector_type)
    rest: Compound | None = None
    for cases, items in groups:
        if any(case.low is None for case in cases):
            rest = Compound(items)
    for cases, items in reversed(groups):
        if all(case.low is not None for case in cases):
            tests = [
                Binary("==", named(symbol), constant(case.low, node.selector_type), INT)
                for case in cases
            ]
            tested = conjunction("||", list(tests)) if len(tests) > 1 else tests[0]
            rest = Compound((If(tested, Compound(items), rest),))
    whole = Compound((Declaration(symbol, node.selector), *(rest.items if rest else ())))
    return replaced(function.body, node, whole)


def _groups(node: Switch) -> list[tuple[list[Case], tuple[Statement, ...]]] | None:
    """Cases with what they run, when each ends with ``break`` or ``return``."""
    found: list[tuple[list[Case], list[Statement]]] = []
    fresh = False
    for item in node.body.items:
        if isinstance(item, Case):
            if item.low != item.high:
                return None
            if not fresh:
                found.append(([], []))
            found[-1][0].append(item)
            fresh = True
        elif not found or isinstance(item, Declaration | Label):
            return None
        else:
            found[-1][1].append(item)
            fresh = False
    groups = []
    for cases, items in found:
        if not items or not isinstance(items[-1], Break | Return):
            return None
        inside = items[:-1] if isinstance(items[-1], Break) else items
        if any(leaves(Compound((each,)), Break) or has_label(each) for each in inside):
            return None
        groups.append((cases, tuple(inside)))
    return groups


def chain_to_switch(function: FunctionDefinition, random: Random) -> Compound | None:
    found = [node for node in nodes(function, If) if len(_arms(node)) > 1]
    node = pick(found, random)
    if node is None:
        return None
    arms = _arms(node)
    subject = node.condition.left
    items: list[Statement] = []
    values: set[int] = set()
    last = arms[-1].otherwise
    for arm in arms:
        value = arm.condition.right.value
        if value in values:
            return None
        values.add(value)
        items.extend((Case(value, value), arm.then, Break()))
    if last is not None:
        items.extend((Case(None, None), last))
    if leaves(Compound(tuple(each for each in items if not isinstance(each, Break))), Break):
        return None
    items.append(Break())
    return replaced(function.body, node, Switch(subject, INT, Compound(tuple(items))))


def _arms(node: If) -> list[If]:
    """The arms of a chain that compares one variable with constants, as far as it does."""
    found: list[If] = []
    at: Statement | None = node
    while isinstance(at, If) and isinstance(at.condition, Binary) and at.condition.operator == "==":
        left, right = at.condition.left, at.condition.right
        subject = found[0].condition.left if found else left  # type: ignore[union-attr]
        same = isinstance(left, Name) and isinstance(subject, Name)
        if not same or left.symbol is not subject.symbol or left.symbol.type != INT:
            break
        if right.__class__.__name__ != "IntegerConstant":
            break
        found.append(at)
        rest = at.otherwise
        at = rest.items[0] if rest is not None and len(rest.items) == 1 else None
    return found


def add_case(function: FunctionDefinition, random: Random) -> Compound | None:
    node = pick(nodes(function, Switch), random)
    if node is None or not node.body.items:
        return None
    taken = {item.low for item in walk(node.body) if isinstance(item, Case)}
    value = next(each for each in range(random.randrange(5), 300) if each not in taken)
    at = random.randrange(len(node.body.items) + 1)
    added: tuple[Statement, ...] = (Case(value, value),)
    if random.random() < 0.5:
        added = (*added, Break())
    items = (*node.body.items[:at], *added, *node.body.items[at:])
    return replaced(function.body, node, replace(node, body=Compound(items)))


def remove_case(function: FunctionDefinition, random: Random) -> Compound | None:
    node = pick(nodes(function, Case), random)
    return node and replaced(function.body, node, Empty())


def reorder_cases(function: FunctionDefinition, random: Random) -> Compound | None:
    found = [node for node in nodes(function, Switch) if _groups(node) is not None]
    node = pick(found, random)
    if node is None:
        return None
    groups = _groups(node)
    assert groups is not None
    random.shuffle(groups)
    items = [
        each
        for cases, inside in groups
        for each in (*cases, *inside, *([] if _returns(inside) else [Break()]))
    ]
    return replaced(function.body, node, replace(node, body=Compound(tuple(items))))


def _returns(items: tuple[Statement, ...]) -> bool:
    return bool(items) and isinstance(items[-1], Return)


# ------------------------------------------------------------------ jumps


def break_to_goto(function: FunctionDefinition, random: Random) -> Compound | None:
    places = [
        (block, at)
        for block in blocks(function)
        for at, item in enumerate(block.items)
        if isinstance(item, LOOPS) and leaves(item.body, Break)
    ]
    place = pick(places, random)
    if place is None or _statement_expressions(function):
        return None
    block, at = place
    name = _free_label(function, "out")
    loop = block.items[at]
    for each in leaves(loop.body, Break):
        loop = replaced(loop, each, Goto(name))
    return spliced(function, block, at, at + 1, [loop, Label(name), Empty()])


def continue_to_goto(function: FunctionDefinition, random: Random) -> Compound | None:
    found = [node for node in nodes(function, *LOOPS) if leaves(node.body, Continue)]
    node = pick(found, random)
    if node is None or _statement_expressions(function):
        return None
    name = _free_label(function, "next")
    body = node.body
    for each in leaves(body, Continue):
        body = replaced(body, each, Goto(name))
    body = Compound((body, Label(name), Empty()))
    return replaced(function.body, node, replace(node, body=body))


def single_exit(function: FunctionDefinition, random: Random) -> Compound | None:
    """Every ``return E`` -> ``result = E; goto done``."""
    kind = returns(function)
    found = nodes(function, Return)
    if len(found) < 2 or _statement_expressions(function):
        return None
    if not isinstance(kind, Void) and not is_scalar(kind):
        return None
    name = _free_label(function, "done")
    symbol = Symbol("result_of_all", kind)

    def change(node: Statement) -> Statement:
        if not isinstance(node, Return):
            return node
        keep = [] if node.value is None else [set_to(symbol, node.value)]
        return Compound((*keep, Goto(name)))

    body = mapped(function.body, change)
    if isinstance(kind, Void):
        return Compound((*body.items, Label(name), Return(None)))
    first = Declaration(symbol, constant(0) if isinstance(kind, Integer) else None)
    return Compound((first, body, Label(name), Return(named(symbol))))


def rename_label(function: FunctionDefinition, random: Random) -> Compound | None:
    node = pick(nodes(function, Label), random)
    if node is None:
        return None
    name = _free_label(function, "place")

    def change(each: Statement) -> Statement:
        match each:
            case Label(name=known) if known == node.name:
                return replace(each, name=name)
            case Goto(label=known) if known == node.name:
                return replace(each, label=name)
            case _:
                return each

    return mapped(function.body, change)


def skip_by_goto(function: FunctionDefinition, random: Random) -> Compound | None:
    """``if (c) S`` -> ``if (!c) goto past; S past:``"""
    if _statement_expressions(function):
        return None
    name = _free_label(function, "past")
    return in_list(
        function,
        random,
        lambda s: isinstance(s, If) and s.otherwise is None and all(map(movable, s.then.items)),
        lambda s: [
            If(inverted(s.condition), Compound((Goto(name),)), None),
            *s.then.items,
            Label(name),
            Empty(),
        ],
    )


def _free_label(function: FunctionDefinition, name: str) -> str:
    taken = {node.name for node in nodes(function, Label)}
    while name in taken:
        name += "_"
    return name


def _statement_expressions(function: FunctionDefinition) -> bool:
    return bool(nodes(function, StatementExpression))


FLOW = (
    split_condition,
    merge_conditions,
    drop_clause,
    swap_branches,
    rest_into_else,
    for_to_while,
    while_to_for,
    while_to_endless,
    while_to_do,
    count_down,
    switch_to_chain,
    chain_to_switch,
    add_case,
    remove_case,
    reorder_cases,
    break_to_goto,
    continue_to_goto,
    single_exit,
    rename_label,
    skip_by_goto,
)
