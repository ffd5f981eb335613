"""What every run on hostile files has in common."""

from __future__ import annotations

from tests.command_line import Done


def is_clean(done: Done) -> None:
    """Whether a run ended as documented, and wrote nothing that moves a cursor."""
    said = done.out + done.err
    assert done.code in (0, 1, 2), said[-2000:]
    assert "Traceback" not in said and "internal error" not in said, said[-2000:]
    assert done.code != 2 or "error: " in done.err, said[-2000:]
    odd = {each for each in said if not each.isprintable() and each not in "\n\t"}
    assert not odd, ascii(said[-2000:])
