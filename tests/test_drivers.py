"""Entry functions with parameters that lead to functions, or are streams: a driver calls them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import csgtest, write_versions

PARSER = r"""
#include <stdio.h>
#include <string.h>
typedef int (*handler)(void *user, const char *name, int line);
static int parse(FILE *file, handler h, void *user)
{
    char line[16];
    int n = 0, error = 0;
    while (fgets(line, sizeof line, file)) {
        n++;
        line[strcspn(line, "\n")] = 0;
        if (!h(user, line, n) && !error)
            error = n;
    }
    return error;
}
int (*const used)(FILE *, handler, void *) = parse;
"""
WRITER = r"""
#include <stdio.h>
enum kind { SMALL, LARGE };
void write_number(FILE *out, int n, double (*scale)(enum kind, double))
{
    fprintf(out, "%d\n", scale(n > 9 ? LARGE : SMALL, n) > 1);
    fclose(out);
}
"""


def built(folder: Path, old: str, new: str, entry: str, *words: str) -> str:
    write_versions(folder, old, new)
    asked = ("build", "old.c", "new.c", "--entry", entry, "--time", "10", *words)
    done = csgtest(*asked, folder=folder)
    assert done.code == 1, done.err
    assert not done.report["counters"]["mispredicted"]
    return done.out


def test_a_callback_and_a_stream_are_inputs_and_calls_are_output(tmp_path: Path) -> None:
    new = PARSER.replace(" && !error", "")
    out = built(tmp_path, PARSER, new, "parse", "--deterministic")  # however busy the machine is
    assert 'driven_parse("\\n' in out
    assert "returns 1, prints h(" in out and "returns 2, prints h(" in out


@pytest.mark.parametrize(
    ("edit", "shown"),
    [
        (('"%d\\n"', '"%d \\n"'), "stream-out"),  # what the stream has been given differs
        (("n > 9", "n > 10"), "scale(1, 10)"),  # what the callback is called with does
    ],
)
def test_a_stream_that_is_written_is_a_file(
    edit: tuple[str, str], shown: str, tmp_path: Path
) -> None:
    assert shown in built(tmp_path, WRITER, WRITER.replace(*edit), "write_number")


SUM = """
#include <stdarg.h>
int take(int count, va_list list)
{
    int i, s = 0;
    for (i = 0; i < count && i < 3; i++)
        s += va_arg(list, int) == 77 ? HIT : 1;
    return s;
}
int sum(int count, ...)
{
    va_list list;
    va_start(list, count);
    int s = take(count, list);
    va_end(list);
    return s;
}
"""
SAY = r"""
#include <stdarg.h>
#include <stdio.h>
static int put(char *to, const char *format, va_list list)
{
    int n = 0;
    for (; *format; format++)
        if (*format == 'd')
            n += va_arg(list, long) < 0 ? LESS : 1;
        else if (*format == 's')
            n += va_arg(list, const char *)[0] == 'x' ? TEXT : 2;
        else if (*format == 'g')
            n += va_arg(list, double) == 0.5 ? HALF : 3;
    return n;
}
int say(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int n = put(0, format, list);
    va_end(list);
    return n;
}
"""


@pytest.mark.parametrize("entry", ["sum", "take"])
def test_arguments_behind_the_named_ones_are_inputs(entry: str, tmp_path: Path) -> None:
    old, new = SUM.replace("HIT", "5"), SUM.replace("HIT", "6")
    out = built(tmp_path, old, new, entry)
    assert f"driven_{entry}(1, 77," in out
    assert "Looked for in 3 arguments behind the named ones" in out


@pytest.mark.parametrize("edited", ["LESS", "TEXT", "HALF"])
def test_they_are_of_each_kind_that_the_code_takes(edited: str, tmp_path: Path) -> None:
    same = {"LESS": "7", "TEXT": "8", "HALF": "9"}
    texts = []
    for value in (same[edited], "99"):
        text = SAY
        for word, other in (same | {edited: value}).items():
            text = text.replace(word, other)
        texts.append(text)
    built(tmp_path, *texts, "say", "--no-native", "--stop-after", "1")


def test_what_reaches_no_difference_by_them_is_equivalent_within_their_number(
    tmp_path: Path,
) -> None:
    old = SUM.replace("HIT", "5")
    write_versions(tmp_path, old, old.replace("i < 3", "3 > i"))
    words = ("build", "old.c", "new.c", "--entry", "sum", "--time", "10", "--no-native")
    done = csgtest(*words, folder=tmp_path)
    assert done.code == 0 and "every input" not in done.out
    assert "Equivalent for 3 arguments behind the named ones" in done.out


def test_what_has_no_name_in_c_is_refused_as_before(tmp_path: Path) -> None:
    text = "int f(int (*x)(struct { int a; } *)) { return 1 + (x != 0); }\n"
    write_versions(tmp_path, text, text.replace("1 +", "2 +"))
    done = csgtest("build", "old.c", "new.c", "--entry", "f", folder=tmp_path)
    assert done.code == 2 and "has a type that tests cannot set" in done.err


READER = r"""
#include <stdbool.h>
#include <stddef.h>
struct context { int error; bool (*read)(struct context *c, void *to, size_t size); void *own; };
struct sink { size_t (*fill)(void *to, size_t size); int (*put)(const void *from, size_t size); };
bool read_pair(struct context *c, int *sum)
{
    unsigned char bytes[2];
    if (!c->read(c, &bytes[0], 1) || !c->read(c, &bytes[1], 1)) {
        c->error = 1;
        return false;
    }
    *sum = bytes[0] + bytes[1];
    return bytes[0] > 200;
}
struct stream { int line; struct { struct { int (*get)(void *own); } calls; void *own; } source; };
int count(struct stream *in)
{
    while (in->source.calls.get(in->source.own) == '\n')
        if (++in->line > 2)
            return 1;
    return 0;
}
int copy(struct sink *s)
{
    unsigned char bytes[4];
    size_t got;
    if (!s)
        return -1;
    got = s->fill(bytes, sizeof bytes);
    if (got && bytes[got - 1] == 77)
        bytes[0] = 1;
    return s->put(bytes, got);
}
"""


@pytest.mark.parametrize(
    ("entry", "edit", "shown"),
    [
        ("read_pair", ("bytes[0] > 200", "bytes[0] > 201"), "c_read(pointer, room, 1)"),
        ("read_pair", ("error = 1", "error = 2"), "c->error"),  # where a call fails
        ("copy", ("bytes[0] = 1", "bytes[0] = 2"), "s_put(02"),  # what another is given
        ("copy", ("return -1", "return -2"), "returns -2"),  # where there is no structure
        ("count", ("++in->line", "in->line++"), "in->line"),  # deep in the structure
        ("copy", ("sizeof bytes);", "3);"), "s_fill(room, 3)"),
    ],
)
def test_functions_that_a_structure_leads_to_fill_and_take_bytes(
    entry: str, edit: tuple[str, str], shown: str, tmp_path: Path
) -> None:
    ends = ("--stop-after", "1") if entry == "count" else ()  # of itself it does not
    out = built(tmp_path, READER, READER.replace(*edit), entry, "--all", *ends)
    assert shown in out, out
    assert entry == "copy" or f"{'c' if entry == 'read_pair' else 'in'} is not null" in out


def test_a_structure_without_a_tag_has_callbacks(tmp_path: Path) -> None:
    text = "typedef struct { int n; struct { int (*get)(int); } hooks; } source;\n"
    text += "int f(const source *s) { return s->hooks.get(s->n) + 0; }\n"
    out = built(tmp_path, text, text.replace("+ 0", "+ (s->n == 7)"), "f")
    assert "driven_f(&(struct csgtest_anonymous" not in out and "prints s_hooks_get(7)" in out


def test_an_enumeration_without_a_tag_stands_beside_a_place_for_results(tmp_path: Path) -> None:
    """A driver names its type, which has no name in C."""
    text = """\
typedef enum { OK, BAD } status;
int f(const char *s, char *out, status *e)
{
    *e = s[0] == 'a' ? BAD : OK;
    out[0] = s[0];
    return %d;
}
"""
    write_versions(tmp_path, text % 1, text % 2)
    done = csgtest("build", "old.c", "new.c", "--entry", "f", "--time", "8", folder=tmp_path)
    assert done.code == 1, done.err
    assert "csgtest_anonymous" not in done.out
