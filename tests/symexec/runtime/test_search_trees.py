"""Trees of search.h have the shape that the host's have, and compare the same keys on the way."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.reference.native_models import PREFIX

HOST = ctypes.CDLL(None)
KEYS = st.lists(st.tuples(st.sampled_from("iiidf"), st.integers(1, 40)), max_size=70)
Order = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
Visit = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_void_p), ctypes.c_int, ctypes.c_int)
Visit_r = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_void_p), ctypes.c_int, ctypes.c_void_p)
Release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


def story(library: ctypes.CDLL, prefix: str, steps: list[tuple[str, int]]) -> list[object]:
    """What a script of operations shows: keys compared, results, the walk after each step."""
    told: list[object] = []
    root = ctypes.c_void_p()

    def compare(a: int, b: int) -> int:
        told.append((a, b))
        return a - b

    def call(name: str, result: type | None) -> Callable[..., object]:
        function = library[prefix + name]
        function.restype = result
        return function  # type: ignore[no-any-return]

    order = Order(compare)
    walked = Visit(lambda node, which, level: told.append((node[0], which, level)))
    walked_r = Visit_r(lambda node, which, data: told.append((node[0], which, data)))
    for operation, key in steps:
        name = {"i": "tsearch", "d": "tdelete", "f": "tfind"}[operation]
        known = root.value is not None
        node = call(name, ctypes.c_void_p)(ctypes.c_void_p(key), ctypes.byref(root), order)
        assert isinstance(node, int | None)
        if node is None or operation == "d":
            told.append(node is None)
        else:
            told.append(ctypes.cast(node, ctypes.POINTER(ctypes.c_void_p))[0])
        assert known or operation != "d" or node is None
        call("twalk", None)(root, walked)
    call("twalk_r", None)(root, walked_r, ctypes.c_void_p(7))
    call("tdestroy", None)(root, Release(told.append))
    return told


@settings(max_examples=150, deadline=None)
@given(steps=KEYS)
def test_trees_grow_and_shrink_alike(models: ctypes.CDLL, steps: list[tuple[str, int]]) -> None:
    assert story(models, PREFIX, steps) == story(HOST, "", steps)


def test_rising_and_falling_keys(models: ctypes.CDLL) -> None:
    for keys in (range(1, 65), range(64, 0, -1)):
        steps = [("i", key) for key in keys] + [("d", key * 37 % 65) for key in keys]
        assert story(models, PREFIX, steps) == story(HOST, "", steps)
