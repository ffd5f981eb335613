"""What a shell offers about csgtest, made from the parser: completion of words, and a manual page.

    csgtest completion bash    a script: after ``csgtest build --fail-on `` Tab offers any, never ..
    csgtest manual             a page for man(1), in the macros of man(7)

Both read the parser that reads calls, so a row of the tables is in both at once.
"""

from __future__ import annotations

import argparse
import datetime
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from symexec.options import CompletedShell, Shown

# ----------------------------------------------------------------------------------- completion

# What OLD may be, in the languages of three shells: a file, or a revision, alone or behind ".." and
# "...". What the function of bash is called tells shtab that its answers are files.
_REVISIONS = "git for-each-ref --format='%(refname:short)' refs/heads refs/tags refs/remotes"
_BASH = f"""
_csgtest_revision_or_file() {{
  compgen -f -- "$1"
  local before=""
  [[ $1 == *..* ]] && before=${{1%"${{1##*..}}"}}
  compgen -P "$before" -W "HEAD $({_REVISIONS} 2>/dev/null)" -- "${{1##*..}}"
}}"""
_ZSH = f"""
_csgtest_revision_or_file() {{
  local -a revisions
  revisions=(HEAD ${{(f)"$({_REVISIONS} 2>/dev/null)"}})
  if compset -P '*..'; then
    compadd -a revisions
  else
    _alternative 'files:file:_files' 'revisions:revision:compadd -a revisions'
  fi
}}"""
_FISH = f"""
function _csgtest_revision_or_file
  set -l word (commandline -ct)
  set -l before (string match -r '.*\\.\\.' -- $word)
  __fish_complete_path $word
  for revision in HEAD ({_REVISIONS} 2>/dev/null)
    printf '%s\\n' "$before$revision"
  end
end"""
_REVISION_OR_FILE = {
    "bash": "_csgtest_revision_or_file",
    "zsh": "_csgtest_revision_or_file",
    "fish": "(_csgtest_revision_or_file)",
    "preamble": {"bash": _BASH, "zsh": _ZSH, "fish": _FISH},
}
# What csgtest show prints: a list of a store, or a folder.
_LISTS = " ".join(each.value for each in Shown)
_LIST_OR_FILE = {
    "bash": "_csgtest_list_or_file",
    "zsh": "_csgtest_list_or_file",
    "fish": "(_csgtest_list_or_file)",
    "preamble": {
        "bash": f"""
_csgtest_list_or_file() {{
  compgen -d -- "$1"
  compgen -W "{_LISTS}" -- "$1"
}}""",
        "zsh": f"""
_csgtest_list_or_file() {{
  _alternative 'files:folder:_files -/' 'lists:list:({_LISTS})'
}}""",
        "fish": f"""
function _csgtest_list_or_file
  __fish_complete_directories (commandline -ct)
  printf '%s\\n' {_LISTS}
end""",
    },
}


def completion(
    parser: argparse.ArgumentParser, shell: CompletedShell, known: Mapping[str, Sequence[str]]
) -> str:
    """A script that teaches the shell the words that may stand in each place. ``known`` are the
    values of options for which the parser has no list, by their names in the namespace."""
    import shtab

    for _, command in _commands(parser):
        for action in command._actions:
            action.help = re.split(r"[;:(]", action.help or "")[0].strip()  # for one line
            if action.dest in known and action.nargs is None:
                action.choices = list(known[action.dest])
            elif action.dest == "old" and not action.option_strings:
                _completed_by(action, _REVISION_OR_FILE)
            elif action.dest == "what" and not action.option_strings and not action.choices:
                _completed_by(action, _LIST_OR_FILE)
            elif action.type is Path:
                is_folder = action.metavar in ("DIR", "FOLDER")
                _completed_by(action, shtab.DIRECTORY if is_folder else shtab.FILE)
    return str(shtab.complete(parser, shell.value)).rstrip() + "\n"


def _completed_by(action: argparse.Action, pattern: Mapping[str, Any]) -> None:
    cast(Any, action).complete = pattern  # where shtab looks for it


