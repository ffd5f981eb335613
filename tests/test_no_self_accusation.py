"""One version breaks a rule of C in a way that sanitizers see otherwise, or not at all: the report
blames no error of csgtest."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import build_edited
from tests.nightly import every

_COPY = "void f(char *to, const char *from, int n)\n{\n    if (n <= 0) return;\n    EDIT\n}\n"
_NONE = """#include <stdlib.h>
#include <string.h>
int f(int n)
{
    if (n < 0 || n > 3) return -1;
    char *s = MADE;
    if (!s) return -2;
    BODY
    int first = n ? s[0] : 7;
    free(s);
    return first;
}
"""
_FILLED = "for (int i = 0; i < n; i++) s[i] = 'a'; s[n ? n - 1 : 0] = 0;"
PAIRS = {
    "strncpy and room": "#include <string.h>\n"
    + _COPY.replace("EDIT", "⟨strncpy(to, from, n); to[n - 1] = 0; | strncpy(to, from, n - 1);⟩"),
    "strcpy": "#include <string.h>\n"
    + _COPY.replace("EDIT", "if (n < 9) ⟨strcpy(to, from); | memcpy(to, from, strlen(from) + 1);⟩"),
    "strcat": "#include <string.h>\n"
    + _COPY.replace("EDIT", "to[0] = 0; ⟨strcat(to, from); | strncat(to, from, n);⟩"),
    "malloc of none": _NONE.replace("MADE", "malloc(⟨n + 1 | n⟩)").replace("BODY", _FILLED),
    "calloc of none": _NONE.replace("MADE", "calloc(⟨n + 1 | n⟩, 1)").replace("BODY", _FILLED),
    "realloc of none": _NONE.replace("MADE", "realloc(NULL, ⟨n + 1 | n⟩)").replace("BODY", _FILLED),
    "strcpy into none": _NONE.replace("MADE", "malloc(⟨n + 1 | n⟩)").replace(
        "BODY", 'strcpy(s, n ? "" : "");'
    ),
}


@pytest.mark.parametrize("name", every(2, PAIRS))
def test_no_prediction_is_called_an_error_of_csgtest(name: str, tmp_path: Path) -> None:
    text = PAIRS[name]
    done = build_edited(tmp_path, text)
    assert "error of csgtest" not in done.out, done.out
    may_be_equal = name == "strcpy"  # of objects apart
    assert may_be_equal or done.report["verdict"] != "equivalent-within-bounds", done.out
