"""Tests natively take the branches that the search predicts; where they do not, it is told where.

Each pair is a function ``f(int a, int b)`` on a small grid, or a ``main`` that reads two bytes.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from symexec.exploration import searching
from symexec.ledger import Reason
from symexec.options import (
    After,
    BuildOptions,
    InputOptions,
    Range,
    SearchOptions,
    SymbolicArguments,
    SymbolicFiles,
)
from symexec.replay import Decided, decision, hashed
from symexec.runtime.contract import Arguments, Context, Model, ModelEntry
from symexec.runtime.library import registry
from symexec.testcases import TestInput
from symexec.validation import TraceValidation
from symexec.validation.expected_traces import ExpectedTrace, Predicted, first_difference
from tests.command_line import csgtest, write_versions
from tests.nightly import paired
from tests.symexec.generated.branches import Promising

HEAD = "#include <stdlib.h>\n#include <setjmp.h>\n#include <string.h>\n#include <stdio.h>\n"
JUMPING = (
    "#include <search.h>\n"
    "static jmp_buf e, i; static int up(const void *x, const void *y) { int a = *(int *)x; "
    "if (a == 2) longjmp(e, 1); return a - *(int *)y; } "
    "static int in(const void *x, const void *y) { int v[2] = {2, 1}; "
    "if (!setjmp(e)) qsort(v, 2, sizeof *v, up); if (*(int *)x == 3) longjmp(i, 1); "
    "return *(int *)x - *(int *)y; } "
    "static int g(int a, int b) { int v[2] = {a, b}; if (setjmp(i)) return b > 3 + %s; "
    "qsort(v, 2, sizeof *v, in); return v[0] > 1; } "
    "int f(int a, int b) { int v[2] = {a, b}; size_t n = 2; if (b > 2) return g(a, b); "
    "if (setjmp(e)) return a > 2 + %s; if (lfind(&b, v, &n, sizeof *v, up) && a > 3) return 4; "
    "if (setjmp(e)) return b > %s; bsearch(&a, v, 2, sizeof *v, up); return a > 1; }"
)  # fmt: skip
CONSTRUCTOR = (
    "static int set; __attribute__((constructor)) static void begin(void) "
    '{ if (getenv("SET")) set = 1; } int f(int a, int b) { return a > %d; }'
)
PAIRS = {
    "a constructor before the call": (CONSTRUCTOR % 2, CONSTRUCTOR % 3),
    "operands of && and ||, negated": (
        "int f(int a, int b) { if (a > 1 && !(b < 2 || a == b)) return 1; return 0; }",
        "int f(int a, int b) { if (a > 1 && !(b < 3 || a == b)) return 1; return 0; }",
    ),
    "a choice as a condition, one as a value, one without its middle": (
        "int f(int a, int b) { if (a ? b > 1 : b < 2) return a ?: 7; return b > 3 ? a : b; }",
        "int f(int a, int b) { if (a ? b > 2 : b < 2) return a ?: 7; return b > 4 ? a : b; }",
    ),
    "a value that is its own condition, in both versions": (
        "int f(int a, int b) { int c = a ?: 7; return (b ?: c) > 3; }",
        "int f(int a, int b) { int c = a ?: 6; return (b ?: c) > 4 && c > 2; }",
    ),
    "a switch behind a divergence, on what differs": (
        "int f(int a, int b) { if (a > 2) b++; switch (a + b & 3) { case 1: a = 4; break; "
        "case 2: a = b; } switch (a & 3) { case 0: case 3: return b; } return a; }",
        "int f(int a, int b) { if (a > 1) b++; switch (a + b & 3) { case 1: a = 4; break; "
        "case 2: a = b; } switch (a & 3) { case 0: case 3: return b; } return a; }",
    ),
    "loops": (
        "int f(int a, int b) { int s = 0; for (int i = 0; i < a; i++) { int k = b; "
        "while (k-- > 0) s++; do s += 2; while (s < 5); } return s; }",
        "int f(int a, int b) { int s = 0; for (int i = 0; i < a; i++) { int k = b; "
        "while (k-- > 1) s++; do s += 2; while (s < 6); } return s; }",
    ),
    "a switch, and one whose cases belong to one version": (
        "int f(int a, int b) { switch (a) { case 1: return 2; case 2: a = 7; } "
        "switch (b & 3) { case 0: return a; default: return b; } }",
        "int f(int a, int b) { switch (a + 1) { case 1: return 2; case 2: a = 7; } "
        "switch (b & 3) { case 0: return a; case 1: a++; break; default: return b; } return a; }",
    ),
    "code of one version, which leaves": (
        "int f(int a, int b) { int s = 0; if (a > b) s = 1; return s; }",
        "int f(int a, int b) { int s = 0; if (a == 2) return 9; if (a > 3 && b > 1) return 4; "
        "if (a > b) s = 1; if (s && b) s = 5; return s; }",
    ),
    "a condition in a call, and one in a statement expression": (
        "int g(int x) { if (x > 2) return 1; return x; } "
        "int f(int a, int b) { return g(a && b) + ({ int t = g(a); t > 0 ? t : b; }); }",
        "int g(int x) { if (x > 2) return 2; return x; } "
        "int f(int a, int b) { return g(a || b) + ({ int t = g(a); t > 1 ? t : b; }); }",
    ),
    "operands whose order C leaves open": (
        "int f(int a, int b) { return (a > 1 ? a : b) - (b > 2 ? b : b); }",
        "int f(int a, int b) { return (a > 2 ? a : b) - (b > 2 ? b : b); }",
    ),
    "a comparison that the library asks for": (
        "static int up(const void *x, const void *y) { int a = *(int *)x, b = *(int *)y; "
        "if (a < b) return -1; return a > b; } int f(int a, int b) { int v[4] = {a, 2, b, 1}; "
        "qsort(v, 4, sizeof *v, up); if (v[0] == 1) return v[1]; return v[3]; }",
        "static int up(const void *x, const void *y) { int a = *(int *)x, b = *(int *)y; "
        "if (a < b) return -1; return a > b; } int f(int a, int b) { int v[4] = {a, 2, b, 3}; "
        "qsort(v, 4, sizeof *v, up); if (v[0] == 1) return v[1]; return v[3]; }",
    ),
    "a jump out of comparisons, and of one in another": (
        JUMPING.replace("%s", "0"),
        JUMPING.replace("%s", "1"),
    ),
    "a jump back": (
        "static jmp_buf e; static void g(int x) { if (x > 3) longjmp(e, x); } "
        "int f(int a, int b) { if (setjmp(e)) return b; g(a); if (a > b) return 2; return 0; }",
        "static jmp_buf e; static void g(int x) { if (x > 2) longjmp(e, x); } "
        "int f(int a, int b) { if (setjmp(e)) return b; g(a); if (a > b) return 2; return 0; }",
    ),
    "an end in the middle": (
        "int f(int a, int b) { if (a == 3) abort(); if (b == 2) exit(4); return a > b; }",
        "int f(int a, int b) { if (a == 4) abort(); if (b == 3) exit(4); return a > b && b; }",
    ),
    "an error of memory, behind which anything may happen": (
        "int f(int a, int b) { int v[3] = {1, 2, 3}; int x = v[a]; return x > b ? 1 : 2; }",
        "int f(int a, int b) { int v[3] = {1, 2, 3}; int x = v[a + 1]; return x > b ? 1 : 2; }",
    ),
    "a version that never ends": (
        "int f(int a, int b) { while (a != 3) if (a > b) break; return a; }",
        "int f(int a, int b) { while (a != 2) if (a > b) break; return a; }",
    ),
    "a declaration that one version initialises": (
        "int f(int a, int b) { int y = b; return a > y; }",
        "int f(int a, int b) { int x = a && b; int y = b; if (x) y = a > 2 ? 1 : b; "
        "return a > y; }",
    ),
    "an enumerator, a character, a pointer and a floating number asked": (
        "enum e { no, yes }; int f(int a, int b) { enum e x = a > 2; char *p = a ? \"\" : 0; "
        "double d = b; if (x) return 1; if (p) return 2; if (d) return 3; if ('a') return 4; "
        "return 0; }",
        "enum e { no, yes }; int f(int a, int b) { enum e x = a > 3; char *p = b ? \"\" : 0; "
        "double d = a; if (x) return 1; if (p) return 2; if (d) return 3; if ('a') return 4; "
        "return 0; }",
    ),
}  # fmt: skip
MAIN = (
    "static int n; __attribute__((constructor)) static void begin(void) { if (!n) n = 0; } "
    "static void last(void) { if (n > 1) puts(\"many\"); } "
    "int main(int argc, char **argv) { int c; atexit(last); "
    "while ((c = getchar()) != EOF) { if (c == 'a') n++; else if (strchr(\"xyz\", c)) n += 2; } "
    "return n %s 1; }"
)  # fmt: skip


def job_of(
    old: str, new: str, folder: Path, after: After = After.BOTH, **more: object
) -> Promising:
    files = write_versions(folder, HEAD + old + "\n", HEAD + new + "\n")
    inputs = InputOptions("f", (Range("a", 0, 5), Range("b", 0, 5)))
    inputs = replace(inputs, **more)  # type: ignore[arg-type]
    search = SearchOptions(time=20, after=after)
    return Promising(BuildOptions(*files, (), inputs, search, replay=False))


def noted(validation: TraceValidation) -> list[ExpectedTrace]:
    return [each for _, each in validation._noted.values() if isinstance(each, ExpectedTrace)]


def checked(job: Promising) -> TraceValidation:
    with job:
        job.explore()
        assert job.exhausted or job.counters.cuts
        validation = job.check()
    assert validation is not None
    return validation


@pytest.mark.parametrize(("name", "after"), paired(PAIRS, After))
def test_all_branches_are_as_predicted(name: str, after: After, tmp_path: Path) -> None:
    validation = checked(job_of(*PAIRS[name], tmp_path, after))
    assert validation.compared and not validation.left_out
    assert [each.text for each in validation.mismatches] == []


def test_all_branches_of_a_program_are_as_predicted(tmp_path: Path) -> None:
    job = job_of(MAIN % ">", MAIN % ">=", tmp_path, entry=None, ranges=(), stdin=2)
    validation = checked(job)
    assert validation.compared and not validation.left_out and not validation.mismatches


def test_values_that_were_tried_one_after_the_other_are_met_again(tmp_path: Path) -> None:
    """The digits that a conversion to a floating number asks for."""
    text = """int main(int argc, char **argv) {
        long double x = strtold(argv[1], NULL);
        return x == %d || x == %d;
    }"""
    arguments = SymbolicArguments(1, 1, 1)
    options = {"entry": None, "ranges": (), "arguments": arguments}
    validation = checked(job_of(text % (2, 5), text % (3, 7), tmp_path, **options))
    assert len({each.input for each in noted(validation)}) > 2
    assert not validation.left_out and not validation.mismatches


def test_a_file_that_a_test_is_made_without_is_not_there_further_on(tmp_path: Path) -> None:
    """The versions diverge before they look for it: the test has no such file."""
    text = """int main(int argc, char **argv) {
        if (argv[1][0] > '%c') puts("x");
        FILE *file = fopen("A", "r");
        return file == NULL ? 3 : fgetc(file) == 'z';
    }"""
    arguments, files = SymbolicArguments(1, 1, 1), SymbolicFiles(1, 2)
    job = job_of(
        text % "m", text % "n", tmp_path, entry=None, ranges=(), arguments=arguments, files=files
    )
    validation = checked(job)
    assert {bool(each.input.files) for each in noted(validation)} == {False, True}
    assert validation.compared and not validation.left_out and not validation.mismatches


def test_what_nobody_wrote_is_left_out(tmp_path: Path) -> None:
    old = "int f(int a, int b) { int x; if (a > 2) x = 1; if (a > 1 && x) return 1; return 0; }"
    new = "int f(int a, int b) { int x; if (a > 2) x = 1; if (a > 0 && x) return 1; return 0; }"
    validation = checked(job_of(old, new, tmp_path))
    assert set(validation.left_out) == {"uninitialised values"}
    assert not validation.mismatches


def test_an_input_that_no_search_has_found_is_run_concretely(tmp_path: Path) -> None:
    old, new = PAIRS["loops"]
    inputs = [TestInput(parameters=(("a", a), ("b", b))) for a in (-3, 1, 4) for b in (0, 2)]
    with job_of(old, new, tmp_path) as job:
        job.explore()
        assert job.validation is not None
        job.validation._noted.clear()
        for number, each in enumerate(inputs):
            job.validation.note_input(f"n{number}", each, None)
        validation = job.check()
    assert validation is not None and not validation.mismatches
    assert validation.compared == 4
    assert validation.left_out == {
        "inputs that the engine cannot start from": 2
    }  # a < 0 is excluded


# ---------------------------------------------------------------------- that it can fail


def test_another_input_than_the_predicted_one_is_noticed(tmp_path: Path) -> None:
    """The search has found a > 3 on the third line of the file; natively a is 0."""
    text = "int f(int a, int b)\n{\n    if (b > 1)\n        b = 1;\n    return %s ? 1 : 2;\n}"
    with job_of(text % "a > 3", text % "a > 4", tmp_path) as job:
        job.explore()
        assert job.validation is not None
        expected = noted(job.validation)[0]
        other = TestInput(parameters=(("a", 0), ("b", 5)))
        job.validation._noted = {expected.test: (1, replace(expected, input=other))}
        validation = job.check()
    assert validation is not None and validation.compared == 1
    (mismatch,) = validation.mismatches
    found = (mismatch.version, mismatch.place, mismatch.location.line - HEAD.count("\n"))
    assert found == ("old", 1, 3)
    assert (mismatch.predicted, mismatch.native) == ("false", "true")
    assert "new.c:7:9: t1, old version, decision 1: predicted false" in mismatch.text


def test_an_engine_that_is_wrong_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model of access that finds even what is not there."""

    def wrong(context: Context, arguments: Arguments) -> Model:
        return 0
        yield

    def broken() -> Mapping[str, ModelEntry]:
        return {**registry(), "access": ModelEntry("access", wrong, "nothing")}

    monkeypatch.setattr(searching, "registry", broken)
    monkeypatch.setattr("symexec.validation.expected_traces.registry", broken)
    text = (
        "#include <unistd.h>\n"
        'int f(int a, int b) { if (access("none", 0) == 0) b++; return a %s b; }'
    )
    validation = checked(job_of(text % "<", text % "<=", tmp_path))
    assert len(validation.mismatches) == validation.compared > 0
    assert {(each.predicted, each.native) for each in validation.mismatches} == {("true", "false")}


