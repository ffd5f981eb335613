"""Nothing in a witness can be left out, whatever the class of its difference is, and whatever
builds show it.

Each difference of the generated pairs needs some characters at some places of arguments and of
standard input. So it is known what the witness has to be made of; the rest of the input that is
given goes away, or becomes a character that can be printed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import pytest

from csg.programs import SourceFile
from symexec.replay import NativeReplay, ReplayPlan
from symexec.testcases import DifferenceKind, Observed, TestCase, TestInput
from symexec.testcases.inputs import odd_bytes
from symexec.triage import examine, observe, shrink, uninitialised
from symexec.triage.undefined import shown_behind_a_stop, shown_by_plain_builds
from tests.nightly import every

PRELUDE = """\
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int at(int argc, char **argv, int i, int j)
{
    return i < argc && strlen(argv[i]) > j ? (unsigned char) argv[i][j] : -1;
}
static int fold(int x) { int other; if (x > 1000) other = 1; return other; }
int main(int argc, char **argv)
{
    char small[4], *p; int x = INT_MAX, wide = 40, y;
    switch (at(argc, argv, 1, 0)) {
"""

# What each version does there, by the class of the difference.
EFFECTS = {
    DifferenceKind.DIFFERENCE: ('puts("old")', 'puts("new")'),
    DifferenceKind.REGRESSION: ('puts("fine")', "abort()"),
    DifferenceKind.FIX: ("small[wide] = 1", 'puts("fine")'),
    DifferenceKind.BOTH_FAIL: ("abort()", "free(small + 1)"),
    DifferenceKind.STDERR_ONLY: ("0", 'fputs("new", stderr)'),
    DifferenceKind.LEAK: ("0", "p = malloc(9), p = small"),
    DifferenceKind.HELP_TEXT: ('puts("Usage: it")', 'puts("Usage: this")'),
    DifferenceKind.UNDEFINED: ("exit(x + 1 > x)", "exit(1)"),
    "plain": ("exit(x + 1 < x)", "exit(x == INT_MAX)"),
    "behind": (
        "p = &small[wide], exit((p < small) + 2)",
        "p = &small[wide], exit((p < small) + 3)",
    ),
    "uninitialised": ("exit(0)", "exit(fold(argc) & 3)"),
}
LETTERS = {kind: chr(ord("A") + place) for place, kind in enumerate(EFFECTS)}


@dataclass(frozen=True, slots=True)
class Needs:
    """The characters that a difference needs: by argument and place, and at the beginning of
    standard input."""

    arguments: dict[tuple[int, int], int]
    stdin: bytes

    @property
    def condition(self) -> str:
        found = [f"at(argc, argv, {i}, {j}) == {c}" for (i, j), c in self.arguments.items()]
        return " && ".join(found + [f"getchar() == {c}" for c in self.stdin])

    def noisy(self, random: Random) -> TestInput:
        """An input with all that is needed, and more."""
        args = [bytes(self._noise(random)) for _ in range(5)]
        for (i, j), character in self.arguments.items():
            args[i - 1] = args[i - 1][:j] + bytes([character]) + args[i - 1][j + 1 :]
        stdin = self.stdin + bytes(self._noise(random)) + b"\0"
        return TestInput(args=tuple(args), stdin=stdin, files=(("unread", b"abc"),))

    def _noise(self, random: Random) -> Iterator[int]:
        for _ in range(5):
            yield random.choice((1, 9, 0x41, 0x7A, 0xFF))

    def complaints(self, test: TestInput) -> Iterator[str]:
        """What is in the input and need not be."""
        last = max(i for i, _ in self.arguments)
        if len(test.args) != last or test.files or test.stdin != self.stdin:
            yield "there are parts that nothing needs"
        for i, argument in enumerate(test.args, 1):
            needed = {j: c for (at, j), c in self.arguments.items() if at == i}
            if len(argument) != max(needed, default=-1) + 1:
                yield f"argument {i} is not as short as can be"
            if any(odd_bytes(bytes([c])) for j, c in enumerate(argument) if j not in needed):
                yield f"argument {i} is not printable where it can be"


def drawn(kind: str, random: Random) -> Needs:
    places = {(random.randint(1, 3), random.randint(0, 2)) for _ in range(random.randint(0, 3))}
    characters = (0x2F, 0x62, 0x80, 2)
    arguments = {place: random.choice(characters) for place in sorted(places - {(1, 0)})}
    stdin = bytes(random.choice(characters) for _ in range(random.randint(0, 2)))
    return Needs({(1, 0): ord(LETTERS[kind]), **arguments}, stdin)  # type: ignore[index]


def program(needs: dict[str, Needs], version: int) -> str:
    lines = [PRELUDE]
    for kind, effects in EFFECTS.items():
        lines.append(f"    case '{LETTERS[kind]}':\n        if ({needs[kind].condition})\n")
        lines.append(f"            {effects[version]};\n        break;\n")
    return "".join(lines) + "    }\n    return 0;\n}\n"


@pytest.fixture(scope="module", params=[0, pytest.param(1, marks=pytest.mark.night)])
def pair(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[dict[str, Needs], NativeReplay]]:
    folder: Path = tmp_path_factory.mktemp("minimal")
    needs = {kind: drawn(kind, Random(f"{request.param} {kind}")) for kind in EFFECTS}
    files = folder / "old.c", folder / "new.c"
    for version, file in enumerate(files):
        file.write_text(program(needs, version))
    plan = ReplayPlan(*((SourceFile(file),) for file in files), leaks=True)
    with NativeReplay(plan) as replay:
        yield needs, replay


def judged(kind: str, test: TestInput, replay: NativeReplay) -> TestCase:
    """The test, judged as a run judges it."""
    case = TestCase("t1", test)
    match kind:
        case "plain":
            (found,) = shown_by_plain_builds([observe(case, replay)[0]], replay)
            return found
        case "behind":
            (found,) = shown_behind_a_stop([observe(case, replay)[0]], replay)
            return found
        case "uninitialised":
            predicted = replace(case, uninitialised=True)
            return uninitialised(observe(predicted, replay)[0], replay)
        case DifferenceKind.HELP_TEXT:  # judged among all tests
            return replace(observe(case, replay)[0], kind=DifferenceKind.HELP_TEXT)
        case _:
            return examine(case, replay, ())


@pytest.mark.parametrize("kind", every(4, EFFECTS))
def test_nothing_can_be_left_out(kind: str, pair: tuple[dict[str, Needs], NativeReplay]) -> None:
    needs, replay = pair[0][kind], pair[1]
    case = judged(kind, needs.noisy(Random(kind)), replay)
    assert case.observed is Observed.DIFFERENT
    assert kind not in [*DifferenceKind] or case.kind == kind
    ticks = iter(range(1_000_000))
    found = shrink(case, replay, (), seconds=float("inf"), clock=lambda: next(ticks))
    assert list(needs.complaints(found.input)) == []
    assert found.minimal and found.kind == case.kind
    few = shrink(case, replay, (), seconds=1.0, clock=lambda: next(ticks))
    assert not few.minimal
