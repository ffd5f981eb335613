"""Each way in which the compiler says that the versions differ has a pair that only it tells apart.

    Pair("static int a[2] = {1};", "static const int a[2] = {1};")    'a': .data became .rodata

Each claim about the language is asked, of a compiler for which it does not hold. That no such stage
can be switched off unnoticed is what benchmarks/omissions.py tries.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from csg.frontend import parse_text
from csg.programs import Versions
from csg.unify import Unified
from csg.unify.meanings import data_of, wrong_claims
from csg.unify.pairs import read_pair, unify_pair
from symexec.campaign.building import BuildJob
from symexec.ledger import Reason
from symexec.options import BuildOptions, InputOptions
from tests.command_line import write_versions

TWO = "int g(void) { return 1; } int h(void) { return 2; } "
USED = "int f(int x) { return x + %s; }\n"


@dataclass(frozen=True, slots=True)
class Pair:
    """``name``: what the compiler speaks of, ``says``: a part of what it says."""

    old: str
    new: str
    name: str
    says: str
    behind: str = ""  # in both versions
    flags: tuple[str, ...] = ()


JUMPING = (
    "#include <setjmp.h>\nstatic jmp_buf b;\ntypedef volatile int steady;\n"
    "static __attribute__((noinline)) void back(void) {{ longjmp(b, 1); }}\n"
    "int f(int x) {{ {} n = 9; if (!setjmp(b)) {{ n = x; back(); }} return {}; }}"
)
HANDLING = (
    "#include <signal.h>\ntypedef volatile int steady;\nstatic {} n;\n"
    "static void handle(int s) {{ n = s; }}\n"
    "int f(int x) {{ signal(SIGUSR1, handle); n = x; raise(SIGUSR1); return n; }}"
)


PAIRS = {
    "a static object of a changed function": Pair(
        "int f(int x) { static int k[2] = {1}; return k[x & 1]; }",
        "int f(int x) { static const int k[2] = {1}; return k[x & 1] + 1; }",
        "f",
        "static object 'k': .data",
    ),
    "the storage of a changed object": Pair(
        "static int k[2] = {1};", "static const int k[2] = {2};", "k", "rodata", USED % "k[x & 1]"
    ),
    "the storage of an object": Pair(
        "static int k[2] = {1};", "static const int k[2] = {1};", "k", "rodata", USED % "k[x & 1]"
    ),
    "the alignment of an object": Pair(
        "static char k = 1;",
        "static char k __attribute__((aligned(64))) = 1;",
        "k",
        ".align 64",
        USED % "(long) &k % 64",
    ),
    "the alignment of an object of zeros": Pair(
        "static char k;",
        "static char k __attribute__((aligned(64)));",
        "k",
        ".align 64",
        USED % "(long) &k % 64",
    ),
    "an alias": Pair(
        TWO + 'int k(void) __attribute__((alias("g")));',
        TWO + 'int k(void) __attribute__((alias("h")));',
        "k",
        "its content or storage",
        USED % "k()",
    ),
    "a name in assembly": Pair(
        'int one(void); int k(void) __asm__("one");',
        'int one(void); int k(void) __asm__("two");',
        "f",
        "its code differs",
        USED % "k()",
    ),
    "the content of a constant": Pair(
        '__asm__(".data\\nk: .long 5\\n.text\\n"); extern int k;',
        '__asm__(".data\\nk: .long 6\\n.text\\n"); extern int k;',
        "k",
        "its content or storage",
        USED % "k",
    ),
    "how a function is resolved": Pair(
        "int g(void) { return 1; } void *r(void) { return g; } int k(void);"
        ' __asm__(".globl k\\n.type k, @function\\nk = r\\n");',
        "int g(void) { return 1; } void *r(void) { return g; } int k(void);"
        ' __asm__(".globl k\\n.type k, @gnu_indirect_function\\nk = r\\n");',
        "k",
        "@gnu_indirect_function",
        USED % "k()",
    ),
    "a function of the library that others see": Pair(
        "int getpt(void) { return 3; }",
        "static int getpt(void) { return 3; }",
        "getpt",
        ".globl",
        USED % "getpt()",
    ),
    "a definition of an object that the library has": Pair(
        "int optind = 3;",
        "extern int optind;",
        "optind",
        "the new version takes 'optind' from elsewhere",
        USED % "optind",
    ),
    "a definition of a function that the library may call": Pair(
        "int getpt(void) { return 3; }",
        "",
        "getpt",
        "the new version takes 'getpt' from elsewhere",
        USED % "1",
    ),
    "a definition in assembly alone": Pair(
        "",
        '__asm__(".globl g\\ng: ret\\n");',
        "g",
        "the old version has no 'g'",
        USED % "1",
    ),
    "a definition that may be missing": Pair(
        "int w(void) __attribute__((weak));", "int w(void);", "w", ".weak", USED % "w()"
    ),
    "the order in a section": Pair(
        'static int a __attribute__((section("own"), used)) = 1;'
        ' static int b __attribute__((section("own"), used)) = 2;',
        'static int b __attribute__((section("own"), used)) = 2;'
        ' static int a __attribute__((section("own"), used)) = 1;',
        "own",
        "the order in section 'own'",
        "extern int __start_own[];\n" + USED % "__start_own[0]",
    ),
    "what stands outside of all symbols": Pair(
        '__asm__(".pushsection own,\\"aw\\"\\n.long 5\\n.popsection\\n");',
        '__asm__(".pushsection own,\\"aw\\"\\n.long 6\\n.popsection\\n");',
        "",
        "outside of all symbols: own",
        "extern int __start_own[];\n" + USED % "__start_own[0]",
    ),
    "code that overflows": Pair(
        "static int up(int a) { return a + 3 > a; }",
        '__attribute__((optimize("no-wrapv"))) static int up(int a) { return a + 3 > a; }',
        "up",
        "its code differs",
        USED % "up(x)",
        ("-fwrapv",),
    ),
    "variables behind a second return": Pair(
        "#include <setjmp.h>\nstatic jmp_buf b;\n"
        "int f(int x) { int n = 9; if (!setjmp(b)) { n = x; longjmp(b, 1); } return n; }",
        "#include <setjmp.h>\nstatic jmp_buf b;\n"
        "int f(int x) { register int n = 9; if (!setjmp(b)) { n = x; longjmp(b, 1); } return n; }",
        "f",
        "its code differs",
    ),
    "variables behind a second return of an own function": Pair(
        "int own(void) __attribute__((returns_twice));\n"
        "int f(int x) { int n = 9; if (!own()) n = x; return n; }",
        "int own(void) __attribute__((returns_twice));\n"
        "int f(int x) { register int n = 9; if (!own()) n = x; return n; }",
        "f",
        "its code differs",
    ),
    "a variable that is volatile behind a second return": Pair(
        JUMPING.format("volatile int", "n"),
        JUMPING.format("int", "n"),
        "f",
        "relies on attributes, or on qualifiers",
    ),
    "a type that is volatile behind a second return": Pair(
        JUMPING.format("steady", "n"),
        JUMPING.format("int", "n"),
        "f",
        "relies on attributes, or on qualifiers",
    ),
    "a changed function with a second return": Pair(
        JUMPING.format("volatile int", "n"),
        JUMPING.format("int", "n + x - x"),
        "f",
        "relies on attributes, or on qualifiers",
    ),
    "a static object that is volatile": Pair(
        HANDLING.format("volatile int"), HANDLING.format("int"), "f", "volatile in one version"
    ),
    "a static object of a volatile type": Pair(
        HANDLING.format("steady"), HANDLING.format("int"), "f", "volatile in one version"
    ),
    "a static object of a function": Pair(
        "int f(int x) { static int k[2] = {1}; return k[x & 1]; }",
        "int f(int x) { static const int k[2] = {1}; return k[x & 1]; }",
        "f",
        "its code differs",
    ),
    "a guarantee to the compiler": Pair(
        "int f(int *a, const int *b) { *a += *b; return *a + *b; }",
        "int f(int *restrict a, const int *restrict b) { *a += *b; return *a + *b; }",
        "f",
        "relies on attributes",
    ),
}


def unified(folder: Path, old: str, new: str, *flags: str) -> Unified:
    before, after = write_versions(folder, old, new)
    return unify_pair(read_pair(Versions(before, after, flags=flags).pairs()), "f")


@pytest.mark.parametrize("kind", PAIRS)
def test_each_difference_is_told(kind: str, tmp_path: Path) -> None:
    pair = PAIRS[kind]
    old, new = (f"{each}\n{pair.behind}" for each in (pair.old, pair.new))
    found = unified(tmp_path, old, new, *pair.flags)
    texts = [each.text for each in found.dissents if each.name == pair.name]
    assert any(pair.says in text for text in texts), (found.dissents, pair)
    assert found.changes


def test_what_runs_before_main_is_told(tmp_path: Path) -> None:
    old = "static int n;\nstatic void g(void) { n = 1; }\nint f(int x) { if (x) g(); return n; }\n"
    found = unified(tmp_path, old, old.replace("static void", "__attribute__((constructor)) void"))
    assert "'g' does not run before or after main alike in both versions" in [
        each.text for each in found.unmodelled
    ]


# ---------------------------------------------------------------------- no false difference


ALIKE = {
    "the value of a constant": (
        "static const int k = 8;\nint f(int x) { return x > k ? k : x; }\n",
        "static const int k = 9;\nint f(int x) { return x > k ? k : x; }\n",
    ),
    "zeros become numbers": (
        "static int k = 0;\nint f(int x) { return k += x; }\n",
        "static int k = 1;\nint f(int x) { return k += x; }\n",
    ),
    "the line of an assertion": (
        "#include <assert.h>\nint f(int x) { assert(x > 0); return x; }\n",
        "#include <assert.h>\n\n\nint f(int x) { assert(x > 0); return x; }\n",
    ),
    "a variable in a register": (
        "int f(int x) { int y = x; return y; }\n",
        "int f(int x) { register int y = x; return y; }\n",
    ),
    "a static object renamed": (
        "int f(int x) { static int k; return k += x; }\n",
        "int f(int x) { static int m; return m += x; }\n",
    ),
    "a variable that is volatile": (
        "int f(volatile int x) { return x; }\n",
        "int f(int x) { return x; }\n",
    ),
    "a volatile variable renamed": (
        "static volatile int k;\nint f(int x) { volatile int y = x; return k + y; }\n",
        "static volatile int k;\nint f(int x) { volatile int z = x; return k + z; }\n",
    ),
    "a function that only this file sees": (
        "int g(int x) { return x; }\nint f(int x) { return g(x); }\n",
        "static int g(int x) { return x; }\nint f(int x) { return g(x); }\n",
    ),
}


@pytest.mark.parametrize("kind", ALIKE)
def test_no_difference_is_told(kind: str, tmp_path: Path) -> None:
    assert unified(tmp_path, *ALIKE[kind]).dissents == ()


@pytest.mark.parametrize(
    ("used", "weak", "shared"),
    [
        ("getpt()", "int getpt(void) { return 3; }", "int getpt(void) { return 3; }"),
        ("level", "int level = 3;", "int level = 3;"),
        ("optind", "int optind = 3;", "int optind = 3;"),
    ],
)
def test_what_a_shared_file_defines_comes_from_nowhere_else(
    used: str, weak: str, shared: str, tmp_path: Path
) -> None:
    """What is weak yields to the definition of a file that is the same in both versions."""
    for version, text in (("old", "x + 1"), ("new", "1 + x")):
        folder = tmp_path / version
        folder.mkdir()
        declared = f"extern int {used.replace('()', '(void)')};"
        (folder / "a.c").write_text(f"{declared}\nint f(int x) {{ return {used} * ({text}); }}\n")
        (folder / "b.c").write_text(f"{shared}\n")
    with (tmp_path / "old" / "a.c").open("a") as file:
        file.write(f"__attribute__((weak)) {weak}\n")
    found = unify_pair(read_pair(Versions(tmp_path / "old", tmp_path / "new").pairs()), "f")
    assert found.dissents == ()


# ---------------------------------------------------------------------- what follows


def changed_functions(folder: Path, old: str, new: str, entry: str = "f") -> set[str]:
    before, after = write_versions(folder, old, new)
    pair = read_pair(Versions(before, after).pairs())
    return {change.function for change in unify_pair(pair, entry).changes}


ALIAS = TWO + 'int k(void) __attribute__((alias("g")));\n'
VARIADIC = "static int u(int x, ...) { return k() + x; }\nint f(int x) { return u(x, 1); }\n"
OUTSIDE = '__asm__(".pushsection own,\\"aw\\"\\n.long 5\\n.popsection\\n");\n'


def test_who_uses_what_differs_is_changed(tmp_path: Path) -> None:
    old = ALIAS + "int u(void) { return k(); }\nint f(int x) { return u() + x; }\n"
    assert changed_functions(tmp_path, old, old.replace('"g"', '"h"')) == {"u"}


def test_a_function_of_any_number_of_arguments_that_uses_what_differs_is_changed(
    tmp_path: Path,
) -> None:
    old = ALIAS + VARIADIC
    assert changed_functions(tmp_path, old, old.replace('"g"', '"h"'))


def test_what_nobody_is_known_to_use_lies_behind_the_entry(tmp_path: Path) -> None:
    old = OUTSIDE + "int g(void) { return 1; }\nint f(int x) { return g() + x; }\n"
    assert changed_functions(tmp_path, old, old.replace(".long 5", ".long 6")) == {"f"}


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("an alias", "k: its content or storage differs"),
        ("the alignment of an object", "k: nothing became .align 64"),
    ],
)
def test_what_the_search_does_not_see_is_in_the_ledger(
    kind: str, text: str, tmp_path: Path
) -> None:
    pair = PAIRS[kind]
    files = write_versions(tmp_path, *(f"{each}\n{pair.behind}" for each in (pair.old, pair.new)))
    job = BuildJob(BuildOptions(*files, inputs=InputOptions("f"), replay=False))
    try:
        job.prepare()
        texts = [each.text for each in job.ledger.entries if each.reason is Reason.COMPILED]
    finally:
        job.close()
    assert texts == [f"compiled differently, {text}"]


# ---------------------------------------------------------------------- meanings


SIZES = "-Dsizeof(x)=7"
ENUM = "-D__typeof__(...)=int"
CLAIMS = {
    "char is signed": "-funsigned-char",
    "wchar_t is signed": "-fshort-wchar",
    "a bit-field of int is signed": "-funsigned-bitfields",
    "an enumeration is of the size of int": "-fshort-enums",
    "an enumeration is unsigned": ENUM,
    "a bit-field of an enumeration is unsigned": f"{ENUM} -DCSGTEST_C=CSGTEST_C,CSGTEST_M=-1",
    "structures are padded": "-fpack-struct=1",
    "structures are padded for double": "-fpack-struct=4",
    "structures are padded for long double": "-fpack-struct=8",
    "bit-fields share a unit": "-mms-bitfields",
    "bit-fields do not cross units": "-fpack-struct=1",
    "long double has 64 bits": "-mlong-double-64",
    "float is computed as float": "-mfpmath=387",
    "constants are double": "-fsingle-precision-constant",
    "numbers may be infinite": "-ffinite-math-only",
    "characters are those of ASCII": "-fexec-charset=IBM1047",
    "other characters are UTF-8": "-fexec-charset=LATIN1",
    "wide characters are those of ASCII": "-fwide-exec-charset=UTF-32BE",
    "other wide characters are UTF-32": "-fwide-exec-charset=UTF-16LE",
    "bytes are stored lowest first": "-D__BYTE_ORDER__=4321",
    "_Bool has 1 bytes": SIZES,
    "short has 2 bytes": SIZES,
    "int has 4 bytes": SIZES,
    "long has 8 bytes": "-m32",
    "float has 4 bytes": SIZES,
    "double has 8 bytes": SIZES,
    "long double has 16 bytes": "-mlong-double-64",
    "__WCHAR_TYPE__ has 4 bytes": "-fshort-wchar",
    "1.0 has 8 bytes": "-fsingle-precision-constant",
    "1.0f has 4 bytes": SIZES,
    "L'a' has 4 bytes": "-fshort-wchar",
    "void * has 8 bytes": "-m32",
}


@pytest.mark.parametrize("claim", CLAIMS)
def test_each_claim_about_the_language_is_asked(claim: str) -> None:
    assert claim in wrong_claims((), f"gcc {CLAIMS[claim]}")


def test_what_flags_mean_is_told(tmp_path: Path) -> None:
    old = "int f(char x) { return x + 1; }\n"
    found = unified(tmp_path, old, old.replace("x + 1", "x + 2"), "-funsigned-char")
    assert [each.text for each in found.unmodelled] == [
        "with these flags it does not hold that char is signed"
    ]


def test_where_types_lie_is_told(tmp_path: Path) -> None:
    order = '__attribute__((scalar_storage_order("big-endian")))'
    old = f"struct {order} s {{int i;}};\nint f(int x) {{ struct s s = {{x}}; return s.i + 1; }}\n"
    found = unified(tmp_path, old, old.replace("+ 1", "+ 2"))
    assert "the 'i' of 'struct s' is another one" in [each.text for each in found.unmodelled]


def test_a_file_that_the_compiler_refuses_is_told(tmp_path: Path) -> None:
    old = 'int k(void) __attribute__((alias("none")));\nint f(int x) { return x + 1; }\n'
    found = unified(tmp_path, old, old.replace("+ 1", "+ 2"))
    assert "the compiler refuses this file, which is compared by its tree alone" in [
        each.text for each in found.unmodelled
    ]


@pytest.mark.parametrize(
    ("kind", "member"),
    [
        ("struct s", "size"),
        ("struct s", "alignment"),
        ("struct s", "'i'"),
        ("struct s", "'b'"),
        ("enum e", "size"),
        ("enum e", "sign"),
    ],
)
def test_the_compiler_is_asked_for_each_part_of_a_type(kind: str, member: str) -> None:
    unit = parse_text(
        "enum e {A, B};\nstruct s {char i; int b : 3; enum e e;};\nstruct s x;\n", "t.c"
    )
    assert (kind, member) in [(each.type, each.member) for each in data_of(unit)]
