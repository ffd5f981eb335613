"""Files of inputs that a user has, in any of three forms, as tests' inputs; and what the tests of a
project hold, to build inputs from."""

from __future__ import annotations

import ast
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

from csg.errors import NOWHERE, CsgtestError, UsageError
from csg.files import OutsideError, is_inside, read_file, read_inside
from csg.frontend.constants import string
from csg.frontend.sources import without_comments
from csg.records import record
from symexec.testcases.command_text import (
    ASSIGNMENT,
    LARGEST_NAMED,
    NotUnderstood,
    Operator,
    Token,
    Word,
    command_input,
    command_of,
    known_tokens,
    produced,
    quoted_word,
)
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


MOST = 10_000  # seeds of a call; a script of a stranger may have any number of lines


@record
class Unusable:
    """A seed that is left out, and why."""

    place: str
    reason: str


Read = SeedInput | Unusable


def read_seeds(paths: Sequence[Path]) -> list[Read]:
    """The seeds in the order of the paths; in a folder in the order of names. Those behind MOST are
    left out together."""
    read = (each for path in paths for file in _files(path) for each in _read(file))
    found = list(islice(read, MOST))
    if next(read, None) is not None:
        found.append(Unusable(str(paths[-1]), f"there are more than {MOST:,} seeds"))
    return found


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        found = sorted(file for file in path.rglob("*") if file.is_file())
        return [file for file in found if file.suffix in IN_FOLDERS]
    if not path.exists():
        raise UsageError(f"{path}: no such file or folder", hint="give the path of some seeds")
    return [path]


def _read(file: Path) -> Iterator[Read]:
    try:
        data = read_file(file, LARGEST)
    except UsageError as error:
        yield Unusable(str(file), error.message)
        return
    if data.startswith((b"KTEST", b"BOUT\n")):
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
_SOURCE = re.compile(
    rf"(?:.*[_.-])?{_NAME}(?:[_.-].*)?\.(?:c|cc|cpp|h|hpp|sh|bash|bats|t|py|pl|rb)", re.IGNORECASE
)
_C = re.compile(r".*\.(?:c|cc|cpp|h|hpp|inc)", re.IGNORECASE)
_LITERALS = re.compile(r'"(?:\\.|[^"\\\n])*"(?:\s*"(?:\\.|[^"\\\n])*")*')


@record
class Examples:
    """The words and texts, each without duplicates; they are the same for the same files."""

    words: tuple[bytes, ...] = ()
    texts: tuple[bytes, ...] = ()


def places_of_tests(tree: Path) -> tuple[Path, ...]:
    """The folders, C files and scripts of a tree whose names say that they hold tests, without
    hidden ones, what is in a folder of tests, what csgtest itself has left, and links that lead out
    of the tree."""
    found: list[Path] = []
    for folder, names, files in os.walk(tree):
        if is_ours(Path(folder)):
            names.clear()
            continue
        tests = sorted(each for each in names if _FOLDER.fullmatch(each))
        names[:] = sorted({each for each in names if each[0] != "."}.difference(tests))
        found += [Path(folder, each) for each in tests if each[0] != "."]
        found += [Path(folder, each) for each in sorted(files) if _SOURCE.fullmatch(each)]
    return tuple(each for each in found if not each.is_symlink() or is_inside(each, tree))


def read_examples(places: Iterable[Path], tree: Path | None = None) -> Examples:
    """The words and texts of these files, which lie in ``tree``, or below the places themselves.
    Files that cannot be read are left out; of too many texts some of each length stay."""
    words: dict[bytes, None] = {}
    texts: dict[bytes, None] = {}
    for file, inside in islice(_test_files(places, tree), FILES):
        data = _content(file, inside)
        pieces = list(_literals(data)) if _C.fullmatch(file.name) else [data, *data.splitlines()]
        texts.update(dict.fromkeys(each for each in pieces if 0 < len(each) <= TEXT))
        words.update(dict.fromkeys(each.strip() for each in pieces if 0 < len(each) <= WORD))
    words.pop(b"", None)
    return Examples(_spread(words, WORDS), _spread(texts, TEXTS))


def _test_files(places: Iterable[Path], tree: Path | None) -> Iterator[tuple[Path, Path | None]]:
    """The files, each with the folder that it has to lie in: ``tree``, or else the place that it is
    below; None for a file that the user names."""
    for place in places:
        if not place.is_dir():
            yield place, tree
            continue
        for folder, names, files in os.walk(place):
            names[:] = sorted(each for each in names if each[0] != ".")
            found = (Path(folder, each) for each in sorted(files) if each[0] != ".")
            yield from ((file, tree or place) for file in found)


def _content(file: Path, inside: Path | None) -> bytes:
    """The content of a file; b"" where it is no regular file, too long, or not where it has to
    be."""
    try:
        if inside is not None:
            return read_inside(file, inside, FILE)
        return b"" if file.is_symlink() else read_file(file, FILE)
    except UsageError:
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


