"""A difference that plain gcc does not show is one of undefined behaviour."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from csg.programs import SourceFile
from symexec.replay import NativeReplay, ReplayPlan
from symexec.testcases import DifferenceKind, Observation, Observed, TestCase, TestInput
from symexec.triage import examine
from symexec.triage.undefined import (
    by_chance,
    shown_behind_a_stop,
    shown_by_plain_builds,
    uninitialised,
)

# Line 7: what plain gcc folds; line 8: an overflow that has nothing to do with the difference;
# line 10: none at all; line 12: a shift that is too wide, of which nothing is shown; line 14: what
# plain gcc alone shows; line 17: what line 7 has, beside what varies from run to run; line 20: an
# address that replay stops at, and a difference behind it; line 24: what chance decides behind it;
# line 31: a null pointer is printed, which is a copy of strings where the result is not used.
PROGRAM = """\
#include <limits.h>
#include <stdlib.h>
int printf(const char *, ...), sprintf(char *, const char *, ...), getpid(void); \
int main(int argc, char **argv)
{
    char small[4], *at, text[9]; int x = INT_MAX, wide = 40, other;
    switch (argv[1][0]) {
    case 'f': return BIGGER;
    case 'o': other = x + atoi("1");
        return other == 77 ? 9 : RESULT;
    case 'n': return RESULT;
    case 's':
        other = 1 << wide;
        return other == 77 ? 9 : RESULT;
    case 'p': return LARGEST;
    case 'v':
        printf("%d\\n", getpid());
        return BIGGER;
    case 'b':
        at = &small[wide], other = at < small;
        return other + RESULT;
    case 'c':
        at = &small[wide], other = at < small;
        srand(getpid());
        return other + rand() % 99 + RESULT;
    case 'a':
        return at = &small[wide], at < small;
    case 'u':
        at = argc > 5 ? small : 0;
        other = PRINTED;
        return other + text[0];
    }
    return 0;
}
"""


@pytest.fixture(scope="module")
def replay(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NativeReplay]:
    folder = tmp_path_factory.mktemp("undefined")
    files = folder / "old.c", folder / "new.c"
    largest = "x + 1 < x", "x == INT_MAX"
    printed = 'sprintf(text, "%s", at)', '(sprintf(text, "%s", at), 6)'
    words = zip(files, ("x + 1 > x", "1"), ("2", "3"), largest, printed, strict=True)
    for file, bigger, result, last, print_ in words:
        text = PROGRAM.replace("BIGGER", bigger).replace("RESULT", result)
        file.write_text(text.replace("LARGEST", last).replace("PRINTED", print_))
    with NativeReplay(ReplayPlan(*((SourceFile(file),) for file in files))) as found:
        yield found


@pytest.mark.parametrize(
    ("argument", "kind", "undefined"),
    [
        (
            b"f",
            "undefined",
            (
                "old: old.c:7:24: signed integer overflow: 2147483647 + 1 cannot be represented in "
                "type 'int'",
                "gcc -O0: no difference",
                "gcc -O2: no difference",
            ),
        ),
        (b"n", "difference", ()),
        (
            b"v",
            "undefined",
            (
                "old: old.c:17:18: signed integer overflow: 2147483647 + 1 cannot be represented "
                "in type 'int'",
                "gcc -O0: no difference",
                "gcc -O2: no difference",
            ),
        ),
    ],
)
def test_what_plain_gcc_does_not_show(
    replay: NativeReplay, argument: bytes, kind: str, undefined: tuple[str, ...]
) -> None:
    case = examine(TestCase("t1", TestInput(args=(argument,))), replay, ())
    assert (case.kind, case.undefined) == (kind, undefined)


@pytest.mark.parametrize(("argument", "what"), [(b"o", "signed integer overflow"), (b"s", "shift")])
def test_what_plain_gcc_shows_as_well_keeps_its_class(
    replay: NativeReplay, argument: bytes, what: str
) -> None:
    case = examine(TestCase("t1", TestInput(args=(argument,))), replay, ())
    assert case.kind == "difference"
    assert [place.split(": ")[0] for place in case.undefined if what in place] == ["old", "new"]
    assert case.undefined[2:] == ("gcc -O0: the same difference", "gcc -O2: the same difference")


def test_what_plain_gcc_alone_shows(replay: NativeReplay) -> None:
    alike = examine(TestCase("t1", TestInput(args=(b"p",))), replay, ())
    assert alike.observed == "same"
    none = TestCase("t2", TestInput(args=(b"x",)))
    (case,) = shown_by_plain_builds([none, alike], replay)
    assert (case.id, case.observed, case.kind) == ("t1", "different", "undefined")
    assert [seen.exit for seen in (case.old, case.new) if seen is not None] == [0, 1]
    place, shown = case.undefined
    assert place.startswith("old: old.c:14:24: signed integer overflow: 2147483647 + 1")
    assert shown == "gcc -O0: a difference, which -fwrapv takes away"


def test_what_the_search_met_is_asked_of_plain_builds(replay: NativeReplay) -> None:
    """The sanitizer knows nothing of it."""
    alike = examine(TestCase("t1", TestInput(args=(b"u",))), replay, ())
    assert alike.observed == "same"
    assert list(shown_by_plain_builds([alike], replay)) == []
    (case,) = shown_by_plain_builds([alike], replay, ["new.c:31:17: a null pointer for %s"])
    assert (case.id, case.observed, case.kind) == ("t1", "different", "undefined")
    assert case.old is not None and case.old.exit == 6 + ord("(")
    assert case.new is not None and case.new.signal == "SIGSEGV"
    assert case.undefined == (
        "new.c:31:17: a null pointer for %s",
        "gcc -O2: a difference, which replay does not show",
    )


@pytest.mark.parametrize(("argument", "shown"), [(b"b", True), (b"c", False), (b"a", False)])
def test_what_plain_builds_show_behind_a_stop(
    argument: bytes, shown: bool, replay: NativeReplay
) -> None:
    case = examine(TestCase("t0001", TestInput(args=(argument,))), replay, [])
    assert case.observed == "same" and case.old is not None and case.old.sanitizer
    found = list(shown_behind_a_stop([case], replay))
    assert [each.kind for each in found] == ["undefined"] * shown
    if shown:
        assert (found[0].old, found[0].new) != (case.old, case.new)
        assert found[0].undefined[-1] == "gcc -O0 and -O2: a difference behind it"


# One version or both print what nobody has written: a member, or a part of a buffer.
BYTES = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct pair {{ int a, b; }};
int main(int argc, char **argv)
{{
    struct pair *x = malloc(sizeof *x);
    char text[8];
    if (argc > 1)
        x->a = atoi(argv[1]);
    {}
    memcpy(text, &x->a, sizeof x->a);
    printf("%d %d\\n", x->a + x->b, {});
    return text[0] == 1;
}}
"""


