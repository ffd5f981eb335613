"""Library functions on memory and numbers: sorting, searching, lists on the heap, division."""

from __future__ import annotations

from generators.random_c.expressions import Object, Scope
from generators.random_c.source import Source
from generators.random_c.statements import Statements
from generators.random_c.types import INT, INTEGERS, Array, Integer, declaration
from generators.random_c.values import initialiser


def library(source: Source, scope: Scope) -> None:
    kind = source.choose(list(INTEGERS))
    order = _comparator(source, kind)
    node = source.name("node")
    source.write(f"struct {node} {{ {kind.name} value; struct {node} *next; }};", "")
    with source.unit("library"):
        write = Statements(source, scope.inner(), loops=1, depth=1)
        for _ in range(source.between(2, 4)):
            match source.below(5):
                case 0:
                    _sorted(source, write, kind, order)
                case 1:
                    _list(source, write, kind, node)
                case 2:
                    _divided(source, write)
                case 3:
                    _heap(source, write, kind)
                case _:
                    _printed(source, write)
        write.several(1, 3, 2)


def _comparator(source: Source, kind: Integer) -> str:
    name = source.name("order")
    with source.function(f"static int {name}(const void *left, const void *right)"):
        source.write(f"{kind.name} a = *(const {kind.name} *) left;")
        source.write(f"{kind.name} b = *(const {kind.name} *) right;")
        source.write(source.choose(("return (a > b) - (a < b);", "return a < b ? 1 : -(a > b);")))
    return name


def _sorted(source: Source, write: Statements, kind: Integer, order: str) -> None:
    name, length = source.name("a"), source.between(1, 9)
    items = Array(kind, length)
    source.write(f"{declaration(items, name)} = {initialiser(source, items)};")
    for index in range(0, length, 3):
        source.write(f"{name}[{index}] = {write.expressions.integer(1)};")
    source.write(f"qsort({name}, {length}, sizeof {name}[0], {order});")
    source.write(
        f"for (int i = 0; i < {length}; i++)", f'    printf("%lld ", (long long) {name}[i]);'
    )
    key, found = source.name("key"), source.name("at")
    source.write(f"{declaration(kind, key)} = {name}[{source.below(length)}] + {source.below(2)};")
    source.write(
        f"{kind.name} *{found} = bsearch(&{key}, {name}, {length}, sizeof {key}, {order});"
    )
    source.write(f'printf("%d\\n", {found} ? *{found} == {key} : -1);')
    write.scope.objects.append(Object(name, items))


def _list(source: Source, write: Statements, kind: Integer, node: str) -> None:
    head, count = source.name("head"), source.between(1, 6)
    source.write(f"struct {node} *{head} = NULL;")
    with source.braces(f"for (int i = 0; i < {count}; i++)"):
        source.write(f"struct {node} *made = malloc(sizeof *made);")
        source.write(f"made->value = i * ({write.expressions.leaf()});")
        source.write(f"made->next = {head};", f"{head} = made;")
    if source.maybe(60):
        source.write(f"struct {node} *turned{head} = NULL;")
        with source.braces(f"while ({head})"):
            source.write(f"struct {node} *rest = {head}->next;")
            source.write(
                f"{head}->next = turned{head};", f"turned{head} = {head};", f"{head} = rest;"
            )
        source.write(f"{head} = turned{head};")
    with source.braces(f"while ({head})"):
        source.write(f"struct {node} *rest = {head}->next;")
        source.write(
            f'printf("%lld;", (long long) {head}->value);', f"free({head});", f"{head} = rest;"
        )
    source.write('puts("");')


def _divided(source: Source, write: Statements) -> None:
    left, right = write.expressions.integer(1), write.expressions.integer(0)
    name = source.name("d")
    function, kind = source.choose((("div", "int"), ("ldiv", "long"), ("lldiv", "long long")))
    source.write(f"{function}_t {name} = {function}(({kind}) ({left}), (({right}) & 63) + 1);")
    source.write(f'printf("%lld %lld\\n", (long long) {name}.quot, (long long) {name}.rem);')
    source.write(f'printf("%d %ld\\n", abs((int) ({left}) | 1), labs((long) ({right}) | 1));')
    source.write(f'printf("%d\\n", ffs((int) ({left})));')
    built_in = source.choose(("popcount", "parity", "clz", "ctz"))
    source.write(f'printf("%d\\n", __builtin_{built_in}((unsigned) ({left}) | 1u));')


def _heap(source: Source, write: Statements, kind: Integer) -> None:
    name, count = source.name("h"), source.between(2, 8)
    source.write(f"{kind.name} *{name} = calloc({count}, sizeof *{name});")
    source.write(f"{name}[{source.below(count)}] = {write.expressions.integer(1)};")
    source.write(f"{name}[{source.below(count)}] ^= {write.expressions.integer(1)};")
    source.write(f"{name} = realloc({name}, {2 * count} * sizeof *{name});")
    source.write(f"memcpy({name} + {count}, {name}, {count} * sizeof *{name});")
    source.write(
        f"for (int i = 0; i < {2 * count}; i++)",
        f'    printf("%lld,", (long long) {name}[i]);',
        'printf("\\n");',
        f"free({name});",
    )


def _printed(source: Source, write: Statements) -> None:
    count = source.name("n")
    source.write(f"int {count} = 0;")
    value = write.expressions.integer(1)
    source.write(
        f'{count} = printf("%5d|%-8ld|%hhx|%c%n", (int) ({value}), (long) ({value}),'
        f" (unsigned char) ({value}), 'A' + (int) (({value}) & 15), &{count});"
    )
    source.write(f'printf(" %d\\n", {count});')
    source.write(f'printf("%2$s %1$d\\n", {source.below(99)}, "second");')
    source.write('fputs("put ", stdout);', "putc('c', stdout);", "fputc('\\n', stdout);")
    source.write(f'fwrite("written\\n", 1, {source.choose((8, 4, 0))}, stdout);')


__all__ = ["INT", "library"]
