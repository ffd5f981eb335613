"""Switch statements; the labels may stand anywhere in the body, loops included.

    switch (x) { case 1: A; case 2 ... 5: B; break; default: C; }

      switch %1, 1: A, 2..5: B, default: C         A falls through to B

Values are compared without sign at the selector's width: ``case -1 ... 1`` becomes two ranges.
"""

from __future__ import annotations

from csg.errors import UnsupportedError
from csg.ir import Block
from csg.ir import Switch as SwitchTerminator
from csg.language.syntax import Case, Switch, Version
from csg.language.types import is_signed, value_bits
from csg.lower import lifetimes
from csg.lower.context import Lowering, SwitchCases
from csg.lower.expressions import converted
from csg.lower.statements import condition_node


def switch(lowering: Lowering, statement: Switch) -> None:
    builder = lowering.builder
    text = lowering.nodes.excerpts.condition(statement.location, "switch")
    condition_node(lowering, statement.location, text)
    kind = statement.selector_type
    value = converted(lowering, statement.selector, kind)
    head, node, version = builder.block, builder.node, builder.version
    site = lowering.nodes.decision(node, statement.selector)
    end = builder.new_block()
    gathered = SwitchCases(value_bits(kind), is_signed(kind), node, builder.region, lowering.scope)
    lowering.switches.append(gathered)
    lowering.breaks.append(end)
    lowering.jump_scopes[end.index] = lowering.scope
    builder.block = builder.new_block()  # code before the first label: never reached
    lowering.statement(statement.body)
    builder.jump(end)
    lowering.breaks.pop()
    lowering.switches.pop()
    default, other, default_version = _defaults(gathered, end)
    if head.terminator is None:
        head.terminator = SwitchTerminator(
            value,
            tuple(gathered.cases),
            default,
            other,
            default_version,
            site,
            node=node,
            version=version,
        )
    builder.block = end


def _defaults(gathered: SwitchCases, end: Block) -> tuple[int, int | None, Version | None]:
    """The default label, where a version without that one goes, and whose label it is."""
    shared = [block for block, version in gathered.defaults if version is None]
    if shared:
        return shared[0].index, None, None
    own = {version: block for block, version in gathered.defaults}
    old, new = own.get(Version.OLD), own.get(Version.NEW)
    if new is not None:
        return new.index, (old or end).index, Version.NEW
    if old is not None:
        return old.index, end.index, Version.OLD
    return end.index, None, None


def case_label(lowering: Lowering, statement: Case) -> None:
    builder = lowering.builder
    gathered = lowering.switches[-1]
    if builder.region is not gathered.region:
        raise UnsupportedError(
            "a case label inside code that only one version executes",
            statement.location,
        )
    lowering.nodes.note_change(gathered.node, statement.change)
    block = builder.new_block()
    builder.start(block)
    lifetimes.resume(lowering, gathered.scope)
    version = statement.version
    if builder.version is not None:
        if version is not None and version is not builder.version:
            return
        version = None
    if statement.low is None:
        gathered.defaults.append((block, version))
        return
    high = statement.low if statement.high is None else statement.high
    for low, top in ranges(statement.low, high, gathered.width, gathered.signed):
        gathered.cases.append((low, top, block.index, version))


def ranges(low: int, high: int, width: int, is_signed: bool) -> list[tuple[int, int]]:
    """``low ... high`` in unsigned order: one range, two when it crosses zero, none when empty."""
    mask = (1 << width) - 1
    if low == high:
        return [(low & mask, low & mask)]
    if is_signed:
        low, high = _signed(low, width), _signed(high, width)
    else:
        low, high = low & mask, high & mask
    if low > high:
        return []
    if low < 0 <= high:
        return [(low & mask, mask), (0, high)]
    return [(low & mask, high & mask)]


def _signed(value: int, width: int) -> int:
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) else value
