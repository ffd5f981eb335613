"""The output folder: never another's, and true even after a kill -9."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from csg.errors import UsageError
from symexec.testcases import Observed, OutputFolder, TestCase, TestInput, load_tests


def case(name: str, **fields: object) -> TestCase:
    return TestCase(name, TestInput(args=(b"x",)), **fields)  # type: ignore[arg-type]


def test_the_last_word_on_a_test_counts(tmp_path: Path) -> None:
    with OutputFolder(tmp_path / "out") as folder:
        folder.record(case("t1"))
        folder.record(case("t2"))
        folder.record(case("t1", observed=Observed.SAME))
        assert [(each.id, each.observed) for each in folder.load_tests()] == [
            ("t1", "same"),
            ("t2", "not-replayed"),
        ]


def test_a_foreign_folder_is_refused_untouched(tmp_path: Path) -> None:
    (tmp_path / "report.json").write_text("mine")
    with pytest.raises(UsageError, match="exists and is not ours"):
        OutputFolder(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]
    assert (tmp_path / "report.json").read_text() == "mine"


def test_a_file_in_the_way_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    with pytest.raises(UsageError, match="cannot use"):
        OutputFolder(tmp_path / "out")


def test_an_empty_folder_is_welcome(tmp_path: Path) -> None:
    OutputFolder(tmp_path).close()
    assert (tmp_path / ".csgtest").exists()


def test_our_folder_is_used_again_and_emptied_of_our_files_only(tmp_path: Path) -> None:
    with OutputFolder(tmp_path) as folder:
        folder.record(case("t1"))
        folder.write_json("report.json", {})
        (tmp_path / "notes.txt").write_text("the user's")
    with OutputFolder(tmp_path) as folder:
        assert folder.load_tests() == []
        assert not (tmp_path / "report.json").exists()
        assert (tmp_path / "notes.txt").read_text() == "the user's"


def test_a_later_run_can_go_on(tmp_path: Path) -> None:
    with OutputFolder(tmp_path) as folder:
        folder.record(case("t1"))
    with (tmp_path / "tests" / "tests.jsonl").open("a") as log:
        log.write('{"id": "t2", "inp')  # killed in the middle of a line
    with OutputFolder(tmp_path, anew=False) as folder:
        folder.record(case("t3"))
        assert [each.id for each in folder.load_tests()] == ["t1", "t3"]


def test_two_runs_do_not_share_a_folder(tmp_path: Path) -> None:
    with OutputFolder(tmp_path), pytest.raises(UsageError, match="another run"):
        OutputFolder(tmp_path)


def test_a_symbolic_link_is_not_written_through(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("mine")
    with OutputFolder(tmp_path / "out") as folder:
        (tmp_path / "out" / "report.json").symlink_to(precious)
        folder.write_json("report.json", {})
        (tmp_path / "out" / "tests" / "tests.jsonl").symlink_to(precious)
        with pytest.raises(UsageError, match="cannot write"):
            folder.record(case("t1"))
    assert precious.read_text() == "mine"


def test_what_was_recorded_survives_kill_9(tmp_path: Path) -> None:
    program = (
        "import sys, time; from pathlib import Path\n"
        "from symexec.testcases import OutputFolder, TestCase, TestInput\n"
        "folder = OutputFolder(Path(sys.argv[1]))\n"
        "for i in range(3): folder.record(TestCase(f't{i}', TestInput()))\n"
        "print('ready', flush=True); time.sleep(60)\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.getcwd()},
    )
    assert child.stdout is not None and child.stdout.readline() == b"ready\n"
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    assert [each.id for each in load_tests(tmp_path)] == ["t0", "t1", "t2"]
    OutputFolder(tmp_path).close()  # the lock has gone with the process
