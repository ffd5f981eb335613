"""Help and version texts are told apart; nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest

from csg.errors import Location
from csg.ir import ChangeInfo
from symexec.campaign.building import BuildJob
from symexec.options import BuildOptions, InputOptions, SearchOptions, SymbolicArguments
from symexec.testcases import Blame, DifferenceKind, Observation, Observed, TestCase, TestInput
from symexec.triage import group, rewordings
from symexec.triage.grouping import rewords
from tests.command_line import write_versions
from tests.jobs import finished


def change(old: str, new: str, number: int = 1, cause: str = "") -> ChangeInfo:
    place = Location("new.c", number)
    return ChangeInfo(number, "modified", "main", place, place, old, new, cause=cause)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('puts("prog 1.0");', 'puts("prog 1.1");'),
        ('printf(_("Usage: %s FILE\\n"), name);', 'printf(_("Usage: %s [FILE]\\n"), name);'),
        ('fputs(_("-a" " one"), stdout);', 'fputs(_("-a  two"), stdout);'),
        ("", 'fputs(_("  -x  new\\n"), stdout);'),
        ('puts("old");', ""),
        ("case 'V': puts(\"1.0\"); return 0;", "case 'V': puts(\"1.1\"); return 0;"),
        (
            'static const char usage[] = "use: a b\\n";',
            'static const char usage[] = "use: a c\\n";',
        ),
        ('puts("100%% sure");', 'puts("90%% sure");'),
    ],
)
def test_a_change_of_printed_literals_rewords(old: str, new: str) -> None:
    assert rewords(change(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('if (strcmp(word, "--old") == 0)', 'if (strcmp(word, "--new") == 0)'),
        ('printf("%d\\n", n);', 'printf("%x\\n", n);'),
        ('printf("at most %d\\n", 10);', 'printf("at most %d\\n", 20);'),
        ('puts("a"); return 0;', 'puts("b"); return 1;'),
        ("putchar('\"');", "putchar('x');"),
        ("", 'printf("%s\\n", name);'),
        ("", 'remove("old text");'),
        ("", "usage(1);"),
        ('separator = ":";', 'separator = ";";'),
        ('mode = open_as("r");', 'mode = open_as("w");'),
        ("x = 1;", "x = 2;"),
    ],
)
def test_what_may_do_more_than_reword_does_not(old: str, new: str) -> None:
    assert not rewords(change(old, new))


def test_the_definition_of_a_text_rewords_where_it_is_printed() -> None:
    became = 'macro VERSION (new.c:3): "1.0" became "1.1"'
    assert rewords(change("puts(VERSION);", "puts(VERSION);", cause=became))
    assert not rewords(change("connect(VERSION);", "connect(VERSION);", cause=became))
    number = "macro LIMIT (new.c:3): 3 became 4"
    assert not rewords(change("puts(LIMIT);", "puts(LIMIT);", cause=number))


# ------------------------------------------------------------------------- tests

WORDING = change('puts("1.0");', 'puts("1.1");', 1)
WORK = change("x = 1;", "x = 2;", 2)


def case(
    name: str,
    args: str,
    old: str = "1.0\n",
    new: str = "1.1\n",
    blamed: tuple[int, ...] = (1,),
    status: int = 0,
) -> TestCase:
    return TestCase(
        id=name,
        input=TestInput(args=tuple(word.encode() for word in args.split())),
        old=Observation(exit=0, stdout=old.encode()),
        new=Observation(exit=status, stdout=new.encode()),
        observed=Observed.DIFFERENT,
        kind=DifferenceKind.DIFFERENCE,
        blame=Blame((blamed,), blamed) if blamed else None,
    )


def apart(*cases: TestCase) -> set[str]:
    return {each.id for each in rewordings(cases, [WORDING, WORK])}


@pytest.mark.parametrize("args", ["--version", "--ver", "-x --help", "a --help b"])
def test_runs_that_ask_to_be_informed_are_told_apart(args: str) -> None:
    assert apart(case("t1", args)) == {"t1"}


@pytest.mark.parametrize(
    "other",
    [
        case("t1", ""),
        case("t1", "-v"),
        case("t1", "-- --version"),
        case("t1", "--version", status=1),
        case("t1", "--version", blamed=(1, 2)),
        case("t1", "--version", blamed=(2,)),
        case("t1", "--version", blamed=()),
    ],
    ids=["no option", "any option", "an operand", "status", "more blamed", "other", "unexplained"],
)
def test_everything_else_stays_what_it_is(other: TestCase) -> None:
    assert apart(other) == set()


def test_what_shows_the_same_text_is_of_the_same_kind() -> None:
    known, short = case("t1", "--version"), case("t2", "-V")
    unexplained, another = case("t3", "-aV", blamed=()), case("t4", "-V", new="2\n")
    assert apart(known, short, unexplained, another) == {"t1", "t2", "t3"}
    # ... unless something else is to blame.
    assert apart(known, case("t2", "-V", blamed=(2,))) == {"t1"}


def test_a_usage_that_answers_a_wrong_call_is_known_by_its_first_word() -> None:
    assert apart(case("t1", "x", "usage: a\n", "usage: b\n")) == {"t1"}
    assert apart(case("t1", "x", "usage: a\n", "b\n")) == set()


def test_they_are_one_group_and_the_last() -> None:
    cases = [case("t1", "--version"), case("t2", "--help", "Usage: a", "Usage: b", (3,))]
    third = change('puts("a");', 'puts("b");', 3)
    worded = list(rewordings(cases, [WORDING, third]))
    found = group([*worded, case("t3", "5", blamed=(2,))])
    assert [(each.kind, each.blamed, each.tests) for each in found] == [
        ("difference", (2,), ("t3",)),
        ("help-text", (1, 3), ("t2", "t1")),
    ]


# ------------------------------------------------------------------------- a program

PROGRAM = """
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

