"""What the user names becomes the files of two versions, in pairs, each with its compiler flags.

    old.c new.c --with list.c       (old.c, new.c), (list.c, list.c)
    v1/ v2/                         (v1/main.c, v2/main.c), (nothing, v2/extra.c), ...

Flags are those given for all files, and those that the build's ``compile_commands.json`` (CMake,
Bear or Meson) has for one of them, as far as they decide what the text means; folders in them are
made absolute:

    [{"directory": "/b", "file": "../src/a.c", "arguments": ["cc", "-Iinc", "-DX", "-c", ...]}]

    commands = read_commands(Path("/b"))
    commands.flags(Path("/src/a.c"))            ("-I/b/inc", "-DX")
"""

from __future__ import annotations

import fnmatch
import json
import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from itertools import pairwise
from pathlib import Path, PurePosixPath

from csg.errors import UsageError, some_of
from csg.files import is_inside, read_file, read_text
from csg.harmless_flags import as_file, is_harmless
from csg.records import record
from csg.toolchain import of_optimisation

NAME = "compile_commands.json"

_BUILDS = ("build", "builddir", "_build")
OF_THE_SYSTEM = (Path("/usr"), Path("/opt"))  # where headers are installed

_WITH_PATH = ("-iquote", "-isystem", "-idirafter", "-include", "-imacros", "-I")
_WITH_WORD = ("-D", "-U")
_RELEVANT = ("-std=", "-ansi", "-f", "-m", "-pthread", "-nostdinc")
_OF_THE_BUILD = ("-mcmodel", "-mtune", "-fsanitize", "-fdiagnostics")


@record
class Commands:
    """The compiler flags of a build. ``known`` has them for each file that it compiled, by its real
    path."""

    database: Path
    known: Mapping[str, tuple[str, ...]]

    def flags(self, file: Path) -> tuple[str, ...] | None:
        return self.known.get(os.path.realpath(file))


@record
class CompilerCall:
    """An entry of a database: a file, its flags, and the object that was made of it, from the
    folder that all calls ran in or below."""

    file: str
    flags: tuple[str, ...]
    output: str


def read_commands(build: Path) -> Commands:
    """Read the database of a build folder (or the file itself). Where it has several commands for
    one file, the first counts."""
    database, calls = calls_of(build)
    known: dict[str, tuple[str, ...]] = {}
    for each in calls:
        known.setdefault(each.file, each.flags)
    return Commands(database, known)


def calls_of(build: Path) -> tuple[Path, list[CompilerCall]]:
    """The database of a build folder (or the file itself), and all that it says."""
    database = build / NAME if build.is_dir() else build
    calls = []
    try:
        text = read_text(database, hint=f"name the folder of a build that wrote {NAME}")
        entries = _entries(json.loads(text))
        folders = {str(entry["directory"]) for entry in entries}
        base = os.path.commonpath(folders) if "" not in folders and folders else ""
        for entry in entries:
            directory, words = str(entry["directory"]), _words(entry)
            file = os.path.realpath(os.path.join(directory, str(entry["file"])))
            named = str(entry.get("output") or dict(pairwise(words)).get("-o") or f"{file}.o")
            output = os.path.relpath(os.path.join(directory, named), base or None)
            calls.append(CompilerCall(file, tuple(recorded_flags(words, directory)), output))
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UsageError(f"{database} is no database of compile commands ({error})") from None
    return database, calls


def find_commands(folder: Path, top: Path | None) -> Path | None:
    """The nearest database to a folder: in it, in a build folder below it, or likewise in a folder
    above, up to ``top`` (None: no further than the folder itself). None where there is none; one
    that is a link out of these folders does not count."""
    folder = folder.resolve()
    places = [folder]
    if top is not None and folder.is_relative_to(top.resolve()):
        places += [each for each in folder.parents if each.is_relative_to(top.resolve())]
    files = [place / name / NAME for place in places for name in ("", *_BUILDS)]
    there = (file for file in files if os.path.isfile(file))
    return next((file for file in there if is_inside(file, places[-1], hidden=True)), None)


