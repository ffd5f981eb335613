"""Where only the search stops, at a limit of its own or at what it does not model, no version has
ended: that is no divergence, and equal versions are no proof either."""

from __future__ import annotations

from pathlib import Path

import pytest

from symexec.campaign.building import BuildJob
from symexec.options import BuildOptions, InputOptions, SearchOptions
from tests.command_line import csgtest, write_versions
from tests.jobs import finished

# What one version does at one input and the other does not; nobody sees it.
STOPS = {
    "a large object": "free(malloc(n));",
    "a long loop": "for (unsigned i = 0; i < n; i++) g = 0;",
    "no model": "unmodelled(&g);",
    "a model that refuses": "pause();",
    "machine code": '__asm__ volatile ("nop" : "+r" (g));',
    "an assumption": "__VERIFIER_assume(n > 7);",
}
TEXT = """
#include <stdlib.h>
#include <unistd.h>
void unmodelled(int *);
void __VERIFIER_assume(int);
int f(unsigned n, int x)
{{
    int g = 0, r = 1;
    if (x {condition}) {{
        {stop}
        r = 1 + 0 * g;
    }}
    return r;
}}
"""
ENDS = {"old-ends", "new-ends"}


@pytest.mark.parametrize("conditions", [("> 3", "> 4"), ("> 4", "> 3")])
@pytest.mark.parametrize("stop", STOPS)
def test_no_version_ends_where_the_search_stops(
    stop: str, conditions: tuple[str, str], tmp_path: Path
) -> None:
    old, new = (TEXT.format(condition=each, stop=STOPS[stop]) for each in conditions)
    files = write_versions(tmp_path, old, new)
    search = SearchOptions(time=20, loop_bound=3 if "loop" in stop else None)
    options = BuildOptions(*files, inputs=InputOptions("f"), search=search, replay=False)
    job = finished(BuildJob(options))
    ways = {case.divergence.directions for case in job.found if case.divergence is not None}
    assert ways and not ways & ENDS
    # An input that a version's own assumption excludes is none.
    excluded = stop == "an assumption"
    assert job.verdict == ("equivalent-within-bounds" if excluded else "no-difference-found")
    counters = job.counters
    assert (
        job.counters.ledger.events()
        or counters.cuts
        or counters.unsupported
        or counters.assumptions_failed
    )


def test_an_object_too_large_for_us_is_no_proof(tmp_path: Path) -> None:
    """Native runs do what the search does not follow, in either version."""
    plain = "#include <stdlib.h>\nint f(int x) { if (x == 5) return 1; return 0; }\n"
    large = plain.replace("return 1;", "{ char *p = malloc(300000000); return p ? 2 : 3; }")
    for old, new in ((plain, large), (large, plain)):
        write_versions(tmp_path, old, new)
        words = ("--entry", "f", "--range", "x=0..9", "--time", "10", "--no-native")
        done = csgtest("build", "old.c", "new.c", *words, folder=tmp_path)
        assert done.report["verdict"] == "different", done.out


def test_what_no_path_goes_through_is_tested_natively(tmp_path: Path) -> None:
    text = 'int f(unsigned char x) {{ __asm__ volatile ("nop"); return x > {bound}; }}\n'
    write_versions(tmp_path, text.format(bound=99), text.format(bound=98))
    done = csgtest("build", "old.c", "new.c", "--time", "60", folder=tmp_path)
    assert done.report["counters"]["paths"] == 0
    (test,) = (each for each in done.report["tests"] if each["observed"] == "different")
    assert (test["input"]["parameters"], test["source"]) == ({"x": 99}, "native")
    assert done.report["native"]["exhausted"]  # 256 inputs: it waits for no more
