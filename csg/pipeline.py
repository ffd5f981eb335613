"""The static half from end to end: two versions in, a graph or a picture of it out.

    Versions  --unify_files-->  Unified  --program_of-->  Program  --graph_of-->  SequenceGraph
                                                                       --picture-->   dot, svg, text
    Program  --cfg_of, icfg_of, call_graph_of, control_of, pdg_of-->  networkx graphs

Each step imports what it needs when it is called: a run that only searches draws nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from csg.errors import UsageError
from csg.language.syntax import Linkage
from csg.programs import BY_TREES, OURS, Annotation, GraphRules, Versions

if TYPE_CHECKING:
    from csg.analysis import DependenceGraph, StatementFlow
    from csg.graphs import SequenceGraph
    from csg.graphs.program_graphs import FunctionGraph, StatementGraph
    from csg.ir import Program
    from csg.language.syntax import TranslationUnit
    from csg.render import Picture
    from csg.unify import Unified


def unify_files(
    versions: Versions, entry: str = "main", annotation: Annotation = BY_TREES
) -> Unified:
    """Both versions as one annotated program."""
    from csg.unify.pairs import read_pair, unify_pair

    return unify_pair(read_pair(versions.pairs()), entry, annotation)


def unified_text(versions: Versions, entry: str, annotation: Annotation, ids: bool) -> str:
    """C text of both versions, of which the compiler says that it is C."""
    from csg.unify import printed

    return printed(_confirmed(versions, entry, annotation), ids)


def explained(versions: Versions, entry: str, annotation: Annotation) -> str:
    """For each change, what it is and why the statements around it are unified as they are."""
    from csg.unify.changes.explaining import explanation

    unified = _confirmed(versions, entry, annotation)
    return explanation(unified, versions.flags, versions.flags_of_files())


def _confirmed(versions: Versions, entry: str, annotation: Annotation) -> Unified:
    from csg.unify.compiled import confirmed

    return confirmed(unify_files(versions, entry, annotation), entry, annotation=annotation)


def program_of(
    unified: Unified, entry: str | None = None, roots: Collection[str] | None = None
) -> Program:
    """The intermediate representation of both versions. Without ``entry``: ``main``, or the only
    function that other files could call. ``roots``: without the functions that neither it nor
    one of these needs."""
    from csg.lower import lower

    changes = [record.info() for record in unified.changes]
    start = entry_of(unified.units, entry)
    return lower(unified.units, changes, start, roots=roots)


def graph_of(
    program: Program,
    rules: GraphRules = OURS,
    dependences: DependenceGraph | None = None,
) -> SequenceGraph:
    """The change sequence graph of a program. ``dependences``: the dependence graph, where it has
    been computed already."""
    from csg.graphs import build_csg

    return build_csg(program, rules, dependences)


def cfg_of(program: Program, function: str) -> StatementGraph:
    """The control flow graph of one function, a networkx graph of statements."""
    from csg.graphs import program_graphs

    return program_graphs.function_cfg(program, _flow(program), function)


def icfg_of(program: Program) -> StatementGraph:
    """Control flow across calls and returns."""
    from csg.graphs import program_graphs

    return program_graphs.interprocedural(program, _flow(program))


def call_graph_of(program: Program) -> FunctionGraph:
    """Which function calls which, through pointers as well."""
    from csg.analysis import call_graph, points_to
    from csg.graphs import program_graphs

    return program_graphs.call_graph(program, call_graph(program, points_to(program)))


def pdg_of(program: Program, dependences: DependenceGraph | None = None) -> StatementGraph:
    """The program dependence graph: edges "data" and "control", from what is needed."""
    from csg.analysis import dependence_graph
    from csg.graphs import program_graphs

    return program_graphs.pdg(dependences or dependence_graph(program))


def control_of(program: Program, dependences: DependenceGraph | None = None) -> StatementGraph:
    """The control dependence graph: which statements decide that another one runs."""
    from csg.analysis import dependence_graph
    from csg.graphs import program_graphs

    return program_graphs.control_graph(dependences or dependence_graph(program))


def _flow(program: Program) -> StatementFlow:
    from csg.analysis import call_graph, points_to, statement_flow

    return statement_flow(program, call_graph(program, points_to(program)))


def entry_of(units: Sequence[TranslationUnit], asked: str | None) -> str:
    """The entry function: ``asked``, or else main, or the only function that other files could
    call. Raises UsageError where there is no such function."""
    return _chosen(_names(units, None), _names(units, Linkage.EXTERNAL), asked, "the program")


def shared_entry(
    old: Sequence[TranslationUnit], new: Sequence[TranslationUnit], asked: str | None
) -> str:
    """As ``entry_of``, for a function that both versions must define."""
    names, shared = _names(old, None), _names(new, None)
    for name in [asked] if asked is not None else ["main"]:
        if (name in names) != (name in shared):
            have, lacks = ("new", "old") if name in shared else ("old", "new")
            both = [each for each in names if each in shared]
            raise UsageError(
                f"only the {have} version has a function '{name}', the {lacks} one has none",
                hint=f"choose one of both with --entry: {_listed(both)}"
                if both
                else "give two versions of one program",
            )
    callable_ones = set(_names(new, Linkage.EXTERNAL))
    candidates = [name for name in _names(old, Linkage.EXTERNAL) if name in callable_ones]
    return _chosen([name for name in names if name in shared], candidates, asked, "both versions")


def _names(units: Sequence[TranslationUnit], linkage: Linkage | None) -> list[str]:
    symbols = [function.symbol for unit in units for function in unit.functions]
    return [symbol.name for symbol in symbols if linkage in (None, symbol.linkage)]


def _chosen(names: list[str], callable_ones: list[str], asked: str | None, where: str) -> str:
    if asked is not None:
        if asked not in names:
            raise UsageError(
                f"there is no function '{asked}' to start in", hint=f"there are: {_listed(names)}"
            )
        return asked
    if "main" in names:
        return "main"
    candidates = callable_ones or names
    if len(candidates) == 1:
        return candidates[0]
    if not candidates:
        raise UsageError(
            f"no function of {where} can be started",
            hint="define one; with two versions, in both by the same name",
        )
    raise UsageError(
        "there is no 'main', and several functions could be meant",
        hint=f"choose one with --entry: {_listed(candidates)}",
    )


def picture(
    versions: Versions,
    entry: str | None = None,
    what: str = "csg",
    form: str = "text",
    annotation: Annotation = BY_TREES,
    function: str | None = None,
    full: bool = False,
    rules: GraphRules = OURS,
) -> bytes:
    """The content of a picture's file: ``what`` is "csg", "cfg", "pdg" or "figure", ``form`` is
    "dot", "svg", "png", "html", "json", "text", "graphml" or "mermaid". ``function``: show this
    function only. ``full``: fold nothing."""
    from csg import render
    from csg.render import form_of, listing, of_function, picture_bytes, picture_listing

    program = program_of(unify_files(versions, annotation=annotation), entry)
    if form == "graphml":
        return render.graphml(_computed(program, what, function, rules))
    if what == "csg" and form in ("text", "json"):
        graph = graph_of(program, rules)
        graph = of_function(graph, function) if function is not None else graph
        return listing(graph).encode() if form == "text" else _json(form_of(graph))
    drawing = picture_of(program, what, function, full, rules)
    match form:
        case "mermaid":
            return render.mermaid(drawing).encode()
        case "text":
            return picture_listing(drawing).encode()
        case "json":
            return _json(form_of(drawing))
        case _:
            return picture_bytes(drawing, form)


def _computed(
    program: Program, what: str, function: str | None, rules: GraphRules
) -> SequenceGraph | StatementGraph:
    """The networkx graph called ``what``, of one function or of all."""
    from csg.render import of_function

    match what:
        case "csg":
            graph = graph_of(program, rules)
            return of_function(graph, function) if function is not None else graph
        case "cfg":
            return cfg_of(program, function) if function is not None else icfg_of(program)
        case "pdg":
            whole = pdg_of(program)
            if function is None:
                return whole
            return whole.subgraph([n for n in whole if whole.nodes[n]["function"] == function])
        case _:
            raise UsageError(f"GraphML holds one graph, '{what}' is several", hint="ask for one")


def picture_of(
    program: Program,
    what: str = "csg",
    function: str | None = None,
    full: bool = False,
    rules: GraphRules = OURS,
) -> Picture:
    """The graph called ``what`` ("csg", "cfg", "pdg", or "figure": all three of one function),
    changes and interaction locations marked."""
    from csg import render
    from csg.analysis import dependence_graph, statement_flow
    from csg.graphs import build_csg

    dependences = dependence_graph(program)
    graph = build_csg(program, rules, dependences)
    match what:
        case "csg":
            shown = render.of_function(graph, function) if function is not None else graph
            return render.sequence_picture(shown, full)
        case "cfg":
            whole = render.flow_picture(program, statement_flow(program, dependences.calls), graph)
        case "pdg":
            whole = render.dependence_picture(dependences, graph)
        case "figure":
            flow = statement_flow(program, dependences.calls)
            return render.figure_picture(function or program.entry, dependences, flow, graph, full)
        case _:
            raise UsageError(f"there is no graph '{what}'", hint="one of csg, cfg, pdg, figure")
    return render.one_function(whole, function) if function is not None else whole


def _json(form: dict[str, object]) -> bytes:
    import json

    return (json.dumps(form, indent=1) + "\n").encode()


def _listed(names: list[str]) -> str:
    return ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
