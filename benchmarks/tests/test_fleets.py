"""A fleet of Debian's patches is listed, killed, resumed and told of (``benchmarks.fleets``)."""

from __future__ import annotations

import json
import re
import shutil
import tarfile
from dataclasses import asdict
from pathlib import Path

import pytest

from benchmarks.fleets import (
    DOCUMENT,
    Measured,
    Pages,
    Row,
    Survived,
    document,
    made_pages,
    pages_of,
    ranges,
    rows_of,
    sample_pairs,
    series,
    stored,
    survived,
    write_list,
)
from fleet.lists import read_list
from symexec.options import FleetOptions

SAMPLES = Path(__file__).parent.parent.parent / "samples"
PATCH = """\
--- a/{file}
+++ b/{file}
@@ -1 +1 @@
-{old}
+{new}
"""


def write_package(folder: Path) -> None:
    """The archives of a package with four patches, of which the second touches no C."""
    upstream, patches = folder / "words-1.0", folder / "debian" / "patches"
    upstream.mkdir()
    patches.mkdir(parents=True)
    (upstream / "words.c").write_text("int main(void) { return 0; }\n")
    (upstream / "README").write_text("zero\n")
    edits = (
        ("one", "words.c", "int main(void) { return 0; }", "int main(void) { return 1; }"),
        ("read", "README", "zero", "one"),
        ("two", "words.c", "int main(void) { return 1; }", "int main(void) { return 2; }"),
        ("three", "words.c", "int main(void) { return 2; }", "int main(void) { return 3; }"),
    )
    (patches / "series").write_text("".join(f"{name}\n" for name, *_ in edits))
    for name, file, old, new in edits:
        (patches / name).write_text(PATCH.format(file=file, old=old, new=new))
    for kind, place in (("orig", upstream), ("debian", folder / "debian")):
        with tarfile.open(folder / f"words_1.0.{kind}.tar.gz", "w:gz") as archive:
            archive.add(place, place.name)
        shutil.rmtree(place)


def test_a_list_has_the_patches_of_c_the_samples_and_generated_pairs(tmp_path: Path) -> None:
    write_package(tmp_path)
    steps = series("words", tmp_path, 20)
    assert [each.patch for each in steps] == ["one", "two", "three"]
    assert [len(text.split("..")) for text in ranges(steps)] == [2, 2]
    assert series("words", tmp_path, 2) == steps[:2], "the same archives, other commits"
    series("words", tmp_path, 20)
    path = write_list(tmp_path, {"words": steps, "bare": []}, SAMPLES, [0, 1])
    candidates = read_list(FleetOptions(path), lambda content: str(hash(content)))
    labels = [each.label for each in candidates]
    assert {"one", "two", "three"} == {
        label.split()[-1] for label in labels if label.startswith("words-1.0 ")
    }
    assert "generated/parser1/old.c generated/parser1/new.c" in labels
    assert "samples/shelf/old samples/shelf/new" in labels
    pairs = [*sample_pairs(SAMPLES)]
    assert len(labels) == 3 + len(pairs) + 2
    assert {old.parent.name for old, _ in pairs} == {
        each.name for each in SAMPLES.iterdir() if each.is_dir()
    }


@pytest.mark.night
def test_what_was_complete_before_a_kill_is_there_and_not_run_again(tmp_path: Path) -> None:
    """Each time tests/fleet/test_fleet.py kills a fleet."""
    samples = tmp_path / "few"
    names = ("cut_ranges", "foo", "plus_two")
    for name in names:
        shutil.copytree(SAMPLES / name, samples / name)
    write_list(tmp_path, {}, samples, [])
    found = survived(tmp_path, ["--time=3", "--jobs=1", "--deterministic"], shares=[0.3], beat=0.5)
    assert (found.wrong, found.left, found.after) == ([], 0, [0, 0])
    assert found.kills in ([1], [2], [3])
    # What was complete as the kill came may not have been said.
    assert len(found.ran) == 2 and sum(found.ran) in (2, 3)
    (row,) = rows_of(tmp_path, {})
    assert (row.name, row.tasks, row.done, row.mispredicted) == ("samples", 3, 3, 0)
    assert row.differences >= 2 and row.tests >= 2
    pages = made_pages(tmp_path)
    assert pages.dangling == () and pages.links > pages.pages > 4
    whole = Measured((row,), ("zip",), found, "--time 3", 20)
    (tmp_path / "measured.json").write_text(json.dumps(asdict(whole)))
    assert stored(tmp_path / "measured.json") == whole


def test_links_that_lead_nowhere_are_found(tmp_path: Path) -> None:
    (tmp_path / "reports").mkdir()
    (tmp_path / "index.html").write_text(
        '<a href="reports/a.html#g1"></a><a href="reports/a.html#g2"></a><a href="b.html"></a>'
        '<a href="https://example.org/"></a><img src="data:image/png;base64,AA=="><p id="top">'
        '<a href="#top"></a>'
    )
    (tmp_path / "reports" / "a.html").write_text('<p id="g1"><a href="../index.html">up</a>')
    found = pages_of(tmp_path)
    assert (found.pages, found.links) == (2, 7)
    assert found.dangling == (
        ("index.html", "reports/a.html#g2"),
        ("index.html", "b.html"),
        ("index.html", "https://example.org/"),
    )


def test_the_page_tells_of_each_package() -> None:
    rows = (
        Row("words", 3, 3, 2, (("one", "failed: make | said no"),), 4, 5, 0),
        Row("samples", 0, 2, 1, (("foo", "poisoned: each of 3 has died"),), 1, 2, 1),
    )
    run = Survived(12.4, [1, 3], [1, 2, 2], 0, 0, 0, [0, 0], [1.2, 3.4])
    text = document(Measured(rows, ("zip",), run, "--time 3", 20), Pages(7, 9, (), 2))
    assert "| words | 3 | 3 | 2 | 1 | 4 | 5 | 0 | one: failed: make / said no |" in text
    assert "| samples | - | 2 | 1 | 1 | 1 | 2 | 1 | foo: poisoned: each of 3 has died |" in text
    assert "**3 patches of 1 packages, 5 tasks, 3 done; kills survived: 2; lost: 0;" in text
    assert "| failed | 1 |\n| poisoned | 1 |\n| differences | 5 |" in text
    assert "Not on the mirror: zip." in text


def test_the_page_that_is_here_adds_up() -> None:
    text = DOCUMENT.read_text()
    facts = dict(re.findall(r"^\| ([^|]+) \| ([\d, ]+) \|$", text, re.MULTILINE))
    rows = [
        [int(cell) if cell != "-" else 0 for cell in line.strip("| ").split(" | ")[1:8]]
        for line in text.partition("| package |")[2].splitlines()[2:]
    ]
    patches, tasks, done, failed, differences, _tests, wrong = map(sum, zip(*rows, strict=True))
    assert patches >= 60 and tasks == done + failed
    assert [int(facts[name]) for name in ("patches that touch C", "tasks", "done")] == [
        patches,
        tasks,
        done,
    ]
    assert failed == int(facts["failed"]) + int(facts["poisoned"])
    assert (differences, wrong) == (int(facts["differences"]), int(facts["tests mispredicted"]))
    assert facts["kills survived"] == "2"
    for name in ("complete tasks and findings lost or changed", "complete tasks run again"):
        assert facts[name] == "0"
    assert facts["links of the site that lead nowhere"] == "0"
