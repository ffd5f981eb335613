"""What the user asked for, as records: one for each command, made of shared parts.

    csgtest build old.c new.c --range x=-100..100 --time 5 -- -DFAST

    BuildOptions(old=Path("old.c"), new=Path("new.c"), flags=("-DFAST",),
                 inputs=InputOptions(ranges=(Range("x", -100, 100),)),
                 search=SearchOptions(time=5.0))

Nothing here reads a file or knows the command line; ``symexec.options.arguments`` turns the words
of a call into these records.
"""

from __future__ import annotations

import os
from dataclasses import field
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from csg.programs import Annotation, GraphRules, Versions
from csg.records import record

if TYPE_CHECKING:
    from csg.analysis.preconditions import Precondition
    from csg.analysis.several import Several
    from csg.unify.changes.identities import Identity


class Shadow(Enum):
    """Where four-way forking begins."""

    COMPLETE = "complete"  # on every path, without seeds
    CONCOLIC = "concolic"  # near the paths of seeds; then bounded search from each divergence
    JPF = "jpf"  # the same in one pass, as ShadowJPF does


class SolverName(Enum):
    BITWUZLA = "bitwuzla"
    Z3 = "z3"


class After(Enum):
    """What runs after the versions diverge at a branch."""

    BOTH = "both"  # each to where the branch joins again, then both together
    NEW = "new"  # the new version alone, as published


class Uninitialised(Enum):
    """What a use of uninitialised memory leads to."""

    DIFFERENCES = "differences"  # an error where one version does it; reported where both do
    ERROR = "error"  # an error of the program
    ZERO = "zero"  # none: such memory holds zeros


class Globals(Enum):
    """The values of scalars that a caller of the entry function may have set. ``ANY``: every value;
    ``INITIAL``: those that the program initialises them with."""

    ANY = "any"
    INITIAL = "initial"


class FailOn(Enum):
    """Which of the differences that are not accepted make the exit code 1."""

    ANY = "any"
    # the new version fails, does not end or leaks, while the old one does not
    REGRESSION = "regression"
    INTERACTION = "interaction"  # several changes have to come together
    NEVER = "never"


class GraphKind(Enum):
    CSG = "csg"
    CFG = "cfg"
    PDG = "pdg"
    FIGURE = "figure"  # all three of one function, as in the paper


class GraphFormat(Enum):
    DOT = "dot"
    SVG = "svg"
    PNG = "png"
    HTML = "html"
    JSON = "json"
    TEXT = "text"
    GRAPHML = "graphml"
    MERMAID = "mermaid"


class Form(Enum):
    """The form in which a finished folder is exported."""

    SARIF = "sarif"
    JUNIT = "junit"
    MARKDOWN = "markdown"
    GITHUB = "github"  # commands of a workflow, which become annotations
    KTEST = "ktest"
    TESTCOMP = "testcomp"

    @property
    def is_folder(self) -> bool:
        return self in (Form.KTEST, Form.TESTCOMP)


class Emitted(Enum):
    """The form of regression tests, or of the build file that lists them."""

    C = "c"
    SH = "sh"
    CMAKE = "cmake"
    MESON = "meson"


class CompletedShell(Enum):
    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


class Expected(Enum):
    """The version whose behaviour regression tests expect. ``USUAL``: the new one, but the old one
    where the class of a difference says that the new one fails."""

    USUAL = "usual"
    NEW = "new"
    OLD = "old"
    GOLDEN = "golden"


@record
class Export:
    """``--export sarif=FILE``; ``output`` None: standard output."""

    form: Form
    output: Path | None


@record
class Range:
    """``--range x=-100..100``: both bounds belong to it."""

    name: str
    low: int
    high: int


@record
class SymbolicArguments:
    """``--sym-args 0 2 3``: from ``minimum`` to ``maximum`` arguments of up to ``length`` bytes."""

    minimum: int
    maximum: int
    length: int


@record
class SymbolicFiles:
    """``--sym-files 2 4``: two files, A and B, of up to 4 bytes each."""

    count: int
    length: int


