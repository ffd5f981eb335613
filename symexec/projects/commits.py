"""Names of commits: as users type them, as branches, and as numbers.

    named_commit(top, "HEAD~2")     as git reads it
    named_commit(top, "main")       UsageError where a tag and a branch of that name differ
    branch(top, "main")             refs/remotes/origin/main, or else refs/heads/main
    numbered_commit(top, "1a2b3c4")     whatever else is called so

git takes a tag before a branch, and tags come with every clone. So names become commits only here.
"""

from __future__ import annotations

import re
from pathlib import Path

from csg.errors import UsageError
from symexec.projects.trees import GitFailed, git

# Where git looks for a name, https://git-scm.com/docs/gitrevisions
_PLACES = ("refs/", "refs/tags/", "refs/heads/", "refs/remotes/")
_SUFFIX = re.compile(r"[\^~:]|@\{")  # what no name of a branch or a tag contains
_NUMBER = re.compile(r"[0-9a-f]{4,64}")
_WHOLE = (40, 64)  # digits of a number that is not abbreviated


def named_commit(top: Path, text: str) -> str | None:
    """The commit that a user means; None where there is none. Raises UsageError where a name stands
    for several."""
    name, suffix = _name_and_suffix(text)
    if name not in ("", "@", "HEAD"):
        _require_one_meaning(top, name, suffix)
    return _commit(top, text)


def branch(top: Path, name: str) -> str | None:
    """The full name of a branch: of the remote, where there is one, as the local one may be
    older. A full name stays as it is. No tag is a branch."""
    full = name.startswith("refs/")
    places = [name] if full else [f"refs/remotes/origin/{name}", f"refs/heads/{name}"]
    return next((each for each in places if _is_there(top, each)), None)


def numbered_commit(top: Path, number: str) -> str | None:
    """The commit with this number, which may be abbreviated; None where there is none."""
    if not is_number(number):
        return None
    found = {commit for each in _objects(top, number) if (commit := _commit(top, each))}
    return found.pop() if len(found) == 1 else None


def is_number(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None


def _is_whole(text: str) -> bool:
    return is_number(text) and len(text) in _WHOLE


def is_part(top: Path, commit: str, of: str) -> bool:
    """Is a commit the other one, or before it?"""
    try:
        git(top, "merge-base", "--is-ancestor", commit, of)
    except GitFailed:
        return False
    return True


def _name_and_suffix(text: str) -> tuple[str, str]:
    found = _SUFFIX.search(text)
    return (text[: found.start()], text[found.start() :]) if found else (text, "")


def _require_one_meaning(top: Path, name: str, suffix: str) -> None:
    """Raise UsageError where a name stands for several commits."""
    if _is_whole(name) or _is_there(top, name):  # by these git looks first
        return
    places = [f"{each}{name}" for each in _PLACES] + [f"refs/remotes/{name}/HEAD"]
    meanings = [each for each in places if _is_there(top, each)]
    if meanings and is_number(name):
        meanings += [each for each in _objects(top, name) if _commit(top, each)]
    commits = {_commit(top, each) for each in meanings}
    if len(commits) > 1:
        raise UsageError(
            f"'{name}' stands for several commits: {', '.join(meanings)}",
            hint=f"say which: {' or '.join(f'{each}{suffix}' for each in meanings)}",
        )


def _is_there(top: Path, reference: str) -> bool:
    """Is there a branch or a tag of exactly this full name?"""
    if not reference.startswith("refs/"):
        return False
    try:
        git(top, "show-ref", "--verify", "--quiet", "--", reference)
    except GitFailed:
        return False
    return True


def _objects(top: Path, number: str) -> list[str]:
    """The numbers that begin so, whatever is called so."""
    if _is_whole(number):
        return [number]
    return git(top, "rev-parse", f"--disambiguate={number}").decode().split()


def _commit(top: Path, text: str) -> str | None:
    words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{text}^{{commit}}")
    try:
        return git(top, *words).decode().strip()
    except GitFailed:
        return None
