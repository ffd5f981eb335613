"""A task: one call of ``csgtest build``, small, repeatable, and run in a process of its own.

    Task(source=Commits("cJSON", "1a2b..", "3c4d.."), options=("--entry=f",), time=20.0, ..)

    --run-->  Outcome(DONE, code 1, reports, findings, files)

Its id is the hash of all that its result follows from, and of no places: the commits or the content
of the files, the options, the budget, the seed and the version of csgtest. Who holds a task's text
and its files can run it anywhere.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, assert_never

import fleet
from csg import VERSION
from csg.errors import UNPROTECTED, CsgtestError
from csg.files import write_inside
from csg.harmless_flags import as_file, first_doubtful_flag
from csg.records import record
from fleet.disk import DiskWatch, tells_of_full_disk
from fleet.outcomes import Outcome, TaskState, damaged
from fleet.repositories import checkout, is_url
from fleet.results import read_files, read_results
from symexec.options.settings import first_doubtful_word
from symexec.projects.trees import GitFailed, git
from symexec.report.accepting import FILE

MOST_DEATHS = 3  # processes that die on one task
_HOME = Path(fleet.__file__).parent
_COMMIT = re.compile(r"\w[\w./~^-]*", re.ASCII)  # no flag, and no range
_PATIENCE = 600.0, 10.0  # seconds that a task may take, and how many for each of its budget
SEEDS = "seeds.jsonl"  # what a task was given, among its files
GIVEN_SEEDS = f"../{SEEDS}"  # the same with the tree of a task: no file in it has such a name
_FOLDER = "csgtest-task-"  # and the process id of its owner
_SAID = 2000  # characters of its standard error that are kept
_CONCLUDING = 60.0  # seconds to write its report, for a task that has written too much


@record
class Commits:
    """Two commits of a repository. ``place``: a folder, or a URL to clone; the same commits
    elsewhere are the same task."""

    place: str
    old: str
    new: str


@record
class Files:
    """OLD and NEW in a tree of files. ``tree``: the name of its list, an artefact, in which each
    file has its own; ``folder``: the working folder in that tree."""

    tree: str
    folder: str
    old: str
    new: str


@record
class Task:
    source: Commits | Files
    options: tuple[str, ...]  # words of csgtest build, but for those below
    flags: tuple[str, ...]  # for the C compiler
    time: float
    seed: int
    deterministic: bool

    @property
    def id(self) -> str:
        form = self._form()
        form.pop("place", None)
        text = json.dumps({**form, "csgtest": VERSION}, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def spec(self) -> str:
        """The task as JSON."""
        return json.dumps(self._form(), sort_keys=True)

    def _form(self) -> dict[str, object]:
        names = type(self.source).__dataclass_fields__
        return {
            **{name: getattr(self.source, name) for name in names},
            "options": list(self.options),
            "flags": list(self.flags),
            "time": self.time,
            "seed": self.seed,
            "deterministic": self.deterministic,
        }

    @property
    def words(self) -> list[str]:
        """The call, without its output folder."""
        source = self.source
        pair = [source.old, source.new]
        return [
            "build",
            *(["..".join(pair)] if isinstance(source, Commits) else map(as_file, pair)),
            *self.options,
            f"--time={self.time:g}",
            f"--seed={self.seed}",
            *(["--deterministic"] if self.deterministic else []),
            "--quiet",
        ]


def task_from_spec(spec: str) -> Task:
    """The task that JSON describes. Raises UsageError where it describes none: a stranger may have
    written it."""
    try:
        form = json.loads(spec)
        kind = Files if "tree" in form else Commits
        source = kind(**{name: _require(form[name], str) for name in kind.__dataclass_fields__})
        task = Task(
            source,
            tuple(_require(word, str) for word in _require(form["options"], list)),
            tuple(_require(word, str) for word in _require(form["flags"], list)),
            _require(form["time"], int, float),
            _require(form["seed"], int),
            _require(form["deterministic"], bool),
        )
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise damaged(f"{ascii(spec)[:40]} is no task ({error})") from None
    _require_harmless(task)
    return task


def task_to_run(name: str, spec: str) -> Task:
    """The task of a row, which is about to run. Raises UsageError where its id is not that of its
    text: somebody has changed it, or another version of csgtest has planned it."""
    task = task_from_spec(spec)
    if task.id != name:
        raise damaged(f"the task {ascii(name)[:40]} was changed, or planned by another version")
    return task


def files_of_tree(tree: bytes) -> dict[str, str]:
    """The names of the files in a list that a task names, each with that of its content."""
    with suppress(ValueError, RecursionError):
        found = json.loads(tree)
        if type(found) is dict and all(type(each) is str for each in found.values()):
            return found
    raise damaged("the list of a task's files is none")


def _require_harmless(task: Task) -> None:
    """Raise UsageError for a task that does more than compare two versions: lists are checked so as
    they are read, and a stranger may have written this task."""
    words = (*task.options, *task.flags)
    doubtful = first_doubtful_flag(task.flags) or first_doubtful_word(task.options)
    doubtful = doubtful or next((each for each in words if "\0" in each), None)
    if doubtful is not None:
        raise damaged(f"a task is called with {ascii(doubtful)[:60]}")
    match task.source:
        case Commits(old=old, new=new):
            strange = [each for each in (old, new) if not _COMMIT.fullmatch(each) or ".." in each]
        case Files(folder=folder, old=old, new=new):
            places = (folder, *(os.path.join(folder, each) for each in (old, new)))
            strange = [each for each in places if _leads_out(each)]
        case _:
            assert_never(task.source)
    if strange:
        raise damaged(f"a task is of {ascii(strange[0])[:60]}, which is no version")


def _leads_out(name: str) -> bool:
    return "\0" in name or os.path.normpath(name).startswith(("/", os.pardir))


def _require(value: Any, *kinds: type) -> Any:
    """The value, if it is of one of the kinds. Raises TypeError if it is not."""
    if type(value) not in kinds:
        raise TypeError(f"{ascii(value)[:20]} is of another kind")
    return value


def run(
    spec: str, files: Mapping[str, bytes], memory: int | None = None, disk: int | None = None
) -> Outcome:
    """Run a task in a process of its own, which ends with this one. ``files``: the tree of a pair
    of files, and GIVEN_SEEDS: inputs to begin with; ``memory``: bytes that the search may take,
    unless the task says so itself; ``disk``: bytes that it may write, with all its temporary files
    (None: its share of what is free)."""
    task, started = task_from_spec(spec), time.monotonic()
    try:
        _remove_left()
        with _own_folder() as folder:
            outcome = _run(task, files, memory, DiskWatch(folder, disk), folder)
    except (CsgtestError, OSError) as error:
        full = tells_of_full_disk(str(error))
        outcome = Outcome(TaskState.FAILED, None, str(error), 0.0, full=full)
    return replace(outcome, seconds=time.monotonic() - started)


@contextmanager
def _own_folder() -> Iterator[Path]:
    """A folder for one task, the same for all tasks of this process, one after the other: a file is
    parsed once for all that have it at the same place."""
    folder = Path(tempfile.gettempdir(), f"{_FOLDER}{os.getpid()}-")
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:  # another thread has it
        folder = Path(tempfile.mkdtemp(prefix=folder.name))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _remove_left() -> None:
    """Remove the folders of tasks whose process was killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_FOLDER}*"):
        owner = folder.name.removeprefix(_FOLDER).partition("-")[0]
        with suppress(OSError):
            ours = folder.lstat().st_uid == os.getuid()
            if ours and owner.isdecimal() and not Path("/proc", owner).exists():
                shutil.rmtree(folder, ignore_errors=True)


