"""What a compiler can read of the user's files, whatever a C file names."""

from __future__ import annotations

import ctypes
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from csg.confinement import readable_places, start_confined
from csg.errors import ToolchainError
from csg.toolchain import compile_program, preprocess, preprocess_text
from tests.command_line import csgtest

SECRET = '"a private key"\n'
_VERSION = ctypes.c_long(1)  # LANDLOCK_CREATE_RULESET_VERSION

pytestmark = pytest.mark.skipif(
    ctypes.CDLL(None).syscall(ctypes.c_long(444), None, ctypes.c_long(0), _VERSION) < 1,
    reason="this kernel has no Landlock",
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home with a secret, a folder of papers, and a project, which is the working folder."""
    place = tmp_path / "ann"
    for folder in (".ssh", "papers", "range/src", "range/include", ".local/include"):
        (place / folder).mkdir(parents=True)
    for secret in (".ssh/key", "papers/taxes", "letter"):
        (place / secret).write_text(SECRET)
    for header in ("range/include/range.h", ".local/include/local.h", "papers/paper.h", "beside.h"):
        (place / header).write_text(f'#define NAME "{header}"\n')
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.chdir(place / "range")
    yield place


def _source(home: Path, place: str, text: str) -> str:
    file = home / place
    file.write_text(text)
    return str(file)


@pytest.mark.parametrize("secret", [".ssh/key", "papers/taxes", "letter", "papers/../.ssh/key"])
def test_no_file_of_a_home_is_included(home: Path, secret: str) -> None:
    file = _source(home, "range/src/a.c", f'const char *s =\n#include "{home}/{secret}"\n;')
    with pytest.raises(ToolchainError, match="Permission denied"):
        preprocess(file)


@pytest.mark.parametrize("secret", [".ssh/key", "papers/taxes", "letter"])
def test_no_file_of_a_home_is_assembled(home: Path, tmp_path: Path, secret: str) -> None:
    text = f'__asm__(".globl s\\ns: .incbin \\"{home}/{secret}\\"");'
    file = _source(home, "range/src/a.c", text)
    with pytest.raises(ToolchainError):
        compile_program([file], str(tmp_path / "a.o"), ["-c"])


@pytest.mark.parametrize("file", ["/proc/self/environ", "/proc/self/maps", "/proc/1/cmdline"])
def test_nothing_of_a_process_is_included(home: Path, file: str) -> None:
    folder, name = file.rsplit("/", 1)
    for shown, flags in ((file, []), (name, [f"-I{folder}"])):
        with pytest.raises(ToolchainError, match="Permission denied"):
            preprocess_text(f'#include "{shown}"\n', str(home / "range/src/a.c"), flags)


def test_a_link_in_the_tree_does_not_lead_out(home: Path) -> None:
    (home / "range/link").symlink_to(home / ".ssh/key")
    (home / "range/folder").symlink_to(home / ".ssh")
    for name in ("link", "folder/key"):
        file = _source(home, "range/src/a.c", f'#include "../{name}"\n')
        with pytest.raises(ToolchainError, match="Permission denied"):
            preprocess(file, ["-Ifolder"])


@pytest.mark.parametrize(
    ("place", "header", "flags"),
    [
        ("range/src/a.c", "../include/range.h", ()),
        ("range/src/a.c", "range.h", ("-Iinclude",)),
        ("range/src/a.c", "local.h", ("-I", "{home}/.local/include")),
        ("range/src/a.c", "paper.h", ("-I{home}/papers",)),
        ("range/src/a.c", "paper.h", ("-isystem", "../papers")),
        ("beside.c", "beside.h", ()),
        ("beside.c", "papers/paper.h", ()),
        (".local/include/a.c", "local.h", ()),
    ],
)
def test_the_headers_of_a_project_are_read(
    home: Path, place: str, header: str, flags: tuple[str, ...]
) -> None:
    file = _source(home, place, f'#include "{header}"\nconst char *name = NAME;\n')
    assert "NAME" not in preprocess(file, [each.format(home=home) for each in flags])


@pytest.mark.parametrize(
    "flag",
    [
        *("-I{home}/.ssh", "-I{home}/.ssh/none.h", "-I{home}/.ssh/include", "-I../.ssh/none.h"),
        *("-isystem{home}/.ssh/none.c", "-iquote{home}/.ssh/include/../x.h", "-I{home}/none.h"),
    ],
)
def test_flags_lead_to_no_dotted_folder_but_for_headers(home: Path, flag: str) -> None:
    for secret in (".ssh/key", "letter"):
        file = _source(home, "range/src/a.c", f'#include "{home}/{secret}"\n')
        with pytest.raises(ToolchainError, match="Permission denied"):
            preprocess(file, [flag.format(home=home)])


def test_other_temporary_files_are_not_read(home: Path) -> None:
    """What stands in /tmp beside the folders of the call; there, too, a source shows sources."""
    with tempfile.NamedTemporaryFile("w", prefix="krb5cc_", dir="/tmp") as ticket:
        ticket.write(SECRET)
        ticket.flush()
        file = _source(home, "range/src/a.c", f'#include "{ticket.name}"\n')
        with pytest.raises(ToolchainError, match="Permission denied"):
            preprocess(file)
        with tempfile.NamedTemporaryFile("w", suffix=".c", dir="/tmp") as source:
            source.write(f'#include "{ticket.name}"\n')
            source.flush()
            with pytest.raises(ToolchainError, match="Permission denied"):
                preprocess(source.name)


def test_only_the_process_that_is_started_is_confined(home: Path) -> None:
    places = readable_places("cc", [str(home / "range")])
    with pytest.raises(PermissionError):
        start_confined((home / ".ssh/key").read_text, places)
    assert start_confined((home / "range/include/range.h").read_text, places)
    assert (home / ".ssh/key").read_text() == SECRET


@pytest.mark.parametrize("entry", ["f", "start,f"])
def test_a_function_in_a_home_is_tested(entry: str, home: Path) -> None:
    """Harnesses and drivers lie elsewhere, and include the file. Its headers are beside it."""
    text = (
        '#include "../include/range.h"\nstatic int n; void start(void) { n = 1; }\n'
        "int f(int x) { return NAME[0] + n + (x == %d); }\n"
    )
    old, new = (_source(home, f"range/src/{each}.c", text % each) for each in (4711, 4712))
    words = ("build", old, new, "--entry", entry, "--out", "out", "--time", "30")
    done = csgtest(*words, folder=home / "papers")
    assert "behave differently" in done.out, done.err