def refused_commands(folder: Path) -> str | None:
    """A sentence on a database in a folder that ``find_commands`` does not use, for it is a link to
    elsewhere."""
    file = folder / NAME
    if not os.path.isfile(file) or is_inside(file, folder, hidden=True):
        return None
    where = os.path.dirname(os.path.realpath(file))
    return f"{os.path.relpath(file)} leads out of its folder: it is not used (--build {where})"


def summary_of(commands: Commands) -> str:
    """The database in a line of text, with the number of entries whose files no longer exist."""
    lost = [os.path.relpath(file) for file in commands.known if not os.path.exists(file)]
    shown = os.path.relpath(commands.database)
    if not lost:
        return shown
    return f"{shown} ({len(lost)} of its files are gone: {some_of(lost)})"


def write_commands(database: Path, known: Mapping[str, Sequence[str]]) -> None:
    """Write the flags of each file as a database that ``read_commands`` reads in the same working
    folder."""
    entries = [
        {"directory": "", "file": file, "arguments": ["cc", *flags, "-c", file]}
        for file, flags in known.items()
    ]
    database.write_text(json.dumps(entries, indent=1))


def _entries(value: object) -> list[dict[str, object]]:
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise ValueError("a list of objects is expected")
    for entry in value:
        _require_words(entry.values())
    return value


def _require_words(values: Iterable[object]) -> None:
    """Raise ValueError where a text cannot be a word of a command."""
    for value in values:
        if isinstance(value, list):
            _require_words(value)
        elif b"\0" in os.fsencode(str(value)):
            raise ValueError("a null character in a word")


def _words(entry: Mapping[str, object]) -> list[str]:
    arguments = entry.get("arguments")
    if isinstance(arguments, list):
        return [str(word) for word in arguments]
    return shlex.split(str(entry["command"]))


def recorded_flags(words: Sequence[str], directory: str) -> Iterator[str]:
    """The flags of a compiler call that say what the text means. The build may be a stranger's, so
    flags that name files to write or to load are left out."""
    rest = iter(words)
    for word in rest:
        option = next((each for each in _WITH_PATH if word.startswith(each)), None)
        if option is not None:
            path = word[len(option) :] or next(rest, "")
            yield from _placed(option, path, directory)
        elif word[:2] in _WITH_WORD:
            yield word[:2] + (word[2:] or next(rest, ""))
        elif word == "-o":
            next(rest, None)
        elif (
            word.startswith(_RELEVANT) and is_harmless(word) and not word.startswith(_OF_THE_BUILD)
        ):
            yield word
    yield from of_optimisation(words)  # it takes back a _FORTIFY_SOURCE among the flags above


def placed_flags(words: Sequence[str], directory: str) -> Iterator[str]:
    """The flags, with the folders of headers made absolute."""
    rest = iter(words)
    for word in rest:
        option = next((each for each in _WITH_PATH if word.startswith(each)), None)
        if option is None:
            yield word
        else:
            yield from _placed(option, word[len(option) :] or next(rest, ""), directory)


def named_paths(words: Sequence[str]) -> Iterator[str]:
    """The files and folders that ``placed_flags`` name, with those of libraries."""
    rest = iter(words)
    for word in rest:
        option = next((each for each in (*_WITH_PATH, "-L") if word.startswith(each)), None)
        if option is not None:
            yield word[len(option) :] or next(rest, "")


def _placed(option: str, path: str, directory: str) -> tuple[str, ...]:
    full = os.path.normpath(os.path.join(directory, path))
    if option in ("-include", "-imacros") and not os.path.exists(full):
        full = path  # the file is found in a folder for headers
    full = as_file(full)
    return (option + full,) if option == "-I" else (option, full)


Flags = tuple[str, ...]


