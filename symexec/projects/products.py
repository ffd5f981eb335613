"""What the calls of a build's tools made: objects, archives, libraries, programs.

    cc -c cut.c -o src/cut.o; ar cr libx.a xmalloc.o closeout.o; cc -o src/cut src/cut.o libx.a

    products = read_calls(calls)
    products.links["src/cut"].inputs           ("src/cut.o", "libx.a")
    products.sources("src/cut", loaded)        the C files in it, each with its flags

Paths are relative to the top of the tree.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path, PurePosixPath

from csg.files import read_file, read_text
from csg.harmless_flags import is_harmless
from csg.programs import recorded_flags
from csg.records import record
from symexec.projects.building import PLACE, Linked, content_digest
from symexec.projects.leavings import ToolCall

_CPLUSPLUS = ("c++", "g++", "clang++")  # to these, a .c file is one of C++
_OPERAND_OF_AR = ("--plugin", "--output", "--record-libdeps")
_ARCHIVERS = ("ar", "gcc-ar", "llvm-ar")
# These change no code: one adds an index, the other takes names and debug data away.
_RANLIB = ("ranlib", "gcc-ranlib", "llvm-ranlib")
_STRIP = ("strip", "llvm-strip")
_STRIPS_NO_CODE = re.compile(
    r"-[sgSdxXpD]|--strip-(?:all|debug|unneeded)|--discard-(?:all|locals)|--preserve-dates"
)
# Of the flags that say what C text means, those that the linker's driver looks at, too.
_AT_LINK = ("-ffast-math", "-funsafe-math-optimizations", "-Ofast")
_NAMES_OUTPUT = re.compile(r"-Wl,(?:-h|--?soname|--?Map)(?:[,=][^,]+)?")
_OF_TEXT = ("-M", "-isystem", "-iquote", "-idirafter", "-include", "-imacros")
_AS_OPERANDS = ("-o", "-x", "-I", "-D", "-U", "-L")
_OF_C_LIBRARY = frozenset(("-lc", "-lm", "-lpthread", "-ldl", "-lrt", "-lutil", "-pthread"))
_READS_OTHERS = re.compile(
    rb"^\s*#\s*include|\.include|\.incbin|\bINCLUDE\b|\bINPUT\b|\bGROUP\b", re.MULTILINE
)
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
        self.content: dict[str, str] = {}  # of outputs, when the tools that made them ended
        self.unseen: dict[str, set[tuple[str, str]]] = {}  # parts that nobody compiled, by output
        self.flags: dict[str, tuple[str, ...]] = {}  # for the linker, by output
        self.taken: dict[str, dict[str, str]] = {}  # the parts of each output, when it was made
        self._by_content: dict[str, tuple[Compiled, int, tuple[str, ...]]] = {}  # objects
        self._outputs: dict[str, str] = {}  # archives and programs by content

    def note(self, made: str, compiled: Compiled, call: ToolCall) -> None:
        """Note an object that a call of the compiler made."""
        self.objects[made] = compiled
        self.called[made] = call.time
        self.first.setdefault(compiled.source, call.time)
        self.listed[made] = _response_files(call)
        found = made_files(call).get(made)
        if found is not None:
            self.content[made] = found
            self._by_content[found] = compiled, call.time, self.listed[made]

    def note_content(self, output: str, call: ToolCall) -> None:
        """Note what an archive or a program is when the call that makes it has ended."""
        found = made_files(call).get(output)
        if found is not None:
            self.content[output] = found
            self._outputs[found] = output

    def is_seen(self, name: str, found: str) -> bool:
        """Is the file that a tool has found what another one has made? What was moved or copied
        is noted by its new name."""
        if self.content.get(name) == found:
            return True
        if found in self._by_content:
            self.objects[name], self.called[name], self.listed[name] = self._by_content[found]
        elif self._outputs.get(found) in self.archives:
            self.archives[name] = self.archives[self._outputs[found]]
        elif self._outputs.get(found) in self.links:
            self.links[name] = self.links[self._outputs[found]]
        else:
            return False
        if found in self._outputs:
            self.unseen[name] = self.unseen.get(self._outputs[found], set())
            self.flags[name] = self.flags.get(self._outputs[found], ())
        self.content[name] = found
        return True

    def links_of(self, output: str, tree: Path) -> Linked:
        """What was linked and not seen being compiled, and what is in the tree after the build."""
        parts = self.parts(output, {})
        unseen = {each for part in parts for each in self.unseen.get(part, ())}
        unseen |= {  # made again since
            taken
            for part in parts
            for taken in self.taken.get(part, {}).items()
            if self.content.get(taken[0]) != taken[1]
        }
        product = content_digest(tree / output)
        if not self.content.get(output, product).endswith(product):
            unseen.add((output, product))
        flags = tuple(flag for part in parts for flag in self.flags.get(part, ()))
        return Linked(frozenset(unseen), flags, product)

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
            _archive(products, words, call, tree)
        elif tool in _RANLIB or (tool in _STRIP and _strips_no_code(words)):
            _pass_on(products, call, tree)
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


def made_files(call: ToolCall) -> dict[str, str]:
    """What the files in the tree are that a call names, when it has ended."""
    return _in_tree(call.made, call.folder)


def _in_tree(files: Mapping[str, str], folder: str) -> dict[str, str]:
    named = ((_relative(path, folder), found) for path, found in files.items())
    return {name: found for name, found in named if name is not None}


def _strips_no_code(words: Sequence[str]) -> bool:
    return all(_STRIPS_NO_CODE.fullmatch(each) for each in words if each.startswith("-"))


def _pass_on(products: Products, call: ToolCall, tree: Path) -> None:
    """Note that files which are known are still what they were, in other words."""
    after = made_files(call)
    for name, found in _in_tree(call.used, call.folder).items():
        known = _known(products, name, tree)
        if name in after and products.is_seen(known, found):
            products.content[known] = after[name]


def _unseen_files(
    products: Products, output: str, paths: Iterable[str], call: ToolCall, tree: Path
) -> Iterator[tuple[str, str]]:
    """The files that a call takes and that no call before it has made, each with what it is: of
    what may read other files, what the call has made of it."""
    made = made_files(call).get(output, "")
    for path in dict.fromkeys(paths):
        found, name = call.used.get(path), _relative(path, call.folder)
        if found is None:
            yield path, made
        elif name is None:
            yield path, found if found.startswith("code ") else made
        elif found.startswith("code "):
            known = _known(products, name, tree)
            if products.is_seen(known, found):
                products.taken.setdefault(output, {})[known] = found
            else:
                yield name, found
        elif f"{output}:{name}" not in products.objects:  # else it was compiled as C
            file = tree / name
            others = not file.is_file() or _READS_OTHERS.search(read_file(file))
            yield name, made if others else found


def _for_linker(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Of the words of a link, its flags, but those that only say what C text means; and the files
    that they may name."""
    flags, files = [], []
    rest = iter(words)
    for word in rest:
        if _NAMES_OUTPUT.fullmatch(word):
            if "," not in word[4:] and "=" not in word:  # -Wl,-soname -Wl,libx.so.1
                next(rest, "")
            continue
        both = [word, next(rest, "")] if word in _WITH_OPERAND else [word]
        if word.startswith(("-Wl,", "-T", "-Xlinker")):
            files += [part for each in both for part in re.split("[,=]", each)] + [word[2:]]
        text = is_harmless(word) or word.startswith(_OF_TEXT) or word in _AS_OPERANDS
        if word.startswith("-l"):
            text = f"-l{word[2:] or both[-1]}" in _OF_C_LIBRARY
        if word in _AT_LINK or not (text or word in _OF_C_LIBRARY or not word.startswith("-")):
            flags += both
    return flags, files


