"""A call about revisions becomes calls about two folders each: one for each program it reaches.

csgtest build main...HEAD      csgtest build csgtest-out/versions/old csgtest-out/versions/new
                                   --old-build .../old.json --new-build .../new.json -- -lm
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TypeVar

import networkx

from csg.compile_commands import read_commands, write_commands
from csg.errors import UsageError
from csg.language.syntax import TranslationUnit
from csg.pipeline import call_graph_of, program_of
from csg.programs import Flags, Versions, moved_flags
from csg.records import record
from csg.unite import read_pair, unite
from symexec.options import (
    BuildOptions,
    CompareOptions,
    FileOptions,
    GraphOptions,
    RevisionOptions,
    UnifyOptions,
)
from symexec.projects.building import Enclosure, NothingMadeError, failures, recipes_of
from symexec.projects.programs import (
    BuiltVersion,
    Target,
    build_version,
    copy_target,
    reached_targets,
    unused_files,
)
from symexec.projects.revisions import Revisions, read_revisions
from symexec.testcases import OutputFolder

Call = TypeVar("Call", BuildOptions, CompareOptions, GraphOptions, UnifyOptions)

MOST = 4  # programs, or functions of a library, that are looked at

_SHOWN = 4  # files that differ and are in nothing


@record
class Subject:
    """A program or library to test: ``versions`` as a user would name them, ``folder`` for what is
    found. ``entries``: "" is main or the only function; of a library the functions that changed."""

    name: str
    versions: Versions
    folder: Path
    entries: tuple[str, ...]


@record
class Project:
    """What a call about revisions is about."""

    revisions: Revisions
    subjects: tuple[Subject, ...]


def read_project(asked: RevisionOptions, flags: Flags, out: Path, quiet: bool) -> Project:
    """Builds both versions. There are no subjects where nothing that is compiled differs."""
    revisions = read_revisions(asked.text, Path.cwd(), asked.staged)
    notes: list[str] = []
    with ExitStack() as stack:
        old, new = (stack.enter_context(Enclosure()) for _ in range(2))
        notes += revisions.export(old.tree, new.tree)
        recipes = [asked.command] if asked.command else recipes_of(new.tree)
        named = asked.command is not None and os.path.exists(asked.command)
        database = Path(asked.command or "") if named else None
        if not recipes or database is not None:
            if database is None:
                _say(quiet, "nothing says how it is built: its C files are one program")
            trees = {"old": old.tree, "new": new.tree}
            return Project(revisions, (_folders(revisions, trees, flags, out, database),))
        _say(quiet, f"{' -> '.join(revisions.shown)}: building both versions: {recipes[0]}")
        built = _built(old, new, recipes, out, quiet)
        targets, alone = reached_targets(*built, asked.targets)
        if alone and not targets:
            raise UsageError(
                f"{'; '.join(alone)}: there is nothing to compare",
                hint=f"what the builds said is in {out}/build-old.log and build-new.log",
            )
        notes += alone
        notes += [
            f"both versions are tested without {flag}, with which their build compiles"
            for flag in sorted(built[0].left_out | built[1].left_out)
        ]
        if not targets and not asked.targets:
            notes += _unused(*built, out)
        chosen = _chosen(targets, bool(asked.targets))
        if targets and not chosen:
            notes.append(f"only tests and examples differ (--target NAME): {_listed(targets)}")
        left = [each for each in targets if each.program and each not in chosen[:MOST]]
        if left:
            notes.append(f"reached by the change and not looked at: {_listed(left)}")
        for note in notes:
            _say(quiet, note)
        subjects = [*_subjects(chosen[:MOST], built, flags, out)]
        return Project(revisions, tuple(subjects))


def calls_of(options: BuildOptions, quiet: bool) -> Iterator[tuple[str, BuildOptions]]:
    """The names of what is tested, and a call of ``csgtest build`` for each, about two folders."""
    asked = _asked(options.files)
    OutputFolder(options.out).close()  # ours from here on
    project = read_project(asked, options.flags, options.out, quiet)
    calls = [(each, entry) for each in project.subjects for entry in each.entries]
    search = replace(options.search, time=options.search.time / max(1, len(calls)))
    for each, entry in calls:
        yield (
            f"{each.name}, {entry}" if entry else each.name,
            replace(
                _about(options, each),
                inputs=replace(options.inputs, entry=options.inputs.entry or entry or None),
                search=search,
                out=each.folder / entry if len(each.entries) > 1 else each.folder,
            ),
        )


def one_call(options: Call, folder: Path) -> Call:
    """The same call about the only program or library that the change reaches; ``folder`` is for
    its files. UsageError where there are several, or none."""
    project = read_project(_asked(options.files), options.flags, folder, quiet=False)
    if len(project.subjects) != 1:
        names = ", ".join(each.name for each in project.subjects)
        raise UsageError(
            f"the change reaches {names}" if names else "nothing that is compiled differs",
            hint="choose one of them with --target" if names else "see --build",
        )
    return _about(options, project.subjects[0])


def _asked(files: FileOptions) -> RevisionOptions:
    assert files.revision is not None
    return files.revision


def _about(options: Call, subject: Subject) -> Call:
    versions = subject.versions
    files = replace(
        options.files,
        old_build=versions.old_build,
        new_build=versions.new_build,
        revision=None,
        name=PurePosixPath(subject.name).name,
    )
    return replace(options, old=versions.old, new=versions.new, flags=versions.flags, files=files)


def _say(quiet: bool, text: str) -> None:
    if not quiet:
        print(f"csgtest: {text}", file=sys.stderr)


def _listed(targets: list[Target]) -> str:
    return ", ".join(each.name for each in targets)


def _built(
    old: Enclosure, new: Enclosure, recipes: Sequence[str], out: Path, quiet: bool
) -> tuple[BuiltVersion, BuiltVersion]:
    """Side by side, by the first recipe that makes something in both."""
    out.mkdir(parents=True, exist_ok=True)
    logs = [out / f"build-{side}.log" for side in ("old", "new")]
    for log in logs:
        log.unlink(missing_ok=True)
    failed: list[NothingMadeError] = []
    for command in recipes:
        if failed:
            _say(quiet, f"which makes nothing; trying {command}")
        with ThreadPoolExecutor(2) as pool:
            before = pool.submit(build_version, old, command, logs[0])
            after = pool.submit(build_version, new, command, logs[1])
            try:
                return before.result(), after.result()
            except NothingMadeError as error:
                failed.append(error)
    raise max(failed, key=lambda error: error.calls)  # what came furthest


def _unused(old: BuiltVersion, new: BuiltVersion, out: Path) -> Iterator[str]:
    """What differs and was not built. UsageError where that may be because a build failed."""
    unused = unused_files(old, new)
    if not unused:
        return
    more = f" and {len(unused) - _SHOWN} more" if len(unused) > _SHOWN else ""
    said = f"nothing that is built is made of what differs: {', '.join(unused[:_SHOWN])}{more}"
    for version, side in ((old, "old"), (new, "new")):
        if version.code:
            log = out / f"build-{side}.log"
            shown = "".join(f"\n    {line}" for line in failures(log))
            raise UsageError(
                f"{said}; the build of the {side} version ends with {version.code}{shown}",
                hint=f"say how it is built: --build COMMAND; all that it said is in {log}",
            )
    yield said


def _chosen(targets: list[Target], asked: bool) -> list[Target]:
    """Programs before libraries, which they are made of; tests and examples only if asked for."""
    if asked:
        return targets
    proper = [each for each in targets if not each.aside]
    return [each for each in proper if each.program] or proper


def _subjects(
    targets: list[Target],
    built: tuple[BuiltVersion, BuiltVersion],
    flags: Flags,
    out: Path,
) -> Iterator[Subject]:
    for each in targets:
        folder = out if len(targets) == 1 else out / each.name.replace("/", "_")
        if folder != out:
            OutputFolder(folder).close()
        place = folder / "versions"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        copy_target(*built, each.name, place)
        versions = Versions(
            place / "old",
            place / "new",
            (*flags, *each.libraries),
            old_build=place / "old.json",
            new_build=place / "new.json",
        )
        entries = ("",) if each.program else entries_of(versions)
        yield Subject(each.name, versions, folder, entries)


def entries_of(versions: Versions) -> tuple[str, ...]:
    """The functions of a library that its users can call and that reach a change, by as few calls
    as possible; static ones that changed where no other reaches them."""
    pair = read_pair(versions.pairs())
    unified = unite(pair, "")
    changed = {change.function for change in unified.changes}
    functions = [each.symbol for unit in unified.units for each in unit.functions]
    shared = {*_names(pair.old)} & {*_names(pair.new)} & {symbol.name for symbol in functions}
    if not changed or not shared:
        return ()
    calls = call_graph_of(program_of(unified, min(shared)))
    begun = changed & set(calls)
    far = networkx.multi_source_dijkstra_path_length(calls.reverse(copy=False), begun)
    public = {symbol.name for symbol in functions if symbol.linkage == "external"} & shared
    nearest = sorted(public & far.keys(), key=lambda name: (far[name], name))
    return tuple((nearest or sorted(begun & shared))[:MOST])


def _names(units: Sequence[TranslationUnit]) -> Iterator[str]:
    return (function.symbol.name for unit in units for function in unit.functions)


def _folders(
    revisions: Revisions, trees: Mapping[str, Path], flags: Flags, out: Path, database: Path | None
) -> Subject:
    """Without any build: all C files are one program, or those that a database names."""
    place = out / "versions"
    shutil.rmtree(place, ignore_errors=True)
    for side, tree in trees.items():
        shutil.copytree(tree, place / side, symlinks=True)
    old_build = new_build = None
    if database is not None:
        known = read_commands(database).known
        old_build, new_build = (
            _moved_database(known, revisions.repository, place / side) for side in trees
        )
    versions = Versions(
        place / "old", place / "new", flags, old_build=old_build, new_build=new_build
    )
    return Subject(revisions.repository.name, versions, out, ("",))


def _moved_database(known: Mapping[str, Flags], top: Path, tree: Path) -> Path:
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
