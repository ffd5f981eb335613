"""A tree names files: in its test scripts, csgtest.toml, links. Nothing outside of it is read for
that, and nothing outside of it is written."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from csg.errors import UsageError
from csg.files import OutsideError, is_inside, read_inside
from csg.programs import find_commands, refused_commands
from symexec.options.settings import read_settings
from symexec.testcases import seeds
from symexec.testcases.seeds import (
    SeedInput,
    places_of_tests,
    read_calls,
    read_examples,
    read_seeds,
)
from tests.command_line import Done, csgtest
from tests.hostile.judging import is_clean

SECRET = b"SECRET-of-ann"
OLD = "int main(int argc, char **argv) { return argc > 2; }\n"
NEW = "int main(int argc, char **argv) { return argc > 3; }\n"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with secrets, and a tree in ``work/tree`` with links to them."""
    home = tmp_path / "home"
    tree = home / "work" / "tree"
    (tree / "tests").mkdir(parents=True)
    (tree / ".git").mkdir()
    (home / ".ssh").mkdir()
    for file in (home / ".ssh" / "id_rsa", home / "plain.txt", tree / ".git" / "config"):
        file.write_bytes(SECRET + b"\n")
    (tree / "tests" / "link").symlink_to("../../../.ssh/id_rsa")
    (tree / "tests" / "folder").symlink_to("../../../.ssh")
    (tree / "data").write_bytes(b"harmless\n")
    (tree / "tests" / "inside").symlink_to("../data")
    return home


LINES = {
    "operand": "./cut ../../../.ssh/id_rsa",
    "operand from the tree": "./cut ../../.ssh/id_rsa",
    "redirection": "./cut < ../../../plain.txt",
    "pipe": "cat ../../../plain.txt | ./cut",
    "absolute redirection": "./cut < HOME/plain.txt",
    "absolute pipe": "cat HOME/.ssh/id_rsa | ./cut",
    "link": "./cut link",
    "link, redirected": "./cut < link",
    "folder that is a link": "cat folder/id_rsa | ./cut",
    "written before": "cat ../../../plain.txt > a; ./cut a",
    "settings of git": "./cut ../.git/config",
    "a way around": "./cut ../tests/../../../plain.txt",
}


@pytest.mark.parametrize("by_user", [False, True])
@pytest.mark.parametrize("line", LINES.values(), ids=[*LINES])
def test_a_script_names_no_private_file(line: str, by_user: bool, home: Path) -> None:
    tree = home / "work" / "tree"
    (tree / "tests" / "run.sh").write_text(line.replace("HOME", str(home)) + "\n./cut -x\n")
    places = [tree / "tests"] if by_user else places_of_tests(tree)
    found = read_calls(places, "cut", None if by_user else tree)
    assert SECRET not in repr(found.seeds).encode()
    assert any(each.input.args == (b"-x",) for each in found.seeds)
    assert found.refused
    examples = read_examples(places, None if by_user else tree)
    assert SECRET not in b" ".join((*examples.words, *examples.texts))


def test_a_script_may_have_words_of_any_length(tmp_path: Path) -> None:
    (tmp_path / "check.sh").write_text(f"./prog {'a' * 300}\n./prog {'b/' * 3000}c\n")
    found = read_seeds([tmp_path / "check.sh"])
    assert len(found) == 2 and all(isinstance(each, SeedInput) for each in found), found


@pytest.mark.parametrize("line", ["./cut ../data", "./cut inside", "cat ../data | ./cut"])
def test_a_script_names_files_of_its_tree(line: str, home: Path) -> None:
    tree = home / "work" / "tree"
    (tree / "tests" / "run.sh").write_text(f"{line}\n")
    found = read_calls(places_of_tests(tree), "cut", tree)
    assert not found.refused
    assert any(
        b"harmless\n" in (each.input.stdin, *dict(each.input.files).values())
        for each in found.seeds
    )


