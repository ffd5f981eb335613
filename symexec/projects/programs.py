"""Which programs and libraries of a repository a change reaches, each as a pair of versions.

    old = build_version(enclosure, "make", log)      what the build of a tree made
    reached_targets(old, new)                        Target("src/cut", program=True, ("-lm",), 2)
    copy_target(old, new, "src/cut", folder)         folder/{old,new}/src/cut.c ...

A target is what the build's link commands say: its objects, of an archive only the members that it
needs, the system's libraries. It is reached when a file that the compiler reads for it, or one of
its flags, differs between the versions; generated files count as they are.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path, PurePosixPath

from csg.errors import CsgtestError, ToolchainError, UsageError
from csg.files import read_file
from csg.frontend.files import OTHER_LAYOUTS
from csg.programs import is_aside, matches, write_commands
from csg.records import record
from csg.toolchain import preprocess_noting
from symexec.projects.building import (
    PLACE,
    ROOT,
    BuiltBefore,
    Edits,
    Enclosure,
    Linked,
    NothingMadeError,
)
from symexec.projects.leavings import SYSTEM, ToolCall
from symexec.projects.products import Compiled, Link, Products, read_calls
from symexec.projects.recipes import content_of
from symexec.projects.revisions import BEGINS, include_in_file

# Where meson and cmake leave programs of their own.
_PROBES = re.compile(r"(?:.*/)?(?:meson-private|CMakeFiles/(?:[^/]*/CompilerIdC|CMake\w+))(?:/.*)?")
# Older code has a macro around the parameters; a member, or a word of a text, begins no program.
_MAIN = re.compile(rb"(?<![.>])\bw?main\b")
_NO_CODE = re.compile(rb"/\*.*?\*/|//(?:\\\n|[^\n])*|\"(?:\\.|[^\"\\\n])*\"", re.S)
_ASKED = re.compile(rb"^\s*#\s*if(?:def|\s+defined)?\s*\(?\s*(\w+)", re.M)  # names behind #if
_MAPS = "maps"  # a folder beside the tree
_NM = "find . -name '*.o' -exec nm -A -g -P --defined-only {} +"
# In a linker's map: archive(member), or of a thin archive, which holds names alone, the member.
_LOADED = re.compile(r"^(\S.*?)(?<!\s)\(([^()]+)\)(?:\s|$)")
_LOADED_THIN = re.compile(r"^(\S+\.o)(?:\s|$)")


@record
class Target:
    """A program or library that both versions have, by the path where the build puts it."""

    name: str
    program: bool
    libraries: tuple[str, ...]  # of the system, as flags
    differing: int  # of the files that the compiler reads for it
    mains: tuple[str, ...] = ()  # of a program: its sources with a main

    @property
    def aside(self) -> bool:
        """Does it belong to tests or examples? cmake puts programs of all folders into one."""
        return is_aside(self.name) or (bool(self.mains) and all(map(is_aside, self.mains)))


def has_main(file: Path) -> bool:
    """Does the code of a C file name ``main``, apart from comments and texts?"""
    return _MAIN.search(_NO_CODE.sub(b" ", read_file(file))) is not None


@dataclass(slots=True)
class BuiltVersion:
    """A version after its build. ``reads``: the files that the compiler reads for each source, by
    the paths at which it finds them. ``behind``: the same by their real paths, and the symbolic
    links on the way: these are what a build can edit."""

    tree: Path
    products: Products
    code: int = 0  # exit status of the build
    left_out: set[str] = field(default_factory=set)  # flags that csgtest refuses
    loaded: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    defined: dict[str, set[str]] = field(default_factory=dict)  # names, of a build that fails
    reads: dict[Compiled, tuple[str, ...]] = field(default_factory=dict)
    command: str = ""  # which built it before; its objects, ``emptied``, are not there
    emptied: tuple[str, ...] = ()
    edits: Edits = field(default_factory=Edits)  # of the build, in its tree
    lost: dict[str, str] = field(default_factory=dict)  # objects whose source is gone: the source
    behind: dict[Compiled, tuple[str, ...]] = field(default_factory=dict)
    spoilt: dict[str, list[str]] = field(default_factory=dict)  # edited files, by target
    linked: dict[str, Linked] = field(default_factory=dict)  # by the path of each output

    def edited_files(self, name: str) -> list[str]:
        """The files of a target that are not what the compiler was given: those that were written
        after it was called; committed ones after it was called first."""
        found: set[str] = set()
        for part in self.products.parts(name, self.loaded.get(name, {})):
            if part in self.lost:
                found.add(self.lost[part])
            elif part in self.products.objects:
                compiled = self.products.objects[part]
                listed = self.products.listed.get(part, ())
                found |= {each for each in listed if not (self.tree / each).is_file()}
                for file in (compiled.source, *self.behind.get(compiled, ()), *listed):
                    if self._was_edited_late(file, compiled.source, part):
                        found.add(file)
        return sorted(found)

    def _was_edited_late(self, file: str, source: str, part: str) -> bool:
        """Was a file written after the compiler was called for a part? One that was committed may
        be written until its source is compiled first, as zlib's configure writes zconf.h."""
        written = self.edits.written.get(file)
        if file not in self.edits.changed:
            limit = self.products.called.get(part)
        elif written and self.edits.watched:
            limit = self.products.first.get(source)
        else:
            return True
        return limit is not None and (limit == 0 or (written or 0) >= limit)

    def lost_headers(self) -> list[str]:
        """Committed headers that the build removed after it had called the compiler: that finds
        others of their names now. zlib's CMakeLists.txt does so before."""
        called = self.products.called
        began = min((called[each] for each in self.products.objects if each in called), default=0)
        gone = (each for each in self.edits.changed if each.endswith(".h"))
        late = (each for each in gone if self.edits.written[each] >= began)
        return sorted(each for each in late if not (self.tree / each).is_file())

    def sources(self, name: str) -> list[Compiled]:
        return self.products.sources(name, self.loaded.get(name, {}))

    def is_program(self, name: str) -> bool:
        """Is it executable, and does one of its files contain main?"""
        link = self.products.links.get(name)
        if link is None or link.shared or not os.access(self.tree / name, os.X_OK):
            return False
        return bool(self.mains(name))

    def mains(self, name: str) -> tuple[str, ...]:
        """The sources of a target that have a main."""
        files = sorted({each.source for each in self.sources(name)})
        return tuple(each for each in files if has_main(self.tree / each))


