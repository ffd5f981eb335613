"""A run that a fork server begins shows what one shows that execve begins, to the last byte.

subject.c has what a program can see of its start, and what it can do to what started it.
"""

from __future__ import annotations

import platform
import re
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from symexec import replay
from symexec.replay.reports import sanitizer_environment
from symexec.replay.sandbox import LANDLOCK, SECCOMP, Sandbox
from symexec.replay.wire import Job, RawResult
from tests.nightly import nightly

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="servers know x86-64 only")

HERE = Path(__file__).parent
SOURCES = Path(replay.__file__).parent
SUBJECT = HERE / "subject.c"
BEHAVIOURS = re.findall(r"NAMED\((\w+)\)[,}]", SUBJECT.read_text())
LEAVING = {"child", "daemon_left", "kill_all", "stop_all", "many", "bomb"}  # servers may be lost
DAILY = ("sanitized", "static")  # how the builds of a search are linked: they take turns
SLOW = {"bomb"}  # at night: it is the sandbox that ends it, and test_sandbox.py tries that
ENTRY = "-Wl,-e,csgtest_entry"
CHECKS = "-fsanitize=address,bounds,null,integer-divide-by-zero,object-size"
STYLES = {
    "static": ("-O1", "-static"),
    "dynamic": ("-O1", ENTRY),
    "sanitized": (
        *("-g", "-O0", CHECKS, "-fno-sanitize-recover=all", "-static-libasan", "-static-libubsan"),
        *(ENTRY, str(SOURCES / "leaks.c"), str(SOURCES / "arguments.c")),
        *("-Wl,--wrap=main", "-Wl,--wrap=exit"),
    ),
}
RUNS = [
    pytest.param(
        behaviour,
        style,
        marks=[] if style == DAILY[at % 2] and behaviour not in SLOW else pytest.mark.night,
    )
    for at, behaviour in enumerate(BEHAVIOURS)
    for style in sorted(STYLES)
]


def compiled(folder: Path, text: str, *flags: str) -> Path:
    number = len(list(folder.iterdir()))
    program, server, source = (folder / f"{number}{end}" for end in ("", "-server.o", ".c"))
    subprocess.run(["cc", "-O2", "-c", SOURCES / "fork_server.c", "-o", server], check=True)
    source.write_text(text)
    subprocess.run(["cc", "-w", source, server, *flags, "-o", program], check=True)
    return program


@pytest.fixture(scope="module")
def subjects(builds: Path) -> dict[str, Path]:
    return {name: compiled(builds, SUBJECT.read_text(), *STYLES[name]) for name in STYLES}


@pytest.fixture
def both(builds: Path) -> Iterator[tuple[Sandbox, Sandbox]]:
    """One for programs that are executed, one for servers: they do not see each other."""
    with Sandbox(builds) as executing, Sandbox(builds) as forking:
        yield executing, forking


def comparable(result: RawResult) -> RawResult:
    """Without times, and numbers of processes: in reports, and where a sanitizer of a program that
    executed itself again writes to standard error, for it has not been told where else."""
    return replace(
        result,
        wall_us=0,
        cpu_us=0,
        forked=False,
        stderr=replace(
            result.stderr, data=re.sub(rb"==\d+==", b"", result.stderr.data), total=0, sum=0
        ),
        reports=tuple(re.sub(rb"==\d+==", b"", report) for report in result.reports),
    )


def job(program: Path, words: tuple[bytes, ...], style: str, chance: Random, base: str) -> Job:
    environment = [b"LC_ALL=C", b"PATH=/usr/bin:/bin", f"HOME={base}/home".encode()]
    if chance.random() < 0.7:
        environment.append(b"CSGTEST_MASK=" + bytes(chance.choice(b"01") for _ in range(64)))
    if style == "sanitized":
        environment += sanitizer_environment(base)
    more = (
        bytes(chance.randrange(1, 256) for _ in range(chance.choice((0, 1, 2, 7, 40, 3000))))
        for _ in range(chance.choice((0, 0, 1, 2, 9)))
    )
    ending = words[0] not in (b"bomb", b"endless", b"stop_all")
    return Job(
        str(program),
        (b"./folder/program", *words, *more),
        tuple(environment),
        stdin=b"line\n" * chance.choice((0, 1, 3, 20_000)),
        control=chance.choice((None, b"begin\n")),
        files=chance.choice(((), (("A", b"text"), ("b/c", b"")))),
        wall_ms=3000 if ending else 200,
        address_space=0 if style == "sanitized" else 1 << 30,
    )


