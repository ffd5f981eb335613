"""The command line: words -> options -> one call into the layers below -> text and an exit code.

    $ csgtest build old.c new.c        exit code 0: nothing differs, 1: something does, 2: trouble

Importing this costs next to nothing; each command imports what it needs when it runs.
"""

from __future__ import annotations

import errno
import gc
import os
import signal
import stat
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn, TypeVar, assert_never

if TYPE_CHECKING:
    from pathlib import Path

    from symexec.options import (
        BuildOptions,
        CompareOptions,
        ExploreOptions,
        GraphOptions,
        ReplayOptions,
        RunOptions,
        SuiteOptions,
        UnifyOptions,
    )
    from symexec.options.arguments import Call
    from symexec.progress import Progress
    from symexec.report.model import Report

    Located = TypeVar("Located", CompareOptions, GraphOptions, UnifyOptions)

SAME, DIFFERENT, TROUBLE = 0, 1, 2
INTERRUPTED, UNREAD = 130, 141  # as a shell tells of SIGINT and SIGPIPE
# What there is nothing left of, and no defect of ours.
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
COLLECT = 400_000  # objects made between two looks for cycles; states and terms hardly form any

_NO_THREAD = "can't start new thread"  # what Python says: memory or processes are at their limit


def main(words: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code of the process; as a process (no ``words``) end it
    with that code."""
    if words is None:
        _open_closed()
    code = _performed(words)
    if words is None:
        _leave(code)
    return code


def _open_closed() -> None:
    """A caller may have closed standard input, output or error: what we open first would be taken
    for them, by us and by what we start."""
    for handle, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(handle)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free
            setattr(sys, name, os.fdopen(handle, mode, closefd=False))


def _leave(code: int) -> NoReturn:
    """Everything is written and closed. Taking a search's millions of objects apart is left to the
    system: it takes a tenth of a second, and bitwuzla crashes when an interrupted search goes in
    the wrong order."""
    with suppress(BrokenPipeError):
        sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _performed(words: Sequence[str] | None) -> int:
    from csg.errors import CsgtestError
    from symexec.options.arguments import parse
    from symexec.search.registry import described

    if words is None:
        signal.signal(signal.SIGTERM, _interrupt)  # a time limit of the caller: as Ctrl-C
        gc.set_threshold(COLLECT, 20, 50)
    try:
        call = parse(sys.argv[1:] if words is None else words, _version(), described())
        code = perform(call)
        sys.stdout.flush()
        return code
    except CsgtestError as trouble:
        print(f"csgtest: {trouble}", file=sys.stderr)
        return TROUBLE
    except KeyboardInterrupt:
        print("csgtest: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # whoever read our output has left
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return UNREAD
    except (OSError, MemoryError) as trouble:
        if not isinstance(trouble, MemoryError) and trouble.errno not in _EXHAUSTED:
            return _defect()
        what = getattr(trouble, "filename", None)
        reason = getattr(trouble, "strerror", None) or "there is no memory left"
        where = f"{what}: " if what else ""
        print(f"csgtest: error: {where}{reason}", file=sys.stderr)
        print("  hint: make room where --out, TMPDIR and the cache are", file=sys.stderr)
        return TROUBLE
    except RuntimeError as trouble:
        if str(trouble) != _NO_THREAD:
            return _defect()
        print("csgtest: error: this machine lets no more threads begin", file=sys.stderr)
        print("  hint: look for limits of memory and processes (ulimit -a)", file=sys.stderr)
        return TROUBLE
    except Exception:
        return _defect()


def _defect() -> int:
    """One of ours; Python's exit code for it would say "different"."""
    import traceback

    traceback.print_exc()
    print("csgtest: internal error: the lines above tell where; please report", file=sys.stderr)
    return TROUBLE


def _interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt


def perform(call: Call) -> int:
    """Do what the call asks for."""
    from symexec import options as asked
    from symexec.progress import progress_for

    _tell_of_cache()
    progress = progress_for(call.quiet or call.json)
    try:
        match call.options:
            case asked.BuildOptions() as options:
                return _build(options, progress, call.json)
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
                return _replay(options)
            case _:
                assert_never(call.options)
    finally:
        progress.close()


def _tell_of_cache() -> None:
    from csg.cache import cache_trouble

    trouble = cache_trouble()
    if trouble:
        print(f"csgtest: {trouble}", file=sys.stderr)


def _build(options: BuildOptions, progress: Progress, json: bool) -> int:
    from symexec.report.session import build

    if options.files.revision is not None:
        return _build_revisions(options, progress, json)
    _require_versions(options)
    return _told(build(options, progress), options.out, progress, json)


def _build_revisions(options: BuildOptions, progress: Progress, json: bool) -> int:
    """A run for each program or library that the change reaches, with a share of the time."""
    from symexec.projects.session import calls_of

    codes = []
    for name, each in calls_of(options, json):
        if not json:
            print(f"{name}:")
        codes.append(_build(each, progress, json))
        if codes[-1] == INTERRUPTED:
            break
    if not codes:
        print("Nothing that is compiled differs.", file=sys.stderr if json else sys.stdout)
    return max(codes, default=SAME)


def _suite(options: SuiteOptions, progress: Progress, json: bool) -> int:
    from symexec.report.session import suite

    _require_versions(options.build)
    return _told(suite(options, progress), options.build.out, progress, json)


def _told(finished: Report, out: Path, progress: Progress, json: bool) -> int:
    progress.close()
    _tell(finished, json)
    if not json:
        print(f"  all of it: {out / 'report.html'}")
    if not finished.finished:
        return _interrupted(out)
    return DIFFERENT if finished.verdict == "different" else SAME


def _explore(options: ExploreOptions, progress: Progress, json: bool) -> int:
    from symexec.report.exploring import explore

    _require_sources(options.file, *options.others)
    finished = explore(options, progress)
    progress.close()
    if json:
        _tell(finished, json)
    else:
        from symexec.report.table import print_exploration

        print_exploration(finished)
        print(f"  all of it: {options.out / 'tests' / 'tests.jsonl'}")
    return SAME if finished.finished else _interrupted(options.out)


def _interrupted(folder: Path) -> int:
    print(f"csgtest: interrupted; what was found is in {folder}", file=sys.stderr)
    return INTERRUPTED


def _tell(finished: Report, json: bool) -> None:
    if not json:
        from symexec.report.table import print_report

        print_report(finished)
        return
    from json import dumps

    from symexec.report.model import report_to_json

    print(dumps(report_to_json(finished), indent=1, ensure_ascii=True))


def _compare(options: CompareOptions, progress: Progress, json: bool) -> int:
    from csg.escapes import LINES, printable
    from symexec import experiments

    options = _located(options, options.out)
    comparison = experiments.compare(options, progress)
    progress.close()
    print(comparison.json_text() if json else printable(comparison.table(), LINES))
    return DIFFERENT if comparison.differs else SAME


def _graph(options: GraphOptions) -> int:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="csgtest-revisions-") as folder:
        return _drawn(_located(options, folder))


