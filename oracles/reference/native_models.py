"""The C library of this machine, to compare models with.

shared_library(text, folder)     C text as functions that ctypes can call
renamed_models(folder)           our C models beside the originals, as csgtest_strlen ...
refuses(models)                  has one of them called something unsupported?
"""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Iterable
from pathlib import Path

from csg.toolchain import find_compiler
from symexec.runtime.library import SOURCES, load_archive, registry

PREFIX = "csgtest_"
PYTHON = """
void __csgtest_exit(int status) { __builtin_exit(status); }
void __csgtest_abort(void) { __builtin_abort(); }
int csgtest_refusals;
void __csgtest_unsupported(const char *what) { csgtest_refusals++; }
"""
FLAGS = ["-std=gnu17", "-O1", "-fPIC", "-shared", "-fno-builtin", "-w"]


def shared_library(text: str, folder: Path, flags: Iterable[str] = ()) -> ctypes.CDLL:
    source, target = folder / "functions.c", folder / "functions.so"
    source.write_text(text)
    command = [find_compiler(), *FLAGS, *flags, str(source), "-o", str(target)]
    subprocess.run(command, check=True)
    return ctypes.CDLL(str(target))


def refuses(models: ctypes.CDLL) -> bool:
    """Has a model called something unsupported since this was asked last?"""
    refusals = ctypes.c_int.in_dll(models, "csgtest_refusals")
    found = bool(refusals.value)
    refusals.value = 0
    return found


def renamed_models(folder: Path) -> ctypes.CDLL:
    """All models in C in one library; what they call and do not define is the host's."""
    names = [name for name in load_archive() if ":" not in name]
    header = folder / "renamed.h"
    header.write_text("".join(f"#define {name} {PREFIX}{name}\n" for name in names))
    python = folder / "python.c"  # what models in C ask of models in Python, beyond the host's
    asked = sorted(name for name in registry() if name.startswith("__csgtest_"))
    refusing = [f"long {name}() {{ return -1; }}\n" for name in asked if name not in PYTHON]
    python.write_text(PYTHON + "".join(refusing))
    target = folder / "models.so"
    flags = [*FLAGS, "-fno-tree-loop-distribute-patterns", "-include", str(header)]
    sources = [str(each) for each in sorted(SOURCES.glob("*.c")) if each.name != "start.c"]
    command = [find_compiler(), *flags, *sources, str(python), "-o", str(target)]
    subprocess.run(command, check=True)
    return ctypes.CDLL(str(target))
