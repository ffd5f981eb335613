"""What is compiled for the native runs: both versions, and the program with a switch per change.

main.c (shared), list.c (differs)      old:   main.c, list.c of the old version
                                       new:   main.c, list.c of the new one
                                       mask:  main.c, the sources list.c
--golden fixed.c                       golden: fixed.c with the other files of NEW
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TypeVar

from csg.errors import UsageError
from csg.files import read_file
from csg.language.syntax import (
    Assembly,
    Binary,
    Builtin,
    Cast,
    Change,
    CompoundAssign,
    Execute,
    Increment,
    IntegerConstant,
    Name,
    StringLiteral,
    TranslationUnit,
    Unary,
    Unsupported,
)
from csg.language.traversal import Tree, walk
from csg.language.types import Integer, Pointer
from csg.programs import FilePair, SourceFile, files_of
from csg.unify import Unified
from csg.unify.pairs import ProgramPair, undefined_names
from symexec.exploration.pinning import Pins
from symexec.exploration.preparation import Prepared
from symexec.expr import TermTable
from symexec.fuzzing.candidates import Candidates, FunctionDomain
from symexec.fuzzing.option_table import vocabulary
from symexec.options import BuildOptions, InputOptions, versions_of
from symexec.replay import NativeReplay, ReplayPlan, Source, Text
from symexec.replay.build import is_compiled
from symexec.runtime.library import is_known
from symexec.testcases import EntrySignature, TestCase, TestInput
from symexec.triage.undefined import shown_behind_a_stop, shown_by_plain_builds

S = TypeVar("S", bound=Source)


def files_to_build(
    files: Sequence[FilePair], pair: ProgramPair, unified: Unified, text: str, entry: str
) -> ReplayPlan:
    """``text`` is the unified part of the program. The entry function's file is the first."""
    old, new = files_of(files)
    shared = {unit.file for unit in unified.shared}
    sources: list[Source] = [Text(text, new[0].flags if new else old[0].flags)]
    sources += [file for file in new if os.fspath(file.path) in shared]
    nodes, undefined = _outward_nodes(pair), undefined_names(pair)
    own = {  # files that do not differ are read once, as those of the new version
        os.fspath(each.new.path): os.fspath(each.old.path)
        for each in files
        if each.old is not None and each.new is not None
    }
    homes = _homes(pair.old, entry)
    return ReplayPlan(
        old=_starting(old, {*homes, *(own.get(each, each) for each in homes)}),
        new=_starting(new, _homes(pair.new, entry)),
        unified=_starting(sources, _homes(unified.units, entry), unified.units[0].file),
        may_vary=_varies(nodes, undefined),
        calls_replaced=_calls_replaced(nodes, undefined, (*old, *new)),
    )


# Functions that AddressSanitizer replaces with ones that behave otherwise within the C standard:
# they return another number of the same sign, or call the comparator more often. Or they end an
# allocation: what the library finds in freed memory depends on the allocator.
_REPLACED = re.compile(
    r"(?:__builtin_)?(?:\w*(?:str|mem|wcs)\w*cmp\w*|bcmp|\w*sort\w*|bsearch"
    r"|\w*alloc\w*|\w*free\w*|[fp]close\w*|closedir)"
)
_ASKS_FOR_SANITIZER = re.compile(rb"__SANITIZE|__has_feature")


def _calls_replaced(
    nodes: Iterable[Tree], undefined: frozenset[str], files: Iterable[SourceFile]
) -> bool:
    """Does a version name a function that AddressSanitizer replaces, or ask for the sanitizer?
    Assembly, and code that csgtest does not read, may do so."""
    if any(_may_call_replaced(node, undefined) for node in nodes):
        return True
    texts = (read_file(file.path) for file in files if not is_compiled(file))
    return any(_ASKS_FOR_SANITIZER.search(text) for text in texts)


