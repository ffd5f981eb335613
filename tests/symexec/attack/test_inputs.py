"""What a driver has made becomes a test where a test can say it, and a C program where not."""

from __future__ import annotations

import pytest

from csg.language.types import CHAR, DOUBLE, INT, Array, Field, Pointer, Record, RecordKind
from symexec.attack.inputs import Argument, Made, expressed, read_input
from symexec.attack.shapes import Shapes, whole_bits
from symexec.testcases import EntrySignature, TestInput
from symexec.testcases.signature import Parameter, ParameterKind

NUMBER = Parameter("n", ParameterKind.SCALAR, "int", 4, 32, signed=True)
TEXT = Parameter("s", ParameterKind.STRING, "char", 1, 8)
NUMBERS = Parameter("a", ParameterKind.ARRAY, "short", 2, 16, signed=True)
LIST = Parameter("l", ParameterKind.STRUCTURE, "struct l", 16, 8)
LIST_N = Parameter("l->n", ParameterKind.SCALAR, "int", 4, 32, signed=True, owner="l")
LIST_S = Parameter("l->s", ParameterKind.STRING, "char", 1, 8, owner="l", offset=8)


def read(*lines: str, parameters: tuple[Parameter, ...]) -> TestInput | None:
    return expressed(read_input(lines), EntrySignature("f", parameters=parameters))


def test_numbers_texts_and_arrays_are_parameters() -> None:
    found = read(
        "argument 0 bytes feffffff -2",
        "argument 1 pointer object 0+0",
        "argument 2 pointer object 1+0",
        "argument 3 pointer null",
        "made 0 2 3 3 616200",
        "made 1 4 2 4 0100ffff",
        parameters=(NUMBER, TEXT, NUMBERS, Parameter("t", *TEXT_FORM)),
    )
    assert found == TestInput(parameters=(("n", -2), ("s", b"ab"), ("a", (1, -1)), ("t", None)))


TEXT_FORM = (ParameterKind.STRING, "char", 1, 8)


def test_members_have_values_of_their_own() -> None:
    lines = (
        "argument 0 pointer object 0+0",
        "made 0 2 1 16 07000000000000000000000000000000 8=1+0",
        "made 1 4 2 2 6100",
    )
    found = read(*lines, parameters=(LIST, LIST_N, LIST_S))
    assert found == TestInput(parameters=(("l", ()), ("l->n", 7), ("l->s", b"a")))


@pytest.mark.parametrize(
    "lines",
    [
        ("argument 0 pointer object 0+1", "argument 1 pointer null", "made 0 2 3 3 616200"),
        (
            "argument 0 pointer object 0+0",
            "argument 1 pointer object 0+0",
            "made 0 2 3 3 616200",
        ),
        ("argument 0 pointer null", "argument 1 pointer null", "made 0 2 3 3 616200"),
        ("argument 0 pointer object 0+0", "argument 1 pointer null", "made 0 2 2 2 6162"),
    ],
)
def test_no_test_says_what_has_two_pointers_none_or_no_end(lines: tuple[str, ...]) -> None:
    assert read(*lines, parameters=(TEXT, Parameter("t", *TEXT_FORM))) is None


def test_objects_keep_where_their_pointers_lead() -> None:
    made = read_input(["argument 0 pointer &f+0", "made 0 1 1 8 0000000000000000 0=&f"])
    assert made.arguments == (Argument(word="&f+0"),)
    assert made.objects == (Made(bytes(8), {}, frozenset((0,))),)


def test_a_type_that_leads_to_itself_has_one_row() -> None:
    kind = Record(RecordKind.STRUCT, "l")
    kind.fields = (Field("n", INT, 0), Field("next", Pointer(kind), 8))
    kind.size = 16
    shapes = Shapes()
    place = shapes.index(Pointer(kind))
    assert shapes.index(Pointer(kind)) == place
    inner = shapes.rows[shapes.rows[place].inner]
    assert (inner.kind, inner.size, inner.count) == ("STRUCT", 16, 2)
    members = shapes.members[inner.first :][: inner.count]
    assert [each.name for each in members] == ["n", "next"] and members[1].type == place


def test_a_pointer_to_what_is_only_read_is_another_type() -> None:
    shapes = Shapes()
    written, only_read = Pointer(CHAR), Pointer(CHAR, frozenset(["const"]))
    assert shapes.index(written) != shapes.index(only_read)
    assert shapes.rows[shapes.index(only_read)].is_const
    assert shapes.rows[shapes.index(Array(DOUBLE, 3))].size == 24


def test_few_bits_are_tried_completely() -> None:
    assert whole_bits([CHAR]) == 8 and whole_bits([CHAR, CHAR]) == 16
    assert whole_bits([INT]) == 0 and whole_bits([Pointer(CHAR)]) == 0