def _commands(
    parser: argparse.ArgumentParser,
) -> Iterator[tuple[argparse.Action, argparse.ArgumentParser]]:
    """Each command, with the action that has its summary as help."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for summary in action._choices_actions:
                yield summary, action.choices[summary.dest]


# --------------------------------------------------------------------------------------- manual

_STATUS = {
    "0": "No difference was found, or what was asked for is done.",
    "1": "The versions behave differently (build, suite, compare, replay; --fail-on says which "
    "differences count).",
    "2": "Error: a message says where, and what to do.",
    "130": "Interrupted. What was found so far is in the output folder.",
}
_ENVIRONMENT = {
    "CC": "The C compiler (default: cc, gcc or clang, whichever is found first).",
    "XDG_CACHE_HOME": "The folder in which csgtest keeps parsed files, as csgtest/ "
    "(default: ~/.cache). It may be removed at any time.",
    "TMPDIR": "The folder for temporary files, and for builds of revisions.",
}
_FILES = {
    "csgtest.toml": "At the top of a repository: options for every run in it. csgtest init writes "
    "one with every key.",
    "csgtest-accepted.json": "Differences that somebody has accepted (csgtest accept).",
    "csgtest-out/report.html, csgtest-out/report.json": "What a run has found, for reading and for "
    "programs.",
}


def manual(parser: argparse.ArgumentParser, version: str, day: datetime.date) -> str:
    """The page csgtest(1), as roff."""
    description = parser.description or ""
    commands = [(summary.help or "", command) for summary, command in _commands(parser)]
    lines = [
        f'.TH CSGTEST 1 "{day.isoformat()}" "csgtest {version}" "User Commands"',
        ".SH NAME",
        "csgtest \\- two versions of a C program: inputs on which they differ, and why",
        ".SH SYNOPSIS",
    ]
    for _, command in commands:
        lines += [f".B {command.prog}", *_filled(_words(command)), ".br"]
    lines[-1:] = [".SH DESCRIPTION", *_filled(description)]
    lines += ["Each command has options of its own."]
    for summary, command in commands:
        lines += [f'.SH "{command.prog.upper()}"', *_filled(summary[0].upper() + summary[1:] + ".")]
        for group in command._action_groups:
            if group._group_actions:
                lines.append(f'.SS "{_escaped((group.title or "").capitalize())}"')
                lines += [line for each in group._group_actions for line in _option(command, each)]
        lines += ['.SS "Examples"', *_examples(command.epilog or "")]
    tables = ("EXIT STATUS", _STATUS), ("ENVIRONMENT", _ENVIRONMENT), ("FILES", _FILES)
    for heading, table in tables:
        lines.append(f'.SH "{heading}"')
        for name, meaning in table.items():
            lines += [".TP", f".B {_escaped(name)}", *_filled(meaning)]
    return "\n".join([*lines, ""])


def _words(command: argparse.ArgumentParser) -> str:
    """The words behind the name of a command; all options are one word of it."""
    words = [_metavar(each) for each in command._get_positional_actions()]
    _, rest, behind = (command.usage or "").rpartition("[-- ")
    return " ".join(["[OPTION...]", *words, *([rest + behind] if rest else [])])


def _metavar(action: argparse.Action) -> str:
    """The arguments of an action as in a usage line: [OLD], [ID ...], MIN MAX LEN."""
    if action.nargs == 0:
        return ""
    return argparse.HelpFormatter("csgtest")._format_args(action, action.dest.upper())


def _option(command: argparse.ArgumentParser, action: argparse.Action) -> list[str]:
    """An entry of a list: what is written, and its meaning."""
    names = ", ".join(f"\\fB{_escaped(name)}\\fR" for name in action.option_strings)
    value = f"\\fI{_escaped(_metavar(action))}\\fR" if action.nargs != 0 else ""
    meaning = command._get_formatter()._expand_help(action)
    return [".TP", " ".join(filter(None, (names, value))), *_filled(meaning)]


def _examples(epilog: str) -> list[str]:
    _, _, examples = epilog.partition("examples:\n")
    lines = [_escaped(line.strip()) or ".sp" for line in examples.splitlines()]
    return [".nf", *lines, ".fi"]


def _filled(text: str) -> list[str]:
    """The lines of one paragraph."""
    return [_escaped(line) for line in textwrap.wrap(text, 70, break_on_hyphens=False)]


def _escaped(line: str) -> str:
    """The line in roff without any interpretation: hyphens can be copied, and no line is a
    request."""
    escaped = line.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    escaped = escaped.replace("`", "\\(ga").replace("^", "\\(ha").replace("~", "\\(ti")
    return f"\\&{escaped}" if escaped.startswith(".") else escaped
