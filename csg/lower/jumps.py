"""Labels, goto, break, continue, return.

return x + 1;     %0 = add %1, 1;  jump exit
goto *table[i];   jump *%4, every label whose address is taken, here or in a static table
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from csg.errors import UnsupportedError
from csg.ir import IndirectJump, Relocation, Value
from csg.language.syntax import Break, ComputedGoto, Continue, Goto, Label, Return, Version
from csg.language.types import Record, Void, size_of
from csg.lower import lifetimes
from csg.lower.context import LabelEntry, LabelTarget, Lowering
from csg.lower.versions import assign_variable
from csg.source import Location


def _target(lowering: Lowering, name: str) -> LabelTarget:
    target = lowering.labels.get(name)
    if target is None:
        target = lowering.labels[name] = LabelTarget(lowering.builder.new_block())
    return target


def label(lowering: Lowering, statement: Label) -> None:
    target = _target(lowering, statement.name)
    builder = lowering.builder
    if target.block.region is not builder.region:
        if target.used is not None:
            _refuse_region(target.used)
        target.block.region = builder.region
    target.defined = True
    target.scope = lowering.scope
    builder.start(target.block)
    lifetimes.resume(lowering)


def _refuse_region(location: Location) -> None:
    raise UnsupportedError(
        "goto into or out of code that only one version executes",
        location,
        "put the label and its gotos both inside or both outside of the execute block",
    )


def goto(lowering: Lowering, statement: Goto) -> None:
    _simple_node(lowering, statement.location)
    target = _target(lowering, statement.label)
    if target.defined and target.block.region is not lowering.builder.region:
        _refuse_region(statement.location)
    target.used = statement.location
    target.block.region = lowering.builder.region
    lifetimes.note_goto(lowering, statement.label)
    lowering.builder.jump_away(target.block)


def label_address(lowering: Lowering, name: str) -> Value:
    return lowering.builder.label_address(_addressed(lowering, name).block)


def _addressed(lowering: Lowering, name: str) -> LabelTarget:
    if name not in lowering.addressed_labels:
        lowering.addressed_labels.append(name)
    return _target(lowering, name)


def note_labels(lowering: Lowering, entries: Sequence[LabelEntry]) -> None:
    """A static object holds addresses of labels. These are taken in the entry block as well, so
    that their blocks stay and are told from others."""
    for entry in entries:
        target = _addressed(lowering, entry.label)
        lowering.builder.take_label(target.block)
    lowering.label_entries += entries


def place_labels(lowering: Lowering) -> None:
    """Blocks have their final numbers: an address is that of the function and the number."""
    objects, name = lowering.objects.globals, lowering.builder.function.name
    for entry in lowering.label_entries:
        block = lowering.labels[entry.label].block
        held = objects[entry.object]
        found = Relocation(entry.offset, name, block.index)
        if entry.version is Version.OLD:
            held = replace(held, old_relocations=(*held.old_relocations, found))
        else:
            held = replace(held, relocations=(*held.relocations, found))
        objects[entry.object] = held


def computed_goto(lowering: Lowering, statement: ComputedGoto) -> None:
    """The targets are filled in when the whole function is known."""
    _simple_node(lowering, statement.location)
    builder = lowering.builder
    address = lowering.value(statement.target)
    builder.terminate(IndirectJump(address, (), node=builder.node, version=builder.version))


def break_statement(lowering: Lowering, statement: Break) -> None:
    _simple_node(lowering, statement.location)
    lifetimes.leave_down_to(lowering, lowering.jump_scopes[lowering.breaks[-1].index])
    lowering.leave_to(lowering.breaks[-1], statement.location)


def continue_statement(lowering: Lowering, statement: Continue) -> None:
    _simple_node(lowering, statement.location)
    lifetimes.leave_down_to(lowering, lowering.jump_scopes[lowering.continues[-1].index])
    lowering.leave_to(lowering.continues[-1], statement.location)


def return_statement(lowering: Lowering, statement: Return) -> None:
    """The value goes to the result register, a record to where the caller wants it."""
    _simple_node(lowering, statement.location, "return")
    builder = lowering.builder
    if statement.value is None:
        pass
    elif isinstance(lowering.result, Void) or isinstance(statement.value.type, Void):
        lowering.discard(statement.value)
    elif isinstance(lowering.result, Record):
        assert lowering.result_address is not None
        source = lowering.value(statement.value)
        builder.copy(lowering.result_address, source, size_of(lowering.result))
    else:
        assert lowering.result_register is not None
        assign_variable(lowering, lowering.result_register, statement.value, lowering.result)
    lowering.leave_to(lowering.exit, statement.location)


def _simple_node(lowering: Lowering, location: Location, kind: str = "statement") -> None:
    if lowering.inside_expression:
        return
    text = lowering.nodes.excerpts.statement(location)
    lowering.builder.node = lowering.nodes.draft(kind, location, text)
    if kind == "return" and lowering.is_entry:
        lowering.nodes.drafts[lowering.builder.node].output = True


def check_labels(lowering: Lowering) -> None:
    """After the body: every goto has its label; computed ones go to any label in reach."""
    for name, target in lowering.labels.items():
        if not target.defined:
            raise UnsupportedError(f"label '{name}' is used but not defined", target.used)
    lifetimes.settle_gotos(lowering)
    goals = tuple(lowering.labels[name].block.index for name in lowering.addressed_labels)
    for block in lowering.builder.function.blocks:
        if isinstance(block.terminator, IndirectJump):
            old = block.terminator
            block.terminator = IndirectJump(old.address, goals, node=old.node, version=old.version)
