"""What a pull request changes, as a CI service tells it: the revisions to compare.

    GITHUB_BASE_REF=main, a shallow checkout   -> fetches what is missing; "1a2b3c...HEAD"
    CI_MERGE_REQUEST_DIFF_BASE_SHA=1a2b3c      -> "1a2b3c...HEAD"
    PRE_COMMIT=1                               -> what is staged
    none of these                              -> "origin/main...HEAD", and nothing is fetched

A service names a commit, a branch, or both; commits count first. Where the checkout is its default
branch itself, or a commit of it, the commit before is the base. Any other base that contains the
checkout leaves nothing to compare.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Any, assert_never

from csg.errors import LINES, UsageError, printable
from csg.files import read_json
from csg.records import record
from symexec.projects.commits import branch, is_number, is_part, named_commit, numbered_commit
from symexec.projects.fetching import fetch
from symexec.projects.trees import GitFailed, git, top_of
from symexec.testcases import OutputFolder

SARIF, JUNIT, SUMMARY, ANNOTATIONS = "csgtest.sarif", "junit.xml", "summary.md", "annotations.txt"
_HISTORY = (64, 1024, 16384)  # commits more, until the base is among them; then all there are
_NOTHING = "0" * 40  # what services say where there is no commit before
_SUMMARY_LIMIT = 1 << 20  # bytes that GitHub takes of a step


@record
class Service:
    """A CI service. ``sign`` is a variable that is set in each of its jobs. ``commits`` and
    ``branches``: variables that name what a change is compared with, the best first.
    ``default``: one that names the branch into which changes go."""

    name: str
    sign: str
    commits: tuple[str, ...] = ()
    branches: tuple[str, ...] = ()
    default: str = ""


# https://docs.github.com/actions/reference/workflows-and-actions/variables
# https://docs.gitlab.com/ci/variables/predefined_variables
GITHUB = Service("GitHub", "GITHUB_ACTIONS", (), ("GITHUB_BASE_REF",))
SERVICES = (
    GITHUB,
    Service(
        "GitLab",
        "GITLAB_CI",
        (
            "CI_MERGE_REQUEST_TARGET_BRANCH_SHA",  # what the job has merged already
            "CI_MERGE_REQUEST_DIFF_BASE_SHA",
            "CI_COMMIT_BEFORE_SHA",
        ),
        ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME",),
        "CI_DEFAULT_BRANCH",
    ),
    Service("Azure Pipelines", "TF_BUILD", (), ("SYSTEM_PULLREQUEST_TARGETBRANCH",)),
    Service(
        "Bitbucket",
        "BITBUCKET_BUILD_NUMBER",
        ("BITBUCKET_PR_DESTINATION_COMMIT",),
        ("BITBUCKET_PR_DESTINATION_BRANCH",),
    ),
    Service("Buildkite", "BUILDKITE", (), ("BUILDKITE_PULL_REQUEST_BASE_BRANCH",)),
    Service("Jenkins", "JENKINS_URL", (), ("CHANGE_TARGET",)),
)


@record
class Comparison:
    """What to compare: ``text`` as ``csgtest build`` takes it; ``description`` in words."""

    text: str
    staged: bool
    description: str


def service_of(environment: Mapping[str, str]) -> Service | None:
    """The service whose job this is; None where a person or a hook calls."""
    return next((each for each in SERVICES if environment.get(each.sign)), None)


class _Kind(StrEnum):
    """How a base is named."""

    TYPED = "typed by a user"
    COMMIT = "the number of a commit"
    BRANCH = "a branch"
    DEFAULT = "the branch into which changes go"
    BEFORE = "the commit before"


@record
class _Base:
    """What a change may be compared with, as the user, the service or the repository names it."""

    name: str
    kind: _Kind


_BEFORE = _Base("HEAD^", _Kind.BEFORE)


def find_comparison(
    environment: Mapping[str, str], folder: Path, base: str | None = None
) -> Comparison | None:
    """What to compare; None where nothing is before the first commit. Raises UsageError where the
    base cannot be fetched, or contains the checkout."""
    top = top_of(folder)
    service = service_of(environment)
    if base is None and service is None and environment.get("PRE_COMMIT"):
        return _hooked(environment, top)
    head = named_commit(top, "HEAD")
    if base is None and service is None and head is None:
        return None
    reasons: list[str] = []
    typed = [_Base(base, _Kind.TYPED)] if base else []
    for each in typed or _bases(service, environment, top, head):
        found = _reached(top, each, service is not None, reasons)
        if found is None and each.kind is _Kind.BRANCH:
            break  # another base would be of another question
        if found is None:
            continue
        name = each.name.removeprefix("refs/remotes/").removeprefix("refs/heads/")
        if not is_part(top, "HEAD", found):
            return _against(found, name, service)
        before = None
        # On a service others may have pushed to the branch since.
        if each.kind is _Kind.DEFAULT and (found == head or service is not None):
            before = _reached(top, _BEFORE, service is not None, reasons)
        if before is not None:
            return _against(before, f"the commit before, for this is of {name}", service)
        raise UsageError(
            f"{name} contains what is checked out: there is nothing to compare it with",
            hint="check out what the pull request changes; or name another one: --base REVISION",
        )
    raise UsageError(
        "; ".join(reasons) or "nothing says what this is compared with",
        hint="name it: --base REVISION; fetch it before: actions/checkout with fetch-depth: 0, "
        "GIT_DEPTH: 0, git fetch origin main",
    )


def _against(commit: str, name: str, service: Service | None) -> Comparison:
    where = f"{service.name}: " if service is not None else ""
    shown = commit[:10] if name.startswith(commit[:10]) else f"{name} ({commit[:10]})"
    return Comparison(f"{commit}...HEAD", False, f"{where}compared with {shown}")


def _hooked(environment: Mapping[str, str], top: Path) -> Comparison | None:
    """What a hook of pre-commit is about: what is pushed, or else what is staged; None outside
    hooks."""
    before, after = (environment.get(f"PRE_COMMIT_{each}_REF") for each in ("FROM", "TO"))
    if before and after:
        return Comparison(f"{before}...{after}", False, f"what is pushed since {before[:10]}")
    if named_commit(top, "HEAD") is None:
        return None
    return Comparison("", True, "what is staged")


# ------------------------------------------------------------------------------- what it is called


def _bases(
    service: Service | None, environment: Mapping[str, str], top: Path, head: str | None
) -> Iterator[_Base]:
    """The commits and branches that may be the base, the best first."""
    if service is GITHUB:
        # A merge of the pull request into its base: what the event says of that may be older.
        merged = environment.get("GITHUB_BASE_REF") and environment.get("GITHUB_SHA") == head
        if merged and environment.get("GITHUB_EVENT_NAME") != "pull_request_target":
            yield _BEFORE
        yield from _of_event(environment)
    if service is not None:
        named = [(name, _Kind.COMMIT) for name in service.commits]
        named += [(name, _Kind.BRANCH) for name in service.branches]
        for name, kind in (*named, (service.default, _Kind.DEFAULT)):
            said = environment.get(name, "").strip().removeprefix("refs/heads/")
            if said and said not in (_NOTHING, "false"):
                yield _Base(said, kind)
    for name in ("HEAD", "main", "master"):
        place = branch(top, name)
        if place is not None:
            yield _Base(place, _Kind.DEFAULT)


_OF_EVENTS = (
    (("pull_request", "base", "sha"), _Kind.COMMIT),
    (("merge_group", "base_sha"), _Kind.COMMIT),
    (("before",), _Kind.COMMIT),
    (("repository", "default_branch"), _Kind.DEFAULT),
)


def _of_event(environment: Mapping[str, str]) -> Iterator[_Base]:
    """The base in the event of a GitHub job:
    https://docs.github.com/webhooks/webhook-events-and-payloads"""
    try:
        event = read_json(environment["GITHUB_EVENT_PATH"], "event of GitHub")
    except (KeyError, UsageError):
        return
    for place, kind in _OF_EVENTS:
        said: Any = event
        for key in place:
            said = said.get(key) if isinstance(said, dict) else None
        if isinstance(said, str) and said and said != _NOTHING:
            yield _Base(said, kind)


