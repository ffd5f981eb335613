"""A fleet finds what its pairs show, whatever is killed meanwhile."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import distributed
import psutil
import pytest

from fleet.lists import read_list
from fleet.store import Store
from fleet.tasks import run
from symexec.options import FleetOptions
from tests.command_line import CSGTEST, Done, csgtest, hear_interrupts
from tests.fleet.test_lists import Contents
from tests.nightly import daily

Found = set[tuple[str, str]]  # the task and the fingerprint
TLS = "DASK_DISTRIBUTED__COMM__TLS__"  # as Dask reads its configuration from the environment
# Begins a scheduler: its address, how to kill it, and the process of its two workers.
Begin = Callable[[], tuple[str, Callable[[], None], int]]


def write_pairs(folder: Path, count: int) -> Path:
    """Pairs of seconds each; every third has no difference."""
    text = ["time = 2", "deterministic = true"]
    for number in range(count):
        place = folder / f"pair{number}"
        place.mkdir()
        bound = 10 + number
        old = f"int f(int x) {{ if (x > {bound}) return {number}; return x; }}\n"
        new = old.replace(">", ">" if number % 3 == 2 else ">=").replace("int f(", " int f(")
        (place / "old.c").write_text(old)
        (place / "new.c").write_text(new)
        text += ["[[pair]]", f'old = "{place.name}/old.c"', f'new = "{place.name}/new.c"']
    (folder / "LIST.toml").write_text("\n".join(text) + "\n")
    return folder / "LIST.toml"


LONG = """unsigned f(unsigned x)
{
    unsigned steps = 0;
    for (; x != 1; steps++)
        x = x & 1 ? 3 * x + 1 : x / 2;
    return steps == 70000 + CHANGED;
}
"""


def write_long_pair(folder: Path) -> None:
    """A pair that is searched for minutes."""
    for name, text in (
        ("old", LONG.replace("CHANGED", "0")),
        ("new", LONG.replace("CHANGED", "1")),
    ):
        (folder / f"{name}.c").write_text(text)
    pair = '[[pair]]\nold = "old.c"\nnew = "new.c"\nentry = "f"\n'
    (folder / "LIST.toml").write_text(f"time = 300\nno-native = true\n{pair}")


def undisturbed(pairs: Path) -> Found:
    """The findings of the tasks, one after the other, without any engine."""
    contents = Contents()
    found: Found = set()
    for each in read_list(FleetOptions(pairs), contents.put):
        outcome = run(each.task.spec, contents.tree(each.task.source), None)
        found |= {(each.task.id, finding.fingerprint) for finding in outcome.findings}
    return found


def stored(folder: Path) -> Found:
    with Store.open(str(folder / "csgtest-store"), new=False) as store:
        return {(each["task"], each["fingerprint"]) for each in store.findings()}


def states(folder: Path) -> list[str]:
    try:
        with Store.open(str(folder / "csgtest-store"), new=False) as store:
            return [each["state"] for each in store.tasks(store.runs()[-1]["id"])]
    except Exception:  # there is no store, or no run in it yet
        return []


class Client:
    """A call of ``csgtest fleet`` in the background, with all processes that it begins."""

    def __init__(self, folder: Path, *words: str) -> None:
        self._log = open(folder / "log", "a+")  # noqa: SIM115
        self._process = subprocess.Popen(
            [*CSGTEST, "fleet", "LIST.toml", *words],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
            preexec_fn=hear_interrupts,  # noqa: PLW1509
        )

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *error: object) -> None:
        if self._process.poll() is None:
            self.kill()
        self._log.close()

    def kill(self, number: int = signal.SIGKILL) -> int:
        with suppress(ProcessLookupError):
            self._process.send_signal(number)
        return self._process.wait(60)

    def wait(self, seconds: float) -> int:
        return self._process.wait(seconds)

    @property
    def ended(self) -> bool:
        return self._process.poll() is not None

    def listens(self) -> set[str]:
        """The addresses at which any of its processes waits for others."""
        whole = psutil.Process(self._process.pid)
        return {
            each.laddr.ip
            for process in (whole, *whole.children(recursive=True))
            for each in process.net_connections()
            if each.status == psutil.CONN_LISTEN
        }

    def workers(self) -> list[psutil.Process]:
        """Those with a task under way."""
        return workers_below(self._process.pid)


def workers_below(process: int) -> list[psutil.Process]:
    found = []
    with suppress(psutil.Error):
        for each in psutil.Process(process).children(recursive=True):
            with suppress(psutil.Error):
                if "build" in each.cmdline() and str(CSGTEST[1]) in each.cmdline():
                    parent = each.parent()
                    if parent is not None and "spawn_main" in " ".join(parent.cmdline()):
                        found.append(parent)
    return found


def wait_for(shown: Callable[[], Any], seconds: float = 90.0) -> Any:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        found = shown()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError("it did not come in time")


@pytest.fixture
def scheduler() -> Iterator[Begin]:
    begun: list[subprocess.Popen[bytes]] = []

    def begin() -> tuple[str, Callable[[], None], int]:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        protocol = "tls" if f"{TLS}CA_FILE" in os.environ else "tcp"
        address = f"{protocol}://127.0.0.1:{port}"
        words = ["--protocol", protocol, "--host", "127.0.0.1", "--port", str(port)]
        words.append("--no-dashboard")
        main = _dask("scheduler", *words)
        worker = _dask("worker", address, "--nworkers", "2", "--nthreads", "1", "--no-dashboard")
        begun.extend([main, worker])

        def kill() -> None:
            main.kill()
            main.wait()

        return address, kill, worker.pid

    yield begin
    for each in begun:
        if each.poll() is None:
            for below in psutil.Process(each.pid).children(recursive=True):
                with suppress(psutil.Error):
                    below.kill()
            each.kill()
        each.wait()


def _dask(*words: str, folder: Path | None = None) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "distributed.cli.dask_" + words[0], *words[1:]],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "DASK_DISTRIBUTED__WORKER__DAEMON": "True"},
    )


@pytest.mark.parametrize("scheduler_first", daily((False, True), 1))
def test_fleet_survives_kills(scheduler_first: bool, tmp_path: Path, scheduler: Begin) -> None:
    """Of a worker and of the client; at night, of the scheduler before."""
    write_pairs(tmp_path, 3)
    if scheduler_first:
        address, kill, own = scheduler()
        with Client(tmp_path, "--scheduler", address) as client:
            wait_for(lambda: workers_below(own))
            kill()
            assert client.wait(60) == 2
        assert (tmp_path / "log").read_text().splitlines()[-2:] == [
            "csgtest: error: the scheduler is gone",
            "  hint: start it again and give --resume: nothing that ended is lost",
        ]
    with Client(tmp_path, "--jobs", "2", *["--resume"] * scheduler_first) as client:
        (worker, *_) = wait_for(client.workers)
        worker.kill()
        wait_for(lambda: "done" in states(tmp_path))
        client.kill()
    found = stored(tmp_path)
    done = csgtest("fleet", "LIST.toml", "--jobs", "2", "--resume", "--json", folder=tmp_path)
    assert done.code == 1, done.err
    told = json.loads(done.out)
    assert {each["state"] for each in told["tasks"]} == {"done"}
    assert found <= stored(tmp_path)
    shown = sorted(each["witness"] for each in told["findings"])
    assert shown == ["f(10): returns 10, now returns 0", "f(11): returns 11, now returns 1"]
    again(tmp_path)


def again(folder: Path) -> None:
    """Nothing runs twice: another run of the list takes what is there."""
    done = csgtest("fleet", "LIST.toml", folder=folder)
    assert (done.code, done.err) == (1, "")
    assert "run 2 in csgtest-store: 3 tasks (3 done), 2 differences" in done.out


def test_list_without_differences_ends_with_0(tmp_path: Path) -> None:
    pairs = write_pairs(tmp_path, 3)
    lines = pairs.read_text().splitlines()
    pairs.write_text("\n".join([*lines[:2], *lines[-3:]]))
    done = csgtest("fleet", "LIST.toml", "--jobs", "1", folder=tmp_path)
    assert done.code == 0, done.err
    assert "1 task (1 done), 0 differences" in done.out
    assert refused(tmp_path, "--scheduler", "tcp://192.0.2.1:8786").count("another machine") == 1
    assert "is for workers of this call" in refused(tmp_path, "--scheduler", "a", "--jobs", "1")


def refused(folder: Path, *words: str) -> str:
    (folder / "LIST.toml").write_text((folder / "LIST.toml").read_text() + "\nseed = 7\n")
    done: Done = csgtest("fleet", "LIST.toml", *words, folder=folder)
    assert done.code == 2
    return done.err


def test_interrupted_fleet_leaves_no_process(tmp_path: Path) -> None:
    write_long_pair(tmp_path)
    with Client(tmp_path, "--jobs", "1") as client:
        (worker, *_) = wait_for(client.workers)
        below = [worker, *worker.children(recursive=True)]
        assert client.listens() == {"127.0.0.1"}
        assert client.kill(signal.SIGINT) == 130
    psutil.wait_procs(below, 20)
    assert not any(each.is_running() for each in below)
    log = (tmp_path / "log").read_text()
    assert "interrupted; what was found is kept: --resume goes on" in log
    assert "Traceback" not in log


PRELOADED = """
import fleet.engine
from csg.errors import UNPROTECTED
from fleet.outcomes import Outcome, TaskState

