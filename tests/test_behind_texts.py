"""Reading behind the 0 of a text: an error where the text is all that its object holds.

    if (s[2] == 0) return 1; char c = s[3]; ..   |   char c = s[3]; if (s[2] == 0) return 1; ..

A guard that no random input passes stands before. The versions differ for the text that ends there,
natively under AddressSanitizer. Where both read as far as the other, in whatever order, they are
equivalent.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.command_line import build_edited
from tests.nightly import every


@dataclass(frozen=True, slots=True)
class Place:
    """Where a function finds its text ``s``: its ``parameters``, with ``before`` at its begin."""

    parameters: str
    before: str = ""
    types: str = ""


_OPTION = "struct option { int kind; const char *name; };"
PLACES = {
    "a parameter": Place("const char *s"),
    "a parameter that is not const": Place("char *s"),
    "unsigned characters": Place("const unsigned char *s"),
    "a member": Place(
        "const struct option *o", "const char *s = o->name; if (!s) return 0;", _OPTION
    ),
    "a second one": Place("const char *t, const char *s", "if (t[0] != 'k') return 0;"),
    "an element": Place(
        "int count, const char *const *all",
        "if (count < 2 || !all[1]) return 0; const char *s = all[1];",
    ),
}
GUARDS = {
    "a sum": "if (s[0] == 0 || s[1] == 0 || s[0] * 3 + s[1] * 7 != 851) return -1;",
    "a word": "if (s[0] != 'k' || s[1] != 'v') return -1;",
}
# The first version of each reads only up to the 0.
FURTHER = {
    "hoisted": "⟨ | int c = s[3];⟩ if (s[2] == 0) return 1; if (s[3] == 0) return 2;"
    " return ⟨s[3] | c⟩ == 'x' ? 3 : 4;",
    "swapped": "return ⟨s[2] == 'a' && s[3] == 'b' | s[3] == 'b' && s[2] == 'a'⟩;",
    "a check is dropped": "int n = 2; while (⟨s[n] && s[n + 1] | s[n + 1]⟩) n++; return n > 2;",
    "a step too far": "int n = 2; while (s[n] == ' ') n++;"
    " return ⟨s[n] ? s[n + 1] == '=' : 0 | s[n + 1] == '='⟩ & (s[n] == 'q');",
    "compared as memory": 'return ⟨strncmp | memcmp⟩((const char *) s + 2, "abc", 3) == 0;',
    "copied": "char to[8] = {0}; ⟨strncpy | memcpy⟩(to, (const char *) s + 2, 4);"
    " return to[0] == 'x';",
}
ALIKE = {
    "in other words": "return ⟨s[2] == 'a' && s[3] == 'b' | s[2] == 'a' ? s[3] == 'b' : 0⟩;",
    "both behind the 0": "int c = s[3];"
    " return ⟨c == 'b' && s[2] == 'a' | s[2] == 'a' && c == 'b'⟩;",
    "a loop": "int n = 2; ⟨while (s[n]) n++; | for (; s[n]; ++n) {}⟩ return n;",
    "a function": "⟨int n = 0; while (s[n]) n++; | int n = (int) strlen((const char *) s);⟩"
    " return n;",
}


def _build(folder: Path, place: Place, guard: str, body: str) -> tuple[int, str, str]:
    text = (
        f"#include <string.h>\n{place.types}\nint f({place.parameters})\n"
        f"{{\n{place.before}\n{guard}\n{body}\n}}\n"
    )
    done = build_edited(folder, text)
    return done.code, done.report["verdict"], done.out


def _cases(edits: Iterable[str]) -> list[str]:
    return [f"{edit}: {place}: {guard}" for edit in edits for place in PLACES for guard in GUARDS]


@pytest.mark.parametrize("case", every(9, _cases(FURTHER)))
def test_reading_behind_a_text_is_a_difference(case: str, tmp_path: Path) -> None:
    edit, place, guard = case.split(": ")
    code, verdict, said = _build(tmp_path, PLACES[place], GUARDS[guard], FURTHER[edit])
    assert (code, verdict) == (1, "different"), said
    assert "overflow" in said, said


@pytest.mark.parametrize("case", every(8, _cases(ALIKE)))
def test_reading_as_far_is_none(case: str, tmp_path: Path) -> None:
    edit, place, guard = case.split(": ")
    code, verdict, said = _build(tmp_path, PLACES[place], GUARDS[guard], ALIKE[edit])
    assert (code, verdict) == (0, "equivalent-within-bounds"), said


OBJECTS = {
    "allocated": "char *p = malloc(2); if (!p) return -1; p[0] = 'k'; p[1] = 0;",
    "automatic": 'char p[2] = "k";',
    "static": 'static char p[2] = "k";',
    "constant": 'const char *p = "k";',
}


@pytest.mark.parametrize("name", every(1, OBJECTS))
def test_memory_is_compared_as_a_whole(name: str, tmp_path: Path) -> None:
    """memcmp takes objects of so many bytes, also where the first ones differ (C17 7.24.4.1)."""
    text = (
        "#include <stdlib.h>\n#include <string.h>\nint f(int k)\n{\n"
        f'{OBJECTS[name]}\n    return k == 77345 ? ⟨strncmp | memcmp⟩(p, "abc", 3) != 0 : 2;\n}}\n'
    )
    done = build_edited(tmp_path, text)
    assert done.report["verdict"] == "different" and "overflow" in done.out, done.out
