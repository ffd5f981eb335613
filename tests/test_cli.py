"""Calls are read as meant, and wrong ones end with one clear message and exit code 2."""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
import termios
from pathlib import Path

import pytest

import cli
from csg.errors import UsageError
from symexec.options import (
    Accepting,
    AcceptOptions,
    After,
    BuildOptions,
    CompareOptions,
    ExploreOptions,
    FailOn,
    Globals,
    GraphFormat,
    GraphKind,
    GraphOptions,
    InputOptions,
    NamedFile,
    Range,
    ReplayOptions,
    RunOptions,
    SearchOptions,
    SolverName,
    SymbolicArguments,
    SymbolicFiles,
    UnifyOptions,
)
from symexec.options.arguments import parse
from symexec.options.commands import COMMANDS
from symexec.options.definitions import ANNOTATION, FILES, GOLDEN
from symexec.progress import (
    COMPARING,
    EXPLAINING,
    MINIMISING,
    SEARCHING,
    LiveLine,
    PlainLines,
    Standing,
    sentence,
)
from tests.command_line import csgtest
from tests.nightly import daily

ROOT = Path(__file__).parent.parent


def test_a_plain_build_has_the_defaults_of_the_records() -> None:
    call = parse(["build", "old.c", "new.c"])
    assert call.options == BuildOptions(Path("old.c"), Path("new.c"))
    assert not call.json


def test_every_option_of_build_reaches_its_record() -> None:
    words = """build a.c b.c --entry f --time 2.5 --seed 7 --mode isolated
        --without guards,turns --range x=-1..0x10 --range y=3..3 --assume x<y
        --symbolic-global g --globals initial --sym-args 0 2 3 --sym-stdin 4 --sym-files 2 5
        --sym-file c/d=3 --array-len 6 --struct-depth 5 --loop-bound 9
        --solver z3 --after new --out o --json
        --no-replay --unprotected-replay -- -DA -I x --"""
    assert parse(words.split()).options == BuildOptions(
        Path("a.c"),
        Path("b.c"),
        ("-DA", "-I", "x", "--"),
        InputOptions(
            "f",
            (Range("x", -1, 16), Range("y", 3, 3)),
            ("x<y",),
            ("g",),
            SymbolicArguments(0, 2, 3),
            4,
            SymbolicFiles(2, 5),
            (NamedFile("c/d", 3),),
            6,
            Globals.INITIAL,
            structure_depth=5,
        ),
        SearchOptions(2.5, 7, "isolated", 9, SolverName.Z3, After.NEW, without=("guards", "turns")),
        Path("o"),
        replay=False,
        unsandboxed=True,
    )


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ("run p.c -- -d , -", RunOptions(Path("p.c"), ("-d", ",", "-"))),
        ("run p.c --cc-flags=-DX=1", RunOptions(Path("p.c"), (), ("-DX=1",))),
        ("replay out", ReplayOptions(Path("out"))),
        ("accept", AcceptOptions()),
        (
            "accept g1 2 --reason x --from d --accepted a.json",
            AcceptOptions(("g1", "2"), "x", Path("d"), Path("a.json")),
        ),
        ("accept --prune", AcceptOptions(prune=True)),
        (
            "build a b --fail-on interaction --accepted a.json",
            BuildOptions(
                Path("a"),
                Path("b"),
                accepting=Accepting(Path("a.json"), False, FailOn.INTERACTION),
            ),
        ),
        ("unify a b --ids -o u.c", UnifyOptions(Path("a"), Path("b"), (), True, Path("u.c"))),
        ("explore p.c --time 3", ExploreOptions(Path("p.c"), search=SearchOptions(time=3.0))),
        ("compare a b --seeds 5", CompareOptions(Path("a"), Path("b"), seeds=5)),
        (
            "graph a b --what pdg --format svg",
            GraphOptions(Path("a"), Path("b"), what=GraphKind.PDG, format=GraphFormat.SVG),
        ),
        (
            "graph a b --what figure --function f --full --format html",
            GraphOptions(
                Path("a"),
                Path("b"),
                what=GraphKind.FIGURE,
                format=GraphFormat.HTML,
                function="f",
                full=True,
            ),
        ),
    ],
)
def test_each_command_has_its_record(words: str, options: object) -> None:
    assert parse(words.split()).options == options


