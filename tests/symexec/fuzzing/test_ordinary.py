"""Ordinary command lines: what a program's text says of them, and how soon they find what it takes
several options and values to show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from csg.frontend import parse_file, parse_text
from csg.programs import SourceFile
from symexec.fuzzing.candidates import Candidates
from symexec.fuzzing.command_lines import CommandLines
from symexec.fuzzing.option_table import option_table, vocabulary
from symexec.fuzzing.ordinary import OrdinaryLines, command_lines
from symexec.fuzzing.usage import Kind, Slot, Usage, usage_of
from symexec.fuzzing.values import Texts
from symexec.options import InputOptions, SymbolicArguments
from symexec.replay import PLAIN, NativeReplay, ReplayPlan, Request
from symexec.testcases import TestInput
from symexec.triage import differing_parts

HEAD = """
typedef struct file FILE;
extern FILE *stdin;
extern int getopt(int, char *const *, const char *);
extern char *optarg;
extern int optind;
extern long strtol(const char *, char **, int);
extern double strtod(const char *, char **);
extern FILE *fopen(const char *, const char *);
extern int strcmp(const char *, const char *);
extern char *strchr(const char *, int);
extern int printf(const char *, ...);
"""


def read(body: str, before: str = "") -> Usage:
    unit = parse_text(f"{HEAD}{before}\nint main(int argc, char **argv) {{ {body} return 0; }}")
    return usage_of([unit], option_table([unit]))


def kinds(slot: Slot) -> tuple[Kind, ...]:
    return tuple(kind for kind in slot.kinds if kind is not Kind.MARKED)


LOOP = "int c; while ((c = getopt(argc, argv, \"x:\")) != -1) switch (c) { case 'x': %s break; }"


@pytest.mark.parametrize(
    ("handler", "before", "kind"),
    [
        ("n = strtol(optarg, 0, 10);", "static long n;", Kind.INTEGER),
        ("s = optarg;", "static char *s; double f(void) { return strtod(s, 0); }", Kind.REAL),
        ("f(optarg);", "long f(char *s) { return strtol(s, 0, 0); }", Kind.INTEGER),
        ("if (optarg[0] && optarg[1] != 0) return 1; c = *optarg;", "", Kind.CHARACTER),
        ("f(optarg);", "void f(char *s) { while (*s) if (*s++ == ',') return; }", Kind.RANGES),
        ("f(optarg);", "int f(char *s) { return strchr(s, '%') != 0; }", Kind.FORMAT),
        ('if (strcmp(optarg, "all") == 0) c = 1;', "", Kind.KEYWORD),
        ("in = fopen(optarg, \"r\");", "static FILE *in;", Kind.FILE),
        ("s = optarg;", "static char *s;", Kind.TEXT),
        (
            "s = optarg;",
            'static char *s; void usage(void) { printf("  -x, --ex=COUNT  so many\\\\n"); }',
            Kind.INTEGER,
        ),
    ],
)  # fmt: skip
def test_the_kind_of_a_value_is_what_is_done_with_it(handler: str, before: str, kind: Kind) -> None:
    usage = read(LOOP % handler, before.replace("\\\\n", "\\n"))
    assert kinds(usage.values[b"-x"])[0] is kind


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("Usage: %s [OPTION]... LAST\\n  or:  %s FIRST LAST\\n", (1, 2)),
        ("usage: tool FROM [TO]\\n", (1, 2)),
        ("Usage: %s OPTION... [FILE]...\\n", (0, 1, 2, 3)),
        ("nothing is said\\n", (0, 1, 2, 3)),
    ],
)
def test_the_usage_text_says_how_many_operands_there_are(
    text: str, counts: tuple[int, ...]
) -> None:
    assert read(f'printf("{text}", argv[0]);').counts == counts


def test_operands_are_what_becomes_of_the_arguments() -> None:
    numbers = read("return f(argv[optind]);", "int f(char *s) { return strtod(s, 0) > 1; }")
    assert kinds(numbers.operand) == (Kind.REAL,) and not numbers.reads
    before = """
        static char **args;
        static int next(const char *word) { return strcmp(*args, word) == 0; }
        static int sum(void) { return next("+") || next("minus"); }
    """
    words = read('printf("Usage: %s EXPRESSION\\n"); args = argv + 1; return sum();', before)
    assert words.operand.keywords == (b"+", b"minus") and max(words.counts) == 5


def test_values_read_like_their_kind_and_so_do_their_neighbours() -> None:
    texts, chance = Texts(vocabulary(), (4711,)), Random(0)
    drawn = {
        kind: {texts.drawn(Slot((kind,), b",-%gf"), chance, stray=0.0) for _ in range(2000)}
        for kind in Kind
    }
    assert {b"1", b"0", b"-1", b"4711"} <= drawn[Kind.INTEGER]
    assert {b".5", b"1.5", b"3"} <= drawn[Kind.REAL]
    assert {b"1-", b"2", b"-3", b"1-2"} <= drawn[Kind.RANGES]
    assert any(text.count(b",") == 2 for text in drawn[Kind.RANGES])
    assert {b"%g", b"%.1f"} <= drawn[Kind.FORMAT]
    assert {b":", b","} <= drawn[Kind.CHARACTER]
    slot = Slot((Kind.REAL,))
    near = {texts.near(b"1.5", slot, chance) for _ in range(500)}
    assert {b"2.5", b"1.50", b"-1.5", b"1", b"10.5", b"1.5e1"} <= near
    ranges = {texts.near(b"1-3", Slot((Kind.RANGES,), b",-"), chance) for _ in range(500)}
    assert {b"1-", b"2-3"} <= ranges and any(text.startswith(b"1-3,") for text in ranges)


TOOL = """
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int places(const char *text)
{
    const char *point = strchr(text, '.');
    return point ? (int) strlen(point + 1) : 0;
}
static void usage(void) { printf("Usage: %s [OPTION]... FROM TO\\n", "ladder"); exit(1); }
int main(int argc, char **argv)
{
    int c, pad = 0, back = 0;
    const char *between = " ";
    while ((c = getopt(argc, argv, "pbqs:")) != -1)
        switch (c) {
        case 'p': pad = 1; break;
        case 'b': back = 1; break;
        case 'q': return 0;
        case 's': between = optarg; break;
        default: usage();
        }
    if (argc - optind != 2)
        usage();
    char *end, *behind;
    double from = strtod(argv[optind], &end), to = strtod(argv[optind + 1], &behind);
    if (*end || *behind || end == argv[optind] || behind == argv[optind + 1])
        usage();
    int first = places(argv[optind]), last = places(argv[optind + 1]);
    int shown = first > last ? first : last;
    if (pad && back)
        shown = SHOWN;
    int rungs = 0;
    for (double at = back ? to : from; rungs < 9 && at >= from && at <= to; rungs++) {
        printf("%.*f%s", pad ? shown : 0, at, between);
        at += back ? -1 : 1;
    }
    return 0;
}
"""
ENOUGH = 1500  # candidates; a line of four words that fits comes once in about 150


@pytest.fixture(scope="module")
def ladder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[NativeReplay, Path]]:
    """Two options and two numbers, the last with fewer digits, make the versions differ."""
    folder = tmp_path_factory.mktemp("ladder")
    files = folder / "old.c", folder / "new.c"
    for file, shown in zip(files, ("shown", "last"), strict=True):
        file.write_text(TOOL.replace("SHOWN", shown))
    old, new = ((SourceFile(file),) for file in files)
    with NativeReplay(ReplayPlan(old, new, name="ladder")) as replay:
        yield replay, files[1]


@pytest.mark.parametrize("seed", range(5))
def test_two_options_and_two_numbers_are_soon_together(
    ladder: tuple[NativeReplay, Path], seed: int
) -> None:
    replay, file = ladder
    unit = parse_file(file)
    options = option_table([unit])
    words = vocabulary(unit).led_by([each.name for each in options])
    lines = command_lines(usage_of([unit], options), words, InputOptions(), strict=True)
    candidates = Candidates(lines, seed)
    tests = list(islice(candidates, ENOUGH))
    runs = replay.observe_all(
        Request(build, test, None, PLAIN, 0.25) for test in tests for build in ("old", "new")
    )
    differing = [test for test in tests if differing_parts(next(runs), next(runs))]
    assert differing
    assert all(b"p" in b"".join(test.args) for test in differing)
    assert tests == list(islice(Candidates(lines, seed), ENOUGH))  # nothing but the seed decides


def ordinary(text: str) -> OrdinaryLines:
    unit = parse_text(text)
    options = option_table([unit])
    usage = usage_of([unit], options)
    found = command_lines(usage, vocabulary(unit), InputOptions())
    assert isinstance(found, OrdinaryLines)
    return found


def test_an_option_that_explains_what_differs_becomes_rare() -> None:
    loop = LOOP.replace('"x:"', '"xyz"') % ""
    lines = ordinary(f"{HEAD} int main(int argc, char **argv) {{ {loop} return 0; }}")

    def share(name: bytes) -> float:
        chance = Random(1)
        drawn = [lines.signature(lines.drawn(chance)) for _ in range(1000)]
        return Counter(name in each for each in drawn)[True] / 1000

    before = share(b"-x")
    for number in range(40):
        lines.learn(TestInput(args=(b"-x", b"%d" % number)), differs=True)
        lines.learn(TestInput(args=(b"-y", b"%d" % number)), differs=number % 2 == 0)
    assert share(b"-x") < before / 4 and share(b"-y") > before / 2


def test_standard_input_holds_what_the_command_line_speaks_of() -> None:
    loop = LOOP % "if (optarg[1] != 0) return 1;"
    lines = ordinary(
        f'{HEAD} int main(int argc, char **argv) {{ {loop} return fopen(argv[1], "r") == stdin; }}'
    )
    chance = Random(0)
    hits = total = 0
    for _ in range(3000):
        test = lines.drawn(chance)
        for word in test.args:
            if word.startswith(b"-x") and len(word) == 3 and word[2:] in (b":", b",", b";", b"|"):
                total += 1
                hits += word[2:] in test.stdin
        assert {name for name, _ in test.files} == {w.decode() for w in test.args} & {"A", "B"}
    assert total > 50 and hits > total / 2


def test_what_the_user_says_of_the_command_line_holds() -> None:
    asked = InputOptions(arguments=SymbolicArguments(1, 2, 3), stdin=2)
    assert isinstance(command_lines(Usage(), vocabulary(), asked), CommandLines)
    assert isinstance(command_lines(Usage(), vocabulary(), InputOptions(), False), CommandLines)
