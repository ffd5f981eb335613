"""Whole files: what is kept of headers, where things are, and how trouble is told."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from csg.errors import (
    CsgtestError,
    Location,
    ParseError,
    ToolchainError,
    UnsupportedError,
    UsageError,
)
from csg.frontend import parse_expression, parse_file, parse_text
from csg.language.printer import print_unit
from csg.language.syntax import (
    Binary,
    Call,
    Conditional,
    ExpressionStatement,
    Name,
    Return,
    Unsupported,
)
from csg.language.traversal import walk
from csg.language.types import CHAR, INT, LONG, Pointer

COMMON = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <ctype.h>\n"
HEADERS = """
assert ctype errno fcntl float getopt inttypes limits locale math pthread regex setjmp signal stdarg
stdbool stddef stdint stdio stdlib string strings sys/mman sys/select sys/socket sys/stat sys/time
sys/types sys/wait termios time unistd wchar wctype netinet/in arpa/inet dirent grp pwd poll
""".split()  # noqa: SIM905


# --------------------------------------------------------------------------- headers


@pytest.mark.parametrize("header", HEADERS)
def test_all_that_a_header_declares_can_be_read(header: str) -> None:
    """With the line markers gone, everything counts as the user's own and nothing is left out."""
    from csg.toolchain import preprocess_text

    text = preprocess_text(f"#include <{header}.h>\nint used;", "all.c", ["-D_DEFAULT_SOURCE"])
    everything = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    if "_Float128" in everything:
        everything = "typedef struct { char bytes[16]; } quad;\n" + everything.replace(
            "_Float128", "quad"
        )
    assert parse_text(everything, "all.c").declarations


def test_only_what_is_used_of_headers_is_kept() -> None:
    unit = parse_text(COMMON + 'int main(void) { return puts("x"); }')
    assert [d.symbol.name for d in unit.declarations] == ["puts"]
    assert [f.symbol.name for f in unit.functions] == ["main"]
    assert unit.declarations[0].symbol.from_header
    assert not unit.functions[0].symbol.from_header
    assert unit.types == []


def test_what_is_used_indirectly_is_kept() -> None:
    unit = parse_text(COMMON + "int f(FILE *in) { return getc(in) + in->_fileno; }")
    names = [getattr(kind, "tag", "") for kind in unit.types]
    assert "_IO_FILE" in names
    assert [d.symbol.name for d in unit.declarations] == ["getc"]


def test_inline_functions_of_headers_are_kept_when_used(tmp_path: Path) -> None:
    (tmp_path / "own.h").write_text(
        "static inline int twice(int x) { return 2 * x; }\n"
        "static inline int thrice(int x) { return 3 * x; }\nstruct unused { int x; };\n"
    )
    source = tmp_path / "a.c"
    source.write_text('#include "own.h"\nint f(int x) { return twice(x); }\n')
    unit = parse_file(source)
    assert [f.symbol.name for f in unit.functions] == ["twice", "f"]
    assert unit.functions[0].location == Location(str(tmp_path / "own.h"), 1, 19)
    assert sorted(unit.sources) == [str(source), str(tmp_path / "own.h")]
    assert unit.types == []


def test_included_c_files_and_tables_are_the_users_own(tmp_path: Path) -> None:
    (tmp_path / "part.c").write_text("int hidden(void) { return 1; }\n")
    (tmp_path / "table.def").write_text("{1, 2},\n{3, 4},\n")
    source = tmp_path / "a.c"
    source.write_text('#include "part.c"\nint table[][2] = {\n#include "table.def"\n};\n')
    unit = parse_file(source)
    assert [f.symbol.name for f in unit.functions] == ["hidden"]
    assert [d.symbol.name for d in unit.declarations] == ["table"]


def test_a_file_with_common_headers_is_read_quickly() -> None:
    text = (
        COMMON + "int main(int c, char **v) { return printf(\"%d\", atoi(v[1]) + toupper('a')); }"
    )
    parse_text(text)  # loads the modules
    times = []
    for _ in range(5):
        start = time.process_time()
        parse_text(text)
        times.append(time.process_time() - start)
    assert min(times) < 0.15


