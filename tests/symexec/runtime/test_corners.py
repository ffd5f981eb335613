"""Programs full of corner cases print under ``csgtest run`` what they print natively.

The other tests compare models that are compiled natively, one call at a time. These run in the
engine, as the models do in a search: one program for each family of functions, with cases drawn
from a seed, few by day and many at night.
"""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from csg.toolchain import find_compiler
from tests.command_line import csgtest
from tests.nightly import daily

CASES = 40
WORLD = {"TZ": "UTC", "LC_ALL": "C", "PATH": "/usr/bin:/bin"}
HEAD = "#define _GNU_SOURCE\n" + "".join(
    f"#include <{name}.h>\n"
    for name in (
        "errno", "fnmatch", "getopt", "regex", "stdio", "stdlib", "string", "time", "unistd",
    )
)  # fmt: skip


def quoted(text: str) -> str:
    return json.dumps(text)


def words(draw: random.Random, choices: list[str], most: int) -> str:
    return "".join(draw.choice(choices) for _ in range(draw.randint(0, most)))


# ---------------------------------------------------------------------- the families

PATTERNS = [
    "*", "?", "[", "]", "!", "a", "b", "-", "/", ".", "\\", "A", "^", ":", "[:alpha:]", "[.a.]",
    "[=a=]", "[.", "[a-c]", "[/]", "[!/]", "[a/b]", "B",
]  # fmt: skip


def file_names(draw: random.Random) -> str:
    pattern = words(draw, PATTERNS, 6)
    name = words(draw, list("abAB/.-]\\["), 5) if draw.random() < 0.6 else pattern.replace("*", "a")
    return f"fnmatch({quoted(pattern)}, {quoted(name)}, {draw.randrange(32)})"


DATE_LETTERS = "aAbBcCdDeFgGhHIjklmMnpPrRSTuUVwWxXyYzZ%"


def written_dates(draw: random.Random) -> str:
    form = "%" + draw.choice(["", "", "_", "-", "0", "^", "#", "5", "012", "E", "O"])
    form += draw.choice(DATE_LETTERS)
    members = [draw.choice([draw.randint(-9, 400), draw.randint(-3000, 3000)]) for _ in range(8)]
    zone = draw.choice(["0", '""', '"cet"'])
    last = f"{draw.randint(-1, 2)}, {draw.randint(-50000, 50000)}, {zone}"
    return f"written({quoted(form)}, (struct tm) {{{', '.join(map(str, members))}, {last}}})"


DATE_TEXTS = [
    "2020", "2021", "20", "12", "0", "1", "31", "366", "60", "Jan", "february", "Mon", "PM", "am",
    "12:30:59", "1:2", "12:", "02/03/04", "2021-02-29", "2021-02", "1:02:03 ", " ", "\t", "-", ":",
    "+01", "-0130", "Z", "99",
]  # fmt: skip


def read_dates(draw: random.Random) -> str:
    """Weeks are left out: some of their days lie in another year, which is unsupported."""
    forms = [f"%{letter}" for letter in "aAbBcCdDeFhHIjklmMnprRSTxXyYzZ"] + [" ", "-", ":", "%"]
    form, text = words(draw, forms, 4), words(draw, DATE_TEXTS, 4)
    return f"read_date({quoted(text)}, {quoted(form)}, {draw.choice([0, 5, 121])})"


def expression(draw: random.Random, depth: int) -> str:
    if not depth:
        return draw.choice(["a", "b", ".", "[ab]", "c", "[^a]", "[[:alpha:]b]"])
    first, second = expression(draw, depth - 1), expression(draw, depth - 1)
    ways = [first + second, f"({first}|{second})", f"({first}|)", f"({first})", f"^{first}$"]
    return draw.choice([*ways, *(f"({first}){each}" for each in "*?+")])


def matches(draw: random.Random) -> str:
    odd = words(draw, list("[]-^ab:=.*()"), 6)
    pattern = expression(draw, draw.randint(1, 3)) if draw.random() < 0.7 else odd
    text = words(draw, list("aabbc"), 6)
    return f"matched({quoted(pattern)}, {quoted(text)}, {draw.choice([1, 1, 3])})"


OPTIONS = [
    "-a", "-b", "-bx", "-ab", "-c", "-cx", "-", "--", "x", "--width", "--width=3", "--wi",
    "--wide=1", "--color", "--color=r", "-abc", "-z", "-W", "-Wall", "-Wwid=3", "--W", "-width",
]  # fmt: skip


