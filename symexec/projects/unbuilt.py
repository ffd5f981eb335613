"""A repository that no build makes anything of: its C files are one program, or one library.

versions = unbuilt_versions(revisions, trees, flags, out / "versions", None)
versions.flags        ("-Iinclude" below the new tree,), for what is included by another name
versions.ignored      ("tests/check.c",) where nothing but tests and examples has a main
include_in_file(tree, "list.h")    "list.h.c", where the library is a header that only tests include
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from csg.programs import (
    Flags,
    Versions,
    is_aside,
    matches,
    moved_flags,
    read_commands,
    write_commands,
)
from symexec.projects.revisions import Revisions

BEGINS = re.compile(rb"^[\w\s*]*\bmain\s*\(", re.M)  # a definition of main, no comment about it
# The functions of a header that is a library stand behind such a name, which one file defines.
_HOLDS = re.compile(r"^\s*#\s*if(?:def|\s+defined)\s*\(?\s*(\w*IMPL\w*)", re.M)
_INCLUDED = re.compile(rb'^\s*#\s*include\s*[<"]([^<>"\n]+)[>"]', re.M)


def unbuilt_versions(
    revisions: Revisions,
    trees: Sequence[Path],
    flags: Flags,
    place: Path,
    database: Path | None,
    ignored: Sequence[str] = (),
) -> Versions:
    """Copies both trees to ``place/old`` and ``place/new``. Which files belong to the program, and
    their flags, ``database`` says (compile_commands.json of the work tree), or else the files."""
    shutil.rmtree(place, ignore_errors=True)
    old, new = place / "old", place / "new"
    for tree, copy in zip(trees, (old, new), strict=True):
        shutil.copytree(tree, copy, symlinks=True)
    flags = moved_flags(flags, os.path.realpath(revisions.repository), str(new))
    if database is not None:
        known = read_commands(database).known
        before, after = (_moved(known, revisions.repository, tree) for tree in (old, new))
        return Versions(old, new, flags, old_build=before, new_build=after, ignored=tuple(ignored))
    named = tuple(f"-I{folder}" for folder in _include_folders(new))
    files = [*_files(old, ignored), *_files(new, ignored)]
    aside = _around_a_library(files)
    tests = {name for name, _ in files if is_aside(name)}
    if len(tests) == len({name for name, _ in files}):
        headers = [each for each in _headers(new) if _differs(old / each, new / each)]
        for header in headers:
            for tree in (old, new):
                include_in_file(tree, header)
        aside = sorted(tests) if headers else []
    return Versions(old, new, (*flags, *named), ignored=(*ignored, *aside))


def _moved(known: Mapping[str, Flags], top: Path, tree: Path) -> Path:
    """How the files of the work tree are compiled, said of another version's. What only the work
    tree has, as generated headers, is taken from there."""
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
            yield name, file.read_bytes()


def _headers(tree: Path) -> list[str]:
    names = sorted(each.relative_to(tree).as_posix() for each in tree.rglob("*.h"))
    return [name for name in names if not is_aside(name)]


def _differs(old: Path, new: Path) -> bool:
    return old.is_file() and old.read_bytes() != new.read_bytes()


def include_in_file(tree: Path, header: str) -> str:
    """A file beside a header that includes it and nothing else: its name. What the header wants to
    be defined by the file that has its functions is defined."""
    text = (tree / header).read_text(errors="surrogateescape")
    defined = [f"#define {name}\n" for name in dict.fromkeys(_HOLDS.findall(text))]
    name = f"{header}.c"
    (tree / name).write_text(f'{"".join(defined)}#include "{PurePosixPath(header).name}"\n')
    return name


def _around_a_library(files: Iterable[tuple[str, bytes]]) -> list[str]:
    """All tests and examples, if nothing else has a ``main``, and there is something else."""
    texts = list(files)
    aside = {name for name, _ in texts if is_aside(name)}
    programs = {name for name, text in texts if BEGINS.search(text)}
    everything = {name for name, _ in texts}
    return sorted(aside) if programs <= aside < everything else []


def _include_folders(tree: Path) -> list[Path]:
    """The folders below which a header stands that is included and is not beside who includes it:
    of several headers that could be meant the one with the shortest path."""
    headers = sorted(
        (each.relative_to(tree).as_posix() for each in tree.rglob("*.h")),
        key=lambda name: (name.count("/"), name),
    )
    found: dict[Path, None] = {}
    for file in sorted([*tree.rglob("*.c"), *tree.rglob("*.h")]):
        for included in _INCLUDED.findall(file.read_bytes()) if file.is_file() else ():
            name = os.fsdecode(included)
            if (file.parent / name).exists() or any((each / name).exists() for each in found):
                continue
            meant = next((each for each in headers if f"/{each}".endswith(f"/{name}")), None)
            if meant is not None and not is_aside(meant):
                parts = len(PurePosixPath(name).parts)
                found[tree.joinpath(*PurePosixPath(meant).parts[:-parts])] = None
    return list(found)