@pytest.mark.parametrize(("behaviour", "style"), RUNS)
def test_a_forked_run_shows_what_an_executed_one_shows(
    behaviour: str, style: str, subjects: dict[str, Path], both: tuple[Sandbox, Sandbox]
) -> None:
    executing, forking = both
    chance = Random(behaviour + style)
    forked = []
    for _ in range(2 if behaviour in ("bomb", "endless") else 5):
        run = job(subjects[style], (behaviour.encode(),), style, chance, executing.base)
        expected, found = executing.run(run), forking.run(replace(run, forks=True))
        assert comparable(found) == comparable(expected)
        forked.append(found.forked)
    assert all(forked) or behaviour in LEAVING


@pytest.mark.parametrize("style", nightly(sorted(STYLES), ["dynamic"]))
def test_what_one_run_did_is_gone_in_the_next(
    style: str, subjects: dict[str, Path], both: tuple[Sandbox, Sandbox]
) -> None:
    executing, forking = both
    chance = Random(style)
    for _ in range(60):
        behaviour = chance.choice([name for name in BEHAVIOURS if name not in LEAVING])
        if behaviour in ("endless", "overflow", "memory"):
            continue
        run = job(subjects[style], (behaviour.encode(),), style, chance, executing.base)
        expected, found = executing.run(run), forking.run(replace(run, forks=True))
        assert comparable(found) == comparable(expected), behaviour


@pytest.mark.parametrize(
    ("text", "flags"),
    [
        pytest.param(
            "#include <pthread.h>\n#include <stdlib.h>\n"
            "void *other(void *x) { exit(0); } int main(void)"
            "{ pthread_t t; pthread_create(&t, 0, other, 0); pthread_exit(0); }",
            ("-static",),
            id="main ends as a thread, where libc is not asked to start it",
        ),
        pytest.param("int main(void) { return 0; }", (ENTRY, "-Wl,--no-as-needed", "-lcrypt"),
                     id="a library that nobody knows"),
    ],
)  # fmt: skip
def test_what_makes_no_server_is_executed(
    text: str, flags: tuple[str, ...], builds: Path, both: tuple[Sandbox, Sandbox]
) -> None:
    program = compiled(builds, text, *flags)
    for _ in range(2):
        result = both[1].run(Job(str(program), (b"program",), (), wall_ms=20_000, forks=True))
        assert (result.exit, result.signal, result.forked) == (0, 0, False)


def test_a_program_without_a_server_runs_once_more() -> None:
    with tempfile.TemporaryDirectory() as folder, Sandbox(Path(folder)) as sandbox:
        result = sandbox.run(Job("/bin/echo", (b"echo", b"word"), (), forks=True))
    assert (result.stdout.data, result.forked) == (b"word\n", False)


def test_a_large_job_is_executed(subjects: dict[str, Path], both: tuple[Sandbox, Sandbox]) -> None:
    large = tuple(b"x" * 1000 for _ in range(100))
    run = Job(str(subjects["static"]), (b"program", b"words", *large), (), forks=True)
    assert not both[1].run(run).forked
    assert both[1].run(replace(run, arguments=(b"program", b"words"))).forked


def test_more_programs_than_servers(subjects: dict[str, Path], builds: Path) -> None:
    """The one that waits longest makes room."""
    with Sandbox(builds) as sandbox:
        for number in (*range(20), *range(20)):
            variable = b"NUMBER=%d" % number
            run = Job(str(subjects["static"]), (b"program", b"status"), (variable,), forks=True)
            result = sandbox.run(run)
            assert result.forked and variable in result.stdout.data


def test_without_seccomp_nothing_is_forked(subjects: dict[str, Path], builds: Path) -> None:
    """A run could change the limits of its server."""
    run = Job(str(subjects["static"]), (b"program", b"nothing"), (), forks=True)
    with Sandbox(builds, layers=LANDLOCK) as sandbox:
        assert not sandbox.run(run).forked
    with Sandbox(builds, layers=LANDLOCK | SECCOMP) as sandbox:
        assert sandbox.run(run).forked


def test_servers_end_with_their_sandbox(subjects: dict[str, Path], builds: Path) -> None:
    with Sandbox(builds, layers=LANDLOCK | SECCOMP) as sandbox:
        run = Job(str(subjects["static"]), (b"unique-name", b"nothing"), (), forks=True)
        assert sandbox.run(run).forked
        assert _named(b"unique-name")
    for _ in range(100):
        if not _named(b"unique-name"):
            return
    raise AssertionError("it lives")


def _named(name: bytes) -> bool:
    def words(path: Path) -> bytes:
        try:
            return path.read_bytes()
        except OSError:
            return b""

    return any(words(path).startswith(name) for path in Path("/proc").glob("[0-9]*/cmdline"))