def _run(
    task: Task, files: Mapping[str, bytes], memory: int | None, disk: DiskWatch, folder: Path
) -> Outcome:
    tree = {name: content for name, content in files.items() if name != GIVEN_SEEDS}
    match task.source:
        case Commits(place=place, old=old, new=new):
            where = checkout(place, (old, new))
        case Files(folder=below):
            where = folder / "files" / below
            where.mkdir(parents=True)
            for name, content in tree.items():
                write_inside(folder / "files", name, content)
    words = [*task.words, f"--out={folder / 'out'}", *_accepted(task, where, folder)]
    if GIVEN_SEEDS in files:
        (folder / SEEDS).write_bytes(files[GIVEN_SEEDS])
        words.append(f"--seeds={folder / SEEDS}")
    if memory is not None and not any(each.startswith("--memory=") for each in words):
        words.append(f"--memory={memory}")
    words += ["--", *task.flags] if task.flags else []
    signals = []
    for _ in range(MOST_DEATHS):
        code, said = _ended(words, where, task.time, disk, folder)
        if disk.cut or code is None or code >= 0:
            outcome = _outcome(code, said, disk, folder / "out")
            given = ((SEEDS, files[GIVEN_SEEDS]),) if GIVEN_SEEDS in files else ()
            return replace(outcome, files=(*outcome.files, *given))
        signals.append(signal.Signals(-code).name)
    reason = f"each of {MOST_DEATHS} processes that began it has died: {', '.join(signals)}"
    return Outcome(TaskState.POISONED, None, reason, 0.0)