def _may_call_replaced(node: Tree, undefined: frozenset[str]) -> bool:
    match node:
        case Name(symbol=symbol):
            return symbol.name in undefined and bool(_REPLACED.fullmatch(symbol.name))
        case Builtin(name=name):
            return bool(_REPLACED.fullmatch(name))
        case Assembly() | Unsupported():
            return True
        case _:
            return False


# Functions whose results or effects are not the same each time: random numbers, numbers of
# processes, clocks, names that are made up, addresses, what other processes and threads do.
_VARYING = re.compile(
    r"getrandom|getentropy|arc4random\w*|getauxval|syscall"
    r"|get(p|pp|t|pg|s)id|getpgrp|v?fork|clone|posix_spawnp?|wait\w*|popen|system|setsid|tc\w*sid"
    r"|times?|gettimeofday|clock\w*|ftime|timespec_get\w*|getrusage|getitimer|timer_\w+|timerfd_\w+"
    r"|getloadavg|sysinfo|statv?fs|fstatv?fs|[fl]?stat(64)?|fstatat(64)?|statx|__x?stat\w*"
    r"|mk\w*temps?\w*|tmp(file|nam)(_r|64)?|tempnam|gethostname|uname|gethostid"
    r"|readdir\w*|scandir\w*|nftw\w*|ftw\w*|fts_\w+|glob\w*|readlink(at)?|realpath"
    r"|pthread_\w+|thrd_\w+|e?poll\w*|p?select|alarm|setitimer|sched_\w+|sbrk|mmap(64)?"
    r"|dladdr|dl_iterate_phdr|backtrace\w*"
)
_OUTWARD = (Name, Assembly, Unsupported, Builtin, StringLiteral, Cast)
_OUTSIDE = (b"/dev/", b"/proc/", b"/sys/", b"%p")  # in texts


def asks_for_what_varies(pair: ProgramPair) -> bool:
    """Does a version ask the system for something that is not the same each time? Also what the
    library does not know may do so, as assembly may; and an address becomes a number."""
    return _varies(_outward_nodes(pair), undefined_names(pair))


def _varies(nodes: Iterable[Tree], undefined: frozenset[str]) -> bool:
    return any(_may_vary(node, undefined) for node in nodes)


def _outward_nodes(pair: ProgramPair) -> list[Tree]:
    """The nodes of both versions by which a program can ask for anything outside of it."""
    units = (*pair.old, *pair.new)
    bodies = [function.body for unit in units for function in unit.functions]
    objects = [declaration for unit in units for declaration in unit.declarations]
    return [node for node in walk(*bodies, *objects) if isinstance(node, _OUTWARD)]


def _may_vary(node: Tree, undefined: frozenset[str]) -> bool:
    match node:
        case Name(symbol=symbol):
            name = symbol.name
            return name in undefined and (bool(_VARYING.fullmatch(name)) or not is_known(name))
        case Assembly() | Unsupported():
            return True
        case Builtin(name=name):
            return name.startswith(("ia32_rd", "return_address", "frame_address"))
        case StringLiteral(value=value):
            return any(part in value for part in _OUTSIDE)
        case Cast(operand=operand, type=Integer()):
            return isinstance(operand.type, Pointer)
        case _:
            return False


def golden_files(
    options: BuildOptions, new: Sequence[SourceFile], entry: str
) -> tuple[SourceFile, ...]:
    """The files of the intended version (``--golden``), in the order of the new version's files:
    the same files with the golden one in NEW's place, or an executable. Raises UsageError when it
    cannot be run as NEW is."""
    golden = options.files.golden
    if golden is None:
        return ()
    if not golden.exists():
        raise UsageError(f"cannot read '{golden}': there is no such file")
    alone = SourceFile(golden)
    if golden.is_file() and is_compiled(alone):
        if entry != "main":
            raise UsageError(
                f"'{golden}' is an executable, which starts in main and not in '{entry}'",
                hint="give its C file to --golden",
            )
        return (alone,)
    if golden.is_dir() != options.new.is_dir():
        kind = "folder" if options.new.is_dir() else "C file"
        raise UsageError(f"--golden takes NEW's place: '{golden}' has to be a {kind}")
    versions = replace(versions_of(options), old=golden, old_build=None, annotated=False)
    pairs = {pair.new: pair.old for pair in versions.pairs()}
    first = pairs.get(new[0])
    others = [each for each in pairs.values() if each is not None and each is not first]
    return (first, *others) if first is not None else tuple(others)


