"""Accepted differences stay accepted whatever happens around them, and hide no other one.

A script of 20 edits is applied to a program that has an accepted difference: to both versions
alike, or to the new one alone, and there only in functions that the accepted change is not in.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

import cli
from csg.errors import UsageError
from csg.programs import Versions
from csg.unify.changes.identities import Identity, identities
from csg.unify.pairs import read_pair, unify_pair
from symexec.ledger import Verdict
from symexec.options import Accepting, BuildOptions, FailOn
from symexec.report.accepting import FILE, accepted_file, read_accepted, read_findings
from symexec.testcases import OutputFolder
from symexec.testcases.store import note_runs, runs_of
from tests.command_line import Done, csgtest, read_report, write_versions
from tests.nightly import daily

EDITS = 20

OTHERS = {
    "low": ["static int low(int n)", "{", "if (n < 3)", "return 1;", "return 0;", "}"],
    "odd": ["static int odd(int n)", "{", "if (n == 77) {", "return 5;", "}", "return 0;", "}"],
    "spare": ["int spare(int n)", "{", "return n + 1;", "}"],
}
LIMIT = ["int limit(int n)", "{", "if (n > 10)", "return 10;", "return n;", "}"]
ENTRY = [
    "int f(int n)",
    "{",
    "int r = limit(n);",
    "r += low(n) * 100;",
    "r += odd(n) * 1000;",
    "return r;",
    "}",
]
ACCEPTED = Identity("limit", "return 10", "return 12")

# Of the new version: a line of a function, and what stands in its place.
NEW_ONES = {
    "elsewhere": ("low", "return 1;", "return 2;"),
    "elsewhere, on inputs where the accepted one shows, too": ("odd", "return 5;", "return 6;"),
    "in the same function": ("limit", "return n;", "return n == 4 ? 44 : n;"),
    "in the same function, above": ("limit", "if (n > 10)", "if (n == 50) return 51; if (n > 10)"),
    "with the accepted one only": ("f", "return r;", "if (n > 10 && r == 12) r = 13; return r;"),
}


@dataclass(slots=True)
class Program:
    """Functions as lines, in order, and how they are set."""

    functions: dict[str, list[str]]
    names: dict[str, str] = field(default_factory=dict)  # what they are called by now
    order: list[str] = field(default_factory=list)
    style: dict[str, int] = field(default_factory=dict)
    first: list[str] = field(default_factory=list)  # lines above all

    def text(self) -> str:
        heads = [self.functions[name][0] + ";" for name in self.order]
        bodies = [self._body(name) for name in self.order]
        text = "\n".join([*self.first, *heads, *bodies]) + "\n"
        for name, now in self.names.items():
            text = re.sub(rf"\b{name}\b", now, text)
        return text

    def _body(self, name: str) -> str:
        lines, style = self.functions[name], self.style.get(name, 0)
        if style == 1:
            return "\n".join(f"      {line}" for line in lines) + "\n"
        if style == 2:  # on few lines
            return " ".join(line for line in lines if not line.startswith("//")) + "\n\n"
        if style == 3:  # each token on its own, nearly
            split = [re.sub(r"([=+*<>(])(?![=+])", "\\1\n", each) for each in lines]
            return "\n".join(
                each if each[:1] == "/" else apart for each, apart in zip(lines, split, strict=True)
            )
        return "\n".join(lines) + "\n"


def program() -> Program:
    functions = {name: list(lines) for name, lines in OTHERS.items()}
    functions |= {"limit": list(LIMIT), "f": list(ENTRY)}
    return Program(functions, order=list(functions))


def pair() -> tuple[Program, Program]:
    old, new = program(), program()
    replaced(new, "limit", "return 10;", "return 12;")
    return old, new


def replaced(one: Program, function: str, before: str, after: str) -> None:
    lines = one.functions[function]
    lines[lines.index(before)] = after


Edit = Callable[[random.Random, list[Program], str, int], None]


def comment(choose: random.Random, versions: list[Program], name: str, number: int) -> None:
    text = choose.choice([f"// {number}; {{", f"/* return {number}; */", "", "/* a\n b */"])
    at = choose.randrange(10)
    for each in versions:
        lines = each.functions[name]
        lines.insert(1 + at % (len(lines) - 1), text)


def reformat(choose: random.Random, versions: list[Program], name: str, number: int) -> None:
    style = choose.choice([0, 1, 2, 3])
    for each in versions:
        each.style[name] = style


def rename(choose: random.Random, versions: list[Program], name: str, number: int) -> None:
    for each in versions:
        if name in OTHERS:
            each.names[name] = f"{name}{number}"


def move(choose: random.Random, versions: list[Program], name: str, number: int) -> None:
    at = choose.randrange(5)
    for each in versions:
        each.order.remove(name)
        each.order.insert(at, name)


def add_lines(choose: random.Random, versions: list[Program], name: str, number: int) -> None:
    for each in versions:
        each.first += [f"#define UNUSED{number} {number}", "", f"int more{number}(int);"]


def add_function(choose: random.Random, versions: list[Program], name: str, number: int) -> None:
    for each in versions:
        added = f"added{number}"
        each.functions[added] = [f"int {added}(int n)", "{", f"return n + {number};", "}"]
        each.order.insert(0, added)


def add_statement(choose: random.Random, versions: list[Program], name: str, number: int) -> None:
    for each in versions:
        lines = each.functions[name]
        added = f"int unused{number} = {number}; (void) unused{number};"
        lines.insert(lines.index("{") + 1, added)


EDITS_OF_TEXT: list[Edit] = [comment, reformat, rename, move, add_lines, add_function]


def edited(seed: int) -> tuple[Program, Program]:
    choose = random.Random(seed)
    old, new = pair()
    for number in range(EDITS):
        edit = choose.choice([*EDITS_OF_TEXT, add_statement])
        if choose.random() < 0.5:
            edit(choose, [old, new], choose.choice([*OTHERS, "limit", "f"]), number)
        else:
            edit(choose, [new], choose.choice(list(OTHERS)), number)
    return old, new


def written(old: Program, new: Program, folder: Path) -> tuple[Path, Path]:
    paths = folder / "old.c", folder / "new.c"
    for path, each in zip(paths, (old, new), strict=True):
        path.write_text(each.text())
    return paths


def searched(old: Program, new: Program, folder: Path, *words: str) -> Done:
    files = written(old, new, folder)
    return csgtest(
        "build", *files, "--entry", "f", "--time", "10", "--no-native", "--quiet", *words,
        folder=folder,
    )  # fmt: skip


@pytest.fixture(scope="module")
def accepted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("accepted")
    assert searched(*pair(), folder).code == 1
    done = csgtest("accept", "g1", "--reason", "as wanted", folder=folder)
    assert done.code == 0, done.err
    return folder / "csgtest-accepted.json"


@pytest.fixture
def place(accepted: Path, tmp_path: Path) -> Path:
    (tmp_path / accepted.name).write_bytes(accepted.read_bytes())
    return tmp_path


def shown(done: Done) -> list[set[str]]:
    """What the rows blame: functions."""
    functions = {change["id"]: change["function"] for change in done.report["changes"]}
    return [
        {functions[each] for each in group["blamed"]}
        for group in done.report["groups"]
        if "accepted" not in group
    ]


def statements_blamed(done: Done) -> list[set[str]]:
    texts = {change["id"]: change["statement"]["new"] for change in done.report["changes"]}
    groups = done.report["groups"]
    return [{texts[e] for e in each["blamed"]} for each in groups if "accepted" not in each]


def named(old: Program, new: Program, folder: Path) -> set[Identity]:
    unified = unify_pair(read_pair(Versions(*written(old, new, folder)).pairs()), "f")
    return set(identities(unified).values())


@pytest.mark.parametrize("seed", daily(range(60), 20))
def test_a_changed_statement_keeps_its_name(seed: int, tmp_path: Path) -> None:
    found = named(*edited(seed), tmp_path)
    assert ACCEPTED in found, found


@pytest.mark.parametrize("seed", daily(range(60), 2))
def test_an_accepted_difference_does_not_come_back(seed: int, place: Path) -> None:
    done = searched(*edited(seed), place)
    assert done.code == 0, done.out + done.err
    assert "as was accepted: 1 difference" in done.out
    group = done.report["groups"][0]
    assert group["accepted"]["reason"] == "as wanted"
    assert "as wanted" in (place / "csgtest-out" / "report.html").read_text()


def test_many_changes_that_show_nothing_bring_nothing_back(place: Path) -> None:
    """More than all subsets of which are asked for what is to blame."""
    old, new = pair()
    for number in range(12):
        name = f"zero{number}"
        for each, zero in ((old, "0"), (new, "n - n")):
            each.functions[name] = [f"int {name}(int n)", "{", f"return {zero};", "}"]
            each.order.insert(0, name)
            each.functions["f"].insert(-2, f"r += {name}(n);")
    done = searched(old, new, place)
    assert len(done.report["changes"]) == 13
    assert done.code == 0, done.out
    replaced(new, "odd", "return 5;", "return 6;")
    done = searched(old, new, place)
    assert done.code == 1 and statements_blamed(done) == [{"return 6"}]


CASES = [(what, seed) for seed in range(40) for what in NEW_ONES]


@pytest.mark.parametrize(
    ("what", "seed"),
    [
        pytest.param(*each, marks=[] if at < len(NEW_ONES) else pytest.mark.night)
        for at, each in enumerate(CASES)
    ],
)
def test_a_new_difference_is_shown(what: str, seed: int, place: Path) -> None:
    old, new = edited(seed + 100)
    function, before, after = NEW_ONES[what]
    replaced(new, function, before, after)
    done = searched(old, new, place)
    assert done.code == 1, done.out + done.err
    rows = statements_blamed(done)
    assert {"return 12"} not in rows, done.out
    assert rows, done.out
    assert all(new.names.get(function, function) in row or function in row for row in shown(done))


TWO_WAYS = (
    "int f(int n) { int t[4] = {1, 2, 3, 4}; int k = (n & 3) + 1; return 12 / k + t[k - 1]; }",
    "int f(int n) { int t[4] = {1, 2, 3, 4}; int k = n & 7; return 12 / k + t[k - 1]; }",
)
ENDINGS = ["division by zero", "index out of bounds"]


@pytest.fixture(scope="module")
def two_ways(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One change that makes the program fail in two ways."""
    folder = tmp_path_factory.mktemp("two ways")
    files = write_versions(folder, *TWO_WAYS)
    assert built(folder, *files).code == 1
    return folder


