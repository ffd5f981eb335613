"""The option table of a program, and the command lines that it makes worth trying."""

from __future__ import annotations

from pathlib import Path

import pytest

from csg.errors import Location
from csg.frontend import parse_text
from csg.ir import ChangeInfo
from csg.ir.program import ChangeKind
from csg.unify import unify
from symexec.campaign.building import BuildJob
from symexec.fuzzing.command_lines import SHORT, lines, shaped
from symexec.fuzzing.option_table import (
    FAR,
    NONE,
    OPTIONAL,
    REQUIRED,
    Option,
    option_table,
    vocabulary,
)
from symexec.fuzzing.usage import Kind, Slot, Usage
from symexec.inputs.plan import DEFAULT_ARGUMENTS
from symexec.options import BuildOptions, InputOptions, SearchOptions, SymbolicArguments
from symexec.progress import Silence
from symexec.state.inputs import Word
from tests.command_line import csgtest, write_versions

HEAD = """
struct option { const char *name; int has_arg; int *flag; int val; };
extern int getopt_long(int, char *const *, const char *, const struct option *, int *);
extern int strcmp(const char *, const char *);
extern char *optarg;
"""
PROGRAM = (
    HEAD
    + """
static const struct option table[] = {
    {"width", 1, 0, 'w'}, {"colour", 2, 0, 130}, {"help", 0, 0, 131}, {0, 0, 0, 0},
};
static char *width; static int quiet, count;
static int sized(void) { return width ? 1 : count; }
int main(int argc, char **argv)
{
    int c;
    while ((c = getopt_long(argc, argv, "+w:qx::", table, 0)) != -1)
        switch (c) {
        case 'w': width = optarg; break;
        case 'q': quiet = 1; break;
        default: return 2;
        }
    if (argc > 1 && strcmp(argv[1], "-list") == 0) return 1;
    if (argc > 1 && strcmp(argv[1], "size") == 0) return sized();
    return 0;
}
"""
)


def change(function: str, text: str) -> ChangeInfo:
    return ChangeInfo(1, ChangeKind.MODIFIED, function, Location("a.c", 1, 1), None, text, text)


VALUES = [
    ("case 'w': if (strcmp(optarg, \"screen\") == 0) n = 1;", b"-w", (b"screen",)),
    ("case 'w': if (!strcmp(optarg, \"a\")) n = 1; else if (!strcmp(optarg, \"b\")) n = 2;", b"-w",
     (b"a", b"b")),
    ("case 'w': n = !strcmp(\"screen\", optarg);", b"-w", (b"screen",)),
    ("case 'w': n = kind_of(optarg);", b"-w", (b"page", b"paper")),
    ("case 'q': n = 1; break; case 'w': n = kind_of(optarg);", b"-q", ()),
    ("case 'x': case 'w': { if (is(optarg, \"a b\") || is(optarg, \"c\")) n = 1; }", b"-x",
     (b"c",)),
    ("} if (!strcmp(argv[1], \"-list\")) { if (!strcmp(argv[2], \"names\")) n = 1; } else if"
     " (!strcmp(argv[1], \"-all\")) { n = !strcmp(argv[2], \"sizes\");", b"-list", (b"names",)),
]  # fmt: skip


@pytest.mark.parametrize(("code", "option", "values"), VALUES)
def test_what_handles_an_option_says_which_values_it_may_have(
    code: str, option: bytes, values: tuple[bytes, ...]
) -> None:
    text = f"""{HEAD}
static int is(const char *a, const char *b) {{ return a == b; }}
static int kind_of(const char *s) {{ if (is(s, "page")) return 1; return !strcmp(s, "paper"); }}
int main(int argc, char **argv)
{{
    int c, n = is(argv[0], "program");
    while ((c = getopt_long(argc, argv, "w:qx::", 0, 0)) != -1)
        switch (c) {{ {code} break; }}
    return n;
}}"""
    if code.startswith("}"):
        text = text.replace(" break; }", " }")
    found = {each.name: each.values for each in option_table([parse_text(text)])}
    assert found[option] == values


