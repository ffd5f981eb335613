"""Where the tests of a library begin: functions that its users call, or inner ones that changed.

    list.h   struct list;  int size(struct list *);     ->  Entry("size", hidden: struct list)
    list.c   static int walk(struct node *) {..}        ->  Entry("walk", inner: static in list.c:9)

*Public* is what a header for others declares, and ``main``. What a test does in an inner function,
or with a structure that only the library can make, no caller need be able to do: a difference seen
there is internal until a public entry confirms it (docs/entries.md).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

import networkx

from csg.frontend.files import Preprocessed
from csg.frontend.prune import declared_in_headers, declared_names, without_attributes
from csg.frontend.sources import Segment, segments
from csg.language.syntax import Symbol, TranslationUnit
from csg.pipeline import call_graph_of, program_of
from csg.programs import Versions
from csg.records import record
from csg.unify.pairs import ProgramPair, read_pair, unify_pair
from symexec.options import Internal

MOST = 4  # programs, or functions of a library, that are looked at
# Parts of the names of headers, and of folders, that are not for others.
_PRIVATE = re.compile(r"(?:^|[^a-z])(?:internals?|intern|private|priv|impl|local)(?![a-z])", re.I)
_OFFERED = frozenset(("include", "includes", "inc"))  # folders of headers that are
_LAID_OUT = re.compile(r"\b(struct|union)\s+(\w+)\s*\{")
_NAMED = re.compile(r"\b(struct|union)\s+(\w+)")


@record
class Entry:
    """``name`` "": main, or the only function. ``internal``: None where every difference is one
    that callers can meet."""

    name: str
    internal: Internal | None = None


@dataclass(slots=True)
class Headers:
    """What a library tells its users: ``functions`` are those that a public header declares (None:
    no header declares any, and all that are not static can be called), ``private`` has the headers
    of others. ``hidden`` are structures that public headers name at most."""

    functions: frozenset[str] | None = None
    private: dict[str, str] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()

    def why_inner(self, function: Symbol) -> str:
        """Why no user of the library calls it; "": they can."""
        place = f"{PurePosixPath(function.location.file).name}:{function.location.line}"
        if self.functions is not None and function.name in self.functions:
            return ""
        if function.linkage != "external":
            return f"{function.name} is static ({place})"
        if self.functions is None:
            return ""
        if function.name in self.private:
            return f"{function.name} is declared in {self.private[function.name]} alone"
        return f"{function.name} is declared in no header ({place})"


def entries_of(versions: Versions) -> tuple[Entry, ...]:
    """The functions of a library that its users can call and that reach a change, by as few calls
    as possible; inner ones that changed where no other reaches them. "" where there is a ``main``
    or nothing that differs."""
    pair = read_pair(versions.pairs())
    if "main" in {*_names(pair.old)} & {*_names(pair.new)}:
        return (Entry(""),)
    headers = headers_of(pair, os.path.abspath(versions.new))
    unified = unify_pair(pair, "")
    changed = {change.function for change in unified.changes}
    functions = {each.symbol.name: each.symbol for unit in unified.units for each in unit.functions}
    shared = {*_names(pair.old)} & {*_names(pair.new)} & functions.keys()
    if not changed or not shared:
        return ()
    calls = call_graph_of(program_of(unified, min(shared)))
    begun = changed & set(calls)
    far = networkx.multi_source_dijkstra_path_length(calls.reverse(copy=False), begun)
    inner = {name: headers.why_inner(functions[name]) for name in shared}
    public = [name for name in shared & far.keys() if not inner[name]]
    nearest = sorted(public, key=lambda name: (far[name], name))
    hidden = tuple(sorted(headers.hidden))
    chosen = nearest or sorted(begun & shared)
    return tuple(Entry(name, _internal(inner[name], hidden)) for name in chosen[:MOST])


def _internal(inner: str, hidden: tuple[str, ...]) -> Internal | None:
    return Internal(inner, hidden) if inner or hidden else None


def headers_of(pair: ProgramPair, tree: str) -> Headers:
    """What the headers of the new version below ``tree`` say; of two C files, those that the
    compiler finds for them."""
    texts = [text for _, text in pair.differing_texts if text is not None] + pair.shared_texts
    said: dict[str, list[str]] = {}
    for text in texts:
        for header, declared in declared_in_headers(text.text):
            said.setdefault(header, []).append(declared)
    own = _own_headers(said, tree)
    functions = {each.symbol.name for unit in pair.new for each in unit.functions}
    names = {header: functions & _declared(said[header]) for header in own}
    public = _public(own, frozenset(header for header in own if names[header]))
    offered: set[str] = set().union(*(names[header] for header in public))
    if not offered:
        return Headers()
    private = {name: PurePosixPath(each).name for each in own for name in sorted(names[each])}
    shown = [each for header in public for each in said[header]]
    kept = [each for header in own.keys() - public for each in said[header]]
    kept += [text.text[each.start : each.end] for text in texts for each in _own_segments(text)]
    hidden = (_found(_NAMED, shown) & _found(_LAID_OUT, kept)) - _found(_LAID_OUT, shown)
    return Headers(frozenset(offered), private, frozenset(hidden))


def _declared(texts: Iterable[str]) -> set[str]:
    return set().union(*map(declared_names, texts))


def _own_segments(text: Preprocessed) -> Iterator[Segment]:
    return (each for each in segments(text.text) if each.own)


def _found(form: re.Pattern[str], texts: Iterable[str]) -> set[str]:
    """``struct list`` for each that a text has."""
    return {
        f"{each[1]} {each[2]}"
        for text in texts
        for each in form.finditer(without_attributes(text) if "__attribute" in text else text)
    }


def _own_headers(said: Iterable[str], tree: str) -> dict[str, PurePosixPath]:
    """With their paths below the tree, if that is a folder."""
    if not os.path.isdir(tree):
        return {header: PurePosixPath(PurePosixPath(header).name) for header in said}
    top = os.path.realpath(tree)
    below = {header: os.path.relpath(os.path.realpath(header), top) for header in said}
    return {header: PurePosixPath(path) for header, path in below.items() if path[:2] != ".."}


def _public(own: Mapping[str, PurePosixPath], declaring: frozenset[str]) -> frozenset[str]:
    """Headers that are not called private; in a folder that is made for what others include, if
    one there declares functions."""
    named = {
        header: path
        for header, path in own.items()
        if not any(map(_PRIVATE.search, (*path.parent.parts, path.stem)))
    }
    offered = {header for header, path in named.items() if not _OFFERED.isdisjoint(path.parts)}
    return frozenset(named if offered.isdisjoint(declaring) else offered)


def _names(units: Iterable[TranslationUnit]) -> Iterator[str]:
    return (function.symbol.name for unit in units for function in unit.functions)
