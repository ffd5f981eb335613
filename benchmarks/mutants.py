"""Do the unit tests of a package notice when it is wrong? -> docs/mutants.md

    python -m benchmarks.mutants                            all packages below
    python -m benchmarks.mutants symexec/shadow             one of them
    python -m benchmarks.mutants symexec/search --most 100  a sample, the same each time
    python -m benchmarks.mutants symexec/search --again     what survived, as the document says
    python -m benchmarks.mutants --file symexec/shadow/outcomes.py   the others stay as they were

A mutant is the package with one place changed: a comparison or an operator turned into another, a
constant into its neighbour, a condition negated, a call or a result left out. It is killed when one
of the package's own tests fails with it, or does not end. A first run without any mutant notes
which tests call which functions; a mutant is tried with those that call the changed one, the
shortest first. Each is a fork that imports anew what depends on the changed file, and that file
through a hook; none is touched. Survivors are listed with what was judged of them in
benchmarks/mutants.json: why it behaves the same, or nothing yet.
"""

from __future__ import annotations

import argparse
import ast
import gc
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import pickle
import random
import re
import resource
import signal
import sys
import time
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import NoReturn

import pytest

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "docs" / "mutants.md"
JUDGED = ROOT / "benchmarks" / "mutants.json"
PACKAGES = {  # what is mutated, and the tests that have to notice
    "csg/graphs": "tests/csg/graphs",
    "symexec/search": "tests/symexec/search",
    "symexec/shadow": "tests/symexec/shadow",
}
# A mutant is killed that takes so many times as much of the processor as its tests do without it,
# or at least so many seconds; and whatever else it does, so many seconds later.
LEAST_SECONDS, TIMES, PATIENCE = 8.0, 10, 120.0
MOST_MEMORY = 6 << 30  # bytes of addresses
OURS = ("csg", "symexec")
THIRD_PARTY = ("hypothesis", "networkx", "pycparser", "bitwuzla")

_COMPARED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}


Step = tuple[str, int | None]  # a field, and which of its items
Way = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Mutant:
    """``name`` says file, function and change, and stays the same when lines move; ``place`` is
    the file and line. The node that ``way`` leads to is changed to ``changed``."""

    file: Path
    function: str
    name: str
    place: str
    way: Way
    changed: ast.AST

    def tree(self) -> ast.Module:
        """The whole file, changed."""
        made = ast.parse(self.file.read_text())
        put(made, self.way, self.changed)
        return ast.fix_missing_locations(made)


# ------------------------------------------------------------------ making mutants


def mutants(file: Path) -> Iterator[Mutant]:
    """All of one file, in source order."""
    tree = ast.parse(file.read_text())
    shown = file.relative_to(ROOT).as_posix()
    seen: dict[str, int] = {}
    for path, function in places(tree):
        node = at(tree, path)
        for changed in changes(node):
            line, before = getattr(node, "lineno", 0), ast.unparse(node)
            after = "" if isinstance(changed, ast.Pass) else ast.unparse(changed)
            name = f"{shown} {function}: {_short(before)} -> {_short(after) or '(left out)'}"
            seen[name] = seen.get(name, 0) + 1
            number = f" #{seen[name]}" if seen[name] > 1 else ""
            yield Mutant(file, function, name + number, f"{shown}:{line}", path, changed)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 90 else line[:90] + ".."


def places(tree: ast.Module) -> Iterator[tuple[Way, str]]:
    """Every node that is run, outermost first, with the function that it stands in. Annotations,
    docstrings, decorators and imports are no behaviour."""

    def inside(node: ast.AST, way: Way, function: str) -> Iterator[tuple[Way, str]]:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            function = f"{function}.{node.name}".lstrip(".")
        else:
            yield way, function or "module"
        for field, value in ast.iter_fields(node):
            if field in ("annotation", "returns", "decorator_list", "type_params", "bases", "ctx"):
                continue
            if isinstance(value, ast.AST):
                yield from inside(value, (*way, (field, None)), function)
            elif isinstance(value, list):
                for at_place, each in enumerate(value):
                    if isinstance(each, ast.AST) and not _says_nothing(each):
                        yield from inside(each, (*way, (field, at_place)), function)

    return inside(tree, (), "")


