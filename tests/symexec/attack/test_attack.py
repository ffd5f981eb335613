"""The attack as users meet it: what csgtest build says after it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from symexec.testcases import DifferenceKind
from tests.command_line import csgtest
from tests.symexec.attack.attacks import attacked

ALIASES = "int f(int *a, int *b) { *a += 5; *b += 1; return *a; }\n"
NOT_ALIASES = "int f(int *a, int *b) { int k = *a + 5; *b += 1; *a = k; return k; }\n"
COPIES = "void f(int *to, const int *from) { to[0] = from[0]; to[1] = from[0]; }\n"
COPIES_TOO = "void f(int *to, const int *from) { int n = *from; to[0] = n; to[1] = n; }\n"


def written(folder: Path, old: str, new: str) -> tuple[str, str]:
    (folder / "old.c").write_text(old)
    (folder / "new.c").write_text(new)
    return "old.c", "new.c"


def test_what_no_test_can_say_is_a_c_program(tmp_path: Path) -> None:
    files = written(tmp_path, ALIASES, NOT_ALIASES)
    words = ("--entry", "f", "--time", "4", "--attack", "10", "--without", "aliases")
    done = csgtest("build", *files, *words, folder=tmp_path)
    assert done.code == 1 and done.report["verdict"] == "different"
    (test,) = done.differing
    assert test["source"] == "attack" and "f(object0, object0)" in test["input"]["shape"]
    assert any("the search called the versions alike" in each for each in done.report["notes"])
    witness = f"csgtest-out/tests/{test['id']}.c"
    shown = []
    for version in files:
        flags = [f'-DVERSION="{tmp_path / version}"', witness, "-o", "witness"]
        subprocess.run(["gcc", "-w", *flags], cwd=tmp_path, check=True)
        shown.append(subprocess.run(["./witness"], cwd=tmp_path, capture_output=True, check=True))
    assert shown[0].stdout != shown[1].stdout
    again = csgtest("replay", "csgtest-out", folder=tmp_path)
    assert again.code in (0, 1) and "Traceback" not in again.err


def test_what_is_only_read_lies_apart_from_what_is_written(tmp_path: Path) -> None:
    found = attacked(tmp_path, COPIES, COPIES_TOO, "--entry", "f", seconds=2)
    assert found.tests == [] and found.omissions == []


def test_an_equal_verdict_says_what_was_tried(tmp_path: Path) -> None:
    old = "int f(char c) { return c * 2; }\n"
    files = written(tmp_path, old, old.replace("c * 2", "c + c"))
    done = csgtest("build", *files, "--entry", "f", "--attack", "60", folder=tmp_path)
    assert done.code == 0 and done.report["verdict"] == "equivalent-within-bounds"
    assert done.report["attack"]["all"] and done.report["attack"]["inputs"] == 256
    assert "not attacked" not in done.out


def test_without_an_attack_the_verdict_says_so(tmp_path: Path) -> None:
    old = "int f(char c) { return c * 2; }\n"
    files = written(tmp_path, old, old.replace("c * 2", "c + c"))
    done = csgtest("build", *files, "--entry", "f", "--attack", "0", folder=tmp_path)
    assert done.code == 0 and done.report["attack"] == {"asked": False}
    assert "The verdict was not attacked natively (--attack 0)." in done.out


def test_programs_whose_trees_are_the_same_are_attacked_where_their_texts_differ(
    tmp_path: Path,
) -> None:
    old = "enum e { A };\nint f(int x) { enum e v = (enum e) x; return v < 0; }\n"
    files = written(tmp_path, old, old.replace("{ A }", "{ A, B = -1 }"))
    done = csgtest("build", *files, "--entry", "f", "--time", "5", "--attack", "5", folder=tmp_path)
    assert done.code == 1 and done.report["verdict"] == "different"


def test_programs_whose_trees_are_the_same_are_attacked_though_nothing_is_changed(
    tmp_path: Path,
) -> None:
    old = "int f(int x) { return x; }\n"
    files = written(tmp_path, old, old.replace("x;", "(x);"))
    done = csgtest("build", *files, "--entry", "f", "--attack", "1", folder=tmp_path)
    assert done.report["verdict"] == "no-change" and done.report["attack"]["inputs"] > 0


def test_programs_of_the_same_text_are_not_attacked(tmp_path: Path) -> None:
    old = "int f(int x) { return x; }\n"
    files = written(tmp_path, old, f"/* the same */\n{old}")
    done = csgtest("build", *files, "--entry", "f", "--attack", "5", folder=tmp_path)
    assert done.report["verdict"] == "no-change" and "attack" not in done.report


def test_an_object_that_may_be_one_that_no_caller_makes_is_no_finding(tmp_path: Path) -> None:
    old = """#include <stdlib.h>
struct s { char *at; int used, room; };
int make(struct s *s) { s->at = malloc(8); s->used = 0; s->room = 8; return s->room; }
int f(struct s *s, char *other) { s->at = other; if (s->used > s->room) return 1; return 2; }
"""
    new = old.replace("s->used > s->room", "s->used > s->room && s->at != (char *) &s->used")
    found = attacked(tmp_path, old, new, "--entry", "f", seconds=3)
    assert found.tests == []


def test_a_destructor_that_is_called_twice_is_an_event(tmp_path: Path) -> None:
    old = """#include <stdlib.h>
