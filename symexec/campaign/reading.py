"""Read both versions. Preprocessing waits for the compiler, so the second runs beside the first."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from csg.frontend import parse_file
from csg.language.syntax import TranslationUnit


def read_pair(
    old: Path, new: Path, flags: Sequence[str]
) -> tuple[TranslationUnit, TranslationUnit]:
    """Both trees; the first error of the old version wins."""
    return parse_file(old, tuple(flags)), parse_file(new, tuple(flags))
