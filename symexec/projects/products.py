"""What the calls of a build's tools made: objects, archives, libraries, programs.

    cc -c cut.c -o src/cut.o; ar cr libx.a xmalloc.o closeout.o; cc -o src/cut src/cut.o libx.a

    products = read_calls(calls)
    products.links["src/cut"].inputs           ("src/cut.o", "libx.a")
    products.sources("src/cut", loaded)        the C files in it, each with its flags

Paths are relative to the top of the tree.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from csg.files import read_text
from csg.harmless_flags import is_harmless
from csg.programs import recorded_flags
from csg.records import record
from symexec.projects.building import PLACE
from symexec.projects.leavings import ToolCall

_OPERAND_OF_AR = ("--plugin", "--output", "--record-libdeps")
_ARCHIVERS = ("ar", "gcc-ar", "llvm-ar")
_NO_OUTPUT = ("-E", "-S", "-M", "-MM", "-fsyntax-only", "--version", "-v", "-dumpversion")
_WITH_OPERAND = frozenset(
    ("-o", "-I", "-D", "-U", "-include", "-imacros", "-isystem", "-iquote", "-idirafter", "-MF",
     "-MT", "-MQ", "-x", "-L", "-l", "-u", "-T", "-Xlinker", "-z", "-e", "-rpath", "-soname", "-h",
     "-arch", "-framework", "-param", "--param", "-aux-info", "-Xassembler", "-Xpreprocessor")
)  # fmt: skip


@record
class Compiled:
    """A C file of the tree as it was compiled, with the flags that decide what it means."""

    source: str
    flags: tuple[str, ...]


@record
class Link:
    """What was linked. ``libraries`` are flags for libraries of the system; ``call`` is the
    linker's."""

    output: str
    inputs: tuple[str, ...]  # of the tree: objects, archives, libraries, C files
    libraries: tuple[str, ...]
    shared: bool
    call: ToolCall


class Products:
    """What the calls made, by the path of each output; of several calls the last one counts."""

    def __init__(self) -> None:
        self.objects: dict[str, Compiled] = {}
        self.archives: dict[str, list[str]] = {}
        self.links: dict[str, Link] = {}
        self.called: dict[str, int] = {}  # when the compiler of an object was called, in ns
        self.first: dict[str, int] = {}  # when a source was compiled first
        self.listed: dict[str, tuple[str, ...]] = {}  # its response files, where it has some

    def note(self, made: str, compiled: Compiled, call: ToolCall) -> None:
        """Note an object that a call of the compiler made."""
        self.objects[made] = compiled
        self.called[made] = call.time
        self.first.setdefault(compiled.source, call.time)
        self.listed[made] = _response_files(call)

    def sources(self, output: str, loaded: Mapping[str, Sequence[str]]) -> list[Compiled]:
        """The C files that a program or a library is made of, each once. Of an archive those
        members count that ``loaded`` names for it, or all."""
        parts = self.parts(output, loaded)
        return [*dict.fromkeys(self.objects[part] for part in parts if part in self.objects)]

    def parts(self, output: str, loaded: Mapping[str, Sequence[str]]) -> list[str]:
        """What a program or a library is made of: itself, objects, archives, libraries."""
        seen: dict[str, None] = {}
        waiting = [output]
        while waiting:
            name = waiting.pop()
            if name in seen:
                continue
            seen[name] = None
            if name in self.objects:
                continue
            if name in self.archives:
                waiting += _members(self.archives[name], loaded.get(name))
            elif name in self.links:
                waiting += reversed(self.links[name].inputs)
        return list(seen)

    def libraries(self, output: str) -> tuple[str, ...]:
        """The -l flags of a link, and those of the tree's own libraries in it. An archive is not
        linked itself: it gets those of the programs that are linked with it."""
        found: dict[str, None] = {}
        users = [name for name, link in self.links.items() if output in link.inputs]
        waiting, seen = users if output in self.archives else [output], set()
        while waiting:
            link = self.links.get(waiting.pop())
            if link is not None and link.output not in seen:
                seen.add(link.output)
                found |= dict.fromkeys(link.libraries)
                waiting += link.inputs
        return tuple(found)


def _members(archive: Sequence[str], loaded: Sequence[str] | None) -> list[str]:
    if loaded is None:
        return list(archive)
    names = set(loaded)
    return [path for path in archive if PurePosixPath(path).name in names]


def read_calls(calls: Iterable[ToolCall], tree: Path) -> Products:
    """What the calls made. ``tree`` is where the files are now, for response files and links
    between libraries."""
    products = Products()
    for call in calls:
        tool = PurePosixPath(call.words[0]).name
        words = [*_expanded(call.words[1:], call.folder, tree)]
        if tool in _ARCHIVERS:
            _archive(products, words, call.folder)
        elif tool != "ld" or ("-r" in words and "-plugin" not in words):  # else a compiler's
            _compile(products, words, call, tree)
    return products


