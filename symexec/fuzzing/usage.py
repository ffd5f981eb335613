"""What ordinary command lines of a program look like, read from its text.

    "Usage: %s [OPTION]... FIRST INCREMENT LAST\\n"      three operands
    "  -d, --delimiter=DELIM   ..."                     -d takes a character
    case 'n': count = strtol(optarg, 0, 10);            -n takes an integer
    last = scan(argv[optind++]); ... strtold(s, &end)   operands are numbers with a fraction
    if (*s == '-') ... else if (*s == ',')              a list of ranges: 2-,4

The kind of a value is inferred from where it flows (assignments, arguments of the program's own
functions) and what is done to it there; what the usage text calls it counts as well. Nothing is
certain: whoever makes command lines draws other values now and then.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from enum import Enum

from csg.ir import ChangeInfo
from csg.language.syntax import (
    AddressOf,
    Assign,
    Binary,
    Break,
    Call,
    Case,
    Cast,
    Change,
    Comma,
    CompoundAssign,
    Conditional,
    Declaration,
    Dereference,
    Expression,
    Increment,
    Index,
    InitializerList,
    IntegerConstant,
    Linkage,
    Member,
    Name,
    StringLiteral,
    Switch,
    Symbol,
    TranslationUnit,
)
from csg.language.traversal import Tree, walk
from csg.language.types import Pointer
from csg.records import record
from symexec.fuzzing.option_table import Option

FARTHEST = 6  # assignments and calls that a value is followed through
MOST_OPERANDS = 5
LONGEST = 24  # bytes of a word that is compared with


class Kind(Enum):
    """The kind of a value of a command line."""

    INTEGER = "integer"
    REAL = "number with a fraction"
    RANGES = "list of numbers and ranges"
    CHARACTER = "character"
    FORMAT = "printf format"
    KEYWORD = "word that the program compares with"
    MARKED = "text with characters that the program looks for"
    FILE = "file"
    TEXT = "text"


@record
class Slot:
    """A value of a command line. ``marks``: characters, and ``keywords``: words, that the program
    compares it with."""

    kinds: tuple[Kind, ...] = (Kind.TEXT,)
    marks: bytes = b""
    keywords: tuple[bytes, ...] = ()


@record
class Usage:
    """What the program's text says of its command line. ``values`` of the options that take one, by
    name; ``counts``: possible numbers of operands; ``reads``: does the text mention standard input?
    ``numbers``: those in changes, with their neighbours."""

    options: tuple[Option, ...] = ()
    values: dict[bytes, Slot] = field(default_factory=dict)
    operand: Slot = Slot()
    counts: tuple[int, ...] = (0, 1, 2, 3)
    reads: bool = True
    numbers: tuple[int, ...] = ()


def usage_of(
    units: Sequence[TranslationUnit], options: Sequence[Option], changes: Sequence[ChangeInfo] = ()
) -> Usage:
    """The usage of a program. ``units``: the files whose text suggests inputs, main's among
    them."""
    texts = [
        tree.value.rstrip(b"\0").decode("latin-1")
        for tree in walk(*_bodies(units))
        if isinstance(tree, StringLiteral) and tree.unit == 1
    ]
    flow = _Flow(units)
    called = _called(texts)
    values = {}
    for option in options:
        if option.value:
            sources = flow.handled(option.code)
            values[option.name] = _slot(flow.facts(sources), called.get(option.name, ""))
    counts, names = _operands(texts)
    operand = _slot(flow.facts(flow.arguments), *names)
    if operand.keywords and max(counts) == 1:  # an expression: its words are operands
        counts = tuple(range(1, MOST_OPERANDS + 1))
    return Usage(tuple(options), values, operand, counts, _reads(units), _numbers(changes))


def _numbers(changes: Sequence[ChangeInfo]) -> tuple[int, ...]:
    texts = [_TEXT.sub("", f"{change.old_text} {change.new_text}") for change in changes]
    found = [int(each) for text in texts for each in _DECIMAL.findall(text)]
    return tuple(dict.fromkeys(near for each in found for near in (each, each - 1, each + 1)))


def _reads(units: Sequence[TranslationUnit]) -> bool:
    return any(
        isinstance(tree, Name)
        and (tree.symbol.name in _READS or _LIBRARY_FILE.fullmatch(tree.symbol.name))
        for tree in walk(*_bodies(units))
    )


# ------------------------------------------------------------------ the usage text

_USAGE = re.compile(r"(?:[Uu]sage:|^\s*or:)\s+(?:%s|[\w.-]+)([^\n]*)", re.MULTILINE)
_DECIMAL = re.compile(r"(?<![\w.])\d{1,9}(?![\w.])")
_TEXT = re.compile(r'"(?:\\.|[^"\\])*"')
_OPERAND = re.compile(r"(\[?)([-+]?[A-Z][A-Z0-9_]*)[A-Z0-9:.\[\]]*?(\]?)(\.\.\.)?(?=\s|$|\]|\.)")
_DESCRIBED = re.compile(
    r"^ {1,8}(-\w)?(?:, )?(--[\w-]+)?(?:\[?=\[?| )<?([A-Z][A-Z0-9_]*)\b", re.MULTILINE
)

_NAMES = {  # what usage texts call a value, as its name ends
    Kind.INTEGER: "N NUM NUMBER COUNT COLS COLUMNS COLUMN WIDTH SIZE BYTES LINES NUMS DIGITS CHARS "
    "LENGTH PAGES FIELD MARGIN TABS",
    Kind.REAL: "SECONDS DURATION",
    Kind.RANGES: "LIST RANGE RANGES TABS KEYDEF",
    Kind.CHARACTER: "CHAR DELIM C CC TAB SEPARATOR SEP DELIMITER",
    Kind.FORMAT: "FORMAT FMT",
    Kind.TEXT: "STRING STR PREFIX SUFFIX TEXT LINE WORD SET1 SET2",
    Kind.FILE: "FILE FILE1 FILE2 FILES INPUT OUTPUT NAME DIRECTORY DIR SOURCE DEST",
}
_KIND_OF = {name: kind for kind, names in _NAMES.items() for name in names.split()}


def _operands(texts: Iterable[str]) -> tuple[tuple[int, ...], list[str]]:
    """The possible numbers of operands, and their names; up to three of any kind when the text does
    not say."""
    counts: set[int] = set()
    names: list[str] = []
    for text in texts:
        for line in _USAGE.findall(text):
            fewest = most = 0
            for open_, name, _, more in _OPERAND.findall(line):
                if name.startswith("OPTION"):
                    continue
                names.append(name)
                optional = bool(open_) or line[: line.find(name)].count("[") > line[
                    : line.find(name)
                ].count("]")
                fewest += not optional
                most += 3 if more else 1
            counts |= set(range(fewest, max(fewest, most) + 1))
    found = tuple(sorted(count for count in counts if count <= MOST_OPERANDS))
    return found or (0, 1, 2, 3), names


def _called(texts: Iterable[str]) -> dict[bytes, str]:
    """The name of each option's value in the usage text."""
    found: dict[bytes, str] = {}
    for text in texts:
        for short, long, name in _DESCRIBED.findall(text):
            for option in filter(None, (short, long)):
                found.setdefault(option.encode(), name)
    return found


