"""A call about revisions becomes calls about two folders each: one for each program it reaches.

csgtest build main...HEAD      csgtest build csgtest-out/versions/old csgtest-out/versions/new
                                   --old-build .../old.json --new-build .../new.json -- -lm
"""

from __future__ import annotations

import difflib
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import TypeVar

from csg.errors import CsgtestError, UsageError
from csg.files import read_file
from csg.frontend import parse_files
from csg.language.syntax import Linkage, SymbolKind, TranslationUnit
from csg.language.type_text import declaration_text
from csg.pipeline import shared_entry
from csg.programs import (
    FilePair,
    Flags,
    SourceFile,
    Versions,
    files_of,
    is_aside,
    matches,
    moved_flags,
)
from csg.records import record
from csg.unify.changes.textual import unseen_edits
from csg.unify.pairs import Readings
from csg.unify.unified import Unified
from symexec.options import (
    BuildOptions,
    CompareOptions,
    FileOptions,
    GraphOptions,
    RevisionOptions,
    UnifyOptions,
    versions_of,
)
from symexec.projects.attempts import SIDES, Both, built_or_compiled, logs_of, say
from symexec.projects.building import Enclosure, failures
from symexec.projects.entries import (
    MOST,
    Aside,
    Entry,
    changed_functions,
    confirm,
    entries_of,
    entries_of_program,
    installed_headers,
    unconfirmed,
)
from symexec.projects.later import LEAST
from symexec.projects.programs import (
    Target,
    add_library,
    adopt_included,
    adopt_unbuilt,
    copy_target,
    differing_files,
    has_main,
    is_covered,
    is_named,
    reached_targets,
    read_by_tests_alone,
    unused_files,
)
from symexec.projects.revisions import (
    Revisions,
    changed_files,
    differing_names,
    only_texts,
    read_revisions,
    unbuilt_versions,
)
from symexec.report.model import Report
from symexec.report.session import rewrite_report
from symexec.testcases import OutputFolder
from symexec.testcases.seeds import places_of_tests

Call = TypeVar("Call", BuildOptions, CompareOptions, GraphOptions, UnifyOptions)

AUTO = "auto"  # in place of a function: csgtest chooses (no function of C has that name)
INSIDE = (
    1 / 3
)  # of the time of a program for its functions, where no input of it shows a difference
_SHOWN = 4  # differing files that belong to no target
_MOST_SAME = 16  # targets to read that turn out to be the same


@record
class Subject:
    """A program or library to test: ``versions`` as a user would name them, ``folder`` for the
    results. ``entries``: of a library the functions that its users call and that reach a change."""

    name: str
    versions: Versions
    folder: Path
    entries: tuple[Entry, ...]
    readings: Readings

    def is_same_code(self) -> bool:
        """Does the compiler make the same code of both versions?"""
        unified = self._unified()
        return unified is not None and unified.same_code

    def is_unchanged(self) -> bool:
        """Is there nothing to test, as the versions differ in no function and no object, or the
        compiler makes the same code of both?"""
        unified = self._unified()
        return unified is not None and (unified.same_code or not unified.changes)

    def _unified(self) -> Unified | None:
        """None where the files cannot be read: whoever reads them next gets the same error."""
        try:
            return self.readings.unify(self.versions.pairs(), "")
        except CsgtestError:
            return None


@record
class Project:
    """The programs and libraries of a call about revisions. ``untested``: names of those that the
    change reaches and that are not among the subjects, nor a part of them."""

    revisions: Revisions
    subjects: tuple[Subject, ...]
    untested: tuple[str, ...] = ()


