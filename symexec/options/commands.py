"""The commands of csgtest as a table: what each takes, and the function that makes its record.

    csgtest replay DIR        COMMANDS["replay"]: one row for DIR; record: ReplayOptions(folder=DIR)

A new option is a row here and a field of a record; a new command an entry of ``COMMANDS``.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Any

from csg.errors import UsageError
from csg.programs import Annotation
from symexec.options import (
    After,
    BuildOptions,
    CompareOptions,
    ExploreOptions,
    FileOptions,
    GraphFormat,
    GraphKind,
    GraphOptions,
    InputOptions,
    Mode,
    Options,
    ReplayOptions,
    RunOptions,
    SearchOptions,
    Shadow,
    ShadowOptions,
    SolverName,
    SuiteOptions,
    UnifyOptions,
)
from symexec.options.values import (
    ThreeCounts,
    TwoCounts,
    count,
    named_file,
    positive_count,
    seconds,
    value_range,
)


@dataclass(frozen=True, slots=True)
class Argument:
    """A row of the tables: what argparse's ``add_argument`` is called with, and the heading that
    it stands under in the help text."""

    names: tuple[str, ...]
    settings: Mapping[str, Any]
    group: str = ""


@dataclass(frozen=True, slots=True)
class Command:
    """A command of csgtest. ``rest`` names what stands behind ``--``; empty: nothing may."""

    summary: str
    arguments: tuple[Argument, ...]
    record: Callable[[argparse.Namespace, tuple[str, ...]], Options]
    examples: str
    rest: str = "CC-FLAGS"


def _row(*names: str, **settings: Any) -> Argument:
    return Argument(names, settings)


def _under(group: str, *rows: Argument) -> tuple[Argument, ...]:
    return tuple(replace(row, group=group) for row in rows)


def _names(choices: type[Enum]) -> list[str]:
    return [choice.value for choice in choices]


# --------------------------------------------------------------------------- tables of options

OLD_AND_NEW = (
    _row("old", metavar="OLD", type=Path, help="C file, or folder of C files, before the change"),
    _row(
        "new",
        metavar="NEW",
        type=Path,
        nargs="?",
        help="the same after the change; left out: OLD holds both, with change() and execute()",
    ),
)
ENTRY = _row("--entry", metavar="F", help="function to start in (default: main, or the only one)")
INPUT = _under(
    "which inputs",
    ENTRY,
    _row(
        "--range",
        metavar="NAME=LO..HI",
        type=value_range,
        action="append",
        default=[],
        help="values that an input can have, both bounds included; may be repeated",
    ),
    _row(
        "--assume",
        metavar="EXPR",
        action="append",
        default=[],
        help="C expression over the inputs that holds at the start; may be repeated",
    ),
    _row(
        "--symbolic-global",
        metavar="NAME",
        action="append",
        default=[],
        help="a global variable that is an input, too; may be repeated",
    ),
    _row(
        "--sym-args",
        metavar=("MIN", "MAX", "LEN"),
        nargs=3,
        type=count,
        action=ThreeCounts,
        help="for main: from MIN to MAX arguments of up to LEN bytes each",
    ),
    _row("--sym-stdin", metavar="N", type=count, help="for main: up to N bytes on standard input"),
    _row(
        "--sym-files",
        metavar=("N", "LEN"),
        nargs=2,
        type=count,
        action=TwoCounts,
        help="N files in the working folder, A, B and so on, of up to LEN bytes each",
    ),
    _row(
        "--sym-file",
        metavar="NAME=LEN",
        type=named_file,
        action="append",
        default=[],
        help="a file of up to LEN bytes that may be there or not; may be repeated",
    ),
    _row(
        "--array-len",
        metavar="N",
        type=positive_count,
        default=InputOptions().array_length,
        help="bytes of a char * parameter before its NUL, elements behind any other pointer "
        "(default: %(default)s)",
    ),
)
SEARCH = _under(
    "search",
    _row(
        "--time",
        metavar="S",
        type=seconds,
        default=SearchOptions().time,
        help="seconds that the search may take (default: %(default)g)",
    ),
    _row(
        "--seed",
        metavar="N",
        type=count,
        default=SearchOptions().seed,
        help="start of the random choices; the same seed gives the same run (default: %(default)s)",
    ),
    _row(
        "--loop-bound",
        metavar="N",
        type=positive_count,
        help="iterations of one loop on one path (default: no bound)",
    ),
    _row(
        "--solver",
        choices=_names(SolverName),
        default=SearchOptions().solver.value,
        help="solver that answers what the layers before it leave (default: %(default)s)",
    ),
)
MODE = _under(
    "search",
    _row(
        "--mode",
        choices=_names(Mode),
        help="search towards change sequences, towards each change by itself, or nowhere; oldest "
        "or newest path first (default: guided; with seeds, what was published)",
    ),
    _row(
        "--after",
        choices=_names(After),
        default=SearchOptions().after.value,
        help="after the versions part at a branch: follow both to where they meet again, or the "
        "new one alone, as published (default: %(default)s)",
    ),
    _row(
        "--no-prune",
        action="store_true",
        help="keep paths that can neither reach a change nor carry one",
    ),
)
SHADOW = _under(
    "seeds",
    _row(
        "--shadow",
        choices=_names(Shadow),
        default=ShadowOptions().mode.value,
        help="part the versions on every path, or beside the ways of seeds: in two phases "
        "(concolic), or in one (jpf) (default: %(default)s)",
    ),
    _row(
        "--seeds",
        metavar="PATH",
        type=Path,
        nargs="+",
        action="extend",
        default=[],
        help="inputs to start from: a file of command lines, JSON or .ktest, or a folder of these",
    ),
    _row(
        "--bse-time",
        metavar="S",
        type=seconds,
        help="concolic: seconds to search from each divergence (default: equal shares of --time)",
    ),
)
BSE_TIME = SHADOW[-1]
SUITE = _under(
    "the suite",
    _row(
        "--tests",
        metavar="CMD",
        nargs=argparse.REMAINDER,
        required=True,
        help="the last option: the command that runs the suite, with {} where the program goes; "
        "or one file of shell commands with {} in them",
    ),
    _row(
        "--program",
        metavar="PATH",
        type=Path,
        help="what the suite runs: a name that it finds by PATH, or a file whose place is taken "
        "while the suite runs",
    ),
    _row(
        "--tests-time",
        metavar="S",
        type=seconds,
        default=600.0,
        help="seconds that the suite may take (default: %(default)g)",
    ),
)
RESULTS = _under(
    "results",
    _row(
        "--out",
        metavar="DIR",
        type=Path,
        default=BuildOptions(Path(), Path()).out,
        help="folder for the report and the tests (default: %(default)s)",
    ),
    _row(
        "--json",
        action="store_true",
        help="print report.json to standard output and nothing else there",
    ),
    _row("--quiet", action="store_true", help="show no progress"),
)
NO_REPLAY = _row(
    "--no-replay", action="store_true", help="run nothing natively; no difference is confirmed then"
)
UNPROTECTED = _row(
    "--unprotected-replay",
    action="store_true",
    help="run generated inputs natively even where no sandbox can be had",
)
REPLAY = _under("replay", NO_REPLAY, UNPROTECTED)
WITH = _row(
    "--with",
    dest="others",
    metavar="FILE",
    type=Path,
    nargs="+",
    action="extend",
    default=[],
    help="more C files of the program; may be repeated",
)
FILES = _under(
    "which files",
    replace(WITH, settings={**WITH.settings, "help": "more C files, which both versions have"}),
    _row(
        "-p",
        "--build",
        metavar="DIR",
        type=Path,
        help="folder with compile_commands.json: flags for each file",
    ),
    _row("--old-build", metavar="DIR", type=Path, help="the same for the old version alone"),
    _row("--new-build", metavar="DIR", type=Path, help="the same for the new version alone"),
)
ANNOTATION = _under(
    "how the versions are united",
    _row(
        "--diff",
        choices=("ast", "lines"),
        default="ast",
        help="what a change is: where the trees differ, or also where only the text of a line "
        "does, as diff(1) finds it (default: %(default)s)",
    ),
    _row(
        "--style",
        choices=("execute", "published"),
        default="execute",
        help="code that one version has: run by it alone, or behind a branch on which the versions "
        "part, as published for shadow symbolic execution (default: %(default)s)",
    ),
)
OUTPUT_FILE = _row(
    "-o", "--output", metavar="FILE", type=Path, help="file to write (default: standard output)"
)


# --------------------------------------------------------------------------- records


def _files(given: argparse.Namespace) -> FileOptions:
    return FileOptions(
        tuple(given.others),
        given.old_build or given.build,
        given.new_build or given.build,
        annotated=given.new is None,
    )


def _annotation(given: argparse.Namespace) -> Annotation:
    return Annotation(given.diff == "lines", given.style == "published")


def _inputs(given: argparse.Namespace) -> InputOptions:
    return InputOptions(
        entry=given.entry,
        ranges=tuple(given.range),
        assumptions=tuple(given.assume),
        symbolic_globals=tuple(given.symbolic_global),
        arguments=given.sym_args,
        stdin=given.sym_stdin,
        files=given.sym_files,
        named_files=tuple(given.sym_file),
        array_length=given.array_len,
    )


def _search(given: argparse.Namespace) -> SearchOptions:
    return SearchOptions(
        time=given.time,
        seed=given.seed,
        mode=_mode(given),
        loop_bound=given.loop_bound,
        solver=SolverName(given.solver),
        after=After(getattr(given, "after", SearchOptions().after.value)),
        prune=not getattr(given, "no_prune", False),
    )


def _mode(given: argparse.Namespace) -> Mode:
    """As asked for, or as published."""
    if getattr(given, "mode", None) is not None:
        return Mode(given.mode)
    match Shadow(getattr(given, "shadow", Shadow.COMPLETE.value)):
        case Shadow.CONCOLIC:
            return Mode.BREADTH_FIRST
        case Shadow.JPF:
            return Mode.DEPTH_FIRST
        case _:
            return Mode.GUIDED


def _shadow(given: argparse.Namespace) -> ShadowOptions:
    chosen = ShadowOptions(Shadow(given.shadow), tuple(given.seeds), given.bse_time)
    if chosen.mode is not Shadow.COMPLETE and not chosen.seeds:
        raise UsageError(
            f"--shadow {chosen.mode.value} follows seeds, and there are none",
            hint="give some with --seeds; without any, leave --shadow out",
        )
    if chosen.mode is Shadow.COMPLETE and chosen.seeds:
        raise UsageError(
            "--shadow complete takes no seeds", hint="add --shadow concolic or --shadow jpf"
        )
    return chosen


def _build(given: argparse.Namespace, flags: tuple[str, ...]) -> Options:
    return BuildOptions(
        given.old,
        given.new or given.old,
        flags,
        _inputs(given),
        _search(given),
        given.out,
        replay=not given.no_replay,
        without_walls=given.unprotected_replay,
        shadow=_shadow(given),
        files=_files(given),
        annotation=_annotation(given),
    )


def _suite(given: argparse.Namespace, flags: tuple[str, ...]) -> Options:
    search = _search(given)
    if given.mode is None:
        search = replace(search, mode=Mode.BREADTH_FIRST)
    build = BuildOptions(
        given.old,
        given.new or given.old,
        flags,
        _inputs(given),
        search,
        given.out,
        without_walls=given.unprotected_replay,
        shadow=ShadowOptions(Shadow.CONCOLIC, (), given.bse_time),
        files=_files(given),
    )
    if not given.tests:
        raise UsageError("--tests names no command", hint="for example: --tests sh tests/run.sh {}")
    return SuiteOptions(build, tuple(given.tests), given.program, given.tests_time)


def _compare(given: argparse.Namespace, flags: tuple[str, ...]) -> Options:
    return CompareOptions(
        given.old,
        given.new or given.old,
        flags,
        _inputs(given),
        _search(given),
        given.seeds,
        given.out,
        without_walls=given.unprotected_replay,
        files=_files(given),
        annotation=_annotation(given),
    )


def _explore(given: argparse.Namespace, flags: tuple[str, ...]) -> Options:
    return ExploreOptions(
        given.file,
        flags,
        tuple(given.others),
        inputs=_inputs(given),
        search=_search(given),
        out=given.out,
    )


def _graph(given: argparse.Namespace, flags: tuple[str, ...]) -> Options:
    return GraphOptions(
        given.old,
        given.new or given.old,
        flags,
        given.entry,
        GraphKind(given.what),
        GraphFormat(given.format),
        given.output,
        _files(given),
        _annotation(given),
    )


def _unify(given: argparse.Namespace, flags: tuple[str, ...]) -> Options:
    return UnifyOptions(
        given.old,
        given.new or given.old,
        flags,
        given.ids,
        given.output,
        _files(given),
        _annotation(given),
        given.entry or "main",
        given.explain,
    )


def _run(given: argparse.Namespace, words: tuple[str, ...]) -> Options:
    flags = tuple(shlex.split(given.cc_flags))
    return RunOptions(given.file, words, flags, tuple(given.others))


def _replay(given: argparse.Namespace, words: tuple[str, ...]) -> Options:
    return ReplayOptions(given.folder, given.unprotected_replay)


COMMANDS: Mapping[str, Command] = {
    "build": Command(
        "find, replay and explain inputs on which two versions differ",
        (*OLD_AND_NEW, *FILES, *ANNOTATION, *INPUT, *SEARCH, *MODE, *SHADOW, *REPLAY, *RESULTS),
        _build,
        """\
  csgtest build old.c new.c
  csgtest build samples/foo/old.c samples/foo/new.c --entry foo --range x=-100..100
  csgtest build samples/cut_ranges/old.c samples/cut_ranges/new.c --entry parse_ranges --time 10
  csgtest build cut_old.c cut_new.c --sym-args 1 3 4 --sym-stdin 4 --json -- -I include -DNLS=0

