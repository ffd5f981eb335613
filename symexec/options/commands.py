"""The commands of csgtest as a table: what each takes, and the function that makes its record.

    csgtest replay DIR        COMMANDS["replay"]: one row for DIR; record: ReplayOptions(folder=DIR)

A new option is a row (definitions.py), a field of a record and a line that reads it (reading.py);
a new command an entry of ``COMMANDS``.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from symexec.options import (
    AcceptOptions,
    BuildOptions,
    CompareOptions,
    CompletedShell,
    EmitOptions,
    Emitted,
    Expected,
    Form,
    GraphFormat,
    GraphKind,
    Options,
    reading,
)
from symexec.options.definitions import (
    ACCEPTED,
    ACCEPTED_FILE,
    ACCEPTED_IN_REVIEW,
    ALL,
    ANNOTATION,
    ATTACK,
    BSE_TIME,
    CALLED,
    DETERMINISTIC,
    EACH_TASK,
    ENGINE,
    ENTRY,
    FILES,
    FINDINGS,
    FINISHED,
    GOLDEN,
    GRAPH,
    INPUT,
    JOBS,
    MEMORY,
    MODE,
    NO_NATIVE,
    OLD_AND_NEW,
    OUTPUT_FILE,
    REPLAY,
    RESULTS,
    SEARCH,
    SHADOW,
    SHOWN,
    STOP,
    STORE,
    SUITE,
    TRUST,
    UNPROTECTED,
    WITH,
    WITHOUT,
    Argument,
    Scope,
    names,
    row,
    under,
)
from symexec.options.values import count, names_given, positive_count, seconds


@dataclass(frozen=True, slots=True)
class Command:
    """A command of csgtest. ``rest`` names the words behind ``--``; empty: none are allowed."""

    summary: str
    arguments: tuple[Argument, ...]
    record: Callable[[argparse.Namespace, tuple[str, ...]], Options]
    examples: str
    rest: str = "CC-FLAGS"


def _tests_folder(what: str) -> Argument:
    return row(
        "-o",
        "--output",
        metavar="FOLDER",
        type=Path,
        default=Path("csgtest-tests"),
        help=what,
    )


COMMANDS: Mapping[str, Command] = {
    "build": Command(
        "find, replay and explain inputs on which two versions differ",
        (
            *OLD_AND_NEW,
            *FILES,
            *GOLDEN,
            *ANNOTATION,
            *GRAPH,
            *INPUT,
            *CALLED,
            *SEARCH,
            *MODE,
            *STOP,
            *DETERMINISTIC,
            *JOBS,
            *SHADOW,
            *MEMORY,
            *REPLAY,
            *RESULTS,
            *FINDINGS,
            *ACCEPTED,
        ),
        reading.build,
        """\
  csgtest build old.c new.c
  csgtest build samples/foo/old.c samples/foo/new.c --entry foo --range x=-100..100
  csgtest build samples/cut_ranges/old.c samples/cut_ranges/new.c --entry parse_ranges --time 10
  csgtest build cut_old.c cut_new.c --sym-args 1 3 4 --sym-stdin 4 --json -- -I include -DNLS=0

exit code: 0 no difference found, 1 differences (--fail-on), 2 trouble""",
    ),
    "ci": Command(
        "build what a pull request changes by the data of the CI service, and report to it",
        (
            row(
                "--base",
                scope=Scope.CALL,
                metavar="REVISION",
                help="what the pull request is compared with, from where both diverge (default: "
                "what the service says; what is staged for pre-commit; else origin/HEAD)",
            ),
            *(each for each in FILES if each.key not in ("old-build", "new-build", "staged")),
            *ANNOTATION,
            *GRAPH,
            *INPUT,
            *CALLED,
            *SEARCH,
            *MODE,
            *STOP,
            *DETERMINISTIC,
            *MEMORY,
            *REPLAY,
            *RESULTS,
            *FINDINGS,
            *ACCEPTED_IN_REVIEW,
        ),
        reading.ci,
        """\
  csgtest ci --time 60
  csgtest ci --base origin/main --fail-on any

