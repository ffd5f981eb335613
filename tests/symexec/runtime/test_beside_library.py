"""Models under symbolic arguments do what this machine's C library does: oracles/models.

A sample of them here, `python -m benchmarks.models` tries all.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from oracles.models.batch import cases, reason, run, text
from oracles.models.checking import Checker
from oracles.models.native import Natives
from oracles.models.prototypes import Library, library, modelled
from oracles.models.symbolic import Symbolic
from oracles.models.table import rows
from tests.nightly import daily, every

SEED = 3
# What was wrong once; swprintf prints into what has a symbolic size, pwritev copies 0 bytes.
ALWAYS = (
    "tolower", "toupper", "printf", "snprintf", "sprintf", "vsnprintf", "swprintf", "pwritev",
    "memcpy", "memset", "strtol", "raise", "sigprocmask", "sscanf", "fopen", "freopen", "iswalnum",
    "mblen", "mbtowc", "iswdigit", "iswctype", "putenv", "setitimer", "strptime",
)  # fmt: skip
OTHERS = (10, 30)  # each time, and at night
# Families, some members each time, whose answers are those of a process in replay's sandbox.
FAMILIES = (
    r"tc\w+|ttyname\w*|ctermid|getpass|cf(get|set|make)\w+",
    r"set\w*id|set(groups|pgrp)|getpg\w+|getsid|chroot|u?mount2?|acct|swapo\w+|vhangup"
    r"|set(host|domain)name|clock_settime|settimeofday|mk(nod|fifo)\w*",
    r"m(un)?lock\w*|[gs]et(priority|itimer)|nice|sched_\w+|prctl|f?lockf?(64)?|sync\w*"
    r"|alarm|getdtablesize",
    r"inet_\w+|gai_strerror|h(str)?error|gethostby\w+|\w*addrinfo|v?syslog|setlogmask",
    r"socket(pair)?|bind|connect|listen|accept4?|shutdown|.etsockopt|get(sock|peer)name"
    r"|(send|recv)(to|from|msg)?|if_\w+|getifaddrs|p?(poll|select)",
    r"(mtx|cnd|tss|thrd|sem|pthread)_\w+|call_once",
    r"gnu_dev_\w+|\w+xattr|nl_langinfo_l",
)


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return library(tmp_path_factory.mktemp("headers"))


def test_what_has_no_case_says_why(host: Library) -> None:
    """``python -m benchmarks.models --without`` prints the reasons."""
    left = {name: reason(name, host) for name in modelled()}
    assert {name: why for name, why in left.items() if why.startswith("unknown")} == {}
    assert sum(not why for why in left.values()) > 950


def test_every_row_is_of_a_model() -> None:
    names = modelled()
    idle = [row.names for row in rows() if not any(re.fullmatch(row.names, each) for each in names)]
    assert idle == []


@pytest.mark.parametrize("count", daily(OTHERS, 1))
def test_models_agree_with_the_library(host: Library, tmp_path: Path, count: int) -> None:
    others = [name for name in modelled() if name not in ALWAYS and not reason(name, host)]
    names = [*ALWAYS, *random.Random(SEED).sample(others, count)]
    found = [verdict for verdict, _ in run(cases(names, host, SEED), SEED, 1, tmp_path)]
    told = [
        f"{each.case.name}: {each.way} {each.detail}" for each in found if each.kind == "differs"
    ]
    assert told == []
    assert {each.case.name for each in found if each.kind == "agrees"} >= set(ALWAYS)


@pytest.mark.parametrize("most", daily((3, 1000), 1))
@pytest.mark.parametrize("family", every(2, FAMILIES))
def test_families_agree_with_the_library(
    host: Library, tmp_path: Path, family: str, most: int
) -> None:
    names = [n for n in modelled() if re.fullmatch(family, n) and not reason(n, host)]
    names = random.Random(SEED).sample(names, min(most, len(names)))
    found = [verdict for verdict, _ in run(cases(names, host, SEED), SEED, 1, tmp_path)]
    told = [
        f"{each.case.name}: {each.way} {each.detail}" for each in found if each.kind == "differs"
    ]
    assert told == []
    assert {each.case.name for each in found if each.kind in ("agrees", "admitted")} == set(names)


def test_a_wrong_model_is_noticed(host: Library, tmp_path: Path) -> None:
    (case,) = cases(["toascii"], host, SEED)
    source = tmp_path / "wrong.c"
    source.write_text(text([case], native=False).replace("toascii(i", "-toascii(i"))
    with Natives(text([case], native=True), tmp_path) as natives:
        checker = Checker(Symbolic(source, case), natives)
        chance = random.Random(SEED)
        kinds = {verdict.kind for verdict in checker.forced(case, chance)}
        kinds |= {verdict.kind for verdict in checker.free(case, chance)}
    assert "differs" in kinds


def test_a_model_is_tried_alone_as_among_others(host: Library, tmp_path: Path) -> None:
    """So what a run over all models shows is there again when one is looked at."""

    def verdicts(names: list[str]) -> list[tuple[str, str, str]]:
        found = (verdict for verdict, _ in run(cases(names, host, SEED), SEED, 1, tmp_path))
        return [(v.way, v.kind, v.detail) for v in found if v.case.name == "sscanf"]

    alone = verdicts(["sscanf"])
    assert alone
    assert verdicts(["toascii", "sscanf"]) == alone


def test_a_model_that_had_its_time_is_bounded(host: Library, tmp_path: Path) -> None:
    found = [v for v, _ in run(cases(["printf", "labs"], host, SEED), SEED, 9, tmp_path, 0.0)]
    for name, turns in (("printf", 0), ("labs", 1)):  # printf has several cases
        *tried, last = [verdict for verdict in found if verdict.case.name == name]
        assert (last.kind, last.detail) == ("bounded", f"after {turns} of 9 rounds")
        assert {verdict.case for verdict in tried} == {tried[0].case}