@record
class SourceFile:
    """A C file of a version. ``shown`` is what __FILE__ expands to in both versions, so that
    messages do not differ by the file's name alone; "" means the path."""

    path: Path
    flags: Flags = ()
    shown: str = ""

    @property
    def name_flags(self) -> Flags:
        """The compiler flags that make __FILE__ expand to ``shown``."""
        named, full = str(self.path), str(self.path.absolute())
        shown = self.shown or named
        names = dict.fromkeys((named, full))
        return tuple(
            f"-fmacro-prefix-map={name}={shown}"
            for name in names
            if name != shown and "=" not in name
        )


@record
class FilePair:
    """The same file in both versions; a side is None where that version has no such file."""

    old: SourceFile | None
    new: SourceFile | None
    both: SourceFile | None = None  # the file that holds both versions, annotated by hand
    below: str = ""  # its path in the folder that it lies in: it may belong to another program

    @property
    def unnamed(self) -> bool:
        """Was the file found in a folder, rather than named by the user or a build?"""
        return bool(self.below)


ANNOTATED = "CSGTEST_ANNOTATED"  # defined where change() and execute() are no macros
_SIDES = {
    "old": ("-DCSGTEST_OLD", "-DOLD=1", "-DNEW=0", "-Dchange(o,n)=(o)", "-Dchange_(i,o,n)=(o)"),
    "new": ("-DCSGTEST_NEW", "-DOLD=0", "-DNEW=1", "-Dchange(o,n)=(n)", "-Dchange_(i,o,n)=(n)"),
}
_PATHS = ("-I", "-iquote", "-isystem", "-idirafter", "-include", "-imacros")
_EXECUTE = ("-Dexecute(v)=(v)", "-Dexecute_(i,v)=(v)")


def _annotated(file: SourceFile) -> FilePair:
    """The pair for a file annotated by hand: the file as the compiler of each version sees it."""
    old, new = (
        SourceFile(file.path, (*file.flags, *_SIDES[side], *_EXECUTE), file.shown)
        for side in ("old", "new")
    )
    return FilePair(old, new, SourceFile(file.path, (*file.flags, f"-D{ANNOTATED}"), file.shown))


@record
class Annotation:
    """How two versions are unified. ``by_lines``: a statement whose line differs is a change though
    it computes the same. ``published``: as the papers annotate by hand
    (csg.unify.output.annotated)."""

    by_lines: bool = False
    published: bool = False


BY_TREES = Annotation()


class Interactions(Enum):
    """Which interaction locations a change sequence graph has."""

    IMPORTANT = "important"  # where sets of changes meet
    ALL = "all"  # every statement that depends on two changes (FSE 2013, definition 4)
    AT_MEMORY = (
        "at-memory"  # important ones, and where memory is used that changes may not allocate
    )


@record
class GraphRules:
    """How a change sequence graph is made. ``deletions``: deleted statements are nodes, too.
    ``paper``: Algorithm 1 of FSE 2013 to the letter, whatever the other rules say."""

    interactions: Interactions = Interactions.IMPORTANT
    deletions: bool = True
    paper: bool = False


OURS = GraphRules()


@record
class Versions:
    """Two versions of a program as the user names them: two files, or two folders. ``others`` are
    files of both; a build is a folder with compile_commands.json."""

    old: Path
    new: Path
    flags: Flags = ()
    others: tuple[Path, ...] = ()
    old_build: Path | None = None
    new_build: Path | None = None
    annotated: bool = False  # OLD is NEW: one file with change() and execute() in it
    ignored: tuple[str, ...] = ()  # patterns of files of the folders that do not belong to it

    def flags_of_files(self) -> dict[str, Flags]:
        """How each file of either version is compiled, by its name."""
        files = [each for pair in self.pairs() for each in (pair.old, pair.new)]
        return {str(each.path): each.flags for each in files if each is not None}

    def pairs(self) -> tuple[FilePair, ...]:
        """Every file once: OLD and NEW first, or the folders' files by their relative paths."""
        flags = _FlagsOfFiles(self)
        if os.path.isdir(self.old) and os.path.isdir(self.new):
            pairs = [
                replace(flags.pair(old, new), below=name)
                for name, (old, new) in _in_folders(self).items()
            ]
        else:
            pairs = [flags.pair(self.old, self.new)]
        pairs += [flags.pair(other, other) for other in _distinct(self.others)]
        if self.annotated and pairs[0].new is not None:
            pairs[0] = _annotated(pairs[0].new)
        return tuple(pairs)


