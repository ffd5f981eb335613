"""What ``A..B`` means in a git repository, and both trees as folders of files.

    asked = read_revisions("main...HEAD", Path("."))     Revisions(old=<merge base>, new=<HEAD>)
    asked.export(Path("old"), Path("new"))               both trees, as they were committed

    A..B  A...B (from the merge base)  A (against the work tree)  nothing (HEAD against it)

    versions = unbuilt_versions(asked, trees, flags, out / "versions", None)
    versions.flags        ("-Iinclude" below the new tree,), for what is included by another name
    versions.ignored      ("tests/check.c",) where nothing but tests and examples has a main
    include_in_file(tree, "list.h")    "list.h.c": a library is a header that only tests include

Where no build makes anything of a tree its C files are one program, or one library.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import stat
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path, PurePosixPath
from types import MappingProxyType

from csg.errors import CsgtestError, ToolchainError, UsageError
from csg.files import read_file, read_inside, read_text
from csg.frontend import parse_file
from csg.programs import (
    Commands,
    Flags,
    Versions,
    find_commands,
    is_aside,
    matches,
    moved_flags,
    read_commands,
    refused_commands,
    summary_of,
    write_commands,
)
from csg.records import record
from csg.toolchain import preprocess_noting
from symexec.options import FileOptions
from symexec.options.reading import means_revisions
from symexec.options.settings import NAME, Settings, read_settings, template
from symexec.projects.commits import is_part, named_commit
from symexec.projects.leavings import remove_links_outside
from symexec.projects.recipes import recipes_of
from symexec.projects.trees import (
    ALONE,
    STAGED,
    WORK_TREE,
    GitFailed,
    export_tree,
    git,
    git_line,
    listed_paths,
    top_of,
    unread,
)
from symexec.testcases.store import replace_file

_NONE_LEFT: Mapping[str, list[str]] = MappingProxyType({})
# a definition of main, and no comment about it
BEGINS = re.compile(rb"^[\w \t\r\f\v*]*\bmain\s*\(", re.M)
# The functions of a header that is a library are compiled where this name is defined.
_HOLDS = re.compile(r"^[ \t]*#[ \t]*if(?:def|[ \t]+defined)[ \t]*\(?[ \t]*(\w*IMPL\w*)", re.M)
_INCLUDED = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*[<"]([^<>"\n]+)[>"]', re.M)


@record
class Revisions:
    """``old`` is a commit; ``new`` a commit, ``WORK_TREE`` or ``STAGED``."""

    repository: Path  # its top folder
    old: str
    new: str

    @property
    def shown(self) -> tuple[str, str]:
        """Both revisions as a person would name them."""
        return _short(self.old), _short(self.new)

    def export(self, old: Path, new: Path) -> list[str]:
        """Write both trees. Returns notes on what was not available: submodules."""
        both = ((self.old, old), (self.new, new))
        return [note for each in both for note in export_tree(self.repository, *each)]

    def file(self, name: str) -> tuple[str, bytes] | None:
        """A file at the top of the repository that says how to test, and of which version it is.
        That of the work tree or the index counts where this is the new version; else that of the
        old version, for a change does not say how it is tested; else one that was never committed.
        """
        file = self.repository / name
        if self.new != WORK_TREE:
            old, new = (self._committed_content(each, name) for each in (self.old, self.new))
            if self.new == STAGED and new is not None:
                return STAGED, new
            if new is not None and old is None:
                return f"{_short(self.old)}, which has none (--config {name} reads a new one)", b""
            if old is not None:
                other = "" if old == new else f", and not that of {_short(self.new)}"
                return f"{_short(self.old)}{other}", old
        if not file.is_file():
            return None
        return WORK_TREE, read_inside(file, self.repository)

    def _committed_content(self, revision: str, name: str) -> bytes | None:
        place = f"{'' if revision == STAGED else revision}:{name}"
        try:
            return git(self.repository, "cat-file", "blob", place)
        except GitFailed:
            return None


def read_revisions(text: str, folder: Path, staged: bool = False) -> Revisions:
    """The revisions that ``text`` names. Raises UsageError where ``folder`` lies in no repository,
    or the repository has no such revision."""
    top = top_of(folder)
    if staged:
        return Revisions(top, _commit(top, text or "HEAD"), STAGED)
    if "..." in text:
        before, _, after = text.partition("...")
        old, new = _commit(top, before or "HEAD"), _commit(top, after or "HEAD")
        base = git_line(top, "merge-base", old, new, why=f"has no common ancestor of {text}")
        if is_part(top, new, old):
            raise UsageError(
                f"{before or 'HEAD'} contains {after or 'HEAD'}: there is nothing to compare",
                hint=f"{before}..{after} compares both as they are",
            )
        return Revisions(top, base.splitlines()[0], new)
    if ".." in text:
        before, _, after = text.partition("..")
        return Revisions(top, _commit(top, before or "HEAD"), _commit(top, after or "HEAD"))
    return Revisions(top, _commit(top, text or "HEAD"), WORK_TREE)


def changed_files(revisions: Revisions, tree: Path) -> list[str]:
    """The files of a tree that two commits have differently."""
    both = (revisions.old, revisions.new)
    words = ("diff", *ALONE, "--no-renames", "--name-only", *both)
    return [name for name in listed_paths(revisions.repository, *words) if (tree / name).exists()]


def _short(revision: str) -> str:
    return revision if revision in (WORK_TREE, STAGED) else revision[:10]


def _commit(top: Path, name: str) -> str:
    found = named_commit(top, name)
    if found is None:
        raise unread(top, f"has no revision '{name}'")
    return found


# ------------------------------------------------------------------------- what differs


def differing_names(old: Path, new: Path) -> list[str]:
    """The files, links and empty folders in which two trees differ, and the links that lead to one
    of them."""
    both = old, new
    names = {name for tree in both for name in _names_below(tree)}
    found = {name for name in names if _kind(old / name) != _kind(new / name)}
    found |= {name for name in names - found if not _is_alike(old / name, new / name)}
    led = {name for tree in both for name in names - found if _leads_to(found, tree, name)}
    return sorted(found | led)


def _names_below(tree: Path) -> Iterator[str]:
    """All that holds nothing else; a link to a folder is followed by none who lists a tree."""
    for place, folders, names in os.walk(tree):
        links = [each for each in folders if os.path.islink(os.path.join(place, each))]
        for name in (*names, *links):
            yield os.path.relpath(os.path.join(place, name), tree)
        if not folders and not names:
            yield os.path.relpath(place, tree)


def _kind(path: Path) -> tuple[int, int, str]:
    """What a path is: its sort, whether it may be run, and where a link leads."""
    if not os.path.lexists(path):
        return 0, 0, ""
    status = path.lstat()
    if stat.S_ISLNK(status.st_mode):
        return stat.S_IFLNK, 0, os.readlink(path)
    runs = status.st_mode & stat.S_IXUSR if stat.S_ISREG(status.st_mode) else 0
    return stat.S_IFMT(status.st_mode), runs, ""


def _is_alike(old: Path, new: Path) -> bool:
    """Of two paths of one kind."""
    return old.is_symlink() or old.is_dir() or _is_equal(old, new)


def _leads_to(names: Set[str], tree: Path, link: str) -> bool:
    """Is it a link to a file of these names, or to a folder that one of them is in?"""
    if not (tree / link).is_symlink():
        return False
    target = os.path.relpath(os.path.realpath(tree / link), os.path.realpath(tree))
    return any(target in (os.curdir, name) or name.startswith(f"{target}/") for name in names)


# ------------------------------------------------------------------ trees that no build makes


_PROBES = ("CMakeFiles", "meson-private")  # where builds leave programs of their own


def unbuilt_versions(
    revisions: Revisions,
    trees: Sequence[Path],
    flags: Flags,
    place: Path,
    database: Path | None,
    ignored: Sequence[str] = (),
) -> tuple[Versions, Mapping[str, list[str]]]:
    """Copy both trees to ``place/old`` and ``place/new``. ``database`` (compile_commands.json of
    the work tree) says which files belong to the program, and their flags; without it all C files
    do, but for tests, and for those that are returned as well, by why they are left out."""
    shutil.rmtree(place, ignore_errors=True)
    old, new = place / "old", place / "new"
    for tree, copy in zip(trees, (old, new), strict=True):
        shutil.copytree(tree, copy, symlinks=True, ignore=shutil.ignore_patterns(*_PROBES))
        remove_links_outside(copy)
    flags = moved_flags(flags, os.path.realpath(revisions.repository), str(new))
    if database is not None:
        known = read_commands(database).known
        before, after = (_moved(known, revisions.repository, tree) for tree in (old, new))
        return Versions(
            old, new, flags, old_build=before, new_build=after, ignored=tuple(ignored)
        ), _NONE_LEFT
    flags = (*flags, *(f"-I{folder}" for folder in _include_folders(new)))
    files = [*_files(old, ignored), *_files(new, ignored)]
    names = {name for name, _ in files}
    equal = {name for name in names if _is_equal(old / name, new / name)}
    tests = {name for name in names if is_aside(name)}
    programs = {name for name, text in files if BEGINS.search(text)}
    programs -= {name for name in programs - tests if _is_without_main(new / name, flags)}
    aside, others = _around_what_differs(names, programs, equal)
    if tests == names:
        headers = [each for each in _headers(new) if _differs(old / each, new / each)]
        for header in headers:
            for tree in (old, new):
                include_in_file(tree, header)
        aside = sorted(tests) if headers else []
    unread = _unreadable(new, sorted(equal - {*aside, *others}), flags)
    left = {"as other programs": others, "as they cannot be read": unread}
    return Versions(old, new, flags, ignored=(*ignored, *aside, *others, *unread)), left


def _is_without_main(file: Path, flags: Flags) -> bool:
    """Is it behind an #if that leaves it out?"""
    try:
        text, _ = preprocess_noting(str(file), flags)
    except ToolchainError:
        return False
    return BEGINS.search(text.encode("utf-8", "surrogateescape")) is None