@record
class NamedFile:
    """``--sym-file conf=8``: there may be a file of that name, of up to ``length`` bytes."""

    name: str
    length: int


ARRAYS = (4, 8, 16, 32, 64)  # bytes of a string, elements of an array, by default


@record
class InputOptions:
    """Which parts of the program's input are symbolic, and what is known of them."""

    entry: str | None = None  # None: main when there is one, else the only candidate
    ranges: tuple[Range, ...] = ()
    assumptions: tuple[str, ...] = ()  # C expressions over the inputs' names
    symbolic_globals: tuple[str, ...] = ()
    arguments: SymbolicArguments | None = None  # None: not asked for
    stdin: int | None = None  # symbolic bytes on standard input at most; None: not asked for
    files: SymbolicFiles | None = None  # None: not asked for
    named_files: tuple[NamedFile, ...] = ()
    array_length: int | None = None  # None: ARRAYS, as long as there is time
    globals: Globals = Globals.ANY  # what the others hold, of those that a caller may have set
    level: int = 0  # how often what is read, where nobody says how much, has grown
    lines: int = 0  # the same for command lines
    depth: int = 0  # the same for the depth of structures
    aliases: int = 0  # the same for the ways in which pointers lead into one object
    inferred: bool = True  # what both versions expect of callers of the entry function holds
    preconditions: tuple[Precondition, ...] = ()  # the same, as it was found
    examples: tuple[Path, ...] = ()  # of inputs: files, and folders of them
    examples_tree: Path | None = None  # where csgtest found them; None: the user named them
    several: Several | None = None  # pointers that lead to several structures, as it was found
    structure_depth: int | None = None  # pointers to structures; None: more while there is time
    program: str = "program"  # argv[0]

    @property
    def restricted(self) -> bool:
        """Are there inputs of the right types that are not tried?"""
        looked_at = any(each.excludes for each in self.preconditions)
        return bool(self.ranges or self.assumptions) or looked_at

    @property
    def elements(self) -> int:
        """The bytes of a string before its NUL, and the elements of an array."""
        return ARRAYS[self.level] if self.array_length is None else self.array_length

    def range_of(self, name: str) -> Range | None:
        """The last range given for ``name``, as the last option on a command line counts."""
        found = [candidate for candidate in self.ranges if candidate.name == name]
        return found[-1] if found else None


@record
class SearchOptions:
    """How long and in which order paths are explored."""

    time: float = 60.0  # seconds from where the search begins
    seed: int = 0
    mode: str = "guided"  # names: symexec.search.registry
    loop_bound: int | None = None  # iterations of one loop on one path; None: no bound
    solver: SolverName = SolverName.BITWUZLA
    after: After = After.BOTH
    deterministic: bool = False  # budgets and limits are counts of work, not times
    prune: bool = True  # drop states that can neither reach a change nor carry one
    without: tuple[str, ...] = ()  # strategies of the mode that are left out
    memory: int | None = None  # bytes; None: three quarters of what the machine has free
    stop_after: int | None = None  # inputs that differ; None: the search goes on
    jobs: int | None = None  # processes that search; None: as many as there are cores to spare


@record
class ShadowOptions:
    """Which paths fork four ways. ``seeds`` are files or folders of inputs: what paths are near to,
    or with COMPLETE what native fuzzing begins with; ``bse_time`` are the seconds for each
    divergence (None: equal shares)."""

    mode: Shadow = Shadow.COMPLETE
    seeds: tuple[Path, ...] = ()
    bse_time: float | None = None


@record
class Configured:
    """What csgtest.toml sets and the command line does not: the keys, and their values as they are
    written."""

    source: str  # the file, and of which version it is
    settings: tuple[tuple[str, object], ...]


@record
class OwnOptions:
    """What csgtest.toml sets for one target: the same call with its ``keys``."""

    name: str
    keys: tuple[str, ...]
    flags: tuple[str, ...]
    options: Options


