"""The programs and libraries that a change between revisions reaches.

    read_project(RevisionOptions("main...HEAD", False), (), out, quiet)
        Project(subjects=(Subject("cut", main), Subject("libtable.so", table_any, bounded)),
                untested=("libmore.so",))

Both versions are built, and what the compiler reads for each program or library is copied to a
folder of its own.
"""

from __future__ import annotations

import difflib
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path, PurePosixPath

from csg.errors import CsgtestError, UsageError, some_of
from csg.programs import (
    Flags,
    Versions,
    find_commands,
    is_aside,
    is_for_assembler,
    matches,
    moved_flags,
)
from csg.records import record
from csg.unify.changes.textual import unseen_edits
from csg.unify.pairs import Readings
from csg.unify.unified import Unified
from csg.visible import SETTINGS
from symexec.options import (
    RevisionOptions,
)
from symexec.projects.attempts import SIDES, Both, built_or_compiled, logs_of, say
from symexec.projects.building import Enclosure, failures
from symexec.projects.entries import (
    MOST,
    Aside,
    Entry,
    changed_in,
    entries_of,
    entries_of_program,
    functions_among,
    installed_headers,
    reached_from_main,
)
from symexec.projects.ignoring import share_ignored
from symexec.projects.programs import (
    Target,
    add_library,
    adopt_included,
    adopt_unbuilt,
    copy_target,
    differing_files,
    is_covered,
    is_named,
    linked_otherwise,
    reached_targets,
    read_by_tests_alone,
    unused_files,
)
from symexec.projects.revisions import (
    Revisions,
    differing_names,
    read_revisions,
    unbuilt_versions,
)
from symexec.projects.texts import only_texts
from symexec.testcases import OutputFolder

# Variables by which a build takes flags, as MAKEFLAGS
_SETTING = re.compile(rf"\w*FLAGS|{'|'.join(SETTINGS)}")
_MOST_SAME = 16  # targets to read that turn out to be the same


@record
class Subject:
    """A program or library to test: ``versions`` as a user would name them, ``folder`` for the
    results. ``entries``: of a library the functions that its users call and that reach a change.
    ``elsewhere``: functions of a library that programs reach which are tested."""

    name: str
    versions: Versions
    folder: Path
    entries: tuple[Entry, ...]
    readings: Readings
    elsewhere: frozenset[str] = frozenset()

    def is_same_code(self) -> bool:
        """Does the compiler make the same code of both versions?"""
        unified = self._unified()
        return unified is not None and unified.same_code

    def is_unchanged(self) -> bool:
        """Is there nothing to test, as the versions differ in no function and no object, or the
        compiler makes the same code of both?"""
        unified = self._unified()
        return unified is not None and (unified.same_code or not unified.changes)

    def leaves_open(self) -> bool:
        """Does the compiler see something that no tree shows?"""
        unified = self._unified()
        return unified is None or bool(unified.read_otherwise or unified.unseen)

    def _unified(self) -> Unified | None:
        """None where the files cannot be read: whoever reads them next gets the same error."""
        try:
            return self.readings.unify(self.versions.pairs(), "")
        except CsgtestError:
            return None


@record
class Project:
    """The programs and libraries of a call about revisions. ``untested``: names of those that the
    change reaches and that are not among the subjects, nor a part of them. ``aside``: tests and
    examples, where the change reaches nothing else. ``unread``: files for the assembler that
    differ. ``edited``: sentences on targets whose build edits what it compiles. ``linked``: names
    of those into which something else was linked that nobody has seen being compiled."""

    revisions: Revisions
    subjects: tuple[Subject, ...]
    untested: tuple[str, ...] = ()
    aside: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    linked: tuple[str, ...] = ()