@pytest.mark.parametrize("name", ["x", "p.x", "p->x", "list->next->at.x", "_a1"])
def test_a_range_is_of_an_input_as_csgtest_calls_it(name: str) -> None:
    options = parse(["build", "a", "b", "--range", f"{name}=-1..0x7"]).options
    assert isinstance(options, BuildOptions) and options.inputs.ranges == (Range(name, -1, 7),)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("", "required: COMMAND"),
        ("nonsense", "invalid choice: 'nonsense'"),
        ("explore", "required: FILE"),
        ("build a b --range x=3", "'x=3' is no range; write NAME=LO..HI"),
        ("build a b --range x=3..1", "'x=3..1' is empty"),
        ("build a b --time 0", "'0' is no time"),
        ("build a b --time soon", "'soon' is no time"),
        ("build a b --seed -1", "'-1' is no count"),
        ("build a b --array-len 99999999999999999999999", "is too many; give 65536 at most"),
        ("build a b --sym-args 0 2 70000", "is too many; give 65536 at most"),
        ("build a b --sym-stdin ٣", "is no count"),
        ("build a b --sym-file a=99999999", "is too many; give 65536 at most"),
        ("build a b --loop-bound 9999999999", "is too many; give 999999999 at most"),
        ("build a b --time 1e300", "is too long; give 31536000 at most, a year"),
        ("build a b --memory lots", "'lots' is no size; write 800M or 4G"),
        ("build a b --memory 1k", "is too little; give 128M at least"),
        ("build a b --array-len 0", "must be at least 1"),
        ("build a b --sym-args 2 1 3", "MIN 2 is greater than MAX 1"),
        ("build a b --tim 3", "unrecognized arguments: --tim"),
        ("replay out -- x", "replay takes nothing after --"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(
    words: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        parse(words.split())
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "name"),
    [("--sym-file A=2 --sym-files 1 4", "A"), ("--sym-file d/a=2 --sym-file d/a=4", "d/a")],
)
def test_two_files_of_one_name_are_refused(words: str, name: str) -> None:
    with pytest.raises(UsageError, match=f"there cannot be two files '{name}'"):
        parse(["build", "a.c", "b.c", *words.split()])


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parse([command, "--help"])
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    assert "examples:\n  " in shown
    assert f"csgtest {command}" in shown


def test_files_that_cannot_be_c_are_refused_with_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    empty = tmp_path / "empty.c"
    empty.touch()
    good = str(ROOT / "samples" / "foo" / "old.c")
    for bad, message in (
        (tmp_path / "none.c", "no such file"),
        (tmp_path, "is no regular file"),
        (empty, "is empty"),
    ):
        assert cli.main(["build", good, str(bad), "--out", str(tmp_path / "out")]) == 2
        shown = capsys.readouterr()
        assert shown.out == ""
        assert shown.err.startswith(f"csgtest: error: {bad}")
        assert message in shown.err
        assert "Traceback" not in shown.err
    assert not (tmp_path / "out").exists()


def test_importing_the_command_line_is_cheap() -> None:
    program = "import sys, cli; print([m for m in ('argparse', 'csg', 'symexec', 'jinja2', 'z3')"
    program += " if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def test_plain_progress_is_one_line_a_period(capsys: pytest.CaptureFixture[str]) -> None:
    now = iter([0.0, 0.5, 1.9, 2.1, 3.0, 4.2])
    progress = PlainLines(sys.stdout, clock=lambda: next(now))
    for paths in range(6):
        progress.update(Standing("searching", 300 * paths, 7, 9.6, met=1, changes=4, differences=2))
    shown = capsys.readouterr().out.splitlines()
    told = "searching  900 paths (429/s)  changes 1/4  diverged 7  differences 2  10 s left"
    assert shown[0] == told and len(told) < 80
    assert len(shown) == 2
    assert sentence(Standing("searching", 5, 1, 3.0, level=2, levels=6), 2.0) == (
        "searching  level 2/6  5 paths (2/s)  findings 1  3 s left"
    )


