r"""Text of strangers, for reading: nothing in it moves a cursor, rings, or turns lines around.

    printable("a\x1b[2Jb")         "a\x1b[2Jb", the escape spelt out

Names, source text and whatever a program has written come to terminals and text files through
here.
"""

from __future__ import annotations

LINES = "\n\t"  # what a text of several lines keeps


def printable(text: str, kept: str = "") -> str:
    """Controls, and what directs the writing of others (Unicode's categories C and Z), are spelt
    as C does; those in ``kept`` stay."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() or each in kept else _spelt(each) for each in text)


def _spelt(each: str) -> str:
    number = ord(each)
    return f"\\x{number:02x}" if number < 256 else f"\\u{number:04x}"
