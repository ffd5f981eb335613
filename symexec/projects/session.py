"""A call about revisions becomes calls about two folders each: one for each program it reaches.

csgtest build main...HEAD      csgtest build csgtest-out/versions/old csgtest-out/versions/new
                                   --old-build .../old.json --new-build .../new.json -- -lm
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import TypeVar

from csg.errors import CsgtestError, UsageError, some_of
from csg.language.syntax import Linkage
from csg.pipeline import shared_entry
from csg.programs import (
    NOT_COMPILED,
    FilePair,
    is_aside,
)
from csg.records import record
from csg.unify.pairs import ProgramPair, Readings
from symexec.options import (
    BuildOptions,
    CompareOptions,
    FileOptions,
    GraphOptions,
    InputOptions,
    RevisionOptions,
    UnifyOptions,
    versions_of,
)
from symexec.projects.entries import (
    MOST,
    Changed,
    Entry,
    changed_in,
    confirm,
    entries_of,
    installed_headers,
    public_names,
    unconfirmed,
)
from symexec.projects.later import LEAST
from symexec.projects.programs import (
    has_main,
    is_named,
)
from symexec.projects.project import Project, Subject, read_project
from symexec.projects.revisions import (
    changed_files,
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
class _Tests:
    """The files and folders of a tree that are tests by their names."""

    tree: Path
    places: tuple[Path, ...]


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
    """Two files or folders as a library whose entries csgtest chooses: only tests and examples have
    a main, and the call names no function and none of its parameters. None where there is one
    function to begin with, or nothing to choose from."""
    inputs, versions = options.inputs, versions_of(options)
    asked = inputs.entry == AUTO
    if inputs.entry is not None and not asked:
        return None
    if not asked and (inputs.ranges or inputs.assumptions or inputs.symbolic_globals):
        return None
    files, readings, known = versions.pairs(), Readings(), frozenset[str]()
    mains = [each for each in files if _seems_to_have_main(each)]
    tests = [each for each in files if each.below and is_aside(each.below)]
    if any(each not in tests for each in mains):
        return None
    if mains:
        if tests == [*files] or (not asked and _has_input_of_main(inputs)):
            return None
        names = (*versions.ignored, *(each.below for each in mains))
        versions = replace(versions, ignored=names)
        files = versions.pairs()
    pair = readings.read(files)
    try:
        only = shared_entry(pair.old, pair.new, None)
    except UsageError:
        only = ""
    unused = any(
        each is not None and each.offered for both in pair.differing_texts for each in both
    )
    old, new = (
        public_names(*each) for each in ((pair.old, versions.old), (pair.new, versions.new))
    )
    unused = unused or (bool(old & new) and old != new)  # if they share none, no entry is left
    if only and not (asked or mains or unused or _offers_static(pair)):
        return None
    if versions.new.is_dir():
        known = installed_headers(versions.new)
    entries = entries_of(versions, readings, known, options.files.ignored)
    chosen = {each.name for each in entries} - {""}
    if not unused and (not chosen or (chosen == {only} and not (asked or mains))):
        return None
    return Subject(options.new.name, versions, options.out, entries, readings)


def _has_input_of_main(inputs: InputOptions) -> bool:
    """Does the call say what a program reads?"""
    asked = (inputs.arguments, inputs.stdin, inputs.files, *inputs.named_files)
    return any(each is not None for each in asked)


def _offers_static(pair: ProgramPair) -> bool:
    """Do headers of files that differ define a static function, which others can call?"""
    functions = (
        each for units in pair.differing for unit in units if unit for each in unit.functions
    )
    return any(each.is_for_others and each.symbol.linkage is Linkage.INTERNAL for each in functions)


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


@dataclass(frozen=True, slots=True)
class Untested:
    """A sentence on what no run has tested. ``is_new``: the old version has nothing like it, so
    there is nothing to compare."""

    text: str
    is_new: bool = False


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
        self._aside: tuple[str, ...] = ()  # tests and examples that alone differ
        self._unread: tuple[str, ...] = ()  # files for the assembler that differ
        self._edited: tuple[str, ...] = ()  # sentences on targets
        self._linked: tuple[str, ...] = ()  # targets with parts that nobody has compiled
        self._libraries: list[Subject] = []  # whose entries csgtest chooses
        self._unchanged: list[Subject] = []  # of these, where functions have other names at most
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
            tree = options.new
        else:
            asked = _asked(files)
            project = read_project(asked, options.flags, options.out, self._quiet, files.ignored)
            intended = self._intended(project, asked)
            subjects, tree = project.subjects, project.revisions.repository
            self._untested, self._aside = project.untested, project.aside
            self._unread, self._edited = project.unread, project.edited
            self._linked = project.linked
        tests = _Tests(tree, places_of_tests(tree) if tree.is_dir() else ())
        together = _Time(options.search.time, 0)
        calls: list[_Call] = []
        others: dict[int, list[_Call]] = {}  # for when no test can call those, or time is left
        inside: list[_Call] = []  # functions of programs
        for each in subjects:
            own, keys = _own(options, asked, each)
            entries = each.entries
            if own.inputs.entry is not None or _is_same_code(each, own):
                entries = (Entry(""),)
            elif not entries and each.is_unchanged():
                entries = (Entry(""),) if each.leaves_open() else ()
                self._unchanged.append(each)
            elif not entries or entries[0].name:
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
        self, waiting: list[_Call], intended: Mapping[str, Path], tests: _Tests
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
        """The changed functions of a library that finished runs reach, or programs do that are
        tested."""
        return subject.elsewhere.union(
            *(run.changed for run in self.runs if run.subject is subject and run.report is not None)
        )

    def why_nothing(self) -> str:
        """Why there is nothing to test."""
        if not self._aside:
            apart = " outside of ignored files" if self._options.files.ignored else ""
            return f"Nothing that is compiled differs{apart}."
        return f"Only tests and examples differ: {some_of(self._aside)}."

    def refusals(self) -> list[CsgtestError]:
        """Why no call may end as if the versions were the same, whatever was tested."""
        hint = "say how it is built: --build COMMAND"
        found = [UsageError(each, hint=hint) for each in self._edited]
        if self._linked:
            said = f"not tested: {some_of(self._linked)}: {NOT_COMPILED}"
            found.append(UsageError(said, hint="have the build compile it from C files"))
        return [*found]

    def untested(self) -> Iterator[Untested]:
        """What the change reaches and no run has tested."""
        if self._untested:
            names = ", ".join(self._untested)
            reason = f"the change reaches it (--target {self._untested[0]})"
            yield Untested(f"not tested: {names}: {reason}")
        if self._unread:
            yield Untested(f"not tested: {some_of(self._unread)}: assembly is not read")
        for subject, changed in self._changes_by_library():
            for found, why in (
                (changed.functions - changed.retyped, "changed (--entry {0})"),
                (changed.retyped, "the types of its parameters or its result differ"),
                (changed.old, "only the old version has it"),
                (changed.new, "only the new version has it"),
                (changed.objects, "no function uses it"),
            ):
                left = sorted(found - self._reached(subject))
                if left:
                    text = f"{subject.name}: not tested: {some_of(left)}: {why.format(left[0])}"
                    yield Untested(text, is_new=found is changed.new)

    def _changes_by_library(self) -> Iterator[tuple[Subject, Changed]]:
        """What differs in the libraries whose entries csgtest chooses."""
        ignored = self._options.files.ignored
        for each in self._libraries:
            yield each, changed_in(each.versions, each.readings, ignored)
        for each in self._unchanged:
            yield each, changed_in(each.versions, each.readings, ignored).names_alone

    def _inside(
        self, calls: Sequence[_Call], intended: Mapping[str, Path], tests: _Tests
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
        tests: _Tests,
        waiting: Sequence[_Call] = (),
    ) -> Run:
        """The next run. ``waiting``: entries that follow where it leaves time."""
        subject, own, entry = call.subject, call.options, call.entry
        about = _ignoring(own, subject) if self._library is not None else _about(own, subject)
        options = replace(
            about,
            files=replace(about.files, golden=intended.get(subject.name, about.files.golden)),
            inputs=replace(
                own.inputs,
                entry=own.inputs.entry or entry.sequence or entry.name or None,
                examples=own.inputs.examples or tests.places,
                examples_tree=None if own.inputs.examples else tests.tree,
            ),
            search=replace(own.search, time=seconds),
            others_wait=bool(self._reaching_more(waiting, entry.changed)),
            out=subject.folder / entry.name if call.several else subject.folder,
            internal=entry.internal,
            linked=subject.name if subject.name in self._linked else "",
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
                    f"'{golden}' does not build {each.name}, but differs in {some_of(differing)}",
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


def _ignoring(options: BuildOptions, library: Subject) -> BuildOptions:
    """The call for a library, without the tests that its folder has."""
    return replace(options, files=replace(options.files, ignored=library.versions.ignored))


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