In --out: report.html, csgtest.sarif, junit.xml and summary.md.
exit code: 0 no difference that --fail-on names, 1 differences, 2 trouble""",
    ),
    "accept": Command(
        "list the differences of a finished output folder, or accept some of them",
        (
            row(
                "ids",
                metavar="ID",
                nargs="*",
                help="a difference as report.json numbers it: g2 is the second row of the table, "
                "cut/g2 that of a folder below, cut all in it; 'all': every one; without any: list "
                "what could be accepted",
            ),
            row("--reason", metavar="TEXT", default="", help="why it is accepted"),
            row(
                "--from",
                dest="folder",
                metavar="DIR",
                type=Path,
                default=AcceptOptions().folder,
                help="output folder of an earlier build (default: %(default)s)",
            ),
            ACCEPTED_FILE,
            row(
                "--prune",
                action="store_true",
                help="remove entries of this program whose statements are no changes any more",
            ),
            ALL,
        ),
        reading.accept,
        """\
  csgtest accept
  csgtest accept g2 --reason 'the new format is intended'""",
        rest="",
    ),
    "fleet": Command(
        "search many pairs of versions as one run that can be resumed",
        (
            row("list", metavar="LIST.toml", type=Path, help="repositories, folders, pairs"),
            row(
                "--budget",
                metavar="S",
                type=seconds,
                help="seconds of all tasks together: pairs that showed nothing are searched "
                "again, longer, until they are over (default: each pair once)",
            ),
            *EACH_TASK,
            *ENGINE,
            *STORE,
            TRUST,
            *SHOWN,
        ),
        reading.fleet,
        """\
  csgtest fleet LIST.toml --jobs 8
  csgtest fleet LIST.toml --resume

exit code: 0 no difference found, 1 differences, 2 trouble""",
        rest="",
    ),
    "history": Command(
        "search each commit of a series: which brought a difference, and which took it away",
        (
            row("revisions", metavar="A..B", help="commits of this repository, without A"),
            *EACH_TASK,
            *ENGINE,
            *STORE,
            TRUST,
            *SHOWN,
        ),
        reading.history,
        """\
  csgtest history v1.0..HEAD
  csgtest history HEAD~20..HEAD --time 5 --jobs 8

exit code: 0 no difference found, 1 differences, 2 trouble""",
        rest="",
    ),
    "show": Command(
        "print the reports of an output folder, or list what a store holds",
        (
            row(
                "what",
                metavar="WHAT",
                nargs="?",
                help="an output folder of csgtest build, or a folder with a store; or what the "
                "store lists: findings, tasks or runs (default: findings; where there is no store, "
                f"the reports in {BuildOptions(Path(), Path()).out})",
            ),
            row("--run", metavar="N", type=positive_count, help="only those of this run"),
            row(
                "--fingerprint",
                metavar="ID",
                help="only findings whose fingerprint begins so, in all runs",
            ),
            row("--task", metavar="ID", help="the files of this task, written to --output"),
            row("-o", "--output", metavar="FOLDER", type=Path, help="folder for --task"),
            *STORE,
            *under("results", ALL, *(each for each in SHOWN if each.key == "json")),
        ),
        reading.show,
        """\
  csgtest show csgtest-out
  csgtest show
  csgtest show tasks --run 3 --json
  csgtest show --task b33e5bd3bf18000e -o found""",
        rest="",
    ),
    "site": Command(
        "write pages of what the store holds, which need no server and no network",
        (row("folder", metavar="DIR", type=Path, help="folder to write"), *STORE),
        reading.site,
        "  csgtest site pages",
        rest="",
    ),
    "suite": Command(
        "run a test suite on both versions, then search from its tests",
        (
            *OLD_AND_NEW,
            *FILES,
            *INPUT,
            *CALLED,
            *SEARCH,
            *MODE,
            BSE_TIME,
            *SUITE,
            NO_NATIVE,
            ATTACK,
            UNPROTECTED,
            *RESULTS,
            *FINDINGS,
        ),
        reading.suite,
        """\
  csgtest suite old.c new.c --time 30 --tests make check
  csgtest suite old.c new.c --program src/prog --tests sh tests/run.sh
  csgtest suite old.c new.c --tests commands.txt