# ------------------------------------------------------------------ where a value flows

_Key = object  # a symbol's identity, or the name of what other files see, or of a field
_LIBRARY_REAL = re.compile(r"\w*strto(ld|d|f)\w*|atof|strtold")
_LIBRARY_INTEGER = re.compile(r"\w*strto\w*|ato(i|l|ll)|\w*(dec|num)to\w*")
_LIBRARY_FILE = re.compile(r"(x?f?re)?f?open(at|64)?|[lf]?stat(64)?|access|chdir|rename|unlink")
_READS = frozenset(("stdin", "getchar", "getchar_unlocked", "scanf", "gets", "read", "safe_read"))
_COMPARES = re.compile(r"(?:__builtin_|c_)?(?:str|mem)n?(?:case)?cmp|streq", re.IGNORECASE)
_SEEKS = re.compile(r"(?:__builtin_)?(?:strc?spn|strr?chr|memr?chr|strpbrk|strchrnul)")
_TALKS = re.compile(r"\w*(quote|error|usage|getopt|print|gettext|die|version)\w*")


@record
class _Facts:
    calls: frozenset[str] = frozenset()  # library functions that get the value
    characters: frozenset[int] = frozenset()
    words: tuple[bytes, ...] = ()
    single: bool = False  # its second character is compared with the terminating 0


