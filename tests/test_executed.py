"""What a verdict is worth: only what ran natively, and what a caller can meet, is a difference.

The truth about each pair comes from gcc: a program that makes calls prints what a caller sees.
"""

from __future__ import annotations

import itertools
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from symexec.ledger import Verdict
from symexec.report.executed import not_executed
from tests.command_line import csgtest, write_versions
from tests.nightly import every

QUICK = ("--time", "8", "--quiet")


def natively(text: str, folder: Path) -> str:
    file = folder / "native.c"
    file.write_text(text)
    program = folder / "native"
    subprocess.run(["gcc", "-w", "-fwrapv", "-o", program, file], check=True)
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    return f"{done.stdout}{done.returncode}"


def verdicts(folder: Path) -> set[str]:
    import json

    reports = (folder / "csgtest-out").rglob("report.json")
    return {json.loads(each.read_text())["verdict"] for each in reports}


# ------------------------------------------------------------------------- what runs before main

HEADS = "#define _GNU_SOURCE\n#include <stdio.h>\n#include <errno.h>\n"
HEADS += "#include <stdlib.h>\n#include <unistd.h>\n"
SET = "__attribute__((constructor{})) static void {}({}) {{ value = value * 10 + {}; }}\n"
PRINTS = '__attribute__((constructor{})) static void {}(void) {{ puts("{}"); }}\n'
LEAVES = '__attribute__((destructor{})) static void {}(void) {{ puts("{}"); }}\n'
BEFORE = {
    "alone": SET.format("", "one", "void", 1),
    "in order of priorities": SET.format("(300)", "one", "void", 1)
    + SET.format("(200)", "two", "void", 2),
    "with the command line": SET.format("", "one", "int n, char **words", "n + (words[n] == 0)"),
    "with the environment": SET.format("", "one", "int n, char **w, char **e", "(e == w + n + 1)"),
    "by its name": SET.format("", "one", "void", "(program_invocation_name[0] != 0)"),
    "three of one priority": "".join(
        SET.format("(300)", name, "void", at) for at, name in enumerate("abc", 1)
    ),
    "with and without a priority": SET.format("", "one", "void", 1)
    + SET.format("(200)", "two", "void", 2),
    "printing": PRINTS.format("(300)", "one", "1") + PRINTS.format("(200)", "two", "2"),
    "leaving": LEAVES.format("(300)", "one", "1") + LEAVES.format("(200)", "two", "2"),
    "printing and leaving": PRINTS.format("", "one", "1") + LEAVES.format("", "two", "2"),
    "of a state": "static int times;\n" + SET.format("(200)", "one", "void", "++times")
    + SET.format("(300)", "two", "void", "++times"),
    "an exit handler": "static void bye(void) { puts(\"bye\"); }\n"
    "__attribute__((constructor)) static void one(void) { atexit(bye); value = 1; }\n",
    "both": "__attribute__((constructor, destructor)) static void one(void) { value += 4; }\n",
    "from a table": "static const int table[] = {3, 1};\n"
    + SET.format("", "one", "void", "table[value == 0]"),
}  # fmt: skip
AFTER = '__attribute__((destructor)) static void last(void) { printf("%d\\n", value + END); }\n'
MAIN = 'int main(void) { printf("%d\\n", value + SHOW); return 0; }\n'
# Edits of such a program: text, and what stands there then. An edit of a text that
# is not there makes no pair.
EDITS = {
    "what is shown": ("+ SHOW", "+ 0 * value"),
    "what is shown last": ("+ END", "+ 2"),
    "a lower priority": ("(300)", "(150)"),
    "a higher priority": ("(200)", "(400)"),
    "no priority": ("(200)", ""),
    "no constructor": ("__attribute__((constructor)) ", ""),
    "no attribute": ("__attribute__((constructor(200))) ", ""),
    "a destructor": ("__attribute__((constructor", "__attribute__((destructor"),
    "a constructor": ("__attribute__((destructor", "__attribute__((constructor"),
    "another name": ("void one(", "void other("),
    "more of it": ("value = value * 10", "value = 1 + value * 10"),
    "a text": ('puts("1")', 'puts("I")'),
    "other words": ("return 0;", "if (value) return 0; return 0;"),
    "at once": ("return 0;", "fflush(stdout); _exit(0);"),
    "a begin": ("static int value;", "static int value = 1;"),
    "an exit": ("return 0;", "exit(0);"),
    "another exit": ("return 0;", "exit(3);"),
    "an abort": ("return 0;", "abort();"),
    "the last one's name": ("void last(", "void end("),
    "main": ("{ printf", "{ value++; printf"),
}


def of_attributes(before: str, edit: str) -> tuple[str, str]:
    """A program that runs code before and after main, and what an edit makes of it."""
    text = f"{HEADS}static int value;\n{BEFORE[before]}{AFTER}{MAIN}"
    edited = text.replace(*EDITS[edit])
    return tuple(each.replace("SHOW", "0").replace("END", "1") for each in (text, edited))


