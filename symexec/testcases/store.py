"""The output folder: it is csgtest's or refused, and every test is on disk as soon as it is known.

csgtest-out/.csgtest           says whose it is (and is locked while a run writes)
csgtest-out/tests/tests.jsonl  one line for each thing learnt of a test; the last line of an id
                               counts
csgtest-out/tests/t0001.{json,txt}   a finished difference
csgtest-out/report.json        replaced as a whole, never half-written
csgtest-out/.sealed            shows that csgtest wrote the report, and not somebody else
csgtest-out/runs.json          of a call about several programs or entries: the folders of each
"""

from __future__ import annotations

import fcntl
import hashlib
import hmac
import json
import os
import shutil
import time
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from csg.cache import secret
from csg.errors import UsageError
from csg.files import read_file, read_json, read_text, refuse_link_outside, write_inside
from symexec.options import STORE_FILE
from symexec.testcases.inputs import Json
from symexec.testcases.testcase import TestCase, from_json, to_json, to_line

MARKER = ".csgtest"
_MARK = "csgtest output folder; csgtest overwrites what it finds here\n"
HELD = 0.05
_NAMED = 8  # folders in a hint
_NO_FOLDER = "name an output folder of csgtest"
REPORT = "report.json"
EMITTED = "csgtest_emitted.json"  # what csgtest emit leaves beside its tests
_SEAL = ".sealed"
_LARGEST_NOTE = 1 << 20  # bytes of a list of folders, or of a seal
_RUNS = "runs.json"
_OURS = (
    REPORT,
    _SEAL,
    _RUNS,
    "report.html",
    "csg.dot",
    "csg.svg",
    "csg.json",
    "unified.c",
    "tests",
)


def note_runs(folder: Path, runs: Iterable[Path]) -> None:
    """Note the folders below ``folder`` that one call has written its reports to; none where it is
    ``folder`` itself."""
    names = [each.relative_to(folder).as_posix() for each in runs if each != folder]
    if names:
        replace_file(folder / _RUNS, (json.dumps({"runs": names}, indent=1) + "\n").encode())


def runs_of(folder: Path) -> dict[str, Path]:
    """The folders with the reports of a call, by their names: those of its programs and entries, or
    "" for the folder itself. Raises UsageError where there are none."""
    if not folder.is_dir():
        raise _no_output_folder(folder)
    if not os.path.lexists(folder / _RUNS):
        return _without_note(folder)
    note = read_json(folder / _RUNS, "list of folders", _LARGEST_NOTE)
    names = note.get("runs") if isinstance(note, dict) else None
    found = {}
    for name in names if isinstance(names, list) else ():
        parts = PurePosixPath(name).parts if isinstance(name, str) else ("..",)
        if not parts or ".." in parts or parts[0] == "/":  # it may be a stranger's
            raise UsageError(f"'{folder / _RUNS}' names what is not below it")
        found[PurePosixPath(*parts).as_posix()] = folder.joinpath(*parts)
    return found or {"": folder}


def _without_note(folder: Path) -> dict[str, Path]:
    if (folder / REPORT).exists():
        return {"": folder}
    below = [each.parent for depth in ("*", "*/*") for each in folder.glob(f"{depth}/{REPORT}")]
    if not below and not is_ours(folder):
        raise _no_output_folder(folder)
    names = ", ".join(str(each) for each in sorted(below)[:_NAMED])
    hint = f"name one of the folders below it: {names}" if names else _NO_FOLDER
    raise UsageError(f"there is no report in '{folder}'", hint=hint)


def _no_output_folder(path: Path) -> UsageError:
    """An error that says what is there instead of an output folder, and what to name."""
    what, hint = f"'{path}' is no output folder of csgtest", "name one that csgtest build wrote"
    if not path.exists():
        what, hint = f"there is no folder '{path}'", "csgtest build writes one: see its --out"
    elif not path.is_dir():
        what = f"'{path}' is a file, and no output folder of csgtest"
        if (path.parent / REPORT).exists():
            hint = f"name the folder that it is in: {path.parent}"
    elif (path / STORE_FILE).is_file():
        what = f"'{path}' is a store, and no output folder of csgtest"
        hint = (
            f"csgtest show tasks --store {path} lists what is in it; with --task ID -o FOLDER it "
            "writes the output folder of one"
        )
    elif (path / EMITTED).is_file():
        what = f"'{path}' holds tests that csgtest emit wrote, and no reports"
        hint = "name the output folder that they were written from"
    return UsageError(what, hint=hint)


