"""The command line: words -> options -> one call into the layers below -> text and an exit code.

    $ csgtest build old.c new.c        exit code 0: nothing differs, 1: something does, 2: trouble

Options are declared in symexec/options/definitions.py, commands in symexec/options/commands.py.
Importing this costs next to nothing; each command imports what it needs when it runs.
"""

from __future__ import annotations

import errno
import os
import signal
import stat
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn, TypeVar, assert_never

if TYPE_CHECKING:
    from argparse import Namespace
    from contextlib import AbstractContextManager
    from pathlib import Path

    from csg.errors import CsgtestError
    from csg.unify.pairs import Readings
    from fleet.session import Ended
    from symexec.campaign.generation import Workers
    from symexec.exports.emitting import Emission
    from symexec.options import (
        AcceptOptions,
        BlessOptions,
        BuildOptions,
        CiOptions,
        CompareOptions,
        CompletionOptions,
        EmitOptions,
        ExploreOptions,
        Export,
        FleetOptions,
        GraphOptions,
        HistoryOptions,
        InitOptions,
        Options,
        ReplayOptions,
        RunOptions,
        ShowOptions,
        SiteOptions,
        SuiteOptions,
        UnifyOptions,
    )
    from symexec.options.arguments import Call
    from symexec.options.settings import Settings
    from symexec.progress import Progress
    from symexec.projects.project import Subject
    from symexec.projects.pull_request import Service
    from symexec.report.model import Report

    Located = TypeVar("Located", CompareOptions, GraphOptions, UnifyOptions)

SAME, DIFFERENT, TROUBLE = 0, 1, 2
BESIDE = 2  # processes that run beside a search: fuzzing and verification
INTERRUPTED, UNREAD = 130, 141  # exit codes as a shell shows SIGINT and SIGPIPE
# Resources that are used up, which is no defect of csgtest.
_EXHAUSTED = (
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EFBIG,
    errno.EROFS,
    errno.EIO,
    errno.EMFILE,
    errno.ENFILE,
    errno.ENOMEM,
)

_SOON = 0.05  # seconds until an interruption that got lost is sent again
_NO_ROOM = "failed to map segment"  # what the loader says of a library: memory is at its limit
_NO_FOLDER = "No usable temporary directory"  # what Python says where nothing can be written
_NO_THREAD = "can't start new thread"  # what Python says: memory or processes are at their limit