class _Flow:
    """What is done with values. A name stands for all that is reached through it."""

    def __init__(self, units: Sequence[TranslationUnit]) -> None:
        self._goes: dict[_Key, list[_Key]] = defaultdict(list)
        self._calls: dict[_Key, set[str]] = defaultdict(set)
        self._characters: dict[_Key, set[int]] = defaultdict(set)
        self._words: dict[_Key, dict[bytes, None]] = defaultdict(dict)
        self._likened: dict[_Key, list[_Key]] = defaultdict(list)
        self._given: dict[_Key, dict[bytes, None]] = defaultdict(dict)  # literals as arguments
        self._single: set[_Key] = set()
        self._handlers: dict[int, dict[_Key, None]] = defaultdict(dict)
        self._defined = {
            function.symbol.name: function.parameters
            for unit in units
            for function in unit.functions
        }
        self.arguments: list[_Key] = []
        handlers: list[tuple[list[int], Tree]] = []
        for unit in units:
            for function in unit.functions:
                if function.symbol.name == "main" and len(function.parameters) > 1:
                    self.arguments.append(_key(function.parameters[1]))
                handlers += _handlers(function.body)
                self._read(function.body)
        self._read_handlers(handlers)

    def _read_handlers(self, handlers: Sequence[tuple[list[int], Tree]]) -> None:
        """Note what the code of each option does with its value: each option is a source of its
        own."""
        for codes, tree in handlers:
            if any(isinstance(each, Name) and each.symbol.name == "optarg" for each in walk(tree)):
                key = ("value", *codes)
                self._read(tree, {"optarg": key})
                for code in codes:
                    self._handlers[code][key] = None

    def handled(self, code: int | None) -> list[_Key]:
        return list(self._handlers.get(code, ())) if code is not None else []

    def _read(self, body: Tree, names: dict[str, _Key] | None = None) -> None:
        for tree in walk(body):
            match tree:
                case Assign(target=target, value=value):
                    self._assigned(_roots(target, names), value, names)
                case Declaration(symbol=symbol, initializer=value) if value is not None:
                    if not isinstance(value, InitializerList):
                        self._assigned([_key(symbol)], value, names)
                case Call(function=Name(symbol=called), arguments=arguments):
                    self._called(called, arguments, names)
                case Binary(left=left, right=right):
                    self._compared(left, right, names)
                    self._compared(right, left, names)
                case Switch(selector=selector, body=inner):
                    for item in inner.items:
                        if isinstance(item, Case) and item.low and 0 < item.low < 128:
                            for root in _roots(selector, names):
                                self._characters[root].add(item.low)

    def _assigned(
        self, targets: Iterable[_Key], value: Expression, names: dict[str, _Key] | None
    ) -> None:
        for root in _roots(value, names):
            self._goes[root] += targets

    def _called(
        self, called: Symbol, arguments: Sequence[Expression], names: dict[str, _Key] | None
    ) -> None:
        if _TALKS.fullmatch(called.name):
            return
        parameters = self._defined.get(called.name, ())
        compares = bool(_COMPARES.fullmatch(called.name))
        roots = [_roots(argument, names) for argument in arguments]
        texts = [_literals(argument) for argument in arguments]
        for place, keys in enumerate(roots):
            others = [each for at, each in enumerate(texts) if at != place]
            if place < len(parameters):
                self._given[_key(parameters[place])] |= dict.fromkeys(texts[place])
            for key in keys:
                if place < len(parameters):
                    self._goes[key].append(_key(parameters[place]))
                    continue
                self._calls[key].add(called.name)
                if compares:
                    self._words[key] |= dict.fromkeys(word for each in others for word in each)
                    self._likened[key] += [each for other in roots for each in other]
                elif _SEEKS.fullmatch(called.name):
                    self._characters[key].update(*(word for each in others for word in each))
                    self._characters[key].update(_characters(arguments))

    def _compared(self, one: Expression, other: Expression, names: dict[str, _Key] | None) -> None:
        """Note a comparison with a character, or with the end of a text of one character."""
        bare = other
        while isinstance(bare, Cast):
            bare = bare.operand
        if not isinstance(bare, IntegerConstant) or not 0 <= bare.value < 128:
            return
        for root in _roots(one, names):
            if bare.text.startswith("'") and bare.value:
                self._characters[root].add(bare.value)
            elif bare.value == 0 and _second_character(one):
                self._single.add(root)

    def facts(self, sources: Iterable[_Key]) -> _Facts:
        """The facts about all values that come from these sources."""
        reached = dict.fromkeys(sources)
        latest = list(reached)
        for _ in range(FARTHEST):
            latest = [key for each in latest for key in self._goes[each] if key not in reached]
            reached |= dict.fromkeys(latest)
        words: dict[bytes, None] = {}
        for key in reached:
            words |= self._words[key]
            for other in self._likened[key]:
                words |= self._given[other]
        return _Facts(
            frozenset().union(*(self._calls[key] for key in reached)),
            frozenset().union(*(self._characters[key] for key in reached)),
            tuple(word for word in words if 0 < len(word) <= LONGEST),
            any(key in self._single for key in reached),
        )


