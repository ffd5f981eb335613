"""The models of library functions that are too large to stand behind a verdict of equality.

fnmatch, regexec, strptime, getopt_long, sscanf, mbsrtowcs ..

A model of ``strchr`` is a loop that one can read beside the standard. A model of ``regexec`` has
hundreds of lines and decides what POSIX leaves open as glibc does. Such a model is compared with
the library on many calls (docs/models.md), and that is no proof. The search uses it all the same,
for it finds differences; that there is none it cannot promise.
"""

from __future__ import annotations

from pathlib import PurePath

from csg.ir import Program
from symexec.runtime import regex
from symexec.runtime.formats import float_reading

# Files of ``libc/`` whose functions all are such models.
_SOURCES = frozenset(
    (
        "calendar.c",
        "date_reading.c",
        "date_text.c",
        "getopt.c",
        "globbing.c",
        "host_names.c",
        "memory_streams.c",
        "network.c",
        "obstack.c",
        "patterns.c",
        "scanning.c",
        "search_trees.c",
        "tables.c",
        "terminals.c",
        "users.c",
        "walking.c",
        "wide.c",
        "wide_streams.c",
        "wide_strings.c",
    )
)

# Single functions of files that hold small ones, too.
_FUNCTIONS = frozenset(
    (
        *regex.models.entries,
        *float_reading.models.entries,
        "a64l",
        "canonicalize_file_name",
        "dcgettext",
        "dcngettext",
        "getsubopt",
        "l64a",
        "nl_langinfo",
        "nl_langinfo_l",
        "realpath",
        "rpmatch",
        "scandir",
        "scandir64",
        "strfromd",
        "strfromf",
        "strfroml",
        "strverscmp",
    )
)

# Functions of the files above that are as small as they look.
_SMALL = frozenset(
    (
        "difftime",
        "freeaddrinfo",
        "globfree",
        "htonl",
        "htons",
        "ntohl",
        "ntohs",
        "time",
        "wcscmp",
        "wcscpy",
        "wcslen",
        "wmemcmp",
        "wmemcpy",
        "wmemmove",
        "wmemset",
    )
)


def is_sampled(name: str, program: Program) -> bool:
    """Is this a function of the library whose model was compared with it in samples alone?
    ``program``: with the models that it calls."""
    if name in _FUNCTIONS:
        return True
    code = program.functions.get(name)
    if code is None or not code.library:
        return False
    return PurePath(code.location.file).name in _SOURCES and name not in _SMALL
