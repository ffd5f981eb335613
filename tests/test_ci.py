"""What is wired into a CI is run here as its service runs it: the files are read with readers of
their own, and their shell steps are executed in a repository with a pull request."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic_sarif.model import StaticAnalysisResultsFormatSarifVersion210JsonSchema as SarifLog

from csg.cache import cache_folder
from csg.errors import UsageError
from symexec.exports.reviews import markdown
from symexec.projects.pull_request import SERVICES, find_comparison
from symexec.projects.revisions import read_revisions
from tests.command_line import Done, csgtest

ROOT = Path(__file__).parent.parent
TOOLS = str(Path(sys.executable).parent)
MAKEFILE = "clamp: clamp.c\n\t$(CC) -o $@ clamp.c\n"
CLAMP = """\
#include <assert.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
    int length = argc > 1 ? (int) strlen(argv[1]) : 0;
    if (length > 3)
        length = 3;
    assert(length <= 3);
    printf("%d\\n", length);
    return 0;
}
"""
HARMFUL = CLAMP.replace("length > 3", "length > 4")
HARMLESS = CLAMP.replace('"%d\\n"', '"%d bytes\\n"')


def git(folder: Path, *words: str) -> str:
    named = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always")
    done = subprocess.run(
        ["git", *named, *words], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def commit(folder: Path, message: str, **files: str) -> str:
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", message)
    return git(folder, "rev-parse", "HEAD")


@dataclass
class Forge:
    """A repository as a service has it: main with a long history, and a branch that starts in the
    middle of it; ``merge`` is what GitHub makes of both."""

    folder: Path
    first: str
    part: str
    main: str
    topic: str
    merge: str

    def checkout(self, place: Path, commit: str, depth: int = 1) -> Path:
        """As a job finds it: one commit, and nothing of the history."""
        git(self.folder.parent, "init", "-q", "-b", "none", str(place))
        git(place, "remote", "add", "origin", self.folder.as_uri())
        git(place, "fetch", "-q", f"--depth={depth}", "origin", commit)
        git(place, "checkout", "-q", "FETCH_HEAD")
        return place


@pytest.fixture(scope="module")
def forge(tmp_path_factory: pytest.TempPathFactory) -> Forge:
    folder = tmp_path_factory.mktemp("forge") / "up"
    git(folder.parent, "init", "-q", "-b", "main", str(folder))
    git(folder, "config", "uploadpack.allowAnySHA1InWant", "true")
    first = commit(folder, "first", clamp_c=CLAMP, Makefile=MAKEFILE)
    part = first
    for number in range(4):
        part = commit(folder, f"before {number}", notes=f"{number}\n")
    git(folder, "checkout", "-qb", "topic")
    topic = commit(folder, "allow one more", clamp_c=HARMFUL)
    git(folder, "checkout", "-q", "main")
    more = "".join(  # than are fetched at first
        "commit refs/heads/main\ncommitter a <a@b> 1700000000 +0000\ndata 5\nsince\n"
        + "from refs/heads/main^0\n" * (number == 0)
        + f"M 644 inline notes\ndata 2\n{number % 10}\n"
        for number in range(70)
    )
    subprocess.run(["git", "fast-import", "--quiet"], cwd=folder, input=more.encode(), check=True)
    git(folder, "reset", "-q", "--hard")
    main = git(folder, "rev-parse", "HEAD")
    git(folder, "checkout", "-q", "--detach")
    git(folder, "merge", "-q", "--no-ff", "-m", "merge", "topic")
    merge = git(folder, "rev-parse", "HEAD")
    git(folder, "update-ref", "refs/pull/1/merge", merge)
    git(folder, "checkout", "-q", "main")
    return Forge(folder, first, part, main, topic, merge)


def clone(forge: Forge, tmp_path: Path, commit: str) -> Path:
    """The whole repository as a user has it; main is checked out, at a commit of the forge."""
    place = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(forge.folder), str(place))
    git(place, "checkout", "-q", "--detach", f"origin/{commit}")
    return place


# --------------------------------------------------------------------------- what is compared


def event(tmp_path: Path, said: object) -> dict[str, str]:
    file = tmp_path / "event.json"
    file.write_text(json.dumps(said))
    return {"GITHUB_ACTIONS": "true", "GITHUB_EVENT_PATH": str(file)}


ZEROS = "0" * 40
JOBS = {
    "a merge of the pull request": ("merge", {"GITHUB_BASE_REF": "main"}, "main"),
    "its head": ("topic", {"pull_request": {"base": {"sha": "main"}}}, "part"),
    "its head, of a branch": ("topic", {"GITHUB_BASE_REF": "main"}, "part"),
    "a merge queue": ("merge", {"merge_group": {"base_sha": "main"}}, "main"),
    "a push": ("main", {"before": "part"}, "part"),
    "a new branch": ("topic", {"before": ZEROS, "repository": {"default_branch": "main"}}, "part"),
    "a push of what the forge has forgotten": (
        "topic",
        {"before": "1" * 40, "repository": {"default_branch": "main"}},
        "part",
    ),
    "the default branch": ("main", {"repository": {"default_branch": "main"}}, "before"),
    "a merge request": ("topic", {"CI_MERGE_REQUEST_DIFF_BASE_SHA": "part"}, "part"),
    "a merged result": (
        "merge",
        {"CI_MERGE_REQUEST_DIFF_BASE_SHA": "part", "CI_MERGE_REQUEST_TARGET_BRANCH_SHA": "main"},
        "main",
    ),
    "a branch of GitLab": (
        "topic",
        {"CI_COMMIT_BEFORE_SHA": ZEROS, "CI_DEFAULT_BRANCH": "main"},
        "part",
    ),
    "Azure": ("topic", {"SYSTEM_PULLREQUEST_TARGETBRANCH": "refs/heads/main"}, "part"),
    "Bitbucket": ("topic", {"BITBUCKET_PR_DESTINATION_BRANCH": "main"}, "part"),
    "Buildkite": ("topic", {"BUILDKITE_PULL_REQUEST_BASE_BRANCH": "main"}, "part"),
    "Jenkins": ("topic", {"CHANGE_TARGET": "main"}, "part"),
}


@pytest.mark.parametrize("job", JOBS)
def test_a_service_says_what_is_compared(job: str, forge: Forge, tmp_path: Path) -> None:
    """And the history between is fetched, although the job has one commit alone."""
    checked_out, said, base = JOBS[job]
    commits = {**vars(forge), "before": f"{forge.main}^", "1" * 40: "1" * 40, ZEROS: ZEROS}
    text = json.dumps(said)
    for name in ("main", "part"):  # commits where a commit is named
        text = re.sub(rf'(sha|SHA|before)": "{name}"', rf'\1": "{commits[name]}"', text)
    words = json.loads(text)
    variables = {name: each for name, each in words.items() if name.isupper()}
    environment = event(tmp_path, {} if variables else words) | variables
    if variables and "GITHUB_BASE_REF" not in variables:
        sign = next(
            each.sign
            for each in SERVICES
            if {*each.commits, *each.branches, each.default} & {*variables}
        )
        environment = {sign: "true", **variables}
    commit = commits[checked_out]
    if checked_out == "merge":
        environment["GITHUB_SHA"] = commit
    place = forge.checkout(tmp_path / "checkout", commit)
    found = find_comparison(environment, place)
    assert found is not None and not found.staged
    assert found.text.endswith("...HEAD")
    assert read_revisions(found.text, place).old == git(forge.folder, "rev-parse", commits[base])


def test_nothing_is_fetched_where_a_person_calls(forge: Forge, tmp_path: Path) -> None:
    place = forge.checkout(tmp_path / "checkout", forge.topic)
    with pytest.raises(UsageError, match="--base REVISION"):
        find_comparison({}, place)
    with pytest.raises(UsageError, match="no revision 'main'"):
        find_comparison({}, place, "main")
    assert git(place, "rev-list", "--count", "HEAD") == "1"
    git(place, "fetch", "-q", "--unshallow", "origin", "main:refs/remotes/origin/main", "topic")
    found = find_comparison({}, place)
    assert found is not None and found.text == f"{forge.main}...HEAD"


def test_the_checkout_is_not_compared_with_itself(forge: Forge, tmp_path: Path) -> None:
    place = forge.checkout(tmp_path / "checkout", forge.main)
    with pytest.raises(UsageError, match="there is nothing to compare it with"):
        find_comparison({"GITLAB_CI": "true"}, place, "main")


def test_a_base_that_cannot_be_had_is_named(forge: Forge, tmp_path: Path) -> None:
    place = forge.checkout(tmp_path / "checkout", forge.topic)
    with pytest.raises(
        UsageError, match=r"none-such is not here, and cannot be fetched: .*none-such"
    ):
        find_comparison({"GITLAB_CI": "true", "CI_DEFAULT_BRANCH": "none-such"}, place)


@pytest.mark.parametrize("base", ["main", "HEAD", "refs/heads/main"])
def test_a_base_that_contains_the_checkout_leaves_nothing(
    base: str, forge: Forge, tmp_path: Path
) -> None:
    """Not even "the same": the merge base is the checkout itself."""
    place = clone(forge, tmp_path, "main~2")
    with pytest.raises(UsageError, match="nothing to compare it with"):
        find_comparison({}, place, base)
    done = csgtest("ci", "--base", base, folder=place)
    assert (done.code, done.out) == (2, ""), done.err
    assert "nothing to compare it with" in (place / "csgtest-out" / "summary.md").read_text()


def test_a_checkout_that_is_behind_has_nothing_to_compare(forge: Forge, tmp_path: Path) -> None:
    """On a service others may have pushed since; then the commit before is meant."""
    place = clone(forge, tmp_path, "main~2")
    with pytest.raises(UsageError, match="origin/HEAD contains what is checked out"):
        find_comparison({}, place)
    found = find_comparison({"GITLAB_CI": "true", "CI_DEFAULT_BRANCH": "main"}, place)
    assert found is not None and found.text == f"{git(place, 'rev-parse', 'HEAD^')}...HEAD"


def test_a_merged_pull_request_has_nothing_to_compare(forge: Forge, tmp_path: Path) -> None:
    place = clone(forge, tmp_path, "main~2")
    for variables in (
        {"JENKINS_URL": "x", "CHANGE_TARGET": "main"},
        {"GITLAB_CI": "true", "CI_COMMIT_BEFORE_SHA": forge.main},
    ):
        with pytest.raises(UsageError, match="nothing to compare it with"):
            find_comparison(variables, place)


def test_what_parted_from_itself_is_not_the_same(forge: Forge, tmp_path: Path) -> None:
    place = clone(forge, tmp_path, "main~2")
    for words in ("main...HEAD", "HEAD...HEAD", "origin/main...HEAD"):
        done = csgtest("build", words, folder=place)
        assert done.code == 2 and "there is nothing to compare" in done.err


def test_a_base_is_read_as_git_reads_it(forge: Forge, tmp_path: Path) -> None:
    """`HEAD~1` is of HEAD, although there is a refs/remotes/origin/HEAD."""
    place = clone(forge, tmp_path, "topic")
    for base, meant in (("HEAD~1", forge.part), ("origin/main", forge.main), ("main", forge.first)):
        git(place, "branch", "-qf", "main", forge.first)  # behind that of the remote
        found = find_comparison({}, place, base)
        assert found is not None and found.text == f"{meant}...HEAD"
    found = find_comparison({"JENKINS_URL": "x", "CHANGE_TARGET": "main"}, place)
    assert found is not None and found.text == f"{forge.main}...HEAD"


def test_a_tag_is_no_branch(forge: Forge, tmp_path: Path) -> None:
    """A clone brings the tags of a stranger, and git takes them first."""
    place = clone(forge, tmp_path, "topic")
    names = ("main", "origin/main", "origin/HEAD", "heads/main", "HEAD", forge.part[:8])
    for name in (*names, "refs/remotes/origin/main"):
        git(place, "update-ref", f"refs/tags/{name}", forge.first)
    for variables in ({}, {"JENKINS_URL": "x", "CHANGE_TARGET": "main"}):
        found = find_comparison(variables, place)
        assert found is not None and found.text == f"{forge.main}...HEAD"
    for name in names:
        if name == "HEAD":
            continue
        for text in (name, f"{name}~0"):
            with pytest.raises(UsageError, match="stands for several commits"):
                find_comparison({}, place, text)
            with pytest.raises(UsageError, match="stands for several commits"):
                read_revisions(f"{text}..HEAD", place)
    for name, meant in (("refs/heads/main", forge.main), ("refs/tags/main", forge.first)):
        assert read_revisions(f"{name}..HEAD", place).old == meant
    assert read_revisions("HEAD^..HEAD", place).old == forge.part


# ------------------------------------------------------------------------------ what is not run

PROGRAM = "touch {harm}"
CONFIGURED = {
    "a transport": {"remote.origin.url": "ext::sh -c {program}", "protocol.ext.allow": "always"},
    "another address": {
        "url.ext::sh -c {program} .insteadOf": "file:", "protocol.allow": "always",
    },
    "a helper of transports": {"remote.origin.vcs": "ext", "protocol.ext.allow": "always"},
    "a pack": {"remote.origin.uploadpack": "{program}; git-upload-pack"},
    "ssh": {"remote.origin.url": "ssh://127.0.0.1:1/x", "core.sshCommand": "{program};"},
    "a proxy": {"remote.origin.url": "git://127.0.0.1:1/x", "core.gitProxy": "{program}"},
    "credentials": {"credential.helper": "!{program}"},
    "alternates": {"core.alternateRefsCommand": "{program};"},
}  # fmt: skip


@pytest.mark.parametrize("case", CONFIGURED)
def test_no_program_of_a_configuration_fetches(case: str, forge: Forge, tmp_path: Path) -> None:
    place = forge.checkout(tmp_path / "checkout", forge.topic)
    harm = tmp_path / "harm"
    program = f"{tmp_path}/program"
    Path(program).write_text(f"#!/bin/sh\n{PROGRAM.format(harm=harm)}\n")
    Path(program).chmod(0o755)
    for name, value in CONFIGURED[case].items():
        git(place, "config", name.format(program=program), value.format(program=program))
    with pytest.raises(UsageError, match=r"cannot be fetched: .*(not allowed|nothing is fetched)"):
        find_comparison({"JENKINS_URL": "x", "CHANGE_TARGET": "main"}, place)
    assert not harm.exists()


def test_a_fetch_changes_no_branch(forge: Forge, tmp_path: Path) -> None:
    place = forge.checkout(tmp_path / "checkout", forge.topic)
    git(place, "config", "remote.origin.fetch", "+refs/heads/*:refs/heads/*")
    before = git(place, "for-each-ref")
    assert find_comparison({"JENKINS_URL": "x", "CHANGE_TARGET": "main"}, place) is not None
    assert git(place, "for-each-ref") == before


# ------------------------------------------------------------------------ the files of services


def inherited() -> dict[str, str]:
    """The variables of this process without those of a service that it may run in."""
    services = ("GITHUB_", "CI", "GITLAB_", "RUNNER_", "PRE_COMMIT")
    known = {name: text for name, text in os.environ.items() if not name.startswith(services)}
    return {**known, "PATH": f"{TOOLS}:{os.environ['PATH']}"}


def executed(lines: str, folder: Path, environment: Mapping[str, str]) -> Done:
    """As services call a shell."""
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", lines],
        cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    return Done(done.returncode, done.stdout, done.stderr, folder)


def valid(schema: str, file: Path) -> None:
    done = subprocess.run(
        [f"{TOOLS}/check-jsonschema", "--builtin-schema", f"vendor.{schema}", str(file)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


class Action:
    """action.yml, and a runner for its steps that are shell."""

    def __init__(self, checkout: Path, place: Path, variables: Mapping[str, str]) -> None:
        self.read = yaml.safe_load((ROOT / "action.yml").read_text())
        self.checkout = checkout
        self.files = {name: place / name for name in ("summary", "output", "path")}
        for each in self.files.values():
            each.touch()
        named = {
            "GITHUB_STEP_SUMMARY": self.files["summary"],
            "GITHUB_OUTPUT": self.files["output"],
            "GITHUB_PATH": self.files["path"],
            "GITHUB_ACTION_PATH": ROOT,
            "RUNNER_TEMP": place,
        }
        self.variables = {**inherited(), **variables, **{k: str(v) for k, v in named.items()}}

    def run(self, given: Mapping[str, str], skipped: Sequence[str] = ()) -> list[Done]:
        """Up to the first step that fails."""
        found = []
        for step in self.read["runs"]["steps"]:
            if "run" not in step or step["name"] in skipped:
                continue
            assert step["shell"] == "bash"
            path = ":".join([*self.files["path"].read_text().split(), self.variables["PATH"]])
            own = {name: self.evaluated(text, given) for name, text in step.get("env", {}).items()}
            assert "${{" not in step["run"], "text of others is no text of the script"
            found.append(
                executed(step["run"], self.checkout, {**self.variables, "PATH": path, **own})
            )
            if found[-1].code:
                break
        return found

    def evaluated(self, text: str, given: Mapping[str, str]) -> str:
        name = re.fullmatch(r"\$\{\{ inputs\.([\w-]+) \}\}", text)
        assert name is not None
        return given.get(name[1], self.read["inputs"][name[1]]["default"])

    @property
    def outputs(self) -> dict[str, str]:
        lines = self.files["output"].read_text().splitlines()
        return dict(line.split("=", 1) for line in lines)


def test_the_action_reviews_a_pull_request(forge: Forge, tmp_path: Path) -> None:
    valid("github-actions", ROOT / "action.yml")
    checkout = forge.checkout(tmp_path / "checkout", forge.merge)
    variables = event(tmp_path, {"pull_request": {"base": {"sha": forge.part}}})
    variables |= {"GITHUB_BASE_REF": "main", "GITHUB_SHA": forge.merge}
    action = Action(checkout, tmp_path, variables)
    *before, compared = action.run({"time": "3"}, skipped=["Install csgtest"])
    assert len(before) == 1 and compared.code == 1, compared.err
    assert f"GitHub: compared with HEAD^ ({forge.main[:10]})" in compared.err
    stopped = re.search(r"^::stop-commands::(\w+)$", compared.out, re.M)
    assert stopped is not None
    told, _, annotated = compared.out.partition(f"::{stopped[1]}::\n")
    assert "change 1  clamp.c:7" in told
    assert re.fullmatch(
        r"::error file=clamp\.c,line=7,title=csgtest%3A regression::\./clamp .*, SIGABRT now.*\n",
        annotated,
    )
    summary = action.files["summary"].read_text()
    assert "regression" in summary and "+if (length > 4)" in summary
    assert action.outputs["code"] == "1" and action.outputs["folder"].endswith("/csgtest-out")
    log = SarifLog.model_validate_json(Path(action.outputs["sarif"]).read_text())
    assert [run.results and run.results[0].ruleId for run in log.runs] == ["CSG005"]
    assert git(checkout, "status", "--short", "--untracked-files=no") == ""


@pytest.mark.parametrize(("fail_on", "code"), [("regression", 0), ("any", 1)])
def test_what_is_meant_to_change_fails_nobody(
    fail_on: str, code: int, forge: Forge, tmp_path: Path
) -> None:
    checkout = forge.checkout(tmp_path / "checkout", forge.main)
    commit(checkout, "other words", clamp_c=HARMLESS)
    action = Action(checkout, tmp_path, {"GITHUB_ACTIONS": "true"})
    given = {"base": forge.main, "fail-on": fail_on, "options": "--time 3 --no-native"}
    *_, compared = action.run(given, skipped=["Install csgtest"])
    assert compared.code == code, compared.err
    assert "::warning file=clamp.c,line=10," in compared.out
    assert action.outputs["code"] == str(code)


def test_a_program_cannot_command_the_service(forge: Forge, tmp_path: Path) -> None:
    """What a pull request makes the compiler say stands where no command is read."""
    checkout = forge.checkout(tmp_path / "checkout", forge.main)
    broken = "#error ::error::owned\n::add-path::/evil\n" + CLAMP
    commit(checkout, "broken", clamp_c=broken, Makefile=f"$(info ::set-env name=X::1)\n{MAKEFILE}")
    done = csgtest(
        "ci", "--base", forge.main, folder=checkout,
        environment={"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(tmp_path / "summary")},
    )  # fmt: skip
    assert done.code == 2
    stopped = re.findall(r"^::stop-commands::(\w+)$", done.out, re.M)
    assert len(stopped) == 1 and done.out.endswith(f"::{stopped[0]}::\n")
    assert "Not tested:" in (tmp_path / "summary").read_text()


def test_no_name_and_no_error_commands_the_service(forge: Forge, tmp_path: Path) -> None:
    """Nor forges a line on a terminal. git itself writes such a tree."""
    checkout = forge.checkout(tmp_path / "checkout", forge.main)
    target = subprocess.run(
        ["git", "hash-object", "-w", "--stdin"],
        cwd=checkout, input="a" * 5000, capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    entry = f"120000 {target}\tx\n::warning file=a.c::pwned ##[add-matcher]evil.json\0"
    subprocess.run(
        ["git", "update-index", "-z", "--add", "--index-info"],
        cwd=checkout, input=entry, text=True, check=True,
    )  # fmt: skip
    git(checkout, "commit", "-qm", "pull request")
    done = csgtest(
        "ci", "--base", forge.main, folder=checkout, environment={"GITHUB_ACTIONS": "true"}
    )
    assert done.code == 2 and "x\\x0a::warning" in done.err
    commands = [line for line in f"{done.out}{done.err}".splitlines() if line.startswith("::")]
    assert commands[0].startswith("::stop-commands::") and len(commands) == 2
    assert "##[" not in done.err
    (checkout / "csgtest.toml").write_text('"##[error]y" = 1\n')
    git(checkout, "add", "csgtest.toml")
    git(checkout, "commit", "-qm", "settings")
    commit(checkout, "more", clamp_c=HARMFUL)
    done = csgtest("ci", "--base", "HEAD^", folder=checkout, environment={"GITHUB_ACTIONS": "true"})
    assert done.code == 2 and "##[" not in done.err and "\\x23[error]y" in done.err


def test_a_summary_without_results_claims_nothing() -> None:
    """A program may be in one version alone, which ends with 2."""
    assert "differs" not in markdown(()) and "no program" in markdown(())


def test_the_job_of_gitlab_reviews_a_merge_request(forge: Forge, tmp_path: Path) -> None:
    text = (ROOT / "templates" / "csgtest.yml").read_text()
    inputs = yaml.safe_load(text.partition("\n---\n")[0])["spec"]["inputs"]
    given = {name: str(each.get("default", "")) for name, each in inputs.items()}
    given |= {"source": str(ROOT), "time": "3"}
    assert [name for name, each in inputs.items() if "default" not in each] == ["source"]
    own = text.partition("\n---\n")[2]
    for name, value in given.items():
        own = own.replace(f"$[[ inputs.{name} ]]", json.dumps(value))
    assert "$[[" not in own
    (tmp_path / ".gitlab-ci.yml").write_text(own)
    valid("gitlab-ci", tmp_path / ".gitlab-ci.yml")
    job = yaml.safe_load(own)["csgtest"]
    checkout = forge.checkout(tmp_path / "checkout", forge.topic, depth=20)
    variables = {
        **inherited(),
        "GITLAB_CI": "true",
        "CI_PROJECT_DIR": str(checkout),
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": forge.part,
        "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
    }
    for name, value in job["variables"].items():
        variables[name] = value.replace("$CI_PROJECT_DIR", str(checkout))
    kept = checkout / job["cache"]["paths"][0]
    shutil.copytree(cache_folder(), kept, ignore=lambda *_: ["secrets"])  # of an earlier job
    kept.chmod(0o777)
    *_, trusted = job["before_script"]
    done = executed("\n".join([trusted, *job["script"]]), checkout, variables)
    assert done.code == 1, done.err
    assert f"GitLab: compared with {forge.part[:10]}" in done.err
    assert "cache folder" not in done.err and "::" not in done.out
    for each in (job["artifacts"]["reports"]["junit"], "csgtest-out/summary.md"):
        assert (checkout / each).is_file()
    before = {each.name for each in kept.iterdir()}
    executed("\n".join(job["after_script"]), checkout, variables)
    assert {each.name for each in kept.iterdir()} == before - {"secrets"} != before


@pytest.fixture
def hook() -> dict[str, Any]:
    file = ROOT / ".pre-commit-hooks.yaml"
    subprocess.run([f"{TOOLS}/pre-commit", "validate-manifest", file], check=True)
    (found,) = yaml.safe_load(file.read_text())
    return dict(found)


def test_the_hook_looks_at_what_is_staged(
    hook: dict[str, Any], forge: Forge, tmp_path: Path
) -> None:
    checkout = forge.checkout(tmp_path / "checkout", forge.main)
    variables = {**inherited(), "PRE_COMMIT": "1"}
    (checkout / "clamp.c").write_text(HARMFUL)
    git(checkout, "add", "clamp.c")
    (checkout / "clamp.c").write_text(CLAMP)
    done = executed(hook["entry"].replace("20", "3"), checkout, variables)
    assert done.code == 1 and "SIGABRT" in done.out, done.err
    git(checkout, "commit", "-qm", "more")
    pushed = {"PRE_COMMIT_FROM_REF": forge.main, "PRE_COMMIT_TO_REF": "HEAD"}
    done = executed(hook["entry"].replace("20", "3"), checkout, {**variables, **pushed})
    assert done.code == 1 and "SIGABRT" in done.out, done.err


def test_the_hook_lets_the_first_commit_pass(hook: dict[str, Any], tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "clamp.c").write_text(CLAMP)
    git(tmp_path, "add", "clamp.c")
    done = executed(hook["entry"], tmp_path, {**inherited(), "PRE_COMMIT": "1"})
    assert (done.code, done.out) == (0, "")


def test_a_folder_of_somebody_else_is_left_alone(forge: Forge, tmp_path: Path) -> None:
    checkout = forge.checkout(tmp_path / "checkout", forge.main)
    (checkout / "mine").mkdir()
    (checkout / "mine" / "summary.md").write_text("mine")
    done = csgtest("ci", "--base", "HEAD^", "--out", "mine", folder=checkout)
    assert done.code == 2 and (checkout / "mine" / "summary.md").read_text() == "mine"


def test_the_file_of_a_repository_counts_in_a_review(forge: Forge, tmp_path: Path) -> None:
    checkout = forge.checkout(tmp_path / "checkout", forge.main)
    settings = 'fail-on = "any"\ntime = 3\n[target.clamp]\nsym-args = [1, 1, 5]\n'
    commit(checkout, "settings", csgtest_toml=settings)
    git(checkout, "branch", "base")
    commit(checkout, "other words", clamp_c=HARMLESS, csgtest_toml='fail-on = "never"\n')
    done = csgtest("ci", "--base", "base", folder=checkout)
    assert done.code == 1, done.err
    assert done.report["bounds"]["sym_args"] == [1, 1, 5]
    assert ", and not that of " in done.err


def test_a_change_does_not_say_how_it_is_tested(forge: Forge, tmp_path: Path) -> None:
    checkout = forge.checkout(tmp_path / "checkout", forge.main)
    settings = 'fail-on = "never"\nno-replay = true\n'
    commit(checkout, "other words", clamp_c=HARMLESS, csgtest_toml=settings)
    words = ("ci", "--base", forge.main, "--fail-on", "any", "--time", "3")
    done = csgtest(*words, folder=checkout)
    assert done.code == 1, done.err
    assert "which has none (--config csgtest.toml reads a new one): says nothing" in done.err
    assert not done.report["configured"]["settings"]