class OutputFolder:
    """A folder claimed for this run. Use as a context manager, or ``close`` it."""

    def __init__(self, path: Path, anew: bool = True) -> None:
        """UsageError when the folder exists and is not ours, or when another run writes to it.

        What an earlier run left there is removed if the folder begins ``anew``."""
        self.path = path
        self._lock = _claim(path)
        self._log: IO[bytes] | None = None
        self._secret = secret()
        self._encode = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode
        for name in _OURS if anew else ():
            _remove(path / name)
        (path / "tests").mkdir(exist_ok=True)

    def __enter__(self) -> OutputFolder:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def close(self) -> None:
        if self._log is not None:
            self._log.close()
            self._log = None
        self._lock.close()

    def record(self, case: TestCase) -> None:
        """Append what is known of a test now; it survives a ``kill -9`` of this process."""
        self._append(self._line(case))

    def record_all(self, cases: Iterable[TestCase]) -> None:
        """Append many tests as they come. Those with nothing to report may wait ``HELD`` seconds
        for others: a system call for each is expensive where thousands come in a second."""
        held: list[bytes] = []
        written = 0.0
        try:
            for case in cases:
                held.append(self._line(case))
                now = time.monotonic()
                if case.notes or now >= written + HELD:
                    self._append(b"".join(held))
                    held.clear()
                    written = now
        finally:
            self._append(b"".join(held))

    def _line(self, case: TestCase) -> bytes:
        return self._encode(to_line(case)).encode("ascii") + b"\n"

    def _append(self, lines: bytes) -> None:
        if self._log is None:
            path = self.path / "tests" / "tests.jsonl"
            self._log = _open_for_append(path)
            if not path.read_bytes().endswith(b"\n") and self._log.tell() > 0:
                self._log.write(b"\n")  # an earlier run was killed while it wrote a line
        self._log.write(lines)

    def write_test(self, case: TestCase, text: str) -> None:
        """Write a finished difference, for programs and for people."""
        content = json.dumps(to_json(case), indent=1, ensure_ascii=True) + "\n"
        self.write_text(f"tests/{case.id}.json", content)
        self.write_text(f"tests/{case.id}.txt", text)
        if case.witness:
            self.write_text(f"tests/{case.id}.c", case.witness)

    def remove_test(self, case: TestCase) -> None:
        """Take back what ``write_test`` wrote, if it did."""
        for ending in ("json", "txt", "c"):
            (self.path / "tests" / f"{case.id}.{ending}").unlink(missing_ok=True)

    def write_text(self, name: str, text: str) -> None:
        replace_below(self.path, name, text.encode("utf-8", "surrogateescape"))

    def write_json(self, name: str, value: Json) -> None:
        """Write a JSON file; ``report.json`` is sealed (``is_sealed``)."""
        text = json.dumps(value, indent=1, ensure_ascii=True) + "\n"
        self.write_text(name, text)
        if name == REPORT and self._secret is not None:
            self.write_text(_SEAL, _sealed(text.encode(), self._secret))

    def load_tests(self) -> list[TestCase]:
        return load_tests(self.path)


def replace_file(path: Path, content: bytes) -> None:
    """Write a file next to ``path``, then rename it: a reader sees the old or the new file, never a
    part."""
    refuse_link_outside(path.parent)
    replace_below(path.parent, path.name, content)


def replace_below(folder: Path, name: str, content: bytes) -> None:
    """As ``replace_file``, for the file of a name below a folder. Raises UsageError, also where a
    link below the folder leads elsewhere."""
    try:
        write_inside(folder, name, content)
    except OSError as error:
        raise UsageError(f"cannot write '{folder / name}': {error.strerror}") from error


def is_ours(path: Path) -> bool:
    """Is the folder marked as csgtest's, or was a run about to mark it? (A full disk may have
    prevented more.)"""
    marker = path / MARKER
    try:
        if marker.is_symlink():
            return False
        return _MARK.startswith(read_file(marker, len(_MARK)).decode("utf-8", "replace"))
    except UsageError:
        return False


def is_sealed(path: Path) -> bool:
    """Has this user written the report on this machine, and has nobody changed it since?"""
    own = secret()
    if own is None:
        return False
    try:
        content, seal = read_file(path / REPORT), read_file(path / _SEAL, _LARGEST_NOTE)
    except UsageError:
        return False
    return hmac.compare_digest(seal, _sealed(content, own).encode())


def _sealed(content: bytes, own: bytes) -> str:
    return hashlib.blake2b(content, key=own, digest_size=20).hexdigest()


def load_tests(folder: Path) -> list[TestCase]:
    """The tests in a folder in the order of their first lines; a last line that is cut short is
    left out."""
    found: dict[str, TestCase] = {}
    for line in _lines(folder / "tests" / "tests.jsonl"):
        try:
            case = from_json(json.loads(line))
        except ValueError:
            continue
        found[case.id] = case
    return list(found.values())


def _lines(path: Path) -> Iterator[str]:
    if os.path.lexists(path):
        yield from read_text(path).split("\n")


def refuse_foreign(path: Path) -> None:
    """Raise UsageError when a run could not write there; changes nothing. To be called early."""
    refuse_link_outside(path)
    try:
        empty = not path.exists() or next(path.iterdir(), None) is None
    except OSError as error:
        raise _unusable(path, error) from error
    if not empty and not is_ours(path):
        raise UsageError(
            f"output folder '{path}' exists and is not ours",
            hint="name another one with --out, or remove it; nothing was overwritten",
        )


def _unusable(path: Path, error: OSError) -> UsageError:
    reason = f"cannot use '{path}' as output folder: {error.strerror}"
    return UsageError(reason, hint="name another one with --out")


def _claim(path: Path) -> IO[bytes]:
    refuse_foreign(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unusable(path, error) from error
    lock = _open_for_append(path / MARKER)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        raise UsageError(
            f"another run of csgtest is writing to '{path}'", hint="name another one with --out"
        ) from None
    if lock.tell() < len(_MARK):
        try:
            lock.truncate(0)
            lock.write(_MARK.encode())
            replace_file(path / ".gitignore", b"*\n")  # of this folder's own, as other tools do
        except OSError as error:
            lock.close()
            raise _unusable(path, error) from error
    for link in (each for each in path.iterdir() if each.is_symlink()):
        link.unlink()  # a run makes none here, and would write to where it leads
    return lock


def _open_for_append(path: Path) -> IO[bytes]:
    """Open without a buffer: what was written is in the file when this process is killed."""
    try:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        file = open(os.open(path, flags, 0o666), "ab", buffering=0)  # noqa: SIM115
    except OSError as error:
        raise UsageError(f"cannot write '{path}': {error.strerror}") from error
    file.seek(0, os.SEEK_END)
    return file


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
