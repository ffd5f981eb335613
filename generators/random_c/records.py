"""Structures and unions: nested, with bit-fields, packed; copied, passed and returned by value.

struct S1 { int m2 : 5; struct { short m3; } m4; };
static struct S1 f5(struct S1 a, int b) { a.m2 += b; return a; }
"""

from __future__ import annotations

from generators.random_c.expressions import Object, Place, Scope
from generators.random_c.printing import show
from generators.random_c.source import Source
from generators.random_c.statements import Statements
from generators.random_c.types import (
    BOOL,
    INT,
    INTEGERS,
    SCALARS,
    UNSIGNED,
    Array,
    Floating,
    Integer,
    Member,
    Pointer,
    Record,
    Type,
    declaration,
)
from generators.random_c.values import initialiser

_LENGTHS = (2, 3, 4)


def define_record(source: Source, known: list[Record], union: bool = False) -> Record:
    """Write the definition of a fresh record; it may contain records that are ``known``."""
    keyword = "union" if union else "struct"
    name = f"{keyword} {source.name('U' if union else 'S')}"
    members: list[Member] = []
    if union:
        members = [_union_member(source) for _ in range(source.between(2, 4))]
        members.sort(key=lambda each: -_size(each))  # the first is the largest: see initialiser
    else:
        for _ in range(source.between(1, 5)):
            members += _member(source, known)
    packed = not union and source.maybe(15)
    if packed:
        source.write("#pragma pack(push, 1)")
    with source.braces(name, ";"):
        for member in members:
            width = "" if member.width is None else f" : {member.width}"
            source.write(f"{declaration(member.type, member.name)}{width};")
    if packed:
        source.write("#pragma pack(pop)")
    source.write("")
    return Record(name, tuple(members))


def _member(source: Source, known: list[Record]) -> list[Member]:
    kind = source.below(10)
    name = source.name("m")
    if kind < 4:
        return _bit_fields(source)
    if kind < 7:
        return [Member(name, source.choose((*SCALARS, BOOL)))]
    if kind < 9 and known:
        inside: Type = source.choose(known)
        return [Member(name, Array(inside, 2) if source.maybe(30) else inside)]
    return [Member(name, Array(source.choose(SCALARS), source.choose(_LENGTHS)))]


def _bit_fields(source: Source) -> list[Member]:
    found = []
    for _ in range(source.between(1, 3)):
        kind = source.choose((INT, UNSIGNED, *INTEGERS, BOOL))
        width = source.between(1, kind.bits)
        if source.maybe(10):
            found.append(Member("", kind, 0 if source.maybe(50) else width))
            if kind.bits == 1:
                found.pop()
            continue
        found.append(Member(source.name("b"), kind, width))
    if all(not each.name for each in found):
        found.append(Member(source.name("b"), INT, 7))
    return found


def _union_member(source: Source) -> Member:
    kind = source.choose([each for each in SCALARS if each.bits <= 64])
    name = source.name("m")
    if source.maybe(30):
        return Member(name, Array(kind, source.choose(_LENGTHS)))
    if isinstance(kind, Integer) and source.maybe(25):
        return Member(name, kind, source.between(1, kind.bits))
    return Member(name, kind)


def _bits(kind: Type) -> int:
    match kind:
        case Array(element=element, length=length):
            return length * _bits(element)
        case Integer(bits=bits) | Floating(bits=bits):
            return bits
        case _:
            raise AssertionError(f"no member of a union: {kind}")


def _size(member: Member) -> int:
    """Bits; a bit-field counts less than any other member."""
    return member.width // 8 if member.width is not None else _bits(member.type)


# --------------------------------------------------------------------------- what is printed


def places(text: str, kind: Type) -> list[Place]:
    """Every scalar in an object."""
    match kind:
        case Array(element=element, length=length):
            return [each for index in range(length) for each in places(f"{text}[{index}]", element)]
        case Record(members=members):
            return [
                Place(each.text, each.type, member.width is not None)
                for member in members
                if member.name
                for each in places(f"{text}.{member.name}", member.type)
            ]
        case Pointer():
            return []
        case _:
            return [Place(text, kind)]


