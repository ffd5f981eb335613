"""Every expression has the type that gcc gives it: gcc checks our types with _Generic."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from csg.frontend import parse_text
from csg.language.syntax import ExpressionStatement, IntegerConstant, Return
from csg.language.types import (
    Array,
    Enumeration,
    Function,
    Integer,
    Pointer,
    Record,
    RecordKind,
    Type,
)
from csg.toolchain import compile_program

DECLARATIONS = """
#include <stddef.h>
#include <stdio.h>
enum color { RED, GREEN = 5 }; enum sign { MINUS = -1, PLUS };
struct pair { int a; char b[4]; unsigned bits : 3; unsigned whole : 32; signed small : 5;
              struct { short inner; union { long u; char *t; }; }; const int fixed;
              struct pair *next; };
typedef unsigned char byte; typedef int (*callback)(const char *, ...);
_Bool flag; char c; signed char sc; unsigned char uc; short s; unsigned short us; int i; unsigned u;
long l; unsigned long ul; long long ll; unsigned long long ull; float f; double d; long double ld;
__int128 big; unsigned __int128 ubig; byte by; enum color color; enum sign sign;
int *p; const char *text; void *v; char **lines; int array[3]; int grid[2][3];
struct pair pair, *pp;
struct plain { int a; } plain;
const struct pair frozen = {0}; const int many[2] = {0}; callback cb; int (*rows)[3];
int function(int); void nothing(void); char *names[] = {"a", "b"}; int (*table[2])(int);
"""

EXPRESSIONS = """
c + c; uc + uc; s * us; i + u; l + u; ul + l; l + ll; ull - l; ll + ul; f + i; d + f; ld * d; i +
1L; big + 1; ubig + big; big + ul; flag + flag; ~uc; -c; +s; !d; -f; ~ul; by << ul; u >> 1; l <<
1; c << 40L; i < l; p == v; u == l; color + 1; sign + 1; color; RED; MINUS; RED + 1u; color <
sign; 1 ? RED : MINUS; p + 1; 1 + p; p - p; p - 1; array + 1; array[0]; 1[array]; grid[1];
grid[1][2]; *grid; **grid; &grid[1]; &array; &array[1]; *array; &i; *&i; &p; *p; *lines; **lines;
lines[0]; &lines; *text; text; &text[1]; pair.a; pair.b; pair.b[1]; pair.bits + 1; pair.whole + 1;
pair.small + 1; pair.bits << 1; -pair.bits; pair.inner; pair.u; pair.t; pp->a; pp->next->next;
&pp->a; &pair.b; pp->b; (*pp).a; &frozen.a; &frozen.fixed; &pair.fixed; &frozen.b[1]; frozen.b;
many; &many[1]; &many; rows; *rows; rows[1]; (*rows)[1]; &rows[1]; i ? c : s; i ? 1 : 2u; i ? p :
0; i ? 0 : p; i ? v : p; i ? p : v; i ? text : (char *) 0; i ? text : lines[0]; i ? pair : *pp; i
? (void *) 0 : p; i ? p : NULL; i ? 1.0f : 1; i ?: l; p ?: 0; i ? array : p; i = l; c += d; p +=
1; i++; --c; p++; flag = 5; ul |= 1; plain = *&plain; u <<= l; l, c; i, array; (c, s); (char) i;
(byte) 5; (long double) 1; (const char *) v; (int *) 0; (enum color) 2; (struct pair *) v; sizeof
i; sizeof(int[4]); _Alignof(double); __alignof__(i); sizeof pair; sizeof array; sizeof "abc"; i &&
p; i || d; i && i && l; function(1); function; &function; *function; (**function)(1); cb; *cb;
cb("a", 1); (*cb)("x"); table; table[0]; table[0](1); names; names[1]; *names; &names;
printf("x"); printf; 1; 1u; 1l; 1ul; 1ll; 1ull; 2147483647; 2147483648; 4294967295; 4294967296;
9223372036854775807; 0x7fffffff; 0x80000000; 0xffffffff; 0x100000000; 0x7fffffffffffffff;
0x8000000000000000; 0xffffffffffffffffu; 017777777777; 037777777777; 0b101; 'a'; '\\n'; L'a';
u'a'; U'a'; 'ab'; 1.0; 1.0f; 1.0l; 1e5; 0x1p3; .5; 1.f; "text"; L"wide"; u8"eight"; u"sixteen";
U"thirtytwo"; "a" "b"; &"text"; "text"[1]; *"text"; L"w"[0]; ({ int x = 1; x; }); ({ char x = 1; x
+ 1L; }); ({ array; }); (struct pair){0}; (int[]){1, 2, 3}; &(struct pair){.a = 1}; (int){1};
(char[]){"abc"}; &(int[3]){1}; _Generic(i, int: 1.0, default: 2); _Generic(text, char *: 1, const
char *: 1L, default: 1u); _Generic(array, int *: text, default: 0); __builtin_offsetof(struct
pair, b); offsetof(struct pair, next); __builtin_expect(i, 0); __builtin_strlen(text);
__builtin_types_compatible_p(int, int); __builtin_constant_p(3); __builtin_clz(u);
__builtin_bswap32(u); __builtin_add_overflow(i, i, &i); __builtin_abs(i);
__builtin_popcountll(ull); __builtin_alloca(4); (typeof(i + 1L)) 1; (__typeof__(p)) v;
(__typeof__(pair.inner)) 1; stdin; stdout->_fileno; NULL; __builtin_memcpy(p, p, 4);
__builtin_isnan(d); __builtin_bswap64(ul); __builtin_inff(); __builtin_nan("");
"""


def rendered(kind: Type, inner: str = "") -> str:
    """A type in C's inside-out notation."""
    match kind:
        case Pointer(target=target, qualifiers=qualifiers):
            star = f"*{inner}"
            if isinstance(target, Array | Function):
                star = f"({star})"
                if isinstance(target, Array) and qualifiers:
                    return " ".join(sorted(qualifiers)) + " " + rendered(target, star)
            elif isinstance(target, Pointer) and qualifiers:
                return rendered(target, " ".join(sorted(qualifiers)) + " " + star)
            else:
                return " ".join([*sorted(qualifiers), rendered(target, star)])
            return rendered(target, star)
        case Array(element=element, length=length):
            return rendered(element, f"{inner}[{length}]")
        case Function(result=result, parameters=parameters, variadic=variadic):
            listed = [rendered(p) for p in parameters] + ["..."] * variadic
            return rendered(result, f"{inner}({', '.join(listed) or 'void'})")
        case Enumeration(tag=tag):
            return f"enum {tag} {inner}".strip()
        case _:
            return f"{kind} {inner}".strip()


