"""LIST.toml -> the tasks that it asks for.

    time = 10                          # keys above the tables hold for all of them
    [[pair]]
    repository = "../cJSON"            # or a URL
    history = ["v1.7.15..v1.7.17"]     # each commit against its parent; revisions: just the two
    [[pair]]
    old = "samples/foo/old.c"          # or two folders
    new = "samples/foo/new.c"
    entry = "foo"

All other keys are options of ``csgtest build`` by their long names, as in csgtest.toml, but for
those that only the command line may say. Paths start from the list's folder.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

from csg.errors import CsgtestError, UsageError
from csg.files import OutsideError, is_inside, read_file, read_text
from csg.toolchain import preprocess_noting
from fleet.repositories import Commit, checkout, commits, is_url, pair
from fleet.tasks import Commits, Files, Task
from symexec.options import FleetOptions
from symexec.options.settings import Setting, read_table, words_of

_TABLE = "pair"
_OWN = ("repository", "revisions", "history", "old", "new")
_TIME = 20.0  # seconds of a task, where nobody says more
# Options of a task with a place of their own in it.
_FIELDS = ("time", "seed", "deterministic")
_OF_BUILDS = ("build", "old-build", "new-build")
_HINT = "docs/fleets.md says what a list holds"
_LINE = 40  # bytes, for the cost of a pair of files

Put = Callable[[bytes], str]  # keeps a content, and returns its name


@dataclass(frozen=True, slots=True)
class Candidate:
    """A task of a run. ``cost``: about how many lines differ."""

    task: Task
    label: str
    cost: int


def read_list(options: FleetOptions, put: Put) -> list[Candidate]:
    """The tasks of a list, the cheapest first. Files that tasks need are kept by ``put``. Raises
    UsageError with the number of the pair that is wrong."""
    path = options.list
    try:
        found = tomllib.loads(read_text(path, hint=_HINT))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is no TOML: {error}", hint=_HINT) from None
    pairs = found.pop(_TABLE, None)
    if not isinstance(pairs, list) or not all(isinstance(each, dict) for each in pairs):
        raise UsageError(f"{path} names no pairs", hint=f"a table for each: [[{_TABLE}]]")
    above = _settings(found, str(path), path.parent)
    candidates: list[Candidate] = []
    for number, each in enumerate(pairs, 1):
        reader = _Pair(each, f"{path}, pair {number}", path.parent, above, options)
        candidates += reader.candidates(put)
    return sorted(candidates, key=lambda each: (each.cost, each.label, each.task.id))


def _settings(found: Mapping[str, Any], source: str, folder: Path) -> dict[str, Setting]:
    return {each.key: each for each in read_table(found, source, folder, _HINT)}


class _Pair:
    """The reader of one table."""

    def __init__(
        self,
        found: Mapping[str, Any],
        source: str,
        folder: Path,
        above: Mapping[str, Setting],
        asked: FleetOptions,
    ) -> None:
        self._source = source
        self._folder = folder
        self._own = {key: found[key] for key in _OWN if key in found}
        rest = {key: value for key, value in found.items() if key not in _OWN}
        self._settings = {**above, **_settings(rest, source, folder)}
        self._asked = asked

    def candidates(self, put: Put) -> list[Candidate]:
        if "repository" in self._own:
            return list(self._of_repository())
        if not {"old", "new"} <= self._own.keys() or len(self._own) > 2:
            self._refuse("names neither a repository nor old and new")
        return [self._of_files(put)]

    def _refuse(self, what: str) -> NoReturn:
        raise UsageError(f"{self._source}: {what}", hint=_HINT)

    def _text(self, key: str) -> str:
        value = self._own[key]
        if not isinstance(value, str):
            self._refuse(f"{key} is a text, in quotes")
        return value

    def _texts(self, key: str) -> list[str]:
        value = self._own.get(key, [])
        listed = value if isinstance(value, list) else [value]
        if not all(isinstance(each, str) for each in listed):
            self._refuse(f"{key} is a list of texts")
        return listed

    def _task(self, source: Commits | Files) -> Task:
        words: list[str] = []
        for key, each in self._settings.items():
            if key not in (*_FIELDS, "flags"):
                words += words_of(each)
        flags = self._settings.get("flags")
        values = {key: self._settings[key].value for key in _FIELDS if key in self._settings}
        asked = self._asked
        return Task(
            source,
            tuple(words),
            tuple(words_of(flags)) if flags is not None else (),
            asked.time or float(values.get("time", _TIME)),
            asked.seed if asked.seed is not None else int(values.get("seed", 0)),
            asked.deterministic or bool(values.get("deterministic", False)),
        )

    # ------------------------------------------------------------------------------- repositories

    def _of_repository(self) -> Iterator[Candidate]:
        if {"old", "new"} & self._own.keys():
            self._refuse("names a repository, and old or new")
        place = self._text("repository")
        where = place if is_url(place) else os.path.abspath(self._folder / place)
        found: list[Commit] = []
        try:
            folder = checkout(where)
            found += [pair(folder, each) for each in self._texts("revisions")]
            found += [each for text in self._texts("history") for each in commits(folder, text)]
        except UsageError as error:
            self._refuse(error.message)
        if not found:
            self._refuse("names no two commits: revisions, or history")
        for each in found:
            yield self.of_commit(where, Path(place).name.removesuffix(".git"), each)

    def of_commit(self, place: str, name: str, each: Commit) -> Candidate:
        task = self._task(Commits(place, each.old, each.new))
        return Candidate(task, f"{name} {each.new[:10]} {each.title}", each.lines)

    # -------------------------------------------------------------------------------------- files

    def _of_files(self, put: Put) -> Candidate:
        if any(key in self._settings for key in _OF_BUILDS):
            self._refuse("files are compiled by their flags; to build them, name a repository")
        both = [Path(os.path.normpath(self._folder / self._text(key))) for key in ("old", "new")]
        for each in both:
            if not each.exists():
                self._refuse(f"{each}: no such file or folder")
        here = self._folder.resolve()
        whole = [each.resolve().parent / each.name for each in both]
        base = Path(os.path.commonpath([here, *(each.parent for each in whole)]))
        try:
            found = sorted(set(self._needed(whole, base)))
        except OutsideError as error:
            self._refuse(error.message)
        contents = {each.relative_to(base).as_posix(): read_file(each) for each in found}
        tree = {name: put(content) for name, content in contents.items()}
        words = [os.path.relpath(each, here) for each in whole]
        below = os.path.relpath(here, base)
        source = Files(put(json.dumps(tree, sort_keys=True).encode()), below, words[0], words[1])
        return Candidate(self._task(source), " ".join(words), _differing(whole) // _LINE)

    def _needed(self, both: Sequence[Path], base: Path) -> Iterator[Path]:
        """The files of both versions that stand below ``base``, with the headers they include and
        the files that options name."""
        flags = self._settings.get("flags")
        for each in (*both, *self._named()):
            if each.is_dir():
                yield from _files(each)
                continue
            yield each
            with suppress(CsgtestError):  # whoever runs the task says why
                _, headers = preprocess_noting(str(each), flags.value if flags is not None else ())
                for header in map(Path, headers):
                    place = header.resolve().parent / header.name
                    if place.is_relative_to(base) and base != Path("/"):
                        yield place

    def _named(self) -> Iterator[Path]:
        for setting in self._settings.values():
            values = setting.value if isinstance(setting.value, list) else [setting.value]
            for each in values:
                if isinstance(each, Path):
                    yield each.resolve()


def _files(folder: Path) -> Iterator[Path]:
    """The files of a version. Raises OutsideError for a link that leads out of it: a stranger may
    have made it, and what is read here goes to the store and to workers."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(each for each in folders if each != ".git")
        for file in (Path(place, name) for name in names):
            if not file.is_file():
                continue
            if file.is_symlink() and not is_inside(file, folder):
                raise OutsideError(f"'{file}' leads out of '{folder}', or to a hidden file in it")
            yield file


def _differing(both: Sequence[Path]) -> int:
    """The bytes of the files that two versions do not have alike."""
    if not all(each.is_dir() for each in both):
        return max(each.stat().st_size for each in both)
    sides = [{file.relative_to(each): file for file in _files(each)} for each in both]
    found = 0
    for name in sides[0].keys() | sides[1].keys():
        contents = [read_file(side[name]) if name in side else b"" for side in sides]
        if contents[0] != contents[1]:
            found += max(map(len, contents))
    return found


def deeper(task: Task, times: float) -> Task:
    """The same search with more time."""
    return replace(task, time=task.time * times)
