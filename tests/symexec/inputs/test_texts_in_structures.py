"""Arrays of characters in structures: only those that code reads as texts end with a 0 byte.

Each use of an array is tried in a pair that differs where its last byte is not 0.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from csg.analysis.several import several
from csg.frontend import parse_text
from symexec.exploration.start import definition
from tests.command_line import csgtest, write_versions
from tests.nightly import nightly

# A use of ``s->at``, an array of four characters, and is it a text there?
USES = {
    "memcmp": ('return memcmp(s->at, "RIFF", 4) == 0;', False),
    "one element": ("return s->at[3] == 7;", False),
    "counted": ("int n = 0; for (int i = 0; i < 4; i++) n += s->at[i]; return n;", False),
    "counted and tested": ("int i = 0; while (i < 4 && s->at[i]) i++; return i;", False),
    "up to an end": ("K *p = s->at, *e = p + 4; while (p != e && *p) p++; return p - e;", False),
    "counted down": ("int n = 4; K *p = s->at; while (n-- && *p) p++; return n;", False),
    "strncmp": ('return strncmp((char *) s->at, "RIFF", 4) == 0;', False),
    "strnlen": ("return strnlen((char *) s->at, sizeof s->at) == 4;", False),
    "strlen": ("return strlen((char *) s->at);", True),
    "strcmp": ('return strcmp("RIF", (char *) s->at) == 0;', True),
    "strnlen beyond": ("return strnlen((char *) s->at, 5);", True),
    "strncmp to a number": ('return strncmp((char *) s->at, "RIF", s->n) == 0;', True),
    "printed": ('char t[40]; return snprintf(t, 40, "%s", s->at);', True),
    "stepped": ("K *p = s->at; while (*p) p++; return p - s->at;", True),
    "indexed": ("int i = 0; for (; s->at[i] != 0; i++) ; return i;", True),
    "assigned": ("K *p = s->at; int c, n = 0; while ((c = *p++) != 0) n += c; return n;", True),
    "passed on": ("return length(s->at);", True),
    "spaces": ("K *p = s->at; while (*p == ' ') p++; return *p;", True),
}
KINDS = ("char", "unsigned char", "signed char")
TEXT = """
#include <stdio.h>
#include <string.h>
typedef KIND K;
struct s { int n; K at[4]; };
static int length(const K *t) { int n = 0; while (t[n]) n++; return n; }
static int used(struct s *s) { if (s->n == 9) return length((K *) "abc"); USE }
"""
CALLS = {
    "behind a pointer": "int f(struct s *s) { return s->n > 1000 ? EDIT : used(s); }",
    "by value": "int f(struct s v) { struct s *s = &v; return s->n > 1000 ? EDIT : used(s); }",
}


@pytest.mark.parametrize("name", USES)
@pytest.mark.parametrize("kind", KINDS)
def test_only_arrays_that_are_read_to_their_end_are_texts(name: str, kind: str) -> None:
    use, is_text = USES[name]
    text = TEXT.replace("USE", use).replace("KIND", kind) + CALLS["behind a pointer"]
    unit = parse_text(text.replace("EDIT", "0"), "new.c")
    found = several([unit], definition([unit], "f"))
    assert found.texts == (frozenset({("s", "at")}) if is_text else frozenset())


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("name", nightly([each for each in USES if not USES[each][1]], set(USES)))
def test_a_difference_in_the_last_byte_is_found(name: str, call: str, tmp_path: Path) -> None:
    text = TEXT.replace("USE", USES[name][0]).replace("KIND", "char") + CALLS[call]
    edits = ("s->at[3] == 'F'", "s->at[3] == 'G'")
    write_versions(tmp_path, *(text.replace("EDIT", each) for each in edits))
    done = csgtest("build", "old.c", "new.c", "--entry", "f", "--time", "20", folder=tmp_path)
    assert done.code == 1, done
    assert done.report["counters"]["mispredicted"] == 0


@pytest.mark.parametrize("name", ["stepped", "memcmp"])
def test_a_text_ends_unless_nothing_is_assumed(name: str, tmp_path: Path) -> None:
    """The headline, or what is expected of callers, says so; --no-preconditions takes it back."""
    text = TEXT.replace("USE", USES[name][0]).replace("KIND", "char") + CALLS["behind a pointer"]
    edits = ("s->at[3] != 0", "0")
    write_versions(tmp_path, *(text.replace("EDIT", each) for each in edits))
    words = ("build", "old.c", "new.c", "--entry", "f", "--time", "20")
    done = csgtest(*words, folder=tmp_path)
    said = [each["text"] for each in done.report["preconditions"]]
    assert (done.code, "s->at ends with a 0 byte" in said) in ((1, False), (0, True)), done
    assert (done.code == 1) is (not USES[name][1])
    assert csgtest(*words, "--no-preconditions", folder=tmp_path).code == 1
