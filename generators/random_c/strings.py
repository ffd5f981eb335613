"""Strings and the functions on them: string.h, ctype.h, conversions, buffers that keep their 0.

static char s1[16] = "some words";
strncat(s1, "!", sizeof s1 - 1 - strlen(s1));    printf("%td\\n", strchr(s1, 'w') - s1);
"""

from __future__ import annotations

from generators.random_c.expressions import Scope
from generators.random_c.printing import directive
from generators.random_c.source import Source
from generators.random_c.statements import Statements

_WORDS = (
    "",
    "a",
    "alpha",
    "beta,gamma",
    "  12 monkeys",
    "-0x1Fz",
    "a b  c",
    "0777",
    "ZZtop",
    "=;=",
)
_SETS = ("aeiou", " ,;", "0123456789", "xyz", "abcdefghij")
_CLASSES = (
    "alpha",
    "digit",
    "alnum",
    "space",
    "upper",
    "lower",
    "punct",
    "print",
    "xdigit",
    "cntrl",
)
_NUMBERS = (
    "42",
    "-17xyz",
    "  +0x7fG",
    "0755",
    "99999999999999999999",
    "-9223372036854775809",
    "",
    "zz",
    "1e3",
    "0x",
)
_ROOM = 32


def strings(source: Source, scope: Scope) -> None:
    buffers = [source.name("s") for _ in range(source.between(2, 3))]
    for name in buffers:
        source.write(f"static char {name}[{_ROOM}] = {_quoted(source.choose(_WORDS))};")
    source.write("")
    with source.unit("strings"):
        write = Statements(source, scope.inner(), loops=1, depth=1)
        for _ in range(source.between(8, 14)):
            first, second = source.choose(buffers), source.choose(buffers)
            step = source.choose(
                (_changed, _changed, _searched, _compared, _number, _classes, _tokens, _block)
            )
            step(source, write, first, second)
            if source.maybe(50):
                source.write(f'printf("{{%s}} %zu\\n", {first}, strlen({first}));')


def _quoted(text: str) -> str:
    return '"' + text + '"'


def _changed(source: Source, write: Statements, first: str, second: str) -> None:
    word = _quoted(source.choose(_WORDS))
    count = source.below(12)
    match source.below(7):
        case 0:
            source.write(f"strncat({first}, {word}, sizeof {first} - 1 - strlen({first}));")
        case 1:
            source.write(f"strcpy({first}, {word if first == second else second});")
        case 2:
            source.write(f"strncpy({first}, {word}, {count});")
        case 3:
            _formatted(source, write, first)
        case 4:
            character = f"({write.expressions.leaf()}) & 63 | 64"
            source.write(f"memset({first} + {source.below(8)}, {character}, {count});")
        case 5:
            at, to = source.below(10), source.below(10)
            source.write(f"memmove({first} + {to}, {first} + {at}, {count});")
        case _:
            index = write.expressions.index(_ROOM // 2)
            source.write(f"{first}[{index}] = 'A' + (({write.expressions.leaf()}) & 15);")


def _formatted(source: Source, write: Statements, target: str) -> None:
    letter = source.choose("dxosc")
    form, stars = directive(source, letter)
    value = {"s": _quoted(source.choose(_WORDS)), "c": "'q'"}.get(
        letter, f"({'int' if letter == 'd' else 'unsigned'}) ({write.expressions.integer(1)})"
    )
    room = source.choose((f"sizeof {target}", str(source.between(1, _ROOM))))
    arguments = ", ".join([f"<{form}>".join(('"', '"')), *stars, value])
    source.write(f'printf("%d\\n", snprintf({target}, {room}, {arguments}));')


def _searched(source: Source, write: Statements, first: str, second: str) -> None:
    function, what = source.choose(
        (
            ("strchr", f"'{source.choose('abz 1,')}'"),
            ("strrchr", f"'{source.choose('abz 1,')}'"),
            ("strstr", _quoted(source.choose(("a", "mo", "pha", "", "zz")))),
            ("strpbrk", _quoted(source.choose(_SETS))),
        )
    )
    found = source.name("found")
    source.write(f"char *{found} = {function}({first}, {what});")
    source.write(f'printf("%td\\n", {found} ? {found} - {first} : -1);')
    if source.maybe(40):
        source.write(f"if ({found} && *{found})", f"    *{found} = '{source.choose('#_x')}';")
    measured = source.choose(("strspn", "strcspn"))
    source.write(f'printf("%zu\\n", {measured}({second}, {_quoted(source.choose(_SETS))}));')


def _compared(source: Source, write: Statements, first: str, second: str) -> None:
    other = source.choose((second, _quoted(source.choose(_WORDS))))
    call = source.choose(
        (
            f"strcmp({first}, {other})",
            f"strncmp({first}, {other}, {source.below(6)})",
            f"strcasecmp({first}, {other})",
            f"memcmp({first}, {second}, {source.below(_ROOM)})",
        )
    )
    name = source.name("order")
    source.write(f"int {name} = {call};", f'printf("%d\\n", ({name} > 0) - ({name} < 0));')
    source.write(f'printf("%zu\\n", strnlen({first}, {source.below(20)}));')


def _number(source: Source, write: Statements, first: str, second: str) -> None:
    text = source.choose(
        (first, _quoted(source.choose(_NUMBERS)), _quoted(source.choose(_NUMBERS)))
    )
    begin, end = source.name("b"), source.name("e")
    function, form = source.choose(
        (("strtol", "%ld"), ("strtoul", "%lu"), ("strtoll", "%lld"), ("strtoull", "%llu"))
    )
    base = source.choose((0, 2, 8, 10, 16, 36))
    source.write(f"const char *{begin} = {text};", f"char *{end};", "errno = 0;")
    source.write(f'printf("{form} ", {function}({begin}, &{end}, {base}));')
    source.write(f'printf("%td %d\\n", {end} - {begin}, errno == ERANGE);')
    if source.maybe(40):
        source.write(
            f'printf("%g ", strtod({begin}, &{end}));', f'printf("%td\\n", {end} - {begin});'
        )


def _classes(source: Source, write: Statements, first: str, second: str) -> None:
    name = source.choose(_CLASSES)
    case = source.choose(("toupper", "tolower"))
    with source.braces(f"for (char *c = {first}; *c; c++)"):
        source.write(f"if (is{name}((unsigned char) *c))", f"    *c = {case}((unsigned char) *c);")
        source.write("else", f"    putchar({source.choose(('*c', chr(39) + '.' + chr(39)))});")
    source.write("putchar('\\n');")


def _tokens(source: Source, write: Statements, first: str, second: str) -> None:
    copy, token = source.name("copy"), source.name("t")
    source.write(f"char {copy}[{_ROOM}];", f"memcpy({copy}, {first}, sizeof {copy});")
    cut = _quoted(source.choose(_SETS))
    source.write(
        f"for (char *{token} = strtok({copy}, {cut}); {token}; {token} = strtok(NULL, {cut}))",
        f'    printf("<%s>", {token});',
        'puts("");',
    )


def _block(source: Source, write: Statements, first: str, second: str) -> None:
    """Bytes without regard to ends."""
    name, size = source.name("m"), source.between(1, 20)
    source.write(f"char *{name} = malloc({size} + 1);", f"memcpy({name}, {first}, {size});")
    source.write(f"{name}[{size}] = 0;")
    source.write(f"{name} = realloc({name}, {size * 2 + 2});", f'strcat({name}, "+");')
    source.write(f"printf(\"%s %d\\n\", {name}, memchr({name}, 'a', {size}) != NULL);")
    source.write(f"free({name});")
