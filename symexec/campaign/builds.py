"""What is compiled for the native runs: both versions, and the program with a switch per change.

main.c (shared), list.c (differs)      old:   main.c, list.c of the old version
                                       new:   main.c, list.c of the new one
                                       mask:  main.c, the united list.c
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

from csg.language.syntax import TranslationUnit
from csg.programs import FilePair, files_of
from csg.unite import ProgramPair
from csg.versions import Unified
from symexec.replay import ReplayPlan, Source, Text

S = TypeVar("S", bound=Source)


def files_to_build(
    files: Sequence[FilePair], pair: ProgramPair, unified: Unified, text: str, entry: str
) -> ReplayPlan:
    """``text`` is the united part of the program. The entry function's file is the first."""
    old, new = files_of(files)
    shared = {unit.file for unit in unified.shared}
    united: list[Source] = [Text(text, new[0].flags if new else old[0].flags)]
    united += [file for file in new if os.fspath(file.path) in shared]
    return ReplayPlan(
        old=_starting(old, pair.old, entry),
        new=_starting(new, pair.new, entry),
        unified=_starting(united, unified.units, entry),
    )


def _starting(sources: Sequence[S], units: Sequence[TranslationUnit], entry: str) -> tuple[S, ...]:
    """The source with the entry function in front; a text is the first unit."""
    names = [unit.file for unit in units for each in unit.functions if each.symbol.name == entry]
    home = [source for source in sources if _name(source, units[0].file) in names[:1]]
    return (*home, *(source for source in sources if source not in home))


def _name(source: Source, of_text: str) -> str:
    return of_text if isinstance(source, Text) else os.fspath(source.path)
