"""Statements become their normal form: bodies are blocks, labels and cases stand on their own.

case 1: case 2: x++;             Case 1, Case 2, ExpressionStatement
if (c) f(); else return;         If(c, Compound(f()), Compound(return))
if (execute(OLD)) { a(); }       Execute(OLD, Compound(a()))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from csg.errors import CsgtestError
from csg.frontend import declarations, operators
from csg.frontend.context import Context, place, refuse
from csg.frontend.expressions import check_assignable
from csg.frontend.parser import Node, kind
from csg.language.syntax import (
    Assembly,
    Break,
    Case,
    Compound,
    ComputedGoto,
    Continue,
    DoWhile,
    Empty,
    Execute,
    Expression,
    ExpressionStatement,
    For,
    Goto,
    If,
    Label,
    Return,
    Statement,
    Switch,
    Unsupported,
    Version,
    While,
    operand_type,
)
from csg.language.types import Function, Void, is_integer, promoted

Rule = Callable[[Context, Node], list[Statement]]


def statements(context: Context, node: Node) -> list[Statement]:
    """The statements that one item of a block stands for."""
    rule = _RULES.get(kind(node))
    if rule is not None:
        return rule(context, node)
    return [ExpressionStatement(context.expression(node), place(node))]  # in the head of a for


def block(context: Context, node: Node) -> Compound:
    """A statement as a block with a scope of its own. A block in braces of which something is not
    supported is not supported as a whole, unless a jump may enter it."""
    depth = len(context.scopes.stack)
    context.scopes.enter()
    try:
        made = items(context, node)
    except CsgtestError as error:
        if kind(node) != "Compound" or context.has_labels(node.span):
            raise
        reason = context.unsupported_reason(error)
        del context.scopes.stack[depth:]
        place_ = error.location or node.coord
        return Compound((Unsupported(context.source(node.span), reason, place_),), place_, node.end)
    context.scopes.leave()
    return made


def items(context: Context, node: Node) -> Compound:
    """A statement as a block in the present scope."""
    if kind(node) != "Compound":
        made = statements(context, node)
        if len(made) == 1 and isinstance(made[0], Empty):
            made = []
        return Compound(tuple(made), place(node), place(node))
    found: list[Statement] = []
    for item in node.block_items or ():
        found += statements(context, item)
    return Compound(tuple(found), place(node), getattr(node, "end", place(node)))


# --------------------------------------------------------------------------- choices and loops


def _if(context: Context, node: Node) -> list[Statement]:
    if (version := _executed(context, node.cond)) is not None:
        return _execute(context, node, version)
    condition = operators.condition(context.value(node.cond))
    then = block(context, node.iftrue)
    otherwise = block(context, node.iffalse) if node.iffalse is not None else None
    return [If(condition, then, otherwise, node.coord)]


def _executed(context: Context, node: Node) -> Version | None:
    """The version of ``execute(OLD)`` or ``execute(NEW)`` written by hand; of ``execute_(3, NEW)``
    with its number."""
    if kind(node) != "FuncCall" or kind(node.name) != "ID":
        return None
    if node.name.name not in ("execute", "execute_"):
        return None
    meaning = context.scopes.lookup(node.name.name)
    arguments = node.args.exprs if node.args is not None else []
    names = [part.name for part in arguments if kind(part) == "ID"]
    if getattr(meaning, "defined", False) or names not in (["OLD"], ["NEW"]):
        return None
    return Version(names[0])


def _execute(context: Context, node: Node, version: Version) -> list[Statement]:
    number = context.numbers.changes + 1
    if node.cond.name.name == "execute_":
        number = context.constant(node.cond.args.exprs[0], "the number of a change")
    context.numbers.changes = max(context.numbers.changes, number)
    made: list[Statement] = [Execute(version, block(context, node.iftrue), number, node.coord)]
    if node.iffalse is not None:
        other = block(context, node.iffalse)
        made.append(Execute(version.other, other, number, other.location))
    return made


def _while(context: Context, node: Node) -> list[Statement]:
    condition = operators.condition(context.value(node.cond))
    with context.jumps.loop():
        return [While(condition, block(context, node.stmt), node.coord)]


def _do_while(context: Context, node: Node) -> list[Statement]:
    with context.jumps.loop():
        body = block(context, node.stmt)
    return [DoWhile(body, operators.condition(context.value(node.cond)), node.coord)]


def _for(context: Context, node: Node) -> list[Statement]:
    context.scopes.enter()
    start: list[Statement] = []
    if node.init is not None:
        start = statements(context, node.init)
    condition = operators.condition(context.value(node.cond)) if node.cond is not None else None
    step = context.value(node.next) if node.next is not None else None
    with context.jumps.loop():
        body = block(context, node.stmt)
    context.scopes.leave()
    return [For(tuple(start), condition, step, body, node.coord)]


def _switch(context: Context, node: Node) -> list[Statement]:
    selector = context.value(node.cond)
    if not is_integer(selector.type):
        raise refuse(node, "switch needs an integer")
    selected = promoted(operand_type(selector))
    with context.jumps.switch():
        return [Switch(selector, selected, block(context, node.stmt), node.coord)]


# --------------------------------------------------------------------------- labels


def _case(context: Context, node: Node) -> list[Statement]:
    low = high = node.expr
    if kind(node.expr) == "BinaryOp" and node.expr.op == "...":
        low, high = node.expr.left, node.expr.right
    first = context.value(low)
    values = context.constant(low, "a case label"), context.constant(high, "a case label")
    context.jumps.case(values, node.coord)
    label = Case(values[0], values[1], _spelling(first), location=node.coord)
    return [label, *_labeled(context, node.stmts)]


def _spelling(value: Expression) -> str:
    """The source text of a case's value, as far as the tree still has it."""
    return getattr(value, "text", "") or getattr(value, "name", "")


