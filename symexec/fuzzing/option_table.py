"""The options and words that a program knows, read from its text: what its command line may hold.

    getopt_long(argc, argv, "+f:s:w", table)     -f VALUE  -s VALUE  -w
    {"separator", required_argument, 0, 's'}     the same as -s
    {"help", no_argument, 0, 130}                --help
    strcmp(argv[1], "-x") == 0                   -x
    switch (argv[i][1]) { case 'x': ..           -x, where there is no getopt
    if (is(word, "list")) show_all();            list, when show_all is changed
    n > 1000                                     the numbers 999 1000 1001
    strtol(text, &end, 10)                       texts of numbers that no long can hold
    {"alpha", isalpha}, s[1] == ':', s[0] == '[' the word [:alpha:]
    case 't': if (!strcmp(optarg, "xml"))        xml, a value of -t

``near`` ranks an option by what handles it: 0 calls a changed function or names something that a
change names, 1 something that a changed function names, or that guards a change, 2 neither. When
none is nearer than another, all are near.

    case 'h': usage(0);                          -h ends the program: no other word counts
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from csg.ir import ChangeInfo
from csg.language.syntax import (
    Assign,
    Binary,
    Break,
    Call,
    Case,
    Cast,
    Change,
    Comma,
    Compound,
    ComputedGoto,
    Continue,
    Declaration,
    Execute,
    Expression,
    ExpressionStatement,
    FunctionDefinition,
    Goto,
    If,
    InitializerEntry,
    InitializerList,
    IntegerConstant,
    Member,
    Name,
    Return,
    Statement,
    StringLiteral,
    Switch,
    Symbol,
    TranslationUnit,
    Version,
)
from csg.language.traversal import Tree, walk
from csg.language.types import Integer, Pointer, Type
from csg.lower.expressions import never_returns
from csg.records import record

_LETTERS = re.compile(rb"[+:-]?[A-Za-z0-9][A-Za-z0-9:]*")  # what getopt is given
_WORD = re.compile(rb"[A-Za-z0-9][\w.-]{1,30}")
_LONGEST, _LONGEST_PHRASE = 32, 64
_DIRECTIVE = re.compile(
    rb"%[-+ #0*']*\d*(?:\.[\d*]*)?(?:hh|h|ll|l|j|z|t|L)?(\[\^?\]?[^]]*\]|[a-zA-Z%])"
)
_READS_INTEGERS = re.compile(
    r"\w*strto(?:u?(?:l|ll|max|q)|[iu]max)\w*|ato(?:i|ll?|q)|\w*scanf|isdigit"
)
_READS_FRACTIONS = re.compile(r"\w*strto(?:f|d|ld)\w*|atof|\w*scanf")
# The first that int, unsigned, long and unsigned long cannot hold, above and below.
_INTEGERS_OUT_OF_RANGE = tuple(
    str(number).encode()
    for number in (1 << 31, 1 << 32, 1 << 63, 1 << 64, -(1 << 31) - 1, -(1 << 63) - 1)
)
_FRACTIONS_OUT_OF_RANGE = (b"1e999", b"-1e999", b"1e-999")
_INSTANCES = {b"s": b"a", b"c": b"a", b"f": b"1.5", b"g": b"1.5", b"e": b"1e5", b"%": b"%"}


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words and numbers of a program's text in a fixed order, those most useful for tests
    first."""

    numbers: tuple[int, ...]  # the source's constants, characters aside, each with its neighbours
    letters: bytes  # letters that the program tells apart
    separators: bytes  # other characters that it tells apart
    options: tuple[bytes, ...]  # -b, --complement
    words: tuple[bytes, ...]  # strings of the source that may be an argument
    phrases: tuple[bytes, ...] = ()  # the others, of formats what they may stand for
    out_of_range: tuple[bytes, ...] = ()  # numbers that what it converts texts to cannot hold
    framed: tuple[bytes, ...] = ()  # words of tables as the program may read them: [:alpha:]

    @property
    def alphabet(self) -> bytes:
        """The characters to put in a string: a few of each kind, then the rest."""
        mixed = b"01-a" + self.separators + b"29" + self.letters + b"b \n"
        return bytes(dict.fromkeys(mixed))

    def led_by(self, names: Sequence[bytes]) -> Vocabulary:
        """The vocabulary with these options and keywords in front."""
        options = [name for name in names if name.startswith(b"-")]
        keywords = [name for name in names if not name.startswith(b"-")]
        return replace(
            self,
            options=tuple(dict.fromkeys((*options, *self.options))),
            words=tuple(dict.fromkeys((*keywords, *self.words))),
        )


