"""C types, laid out as on x86-64 Linux (LP64, System V ABI).

No expression has a qualified type. A pointer knows the qualifiers of what it points to, a field and
a symbol know their own; so nobody has to unwrap a type before matching on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum

from csg.errors import Location
from csg.records import record

Qualifiers = frozenset[str]  # of "const", "volatile", "_Atomic"
NONE: Qualifiers = frozenset()


@record
class Void:
    def __str__(self) -> str:
        return "void"


@record
class Integer:
    """``rank`` orders conversions (C17 6.3.1.1); ``size`` is in bytes. ``width`` is set for what
    gcc computes with a bit-field that is wider than int: ``unsigned long x : 35`` has 35 bits."""

    name: str
    size: int
    signed: bool
    rank: int
    width: int | None = None

    @property
    def bits(self) -> int:
        if self.width is not None:
            return self.width
        return 1 if self.rank == 0 else 8 * self.size

    def __str__(self) -> str:
        return self.name


@record
class Floating:
    """``bits`` of significance-carrying storage: 32, 64, or 80 (stored in 16 bytes)."""

    name: str
    size: int
    bits: int

    def __str__(self) -> str:
        return self.name


@record
class Enumeration:
    """An enumerated type; its values behave as ``underlying`` (gcc: unsigned int when none is
    negative). ``key`` distinguishes equal tags of different scopes."""

    tag: str
    underlying: Integer
    enumerators: tuple[tuple[str, int], ...] = field(compare=False)
    key: int = 0

    @property
    def size(self) -> int:
        return self.underlying.size

    def __str__(self) -> str:
        return f"enum {self.tag}"


@record
class Pointer:
    target: Type
    qualifiers: Qualifiers = field(default=NONE, compare=False)  # of the target

    @property
    def size(self) -> int:
        return 8


class AnyExpression:
    """What the records of ``syntax.Expression`` have in common, and all that types need to know of
    them."""

    __slots__ = ()


@record
class Array:
    """``length`` is a number of elements, None when incomplete, an expression when variable (C17
    6.7.6.2p4)."""

    element: Type
    length: int | AnyExpression | None


@record
class Function:
    result: Type
    parameters: tuple[Type, ...]
    variadic: bool = False
    prototype: bool = True  # False: declared with empty parentheses


@record
class Field:
    """A member. ``offset`` counts bytes; a bit-field lives in the unit of its declared type at
    ``offset``, ``bit_offset`` bits up, ``bit_width`` wide. Anonymous members have the name ''."""

    name: str
    type: Type
    offset: int
    bit_offset: int = 0
    bit_width: int | None = None
    qualifiers: Qualifiers = NONE


class RecordKind(StrEnum):
    """The two kinds of types that have members."""

    STRUCT = "struct"
    UNION = "union"


@dataclass(eq=False, slots=True)
class Record:
    """A struct or union, compared by identity; ``fields`` is None while it is incomplete."""

    kind: RecordKind
    tag: str  # made up ("<anonymous>3") when the source gives none
    fields: tuple[Field, ...] | None = None
    size: int = 0
    alignment: int = 1
    packed: bool = False
    transparent: bool = False  # a union: an argument may be what a member can hold
    spelling: str = ""  # of an opaque type, which C has no record for: "double _Complex"
    typedef: str = ""  # the first one that names it, where the source gives no tag
    place: Location | None = None  # where the source gives no tag
    borrowed: bool = False  # its file only names it: the members are those of another file

    @property
    def own_fields(self) -> tuple[Field, ...] | None:
        """The members that its own file knows."""
        return None if self.borrowed else self.fields

    def __str__(self) -> str:
        """As a reader knows it: by its tag, its typedef, or its place."""
        if self.spelling or self.tag.isidentifier():
            return self.spelling or f"{self.kind} {self.tag}"
        if self.typedef or self.place is None:
            return self.typedef or f"a {self.kind} without a name"
        return f"the {self.kind} at {self.place.file}:{self.place.line}"

    def __repr__(self) -> str:  # records refer to themselves
        return f"<{self}>"


@record
class VaList:
    """``__builtin_va_list``: an array of one 24-byte structure."""

    size: int = 24

    def __str__(self) -> str:
        return "__builtin_va_list"


Type = Void | Integer | Floating | Enumeration | Pointer | Array | Function | Record | VaList


def leads_to_const(kind: Type) -> bool:
    """Is it a pointer to what nobody may write to through it?"""
    return isinstance(kind, Pointer) and "const" in kind.qualifiers


VOID = Void()
BOOL = Integer("_Bool", 1, False, 0)
CHAR = Integer("char", 1, True, 1)
SCHAR = Integer("signed char", 1, True, 1)
UCHAR = Integer("unsigned char", 1, False, 1)
SHORT = Integer("short", 2, True, 2)
USHORT = Integer("unsigned short", 2, False, 2)
INT = Integer("int", 4, True, 3)
UINT = Integer("unsigned int", 4, False, 3)
LONG = Integer("long", 8, True, 4)
ULONG = Integer("unsigned long", 8, False, 4)
LLONG = Integer("long long", 8, True, 5)
ULLONG = Integer("unsigned long long", 8, False, 5)
INT128 = Integer("__int128", 16, True, 6)
UINT128 = Integer("unsigned __int128", 16, False, 6)
FLOAT = Floating("float", 4, 32)
DOUBLE = Floating("double", 8, 64)
LDOUBLE = Floating("long double", 16, 80)
VA_LIST = VaList()
SIZE = ULONG
PTRDIFF = LONG
WCHAR = INT


def size_of(kind: Type) -> int:
    """The size of a type in bytes (C17 6.5.3.4): void and functions count 1 as in gcc; 0 for an
    incomplete type."""
    match kind:
        case Void() | Function():
            return 1
        case Array(element=element, length=length):
            return size_of(element) * length if isinstance(length, int) else 0
        case _:
            return kind.size


def scalar_sizes(kind: Type) -> list[int]:
    """The sizes in bytes of the scalars that an object consists of, in order. What has no single
    interpretation (padding, unions, bit-fields) counts as single bytes."""
    match kind:
        case Array(element=element, length=int(length)):
            return scalar_sizes(element) * length
        case Record(kind=RecordKind.STRUCT, fields=tuple(fields), size=size):
            found: list[int] = []
            place = 0
            for field_ in fields:
                if field_.bit_width is not None or field_.offset < place:
                    continue
                inner = scalar_sizes(field_.type)
                found += [1] * (field_.offset - place) + inner
                place = field_.offset + sum(inner)
            return found + [1] * (size - place)
        case Integer(size=size) | Pointer(size=size) if size in (1, 2, 4, 8):
            return [size]
        case Enumeration(underlying=underlying):
            return [underlying.size]
        case _:
            return [1] * size_of(kind)


def scalars_at(kind: Type, offset: int) -> Iterator[tuple[Type, int, bool]]:
    """The scalars that a byte of an object, or of an array of such objects, is in: each with the
    byte's offset in it, and whether nothing else can lie there, as in a union."""
    waiting = [(kind, offset, True)]
    while waiting:
        each, at, alone = waiting.pop()
        match each:
            case Array(element=element):
                waiting.append((element, at % max(1, size_of(element)), alone))
            case Record(fields=fields):
                sizes = [size_of(field_.type) for field_ in fields or ()]
                if all(sizes):  # else its last member has as many elements as there is room for
                    at %= max(1, each.size)
                alone = alone and each.kind is RecordKind.STRUCT
                waiting += [
                    (field_.type, at - field_.offset, alone)
                    for field_, size in zip(fields or (), sizes, strict=True)
                    if 0 <= at - field_.offset < (size or at + 1)
                ]
            case _:
                yield each, at % max(1, size_of(each)), alone


