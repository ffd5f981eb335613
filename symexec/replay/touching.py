"""Which changes does a run come by? The unified program with a probe at each.

    change_(3, o, n)        (csgtest_touch(3), csgtest_mask[3] ? (n) : (o))

What was touched lies in a file in the run's folder, written as it happens: a crash loses nothing.
"""

from __future__ import annotations

import re

from symexec.replay.build import Text
from symexec.testcases.observation import Observation

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
