"""Read how a build compiled its files: ``compile_commands.json`` of CMake, Bear or Meson.

    [{"directory": "/b", "file": "../src/a.c", "arguments": ["cc", "-Iinc", "-DX", "-c", ...]}]

    commands = read_commands(Path("/b"))
    commands.flags(Path("/src/a.c"))            ("-I/b/inc", "-DX")

Kept are the flags that decide what the text means; folders in them are made absolute.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from csg.errors import UsageError
from csg.records import record

NAME = "compile_commands.json"
LARGEST = 64 << 20  # bytes of a database that is read

_BUILDS = ("build", "builddir", "_build")
_SHOWN = 4  # files of it that are gone

_WITH_PATH = ("-iquote", "-isystem", "-idirafter", "-include", "-imacros", "-I")
_WITH_WORD = ("-D", "-U")
_KEPT = ("-std=", "-ansi", "-f", "-m32", "-m64", "-mx32", "-pthread", "-nostdinc")
_FOREIGN = ("-fplugin", "-fdump", "-fsanitize", "-fprofile", "-fdiagnostics", "-flto")


@record
class Commands:
    """``known`` has the flags of each file that the build compiled, by its real path."""

    database: Path
    known: Mapping[str, tuple[str, ...]]

    def flags(self, file: Path) -> tuple[str, ...] | None:
        return self.known.get(os.path.realpath(file))


def read_commands(build: Path) -> Commands:
    """The database of a build folder (or the file itself). Of several commands for one file the
    first counts."""
    database = build / NAME if build.is_dir() else build
    known: dict[str, tuple[str, ...]] = {}
    try:
        if database.stat().st_size > LARGEST:
            raise UsageError(f"{database} is larger than {LARGEST >> 20} MB")
        for entry in _entries(json.loads(database.read_text("utf-8", "surrogateescape"))):
            directory = str(entry["directory"])
            file = os.path.realpath(os.path.join(directory, str(entry["file"])))
            known.setdefault(file, tuple(kept_flags(_words(entry), directory)))
    except OSError as trouble:
        raise UsageError(
            f"{database} cannot be read: {trouble.strerror}",
            hint=f"name the folder of a build that wrote {NAME}",
        ) from None
    except (ValueError, KeyError, TypeError) as trouble:
        raise UsageError(f"{database} is no database of compile commands ({trouble})") from None
    return Commands(database, known)


def find_commands(folder: Path, top: Path | None) -> Path | None:
    """The database nearest to a folder: in it, where builds leave one below it, or likewise in a
    folder above, up to ``top`` (None: no further than the folder itself)."""
    folder = folder.resolve()
    places = [folder]
    if top is not None and folder.is_relative_to(top.resolve()):
        places += [each for each in folder.parents if each.is_relative_to(top.resolve())]
    files = [place / name / NAME for place in places for name in ("", *_BUILDS)]
    return next((file for file in files if os.path.isfile(file)), None)


def told(commands: Commands) -> str:
    """The database as a line names it, with the entries whose files are gone."""
    lost = [os.path.relpath(file) for file in commands.known if not os.path.exists(file)]
    shown = os.path.relpath(commands.database)
    if not lost:
        return shown
    more = f" and {len(lost) - _SHOWN} more" if len(lost) > _SHOWN else ""
    return f"{shown} ({len(lost)} of its files are gone: {', '.join(lost[:_SHOWN])}{more})"


def write_commands(database: Path, known: Mapping[str, Sequence[str]]) -> None:
    """The flags of each file, as ``read_commands`` reads them in the same working folder."""
    entries = [
        {"directory": "", "file": file, "arguments": ["cc", *flags, "-c", file]}
        for file, flags in known.items()
    ]
    database.write_text(json.dumps(entries, indent=1))


def _entries(value: object) -> list[dict[str, object]]:
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise ValueError("a list of objects is expected")
    return value


def _words(entry: Mapping[str, object]) -> list[str]:
    arguments = entry.get("arguments")
    if isinstance(arguments, list):
        return [str(word) for word in arguments]
    return shlex.split(str(entry["command"]))


def kept_flags(words: Sequence[str], directory: str) -> Iterator[str]:
    rest = iter(words)
    for word in rest:
        option = next((each for each in _WITH_PATH if word.startswith(each)), None)
        if option is not None:
            path = word[len(option) :] or next(rest, "")
            yield from _placed(option, path, directory)
        elif word[:2] in _WITH_WORD:
            yield word[:2] + (word[2:] or next(rest, ""))
        elif word == "-o":
            next(rest, None)
        elif word.startswith(_KEPT) and not word.startswith(_FOREIGN):
            yield word


def placed_flags(words: Sequence[str], directory: str) -> Iterator[str]:
    """All of the words, with folders of headers made absolute."""
    rest = iter(words)
    for word in rest:
        option = next((each for each in _WITH_PATH if word.startswith(each)), None)
        if option is None:
            yield word
        else:
            yield from _placed(option, word[len(option) :] or next(rest, ""), directory)


def _placed(option: str, path: str, directory: str) -> tuple[str, ...]:
    full = os.path.normpath(os.path.join(directory, path))
    if option in ("-include", "-imacros") and not os.path.exists(full):
        full = path  # found in a folder for headers
    return (option + full,) if option == "-I" else (option, full)