def built(folder: Path, *words: object) -> Done:
    fixed = ("--entry", "f", "--time", "5", "--no-native", "--quiet")
    return csgtest("build", *words, *fixed, folder=folder)


def test_what_is_accepted_was_listed(two_ways: Path, tmp_path: Path) -> None:
    """A failure of a row and its other failure are shown, listed, accepted and stored."""
    folder = copied(two_ways, tmp_path)
    listed = accept(folder).out
    done = accept(folder, "all")
    (failing,) = (each for each in read_accepted(folder / FILE) if each.kind == "regression")
    assert failing.outputs == {f"new {each}" for each in ENDINGS}
    shown = csgtest("show", folder=folder).out
    for each in ENDINGS:
        assert each in listed and each in done.out and each in shown
    assert "    also f(" in listed and "    also f(" in done.out and "\n  also " in shown


@pytest.mark.parametrize("hidden", ENDINGS)
def test_another_failure_of_the_same_cause_is_shown_again(
    hidden: str, two_ways: Path, tmp_path: Path
) -> None:
    folder = copied(two_ways, tmp_path)
    accept(folder, "all")
    path = folder / FILE
    path.write_text(path.read_text().replace(f'"new {hidden}"', '"new something else"'))
    done = built(folder, *sorted(folder.glob("*.c"), reverse=True))
    assert done.code == 1 and hidden in done.out, done.out
    (other,) = {*ENDINGS} - {hidden}
    assert other not in done.out and "1 difference shown" in done.out, done.out


