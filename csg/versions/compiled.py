"""Unite two versions and let the C compiler confirm that the result is C.

    unify_compiled(old, new)   ->   Unified whose printed text compiles as OLD, as NEW, and masked

A projection can be right where the text is not: a region may hold a declaration that the other
version needs, too. So each of the three builds is checked for errors, and the function that one
stands in is kept as two copies; failing that, the whole program is.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from csg.errors import ToolchainError
from csg.language.syntax import TranslationUnit
from csg.toolchain import compile_program
from csg.versions.printing import printed
from csg.versions.unified import Fallback, Unified
from csg.versions.unifier import everything_twice, unify

BUILDS = (("-DCSGTEST_OLD",), ("-DCSGTEST_NEW",), ())
CHECK_ONLY = ("-fsyntax-only", "-std=gnu11", "-w", "-x", "c")


def unify_compiled(
    old: TranslationUnit,
    new: TranslationUnit,
    entry: str = "main",
    compiler: str | None = None,
) -> Unified:
    whole: frozenset[str] = frozenset()
    reasons: list[Fallback] = []
    unified = unify(old, new, entry)
    while (trouble := compile_trouble(unified, compiler)) is not None:
        function, message = trouble
        if not function or function in whole:
            unified = everything_twice(old, new, entry)
            unified.fallbacks.append(Fallback("program", message))
            return unified
        whole |= {function}
        reasons.append(Fallback(function, f"its united form does not compile: {message}"))
        unified = unify(old, new, entry, whole)
    unified.fallbacks.extend(reasons)
    return unified


def compile_trouble(unified: Unified, compiler: str | None = None) -> tuple[str, str] | None:
    """The function (or "") that the compiler's first error stands in, and what it says."""
    text = printed(unified, ids=True)
    with tempfile.TemporaryDirectory(prefix="csgtest-") as folder:
        source = Path(folder, "unified.c")
        source.write_text(text, "utf-8", "surrogateescape")
        for build in BUILDS:
            try:
                compile_program([], "/dev/null", [*CHECK_ONLY, *build, str(source)], compiler)
            except ToolchainError as error:
                if error.location is None:
                    raise
                return _function_at(text, error.location.line, unified), error.message
    return None


def _function_at(text: str, line: int, unified: Unified) -> str:
    """The united function whose text holds the line; copies count as what they are copies of."""
    names = {function.symbol.name for function in unified.unit.functions}
    copies = {
        copy.symbol.name: symbol.name for symbol, pair in unified.clones.items() for copy in pair
    }
    lines = text.splitlines()[:line]
    for at in range(len(lines) - 1, 0, -1):
        if lines[at] == "}" and at + 1 < line:
            return ""
        if lines[at] == "{":
            found = [word for word in re.findall(r"(\w+)\(", lines[at - 1]) if word in names]
            return copies.get(found[0], found[0]) if found else ""
    return ""
