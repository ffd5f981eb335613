"""The files of a task, safe to be opened: a stranger's store holds no page that csgtest wrote.

    files = TaskFiles(store, "b33e5bd3bf18000e")
    files.names                        ["report.html", "report.json", "tests/t0001.txt", ..]
    files.content("report.html")       made from report.json, unless this user has written the store

Pages and pictures can hold scripts. Of a store that others have written, or have changed, only
files that nothing runs are taken, and pages are made anew.
"""

from __future__ import annotations

import json
import posixpath

from csg.errors import UsageError
from csg.files import is_name_inside
from fleet.store import Store
from symexec.report.model import report_from_json
from symexec.report.replaying import MALFORMED
from symexec.report.session import page_in_time

_PAGE, _REPORT = "report.html", "report.json"
_TEXTS = (".json", ".jsonl", ".txt", ".c", ".dot")
_NOTES = (".csgtest", ".gitignore", ".sealed")  # what csgtest itself writes


class TaskFiles:
    """The files of a task by their ``names``; ``strange``: names that lead to other folders."""

    def __init__(self, store: Store, task: str) -> None:
        self._store = store
        self._held = {each["name"]: each["hash"] for each in store.files(task)}
        self.strange = [name for name in self._held if not is_name_inside(name)]
        self.names = sorted(filter(self._is_safe, self._held.keys() - self.strange))

    def content(self, name: str) -> bytes:
        """The content of one of the names. Raises UsageError where it cannot be had."""
        if not self._store.is_own and posixpath.basename(name) == _PAGE:
            return self._page(posixpath.join(posixpath.dirname(name), _REPORT))
        return self._store.artefacts.get(self._held[name])

    def _is_safe(self, name: str) -> bool:
        folder, last = posixpath.split(name)
        if self._store.is_own or last in _NOTES or name.endswith(_TEXTS):
            return True
        return last == _PAGE and posixpath.join(folder, _REPORT) in self._held

    def _page(self, report: str) -> bytes:
        """The page of a report, without the picture of its graph."""
        try:
            found = report_from_json(json.loads(self._store.artefacts.get(self._held[report])))
            stored = {posixpath.basename(each).removesuffix(".txt") for each in self._held}
            return page_in_time(found, None, stored).encode("utf-8", "surrogateescape")
        except (*MALFORMED, AssertionError, IndexError, ArithmeticError) as error:
            said = ascii(str(error) or type(error).__name__)[:80]
            raise UsageError(f"'{report}' is no report of csgtest ({said})") from None
