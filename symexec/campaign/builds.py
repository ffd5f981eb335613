"""What is compiled for the native runs: both versions, and the program with a switch per change.

main.c (shared), list.c (differs)      old:   main.c, list.c of the old version
                                       new:   main.c, list.c of the new one
                                       mask:  main.c, the united list.c
--golden fixed.c                       golden: fixed.c with what NEW has beside it
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from csg.errors import UsageError
from csg.language.syntax import TranslationUnit
from csg.programs import FilePair, SourceFile, files_of
from csg.unite import ProgramPair
from csg.versions import Unified
from symexec.options import BuildOptions, versions_of
from symexec.replay import ReplayPlan, Source, Text
from symexec.replay.build import is_compiled

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


def golden_files(
    options: BuildOptions, new: Sequence[SourceFile], entry: str
) -> tuple[SourceFile, ...]:
    """What is intended (``--golden``), in the order of the new version's files: the same files with
    the golden one in NEW's place, or an executable. UsageError when it cannot be run as NEW is."""
    golden = options.files.golden
    if golden is None:
        return ()
    if not golden.exists():
        raise UsageError(f"cannot read '{golden}': there is no such file")
    alone = SourceFile(golden)
    if golden.is_file() and is_compiled(alone):
        if entry != "main":
            raise UsageError(
                f"'{golden}' is an executable, which starts in main and not in '{entry}'",
                hint="give its C file to --golden",
            )
        return (alone,)
    if golden.is_dir() != options.new.is_dir():
        kind = "folder" if options.new.is_dir() else "C file"
        raise UsageError(f"--golden takes NEW's place: '{golden}' has to be a {kind}")
    versions = replace(versions_of(options), old=golden, old_build=None, annotated=False)
    pairs = {pair.new: pair.old for pair in versions.pairs()}
    first = pairs.get(new[0])
    others = [each for each in pairs.values() if each is not None and each is not first]
    return (first, *others) if first is not None else tuple(others)


def _starting(sources: Sequence[S], units: Sequence[TranslationUnit], entry: str) -> tuple[S, ...]:
    """The source with the entry function in front; a text is the first unit."""
    names = [unit.file for unit in units for each in unit.functions if each.symbol.name == entry]
    home = [source for source in sources if _name(source, units[0].file) in names[:1]]
    return (*home, *(source for source in sources if source not in home))


def _name(source: Source, of_text: str) -> str:
    return of_text if isinstance(source, Text) else os.fspath(source.path)
