"""Build both versions, by the first of several commands that makes something in both."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path

from csg.programs import find_commands, read_commands, refused_commands, summary_of
from symexec.options import RevisionOptions
from symexec.progress import progress_for
from symexec.projects.building import Enclosure, NothingMadeError
from symexec.projects.own_builds import own_build
from symexec.projects.programs import BuiltVersion, build_left_out, build_version
from symexec.projects.recipes import REMADE, leaner, outdated, recipes_of
from symexec.projects.revisions import Revisions

Both = tuple[BuiltVersion, BuiltVersion]

SIDES = ("old", "new")
_GLANCE = 0.5  # seconds between two looks at what builds say
_TAIL = 4096  # bytes of a log in which its last line is looked for


def say(quiet: bool, text: str) -> None:
    """Tell the user what is done."""
    if not quiet:
        print(f"csgtest: {text}", file=sys.stderr)


def logs_of(out: Path) -> tuple[Path, Path]:
    """The files for the output of the builds of the old and the new version."""
    return out / "build-old.log", out / "build-new.log"


def built_or_compiled(
    asked: RevisionOptions,
    enclosures: Sequence[Enclosure],
    revisions: Revisions,
    differing: Sequence[str],
    out: Path,
    quiet: bool,
) -> tuple[Path | None, Both | None]:
    """What the builds made; or else the database of a build of the user's own that compiled the
    work tree; or neither: all C files are one program."""
    database = find_commands(revisions.repository, None) if not asked.command else None
    refused = refused_commands(revisions.repository) if not asked.command else None
    if refused is not None:
        say(quiet, refused)
    trees = [each.tree for each in enclosures]
    tree = trees[-1]
    own = own_build(revisions, trees, differing) if not asked.command else None
    recipes = [asked.command] if asked.command else recipes_of(tree, guessing=database is None)
    if not asked.command and shutil.which("autoreconf") and outdated(enclosures[0].tree, tree):
        recipes = [f"{REMADE}; {each}" for each in recipes]
    if own is not None:
        if own.doubt:
            say(quiet, f"{own.source} is not used but where no build works: {own.doubt}")
        recipes = [*recipes, own.command] if own.doubt else [own.command, *recipes]
    both = " -> ".join(revisions.shown)
    try:
        if own is not None and recipes[0] == own.command:
            say(
                quiet,
                f"{both}: files are compiled as {own.source} says (--build COMMAND builds both)",
            )
        elif recipes:
            say(quiet, f"{both}: building both versions: {recipes[0]}")
        if recipes:
            return None, _built(enclosures, recipes, out, quiet, fixed=bool(asked.command))
        why = "nothing says how it is built"
    except NothingMadeError as error:
        if asked.command:
            raise
        why = error.message
    so = "its C files are one program, or one library"
    if database is not None:
        so = f"files are compiled as {summary_of(read_commands(database))} says"
    say(quiet, f"{why}\n  so {so}" if "\n" in why else f"{why}: {so}")
    return database, None


def _built(
    enclosures: Sequence[Enclosure], recipes: Sequence[str], out: Path, quiet: bool, fixed: bool
) -> Both:
    """Build both versions by the first recipe that makes something in both. One that fails is tried
    again without what the project may leave out, if it is not ``fixed``. Raises NothingMadeError of
    the recipe that compiled most, the first of several, with as much left out as can be."""
    out.mkdir(parents=True, exist_ok=True)
    for log in logs_of(out):
        log.unlink(missing_ok=True)
    failed: list[tuple[int, NothingMadeError]] = []  # with the number of its recipe
    waiting = [*enumerate(recipes)]
    while waiting:
        number, command = waiting.pop(0)
        if failed:
            last = failed[-1][1].failed
            why = f": {last}\n " if last else ";"
            say(quiet, f"which makes nothing{why} trying {command}")
        with ThreadPoolExecutor(2) as pool:
            before, after = (
                pool.submit(build_version, enclosure, command, log)
                for enclosure, log in zip(enclosures, logs_of(out), strict=True)
            )
            try:
                found = _awaited(before, after, enclosures, logs_of(out), quiet)
                for version, side in zip(found, SIDES, strict=True):
                    if version.command:
                        say(quiet, f"the {side} version has been built before: taken from there")
                old, new = build_left_out(found, enclosures, logs_of(out))
                return old, new
            except NothingMadeError as error:
                failed.append((number, error))
                if error.failed and command in recipes and not fixed:
                    others = leaner(command, [each.tree for each in enclosures])
                    waiting = [*((number, other) for other in others), *waiting]
    raise max(reversed(failed), key=lambda each: (each[1].compiled, -each[0]))[1]


def _awaited(
    before: Future[BuiltVersion],
    after: Future[BuiltVersion],
    enclosures: Sequence[Enclosure],
    logs: Sequence[Path],
    quiet: bool,
) -> Both:
    """Both versions once they are built; a terminal shows meanwhile what the builds say."""
    progress, began = progress_for(quiet), time.monotonic()
    try:
        while wait((before, after), _GLANCE).not_done:
            seconds = time.monotonic() - began
            said = max((_last_line(each) for each in logs), key=len)
            progress.doing(f"building both versions  {seconds:.0f} s  {said}")
        return before.result(), after.result()
    except NothingMadeError:
        raise
    except BaseException:  # as Ctrl-C
        for each in enclosures:
            each.give_up()
        raise
    finally:
        progress.close()


def _last_line(log: Path) -> str:
    """What a build has said last, without the control characters that it may hold."""
    try:
        with log.open("rb") as stream:
            stream.seek(max(0, log.stat().st_size - _TAIL))
            lines = stream.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return ""
    return "".join(each for each in (lines or [""])[-1] if each.isprintable())
