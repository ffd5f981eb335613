"""What a driver passes instead of an object of its own, where code looks at which one it is.

    int f(int (*a)(int), int (*b)(int))         which asks a == b, and b == twice

    int driven_f(int a_first, int a_then, int b_first, int b_then, unsigned char b_is)
        if (b_is == 1) passed_b = stub_a;
        if (b_is == 2) passed_b = twice;

    int g(FILE *out, const char *p)             which asks out == stderr, p == MAP_FAILED

    int driven_g(const char *out, unsigned char out_is, const char *p, unsigned char p_is)
        if (out_is == 1) stream_out = stderr;
        if (p_is == 1) passed_p = (const char *) -1;

``csg.analysis.pointer_identity`` finds what the code asks. Where it asks whether a callback or a
stream is null, null is an alternative as well. Alternatives beyond the first ``MOST_OTHERS``, and
those that no text in the file of the function can name, are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from typing import assert_never

from csg.analysis.pointer_identity import Kind, Other, PointerIdentity
from csg.errors import NOWHERE, Location
from csg.language.syntax import FunctionDefinition, Linkage, Symbol, TranslationUnit
from csg.language.type_text import declaration_text
from csg.language.types import Function, Pointer, Type
from csg.records import record

IS = "_is"  # behind the name of a parameter: which alternative is passed
MOST_OTHERS = 4  # alternatives of one parameter, apart from null
NULL = Other(Kind.CONSTANT)


@record
class Choice:
    """The ``others`` that tests pass for the parameter number ``at``, and those ``left_out``.
    ``name``: its name in the new version.
    ``declared``: the declarations of functions that the file of the function lacks; ``local``: the
    names of functions that only this file can name; ``cast``: the names of functions and parameters
    of other types. ``location``: where the code looks at it."""

    at: int
    name: str
    others: tuple[Other, ...]
    left_out: tuple[Other, ...] = ()
    declared: tuple[str, ...] = ()
    local: frozenset[str] = frozenset()
    cast: frozenset[str] = frozenset()
    location: Location = NOWHERE

    def texts(self, kind: Type, stub: Callable[[str], str]) -> Iterator[str]:
        """The alternatives in C, for a parameter of this ``kind``; ``stub``: what is passed for
        another parameter."""
        for each in self.others:
            yield _text(each, kind, stub, each.name in self.cast)

    def elsewhere(self) -> Choice:
        """The choice in another file, which cannot name what is local."""
        there = tuple(each for each in self.others if each.name not in self.local)
        gone = tuple(each for each in self.others if each.name in self.local)
        return replace(self, others=there, left_out=(*self.left_out, *gone), local=frozenset())


def _text(other: Other, kind: Type, stub: Callable[[str], str], is_cast: bool) -> str:
    cast = f"({declaration_text(kind)}) "
    match other.kind:
        case Kind.PARAMETER:
            return f"{cast if is_cast else ''}{stub(other.name)}"
        case Kind.FUNCTION:
            return f"{cast if is_cast else ''}{other.name}"
        case Kind.STREAM:
            return other.name
        case Kind.CONSTANT if not other.value:
            return "NULL"
        case Kind.CONSTANT:
            return f"{cast}{_number(other.value)}"
        case _:
            assert_never(other.kind)


def _number(value: int) -> str:
    signed = value - (value >> 63 << 64)
    return str(signed) if abs(signed) < 1 << 31 else f"{value:#x}UL"


def shown_other(other: Other) -> str:
    return other.name or f"the address {_number(other.value)}"


# ------------------------------------------------------------------------ what a driver can pass


def choices(
    versions: Sequence[Sequence[TranslationUnit]],
    entry: str,
    found: Sequence[PointerIdentity],
    asked: Collection[int],
    role: Callable[[Type], str],
) -> tuple[Choice, ...]:
    """The choices of a driver of this function. ``asked``: the numbers of the parameters that a
    version compares with null; ``role``: "callback" or "stream" for what a driver makes of a
    pointer, "" for others."""
    homes = [[unit for unit in units if _defines(unit, entry)] for units in versions]
    if any(len(units) != 1 for units in homes):
        return ()
    files = [units[0] for units in homes]
    function = next(each for each in files[-1].functions if each.symbol.name == entry)
    known = {each.at: each for each in found}
    made = []
    for at, parameter in enumerate(function.parameters):
        if isinstance(parameter.type, Pointer):
            identity = known.get(at, PointerIdentity(at, ()))
            made.append(_choice(files, function, identity, role, at in asked))
    return tuple(each for each in made if each.others or each.left_out)


def _choice(
    files: Sequence[TranslationUnit],
    function: FunctionDefinition,
    found: PointerIdentity,
    role: Callable[[Type], str],
    asked: bool,
) -> Choice:
    own = role(function.parameters[found.at].type)
    passed: list[Other] = []
    left: list[Other] = []
    declared: list[str] = []
    local: set[str] = set()
    symbols = {each.name: each for each in found.functions}
    hidden = {each.name for each in function.parameters}
    by_variable = NULL in found.others  # else a caller's null is an input of its own
    for each in found.others:
        if each == NULL:
            continue
        if each.kind is Kind.PARAMETER:
            if _is_behind(function, found.at, each, role):
                passed.append(each)
            continue
        text: str | None = ""
        if each.kind is Kind.FUNCTION:
            symbol = symbols[each.name]
            text = None if each.name in hidden else _declaration(files, symbol)
            if symbol.linkage is Linkage.INTERNAL:
                local.add(each.name)
        if text is None or not _may_be(own, each.kind) or len(passed) == MOST_OTHERS:
            left.append(each)
            continue
        passed.append(each)
        declared += [text] if text else []
    if (asked and own) or (by_variable and not asked):
        passed.insert(0, NULL)
    return Choice(
        found.at,
        function.parameters[found.at].name,
        tuple(passed),
        tuple(left),
        tuple(declared),
        frozenset(local),
        frozenset(_of_other_types(function, found)),
        found.location,
    )


def _of_other_types(function: FunctionDefinition, found: PointerIdentity) -> Iterator[str]:
    kind = function.parameters[found.at].type
    assert isinstance(kind, Pointer)
    for each in found.functions:
        if each.type != kind.target:
            yield each.name
    for each in function.parameters:
        if each.type != kind:
            yield each.name


def _is_behind(
    function: FunctionDefinition, at: int, other: Other, role: Callable[[Type], str]
) -> bool:
    """Is it an earlier parameter of which a driver makes the same? To pass what that one has is
    enough. What other pointers lead to may be one object anyway (``inputs.aliases``)."""
    own = role(function.parameters[at].type)
    before = function.parameters[:at]
    return bool(own) and any(each.name == other.name and role(each.type) == own for each in before)


def _may_be(own: str, kind: Kind) -> bool:
    match kind:
        case Kind.FUNCTION:
            return own == "callback"
        case Kind.STREAM:
            return own == "stream"
        case _:
            return True


def _declaration(files: Sequence[TranslationUnit], symbol: Symbol) -> str | None:
    """What the files of both versions lack to name a function: "" if nothing, None if they
    cannot."""
    if all(_names(file, symbol.name) for file in files):
        return ""
    if symbol.linkage is Linkage.INTERNAL or not isinstance(symbol.type, Function):
        return None
    return f"{declaration_text(symbol.type, symbol.name)};"


def _names(file: TranslationUnit, name: str) -> bool:
    return _defines(file, name) or any(each.symbol.name == name for each in file.declarations)


def _defines(file: TranslationUnit, name: str) -> bool:
    return any(each.symbol.name == name for each in file.functions)