static char *kept;
void f(int n) { if (!kept) kept = malloc(n & 7); free(kept); kept = NULL; }
"""
    found = attacked(tmp_path, old, old.replace(" kept = NULL;", ""), "--entry", "f")
    assert found.tests == []
    assert all("whether a caller can bring that about" in each.text for each in found.omissions)
    assert found.omissions


def test_assumptions_of_the_user_hold(tmp_path: Path) -> None:
    old = "int f(int x) { return x == 5; }\n"
    words = ("--entry", "f", "--range", "x=0..4")
    found = attacked(tmp_path, old, old.replace("x == 5", "0"), *words, seconds=2)
    assert found.tests == [] and found.omissions == []


@pytest.mark.parametrize(
    ("name", "allowed"),
    [("p->n", "0..4"), ("p->q.n", "0..4"), ("p->next->n", "0..4"), ("g", "0..4"), ("x", "0..4")],
)
@pytest.mark.parametrize("beyond", [False, True])
def test_ranges_of_members_and_objects_hold(
    name: str, allowed: str, beyond: bool, tmp_path: Path
) -> None:
    old = f"""struct s {{ int n; struct {{ int n; }} q; struct s *next; }};
int g;
int f(struct s *p, int x) {{ return p && p->next && {name} == {3 if beyond else 5}; }}
"""
    words = ("--entry", "f", "--range", f"{name}={allowed}", "--assume", "x == x")
    new = old.replace("return", "return 0 &&")
    found = attacked(tmp_path, old, new, *words, seconds=2)
    assert bool(found.tests or found.omissions) is beyond


def test_what_varies_from_run_to_run_is_no_difference(tmp_path: Path) -> None:
    old = """#include <stdlib.h>
#include <stdint.h>
#include <unistd.h>
#include <time.h>
long f(int x) {
    int never; char *p = malloc(10);
    long found = x == 1 ? getpid() : x == 2 ? (long) (uintptr_t) p : x == 3 ? never : x;
    free(p);
    return found;
}
"""
    found = attacked(tmp_path, old, old.replace("malloc(10)", "malloc(100)"), "--entry", "f")
    assert found.tests == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # the same in each run of a version, until what was allocated before has other sizes
        ("malloc(10); x = (long) malloc(10) & 4080", "malloc(100); x = (long) malloc(10) & 4080"),
        # the same in each run of a version, until malloc leaves other bytes there
        ("malloc(10); x = !p[1]", "malloc(10); x = 0"),
    ],
    ids=["addresses", "uninitialised memory"],
)
def test_what_varies_with_memory_is_no_difference(old: str, new: str, tmp_path: Path) -> None:
    both = [
        f"#include <stdlib.h>\nint f(int x) {{ if (x == 4) {{ char *p = {each}; }} return x; }}\n"
        for each in (old, new)
    ]
    assert attacked(tmp_path, *both, "--entry", "f").tests == []


@pytest.mark.parametrize("kind", ["float", "double"])
def test_neighbours_of_usual_numbers_are_tried(kind: str, tmp_path: Path) -> None:
    """Below a half is the largest number that becomes 1 when a half is added."""
    body = "return x >= 0 && x < 1e6 ? (long) round(x) : 0;"
    old = f"#include <math.h>\nlong f({kind} x) {{ {body} }}\n"
    new = old.replace("round(x)", f"({kind}) (x + ({kind}) 0.5)")
    found = attacked(tmp_path, old, new, "--entry", "f", seconds=10)
    assert found.tests


def test_a_fixed_number_of_inputs_gives_the_same_each_time(tmp_path: Path) -> None:
    words = ("--entry", "f", "--deterministic", "--time", "2")
    found = [attacked(tmp_path / name, ALIASES, NOT_ALIASES, *words, seconds=60) for name in "ab"]
    assert found[0].tests and found[0].tests[0].input == found[1].tests[0].input


def test_output_that_waits_in_a_buffer_is_lost_with_the_program(tmp_path: Path) -> None:
    old = """#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    if (argc > 1 && argv[1][0] == 5) { FLUSH printf("abc"); abort(); }
    return 0;
}
"""
    found = attacked(
        tmp_path,
        old.replace("FLUSH", "setvbuf(stdout, NULL, _IONBF, 0);"),
        old.replace("FLUSH", ""),
        *("--sym-args", "1", "1", "1"),
    )
    assert [each.input.args for each in found.tests] == [(b"\x05",)]


def test_what_overflow_alone_shows_is_undefined(tmp_path: Path) -> None:
    old = """int f(const int *v, int n, int s)
{
    for (int i = 0; i < n; i++) {
        int t = s + v[i];
        if (v[i] > 0 && t < s) return -1;
        s = t;
    }
    return s;
}
"""
    new = old.replace("int t = s + v[i];", "").replace("t < s", "s + v[i] < s")
    found = attacked(tmp_path, old, new.replace("s = t;", "s += v[i];"), "--entry", "f")
    assert {each.kind for each in found.tests} <= {DifferenceKind.UNDEFINED}


@pytest.mark.parametrize("loads", ["p[5]", "p[n - 1]"])
def test_preconditions_hold_where_a_function_is_called_twice(loads: str, tmp_path: Path) -> None:
    old = f"""int f(const unsigned char *p, int n)
{{
    if (n < 6) return -1;
    if (p[0] != 'B') return -2;
    unsigned char last = {loads};
    for (int i = 0; i < n; i++) last ^= p[i];
    return last;
}}
"""
    hoisted = f"if (n < 6) return -1; unsigned char last = {loads};"
    new = old.replace(f"unsigned char last = {loads};", "").replace(
        "if (n < 6) return -1;", hoisted
    )
    found = attacked(tmp_path, old, new, "--entry", "f")
    assert found.tests == [] and found.omissions == []
