"""What goes wrong around a run, and what has to hold all the same.

    unit = Unit(place, subject, Random(7))
    fault = FAULTS["cache-flipped"]
    with fault.inject(unit):            a bit of each file of the cache is another now
        run(..., unit.conditions)
    fault.expects                       Expects.RIGHT: the verdict is what it is without

A fault is a generator function: what stands before its ``yield`` prepares the run, what stands
behind it cleans up. It changes the programs, the conditions of the run, or the machine around it.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from random import Random

from benchmarks.soak.process import Conditions, Place, Stop
from benchmarks.soak.subjects import Grid, Subject

SECRET = "the-secret-that-nobody-may-quote"


class Expects(Enum):
    """Of a run with the fault. A wrong verdict, a traceback, silence and leftovers are failures
    whatever is expected."""

    RIGHT = "the right verdict"
    HONEST = "the right verdict, or a message"  # exit code 2, or less is claimed, with a reason
    ENDED = "ended by a signal, with what was found until then"


@dataclass
class Unit:
    """``words``: more options. ``unjudged``: the programs do on some inputs what nobody can judge,
    as they never end. ``must_not_appear``: text that no file and no message may show."""

    place: Place
    subject: Subject
    random: Random
    conditions: Conditions = field(default_factory=Conditions)
    words: list[str] = field(default_factory=list)
    must_not_appear: list[str] = field(default_factory=list)
    unjudged: bool = False
    complaints: list[str] = field(default_factory=list)


Inject = Callable[[Unit], AbstractContextManager[None]]


@dataclass(frozen=True)
class Fault:
    """``part`` of what is claimed: the judge, the models, budgets, files."""

    name: str
    part: str
    expects: Expects
    inject: Inject
    mounts: bool = False  # it needs a mount namespace of its own


FAULTS: dict[str, Fault] = {}


def fault(
    name: str, part: str, expects: Expects, mounts: bool = False
) -> Callable[[Callable[[Unit], Iterator[None]]], None]:
    def register(inject: Callable[[Unit], Iterator[None]]) -> None:
        FAULTS[name] = Fault(name, part, expects, contextmanager(inject), mounts)

    return register


@fault("none", "-", Expects.RIGHT)
def none(unit: Unit) -> Iterator[None]:
    yield


# ---------------------------------------------------------------------- the cache


def _own_cache(unit: Unit) -> Path:
    """A copy, that others may go on with theirs."""
    copy = unit.place.folder / "tmp.cache"
    shutil.copytree(unit.place.cache, copy)
    unit.conditions.environment["XDG_CACHE_HOME"] = str(copy)
    return copy / "csgtest"


def _damaged(how: Callable[[bytes, Random], bytes]) -> Callable[[Unit], Iterator[None]]:
    def inject(unit: Unit) -> Iterator[None]:
        for file in sorted(each for each in _own_cache(unit).rglob("*") if each.is_file()):
            if unit.random.random() < 0.8:
                file.write_bytes(how(file.read_bytes(), unit.random))
        yield

    return inject


def _flipped(content: bytes, random: Random) -> bytes:
    at = random.randrange(len(content) or 1)
    return content[:at] + bytes([content[at] ^ 1 << random.randrange(8)]) + content[at + 1 :]


fault("cache-flipped", "D", Expects.RIGHT)(_damaged(_flipped))
fault("cache-truncated", "D", Expects.RIGHT)(
    _damaged(lambda content, random: content[: random.randrange(len(content) or 1)])
)
fault("cache-emptied", "D", Expects.RIGHT)(_damaged(lambda content, random: b""))


@fault("cache-swapped", "D", Expects.RIGHT)
def cache_swapped(unit: Unit) -> Iterator[None]:
    """Each entry has another one's content, checksum and all."""
    for folder in sorted(_own_cache(unit).iterdir()):
        files = sorted(each for each in folder.iterdir() if each.is_file())
        contents = [each.read_bytes() for each in files]
        unit.random.shuffle(contents)
        for file, content in zip(files, contents, strict=True):
            file.write_bytes(content)
    yield


