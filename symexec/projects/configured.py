"""Find the csgtest.toml that a call is under, and write a first one.

csgtest build main...HEAD      the one at the top of HEAD, or else of the work tree
csgtest build v1/ v2/          the one in the folder that both lie in
csgtest init                   a new one at the top of the repository
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from csg.errors import UsageError
from csg.programs import Commands, find_commands, read_commands, summary_of
from symexec.options import FileOptions
from symexec.options.reading import means_revisions
from symexec.options.settings import NAME, Settings, read_settings, template
from symexec.projects.building import recipes_of
from symexec.projects.revisions import WORK_TREE, Revisions, read_revisions, top_of

_LARGEST = 1 << 20  # bytes


def found_settings(given: argparse.Namespace) -> Settings | None:
    """The csgtest.toml that a call is under; None where there is none, or where OLD and NEW are two
    C files. Raises UsageError where it is wrong."""
    if given.config is not None:
        if given.no_config:
            raise UsageError("--config and --no-config exclude each other", hint="leave one out")
        return _read(given.config, str(given.config))
    if given.no_config:
        return None
    if "old" not in given:  # the work tree, compared as a CI service says
        return _read_of(Revisions(top_of(Path.cwd()), "HEAD", WORK_TREE))
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


def _read(file: Path, source: str) -> Settings:
    try:
        with file.open("rb") as opened:
            content = opened.read(_LARGEST + 1)
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from None
    return _settings(content, source, file.parent)


def _settings(content: bytes, source: str, folder: Path) -> Settings:
    if len(content) > _LARGEST:
        raise UsageError(f"{source} is larger than {_LARGEST >> 20} MB")
    try:
        return read_settings(content.decode(), source, folder)
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
            continue
        commands = read_commands(database)
        if _names(commands, (old, new), files.others, version):
            found[-1] = database
            notes[f"flags for each file are those of {summary_of(commands)}"] = None
        else:
            notes[f"{summary_of(commands)} does not name the files: it is not used"] = None
    return replace(files, old_build=found[0], new_build=found[1]), list(notes)


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
    try:
        with file.open("w" if force else "x", encoding="utf-8") as written:
            written.write(template(offered, found))
    except FileExistsError:
        raise UsageError(f"{file} is there already", hint="--force overwrites it") from None
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror}") from None
    return file
