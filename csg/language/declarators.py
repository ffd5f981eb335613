"""C types as text, inside out.

Pointer(Function(INT, (CHAR,))) named f     ->  int (*f)(char)
Array(Pointer(CHAR, {"const"}), 3) named a  ->  const char *a[3]
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from csg.language.syntax import Expression, Symbol
from csg.language.types import (
    NONE,
    Array,
    Enumeration,
    Floating,
    Function,
    Integer,
    Pointer,
    Qualifiers,
    Record,
    Type,
    VaList,
    Void,
)

LengthText = Callable[[Expression], str]


def no_length(_: Expression) -> str:
    return "*"


def tag_text(tag: str) -> str:
    """A tag that C accepts: those the front end made up contain signs that no name has."""
    return re.sub(r"\W+", "_", f"csgtest{tag}") if re.search(r"\W", tag) else tag


def base_text(kind: Type) -> str:
    match kind:
        case Record(kind=keyword, tag=tag):
            return f"{keyword} {tag_text(tag)}"
        case Enumeration(tag=tag):
            return f"enum {tag_text(tag)}"
        case Integer() | Floating() | Void() | VaList():
            return str(kind)
        case _:
            raise AssertionError("a derived type has no one-word text")


def declaration_text(
    kind: Type,
    name: str = "",
    qualifiers: Qualifiers = NONE,
    length: LengthText = no_length,
    parameters: str | None = None,
) -> str:
    """The declaration of ``name``; ``parameters`` replaces the list of the outermost function."""
    inner = name
    while True:
        match kind:
            case Pointer(target=target, qualifiers=below):
                words = "".join(f"{word} " for word in sorted(qualifiers))
                inner = f"*{words}{inner}".rstrip() if not inner else f"*{words}{inner}"
                if isinstance(target, Array | Function):
                    inner = f"({inner})"
                kind, qualifiers = target, below
            case Array(element=element, length=size):
                inner = f"{inner}[{_length_text(size, length)}]"
                kind = element
            case Function(result=result):
                shown = parameters if parameters is not None else parameter_list(kind, length)
                parameters = None
                inner = f"{inner}({shown})"
                kind, qualifiers = result, NONE
            case _:
                words = "".join(f"{word} " for word in sorted(qualifiers))
                return f"{words}{base_text(kind)} {inner}".rstrip()


def _length_text(size: int | Expression | None, length: LengthText) -> str:
    if size is None:
        return ""
    return str(size) if isinstance(size, int) else length(size)


def parameter_list(kind: Function, length: LengthText = no_length) -> str:
    if not kind.prototype:
        return ""
    shown = [declaration_text(parameter, length=length) for parameter in kind.parameters]
    if kind.variadic:
        shown.append("...")
    return ", ".join(shown) or "void"


def named_parameters(kind: Function, symbols: Iterable[Symbol], length: LengthText) -> str:
    shown = [symbol_text(symbol, length) for symbol in symbols]
    if kind.variadic:
        shown.append("...")
    return ", ".join(shown) or "void"


def symbol_text(symbol: Symbol, length: LengthText = no_length) -> str:
    return declaration_text(symbol.type, symbol.name, symbol.qualifiers, length)


def enumeration_text(kind: Enumeration) -> str:
    values = ", ".join(f"{name} = {value}" for name, value in kind.enumerators)
    return f"{base_text(kind)} {{ {values} }}"