@pytest.mark.parametrize("before", ["", "if (b == 4) a = 3; "])
def test_behind_an_approximation_no_engine_is_to_blame(
    before: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model of access that says itself that it may be wrong. What is decided before it counts."""

    def doubtful(context: Context, arguments: Arguments) -> Model:
        context.event(Reason.APPROXIMATED, "each file is there")
        return 0
        yield

    models = {**registry(), "access": ModelEntry("access", doubtful, "nothing")}
    monkeypatch.setattr(searching, "registry", lambda: models)
    monkeypatch.setattr("symexec.validation.expected_traces.registry", lambda: models)
    text = (
        "#include <unistd.h>\n"
        f'int f(int a, int b) {{ {before}if (access("none", 0) == 0) b++; return a %s b; }}'
    )
    validation = checked(job_of(text % "<", text % "<=", tmp_path))
    assert not validation.mismatches
    assert set(validation.left_out) == {"approximated: each file is there"}


def test_a_stack_that_may_be_too_small_for_the_first_call_accuses_nobody(tmp_path: Path) -> None:
    text = (
        "int f(int a, int b) { if (a == b) { char v[20000000]; v[a] = %d; a = v[b]; } return a; }"
    )
    validation = checked(job_of(text % 1, text % 2, tmp_path))
    assert not validation.mismatches
    assert [text.split(" on ")[0] for text in validation.left_out] == [
        "approximated: more than 4 MB"
    ]


def test_a_path_that_is_not_the_one_of_the_search_is_left_out(tmp_path: Path) -> None:
    """The model is that of another path."""
    old, new = PAIRS["operands of && and ||, negated"]
    with job_of(old, new, tmp_path) as job:
        job.explore()
        assert job.validation is not None
        longest = max(noted(job.validation), key=lambda each: each.path.length)
        wrong = dict.fromkeys(longest.model, 0)
        job.validation._noted = {"t1": (1, replace(longest, model=wrong))}
        validation = job.check()
    assert validation is not None and not validation.compared
    assert validation.left_out == {"conditions that are not met again": 1}


# ---------------------------------------------------------------------- comparing


def seen(*decisions: int, count: int | None = None, cut: bool = False) -> Decided:
    number = len(decisions) if count is None else count
    return Decided(number, hashed(decisions), array("Q", decisions), cut)


A, B, C = decision(1, 1), decision(2, 0), decision(3, 1)  # of the statements 1, 1 and 2
NOT_C = decision(3, 0)
CASES = {
    "the same": ([A, B, C], True, seen(A, B, C), None),
    "another direction": ([A, B, C], True, seen(A, B, NOT_C), 2),
    "more natively": ([A, B], True, seen(A, B, C), 2),
    "more natively, of a path that was left before": ([A, B], False, seen(A, B, C), None),
    "less natively": ([A, B, C], False, seen(A, B), 2),
    "less natively, of a run that was cut": ([A, B, C], True, seen(A, B, cut=True), None),
    "another order within a statement": ([A, B, C], True, seen(B, A, C), None),
    "another order of statements": ([A, C], True, seen(C, A), 0),
    "left in mid-statement": ([C, A], False, seen(C, B, A), None),
    "left in mid-statement, in another direction": ([A, B, C], False, seen(A, B, NOT_C), 2),
    "more than is kept": ([A, B, C], True, replace(seen(A, B, C), first=array("Q", [A])), None),
    "more than is kept, and another hash": (
        [A, B, C], True, replace(seen(A, B, NOT_C), first=array("Q", [A])), 1,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_paths_part_where_a_decision_differs(name: str) -> None:
    told, exact, native, expected = CASES[name]
    statements = {1: 1, 2: 1, 3: 2}
    found = first_difference(Predicted(told, exact), native, lambda each: statements[each >> 32])
    assert found == expected


def test_a_bool_that_holds_neither_0_nor_1_is_true(tmp_path: Path) -> None:
    text = "union u { long n; _Bool b; };\nint f(union u *u) { return (u->b ? 1 : 0) + 0; }\n"
    (tmp_path / "old.c").write_text(text)
    (tmp_path / "new.c").write_text(text.replace("+ 0;", "+ (u->n == 225);"))
    done = csgtest("build", "old.c", "new.c", "--entry", "f", "--time", "10", folder=tmp_path)
    assert done.code == 1 and done.report["counters"]["branches_compared"]
    assert not done.report["counters"]["branch_mismatches"], done.out


ROOT = """#include <stdio.h>
static unsigned long long root(unsigned long long x)
{
    unsigned long long n = 0;
    while (x > n)
        n += 1 + n / 2;
    return n;
}
int main(int argc, char **argv)
{
    printf("%llu\\n", root(1ull << COUNT));
    return argc > 3;
}
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("40", "232"),  # the processor takes it for 40, and gcc computes 0
        ("(20 + 20)", "(20 + 212)"),
        ("(argc + 39)", "(argc + 231)"),
        ("(argc < 9 ? 40 : 1)", "(argc < 9 ? 232 : 1)"),
    ],
)
def test_a_shift_that_each_build_computes_in_another_way_accuses_nobody(
    old: str, new: str, tmp_path: Path
) -> None:
    write_versions(tmp_path, ROOT.replace("COUNT", old), ROOT.replace("COUNT", new))
    words = ("old.c", "new.c", "--sym-args", "0", "1", "1", "--time", "5")
    done = csgtest("build", *words, folder=tmp_path)
    counters = done.report["counters"]
    assert (counters["branch_mismatches"], counters["mispredicted"]) == (0, 0)
    if "argc" not in new:
        assert done.code == 1
        assert any("shift exponent 232" in each for each in done.differing[0]["undefined"])