def test_assert_has_one_meaning() -> None:
    unit = parse_text("#include <assert.h>\nvoid f(int x) {\n    assert(x > 0);\n}", "dir/a.c")
    statement = unit.functions[0].body.items[0]
    assert isinstance(statement, ExpressionStatement)
    choice = statement.expression
    assert isinstance(choice, Conditional) and isinstance(choice.otherwise, Call)
    called = choice.otherwise.function
    assert isinstance(called, Name) and called.symbol.name == "__csgtest_assert_fail"
    assert called.symbol.noreturn
    given = [getattr(a, "value", None) for a in choice.otherwise.arguments]
    assert given == [b"x > 0", b"a.c", 3, b"f"]
    assert statement.location == Location("dir/a.c", 3, 5)


def test_ndebug_takes_asserts_away() -> None:
    unit = parse_text("#include <assert.h>\nvoid f(int x) { assert(x > 0); }", flags=["-DNDEBUG"])
    assert unit.declarations == []


# --------------------------------------------------------------------------- places


def test_places_are_those_of_the_source(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text(
        "#define MAX(a, b) ((a) > (b) ? (a) : (b))\n"
        "int f(int x,   int y) { /* note */ int   z = 1;\n"
        "\tz = MAX(x,   y) +   z;  return    -z;\n"
        "}\n"
    )
    unit = parse_file(source)
    function = unit.functions[0]
    file = str(source)
    assert function.location == Location(file, 2, 5)
    assert [p.location.column for p in function.parameters] == [11, 20]
    assert function.end == Location(file, 4, 1)
    z, assignment, result = function.body.items
    assert z.location == Location(file, 2, 42)
    assert assignment.location == Location(file, 3, 2)
    assert result.location == Location(file, 3, 26)
    assert isinstance(result, Return) and result.value is not None
    assert result.value.location == Location(file, 3, 36)
    assert isinstance(assignment, ExpressionStatement)
    total = assignment.expression.value  # type: ignore[union-attr]
    assert isinstance(total, Binary)
    assert total.left.location == Location(file, 3, 6)  # what MAX stands for
    assert total.right.location == Location(file, 3, 22)


def test_line_directives_are_followed() -> None:
    unit = parse_text('int a;\n#line 40 "grammar.y"\nint b;\n', "parser.c")
    assert [str(d.location) for d in unit.declarations] == ["parser.c:1:5", "grammar.y:40:5"]


# --------------------------------------------------------------------------- trouble


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'a.c' defines nothing"),
        ("/* nothing */\n", "'a.c' defines nothing"),
        ("#include <stdio.h>\n", "'a.c' defines nothing"),
        ("int f(void) {\n  return 1 +;\n}", "a.c:2:12: error: syntax error"),
        (
            "int f(int x) {\n  int g(int y) { return y; }\n  return g(x); }",
            "a.c:2:16: error: a function that is defined within a function is not supported",
        ),
        ("int f(int x) { each(x) { } }", "a.c:1:24: error: syntax error before '{'"),
        ("int f(int x) { return g(x) { } }", "a.c:1:28: error: syntax error before '{'"),
        (
            "_Complex double k = 1.5;",
            "a.c:1:21: error: an initial value of the type '_Complex double' is not supported",
        ),
        ("int f(void) {\n  return 1;\n", "a.c:2:11: error: the text ends too early"),
        ("int f(void) { return nope; }", "a.c:1:22: error: 'nope' is not declared"),
        ("uint f(void);", "is 'uint' meant to be a type?"),
        ("void f(void) { uint x; }", "is 'uint' meant to be a type?"),
        ("void f(void) { goto end; }", "a.c:1:16: error: label 'end' is not defined"),
        ("void f(void) { a: ; a: ; }", "duplicate label 'a'"),
        ("void f(void) { break; }", "'break' outside of a loop"),
        ("void f(void) { switch (1) { continue; } }", "'continue' outside of a loop"),
        ("void f(void) { case 1: ; }", "outside of a switch"),
        ("void f(int x) { switch (x) { case 1: case 1: ; } }", "duplicate case"),
        ("int f(void) { return 1; } int f(void) { return 2; }", "redefinition of 'f'"),
        ("int x; char x;", "a.c:1:13: error: 'x' was declared with another type before"),
        ("int x = 1; int x = 2;", "redefinition of 'x'"),
        ("void f(void) { int a; int a; }", "redefinition of 'a'"),
        ("struct s { int a; }; struct s { int b; };", "redefinition of 'struct s'"),
        ("struct s { int a; }; union s x;", "another kind of type"),
        ("void f(void) { struct none x; }", "incomplete"),
        ("int a[-1];", "the size of an array is negative"),
        ("struct s { int a : 33; };", "invalid width"),
        ("enum e { A }; int A;", "something else"),
        ('_Static_assert(1 == 2, "no");', 'static assertion failed "no"'),
        ("int f(int a) { return change(a); }", "change() takes two arguments"),
        ("int f(int a, a) { return a; }", "a.c:1:"),
        ("int @x;", "a.c:1:5: error: stray '@'"),
        ('char *s = "abc;\n', "missing terminating"),
        ("int x = " + "(" * 20000 + "1" + ")" * 20000 + ";", "nests too deeply"),
        ("void f(void) { __attribute__((aligned(3))) int x; }", "power of two"),
    ],
)
def test_errors(text: str, message: str) -> None:
    with pytest.raises(CsgtestError) as caught:
        parse_text(text, "a.c")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "void c(int *p); __attribute__((cleanup(c))) int x;",
        "double x = 1.0i;",
        "int x = __builtin_LINE();",
    ],
)
def test_what_is_not_supported_is_said_with_its_place(text: str) -> None:
    with pytest.raises(UnsupportedError) as caught:
        parse_text(text, "a.c")
    assert caught.value.location is not None
    assert caught.value.location.file == "a.c"


