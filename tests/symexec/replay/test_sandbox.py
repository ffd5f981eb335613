"""The layers hold: what a hostile program tries, and what comes of it.

Each attack is a little C program that says on stdout what it managed to do.
"""

from __future__ import annotations

import os
import platform
import shutil
import socket
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

import pytest

from csg.errors import ToolchainError, UsageError
from symexec import replay
from symexec.replay import sandbox as sandbox_module
from symexec.replay.sandbox import (
    ALL_LAYERS,
    LANDLOCK,
    NAMESPACES,
    SECCOMP,
    Sandbox,
    build_runner,
)
from symexec.replay.wire import Job, RawResult
from tests.nightly import every

TraceFunction = Callable[[FrameType, str, object], object]

LAYERS = {
    "all": NAMESPACES | LANDLOCK | SECCOMP,
    "namespaces": NAMESPACES,
    "landlock": LANDLOCK | SECCOMP,
}
STARTS = ("executed", "forked")
BOXES = [(layers, start) for layers in sorted(LAYERS) for start in STARTS]
AS_USER = [  # where the tests run as root
    pytest.param((layers, start, "user"), marks=pytest.mark.night)
    for layers in sorted(LAYERS)
    for start in STARTS
    if os.geteuid() == 0
]
SERVER = Path(replay.__file__).parent / "fork_server.c"
HEAD = """
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>
"""
TELL = """
#include <ftw.h>
static int tell(const char *path, const struct stat *about, int kind, struct FTW *at)
{
    char names[256];
    printf("%s %o %d %d %d ", path, about->st_mode, kind, (int) about->st_size, about->st_uid);
    printf("%d\\n", (int) listxattr(path, names, sizeof names));
    return 0;
}
"""


def runner_of_user(private: Path) -> Path:
    """A runner that an ordinary user runs, who owns the folder of the programs."""
    runner, script = build_runner(private), private / "as-user"
    change = "setpriv --reuid=1000 --regid=1000 --clear-groups"
    script.write_text(
        f'#!/bin/sh\nchown 1000:1000 "$1"\nchmod 700 "$1"\nexec {change} {runner} "$@"\n'
    )
    script.chmod(0o755)
    private.chmod(0o711)
    return script


@pytest.fixture(params=[*BOXES, *AS_USER], ids="-".join)
def sandbox(request: pytest.FixtureRequest, builds: Path) -> Iterator[Sandbox]:
    """Programs of the folder "forked" are linked with fork_server.c."""
    layers, start, *others = request.param
    folder = builds / start
    folder.mkdir(exist_ok=True)
    runner = runner_of_user if others else build_runner
    with Sandbox(folder, layers=LAYERS[layers], runner=runner) as found:
        try:
            level = found.level
        except UsageError:
            pytest.skip(f"no {layers} on this machine")
        if layers == "all" and "namespaces" not in level:
            pytest.skip("no namespaces on this machine")
        yield found


def run(
    sandbox: Sandbox, body: str, *arguments: str, head: str = HEAD, **fields: object
) -> RawResult:
    forks = sandbox.builds.name == "forked"
    program = sandbox.builds / f"attack{abs(hash((head, body)))}"
    if not program.exists():
        text = f"{head}\nint main(int argc, char **argv) {{ (void) argc; (void) argv; {body} }}\n"
        with_server = ["-Wl,-e,csgtest_entry", str(SERVER)] if forks else []
        command = ["cc", "-w", "-o", program, *with_server, "-x", "c", "-"]
        subprocess.run(command, input=text.encode(), check=True)
    words = (b"attack", *(argument.encode() for argument in arguments))
    job = Job(str(program), words, (b"PATH=/usr/bin:/bin",), forks=forks, **fields)  # type: ignore[arg-type]
    return sandbox.run(job)


def test_the_level_is_told(builds: Path) -> None:
    with Sandbox(builds, layers=LANDLOCK) as sandbox:
        assert sandbox.level == "landlock"


