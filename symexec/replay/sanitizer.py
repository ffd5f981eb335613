"""What a sanitizer writes, in a few words.

==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x...      heap-buffer-overflow
a.c:3:9: runtime error: index 5 out of bounds for type 'int [4]'         index out of bounds
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_SUMMARY = re.compile(r"SUMMARY: \w+Sanitizer: ([\w-]+)")
_ERROR = re.compile(r"ERROR: \w+Sanitizer: (?:attempting )?([\w-]+)")
_RUNTIME = re.compile(r"runtime error: (.*)")
_LOST = re.compile(rb"lost (\d+) objects")
_PROCESS = re.compile(r"==\d+==")
_ADDRESS = re.compile(r"0x[0-9a-f]{4,}")

# Beginnings of what UndefinedBehaviorSanitizer says, without the numbers of the run.
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
    base: str, explain: bool = False, halts: bool = True
) -> tuple[bytes, ...]:
    """Reports go to files ``BASE/report.PID``, so that stderr stays the program's own. To
    ``explain`` with functions and lines takes 0.1 s; the environment keeps its size. A run that
    does not ``halt`` goes on behind an error that only the second sanitizer finds."""
    options = (
        OPTIONS.replace(b"halt_on_error=1", b"halt_on_error=%d" % halts)
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
    """How many objects nothing points to any more, and which; None when nobody looked (leaks.c)."""
    for report in reports:
        found = _LOST.match(report)
        if found is not None:
            text = report.decode("utf-8", "replace") if int(found[1]) else ""
            return int(found[1]), text[:MOST_REPORT]
    return None, ""


def without_announcement(stderr: bytes) -> bytes:
    """Standard error as the program wrote it."""
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
