"""C that csgtest cannot treat ends the paths that meet it, not the reading of the program."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import Done, csgtest

INTRINSICS = """#include <emmintrin.h>
static int first(int x) { return _mm_cvtsi128_si32(_mm_set1_epi32(x)); }
int f(int x) { if (x > 100) return first(x) > 200; return x + 1; }
"""
IMMEDIATE = """#include <emmintrin.h>
int f(int x) { return _mm_cvtsi128_si32(_mm_srli_si128(_mm_set1_epi32(x), 4)) + 1; }
"""
COMPLEX = """#include <complex.h>
typedef double _Complex number;
static number twice(number x) { return x * 2; }
int f(int x) { if (x > 100) { number z = twice(x); return creal(z) > 1; } return x + 1; }
"""
# What a header of gcc does: types of vectors inside a function of which nothing is supported.
INSIDE = """typedef long long pair __attribute__((vector_size(16)));
static void put(pair a, long *p)
{
    typedef long long __attribute__((vector_size(16), aligned(16))) own;
    own b = (own) { ((own) a)[0], 0 };
    *p = (long) b[0];
}
int f(int x)
{
    long n = 0;
    pair a = {1, 2};
    if (x > 100) { put(a, &n); return n > 1; }
    return x + 1;
}
"""
# Vectors of instructions that a function asks for, and the compiler has only there.
TARGET = """#include <immintrin.h>
__attribute__((target("avx2"))) static int wide(int x)
{
    return _mm256_extract_epi32(_mm256_set1_epi32(x), 1);
}
int g(int x) { return x < 3 ? x : x * 2; }
int f(int x) { if (x > 100) return wide(x) > 200; return g(x) + 1; }
"""
OPAQUE = """struct s { int k; double _Complex z; };
double _Complex G, H;
void global(int k) { G = k > 3 ? G : H; }
struct s value(struct s p, struct s q) { if (p.k > 3) p.z = q.z; return p; }
int number(double _Complex z, int k) { return k > 3; }
"""
SOON = ("--time", "30", "--stop-after", "1")


def built(folder: Path, text: str, old: str, new: str, *words: str) -> Done:
    (folder / "old.c").write_text(text)
    (folder / "new.c").write_text(text.replace(old, new))
    return csgtest("build", "old.c", "new.c", *words, folder=folder)


@pytest.mark.parametrize(
    "text", [INTRINSICS, COMPLEX, INSIDE], ids=["vectors", "complex numbers", "types inside"]
)
def test_what_comes_by_no_vector_is_compared_and_blamed(text: str, tmp_path: Path) -> None:
    done = built(tmp_path, text, "x + 1", "x + 2", "--entry", "f", *SOON)
    assert done.code == 1, done.err
    (group,) = done.report["groups"]
    assert group["blamed"] == [1] and len(done.report["changes"]) == 1


def test_a_function_for_other_instructions_does_not_double_the_program(tmp_path: Path) -> None:
    done = built(tmp_path, TARGET, "g(x) + 1", "g(x) + 2", "--entry", "f", *SOON)
    assert done.code == 1, done
    assert len(done.report["changes"]) == 1, done.out


@pytest.mark.parametrize("text", [INTRINSICS, COMPLEX], ids=["vectors", "complex numbers"])
def test_a_difference_behind_one_is_found_natively(text: str, tmp_path: Path) -> None:
    behind = ("> 200", "> 201") if text is INTRINSICS else ("> 1;", "> 402;")
    done = built(tmp_path, text, *behind, "--entry", "f", *SOON)
    assert done.code == 1, done.err
    assert done.report["groups"][0]["blamed"] == [1]
    assert "; not all paths were followed." in done.out


def test_headers_of_the_processor_are_those_of_a_build_without_optimisation(
    tmp_path: Path,
) -> None:
    """Optimised, they define functions that compile only where they are inlined."""
    done = built(tmp_path, IMMEDIATE, "+ 1", "+ 2", "--entry", "f", *SOON, "--", "-O2", "-mavx2")
    assert done.code == 1, done.err
    assert done.report["groups"][0]["blamed"] == [1]


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("global", "'G' is not compared after the call: no type that can be compared"),
        ("value", "zero in every input: z of struct s"),
    ],
)
def test_what_no_test_can_set_or_compare_is_said(entry: str, said: str, tmp_path: Path) -> None:
    done = built(tmp_path, OPAQUE, "> 3", "> 4", "--entry", entry, "--time", "5")
    assert done.code == 0 and done.report["verdict"] == "no-difference-found"
    assert said in done.out


def test_a_parameter_that_no_test_can_set_is_refused_with_its_place(tmp_path: Path) -> None:
    done = built(tmp_path, OPAQUE, "> 3", "> 4", "--entry", "number")
    assert done.code == 2 and "old.c:5:5: error: 'z' has a type that tests cannot set" in done.err


def test_a_type_that_the_old_version_alone_has_stays_what_it_is(tmp_path: Path) -> None:
    text = "double _Complex G, H;\nvoid w(int k) { if (k > 3) G = H; }\n"
    built(tmp_path, text, "_Complex ", "", "--entry", "w", "--time", "1")
    unified = (tmp_path / "csgtest-out" / "unified.c").read_text()
    assert "double _Complex G" in unified and "struct csgtest" not in unified
