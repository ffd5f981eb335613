"""The driver of mutation testing: what it changes, what it calls it, and that a test notices."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from benchmarks import mutants as driver
from benchmarks.mutants import at, changes, mutants, places, put, surviving, unload


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a < b", ["a <= b", "a >= b"]),
        ("a == b", ["a != b"]),
        ("a is b", ["a is not b"]),
        ("a and b", ["a or b", "a", "b"]),
        ("a or b or c", ["a and b and c"]),
        ("not a", ["a"]),
        ("a + b", ["a - b"]),
        ("a << b", ["a >> b"]),
        ("True", ["False"]),
        ("7", ["8"]),
        ("'x'", ["'x~'"]),
        ("a if b else c", ["a if not b else c"]),
        ("f(a)", []),
    ],
)
def test_an_expression_is_changed_in_one_place(text: str, expected: list[str]) -> None:
    node = ast.parse(text, mode="eval").body
    assert [ast.unparse(each) for each in changes(node)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f(a)", ["pass"]),
        ("a.b = c", ["pass"]),
        ("a = c", []),
        ("a += 1", ["a -= 1", "pass"]),
        ("if a:\n    f()", ["if not a:\n    f()"]),
        ("if a < b:\n    f()", []),  # the comparison is a mutant of its own
        ("break", ["continue"]),
    ],
)
def test_a_statement_is_left_out_or_turned_round(text: str, expected: list[str]) -> None:
    (node,) = ast.parse(text).body
    assert [ast.unparse(each) for each in changes(node)] == expected


def test_what_is_no_behaviour_is_left_alone() -> None:
    tree = ast.parse(
        '"""Says 1."""\nimport a\nclass C:\n    x: int\n    @d(1)\n'
        "    def f(self, n: 2 = 3) -> 4:\n"
        '        """5"""\n        assert n > 6\n        return n + 7\n'
    )
    found = [
        (function, ast.unparse(changed))
        for way, function in places(tree)
        for changed in changes(at(tree, way))
    ]
    assert found == [
        ("C.f", "4"),
        ("C.f", "return None"),
        ("C.f", "n - 7"),
        ("C.f", "8"),
    ]


def test_a_change_is_put_into_its_place() -> None:
    tree = ast.parse("def f():\n    g(1, 2)\n")
    way = next(way for way, _ in places(tree) if ast.unparse(at(tree, way)) == "2")
    put(tree, way, ast.Constant(9))
    assert ast.unparse(tree) == "def f():\n    g(1, 9)"


def test_a_mutant_is_noticed_and_its_file_untouched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a tree of its own: what a test looks at dies, what none looks at survives."""
    package, tests = tmp_path / "csg" / "small", tmp_path / "tests"
    package.mkdir(parents=True)
    tests.mkdir()
    (package / "__init__.py").write_text("")
    text = "def larger(a, b):\n    return a if a > b else b\n\n\ndef unseen():\n    return 5\n"
    (package / "sizes.py").write_text(text)
    (tests / "test_sizes.py").write_text(
        "from csg.small.sizes import larger\n\n\n"
        "def test_larger():\n    assert (larger(1, 2), larger(2, 1), larger(3, 3)) == (2, 2, 3)\n"
    )
    (tmp_path / "csg" / "__init__.py").write_text("")
    monkeypatch.setattr(driver, "ROOT", tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in [name for name in sys.modules if name.partition(".")[0] == "csg"]:
        monkeypatch.delitem(sys.modules, name)
    made = list(mutants(package / "sizes.py"))
    assert list(surviving([None], str(tests), 60.0, 1)) == [None]
    names = {each.name for each in surviving(made, str(tests), 60.0, 2) if each is not None}
    shown = "csg/small/sizes.py"
    assert names == {
        f"{shown} larger: a > b -> a >= b",  # behaves the same
        f"{shown} unseen: return 5 -> return None",
        f"{shown} unseen: 5 -> 6",
    }
    assert (package / "sizes.py").read_text() == text


def test_what_depends_on_a_mutant_is_loaded_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    before = dict(sys.modules)
    import symexec.shadow.directions as changed
    import symexec.solver as below

    assert changed is sys.modules["symexec.shadow.directions"]
    try:
        unload("symexec.shadow.directions")
        assert "symexec.shadow.directions" not in sys.modules
        assert "symexec.executor.engine" not in sys.modules
        assert sys.modules["symexec.solver"] is below
    finally:
        sys.modules.update(before)
        import symexec.shadow

        symexec.shadow.directions = changed  # type: ignore[attr-defined]
