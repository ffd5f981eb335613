"""Parsed options as the record that a command takes.

Namespace(old=.., new=.., time=5.0, ..)  --build-->  BuildOptions(search=SearchOptions(5.0), ..)
"""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import assert_never

from csg.errors import UsageError
from csg.programs import Annotation, GraphRules, Interactions
from symexec.options import (
    STORE_FILE,
    Accepting,
    AcceptOptions,
    After,
    BlessOptions,
    BuildOptions,
    CiOptions,
    CompareOptions,
    CompletedShell,
    CompletionOptions,
    EmitOptions,
    Emitted,
    EngineOptions,
    Expected,
    ExploreOptions,
    Export,
    ExportOptions,
    FailOn,
    FileOptions,
    FleetOptions,
    Form,
    Globals,
    GraphFormat,
    GraphKind,
    GraphOptions,
    HistoryOptions,
    InitOptions,
    InputOptions,
    ManualOptions,
    MemoryOptions,
    Options,
    ReplayOptions,
    RevisionOptions,
    RunOptions,
    SearchOptions,
    Shadow,
    ShadowOptions,
    Shown,
    ShowOptions,
    SiteOptions,
    SolverName,
    StoreOptions,
    SuiteOptions,
    UnifyOptions,
    Uninitialised,
    usually_searches_same_code,
)
from symexec.options.definitions import Argument, Named

NEAR_SEEDS = "breadth-first"  # as Shadow searches from each divergence


def _files(given: argparse.Namespace) -> FileOptions:
    revision = _revision(given)
    build = Path(given.build) if given.build is not None and revision is None else None
    return FileOptions(
        tuple(given.others),
        given.old_build or build,
        given.new_build or build,
        annotated=given.new is None and revision is None,
        golden=getattr(given, "golden", None),
        revision=revision,
        ignored=tuple(given.ignore),
        configured=getattr(given, "configured", None),
    )


def _revision(given: argparse.Namespace) -> RevisionOptions | None:
    """The revisions, where the words are no files; None where files are meant."""
    if not means_revisions(given.old, given.new):
        return None
    own = getattr(given, "own", ())
    return RevisionOptions(
        given.old or "", given.staged, given.build, tuple(given.targets), tuple(own)
    )


def named_by(old: str | None, new: Path | None) -> Named:
    """What the words OLD and NEW name."""
    if means_revisions(old, new):
        return Named.REVISIONS
    if os.path.isdir(old or ""):
        return Named.FOLDERS
    return Named.FILES if new is not None else Named.ANNOTATED


def refuse_without_effect(rows: Sequence[Argument], given: argparse.Namespace) -> None:
    """Refuse an option of the command line that has no effect on what OLD and NEW name."""
    named = named_by(given.old, given.new)
    for row in rows:
        if getattr(given, row.dest, None) and named not in row.about:
            kinds = " and ".join(each for each in Named if each in row.about)
            raise UsageError(
                f"{row.names[-1]} is for {kinds}, and OLD names {named}", hint=row.instead
            )


def means_revisions(old: str | None, new: Path | None) -> bool:
    return new is None and (old is None or is_revision(old))


def _old(given: argparse.Namespace) -> Path:
    return Path(given.old or "")


def is_revision(text: str) -> bool:
    """May this word be a revision, given that no file has that name?"""
    return not os.path.lexists(text) and not text.endswith((".c", "/"))


def _annotation(given: argparse.Namespace) -> Annotation:
    return Annotation(given.diff == "lines", given.style == "published")


def _rules(given: argparse.Namespace) -> GraphRules:
    if given.paper and given.interactions not in (None, Interactions.ALL.value):
        raise UsageError(
            f"--paper has all interaction locations, --interactions {given.interactions} asks for "
            "others",
            hint="leave one of the two out",
        )
    asked = given.interactions or GraphRules().interactions.value
    return GraphRules(Interactions(asked), not given.no_deletions, given.paper)


