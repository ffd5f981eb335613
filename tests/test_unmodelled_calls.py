"""Calls of library functions without a model: the search goes on behind them, and never says that
the versions are equivalent. Natively the functions are there, and gcc's builds give the truth.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from symexec.campaign.building import BuildJob
from symexec.ledger import Reason, Verdict
from symexec.options import BuildOptions, InputOptions, SearchOptions
from symexec.runtime.library import is_known
from tests.command_line import write_versions
from tests.jobs import finished
from tests.nightly import nightly

HEAD = """\
#define _GNU_SOURCE
#include <malloc.h>
#include <netdb.h>
#include <stdlib.h>
char shown[32];
"""
MAIN = """
#include <stdio.h>
int main(void)
{
    for (int x = -99; x < 100; x++)
        printf("%d %s\\n", f(x), shown);
    return 0;
}
"""


@dataclass(frozen=True)
class Pair:
    """The body of ``int f(int x)`` with ``$`` in it, and what stands there in each version."""

    body: str
    old: str
    new: str
    reason: Reason = Reason.APPROXIMATED


PAIRS = {
    "behind a call": Pair("endservent(); return x == 77 ? $ : x;", "1", "2"),
    "behind a call whose value is dropped": Pair("malloc_trim(0); return x < 9 ? $ : x;", "1", "2"),
    "in a function that calls": Pair("call(); call(); return x == 77 ? $ : 0;", "3", "4"),
    "in a loop": Pair("for (int i = 0; i < 3; i++) endservent(); return x * $;", "2", "3"),
    "alike": Pair("endservent(); return $;", "x + 1", "1 + x"),
    "alike, where the value decides": Pair(
        "return malloc_trim(x) > 4 ? $ : 0;", "x + 1", "1 + x", Reason.UNSUPPORTED
    ),
    "where the call writes what decides": Pair(
        'char b[32] = ""; gcvt(x, 5, b); return b[0] == 55 ? $ : 1;', "2", "3"
    ),
    "where one version calls": Pair(
        "if (x == 5) { $ } return x;", "", "gcvt(2.0, 3, shown);", Reason.UNSUPPORTED
    ),
}
SLOW = ["behind a call whose value is dropped", "in a loop", "alike, where the value decides"]
UNSEEN = ["where the call writes what decides"]  # the search does not know of the difference


def versions(pair: Pair) -> list[str]:
    text = "static void call(void) { endservent(); }\nint f(int x) { " + pair.body + " }\n"
    return [HEAD + text.replace("$", part) for part in (pair.old, pair.new)]


def outputs(folder: Path, text: str) -> bytes:
    (folder / "whole.c").write_text(text + MAIN)
    command = ["gcc", "-w", "-O0", "whole.c", "-o", "whole"]
    subprocess.run(command, cwd=folder, check=True)
    return subprocess.check_output([folder / "whole"])


@pytest.mark.parametrize("name", nightly(PAIRS, SLOW))
def test_the_search_goes_on_and_claims_nothing(name: str, tmp_path: Path) -> None:
    pair, texts = PAIRS[name], versions(PAIRS[name])
    differ = len({outputs(tmp_path, text) for text in texts}) == 2
    search = SearchOptions(time=4)
    options = BuildOptions(
        *write_versions(tmp_path, *texts), inputs=InputOptions("f"), search=search
    )
    job = finished(BuildJob(options))
    assert pair.reason in {each.reason for each in job.ledger.entries}
    if name in UNSEEN:
        assert job.verdict in (Verdict.DIFFERENT, Verdict.NO_DIFFERENCE_FOUND)
    else:
        assert job.verdict == (Verdict.DIFFERENT if differ else Verdict.NO_DIFFERENCE_FOUND)


def test_these_functions_have_no_model() -> None:
    assert not any(map(is_known, ("endservent", "malloc_trim", "gcvt")))


ENDS = {
    "a structure": "struct s { int a[4]; } missing(int); $ if (x == 5) missing(x);",
    "a value that is read": "int missing(int); $ if (x == 5 && missing(x)) x = 7;",
}


@pytest.mark.parametrize("name", ENDS)
def test_the_path_ends(name: str, tmp_path: Path) -> None:
    head, body = ENDS[name].split("$")
    texts = [f"{head}\nint f(int x) {{ {body} return {end}; }}\n" for end in ("x + 1", "1 + x")]
    options = BuildOptions(
        *write_versions(tmp_path, *texts), inputs=InputOptions("f"), replay=False
    )
    job = finished(BuildJob(options))
    (omission,) = (each for each in job.ledger.entries if each.reason is Reason.UNSUPPORTED)
    assert omission.text == "function 'missing' is not modelled"
    assert job.verdict is Verdict.NO_DIFFERENCE_FOUND
