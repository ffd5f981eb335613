"""Does a declaration of a header define what other files can use?

    int limit;                 yes, unless another file does    extern int limit;    no
    int twice(int x) { ... }   yes                              int twice(int);      no
    int (*handler)(int);       yes                              struct s { int a; }; no

A look at the tokens, not a parse; a wrong yes is harmless.
"""

from __future__ import annotations

import re

_TOKEN = re.compile(r"""[A-Za-z_$][\w$]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[(){}\[\];,=*]""")
_NEVER = frozenset(("typedef", "static", "_Static_assert", "static_assert"))
_TAGGED = frozenset(("struct", "union", "enum"))
_QUALIFIERS = frozenset((
    "const", "volatile", "inline", "__inline", "__inline__", "_Noreturn", "__extension__",
    "_Thread_local", "__thread", "register", "__const", "__volatile__", "restrict", "__restrict",
    "extern", "_Atomic",
))  # fmt: skip
_BASIC = frozenset((
    "int", "char", "short", "long", "signed", "unsigned", "float", "double", "void", "_Bool",
    "bool", "_Complex", "__int128",
))  # fmt: skip
_CLOSING = {"(": ")", "[": "]", "{": "}"}


def exports(text: str) -> bool:
    """Of one declaration, without line markers and attributes."""
    outside = _outside(text)
    if _NEVER & set(outside):
        return False
    if "=" in outside or outside[-2:] == ["()", "{}"] or outside[-2:] == ["(*", "{}"]:
        return True
    return "extern" not in outside and any(map(_is_object, _declarators(outside)))


def _outside(text: str) -> list[str]:
    """What stands in no brackets; brackets themselves as ``()``, ``(*`` when that comes first,
    ``[]`` and ``{}``. The ``;`` at the end is left out."""
    found: list[str] = []
    open_ones: list[str] = []
    before = ""
    for token in _TOKEN.findall(text):
        if token in _CLOSING:
            if not open_ones:
                found.append(token + _CLOSING[token])
            open_ones.append(_CLOSING[token])
        elif open_ones and token == open_ones[-1]:
            open_ones.pop()
        elif len(open_ones) == 1 and before == "(" and token == "*":
            found[-1] = "(*"
        elif not open_ones and token not in ";)]}":
            found.append(token)
        before = token
    return found


def _declarators(outside: list[str]) -> list[list[str]]:
    """What follows the type, cut at commas."""
    rest = [token for token in outside if token not in _QUALIFIERS]
    if rest and rest[0] in _TAGGED:
        rest = rest[2:] if rest[1:2] != ["{}"] else rest[1:]
        rest = rest[1:] if rest[:1] == ["{}"] else rest
    elif rest and rest[0] in _BASIC:
        rest = [token for token in rest if token not in _BASIC]
    else:
        rest = rest[1:]
    found: list[list[str]] = [[]]
    for token in rest:
        if token == ",":
            found.append([])
        else:
            found[-1].append(token)
    return found


def _is_object(declarator: list[str]) -> bool:
    """Neither nothing nor a function."""
    return "(*" in declarator or ("()" not in declarator and any(t != "*" for t in declarator))
