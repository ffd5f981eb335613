"""Become another Python program that ends with the process that asked for it.

python child.py PARENT PROGRAM WORDS..     PARENT: the process id of the one who asks
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1  # prctl(2); survives execve


def main() -> None:
    parent, *command = sys.argv[1:]
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != int(parent):  # it died before it could be bound to
        sys.exit(1)
    os.execv(sys.executable, [sys.executable, *command])


if __name__ == "__main__":
    main()
