"""A caller of one version, compiled by gcc: what it prints is the truth."""

from __future__ import annotations

import subprocess
from pathlib import Path


def shown_by_caller(folder: Path, text: str, main: str, *flags: str) -> bytes:
    """What ``main``, the body of a function, prints behind the text of a version."""
    file, program = folder / "caller.c", folder / "caller"
    file.write_text(f"{text}\nint main(void) {{ {main}; return 0; }}\n")
    subprocess.run(["gcc", "-w", "-O0", *flags, "-o", program, file], check=True)
    return subprocess.run([program], check=True, capture_output=True).stdout
