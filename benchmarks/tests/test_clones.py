"""Commits of clones are built, searched and timed (``python -m benchmarks.clones``)."""

from __future__ import annotations

from pathlib import Path

from benchmarks.clones import document, shown, tried
from benchmarks.revisions import git

PROGRAM = """\
#include <stdio.h>
int main(int argc, char **argv) { (void)argv; return printf("%d\\n", argc) < 0; }
"""


def test_a_clone_is_timed_to_its_first_difference(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    repository.mkdir()
    git(repository, "init", "-q", "-b", "main")
    (repository / "Makefile").write_text("all: words\nwords: words.c\n\t$(CC) -o $@ words.c\n")
    for text in (PROGRAM, PROGRAM.replace("%d", "\\xff%d")):
        (repository / "words.c").write_text(text)
        git(repository, "add", "-A")
        git(repository, "commit", "-qm", "count | [more](x)")
    commit = git(repository, "rev-parse", "HEAD").strip()
    row = tried(str(repository), commit, tmp_path, 5)
    assert (row.system, row.trouble, row.verdicts) == ("make", "", ("different",))
    assert row.build_s is not None and row.clone_s < row.build_s < row.whole_s
    assert row.shown.startswith(
        "difference in main: exit 0, prints '1\\n', exit 0, prints '\ufffd1\\n'"
    )
    (line,) = [each for each in document([row]).splitlines() if "count / " in each]
    assert line.startswith(f"| repository | {commit} count / [more]\\(x) | make | ")


def test_messages_alone_show_no_difference() -> None:
    """At inner entries no more than elsewhere."""
    seen = {"exit": 0, "signal": None, "sanitizer": None, "returned": "1", "stdout": ""}
    tests = [{"id": "t1", "old": seen, "new": {**seen, "returned": "2"}}]
    for kind in ("stderr-only", "internal-stderr-only", "help-text"):
        groups = [{"class": kind, "witness": "t1"}]
        assert shown([{"entry": "f", "tests": tests, "groups": groups}]) == ""
    groups = [{"class": "internal-difference", "witness": "t1"}]
    told = shown([{"entry": "f", "tests": tests, "groups": groups}])
    assert told == "internal-difference in f: returns 1, returns 2"