def value_bytes(kind: Type) -> bytes:
    """For each byte of an object, 1 if it is part of a value, 0 for padding. struct {char c; short
    s;} gives 1 0 1 1; a byte of a union is part of a value if it is in any member."""
    match kind:
        case Array(element=element, length=int(length)):
            return value_bytes(element) * length
        case Record(fields=tuple(fields), size=size):
            found = bytearray(size)
            for field_ in fields:
                if field_.bit_width is not None and not field_.name:
                    continue  # padding; one of no width may even stand behind the end
                if field_.bit_width is not None:
                    last = field_.bit_offset + field_.bit_width - 1
                    inner = bytes(field_.bit_offset // 8) + b"\1" * (
                        last // 8 - field_.bit_offset // 8 + 1
                    )
                else:
                    inner = value_bytes(field_.type)
                for place, mark in enumerate(inner, field_.offset):
                    found[place] |= mark
            return bytes(found)
        case VaList():
            return bytes(kind.size)
        case Floating(bits=bits, size=size):
            return (b"\1" * (bits // 8)).ljust(size, b"\0")
        case _:
            return b"\1" * size_of(kind)


def alignment_of(kind: Type) -> int:
    match kind:
        case Array(element=element):
            return alignment_of(element)
        case Record(alignment=alignment):
            return alignment
        case VaList():
            return 8
        case _:
            return size_of(kind)


def limits(bits: int, signed: bool) -> tuple[int, int]:
    """The least and the greatest number of an integer type: (-128, 127) of 8 bits with a sign."""
    least = -(1 << bits - 1) if signed else 0
    return least, least + (1 << bits) - 1


def value_bits(kind: Type) -> int:
    """The width in bits of a scalar's value in a register: 1 for _Bool, 64 for pointers, 80 for
    long double."""
    match kind:
        case Integer(bits=bits) | Floating(bits=bits):
            return bits
        case Enumeration(underlying=underlying):
            return underlying.bits
        case Pointer() | Array() | Function() | VaList():
            return 64
        case _:
            raise AssertionError(f"{kind} is no scalar")


FILE_TAG = "_IO_FILE"  # what glibc's stdio.h has behind FILE


def is_stream(kind: Type) -> bool:
    """Is it ``FILE *``?"""
    return isinstance(kind, Pointer) and getattr(kind.target, "tag", "") == FILE_TAG


def is_integer(kind: Type) -> bool:
    return isinstance(kind, Integer | Enumeration)


def is_arithmetic(kind: Type) -> bool:
    return isinstance(kind, Integer | Enumeration | Floating)


def is_opaque(kind: Type) -> bool:
    """Is it a type of which C tells no parts: a vector, a complex number?"""
    return isinstance(kind, Record) and bool(kind.spelling)


def is_scalar(kind: Type) -> bool:
    return isinstance(kind, Integer | Enumeration | Floating | Pointer)


def is_signed(kind: Type) -> bool:
    match kind:
        case Integer(signed=signed):
            return signed
        case Enumeration(underlying=underlying):
            return underlying.signed
        case _:
            return False


def of_width(kind: Type, bits: int) -> Integer:
    """An integer type of just so many bits, as gcc gives it to a bit-field."""
    whole = kind.underlying if isinstance(kind, Enumeration) else kind
    assert isinstance(whole, Integer)
    return replace(whole, width=bits)


def bit_field_type(kind: Type, width: int) -> Type:
    """What gcc makes of the declared type of a bit-field: ``unsigned long x : 16`` is an unsigned
    short, and ``x : 5`` has a type of 5 bits that no declaration can name."""
    whole = kind.underlying if isinstance(kind, Enumeration) else kind
    assert isinstance(whole, Integer)
    if width == whole.bits:
        return whole
    for standard in (SCHAR, UCHAR, SHORT, USHORT, INT, UINT, LONG, ULONG):
        if (standard.bits, standard.signed) == (width, whole.signed):
            return standard
    return of_width(whole, width)


def promoted(kind: Type, bit_width: int | None = None) -> Type:
    """The type after integer promotion (C17 6.3.1.1p2). ``bit_width`` for a bit-field: int if that
    represents its values, else, as in gcc, a type of just its bits. Other types stay as they
    are."""
    match kind:
        case Enumeration(underlying=underlying):
            return promoted(underlying, bit_width)
        case Integer(rank=rank):
            if bit_width is not None and bit_width <= INT.bits:
                return UINT if not kind.signed and bit_width == INT.bits else INT
            if bit_width is not None and bit_width < kind.bits:
                return replace(kind, width=bit_width)
            return INT if rank < INT.rank else kind
        case _:
            return kind


def usual_conversion(left: Type, right: Type) -> Type:
    """The common type of two arithmetic operands, C17 6.3.1.8."""
    for floating in (LDOUBLE, DOUBLE, FLOAT):
        if floating in (left, right):
            return floating
    a, b = promoted(left), promoted(right)
    assert isinstance(a, Integer) and isinstance(b, Integer)
    if a.bits != b.bits:  # on LP64 what C17 6.3.1.8 says, and gcc's rule for odd widths
        return a if a.bits > b.bits else b
    if a.signed == b.signed:
        return a if a.rank >= b.rank else b
    signed, unsigned = (a, b) if a.signed else (b, a)
    if unsigned.rank >= signed.rank:
        return unsigned
    return {LONG: ULONG, LLONG: ULLONG, INT: UINT, INT128: UINT128}[signed]


def decayed(kind: Type) -> Type:
    """The type of an array or function when it is used as a value (C17 6.3.2.1)."""
    match kind:
        case Array(element=element):
            return Pointer(element)
        case Function():
            return Pointer(kind)
        case _:
            return kind
