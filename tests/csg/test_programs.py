"""Which files a version has, and how each is compiled."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from csg.errors import UsageError
from csg.programs import FilePair, Versions, read_commands


def touched(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("int x;\n")
    return folder


def names(pairs: tuple[FilePair, ...], folder: Path) -> list[tuple[str | None, str | None]]:
    def shown(file: object) -> str | None:
        return None if file is None else str(file.path.relative_to(folder))  # type: ignore[attr-defined]

    return [(shown(pair.old), shown(pair.new)) for pair in pairs]


def test_two_files_are_a_pair_and_others_are_shared(tmp_path: Path) -> None:
    touched(tmp_path, "a.c", "b.c", "c.c")
    others = (tmp_path / "c.c", tmp_path / "." / "c.c")  # named twice
    pairs = Versions(tmp_path / "a.c", tmp_path / "b.c", ("-DX",), others).pairs()
    assert names(pairs, tmp_path) == [("a.c", "b.c"), ("c.c", "c.c")]
    assert all(each.new is not None and each.new.flags == ("-DX",) for each in pairs)


def test_folders_are_paired_by_relative_paths(tmp_path: Path) -> None:
    old = touched(tmp_path / "v1", "main.c", "lib/list.c", "gone.c", "list.h", ".hidden/x.c")
    new = touched(tmp_path / "v2", "main.c", "lib/list.c", "lib/come.c", "notes.txt")
    assert names(Versions(old, new).pairs(), tmp_path) == [
        ("v1/gone.c", None),
        (None, "v2/lib/come.c"),
        ("v1/lib/list.c", "v2/lib/list.c"),
        ("v1/main.c", "v2/main.c"),
    ]


def test_folders_without_c_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "v1").mkdir()
    with pytest.raises(UsageError, match="has a C file"):
        Versions(tmp_path / "v1", tmp_path / "v1").pairs()


def test_both_versions_say_the_same_name(tmp_path: Path) -> None:
    touched(tmp_path, "a.c", "b.c")
    (pair,) = Versions(tmp_path / "a.c", tmp_path / "b.c").pairs()
    assert pair.old is not None and pair.new is not None
    assert pair.old.name_flags == (f"-fmacro-prefix-map={tmp_path}/a.c={tmp_path}/b.c",)
    assert pair.new.name_flags == ()


# ------------------------------------------------------------------ compile_commands.json


def database(folder: Path, *entries: dict[str, object]) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "compile_commands.json").write_text(json.dumps(entries))
    return folder


ROWS = [
    # (words of the call, what is kept; B is the build's folder)
    ("cc -c -O0 -Wall -o a.o ../a.c", ""),
    ("cc -c -O2 -Wall -o a.o ../a.c", "-D__OPTIMIZE__ -U_FORTIFY_SOURCE"),
    ("cc -c -O2 -D_FORTIFY_SOURCE=2 -o a.o ../a.c",
     "-D_FORTIFY_SOURCE=2 -D__OPTIMIZE__ -U_FORTIFY_SOURCE"),
    ("cc -DX=1 -D Y -U Z -c ../a.c", "-DX=1 -DY -UZ"),
    ("cc -Iinc -I ../lib -isystem sys -iquote /abs -c ../a.c",
     "-IB/inc -IT/lib -isystem B/sys -iquote /abs"),
    ("ccache gcc -std=gnu11 -fwrapv -m32 -pthread ../a.c", "-std=gnu11 -fwrapv -m32 -pthread"),
    ("cc -MD -MF a.d -MT a.o -g3 -pipe ../a.c", ""),
    ("cc -msse4.2 -maes -mtune=native -c ../a.c", "-msse4.2 -maes"),
    ("cc -fplugin=evil.so -B/evil -specs=x -wrapper sh -fsanitize=address ../a.c", ""),
    ("cc -include there.h -include stdio.h ../a.c", "-include B/there.h -include stdio.h"),
    ("cc '-DTEXT=\"a b\"' ../a.c", "'-DTEXT=\"a b\"'"),
]  # fmt: skip


@pytest.mark.parametrize("as_list", [True, False])
@pytest.mark.parametrize(("words", "kept"), ROWS)
def test_flags_that_decide_what_a_file_means(
    words: str, kept: str, as_list: bool, tmp_path: Path
) -> None:
    import shlex

    touched(tmp_path, "a.c", "build/there.h")
    how = {"arguments": shlex.split(words), "command": "cc -DNO"} if as_list else {"command": words}
    build = database(
        tmp_path / "build", {"directory": str(tmp_path / "build"), "file": "../a.c", **how}
    )
    expected = tuple(shlex.split(kept.replace("B/", f"{build}/").replace("T/", f"{tmp_path}/")))
    for place in (build, build / "compile_commands.json"):
        assert read_commands(place).flags(tmp_path / "a.c") == expected
    os.symlink(tmp_path / "a.c", tmp_path / "link.c")
    assert read_commands(build).flags(tmp_path / "link.c") == expected  # one file
    assert read_commands(build).flags(tmp_path / "other.c") is None


def test_a_build_says_which_files_and_flags(tmp_path: Path) -> None:
    old = touched(tmp_path / "v1", "a.c", "b.c", "tests/t.c", "inc/a.h")
    new = touched(tmp_path / "v2", "a.c", "b.c", "tests/t.c", "inc/a.h")
    entries = [
        {"directory": str(new), "file": name, "arguments": ["cc", "-Iinc", f"-D{name[0]}", name]}
        for name in ("a.c", "b.c")
    ]
    build = database(tmp_path / "build", *entries)
    pairs = Versions(old, new, ("-DALL",), (), build, build).pairs()
    assert [pair.new and pair.new.path.name for pair in pairs][:2] == ["a.c", "b.c"]
    first = pairs[0]
    assert first.old is not None and first.new is not None
    assert first.new.flags == (f"-I{new}/inc", "-Da", "-DALL")
    assert first.old.flags == (f"-I{old}/inc", "-Da", "-DALL")  # as its partner, in its own folder


@pytest.mark.parametrize("named", ["v1", "v2"])
def test_headers_inside_a_version_are_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    monkeypatch.chdir(tmp_path)
    old = touched(Path("v1"), "a.c", "inc/a.h", "lib/a.h")
    new = touched(Path("v2"), "a.c", "inc/a.h")
    touched(tmp_path, "common/b.h", "a.c")
    given = ("-I", named, f"-I{named}/inc", "-isystem", "common", "-Iv1/lib", "-D", named)
    (pair,) = Versions(old, new, given).pairs()
    assert pair.old is not None and pair.new is not None
    for each, own in ((pair.old, "v1"), (pair.new, "v2")):
        found = [flag.replace(f"{tmp_path}/", "") for flag in each.flags]
        assert found == ["-I", own, f"-I{own}/inc", "-isystem", "common", "-Iv1/lib", "-D", named]


def test_a_copy_of_a_file_is_compiled_as_the_file(tmp_path: Path) -> None:
    touched(tmp_path, "before.c", "src/a.c", "src/b.c")
    entries = [
        {"directory": str(tmp_path), "file": name, "command": f"cc -Isrc -DIN={at} -c {name}"}
        for at, name in enumerate(("src/a.c", "src/b.c"))
    ]
    build = database(tmp_path / "build", *entries)
    new, other = tmp_path / "src/a.c", tmp_path / "src/b.c"
    first, second = Versions(tmp_path / "before.c", new, (), (other,), build, build).pairs()
    assert first.old is not None and first.new is not None and second.old is not None
    assert first.old.flags == first.new.flags == (f"-I{tmp_path}/src", "-DIN=0")
    assert second.old.flags == (f"-I{tmp_path}/src", "-DIN=1")


def test_a_file_that_no_build_compiles_is_refused(tmp_path: Path) -> None:
    touched(tmp_path, "a.c", "b.c", "c.c")
    build = database(tmp_path / "build")
    with pytest.raises(UsageError, match=r"does not say how .*a\.c is compiled"):
        Versions(tmp_path / "a.c", tmp_path / "b.c", (), (), build, build).pairs()


@pytest.mark.parametrize("text", ["", "{}", "[1]", '[{"file": 1}]', '[{"directory": "/"}]', "[["])
def test_what_is_no_database_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "compile_commands.json").write_text(text)
    with pytest.raises(UsageError, match="no database of compile commands"):
        read_commands(tmp_path)
    with pytest.raises(UsageError, match="cannot read"):
        read_commands(tmp_path / "nowhere")