def vocabulary(*units: TranslationUnit) -> Vocabulary:
    """The vocabulary of the user's own functions and objects in these files."""
    numbers: dict[int, None] = {}
    texts: dict[bytes, None] = {}
    tables: dict[bytes, None] = {}  # texts that are elements or members of an object
    characters: dict[int, None] = {}
    out_of_range: dict[bytes, None] = {}
    for tree in walk(*_roots(units)):
        match tree:
            case Call(function=Name(symbol=called)):
                out_of_range |= dict.fromkeys(_out_of_range(called.name))
            case IntegerConstant(value=value, text=text) | Case(low=int(value), text=text):
                if text.startswith("'"):
                    characters[value & 0xFF] = None
                else:
                    numbers[value] = None
            case StringLiteral(value=value, unit=1):
                texts[value] = None
            case InitializerList(entries=entries):
                tables |= dict.fromkeys(
                    each.value.value
                    for each in entries
                    if isinstance(each.value, StringLiteral) and each.value.unit == 1
                )
    found = _vocabulary(numbers, texts, bytes(characters))
    return replace(
        found,
        out_of_range=tuple(out_of_range),
        framed=framed([each for each in tables if _NAME.fullmatch(each)], found.separators),
    )


def framed(names: Sequence[bytes], separators: bytes) -> tuple[bytes, ...]:
    """Names in the brackets and between the marks that a program tells apart, as ``[:alpha:]``: all
    around the first name, then one after the other around those behind it."""
    pairs = [pair for pair in _BRACKETS if set(pair) <= set(separators)]
    marks = [b"", *(bytes([mark]) for mark in separators if mark in _MARKS)]
    frames = [(pair[:1] + mark, mark + pair[1:]) for pair in pairs for mark in marks]
    found = (before + name + behind for name in names for before, behind in frames)
    return tuple(islice(found, MOST_FRAMED))


def _out_of_range(function: str) -> Iterator[bytes]:
    """Texts of numbers that the function cannot convert: C17 7.22.1 has strtol give ERANGE."""
    if _READS_INTEGERS.fullmatch(function):
        yield from _INTEGERS_OUT_OF_RANGE
    if _READS_FRACTIONS.fullmatch(function):
        yield from _FRACTIONS_OUT_OF_RANGE


def _roots(units: Iterable[TranslationUnit]) -> list[Tree]:
    found: list[Tree] = []
    for unit in units:
        found += [function.body for function in unit.functions]
        found += [each.initializer for each in unit.declarations if each.initializer is not None]
    return found


def _vocabulary(numbers: Iterable[int], texts: Iterable[bytes], characters: bytes) -> Vocabulary:
    letters: dict[int, None] = dict.fromkeys(b for b in characters if chr(b).isalnum())
    separators = dict.fromkeys(b for b in characters if b and not chr(b).isalnum() and b < 0x80)
    words: dict[bytes, None] = {}
    options: dict[bytes, None] = {}
    phrases: dict[bytes, None] = {}
    for text in texts:
        if _LETTERS.fullmatch(text) and b":" in text:
            letters |= dict.fromkeys(b for b in text if chr(b).isalnum())
        if text.startswith(b"-") and _WORD.fullmatch(text.lstrip(b"-")):
            options[text] = None
        elif _WORD.fullmatch(text):
            options[b"--" + text] = None
        if 0 < len(text) <= _LONGEST and not set(text) & set(b"%\n "):
            words[text] = None
        elif len(text) <= _LONGEST_PHRASE:
            phrases |= dict.fromkeys(_formatted(text))
        if len(text) <= 2:
            separators |= dict.fromkeys(b for b in text if not chr(b).isalnum() and b < 0x80)
    near = {value + step: None for value in numbers for step in (0, -1, 1)}
    short = {b"-" + bytes([letter]): None for letter in letters if not chr(letter).isdigit()}
    return Vocabulary(
        tuple(near),
        bytes(letters),
        bytes(separators),
        tuple(short | options),
        tuple(words),
        tuple(phrases),
    )