def read_project(
    asked: RevisionOptions, flags: Flags, out: Path, quiet: bool, ignored: Sequence[str] = ()
) -> Project:
    """Build both versions. There are no subjects where nothing that is compiled differs."""
    revisions = read_revisions(asked.text, Path.cwd(), asked.staged)
    top = revisions.repository
    with ExitStack() as stack:
        both = tuple(stack.enter_context(Enclosure()) for _ in SIDES)
        notes = revisions.export(*(each.tree for each in both))
        for each in both:
            each.clear()
        trees = [each.tree for each in both]
        names = differing_names(*trees)
        differing = [] if asked.command else names
        if differing and not asked.targets and _nothing_read(differing, trees, asked, flags, top):
            say(quiet, f"only texts that no build reads differ: {some_of(differing)}")
            return Project(revisions, ())
        named = asked.command is not None and os.path.exists(asked.command)
        database = Path(asked.command or "") if named else None
        built = None
        if database is None:
            database, built = built_or_compiled(asked, both, revisions, differing, out, quiet)
        notes += [note for each in both for note in each.notes]
        if built is None:
            for enclosure in both:
                _require_unedited(enclosure)
            place = out / "versions"
            versions, left = unbuilt_versions(revisions, trees, flags, place, database, ignored)
            for why, files in left.items():
                if files:
                    say(quiet, f"left out, {why}: {some_of(files)}")
            only = Subject(top.name, versions, out, (Entry(""),), Readings())
            only = _unbuilt(only, installed_headers(trees[-1]), ignored, quiet)
            return Project(revisions, (only,))
        chosen, more, aside = _choice(built, asked, top.name, out, ignored)
        for note in (*notes, *more):
            say(quiet, note)
        own = {each.name: each.flags for each in asked.own}
        make = _Subjects(built, _FlagsOfTargets(top, flags, own), out, ignored, quiet)
        sorted_targets = _sort_targets(chosen, bool(asked.targets), make)
        otherwise = linked_otherwise(*built, ignored)
        found = _tested_and_untested(sorted_targets, make, top.name, otherwise)
        edited = tuple(_sentences_on_edits(built, bool(asked.targets), ignored))
        unread = tuple(filter(is_for_assembler, names))
        linked = [each for each in otherwise if _counts(each, asked.targets, ignored)]
        return Project(revisions, *found, aside, unread, edited, tuple(linked))


def _nothing_read(
    differing: Sequence[str], trees: Sequence[Path], asked: RevisionOptions, flags: Flags, top: Path
) -> bool:
    """Are the files that differ read by no build? A build of the user's own may read whatever it
    has generated."""
    if find_commands(top, None) is not None:
        return False
    settings = (os.environ[name] for name in os.environ if _SETTING.fullmatch(name))
    said = chain(flags, *(each.flags for each in asked.own), settings)
    return only_texts(differing, trees, said)


def _require_unedited(enclosure: Enclosure) -> None:
    """Raise UsageError where a build that made nothing has edited C files all the same."""
    enclosure.clear()
    edited = sorted(each for each in enclosure.edits().changed if each.endswith((".c", ".h")))
    if edited:
        raise UsageError(
            f"the build makes nothing, but edits {some_of(edited)}: there is nothing to compare",
            hint="say how it is built: --build COMMAND",
        )


def _tested_and_untested(
    targets: _SortedTargets, make: _Subjects, name: str, linked: Sequence[str]
) -> tuple[tuple[Subject, ...], tuple[str, ...]]:
    """The subjects to test, and the names of those that differ and are not tested. ``name``: that
    of the library made of C files which belong to no program or library. ``linked``: targets with
    parts that nobody has seen being compiled."""
    built, quiet, beyond = make.built, make.quiet, targets.beyond
    tested = targets.tested
    if not tested and Aside.SHOWING in beyond and add_library(*built, name, make.ignored):
        library = make.subject(Target(name, False, (), 1), False)
        entries = make.entries(library)
        if entries and not isinstance(entries, Aside):
            tested = [replace(library, entries=entries)]
    for aside, programs in beyond.items() if tested else ():
        say(quiet, f"{aside}: {', '.join(each.name for each in programs)}")
    tested = tested or [*chain(*beyond.values())][:MOST] or targets.same[:MOST]
    for subject in chain(targets.same, *beyond.values()):
        if all(subject.folder != other.folder for other in tested):
            make.remove(subject)
    for subject in tested:
        if not subject.entries:
            say(quiet, _why_nothing(subject, differing_files(*built)))
    same = [subject.name for subject in targets.same if subject not in tested]
    untested = make.changed_among(targets.left, [subject.name for subject in tested], same)
    untested += targets.unreached
    same = [each for each in same if each not in linked]
    if same:
        say(quiet, f"the same in both versions: {', '.join(same)}")
    return tuple(tested), tuple(untested)


@dataclass(slots=True)
class _SortedTargets:
    """What comes of the targets that a change reaches. ``same``: there is nothing to test in
    them; ``beyond``: programs of which no input shows what differs; ``left``: nobody
    has looked at them. ``unreached``: the names of libraries of which no program that is tested
    reaches all that differs."""

    tested: list[Subject] = field(default_factory=list)
    same: list[Subject] = field(default_factory=list)
    beyond: dict[Aside, list[Subject]] = field(default_factory=dict)
    left: list[Target] = field(default_factory=list)
    unreached: list[str] = field(default_factory=list)


