"""The models of library functions: those in Python by name, those in C linked to the program.

registry()       the name of each function to its model in Python
declared_effects()   what a call of each model reads and writes, and whether it is output
looked_at(program)   whether it looks at standard input, files, and environment variables
complete(...)    the program and what it calls and nobody defines, from the files in ``libc/``
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from pathlib import Path
from types import MappingProxyType

import csg
from csg.cache import Cache, dumps, key_of, loads, source_digest
from csg.errors import NOWHERE, Location, UnsupportedError
from csg.frontend.files import parse_text, parsed, preprocess_files
from csg.frontend.sources import SourceLines
from csg.ir import (
    Block,
    Call,
    Constant,
    Convention,
    FunctionCode,
    GlobalAddress,
    GlobalObject,
    Instruction,
    Move,
    Node,
    Program,
    Refuse,
    Register,
    Return,
)
from csg.ir.library_effects import ERRNO, reads_stdin
from csg.ir.program import StatementKind
from csg.language.types import Function
from csg.lower import link, lower
from csg.lower.conventions import convention_of_function
from csg.lower.linking import names_of, names_reached, names_used
from csg.programs import SourceFile
from symexec.runtime import host_library, intrinsics, memory, process, regex
from symexec.runtime.contract import ModelEntry
from symexec.runtime.filesystem import descriptors, folders, paths, status
from symexec.runtime.formats import float_reading
from symexec.runtime.stdio import opening, printing, streams

FAMILIES = (
    memory,
    descriptors,
    float_reading,
    folders,
    host_library,
    intrinsics,
    opening,
    paths,
    printing,
    process,
    regex,
    status,
    streams,
)


def registry() -> Mapping[str, ModelEntry]:
    """The name of each function to its model; no name has two."""
    found: dict[str, ModelEntry] = {}
    for family in FAMILIES:
        for name, entry in family.models.entries.items():
            assert name not in found, f"{name} is modelled twice"
            found[name] = entry
    return MappingProxyType(found)


# ---------------------------------------------------------------------------------------- effects
# What each model says of its effects: one in Python where it is registered, one in C in a comment.
#
#     /* Effects of calls, as csg/ir/library_effects.py reads them:
#      *     strtol strtoll: reads 0, writes 1 errno, keeps 1:0 */


_COMMENT = re.compile(
    r"/\* Effects of calls, as csg/ir/library_effects\.py reads them:\n(.*?)\*/", re.S
)
_ITEM = re.compile(r"\A *\*     (?! )")


def declared_effects() -> dict[str, str]:
    """The effects of all models, by name: ``code`` for models in C that declare none."""
    archived = load_archive()
    in_c = [name for name in archived if ":" not in name and loads(archived[name]).functions]
    found = dict.fromkeys(in_c, "code")
    for source in _sources():
        for comment in _COMMENT.findall(source.read_text()):
            for names, text in _items(comment):
                assert found.keys() >= set(names), f"{source.name} has not all of {names}"
                found.update(dict.fromkeys(names, text))
    found.update((entry.name, _with_needs(entry)) for entry in registry().values())
    return dict(sorted(found.items()))


def _items(comment: str) -> list[tuple[list[str], str]]:
    """The items of a comment; an item continues on lines that are indented further."""
    items: list[str] = []
    for line in comment.splitlines():
        text = line.strip().removeprefix("*").strip()
        if _ITEM.match(line):
            items.append(text)
        elif text:
            items[-1] += f" {text}"
    found = [item.partition(": ") for item in items]
    return [(names.split(), text) for names, _, text in found]


def _with_needs(entry: ModelEntry) -> str:
    """The effects of an entry, with writes to the objects that it needs."""
    written = [{ERRNO: "errno"}.get(name, name) for name in entry.needs]
    if not written:
        return entry.effects
    parts = [part for part in entry.effects.split(", ") if part != "nothing"]
    for place, part in enumerate(parts):
        if part.startswith("writes "):
            parts[place] = " ".join([part, *written])
            return ", ".join(parts)
    return ", ".join([*parts, " ".join(["writes", *written])])


# --------------------------------------------------------------------------------- linker symbols
# Places that only the linker knows: the end of the program's code, the start of a section.
#
#     extern char end;                      p = &end;     ends the path: *unsupported*
#     extern entry __start_table[];         the same: no objects stand side by side
#
# Objects that a program declares and no file defines hold zeros otherwise (an event), which would
# say of a table made of a section that it is empty.


_NAMES = re.compile(
    r"__(?:start|stop)_\w+|_?_?(?:end|etext|edata)|__bss_start|__data_start|__executable_start"
    r"|__(?:preinit|init|fini)_array_(?:start|end)|__ehdr_start|_DYNAMIC|_GLOBAL_OFFSET_TABLE_"
)


def refuse_linker_symbols(program: Program) -> None:
    """Make functions that take the address of such a symbol end the path. A weak one may be
    missing: its address is null."""
    names = {
        name
        for name, item in program.globals.items()
        if item.external and name not in program.absent and _NAMES.fullmatch(name)
    }
    if not names:
        return
    for function in program.functions.values():
        for block in function.blocks:
            block.instructions[:] = [
                step for each in block.instructions for step in _refused(each, names)
            ]
    pointed = {place.symbol for item in program.globals.values() for place in item.relocations}
    for name in sorted(names - pointed):
        del program.globals[name]


def _refused(instruction: Instruction, names: set[str]) -> tuple[Instruction, ...]:
    match instruction:
        case GlobalAddress(target=target, name=name, node=node, version=version) if name in names:
            reason = f"'{name}' is a place that the linker makes up"
            refuse = Refuse(reason, node=node, version=version)
            return refuse, Move(target, Constant(0, 64), node=node, version=version)
        case _:
            return (instruction,)


# ---------------------------------------------------------------------------------------- archive
# The models in C, lowered once and cached: each function in a small program of its own.
#
#     strdup  ->  Program(functions {strdup}, undefined {strlen, malloc, memcpy}, its nodes)
#     stdin   ->  Program(globals {stdin, libc:standard_input})
#     declared:puts  ->  the Convention of puts, whose model is in Python
#
# Parsing all of them takes seconds, loading those that a program needs takes milliseconds; so they
# are stored in the user's cache folder, under a name that changes with every source they are made
# of.


SOURCES = Path(__file__).with_name("libc")
MAKERS = ("frontend", "ir", "language", "lower")
SHARED = (Register, Constant, Convention, Location)
LARGEST = 16 << 20  # bytes of archives in the cache

DECLARED = "declared:"  # before the name of a model in Python, of which the archive has the type
Archive = dict[str, bytes]  # the name of a function or object to its pickled program


def load_archive() -> Archive:
    """The archive, from the cache, or made and stored there."""
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
    made = {name: dumps(part, SHARED) for name, part in sorted(parts.items())}
    for name, convention in declared_conventions(registry()).items():
        made[DECLARED + name] = dumps(convention)
    return made


DECLARING = """
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <math.h>
#include <regex.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/time.h>
#include <sys/types.h>
#include <unistd.h>
#include <utime.h>
#include <wchar.h>
char *gets(char *);
void cfree(void *);
"""


def declared_conventions(names: Iterable[str]) -> dict[str, Convention]:
    """How functions of these names take their arguments, as the system's headers declare them."""
    wanted = sorted(names)
    mentions = " ".join(f"int {name};" for name in wanted)  # else they are left out unread
    unit = parse_text(f"{DECLARING}struct names {{ {mentions} }};", "names.c")
    return {
        symbol.name: convention_of_function(symbol.type)
        for symbol in (each.symbol for each in unit.declarations)
        if symbol.name in wanted and isinstance(symbol.type, Function)
    }


