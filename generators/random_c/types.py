"""The C types that random programs use, and how a declaration spells them.

declaration(Array(Pointer(INT), 4), "a")     ->  int *a[4]
declaration(Pointer(Array(INT, 4)), "a")     ->  int (*a)[4]
"""

from __future__ import annotations

from typing import Final, assert_never

from csg.records import record


@record
class Integer:
    """``length`` is printf's length modifier, ``suffix`` that of a literal."""

    name: str
    bits: int
    signed: bool
    length: str = ""
    suffix: str = ""


@record
class Floating:
    name: str
    bits: int
    length: str = ""
    suffix: str = ""


@record
class Pointer:
    target: Type


@record
class Array:
    element: Type
    length: int


@record
class Member:
    """``width``: of a bit-field."""

    name: str
    type: Type
    width: int | None = None


@record
class Record:
    """``name`` is the whole ``struct tag``."""

    name: str
    members: tuple[Member, ...]

    @property
    def is_union(self) -> bool:
        return self.name.startswith("union")


Scalar = Integer | Floating
Type = Integer | Floating | Pointer | Array | Record

BOOL: Final = Integer("_Bool", 1, False)
CHAR: Final = Integer("char", 8, True, "hh")
INT: Final = Integer("int", 32, True)
UNSIGNED: Final = Integer("unsigned", 32, False, "", "u")
LONG: Final = Integer("long", 64, True, "l", "L")
UNSIGNED_LONG: Final = Integer("unsigned long", 64, False, "l", "UL")
DOUBLE: Final = Floating("double", 64)

INTEGERS: Final[tuple[Integer, ...]] = (
    CHAR,
    Integer("signed char", 8, True, "hh"),
    Integer("unsigned char", 8, False, "hh"),
    Integer("short", 16, True, "h"),
    Integer("unsigned short", 16, False, "h"),
    INT,
    INT,
    UNSIGNED,
    LONG,
    UNSIGNED_LONG,
    Integer("long long", 64, True, "ll", "LL"),
    Integer("unsigned long long", 64, False, "ll", "ULL"),
)
FLOATINGS: Final[tuple[Floating, ...]] = (
    Floating("float", 32, "", "f"),
    DOUBLE,
    DOUBLE,
    Floating("long double", 80, "L", "L"),
)
SCALARS: Final[tuple[Scalar, ...]] = (*INTEGERS, *INTEGERS, *FLOATINGS)


def declaration(kind: Type, name: str) -> str:
    """``kind`` applied to a declarator, as C writes it."""
    match kind:
        case Integer() | Floating() | Record():
            return f"{kind.name} {name}".rstrip()
        case Pointer(target=Array() as target):
            return declaration(target, f"(*{name})")
        case Pointer(target=target):
            return declaration(target, f"*{name}")
        case Array(element=element, length=length):
            return declaration(element, f"{name}[{length}]")
        case _:
            assert_never(kind)