def test_a_signal_is_the_error_that_a_sanitizer_reports(tmp_path: Path) -> None:
    """A file may be of a machine whose compiler has no sanitizers."""
    form = {"function": "f", "old": "a", "new": "b", "nth": 1}
    entry = {"class": "regression", "entry": "f", "program": "p", "changes": [form],
             "outputs": ["new SIGSEGV", "stdout"], "causes": [[[1]]]}  # fmt: skip
    (tmp_path / FILE).write_text(json.dumps({"csgtest-accepted": 1, "accepted": [entry]}))
    assert [each.outputs for each in read_accepted(tmp_path / FILE)] == [{"new SEGV", "stdout"}]


# ------------------------------------------------------------------------------ the command


def accept(folder: Path, *words: str) -> Done:
    return csgtest("accept", *words, folder=folder)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two differences, one of which needs two changes together."""
    old, new = pair()
    for lines, each in (("int r = limit(n);", old), ("int r = limit(n); int s = 0;", new)):
        replaced(each, "f", "int r = limit(n);", lines)
    replaced(new, "low", "return 1;", "return n == -5 ? -3 : 1;")
    replaced(new, "f", "return r;", "s = r + 310; if (s == 5) __builtin_abort(); return r;")
    folder = tmp_path_factory.mktemp("finished")
    assert searched(old, new, folder).code == 1
    return folder


def copied(folder: Path, to: Path) -> Path:
    shutil.copytree(folder, to, dirs_exist_ok=True)
    return to


def test_differences_are_listed_with_their_ids(finished: Path) -> None:
    done = accept(finished)
    groups = [each["id"] for each in read_report(finished / "csgtest-out")["groups"]]
    assert done.code == 0 and len(groups) >= 2
    assert [line.split()[0] for line in done.out.splitlines() if line[0] != " "] == groups
    assert "limit: return 10 -> return 12" in done.out and not (finished / FILE).exists()


@pytest.mark.parametrize(
    ("kinds", "codes"),
    [
        ((), {"any": 1, "regression": 1, "interaction": 1, "never": 0}),
        (("difference",), {"any": 1, "regression": 1, "interaction": 1, "never": 0}),
        (("regression",), {"any": 1, "regression": 0, "interaction": 0, "never": 0}),
        (("difference", "regression"), dict.fromkeys(("any", "regression", "interaction"), 0)),
    ],
)
def test_what_counts_decides_the_exit_code(
    kinds: tuple[str, ...], codes: dict[str, int], finished: Path
) -> None:
    path = finished / "csgtest-out"
    report, findings = read_findings(path)
    report.verdict = Verdict.DIFFERENT
    entries = [each.entry for each in findings]
    report.accepted = [each for each in entries if each is not None and each.kind in kinds]
    assert {name: int(report.fails(FailOn(name))) for name in codes} == codes


def test_ids_that_are_not_there_are_refused(finished: Path) -> None:
    done = accept(finished, "g1", "g77", "x\x1b[2J")
    assert done.code == 2 and "g77" in done.err and "\x1b" not in done.err
    assert not (finished / FILE).exists()


def test_the_same_is_accepted_once_and_the_order_says_nothing(
    finished: Path, tmp_path: Path
) -> None:
    one, other = copied(finished, tmp_path / "one"), copied(finished, tmp_path / "other")
    accept(one, "1", "2", "g1", "--reason", "why")
    accept(other, "2", "--reason", "why")
    accept(other, "1", "--reason", "why")
    accept(other, "1")
    assert (one / FILE).read_bytes() == (other / FILE).read_bytes()
    assert [each.reason for each in read_accepted(one / FILE)] == ["why", "why"]


def test_it_is_written_where_the_repository_begins(finished: Path, tmp_path: Path) -> None:
    folder = copied(finished, tmp_path / "a" / "b")
    (tmp_path / ".git").mkdir()
    assert accept(folder, "1").code == 0
    assert (tmp_path / FILE).exists() and not (folder / FILE).exists()
    asked = replace(BuildOptions(Path(), Path()), accepting=Accepting())
    before = Path.cwd()
    os.chdir(folder)
    try:
        assert accepted_file(asked) == tmp_path / FILE
    finally:
        os.chdir(before)


def test_what_is_gone_is_stale_and_can_be_pruned(accepted: Path, place: Path) -> None:
    old, new = pair()
    replaced(new, "limit", "return 12;", "return 11;")
    text = (place / FILE).read_text().replace('"summary": "', '"summary": "\\n\\u001b[2J')
    (place / FILE).write_text(text)
    done = searched(old, new, place)
    assert "\\x0a\\x1b[2Jdifference" in done.out
    (entry,) = read_accepted(place / FILE)
    assert done.code == 1 and f"stale in {FILE}: {entry.id}" in done.out
    assert done.report["accepted"]["stale"] == [entry.id]
    assert f"removed {entry.id}" in accept(place, "--prune").out
    assert read_accepted(place / FILE) == ()


def test_what_is_only_not_met_stays(accepted: Path, place: Path) -> None:
    done = searched(*pair(), place, "--range", "n=0..5")
    assert done.code == 0 and "stale" not in done.out
    assert done.report["accepted"] == {"file": FILE, "met": [], "stale": []}
    before = (place / FILE).read_bytes()
    assert "Nothing" in accept(place, "--prune").out
    assert (place / FILE).read_bytes() == before
    assert searched(*pair(), place, "--no-accepted").code == 1


# ---------------------------------------------------------------------------- data of strangers


def damaged(value: Any, choose: random.Random) -> Any:
    """The same with one part of it, however deep, being something else."""
    if not isinstance(value, dict | list) or not value or choose.random() < 0.1:
        return choose.choice([None, -1, 10**30, "\x1b[2Jg1", [], {}, [[]], True, "c\ud800", 1.5])
    key: Any = choose.choice([*value] if isinstance(value, dict) else range(len(value)))
    made = value.copy()
    if choose.random() < 0.1:
        del made[key]
    else:
        made[key] = damaged(value[key], choose)
    return made


def answered(folder: Path, capsys: pytest.CaptureFixture[str], *words: str) -> int:
    code = cli.main(["accept", *words, "--from", str(folder), "--accepted", str(folder / FILE)])
    told = capsys.readouterr()
    assert "Traceback" not in told.err and "\x1b" not in told.out + told.err
    return code


@pytest.mark.parametrize("seed", range(60))
def test_a_report_of_strangers_is_refused_or_read(
    seed: int, finished: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    choose = random.Random(seed)
    value = read_report(finished / "csgtest-out")
    for part in choose.sample(["groups", "changes", "tests", "replay"], 2):
        value[part] = damaged(value[part], choose)
    (tmp_path / "report.json").write_text(json.dumps(value))
    for words in ((), ("1",), ("--prune",)):
        assert answered(tmp_path, capsys, *words) in (0, 2)
    if (tmp_path / FILE).exists():
        read_accepted(tmp_path / FILE)  # what was written can be read


@pytest.mark.parametrize("text", ["", "[" * 100_000, "[]", "{}", '{"tests": 1}', "nul\x00"])
def test_no_report_is_refused(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert answered(tmp_path, capsys) == 2
    (tmp_path / "report.json").write_text(text)
    assert answered(tmp_path, capsys) == 2


@pytest.mark.parametrize("seed", range(60))
def test_a_damaged_file_of_accepted_ones_is_refused_or_read(
    seed: int, accepted: Path, tmp_path: Path
) -> None:
    value = damaged(json.loads(accepted.read_text()), random.Random(seed))
    (tmp_path / FILE).write_text(json.dumps(value))
    try:
        for each in read_accepted(tmp_path / FILE):
            assert each.id
    except UsageError as refused:
        assert "no file of accepted differences" in str(refused)


def test_a_file_that_is_named_has_to_be_there(place: Path) -> None:
    done = searched(*pair(), place, "--accepted", "other.json")
    assert done.code == 2 and "no such file" in done.err
    done = searched(*pair(), place, "--accepted", FILE, "--no-accepted")
    assert done.code == 2


# --------------------------------------------------------------------------- several reports


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which one call has searched two entries."""
    folder = tmp_path_factory.mktemp("several")
    text = "int f(int n) {{ return n > 3 ? {0} : 0; }}\nint g(int n) {{ return n + {0}; }}\n"
    for name, number in (("old.c", 1), ("new.c", 2)):
        (folder / name).write_text(text.format(number))
    out = folder / "csgtest-out"
    OutputFolder(out).close()
    for entry in "fg":
        words = ("--entry", entry, "--time", "5", "--no-native", "--out", out / "lib" / entry)
        assert csgtest("build", "old.c", "new.c", *words, folder=folder).code == 1
    note_runs(out, [out / "lib/f", out / "lib/g"])
    return folder


