"""Inputs that a user has are read back: JSON, KLEE's .ktest, shell command lines."""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from csg.errors import UsageError
from symexec.testcases import TestInput, input_to_json, shell_command
from symexec.testcases.command_text import NotUnderstood, command_input
from symexec.testcases.seeds import SeedInput, Unusable, read_calls, read_ktest, read_seeds

HERE = Path()
no_nul = st.binary(max_size=12).filter(lambda data: b"\0" not in data)
names = st.from_regex(r"[a-z][a-z0-9_]{0,5}", fullmatch=True)


@settings(max_examples=60)
@example([b"-x", b""], b"%-\0\\", {"in": b"-%d\n"})
@given(st.lists(no_nul, max_size=3), st.binary(max_size=12), st.dictionaries(names, no_nul))
def test_what_we_show_is_read_back(
    args: list[bytes], stdin: bytes, files: dict[str, bytes]
) -> None:
    test = TestInput(args=tuple(args), stdin=stdin, files=tuple(sorted(files.items())))
    assert command_input(shell_command(test, "./prog"), HERE) == test


SHELL = [
    "prog -f 1 'a b' \"c'd\" e\\ f",
    "prog $'\\x41\\t\\101' x#y # a comment",
    "printf 'a\\n%s|' b c | prog -",
    "printf -- '-a%%\\0101' | prog",
    "echo -n a  b | prog",
    "echo 'x\\ny' | prog",
    "prog <<< 'a b'",
    "prog > out 2>&1 -x",
    "LC_ALL=C prog a=b",
    "cat one | prog -n",
    "prog < one",
    "printf 'q' > made; prog made",
]


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
@pytest.mark.parametrize("line", SHELL)
def test_a_line_means_what_it_means_to_a_shell(line: str, tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(b"1\n\xff2")
    recorder = tmp_path / "prog"
    recorder.write_text(
        '#!/bin/sh\nfor word; do printf "%s\\0" "$word"; done > args\ncat > stdin\n'
    )
    recorder.chmod(0o755)
    subprocess.run(
        ["bash", "-c", f'PATH="{tmp_path}:$PATH"; {line}'],
        cwd=tmp_path, stdin=subprocess.DEVNULL, check=True,
    )  # fmt: skip
    seen = command_input(line, tmp_path)
    assert b"".join(word + b"\0" for word in seen.args) == (tmp_path / "args").read_bytes()
    assert seen.stdin == (tmp_path / "stdin").read_bytes()


@pytest.mark.parametrize(
    "line",
    ["prog $HOME", 'prog "`id`"', "prog *.c", "a | b", "prog && rm x", "prog 'a", "for x in 1",
     "prog < nowhere", "prog < /dev/zero", "prog < pipe", "prog < .",
     "printf %x 3 | prog", "prog <", "(prog)"],
)  # fmt: skip
def test_what_needs_a_shell_is_not_guessed(line: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(NotUnderstood):
        command_input(line, tmp_path)


def test_files_that_a_line_names_come_along(tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(b"12")
    seen = command_input("./prog -n data /etc/hosts ../x none", tmp_path)
    assert seen.files == (("data", b"12"),)


def ktest(arguments: list[bytes], objects: list[tuple[bytes, bytes]]) -> bytes:
    def text(data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + data

    head = b"KTEST" + struct.pack(">II", 3, len(arguments)) + b"".join(map(text, arguments))
    body = b"".join(text(name) + text(data) for name, data in objects)
    return head + struct.pack(">III", 0, 0, len(objects)) + body


def test_a_ktest_of_a_harness_has_objects() -> None:
    data = ktest([b"prog.bc"], [(b"x", b"\x07\0\0\0"), (b"x", b"\x01")])
    assert read_ktest(data) == TestInput(objects=(("x", b"\x07\0\0\0"), ("x", b"\x01")))


def test_a_ktest_of_a_command_line_is_put_together() -> None:
    data = ktest(
        [b"prog.bc", b"-q", b"--sym-args", b"0", b"2", b"3", b"--sym-files", b"1", b"2", b"--"],
        [(b"n_args", b"\x01\0\0\0"), (b"arg00", b"-f\0\0"), (b"A_data", b"hi"),
         (b"A_data_stat", b"\0" * 144), (b"stdin", b"ab"), (b"model_version", b"\x01\0\0\0")],
    )  # fmt: skip
    expected = TestInput(args=(b"-q", b"-f", b"--"), stdin=b"ab", files=(("A", b"hi"),))
    assert read_ktest(data) == expected


@given(st.binary(max_size=60))
def test_a_broken_ktest_is_trouble_and_nothing_worse(data: bytes) -> None:
    with pytest.raises(UsageError):
        read_ktest(b"KTEST" + data[:16])


def test_a_folder_holds_seeds_of_every_form(tmp_path: Path) -> None:
    test = TestInput(args=(b"-a",))
    (tmp_path / "a.json").write_text(json.dumps(input_to_json(test)))
    report = {"tests": [{"id": "t1", "input": {"stdin": "x"}}, {"id": "t2", "input": {"args": 3}}]}
    (tmp_path / "b.json").write_text(json.dumps(report))
    (tmp_path / "c.ktest").write_bytes(ktest([b"p", b"-k"], []))
    (tmp_path / "d.txt").write_text("# mine\n\n$ prog -d\nprog $x\n")
    (tmp_path / "e.ktest").write_bytes(b"KTEST")
    (tmp_path / "f.json").write_text("{")
    (tmp_path / "g.o").write_bytes(b"\x7fELF")
    found = read_seeds([tmp_path])
    used = [each.input for each in found if isinstance(each, SeedInput)]
    assert used == [
        test, TestInput(stdin=b"x"), TestInput(args=(b"-k",)), TestInput(args=(b"-d",))
    ]  # fmt: skip
    refused = [each.place for each in found if isinstance(each, Unusable)]
    places = ["b.json, t2", "d.txt:4", "e.ktest", "f.json"]
    assert refused == [f"{tmp_path}/{place}" for place in places]


def test_a_place_that_is_not_there_is_trouble(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        read_seeds([tmp_path / "none"])


CALLS = [
    ("../prog -a one", [("-a", "A")], b""),
    ("printf 'q\\n' | ./prog -x 2>&1 | grep y", [("-x",)], b"q\n"),
    ("out=$(./prog -x 'a b' \"$unknown\") || exit 1", [("-x", "a b")], b""),
    ('if [ "`echo 12 | prog -n`" = 3 ]; then', [("-n",)], b"12\n"),
    ("PROG=../src/prog\n$PROG -v -- -1 >$out", [("-v", "--", "-1")], b""),
    ("bin='./prog'; width=4\nfor i in 1 2; do ${bin} -w $width $i; done", [("-w", "4")], b""),
    ("$MY_PROG \\\n  -k", [("-k",)], b""),
    ("./prog - <<'END' | cat\na $x\n\nb\nEND\n./prog -e", [("-",), ("-e",)], b"a $x\n\nb\n"),
    ("printf 'k=1\\n' > conf\n./prog conf", [("A",), ("conf",)], b""),
    ("cat >in <<E\nz\nE\nvalgrind ./prog -r <in", [("-r",)], b"z\n"),
    ("check = subprocess.run([\"./prog\", '-c',\n  '2 + 2'], input=text)", [("-c", "2 + 2")], b""),
    ("  $ prog -1\n  2", [("-1",)], b""),
    ("gprog -x; echo prog; # ./prog -q", [], b""),
]


@pytest.mark.parametrize(("text", "args", "stdin"), CALLS)
def test_how_a_script_calls_the_program(
    text: str, args: list[tuple[str, ...]], stdin: bytes, tmp_path: Path
) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "one").write_bytes(b"1\n")
    (tmp_path / "tests" / "run.sh").write_text(text)
    found = [each.input for each in read_calls([tmp_path / "tests"], "prog").seeds]
    shared = [each for each in found if "one" not in dict(each.files)]
    assert [tuple(map(os.fsdecode, each.args)) for each in shared] == args
    assert not found or found[0].stdin == stdin
    if text.endswith(" one"):
        assert [dict(each.files) for each in found] == [{"A": b"1\n"}, {"one": b"1\n"}]
        assert found[1].args == (b"-a", b"one")


@settings(max_examples=200)
@given(st.text("pr og$`'\"\\|<>&;()[]{}#=\nE-a", max_size=60))
def test_whatever_stands_in_a_script_is_read(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "run.sh").write_text(f"prog {text}")
        for each in read_calls([Path(folder)], "prog").seeds:
            assert b"" not in each.input.args
            assert command_input(shell_command(each.input, "prog"), Path(folder)) == each.input
