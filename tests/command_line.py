"""Run csgtest as a user does: a process of its own, with what it said and left behind.

done = csgtest("build", "old.c", "new.c", folder=tmp_path)
done.code, done.out, done.err, done.report

done = until(shown, "build", "old.c", "new.c", "--time", "60", folder=tmp_path)

To import csgtest takes as long as all else in a small run. So one Python for all tests has done so,
and each run is a fork of it; but where the environment has what Python reads as it begins.
"""

from __future__ import annotations

import base64
import contextlib
import fcntl
import functools
import gc
import importlib
import json
import os
import select
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from oracles.verdicts import Run, complaints

ROOT = Path(__file__).parent.parent
SAMPLES = ROOT / "samples"
CSGTEST = [sys.executable, str(ROOT / "cli.py")]
_MESSAGE = 1 << 20  # bytes
_READ_AT_START = ("PYTHON", "LC_", "LANG", "LD_", "MALLOC_")


@dataclass(frozen=True, slots=True)
class Done:
    code: int
    out: str
    err: str
    folder: Path  # where it ran

    @property
    def report(self) -> Any:
        return read_report(self.folder / "csgtest-out")

    @property
    def differing(self) -> list[dict[str, Any]]:
        return differing(self.report)

    @property
    def reasons(self) -> set[str]:
        """Why the verdict is not stronger."""
        return {each["reason"] for each in self.report["omissions"]}


def read_report(folder: Path) -> Any:
    return json.loads((folder / "report.json").read_text())


