"""What models say of their effects is what the analyses read, and all that the models do.

``CSGTEST_REWRITE=1`` writes csg/ir/library_effects.txt by what the models say.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from csg import pipeline
from csg.analysis.call_graph import call_graph
from csg.analysis.constraints import points_to
from csg.analysis.memory_flow import Accesses
from csg.analysis.objects import bits
from csg.cache import loads
from csg.ir import Program
from csg.ir.library_effects import (
    ERRNO,
    TABLE,
    Effect,
    argument_indices,
    effect_of,
    is_output,
    parsed,
)
from csg.programs import Versions
from oracles.models.batch import cases, reason, text
from oracles.models.checking import CHUNKS
from oracles.models.prototypes import library
from oracles.models.symbolic import Symbolic
from symexec.expr import Data
from symexec.runtime.contract import Context, ModelEntry, SharedModel
from symexec.runtime.library import complete, declared_effects, load_archive, registry
from tests.nightly import daily

SEED, ROUNDS = 3, 3
PARTS = 3  # of all models: one of them each time


def test_the_table_is_what_the_models_say() -> None:
    written = "".join(f"{name}: {said}\n" for name, said in declared_effects().items())
    if os.environ.get("CSGTEST_REWRITE"):
        TABLE.write_text(written)
    assert TABLE.read_text() == written


def test_each_model_says_its_effects() -> None:
    """Whatever has no code says all of them, and so does whatever code calls at last."""
    said = declared_effects()
    assert {name for name in registry() if parsed(said[name]) is None} == set()
    called = {
        name
        for key, data in load_archive().items()
        if ":" not in key
        for name in loads(data).undefined
    }
    linked = {"main", "__csgtest_before_main", "__csgtest_after_main"}  # whatever the program has
    assert called - said.keys() - load_archive().keys() == linked


@pytest.mark.parametrize(
    "wrong",
    ["", "reads", "fresh 1", "read 0", "reads 0, reads 1", "nothing 0", "keeps 1", "calls x"],
)
def test_what_is_no_effect_is_an_error(wrong: str) -> None:
    with pytest.raises(ValueError):
        parsed(wrong)


def test_words_of_effects() -> None:
    assert parsed("reads 0 2.., writes 1+ errno, returns 1 *tm, keeps 1:0, fresh") == Effect(
        reads=(0,),
        reads_rest=2,
        writes=(1,),
        writes_through=(1,),
        writes_globals=("__csgtest_errno",),
        returns=(1,),
        returns_global="*tm",
        keeps=((1, 0),),
        fresh=True,
    )
    assert parsed("code, output") is None
    assert is_output("verr") and effect_of("verr") is None
    assert is_output("puts") and not is_output("strlen") and not is_output("nobody's")


def meetings(tmp_path: Path, body: str) -> list[frozenset[int]]:
    """The sets of changes that meet at the statements of a program's only function."""
    source = tmp_path / "annotated.c"
    source.write_text(
        "#include <stdarg.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
        "int open64(const char *, int, ...), dup2(int, int), mkdirat(int, const char *, int);\n"
        "long readlink(const char *, char *, unsigned long);\n" + body
    )
    versions = Versions(source, source, annotated=True)
    program = pipeline.program_of(pipeline.unify_files(versions))
    complete(program)
    graph = pipeline.graph_of(program)
    return [frozenset(each.changes) for each in graph.records if len(each.changes) > 1]


def test_calls_of_models_bring_no_changes_together(tmp_path: Path) -> None:
    """Two changes each in an object of its own, which functions of the library get."""
    body = """int main(void) {
        char *p = malloc(8), *q = malloc(8);
        p[0] = change('a', 'b');
        q[0] = change('c', 'd');
        open64(p, 0);
        mkdirat(3, %s, 0);
        dup2(3, 4);
        return 0;
    }"""
    assert meetings(tmp_path, body % "q") == []
    assert meetings(tmp_path, body % "p[0] == q[0] ? p : q") != []


def test_texts_in_a_list_are_read(tmp_path: Path) -> None:
    body = """static void say(const char *format, ...) {
        va_list list;
        va_start(list, format);
        vprintf(format, list);
        va_end(list);
    }
    int main(void) {
        char *p = malloc(2), *q = malloc(2);
        p[0] = change('a', 'b'), p[1] = 0;
        q[0] = change('c', 'd'), q[1] = 0;
        say("%s %s", p, q);
        return 0;
    }"""
    assert frozenset({1, 2}) in meetings(tmp_path, body)