# -------------------------------------------------------------------------------------- where it is


def _reached(top: Path, base: _Base, fetches: bool, reasons: list[str]) -> str | None:
    """The commit of a base, once the repository has it and an ancestor of it and HEAD; None, with a
    reason, where that cannot be had. Fetches what is missing, if ``fetches``."""
    found = _found(top, base)
    if found is None and fetches:
        said = _fetched(top, base)
        found = _found(top, base) or (named_commit(top, "FETCH_HEAD") if said is None else None)
        if found is None:
            reasons.append(f"{base.name} is not here, and cannot be fetched: {said}")
    elif found is None:
        reasons.append(f"{top} has no revision '{base.name}'")
    if found is None or _joined(top, found, fetches):
        return found
    reasons.append(f"{base.name} and HEAD have no common ancestor here")
    return None


def _found(top: Path, base: _Base) -> str | None:
    match base.kind:
        case _Kind.TYPED | _Kind.BEFORE:
            return named_commit(top, base.name)
        case _Kind.COMMIT:
            return numbered_commit(top, base.name)
        case _Kind.BRANCH | _Kind.DEFAULT:
            place = branch(top, base.name)
            return named_commit(top, place) if place else None
        case _:
            assert_never(base.kind)


def _fetched(top: Path, base: _Base) -> str | None:
    """Fetch a base; returns a message where that fails."""
    if base.name.startswith("HEAD"):
        return _deepened(top, base)
    shallow = ["--depth=1"] if _is_shallow(top) else []
    if base.kind is _Kind.COMMIT or (base.kind is _Kind.TYPED and is_number(base.name)):
        return fetch(top, [base.name], *shallow)
    said = fetch(top, [f"refs/heads/{base.name}"], *shallow)
    if said is None or base.kind is not _Kind.TYPED:
        return said
    return said if fetch(top, [f"refs/tags/{base.name}"], *shallow) else None