def _refuse_same_names(given: argparse.Namespace) -> None:
    letters = range(ord("A"), ord("A") + (given.sym_files.count if given.sym_files else 0))
    names = [*map(chr, letters), *(each.name for each in given.sym_file)]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(
                f"there cannot be two files '{name}'",
                hint="--sym-files names its files A, B and so on",
            )


def _inputs(given: argparse.Namespace) -> InputOptions:
    _refuse_same_names(given)
    return InputOptions(
        entry=given.entry,
        ranges=tuple(given.range),
        assumptions=tuple(given.assume),
        symbolic_globals=tuple(given.symbolic_global),
        globals=Globals(getattr(given, "globals", InputOptions().globals)),
        arguments=given.sym_args,
        stdin=given.sym_stdin,
        files=given.sym_files,
        named_files=tuple(given.sym_file),
        array_length=given.array_len,
        structure_depth=given.struct_depth,
        inferred=not getattr(given, "no_preconditions", False),
        examples=tuple(getattr(given, "examples", ())),
    )


def _search(given: argparse.Namespace) -> SearchOptions:
    stop_after = getattr(given, "stop_after", None)
    if stop_after is not None:
        _refuse_endings(given)
    return SearchOptions(
        time=given.time,
        memory=given.memory,
        seed=given.seed,
        mode=_mode(given),
        without=tuple(getattr(given, "without", ())),
        loop_bound=given.loop_bound,
        solver=SolverName(given.solver),
        after=After(getattr(given, "after", SearchOptions().after.value)),
        deterministic=getattr(given, "deterministic", False),
        prune=not getattr(given, "no_prune", False),
        stop_after=stop_after,
        jobs=getattr(given, "jobs", None),
    )


def _refuse_endings(given: argparse.Namespace) -> None:
    """A search can be ended by differences where they are confirmed, and as soon as they are."""
    if getattr(given, "deterministic", False):
        raise UsageError(
            "--stop-after ends a search when replays are through, which --deterministic does not "
            "look at",
            hint="leave one of the two out",
        )
    if getattr(given, "no_replay", False):
        raise UsageError(
            "--stop-after counts differences that replay has confirmed, and --no-replay has none",
            hint="leave one of the two out",
        )


def _mode(given: argparse.Namespace) -> str:
    """The search that was asked for, or the published one."""
    if getattr(given, "mode", None) is not None:
        return str(given.mode)
    shadow = Shadow(getattr(given, "shadow", Shadow.COMPLETE.value))
    match shadow:
        case Shadow.COMPLETE:
            return SearchOptions().mode
        case Shadow.CONCOLIC:
            return NEAR_SEEDS
        case Shadow.JPF:
            return "depth-first"
        case _:
            assert_never(shadow)


def _shadow(given: argparse.Namespace) -> ShadowOptions:
    chosen = ShadowOptions(Shadow(given.shadow), tuple(given.seeds), given.bse_time)
    if chosen.mode is not Shadow.COMPLETE and not chosen.seeds:
        raise UsageError(
            f"--shadow {chosen.mode.value} follows seeds, and there are none",
            hint="give some with --seeds; without any, leave --shadow out",
        )
    return chosen


def _memory(given: argparse.Namespace, usual: Uninitialised) -> MemoryOptions:
    chosen = usual if given.uninitialised is None else Uninitialised(given.uninitialised)
    leaks = True if given.leaks else False if given.no_leaks else None
    return MemoryOptions(chosen, given.most_allocated, leaks)


def build(given: argparse.Namespace, flags: tuple[str, ...]) -> Options:
    return BuildOptions(
        _old(given),
        given.new or _old(given),
        flags,
        _inputs(given),
        _search(given),
        given.out,
        replay=not given.no_replay,
        unsandboxed=given.unprotected_replay,
        native=not given.no_native,
        attack=given.attack,
        search_same_code=given.search_same_code or usually_searches_same_code(),
        shadow=_shadow(given),
        files=_files(given),
        annotation=_annotation(given),
        memory=_memory(given, MemoryOptions().uninitialised),
        rules=_rules(given),
        exports=tuple(given.exports),
        every_finding=getattr(given, "every_finding", False),
        every_test=getattr(given, "every_test", False),
        accepting=_accepting(given),
    )


