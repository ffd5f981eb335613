"""What varies between runs of one version hides nothing beside it, and is no difference itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csg.programs import FilePair, SourceFile
from csg.unify.pairs import read_pair
from symexec.campaign.builds import asks_for_what_varies
from symexec.replay import PLAIN, SANITIZED, NativeReplay, Pair, ReplayPlan, Text
from symexec.replay.native import OFTEN, in_turn
from symexec.replay.varying import comparable, masks, shows_addresses
from symexec.testcases import DifferenceKind, Observation, TestCase, TestInput
from symexec.triage import classify, observe
from symexec.triage.blame import native_blame
from tests.command_line import csgtest
from tests.nightly import daily, every

RUNS = 5
FIXED = st.sampled_from(["a", "sum", "7", "12", " ", ": ", "\n", "end\n", "0x10", "%"])
VARYING = {
    "pid": lambda run: str(4711 + run),
    "time": lambda run: str(999_998 + run),  # one digit more now and then
    "address": lambda run: f"{0x7FFE0010 + 4096 * run:#x}",
    "fraction": lambda run: f"{(95 + run) / 1e6:g}",  # 9.5e-05, 0.000101
    "name": lambda run: f"tmp.{'xAbQz'[run % 5]}",
}
PART = st.one_of(st.tuples(FIXED, st.just("")), st.tuples(st.just(""), st.sampled_from([*VARYING])))
PARTS = st.lists(PART, min_size=1, max_size=14)


def runs_of(parts: list[tuple[str, str]], first: int) -> list[Observation]:
    def shown(run: int) -> str:
        return "|".join(VARYING[kind](run) if kind else text for text, kind in parts)

    return [Observation(exit=0, stdout=shown(first + 2 * n).encode()) for n in range(RUNS)]


@given(PARTS)
def test_versions_that_differ_by_what_varies_alone_are_alike(parts: list[tuple[str, str]]) -> None:
    found = masks(runs_of(parts, 0), runs_of(parts, 1))
    assert found is not None and found.old == found.new
    assert bool(found.places) == any(kind for _, kind in parts)
    for seen in runs_of(parts, 20):
        assert found.applied(seen) == found.old


@pytest.mark.parametrize(
    ("old", "new", "apart"),
    [
        ("15155", "26626", True),
        ("15155", "22222", True),
        ("11111", "26626", True),
        ("15155", "25525", False),  # both take 5
        ("15155", "26627", False),  # 7 was seen once: others may come
        ("12345", "67890", False),  # a clock
    ],
)
def test_what_takes_a_few_values_of_its_own_differs(old: str, new: str, apart: bool) -> None:
    shown = {
        "returned": lambda each: Observation(exit=0, returned=each),
        "exit": lambda each: Observation(exit=int(each)),
        "memory": lambda each: Observation(exit=0, memory=(("a", each),)),
        "stdout": lambda each: Observation(exit=0, stdout=f"it is {each}\n".encode()),
        "files": lambda each: Observation(exit=0, files=(("a", each.encode()),)),
    }
    for name, make in shown.items():
        found = masks([make(each) for each in old], [make(each) for each in new])
        assert found is not None and bool(found.apart) == apart, name
        if apart:
            assert found.old == make(old[0]) and found.new == make(new[0]), name
            assert {found.applied(make(each)) for each in old} == {found.old}, name
            assert {found.applied(make(each)) for each in new} == {found.new}, name


@given(PARTS, st.data())
def test_what_is_stable_is_compared(parts: list[tuple[str, str]], data: st.DataObject) -> None:
    """One fixed word becomes another, of another kind than what varies next to it."""
    place = data.draw(st.integers(0, len(parts)))
    old = [*parts[:place], ("stable", ""), *parts[place:]]
    new = [*parts[:place], ("other", ""), *parts[place:]]
    found = masks(runs_of(old, 0), runs_of(new, 1))
    assert found is not None and found.old != found.new
    assert b"stable" in found.old.stdout and b"other" in found.new.stdout


@pytest.mark.parametrize(
    ("old", "new", "alike"),
    [
        ([b"t 8\n", b"t 9\n", b"t 9\n"], [b"t 9\n", b"t 9\n", b"t 9\n"], True),  # a clock
        ([b"1\n", b"1\n2\n", b"1\n2\n3\n"], [b"1\n", b"1\n", b"1\n2\n"], True),  # progress
        ([b"t 8\n", b"t 9\n", b"t 9\n"], [b"u 9\n", b"u 9\n", b"u 9\n"], False),
        ([b"n 0\n", b"n 0\n", b"n 0\n"], [b"n 7\n", b"n 5\n", b"n 71\n"], False),  # garbage now
        ([b"n=1 k=3", b"n=2 k=3"], [b"n=5 k=4", b"n=6 k=4"], False),
        ([b"n=1 k=3", b"n=2 k=3"], [b"n=word k=3", b"n=word k=3"], False),
    ],
)
def test_texts(old: list[bytes], new: list[bytes], alike: bool) -> None:
    first, second = ([Observation(stdout=text) for text in texts] for texts in (old, new))
    found = masks(first, second)
    assert found is not None and (found.old == found.new) == alike


def test_other_parts_that_vary() -> None:
    def seen(run: int, total: int) -> Observation:
        files = ((f"tmp.{run}", b""), ("log", b"%d: %d" % (run, total)))
        memory = (("id", run), ("total", total))
        return Observation(exit=run % 7, returned=str(total), memory=memory, files=files)

    found = masks([seen(n, 1) for n in (1, 3, 5)], [seen(n, 2) for n in (2, 4, 6)])
    assert found is not None
    assert (found.old.exit, found.old.returned, found.new.returned) == (None, "1", "2")
    assert found.old.memory == (("total", 1),) and found.new.memory == (("total", 2),)
    assert found.old.files == (("log", b"[varies]: 1"),)
    failing = [Observation(exit=0), Observation(signal="SIGSEGV")]
    assert masks(failing, failing) is None
    assert masks([Observation(timed_out=True)] * 2, failing[:1] * 2) is None


@pytest.mark.parametrize(
    ("old", "new", "may"),
    [
        (b"at 0x55554010", b"at 0x55554020", True),
        (b"140737488347000", b"140737488348000", True),
        (b"7fffe010", b"7fffe020", True),
        (b"12", b"13", False),
        (b"0x55554010", b"0x55554010", False),
    ],
)
def test_where_addresses_may_stand(old: bytes, new: bytes, may: bool) -> None:
    assert shows_addresses(Observation(stdout=old), Observation(stdout=new)) == may


@pytest.mark.parametrize(
    ("stored", "seen", "alike"),
    [
        (b"pid [varies], sum 5", b"pid 4711, sum 5", True),
        (b"pid [varies], sum 5", b"pid 4711, sum 6", False),
        (b"pid 4711 at [varies]", b"pid [varies] at [varies]", True),
        (b"[varies]\nend", b"some lines\nmore\nend", True),
        (b"ab[varies]ba", b"aba", False),
        (b"a[varies]b[varies]b", b"a1b", False),
        (b"[varies]", b"", True),
        (b"sum 5", b"sum 5, sum 5", False),
    ],
)
def test_a_mark_that_was_stored_stands_for_what_varies(
    stored: bytes, seen: bytes, alike: bool
) -> None:
    for one, other in ((stored, seen), (seen, stored)):
        found = comparable(Observation(stdout=one, exit=0), Observation(stdout=other, exit=0))
        assert (found[0] == found[1]) == alike
    assert len(set(comparable(Observation(exit=None), Observation(exit=3)))) == 1  # it varied
    ended = comparable(Observation(signal="SIGSEGV"), Observation(exit=3))
    assert ended[0] != ended[1]


NATIVE = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
static int far;
MORE
int main(int argc, char **argv)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    int sum = argc > 2 ? atoi(argv[2]) + PLUS : 0;
    printf("sum %d\n", sum);
    if (strcmp(argv[1], "pid") == 0)
        printf("I am %d\n", (int) getpid());
    if (strcmp(argv[1], "time") == 0)
        printf("%ld ns, sum %d\n", now.tv_nsec, sum);
    if (strcmp(argv[1], "address") == 0)
        printf("%p, %lx, %lu\n", (void *) &far, (long) &sum, (unsigned long) malloc(4));
    if (strcmp(argv[1], "stderr") == 0)
        fprintf(stderr, "%d: sum %d\n", (int) getpid(), sum);
    return 0;
}
"""