# ------------------------------------------------------------------------------------------ calls
# How a project's tests call its program, as inputs.
#
#     tests/if6.sh    ../unifdef -DF1 if6.c                 args -DF1 A, and what is in if6.c as A
#     tests/run.sh    out=$(printf 'a\n' | $cut -f 1) || ..   args -f 1, standard input a
#     test.py         run(["./bcal", "-m", "2 + 2"])        args -m "2 + 2"
#
# The files are read, none of them is run. What only a shell would know is left out of a call: it is
# a beginning for others, and whatever it shows is observed natively like any input.


CALLS, CALL = 512, 4096  # how many of them, and the bytes that one of them reads
PIECES = 64  # of a line
OPERANDS = ("A", "B")  # how files are called that a call names

_HERE = re.compile(r"(?<!<)<<-?\s*(['\"\\]?)(\w+)\1(?!<)")
_ASSIGNED = re.compile(
    r"(?:^|;)\s*(?:export\s+|local\s+|readonly\s+)?(\w+)\s*[:?]?=\s*"
    r"(\"[^\"]*\"|'[^']*'|[^\s;]*)\s*(?=;|$)"
)
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|\((\w+)\)|(\w+))")
_INNER = re.compile(r"\$\(([^()]*)\)|`([^`]*)`|\"((?:\\.|[^\"\\])*)\"|'([^']*)'")
_LISTED = re.compile(r"\[[^][]{,500}\]")
_ENDS = (";", "&", "&&", "|", "||", "(", ")")
_BEFORE = frozenset(
    (b"if", b"then", b"else", b"elif", b"while", b"until", b"do", b"!", b"{", b"time", b"exec",
     b"env", b"nice", b"run", b"eval", b"valgrind")
)  # fmt: skip


@record
class Calls:
    """The calls of a program in a project's tests. ``refused``: files that a test names outside of
    the tree, each as "run.sh names '../../x'"."""

    seeds: tuple[SeedInput, ...] = ()
    refused: tuple[str, ...] = ()


