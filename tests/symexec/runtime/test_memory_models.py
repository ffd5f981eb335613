"""malloc and its kin, blocks of memory, ends of a program, functions of verifiers."""

from __future__ import annotations

import pytest

from oracles.reference.context import Ended, ReferenceContext
from symexec.expr import Term
from symexec.memory import FaultKind
from symexec.runtime.library import registry
from symexec.runtime.memory import ENOMEM, ERRNO
from symexec.state.endings import (
    Aborted,
    Access,
    AssertionFailed,
    AssumptionFailed,
    Cut,
    Exit,
    MemoryFault,
    PathEnding,
    Trapped,
    Unsupported,
)


@pytest.fixture
def world() -> ReferenceContext:
    return ReferenceContext()


def ending(world: ReferenceContext, name: str, *arguments: int | Term) -> PathEnding:
    with pytest.raises(Ended) as caught:
        world.run(name, *arguments)
    return caught.value.ending


# ---------------------------------------------------------------------- allocation


def test_objects_have_the_size_asked_for(world: ReferenceContext) -> None:
    for name, arguments in (("malloc", (12,)), ("calloc", (3, 4)), ("aligned_alloc", (64, 12))):
        assert world.object_size(world.value(world.run(name, *arguments))) == 12


def test_realloc_keeps_what_fits_and_frees_the_old(world: ReferenceContext) -> None:
    before = world.place(b"abcd")
    after = world.value(world.run("realloc", before, 6))
    assert world.bytes_at(after, 4) == b"abcd"
    assert world.object_size(before) == 0
    assert world.run("realloc", after, 0) == 0


def test_what_no_process_gets_is_refused_with_errno(world: ReferenceContext) -> None:
    for name, arguments in (("malloc", (2**63,)), ("calloc", (2**40, 2**30))):
        assert world.run(name, *arguments) == 0
        assert world.load(world.global_address(ERRNO), 4) == ENOMEM
    assert isinstance(ending(world, "malloc", 2**40), Unsupported)


def test_posix_memalign_checks_the_alignment(world: ReferenceContext) -> None:
    place = world.place(bytes(8))
    assert world.run("posix_memalign", place, 3, 8) == 22
    assert world.run("posix_memalign", place, 16, 8) == 0
    assert world.object_size(world.value(world.load(place, 8))) == 8


def test_free_of_null_does_nothing(world: ReferenceContext) -> None:
    assert world.run("free", 0) is None
    assert isinstance(ending(world, "free", world.place(b"ab") + 1), MemoryFault)


@pytest.mark.parametrize("name", ["malloc", "calloc"])
def test_a_symbolic_size_asks_one_question(world: ReferenceContext, name: str) -> None:
    n = world.table.symbol("n", 64)
    world.assignment[n] = 5
    arguments = (n,) if name == "malloc" else (n, 1)
    assert world.object_size(world.value(world.run(name, *arguments))) == 5
    assert (world.asked, world.events) == (1 if name == "malloc" else 2, [])


def test_a_symbolic_size_beyond_the_bound_is_cut(world: ReferenceContext) -> None:
    n = world.table.symbol("n", 64)
    world.assignment[n] = world.most_allocated + 1
    assert isinstance(ending(world, "malloc", n), Cut)  # which the ledger records
    world.assignment[n] = 2**63
    assert world.run("malloc", n) == 0


def test_memcpy_of_overlapping_stretches_is_an_error(world: ReferenceContext) -> None:
    data = world.place(b"abcdef")
    assert ending(world, "memcpy", data + 2, data, 3) == MemoryFault(
        FaultKind.OVERLAP, "", Access.COPY
    )
    world.run("memcpy", data + 3, data, 3)
    assert world.bytes_at(data, 6) == b"abcabc"


# ---------------------------------------------------------------------- blocks


