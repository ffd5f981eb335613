"""What a person is shown can be pasted into a shell, or into C."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from symexec.testcases import EntrySignature, LongDouble, TestInput, c_call, shell_command
from symexec.testcases.signature import Parameter, ParameterKind, Step

no_nul = st.binary(max_size=12).filter(lambda data: b"\0" not in data)


def test_plain_words_stay_plain() -> None:
    test = TestInput(args=(b"-f", b"0-", b"two words"), stdin=b"a\n")
    assert shell_command(test, "./range") == "printf 'a\\n' | ./range -f 0- 'two words'"


def test_files_come_first() -> None:
    test = TestInput(args=(b"in",), files=(("in", b"50%\n"),))
    assert shell_command(test, "./p") == "printf '50%%\\n' > in; ./p in"
    below = TestInput(files=(("d/e/x", b""), ("d/e/y", b"1")))
    steps = "mkdir -p d/e; printf '' > d/e/x; printf 1 > d/e/y; "
    assert shell_command(below, "./p") == f"{steps}./p"


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
@settings(max_examples=25, deadline=None)
@example([b"-x"], b"-\0")
@given(st.lists(no_nul, min_size=1, max_size=3), st.binary(min_size=1, max_size=12))
def test_a_shell_reads_back_every_byte(args: list[bytes], stdin: bytes) -> None:
    def run(command: str) -> bytes:
        return subprocess.run(["bash", "-c", command], capture_output=True, check=True).stdout

    words = shell_command(TestInput(args=tuple(args)), "printf").removeprefix("printf ")
    assert run(f"printf '%s\\0' {words}") == b"".join(arg + b"\0" for arg in args)
    assert run(shell_command(TestInput(stdin=stdin), "cat")) == stdin


def test_a_c_call_has_its_globals_before_it() -> None:
    test = TestInput(
        parameters=(("a", (1, -2)), ("s", b'q"\n\x001'), ("d", 0.5), ("e", LongDouble("0x1p-4"))),
        globals=(("count", 3),),
    )
    expected = r'count = 3; f((int[]) {1, -2}, "q\"\n\0001", 0.5, 0x1p-4L)'
    assert c_call(test, "f") == expected


def test_nondeterministic_values_are_told_apart() -> None:
    assert c_call(TestInput(nondet=(1, 2)), "main") == "main()  # nondet: 1, 2"


@pytest.mark.parametrize(
    ("text", "length", "call"),
    [
        (b"\0", 2, r'f("\000", 2)'),  # the literal has two bytes
        (b"\0\0\0\0", 5, r'f("\000\000\000\000", 5)'),
        (b"y\0\0\0", 3, r'f("y\000", 3)'),
        (b"y\0\0\0", 77, r'f("y\000\000\000", 77)'),  # no more than there are
        (b"y\0\0\0", 1, 'f("y", 1)'),
        (b"y\0\0\0", -1, 'f("y", -1)'),
    ],
)
def test_a_text_has_the_zeros_that_a_length_counts(text: bytes, length: int, call: str) -> None:
    assert c_call(TestInput(parameters=(("s", text), ("n", length))), "f") == call


@pytest.mark.parametrize(
    ("flags", "call"),
    [
        ((0, 0), 'f("ab", "c", buffer)'),
        ((1, 0), 'f(from = "ab", "c", from)'),
        ((0, 1), 'f("ab", by = "c", by)'),
    ],
)
def test_an_argument_that_leads_to_the_object_of_another_has_its_name(
    flags: tuple[int, int], call: str
) -> None:
    kinds = [ParameterKind.STRING, ParameterKind.STRING, *[ParameterKind.SCALAR] * 2]
    names = ("from", "by", "to_in_from", "to_in_by")
    signature = EntrySignature(
        "f",
        parameters=tuple(
            Parameter(name, kind, "char", 1, 8) for name, kind in zip(names, kinds, strict=True)
        ),
        steps=(Step("f({from}, {by}, {to_in_from} ? {from} : {to_in_by} ? {by} : buffer)"),),
    )
    values = (b"ab", b"c", *flags)
    test = TestInput(parameters=tuple(zip(names, values, strict=True)))
    assert c_call(test, "f", signature) == call
