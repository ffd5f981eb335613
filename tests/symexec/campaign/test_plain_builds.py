"""A difference that plain gcc shows and replay's builds do not is found, and told as what it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from csg.frontend import parse_text
from csg.unify import unify
from symexec.campaign.builds import can_overflow
from symexec.options import BuildOptions, SearchOptions
from symexec.progress import Silence
from symexec.report.session import build
from tests.command_line import csgtest


def test_an_overflow_that_is_folded_away_is_a_difference(tmp_path: Path) -> None:
    (tmp_path / "old.c").write_text("int f(int x) { return x + 1 < x; }\n")
    (tmp_path / "new.c").write_text("int f(int x) { return x == 2147483647; }\n")
    done = csgtest("build", "old.c", "new.c", "--time", "20", "--no-native", folder=tmp_path)
    (test,) = done.report["tests"]
    assert (test["input"]["parameters"], test["class"]) == ({"x": 2147483647}, "undefined")
    assert test["blamed"] == [1] and "time was left" not in done.out, done
    assert (test["old"]["returned"], test["new"]["returned"]) == ("0", "1")
    assert done.report["verdict"] == "different"
    assert "-O0 -fwrapv" in done.report["compiled"]
    again = csgtest("replay", "csgtest-out", folder=tmp_path)
    assert (again.code, again.out.split()) == (1, ["t0001", "confirmed"]), again


def test_where_no_time_is_left_for_plain_builds_that_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def for_ever(*given: object) -> None:
        while True:
            pass

    monkeypatch.setattr("symexec.campaign.building.differing_plainly", for_ever)
    for name, result in (("old", "x + 1 < x"), ("new", "x == 2147483647")):
        (tmp_path / f"{name}.c").write_text(f"int f(int x) {{ return {result}; }}\n")
    files = tmp_path / "old.c", tmp_path / "new.c"
    search = SearchOptions(time=1.0)
    report = build(
        BuildOptions(*files, search=search, out=tmp_path / "out", native=False), Silence()
    )
    assert report.verdict == "equivalent-within-bounds"
    assert any("without -fwrapv" in note for note in report.notes)


@pytest.mark.parametrize(
    ("changed", "overflows"),
    [
        ("x + y", True),
        ("-x", True),
        ("x++", True),
        ("x <<= 2", True),
        ("x + 1u", False),
        ("x & y", False),
        ("x == 2 + 3", False),
        ("(char) x", False),
    ],
)
def test_what_can_overflow(changed: str, overflows: bool) -> None:
    text = "int f(int x, int y) {{ int z = x + y; return {}; }}"
    unified = unify(parse_text(text.format("z")), parse_text(text.format(changed)))
    assert any(map(can_overflow, unified.units)) is overflows
