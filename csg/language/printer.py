"""A translation unit as C text that stands alone: no header is included, all types are spelt out.

    TranslationUnit(...)   ->   struct point;
                                struct point { int x; int y; };
                                extern int puts(const char *);
                                static int limit = 3;
                                int main(void);
                                int main(void)
                                {
                                    ...
                                }

A structure that the file leaves incomplete stays incomplete, even if another file defines it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from csg.language.expression_text import Notation
from csg.language.statement_text import StatementText, changes_within, linking_words
from csg.language.syntax import (
    Cast,
    CompoundLiteral,
    Declaration,
    FunctionDefinition,
    Linkage,
    Name,
    SizeOf,
    Symbol,
    SymbolKind,
    TranslationUnit,
    VaArg,
)
from csg.language.traversal import walk
from csg.language.type_text import (
    base_text,
    declaration_text,
    enumeration_text,
    named_parameters,
    record_text,
    symbol_text,
)
from csg.language.types import Array, Enumeration, Function, Pointer, Record, Type, is_opaque

# ------------------------------------------------------------------------------------------ printer


READABLE = Notation()
NUMBERED = Notation(ids=True)


def print_unit(
    unit: TranslationUnit, style: Notation = READABLE, without: frozenset[str] = frozenset()
) -> str:
    """C text; functions named in ``without`` are declared elsewhere."""
    printer = UnitText(unit, StatementText(style), without)
    return "\n".join(printer.lines()) + "\n"


@dataclass(slots=True)
class UnitText:
    unit: TranslationUnit
    statements: StatementText
    without: frozenset[str]
    shown: set[Symbol] = field(default_factory=set)

    def lines(self) -> list[str]:
        return [
            *self._types(),
            *self._prototypes(),
            *self._objects(),
            *self._constructor(),
            *(line for function in self.unit.functions for line in self.function(function)),
        ]

    def _types(self) -> Iterator[str]:
        mentioned = mentioned_types(self.unit)
        listed = set(self.unit.types)
        kinds = [*(kind for kind in mentioned if kind not in listed), *self.unit.types]
        records = [kind for kind in mentioned if isinstance(kind, Record)]
        inline = {part for kind in records for part in _nameless_members(kind)}
        inline |= {kind for kind in records if is_opaque(kind)}
        for kind in records:
            if kind not in inline:
                yield f"{base_text(kind)};"
        for each in kinds:
            if isinstance(each, Enumeration):
                yield enumeration_text(each) + ";"
        for kind in _in_order([kind for kind in kinds if isinstance(kind, Record)]):
            if kind not in inline and kind.own_fields is not None:
                yield record_text(kind) + ";"

    def _prototypes(self) -> Iterator[str]:
        defined = {function.symbol for function in self.unit.functions}
        for declaration in self.unit.declarations:
            symbol = declaration.symbol
            if symbol.kind is SymbolKind.FUNCTION and symbol not in defined:
                yield from self._prototype(symbol)
        for function in self.unit.functions:
            yield from self._prototype(function.symbol)

    def _prototype(self, symbol: Symbol) -> Iterator[str]:
        if symbol.name in self.without or symbol in self.shown:
            return
        self.shown.add(symbol)
        # Parameters have no names here, so lengths that speak of them are left open: int (*)[*].
        own = symbol.linked_as and not symbol.from_header
        label = f' __asm__("{symbol.linked_as}")' if own else ""
        yield f"{function_words(symbol)}{declaration_text(symbol.type, symbol.name)}{label};"

    def _objects(self) -> Iterator[str]:
        for declaration in self.unit.declarations:
            if declaration.symbol.kind is not SymbolKind.FUNCTION:
                yield from self._mentioned_before(declaration)
                self.shown.add(declaration.symbol)
                yield from self._object(declaration)

    def _object(self, declaration: Declaration) -> list[str]:
        if changes_within(declaration.initializer):
            return self.statements.changing_object(declaration)
        return [self.statements.object(declaration)]

    def _mentioned_before(self, declaration: Declaration) -> Iterator[str]:
        """Declarations of the objects and functions whose addresses an initialiser holds and that
        are defined further down."""
        if declaration.initializer is None:
            return
        for node in walk(declaration.initializer):
            if isinstance(node, Name) and node.symbol.kind is SymbolKind.OBJECT:
                symbol = node.symbol
                if symbol not in self.shown and symbol.linkage is not Linkage.NONE:
                    self.shown.add(symbol)
                    words = "static " if symbol.linkage is Linkage.INTERNAL else "extern "
                    yield words + symbol_text(symbol) + ";"

    def _constructor(self) -> list[str]:
        lines = [
            "    " + line
            for declaration in self.unit.declarations
            if changes_within(declaration.initializer)
            for line in self.statements.assignments(declaration)
        ]
        if not lines:
            return []
        head = "__attribute__((constructor(102))) static void csgtest_initialize(void)"
        guard = "#if !defined CSGTEST_OLD && !defined CSGTEST_NEW"
        return [guard, head, "{", *lines, "}", "#endif"]

    def function(self, function: FunctionDefinition) -> list[str]:
        symbol, kind = function.symbol, function.symbol.type
        assert isinstance(kind, Function)
        length = self.statements.expressions.of
        if kind.prototype:
            shown = named_parameters(kind, function.parameters, length)
        else:
            shown = ", ".join(parameter.name for parameter in function.parameters)
        head = declaration_text(kind, symbol.name, length=length, parameters=shown)
        old_style = [] if kind.prototype else function.parameters
        declared = [f"    {symbol_text(parameter, length)};" for parameter in old_style]
        body = self.statements.within(function.version).block("", function.body)[1:]
        return [function_words(symbol, body=True) + head, *declared, "{", *body]


def function_words(symbol: Symbol, body: bool = False) -> str:
    words = ""
    if symbol.linkage is Linkage.INTERNAL or (symbol.from_header and symbol.defined):
        words = "static "  # an inline function of a header has its body elsewhere as well
    elif not symbol.defined and not body:
        words = "extern "
    elif symbol.inline and body:  # other files may have it, too, from the same header (C17 6.7.4p7)
        words = "__attribute__((weak)) "
    return linking_words(symbol) + words + ("_Noreturn " if symbol.noreturn else "")


def mentioned_types(unit: TranslationUnit) -> list[Record | Enumeration]:
    """Records and enumerations that a declaration refers to, in a fixed order."""
    return types_within(types_of(unit))


def types_of(unit: TranslationUnit) -> list[Type]:
    """The types of what a file declares."""
    roots: list[Type] = [*unit.types]
    roots.extend(declaration.symbol.type for declaration in unit.declarations)
    roots.extend(function.symbol.type for function in unit.functions)
    for function in unit.functions:
        roots.extend(parameter.type for parameter in function.parameters)
        roots.extend(_body_types(function))
    return roots


def _in_order(records: Iterable[Record]) -> list[Record]:
    """The records, sorted: each comes behind those that its definition needs."""
    found: dict[Record, None] = {}

    def add(record: Record) -> None:
        for member in record.own_fields or ():
            for needed in _records_needed(member.type):
                if needed not in found:
                    add(needed)
        found[record] = None

    for each in records:
        if each not in found:
            add(each)
    return list(found)


def _records_needed(kind: Type, whole: bool = True) -> Iterator[Record]:
    """The records that have to be complete where a member of this type is declared. ``whole``: the
    type itself has to be. C asks that of the elements of any array, also behind a pointer (C17
    6.7.6.2p1)."""
    match kind:
        case Record() if whole:
            yield kind
        case Array(element=element):
            yield from _records_needed(element)
        case Pointer(target=target):
            yield from _records_needed(target, whole=False)
        case Function(result=result, parameters=parameters):
            for each in (result, *parameters):
                yield from _records_needed(each, whole=False)
        case _:
            pass


def _nameless_members(record: Record) -> Iterator[Record]:
    for member in record.own_fields or ():
        if member.name == "" and isinstance(member.type, Record):
            yield member.type


def types_within(roots: Iterable[Type]) -> list[Record | Enumeration]:
    """Records and enumerations that types consist of, or lead to, in a fixed order; not those that
    only members lead to that a file does not know."""
    return list(dict.fromkeys(_tagged(roots)))


def _body_types(function: FunctionDefinition) -> Iterator[Type]:
    for node in walk(function.body):
        match node:
            case Declaration(symbol=symbol) | CompoundLiteral(symbol=symbol):
                yield symbol.type
            case Cast(type=kind) | VaArg(type=kind) | SizeOf(of=kind):
                yield kind


def _tagged(roots: Iterable[Type]) -> Iterator[Record | Enumeration]:
    seen: set[Record] = set()
    stack = list(reversed(list(roots)))
    while stack:
        kind = stack.pop()
        match kind:
            case Record() if kind not in seen:
                seen.add(kind)
                yield kind
                stack.extend(member.type for member in kind.own_fields or ())
            case Enumeration():
                yield kind
            case Pointer(target=target):
                stack.append(target)
            case Array(element=element):
                stack.append(element)
            case Function(result=result, parameters=parameters):
                stack.append(result)
                stack.extend(parameters)
            case _:
                pass


__all__ = ["NUMBERED", "READABLE", "Notation", "print_unit"]
