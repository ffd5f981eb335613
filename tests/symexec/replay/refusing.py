"""Make this process one that gets no name spaces, as on a machine that has none.

refuse_namespaces()      of x86-64; for the rest of this process and its children
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct

_LOAD, _EQUAL, _ANY_BIT, _RETURN = 0x20, 0x15, 0x45, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | errno.EPERM
_CLONE, _UNSHARE, _CLONE3 = 56, 272, 435
_NEW_USER = 0x10000000
_NUMBER, _FIRST_ARGUMENT = 0, 16  # offsets in seccomp_data
_SET_NO_NEW_PRIVS, _SET_SECCOMP, _FILTER = 38, 22, 2


def refuse_namespaces() -> None:
    """Let clone and unshare with CLONE_NEWUSER, and clone3, fail with EPERM and ENOSYS."""
    steps = [
        (_LOAD, 0, 0, _NUMBER),
        (_EQUAL, 4, 0, _CLONE3),
        (_EQUAL, 1, 0, _CLONE),
        (_EQUAL, 0, 3, _UNSHARE),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_ANY_BIT, 2, 1, _NEW_USER),
        (_RETURN, 0, 0, 0x00050000 | errno.ENOSYS),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _REFUSE),
    ]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    program = struct.pack("HxxxxxxP", len(steps), ctypes.addressof(code))
    library = ctypes.CDLL(None, use_errno=True)
    for words in ((_SET_NO_NEW_PRIVS, 1, 0, 0, 0), (_SET_SECCOMP, _FILTER, program, 0, 0)):
        if library.prctl(*words):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
