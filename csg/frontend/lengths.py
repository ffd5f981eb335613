"""Lengths of arrays that have side effects become variables, which are written where C evaluates
the type (C17 6.7.6.2p5, 6.9.1p10).

    int a[n++];                     c = n++;  int a[c];
    typedef int T[n];               c = n;                    T is int[c], whatever becomes of n
    sizeof(int[n++])                (c = n++, sizeof(int[c]))
    (int (*)[n++]) p                (c = n++, (int (*)[c]) p)
    typeof(a[i++]) b;               a[i++];  int b[..];       the type of an element of a
    int f(int n, int a[n++]) { }    { c = n++; }

gcc evaluates the element of a parameter first, and no outermost length in a K&R definition.
Prototypes, ``_Alignof``, ``_Generic`` and sizes of pointers evaluate nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from csg.frontend.context import Context, Lengths
from csg.language.syntax import (
    LENGTH_NAME,
    Assign,
    Cast,
    Comma,
    Compound,
    Declaration,
    Expression,
    ExpressionStatement,
    Name,
    Statement,
    Symbol,
)
from csg.language.traversal import has_effects
from csg.language.types import SIZE


@contextmanager
def evaluating(context: Context, every: bool = False) -> Iterator[list[Expression]]:
    """Collect what the types that are met meanwhile evaluate. ``every``: each length that is no
    constant becomes a variable, whether it has side effects or not."""
    found = Lengths(every)
    outer, context.lengths = context.lengths, found
    try:
        yield found.evaluated
    finally:
        context.lengths = outer


@contextmanager
def evaluated_elsewhere(context: Context) -> Iterator[None]:
    """An expression evaluates the types in it itself, the start of a function those of its
    parameters."""
    outer, context.lengths = context.lengths, None
    try:
        yield
    finally:
        context.lengths = outer


def evaluated_once(context: Context, length: Expression) -> Expression:
    """The length to use in a type: a variable, where it must not be evaluated again."""
    lengths = context.lengths
    if lengths is None or not (lengths.every or has_effects(length)):
        return length
    context.length_variables.append(
        Symbol(f"{LENGTH_NAME}{len(context.length_variables)}", SIZE, length.location, defined=True)
    )
    name = Name(context.length_variables[-1], SIZE, length.location)
    written = Cast(length, SIZE, length.location)
    lengths.evaluated.append(Assign(name, written, SIZE, length.location))
    return name


def evaluate(context: Context, expression: Expression) -> None:
    """Note that the type which is met evaluates an expression (C17 6.7.2.4)."""
    if context.lengths is not None and has_effects(expression):
        context.lengths.evaluated.append(expression)


def as_statements(evaluated: Sequence[Expression]) -> list[Statement]:
    """What is evaluated before a declaration."""
    return [ExpressionStatement(each, each.location) for each in evaluated]


def after(evaluated: Sequence[Expression], value: Expression) -> Expression:
    """A value, with what is evaluated before it."""
    for each in reversed(evaluated):
        value = Comma(each, value, value.type, value.location)
    return value


def with_lengths(context: Context, evaluated: Sequence[Expression], body: Compound) -> Compound:
    """The body of a function with its variables for lengths, and what its parameters evaluate."""
    declared = [
        Declaration(each, None, location=each.location) for each in context.length_variables
    ]
    return replace(body, items=(*declared, *as_statements(evaluated), *body.items))
