"""What a native run writes in addition to its output: decisions, changes that it executes,
sanitizer reports."""

from __future__ import annotations

import re
import struct
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from symexec.replay.build import Text
from symexec.testcases.testcase import Observation

# --------------------------------------------------------------------------------------- deciding
# What a run decided, as the program with probes wrote it down (decisions.c).
#
# decided = next(replay.decided([(test, frozenset())]))
# decided.first                    # array of (site << 32 | value), in the order of the run


MOST = 1 << 14  # decisions that are stored one by one; the others are in the hash
_PRIME = 0x100000001B3
_WORD = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Decided:
    """The decisions of a run. ``first`` may be fewer than ``count``; ``hash`` is that of all.
    ``cut``: the run was ended from outside, at no particular place."""

    count: int
    hash: int
    first: array[int]
    cut: bool = False


def decision(site: int, value: int) -> int:
    """A decision as decisions.c writes it."""
    return site << 32 | value & 0xFFFFFFFF


def hashed(decisions: Iterable[int]) -> int:
    """The hash of decisions, as decisions.c computes it (Fowler-Noll-Vo, 64 bits)."""
    found = 0
    for each in decisions:
        found = (found ^ each) * _PRIME & _WORD
    return found


def read_decisions(log: bytes, cut: bool) -> Decided:
    """The decisions in a log. An empty log is that of a run that did not come to its start."""
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
    """The text with a probe at each change. ``source`` is the unified program with numbers."""
    head, sign, rest = source.text.partition("#endif\n")
    head = _MACRO.sub(r"\1 (csgtest_touch(id), \3)", head)
    return Text(head + sign + _PROBE % {"size": changes + 1} + rest, source.flags)


def probes(text: str) -> frozenset[int]:
    """The changes that have a probe in the text."""
    return frozenset(int(number) for number in re.findall(r"(?:change|execute)_\((\d+),", text))


def touched(seen: Observation) -> frozenset[int] | None:
    """The changes that a run has executed; None when it left nothing behind."""
    content = dict(seen.files).get(FILE)
    if content is None:
        return None
    return frozenset(number for number, byte in enumerate(content) if byte)


# ------------------------------------------------------------------------------------- sanitizers
# What a sanitizer writes, in a few words.
#
# ==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x...      heap-buffer-overflow
# a.c:3:9: runtime error: index 5 out of bounds for type 'int [4]'         index out of bounds

_SUMMARY = re.compile(r"SUMMARY: \w+Sanitizer: ([\w-]+)")
_ERROR = re.compile(r"ERROR: \w+Sanitizer: (?:attempting )?([\w-]+)")
_RUNTIME = re.compile(r"runtime error: (.*)")
_LOST = re.compile(rb"lost (\d+) objects")
_PROCESS = re.compile(r"==\d+==")
_ADDRESS = re.compile(r"0x[0-9a-f]{4,}")

# Prefixes of UndefinedBehaviorSanitizer's messages, without the numbers of the run.
_KINDS = (
    (re.compile(r"index .* out of bounds"), "index out of bounds"),
    (re.compile(r".* null pointer"), "null pointer"),
    (re.compile(r"division by zero"), "division by zero"),
    (re.compile(r"division of .* by -1 cannot be represented"), "division overflow"),
    (re.compile(r".* insufficient space"), "insufficient space for an object"),
    (re.compile(r".* misaligned address"), "misaligned address"),
)

OPTIONS = (
    b"detect_leaks=0:abort_on_error=0:exitcode=99:handle_abort=0:allocator_may_return_null=1:"
    b"max_allocation_size_mb=512:detect_odr_violation=0:halt_on_error=1:color=never:"
    b"detect_stack_use_after_return=1:"
)
MOST_REPORT = 4096
_ANNOUNCED = re.compile(rb"\w+Sanitizer:DEADLYSIGNAL\n")  # goes to stderr whatever the options


def sanitizer_environment(
    base: str, explain: bool = False, halts: bool = True, fake_stack: bool = True
) -> tuple[bytes, ...]:
    """The environment for sanitizers. Reports go to files ``BASE/report.PID``, so that stderr is
    the program's own. ``explain``: with functions and lines, which takes 0.1 s; the environment has
    the same size. ``halts`` False: the run goes on behind an error that only the second sanitizer
    finds. ``fake_stack``: local objects lie where nothing else comes to lie when their function
    has returned, and so in another order than a compiler alone puts them."""
    options = (
        OPTIONS.replace(b"halt_on_error=1", b"halt_on_error=%d" % halts).replace(
            b"use_after_return=1", b"use_after_return=%d" % fake_stack
        )
        + f"symbolize={int(explain)}:log_path={base}/report".encode()
    )
    leaks = f"CSGTEST_LEAKS={base}/report.leaks".encode()
    return b"ASAN_OPTIONS=" + options, b"UBSAN_OPTIONS=" + options, leaks


def sanitizer_kind(reports: Sequence[bytes]) -> tuple[str | None, str]:
    """The kind of the first error reported, and its report; (None, "") when there is none."""
    for report in reports:
        text = report.decode("utf-8", "replace")
        kind = _kind(text)
        if kind is not None:
            text = _PROCESS.sub("", text.partition("\nShadow bytes around")[0])
            return kind, _ADDRESS.sub("0x...", text.lstrip("=\n"))[:MOST_REPORT]
    return None, ""


def leaks_of(reports: Sequence[bytes]) -> tuple[int | None, str]:
    """How many objects nothing points to any more, and the report; None when they were not looked
    for (leaks.c)."""
    for report in reports:
        found = _LOST.match(report)
        if found is not None:
            text = report.decode("utf-8", "replace") if int(found[1]) else ""
            return int(found[1]), text[:MOST_REPORT]
    return None, ""


def without_announcement(stderr: bytes) -> bytes:
    """Standard error as the program itself wrote it."""
    return _ANNOUNCED.sub(b"", stderr)


def _kind(text: str) -> str | None:
    found = _RUNTIME.search(text)
    if found is not None:
        for pattern, kind in _KINDS:
            if pattern.match(found[1]):
                return kind
        return re.sub(r"\d+", "N", found[1])[:60]
    found = _SUMMARY.search(text) or _ERROR.search(text)
    return found[1] if found else None
