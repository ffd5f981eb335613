"""What outlives a run is gone in the next; what one may fill, and what it leaves, is bounded."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from csg.programs import SourceFile
from symexec import replay
from symexec.replay import PLAIN, SANITIZED, NativeReplay, ReplayPlan
from symexec.replay.sandbox import ALL_LAYERS, LANDLOCK, NAMESPACES, SECCOMP, Sandbox
from symexec.replay.wire import Job, RawResult
from symexec.testcases import TestInput

NOBODY = 65534
SERVER = Path(replay.__file__).parent / "fork_server.c"
# Each act returns 0 where nothing of it was there before, and leaves something behind.
ACTS = """
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>
static int made(int result, int number)
{
    if (result >= 0)
        return 0;
    return errno == EEXIST ? 1 : 70 + (number & 7); /* refused is as good as gone */
}
static int act(const char *what)
{
    int flags = IPC_CREAT | IPC_EXCL | 0600;
    if (!strcmp(what, "memory")) {
        int id = shmget(77, 4096, flags);
        if (id >= 0)
            strcpy(shmat(id, 0, 0), "kept");
        return made(id, 1) + id;
    }
    if (!strcmp(what, "messages"))
        return made(msgget(77, flags), 2);
    if (!strcmp(what, "semaphores"))
        return made(semget(77, 1, flags), 3);
    if (!strcmp(what, "queue")) {
        struct mq_attr shape = {.mq_maxmsg = 1, .mq_msgsize = 8};
        return made(mq_open("/kept", O_CREAT | O_EXCL | O_RDWR, 0600, &shape), 4);
    }
    if (!strcmp(what, "shared file"))
        return made(shm_open("/kept", O_CREAT | O_EXCL | O_RDWR, 0600), 5);
    if (!strcmp(what, "socket")) { /* whose name is taken for as long as the child has it open */
        struct sockaddr_un name = {AF_UNIX, "\\0kept"};
        int file = socket(AF_UNIX, SOCK_STREAM, 0);
        int result = file < 0 ? file : bind(file, (struct sockaddr *) &name, sizeof name);
        if (result < 0)
            return errno == EADDRINUSE ? 1 : made(result, 6);
        if (fork() == 0) {
            setsid();
            for (;;)
                pause();
        }
        return 0;
    }
    if (!strcmp(what, "priority")) {
        int before = getpriority(PRIO_PROCESS, 0);
        setpriority(PRIO_USER, 0, 10);
        return before;
    }
    if (!strcmp(what, "processor")) {
        cpu_set_t before, one;
        CPU_ZERO(&one);
        sched_getaffinity(0, sizeof before, &before);
        for (int cpu = 0; cpu < CPU_SETSIZE && !CPU_COUNT(&one); cpu++)
            if (CPU_ISSET(cpu, &before))
                CPU_SET(cpu, &one);
        for (int number = 2; number < 40; number++)
            sched_setaffinity(number, sizeof one, &one);
        return CPU_COUNT(&before) == 1;
    }
    return 99;
}
int main(int argc, char **argv)
{
    printf("%d", act(argv[1]));
    return 0;
}
"""
NAMES = (
    "memory",
    "messages",
    "semaphores",
    "queue",
    "shared file",
    "socket",
    "priority",
    "processor",
)


@pytest.fixture(scope="module")
def acts() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        program = Path(folder) / "acts"
        command = ["cc", "-w", "-static", "-o", program, str(SERVER), "-x", "c", "-", "-lrt"]
        subprocess.run(command, input=ACTS.encode(), check=True)
        yield program


@pytest.mark.parametrize("layers", [NAMESPACES | LANDLOCK | SECCOMP, LANDLOCK | SECCOMP])
@pytest.mark.parametrize("forks", [True, False], ids=["forked", "executed"])
def test_each_run_finds_what_the_first_one_found(layers: int, forks: bool, acts: Path) -> None:
    with Sandbox(acts.parent, layers) as sandbox:
        for name in (*NAMES, *reversed(NAMES)):
            job = Job(str(acts), (b"acts", name.encode()), (), forks=forks)
            first = sandbox.run(job)
            for _ in range(3):
                again = sandbox.run(job)
                assert (again.stdout, again.exit) == (first.stdout, 0), name
    assert not any("77" in line.split()[:1] for line in _segments())


@pytest.mark.parametrize("layers", [NAMESPACES | LANDLOCK | SECCOMP, LANDLOCK | SECCOMP])
def test_processes_of_the_same_user_keep_their_priority(layers: int, acts: Path) -> None:
    user = NOBODY if os.geteuid() == 0 else os.geteuid()
    with subprocess.Popen(["sleep", "60"], user=user) as bystander:
        before = os.getpriority(os.PRIO_PROCESS, bystander.pid)
        with Sandbox(acts.parent, layers) as sandbox:
            result = sandbox.run(Job(str(acts), (b"acts", b"priority"), ()))
        assert (result.exit, result.signal) == (0, 0)
        assert os.getpriority(os.PRIO_PROCESS, bystander.pid) == before
        bystander.kill()


def test_the_name_of_a_socket_is_free_again(acts: Path) -> None:
    """Also where seccomp does not keep programs from sockets."""
    with Sandbox(acts.parent, NAMESPACES | LANDLOCK) as sandbox:
        job = Job(str(acts), (b"acts", b"socket"), ())
        shown = [sandbox.run(job).stdout.data for _ in range(3)]
    assert shown == [b"0"] * 3


def _segments() -> list[str]:
    return Path("/proc/sysvipc/shm").read_text().splitlines()[1:]


@pytest.mark.parametrize("style", [SANITIZED, PLAIN])
def test_memory_is_bounded_in_every_build(style: str, tmp_path: Path) -> None:
    """That of all processes together."""
    text = """
    #include <stdlib.h>
    #include <string.h>
    #include <unistd.h>
    int main(int argc, char **argv)
    {
        if (argc > 1)
            for (int i = 0; i < 6; i++)
                if (fork() == 0)
                    break;
        for (int i = 0; i < (argc > 1 ? 40 : 2000); i++) {
            char *piece = malloc(1 << 20);
            if (!piece)
                return 3;
            memset(piece, 1, 1 << 20);
        }
        for (; argc > 1;)
            pause();
        return 0;
    }
    """
    for name in ("old", "new"):
        (tmp_path / f"{name}.c").write_text(text)
    files = ((SourceFile(tmp_path / f"{name}.c"),) for name in ("old", "new"))
    with NativeReplay(ReplayPlan(*files, address_space=100 << 20, wall_s=20.0)) as native:
        began = time.monotonic()
        alone = native.observe("new", TestInput(), style=style)
        together = native.observe("new", TestInput(args=(b"x",)), style=style)
        took = time.monotonic() - began
    if style == PLAIN:
        assert alone.exit == 3  # malloc says no
    else:
        assert alone.timed_out and "more memory" in alone.report
    assert together.timed_out and "more memory" in together.report
    assert took < 15


LEAVES = """
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int count = atoi(argv[1]), place = atoi(argv[2]), zero = atoi(argv[3]);
    for (int i = 0; i < count; i++) {
        char name[32];
        sprintf(name, "f%d", i);
        int file = open(name, O_RDWR | O_CREAT, 0644);
        ftruncate(file, 1 << 20);
        pwrite(file, zero ? "\\0" : "x", 1, place);
        close(file);
    }
    return 0;
}
"""


@pytest.fixture(scope="module")
def leaves() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        program = Path(folder) / "leaves"
        command = ["cc", "-w", "-o", program, "-x", "c", "-"]
        subprocess.run(command, input=LEAVES.encode(), check=True)
        yield program


def left_by(program: Path, *numbers: int) -> RawResult:
    words = (b"leaves", *(b"%d" % number for number in numbers))
    with Sandbox(program.parent) as sandbox:
        return sandbox.run(Job(str(program), words, ()))


def test_many_large_files_are_not_read_whole(leaves: Path) -> None:
    result = left_by(leaves, 300, 70000, 0)
    assert len(result.files) == 300
    assert {file.content.total for file in result.files} == {1 << 20}
    assert sum(len(file.content.data) for file in result.files) <= 4 << 20
    first = {file.path: file.content for file in result.files}[b"f0"]
    assert len(first.data) == 64 << 10 and first.allocated < 1 << 16


def test_what_is_not_read_is_compared_by_a_sum_and_by_holes(leaves: Path) -> None:
    """A byte behind what is sent; one at another place; a zero, which fills a hole."""
    shown = [left_by(leaves, 1, *asked) for asked in ((70000, 0), (70000, 0), (70001, 0))]
    sums = [result.files[0].content.sum for result in shown]
    assert sums[0] == sums[1] != sums[2]
    zeros = [left_by(leaves, 1, 70000, 1), left_by(leaves, 0, 0, 0), left_by(leaves, 1, 1, 1)]
    contents = [result.files[0].content for result in zeros if result.files]
    assert contents[0].sum == contents[1].sum != sums[0]
    assert len({content.data for content in contents}) == 1


def test_two_outputs_that_differ_far_behind_are_not_alike(tmp_path: Path) -> None:
    text = (
        "#include <unistd.h>\nstatic char text[2000000];\nint main(int c, char **v)"
        "{ text[1900000] = v[1][0]; return write(1, text, sizeof text) < 0; }"
    )
    (tmp_path / "a.c").write_text(text)
    file = (SourceFile(tmp_path / "a.c"),)
    with NativeReplay(ReplayPlan(file, file)) as native:
        seen = [
            native.observe("new", TestInput(args=(word,)), style=PLAIN) for word in (b"1", b"2")
        ]
    assert seen[0].stdout[:64] == seen[1].stdout[:64] and seen[0].stdout != seen[1].stdout


HOARDS = """
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
static void in_files(void)
{
    char *piece = calloc(1, 1 << 20);
    memset(piece, 1, 1 << 20);
    for (int i = 0; i < 40; i++) {
        int file = memfd_create("x", 0);
        for (int j = 0; j < 4; j++)
            write(file, piece, 1 << 20);
    }
}
static void in_tables(void)
{
    volatile char sum = 0;
    for (int i = 0; i < 40; i++) { /* reading fills tables, and no page of its own */
        int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
        char *room = mmap(0, 1UL << 30, PROT_READ, how, -1, 0);
        for (unsigned long at = 0; room != MAP_FAILED && at < 1UL << 30; at += 1 << 21)
            sum += room[at];
    }
}
static void in_sockets(void)
{
    static char piece[1 << 12];
    for (int i = 0, ends[2]; i < 110 && socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0; i++)
        while (send(ends[0], piece, sizeof piece, MSG_DONTWAIT) > 0)
            ;
}
static void asleep(void)
{
    struct timespec moment = {0, 4000000};
    for (;;)
        nanosleep(&moment, 0);
}
int main(int argc, char **argv)
{
    void (*ways[])(void) = {in_files, in_tables, in_sockets, asleep};
    int way = atoi(argv[1]), many = atoi(argv[2]);
    for (int i = 0; i < many; i++)
        if (fork() == 0)
            break;
    ways[way]();
    for (;;)
        pause();
}
"""


@pytest.fixture(scope="module")
def hoards() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        program = Path(folder) / "hoards"
        command = ["cc", "-w", "-o", program, "-x", "c", "-"]
        subprocess.run(command, input=HOARDS.encode(), check=True)
        yield program


@pytest.mark.parametrize("layers", [ALL_LAYERS, LANDLOCK | SECCOMP])
@pytest.mark.parametrize("many", [0, 3])
@pytest.mark.parametrize("way", range(3))
def test_memory_that_no_page_shows_is_counted(
    way: int, many: int, layers: int, hoards: Path
) -> None:
    """Files in memory, tables of pages, and what waits in sockets."""
    words = (b"hoards", b"%d" % way, b"%d" % many)
    limited = Job(str(hoards), words, (), wall_ms=20_000, memory=60 << 20, address_space=64 << 30)
    with Sandbox(hoards.parent, layers) as sandbox:
        result = sandbox.run(limited)
    assert result.overdrawn and result.wall_us < 15_000_000


@pytest.mark.parametrize("many", [0, 3])
def test_no_sleep_extends_the_time(many: int, hoards: Path) -> None:
    words = (b"hoards", b"3", b"%d" % many)
    with Sandbox(hoards.parent) as sandbox:
        result = sandbox.run(Job(str(hoards), words, (), wall_ms=500))
    assert result.timed_out and result.wall_us < 4_000_000
