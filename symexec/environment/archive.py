"""The models in C, lowered once and kept: each function in a small program of its own.

    strdup  ->  Program(functions {strdup}, undefined {strlen, malloc, memcpy}, its nodes)
    stdin   ->  Program(globals {stdin, libc:standard_input})

Parsing all of them takes seconds, loading those that a program needs takes milliseconds; so they
are kept in the user's cache folder, under a name that changes with every source that makes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import csg
from csg.cache import Cache, key_of, source_digest
from csg.frontend.files import parsed, preprocess_files
from csg.frontend.sources import SourceLines
from csg.ir import (
    Call,
    Constant,
    FunctionAddress,
    FunctionCode,
    GlobalAddress,
    GlobalObject,
    Program,
    Register,
)
from csg.lower import lower
from csg.pickling import dumps, loads
from csg.programs import SourceFile
from csg.source import Location

SOURCES = Path(__file__).with_name("libc")
MAKERS = ("frontend", "ir", "language", "lower")
SHARED = (Register, Constant, Location)
LARGEST = 16 << 20  # bytes of archives that are kept

Archive = dict[str, bytes]  # the name of a function or object to its pickled program


def load_archive() -> Archive:
    """From the cache, or made and put there."""
    cache = Cache("models", LARGEST)
    package = Path(csg.__file__).parent
    texts = [source.read_bytes() for source in (Path(__file__), *_sources())]
    key = key_of(csg.VERSION, *texts, source_digest(package / part for part in MAKERS))
    data = cache.find(key)
    if data is None:
        data = dumps(make_archive())
        cache.keep({key: data})
    found: Archive = loads(data)
    return found


def _sources() -> list[Path]:
    return sorted(SOURCES.glob("*.c"))


# ---------------------------------------------------------------------- making


def make_archive() -> Archive:
    """Parse and lower all models."""
    texts = preprocess_files([SourceFile(source, ("-std=gnu17",)) for source in _sources()])
    lines = SourceLines()
    units = [parsed(text, lines) for text in texts]  # nobody needs to keep the trees as well
    whole = lower(units, library=True)
    parts = {name: _function_part(whole, code) for name, code in whole.functions.items()}
    for name, item in whole.globals.items():
        if not item.external:
            objects = _objects(whole, [name])
            parts[name] = Program(globals=objects, undefined=_functions_named(objects))
    return {name: dumps(part, SHARED) for name, part in sorted(parts.items())}


def _function_part(whole: Program, code: FunctionCode) -> Program:
    """One function with the objects it names and its nodes, numbered from 0."""
    names = _references(code)
    part = Program(globals=_objects(whole, names))
    part.undefined = {name for name in names if name not in whole.globals} - {code.name}
    part.undefined |= _functions_named(part.globals) - {code.name}
    numbers: dict[int, int] = {}
    blocks = []
    for block in code.blocks:
        terminator = block.terminator
        assert terminator is not None
        for step in (*block.instructions, terminator):
            numbers.setdefault(step.node, len(numbers))
        blocks.append(
            replace(
                block,
                instructions=[
                    replace(step, node=numbers[step.node]) for step in block.instructions
                ],
                terminator=replace(terminator, node=numbers[terminator.node]),
            )
        )
    part.functions[code.name] = replace(code, blocks=blocks, type=None)
    part.nodes = [replace(whole.nodes[old], id=new) for old, new in numbers.items()]
    return part


def _references(code: FunctionCode) -> list[str]:
    found: dict[str, None] = {}
    for block in code.blocks:
        for step in block.instructions:
            match step:
                case Call(callee=str() as name) | GlobalAddress(name=name):
                    found[name] = None
                case FunctionAddress(name=name):
                    found[name] = None
                case _:
                    pass
    return list(found)


def _objects(whole: Program, names: Iterable[str]) -> dict[str, GlobalObject]:
    """The objects of these names, and those that their contents point to."""
    found: dict[str, GlobalObject] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in whole.globals and name not in found:
            found[name] = replace(whole.globals[name], type=None)
            waiting += [each.symbol for each in whole.globals[name].relocations]
    return found


def _functions_named(objects: Mapping[str, GlobalObject]) -> set[str]:
    """Functions that the contents of objects point to."""
    named = {each.symbol for item in objects.values() for each in item.relocations}
    return named - objects.keys()
