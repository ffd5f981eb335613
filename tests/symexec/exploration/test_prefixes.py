"""A state as its decisions, and back: the same path, memory, targets and all that a search goes by.

Every state that waits in a search is written as bytes, and its decisions are followed again.
"""

from __future__ import annotations

import math
import shlex
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from generators.pairs.edits import edited
from generators.pairs.mains import main_program
from symexec.campaign.building import BuildJob
from symexec.exploration.searching import Search
from symexec.exploration.start import followed, prefix_of
from symexec.exploration.undecided_paths import _same_memory
from symexec.expr import Term
from symexec.options import BuildOptions, InputOptions, SearchOptions, SymbolicArguments
from symexec.options.arguments import parse
from symexec.state.inputs import Decisions, Misfit, Prefix, Script, answers_of, decoded
from symexec.state.state import Chain, Frame, State
from tests.command_line import SAMPLES
from tests.nightly import daily, nightly
from tests.symexec.generated.checking import options_of
from tests.symexec.generated.test_pairs import pair

TURNS = 150
PAIRS = {
    "bar": "bar/old.c bar/new.c",
    "commands": "commands/old.c commands/new.c --sym-args 0 2 3",
    "cut_ranges": "cut_ranges/old.c cut_ranges/new.c --entry parse_ranges",
    "endless": "endless/old.c endless/new.c",
    "fields_a": "fields/a_old.c fields/a_new.c --sym-args 1 2 4",
    "fields_b": "fields/b_old.c fields/b_new.c --sym-args 1 2 5 --sym-stdin 2",
    "fields_c": "fields/c_old.c fields/c_new.c --sym-args 1 2 5 --sym-stdin 2",
    "foo": "foo/old.c foo/new.c",
    "formula": "formula/old.c formula/new.c",
    "marks": "marks/old.c marks/new.c",
    "plus_two": "plus_two/old.c plus_two/new.c",
    "request": "request/old.c request/new.c",
    "settings": "settings/old.c settings/new.c",
    "shelf": "shelf/old shelf/new",
    "toy": "toy/old.c toy/new.c",
    "new alone": "cut_ranges/old.c cut_ranges/new.c --entry parse_ranges --after new",
    "bounded": "cut_ranges/old.c cut_ranges/new.c --entry parse_ranges --loop-bound 2",
    "isolated": "fields/a_old.c fields/a_new.c --sym-args 1 2 4 --mode isolated",
}
ALIKE = ("bar", "fields_a", "fields_c", "plus_two", "settings", "toy")
SEEDS = 12
COMMUTATIVE = ("add", "mul", "and", "or", "xor", "eq")


def asked(words: str) -> BuildOptions:
    given = [str(SAMPLES / word) if "/" in word else word for word in shlex.split(words)]
    options = parse(["build", *given]).options
    assert isinstance(options, BuildOptions)
    return replace(options, replay=False)


def search_of(job: BuildJob) -> Search:
    assert job.prepared is not None
    return job._begun(job.prepared, math.inf, job.options, job.counters)


def prepared(options: BuildOptions) -> BuildJob:
    job = BuildJob(options)
    job.prepare()
    return job


def run(search: Search, turns: int) -> list[State]:
    """The states that wait after so many turns."""
    exploration = search.exploration
    exploration._begin(search.initial)
    for _ in range(turns):
        if exploration._empty():
            break
        exploration._take_turn([])
    return [state for state in exploration._waiting() if state.frame is not None]


def initial(search: Search) -> dict[tuple[int, bool], State]:
    return {(state.lane, state.beyond): state for state in search.initial}


def frames(state: State) -> list[object]:
    found: list[object] = []
    frame: Frame | None = state.frame
    while frame is not None:
        place = (frame.function.name, frame.block, frame.index)
        rest = (frame.slots, frame.version, frame.variadic, frame.result, frame.loops)
        found.append((place, rest, frame.registers))
        frame = frame.caller
    return found


def facts(state: State) -> dict[str, object]:
    """All of a state but its memory and its number."""
    plain = (
        "alone beyond deferred folded forks inputs lane largest mode old_output new_output "
        "old_outcome new_outcome divergences region shadows steps targets trace write_mode "
        "environment"
    )
    return {
        **{name: getattr(state, name) for name in plain.split()},
        "path": state.path.terms(),
        "events": Chain.items(state.events),
        "sequence": Chain.items(state.sequence),
        "frames": frames(state),
        "answers": answers_of(state.decisions, state.recent),
    }


def shape(term: Term) -> int:
    """A number that equal terms of two tables share, in whatever order they were made."""
    known: dict[Term, int] = {}
    waiting = [term]
    while waiting:
        top = waiting[-1]
        left = [each for each in top.args if each not in known]
        waiting += left
        if not left:
            parts = [known[each] for each in top.args]
            ordered = sorted(parts) if top.op in COMMUTATIVE else parts
            known[top] = hash((top.op, top.width, top.value, top.name, top.index, *ordered))
            waiting.pop()
    return known[term]


def differing(one: State, other: State) -> list[str]:
    """What is not the same of two states of one engine."""
    here, there = facts(one), facts(other)
    found = [name for name in here if here[name] != there[name]]
    return found if _same_memory(one.memory, other.memory) else [*found, "memory"]


