"""Files of others: read whole, within a bound, and with a message where that cannot be.

    read_file(path)                          b"int f(void);\\n"
    read_text(path)                          "int f(void);\\n"
    read_json(path, "report of csgtest")     {"old": "old.c", ..}

A name that a stranger chose may stand for a pipe, which never ends, for a device, or for a terabyte
of holes. Each of these is a UsageError here, as is a file that is not there.
"""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

from csg.errors import UsageError

MOST_BYTES = 64 << 20  # of a file, unless its reader says otherwise


def read_file(path: Path | str, most: int = MOST_BYTES, hint: str = "") -> bytes:
    """The content of a regular file, or of what a symbolic link leads to. Raises UsageError, with
    ``hint``, where it cannot be read, is no regular file, or has more than ``most`` bytes."""
    try:
        # A pipe would wait for its writer, and a terminal would become ours.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        with open(handle, "rb") as stream:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise UsageError(f"'{path}' is no regular file", hint=hint)
            content = stream.read(most + 1)
    except OSError as error:
        raise UsageError(f"cannot read '{path}': {error.strerror}", hint=hint) from None
    except ValueError as error:  # a null character in the name
        raise UsageError(f"cannot read '{path}': {error}", hint=hint) from None
    if len(content) > most:
        size = f"{most >> 20} MB" if most >= 1 << 20 else f"{most} bytes"
        raise UsageError(f"'{path}' is larger than {size}", hint=hint)
    return content


def read_text(path: Path | str, most: int = MOST_BYTES, hint: str = "") -> str:
    """As ``read_file``. What is no UTF-8 comes as surrogates, which encode to the same bytes."""
    return read_file(path, most, hint).decode("utf-8", "surrogateescape")


def read_json(path: Path | str, what: str, most: int = MOST_BYTES, hint: str = "") -> Any:
    """The value that a file of JSON holds. Raises UsageError as ``read_file`` does, and where the
    file is no JSON: "'report.json' is no report of csgtest (..)" for ``what`` "report of csgtest".
    """
    content = read_file(path, most, hint)
    try:
        return json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"'{path}' is no {what} ({error})", hint=hint) from None