def pairs_with_attributes() -> Iterator[tuple[str, str]]:
    for before, edit in itertools.product(BEFORE, EDITS):
        old, new = of_attributes(before, edit)
        if old != new:
            yield before, edit


# Of these the difference is found as well.
FOUND_BEFORE = [
    (before, edit) for before in (*BEFORE,)[:5] for edit in ("what is shown", "what is shown last")
]
OTHERS = [case for case in pairs_with_attributes() if case not in FOUND_BEFORE]


@pytest.mark.parametrize("case", [*every(3, FOUND_BEFORE), *every(60, OTHERS)], ids=", ".join)
def test_what_runs_before_a_main_without_parameters(case: tuple[str, str], tmp_path: Path) -> None:
    texts = of_attributes(*case)
    shown = [natively(each, tmp_path) for each in texts]
    write_versions(tmp_path, *texts)
    done = csgtest("build", "old.c", "new.c", *QUICK, folder=tmp_path)
    differs = shown[0] != shown[1]
    assert case not in FOUND_BEFORE or done.code == int(differs), done.out
    said = done.report["verdict"]
    assert differs or (done.code == 0 and said != "different"), done.out
    assert not differs or said not in ("equivalent-within-bounds", "no-change"), done.out
    assert "start.c" not in done.out and not done.report["counters"]["mispredicted"]


# ------------------------------------------------------------------------------------ hidden state

STATE = """\
static int first, second;
void give(int n) {{ first = {give}; second += {add}; }}
int take(int n) {{ return {take}; }}
"""
# How a number is kept, and how it is read: each pair of these is one of versions.
KEPT = [
    {"give": "n & 7", "add": "1", "take": "first + n"},
    {"give": "(n & 7) << 4", "add": "1", "take": "(first >> 4) + n"},  # the same
    {"give": "n & 7", "add": "2", "take": "first + n"},  # nobody reads what differs
    {"give": "n & 3", "add": "1", "take": "first + n"},
    {"give": "n & 7", "add": "1", "take": "first + n + (second > 2)"},  # after three calls
    {"give": "n & 7", "add": "1", "take": "first + n + (second > 1)"},
    {"give": "n & 7", "add": "2", "take": "first + n + (second / 2 > 1)"},  # as the one before
    {"give": "(n & 7) ^ 5", "add": "1", "take": "(first ^ 5) + n"},  # but not before any call
    {"give": "-(n & 7)", "add": "1", "take": "n - first"},  # the same
    {"give": "n & 7", "add": "n & 1", "take": "first + n"},
    {"give": "n & 7", "add": "n & 1", "take": "first + n + (second & 1)"},
    {"give": "n & 7", "add": "1", "take": "first + n + (second & 1)"},
    {"give": "n > 0 ? n & 7 : first", "add": "1", "take": "first + n"},
    {"give": "first < (n & 7) ? n & 7 : first", "add": "1", "take": "first + n"},  # the largest
    {"give": "first + (n & 1)", "add": "1", "take": "first + n"},  # how many were odd
    {"give": "first", "add": "n & 1", "take": "second + n"},  # the same
    {"give": "first ^ (n & 7)", "add": "1", "take": "first + n"},
    {"give": "n & 7", "add": "first", "take": "first + n"},
    {"give": "n & 7", "add": "first", "take": "first + n + (second > 5)"},
    {"give": "0", "add": "1", "take": "n"},  # nothing is kept
    {"give": "n & 7", "add": "1", "take": "second + n"},
    {"give": "n & 7", "add": "1", "take": "second ? first + n : n"},  # as the first
]


FOUND = 6  # of these, the calls that show a difference are found


def shows(text: str, folder: Path) -> str:
    """What callers see in all sequences of three calls and one that takes."""
    calls = [f"give({n})" for n in (0, 3, 5, 6)] + ['printf("%d ", take(1))']
    body = "".join(
        f'first = second = 0; {"; ".join((*each, calls[-1]))}; puts("");\n'
        for each in itertools.product(calls, repeat=3)
    )
    return natively(f"#include <stdio.h>\n{text}int main(void) {{\n{body}return 0; }}\n", folder)


@pytest.mark.parametrize("pair", every(58, [*itertools.combinations(range(len(KEPT)), 2)]), ids=str)
def test_a_static_object_counts_where_a_later_call_shows_it(
    pair: tuple[int, int], tmp_path: Path
) -> None:
    old, new = (STATE.format(**KEPT[each]) for each in pair)
    truth = shows(old, tmp_path) != shows(new, tmp_path)
    write_versions(tmp_path, old, new)
    done = csgtest("build", "old.c", "new.c", "--time", "12", "--quiet", folder=tmp_path)
    said = verdicts(tmp_path)
    assert truth or (done.code == 0 and "different" not in said), done.out
    assert not truth or said - {"equivalent-within-bounds", "no-change"}, done.out
    if max(pair) < FOUND:
        assert (done.code == 1) is ("different" in said) is truth, done.out
        assert truth or "equivalent-within-bounds" not in said or pair == (0, 1)