def read_calls(places: Iterable[Path], program: str, tree: Path | None = None) -> Calls:
    """The calls of the program in these files, without duplicates. What a file names is read if it
    lies in ``tree``; without one, if it lies below the place that the file was found in."""
    found: dict[TestInput, SeedInput] = {}
    refused: dict[str, None] = {}
    for file, inside in islice(_test_files(places, tree), FILES):
        text = _content(file, inside).decode("utf-8", "surrogateescape")
        if program.lower() in text.lower() and not _C.fullmatch(file.name):
            script = _Script(program, file.parent, inside or file.parent)
            for call in script.calls(text):
                if call != TestInput():
                    found.setdefault(call, SeedInput(str(file), call))
            refused.update((f"{file.name} names '{each}'", None) for each in script.refused)
    number = min(len(found), CALLS)
    seeds = sorted(found.values(), key=lambda each: _named(each.input))
    return Calls(tuple(seeds[at * len(seeds) // number] for at in range(number)), tuple(refused))


def _named(test: TestInput) -> bool:
    """Does it have a file of another name than others have?"""
    return any(name not in OPERANDS for name, _ in test.files)


class _Script:
    """What is known of a text that calls ``program``, line after line. ``refused``: names of files
    that do not lie ``inside``."""

    def __init__(self, program: str, folder: Path, inside: Path) -> None:
        self.refused: dict[str, None] = {}
        self._program = program
        self._folders = (folder, folder.parent)
        self._inside = inside
        self._constants: dict[str, str] = {}
        self._written: dict[bytes, bytes] = {}  # files, by their names

    def calls(self, text: str) -> Iterator[TestInput]:
        for listed in _LISTED.findall(text) if self._program in text else ():
            words = _words_of(listed)
            if words and self._is_program(words[0]):
                yield from self._inputs([Word(each) for each in words[1:]], b"")
        for line in _with_here_documents(text.replace("\\\n", " ").splitlines()):
            plain = _VARIABLE.sub(self._value, line)
            self._learn(line)
            for piece in _pieces(plain):
                if self._program in piece or ">" in piece:
                    for pipe in _pipes(piece):
                        yield from self._call(pipe)

    def _learn(self, line: str) -> None:
        """Keep the values of variables; of one that is computed only that it is the program."""
        for name, word in _ASSIGNED.findall(line):
            value = word.strip("\"'")
            if value.rpartition("/")[2] == self._program:
                value = self._program
            if "$" not in value and "`" not in value:
                self._constants[name] = value

    def _value(self, variable: re.Match[str]) -> str:
        name = next(filter(None, variable.groups()))
        if name not in self._constants and self._program.lower() in name.lower():
            return self._program
        return self._constants.get(name, variable[0])

    def _is_program(self, word: bytes) -> bool:
        return os.fsdecode(word).rpartition("/")[2].removeprefix("lt-") == self._program

    def _call(self, pipe: Sequence[Sequence[Token | None]]) -> Iterator[TestInput]:
        """The inputs of the first call in a pipe; what well-known commands write is kept."""
        stdin = b""
        for part in pipe:
            arguments = self._arguments(part)
            if arguments is not None:
                yield from self._inputs(arguments, stdin)
                return
            try:
                read = partial(self._redirected, self._folders[0])
                command = command_of([each for each in part if each], read)
                stdin = produced(command, stdin, read)
            except NotUnderstood:
                stdin = b""
                continue
            if command.output is not None:
                self._written[command.output] = stdin

    def _arguments(self, part: Sequence[Token | None]) -> Sequence[Token | None] | None:
        """What stands behind the program in a command; None where it is another one."""
        first = True
        for at, token in enumerate(part, 1):
            if not isinstance(token, Word):
                continue
            if self._is_program(token.data) and (first or b"/" in token.data):
                return part[at:]
            first = first and (token.data in _BEFORE or bool(ASSIGNMENT.match(token.data)))
        return None

    def _inputs(self, arguments: Sequence[Token | None], stdin: bytes) -> Iterator[TestInput]:
        """The input of a call, with files by the names that others have, and by their own."""
        for folder in self._folders:
            try:
                command = command_of(
                    list(self._known(arguments)), partial(self._redirected, folder)
                )
            except NotUnderstood:
                continue
            given = command.stdin if command.stdin is not None else stdin
            files = {each: self._file(each, folder) for each in command.words}
            there = {name: data for name, data in files.items() if data is not None}
            if not there and folder is not self._folders[-1] and command.words:
                continue
            if len(given) + sum(map(len, there.values())) > CALL or b"" in command.words:
                return
            names = dict(zip(there, OPERANDS, strict=False))
            args = tuple(
                os.fsencode(names[each]) if each in names else each for each in command.words
            )
            yield TestInput(
                args, given, files=tuple((to, there[name]) for name, to in names.items())
            )
            if there and not any(b".." in each or each[:1] == b"/" for each in there):
                own = sorted((os.fsdecode(name), data) for name, data in there.items())
                yield TestInput(command.words, given, files=tuple(own))
            return

    def _known(self, arguments: Sequence[Token | None]) -> Iterator[Token]:
        """The arguments without words that are not known, redirections to them, and a number in
        front of one; what is read of a file that was written stands in its place."""
        waiting = list(reversed(arguments))
        while waiting:
            token = waiting.pop()
            if isinstance(token, Word):
                yield token
            elif isinstance(token, Operator) and waiting:
                target = waiting.pop()
                data = self._written.get(target.data) if isinstance(target, Word) else None
                if token.text == "<" and data is not None:
                    yield from (Operator("<<<"), Word(data.removesuffix(b"\n")))
                elif target is not None:
                    yield from (token, target)

    def _file(self, name: bytes, folder: Path) -> bytes | None:
        if name in self._written or not name or b"\0" in name or name[:1] in b"-/":
            return self._written.get(name)
        try:
            return self._read(name, folder, FILE)
        except OutsideError:
            return None
        except UsageError:
            return b"" if os.path.isfile(folder / os.fsdecode(name)) else None

    def _redirected(self, folder: Path, name: bytes) -> bytes:
        try:
            return b"" if name == b"/dev/null" else self._read(name, folder, LARGEST_NAMED)
        except UsageError as error:
            raise NotUnderstood(error.message) from None

    def _read(self, name: bytes, folder: Path, most: int) -> bytes:
        try:
            return read_inside(folder / os.fsdecode(name), self._inside, most)
        except OutsideError:
            self.refused[os.fsdecode(name)] = None
            raise


def _with_here_documents(lines: Sequence[str]) -> Iterator[str]:
    """The lines of a script, with each here-document as a here-string."""
    waiting = list(reversed(lines))
    while waiting:
        line = waiting.pop()
        here = _HERE.search(line)
        ends = [at for at, each in enumerate(waiting) if here and each.strip() == here[2]]
        if here is not None and ends:
            body = waiting[: ends[-1] : -1]
            del waiting[ends[-1] :]
            word = quoted_word("\n".join(body).encode("utf-8", "surrogateescape"))
            line = f"{line[: here.start()]} <<< {word} {line[here.end() :]}"
        yield line


def _pipes(line: str) -> Iterator[list[list[Token | None]]]:
    """The commands of a line, those together that a pipe connects."""
    pipe: list[list[Token | None]] = [[]]
    for token in (*known_tokens(line), Operator(";")):
        if not isinstance(token, Operator) or token.text not in _ENDS:
            pipe[-1].append(token)
        elif token.text == "|":
            pipe.append([])
        else:
            yield pipe
            pipe = [[]]


def _pieces(line: str) -> Iterator[str]:
    """A line, and what is quoted in it or substituted, which may be a command as well."""
    waiting = [line]
    for _ in range(PIECES):
        if not waiting:
            return
        piece = waiting.pop()
        yield piece
        waiting += ["".join(filter(None, each)) for each in _INNER.findall(piece)]


def _words_of(listed: str) -> list[bytes]:
    """The strings of a list in Python or JSON; none where it has anything else."""
    try:
        values = ast.literal_eval(listed)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return []
    if not all(isinstance(each, str) and "\0" not in each for each in values):
        return []
    return [each.encode("utf-8", "surrogateescape") for each in values]