def build_version(enclosure: Enclosure, command: str, log: Path) -> BuiltVersion:
    """Build a version, or take it as it was built before. Raises NothingMadeError where that makes
    no program and no library."""
    before = BuiltBefore(enclosure, command)
    noted = before.restored(log)
    if noted is not None:
        version = _made(enclosure, noted.calls, 0)
        version.loaded, version.emptied, version.command = noted.loaded, noted.emptied, command
        version.linked = noted.linked
        version.edits = noted.edits
        return version
    calls, code = enclosure.build(command, log)
    version = _made(enclosure, calls, code)
    if not version.products.links and not version.products.archives:
        raise NothingMadeError(command, code, len(version.products.objects), log)
    _note_loaded(version, enclosure, log)
    if code:
        _note_defined(version, enclosure, log)
    version.edits = enclosure.edits()
    if not code:
        before.keep(calls, version.linked, version.loaded, version.edits, log)
    return version


def _made(enclosure: Enclosure, calls: Sequence[ToolCall], code: int) -> BuiltVersion:
    try:
        version = BuiltVersion(enclosure.tree, read_calls(calls, enclosure.tree), code)
        version.linked = _links_of(version)
        _drop_lost(version)
    except (OSError, ValueError) as error:  # as of a name that is too long
        raise ToolchainError(f"what the build compiled cannot be read: {error}") from None
    _leave_out(version)
    return version


def build_left_out(
    versions: Sequence[BuiltVersion], enclosures: Sequence[Enclosure], logs: Sequence[Path]
) -> list[BuiltVersion]:
    """Make is asked for programs that it makes only when they are asked for, as Automake's
    EXTRA_PROGRAMS: C files that differ, that both versions have with a ``main``, and that none
    compiles. The versions with what it made."""
    old, new = versions
    compiled = {each.source for version in versions for each in version.products.objects.values()}
    left = [
        PurePosixPath(source)
        for source in differing_files(old, new)
        if source.endswith(".c") and source not in compiled and not is_aside(source)
        if all(_begins(version.tree / source) for version in versions)
    ]
    wishes = [
        f"make -k -C {shlex.quote(str(each.parent))} {shlex.quote(each.stem)}"
        for each in left
        if all((version.tree / each.parent / "Makefile").is_file() for version in versions)
    ]
    if not wishes:
        return [*versions]
    made = []
    for version, enclosure, log in zip(versions, enclosures, logs, strict=True):
        if version.command:  # make needs its objects
            for name in version.emptied:
                (version.tree / name).unlink()
            enclosure.build(version.command, log)
        enclosure.run("\n".join(wishes), log)
        made.append(_made(enclosure, enclosure.calls(), version.code))
        _note_loaded(made[-1], enclosure, log)
        made[-1].edits = enclosure.edits()
    return made


