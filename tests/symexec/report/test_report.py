"""report.json, report.html, the table, and what is on disk while a search runs."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import math
import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest

from csg.errors import Location, UsageError
from csg.ir import ChangeInfo
from csg.ir.program import ChangeKind
from csg.programs import SourceFile
from symexec.counters import Counters
from symexec.ledger import Ledger, Omission, Reason, Verdict
from symexec.options import Internal
from symexec.replay import NativeReplay, ReplayPlan
from symexec.report import page as page_module
from symexec.report.facts import nothing_followed
from symexec.report.model import (
    Expected,
    Interaction,
    Reached,
    Report,
    report_from_json,
    report_to_json,
)
from symexec.report.page import highlights, page
from symexec.report.replaying import load_report, replay_folder
from symexec.report.session import LiveReport, finish
from symexec.report.table import aligned, fitted, print_report
from symexec.report.words import (
    blamed_changes,
    contrasted,
    ending,
    file_named,
    folded,
    headline,
    parts,
    reservations,
    short_paths,
)
from symexec.state.state import DivergenceKind
from symexec.testcases import (
    Blame,
    DifferenceKind,
    Divergence,
    LongDouble,
    Observation,
    Observed,
    OutputFolder,
    TestCase,
    TestInput,
    from_json,
)
from symexec.testcases.inputs import Elements
from symexec.testcases.signature import EntrySignature, Step
from symexec.testcases.testcase import OVERDRAWN
from symexec.triage import examine
from symexec.triage.blame import NO_UNIFIED_PROGRAM, Smallest, unfaithful
from symexec.triage.undefined import UNSTABLE
from tests.command_line import csgtest, write_versions

CHANGES = (
    ChangeInfo(
        1, ChangeKind.MODIFIED, "f", Location("new.c", 3), Location("old.c", 3), "a < b", "a <= b"
    ),
    ChangeInfo(2, ChangeKind.ADDED, "f", Location("new.c", 9), None, "", "g();"),
    ChangeInfo(
        3, ChangeKind.TYPE, "f", Location("new.c", 1), Location("old.c", 1), "int x", "long x"
    ),
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def case(name: str, argument: bytes, **fields: object) -> TestCase:
    defaults: dict[str, object] = {
        "sequence": ("c1", "i1"),
        "divergence": Divergence(DivergenceKind.CONTROL, "new.c", 3, "diff-true"),
        "old": Observation(exit=0, stdout=b"fine\n"),
        "new": Observation(signal="SIGABRT", stderr=b"Assertion <failed> & gone"),
        "observed": Observed.DIFFERENT,
        "kind": DifferenceKind.REGRESSION,
        "blame": Blame(((1, 2),), (1, 2)),
        "found_s": 0.42,
    }
    return TestCase(name, TestInput(args=(argument,)), **{**defaults, **fields})  # type: ignore[arg-type]


def report(**fields: object) -> Report:
    defaults: dict[str, object] = {
        "verdict": Verdict.DIFFERENT,
        "changes": CHANGES,
        "interactions": (Interaction("new.c", "f", 12, (1, 2)),),
        "tests": [case("t1", b"100"), case("t2", b"7"), case("t3", b"x", observed=Observed.SAME)],
        "counters": {"paths": 7, "unknown": 2, "gaps": ["strtod"]},
        "sandbox": "landlock",
        "name": "range",
    }
    return Report("old.c", "new.c", **{**defaults, **fields})  # type: ignore[arg-type]


def test_report_json_keeps_its_contract() -> None:
    value = json.loads(json.dumps(report_to_json(report())))
    for key in ("csgtest", "old", "new", "entry", "verdict", "changes", "interactions"):
        assert key in value
    assert set(value["csg"]) == {"nodes", "edges", "start"}
    assert value["changes"][0] == {
        "id": 1,
        "kind": "modified",
        "file": "new.c",
        "function": "f",
        "line": 3,
        "old": "a < b",
        "new": "a <= b",
        "old_file": "old.c",
        "old_line": 3,
    }
    assert [change["kind"] for change in value["changes"]] == ["modified", "added", "modified"]
    assert value["changes"][2]["detail"] == "type"
    test = value["tests"][0]
    assert test["input"] == {"args": ["100"], "stdin": "", "files": {}, "parameters": {}}
    assert test["old"] == {
        "exit": 0,
        "signal": None,
        "stdout": "fine\n",
        "stderr": "",
        "returned": None,
        "sanitizer": None,
    }
    assert (test["class"], test["observed"], test["blamed"]) == ("regression", "different", [1, 2])
    assert test["divergence"]["directions"] == "diff-true"
    assert test["interaction"] is True and test["found_s"] == 0.42
    assert value["groups"][0]["witness"] == "t2" and value["groups"][0]["tests"] == ["t2", "t1"]
    assert from_json(test) == report().tests[0]


def found_by(*sources: str) -> Report:
    """A difference each, with causes of their own."""
    cases = [
        case(
            f"t{line}",
            b"1",
            found_s=float(line),
            source=source,
            blame=Blame(((line,),)),
        )
        for line, source in enumerate(sources, 1)
    ]
    return report(tests=cases, native={"tests": 9}, bounds={"mode": "guided"})


def test_each_difference_and_its_tests_tell_which_phase_was_first() -> None:
    value = report_to_json(found_by("guided", "native"))
    assert [each["found_by"] for each in value["groups"]] == ["guided", "native"]
    assert [each["found_s"] for each in value["groups"]] == [1.0, 2.0]
    assert [each["found_by"] for each in value["tests"]] == ["guided", "native"]
    assert value["native"] == {"tests": 9}
    assert "1 test shows it, first found by native, 2.0 s" in page(found_by("guided", "native"))


def test_a_wide_table_tells_who_was_first_where_it_was_not_always_the_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "90")
    monkeypatch.setenv("NO_COLOR", "1")
    out = Terminal()
    print_report(found_by("guided", "native"), out)
    lines = out.getvalue().splitlines()
    assert lines[1] == "Looked for in every input; not all paths were followed."
    assert lines[2].endswith("new      first found by") and lines[4].endswith("native, 2.0 s")
    alone = io.StringIO()
    print_report(found_by("guided", "guided"), alone)
    assert "first found by" not in alone.getvalue()
    narrow = io.StringIO()
    print_report(found_by("guided", "native"), narrow)
    assert max(map(len, narrow.getvalue().splitlines()[:6])) <= 80


@pytest.mark.parametrize("count", [0, 2])
def test_tests_on_other_branches_than_predicted_are_told_if_there_are_any(count: int) -> None:
    note = "new.c:7: t1, new version, decision 3: predicted true, natively false"
    counters = {"branches_compared": 3, "branch_mismatches": count}
    made = report(counters=counters, notes=[note] * count)
    out = io.StringIO()
    print_report(made, out)
    told = "2 tests took other branches natively than predicted: an error of csgtest."
    for text in (out.getvalue(), page(made)):
        assert (told in text) is (note in text) is bool(count)


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text: list[str] = []
        self.scripts = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert not any(name in ("src", "href") and "//" in (value or "") for name, value in attrs)
        assert tag not in ("link", "img", "iframe")
        self.scripts += tag == "script"
        if tag not in ("meta", "br", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_the_page_is_well_formed_complete_and_self_contained() -> None:
    parsed = Tags()
    whole = page(report(), "<?xml version='1.0'?><svg><text>c1</text></svg>")
    parsed.feed(whole)
    assert parsed.open == [] and parsed.scripts == 1
    script = whole[whole.index("<script>") + 8 : whole.index("</script>")]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'" in whole
    assert page(report()).count("<script") == 1
    text = "".join(parsed.text)
    for expected in (
        "The versions behave differently. 1 difference shown by 2 tests.",
        "./range 7",
        "1 + 2 together",
        "Assertion <failed> & gone",
        "a <= b",
        "new.c:3",
        "no single change does it",
        "2 queries were not answered by the solver",
        "Not modelled: strtod.",
        "Change sequence graph",
    ):
        assert expected in text


def test_a_function_without_a_model_is_named_once() -> None:
    note = "new.c:6:15: unsupported: function 'popen' is not modelled (4)"
    counters = {"gaps": ["fork (2)", "popen (4)"]}
    assert "Not modelled: fork (2)." in reservations(report(counters=counters, notes=[note]))
    assert "Not modelled: fork (2), popen (4)." in reservations(report(counters=counters))
    assert reservations(report(counters={"gaps": ["popen (4)"]}, notes=[note])) == []


def test_the_page_shows_figures_without_brackets_or_quotes() -> None:
    counters = {
        "answered": {"model": 46, "cache": 2},
        "gaps": ["strtod", "glob"],
        "told": [],
        "exhausted": True,
    }
    text = page(report(counters=counters, native={"tests": 9, "exhausted": False}))
    for shown in (
        "model 46, cache 2",
        "strtod, glob",
        "<td>none</td>",
        "<td>yes</td>",
        "<td>no</td>",
    ):
        assert shown in text


def test_a_page_names_files_of_revisions_as_their_users_do() -> None:
    """And a program by its name, not by the folders of the copies."""
    folder = "out/versions/new"
    change = ChangeInfo(
        1, ChangeKind.ADDED, "f", Location(f"{folder}/lib/a.c", 4), None, "", "g();"
    )
    nodes = [
        {"id": name, "kind": kind, "file": f"{folder}/lib/a.c", "line": 4, "text": "g();",
         "changes": [1], "function": "f"}
        for name, kind in (("c1", "change"), ("o1", "output"))
    ]  # fmt: skip
    blame = Blame(((1,),), (1,))
    place = Divergence(DivergenceKind.OUTPUT, f"{folder}/lib/a.c", 4)
    found = case("t1", b"1", blame=blame, sequence=("c1", "o1"), divergence=place)
    made = report(changes=(change,), tests=[found], notes=[f"{folder}/lib/a.c:7: x"], name="cut")
    made.old, made.new, made.csg = "out/versions/old", folder, {"nodes": nodes}
    sides = [
        {f"out/versions/{side}/lib/a.c": [text]} for side, text in (("old", "a"), ("new", "b"))
    ]
    made.sources = (sides[0], sides[1])
    shown = page(made)
    assert "<h1>cut <small>f</small></h1>" in shown or "<h1>cut</h1>" in shown
    main = shown[shown.index("<main>") : shown.index('id="details"')]
    assert "lib/a.c:4" in main and "new lib/a.c:7: x" in main and "versions/" not in main
    for folder in ("out/versions/old", "out/versions/new"):
        assert file_named(f"{folder}/a.c", made) == "a.c"
        assert file_named(f"/home/me/{folder}/a.c", made) == "a.c"  # as a driver includes it
    assert file_named("/usr/include/stdio.h", made) == "/usr/include/stdio.h"
    assert file_named(f"/home/me/drivers/{'0f' * 20}/a.c", made) == "driver of a.c"


def test_a_page_shows_tabs_and_blanks_of_outputs() -> None:
    seen = [Observation(exit=0, stdout=text) for text in (b"a\tb\n", b"a   b\n")]
    shown = page(report(tests=[case("t1", b"1", old=seen[0], new=seen[1])]))
    assert '<td class="shown" data-head="old">exit 0, prints a\\x09b</td>' in shown
    assert '<td class="shown" data-head="new">exit 0, prints a   b</td>' in shown
    assert ".shown { white-space: pre-wrap; }" in shown


def test_a_page_without_differences() -> None:
    text = page(report(verdict="no-change", tests=[], finished=True))
    assert "No difference." in text and "not finished" not in text


def test_what_the_tests_visited_stands_out_in_the_picture() -> None:
    known = highlights(report())
    sequences = [case.sequence for case in report().tests if case.new is not None]
    assert known.nodes == {name for sequence in sequences for name in sequence} != set()
    assert known.critical and all(sequence in sequences for sequence in known.critical)
    passing = case("t1", b"", new=Observation(), sequence=("c1", "o1", "c2", "o2", "o3"))
    assert highlights(report(tests=[passing])).edges == {
        ("c1", "o1"),
        ("c1", "c2"),
        ("c2", "o2"),
        ("c2", "o3"),
    }
    coverage = {"nodes": {"witnessed": ["c1"]}, "edges": {"witnessed": [["c1", "c2"]]}}
    known = highlights(report(csg={"nodes": [], "coverage": coverage}))
    assert known.nodes == {"c1"} and known.edges == {("c1", "c2")}


def test_nothing_a_program_prints_becomes_markup() -> None:
    evil = Observation(exit=0, stdout=b"<script>alert(1)</script>\x00\xff")
    text = page(report(tests=[case("t1", b"<b>", new=evil)]))
    assert text.count("<script>") == 1 and "<b>'" not in text
    assert "&lt;script&gt;" in text and "\\x00\\xff" in text


def test_the_table_has_a_row_for_each_group() -> None:
    out = io.StringIO()
    print_report(report(), out)
    lines = out.getvalue().splitlines()
    assert lines[0] == "The versions behave differently. 1 difference shown by 2 tests."
    assert lines[1].split() == ["class", "blamed", "tests", "input", "old", "new"]
    cells = "regression", "1 + 2 together", "2", "./range 7", "exit 0, prints fine", "SIGABRT"
    assert [cell.strip() for cell in lines[2].split("  ") if cell] == [*cells]
    assert lines[3:5] == [
        "  change 1  new.c:3  a < b  ->  a <= b",
        "  change 2  new.c:9  added  g();",
    ]
    assert "\x1b" not in out.getvalue()


TWO_WAYS = [
    case("t1", b"7", old=Observation(exit=0, returned="1"), new=Observation(sanitizer="SEGV")),
    case("t2", b"100", new=Observation(sanitizer="<heap>")),
    case("t3", b"101", new=Observation(sanitizer="<heap>")),
]


def test_a_further_way_in_which_a_difference_shows_has_a_line() -> None:
    out = io.StringIO()
    print_report(report(tests=TWO_WAYS), out)
    lines = [re.split("  +", each) for each in out.getvalue().splitlines()]
    assert [each[2:6] for each in lines[2:3]] == [["3", "./range 7", "returns 1", "SEGV"]]
    assert lines[3] == ["", "also", "2", "./range 100", "exit 0, prints fine", "<heap>"]
    written = report_to_json(report(tests=TWO_WAYS))["groups"]
    assert [each["also"] for each in written] == [
        [{"test": "t2", "outputs": ["new <heap>"], "tests": 2}]
    ]
    shown = page(report(tests=TWO_WAYS), None)
    assert shown.count("./range 100") == 3  # in the table, with the difference, among its tests
    assert "<heap>" not in shown and "It also shows so, in 2 tests" in shown


def test_no_more_differences_than_a_screen_holds_are_shown_with_all_of_their_lines() -> None:
    """What is not shown are differences, and not lines."""
    tests = [
        replace(each, id=f"{each.id}-{number}", blame=Blame(((number,),)))
        for number in range(15)
        for each in TWO_WAYS
    ]
    out = io.StringIO()
    print_report(report(tests=tests), out, everything=False)
    rows = [line for line in out.getvalue().splitlines() if "./range" in line]
    assert rows[1::2] == [line for line in rows if line.startswith("  also")] and rows
    assert f"  and {15 - len(rows) // 2} more differences: --all prints them" in out.getvalue()


@pytest.mark.parametrize("kinds", [{"memory"}, {"stderr"}, {"files"}, {"result"}, {"stdout"}])
def test_what_is_asked_for_is_shown_rather_than_other_parts(kinds: set[str]) -> None:
    old = Observation(0, None, b"a", b"b", "1", memory=(("p", 4),), files=(("F", b"c"),))
    new = Observation(0, None, b"A", b"B", "2", memory=(("p", 5),), files=(("F", b"C"),))
    words = {"memory": "p: 5", "stderr": "says B", "files": "leaves F: C", "stdout": "prints A"}
    assert words.get(*kinds, "returns 2") in contrasted(old, new, kinds)[1]


PAGE = b"<html>\n<head>\n" + 50 * b"<p>the same</p>\n"


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ({"stdout": b"1\n"}, {"stdout": b"2\n"}, ("exit 0, prints 1", "exit 0, prints 2")),
        ({"stdout": b"1\n"}, {}, ("exit 0, prints 1", "exit 0")),
        (
            {"stdout": PAGE + b"<b>x</b>"},
            {"stdout": PAGE + b"<i>x</i> " + 20 * b"more "},
            (
                "exit 0, prints ...e same</p> | <b>x</b>",
                "exit 0, prints ...e same</p> | <i>x</i> more more more...",
            ),
        ),
        (
            {"stdout": PAGE},
            {"stdout": PAGE, "exit": 3},
            (
                "exit 0, prints <html> | <head> | <p>the same</p> | <...",
                "exit 3, prints <html> | <head> | <p>the same</p> | <...",
            ),
        ),
        ({"stdout": b"a\n"}, {"stdout": b"a"}, ("exit 0, prints a\\n", "exit 0, prints a")),
        (
            {"stdout": 40 * b"x" + "ä".encode()},
            {"stdout": 40 * b"x" + "ö".encode()},
            ("exit 0, prints ...xxxxxxxxxxxä", "exit 0, prints ...xxxxxxxxxxxö"),
        ),
        (
            {"stderr": b"p: no such word"},
            {"stderr": b"p: no such line"},
            ("exit 0, says p: no such word", "exit 0, says p: no such line"),
        ),
        ({"stderr": b"oh"}, {}, ("exit 0, says oh", "exit 0, says nothing")),
        (
            {"files": (("A", b"1"), ("B", b"2"))},
            {"files": (("A", b"1"), ("C", b""))},
            ("exit 0, leaves B: 2", "exit 0, leaves no B"),
        ),
        (
            {"stdout": b"1", "files": (("A", b"1"),)},
            {"stdout": b"1", "files": (("A", b"2"),)},
            ("exit 0, leaves A: 1", "exit 0, leaves A: 2"),
        ),
    ],
)
def test_the_table_shows_where_two_runs_differ(
    old: dict[str, object], new: dict[str, object], shown: tuple[str, str]
) -> None:
    runs = [Observation(**{"exit": 0, **fields}) for fields in (old, new)]  # type: ignore[arg-type]
    assert contrasted(*runs) == shown


@pytest.mark.parametrize(
    ("seen", "shown"),
    [
        (Observation(exit=3), {"ends": "exit 3"}),
        (Observation(exit=0, returned="7"), {"ends": "returns 7"}),
        (Observation(exit=0, returned='"7"'), {"ends": 'returns "7"'}),
        (Observation(exit=0, returned='""'), {"ends": 'returns ""'}),
        (Observation(exit=0, returned="void"), {"ends": "returns"}),
        (Observation(signal="SIGABRT"), {"ends": "SIGABRT"}),
        (Observation(sanitizer="heap-use-after-free"), {"ends": "heap-use-after-free"}),
        (Observation(timed_out=True), {"ends": "does not end"}),
        (Observation(timed_out=True, cpu_s=2.0), {"ends": "still runs after 2.0 s"}),
        (Observation(exit=0, leaks=2), {"ends": "exit 0, 2 objects lost"}),
        (Observation(exit=0, stdout=b"\xff\n"), {"ends": "exit 0", "stdout": "\\xff\n"}),
        (Observation(exit=0, stderr=b"\x1b[2J"), {"ends": "exit 0", "stderr": "\\x1b[2J"}),
        (Observation(exit=0, files=(("a\n", b""),)), {"ends": "exit 0", "file a\\x0a": ""}),
        *(
            (
                Observation(exit=0, returned="1", memory=(("p->n", value),)),
                {"ends": "returns 1", "p->n after the call": text},
            )
            for value, text in [
                (5, "5"),
                (-1.5, "-1.5"),
                (math.inf, "INFINITY"),
                (LongDouble("0.1"), "0.1L"),
                (b"ab", "ab"),
                (b"[freed]", "[freed]"),
                ((1, 2), "(int[]) {1, 2}"),
                ((), "as it was"),
                (Elements(3), "3 elements"),
                (None, "NULL"),
            ]
        ),
        (Observation(exit=0, report=" at a.c:3\n"), {"ends": "exit 0", "report": "at a.c:3"}),
    ],
)
def test_each_kind_of_observation_is_in_words_of_c(
    seen: Observation, shown: dict[str, str]
) -> None:
    assert dict(parts(seen)) == shown


def test_changes_with_one_cause_are_one_line_of_the_table() -> None:
    """A member more of a structure changes every statement that uses it."""
    folder = "out/versions/new"
    cause = f"struct s ({folder}/s.h:2): 'int a' became 'int a; int b'"
    uses = [
        ChangeInfo(each, ChangeKind.TYPE, "f", Location(f"{folder}/a.c", each), None, "s->a",
                   "s->a", cause=cause)
        for each in (1, 2, 3, 5)
    ]  # fmt: skip
    own = ChangeInfo(4, ChangeKind.ADDED, "f", Location(f"{folder}/a.c", 4), None, "", "g();")
    changes = tuple(sorted([*uses, own], key=lambda change: change.id))
    blame = Blame((tuple(range(1, 6)),), tuple(range(1, 6)))
    made = report(
        changes=changes, tests=[case("t1", b"1", blame=blame)], notes=[f"{folder}/a.c:7: x"]
    )
    made.old, made.new = "out/versions/old", folder
    shown = io.StringIO()
    print_report(made, shown)
    row, *lines = shown.getvalue().splitlines()[2:]
    assert "1-5 together" in row
    assert lines[:2] == [
        "  changes 1, 2, 3, 5  a.c:1  by struct s (new s.h:2): 'int a' became 'int a; int b'",
        "  change 4            a.c:4  added  g();",
    ]
    assert "  new a.c:7: x" in lines


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("x = 1;", "x = 2;", "x = 1;  ->  x = 2;"),
        ("x = 1;", "x = first(one, two, three);", "x = 1;  ->  x = first(one, two, three);"),
        (
            'printf("%ld\\n", LIMIT(v, 10));',
            'printf("%ld\\n", LIMIT(v, 11));',
            "...LIMIT(v, 10));  ->  ...LIMIT(v, 11));",
        ),
        (
            "if (is_digit(text[0][0]))",
            "if (is_digit(text[0][0]) || text[0][0] == '+')",
            "...text[0][0]))  ->  ...text[0][0]) || text...",
        ),
        # Texts that are cut where they still are alike.
        (
            'printf("Usage: a long text that goes on ...',
            'printf("Usage: a long text that goes on ...',
            'printf("Usage: a long ...  ->  printf("Usage: a long ...',
        ),
    ],
)
def test_two_statements_are_shown_where_they_differ(old: str, new: str, shown: str) -> None:
    change = ChangeInfo(1, ChangeKind.MODIFIED, "f", Location("a.c", 3), None, old, new)
    made = report(changes=(change,), tests=[case("t1", b"1", blame=Blame(((1,),), (1,)))])
    out = io.StringIO()
    print_report(made, out)
    (line,) = (each for each in out.getvalue().splitlines() if each.startswith("  change 1 "))
    assert line == f"  change 1  a.c:3  {shown}"
    assert len(line) <= 80


def test_changes_that_are_not_listed_are_counted() -> None:
    changes = tuple(
        ChangeInfo(each, ChangeKind.ADDED, "f", Location("a.c", each), None, "", "g();")
        for each in range(1, 12)
    )
    ids = tuple(range(1, 12))
    made = report(changes=changes, tests=[case("t1", b"1", blame=Blame((ids,), ids))])
    shown = io.StringIO()
    print_report(made, shown)
    assert "  change 8  a.c:8  added  g();\n  3 more changes to blame\n" in shown.getvalue()


@pytest.mark.parametrize(
    ("folder", "place"),
    [
        ("out/versions", "src/parts/a.c:3"),
        ("/home/u/out/versions", "src/parts/a.c:3"),
        ("/home", "a.c:3"),
    ],
)
def test_changes_have_the_places_that_other_lines_have(folder: str, place: str) -> None:
    where = Location(f"{folder}/new/src/parts/a.c", 3)
    change = ChangeInfo(1, ChangeKind.ADDED, "f", where, None, "", "g();")
    made = report(changes=(change,), tests=[case("t1", b"1", blame=Blame(((1,),), (1,)))])
    made.old, made.new = f"{folder}/old", f"{folder}/new"
    if folder == "/home":
        made.old = "/usr/old"
    assert blamed_changes(made) == [f"change 1  {place}  added  g();"]


REASONS = (
    "the unified program cannot be built: ld returned 1",
    NO_UNIFIED_PROGRAM,
    unfaithful(False, ("stdout",)),
    unfaithful(True, ("exit", "stdout")),
    Smallest((), False, ended=True).why_empty,
    Smallest((), True).why_empty,
    UNSTABLE,
)


@pytest.mark.parametrize("reason", REASONS)
def test_why_nothing_is_blamed_is_told_once(reason: str) -> None:
    """Of a group, whichever of its tests it was found out with."""
    known = Blame(complete=False, note=reason)
    unknown = [case("t1", b"", blame=None), case("t2", b"71", blame=known)]
    other = case("t3", b"8", kind=DifferenceKind.FIX, blame=known, new=Observation(exit=3))
    shown = io.StringIO()
    made = report(tests=[*unknown, other], finished=True)
    print_report(made, shown)
    assert " ".join(shown.getvalue().split()).count(f"Changes to blame unknown: {reason}.") == 1
    assert "no time was left" not in shown.getvalue()
    assert f"Changes to blame unknown: {reason}." in unescape(page(made))


def test_an_internal_difference_that_an_api_reaches_is_read_back() -> None:
    reached = {"t2": Reached("api", "api(1)", "t9", "../api", DifferenceKind.REGRESSION)}
    internal = Internal("f is static (a.c:3)", ())
    made = report(internal=internal, reached=reached)
    value = json.loads(json.dumps(report_to_json(made)))
    assert report_from_json(value).reached == reached


@pytest.mark.parametrize(("finished", "words"), [(True, "no time was left"), (False, "so far")])
def test_what_was_not_explained_when_the_time_was_over(finished: bool, words: str) -> None:
    other = Observation(exit=3)
    unknown = [case("t1", b"7", blame=None), case("t2", b"8", blame=None, new=other)]
    shown = io.StringIO()
    print_report(report(tests=unknown, finished=finished), shown)
    assert shown.getvalue().count(f"was not looked into{':' * finished} {words}.\n") == 1


KINDS = {each.value for each in DifferenceKind if each.is_difference}
KINDS |= {f"internal-{each}" for each in KINDS}


def test_on_a_terminal_there_are_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.delenv("NO_COLOR", raising=False)
    out = Terminal()
    print_report(report(), out)
    assert "\x1b[" in out.getvalue() and "regression" in out.getvalue()


def test_a_table_is_never_wider_than_its_terminal() -> None:
    heads = ("class", "blamed", "tests", "input", "old", "new", "sequence")
    short = ("fix", "1", "2", "f(1)", "returns 1", "returns 2", "c1")
    assert fitted([heads, short], 80, 1, 3)[1].split()[-1] == "c1"
    long = (
        "regression",
        "1 + 3 + 5 + 7 + 9",
        "2",
        "./cut " + "-f1 " * 60,
        "exit 0",
        "SIGABRT",
        "c1",
    )
    lines = fitted([heads, short, long], 80, 1, 3)
    assert max(map(len, lines)) <= 80
    assert lines[0].split() == ["class", "blamed", "tests", "input,", "old,", "new"]
    assert lines[1].split() == ["fix", "1", "2", "f(1)"]
    assert [line.strip() for line in lines[2:4]] == ["old  returns 1", "new  returns 2"]
    assert lines[-1].strip() == "new  SIGABRT" and "..." in lines[-3]
    assert all(len(line) <= 60 for line in fitted([heads, short, long], 60, 1, 3))


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_class_is_one_word_and_a_long_input_shows_how_the_program_is_called(kind: str) -> None:
    heads = ("class", "blamed", "tests", "input", "old", "new", "sequence")
    text = "printf '" + "a long line of a file\\n" * 40 + "' > A; ./cut -f1 A"
    row = (kind, "1 + 3 + 5 + 7 + 9 together", "2", text, "exit 0", "SIGABRT", "c1")
    lines = fitted([heads, row], 80, 1, 3)
    assert lines[1].split()[0] == kind and max(map(len, lines)) <= 80
    (cut,) = [line for line in lines if "..." in line]
    assert cut.endswith("A; ./cut -f1 A")


def test_columns_are_aligned() -> None:
    assert aligned([("a", "bb"), ("ccc", "d")]) == ["a    bb", "ccc  d"]


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_running_search_is_on_disk_within_a_second(tmp_path: Path) -> None:
    clock = Clock()
    running = report(tests=[], verdict="no-difference-found")

    def on_disk() -> list[str]:
        value = json.loads((tmp_path / "report.json").read_text())
        assert value["finished"] is False
        return [test["id"] for test in value["tests"]]

    with OutputFolder(tmp_path) as folder:
        live = LiveReport(folder, running, clock=clock)
        live.add(case("t1", b"1", observed=Observed.NOT_REPLAYED, kind=None))
        assert on_disk() == ["t1"] and running.verdict == "no-difference-found"
        clock.now = 0.5
        live.add(case("t2", b"2"))
        assert on_disk() == ["t1"]  # report.json waits, the log does not
        assert [each.id for each in folder.load_tests()] == ["t1", "t2"]
        assert "changes to blame: 1 + 2 together" in (tmp_path / "tests" / "t2.txt").read_text()
        clock.now = 1.1
        live.add(case("t1", b"1"))
        assert on_disk() == ["t1", "t2"] and running.verdict == "different"
        assert running.tests[0].observed == "different"
        finish(folder, running)
    value = json.loads((tmp_path / "report.json").read_text())
    assert value["finished"] is True
    assert from_json(json.loads((tmp_path / "tests" / "t1.json").read_text())) == running.tests[0]
    assert (tmp_path / "report.html").read_text().startswith("<!DOCTYPE html>")


OLD = '#include <stdio.h>\nint main(int c, char **v) { puts(c > 1 ? v[1] : "-"); return 0; }\n'
NEW = OLD.replace("return 0", "return c > 1")


@pytest.fixture
def finished(tmp_path: Path) -> Iterator[Path]:
    write_versions(tmp_path, OLD, NEW)
    out = tmp_path / "out"
    done = Report("old.c", "new.c", directory=str(tmp_path), name="p")
    old, new = (SourceFile(tmp_path / name) for name in ("old.c", "new.c"))
    done.old_files, done.new_files = (old,), (new,)
    plan = ReplayPlan((old,), (new,), name="p")
    with NativeReplay(plan) as replay, OutputFolder(out) as folder:
        live = LiveReport(folder, done)
        live.add(examine(TestCase("t1", TestInput(args=(b"a",))), replay, ()))
        live.add(examine(TestCase("t2", TestInput()), replay, ()))
        finish(folder, done)
    yield out


def test_a_folder_can_be_replayed(finished: Path) -> None:
    outcomes = {each.case.id: each.outcome for each in replay_folder(finished)}
    assert outcomes == {"t1": "confirmed", "t2": "same"}


def test_what_varied_is_not_looked_for_as_text(finished: Path) -> None:
    """A test holds marks where its program number and an address stood; what stands around them,
    and how it ends, counts as ever."""
    old, new = (finished.parent / f"{name}.c" for name in ("old", "new"))
    text = """#include <stdio.h>
    #include <unistd.h>
    int main(int c, char **v)
    {
        fprintf(stderr, "%p", (void *) &c);
        printf("I am %d, sum %d\\n", (int) getpid(), c + 1);
        return c;
    }
    """
    old.write_text(text)
    new.write_text(text.replace("c + 1", "c + 2"))
    report = load_report(finished)
    report.tests.clear()
    plan = ReplayPlan(report.old_files, report.new_files, name="p")
    with NativeReplay(plan) as replay, OutputFolder(finished) as folder:
        live = LiveReport(folder, report)
        live.add(examine(TestCase("t1", TestInput()), replay, ()))
        finish(folder, report)
    (case,) = report.tests
    assert case.old is not None and case.old.stdout == b"I am [varies], sum 2\n"
    assert [each.outcome for each in replay_folder(finished)] == ["confirmed"]
    for before, after in (("I am", "I was"), ("sum", "sum "), ("return c", "return c + 1")):
        old.write_text(text.replace(before, after))
        assert [each.outcome for each in replay_folder(finished)] == ["different"], after
    old.write_text(text.replace("(int) getpid()", "17"))  # it does not vary any more
    assert [each.outcome for each in replay_folder(finished)] == ["confirmed"]


def test_a_mended_program_is_seen(finished: Path) -> None:
    (finished.parent / "new.c").write_text(OLD)
    assert [each.outcome for each in replay_folder(finished)] == ["same", "same"]
    (finished.parent / "new.c").write_text(OLD.replace("return 0", "return 5"))
    assert [each.outcome for each in replay_folder(finished)] == ["different", "different"]


def test_replay_wants_a_folder_of_ours(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no output folder"):
        list(replay_folder(tmp_path))
    OutputFolder(tmp_path).close()
    with pytest.raises(UsageError, match="cannot read"):
        list(replay_folder(tmp_path))
    (tmp_path / "report.json").write_text('{"old": 1}')
    with pytest.raises(UsageError, match="no report of csgtest"):
        list(replay_folder(tmp_path))


@pytest.mark.parametrize("part", ["name", "size", "signed", "bits"])
def test_a_signature_of_a_stranger_is_looked_at(finished: Path, part: str) -> None:
    file = finished / "report.json"
    report = json.loads(file.read_text())
    number = {"kind": "scalar", "element": "int", "size": 4, "width": 32, "name": "x", part: {}}
    signature = {"name": "f", "result": None, "parameters": [number], "globals": []}
    report["replay"]["signature"] = signature
    file.write_text(json.dumps(report))
    with pytest.raises(UsageError, match=f"no report of csgtest.*{part} of a parameter"):
        list(replay_folder(finished, trusts=lambda reason, elsewhere: True))


@pytest.mark.parametrize(
    "left", ["cuts", "unsupported", "unknown", "dropped", "concretised", "gaps", "diff_paths"]
)
def test_what_weakens_a_verdict_is_told(left: str) -> None:
    """Every counter that ``BuildJob`` asks before it says that versions are equivalent."""
    made = report(bounds={"after": "new"}, counters={left: ["f (1)"] if left == "gaps" else 1})
    assert reservations(made) and not reservations(report(counters={left: 0}))


@pytest.mark.parametrize(
    ("sandbox", "told"),
    [
        ("", "1 test was not run natively."),
        ("namespaces", "1 test was not run natively: the time was over."),
    ],
)
def test_a_test_that_has_not_run_is_told_with_the_reason(sandbox: str, told: str) -> None:
    test = case("t1", b"1", observed=Observed.NOT_REPLAYED)
    made = report(tests=[test], sandbox=sandbox, counters={})
    assert reservations(made) == [told]


def test_paths_on_which_both_versions_fail_are_told_with_their_places() -> None:
    one = report(counters={"both_fail": ["out-of-bounds at a.c:2:5 (1)"]})
    told = "On 1 path both versions fail alike, and end there: out-of-bounds at a.c:2:5."
    assert reservations(one) == [told]
    places = [f"null at a.c:{line}:1 ({line})" for line in (1, 2, 3, 10)]
    (told,) = reservations(report(counters={"both_fail": places}))
    assert told.startswith("On 16 paths") and "a.c:10:1, null at a.c:3:1 and 2 places" in told


@pytest.mark.parametrize(("exhausted", "when"), [(0, " before the time was over"), (1, "")])
def test_the_first_line_says_whether_tests_were_left_for_want_of_time(
    exhausted: int, when: str
) -> None:
    test = case("t1", b"1", observed=Observed.NOT_REPLAYED)
    made = report(verdict=Verdict.NO_DIFFERENCE_FOUND, tests=[test], finished=True)
    made.counters = {"exhausted": exhausted}
    assert headline(made) == f"No difference is confirmed{when}: 1 test did not run natively."


def test_a_path_that_was_left_where_nothing_differs_was_followed() -> None:
    omission = Omission(Reason.UNSUPPORTED, "waiting for a signal", Location("new.c", 3))
    ledger = Ledger({omission: 1})
    assert nothing_followed(Counters(unsupported=1, ledger=ledger)) is not None
    for counted in (Counters(dropped=6), Counters(pruned=1), Counters(paths=1)):
        assert nothing_followed(replace(counted, ledger=ledger)) is None


@pytest.mark.parametrize(
    ("old", "new", "told", "shown"),
    [
        (
            "/a/b/old.c",
            "/a/b/new.c",
            "/a/b/new.c:3: /a/b/x.h /c/a/b/y.h",
            "new.c:3: x.h /c/a/b/y.h",
        ),
        ("p/v1", "p/v2", "p/v1/a.c:1 and p/v2/a.c:1", "v1/a.c:1 and v2/a.c:1"),
        ("o/versions/old", "o/versions/new", "o/versions/new/a.c:1", "new a.c:1"),
        (
            "o/versions/old",
            "o/versions/new",
            "null at /c/o/versions/new/a.c:1",
            "null at new a.c:1",
        ),
        ("o/versions/old", "o/versions/new", "/c/o/versions/old/a.c, x/y", "old a.c, x/y"),
        ("/c/versions/old", "/c/versions/new", "at /c/versions/new/a.c:1", "at new a.c:1"),
        ("old.c", "new.c", "src/new.c:1", "src/new.c:1"),
        ("old.c", "new.c", f"/c/drivers/{'0f' * 20}/new.c:9: why", "driver of new.c:9: why"),
        ("/old.c", "/x/new.c", "/x/new.c:1", "/x/new.c:1"),
    ],
)
def test_paths_are_seen_from_where_both_versions_lie(
    old: str, new: str, told: str, shown: str
) -> None:
    assert short_paths(told, Report(old, new)) == shown


def test_all_links_to_tests_lead_to_files(tmp_path: Path) -> None:
    """Of the tests of one difference a few have files, and those alone are links."""
    text = "int f(int n)\n{\n    int s = 0;\n    for (int i = 0; i < n && i < 20; i++)\n"
    text += "        s += i;\n    return s;\n}\n"
    write_versions(tmp_path, text, text.replace("return s", "return s + 1"))
    done = csgtest("build", "old.c", "new.c", "--entry", "f", "--time", "10", folder=tmp_path)
    shown = (tmp_path / "csgtest-out/report.html").read_text()
    links = set(re.findall(r'href="(tests/[^"]*)"', shown))
    assert links and len(done.report["groups"][0]["tests"]) > len(links)
    assert [each for each in links if not (tmp_path / "csgtest-out" / each).is_file()] == []


def test_links_to_nodes_without_room_are_none() -> None:
    known = '<article id="node-c1"></article>'
    text = f'{known}<a href="#node-c1">c1</a> <a href="#node-d2">d2</a>'
    assert page_module._linked(text) == f'{known}<a href="#node-c1">c1</a> d2'


def test_what_is_expected_of_several_inputs_is_told_once() -> None:
    names = ("a", "b", "c", "d", "e", "e_")
    null = [Expected(f"{each} is not null", "it is used first", "n.c", 3) for each in names]
    others = [
        Expected("f is not null", "it is used first", "n.c", 4),
        Expected("n <= bytes of a", "a[i] stands below n", "n.c", 5),
        Expected("n_ <= bytes of a_", "a_[i] stands below n_", "n.c", 5),
        Expected("p leads to one int", "neither version uses more of it", "n.c", 6),
        Expected("q leads to one int", "neither version uses more of it", "n.c", 6),
        Expected("r leads to one long", "neither version uses more of it", "n.c", 6),
    ]
    report = Report("old.c", "new.c", "f", preconditions=[*null, *others])
    shown = list(map(str, folded(report)))
    assert shown == [
        "a, b, c, d and 2 more are not null (n.c:3: they are used first)",
        "f is not null (n.c:4: it is used first)",
        "n <= bytes of a (n.c:5: a[i] stands below n)",
        "n_ <= bytes of a_ (n.c:5: a_[i] stands below n_)",
        "p, q lead to one int (n.c:6: neither version uses more of each)",
        "r leads to one long (n.c:6: neither version uses more of it)",
    ]
    report.signature = EntrySignature("f", steps=(Step("f({a})"), Step("f({a_})")))
    shown = list(map(str, folded(report)))
    assert len(shown) == 5 and shown[0].startswith("a, b, c, d and 1 more are not null")
    assert "n <= bytes of a (n.c:5: a[i] stands below n)" in shown


@pytest.mark.parametrize(
    ("seen", "said"),
    [
        (Observation(timed_out=True, cpu_s=1.0), "still runs after 1.0 s"),
        (Observation(timed_out=True), "does not end"),
        (
            Observation(timed_out=True, cpu_s=0.0, report=OVERDRAWN),
            "fills more memory than a run may have",
        ),
    ],
)
def test_how_a_run_that_was_cut_off_ended(seen: Observation, said: str) -> None:
    assert ending(seen) == said