class Watching:
    """A model's context that notes which objects the model reads and writes, and that are neither
    its own nor among those that its effects name."""

    def __init__(self, context: Context, entry: ModelEntry, arguments: tuple[Data, ...]) -> None:
        effect = effect_of(entry.name)
        assert effect is not None
        self.context, self.name = context, entry.name
        self.wrong: set[str] = set()
        self.own: set[int] = set()
        count = len(arguments)
        self.written = self._objects(
            arguments, argument_indices(effect.writes, effect.writes_rest, count)
        )
        self.read = self.written | self._objects(
            arguments, argument_indices(effect.reads, effect.reads_rest, count)
        )
        self.writes_any = bool(effect.writes_through)
        self.reads_any = bool(effect.reads_through) or self.writes_any
        self.globals = effect.writes_globals

    def _objects(self, arguments: tuple[Data, ...], indices: list[int]) -> set[int]:
        named = [arguments[index] for index in indices]
        return {argument >> 32 for argument in named if isinstance(argument, int)}

    def _note(self, address: int, write: bool) -> None:
        allowed = self.written if write else self.read
        anything = self.writes_any if write else self.reads_any
        if not anything and address >> 32 not in allowed | self.own:
            self.wrong.add(f"{self.name} {'writes' if write else 'reads'} what it does not name")

    def load(self, address: int, size: int) -> Any:
        self._note(address, write=False)
        return self.context.load(address, size)

    def load_ahead(self, address: int) -> Any:
        self._note(address, write=False)
        return self.context.load_ahead(address)

    def check_read(self, address: int, size: int) -> None:
        self._note(address, write=False)
        self.context.check_read(address, size)

    def store(self, address: int, size: int, value: Data) -> None:
        self._note(address, write=True)
        self.context.store(address, size, value)

    def fill(self, address: int, size: Any, byte: Any) -> None:
        self._note(address, write=True)
        self.context.fill(address, size, byte)

    def copy(self, destination: int, source: int, size: Any) -> None:
        self._note(destination, write=True)
        self._note(source, write=False)
        self.context.copy(destination, source, size)

    def move(self, destination: int, source: int) -> None:
        self._note(destination, write=True)
        self._note(source, write=False)
        self.context.move(destination, source)

    def emit(self, stream: int, item: Any, holder: Any = None) -> None:
        if not is_output(self.name) and not self.name.startswith("__csgtest_"):
            self.wrong.add(f"{self.name} prints and is no output")
        self.context.emit(stream, item, holder)

    def allocate(self, *given: Any) -> int:
        return self._owned(self.context.allocate(*given))

    def allocate_some(self, *given: Any) -> int:
        return self._owned(self.context.allocate_some(*given))

    def global_address(self, name: str) -> int:
        assert name in self.globals, f"{self.name} needs {name}"
        return self._owned(self.context.global_address(name))

    def variable(self, name: str) -> int | None:
        address = self.context.variable(name)
        if address is None:
            return None
        pointer = self.context.load(self._owned(address), 8)
        assert isinstance(pointer, int)
        self._owned(pointer)
        return address

    def _owned(self, address: int) -> int:
        self.own.add(address >> 32)
        return address

    def __getattr__(self, name: str) -> Any:
        return getattr(self.context, name)


def watched(met: dict[str, set[str]]) -> Mapping[str, ModelEntry]:
    """All models, with notes of the names called and of what was wrong with each."""

    def watching(entry: ModelEntry) -> ModelEntry:
        def function(context: Context, arguments: tuple[Data, ...]) -> SharedModel:
            watch = Watching(context, entry, arguments)
            met[entry.name] = met.get(entry.name, set()) | watch.wrong
            result = yield from entry.function(watch, arguments)
            met[entry.name] |= watch.wrong
            return result

        return replace(entry, function=function)

    return {name: watching(entry) for name, entry in registry().items()}


def run_all(names: list[str], folder: Path, met: dict[str, set[str]]) -> None:
    found = cases(names, library(folder), SEED)
    source = folder / "cases.c"
    source.write_text(text(found, native=False))
    symbolic = Symbolic(source, found[0], watched(met))
    for case in found:
        chance = random.Random(f"{SEED} {case.name}")
        for _ in range(ROUNDS):
            cells = {made.name: made.values(chance) for made in case.inputs}
            symbolic.run(case, cells, (), 2, CHUNKS)


