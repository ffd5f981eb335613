"""Run a user's own test suite with a recorder in the place of the program: the calls that it makes.

    suite: ./prog -f 1- < in.txt      Call(1, TestInput(args=(b"-f", b"1-"), stdin=b"..."))

The recorder (recorder.c) notes arguments, standard input and the files that arguments name, then
becomes the program, so the suite runs as ever. The suite is the user's: it is trusted.
"""

from __future__ import annotations

import os
import signal
import struct
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from csg.errors import UsageError
from csg.files import read_file
from csg.leftovers import OwnFolder
from csg.records import record
from csg.toolchain import compile_program
from symexec.testcases.inputs import TestInput

PLACE = "{}"  # where the program goes in a command, or a list of commands
SAVED = ".csgtest-saved"


@record
class Call:
    """A recorded call. ``number`` counts the calls of the program. ``reason``: why there is no
    input."""

    number: int
    input: TestInput | None
    reason: str = ""


@record
class SuiteRun:
    """``exit`` is None when the suite did not end in time."""

    calls: tuple[Call, ...]
    exit: int | None


def run_suite(
    command: Sequence[str], executable: str, names: Sequence[str], program: Path | None,
    seconds: float, log: Path,
) -> SuiteRun:  # fmt: skip
    """Run the suite. ``names`` find the program by PATH; ``program`` is a file that the suite
    calls: the recorder takes its place meanwhile. What the suite prints goes to ``log``."""
    own = OwnFolder("suite")
    try:
        records, tools = own.path / "records", own.path / "bin"
        for folder in (records, tools):
            folder.mkdir()
        recorder = _recorder(own.path, records, executable)
        for name in names:
            (tools / name).symlink_to(recorder)
        words = _command(command, recorder, own.path)
        environment = {**os.environ, "PATH": f"{tools}:{os.environ.get('PATH', '')}"}
        with _in_place(program, recorder), log.open("wb") as output:
            code = _ran(words, environment, output.fileno(), seconds)
        files = sorted(file for file in records.iterdir() if file.name.isdigit())
        return SuiteRun(tuple(_call(int(file.name), file.read_bytes()) for file in files), code)
    finally:
        own.remove()


def _recorder(folder: Path, records: Path, executable: str) -> Path:
    source = Path(__file__).parent / "recorder.c"
    target = folder / "recorder"
    flags = ["-O1", "-w", f'-DRECORDS="{records}"', f'-DPROGRAM="{executable}"']
    compile_program([str(source)], str(target), flags)
    return target


def _command(command: Sequence[str], recorder: Path, folder: Path) -> list[str]:
    """The command to run. A single file that is no program is a list of commands, for a shell."""
    if len(command) == 1 and Path(command[0]).is_file() and not os.access(command[0], os.X_OK):
        copy = folder / "commands.sh"
        text = read_file(command[0])
        copy.write_bytes(text.replace(PLACE.encode(), str(recorder).encode()))
        return ["sh", str(copy)]
    return [word.replace(PLACE, str(recorder)) for word in command]


@contextmanager
def _in_place(program: Path | None, recorder: Path) -> Iterator[None]:
    """The recorder at the program's path; at the end the program is put back."""
    if program is None:
        yield
        return
    saved = program.with_name(program.name + SAVED)
    if saved.exists():
        raise UsageError(f"{saved} is in the way", hint="an earlier run was killed: move it back")
    there = program.exists()
    if there:
        program.rename(saved)
    try:
        program.symlink_to(recorder)
        yield
    finally:
        program.unlink(missing_ok=True)
        if there:
            saved.rename(program)


def _ran(
    words: Sequence[str], environment: dict[str, str], output: int, seconds: float
) -> int | None:
    try:
        running = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment,
            start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        raise UsageError(
            f"the suite cannot be run: {words[0]}: {error.strerror}",
            hint="give a command, or a file of commands with {} for the program",
        ) from None
    try:
        return running.wait(seconds)
    except subprocess.TimeoutExpired:
        return None
    finally:
        with suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGKILL)
        running.wait()


# ---------------------------------------------------------------------------- records


class _Record:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._place = 0

    def number(self) -> int:
        (value,) = struct.unpack_from("<I", self._data, self._place)
        self._place += 4
        assert isinstance(value, int)
        return value

    def text(self) -> bytes:
        size = self.number()
        if self._place + size > len(self._data):
            raise struct.error("too short")
        self._place += size
        return self._data[self._place - size : self._place]


def _call(number: int, data: bytes) -> Call:
    try:
        reading = _Record(data)
        words = [reading.text() for _ in range(reading.number())]
        known = reading.number()
        stdin = reading.text()
        named = [
            (reading.number(), reading.number(), reading.text()) for _ in range(reading.number())
        ]
    except struct.error:
        return Call(number, None, "its record is not whole")
    if not known:
        return Call(number, None, "its standard input is too large")
    return Call(number, _input(words, stdin, named))


def _input(words: list[bytes], stdin: bytes, named: list[tuple[int, int, bytes]]) -> TestInput:
    """The input of a call. Files outside the folder get a name within it, and the arguments use
    that name."""
    files: dict[str, bytes] = {}
    for argument, offset, content in named:
        name = os.fsdecode(words[argument][offset:])
        path = Path(name)
        if path.is_absolute() or ".." in path.parts or files.get(name, content) != content:
            name = path.name
            while files.get(name, content) != content:
                name += "_"
            words[argument] = words[argument][:offset] + os.fsencode(name)
        files[name] = content
    return TestInput(args=tuple(words[1:]), stdin=stdin, files=tuple(sorted(files.items())))
