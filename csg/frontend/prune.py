"""Leave out what headers declare and nobody uses, before anything is parsed.

    # 1 "/usr/include/stdio.h" 1 3
    extern int puts (const char *__s);
    extern int getchar (void);
    # 2 "hello.c" 2
    int main(void) { return puts("hello"); }

becomes the same text without ``getchar``. A header's text is cut into declarations, each with the
names it declares. Those stay that the user's own text mentions, or that such declarations mention.
What a header of the user's defines for other files stays as well: they may mention it.
A static function of a header is for other files, too, but there may be hundreds in each file that
includes it: those that differ between two versions are named by ``uneven_statics``.
To retain too much is harmless, so names are found by a look at the text, not by parsing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from csg.frontend.sources import MARKER, Segment, segments
from csg.records import record

# ------------------------------------------------------------------------- what other files can use
# Does a declaration of a header define what other files can use?
#
#     int limit;                 yes, unless another file does    extern int limit;    no
#     int twice(int x) { ... }   yes                              int twice(int);      no
#     int (*handler)(int);       yes                              struct s { int a; }; no
#
# A look at the tokens, not a parse; a wrong yes is harmless.


_TOKEN = re.compile(r"""[A-Za-z_$][\w$]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[(){}\[\];,=*]""")
_NEVER = frozenset(("typedef", "static", "_Static_assert", "static_assert"))
_TAGGED = ("struct", "union", "enum")
_QUALIFIERS = frozenset((
    "const", "volatile", "inline", "__inline", "__inline__", "_Noreturn", "__extension__",
    "_Thread_local", "__thread", "register", "__const", "__volatile__", "restrict", "__restrict",
    "extern", "_Atomic",
))  # fmt: skip
_BASIC = frozenset((
    "int", "char", "short", "long", "signed", "unsigned", "float", "double", "void", "_Bool",
    "bool", "_Complex", "__int128",
))  # fmt: skip
_CLOSING = {"(": ")", "[": "]", "{": "}"}


def exports(text: str) -> bool:
    """Does this declaration, given without line markers and attributes, define what other files can
    use?"""
    outside = _outside(text)
    return not _NEVER & set(outside) and _defines(outside)


def is_static(text: str) -> bool:
    """Does this declaration, given as for ``exports``, define a static function or object?"""
    outside = _outside(text)
    if _NEVER & set(outside) != {"static"}:
        return False
    return _defines([token for token in outside if token != "static"])


def _defines(outside: list[str]) -> bool:
    if "=" in outside or outside[-2:] == ["()", "{}"] or outside[-2:] == ["(*", "{}"]:
        return True
    return "extern" not in outside and any(map(_is_object, _declarators(outside)))


def _outside(text: str) -> list[str]:
    """The tokens outside brackets; brackets themselves appear as ``()``, ``(*`` where it begins so,
    ``[]`` and ``{}``. The ``;`` at the end is left out."""
    found: list[str] = []
    open_ones: list[str] = []
    before = ""
    for token in _TOKEN.findall(text):
        if token in _CLOSING:
            if not open_ones:
                found.append(token + _CLOSING[token])
            open_ones.append(_CLOSING[token])
        elif open_ones and token == open_ones[-1]:
            open_ones.pop()
        elif len(open_ones) == 1 and before == "(" and token == "*":
            found[-1] = "(*"
        elif not open_ones and token not in ";)]}":
            found.append(token)
        before = token
    return found


def _declarators(outside: list[str]) -> list[list[str]]:
    """The declarators: what follows the type, cut at commas."""
    rest = [token for token in outside if token not in _QUALIFIERS]
    if rest and rest[0] in _TAGGED:
        rest = rest[2:] if rest[1:2] != ["{}"] else rest[1:]
        rest = rest[1:] if rest[:1] == ["{}"] else rest
    elif rest and rest[0] in _BASIC:
        rest = [token for token in rest if token not in _BASIC]
    else:
        rest = rest[1:]
    found: list[list[str]] = [[]]
    for token in rest:
        if token == ",":
            found.append([])
        else:
            found[-1].append(token)
    return found


def _is_object(declarator: list[str]) -> bool:
    """Does the declarator declare an object?"""
    return "(*" in declarator or ("()" not in declarator and any(t != "*" for t in declarator))


# ------------------------------------------------------------------------------------- what is used


_STOPS = re.compile(r"""^\#.*$|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[;{}]""", re.MULTILINE)
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*")
_MARKER_LINE = re.compile(r"^#.*$", re.MULTILINE)
_FUNCTION = re.compile(r"[^(){}\[\]=,]*?([A-Za-z_]\w*)\s*\((?!\s*\*)")
_TYPEDEF = re.compile(r"\s*typedef[^(){}\[\],]*?([A-Za-z_]\w*)\s*;\s*\Z")
_NOT_NAMES = frozenset((
    "__attribute__", "__attribute", "__asm__", "__asm", "asm", "__typeof__", "typeof",
    "__typeof", "_Alignas", "int", "char", "void", "short", "long", "float", "double", "signed",
    "unsigned", "__extension__", "_Static_assert",
))  # fmt: skip
_SPECIFIC = re.compile(r"[A-Za-z_]\w*|[(){}\[\];,=:*]")
_BRACKETS = {"(": 1, "[": 1, ")": -1, "]": -1}


@record
class _Declaration:
    """A declaration of a header: ``text``, and the marker that tells where it stands."""

    text: str
    file: str
    line: int
    always: bool  # a pragma that counts, a piece that our cut did not understand, a definition
    header: str  # where it ends; "": a header of the system


def prune(text: str, also: Collection[str] = ()) -> str:
    """Preprocessed text without the header declarations that neither the user's text nor what is
    called as one of ``also`` needs."""
    pieces, roots = _cut(text)
    retained = _needed([p for p in pieces if isinstance(p, _Declaration)], roots.union(also))
    return "\n".join(_retained_text(pieces, retained))


def _cut(text: str) -> tuple[list[str | _Declaration], set[str]]:
    """The user's text and the declarations of headers, and the names that the user's text has."""
    pieces: list[str | _Declaration] = []
    roots: set[str] = set()
    for own, run in _runs(text):
        if own:
            piece = text[run[0].start : run[-1].end]
            pieces.append(f'# {run[0].line} "{_quoted(run[0].file)}"\n{piece}')
            roots.update(_IDENTIFIER.findall(MARKER.sub("", piece)))
        else:
            pieces.extend(_declarations(text, run))
    return pieces, roots


def declared_in_headers(text: str) -> Iterator[tuple[str, str]]:
    """What the user's own headers declare in preprocessed text: each with the header it is in."""
    for own, run in _runs(text):
        for each in () if own else _declarations(text, run):
            if each.header:
                yield each.header, _without_markers(each.text)


def _retained_text(pieces: Iterable[str | _Declaration], retained: set[int]) -> Iterator[str]:
    for piece in pieces:
        if isinstance(piece, str):
            yield piece
        elif id(piece) in retained:
            yield f'# {piece.line} "{_quoted(piece.file)}"\n{piece.text}'


def _quoted(file: str) -> str:
    return file.replace("\\", "\\\\").replace('"', '\\"')


def _runs(text: str) -> Iterator[tuple[bool, list[Segment]]]:
    """Groups of neighbouring segments: each is all the user's own text, or all text of headers."""
    run: list[Segment] = []
    for segment in segments(text):
        if run and run[-1].own != segment.own:
            yield run[-1].own, run
            run = []
        run.append(segment)
    if run:
        yield run[-1].own, run


# --------------------------------------------------------------------------- cutting


def _declarations(text: str, run: list[Segment]) -> Iterator[_Declaration]:
    """Cut the text of headers at the ends of declarations: a ``;`` or a function's last ``}``."""
    start, depth, body = run[0].start, 0, False
    places = _Places(text, run)
    for stop in _STOPS.finditer(text, run[0].start, run[-1].end):
        match stop[0][0]:
            case "{":
                if depth == 0:
                    body = _opens_function(text[start : stop.start()])
                depth += 1
            case "}":
                depth -= 1
                if depth == 0 and body:
                    yield places.declaration(start, stop.end())
                    start = stop.end()
            case ";":
                if depth == 0:
                    yield places.declaration(start, stop.end())
                    start = stop.end()
            case "#":
                if stop[0].startswith(("#pragma pack", "#pragma weak")) and depth == 0:
                    yield places.declaration(start, stop.start(), always=True)
                    yield places.declaration(stop.start(), stop.end(), always=True)
                    start = stop.end()
            case _:
                pass
    if _MARKER_LINE.sub("", text[start : run[-1].end]).strip():
        yield places.declaration(start, run[-1].end, always=True)


def _opens_function(head: str) -> bool:
    """Whether the ``{`` after ``head`` starts a body rather than members or an initialiser."""
    bare = _MARKER_LINE.sub("", head)
    if "__attribute__" in bare:
        bare = without_attributes(bare)
    return bare.rstrip().endswith(")")


def without_attributes(text: str) -> str:
    """``text`` without ``__attribute__ ((...))`` and the like, which may nest parentheses."""
    parts: list[str] = []
    position = 0
    for found in re.finditer(r"\b(?:__attribute__|__attribute|__asm__|__asm|asm)\b\s*\(", text):
        if found.start() < position:
            continue
        parts.append(text[position : found.start()])
        position = _closing(text, found.end())
    parts.append(text[position:])
    return " ".join(parts)


def _closing(text: str, position: int) -> int:
    """The place after the parenthesis that closes the one before ``position``."""
    depth = 1
    for stop in re.compile(r'[()]|"(?:[^"\\]|\\.)*"').finditer(text, position):
        depth += {"(": 1, ")": -1}.get(stop[0], 0)
        if depth == 0:
            return stop.end()
    return len(text)


class _Places:
    """Finds the file and line of positions in a text, which must be asked for in ascending
    order."""

    def __init__(self, text: str, run: list[Segment]) -> None:
        self.text = text
        self.run = run
        self.index = 0

    def declaration(self, start: int, end: int, always: bool = False) -> _Declaration:
        while self.index + 1 < len(self.run) and self.run[self.index].end <= start:
            self.index += 1
        segment = self.run[self.index]
        line = segment.line + self.text.count("\n", segment.start, max(start, segment.start))
        text = self.text[start:end]
        header = self.header(end)
        retained = always or (not header.system and _exports(text))
        return _Declaration(
            text, segment.file, line, retained, "" if header.system else header.file
        )

    def header(self, end: int) -> Segment:
        """The segment that a declaration is in. Where it spans several, the last counts: blank
        lines and markers of other files may come before it."""
        index = self.index
        while index + 1 < len(self.run) and self.run[index + 1].start < end:
            index += 1
        return self.run[index]


def _exports(text: str) -> bool:
    return exports(_bare(text))


def _bare(text: str) -> str:
    bare = _without_markers(text)
    return without_attributes(bare) if "__a" in bare or "asm" in bare else bare


# --------------------------------------------------------------------------- names


def _needed(declarations: list[_Declaration], roots: set[str]) -> set[int]:
    """The ids of the declarations that the names in ``roots`` lead to."""
    declaring: dict[str, list[_Declaration]] = {}
    waiting = [d for d in declarations if d.always]
    for declaration in declarations:
        for name in declared_names(declaration.text):
            declaring.setdefault(name, []).append(declaration)
    for name in roots:
        waiting.extend(declaring.pop(name, ()))
    retained: set[int] = set()
    while waiting:
        declaration = waiting.pop()
        if id(declaration) in retained:
            continue
        retained.add(id(declaration))
        for name in _IDENTIFIER.findall(_without_markers(declaration.text)):
            waiting.extend(declaring.pop(name, ()))
    return retained


def declared_names(text: str) -> set[str]:
    """The names that one declaration of a header may introduce, tags and enumerators included.

    ``extern int f (int __x);`` gives ``{"f"}``; ``enum { A, B };`` gives ``{"A", "B"}``.
    """
    text = _without_markers(text)
    if "{" not in text:
        simple = _FUNCTION.match(text) or _TYPEDEF.match(text)
        if (
            simple
            and simple[1] not in _NOT_NAMES
            and not text.lstrip().startswith("typedef struct")
        ):
            return {simple[1]}
    return _names_by_tokens(without_attributes(text))


def _without_markers(text: str) -> str:
    return _MARKER_LINE.sub("", text) if "\n#" in text or text.startswith("#") else text


def _names_by_tokens(text: str) -> set[str]:
    """Names by their surroundings: before ``( [ ; , = :`` outside brackets, after ``(*``, tags, and
    everything that follows ``{`` or ``,`` in an enumeration."""
    names: set[str] = set()
    depth, braces, last, before, keyword = 0, 0, "", "", ""
    for token in _SPECIFIC.findall(text):
        if token[0] not in "(){}[];,=:*":
            if _introduces(before, depth) or (keyword == "enum" and braces and before in "{,"):
                names.add(token)
            keyword = token if token in _TAGGED else keyword
            last = token if braces == 0 else ""
        elif token in "{}":
            braces += 1 if token == "{" else -1
        elif depth == 0 and braces == 0 and token not in ")]*":
            names.add(last)
        depth += _BRACKETS.get(token, 0)
        before = token
    return names - _NOT_NAMES - {""}


def _introduces(before: str, depth: int) -> bool:
    return before in _TAGGED or (before == "*" and depth == 1)


# --------------------------------------------------------------------------- what may be different
# Which static functions and objects of the user's headers are not the same in two versions?
#
#     static inline int twice(int a) { return a + a; }      return a * 2;     twice
#     static inline int again(int a) { return twice(a); }   the same          again, which calls it
#     struct pair { int a; };                               long a;
#     static int first(struct pair p) { return p.a; }       the same          first


@record
class Static:
    """A static function or object of a header in two versions: its texts, "" where a version has
    none, and whether the files need it in both."""

    name: str
    old: str
    new: str
    needed: bool


def uneven_statics(old: str, new: str) -> Iterator[Static]:
    """The static functions and objects of the user's headers that two preprocessed texts do not
    have alike."""
    cuts = [_cut(text) for text in (old, new)]
    before, after = (
        [each for each in pieces if isinstance(each, _Declaration)] for pieces, _ in cuts
    )
    if _texts(before) == _texts(after):
        return
    headers = [_Headers.of(each) for each in (before, after)]
    names = {name for each in headers for name in each.texts}
    differing = {name for name in names if headers[0].texts.get(name) != headers[1].texts.get(name)}
    concerned = {name for each in headers for name in each.leading_to(differing)}
    uneven = concerned & {name for each in headers for name in each.statics}
    if not uneven:
        return
    needed = [
        _names_needed(found, cut[1]) for found, cut in zip((before, after), cuts, strict=True)
    ]
    for name in sorted(uneven):
        one, other = (each.statics.get(name, "") for each in headers)
        yield Static(name, one, other, all(name in each for each in needed))


def _texts(declarations: Iterable[_Declaration]) -> list[str]:
    return [_in_one_line(each.text) for each in declarations if each.header]


def _in_one_line(text: str) -> str:
    return " ".join(_without_markers(text).split())


def _names_needed(declarations: list[_Declaration], roots: set[str]) -> set[str]:
    retained = _needed(declarations, roots)
    return {
        name
        for each in declarations
        if each.header and id(each) in retained
        for name in _names_of(each.text)
    }


def _names_of(text: str) -> set[str]:
    """The names that a declaration introduces; of a function with a body its name alone."""
    bare = _bare(text)
    head, brace, _ = bare.partition("{")
    function = _FUNCTION.match(head) if brace and _opens_function(head) else None
    return {function[1]} if function is not None else declared_names(bare)


def statics_of(texts: Iterable[str]) -> set[str]:
    """The names that definitions of static functions and objects in the user's headers have."""
    return {
        name
        for text in texts
        for _, declared in declared_in_headers(text)
        if is_static(_bare(declared))
        for name in _names_of(declared)
    }


@dataclass(slots=True)
class _Headers:
    """What the user's headers declare. ``texts``: the declarations of each name; ``statics``: the
    definitions of static ones; ``naming``: the names whose declarations mention a name."""

    texts: dict[str, list[str]] = field(default_factory=dict)
    statics: dict[str, str] = field(default_factory=dict)
    naming: dict[str, set[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, declarations: Iterable[_Declaration]) -> _Headers:
        found = cls()
        for each in declarations:
            if each.header:
                found.add(_in_one_line(each.text))
        return found

    def add(self, text: str) -> None:
        names = _names_of(text)
        for name in names:
            self.texts.setdefault(name, []).append(text)
        for word in {*_IDENTIFIER.findall(text)}:
            self.naming.setdefault(word, set()).update(names)
        if is_static(_bare(text)):
            self.statics.update(dict.fromkeys(names, text))

    def leading_to(self, names: Collection[str]) -> set[str]:
        """These names, and those whose declarations mention one of them, or one that does."""
        found: set[str] = set()
        waiting = [*names]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += self.naming.get(name, ())
        return found
