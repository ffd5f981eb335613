"""What the documents show is what happens: the commands in their console blocks are run.

    ```console             each `$ csgtest ...` must end with exit code 0 or 1; --time is 3 at most
    ```console exact       and must print what stands below it; `...` on a line of its own stands
                           for any lines, numbers before ` s` for any time
    ```console shell       other commands, too, which sh runs and which must end with 0
    ```c wrap.c            is written to that file

CSGTEST_UPDATE=1 writes what was printed into the exact blocks instead of comparing it. All blocks
of a document run in one folder, in order, with samples/, tests/ and benchmarks/ beside them. It is
the home folder as well, and port 8786 is one that is free.
"""

from __future__ import annotations

import os
import re
import shlex
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import psutil
import pytest
import yaml

from csg.cache import cache_folder
from tests.command_line import csgtest
from tests.nightly import nightly

ROOT = Path(__file__).parent.parent
DOCUMENTS = sorted(
    [ROOT / "README.md", ROOT / "samples" / "README.md", *(ROOT / "docs").glob("*.md")]
)
FIRST_HOUR = ROOT / "docs" / "first-hour.md"
SLOW = [ROOT / "docs" / "clusters.md", FIRST_HOUR]
BLOCK = re.compile(r"^```(\w+)(?: ([\w./-]+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAMED = {f"GIT_{who}_{what}": "user@localhost" for who in ("AUTHOR", "COMMITTER")
         for what in ("NAME", "EMAIL")}  # fmt: skip
PORT = "8786"  # of a scheduler, in documents


@dataclass(frozen=True, slots=True)
class Command:
    """``start`` and ``end`` are where the expected output stands in the document. ``exact``: is it
    compared? ``shell``: does sh run the words, which are one?"""

    words: tuple[str, ...]
    exact: bool
    expected: str
    start: int
    end: int
    shell: bool = False


@dataclass(frozen=True, slots=True)
class Written:
    """A file that a reader of the document writes."""

    name: str
    text: str


def steps(document: str) -> list[Command | Written]:
    """What a reader of the document does, in order."""
    found: list[Command | Written] = []
    for block in BLOCK.finditer(document):
        language, kind, text = block.groups()
        if language != "console":
            found += [Written(kind, text)] if kind else []
            continue
        pieces = re.split(r"^(\$ .*\n)", text, flags=re.MULTILINE)
        place = block.start(3) + len(pieces[0])
        for line, output in zip(pieces[1::2], pieces[2::2], strict=True):
            start = place + len(line)
            place = start + len(output)
            words = tuple(shlex.split(line[2:]))
            if words[:1] == ("csgtest",):
                found.append(Command(words, kind == "exact", output, start, place))
            elif kind == "shell":
                found.append(Command((line[2:],), False, output, start, place, True))
    return found


def commands(document: str) -> list[Command]:
    return [step for step in steps(document) if isinstance(step, Command)]


def pattern(expected: str) -> str:
    """A regular expression for what a block says."""
    lines = []
    for line in expected.rstrip("\n").split("\n"):
        if line.strip() == "...":
            lines.append(r"(?:.*\n)*?")
        else:
            literal = re.escape(line.rstrip()).replace(r"\ ", " ")
            lines.append(re.sub(r"\d+(?:\\\.\d+)? s\b", r"[\\d.]+ s", literal) + r"[ ]*\n")
    return "".join(lines)


def hurried(words: Sequence[str]) -> list[str]:
    """With three seconds for what would have more."""
    return [
        "3" if before == "--time" and float(word) > 3 else word for before, word in pairwise(words)
    ]


def repeatable(words: Sequence[str]) -> list[str]:
    """A build that finds the same tests however busy the machine is."""
    steady = ["--deterministic"] if words[1] == "build" else []
    return [words[1], *steady, *words[2:]]


def printed(command: Command, folder: Path, environment: Mapping[str, str] = NAMED) -> str:
    if command.shell:
        done = subprocess.run(
            ["sh", "-c", *command.words], cwd=folder, capture_output=True, text=True, timeout=300,
            check=False, env={**os.environ, **environment},
        )  # fmt: skip
        code, out, err = done.returncode, done.stdout, done.stderr
    else:
        words = repeatable(command.words) if command.exact else hurried(command.words)
        ran = csgtest(*words, folder=folder, environment=environment, seconds=300)
        code, out, err = ran.code, ran.out, ran.err
    fine = {0} if command.shell else {0, 1}
    assert code in fine, f"{shlex.join(command.words)}\n{out}{err}"
    return out


