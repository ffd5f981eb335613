"""What every report says beside its tests: bounds, counters, and what the reader has to know.

--range x=0..9 --time 5    {"time_s": 5.0, "ranges": ["x=0..9"], ...}
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from csg.errors import UnsupportedError
from symexec.counters import Counters
from symexec.inputs.plan import MOST_ELEMENTS, shapes_lines, with_defaults
from symexec.inputs.structures import DEEPEST, MOST_CHOICES, MOST_MEMBERS, MOST_PLACES
from symexec.options import InputOptions, MemoryOptions, SearchOptions, Shadow, ShadowOptions
from symexec.state.state import Event
from symexec.testcases.inputs import Json

STRUCTURES: dict[str, Json] = {  # that parameters lead to
    "structure_depth": DEEPEST,
    "structure_objects": MOST_PLACES,
    "structure_members": MOST_MEMBERS,
    "structure_elements": MOST_ELEMENTS,
    "structure_null_choices": MOST_CHOICES,
}


def bounds(
    entry: str,
    inputs: InputOptions,
    search: SearchOptions,
    memory: MemoryOptions,
    shadow: ShadowOptions | None = None,
    globals_named: Sequence[str] | None = None,
) -> dict[str, Json]:
    """The limits within which a verdict holds, those that nobody has asked for too; ``main`` has
    other ones than a function. ``globals_named``: the objects that are compared after a call; None
    for main, whose end is theirs."""
    found: dict[str, Json] = {
        "time_s": search.time,
        "memory": search.memory if search.memory is not None else "3/4 of what is free",
        "loop_bound": search.loop_bound,
        "most_allocated": memory.most_allocated,
        "uninitialised": memory.uninitialised.value,
        "mode": search.mode,
        "seed": search.seed,
        "solver": search.solver.value,
        "after": search.after.value,
    }
    if search.without:
        found["without"] = list(search.without)
    if search.deterministic:
        found["deterministic"] = True
    if not search.prune:
        found["prune"] = False
    if shadow is not None:
        found["shadow"] = shadow.mode.value
        if shadow.mode is Shadow.CONCOLIC and shadow.bse_time is not None:
            found["bse_time_s"] = shadow.bse_time
    if globals_named is not None:
        found["globals"] = inputs.globals.value
        found["globals_any"] = list(inputs.symbolic_globals)
        found["globals_compared"] = list(globals_named)
    if entry == "main":
        found["command_lines"] = (
            "as the program reads them" if shapes_lines(inputs) else "any bytes"
        )
        inputs = with_defaults(inputs)
    else:
        found["array_length"] = inputs.array_length
        found |= STRUCTURES
    if inputs.ranges:
        found["ranges"] = [f"{each.name}={each.low}..{each.high}" for each in inputs.ranges]
    if inputs.assumptions:
        found["assumptions"] = list(inputs.assumptions)
    if inputs.arguments is not None:
        given = inputs.arguments
        found["sym_args"] = [given.minimum, given.maximum, given.length]
    if inputs.stdin is not None:
        found["sym_stdin"] = inputs.stdin
    if inputs.files is not None:
        found["sym_files"] = [inputs.files.count, inputs.files.length]
    if inputs.named_files:
        found["sym_file"] = [f"{each.name}={each.length}" for each in inputs.named_files]
    return found


def counters_form(counters: Counters) -> dict[str, Json]:
    found: dict[str, Json] = asdict(counters)
    for name in ("gaps", "branches_left_out"):
        counts: dict[str, int] = getattr(counters, name)
        found[name] = [f"{each} ({count})" for each, count in sorted(counts.items())]
    for name in ("solver_s", "prepared_s", "wall_s"):
        found[name] = round(found[name], 3)
    return found


def event_notes(events: dict[Event, int]) -> list[str]:
    """One line for each thing that the reader has to know of, with place and count."""
    ordered = sorted(events.items(), key=lambda entry: (-entry[1], str(entry[0].location)))
    return [
        f"{event.location}: {event.kind}: {event.text} ({count})" for event, count in ordered[:50]
    ]


def nothing_followed(counters: Counters, events: dict[Event, int]) -> UnsupportedError | None:
    """What kept every single path from its end; None when one was followed, as far as it matters,
    or time ended first."""
    obstacles = [event for event in events if event.kind == "unsupported"]
    followed = counters.paths + counters.diff_paths + counters.dropped + counters.pruned
    if followed or counters.cuts or not obstacles:
        return None
    first = min(obstacles, key=lambda event: event.location)
    return UnsupportedError(
        f"no path could be followed to its end: {first.text}",
        first.location,
        hint="leave it out by #ifdef, or start behind it with --entry",
    )
