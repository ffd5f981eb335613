"""Programs annotated by hand, and our own text of two versions, are read as what they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from csg.errors import UsageError
from csg.language.printer import print_unit
from csg.language.syntax import Version
from csg.pipeline import graph_of, program_of, unify_files
from csg.programs import Versions
from csg.unify import Unified, printed

ROOT = Path(__file__).parent.parent.parent.parent
PAIRS = ("foo", "bar", "toy", "cut_ranges")

WRITTEN = """\
int limit = 4;
int f(int x) {
    int y = change(-x, x * x);
    if (execute(NEW)) { y = y + limit; }
    if (execute(OLD)) { y--; } else { y++; }
    if (change(x > 1 || y, y)) return change_(9, 1, 2);
    return y;
}
"""


def read(text: str, folder: Path) -> Unified:
    file = folder / "both.c"
    file.write_text(text)
    return unify_files(Versions(file, file, annotated=True))


def test_each_annotation_is_a_change_in_source_order(tmp_path: Path) -> None:
    changes = read(WRITTEN, tmp_path).changes
    found = [(each.id, each.kind, each.old_text, each.new_text) for each in changes]
    assert found == [
        (1, "modified", "-x", "x * x"),
        (2, "added", "", "y = y + limit;"),
        (3, "modified", "y--;", "y++;"),
        (4, "modified", "x > 1 || y", "y"),
        (9, "modified", "1", "2"),
    ]
    assert [each.location.line for each in changes] == [3, 4, 5, 6, 6]
    assert all(each.function == "f" for each in changes)


def test_both_projections_are_what_the_compiler_sees(tmp_path: Path) -> None:
    both = read(WRITTEN, tmp_path)
    for version, text in ((Version.OLD, "y = -x"), (Version.NEW, "y = x * x")):
        assert text in print_unit(both.project(version))
    assert "x * x" not in print_unit(both.old) and "-x" not in print_unit(both.new)


@pytest.mark.parametrize("sample", PAIRS)
@pytest.mark.parametrize("ids", [False, True])
def test_our_own_text_is_read_back(sample: str, ids: bool, tmp_path: Path) -> None:
    old, new = (ROOT / "samples" / sample / f"{version}.c" for version in ("old", "new"))
    made = unify_files(Versions(old, new))
    again = read(printed(made, ids), tmp_path)
    assert len(again.changes) == len(made.changes)
    assert printed(again, ids=True) == printed(made, ids=True)
    entry = next(each.symbol.name for each in made.unit.functions)
    graphs = [graph_of(program_of(unified, entry)) for unified in (made, again)]
    shapes = [[(node.id, node.kind) for node in graph.records] for graph in graphs]
    assert shapes[0] == shapes[1]


def test_a_program_without_annotations_is_one_version(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no change in it"):
        read("int f(int x) { return x; }", tmp_path)