@pytest.mark.parametrize(
    ("option", "written"),
    [
        (Option(b"-t", near=0, values=(b"xml", b"commonmark")), (b"-t", b"commonmark")),
        (Option(b"-t", REQUIRED, near=0, values=(b"commonmark",)), (b"-tcommonmark",)),
        (Option(b"--to", REQUIRED, near=0, values=(b"commonmark",)), (b"--to=commonmark",)),
        (Option(b"-t", OPTIONAL, near=0, values=(b"commonmark",)), (b"-tcommonmark",)),
        (Option(b"list", near=0, values=(b"everything",)), (b"list", b"everything")),
    ],
)
def test_long_values_are_words_of_a_line(option: Option, written: tuple[bytes, ...]) -> None:
    """Short ones are among the values of any bytes."""
    line = tuple(Word(each, 0) for each in written)
    found = lines([option, Option(b"-q", near=0)], DEFAULT_ARGUMENTS)
    assert line in found and (*line, Word(b"", DEFAULT_ARGUMENTS.length)) in found
    assert (Word(b"-q", 0), *line) in found
    assert not any(word.text.endswith(b"xml") for each in found for word in each)
    assert all(len(each) <= DEFAULT_ARGUMENTS.maximum for each in found)


def test_only_some_long_values_are_tried() -> None:
    """The number of lines does not grow with them."""
    texts = tuple(b"long-value-%d" % number for number in range(16))
    options = [Option(b"--%d" % number, near=0, values=texts) for number in range(24)]
    found = {word.text for line in lines(options, DEFAULT_ARGUMENTS) for word in line}
    assert len(found & {*texts}) == 4


@pytest.mark.parametrize(
    "reads",
    [
        'for (int i = 1; i + 1 < argc; i++) if (!strcmp(argv[i], "-t")) TAKE(argv[++i])',
        "for (int c; (c = getopt(argc, argv, \"t:\")) + 1;) switch (c) { case 't': TAKE(optarg) }",
    ],
)
def test_a_change_behind_a_long_value_is_reached(reads: str, tmp_path: Path) -> None:
    take = 'if (!strcmp(%s, "man")) kind = 1; else if (!strcmp(%s, "commonmark")) kind = 2;'
    text = f"""#include <string.h>
#include <unistd.h>
#define TAKE(value) {take.replace("%s", "value")}
int main(int argc, char **argv)
{{
    int kind = 0;
    {reads}
    return kind == 2 ? FOUND : kind;
}}
"""
    write_versions(tmp_path, text.replace("FOUND", "3"), text.replace("FOUND", "4"))
    call = ("build", "old.c", "new.c", "--time", "20", "--stop-after", "1", "--no-native")
    done = csgtest(*call, folder=tmp_path)
    assert done.code == 1, done.err
    assert "commonmark" in done.out and not done.report["counters"]["mispredicted"]


def test_options_are_read_from_getopt_tables_and_comparisons() -> None:
    found = {each.name: each.value for each in option_table([parse_text(PROGRAM)])}
    assert found == {
        b"-w": REQUIRED,
        b"-q": NONE,
        b"-x": OPTIONAL,
        b"--colour": OPTIONAL,
        b"--help": NONE,
        b"-list": NONE,
    }


SWITCHED = [
    (  # one word after the other
        "for (int i = 1; i < argc && argv[i][0] == '-'; i++) switch (argv[i][1]) {"
        " case 'n': n = atoi(argv[++i]); break; case 'q': case 'Q': n++; break;"
        " case 'v': return 3; default: return 2; }",
        {b"-n": REQUIRED, b"-q": NONE, b"-Q": NONE, b"-v": NONE},
    ),
    (  # several letters in a word, by a variable
        "while (*++argv && **argv == '-') { char *at = *argv; char c;"
        " while ((c = *++at)) switch (c) { case 'o': { n = atoi(at + 1); break; }"
        " case 'x': n = 7; break; } }",
        {b"-o": REQUIRED, b"-x": NONE},
    ),
    ("switch (argc) { case 'a': n = 1; } if (argv[1][0] == '-') n = 2;", {}),
    ("switch (argv[1][0]) { case 'a': n = 1; }", {}),  # no dash
]


