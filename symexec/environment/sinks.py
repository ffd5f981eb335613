"""Where output goes: to the two streams that are observed, or into a file in memory."""

from __future__ import annotations

from collections.abc import Sequence

from symexec.environment.contract import Context
from symexec.environment.files import put_into_file
from symexec.environment.strings import emit_bytes
from symexec.expr import Operand


def put_bytes(context: Context, descriptor: int, text: Sequence[Operand]) -> None:
    """The descriptor is one that can be written to."""
    if descriptor in (1, 2):
        emit_bytes(context, descriptor, text)
    elif text:
        put_into_file(context, descriptor, list(text))
