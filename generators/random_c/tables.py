"""What objects begin with, and rarer declarations: addresses of parts, strings, enumerations,
nested designators, flexible arrays, parameters of variable length, _Generic, sscanf.

    static struct T1 t2[3] = { [2].m = { 1, [1] = 5 }, [0] = { .name = "x", .to = &a[1] } };
"""

from __future__ import annotations

from generators.random_c.expressions import Object, Scope
from generators.random_c.source import Source
from generators.random_c.statements import Statements
from generators.random_c.types import INT, INTEGERS, Array, declaration
from generators.random_c.values import initialiser, literal

_TEXTS = ('"one"', '"two" "three"', '"\\x41\\102C"', '""', '"tab\\there"')


def tables(source: Source, scope: Scope) -> None:
    numbers, kind = source.name("a"), source.choose(INTEGERS)
    items = Array(kind, 4)
    source.write(f"static {declaration(items, numbers)} = {initialiser(source, items)};")
    names = [source.name("E") for _ in range(4)]
    values = [
        name + source.choose(("", "", f" = {source.between(-9, 99)}", f" = 1 << {index}"))
        for index, name in enumerate(names)
    ]
    source.write(f"enum {{ {', '.join(values)} }};")
    table = _table(source, numbers, kind.name, names)
    summing = _summing(source)
    picking = _picking(source, scope)
    inner = scope.inner()
    inner.objects.append(Object(numbers, items))
    with source.unit("tables"):
        write = Statements(source, inner, loops=2, depth=1)
        for _ in range(source.between(3, 6)):
            step = source.choose((_generic, _flexible, _scanned, _literals, _chosen))
            step(source, write)
        _walk(source, table, numbers)
        _call(source, write, summing, picking)


def _table(source: Source, numbers: str, kind: str, names: list[str]) -> str:
    tag, table = source.name("T"), source.name("t")
    source.write(
        f"struct {tag} {{ const char *name; {kind} *to; short m[3];"
        f" union {{ int i; unsigned char b[4]; }}; char text[6]; struct {tag} *next; }};"
    )
    entries = []
    for index in source.random.sample(range(3), source.between(1, 3)):
        entries.append(f"[{index}] = {_entry(source, table, numbers, names)}")
    if source.maybe(50):
        place = source.below(3)
        entries.append(f"[{place}].m = {{ {literal(source, INT)}, [2] = {source.below(99)} }}")
    if source.maybe(50):
        entries.append(f"[{source.below(3)}].m[1] = sizeof({kind}) * {source.below(9)}")
    source.write(f"static struct {tag} {table}[3] = {{ {', '.join(entries)} }};")
    source.write(f"static struct {tag} *const last{table} = {table} + {source.below(3)};", "")
    return table


def _entry(source: Source, table: str, numbers: str, names: list[str]) -> str:
    parts = [
        f".name = {source.choose(_TEXTS)}",
        source.choose(
            (f".to = {numbers} + {source.below(4)}", f".to = &{numbers}[{source.below(4)}]")
        ),
        f".m = {{ {source.choose(names)}, {source.choose(names)} + 1 }}",
        source.choose((f".i = {literal(source, INT)}", f".b = {{ 1, [3] = {source.below(256)} }}")),
        f".text = {source.choose(('{ 65, 66 }', chr(34) + 'abcdef' + chr(34), '{ [2] = 90 }'))}",
        f".next = &{table}[{source.below(3)}]",
    ]
    source.random.shuffle(parts)
    return "{ " + ", ".join(parts[: source.between(1, len(parts))]) + " }"


def _walk(source: Source, table: str, numbers: str) -> None:
    with source.braces("for (int i = 0; i < 3; i++)"):
        source.write(
            f'printf("%s %d %d,%d,%d %d %.6s ", {table}[i].name ? {table}[i].name : "-",'
            f" {table}[i].to ? (int) ({table}[i].to - {numbers}) : -1, {table}[i].m[0],"
            f" {table}[i].m[1], {table}[i].m[2], {table}[i].i, {table}[i].text);",
            f'printf("%d\\n", {table}[i].next ? (int) ({table}[i].next - {table}) : -1);',
        )
    source.write(f'printf("%td %zu\\n", last{table} - {table}, sizeof {table} / sizeof *{table});')


