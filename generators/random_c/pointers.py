"""Pointers: to pointers, into arrays, to functions; arithmetic, differences, comparisons.

int **p3 = &p2;     **p3 += 4;     for (p = a; p < a + 4; p++) ...     table[x & 3](y)
"""

from __future__ import annotations

from generators.random_c.expressions import Object, Scope
from generators.random_c.printing import show
from generators.random_c.source import Source
from generators.random_c.statements import Statements
from generators.random_c.types import (
    INT,
    INTEGERS,
    SCALARS,
    Array,
    Floating,
    Integer,
    Pointer,
    Scalar,
    Type,
    declaration,
)
from generators.random_c.values import initialiser


def pointers(source: Source, scope: Scope) -> None:
    globals_here = _globals(source)
    table = _function_table(source, scope)
    walker = _walker(source)
    inner = scope.inner()
    inner.objects += globals_here
    with source.unit("pointers"):
        _chain(source, inner)
        _rows(source, inner)
        write = Statements(source, inner, loops=2, depth=1)
        for _ in range(source.between(3, 6)):
            match source.below(5):
                case 0:
                    _calls(source, write, table)
                case 1:
                    _walk(source, write)
                case 2:
                    _bytes(source, write)
                case 3:
                    _compare(source, write)
                case _:
                    write.several(1, 4, 2)
        _walks(source, inner, walker)


def _globals(source: Source) -> list[Object]:
    found = []
    for _ in range(source.between(1, 3)):
        element = source.choose(SCALARS)
        kind: Type = Array(element, source.choose((2, 4, 8, 5)))
        if source.maybe(30):
            kind = Array(kind, source.choose((2, 3)))
        name = source.name("a")
        source.write(f"static {declaration(kind, name)} = {initialiser(source, kind)};")
        found.append(Object(name, kind))
    kept = source.choose(list(found))
    scalar = kept.type
    text = kept.text
    while isinstance(scalar, Array):
        text, scalar = f"{text}[{source.below(scalar.length)}]", scalar.element
    name = source.name("p")
    source.write(f"static {declaration(Pointer(scalar), name)} = &{text};")
    found.append(Object(name, Pointer(scalar)))
    source.write("")
    return found


def _chain(source: Source, scope: Scope) -> None:
    """A variable, a pointer to it, a pointer to that; some of them pointed elsewhere."""
    kind = source.choose(SCALARS)
    names = [source.name("x") for _ in range(2)]
    for name in names:
        source.write(f"{declaration(kind, name)} = {initialiser(source, kind)};")
        scope.objects.append(Object(name, kind))
    current: Type = kind
    target = names[0]
    for level in range(source.between(1, 3)):
        current = Pointer(current)
        pointer = source.name("p")
        source.write(f"{declaration(current, pointer)} = &{target};")
        scope.objects.append(Object(pointer, current))
        if level == 0 and source.maybe(50):
            source.write(f"if ({names[0]} < {names[1]})", f"    {pointer} = &{names[1]};")
        elif level == 1 and source.maybe(50):
            source.write(f"*{pointer} = &{names[1]};")
        target = pointer


def _rows(source: Source, scope: Scope) -> None:
    """Pointers to arrays and arrays of pointers."""
    kind = source.choose(INTEGERS)
    grid = source.name("g")
    many = Array(Array(kind, 4), 3)
    source.write(f"static {declaration(many, grid)} = {initialiser(source, many)};")
    row, list_of = source.name("row"), source.name("list")
    source.write(f"{declaration(Pointer(Array(kind, 4)), row)} = {grid} + {source.below(3)};")
    parts = [f"&{grid}[{source.below(3)}][{source.below(4)}]" for _ in range(4)]
    of_pointers = Array(Pointer(kind), 4)
    source.write(f"{declaration(of_pointers, list_of)} = {{ {', '.join(parts)} }};")
    scope.objects += [
        Object(grid, many),
        Object(row, Pointer(Array(kind, 4))),
        Object(list_of, of_pointers),
    ]


def _function_table(source: Source, scope: Scope) -> tuple[str, str]:
    """Four functions of one type, in a table and in a structure with a table."""
    names = []
    for _ in range(source.between(2, 4)):
        name = source.name("op")
        with source.function(f"static int {name}(int x, int *y)"):
            own = Scope([Object("x", INT), Object("y", Pointer(INT))], scope.pure)
            body = Statements(source, own, loops=1, quiet=True, depth=1)
            body.several(1, 2, 1)
            source.write(f"return {body.expressions.integer(2)};")
        names.append(name)
    table, holder = source.name("table"), source.name("holder")
    entries = ", ".join(source.choose(names) for _ in range(4))
    source.write(f"static int (*const {table}[4])(int, int *) = {{ {entries} }};")
    source.write(
        f"static struct {{ char tag; int (**by)(int, int *); int (*one)(int, int *); }} {holder} ="
        f" {{ 'h', (int (**)(int, int *)) {table}, {source.choose(names)} }};"
    )
    source.write("")
    return table, holder