fleet.engine.run = lambda *asked: Outcome(
    TaskState.FAILED, 2, f"programs {UNPROTECTED}", 0.0, unprotected=True
)
"""


@pytest.mark.night
def test_task_moves_on_to_a_worker_that_has_a_sandbox(tmp_path: Path, scheduler: Begin) -> None:
    """Two of four workers have none; a run that only these are there for says so. With threads in
    the place of workers test_engine.py tries it each time."""
    write_pairs(tmp_path, 2)
    address, _, own = scheduler()
    (tmp_path / "bare.py").write_text(PRELOADED)
    words = ("--nworkers", "2", "--nthreads", "1", "--no-dashboard", "--preload", "bare.py")
    bare = _dask("worker", address, *words, folder=tmp_path)
    try:
        with distributed.Client(address) as client:
            client.wait_for_workers(4, timeout=90)
        done = csgtest("fleet", "LIST.toml", "--scheduler", address, folder=tmp_path)
        assert done.code == 1, done.err
        assert states(tmp_path) == ["done", "done"]
        for each in psutil.Process(own).children(recursive=True):
            each.kill()
        os.kill(own, signal.SIGKILL)
        done = csgtest("fleet", "LIST.toml", "--scheduler", address, "--seed", "5", folder=tmp_path)
        assert done.code == 2
        assert "it was sent to 2 workers that have no sandbox for it" in done.out + done.err
    finally:
        for each in psutil.Process(bare.pid).children(recursive=True):
            each.kill()
        bare.kill()
        bare.wait()


# ----------------------------------------------------------------------------------- for the night


@pytest.mark.night
def test_task_that_kills_three_workers_is_poisoned(tmp_path: Path) -> None:
    write_pairs(tmp_path, 1)
    with Client(tmp_path, "--jobs", "1") as client:
        for _ in range(3):
            (worker, *_) = wait_for(client.workers)
            worker.kill()
            worker.wait()
        assert client.wait(90) == 2
    assert states(tmp_path) == ["poisoned"]
    assert "each of 3 workers that began it has died" in (tmp_path / "log").read_text()
    assert csgtest("fleet", "LIST.toml", "--retry", folder=tmp_path).code == 1


@pytest.mark.night
def test_scheduler_behind_certificates(
    tmp_path: Path, scheduler: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_pairs(tmp_path, 1)
    made = distributed.Security.temporary()
    (tmp_path / "ca.pem").write_text(made.tls_ca_file)
    (tmp_path / "cert.pem").write_text(made.tls_client_cert)
    (tmp_path / "key.pem").write_text(made.tls_client_key)
    with monkeypatch.context() as there:
        there.setenv(f"{TLS}CA_FILE", str(tmp_path / "ca.pem"))
        for role in ("CLIENT", "SCHEDULER", "WORKER"):
            there.setenv(f"{TLS}{role}__CERT", str(tmp_path / "cert.pem"))
            there.setenv(f"{TLS}{role}__KEY", str(tmp_path / "key.pem"))
        address, _, _ = scheduler()
        assert address.startswith("tls://")
        done = csgtest("fleet", "LIST.toml", "--scheduler", address, folder=tmp_path)
        assert done.code == 1, done.err
    words = ("--scheduler", address, "--seed", "1")
    done = csgtest("fleet", "LIST.toml", *words, folder=tmp_path)  # without a certificate
    assert done.code == 2
    assert "no scheduler answers" in done.err and "Traceback" not in done.err


@pytest.mark.night
def test_forty_kills_change_nothing(tmp_path: Path, scheduler: Begin) -> None:
    """Of workers, of schedulers with workers of their own, and of clients, at random points of a
    fleet of 20 pairs. A pair that was hit three times is poisoned, and tried again at the end."""
    pairs = write_pairs(tmp_path, 20)
    expected = undisturbed(pairs)
    chance = random.Random(13)
    left = ["worker"] * 30 + ["scheduler"] * 5 + ["client"] * 5
    chance.shuffle(left)
    words: list[str] = []
    while left:
        address, kill, own = scheduler()
        with Client(tmp_path, "--scheduler", address, *words) as client:
            words = ["--resume", "--retry"]
            while left and not client.ended:
                wait_for(lambda own=own, client=client: workers_below(own) or client.ended)
                time.sleep(chance.uniform(0.0, 1.5))
                what = left.pop()
                if what == "worker":
                    for each in workers_below(own)[:1]:
                        with suppress(psutil.Error):
                            each.kill()
                elif what == "scheduler":
                    kill()
                    client.wait(90)
                else:
                    client.kill()
        kill()
        if "waiting" not in states(tmp_path):
            break  # nothing is left to be disturbed
    assert left == []
    done = csgtest("fleet", "LIST.toml", "--resume", "--retry", folder=tmp_path, seconds=600)
    assert done.code == 1, done.err
    assert stored(tmp_path) == expected
    assert set(states(tmp_path)) == {"done"}
    assert "Traceback" not in (tmp_path / "log").read_text()