def performed(
    document: str, folder: Path, environment: Mapping[str, str] = NAMED
) -> Iterator[tuple[Command, str]]:
    """Each command, when it has run, and what it printed."""
    for step in steps(document):
        match step:
            case Written(name, text):
                (folder / name).write_text(text)
            case Command():
                yield step, printed(step, folder, environment)


def surroundings(folder: Path) -> dict[str, str]:
    """With a home folder, and the commands that are installed beside Python."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {
        **NAMED,
        "HOME": str(folder),
        "PATH": path,
        "XDG_CACHE_HOME": str(cache_folder().parent),
    }


def with_free_port(document: str) -> str:
    """The document, as long as before."""
    for port in range(int(PORT), 10_000):
        with socket.socket() as tried, suppress(OSError):
            tried.bind(("127.0.0.1", port))
            return document.replace(PORT, str(port))
    raise AssertionError("no port is free")


@contextmanager
def ending(folder: Path) -> Iterator[None]:
    """What a document has begun in the background, processes of which a file has the number, it has
    ended."""
    try:
        yield
        psutil.wait_procs(begun(folder), 20)
        assert not begun(folder)
    finally:
        for each in begun(folder):
            each.kill()


def begun(folder: Path) -> list[psutil.Process]:
    found = []
    for file in sorted(folder.glob("*.pid")):
        with suppress(psutil.NoSuchProcess):
            process = psutil.Process(int(file.read_text()))
            if process.status() != psutil.STATUS_ZOMBIE:
                found += [process, *process.children(recursive=True)]
    return found


def playground(folder: Path) -> Path:
    for name in ("samples", "tests", "benchmarks"):
        (folder / name).symlink_to(ROOT / name)
    return folder


@pytest.mark.parametrize(
    "document", nightly(DOCUMENTS, SLOW), ids=[file.stem for file in DOCUMENTS]
)
def test_a_document_shows_what_happens(document: Path, tmp_path: Path) -> None:
    text = document.read_text()
    outputs = what_happens(text, tmp_path)
    if os.environ.get("CSGTEST_UPDATE"):
        for command, output in reversed(outputs):
            if command.exact:
                text = text[: command.start] + output.rstrip("\n") + "\n" + text[command.end :]
        document.write_text(text)
        return
    compare(outputs)


def test_the_first_hour_begins_as_its_document_shows(tmp_path: Path) -> None:
    """Up to the first findings: what follows searches twice more."""
    text, _, rest = FIRST_HOUR.read_text().partition("\n## Keep a test")
    assert any(command.exact for command in commands(text)) and rest
    compare(what_happens(text, tmp_path))


def what_happens(document: str, place: Path) -> list[tuple[Command, str]]:
    folder = playground(place)
    with ending(folder):
        return list(performed(with_free_port(document), folder, surroundings(folder)))


def compare(outputs: list[tuple[Command, str]]) -> None:
    for command, output in outputs:
        if command.exact:
            assert re.fullmatch(pattern(command.expected), output.rstrip("\n") + "\n"), output


@pytest.mark.parametrize("document", DOCUMENTS, ids=[file.stem for file in DOCUMENTS])
def test_files_that_a_document_links_to_exist(document: Path) -> None:
    targets = re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", document.read_text())
    missing = [target for target in targets if not (document.parent / target).exists()]
    assert missing == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=[file.stem for file in DOCUMENTS])
def test_files_that_a_document_names_exist(document: Path) -> None:
    """Names in backquotes that begin with a folder of this project."""
    folders = "csg|symexec|fleet|generators|oracles|tests|docs|benchmarks|samples"
    named = re.findall(rf"`((?:{folders})/[\w./]*)`", document.read_text())
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_configurations_in_documents_can_be_read() -> None:
    read = [
        each
        for document in DOCUMENTS
        for step in steps(document.read_text())
        if isinstance(step, Written) and step.name.endswith(".yaml")
        for each in yaml.safe_load_all(step.text)
    ]
    assert {"Service", "Deployment"} <= {each.get("kind") for each in read}


def test_there_is_something_to_run() -> None:
    assert any(commands(file.read_text()) for file in DOCUMENTS)


@pytest.mark.parametrize(
    ("expected", "output", "fits"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\nb\n", "a\nc\n", False),
        ("a\n...\nz\n", "a\n1\n2\nz\n", True),
        ("a\n...\nz\n", "a\n1\n2\ny\n", False),
        ("took 1.5 s (all)\n", "took 0.25 s (all)\n", True),
        ("found 3 of them\n", "found 4 of them\n", False),
    ],
)
def test_blocks_are_compared_as_said(expected: str, output: str, fits: bool) -> None:
    assert bool(re.fullmatch(pattern(expected), output)) is fits