def _drawn(options: GraphOptions) -> int:
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
    _deliver(picture, options.output)
    return SAME


def _unify(options: UnifyOptions) -> int:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="csgtest-revisions-") as folder:
        return _unified(_located(options, folder))


def _unified(options: UnifyOptions) -> int:
    from csg import pipeline
    from csg.escapes import LINES, printable
    from symexec.options import versions_of

    versions = versions_of(options)
    if options.explain:
        text = printable(pipeline.explained(versions, options.entry, options.annotation), LINES)
    else:
        text = pipeline.united_text(versions, options.entry, options.annotation, options.ids)
    _deliver(text.encode(errors="surrogateescape"), options.output)
    return SAME


def _run(options: RunOptions) -> int:
    from symexec.campaign.running import run_concrete

    _require_sources(options.file, *options.others)
    stdin = sys.stdin.buffer
    return run_concrete(options.file, options.arguments, options.flags, stdin, options.others)


def _replay(options: ReplayOptions) -> int:
    from symexec.report.replaying import replay_folder

    differs = False
    trusts = _confirmed if not options.trusted else lambda reason: True
    for replayed in replay_folder(options.folder, options.without_walls, trusts):
        print(f"{replayed.case.id}  {replayed.outcome}")
        differs |= replayed.outcome != "same"
    return DIFFERENT if differs else SAME


def _confirmed(reason: str) -> bool:
    """Asked on a terminal; nobody is there elsewhere."""
    from csg.escapes import printable

    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    print(f"csgtest: {printable(reason)}", file=sys.stderr)
    print("Compile and run the programs that it names? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _located(options: Located, folder: str | Path) -> Located:
    """About files: those of the revisions, copied below ``folder``, or those that are named."""
    if options.files.revision is not None:
        from pathlib import Path

        from symexec.projects.session import one_call

        return one_call(options, Path(folder))
    _require_versions(options)
    return options


def _require_versions(
    options: BuildOptions | CompareOptions | GraphOptions | UnifyOptions,
) -> None:
    """Two C files, or two folders."""
    folders = os.path.isdir(options.old) and os.path.isdir(options.new)
    _require_sources(*(() if folders else (options.old, options.new)), *options.files.others)


def _require_sources(*files: Path) -> None:
    """Refuse what can be no C file before any work is done."""
    from csg.errors import UsageError

    for file in files:
        try:
            status = file.stat()
        except FileNotFoundError:
            raise UsageError(f"{file}: no such file", hint="give the path of a C file") from None
        except OSError as trouble:
            raise UsageError(
                f"{file}: {trouble.strerror}", hint="give the path of a C file"
            ) from None
        if not stat.S_ISREG(status.st_mode):
            raise UsageError(f"{file} is no regular file", hint="give two C files, or two folders")
        if not os.access(file, os.R_OK):
            raise UsageError(f"{file} cannot be read", hint=f"see its rights: ls -l {file}")
        if status.st_size == 0:
            raise UsageError(f"{file} is empty", hint="give a C file with a function in it")


def _deliver(content: bytes, output: Path | None) -> None:
    """Write to the file asked for, or to standard output."""
    from csg.errors import UsageError
    from csg.escapes import LINES, printable

    if output is None:
        if sys.stdout.isatty():  # whoever wants it byte by byte writes it to a file
            content = printable(content.decode(errors="surrogateescape"), LINES).encode()
        sys.stdout.buffer.write(content)
        sys.stdout.flush()
        return
    try:
        output.write_bytes(content)
    except OSError as trouble:
        raise UsageError(f"{output} cannot be written: {trouble.strerror}") from None


def _version() -> str:
    from csg import VERSION

    return VERSION


if __name__ == "__main__":
    sys.exit(main())