def ci(given: argparse.Namespace, flags: tuple[str, ...]) -> Options:
    """The options of ``csgtest ci``; the revisions are known once the service has been asked."""
    vars(given).update(old=None, new=None, staged=False, old_build=None, new_build=None)
    vars(given).update(shadow=Shadow.COMPLETE.value, seeds=[], bse_time=None)
    own = [replace(each, options=each.options.build) for each in getattr(given, "own", ())]
    given.own = own
    whole = build(given, flags)
    assert isinstance(whole, BuildOptions)
    return CiOptions(whole, given.base)


def _accepting(given: argparse.Namespace) -> Accepting:
    if given.no_accepted and given.accepted is not None:
        raise UsageError(
            "--accepted names a file, and --no-accepted reads none", hint="leave one of them out"
        )
    return Accepting(given.accepted, given.no_accepted, FailOn(given.fail_on))


def accept(given: argparse.Namespace, words: tuple[str, ...]) -> Options:
    if given.prune and (given.ids or given.reason):
        raise UsageError(
            "--prune removes what is gone and accepts nothing", hint="leave out the rest"
        )
    if given.reason and not given.ids:
        raise UsageError("--reason for nothing: no ID is given", hint="csgtest accept lists them")
    return AcceptOptions(
        tuple(given.ids),
        given.reason,
        given.folder,
        given.accepted,
        given.prune,
        given.every_finding,
    )


def suite(given: argparse.Namespace, flags: tuple[str, ...]) -> Options:
    search = _search(given)
    if given.mode is None:
        search = replace(search, mode=NEAR_SEEDS)
    build = BuildOptions(
        _old(given),
        given.new or _old(given),
        flags,
        _inputs(given),
        search,
        given.out,
        unsandboxed=given.unprotected_replay,
        native=not given.no_native,
        attack=given.attack,
        shadow=ShadowOptions(Shadow.CONCOLIC, (), given.bse_time),
        files=_files(given),
        exports=tuple(given.exports),
        every_finding=getattr(given, "every_finding", False),
        every_test=getattr(given, "every_test", False),
    )
    if build.files.revision is not None:
        raise UsageError("a suite tests two versions that stand in files", hint="name OLD and NEW")
    if not given.tests:
        raise UsageError("--tests names no command", hint="for example: --tests sh tests/run.sh {}")
    return SuiteOptions(build, tuple(given.tests), given.program, given.tests_time)


def compare(given: argparse.Namespace, flags: tuple[str, ...]) -> Options:
    return CompareOptions(
        _old(given),
        given.new or _old(given),
        flags,
        _inputs(given),
        _search(given),
        tuple(given.modes),
        given.seeds,
        given.out,
        unsandboxed=given.unprotected_replay,
        files=_files(given),
        annotation=_annotation(given),
    )


def explore(given: argparse.Namespace, flags: tuple[str, ...]) -> Options:
    return ExploreOptions(
        given.file,
        flags,
        tuple(given.others),
        inputs=_inputs(given),
        search=_search(given),
        out=given.out,
        memory=_memory(given, Uninitialised.ERROR),
    )


def graph(given: argparse.Namespace, flags: tuple[str, ...]) -> Options:
    return GraphOptions(
        _old(given),
        given.new or _old(given),
        flags,
        given.entry,
        GraphKind(given.what),
        GraphFormat(given.format),
        given.output,
        _files(given),
        _annotation(given),
        given.function,
        given.full,
        _rules(given),
    )


def unify(given: argparse.Namespace, flags: tuple[str, ...]) -> Options:
    return UnifyOptions(
        _old(given),
        given.new or _old(given),
        flags,
        given.ids,
        given.output,
        _files(given),
        _annotation(given),
        given.entry or "main",
        given.explain,
    )