exit code: 0 no difference found, 1 differences, 2 trouble""",
    ),
    "suite": Command(
        "run a test suite on both versions, then search from its tests",
        (
            *OLD_AND_NEW,
            *FILES,
            *INPUT,
            *SEARCH,
            *MODE,
            BSE_TIME,
            *SUITE,
            UNPROTECTED,
            *RESULTS,
        ),
        _suite,
        """\
  csgtest suite old.c new.c --time 30 --tests make check
  csgtest suite old.c new.c --program src/prog --tests sh tests/run.sh
  csgtest suite old.c new.c --tests commands.txt

The suite runs as it is: only what csgtest makes up runs behind walls.
exit code: 0 no difference found, 1 differences, 2 trouble""",
    ),
    "graph": Command(
        "draw the change sequence graph (or CFG, or dependence graph) of two versions",
        (
            *OLD_AND_NEW,
            *FILES,
            *ANNOTATION,
            ENTRY,
            _row(
                "--what",
                choices=_names(GraphKind),
                default="csg",
                help="change sequences, control flow or dependences (default: %(default)s)",
            ),
            _row(
                "--format",
                choices=_names(GraphFormat),
                default="text",
                help="svg works without Graphviz, png needs it (default: %(default)s)",
            ),
            OUTPUT_FILE,
        ),
        _graph,
        """\
  csgtest graph old.c new.c
  csgtest graph old.c new.c --what pdg --format svg -o dependences.svg""",
    ),
    "compare": Command(
        "compare search strategies and native testing under the same budget",
        (
            *OLD_AND_NEW,
            *FILES,
            *ANNOTATION,
            *INPUT,
            *SEARCH,
            _row(
                "--seeds",
                metavar="N",
                type=positive_count,
                default=3,
                help="runs of each strategy, with seeds from --seed on (default: %(default)s)",
            ),
            UNPROTECTED,
            *RESULTS,
        ),
        _compare,
        "  csgtest compare samples/fields/a_old.c samples/fields/a_new.c --time 30",
    ),
    "unify": Command(
        "print two versions as one C program",
        (
            *OLD_AND_NEW,
            *FILES,
            *ANNOTATION,
            ENTRY,
            _row("--ids", action="store_true", help="number the changes in the text"),
            _row(
                "--explain",
                action="store_true",
                help="instead of the program: what each change is, why it stands as it does, what "
                "it needs, and what of the text is no change",
            ),
            OUTPUT_FILE,
        ),
        _unify,
        """\
  csgtest unify old.c new.c > both.c
  gcc -DCSGTEST_OLD both.c       (or -DCSGTEST_NEW)""",
    ),
    "run": Command(
        "run one program concretely in the engine, as if compiled",
        (
            _row("file", metavar="FILE", type=Path, help="C file with main"),
            WITH,
            _row(
                "--cc-flags",
                metavar="FLAGS",
                default="",
                help="flags for the C compiler, in one word: --cc-flags='-DN=3 -I include'",
            ),
        ),
        _run,
        """\
  csgtest run tests/programs/sieve.c
  echo 'a,b,c' | csgtest run samples/fields/a_new.c -- -d , -f 2""",
        rest="ARGS",
    ),
    "explore": Command(
        "explore one program symbolically: a test for each path, errors found",
        (_row("file", metavar="FILE", type=Path, help="C file"), WITH, *INPUT, *SEARCH, *RESULTS),
        _explore,
        """\
  csgtest explore benchmarks/kernels/bubble_sort.c
  csgtest explore range.c --entry parse --array-len 6 --time 20""",
    ),
    "replay": Command(
        "run the tests of a finished output folder on both versions again",
        (
            _row("folder", metavar="DIR", type=Path, help="output folder of an earlier build"),
            UNPROTECTED,
        ),
        _replay,
        "  csgtest replay csgtest-out",
        rest="",
    ),
}