@fault("cache-not-ours", "D", Expects.RIGHT)
def cache_not_ours(unit: Unit) -> Iterator[None]:
    folder = _own_cache(unit)
    match unit.random.randrange(4):
        case 0:
            folder.chmod(0o777)
        case 1:
            folder.rename(folder.with_name("elsewhere"))
            folder.symlink_to("elsewhere")
        case 2 if os.geteuid() == 0:
            os.chown(folder, 12345, 0)
        case _:
            folder.rename(folder.with_name("elsewhere"))
            folder.write_text("")
    yield


@fault("cache-cold", "D", Expects.RIGHT)
def cache_cold(unit: Unit) -> Iterator[None]:
    unit.conditions.environment["XDG_CACHE_HOME"] = str(unit.place.folder / "tmp.cache")
    yield


# ---------------------------------------------------------------------- disks


def _disk(folder: Path, size: str) -> None:
    """In the mount namespace of this unit."""
    folder.mkdir(exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    subprocess.run(command, check=True)


def _full(where: str) -> Callable[[Unit], Iterator[None]]:
    def inject(unit: Unit) -> Iterator[None]:
        """From 0 to 4 MB: it is full at once, or becomes full somewhere in the middle."""
        size = f"{unit.random.choice((4, 64, 256, 512, 1024, 2048, 4096))}k"
        match where:
            case "out":
                disk = unit.place.folder / "tmp.disk"
                _disk(disk, size)
                unit.words += ["--out", str(disk / "csgtest-out")]
            case "cache":
                disk = unit.place.folder / "tmp.disk"
                _disk(disk, size)
                unit.conditions.environment["XDG_CACHE_HOME"] = str(disk)
            case _:
                disk = unit.place.temporary
                _disk(disk, size)
        try:
            yield
        finally:
            subprocess.run(["umount", str(disk)], check=True)

    return inject


fault("out-full", "D", Expects.HONEST, mounts=True)(_full("out"))
fault("tmp-full", "D", Expects.HONEST, mounts=True)(_full("tmp"))
fault("cache-full", "D", Expects.RIGHT, mounts=True)(_full("cache"))


# ---------------------------------------------------------------------- limits


def _limited(option: str, values: tuple[int, ...]) -> Callable[[Unit], Iterator[None]]:
    def inject(unit: Unit) -> Iterator[None]:
        number = int(unit.random.choice(values) * unit.random.uniform(0.7, 1.4))
        unit.conditions.prefix = ("prlimit", f"--{option}={number}", "--")
        yield

    return inject


M = 1 << 20
fault("limit-addresses", "A", Expects.HONEST)(
    _limited("as", (300 * M, 600 * M, 1000 * M, 2000 * M, 4000 * M, 20_000 * M))
)
fault("limit-data", "A", Expects.HONEST)(_limited("data", (100 * M, 300 * M, 600 * M, 2000 * M)))
fault("limit-files", "A", Expects.HONEST)(_limited("nofile", (8, 16, 24, 32, 48, 64, 128)))
fault("limit-file-size", "D", Expects.HONEST)(
    _limited("fsize", (1000, 20_000, 100_000, 1_000_000, 3_000_000))
)
# Below some 100,000 bytes Python itself does not start.
fault("limit-stack", "A", Expects.HONEST)(_limited("stack", (150_000, 500_000, 2 * M)))
fault("limit-cpu", "C", Expects.ENDED)(_limited("cpu", (1, 2, 3, 5)))


@fault("limit-processes", "A", Expects.HONEST)
def limit_processes(unit: Unit) -> Iterator[None]:
    """As another user, where this one is root, whom the limit does not hold."""
    count = unit.random.choice((1, 2, 4, 8, 16, 32))
    unit.conditions.prefix = ("prlimit", f"--nproc={count}", "--")
    if os.geteuid() == 0:
        _given_away(unit)
        unit.conditions.prefix += _NOBODY
    yield


_NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--")


def _given_away(unit: Unit) -> None:
    """The folder becomes nobody's, with an empty cache and what is needed to go there."""
    folder = unit.place.folder
    unit.conditions.environment["XDG_CACHE_HOME"] = str(folder / "tmp.cache")
    unit.conditions.environment["PYTHONDONTWRITEBYTECODE"] = "1"
    for each in (folder, *folder.rglob("*")):
        os.chown(each, 65534, 65534, follow_symlinks=False)


@fault("another-user", "A", Expects.RIGHT)
def another_user(unit: Unit) -> Iterator[None]:
    """Whom namespaces and control groups are not promised to."""
    if os.geteuid() == 0:
        _given_away(unit)
        unit.conditions.prefix = _NOBODY
    yield


# ---------------------------------------------------------------------- ends before the end


def _stopped(number: int, child: bool = False) -> Callable[[Unit], Iterator[None]]:
    def inject(unit: Unit) -> Iterator[None]:
        seconds = unit.random.choice((0.5, 2.0, 4.0, 8.0)) * unit.random.random()
        unit.conditions.stop = Stop(number, seconds, child)
        yield

    return inject


fault("interrupted", "C", Expects.ENDED)(_stopped(signal.SIGINT))
fault("terminated", "C", Expects.ENDED)(_stopped(signal.SIGTERM))
fault("killed", "D", Expects.ENDED)(_stopped(signal.SIGKILL))
fault("child-killed", "A", Expects.HONEST)(_stopped(signal.SIGKILL, child=True))
fault("child-terminated", "A", Expects.HONEST)(_stopped(signal.SIGTERM, child=True))


# ---------------------------------------------------------------------- load and surroundings


@fault("load", "C", Expects.RIGHT)
def load(unit: Unit) -> Iterator[None]:
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    try:
        yield
    finally:
        for each in busy:
            each.kill()
            each.wait()


@fault("short", "C", Expects.HONEST)
def short(unit: Unit) -> Iterator[None]:
    unit.words += ["--time", unit.random.choice(("0.1", "0.5", "1"))]
    yield


@fault("little-memory", "C", Expects.HONEST)
def little_memory(unit: Unit) -> Iterator[None]:
    unit.words += ["--memory", unit.random.choice(("1M", "60M", "120M"))]
    yield


@fault("huge-bounds", "C", Expects.HONEST)
def huge_bounds(unit: Unit) -> Iterator[None]:
    number = unit.random.choice(("1000000", "4294967296", "9223372036854775808", "9" * 30))
    options = (
        ("--array-len", number),
        ("--most-allocated", number),
        ("--loop-bound", number),
        ("--sym-args", "0", number, "2"),
        ("--sym-args", "0", "1", number),
        ("--sym-stdin", number),
        ("--seed", number),
    )
    chosen = unit.random.choice(options)
    if unit.subject.entry != "main":
        chosen = unit.random.choice([each for each in options if "sym" not in each[0]])
    unit.unjudged = "--sym" in chosen[0]  # other bounds than what was tried natively
    unit.words += [*chosen, "--time", "3"]
    yield


@fault("odd-surroundings", "D", Expects.RIGHT)
def odd_surroundings(unit: Unit) -> Iterator[None]:
    """No descriptors, a strange locale, no PATH worth the name."""
    environment = unit.conditions.environment
    match unit.random.randrange(5):
        case 0:
            closing = unit.random.choice(("<&-", "<&- 2>&-", ">&-", "<&- >&- 2>&-"))
            unit.conditions.prefix = ("/bin/sh", "-c", f'exec "$@" {closing}', "sh")
        case 1:
            environment |= {"LC_ALL": "tr_TR.UTF-8", "LANGUAGE": "tr", "TZ": ":/dev/null"}
        case 2:
            environment |= {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
        case 3:
            environment |= {"HOME": "/nowhere", "TERM": "\x1b[2J", "COLUMNS": "0", "LINES": "-1"}
        case _:
            environment |= {"PATH": "/usr/bin:/bin", "MALLOC_PERTURB_": "165", "LD_BIND_NOW": "1"}
            environment |= {"ASAN_OPTIONS": "exitcode=0", "UBSAN_OPTIONS": "halt_on_error=0"}
            environment |= {"POSIXLY_CORRECT": "1", "GCC_COLORS": "error=01;31", "CFLAGS": "-O3"}
    yield


# ---------------------------------------------------------------------- the compiler

_COMPILER = """\
#!/bin/sh
# the {number}th call {what}
mktemp {folder}/call.XXXXXX >/dev/null
if [ $(ls {folder} | wc -l) {when} {number} ]; then
    {act}
fi
exec gcc "$@"
"""
_ACTS = {
    "fails": "echo 'cc: fatal error: no room in the universe' >&2; exit 1",
    "says-nothing": "exit 1",
    "crashes": "kill -SEGV $$",
    "does-nothing": "exit 0",
    "is-slow": "sleep 4",
    "makes-half": 'gcc "$@" || exit; for each; do last=$this; this=$each; '
    '[ "$last" = -o ] && [ -f "$each" ] && truncate -s -100 "$each"; done; exit 0',
    "hangs": "sleep 1000",
}


def _compiler(what: str) -> Callable[[Unit], Iterator[None]]:
    def inject(unit: Unit) -> Iterator[None]:
        calls = unit.place.folder / "tmp.calls"
        calls.mkdir()
        calls.chmod(0o777)
        wrapper = unit.place.folder / "tmp.cc"
        number = unit.random.randint(1, 14)
        when = unit.random.choice(("-eq", "-ge")) if what != "hangs" else "-eq"
        wrapper.write_text(
            _COMPILER.format(number=number, what=what, when=when, folder=calls, act=_ACTS[what])
        )
        wrapper.chmod(0o755)
        unit.conditions.environment["CC"] = str(wrapper)
        unit.conditions.environment["XDG_CACHE_HOME"] = str(unit.place.folder / "tmp.cache")
        yield

    return inject


for _what in _ACTS:
    _expected = Expects.RIGHT if _what == "is-slow" else Expects.HONEST
    fault(f"compiler-{_what}", "D", _expected)(_compiler(_what))


# ---------------------------------------------------------------------- the programs

_HEAD = """\
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <time.h>
#include <unistd.h>
static void csoak(void)
{
    %s
}
"""
_NOISE = {
    "pid": 'printf("I am %d\\n", (int) getpid());',
    "time": "struct timespec now; clock_gettime(CLOCK_REALTIME, &now);"
    ' printf("it is %ld\\n", now.tv_nsec);',
    "address": 'static int far; printf("at %p and %p\\n", (void *) &far, malloc(4));',
    "random": 'FILE *file = fopen("/dev/urandom", "r"); '
    'printf("%d\\n", file ? getc(file) : 256 + getpid());',
}
_ACTS_OF_PROGRAMS = {
    "hangs": "for (;;) ;",
    "counts": "for (volatile unsigned long n = 1; n; n++) ;",
    "sleeps": "for (;;) pause();",
    "grows": "for (char *more; (more = malloc(1 << 20)) != 0;) memset(more, 1, 1 << 20);"
    " for (;;) ;",
    "forks": "if (fork() == 0) { setsid(); signal(SIGTERM, SIG_IGN); for (;;) sleep(1); }",
    "forks-much": "for (int n = 0; n < 300; n++) if (fork() == 0) for (;;) sleep(1);",
    "files": "for (int n = 0; n < 300; n++) { char name[20]; sprintf(name, \"left%d\", n);"
    " int file = open(name, O_CREAT | O_RDWR, 0600); ftruncate(file, 1 << 20); close(file); }",
    "writes-much": "static char block[1 << 16]; for (;;) fwrite(block, 1, sizeof block, stdout);",
    "ipc": "int id = shmget(KEY, 4096, IPC_CREAT | 0600);"
    " if (id >= 0) strcpy(shmat(id, 0, 0), \"kept\");",
    "kills": "kill(-1, SIGKILL); kill(0, SIGKILL); kill(getppid(), SIGKILL);",
    "closes": "for (int n = 0; n < 64; n++) close(n);",
    "escapes": "fputs(\"\\033[2J\\007\\xe2\\x80\\xae\", stderr);"
    " close(open(\"\\033[1m\\xe2\\x80\\xae\", O_CREAT | O_RDWR, 0600));",
}  # fmt: skip


def _called(text: str, head: str, condition: str, entered: str) -> str:
    """``head`` in front of everything, and its function called first."""
    place = text.rindex(entered)
    call = f"if ({condition}) csoak(); " if condition else "csoak(); "
    return head + text[:place] + call + text[place:]


def _fits(unit: Unit) -> bool:
    entered = unit.subject.entered
    return bool(entered) and all(entered in text for text in unit.subject.files.values())


def _changed(unit: Unit, body: str, condition: str) -> None:
    files = unit.subject.files
    for name, text in files.items():
        files[name] = _called(text, _HEAD % body, condition, f"    {unit.subject.entered} = ")


def _noisy(unit: Unit) -> Iterator[None]:
    """Both versions write what is never the same, beside what they write."""
    if _fits(unit):
        _changed(unit, unit.random.choice(list(_NOISE.values())), "")
    yield


fault("noise", "A", Expects.HONEST)(_noisy)


def _wild(what: str) -> Callable[[Unit], Iterator[None]]:
    def inject(unit: Unit) -> Iterator[None]:
        """Both versions do it on one input in some; what is compared on these is left open."""
        key = 0x50AC0000 | os.getpid() & 0xFFFF
        if _fits(unit):
            condition = "a == 1" if unit.subject.entry != "main" else "argc > 1 && argv[1][0] > 'x'"
            if unit.subject.entry == "main" and unit.subject.words[2] == "0":
                condition = ""
            _changed(unit, _ACTS_OF_PROGRAMS[what].replace("KEY", f"{key:#x}"), condition)
            if isinstance(unit.subject.truth, Grid):
                unit.subject.truth = unit.subject.truth.without(1)
            else:
                unit.unjudged = True
            unit.words += ["--time", "8"]
        yield
        segments = Path("/proc/sysvipc/shm").read_text().splitlines()[1:]
        if any(int(line.split()[0]) & 0xFFFFFFFF == key for line in segments):
            unit.complaints.append("shared memory of a run is left")

    return inject


for _what in _ACTS_OF_PROGRAMS:
    fault(f"program-{_what}", "A", Expects.HONEST)(_wild(_what))


# ---------------------------------------------------------------------- sources


@fault("source-lines", "D", Expects.RIGHT)
def source_lines(unit: Unit) -> Iterator[None]:
    """``#line`` names what nobody may read for it."""
    folder = unit.place.folder
    secret = folder / "tmp.secret"
    secret.write_text("".join(f"{SECRET} {n}\n" for n in range(999)))
    os.mkfifo(folder / "tmp.pipe")
    names = (
        *("/dev/zero", str(folder / "tmp.pipe"), str(secret), "/dev/stdin", "/proc/self/mem"),
        *("../../../etc/passwd", "", "<built-in>", "\\033[2J", "/dev/tty", "x" * 5000),
    )
    for name, text in unit.subject.files.items():
        lines = text.splitlines(keepends=True)
        for _ in range(unit.random.randint(1, 3)):
            starts = [at for at, line in enumerate(lines) if not line.startswith((" ", "#"))]
            place = unit.random.choice([at for at in starts if _is_safe(lines, at)] or [0])
            shown = unit.random.choice(names)
            number = unit.random.choice((1, 2, 17, 2_000_000_000))
            lines.insert(place, f'#line {number} "{shown}"\n')
        unit.subject.files[name] = "".join(lines)
    unit.must_not_appear.append(SECRET)
    yield


def _is_safe(lines: list[str], at: int) -> bool:
    """No macro goes on there, and no text."""
    return at == 0 or not lines[at - 1].rstrip().endswith("\\")


@fault("source-escapes", "D", Expects.RIGHT)
def source_escapes(unit: Unit) -> Iterator[None]:
    """Comments and names of the text with control and direction characters, as they are."""
    for name, text in unit.subject.files.items():
        wicked = "/* \x1b[2J\x1b]0;title\x07 \u202e\u2066 \x9b \udcff\udc80 */\n"
        unit.subject.files[name] = wicked + text.replace(";\n", "; // \x1b[31m\u202e\n", 3)
    yield


@fault("source-endings", "D", Expects.RIGHT)
def source_endings(unit: Unit) -> Iterator[None]:
    """Lines end as they do elsewhere, or the last one does not."""
    for name, text in unit.subject.files.items():
        way = unit.random.randrange(3)
        changed = text.replace("\n", "\r\n") if way == 0 else text.rstrip("\n")
        unit.subject.files[name] = "\ufeff" + text if way == 2 else changed
    yield