def _calls(source: Source, write: Statements, tables: tuple[str, str]) -> None:
    table, holder = tables
    counter, result = source.name("n"), source.name("t")
    index = f"{write.expressions.leaf()} & 3"
    argument = write.expressions.integer(1)
    form = source.choose(
        (f"{table}[{index}]", f"(*{table}[{index}])", f"{holder}.by[{index}]", f"{holder}.one")
    )
    source.write(f"int {counter} = {source.below(50)};")
    source.write(f"int {result} = {form}({argument}, &{counter});")
    source.write(f'printf("call %d %d\\n", {result}, {counter});')
    source.write(f'if ({holder}.one == {table}[{source.below(4)}]) puts("same");')


def _arrays(write: Statements) -> list[tuple[str, Scalar, int]]:
    """Arrays of scalars that may be written through a pointer."""
    return [
        (each.text, each.type.element, each.type.length)
        for each in write.scope.objects
        if isinstance(each.type, Array)
        and isinstance(each.type.element, (Integer, Floating))
        and not each.fixed
    ]


def _walk(source: Source, write: Statements) -> None:
    found = _arrays(write)
    if not found:
        return
    array, kind, length = source.choose(found)
    name = source.name("p")
    pointer = declaration(Pointer(kind), name)
    match source.below(3):
        case 0:
            source.write(f"for ({pointer} = {array}; {name} < {array} + {length}; {name}++)")
        case 1:
            source.write(f"for ({pointer} = &{array}[{length}]; {name}-- > {array};)")
        case _:
            source.write(
                f"for ({pointer} = {array}; {name} != {array} + {length - length % 2}; {name} += 2)"
            )
    source.write("    " + show(source, kind, f"*{name}"))


def _walker(source: Source) -> str:
    """``while (n--) *to++ = *from++ ...``"""
    name = source.name("walk")
    step = source.choose(("*from++ + n", "from++[0] ^ 5", "-*from++", "*from++ * *(to - n % 1)"))
    with source.function(f"static int *{name}(int *to, const int *from, int n)"):
        source.write("while (n-- > 0) {", f"    *to = {step};", "    to++;", "}", "return to;")
    return name


def _walks(source: Source, scope: Scope, walker: str) -> None:
    first, second = source.name("w"), source.name("w")
    source.write(f"int {first}[6] = {initialiser(source, Array(INT, 6))}, {second}[6] = {{ 0 }};")
    start, count = source.below(3), source.between(0, 3)
    source.write(
        f"int *end{first} = {walker}({second} + {start}, {first} + {source.below(3)}, {count});"
    )
    source.write(f'printf("moved %td\\n", end{first} - {second});')
    source.write("for (int i = 0; i < 6; i++)", f'    printf("%d,", *({second} + i));', 'puts("");')
    scope.objects.append(Object(second, Array(INT, 6)))


def _bytes(source: Source, write: Statements) -> None:
    """An integer through its bytes."""
    place = write.expressions.place(Integer)
    if place is None or not isinstance(place.type, Integer) or place.bit_field:
        return
    view, copy = source.name("c"), source.name("x")
    kind, index = place.type, source.below(max(place.type.bits // 8, 1))
    source.write(f"{declaration(kind, copy)} = {place.text};")
    source.write(f"unsigned char *{view} = (unsigned char *) &{copy};")
    source.write(f"{view}[{index}] ^= {source.below(256)};")
    source.write(f'printf("byte %d of %zu\\n", {view}[{index}], sizeof {copy});')
    source.write(show(source, kind, copy))


def _compare(source: Source, write: Statements) -> None:
    found = _arrays(write)
    if not found:
        return
    array, kind, length = source.choose(found)
    left, right = (source.name("p") for _ in range(2))
    for name in (left, right):
        index = write.expressions.index(length)
        source.write(f"{declaration(Pointer(kind), name)} = &{array}[{index}];")
    source.write(
        f'printf("%d%d%d %td\\n", {left} < {right}, {left} == {right}, {left} >= {right},'
        f" {left} - {right});"
    )
    source.write(
        f'printf("%ld %d\\n", (long) ((char *) {left} - (char *) {right}),'
        f" (int) ((uintptr_t) {left} - (uintptr_t) {array}));"
    )
    write.scope.objects += [Object(left, Pointer(kind)), Object(right, Pointer(kind))]
