"""The words of a call -> the record of options that they mean.

    parse(["build", "old.c", "new.c", "--time", "5", "--", "-DFAST"])

    Call(options=BuildOptions(old=Path("old.c"), new=Path("new.c"), flags=("-DFAST",), ...),
         json=False, quiet=False)

Words after ``--`` belong to the C compiler or to the program and never reach argparse. Where the
words say nothing, what ``settings`` says counts (csgtest.toml), and then the default of the option.
"""

from __future__ import annotations

import argparse
import os
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from symexec.options import Configured, Options, OwnOptions
from symexec.options.commands import COMMANDS, Command
from symexec.options.definitions import FLAGS
from symexec.options.reading import means_revisions, refuse_without_effect

if TYPE_CHECKING:
    from symexec.options.settings import Setting, Settings


@dataclass(frozen=True, slots=True)
class Call:
    """A call: what to do, and how to report it."""

    options: Options
    json: bool = False  # the report on standard output, and nothing else there
    quiet: bool = False  # no progress
    note: str = ""  # what a csgtest.toml says of it; "": nothing


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Formats help texts: examples stay as they are written, and names like csgtest-out in one
    piece."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        return textwrap.wrap(text, width, break_on_hyphens=False)


def build_parser(version: str, offered: Mapping[str, str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="csgtest",
        description="Finds inputs on which a patched C program behaves differently, and says which "
        "changes are to blame.",
        epilog="csgtest COMMAND --help tells more. Start with: csgtest build OLD.c NEW.c",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"csgtest {version}")
    commands = parser.add_subparsers(metavar="COMMAND", dest="command", required=True)
    for name, command in COMMANDS.items():
        child = commands.add_parser(
            name,
            help=command.summary,
            description=command.summary[0].upper() + command.summary[1:] + ".",
            epilog=f"examples:\n{command.examples}",
            formatter_class=_Formatter,
            allow_abbrev=False,
        )
        groups: dict[str, argparse._ArgumentGroup] = {}
        for row in command.arguments:
            if row.group and row.group not in groups:
                groups[row.group] = child.add_argument_group(row.group)
            settings = dict(row.settings)
            text = settings["help"] % {"default": row.default}
            for what, words in offered.items():
                text = text.replace(f"{{{what}}}", words)
            # An option that is not given is None: csgtest.toml may set it, or else the default of
            # the row counts.
            settings |= {"help": text.replace("%", "%%"), "default": None}
            groups.get(row.group, child).add_argument(*row.names, **settings)
        if command.rest:
            child.usage = f"{child.format_usage()[len('usage: ') :].rstrip()} [-- {command.rest}]"
    return parser


def parse(
    words: Sequence[str],
    version: str = "",
    offered: Mapping[str, str] = MappingProxyType({}),
    settings: Callable[[argparse.Namespace], Settings | None] = lambda given: None,
) -> Call:
    """Read a call. Ends the process as argparse does: 0 after --help, 2 for a wrong call.
    ``offered``: words for the help text that this layer does not know (searches); ``settings``
    finds the csgtest.toml that a call about two versions is under."""
    own, rest = _split(words)
    parser = build_parser(version, offered)
    whole = vars(parser.parse_args(own))
    given = {name: value for name, value in whole.items() if value is not None}
    command = COMMANDS[given["command"]]
    if rest and not command.rest:
        parser.error(f"{given['command']} takes nothing after --")
    if any(row.key == "old" for row in command.arguments):
        said = {row.dest: given.get(row.dest) for row in command.arguments}
        refuse_without_effect(command.arguments, argparse.Namespace(**said))
    options = command.record(_whole(command, (), given), rest)
    note = ""
    if any(row.key == "config" for row in command.arguments):
        found = settings(_whole(command, (), given))
        if found is not None:
            options, note = _configured(command, found, given, rest)
    return Call(options, bool(given.get("json")), bool(given.get("quiet")), note)


def _whole(
    command: Command, settings: Sequence[Setting], given: Mapping[str, Any], **more: Any
) -> argparse.Namespace:
    """The values of all options: those of the command line before those of the file, and these
    before the defaults."""
    defaults = {row.dest: row.default for row in command.arguments}
    said = {each.row.dest: each.value for each in settings if each.row is not FLAGS}
    return argparse.Namespace(**{**defaults, **said, **given, **more})


def _configured(
    command: Command, found: Settings, given: Mapping[str, Any], rest: tuple[str, ...]
) -> tuple[Options, str]:
    """The call with what the file sets and the command line does not, and a line that says so."""
    revisions = means_revisions(given.get("old"), given.get("new"))

    def applicable(settings: Sequence[Setting]) -> list[Setting]:
        """The settings that apply to the command and are not overridden on its command line."""
        own = [row.read_as for row in command.arguments]
        takes = [each for each in settings if each.row is FLAGS or each.row.read_as in own]
        if not revisions:  # a database names all files of the program, with their flags
            takes = [
                each
                for each in takes
                if each.key != "targets" and (each.key != "build" or os.path.exists(each.value))
            ]
        return [each for each in takes if each.row.dest not in given]

    def flags(settings: Sequence[Setting]) -> tuple[str, ...]:
        own = [flag for each in settings if each.row is FLAGS for flag in each.value]
        return (*own, *rest)

    def record(settings: Sequence[Setting], **more: Any) -> Options:
        said = tuple({each.key: each.said for each in settings}.items())
        whole = _whole(command, settings, given, configured=Configured(found.source, said), **more)
        return command.record(whole, flags(settings))

    top = applicable(found.top)
    tables = {name: applicable(each) for name, each in found.targets.items()} if revisions else {}
    own = []
    for name, table in tables.items():
        keys = tuple(each.key for each in table)
        above = [each for each in top if each.key not in keys]
        both = [*above, *table]
        own.append(OwnOptions(name, keys, flags(both), record(both)))
    note = [
        _settings_text(top),
        *(f"[target.{name}] {_settings_text(each)}" for name, each in tables.items()),
    ]
    if found.targets and not revisions:
        note.append("its tables for targets are left out: OLD and NEW are no revisions")
    line = f"{found.source}: {'; '.join(each for each in note if each) or 'says nothing'}"
    return record(top, own=own), line


def _settings_text(settings: Sequence[Setting]) -> str:
    from symexec.options.settings import written

    return ", ".join(f"{each.key} = {written(each.said)}" for each in settings)


def _split(words: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """The words before and after the first ``--``."""
    if "--" not in words:
        return list(words), ()
    place = list(words).index("--")
    return list(words[:place]), tuple(words[place + 1 :])
