"""Specifiers and declarators become types, from the inside out; tags find their types again.

    const char *(*table[4])(int)     Array(Pointer(Function(Pointer(char, const), int)), 4)
    struct pair { int a, b; } p;     a Record with two fields, laid out; tag pair in this scope
    enum { RED, BLUE = 5 };          an Enumeration; RED is 0 of type int
    f() { struct pair { char c; }; } a Record with the tag pair__f: other functions may have a pair

Records are laid out as gcc does it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from csg.errors import Location, UnsupportedError
from csg.frontend import lengths
from csg.frontend.attributes import wishes
from csg.frontend.context import Context, Enumerator, Qualified, Typedef, place, refuse, unsupported
from csg.frontend.parser import Node, innermost, kind, name_place
from csg.language.syntax import (
    Expression,
    Symbol,
    SymbolKind,
    is_variably_modified,
    run_time_length,
    value_type,
)
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
    NONE,
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
    Enumeration,
    Field,
    Function,
    Integer,
    Pointer,
    Qualifiers,
    Record,
    RecordKind,
    Type,
    alignment_of,
    decayed,
    is_integer,
    size_of,
    value_bits,
)
from csg.records import record

_QUALIFIERS = frozenset({"const", "volatile", "_Atomic"})
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


_OPAQUE = {  # bytes
    "_Complex float": 8, "_Complex double": 16, "_Complex double long": 32,
    "_Complex _Float32": 8, "_Complex _Float64": 16, "_Complex _Float128": 32, "_Complex": 16,
    "_Float16": 2, "_Float128": 16, "__float128": 16, "_Decimal32": 4, "_Decimal64": 8,
    "_Decimal128": 16,
}  # fmt: skip


def resolve(context: Context, node: Node) -> Qualified:
    """The type of a declarator, a type name, or specifiers."""
    rule = _RULES.get(kind(node))
    if rule is None:
        raise refuse(node, f"a type is expected here, not {kind(node)}")
    return rule(context, node)


def _adjusted(found: Qualified) -> Qualified:
    """The type of a parameter: arrays and functions are adjusted to pointers (C17 6.7.6.3p7)."""
    match found.type:
        case Array(element=element):
            return Qualified(Pointer(element, found.qualifiers))
        case Function():
            return Qualified(decayed(found.type))
        case _:
            return found


# --------------------------------------------------------------------------- declarators


def _of_inner(context: Context, node: Node) -> Qualified:
    """The type of a declared name or a type name, with what its attributes make of it."""
    found = resolve(context, node.type)
    attributes = innermost(node.type).attributes
    if not node.align and not attributes:
        return found
    wished = wishes(context, node.align, attributes)
    return replace(found, type=wished.adapted(context, found.type, place(node)))


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
    with lengths.evaluated_elsewhere(context):
        length = context.value(node.dim)
    if not is_integer(length.type):
        raise refuse(node.dim, "the size of an array has to be an integer")
    known = context.fold(length)
    if known is not None and known < 0:
        raise refuse(node.dim, "the size of an array is negative")
    return lengths.evaluated_once(context, length) if known is None else known


def _function(context: Context, node: Node) -> Qualified:
    result = resolve(context, node.type)
    if isinstance(result.type, Function | Array):
        raise refuse(node, "a function cannot return a function or an array")
    with lengths.evaluating(context) as evaluated:
        symbols, variadic, prototype = _parameters(context, node)
    context.parameter_lengths[id(node)] = evaluated
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
        names = tuple(Symbol(p.name, INT, p.coord, SymbolKind.PARAMETER) for p in written)
        return names, False, False
    context.scopes.enter()
    symbols = [_parameter(context, parameter) for parameter in written]
    context.scopes.leave()
    if len(symbols) == 1 and symbols[0].type == VOID:
        symbols = []
    return tuple(symbols), variadic, node.args is not None


def _parameter(context: Context, node: Node) -> Symbol:
    with lengths.evaluated_elsewhere(context):  # at the start of the function
        declared = resolve(context, node)
    if isinstance(declared.type, Array) and (length := run_time_length(declared.type)) is not None:
        lengths.evaluate(context, length)
    symbol = parameter_symbol(node.name or "", _adjusted(declared), name_place(node))
    symbol.restrict = _is_restrict(node)
    if symbol.name:
        context.scopes.innermost.names[symbol.name] = symbol
    return symbol


def _is_restrict(node: Node) -> bool:
    """Is a parameter declared as ``int *restrict p`` or ``int p[restrict]``?"""
    declarator = node.type
    words = [
        *(getattr(declarator, "quals", None) or ()),
        *(getattr(declarator, "dim_quals", None) or ()),
    ]
    return kind(declarator) in ("PtrDecl", "ArrayDecl") and "restrict" in words


def parameter_symbol(name: str, found: Qualified, location: Location) -> Symbol:
    adjusted = _adjusted(found)
    return Symbol(
        name, adjusted.type, location, SymbolKind.PARAMETER, qualifiers=adjusted.qualifiers,
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
        context.meets(meaning.meaning.type)
        return meaning.meaning
    words = " ".join(node.names)
    if (size := _OPAQUE.get(" ".join(sorted(node.names)))) is not None:
        alignment = size // 2 if "_Complex" in node.names else size
        return Qualified(context.opaque_type(words, size, alignment))
    raise refuse(node, f"'{words}' is no type")


def _shared(context: Context, node: Node) -> Qualified:
    if not node.meanings:
        node.meanings.append(_words(context, node))
    meaning: Qualified = node.meanings[0]
    return meaning


def _record(context: Context, node: Node) -> Qualified:
    if id(node) not in context.specified:
        context.specified[id(node)] = record_type(context, node)
    return Qualified(context.specified[id(node)])


def _enumeration(context: Context, node: Node) -> Qualified:
    if id(node) not in context.specified:
        context.specified[id(node)] = enumeration(context, node)
    return Qualified(context.specified[id(node)])


def _typeof(context: Context, node: Node) -> Qualified:
    if kind(node.expr) == "Typename":
        return _typeof_type(context, node)
    with lengths.evaluated_elsewhere(context):
        expression = context.expression(node.expr)
    if is_variably_modified(expression.type):
        lengths.evaluate(context, expression)
    found = value_type(expression)
    if isinstance(found, Integer) and found.bits < INT.bits and found.width is not None:
        raise unsupported(node, "an object with the type of a bit-field")
    return Qualified(found)


def _typeof_type(context: Context, node: Node) -> Qualified:
    """``typeof(int[n++]) a, b`` evaluates the length once."""
    known = context.evaluated_types.get(id(node))
    if known is None:
        known = resolve(context, node.expr)
        if context.function is not None:
            context.evaluated_types[id(node)] = known
    return known


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
    "SharedType": _shared,
    "Struct": _record,
    "Union": _record,
    "Enum": _enumeration,
    "TypeOf": _typeof,
    "InferredType": _inferred,
    "BitIntType": _bit_precise,
}


# ------------------------------------------------------------------------------------------- layout
# Lay out structures and unions as gcc does on x86-64 (System V ABI, chapter 3).
#
# struct { char c; int n : 3; short s; }   c at 0, n in the int at 0 from bit 8, s at 2; size 4


@record
class MemberDeclaration:
    """A member that has no offset yet. ``alignment`` is what attributes or _Alignas ask for, in
    bytes."""

    name: str
    type: Type
    qualifiers: Qualifiers = NONE
    bit_width: int | None = None
    alignment: int = 0
    packed: bool = False


def lay_out(
    record: Record, members: Sequence[MemberDeclaration], alignment: int = 0, limit: int = 0
) -> None:
    """Complete ``record``. ``alignment`` is asked for by an attribute; ``limit`` is #pragma pack's
    largest alignment of a member, 0 for none."""
    layout = _Layout(record.kind is RecordKind.UNION, limit)
    fields = tuple(layout.place(member, record.packed or member.packed) for member in members)
    record.fields = fields
    record.alignment = max(layout.alignment, alignment)
    record.size = _up(_up(layout.end, 8) // 8, record.alignment)


class _Layout:
    """Gives each member the next free offset; positions count bits."""

    def __init__(self, union: bool, limit: int) -> None:
        self.union = union
        self.limit = limit
        self.position = 0
        self.end = 0
        self.alignment = 1

    def place(self, member: MemberDeclaration, packed: bool) -> Field:
        if self.union:
            self.position = 0
        if member.bit_width is None:
            placed = self._object(member, packed)
        else:
            placed = self._bits(member, member.bit_width, packed)
        self.end = max(self.end, self.position)
        return placed

    def _object(self, member: MemberDeclaration, packed: bool) -> Field:
        natural = 1 if packed else alignment_of(member.type)
        alignment = self._limited(max(natural, member.alignment))
        offset = _up(self.position, 8 * alignment) // 8
        self.alignment = max(self.alignment, alignment)
        self.position = 8 * (offset + size_of(member.type))
        return Field(member.name, member.type, offset, qualifiers=member.qualifiers)

    def _bits(self, member: MemberDeclaration, width: int, packed: bool) -> Field:
        unit = 8 * size_of(member.type)
        free = packed or self.limit > 0  # may straddle the units of its type
        if width == 0:
            self._end_unit(member)
        if member.alignment:
            self.position = _up(self.position, 8 * self._limited(member.alignment))
        if width and not free and self.position // unit != (self.position + width - 1) // unit:
            self.position = _up(self.position, unit)
        if member.name:
            natural = 1 if packed and not self.limit else self._limited(unit // 8)
            self.alignment = max(self.alignment, natural, self._limited(member.alignment))
        grain = 8 if free else unit
        start = self.position
        self.position += width
        return Field(
            member.name, member.type, start // grain * (grain // 8), start % grain, width,
            member.qualifiers,
        )  # fmt: skip

    def _end_unit(self, member: MemberDeclaration) -> None:
        """``int : 0`` starts a new unit, whatever packing there is."""
        self.position = _up(self.position, 8 * alignment_of(member.type))

    def _limited(self, alignment: int) -> int:
        return min(alignment, self.limit) if self.limit else alignment


def _up(number: int, step: int) -> int:
    return -(-number // step) * step


# --------------------------------------------------------------------------------------- specifiers


_SIZES = (INT, LONG)
_SMALL_SIZES = (SCHAR, SHORT, INT, LONG)
_UNSIGNED = {SCHAR: UCHAR, SHORT: USHORT, INT: UINT, LONG: ULONG}


def record_type(context: Context, node: Node) -> Record:
    """A struct or union specifier: with members it makes a type, without it refers to one."""
    keyword = kind(node).lower()
    found = _tagged(context, node, keyword)
    if node.decls is None:
        return found
    if found.fields is not None:
        raise refuse(node, f"redefinition of '{found}'")
    wished = wishes(context, node.attributes)
    found.packed, found.transparent = wished.packed, wished.transparent
    limit = context.packing.limit
    members = list(_members(context, node.decls))
    lay_out(found, members, wished.alignment, limit)
    context.unit.types.append(found)
    return found


def _tagged(context: Context, node: Node, keyword: str) -> Record:
    """The record of a tag: one that is visible, or a new incomplete one. A definition looks in its
    own scope only (C17 6.7.2.3)."""
    if node.name is None:
        context.numbers.types += 1
        tag = f"<anonymous>{context.numbers.types}"
        return Record(RecordKind(keyword), tag, place=node.coord)
    scopes = context.scopes
    if node.decls is None:
        known = scopes.lookup_tag(node.name)
    else:
        known = scopes.innermost.tags.get(node.name)
    if known is None:
        known = scopes.innermost.tags[node.name] = Record(
            RecordKind(keyword), _own_name(context, node.name)
        )
    if not isinstance(known, Record) or known.kind != keyword:
        raise refuse(node, f"'{node.name}' is the tag of another kind of type")
    return known


def _own_name(context: Context, name: str) -> str:
    """A tag that no other function has: all types of a program are printed at file scope."""
    function = context.function
    if function is None:
        return name
    stem = f"{name}__{function.name}"
    count = context.numbers.local.get(stem, 0) + 1
    context.numbers.local[stem] = count
    return stem if count == 1 else f"{stem}_{count}"


def _members(context: Context, nodes: Iterable[Node]) -> Iterator[MemberDeclaration]:
    for node in nodes:
        match kind(node):
            case "Decl":
                if (member := _member(context, node)) is not None:
                    yield member
            case "StaticAssert":
                context.statements(node)
            case _:
                pass  # a pragma


def _member(context: Context, node: Node) -> MemberDeclaration | None:
    found = context.type_name(node.type)
    if node.name is None and node.bitsize is None:
        if kind(node.type) in ("Struct", "Union") and node.type.name is None:
            return MemberDeclaration("", found.type, found.qualifiers)
        return None  # declares a tag, no member
    inner = innermost(node.type)
    wished = wishes(context, node.align, inner.attributes, getattr(node.type, "attributes", None))
    member = wished.adapted(context, found.type, node.coord)
    if isinstance(member, Function) or member == VOID:
        raise refuse(node, f"the member '{node.name}' has no object type")
    if isinstance(member, Record) and member.fields is None:
        raise refuse(node, f"the member '{node.name}' has an incomplete type '{member}'")
    width = _bit_width(context, node, member)
    asked = max(wished.alignment, found.alignment)
    return MemberDeclaration(node.name or "", member, found.qualifiers, width, asked, wished.packed)


def _bit_width(context: Context, node: Node, member: Type) -> int | None:
    if node.bitsize is None:
        return None
    width = context.constant(node.bitsize, "the width of a bit-field")
    if not is_integer(member) or width < 0 or width > value_bits(member):
        raise refuse(node, f"the bit-field '{node.name or ''}' has an invalid width or type")
    if width == 0 and node.name:
        raise refuse(node, f"the bit-field '{node.name}' has zero width")
    return width


# --------------------------------------------------------------------------- enumerations


def enumeration(context: Context, node: Node) -> Enumeration:
    """An enum specifier; its enumerators become names of the surrounding scope."""
    if node.values is None:
        known = context.scopes.lookup_tag(node.name)
        if not isinstance(known, Enumeration):
            raise refuse(node, f"'enum {node.name}' is not declared")
        return known
    if node.name is not None and node.name in context.scopes.innermost.tags:
        raise refuse(node, f"redefinition of 'enum {node.name}'")
    values = list(_enumerators(context, node.values.enumerators))
    packed = wishes(context, node.attributes).packed
    underlying = _underlying([value for _, value in values], _SMALL_SIZES if packed else _SIZES)
    _widen_enumerators(context, node.values.enumerators, underlying)
    tag, key = _tag_and_key(context, node)
    found = Enumeration(tag, underlying, tuple(values), key)
    if node.name is not None:
        context.scopes.innermost.tags[node.name] = found
    context.unit.types.append(found)
    return found


def _tag_and_key(context: Context, node: Node) -> tuple[str, int]:
    """The tag of an enumeration and its key; the key is 0 at file scope, so that equal enumerations
    of two versions are equal."""
    if node.name is None:
        context.numbers.types += 1
        return f"<anonymous>{context.numbers.types}", 0
    if context.scopes.at_file_level:
        return node.name, 0
    context.numbers.enumerations += 1
    return _own_name(context, node.name), context.numbers.enumerations


def _enumerators(context: Context, nodes: Iterable[Node]) -> Iterator[tuple[str, int]]:
    value = -1
    for node in nodes:
        if kind(node) != "Enumerator":
            continue
        value += 1
        if node.value is not None:
            value = context.constant(node.value, f"the value of '{node.name}'")
        names = context.scopes.innermost.names
        if node.name in names:
            raise refuse(node, f"redefinition of '{node.name}'")
        small = -(1 << 31) <= value < 1 << 31
        own = _own_name(context, node.name)
        names[node.name] = Enumerator(own, value, INT if small else _underlying([value], _SIZES))
        yield own, value


def _widen_enumerators(context: Context, nodes: Iterable[Node], underlying: Integer) -> None:
    """Enumerators that are no int have the type of the whole enumeration behind it, as in gcc."""
    names = context.scopes.innermost.names
    for node in nodes:
        known = names.get(node.name) if kind(node) == "Enumerator" else None
        if isinstance(known, Enumerator) and known.type != INT:
            names[node.name] = replace(known, type=underlying)


def _underlying(values: list[int], sizes: tuple[Integer, ...]) -> Integer:
    """The smallest type that represents all values, unsigned when none is negative, as gcc chooses
    it."""
    for signed in sizes:
        half = 1 << (signed.bits - 1)
        if min(values) >= 0 and max(values) < 2 * half:
            return _UNSIGNED[signed]
        if min(values) >= -half and max(values) < half:
            return signed
    return ULONG