def test_a_folder_of_tests_is_no_link_to_elsewhere(home: Path) -> None:
    tree = home / "work" / "tree"
    for name in ("test", "corpus", "examples"):
        (tree / name).symlink_to("../../.ssh")
    (tree / "test_id.sh").symlink_to("../../.ssh/id_rsa")
    (tree / "specs").symlink_to("tests")
    places = places_of_tests(tree)
    assert [each.name for each in places] == ["specs", "tests"]
    # Neither does the folder count where it becomes a link afterwards.
    examples = read_examples([tree / "corpus", tree / "test_id.sh"], tree)
    assert not examples.words and not examples.texts


@pytest.mark.parametrize("name", ["../plain.txt", "tests/link", "tests/folder/id_rsa", "."])
def test_a_file_is_read_where_it_lies(name: str, home: Path) -> None:
    tree = home / "work" / "tree"
    assert read_inside(tree / "tests" / "inside", tree) == b"harmless\n"
    with pytest.raises(UsageError):
        read_inside(tree / name, tree)
    os.mkfifo(tree / "pipe")
    with pytest.raises(UsageError, match="no regular file"):
        read_inside(tree / "pipe", tree)
    with pytest.raises(UsageError, match="larger"):
        read_inside(tree / "data", tree, 3)
    with pytest.raises(OutsideError):
        read_inside("/dev/zero", tree)
    assert is_inside(tree / "data", tree) and not is_inside(tree / ".git" / "config", tree)


PATHS = [
    'examples = ["../../.ssh"]',
    'examples = ["HOME/.ssh/id_rsa"]',
    'examples = ["tests", "tests/folder"]',
    'examples = ["tests/link"]',
    'golden = "../../.ssh"',
    'others = ["HOME/plain.c"]',
    'build = "../../.ssh"',
    'flags = ["-I../../.ssh"]',
    'flags = ["-IHOME/.ssh/none.h"]',
    'flags = ["-include", "../../plain.txt"]',
    'flags = ["-isystem", "tests/folder"]',
    'flags = ["-LHOME"]',
    '[target.a]\nexamples = ["../.."]',
]


@pytest.mark.parametrize("text", PATHS)
def test_settings_name_nothing_outside_of_their_folder(text: str, home: Path) -> None:
    tree = home / "work" / "tree"
    said = text.replace("HOME", str(home))
    with pytest.raises(UsageError, match="lies outside of the file's folder"):
        read_settings(said, "csgtest.toml", tree)
    read_settings(said, "csgtest.toml", tree, named=True)  # the user chose the file


@pytest.mark.parametrize(
    "text",
    [
        'examples = ["tests", "TREE/data"]',
        'examples = ["tests/inside"]',
        'build = "make -C .."',
        'flags = ["-Iinclude", "-I/usr/include/x", "-L", "/usr/lib", "-include", "config.h"]',
    ],
)
def test_settings_name_what_lies_in_their_folder(text: str, home: Path) -> None:
    tree = home / "work" / "tree"
    assert read_settings(text.replace("TREE", str(tree)), "csgtest.toml", tree).top


def test_a_database_is_no_link_to_elsewhere(home: Path) -> None:
    tree = home / "work" / "tree"
    (home / "compile_commands.json").write_text("[]")
    (tree / "compile_commands.json").symlink_to("../../compile_commands.json")
    assert find_commands(tree, None) is None and find_commands(tree / "tests", tree) is None
    assert f"--build {home}" in str(refused_commands(tree))
    (tree / "compile_commands.json").unlink()
    (tree / "build").mkdir()
    (tree / "build" / "compile_commands.json").write_text("[]")
    (tree / "compile_commands.json").symlink_to("build/compile_commands.json")
    assert find_commands(tree, None) == tree / "compile_commands.json"
    assert refused_commands(tree) is None


# ------------------------------------------------------------------------------------ whole runs


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    subprocess.run(["git", "-C", str(folder), *who, *words], check=True, capture_output=True)


@pytest.fixture
def repository(home: Path) -> Path:
    """The tree as a repository with two commits."""
    tree = home / "work" / "tree"
    shutil.rmtree(tree / ".git")
    git(tree, "init", "-q", "-b", "main")
    for text in (OLD, NEW):
        (tree / "cut.c").write_text(text)
        git(tree, "add", "-A")
        git(tree, "commit", "-q", "-m", "A change")
    return tree


