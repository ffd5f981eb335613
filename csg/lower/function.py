"""Lower one function: which rule treats which construct.

int twice(int x) { return x + x; }     ->   parameters, body, one exit block that returns
"""

from __future__ import annotations

from typing import assert_never

from csg.ir import Block, Value
from csg.language import syntax as c
from csg.lower import (
    arithmetic,
    assignments,
    calls,
    conditions,
    expressions,
    initializers,
    intrinsics,
    jumps,
    lifetimes,
    lvalues,
    statements,
    static_data,
    versions,
)
from csg.lower.context import LabelEntry, Lowering
from csg.lower.places import Place, read


class FunctionLowering(Lowering):
    """The table of contents of the rules; no logic here."""

    def value(self, expression: c.Expression) -> Value:
        match expression:
            case c.IntegerConstant() | c.EnumeratorName():
                return expressions.integer(expression.value, expression.type)
            case c.Name():
                return lvalues.name_value(self, expression)
            case c.Binary():
                return arithmetic.binary(self, expression)
            case c.Call():
                return calls.call(self, expression)
            case c.Index() | c.Member() | c.Dereference():
                return read(self.builder, self.place(expression))
            case c.Assign():
                return assignments.assign(self, expression)
            case c.CompoundAssign():
                return assignments.compound_assign(self, expression)
            case c.Increment():
                return assignments.increment(self, expression, used=True)
            case c.Unary():
                return arithmetic.unary(self, expression)
            case c.Cast():
                return expressions.cast(self, expression)
            case c.AddressOf():
                return lvalues.address_of(self, expression)
            case c.Change():
                return versions.change(self, expression)
            case c.Logical():
                return conditions.logical_value(self, expression)
            case c.Conditional():
                return conditions.conditional(self, expression)
            case c.StringLiteral():
                return self.builder.global_address(self.objects.string(expression))
            case c.FloatingConstant():
                return expressions.floating(expression)
            case c.SizeOf():
                return expressions.size(self, expression)
            case c.Comma():
                self.discard(expression.left)
                return self.value(expression.right)
            case c.CompoundLiteral():
                return read(self.builder, self.place(expression))
            case c.StatementExpression():
                return statements.statement_expression(self, expression)
            case c.VaArg():
                return intrinsics.va_argument(self, expression)
            case c.Builtin():
                return intrinsics.builtin(self, expression)
            case _:
                assert_never(expression)

    def discard(self, expression: c.Expression) -> None:
        match expression:
            case c.Call():
                calls.call(self, expression, used=False)
            case c.Increment():
                assignments.increment(self, expression, used=False)
            case c.Cast():
                self.discard(expression.operand)
            case c.Comma():
                self.discard(expression.left)
                self.discard(expression.right)
            case c.Conditional():
                conditions.discard_conditional(self, expression)
            case c.Logical():
                conditions.discard_logical(self, expression)
            case c.Change():
                versions.discard_change(self, expression)
            case c.StatementExpression():
                statements.discard_statement_expression(self, expression)
            case c.Name() | c.IntegerConstant() | c.StringLiteral():
                pass
            case _:
                self.value(expression)

    def condition(self, expression: c.Expression) -> Value:
        return conditions.condition(self, expression)

    def branch(self, expression: c.Expression, then: Block, otherwise: Block) -> None:
        conditions.branch(self, expression, then, otherwise)

    def place(self, expression: c.Expression) -> Place:
        return lvalues.place(self, expression)

    def define_static(self, symbol: c.Symbol, initializer: c.Initializer | None) -> None:
        labels: list[LabelEntry] = []
        static_data.define(FunctionLowering, self.objects, symbol, initializer, self.name, labels)
        jumps.note_labels(self, labels)

    def statement(self, statement: c.Statement) -> None:
        match statement:
            case c.ExpressionStatement():
                statements.expression_statement(self, statement)
            case c.Compound():
                lifetimes.enter(self)
                for item in statement.items:
                    self.statement(item)
                lifetimes.leave(self)
            case c.Declaration():
                initializers.declaration(self, statement)
            case c.If():
                statements.if_statement(self, statement)
            case c.While():
                statements.while_statement(self, statement)
            case c.DoWhile():
                statements.do_statement(self, statement)
            case c.For():
                statements.for_statement(self, statement)
            case c.Switch():
                statements.switch(self, statement)
            case c.Case():
                statements.case_label(self, statement)
            case c.Label():
                jumps.label(self, statement)
            case c.Goto():
                jumps.goto(self, statement)
            case c.ComputedGoto():
                jumps.computed_goto(self, statement)
            case c.Break():
                jumps.break_statement(self, statement)
            case c.Continue():
                jumps.continue_statement(self, statement)
            case c.Return():
                jumps.return_statement(self, statement)
            case c.Empty():
                pass
            case c.Assembly():
                statements.assembly(self, statement)
            case c.Execute():
                versions.execute(self, statement)
            case _:
                assert_never(statement)
