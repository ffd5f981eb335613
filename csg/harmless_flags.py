"""Flags that a stranger wrote: in compile_commands.json, a build, csgtest.toml or a report.

    is_harmless("-funsigned-char")                True: it changes what the C text means
    is_harmless("-fopt-info-all=/home/ann/x")     False: the compiler would write there
    first_doubtful_flag(["-O2", "-fplugin=./x"])  "-fplugin=./x"
    as_file("@x")                                 "./@x", no list of flags for a compiler

A flag from a stranger is taken only if it is known to say how the text is translated, and its value
is one word. Flags that name files to write or to load, or programs to run, are refused.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

# With a value: options of gcc and clang whose value is a word or a number.
_VALUED = (
    "abi-version", "align-functions", "align-jumps", "align-labels", "align-loops",
    "asan-shadow-offset", "blas-matmul-limit", "cf-protection", "checking", "constexpr-depth",
    "constexpr-loop-limit", "constexpr-ops-limit", "denormal-fp-math",
    "emit-struct-debug-detailed", "excess-precision", "exec-charset", "extern-std",
    "ffp-contract", "fp-contract", "fp-eval-method", "fp-exception-behavior", "fp-model",
    "gnuc-version", "inline-limit", "input-charset", "instrument-functions-exclude-file-list",
    "instrument-functions-exclude-function-list", "ira-algorithm", "ira-region", "ira-verbose",
    "lifetime-dse", "live-patching", "max-errors", "max-include-depth", "max-type-align",
    "message-length", "min-function-alignment", "ms-compatibility-version", "openmp",
    "pack-struct", "patchable-function-entry", "permitted-flt-eval-methods", "random-seed",
    "reorder-blocks-algorithm", "sanitize", "sanitize-recover", "sanitize-trap",
    "sched-stalled-insns", "sched-stalled-insns-dep", "sched-verbose", "simd-cost-model",
    "sso-struct", "stack-check", "stack-limit-register", "stack-limit-symbol", "stack-reuse",
    "strict-flex-arrays", "strong-eval-order", "tabstop", "tls-model", "track-macro-expansion",
    "tree-parallelize-loops", "trivial-auto-var-init", "vect-cost-model", "visibility",
    "wide-exec-charset", "zero-call-used-regs", "zero-init-padding-bits",
)  # fmt: skip
# All flags without a value are harmless, except those that begin with one of these. They write
# files beside the object, read files that a run or a stranger has left, or name a program to run.
_BEYOND_THE_TEXT = (
    "auto-profile", "branch-probabilities", "build-session", "callgraph-info", "compare-debug",
    "coverage", "crash-", "cs-profile", "dbg-cnt", "debug-compilation-dir", "deps", "diagnostics",
    "dump", "embed", "experimental-", "help", "implicit-module", "index", "instr-profile", "lto",
    "ltrans", "mem-report", "memory-profile", "module", "offload", "opt-info",
    "optimization-record", "pass-plugin", "pch", "plugin", "pre-include", "proc-stat", "profile",
    "report-bug", "resolution", "save-", "self-test", "stack-usage", "syntax-only", "test-coverage",
    "time", "use-ld", "use-linker-plugin", "version", "wpa", "xray",
)  # fmt: skip
_HARMLESS = re.compile(
    r"-[DUI].+|-L.+|-l[\w.+-]+|-std=[\w:+]+|-pthread|-ansi|-pedantic(?:-errors)?|-pipe|-w|-nostdinc"
    r"|-O\w*|-g(?!split)[\w-]*|-W(?!l,|a,|p,)[\w+=-]*"
    r"|-m(?!llvm|link)[\w.-]+(?:=[\w.,:+-]*)?"
    r"|-f(?:file|debug|macro)-prefix-map=.+|-fdiagnostics-color(?:=\w+)?|-fno-[\w+-]+"
    rf"|-f(?!{'|'.join(map(re.escape, _BEYOND_THE_TEXT))})[\w+-]+(?<!-map)"
    rf"|-f(?:{'|'.join(map(re.escape, _VALUED))})=[\w.,:+-]*",
    re.DOTALL,
)
_OPERAND = frozenset({"-D", "-U", "-I", "-L", "-l", "-isystem", "-iquote", "-idirafter"})
_OPERAND_FILE = frozenset({"-include", "-imacros"})
_SPECIAL = ("-", "@")  # a compiler takes a word that begins with one of these for no file


def is_harmless(flag: str) -> bool:
    """Does the flag only say what the C text means, or where headers and libraries are? An operand
    is another word."""
    return _HARMLESS.fullmatch(flag) is not None


def first_doubtful_flag(flags: Sequence[str]) -> str | None:
    """The first flag that may be dangerous if a stranger wrote it. It may name other files to read
    or to write, or programs to run."""
    rest = iter(flags)
    for flag in rest:
        if flag in _OPERAND or flag in _OPERAND_FILE:
            operand = next(rest, "")
            if operand.startswith(_SPECIAL):
                return operand
        elif not is_harmless(flag):
            return flag
    return None


def as_file(path: str) -> str:
    """A path as a word of a command: one that begins as a flag or a list of flags does, does no
    more."""
    return os.path.join(os.curdir, path) if path.startswith(_SPECIAL) else path
