"""Trees from the cache, and from two processes, are those that one process would parse."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from csg.cache import Cache
from csg.errors import CsgtestError
from csg.frontend import files, parse_files, preprocess_files
from csg.frontend.sources import SourceLines
from csg.language.printer import print_unit
from csg.language.syntax import TranslationUnit
from csg.programs import SourceFile

HEADER = "struct pair { int a, b; struct pair *next; };\nenum kind { RED, BLUE = 5 };\n"
TEXT = """\
#include <stdio.h>
#include "pair.h"
static struct pair first = {%d, 2, &first};
int kind_%d(enum kind k)
{
    switch (k) {
    case RED: return first.a;   /* the first */
    default: return printf("%%d\\n", first.next->b + BLUE);
    }
}
"""


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[SourceFile]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(files, "WORTH_KEEPING", 0)
    monkeypatch.setattr(files, "WORTH_A_PROCESS", 0)
    (tmp_path / "pair.h").write_text(HEADER)
    found = []
    for at in range(4):
        (tmp_path / f"f{at}.c").write_text(TEXT % (at, at))
        found.append(SourceFile(tmp_path / f"f{at}.c"))
    return found


def told(unit: TranslationUnit) -> object:
    """All that later stages see of a unit."""
    symbols = [each.symbol for each in (*unit.declarations, *unit.functions)]
    return (
        unit.file,
        print_unit(unit),
        [(each.name, each.linkage, each.location, each.defined) for each in symbols],
        [function.body for function in unit.functions if not function.parameters],
        unit.sources,
        unit.dropped,
        unit.warnings,
    )


def plainly(sources: list[SourceFile]) -> list[object]:
    texts = preprocess_files(sources)
    return [told(files.parsed(text, SourceLines())) for text in texts]


def test_kept_trees_are_parsed_trees(
    sources: list[SourceFile], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = plainly(sources)
    assert [told(unit) for unit in parse_files(sources)] == expected
    assert len(os.listdir(Cache("units").folder)) == 4
    monkeypatch.setattr(files, "parsed", None)  # nothing is parsed a second time
    assert [told(unit) for unit in parse_files(sources)] == expected


def test_records_that_refer_to_themselves_stay_one(sources: list[SourceFile]) -> None:
    for _ in range(2):
        (unit, again) = parse_files([sources[0], sources[0]])
        pair = unit.types[0]
        assert pair.fields[2].type.target is pair  # type: ignore[union-attr, index]
        assert unit.types[0] is not again.types[0]  # each can be changed by itself


def test_a_comment_is_part_of_what_is_kept(sources: list[SourceFile]) -> None:
    """The compiler does not see it, but messages quote the line."""
    parse_files(sources)
    file = sources[1].path
    file.write_text(file.read_text().replace("the first", "another"))
    unit = parse_files(sources)[1]
    assert any("another" in line for line in unit.sources[str(file)])
    (file.parent / "pair.h").write_text(HEADER + "/* more */\n")
    assert unit.sources != parse_files(sources)[1].sources


def test_damage_is_parsed_again(sources: list[SourceFile]) -> None:
    expected = plainly(sources)
    parse_files(sources)
    for name in os.listdir(Cache("units").folder):
        (Cache("units").folder / name).write_bytes(b"\x80")
    assert [told(unit) for unit in parse_files(sources)] == expected


@pytest.mark.parametrize("wrong", [(1,), (2, 3), (0, 1, 2, 3)])
def test_the_first_file_s_trouble_is_told(
    sources: list[SourceFile], wrong: tuple[int, ...]
) -> None:
    for at in wrong:
        sources[at].path.write_text(f"int f{at}(void) {{ return y{at}; }}\n")
    for _ in range(2):
        with pytest.raises(CsgtestError, match=f"'y{wrong[0]}' is not declared"):
            parse_files(sources)


def test_what_nests_too_deeply_for_the_cache_is_parsed_each_time(
    sources: list[SourceFile],
) -> None:
    chain = "".join(f"if (x == {at}) return {at}; else " for at in range(400))
    sources[0].path.write_text(f"int deep(int x)\n{{\n{chain} return -1;\n}}\n")
    for _ in range(2):
        assert parse_files(sources)[0].functions[0].symbol.name == "deep"