def csgtest(
    *words: str | Path,
    folder: Path,
    environment: Mapping[str, str] | None = None,
    seconds: float = 120.0,
    stdin: bytes = b"",
) -> Done:
    whole = {**os.environ, **(environment or {})}
    begun = time.time_ns()
    if not any(name.startswith(_READ_AT_START) for name in environment or ()):
        with _Run(words, folder, whole, stdin) as run:
            return keeps_to_document(run.ended(seconds), words, begun)
    done = subprocess.run(
        [*CSGTEST, *map(str, words)],
        cwd=folder,
        env=whole,
        input=stdin.decode("latin-1"),
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    finished = Done(done.returncode, done.stdout, done.stderr, folder)
    return keeps_to_document(finished, words, begun)


def keeps_to_document(done: Done, words: Sequence[str | Path], begun: int) -> Done:
    """The same run; AssertionError if docs/verdicts.md allows less than a report of it claims.
    ``begun`` is in nanoseconds since 1970: older reports are of other runs."""
    spoken = [*map(str, words)]
    if not spoken or spoken[0] not in ("build", "explore"):
        return done
    out = done.folder / value_of("--out", spoken, "csgtest-out")
    files = sorted(out.rglob("report.json"))  # also of later calls and of several entries
    written = [each for each in files if each.stat().st_mtime_ns >= begun]
    reports = [json.loads(each.read_text()) for each in written]
    found = complaints(*(Run(each, done.code, done.out, spoken) for each in reports))
    assert not found, "\n".join([f"{out} and docs/verdicts.md disagree:", *found])
    return done


def value_of(option: str, words: Sequence[str], otherwise: str) -> str:
    """The value of an option of the command line, written as two words or as one."""
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if word == option:
            return following
        if word.startswith(f"{option}="):
            return word.partition("=")[2]
    return otherwise


class _Run:
    """A fork that runs csgtest; it does not outlive the block."""

    def __init__(
        self,
        words: Iterable[str | Path],
        folder: Path,
        environment: Mapping[str, str],
        stdin: bytes = b"",
    ):
        self.folder = folder
        self._said = [tempfile.TemporaryFile() for _ in range(2)]  # noqa: SIM115
        self._parent, self._server = _server()
        asked = json.dumps([[*map(str, words)], str(folder), dict(environment)]).encode()
        with _pipe_with(stdin) as given:
            handles = [each.fileno() for each in (given, *self._said)]
            socket.send_fds(self._server, [asked], handles)
        self._server.settimeout(None)
        self._process: int | None = int(self._server.recv(_MESSAGE))

    def __enter__(self) -> _Run:
        return self

    def __exit__(self, *trouble: object) -> None:
        if self._process is not None:
            os.killpg(self._parent.pid, signal.SIGKILL)  # the run as well
            self._parent.wait()
            _server.cache_clear()
        for each in self._said:
            each.close()

    def running(self, seconds: float) -> bool:
        """Whether it is still there, when it had so many more seconds."""
        return not select.select([self._server], [], [], seconds)[0]

    def interrupt(self) -> None:
        assert self._process is not None
        os.kill(self._process, signal.SIGINT)

    def ended(self, seconds: float) -> Done:
        """What it has said, at its end; TimeoutError if that takes longer."""
        self._server.settimeout(seconds)
        code = int(self._server.recv(_MESSAGE))
        self._process = None
        for each in self._said:
            each.seek(0)
        out, err = (each.read().decode("utf-8", "surrogateescape") for each in self._said)
        return Done(code, out, err, self.folder)


def _pipe_with(data: bytes) -> BinaryIO:
    """From which ``data`` can be read, and no more."""
    reading, writing = os.pipe()
    with open(writing, "wb") as end:
        assert fcntl.fcntl(end, fcntl.F_GETPIPE_SZ) >= len(data), "it would wait for a reader"
        end.write(data)
    return open(reading, "rb")


@functools.cache
def _server() -> tuple[subprocess.Popen[bytes], socket.socket]:
    """What forks, and where to ask it."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    command = [sys.executable, "-m", "tests.command_line", str(theirs.fileno())]
    with theirs:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
    return process, ours


def _serve(asker: socket.socket) -> None:
    """One run after the other, until nobody is there to ask: who runs, and how it ended."""
    _import_early()
    gc.freeze()
    while True:
        asked, files, _, _ = socket.recv_fds(asker, _MESSAGE, 3)
        if not asked:
            return
        process = os.fork()
        if not process:
            asker.close()
            _run(files, *json.loads(asked))
        for each in files:
            os.close(each)
        with contextlib.suppress(BrokenPipeError):
            asker.send(str(process).encode())
        _, status = os.waitpid(process, 0)
        with contextlib.suppress(BrokenPipeError):
            asker.send(str(os.waitstatus_to_exitcode(status)).encode())


def _import_early() -> None:
    """What nearly every run needs, which would else take a sixth of the time of a small one."""
    for name in (
        "cli",
        "csg.frontend.translate",
        "csg.render",
        "symexec.options.arguments",
        "symexec.projects.revisions",
        "symexec.report.session",
        "symexec.report.table",
        "symexec.solver.bitwuzla_backend",
    ):
        importlib.import_module(name)
    from symexec.report import page

    for name in ("page.html", "page_blocks.html"):
        page.templates(Path(page.__file__).parent).get_template(name)


def size_in_report(text: str | dict[str, str]) -> int:
    """The size of a text in report.json, which has bytes that are no UTF-8 in base64."""
    return len(base64.b64decode(text["base64"]) if isinstance(text, dict) else text)


def living(processes: Iterable[str], seconds: float = 30.0) -> list[str]:
    """Those that live on when they had so many seconds to end. One that has ended does not live,
    even where nobody has waited for it: where its parent has ended, too, that is up to the first
    process of the system, which may take its time."""
    left = [*processes]
    until = time.monotonic() + seconds
    while left := [each for each in left if _lives(each)]:
        if time.monotonic() > until:
            break
        time.sleep(0.02)
    return left


def _lives(process: str) -> bool:
    with contextlib.suppress(OSError):
        status = Path(f"/proc/{process}/stat").read_text()
        return status.rpartition(")")[2].split()[0] not in ("Z", "X")
    return False


def hear_interrupts() -> None:
    """Let SIGINT interrupt again: a shell has what it runs in the background ignore it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _run(files: list[int], words: list[str], folder: str, environment: dict[str, str]) -> NoReturn:
    """``cli.py`` as it is run by a shell."""
    for number, each in enumerate(files):
        os.dup2(each, number)
        os.close(each)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    hear_interrupts()
    sys.argv = [*CSGTEST[1:], *words]
    code = 1
    try:
        from cli import main

        main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def until(shown: Callable[[Any], object], *words: str | Path, folder: Path) -> Done:
    """A run that is interrupted as soon as what its report says is ``shown``; one that nobody had
    to interrupt has another code than 130."""
    report = folder / "csgtest-out" / "report.json"
    begun = time.time_ns()
    with _Run([*words, "--quiet"], folder, os.environ) as run:
        while run.running(0.1):
            if report.exists() and shown(json.loads(report.read_text())):
                with contextlib.suppress(ProcessLookupError):  # it has just ended
                    run.interrupt()
                break
        return keeps_to_document(run.ended(60.0), words, begun)


def differing(report: Any) -> list[dict[str, Any]]:
    return [test for test in report["tests"] if test["observed"] == "different"]


def pair(sample: str) -> tuple[Path, Path]:
    return SAMPLES / sample / "old.c", SAMPLES / sample / "new.c"


def version_of(text: str, which: int) -> str:
    """The old (0) or the new version (1) of a text with edits: ``int a = ⟨1 | 2⟩;``."""
    while "⟨" in text:
        before, _, rest = text.partition("⟨")
        both, _, after = rest.partition("⟩")
        text = before + both.split(" | ")[which].strip(" ") + after
    return text


def write_versions(folder: Path, old: str, new: str) -> tuple[Path, Path]:
    """Two texts as ``old.c`` and ``new.c``."""
    files = folder / "old.c", folder / "new.c"
    for file, text in zip(files, (old, new), strict=True):
        file.write_text(text)
    return files


def build_edited(folder: Path, text: str) -> Done:
    """The versions of a text with edits, compared from ``f`` on, in a deterministic run."""
    write_versions(folder, version_of(text, 0), version_of(text, 1))
    words = ("build", "old.c", "new.c", "--entry", "f", "--time", "30", "--deterministic")
    return csgtest(*words, folder=folder)


def note(source: str, key: str) -> str:
    """What stands behind ``// key:`` in the first lines of a program."""
    for line in source.splitlines()[:5]:
        if line.startswith(f"// {key}:"):
            return line.removeprefix(f"// {key}:").strip()
    return ""


def given_to(source: str) -> tuple[list[str], bytes]:
    """The arguments and the standard input that a program of ``tests/programs`` is to run with."""
    stdin = note(source, "stdin").encode().decode("unicode_escape").encode("latin-1")
    return shlex.split(note(source, "args")), stdin


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
