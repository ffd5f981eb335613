"""KLEE's .ktest files, version 3, as inputs.

    KTEST  version  arguments: prog --sym-args 0 1 3  objects: n_args=1, arg00="-f\\0"
    TestInput(args=(b"-f",))

Without KLEE's model of the command line each object is one ``klee_make_symbolic`` of the program,
in order. Numbers are unsigned, 32 bits, the most significant byte first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from csg.errors import UsageError
from csg.records import record
from symexec.testcases.inputs import TestInput

_MOST = 1 << 16  # arguments, objects
_PARTS = re.compile(r"(arg\d+|n_args|stdin|stdin_stat|stdout|stdout_stat|model_version|[A-Z]_data)")
_OPTIONS = {  # of KLEE's model of the command line: how many words follow
    "sym-arg": 1,
    "sym-args": 3,
    "sym-files": 2,
    "sym-stdin": 1,
    "sym-stdout": 0,
    "save-all-writes": 0,
    "max-fail": 1,
    "fd-fail": 0,
}


@record
class KTest:
    """``arguments`` begin with the program's name."""

    arguments: tuple[bytes, ...]
    objects: tuple[tuple[str, bytes], ...]


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._place = 0

    def take(self, count: int) -> bytes:
        found = self._data[self._place : self._place + count]
        if len(found) < count:
            raise UsageError("the .ktest file ends in the middle")
        self._place += count
        return found

    def number(self) -> int:
        return int.from_bytes(self.take(4), "big")

    def text(self) -> bytes:
        return self.take(self.number())

    def count(self) -> int:
        number = self.number()
        if number > _MOST:
            raise UsageError(f"the .ktest file claims to have {number} parts")
        return number


def parse_ktest(data: bytes) -> KTest:
    reader = _Reader(data)
    reader.take(5)
    version = reader.number()
    if not 1 <= version <= 3:
        raise UsageError(f"version {version} of .ktest is not known")
    arguments = tuple(reader.text() for _ in range(reader.count()))
    if version >= 2:
        reader.take(8)  # symArgvs, symArgvLen
    objects = tuple((reader.text().decode("latin-1"), reader.text()) for _ in range(reader.count()))
    return KTest(arguments, objects)


def read_ktest(data: bytes) -> TestInput:
    test = parse_ktest(data)
    if not any(name == "model_version" or name.startswith("arg") for name, _ in test.objects):
        plain = [name for name, _ in test.objects]
        if "stdin" not in plain and "A_data" not in plain:
            return TestInput(args=_plain_words(test.arguments[1:]), objects=test.objects)
    named = dict(test.objects)
    files = tuple(
        (name[0], data) for name, data in test.objects if re.fullmatch("[A-Z]_data", name)
    )
    return TestInput(
        args=tuple(_words(test)),
        stdin=named.get("stdin", b""),
        files=files,
        objects=tuple(each for each in test.objects if not _of_model(each[0])),
    )


def _of_model(name: str) -> bool:
    return bool(_PARTS.fullmatch(name)) or name.endswith("_data_stat")


def _plain_words(words: tuple[bytes, ...]) -> tuple[bytes, ...]:
    return () if any(_option(word) for word in words) else words


def _option(word: bytes) -> str | None:
    name = word.decode("latin-1").lstrip("-")
    return name if word.startswith(b"-") and name in _OPTIONS else None


def _words(test: KTest) -> Iterator[bytes]:
    """The command line with what is symbolic filled in, in order."""
    symbolic = iter([data for name, data in test.objects if re.fullmatch(r"arg\d+", name)])
    counts = iter([data for name, data in test.objects if name == "n_args"])
    given = iter(test.arguments[1:])
    asked = False
    for word in given:
        name = _option(word)
        if name is None:
            yield word
            continue
        values = [next(given, b"") for _ in range(_OPTIONS[name])]
        if name == "sym-arg":
            asked = True
            yield _text(next(symbolic, b""))
        elif name == "sym-args":
            asked = True
            number = int.from_bytes(next(counts, values[1]), "little")
            for _ in range(min(number, _MOST)):
                data = next(symbolic, None)
                if data is None:
                    break
                yield _text(data)
    if not asked:
        yield from map(_text, symbolic)


def _text(data: bytes) -> bytes:
    return data.split(b"\0")[0]
