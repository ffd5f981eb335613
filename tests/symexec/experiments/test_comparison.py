"""From runs to the table, the JSON and the plot."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from csg.graphs import SequenceGraph
from csg.pipeline import graph_of, program_of, unify_files
from csg.programs import Versions
from symexec.experiments import curves, plot, steps_of
from symexec.experiments.comparison import Comparison, compared
from symexec.experiments.runs import Exercise, Run
from symexec.experiments.wording import json_text, table
from symexec.state.state import DivergenceKind
from symexec.testcases import Blame, DifferenceKind, Divergence, Observed, TestCase, TestInput

SAMPLES = Path(__file__).parents[3] / "samples"
ON, OFF = ("c1", "c2", "c3", "i1"), ("c1", "c3", "i1")


@pytest.fixture(scope="module")
def graph() -> SequenceGraph:
    pair = SAMPLES / "cut_ranges"
    return graph_of(program_of(unify_files(Versions(pair / "old.c", pair / "new.c"))))


def shown(found_s: float, line: int = 31, text: bytes = b"0-") -> TestCase:
    return TestCase(
        "t0001",
        TestInput(parameters=(("fs", text),)),
        sequence=ON,
        divergence=Divergence(DivergenceKind.CONTROL, "new.c", line),
        observed=Observed.DIFFERENT,
        kind=DifferenceKind.REGRESSION,
        blame=Blame(minimal=((1, 2, 3),)),
        found_s=found_s,
    )


def run(strategy: str, seed: int, *cases: TestCase, others: int = 0) -> Run:
    known = [Exercise(ON, True) for _ in cases] + [Exercise(OFF, False)] * others
    return Run(strategy, seed, len(known), len(cases), tuple(known), cases, seconds=1.0)


def comparison(graph: SequenceGraph, *runs: Run, finished: bool = True) -> Comparison:
    seeds = sorted({each.seed for each in runs})
    return compared("old.c -> new.c", graph, 10.0, seeds, runs, finished)


def test_tests_on_a_critical_sequence_are_told_from_the_others(graph: SequenceGraph) -> None:
    result = comparison(graph, run("guided", 0, shown(0.5), shown(0.7), others=3))
    (measures,) = result.measures["guided"]
    assert (measures.tests, measures.differing, measures.known) == (5, 2, 5)
    assert (measures.critical, measures.critical_differing, measures.other_differing) == (2, 2, 0)
    assert (measures.sequences, measures.first_s) == (2, 0.5)
    (finding,) = result.findings
    assert finding.critical == ("c1", "c2", "c3")


def test_a_critical_sequence_found_by_one_strategy_counts_for_all(graph: SequenceGraph) -> None:
    lucky = run("isolated", 0, shown(0.5))
    unlucky = Run("guided", 0, 2, 0, (Exercise(ON, False), Exercise(OFF, False)), (), 1.0)
    (measures,) = comparison(graph, lucky, unlucky).measures["guided"]
    assert (measures.known, measures.critical, measures.critical_differing) == (2, 1, 0)


def test_what_only_one_strategy_found_is_said_for_isolation_and_chance_too(
    graph: SequenceGraph,
) -> None:
    result = comparison(
        graph,
        run("guided", 0, shown(0.5, line=1)),
        run("isolated", 0, shown(0.5, line=1), shown(0.6, line=2)),
        run("native", 0, shown(0.1, line=3)),
    )
    assert [each.only for each in result.findings] == [None, "isolated", "native"]
    rows = {line.split()[0]: line.split() for line in table(result).splitlines() if line}
    assert [rows[name][-1] for name in ("guided", "isolated", "native")] == ["-", "d2", "d3"]


def test_numbers_are_medians_over_the_seeds(graph: SequenceGraph) -> None:
    result = comparison(
        graph,
        run("guided", 0, shown(0.2)),
        run("guided", 1, others=4),
        run("guided", 2, shown(0.6), others=2),
    )
    middle = result.median("guided")
    assert (middle.tests, middle.differing, middle.first_s) == (3, 1, 0.6)
    assert "0.40 s (2/3)" in table(result)  # the median of the seeds that found it


def test_what_most_seeds_did_not_find_has_no_time(graph: SequenceGraph) -> None:
    result = comparison(
        graph, run("guided", 0, shown(0.2)), run("guided", 1), run("guided", 2), run("native", 0)
    )
    assert math.isinf(result.median("guided").first_s)
    form = json.loads(json_text(result))
    assert form["strategies"]["guided"]["median"]["first_s"] is None
    assert form["strategies"]["guided"]["runs"][0]["first_s"] == 0.2
    assert form["differences"][0]["found_s"] == {"guided": {"0": 0.2}, "native": {}}


def test_the_smallest_witness_is_shown(graph: SequenceGraph) -> None:
    result = comparison(graph, run("guided", 0, shown(0.1, text=b"000-"), shown(0.2, text=b"0-")))
    assert 'd1: parse_ranges("0-")' in table(result)


def test_states_are_told_beside_seconds_and_who_needed_the_fewest(graph: SequenceGraph) -> None:
    """Published search wins here, by its median, though guided search is first by the clock."""

    def counted(strategy: str, seed: int, states: int) -> Run:
        return replace(run(strategy, seed, shown(0.1)), efforts={"t0001": states})

    result = comparison(
        graph,
        *(counted("guided", seed, states) for seed, states in enumerate((30, 50, 70))),
        *(counted("published", seed, states) for seed, states in enumerate((90, 40, 10))),
        run("native", 0, shown(0.05)),
    )
    (finding,) = result.findings
    assert finding.efforts["guided"] == {0: 30, 1: 50, 2: 70} and finding.fewest == "published"
    assert "0.10 s, 50 (3/3)" in table(result) and "0.10 s, 40 (3/3)" in table(result)
    assert result.median("published").first_effort == 40
    form = json.loads(json_text(result))["differences"][0]
    assert form["fewest_states"] == "published" and form["efforts"]["native"] == {}
    tie = comparison(graph, counted("guided", 0, 3), counted("isolated", 0, 3))
    assert tie.findings[0].fewest is None


def test_runs_without_tests_compare_nothing(graph: SequenceGraph) -> None:
    none = replace(run("guided", 0), tests=0)
    assert comparison(graph, none).compared_nothing
    assert not comparison(graph, none, run("native", 0, shown(0.1))).compared_nothing
    assert not comparison(graph, replace(none, exhausted=True)).compared_nothing
    assert not comparison(graph).compared_nothing


def test_what_was_interrupted_says_so(graph: SequenceGraph) -> None:
    assert "Interrupted" in table(comparison(graph, run("guided", 0), finished=False))
    assert "Interrupted" not in table(comparison(graph, run("guided", 0)))


# ------------------------------------------------------------------ the plot


def test_steps_are_medians_over_the_seeds(graph: SequenceGraph) -> None:
    result = comparison(
        graph,
        run("guided", 0, shown(0.1, line=1), shown(0.4, line=2)),
        run("guided", 1, shown(0.2, line=1)),
        run("guided", 2, shown(0.3, line=1), shown(0.5, line=2)),
    )
    assert steps_of(result, "guided") == [(0.2, 1), (0.5, 2)]


def test_the_plot_is_svg_with_a_line_and_a_name_for_each_strategy(graph: SequenceGraph) -> None:
    result = comparison(graph, run("guided", 0, shown(0.1)), run("native", 0))
    picture = ElementTree.fromstring(plot(result))
    texts = [element.text for element in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert "guided: 1" in texts and "native: 0" in texts
    titles = [element.text for element in picture.iter("{http://www.w3.org/2000/svg}title")]
    assert titles == ["guided", "native"]


def test_lines_rise_from_left_to_right_within_the_picture() -> None:
    text = curves({"a & b": [(0.0, 1), (0.5, 2), (10.0, 3)]}, 10.0, "<old> -> new")
    picture = ElementTree.fromstring(text)
    (path,) = [p for p in picture.iter("{http://www.w3.org/2000/svg}path") if len(p)]
    words = path.attrib["d"].replace("V", " ").replace("H", " ").replace("M", "").split()
    x, y = [float(words[0]), *map(float, words[2::2])], [float(words[1]), *map(float, words[3::2])]
    assert x == sorted(x) and y == sorted(y, reverse=True)
    assert min(x[0], y[-1]) >= 0 and x[-1] <= 760 and y[0] <= 420