def _says_nothing(node: ast.AST) -> bool:
    """A docstring, a declaration, an import, a list of names that type checkers look at, a check
    for them."""
    match node:
        case ast.Assign(targets=[ast.Name(id="__all__")]):
            return True
        case ast.Expr(value=ast.Constant()) | ast.Import() | ast.ImportFrom() | ast.Assert():
            return True
        case ast.AnnAssign(value=None):
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case _:
            return False


def at(tree: ast.AST, way: Way) -> ast.AST:
    node = tree
    for field, place in way:
        value = getattr(node, field)
        node = value if place is None else value[place]
    return node


def put(tree: ast.AST, way: Way, node: ast.AST) -> None:
    field, place = way[-1]
    parent = at(tree, way[:-1])
    if place is None:
        setattr(parent, field, node)
    else:
        getattr(parent, field)[place] = node


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """What takes the node's place, one after the other."""
    match node:
        case ast.Compare(left=left, ops=[op], comparators=comparators):
            for other in _COMPARED[type(op)]:
                yield ast.Compare(left, [other()], comparators)
        case ast.BoolOp(op=op, values=values):
            other_op = ast.Or() if isinstance(op, ast.And) else ast.And()
            yield ast.BoolOp(other_op, values)
            yield from values if len(values) == 2 else ()
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            yield operand
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _COMPUTED:
            yield ast.BinOp(left, _COMPUTED[type(op)](), right)
        case ast.AugAssign(target=target, op=op, value=value) if type(op) in _COMPUTED:
            yield ast.AugAssign(target, _COMPUTED[type(op)](), value)
            yield ast.Pass()
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value)):
            yield ast.Constant(value + 1)
        case ast.Constant(value=str(value)) if value:
            yield ast.Constant(value + "~")
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield ast.IfExp(ast.UnaryOp(ast.Not(), test), body, orelse)
        case ast.If(test=test, body=body, orelse=orelse) if not _negatable(test):
            yield ast.If(ast.UnaryOp(ast.Not(), test), body, orelse)
        case ast.Return(value=value) if value is not None and not _is_none(value):
            yield ast.Return(ast.Constant(None))
        case ast.Break():
            yield ast.Continue()
        case ast.Continue():
            yield ast.Break()
        case ast.Expr(value=ast.Call()):
            yield ast.Pass()
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield ast.Pass()
        case _:
            return


def _negatable(test: ast.AST) -> bool:
    """Its negation is a mutant of its own already."""
    return isinstance(test, ast.Compare) or (
        isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    )


def _is_none(value: ast.AST) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


# ------------------------------------------------------------------ running them


class _Loader(importlib.machinery.SourceFileLoader):
    """The module from a changed tree."""

    def __init__(self, name: str, path: str, code: CodeType) -> None:
        super().__init__(name, path)
        self._changed = code

    def get_code(self, fullname: str) -> CodeType:
        return self._changed


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, mutant: Mutant) -> None:
        relative = mutant.file.relative_to(ROOT).with_suffix("")
        parts = [part for part in relative.parts if part != "__init__"]
        self.name, self._path = ".".join(parts), str(mutant.file)
        self._code = compile(mutant.tree(), self._path, "exec")

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self.name:
            return None
        loader = _Loader(fullname, self._path, self._code)
        return importlib.util.spec_from_file_location(fullname, self._path, loader=loader)