def _summing(source: Source) -> str:
    """Parameters of variable length, in a definition of the old style or the new."""
    name = source.name("sum")
    if source.maybe(50):
        head = f"static long {name}(int n, int m, int grid[n][m])"
    else:
        head = f"static long {name}(n, m, grid) int n; int m; int (*grid)[3];"
    with source.function(head):
        source.write(
            "long total = 0;",
            "for (int i = 0; i < n; i++)",
            "    for (int j = 0; j < m; j++)",
            f"        total = total * {source.between(2, 7)} + grid[i][j];",
            "return total + sizeof grid[0];",
        )
    return name


def _picking(source: Source, scope: Scope) -> str:
    """A function that returns a pointer to a function."""
    name = source.name("pick")
    helpers = [source.name("h") for _ in range(2)]
    for helper in helpers:
        own = Scope([Object("x", INT)], scope.pure)
        with source.function(f"static inline int {helper}(int x)"):
            value = Statements(source, own, loops=0, quiet=True).expressions.integer(2)
            source.write(f"return {value};")
    with source.function(f"static int (*{name}(int which))(int)"):
        source.write(f"return which & 1 ? {helpers[0]} : &{helpers[1]};")
    return name


def _call(source: Source, write: Statements, summing: str, picking: str) -> None:
    grid = source.name("grid")
    source.write(f"int {grid}[2][3] = {initialiser(source, Array(Array(INT, 3), 2))};")
    source.write(f'printf("%ld\\n", {summing}(2, 3, {grid}));')
    which, given = write.expressions.leaf(), write.expressions.integer(1)
    source.write(f'printf("%d\\n", {picking}({which})((int) ({given})));')


def _generic(source: Source, write: Statements) -> None:
    value = write.expressions.integer(1)
    source.write(
        f'puts(_Generic(({value}), int: "int", unsigned: "unsigned", long: "long",'
        ' unsigned long: "unsigned long", default: "other"));'
    )
    name = source.name("y")
    source.write(f"__typeof__({value}) {name} = {write.expressions.integer(1)};")
    source.write(f'printf("%lld %zu\\n", (long long) {name}, sizeof {name});')


def _flexible(source: Source, write: Statements) -> None:
    name, count = source.name("flex"), source.between(1, 6)
    kind = source.choose(INTEGERS).name
    source.write(f"struct {name} {{ char n; {kind} rest[]; }};")
    source.write(
        f"struct {name} *v{name} = malloc(sizeof *v{name} + {count} * sizeof({kind}));",
        f"v{name}->n = {count};",
        f"for (int i = 0; i < v{name}->n; i++)",
        f"    v{name}->rest[i] = i * ({write.expressions.leaf()});",
        f'printf("%zu %lld\\n", sizeof *v{name}, (long long) v{name}->rest[{count - 1}]);',
        f"free(v{name});",
    )


def _scanned(source: Source, write: Statements) -> None:
    first, second = source.name("n"), source.name("w")
    text = source.choose(("12 abc 0x1f", "-7,rest 9", "  +44xyz", "none", "077 8 9"))
    form = source.choose(("%d %7s", "%i,%3s", "%2d%5[a-z0-9 ]", "%*d %d %s"))
    source.write(f"int {first} = -1;", f'char {second}[16] = "-";')
    source.write(f'printf("%d ", sscanf("{text}", "{form}", &{first}, {second}));')
    source.write(f'printf("%d %s\\n", {first}, {second});')
    write.scope.objects.append(Object(first, INT))


def _literals(source: Source, write: Statements) -> None:
    name = source.name("c")
    source.write(
        f"int *{name} = (int[4]) {{ {write.expressions.integer(1)}, [2] = {source.below(9)} }};",
        f"{name}[1] += {write.expressions.integer(1)};",
        f'printf("%d %d %d\\n", {name}[0], {name}[1], {name}[2]);',
        f"char *s{name} = __builtin_alloca({source.between(4, 9)});",
        f"memcpy(s{name}, &{source.choose(_TEXTS[:2])}[{source.below(2)}], 3);",
        f'printf("%.3s %c\\n", s{name}, "0123456789"[({write.expressions.leaf()}) & 7]);',
    )


def _chosen(source: Source, write: Statements) -> None:
    write.several(1, 3, 2)


__all__ = ["tables"]
