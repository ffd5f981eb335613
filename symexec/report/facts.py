"""What every report says in addition to its tests: bounds, counters, notes.

--range x=0..9 --time 5    {"time_s": 5.0, "ranges": ["x=0..9"], ...}
inputs_within(report)      "x from 0 to 9, strings of up to 4 bytes"
named(report.bounds)       ("Time for the search", "5 s"), ("Ranges", "x from 0 to 9"), ...
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import fields, replace

from csg.analysis.aliasing import NO_STORES
from csg.analysis.output_buffers import BUFFER
from csg.analysis.preconditions import Length, Single
from csg.errors import Location, UnsupportedError
from csg.ir import DRIVEN
from csg.records import record
from symexec.counters import Counters
from symexec.exploration.preparation import Prepared
from symexec.inputs.assumptions import of_first
from symexec.inputs.plan import MOST_ELEMENTS, plan, shapes_lines, with_defaults
from symexec.inputs.shared_parts import MOST_WAYS
from symexec.inputs.structures import (
    MOST_IN_A_ROW,
    MOST_MEMBERS,
    Depth,
    depths_of,
)
from symexec.ledger import Entry, Ledger, Omission, Reason
from symexec.options import (
    InputOptions,
    MemoryOptions,
    SearchOptions,
    Shadow,
    ShadowOptions,
    SymbolicArguments,
    SymbolicFiles,
)
from symexec.report.model import Report
from symexec.runtime.library import Source, looked_at
from symexec.testcases.driver import driven_within
from symexec.testcases.inputs import Json
from symexec.testcases.signature import ParameterKind, Step


@record
class World:
    """What an entry function can look at in addition to its parameters, as far as its program calls
    for it; and in how many ways pointers are null, of how many. ``most_objects``: behind one
    parameter, if there are more that are left out for their number; else 0. ``aliases``: in how
    many ways pointers lead into one object, of how many. ``objects_apart``: objects of the
    program into which, or into some part of which, no pointer of an input leads."""

    arguments: bool = True
    stdin: bool = True
    files: bool = True
    variables: bool = False
    null_choices: tuple[int, int] = (1, 1)
    most_objects: int = 0
    aliases: tuple[int, int] = (0, 0)
    objects_apart: tuple[str, ...] = ()


def world_of(prepared: Prepared, inputs: InputOptions, aliased: bool) -> World:
    """What the program of an entry function can look at. ``aliased``: as in ``InputPlan``."""
    entry, sources = prepared.entry, looked_at(prepared.program)
    of_main = entry.symbol.name == "main"
    stored = NO_STORES if of_main else prepared.stores
    found = plan(entry, prepared.symbols, inputs, asked=prepared.asked, stores=stored)
    found = replace(found, aliased=aliased)
    return World(
        of_main and bool(entry.parameters),
        Source.STDIN in sources,
        Source.FILES in sources,
        Source.VARIABLES in sources or (of_main and len(entry.parameters) > 2),
        (1, 1) if of_main else found.null_choices(),
        0 if of_main else found.most_objects(),
        (0, 0) if of_main else found.alias_choices(),
        () if of_main else found.objects_apart(),
    )


def bounds(
    entry: str,
    inputs: InputOptions,
    search: SearchOptions,
    memory: MemoryOptions,
    shadow: ShadowOptions | None = None,
    globals_named: Sequence[str] | None = None,
    world: World | None = None,
) -> dict[str, Json]:
    """The limits within which a verdict holds, including defaults; ``main`` has other ones than a
    function. ``globals_named``: the objects that are compared after a call; None for main, after
    which there is nothing to compare."""
    found: dict[str, Json] = {
        "time_s": search.time,
        "memory": search.memory if search.memory is not None else "3/4 of what is free",
        "loop_bound": search.loop_bound,
        "stop_after": search.stop_after,
        "most_allocated": memory.most_allocated,
        "uninitialised": memory.uninitialised.value,
        "leaks": bool(memory.leaks),
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
    else:
        texts = [each.text for each in inputs.preconditions]
        found["preconditions"] = texts if inputs.inferred else "left out"
    found |= sizes(entry, inputs, world or World(arguments=entry == "main"))
    return found


def sizes(entry: str, inputs: InputOptions, world: World) -> dict[str, Json]:
    """Those of the bounds that say which inputs there are: the ones that grow, and what the user
    has said of values. What the program can look at and is not given is there with zeros."""
    found: dict[str, Json] = {}
    asked = inputs
    if entry == "main":
        inputs = with_defaults(inputs)
    else:
        found["array_length"] = inputs.elements
        if counted := _counted_arrays(inputs):
            found["counted_arrays"] = counted
        found |= structures(depths_of(inputs)[-1])
        if world.most_objects:
            found["objects"] = world.most_objects
        if world.null_choices[0] < world.null_choices[1]:
            tried, ways = world.null_choices
            found["null_choices"] = [tried, min(ways, MANY_WAYS)]
        if world.aliases[1]:
            found["aliasing"] = list(world.aliases)
        if world.objects_apart:
            found["objects_apart"] = list(world.objects_apart)
    if inputs.ranges:
        found["ranges"] = [f"{each.name}={each.low}..{each.high}" for each in inputs.ranges]
    if inputs.assumptions:
        found["assumptions"] = list(inputs.assumptions)
    if world.arguments:
        given = inputs.arguments or SymbolicArguments(0, 0, 0)
        found["sym_args"] = [given.minimum, given.maximum, given.length]
    if world.stdin or asked.stdin is not None:
        found["sym_stdin"] = inputs.stdin or 0
    if world.files or asked.files is not None:
        files = inputs.files or SymbolicFiles(0, 0)
        found["sym_files"] = [files.count, files.length]
    if inputs.named_files:
        found["sym_file"] = [f"{each.name}={each.length}" for each in inputs.named_files]
    if world.variables:
        found["environment"] = "as in replay"
    return found


_OBJECTS = 3  # that are named
MANY_WAYS = 1_000_000  # in which pointers are null; more are not counted
NOT_ALWAYS = (
    "null_choices",
    "objects",
    "aliasing",
    "objects_apart",
)  # bounds that need not be there at a larger level


def structures(last: Depth) -> dict[str, Json]:
    """The bounds of structures that parameters lead to."""
    return {
        "structure_depth": last.pointers,
        "structure_objects": last.objects,
        "structure_members": MOST_MEMBERS,
        "structure_elements": MOST_ELEMENTS,
        "structures_in_a_row": MOST_IN_A_ROW,
        "structure_null_choices": last.choices,
    }


def counters_form(counters: Counters) -> dict[str, Json]:
    own = (each.name for each in fields(counters) if each.name != "ledger")
    found: dict[str, Json] = {name: getattr(counters, name) for name in own}
    found["answered"] = dict(counters.answered)
    for name in ("both_fail", "gaps", "branches_left_out"):
        counts: dict[str, int] = getattr(counters, name)
        found[name] = [f"{each} ({count})" for each, count in sorted(counts.items())]
    for name in ("solver_s", "prepared_s", "wall_s"):
        found[name] = round(found[name], 3)
    return found


MOST_ENTRIES = 50  # of one reason in report.json


def omission_entries(ledger: Ledger, behind: Callable[[Location], Collection[int]]) -> list[Entry]:
    """The omissions as report.json has them, one for each line: of each reason the most frequent
    ones."""
    found: list[Entry] = []
    lines: Counter[Omission] = Counter()
    for each, count in ledger.entries.items():
        lines[replace(each, location=replace(each.location, column=0))] += count
    for reason in Reason:
        alike = [each for each in lines.items() if each[0].reason is reason]
        alike.sort(key=lambda each: (-each[1], each[0].location, each[0].text))
        found += [
            Entry(omission, count, tuple(sorted(behind(omission.location))))
            for omission, count in alike[:MOST_ENTRIES]
        ]
    return found


def event_notes(ledger: Ledger) -> list[str]:
    """One line for each event of a path, with its place and count. Events that differ in one number
    alone are one, with the range of it."""
    alike: dict[Omission, dict[Omission, int]] = {}
    for event, count in ledger.events().items():
        form = replace(event, text=_NUMBER.sub("0", event.text))
        alike.setdefault(form, {})[event] = count
    shown = [each for group in alike.values() for each in _in_one(group)]
    shown.sort(key=lambda entry: (-entry[1], str(entry[0].location)))
    return [f"{each.location}: {each.reason}: {each.text} ({count})" for each, count in shown[:50]]


def _in_one(alike: dict[Omission, int]) -> list[tuple[Omission, int]]:
    """The events as one, if there are more than two and one number alone differs."""
    numbers = [tuple(map(int, _NUMBER.findall(event.text))) for event in alike]
    columns = enumerate(zip(*numbers, strict=True))
    differing = [place for place, column in columns if len({*column}) > 1]
    if len(alike) <= 2 or len(differing) != 1:
        return [*alike.items()]
    (place,) = differing
    values = [row[place] for row in numbers]
    first = next(iter(alike))
    at = [*_NUMBER.finditer(first.text)][place]
    text = f"{first.text[: at.start()]}{min(values)} to {max(values)}{first.text[at.end() :]}"
    return [(replace(first, text=text), sum(alike.values()))]


_NUMBER = re.compile(r"\b\d+\b")


def nothing_followed(counters: Counters) -> UnsupportedError | None:
    """The error that ended every single path; None when some path was followed, as far as it
    matters, or time ended first."""
    obstacles = [each for each in counters.ledger.entries if each.reason is Reason.UNSUPPORTED]
    followed = counters.paths + counters.diff_paths + counters.dropped + counters.pruned
    if followed or counters.cuts or not obstacles:
        return None
    first = min(obstacles, key=lambda event: event.location)
    return UnsupportedError(
        f"no path could be followed to its end: {first.text}",
        first.location,
        hint="leave it out by #ifdef, or start behind it with --entry",
    )


# ---------------------------------------------------------------------------------------- in words
# Bounds and counters as a reader names them; no key of report.json is shown to anybody.


def inputs_within(report: Report) -> str:
    """The inputs that the verdict is about: ``strings of up to 4 bytes, x from 0 to 9``."""
    return ", ".join(_parts(report, claimed(report.bounds))) or "every input"


def claimed(found: Mapping[str, Json]) -> Mapping[str, Json]:
    """The bounds, with those of the largest level that is complete."""
    whole = [each for each in found.get("deeper", ()) if each.get("complete")]
    return {**found, **whole[-1]} if whole else found


def beyond(report: Report, larger: Mapping[str, Json]) -> str:
    """What larger bounds allow in addition to those of the report."""
    known = _parts(report, report.bounds)
    return ", ".join(
        each for each in _parts(report, {**report.bounds, **larger}) if each not in known
    )


def _parts(report: Report, found: Mapping[str, Json]) -> list[str]:
    """Each limit of the inputs, by its number."""
    parts = [*_of_main(found), *_of_function(report, found)]
    if "sym_stdin" in found:
        most = found["sym_stdin"]
        parts.append(
            f"standard input of up to {_counted(most, 'byte')}"
            if most
            else "an empty standard input"
        )
    named = found.get("sym_file", ())
    if "sym_files" in found:
        count, length = found["sym_files"]
        files = "a file" if count == 1 else f"{count} files"
        if count:
            parts.append(f"{files} of up to {_counted(length, 'byte')}")
        elif not named:
            parts.append("no files")
    for each in named:
        name, _, length = str(each).rpartition("=")
        parts.append(f"a file '{name}' of up to {_counted(int(length), 'byte')}")
    if "environment" in found:
        parts.append("the environment variables of replay")
    parts += [_range(each) for each in found.get("ranges", ())]
    parts += [f"where {each}" for each in found.get("assumptions", ())]
    if found.get("loop_bound") is not None:
        parts.append(f"loops of up to {found['loop_bound']} rounds")
    return parts


def _counted_arrays(inputs: InputOptions) -> list[str]:
    """The pointers of which a precondition says how many elements there are."""
    claims = (each.claim for each in inputs.preconditions)
    return sorted({each.pointer for each in claims if isinstance(each, Length | Single)})


def _counted(count: int, one: str) -> str:
    return f"{count} {one}" if count == 1 else f"{count} {one}s"


def _of_main(found: Mapping[str, Json]) -> Iterator[str]:
    if "sym_args" not in found:
        return
    least, most, length = found["sym_args"]
    if not most:
        yield "no arguments"
        return
    many = f"{least} to {most}" if 0 < least < most else f"{most}" if least else f"up to {most}"
    arguments = f"{many} argument{'s'[: most != 1]} of up to {_counted(length, 'byte')}"
    shaped = found.get("command_lines") == "as the program reads them"
    yield f"command lines of {arguments}" if shaped else arguments


def _of_function(report: Report, found: Mapping[str, Json]) -> Iterator[str]:
    signature = report.signature
    if signature is None:
        return
    given = (*signature.parameters, *signature.globals)
    kinds = {each.kind for each in given if not each.room and not each.embedded}
    length = found.get("array_length")
    room = [each for each in signature.parameters if each.room]  # arrays in structures
    if ParameterKind.STRING in kinds or any(each.kind is ParameterKind.STRING for each in room):
        yield f"strings of up to {length} bytes"
    arrays = [
        of_first(each.name) in found.get("counted_arrays", ())
        for each in given
        if each.kind in (ParameterKind.ARRAY, ParameterKind.POINTER)
        and not (each.room or each.embedded)
    ]
    if any(arrays):
        yield f"arrays of up to {length} elements"
    if not all(arrays):
        no_number = ", where no number says how many there are" if any(arrays) else ""
        yield f"arrays of {length} elements{no_number}"
    structures = [each for each in given if each.kind is ParameterKind.STRUCTURE]
    rows = [each.elements for each in structures if each.leads_to_rows]
    if len(rows) < len(structures):
        yield f"structures without cycles up to {found.get('structure_depth')} pointers deep"
    if found.get("null_choices"):
        tried, ways = found["null_choices"]
        many = "more than " if ways == MANY_WAYS else ""
        yield f"{tried} of the {many}{ways} ways in which pointers in them are null"
    if found.get("aliasing"):
        tried, ways = found["aliasing"]
        yield _together(tried, ways)
    if found.get("objects_apart"):
        yield _apart(found["objects_apart"])
    if found.get("objects"):
        yield f"up to {found['objects']} objects behind a parameter"
    first = found.get("structure_elements", MOST_ELEMENTS)
    if any(each.kind is ParameterKind.ARRAY and each.room > first * each.size for each in room):
        yield f"the first {first} elements of an array in them"
    if ends := sorted({each.end for each in signature.parameters if each.end}):
        yield f"{' or '.join(map(str, ends))} elements of an array of no length in them"
    if rows:
        many = min(max(rows), found.get("array_length", max(rows)))
        yield f"up to {_counted(many, 'row')} of an array"
    plain = [each.elements for each in signature.parameters if not each.leads_to_rows]
    most = max(plain, default=1)
    if most > 1:
        yield f"up to {min(most, found.get('array_length', most))} of them in a row"
    if str(report.entry).startswith(DRIVEN):
        yield from driven_within([each.name for each in signature.parameters])
    names = [each.name for each in signature.parameters]
    if any(BUFFER in each.text for each in signature.steps):
        others = "other objects, or what they begin with" if any("_in_" in n for n in names) else ""
        yield f"places for results apart from {others or 'other objects'}"
    yield from _of_calls(signature.steps)


def _together(tried: int, ways: int) -> str:
    """How pointers lead into one object, in the inputs that were tried."""
    if not tried:
        return "pointers that lead to different objects"
    known = f"more than {MOST_WAYS}" if ways >= MOST_WAYS else ways
    some = f" in {tried} of {known} ways" if tried < ways else ""
    return f"pointers that lead to different objects or into one{some}, by an element at most"


def _apart(names: Sequence[str]) -> str:
    shown = list(names[:_OBJECTS])
    if more := len(names) - len(shown):
        shown.append(f"{more} other object{'s'[: more != 1]} of the program")
    return f"pointers that do not lead into {' or '.join(shown)}, or not into each part"


def _of_calls(steps: Sequence[Step]) -> Iterator[str]:
    """Who makes the object of a call sequence, where there is a choice, and what is called then."""
    main = max((at for at, each in enumerate(steps) if not each.chosen), default=0)
    makers: dict[str, None] = {}
    between: dict[str, None] = {}
    behind: dict[str, None] = {}
    for at, each in enumerate(steps):
        if each.chosen:
            (makers if each.makes else between if at < main else behind)[each.function] = None
    most = len({each.chosen for each in steps[:main] if each.function in between})
    if makers:
        yield f"objects that {', '.join(makers)} make"
    if between:
        calls = "call" if most == 1 else "calls"
        yield f"up to {most} {calls} of {', '.join(between)} in between"
    if behind:
        yield f"one of {', '.join(behind)} at the end"


def _range(text: str) -> str:
    name, _, values = text.partition("=")
    low, _, high = values.partition("..")
    return f"{name} from {low} to {high}"


_NAMES = {
    "time_s": "Time for the search",
    "memory": "Memory for the search",
    "loop_bound": "Rounds of one loop on a path",
    "most_allocated": "Bytes of an allocation whose size is an input",
    "uninitialised": "Use of uninitialised memory",
    "leaks": "Memory lost at the end",
    "mode": "Search",
    "seed": "Seed of random choices",
    "solver": "Solver",
    "after": "Followed after the versions diverge",
    "without": "Search strategies left out",
    "deterministic": "Budgets count work, not time",
    "stop_after": "Inputs that differ after which the search ends",
    "prune": "Paths that can meet no change are left",
    "shadow": "Both versions are followed",
    "bse_time_s": "Time for the search from one divergence",
    "globals": "What globals hold at the start",
    "globals_any": "Globals of any value",
    "globals_compared": "Globals compared after the call",
    "command_lines": "Command lines",
    "array_length": "Bytes of a string, elements of an array",
    "counted_arrays": "Arrays of which a number says how long they are",
    "structure_depth": "Pointers from a parameter to a structure",
    "structure_objects": "Objects that a parameter leads to",
    "structure_members": "Members of those objects",
    "structure_elements": "Elements of an array in them",
    "objects": "Objects behind a parameter, the others left out",
    "structures_in_a_row": "Structures that one pointer leads to",
    "structure_null_choices": "Ways in which pointers are null",
    "preconditions": "Expected of callers",
    "ranges": "Ranges",
    "assumptions": "Assumptions",
    "sym_args": "Arguments: fewest, most, bytes of each",
    "sym_stdin": "Bytes of standard input",
    "sym_files": "Files: how many, bytes of each",
    "sym_file": "Named files and their bytes",
    "null_choices": "Ways in which pointers are null: tried, all",
    "aliasing": "Ways in which pointers lead into one object: tried, known",
    "objects_apart": "Objects into which pointers of the caller do not lead, or not into all parts",
    "environment": "Environment variables",
    "deeper": "Beyond that",
    "queries": "Queries of the solver",
    "answered": "Queries answered by",
    "backend_queries": "Queries that reached the solver itself",
    "solver_s": "Time in the solver",
    "unknown": "Queries without an answer",
    "rebuilds": "Solvers built anew",
    "models_checked": "Models checked",
    "answers_checked": "Answers checked by another solver",
    "chunks": "Pieces of compiled code run",
    "moved": "Bytes of objects copied and filled",
    "states": "States",
    "paths": "Paths followed to their ends",
    "diff_paths": "Paths on which the versions diverge",
    "divergence_points": "Places near the seeds where they can diverge",
    "forks": "Forks",
    "pruned": "Paths left as no change lies ahead",
    "rested": "Paths on which no input decides anything more",
    "dropped": "Paths left at an output",
    "cuts": "Paths not followed to their ends",
    "unsupported": "Paths that met something unsupported",
    "waiting": "Paths that were waiting when the time was over",
    "parked": "States set aside while memory was short",
    "forgotten": "Paths dropped because memory was short",
    "concretised": "Values fixed to one",
    "assumptions_failed": "Paths that the assumptions exclude",
    "both_fail": "Paths on which both versions fail alike",
    "gaps": "Not modelled",
    "branches_compared": "Tests whose branches were compared natively",
    "branch_mismatches": "Tests that took other branches natively",
    "branches_left_out": "Tests whose branches were not compared",
    "prepared_s": "Time to prepare",
    "wall_s": "Time in all",
    "exhausted": "Nothing within the bounds is left",
    "examples": "Examples followed",
    "jobs": "Processes that searched",
    "portions": "Portions of the search that went to other processes",
    "prefixes_sent": "States given to other processes",
    "prefixes_returned": "States that they gave back",
    "prefixes_taken": "States of theirs that the search took over",
    "prefixes_unfit": "States that were not found again by their decisions",
    "prefixes_poisoned": "States on which processes died",
    "deaths": "Portions on which a process died",
    "mispredicted": "Predicted to differ, alike natively",
    "refused": "Why they are alike",
    "began_s": "Began after",
    "tests": "Inputs run",
    "differing": "Inputs that differ",
    "executed": "Runs that began a new process",
    "alike": "Differences like known ones",
    "outside": "Inputs outside the bounds",
    "mutated": "Inputs mutated",
    "followed": "Inputs followed symbolically",
}
_VALUES = {
    ("uninitialised", "differences"): "an error where one version alone does it",
    ("uninitialised", "error"): "an error of the program",
    ("uninitialised", "zero"): "none: such memory holds zeros",
    ("leaks", True): "looked for",
    ("leaks", False): "not looked for",
    ("after", "both"): "both versions",
    ("after", "new"): "the new version alone",
    ("shadow", "complete"): "on every path",
    ("shadow", "concolic"): "near the paths of seeds",
    ("shadow", "jpf"): "near the paths of seeds, in one pass",
    ("globals", "any"): "any value that a caller may have set",
    ("globals", "initial"): "what the program initialises them with",
}


def named(facts: Mapping[str, Json]) -> list[tuple[str, str]]:
    """Bounds or counters for a reader: the name of each, and its value in words."""
    return [(name_of(key), _value(key, value)) for key, value in facts.items()]


def name_of(key: str) -> str:
    """The name of a key for a reader; made from the key where the table has none."""
    return _NAMES.get(key) or key.removesuffix("_s").replace("_", " ").capitalize()


def _value(key: str, value: Json) -> str:
    if value is None:
        return "no bound"
    if isinstance(value, str | bool) and (key, value) in _VALUES:
        return _VALUES[key, value]
    if isinstance(value, str):
        return value
    if key == "memory":
        return f"{value >> 20} MiB"
    if key == "ranges":
        return ", ".join(map(_range, value))
    if key.endswith("_s"):
        return f"{value:g} s"
    if key == "deeper":
        return "; ".join(
            f"{each.get('within')}: {'all' if each['exhausted'] else 'not all'} paths"
            for each in value
        )
    return in_words(value)


def in_words(value: Json) -> str:
    """The value in words, without brackets, quotes and Python's notation."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, dict):
        return ", ".join(f"{name} {in_words(each)}" for name, each in value.items()) or "none"
    if isinstance(value, list):
        return ", ".join(map(in_words, value)) or "none"
    return str(value)
