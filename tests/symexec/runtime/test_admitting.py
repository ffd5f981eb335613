"""An option that a word of any bytes spells goes behind, where others have it by its name."""

from __future__ import annotations

import pytest

from symexec.expr import Operand, TermTable
from symexec.runtime.contract import Defer
from symexec.runtime.process import BEHIND, SHAPED, found_option

ANY = TermTable().symbol("arg1[0]", 8)


class Store:
    def __init__(self, shaped: bool) -> None:
        self._entries = {SHAPED: True} if shaped else {}

    def get(self, key: str, default: object = None) -> object:
        return self._entries.get(key, default)


@pytest.mark.parametrize(
    ("byte", "shaped", "asked"),
    [
        (ANY, True, [Defer(BEHIND)]),
        (ord("-"), True, []),  # this beginning has the option by its name
        (ANY, False, []),  # no other beginning has it
    ],
)
def test_only_a_spelt_option_goes_behind(byte: Operand, shaped: bool, asked: list[Defer]) -> None:
    assert list(found_option(Store(shaped), (byte,))) == asked  # type: ignore[arg-type]
