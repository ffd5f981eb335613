"""Expressions as C text, with no more parentheses than needed.

    Binary("*", Binary("+", a, b), c)   ->  (a + b) * c
    Change(x, x + 1, id=3)              ->  change(x, x + 1), or change_(3, x, x + 1)

Constants come first.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

from csg.language.syntax import (
    AddressOf,
    Assign,
    Binary,
    Builtin,
    Call,
    Cast,
    Change,
    Comma,
    CompoundAssign,
    CompoundLiteral,
    Conditional,
    Dereference,
    EnumeratorName,
    Expression,
    FloatingConstant,
    Increment,
    Index,
    InitializerEntry,
    InitializerList,
    IntegerConstant,
    Logical,
    Member,
    Name,
    SizeOf,
    StatementExpression,
    StringLiteral,
    Unary,
    VaArg,
    Version,
    operand_type,
)
from csg.language.type_text import declaration_text
from csg.language.types import (
    BOOL,
    INT,
    LDOUBLE,
    LLONG,
    LONG,
    UINT,
    ULLONG,
    ULONG,
    VOID,
    Floating,
    Integer,
    Type,
)

# ---------------------------------------------------------------------------------------- constants
# Constants as C text.
#
# IntegerConstant(-2147483648, INT)   ->  (-2147483647 - 1)
# IntegerConstant(7, ULONG)           ->  7UL
# StringLiteral(b"a\n")               ->  "a\n"


_SUFFIX = {INT: "", UINT: "u", LONG: "L", ULONG: "UL", LLONG: "LL", ULLONG: "ULL"}
_ESCAPES = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}
_UNIT_FORMAT = {1: "\\%03o", 2: "\\x%04x", 4: "\\x%08x"}


def integer_text(constant: IntegerConstant, cast: str) -> str:
    """The text of an integer constant. ``cast`` is the text of its type, for types without
    constants."""
    kind, value, text = constant.type, constant.value, constant.text
    if not isinstance(kind, Integer) or kind not in _SUFFIX:
        return f"({cast}) {_decimal(value, INT if -(2**31) < value < 2**31 else LONG)}"
    if kind == INT and re.fullmatch(r"'(\\?.|\\[0-7]{1,3}|\\x[0-9a-fA-F]{1,2})'", text):
        return text
    if value >= 0 and re.fullmatch(r"0[xX][0-9a-fA-F]+", text) and int(text, 16) == value:
        return text + _SUFFIX[kind]
    return _decimal(value, kind)


def _decimal(value: int, kind: Integer) -> str:
    suffix = _SUFFIX[kind]
    if value < 0 and value == -(1 << (kind.bits - 1)):
        return f"(-{-(value + 1)}{suffix} - 1)"
    return f"{value}{suffix}"


def floating_text(constant: FloatingConstant) -> str:
    kind: Type = constant.type
    assert isinstance(kind, Floating)
    return (
        constant.text + {32: "f", 64: "", 80: "L"}[LDOUBLE.bits if kind == LDOUBLE else kind.bits]
    )


def string_text(literal: StringLiteral) -> str:
    width = literal.unit
    units = [
        int.from_bytes(literal.value[at : at + width], "little")
        for at in range(0, len(literal.value), width)
    ]
    parts: list[str] = []
    for unit in units:
        if unit in _ESCAPES:
            parts.append("\\" + _ESCAPES[unit])
        elif 32 <= unit < 127:
            parts.append(chr(unit))
        elif unit < 512:
            parts.append(f"\\{unit:03o}")
        else:  # a hexadecimal escape has no end of its own, so the literal is closed behind it
            parts.append(_UNIT_FORMAT[width] % unit + f'" {literal.prefix}"')
    return f'{literal.prefix}"{"".join(parts)}"'


# -------------------------------------------------------------------------------------- expressions


_LAST = 1 << 62
Path = tuple[str | int | range, ...]  # of a subobject; a range is GNU's [0 ... 2]
COMMA, ASSIGN, CHOICE, UNARY, POSTFIX, PRIMARY = 0, 1, 2, 13, 14, 15
LEVELS = {
    "||": 3,
    "&&": 4,
    "|": 5,
    "^": 6,
    "&": 7,
    "==": 8,
    "!=": 8,
    "<": 9,
    ">": 9,
    "<=": 9,
    ">=": 9,
    "<<": 10,
    ">>": 10,
    "+": 11,
    "-": 11,
    "*": 12,
    "/": 12,
    "%": 12,
}


@dataclass(frozen=True, slots=True)
class Notation:
    """How changes are written. ``ids``: the number of the change is written, too."""

    change: str = "change"
    execute: str = "execute"
    old: str = "OLD"
    new: str = "NEW"
    ids: bool = False

    def changed(self, number: int, old: str, new: str) -> str:
        return (
            f"{self.change}_({number}, {old}, {new})"
            if self.ids
            else f"{self.change}({old}, {new})"
        )

    def executes(self, number: int, version: Version) -> str:
        name = self.old if version is Version.OLD else self.new
        return f"{self.execute}_({number}, {name})" if self.ids else f"{self.execute}({name})"


@dataclass(frozen=True, slots=True)
class ExpressionText:
    notation: Notation
    block: Callable[[StatementExpression], str]

    def at(self, node: Expression, level: int) -> str:
        """The text of an expression, in parentheses when it binds less tightly than ``level``."""
        text, own = self.text(node)
        return f"({text})" if own < level else text

    def of(self, node: Expression) -> str:
        return self.text(node)[0]

    def argument(self, node: Expression) -> str:
        """The text of an expression as an argument of a macro: no comma stands outside
        parentheses."""
        text, own = self.text(node)
        return f"({text})" if own == COMMA or isinstance(node, CompoundLiteral) else text

    def type(self, kind: Type) -> str:
        return declaration_text(kind, length=self.of)

    def text(self, node: Expression) -> tuple[str, int]:
        """The text of an expression, and how tightly its outermost operator binds."""
        match node:
            case IntegerConstant():
                text = integer_text(node, self.type(node.type))
                return text, UNARY if text[0] == "-" or ") " in text else PRIMARY
            case FloatingConstant():
                return floating_text(node), PRIMARY
            case StringLiteral():
                return string_text(node), PRIMARY
            case Name(symbol=symbol):
                return symbol.name, PRIMARY
            case EnumeratorName(name=name):
                return name, PRIMARY
            case Unary(operator=operator, operand=operand):
                return _prefix(operator, self.at(operand, UNARY)), UNARY
            case AddressOf(operand=operand):
                return _prefix("&", self.at(operand, UNARY)), UNARY
            case Dereference(operand=operand):
                return "*" + self.at(operand, UNARY), UNARY
            case Increment(operator=operator, prefix=True, operand=operand):
                return _prefix(operator, self.at(operand, UNARY)), UNARY
            case Increment(operator=operator, operand=operand):
                return self.at(operand, POSTFIX) + operator, POSTFIX
            case Binary(operator=operator, left=left, right=right):
                level = LEVELS[operator]
                return f"{self.at(left, level)} {operator} {self.at(right, level + 1)}", level
            case Logical(operator=operator, operands=operands):
                level = LEVELS[operator]
                tight = (
                    level + 1 if operator == "&&" else LEVELS["|"]
                )  # && inside || in parentheses
                return f" {operator} ".join(self.at(part, tight) for part in operands), level
            case Conditional():
                return self._choice(node), CHOICE
            case Assign(target=target, value=value):
                return f"{self.at(target, UNARY)} = {self.at(value, ASSIGN)}", ASSIGN
            case CompoundAssign(operator=operator, target=target, value=value):
                sign = operator.removesuffix("=")
                return f"{self.at(target, UNARY)} {sign}= {self.at(value, ASSIGN)}", ASSIGN
            case Comma(left=left, right=right):
                return f"{self.at(left, COMMA)}, {self.at(right, ASSIGN)}", COMMA
            case Cast(operand=operand, type=kind):
                return f"({self.type(kind)}) {self.at(operand, UNARY)}", UNARY
            case Change():
                return self._change(node), POSTFIX
            case StatementExpression():
                return self.block(node), PRIMARY
            case _:
                return self._postfix(node), POSTFIX

    def _postfix(
        self, node: Index | Member | Call | SizeOf | CompoundLiteral | VaArg | Builtin
    ) -> str:
        match node:
            case Index(base=base, index=index):
                return f"{self.at(base, POSTFIX)}[{self.of(index)}]"
            case Member():
                return self._member(node)
            case Call(function=function, arguments=arguments):
                return f"{self.at(function, POSTFIX)}({self.arguments(arguments)})"
            case SizeOf(of=of, operand=operand, keyword=keyword):
                shown = self.of(operand) if operand is not None else self.type(of)
                return f"{keyword}({shown})"
            case CompoundLiteral(initializer=initializer, type=kind, symbol=symbol):
                whole = self.type(symbol.type if symbol is not None else kind)
                if isinstance(initializer, InitializerList):
                    return f"({whole}){self.braces(initializer)}"
                return f"({whole}){{{self.at(initializer, ASSIGN)}}}"
            case VaArg(list=source, type=kind):
                return f"__builtin_va_arg({self.at(source, ASSIGN)}, {self.type(kind)})"
            case Builtin(name="label_address", arguments=(StringLiteral(value=label),)):
                return f"(&&{label.decode()})"
            case Builtin(name=name, arguments=arguments):
                whole = name if name.startswith("__") else f"__builtin_{name}"
                return f"{whole}({self.arguments(arguments)})"
            case _:
                assert_never(node)

    def arguments(self, arguments: tuple[Expression, ...]) -> str:
        return ", ".join([self.at(argument, ASSIGN) for argument in arguments])

    def _choice(self, node: Conditional) -> str:
        condition = self.at(node.condition, CHOICE + 1)
        otherwise = self.at(node.otherwise, CHOICE)
        if node.then is None:
            return f"{condition} ?: {otherwise}"
        return f"{condition} ? {self.at(node.then, CHOICE)} : {otherwise}"

    def _member(self, node: Member) -> str:
        record, arrow = node.record, node.arrow
        if node.field.name == "":  # an anonymous member: C has no word for the step
            return self.at(record, POSTFIX) if not arrow else f"(*{self.at(record, UNARY)})"
        while isinstance(record, Member) and record.field.name == "":
            arrow, record = record.arrow, record.record
        return f"{self.at(record, POSTFIX)}{'->' if arrow else '.'}{node.field.name}"

    def _change(self, node: Change) -> str:
        old, new = self.changed(node.old, node.type), self.changed(node.new, node.type)
        return self.notation.changed(node.id, old, new)

    def changed(self, side: Expression, kind: Type) -> str:
        """The text of one argument of a change, with a cast where ``?:`` would convert it to
        another type."""
        if side.type == kind or operand_type(side) == kind:
            return self.argument(side)
        if kind == BOOL:
            return self.argument(side) if side.type == INT else f"!!{self.at(side, UNARY)}"
        if kind == VOID:
            return f"(void) {self.at(side, UNARY)}"
        return f"({self.type(kind)}) {self.at(side, UNARY)}"

    def braces(self, node: InitializerList) -> str:
        shown = [self._entry(path, value) for path, value in _ranges(node.entries)]
        return "{" + ", ".join(shown) + "}" if shown else "{}"

    def _entry(self, path: Path, value: Expression) -> str:
        target = self.path(path)
        text = self.at(value, ASSIGN)
        return f"{target} = {text}" if target else text

    def path(self, path: Path) -> str:
        """``("a", 2)`` -> ``.a[2]``, ``(range(3),)`` -> ``[0 ... 2]``; steps into anonymous members
        have no text."""
        return "".join(_step(step) for step in path if step != "")


def _step(step: str | int | range) -> str:
    match step:
        case range(start=low, stop=end):
            return f"[{low} ... {end - 1}]"
        case int():
            return f"[{step}]"
        case _:
            return f".{step}"


def _ranges(entries: tuple[InitializerEntry, ...]) -> list[tuple[Path, Expression]]:
    """The entries of an initialiser as they are written. A value that several entries share is
    written once, with the ranges around them, before entries between them: these were given later
    and replace it."""
    groups: dict[object, list[InitializerEntry]] = {}
    for entry in sorted(entries, key=lambda entry: entry.shared or _LAST):
        groups.setdefault(entry.shared or entry.path, []).append(entry)
    return [(_around([each.path for each in group]), group[0].value) for group in groups.values()]


def _around(paths: list[tuple[str | int, ...]]) -> Path:
    steps: list[str | int | range] = []
    for column in zip(*paths, strict=True):
        numbers = [step for step in column if isinstance(step, int)]
        several = len(set(column)) > 1
        steps.append(range(min(numbers), max(numbers) + 1) if several else column[0])
    return tuple(steps)


def _prefix(operator: str, operand: str) -> str:
    """``- -x`` must not read as ``--x``."""
    return f"{operator} {operand}" if operand.startswith(operator[-1]) else operator + operand