def imported(text: str) -> set[str]:
    """Names that an import statement of a source may load: modules, or what they define."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Import(names=names):
                found.update(each.name for each in names)
            case ast.ImportFrom(module=str(module), names=names):
                found.add(module)
                found.update(f"{module}.{each.name}" for each in names)
    return found


def load(tests: str) -> None:
    """What the tests import, so that a fork has only to load what depends on a mutant."""
    for file in sorted((ROOT / tests).rglob("*.py")):
        for name in sorted(imported(file.read_text())):
            if name.partition(".")[0] in OURS:
                with suppress(ModuleNotFoundError):
                    importlib.import_module(name)


def importing() -> dict[str, frozenset[str]]:
    """Which of the loaded modules each of them has imported, and the packages around them."""
    loaded = {each for each in sys.modules if each.partition(".")[0] in OURS}
    uses: dict[str, frozenset[str]] = {}
    for each in loaded:
        source = getattr(sys.modules[each], "__file__", None)
        named = imported(Path(source).read_text()) if source else set()
        named |= {outer for use in (named & loaded) | {each} for outer in _around(use)}
        uses[each] = frozenset(named & loaded)
    return uses


def unload(name: str, uses: Mapping[str, frozenset[str]]) -> None:
    """The module, those of its package (one may have registered itself with another) and all that
    have imported any of them, directly or not, are to be loaded anew."""
    package = name.rpartition(".")[0]
    gone, waiting = set[str](), {each for each in uses if each.rpartition(".")[0] == package}
    while waiting:
        gone |= waiting
        waiting = {each for each in uses.keys() - gone if uses[each] & waiting}
    for each in gone & sys.modules.keys():
        del sys.modules[each]
        outer, _, last = each.rpartition(".")
        if outer in sys.modules and hasattr(sys.modules[outer], last):
            delattr(sys.modules[outer], last)


def _around(name: str) -> list[str]:
    """The packages that a module lies in."""
    parts = name.split(".")
    return [".".join(parts[:n]) for n in range(1, len(parts))]


# ------------------------------------------------------------------ which tests call what


Function = tuple[str, str]  # file, and its name with those around it
ALWAYS = ""  # stands for what is called when modules are loaded: by all tests


@dataclass(frozen=True, slots=True)
class Callers:
    """``tests``: of each function that is called, the tests that call it; ``seconds``: of each
    test, of the processor."""

    tests: Mapping[Function, frozenset[str]]
    seconds: Mapping[str, float]

    def of(self, mutant: Mutant) -> list[str]:
        """The tests that may notice a mutant, the shortest first. What stands outside all functions
        concerns every test."""
        found = self.tests.get((str(mutant.file), mutant.function), frozenset())
        outside = mutant.function == "module" or mutant.function in self._classes(mutant.file)
        if outside or ALWAYS in found:
            found = frozenset(self.seconds)
        return sorted(found, key=lambda test: (self.seconds[test], test))

    @staticmethod
    def _classes(file: Path) -> frozenset[str]:
        tree = ast.parse(file.read_text())
        return frozenset(node.name for node in tree.body if isinstance(node, ast.ClassDef))


class _Noting:
    """A plugin of pytest: which test calls which functions of some files. What is called while a
    test file is loaded, or for a fixture that several tests share, counts for all of that file."""

    def __init__(self, files: Iterable[Path]) -> None:
        self._files = frozenset(map(str, files))
        self._called: dict[str, set[Function]] = {}
        self._shared: dict[str, set[Function]] = {}
        self._seconds: dict[str, float] = {}
        self._now: set[Function] = set()
        self._called[ALWAYS] = self._now
        self._failed = False
        sys.settrace(self._trace)

    def _trace(self, frame: FrameType, event: str, argument: object) -> None:
        code = frame.f_code
        if code.co_filename in self._files:
            name = code.co_qualname.partition(".<locals>.<")[0].replace(".<locals>", "")
            self._now.add((code.co_filename, name))

    @contextmanager
    def _within(self, called: set[Function]) -> Iterator[None]:
        before, self._now = self._now, called
        sys.settrace(self._trace)  # a test may have set another
        try:
            yield
        finally:
            self._now = before

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, object, object]:
        file = collector.nodeid.partition("::")[0]
        with self._within(self._shared.setdefault(file, set())):
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[object], request: pytest.FixtureRequest
    ) -> Generator[None, object, object]:
        if fixturedef.scope == "function":
            return (yield)
        file = request.node.nodeid.partition("::")[0]
        with self._within(self._shared.setdefault(file, set())):
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> Generator[None, object, object]:
        began = time.process_time()
        with self._within(self._called.setdefault(item.nodeid, set())):
            done = yield
        self._seconds[item.nodeid] = time.process_time() - began
        return done

    def found(self) -> Callers:
        sys.settrace(None)
        tests: dict[Function, set[str]] = {}
        for test in (ALWAYS, *self._seconds):
            for function in self._called[test] | self._shared.get(test.partition("::")[0], set()):
                tests.setdefault(function, set()).add(test)
        return Callers({key: frozenset(each) for key, each in tests.items()}, self._seconds)


class _Choosing:
    """A plugin of pytest: these tests alone, in their order. All of their files where one of them
    is not there any more: a mutant may have changed what tests are called."""

    def __init__(self, tests: Sequence[str]) -> None:
        self._place = {test: number for number, test in enumerate(tests)}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        if self._place.keys() <= {each.nodeid for each in items}:
            items[:] = [each for each in items if each.nodeid in self._place]
            items.sort(key=lambda each: self._place[each.nodeid])


def callers(tests: str, files: Sequence[Path]) -> Callers:
    """From a run of all tests in a process of its own; ends the program when one of them fails."""
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        with _quietly():
            os.close(reading)
            noting = _Noting(files)
            load(tests)
            code = _pytest([tests], noting)
            found = noting.found()
            with os.fdopen(writing, "wb") as file:
                pickle.dump(found if code == 0 else None, file)
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        text = file.read()
    os.waitpid(process, 0)
    known: Callers | None = pickle.loads(text) if text else None
    if known is None:
        sys.exit(f"{tests}: fails without any mutant")
    return known


# ------------------------------------------------------------------ one mutant


@dataclass(slots=True)
class Running:
    mutant: Mutant
    process: int
    seconds: float  # of patience, as long as nobody stops us all


@dataclass(frozen=True, slots=True)
class Trial:
    """What all mutants of a package are tried with."""

    callers: Callers
    uses: Mapping[str, frozenset[str]]
    jobs: int = 1

    def begun(self, mutant: Mutant, tests: Sequence[str]) -> Running:
        needed = sum(self.callers.seconds[test] for test in tests)
        seconds = max(LEAST_SECONDS, TIMES * needed)
        process = os.fork()
        if process == 0:
            with _quietly():
                limit = int(seconds + time.process_time())
                resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
                resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
                _test(mutant, tests, self.uses)
        return Running(mutant, process, seconds + PATIENCE)

    def surviving(self, chosen: Sequence[Mutant]) -> Iterator[Mutant]:
        """Those with which the tests pass, or that no test calls; ``jobs`` at a time."""
        waiting, running = list(reversed(chosen)), list[Running]()
        before = time.monotonic()
        while waiting or running:
            while waiting and len(running) < self.jobs:
                mutant = waiting.pop()
                if tests := self.callers.of(mutant):
                    running.append(self.begun(mutant, tests))
                else:
                    yield mutant
            time.sleep(0.01)
            before, passed = time.monotonic(), time.monotonic() - before
            for each in running:
                each.seconds -= min(passed, 1.0)
            known = [(each, ended(each)) for each in running]
            running = [each for each, good in known if good is None]
            yield from (each.mutant for each, good in known if good)


def ended(running: Running) -> bool | None:
    """Did the tests pass, in time? None: not yet known."""
    found, status = os.waitpid(running.process, os.WNOHANG)
    if found:
        return status == 0
    if running.seconds > 0:
        return None
    with suppress(ProcessLookupError):
        os.killpg(running.process, signal.SIGKILL)
    os.waitpid(running.process, 0)
    return False


@contextmanager
def _quietly() -> Iterator[None]:
    """The rest of a forked process: it says nothing, and ends with the block."""
    code = 1
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for standard in range(3):
            os.dup2(nothing, standard)
        os.chdir(ROOT)
        yield
        code = 0
    except SystemExit as ending:
        code = 1 if ending.code else 0
    finally:
        os._exit(code)


def _test(mutant: Mutant, tests: Sequence[str], uses: Mapping[str, frozenset[str]]) -> NoReturn:
    finder = _Finder(mutant)
    sys.meta_path.insert(0, finder)
    unload(finder.name, uses)
    files = dict.fromkeys(test.partition("::")[0] for test in tests)
    sys.exit(_pytest(list(files), _Choosing(tests)))


def _pytest(words: Sequence[str], plugin: object) -> int:
    """Its exit code."""
    options = ["-x", "-q", "--tb=no", "--assert=plain", "--rootdir", str(ROOT)]
    without = ["-p", "no:cacheprovider", "-p", "no:xdist"]
    return int(pytest.main([*options, *without, *words], plugins=[plugin]))


# ------------------------------------------------------------------ the table


@dataclass(frozen=True, slots=True)
class Result:
    """``files``: how many mutants of each file there are, and how many were tried; ``survivors`` by
    name."""

    package: str
    files: Mapping[str, tuple[int, int]]
    survivors: tuple[str, ...]

    @property
    def made(self) -> int:
        return sum(made for made, _ in self.files.values())

    @property
    def tried(self) -> int:
        return sum(tried for _, tried in self.files.values())

    def surviving(self, file: str) -> int:
        return sum(name.startswith(f"{file} ") for name in self.survivors)


def killed(tried: int, survivors: int) -> str:
    return f"{100 * (1 - survivors / tried) if tried else 100.0:.1f} %"


def tried(
    package: str,
    files: Sequence[Path],
    tests: str,
    most: int | None = None,
    jobs: int = 1,
    known: Collection[str] | None = None,
) -> Result:
    """``known``: all that can survive, as the document lists them; the others are killed."""
    callers_of = callers(tests, files)
    load(tests)
    made = [mutant for file in files for mutant in mutants(file)]
    chosen = made
    if most is not None and most < len(made):
        chosen = random.Random(0).sample(made, most)
    open_ones = [each for each in chosen if known is None or _cell(each.name) in known]
    survivors = []
    gc.collect()
    gc.freeze()  # or each fork would copy what it looks at
    for mutant in Trial(callers_of, importing(), jobs).surviving(open_ones):
        survivors.append(mutant)
        print(f"  survives: {mutant.place} {mutant.name}", flush=True)
    shown = [file.relative_to(ROOT).as_posix() for file in files]
    of_file = [[m.file.relative_to(ROOT).as_posix() for m in each] for each in (made, chosen)]
    counted = {file: (of_file[0].count(file), of_file[1].count(file)) for file in shown}
    names = sorted(mutant.name for mutant in survivors)
    return Result(package, {f: n for f, n in counted.items() if n[0]}, tuple(names))


def section(result: Result, judged: dict[str, str]) -> str:
    """Of the document; kept for packages that are not tried again."""
    known = {_cell(name): reason for name, reason in judged.items()}
    rows = [
        f"| `{_cell(name)}` | {known.get(_cell(name), 'not judged yet')} |"
        for name in result.survivors
    ]
    files = [
        f"| `{file}` | {made} | {tried} | {left} | {killed(tried, left)} |"
        for file, (made, tried) in sorted(result.files.items())
        for left in [result.surviving(file)]
    ]
    same = sum(_cell(name) in known for name in result.survivors)
    sample = "" if result.tried == result.made else f", a sample of {result.made}"
    tests, left = PACKAGES[result.package], len(result.survivors)
    head = (
        f"## {result.package}\n\n"
        f"{result.tried} mutants{sample}; {left} survive `{tests}`: {killed(result.tried, left)} "
        f"are killed. {same} of the survivors are judged.\n\n"
        "| file | mutants | tried | survive | killed |\n|---|---|---|---|---|\n"
    )
    table = "\n\n| survivor | judged |\n|---|---|\n" + "\n".join(rows) if rows else ""
    return head + "\n".join(files) + table


def recorded(package: str) -> Result:
    """What the document says; nothing where the package was never tried. A survivor's name is as
    it stands there."""
    text = TABLE.read_text() if TABLE.exists() else ""
    found = re.search(rf"^## {re.escape(package)}\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    rows = found[1] if found else ""
    files = re.findall(r"^\| `(.*?\.py)` \| (\d+) \| (\d+) \|", rows, re.M)
    survivors = re.findall(r"^\| `(.*?\.py .*?)` \|", rows, re.M)
    return Result(package, {f: (int(n), int(tried)) for f, n, tried in files}, tuple(survivors))


def joined(before: Result, now: Result) -> Result:
    """``now``, and what was known of the package's other files."""
    files = {**before.files, **now.files}
    kept = [name for name in before.survivors if name.partition(" ")[0] not in now.files]
    return Result(now.package, files, tuple(sorted([*kept, *now.survivors])))


