"""The folders outside the system that a build or a compiler may read: those of its tools.

    tool_folders("cc")      ["/home/ann/arm/bin", "/home/ann/arm/lib", ...]

Homes and all else that is no part of the system are hidden (enclosure.c, csg/confinement.py).
Compilers and build systems may be installed there.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress

# An installation has its programs in one of these folders, and all else beside it. In homes and in
# ~/.local users keep other things, too: there only these folders are shown.
_PROGRAMS = ("bin", "sbin", "shims")
_INSTALLED = (
    "bin", "sbin", "lib", "lib32", "lib64", "libexec", "include", "share/aclocal", "share/cmake",
    "share/pkgconfig",
)  # fmt: skip
SETTINGS = (
    "CC", "CFLAGS", "CPPFLAGS", "LDFLAGS", "LIBS", "CPATH", "C_INCLUDE_PATH", "LIBRARY_PATH",
    "LD_LIBRARY_PATH", "PKG_CONFIG_PATH",
)  # fmt: skip
_SEPARATORS = re.compile(r"[\s:;,=]+|(?<=\s)-[A-Za-z]|^-[A-Za-z]")
_OF_THE_SYSTEM = ("/bin", "/etc", "/gnu", "/lib", "/nix", "/opt", "/sbin", "/usr")
_MOST_LINKS = 10_000  # entries of a folder of programs that are followed


def tool_folders(compiler: str) -> list[str]:
    """Absolute paths without symbolic links, each once: of the commands on ``PATH``, of the
    command ``compiler`` and of what they link to, with the rest of their installations, and of the
    folders that settings of the compiler name. Folders of the system and the home itself are left
    out."""
    homes = {os.path.realpath(os.path.expanduser("~")), "/", "/root", "/home"}
    search = [each for each in os.environ.get("PATH", "").split(os.pathsep) if os.path.isabs(each)]
    search.append(os.path.dirname(shutil.which(compiler.split(maxsplit=1)[0]) or "/usr/bin/cc"))
    folders = {
        os.path.realpath(folder)
        for programs in dict.fromkeys(search)
        for target in (programs, *_targets(programs))
        for folder in (target, *_installation(target, homes))
    }
    folders.update(os.path.realpath(folder) for folder in _folders_of_settings())
    return sorted(
        folder
        for folder in folders - homes
        if os.path.isdir(folder) and not _is_of_the_system(folder)
    )


def _installation(programs: str, homes: Iterable[str]) -> Iterator[str]:
    """The folders of the installation that a folder of programs belongs to."""
    prefix = os.path.dirname(programs)
    if os.path.basename(programs) not in _PROGRAMS:
        return
    if os.path.realpath(prefix) in homes or os.path.basename(prefix) == ".local":
        yield from (os.path.join(prefix, name) for name in _INSTALLED)
    else:
        yield prefix


def _is_of_the_system(folder: str) -> bool:
    return any(folder == top or folder.startswith(f"{top}/") for top in _OF_THE_SYSTEM)


def _targets(folder: str) -> Iterator[str]:
    """The folders that links of a folder of programs lead to: of a virtual environment, for one."""
    if _is_of_the_system(os.path.realpath(folder)):
        return
    found: set[str] = set()
    with suppress(OSError), os.scandir(folder) as entries:
        for _, entry in zip(range(_MOST_LINKS), entries, strict=False):
            if entry.is_symlink():
                found.add(os.path.dirname(os.path.realpath(entry.path)))
    yield from sorted(found)


def _folders_of_settings() -> Iterator[str]:
    for name in SETTINGS:
        for word in _SEPARATORS.split(os.environ.get(name, "")):
            if word.startswith("/"):
                yield word if os.path.isdir(word) else os.path.dirname(word)
