"""The text of one option's value -> the value, or argparse's complaint that says what to write.

"x=-0x10..5" -> Range("x", -16, 5)
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from symexec.options import Export, Form, NamedFile, Range, SymbolicArguments, SymbolicFiles

MOST_FILES = 26  # they are named A to Z
MOST = 999_999_999  # of what is counted
MOST_BYTES = 65_536  # of one symbolic input
MOST_DEPTH = 64  # pointers from structure to structure
MOST_SECONDS = 31_536_000
LEAST_MEMORY = 128 << 20  # bytes; csgtest itself takes half of that
LEAST_DISK = 1 << 20


def value_range(text: str) -> Range:
    """``x=-100..100``, ``p->at.x=0..7``; either bound may be hexadecimal."""
    number = r"[-+]?(?:0[xX][0-9a-fA-F]+|\d+)"
    name = r"[A-Za-z_]\w*(?:(?:->|\.)[A-Za-z_]\w*)*"
    found = re.fullmatch(rf"({name})=({number})\.\.({number})", text.replace(" ", ""))
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no range; write NAME=LO..HI, as x=-100..100")
    low, high = (_integer(bound) for bound in found.groups()[1:])
    if low > high:
        raise argparse.ArgumentTypeError(f"{text!r} is empty: {low} is greater than {high}")
    return Range(found[1], low, high)


def _integer(text: str) -> int:
    return int(text, 16 if "x" in text.lower() else 10)


def named_file(text: str) -> NamedFile:
    """``etc/conf=8``; a name below the working folder."""
    name, sign, size = text.rpartition("=")
    parts = name.split("/")
    if not sign or not _is_decimal(size) or {"", ".", ".."} & set(parts):
        raise argparse.ArgumentTypeError(f"{text!r} is no file; write NAME=LEN, as conf=8")
    return NamedFile(name, length(size))


def names_given(text: str) -> list[str]:
    """``guards,turns``; whether there are such names is for others to say."""
    return [name for name in text.replace(" ", "").split(",") if name]


def count(text: str, most: int = MOST) -> int:
    if not _is_decimal(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no count; give 0, 1, 2, ...")
    if len(text.lstrip("0")) > len(str(most)) or int(text) > most:
        raise argparse.ArgumentTypeError(f"{text!r} is too many; give {most} at most")
    return int(text)


def positive_count(text: str, most: int = MOST) -> int:
    number = count(text, most)
    if number == 0:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def length(text: str) -> int:
    """A length in bytes of symbolic input."""
    return count(text, MOST_BYTES)


def positive_length(text: str) -> int:
    return positive_count(text, MOST_BYTES)


def structure_depth(text: str) -> int:
    return positive_count(text, MOST_DEPTH)


def _is_decimal(text: str) -> bool:
    return text.isascii() and text.isdecimal()


def form_and_file(text: str) -> Export:
    """``sarif=found.sarif``"""
    name, equals, file = text.partition("=")
    forms = {form.value: form for form in Form}
    if name not in forms or not equals or not file:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no export; write FORM=FILE, where FORM is one of {', '.join(forms)}"
        )
    return Export(forms[name], Path(file))


def seconds(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no time; give seconds, as 60 or 0.5")
    if number > MOST_SECONDS:
        raise argparse.ArgumentTypeError(
            f"{text!r} is too long; give {MOST_SECONDS} at most, a year"
        )
    return number


def seconds_or_none(text: str) -> float:
    """As ``seconds``; 0 is none."""
    return 0.0 if text.strip() in ("0", "0.0") else seconds(text)


def memory_size(text: str) -> int:
    """``800M``, ``4G``: bytes."""
    return _size(text, LEAST_MEMORY)


def disk_size(text: str) -> int:
    """The same for what may be written."""
    return _size(text, LEAST_DISK)


def _size(text: str, least: int) -> int:
    found = re.fullmatch(r"(\d{1,15})([KMGT]?)(?:i?B)?", text, re.IGNORECASE | re.ASCII)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no size; write 800M or 4G")
    size = int(found[1]) << 10 * " KMGT".index(found[2].upper() or " ")
    if size < least:
        raise argparse.ArgumentTypeError(f"{text!r} is too little; give {least >> 20}M at least")
    return size


class ThreeCounts(argparse.Action):
    """``--sym-args MIN MAX LEN``"""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        assert isinstance(values, list)
        minimum, maximum, length = values
        if minimum > maximum:
            parser.error(f"argument --sym-args: MIN {minimum} is greater than MAX {maximum}")
        setattr(namespace, self.dest, SymbolicArguments(minimum, maximum, length))


class TwoCounts(argparse.Action):
    """``--sym-files N LEN``"""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        assert isinstance(values, list)
        number, length = values
        if number > MOST_FILES:
            parser.error(f"argument --sym-files: N is at most {MOST_FILES}")
        setattr(namespace, self.dest, SymbolicFiles(number, length))
