"""Files of inputs that a user has, in any of three forms, as tests' inputs; and what the tests of a
project hold, to build inputs from."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from csg.errors import NOWHERE, CsgtestError, UsageError
from csg.frontend.constants import string
from csg.frontend.sources import without_comments
from csg.records import record
from symexec.testcases.inputs import Json, TestInput, input_from_json
from symexec.testcases.store import is_ours

# ------------------------------------------------------------------------------------------ ktest
# KLEE's .ktest files, version 3, as inputs.
#
#     KTEST  version  arguments: prog --sym-args 0 1 3  objects: n_args=1, arg00="-f\0"
#     TestInput(args=(b"-f",))
#
# Without KLEE's model of the command line each object is one ``klee_make_symbolic`` of the program,
# in order. Numbers are unsigned, 32 bits, the most significant byte first.


_MOST = 1 << 16  # arguments, objects
_FILE = r"[A-Z][-_]data"  # A-data since KLEE 2, A_data before
_PARTS = re.compile(rf"arg\d+|n_args|model_version|(stdin|stdout|{_FILE})([-_]stat)?")
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
        if "stdin" not in plain and not any(re.fullmatch(_FILE, name) for name in plain):
            return TestInput(args=_plain_words(test.arguments[1:]), objects=test.objects)
    named = dict(test.objects)
    files = tuple((name[0], data) for name, data in test.objects if re.fullmatch(_FILE, name))
    return TestInput(
        args=tuple(_words(test)),
        stdin=named.get("stdin", b""),
        files=files,
        objects=tuple(each for each in test.objects if not _of_model(each[0])),
    )


def _of_model(name: str) -> bool:
    return bool(_PARTS.fullmatch(name))


def _plain_words(words: tuple[bytes, ...]) -> tuple[bytes, ...]:
    return () if any(_option(word) for word in words) else words


def _option(word: bytes) -> str | None:
    name = word.decode("latin-1").lstrip("-")
    return name if word.startswith(b"-") and name in _OPTIONS else None


def _words(test: KTest) -> Iterator[bytes]:
    """The words of the command line with the symbolic ones filled in, in order."""
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


# ------------------------------------------------------------------------------------------ seeds
# Files of inputs that a user has, in any of three forms, as tests' inputs.
#
#     read_seeds([Path("seeds")])
#
#     seeds/a.json         {"parameters": {"x": -1}}; also a list of them, or a report.json
#     seeds/b.ktest        what KLEE writes
#     seeds/lines.txt      printf 'a\n' | ./prog -f 1-      one a line
#
# What cannot be used is told with its place; nothing is run, and no file but these is read, except
# those that a command line names.


LARGEST = 16 << 20  # bytes of a file
IN_FOLDERS = (".json", ".jsonl", ".ktest", ".txt", ".sh", ".cmd", ".cmds")


@record
class SeedInput:
    """The input of a seed. ``place`` is a file, with the number of a line or of an entry where it
    has several."""

    place: str
    input: TestInput


@record
class Unusable:
    """A seed that is left out, and why."""

    place: str
    reason: str


Read = SeedInput | Unusable


def read_seeds(paths: Sequence[Path]) -> list[Read]:
    """The seeds in the order of the paths; in a folder in the order of names."""
    return [each for path in paths for file in _files(path) for each in _read(file)]


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        found = sorted(file for file in path.rglob("*") if file.is_file())
        return [file for file in found if file.suffix in IN_FOLDERS]
    if not path.exists():
        raise UsageError(f"{path}: no such file or folder", hint="give the path of some seeds")
    return [path]


def _read(file: Path) -> Iterator[Read]:
    try:
        if file.stat().st_size > LARGEST:
            yield Unusable(str(file), f"larger than {LARGEST >> 20} MB")
            return
        data = file.read_bytes()
    except OSError as error:
        yield Unusable(str(file), error.strerror or "cannot be read")
        return
    if data.startswith((b"KTEST", b"BOUT\n")):
        from symexec.testcases.seeds import read_ktest

        yield _checked(str(file), partial(read_ktest, data))
    elif file.suffix == ".jsonl":
        for number, line in enumerate(data.splitlines(), 1):
            if line.strip():
                yield from _json(f"{file}:{number}", line)
    elif file.suffix == ".json" or data.lstrip()[:1] in (b"{", b"["):
        yield from _json(str(file), data)
    else:
        yield from _lines(file, data)


def _json(place: str, data: bytes) -> Iterator[Read]:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        yield Unusable(place, f"no JSON: {error}")
        return
    tests = value.get("tests") if isinstance(value, dict) else value
    if not isinstance(tests, list):
        yield _json_input(place, value)
        return
    for number, test in enumerate(tests, 1):
        name = test.get("id") if isinstance(test, dict) else None
        yield _json_input(f"{place}, {name or number}", test)


def _json_input(place: str, value: Json) -> Read:
    """The input in a JSON value, which is an input, or a test that holds one."""
    if isinstance(value, dict) and isinstance(value.get("input"), dict):
        value = value["input"]
    return _checked(place, partial(input_from_json, value))


def _lines(file: Path, data: bytes) -> Iterator[Read]:
    """The inputs in lines of commands. Comments and empty lines are skipped; a ``$`` before a
    command is a prompt."""
    from symexec.testcases.command_text import command_input

    for number, line in enumerate(data.decode("utf-8", "surrogateescape").splitlines(), 1):
        text = line.strip()
        if text and not text.startswith("#"):
            command = text.removeprefix("$ ")
            yield _checked(f"{file}:{number}", partial(command_input, command, file.parent))


def _checked(place: str, read: Callable[[], TestInput]) -> Read:
    try:
        return SeedInput(place, read())
    except CsgtestError as error:
        return Unusable(place, error.message)
    except (KeyError, TypeError, ValueError) as error:
        return Unusable(place, f"not of the expected form: {error}")


# --------------------------------------------------------------------------------------- examples
# Words and texts in a project's tests.
#
#     read_examples(places_of_tests(Path(".")))   ->  Examples(words=(b"section", ..),
#                                                              texts=(b"section net { .. }", ..))
#
# A parser's tests contain what takes longest to generate. Of C files the string literals count,
# adjacent ones as one; other files count as they are, and line by line.

TEXTS, TEXT = 256, 1024  # how many words or texts, and the bytes of one
WORDS, WORD = 512, 64
FILES, FILE = 2000, 1 << 16  # files that are read, and bytes of one

_NAME = r"(?:tests?|testing|testsuite|t|specs?|checks?|examples?|fixtures?|corpus|corpora|seeds)"
_FOLDER = re.compile(rf"(?:.*[_.-])?{_NAME}(?:[_.-].*)?", re.IGNORECASE)
_SOURCE = re.compile(rf"(?:.*[_.-])?{_NAME}(?:[_.-].*)?\.(?:c|cc|cpp|h|hpp)", re.IGNORECASE)
_C = re.compile(r".*\.(?:c|cc|cpp|h|hpp|inc)", re.IGNORECASE)
_LITERALS = re.compile(r'"(?:\\.|[^"\\\n])*"(?:\s*"(?:\\.|[^"\\\n])*")*')


@record
class Examples:
    """The words and texts, each without duplicates; they are the same for the same files."""

    words: tuple[bytes, ...] = ()
    texts: tuple[bytes, ...] = ()


def places_of_tests(tree: Path) -> tuple[Path, ...]:
    """The folders and C files of a source tree whose names say that they hold tests, without hidden
    ones, what is in a folder of tests, and what csgtest itself has left."""
    found: list[Path] = []
    for folder, names, files in os.walk(tree):
        if is_ours(Path(folder)):
            names.clear()
            continue
        tests = sorted(each for each in names if _FOLDER.fullmatch(each))
        names[:] = sorted({each for each in names if each[0] != "."}.difference(tests))
        found += [Path(folder, each) for each in tests if each[0] != "."]
        found += [Path(folder, each) for each in sorted(files) if _SOURCE.fullmatch(each)]
    return tuple(found)


def read_examples(places: Iterable[Path]) -> Examples:
    """The words and texts of these files. Files that cannot be read are left out; of too many texts
    some of each length stay."""
    words: dict[bytes, None] = {}
    texts: dict[bytes, None] = {}
    for number, file in enumerate(_test_files(places)):
        if number == FILES:
            break
        data = _content(file)
        pieces = list(_literals(data)) if _C.fullmatch(file.name) else [data, *data.splitlines()]
        texts.update(dict.fromkeys(each for each in pieces if 0 < len(each) <= TEXT))
        words.update(dict.fromkeys(each.strip() for each in pieces if 0 < len(each) <= WORD))
    words.pop(b"", None)
    return Examples(_spread(words, WORDS), _spread(texts, TEXTS))


def _test_files(places: Iterable[Path]) -> Iterator[Path]:
    for place in places:
        if not place.is_dir():
            yield place
            continue
        for folder, names, files in os.walk(place):
            names[:] = sorted(each for each in names if each[0] != ".")
            yield from (Path(folder, each) for each in sorted(files) if each[0] != ".")


def _content(file: Path) -> bytes:
    """The content of a file; b"" where it is no regular file, or too long."""
    try:
        if file.is_file() and not file.is_symlink() and file.stat().st_size <= FILE:
            return file.read_bytes()
    except OSError:
        pass
    return b""


def _literals(data: bytes) -> Iterator[bytes]:
    for found in _LITERALS.finditer(without_comments(data.decode("utf-8", "surrogateescape"))):
        try:
            literal = string(found[0], NOWHERE)
        except CsgtestError:
            continue
        yield literal.value


def _spread(found: Iterable[bytes], most: int) -> tuple[bytes, ...]:
    """``most`` of the texts, short and long ones alike."""
    ordered = sorted(found, key=lambda each: (len(each), each))
    number = min(len(ordered), most)
    return tuple(ordered[at * len(ordered) // number] for at in range(number))