def read_project(
    asked: RevisionOptions, flags: Flags, out: Path, quiet: bool, ignored: Sequence[str] = ()
) -> Project:
    """Build both versions. There are no subjects where nothing that is compiled differs."""
    revisions = read_revisions(asked.text, Path.cwd(), asked.staged)
    top = revisions.repository
    with ExitStack() as stack:
        both = tuple(stack.enter_context(Enclosure()) for _ in SIDES)
        notes = revisions.export(*(each.tree for each in both))
        trees = [each.tree for each in both]
        differing = [] if asked.command else differing_names(*trees)
        if differing and not asked.targets and only_texts(differing, trees):
            say(quiet, f"only texts that no build reads differ: {_some(differing)}")
            return Project(revisions, ())
        named = asked.command is not None and os.path.exists(asked.command)
        database = Path(asked.command or "") if named else None
        built = None
        if database is None:
            database, built = built_or_compiled(asked, both, revisions, differing, out, quiet)
        if built is None:
            place = out / "versions"
            versions, left = unbuilt_versions(revisions, trees, flags, place, database, ignored)
            for why, files in left.items():
                if files:
                    say(quiet, f"left out, {why}: {_some(files)}")
            only = Subject(top.name, versions, out, (Entry(""),), Readings())
            only = _unbuilt(only, installed_headers(trees[-1]), ignored, quiet)
            return Project(revisions, (only,))
        chosen, more = _choice(built, asked, top.name, out, ignored)
        for note in (*notes, *more):
            say(quiet, note)
        own = {each.name: each.flags for each in asked.own}
        flags_of = _FlagsOfTargets(top, flags, own)
        make = _Subjects(built, flags_of, out, ignored, quiet)
        sorted_ = _sort_targets(chosen, bool(asked.targets), make)
        found, beyond = sorted_.tested, sorted_.beyond
        if not found and Aside.SHOWING in beyond and add_library(*built, top.name, ignored):
            library = make.subject(Target(top.name, False, (), 1), False)
            of_library = make.entries(library)
            if of_library and not isinstance(of_library, Aside):
                found.append(replace(library, entries=of_library))
        for aside, programs in beyond.items() if found else ():
            say(quiet, f"{aside}: {', '.join(each.name for each in programs)}")
        found = found or [*chain(*beyond.values())][:MOST] or sorted_.same[:MOST]
        for each in chain(sorted_.same, *beyond.values()):
            if all(each.folder != retained.folder for retained in found):
                make.remove(each)
        for each in found:
            if not each.entries:
                say(quiet, _why_nothing(each, differing_files(*built)))
        same = [each.name for each in sorted_.same if each not in found]
        untested = make.changed_among(sorted_.left, [each.name for each in found], same)
        if same:
            say(quiet, f"the same in both versions: {', '.join(same)}")
        return Project(revisions, tuple(found), tuple(untested))


@dataclass(slots=True)
class _SortedTargets:
    """What comes of the targets that a change reaches. ``same``: there is nothing to test in
    them; ``beyond``: programs of which no input shows what differs; ``left``: nobody
    has looked at them."""

    tested: list[Subject] = field(default_factory=list)
    same: list[Subject] = field(default_factory=list)
    beyond: dict[Aside, list[Subject]] = field(default_factory=dict)
    left: list[Target] = field(default_factory=list)


def _sort_targets(
    chosen: Sequence[Sequence[Target]], asked: bool, make: _Subjects
) -> _SortedTargets:
    """Look at the targets in turn, until ``MOST`` can be tested: those of the second list if the
    first has none. ``asked``: the user named them."""
    found = _SortedTargets()
    for targets in chosen:
        if found.tested:
            found.left += targets
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
                f"versions cannot have one of them for both: {_some(unlike)}",
            )
        return subject

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


@dataclass(slots=True)
class _Time:
    """The time that is left for several calls, and how many of them share it. ``retained``: for
    functions inside of programs, in shares of a call."""

    left: float
    calls: int
    retained: float = 0.0

    def share(self) -> float:
        return self.left / (self.calls + self.retained)


@record
class _Call:
    """An entry that may be tested. ``several``: each entry of the subject has a folder."""

    subject: Subject
    options: BuildOptions
    entry: Entry
    several: bool
    spent: _Time