def run(given: argparse.Namespace, words: tuple[str, ...]) -> Options:
    flags = tuple(shlex.split(given.cc_flags))
    return RunOptions(given.file, words, flags, tuple(given.others))


def replay(given: argparse.Namespace, words: tuple[str, ...]) -> Options:
    return ReplayOptions(
        given.folder, given.unprotected_replay, given.trust, given.time, given.every_test
    )


def export(given: argparse.Namespace, words: tuple[str, ...]) -> Options:
    form = Form(given.form)
    if form.is_folder and given.output is None:
        raise UsageError(
            f"{form.value} is a folder of files, and none is named",
            hint=f"name one: -o found-{form.value}",
        )
    return ExportOptions(given.folder, Export(form, given.output))


def emit(given: argparse.Namespace, words: tuple[str, ...]) -> Options:
    return EmitOptions(
        given.folder,
        Emitted(given.form),
        given.output,
        Expected(given.expect or Expected.USUAL.value),
        given.equal,
        given.unprotected_replay,
        given.trust,
    )


def bless(given: argparse.Namespace, words: tuple[str, ...]) -> Options:
    return BlessOptions(tuple(given.ids), given.output, given.unprotected_replay, given.trust)


def _store(given: argparse.Namespace) -> StoreOptions:
    return StoreOptions(given.store, given.artefacts, getattr(given, "trust", False))


def _engine(given: argparse.Namespace) -> EngineOptions:
    if given.jobs is not None and given.scheduler is not None:
        raise UsageError(
            "--jobs is for workers of this call, and --scheduler has its own",
            hint="leave one of the two out",
        )
    return EngineOptions(given.jobs, given.scheduler, given.resume, given.retry, given.disk)


def fleet(given: argparse.Namespace, words: tuple[str, ...]) -> Options:
    return FleetOptions(
        given.list,
        _store(given),
        _engine(given),
        given.time,
        given.seed,
        given.deterministic,
        given.budget,
    )


def history(given: argparse.Namespace, words: tuple[str, ...]) -> Options:
    engine = _engine(given)
    chosen = (given.time, given.seed, given.deterministic)
    return HistoryOptions(given.revisions, _store(given), engine, *chosen)


def show(given: argparse.Namespace, words: tuple[str, ...]) -> Options:
    if (given.task is None) != (given.output is None):
        raise UsageError("--task and --output go together", hint="name a task and a folder")
    asked, known = given.what, {each.value: each for each in Shown}
    store, reports = _store(given), None
    chooses = store != StoreOptions() or any((given.run, given.fingerprint, given.task))
    if asked is not None and asked not in known:
        reports = Path(asked)
        if not reports.exists():
            raise UsageError(
                f"'{asked}' is none of {', '.join(known)}, and no folder",
                hint="name an output folder of csgtest build, or the folder of a store",
            )
        if store.place == StoreOptions().place and (reports / STORE_FILE).is_file():
            store, reports, chooses = replace(store, place=asked), None, False
    elif not chooses and asked is None and not Path(store.place, STORE_FILE).is_file():
        usual = BuildOptions(Path(), Path()).out
        reports = usual if usual.exists() else None
    if reports is not None and chooses:
        raise UsageError(
            f"'{reports}' holds no store, and other options of the call choose from one",
            hint="leave them out, or name the folder of a store",
        )
    return ShowOptions(
        known.get(asked, Shown.FINDINGS),
        store,
        given.run,
        given.fingerprint,
        given.task,
        given.output,
        reports,
        given.every_finding,
    )


def site(given: argparse.Namespace, words: tuple[str, ...]) -> Options:
    return SiteOptions(given.folder, _store(given))


def init(given: argparse.Namespace, words: tuple[str, ...]) -> Options:
    return InitOptions(given.force)


def completion(given: argparse.Namespace, words: tuple[str, ...]) -> Options:
    return CompletionOptions(CompletedShell(given.shell))


def manual(given: argparse.Namespace, words: tuple[str, ...]) -> Options:
    return ManualOptions()
