"""Print a program's intermediate representation for people and golden tests.

int twice(int x) { return x + x; }

function twice(%0:32 x) -> 32
B0:
  %1 = add %0, %0
  jump B1
B1: exit
  return %1
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from csg.ir.instructions import (
    Allocate,
    Binary,
    Branch,
    Call,
    CheckIndex,
    Compare,
    Conversion,
    ConvertFloat,
    Copy,
    Enter,
    Extend,
    Fill,
    FloatBinary,
    FloatCompare,
    FloatUnary,
    FunctionAddress,
    GlobalAddress,
    IndirectJump,
    Instruction,
    Jump,
    LabelAddress,
    Load,
    Move,
    Refuse,
    Return,
    SlotAddress,
    Store,
    Switch,
    Terminator,
    Trap,
    Truncate,
    Unary,
    VaArgument,
    VaCopy,
    VaStart,
)
from csg.ir.program import Block, FunctionCode, GlobalObject, Lifetime, Node, Program, Relocation
from csg.language.syntax import Version


def print_program(program: Program, nodes: bool = False) -> str:
    """The whole program; with ``nodes`` also the table of statements and each line's node."""
    parts = [print_global(item) for item in program.globals.values()]
    parts += [print_function(item, nodes) for item in program.functions.values()]
    if program.undefined:
        parts.append("undefined " + " ".join(sorted(program.undefined)) + "\n")
    if nodes:
        parts.append("".join(print_node(node) + "\n" for node in program.nodes))
    return "\n".join(parts)


def print_node(node: Node) -> str:
    marks = [f"n{node.id}", node.function, f"{node.location.line}", node.kind]
    marks += [f"changes={sorted(node.changes)}"] if node.changes else []
    marks += [node.version.value] if node.version else []
    marks += ["output"] if node.output else []
    return " ".join(marks) + f": {node.text}"


def print_global(item: GlobalObject) -> str:
    """``global x: 4 bytes align 4 = 01000000``"""
    kind = "constant" if item.readonly else "external" if item.external else "global"
    head = f"{kind} {item.name}: {item.size} bytes align {item.alignment}"
    if item.external:
        return head + "\n"
    lines = [f"{head} = {_contents(item.data, item.relocations)}\n"]
    if item.old_data is not None:
        lines.append(f"  OLD {_contents(item.old_data, item.old_relocations)}\n")
    return "".join(lines)


def _contents(data: bytes, relocations: tuple[Relocation, ...]) -> str:
    text = data.hex() if any(data) else "zero"
    places = [f"[{r.offset}]={r.symbol}{f'+{r.addend}' if r.addend else ''}" for r in relocations]
    return " ".join([text, *places])


def print_function(function: FunctionCode, nodes: bool = False) -> str:
    return "\n".join(_function_lines(function, nodes)) + "\n"


def _function_lines(function: FunctionCode, nodes: bool) -> Iterator[str]:
    names = function.register_names
    parameters = [f"{p}:{p.width} {names.get(p.number, '')}".rstrip() for p in function.parameters]
    parameters += ["..."] if function.variadic else []
    result = f" -> {function.result_width}" if function.result_width else ""
    yield f"function {function.name}({', '.join(parameters)}){result}"
    for number, slot in enumerate(function.slots):
        yield f"  slot {number} {slot.name}: {slot.size} bytes align {slot.alignment}"
    for block in function.blocks:
        yield from _block_lines(block, block.index == function.exit, nodes)


def _block_lines(block: Block, leaves: bool, nodes: bool) -> Iterator[str]:
    marks = [block.region.value] if block.region else []
    marks += ["exit"] if leaves else []
    yield f"B{block.index}:" + "".join(f" {mark}" for mark in marks)
    for place, item in enumerate([*block.instructions, block.terminator]):
        yield from (_lifetime(each) for each in block.lifetimes if each.place == place)
        if item is None:
            yield "  (no terminator)"
            continue
        text = print_terminator(item) if isinstance(item, Terminator) else print_instruction(item)
        # Inside a region every instruction is of its version; the block's head says so.
        tag = f"{item.version.value}: " if item.version and not block.region else ""
        yield f"  {tag}{text}" + (f"  ; n{item.node}" if nodes else "")