@pytest.mark.parametrize(
    ("new", "words", "kind", "undefined"),
    [
        (("x->b = 0;", "1"), (), "undefined", True),  # x->a is chance in both
        (("x->b = 0;", "1"), (b"5",), "fix", False),
        (("x->b = 0;", "2"), (), "difference", False),  # the last number differs whatever is there
        (("", "2"), (b"5",), "difference", False),
    ],
)
def test_what_differs_by_chance_alone(
    new: tuple[str, str], words: tuple[bytes, ...], kind: str, undefined: bool, tmp_path: Path
) -> None:
    files = []
    for name, parts in (("old.c", ("", "1")), ("new.c", new)):
        (tmp_path / name).write_text(BYTES.format(*parts))
        files.append((SourceFile(tmp_path / name),))
    shown = Observation(exit=0, stdout=b"2105376124 1\n"), Observation(exit=0, stdout=b"-5 1\n")
    case = TestCase("n1", TestInput(args=words), old=shown[0], new=shown[1])
    case = replace(case, kind=DifferenceKind.DIFFERENCE, observed=Observed.DIFFERENT)
    with NativeReplay(ReplayPlan(*files)) as replay:
        found = by_chance(case, replay)
    assert (found.kind, bool(found.undefined), found.uninitialised) == (kind, undefined, undefined)
    if undefined:
        assert [line.split(",")[0] for line in found.undefined] == [
            "old: use of uninitialised memory",
            "new: use of uninitialised memory",
            "with zeros in it: no difference",
        ]


@pytest.mark.parametrize(
    ("seen", "kind"),
    [(Observation(signal=6), "both-fail-differently"), (Observation(exit=0), "regression")],
    ids=["the old version fails", "it does not"],
)
def test_uninitialised_memory_is_no_regression_of_what_fails(
    seen: Observation, kind: str, tmp_path: Path
) -> None:
    text = "#include <stdlib.h>\nint main(int argc, char **argv)\n{ int unset; BODY }\n"
    bodies = (
        "if (argc > 1) abort(); return 0;" if seen.failed else "return 0;",
        "return unset == 0;",
    )
    files = []
    for name, body in zip(("old.c", "new.c"), bodies, strict=True):
        (tmp_path / name).write_text(text.replace("BODY", body))
        files.append((SourceFile(tmp_path / name),))
    case = TestCase("n1", TestInput(args=(b"a",)), old=seen, new=Observation(exit=1))
    with NativeReplay(ReplayPlan(*files)) as replay:
        assert uninitialised(case, replay).kind == kind


CLOCK = """
#include <stdio.h>
#include <time.h>
int main(int argc, char **argv)
{{
    struct timespec now;
    int unset;
    clock_gettime(CLOCK_MONOTONIC, &now);
    {}
    printf("%d: %g seconds\\n", argc > 2 ? unset : 1, now.tv_nsec % 900000 / 1e9);
    return 0;
}}
"""


@pytest.mark.parametrize(("words", "kind"), [((b"a",), "difference"), ((b"a", b"b"), "fix")])
def test_what_varies_with_one_filling_depends_on_no_uninitialised_memory(
    words: tuple[bytes, ...], kind: str, tmp_path: Path
) -> None:
    files = []
    for name, statement in (("old.c", ""), ("new.c", "unset = 2;")):
        (tmp_path / name).write_text(CLOCK.format(statement))
        files.append((SourceFile(tmp_path / name),))
    seen = Observation(exit=0, stdout=b"0"), Observation(exit=0, stdout=b"2")
    case = TestCase("n1", TestInput(args=words), old=seen[0], new=seen[1])
    case = replace(case, kind=DifferenceKind.DIFFERENCE, observed=Observed.DIFFERENT)
    with NativeReplay(ReplayPlan(*files)) as replay:
        assert by_chance(case, replay).kind == kind