def _accepted(task: Task, where: Path, folder: Path) -> list[str]:
    """The file of accepted differences that a clone has, which has no work tree: that of the new
    commit."""
    source = task.source
    if not isinstance(source, Commits) or not is_url(source.place):
        return []
    try:
        content = git(where, "cat-file", "blob", f"{source.new}:{FILE}")
    except GitFailed:  # there is none
        return []
    (folder / FILE).write_bytes(content)
    return [f"--accepted={folder / FILE}"]


def _ended(
    words: list[str], where: Path, budget: float, disk: DiskWatch, folder: Path
) -> tuple[int | None, str]:
    """The exit code and the end of the standard error; None: it took too long."""
    own = [str(_HOME / "child.py"), str(os.getpid()), str(_HOME.parent / "cli.py")]
    temporary = folder / "tmp"
    temporary.mkdir(exist_ok=True)
    with open(folder / "stderr", "w+b") as said:
        process = subprocess.Popen(
            [sys.executable, *own, *words],
            cwd=where,
            env={**os.environ, "TMPDIR": str(temporary)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
            start_new_session=True,  # Ctrl-C is for whoever asked
        )
        try:
            code = _waited(process, budget, disk)
        finally:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        said.seek(0)
        return code, said.read().decode("utf-8", "replace")[-_SAID:].strip()


def _waited(process: subprocess.Popen[bytes], budget: float, disk: DiskWatch) -> int | None:
    """The exit code of a process, which is asked to conclude once it has written too much."""
    before, each = _PATIENCE
    until, asked = time.monotonic() + before + each * budget, False
    while time.monotonic() < until:
        try:
            return process.wait(min(disk.look(), max(0.0, until - time.monotonic())))
        except subprocess.TimeoutExpired:
            if disk.cut and not asked:
                asked, until = True, min(until, time.monotonic() + _CONCLUDING)
                process.terminate()
    return None


def _outcome(code: int | None, said: str, disk: DiskWatch, out: Path) -> Outcome:
    reports, findings, finished = read_results(out) if out.is_dir() else ([], [], True)
    files, large = read_files(out) if out.is_dir() else ([], [])
    if disk.cut:
        state, message = TaskState.CUT, disk.cut
    else:
        state = TaskState.DONE if code in (0, 1) and finished else TaskState.FAILED
        message = "" if code in (0, 1) else said or "it took far longer than its budget"
    if large:
        message = "\n".join(filter(None, [message, f"too large to be kept: {', '.join(large)}"]))
    failed = state is TaskState.FAILED
    return Outcome(
        state,
        code,
        message,
        0.0,
        tuple(reports),
        tuple(findings),
        tuple(files),
        unprotected=failed and UNPROTECTED in said,
        full=failed and tells_of_full_disk(said) and disk.full,
    )
