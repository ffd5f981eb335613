"""Records of tests survive JSON, whatever bytes and numbers they hold."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csg.errors import UsageError
from symexec.expr.softfloat import FORMATS
from symexec.testcases import (
    Blame,
    DifferenceKind,
    Divergence,
    LongDouble,
    Observation,
    Observed,
    TestCase,
    TestInput,
    from_json,
    input_from_json,
    input_to_json,
    to_json,
)
from symexec.testcases.inputs import floating_value, nan_bits, value_from_json, value_to_json

names = st.from_regex(r"[a-z_][a-z0-9_]{0,8}", fullmatch=True)
scalars = st.one_of(
    st.integers(-(2**63), 2**64),
    st.floats(allow_nan=False),
    st.just(LongDouble("0x8p-70")),
    st.just(LongDouble("nan")),
    st.just(LongDouble("-nans(0x12)")),
)
values = st.one_of(st.none(), st.binary(max_size=8), scalars, st.lists(scalars).map(tuple))
named = st.dictionaries(names, values, max_size=3).map(lambda d: tuple(d.items()))
contents = st.dictionaries(names, st.binary(max_size=9), max_size=3).map(lambda d: tuple(d.items()))
inputs = st.builds(
    TestInput,
    args=st.lists(st.binary(max_size=6)).map(tuple),
    stdin=st.binary(max_size=20),
    files=contents,
    parameters=named,
    globals=named,
    nondet=st.lists(scalars).map(tuple),
    objects=contents,
)
observations = st.builds(
    Observation,
    exit=st.one_of(st.none(), st.integers(0, 255)),
    signal=st.sampled_from([None, "SIGSEGV"]),
    stdout=st.binary(max_size=20),
    stderr=st.binary(max_size=20),
    returned=st.sampled_from([None, "void", "-1"]),
    sanitizer=st.sampled_from([None, "SEGV"]),
    timed_out=st.booleans(),
    memory=named,
    files=contents,
    report=st.text(max_size=5),
)
ids = st.lists(st.integers(1, 9)).map(tuple)
cases = st.builds(
    TestCase,
    id=st.just("t0001"),
    input=inputs,
    sequence=st.lists(st.sampled_from(["c1", "i1"])).map(tuple),
    divergence=st.one_of(
        st.none(), st.builds(Divergence, st.just("control"), names, st.integers(1), names)
    ),
    old=st.one_of(st.none(), observations),
    new=st.one_of(st.none(), observations),
    golden=st.one_of(st.none(), observations),
    observed=st.sampled_from(Observed),
    kind=st.sampled_from([None, *DifferenceKind]),
    error=st.sampled_from(["", "differential"]),
    blame=st.one_of(
        st.none(), st.builds(Blame, st.lists(ids).map(tuple), ids, st.booleans(), st.integers(0))
    ),
    found_s=st.integers(0, 5000).map(lambda ms: ms / 1000),
    source=st.sampled_from(["", "search"]),
    notes=st.lists(names).map(tuple),
)


@given(cases)
def test_a_case_survives_json(case: TestCase) -> None:
    assert from_json(json.loads(json.dumps(to_json(case)))) == case


@given(inputs)
def test_an_input_is_plain_json(test: TestInput) -> None:
    text = json.dumps(input_to_json(test), allow_nan=False)
    assert input_from_json(json.loads(text)) == test


def test_bytes_that_are_no_text_become_base64() -> None:
    assert input_to_json(TestInput(args=(b"a", b"\xff")))["args"] == ["a", {"base64": "/w=="}]


def test_infinities_have_a_spelling() -> None:
    spelt = input_to_json(TestInput(parameters=(("d", -math.inf),)))
    assert spelt["parameters"] == {"d": {"float": "-inf"}}


@pytest.mark.parametrize(
    "value",
    [
        [],
        {"args": [1]},
        {"stdin": {"base64": "!"}},
        {"files": []},
        {"parameters": {"x": {"y": 1}}},
        {"nondet": 3},
    ],
)
def test_the_wrong_shape_is_the_users_trouble(value: object) -> None:
    with pytest.raises(UsageError):
        input_from_json(value)


def test_unknown_keys_are_ignored() -> None:
    assert from_json({"id": "t1", "later": {}}) == TestCase("t1", TestInput())


def test_an_interaction_needs_every_minimal_set_to_have_two_members() -> None:
    assert Blame(((1, 2), (2, 3))).interaction
    assert not Blame(((1,), (2, 3))).interaction
    assert not Blame().interaction


@pytest.mark.parametrize("width", [32, 64, 80])
@given(payload=st.integers(0, (1 << 63) - 1), negative=st.booleans(), quiet=st.booleans())
def test_a_nan_keeps_its_bits(width: int, payload: int, negative: bool, quiet: bool) -> None:
    form = FORMATS[width]
    fraction = payload % form.quiet_bit
    fraction |= form.quiet_bit if quiet or not fraction else 0
    leading = 1 << form.fraction_bits if form.explicit else 0
    bits = negative << (width - 1) | form.top_exponent << form.stored_bits | leading | fraction
    value = floating_value(bits, width)
    assert isinstance(value, LongDouble) and value.is_nan
    assert nan_bits(value, width) == bits
    assert value_from_json(json.loads(json.dumps(value_to_json(value)))) == value