def options(draw: random.Random) -> str:
    letters = draw.choice(["ab:c::", "+ab:c::", "-ab:c::", ":ab:c::", "ab:W;c", ":aW;"])
    found = [draw.choice(OPTIONS) for _ in range(draw.randint(0, 4))]
    argv = ", ".join(map(quoted, ["program", *found]))
    function = draw.choice(["getopt_long", "getopt_long_only"])
    return f"scanned({function}, {quoted(letters)}, {len(found) + 1}, (char *[]) {{{argv}, 0}})"


NUMBERS = list("0123456789+-xXeE.pa fin_")


def numbers(draw: random.Random) -> str:
    return f"numbered({quoted(words(draw, NUMBERS, 7))}, {draw.choice([0, 2, 8, 10, 16, 36])})"


DRIVERS = """
static int written(const char *form, struct tm tm)
{
    char text[200] = "";
    size_t n = strftime(text, sizeof text, form, &tm);
    printf("[%s] ", n ? text : "");
    return (int) n;
}
static int read_date(const char *text, const char *form, int all)
{
    struct tm tm = {all, all, all, all, all, all, all, all, all, all, 0};
    char *end = strptime(text, form, &tm);
    printf("%d-%d-%d ", tm.tm_year, tm.tm_mon, tm.tm_mday);
    printf("%d:%d:%d %d ", tm.tm_hour, tm.tm_min, tm.tm_sec, tm.tm_isdst);
    printf("%d %d %ld ", tm.tm_wday, tm.tm_yday, tm.tm_gmtoff);
    return end ? (int) (end - text) : -1;
}
static int matched(const char *pattern, const char *text, int flags)
{
    regex_t compiled;
    regmatch_t found[5];
    int error = regcomp(&compiled, pattern, flags);
    if (error)
        return 100 + error;
    if (!(error = regexec(&compiled, text, 5, found, 0)))
        for (int i = 0; i < 5; i++)
            printf("%d-%d ", found[i].rm_so, found[i].rm_eo);
    regfree(&compiled);
    return error;
}
static const struct option table[] = {{"width", 1, 0, 300}, {"wide", 0, 0, 301},
                                      {"color", 2, 0, 302}, {"a", 0, 0, 303}, {0}};
static int scanned(int (*scan)(int, char *const *, const char *, const struct option *, int *),
                   const char *letters, int argc, char **argv)
{
    int code, index = -1;
    optind = 0;
    while ((code = scan(argc, argv, letters, table, &index)) != -1)
        printf("%d %s %d %d %d, ", code, optarg ? optarg : "-", optind, index, optopt);
    for (int i = 1; i < argc; i++)
        printf("%s ", argv[i]);
    return optind;
}
static int numbered(const char *text, int base)
{
    char *end;
    errno = 0;
    printf("%ld ", strtol(text, &end, base));
    printf("%d ", (int) (end - text));
    printf("%lu ", strtoul(text, &end, base));
    printf("%d ", (int) (end - text));
    printf("%a ", strtod(text, &end));
    printf("%d ", (int) (end - text));
    return errno;
}
int main(void)
{
    setvbuf(stdout, 0, _IONBF, 0);
    dup2(1, 2);
"""
FAMILIES: dict[str, Callable[[random.Random], str]] = {
    "fnmatch": file_names,
    "strftime": written_dates,
    "strptime": read_dates,
    "regexec": matches,
    "getopt_long": options,
    "strtol": numbers,
}


@pytest.mark.parametrize("seed", daily(range(25), 1))
@pytest.mark.parametrize("family", FAMILIES)
def test_corners_are_as_they_are_natively(family: str, seed: int, tmp_path: Path) -> None:
    draw = random.Random(f"{family} {seed}")
    cases = [FAMILIES[family](draw) for _ in range(CASES)]
    lines = [f'    printf("#{at} "), printf("%d\\n", {case});\n' for at, case in enumerate(cases)]
    source, program = tmp_path / "corners.c", tmp_path / "corners"
    source.write_text(HEAD + DRIVERS + "".join(lines) + "    return 0;\n}\n")
    subprocess.run([find_compiler(), "-w", str(source), "-o", str(program)], check=True)
    native = subprocess.run([str(program)], env=WORLD, capture_output=True, check=True, text=True)
    found = csgtest("run", "corners.c", folder=tmp_path)
    assert found.out.splitlines() == native.stdout.splitlines()
