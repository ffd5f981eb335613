"""The file system in memory against that of the host: the same operations, the same answers.

A script is generated; ``file_operations.c`` runs it natively, in a sandbox in an empty folder, and
in the engine. Results, errno, contents, listings and descriptors' numbers must agree.
``CSGTEST_FILE_SCRIPTS=1000`` tries so many of each kind, 0.15 s each.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from csg.errors import UsageError
from csg.toolchain import find_compiler
from symexec.exploration.concrete_run import run_program
from symexec.exploration.start import loaded_program
from symexec.replay.sandbox import Sandbox
from symexec.replay.wire import Job
from symexec.runtime.filesystem.nodes import Contents
from tests.nightly import examples

INTERPRETER = Path(__file__).parent / "file_operations.c"
ASKED = os.environ.get("CSGTEST_FILE_SCRIPTS")
EXAMPLES = settings(max_examples=int(ASKED), deadline=None) if ASKED else examples(60)
Run = Callable[[str], str]


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    folder = tmp_path_factory.mktemp("native")
    for each in (folder, *folder.parents[:2]):
        each.chmod(0o755)
    binary = folder / "operations"
    command = [find_compiler(), "-w", "-fwrapv", str(INTERPRETER), "-o", str(binary)]
    subprocess.run(command, check=True)
    with Sandbox(folder) as sandbox:
        try:
            assert sandbox.level
        except UsageError:
            pytest.skip("no sandbox on this machine")
        yield lambda script: sandbox.run(
            Job(str(binary), (b"operations",), (), stdin=script.encode())
        ).stdout.data.decode()


@pytest.fixture(scope="module")
def modelled() -> Run:
    program = loaded_program(INTERPRETER, (), "main")

    def run(script: str) -> str:
        written = bytearray()
        stdin = Contents(tuple(script.encode()), len(script))
        run_program(program, [b"operations"], stdin, {}, lambda _, data: written.extend(data))
        return written.decode()

    return run


# ---------------------------------------------------------------------- scripts

NAMES = """a a a b b d d d/a d/b d/e d/e/a l l m l/a d/.. d/../a ./a a/ d/ l/ none/x a/x . .. / @
    /tmp/work/a d/../../work/b ../work d/. e e/ /dev/null"""
PATHS = st.sampled_from(NAMES.split())
DESCRIPTORS = st.sampled_from([0, 3, 3, 3, 3, 4, 4, 4, 5, 6, 9])
MODES = st.sampled_from([0o644, 0o644, 0o755, 0o600, 0, 0o444, 0o222, 0o300])
FLAGS = st.builds(
    lambda access, *extra: access | sum(extra),
    st.sampled_from([0, 1, 2, 2]),
    st.sampled_from([0, 0o100, 0o100, 0o100 | 0o200]),
    st.sampled_from([0, 0, 0o1000]),
    st.sampled_from([0, 0, 0o2000]),
    st.sampled_from([0, 0, 0, 0o200000, 0o400000, 0o2000000]),
)
TEXTS = st.sampled_from(["x", "hello", "12345678", "@"])
OFFSETS = st.sampled_from([0, 0, 1, 2, 3, 5, 10, -1, -3])
COUNTS = st.sampled_from([0, 1, 2, 5, 100])
LARGE = st.sampled_from([1, 100, 4000, 4096, 4097, 5000, 8192])
WHENCE = st.sampled_from([0, 0, 1, 1, 2, 2, 5])
SLOTS = st.sampled_from([0, 0, 0, 1])
STREAM_MODES = st.sampled_from(["r", "w", "a", "r+", "w+", "a+", "rb", "w+x", "we", "q", "rb+"])


def line(word: str, *operands: st.SearchStrategy[object]) -> st.SearchStrategy[str]:
    return st.tuples(*operands).map(lambda values: " ".join([word, *map(str, values)]))


ON_PATHS = st.one_of(
    line("popen", PATHS, FLAGS, MODES),
    line("popen", PATHS, FLAGS, MODES),
    line("pcreat", PATHS, MODES),
    line("pmkdir", PATHS, MODES),
    line("pmkdir", st.just("d"), st.just(0o755)),
    line("pstat", PATHS),
    line("plstat", PATHS),
    line("paccess", PATHS, st.integers(0, 8)),
    line("punlink", PATHS),
    line("premove", PATHS),
    line("prmdir", PATHS),
    line("prename", PATHS, PATHS),
    line("prename", PATHS, PATHS),
    line("plink", PATHS, PATHS),
    line("psymlink", PATHS, st.sampled_from(["l", "m", "d/e", "a"])),
    line("preadlink", PATHS, st.sampled_from([0, 1, 100])),
    line("pchmod", PATHS, MODES),
    line("pchdir", PATHS),
    line("ptruncate", PATHS, OFFSETS),
    line("pumask", st.sampled_from([0, 0o22, 0o77, 0o777])),
    line("plist", PATHS),
    line("prealpath", PATHS),
    line("pgetcwd", st.sampled_from([0, 3, 100])),
)
ON_DESCRIPTORS = st.one_of(
    line("dclose", DESCRIPTORS),
    line("dread", DESCRIPTORS, COUNTS),
    line("dread", DESCRIPTORS, COUNTS),
    line("dwrite", DESCRIPTORS, TEXTS),
    line("dwrite", DESCRIPTORS, TEXTS),
    line("dfill", DESCRIPTORS, st.just("z"), LARGE),
    line("dpread", DESCRIPTORS, COUNTS, OFFSETS),
    line("dpwrite", DESCRIPTORS, TEXTS, OFFSETS),
    line("dlseek", DESCRIPTORS, OFFSETS, WHENCE),
    line("ddup", DESCRIPTORS),
    line("ddup2", DESCRIPTORS, DESCRIPTORS.filter(lambda number: number != 0)),
    line("dfcntl", DESCRIPTORS, st.sampled_from([0, 1, 2, 3, 4, 99]), st.sampled_from([0, 1, 5])),
    line("disatty", DESCRIPTORS),
    line("dfchdir", DESCRIPTORS),
    line("dfchmod", DESCRIPTORS.filter(lambda number: number != 0), MODES),
    line("dftruncate", DESCRIPTORS, OFFSETS),
    line("dfstat", DESCRIPTORS.filter(lambda number: number != 0)),
    line("dopenat", DESCRIPTORS, PATHS, FLAGS, MODES),
    line("dunlinkat", DESCRIPTORS, PATHS, st.sampled_from([0, 0x200])),
    line("dfstatat", DESCRIPTORS, PATHS, st.sampled_from([0, 0x100])),
)
ON_STREAMS = st.one_of(
    line("sfopen", SLOTS, PATHS, STREAM_MODES),
    line("sfopen", SLOTS, st.just("a"), STREAM_MODES),
    line("sfopen", SLOTS, st.just("a"), STREAM_MODES),
    line("sfdopen", SLOTS, DESCRIPTORS.filter(bool), STREAM_MODES),
    line("sfclose", SLOTS),
    line("sfreopen", SLOTS, PATHS, STREAM_MODES),
    line("sfputs", SLOTS, TEXTS),
    line("sfputs", SLOTS, TEXTS),
    line("sffill", SLOTS, st.just("y"), LARGE),
    line("sfprintf", SLOTS, TEXTS, st.integers(-5, 5)),
    line("sfgets", SLOTS, COUNTS),
    line("sfread", SLOTS, COUNTS),
    line("sgetc", SLOTS),
    line("sgetc", SLOTS),
    line("sungetc", SLOTS, st.sampled_from([65, -1])),
    line("sfseek", SLOTS, OFFSETS, WHENCE),
    line("sftell", SLOTS),
    line("sfflush", SLOTS),
    line("sflushall", SLOTS),
    line("srewind", SLOTS),
    line("sclearerr", SLOTS),
)
BEGINNING = "pmkdir d 493\npopen a 66 420\ndwrite 3 one\ndclose 3\npsymlink a l\npsymlink d m\n"
END = "pchdir /tmp/work\nplist .\nplist d\npstat a\npstat b\npopen a 0 0\ndread 3 50\n"


def scripts(operations: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    lines = st.lists(operations, min_size=1, max_size=30)
    return lines.map(lambda found: BEGINNING + "\n".join(found) + "\n" + END)


@given(script=scripts(st.one_of(ON_PATHS, ON_DESCRIPTORS)))
@example(script="popen a 66 420\npsymlink a l\npcreat l/ 420\ndlseek 0 0 5\n")
@example(script=BEGINNING + "popen d 0 0\ndlseek 3 0 2\ndlseek 3 0 0\ndread 3 4\n" + END)
@example(script="popen /dev/stdin 0 0\ndread 3 4\ndlseek 3 0 2\npopen /dev/fd/3 0 0\ndread 4 4\n")
@example(script=BEGINNING + "popen a 2 0\ndread 3 2\npopen /dev/fd/3 2 0\ndread 4 9\ndread 3 9\n")
@example(script="popen /proc/self/fd/9 0 0\npopen /dev/fd/0/x 0 0\npstat /dev/fd/77\n")
@EXAMPLES
def test_paths_and_descriptors(native: Run, modelled: Run, script: str) -> None:
    assert modelled(script) == native(script)


@given(script=scripts(st.one_of(ON_STREAMS, ON_STREAMS, ON_PATHS, ON_DESCRIPTORS)))
@example(script="sfopen 0 a a+\nsfseek 0 -3 0\nsftell 0\n")
@example(script="sfopen 0 a w\ndclose 3\nsfputs 0 x\nsfflush 0\nsfclose 0\n")
@EXAMPLES
def test_streams(native: Run, modelled: Run, script: str) -> None:
    assert modelled(script) == native(script)
