"""Expressions as parsed become typed expressions.

a && b && c      Logical("&&", (a, b, c)) of type int
p->x[1]          Index(Member(p, x, arrow), 1)
sizeof x         SizeOf(type of x, x, 4)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from csg.frontend import builtins, calls, constants, lengths, operators
from csg.frontend.calls import literal, union_of
from csg.frontend.context import Context, Enumerator, Typedef, decay, mismatch, refuse, unsupported
from csg.frontend.parser import Node, kind
from csg.language.syntax import (
    Assign,
    Builtin,
    Cast,
    Comma,
    CompoundAssign,
    EnumeratorName,
    Expression,
    ExpressionStatement,
    Increment,
    InitializerList,
    IntegerConstant,
    Name,
    SizeOf,
    StatementExpression,
    StringLiteral,
    Symbol,
    value_type,
)
from csg.language.types import (
    CHAR,
    INT,
    SIZE,
    VOID,
    Array,
    Floating,
    Pointer,
    Record,
    RecordKind,
    Type,
    Void,
    alignment_of,
    is_arithmetic,
    is_integer,
    is_scalar,
    size_of,
)

_OWN_NAME = frozenset({"__func__", "__FUNCTION__", "__PRETTY_FUNCTION__"})


def expression(context: Context, node: Node) -> Expression:
    """``node`` typed, neither decayed nor promoted."""
    rule = _RULES.get(kind(node))
    if rule is None:
        raise unsupported(node, f"an expression of the kind {kind(node)}")
    return rule(context, node)


# --------------------------------------------------------------------------- primary expressions


def _constant(context: Context, node: Node) -> Expression:
    text = node.value
    if node.type == "bool":
        return IntegerConstant(int(text == "true"), INT, text, node.coord)
    if node.type == "nullptr_t":
        return Cast(IntegerConstant(0, INT, "0", node.coord), Pointer(VOID), node.coord)
    if text.endswith('"'):
        return constants.string(text, node.coord)
    if text.endswith("'"):
        return constants.character(text, node.coord)
    if node.type == "double":
        return constants.floating(text, node.coord)
    return constants.integer(text, node.coord)


def _name(context: Context, node: Node) -> Expression:
    match context.scopes.lookup(node.name):
        case Symbol() as symbol:
            if symbol in context.without_value:
                raise unsupported(node, f"the initialiser of '{symbol.name}'")
            return Name(symbol, symbol.type, node.coord)
        case Enumerator(name=own, value=value, type=enumerated):
            return EnumeratorName(own, value, enumerated, node.coord)
        case Typedef():
            raise refuse(node, f"'{node.name}' is a type, not a value")
        case _:
            pass
    if node.name in _OWN_NAME and context.function is not None:
        name = context.function.name.encode("utf-8", "surrogateescape")
        return StringLiteral(name, Array(CHAR, len(name) + 1), location=node.coord)
    if (builtin := builtins.library_function(context, node.name, node.coord)) is not None:
        return Name(builtin, builtin.type, node.coord)
    hint = "declare it, or include the header that does" if node.name.islower() else ""
    raise refuse(node, f"'{node.name}' is not declared", hint)


def _generic(context: Context, node: Node) -> Expression:
    """``_Generic``: the association whose type is that of the controlling value."""
    selector = value_type(context.value(node.expr))
    default = None
    for association in node.associations:
        if association.type is None:
            default = association.expr
        elif operators.compatible(context.type_name(association.type).type, selector):
            return context.expression(association.expr)
    if default is None:
        text = f"no association of _Generic fits {operators.type_in_words(selector)}"
        raise refuse(node, text)
    return context.expression(default)


def _statement_expression(context: Context, node: Node) -> Expression:
    body = context.block(node.body)
    last = body.items[-1] if body.items else None
    if isinstance(last, ExpressionStatement):
        value = decay(last.expression)
        body = type(body)(
            (*body.items[:-1], ExpressionStatement(value, last.location)), body.location, body.end
        )
        return StatementExpression(body, value.type, node.coord)
    return StatementExpression(body, VOID, node.coord)


def _compound_literal(context: Context, node: Node) -> Expression:
    with lengths.evaluating(context) as evaluated:
        found = context.type_name(node.type)
    with lengths.evaluated_elsewhere(context):
        initializer, complete = context.initializer(node.init, found.type)
    assert not isinstance(initializer, InitializerList) or initializer.type == complete
    made = literal(context, replace(found, type=complete), initializer, node.coord)
    return lengths.after(evaluated, made)


# --------------------------------------------------------------------------- operators


def _member(context: Context, node: Node) -> Expression:
    arrow = node.type == "->"
    record = context.value(node.name) if arrow else context.expression(node.name)
    if arrow and isinstance(record.type, Record):
        raise refuse(node, f"'->{node.field.name}' needs a pointer; this is a {record.type}")
    return operators.member(record, node.field.name, arrow, node.coord)


def _index(context: Context, node: Node) -> Expression:
    base, subscript = context.value(node.name), context.value(node.subscript)
    return operators.index(base, subscript, node.coord)


def _unary(context: Context, node: Node) -> Expression:
    rule = _UNARY.get(node.op)
    if rule is not None:
        return rule(context, node)
    if node.op in ("__real__", "__imag__"):
        raise unsupported(node, "a complex number")
    return operators.unary(node.op, context.value(node.expr), node.coord)


def _address(context: Context, node: Node) -> Expression:
    return operators.take_address(context.expression(node.expr), node.coord)


def _dereference(context: Context, node: Node) -> Expression:
    return operators.dereference(context.value(node.expr), node.coord)


def _increment(context: Context, node: Node) -> Expression:
    target = _modifiable(context, node.expr)
    if not is_scalar(target.type):
        raise refuse(node, f"'{node.op[-2:]}' needs a number or a pointer")
    prefix = not node.op.startswith("p")
    return Increment(node.op[-2:], prefix, target, target.type, node.coord)


def _size(context: Context, node: Node) -> Expression:
    """``sizeof`` and ``_Alignof`` of a type or an expression."""
    operand, asked = None, 0
    evaluated: list[Expression] = []
    if kind(node.expr) == "Typename":
        with lengths.evaluating(context) as evaluated:
            named = context.type_name(node.expr)
        measured, asked = named.type, named.alignment
    else:
        operand = context.expression(node.expr)
        measured = operand.type
        if isinstance(operand, Name):
            asked = operand.symbol.alignment
    if isinstance(measured, Record) and measured.fields is None:
        raise refuse(node, f"'{node.op}' of the incomplete type '{measured}'")
    if node.op == "_Alignof" and asked:  # by a typedef or an object: the type does not tell
        return IntegerConstant(asked, SIZE, location=node.coord)
    size = alignment_of(measured) if node.op == "_Alignof" else _known_size(measured)
    made = SizeOf(measured, operand, size, SIZE, node.op, node.coord)
    return lengths.after(evaluated, made) if size is None else made


def _known_size(kind_: Type) -> int | None:
    inner = kind_
    while isinstance(inner, Array):
        if inner.length is not None and not isinstance(inner.length, int):
            return None
        inner = inner.element
    return size_of(kind_)


def _label_address(context: Context, node: Node) -> Expression:
    """``&&label``, represented as a builtin."""
    context.jumps.go(node.expr.name, node.coord)
    name = node.expr.name.encode()
    label = StringLiteral(name, Pointer(CHAR), location=node.coord)
    return Builtin("label_address", (label,), Pointer(VOID), node.coord)


def _binary(context: Context, node: Node) -> Expression:
    """A binary expression. A chain of operators is nested in its left operand and can be long, so
    the left operands are translated in a loop."""
    spine = []
    while kind(node) == "BinaryOp" and node.op not in ("&&", "||"):
        spine.append(node)
        node = node.left
    left = context.value(node)
    for operation in reversed(spine):
        right = context.value(operation.right)
        left = operators.binary(operation.op, left, right, operation.coord)
    return left


def _binary_or_logical(context: Context, node: Node) -> Expression:
    return _logical(context, node) if node.op in ("&&", "||") else _binary(context, node)


def _logical(context: Context, node: Node) -> Expression:
    """``a && b && c`` is one node with three operands; ``a && (b && c)`` means the same."""
    operator, place = node.op, node.coord
    waiting, operands = [node], []
    while waiting:
        part = waiting.pop()
        if kind(part) == "BinaryOp" and part.op == operator:
            waiting += [part.right, part.left]
        else:
            operands.append(context.value(part))
    return operators.logical(operator, operands, place)


def _conditional(context: Context, node: Node) -> Expression:
    test = context.value(node.cond)
    then = None if node.iftrue is None else context.value(node.iftrue)
    return operators.conditional(test, then, context.value(node.iffalse), node.coord)


def _comma(context: Context, node: Node) -> Expression:
    first, *rest = node.exprs
    result = context.value(first)
    for part in rest:
        right = context.value(part)
        result = Comma(result, right, right.type, node.coord)
    return result


def _cast(context: Context, node: Node) -> Expression:
    with lengths.evaluating(context) as evaluated:
        target = context.type_name(node.to_type).type
    return lengths.after(evaluated, _cast_to(context, node, target))


def _cast_to(context: Context, node: Node, target: Type) -> Expression:
    operand = context.value(node.expr)
    if isinstance(target, Record) and target is not operand.type:
        for field in target.fields or ():
            if target.kind is RecordKind.UNION and field.name and field.type == operand.type:
                return union_of(context, target, field, operand, node.coord)
    if isinstance(target, Record) and isinstance(operand.type, Record) and target is operand.type:
        return operand
    castable = is_scalar(target) and is_scalar(operand.type)
    if {type(target), type(operand.type)} == {Pointer, Floating}:
        castable = False
    if not isinstance(target, Void) and not castable:
        given, wanted = map(operators.type_in_words, (operand.type, target))
        raise refuse(node, f"a cast from {given} to {wanted}")
    return Cast(operand, target, node.coord)


# --------------------------------------------------------------------------- assignment


def _assignment(context: Context, node: Node) -> Expression:
    target = _modifiable(context, node.lvalue)
    value = context.value(node.rvalue)
    operator = node.op[:-1]
    if not operator:
        check_assignable(target.type, value)
        return Assign(target, value, target.type, node.coord)
    done_in = operators.binary(operator, target, value, node.coord).type
    return CompoundAssign(operator, target, value, done_in, target.type, node.coord)


def _modifiable(context: Context, node: Node) -> Expression:
    target = context.expression(node)
    if not operators.is_assignable(target):
        raise refuse(node, "this is no object that can be assigned to")
    return target


def check_assignable(target: Type, value: Expression) -> None:
    """Raise a ParseError for an assignment without a meaning in C: a structure to a number or to
    another structure, a void value."""
    given = value.type
    fits = is_scalar(target) and is_scalar(given)
    if isinstance(target, Pointer) and not isinstance(given, Pointer):
        fits = is_integer(given)
    if isinstance(given, Pointer) and is_arithmetic(target):
        fits = is_integer(target)
    if not fits and target != given:
        names = operators.type_in_words(given), operators.type_in_words(target)
        text = f"a value of type {names[0]} where {names[1]} is needed"
        raise mismatch(text, value.location, target, given)


def _function_call(context: Context, node: Node) -> Expression:
    return calls.call(context, node)


_UNARY: dict[str, Callable[[Context, Node], Expression]] = {
    "&": _address,
    "*": _dereference,
    "++": _increment,
    "--": _increment,
    "p++": _increment,
    "p--": _increment,
    "sizeof": _size,
    "_Alignof": _size,
    "&&": _label_address,
}
_RULES: dict[str, Callable[[Context, Node], Expression]] = {
    "Constant": _constant,
    "ID": _name,
    "GenericSelection": _generic,
    "StatementExpression": _statement_expression,
    "CompoundLiteral": _compound_literal,
    "StructRef": _member,
    "ArrayRef": _index,
    "UnaryOp": _unary,
    "BinaryOp": _binary_or_logical,
    "TernaryOp": _conditional,
    "ExprList": _comma,
    "Cast": _cast,
    "Assignment": _assignment,
    "FuncCall": _function_call,
}