def _function_part(whole: Program, code: FunctionCode) -> Program:
    """A program of one function, with the objects and nodes that it refers to, numbered from 0."""
    names = names_of(code)
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


def _objects(whole: Program, names: Iterable[str]) -> dict[str, GlobalObject]:
    """The objects with these names, and those that their contents point to."""
    found: dict[str, GlobalObject] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in whole.globals and name not in found:
            found[name] = replace(whole.globals[name], type=None)
            waiting += [each.symbol for each in whole.globals[name].relocations]
    return found


def _functions_named(objects: Mapping[str, GlobalObject]) -> set[str]:
    """The functions that the contents of objects point to."""
    named = {each.symbol for item in objects.values() for each in item.relocations}
    return named - objects.keys()


# ---------------------------------------------------------------------------------------- library
# Link models written in C to a program that calls what nobody defines.
#
#     program.undefined {"strdup", "puts"}   ->   {"puts"}: a model in Python
#                                                 strdup and malloc's errno are part of the program
#
# A function of the user's own is never replaced.


START = "__csgtest_start"
NAMED_START = "__csgtest_named_start"
HOOKED_START = "__csgtest_hooked_start"
# What libc passes to a constructor, as to main: argc, argv and the environment.
_COMMAND_LINE = (Register(0, 32), Register(1, 64), Register(2, 64))
ENDINGS = frozenset({"atexit", "on_exit"})  # what makes returning from main more than returning
NAMED = frozenset({"program_invocation_name", "__progname"})  # told before main by NAMED_START
ENVIRON = "environ"  # what it points to is main's third argument