The suite runs as it is: only what csgtest makes up runs in a sandbox.
exit code: 0 no difference found, 1 differences, 2 trouble""",
    ),
    "graph": Command(
        "draw the change sequence graph (or CFG, or dependence graph) of two versions",
        (
            *OLD_AND_NEW,
            *FILES,
            *ANNOTATION,
            *GRAPH,
            ENTRY,
            row(
                "--what",
                choices=names(GraphKind),
                default="csg",
                help="change sequences, control flow, dependences, or all three of one function "
                "(default: %(default)s)",
            ),
            row(
                "--function",
                metavar="F",
                help="show only this function (figure: default the entry function)",
            ),
            row(
                "--full",
                action="store_true",
                help="draw every node and edge, also those that are folded or implied by others",
            ),
            row(
                "--format",
                choices=names(GraphFormat),
                default="text",
                help="svg and html (with pan, zoom and search) work without Graphviz, png needs "
                "it; graphml is for graph programs, mermaid for Markdown "
                "(default: %(default)s)",
            ),
            OUTPUT_FILE,
        ),
        reading.graph,
        """\
  csgtest graph old.c new.c
  csgtest graph old.c new.c --format html -o graph.html
  csgtest graph old.c new.c --what figure --function main --format svg -o figure.svg""",
    ),
    "compare": Command(
        "compare search strategies and native testing under the same budget",
        (
            *OLD_AND_NEW,
            *FILES,
            *ANNOTATION,
            *INPUT,
            *CALLED,
            *SEARCH,
            row(
                "--modes",
                metavar="NAME,..",
                type=names_given,
                default=list(CompareOptions(Path(), Path()).modes),
                help="what is compared: searches, with strategies to leave out behind hyphens "
                "(guided-guards-turns, guided-all), and native (default: "
                f"{','.join(CompareOptions(Path(), Path()).modes)})",
            ),
            WITHOUT,
            row(
                "--seeds",
                metavar="N",
                type=positive_count,
                default=3,
                help="runs of each of them, with seeds from --seed on (default: %(default)s)",
            ),
            UNPROTECTED,
            *RESULTS,
        ),
        reading.compare,
        """\
  csgtest compare samples/fields/a_old.c samples/fields/a_new.c --time 30
  csgtest compare old.c new.c --modes guided,guided-guards,published,native""",
    ),
    "unify": Command(
        "print two versions as one C program",
        (
            *OLD_AND_NEW,
            *FILES,
            *ANNOTATION,
            ENTRY,
            row("--ids", action="store_true", help="number the changes in the text"),
            row(
                "--explain",
                action="store_true",
                help="instead of the program: what each change is, why it is unified as it is, "
                "what it requires, and which edits of the text are no changes",
            ),
            OUTPUT_FILE,
        ),
        reading.unify,
        """\
  csgtest unify old.c new.c > both.c
  gcc -DCSGTEST_OLD both.c       (or -DCSGTEST_NEW)""",
    ),
    "run": Command(
        "run one program concretely in the engine, as if compiled",
        (
            row("file", metavar="FILE", type=Path, help="C file with main"),
            WITH,
            row(
                "--cc-flags",
                metavar="FLAGS",
                default="",
                help="flags for the C compiler, in one word: --cc-flags='-DN=3 -I include'",
            ),
        ),
        reading.run,
        """\
  csgtest run tests/programs/sieve.c
  echo 'a,b,c' | csgtest run samples/fields/a_new.c -- -d , -f 2""",
        rest="ARGS",
    ),
    "explore": Command(
        "explore one program symbolically: a test for each path, errors found",
        (
            row("file", metavar="FILE", type=Path, help="C file"),
            WITH,
            *INPUT,
            *SEARCH,
            *MEMORY,
            *RESULTS,
        ),
        reading.explore,
        """\
  csgtest explore benchmarks/kernels/bubble_sort.c
  csgtest explore range.c --entry parse --array-len 6 --time 20""",
    ),
    "replay": Command(
        "run the tests of a finished output folder on both versions again",
        (
            FINISHED,
            row(
                "--time",
                metavar="S",
                type=seconds,
                help="seconds after which no further test is begun; tests that did not run are "
                "counted, and without a difference the exit code is then 2 (default: no limit)",
            ),
            row(
                "--all",
                dest="every_test",
                action="store_true",
                help="print a line for each test (default: for those on which the versions differ, "
                "or did so when they were written, at most a screen)",
            ),
            TRUST,
            UNPROTECTED,
        ),
        reading.replay,
        "  csgtest replay csgtest-out",
        rest="",
    ),
    "export": Command(
        "write a finished output folder in a form that other programs read",
        (
            FINISHED,
            row(
                "--as",
                dest="form",
                choices=names(Form),
                required=True,
                help="sarif (code scanning), junit, markdown (a comment on a change), github "
                "(annotations of a workflow): one file; "
                "ktest (KLEE), testcomp (Test-Comp): a folder with a file for each test",
            ),
            row(
                "-o",
                "--output",
                metavar="FILE",
                type=Path,
                help="file or folder to write (default: a file goes to standard output)",
            ),
        ),
        reading.export,
        """\
  csgtest export --as markdown
  csgtest export csgtest-out --as sarif -o found.sarif
  csgtest export csgtest-out --as ktest -o found-ktest""",
        rest="",
    ),
    "emit": Command(
        "write regression tests that need no csgtest, each tried on both versions",
        (
            FINISHED,
            row(
                "--as",
                dest="form",
                choices=names(Emitted),
                required=True,
                help="c (of an entry function), sh (of a whole program), or either with a list for "
                "cmake or meson",
            ),
            _tests_folder("folder to write (default: %(default)s)"),
            row(
                "--expect",
                choices=[each.value for each in Expected if each is not Expected.USUAL],
                help="version whose behaviour the tests hold on to (default: new, but old where "
                "the new version fails)",
            ),
            row(
                "--equal",
                metavar="N",
                type=count,
                default=EmitOptions(Path(), Emitted.C, Path()).equal,
                help="tests of what both versions do alike, at most (default: %(default)s)",
            ),
            TRUST,
            UNPROTECTED,
        ),
        reading.emit,
        """\
  csgtest emit --as c
  csgtest emit csgtest-out --as cmake -o tests/regression""",
        rest="",
    ),
    "bless": Command(
        "let regression tests expect what the other version does, from now on",
        (
            row("ids", metavar="ID", nargs="+", help="difference, as g1 of csgtest_g1.c"),
            _tests_folder("folder that emit wrote, which is written anew (default: %(default)s)"),
            TRUST,
            UNPROTECTED,
        ),
        reading.bless,
        """\
  csgtest bless g1
  csgtest bless g1 g3 -o tests/regression""",
        rest="",
    ),
    "init": Command(
        "write a csgtest.toml for this repository, with every key and its default",
        (row("--force", action="store_true", help="in the place of one that is there"),),
        reading.init,
        "  csgtest init",
        rest="",
    ),
    "completion": Command(
        "write what makes a shell complete commands, options, files and revisions",
        (row("shell", metavar="SHELL", choices=names(CompletedShell), help="bash, zsh or fish"),),
        reading.completion,
        """\
  csgtest completion bash > ~/.local/share/bash-completion/completions/csgtest
  csgtest completion zsh > ~/.zfunc/_csgtest              (a folder that is in fpath)
  csgtest completion fish > ~/.config/fish/completions/csgtest.fish""",
        rest="",
    ),
    "manual": Command(
        "write the manual page, with every option of every command",
        (),
        reading.manual,
        """\
  csgtest manual > ~/.local/share/man/man1/csgtest.1
  csgtest manual | man -l -""",
        rest="",
    ),
}