def test_a_difference_beside_what_varies_is_seen_and_blamed(tmp_path: Path) -> None:
    """The functions of the new version stand elsewhere, too: its addresses are others."""
    padding = "int padding(int x) { static int kept[999]; return kept[x] += x; }"
    old, new = (tmp_path / f"{name}.c" for name in ("old", "new"))
    old.write_text(NATIVE.replace("MORE", "").replace("PLUS", "0"))
    new.write_text(
        NATIVE.replace("MORE", padding)
        .replace("PLUS", "(sum_of > 40)")
        .replace("sum_of", "atoi(argv[2])")
    )
    masked = NATIVE.replace("MORE", "").replace(
        "PLUS", "(getenv(\"CSGTEST_MASK\")[0] == '1' && atoi(argv[2]) > 40)")  # fmt: skip
    plan = ReplayPlan((SourceFile(old),), (SourceFile(new),), unified=(Text(masked),))
    with NativeReplay(plan) as replay:
        for what in (b"pid", b"time", b"address", b"stderr"):
            alike = observe(TestCase("t1", TestInput(args=(what, b"7"))), replay)[0]
            assert (alike.observed, alike.kind) == ("same", DifferenceKind.NONDETERMINISTIC), what
            assert alike.notes and "varies" in alike.notes[0]
            test = TestInput(args=(what, b"41"))
            seen, pair = observe(TestCase("t2", test), replay)
            assert (seen.observed, seen.kind) == ("different", "difference"), what
            assert seen.old and seen.old.stdout.startswith(b"sum 41\n")
            assert native_blame(replay, test, pair, [1, 2]).blamed == (1,)
        plain = observe(TestCase("t3", TestInput(args=(b"none", b"41"))), replay)[0]
        assert (plain.kind, plain.notes) == ("difference", ())