def _literals(tree: Tree) -> list[bytes]:
    """The texts that an argument may be."""
    while isinstance(tree, Cast):
        tree = tree.operand
    match tree:
        case StringLiteral(value=value, unit=1):
            return [value.rstrip(b"\0")]
        case Conditional(then=then, otherwise=otherwise):
            return [
                text for each in (then, otherwise) if each is not None for text in _literals(each)
            ]
        case Change(old=old, new=new):
            return [*_literals(old), *_literals(new)]
        case _:
            return []


def _characters(arguments: Iterable[Tree]) -> Iterator[int]:
    for each in arguments:
        while isinstance(each, Cast):
            each = each.operand  # noqa: PLW2901
        if isinstance(each, IntegerConstant) and each.text.startswith("'") and each.value > 0:
            yield each.value


def _key(symbol: Symbol) -> _Key:
    """The key of a symbol: its name where other files, or the other version, see it by name."""
    return symbol.name if symbol.linkage is Linkage.EXTERNAL else id(symbol)


def _roots(tree: Expression, names: dict[str, _Key] | None = None) -> list[_Key]:
    """The keys of the values that an expression is, or is part of, except for counters and pointers
    into them."""
    found: list[_Key] = []
    waiting: list[Tree] = [tree]
    while waiting:
        match waiting.pop():
            case Name(symbol=symbol):
                found.append((names or {}).get(symbol.name) or _key(symbol))
            case Member(field=part):
                found.append(("field", part.name))
            case Cast(operand=inner) | Dereference(operand=inner) | AddressOf(operand=inner):
                waiting.append(inner)
            case Increment(operand=inner) | Index(base=inner) | Assign(target=inner):
                waiting.append(inner)
            case CompoundAssign(target=inner) | Comma(right=inner):
                waiting.append(inner)
            case Binary(operator="+" | "-", left=left, right=right):
                waiting += [left, right]
            case Conditional(then=then, otherwise=otherwise):
                waiting += [otherwise] if then is None else [then, otherwise]
            case Change(old=old, new=new):
                waiting += [old, new]
            case Call(arguments=arguments, type=Pointer()):
                waiting += arguments
            case _:
                pass
    return found


def _second_character(tree: Expression) -> bool:
    for each in walk(tree):
        match each:
            case Index(index=IntegerConstant(value=1)):
                return True
            case Dereference(operand=Binary(operator="+", right=IntegerConstant(value=1))):
                return True
            case Dereference(operand=Increment(prefix=True)):
                return True
    return False


def _handlers(body: Tree) -> Iterator[tuple[list[int], Tree]]:
    """The statements behind the labels of each switch, each with the values of the labels."""
    for tree in walk(body):
        if not isinstance(tree, Switch):
            continue
        codes: list[int] = []
        ended = False
        for item in tree.body.items:
            match item:
                case Case(low=int(code)):
                    codes = [code] if ended else [*codes, code]
                    ended = False
                case Break():
                    ended = True
                case _:
                    ended = ended and not codes
                    if codes:
                        yield list(codes), item


def _bodies(units: Iterable[TranslationUnit]) -> Iterator[Tree]:
    for unit in units:
        for function in unit.functions:
            yield function.body
        for each in unit.declarations:
            if each.initializer is not None:
                yield each.initializer


# ------------------------------------------------------------------ what it reads like


def _slot(facts: _Facts, *names: str) -> Slot:
    """The kind of a value: by what is done with it, then by its name."""
    kinds: dict[Kind, None] = {}
    marks = bytes(sorted(mark for mark in facts.characters if not chr(mark).isalnum()))
    if any(_LIBRARY_REAL.fullmatch(each) for each in facts.calls):
        kinds[Kind.REAL] = None
    elif any(_LIBRARY_INTEGER.fullmatch(each) for each in facts.calls):
        kinds[Kind.INTEGER] = None
    if b"%" in marks:
        kinds[Kind.FORMAT] = None
    if b"," in marks:
        kinds[Kind.RANGES] = None
    elif not kinds and {b"-", b"0"} <= {bytes([each]) for each in facts.characters}:
        kinds[Kind.INTEGER] = None  # the program reads it character by character
    if facts.single:
        kinds[Kind.CHARACTER] = None
    words = tuple(word for word in facts.words if word != b"-")
    if words:
        kinds[Kind.KEYWORD] = None
    for name in names:
        kind = _KIND_OF.get(name.strip("+-"))
        if kind is not None and not (kind is Kind.INTEGER and Kind.REAL in kinds):
            kinds[kind] = None
    if any(_LIBRARY_FILE.fullmatch(each) for each in facts.calls):
        kinds[Kind.FILE] = None
    if facts.characters:
        kinds[Kind.MARKED] = None
    return Slot(tuple(kinds) or (Kind.TEXT,), bytes(sorted(facts.characters)), words)
