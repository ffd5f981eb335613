"""Do the unit tests of a package notice when it is wrong? -> docs/mutants.md

    python -m benchmarks.mutants                            all packages below; takes an hour
    python -m benchmarks.mutants symexec/shadow             one of them
    python -m benchmarks.mutants symexec/search --most 100  a sample, the same each time
    python -m benchmarks.mutants --file symexec/shadow/joins.py --no-write

A mutant is the package with one place changed: a comparison or an operator turned into another, a
constant into its neighbour, a condition negated, a call or a result left out. It is killed when one
of the package's own tests fails with it, or does not end. Each mutant is a fork that imports anew
what depends on the changed file, and that file through a hook; none is touched. Survivors are
listed with what was judged of them in benchmarks/mutants.json: why it behaves the same, or nothing
yet.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import random
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "docs" / "mutants.md"
JUDGED = ROOT / "benchmarks" / "mutants.json"
PACKAGES = {  # what is mutated, and the tests that have to notice
    "csg/graphs": "tests/csg/graphs",
    "symexec/search": "tests/symexec/search",
    "symexec/shadow": "tests/symexec/shadow",
}
LEAST_SECONDS, TIMES = 20.0, 10  # a mutant that takes so many times as long as no mutant is killed
OURS = ("csg", "symexec")
THIRD_PARTY = ("pytest", "hypothesis", "networkx", "pycparser", "bitwuzla")

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


@dataclass(frozen=True, slots=True)
class Mutant:
    """``name`` says file, function and change, and stays the same when lines move; ``place`` is
    the file and line."""

    file: Path
    name: str
    place: str
    tree: ast.Module


# ------------------------------------------------------------------ making mutants


def mutants(file: Path) -> Iterator[Mutant]:
    """All of one file, in source order."""
    tree = ast.parse(file.read_text())
    shown = file.relative_to(ROOT).as_posix()
    seen: dict[str, int] = {}
    for path, function in places(tree):
        for changed in changes(at(tree, path)):
            mutated = copy.deepcopy(tree)
            line, before = getattr(at(tree, path), "lineno", 0), ast.unparse(at(tree, path))
            put(mutated, path, changed)
            after = "" if isinstance(changed, ast.Pass) else ast.unparse(changed)
            name = f"{shown} {function}: {_short(before)} -> {_short(after) or '(left out)'}"
            seen[name] = seen.get(name, 0) + 1
            number = f" #{seen[name]}" if seen[name] > 1 else ""
            yield Mutant(file, name + number, f"{shown}:{line}", ast.fix_missing_locations(mutated))


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 90 else line[:90] + ".."


Step = tuple[str, int | None]  # a field, and which of its items
Way = tuple[Step, ...]


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
    """A docstring, a declaration, an import, a check for the type checker."""
    match node:
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
        self._code = compile(mutant.tree, self._path, "exec")

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


def unload(name: str) -> None:
    """The module and all that have imported it, directly or not, are to be loaded anew."""
    loaded = {each for each in sys.modules if each.partition(".")[0] in OURS}
    uses: dict[str, set[str]] = {}
    for each in loaded:
        source = getattr(sys.modules[each], "__file__", None)
        named = imported(Path(source).read_text()) if source else set()
        named |= {outer for use in (named & loaded) | {each} for outer in _around(use)}
        uses[each] = named & loaded
    gone, waiting = set(), {name}
    while waiting:
        gone |= waiting
        waiting = {each for each in loaded - gone if uses[each] & waiting}
    for each in gone & loaded:
        del sys.modules[each]
        outer, _, last = each.rpartition(".")
        if outer in sys.modules and hasattr(sys.modules[outer], last):
            delattr(sys.modules[outer], last)


def _around(name: str) -> list[str]:
    """The packages that a module lies in."""
    parts = name.split(".")
    return [".".join(parts[:n]) for n in range(1, len(parts))]


@dataclass(slots=True)
class Running:
    mutant: Mutant | None
    process: int
    until: float


def begun(mutant: Mutant | None, tests: str, seconds: float) -> Running:
    process = os.fork()
    if process == 0:
        _test(mutant, tests)
    return Running(mutant, process, time.monotonic() + seconds)


def ended(running: Running) -> bool | None:
    """Did the tests pass, in time? None: not yet known."""
    found, status = os.waitpid(running.process, os.WNOHANG)
    if found:
        return status == 0
    if time.monotonic() < running.until:
        return None
    with suppress(ProcessLookupError):
        os.killpg(running.process, signal.SIGKILL)
    os.waitpid(running.process, 0)
    return False


def surviving(
    chosen: Sequence[Mutant | None], tests: str, seconds: float, jobs: int
) -> Iterator[Mutant | None]:
    """Those with which the tests pass, ``jobs`` at a time. None: nothing is changed."""
    waiting, running = list(reversed(chosen)), list[Running]()
    while waiting or running:
        while waiting and len(running) < jobs:
            running.append(begun(waiting.pop(), tests, seconds))
        time.sleep(0.01)
        known = [(each, ended(each)) for each in running]
        running = [each for each, passed in known if passed is None]
        yield from (each.mutant for each, passed in known if passed)


def _test(mutant: Mutant | None, tests: str) -> NoReturn:
    code = 1
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for standard in range(3):
            os.dup2(nothing, standard)
        os.chdir(ROOT)
        first = []
        if mutant is not None:
            finder = _Finder(mutant)
            sys.meta_path.insert(0, finder)
            unload(finder.name)
            first = sorted((ROOT / tests).rglob(f"test_{mutant.file.stem}.py"))
        import pytest

        words = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *map(str, first), tests]
        code = int(pytest.main(words))
    finally:
        os._exit(min(code, 1))


# ------------------------------------------------------------------ the table


@dataclass(frozen=True, slots=True)
class Result:
    package: str
    made: int
    tried: int
    survivors: tuple[Mutant, ...]

    @property
    def killed(self) -> float:
        return 100 * (1 - len(self.survivors) / self.tried) if self.tried else 100.0


def tried(package: str, files: Iterable[Path], tests: str, most: int | None, jobs: int) -> Result:
    load(tests)
    began = time.monotonic()
    if not list(surviving([None] * jobs, tests, 600.0, jobs)):
        sys.exit(f"{tests}: fails without any mutant")
    seconds = max(LEAST_SECONDS, TIMES * (time.monotonic() - began))
    made = [mutant for file in files for mutant in mutants(file)]
    chosen = made
    if most is not None and most < len(made):
        chosen = random.Random(0).sample(made, most)
    survivors = []
    for mutant in surviving(chosen, tests, seconds, jobs):
        assert mutant is not None
        survivors.append(mutant)
        print(f"  survives: {mutant.place} {mutant.name}", flush=True)
    survivors.sort(key=lambda mutant: mutant.name)
    return Result(package, len(made), len(chosen), tuple(survivors))


def section(result: Result, judged: dict[str, str]) -> str:
    """Of the document; kept for packages that are not tried again."""
    rows = [
        f"| `{_cell(mutant.name)}` | {judged.get(mutant.name, 'not judged yet')} |"
        for mutant in result.survivors
    ]
    same = sum(mutant.name in judged for mutant in result.survivors)
    sample = "" if result.tried == result.made else f", a sample of {result.made}"
    tests, left = PACKAGES[result.package], len(result.survivors)
    head = (
        f"## {result.package}\n\n"
        f"{result.tried} mutants{sample}; {left} survive `{tests}`: {result.killed:.1f} % are "
        f"killed. {same} of the survivors are judged to behave the same."
    )
    table = "\n\n| survivor | judged |\n|---|---|\n" + "\n".join(rows) if rows else ""
    return head + table


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("`", "'")


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
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N")
    parser.add_argument("--file", type=Path, metavar="FILE", help="one file of a package")
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
            files = [file for file in files if file == options.file.resolve()]
        if files and package in (options.packages or PACKAGES):
            print(f"{package}:", flush=True)
            results.append(tried(package, files, tests, options.most, options.jobs))
            print(f"{package}: {results[-1].tried} mutants, {results[-1].killed:.1f} % killed")
    judged: dict[str, str] = json.loads(JUDGED.read_text()) if JUDGED.exists() else {}
    if not options.no_write:
        TABLE.write_text(written(results, judged))
    return 0


if __name__ == "__main__":
    sys.exit(main())
