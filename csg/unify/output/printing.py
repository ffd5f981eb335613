"""The unified program as C that compiles as the old version, as the new one, or with a mask.

    cc -DCSGTEST_OLD unified.c       the old program
    cc -DCSGTEST_NEW unified.c       the new program
    cc unified.c                     CSGTEST_MASK=0110 ./a.out: changes 2 and 3 are new

In the readable form ``change(o, n)`` has no number, and a mask switches everything at once. Another
form asks through a probe wherever the program decides.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from typing import Any

from csg.language.expression_text import Notation
from csg.language.printer import print_unit
from csg.language.syntax import (
    Binary,
    Builtin,
    Call,
    Cast,
    Comma,
    Compound,
    Conditional,
    Declaration,
    DoWhile,
    EnumeratorName,
    Execute,
    Expression,
    ExpressionStatement,
    For,
    Goto,
    If,
    IntegerConstant,
    Label,
    Logical,
    Name,
    StatementExpression,
    StorageDuration,
    Switch,
    Symbol,
    SymbolKind,
    TranslationUnit,
    Unary,
    While,
)
from csg.language.traversal import rebuilt, walk
from csg.language.types import INT, Enumeration, Void, decayed
from csg.programs import ANNOTATED
from csg.unify.unified import Unified

# ------------------------------------------------------------------------------------------ printed


WORDS = ("change", "execute", "OLD", "NEW")

_ASSERTION = """\
extern _Noreturn void __assert_fail(const char *, const char *, unsigned int, const char *);
static _Noreturn __attribute__((unused)) void
__csgtest_assert_fail(const char *text, const char *file, unsigned int line, const char *function)
{
    __assert_fail(text, file, line, function);
}
"""

_DECLARED = """\
extern _Noreturn void
__csgtest_assert_fail(const char *text, const char *file, unsigned int line, const char *function);\
"""

_MASK = """\
static unsigned char csgtest_mask[%(count)d];
__attribute__((constructor(101))) static void csgtest_read_mask(void)
{
    extern char *getenv(const char *), **__environ;
    const char *text = getenv("CSGTEST_MASK");
    char **from = __environ, **to = __environ;
    int at;
    for (; text && *from; from++)
        if (*from + sizeof "CSGTEST_MASK" != text)
            *to++ = *from;
    if (text)
        *to = 0;
    for (at = 1; at < %(count)d; at++)
        csgtest_mask[at] = !text || (*text && *text++ == '1');
}
"""


def printed(unified: Unified, ids: bool = False) -> str:
    """The program as C text with its prelude of macros. ``ids``: write ``change_(17, o, n)``."""
    words = free_words(unified.unit)
    notation = Notation(*words, ids=ids)
    body = print_unit(unified.unit, notation, frozenset({"__csgtest_assert_fail"}))
    return prelude(notation, len(unified.changes)) + body


def mask_text(ids: Iterable[int]) -> str:
    """The value of CSGTEST_MASK that switches exactly the changes ``ids`` to new."""
    chosen = set(ids)
    return "".join("1" if at in chosen else "0" for at in range(1, max(chosen, default=0) + 1))


def free_words(unit: TranslationUnit) -> tuple[str, str, str, str]:
    """The names of the four macros, with a prefix where the program uses one of them itself."""
    taken = set(_identifiers(unit))
    change, execute, old, new = (
        f"csgtest_{word}" if word in taken or f"{word}_" in taken else word for word in WORDS
    )
    return change, execute, old, new


def _identifiers(unit: TranslationUnit) -> Iterator[str]:
    for kind in unit.types:
        yield kind.tag
        if isinstance(kind, Enumeration):
            yield from (name for name, _ in kind.enumerators)
        else:
            yield from (member.name for member in kind.fields or ())
    for declaration in unit.declarations:
        yield declaration.symbol.name
    for function in unit.functions:
        yield function.symbol.name
        yield from (parameter.name for parameter in function.parameters)
        for node in walk(function.body):
            match node:
                case Name(symbol=symbol) | Declaration(symbol=symbol):
                    yield symbol.name
                case Label(name=name) | Goto(label=name) | EnumeratorName(name=name):
                    yield name
                case _:
                    pass


def prelude(notation: Notation, changes: int) -> str:
    """The macros, the reader of the mask, and the C library's assertion."""
    change, execute = notation.change, notation.execute
    numbered = [
        "#if defined CSGTEST_OLD",
        f"#define {change}_(id, o, n) (o)",
        f"#define {execute}_(id, v) ((v) == 0)",
        "#elif defined CSGTEST_NEW",
        f"#define {change}_(id, o, n) (n)",
        f"#define {execute}_(id, v) ((v) == 1)",
        "#else",
        (_MASK % {"count": max(changes, 1) + 1}).rstrip(),
        f"#define {change}_(id, o, n) (csgtest_mask[id] ? (n) : (o))",
        f"#define {execute}_(id, v) (csgtest_mask[id] == (v))",
        "#endif",
    ]
    plain = [
        f"#define {change}(o, n) {change}_(1, o, n)",
        f"#define {execute}(v) {execute}_(1, v)",
    ]
    sides = [f"#define {notation.old} 0", f"#define {notation.new} 1"]
    macros = [*sides, *numbered, *([] if notation.ids else plain)]
    lines = [f"#ifndef {ANNOTATED}", *macros, _ASSERTION.rstrip(), "#else", _DECLARED, "#endif"]
    return "\n".join(lines) + "\n"