def run(folder: Path, *words: str) -> Done:
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    environment = {"HOME": str(folder.parents[1]), "XDG_CACHE_HOME": cache}
    done = csgtest(*words, folder=folder, environment=environment)
    is_clean(done)
    return done


def test_settings_are_no_link_to_elsewhere(repository: Path, home: Path) -> None:
    (home / "plain.txt").write_text('mode = "SECRET"\n')
    (repository / "csgtest.toml").symlink_to("../../plain.txt")
    done = run(repository, "graph", "HEAD~1")
    assert done.code == 2 and "lies outside" in done.err and "SECRET" not in done.err


READING = ["for i in 1 2; do ./tree ../../../.ssh/id_rsa", "cat ../../../plain.txt | ./tree -a"]


@pytest.mark.parametrize("line", [READING[0], pytest.param(READING[1], marks=pytest.mark.night)])
def test_a_report_has_nothing_of_a_private_file(line: str, repository: Path, home: Path) -> None:
    text = (
        "#include <stdio.h>\nint main(int argc, char **argv) { char t[20] = {0};\n"
        'FILE *f = argc > 1 ? fopen(argv[1], "r") : stdin;\n'
        "if (f) fgets(t, 19, f); if (t[5] > '@') puts(t); return NUMBER; }\n"
    )
    (repository / "tests" / "run.sh").write_text(f"{line}\n")
    (repository / "corpus").symlink_to("../../.ssh")
    for number in "12":
        (repository / "cut.c").write_text(text.replace("NUMBER", f"t[5] > '@' ? {number} : 0"))
        git(repository, "add", "-A")
        git(repository, "commit", "-q", "-m", "A change")
    done = run(repository, "build", "HEAD~1..HEAD", "--time", "4")
    assert "not read, outside of the tests' folder or hidden: run.sh names" in done.out
    out = repository / "csgtest-out"
    for file in (each for each in out.rglob("*") if each.is_file() and not each.is_symlink()):
        assert SECRET not in file.read_bytes(), file


def test_a_source_of_a_revision_is_no_link_to_elsewhere(repository: Path, home: Path) -> None:
    """A link would also open its folder to the compiler."""
    (home / "docs").mkdir()
    (home / "docs" / "a.c").write_text('const char *a = "SECRET-of-ann";\n')
    text = "#include <stdio.h>\nextern char *a;\nint main(int n) { puts(a); return n > 2; }\n"
    (repository / "a.c").symlink_to("../../docs/a.c")
    (repository / "cut.c").write_text(text)
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "A change")
    (repository / "cut.c").write_text(text.replace("2", "3"))
    git(repository, "commit", "-q", "-a", "-m", "A change")
    done = run(repository, "build", "HEAD~1..HEAD", "--time", "2")
    assert SECRET.decode() not in done.out + done.err
    for file in (each for each in (repository / "csgtest-out").rglob("*") if each.is_file()):
        assert SECRET not in file.read_bytes(), file


# --------------------------------------------------------------------------------------- writing


@pytest.fixture
def victim(home: Path) -> Iterator[Path]:
    """A folder and a file of the home, which stay as they are."""
    folder = home / "victim"
    folder.mkdir()
    (home / "file").write_text("mine\n")
    before = {*home.iterdir()}
    yield folder
    assert not any(folder.iterdir()) and (home / "file").read_text() == "mine\n"
    assert {*home.iterdir()} == before


def link(repository: Path, name: str, target: str) -> None:
    (repository / name).symlink_to(target)
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "A link")


def test_init_writes_through_no_link(repository: Path, victim: Path) -> None:
    link(repository, "csgtest.toml", "../../file")
    assert run(repository, "init").code == 2
    assert run(repository, "init", "--force").code == 0
    file = repository / "csgtest.toml"
    assert not file.is_symlink() and "# What csgtest is told" in file.read_text()


@pytest.mark.parametrize("target", ["../../victim", "../../none"])
@pytest.mark.parametrize("out", ["csgtest-out", "csgtest-out/below"])
def test_an_output_folder_is_no_link(target: str, out: str, repository: Path, victim: Path) -> None:
    link(repository, "csgtest-out", target)
    done = run(repository, "build", "HEAD~1..HEAD", "--time", "1", "--out", out)
    assert done.code == 2 and "leads out of" in done.err


