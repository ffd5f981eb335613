"""What a function only writes to has room for it: no overflow that a caller has to prevent."""

from __future__ import annotations

from pathlib import Path

from tests.command_line import csgtest, write_versions

CHECK = r"""
#include <stdio.h>
int check(const char *text, char *error)
{
    if (text[0] == '{' && text[1] == '}')
        return 1;
    if (error)
        sprintf(error, "line %d: an object is expected, and not '%s'", 1, text);
    return 0;
}
"""
WRITTEN = "error has room for all that is written, up to 4,096 bytes"


def test_no_overflow_is_told_of_what_nobody_says_the_size_of(tmp_path: Path) -> None:
    write_versions(tmp_path, CHECK, CHECK.replace("== '}'", "== ']'"))
    done = csgtest("build", "old.c", "new.c", "--time", "20", folder=tmp_path)
    assert {each["class"] for each in done.differing} == {"difference"}
    assert WRITTEN in done.out and "?" not in done.out
    assert ", NULL)" in done.out or ", room_error)" in done.out
    assert done.report["counters"]["mispredicted"] == 0
    assert done.report["counters"]["both_fail"] == []
    given = [each["input"]["parameters"] for each in done.differing]
    assert {each["error_null"] != 0 for each in given} == {False, True}


def test_what_is_written_there_is_compared(tmp_path: Path) -> None:
    write_versions(tmp_path, CHECK, CHECK.replace("is expected", "was expected"))
    done = csgtest("build", "old.c", "new.c", "--time", "20", folder=tmp_path)
    assert done.differing and all(
        not each["input"]["parameters"]["error_null"] for each in done.differing
    )
    assert "object is expected" in done.out and "object was expected" in done.out
    emitted = csgtest("emit", "csgtest-out", "--as", "c", "-o", "tests", folder=tmp_path)
    assert emitted.code == 0 and list((tmp_path / "tests").glob("*.c")), emitted


def test_emitted_tests_look_at_what_outlives_the_call(tmp_path: Path) -> None:
    """As far as the file that a test includes knows its name."""
    text = """
int count[2]; static char last[20];
void note(int x);
void f(int x) { count[x & 1]++; last[0] = 'a'; note(x & 1); }
"""
    for version in ("old", "new"):
        (tmp_path / version).mkdir()
        (tmp_path / version / "note.c").write_text("int noted; void note(int x) { noted = x; }\n")
    (tmp_path / "old" / "f.c").write_text(text)
    (tmp_path / "new" / "f.c").write_text(text.replace("x & 1", "x > 3").replace("'a'", "'b'"))
    words = ("build", "old", "new", "--entry", "f", "--time", "20")
    done = csgtest(*words, folder=tmp_path)
    assert done.differing and all("noted" in each["new"]["memory"] for each in done.differing)
    emitted = csgtest("emit", "csgtest-out", "--as", "c", "-o", "tests", folder=tmp_path)
    (written, *_) = [each.read_text() for each in (tmp_path / "tests").glob("*.c")]
    assert 'csgtest_check("last"' in written and 'csgtest_check("count"' in written, emitted
    assert 'csgtest_check("noted"' not in written


def test_it_is_an_input_where_the_user_speaks_of_it_or_nothing_is_inferred(tmp_path: Path) -> None:
    text = CHECK.replace("if (error)", "")
    write_versions(tmp_path, text, text.replace("== '}'", "== ']'"))
    for words in (("--no-preconditions",), ("--assume", "error[0] == 'x'")):
        done = csgtest("build", "old.c", "new.c", "--time", "20", *words, folder=tmp_path)
        assert WRITTEN not in done.out
        assert any("error" in each["input"]["parameters"] for each in done.differing)


def test_sequences_of_calls_have_room_as_well(tmp_path: Path) -> None:
    text = """
#include <stdio.h>
#include <stdlib.h>
struct counter { int n; };
struct counter *counter_new(void) { return calloc(1, sizeof (struct counter)); }
void counter_add(struct counter *c, int by) { c->n += by & 3; }
int counter_text(const struct counter *c, char *to)
{
    return sprintf(to, "there are %d of them", c->n);
}
"""
    write_versions(tmp_path, text, text.replace("%d of", "%u of").replace("by & 3", "-(by & 3)"))
    words = ("--entry", "counter_new,counter_add|,counter_text", "--time", "20")
    done = csgtest("build", "old.c", "new.c", *words, folder=tmp_path)
    assert done.differing and "overflow" not in done.out, done
    assert "room_counter_text_to" in done.out or "room_to" in done.out
