"""What stays after a run: findings for other programs and people, tests that need no csgtest.

csgtest-out  --export_file-->    SARIF, JUnit, Markdown, annotations          (reviews)
             --export_folder-->  .ktest files, Test-Comp's XML                (inputs)
             --emit-->           regression tests in C and sh, with CMake, Meson   (emitting)
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from symexec.exports import inputs, reviews
from symexec.exports.finished import read_finished
from symexec.options import Form

_FILES = {
    Form.SARIF: reviews.sarif,
    Form.JUNIT: reviews.junit,
    Form.MARKDOWN: reviews.markdown,
    Form.GITHUB: reviews.github,
}


def export_file(folders: Sequence[Path], form: Form) -> str:
    """The text of one file about all that was found in the folders."""
    return _FILES[form]([read_finished(each) for each in folders])


def export_folder(folders: Sequence[Path], form: Form, output: Path) -> tuple[int, list[str]]:
    """Write a folder with a file for each test. Returns how many were written, and which were left
    out, and why."""
    return inputs.write(inputs.FORMS[form], [read_finished(each) for each in folders], output)