@pytest.mark.parametrize("size", [0, 1, 3, 4])
def test_a_symbolic_size_copies_as_its_value(world: ReferenceContext, size: int) -> None:
    n = world.table.symbol("n", 64)
    world.assignment[n] = size
    source, target = world.place(b"abcd"), world.place(b"....")
    assert world.run("memcpy", target, source, n) == target
    assert world.bytes_at(target, 4) == (b"abcd"[:size]).ljust(4, b".")
    assert world.run("memset", target, 0x141, n) == target
    assert world.bytes_at(target, 4) == (b"AAAA"[:size]).ljust(4, b".")


@pytest.mark.parametrize("size", [5, 100])
def test_a_size_beyond_the_object_is_a_fault(world: ReferenceContext, size: int) -> None:
    n = world.table.symbol("n", 64)
    world.assignment[n] = size
    for given in (n, size):
        assert isinstance(
            ending(world, "memcpy", world.place(b"...."), world.place(b"abcd"), given), MemoryFault
        )
        assert isinstance(ending(world, "memset", world.place(b"...."), 1, given), MemoryFault)


def test_memmove_and_mempcpy(world: ReferenceContext) -> None:
    data = world.place(b"abcdef")
    world.run("memmove", data + 1, data, 3)
    assert world.bytes_at(data, 6) == b"aabcef"
    assert world.run("mempcpy", data, data + 4, 2) == data + 2
    assert world.bytes_at(data, 6) == b"efbcef"


def test_lengths_ask_once_a_symbolic_byte(world: ReferenceContext) -> None:
    text = world.place([*world.symbols("s", b"ab\0d"), 0])
    assert world.run("strlen", text) == 2
    assert world.asked == 3
    assert world.run("strnlen", text, 1) == 1
    assert world.run("strnlen", world.place(b"abc"), 3) == 3
    assert isinstance(ending(world, "strlen", world.place(b"abc")), MemoryFault)


# ---------------------------------------------------------------------- ends


def test_ends(world: ReferenceContext) -> None:
    assert ending(world, "_exit", 3) == Exit(3)
    assert ending(world, "__csgtest_abort") == Aborted()
    assert ending(world, "__csgtest_trap") == Trapped("__builtin_trap")
    text, file = world.text(b"x > 0"), world.text(b"a.c")
    failed = ending(world, "__assert_fail", text, file, 7, 0)
    assert isinstance(failed, AssertionFailed)
    assert (failed.text, str(failed.location)) == ("x > 0", "a.c:7")


# ---------------------------------------------------------------------- verifiers


def test_klee_make_symbolic_makes_inputs_in_order(world: ReferenceContext) -> None:
    for data, name in ((world.place(bytes(4)), b"x"), (world.place(bytes(3)), b"b")):
        size = world.object_size(data)
        assert size is not None
        world.run("klee_make_symbolic", data, size, world.text(name))
        assert isinstance(world.load(data, 1), Term)
    assert [(item.name, item.order, len(item.terms)) for item in world.inputs] == [
        ("x", 0, 1),
        ("b", 1, 3),
    ]


def test_klee_range_assumes_its_bounds(world: ReferenceContext) -> None:
    value = world.table.symbol("x@0:32", 32)
    world.assignment[value] = 2**32 - 2
    minus_five = 2**32 - 5
    assert world.run("klee_range", minus_five, 7, world.text(b"x")) is value
    world.store_.clear()
    assert ending(world, "klee_range", 0, 7, world.text(b"x")) == AssumptionFailed()


def test_values_of_sv_comp_are_numbered(world: ReferenceContext) -> None:
    first, second = world.run("__VERIFIER_nondet_int"), world.run("__VERIFIER_nondet_int")
    assert first is not second
    assert isinstance(world.run("__VERIFIER_nondet_bool"), Term)
    assert [item.order for item in world.inputs] == [0, 1, 2]
    assert ending(world, "__VERIFIER_assume", 0) == AssumptionFailed()
    assert isinstance(ending(world, "reach_error"), Aborted)


def test_every_model_says_what_it_is() -> None:
    models = registry()
    assert len(models) > 150
    assert all(entry.name == name for name, entry in models.items())
