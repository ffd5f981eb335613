"""Fetch more of a repository, without a program of its choice.

    fetch(top, ["refs/heads/main"], "--depth=1")     None, and the commit is FETCH_HEAD
                                                     "ssh: connect to host .." where it fails

Its own configuration may name programs for git to run: transports, ssh, proxies, helpers. Some can
be switched off for one call. Where it names others, nothing is fetched.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from symexec.projects.trees import GitFailed, git

_FETCHING = 900.0  # seconds for more of a history
# Not ext, fd and helpers of other names (git-remote-NAME); protocol.allow does not count then.
VARIABLES = {"GIT_TERMINAL_PROMPT": "0", "GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh"}
_COMMANDS = re.compile(
    r"core\.(?:sshcommand|gitproxy|askpass|alternaterefscommand)|credential\.(?:.*\.)?helper"
    r"|remote\..*\.(?:uploadpack|vcs)|gc\.recentobjectshook"
    # These have git write a file, or read one from anywhere.
    r"|http\.(?:.*\.)?savecookies|fetch\.bundleuri",
    re.I | re.S,
)
_OF_THE_REPOSITORY = ("local", "worktree")  # scopes of configuration; others are the user's
_QUIETLY = (
    "--quiet", "--no-tags", "--no-recurse-submodules", "--no-prune", "--no-auto-maintenance",
    "--refmap=", "--upload-pack=git-upload-pack",
)  # fmt: skip


def fetch(top: Path, names: Sequence[str], *words: str) -> str | None:
    """Fetch these from ``origin``; no branch and no tag of the repository changes. Returns a
    message where that fails."""
    commands = _commands(top)
    if commands:
        return f"nothing is fetched, as .git/config names what git would run: {', '.join(commands)}"
    try:
        git(
            top, "fetch", *_QUIETLY, *words, "--", "origin", *names,
            variables=VARIABLES, seconds=_FETCHING,
        )  # fmt: skip
    except GitFailed as failed:
        return failed.said or "git fetch fails"
    return None


def _commands(top: Path) -> list[str]:
    """The settings of the repository by which a fetch would run a program."""
    listed = git(top, "config", "--list", "--includes", "--show-scope", "--name-only", "-z")
    words = listed.decode("utf-8", "replace").split("\0")
    pairs = zip(words[::2], words[1::2], strict=False)
    chosen = {
        name for scope, name in pairs if scope in _OF_THE_REPOSITORY and _COMMANDS.fullmatch(name)
    }
    return sorted(chosen)
