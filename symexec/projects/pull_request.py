"""What a pull request changes, as a CI service tells it: the revisions to compare.

    GITHUB_BASE_REF=main, a shallow checkout   -> fetches what is missing; "1a2b3c...HEAD"
    CI_MERGE_REQUEST_DIFF_BASE_SHA=1a2b3c      -> "1a2b3c...HEAD"
    PRE_COMMIT=1                               -> what is staged
    none of these                              -> "origin/main...HEAD", and nothing is fetched

A service names a commit, a branch, or both; commits count first. Where the checkout is its default
branch itself the commit before it is the base.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from csg.errors import LINES, UsageError, printable
from csg.files import read_json
from csg.records import record
from symexec.projects.trees import GitFailed, git, top_of
from symexec.testcases import OutputFolder

SARIF, JUNIT, SUMMARY, ANNOTATIONS = "csgtest.sarif", "junit.xml", "summary.md", "annotations.txt"
_HISTORY = (64, 1024, 16384)  # commits more, until the base is among them; then all there are
_FETCHING = 900.0  # seconds for more of a history
_NOTHING = "0" * 40  # what services say where there is no commit before
_SUMMARY_LIMIT = 1 << 20  # bytes that GitHub takes of a step


@record
class Service:
    """A CI service. ``sign`` is a variable that is set in each of its jobs. ``commits`` and
    ``branches``: variables that name what a change is compared with, the best first."""

    name: str
    sign: str
    commits: tuple[str, ...] = ()
    branches: tuple[str, ...] = ()


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
        ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "CI_DEFAULT_BRANCH"),
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


def find_comparison(
    environment: Mapping[str, str], folder: Path, base: str | None = None
) -> Comparison | None:
    """What to compare; None where nothing is before the first commit. Raises UsageError where the
    base cannot be fetched, or is the checkout itself."""
    top = top_of(folder)
    service = service_of(environment)
    if base is None and service is None and environment.get("PRE_COMMIT"):
        return _hooked(environment, top)
    if base is None and service is None and _commit(top, "HEAD") is None:
        return None
    head = _commit(top, "HEAD")
    reasons: list[str] = []
    candidates = [base] if base else _candidates(service, environment, top, head)
    for name in candidates:
        found = _reached(top, name, service is not None, reasons)
        if found is None:
            continue
        if found != head:
            return _against(found, name, service)
        before = _reached(top, "HEAD^", service is not None, reasons) if base is None else None
        if before is not None:
            return _against(before, f"the commit before, for this is {name}", service)
        raise UsageError(
            f"{name} is what is checked out: there is nothing to compare it with",
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
    if _commit(top, "HEAD") is None:
        return None
    return Comparison("", True, "what is staged")


# ------------------------------------------------------------------------------- what it is called


def _candidates(
    service: Service | None, environment: Mapping[str, str], top: Path, head: str | None
) -> Iterator[str]:
    """The commits and branches that may be the base, by the names that the service or the
    repository has for them, the best first."""
    if service is GITHUB:
        # A merge of the pull request into its base: what the event says of that may be older.
        if environment.get("GITHUB_BASE_REF") and environment.get("GITHUB_SHA") == head:
            yield "HEAD^"
        yield from _of_event(environment)
    if service is not None:
        for name in (*service.commits, *service.branches):
            said = environment.get(name, "").strip().removeprefix("refs/heads/")
            if said and said not in (_NOTHING, "false"):
                yield said
    for name in ("origin/HEAD", "origin/main", "origin/master", "main", "master"):
        if _commit(top, name) is not None:
            yield name


def _of_event(environment: Mapping[str, str]) -> Iterator[str]:
    """The base in the event of a GitHub job:
    https://docs.github.com/webhooks/webhook-events-and-payloads"""
    try:
        event = read_json(environment["GITHUB_EVENT_PATH"], "event of GitHub")
    except (KeyError, UsageError):
        return
    for place in (
        ("pull_request", "base", "sha"),
        ("merge_group", "base_sha"),
        ("before",),
        ("repository", "default_branch"),
    ):
        said: Any = event
        for key in place:
            said = said.get(key) if isinstance(said, dict) else None
        if isinstance(said, str) and said and said != _NOTHING:
            yield said


