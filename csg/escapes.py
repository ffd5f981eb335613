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
    numbers = [ord(each) for each in set(text) - set(kept) if not each.isprintable()]
    return text.translate({each: _spelt(each) for each in numbers})


def _spelt(number: int) -> str:
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
