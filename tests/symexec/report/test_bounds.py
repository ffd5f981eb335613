"""``bounds`` names every bound that a verdict holds within, asked for or not."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import asdict, fields
from html import unescape
from pathlib import Path

import pytest

from csg.errors import Location
from symexec.counters import Counters
from symexec.ledger import Entry, Ledger, Omission, Reason, Verdict
from symexec.options import (
    InputOptions,
    MemoryOptions,
    NamedFile,
    Range,
    SearchOptions,
    ShadowOptions,
    SymbolicArguments,
    SymbolicFiles,
)
from symexec.replay import reported_flags
from symexec.report.facts import World, bounds, claimed, event_notes, inputs_within, named
from symexec.report.model import Report
from symexec.report.page import page
from symexec.report.words import headline, looked_for, sequences_covered
from symexec.testcases import EntrySignature, Parameter
from symexec.testcases.signature import ParameterKind
from tests.command_line import csgtest
from tests.nightly import every

NO_BOUNDS = {
    "program",  # the name of the report
    "symbolic_globals",
    "leaks",
    "entry",
    "inferred",
    "examples",
    "examples_tree",
    "several",
    "jobs",
    "indexes",
    "addresses",
}
CALLED = {
    "time": "time_s",
    "arguments": "sym_args",
    "stdin": "sym_stdin",
    "files": "sym_files",
    "named_files": "sym_file",
}
OF_FUNCTIONS = {"array_length", "structure_depth", "globals", "preconditions"}
OF_MAIN = {"arguments", "stdin", "files"}
# Levels are of a search that follows the one whose bounds these are: ``deeper`` tells of them.
WHERE_GIVEN = {
    "level",
    "depth",
    "lines",
    "aliases",
    "ranges",
    "assumptions",
    "named_files",
    "examples_tree",
    "deterministic",
    "prune",
    "without",
}


def test_each_option_that_bounds_a_search_is_named() -> None:
    for entry, others in (("main", OF_FUNCTIONS), ("f", OF_MAIN)):
        named = [] if entry == "f" else None
        found = bounds(
            entry, InputOptions(), SearchOptions(), MemoryOptions(), ShadowOptions(), named
        )
        for options in (InputOptions, SearchOptions, MemoryOptions):
            names = {each.name for each in fields(options)} - NO_BOUNDS - WHERE_GIVEN - others
            assert {CALLED.get(name, name) for name in names} <= found.keys(), entry


@pytest.mark.parametrize("entry", ["main", "f"])
def test_the_page_names_each_and_says_how_the_builds_are_compiled(entry: str) -> None:
    found = bounds(entry, InputOptions(), SearchOptions(), MemoryOptions(), ShadowOptions(), ["g"])
    shown = unescape(
        page(Report("old.c", "new.c", entry, bounds=found, compiled=reported_flags("")))
    )
    for name, value in named(found):
        assert name in shown and value in shown, name
    assert "-O0 -fwrapv" in shown


def test_the_defaults_of_main_are_told() -> None:
    found = bounds("main", InputOptions(), SearchOptions(), MemoryOptions())
    assert (found["sym_args"], found["sym_stdin"], found["sym_files"]) == ([0, 4, 6], 4, [1, 4])
    assert found["command_lines"] == "as the program reads them"
    asked = bounds("main", InputOptions(stdin=3), SearchOptions(), MemoryOptions())
    assert (asked["sym_args"], asked["sym_stdin"], asked["sym_files"]) == ([0, 0, 0], 3, [0, 0])
    assert asked["command_lines"] == "any bytes"
    assert bounds("f", InputOptions(), SearchOptions(), MemoryOptions())["structure_depth"] == 3


# --------------------------------------------------------------------------------------- in words


NOTHING = World(arguments=False, stdin=False, files=False)


def within(entry: str, inputs: InputOptions, *kinds: str, world: World | None = None) -> Report:
    parameters = tuple(
        Parameter(f"p{at}", ParameterKind(kind), "int", 4, 32) for at, kind in enumerate(kinds)
    )
    signature = EntrySignature(entry, None, parameters) if entry != "main" else None
    world = world or (NOTHING if entry == "f" else World())
    found = bounds(entry, inputs, SearchOptions(), MemoryOptions(), world=world)
    return Report("old.c", "new.c", entry, bounds=found, signature=signature)


@pytest.mark.parametrize(
    ("report", "sentence"),
    [
        (within("f", InputOptions(array_length=6), "string"), "strings of up to 6 bytes"),
        (
            within("f", InputOptions(), "array", "structure"),
            "arrays of 4 elements, structures without cycles up to 3 pointers deep",
        ),
        (within("f", InputOptions(ranges=(Range("x", -1, 9),)), "scalar"), "x from -1 to 9"),
        (within("f", InputOptions(assumptions=("x > y",)), "scalar"), "where x > y"),
        (within("f", InputOptions(), "scalar"), "every input"),
        (
            within("main", InputOptions()),
            "command lines of up to 4 arguments of up to 6 bytes, standard input of up to 4 bytes, "
            "a file of up to 4 bytes",
        ),
        (
            within(
                "main",
                InputOptions(
                    arguments=SymbolicArguments(0, 2, 3), named_files=(NamedFile("a=b", 8),)
                ),
            ),
            "up to 2 arguments of up to 3 bytes, an empty standard input, "
            "a file 'a=b' of up to 8 bytes",
        ),
        (
            within("main", InputOptions(named_files=(NamedFile("A", 2),))),
            "command lines of up to 4 arguments of up to 6 bytes, standard input of up to 4 bytes, "
            "a file 'A' of up to 2 bytes",
        ),
        (
            within("main", InputOptions(arguments=SymbolicArguments(2, 3, 1), stdin=1)),
            "2 to 3 arguments of up to 1 byte, standard input of up to 1 byte, no files",
        ),
        (
            within("main", InputOptions(files=SymbolicFiles(2, 5))),
            "no arguments, an empty standard input, 2 files of up to 5 bytes",
        ),
        (
            within("main", InputOptions(), world=World(arguments=False, variables=True)),
            "standard input of up to 4 bytes, a file of up to 4 bytes, "
            "the environment variables of replay",
        ),
        (
            within("f", InputOptions(), "scalar", world=World(arguments=False)),
            "an empty standard input, no files",
        ),
    ],
)
def test_the_verdict_names_its_bounds(report: Report, sentence: str) -> None:
    assert inputs_within(report) == sentence
    report.verdict = Verdict.EQUIVALENT_WITHIN_BOUNDS
    told = f"Equivalent for {sentence}: no such input distinguishes the versions."
    assert headline(report) == told and looked_for(report) == ""
    report.verdict, report.counters = Verdict.NO_DIFFERENCE_FOUND, {"exhausted": True}
    report.omissions = []
    assert looked_for(report) == f"Looked for in {sentence}; all paths were followed."
    report.omissions = [Entry(Omission(Reason.CUT, "loop bound"), 1)]
    assert looked_for(report) == f"Looked for in {sentence}; not all paths were followed."


@pytest.mark.parametrize(
    ("verdict", "met", "said"),
    [
        (Verdict.EQUIVALENT_WITHIN_BOUNDS, [], True),
        (Verdict.NO_DIFFERENCE_FOUND, [], True),
        (Verdict.EQUIVALENT_WITHIN_BOUNDS, ["c1"], False),
        (Verdict.DIFFERENT, [], False),
    ],
)
@pytest.mark.parametrize("how", ["witnessed", "reached"])
def test_where_nothing_that_changed_has_run_a_verdict_says_so(
    verdict: Verdict, met: list[str], said: bool, how: str
) -> None:
    """By a test, or by a path that became none, as both versions do the same on it."""
    report = Report("old.c", "new.c", verdict=verdict)
    kinds = {"witnessed": [], "reached": [], "infeasible": [], "all": 2}
    report.csg = {"coverage": {"nodes": kinds | {how: met}, "edges": kinds}}
    lines = sequences_covered(report)
    assert any("nothing that changed has run" in each for each in lines) == said


PAIRS = {
    "arguments": (
        "int main(int argc, char **argv) { return argc == 4 ? VALUE : 0; }",
        ("--sym-args", "0", "2", "3"),
        "up to 2 arguments",
    ),
    "fewest arguments": (
        "int main(int argc, char **argv) { return argc == 1 ? VALUE : 0; }",
        ("--sym-args", "1", "2", "3"),
        "1 to 2 arguments",
    ),
    "length of an argument": (
        "#include <string.h>\nint main(int argc, char **argv)\n"
        "{ return argc == 2 && strlen(argv[1]) == 4 ? VALUE : 0; }",
        ("--sym-args", "0", "1", "3"),
        "up to 1 argument of up to 3 bytes",
    ),
    "no arguments": (
        "#include <stdio.h>\nint main(int argc, char **argv)\n"
        "{ return getchar() == 'a' && argc == 2 ? VALUE : 0; }",
        ("--sym-stdin", "3"),
        "no arguments",
    ),
    "standard input": (
        "#include <stdio.h>\nint main(void)\n"
        "{ int n = 0; while (getchar() != EOF) n++; return n == 4 ? VALUE : 0; }",
        ("--sym-stdin", "3"),
        "standard input of up to 3 bytes",
    ),
    "no standard input": (
        "#include <stdio.h>\nint f(int x) { return getchar() == 'a' ? VALUE : 0; }",
        (),
        "an empty standard input",
    ),
    "length of a file": (
        '#include <stdio.h>\nint main(void)\n{ FILE *f = fopen("A", "r"); int n = 0;\n'
        "  if (!f) return 5;\n  while (getc(f) != EOF) n++;\n  return n == 4 ? VALUE : 0; }",
        ("--sym-files", "1", "3"),
        "a file of up to 3 bytes",
    ),
    "files": (
        '#include <stdio.h>\nint f(int x) { return fopen("A", "r") ? VALUE : 0; }',
        (),
        "no files",
    ),
    "environment": (
        '#include <stdlib.h>\nint f(int x) { return getenv("X") ? VALUE : 0; }',
        (),
        "the environment variables of replay",
    ),
    "strings": (
        "#include <string.h>\nint f(const char *s) { return strlen(s) == 4 ? VALUE : 0; }",
        ("--array-len", "3"),
        "strings of up to 3 bytes",
    ),
    "arrays": (
        "int f(int *a, int n)\n{ int s = 0; for (int i = 0; i < n; i++) s += a[i] == 5;\n"
        "  return s == 4 ? VALUE : 0; }",
        ("--array-len", "3"),
        "arrays of up to 3 elements",
    ),
    "arrays that no number counts": (
        "int f(const int *a, int k)\n"
        "{ return k == 77345 ? a[0] + 0 * (VALUE == 4 ? a[2] : 0) : 0; }",
        ("--array-len", "3"),
        "arrays of 3 elements",
    ),
    "arrays of both kinds": (
        "int f(const int *a, const int *b, int n)\n{ int s = a[2] & 1;\n"
        "  for (int i = 0; i < n; i++) s += 2 * (b[i] == 5);\n  return s == 8 ? VALUE : 0; }",
        ("--array-len", "3"),
        "arrays of up to 3 elements, arrays of 3 elements, where no number says how many there are",
    ),
    "an array in a structure": (
        "struct s { int v[40]; };\nint f(struct s *p) { return p->v[16] == 5 ? VALUE : 0; }",
        (),
        "the first 16 elements of an array in them",
    ),
    "depth of structures": (
        "struct n { struct n *next; };\nint f(struct n *p)\n"
        "{ int n = 0; for (; p; p = p->next) n++; return n == 30 ? VALUE : 0; }",
        (),
        "structures without cycles up to {structure_depth} pointers deep",
    ),
    "a depth of structures that is asked for": (
        "struct n { struct n *next; };\nint f(struct n *p)\n"
        "{ int n = 0; for (; p; p = p->next) n++; return n == 7 ? VALUE : 0; }",
        ("--struct-depth", "5"),
        "structures without cycles up to 5 pointers deep",
    ),
    "objects behind a parameter": (
        "struct n { struct n *a, *b, *c; };\nint f(struct n *p)\n"
        "{ int n = 0; for (; p; p = p->a ? p->a : p->b) n++; return n == 17 ? VALUE : 0; }",
        (),
        "up to {objects} objects behind a parameter",
    ),
    "pointers that are null": (
        "struct s { char *a, *b, *c, *d; };\nint f(struct s *p)\n"
        "{ return !p->a && !p->b && !p->c && p->d ? VALUE : 0; }",
        ("--no-native",),  # which tries other ways
        "11 of the 16 ways in which pointers in them are null",
    ),
    "loops": (
        "int f(unsigned x)\n{ unsigned n = 0; while (n < x) n++; return n == 9 ? VALUE : 0; }",
        ("--range", "x=0..8"),
        "x from 0 to 8",
    ),
}


@pytest.mark.parametrize("kind", every(3, PAIRS))
def test_versions_that_differ_just_beyond_a_bound_get_a_verdict_that_names_it(
    kind: str, tmp_path: Path
) -> None:
    """On the console, the page, in report.json and in each export that states a verdict."""
    text, words, said = PAIRS[kind]
    for name, value in (("old.c", "3"), ("new.c", "4")):
        (tmp_path / name).write_text(text.replace("VALUE", value))
    done = csgtest("build", "old.c", "new.c", *words, "--time", "4", folder=tmp_path)
    assert done.code == 0, done
    said = said.format(**claimed(done.report["bounds"]))
    assert said in done.out.partition("\n")[0], done
    folder = tmp_path / "csgtest-out"
    assert said in unescape((folder / "report.html").read_text())
    for form in ("sarif", "junit", "markdown"):
        shown = csgtest("export", folder, "--as", form, folder=tmp_path)
        assert said in unescape(shown.out), (form, shown)
    numbers = re.findall(r"\d+", said)
    held = re.findall(r"\d+", json.dumps(done.report["bounds"]))
    assert not Counter(numbers) - Counter(held)


def test_no_key_is_shown_to_anybody() -> None:
    every = bounds("main", InputOptions(), SearchOptions(), MemoryOptions(), ShadowOptions())
    every |= bounds("f", InputOptions(), SearchOptions(), MemoryOptions(), None, ["g"])
    for facts in (every, asdict(Counters()), {"something_new_s": 3.0}):
        for (key, value), (name, shown) in zip(facts.items(), named(facts), strict=True):
            assert "_" not in name and name != key and name[0].isupper()
            assert "None" not in shown and "[" not in shown and "{" not in shown, (key, value)
    assert named({"time_s": 5.0, "loop_bound": None, "memory": 1 << 30, "paths": 12345}) == [
        ("Time for the search", "5 s"),
        ("Rounds of one loop on a path", "no bound"),
        ("Memory for the search", "1024 MiB"),
        ("Paths followed to their ends", "12,345"),
    ]


def test_events_that_differ_in_one_number_are_one_line() -> None:
    place, other = Location("a.c", 3, 1), Location("a.c", 9, 1)
    ledger = Ledger()
    ledger.entries = {
        Omission(Reason.CUT, f"an allocation of more than {size} bytes", where): count
        for where, sizes in ((place, (64, 1024, 256)), (other, (64, 128)))
        for count, size in enumerate(sizes, 1)
    }
    two = "a loop of {} turns in {} frames"
    ledger.entries |= {Omission(Reason.CUT, two.format(n, n + 1), place): 1 for n in range(3)}
    assert event_notes(ledger) == [
        "a.c:3:1: cut: an allocation of more than 64 to 1024 bytes (6)",
        "a.c:9:1: cut: an allocation of more than 128 bytes (2)",
        *(f"a.c:3:1: cut: {two.format(n, n + 1)} (1)" for n in range(3)),
        "a.c:9:1: cut: an allocation of more than 64 bytes (1)",
    ]