@dataclass(slots=True)
class Run:
    """A call of ``csgtest build`` for one entry of a program or library, with two folders, and its
    result; ``report`` None: not yet, or nothing."""

    name: str
    options: BuildOptions
    subject: Subject
    changed: frozenset[str] = frozenset()  # functions of a library that it reaches
    report: Report | None = None

    @property
    def spare(self) -> bool:
        """Do others of csgtest's own choice reach the same changes: public ones where it is an
        inner entry, the function by itself where it is one in a sequence, or further public
        ones?"""
        inner = self.options.internal
        public = sum(not (each.internal and each.internal.reason) for each in self.subject.entries)
        return public > 0 if inner is not None and inner.reason else public > 1

    @property
    def waits(self) -> bool:
        """Is there an internal difference, which another entry may confirm?"""
        return self.report is not None and any(each.internal for each in self.report.groups)


def library_of(options: BuildOptions) -> Subject | None:
    """Two files or folders as a library whose entries csgtest chooses: there is no main, and the
    call names no function and none of its parameters. None where there is one function to begin
    with, or nothing to choose from."""
    inputs, versions = options.inputs, versions_of(options)
    asked = inputs.entry == AUTO
    if inputs.entry is not None and not asked:
        return None
    if not asked and (inputs.ranges or inputs.assumptions or inputs.symbolic_globals):
        return None
    files, readings, known = versions.pairs(), Readings(), frozenset[str]()
    if any(_seems_to_have_main(each) for each in files):
        return None
    pair = readings.read(files)
    try:
        shared_entry(pair.old, pair.new, None)
        several = False
    except UsageError:
        several = True
    if not several and not asked:
        return None
    if versions.new.is_dir():
        known = installed_headers(versions.new)
    entries = entries_of(versions, readings, known, options.files.ignored)
    if not any(each.name for each in entries):
        return None
    return Subject(options.new.name, versions, options.out, entries, readings)


def _is_same_code(subject: Subject, options: BuildOptions) -> bool:
    """Does no entry matter, as the compiler makes the same code of both versions?"""
    return not options.search_same_code and bool(subject.entries) and subject.is_same_code()


def _seems_to_have_main(pair: FilePair) -> bool:
    """Is there something like main in a text? To be sure it has to be read, which takes longer."""
    for file in (pair.old, pair.new):
        with suppress(OSError):
            if file is not None and has_main(file.path):
                return True
    return False


