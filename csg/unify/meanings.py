"""Ask the compiler whether types and constants are with the flags of a file what they are here.

    -fno-signed-char                  ->   "char is signed" does not hold
    #pragma pack(1)                   ->   nothing: sizes and members are where ``types`` has them
    -fpack-struct struct {char a;     ->   'struct s' has 5 bytes, and not 8
                          int b;}

No flag is known by its name: what it does is compiled, and looked at. Claims about the language are
functions that return 1 where they hold; for the types of a file there is data behind its text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from csg.cache import Cache, key_of
from csg.errors import ToolchainError
from csg.language.syntax import TranslationUnit
from csg.language.types import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT,
    LDOUBLE,
    LONG,
    SHORT,
    WCHAR,
    Enumeration,
    Field,
    Integer,
    Record,
    Type,
    alignment_of,
    is_integer,
    is_signed,
    size_of,
)
from csg.records import record
from csg.toolchain import assemble, compiler_identity, find_compiler
from csg.unify.assembly import Assembly, Piece, Reader, read_assembly

_SIZES: dict[str, Type] = {  # of types, and of constants
    "_Bool": BOOL, "short": SHORT, "int": INT, "long": LONG, "float": FLOAT, "double": DOUBLE,
    "long double": LDOUBLE, "__WCHAR_TYPE__": WCHAR, "1.0": DOUBLE, "1.0f": FLOAT, "L'a'": WCHAR,
    "void *": LONG,
}  # fmt: skip

_ESCAPES = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, "\\": 92, "'": 39}
_BASIC = {
    **{f"\\{letter}": code for letter, code in _ESCAPES.items()},
    **{chr(code): code for code in range(0x20, 0x7F) if chr(code) not in "\\'"},
}


def _spelt(prefix: str) -> str:
    """The claim that each basic character is what it is here."""
    return " && ".join(f"{prefix}'{letter}' == {code}" for letter, code in _BASIC.items())


# Each is true of the language as it is understood here.
_CLAIMS: dict[str, str] = {
    "char is signed": "(char)-1 < 0",
    "wchar_t is signed": "(__WCHAR_TYPE__)-1 < 0",
    "a bit-field of int is signed": "((struct {int bits : 3;}){-1}).bits < 0",
    "an enumeration is of the size of int": "sizeof(enum {CSGTEST_A}) == 4",
    "an enumeration is unsigned": "(__typeof__(((struct {enum {CSGTEST_B} e;}){0}).e))-1 > 0",
    "a bit-field of an enumeration is unsigned": (
        "((struct {enum {CSGTEST_C} e : 3;}){(__typeof__(CSGTEST_C))-1}).e > 0"
    ),
    "structures are padded": "sizeof(struct {char a; int b;}) == 8",
    "structures are padded for double": "sizeof(struct {char a; double b;}) == 16",
    "structures are padded for long double": "sizeof(struct {char a; long double b;}) == 32",
    "bit-fields share a unit": "sizeof(struct {char a : 4; int b : 4;}) == 4",
    "bit-fields do not cross units": "sizeof(struct {int a : 20; int b : 20;}) == 8",
    "long double has 64 bits": "__LDBL_MANT_DIG__ == 64",
    "float is computed as float": "__FLT_EVAL_METHOD__ == 0",
    "constants are double": "0.1 != 0.1f",
    "numbers may be infinite": "!__FINITE_MATH_ONLY__",
    "characters are those of ASCII": _spelt(""),
    "other characters are UTF-8": (
        'sizeof "\\u00e9" == 3 && "\\u00e9"[0] == (char)0xc3 && "\\u00e9"[1] == (char)0xa9'
    ),
    "wide characters are those of ASCII": _spelt("L"),
    "other wide characters are UTF-32": "sizeof L\"\\U0001f600\" == 8 && L'\\u00e9' == 0xe9",
    "bytes are stored lowest first": "__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__",
    **{
        f"{name} has {size_of(kind)} bytes": f"sizeof({name}) == {size_of(kind)}"
        for name, kind in _SIZES.items()
    },
}
_NOT_ASKED = "the compiler tells what types are"
_TRUTH = "csgtest_truth"
_PREFIX = "csgtest_type_"
_WORDS = {".byte": 1, ".value": 2, ".short": 2, ".2byte": 2, ".long": 4, ".4byte": 4}
_WORDS |= {".int": 4, ".quad": 8, ".8byte": 8}
_DEFINED = re.compile(
    r"\b(struct|union|enum)\b(?:\s*(?:__attribute__|_Alignas)\s*\([^;{}]*\))*\s*(\w+)\s*\{"
)
_MOST = 400  # data; a program with more types is not looked at any further


def wrong_claims(flags: Sequence[str], compiler: str | None = None) -> tuple[str, ...]:
    """What is not with these flags as it is understood here."""
    text = "".join(
        f"int {name}(void) {{ return {claim}; }}\n"
        for name, claim in [(_TRUTH, "1"), *_numbered(_CLAIMS.values())]
    )
    cache, identity = Cache("meanings"), compiler_identity(compiler or find_compiler())
    key = key_of(identity, text, *flags)
    known = cache.find(key)
    if known is None:
        try:
            found = read_assembly(assemble(text, flags, "-O1", compiler, language="c"))
        except ToolchainError:
            return (_NOT_ASKED,)
        known = "\n".join(_untrue(found)).encode()
        cache.keep({key: known})
    return tuple(known.decode().splitlines())


def _numbered(claims: Iterable[str]) -> Iterator[tuple[str, str]]:
    return ((f"csgtest_{number}", claim) for number, claim in enumerate(claims))


def _untrue(found: Assembly) -> Iterator[str]:
    names = [f"csgtest_{number}" for number, _ in enumerate(_CLAIMS)]
    reader = Reader(found, dict.fromkeys([*names, _TRUTH], "f"))
    truth = reader.text(_TRUTH)
    return (claim for claim, name in zip(_CLAIMS, names, strict=True) if reader.text(name) != truth)


# ------------------------------------------------------------------ types of a file


@record
class Datum:
    """What a piece of data behind the text of a file holds if types are as they are here.
    ``initializer`` is of an object of ``declared`` type; ``member`` names what it shows."""

    type: str
    member: str
    declared: str
    initializer: str
    content: bytes


def data_of(unit: TranslationUnit) -> list[Datum]:
    """Data that shows how the types are laid out that the user's own files define."""
    text = "\n".join("\n".join(lines) for lines in unit.sources.values())
    tags = {f"{word} {tag}" for word, tag in _DEFINED.findall(text)}
    found = [
        each
        for kind in unit.types
        if _word(kind) in tags and not _is_local(kind)
        for each in _data(kind)
    ]
    return found[:_MOST]