def _unreadable(tree: Path, names: Sequence[str], flags: Flags) -> list[str]:
    """Those that want a header which is not there, as of a library that nobody has installed, or
    that say what is no C, as for one processor's vectors."""
    found = []
    for name in names:
        try:
            parse_file(tree / name, flags)
        except CsgtestError:
            found.append(name)
    return found


def _is_equal(old: Path, new: Path) -> bool:
    return old.is_file() and new.is_file() and read_file(old) == read_file(new)


def _moved(known: Mapping[str, Flags], top: Path, tree: Path) -> Path:
    """The flags of the work tree's files for the tree of another version. Files that only the work
    tree has, such as generated headers, are taken from there."""
    before = os.path.realpath(top)
    found = {}
    for file, flags in known.items():
        moved = tree / os.path.relpath(file, before)
        if file.startswith(before + "/") and moved.exists():
            found[str(moved)] = moved_flags(flags, before, str(tree))
    database = tree.with_suffix(".json")
    write_commands(database, found)
    return database


def _files(tree: Path, ignored: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """The C files by their paths in the tree, each with its text."""
    for file in sorted(tree.rglob("*.c")):
        name = file.relative_to(tree).as_posix()
        if file.is_file() and not matches(name, ignored):
            yield name, read_file(file)


def _headers(tree: Path) -> list[str]:
    names = sorted(each.relative_to(tree).as_posix() for each in tree.rglob("*.h"))
    return [name for name in names if not is_aside(name)]


def _differs(old: Path, new: Path) -> bool:
    return old.is_file() and not _is_equal(old, new)


def include_in_file(tree: Path, header: str) -> str:
    """Write a file next to a header that includes it and nothing else, and return its name. It
    defines the macro that makes the header define its functions."""
    text = read_text(tree / header)
    defined = [f"#define {name}\n" for name in dict.fromkeys(_HOLDS.findall(text))]
    name = f"{header}.c"
    content = f'{"".join(defined)}#include "{PurePosixPath(header).name}"\n'
    if (tree / name).is_symlink():
        (tree / name).unlink()
    (tree / name).write_text(content, "utf-8", "surrogateescape")
    return name


def _around_what_differs(
    names: Set[str], programs: Set[str], equal: Set[str]
) -> tuple[list[str], list[str]]:
    """What does not belong to the program that differs, or to the library: tests and examples, if
    nothing else has a ``main`` or one of them has, and files with the ``main`` of other programs.
    ``programs`` are the files with a ``main``."""
    aside = {name for name in names if is_aside(name)}
    proper = sorted(programs - aside)
    chosen = proper if len(proper) == 1 else [name for name in proper if name not in equal][:1]
    others = [name for name in proper if name not in chosen]
    if proper and programs.isdisjoint(aside):
        aside = set()
    left_out = aside.union(others)
    return (sorted(aside), others) if left_out < names else ([], [])


def _include_folders(tree: Path) -> list[Path]:
    """The folders of headers that are included from other folders; where several headers could be
    meant, that of the header with the shortest path."""
    headers = sorted(
        (each.relative_to(tree).as_posix() for each in tree.rglob("*.h")),
        key=lambda name: (name.count("/"), name),
    )
    found: dict[Path, None] = {}
    for file in sorted([*tree.rglob("*.c"), *tree.rglob("*.h")]):
        for included in _INCLUDED.findall(read_file(file)) if file.is_file() else ():
            name = os.fsdecode(included)
            if (file.parent / name).exists() or any((each / name).exists() for each in found):
                continue
            meant = next((each for each in headers if f"/{each}".endswith(f"/{name}")), None)
            if meant is not None and not is_aside(meant):
                parts = len(PurePosixPath(name).parts)
                found[tree.joinpath(*PurePosixPath(meant).parts[:-parts])] = None
    return list(found)


# ---------------------------------------------------------------------------------------- settings
# The csgtest.toml that a call is under:
#
#     csgtest build main...HEAD      the one at the top of the version before the change
#     csgtest build                  the one at the top of the work tree
#     csgtest build v1/ v2/          the one in the folder that both lie in
#     csgtest init                   a new one at the top of the repository

_LARGEST_SETTINGS = 1 << 20  # bytes


def found_settings(given: argparse.Namespace) -> Settings | None:
    """The csgtest.toml that a call is under; None where there is none, or where OLD and NEW are two
    C files. Raises UsageError where it is wrong."""
    if given.config is not None:
        if given.no_config:
            raise UsageError("--config and --no-config exclude each other", hint="leave one out")
        return _read(given.config, str(given.config), named=True)
    if given.no_config:
        return None
    if "old" not in given:  # compared as a CI service says
        from symexec.projects.pull_request import find_comparison

        try:
            asked = find_comparison(os.environ, Path.cwd(), given.base)
            if asked is None:
                return None
            revisions = read_revisions(asked.text, Path.cwd(), asked.staged)
        except UsageError:  # the command meets it again, and reports it as the service wants
            return None
        return _read_of(revisions)
    if means_revisions(given.old, given.new):
        return _read_of(read_revisions(given.old or "", Path.cwd(), given.staged))
    folders = [os.path.realpath(each) for each in (given.old, given.new) if each is not None]
    if len(folders) < 2 or not all(map(os.path.isdir, folders)):
        return None
    file = Path(os.path.commonpath(folders), NAME)
    if not file.is_file():
        return None
    if file.stat().st_uid not in (0, os.getuid()):
        raise UsageError(
            f"{file} belongs to another user", hint="say --config FILE to read it, or --no-config"
        )
    return _read(file, os.path.relpath(file))


def _read_of(revisions: Revisions) -> Settings | None:
    found = revisions.file(NAME)
    if found is None:
        return None
    where, content = found
    return _settings(content, f"{NAME} of {where}", revisions.repository)


def _read(file: Path, source: str, named: bool = False) -> Settings:
    if named:
        content = read_file(file, _LARGEST_SETTINGS)
    else:
        content = read_inside(file, file.parent, _LARGEST_SETTINGS)
    return _settings(content, source, file.parent, named)


def _settings(content: bytes, source: str, folder: Path, named: bool = False) -> Settings:
    if len(content) > _LARGEST_SETTINGS:
        raise UsageError(f"{source} is larger than {_LARGEST_SETTINGS >> 20} MB")
    try:
        return read_settings(content.decode(), source, folder, named)
    except UnicodeDecodeError as error:
        raise UsageError(f"{source} is no TOML: {error}") from None


def with_databases(files: FileOptions, old: Path, new: Path) -> tuple[FileOptions, list[str]]:
    """The files with the compile_commands.json nearest to OLD and NEW where none is given, and a
    note on it. A database that does not name the files is not used."""
    if files.revision is not None or files.old_build is not None or files.new_build is not None:
        return files, []
    found: list[Path | None] = []
    notes: dict[str, None] = {}
    for version in (old, new):
        found.append(None)
        folder = version if os.path.isdir(version) else version.parent
        database = find_commands(folder, _top_above(folder))
        if database is None:
            refused = refused_commands(folder)
            notes.update([(refused, None)] if refused else [])
            continue
        commands = read_commands(database)
        if _names(commands, (old, new), files.others, version):
            found[-1] = database
            notes[f"flags for each file are those of {summary_of(commands)}"] = None
        else:
            notes[f"{summary_of(commands)} does not name the files: it is not used"] = None
    return replace(files, old_build=found[0], new_build=found[1]), list(notes)


def flags_of_folders(files: FileOptions, old: Path, new: Path) -> list[str]:
    """Where headers of two folders are, if no database says it."""
    known = files.old_build is not None or files.new_build is not None
    if known or files.revision is not None or not (old.is_dir() and new.is_dir()):
        return []
    return [f"-I{folder}" for folder in _include_folders(new)]


def _names(
    commands: Commands, both: tuple[Path, Path], others: Sequence[Path], version: Path
) -> bool:
    """Does the database name the files: any file of a folder; a C file, or its partner, and all
    that belong to both?"""
    if os.path.isdir(version):
        top = os.path.realpath(version) + "/"
        return any(each.startswith(top) and os.path.exists(each) for each in commands.known)
    known = [each for each in (*both, *others) if commands.flags(each) is not None]
    return any(each in known for each in both) and all(each in known for each in others)


def _top_above(folder: Path) -> Path | None:
    """The top of the repository or work tree that a folder lies in; None where it lies in none."""
    places = [folder.resolve(), *folder.resolve().parents]
    return next((each for each in places if os.path.exists(each / ".git")), None)


def write_first(force: bool, offered: Mapping[str, str]) -> Path:
    """Write a csgtest.toml at the top of the repository that the working folder lies in, and return
    its path."""
    top = top_of(Path.cwd())
    file = top / NAME
    recipes = recipes_of(top)
    found = [f"How it would be built: {recipes[0]}" if recipes else "Nothing says how it is built."]
    found += [f"or, where that makes nothing: {each}" for each in recipes[1:]]
    if os.path.lexists(file) and not force:
        raise UsageError(f"{file} is there already", hint="--force overwrites it")
    replace_file(file, template(offered, found).encode())
    return file
