"""Say of every change what it is, why it stands as it does, and what it needs.

    1  modified, new.c:7 in f (was old.c:6)
         old  y = x - 1;
         new  y = x - 2;
         value  change(1, 2)
                '1' became '2'
         needs 3: it declares 'seen'

Where in the unified program it stands, its sites, comes first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeGuard, get_args

from csg.errors import Location
from csg.ir.program import ChangeKind
from csg.language.expression_text import ExpressionText, Notation
from csg.language.statement_text import StatementText
from csg.language.syntax import (
    Assign,
    Binary,
    Call,
    Case,
    Change,
    Compound,
    CompoundAssign,
    Declaration,
    Dereference,
    DoWhile,
    Execute,
    Expression,
    For,
    FunctionDefinition,
    If,
    Increment,
    Index,
    IntegerConstant,
    Logical,
    Member,
    Statement,
    StatementExpression,
    Switch,
    Version,
    While,
    converted_type,
)
from csg.language.traversal import Tree, children, half_of, parts_of_one, walk
from csg.language.types import Type, is_arithmetic
from csg.records import record
from csg.unify.changes.changed_statements import runs_nothing
from csg.unify.changes.numbering import requirements
from csg.unify.changes.textual import NO_FLAGS, unseen_edits
from csg.unify.matching.normal import is_neutral, plain_assignment, reached_by
from csg.unify.merging.regions import escapes
from csg.unify.unified import ChangeRecord, Unified

# -------------------------------------------------------------------------------------------- sites
# Where a change stands in the unified program, and why in this form.
#
#     x - change(1, 2)                     Site("value", ..., "'1' became '2'")
#     if (change(0, n < 0)) return -1;     Site("guard", ..., "... control may leave it ...")
#     if (execute(NEW)) { y = y + 1; }     Site("region", ..., "only NEW runs it")
#
# The reasons are found again from the tree: a change that could stand further inside would.


READABLE = Notation()
SHOWN = 90  # characters of a site's text


@record
class Site:
    """A place where a change stands. ``role``: value, clause, guard, condition, argument, region,
    statement (of a region), declaration, label, function or copies."""

    change: int
    role: str
    location: Location
    text: str
    why: str
    escapes: bool = False
    may_trap: bool = False
    pure: bool = True


def sites_of(unified: Unified) -> dict[int, list[Site]]:
    """The sites of each change, in the order of the unified program."""
    found: dict[int, list[Site]] = {record.id: [] for record in unified.changes}
    for site in _sites(unified):
        found.setdefault(site.change, []).append(site)
    return found


def _sites(unified: Unified) -> Iterator[Site]:
    copies = {copy.symbol for pair in unified.clones.values() for copy in pair}
    reasons = {each.region: each.reason for each in unified.fallbacks}
    for declaration in unified.unit.declarations:
        yield from _sites_below(declaration, unified)
    for function in unified.unit.functions:
        if function.symbol in copies:
            continue
        if function.symbol in unified.clones:
            yield _copies(function, reasons.get(function.symbol.name, ""))
            continue
        if function.change and function.version is not None:
            why = f"only {function.version.value} has this function"
            text = f"{function.symbol.name}(...)"
            yield Site(function.change, "function", function.location, text, why, pure=False)
        yield from _sites_below(function.body, unified, function.version)


def _copies(function: FunctionDefinition, reason: str) -> Site:
    number = next(
        node.id if isinstance(node, Change) else node.change
        for node in walk(function.body)
        if isinstance(node, Change | Execute)
    )
    name = function.symbol.name
    why = f"each version has its own copy: {reason}" if reason else "each version has its own"
    text = f"{name}__old(...), {name}__new(...)"
    return Site(number, "copies", function.location, text, why, pure=False)


def _sites_below(root: Tree, unified: Unified, owner: Version | None = None) -> Iterator[Site]:
    """The sites below ``root``. ``owner``: the version that alone runs it."""
    stack: list[tuple[Tree, Tree | None, Version | None]] = [(root, None, owner)]
    while stack:
        node, parent, only = stack.pop()
        match node:
            case Change():
                yield _value(node, parent)
            case Execute(version=version, body=body, change=number) if number and version is only:
                why = f"one of the statements that only {version.value} runs here"
                (first,) = body.items
                yield _statement(number, "statement", first, why, only=only)
            case Execute(version=version, body=body, change=number) if number:
                why = f"only {version.value} runs it; control leaves it at its end alone"
                yield _statement(number, "region", node, why, *body.items)
            case Declaration(version=Version() as version, change=number) if number:
                if version is only:
                    why = f"one of the statements that only {version.value} runs here"
                    yield _statement(number, "statement", node, why, only=only)
                else:
                    why = _declared(node, version, unified)
                    yield _statement(number, "declaration", node, why)
            case Case(version=Version() as version, change=number) if number:
                why = f"a label of {version.value}; the other version's selector passes it by"
                yield Site(number, "label", node.location, f"case {node.text or node.low}", why)
            case _:
                pass
        below = reversed([*_parts(node, only)])
        stack.extend((child, node, owner) for child, owner in below)


def _parts(node: Tree, only: Version | None) -> Iterator[tuple[Tree, Version | None]]:
    """The child nodes, each with the version that alone gets there (None: both)."""
    match node:
        case Execute(version=version, body=body):
            yield body, version
        case If(condition=condition, then=then, otherwise=otherwise):
            owners = parts_of_one(node)
            yield condition, only
            yield then, owners[0] or only
            if otherwise is not None:
                yield otherwise, owners[1] or only
        case _:
            yield from ((child, only) for child in children(node))


def _declared(node: Declaration, version: Version, unified: Unified) -> str:
    name = node.symbol.name
    if name.endswith(("__old", "__new")):
        return "the type differs: each version has a variable of its own, and uses that"
    return f"only {version.value} declares it; it exists in both and is set in {version.value}"


def _statement(
    number: int,
    role: str,
    node: Statement,
    why: str,
    *inside: Tree,
    only: Version | None = None,
) -> Site:
    lines = StatementText(READABLE, only).lines(node, None)
    trees = inside or tuple(children(node))
    return Site(
        number,
        role,
        getattr(node, "location"),  # noqa: B009 (every statement has one)
        _short(" ".join(line.strip() for line in lines if not line.startswith("#"))),
        why,
        may_trap=any(map(may_trap, trees)),
        pure=all(map(is_pure, trees)),
    )


# ------------------------------------------------------------------ changes of expressions


def _value(node: Change, parent: Tree | None) -> Site:
    role, why = _role(node, parent)
    return Site(
        node.id,
        role,
        node.location,
        _short(ExpressionText(READABLE, _no_statements).of(node)),
        why,
        isinstance(parent, If) and role == "guard" and escapes(parent.then),
        may_trap(node.old) or may_trap(node.new),
        is_pure(node.old) and is_pure(node.new),
    )


def _no_statements(node: StatementExpression) -> str:
    return "({ ... })"


def _role(node: Change, parent: Tree | None) -> tuple[str, str]:
    absent = [version for version in Version if is_neutral(half_of(node, version))]
    if len(absent) == 2 and isinstance(parent, If) and parent.otherwise is not None:
        return "guard", "each version jumps to a label of its own"
    if len(absent) == 2:
        return "guard", "one version alone gets here; the versions diverge at once"
    if not absent:
        return "value", why_here(node.old, node.new, node.type)
    owner = absent[0].other
    match parent:
        case If() if reached_by(node, True) is owner:
            inner = "control may leave it, so it is a branch and no region"
            if not escapes(parent.then):
                inner = "an arm of its own in the chain"
            return "guard", f"only {owner.value} gets here; {inner}"
        case If():
            return "condition", f"what it holds is common; only {owner.value} asks for a condition"
        case Logical(operator=operator):
            return "clause", f"only {owner.value} has it; the constant leaves {operator} as it is"
        case Call():
            return "argument", f"only {owner.value} has this parameter"
        case _:
            return "condition", f"only {owner.value} has one here"


def why_here(old: Expression, new: Expression, kind: Type) -> str:
    """The reason why ``change(old, new)`` does not stand further inside."""
    before, after = text_of(old), text_of(new)
    if old is new:
        return "its line differs, what it computes does not"
    common = _types(old, new, kind)
    if isinstance(old, Logical) or isinstance(new, Logical):
        return (
            "from the first clause that differs on, the versions diverge only where the whole does"
        )
    if old.__class__ is not new.__class__ or not children(old) or not children(new):
        return f"{before} became {after}{common}"
    one, other = plain_assignment(old), plain_assignment(new)
    if isinstance(one, Binary) and isinstance(other, Binary):
        if one.operator != other.operator:
            return f"the operator {one.operator} became {other.operator}{common}"
        for left, right in ((one.left, other.left), (one.right, other.right)):
            if converted_type(left) != converted_type(right):
                return (
                    f"the operands {text_of(left)} ({left.type}) and {text_of(right)} "
                    f"({right.type}): further inside, ?: would convert both"
                )
    if isinstance(one, Call) and isinstance(other, Call) and one.function != other.function:
        return f"another function is called{common}"
    return f"nothing of {before} is left in {after}{common}"


def _types(old: Expression, new: Expression, kind: Type) -> str:
    before, after = converted_type(old), converted_type(new)
    if before == after:
        return ""
    if is_arithmetic(kind):
        return f"; {before} and {after}, which this place converts to {kind}"
    return f"; {before} and {after}"


# ------------------------------------------------------------------ facts


def is_pure(node: Tree) -> bool:
    """Does evaluating it change nothing?"""
    changing = (Assign, CompoundAssign, Increment, Call, StatementExpression)
    return not any(isinstance(part, changing) for part in walk(node))


def may_trap(node: Tree) -> bool:
    """Does it go through a pointer, divide, or call, so that it may trap?"""
    return any(_traps(part) for part in walk(node))


def _traps(node: Tree) -> bool:
    match node:
        case Dereference() | Index() | Call():
            return True
        case Member(arrow=arrow):
            return arrow
        case Binary(operator="/" | "%", right=divisor):
            return not (isinstance(divisor, IntegerConstant) and divisor.value)
        case CompoundAssign(operator=operator):
            return operator.removesuffix("=") in ("/", "%")
        case _:
            return False


def text_of(node: Expression) -> str:
    return f"'{_short(ExpressionText(READABLE, _no_statements).of(node), 40)}'"


def _short(text: str, limit: int = SHOWN) -> str:
    return text if len(text) <= limit else text[: limit - 4] + " ..."


__all__ = ["Site", "is_pure", "may_trap", "sites_of"]


# ------------------------------------------------------------------------------------- explanations


_SEVERAL = 4  # sites of one change that are shown


def explanation(
    unified: Unified, flags: Sequence[str] = (), own: Mapping[str, Sequence[str]] = NO_FLAGS
) -> str:
    lines = [
        *_changes(unified),
        *_unseen(unified, flags, own),
        *_names(unified),
        *_fallbacks(unified),
    ]
    for change, reason in spanning(unified):
        lines.append(f"change {change.id} is more than one statement: {reason}")
    return "\n".join(lines) + "\n"


REASONS = {
    ChangeKind.TYPE: "what it declares has a type of its own in each version, and so has each use",
    ChangeKind.SIGNATURE: "the function has parameters of its own in each version, and so has each "
    "call",
    ChangeKind.LAYOUT: "the record has another layout, and all that uses it goes with it",
    ChangeKind.VALUE: "the enumerator has another value, and all that names it goes with it",
}


def spanning(unified: Unified) -> list[tuple[ChangeRecord, str]]:
    """The changes that stand for more than one statement of a version, each with the reason."""
    covered: dict[tuple[int, Version], set[int]] = {}
    for function in unified.unit.functions:
        for number, version, statement in _covered(function):
            covered.setdefault((number, version), set()).add(id(statement))
    several = {number for (number, _), statements in covered.items() if len(statements) > 1}
    return [
        (change, REASONS.get(change.kind, "it was numbered so by hand"))
        for change in unified.changes
        if change.id in several
    ]


def _covered(function: FunctionDefinition) -> Iterator[tuple[int, Version, Tree]]:
    """Each statement that a change covers, as (number of the change, version, statement)."""
    Entry = tuple[Tree, Version | None, int, Tree]
    stack: list[Entry] = [(function.body, function.version, 0, function.body)]
    while stack:
        node, only, number, statement = stack.pop()
        if isinstance(node, get_args(Statement)) and not isinstance(node, Compound | Execute):
            statement = node
            if (
                number
                and only is not None
                and not isinstance(node, Case)
                and not runs_nothing(node)
            ):
                yield number, only, statement
        match node:
            case Change(id=own):
                for version in Version if only is None else (only,):
                    if not is_neutral(half_of(node, version)):
                        yield own, version, statement
            case Execute(version=version, body=body, change=own):
                stack.append((body, version, own, statement))
                continue
            case Declaration(version=Version() as version, change=own) if own:
                yield own, version, node
            case _:
                pass
        inner = number if not isinstance(node, If | While | DoWhile | For | Switch) else 0
        owners = dict(zip(_arms(node), parts_of_one(node), strict=True)) if _is_if(node) else {}
        for child in children(node):
            stack.append((child, owners.get(id(child)) or only, inner, statement))


def _is_if(node: Tree) -> TypeGuard[If]:
    return isinstance(node, If)


def _arms(node: If) -> tuple[int, int]:
    return id(node.then), id(node.otherwise)


def _unseen(
    unified: Unified, flags: Sequence[str], own: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    for edit in unseen_edits(unified, flags, own):
        yield f"no change at {_place(edit.location)}: {edit.why}"


def _changes(unified: Unified) -> Iterator[str]:
    if not unified.changes:
        yield "no change: both versions are one program"
    sites = sites_of(unified)
    needed = requirements(unified.unit)
    for change in unified.changes:
        yield f"{change.id:3}  {_head(change)}"
        for word, text in (("old", change.old_text), ("new", change.new_text)):
            if text:
                yield f"       {word}  {text}"
        if change.cause:
            yield f"       by   {change.cause}"
        yield from _site_lines(sites[change.id])
        others: list[str] = []
        for number in sorted(change.requires):
            symbols = ", ".join(f"'{name}'" for name in sorted(needed.get((change.id, number), ())))
            if symbols:
                yield f"       needs {number}: it declares {symbols}"
            else:
                others.append(str(number))
        if others:
            yield f"       needs {', '.join(others)}: it does not run without"


def _head(change: ChangeRecord) -> str:
    where = f" in {change.function}" if change.function else ""
    head = f"{change.kind}, {_place(change.location)}{where}"
    old = change.old_location
    return f"{head} (was {_place(old)})" if old is not None and change.new_location else head


def _place(location: Location) -> str:
    return f"{location.file}:{location.line}"


def _site_lines(sites: list[Site]) -> Iterator[str]:
    shown = list({(site.role, site.text): site for site in sites}.values())
    said: set[str] = set()
    for site in shown[:_SEVERAL]:
        yield f"       {site.role}  {site.text}{_facts(site)}"
        if site.why not in said:
            yield f"            {site.why}"
            said.add(site.why)
    if len(shown) > _SEVERAL:
        yield f"       and {len(shown) - _SEVERAL} more places"


def _facts(site: Site) -> str:
    words = [
        word
        for word, holds in (
            ("leaves", site.escapes),
            ("may trap", site.may_trap),
            ("has effects", not site.pure),
        )
        if holds and site.role in ("value", "clause", "guard", "condition")
    ]
    return f"   [{', '.join(words)}]" if words else ""


def _names(unified: Unified) -> Iterator[str]:
    for scope, names in sorted(unified.renames.items()):
        where = f" in {scope}" if scope else ""
        for old, new in sorted(names.items()):
            yield f"renamed{where}: {old} is {new} now, no change"
    for name, (old, new) in sorted(unified.splits.items()):
        yield f"two for one: {name} is {old} and {new}"


def _fallbacks(unified: Unified) -> Iterator[str]:
    for each in unified.fallbacks:
        yield f"kept twice: {each.region}, because {each.reason}"
    if not unified.fallbacks:
        yield "kept twice: nothing"