def _formatted(text: bytes) -> Iterator[bytes]:
    """What a format may read or write, and the text between its directives."""
    if _DIRECTIVE.search(text) is None:
        yield text
        return
    yield _DIRECTIVE.sub(lambda found: _instance(found[1]), text)
    for piece in _DIRECTIVE.split(text)[::2]:
        if piece.strip():
            yield piece


def _instance(conversion: bytes) -> bytes:
    """A text for a directive; for a set of characters one of them."""
    if conversion.startswith(b"["):
        return b"1" if conversion[1:2] == b"^" else conversion[1:2]
    return _INSTANCES.get(conversion, b"1")


NONE, REQUIRED, OPTIONAL = 0, 1, 2  # as ``has_arg`` of struct option has them
FAR = 2
INFORMING = frozenset((b"--help", b"--version", b"--usage"))  # GNU Coding Standards, 4.8

_READERS = frozenset({"getopt", "getopt_long", "getopt_long_only", "__posix_getopt"})
_COMPARISONS = re.compile(r"(?:__builtin_)?(?:str|mem)n?(?:case)?cmp|streq", re.IGNORECASE)
_SEEKS = re.compile(r"(?:__builtin_)?(?:strc?spn|strr?chr|memr?chr|strpbrk|strchrnul)")
# fields that, next to a name, make a record an option
_FLAGS = frozenset({"has_arg", "val", "key", "flag", "arg"})
_NAME = re.compile(rb"[A-Za-z_][\w-]*")
_BRACKETS = (b"[]", b"{}", b"()", b"<>")
_MARKS = b":=.%$*@#^!|\"'"  # that may stand inside of brackets, or around a word without any
MOST_FRAMED = 96
_IDENTIFIER = re.compile(r"[A-Za-z_]\w+")
_KEYWORD = re.compile(rb"[A-Za-z][\w-]{1,30}")
_VALUE = re.compile(rb"[A-Za-z0-9][!-~]{0,30}")
MOST_VALUES = 16  # of one option
_LITERAL = re.compile(r'"(?:\\.|[^"\\])*"')


@record
class Option:
    """An option or a keyword. ``name`` has its dashes, or is a word without any. ``value``: NONE,
    REQUIRED or OPTIONAL; ``code`` is what the reader of options returns for it, None when the
    program compares by itself. ``ends``: the program only prints information, and ends.
    ``values``: texts that the code which handles it compares with."""

    name: bytes
    value: int = NONE
    code: int | None = None
    near: int = FAR
    ends: bool = False
    values: tuple[bytes, ...] = ()

    @property
    def short(self) -> bool:
        return len(self.name) == 2 and self.name.startswith(b"-")


def option_table(
    units: Sequence[TranslationUnit],
    changes: Sequence[ChangeInfo] = (),
    guarding: frozenset[str] = frozenset(),
) -> tuple[Option, ...]:
    """The options, those nearest to a change first; of options that do the same, the one with the
    shortest name. ``guarding``: names of variables that guard the changes."""
    handlers = _Handlers(units, changes, guarding)
    found: dict[bytes, Option] = {each.name: each for each in handlers.keywords()}
    codes: set[int] = set()
    options = [*_read_by_getopt(units), *_tables(units), *_compared(units)]
    if not any(each.short for each in options):
        options += _switched(units)
    for option in sorted(options, key=lambda each: not each.short):
        if option.name in found or option.code in codes:
            continue
        if option.code is not None:
            codes.add(option.code)
        found[option.name] = handlers.ranked(option)
    nearest = min((each.near for each in found.values()), default=FAR)
    if nearest == FAR:
        found = {name: replace(each, near=1) for name, each in found.items()}
    return tuple(sorted(found.values(), key=lambda each: each.near))


# ------------------------------------------------------------------ where options are written


def _bodies(units: Iterable[TranslationUnit]) -> Iterator[FunctionDefinition]:
    for unit in units:
        yield from unit.functions


def _read_by_getopt(units: Sequence[TranslationUnit]) -> Iterator[Option]:
    for function in _bodies(units):
        for tree in walk(function.body):
            match tree:
                case Call(function=Name(symbol=called), arguments=(_, _, letters, *_)) if (
                    called.name in _READERS
                ):
                    for text in walk(letters):
                        if isinstance(text, StringLiteral):
                            yield from _letters(text.value)