def _links_of(version: BuiltVersion) -> dict[str, Linked]:
    """What was linked into each program and library that the build has left."""
    products, tree = version.products, version.tree
    return {
        name: products.links_of(name, tree)
        for name in (*products.links, *products.archives)
        if not _PROBES.match(name) and (tree / name).is_file()
    }


def linked_otherwise(old: BuiltVersion, new: BuiltVersion, ignored: Sequence[str]) -> list[str]:
    """The programs and libraries of both versions into which something else was linked that nobody
    has seen being compiled, or with other flags of the linker, and that are not the same."""
    found = []
    for name in sorted(old.linked.keys() & new.linked.keys()):
        before, after = old.linked[name], new.linked[name]
        differing = {file for file, _ in before.unseen ^ after.unseen}
        unseen = any(not matches(file, ignored) for file in differing)
        if before.product != after.product and (unseen or before.flags != after.flags):
            found.append(name)
    return found


def _begins(file: Path) -> bool:
    """Is there such a file, with a ``main``?"""
    return file.is_file() and BEGINS.search(read_file(file)) is not None


def _drop_lost(version: BuiltVersion) -> None:
    """Drop probes of configure, and what was made from files that no longer exist."""
    products, tree = version.products, version.tree
    for path, compiled in [*products.objects.items()]:
        if not (tree / compiled.source).is_file() or _PROBES.match(compiled.source):
            del products.objects[path]
            if not _PROBES.match(compiled.source):
                version.lost[path] = compiled.source
    for path in [*products.archives]:
        if not version.sources(path) and not version.edited_files(path):
            del products.archives[path]
    for path in [*products.links]:
        made = (tree / path).exists()
        if not made or not (version.sources(path) or version.edited_files(path)):
            del products.links[path]


def _leave_out(version: BuiltVersion) -> None:
    """Leave out flags that csgtest refuses, and note them: testing without -m32 is better
    than not at all."""
    for path, compiled in [*version.products.objects.items()]:
        refused = OTHER_LAYOUTS.intersection(compiled.flags)
        if refused:
            version.left_out |= refused
            flags = tuple(flag for flag in compiled.flags if flag not in refused)
            version.products.objects[path] = Compiled(compiled.source, flags)


def _note_loaded(version: BuiltVersion, enclosure: Enclosure, log: Path) -> None:
    """Link what has archives in it once more, and read from the linker's map which members were
    needed."""
    script = []
    asked: list[str] = []
    for name, link in version.products.links.items():
        if any(each in version.products.archives for each in link.inputs):
            script.append(_linked_again(link, f"{ROOT}/{_MAPS}/{len(asked)}"))
            asked.append(name)
    if not asked:
        return
    enclosure.renew(_MAPS)
    enclosure.run("\n".join(script), log)
    for number, name in enumerate(asked):
        text = enclosure.text_in(_MAPS, str(number))
        if text:
            products = version.products
            folder = products.links[name].call.folder
            unneeded: dict[str, list[str]] = {each: [] for each in products.links[name].inputs}
            version.loaded[name] = unneeded | _members_in(text, folder, products.archives)


def _note_defined(version: BuiltVersion, enclosure: Enclosure, log: Path) -> None:
    """What each object defines for others, of which no link command says whether it is one
    program's. Common and weak definitions may be there several times."""
    enclosure.renew(_MAPS)
    enclosure.run(f"{_NM} > {ROOT}/{_MAPS}/defined", log)
    for line in enclosure.text_in(_MAPS, "defined").splitlines():
        place, _, rest = line.partition(": ")
        name, _, kind = rest.partition(" ")
        if kind[:1] in tuple("TDBRGS"):
            version.defined.setdefault(os.path.normpath(place), set()).add(name)


