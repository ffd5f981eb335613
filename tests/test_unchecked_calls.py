"""AddressSanitizer does not look into some functions of the C library: what such a call and a loop
for it read behind an object is the same error."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import symexec.replay
from tests.command_line import csgtest
from tests.nightly import every

CHECKED = Path(symexec.replay.__file__).with_name("checked_calls.c")
HEAD = "#define _GNU_SOURCE\n#include <string.h>\n#include <wchar.h>\n"
# The parameters of a function, what it returns by a call, and by a loop.
PAIRS = {
    "wcschr": ("const wchar_t *a", "return wcschr(a, L'/') != 0;",
               "for (; *a != L'/'; a++) if (!*a) return 0; return 1;"),
    "wcsrchr": ("const wchar_t *a", "return wcsrchr(a, L'/') != 0;",
                "int r = 0; for (; *a; a++) if (*a == L'/') r = 1; return r;"),
    "wcscmp": ("const wchar_t *a, const wchar_t *b", "return wcscmp(a, b) == 0;",
               "while (*a && *a == *b) a++, b++; return *a == *b;"),
    "wcsncmp": ("const wchar_t *a", "return wcsncmp(a, L\"ab\", 2) == 0;",
                "return a[0] == L'a' && a[1] == L'b';"),
    "wmemchr": ("const wchar_t *a, unsigned n", "return wmemchr(a, L'/', n) != 0;",
                "for (; n; n--) if (*a++ == L'/') return 1; return 0;"),
    "wcsspn": ("const wchar_t *a", "return wcsspn(a, L\"/\");",
               "int n = 0; while (a[n] == L'/') n++; return n;"),
    "wmemset": ("wchar_t *a, unsigned n", "wmemset(a, L'/', n); return 0;",
                "while (n) n--, *a++ = L'/'; return 0;"),
}  # fmt: skip


def written(folder: Path, parameters: str, old: str, new: str) -> None:
    for version, body in (("old", old), ("new", new)):
        text = f"{HEAD}int f({parameters})\n{{\n    {body}\n}}\n"
        (folder / f"{version}.c").write_text(text)


@pytest.mark.slow
@pytest.mark.parametrize("name", every(7, sorted(PAIRS), first=3))
def test_a_loop_for_a_call_is_no_regression(name: str, tmp_path: Path) -> None:
    written(tmp_path, *PAIRS[name])
    words = ("old.c", "new.c", "--entry", "f", "--time", "6", "--no-config")
    done = csgtest("build", *words, folder=tmp_path)
    assert done.report["verdict"] != "different"


def test_a_call_that_reads_more_is_a_regression(tmp_path: Path) -> None:
    written(tmp_path, "void", "wchar_t a[2] = { 1, 0 }; return wcscmp(a, L\"x\") == 0;",
            "wchar_t a[2] = { 1, 2 }; return wmemchr(a, L'x', 3) != 0;")  # fmt: skip
    words = ("old.c", "new.c", "--entry", "f", "--time", "6", "--no-config")
    done = csgtest("build", *words, folder=tmp_path)
    assert [each["class"] for each in done.report["groups"]] == ["regression"]


CALLS = """#include <stdio.h>
#include <stdlib.h>
#define P(p) ((p) ? (long) ((char *) (p) - (char *) a) : -1)
static int sign(int x) { return (x > 0) - (x < 0); }
int main(void)
{
    for (int i = 0; i < 3000; i++) {
        wchar_t a[12] = { 0 }, b[12] = { 0 }, c[32];
        char d[8], e[8];
        size_t n = rand() % 12;
        for (int k = rand() % 11; k >= 0; k--) a[k] = rand() % 4 ? L'a' + rand() % 3 : L'A' - 2000000000 * (rand() % 2);
        for (int k = rand() % 3; k >= 0; k--) b[k] = L'a' + rand() % 3;
        for (int k = 0; k < 8; k++) d[k] = rand() % 3 - 1;
        printf("%ld %ld %ld %ld ", P(wcschr(a, b[0])), P(wcschr(a, 0)), P(wcsrchr(a, b[0])), P(wcsrchr(a, 0)));
        printf("%ld %ld %ld %ld ", P(wcschrnul(a, b[0])), P(wmemchr(a, b[0], n)), P(wcsstr(a, b)), P(wcspbrk(a, b)));
        printf("%zu %zu %d %d ", wcsspn(a, b), wcscspn(a, b), wcscmp(a, b), wcsncmp(a, b, n));
        printf("%d %d %d ", wmemcmp(a, b, n), sign(wcscasecmp(a, b)), sign(wcsncasecmp(a, b, n)));
        wmemset(c, L'z', 32);
        printf("%ld ", (long) (wcpcpy(c, a) - c)); printf("%ld ", (long) (wcscpy(c + 12, b) - c));
        printf("%ld ", (long) (wcpncpy(c + 8, a, n) - c)); printf("%ld ", (long) (wcsncpy(c + 1, b, n) - c));
        printf("%ld ", (long) (wmemmove(c + 2, c, n) - c)); printf("%ld ", (long) (wmempcpy(c + 20, a, n) - c));
        wmemcpy(c + 9, a, n);
        for (int k = 0; k < 32; k++) printf("%d ", c[k]);
        d[7] = 1; memset(e, 5, 8);
        printf("%ld ", (long) ((char *) rawmemchr(d, 1) - d));
        char *p = memccpy(e, d, 0, n % 9);
        printf("%ld %d\\n", p ? (long) (p - e) : -1, e[3]);
    }
    return 0;
}
"""  # noqa: E501


def test_the_calls_do_what_the_library_does(tmp_path: Path) -> None:
    (tmp_path / "calls.c").write_text(HEAD + CALLS)
    shown = []
    for more in ((), (str(CHECKED),)):
        binary = tmp_path / f"calls{len(more)}"
        words = ["gcc", "-w", "-O0", "-fno-builtin", "-o", str(binary), str(tmp_path / "calls.c")]
        subprocess.run([*words, *more], check=True)
        shown.append(subprocess.run([binary], capture_output=True, check=True).stdout)
    assert shown[0] == shown[1]