@pytest.mark.parametrize(
    ("ids", "code", "said"),
    [
        ((), 0, ["lib/f/g1  ", "lib/g/g1  "]),
        (("all",), 0, ["accepted lib/f/g1 as ", "accepted lib/g/g1 as "]),
        (("lib",), 0, ["accepted lib/f/g1 as ", "accepted lib/g/g1 as "]),
        (("lib/g",), 0, ["accepted lib/g/g1 as "]),
        (("lib/f/1", "lib/g/g1"), 0, ["accepted lib/f/g1 as ", "accepted lib/g/g1 as "]),
        (("g1",), 2, ["2 differences are g1", "there are: lib/f/g1, lib/g/g1"]),
        (("lib/f/g7",), 2, ["there is no difference lib/f/g7"]),
    ],
)
def test_differences_of_several_reports(
    ids: tuple[str, ...], code: int, said: list[str], several: Path, tmp_path: Path
) -> None:
    done = csgtest("accept", *ids, "--accepted", tmp_path / "a.json", folder=several)
    assert done.code == code
    for each in said:
        assert each in done.out + done.err
    assert done.out.count("accepted ") == sum("accepted" in each for each in said)


def test_a_list_is_a_screen_and_no_line_of_it_is_long(tmp_path: Path) -> None:
    """Thirty reports of a change of a long statement."""
    long = " + ".join(f"f{number}(n)" for number in range(40))
    line = "int f{0}(int n) {{ return n == {0}; }}\n"
    head = "".join(map(line.format, range(40))) + "int f(int n) { int m = n; return "
    write_versions(tmp_path, f"{head}{long}; }}\n", f"{head}{long} - 1; }}\n")
    words = ("build", "old.c", "new.c", "--entry", "f", "--time", "5", "--no-native")
    done = csgtest(*words, folder=tmp_path)
    assert done.code == 1, done.err
    brief = csgtest("accept", folder=tmp_path).out.splitlines()
    assert brief[0].startswith("g1  difference of f") and max(map(len, brief)) <= 80
    whole = csgtest("accept", "--all", folder=tmp_path).out
    assert f"{long} - 1" in whole
    folders = [tmp_path / "many" / f"run{number:02d}" for number in range(30)]
    for folder in folders:
        shutil.copytree(tmp_path / "csgtest-out", folder)
    note_runs(tmp_path / "many", folders)
    *lines, more = csgtest("accept", "--from", "many", folder=tmp_path).out.splitlines()
    assert (len(lines), more) == (20, "and 40 more lines: --all prints them")
    every = csgtest("accept", "--from", "many", "--all", folder=tmp_path).out.splitlines()
    assert len(every) == 60
    done = csgtest("accept", "all", "--from", "many", folder=tmp_path)
    assert max(map(len, done.out.splitlines()[:-1])) <= 80 and "written to" in done.out