def _deepened(top: Path, base: _Base) -> str | None:
    """Fetch commits before HEAD until the base is among them."""
    head = named_commit(top, "HEAD")
    for number in (1, *_HISTORY):
        if head is None or not _is_shallow(top):
            break
        said = fetch(top, [head], f"--deepen={number}")
        if said is not None or _found(top, base) is not None:
            return said
    return "it has no commit before"


def _joined(top: Path, commit: str, fetches: bool) -> bool:
    """Is there a common ancestor with HEAD? Fetches more of both histories if need be."""
    both = [commit, named_commit(top, "HEAD") or "HEAD"]
    ways = [(both, f"--deepen={number}") for number in _HISTORY]
    for names, depth in (*ways, (both, "--unshallow"), (["refs/heads/*"], "--unshallow")):
        if _has_base(top, commit) or not fetches or not _is_shallow(top):
            break
        fetch(top, names, depth)
    return _has_base(top, commit)


def _has_base(top: Path, commit: str) -> bool:
    try:
        return bool(git(top, "merge-base", commit, "HEAD"))
    except GitFailed:
        return False


def _is_shallow(top: Path) -> bool:
    return git(top, "rev-parse", "--is-shallow-repository").strip() == b"true"


# -------------------------------------------------------------------------- how the service is told


def begin(out: Path) -> None:
    """Claim the folder, and remove what an earlier comparison reported."""
    OutputFolder(out).close()
    for name in (SARIF, JUNIT, SUMMARY, ANNOTATIONS):
        (out / name).unlink(missing_ok=True)


@contextmanager
def no_commands(service: Service | None) -> Iterator[None]:
    """Within this, output contains no commands to the service, which reads them from the output of
    a job, whoever wrote them. After an error that nobody expects it stays so until the step ends.
    """
    if service is not GITHUB:
        yield
        return
    word = secrets.token_hex(16)
    print(f"::stop-commands::{word}", flush=True)
    yield
    print(f"::{word}::", flush=True)


def publish(
    service: Service | None,
    environment: Mapping[str, str],
    out: Path,
    code: int,
    failed: Sequence[str],
) -> None:
    """Put the summary and the annotations of a finished comparison where the service looks for
    them; ``failed`` are messages on what could not be tested."""
    summary = out / SUMMARY
    if failed:
        description = "".join(f"\nNot tested:\n\n{_as_code(each)}\n" for each in failed)
        before = summary.read_text() if summary.is_file() else "### csgtest\n"
        summary.write_text(before + description)
    if service is not GITHUB:
        return
    annotations = out / ANNOTATIONS
    if annotations.is_file():
        print(annotations.read_text(), end="")
    if summary.is_file():
        _appended(environment, "GITHUB_STEP_SUMMARY", summary.read_bytes()[:_SUMMARY_LIMIT])
    files = {"folder": out, "summary": summary, "sarif": out / SARIF}
    said = [f"code={code}", *(f"{name}={path.resolve()}" for name, path in files.items())]
    _appended(environment, "GITHUB_OUTPUT", "".join(f"{each}\n" for each in said).encode())


def _as_code(text: str) -> str:
    """The text as a block of Markdown that nothing in it can end."""
    return "".join(f"    {line}\n" for line in printable(text, LINES).splitlines())


def _appended(environment: Mapping[str, str], variable: str, content: bytes) -> None:
    """Append to the file that the service names in a variable, if it does."""
    if environment.get(variable):
        with open(environment[variable], "ab") as file:
            file.write(content)
