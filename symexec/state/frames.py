"""Frames: one activation of a function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symexec.expr import Data

if TYPE_CHECKING:
    from csg.ir import FunctionCode


class Frame:
    """Where a call stands. A frame is written only by the state that owns it; a fork shares it.

    ``block`` and ``index`` are the place to go on from. ``result`` is the caller's register for the
    value (None: not wanted). ``slots`` are the object numbers of the locals in memory. ``version``
    is 0 when the frame serves both versions, 1 or 2 when it was entered by one of them alone.
    """

    __slots__ = (
        "block",
        "caller",
        "depth",
        "function",
        "index",
        "loops",
        "owner",
        "registers",
        "result",
        "resume",
        "slots",
        "variadic",
        "version",
    )

    def __init__(self, function: FunctionCode, caller: Frame | None, owner: object) -> None:
        self.function = function
        self.caller = caller
        self.depth: int = 0 if caller is None else caller.depth + 1
        self.owner = owner
        self.registers: list[Data] = [0] * function.registers
        self.block = 0
        self.index = 0
        self.result: int | None = None
        self.slots: tuple[int, ...] = ()
        self.version = 0
        self.resume: object = None  # the chunk to go on with, when it is known
        self.variadic: tuple[tuple[Data, int], ...] = ()  # (value, width) behind the ellipsis
        self.loops: dict[int, int] | None = None  # symbolic decisions taken at a block

    def copy(self, owner: object) -> Frame:
        twin = Frame.__new__(Frame)
        twin.function = self.function
        twin.caller = self.caller
        twin.depth = self.depth
        twin.owner = owner
        twin.registers = self.registers.copy()
        twin.block = self.block
        twin.index = self.index
        twin.result = self.result
        twin.slots = self.slots
        twin.version = self.version
        twin.resume = self.resume
        twin.variadic = self.variadic
        twin.loops = None if self.loops is None else self.loops.copy()
        return twin
