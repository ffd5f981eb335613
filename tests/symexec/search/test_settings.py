"""States in groups by what guards a change: turns for each group, and each state once."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from symexec.campaign.building import BuildJob
from symexec.memory import Memory
from symexec.options import BuildOptions, InputOptions, SearchOptions, SymbolicArguments
from symexec.progress import progress_for
from symexec.search.searchers import BreadthFirst
from symexec.search.settings import IN_A_ROW, InGroups
from symexec.solver import EMPTY
from symexec.state.state import State


def state(number: int, lane: int) -> State:
    made = State(Memory(), EMPTY)
    made.id, made.lane = number, lane
    return made


def grouped() -> InGroups:
    return InGroups(BreadthFirst, lambda each: each.lane)


def test_few_states_are_not_lost_among_many() -> None:
    searcher = grouped()
    searcher.update([state(number, lane=0) for number in range(1000)], covers=False)
    searcher.update([state(2000, lane=1)], covers=False)
    first = [searcher.select().id for _ in range(IN_A_ROW + 1)]
    assert 2000 in first


@given(st.lists(st.one_of(st.none(), st.integers(0, 4)), max_size=120))
def test_each_state_comes_once(steps: list[int | None]) -> None:
    """None: select; a number: a state of that group joins."""
    searcher, waiting, taken = grouped(), set[int](), []
    for number, step in enumerate(steps):
        if step is not None:
            searcher.update([state(number, step)], covers=False)
            waiting.add(number)
        elif waiting:
            taken.append(searcher.select().id)
            waiting.remove(taken[-1])
        assert searcher.empty() == (not waiting)
        assert {each.id for each in searcher.states()} == waiting
    assert max(Counter(taken).values(), default=1) == 1


# Twelve formats, chosen by a word; each goes through its input, and only one has changed.
_PROGRAM = """\
#include <stdio.h>
#include <string.h>

static int format, strict;

static void choose(const char *name)
{{
    static const char *const names[] = {{
        "a", "b", "cc", "dd", "eee", "fff", "g", "h", "ii", "jj", "kkk", "lll"
    }};
    for (int i = 0; i < 12; i++)
        if (strcmp(name, names[i]) == 0)
            format = i + 1;
}}

int main(int argc, char **argv)
{{
    int c, n = 0;

    if (argc != 3)
        return 2;
    choose(argv[1]);
    strict = argv[2][0] == 's';
    while ((c = getchar()) != EOF) {{
        if (c >= '0' && c <= '9')
            n = n * 10 + c - '0';
        else if (c == ' ' || c == ',' || c == ';')
            n++;
        else if (c == '-')
            n = 0;
        if (format == 10 && strict && c == '%')
            n {operator} 7;
    }}
    printf("%d\\n", n);
    return 0;
}}
"""


def test_a_change_behind_selectors_is_met_early(tmp_path: Path) -> None:
    """Of all words that choose one of twelve formats one leads to the change; counted in states,
    which is the same on every machine."""
    for name, operator in (("old", "+="), ("new", "-=")):
        (tmp_path / f"{name}.c").write_text(_PROGRAM.format(operator=operator))
    job = BuildJob(
        BuildOptions(
            tmp_path / "old.c",
            tmp_path / "new.c",
            inputs=InputOptions(arguments=SymbolicArguments(2, 2, 3), stdin=4),
            search=SearchOptions(time=60.0),
            replay=False,
        )
    )
    job.prepare()
    first = next(iter(job.cases(progress_for(quiet=True))))
    assert first.input.args[0] == b"jj" and first.input.args[1][:1] == b"s"
    assert b"%" in first.input.stdin
    assert job.counters.states < 2_000