def complete(program: Program, archive: Archive | None = None) -> None:
    """Add every function and object of the models in C that the program needs."""
    archived = load_archive() if archive is None else archive
    if program.entry == "main" and program.undefined & ENDINGS:
        program.undefined.add(START)
    if program.entry == "main" and (program.before_main or program.after_main):
        program.undefined.add(HOOKED_START)
        _call_all(program, "__csgtest_before_main", program.before_main, _COMMAND_LINE)
        _call_all(program, "__csgtest_after_main", program.after_main)
    seen: set[str] = set()
    main = program.functions.get("main")
    if program.entry == "main" and main is not None and len(main.parameters) > 2:
        program.undefined.add(ENVIRON)
    _complete(program, archived, seen)
    program.undefined.discard(ENVIRON)
    named = program.entry == "main" and not NAMED.isdisjoint(program.globals)
    if named and NAMED_START not in program.functions:
        program.undefined.add(NAMED_START)
        _complete(program, archived, seen)
    _provide_objects(program, archived)
    _forget_unused(program)
    known = program.functions.keys() | registry().keys()
    program.absent = {
        name
        for name in program.weak
        if (name in program.undefined - known)
        or (name in program.globals and program.globals[name].external)
    }
    refuse_linker_symbols(program)


def _forget_unused(program: Program) -> None:
    """Objects that are declared, defined nowhere, and used by nobody: no linker asks for them."""
    missing = _external(program)
    for name in missing.difference(names_used(program)) if missing else ():
        del program.globals[name]


def _call_all(
    program: Program, name: str, called: list[str], given: tuple[Register, ...] = ()
) -> None:
    """Add a function that calls others, one after the other, each with as many of its own
    arguments as it takes."""
    node = len(program.nodes)
    program.nodes.append(Node(node, name, NOWHERE, name, StatementKind.CALL))
    code = FunctionCode(name, given, library=True, registers=len(given))
    calls: list[Instruction] = []
    for each in called:
        taken = given[: len(program.functions[each].parameters)]
        _refuse_unless_passed(program.functions[each], taken)
        calls.append(Call(None, each, taken, len(taken), node=node))
    code.blocks = [Block(0, calls, Return(None, node=node))]
    program.functions[name] = code


def _refuse_unless_passed(code: FunctionCode, given: Sequence[Register]) -> None:
    """Raise UnsupportedError where a constructor or destructor takes what nobody passes."""
    if [each.width for each in code.parameters] != [each.width for each in given]:
        text = f"'{code.name}' runs before or after main and takes parameters that nobody passes"
        raise UnsupportedError(text, code.location, "let it take no parameters")


def _complete(program: Program, archived: Archive, seen: set[str]) -> None:
    while waiting := sorted((program.undefined | _external(program)) & archived.keys() - seen):
        for name in waiting:
            seen.add(name)
            link(program, loads(archived[name]))


def start(program: Program) -> str:
    """The function with which the execution of a completed program begins."""
    for name in (HOOKED_START, NAMED_START, START):
        if name in program.functions:
            return name
    return program.entry


