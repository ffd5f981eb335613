"""A text of a caller may lie in an object that another parameter leads to. It ends there, too.

    int set(struct c *c, const char *s) { c->n = strlen(s); .. }
                                 | size_t n = strlen(s); c->n = n; .. }

With s = c->name the versions are alike as long as c->name ends with a 0; what stores there before
the text is read makes another difference, which is found.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import build_edited
from tests.nightly import every

_HEAD = "#include <stdlib.h>\n#include <string.h>\nstruct c { int n; NAME int last; };\n"
NAMES = {
    "characters": "char name[8];",
    "unsigned characters": "unsigned char name[5];",
    "another number before": "short before; char name[3];",
    "two": "char first[4]; char name[4];",
}
TYPES = ("const char *", "const unsigned char *", "char *")
ALIKE = {
    "hoisted": (
        "⟨ | size_t n = strlen((const char *) s);⟩"
        " if (s[0] != 'x') return 0; c->n = ⟨(int) strlen((const char *) s) | (int) n⟩; return 1;"
    ),
    "copied": (
        "if (!s[0]) return 0;"
        "⟨ c->n = atoi((const char *) s);"
        " | char *copy = strdup((const char *) s); if (!copy) return 0; c->n = atoi(copy);"
        " free(copy);⟩ return 1;"
    ),
    "looked through": (
        "int k = 0; if (c->last == 3) ⟨return 1;"
        " | { while (s[k]) k++; return 1; }⟩ while (s[k]) k++; return k;"
    ),
}
DIFFERENT = {
    "cleared before": (
        "if (c->last != 777) return 0;"
        "⟨c->n = s[0]; memset(c->name, 0, sizeof c->name);"
        " | memset(c->name, 0, sizeof c->name); c->n = s[0];⟩ return 1;"
    ),
    "the end is cut off": (
        "if (c->last != 777) return 0;"
        "⟨c->n = (int) strlen((const char *) s); c->name[1] = 0;"
        " | c->name[1] = 0; c->n = (int) strlen((const char *) s);⟩ return 1;"
    ),
}


def _build(folder: Path, name: str, kind: str, body: str) -> tuple[int, str, str]:
    function = f"{_HEAD.replace('NAME', NAMES[name])}int f(struct c *c, {kind}s)\n{{\n{body}\n}}\n"
    done = build_edited(folder, function)
    return done.code, done.report["verdict"], done.out


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("name", every(1, NAMES))
@pytest.mark.parametrize("edit", every(2, ALIKE))
def test_a_text_ends_in_the_object_where_it_lies(
    edit: str, name: str, kind: str, tmp_path: Path
) -> None:
    code, verdict, said = _build(tmp_path, name, kind, ALIKE[edit])
    assert (code, verdict) == (0, "equivalent-within-bounds"), said


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("name", every(1, NAMES))
@pytest.mark.parametrize("edit", every(1, DIFFERENT))
def test_what_is_stored_in_the_text_is_seen(
    edit: str, name: str, kind: str, tmp_path: Path
) -> None:
    code, verdict, said = _build(tmp_path, name, kind, DIFFERENT[edit])
    assert (code, verdict) == (1, "different"), said
    assert "regression" not in said and "overflow" not in said, said
