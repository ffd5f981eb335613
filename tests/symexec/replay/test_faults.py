"""What keeps programs from running is said, and never taken for what they do.

Faults are injected into the machine around the programs: limits, a damaged cache, a runner that
shows the same whatever it is asked.
"""

from __future__ import annotations

import errno
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from csg.cache import cache_folder
from csg.errors import ToolchainError
from csg.language import types as c
from csg.programs import SourceFile
from symexec.replay import PLAIN, SANITIZED, NativeReplay, ReplayPlan, build, sandbox
from symexec.replay.build import Builds
from symexec.replay.harness import CONTROL, check_control
from symexec.replay.sandbox import Sandbox, cached_build
from symexec.replay.wire import Job
from symexec.testcases import Observation, TestInput
from symexec.testcases.signature import EntrySignature, parameter_of

EMPTY = TestInput()
UNABLE = "before it comes to its start"
BEGIN = sandbox._begun


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NativeReplay]:
    folder = tmp_path_factory.mktemp("faults")
    files = folder / "old.c", folder / "new.c"
    for number, file in enumerate(files, 1):
        file.write_text(f"int main(void) {{ return {number}; }}")
    with NativeReplay(ReplayPlan(*((SourceFile(file),) for file in files))) as found:
        for style in (SANITIZED, PLAIN):
            for build in ("old", "new", CONTROL):
                found.prepare(build, style)
                found.wait(build, style)
        yield found


def another(compiled: NativeReplay, **fields: object) -> NativeReplay:
    """Runs what is compiled, with a runner of its own."""
    plan, builds = compiled.lent()
    return NativeReplay(replace(plan, **fields), builds)  # type: ignore[arg-type]


def under_limits(limits: str) -> Callable[[list[str]], subprocess.Popen[bytes]]:
    return lambda command: BEGIN(["/bin/sh", "-c", f'ulimit {limits}; exec "$@"', "sh", *command])


@pytest.mark.parametrize("limits", ["-v 4000000", "-v 1000000"])
def test_sanitized_programs_that_get_too_little_memory_are_no_observation(
    limits: str, compiled: NativeReplay, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both versions would show the same: an abort of the sanitizer."""
    monkeypatch.setattr(sandbox, "_begun", under_limits(limits))
    with another(compiled) as replay:
        if not replay.sanitizers:
            pytest.skip("no sanitizers here")
        with pytest.raises(ToolchainError, match=UNABLE):
            replay.pair(EMPTY)
        seen = replay.pair(EMPTY, PLAIN)
    assert (seen.old.exit, seen.new.exit) == (1, 2)


def test_results_that_have_no_way_out_are_no_observation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A harness that cannot keep its descriptor would show functions that return nothing."""
    monkeypatch.setattr(sandbox, "_begun", under_limits("-n 33"))
    signature = EntrySignature("f", parameter_of("", c.INT), (parameter_of("x", c.INT),))
    texts = ("int f(int x) { return x + 1; }", "int f(int x) { return x + 2; }")
    files = tmp_path / "old.c", tmp_path / "new.c"
    for file, text in zip(files, texts, strict=True):
        file.write_text(text)
    plan = ReplayPlan(*((SourceFile(file),) for file in files), signature=signature)
    with (
        NativeReplay(plan) as replay,
        pytest.raises(ToolchainError, match="cannot hand its values"),
    ):
        replay.pair(TestInput(parameters=(("x", 1),)), PLAIN)


@pytest.mark.parametrize("which", ["NOFILE", "STACK", "FSIZE"])
def test_limits_below_those_of_the_model_are_refused(
    which: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = getattr(resource, f"RLIMIT_{which}")
    before = resource.getrlimit
    monkeypatch.setattr(resource, "getrlimit", lambda of: (9, 9) if of == number else before(of))
    with Sandbox(tmp_path) as box, pytest.raises(ToolchainError, match=r"only 9 .* are promised"):
        box.run(Job("/bin/true", (b"true",), ()))


def test_a_program_that_is_killed_before_its_start_is_told(compiled: NativeReplay) -> None:
    with (
        another(compiled, address_space=1 << 18) as replay,
        pytest.raises(ToolchainError, match=UNABLE) as caught,
    ):
        replay.pair(EMPTY, PLAIN)
    assert "--no-replay" in caught.value.hint


@pytest.mark.parametrize("forks", [True, False])
def test_a_run_counts_only_if_the_program_proves_it(forks: bool, tmp_path: Path) -> None:
    """/bin/true is linked with nothing of ours, so that it proves nothing."""
    with Sandbox(tmp_path) as box:
        assert box.run(Job("/bin/true", (b"true",), (), forks=forks)).exit == 0
        with pytest.raises(ToolchainError, match=f"'/bin/true' ends .* {UNABLE}: exit status 0"):
            box.run(Job("/bin/true", (b"true",), (), forks=forks, proves=True))
        assert box.run(Job("/bin/true", (b"true",), (), forks=forks)).exit == 0


def test_what_cannot_begin_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*what: object) -> None:
        raise RuntimeError("can't start new thread")

    files = tmp_path / "old.c", tmp_path / "new.c"
    for file in files:
        file.write_text("int main(void) { return 0; }")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for name in ("start", "submit"):
        with monkeypatch.context() as patch:
            patch.setattr(Builds if name == "start" else ThreadPoolExecutor, name, fails)
            with pytest.raises(RuntimeError):
                NativeReplay(ReplayPlan(*((SourceFile(file),) for file in files)))
        assert not list(tmp_path.glob("csgtest-*"))


FAKE = """
import struct, sys
answer = sys.stdout.buffer
def say(body):
    answer.write(struct.pack("<I", len(body)) + body)
    answer.flush()
say(struct.pack("<I", 4) + b"/tmp" + struct.pack("<I", 7))
while head := sys.stdin.buffer.read(4):
    sys.stdin.buffer.read(int.from_bytes(head, "little"))
    say(struct.pack("<iIIIQQ", 99, 0, 0, 0, 1, 1) + struct.pack("<QI", 0, 0) * 3 + bytes(8))
"""


def test_a_runner_that_shows_the_same_whatever_runs_is_not_believed(
    compiled: NativeReplay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "_begun", lambda command: BEGIN([sys.executable, "-c", FAKE]))
    with (
        another(compiled) as replay,
        pytest.raises(ToolchainError, match="cannot be relied on here: programs that differ"),
    ):
        replay.pair(EMPTY, PLAIN)


@pytest.mark.parametrize(
    ("shows", "trouble"),
    [
        ({}, ""),
        ({2: Observation(exit=1, stdout=b"1")}, "not told apart"),
        ({1: Observation(signal="SIGABRT")}, "not told apart"),
        ({3: Observation(exit=3, stdout=b"3")}, "an error is not seen by the sanitizer"),
    ],
)
def test_the_control_program_has_to_show_what_it_does(
    shows: dict[int, Observation], trouble: str
) -> None:
    good = {n: Observation(exit=n, stdout=b"%d" % n) for n in (1, 2)}
    good[3] = Observation(sanitizer="heap-buffer-overflow")
    try:
        check_control(lambda number: {**good, **shows}[number], "address")
    except ToolchainError as caught:
        assert trouble and trouble in caught.message
    else:
        assert not trouble


def test_a_control_program_that_differs_from_itself_is_trouble() -> None:
    codes = iter(range(9))
    with pytest.raises(ToolchainError, match="one thing and another"):
        check_control(lambda number: Observation(exit=next(codes)), "")


def flipped(content: bytes) -> bytes:
    at = len(content) // 2
    return content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]


