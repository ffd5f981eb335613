"""A program that plays its own fork server cannot make the runner signal any process but its own.

The function below runs before csgtest's code does. It has the runner's socket, says that a server
is there, and answers each job with a number of its choice.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from symexec.replay.sandbox import LANDLOCK, SECCOMP, Sandbox
from symexec.replay.wire import Job
from tests.nightly import daily
from tests.symexec.replay.test_fork_server import compiled

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="servers know x86-64 only")

LAYERS = {"all": None, "landlock": LANDLOCK | SECCOMP}
FALSE_SERVER = """
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void serve(int argc, char **argv, char **environment)
{
    static char message[1 << 16];
    int answer = 0;
    if (argc < 2 || strcmp(argv[1], "csgtest-fork-server"))
        return;
    write(8, "", 1);
    write(9, &answer, sizeof answer);
    while (read(9, message, sizeof message) > 0) {
        answer = ANSWER;
        write(8, "", 1);
        write(9, &answer, sizeof answer);
    }
    _exit(0);
}
__attribute__((section(".preinit_array"), used)) static void *at_start = serve;
int main(void) { return 7; }
"""
# In a namespace of processes: if the runner believes the answer, nobody else is killed.
ALONE = ["unshare", *([] if os.geteuid() == 0 else ["--user", "--map-current-user"])]
ALONE += ["--pid", "--fork", "--kill-child", "--mount-proc"]
SCRIPT = (
    "import sys; from tests.symexec.replay.test_false_servers import run_in_sandbox; "
    "print(*run_in_sandbox(sys.argv[1], None if sys.argv[2] == 'None' else int(sys.argv[2])))"
)


def run_in_sandbox(program: str, layers: int | None) -> list[int]:
    """The exit codes of three runs."""
    allowed = {} if layers is None else {"layers": layers}
    with Sandbox(Path(program).parent, **allowed) as sandbox:
        job = Job(program, (b"program",), (b"PATH=/usr/bin:/bin",), forks=True, wall_ms=1000)
        return [sandbox.run(job).exit for _ in range(3)]


def false_server(builds: Path, answer: str) -> str:
    text = FALSE_SERVER.replace("ANSWER", answer)
    return str(compiled(builds, text, "-Wl,-e,csgtest_entry"))


@pytest.mark.parametrize("layers", LAYERS)
def test_a_process_of_the_user_is_not_killed(layers: str, builds: Path) -> None:
    victim = subprocess.Popen(["sleep", "60"], start_new_session=True)
    try:
        program = false_server(builds, str(victim.pid))
        assert run_in_sandbox(program, LAYERS[layers]) == [7, 7, 7]
        assert victim.poll() is None
    finally:
        victim.kill()
        victim.wait()


@pytest.mark.parametrize("layers", LAYERS)
@pytest.mark.parametrize(
    "answer", daily(["1", "-1", "0", "getpid()", "getppid()", "2147483647"], 2)
)
def test_no_other_number_is_believed(answer: str, layers: str, builds: Path) -> None:
    program = false_server(builds, answer)
    if subprocess.run([*ALONE, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no namespaces on this machine: a runner that believes would kill everything")
    done = subprocess.run(
        [*ALONE, sys.executable, "-c", SCRIPT, program, str(LAYERS[layers])],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert (done.returncode, done.stdout.split()) == (0, ["7", "7", "7"]), done
