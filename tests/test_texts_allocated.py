"""Texts in memory that one version alone has filled: what is read up to the 0 counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import csgtest, write_versions

HEAD = """\
#include <stdlib.h>
#include <string.h>
struct holder { char *text; };
"""
# Where the memory goes that ``MADE`` makes.
PLACES = {
    "char *": "char *f(int k) { char *p = MADE; if (!p) return 0; FILL return p; }",
    "unsigned char *": "unsigned char *f(int k) { unsigned char *p = MADE; if (!p) return 0;"
    " FILL return p; }",
    "a member": "int f(struct holder *h, int k) { char *p = MADE; if (!p) return 0; FILL"
    " h->text = p; return 1; }",
    "a parameter": "int f(char **to, int k) { char *p = MADE; if (!p) return 0; FILL *to = p;"
    " return 1; }",
}
WITHOUT_END = "p[0] = 'a' + (k & 1);"


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("fill", [WITHOUT_END, WITHOUT_END + " p[1] = 0;"], ids=["open", "ended"])
def test_a_text_may_need_the_zeros_of_calloc(fill: str, place: str, tmp_path: Path) -> None:
    text = HEAD + PLACES[place].replace("FILL", fill)
    versions = (text.replace("MADE", made) for made in ("calloc(1, 8)", "malloc(8)"))
    write_versions(tmp_path, *versions)
    words = ("--entry", "f", "--time", "20", "--no-replay", "--attack", "0")
    done = csgtest("build", "old.c", "new.c", *words, folder=tmp_path)
    said = [each["text"] for each in done.report["omissions"]]
    left = "a version may leave bytes of an allocated object that the other one writes"
    assert (left in said) is (fill == WITHOUT_END), said