def _sort_targets(
    chosen: Sequence[Sequence[Target]], asked: bool, make: _Subjects
) -> _SortedTargets:
    """Look at the targets in turn, until ``MOST`` can be tested: those of the second list if the
    first has none. ``asked``: the user named them."""
    found = _SortedTargets()
    for targets in chosen:
        if found.tested:
            _add_libraries(targets, found, make)
            continue
        for target in targets:
            if len(found.tested) == MOST or len(found.same) == _MOST_SAME:
                found.left.append(target)
                continue
            subject = make.subject(target, len(targets) == 1 and not found.same)
            if not asked and subject.is_unchanged():
                found.same.append(subject)
                continue
            entries = make.entries(subject)
            if not isinstance(entries, Aside):
                found.tested.append(replace(subject, entries=entries))
            elif asked:
                found.tested.append(subject)
            else:
                found.beyond.setdefault(entries, []).append(subject)
    return found


def _add_libraries(targets: Sequence[Target], found: _SortedTargets, make: _Subjects) -> None:
    """Add the libraries in which something differs that no tested program comes to."""
    if not targets:
        return
    try:
        reached = frozenset().union(
            *(reached_from_main(each.versions, each.readings) for each in found.tested)
        )
    except CsgtestError:  # whoever reads the files next gets the same error
        found.left += targets
        return
    for number, target in enumerate(targets):
        library = make.apart_from(reached, target) if number < MOST else None
        if library is None:
            found.left.append(target)
        elif len(found.tested) < MOST:
            found.tested.append(library)
        else:
            found.unreached.append(library.name)
            make.remove(library)


@record
class _Subjects:
    """Makes subjects of targets."""

    built: Both
    flags: _FlagsOfTargets
    out: Path
    ignored: Sequence[str]
    quiet: bool

    def subject(self, target: Target, alone: bool) -> Subject:
        """The files of a target, copied to a folder of their own, if it is not ``alone``."""
        subject, unlike = _subject(target, alone, self.built, self.flags, self.out, self.ignored)
        if unlike:
            say(
                self.quiet,
                f"{subject.name}: ignored, but part of it all the same, since the "
                f"versions cannot have one of them for both: {some_of(unlike)}",
            )
        return subject

    def apart_from(self, reached: frozenset[tuple[str, str]], target: Target) -> Subject | None:
        """A library with the entries that come to what is not ``reached`` by programs; None where
        there is nothing of that kind, or the library cannot be read."""
        library = self.subject(target, False)
        versions, readings = library.versions, library.readings
        try:
            elsewhere = functions_among(reached, versions, readings)
            changed = changed_in(versions, readings, self.ignored)
            functions = (changed.functions | changed.old | changed.new) - elsewhere
            if functions or changed.objects:
                entries = self.entries(library)
                assert not isinstance(entries, Aside)
                more = tuple(each for each in entries if each.changed - elsewhere)
                return replace(library, entries=more, elsewhere=elsewhere)
        except CsgtestError:  # it is named where no program contains it
            pass
        self.remove(library)
        return None

    def remove(self, subject: Subject) -> None:
        """Remove the copied files of a subject that is not tested."""
        own = subject.folder != self.out
        shutil.rmtree(subject.folder if own else subject.folder / "versions")

    def changed_among(
        self, targets: Sequence[Target], tested: Sequence[str], same: list[str]
    ) -> list[str]:
        """The names of the targets that differ in a file which belongs to none of the others; the
        names of those that are the same in both versions go to ``same``."""
        changed = []
        for target in targets:
            if is_covered(*self.built, target.name, [*tested, *same]):
                continue
            if len(same) < _MOST_SAME:
                subject = self.subject(target, False)
                unchanged = subject.is_unchanged()
                self.remove(subject)
                if unchanged:
                    same.append(target.name)
                    continue
            changed.append(target.name)
        return changed

    def entries(self, subject: Subject) -> tuple[Entry, ...] | Aside:
        """The entries of a program, or of a library."""
        versions, readings = subject.versions, subject.readings
        if not subject.entries:
            installed = installed_headers(self.built[-1].tree)
            return entries_of(versions, readings, installed, self.ignored)
        try:
            return entries_of_program(versions, readings, self.ignored)
        except CsgtestError:  # whoever reads the files next gets the same error
            return subject.entries