def test_what_is_done_with_several_reports_at_once(several: Path) -> None:
    replayed = csgtest("replay", "csgtest-out", "--all", folder=several)
    *lines, last = replayed.out.splitlines()
    names = {line.split()[0].rpartition("/")[0] for line in lines}
    assert last.startswith(f"{len(lines)} tests: ")
    assert (replayed.code, names) == (1, {"lib/f", "lib/g"})
    exported = csgtest("export", "csgtest-out", "--as", "markdown", folder=several)
    assert exported.code == 0 and "f(" in exported.out and "g(" in exported.out
    emitted = csgtest("emit", "--as", "c", "-o", "kept", folder=several)
    assert emitted.code == 0, emitted
    assert {each.parent.name for each in several.glob("kept/lib/*/*.c")} == {"f", "g"}
    blessed = csgtest("bless", "lib/g/g1", "-o", "kept", folder=several)
    assert blessed.code == 0 and blessed.out.startswith("kept/lib/g: "), blessed
    pruned = csgtest("accept", "--prune", folder=several)
    assert pruned.code == 0, pruned


def test_show_prints_what_the_run_printed(several: Path) -> None:
    words = ("build", "old.c", "new.c", "--entry", "g", "--time", "5", "--no-native")
    first = csgtest(*words, "--out", "again", "--quiet", folder=several)
    done = csgtest("show", "again", folder=several)
    assert (done.code, done.out) == (0, first.out) and "differently" in done.out
    shown = json.loads(csgtest("show", "again", "--json", folder=several).out)
    assert shown == read_report(several / "again")
    done = csgtest("show", folder=several)
    assert done.code == 0, done
    assert [line for line in done.out.splitlines() if line.startswith("lib/")] == [
        "lib/f:",
        "lib/g:",
    ]


