"""Let the C compiler confirm that a unified program is C, and unify what is not more coarsely.

    with Confirmation(text, MASKED) as confirmation:
        confirmed(unified, confirmation.error())

A projection can be right where the text is not: a region may hold a declaration that the other
version needs, too. The compiler only checks, concurrently with the rest of the work. A function
with an error becomes two copies, one for each version; failing that, the whole program does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from csg.errors import ToolchainError
from csg.frontend.sources import lines_of
from csg.language.syntax import TranslationUnit
from csg.leftovers import own_folder
from csg.programs import BY_TREES, Annotation
from csg.toolchain import CompilerPool, compile_program, relevant_flags
from csg.unify.object_code import with_dissents
from csg.unify.output.annotated import published
from csg.unify.output.printing import printed
from csg.unify.unified import Fallback, Unified
from csg.unify.unifier import everything_twice, unify

Build = tuple[str, ...]
MASKED: tuple[Build, ...] = ((),)
BUILDS: tuple[Build, ...] = (("-DCSGTEST_OLD",), ("-DCSGTEST_NEW",), ())
_OF_THE_LANGUAGE = ("-std", "-ansi", "-f", "-m")  # the others are the preprocessor's
CHECK_ONLY = ("-fsyntax-only", "-w", "-x", "c")


class Confirmation:
    """A check of a text by the compiler, in the background. ``flags`` are those of the program."""

    def __init__(
        self,
        text: str,
        builds: Sequence[Build] = BUILDS,
        compiler: str | None = None,
        flags: Sequence[str] = (),
    ) -> None:
        self._text = text
        self._flags = [flag for flag in relevant_flags(flags) if flag.startswith(_OF_THE_LANGUAGE)]
        self._compiler = compiler
        self._pool = CompilerPool(max(1, len(builds)))
        self._answers = [self._pool.submit(self._ask, build) for build in builds]

    def __enter__(self) -> Confirmation:
        return self

    def __exit__(self, *reason: object) -> None:
        self._pool.close()

    def error(self) -> tuple[int, str] | None:
        """Wait for the compiler; return the line of its first error and the message, or None."""
        found = [each.result() for each in self._answers]
        return next((each for each in found if each is not None), None)

    def _ask(self, build: Build) -> tuple[int, str] | None:
        with own_folder("check") as folder:
            source = folder / "unified.c"
            source.write_text(self._text, "utf-8", "surrogateescape")
            try:
                compile_program(
                    [],
                    "/dev/null",
                    [*CHECK_ONLY, *self._flags, *build, str(source)],
                    self._compiler,
                    cancelled=self._pool.cancelled,
                )
            except ToolchainError as error:
                return error.location.line if error.location is not None else 0, error.message
        return None


def unify_compiled(
    old: TranslationUnit,
    new: TranslationUnit,
    entry: str = "main",
    compiler: str | None = None,
) -> Unified:
    """``unify``, confirmed by the compiler in all three builds."""
    return confirmed(unify(old, new, entry), entry, compiler=compiler)


def confirmed(
    unified: Unified,
    entry: str = "main",
    error: tuple[str, str] | None = None,
    compiler: str | None = None,
    annotation: Annotation = BY_TREES,
) -> Unified:
    """``unified``, or a coarser program that compiles. ``error`` is the first error, if it is known
    already: the function (or "") that it is in, and the message."""
    found = error or compile_error(unified, compiler)
    old, new, shared, first = unified.old, unified.new, unified.shared, unified
    whole: frozenset[str] = frozenset()
    reasons: list[Fallback] = []
    while found is not None:
        function, message = found
        if not function or function in whole:
            twice = with_dissents(everything_twice(old, new, entry), first.dissents, first.apart)
            # Where it is no C either, as without the instructions that a pragma asks for, that
            # the versions are unified is no reason.
            unified = twice if compile_error(twice, compiler) is None else first
            unified.fallbacks.clear()
            reasons = [Fallback("program", f"its unified form does not compile: {message}")]
            break
        whole |= {function}
        reasons.append(Fallback(function, f"its unified form does not compile: {message}"))
        parts = first.apart
        unified = unify(
            old, new, entry, whole | parts.functions, parts.objects, annotation.by_lines
        )
        unified = with_dissents(unified, first.dissents, parts)
        unified = published(unified) if annotation.published else unified
        found = compile_error(unified, compiler)
    others = [each for each in unified.fallbacks if each.region not in whole]
    unified.fallbacks[:] = [*others, *reasons]
    unified.shared, unified.unmodelled = shared, first.unmodelled
    unified.read_otherwise = first.read_otherwise
    return unified


def compile_error(unified: Unified, compiler: str | None = None) -> tuple[str, str] | None:
    """The function (or "") that the compiler's first error is in, and the message; None without
    errors."""
    text = printed(unified, ids=True)
    with Confirmation(text, BUILDS, compiler) as confirmation:
        return located(unified, text, confirmation.error())


def located(unified: Unified, text: str, error: tuple[int, str] | None) -> tuple[str, str] | None:
    """The function of the unified program whose text holds the line of the error; a copy counts as
    the function that it is a copy of."""
    if error is None:
        return None
    line, message = error
    return _function_at(text, line, unified), message


def _function_at(text: str, line: int, unified: Unified) -> str:
    names = {function.symbol.name for function in unified.unit.functions}
    copies = {
        copy.symbol.name: symbol.name for symbol, pair in unified.clones.items() for copy in pair
    }
    lines = lines_of(text)[:line]
    for at in range(len(lines) - 1, 0, -1):
        if lines[at] == "}" and at + 1 < line:
            return ""
        if lines[at] == "{":
            found = [word for word in re.findall(r"(\w+)\(", lines[at - 1]) if word in names]
            return copies.get(found[0], found[0]) if found else ""
    return ""