# Of a program or a library of a build.
NOT_COMPILED = "what was linked differs, and csgtest has not seen it being compiled"
_ASSEMBLER = frozenset({".s", ".S", ".sx", ".asm"})
_INCLUDES = re.compile(rb"^\s*(?:#\s*include|\.include|\.incbin)\b", re.MULTILINE)


def is_for_assembler(name: str) -> bool:
    return os.path.splitext(name)[1] in _ASSEMBLER


def assembler_files(old: Path, new: Path) -> Iterator[tuple[str, str]]:
    """The files for the assembler that differ between two folders, or that read other files, by
    their relative names; with what is to be said of each."""
    if not (old.is_dir() and new.is_dir()):
        return
    both = [
        {
            os.path.relpath(file, folder): file
            for file in sorted(folder.rglob("*"))
            if is_for_assembler(file.name) and file.is_file()
        }
        for folder in (old, new)
    ]
    for name in sorted(both[0].keys() | both[1].keys()):
        texts = [read_file(files[name]) for files in both if name in files]
        if len(texts) < 2 or texts[0] != texts[1]:
            yield name, f"'{name}' differs, and is no C"
        elif _INCLUDES.search(texts[0]):
            yield name, f"'{name}' reads other files, and is no C"


# Folders of programs that are not what a repository is for.
_ASIDE = re.compile(
    r"tests?|testsuite|t|check|examples?|samples?|demos?|fuzz|fuzzing|oss-fuzz|bench|benchmarks?"
    r"|contrib"
)
_ASIDE_NAME = re.compile(
    r"(?:test|fuzz|bench|example).*|.*[-_.](?:tests?|fuzz\w*|bench\w*|examples?)"
)
PathPair = tuple[Path | None, Path | None]


def files_of(pairs: Iterable[FilePair]) -> tuple[tuple[SourceFile, ...], tuple[SourceFile, ...]]:
    """The files of the old version, and the files of the new version."""
    listed = list(pairs)
    return (
        tuple(pair.old for pair in listed if pair.old is not None),
        tuple(pair.new for pair in listed if pair.new is not None),
    )


def _distinct(files: Sequence[Path]) -> list[Path]:
    """The paths without repetition: a file that is named twice is one file."""
    return list({os.path.realpath(file): file for file in reversed(files)}.values())[::-1]


def _in_folders(versions: Versions) -> dict[str, PathPair]:
    """The pairs of files in two folders, by their relative paths. Where there is a build, it
    decides which files belong to the program, for its own version and for the other one."""
    before, after = (_c_files(each, versions.ignored) for each in (versions.old, versions.new))
    if not before and not after:
        raise UsageError(
            f"neither {versions.old} nor {versions.new} has a C file in it",
            hint="name the folders of two versions of one program",
        )
    names = before.keys() | after.keys()
    if versions.old_build is not None or versions.new_build is not None:
        built = _built(before, versions.old_build), _built(after, versions.new_build)
        known = built[0] | built[1]
        alone = [  # of a version that no build knows: whoever needs the flags will say so
            name
            for own, other, listed in ((before, after, built[0]), (after, before, built[1]))
            for name in own.keys() - other.keys()
            if not listed
        ]
        names = (known | set(alone)) or names
    return {name: (before.get(name), after.get(name)) for name in sorted(names)}


def _built(files: Mapping[str, Path], build: Path | None) -> set[str]:
    commands = _commands(build)
    return {name for name, file in files.items() if _known(commands, file) is not None}


