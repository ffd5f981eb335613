"""The words of a call -> the record of options that they mean.

    parse(["build", "old.c", "new.c", "--time", "5", "--", "-DFAST"])

    Call(options=BuildOptions(old=Path("old.c"), new=Path("new.c"), flags=("-DFAST",), ...),
         json=False, quiet=False)

Words after ``--`` belong to the C compiler or to the program and never reach argparse.
"""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from symexec.options import Options
from symexec.options.commands import COMMANDS


@dataclass(frozen=True, slots=True)
class Call:
    """What to do, and how to tell about it."""

    options: Options
    json: bool = False  # the report on standard output, and nothing else there
    quiet: bool = False  # no progress


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Keeps the examples as they are written, and names like csgtest-out in one piece."""

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
            for what, text in offered.items():
                settings["help"] = settings["help"].replace(f"{{{what}}}", text)
            groups.get(row.group, child).add_argument(*row.names, **settings)
        if command.rest:
            child.usage = f"{child.format_usage()[len('usage: ') :].rstrip()} [-- {command.rest}]"
    return parser


def parse(
    words: Sequence[str], version: str = "", offered: Mapping[str, str] = MappingProxyType({})
) -> Call:
    """Read a call. Ends the process as argparse does: 0 after --help, 2 for a wrong call.
    ``offered`` are words for the help text of what this layer does not know: searches."""
    own, rest = _split(words)
    parser = build_parser(version, offered)
    given = parser.parse_args(own)
    command = COMMANDS[given.command]
    if rest and not command.rest:
        parser.error(f"{given.command} takes nothing after --")
    options = command.record(given, rest)
    return Call(options, getattr(given, "json", False), getattr(given, "quiet", False))


def _split(words: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """The words before and after the first ``--``."""
    if "--" not in words:
        return list(words), ()
    place = list(words).index("--")
    return list(words[:place]), tuple(words[place + 1 :])