def _letters(text: bytes) -> Iterator[Option]:
    """The options in a text for getopt: f: s w::"""
    for place, letter in enumerate(text):
        if not chr(letter).isalnum():
            continue
        behind = text[place + 1 : place + 3]
        value = OPTIONAL if behind == b"::" else REQUIRED if behind[:1] == b":" else NONE
        yield Option(b"-" + bytes([letter]), value, letter)


def _tables(units: Sequence[TranslationUnit]) -> Iterator[Option]:
    """The options in rows of records that have a name and the fields of struct option or struct
    argp_option."""
    for unit in units:
        for declared in unit.declarations:
            if isinstance(declared.initializer, InitializerList):
                yield from _rows(declared.initializer)
        for function in unit.functions:
            for tree in walk(function.body):
                if isinstance(tree, Declaration) and isinstance(tree.initializer, InitializerList):
                    yield from _rows(tree.initializer)


def _rows(table: InitializerList) -> Iterator[Option]:
    rows: dict[object, dict[object, InitializerEntry]] = {}
    for entry in table.entries:
        if len(entry.path) >= 2:
            rows.setdefault(entry.path[:-1], {})[entry.path[-1]] = entry
    for row in rows.values():
        if "name" not in row or not _FLAGS & row.keys():
            continue
        texts = [each for each in walk(row["name"].value) if isinstance(each, StringLiteral)]
        if not texts:
            continue
        code = _number(row.get("val") or row.get("key"))
        name = texts[0].value.rstrip(b"\0")
        yield Option(b"--" + name, _takes(row), code)
        if "key" in row and code is not None and code < 128 and chr(code).isalnum():
            yield Option(b"-" + bytes([code]), _takes(row), code)


def _takes(row: dict[object, InitializerEntry]) -> int:
    if "has_arg" in row:
        return _number(row["has_arg"]) or NONE
    named = "arg" in row and any(isinstance(each, StringLiteral) for each in walk(row["arg"].value))
    return REQUIRED if named else NONE


def _number(entry: InitializerEntry | None) -> int | None:
    if entry is None:
        return None
    value = entry.value
    found = getattr(value, "value", None)  # a constant or an enumerator
    if isinstance(found, int):
        return found
    constants = [each for each in walk(value) if isinstance(each, IntegerConstant)]
    return constants[0].value if len(constants) == 1 else None


def _compared(units: Sequence[TranslationUnit]) -> Iterator[Option]:
    """Words with a dash that the program compares with; whether they take values is not known."""
    for function in _bodies(units):
        for tree in walk(function.body):
            match tree:
                case Call(function=Name(symbol=called), arguments=arguments) if (
                    _COMPARISONS.fullmatch(called.name)
                ):
                    for text in walk(*arguments):
                        if isinstance(text, StringLiteral) and _is_option(text.value):
                            yield Option(text.value)


def _switched(units: Sequence[TranslationUnit]) -> Iterator[Option]:
    """The letters that a program without getopt tells apart behind a dash: those of a switch over
    what comes of argv. An option whose code mentions that again takes a value."""
    for function in _bodies(units):
        words = {each for each in function.parameters if _is_argv(each.type)}
        if not words or not any(map(_is_dash, walk(function.body))):
            continue
        words |= _made_of(words, function.body)
        for tree in walk(function.body):
            if isinstance(tree, Switch) and _symbols(tree.selector) & words:
                yield from _lettered(tree.body, words)


def _is_argv(kind: Type) -> bool:
    match kind:
        case Pointer(target=Pointer(target=Integer(size=1))):
            return True
        case _:
            return False


def _is_dash(tree: Tree) -> bool:
    match tree:
        case Binary(operator="==" | "!=", left=left, right=right):
            sides = (left, right)
            constants = (each for side in sides for each in walk(side))
            return any(isinstance(c, IntegerConstant) and c.text == "'-'" for c in constants)
        case _:
            return False


def _made_of(words: set[Symbol], body: Compound) -> set[Symbol]:
    """The variables that are set to what lies in ``words``."""
    given: list[tuple[Symbol, set[Symbol]]] = []
    for tree in walk(body):
        match tree:
            case Declaration(symbol=symbol, initializer=value) if value is not None:
                given.append((symbol, _copied(value)))
            case Assign(target=Name(symbol=symbol), value=value):
                given.append((symbol, _copied(value)))
            case _:
                pass
    found = set(words)
    while True:
        more = {symbol for symbol, names in given if names & found} - found
        if not more:
            return found - words
        found |= more