@record
class RevisionOptions:
    """Both versions are revisions of the repository that the working folder lies in. ``text``:
    ``A..B``, ``A...B``, or one of them against the work tree; "": HEAD."""

    text: str = ""
    staged: bool = False  # NEW is what is staged
    command: str | None = None  # builds it, for a shell; None: found out
    targets: tuple[str, ...] = ()  # programs and libraries; (): those that the change reaches
    own: tuple[OwnOptions, ...] = ()  # what holds for a target of that name instead


@record
class FileOptions:
    """The files of the program in addition to OLD and NEW."""

    others: tuple[Path, ...] = ()  # C files that both versions have
    old_build: Path | None = None  # folders with compile_commands.json
    new_build: Path | None = None
    annotated: bool = False  # OLD is NEW, annotated by hand
    golden: Path | None = None  # what is intended: in NEW's place, or a program that is compiled
    revision: RevisionOptions | None = None  # OLD and NEW are taken from a repository
    name: str = ""  # of the program: argv[0]; "": that of NEW
    ignored: tuple[str, ...] = ()  # patterns of files whose changes and programs are not looked at
    configured: Configured | None = None  # None: nothing of it comes from a csgtest.toml


@record
class MemoryOptions:
    """What counts as an error of memory, and how far sizes are followed."""

    uninitialised: Uninitialised = Uninitialised.DIFFERENCES
    most_allocated: int = 64  # bytes above the least that an object of symbolic size may have
    # Look for what nothing points to at the end; None: where it matters, see lost_objects_matter.
    leaks: bool | None = None
    indexes: bool = True  # of an array inside of a larger object, which the object does not show
    addresses: bool = True  # are unknown where the program looks at their numbers


@record
class Internal:
    """Why a difference at an entry function is none that a caller can meet. ``reason``: nobody
    outside the library calls it; ``hidden``: structures that only the library can make, as ``struct
    list``, and that matter where a caller could call it. ``handles``: parameters of type ``void *``
    that the code takes for such structures, each with its structure. ``program``: what is outside
    is the command line of a program, and not the interface of a library."""

    reason: str
    hidden: tuple[str, ...] = ()
    handles: tuple[tuple[str, str], ...] = ()
    program: bool = False


@record
class Accepting:
    """How accepted differences change the exit code. ``file`` names them; None: the usual file
    where there is one. ``off``: none are accepted."""

    file: Path | None = None
    off: bool = False
    fail_on: FailOn = FailOn.ANY


ATTACK_VARIABLE, ATTACK_S = "CSGTEST_ATTACK", 3.0


def usual_attack() -> float:
    """The seconds of an attack where the command line does not say them."""
    try:
        return max(0.0, float(os.environ.get(ATTACK_VARIABLE, ATTACK_S)))
    except ValueError:
        return ATTACK_S


SAME_CODE_VARIABLE = "CSGTEST_SEARCH_SAME_CODE"


def usually_searches_same_code() -> bool:
    return bool(os.environ.get(SAME_CODE_VARIABLE))


@record
class BuildOptions:
    """``csgtest build``: the main job on a pair of versions."""

    old: Path
    new: Path
    flags: tuple[str, ...] = ()  # for the C compiler
    inputs: InputOptions = InputOptions()
    search: SearchOptions = SearchOptions()
    out: Path = Path("csgtest-out")
    replay: bool = True  # run every test on both native builds
    unsandboxed: bool = False  # even where no sandbox can be had
    native: bool = True  # native fuzzing while the search runs
    # Seconds at least to attack a verdict without differences natively; 0: it is not attacked.
    attack: float = field(default_factory=usual_attack)
    # Search although the compiler makes the same code of both versions.
    search_same_code: bool = field(default_factory=usually_searches_same_code)
    shadow: ShadowOptions = ShadowOptions()
    files: FileOptions = FileOptions()
    annotation: Annotation = Annotation()
    memory: MemoryOptions = MemoryOptions()
    rules: GraphRules = GraphRules()
    exports: tuple[Export, ...] = ()  # made of the output folder at the end
    every_finding: bool = False  # is printed, however many screens that takes
    every_test: bool = False  # that differs has files of its own
    accepting: Accepting = Accepting()
    internal: Internal | None = None  # None: callers of the program can call the entry
    wanted: frozenset[Identity] = frozenset()  # changes that are looked for first; none: all are
    others_wait: bool = False  # further entries need the time that the attack would take
    linked: str = ""  # a program or library with differing parts that nobody has seen compiled