def is_known(name: str) -> bool:
    """Has this function a model, in C or in Python?"""
    return name in registry() or name in _names_of_models()


@functools.cache
def _names_of_models() -> frozenset[str]:
    """The names of the models in C: the same ones for as long as csgtest runs."""
    return frozenset(load_archive())


def own_functions(program: Program) -> Iterator[FunctionCode]:
    """The functions of the C library that the program defines itself, for all of its files."""
    for name, code in program.functions.items():
        if not (code.library or code.static) and is_known(name):
            yield code


def own_functions_reached(program: Program) -> Iterator[FunctionCode]:
    """Those to which a run that begins with the entry function can come by their names."""
    own = [*own_functions(program)]
    reached = names_reached(program) if own else ()
    return (each for each in own if each.name in reached)


def passed_over(name: str) -> str:
    """What is left out where a program defines this library function itself."""
    return f"'{name}' is the program's own: the compiler and the library may pass it over"


def unmodelled(program: Program) -> list[str]:
    """The functions that a completed program may call and that have neither code nor a model."""
    return sorted(program.undefined - registry().keys())


def _external(program: Program) -> set[str]:
    return {name for name, item in program.globals.items() if item.external}


def _provide_objects(program: Program, archive: Archive) -> None:
    """Add the objects that models in Python store to (errno), and how these models are called."""
    models = registry()
    for name in sorted(program.undefined & models.keys()):
        if DECLARED + name in archive:
            program.conventions[name] = loads(archive[DECLARED + name])
        for wanted in models[name].needs:
            for key, item in loads(archive[wanted]).globals.items():
                program.globals.setdefault(key, item)


# ------------------------------------------------------------------------------------- looked at
# What a program can look at beside its arguments, by the names that it calls and uses.


class Source(Enum):
    """Where a program has inputs from, beside its arguments."""

    STDIN = "standard input"
    FILES = "files"
    VARIABLES = "environment variables"


_STDIN = """stdin getchar getchar_unlocked getc getc_unlocked _IO_getc fgetc fgetc_unlocked
    fgets gets fread fread_unlocked read readv pread preadv scanf vscanf fscanf vfscanf
    __isoc99_scanf __isoc99_fscanf __isoc23_scanf __isoc23_fscanf getline getdelim getw
    getwchar fgetwc getwc fgetws wscanf fwscanf getpass poll ppoll select pselect ioctl
    lseek mmap mmap64 splice sendfile __csgtest_ready __csgtest_attach __fgets_chk
    __fread_chk __getdelim fgets_unlocked fstat fstat64"""
_FILES = """fopen fopen64 freopen freopen64 open open64 openat openat64 creat creat64 opendir
    fdopendir stat stat64 lstat lstat64 statx fstatat fstatat64 access faccessat
    euidaccess eaccess __csgtest_access scandir glob glob64 ftw nftw fts_open readlink
    readlinkat realpath canonicalize_file_name execv execve execvp execl execlp chdir
    fchdir rename renameat renameat2 unlink unlinkat remove rmdir mkdir mkdirat link
    linkat symlink symlinkat mknod mkfifo truncate truncate64 chmod fchmodat chown
    lchown fchownat utime utimes lutimes utimensat pathconf statfs statvfs getxattr
    lgetxattr listxattr __open64_2 __open_2 __openat_2 __csgtest_folder __csgtest_list
    __csgtest_real_path __csgtest_reopen __readlink_chk __readlinkat_chk statfs64"""
_VARIABLES = "getenv secure_getenv __secure_getenv environ __environ"


def looked_at(program: Program) -> frozenset[Source]:
    """What a linked program can look at: whatever calls for it by name, or is known to read from
    standard input."""
    named = {*program.undefined, *program.globals}
    found = {
        source
        for source, names in (
            (Source.STDIN, _STDIN),
            (Source.FILES, _FILES),
            (Source.VARIABLES, _VARIABLES),
        )
        if not named.isdisjoint(names.split())
    }
    if any(reads_stdin(name) for name in program.undefined):
        found.add(Source.STDIN)
    return frozenset(found)
