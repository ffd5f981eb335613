"""Pairs of parsers whose one difference needs about 40 bytes: one generated for each seed, and some
written by hand.

A grammar nests: each level has a keyword, a way to write what belongs to it, and entries of its
own. What the versions read differently stands in the innermost level.

    config { port=5; <node> range(3){ weight=9; } </node> }

``written`` also gives a text on which the versions differ, so that what a search misses is there.

Those of ``HANDWRITTEN`` are files in the folder of that name, read with PLANTED(old, new). They
were written before csgtest was run on them, and csgtest was not changed for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from random import Random

# Their entries, and texts on which the versions differ.
HANDWRITTEN: dict[str, tuple[str | None, str]] = {
    "ini": (None, "[a]\nsize=4\n[b:a]\nquota=7\n"),
    "records": ("decode", "RC\1G\7G\5N\3\0\0\t"),
    "commands": (None, "new s; push s 3; push s 4; push s 5; fold s add; print s;"),
    "json": ("depth_of", '[{"a":[{"b":1}]}]'),
    "table": (None, 'id,amount\n"a""b",5\nc,"7"\n'),
}
SYLLABLES = ("al", "be", "con", "de", "fi", "gro", "ho", "in", "ju", "ke", "lis", "mo", "ne", "po")
FORMS = ("braces", "tags", "call")
HEAD = r"""
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *at;
static int failed, flags;
static long total;

static void blanks(void)
{
    while (*at == ' ' || *at == '\n')
        at++;
}

static int fail(void)
{
    failed = 1;
    return 0;
}

static int sign(char c)
{
    blanks();
    return *at == c ? (at++, 1) : 0;
}
"""
WORDS = {
    "prefix": r"""
static int word(const char *wanted)
{
    size_t size = strlen(wanted);
    blanks();
    if (strncmp(at, wanted, size) || isalnum((unsigned char) at[size]))
        return 0;
    at += size;
    return 1;
}
""",
    "token": r"""
static int word(const char *wanted)
{
    char token[16];
    size_t size = 0;
    blanks();
    while (isalnum((unsigned char) at[size]) && size + 1 < sizeof token) {
        token[size] = at[size];
        size++;
    }
    token[size] = 0;
    if (strcmp(token, wanted))
        return 0;
    at += size;
    return 1;
}
""",
    "letters": r"""
static int word(const char *wanted)
{
    const char *place;
    blanks();
    for (place = at; *wanted; wanted++, place++)
        if (*place != *wanted)
            return 0;
    if (isalnum((unsigned char) *place))
        return 0;
    at = place;
    return 1;
}
""",
}
NUMBERS = {
    "strtol": r"""
static long number(void)
{
    char *end;
    blanks();
    if (!isdigit((unsigned char) *at))
        return fail();
    long value = strtol(at, &end, 10);
    at = end;
    return value;
}
""",
    "digits": r"""