def _cell(text: str) -> str:
    """The same once more for what comes from a cell."""
    return re.sub(r"(?<!\\)\|", r"\\|", text).replace("`", "'")


HEAD = """# Mutants

Written by `make mutants` (`benchmarks/mutants.py`): each package with one place changed, tried with
nothing but its own unit tests. What survives either behaves the same, or a test is missing."""


def written(results: Sequence[Result], judged: dict[str, str]) -> str:
    """The document with new sections for these packages."""
    old = TABLE.read_text().split("\n## ")[1:] if TABLE.exists() else []
    sections = {part.split("\n", 1)[0]: f"## {part.rstrip()}" for part in old}
    sections.update({result.package: section(result, judged) for result in results})
    return "\n\n".join([HEAD, *(sections[name] for name in sorted(sections))]) + "\n"


def _search_without_shrinking() -> None:
    """A test that fails has said enough: nobody reads the smallest example."""
    from hypothesis import Phase, settings

    phases = (Phase.explicit, Phase.generate)
    settings.register_profile("mutants", derandomize=True, deadline=None, phases=phases)
    os.environ["HYPOTHESIS_PROFILE"] = "mutants"


def main() -> int:
    parser = argparse.ArgumentParser(description="mutation testing of packages by their unit tests")
    parser.add_argument("packages", nargs="*", metavar="PACKAGE", help=" ".join(PACKAGES))
    parser.add_argument("--most", type=int, metavar="N", help="mutants of a package, at random")
    parser.add_argument(
        "--again", action="store_true", help="only what survived when the document was written"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N")
    parser.add_argument(
        "--file", type=Path, nargs="+", metavar="FILE", help="some files of a package"
    )
    parser.add_argument("--no-write", action="store_true", help="do not write docs/mutants.md")
    options = parser.parse_args()
    if unknown := set(options.packages) - set(PACKAGES):
        parser.error(f"no such package: {' '.join(sorted(unknown))}")
    for name in THIRD_PARTY:
        importlib.import_module(name)
    _search_without_shrinking()
    results = []
    for package, tests in PACKAGES.items():
        files = sorted((ROOT / package).rglob("*.py"))
        if options.file is not None:
            files = [file for file in files if file in [each.resolve() for each in options.file]]
        if files and package in (options.packages or PACKAGES):
            print(f"{package}:", flush=True)
            before = recorded(package)
            known = set(before.survivors) if options.again else None
            result = tried(package, files, tests, options.most, options.jobs, known)
            share = killed(result.tried, len(result.survivors))
            print(f"{package}: {result.tried} mutants, {share} killed")
            results.append(joined(before, result) if options.file else result)
    judged: dict[str, str] = json.loads(JUDGED.read_text()) if JUDGED.exists() else {}
    if not options.no_write:
        TABLE.write_text(written(results, judged))
    return 0


if __name__ == "__main__":
    sys.exit(main())
