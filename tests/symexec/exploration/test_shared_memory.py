"""Volatile and atomic objects: versions are not called equal where changed code accesses one that
another thread or a device may change, and they are where only other code does."""

from __future__ import annotations

from pathlib import Path

import pytest

from symexec.campaign.building import BuildJob
from symexec.ledger import Reason, Verdict
from symexec.options import BuildOptions, InputOptions
from tests.command_line import write_versions
from tests.jobs import finished

PAIRS = {  # old and new bodies, and whether changed code accesses such an object
    ("int a = *p; return a ^ a;", "return *p ^ *p;"): True,
    ("return stop ? 0 : x + stop;", "int s = stop; return s ? 0 : x + s;"): True,
    ("return r->status & 1;", "return (r->status & 1) + (r->status & 0);"): True,
    ("r->data = x; r->status = 0; return 1;", "r->status = 0; r->data = x; return 1;"): True,
    ("return t[1] + x;", "return t[1] + x + (t[1] & 0);"): True,
    ("return v->plain + 0;", "return v->plain + (v->plain & 0);"): True,
    ("return counter + 0;", "return counter;"): True,
    ("int o = *q; *q = o + 1; return o;", "return __atomic_fetch_add(q, 1, 5);"): True,
    ("int o = n; n = o + 1; return o;", "return __sync_fetch_and_add(&n, 1);"): True,
    ("volatile int own = x; return own;", "volatile int own = x; return own + 0;"): False,
    ("stop = 1; return x * 2;", "stop = 1; return x + x;"): False,
    ("return *p + x * 2;", "return *p + (x + x);"): False,
    ("return n + 0;", "return n;"): False,
}
TEXT = """
struct regs {{ volatile unsigned status, data; }};
struct plain {{ int plain; }};
volatile int stop;
_Atomic int counter;
static volatile int t[2];
static int n;
int f(volatile int *p, _Atomic int *q, struct regs *r, volatile struct plain *v, int x)
{{
    {}
}}
"""


@pytest.mark.parametrize("bodies", PAIRS)
def test_others_may_change_what_is_volatile(bodies: tuple[str, str], tmp_path: Path) -> None:
    files = write_versions(tmp_path, *map(TEXT.format, bodies))
    job = finished(BuildJob(BuildOptions(*files, inputs=InputOptions("f"), replay=False)))
    told = [each for each in job.ledger.entries if "volatile or atomic" in each.text]
    assert bool(told) is PAIRS[bodies]
    assert all(each.reason is Reason.APPROXIMATED for each in told)
    assert not told or job.verdict is Verdict.NO_DIFFERENCE_FOUND