def _copied(value: Tree) -> set[Symbol]:
    """The names in a value that no function makes."""
    made = any(isinstance(each, Call) for each in walk(value))
    return set() if made else _symbols(value)


def _symbols(tree: Tree) -> set[Symbol]:
    return {each.symbol for each in walk(tree) if isinstance(each, Name)}


def _lettered(body: Compound, words: set[Symbol]) -> Iterator[Option]:
    """The options of a switch, each with the statements up to the next break."""
    codes: dict[int, bool] = {}  # the labels before this statement: is a value taken?
    waiting: list[Statement] = [*reversed(body.items)]
    while waiting:
        match waiting.pop():
            case Compound(items=inner) | Execute(body=Compound(items=inner)):
                waiting += reversed(inner)
            case Case(low=int(code), text=text):
                if text.startswith("'") and 0 < code < 0x80 and chr(code).isalnum():
                    codes[code] = False
            case Break() | Continue() | Return() | Case(low=None):
                yield from _options(codes)
                codes = {}
            case statement:
                if any(isinstance(each.type, Pointer) for each in _symbols(statement) & words):
                    codes = dict.fromkeys(codes, True)
    yield from _options(codes)


def _options(codes: dict[int, bool]) -> Iterator[Option]:
    for code, takes in codes.items():
        yield Option(b"-" + bytes([code]), REQUIRED if takes else NONE, code)


def _is_option(word: bytes) -> bool:
    return re.fullmatch(rb"-[A-Za-z0-9]|--?[A-Za-z][\w-]{1,30}", word) is not None


# ------------------------------------------------------------------ how near a change is


class _Handlers:
    """The names in the code that handles each option."""

    def __init__(
        self,
        units: Sequence[TranslationUnit],
        changes: Sequence[ChangeInfo],
        guarding: frozenset[str],
    ) -> None:
        self._by_code: dict[int, set[str]] = {}
        self._ending: dict[int, bool] = {}  # code -> does each of its handlers end the program?
        self._endings = _Endings(units)
        self._by_word: dict[bytes, set[str]] = {}
        self._handling: dict[bytes | int, list[Statement]] = {}  # by the word, or the code
        self._functions = {each.symbol.name: each for each in _bodies(units)}
        self._changed = {name for each in changes for name in _named(each)}
        self._around = set(guarding)
        touched = {each.function for each in changes}
        self._changed |= touched - {"main"}
        for function in _bodies(units):
            if function.symbol.name in touched - {"main"}:
                self._around |= _names(function.body)
            for tree in walk(function.body):
                match tree:
                    case Switch(body=body):
                        self._add_cases(body)
                    case If(condition=condition, then=then):
                        for text in _compared_texts(condition):
                            self._by_word.setdefault(text, set()).update(_names(then))
                            self._handling.setdefault(text, []).append(then)

    def _add_cases(self, body: Compound) -> None:
        """Add the statements behind each label, up to one that leaves the switch."""
        codes: list[int] = []
        leaves: set[int] = set()  # codes for which some path may have left the switch already
        for item in body.items:
            match item:
                case Case(low=int(code)):
                    codes.append(code)
                    leaves.discard(code)
                case Break():
                    self._over(codes, ends=False)
                    codes = []
                case _:
                    for code in codes:
                        self._by_code.setdefault(code, set()).update(_names(item))
                        self._handling.setdefault(code, []).append(item)
                    if self._endings.ends(item):
                        self._over([code for code in codes if code not in leaves], ends=True)
                        self._over([code for code in codes if code in leaves], ends=False)
                        codes = []
                    elif _leads_out(item):
                        leaves.update(codes)
        self._over(codes, ends=False)

    def _over(self, codes: Iterable[int], ends: bool) -> None:
        for code in codes:
            self._ending[code] = ends and self._ending.get(code, True)

    def keywords(self) -> Iterator[Option]:
        """The words that lead to a change."""
        for word, names in self._by_word.items():
            if names & self._changed and _KEYWORD.fullmatch(word):
                yield Option(word, near=0)

    def ranked(self, option: Option) -> Option:
        names = self._by_word.get(option.name, set())
        if option.code is not None:
            names = names | self._by_code.get(option.code, set())
        near = 0 if names & self._changed else 1 if names & self._around else FAR
        ends = option.name in INFORMING or (
            option.code is not None and self._ending.get(option.code, False)
        )
        values = self._values(option)
        return Option(option.name, option.value, option.code, near, ends, values)

    def _values(self, option: Option) -> tuple[bytes, ...]:
        """The texts that the statements which handle an option compare with, or the functions that
        they call."""
        handling = [*self._handling.get(option.name, ())]
        if option.code is not None:
            handling += self._handling.get(option.code, ())
        called = {
            node.function.symbol.name: None
            for node in walk(*handling)
            if isinstance(node, Call) and isinstance(node.function, Name)
        }
        inner = [self._functions[name].body for name in called if name in self._functions]
        texts = dict.fromkeys(_texts_compared(*handling, *inner))
        return tuple(islice(filter(_VALUE.fullmatch, texts), MOST_VALUES))


