"""The text of a repository's csgtest.toml -> what its keys say, checked as a command line is.

    time = 20                          Settings("csgtest.toml",
    range = ["x=-100..100"]                top=(Setting("time", 20, row, 20.0), ...),
    [target.cut]                           targets={"cut": (Setting("entry", ..),)})
    entry = "parse"

The keys are the options of ``csgtest build`` (rows.py): a new row is a key, unless its scope says
otherwise. ``template`` writes a file with all of them.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import re
import textwrap
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn, get_type_hints

from csg.errors import UsageError
from csg.files import is_inside
from csg.harmless_flags import first_doubtful_flag
from csg.programs import OF_THE_SYSTEM, named_paths, placed_flags
from csg.records import record
from symexec.options.commands import COMMANDS
from symexec.options.definitions import FLAGS, Argument, Scope

NAME = "csgtest.toml"
_TABLE = "target"  # [target.NAME]
_WIDTH = 98
_HINT = "csgtest init --force writes a new one with every key; --no-config reads none"


@record
class Setting:
    """A key of the file: the value that is written there, and the value of the option."""

    key: str
    said: Any
    row: Argument
    value: Any


@record
class Settings:
    """The settings of a file. ``source`` names the file, and the version that it is from."""

    source: str
    top: tuple[Setting, ...]
    targets: Mapping[str, tuple[Setting, ...]]


def keys() -> dict[str, Argument]:
    """The keys that a file can have, in the order of the help text."""
    rows = [row for row in COMMANDS["build"].arguments if row.scope is not Scope.CALL]
    return {row.key: row for row in (*rows, FLAGS)}


def read_settings(text: str, source: str, folder: Path, named: bool = False) -> Settings:
    """Read the text of a csgtest.toml. Paths in it are relative to ``folder``, and lie in it unless
    the user has ``named`` the file. Raises UsageError with the line and the key that is wrong."""
    try:
        found = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"{source} is no TOML: {error}", hint=_HINT) from None
    reader = _Reader(text, source, folder, within=not named)
    tables = found.pop(_TABLE, {})
    if not isinstance(tables, dict) or not all(isinstance(each, dict) for each in tables.values()):
        reader.refuse((), _TABLE, 'is a table for each: [target.NAME]; see targets = ["NAME"]')
    return Settings(
        source,
        tuple(reader.settings((), found)),
        {name: tuple(reader.settings((_TABLE, name), each)) for name, each in tables.items()},
    )


def read_table(found: Mapping[str, Any], source: str, folder: Path, hint: str) -> list[Setting]:
    """The settings of a table of another file, as of a list of pairs. ``source`` names both."""
    return list(_Reader("", source, folder, hint).settings((), found))


def words_of(setting: Setting) -> list[str]:
    """The setting as it is written on a command line; flags stand behind ``--``."""
    if setting.row is FLAGS:
        said = setting.said if isinstance(setting.said, list) else [setting.said]
        return [str(each) for each in said]
    if setting.row.is_flag:
        return [setting.row.names[-1]] if setting.said else []
    return _call(setting.row, setting.said)


def first_doubtful_word(words: Sequence[str]) -> str | None:
    """The first word that ``words_of`` does not make. A stranger may have written the words."""
    rows = {row.names[-1]: row for row in keys().values() if row is not FLAGS}
    rest = iter(words)
    for word in rest:
        name, equals, _ = word.partition("=")
        row = rows.get(name)
        if row is None or (row.is_flag and equals):
            return word
        if row.is_flag:
            continue
        number = row.settings.get("nargs")
        if isinstance(number, int) == bool(equals):
            return word
        following = [next(rest, "") for _ in range(number)] if isinstance(number, int) else []
        strange = next((each for each in following if each.startswith("-")), None)
        if strange is not None:
            return strange
    return None


class _RefusedError(Exception):
    """The message of argparse about a value."""


class _OneOption(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise _RefusedError(re.sub(r"^argument \S+: ", "", message))


class _Reader:
    def __init__(
        self, text: str, source: str, folder: Path, hint: str = _HINT, within: bool = False
    ) -> None:
        self._hint = hint
        self._within = within
        self._lines = text.splitlines()
        self._source = source
        self._folder = folder
        self._keys = keys()

    def settings(self, table: tuple[str, ...], found: Mapping[str, Any]) -> Iterator[Setting]:
        for key, said in found.items():
            row = self._keys.get(key)
            if row is None:
                self._refuse_unknown(table, key)
            if table and row.scope is not Scope.TARGET:
                self.refuse(table, key, "holds for all targets: it stands above the tables")
            try:
                plain = _value(row, said)
            except _RefusedError as refused:
                self.refuse(table, key, str(refused))
            value = self._placed(row, plain)
            doubtful = first_doubtful_flag(value) if row is FLAGS else None
            if doubtful is not None:
                self.refuse(table, key, f"{doubtful!r} is taken from the command line alone")
            outside = next(self._outside(row, plain), None) if self._within else None
            if outside is not None:
                self.refuse(
                    table, key, f"{outside!r} lies outside of the file's folder: it is taken from "
                    "the command line alone",
                )  # fmt: skip
            yield Setting(key, said, row, value)

    def _outside(self, row: Argument, value: Any) -> Iterator[str]:
        """The paths in a value that lead out of the folder of the file; headers may be those of the
        system."""
        places, paths = [self._folder], value if isinstance(value, list) else [value]
        if row is FLAGS:
            places, paths = [self._folder, *OF_THE_SYSTEM], [*named_paths(value)]
        elif row.key == "build":
            paths = [value] if (self._folder / value).exists() else []
        elif row.settings.get("type") is not Path:
            return
        for path in paths:
            whole = self._folder / path
            if not any(is_inside(whole, each, hidden=True) for each in places):
                yield str(path)

    def _placed(self, row: Argument, value: Any) -> Any:
        """The value; a path that is relative becomes one from the folder of the file."""
        if row is FLAGS:
            return list(placed_flags(value, str(self._folder)))
        if isinstance(value, list):
            return [self._placed(row, each) for each in value]
        if isinstance(value, Path):
            return Path(os.path.relpath(self._folder / value))
        below = self._folder / value if row.key == "build" else None
        return os.path.relpath(below) if below is not None and below.exists() else value

    def _refuse_unknown(self, table: tuple[str, ...], key: str) -> NoReturn:
        if any(row.key == key for row in COMMANDS["build"].arguments):
            self.refuse(table, key, "is said on the command line alone")
        names = [name for name, row in self._keys.items() if not table or row.scope is Scope.TARGET]
        near = difflib.get_close_matches(key, [*names, _TABLE])
        meant = f"; near to it: {', '.join(near)}" if near else ""
        self.refuse(table, key, f"is no key{meant}")

    def refuse(self, table: tuple[str, ...], key: str, what: str) -> NoReturn:
        line = next(_lines_of(self._lines, table, key), None)
        place = self._source if line is None else f"{self._source}:{line}"
        name = ".".join((*table, key)).encode("unicode_escape").decode()
        raise UsageError(f"{place}: {name}: {what}", hint=self._hint)


def _lines_of(lines: Sequence[str], table: tuple[str, ...], key: str) -> Iterator[int]:
    """The numbers of the lines that seem to hold a key of a table."""
    meant = (*table, key)
    at: tuple[str, ...] = ()
    for number, line in enumerate(lines, start=1):
        if line.lstrip().startswith("["):
            at = found = _path(line) or at
        else:
            found = (*at, *_path(line.partition("=")[0] + "= 0"))
        if found[: len(meant)] == meant:
            yield number


def _path(line: str) -> tuple[str, ...]:
    """The names in a heading, or before an equals sign."""
    try:
        value: Any = tomllib.loads(line)
    except tomllib.TOMLDecodeError:
        return ()
    names = []
    while isinstance(value, dict | list) and value:
        if isinstance(value, dict):
            names.append(next(iter(value)))
            value = value[names[-1]]
        else:
            value = value[0]
    return tuple(names)


def _value(row: Argument, said: Any) -> Any:
    """The value as argparse converts it. Raises _RefusedError where it has another type, or is out
    of range."""
    if row.is_flag:
        if not isinstance(said, bool):
            raise _RefusedError("is true or false")
        return said
    parser = _OneOption(add_help=False, allow_abbrev=False)
    parser.add_argument(*row.names, **row.settings)
    return vars(parser.parse_args(_call(row, said)))[row.dest]


def _call(row: Argument, said: Any) -> list[str]:
    """The option and its value as words of a command line. Raises _RefusedError where the value is
    of another type."""
    number = row.settings.get("nargs")
    several = row.is_list or isinstance(number, int)
    if isinstance(said, list) and not several:
        raise _RefusedError("is one value, and no list")
    words = [_word(row, each) for each in (said if isinstance(said, list) else [said])]
    option = row.names[-1]
    if isinstance(number, int):
        if len(words) != number:
            raise _RefusedError(f"is a list of {number}: {', '.join(row.settings['metavar'])}")
        return [option, *words]
    return [f"{option}={word}" for word in words]


def _word(row: Argument, said: Any) -> str:
    """The value as it would be written on the command line."""
    numbers = _is_number(row)
    if isinstance(said, str) and "\0" in said:
        raise _RefusedError("has a character in it that no text has: NUL")
    if isinstance(said, str) and not (numbers and re.fullmatch(r"[-+]?[\d.]+(?:e\d+)?", said)):
        return said
    if isinstance(said, int | float) and not isinstance(said, bool) and numbers:
        return str(said)
    if numbers:
        raise _RefusedError("is a number, without quotes")
    raise _RefusedError("is a text, in quotes")


def _is_number(row: Argument) -> bool:
    read = row.settings.get("type")
    if read is None or read is Path:
        return False
    return get_type_hints(read).get("return") in (int, float)


def written(value: Any) -> str:
    """A value in TOML's notation; control characters are escaped."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(written, value))}]"
    if isinstance(value, float):
        return f"{value:g}"
    return json.dumps(value)