STAGES = (SEARCHING, COMPARING, EXPLAINING, MINIMISING)


@pytest.mark.parametrize("doing", STAGES)
@pytest.mark.parametrize("large", [1, 999, 1_234_567])
def test_a_line_that_is_too_long_loses_whole_parts(doing: str, large: int) -> None:
    left = 17.0 if doing == SEARCHING else 0.0
    now = Standing(doing, large, large, left, large, large, large, 2, 6, processes=2)
    parts = {*sentence(now, 42.0).split("  "), f"{large:,} differ", f"{large:,} paths", doing}
    for width in range(30, 140):
        shown = sentence(now, 42.0, width)
        assert len(shown) <= width and parts.issuperset(shown.split("  ")), (width, shown)


@pytest.mark.parametrize("doing", STAGES)
def test_eighty_columns_have_room_for_all_that_matters(doing: str) -> None:
    left = 17.0 if doing == SEARCHING else 0.0
    shown = sentence(Standing(doing, 12_345, 93, left, 34, 46, 128, 2, 6), 3087.0, 79)
    assert {doing, "level 2/6", "changes 34/46"} <= {*shown.split("  ")}
    assert "12,345 paths" in shown and re.search("128 differ|differences 128", shown)
    assert (doing == SEARCHING) == shown.endswith("  17 s left")


LOOP = "int f(const char *s)\n{ int n = 0; for (; *s; s++) if (*s == 'a') n += %s; return n; }\n"


def seen_on(ours: int, theirs: int) -> bytes:
    """What a process writes to a terminal with these ends, until it ends; both are closed."""
    os.close(theirs)
    shown = b""
    with contextlib.suppress(OSError):  # the end of a terminal
        while piece := os.read(ours, 65536):
            shown += piece
    os.close(ours)
    return shown