def _linked_again(link: Link, map_file: str) -> str:
    words = []
    rest = iter(link.call.words)
    for word in rest:
        if word == "-o":
            next(rest, None)
        elif not word.startswith("-o"):
            words.append(word)
    words += [f"-Wl,-Map={map_file}", "-o", "/dev/null"]
    return f"cd {shlex.quote(link.call.folder)} && {shlex.join(words)}"


def _members_in(
    text: str, folder: str, archives: Mapping[str, Sequence[str]]
) -> dict[str, list[str]]:
    """For each archive, the members that a linker's map says were taken from it."""
    found: dict[str, list[str]] = {}
    head = text.partition("\nDiscarded input sections")[0].partition("\nMemory Configuration")[0]
    for line in head.splitlines():
        if match := _LOADED.match(line):
            name = _in_tree(match[1], folder)
            if name is not None:
                found.setdefault(name, []).append(match[2])
        elif match := _LOADED_THIN.match(line):
            member = _in_tree(match[1], folder)
            for name in (each for each, members in archives.items() if member in members):
                found.setdefault(name, []).append(PurePosixPath(match[1]).name)
    return found


def _in_tree(path: str, folder: str) -> str | None:
    """A path that a tool was given, from the top of the tree; None for one outside."""
    full = os.path.normpath(os.path.join(folder, path))
    return full[len(PLACE) + 1 :] if full.startswith(PLACE + "/") else None


def is_named(target: str, names: Iterable[str]) -> bool:
    """Is the target named, by its path or by the last part of it?"""
    return not {target, PurePosixPath(target).name}.isdisjoint(names)


def reached_targets(
    old: BuiltVersion, new: BuiltVersion, asked: Sequence[str] = (), ignored: Sequence[str] = ()
) -> tuple[list[Target], list[str]]:
    """The targets that the change reaches, those with most differing files first; and notes on
    targets that one version alone has. A target that reads what a build has edited is none of them
    (``spoilt`` of the new version). A library all of whose files are in another one, as those
    that libtool makes for convenience, is a part of that one. ``asked``: names of those that are
    wanted; ``ignored``: patterns of files whose changes, and whose programs, do not count. Raises
    UsageError where a name is that of no target."""
    names, notes = _common(old, new)
    if asked:
        unknown = [each for each in asked if not any(is_named(name, [each]) for name in names)]
        if unknown:
            raise UsageError(
                f"both builds make nothing called {', '.join(unknown)}",
                hint=f"--target takes one of these: {', '.join(names)}",
            )
        names = [name for name in names if is_named(name, asked)]
    _read_all(old, new, names)
    names = [name for name in names if not _note_edited(old, new, name)]
    found = []
    libraries: dict[frozenset[str], str] = {}
    for name in sorted(names, key=is_aside):  # of two alike, that which is no example
        differing = _differing(old, new, name, ignored)
        if differing and (asked or not _is_ignored(new, name, ignored)):
            program = old.is_program(name) and new.is_program(name)
            files = frozenset(each.source for each in new.sources(name))
            if not program and files in libraries:
                continue  # the shared library next to the static one
            if not program:
                libraries[files] = name
            mains = new.mains(name) if program else ()
            found.append(Target(name, program, new.products.libraries(name), differing, mains))
    if not asked:
        parts = {
            name for files, name in libraries.items() if any(files < each for each in libraries)
        }
        found = [each for each in found if each.name not in parts]
    return sorted(found, key=lambda each: (-each.differing, each.name)), notes


def add_library(old: BuiltVersion, new: BuiltVersion, name: str, ignored: Sequence[str]) -> bool:
    """Make a library of the files that builds compile and link into tests and examples alone, or
    into nothing: those that are no tests and have no ``main``, or one for their own tests only. It
    counts as an archive ``name`` of both versions. Returns whether the change reaches it."""
    near = [each for each in differing_files(old, new) if each.endswith(".c")]
    for version in (old, new):
        objects = version.products.objects
        own: dict[str, str] = {}
        for path, compiled in sorted(objects.items(), key=lambda each: each[0], reverse=True):
            if _is_of_a_library(version, compiled.source, ignored):
                own[compiled.source] = (
                    path  # of several the same one in both, however they were made
                )
            elif not is_aside(compiled.source) and not matches(compiled.source, ignored):
                without = _without_its_main(version, compiled)
                if without is not None:
                    own[compiled.source] = f"{compiled.source}.o"
                    objects[own[compiled.source]] = without
        version.products.archives[name] = _of_one_program(version, own, near)
    _read_all(old, new, [name])
    if _note_edited(old, new, name):
        return False
    return all(each.sources(name) for each in (old, new)) and bool(
        _differing(old, new, name, ignored)
    )