def split_expressions() -> list[str]:
    """At each ; outside of braces."""
    found, depth, current = [], 0, ""
    for one in EXPRESSIONS:
        depth += {"{": 1, "}": -1}.get(one, 0)
        if one == ";" and depth == 0:
            found.append(current.strip())
            current = ""
        else:
            current += one
    return found


def checked_type(kind: Type) -> bool:
    """_Generic sees neither void nor the qualifiers that a value loses."""
    return not isinstance(kind, type(None)) and str(kind) != "void"


def test_types_are_those_of_gcc(tmp_path: Path) -> None:
    expressions = split_expressions()
    body = "".join(f"{text};\n" for text in expressions)
    unit = parse_text(f"{DECLARATIONS}\nvoid test(void) {{\n{body}}}", "types.c")
    from csg.frontend.context import decay

    statements = [s for s in unit.functions[-1].body.items if isinstance(s, ExpressionStatement)]
    assert len(statements) == len(expressions)
    checks = []
    for text, statement in zip(expressions, statements, strict=True):
        kind = decay(statement.expression).type
        if checked_type(kind):
            choice = f"_Generic(({text}), {rendered(kind)}: 1, default: 0)"
            checks.append(f'_Static_assert({choice}, "{rendered(kind)}");')
    program = tmp_path / "types.c"
    lines = "\n".join(checks)
    program.write_text(f"{DECLARATIONS}\nint main(void) {{\n{lines}\nreturn 0; }}\n")
    compile_program([str(program)], str(tmp_path / "types"), ["-w", "-fsyntax-only"])