def undeclared(name: str, said: Effect, numbers: set[int]) -> set[str]:
    """What the code of a model in C may do to the objects of its arguments and to ``errno``, beyond
    what it says. ``numbers`` are parameters that are no pointers."""
    program = Program(entry=name, undefined={name})
    complete(program)
    code = program.functions[name]
    program.functions[name] = replace(code, library=False)  # so that it is looked into
    pointers = points_to(program)
    accesses = Accesses(pointers, call_graph(program, pointers))
    count = len(code.parameters) + 4  # a variadic one is given as many more
    written = _parameters(argument_indices(said.writes, said.writes_rest, count))
    written |= {f"*{each}" for each in _parameters(said.writes_through)}
    read = written | _parameters(argument_indices(said.reads, said.reads_rest, count))
    read |= {f"*{each}" for each in _parameters(said.reads_through)}
    written |= set(said.writes_globals)
    found: set[str] = set()
    for touched, allowed, what in zip(
        _touched(program, accesses), (read, written), ("reads", "writes"), strict=True
    ):
        asked = {each for each in touched if "parameter " in each}
        asked |= {each for each in touched if each == ERRNO and what == "writes"}
        asked -= {f"{star}{each}" for each in _parameters(numbers) for star in ("", "*")}
        found |= {f"{what} {each}" for each in asked - allowed}
    return found


def _parameters(indices: Iterable[int]) -> set[str]:
    return {f"parameter {index + 1}" for index in indices}


def _touched(program: Program, accesses: Accesses) -> tuple[set[str], set[str]]:
    """The names of objects that any instruction may read, and write."""
    objects = accesses.pointers.objects.objects
    read, written = set[str](), set[str]()
    for name, function in program.functions.items():
        for block in function.blocks:
            for index, instruction in enumerate(block.instructions):
                both = accesses.reads_and_writes((name, block.index, index), instruction)
                for cells, names in zip(both, (read, written), strict=True):
                    names.update(objects[accesses.cells[each].object].name for each in bits(cells))
    return read, written


@pytest.mark.parametrize("part", daily(range(PARTS), 1))
def test_code_in_c_does_what_its_effects_say_and_no_more(part: int, tmp_path: Path) -> None:
    """By the analyses themselves, over all calls: whatever they can do is said."""
    host = library(tmp_path)
    wrong: dict[str, set[str]] = {}
    said_in_c = {
        name: effect
        for name, said in declared_effects().items()
        if name not in registry() and (effect := parsed(said)) is not None
    }
    for name in [*said_in_c][part::PARTS]:
        effect = said_in_c[name]
        types = host.prototypes[name].parameters if name in host.prototypes else ()
        numbers = {index for index, kind in enumerate(types) if "*" not in kind}
        if found := undeclared(name, effect, numbers):
            wrong[name] = found
    assert wrong == {}


def test_less_than_the_code_does_is_noticed() -> None:
    assert undeclared("dirname", Effect(reads=(0,)), set()) == {"writes parameter 1"}
    assert undeclared("time", Effect(), set()) == {"writes parameter 1"}
    assert undeclared("atoi", Effect(reads=(0,)), set()) == {f"writes {ERRNO}"}


@pytest.mark.parametrize("part", daily(range(PARTS), 1))
def test_models_do_what_they_say_and_no_more(part: int, tmp_path: Path) -> None:
    host = library(tmp_path)
    names = [name for name in registry() if not reason(name, host)][part::PARTS]
    met: dict[str, set[str]] = {}
    for at in range(0, len(names), 100):
        run_all(names[at : at + 100], tmp_path, met)
    assert {name: wrong for name, wrong in met.items() if wrong} == {}
    macros = {"setjmp", "sigsetjmp", "_longjmp", "__builtin_trap"}  # something else is called
    assert set(names) - met.keys() == macros & set(names)


def test_more_than_is_said_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "effect_of", lambda name: parsed("nothing"))
    met: dict[str, set[str]] = {}
    run_all(["memcpy", "strlen"], tmp_path, met)
    assert met["memcpy"] == {
        "memcpy writes what it does not name",
        "memcpy reads what it does not name",
    }
    assert met["strlen"] == {"strlen reads what it does not name"}