# -------------------------------------------------------------------------------------- with probes
# Ask through a probe wherever the program decides.
#
#     if (a && change(b, c))     ->   if (probe(1, a) && probe(2, change(b, c)))
#     x ?: y;  switch (x)        ->   either(3, x) ?: y;  switch (chosen(4, x))
#
# Which expressions have a probe is the caller's to say: ``site`` gives the number, or 0. A probe
# hands its value on, as 0 or 1 where only the truth is asked for; what it records is the truth, of
# a switch the value.
#
#     f(x) & (a || b)            ->   ({ int left = f(x); int right = ..; left & right; })
#
# C leaves open which operand comes first, and gcc decides it by what it has simplified: the engine
# goes from left to right, and so do probes.


PROBE, EITHER, CHOSEN = "csgtest_probe", "csgtest_either", "csgtest_chosen"
QUIET = "csgtest_quiet"
HEADER = f"""\
extern int csgtest_decided(unsigned site, unsigned long long value);
extern int csgtest_branched(unsigned site, unsigned long long value);
extern void {QUIET}(int more);
#define {PROBE}(site, ...) csgtest_branched(site, (__VA_ARGS__) != 0)
#define {EITHER}(site, ...) \\
    ({{ __typeof__((__VA_ARGS__) + 0) csgtest_value = (__VA_ARGS__); \\
        csgtest_branched(site, csgtest_value != 0); csgtest_value; }})
#define {CHOSEN}(site, ...) \\
    ({{ __typeof__((__VA_ARGS__) + 0) csgtest_value = (__VA_ARGS__); \\
        csgtest_decided(site, (unsigned long long)csgtest_value); csgtest_value; }})
#define {QUIET}_value(...) \
    ({{ {QUIET}(1); __typeof__(__VA_ARGS__) csgtest_value = (__VA_ARGS__); {QUIET}(-1); \
        csgtest_value; }})
"""

Site = Callable[[Expression], int]


def probed_text(unified: Unified, site: Site, quiet: Collection[str] = ()) -> tuple[str, set[int]]:
    """The unified part of a program as C text with probes, and the sites that have one. ``site``
    gives the number of an expression, or 0. What runs inside calls of the functions in ``quiet`` is
    not recorded."""
    probes = Probes(site, quiet)
    unit = probes.unit(unified.unit)
    notation = Notation(*free_words(unified.unit), ids=True)
    body = print_unit(unit, notation, frozenset({"__csgtest_assert_fail"}))
    return HEADER + prelude(notation, len(unified.changes)) + body, probes.placed


