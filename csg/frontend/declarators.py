"""Specifiers and declarators become types, from the inside out.

const char *(*table[4])(int)     Array(Pointer(Function(Pointer(char, const), int)), 4)
"""

from __future__ import annotations

from collections.abc import Callable

from csg.errors import UnsupportedError
from csg.frontend import records
from csg.frontend.context import Context, Qualified, Typedef, refuse, unsupported
from csg.frontend.nodes import Node, kind, name_place
from csg.language.syntax import Expression, Symbol
from csg.language.types import (
    BOOL,
    CHAR,
    DOUBLE,
    FLOAT,
    INT,
    INT128,
    LDOUBLE,
    LLONG,
    LONG,
    SCHAR,
    SHORT,
    UCHAR,
    UINT,
    UINT128,
    ULLONG,
    ULONG,
    USHORT,
    VA_LIST,
    VOID,
    Array,
    Function,
    Pointer,
    Qualifiers,
    Record,
    Type,
    decayed,
    is_integer,
)
from csg.source import Location

_QUALIFIERS = frozenset({"const", "volatile"})
_BASIC: dict[str, Type] = {  # the words in alphabetical order
    "void": VOID, "_Bool": BOOL, "char": CHAR, "char signed": SCHAR, "char unsigned": UCHAR,
    "short": SHORT, "int short": SHORT, "short signed": SHORT, "int short signed": SHORT,
    "short unsigned": USHORT, "int short unsigned": USHORT,
    "int": INT, "signed": INT, "int signed": INT, "unsigned": UINT, "int unsigned": UINT,
    "long": LONG, "int long": LONG, "long signed": LONG, "int long signed": LONG,
    "long unsigned": ULONG, "int long unsigned": ULONG,
    "long long": LLONG, "int long long": LLONG, "long long signed": LLONG,
    "int long long signed": LLONG, "long long unsigned": ULLONG, "int long long unsigned": ULLONG,
    "float": FLOAT, "double": DOUBLE, "double long": LDOUBLE,
    "_Float32": FLOAT, "_Float64": DOUBLE, "_Float32x": DOUBLE, "_Float64x": LDOUBLE,
    "__float80": LDOUBLE, "__builtin_va_list": VA_LIST,
    "__int128": INT128, "__int128 signed": INT128, "__int128 unsigned": UINT128,
    "__int128_t": INT128, "__uint128_t": UINT128,
}  # fmt: skip


def resolve(context: Context, node: Node) -> Qualified:
    """The type of a declarator, a type name, or specifiers."""
    rule = _RULES.get(kind(node))
    if rule is None:
        raise refuse(node, f"a type is expected here, not {kind(node)}")
    return rule(context, node)


def _adjusted(found: Qualified) -> Qualified:
    """A parameter's type: arrays and functions are pointers (C17 6.7.6.3p7)."""
    match found.type:
        case Array(element=element):
            return Qualified(Pointer(element, found.qualifiers))
        case Function():
            return Qualified(decayed(found.type))
        case _:
            return found


# --------------------------------------------------------------------------- declarators


def _of_inner(context: Context, node: Node) -> Qualified:
    return resolve(context, node.type)


def _base(context: Context, node: Node) -> Qualified:
    found = resolve(context, node.type)
    return Qualified(found.type, found.qualifiers | _qualifiers(node.quals), found.alignment)


def _qualifiers(words: list[str] | None) -> Qualifiers:
    return _QUALIFIERS.intersection(words or ())


def _pointer(context: Context, node: Node) -> Qualified:
    target = resolve(context, node.type)
    return Qualified(Pointer(target.type, target.qualifiers), _qualifiers(node.quals))


def _array(context: Context, node: Node) -> Qualified:
    element = resolve(context, node.type)
    if isinstance(element.type, Function) or element.type == VOID:
        raise refuse(node, "an array of functions or of void")
    length = _length(context, node)
    return Qualified(Array(element.type, length), element.qualifiers, element.alignment)