def _note_edited(old: BuiltVersion, new: BuiltVersion, name: str) -> bool:
    """Can it not be known what the compiler was given for a target, as a build has edited it?"""
    files = [
        file
        for version in (old, new)
        for file in (*version.edited_files(name), *version.lost_headers())
    ]
    if files:
        new.spoilt[name] = sorted({*files})
    return bool(files)


def _of_one_program(version: BuiltVersion, own: dict[str, str], near: Sequence[str]) -> list[str]:
    """The objects of these sources that can be linked together: of several that define a name, as
    each program's own options do, the one nearest to what differs."""

    def distance(source: str) -> tuple[int, str]:
        """By how much of the path is the same."""
        pairs = (zip(each, source, strict=False) for each in near)
        alike = [sum(1 for _ in takewhile(lambda two: two[0] == two[1], each)) for each in pairs]
        return -max(alike, default=0), source

    retained: dict[str, str] = {}
    taken: set[str] = set()
    for source in sorted(own, key=distance):
        names = version.defined.get(own[source], set())
        if taken.isdisjoint(names):
            taken |= names
            retained[source] = own[source]
    return [retained[source] for source in sorted(retained)]


def _is_of_a_library(version: BuiltVersion, source: str, ignored: Sequence[str]) -> bool:
    """Is it a file without ``main`` that is no test?"""
    if is_aside(source) or matches(source, ignored):
        return False
    return not BEGINS.search(read_file(version.tree / source))


def _without_its_main(version: BuiltVersion, compiled: Compiled) -> Compiled | None:
    """As others link the file: without what -D defines for ``#ifdef SELF_TEST``, where there is no
    ``main`` then. None where there is one all the same, or nothing is defined."""
    text = read_file(version.tree / compiled.source)
    asked = {name.decode() for name in _ASKED.findall(text)}
    retained = tuple(
        flag
        for flag in compiled.flags
        if not flag.startswith("-D") or flag[2:].partition("=")[0] not in asked
    )
    if retained == compiled.flags:
        return None
    without = Compiled(compiled.source, retained)
    try:
        seen, _ = _preprocessed(version, without)
    except CsgtestError:
        return None
    return None if BEGINS.search(seen) else without


def adopt_unbuilt(old: BuiltVersion, new: BuiltVersion, ignored: Sequence[str]) -> list[str]:
    """Add C files that differ and that neither build compiles as objects of both versions, compiled
    as a neighbouring file is, where the compiler can read both so: an option of the build may
    include them. Tests, files with a ``main``, and files of one version alone are left out."""
    adopted = []
    for source in unused_files(old, new):
        if not source.endswith(".c"):
            continue
        both = all(
            (version.tree / source).is_file() and _is_of_a_library(version, source, ignored)
            for version in (old, new)
        )
        if both and _adopted((old, source), (new, source)):
            adopted.append(source)
    return adopted


def adopt_included(old: BuiltVersion, new: BuiltVersion, ignored: Sequence[str]) -> list[str]:
    """Add files that differ and that only tests and examples include, as objects of both versions,
    compiled as their neighbours are: C files, and headers by a file that includes the header."""
    adopted = []
    for each in _shared_files(old, new, ignored):
        if each.endswith(".h"):
            files = [(version, include_in_file(version.tree, each)) for version in (old, new)]
        elif all(_is_included_alone(version, each, ignored) for version in (old, new)):
            files = [(old, each), (new, each)]
        else:
            continue
        if _adopted(*files):
            adopted.append(each)
    return adopted


def _shared_files(old: BuiltVersion, new: BuiltVersion, ignored: Sequence[str]) -> Iterator[str]:
    """The files that differ, that both versions have, and that are no tests."""
    for each in differing_files(old, new):
        is_test = is_aside(each) or matches(each, ignored)
        if not is_test and all((version.tree / each).is_file() for version in (old, new)):
            yield each