class Probes:
    """Writes probes; ``placed`` are the sites written so far."""

    def __init__(self, site: Site, quiet: Collection[str] = ()) -> None:
        self.placed: set[int] = set()
        self._site = site
        self._quiet = quiet

    def unit(self, unit: TranslationUnit) -> TranslationUnit:
        functions = [replace(each, body=self.tree(each.body)) for each in unit.functions]
        return replace(unit, functions=functions)

    def tree(self, node: Any) -> Any:
        """The node, whose truth no branch depends on, with probes inside."""
        match node:
            case If():
                return self._choosing(node)
            case While() | DoWhile() | For() if node.condition is not None:
                return self._asking(node, self.condition(node.condition))
            case Conditional():
                asked = node.condition
                inner = (
                    self.condition(asked) if node.then is not None else self._probed(asked, EITHER)
                )
                return self._asking(node, inner)
            case Switch():
                inner = rebuilt(replace(node, selector=_HOLE), self._below)
                return replace(inner, selector=self._probed(node.selector, CHOSEN))
            case Logical():
                return replace(node, operands=tuple(map(self.condition, node.operands)))
            case Binary() if _order_shows(node.left, node.right):
                return _from_left(node, self.tree(node.left), self.tree(node.right))
            case Declaration(symbol=Symbol(storage=StorageDuration.STATIC)):
                return node  # its initialiser is a constant
            case Call(function=Name(symbol=Symbol(name=name))) if name in self._quiet:
                return self._hushed(node)
            case _:
                return rebuilt(node, self.tree)

    def _choosing(self, node: If) -> If:
        """An ``if`` with probes. A chain of else-ifs may be long: no recursion along it. An arm may
        stand in an Execute that gives it a number."""
        chain = [node]
        between: list[tuple[Compound, Execute | None]] = []
        while (rest := chain[-1].otherwise) is not None and len(rest.items) == 1:
            inner = rest.items[0]
            numbered = inner if isinstance(inner, Execute) else None
            if numbered is not None and len(numbered.body.items) == 1:
                inner = numbered.body.items[0]
            if not isinstance(inner, If):
                break
            chain.append(inner)
            between.append((rest, numbered))
        parts = [(each, self.condition(each.condition), self.tree(each.then)) for each in chain]
        found: Any = None if rest is None else self.tree(rest)
        for at, (each, asked, then) in reversed([*enumerate(parts)]):
            if at < len(between):
                around, numbered = between[at]
                if numbered is not None:
                    found = replace(numbered, body=replace(numbered.body, items=(found,)))
                found = replace(around, items=(found,))
            found = replace(each, condition=asked, then=then, otherwise=found)
        assert isinstance(found, If)
        return found

    def _asking(self, node: Any, condition: Expression) -> Any:
        return replace(rebuilt(replace(node, condition=_HOLE), self._below), condition=condition)

    def _below(self, node: Any) -> Any:
        return node if node is _HOLE else self.tree(node)

    def condition(self, node: Expression) -> Any:
        """An expression of which only the truth is used, with a probe."""
        return self._wrapped(node, self._asked(node), PROBE)

    def _asked(self, node: Expression) -> Any:
        match node:
            case Logical():
                return replace(node, operands=tuple(map(self.condition, node.operands)))
            case Unary(operator="!") | Cast():
                return replace(node, operand=self.condition(node.operand))
            case Comma():
                return replace(node, left=self.tree(node.left), right=self.condition(node.right))
            case Conditional(then=then) if then is not None:
                return replace(
                    node,
                    condition=self.condition(node.condition),
                    then=self.condition(then),
                    otherwise=self.condition(node.otherwise),
                )
            case Builtin(name="expect" | "expect_with_probability"):
                first, *others = node.arguments
                return replace(node, arguments=(self.condition(first), *map(self.tree, others)))
            case _:
                return self.tree(node)

    def _probed(self, node: Expression, probe: str) -> Any:
        return self._wrapped(node, self.tree(node), probe)

    def _wrapped(self, asked: Expression, inner: Any, probe: str) -> Any:
        site = self._site(asked)
        if not site:
            return inner
        self.placed.add(site)
        return applied(probe, (IntegerConstant(site, INT), inner))

    def _hushed(self, node: Call) -> Any:
        """``(quiet(1), f(), quiet(-1))``: a call inside which nothing is recorded, with its value
        if it has one. Arguments that decide are evaluated before, and record."""
        call: Call = rebuilt(node, self.tree)
        before: list[Declaration] = []
        arguments = list(call.arguments)
        for at, (argument, plain) in enumerate(zip(arguments, node.arguments, strict=True)):
            if not _ASKS.isdisjoint(map(type, walk(plain))):
                made = Symbol(f"csgtest_argument{at}", decayed(plain.type))
                before.append(Declaration(made, argument))
                arguments[at] = Name(made, made.type)
        quiet = _quietly(replace(call, arguments=tuple(arguments)))
        if not before:
            return quiet
        return StatementExpression(Compound((*before, ExpressionStatement(quiet))), call.type)


def _quietly(call: Call) -> Any:
    begin, end = (applied(QUIET, (IntegerConstant(step, INT),)) for step in (1, -1))
    if isinstance(call.type, Void):
        return Comma(Comma(begin, call, call.type), end, call.type)
    return applied(f"{QUIET}_value", (call,), call.type)


_ASKS = frozenset({Call, Logical, Conditional})


def _order_shows(left: Expression, right: Expression) -> bool:
    """May probes record something in both operands, of which at least one is no constant?"""
    behind = _ASKS.intersection(map(type, walk(right)))
    if not behind:  # sums are long to the left: that is not walked for each of their terms
        return False
    before = _ASKS.intersection(map(type, walk(left)))
    return bool(before) and Call in before | behind


def _from_left(node: Binary, first: Any, second: Any) -> StatementExpression:
    left, right = Symbol("csgtest_left", node.left.type), Symbol("csgtest_right", node.right.type)
    value = replace(node, left=Name(left, left.type), right=Name(right, right.type))
    items = Declaration(left, first), Declaration(right, second), ExpressionStatement(value)
    return StatementExpression(Compound(items), node.type)


_HOLE = IntegerConstant(0, INT)


def applied(name: str, arguments: tuple[Expression, ...], kind: Any = INT) -> Call:
    """``name(arguments)``, of a function or macro that the program does not know."""
    return Call(Name(Symbol(name, INT, kind=SymbolKind.FUNCTION), INT), arguments, kind)


__all__ = ["HEADER", "Probes", "applied", "probed_text"]