def test_no_sandbox_needs_a_word_of_the_user(builds: Path) -> None:
    with Sandbox(builds, layers=0) as sandbox, pytest.raises(UsageError, match="unprotected"):
        sandbox.run(Job("/bin/true", (b"true",), ()))
    with Sandbox(builds, layers=0, unsandboxed=True) as sandbox:
        assert sandbox.level == "none"
        assert sandbox.run(Job("/bin/true", (b"true",), ())).exit == 0


READS = """
    int file = open(argv[1], O_RDONLY);
    char byte;
    if (file >= 0 && read(file, &byte, 1) == 1) { write(1, &byte, 1); return 3; }
    DIR *folder = opendir(argv[1]);
    for (struct dirent *each; folder && (each = readdir(folder));)
        if (each->d_name[0] != '.') { write(1, each->d_name, strlen(each->d_name)); return 4; }
    return 0;
"""
READING = "#include <dirent.h>\n#include <fcntl.h>\n#include <string.h>\n#include <unistd.h>"
PRIVATE = ["/root", "/home", "/var", "/srv", "/mnt", "/run", "/boot", "/dev/shm", "/dev/mem"]


@pytest.mark.parametrize("path", [*PRIVATE, str(Path.home())])
def test_what_is_no_part_of_the_system_is_not_read(sandbox: Sandbox, path: str) -> None:
    assert run(sandbox, READS, path, head=READING).exit == 0