def test_alike_but_for_what_varies_is_its_own_class() -> None:
    found = masks([Observation(stdout=b"1"), Observation(stdout=b"2")], [Observation(stdout=b"3")])
    assert found is not None
    assert classify(Pair(found.old, found.new, masks=found)).kind is DifferenceKind.NONDETERMINISTIC
    assert (
        classify(replace(Pair(found.old, found.new), masks=None)).kind is DifferenceKind.PATH_ONLY
    )


# ---------------------------------------------------------------------- a bit that varies

BITS = {  # what is done first, and a bit that is not the same each time
    "random bytes": ("unsigned char b = 0; getrandom(&b, 1, 0);", "b & 1"),
    "a random file": ('unsigned char b = 0; read(open("/dev/urandom", 0), &b, 1);', "b & 1"),
    "the number of the process": ("", "getpid() & 1"),
    "its next bit": ("", "getpid() & 2"),
    "a clock": ("struct timespec t; clock_gettime(CLOCK_REALTIME, &t);", "t.tv_nsec >> 8 & 1"),
    "microseconds": ("struct timeval t; gettimeofday(&t, 0);", "t.tv_usec >> 1 & 1"),
    "an address": ("int here;", "(unsigned long) &here >> 6 & 1"),
}
BIT = """\\
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
int f(int x)
{
    FIRST
    return BIT ? RESULT : 3;
}
int main(int argc, char **argv) { return f(atoi(argv[argc - 1])); }
"""


def versions_of(tmp_path: Path, first: str, bit: str, results: tuple[str, str]) -> list[Path]:
    paths = [tmp_path / "old.c", tmp_path / "new.c"]
    for path, result in zip(paths, results, strict=True):
        path.write_text(BIT.replace("FIRST", first).replace("BIT", bit).replace("RESULT", result))
    return paths