def _unbuilt(
    only: Subject, installed: frozenset[str], ignored: Sequence[str], quiet: bool
) -> Subject:
    """The subject of C files that no build makes anything of, with its entries: a program, or a
    library where no input of the program shows what differs."""
    versions, readings = only.versions, only.readings
    try:
        entries = entries_of(versions, readings, installed)
        if not entries or entries[0].name:
            return replace(only, entries=entries or only.entries)
        tested = entries_of_program(versions, readings, ignored)
        if not isinstance(tested, Aside):
            return replace(only, entries=tested)
        pair = readings.read(versions.pairs())
        programs = {
            unit.file
            for unit in (*pair.old, *pair.new)
            if any(each.symbol.name == "main" for each in unit.functions)
        }
        names = sorted(
            each.below
            for each in versions.pairs()
            if any(file is not None and str(file.path) in programs for file in (each.old, each.new))
        )
        library = replace(versions, ignored=(*versions.ignored, *names))
        others = Readings()
        entries = entries_of(library, others, installed)
    except CsgtestError:  # whoever reads the files next gets the same error
        return only
    if not entries:
        return only
    say(quiet, f"{tested}: {', '.join(names)}")
    return replace(only, versions=library, readings=others, entries=entries)


def _listed(targets: list[Target]) -> str:
    return ", ".join(each.name for each in targets)


def _choice(
    built: Both, asked: RevisionOptions, name: str, out: Path, ignored: Sequence[str]
) -> tuple[list[list[Target]], list[str], tuple[str, ...]]:
    """The targets to test among those that the change reaches, those behind in the place of those
    before them if these are programs that come to no change; notes on the others; and the tests and
    examples that the change reaches alone. ``name``: that of the library made of C files that
    belong to no program or library."""
    targets, notes = reached_targets(*built, asked.targets, ignored)
    proper = _proper(targets, bool(asked.targets))
    chosen = bool(asked.targets or built[1].spoilt)  # by the user, or nobody knows what else to do
    adopted = [] if targets or chosen else adopt_unbuilt(*built, ignored)
    if adopted:
        notes.append(f"no build compiles {some_of(adopted)}: compiled as the files around")
    included = [] if proper or adopted or chosen else adopt_included(*built, ignored)
    if not proper and not chosen and add_library(*built, name, ignored):
        proper = [Target(name, False, (), 1)]
        made = sorted(Path(each.source).name for each in built[1].sources(name))
        if included:
            made = [f"{each}, which tests alone include," for each in included]
        notes.append(f"what differs is in no program and no library: {some_of(made)} is one")
    if notes or (not targets and not asked.targets):
        notes += [said for said, _ in _failures(built, out)]
    if notes and not targets and not proper:
        raise UsageError(
            f"{'; '.join(notes)}: there is nothing to compare",
            hint=f"what the builds said is in {' and '.join(map(str, logs_of(out)))}",
        )
    notes += [
        f"both versions are tested without {flag}, with which their build compiles"
        for flag in sorted(built[0].left_out | built[1].left_out)
    ]
    if not targets and not proper and not chosen:
        notes += _unused(built, out, ignored)
    notes += _notes_of_settings(built, asked, ignored)
    if targets and not proper:
        if within := read_by_tests_alone(*built, ignored):
            raise UsageError(
                f"tests and examples alone use what differs: {some_of(within)}",
                hint=f"name one of them: --target {targets[0].name}",
            )
        notes.append(f"only tests and examples differ (--target NAME): {_listed(targets)}")
    libraries = [each for each in targets if not each.program and not each.aside]
    left = [each for each in targets if each.program and not each.aside and each not in proper]
    if left:
        notes.append(f"reached by the change and not looked at: {_listed(left)}")
    alone = () if proper else tuple(each.name for each in targets)
    return [proper, [each for each in libraries if each not in proper]], notes, alone


def _failures(built: Both, out: Path) -> Iterator[tuple[str, Path]]:
    """What is to be said of each build that failed, and its log."""
    for side, version, log in zip(SIDES, built, logs_of(out), strict=True):
        if version.code:
            shown = "".join(f"\n    {line}" for line in failures(log))
            yield f"the build of the {side} version ends with {version.code}{shown}", log