def test_an_object_that_nobody_reads_hides_no_other(tmp_path: Path) -> None:
    """Both differ after the call; a test shows one of them, and later calls read the other."""
    write_versions(tmp_path, *(STATE.format(**KEPT[each]) for each in (2, 3)))
    done = csgtest("build", "old.c", "new.c", *QUICK, folder=tmp_path)
    assert done.code == 1 and "give(4); take(0)" in done.out, done.out


def test_what_no_caller_can_look_at_is_named(tmp_path: Path) -> None:
    text = "static int kept; int f(int x) { kept = x; return 1; }\n"
    write_versions(tmp_path, text, text.replace("= x", "= x ^ 1"))
    done = csgtest("build", "old.c", "new.c", *QUICK, folder=tmp_path)
    assert (done.code, done.report["verdict"]) == (0, "no-difference-found")
    assert {each["class"] for each in done.report["groups"]} == {"internal-state"}
    assert "Static objects differ after the call" in done.out
    assert "'kept' differs after the call: later calls may differ" in done.out


# ------------------------------------------------------------------------------------------ slower


def test_a_version_that_is_slower_does_the_same(tmp_path: Path) -> None:
    slow = "int f(int x) { int n = 0; while (x < 0) { x++; n++; } return n; }\n"
    quick = "int f(int x) { return x >= 0 ? 0 : -(x + 1) + 1; }\n"
    write_versions(tmp_path, slow, quick)
    done = csgtest("build", "old.c", "new.c", "--entry", "f", *QUICK, folder=tmp_path)
    assert done.code == 0 and done.report["verdict"] != "different"
    assert {each["class"] for each in done.report["groups"]} <= {"slower", "undecided"}


# -------------------------------------------------------------------------------- nothing executed


class Replay:
    def __init__(self, failure: Exception | None, built: bool) -> None:
        self._failure, self._built = failure, built

    def failure(self) -> Exception | None:
        return self._failure

    def all_built(self) -> bool:
        return self._built


class Job:
    """A job that has ended so; ``runs`` of native fuzzing, None: there was none; ``varying``: in
    all of them a version differs from itself; ``attacked``: how often an attack saw both do the
    same."""

    def __init__(
        self,
        verdict: Verdict,
        runs: int | None,
        replay: Replay | None,
        attacked: int = 0,
        varying: bool = False,
    ) -> None:
        self.attack_facts = {"alike": attacked}
        self.verdict, self.replay, self.prepared, self.found = verdict, replay, object(), []
        self.fuzzing = None
        if runs is not None:
            varies = "returned" if varying else ""
            compared = 0 if varying else runs
            self.fuzzing = SimpleNamespace(runs=runs, failure="", compared=compared, varying=varies)
        self.options = SimpleNamespace(native=True)


@pytest.mark.parametrize(
    ("verdict", "runs", "replay", "said"),
    [
        (Verdict.NO_DIFFERENCE_FOUND, None, Replay(None, False), "as compilers still ran"),
        (Verdict.NO_DIFFERENCE_FOUND, 0, Replay(None, True), "nothing was compared natively when"),
        (Verdict.NO_DIFFERENCE_FOUND, 0, Replay(RuntimeError("no ld"), True), "no ld"),
        (Verdict.NO_DIFFERENCE_FOUND, 3, Replay(None, True), ""),
        (Verdict.NO_DIFFERENCE_FOUND, None, None, ""),  # as the user wished
        (Verdict.EQUIVALENT_WITHIN_BOUNDS, 0, Replay(None, False), ""),  # the search is a proof
        (Verdict.DIFFERENT, None, Replay(None, False), ""),
    ],
)
def test_a_verdict_without_any_run_is_trouble(
    verdict: Verdict, runs: int | None, replay: Replay | None, said: str
) -> None:
    job: Any = Job(verdict, runs, replay)
    found = not_executed(job)
    assert (found is None) if not said else (said in str(found))


def test_runs_that_vary_compare_nothing() -> None:
    job: Any = Job(Verdict.NO_DIFFERENCE_FOUND, 384, Replay(None, True), varying=True)
    assert "varies between its runs" in str(not_executed(job))


def test_an_attack_has_compared_something() -> None:
    job: Any = Job(Verdict.NO_DIFFERENCE_FOUND, None, Replay(None, True), attacked=3)
    assert not_executed(job) is None


def test_a_program_that_cannot_be_linked_has_no_verdict(tmp_path: Path) -> None:
    text = "int other(int); int f(int x) { return x > 5 ? 1 : 0; }\n"
    write_versions(tmp_path, text, text.replace("> 5", "> 6"))
    words = ("build", "old.c", "new.c", "--entry", "f", *QUICK, "--", "-lthere-is-none")
    done = csgtest(*words, folder=tmp_path)
    assert done.code == 2 and "hint:" in done.err