def print_instruction(instruction: Instruction) -> str:
    match instruction:
        case Move(target=target, value=value, conversion=Conversion.NONE):
            return f"{target} = {value}"
        case Move(target=target, value=value, conversion=conversion):
            return f"{target} = {conversion.value} {value}"
        case Unary() | FloatUnary():
            prefix = "f" if isinstance(instruction, FloatUnary) else ""
            return f"{instruction.target} = {prefix}{instruction.operator} {instruction.operand}"
        case Binary(operator=operator, target=target, left=left, right=right):
            return f"{target} = {operator}{'.pointer' * instruction.pointers} {left}, {right}"
        case Compare(operator=operator, target=target, left=left, right=right):
            of = "pointer" if instruction.pointers else str(left.width)
            return f"{target} = {operator}.{of} {left}, {right}"
        case FloatBinary(operator=operator, target=target, left=left, right=right):
            return f"{target} = f{operator}.{target.width} {left}, {right}"
        case FloatCompare(operator=operator, target=target, left=left, right=right):
            return f"{target} = f{operator}.{left.width} {left}, {right}"
        case Extend(target=target, operand=operand, signed=signed):
            return f"{target} = {'sext' if signed else 'zext'} {operand} to {target.width}"
        case Truncate(target=target, operand=operand):
            return f"{target} = trunc {operand} to {target.width}"
        case ConvertFloat(target=target, operand=operand, source=source, result=result):
            return f"{target} = {source}{operand.width} {operand} to {result}{target.width}"
        case Load(target=target, address=address, size=size):
            return f"{target} = load {size}, [{address}]"
        case Store(address=address, value=value, size=size):
            return f"store {size}, [{address}], {value}"
        case SlotAddress(target=target, slot=slot):
            return f"{target} = slot {slot}"
        case GlobalAddress(target=target, name=name):
            return f"{target} = global {name}"
        case FunctionAddress(target=target, name=name):
            return f"{target} = function {name}"
        case LabelAddress(target=target, block=block):
            return f"{target} = label B{block}"
        case Copy(address=address, source=source, size=size):
            return f"copy {size}, [{address}], [{source}]"
        case Fill(address=address, byte=byte, size=size):
            return f"fill {size}, [{address}], {byte}"
        case CheckIndex(index=index, bound=bound, array=array):
            return f"check {index} < {bound}, {array}"
        case Allocate(target=target, size=size):
            return f"{target} = allocate {size}"
        case Call():
            return _call(instruction)
        case VaStart():
            return f"va_start [{instruction.list}]"
        case VaArgument(target=target, floating=floating, size=size):
            kind = "float" if floating else "integer"
            return f"{target} = va_arg {kind} {size}, [{instruction.list}]"
        case VaCopy(source=source):
            return f"va_copy [{instruction.list}], [{source}]"
        case Refuse(reason=reason):
            return f"refuse {reason!r}"
        case _:
            assert_never(instruction)


def _call(call: Call) -> str:
    result = f"{call.target} = " if call.target else ""
    arguments = [str(argument) for argument in call.arguments]
    if call.variadic_from < len(arguments):
        arguments.insert(call.variadic_from, "...")
    callee = call.callee if isinstance(call.callee, str) else f"*{call.callee}"
    return f"{result}call {callee}({', '.join(arguments)})" + (" noreturn" if call.noreturn else "")


def _lifetime(event: Lifetime) -> str:
    slots = ", ".join(f"slot {slot}" for slot in event.slots)
    return f"  {_tag(event.version)}{event.event} {slots}"


def print_terminator(terminator: Terminator) -> str:
    match terminator:
        case Jump(target=target):
            return f"jump B{target}"
        case Branch(condition=condition, then=then, otherwise=otherwise):
            return f"branch {condition}, B{then}, B{otherwise}"
        case Switch(value=value):
            return f"switch {value}, {', '.join(_cases(terminator))}"
        case IndirectJump(address=address, targets=targets):
            return f"jump *{address}, {', '.join(f'B{target}' for target in targets)}"
        case Enter(region=region, body=body, exit=leave):
            return f"enter {region.value} B{body}, B{leave}"
        case Return(value=value):
            return "return" if value is None else f"return {value}"
        case Trap(reason=reason):
            return f"trap {reason!r}"
        case _:
            assert_never(terminator)


def _cases(switch: Switch) -> Iterator[str]:
    for low, high, block, version in switch.cases:
        values = str(low) if low == high else f"{low}..{high}"
        yield f"{_tag(version)}{values}: B{block}"
    yield f"{_tag(switch.default_version)}default: B{switch.default}"
    if switch.default_other is not None:
        yield f"other default: B{switch.default_other}"


def _tag(version: Version | None) -> str:
    return f"{version.value} " if version else ""
