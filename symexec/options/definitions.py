"""The options of csgtest as rows, in groups that several commands share.

row("--time", metavar="S", type=seconds, default=60.0, help="...")     one option
SEARCH = under("search", row("--time", ...), row("--seed", ...), ...)  a group, with its heading

A new option is a row here, a field of a record (__init__.py) and a line that reads it (reading.py).
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum, StrEnum
from pathlib import Path
from typing import Any

from csg.programs import Interactions
from symexec.options import (
    After,
    BuildOptions,
    FailOn,
    Form,
    Globals,
    InputOptions,
    MemoryOptions,
    SearchOptions,
    Shadow,
    ShadowOptions,
    SolverName,
    StoreOptions,
    Uninitialised,
    usual_attack,
)
from symexec.options.values import (
    ThreeCounts,
    TwoCounts,
    count,
    disk_size,
    form_and_file,
    length,
    memory_size,
    named_file,
    names_given,
    positive_count,
    positive_length,
    seconds,
    seconds_or_none,
    structure_depth,
    value_range,
)


class Scope(Enum):
    """Where an option may be set, other than on the command line."""

    TARGET = "target"  # at the top of csgtest.toml, and in its tables for targets
    PROJECT = "project"  # at the top alone: it says what the targets are
    CALL = "call"  # nowhere: it is about one call, or what only its user may decide


class Named(StrEnum):
    """What OLD and NEW name, as messages have it."""

    FILES = "files"
    ANNOTATED = "one file that has both versions in it"
    FOLDERS = "folders"
    REVISIONS = "revisions"


@dataclass(frozen=True, slots=True)
class Argument:
    """A row of the tables: the arguments of argparse's ``add_argument``, and the heading of the
    option in the help text. ``example``: for csgtest.toml, where there is no default. ``about``:
    the only pairs of versions that it has an effect on; a call about others that has it is refused,
    and told to do what ``instead`` says."""

    names: tuple[str, ...]
    settings: Mapping[str, Any]
    group: str = ""
    scope: Scope = Scope.TARGET
    example: Any = None
    about: frozenset[Named] = frozenset(Named)
    instead: str = "leave it out"

    @property
    def key(self) -> str:
        """The name of the option in csgtest.toml: ``loop-bound``."""
        words = [name for name in self.names if name.startswith("--")] or self.names
        return str(self.settings.get("dest", words[0].lstrip("-")))

    @property
    def dest(self) -> str:
        """The name of the option in argparse's namespace."""
        return self.key.replace("-", "_")

    @property
    def read_as(self) -> tuple[object, ...]:
        """A key that is equal for rows of several commands with the same meaning, whatever their
        defaults are."""
        return (self.names, {**self.settings, "help": "", "default": None})

    @property
    def is_flag(self) -> bool:
        return self.settings.get("action") == "store_true"

    @property
    def is_list(self) -> bool:
        return self.settings.get("action") in ("append", "extend")

    @property
    def default(self) -> Any:
        return False if self.is_flag else self.settings.get("default")


def row(*names: str, scope: Scope = Scope.TARGET, example: Any = None, **settings: Any) -> Argument:
    return Argument(names, settings, scope=scope, example=example)


def about(row: Argument, *named: Named, instead: str = "leave it out") -> Argument:
    """The row, for such versions alone."""
    return replace(row, about=frozenset(named), instead=instead)


def under(group: str, *rows: Argument) -> tuple[Argument, ...]:
    return tuple(replace(row, group=group) for row in rows)


def names(choices: type[Enum]) -> list[str]:
    return [choice.value for choice in choices]


