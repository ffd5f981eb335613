"""Many independent changes whose versions diverge at one place: each has its own row and blame."""

from __future__ import annotations

from pathlib import Path

from tests.command_line import csgtest

CASES = range(1, 9)


def program(first: int) -> str:
    cases = "\n".join(f"    case {n}: return {first + n};" for n in CASES)
    return f"int f(int k)\n{{\n    switch (k) {{\n{cases}\n    }}\n    return 0;\n}}\n"


def test_changes_that_share_nothing_but_the_end_are_blamed_one_by_one(tmp_path: Path) -> None:
    old, new = tmp_path / "old.c", tmp_path / "new.c"
    old.write_text(program(100))
    new.write_text(program(200))
    done = csgtest(
        "build", old, new, "--entry", "f", "--no-native", "--time", "10", folder=tmp_path
    )
    assert done.code == 1, done.err
    groups = done.report["groups"]
    assert sorted(each["blamed"] for each in groups) == [[n] for n in CASES]