def test_the_line_of_a_real_run_fits_a_terminal_of_eighty_columns(tmp_path: Path) -> None:
    """Where it stands is shown whole, the level of the bounds as well, and never goes back."""
    (tmp_path / "old.c").write_text(LOOP % "2")
    (tmp_path / "new.c").write_text(LOOP % "6 / 3")
    ours, theirs = os.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    environment = {name: text for name, text in os.environ.items() if name != "COLUMNS"}
    done = subprocess.Popen(
        [sys.executable, str(ROOT / "cli.py"), "build", "old.c", "new.c", "--time", "4"],
        cwd=tmp_path,
        env={**environment, "TERM": "xterm-256color"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=theirs,
    )
    shown = seen_on(ours, theirs)
    done.communicate()
    assert done.returncode == 0
    written = shown.decode().replace("\r\x1b[K", "\n").splitlines()
    frames = [line for line in written if " paths" in line]
    part = (
        r"level \d/\d|[\d,]+ paths( \(\d+/s\))?|changes \d/1|diverged \d+|differences \d+"
        r"|\d+ differ|\d+ s left"
    )
    form = re.compile(rf"({'|'.join(STAGES)})(  ({part}))*")
    for frame in frames:
        assert len(frame) < 80 and form.fullmatch(frame), frame
    for what, order in ((r"(\d+) s left", -1), (r"level (\d)/", 1), (r"changes (\d)/", 1)):
        seen = [order * int(found[1]) for each in frames if (found := re.search(what, each))]
        assert seen and seen == sorted(seen), (what, seen)


def test_a_live_line_never_wraps_and_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    out, now = io.StringIO(), iter([0.0, 0.6, 0.65, 0.8])
    live = LiveLine(out, clock=lambda: next(now))
    live.doing("reading both versions")
    for paths in (1, 2, 3, 4):
        live.update(Standing("searching", paths, 0, 9.0, changes=3))
    live.close()
    live.doing("nothing any more")
    frames = out.getvalue().split("\r\x1b[K")
    assert frames[0] == "reading both versions" and frames[-1] == ""
    assert [frame.split()[1] for frame in frames[1:-1]] == ["2", "4"]
    assert all(len(frame) < 60 for frame in frames)


def test_on_a_terminal_one_line_changes_in_place(tmp_path: Path) -> None:
    ours, theirs = os.openpty()
    sample = ROOT / "samples" / "endless"
    words = ["build", str(sample / "old.c"), str(sample / "new.c"), "--time", "2"]
    done = subprocess.Popen(
        [sys.executable, str(ROOT / "cli.py"), *words],
        cwd=tmp_path,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "100"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=theirs,
    )
    shown = seen_on(ours, theirs)
    out, _ = done.communicate()
    assert done.returncode == 1
    assert b"s left\r\x1b[Ksearching  " in shown  # the line is written over
    assert b"changes 1/1" in shown
    assert shown.endswith(b"\x1b[K")  # and is gone at the end
    assert b"\x1b" not in out and b"settle(0)" in out


def test_a_cache_folder_that_others_can_write_to_is_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "csgtest").mkdir()
    (tmp_path / "csgtest").chmod(0o777)
    (tmp_path / "a.c").write_text("int f(int x) { return change(x, 1); }\n")
    assert cli.main(["unify", str(tmp_path / "a.c"), "--entry", "f"]) == 0
    assert "can be written by others: nothing is read from it" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("trouble", "told", "traceback"),
    [
        (RuntimeError("can't start new thread"), "no more threads", False),
        (RuntimeError("else"), "internal error", True),
        (ImportError("x.so: failed to map segment from shared object"), "no memory left", False),
        (ImportError("no module named x"), "internal error", True),
    ],
)
def test_what_limits_take_away_is_no_defect(
    trouble: Exception,
    told: str,
    traceback: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fails(call: object) -> int:
        raise trouble

    monkeypatch.setattr(cli, "perform", fails)
    assert cli.main(["build", "a.c", "b.c"]) == 2
    shown = capsys.readouterr().err
    assert told in shown and ("Traceback" in shown) == traceback


@pytest.mark.parametrize("closed", daily(["<&- >&- 2>&-", "<&-", ">&-", "2>&-"], 2))
def test_closed_streams_change_nothing(closed: str, tmp_path: Path) -> None:
    (tmp_path / "old.c").write_text("int f(int x) { return x / 2; }\n")
    for name, text, code in (("same.c", "x / 2", 0), ("new.c", "x >> 1", 1)):
        (tmp_path / name).write_text(f"int f(int x) {{ return {text}; }}\n")
        words = [sys.executable, str(ROOT / "cli.py"), "build", "old.c", name, "--time", "5"]
        done = subprocess.run(
            ["sh", "-c", f'exec "$@" {closed}', "sh", *words, "--out", f"out-{code}"],
            cwd=tmp_path,
            capture_output=True,
            check=False,
        )
        assert done.returncode == code, done.stderr
        assert (tmp_path / f"out-{code}" / "report.json").is_file()


MANY = "int f(int x) { switch (x) { CASES } return -1; }"


def test_a_screen_of_differences_is_printed_and_few_tests_get_files(tmp_path: Path) -> None:
    """40 differences of one test, and one of many tests: the table ends within a screen; what is
    left out is asked for by --all and --keep-all."""
    for name, more in (("old", 0), ("new", 1)):
        cases = " ".join(f"case {n}: return {n} + {more};" for n in range(40))
        text = MANY.replace("CASES", f"{cases} default: if (x > 99) return {more};")
        (tmp_path / f"{name}.c").write_text(text)
    words = ("build", "old.c", "new.c", "--entry", "f", "--time", "10")
    short = csgtest(*words, folder=tmp_path)
    assert len(short.out.splitlines()) <= 50
    (left,) = re.findall(r"and (\d+) more differences: --all prints them", short.out)
    files = [*(tmp_path / "csgtest-out" / "tests").glob("*.json")]
    named = {test["id"]: test for test in short.differing}
    for group in short.report["groups"]:
        assert group["witness"] in {file.stem for file in files}
        own = [file for file in files if file.stem in group["tests"]]
        assert 1 <= len(own) <= 6
    whole = csgtest(*words, "--all", "--keep-all", folder=tmp_path)
    assert "more differences" not in whole.out and "more lines" not in whole.out
    assert len(whole.out.splitlines()) >= len(short.out.splitlines()) + int(left) - 1
    files = [*(tmp_path / "csgtest-out" / "tests").glob("*.json")]
    assert {file.stem for file in files} == {test["id"] for test in whole.differing}
    assert named and len(whole.differing) > 40


INTERRUPTED_IMPORT = """
import sys
class Interrupts:
    def find_spec(self, name, path=None, target=None):
        if name == "symexec.options":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupts())
import cli
sys.argv = ["csgtest", "build", "old.c", "new.c"]
cli.main()
"""


def test_interrupted_while_it_begins_it_says_so() -> None:
    command = [sys.executable, "-c", INTERRUPTED_IMPORT]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "csgtest: interrupted\n")