def _is_included_alone(version: BuiltVersion, source: str, ignored: Sequence[str]) -> bool:
    """Is it a C file without a ``main`` that the build compiles only as part of others?"""
    compiled = {each.source for each in version.products.objects.values()}
    return source not in compiled and _is_of_a_library(version, source, ignored)


def read_by_tests_alone(old: BuiltVersion, new: BuiltVersion, ignored: Sequence[str]) -> list[str]:
    """The files that differ, are no tests, and are part of what was built."""
    unread = {*unused_files(old, new)}
    return [each for each in _shared_files(old, new, ignored) if each not in unread]


def _adopted(*files: tuple[BuiltVersion, str]) -> bool:
    """Make two files, one of each version, objects. Returns whether that is possible: not where the
    compiler cannot read one of them."""
    objects = [_as_its_neighbour(version, source) for version, source in files]
    if None in objects:
        return False
    for (version, source), compiled in zip(files, objects, strict=True):
        assert compiled is not None
        version.products.objects[f"{source}.o"] = compiled
    return True


def _as_its_neighbour(version: BuiltVersion, source: str) -> Compiled | None:
    """The file with the flags of one that is built near to it; None where the compiler cannot read
    it so."""
    known = version.products.objects.values()
    near = max(known, key=lambda each: _shared_folders(each.source, source), default=None)
    compiled = Compiled(source, near.flags if near is not None else ())
    try:
        _preprocessed(version, compiled)
    except CsgtestError:
        return None
    return compiled


def _shared_folders(one: str, other: str) -> int:
    return len(PurePosixPath(os.path.commonpath([one, other])).parts)


def unused_files(old: BuiltVersion, new: BuiltVersion) -> list[str]:
    """C files and headers that differ, and that the compiler reads for no target of both
    versions."""
    used = {file for version in (old, new) for files in version.behind.values() for file in files}
    return [each for each in differing_files(old, new) if each not in used]


def differing_files(old: BuiltVersion, new: BuiltVersion) -> list[str]:
    """C files and headers that are not the same in both trees."""
    found = set()
    for version in (old, new):
        for folder, _, files in os.walk(version.tree):
            below = os.path.relpath(folder, version.tree)
            names = [name for name in files if name.endswith((".c", ".h"))]
            found |= {os.path.normpath(os.path.join(below, name)) for name in names}
    differ = [each for each in found if content_of(old.tree / each) != content_of(new.tree / each)]
    return sorted(differ)


def copy_target(old: BuiltVersion, new: BuiltVersion, name: str, folder: Path) -> None:
    """Copy what the compiler reads for a target to ``folder/old`` and ``folder/new``, at the paths
    where it finds it: links have become what they lead to. Write how it is compiled, relative to
    the working folder, to ``folder/old.json`` and ``folder/new.json``."""
    for version, side in ((old, "old"), (new, "new")):
        known: dict[str, list[str]] = {}
        placed: dict[str, str] = {}
        for each in version.sources(name):
            for file in version.reads[each]:
                place = os.path.normpath(file)
                if placed.setdefault(place, file) != file:
                    raise UsageError(
                        f"{name}: not tested: the compiler finds two files at '{place}', as "
                        f"links have it: {placed[place]}, {file}",
                        hint="name folders of headers without '..' behind a link",
                    )
                _copy(version.tree / file, folder / side / place)
            source = str(folder / side / each.source)
            known.setdefault(source, [*_seen_from(each.flags, str(folder / side))])
        write_commands(folder / f"{side}.json", known)


def _copy(source: Path, target: Path) -> None:
    """Copy a file with its time: by this the compiler sees that two paths lead to one file."""
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        status = source.stat()
        os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))


def _common(old: BuiltVersion, new: BuiltVersion) -> tuple[list[str], list[str]]:
    def outputs(version: BuiltVersion) -> set[str]:
        made = {*version.products.links, *version.products.archives}
        return {name for name in made if version.sources(name) or version.edited_files(name)}

    before, after = outputs(old), outputs(new)
    notes = [f"only the old version has {name}" for name in sorted(before - after)]
    notes += [f"only the new version has {name}" for name in sorted(after - before)]
    return sorted(before & after), notes