def _length(context: Context, node: Node) -> int | Expression | None:
    if node.dim is None or (kind(node.dim) == "ID" and node.dim.name == "*"):
        return None
    length = context.value(node.dim)
    if not is_integer(length.type):
        raise refuse(node.dim, "the size of an array has to be an integer")
    known = context.fold(length)
    if known is not None and known < 0:
        raise refuse(node.dim, "the size of an array is negative")
    return length if known is None else known


def _function(context: Context, node: Node) -> Qualified:
    result = resolve(context, node.type)
    if isinstance(result.type, Function | Array):
        raise refuse(node, "a function cannot return a function or an array")
    symbols, variadic, prototype = _parameters(context, node)
    context.parameters[id(node)] = symbols
    kinds = tuple(symbol.type for symbol in symbols) if prototype else ()
    return Qualified(Function(result.type, kinds, variadic, prototype))


def _parameters(context: Context, node: Node) -> tuple[tuple[Symbol, ...], bool, bool]:
    """The parameters, whether more may follow, and whether they are a prototype."""
    written = list(node.args.params) if node.args is not None else []
    variadic = bool(written) and kind(written[-1]) == "EllipsisParam"
    if variadic:
        written.pop()
    if written and kind(written[0]) == "ID":  # K&R: names now, declarations later
        names = tuple(Symbol(p.name, INT, p.coord, "parameter") for p in written)
        return names, False, False
    context.scopes.enter()
    symbols = [_parameter(context, parameter) for parameter in written]
    context.scopes.leave()
    if len(symbols) == 1 and symbols[0].type == VOID:
        symbols = []
    return tuple(symbols), variadic, node.args is not None


def _parameter(context: Context, node: Node) -> Symbol:
    found = _adjusted(resolve(context, node.type))
    symbol = parameter_symbol(node.name or "", found, name_place(node))
    if symbol.name:
        context.scopes.innermost.names[symbol.name] = symbol
    return symbol


def parameter_symbol(name: str, found: Qualified, location: Location) -> Symbol:
    adjusted = _adjusted(found)
    return Symbol(
        name, adjusted.type, location, "parameter", qualifiers=adjusted.qualifiers,
        address_taken=isinstance(adjusted.type, Record), defined=True,
    )  # fmt: skip


# --------------------------------------------------------------------------- specifiers


def _words(context: Context, node: Node) -> Qualified:
    """``unsigned long``, or the name of a type."""
    basic = _BASIC.get(" ".join(sorted(node.names)))
    if basic is not None:
        return Qualified(basic)
    meaning = context.scopes.lookup(node.names[0]) if len(node.names) == 1 else None
    if isinstance(meaning, Typedef):
        return meaning.meaning
    words = " ".join(node.names)
    if "_Complex" in node.names or words.startswith(("_Float", "__float", "_Decimal")):
        raise unsupported(node, f"the type '{words}'")
    raise refuse(node, f"'{words}' is no type")


def _record(context: Context, node: Node) -> Qualified:
    if id(node) not in context.specified:
        context.specified[id(node)] = records.record_type(context, node)
    return Qualified(context.specified[id(node)])


def _enumeration(context: Context, node: Node) -> Qualified:
    if id(node) not in context.specified:
        context.specified[id(node)] = records.enumeration(context, node)
    return Qualified(context.specified[id(node)])


def _typeof(context: Context, node: Node) -> Qualified:
    if kind(node.expr) == "Typename":
        return resolve(context, node.expr)
    return Qualified(context.expression(node.expr).type)


def _inferred(context: Context, node: Node) -> Qualified:
    raise UnsupportedError("a type is inferred from an initialiser only here", node.coord)


def _bit_precise(context: Context, node: Node) -> Qualified:
    raise unsupported(node, "the type _BitInt")


_RULES: dict[str, Callable[[Context, Node], Qualified]] = {
    "Typename": _of_inner,
    "Decl": _of_inner,
    "AttributedType": _of_inner,
    "TypeDecl": _base,
    "PtrDecl": _pointer,
    "ArrayDecl": _array,
    "FuncDecl": _function,
    "IdentifierType": _words,
    "Struct": _record,
    "Union": _record,
    "Enum": _enumeration,
    "TypeOf": _typeof,
    "InferredType": _inferred,
    "BitIntType": _bit_precise,
}
