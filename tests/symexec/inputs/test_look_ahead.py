"""Verdicts on code that looks ahead in a buffer: refactorings are equivalent; what reads further
than a caller has room for is found, and so is what a number beside a null shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import csgtest, write_versions
from tests.nightly import daily, every

WORDS = ("build", "old.c", "new.c", "--entry", "f", "--time", "5")
PARAMETERS = "int f(const char *buf, size_t n)"
MEMBERS = "struct box { const char *buf; size_t n; }; int f(const struct box *b)"
TEXT = "#include <stddef.h>\nPROTOTYPE\n{ int r = 0; LOOP return r; }\n"
LOOK = (  # in loops that return at once, and loops that remember it
    "if (buf[i] == 13 && i + 1 < n && buf[i + 1] == 10) FOUND",
    "if (n - i > 1 && buf[i] == 13 && buf[i + 1] == 10) FOUND",
    "if (buf[i] == 'x' || (buf[i] == 'y' && i == n - 1)) FOUND",
    "if (buf[i] == 92 && i + 1 < n) i++; else if (buf[i] == 34) FOUND",
    "if (buf[i] == 92) { if (i != n - 1 && buf[i + 1] == 34) FOUND }",
    "if (buf[i] == 13) { if (n > 2) FOUND }",
)
POINTERS = (
    "if (*p == 13 && p + 1 < end && p[1] == 10) FOUND",
    "if (*p == 92 && end - p > 1) p++; else if (*p == 34) FOUND",
)


def versions(look: str, prototype: str) -> list[str]:
    loop = f"for (size_t i = 0; i < n; i++) {{ {look} }}"
    if "*p" in look:
        loop = f"for (const char *p = buf, *end = buf + n; p < end; p++) {{ {look} }}"
    texts = [TEXT.replace("LOOP", loop.replace("FOUND", it)) for it in ("return 1;", "r = 1;")]
    if prototype == MEMBERS:
        texts = [each.replace("buf", "b->buf").replace(" n", " b->n") for each in texts]
        texts = [each.replace("(n", "(b->n") for each in texts]
    return [each.replace("PROTOTYPE", prototype) for each in texts]


REFACTORED = [
    *((look, PARAMETERS) for look in LOOK),
    *((look, MEMBERS) for look in LOOK),
    *((look, PARAMETERS) for look in POINTERS),
]


@pytest.mark.parametrize("pair", every(len(REFACTORED), REFACTORED))
def test_a_refactored_look_ahead_is_equivalent(pair: tuple[str, str], tmp_path: Path) -> None:
    look, prototype = pair
    write_versions(tmp_path, *versions(look, prototype))
    done = csgtest(*WORDS, folder=tmp_path)
    assert done.code == 0, done.out
    assert not done.differing


FURTHER = [
    ("if (buf[i] == 13 && buf[i + 1] == 10) r = 1;", "i + 1 < n && "),
    ("if (buf[i] == 92) r += buf[++i];", "i < n - 1 && "),
]


@pytest.mark.parametrize("case", every(2, FURTHER))
def test_reading_one_byte_too_many_is_found(case: tuple[str, str], tmp_path: Path) -> None:
    """The old version does not ask whether there is a further byte."""
    look, asks = case
    asked = look.replace("if (", f"if ({asks}")
    loop = "for (size_t i = 0; i < n; i++) { LOOK }"
    texts = (TEXT.replace("LOOP", loop.replace("LOOK", each)) for each in (look, asked))
    write_versions(tmp_path, *(each.replace("PROTOTYPE", PARAMETERS) for each in texts))
    done = csgtest(*WORDS, folder=tmp_path)
    assert done.code == 1, done.out
    assert "fix" in {each["class"] for each in done.report["groups"]}
    assert "n <= bytes of buf" in {each["text"] for each in done.report["preconditions"]}


@pytest.mark.parametrize("asks", daily(["", "if (!b->a) return -1;"], 1))
def test_what_stands_beside_a_null_is_expected_where_nobody_asks(asks: str, tmp_path: Path) -> None:
    """A version that asks whether the pointer is null shows what it means beside a number."""
    text = """
        struct box { const int *a; int n; };
        int f(const struct box *b, int s)
        { int r = 0; ASKS if (s == KEPT) return 0;
          for (int i = 0; i < b->n; i++) r += b->a[i]; return r; }
    """
    new = text.replace("ASKS", asks).replace("KEPT", "4")
    write_versions(tmp_path, text.replace("ASKS", "").replace("KEPT", "3"), new)
    done = csgtest(*WORDS, folder=tmp_path)
    classes = {each["class"] for each in done.report["groups"]}
    assert done.code == 1 and "difference" in classes, done.out
    assert ("fix" in classes) is bool(asks)
    assert "4 * b->n <= bytes of b->a" in {each["text"] for each in done.report["preconditions"]}