def is_aside(path: str) -> bool:
    """Is the file a test or an example, by its name or by a folder that it is in?"""
    *folders, name = PurePosixPath(path).parts
    aside = any(_ASIDE.fullmatch(each) for each in folders)
    return aside or _ASIDE_NAME.fullmatch(name.partition(".")[0]) is not None


def matches(path: str, patterns: Iterable[str]) -> bool:
    """Does a pattern name the file, or a folder that it is in? ``*`` matches slashes as well."""
    places = [path, *map(str, PurePosixPath(path).parents)]
    return any(
        fnmatch.fnmatchcase(place, form)
        for pattern in patterns
        for form in (pattern.strip("/"), pattern.strip("/").removeprefix("**/"))
        for place in places[: len(places) - 1]  # the last one is "."
    )


def _c_files(folder: Path, ignored: Sequence[str]) -> dict[str, Path]:
    """Every C file below the folder by its relative path."""
    found: dict[str, Path] = {}
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in names:
            if name.endswith(".c") and not name.startswith("."):
                file = Path(place, name)
                found[file.relative_to(folder).as_posix()] = file
    return {name: file for name, file in found.items() if not matches(name, ignored)}


class _FlagsOfFiles:
    """The flags of each file: those of the build, then those that the user gave for all files. A
    folder of headers inside one of the two folders is replaced by its counterpart for the other
    version."""

    def __init__(self, versions: Versions) -> None:
        self._versions = versions
        self._old = _commands(versions.old_build)
        self._new = (
            self._old if versions.new_build == versions.old_build else _commands(versions.new_build)
        )

    def pair(self, old: Path | None, new: Path | None) -> FilePair:
        versions = self._versions
        old_given = self._moved(versions.flags, versions.new, versions.old) or ()
        new_given = self._moved(versions.flags, versions.old, versions.new) or ()
        old_own, new_own = _known(self._old, old), _known(self._new, new)
        if old is not None and old_own is None:
            old_own = self._moved(new_own, versions.new, versions.old)
        if new is not None and new_own is None:
            new_own = self._moved(old_own, versions.old, versions.new)
        self._require(old, old_own, self._old)
        self._require(new, new_own, self._new)
        shown = str(new or old)
        return FilePair(
            None if old is None else SourceFile(old, (*(old_own or ()), *old_given), shown),
            None if new is None else SourceFile(new, (*(new_own or ()), *new_given), shown),
        )

    def _moved(self, flags: Flags | None, source: Path, target: Path) -> Flags | None:
        """The flags with folders of one version replaced by those of the other, where these
        exist."""
        if flags is None or not (source.is_dir() and target.is_dir()):
            return flags
        return moved_flags(flags, os.path.realpath(source), os.path.realpath(target))

    def _require(self, file: Path | None, flags: Flags | None, commands: Commands | None) -> None:
        if file is not None and flags is None and commands is not None:
            raise UsageError(
                f"{commands.database} does not say how {file} is compiled",
                hint="give the flags after -- instead of the build",
            )


def _commands(build: Path | None) -> Commands | None:
    if build is None:
        return None

    return read_commands(build)


def _known(commands: Commands | None, file: Path | None) -> Flags | None:
    return None if commands is None or file is None else commands.flags(file)


def moved_flags(flags: Flags, before: str, after: str) -> Flags:
    """The flags with paths below ``before`` replaced by paths below ``after``, where these
    exist."""
    leading = ("", *flags)
    return tuple(
        _moved(flag, before, after) if option in _PATHS or flag.startswith("-I") else flag
        for option, flag in zip(leading, flags, strict=False)
    )


def _moved(flag: str, before: str, after: str) -> str:
    option = "-I" if flag.startswith("-I") else ""
    path = os.path.realpath(flag[len(option) :])
    if flag == option or not (path + "/").startswith(before + "/"):
        return flag
    moved = after + path[len(before) :]
    return option + moved if os.path.exists(moved) else flag