def _default(context: Context, node: Node) -> list[Statement]:
    context.jumps.case(None, node.coord)
    return [Case(None, None, location=node.coord), *_labeled(context, node.stmts)]


def _label(context: Context, node: Node) -> list[Statement]:
    context.jumps.label(node.name, node.coord)
    return [Label(node.name, node.coord), *_labeled(context, [node.stmt])]


def _labeled(context: Context, nodes: Iterable[Node]) -> list[Statement]:
    """The statements behind a label; an empty statement is left out."""
    found = [made for node in nodes for made in statements(context, node)]
    return [] if len(found) == 1 and isinstance(found[0], Empty) else found


# --------------------------------------------------------------------------- jumps and the rest


def _goto(context: Context, node: Node) -> list[Statement]:
    if isinstance(node.name, str):
        context.jumps.go(node.name, node.coord)
        return [Goto(node.name, node.coord)]
    return [ComputedGoto(context.value(node.name), node.coord)]


def _break(context: Context, node: Node) -> list[Statement]:
    context.jumps.leave("break", node.coord)
    return [Break(node.coord)]


def _continue(context: Context, node: Node) -> list[Statement]:
    context.jumps.leave("continue", node.coord)
    return [Continue(node.coord)]


def _return(context: Context, node: Node) -> list[Statement]:
    value = context.value(node.expr) if node.expr is not None else None
    kind_ = context.function.type if context.function is not None else None
    if value is not None and isinstance(kind_, Function):
        if not isinstance(kind_.result, Void):
            check_assignable(kind_.result, value)
        elif not isinstance(value.type, Void):
            context.warn(node.coord, "a value is returned from a function of type void")
            return [ExpressionStatement(value, value.location), Return(None, node.coord)]
    return [Return(value, node.coord)]


def _compound(context: Context, node: Node) -> list[Statement]:
    return [block(context, node)]


def _empty(context: Context, node: Node) -> list[Statement]:
    return [Empty(place(node))]


def _pragma(context: Context, node: Node) -> list[Statement]:
    context.packing.follow(node.string)
    return []


def _assembly(context: Context, node: Node) -> list[Statement]:
    return [Assembly(node.text, node.coord)]


def _declarations(context: Context, node: Node) -> list[Statement]:
    """The declarations in the head of a for."""
    return [made for decl in node.decls for made in statements(context, decl)]


def _expression(context: Context, node: Node) -> list[Statement]:
    try:
        return [ExpressionStatement(context.expression(node.expr), node.coord)]
    except CsgtestError as error:
        reason = context.unsupported_reason(error)
    return [Unsupported(context.source(node.span), reason, node.coord)]


_RULES: dict[str, Rule] = {
    "If": _if,
    "While": _while,
    "DoWhile": _do_while,
    "For": _for,
    "Switch": _switch,
    "Case": _case,
    "Default": _default,
    "Label": _label,
    "Goto": _goto,
    "Break": _break,
    "Continue": _continue,
    "Return": _return,
    "Compound": _compound,
    "EmptyStatement": _empty,
    "Pragma": _pragma,
    "AttributeDeclaration": lambda context, node: [],
    "Assembly": _assembly,
    "DeclList": _declarations,
    "ExpressionStatement": _expression,
    "Decl": declarations.local,
    "Typedef": declarations.typedef,
    "StaticAssert": declarations.static_assertion,
}
