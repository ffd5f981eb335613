"""The store as pages that need no server and no network: runs, differences over time, flaky ones.

    csgtest site DIR    DIR/index.html  run-1.html ..  difference-0123456789ab.html ..
                        DIR/reports/TASK/report.html, as csgtest build wrote it or made anew
                        (fleet.task_files), and the files that it links to, beside it

Texts come into the pages through the templates alone (fleet/pages), which escape all of them; the
pages run no script.
"""

from __future__ import annotations

import html
import os
import posixpath
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from csg import VERSION
from csg.errors import LINES, UsageError, printable
from csg.files import refuse_link_outside
from fleet.acceptance import with_accepted
from fleet.histories import Span, fate_text, spans
from fleet.outcomes import TaskState
from fleet.store import Row, Store, warn_of_foreign
from fleet.task_files import TaskFiles
from fleet.tasks import Task, task_from_spec
from fleet.wording import counted_tasks, when
from symexec.options import SiteOptions
from symexec.report.page import page_style, templates
from symexec.testcases.store import replace_below

_PAGES = Path(__file__).parent / "pages"
_REPORT = "report.html"
_LINK = re.compile(r'href="([^"#]+)"')
_OURS = ".csgtest-site"  # marks a folder that may be written again


def write_site(options: SiteOptions) -> int:
    """Write the pages, and return how many they are. Raises UsageError where the folder holds
    something else."""
    folder = options.folder
    if folder.exists() and any(folder.iterdir()) and not (folder / _OURS).exists():
        raise UsageError(f"'{folder}' holds other files", hint="name a folder for the pages alone")
    with Store.open(options.store.place, options.store.artefacts, new=False) as store:
        warn_of_foreign(store, options.store.place)
        site = _Site(store, folder)
        refuse_link_outside(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"cannot write '{folder}': {error.strerror}") from None
        replace_below(folder, _OURS, b"")
        return site.write()


@dataclass(frozen=True, slots=True)
class _Search:
    """A task that is done, and what it found."""

    row: Row
    task: Task
    found: frozenset[str]


def flaky(searches: Sequence[_Search]) -> dict[str, list[_Search]]:
    """The fingerprints that some searches of one pair found and others did not, though these had at
    least as much time as the shortest that did; and the others."""
    missing: dict[str, list[_Search]] = {}
    for name in sorted(frozenset[str]().union(*(each.found for each in searches))):
        least = min(each.task.time for each in searches if name in each.found)
        others = [each for each in searches if name not in each.found and each.task.time >= least]
        if others:
            missing[name] = others
    return missing


