"""What the build of a stranger's repository sees of the user's files."""

from __future__ import annotations

import os
import shlex
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from csg.toolchain import find_compiler
from csg.visible import tool_folders
from symexec.projects.building import Enclosure

SECRET = "a private key"


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home that is not below /tmp, of which each build has its own."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        home = Path(name)
        monkeypatch.setenv("HOME", name)
        for secret in (".ssh/id_rsa", ".netrc", "notes/today", ".local/share/keyrings/login"):
            (home / secret).parent.mkdir(parents=True, exist_ok=True)
            (home / secret).write_text(SECRET)
        yield home


def said_in_a_build(script: str, log: Path) -> str:
    with Enclosure() as enclosure:
        enclosure.tree.mkdir()
        enclosure.run(script, log)
    return log.read_text()


def install(folder: Path, name: str, text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)
    (folder / name).chmod(0o755)


def test_a_build_finds_nothing_of_a_home(home: Path, tmp_path: Path) -> None:
    said = said_in_a_build(f"cat $(find {home} -type f); cat {home}/.ssh/id_rsa", tmp_path / "log")
    assert SECRET not in said and "No such file" in said


@pytest.mark.parametrize("place", ["/home", "/root", "/var", "/srv", "/mnt", "/media", "/run"])
def test_a_build_sees_the_system_alone(place: str, tmp_path: Path) -> None:
    tools = [each for each in tool_folders(find_compiler()) if each.startswith(f"{place}/")]
    names = {each.split("/")[2] for each in tools}
    said = said_in_a_build(f"test ! -d {place} || ls -A {place}", tmp_path / "log")
    assert set(said.split()) <= names


@pytest.mark.skipif(os.geteuid() != 0, reason="others cannot read these anyway")
def test_a_build_of_root_reads_nothing_that_only_root_may_read(tmp_path: Path) -> None:
    hidden = [
        each
        for each in Path("/etc").rglob("*")
        if stat.S_ISREG(each.lstat().st_mode) and not each.lstat().st_mode & stat.S_IROTH
    ]
    assert Path("/etc/shadow") in hidden
    words = " ".join(shlex.quote(str(each)) for each in hidden)
    assert said_in_a_build(f"cat {words} 2>/dev/null; true", tmp_path / "log") == ""
    assert "root:" in said_in_a_build("cat /etc/passwd", tmp_path / "log")


def test_tools_in_a_home_work(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Below ~/.local only what is installed there; elsewhere the whole installation."""
    install(home / ".local/bin", "first", "#!/bin/sh\ncat $(dirname $0)/../lib/words\n")
    install(home / ".local/lib", "words", "from a library\n")
    install(home / "arm/versions/2/bin", "second", "#!/bin/sh\necho from a version\n")
    install(home / "arm/shims", "second", f"#!/bin/sh\n{home}/arm/versions/2/bin/second\n")
    install(home / "elsewhere/bin", "third", "#!/bin/sh\ncat $(dirname $(realpath $0))/../data\n")
    (home / "elsewhere/data").write_text("from beside\n")
    (home / "links").mkdir()
    (home / "links/third").symlink_to(home / "elsewhere/bin/third")
    folders = [home / ".local/bin", home / "arm/shims", home / "links"]
    monkeypatch.setenv("PATH", ":".join([*map(str, folders), os.environ["PATH"]]))
    said = said_in_a_build(f"first; second; third; cat $(find {home} -type f)", tmp_path / "log")
    for text in ("from a library", "from a version", "from beside"):
        assert text in said
    assert SECRET not in said


def test_folders_that_settings_of_the_compiler_name_are_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("headers", "libraries", "archives"):
        (tmp_path / name).mkdir()
    (tmp_path / "archives/libx.a").touch()
    monkeypatch.setenv("CPPFLAGS", f"-DX=1 -I{tmp_path}/headers")
    monkeypatch.setenv("LDFLAGS", f"-Wl,-rpath,{tmp_path}/libraries {tmp_path}/archives/libx.a")
    assert {str(tmp_path / name) for name in ("headers", "libraries", "archives")} <= {
        *tool_folders(find_compiler())
    }
