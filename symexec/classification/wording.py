"""Tell differences apart that are a matter of wording: help, version and usage text.

    fputs(_("  -d   print twice\n"), stdout);   ->   fputs(_("  -d   print it twice\n"), stdout);

A test is one of these when three things hold: both versions end alike and only their text differs;
the changes that bring that about only reword text which is printed; and the program was asked to
inform (``--help``, ``--version``), or answers with its usage. Of a text that several changes touch,
each by itself, one that only rewords is enough: nobody who asked for the text learns from the
others what the program does. So a status that differs, a help text that depends on something else
that changed, and reworded results stay what they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from csg.ir import ChangeInfo
from symexec.classification.compare import Kind, differing_parts
from symexec.testcases import TestCase

_JUDGED = {Kind.DIFFERENCE.value, Kind.PROGRESSION.value}  # also errors against a golden version
_TEXT = {"stdout", "stderr"}
_ASKING = ("--help", "--version", "--usage")
_USAGE = re.compile(rb"usage\b", re.IGNORECASE)

_LITERAL = re.compile(r"""'(?:\\.|[^'\\])+'|(?:u8|[LuU])?"((?:\\.|[^"\\])*)"|%%""", re.DOTALL)
_CONVERSION = re.compile(r"%[-+ #0']*[\d*$]*(?:\.[\d*]*)?(?:hh|h|ll|l|q|L|j|z|t)?[a-zA-Z]")
_CALLED = re.compile(r"([A-Za-z_]\w*)\s*\(")
_TRANSLATORS = frozenset(("_", "N_", "gettext", "dgettext", "ngettext"))
_PRINTERS = _TRANSLATORS | {"printf", "fprintf", "puts", "fputs", "fputs_unlocked", "error", "exit"}
_DEFINITION = re.compile(r'macro \w+ \(.*\): ("(?:\\.|[^"\\])*") became ("(?:\\.|[^"\\])*")')

Shown = tuple[object, ...]


def told_apart(cases: Iterable[TestCase], changes: Sequence[ChangeInfo]) -> Iterator[TestCase]:
    """The cases that are differences of wording, with their class. One that nobody explained is
    one when what differs is exactly what differs in a case that was."""
    rewording = {change.id for change in changes if rewords(change)}
    if not rewording:
        return
    open_cases = [case for case in cases if case.kind in _JUDGED or case.error]
    texts = {
        _shown(case) for case in open_cases if informs(case) and _reworded(case, rewording, False)
    }
    for case in open_cases:
        if _shown(case) in texts and _reworded(case, rewording, True):
            yield replace(case, kind=Kind.HELP_TEXT.value, error="")


def informs(case: TestCase) -> bool:
    """Was the program asked for help, or does it answer with its usage, in both versions?"""
    if case.old is None or case.new is None:
        return False
    if not set(differing_parts(case.old, case.new)) <= _TEXT:
        return False
    words = [word.decode("latin-1") for word in case.input.args]
    options = words[: words.index("--")] if "--" in words else words
    if any(len(word) > 2 and asks.startswith(word) for word in options for asks in _ASKING):
        return True
    texts = (case.old.stdout + case.old.stderr, case.new.stdout + case.new.stderr)
    return all(_USAGE.match(text) for text in texts)


def _reworded(case: TestCase, rewording: set[int], unexplained: bool) -> bool:
    """Is it brought about by rewording alone? ``unexplained``: the answer when nobody knows."""
    if case.blame is None or not case.blame.blamed:
        return unexplained
    return any(rewording.issuperset(changes) for changes in case.blame.minimal)


def _shown(case: TestCase) -> Shown:
    """The texts that differ. What both versions write beside them (the option that they do not
    know) may be another in each test."""
    assert case.old is not None and case.new is not None
    parts = differing_parts(case.old, case.new)
    return parts, tuple(
        (seen.exit, *(getattr(seen, part) for part in parts if part in _TEXT))
        for seen in (case.old, case.new)
    )


def rewords(change: ChangeInfo) -> bool:
    """Does a change replace, add or remove literals that are printed, and nothing else?"""
    if change.cause:
        return _DEFINITION.fullmatch(change.cause) is not None and _prints(change.new_text)
    old, new = change.old_text, change.new_text
    if not old or not new:
        return _only_literals(old or new)
    if _only_literals(old) and _only_literals(new):
        return True
    return (
        _skeleton(old) == _skeleton(new) and _conversions(old) == _conversions(new) and _prints(new)
    )


def _prints(text: str) -> bool:
    """Nothing is called but what prints, or a text is defined."""
    bare = _LITERAL.sub('"', text)
    called = set(_CALLED.findall(bare)) - {"return", "sizeof"}
    if called:
        return called <= _PRINTERS
    defined = re.fullmatch(r"(?:\w+\s+|\*\s*)*\w+\s*(?:\[\s*\w*\s*\])?\s*=[\s\"N_()]*;?", bare)
    return defined is not None and any(" " in found for found in _literals(text))


def _only_literals(text: str) -> bool:
    """A statement that prints literals and takes nothing from the program."""
    bare = _LITERAL.sub('"', text)
    names = set(re.findall(r"[A-Za-z_]\w*", bare))
    return (
        bool(names)
        and names <= _PRINTERS | {"stdout", "stderr"}
        and not _conversions(text)
        and re.fullmatch(r'[\w\s(),;"]*', bare) is not None
    )


def _skeleton(text: str) -> str:
    """Without what stands in literals, and without spaces; neighbouring literals are one."""
    bare = re.sub(r"\s+", "", _LITERAL.sub(lambda found: _kept(found[0]), text))
    return re.sub(r'"+', '"', bare)


def _kept(literal: str) -> str:
    return '"' if literal.endswith('"') else literal


def _literals(text: str) -> list[str]:
    return [found[1] or "" for found in _LITERAL.finditer(text)]


def _conversions(text: str) -> list[str]:
    return [
        each for part in _literals(text) for each in _CONVERSION.findall(part.replace("%%", ""))
    ]