def test_links_in_an_output_folder_go(repository: Path, victim: Path) -> None:
    (repository / "csgtest-out").mkdir()
    (repository / "csgtest-out" / ".csgtest").write_text("csgtest output folder")
    for name in (".gitignore", "versions", "tests", "build-old.log", "report.html", "csg.json"):
        target = "../../../victim" if name in ("versions", "tests") else "../../../file"
        (repository / "csgtest-out" / name).symlink_to(target)
    done = run(repository, "build", "HEAD~1..HEAD", "--time", "1")
    assert done.code == 1, done.err


@pytest.mark.parametrize("name", ["graph.dot", "docs/graph.dot"])
def test_a_graph_is_written_through_no_link(name: str, repository: Path, victim: Path) -> None:
    link(repository, name.partition("/")[0], "../../victim" if "/" in name else "../../file")
    for command in ("graph", "unify"):
        done = run(repository, command, "HEAD~2..HEAD", "-o", name)
        assert done.code == 2 and "leads out of" in done.err
    assert run(repository, "graph", "HEAD~2..HEAD", "-o", "own.dot").code == 0


def test_what_is_accepted_and_emitted_is_written_through_no_link(
    repository: Path, victim: Path
) -> None:
    assert run(repository, "build", "HEAD~1..HEAD", "--time", "2").code == 1
    link(repository, "csgtest-accepted.json", "../../file")
    link(repository, "emitted", "../../victim")
    for words in (
        ("accept", "all", "--reason", "so"),
        ("accept", "all", "--reason", "so", "--accepted", "emitted/a.json"),
        ("emit", "--as", "sh", "-o", "emitted"),
        ("emit", "--as", "sh", "-o", "emitted/below"),
        ("export", "--as", "ktest", "-o", "emitted"),
        ("export", "--as", "sarif", "-o", "emitted/a.sarif"),
    ):
        done = run(repository, *words)
        assert done.code == 2 and "leads out of" in done.err, words


# ------------------------------------------------------------------------------ a stranger's report


def test_a_user_hears_what_a_report_has_read_elsewhere(repository: Path, home: Path) -> None:
    (home / "private").mkdir()
    for place, name in ((repository, "own"), (home / "private", "else")):
        for text, side in ((OLD, "old"), (NEW, "new")):
            (place / f"{name}-{side}.c").write_text(text)
    assert run(repository, "build", "own-old.c", "own-new.c", "--time", "3").code == 1
    report = repository / "csgtest-out" / "report.json"
    report.write_text(report.read_text() + "\n")  # the seal is broken
    done = run(repository, "replay", "csgtest-out", "--trust")
    assert done.code == 1 and "is to read files of" not in done.err
    value = json.loads(report.read_text())
    for side in ("old", "new"):
        value["replay"][f"{side}_files"][0]["path"] = f"{home}/private/else-{side}.c"
    report.write_text(json.dumps(value))
    assert run(repository, "replay", "csgtest-out").code == 2
    done = run(repository, "replay", "csgtest-out", "--trust")
    assert f"the compiler is to read files of {home}/private\n" in done.err


def test_a_word_that_is_too_long_names_no_file(tmp_path: Path) -> None:
    script = tmp_path / "run.sh"
    script.write_text(f"./prog {'a' * 300} {'b/' * 3000}\n")
    for name, least in (("old.c", 2), ("new.c", 3)):
        text = f"int main(int argc, char **argv) {{ return argc > {least}; }}\n"
        (tmp_path / name).write_text(text)
    done = csgtest("build", "old.c", "new.c", "--seeds", "run.sh", "--time", "2", folder=tmp_path)
    assert "Traceback" not in done.err and "internal error" not in done.err, done.err


def test_a_script_has_bounded_seeds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seeds, "MOST", 50)
    script = tmp_path / "run.sh"
    script.write_text("\n".join(f"./prog -{number}" for number in range(60)))
    found = seeds.read_seeds([script])
    assert len(found) == 51 and isinstance(found[-1], seeds.Unusable)
    assert found[-1].reason == "there are more than 50 seeds"
    script.write_text("\n".join(f"./prog -{number}" for number in range(50)))
    assert len(seeds.read_seeds([script])) == 50
