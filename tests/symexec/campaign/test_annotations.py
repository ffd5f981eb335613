"""The same pair searched as it is unified by default, as published, and by lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from csg.programs import Annotation
from symexec.campaign.building import BuildJob
from symexec.options import BuildOptions, SearchOptions
from tests.command_line import write_versions
from tests.jobs import finished

OLD = """\
static int n;
int f(int x)
{
    if (x > 3)
        return 1;
    return 0;
}
"""
NEW = OLD.replace("{\n    if", "{\n    n++;\n    n += 2;\n    if").replace("return 1", "return  1")


@pytest.mark.parametrize(
    ("annotation", "changes", "diff_paths"),
    [
        (Annotation(), 2, 0),
        (Annotation(published=True), 2, 2),
        (Annotation(by_lines=True), 3, 0),
    ],
    ids=["by trees", "published", "by lines"],
)
def test_annotation(annotation: Annotation, changes: int, diff_paths: int, tmp_path: Path) -> None:
    """Two added statements that nothing depends on diverge at once in the published style only."""
    files = write_versions(tmp_path, OLD, NEW)
    search = SearchOptions(time=20)
    job = finished(
        BuildJob(BuildOptions(*files, search=search, replay=False, annotation=annotation))
    )
    assert job.exhausted
    assert len(job.prepared.program.changes) == changes  # type: ignore[union-attr]
    assert job.counters.diff_paths == diff_paths


def test_what_stands_in_both_versions_decides_in_each(tmp_path: Path) -> None:
    """A condition that only moved is old and new by lines: two decisions."""
    inner = "if (x > 1 && (y ? y < 5 : x < 9)) v--;"
    old = f"int f(int x, int y)\n{{\n    int v = 3;\n    {inner}\n    return v * 0;\n}}\n"
    new = old.replace(inner, f"if ((x & 10) <= 0)\n    {{\n        {inner}\n    }}")
    files = write_versions(tmp_path, old, new)
    job = finished(BuildJob(BuildOptions(*files, annotation=Annotation(by_lines=True))))
    decisions = job.prepared.program.decisions  # type: ignore[union-attr]
    assert len({id(each.expression) for each in decisions}) == len(decisions)
    assert job.counters.branches_compared > 0
    assert job.counters.branch_mismatches == 0