def _expanded(words: Sequence[str], folder: str, tree: Path) -> Iterator[str]:
    for word in words:
        name = _relative(word[1:], folder) if word.startswith("@") else None
        if name is None or not (tree / name).is_file():
            yield word
        else:
            yield from read_text(tree / name).split()


def _relative(path: str, folder: str) -> str | None:
    """The path below the top of the tree; None for other paths."""
    full = os.path.normpath(os.path.join(folder, path))
    return full[len(PLACE) + 1 :] if full.startswith(PLACE + "/") else None


def _response_files(call: ToolCall) -> tuple[str, ...]:
    names = (_relative(word[1:], call.folder) for word in call.words if word.startswith("@"))
    return tuple(name for name in names if name is not None)


def _archive(products: Products, words: Sequence[str], folder: str) -> None:
    """Note a call of ar: ``ar cr lib.a x.o y.o``, or ``ar x lib.a``, which extracts; gcc-ar puts a
    plugin first."""
    rest = iter(words)
    plain = []
    for word in rest:
        if word in _OPERAND_OF_AR:
            next(rest, None)
        elif not word.startswith("--"):
            plain.append(word)
    if len(plain) < 2:
        return
    what, name = plain[0].lstrip("-"), _relative(plain[1], folder)
    if name is None:
        return
    if "r" in what or "q" in what:
        members = products.archives.setdefault(name, [])
        for word in plain[2:]:
            member = _relative(word, folder)
            if member is not None and member not in members:
                members.append(member)
    elif "x" in what:
        for member in products.archives.get(name, ()):
            taken_out = _relative(PurePosixPath(member).name, folder)
            if taken_out is not None and member in products.objects:
                products.objects[taken_out] = products.objects[member]
                products.called[taken_out] = products.called[member]
                products.listed[taken_out] = products.listed[member]


def _compile(products: Products, words: Sequence[str], call: ToolCall, tree: Path) -> None:
    if any(word in _NO_OUTPUT for word in words):
        return
    output, files, searched, libraries = _parts(words)
    flags = tuple(recorded_flags(words, call.folder))
    sources = [file for file in files if file.endswith(".c")]
    if "-c" in words:
        for file in sources:
            source = _relative(file, call.folder)
            made = _relative(output or PurePosixPath(file).stem + ".o", call.folder)
            if source is not None and made is not None:
                products.note(made, Compiled(source, flags), call)
        return
    target = _relative(output or "a.out", call.folder)
    if target is None or not files:
        return
    inputs = []
    for file in files:
        name = _relative(file, call.folder)
        if name is None:
            continue
        if file.endswith(".c"):
            products.note(f"{target}:{name}", Compiled(name, flags), call)
            name = f"{target}:{name}"
        inputs.append(_known(products, name, tree))
    others = []
    for flag in libraries:
        own = _own_library(products, flag, searched, call.folder, tree)
        if own is None:
            others.append(flag)
        else:
            inputs.append(own)
    shared = "-shared" in words or "-dynamiclib" in words
    products.links[target] = Link(target, tuple(inputs), tuple(others), shared, call)


def _parts(words: Sequence[str]) -> tuple[str, list[str], list[str], list[str]]:
    """The output, the files, the folders of libraries, and the libraries as flags."""
    output, files, searched, libraries = "", [], [], []
    rest = iter(words)
    for word in rest:
        operand = next(rest, "") if word in _WITH_OPERAND else ""
        if word == "-o":
            output = operand
        elif word.startswith("-o") and len(word) > 2:
            output = word[2:]
        elif word.startswith("-L"):
            searched.append(word[2:] or operand)
        elif word.startswith("-l"):
            library = "-l" + (word[2:] or operand)
            libraries += [library] if is_harmless(library) else []
        elif word == "-pthread":
            libraries.append(word)
        elif not word.startswith("-") and word not in ("", operand):
            files.append(word)
    return output, files, searched, libraries


def _own_library(
    products: Products, flag: str, searched: Sequence[str], folder: str, tree: Path
) -> str | None:
    """The library of the tree that ``-lNAME`` finds; None where it is one of the system."""
    for place in searched if flag.startswith("-l") else ():
        for suffix in (".so", ".a"):
            name = _relative(f"{place}/lib{flag[2:]}{suffix}", folder)
            if name is not None:
                known = _known(products, name, tree)
                if known in products.links or known in products.archives:
                    return known
    return None


def _known(products: Products, name: str, tree: Path) -> str:
    """The output behind a symbolic link: lib/libx.so for lib/libx.so.1.2."""
    if name in products.links or name in products.archives or name in products.objects:
        return name
    real = os.path.realpath(tree / name)
    top = os.path.realpath(tree)
    return real[len(top) + 1 :] if real.startswith(top + "/") else name