def main(words: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; as a process (no ``words``) end it with that
    code."""
    if words is None:
        _open_closed()
    try:
        from csg.terminal import printable_streams

        with printable_streams():
            code = _performed(words)
    except KeyboardInterrupt:  # before anything but Python has begun
        code = _told_to_stop()
    if words is None:
        _leave(code)
    return code


def _open_closed() -> None:
    """Open standard input, output or error where the caller has closed them: a file that is opened
    first would be taken for one of them, by csgtest and by the programs that it starts."""
    for handle, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(handle)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free
            setattr(sys, name, os.fdopen(handle, mode, closefd=False))


def _leave(code: int) -> NoReturn:
    """End the process at once; everything is written, and closed unless an interruption came
    between. Taking a search's millions of objects apart would take a tenth of a second, and
    bitwuzla crashes when those of an interrupted search go in the wrong order."""
    with suppress(BrokenPipeError):
        sys.stdout.flush()
    sys.stderr.flush()
    if code == INTERRUPTED:
        from csg.leftovers import leave_nothing

        leave_nothing()
    os._exit(code)


def _performed(words: Sequence[str] | None) -> int:
    from csg.errors import DEEP, CsgtestError, deep_recursion
    from symexec.options.arguments import parse
    from symexec.search.registry import described
    from symexec.watchdog import collect_rarely

    if words is None:
        for each in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):  # treated like Ctrl-C
            if signal.getsignal(each) != signal.SIG_IGN:  # as nohup has it
                signal.signal(each, _interrupt)
        sys.unraisablehook = _interrupt_again
        collect_rarely()
    try:
        own = sys.argv[1:] if words is None else words
        _check_surroundings()
        call = parse(own, _version(), described(), _found_settings)
        with deep_recursion(DEEP):
            code = perform(call)
        sys.stdout.flush()
        return code
    except CsgtestError as error:
        print(f"csgtest: {error}", file=sys.stderr)
        return TROUBLE
    except KeyboardInterrupt:
        return _told_to_stop()
    except BrokenPipeError:  # whoever read the output has left
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return UNREAD
    except (OSError, MemoryError) as error:
        full = isinstance(error, MemoryError) or error.errno in _EXHAUSTED
        if not full and _NO_FOLDER not in str(error):
            return _defect()
        what = getattr(error, "filename", None)
        reason = getattr(error, "strerror", None) or "there is no memory left"
        where = f"{what}: " if what else ""
        print(f"csgtest: error: {where}{reason}", file=sys.stderr)
        print("  hint: make room where --out, TMPDIR and the cache are", file=sys.stderr)
        return TROUBLE
    except ImportError as error:
        if _NO_ROOM not in str(error):
            return _defect()
        print("csgtest: error: there is no memory left for a library", file=sys.stderr)
        print("  hint: look for limits of memory (ulimit -v)", file=sys.stderr)
        return TROUBLE
    except RuntimeError as error:
        if str(error) != _NO_THREAD:
            return _defect()
        print("csgtest: error: this machine lets no more threads begin", file=sys.stderr)
        print("  hint: look for limits of memory and processes (ulimit -a)", file=sys.stderr)
        return TROUBLE
    except Exception:
        return _defect()


def _check_surroundings() -> None:
    """Raise UsageError where the system lacks what every command takes for granted."""
    from csg.errors import UsageError

    try:
        os.getcwd()
    except OSError as error:
        raise UsageError(
            f"the working folder cannot be found: {error.strerror}", hint="change to another one"
        ) from None
    if not os.path.exists("/proc/self/statm"):
        raise UsageError("there is no /proc here", hint="mount -t proc proc /proc")


def _told_to_stop() -> int:
    print("csgtest: interrupted", file=sys.stderr)
    return INTERRUPTED


def _found_settings(given: Namespace) -> Settings | None:
    from symexec.projects.revisions import found_settings

    return found_settings(given)


def _defect() -> int:
    """The exit code for a defect of csgtest; Python's own for it would say "different"."""
    import traceback

    traceback.print_exc()
    print("csgtest: internal error: the lines above tell where; please report", file=sys.stderr)
    return TROUBLE


def _interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt


def _interrupt_again(lost: sys.UnraisableHookArgs) -> None:
    """Python drops an exception that is raised in a finaliser or in a hook of fork(). If it was an
    interruption, send it once more."""
    if lost.exc_type is not KeyboardInterrupt:
        sys.__unraisablehook__(lost)
        return
    import threading

    again = threading.Timer(_SOON, os.kill, (os.getpid(), signal.SIGTERM))
    again.daemon = True
    again.start()


def perform(call: Call) -> int:
    """Carry out a call and return its exit code."""
    from symexec import options as asked
    from symexec.progress import progress_for

    _warn_of_machine()
    silent = call.quiet or call.json
    if call.note and not silent:
        print(f"csgtest: {call.note}", file=sys.stderr)
    asked_for = _with_databases(call.options, silent)
    progress = progress_for(silent)
    try:
        match asked_for:
            case asked.BuildOptions() as options:
                return _build(options, progress, call.json)
            case asked.CiOptions() as options:
                return _ci(options, progress, call.json)
            case asked.AcceptOptions() as options:
                with _distrusting(options.folder):
                    return _accept(options)
            case asked.FleetOptions() as options:
                return _fleet(options, silent, call.json)
            case asked.HistoryOptions() as options:
                return _history(options, silent, call.json)
            case asked.ShowOptions() as options:
                with _distrusting(options.reports):
                    return _show(options, call.json)
            case asked.SiteOptions() as options:
                return _site(options)
            case asked.SuiteOptions() as options:
                return _suite(options, progress, call.json)
            case asked.CompareOptions() as options:
                return _compare(options, progress, call.json)
            case asked.ExploreOptions() as options:
                return _explore(options, progress, call.json)
            case asked.GraphOptions() as options:
                return _graph(options)
            case asked.UnifyOptions() as options:
                return _unify(options)
            case asked.RunOptions() as options:
                return _run(options)
            case asked.ReplayOptions() as options:
                with _distrusting(options.folder):
                    return _replay(options)
            case asked.ExportOptions() as options:
                with _distrusting(options.folder):
                    return _export([*_runs(options.folder).values()], options.export)
            case asked.EmitOptions() as options:
                with _distrusting(options.folder):
                    return _emit(options)
            case asked.BlessOptions() as options:
                return _bless(options)
            case asked.InitOptions() as options:
                return _init(options)
            case asked.CompletionOptions() as options:
                return _completion(options)
            case asked.ManualOptions():
                return _manual()
            case _:
                assert_never(asked_for)
    finally:
        progress.close()


def _distrusting(folder: Path | None) -> AbstractContextManager[None]:
    """What surrounds a command that reads an output folder, if this one does."""
    from contextlib import nullcontext

    if folder is None:
        return nullcontext()
    from symexec.report.replaying import distrusting

    return distrusting(folder)


def _with_databases(options: Options, silent: bool) -> Options:
    """The options with the compilation databases of both versions, if there are any."""
    from dataclasses import replace

    from symexec import options as asked

    if isinstance(options, asked.SuiteOptions):
        build = _with_databases(options.build, silent)
        assert isinstance(build, asked.BuildOptions)
        return replace(options, build=build)
    located = asked.BuildOptions, asked.CompareOptions, asked.GraphOptions, asked.UnifyOptions
    if not isinstance(options, located) or options.files.revision is not None:
        return options
    from symexec.projects.revisions import flags_of_folders, with_databases

    files, notes = with_databases(options.files, options.old, options.new)
    for note in () if silent else notes:
        print(f"csgtest: {note}", file=sys.stderr)
    flags = (*options.flags, *flags_of_folders(files, options.old, options.new))
    return replace(options, files=files, flags=flags)


def _warn_of_machine() -> None:
    """Tell the user what csgtest has to do without."""
    from csg.cache import cache_error
    from csg.confinement import confinement_error

    for error in filter(None, (cache_error(), confinement_error())):
        print(f"csgtest: {error}", file=sys.stderr)


def _build(options: BuildOptions, progress: Progress, json: bool) -> int:
    from symexec.report.session import build

    if options.files.revision is not None:
        return _build_revisions(options, progress, json)
    _require_versions(options)
    if options.inputs.entry in (None, "auto"):
        from dataclasses import replace

        from symexec.projects.session import library_of

        library = library_of(options)
        if library is not None:
            return _built_revisions(options, progress, json, library)[0]
        options = replace(options, inputs=replace(options.inputs, entry=None))
    report = build(options, progress, workers=_workers(options))
    code = _announce(report, options, progress, json)
    folders = [options.out]
    later = [*_later(report, options, progress, json, options.out, folders)]
    for each in options.exports:
        _export(folders, each)
    return max((code, *later), key=_gravity)


def _gravity(code: int) -> int:
    """Which of several exit codes is that of the whole: an interruption, a difference, trouble."""
    return (SAME, TROUBLE, DIFFERENT, INTERRUPTED).index(code)


def _later(
    report: Report,
    options: BuildOptions,
    progress: Progress,
    json: bool,
    top: Path,
    folders: list[Path],
    readings: Readings | None = None,
) -> Iterator[int]:
    """Where a call leaves a difference that no caller can look at: do later calls show it? The
    calls are tried in what is left of the time, each sequence in a folder of its own. Yields exit
    codes, the last one that of the sequence that shows it, whose folder takes the place of the
    call's in ``folders``, all of them below ``top``."""
    from dataclasses import replace

    from csg.errors import CsgtestError
    from csg.unify.pairs import Readings
    from symexec.projects.later import later_calls, only_hidden_state, seconds_left
    from symexec.report.session import build
    from symexec.testcases.store import note_runs

    if not only_hidden_state(report):
        return
    waiting = later_calls(report, options, readings or Readings())
    for number, calls in enumerate(waiting):
        seconds = seconds_left(report, options) / (len(waiting) - number)
        if not seconds:
            return
        again = replace(
            options,
            inputs=replace(options.inputs, entry=calls),
            search=replace(options.search, time=seconds),
            out=options.out / "later" / str(number + 1),
        )
        try:
            found = build(again, progress, workers=_workers(again))
        except CsgtestError:
            continue  # no test can make these calls
        code = SAME if found.finished else INTERRUPTED
        if any(each.tells for each in found.groups):
            if not json:
                print(f"{report.name}, {', then '.join(calls.split(','))}:")
            code = _announce(found, again, progress, json)
            folders[:] = [each for each in folders if each != options.out] + [again.out]
            note_runs(top, folders)
        yield code
        if code != SAME:
            return


def _workers(options: BuildOptions) -> Workers | None:
    """Other processes for the search; None where one does it all."""
    from symexec.watchdog import usable_processors

    wanted, cores = options.search.jobs, usable_processors()
    jobs = wanted
    if jobs is None:
        jobs = 1 if options.search.deterministic else max(1, cores - BESIDE)
    steady = options.search.deterministic and wanted is not None
    if jobs == 1 and not steady:
        return None
    from fleet import require_workers

    if jobs > 1 and not require_workers(wanted is not None):
        return None
    if steady:
        from fleet.rounds import Rounds

        return Rounds(jobs)
    from fleet.sharing import Sharing

    return Sharing(jobs)


def _build_revisions(options: BuildOptions, progress: Progress, json: bool) -> int:
    code, _ = _built_revisions(options, progress, json)
    return code


def _built_revisions(
    options: BuildOptions, progress: Progress, json: bool, library: Subject | None = None
) -> tuple[int, list[CsgtestError]]:
    """A run for each program or library that the change reaches, or for each entry of one library,
    with a share of the time. What cannot be tested is reported and returned, while the others are
    tested; the exit code is 2 where that leaves no difference. Internal differences are reported at
    the end: until then another entry may confirm them."""
    from csg.errors import CsgtestError, UsageError, printable
    from symexec.projects.session import Session
    from symexec.report.session import build
    from symexec.testcases.store import note_runs

    codes: list[int] = []
    folders = []
    failed: list[CsgtestError] = []
    spared: list[CsgtestError] = []
    session = Session(options, json, library)
    for run in session.calls():
        if not json:
            print(f"{printable(run.name)}:")
        each = run.options
        try:
            run.report = build(each, progress, run.subject.readings, _workers(each))
        except CsgtestError as error:
            (spared if run.spare else failed).append(error)
            if not run.spare:
                print(f"csgtest: {error}", file=sys.stderr)
            if not json:
                alone = " by itself" if run.spare else ""
                remedy = f" ({error.hint})" if run.spare and error.hint else ""
                print(f"  not tested{alone}: {printable(f'{error.message}{remedy}')}")
            continue
        folders.append(each.out)
        note_runs(options.out, folders)
        if not run.waits:
            codes.append(_announce(run.report, each, progress, json))
            readings = run.subject.readings
            codes += _later(run.report, each, progress, json, options.out, folders, readings)
        elif not json:
            print("  internal differences: told below, when the other entries are tried")
        if not run.report.finished:
            break
    for run in session.confirmed():
        if not json:
            print(f"{printable(run.name)}:")
        assert run.report is not None
        codes.append(_announce(run.report, run.options, progress, json))
        readings = run.subject.readings
        top = options.out
        codes += _later(run.report, run.options, progress, json, top, folders, readings)
    for export in options.exports:
        _export(folders, export)
    untested = [*session.untested()]
    if not codes:
        failed += [*spared, *(UsageError(each.text) for each in untested if not each.is_new)]
    for refusal in session.refusals():
        print(f"csgtest: {refusal}", file=sys.stderr)
        failed.append(refusal)
    sentences = [each.text for each in untested]
    if not codes and not failed and not untested:
        sentences = [session.why_nothing()]
    for sentence in sentences:
        print(printable(sentence), file=sys.stderr if json else sys.stdout)
    found = max(codes, default=SAME)
    return TROUBLE if failed and found == SAME else found, failed


def _ci(options: CiOptions, progress: Progress, json: bool) -> int:
    """A build of what a pull request changes, reported to the service that asks for it."""
    from csg.errors import CsgtestError
    from symexec.projects import pull_request as review

    environment, out = os.environ, options.build.out
    service = review.service_of(environment)
    review.begin(out)
    code, failed = TROUBLE, list[CsgtestError]()
    try:
        with review.no_commands(service):
            code, failed = _compare_with_base(options, service, progress, json)
    finally:
        review.publish(service, environment, out, code, [str(each) for each in failed])
    return code


def _compare_with_base(
    options: CiOptions, service: Service | None, progress: Progress, json: bool
) -> tuple[int, list[CsgtestError]]:
    """Build what a pull request changes. Returns the exit code and the errors. The errors have been
    printed."""
    from dataclasses import replace
    from pathlib import Path

    from csg.errors import CsgtestError, printable
    from symexec.options import Export, Form
    from symexec.projects import pull_request as review

    build = options.build
    try:
        found = review.find_comparison(os.environ, Path.cwd(), options.base)
        if found is None:
            print("csgtest: there is no commit yet to compare with", file=sys.stderr)
            return SAME, []
        print(f"csgtest: {printable(found.description)}", file=sys.stderr)
        assert build.files.revision is not None
        revision = replace(build.files.revision, text=found.text, staged=found.staged)
        forms = {Form.SARIF: review.SARIF, Form.JUNIT: review.JUNIT, Form.MARKDOWN: review.SUMMARY}
        if service is review.GITHUB:
            forms[Form.GITHUB] = review.ANNOTATIONS
        written = tuple(Export(form, build.out / name) for form, name in forms.items())
        whole = replace(
            build,
            files=replace(build.files, revision=revision),
            exports=(*build.exports, *written),
        )
        return _built_revisions(whole, progress, json)
    except CsgtestError as error:
        print(f"csgtest: {error}", file=sys.stderr, flush=True)
        return TROUBLE, [error]


def _fleet(options: FleetOptions, quiet: bool, json: bool) -> int:
    from fleet import require

    require("fleet", engine=True)
    from fleet.session import fleet
    from fleet.showing import run_json, run_table

    run = fleet(options, quiet)
    return _ended(run, run_json(run) if json else run_table(run))


def _history(options: HistoryOptions, quiet: bool, json: bool) -> int:
    from fleet import require

    require("history", engine=True)
    from fleet.histories import history
    from fleet.showing import history_json, history_table

    found = history(options, quiet)
    return _ended(found.ended, history_json(found) if json else history_table(found))


def _show(options: ShowOptions, json: bool) -> int:
    from csg.errors import LINES, printable

    if options.reports is not None:
        return _told_again(options.reports, options.every_finding, json)
    from fleet import require

    require("show")
    from fleet.showing import show

    print(printable(show(options, json), LINES))
    return SAME


def _told_again(reports: Path, everything: bool, json: bool) -> int:
    """Print the reports of a call as it did."""
    from symexec.report.accepting import report_as_shown
    from symexec.report.replaying import read_report

    for name, folder in _runs(reports).items():
        if json:
            _print_json(read_report(folder))
            continue
        if name:
            print(f"{name}:")
        _print_report(report_as_shown(folder), json, everything)
        print(f"  all of it: {folder / 'report.html'}")
    return SAME


def _site(options: SiteOptions) -> int:
    from fleet import require

    require("site")
    from fleet.site import write_site

    pages = write_site(options)
    print(f"{options.folder / 'index.html'}: {pages} page{'s'[: pages != 1]}")
    return SAME


def _ended(run: Ended, text: str) -> int:
    """Print what has come of a run of tasks, and return the exit code."""
    from csg.errors import LINES, printable

    print(printable(text, LINES))
    if run.interrupted:
        print("csgtest: interrupted; what was found is kept: --resume goes on", file=sys.stderr)
        return INTERRUPTED
    if run.differs:
        return DIFFERENT
    return TROUBLE if run.incomplete else SAME


def _suite(options: SuiteOptions, progress: Progress, json: bool) -> int:
    from symexec.report.session import suite

    _require_versions(options.build)
    return _finished(suite(options, progress), options.build, progress, json)


def _finished(report: Report, options: BuildOptions, progress: Progress, json: bool) -> int:
    code = _announce(report, options, progress, json)
    for each in options.exports:
        _export([options.out], each)
    return code


def _announce(finished: Report, options: BuildOptions, progress: Progress, json: bool) -> int:
    progress.close()
    _print_report(finished, json, options.every_finding)
    if not json:
        print(f"  all of it: {options.out / 'report.html'}")
    if not finished.finished:
        return _interrupted(options.out)
    return DIFFERENT if finished.fails(options.accepting.fail_on) else SAME


def _accept(options: AcceptOptions) -> int:
    from csg.errors import printable
    from symexec.report.accepting import accept
    from symexec.report.table import width

    for line in accept(options, width(sys.stdout)):
        print(printable(line))
    return SAME


def _explore(options: ExploreOptions, progress: Progress, json: bool) -> int:
    from symexec.report.session import explore

    _require_sources(options.file, *options.others)
    finished = explore(options, progress)
    progress.close()
    if json:
        _print_report(finished, json)
    else:
        from symexec.report.table import print_exploration

        print_exploration(finished)
        print(f"  all of it: {options.out / 'tests' / 'tests.jsonl'}")
    return SAME if finished.finished else _interrupted(options.out)


def _interrupted(folder: Path) -> int:
    print(f"csgtest: interrupted; what was found is in {folder}", file=sys.stderr)
    return INTERRUPTED


def _print_report(finished: Report, json: bool, everything: bool = True) -> None:
    if not json:
        from symexec.report.table import print_report

        print_report(finished, everything=everything)
        return
    from symexec.report.model import report_to_json

    _print_json(report_to_json(finished))


def _print_json(report: object) -> None:
    from json import dumps

    print(dumps(report, indent=1, ensure_ascii=True))


def _compare(options: CompareOptions, progress: Progress, json: bool) -> int:
    from csg.errors import LINES, printable
    from symexec import experiments

    options = _located(options, options.out)
    comparison = experiments.compare(options, progress)
    progress.close()
    text = experiments.json_text(comparison) if json else experiments.table(comparison)
    print(text if json else printable(text, LINES))
    if comparison.compared_nothing:
        print("csgtest: error: nothing was compared when the time was over", file=sys.stderr)
        print("  hint: give more --time", file=sys.stderr)
        return TROUBLE
    return DIFFERENT if comparison.differs else SAME


def _graph(options: GraphOptions) -> int:
    from csg.leftovers import own_folder

    with own_folder("revisions") as folder:
        return _drawn(_located(options, folder), options.files.revision is not None)


def _without_folders(text: bytes, options: GraphOptions | UnifyOptions) -> bytes:
    """The text with files of revisions as the repository has them: their copies are removed."""
    for folder, shown in ((options.new, b""), (options.old, b"old/")):
        text = text.replace(f"{folder}/".encode(errors="surrogateescape"), shown)
    return text


def _drawn(options: GraphOptions, copied: bool) -> int:
    from csg import pipeline
    from symexec.options import versions_of

    picture = pipeline.picture(
        versions_of(options),
        entry=options.entry,
        what=options.what.value,
        form=options.format.value,
        annotation=options.annotation,
        function=options.function,
        full=options.full,
        rules=options.rules,
    )
    if copied and not picture.startswith(b"\x89PNG"):
        picture = _without_folders(picture, options)
    _deliver(picture, options.output)
    return SAME


def _unify(options: UnifyOptions) -> int:
    from csg.leftovers import own_folder

    with own_folder("revisions") as folder:
        return _unified(_located(options, folder), options.files.revision is not None)


def _unified(options: UnifyOptions, copied: bool) -> int:
    from csg import pipeline
    from csg.errors import LINES, printable
    from symexec.options import versions_of

    versions = versions_of(options)
    if options.explain:
        text = printable(pipeline.explained(versions, options.entry, options.annotation), LINES)
    else:
        text = pipeline.unified_text(versions, options.entry, options.annotation, options.ids)
    content = text.encode(errors="surrogateescape")
    _deliver(_without_folders(content, options) if copied else content, options.output)
    return SAME


def _run(options: RunOptions) -> int:
    from symexec.exploration.concrete_run import run_concrete

    _require_sources(options.file, *options.others)
    stdin = sys.stdin.buffer
    return run_concrete(options.file, options.arguments, options.flags, stdin, options.others)


def _export(folders: Sequence[Path], asked: Export) -> int:
    """Write an export. The exit code is 0 whatever was found: a difference is no failure of the
    export."""
    from symexec.exports import export_file, export_folder

    if not asked.form.is_folder:
        _deliver(export_file(folders, asked.form).encode(errors="replace"), asked.output)
        return SAME
    assert asked.output is not None
    written, left_out = export_folder(folders, asked.form, asked.output)
    print(f"{asked.output}: {written} test{'s'[: written != 1]}", file=sys.stderr)
    for each in left_out:
        print(f"  left out: {each}", file=sys.stderr)
    return SAME


def _runs(folder: Path) -> dict[str, Path]:
    from symexec.testcases.store import runs_of

    return runs_of(folder)


def _emit(options: EmitOptions) -> int:
    """Write the tests of a folder, or of each of the folders below it to one of the same name."""
    from dataclasses import replace

    from csg.errors import UsageError
    from symexec.exports.emitting import emit

    trusts = _trusts(options.trusted)
    refused: list[UsageError] = []
    runs = _runs(options.folder)
    for name, folder in runs.items():
        each = replace(options, folder=folder, output=options.output / name)
        try:
            _told_of(emit(each, trusts), each.output)
        except UsageError as error:
            refused.append(error)
            if len(refused) == len(runs):
                raise
            print(f"csgtest: {name}: left out: {error.message}", file=sys.stderr)
    return SAME


def _bless(options: BlessOptions) -> int:
    """Bless tests, each as the difference in the folder of its name: ``cut/g1`` is ``g1`` of the
    tests in ``cut``."""
    from dataclasses import replace

    from symexec.exports.emitting import bless

    below: dict[str, list[str]] = {}
    for each in options.ids:
        name, _, number = each.rpartition("/")
        below.setdefault(name, []).append(number)
    for name, ids in below.items():
        own = replace(options, ids=tuple(ids), output=options.output / name)
        _told_of(bless(own, _trusts(options.trusted)), own.output)
    return SAME


def _told_of(emitted: Emission, output: Path) -> int:
    equal = sum(test.equal for test in emitted.retained)
    of_differences = len(emitted.retained) - equal
    print(
        f"{output}: {of_differences} test{'s' * (of_differences != 1)} of differences, {equal} of "
        f"what stays equal, {len(emitted.dropped)} dropped"
    )
    for each in emitted.dropped:
        print(f"  dropped: {each}")
    return SAME


def _replay(options: ReplayOptions) -> int:
    import time

    from symexec.report.replaying import NOT_RUN, SCREEN, replay_folder

    outcomes: Counter[str] = Counter()
    printed = more = 0
    trusts = _trusts(options.trusted)
    began = time.monotonic()
    for name, folder in _runs(options.folder).items():
        left = None if options.time is None else options.time - (time.monotonic() - began)
        for each in replay_folder(folder, options.unsandboxed, trusts, left):
            shown = f"{name}/{each.case.id}" if name else each.case.id
            outcomes[each.outcome] += 1
            if options.every_test or (each.tells and printed < SCREEN):
                print(f"{shown}  {each.outcome}", flush=True)
                printed += 1
            elif each.tells:
                more += 1
    if more:
        print(f"and {more} more test{'s' * (more != 1)}: --all prints them")
    left_over = outcomes.pop(NOT_RUN, 0)
    if outcomes.total() > 1:
        each_of = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.most_common())
        print(f"{outcomes.total()} tests: {each_of}")
    if left_over:
        print(
            f"csgtest: error: {left_over} of {left_over + outcomes.total()} tests were not run "
            f"within {options.time:g} s; give more --time",
            file=sys.stderr,
        )
    if outcomes.total() > outcomes["same"]:
        return DIFFERENT
    return TROUBLE if left_over else SAME