# -------------------------------------------------------------------------------------- where it is


def _reached(top: Path, name: str, fetches: bool, reasons: list[str]) -> str | None:
    """The commit of a name, once the repository has it and an ancestor of it and HEAD; None, with a
    reason, where that cannot be had. Fetches what is missing, if ``fetches``."""
    found = _found(top, name)
    if found is None and fetches:
        said = _fetched_name(top, name)
        found = _found(top, name) or (_commit(top, "FETCH_HEAD") if said is None else None)
        if found is None:
            reasons.append(f"{name} is not here, and cannot be fetched: {said}")
    elif found is None:
        reasons.append(f"{top} has no revision '{name}'")
    if found is None or _joined(top, found, fetches):
        return found
    reasons.append(f"{name} and HEAD have no common ancestor here")
    return None


def _found(top: Path, name: str) -> str | None:
    """The commit of a name. For a branch, that of the remote where there is one: the local one may
    be older."""
    known = (f"refs/remotes/origin/{name}", name)
    return next(filter(None, (_commit(top, each) for each in known)), None)


def _fetched_name(top: Path, name: str) -> str | None:
    shallow = _is_shallow(top)
    if not name.startswith("HEAD"):
        return _fetched(top, [name], *(["--depth=1"] if shallow else []))
    head = _commit(top, "HEAD")
    return _fetched(top, [head], "--deepen=1") if shallow and head else "it has no commit before"


def _joined(top: Path, commit: str, fetches: bool) -> bool:
    """Is there a common ancestor with HEAD? Fetches more of both histories if need be."""
    both = [commit, _commit(top, "HEAD") or "HEAD"]
    ways = [(both, f"--deepen={number}") for number in _HISTORY]
    for names, depth in (*ways, (both, "--unshallow"), ([], "--unshallow")):
        if _has_base(top, commit) or not fetches or not _is_shallow(top):
            break
        _fetched(top, names, depth)
    return _has_base(top, commit)


def _commit(top: Path, name: str) -> str | None:
    words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    try:
        return git(top, *words).decode().strip()
    except GitFailed:
        return None


def _has_base(top: Path, commit: str) -> bool:
    try:
        return bool(git(top, "merge-base", commit, "HEAD"))
    except GitFailed:
        return False


def _is_shallow(top: Path) -> bool:
    return git(top, "rev-parse", "--is-shallow-repository").strip() == b"true"


def _fetched(top: Path, names: Sequence[str], *words: str) -> str | None:
    """Fetch these names (none: all that the remote is configured for); returns git's message where
    that fails."""
    quiet = ("--quiet", "--no-tags", "--no-recurse-submodules")
    variables = {"GIT_TERMINAL_PROMPT": "0"}
    try:
        git(
            top, "fetch", *quiet, *words, "--", "origin", *names,
            variables=variables, seconds=_FETCHING,
        )  # fmt: skip
    except GitFailed as failed:
        return failed.said or "git fetch fails"
    return None


# -------------------------------------------------------------------------- how the service is told


def begin(out: Path) -> None:
    """Claim the folder, and remove what an earlier comparison reported."""
    OutputFolder(out).close()
    for name in (SARIF, JUNIT, SUMMARY, ANNOTATIONS):
        (out / name).unlink(missing_ok=True)


@contextmanager
def no_commands(service: Service | None) -> Iterator[None]:
    """Within this, output of programs and compilers contains no commands to the service, which
    reads them from the output of a job, whoever wrote them."""
    if service is not GITHUB:
        yield
        return
    word = secrets.token_hex(16)
    print(f"::stop-commands::{word}", flush=True)
    try:
        yield
    finally:
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
