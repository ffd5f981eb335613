"""The driver of mutation testing: what it changes, what it calls it, and that a test notices."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from benchmarks import mutants as driver
from benchmarks.mutants import (
    Result,
    at,
    callers,
    changes,
    importing,
    joined,
    mutants,
    places,
    put,
    recorded,
    tried,
    unload,
    written,
)


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
        '"""Says 1."""\nimport a\n__all__ = ["a"]\nclass C:\n    x: int\n    @d(1)\n'
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


SIZES = """\
def larger(a, b):
    return a if a > b else b


def unseen():
    return 5


def steps():
    return [1, 2]


class Box:
    size = 3

    def grown(self):
        again = lambda: self.size + 1
        return again()


def registered(name):
    return name


NAME = registered("box")
"""
TESTS = """\
import pytest

from csg.small.sizes import NAME, Box, larger, steps


@pytest.fixture(scope="module")
def grown():
    return Box().grown()


def test_larger():
    assert (larger(1, 2), larger(2, 1), larger(3, 3)) == (2, 2, 3)


def test_a_box(grown):
    assert grown == 4


def test_nothing():
    assert NAME == "box"


@pytest.mark.parametrize("step", steps())
def test_steps(step):
    assert step in (1, 2)
"""


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree of its own: the folder of its package, beside ``tests``."""
    package = tmp_path / "csg" / "small"
    package.mkdir(parents=True)
    (tmp_path / "tests").mkdir()
    for folder in (package, package.parent):
        (folder / "__init__.py").write_text("")
    (package / "sizes.py").write_text(SIZES)
    (tmp_path / "tests" / "test_sizes.py").write_text(TESTS)
    monkeypatch.setattr(driver, "ROOT", tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in [name for name in sys.modules if name.partition(".")[0] == "csg"]:
        monkeypatch.delitem(sys.modules, name)
    return package


def test_what_a_test_looks_at_dies_and_what_none_looks_at_survives(small: Path) -> None:
    file = small / "sizes.py"
    result = tried("csg/small", [file], "tests", jobs=2)
    assert result.tried == result.made == len(list(mutants(file)))
    shown = "csg/small/sizes.py"
    assert set(result.survivors) == {
        f"{shown} larger: a > b -> a >= b",  # behaves the same
        f"{shown} steps: 1 -> 2",  # tests have other names, but none fails
        f"{shown} unseen: return 5 -> return None",
        f"{shown} unseen: 5 -> 6",
    }
    assert file.read_text() == SIZES


def test_what_survived_is_listed_and_can_be_tried_again(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "TABLE", tmp_path / "mutants.md")
    monkeypatch.setitem(driver.PACKAGES, "csg/small", "tests")
    file = "csg/small/sizes.py"
    made = list(mutants(small / "sizes.py"))
    survivors = tuple(sorted(m.name for m in made if m.function in ("unseen", "larger")))
    judged = {survivors[0]: "it is | so"}
    result = Result("csg/small", {file: (len(made), len(made))}, survivors)
    text = written([result], judged)
    assert f"{len(made)} mutants; {len(survivors)} survive `tests`" in text
    assert f"| `{survivors[0]}` | it is | so |" in text and "not judged yet" in text
    (tmp_path / "mutants.md").write_text(text.replace("## csg/small", "## csg/smaller"))
    assert recorded("csg/small") == Result("csg/small", {}, ())
    (tmp_path / "mutants.md").write_text(text)
    assert recorded("csg/small") == result
    unseen = "csg/small/sizes.py unseen: 5 -> 6"
    again = tried("csg/small", [small / "sizes.py"], "tests", known={unseen})
    assert again.survivors == (unseen,) and again.tried == len(made)
    # One file tried again takes the place of what was known of it, and of nothing else.
    other = Result("csg/small", {"csg/small/other.py": (4, 3)}, ("csg/small/other.py f: 1 -> 2",))
    both = joined(other, again)
    assert both.files == {**other.files, **again.files}
    assert both.survivors == (*other.survivors, unseen)
    assert joined(both, again) == both


def test_a_mutant_is_tried_with_the_tests_that_call_it(small: Path) -> None:
    """What a fixture of several tests calls, or the loading of a test file, concerns all tests of
    that file; what the loading of the package calls, and what stands outside functions, all."""
    file = small / "sizes.py"
    (small.parents[1] / "tests" / "test_other.py").write_text("def test_other():\n    pass\n")
    known = callers("tests", [file])
    first = "tests/test_sizes.py::test_"
    own = {f"{first}{name}" for name in ("larger", "a_box", "nothing", "steps[1]", "steps[2]")}
    every = own | {"tests/test_other.py::test_other"}
    found = {each.function: set(known.of(each)) for each in mutants(file)}
    assert found == {
        "larger": {f"{first}larger"},
        "unseen": set(),
        "steps": own,
        "Box": every,
        "Box.grown": own,
        "registered": every,
        "module": every,
    }
    order = known.of(next(each for each in mutants(file) if each.function == "module"))
    assert order == sorted(order, key=lambda test: (known.seconds[test], test))


def test_nothing_is_tried_with_tests_that_fail_without_a_mutant(small: Path) -> None:
    (small.parents[1] / "tests" / "test_other.py").write_text("def test_other():\n    assert 0\n")
    with pytest.raises(SystemExit, match="fails without any mutant"):
        callers("tests", [small / "sizes.py"])


def test_what_depends_on_a_mutant_is_loaded_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    before = dict(sys.modules)
    import symexec.shadow.directions as changed
    import symexec.solver as below

    assert changed is sys.modules["symexec.shadow.directions"]
    try:
        unload("symexec.shadow.directions", importing())
        assert "symexec.shadow.directions" not in sys.modules
        assert "symexec.shadow.outcomes" not in sys.modules
        assert "symexec.executor.engine" not in sys.modules
        assert sys.modules["symexec.solver"] is below
    finally:
        sys.modules.update(before)
        import symexec.shadow

        symexec.shadow.directions = changed