def _unused(built: Both, out: Path, ignored: Sequence[str]) -> Iterator[str]:
    """Notes on what differs and was not built. Raises UsageError where that may be because a build
    failed."""
    unused = [file for file in unused_files(*built) if not matches(file, ignored)]
    if not unused:
        return
    said = f"nothing that is built is made of what differs: {some_of(unused)}"
    for failure, log in _failures(built, out):
        raise UsageError(
            f"{said}; {failure}",
            hint=f"say how it is built: --build COMMAND; all that it said is in {log}",
        )
    yield said


def _notes_of_settings(
    built: Both, asked: RevisionOptions, ignored: Sequence[str]
) -> Iterator[str]:
    """Notes on changes that are ignored, and on tables of csgtest.toml without a target."""
    left = [file for file in differing_files(*built) if matches(file, ignored)] if ignored else []
    if left:
        yield f"ignored although they differ: {some_of(left)}"
    made = {name for each in built for name in (*each.products.links, *each.products.archives)}
    for each in asked.own:
        if not any(is_named(name, [each.name]) for name in made):
            near = difflib.get_close_matches(each.name, sorted(made))
            meant = f"; near to it: {', '.join(near)}" if near else ""
            yield f"[target.{each.name}] says how to test what no build makes{meant}"


def _sentences_on_edits(built: Both, asked: bool, ignored: Sequence[str]) -> Iterator[str]:
    """A sentence on each target of which nobody knows what the compiler was given. ``asked``: tests
    and examples, too."""
    for name, files in built[1].spoilt.items():
        if asked or not (is_aside(name) or matches(name, ignored)):
            yield f"{name}: not tested: the build edits what it compiles: {some_of(files)}"


def _counts(name: str, targets: Sequence[str], ignored: Sequence[str]) -> bool:
    """Is it one of the targets that the user asked for, or, where there are none, no test?"""
    return is_named(name, targets) if targets else not (is_aside(name) or matches(name, ignored))


def _proper(targets: list[Target], asked: bool) -> list[Target]:
    """The targets, programs before libraries, which they are made of; tests and examples only if
    asked for."""
    if asked:
        return targets
    proper = [each for each in targets if not each.aside]
    return [each for each in proper if each.program] or proper


@record
class _FlagsOfTargets:
    """The flags of all targets, or those of one target's table. Folders of the user's work tree are
    replaced by those of the version, which ``csg.programs`` then does for the other one."""

    repository: Path
    all: Flags
    own: Mapping[str, Flags]

    def of(self, target: str, tree: Path) -> Flags:
        named = self.own.get(target, self.own.get(PurePosixPath(target).name, self.all))
        return moved_flags(named, os.path.realpath(self.repository), str(tree))


def _why_nothing(subject: Subject, files: Sequence[str]) -> str:
    """Why no function of a library is tested although the change reaches it."""
    where = some_of([file for file in files if not is_aside(file)])
    unified = subject.readings.unify(subject.versions.pairs(), "")
    if unified.same_code:
        return f"{subject.name}: the compiler makes the same code of both versions of {where}"
    if unified.changes:
        return f"{subject.name}: no function that comes to what differs in {where} can be called"
    edits = unseen_edits(unified, (), subject.versions.flags_of_files())
    versions = subject.versions
    places = {f"{versions.new}/": "", f"{versions.old}/": "old "}
    reasons = [each.why for each in edits]
    for folder, shown in places.items():
        reasons = [each.replace(folder, shown) for each in reasons]
    macros = [*dict.fromkeys(each.macro for each in edits if each.macro)]
    defined = " ".join(f"-D{each}" for each in macros)
    hint = f" (flags for both versions stand after --: -- {defined})" if macros else ""
    why = some_of([*dict.fromkeys(reasons)]) or "nothing that is compiled differs"
    return f"{subject.name}: the compiler sees no difference in {where}: {why}{hint}"


def _subject(
    target: Target,
    alone: bool,
    built: Both,
    flags: _FlagsOfTargets,
    out: Path,
    ignored: Sequence[str],
) -> tuple[Subject, list[str]]:
    """What a target is made of, copied to a folder of its own, if it is not ``alone``; and the
    ignored files of which each version has its own all the same."""
    folder = out if alone else out / target.name.replace("/", "_")
    if folder != out:
        OutputFolder(folder).close()
    place = folder / "versions"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    copy_target(*built, target.name, place)
    versions = Versions(
        place / "old",
        place / "new",
        (*flags.of(target.name, place / "new"), *target.libraries),
        old_build=place / "old.json",
        new_build=place / "new.json",
    )
    unlike = share_ignored(versions, ignored)
    entries = (Entry(""),) if target.program else ()
    return Subject(target.name, versions, folder, entries, Readings()), unlike