static long number(void)
{
    long value = 0;
    blanks();
    if (!isdigit((unsigned char) *at))
        return fail();
    while (isdigit((unsigned char) *at) && value < 100000000)
        value = 10 * value + (*at++ - '0');
    return value;
}
""",
}
TAIL = r"""
long parse(const char *text)
{
    at = text;
    failed = flags = 0;
    total = 0;
    if (!level0())
        return -1;
    blanks();
    return *at || failed ? -1 : total;
}
"""
MAIN = r"""
int main(void)
{
    static char text[4096];
    size_t size = fread(text, 1, sizeof text - 1, stdin);
    text[size] = 0;
    printf("%ld\n", parse(text));
    return 0;
}
"""


@dataclass(frozen=True, slots=True)
class Pair:
    """``entry`` None: it starts in main and reads standard input."""

    old: str
    new: str
    entry: str | None
    witness: str


def generated(seed: int) -> Pair:
    """The pair of this number."""
    return _Grammar(Random(seed)).pair()


def handwritten(name: str) -> Pair:
    """The pair of this name."""
    entry, witness = HANDWRITTEN[name]
    text = (Path(__file__).parent / "handwritten" / f"{name}.c").read_text()
    old, new = (f"#define PLANTED(old, new) ({each})\n{text}" for each in ("old", "new"))
    return Pair(old, new, entry, witness)


class _Grammar:
    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self._taken: set[str] = set()
        self._depth = chance.choice((3, 3, 4))
        self._forms = [chance.choice(FORMS) for _ in range(self._depth)]
        self._keywords = [self._fresh() for _ in range(self._depth)]
        self._key = self._fresh()
        # What the innermost difference asks for beside its place: nothing, a value, an entry of an
        # outer level that came before.
        self._asks = chance.choice(("place", "value", "flag"))
        self._flag = self._fresh() if self._asks == "flag" else ""
        self._least = chance.choice((10, 64, 100, 255, 1000))

    def pair(self) -> Pair:
        old, new = (self._source(changed) for changed in (False, True))
        reads_stdin = self._chance.random() < 0.4
        if reads_stdin:
            old, new = (
                text.replace("long parse", "static long parse") + MAIN for text in (old, new)
            )
        return Pair(old, new, None if reads_stdin else "parse", self._witness(0))

    def _fresh(self) -> str:
        while True:
            made = "".join(self._chance.sample(SYLLABLES, 2))
            if made not in self._taken:
                self._taken.add(made)
                return made

    # ------------------------------------------------------------------ C

    def _source(self, changed: bool) -> str:
        style = Random(self._least + self._depth)  # both versions are written alike
        parts = [HEAD, WORDS[style.choice([*WORDS])], NUMBERS[style.choice([*NUMBERS])]]
        parts += [self._level(at, changed, style) for at in reversed(range(self._depth))]
        return "".join((*parts, TAIL)).lstrip("\n")

    def _level(self, at: int, changed: bool, style: Random) -> str:
        """A function that reads a level, whose keyword has been read by the one around it."""
        entries = [
            self._plain(f"{self._keywords[at][::-1]}{each}", style) for each in "xyz"[: at + 1]
        ]
        if at == 0 and self._flag:
            entries.append(self._entry(self._flag, "flags |= 1;"))
        if at + 1 < self._depth:
            nested = f'if (word("{self._keywords[at + 1]}")) {{\n{self._opened(at + 1)}'
            entries.append(nested + "            continue;\n        }")
        else:
            entries.append(self._entry(self._key, self._planted(changed)))
        style.shuffle(entries)
        body = "\n        ".join(entries)
        first = (
            f'    if (!word("{self._keywords[0]}"))\n        return fail();\n' if at == 0 else ""
        )
        opened = self._opening(at).replace("            ", "    ") if at == 0 else ""
        closing = self._closing(at)
        return (
            f"\nstatic int level{at}(void)\n{{\n{first}{opened}"
            f"    while (!failed) {{\n"
            f"        {closing}\n        {body}\n"
            "        return fail();\n    }\n    return 0;\n}\n"
        )

    def _opened(self, at: int) -> str:
        return f"{self._opening(at)}            if (!level{at}())\n                return 0;\n"

    def _opening(self, at: int) -> str:
        match self._forms[at]:
            case "braces":
                tests = ["sign('{')"]
            case "tags":
                tests = ["sign('>')"]
            case _:
                tests = ["sign('(')", "(total += number(), !failed)", "sign(')')", "sign('[')"]
        return f"            if (!({' && '.join(tests)}))\n                return fail();\n"

    def _closing(self, at: int) -> str:
        match self._forms[at]:
            case "braces":
                return "if (sign('}'))\n            return 1;"
            case "tags":
                return (
                    "if (sign('<'))\n            "
                    f"return sign('/') && word(\"{self._keywords[at]}\") && sign('>') ? 1 : fail();"
                )
            case _:
                return "if (sign(']'))\n            return 1;"

    def _plain(self, key: str, style: Random) -> str:
        return self._entry(key, style.choice(("total += value;", "total ^= value;", "total++;")))

    @staticmethod
    def _entry(key: str, what: str) -> str:
        indent = "\n            "
        lines = ("if (!sign('='))", "    return fail();", "long value = number();", what)
        more = ("if (!sign(';'))", "    return fail();", "continue;")
        return f'if (word("{key}")) {{{indent}{indent.join((*lines, *more))}\n        }}'

    def _planted(self, changed: bool) -> str:
        result = "total += 2 * value + 1;" if changed else "total += 2 * value;"
        match self._asks:
            case "place":
                return result
            case "value":
                sign = ">=" if changed else ">"
                return f"total += value {sign} {self._least} ? 7 : value;"
            case _:
                return f"if (flags & 1)\n                {result}"

    # ------------------------------------------------------------------ a text that differs

    def _witness(self, at: int) -> str:
        word = self._keywords[at]
        opened = {"braces": "{", "tags": ">", "call": "(1)["}[self._forms[at]]
        closed = {"braces": "}", "tags": f"</{word}>", "call": "]"}[self._forms[at]]
        flag = f"{self._flag}=1;" if at == 0 and self._flag else ""
        value = self._least if self._asks == "value" else 1
        last = at + 1 == self._depth
        inner = f"{self._key}={value};" if last else self._witness(at + 1)
        return f"{word}{opened}{flag}{inner}{closed}"


def written(pair: Pair, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "old.c").write_text(pair.old)
    (folder / "new.c").write_text(pair.new)
    (folder / "witness").write_bytes(pair.witness.encode("latin-1"))
