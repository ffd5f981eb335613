"""Read the assembly that a C compiler writes: each function and object with all that it means.

    static const char b[] = "a,b";     .section .rodata.b,"a"     Piece(head=('.section .rodata.*
    int f(void) { return b[0]; }       b:  .string "a,b"          ,"a"',), lines=('.string "a,b"',))
                                       f:  movzbl b(%rip), ...

It names what a linker would only number: constants, static objects of a function and jump tables
are labels here. ``Reader.text`` writes a symbol with these numbered in order of use and their
content below, and with other symbols called as a caller says. Two symbols with equal text become
equal parts of equal programs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from csg.records import record

_LABEL = re.compile(r'^("[^"]+"|[A-Za-z_.$][\w.$]*):\s*(.*)$')
_WORD = re.compile(r"(?<![%\w.@])[A-Za-z_.][\w.$]*")
_SET = re.compile(r"^(?:\.(?:set|equ)\s+([\w.$]+)\s*,|([\w.$]+)\s*=)\s*(.+)$")
# About a symbol, wherever they stand.
_OF_SYMBOLS = frozenset(
    {".globl", ".global", ".weak", ".hidden", ".protected", ".internal", ".type", ".size"}
    | {".comm", ".lcomm", ".local", ".symver", ".weakref"}
)
_LINKING = frozenset({".globl", ".weak", ".hidden", ".protected", ".internal"})
_SECTIONS = frozenset({".section", ".pushsection", ".text", ".data", ".bss", ".subsection"})
_BACK = frozenset({".popsection", ".previous"})
_ALIGNMENTS = frozenset({".align", ".p2align", ".balign"})
_SILENT = re.compile(r"\.(?:file|ident|loc|cfi_\w+|addrsig\w*)\b|#")
_TEXTS = (".string", ".ascii", ".asciz")
# Where the compiler itself puts what is const, and what is not. An attribute may name the sections
# without "*", or with other flags.
_STANDARD = re.compile(r'\.rodata\.\*,"a"|\.(?:data|bss)\.\*,"aw"(?:,@nobits)?')
_CONTENT = (".size", ".comm", ".lcomm")
_ON_STACK = ".note.GNU-stack"


@record
class Piece:
    """A label and what follows it. ``head`` is its section, its own name replaced by ``*``, and its
    alignment."""

    head: tuple[str, ...]
    lines: tuple[str, ...]
    code: bool


@dataclass(slots=True)
class Assembly:
    """One compiled file. ``marks``: what is said of a symbol (binding, visibility, kind, size),
    ``loose``: what stands under no label, with its section, ``words``: the names that are used;
    ``placed``: labels, and in their place the lines under no label, in their order, with sections.
    """

    pieces: dict[str, Piece] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    marks: dict[str, tuple[str, ...]] = field(default_factory=dict)
    loose: tuple[tuple[str, str], ...] = ()
    placed: tuple[tuple[str, str, str], ...] = ()
    words: frozenset[str] = frozenset()

    def linking(self, label: str) -> tuple[str, ...]:
        """Which other files see a symbol, and whether theirs goes first."""
        return tuple(each for each in self.marks.get(label, ()) if each in _LINKING)

    @property
    def exported(self) -> frozenset[str]:
        """The symbols that this file defines for others as well."""
        names = {*self.pieces, *self.aliases}
        names |= {name for name, said in self.marks.items() if _is_common(said)}
        return frozenset(name for name in names if _is_global(self.marks.get(name, ())))

    def users(self, name: str) -> frozenset[str]:
        """The labels whose content names ``name``."""
        return frozenset(
            label
            for label, piece in self.pieces.items()
            if any(name in words_of(line) for line in piece.lines)
        )


def _is_common(said: tuple[str, ...]) -> bool:
    return any(each.startswith((".comm", ".lcomm")) for each in said)


def _is_global(said: tuple[str, ...]) -> bool:
    return any(each.startswith((".glob", ".weak", ".comm")) for each in said) and (
        ".local" not in said
    )


def read_assembly(text: str) -> Assembly:
    """Read what gcc or clang wrote for ``-S``."""
    reading = _Reading()
    for line in text.splitlines():
        stripped = line.strip()
        if stripped and not _SILENT.match(stripped):
            reading.take(stripped)
    return reading.finished()


class _Reading:
    def __init__(self) -> None:
        self._found = Assembly()
        self._marks: dict[str, list[str]] = {}
        self._loose: list[tuple[str, str]] = []
        self._placed: list[tuple[str, str, str]] = []
        self._words: set[str] = set()
        self._section, self._before = ".text", ".text"
        self._declared: dict[str, str] = {}  # the sections with their flags, by name
        self._alignment: tuple[str, ...] = ()
        self._function = ""  # whose text is being read
        self._label, self._head = "", ()  # type: tuple[str, tuple[str, ...]]
        self._lines: list[str] = []

    def take(self, line: str) -> None:
        if self._function:
            self._in_function(line)
            return
        labelled = _LABEL.match(line)
        if labelled is not None:
            self._begin(labelled[1].strip('"'))
            if labelled[2]:
                self.take(labelled[2])
            return
        word = line.split(None, 1)[0]
        assigned = _SET.match(line)
        if assigned is not None:
            self._found.aliases[assigned[1] or assigned[2]] = assigned[3]
            self._words.update(words_of(assigned[3]))
        elif word in _OF_SYMBOLS:
            self._mark(line)
        elif word in _SECTIONS or word in _BACK:
            self._enter(line, word)
        elif word in _ALIGNMENTS:
            self._end()
            self._alignment = (*self._alignment, line)
        elif self._label:
            self._lines.append(line)
        else:
            whole = " ".join((*self._alignment, line))
            self._loose.append((self._section, whole))
            self._placed.append((self._section, "", whole))
            self._words.update(words_of(line))

    def finished(self) -> Assembly:
        self._end()
        found = self._found
        found.marks = {name: tuple(sorted(set(said))) for name, said in self._marks.items()}
        loose = (each for each in self._loose if _ON_STACK not in each[0])
        found.loose = tuple(loose)
        found.placed = tuple(self._placed)
        for piece in found.pieces.values():
            self._words.update(word for line in piece.lines for word in words_of(line))
        found.words = frozenset(self._words)
        return found

    def _in_function(self, line: str) -> None:
        if re.match(rf"\.size\s+{re.escape(self._function)}\s*,", line):
            self._end()
            return
        if line.startswith(".section"):  # of a jump table, or of code that is hardly reached
            line = f".section {self._with_flags(line.removeprefix('.section').strip())}"
            line = re.sub(rf"\.{re.escape(self._function)}(?![\w.$])", ".*", line)
        self._lines.append(line)

    def _begin(self, label: str) -> None:
        alignment = self._alignment
        self._end()
        section = self._section
        name, comma, rest = section.partition(",")
        if name.endswith(f".{label}"):
            section = name.removesuffix(label) + "*" + comma + rest
        self._label, self._head = label, (section, *alignment)
        self._placed.append((section, label, ""))
        if any("function" in each for each in self._marks.get(label, ())):
            self._function = label

    def _end(self) -> None:
        if self._label:
            code = bool(self._function)
            self._found.pieces[self._label] = Piece(self._head, tuple(self._lines), code)
        self._label, self._function, self._lines, self._alignment = "", "", [], ()

    def _mark(self, line: str) -> None:
        word, _, rest = line.partition("\t") if "\t" in line else line.partition(" ")
        name, comma, more = rest.strip().partition(",")
        if word == ".size" and not more.strip().isdigit():
            return
        said = f"{'.globl' if word == '.global' else word} {comma}{more.strip()}".strip()
        self._marks.setdefault(name.strip(), []).append(said)

    def _enter(self, line: str, word: str) -> None:
        self._end()
        if word in _BACK:
            self._section, self._before = self._before, self._section
            return
        name = line.removeprefix(word).strip() if word in (".section", ".pushsection") else word
        self._before, self._section = self._section, self._with_flags(name)

    def _with_flags(self, section: str) -> str:
        """A section as it was declared first: later its name may stand alone."""
        name, comma, _ = section.partition(",")
        found = section.replace(",@progbits", "")
        return self._declared.setdefault(name, found) if comma else self._declared.get(name, found)


def _writable(head: str) -> str:
    """The section of what begins as zeros, as that of what begins as something else."""
    return head.replace(".bss", ".data", 1).replace(',"aw",@nobits', ',"aw"')


def words_of(line: str) -> list[str]:
    """The names in a line of assembly: without its instruction, and those inside of texts."""
    if line.startswith(_TEXTS):
        return []
    _, _, operands = line.replace("\t", " ").partition(" ")
    return _WORD.findall(operands)


# ------------------------------------------------------------------ text of a symbol


Names = Mapping[str, str]  # of assembly, and of the unified program
Filter = Callable[[str], str]


def _as_it_is(head: str) -> str:
    return head


def without_const(head: str) -> str:
    """The section of an object without whether it can be written to."""
    return ".data" if _STANDARD.fullmatch(head) else head


@dataclass(slots=True)
class Reader:
    """Writes symbols of one file. ``names``: what others know its symbols by."""

    assembly: Assembly
    names: Names

    def text(self, label: str, heads: Filter = _as_it_is) -> str:
        """All that the compiler made of a symbol."""
        return "\n".join(self._written(label, heads))

    def called(self, name: str) -> str:
        """What a symbol is called by others."""
        return self.names.get(name, name)

    def of_line(self, line: str) -> str:
        """A line outside of all symbols, with names as others know them."""
        return self._line(line, {})

    def statics(self, label: str) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The static objects of a function, by their names in C and their sizes: how they are
        stored."""
        seen: set[str] = set()
        for line in self.assembly.pieces[label].lines:
            for word in words_of(line):
                if word in seen or word.startswith(".L") or not self._is_inner(word):
                    continue
                seen.add(word)
                said = self.assembly.marks.get(word, ())
                size = next((each for each in said if each.startswith(".size")), "")
                yield f"{word.rpartition('.')[0]} {size}", self.storage(word)

    def storage(self, label: str) -> tuple[str, ...]:
        """How a symbol is stored and seen, whatever it holds."""
        piece = self.assembly.pieces.get(label)
        heads = (_writable(head) for head in piece.head) if piece is not None else ()
        said = self.assembly.marks.get(label, ())
        other = (each for each in said if not each.startswith(_CONTENT) and each not in _LINKING)
        return (*heads, *other)

    def _written(self, label: str, heads: Filter) -> Iterator[str]:
        numbers: dict[str, int] = {}
        waiting = [label]
        at = 0
        while at < len(waiting):
            each = waiting[at]
            at += 1
            yield f"{numbers.get(each, '')}:"
            said = self.assembly.marks.get(each, ())
            yield from (mark for mark in said if mark not in _LINKING)
            if each in self.assembly.aliases:
                yield f"= {self._line(f'. {self.assembly.aliases[each]}', numbers)}"
            piece = self.assembly.pieces.get(each)
            if piece is None:
                continue
            yield from (heads(head) for head in piece.head)
            before = len(numbers)
            for line in piece.lines:
                yield self._line(line, numbers, heads)
            named = list(numbers)[before:]
            waiting += [name for name in named if name in self.assembly.pieces]

    def _line(self, line: str, numbers: dict[str, int], heads: Filter = _as_it_is) -> str:
        if line.startswith(_TEXTS):
            return line
        labelled = _LABEL.match(line)
        if labelled is not None:
            return f"{self._word(labelled[1], numbers)}: {labelled[2]}"
        first, space, operands = line.replace("\t", " ").partition(" ")
        written = _WORD.sub(lambda found: self._word(found[0], numbers), operands)
        return f"{first}{space}{written.replace('@PLT', '')}"

    def _word(self, word: str, numbers: dict[str, int]) -> str:
        if self._is_inner(word):
            return f"<{numbers.setdefault(word, len(numbers))}>"
        return self.names.get(word, word)

    def _is_inner(self, word: str) -> bool:
        """Is it known to nobody but what uses it: a constant, a jump, a static object of a
        function?"""
        if word in self.names:
            return False
        if word.startswith(".L"):
            return True
        own = word in self.assembly.pieces or _is_common(self.assembly.marks.get(word, ()))
        return own and "." in word
