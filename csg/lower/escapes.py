"""Does control leave a statement other than at its end?

{ x = 1; }                        no
{ if (x) return 1; }              yes
{ while (c) { break; } }          no: the break stays inside
{ puts("bad"); exit(1); }         yes
"""

from __future__ import annotations

from csg.language.syntax import (
    Break,
    Call,
    Compound,
    ComputedGoto,
    Continue,
    DoWhile,
    Execute,
    ExpressionStatement,
    For,
    Goto,
    If,
    Label,
    Return,
    Statement,
    Switch,
    While,
)
from csg.lower.calls import direct_callee, never_returns


def escapes(statement: Statement) -> bool:
    """Any way out: return, a goto to a label outside, break or continue of an outer loop, a call
    that does not return (as a statement of its own)."""
    labels: set[str] = set()
    gotos: list[str] = []
    leaves = _scan(statement, labels, gotos)
    return leaves or any(goal not in labels for goal in gotos)


def _scan(statement: Statement, labels: set[str], gotos: list[str]) -> bool:
    found = False
    pending = [(statement, False, False)]  # does a break, a continue stay inside?
    while pending:
        item, breaks_stay, continues_stay = pending.pop()
        match item:
            case Return() | ComputedGoto():
                found = True
            case Break():
                found |= not breaks_stay
            case Continue():
                found |= not continues_stay
            case Goto(label=name):
                gotos.append(name)
            case Label(name=name):
                labels.add(name)
            case ExpressionStatement(expression=Call(function=function)):
                callee = direct_callee(function)
                found |= callee is not None and never_returns(callee)
            case Compound(items=items):
                pending += [(inner, breaks_stay, continues_stay) for inner in items]
            case If(then=then, otherwise=otherwise):
                pending.append((then, breaks_stay, continues_stay))
                if otherwise is not None:
                    pending.append((otherwise, breaks_stay, continues_stay))
            case While(body=body) | DoWhile(body=body) | For(body=body):
                pending.append((body, True, True))
            case Switch(body=body):
                pending.append((body, True, continues_stay))
            case Execute(body=body):
                pending.append((body, breaks_stay, continues_stay))
            case _:
                pass
    return found


def is_escaping_if(statement: If) -> bool:
    """``if (c) { ... return; }`` without else, whose condition can guard by itself."""
    return statement.otherwise is None
