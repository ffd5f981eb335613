"""What the build of a stranger's repository sees of the user's files and can do to the machine."""

from __future__ import annotations

import os
import shlex
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from csg.toolchain import find_compiler
from csg.visible import tool_folders
from symexec.projects.building import Enclosure
from symexec.replay.sandbox import REFUSED, build_enclosure

SECRET = "a private key"
USERS = [os.geteuid(), *([65534] if os.geteuid() == 0 else [])]
# What root opens by its number alone, where no mount forbids it.
OF_THE_KERNEL = [
    *(f"/proc/sys/kernel/{name}" for name in ("core_pattern", "modprobe", "hostname", "printk")),
    "/proc/sys/vm/overcommit_memory", "/proc/sys/net/ipv4/ip_forward", "/proc/sys/fs/file-max",
    "/proc/sysrq-trigger", "/proc/irq/default_smp_affinity", "/proc/bus/pci/00/00.0",
    "/proc/fs/nfsd/versions", "/proc/scsi/scsi", "/proc/acpi/wakeup", "/proc/mtrr", "/proc/kcore",
    "/proc/self/oom_score_adj", "/proc/self/uid_map", "/sys/kernel/uevent_helper",
    "/sys/kernel/mm/transparent_hugepage/enabled", "/sys/fs/cgroup/cgroup.procs",
    "/sys/devices/system/cpu/cpu1/online",
    *(f"/dev/{name}" for name in ("kmsg", "console", "kvm", "loop-control", "fuse", "net/tun")),
    *(f"/dev/{name}" for name in ("mem", "ptmx", "tty", "tty0", "vda", "sda", "userfaultfd")),
]  # fmt: skip
TRIED_RIGHTS = {
    "writable mounts": "mount -o remount,bind,rw /",
    "a mount": "mount -t tmpfs none /mnt",
    "what is hidden": "umount /home || umount /root",
    "a user name space": "unshare --user true",
    "a device": "mknod /tmp/device c 1 11",
}


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


def said_to(user: int, script: str) -> str:
    """What a script prints that runs as the build of this user."""
    with tempfile.TemporaryDirectory() as name:
        program, folder = build_enclosure(Path(name)), Path(name, "folder")
        folder.mkdir()
        for path in (Path(name), folder):
            os.chown(path, user, -1)
        words = [str(program), str(folder), "/tmp", "/tmp", "/bin/sh", "-c", script]
        done = subprocess.run(words, capture_output=True, text=True, check=False, user=user)
    assert done.returncode != REFUSED, done.stderr
    return done.stdout


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


@pytest.mark.parametrize("user", USERS)
def test_a_build_opens_nothing_of_the_kernel_for_writing(user: int) -> None:
    paths = " ".join(OF_THE_KERNEL)
    opening = f'for each in {paths}; do test ! -c "$each" && true >> "$each" && echo "$each"; done'
    devices = f'for each in {paths}; do case $each in /dev/*) ls "$each"; esac; done'
    assert said_to(user, f"({opening}; {devices}) 2>/dev/null; true") == ""


@pytest.mark.parametrize("user", USERS)
def test_nothing_but_harmless_devices_is_writable_outside_the_folder(user: int) -> None:
    """The devices in /proc are /dev/null, in place of files of root."""
    names = {"full", "null", "random", "shm", "urandom", "zero"}
    links = {"fd", "stderr", "stdin", "stdout"}
    of_processes = r"find /proc -writable -type f -exec test -f {} \; -print"
    writable = said_to(user, f"find /dev /sys -writable ! -type l; {of_processes}")
    assert set(writable.split()) <= {f"/dev/{name}" for name in names}
    assert set(said_to(user, "ls -A /dev").split()) == names | links
    used = "echo 1 > /dev/null; head -c 2 /dev/zero | wc -c; (echo 3 > /dev/stdout) | cat"
    assert said_to(user, used).split() == ["2", "3"]


@pytest.mark.parametrize("user", USERS)
def test_a_build_has_no_capabilities(user: int) -> None:
    status = said_to(user, "grep -E '^(Cap|NoNewPrivs)' /proc/self/status /proc/1/status")
    values = {
        line.split()[0].split(":")[1]: int(line.split()[1], 16) for line in status.splitlines()
    }
    assert values.pop("NoNewPrivs") == 1 and not any(values.values()) and len(values) == 5


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("name", sorted(TRIED_RIGHTS))
def test_a_build_uses_no_rights_of_its_name_spaces(name: str, user: int) -> None:
    script = f"({TRIED_RIGHTS[name]}) 2> /dev/null && echo done; true"
    assert said_to(user, script) == ""


@pytest.mark.parametrize("user", USERS)
def test_a_build_shares_no_memory_with_others(user: int) -> None:
    with tempfile.NamedTemporaryFile(dir="/dev/shm") as shared:
        os.chown(shared.name, user, -1)
        assert said_to(user, "ls -A /dev/shm; : > /dev/shm/own; ls /dev/shm").strip() == "own"
    assert not Path("/dev/shm/own").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="others cannot read these anyway")
def test_a_build_of_root_reads_nothing_of_the_kernel_that_only_root_may_read() -> None:
    hidden = [
        str(each)
        for each in Path("/proc").iterdir()
        if stat.S_ISREG(each.lstat().st_mode) and not each.lstat().st_mode & stat.S_IROTH
    ]
    assert said_to(0, f"cat {' '.join(hidden)} 2>/dev/null | head -c 1") == ""


def test_no_process_of_a_build_leads_below_what_is_hidden(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """csgtest runs in a home, and so did process 1."""
    monkeypatch.chdir(home)
    assert said_to(os.geteuid(), "cat /proc/[0-9]*/cwd/.netrc 2>/dev/null; true") == ""


@pytest.mark.parametrize("user", USERS)
def test_a_build_does_not_open_the_program_that_encloses_it(user: int) -> None:
    assert said_to(user, "head -c 4 /proc/1/exe 2>/dev/null; true") == ""


def test_a_build_does_not_open_its_log(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("before\n")
    script = (
        "echo one; echo two >&2; chmod 4755 /dev/stdout; : > /dev/stderr; sleep 0.1; echo three"
    )
    assert said_in_a_build(script, log).splitlines() == ["before", "one", "two", "three"]
    assert not log.stat().st_mode & (stat.S_ISUID | stat.S_IXUSR)


def test_a_build_sees_processors_and_memory(tmp_path: Path) -> None:
    said = said_in_a_build("nproc; grep -c . /proc/meminfo /proc/cpuinfo", tmp_path / "log")
    assert int(said.split()[0]) == len(os.sched_getaffinity(0)) and ":0" not in said


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