@record
class CiOptions:
    """``csgtest ci``: a build of what a pull request changes. ``base``: None means what the service
    says."""

    build: BuildOptions
    base: str | None = None


@record
class SuiteOptions:
    """``csgtest suite``: an existing test suite first; those of its calls that execute a change are
    the seeds. ``time`` of the search is what follows the suite."""

    build: BuildOptions
    command: tuple[str, ...]
    program: Path | None = None  # a file that the suite runs; the recorder takes its place
    seconds: float = 600.0  # for the suite itself


@record
class CompareOptions:
    """``csgtest compare``: search strategies and native testing under the same budget."""

    old: Path
    new: Path
    flags: tuple[str, ...] = ()
    inputs: InputOptions = InputOptions()
    search: SearchOptions = SearchOptions()  # ``time`` is each run's; ``seed`` is the first
    modes: tuple[str, ...] = ("guided", "isolated", "undirected", "native")
    seeds: int = 3  # runs of each of them
    out: Path = Path("csgtest-out")
    unsandboxed: bool = False
    files: FileOptions = FileOptions()
    annotation: Annotation = Annotation()
    memory: MemoryOptions = MemoryOptions()


@record
class ExploreOptions:
    """``csgtest explore``: one program alone."""

    file: Path
    flags: tuple[str, ...] = ()
    others: tuple[Path, ...] = ()  # more C files of the program
    inputs: InputOptions = InputOptions()
    search: SearchOptions = SearchOptions()
    out: Path = Path("csgtest-out")
    memory: MemoryOptions = MemoryOptions(Uninitialised.ERROR)


@record
class GraphOptions:
    """``csgtest graph``: a picture of a pair."""

    old: Path
    new: Path
    flags: tuple[str, ...] = ()
    entry: str | None = None
    what: GraphKind = GraphKind.CSG
    format: GraphFormat = GraphFormat.TEXT
    output: Path | None = None  # None: standard output
    files: FileOptions = FileOptions()
    annotation: Annotation = Annotation()
    function: str | None = None  # show nothing but this function
    full: bool = False  # nothing folded, no edge left out
    rules: GraphRules = GraphRules()


@record
class UnifyOptions:
    """``csgtest unify``: two versions as one C program."""

    old: Path
    new: Path
    flags: tuple[str, ...] = ()
    ids: bool = False  # print change_(7, old, new) instead of change(old, new)
    output: Path | None = None
    files: FileOptions = FileOptions()
    annotation: Annotation = Annotation()
    entry: str = "main"
    explain: bool = False  # what each change is and why, instead of the program


@record
class RunOptions:
    """``csgtest run``: one program, concretely."""

    file: Path
    arguments: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    others: tuple[Path, ...] = ()  # more C files of the program


@record
class ReplayOptions:
    """``csgtest replay``: a finished output folder once more."""

    folder: Path
    unsandboxed: bool = False
    trusted: bool = False  # whoever wrote the folder
    time: float | None = None  # seconds after which no further test is begun
    every_test: bool = False  # is told of; else those that differ or differed, a screen of them


@record
class ExportOptions:
    """``csgtest export``: a finished output folder in a form that other programs read."""

    folder: Path
    export: Export


@record
class EmitOptions:
    """``csgtest emit``: regression tests that stand alone."""

    folder: Path
    form: Emitted
    output: Path
    expected: Expected = Expected.USUAL
    equal: int = 10  # tests of what stays equal, at most
    unsandboxed: bool = False
    trusted: bool = False  # whoever wrote the folder
    blessed: tuple[str, ...] = ()  # ids of differences whose tests expect the other version


@record
class BlessOptions:
    """``csgtest bless``: tests in the folder ``output``, which ``emit`` wrote, are to expect what
    the other version does."""

    ids: tuple[str, ...]
    output: Path
    unsandboxed: bool = False
    trusted: bool = False