def test_show_counts_what_was_accepted_then(several: Path, tmp_path: Path) -> None:
    shutil.copytree(several, tmp_path / "copy")
    folder, words = tmp_path / "copy", ("build", "old.c", "new.c", "--time", "5", "--no-native")
    assert csgtest("accept", "lib/f/g1", "--reason", "so be it", folder=folder).code == 0
    first = csgtest(*words, "--entry", "f", "--out", "one", "--quiet", folder=folder)
    assert "accepted" in first.out
    assert csgtest("show", "one", folder=folder).out == first.out


_NEEDS_REPORTS = (
    ("show",),
    ("replay",),
    ("accept", "--from"),
    ("export", "--as", "markdown"),
    ("emit", "--as", "c"),
)


@pytest.mark.parametrize("words", _NEEDS_REPORTS)
def test_what_is_no_folder_of_reports_is_told_with_what_to_name(
    words: tuple[str, ...], several: Path, tmp_path: Path
) -> None:
    (tmp_path / "store").mkdir()
    (tmp_path / "store/store.sqlite").write_text("")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/csgtest_emitted.json").write_text("{}")
    (tmp_path / "mine").mkdir()
    page = several / "csgtest-out/lib/f/report.html"
    expected = {
        "store": ("'store' is a store", "csgtest show tasks --store store"),
        "tests": ("'tests' holds tests that csgtest emit wrote", "were written from"),
        "mine": ("'mine' is no output folder of csgtest", "csgtest build wrote"),
        str(page): ("is a file", f"name the folder that it is in: {page.parent}"),
    }
    for name, said in expected.items():
        if words == ("show",) and name == "store":
            continue
        done = csgtest(*words, name, folder=tmp_path)
        assert done.code == 2 and all(each in done.err for each in said), done


