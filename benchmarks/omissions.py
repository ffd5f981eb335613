"""Does a test notice when a call that records an omission is deleted, or a stage is switched off?

    python -m benchmarks.omissions                    all of them; exit code 1 if one is not missed
    python -m benchmarks.omissions --sample 3         three of them, spread over the list
    python -m benchmarks.omissions --only waiting.c   those whose names contain a text

    survives  symexec/exploration/paths.py:_park:any        no test failed without it

The calls are those of tests/omission_sites.py, the stages those of tests/omission_stages.py: what
the compiler and the linker are asked, and what an attack tries. Each is removed in a copy of the
tree, in a fork of a process that has imported all of it: the code of the function is replaced
there, and what is C is compiled anew. Then its tests run, one of which has to fail: the row of
tests/test_omissions.py, or those that the table of stages names.
"""

from __future__ import annotations

import argparse
import ast
import compileall
import gc
import os
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType
from typing import Protocol

import pytest

# What measures does not stand on the tests: it runs them, and learns by name which there are.
CASES, SITES, STAGES = (
    import_module(f"tests.omission_{name}") for name in ("cases", "sites", "stages")
)
ROOT: Path = SITES.ROOT
COPIED = (
    "benchmarks",
    "csg",
    "docs",
    "fleet",
    "generators",
    "oracles",
    "samples",
    "symexec",
    "tests",
    "cli.py",
    "pyproject.toml",
)
REPORT = "tests/test_omissions.py::test_the_report_has_what_is_left_out"
PATIENCE = 300.0  # seconds for the tests of one call