static int limit = LIMIT;

static void usage(int status)
{
    fputs("Usage: p [-d] NUMBER\\n", stdout);
    fputs("HELP\\n", stdout);
    if (limit > 5)
        fputs("  -d  twice\\n", stdout);
    exit(status);
}

int main(int count, char **words)
{
    static const struct option options[] = {
        { "help", no_argument, 0, 'h' }, { "version", no_argument, 0, 'V' }, { 0, 0, 0, 0 },
    };
    int option;
    while ((option = getopt_long(count, words, "h", options, 0)) != -1)
        switch (option) {
        case 'h': usage(0);
        case 'V': puts("p 1.0"); return 0;
        default: usage(1);
        }
    return atoi(optind < count ? words[optind] : "") > 40;
}
"""


def classes(folder: Path, new: str, old: str = PROGRAM) -> dict[str, set[bytes]]:
    """The first words of the tests of each class. Words of four bytes are enough for ``--v``,
    whatever a machine has time for."""
    files = write_versions(folder, old.replace("LIMIT", "5"), new.replace("LIMIT", "5"))
    words = InputOptions(arguments=SymbolicArguments(0, 1, 4))
    job = finished(BuildJob(BuildOptions(*files, inputs=words, search=SearchOptions(time=45.0))))
    found: dict[str, set[bytes]] = {}
    for each in job.found:
        if each.observed == "different":
            found.setdefault(each.called, set()).update(each.input.args[:1])
    return found


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("HELP", id="short", marks=pytest.mark.night),
        pytest.param("-x  100% of it\\n" * 60 + "HELP", id="long"),
    ],
)
def test_reworded_texts_of_a_program_do_not_crowd_out_its_difference(
    text: str, tmp_path: Path
) -> None:
    """A text may be longer than what a report shows of a statement."""
    old = PROGRAM.replace("HELP", text)
    new = old.replace("HELP", "HELP!").replace("1.0", "1.1").replace("> 40", "> 41")
    found = classes(tmp_path, new, old)
    assert set(found) == {"difference", "help-text"}
    # getopt_long takes the beginning of a word for all of it
    assert any(b"--version".startswith(each) for each in found["help-text"] if each[:3] == b"--v")
    assert not any(word.startswith((b"-h", b"--h", b"--v")) for word in found["difference"])


def test_a_help_text_that_depends_on_a_changed_value_is_a_difference(tmp_path: Path) -> None:
    found = classes(tmp_path, PROGRAM.replace("LIMIT", "6"))
    assert set(found) == {"difference"}
