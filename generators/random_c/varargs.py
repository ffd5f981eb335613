"""Functions with a variable number of arguments of all kinds, through registers and memory.

tell("idsS", 3, 0.5, "text", (struct pair) { 1, 2 });
"""

from __future__ import annotations

from generators.random_c.expressions import Scope
from generators.random_c.printing import directive
from generators.random_c.source import Source
from generators.random_c.statements import Statements

# letter, how it is taken, how it is printed
_KINDS = {
    "i": ("int", "%d ", "{}"),
    "u": ("unsigned", "%#x ", "{}"),
    "l": ("long", "%ld ", "{}"),
    "q": ("unsigned long long", "%llu ", "{}"),
    "d": ("double", "%.6g ", "{}"),
    "D": ("long double", "%.8Lg ", "{}"),
    "s": ("const char *", "%s ", "{}"),
    "p": ("int *", "%d ", "*{}"),
    "S": ("struct {small}", "%d/%d ", "{0}.a, {0}.b"),
    "M": ("struct {mixed}", "%g/%ld ", "{0}.x, {0}.n"),
    "B": ("struct {big}", "%d..%d ", "{0}.v[0], {0}.v[7]"),
    "F": ("struct {two}", "%g+%g ", "{0}.x, {0}.y"),
}
_RECORDS = {
    "small": "int a; short b;",
    "mixed": "double x; long n;",
    "big": "int v[8];",
    "two": "float x; double y;",
}


def varargs(source: Source, scope: Scope) -> None:
    names = {key: source.name(key) for key in _RECORDS}
    for key, members in _RECORDS.items():
        source.write(f"struct {names[key]} {{ {members} }};")
    source.write("")
    kinds = {
        letter: (kind.format(**names), form, value)
        for letter, (kind, form, value) in _KINDS.items()
    }
    tell = _teller(source, kinds)
    again = _passing_on(source, tell)
    text = _formatting(source)
    with source.unit("varargs"):
        write = Statements(source, scope.inner(), loops=1, depth=1)
        source.write(f"int kept = {source.between(-99, 99)};")
        for _ in range(source.between(2, 4)):
            letters = "".join(source.choose("iuldsiuqdpDSMBFii") for _ in range(source.below(14)))
            values = [_value(source, write, letter, kinds[letter][0]) for letter in letters]
            source.write(
                f"{source.choose((tell, again))}({', '.join([quoted(letters), *values])});"
            )
        _print(source, write, text)


def quoted(text: str) -> str:
    return f'"{text}"'


def _value(source: Source, write: Statements, letter: str, kind: str) -> str:
    expression = write.expressions
    match letter:
        case "i" | "u" | "l" | "q":
            return f"({kind}) ({expression.integer(1)})"
        case "d" | "D":
            return f"({kind}) {source.between(-50, 50)}.{source.choose((0, 25, 5, 125))}"
        case "s":
            return quoted(source.choose(("", "one", "two words", "%d")))
        case "p":
            return "&kept"
        case "S":
            return f"({kind}) {{ {expression.integer(1)}, {source.between(-99, 99)} }}"
        case "M":
            return f"({kind}) {{ {source.below(9)}.5, {expression.integer(1)} }}"
        case "B":
            return f"({kind}) {{ {{ {source.below(9)}, [7] = {expression.integer(1)} }} }}"
        case _:
            return f"({kind}) {{ 1.5f, {source.below(9)}.25 }}"


def _cases(source: Source, kinds: dict[str, tuple[str, str, str]]) -> None:
    with source.braces("switch (*kinds)"):
        for letter, (kind, form, value) in kinds.items():
            if "struct" in kind:
                source.write(
                    f"case '{letter}': {{ {kind} got = va_arg(list, {kind});"
                    f' printf("{form}", {value.format("got")}); break; }}'
                )
            else:
                taken = value.format(f"va_arg(list, {kind})")
                source.write(f"case '{letter}': printf(\"{form}\", {taken}); break;")


def _teller(source: Source, kinds: dict[str, tuple[str, str, str]]) -> str:
    name = source.name("tell")
    with source.function(f"static void v{name}(const char *kinds, va_list list)"):
        with source.braces("for (; *kinds; kinds++)"):
            _cases(source, kinds)
        source.write('puts("");')
    leading = source.choose(("", "", "int first, ", "double first, "))
    head = leading and "(void) first;"
    with source.function(f"static void l{name}({leading}const char *kinds, ...)"):
        source.write("va_list list;", "va_start(list, kinds);", head or ";")
        source.write(f"v{name}(kinds, list);", "va_end(list);")
    if leading:
        source.write(f"#define {name}(...) l{name}({source.below(9)}, __VA_ARGS__)", "")
    else:
        source.write(f"#define {name}(...) l{name}(__VA_ARGS__)", "")
    return name


def _passing_on(source: Source, tell: str) -> str:
    """The list is used twice, through a copy."""
    name = source.name("twice")
    with source.function(f"static void {name}(const char *kinds, ...)"):
        source.write("va_list list, copy;", "va_start(list, kinds);", "va_copy(copy, list);")
        source.write(f"v{tell}(kinds, copy);", "va_end(copy);")
        source.write(f"v{tell}(kinds, list);", "va_end(list);")
    return name


def _formatting(source: Source) -> str:
    name = source.name("text")
    room = source.choose((4, 16, 64))
    with source.function(f"static int {name}(const char *format, ...)"):
        source.write(f"char buffer[{room}];", "va_list list;", "va_start(list, format);")
        source.write(f"int length = vsnprintf(buffer, {room}, format, list);", "va_end(list);")
        source.write('printf("[%s] %d\\n", buffer, length);', "return length;")
    return name


def _print(source: Source, write: Statements, text: str) -> None:
    pieces, values = [], []
    for _ in range(source.between(1, 5)):
        letter = source.choose("diuxXocsfeg")
        form, stars = directive(source, letter)
        pieces.append(form)
        values += stars
        if letter in "feg":
            values.append(f"{source.between(-500, 500)} / 8.0")
        elif letter == "s":
            values.append(quoted(source.choose(("", "abc", "hello, world"))))
        elif letter == "c":
            values.append(str(source.between(65, 90)))
        else:
            kind = "int" if letter in "di" else "unsigned"
            values.append(f"({kind}) ({write.expressions.integer(1)})")
    source.write(f"{text}({', '.join([quoted('%%'.join(pieces)), *values])});")