def template(offered: Mapping[str, str], found: Sequence[str]) -> str:
    """A file with every key: settings stand behind ``#``, remarks behind ``# ``. ``found`` says
    what is known of the repository."""
    lines = ["# What csgtest is told about this repository: csgtest build main...HEAD", "#"]
    lines += [*_remark("The command line wins over this file. What stands here behind # is the "
                       "default, or, where it says so, an example."), "#"]  # fmt: skip
    lines += [line for text in found for line in _remark(text)]
    group = ""
    for key, row in keys().items():
        if row.group and row.group != group:
            group = row.group
            lines += ["", f"# --- {group} ---"]
        text = row.settings["help"] % {"default": row.default}
        for what, words in offered.items():
            text = text.replace(f"{{{what}}}", words)
        lines += ["", *_remark(text.replace("; may be repeated", "")), _offer(key, row)]
    lines += ["", *_remark("Such keys for one program or library, by its name or path:")]
    return "\n".join([*lines, "#[target.NAME]", ""])


def _remark(text: str) -> list[str]:
    return [f"# {line}" for line in textwrap.wrap(text, _WIDTH, break_on_hyphens=False)]


def _offer(key: str, row: Argument) -> str:
    default = row.default
    if default is None:
        return f"#{key} = {written(row.example)}  # an example"
    if row.is_list and not default:
        return f"#{key} = []  # such as {written(row.example)}"
    return f"#{key} = {written(default)}"