def test_an_enumeration_is_its_integer_type_where_a_function_is_declared_again() -> None:
    parse_text("typedef enum { A } e; e f(void); unsigned f(void); e *g(void); unsigned *g(void);")
    with pytest.raises(ParseError, match="with another result"):
        parse_text("typedef enum { A = -1 } e; e f(void); unsigned f(void);", "a.c")


UNSUPPORTED = """
typedef int v4 __attribute__((vector_size(16)));
typedef int (*each)(int);
static v4 ones = {1, 1, 1, 1};
v4 sum(v4 a, v4 b) { v4 c = a; c = a + b; return c; }
v4 more(v4 a) { return a + ones; }
double real(double _Complex z, int k) { if (k) { each e = 0; k = 2; } return __real__ z; }
long low(long x) { long n = (v4) x; return n; }
int line(int x) { x++; { int y; __builtin_LINE(); y = x; } return x; }
int jumps(int x) { switch (x) { case 1: __builtin_LINE(); case 2: { v4 v = 1; } } return x; }
"""


def test_a_statement_that_is_not_supported_does_not_keep_the_rest_from_being_read() -> None:
    """The smallest statement, block or body that declares nothing outside and no jump enters."""
    unit = parse_text(UNSUPPORTED, "a.c")
    texts = {
        function.symbol.name: [
            node.text for node in walk(function.body) if isinstance(node, Unsupported)
        ]
        for function in unit.functions
    }
    vector = "int __attribute__((vector_size(16)))"
    assert texts == {
        "sum": ["c = a + b ;"],
        "more": ["{ return a + ones ; }"],
        "real": ["{ if ( k ) { __typeof__(int (*)(int)) e = 0 ; k = 2 ; } "
                 "return __real__ z ; }"],
        "low": [f"{{ long n = ( {vector} ) x ; return n ; }}"],
        "line": ["__builtin_LINE ( ) ;"],
        "jumps": ["__builtin_LINE ( ) ;", f"{{ {vector} v = 1 ; }}"],
    }  # fmt: skip
    printed = print_unit(unit)
    again = parse_text(printed, "again.c")
    assert [str(f.symbol.type) for f in again.functions] == [
        str(f.symbol.type) for f in unit.functions
    ]
    compiled = subprocess.run(
        ["gcc", "-fsyntax-only", "-xc", "-"],
        input=printed,
        text=True,
        capture_output=True,
        check=False,
    )
    assert "undeclared" not in compiled.stderr and "redefin" not in compiled.stderr