def test_a_compiler_that_writes_nothing_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("CC", "true")
    source = tmp_path / "part.c"
    source.write_text("int part(void) { return 7; }")
    with pytest.raises(ToolchainError, match="'true' says nothing is wrong, but does not write"):
        cached_build("part.o", [source], ("-c",), tmp_path)


@pytest.mark.parametrize(
    "damage",
    [flipped, lambda content: content[:-1], lambda content: b"", lambda content: b"x" * 999],
)
def test_what_is_damaged_in_the_cache_is_made_anew(
    damage: Callable[[bytes], bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    source = tmp_path / "part.c"
    source.write_text("int part(void) { return 7; }")
    made = [cached_build("part.o", [source], ("-c",), tmp_path).read_bytes()]
    (entry,) = (cache_folder() / "builds").iterdir()
    entry.write_bytes(damage(entry.read_bytes()))
    for _ in range(2):
        made.append(cached_build("part.o", [source], ("-c",), tmp_path).read_bytes())
    assert made[0] == made[1] == made[2]


def test_another_compiler_of_the_same_name_compiles_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    source, compiler = tmp_path / "part.c", tmp_path / "cc"
    source.write_text("int part(void) { return 7; }")
    monkeypatch.setenv("CC", f"{compiler} -w")
    made = []
    for text in ("int part;", "int part, other;"):
        compiler.write_text(f"#!/bin/sh\necho '{text}' | cc -x c -c -o {tmp_path}/part.o -\n")
        compiler.chmod(0o755)
        made.append(cached_build("part.o", [source], ("-c",), tmp_path).read_bytes())
    assert made[0] != made[1]


def test_files_that_run_out_while_a_compiler_begins_are_no_defect_of_ours() -> None:
    done: Future[str] = Future()
    done.set_exception(OSError(errno.EMFILE, "Too many open files"))
    told: list[str | ToolchainError] = []
    build._deliver(done, told.append)
    (trouble,) = told
    assert isinstance(trouble, ToolchainError)
    assert trouble.message == "cannot compile: Too many open files"
