"""What two programs that take one byte natively do on each.

differing("int main(int argc, char **argv) ...", ..., ("-fshort-enums",), folder)   ->   [5, 133]
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

_MARK = b"\n|of byte|"
_DRIVER = r"""
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int tested(int argc, char **argv);
int main(void)
{
    for (int byte = 1; byte < 256; byte++) {
        char text[2] = {(char)byte, 0}, *words[] = {"tested", text, NULL};
        int status = 0;
        pid_t child = fork();
        if (child == 0) {
            alarm(5);
            exit(tested(2, words));
        }
        waitpid(child, &status, 0);
        printf("%d\n|of byte|", status);
        fflush(stdout);
    }
    _exit(0);
}
"""


def differing(old: str, new: str, flags: Sequence[str], folder: Path) -> list[int]:
    """The bytes for which the versions print or return something else."""
    seen = [_behaviours(text, flags, folder / name) for name, text in (("old", old), ("new", new))]
    return [byte for byte, (one, other) in enumerate(zip(*seen, strict=True), 1) if one != other]


def _behaviours(text: str, flags: Sequence[str], folder: Path) -> list[bytes]:
    folder.mkdir()
    (folder / "tested.c").write_text(text)
    (folder / "driver.c").write_text(_DRIVER)
    command = ["gcc", "-w", "-O0", "-fwrapv", "-c", "-Dmain=tested", *flags, "tested.c"]
    subprocess.run(command, check=True, cwd=folder, capture_output=True)
    link = ["gcc", "-w", "driver.c", "tested.o", "-o", "driver"]
    subprocess.run(link, check=True, cwd=folder, capture_output=True)
    done = subprocess.run([folder / "driver"], capture_output=True, check=True, timeout=60)
    found = done.stdout.split(_MARK)[:-1]
    assert len(found) == 255
    return found
