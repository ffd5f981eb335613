"""Find stores to what a caller may have as a constant, behind pointers that promise not to write.

    unsigned hash(const char *s)        s may be a literal, which nobody can write to; the objects
    {                                   of tests can be written
        *strchr(s, ':') = 0;

Only a store that depends on a change matters: another one fails in both versions alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from csg.analysis import DependenceGraph
from csg.analysis.constraints import Place
from csg.analysis.objects import ObjectKind
from csg.ir import Instruction, Program
from csg.ir.library_effects import effect_of
from csg.language.syntax import Call, Cast, FunctionDefinition
from csg.language.traversal import called_name, walk
from csg.language.types import Array, Function, Pointer, Record, Type, leads_to_const
from symexec.exploration.depending import Influence, Touched, accesses, own_functions
from symexec.ledger import Omission, Reason

_TEXT = "this writes to what a pointer to const leads to; a caller may pass a constant"


def stores_to_constants(
    influence: Influence, functions: Sequence[FunctionDefinition]
) -> Iterator[Omission]:
    """The stores to objects that a caller may have as constants, of those that depend on a change.
    ``functions``: those of the program."""
    program, dependences = influence.program, influence.dependences
    lent = _lent(program, dependences, functions)
    if not lent:
        return
    found = [*_writing(program, dependences, lent)]
    depending = influence.of_changes() if found else ()
    stores = [step for place, step in found if dependences.vertices.instruction(place) in depending]
    for location in dict.fromkeys(program.nodes[step.node].location for step in stores):
        yield Omission(Reason.APPROXIMATED, _TEXT, location)


def _lent(
    program: Program, dependences: DependenceGraph, functions: Sequence[FunctionDefinition]
) -> set[int]:
    """The numbers of the objects of the caller that may be constants."""
    code = program.functions[program.entry]
    kinds = code.type.parameters if isinstance(code.type, Function) else ()
    hidden = len(code.parameters) - len(kinds)
    names: set[str] = set()
    drops: bool | None = None
    for at, kind in enumerate(kinds, 1 + hidden):
        if not isinstance(kind, Pointer):
            continue
        if leads_to_const(kind):
            names.add(f"parameter {at}")
        if _has_constants(kind.target):
            drops = _drop_const(functions) if drops is None else drops
            names |= {f"*parameter {at}"} if drops else set()
    objects = dependences.pointers.objects.objects
    return {
        at
        for at, each in enumerate(objects)
        if each.kind is ObjectKind.OUTSIDE and each.name in names
    }


def _has_constants(kind: Type) -> bool:
    """Does an object of this type hold pointers to constants, at any depth?"""
    seen: set[Type] = set()
    waiting = [kind]
    while waiting:
        match waiting.pop():
            case Pointer() as pointer if leads_to_const(pointer):
                return True
            case Pointer(target=target) | Array(element=target):
                waiting.append(target)
            case Record(fields=fields) as record if record not in seen:
                seen.add(record)
                waiting += [each.type for each in fields or ()]
            case _:
                pass
    return False


def _drop_const(functions: Iterable[FunctionDefinition]) -> bool:
    """Does code make a pointer to const one through which it can write, by a cast or as ``strchr``
    does?"""
    for node in walk(*(each.body for each in functions)):
        match node:
            case Cast(type=Pointer() as kind, operand=operand):
                if leads_to_const(operand.type) and not leads_to_const(kind):
                    return True
            case Call(type=Pointer() as kind, arguments=arguments) if not leads_to_const(kind):
                effect = effect_of(called_name(node))
                given = (
                    [arguments[at] for at in effect.returns if at < len(arguments)]
                    if effect
                    else []
                )
                if any(leads_to_const(each.type) for each in given):
                    return True
            case _:
                pass
    return False


def _writing(
    program: Program, dependences: DependenceGraph, objects: set[int]
) -> Iterator[tuple[Place, Instruction]]:
    """The instructions of the program, not of drivers, that may write to one of these objects."""
    all_but_library = [name for name, code in program.functions.items() if not code.library]
    touched = Touched(program, dependences, all_but_library)
    for place, step in accesses(program, own_functions(program)):
        if not objects.isdisjoint(touched.by(place, step)[1]):
            yield place, step
