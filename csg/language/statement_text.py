"""Statements as C text, one list of lines each.

If(c, {Return(x)}, None)              ->  if (c) {
                                              return x;
                                          }
Execute(NEW, {...})                   ->  if (execute(NEW)) { ... }
Declaration(x, E, version=NEW)        ->  int x; if (execute(NEW)) { x = E; }

In code that one version alone runs anyway, ``Execute`` only numbers a statement: it is written with
the number, ``if (execute_(3, NEW)) { ... }``, or not at all. A switch whose cases belong to one
version comes first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import assert_never

from csg.language.expression_text import ASSIGN, ExpressionText, Notation
from csg.language.lifetimes import exposes_literal, opens_block
from csg.language.syntax import (
    Assembly,
    Assign,
    Binary,
    Break,
    Call,
    Case,
    Change,
    Compound,
    CompoundAssign,
    ComputedGoto,
    Continue,
    Declaration,
    Dereference,
    DoWhile,
    Empty,
    Execute,
    ExpressionStatement,
    For,
    Goto,
    If,
    Increment,
    Index,
    Initializer,
    InitializerList,
    Label,
    Linkage,
    Member,
    Return,
    Statement,
    StatementExpression,
    StorageDuration,
    Switch,
    Symbol,
    Unsupported,
    Version,
    While,
)
from csg.language.traversal import children, numbers_in, parts_of_one, walk
from csg.language.type_text import declaration_text, symbol_text
from csg.language.types import NONE, Array, Type

# ----------------------------------------------------------------------------------------- switches
# Switches whose cases belong to one version, as C text.
#
# switch (e) {                switch (({ int s = e; s == 1 && execute(OLD) ? 6000000LL : s; })) {
# case 1 (OLD): f();    ->    case 6000000LL: f();
# default: g();               default: g();
# }                           }
#
# C has no label that is there for some executions only. So such a label gets a number of its own
# that the selector cannot have by itself, and the selector is sent there when the version is right.
# In the other version the value finds no label and goes to ``default``, or past the switch, as it
# should.


SELECTOR = "csgtest_selector"


@dataclass(frozen=True, slots=True)
class SwitchText:
    notation: Notation
    type_text: str
    numbers: dict[int, int]  # id(case) -> the label it is written with
    cases: tuple[Case, ...]

    def label(self, case: Case) -> str:
        if id(case) in self.numbers:
            return f"case {self.numbers[id(case)]}LL:"
        return _plain_label(case)

    def selector(self, text: str) -> str:
        if not self.numbers:
            return text
        chain = "".join(
            f"{self._applies(case)} ? {self.numbers[id(case)]}LL : "
            for case in sorted(self.cases, key=_default_last)
            if id(case) in self.numbers
        )
        return f"({{ {self.type_text} {SELECTOR} = {text}; {chain}(long long) {SELECTOR}; }})"

    def _applies(self, case: Case) -> str:
        assert case.version is not None
        executes = self.notation.executes(case.change, case.version)
        if case.low is not None:
            return f"{_holds(case)} && {executes}"
        taken = [
            _holds(other)
            for other in self.cases
            if other.low is not None and other.version in (None, case.version)
        ]
        return f"{executes} && !({' || '.join(taken)})" if taken else executes


def switch_text(node: Switch, notation: Notation, type_text: Callable[[Type], str]) -> SwitchText:
    cases = tuple(own_cases(node.body.items))
    versioned = [case for case in cases if case.version is not None]
    kind = node.selector_type
    free = _free_numbers(cases)
    numbers = {id(case): next(free) for case in versioned}
    return SwitchText(notation, type_text(kind), numbers, cases)


def own_cases(items: tuple[Statement, ...]) -> Iterator[Case]:
    """The labels of this switch, without those of switches inside it."""
    stack: list[object] = list(reversed(items))
    while stack:
        item = stack.pop()
        if isinstance(item, Case):
            yield item
        elif isinstance(item, Statement) and not isinstance(item, Switch):
            stack.extend(reversed(children(item)))


def _free_numbers(cases: tuple[Case, ...]) -> Iterator[int]:
    """Values beyond int that no case has. (A 64-bit selector with exactly such a value is taken
    for the versioned label: the odds are those of guessing a random number.)"""
    taken = {value for case in cases for value in (case.low, case.high)}
    number = 0x5C5_0000_0000
    while True:
        if number not in taken:
            yield number
        number += 1


def _default_last(case: Case) -> bool:
    return case.low is None


def _holds(case: Case) -> str:
    if case.high is not None and case.high != case.low:
        return f"({SELECTOR} >= {case.low} && {SELECTOR} <= {case.high})"
    return f"{SELECTOR} == {case.low}"


def _plain_label(case: Case) -> str:
    if case.low is None:
        return "default:"
    if case.high is not None and case.high != case.low:
        return f"case {case.low} ... {case.high}:"
    simple = re.fullmatch(r"[A-Za-z_]\w*|'(\\?.|\\[0-7]{1,3})'", case.text)
    return f"case {case.text if simple else case.low}:"


# --------------------------------------------------------------------------------------- statements


MASKED = "!defined CSGTEST_OLD && !defined CSGTEST_NEW"
Lines = list[str]


@dataclass(frozen=True, slots=True)
class StatementText:
    notation: Notation
    only: Version | None = None  # the version that alone runs the code being written

    @property
    def expressions(self) -> ExpressionText:
        return ExpressionText(self.notation, self._statement_expression)

    def _statement_expression(self, node: StatementExpression) -> str:
        return "({ " + " ".join(line.strip() for line in self.items(node.body.items, None)) + " })"

    def within(self, version: Version | None) -> StatementText:
        return self if version is None or version is self.only else replace(self, only=version)

    def block(self, head: str, body: Compound, switch: SwitchText | None = None) -> Lines:
        return [f"{head} {{", *_indented(self.items(body.items, switch)), "}"]

    def items(self, items: tuple[Statement, ...], switch: SwitchText | None) -> Lines:
        lines: Lines = []
        for at, item in enumerate(items):
            lines.extend(self.lines(item, switch))
            last = at + 1 == len(items)
            if isinstance(item, Case | Label) and (last or isinstance(items[at + 1], Declaration)):
                lines[-1] += " ;"  # a label needs a statement, and a declaration is none
        return lines

    def lines(self, node: Statement, switch: SwitchText | None) -> Lines:
        of = self.expressions.of
        match node:
            case Compound():
                return ["{", *_indented(self.items(node.items, switch)), "}"]
            case Declaration():
                return self.declaration(node)
            case ExpressionStatement(expression=expression):
                return [of(expression) + ";"]
            case If():
                return self._if(node, switch)
            case While(condition=condition, body=body):
                return self.block(f"while ({of(condition)})", body, switch)
            case DoWhile(body=body, condition=condition):
                lines = self.block("do", body, switch)
                return [*lines[:-1], f"}} while ({of(condition)});"]
            case For():
                return self._for(node, switch)
            case Switch(selector=selector, body=body):
                inner = switch_text(node, self.notation, self.expressions.type)
                return self.block(f"switch ({inner.selector(of(selector))})", body, inner)
            case Case():
                assert switch is not None
                return [switch.label(node)]
            case Label(name=name):
                return [f"{name}:"]
            case Execute():
                return self._execute(node, switch)
            case _:
                return [self._simple(node)]

    def _simple(
        self,
        node: Goto | ComputedGoto | Break | Continue | Return | Empty | Assembly | Unsupported,
    ) -> str:
        match node:
            case Goto(label=label):
                return f"goto {label};"
            case ComputedGoto(target=target):
                return f"goto *{self.expressions.of(target)};"
            case Break():
                return "break;"
            case Continue():
                return "continue;"
            case Return(value=None):
                return "return;"
            case Return(value=value):
                assert value is not None
                return f"return {self.expressions.of(value)};"
            case Empty():
                return ";"
            case Assembly(text=text):
                return f"{text.rstrip().rstrip(';')};"
            case Unsupported(text=text):
                return text
            case _:
                assert_never(node)

    def _execute(self, node: Execute, switch: SwitchText | None) -> Lines:
        """The lines of a region. A region of statements that have numbers of their own is entered
        for any of them."""
        version, inner = node.version, self.within(node.version)
        if version is self.only and not self.notation.ids:
            return self.items(node.body.items, switch)
        if any(map(exposes_literal, node.body.items)) and not opens_block(node):
            return self._expressions_of(node)
        numbers = [node.change] if node.change or not self.notation.ids else numbers_in(node.body)
        if not numbers:
            return inner.block("", node.body, switch)
        asked = " || ".join(self.notation.executes(number, version) for number in numbers)
        return inner.block(f"if ({asked})", node.body, switch)

    def _expressions_of(self, node: Execute) -> Lines:
        """A region of expressions without a block, as the literals in it live on."""
        return [
            self._in_one_version(self.expressions.of(item.expression), node.change, node.version)
            for item in node.body.items
            if isinstance(item, ExpressionStatement)
        ]

    def _in_one_version(self, text: str, number: int, version: Version) -> str:
        sides = {version: f"(void) ({text})", version.other: "(void) 0"}
        return self.notation.changed(number, *(f"({sides[each]})" for each in Version)) + ";"

    def _if(self, node: If, switch: SwitchText | None) -> Lines:
        """The lines of an ``if``. A chain of ``else if`` is written flat, and without recursion
        along the chain."""
        lines: Lines = []
        head = f"if ({self.expressions.of(node.condition)})"
        while True:
            owner, other = parts_of_one(node)
            lines.extend(self.within(owner).block(head, node.then, switch))
            rest = node.otherwise
            if rest is None:
                return lines
            inner, number = self._arm(rest)
            if inner is None:
                lines.pop()
                lines.extend(self.within(other).block("} else", rest, switch))
                return lines
            node = inner
            lines.pop()
            tested = self.expressions.of(node.condition)
            if number and self.notation.ids:
                assert self.only is not None
                tested = f"{self.notation.executes(number, self.only)} && ({tested})"
            head = f"}} else if ({tested})"

    def _arm(self, rest: Compound) -> tuple[If | None, int]:
        """The ``if`` that an else part consists of, or None, and its number if it has one."""
        match rest.items:
            case (If() as inner,):
                return inner, 0
            case (Execute(body=Compound(items=(If() as inner,)), change=number) as arm,) if (
                arm.version is self.only
            ):
                return inner, number
            case _:
                return None, 0

    def _for(self, node: For, switch: SwitchText | None) -> Lines:
        of = self.expressions.of
        condition = f" {of(node.condition)}" if node.condition is not None else ""
        step = f" {of(node.step)}" if node.step is not None else ""
        starts = [line for start in node.start for line in self.lines(start, None)]
        if len(starts) > 1:
            loop = self.block(f"for (;{condition};{step})", node.body, switch)
            return ["{", *_indented([*starts, *loop]), "}"]
        start = starts[0] if starts else ";"
        return self.block(f"for ({start}{condition};{step})", node.body, switch)

    def declaration(self, node: Declaration) -> Lines:
        """The lines of a declaration. What only one version declares is declared in both, and
        initialised in that version only."""
        symbol, initializer = node.symbol, node.initializer
        if symbol.storage is StorageDuration.STATIC and changes_within(initializer):
            return self._changing_static(node)
        plain = node.version is None or (node.version is self.only and not self.notation.ids)
        if plain or symbol.storage is StorageDuration.STATIC or initializer is None:
            return [self.object(node)]
        assert node.version is not None
        loose = symbol_text(replace(symbol, qualifiers=NONE), self.expressions.of)
        if isinstance(initializer, InitializerList):
            if not _does_something(initializer):
                return [self.object(node)]
            braces = self.expressions.braces(initializer)
            kind = declaration_text(symbol.type, "", NONE, self.expressions.of)
            set_ = f"__builtin_memcpy(&{symbol.name}, &({kind}) {braces}, sizeof {symbol.name})"
        elif isinstance(symbol.type, Array):
            return [self.object(node)]
        else:
            set_ = f"{symbol.name} = {self.expressions.at(initializer, ASSIGN)}"
        if exposes_literal(node):
            return [f"{loose};", self._in_one_version(set_, node.change, node.version)]
        head = f"if ({self.notation.executes(node.change, node.version)})"
        return [f"{loose};", f"{head} {{", f"    {set_};", "}"]

    def object(self, node: Declaration) -> str:
        """``static const int table[2] = {1, 2};``"""
        text = storage_text(node.symbol) + symbol_text(node.symbol, self.expressions.of)
        if node.initializer is None:
            return text + ";"
        return f"{text} = {self.initializer(node.initializer)};"

    def initializer(self, node: Initializer) -> str:
        if isinstance(node, InitializerList):
            return self.expressions.braces(node)
        return self.expressions.at(node, ASSIGN)

    def _changing_static(self, node: Declaration) -> Lines:
        """The lines of a block's static object that starts with different values: it is set when
        control first comes to its declaration."""
        name = node.symbol.name
        seen = f"{name}__set"
        return [
            *self.changing_object(node),
            f"#if {MASKED}",
            f"static _Bool {seen};",
            f"if (!{seen}) {{",
            f"    {seen} = 1;",
            *("    " + line for line in self.assignments(node)),
            "}",
            "#endif",
        ]

    def changing_object(self, node: Declaration) -> Lines:
        """The lines of an object outside functions whose initialiser changes. With a mask its value
        is known at run time only, so that the initialiser is left out."""
        symbol = replace(node.symbol, qualifiers=node.symbol.qualifiers - {"const"})
        loose = storage_text(symbol) + symbol_text(symbol, self.expressions.of)
        rest = _unchanged_part(node.initializer)
        value = f" = {self.initializer(rest)}" if rest is not None else ""
        return [f"#if {MASKED}", f"{loose}{value};", "#else", self.object(node), "#endif"]

    def assignments(self, node: Declaration) -> Lines:
        """``x.a[2] = change(1, 2);`` for each value of the initialiser that changes."""
        if isinstance(node.initializer, InitializerList):
            parts = [(entry.path, entry.value) for entry in node.initializer.entries]
        else:
            assert node.initializer is not None
            parts = [((), node.initializer)]
        return [
            f"{node.symbol.name}{self.expressions.path(path)} = {self.expressions.of(value)};"
            for path, value in parts
            if changes_within(value)
        ]


def changes_within(node: Initializer | None) -> bool:
    return node is not None and any(isinstance(part, Change) for part in walk(node))


def _unchanged_part(node: Initializer | None) -> InitializerList | None:
    if not isinstance(node, InitializerList):
        return None
    retained = tuple(entry for entry in node.entries if not changes_within(entry.value))
    return replace(node, entries=retained)


def _does_something(values: InitializerList) -> bool:
    """May it matter that the values are computed, as they change something or lead nowhere?"""
    return any(
        isinstance(node, Call | Dereference | Index | Increment | Assign | CompoundAssign)
        or (isinstance(node, Member) and node.arrow)
        or isinstance(node, StatementExpression)
        or (isinstance(node, Binary) and node.operator in ("/", "%"))
        for node in walk(values)
    )


def linking_words(symbol: Symbol) -> str:
    """``__attribute__((weak))`` and the like, in front of a declaration."""
    found = [f"{name}({priority})" for name, priority in symbol.hooks]
    found += ["weak"] if symbol.weak else []
    found += [f'alias("{symbol.alias}")'] if symbol.alias else []
    return f"__attribute__(({', '.join(found)})) " if found else ""


def storage_text(symbol: Symbol) -> str:
    words = linking_words(symbol)
    if symbol.linkage is Linkage.INTERNAL or (
        symbol.linkage is Linkage.NONE and symbol.storage is StorageDuration.STATIC
    ):
        words += "static "
    elif symbol.linkage is Linkage.EXTERNAL and not symbol.defined:
        words += "extern "
    if symbol.alignment:
        words += f"_Alignas({symbol.alignment}) "
    return words


def _indented(lines: Lines) -> Lines:
    return [line if line.startswith("#") else "    " + line for line in lines]
