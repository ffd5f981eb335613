"""Memory errors: what ``explore`` says of each input is what a sanitized build shows on it.

A program of tests/memory/ marks the lines where it fails, and says which inputs there are:

    // range: x=0..20
    value = bits[x / 7];            // error: out-of-bounds
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from symexec.campaign.building import BuildJob
from symexec.exploration.single_program import ExploreJob
from symexec.ledger import Verdict
from symexec.options import (
    BuildOptions,
    ExploreOptions,
    InputOptions,
    MemoryOptions,
    Range,
    SearchOptions,
    Uninitialised,
)
from symexec.progress import Silence
from symexec.replay.reports import sanitizer_kind
from symexec.triage.undefined import UNINITIALISED
from tests.command_line import csgtest, write_versions
from tests.jobs import finished
from tests.nightly import daily

FOLDER = Path(__file__).parent / "memory"
PROGRAMS = sorted(FOLDER.glob("*.c"))
FLAGS = ("-g", "-O0", "-w", "-fno-builtin", "-fsanitize=address,bounds", "-fno-sanitize-recover")

Fault = tuple[str, int]  # kind, line

MAIN = """
#include <stdio.h>
#include <stdlib.h>
int f(int);
int main(int count, char **words) { printf("%d", f(atoi(words[1]))); return 0; }
"""

# What AddressSanitizer says, in our words. A wild access is what it takes a null pointer's or a
# literal's for.
KINDS = {
    "heap-buffer-overflow": "out-of-bounds",
    "stack-buffer-overflow": "out-of-bounds",
    "dynamic-stack-buffer-overflow": "out-of-bounds",
    "global-buffer-overflow": "out-of-bounds",
    "index out of bounds": "index-out-of-bounds",
    "stack-use-after-return": "use-after-return",
    "stack-use-after-scope": "use-after-scope",
    "heap-use-after-free": "use-after-free",
    "double-free": "double-free",
    "bad-free": "bad-free",
    "memcpy-param-overlap": "overlap",
    "SEGV": "SEGV",
}
BY_PROCESSOR = {"null", "wild", "read-only"}
# an index beyond a whole object: it does not leave the object unnoticed, so it is no other error
WHOLE = ("out-of-bounds", "index-out-of-bounds")


def explored(
    program: Path, low: int, high: int, uninitialised: Uninitialised
) -> tuple[dict[Fault, set[int]], list[int]]:
    """The inputs found for each error, and those of paths that end well."""
    inputs = InputOptions(entry="f", ranges=(Range("x", low, high),))
    job = ExploreJob(ExploreOptions(program, inputs=inputs, memory=MemoryOptions(uninitialised)))
    job.prepare()
    wrong: dict[Fault, set[int]] = {}
    well: list[int] = []
    for case in job.cases(Silence()):
        ((_, x),) = case.input.parameters
        assert isinstance(x, int)
        if not case.notes:
            well.append(x)
            continue
        found = re.match(r".*?:(\d+)(?::\d+)?: ([\w-]+)", case.notes[0])
        assert found is not None
        wrong.setdefault((found[2], int(found[1])), set()).add(x)
    assert job.exhausted and not job.counters.cuts and not job.counters.concretised
    return wrong, well


class Native:
    """The sanitized build of a program."""

    def __init__(self, program: Path, folder: Path) -> None:
        main = folder / "main.c"
        main.write_text(MAIN)
        self._file = folder / "native"
        command = ["gcc", *FLAGS, str(program), str(main), "-o", str(self._file)]
        subprocess.run(command, check=True, capture_output=True)
        self._kinds: dict[int, str] = {}

    def kind(self, x: int) -> str:
        """The error on an input, in our words; "" when it ends well. Each is run once."""
        if x not in self._kinds:
            self._kinds[x] = self._run(x)
        return self._kinds[x]

    def _run(self, x: int) -> str:
        options = "detect_stack_use_after_return=1:detect_leaks=0"
        done = subprocess.run(
            [str(self._file), str(x)],
            capture_output=True,
            timeout=20,
            check=False,
            env={"ASAN_OPTIONS": options},
        )
        if done.returncode == 0:
            return ""
        kind, _ = sanitizer_kind([done.stderr])
        return KINDS.get(kind or "", str(kind))


def complaints(
    native: Native, wrong: dict[Fault, set[int]], well: Sequence[int], every: range
) -> list[str]:
    """Each test is what a native run of it shows, and each kind of native error has a test."""
    found = [f"{x}: ends well, natively {native.kind(x)}" for x in well if native.kind(x)]
    said = {"SEGV" if kind in BY_PROCESSOR else kind for kind, _ in wrong}
    for (kind, line), inputs in wrong.items():
        shown = "SEGV" if kind in BY_PROCESSOR else kind
        found += [
            f"{x}: {kind} in line {line}, natively {native.kind(x) or 'none'}"
            for x in sorted(inputs)
            if native.kind(x) != shown and (shown, native.kind(x)) != WHOLE
        ]
    said |= {shown for kind, shown in (WHOLE,) if kind in said}
    missed = {native.kind(x) for x in every} - said - {""}
    return found + [f"no {kind} was found" for kind in sorted(missed)]


def test_there_are_programs() -> None:
    assert len(PROGRAMS) >= 9


@pytest.mark.parametrize("program", PROGRAMS, ids=[program.stem for program in PROGRAMS])
def test_errors_are_found_where_they_are(program: Path, tmp_path: Path) -> None:
    lines = program.read_text().splitlines()
    marks = {
        (kind, number)
        for number, line in enumerate(lines, 1)
        if (mark := re.search(r"// error: (.*)", line))
        for kind in mark[1].split(", ")
    }
    (bounds,) = re.findall(r"// range: x=(-?\d+)\.\.(-?\d+)", program.read_text())
    low, high = map(int, bounds)
    wrong, well = explored(program, low, high, Uninitialised.ERROR)
    assert set(wrong) == marks
    native = Native(program, tmp_path)
    judged = {fault: inputs for fault, inputs in wrong.items() if fault[0] != "uninitialised"}
    assert complaints(native, judged, well, range(low, high + 1)) == []


# --------------------------------------------------------------------------- two versions

VERSION = """
static int limit_of(int kind)
{{
    int limit{};
    if (kind > 3)
        limit = 10;
    return limit;
}}