class _Endings:
    """Finds the functions that never return, by their unconditional statements."""

    def __init__(self, units: Sequence[TranslationUnit]) -> None:
        self._never: set[str] = set()
        waiting = [each for each in _bodies(units) if each.symbol.name != "main"]
        while True:
            found = [each for each in waiting if self.ends(each.body)]
            if not found:
                return
            self._never.update(each.symbol.name for each in found)
            waiting = [each for each in waiting if each.symbol.name not in self._never]

    def ends(self, statement: Statement) -> bool:
        """Does the statement end the program in both versions?"""
        match statement:
            case ExpressionStatement(expression=expression):
                return self._ends(expression)
            case If(then=then, otherwise=Compound() as otherwise):
                return self.ends(then) and self.ends(otherwise)
            case Compound(items=items):
                old = new = False
                for item in items:
                    match item:
                        case Execute(version=Version.OLD, body=body):
                            old = old or self.ends(body)
                        case Execute(body=body):
                            new = new or self.ends(body)
                        case _ if self.ends(item):
                            return True
                        case _ if _leads_out(item):
                            return False
                        case _:
                            pass
                return old and new
            case _:
                return False

    def _ends(self, expression: Expression) -> bool:
        match expression:
            case Call(function=Name() as called):
                return never_returns(called) or called.symbol.name in self._never
            case Cast(operand=inner):
                return self._ends(inner)
            case Comma(left=left, right=right):
                return self._ends(left) or self._ends(right)
            case Change(old=old, new=new):
                return self._ends(old) and self._ends(new)
            case _:
                return False


def _leads_out(statement: Statement) -> bool:
    """Does the statement contain one that may leave it? Loops are not examined closely."""
    return any(
        isinstance(each, Return | Break | Continue | Goto | ComputedGoto)
        for each in walk(statement)
    )


def _texts_compared(*statements: Tree) -> Iterator[bytes]:
    """The literals that statements compare with, in conditions or by functions that compare."""
    for tree in walk(*statements):
        match tree:
            case If(condition=condition):
                yield from _compared_texts(condition)
            case Call(function=Name(symbol=called)) if _COMPARISONS.fullmatch(called.name):
                yield from _compared_texts(tree)
            case _:
                pass


def _compared_texts(condition: Tree) -> Iterator[bytes]:
    """The literals in a condition; sets of characters to search for are no words."""
    sets = {
        id(argument)
        for call in walk(condition)
        if isinstance(call, Call) and isinstance(call.function, Name)
        if _SEEKS.fullmatch(call.function.symbol.name)
        for each in call.arguments
        for argument in walk(each)
    }
    for text in walk(condition):
        if isinstance(text, StringLiteral) and id(text) not in sets:
            yield text.value


def _names(tree: Tree) -> set[str]:
    """The names in a statement; those that getopt sets are in every handler, and do not count."""
    found = {each.symbol.name for each in walk(tree) if isinstance(each, Name)}
    found |= {each.field.name for each in walk(tree) if isinstance(each, Member)}
    return found - {"optarg", "optind"}


def _named(change: ChangeInfo) -> set[str]:
    text = _LITERAL.sub("", f"{change.old_text} {change.new_text}")
    return set(_IDENTIFIER.findall(text))
