"""What library functions do to memory, for analyses that do not look into them.

    memcpy: reads 1, writes 0, returns 0, copies 0:1     Effect(reads=(1,), writes=(0,), ...)

Each model says it of itself: those in Python where they are registered, those in C in a comment of
their file. ``library_effects.txt`` has all of it, a line a function, as
``CSGTEST_REWRITE=1 pytest tests/symexec/runtime/test_effects.py`` writes it. A function that is
missing there and has no code is treated as if it did everything to all it can reach. The words,
arguments being named by their index:

    reads 0 2..        the objects that argument 0 and all from 2 on point to are read
    reads 1+           what that object's pointers point to is read as well
    writes 0 errno     so for what is written; a name is an object of the library
    returns 0 *tm      the result may point where argument 0 points, or to an object of the library
    fresh              the result points to a new object; with ``writes`` the first of these does
    copies 0:1         pointers move from the object of argument 1 to that of argument 0
    keeps 1:0          argument 0, or a pointer near it, is put into the object of argument 1
    calls 3            argument 3 is called back with pointers to the other arguments' objects
    output             a call is output of the program, as one that ends it is
    code               the rest is what the code of the model does
    nothing            nothing of all this

Memory is meant: files are no objects, and of all positions in streams those of standard input
(``*stdin``) and of a stream that is an argument are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ERRNO = "__csgtest_errno"
# the object that stdin points to where its model is linked
LINKED = {"*stdin": "libc:standard_input"}
TABLE = Path(__file__).with_suffix(".txt")


@dataclass(frozen=True, slots=True)
class Effect:
    """What a function does to memory. ``*_rest``: every argument from that index on. ``*_through``:
    what the pointers in the arguments' objects point to. ``*_globals`` are names of objects of the
    library."""

    reads: tuple[int, ...] = ()
    writes: tuple[int, ...] = ()
    reads_rest: int | None = None
    writes_rest: int | None = None
    reads_through: tuple[int, ...] = ()
    writes_through: tuple[int, ...] = ()
    reads_globals: tuple[str, ...] = ()
    writes_globals: tuple[str, ...] = ()
    returns: tuple[int, ...] = ()
    returns_global: str = ""
    fresh: bool = False
    copies: tuple[tuple[int, int], ...] = ()
    keeps: tuple[tuple[int, int], ...] = ()
    calls: tuple[int, ...] = ()


_ELSEWHERE = {  # of gnulib, of what has no model, of glibc's headers
    "xmalloc xcalloc xnmalloc xzalloc": "fresh",
    "xrealloc xnrealloc x2realloc": "reads 0, returns 0, fresh",
    "xstrdup xstrndup xmemdup": "reads 0, fresh",
    "popen": "reads 0 1, fresh",
    "__strcpy_chk": "reads 1, writes 0, returns 0, copies 0:1",
    "__strcat_chk": "reads 0 1, writes 0, returns 0, copies 0:1",
    "printf_unlocked": "reads 0.., output",
    "close_stdin close_stdout signbit usage_exit __builtin_unreachable": "nothing",
}


def effect_of(name: str) -> Effect | None:
    """The declared effect of a function; None where nothing is known, or where its code counts
    instead."""
    text = _table().get(name)
    return None if text is None else parsed(text)


def is_output(name: str) -> bool:
    """Does a call write output of the program, or end it?"""
    text = _table().get(name)
    return text is not None and "output" in text.split(", ")


def reads_stdin(name: str) -> bool:
    """Does a call go by where standard input stands, whatever its arguments are?"""
    effect = effect_of(name)
    return effect is not None and "*stdin" in effect.reads_globals


@cache
def _table() -> dict[str, str]:
    found = {name: text for names, text in _ELSEWHERE.items() for name in names.split()}
    for line in TABLE.read_text().splitlines():
        name, _, text = line.partition(": ")
        found[name] = text
    return found


@cache
def parsed(text: str) -> Effect | None:
    """The effect that a row of text states; None where it leaves the rest to code. Raises
    ValueError where the text is no effect."""
    alone = {"nothing", "code", "output", "fresh"}
    said: dict[str, list[str]] = {}
    for part in text.split(","):
        word, *given = part.split() or [""]
        known = word in alone or word in ("reads", "writes", "returns", "copies", "keeps", "calls")
        if not known or word in said or (word in alone) == bool(given):
            raise ValueError(f"no effect: {text!r}")
        said[word] = given
    if "code" in said:
        return None
    reads, reads_rest, reads_through, read_globals = _objects(said.get("reads", []))
    writes, writes_rest, writes_through, written_globals = _objects(said.get("writes", []))
    returns, _, _, returned = _objects(said.get("returns", []))
    return Effect(
        reads=reads,
        writes=writes,
        reads_rest=reads_rest,
        writes_rest=writes_rest,
        reads_through=reads_through,
        writes_through=writes_through,
        reads_globals=read_globals,
        writes_globals=written_globals,
        returns=returns,
        returns_global="".join(returned),
        fresh="fresh" in said,
        copies=_pairs(said.get("copies", [])),
        keeps=_pairs(said.get("keeps", [])),
        calls=tuple(int(each) for each in said.get("calls", [])),
    )


def _objects(
    words: list[str],
) -> tuple[tuple[int, ...], int | None, tuple[int, ...], tuple[str, ...]]:
    """The objects of a row: indices of arguments, the first index of ``2..``, indices of ``1+``,
    names."""
    numbered = [each for each in words if each[0].isdigit()]
    rest = [int(each.removesuffix("..")) for each in numbered if each.endswith("..")]
    through = tuple(int(each.removesuffix("+")) for each in numbered if each.endswith("+"))
    plain = [each.removesuffix("+") for each in numbered if not each.endswith("..")]
    named = tuple(ERRNO if each == "errno" else each for each in words if not each[0].isdigit())
    return tuple(map(int, plain)), min(rest, default=None), through, named


def _pairs(words: list[str]) -> tuple[tuple[int, int], ...]:
    found = [each.split(":") for each in words]
    return tuple((int(into), int(out)) for into, out in found)


def argument_indices(listed: tuple[int, ...], rest: int | None, count: int) -> list[int]:
    """The indices of the arguments that a row names, for a call with ``count`` arguments."""
    found = [index for index in listed if index < count]
    if rest is not None:
        found += [index for index in range(rest, count) if index not in found]
    return found


# Functions of the C library: (pointer, number, size of an element), each by the position of its
# argument; the size is None where the number counts bytes.
TAKES: Mapping[str, tuple[tuple[int, int, int | None], ...]] = {
    **dict.fromkeys(("memcpy", "memmove", "mempcpy"), ((0, 2, None), (1, 2, None))),
    **dict.fromkeys(("memcmp", "bcmp"), ((0, 2, None), (1, 2, None))),
    **dict.fromkeys(("memset", "memchr", "strncpy", "stpncpy"), ((0, 2, None),)),
    **dict.fromkeys(("bzero", "explicit_bzero", "fgets"), ((0, 1, None),)),
    **dict.fromkeys(("snprintf", "vsnprintf"), ((0, 1, None),)),
    **dict.fromkeys(("read", "write", "send", "recv", "pread", "pwrite"), ((1, 2, None),)),
    **dict.fromkeys(("fread", "fwrite"), ((0, 2, 1),)),
    "qsort": ((0, 1, 2),),
    "bsearch": ((1, 2, 3),),
}
