"""Control flow that structured statements do not reach: computed goto, Duff's device, recursion,
statement expressions, arrays of variable length, static counters, 128-bit numbers."""

from __future__ import annotations

from generators.random_c.expressions import Expressions, Object, Scope
from generators.random_c.source import Source
from generators.random_c.statements import Statements
from generators.random_c.types import INT, INTEGERS, LONG, Array, declaration
from generators.random_c.values import initialiser


def control(source: Source, scope: Scope) -> None:
    recursive = _recursive(source, scope)
    counting = _counting(source, scope)
    with source.unit("control"):
        inner = scope.inner()
        write = Statements(source, inner, loops=2, depth=2)
        write.several(2, 4, 3)
        for _ in range(source.between(2, 4)):
            match source.below(6):
                case 0:
                    _computed(source, write)
                case 1:
                    _duff(source, write)
                case 2:
                    _variable_length(source, write)
                case 3:
                    _statement_expression(source, write)
                case 4:
                    _wide(source, write)
                case _:
                    write.several(1, 3, 3)
        number = write.expressions.integer(1)
        source.write(f'printf("%ld\\n", {recursive}({source.between(1, 7)}, {number}));')
        source.write(f'printf("%d\\n", {counting}({number}));')
        source.write(f'printf("%d\\n", {counting}(3));')


def _recursive(source: Source, scope: Scope) -> str:
    name = source.name("deep")
    own = Scope([Object("depth", INT, fixed=True), Object("x", LONG)], scope.pure)
    with source.function(f"static long {name}(int depth, long x)"):
        body = Statements(source, own, loops=1, quiet=True, depth=1)
        source.write("if (depth <= 0)", f"    return {body.expressions.integer(1)};")
        body.several(1, 2, 1)
        again = f"{name}(depth - {source.between(1, 2)}, {body.expressions.integer(1)})"
        source.write(f"long y = {again};")
        own.objects.append(Object("y", LONG))
        if source.maybe(50):
            source.write("if (depth & 1)", f"    y ^= {name}(depth - 2, y);")
        source.write(f"return {body.expressions.integer(1)} + y;")
    return name


def _counting(source: Source, scope: Scope) -> str:
    """A function with memory of its own."""
    name, kind = source.name("count"), source.choose(INTEGERS)
    own = Scope([Object("x", INT)], scope.pure)
    with source.function(f"static int {name}(int x)"):
        source.write(f"static {declaration(kind, 'kept')} = {initialiser(source, kind)};")
        source.write(f"static int past[4] = {initialiser(source, Array(INT, 4))};")
        own.objects += [Object("kept", kind), Object("past", Array(INT, 4))]
        body = Statements(source, own, loops=1, depth=1)
        body.several(2, 4, 2)
        source.write(f"return {body.expressions.integer(2)};")
    return name


def _computed(source: Source, write: Statements) -> None:
    label, step, where = source.name("T"), source.name("n"), source.name("to")
    labels = [f"{label}_{index}" for index in range(4)]
    places = ", ".join(f"&&{each}" for each in labels)
    source.write(f"static void *const {where}[4] = {{ {places} }};", f"int {step} = 0;")
    source.write(f"goto *{where}[{write.expressions.leaf()} & 3];")
    for each in labels:
        source.write(f"{each}:;")
        write.body("", 1, loops=1)
        source.write(
            f"if (++{step} < {source.between(2, 5)})",
            f"    goto *{where}[({step} + {source.below(4)}) & 3];",
        )


def _duff(source: Source, write: Statements) -> None:
    count, rounds, total = source.name("n"), source.name("k"), source.name("t")
    source.write(f"int {count} = (({write.expressions.leaf()}) & 15) + 1, {total} = 0;")
    source.write(f"int {rounds} = ({count} + 3) / 4;")
    with (
        source.braces(f"switch ({count} % 4)"),
        source.braces("case 0: do", f" while (--{rounds} > 0);"),
    ):
        operator = source.choose(("+=", "^=", "-="))
        source.write(f"{total} {operator} {rounds};")
        for left in (3, 2, 1):
            source.write(f"case {left}: {total} = {total} * {source.between(2, 9)} + {left};")
    source.write(f'printf("duff %d %d\\n", {count}, {total});')


def _variable_length(source: Source, write: Statements) -> None:
    length, array = source.name("n"), source.name("vla")
    kind = source.choose(INTEGERS)
    source.write(f"int {length} = (({write.expressions.leaf()}) & 7) + 2;")
    source.write(f"{declaration(kind, array)}[{length}];")
    source.write(f"for (int i = 0; i < {length}; i++)", f"    {array}[i] = i * {source.below(90)};")
    source.write(f"{array}[{length} - 1] ^= {array}[{length} / 2];")
    last = source.choose((1, 2))
    source.write(f'printf("%zu %lld\\n", sizeof {array}, (long long) {array}[{length} - {last}]);')


def _statement_expression(source: Source, write: Statements) -> None:
    name = source.name("v")
    value = write.expressions.integer(1)
    inside = Expressions(source, Scope([Object("t", INT)], write.scope.pure)).integer(1)
    source.write(f"long {name} = ({{ int t = {value}; if (t < 0) t = -(t + 1); {inside}; }});")
    source.write(f'printf("%ld %d\\n", {name}, ({value}) ?: 3);')
    write.scope.objects.append(Object(name, LONG))


def _wide(source: Source, write: Statements) -> None:
    """128 bits."""
    signed, other = source.name("w"), source.name("u")
    first, second, third = (write.expressions.integer(1) for _ in range(3))
    source.write(f"__int128 {signed} = (__int128) ({first}) * {source.between(-99999, 99999)}L;")
    source.write(f"unsigned __int128 {other} = {signed};")
    source.write(
        f"{signed} = ({signed} << (({second}) & 63)) "
        f"{source.choose(('+', '-', '^', '*', '|'))} ({third});"
    )
    source.write(f"{other} = {other} {source.choose(('/', '%'))} ((({third}) & 1023) + 7);")
    source.write(f"{signed} {source.choose(('/=', '%='))} {source.between(2, 1 << 40)}L;")
    source.write(f"{signed} >>= ({second}) & 31;")
    for name in (signed, other):
        source.write(
            f'printf("%lx:%lx\\n", (unsigned long) ({name} >> 64), (unsigned long) {name});'
        )
    source.write(f'printf("%d %.6g\\n", {signed} < (__int128) {other}, (double) {signed});')
