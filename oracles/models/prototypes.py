"""The C library functions that have a model, and how this machine's headers declare them.

library(folder).prototypes["strlen"]     Prototype("strlen", "size_t", ("const char *",))
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from csg.cache import loads
from csg.toolchain import find_compiler
from symexec.runtime.library import load_archive, registry

_NAMES = (
    "stdio stdio_ext stdlib string strings ctype math wchar wctype uchar inttypes setjmp signal "
    "time errno locale libintl langinfo unistd fcntl dirent fnmatch glob regex pwd grp search "
    "obstack err error getopt fts ftw pthread sched utime malloc libgen arpa/inet netinet/in "
    "gnu/libc-version sys/types sys/stat sys/statfs sys/mman sys/uio sys/ioctl sys/resource "
    "sys/time sys/utsname sys/file sys/prctl sys/mount sys/swap sys/reboot sys/sysinfo sys/fsuid "
    "sys/times sys/select poll termios sys/socket netdb net/if ifaddrs syslog "
    "threads semaphore sys/sysmacros sys/xattr sys/random"
)
HEADERS = _NAMES.split()
INCLUDES = (
    "#define _GNU_SOURCE\n#define obstack_chunk_alloc malloc\n#define obstack_chunk_free free\n"
    + "".join(f"#include <{header}.h>\n" for header in HEADERS)
    + "#undef errno\n#define errno (*__errno_location())\n"
)
_LINE = re.compile(r"^/\* \S+:\d+:N\w \*/ extern (.*?[\s*(])(\w+) \((.*)\);$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Prototype:
    """Types as the compiler writes them, names of typedefs included."""

    name: str
    result: str
    parameters: tuple[str, ...]
    variadic: bool = False

    @property
    def listed(self) -> bool:
        """Does it end in a va_list?"""
        return self.parameters[-1:] == ("__va_list_tag *",)

    def with_ellipsis(self, name: str) -> str:
        """A function that hands its arguments on to this one as a va_list."""
        passed = [f"p{place}" for place in range(len(self.parameters) - 1)]
        given = [f"{kind} {each}" for kind, each in zip(self.parameters, passed, strict=False)]
        last, returned = passed[-1], "" if self.result == "void" else "return result;"
        kept = "" if self.result == "void" else f"{self.result} result = "
        return (
            f"{self.result} {name}({', '.join(given)}, ...)\n{{\n    va_list list;\n"
            f"    va_start(list, {last});\n    {kept}{self.name}({', '.join(passed)}, list);\n"
            f"    va_end(list);\n    {returned}\n}}\n"
        )


@dataclass(frozen=True, slots=True)
class Library:
    """``linked``: the names that a program can be linked with, declared or not."""

    prototypes: dict[str, Prototype]
    linked: frozenset[str]


def modelled() -> list[str]:
    """Every function of the library that has a model, in C or in Python."""
    kept = load_archive()
    in_c = {name for name in kept if ":" not in name and loads(kept[name]).functions}
    return sorted(in_c | registry().keys())


def library(folder: Path) -> Library:
    """This machine's; files are made in ``folder``."""
    return Library(_declared(folder), _linked())


def _linked() -> frozenset[str]:
    """What programs find in the shared libraries and in the static ones: what is hidden in one is
    in neither."""
    shared = _named(("libc.so.6", "libm.so.6"), "--dynamic")
    return shared & _named(("libc.a", "libm.a"), "--extern-only")


def _named(libraries: Sequence[str], which: str) -> frozenset[str]:
    found: set[str] = set()
    for each in libraries:
        command = [find_compiler(), f"-print-file-name={each}"]
        path = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
        head = Path(path).read_bytes()[:400].decode("latin-1")
        paths = re.findall(r"/\S+\.a", head) if head.startswith("/*") else [path]
        command = ["nm", "--defined-only", which, "--without-symbol-versions", "-j", *paths]
        listed = subprocess.run(command, check=True, capture_output=True, text=True)
        found.update(listed.stdout.split())
    return frozenset(found)


def _declared(folder: Path) -> dict[str, Prototype]:
    """What the headers declare, as the compiler lists it."""
    source, listing = folder / "declared.c", folder / "declared.txt"
    source.write_text(INCLUDES)
    command = [find_compiler(), "-std=gnu17", "-fsyntax-only", "-aux-info", str(listing)]
    subprocess.run([*command, str(source)], check=True)
    found: dict[str, Prototype] = {}
    for result, name, parameters in _LINE.findall(listing.read_text()):
        types = tuple(each for each in _split(parameters) if each not in ("void", "..."))
        found[name] = Prototype(name, result.strip(), types, parameters.endswith("..."))
    return found


def _split(parameters: str) -> list[str]:
    """At the commas that stand in no parentheses."""
    found, depth = [""], 0
    for letter in parameters:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            found.append("")
        else:
            found[-1] += letter
    return [each.strip() for each in found]