class Site(Protocol):
    """A recording call, as tests/omission_sites.py finds it, or a stage."""

    @property
    def name(self) -> str: ...
    @property
    def file(self) -> Path: ...
    @property
    def line(self) -> int: ...

    def removed(self) -> str:
        """The text of the file without the call."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sample", type=int, metavar="N", help="this many calls")
    parser.add_argument("--only", default="", metavar="TEXT", help="calls with this in their names")
    parser.add_argument("--part", default="1/1", metavar="K/N", help="the K-th part of N")
    parser.add_argument("--within", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if not asked.within:
        return in_copy(sys.argv[1:])
    every = [*SITES.sites(), *STAGES.stages()]
    chosen = [each for each in every if asked.only in each.name]
    part, parts = map(int, asked.part.split("/"))
    chosen = chosen[part - 1 :: parts]
    if asked.sample:
        chosen = chosen[:: max(1, len(chosen) // asked.sample)][: asked.sample]
    return without_each(chosen)


def in_copy(words: Sequence[str]) -> int:
    """Run this module again in a copy of the tree."""
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name) / "tree"
        copy.mkdir()
        for part in COPIED:
            if (ROOT / part).is_dir():
                ignored = shutil.ignore_patterns("__pycache__", "csgtest-out", ".*")
                shutil.copytree(ROOT / part, copy / part, ignore=ignored, symlinks=True)
            else:
                shutil.copy(ROOT / part, copy / part)
        # What is compiled here is compiled for all forks; what they compile is not kept.
        compileall.compile_dir(copy, quiet=1)
        places = {
            "PYTHONPATH": str(copy),
            "XDG_CACHE_HOME": str(Path(name) / "cache"),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        command = [sys.executable, "-m", "benchmarks.omissions", "--within", *words]
        return subprocess.run(
            command, cwd=copy, env={**os.environ, **places}, check=False
        ).returncode


def without_each(chosen: Sequence[Site]) -> int:
    """Remove each call in turn; the exit code is 1 if one is not missed."""
    began = time.monotonic()
    names = sorted({name for each in chosen for name in tests_of(each)})
    tested = {ROOT / name.partition("::")[0] for name in names}
    for file in sorted({*tested, *(ROOT / "csg").rglob("*.py"), *(ROOT / "symexec").rglob("*.py")}):
        if file.stem != "__main__":
            import_module(module_name(file))  # each fork has it at hand

    if run_tests(names, words=("--collect-only",)) != pytest.ExitCode.OK:
        print("a table names a test that does not exist", flush=True)
        return 2
    red = failed(names)
    red -= {name for name in red if run_tests([name]) == pytest.ExitCode.OK}  # once more
    told = tuple(red)
    failing = [
        site
        for site in chosen
        if not tests_of(site)
        or any(
            name in red or any(each.startswith(f"{name}::") for each in told)
            for name in tests_of(site)
        )
    ]
    for site in failing:
        print(f"fails anyway  {site.name}", flush=True)
    survivors = []
    for number, site in enumerate(chosen):
        if number % 50 == 0:
            print(f"{number} of {len(chosen)}  {time.monotonic() - began:.0f} s", flush=True)
        if site not in failing and not is_missed(site):
            survivors.append(site)
            print(f"survives  {site.name}", flush=True)
    seconds = time.monotonic() - began
    missed = len(chosen) - len(survivors) - len(failing)
    print(f"{missed} of {len(chosen)} calls and stages are missed ({seconds:.0f} s)")
    return int(bool(survivors or failing))


def tests_of(site: Site) -> list[str]:
    """The tests that have to fail without the call."""
    names = zip(CASES.ROWS, CASES.name_rows(CASES.ROWS), strict=True)
    found = [f"{REPORT}[{name}]" for row, name in names if row.site == site.name]
    found += getattr(site, "tests", ())
    if site.name in CASES.TESTED_ELSEWHERE:
        found.append(CASES.TESTED_ELSEWHERE[site.name])
    return found


def is_missed(site: Site) -> bool:
    """Does a test fail, or not end, without the call?"""
    text, times = site.file.read_text(), site.file.stat()
    try:
        code = run_tests(tests_of(site), site)
        return code in (pytest.ExitCode.TESTS_FAILED, None)
    finally:
        site.file.write_text(text)
        os.utime(site.file, ns=(times.st_atime_ns, times.st_mtime_ns))


def failed(names: Sequence[str]) -> set[str]:
    """The tests that fail though nothing is removed."""
    with tempfile.TemporaryDirectory() as folder:
        notes = Path(folder) / "failed"
        notes.touch()
        code = run_tests(names, patience=PATIENCE * 10, notes=notes)
        told = set(notes.read_text().splitlines())
    return told if told or code == pytest.ExitCode.OK else {*names}


@dataclass(frozen=True, slots=True)
class Notes:
    """A plugin of pytest that writes down which tests fail."""

    file: Path

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            with self.file.open("a") as file:
                file.write(f"{report.nodeid}\n")


def run_tests(
    names: Sequence[str],
    without: Site | None = None,
    patience: float = PATIENCE,
    notes: Path | None = None,
    words: Sequence[str] = (),
) -> int | None:
    """Run tests in a fork, ``without`` a call; the exit code of pytest. None: they do not end.
    ``words`` are further ones for its command line."""
    if not names:
        return pytest.ExitCode.NO_TESTS_COLLECTED
    child = os.fork()
    if not child:
        code = 99
        try:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 1)
            if without is not None:
                remove(without)
            command = [*names, "-q", "-p", "no:cacheprovider", *words]
            command += ["-x"] if notes is None else []
            code = pytest.main(command, [] if notes is None else [Notes(notes)])
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    until = time.monotonic() + patience
    while time.monotonic() < until:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return None


# ------------------------------------------------------------------ removing a call


def remove(site: Site) -> None:
    """Remove the call from the file, and from the function that this process has made of it."""
    text, line = site.removed(), site.line
    site.file.write_text(text)
    if site.file.suffix != ".py":
        return
    import_module(module_name(site.file))
    after = {code.co_qualname: code for code in codes(text, site.file)}
    tree = ast.parse(text)
    changed = enclosing(tree, line)
    if not changed:
        make_again(tree, site.file, line)
        return
    gc.unfreeze()
    known = [each for each in gc.get_objects() if isinstance(each, FunctionType)]
    parts = changed.split(".<locals>.")
    around = {".<locals>.".join(parts[:count]) for count in range(1, len(parts) + 1)}
    functions = [
        each
        for each in known
        if each.__code__.co_qualname in around and Path(each.__code__.co_filename) == site.file
    ]
    assert functions, f"nothing is made of {changed}"
    for function in functions:
        function.__code__ = after[function.__code__.co_qualname]


def make_again(tree: ast.Module, file: Path, line: int) -> None:
    """Evaluate again the assignment at this line of the module, and those that use its names."""
    module = import_module(module_name(file))
    names: set[str] = set()
    for node in tree.body:
        if not isinstance(node, ast.Assign | ast.AnnAssign):
            continue
        words = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
        if node.lineno <= line <= (node.end_lineno or 0) or names & words:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {ast.unparse(each) for each in targets}
            exec(compile(ast.Module([node], []), str(file), "exec"), module.__dict__)
    assert names, f"nothing is assigned at {file}:{line}"


def module_name(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


def codes(text: str, file: Path) -> Iterator[CodeType]:
    """The code of every function of a file."""
    waiting = [compile(text, str(file), "exec")]
    while waiting:
        code = waiting.pop()
        yield code
        waiting += [each for each in code.co_consts if isinstance(each, CodeType)]


def enclosing(tree: ast.Module, line: int) -> str:
    """The qualified name of the innermost function around a line."""
    name, scope, inner = "", "", list(tree.body)
    while inner:
        node = inner.pop()
        if not isinstance(node, ast.FunctionDef | ast.ClassDef):
            inner += [each for each in ast.iter_child_nodes(node) if isinstance(each, ast.stmt)]
            continue
        assert node.end_lineno is not None
        if node.lineno <= line <= node.end_lineno:
            name = scope + node.name
            scope = f"{name}." if isinstance(node, ast.ClassDef) else f"{name}.<locals>."
            inner = list(node.body)
    return name


if __name__ == "__main__":
    sys.exit(main())