def printer(source: Source, kind: Record) -> str:
    """A function that prints all of a record, which it gets by value or by address."""
    name, parameter = source.name("show"), source.name("p")
    by_value = source.maybe(40)
    passed: Type = kind if by_value else Pointer(kind)
    with source.function(f"static void {name}({declaration(passed, parameter)})"):
        access = parameter if by_value else f"(*{parameter})"
        for place in places(access, kind)[:30]:
            source.write(show(source, place.type, place.text))
    return f"{name}({{}})" if by_value else f"{name}(&{{}})"


# --------------------------------------------------------------------------- the unit


def records(source: Source, scope: Scope) -> None:
    known: list[Record] = []
    for turn in range(source.between(2, 4)):
        known.append(define_record(source, known, union=turn == 1 or source.maybe(15)))
    printers = {kind.name: printer(source, kind) for kind in known}
    globals_here = _globals(source, known)
    changers = [_changer(source, kind, scope) for kind in known]
    inner = scope.inner()
    inner.objects += globals_here
    with source.unit("records"):
        objects = _locals(source, known, inner)
        for _ in range(source.between(4, 8)):
            _one(source, inner, objects, changers)
        for item in objects:
            assert isinstance(item.type, Record)
            source.write(printers[item.type.name].format(item.text) + ";")
        for kind in known:
            source.write(_layout(kind))


def _layout(kind: Record) -> str:
    named = [each for each in kind.members if each.name and each.width is None]
    offset = f"offsetof({kind.name}, {named[-1].name})" if named else "0ul"
    return f'printf("%zu %zu\\n", sizeof({kind.name}), (size_t) {offset});'


def _globals(source: Source, known: list[Record]) -> list[Object]:
    found = []
    for kind in known:
        name = source.name("g")
        if source.maybe(40):
            many = Array(kind, 2)
            source.write(f"static {declaration(many, name)} = {initialiser(source, many)};")
            found += [Object(f"{name}[{index}]", kind) for index in range(2)]
        else:
            source.write(f"static {declaration(kind, name)} = {initialiser(source, kind)};")
            found.append(Object(name, kind))
    source.write("")
    return found


def _locals(source: Source, known: list[Record], scope: Scope) -> list[Object]:
    found = [each for each in scope.objects if isinstance(each.type, Record)]
    for kind in known:
        name = source.name("r")
        if _has_union(kind):  # what an initialiser leaves of a local union is unspecified
            source.write(f"{declaration(kind, name)};", f"memset(&{name}, 0, sizeof {name});")
        else:
            source.write(f"{declaration(kind, name)} = {initialiser(source, kind)};")
        found.append(Object(name, kind))
        scope.objects.append(found[-1])
    for _ in range(2):
        target = source.choose(found)
        name = source.name("q")
        source.write(f"{declaration(Pointer(target.type), name)} = &{target.text};")
        scope.objects.append(Object(name, Pointer(target.type)))
    return found


def _has_union(kind: Type) -> bool:
    match kind:
        case Array(element=element):
            return _has_union(element)
        case Record(members=members):
            return kind.is_union or any(_has_union(each.type) for each in members)
        case _:
            return False


def _changer(source: Source, kind: Record, scope: Scope) -> tuple[Record, str]:
    """A function from a record by value to a record by value."""
    name, parameter, number = source.name("change"), source.name("p"), source.name("p")
    with source.function(f"static {kind.name} {name}({kind.name} {parameter}, int {number})"):
        own = Scope([Object(parameter, kind), Object(number, INT)], scope.pure)
        Statements(source, own, loops=1, quiet=True, depth=1).several(2, 4, 1)
        source.write(f"return {parameter};")
    return kind, name


def _one(
    source: Source, scope: Scope, objects: list[Object], changers: list[tuple[Record, str]]
) -> None:
    target = source.choose(objects)
    alike = [each for each in objects if each.type == target.type]
    other = source.choose(alike).text
    write = Statements(source, scope, loops=1, depth=1)
    match source.below(6):
        case 0:
            source.write(f"{target.text} = {other};")
        case 1:
            move = "memmove" if target.text == other else source.choose(("memcpy", "memmove"))
            source.write(f"{move}(&{target.text}, &{other}, sizeof {other});")
        case 2:
            change = next(name for kind, name in changers if kind == target.type)
            argument = write.expressions.integer(1)
            source.write(f"{target.text} = {change}({other}, {argument});")
        case 3 if not _has_union(target.type):
            assert isinstance(target.type, Record)
            source.write(
                f"{target.text} = ({target.type.name}) {initialiser(source, target.type)};"
            )
        case _:
            write.several(1, 3, 2)