def complaints(options: BuildOptions, turns: int = TURNS) -> tuple[int, list[str]]:
    """How many states were written and followed again, and what went wrong."""
    job = prepared(options)
    if job.prepared is None:
        return 0, []
    first, second = search_of(job), search_of(job)
    begun = initial(first)
    starts = {place: state.fork() for place, state in begun.items()}
    states = run(first, turns)
    states = [state for state in states if (state.lane, state.beyond) in starts]
    prefixes = [decoded(prefix_of(state).encoded()) for state in states]
    wrong: list[str] = []
    queries = job.counters.backend_queries
    again = followed(first.engine, starts, prefixes)
    assert job.counters.backend_queries == queries  # no solver was asked
    elsewhere = followed(second.engine, initial(second), prefixes)
    for state, prefix in zip(states, prefixes, strict=True):
        if prefix not in again or prefix not in elsewhere:
            wrong.append(f"{len(prefix.answers)} answers do not fit")
            continue
        here, there = again[prefix], elsewhere[prefix]
        assert here is not None and there is not None
        wrong += differing(state, here)
        if list(map(shape, there.path.terms())) != list(map(shape, state.path.terms())):
            wrong.append("path elsewhere")
        if there.targets != state.targets:
            wrong.append("targets elsewhere")
    return len(states), wrong


@pytest.mark.parametrize("name", nightly(PAIRS, ALIKE))
def test_the_states_of_samples_are_found_again(name: str) -> None:
    count, wrong = complaints(asked(PAIRS[name]))
    assert not wrong, f"{len(wrong)} of {count}: {wrong[:5]}"


@pytest.mark.parametrize("seeds", daily((range(SEEDS // 2), range(SEEDS // 2, 2 * SEEDS)), 1))
def test_the_states_of_generated_pairs_are_found_again(seeds: range, tmp_path: Path) -> None:
    counts = []
    for seed in seeds:
        for turns in (1, 2, 4):
            count, wrong = complaints(options_of(*pair(seed), tmp_path), turns)
            assert not wrong, f"seed {seed}: {wrong[:5]}"
            counts.append(count)
    assert sum(counts) > len(seeds) // 2


def test_the_states_of_generated_programs_are_found_again(tmp_path: Path) -> None:
    counts = []
    for seed in range(SEEDS):
        random = Random(seed)
        old = main_program(random)
        for name, source in (("old.c", old), ("new.c", edited(old, random))):
            (tmp_path / name).write_text(source.text)
        options = BuildOptions(
            tmp_path / "old.c",
            tmp_path / "new.c",
            search=SearchOptions(5.0),
            inputs=InputOptions(arguments=SymbolicArguments(0, 2, 3), stdin=2),
            replay=False,
        )
        count, wrong = complaints(options, 60)
        assert not wrong, f"seed {seed}: {wrong[:5]}"
        counts.append(count)
    assert sum(counts) > 10 * SEEDS


@pytest.mark.parametrize(
    "answers",
    [(), (0,), (3, 2, 1, 0), (4,), (2, 4 + 300, 1), (3,) * 100, (2**64 + 3, 0, 0, 9), (1,) * 31],
)
def test_bytes_hold_all_answers(answers: tuple[int, ...]) -> None:
    prefix = Prefix(3, True, 2, 70_000, 12_345, 0xFFFFFFFF, answers)
    assert decoded(prefix.encoded()) == prefix


def test_a_prefix_that_is_cut_off_is_refused() -> None:
    data = Prefix(0, False, 0, 1, 20, 7, (3, 2, 9, 1)).encoded()
    for length in range(len(data)):
        with pytest.raises(Misfit):
            decoded(data[:length])


def test_answers_are_kept_in_order() -> None:
    state = run(search_of(prepared(asked(PAIRS["foo"]))), 1)[0]
    state.decisions, state.recent = None, 1
    given = [2, 3, 0, 1, 4, 77, 3, *[index % 4 for index in range(99)], 5, 2]
    for answer in given:
        state.answered(answer)
    assert answers_of(state.decisions, state.recent) == given


def test_a_script_refuses_what_it_does_not_say() -> None:
    script = Script()
    script.add(Prefix(0, False, 0, 0, 0, 0, (3, 9)))
    with pytest.raises(Misfit):
        script.value()
    with pytest.raises(Misfit):
        script.after(2)
    with pytest.raises(Misfit):
        script.after(3).answers()
    assert script.after(3).value() == 5


def test_a_prefix_of_another_program_is_left_out() -> None:
    search = search_of(prepared(asked(PAIRS["cut_ranges"])))
    wrong = Prefix(0, False, 0, 0, 10**6, 0, (3, 9, 9, 9))
    nowhere = replace(wrong, initial=99)
    assert not followed(search.engine, initial(search), [wrong, nowhere])


def test_what_another_prefix_comes_by_is_its() -> None:
    search = search_of(prepared(asked(PAIRS["cut_ranges"])))
    first = initial(search)
    root = prefix_of(next(iter(first.values())))
    starts = {place: state.fork() for place, state in first.items()}
    behind = [prefix_of(state) for state in run(search, 20) if state.lane == root.initial]
    found = followed(search.engine, starts, [*behind, root, replace(root)])
    assert behind and {each for each, state in found.items() if state is None} == {*behind}
    assert found[root] is not None


def test_decisions_are_shared_by_forks() -> None:
    before = Decisions(None, 5, 7)
    assert answers_of(before, 1) == [1, 7]