def _homes(units: Sequence[TranslationUnit], entry: str) -> list[str]:
    """The first file that defines the entry function, if one does."""
    names = [unit.file for unit in units for each in unit.functions if each.symbol.name == entry]
    return names[:1]


def _starting(sources: Sequence[S], homes: Collection[str], of_text: str = "") -> tuple[S, ...]:
    """The sources, with the one that defines the entry function first. A text stands for the unit
    of the file ``of_text``."""
    home = [
        each
        for each in sources
        if (of_text if isinstance(each, Text) else os.fspath(each.path)) in homes
    ]
    return (*home, *(source for source in sources if source not in home))


# ----------------------------------------------------------------------------------- plain builds
# Is there an input on which plain gcc shows a difference, and replay's builds do not?
#
#  old  return x + 1 < x;  new  return x == INT_MAX;  x = INT_MAX: 1 and 1; gcc -O2: 0 and 1
#
# Replay, as the search, lets signed arithmetic wrap (-fwrapv): a difference that a plain build
# shows alone is one of undefined behaviour. It is looked for when no other was found, where a
# change has arithmetic that can overflow: with the tests that there are, and with values near the
# limits. Replay also stops where C leaves undefined what happens, at an address beyond an array for
# example, and a plain build goes on.


MOST_TESTS, MOST_TRIED = 32, 96
_ARITHMETIC = frozenset(["+", "-", "*", "<<"])


def differing_plainly(
    prepared: Prepared,
    signature: EntrySignature | None,
    inputs: InputOptions,
    tests: Sequence[TestCase],
    replay: NativeReplay,
    seed: int,
    met: Sequence[str] = (),
) -> Iterator[tuple[TestInput, TestCase]]:
    """Inputs on which plain gcc builds differ, each with its test. ``tests``: tests on which the
    versions are alike. Nothing is compiled where no change can overflow and the search has ``met``
    nothing that C leaves undefined. ``signature`` None: the program reads a command line, and no
    values are added."""
    for case in shown_behind_a_stop(tests[:MOST_TESTS], replay):
        yield case.input, case
        return
    if not met and not any(map(can_overflow, prepared.unified.units)):
        return
    cases = list(tests[:MOST_TESTS])
    if signature is not None:
        domain = FunctionDomain(signature, vocabulary(*prepared.input_units), inputs)
        admits = Pins(prepared.entry, prepared.symbols, inputs, TermTable()).admits
        known = {case.input for case in cases}
        tried = islice(filter(admits, Candidates(domain, seed)), MOST_TRIED)
        cases += [TestCase("", each) for each in tried if each not in known]
    for case in shown_by_plain_builds(cases, replay, met):
        yield case.input, case


def can_overflow(unit: TranslationUnit) -> bool:
    """Does changed code compute in a signed type?"""
    return any(
        _computes(below)
        for function in unit.functions
        for node in walk(function.body)
        if isinstance(node, Change | Execute)
        for below in walk(node)
    )


def _computes(node: object) -> bool:
    match node:
        case Binary(operator=operator, left=left, right=right, type=kind):
            constant = isinstance(left, IntegerConstant) and isinstance(right, IntegerConstant)
            computed = operator in _ARITHMETIC and not constant
        case CompoundAssign(operator=operator, operation_type=kind):
            computed = operator.removesuffix("=") in _ARITHMETIC
        case Increment(type=kind):
            computed = True
        case Unary(operator="-", operand=operand, type=kind):
            computed = not isinstance(operand, IntegerConstant)
        case _:
            return False
    return computed and isinstance(kind, Integer) and kind.signed and kind.size >= 4
