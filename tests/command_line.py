"""Run csgtest as a user does: a process of its own, with what it said and left behind.

done = csgtest("build", "old.c", "new.c", folder=tmp_path)
done.code, done.out, done.err, done.report

done = until(shown, "build", "old.c", "new.c", "--time", "60", folder=tmp_path)

To import csgtest takes as long as all else in a small run. So one Python for all tests has done so,
and each run is a fork of it; but where the environment is another one than that of the tests.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

ROOT = Path(__file__).parent.parent
SAMPLES = ROOT / "samples"
CSGTEST = [sys.executable, str(ROOT / "cli.py")]
_MESSAGE = 1 << 20  # bytes


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


def read_report(folder: Path) -> Any:
    return json.loads((folder / "report.json").read_text())


def csgtest(
    *words: str | Path,
    folder: Path,
    environment: Mapping[str, str] | None = None,
    seconds: float = 120.0,
) -> Done:
    if environment is None:
        return _run_of_fork(list(map(str, words)), folder, seconds)
    done = subprocess.run(
        [*CSGTEST, *map(str, words)],
        cwd=folder,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr, folder)


def _run_of_fork(words: list[str], folder: Path, seconds: float) -> Done:
    process, server = _server()
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        asked = json.dumps([words, str(folder), dict(os.environ)]).encode()
        socket.send_fds(server, [asked], [out.fileno(), err.fileno()])
        server.settimeout(seconds)
        try:
            code = int(server.recv(_MESSAGE))
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)  # the run as well
            process.wait()
            _server.cache_clear()
            raise
        for each in (out, err):
            each.seek(0)
        return Done(code, out.read(), err.read(), folder)


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
    """One run after the other, until nobody is there to ask."""
    import symexec.report.session  # noqa: F401  # and with it all that a search needs

    gc.freeze()
    while True:
        asked, files, _, _ = socket.recv_fds(asker, _MESSAGE, 2)
        if not asked:
            return
        process = os.fork()
        if not process:
            asker.close()
            _run(files, *json.loads(asked))
        for each in files:
            os.close(each)
        _, status = os.waitpid(process, 0)
        with contextlib.suppress(BrokenPipeError):
            asker.send(str(os.waitstatus_to_exitcode(status)).encode())


def _run(files: list[int], words: list[str], folder: str, environment: dict[str, str]) -> NoReturn:
    """``cli.py`` as it is run by a shell."""
    for number, each in enumerate(files, start=1):
        os.dup2(each, number)
        os.close(each)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
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
    with subprocess.Popen(
        [*CSGTEST, *map(str, words), "--quiet"],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509
    ) as process:
        try:
            report = folder / "csgtest-out" / "report.json"
            while process.poll() is None:
                if report.exists() and shown(json.loads(report.read_text())):
                    process.send_signal(signal.SIGINT)
                    break
                time.sleep(0.1)
            out, err = process.communicate(timeout=60.0)
        finally:
            process.kill()
    return Done(process.returncode, out, err, folder)


def differing(report: Any) -> list[dict[str, Any]]:
    return [test for test in report["tests"] if test["observed"] == "different"]


def pair(sample: str) -> tuple[Path, Path]:
    return SAMPLES / sample / "old.c", SAMPLES / sample / "new.c"


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
