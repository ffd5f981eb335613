"""A stranger's repository runs no program, writes nothing outside of the output folder, and ends
with a verdict or one message that a terminal can show."""

from __future__ import annotations

import socket
import subprocess
from pathlib import Path
from threading import Thread

import pytest

from csg.errors import UsageError
from fleet import repositories
from symexec.projects.revisions import BEGINS
from tests.command_line import csgtest
from tests.hostile.judging import is_clean
from tests.hostile.repositories import HARM, REPOSITORIES, Make
from tests.nightly import every

SECONDS = 60.0  # a run has three seconds for its search; the rest is for builds


NAMES = [name for name, _ in REPOSITORIES]


@pytest.mark.parametrize("make", every(13, [make for _, make in REPOSITORIES]), ids=NAMES)
def test_a_repository_does_no_harm(make: Make, tmp_path: Path) -> None:
    folder = tmp_path / "stranger"
    make(folder)
    done = csgtest(
        "build", "main~1..main", "--time", "3", folder=folder, seconds=SECONDS,
        environment={"GIT_CONFIG_NOSYSTEM": "1"},
    )  # fmt: skip
    harmed = [str(each) for each in tmp_path.rglob(HARM)]
    assert not harmed and not Path("/tmp", HARM).exists()
    is_clean(done)


def test_a_repository_with_a_filter_is_read_as_it_is(tmp_path: Path) -> None:
    """The control: with git's own checkout the program runs."""
    folder = tmp_path / "stranger"
    dict(REPOSITORIES)["config: smudge"](folder)
    subprocess.run(["git", "-C", str(folder), "checkout", "-q", "--force", "main"], check=True)
    assert (folder / HARM).exists()


@pytest.mark.parametrize("text", ["main\n", "x" * (1 << 20), "\n" * (1 << 20), "*/ \t" * (1 << 18)])
def test_a_main_is_found_in_linear_time(text: str) -> None:
    """A stranger's file may be one long comment."""
    for filled in (text, text.replace("x", "main ")):
        assert BEGINS.search(filled.encode()) is None
    assert BEGINS.search(f"{text}\nint\nmain (void)".encode()) is not None


@pytest.mark.parametrize("said", [b"", b"ERR \xff\xfe\x1b]0;x\x07 evil"])
def test_a_server_cannot_hold_up_a_fleet(
    said: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither one that is silent, nor one that says what is no UTF-8."""
    monkeypatch.setattr(repositories, "LONGEST", 1.0)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            connection.recv(1000)
            if said:
                connection.sendall(b"%04x%b" % (len(said) + 4, said))
                connection.close()
            else:
                connection.recv(1000)

        Thread(target=serve, daemon=True).start()
        with pytest.raises(UsageError, match="cannot be fetched: ") as found:
            repositories.checkout(f"git://127.0.0.1:{server.getsockname()[1]}/x")
    assert str(found.value).isprintable()
