"""The same pair searched as it is unified by default, as published, and by lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from csg.programs import Annotation
from symexec.campaign.building import BuildJob
from symexec.options import BuildOptions, SearchOptions
from symexec.progress import Silence

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
    old, new = tmp_path / "old.c", tmp_path / "new.c"
    old.write_text(OLD)
    new.write_text(NEW)
    options = BuildOptions(
        old, new, search=SearchOptions(time=20), replay=False, annotation=annotation
    )
    job = BuildJob(options)
    job.prepare()
    for _ in job.cases(Silence()):
        pass
    assert job.exhausted
    assert len(job.prepared.program.changes) == changes  # type: ignore[union-attr]
    assert job.counters.diff_paths == diff_paths


def test_what_stands_in_both_versions_decides_in_each(tmp_path: Path) -> None:
    """A condition that only moved is old and new by lines: two decisions."""
    old, new = tmp_path / "old.c", tmp_path / "new.c"
    inner = "if (x > 1 && (y ? y < 5 : x < 9)) v--;"
    old.write_text(f"int f(int x, int y)\n{{\n    int v = 3;\n    {inner}\n    return v * 0;\n}}\n")
    new.write_text(
        old.read_text().replace(inner, f"if ((x & 10) <= 0)\n    {{\n        {inner}\n    }}")
    )
    job = BuildJob(BuildOptions(old, new, annotation=Annotation(by_lines=True)))
    for _ in job.cases(Silence()) if not job.prepare() else ():
        pass
    job.close()
    decisions = job.prepared.program.decisions  # type: ignore[union-attr]
    assert len({id(each.expression) for each in decisions}) == len(decisions)
    assert job.counters.branches_compared > 0
    assert job.counters.branch_mismatches == 0