KINDS = {  # of bit-fields, and the widths that they can have
    "_Bool": (1,),
    "char": (3, 8),
    "unsigned char": (3, 8),
    "short": (9, 16),
    "unsigned short": (8, 9, 16),
    "int": (1, 8, 16, 31, 32),
    "unsigned": (1, 8, 16, 31, 32),
    "enum e": (2, 8, 32),
    "long": (5, 8, 32, 33, 64),
    "unsigned long": (5, 16, 32, 33, 40, 64),
    "unsigned long long": (16, 40, 64),
}
USES = (
    *("{}", "+{}", "(0, {})", "({{ {}; }})", "{} = 1", "{}++", "{} + {}", "{} + 1L", "1 ? {} : {}"),
    *("~{}", "{} << 1", "(typeof({} + 0)) 1", "(typeof(({{ 1; {} + 1u; }}))) 1"),
)
CANDIDATES = (
    *("_Bool", "char", "signed char", "unsigned char", "short", "unsigned short", "int"),
    *("unsigned", "long", "unsigned long", "long long", "unsigned long long"),
)


def test_generic_sees_the_width_of_a_bit_field_as_gcc_does(tmp_path: Path) -> None:
    members = [(kind, width) for kind, widths in KINDS.items() for width in widths]
    fields = "".join(f"{kind} m{at} : {width}; " for at, (kind, width) in enumerate(members))
    listed = "".join(f"{kind}: {at}, " for at, kind in enumerate(CANDIDATES, 1))
    values = [use.replace("{}", f"s.m{at}") for at in range(len(members)) for use in USES]
    values = [each.replace("{{", "{").replace("}}", "}") for each in values]
    values += [f"(enum {tag}) 1" for tag in ("e", "signed_", "small", "wide", "mixed", "large")]
    values += [
        "E1",
        "S",
        "P",
        "W",
        "M1",
        "M2",
        "M3",
        "M4",
        "M5",
        "L1",
        "L2",
        "M2 + L1",
        "sizeof M5",
    ]
    text = (
        "enum e { E0, E1 }; enum signed_ { S = -1 }; enum small { P } __attribute__((packed));\n"
        "enum mixed { M1 = -1, M2 = 0x80000000, M3 = 5, M4 = M2 + 1, M5 = sizeof(M2) };\n"
        "enum large { L1 = 0x80000000, L2 = 0xffffffffffffffff };\n"
        f"enum wide {{ W = 1UL << 40 }}; struct s {{ {fields}}} s;\n"
    ) + "".join(
        f"int q{at}(void) {{ return _Generic(({each}), {listed}default: 0); }}\n"
        for at, each in enumerate(values)
    )
    ours = []
    for function in parse_text(text, "fields.c").functions:
        (said,) = function.body.items
        assert isinstance(said, Return) and isinstance(said.value, IntegerConstant)
        ours.append(said.value.value)
    shown = "".join(f'printf("%d ", q{at}());\n' for at in range(len(values)))
    source, binary = tmp_path / "fields.c", tmp_path / "fields"
    source.write_text(f"#include <stdio.h>\n{text}int main(void) {{\n{shown}return 0; }}\n")
    compile_program([str(source)], str(binary), ["-w"])
    said_natively = subprocess.run([binary], capture_output=True, text=True, check=True).stdout
    truth = [int(each) for each in said_natively.split()]
    asked = zip(values, ours, truth, strict=True)
    assert [each for each in asked if each[1] != each[2]] == []
    assert len(set(truth)) > 9


@pytest.mark.parametrize(
    "text",
    ["pair + 1", "*i", "pair.none", "i.a", "i->a", "nothing() + 1", "&1", "1 = 2", "array = p",
     "function(1, 2)", "function()", "i()", "p * 2", "p + p", "~d", "d % 2", "&pair.bits",
     "i ? pair : 1", "pair = 1", "undeclared", "(struct pair) 1", "sizeof(struct none)", "!pair",
     "_Generic(i, char: 1)", "f << 1", "function(pair)", "pp->none", "(float) p"],
)  # fmt: skip
def test_refuses_what_gcc_refuses(text: str, tmp_path: Path) -> None:
    from csg.errors import ParseError, ToolchainError

    program = f"{DECLARATIONS}\nvoid test(void) {{\n    {text};\n}}"
    source = tmp_path / "wrong.c"
    source.write_text(program)
    with pytest.raises(ToolchainError):
        compile_program([str(source)], str(tmp_path / "wrong.o"), ["-c", "-w"])
    with pytest.raises(ParseError) as caught:
        parse_text(program, "wrong.c")
    assert caught.value.location is not None
    assert caught.value.location.file == "wrong.c"
    assert caught.value.location.line == program.count("\n")


def test_integer_names() -> None:
    assert rendered(Pointer(Function(Integer("int", 4, True, 3), ()))) == "int (*)(void)"
    assert rendered(Record(RecordKind.STRUCT, "s")) == "struct s"