@pytest.mark.parametrize(("code", "options"), SWITCHED)
def test_letters_behind_a_dash_are_options_where_there_is_no_getopt(
    code: str, options: dict[bytes, int]
) -> None:
    text = (
        f"int atoi(const char *); int main(int argc, char **argv) {{ int n = 0; {code} return n; }}"
    )
    found = {each.name: each.value for each in option_table([parse_text(text)])}
    assert found == options


def test_names_of_a_table_stand_between_brackets_and_marks_that_the_program_reads() -> None:
    text = """
        struct row { const char *name; int code; };
        static const struct row rows[] = {{"alpha", 1}, {"digit", 2}};
        int main(int argc, char **argv) { const char *s = argv[1];
            if (s[0] == '[' && s[1] == ':') return rows[0].name[0] == s[2];
            return s[3] == ']'; }"""
    found = vocabulary(parse_text(text)).framed
    assert found == (b"[alpha]", b"[:alpha:]", b"[digit]", b"[:digit:]")
    assert vocabulary(parse_text(text.replace("']'", "')'"))).framed == ()


def test_framed_words_are_operands() -> None:
    found = lines([Option(b"-c", NONE, near=0)], DEFAULT_ARGUMENTS, None, [b"[:a:]"])
    word = Word(b"[:a:]", 0)
    operand = Word(b"", DEFAULT_ARGUMENTS.length)
    assert (Word(b"-c", 0), word, operand) in found and (operand, word) in found
    assert found.index((Word(b"-c", 0), operand)) < found.index((Word(b"-c", 0), word))


def test_what_handles_an_option_says_how_near_it_is_to_a_change() -> None:
    table = option_table([parse_text(PROGRAM)], [change("sized", "return width ? 2 : count")])
    near = {each.name: each.near for each in table}
    assert near[b"-w"] == 0  # both name width
    assert near[b"size"] == 0  # a word that leads to the changed function
    assert near[b"-q"] == FAR
    assert [each.near for each in table] == sorted(near.values())


def test_an_option_that_sets_what_guards_a_change_is_near_it() -> None:
    """Setting it itself, by a member of that name, or by a function that writes to it."""
    changes = [change("counted", "return x + 1")]
    for handler in ("quiet = 1;", "settings.quiet = 1;", "hush();"):
        text = PROGRAM.replace("quiet = 1;", handler).replace(
            "static char *width;",
            "static struct { int quiet; } settings; void hush(void); static char *width;",
        )
        table = option_table([parse_text(text)], changes, frozenset({"quiet", "hush"}))
        assert {each.name for each in table if each.near < FAR} == {b"-q"}
    without = option_table([parse_text(PROGRAM)], changes)
    assert {each.near for each in without} == {1}  # none is nearer than another


def test_lines_grow_from_nothing_and_hold_pairs_of_near_options() -> None:
    options = (Option(b"-w", REQUIRED, near=0), Option(b"--all", near=0), Option(b"-q"))
    found = lines(options, DEFAULT_ARGUMENTS)
    assert found[0] == ()
    assert (Word(b"-w", 6), Word(b"--all", 0)) in found
    assert (Word(b"", 6),) * 4 in found  # words of any bytes are all there
    assert len(set(found)) == len(found)
    assert all(len(line) <= 4 for line in found)
    place = {line: number for number, line in enumerate(found)}
    assert place[Word(b"--all", 0),] < place[Word(b"-q", 0),] < place[(Word(b"", 6),) * 4]


ENDING = (
    HEAD
    + """
extern void exit(int);
extern int printf(const char *, ...);
static int all, both;
static void usage(int status)
{
    if (status) printf("try"); else printf("Usage: x N\\n");
    exit(status);
}
static void complain(int c) { if (c) return; usage(1); }
int main(int argc, char **argv)
{
    int c;
    while ((c = getopt_long(argc, argv, "abhVqx", 0, 0)) != -1)
        switch (c) {
        case 'a': all = 1; break;
        case 'b': if (argc > 3) break; usage(1);
        case 'h': usage(0); break;
        case 'V': printf("1.0"); exit(0);
        case 'q': complain(all); break;
        case 'x': all = 1;
        default: usage(2);
        }
    return all + both;
}
"""
)


