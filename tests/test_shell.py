"""Shells complete words of csgtest, and man(1) has its page: each is asked where it is there."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import cli
from symexec.options.commands import COMMANDS

ROOT = Path(__file__).parent.parent
ASKED = {
    "bash": """
        source ./script
        COMP_WORDS=(csgtest "$@"); COMP_CWORD=$#
        _shtab_csgtest
        printf '%s\\n' "${COMPREPLY[@]}"
    """,
    "fish": 'source ./script; complete -C "csgtest $argv" | string split -f1 \\t; true',
}


def written(*words: str) -> str:
    done = subprocess.run(
        [sys.executable, str(ROOT / "cli.py"), *words],
        capture_output=True,
        text=True,
        check=True,
        env={"SOURCE_DATE_EPOCH": "86400"},
    )
    return done.stdout


@pytest.fixture(scope="module", params=ASKED)
def shell(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """A command that tells what a shell offers behind the words that it is given."""
    name = request.param
    if shutil.which(name) is None:
        pytest.skip(f"there is no {name}")
    folder = tmp_path_factory.mktemp(name)
    (folder / "script").write_text(written("completion", name))
    for each in ("old.c", "new.c", "release-notes"):
        (folder / each).touch()
    (folder / "results").mkdir()
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=trunk"]
    for words in ("init", "commit --allow-empty -m first", "branch feature/one", "tag release-1"):
        subprocess.run([*git, *words.split()], cwd=folder, check=True, capture_output=True)
    return [str(folder), name, "-c", ASKED[name], *(["bash"] if name == "bash" else [])]


def offered(shell: list[str], *words: str) -> set[str]:
    folder, *command = shell
    done = subprocess.run(
        [*command, *words], cwd=folder, capture_output=True, text=True, check=True, timeout=60
    )
    assert not done.stderr
    return {line.rstrip("/") for line in done.stdout.split("\n")} - {""}


@pytest.mark.parametrize(
    ("words", "some"),
    [
        ("bu", {"build"}),
        ("completion ", {"bash", "zsh", "fish"}),
        ("build --fail-on ", {"any", "regression", "interaction", "never"}),
        ("build old.c new.c --fail-on=r", set()),
        ("build old.c new.c --fail-o", {"--fail-on"}),
        ("export --as s", {"sarif"}),
        ("build ol", {"old.c"}),
        ("build old.c ne", {"new.c"}),
        ("build release", {"release-notes", "release-1"}),
        ("build trunk..fea", {"trunk..feature/one"}),
        ("build trunk...HE", {"trunk...HEAD"}),
        ("build --mode publ", {"published"}),
        ("compare --modes nat", {"native"}),
        ("replay res", {"results"}),
        ("show ta", {"tasks"}),
        ("show res", {"results"}),
    ],
)
def test_a_shell_completes(words: str, some: set[str], shell: list[str]) -> None:
    if shell[1] == "fish" and "=" in words:
        some = {"--fail-on=regression"}
    assert offered(shell, *words.split(" ")) == some


def test_every_command_is_offered(shell: list[str]) -> None:
    assert offered(shell, "") >= set(COMMANDS)


def test_zsh_can_read_its_script(tmp_path: Path) -> None:
    if shutil.which("zsh") is None:
        pytest.skip("there is no zsh")
    (tmp_path / "_csgtest").write_text(written("completion", "zsh"))
    subprocess.run(["zsh", "-n", str(tmp_path / "_csgtest")], check=True)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("manual") / "csgtest.1"
    file.write_text(written("manual"))
    return file


@pytest.mark.parametrize(
    "checker",
    ["mandoc -Tlint -Wstyle", "groff -ww -man -Tutf8 -z", "man --warnings=all -l -E utf8"],
)
def test_the_page_is_as_readers_of_it_want(checker: str, page: Path) -> None:
    program, *words = checker.split()
    if shutil.which(program) is None:
        pytest.skip(f"there is no {program}")
    done = subprocess.run([program, *words, page], capture_output=True, text=True, check=False)
    said = [line for line in done.stderr.splitlines() + done.stdout.splitlines() * (
        program == "mandoc") if "referenced manual not found" not in line]  # fmt: skip
    assert (done.returncode, said) == (0, [])


def test_the_page_names_every_option_of_every_command(page: Path) -> None:
    text = page.read_text()
    sections = dict(re.findall(r'^\.SH "CSGTEST (\w+)"\n(.*?)(?=^\.SH)', text, re.M | re.S))
    assert [name.lower() for name in sections] == list(COMMANDS)
    for name, command in COMMANDS.items():
        for row in command.arguments:
            shown = [each.replace("-", "\\-") for each in row.names if each.startswith("-")]
            assert all(f"\\fB{each}\\fR" in sections[name.upper()] for each in shown), row.names
    assert '"1970-01-02"' in text


def test_help_needs_nothing_of_that(capsys: pytest.CaptureFixture[str]) -> None:
    program = "import sys, cli\ntry: cli.main(['--help'])\nexcept SystemExit: pass\n"
    program += "print([m for m in ('shtab', 'symexec.options.shell', 'jinja2', 'networkx', 'z3')"
    program += " if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.endswith("[]\n")


def test_a_shell_that_nobody_knows_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["completion", "dish"])
    assert ended.value.code == 2
    assert "choose from" in capsys.readouterr().err
