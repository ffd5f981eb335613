"""``bounds`` names every bound that a verdict holds within, asked for or not."""

from __future__ import annotations

from dataclasses import fields

from symexec.options import InputOptions, MemoryOptions, SearchOptions, ShadowOptions
from symexec.report.facts import bounds

NO_BOUNDS = {"symbolic_globals", "leaks", "entry"}
CALLED = {
    "time": "time_s",
    "arguments": "sym_args",
    "stdin": "sym_stdin",
    "files": "sym_files",
    "named_files": "sym_file",
}
OF_FUNCTIONS = {"array_length", "globals"}
OF_MAIN = {"arguments", "stdin", "files"}
# ``level`` is of a search that follows the one whose bounds these are: ``deeper`` tells of it.
WHERE_GIVEN = {"level", "ranges", "assumptions", "named_files", "deterministic", "prune", "without"}


def test_each_option_that_bounds_a_search_is_named() -> None:
    for entry, others in (("main", OF_FUNCTIONS), ("f", OF_MAIN)):
        named = [] if entry == "f" else None
        found = bounds(
            entry, InputOptions(), SearchOptions(), MemoryOptions(), ShadowOptions(), named
        )
        for options in (InputOptions, SearchOptions, MemoryOptions):
            names = {each.name for each in fields(options)} - NO_BOUNDS - WHERE_GIVEN - others
            assert {CALLED.get(name, name) for name in names} <= found.keys(), entry


def test_the_defaults_of_main_are_told() -> None:
    found = bounds("main", InputOptions(), SearchOptions(), MemoryOptions())
    assert (found["sym_args"], found["sym_stdin"], found["sym_files"]) == ([0, 4, 6], 4, [1, 4])
    assert found["command_lines"] == "as the program reads them"
    asked = bounds("main", InputOptions(stdin=3), SearchOptions(), MemoryOptions())
    assert asked["sym_stdin"] == 3 and "sym_args" not in asked
    assert asked["command_lines"] == "any bytes"
    assert bounds("f", InputOptions(), SearchOptions(), MemoryOptions())["structure_depth"] == 3