def _read_all(old: BuiltVersion, new: BuiltVersion, names: Iterable[str]) -> None:
    """Fill in ``reads`` of both versions."""
    wanted = [
        (version, each)
        for version in (old, new)
        for each in dict.fromkeys(each for name in names for each in version.sources(name))
    ]
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for (version, each), read in zip(wanted, pool.map(_read, wanted), strict=True):
            version.reads[each], version.behind[each] = read


def _read(asked: tuple[BuiltVersion, Compiled]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The files of the tree that the compiler reads for a C file, itself among them: by the paths
    at which it finds them; and by their real paths, with the symbolic links on the way."""
    version, compiled = asked
    try:
        _, files = _preprocessed(version, compiled)
    except CsgtestError:
        return (compiled.source,), (compiled.source,)  # whoever compiles it reports the error
    top = os.path.realpath(version.tree) + "/"
    inside = [each for each in files if os.path.realpath(each).startswith((top, SYSTEM))]
    named = [each for each in map(_without_detours, inside) if each.startswith(top)]
    real = [os.path.realpath(file) for file in files]
    links = [link for file in files for link in _links_in(file)]
    behind = {each for each in (*real, *links) if each.startswith(top)}
    return _below(top, dict.fromkeys(named)), _below(top, sorted(behind))


def _below(top: str, paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(each[len(top) :] for each in paths)


def _without_detours(path: str) -> str:
    """The path without ``..``, unless a link makes that another file: link/../f.h."""
    short = os.path.normpath(path)
    return short if os.path.realpath(short) == os.path.realpath(path) else path


def _links_in(path: str) -> Iterator[str]:
    """The symbolic links in a path, by their own real paths."""
    for place in (path, *map(str, PurePosixPath(path).parents)):
        if os.path.islink(place):
            yield os.path.join(os.path.realpath(os.path.dirname(place)), os.path.basename(place))


def _preprocessed(version: BuiltVersion, compiled: Compiled) -> tuple[bytes, list[str]]:
    """The preprocessed text of a C file, and all files that the compiler reads for it. Raises
    CsgtestError where it cannot."""
    tree = os.path.realpath(version.tree)
    flags = [flag.replace(PLACE, tree) for flag in compiled.flags]
    text, files = preprocess_noting(f"{tree}/{compiled.source}", flags)
    return text.encode("utf-8", "surrogateescape"), [*files]


def _is_ignored(version: BuiltVersion, name: str, ignored: Sequence[str]) -> bool:
    """Is a target built in an ignored folder, or are all its files with main ignored?"""
    files = {each.source for each in version.sources(name)}
    begun = [file for file in files if has_main(version.tree / file)]
    return matches(name, ignored) or bool(begun and all(matches(file, ignored) for file in begun))


def _differing(old: BuiltVersion, new: BuiltVersion, name: str, ignored: Sequence[str]) -> int:
    """How many files of a target differ, or are compiled with other flags."""
    before, after = set(old.sources(name)), set(new.sources(name))
    files = {file for each in before for file in old.reads[each]}
    files |= {file for each in after for file in new.reads[each]}
    differ = {file for file in files if content_of(old.tree / file) != content_of(new.tree / file)}
    differ |= {each.source for each in before ^ after}
    return sum(not matches(file, ignored) for file in differ)


def is_covered(old: BuiltVersion, new: BuiltVersion, name: str, others: Iterable[str]) -> bool:
    """Is every file of a target that differs, or reads what differs, a file of one of the others,
    too?"""
    before, after = set(old.sources(name)), set(new.sources(name))
    reading = {
        compiled.source
        for version, sources in ((old, before), (new, after))
        for compiled in sources
        for file in version.reads.get(compiled, ())
        if content_of(old.tree / file) != content_of(new.tree / file)
    }
    reading |= {compiled.source for compiled in before ^ after}
    covered = {compiled.source for other in others for compiled in new.sources(other)}
    return reading <= covered


def _seen_from(flags: Iterable[str], folder: str) -> Iterator[str]:
    for flag in flags:
        option = "-I" if flag.startswith("-I") else ""
        path = flag[len(option) :]
        below = path == PLACE or path.startswith(PLACE + "/")
        yield option + folder + path[len(PLACE) :] if below else flag