def _word(kind: Record | Enumeration) -> str:
    return f"{kind.kind if isinstance(kind, Record) else 'enum'} {kind.tag}"


def _is_local(kind: Record | Enumeration) -> bool:
    return isinstance(kind, Enumeration) and bool(kind.key)


def _data(kind: Record | Enumeration) -> Iterator[Datum]:
    name = _word(kind)
    if isinstance(kind, Record) and kind.fields is None:
        return
    values = [("size", f"sizeof({name})", size_of(kind))]
    values.append(("alignment", f"__alignof__({name})", alignment_of(kind)))
    if isinstance(kind, Enumeration):
        values.append(("sign", f"({name})-1 < 0", int(is_signed(kind))))
    for member, text, value in values:
        yield Datum(name, member, "unsigned long", text, value.to_bytes(8, "little"))
    if isinstance(kind, Record):
        for field in kind.fields or ():
            if field.name and _shows(field):
                given = f"{{.{field.name} = 1}}"
                yield Datum(name, f"'{field.name}'", name, given, _one(field, kind.size))


def _shows(field: Field) -> bool:
    scalar: Type = field.type
    return is_integer(scalar) and not (isinstance(scalar, Integer) and scalar is BOOL)


def _one(field: Field, size: int) -> bytes:
    """The bytes of a record whose member is 1."""
    place = 8 * field.offset + field.bit_offset
    return (1 << place).to_bytes(max(size, place // 8 + 1), "little")[:size]


def text_of(data: Sequence[Datum]) -> str:
    """C that stands behind the text of a file."""
    return "".join(
        f"\nconst {each.declared} {_PREFIX}{number} = {each.initializer};"
        for number, each in enumerate(data)
    )


def taken_out(found: Assembly, data: Sequence[Datum]) -> list[str]:
    """How the types of the file are not as they are here. The data is no part of the assembly
    then."""
    wrong: dict[str, str] = {}
    for number, each in enumerate(data):
        piece = found.pieces.pop(f"{_PREFIX}{number}", None)
        found.marks.pop(f"{_PREFIX}{number}", None)
        content = None if piece is None else bytes_of(piece)
        if content is not None and content != each.content:
            wrong.setdefault(each.type, f"the {each.member} of '{each.type}' is another one")
    return list(wrong.values())


def bytes_of(piece: Piece) -> bytes | None:
    """The bytes of an object; None where they are no plain numbers."""
    found = b""
    for line in piece.lines:
        word, _, operand = line.replace("\t", " ").partition(" ")
        if word in _WORDS and re.fullmatch(r"-?\d+", operand):
            size = _WORDS[word]
            found += (int(operand) % (1 << 8 * size)).to_bytes(size, "little")
        elif word in (".zero", ".skip") and operand.isdigit():
            found += bytes(int(operand))
        elif word in (".string", ".ascii"):
            text = re.fullmatch(r'"((?:[ !#-\[\]-~]|\\[0-7]{3}|\\[bfnrt"\\])*)"', operand)
            if text is None:
                return None
            found += _unescaped(text[1]) + b"\0" * (word == ".string")
        else:
            return None
    return found


def _unescaped(text: str) -> bytes:
    return text.encode("latin-1").decode("unicode_escape").encode("latin-1")