def test_no_file_of_the_user_is_read(sandbox: Sandbox, tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    private = tmp_path / "private"
    private.write_text("secret\n")
    private.chmod(0o666)
    for path in (private, tmp_path, f"/proc/self/root{private}", "/etc/shadow"):
        assert run(sandbox, READS, str(path), head=READING).exit == 0
    assert run(sandbox, READS, "/etc/passwd", head=READING).exit == 3  # the control


@pytest.mark.parametrize("layers", [ALL_LAYERS, LANDLOCK])
def test_what_is_to_be_visible_is_read(layers: int, builds: Path, tmp_path: Path) -> None:
    """A folder that lies below one that is hidden."""
    folder = Path(tempfile.mkdtemp(dir="/var/tmp"))
    try:
        folder.chmod(0o755)
        (folder / "lib").write_text("x")
        for visible, code in (((), 0), ((str(folder),), 3)):
            with Sandbox(builds, layers=layers, visible=visible) as sandbox:
                assert run(sandbox, READS, str(folder / "lib"), head=READING).exit == code
    finally:
        shutil.rmtree(folder)


def test_nothing_outside_can_be_written(sandbox: Sandbox, tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    victim = tmp_path / "victim"
    victim.write_text("precious")
    victim.chmod(0o666)
    for parent in tmp_path.parents:
        if str(parent) not in ("/", "/tmp") and parent.stat().st_uid == os.geteuid():
            parent.chmod(parent.stat().st_mode | 0o711)
    run(
        sandbox,
        """
        int f = open(argv[1], O_WRONLY | O_TRUNC);
        if (f >= 0) { write(f, "gone", 4); close(f); }
        chmod(argv[1], 0);
        rename(argv[1], "stolen");
        link(argv[1], "linked");
        unlink(argv[1]);
        mkdir(argv[2], 0777);
        creat(argv[3], 0666);
        symlink("/", argv[3]);
        return 0;
        """,
        str(victim),
        str(tmp_path / "folder"),
        str(tmp_path / "file"),
    )
    assert victim.read_text() == "precious"
    assert victim.stat().st_mode & 0o777 == 0o666
    assert [path.name for path in tmp_path.iterdir()] == ["victim"]


def test_its_own_executable_cannot_be_changed(sandbox: Sandbox) -> None:
    result = run(
        sandbox, 'return open("/proc/self/exe", O_RDWR) >= 0 || unlink(argv[1]) == 0;', "x"
    )
    assert result.exit == 0


def test_the_box_can_be_written_and_is_empty_again_next_time(sandbox: Sandbox) -> None:
    body = """
        if (access("here", F_OK) == 0 || access("sub", F_OK) == 0) return 1;
        FILE *f = fopen("here", "w"); fputs("text", f); fclose(f);
        mkdir("sub", 0755); f = fopen("sub/deep", "w"); fclose(f);
        chmod("sub", 0);
        return symlink("/etc/passwd", "link");
    """
    for _ in range(3):
        result = run(sandbox, body)
        assert result.exit == 0
        assert {file.path: file.content.data for file in result.files} == {
            b"here": b"text",
            b"link": b"/etc/passwd",
            b"sub": b"",
            b"sub/deep": b"",
        }


@pytest.mark.parametrize(
    "act",
    [
        ";",
        'creat("file", 0644);',
        'creat("../home/.hidden", 0600);',
        'creat("../beside", 0600);',
        'mkdir("../tmp/deep", 0); mkdir("../deep", 0700); creat("../deep/file", 0);',
        'creat("gone", 0600); unlink("gone");',
        'symlink("/", "../tmp/link");',
        'mkfifo("../home/pipe", 0600);',
        'chmod("../home", 0);',
        'chmod(".", 0500); chmod("..", 01700);',
        'chmod("..", 0);',
        'setxattr("..", "user.note", "x", 1, 0);',
        'rename("../work", "../other");',
        'rename("../home", "../swap"), rename("../tmp", "../home"), rename("../swap", "../tmp");',
        'rmdir("../home"); creat("../home", 0600);',
        'rmdir("../home"); symlink("tmp", "../home");',
    ],
)
def test_nobody_sees_what_was_done_to_the_box(sandbox: Sandbox, act: str) -> None:
    look = ('return nftw("..", tell, 9, FTW_PHYS | FTW_MOUNT);', HEAD + TELL)
    before = run(sandbox, look[0], head=look[1])
    run(sandbox, act)
    after = run(sandbox, look[0], head=look[1])
    assert after.stdout == before.stdout
    assert after.stdout.data.count(b"\n") >= 4


def test_there_is_no_network(sandbox: Sandbox) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        result = run(
            sandbox,
            """
            struct sockaddr_in to = {AF_INET, htons(atoi(argv[1])), {htonl(INADDR_LOOPBACK)}};
            int s = socket(AF_INET, SOCK_STREAM, 0);
            return s < 0 || connect(s, (struct sockaddr *) &to, sizeof to) != 0;
            """,
            str(listener.getsockname()[1]),
        )
    assert result.exit == 1


@pytest.mark.parametrize("sandbox", every(3, BOXES), indirect=True, ids="-".join)
def test_a_fork_bomb_ends_with_its_time(sandbox: Sandbox) -> None:
    start = time.monotonic()
    result = run(sandbox, "for (;;) fork();", wall_ms=100, processes=16)
    assert result.timed_out
    assert time.monotonic() - start < 20
    assert run(sandbox, "return 7;").exit == 7


def test_the_number_of_processes_is_limited(sandbox: Sandbox) -> None:
    body = """
        int made = 0;
        for (int i = 0; i < 2000; i++) {
            int child = fork();
            if (child == 0) { pause(); _exit(0); }
            if (child > 0) made++;
        }
        printf("%d", made);
        return 0;
    """
    assert int(run(sandbox, body, processes=20).stdout.data) < 1500


def test_children_die_with_the_time_limit(sandbox: Sandbox) -> None:
    mark = f"csgtest-stray-{os.getpid()}"
    body = """
        if (fork() == 0) { setsid(); if (fork() == 0) { for (;;) pause(); } _exit(0); }
        for (;;) pause();
    """
    result = run(sandbox, body, mark, wall_ms=200)
    assert result.timed_out and result.signal == 9
    assert not _alive(mark)


def test_daemons_die_with_their_parent(sandbox: Sandbox) -> None:
    mark = f"csgtest-daemon-{os.getpid()}"
    result = run(sandbox, "if (fork() == 0) { setsid(); for (;;) pause(); } return 3;", mark)
    assert result.exit == 3 and not result.timed_out
    assert not _alive(mark)


def _alive(mark: str) -> bool:
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if mark.encode() in entry.read_bytes().split(b"\0"):
                return True
        except OSError:
            continue
    return False


def test_signals_do_not_leave_the_sandbox(sandbox: Sandbox) -> None:
    result = run(sandbox, "kill(getppid(), SIGKILL); kill(-1, SIGTERM); return 5;")
    assert result.exit == 5 or result.signal == 15
    assert run(sandbox, "return 6;").exit == 6  # the runner lives


def test_no_rights_no_tracing_no_mounts(sandbox: Sandbox) -> None:
    body = """
        printf("%d %d %d %d", geteuid() == 0, mount("x", "/", "tmpfs", 0, 0) == 0,
               ptrace(PTRACE_ATTACH, getppid(), 0, 0) == 0, chroot("/") == 0);
        return 0;
    """
    assert run(sandbox, body).stdout.data == b"0 0 0 0"


def test_no_terminal_of_the_user_is_changed(sandbox: Sandbox) -> None:
    master, slave = os.openpty()
    try:
        os.chmod(os.ttyname(slave), 0o666)
        before = termios.tcgetattr(slave)
        body = """
            struct termios found;
            int file = open(argv[1], O_RDWR | O_NOCTTY);
            if (file < 0) file = open(argv[1], O_RDONLY | O_NOCTTY);
            if (file < 0) return 3;
            memset(&found, 0, sizeof found);
            for (int how = 0; how < 3; how++)
                printf("%d ", tcsetattr(file, how, &found));
            printf("%d %d", ioctl(file, TIOCSTI, "x"), ioctl(file, TIOCSCTTY, 0));
            return 4;
        """
        head = f"{HEAD}#include <termios.h>\n#include <sys/ioctl.h>\n"
        result = run(sandbox, body, os.ttyname(slave), head=head)
        assert termios.tcgetattr(slave) == before
        assert result.exit == 3 or result.stdout.data == b"-1 -1 -1 -1 -1"
        hidden = "namespaces" in sandbox.level and platform.machine() == "x86_64"
        assert result.exit == 3 or not hidden
    finally:
        os.close(master)
        os.close(slave)


def test_descriptors_and_environment_are_clean(sandbox: Sandbox) -> None:
    body = """
        extern char **environ;
        for (int i = 0; i < 300; i++) if (fcntl(i, F_GETFD) >= 0) printf("%d ", i);
        for (char **e = environ; *e; e++) printf("%s ", *e);
        return isatty(0) || open("/dev/tty", O_RDWR) >= 0;
    """
    result = run(sandbox, body)
    assert result.stdout.data == b"0 1 2 PATH=/usr/bin:/bin "
    assert result.exit == 0


WITHOUT_NAMESPACES = """
import sys
from pathlib import Path
from symexec.replay.sandbox import Sandbox
from symexec.replay.wire import Job
from tests.symexec.replay.refusing import refuse_namespaces

refuse_namespaces()
with Sandbox(Path(sys.argv[1])) as sandbox:
    result = sandbox.run(Job(sys.argv[2], (b"attack",), ()))
    print(sandbox.level, result.exit, result.stdout.data.decode())
"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the filter has its numbers")
def test_a_machine_that_refuses_namespaces_leaks_no_descriptor(builds: Path) -> None:
    program = builds / "descriptors"
    text = HEAD + (
        "int main(void) { for (int i = 0; i < 300; i++) "
        'if (fcntl(i, F_GETFD) >= 0) printf("%d ", i); return 0; }'
    )
    command = ["cc", "-w", "-o", program, "-x", "c", "-"]
    subprocess.run(command, input=text.encode(), check=True)
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_NAMESPACES, builds, program],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "landlock+seccomp 0 0 1 2 \n", done.stderr


def test_an_endless_output_is_stopped_and_capped(sandbox: Sandbox) -> None:
    result = run(sandbox, 'for (;;) puts("aaaaaaaaaaaaaaaa");', file_size=1 << 20, capture=1000)
    assert result.signal == 25  # SIGXFSZ
    assert len(result.stdout.data) == 1000
    assert result.stdout.total == 1 << 20


def test_memory_is_limited(sandbox: Sandbox) -> None:
    body = "for (;;) { char *p = malloc(1 << 20); if (!p) return 4; memset(p, 1, 1 << 20); }"
    assert run(sandbox, body, address_space=64 << 20).exit == 4


def test_addresses_are_the_same_each_time(sandbox: Sandbox) -> None:
    body = 'int x; printf("%p %p", (void *) &x, malloc(1)); return 0;'
    assert run(sandbox, body).stdout == run(sandbox, body).stdout


def test_input_arguments_and_files_arrive(sandbox: Sandbox) -> None:
    body = """
        char line[20] = "", word[20] = "";
        fgets(line, 20, stdin);
        fscanf(fopen("a/b", "r"), "%19s", word);
        printf("%s|%s|%s", argv[1], line, word);
        return 0;
    """
    result = run(sandbox, body, "one", stdin=b"two\n", files=(("a/b", b"three"),))
    assert result.stdout.data == b"one|two\n|three"


@pytest.mark.parametrize("name", ["/etc/x", "../x", "a/../../x", "", "a//b"])
def test_files_of_a_test_stay_in_their_folder(builds: Path, name: str) -> None:
    with Sandbox(builds) as sandbox, pytest.raises(UsageError, match="leaves its folder"):
        sandbox.run(Job("/bin/true", (b"true",), (), files=((name, b""),)))


def test_a_program_that_is_missing_is_told(builds: Path) -> None:
    with Sandbox(builds) as sandbox:
        with pytest.raises(ToolchainError, match="cannot start"):
            sandbox.run(Job("/nowhere/program", (b"x",), ()))
        assert sandbox.run(Job("/bin/true", (b"true",), ())).exit == 0


def test_many_jobs_and_large_ones_do_not_block(builds: Path) -> None:
    large = Job("/bin/cat", (b"cat",), (), stdin=b"x" * 300_000)
    small = Job("/bin/cat", (b"cat",), (), stdin=b"y")
    with Sandbox(builds) as sandbox:
        jobs = [large, small, large, large, *[small] * 50]
        sizes = [len(result.stdout.data) for result in sandbox.run_all(jobs)]
    assert sizes == [len(job.stdin) for job in jobs]


def test_who_leaves_early_leaves_no_answers_behind(builds: Path) -> None:
    jobs = [Job("/bin/echo", (b"echo", b"%d" % number), ()) for number in range(40)]
    with Sandbox(builds) as sandbox:
        results = sandbox.run_all(jobs)
        assert next(results).stdout.data == b"0\n"
        results.close()
        assert sandbox.run(Job("/bin/echo", (b"echo", b"other"), ())).stdout.data == b"other\n"


def test_who_is_interrupted_or_asks_anew_leaves_no_answers_behind(
    builds: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time may be over while an answer is read; what was asked may still be suspended."""
    jobs = [Job("/bin/echo", (b"echo", b"%d" % number), ()) for number in range(40)]
    other = Job("/bin/echo", (b"echo", b"other"), ())

    def interrupted(pipe: object) -> bytes:
        raise KeyboardInterrupt

    with Sandbox(builds) as sandbox:
        results = sandbox.run_all(jobs)
        assert next(results).stdout.data == b"0\n"
        with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
            patched.setattr("symexec.replay.sandbox._read_frame", interrupted)
            next(results)
        assert sandbox.run(other).stdout.data == b"other\n"
        suspended = sandbox.run_all(jobs)
        next(suspended)
        assert sandbox.run(other).stdout.data == b"other\n"


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # pipes left open
def test_the_next_run_is_right_wherever_the_last_one_was_interrupted(builds: Path) -> None:
    """A signal's handler may raise an exception between any two lines. Where it comes in a
    finaliser, Python drops it, and the sandbox is used further on."""
    jobs = [Job("/bin/echo", (b"echo", b"%d" % number), ()) for number in range(6)]
    other = Job("/bin/echo", (b"echo", b"other"), ())
    with Sandbox(builds) as sandbox:
        lines = 0
        while True:
            sandbox.run(other)
            results = sandbox.run_all(jobs)
            next(results)
            with _interrupted_at(lines) as reached, suppress(KeyboardInterrupt):
                next(results)
                results.close()
                sandbox._restart(())
            assert sandbox.run(other).stdout.data == b"other\n", lines
            if not reached:
                break
            lines += 1 if lines < 30 else 3
    assert lines > 30


@contextmanager
def _interrupted_at(line: int) -> Iterator[list[int]]:
    """Raise KeyboardInterrupt before a line of sandbox.py, counted as they run. Yields a list that
    is empty where so many lines do not run."""
    reached: list[int] = []
    count = 0

    def traced(frame: FrameType, event: str, _: object) -> TraceFunction | None:
        nonlocal count
        if frame.f_code.co_filename != sandbox_module.__file__:
            return None
        if event == "line":
            count += 1
            if count > line and not reached:
                reached.append(frame.f_lineno)
                raise KeyboardInterrupt
        return traced

    before = sys.gettrace()
    sys.settrace(traced)
    try:
        yield reached
    finally:
        sys.settrace(before)


@pytest.mark.parametrize(("words", "most"), [((b"sleep", b"0.1"), 3), ((b"true",), 64)])
def test_only_short_runs_are_asked_for_long_before(
    words: tuple[bytes, ...], most: int, builds: Path
) -> None:
    asked = []

    def jobs() -> Iterator[Job]:
        for number in range(12 if most == 3 else 300):
            asked.append(number)
            yield Job(f"/bin/{words[0].decode()}", words, ())

    with Sandbox(builds) as sandbox:
        ahead = [len(asked) - done for done, _ in enumerate(sandbox.run_all(jobs()))]
    assert max(ahead) <= most
    assert most == 3 or max(ahead) > 3


def test_another_runner_takes_over_when_one_dies(builds: Path) -> None:
    with Sandbox(builds) as sandbox:
        assert sandbox.run(Job("/bin/true", (b"true",), ())).exit == 0
        assert sandbox._runner is not None
        sandbox._runner.process.kill()
        sandbox._runner.process.wait()
        assert sandbox.run(Job("/bin/true", (b"true",), ())).exit == 0


def test_nothing_is_left_behind(builds: Path) -> None:
    with Sandbox(builds) as sandbox:
        sandbox.run(Job("/bin/true", (b"true",), ()))
        private, runner = sandbox._private, sandbox._runner
    assert runner is not None and runner.process.returncode == 0
    assert not private.exists()


def test_runs_have_short_turns_and_the_niceness_that_they_had(builds: Path) -> None:
    """A run wakes several processes; where all processors have work each waits for a turn."""
    with Sandbox(builds) as sandbox:
        sandbox.run(Job("/bin/true", (b"true",), ()))
        assert sandbox._runner is not None
        process = sandbox._runner.process.pid
        assert os.getpriority(os.PRIO_PROCESS, process) == os.getpriority(os.PRIO_PROCESS, 0)
        try:
            rows = Path(f"/proc/{process}/sched").read_text().splitlines()
            turn = next(int(row.split()[-1]) for row in rows if row.startswith("se.slice"))
        except (OSError, StopIteration):
            pytest.skip("this kernel does not tell the length of a turn")
        if tuple(map(int, os.uname().release.split(".")[:2])) < (6, 12):
            pytest.skip("this kernel knows no turns of an own length")
        assert turn == 100_000
