"""What a run with probes wrote down: its decisions, the changes that it came by."""

from __future__ import annotations

import re
import struct
from array import array
from collections.abc import Iterable
from dataclasses import dataclass

from symexec.replay.build import Text
from symexec.testcases.testcase import Observation

# --------------------------------------------------------------------------------------- deciding
# What a run decided, as the program with probes wrote it down (decisions.c).
#
# decided = next(replay.decided([(test, frozenset())]))
# decided.first                    # array of (site << 32 | value), in the order of the run


MOST = 1 << 14  # decisions that are kept one by one; the others are in the hash
_PRIME = 0x100000001B3
_WORD = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Decided:
    """``first`` may be fewer than ``count``; ``hash`` is that of all. ``cut``: the run was ended
    from outside, at no particular place."""

    count: int
    hash: int
    first: array[int]
    cut: bool = False


def decision(site: int, value: int) -> int:
    """As decisions.c writes it."""
    return site << 32 | value & 0xFFFFFFFF


def hashed(decisions: Iterable[int]) -> int:
    """As decisions.c computes it (Fowler-Noll-Vo, 64 bits)."""
    found = 0
    for each in decisions:
        found = (found ^ each) * _PRIME & _WORD
    return found


def read_decisions(log: bytes, cut: bool) -> Decided:
    """An empty log is that of a run that never came to its beginning."""
    if len(log) < 16:
        return Decided(0, 0, array("Q"), cut)
    count, total = struct.unpack_from("<QQ", log)
    first = array("Q", log[16 : len(log) - len(log) % 8])
    return Decided(count, total, first[:count], cut)


# --------------------------------------------------------------------------------------- touching
# Which changes does a run come by? The unified program with a probe at each.
#
#     change_(3, o, n)        (csgtest_touch(3), csgtest_mask[3] ? (n) : (o))
#
# What was touched lies in a file in the run's folder, written as it happens: a crash loses nothing.


FILE = "csgtest-touched"
_MACRO = re.compile(r"^(#define (\w*(?:change|execute)_)\(id, .*?\)) (\(csgtest_mask.*)$", re.M)

_PROBE = """\
static unsigned char *csgtest_touched;
extern long syscall(long number, ...);
__attribute__((constructor(102))) static void csgtest_open_touched(void)
{
    enum { open_ = 2, mmap_ = 9, ftruncate_ = 77, create = 0102, shared = 1, both = 3 };
    long file = syscall(open_, "csgtest-touched", create, 0600);
    if (file < 0 || syscall(ftruncate_, file, %(size)dL))
        return;
    long place = syscall(mmap_, 0L, %(size)dL, (long)both, (long)shared, file, 0L);
    csgtest_touched = place == -1 ? 0 : (unsigned char *)place;
}
static inline int csgtest_touch(int id)
{
    if (csgtest_touched)
        csgtest_touched[id] = 1;
    return 0;
}
"""


def probed(source: Text, changes: int) -> Text:
    """``source`` is the unified program with numbers."""
    head, sign, rest = source.text.partition("#endif\n")
    head = _MACRO.sub(r"\1 (csgtest_touch(id), \3)", head)
    return Text(head + sign + _PROBE % {"size": changes + 1} + rest, source.flags)


def probes(text: str) -> frozenset[int]:
    """The changes that have a place where a run can be seen to come by."""
    return frozenset(int(number) for number in re.findall(r"(?:change|execute)_\((\d+),", text))


def touched(seen: Observation) -> frozenset[int] | None:
    """None when the run left nothing behind."""
    content = dict(seen.files).get(FILE)
    if content is None:
        return None
    return frozenset(number for number, byte in enumerate(content) if byte)
