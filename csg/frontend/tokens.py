"""Cut preprocessed text into tokens, in the classes that the parser knows.

    # 3 "a.c"
    static __inline int f(void);

becomes ``static`` STATIC a.c:3:1, ``inline`` INLINE a.c:3:8, ``int`` INT, ``f`` ID, ... Spellings
of GNU C take the class of the standard's word; what is no word of the grammar at all (attributes,
asm, pragmas) is left to ``csg.frontend.gnu``. Afterwards they are moved to the columns that they
have in the user's file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from csg.errors import ParseError
from csg.frontend.sources import MARKER
from csg.source import Location

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


_WORDS = re.compile(r"""/\*.*?(?:\*/|$)|//.*|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\w+|[^\w\s]""")


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
    position = 0  # in words: nothing before it is looked at again
    macro = -1  # the word that the tokens before came from, if they are not in the line
    for token in tokens:
        found = _find(words, position, token.value, macro)
        if found is not None:
            position = found + 1
            token.column = words[found][0]
        elif words:
            macro = min(position, len(words) - 1)
            token.column = words[macro][0]


def _find(words: list[tuple[int, str]], start: int, value: str, macro: int) -> int | None:
    """The next place of a token in the source line; punctuation may be cut into pieces there, and
    is not looked for behind a name that may be the macro that made it."""
    is_word = value[0].isalnum() or value[0] in "_\"'"
    for index in range(start, len(words)):
        word = words[index][1]
        if word == value:
            return index
        if not is_word and len(value) > 1 and value.startswith(word):
            joined = "".join(part for _, part in words[index : index + len(value)])
            if joined == value:
                return index
        if not is_word and word.isidentifier() and index != macro:
            return None
    return None