@pytest.mark.parametrize("style", [SANITIZED, PLAIN])
@pytest.mark.parametrize("what", every(3, BITS))
def test_a_version_that_differs_from_itself_shows_nothing(
    tmp_path: Path, what: str, style: str
) -> None:
    old, new = versions_of(tmp_path, *BITS[what], ("x * 2", "x + x"))
    with NativeReplay(ReplayPlan((SourceFile(old),), (SourceFile(new),))) as replay:
        for number in range(20, 50):
            test = TestInput(args=(b"%d" % number,))
            seen = observe(TestCase("t", test), replay, style=style)[0]
            assert seen.observed == "same", (number, seen.old, seen.new)


@pytest.mark.parametrize("what", [*BITS])
def test_a_difference_beside_such_a_bit_stays(tmp_path: Path, what: str) -> None:
    first, bit = BITS[what]
    old, new = versions_of(tmp_path, f"{first} volatile int used = {bit};", "1", ("x", "x + 1"))
    with NativeReplay(ReplayPlan((SourceFile(old),), (SourceFile(new),))) as replay:
        seen = observe(TestCase("t", TestInput(args=(b"7",))), replay)[0]
        assert (seen.observed, seen.kind) == ("different", "difference")


@pytest.mark.parametrize("words", [("--entry", "f"), ("--sym-args", "1", "1", "1")])
@pytest.mark.parametrize("what", daily(BITS, 1))
def test_no_verdict_is_made_of_such_a_bit(
    tmp_path: Path, what: str, words: tuple[str, ...]
) -> None:
    versions_of(tmp_path, *BITS[what], ("x * 2", "x + x"))
    for more in ((), ("--search-same-code",)):
        asked = ("build", "old.c", "new.c", *words, "--time", "4", *more)
        report = csgtest(*asked, folder=tmp_path).report
        assert report["verdict"] in ("no-difference-found", "no-change")


def test_two_versions_in_turn_get_numbers_of_all_kinds() -> None:
    order = list(in_turn(OFTEN))
    for which in (0, 1):
        numbers = [at for at, each in enumerate(order) if each == which]
        assert len(numbers) == OFTEN
        for bit in (1, 2, 4):
            assert {bool(number & bit) for number in numbers} == {False, True}


@pytest.mark.parametrize(
    ("text", "varies"),
    [
        ("return x + abs(x);", False),
        ('return printf("%d", x) + (int) strlen("ab");', False),
        ("return x + (int) time(0);", True),
        ("int (*asked)(void) = getpid; return asked();", True),
        ("return of_a_stranger(x);", True),
        ('return open("/dev/random", 0);', True),
        ('return printf("%p", &x);', True),
        ("return (long) &x >> 4;", True),
        ('asm("rdtsc" : "=a"(x)); return x;', True),
    ],
)
def test_programs_that_may_vary_are_known(tmp_path: Path, text: str, varies: bool) -> None:
    head = "#include <fcntl.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
    head += "#include <time.h>\n#include <unistd.h>\nint of_a_stranger(int x);\n"
    for name in ("old", "new"):
        path = tmp_path / f"{name}.c"
        path.write_text(f"{head}int f(int x) {{ {text} }}\nint {name} = 1;\n")
    files = [FilePair(SourceFile(tmp_path / "old.c"), SourceFile(tmp_path / "new.c"))]
    assert asks_for_what_varies(read_pair(files)) == varies


OWN_PATH = """\
#include <stdio.h>
#include <unistd.h>
int main(void)
{
    char path[400] = {0};
    int size = readlink("/proc/self/exe", path, sizeof path - 1);
    printf("%s has %d bytes\\n", path, size);
    fprintf(stderr, "%s: hello\\n", path);
    fprintf(fopen("made", "w"), "of %s\\n", path);
    return 0;
}
"""


@pytest.mark.parametrize("style", [SANITIZED, PLAIN])
def test_the_path_of_a_build_is_no_difference(tmp_path: Path, style: str) -> None:
    paths = [tmp_path / "old.c", tmp_path / "new.c"]
    for path in paths:
        path.write_text(OWN_PATH)
    with NativeReplay(ReplayPlan(*((SourceFile(path),) for path in paths))) as replay:
        seen = observe(TestCase("t", TestInput()), replay, style=style)[0]
        assert seen.old is not None and b"/tmp/program has" in seen.old.stdout
        assert seen.observed == "same", (seen.old, seen.new)