def test_an_option_ends_the_program_where_its_code_never_comes_back() -> None:
    """It may: then it can be combined. What falls into such code ends there as well."""
    table = option_table([parse_text(ENDING)], [change("main", "return all")])
    assert {each.name for each in table if each.ends} == {b"-h", b"-V", b"-x"}


def test_help_and_version_end_whatever_the_program_does_with_them() -> None:
    table = option_table([parse_text(PROGRAM)])
    assert {each.name for each in table if each.ends} == {b"--help"}


@pytest.mark.parametrize("old_too", [True, False])
def test_an_option_that_ends_one_version_only_is_combined(old_too: bool) -> None:
    old = ENDING if old_too else ENDING.replace("case 'h': usage(0);", "case 'h': all = 2;")
    new = ENDING.replace("case 'h': usage(0);", "case 'h': usage(3);")
    unified = unify(parse_text(old, "old.c"), parse_text(new, "new.c"))
    ends = {each.name for each in option_table([unified.unit]) if each.ends}
    assert (b"-h" in ends) == old_too


def test_what_ends_the_program_stands_alone() -> None:
    options = (Option(b"-w", REQUIRED, near=0), Option(b"--help", near=0, ends=True))
    found = lines(options, DEFAULT_ARGUMENTS)
    assert [line for line in found if any(word.text == b"--help" for word in line)] == [
        (Word(b"--help", 0),)
    ]


@pytest.mark.parametrize("call", ['strchr("-e", *argv[1])', 'strpbrk(argv[1], "-e")'])
def test_characters_to_look_for_are_no_option(call: str) -> None:
    text = PROGRAM.replace('strcmp(argv[1], "-list") == 0', call).replace(
        HEAD, HEAD + "extern char *strchr(const char *, int), *strpbrk(const char *, const char *);"
    )
    table = option_table([parse_text(text)], [change("sized", "return width")])
    assert {each.name for each in table} == {b"-w", b"-q", b"-x", b"--colour", b"--help", b"size"}


def test_as_many_operands_as_the_usage_text_names_come_first_and_short_before_long() -> None:
    options = (Option(b"-w", near=0),)
    usage = Usage(options, operand=Slot((Kind.INTEGER,)), counts=(2, 3))
    found = lines(options, DEFAULT_ARGUMENTS, usage)
    place = {line: number for number, line in enumerate(found)}
    option, short, long = Word(b"-w", 0), Word(b"", SHORT), Word(b"", 6)
    assert place[short, short] < place[long,] and place[short, short] < place[long, long]
    assert place[option, short, short] < place[option, long]
    assert set(lines(options, DEFAULT_ARGUMENTS)) <= set(found)


@pytest.mark.parametrize(
    "inputs", [InputOptions(arguments=SymbolicArguments(0, 1, 2)), InputOptions(stdin=1)]
)
def test_a_user_who_names_inputs_gets_words_of_any_bytes(inputs: InputOptions) -> None:
    assert shaped([parse_text(PROGRAM)], (), inputs) == ()


OLD = """
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
static int base = 10, wide;
int main(int argc, char **argv)
{
    static const struct option known[] = {
        {"base-of-numbers", required_argument, 0, 'b'}, {"wide", no_argument, 0, 1000}, {0}};
    int c;
    while ((c = getopt_long(argc, argv, "ab:cdefgh", known, 0)) != -1)
        switch (c) {
        case 'b': base = atoi(optarg); break;
        case 1000: wide = 1; break;
        case '?': return 2;
        }
    if (wide && base == 7) puts("seven");
    return 0;
}
"""


def test_two_options_and_a_value_are_found_with_defaults_alone(tmp_path: Path) -> None:
    old, new = tmp_path / "old.c", tmp_path / "new.c"
    old.write_text(OLD)
    new.write_text(OLD.replace('"seven"', '"SEVEN"'))
    job = BuildJob(BuildOptions(old, new, search=SearchOptions(time=60), replay=False))
    try:
        job.prepare()
        for _ in job.cases(Silence()):
            if job.predicted:
                break
    finally:
        job.close()
    args = job.predicted[0].input.args
    assert b"--wide" in args and any(word.startswith(b"-b") for word in args)
