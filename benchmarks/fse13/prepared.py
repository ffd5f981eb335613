"""Folders in which the pairs are built, as runs and scores need them.

    DIR/PAIR/old, new, fixed-ERROR, before-ERROR    a version each: bin, and san with sanitizers
    DIR/PAIR/args, cflags                           what ``csgtest build`` is given there

Who makes them has the programs; nothing of that is kept here.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks.fse13.facts import Pair
from benchmarks.fse13.outcomes import faulty, outcome


def prepared(folder: Path, pair: Pair) -> bool:
    """Has this folder what a run and its score need?"""
    own = [folder / name for name in ("args", "cflags", "old/bin", "new/bin", "new/san")]
    fixes = [
        folder / f"{kind}-{error.id}/bin" for error in pair.errors for kind in ("fixed", "before")
    ]
    return all(each.exists() for each in (*own, *fixes))


def wrong_inputs(folder: Path, pair: Pair) -> list[str]:
    """Known inputs on which a version does something else than is known."""
    wrong = []
    for error in pair.errors:
        folders = {"old": folder / "old", "new": folder / "new"}
        folders["fixed"] = folder / f"fixed-{error.id}"
        for known in error.inputs:
            for version, place in folders.items():
                expected = known.outcomes[version]
                code, output = outcome(place, pair.tool, known.given)
                seen: dict[str, object] = {"rc": code, "stdout": output}
                if error.function and faulty(place, pair.tool, known.given, error.function):
                    seen["asan"] = True
                if seen != expected:
                    words = " ".join(known.given["args"])
                    wrong.append(f"{error.id}: {words}: {version}: {seen}, not {expected}")
    return wrong
