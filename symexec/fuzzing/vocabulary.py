"""The words that a program knows: what its text says about the inputs it cares for.

case 'f': ... getopt(argc, argv, "b:c:n")       letters b c f n, options -b -c -f -n
if (strcmp(argv[1], "--help") == 0 || n > 1000)  words --help, numbers 999 1000 1001
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from csg.language.syntax import Case, IntegerConstant, StringLiteral, TranslationUnit
from csg.language.traversal import Tree, walk

_LETTERS = re.compile(rb"[+:-]?[A-Za-z0-9][A-Za-z0-9:]*")  # what getopt is given
_WORD = re.compile(rb"[A-Za-z0-9][\w.-]{1,30}")
_LONGEST = 32


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Everything in a fixed order, what tests use most in front."""

    numbers: tuple[int, ...]  # the source's constants, characters aside, each with its neighbours
    letters: bytes  # letters that the program tells apart
    separators: bytes  # other characters that it tells apart
    options: tuple[bytes, ...]  # -b, --complement
    words: tuple[bytes, ...]  # strings of the source that may be an argument

    @property
    def alphabet(self) -> bytes:
        """Characters worth putting in a string: a few of each kind, then the rest."""
        mixed = b"01-a" + self.separators + b"29" + self.letters + b"b \n"
        return bytes(dict.fromkeys(mixed))

    def led_by(self, names: Sequence[bytes]) -> Vocabulary:
        """With these options and keywords in front."""
        options = [name for name in names if name.startswith(b"-")]
        keywords = [name for name in names if not name.startswith(b"-")]
        return replace(
            self,
            options=tuple(dict.fromkeys((*options, *self.options))),
            words=tuple(dict.fromkeys((*keywords, *self.words))),
        )


def vocabulary(*units: TranslationUnit) -> Vocabulary:
    """Of the user's own functions and objects in these files."""
    numbers: dict[int, None] = {}
    texts: dict[bytes, None] = {}
    characters: dict[int, None] = {}
    for tree in walk(*_roots(units)):
        match tree:
            case IntegerConstant(value=value, text=text) | Case(low=int(value), text=text):
                if text.startswith("'"):
                    characters[value & 0xFF] = None
                else:
                    numbers[value] = None
            case StringLiteral(value=value, unit=1):
                texts[value] = None
    return _vocabulary(numbers, texts, bytes(characters))


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
    for text in texts:
        if _LETTERS.fullmatch(text) and b":" in text:
            letters |= dict.fromkeys(b for b in text if chr(b).isalnum())
        if text.startswith(b"-") and _WORD.fullmatch(text.lstrip(b"-")):
            options[text] = None
        elif _WORD.fullmatch(text):
            options[b"--" + text] = None
        if 0 < len(text) <= _LONGEST and not set(text) & set(b"%\n "):
            words[text] = None
        if len(text) <= 2:
            separators |= dict.fromkeys(b for b in text if not chr(b).isalnum() and b < 0x80)
    near = {value + step: None for value in numbers for step in (0, -1, 1)}
    short = {b"-" + bytes([letter]): None for letter in letters if not chr(letter).isdigit()}
    return Vocabulary(
        tuple(near), bytes(letters), bytes(separators), tuple(short | options), tuple(words)
    )