def _trusts(trusted: bool) -> Callable[[str, str], bool]:
    """Whether a stranger's folder may be compiled: as ``--trust`` says, or the user when asked."""
    return _warn if trusted else _ask


def _warn(reason: str, elsewhere: str) -> bool:
    """Tell the user what the compiler reads elsewhere, and trust the folder."""
    from csg.errors import printable

    if elsewhere:
        print(f"csgtest: {printable(elsewhere)}", file=sys.stderr)
    return True


def _ask(reason: str, elsewhere: str) -> bool:
    """The answer to a question on a terminal; no where there is none."""
    from csg.errors import printable

    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    both = "; ".join(filter(None, [reason, elsewhere]))
    print(f"csgtest: {printable(both)}", file=sys.stderr)
    print("Compile and run the programs that it names? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _init(options: InitOptions) -> int:
    from symexec.projects.revisions import write_first
    from symexec.search.registry import described

    print(f"written: {write_first(options.force, described())}")
    return SAME


def _completion(options: CompletionOptions) -> int:
    from symexec.options.arguments import build_parser
    from symexec.options.shell import completion
    from symexec.search.registry import described, modes, strategies

    searches = list(modes())
    known = {"mode": searches, "modes": [*searches, "native"], "without": list(strategies())}
    print(completion(build_parser(_version(), described()), options.shell, known), end="")
    return SAME


def _manual() -> int:
    import datetime

    from symexec.options.arguments import build_parser
    from symexec.options.shell import manual
    from symexec.search.registry import described

    # As other tools for manual pages do: https://reproducible-builds.org/specs/source-date-epoch
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    now = datetime.datetime.now(datetime.UTC)
    day = datetime.datetime.fromtimestamp(int(seconds), datetime.UTC) if seconds else now
    print(manual(build_parser(_version(), described()), _version(), day.date()), end="")
    return SAME


def _located(options: Located, folder: str | Path) -> Located:
    """The options with files: those of the revisions, copied below ``folder``, or those that are
    named."""
    if options.files.revision is not None:
        from pathlib import Path

        from symexec.projects.session import one_call

        return one_call(options, Path(folder))
    _require_versions(options)
    return options


def _require_versions(
    options: BuildOptions | CompareOptions | GraphOptions | UnifyOptions,
) -> None:
    """Raise UsageError unless the options name two C files, or two folders."""
    folders = os.path.isdir(options.old) and os.path.isdir(options.new)
    _require_sources(*(() if folders else (options.old, options.new)), *options.files.others)


def _require_sources(*files: Path) -> None:
    """Raise UsageError for a file that cannot be C, before any work is done."""
    from csg.errors import UsageError

    for file in files:
        try:
            status = file.stat()
        except FileNotFoundError:
            raise UsageError(f"{file}: no such file", hint="give the path of a C file") from None
        except OSError as error:
            raise UsageError(
                f"{file}: {error.strerror}", hint="give the path of a C file"
            ) from None
        if not stat.S_ISREG(status.st_mode):
            raise UsageError(f"{file} is no regular file", hint="give two C files, or two folders")
        if not os.access(file, os.R_OK):
            raise UsageError(f"{file} cannot be read", hint=f"see its rights: ls -l {file}")
        if status.st_size == 0:
            raise UsageError(f"{file} is empty", hint="give a C file with a function in it")


def _deliver(content: bytes, output: Path | None) -> None:
    """Write to the file asked for, or to standard output."""
    from csg.errors import LINES, UsageError, printable
    from csg.files import refuse_link_outside

    if output is None:
        if sys.stdout.isatty():  # for exact bytes there is --output
            content = printable(content.decode(errors="surrogateescape"), LINES).encode()
        sys.stdout.buffer.write(content)
        sys.stdout.flush()
        return
    refuse_link_outside(output)
    try:
        output.write_bytes(content)
    except OSError as error:
        raise UsageError(f"{output} cannot be written: {error.strerror}") from None


def _version() -> str:
    from csg import VERSION

    return VERSION


if __name__ == "__main__":
    sys.exit(main())