class _Site:
    def __init__(self, store: Store, folder: Path) -> None:
        self._store = store
        self._folder = folder
        self._templates = templates(_PAGES)
        self._tasks = {each["id"]: each for each in store.tasks()}
        found = with_accepted(store.findings(), self._tasks.values())
        self._findings = sorted(found, key=lambda each: (each["added"], each["id"]))
        self._flaky = self._find_flaky()
        self._reports: dict[tuple[str, str], str] = {}

    def write(self) -> int:
        wanted = {(each["task"], each["report"]) for each in self._findings}
        for task, report in sorted(wanted):
            self._copy(task, report)
        pages = 1
        runs = self._store.runs()
        met: set[str] = set()
        shown = []
        for run in runs:
            found = self._open_of(run["id"])
            names = {each["fingerprint"] for each in found}
            shown.append({
                "id": run["id"],
                "page": _run_page(run),
                "begun": when(run["begun"]),
                "ended": run["ended"] is not None,
                "command": run["command"],
                "source": os.path.basename(run["source"]),
                "tasks": counted_tasks(run["tasks"]),
                "findings": len(names),
                "new": len(names - met),
            })  # fmt: skip
            met |= names
            self._write_run(run, found)
            pages += 1
        firsts = self._by_fingerprint()
        for name, rows in firsts.items():
            self._write_finding(name, rows)
            pages += 1
        listed = [self._listed(rows[0]) for rows in firsts.values()]
        self._page(
            "index.html",
            "index.html",
            top=True,
            title="What was found",
            runs=shown[::-1],
            findings=listed,
            flaky=[each for each in listed if each["flaky"]],
        )
        return pages

    def _open_of(self, run: int) -> list[Row]:
        """The findings of a run that are not accepted."""
        found = with_accepted(self._store.findings(run), self._tasks.values())
        return [each for each in found if each["accepted"] is None]

    def _by_fingerprint(self) -> dict[str, list[Row]]:
        found: dict[str, list[Row]] = {}
        for each in self._findings:
            found.setdefault(each["fingerprint"], []).append(each)
        return found

    def _find_flaky(self) -> dict[str, list[_Search]]:
        of_task: dict[str, set[str]] = {}
        for each in self._findings:
            of_task.setdefault(each["task"], set()).add(each["fingerprint"])
        searches: dict[str, list[_Search]] = {}
        for name, row in self._tasks.items():
            if row["state"] == TaskState.DONE:
                task = task_from_spec(row["spec"])
                pair = replace(task, time=0.0, seed=0, deterministic=False).id
                search = _Search(row, task, frozenset(of_task.get(name, ())))
                searches.setdefault(pair, []).append(search)
        missing: dict[str, list[_Search]] = {}
        for of_pair in searches.values():
            for fingerprint, others in flaky(of_pair).items():
                missing.setdefault(fingerprint, []).extend(others)
        return missing

    # -------------------------------------------------------------------------------------- pages

    def _write_run(self, run: Row, found: Sequence[Row]) -> None:
        verdicts: dict[str, Counter[str]] = {}
        for each in self._store.reports(run["id"]):
            verdicts.setdefault(each["task"], Counter())[each["verdict"]] += 1
        tasks = [
            {
                "id": each["id"],
                "label": each["label"],
                "state": each["state"],
                "message": each["message"],
                "verdict": ", ".join(sorted(verdicts.get(each["id"], ()))),
                "seconds": "" if each["seconds"] is None else f"{each['seconds']:.1f}",
                "report": next(
                    (page for (task, _), page in self._reports.items() if task == each["id"]), ""
                ),
            }
            for each in self._store.tasks(run["id"])
        ]
        known = spans(self._store, run["id"])[0] if run["command"] == "history" else []
        self._page(
            "run.html",
            _run_page(run),
            top=False,
            run=run,
            tasks=tasks,
            findings=[self._listed(each) for each in found],
            spans=[self._span(each) for each in known],
        )

    def _span(self, each: Span) -> Mapping[str, str]:
        return {
            "page": _finding_page(each.finding["fingerprint"]),
            "fingerprint": each.finding["fingerprint"],
            "summary": each.finding["summary"],
            "witness": each.finding["witness"],
            "brought": f"{each.commit[:10]} {each.title}",
            "fate": fate_text(each),
        }

    def _write_finding(self, name: str, rows: Sequence[Row]) -> None:
        found = [
            {
                "when": when(each["added"]),
                "label": self._tasks[each["task"]]["label"],
                "witness": each["witness"],
                "accepted": each["accepted"],
                "report": self._reports.get((each["task"], each["report"]), ""),
            }
            for each in rows
        ]
        others = self._flaky.get(name, [])
        searches = [
            {"label": each.row["label"], "time": f"{each.task.time:g} s", "seed": each.task.seed}
            for each in others
        ]
        self._page(
            "finding.html",
            _finding_page(name),
            top=False,
            first=rows[0],
            found=found,
            flaky=bool(others),
            searches=searches,
        )

    def _listed(self, each: Row) -> Mapping[str, Any]:
        return {
            **each,
            "page": _finding_page(each["fingerprint"]),
            "flaky": each["fingerprint"] in self._flaky,
            "accepted": each["accepted"] is not None,
            "where": self._tasks[each["task"]]["label"],
        }

    def _page(self, template: str, name: str, **values: object) -> None:
        from markupsafe import Markup

        text = self._templates.get_template(template).render(
            style=Markup(page_style()), version=VERSION, own=self._store.is_own, **values
        )
        replace_below(self._folder, name, printable(text, LINES).encode())

    def _copy(self, task: str, report: str) -> None:
        """The page of a report, and the files of its task that it links to, at the places that they
        have in the output folder."""
        files = TaskFiles(self._store, task)
        folder = f"reports/{_plain(task)}"
        wanted = posixpath.join(report, _REPORT)
        if wanted not in files.names:
            return
        try:
            page = files.content(wanted)
        except UsageError:
            if self._store.is_own:
                raise
            return
        links = _LINK.findall(page.decode("utf-8", "replace"))
        named = {posixpath.normpath(posixpath.join(report, html.unescape(each))) for each in links}
        for name in sorted({wanted, *named.intersection(files.names)}):
            content = page if name == wanted else files.content(name)
            replace_below(self._folder, f"{folder}/{name}", content)
        self._reports[task, report] = quote(f"{folder}/{wanted}")


def _plain(text: str) -> str:
    """A text as a part of a file's name."""
    return re.sub(r"[^A-Za-z0-9_]", "-", text)


def _run_page(run: Row) -> str:
    return f"run-{run['id']}.html"


def _finding_page(fingerprint: str) -> str:
    return f"difference-{_plain(fingerprint)}.html"