@record
class AcceptOptions:
    """``csgtest accept``: differences of a finished output folder, by their ids; (): list them.
    ``prune``: remove entries that can never be met again."""

    ids: tuple[str, ...] = ()
    reason: str = ""
    folder: Path = Path("csgtest-out")
    file: Path | None = None
    prune: bool = False
    every_finding: bool = False  # is listed, each with all of its statements; else a screen


@record
class StoreOptions:
    """Where what was found is. ``place``: a folder or the URL of a database; ``artefacts``: a
    folder or URL for files, None: where the store has them; ``trusted``: whoever wrote it."""

    place: str = "csgtest-store"
    artefacts: str | None = None
    trusted: bool = False


STORE_FILE = "store.sqlite"  # in the folder of a store


@record
class EngineOptions:
    """What runs tasks. ``jobs`` None: as many at once as there are processors; ``scheduler``: the
    address of a scheduler of Dask that is there, None: workers of our own."""

    jobs: int | None = None
    scheduler: str | None = None
    resume: bool = False  # go on with the last run
    retry: bool = False  # try also what failed before
    disk: int | None = None  # bytes that a task may write; None: its share of what is free


@record
class FleetOptions:
    """``csgtest fleet``: many pairs. What is None is as the list says. ``budget``: seconds of all
    tasks together; None: each is searched once."""

    list: Path
    store: StoreOptions = StoreOptions()
    engine: EngineOptions = EngineOptions()
    time: float | None = None
    seed: int | None = None
    deterministic: bool = False
    budget: float | None = None


@record
class HistoryOptions:
    """``csgtest history``: each commit of ``revisions`` (``A..B``) against its parent."""

    revisions: str
    store: StoreOptions = StoreOptions()
    engine: EngineOptions = EngineOptions()
    time: float | None = None
    seed: int | None = None
    deterministic: bool = False


class Shown(Enum):
    """What ``csgtest show`` lists."""

    FINDINGS = "findings"
    TASKS = "tasks"
    RUNS = "runs"


@record
class ShowOptions:
    """``csgtest show``: what the store holds. ``run`` and ``fingerprint`` choose; ``task`` and
    ``output``: the files of a task, written to a folder. Or what the reports in the output folder
    ``reports`` say, ``every_finding`` or a screen of it."""

    what: Shown = Shown.FINDINGS
    store: StoreOptions = StoreOptions()
    run: int | None = None
    fingerprint: str | None = None
    task: str | None = None
    output: Path | None = None
    reports: Path | None = None
    every_finding: bool = False


@record
class SiteOptions:
    """``csgtest site``: pages of what the store holds, in ``folder``."""

    folder: Path
    store: StoreOptions = StoreOptions()


@record
class InitOptions:
    """``csgtest init``: a csgtest.toml for the repository that the working folder lies in."""

    force: bool = False  # replace an existing file


@record
class CompletionOptions:
    """``csgtest completion``: a script for a shell that completes the words of csgtest."""

    shell: CompletedShell


@record
class ManualOptions:
    """``csgtest manual``: the page for man(1)."""


Options = (
    AcceptOptions
    | BlessOptions
    | BuildOptions
    | CiOptions
    | CompareOptions
    | ExploreOptions
    | GraphOptions
    | UnifyOptions
    | RunOptions
    | ReplayOptions
    | ExportOptions
    | EmitOptions
    | SuiteOptions
    | FleetOptions
    | HistoryOptions
    | ShowOptions
    | SiteOptions
    | InitOptions
    | CompletionOptions
    | ManualOptions
)


def program_name(options: BuildOptions) -> str:
    """The name of both versions: argv[0]."""
    return options.files.name or Path(os.path.abspath(options.new)).stem or "program"


def versions_of(options: BuildOptions | CompareOptions | GraphOptions | UnifyOptions) -> Versions:
    """The two versions that a command is about."""
    files = options.files
    return Versions(
        options.old,
        options.new,
        options.flags,
        files.others,
        files.old_build,
        files.new_build,
        files.annotated,
        files.ignored,
    )