class Session:
    """The calls for all that revisions reach, or for a ``library``. They share the time, except for
    those to which csgtest.toml gives their own; what one does not use the others get."""

    def __init__(self, options: BuildOptions, quiet: bool, library: Subject | None = None) -> None:
        if options.inputs.entry == AUTO:
            options = replace(options, inputs=replace(options.inputs, entry=None))
        self._options = options
        self._quiet = quiet
        self._library = library
        self._untested: tuple[str, ...] = ()  # targets
        self._libraries: list[Subject] = []  # whose entries csgtest chooses
        self.runs: list[Run] = []

    def calls(self) -> Iterator[Run]:
        """The runs, one after the other; the caller sets the report of each before it takes the
        next."""
        options = self._options
        OutputFolder(options.out).close()  # the folder is claimed
        files = options.files
        intended: dict[str, Path] = {}
        asked = RevisionOptions()
        if self._library is not None:
            subjects: tuple[Subject, ...] = (self._library,)
            tests = places_of_tests(options.new) if options.new.is_dir() else ()
        else:
            asked = _asked(files)
            project = read_project(asked, options.flags, options.out, self._quiet, files.ignored)
            intended = self._intended(project, asked)
            subjects, tests = project.subjects, places_of_tests(project.revisions.repository)
            self._untested = project.untested
        together = _Time(options.search.time, 0)
        calls: list[_Call] = []
        others: dict[int, list[_Call]] = {}  # for when no test can call those, or time is left
        inside: list[_Call] = []  # functions of programs
        for each in subjects:
            own, keys = _own(options, asked, each)
            entries = each.entries
            if own.inputs.entry is not None or _is_same_code(each, own):
                entries = (Entry(""),)
            elif entries and entries[0].name:
                self._libraries.append(each)
            spent = _Time(own.search.time, 0) if "time" in keys else together
            several = len(entries) > 1
            mine = [_Call(each, own, entry, several, spent) for entry in entries]
            if several and not entries[0].name:
                inside += mine[1:]
                del mine[1:]
                spent.retained = INSIDE
            spent.calls += len(mine[:MOST])
            others[id(each)] = mine[MOST:]
            calls += mine[:MOST]
        for call in calls:
            waiting = others[id(call.subject)]
            run = self._run(call, call.spent.share(), intended, tests, waiting)
            yield run
            call.spent.left -= _spent(run)
            call.spent.calls -= 1
            if run.report is None and waiting:
                call.spent.calls += 1
                calls.append(waiting.pop(0))
        yield from self._in_what_is_left([*chain(*others.values())], intended, tests)
        yield from self._inside(inside, intended, tests)

    def _in_what_is_left(
        self, waiting: list[_Call], intended: Mapping[str, Path], tests: tuple[Path, ...]
    ) -> Iterator[Run]:
        """Further entries, while there is time, that reach a changed function which no entry before
        them reaches."""
        while waiting := self._reaching_more(waiting):
            if waiting[0].spent.left < LEAST:
                return
            call = waiting.pop(0)
            seconds = call.spent.left / min(MOST, len(waiting) + 1)
            run = self._run(call, seconds, intended, tests, waiting)
            yield run
            call.spent.left -= _spent(run)

    def _reaching_more(
        self, waiting: Sequence[_Call], excepted: frozenset[str] = frozenset()
    ) -> list[_Call]:
        """The entries that reach a changed function which no finished run reaches, and which is
        not one of ``excepted``."""
        return [
            call for call in waiting if call.entry.changed - excepted - self._reached(call.subject)
        ]

    def _reached(self, subject: Subject) -> frozenset[str]:
        """The changed functions that finished runs of a library reach."""
        return frozenset().union(
            *(run.changed for run in self.runs if run.subject is subject and run.report is not None)
        )

    def untested(self) -> Iterator[str]:
        """Sentences on what the change reaches and no run has tested."""
        if self._untested:
            names = ", ".join(self._untested)
            yield f"not tested: {names}: the change reaches it (--target {self._untested[0]})"
        for subject in self._libraries:
            changed = changed_functions(
                subject.versions, subject.readings, self._options.files.ignored
            )
            left = sorted(changed - self._reached(subject))
            if left:
                yield f"{subject.name}: not tested: {_some(left)}: changed (--entry {left[0]})"

    def _inside(
        self, calls: Sequence[_Call], intended: Mapping[str, Path], tests: tuple[Path, ...]
    ) -> Iterator[Run]:
        """Functions inside of programs, those of each name once, if all programs were searched and
        none shows a difference."""
        reports = [run.report for run in self.runs]
        if not all(each is not None and each.finished and not each.groups for each in reports):
            return
        waiting = [*{each.entry.name: each for each in reversed(calls)}.values()][::-1]
        for number in range(MOST // 2):
            run = None
            while waiting and (run is None or run.report is None):
                call = waiting.pop(0)
                most = call.options.search.time * INSIDE / (1 + INSIDE)
                shared = min(MOST // 2 - number, len(waiting) + 1)
                run = self._run(call, min(call.spent.left, most) / shared, intended, tests)
                yield run
                call.spent.left -= _spent(run)

    def _run(
        self,
        call: _Call,
        seconds: float,
        intended: Mapping[str, Path],
        tests: tuple[Path, ...],
        waiting: Sequence[_Call] = (),
    ) -> Run:
        """The next run. ``waiting``: entries that follow where it leaves time."""
        subject, own, entry = call.subject, call.options, call.entry
        about = own if self._library is not None else _about(own, subject)
        options = replace(
            about,
            files=replace(about.files, golden=intended.get(subject.name, about.files.golden)),
            inputs=replace(
                own.inputs,
                entry=own.inputs.entry or entry.sequence or entry.name or None,
                examples=own.inputs.examples or tests,
            ),
            search=replace(own.search, time=seconds),
            others_wait=bool(self._reaching_more(waiting, entry.changed)),
            out=subject.folder / entry.name if call.several else subject.folder,
            internal=entry.internal,
            wanted=frozenset(unconfirmed(self._found(subject), entry.reaches)),
        )
        name = f"{subject.name}, {entry.name}" if entry.name else subject.name
        run = Run(name, options, subject, entry.changed)
        self.runs.append(run)
        return run

    def _intended(self, project: Project, asked: RevisionOptions) -> dict[str, Path]:
        """Each subject as the revision has it that ``--golden`` names; nothing where it names a
        file or folder. What that revision has like the old one is that of the old one."""
        golden = self._options.files.golden
        if golden is None or golden.exists() or not project.subjects:
            return {}
        options, old = self._options, project.revisions.old
        both = replace(asked, text=f"{old}..{golden}", staged=False)
        place = options.out / "golden"
        fixed = read_project(both, options.flags, place, self._quiet, options.files.ignored)
        found = {each.name: each.versions.new for each in fixed.subjects}
        for each in project.subjects:
            differing = changed_files(fixed.revisions, each.versions.old)
            if each.name not in found and differing:
                raise UsageError(
                    f"'{golden}' does not build {each.name}, but differs in {_some(differing)}",
                    hint="give its C file, folder or executable to --golden",
                )
            found.setdefault(each.name, each.versions.old)
        return found

    def confirmed(self) -> list[Run]:
        """The runs with internal differences, once all are finished: what a public entry confirms
        is noted, and their reports are written again."""
        for subject in {id(run.subject): run.subject for run in self.runs}.values():
            for out, report in confirm(self._found(subject)):
                rewrite_report(report, out, self._options.every_test)
        return [run for run in self.runs if run.waits]

    def _found(self, subject: Subject) -> list[tuple[Path, Report]]:
        """The finished reports on a subject, with their folders."""
        return [
            (run.options.out, run.report)
            for run in self.runs
            if run.subject is subject and run.report is not None
        ]


def _spent(run: Run) -> float:
    """The seconds of its time that a run has used: none where no test can call the entry, all of it
    where that is not known."""
    if run.report is None:
        return 0.0
    counters = run.report.counters
    took, before = counters.get("wall_s"), counters.get("prepared_s")
    if not isinstance(took, float) or not isinstance(before, float):
        return run.options.search.time
    return min(run.options.search.time, max(0.0, took - before))


def one_call(options: Call, folder: Path) -> Call:
    """The same call for the only program or library that the change reaches; ``folder`` is for its
    files. Raises UsageError where there are several, or none."""
    asked = _asked(options.files)
    project = read_project(asked, options.flags, folder, False, options.files.ignored)
    if len(project.subjects) != 1:
        names = ", ".join(each.name for each in project.subjects)
        raise UsageError(
            f"the change reaches {names}" if names else "nothing that is compiled differs",
            hint="choose one of them with --target" if names else "see --build",
        )
    own, _ = _own(options, asked, project.subjects[0])
    return _about(own, project.subjects[0])


def _own(options: Call, asked: RevisionOptions, subject: Subject) -> tuple[Call, tuple[str, ...]]:
    """The call for one target, and the keys that only its table sets; a table with its whole path
    counts before one with its name."""
    tables = [each for each in asked.own if is_named(subject.name, [each.name])]
    for each in sorted(tables, key=lambda table: table.name != subject.name):
        if isinstance(each.options, type(options)):
            return each.options, each.keys
    return options, ()


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
        ignored=versions.ignored,
        name=PurePosixPath(subject.name).name,
    )
    return replace(options, old=versions.old, new=versions.new, flags=versions.flags, files=files)


def _listed(targets: list[Target]) -> str:
    return ", ".join(each.name for each in targets)


def _choice(
    built: Both, asked: RevisionOptions, name: str, out: Path, ignored: Sequence[str]
) -> tuple[list[list[Target]], list[str]]:
    """The targets to test among those that the change reaches, those behind in the place of those
    before them if these are programs that come to no change, and notes on the others. ``name``:
    that of the library made of C files that belong to no program or library."""
    targets, notes = reached_targets(*built, asked.targets, ignored)
    proper = _proper(targets, bool(asked.targets))
    adopted = [] if targets or asked.targets else adopt_unbuilt(*built, ignored)
    if adopted:
        notes.append(f"no build compiles {_some(adopted)}: compiled as the files around")
    included = [] if proper or adopted or asked.targets else adopt_included(*built, ignored)
    if not proper and not asked.targets and add_library(*built, name, ignored):
        proper = [Target(name, False, (), 1)]
        made = sorted(Path(each.source).name for each in built[1].sources(name))
        if included:
            made = [f"{each}, which tests alone include," for each in included]
        notes.append(f"what differs is in no program and no library: {_some(made)} is one")
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
    if not targets and not proper and not asked.targets:
        notes += _unused(built, out, ignored)
    notes += _notes_of_settings(built, asked, ignored)
    if targets and not proper:
        if within := read_by_tests_alone(*built, ignored):
            raise UsageError(
                f"tests and examples alone use what differs: {_some(within)}",
                hint=f"name one of them: --target {targets[0].name}",
            )
        notes.append(f"only tests and examples differ (--target NAME): {_listed(targets)}")
    libraries = [each for each in targets if not each.program and not each.aside]
    left = [each for each in targets if each.program and not each.aside and each not in proper]
    if left:
        notes.append(f"reached by the change and not looked at: {_listed(left)}")
    return [proper, [each for each in libraries if each not in proper]], notes


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
    said = f"nothing that is built is made of what differs: {_some(unused)}"
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
        yield f"ignored although they differ: {_some(left)}"
    made = {name for each in built for name in (*each.products.links, *each.products.archives)}
    for each in asked.own:
        if not any(is_named(name, [each.name]) for name in made):
            near = difflib.get_close_matches(each.name, sorted(made))
            meant = f"; near to it: {', '.join(near)}" if near else ""
            yield f"[target.{each.name}] says how to test what no build makes{meant}"


def _some(files: Sequence[str]) -> str:
    more = f" and {len(files) - _SHOWN} more" if len(files) > _SHOWN else ""
    return ", ".join(files[:_SHOWN]) + more


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
    where = _some([file for file in files if not is_aside(file)])
    unified = subject.readings.unify(subject.versions.pairs(), "")
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
    why = _some([*dict.fromkeys(reasons)]) or "nothing that is compiled differs"
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


# -------------------------------------------------------------------------------- ignored files
# A program is not whole without its ignored files: both versions have the new version's, so that
# nothing differs in them.
#
# old  lib.c vendor.c    new  lib.c' vendor.c'    ignored: vendor.c   ->   old  lib.c vendor.c'


def share_ignored(versions: Versions, ignored: Sequence[str]) -> list[str]:
    """Give the old version the new text of each ignored C file that differs, where it defines the
    same for others and needs nothing that the old version does not have. Returns the other ones."""
    left = []
    for pair in versions.pairs() if ignored else ():
        if pair.old is None or pair.new is None or not matches(pair.below, ignored):
            continue
        before, after = read_file(pair.old.path), read_file(pair.new.path)
        if before != after and not _shared(versions, pair.old, after):
            pair.old.path.write_bytes(before)
            left.append(pair.below)
    return left


def _shared(versions: Versions, file: SourceFile, text: bytes) -> bool:
    """Can the file have this text of the new version? It has it afterwards."""
    try:
        (before,) = parse_files([file])
        file.path.write_bytes(text)
        (after,) = parse_files([file])
        more = _mentioned(after) - _mentioned(before)
        if _defined(before) != _defined(after):
            return False
        if not more:
            return True
        old, new = (parse_files(each) for each in files_of(versions.pairs()))
    except CsgtestError:
        return False
    known = {name for unit in old for name in _defined(unit)}
    return more.isdisjoint({name for unit in new for name in _defined(unit)} - known)


def _defined(unit: TranslationUnit) -> dict[str, str]:
    """What the file defines for others, each as it is declared."""
    symbols = [each.symbol for each in unit.functions]
    symbols += [each.symbol for each in unit.declarations if each.symbol.kind is SymbolKind.OBJECT]
    return {
        each.name: declaration_text(each.type, each.name)
        for each in symbols
        if each.linkage is Linkage.EXTERNAL
    }


def _mentioned(unit: TranslationUnit) -> set[str]:
    return {
        each.symbol.name for each in unit.declarations if each.symbol.linkage is Linkage.EXTERNAL
    }