# An example of each option that is about the files of the versions, or how these are unified.
EXAMPLES = {
    "others": ("--with", "more.c"),
    "build": ("--build", "out"),
    "old-build": ("--old-build", "out"),
    "new-build": ("--new-build", "out"),
    "staged": ("--staged",),
    "targets": ("--target", "cut"),
    "ignore": ("--ignore", "vendor.c"),
    "config": ("--config", "other.toml"),
    "no-config": ("--no-config",),
    "golden": ("--golden", "fixed.c"),
    "diff": ("--diff", "lines"),
    "style": ("--style", "published"),
}
CALLS = {
    "files": ("old.c", "new.c"),
    "folders": ("v1", "v2"),
    "one file": ("old.c",),
    "revisions": ("main...HEAD",),
    "work tree": (),
}
REFUSED = {
    "old-build": dict.fromkeys(("one file", "revisions", "work tree"), "--build"),
    "new-build": {"revisions": "--build", "work tree": "--build"},
    "staged": dict.fromkeys(("files", "folders", "one file"), "name revisions"),
    "targets": dict.fromkeys(("files", "folders", "one file"), "name revisions"),
    "ignore": dict.fromkeys(("files", "one file"), "leave it out"),
    "diff": {"one file": "leave it out"},
    "style": {"one file": "leave it out"},
}


def test_each_option_about_versions_has_an_example() -> None:
    assert {row.key for row in (*FILES, *GOLDEN, *ANNOTATION)} == set(EXAMPLES)


@pytest.mark.parametrize("mode", CALLS)
@pytest.mark.parametrize(
    ("command", "option"),
    [
        (command, row.key)
        for command in ("build", "graph", "unify", "compare")
        for row in COMMANDS[command].arguments
        if row.key in EXAMPLES
    ],
)
def test_an_option_without_effect_is_refused(
    command: str, option: str, mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On two files, two folders, one file with both versions, revisions, and the work tree."""
    monkeypatch.chdir(tmp_path)
    for name in ("v1", "v2"):
        (tmp_path / name).mkdir()
    for name in ("old.c", "new.c"):
        (tmp_path / name).write_text("")
    words = [command, *CALLS[mode], *EXAMPLES[option]]
    hint = REFUSED.get(option, {}).get(mode)
    if hint is None:
        assert parse(words).options != parse([command, *CALLS[mode]]).options or "config" in option
        return
    with pytest.raises(UsageError) as refused:
        parse(words)
    assert f"{EXAMPLES[option][0]} is for " in refused.value.message
    assert refused.value.hint is not None and hint in refused.value.hint