int f(int kind, int x)
{{
    return x > limit_of(kind);
}}
"""


def built(folder: Path, old: str, new: str, **more: Any) -> BuildJob:
    files = write_versions(folder, old, new)
    inputs = InputOptions(entry="f")
    search = SearchOptions(time=30.0)
    return finished(BuildJob(BuildOptions(*files, inputs=inputs, search=search, **more)))


def test_a_variable_that_lost_its_value_is_a_regression(tmp_path: Path) -> None:
    job = built(tmp_path, VERSION.format(" = 0"), VERSION.format(""))
    wrong = [case for case in job.found if case.kind == "regression"]
    assert wrong and job.mispredicted == []
    for case in wrong:
        assert case.new is not None and case.new.sanitizer == UNINITIALISED
        assert case.blame is not None and case.blame.blamed == (1,)
        assert dict(case.input.parameters)["kind"] <= 3  # type: ignore[operator]


def test_what_both_versions_use_is_told_and_no_difference(tmp_path: Path) -> None:
    new = VERSION.format("").replace("x > limit_of(kind)", "limit_of(kind) < x")
    job = built(tmp_path, VERSION.format(""), new, replay=False)
    assert {event.reason for event in job.counters.ledger.events()} == {"uninitialised"}
    assert (job.found, job.verdict) == ([], "no-difference-found")


def test_versions_may_ask_for_different_sizes(tmp_path: Path) -> None:
    """One allocation with two sizes: only the new one is too small."""
    text = """
    void *malloc(unsigned long size);
    int f(unsigned char n, unsigned char m)
    {{
        char *p = malloc(n + {});
        p[m] = 1;
        return m <= n ? p[m] : 0;
    }}
    """
    job = built(tmp_path, text.format(260), text.format(1), replay=False)
    given = [dict(case.input.parameters) for case in job.found]
    assert given and all(each["m"] > each["n"] for each in given)  # type: ignore[operator]


# --------------------------------------------------------------------------- generated programs


class Writer:
    """A random sequence of allocations, accesses and frees, with one input ``x``."""

    def __init__(self, seed: int) -> None:
        self._chance = Random(seed)

    def size(self) -> str:
        return self._chance.choice(("4", "8", "x + 1", "2 * x + 1", "x / 2 + 2"))

    def index(self) -> str:
        return self._chance.choice(("0", "3", "x", "x / 2", "x % 4", "7 - x"))

    def pointer(self) -> str:
        return self._chance.choice(("p", "q"))

    def statement(self) -> str:
        p, q, size, index = self.pointer(), self.pointer(), self.size(), self.index()
        return self._chance.choice(
            (
                f"{p} = malloc({size}); memset({p}, 1, {size});",
                f"{p} = calloc({size}, 1);",
                f"{p} = realloc({p}, {size}); memset({p}, 2, {size});",
                f"if (x > {self._chance.randrange(7)}) free({p});",
                f"{p}[{index}] = {self._chance.randrange(9)};",
                f"sum += {p}[{index}];",
                f"sum += {p}[{index}];",
                f"{p} = x > {self._chance.randrange(7)} ? {q} : {p};",
                f"memmove({p}, {q}, {size});",
                f"if (x != {self._chance.randrange(7)}) {p} = a;",
                f"t[x % 2] = {p}; sum += t[{self._chance.choice(('0', 'x / 4'))}][{index}];",
            )
        )

    def program(self) -> str:
        body = "\n    ".join(self.statement() for _ in range(self._chance.randint(4, 9)))
        return (
            "#include <stdlib.h>\n#include <string.h>\nint f(int x)\n{\n"
            "    char a[6] = { 1, 2, 3, 4, 5, 6 }, *p = malloc(x + 2), *q = a, *t[2] = { a, a };\n"
            f"    int sum = 0;\n    memset(p, 4, x + 2);\n    {body}\n    return sum;\n}}\n"
        )


@pytest.mark.parametrize("seed", daily(range(12), 4))
def test_generated_programs_fail_as_they_natively_do(seed: int, tmp_path: Path) -> None:
    program = tmp_path / "program.c"
    program.write_text(Writer(seed).program())
    wrong, well = explored(program, 0, 7, Uninitialised.ZERO)
    found = complaints(Native(program, tmp_path), wrong, well, range(8))
    assert found == [], program.read_text()


LEFT = """
static int buffer[4];

