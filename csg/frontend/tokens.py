"""Cut preprocessed text into tokens, in the classes that the parser knows.

A second pass takes out what GNU C has and the parser's grammar has no place for, and notes it:

    __extension__ typedef int pair[2] __attribute__ ((aligned (16), unused));

becomes ``typedef int pair [2]`` and one token that holds ``aligned (16)``; ``unused`` is noted as
dropped. asm with all its operands becomes one token, and so does a pragma about packing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from csg.errors import Location, ParseError
from csg.frontend.sources import MARKER

# ------------------------------------------------------------------------------------------- tokens


@dataclass(slots=True, eq=False)
class Token:
    """One token; the names of the fields are those that the parser asks for."""

    type: str
    value: str
    lineno: int
    column: int
    filename: str
    extra: tuple[GnuAttribute, ...] = ()

    @property
    def location(self) -> Location:
        return Location(self.filename, self.lineno, self.column)


@dataclass(slots=True, eq=False)
class GnuAttribute:
    """``aligned (16)`` of an ``__attribute__``: its bare name and the tokens of its arguments."""

    name: str
    arguments: list[Token]
    location: Location


_MASTER = re.compile(
    r"""
      (?P<SPACE>[ \t\f\v\r]+)
    | (?P<NEWLINES>\n+)
    | (?P<RAW>(?:u8|[LuU])?R"(?P<DELIMITER>[^()\\\s]{0,16})\((?:.|\n)*?\)(?P=DELIMITER)")
    | (?P<STRING>(?:u8|[LuU])?"(?:[^"\\\n]|\\.)*")
    | (?P<CHAR>(?:u8|[LuU])?'(?:[^'\\\n]|\\.)+')
    | (?P<WORD>[^\W\d]\w*|[$][\w$]*)
    | (?P<NUMBER>\.?\d(?:[eEpP][+-]|[\w.])*)
    | (?P<DIRECTIVE>^\#.*)
    | (?P<PUNCTUATION>\.\.\.|<<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||\*=|/=|%=|\+=|-=|&=|\^=
        |\|=|<:|:>|<%|%>|[-\[\](){}.&*+~!/%<>^|?:;=,])
    | (?P<BAD>.)
    """,
    re.VERBOSE | re.MULTILINE,
)

_KEYWORDS = (
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else",
    "enum", "extern", "float", "for", "goto", "if", "inline", "int", "long", "register",
    "restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch", "typedef",
    "union", "unsigned", "void", "volatile", "while", "_Bool", "_Complex", "_Generic",
    "_Noreturn", "_Thread_local", "_Static_assert", "_Atomic", "_Alignof", "_Alignas",
)  # fmt: skip
_SPELLINGS = {
    "__inline": "inline",
    "__inline__": "inline",
    "__signed": "signed",
    "__signed__": "signed",
    "__const": "const",
    "__const__": "const",
    "__volatile": "volatile",
    "__volatile__": "volatile",
    "__restrict": "restrict",
    "__restrict__": "restrict",
    "__thread": "_Thread_local",
    "__alignof": "_Alignof",
    "__alignof__": "_Alignof",
    "__complex__": "_Complex",
    "__auto_type": "auto",
}
_TYPE_WORDS = (
    "__builtin_va_list", "__int128", "__int128_t", "__uint128_t", "_Float16", "_Float32",
    "_Float64", "_Float128", "_Float32x", "_Float64x", "__float128", "__float80", "_Decimal32",
    "_Decimal64", "_Decimal128",
)  # fmt: skip

# A word's class and its standard spelling. Any class of simple type will do for a type's name.
WORDS: dict[str, tuple[str, str]] = {
    **{word: (word.upper(), word) for word in _KEYWORDS},
    **{word: (other.upper(), other) for word, other in _SPELLINGS.items()},
    **{word: ("INT", word) for word in _TYPE_WORDS},
    **dict.fromkeys(("typeof", "__typeof", "__typeof__"), ("TYPEOF", "typeof")),
    **dict.fromkeys(("asm", "__asm", "__asm__"), ("ASM", "asm")),
    **dict.fromkeys(("__attribute__", "__attribute"), ("ATTRIBUTE", "__attribute__")),
    "__builtin_va_arg": ("__BUILTIN_VA_ARG", "__builtin_va_arg"),
    "__builtin_types_compatible_p": ("ON_TYPES", "__builtin_types_compatible_p"),
    "__builtin_offsetof": ("OFFSETOF", "__builtin_offsetof"),
    "__extension__": ("EXTENSION", "__extension__"),
    "__label__": ("LOCAL_LABELS", "__label__"),
}
C23_WORDS: dict[str, tuple[str, str]] = {
    "alignas": ("_ALIGNAS", "_Alignas"),
    "alignof": ("_ALIGNOF", "_Alignof"),
    "bool": ("_BOOL", "_Bool"),
    "static_assert": ("_STATIC_ASSERT", "_Static_assert"),
    "thread_local": ("_THREAD_LOCAL", "_Thread_local"),
    "true": ("BOOL_CONST", "true"),
    "false": ("BOOL_CONST", "false"),
    "nullptr": ("NULLPTR", "nullptr"),
    "constexpr": ("CONSTEXPR", "constexpr"),
    "typeof_unqual": ("TYPEOF_UNQUAL", "typeof_unqual"),
}
_DIGRAPHS = {"<:": "[", ":>": "]", "<%": "{", "%>": "}"}
PUNCTUATION = {
    "...": "ELLIPSIS", "<<=": "LSHIFTEQUAL", ">>=": "RSHIFTEQUAL", "++": "PLUSPLUS",
    "--": "MINUSMINUS", "->": "ARROW", "&&": "LAND", "||": "LOR", "<<": "LSHIFT", ">>": "RSHIFT",
    "<=": "LE", ">=": "GE", "==": "EQ", "!=": "NE", "*=": "TIMESEQUAL", "/=": "DIVEQUAL",
    "%=": "MODEQUAL", "+=": "PLUSEQUAL", "-=": "MINUSEQUAL", "&=": "ANDEQUAL", "|=": "OREQUAL",
    "^=": "XOREQUAL", "=": "EQUALS", "+": "PLUS", "-": "MINUS", "*": "TIMES", "/": "DIVIDE",
    "%": "MOD", "|": "OR", "&": "AND", "~": "NOT", "^": "XOR", "!": "LNOT", "<": "LT", ">": "GT",
    "?": "CONDOP", "(": "LPAREN", ")": "RPAREN", "[": "LBRACKET", "]": "RBRACKET", "{": "LBRACE",
    "}": "RBRACE", ",": "COMMA", ".": "PERIOD", ";": "SEMI", ":": "COLON",
}  # fmt: skip
_HEXADECIMAL_FLOAT = re.compile(r"0[xX][^pP]*[pP]")
_DECIMAL_FLOAT = re.compile(r"(?!0[xXbB])[^eE.]*[eE.]")


def tokenize(text: str, file: str, words: dict[str, tuple[str, str]] = WORDS) -> Iterator[Token]:
    """The tokens of preprocessed ``text``; pragmas come as tokens of the class PRAGMA."""
    line, line_start = 1, 0
    for found in _MASTER.finditer(text):
        value = found[0]
        column = found.start() - line_start + 1
        match found.lastgroup:
            case "SPACE":
                continue
            case "WORD":
                kind, value = words.get(value, ("ID", value))
            case "PUNCTUATION":
                value = _DIGRAPHS.get(value, value)
                kind = PUNCTUATION[value]
            case "NEWLINES":
                line += len(value)
                line_start = found.end()
                continue
            case "NUMBER":
                kind = _number_class(value)
            case "STRING":
                kind = "STRING_LITERAL"
            case "RAW":
                kind = "STRING_LITERAL"
                yield Token(kind, _ordinary_literal(value), line, column, file)
                if inner := value.count("\n"):
                    line += inner
                    line_start = found.start() + value.rindex("\n") + 1
                continue
            case "CHAR":
                kind = "CHAR_CONST"
            case "DIRECTIVE":
                if marker := MARKER.match(value):
                    line, file = int(marker[1]) - 1, _unquoted(marker[2])
                    continue
                kind = "PRAGMA"
            case _:
                raise ParseError(_stray(value), Location(file, line, column))
        yield Token(kind, value, line, column, file)


def _number_class(text: str) -> str:
    floating = _HEXADECIMAL_FLOAT.match(text) or _DECIMAL_FLOAT.match(text)
    return "FLOAT_CONST" if floating else "INT_CONST_DEC"


def _ordinary_literal(raw: str) -> str:
    """A raw string literal, which gcc has in its dialects of C, as an ordinary one."""
    prefix, _, rest = raw.partition('R"')
    delimiter, _, body = rest.partition("(")
    body = body.removesuffix(f'){delimiter}"').replace("\\", "\\\\").replace('"', '\\"')
    return f'{prefix}"{body.replace(chr(10), chr(92) + "n")}"'


def _unquoted(file: str) -> str:
    return file.replace('\\"', '"').replace("\\\\", "\\")


def _stray(character: str) -> str:
    if character in "\"'":
        return f"missing terminating {character} character"
    if 0xDC80 <= ord(character) <= 0xDCFF:
        return f"stray byte 0x{ord(character) - 0xDC00:02x} in the program"
    return f"stray '{character}' in the program"


# ------------------------------------------------------------------------------------------ columns
# Move tokens to the columns that they have in the user's file.
#
# The preprocessor replaces comments, runs of blanks and macros, so that
#
#     x =   MAX(a, b);      is preprocessed to      x = ((a) > (b) ? (a) : (b));
#
# A token that stands in the source line gets its column there; what a macro made gets the column of
# the macro's name, or of the argument that it repeats.


_WORDS = re.compile(
    r"""/\*.*?(?:\*/|$)|//.*|(?:u8|[LuU])?"(?:[^"\\]|\\.)*"|[LuU]?'(?:[^'\\]|\\.)*'
    |\.?\d(?:[eEpP][+-]|[\w.])*|[\w$]+|->|\+\+|--|<<=|>>=|<<|>>|[-+*/%&|^!=<>]=|&&|\|\||\.\.\.|[^\w\s]""",
    re.VERBOSE,
)
_MOST_CELLS = 1 << 28  # of the table of an alignment, a bit each


def restore(tokens: Iterable[Token], sources: Mapping[str, Sequence[str]]) -> None:
    """Correct ``column`` of the tokens whose file is in ``sources`` (a file's lines)."""
    for (file, number), line in groupby(tokens, key=lambda t: (t.filename, t.lineno)):
        lines = sources.get(file)
        if lines is not None and 0 < number <= len(lines):
            _restore_line(list(line), lines[number - 1])


def _restore_line(tokens: list[Token], source: str) -> None:
    if all(source.startswith(token.value, token.column - 1) for token in tokens):
        return
    words = [
        (found.start() + 1, found[0])
        for found in _WORDS.finditer(source)
        if not found[0].startswith(("/*", "//"))
    ]
    if not words:
        return
    position = 0  # in words: all before it is taken
    made = _common([token.value for token in tokens], [word for _, word in words])
    for token, found in zip(tokens, made, strict=True):
        if found is not None:
            position = found + 1
        at = found if found is not None else min(position, len(words) - 1)
        token.column = words[at][0]


def _common(tokens: Sequence[str], words: Sequence[str]) -> list[int | None]:
    """For each token the position of the word of the source line that it is, None where a macro
    made it: a longest common subsequence, as what no macro made stands in both in one order. Of
    several the one whose tokens stand last: the first ones rather are the macro's own."""
    found: list[int | None] = [None] * len(tokens)
    start, token, word = 0, len(tokens), len(words)
    while start < min(token, word) and tokens[start] == words[start]:
        found[start] = start
        start += 1
    while start < min(token, word) and tokens[token - 1] == words[word - 1]:
        token, word = token - 1, word - 1
        found[token] = word
    if (token - start) * (word - start) > _MOST_CELLS:
        return found
    # A row has a bit for each word, 0 where one word more makes what is common longer (Hyyro 2004).
    places: dict[str, int] = {}
    for at in range(start, word):
        places[words[at]] = places.get(words[at], 0) | 1 << (at - start)
    every = row = (1 << (word - start)) - 1
    rows = [row]  # of what is common to the first words and no token, one token, ..
    for each in tokens[start:token]:
        met = row & places.get(each, 0)
        row = ((row + met) | (row - met)) & every
        rows.append(row)
    while token > start and word > start:
        if tokens[token - 1] == words[word - 1]:
            token, word = token - 1, word - 1
            found[token] = word
        elif rows[token - start] >> (word - start - 1) & 1:
            word -= 1
        else:
            token -= 1
    return found


# Attributes with a meaning for types, control flow or callers; others are noted and left out.
_LINKING = frozenset({"constructor", "destructor", "weak", "alias", "gnu_inline", "always_inline"})
_MEANINGFUL = _LINKING | {
    "noreturn", "_Noreturn", "packed", "aligned", "mode", "vector_size", "cleanup",
    "transparent_union", "nonnull", "access",
}  # fmt: skip
_ASM_WORDS = frozenset({"VOLATILE", "GOTO", "INLINE"})
_STATEMENT_BEGINS = frozenset({"SEMI", "LBRACE", "RBRACE", "COLON", "RPAREN", "ELSE", "DO"})
_OPERAND_ENDS = frozenset({"ID", "TYPEID", "RPAREN", "RBRACKET", "PLUSPLUS", "MINUSMINUS"})
_OPENING = {"LPAREN": 1, "LBRACKET": 1, "LBRACE": 1, "RPAREN": -1, "RBRACKET": -1, "RBRACE": -1}

Dropped = list[tuple[Location, str]]


def standard_tokens(tokens: Iterable[Token], dropped: Dropped) -> list[Token]:
    """The tokens that the parser reads; what is left out is appended to ``dropped``."""
    return list(_GnuPass(iter(tokens), dropped).run())


class _GnuPass:
    """Copies tokens; a class of token with an entry in ``_RULES`` is treated by its rule."""

    def __init__(self, tokens: Iterator[Token], dropped: Dropped) -> None:
        self.tokens = tokens
        self.dropped = dropped
        self.waiting: list[Token] = []  # read, but not yet treated; the next one last
        self.depth = 0  # of braces
        self.own_labels: list[tuple[int, dict[str, str]]] = []  # depth of a block, its labels
        self.count = 0  # of labels that blocks of this function have to themselves

    def run(self) -> Iterator[Token]:
        for token in self._treated():
            if token.type in ("LBRACE", "RBRACE"):
                self._braces(token)
            yield token

    def _treated(self) -> Iterator[Token]:
        before = beyond = ""  # the types of the last two tokens
        while (token := self.next()) is not None:
            if self.own_labels and token.type == "ID":
                self._rename(token, before, beyond)
            before, beyond = token.type, before
            rule = _RULES.get(token.type)
            if rule is None:
                yield token
            elif (result := rule(self, token)) is not None:
                yield result

    def next(self) -> Token | None:
        return self.waiting.pop() if self.waiting else next(self.tokens, None)

    def give_back(self, tokens: Sequence[Token | None]) -> None:
        """``next`` returns them again, in this order."""
        self.waiting += filter(None, reversed(tokens))

    def drop(self, location: Location, what: str) -> None:
        self.dropped.append((location, what))

    # ------------------------------------------------------------------ rules

    def extension(self, token: Token) -> Token | None:
        return None

    def attribute(self, token: Token) -> Token | None:
        """``__attribute__ ((a, b (1)))`` becomes one token with the attributes that have a meaning,
        or nothing."""
        inner = self.parenthesized(token)
        if len(inner) >= 2 and inner[0].type == "LPAREN":
            inner = inner[1:-1]
        return self._retained(token, list(_attributes(inner)))

    def bracket(self, token: Token) -> Token | None:
        """The same for ``[[noreturn]]`` of C23; two opening brackets begin nothing else."""
        following = self.next()
        if following is not None and following.type == "TIMES":
            self.give_back(self._size(following))
            return token
        if following is None or following.type != "LBRACKET":
            self.give_back([following])
            return token
        inner = self._until_closed(2, token)
        return self._retained(token, list(_attributes(inner[:-2])))

    def _size(self, star: Token) -> list[Token | None]:
        """What stands behind ``[``: of ``[*n]`` the parser's grammar knows ``[*]`` alone, which is
        no size (C17 6.7.6.2p4), so it is given ``[(*n)]``."""
        following = self.next()
        if following is None or following.type == "RBRACKET":
            return [star, following]
        self.give_back([following])
        *inner, closing = self._until_closed(1, star)
        opened, closed = Token("LPAREN", "(", *_place(star)), Token("RPAREN", ")", *_place(closing))
        return [opened, star, *inner, closed, closing]

    def asm(self, token: Token) -> Token | None:
        """``asm volatile ("...")``, or the name that ``int f() asm ("g")`` has for linking."""
        following = self.next()
        while following is not None and following.type in _ASM_WORDS:
            following = self.next()
        self.give_back([following])
        inner = self.parenthesized(token)
        token.value = f"asm ({' '.join(t.value for t in inner)})"
        return token

    def local_labels(self, token: Token) -> Token | None:
        """``__label__ a, b;`` declares labels of a block; they get names that are unique in the
        function."""
        if not self.own_labels or self.own_labels[-1][0] != self.depth:
            self.own_labels.append((self.depth, {}))
        while (following := self.next()) is not None and following.type != "SEMI":
            if following.type == "ID":
                self.count += 1
                self.own_labels[-1][1][following.value] = f"{following.value}__own{self.count}"
        return None

    def _braces(self, token: Token) -> None:
        self.depth += 1 if token.type == "LBRACE" else -1
        while self.own_labels and self.own_labels[-1][0] > self.depth:
            self.own_labels.pop()
        if not self.depth:
            self.count = 0

    def _rename(self, token: Token, before: str, beyond: str) -> None:
        """Rename a name where it is a local label: behind ``goto``, behind a unary ``&&``, and in
        front of a colon where a statement begins."""
        label = before == "GOTO" or (before == "LAND" and beyond not in _OPERAND_ENDS)
        if before in _STATEMENT_BEGINS:
            following = self.next()
            label = following is not None and following.type == "COLON"
            self.give_back([following])
        if label:
            for _, names in reversed(self.own_labels):
                if token.value in names:
                    token.value = names[token.value]
                    return

    def pragma(self, token: Token) -> Token | None:
        words = token.value[1:].split(None, 1)
        if words[:1] != ["pragma"]:
            raise ParseError(f"directive '{token.value}' after preprocessing", token.location)
        if len(words) > 1 and words[1].startswith("pack"):
            token.value = words[1]
            token.type = "PACK"
            return token
        self.drop(token.location, token.value)
        return None

    # ------------------------------------------------------------------ parts

    def parenthesized(self, owner: Token) -> list[Token]:
        """The tokens inside the parentheses that must follow ``owner``."""
        opening = self.next()
        if opening is None or opening.type != "LPAREN":
            raise ParseError(f"'(' expected after '{owner.value}'", owner.location)
        return self._until_closed(1, owner)[:-1]

    def _until_closed(self, depth: int, owner: Token) -> list[Token]:
        inner: list[Token] = []
        while depth > 0:
            token = self.next()
            if token is None:
                raise ParseError(f"'{owner.value}' is not closed", owner.location)
            depth += _OPENING.get(token.type, 0)
            inner.append(token)
        return inner

    def _retained(self, token: Token, attributes: list[GnuAttribute]) -> Token | None:
        for attribute in attributes:
            if attribute.name not in _MEANINGFUL:
                self.drop(attribute.location, f"__attribute__(({attribute.name}))")
        retained = tuple(a for a in attributes if a.name in _MEANINGFUL)
        if not retained:
            return None
        return Token("_ALIGNAS", "__attribute__", *_place(token), retained)


def _place(token: Token) -> tuple[int, int, str]:
    return token.lineno, token.column, token.filename


def _attributes(tokens: list[Token]) -> Iterator[GnuAttribute]:
    """Cut an attribute list at its commas."""
    depth = 0
    part: list[Token] = []
    for token in [*tokens, Token("COMMA", ",", 0, 0, "")]:
        if token.type == "COMMA" and depth == 0:
            if [t.type for t in part[1:3]] == ["COLON", "COLON"]:  # gnu::packed
                part = part[3:]
            if part:
                yield GnuAttribute(part[0].value.strip("_"), part[2:-1], part[0].location)
            part = []
        else:
            depth += _OPENING.get(token.type, 0)
            part.append(token)


_RULES: dict[str, Callable[[_GnuPass, Token], Token | None]] = {
    "EXTENSION": _GnuPass.extension,
    "ATTRIBUTE": _GnuPass.attribute,
    "LBRACKET": _GnuPass.bracket,
    "ASM": _GnuPass.asm,
    "LOCAL_LABELS": _GnuPass.local_labels,
    "PRAGMA": _GnuPass.pragma,
}
