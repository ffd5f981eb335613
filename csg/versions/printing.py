"""The united program as C that compiles as the old version, as the new one, or with a mask.

    cc -DCSGTEST_OLD unified.c       the old program
    cc -DCSGTEST_NEW unified.c       the new program
    cc unified.c                     CSGTEST_MASK=0110 ./a.out: changes 2 and 3 are new

In the readable form ``change(o, n)`` has no number, and a mask switches everything at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from csg.language.expression_text import Notation
from csg.language.printer import print_unit
from csg.language.syntax import Declaration, EnumeratorName, Goto, Label, Name, TranslationUnit
from csg.language.traversal import walk
from csg.language.types import Enumeration
from csg.programs import ANNOTATED
from csg.versions.unified import Unified

WORDS = ("change", "execute", "OLD", "NEW")

_ASSERTION = """\
extern _Noreturn void __assert_fail(const char *, const char *, unsigned int, const char *);
static _Noreturn __attribute__((unused)) void
__csgtest_assert_fail(const char *text, const char *file, unsigned int line, const char *function)
{
    __assert_fail(text, file, line, function);
}
"""

_DECLARED = """\
extern _Noreturn void
__csgtest_assert_fail(const char *text, const char *file, unsigned int line, const char *function);\
"""

_MASK = """\
static unsigned char csgtest_mask[%(count)d];
__attribute__((constructor(101))) static void csgtest_read_mask(void)
{
    extern char *getenv(const char *);
    const char *text = getenv("CSGTEST_MASK");
    int at;
    for (at = 1; at < %(count)d; at++)
        csgtest_mask[at] = !text || (*text && *text++ == '1');
}
"""


def printed(unified: Unified, ids: bool = False) -> str:
    """C text with its prelude of macros. ``ids`` writes ``change_(17, o, n)``."""
    words = free_words(unified.unit)
    notation = Notation(*words, ids=ids)
    body = print_unit(unified.unit, notation, frozenset({"__csgtest_assert_fail"}))
    return prelude(notation, len(unified.changes)) + body


def mask_text(ids: Iterable[int]) -> str:
    """The value of CSGTEST_MASK that makes exactly the changes ``ids`` new."""
    chosen = set(ids)
    return "".join("1" if at in chosen else "0" for at in range(1, max(chosen, default=0) + 1))


def free_words(unit: TranslationUnit) -> tuple[str, str, str, str]:
    """The macros' names; with a prefix where the program uses one of them itself."""
    taken = set(_identifiers(unit))
    change, execute, old, new = (
        f"csgtest_{word}" if word in taken or f"{word}_" in taken else word for word in WORDS
    )
    return change, execute, old, new


def _identifiers(unit: TranslationUnit) -> Iterator[str]:
    for kind in unit.types:
        yield kind.tag
        if isinstance(kind, Enumeration):
            yield from (name for name, _ in kind.enumerators)
        else:
            yield from (member.name for member in kind.fields or ())
    for declaration in unit.declarations:
        yield declaration.symbol.name
    for function in unit.functions:
        yield function.symbol.name
        yield from (parameter.name for parameter in function.parameters)
        for node in walk(function.body):
            match node:
                case Name(symbol=symbol) | Declaration(symbol=symbol):
                    yield symbol.name
                case Label(name=name) | Goto(label=name) | EnumeratorName(name=name):
                    yield name
                case _:
                    pass


def prelude(notation: Notation, changes: int) -> str:
    """The macros, the reader of the mask, and the C library's assertion."""
    change, execute = notation.change, notation.execute
    numbered = [
        "#if defined CSGTEST_OLD",
        f"#define {change}_(id, o, n) (o)",
        f"#define {execute}_(id, v) ((v) == 0)",
        "#elif defined CSGTEST_NEW",
        f"#define {change}_(id, o, n) (n)",
        f"#define {execute}_(id, v) ((v) == 1)",
        "#else",
        (_MASK % {"count": max(changes, 1) + 1}).rstrip(),
        f"#define {change}_(id, o, n) (csgtest_mask[id] ? (n) : (o))",
        f"#define {execute}_(id, v) (csgtest_mask[id] == (v))",
        "#endif",
    ]
    plain = [
        f"#define {change}(o, n) {change}_(1, o, n)",
        f"#define {execute}(v) {execute}_(1, v)",
    ]
    sides = [f"#define {notation.old} 0", f"#define {notation.new} 1"]
    macros = [*sides, *numbered, *([] if notation.ids else plain)]
    lines = [f"#ifndef {ANNOTATED}", *macros, _ASSERTION.rstrip(), "#else", _DECLARED, "#endif"]
    return "\n".join(lines) + "\n"
