"""A program and a patched version of it, named by a number.

    Pair("sorting", 17).texts()   ->   sorting.c as it is, and with one to five random edits

The edits are what patches are made of: in expressions and statements (``small``), of control flow
(``flow``), of declarations (``objects``), beyond one function (``programs``), and in the text that
the preprocessor and the declarations of types see (``texts``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from csg.errors import CsgtestError
from csg.frontend import parse_text
from csg.language.printer import print_unit
from csg.language.syntax import TranslationUnit
from tests.csg.unify.mutating.flow import FLOW
from tests.csg.unify.mutating.objects import OBJECTS
from tests.csg.unify.mutating.places import own_functions
from tests.csg.unify.mutating.programs import PROGRAMS
from tests.csg.unify.mutating.small import SMALL
from tests.csg.unify.mutating.texts import TEXTS

ROOT = Path(__file__).parents[4]
INSIDE = (*SMALL, *FLOW, *OBJECTS)
COUNTS = (1, 1, 1, 2, 2, 3, 5)


def source(unit: TranslationUnit) -> str:
    """A text that both gcc and the front end read; its assertions are glibc's again."""
    return "#define __csgtest_assert_fail __assert_fail\n" + print_unit(unit)


@dataclass(frozen=True, slots=True)
class Pair:
    """``edits`` names the kinds of edit to draw from; empty: all."""

    text: str
    seed: str
    edits: frozenset[str] = frozenset()

    def texts(self) -> tuple[str, str, tuple[str, ...]]:
        """The old text, the new one, and what was done."""
        random = Random(self.seed)
        names: list[str] = []
        if random.random() < 0.25 and not self.edits:
            old, new = self.text, self.text
        else:
            unit = parse_text(self.text, "program.c")
            old = source(unit)
            count = random.choice(COUNTS)
            changed = unit
            for _ in range(count):
                changed = self._edited(changed, random, names)
            new = source(changed)
        if old == new or random.random() < 0.2:
            new = self._rewritten(new, random, names)
        return old, new, tuple(names)

    def _edited(self, unit: TranslationUnit, random: Random, names: list[str]) -> TranslationUnit:
        wider = [each for each in PROGRAMS if self._wanted(each.__name__)]
        inside = [each for each in INSIDE if self._wanted(each.__name__)]
        if wider and (not inside or random.random() < 0.25):
            random.shuffle(wider)
            for edit in wider:
                changed = edit(unit, random)
                if changed is not None:
                    names.append(edit.__name__)
                    return parsed_again(changed)
        own = own_functions(unit)
        random.shuffle(own)
        random.shuffle(inside)
        for mutation in inside:
            for at in own:
                body = mutation(unit.functions[at], random)
                if body is not None:
                    names.append(mutation.__name__)
                    functions = list(unit.functions)
                    functions[at] = replace(functions[at], body=body)
                    return parsed_again(replace(unit, functions=functions))
        return unit

    def _rewritten(self, text: str, random: Random, names: list[str]) -> str:
        texts = [each for each in TEXTS if self._wanted(each.__name__)]
        random.shuffle(texts)
        for edit in texts:
            changed = edit(text, random)
            if changed is not None:
                names.append(edit.__name__)
                return changed
        return text

    def _wanted(self, name: str) -> bool:
        return not self.edits or name in self.edits


def parsed_again(unit: TranslationUnit) -> TranslationUnit:
    """With the types that follow from the edit; the edit is dropped when it is no C."""
    try:
        return parse_text(print_unit(unit), "program.c")
    except CsgtestError:
        return unit
