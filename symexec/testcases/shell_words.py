"""A shell's words and operators, as far as they mean the same without a shell.

    printf 'a b' | prog $'\\t' "x"y     Word(b"printf") Word(b"a b") Operator("|") Word(b"prog") ..

Quotes are told apart from what they quote: ``'|'`` is a word. What needs a shell to know its value
(``$x``, ``*``, backquotes) raises NotUnderstood.
"""

from __future__ import annotations

import re
from typing import Final

from csg.errors import UsageError
from csg.records import record


class NotUnderstood(UsageError):
    """Why a line cannot be read without running it."""


@record
class Word:
    data: bytes


@record
class Operator:
    text: str


Token = Word | Operator

_OPERATORS: Final = re.compile(r"2>&1|[12]?>>|&>|[12]>|<<<|<<|&&|\|\||>&|[|;<>&()]")
_BLANK: Final = " \t\n"
_SPECIAL: Final = "$`"
_COMPUTED: Final = "*?[]{}"  # outside of quotes
_ANSI: Final = re.compile(r"\\(?:x([0-9a-fA-F]{1,2})|([0-7]{1,3})|(.))|([^\\'])", re.DOTALL)
_LETTERS: Final = {"n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "f": 12, "v": 11, "e": 27}


def tokens(line: str) -> list[Token]:
    found: list[Token] = []
    place = 0
    while place < len(line):
        sign = line[place]
        if sign in _BLANK:
            place += 1
        elif sign == "#":
            break
        elif (operator := _OPERATORS.match(line, place)) is not None:
            found.append(Operator(operator[0]))
            place = operator.end()
        else:
            data, place = _word(line, place)
            found.append(Word(data))
    return found


def _word(line: str, place: int) -> tuple[bytes, int]:
    """A word and the place behind it; its parts may be quoted in different ways."""
    parts: list[bytes] = []
    while place < len(line) and line[place] not in _BLANK:
        sign = line[place]
        if sign == "'":
            end = line.find("'", place + 1)
            if end < 0:
                raise NotUnderstood("a quote is not closed")
            parts.append(_bytes(line[place + 1 : end]))
            place = end + 1
        elif sign == '"':
            text, place = _double_quoted(line, place + 1)
            parts.append(_bytes(text))
        elif line.startswith("$'", place):
            data, place = _ansi_quoted(line, place + 2)
            parts.append(data)
        elif sign == "\\":
            parts.append(_bytes(line[place + 1 : place + 2]))
            place += 2
        elif sign in "|;<>&()":
            break
        elif line.startswith("{}", place):
            parts.append(b"{}")
            place += 2
        elif sign in _SPECIAL or sign in _COMPUTED or (sign == "~" and not parts):
            raise NotUnderstood(f"a shell would have to tell what {sign} stands for")
        else:
            parts.append(_bytes(sign))
            place += 1
    return b"".join(parts), place


def _double_quoted(line: str, place: int) -> tuple[str, int]:
    found = ""
    while place < len(line) and line[place] != '"':
        sign = line[place]
        if sign in _SPECIAL:
            raise NotUnderstood(f"a shell would have to tell what {sign} stands for")
        if sign == "\\" and line[place + 1 : place + 2] in ('"', "\\", "$", "`"):
            place += 1
            sign = line[place]
        found += sign
        place += 1
    if place >= len(line):
        raise NotUnderstood("a quote is not closed")
    return found, place + 1


def _ansi_quoted(line: str, place: int) -> tuple[bytes, int]:
    """``$'a\\tb'``"""
    found = b""
    while place < len(line) and line[place] != "'":
        match = _ANSI.match(line, place)
        if match is None:
            raise NotUnderstood("a quote is not closed")
        digits, octal, letter, plain = match.groups()
        if digits or octal:
            found += bytes([int(digits, 16) if digits else int(octal, 8) & 0xFF])
        elif letter is not None:
            code = _LETTERS.get(letter)
            known = _bytes(letter) if letter in "\\'\"?" else _bytes("\\" + letter)
            found += known if code is None else bytes([code])
        else:
            found += _bytes(plain)
        place = match.end()
    if place >= len(line):
        raise NotUnderstood("a quote is not closed")
    return found, place + 1


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