OLD_AND_NEW = (
    row(
        "old",
        scope=Scope.CALL,
        metavar="OLD",
        nargs="?",
        help="C file, or folder of C files, before the change; or revisions of this repository: "
        "A..B, A...B (from where they diverge), A (against the work tree); left out: HEAD",
    ),
    row(
        "new",
        scope=Scope.CALL,
        metavar="NEW",
        type=Path,
        nargs="?",
        help="the same after the change; left out: OLD holds both, with change() and execute()",
    ),
)
ENTRY = row(
    "--entry",
    example="parse",
    metavar="F",
    help="function to start in (default: main, or the only one; auto: csgtest chooses some of a "
    "library); several calls, the first of which makes what the others take: new,put|drop,get",
)
CALLED = under(
    "which inputs",
    row(
        "--examples",
        example=["tests"],
        metavar="PATH",
        type=Path,
        action="append",
        default=[],
        help="a file or folder of inputs or tests, from whose texts native testing makes inputs; "
        "may be repeated (default: in a checkout, files that are tests by their names)",
    ),
    row(
        "--no-preconditions",
        action="store_true",
        help="for F: also try inputs that break what the code of both versions expects of "
        "callers, such as a length beyond the buffer; the report says what is expected",
    ),
    row(
        "--globals",
        choices=names(Globals),
        default=InputOptions().globals.value,
        help="values of scalars that the caller of F may have set: any value, or what they are "
        "initialised with (default: %(default)s)",
    ),
)
INPUT = under(
    "which inputs",
    ENTRY,
    row(
        "--range",
        example=["x=-100..100"],
        metavar="NAME=LO..HI",
        type=value_range,
        action="append",
        default=[],
        help="values that an input can have, both bounds included; may be repeated",
    ),
    row(
        "--assume",
        example=["x < y"],
        metavar="EXPR",
        action="append",
        default=[],
        help="C expression over the inputs that holds at the start; may be repeated",
    ),
    row(
        "--symbolic-global",
        example=["verbose"],
        metavar="NAME",
        action="append",
        default=[],
        help="a global variable that is an input, too; may be repeated",
    ),
    row(
        "--sym-args",
        example=[0, 2, 4],
        metavar=("MIN", "MAX", "LEN"),
        nargs=3,
        type=length,
        action=ThreeCounts,
        help="for main: from MIN to MAX arguments of up to LEN bytes each",
    ),
    row(
        "--sym-stdin",
        example=8,
        metavar="N",
        type=length,
        help="for main: up to N bytes on standard input",
    ),
    row(
        "--sym-files",
        example=[1, 4],
        metavar=("N", "LEN"),
        nargs=2,
        type=length,
        action=TwoCounts,
        help="N files in the working folder, A, B and so on, of up to LEN bytes each",
    ),
    row(
        "--sym-file",
        example=["conf=8"],
        metavar="NAME=LEN",
        type=named_file,
        action="append",
        default=[],
        help="a file of up to LEN bytes that may be there or not; may be repeated",
    ),
    row(
        "--array-len",
        example=6,
        metavar="N",
        type=positive_length,
        help="bytes of a char * parameter before its NUL, elements behind any other pointer "
        "(default: 4; then 8, 16, 32, 64 while time is left)",
    ),
    row(
        "--struct-depth",
        example=5,
        metavar="N",
        type=structure_depth,
        help="pointers from a parameter to a structure, one behind the other, at most "
        "(default: 3; then 7, 15 while time is left)",
    ),
)
SEARCH = under(
    "search",
    row(
        "--time",
        metavar="S",
        type=seconds,
        default=SearchOptions().time,
        help="seconds that the search may take (default: %(default)g)",
    ),
    row(
        "--memory",
        example="4G",
        metavar="SIZE",
        type=memory_size,
        help="memory that the search may take, such as 800M or 4G; where it is short, states of "
        "the lowest priority are dropped (default: three quarters of what the machine has free)",
    ),
    row(
        "--seed",
        metavar="N",
        type=count,
        default=SearchOptions().seed,
        help="start of the random choices; the same seed gives the same run (default: %(default)s)",
    ),
    row(
        "--loop-bound",
        example=100,
        metavar="N",
        type=positive_count,
        help="iterations of one loop on one path (default: no bound)",
    ),
    row(
        "--solver",
        choices=names(SolverName),
        default=SearchOptions().solver.value,
        help="solver for the queries that cheaper layers do not answer (default: %(default)s)",
    ),
)
WITHOUT = row(
    "--without",
    example=["all"],
    metavar="NAME",
    type=names_given,
    action="extend",
    default=[],
    help="leave out these strategies of the search, or all: {strategies}",
)
MODE = under(
    "search",
    row(
        "--mode",
        example="guided",
        metavar="NAME",
        help="which state runs next (default: guided; with seeds: published): {modes}",
    ),
    WITHOUT,
    row(
        "--after",
        choices=names(After),
        default=SearchOptions().after.value,
        help="after the versions diverge at a branch: follow both to where they meet again, or the "
        "new one alone, as published (default: %(default)s)",
    ),
    row(
        "--no-prune",
        action="store_true",
        help="do not drop paths that can neither reach a change nor carry one",
    ),
)
DETERMINISTIC = under(
    "search",
    row(
        "--deterministic",
        action="store_true",
        help="count work instead of seconds, and run no native fuzzing: the same "
        "call gives the same report.json and tests, to the byte",
    ),
)
JOBS = under(
    "search",
    row(
        "--jobs",
        scope=Scope.CALL,
        metavar="N",
        type=positive_count,
        help="processes that search the same pair (default: processors less the two that fuzzing "
        "and verification take, at least 1; with --deterministic 1)",
    ),
)
STOP = under(
    "search",
    row(
        "--stop-after",
        example=1,
        metavar="N",
        type=positive_count,
        help="end the search once N inputs are confirmed on which the versions differ, accepted "
        "differences not counted (default: search until the time is over)",
    ),
)
SHADOW = under(
    "seeds",
    row(
        "--shadow",
        scope=Scope.CALL,
        choices=names(Shadow),
        default=ShadowOptions().mode.value,
        help="let the versions diverge on every path, or near the paths of seeds: in two phases "
        "(concolic), or in one (jpf) (default: %(default)s)",
    ),
    row(
        "--seeds",
        scope=Scope.CALL,
        metavar="PATH",
        type=Path,
        nargs="+",
        action="extend",
        default=[],
        help="inputs to start from: a file of command lines, JSON or .ktest, or a folder of these; "
        "with --shadow complete native fuzzing runs them first, those that fit the entry",
    ),
    row(
        "--bse-time",
        scope=Scope.CALL,
        metavar="S",
        type=seconds,
        help="concolic: seconds to search from each divergence (default: equal shares of --time)",
    ),
)
BSE_TIME = SHADOW[-1]
SUITE = under(
    "the suite",
    row(
        "--tests",
        scope=Scope.CALL,
        metavar="CMD",
        nargs=argparse.REMAINDER,
        required=True,
        help="the last option: the command that runs the suite, with {} where the program goes; "
        "or one file of shell commands with {} in them",
    ),
    row(
        "--program",
        scope=Scope.CALL,
        metavar="PATH",
        type=Path,
        help="the program that the suite runs: a name that it finds by PATH, or a file that is "
        "replaced while the suite runs",
    ),
    row(
        "--tests-time",
        scope=Scope.CALL,
        metavar="S",
        type=seconds,
        default=600.0,
        help="seconds that the suite may take (default: %(default)g)",
    ),
)
MEMORY = under(
    "memory",
    row(
        "--uninitialised",
        example="differences",
        choices=names(Uninitialised),
        help="a use of uninitialised memory is an error where one version alone does it, "
        "always an error, or none: such memory holds zeros (default: differences; explore: error)",
    ),
    row(
        "--most-allocated",
        metavar="N",
        type=positive_length,
        default=MemoryOptions().most_allocated,
        help="bytes that an object of symbolic size may have above its least size; paths with "
        "larger ones are cut, unless their sizes are few (default: %(default)s)",
    ),
    row(
        "--leaks",
        action="store_true",
        help="memory of the heap that nothing points to at the end is an error (explore), or a "
        "difference where one version alone, or one version more, loses it (build; there default "
        "for functions where the patch changes what is allocated or freed)",
    ),
    row(
        "--no-leaks",
        action="store_true",
        help="do not look for such memory, whatever the patch changes",
    ),
)
RESULTS = under(
    "results",
    row(
        "--out",
        scope=Scope.CALL,
        metavar="DIR",
        type=Path,
        default=BuildOptions(Path(), Path()).out,
        help="folder for the report and the tests (default: %(default)s)",
    ),
    row(
        "--json",
        scope=Scope.CALL,
        action="store_true",
        help="print report.json to standard output and nothing else there",
    ),
    row("--quiet", scope=Scope.CALL, action="store_true", help="show no progress"),
)
ALL = row(
    "--all",
    scope=Scope.CALL,
    dest="every_finding",
    action="store_true",
    help="print all differences and all that is to be said of them (default: a screen)",
)
STORE = under(
    "store",
    row(
        "--store",
        metavar="PLACE",
        default=StoreOptions().place,
        help="what was found is kept in this folder, or in the PostgreSQL database of this URL "
        "(default: %(default)s)",
    ),
    row(
        "--artefacts",
        metavar="PLACE",
        help="folder or URL for the files of a new store (default: in its folder)",
    ),
)
ENGINE = under(
    "engine",
    row(
        "--jobs",
        metavar="N",
        type=positive_count,
        help="tasks that run at once (default: as many as there are processors)",
    ),
    row(
        "--scheduler",
        metavar="ADDRESS",
        help="run tasks on the workers of this scheduler of Dask, as tls://HOST:8786 "
        "(default: on workers of this call)",
    ),
    row(
        "--resume",
        action="store_true",
        help="go on with the last run, with its tasks as they were planned",
    ),
    row("--retry", action="store_true", help="try again what failed or was cut before"),
    row(
        "--disk",
        metavar="SIZE",
        type=disk_size,
        help="what a task may write to the disk, with its temporary files, such as 800M or 4G; "
        "there it ends with what it found (default: its share of three quarters of what is free)",
    ),
)
EACH_TASK = under(
    "search",
    row("--time", metavar="S", type=seconds, help="seconds for each task"),
    row("--seed", metavar="N", type=count, help="start of the random choices of each task"),
    row(
        "--deterministic",
        action="store_true",
        help="count work instead of seconds: the same tasks find the same",
    ),
)
SHOWN = under("results", *(each for each in RESULTS if each.key in ("json", "quiet")))
FINDINGS = under(
    "results",
    ALL,
    row(
        "--keep-all",
        scope=Scope.CALL,
        dest="every_test",
        action="store_true",
        help="write files of their own for all tests that differ (default: for a few of each "
        "difference; tests.jsonl always has all)",
    ),
    row(
        "--export",
        scope=Scope.CALL,
        dest="exports",
        metavar="FORM=FILE",
        type=form_and_file,
        action="append",
        default=[],
        help=f"also write what was found as {', '.join(names(Form))} (csgtest export --help); "
        "may be repeated",
    ),
)
FINISHED = row(
    "folder",
    metavar="DIR",
    type=Path,
    nargs="?",
    default=BuildOptions(Path(), Path()).out,
    help="output folder of an earlier build (default: %(default)s)",
)
TRUST = row(
    "--trust",
    action="store_true",
    help="run what the folder names although another user or machine wrote it",
)
NO_REPLAY = row(
    "--no-replay", action="store_true", help="run nothing natively; no difference is confirmed then"
)
UNPROTECTED = row(
    "--unprotected-replay",
    scope=Scope.CALL,
    action="store_true",
    help="run generated inputs natively even where no sandbox can be had",
)
NO_NATIVE = row(
    "--no-native",
    action="store_true",
    help="no native fuzzing: the search runs alone",
)
SEARCH_SAME_CODE = row(
    "--search-same-code",
    action="store_true",
    help="search although the compiler makes the same code of both versions, which proves them "
    "equal",
)
ATTACK = row(
    "--attack",
    metavar="S",
    type=seconds_or_none,
    default=usual_attack(),
    help="seconds at least, beyond --time if need be, in which a verdict without differences is "
    "attacked natively, with inputs that the search does not know; 0 leaves that out (default: "
    "%(default)g)",
)
ACCEPTED_FILE = row(
    "--accepted",
    scope=Scope.CALL,
    metavar="FILE",
    type=Path,
    help="file of accepted differences (default: csgtest-accepted.json here, or at the root of the "
    "repository)",
)
ACCEPTED = under(
    "results",
    ACCEPTED_FILE,
    row(
        "--no-accepted",
        scope=Scope.CALL,
        action="store_true",
        help="show accepted differences like all others",
    ),
    row(
        "--fail-on",
        scope=Scope.PROJECT,
        choices=names(FailOn),
        default=FailOn.ANY.value,
        help="which differences end with exit code 1: those where the new version fails, those "
        "that need several changes together, any, or none (default: %(default)s)",
    ),
)
ACCEPTED_IN_REVIEW = tuple(
    replace(each, settings={**each.settings, "default": FailOn.REGRESSION.value})
    if each.key == "fail-on"
    else each
    for each in ACCEPTED
)
REPLAY = under("replay", NO_REPLAY, NO_NATIVE, SEARCH_SAME_CODE, ATTACK, UNPROTECTED)
WITH = row(
    "--with",
    example=["list.c"],
    dest="others",
    metavar="FILE",
    type=Path,
    nargs="+",
    action="extend",
    default=[],
    help="more C files of the program; may be repeated",
)
BUILT_BY = (
    "--build names a folder with compile_commands.json; of revisions also a command: 'make -j2'"
)
REVISIONS_ALONE = "leave it out, or name revisions: csgtest build main...HEAD"
FILES = under(
    "which files",
    replace(WITH, settings={**WITH.settings, "help": "more C files, which both versions have"}),
    row(
        "-p",
        "--build",
        scope=Scope.PROJECT,
        example="make -C src",
        metavar="BUILD",
        help="folder with compile_commands.json: flags for each file; with revisions also the "
        "command that builds them, such as 'make -C src' (default: found by the files that are "
        "there)",
    ),
    about(
        row(
            "--old-build",
            scope=Scope.CALL,
            metavar="DIR",
            type=Path,
            help="the same for the old version alone",
        ),
        Named.FILES,
        Named.FOLDERS,
        instead=BUILT_BY,
    ),
    about(
        row(
            "--new-build",
            scope=Scope.CALL,
            metavar="DIR",
            type=Path,
            help="the same for the new version alone",
        ),
        Named.FILES,
        Named.FOLDERS,
        Named.ANNOTATED,
        instead=BUILT_BY,
    ),
    about(
        row(
            "--staged",
            scope=Scope.CALL,
            action="store_true",
            help="NEW is what is staged in this repository",
        ),
        Named.REVISIONS,
        instead=REVISIONS_ALONE,
    ),
    about(
        row(
            "--target",
            scope=Scope.PROJECT,
            example=["cut"],
            dest="targets",
            metavar="NAME",
            nargs="+",
            action="extend",
            default=[],
            help="with revisions: the programs or libraries to test (default: all that the change "
            "reaches, without tests and examples)",
        ),
        Named.REVISIONS,
        instead=REVISIONS_ALONE,
    ),
    about(
        row(
            "--ignore",
            scope=Scope.PROJECT,
            example=["vendor/*", "*_generated.c"],
            metavar="GLOB",
            action="append",
            default=[],
            help="files to ignore, with the programs made of them: a path below the top, or a "
            "folder; * matches slashes too; may be repeated",
        ),
        Named.FOLDERS,
        Named.REVISIONS,
    ),
    row(
        "--config",
        scope=Scope.CALL,
        metavar="FILE",
        type=Path,
        help="settings for all options that are not given here (default: csgtest.toml at the top "
        "of the repository, or in the folder that contains the folders OLD and NEW)",
    ),
    row("--no-config", scope=Scope.CALL, action="store_true", help="read no csgtest.toml"),
)
GOLDEN = under(
    "which files",
    row(
        "--golden",
        example="intended.c",
        metavar="FIXED",
        type=Path,
        help="the intended version: a C file or folder in NEW's place, an executable, or of "
        "revisions another one; a difference is then a regression, an incomplete-fix or a "
        "progression",
    ),
)
ANNOTATION = under(
    "how the versions are unified",
    about(
        row(
            "--diff",
            choices=("ast", "lines"),
            default="ast",
            help="what a change is: where the trees differ, or also where only the text of a line "
            "does, as diff(1) finds it (default: %(default)s)",
        ),
        Named.FILES,
        Named.FOLDERS,
        Named.REVISIONS,
    ),
    about(
        row(
            "--style",
            choices=("execute", "published"),
            default="execute",
            help="code that only one version has: run by this version alone, or behind a branch at "
            "which the versions diverge, as published for shadow symbolic execution (default: "
            "%(default)s)",
        ),
        Named.FILES,
        Named.FOLDERS,
        Named.REVISIONS,
    ),
)
GRAPH = under(
    "the change sequence graph",
    row(
        "--interactions",
        example="important",
        choices=names(Interactions),
        help="interaction locations: where sets of changes meet, all statements that depend on two "
        "changes, or the important ones and the uses of memory whose allocation other changes "
        f"decide about (default: {Interactions.IMPORTANT.value})",
    ),
    row(
        "--no-deletions",
        action="store_true",
        help="leave deleted statements out of the graph",
    ),
    row(
        "--paper",
        action="store_true",
        help="Algorithm 1 of FSE 2013 to the letter: all interaction locations, no deletions",
    ),
)
OUTPUT_FILE = row(
    "-o", "--output", metavar="FILE", type=Path, help="file to write (default: standard output)"
)
# The words behind "--" have no row in a command, and are a key of csgtest.toml all the same.
FLAGS = row(
    "--flags",
    example=["-Iinclude", "-DNDEBUG"],
    metavar="FLAG",
    action="append",
    default=[],
    help="for the C compiler, in both versions; those behind -- are added",
)