def test_a_folder_in_the_place_of_another_one_is_told(several: Path, tmp_path: Path) -> None:
    one = several / "csgtest-out/lib/f"
    for words, said in (
        (("accept", one), f"name it so: --from {one}"),
        (("bless", "g1", "-o", one), f"csgtest emit {one} --as c"),
        (("show", "--store", one), f"csgtest show {one} prints"),
        (("show", one, "--run", "1"), "holds no store"),
        (("show", "nothing"), "none of findings, tasks, runs, and no folder"),
    ):
        done = csgtest(*words, folder=tmp_path)
        assert done.code == 2 and said in done.err, done
    assert csgtest("emit", "--as", "c", "-o", "below", folder=several).code == 0
    done = csgtest("bless", "g1", "-o", "below", folder=several)
    assert done.code == 2 and "say of which folder: lib/f/g1, lib/g/g1" in done.err


def test_folders_without_a_note_are_named(several: Path, tmp_path: Path) -> None:
    shutil.copytree(several / "csgtest-out", tmp_path / "csgtest-out")
    (tmp_path / "csgtest-out/runs.json").unlink()
    for words in (("accept",), ("replay", "csgtest-out"), ("emit", "--as", "c", "-o", "kept")):
        done = csgtest(*words, folder=tmp_path)
        assert done.code == 2 and "csgtest-out/lib/f, csgtest-out/lib/g" in done.err, done


@pytest.mark.parametrize("names", ['["../other"]', '["/etc"]', '["a/../../b"]', "[7]", '[""]'])
def test_a_list_of_folders_may_be_a_strangers(names: str, tmp_path: Path) -> None:
    (tmp_path / "runs.json").write_text(f'{{"runs": {names}}}')
    with pytest.raises(UsageError, match="not below it"):
        runs_of(tmp_path)


def test_the_next_run_in_a_folder_is_the_only_one(several: Path, tmp_path: Path) -> None:
    shutil.copytree(several, tmp_path / "copy")
    csgtest("build", "old.c", "new.c", "--entry", "f", "--time", "5", folder=tmp_path / "copy")
    assert runs_of(tmp_path / "copy/csgtest-out") == {"": tmp_path / "copy/csgtest-out"}