@pytest.mark.parametrize("text", ["int f(int x) { return y; }", "int f(int x) { return *x; }"])
def test_wrong_c_is_not_called_unsupported(text: str) -> None:
    with pytest.raises(ParseError):
        parse_text(text, "a.c")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no file"):
        parse_file(tmp_path / "none.c")
    with pytest.raises(UsageError, match="is a folder"):
        parse_file(tmp_path)
    with pytest.raises(UnsupportedError, match="-m32"):
        parse_file(tmp_path / "a.c", ["-m32"])
    (tmp_path / "a.c").write_text('#include "none.h"\n')
    with pytest.raises(ToolchainError, match=r"none\.h"):
        parse_file(tmp_path / "a.c")


def test_odd_bytes(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_bytes(b'/* caf\xe9 */ char s[] = "\xe9\xff";\r\nint x;\r\n')
    unit = parse_file(source)
    assert getattr(unit.declarations[0].initializer, "value", None) == b"\xe9\xff"
    source.write_bytes(bytes(range(256)) * 4)
    with pytest.raises(CsgtestError):
        parse_file(source)


@pytest.mark.parametrize(
    "text",
    [
        "int f(int a) { return " + " + ".join(["a"] * 5000) + "; }",
        "int f(int a) { return " + " && ".join(["a"] * 5000) + "; }",
        "int f(int a) { return " + ", ".join(["a"] * 5000) + "; }",
        "int f(int a) { " + "".join(f"if (a == {i}) return {i}; else " for i in range(900)) + "; }",
        "int f(int a) { return " + "a ? 1 : " * 900 + "0; }",
        "void f(void) {" + "{" * 900 + "}" * 900 + "}",
        "char *s = " + '"a" ' * 5000 + ";",
    ],
    ids=["sum", "logical", "comma", "else-if", "conditional", "blocks", "strings"],
)
def test_long_programs(text: str) -> None:
    assert parse_text(text)


def test_bad_text_never_ends_in_a_traceback() -> None:
    """Every prefix of a program is read or refused."""
    text = """
    typedef struct pair { int a : 3; char *b[2]; } pair; enum e { A = 1, B }; static int n = A;
    int f(int x, pair *p) { for (int i = 0; i < x; i++) { switch (x) { case 1 ... 3: goto out;
    default: p->b[i] = (char *) &(pair){.a = 1, .b = {[0] = "x"}}; } } out: return ({ x ?: n; }); }
    """
    for end in range(0, len(text), 7):
        try:
            parse_text(text[:end], "a.c")
        except CsgtestError as error:
            assert error.location is not None


# --------------------------------------------------------------------------- lone expressions


def test_expressions_over_given_names() -> None:
    found = parse_expression("x >= -100 && s[0] != 'a'", {"x": LONG, "s": Pointer(CHAR)})
    assert found.type == INT
    first = found.operands[0]  # type: ignore[union-attr]
    assert isinstance(first, Binary) and isinstance(first.left, Name)
    assert (first.left.symbol.name, first.left.type) == ("x", LONG)


@pytest.mark.parametrize("text", ["", "x >=", "x;", "y", "((x)", "x y", "*x", "#"])
def test_bad_expressions(text: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_expression(text, {"x": INT})
    assert caught.value.location is not None