def _libraries_found(words: Sequence[str], call: ToolCall) -> Iterator[str]:
    """The files that -l may mean in the folders of -L."""
    for word, following in zip(words, (*words[1:], ""), strict=True):
        if word.startswith("-l"):
            name = word[2:] or following
            ends = (
                (f"/{name[1:]}",) if name.startswith(":") else (f"/lib{name}.so", f"/lib{name}.a")
            )
            yield from (path for path in call.used if path.endswith(ends))


def _archive(products: Products, words: Sequence[str], call: ToolCall, tree: Path) -> None:
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
    folder = call.folder
    what, name = plain[0].lstrip("-"), _relative(plain[1], folder)
    if name is None:
        return
    if "r" in what or "q" in what:
        before = [plain[1]] if plain[1] in call.used else []
        unseen = _unseen_files(products, name, [*before, *plain[2:]], call, tree)
        products.unseen.setdefault(name, set()).update(unseen)
        products.note_content(name, call)
        members = products.archives.setdefault(name, [])
        for word in plain[2:]:
            member = _relative(word, folder)
            if member is not None and member not in members:
                members.append(member)
    elif "d" in what or "m" in what:
        products.flags[name] = (*products.flags.get(name, ()), *plain[2:])
        products.note_content(name, call)
    elif "s" in what:
        _pass_on(products, call, tree)
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
    compiled = () if _is_of_cplusplus(call.words) else (".c",)
    if "-c" in words:
        for file in files:
            if not file.endswith(compiled):
                continue
            source = _relative(file, call.folder)
            made = _relative(output or PurePosixPath(file).stem + ".o", call.folder)
            if source is not None and made is not None:
                products.note(made, Compiled(source, flags), call)
        return
    target = _relative(output or "a.out", call.folder)
    if target is None or not files:
        return
    for path in files:  # objects that were moved are known before they are looked up
        name, content = _relative(path, call.folder), call.used.get(path)
        if name is not None and content is not None:
            products.is_seen(_known(products, name, tree), content)
    inputs = []
    for file in files:
        name = _relative(file, call.folder)
        if name is None:
            continue
        if file.endswith(compiled):
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
    linker, named = _for_linker(words)
    products.taken.pop(target, None)
    named = [each for each in named if each in call.used and each != output]
    found = [*files, *named, *_libraries_found(words, call), *(["-"] if "-" in words else [])]
    products.unseen[target] = {*_unseen_files(products, target, found, call, tree)}
    products.flags[target] = tuple(linker)
    products.note_content(target, call)


def _is_of_cplusplus(words: Sequence[str]) -> bool:
    """Does the compiler read all files that it is given as C++?"""
    named = PurePosixPath(words[0]).name in _CPLUSPLUS
    language = next((after for word, after in pairwise(words) if word == "-x"), "")
    return (named and language != "c") or language.startswith("c++") or "-xc++" in words


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