static int *filled(int x)
{{
    int *here = buffer, local[4] = {{ 1, 2, 3, x }};
    {}
    here[3] = x;
    return here;
}}

int f(int x)
{{
    int *place = filled(x), *kept = buffer, sum = 0;
    for (int i = 0; i < 3; i++) {{
        int here[2] = {{ i, x }};
        {}
        sum += here[0] + *kept;
    }}
    return x > 5 ? *place + *kept : sum;
}}
"""


@pytest.mark.parametrize(
    ("wrong", "shown"),
    [
        (("here = local;", ""), "stack-use-after-return"),
        (("", "if (i == 2) kept = here + 1;"), "stack-use-after-scope"),
    ],
)
def test_a_local_object_that_is_used_too_late_is_a_regression(
    wrong: tuple[str, str], shown: str, tmp_path: Path
) -> None:
    job = built(tmp_path, LEFT.format("", ""), LEFT.format(*wrong))
    found = [case for case in job.found if case.kind == "regression"]
    assert found and job.mispredicted == []
    for case in found:
        assert case.new is not None and case.new.sanitizer == shown
        assert dict(case.input.parameters)["x"] > 5  # type: ignore[operator]


def test_versions_that_leave_an_object_by_reading_and_by_writing_fail_alike(tmp_path: Path) -> None:
    """As the sanitizers see it: nothing is predicted that native runs do not show."""
    text = "int t[2];\nint f(int a)\n{\n    if (a > 9) return a;\n    {}\n"
    text += "    return t[128 + a * 0];\n}\n"
    write_versions(tmp_path, text.replace("{}", "t[2] = a;"), text.replace("{}", ""))
    done = csgtest("build", "old.c", "new.c", "--entry", "f", "--time", "5", folder=tmp_path)
    assert done.code == 0
    assert done.report["verdict"] == "no-difference-found"  # nothing is known behind that
    assert done.report["counters"]["mispredicted"] == 0


@pytest.mark.parametrize(
    ("size", "called"), [("4", False), ("8", False), ("n", True), ("17", True)]
)
def test_an_overlap_that_no_sanitizer_sees_is_not_confirmed_and_accuses_nobody(
    size: str, called: bool, tmp_path: Path
) -> None:
    """gcc copies few bytes in one piece, so that nobody looks for an overlap; else memcpy does."""
    text = '#include <string.h>\nint f(int x)\n{\n    char b[40] = "abcdef"; int n = 5;\n'
    text += f"    if (x * 2654435761u == 3735928559u) COPY(b + 1, b, {size});\n"
    text += "    return b[2] + n;\n}\n"
    job = built(tmp_path, text.replace("COPY", "memmove"), text.replace("COPY", "memcpy"))
    assert job.mispredicted == []
    assert (job.verdict is Verdict.DIFFERENT) == called
    assert called or job.verdict is Verdict.NO_DIFFERENCE_FOUND


@pytest.mark.parametrize(("distance", "seen"), [(8, True), (15, True), (3000, False), (-9, False)])
def test_an_access_to_the_inside_of_another_object_accuses_nobody(
    distance: int, seen: bool, tmp_path: Path
) -> None:
    """The sanitizer knows only the bytes around each object."""
    text = 'static const char t[8] = "abcdefg", u[9000] = {1};\nint f(int x)\n{\n'
    text += "    const char *q = t; int z = 0;\n"
    text += "    if (x * 2654435761u == 3735928559u) return 1 READ;\n"
    text += "    return q[2] + u[1];\n}\n"
    new = text.replace("READ", f"+ z * q[{distance}]")
    job = built(tmp_path, text.replace("READ", ""), new)
    assert job.mispredicted == []
    assert seen <= (job.verdict is Verdict.DIFFERENT)
    assert job.verdict in (Verdict.DIFFERENT, Verdict.NO_DIFFERENCE_FOUND)
