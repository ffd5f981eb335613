"""A record behaves as the frozen dataclass with slots of the same text does."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, replace
from enum import StrEnum
from typing import Any

import pytest

from csg.cache import dumps, loads
from csg.records import fits, record

standard = dataclass(frozen=True, slots=True)


def family(make: Callable[..., Any], make_named: Callable[..., Any]) -> list[type[Any]]:
    @make_named
    class Placed:
        node: int
        version: str | None = None

    @make
    class Move(Placed):
        target: int
        value: object = 7

    @make
    class Noted:
        name: str
        where: str = field(default="nowhere", compare=False, repr=False)
        seen: list[int] = field(default_factory=list, kw_only=True)

        def shout(self) -> str:
            return self.name.upper()

    @make
    class Empty:
        pass

    return [Placed, Move, Noted, Empty]


OURS = family(record, record(kw_only=True))
THEIRS = family(standard, dataclass(frozen=True, slots=True, kw_only=True))
CALLS: list[tuple[int, tuple[Any, ...], dict[str, Any]]] = [
    (0, (), {"node": 1}),
    (0, (), {"node": 1, "version": "OLD"}),
    (1, (3,), {"node": 1}),
    (1, (3, (4, 5)), {"node": 2, "version": "NEW"}),
    (2, ("a",), {}),
    (2, ("a", "there"), {"seen": [1]}),
    (3, (), {}),
]


@pytest.mark.parametrize(("place", "arguments", "named"), CALLS)
def test_a_record_has_the_fields_and_text_of_a_dataclass(
    place: int, arguments: tuple[Any, ...], named: dict[str, Any]
) -> None:
    ours, theirs = OURS[place](*arguments, **named), THEIRS[place](*arguments, **named)
    assert repr(ours) == repr(theirs)
    assert [each.name for each in fields(ours)] == [each.name for each in fields(theirs)]
    for each in fields(theirs):
        assert getattr(ours, each.name) == getattr(theirs, each.name)
    assert OURS[place].__match_args__ == THEIRS[place].__match_args__
    assert not hasattr(ours, "__dict__")


@pytest.mark.parametrize(("place", "arguments", "named"), CALLS)
@pytest.mark.parametrize(("other", "more", "others"), CALLS)
def test_records_are_equal_when_dataclasses_are(
    place: int,
    arguments: tuple[Any, ...],
    named: dict[str, Any],
    other: int,
    more: tuple[Any, ...],
    others: dict[str, Any],
) -> None:
    ours = OURS[place](*arguments, **named) == OURS[other](*more, **others)
    theirs = THEIRS[place](*arguments, **named) == THEIRS[other](*more, **others)
    assert ours == theirs


def test_what_is_not_compared_does_not_count() -> None:
    noted = OURS[2]
    assert noted("a", "here") == noted("a", "there")
    assert noted("a") != noted("b")
    assert hash(OURS[1](3, node=1)) == hash(OURS[1](3, node=1))


def test_a_record_cannot_be_changed() -> None:
    move = OURS[1](3, node=1)
    with pytest.raises(FrozenInstanceError):
        move.target = 4
    with pytest.raises(FrozenInstanceError):
        del move.target


def test_missing_and_unknown_arguments_are_refused() -> None:
    for arguments, named in [((), {}), ((3, 4, 5), {"node": 1}), ((3,), {"node": 1, "x": 1})]:
        with pytest.raises(TypeError):
            OURS[1](*arguments, **named)


def test_replace_copy_and_match_work() -> None:
    move = OURS[1](3, node=1)
    assert replace(move, value=8) == OURS[1](3, 8, node=1)
    assert copy.copy(move) == move
    match replace(OURS[2]("a"), where="here"):
        case noted:
            assert (noted.where, noted.shout()) == ("here", "A")


def test_default_lists_are_not_shared() -> None:
    one, other = OURS[2]("a"), OURS[2]("a")
    one.seen.append(1)
    assert other.seen == []


@record
class Kept:
    name: str
    inner: object = None


def test_a_record_can_be_pickled() -> None:
    kept = Kept("a", Kept("b"))
    assert pickle.loads(pickle.dumps(kept)) == kept


class Colour(StrEnum):
    RED = "red"


@record
class Painted:
    colour: Colour


def test_a_member_of_a_closed_family_is_itself_after_pickling_and_its_word_in_json() -> None:
    for copied in (
        pickle.loads(pickle.dumps(Painted(Colour.RED))),
        loads(dumps(Painted(Colour.RED))),
    ):
        assert copied == Painted(Colour.RED) and copied.colour is Colour.RED
    assert json.dumps(asdict(Painted(Colour.RED))) == '{"colour": "red"}'
    assert fits(Painted(Colour.RED), Painted) and not fits("red", Colour)
