"""Generated programs of several files: the unified one compiles, whichever files its types are of,
and does what both versions do natively.

Records that a file knows by name alone have members for whoever makes up inputs
(``complete_records``). The text of the file stays as it is.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from random import Random

import pytest

from csg.programs import Versions
from csg.unify import Unified, check, printed, unify
from csg.unify.matching.layouts import complete_records
from csg.unify.pairs import read_pair, unify_pair
from generators.several_files import Files, several_files
from tests.nightly import every

GCC = ["gcc", "-w"]


def compiled(folder: Path, name: str, files: list[str], *flags: str) -> Path:
    subprocess.run([*GCC, *flags, *files, "-o", name], cwd=folder, check=True)
    return folder / name


def written(folder: Path, files: Files) -> list[str]:
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)
    return [str(folder / name) for name in files if name.endswith(".c")]


def complete(unified: Unified) -> None:
    """Complete the records of all files, as whoever makes up inputs does."""
    for units in (unified.old, unified.new), (unified.unit,):
        complete_records([*units, *unified.shared])


def requires_c(folder: Path, text: str) -> None:
    """The text compiles with both versions of each change in it."""
    (folder / "unified.c").write_text(text)
    subprocess.run([*GCC, "-fsyntax-only", "unified.c"], cwd=folder, check=True)


@pytest.mark.parametrize("seed", every(30, range(240)))
def test_generated_programs(seed: int, tmp_path: Path) -> None:
    old, new = several_files(Random(seed))
    files = [written(tmp_path / "old", old), written(tmp_path / "new", new)]
    unified = unify_pair(read_pair(Versions(tmp_path / "old", tmp_path / "new").pairs()))
    assert check(unified, thorough=True) == []
    text = printed(unified, ids=True)
    requires_c(tmp_path, text)
    shared = [unit.file for unit in unified.shared]
    for version, own in zip(("OLD", "NEW"), files, strict=True):
        alone = compiled(tmp_path, version, own)
        (tmp_path / "unified.c").write_text(text)
        both = compiled(tmp_path, "both", ["unified.c", *shared], f"-DCSGTEST_{version}")
        for value in "4", "9":
            outputs = [subprocess.check_output([each, value]) for each in (alone, both)]
            assert outputs[0] == outputs[1]
    complete(unified)
    assert printed(unified, ids=True) == text
    again = unify(unified.old, unified.new)
    assert check(again, thorough=True) == []
    requires_c(tmp_path, printed(again, ids=True))


HOLDER = "struct holder { cell *cells; cell one; };\n"
FILES: dict[str, tuple[Files, str, str]] = {
    # What they are, and the text of a.c before and after.
    "a structure in a structure that the file does not see": (
        {"b.c": "struct in { int n; }; struct out { struct in in; };\n"},
        "struct out; struct in; int f(struct out *o, int x) { return o ? x : 3; }\n",
        "struct out; struct in; int f(struct out *o, int x) { return o ? x : 4; }\n",
    ),
    "structures without a tag in two files": (
        {
            "b.c": f"typedef struct {{ int n; }} cell;\n{HOLDER}",
            "c.c": f"typedef struct {{ char c; }} cell;\n{HOLDER.replace('holder', 'other')}",
        },
        "int f(struct holder *h, struct other *o) { return h && o ? 3 : 5; }\n",
        "int f(struct holder *h, struct other *o) { return h && o ? 4 : 5; }\n",
    ),
    "members that the new version no longer sees": (
        {"b.c": "struct box { int n; }; int box_n(struct box *b) { return b->n; }\n"},
        "struct box { int n; }; int f(struct box *b) { return b->n; }\n",
        "struct box; int box_n(struct box *); int f(struct box *b) { return box_n(b); }\n",
    ),
    "a structure that becomes a union": (
        {},
        "struct pair { int a, b; }; int f(struct pair *p) { return p->b; }\n",
        "union pair { int a, b; }; int f(union pair *p) { return p->b; }\n",
    ),
    "an enumeration that becomes a structure": (
        {},
        "enum kind { ONE, TWO }; int f(enum kind *k) { return *k == TWO; }\n",
        "struct kind { int of; }; int f(struct kind *k) { return k->of == 1; }\n",
    ),
    "a pointer to an array of structures that only the old version has": (
        {},
        "struct p { int n; }; struct q { struct p (*all)[2]; int m; };\n"
        "int f(struct q *q) { return (*q->all)[1].n + q->m; }\n",
        "struct q { int m; }; int f(struct q *q) { return q->m; }\n",
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_types_of_several_files(name: str, tmp_path: Path) -> None:
    others, before, after = FILES[name]
    for version, text in (("old", before), ("new", after)):
        written(tmp_path / version, {"a.c": text, **others})
    unified = unify_pair(read_pair(Versions(tmp_path / "old", tmp_path / "new").pairs()), "f")
    requires_c(tmp_path, printed(unified, ids=True))
    complete(unified)
    requires_c(tmp_path, printed(unified, ids=True))
