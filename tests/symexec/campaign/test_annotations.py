"""The same pair searched as it is united by default, as published, and by lines."""

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
