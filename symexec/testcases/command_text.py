r"""A test's input as a person writes it: rendered for readers, and read from a shell command line.

    main:    printf 'a\n' | ./range -f 0-
    else:    counter = 3; sum((int[]) {1, 2}, 2)
             length(&(struct list) {.n = 1, .next = &(struct list) {.n = 2}})

A command line is read, never run.
"""

from __future__ import annotations

import math
import os
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from csg.errors import UsageError
from csg.files import read_file
from csg.records import record
from symexec.testcases.inputs import (
    Elements,
    Inside,
    LongDouble,
    Scalar,
    TestInput,
    Value,
    shown_text,
)
from symexec.testcases.signature import EntrySignature, Parameter, ParameterKind

_PLAIN = re.compile(rb"[\x20-\x7e]*")
_NAMED = re.compile(r"\{(\w+)\}")
_CONDITION = re.compile(r"\{(\w+)\} \? ([^?:]+) : ([^?:,()]+)(?=[,)]| : )")
_CHOSEN = re.compile(r"\{(\w+)\?((?:[^{}]|\{\w+\})*)\}")
_ESCAPES = {0x0A: "\\n", 0x09: "\\t", 0x0D: "\\r", 0x5C: "\\\\"}


def rendered(
    test: TestInput, program: str, entry: str = "main", signature: EntrySignature | None = None
) -> str:
    """The shell command line, or the C call when ``entry`` is another function than main."""
    if test.shape:
        return test.shape
    if entry == "main":
        return shell_command(test, program)
    return c_call(test, entry, signature)


def shell_command(test: TestInput, program: str) -> str:
    words = " ".join([shlex.quote(program), *map(quoted_word, test.args)])
    folders = dict.fromkeys(name.rpartition("/")[0] for name, _ in test.files if "/" in name)
    steps = [f"mkdir -p {' '.join(map(shlex.quote, folders))}; "] if folders else []
    steps += [f"{printf_command(data)} > {shlex.quote(name)}; " for name, data in test.files]
    source = f"{printf_command(test.stdin)} | " if test.stdin else ""
    return "".join(steps) + source + words + _comment(test)


def quoted_word(word: bytes) -> str:
    """One word of a shell command; ``$'..'`` (bash, zsh, dash 0.5.13) where it must be."""
    if _PLAIN.fullmatch(word):
        return shlex.quote(word.decode("ascii"))
    return "$'" + _escaped(word).replace("'", "\\'") + "'"


def _escaped(data: bytes) -> str:
    parts = []
    for byte in data:
        if byte in _ESCAPES:
            parts.append(_ESCAPES[byte])
        else:
            parts.append(chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}")
    return "".join(parts)


def printf_command(data: bytes) -> str:
    """The words of a shell that write these bytes."""
    text = _escaped(data).replace("%", "%%")
    if text.startswith("-"):  # printf(1) takes a format that begins so as its options
        text = "\\055" + text[1:]
    return "printf " + shlex.quote(text)


def c_call(test: TestInput, entry: str, signature: EntrySignature | None = None) -> str:
    """The call in C. The types of elements are known from the signature; without it they are
    guessed."""
    counted = test.counted
    before = "".join(f"{name} = {c_value(value, counted)}; " for name, value in test.globals)
    if signature is None:
        arguments = [c_value(value, counted) for _, value in test.parameters]
    else:
        values = dict(test.parameters)
        arguments = _arguments(values, signature.parameters, counted)
        if signature.steps:
            return f"{before}{_steps(signature, values, arguments)}{_comment(test)}"
    return f"{before}{entry}({', '.join(arguments)}){_comment(test)}"


def _steps(signature: EntrySignature, values: Mapping[str, Value], arguments: Sequence[str]) -> str:
    """The calls that a driver makes: ``made = table_new(1); table_get(made, 5)``. Of two arguments
    for one object the second is the name of the first: ``encode(in = "ab", in)``."""
    names = [each.name for each in signature.parameters if not each.owner]
    shown = dict(zip(names, arguments, strict=True))

    def chosen(found: re.Match[str]) -> str:
        texts, number = found[2].split(";"), values.get(found[1])
        return texts[number if isinstance(number, int) and number < len(texts) else 0]

    def taken(found: re.Match[str]) -> str:
        text = found[2] if values.get(found[1]) else found[3]
        same = _NAMED.fullmatch(text)
        if same is None or same[1] not in shown:
            return text
        name = same[1]
        shown[name] = f"{name} = {shown[name].removeprefix(f'{name} = ')}"
        return name

    def text_of(step: str) -> str:
        text, again = _CHOSEN.sub(chosen, step), 1
        while again:
            text, again = _CONDITION.subn(taken, text)
        return _NAMED.sub(lambda found: shown.get(found[1], found[0]), text)

    return "; ".join(
        text_of(each.text)
        for each in signature.steps
        if not each.chosen or values.get(each.chosen) == each.value
    )


def _arguments(
    values: dict[str, Value], parameters: Sequence[Parameter], counted: int
) -> list[str]:
    """The arguments of a call. Parts follow the object that they belong to, so that every object is
    complete when they are read backwards."""
    known = {each.name: each for each in parameters}
    inside: dict[str, list[str]] = {}
    arguments: list[str] = []
    led_into = {each.name for each in values.values() if isinstance(each, Inside)}
    for each in reversed(parameters):
        value = values.get(each.name, None if each.kind is not ParameterKind.SCALAR else 0)
        if each.owner and isinstance(values.get(each.owner), Inside):
            continue
        if each.kind is ParameterKind.STRUCTURE and not isinstance(value, Inside | None):
            there = inside.get(each.name, [])[::-1]
            is_row = each.elements > 1 or each.leads_to_rows
            if is_row:
                there.sort(key=lambda part: int(part[1 : part.index("]")]))
            parts = ", ".join(there)
            address = "" if each.embedded or is_row else "&"
            count = value.count if isinstance(value, Elements) else 1
            kind = array_text(each.element, count) if is_row else each.element
            text = f"{address}({kind}) {{{parts or '0'}}}"
        elif isinstance(value, Inside):
            text = _shown_inside(value)
        else:
            text = _typed(each, value, counted)
        text = f"{each.name} = {text}" if each.name in led_into and not each.owner else text
        if not each.owner:
            arguments.append(text)
        elif not _is_zero(value) and not (each.embedded and value == b""):
            member = _designator(each, known[each.owner])
            inside.setdefault(each.owner, []).append(f"{member} = {text}" if member else text)
    return arguments[::-1]


def array_text(element: str, length: int) -> str:
    """C for the type of an array: ``int [4][3]`` of ``int [3]``, ``int (*[4])[3]`` of
    ``int (*)[3]``."""
    pointer = re.search(r"\(\*(?=[)\[])", element)  # and not as in typeof(*p)
    if pointer:
        return f"{element[: pointer.end()]}[{length}]{element[pointer.end() :]}"
    name, bracket, lengths = element.partition("[")
    return f"{name}[{length}]{bracket}{lengths}"


def _shown_inside(value: Inside) -> str:
    """A pointer into another object: its name, and how many bytes further."""
    if not value.offset:
        return value.name
    return f"(void *) ((char *) {value.name} + {value.offset})"


def _designator(part: Parameter, owner: Parameter) -> str:
    """The designator of a part in its structure or array; empty for what a pointer to a pointer
    leads to."""
    inner = part.name.removeprefix(f"({owner.name})").removeprefix(owner.name)
    if part.name == f"*{owner.name}":
        inner = ""
    if owner.elements == 1 and not owner.leads_to_rows:
        return inner and f".{inner.lstrip('->.')}"
    return inner if inner.startswith("[") else f"[0]{inner.replace('->', '.', 1)}"


def _typed(parameter: Parameter, value: Value, counted: int) -> str:
    if not isinstance(value, tuple):
        return c_value(value, counted)
    if parameter.embedded and parameter.element == "char" and (text := _printable(value)):
        return c_value(text)
    numbers = ", ".join(map(_number, value))
    return f"{{{numbers}}}" if parameter.embedded else f"({parameter.element}[]) {{{numbers}}}"


def _printable(values: tuple[Scalar, ...]) -> bytes:
    """Characters as a text, without the zeros behind it, which C adds in an array; empty where one
    of them is none that a terminal shows."""
    numbers = [each for each in values if isinstance(each, int)]
    if len(numbers) < len(values) or not all(0 <= each < 127 for each in numbers):
        return b""
    text = bytes(numbers).rstrip(b"\0")
    return text if all(each >= 32 for each in text) else b""


def _is_zero(value: Value) -> bool:
    """Is the value zero, as a member has that is not named?"""
    match value:
        case None:
            return True
        case bytes():
            return False
        case tuple():
            return bool(value) and all(map(_is_zero, value))
        case LongDouble() | Elements() | Inside():
            return False
        case _:
            return value == 0 and math.copysign(1, value) > 0


def _comment(test: TestInput) -> str:
    parts = []
    if test.nondet:
        parts.append("nondet: " + ", ".join(map(c_value, test.nondet)))
    parts += [f"{name}: {c_value(data)}" for name, data in test.objects]
    return f"  # {'; '.join(parts)}" if parts else ""


def c_value(value: Value, counted: int = 0) -> str:
    """A value in C; of a text what ``shown_text`` says."""
    match value:
        case None:
            return "NULL"
        case bytes():
            # A digit after an octal escape of three digits is not part of it. The literal has one
            # zero more than is written.
            return '"' + _escaped(shown_text(value, counted)).replace('"', '\\"') + '"'
        case tuple():
            kind = "int" if all(isinstance(element, int) for element in value) else "double"
            return f"({kind}[]) {{{', '.join(map(_number, value))}}}"
        case Elements(count=count):
            return f"{count} elements"
        case Inside():
            return _shown_inside(value)
        case _:
            return _number(value)


def _number(value: Scalar) -> str:
    match value:
        case LongDouble(text=text) if value.is_nan:
            return _nan(text)
        case LongDouble(text=text):
            return f"{text}L"
        case float() if math.isnan(value):
            return "NAN"
        case float() if math.isinf(value):
            return "-INFINITY" if value < 0 else "INFINITY"
        case _:
            return repr(value)


def _nan(text: str) -> str:
    """``NAN``, or the call of ``nan`` that makes one with this payload."""
    sign, name, payload = re.split(r"(nans?)", text, maxsplit=1)
    return f'{sign}{name}("{payload.strip("()")}")' if payload else f"{sign}{name.upper()}"


# ------------------------------------------------------------------------------------ shell words
# A shell's words and operators, as far as they mean the same without a shell.
#
#     printf 'a b' | prog $'\t' "x"y     Word(b"printf") Word(b"a b") Operator("|") Word(b"prog") ..
#
# Quotes are told apart from what they quote: ``'|'`` is a word. What needs a shell to know its
# value (``$x``, ``*``, backquotes) raises NotUnderstood.


class NotUnderstood(UsageError):
    """The reason why a line cannot be read without running it."""


@record
class Word:
    data: bytes


@record
class Operator:
    text: str


Token = Word | Operator

_OPERATORS: Final = re.compile(r"2>&1|[12]?>>|&>|[12]>|<<<|<<|&&|\|\||>&|[|;<>&()]")
_BLANK: Final = " \t\n"
_SPECIAL: Final = "$`"
_COMPUTED: Final = "*?[]{}"  # outside of quotes
_ANSI: Final = re.compile(r"\\(?:x([0-9a-fA-F]{1,2})|([0-7]{1,3})|(.))|([^\\'])", re.DOTALL)
_SHELL_LETTERS: Final = {"n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "f": 12, "v": 11, "e": 27}


_COMPUTED_WORD: Final = re.compile(
    r"""(?:"(?:\\.|[^"\\])*"|'[^']*'|\$\([^()]*\)|`[^`]*`|\\.|[^\s|;<>&()])+|.""", re.DOTALL
)


def tokens(line: str) -> list[Token]:
    found: list[Token] = []
    for each in _scanned(line):
        if isinstance(each, NotUnderstood):
            raise each
        found.append(each)
    return found


def known_tokens(line: str) -> list[Token | None]:
    """The tokens of a line, None for each word whose value only a shell knows."""
    return [None if isinstance(each, NotUnderstood) else each for each in _scanned(line)]


def _scanned(line: str) -> Iterator[Token | NotUnderstood]:
    place = 0
    while place < len(line):
        sign = line[place]
        if sign in _BLANK:
            place += 1
        elif sign == "#":
            break
        elif (operator := _OPERATORS.match(line, place)) is not None:
            yield Operator(operator[0])
            place = operator.end()
        else:
            try:
                data, place = _word(line, place)
                yield Word(data)
            except NotUnderstood as reason:
                yield reason
                computed = _COMPUTED_WORD.match(line, place)
                place = computed.end() if computed is not None else len(line)


def _word(line: str, place: int) -> tuple[bytes, int]:
    """A word, and the position behind it; parts of a word may be quoted in different ways."""
    parts: list[bytes] = []
    while place < len(line) and line[place] not in _BLANK:
        sign = line[place]
        if sign == "'":
            end = line.find("'", place + 1)
            if end < 0:
                raise NotUnderstood("a quote is not closed")
            parts.append(_bytes(line[place + 1 : end]))
            place = end + 1
        elif sign == '"':
            text, place = _double_quoted(line, place + 1)
            parts.append(_bytes(text))
        elif line.startswith("$'", place):
            data, place = _ansi_quoted(line, place + 2)
            parts.append(data)
        elif sign == "\\":
            parts.append(_bytes(line[place + 1 : place + 2]))
            place += 2
        elif sign in "|;<>&()":
            break
        elif line.startswith("{}", place):
            parts.append(b"{}")
            place += 2
        elif sign in _SPECIAL or sign in _COMPUTED or (sign == "~" and not parts):
            raise NotUnderstood(f"a shell would have to tell what {sign} stands for")
        else:
            parts.append(_bytes(sign))
            place += 1
    return b"".join(parts), place


def _double_quoted(line: str, place: int) -> tuple[str, int]:
    found = ""
    while place < len(line) and line[place] != '"':
        sign = line[place]
        if sign in _SPECIAL:
            raise NotUnderstood(f"a shell would have to tell what {sign} stands for")
        if sign == "\\" and line[place + 1 : place + 2] in ('"', "\\", "$", "`"):
            place += 1
            sign = line[place]
        found += sign
        place += 1
    if place >= len(line):
        raise NotUnderstood("a quote is not closed")
    return found, place + 1


def _ansi_quoted(line: str, place: int) -> tuple[bytes, int]:
    """The bytes of ``$'a\tb'``, and the position behind it."""
    found = b""
    while place < len(line) and line[place] != "'":
        match = _ANSI.match(line, place)
        if match is None:
            raise NotUnderstood("a quote is not closed")
        digits, octal, letter, plain = match.groups()
        if digits or octal:
            found += bytes([int(digits, 16) if digits else int(octal, 8) & 0xFF])
        elif letter is not None:
            code = _SHELL_LETTERS.get(letter)
            known = _bytes(letter) if letter in "\\'\"?" else _bytes("\\" + letter)
            found += known if code is None else bytes([code])
        else:
            found += _bytes(plain)
        place = match.end()
    if place >= len(line):
        raise NotUnderstood("a quote is not closed")
    return found, place + 1


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


# ----------------------------------------------------------------------------------- command text
# One shell command line as a test's input. It is read, never run.
#
#     printf 'a\n' | ./prog -f 1-        TestInput(args=(b"-f", b"1-"), stdin=b"a\n")
#  LC_ALL=C prog -d: data.txt  args (b"-d:", b"data.txt"), files ("data.txt" with contents)
#     prog <<< word > out 2>&1           stdin b"word\n"; what is written where does not matter
#
# What a shell would have to compute (variables, globs, substitutions, loops) is not understood.


ASSIGNMENT = re.compile(rb"[A-Za-z_]\w*=")
_FORMAT = re.compile(rb"%(%|[sbcd])")
_ESCAPE = re.compile(rb"\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3}|.)", re.DOTALL)
_LETTERS = {b"n": 10, b"t": 9, b"r": 13, b"a": 7, b"b": 8, b"f": 12, b"v": 11, b"e": 27}
_WRAPPERS = {b"env": 0, b"nice": 0, b"nohup": 0, b"timeout": 1}  # words before the program
_KEYWORDS = (b"for", b"while", b"until", b"if", b"case", b"do", b"done", b"then", b"else", b"fi",
             b"function", b"set", b"cd", b"export", b"source", b".", b"exit")  # fmt: skip
LARGEST_NAMED = 1 << 20  # bytes of a file that a command names

# The content of a file by the name that a command has for it. Raises NotUnderstood.
ReadNamed = Callable[[bytes], bytes]


@record
class Command:
    words: tuple[bytes, ...]
    stdin: bytes | None
    output: bytes | None  # the name of a file


def command_input(line: str, folder: Path) -> TestInput:
    """The input of a command line. Relative file names are looked up in ``folder``. Raises
    NotUnderstood."""
    steps = _split(tokens(line), (";", "&&"))
    read = partial(_content, folder=folder)
    files: dict[str, bytes] = {}
    for step in steps[:-1]:
        name, data = _written(step, read)
        files[name] = data
    pipe = _split(steps[-1], ("|",))
    stdin: bytes | None = None
    for part in pipe[:-1]:
        stdin = produced(command_of(part, read), stdin, read)
    command = command_of(pipe[-1], read)
    words = _program(command.words)
    if not words:
        raise NotUnderstood("there is no program on this line")
    if words[0] in _KEYWORDS:
        raise NotUnderstood(f"'{words[0].decode()}' is for a shell to do")
    stdin = command.stdin if command.stdin is not None else stdin
    for word in words[1:]:
        _take_file(word, folder, files)
    return TestInput(args=words[1:], stdin=stdin or b"", files=tuple(sorted(files.items())))


def _split(found: Sequence[Token], signs: tuple[str, ...]) -> list[list[Token]]:
    parts: list[list[Token]] = [[]]
    for token in found:
        if isinstance(token, Operator) and token.text in signs:
            parts.append([])
        else:
            parts[-1].append(token)
    while len(parts) > 1 and not parts[-1]:
        parts.pop()
    return parts


def command_of(found: Sequence[Token], read: ReadNamed) -> Command:
    """The words and redirections of one command."""
    words: list[bytes] = []
    stdin: bytes | None = None
    output: bytes | None = None
    rest = iter(found)
    for token in rest:
        if isinstance(token, Word):
            words.append(token.data)
            continue
        target = next(rest, None) if token.text not in (">&", "2>&1") else None
        match token.text:
            case "<" | "<<<" if not isinstance(target, Word):
                raise NotUnderstood(f"nothing stands behind {token.text}")
            case "<":
                assert isinstance(target, Word)
                stdin = read(target.data)
            case "<<<":
                assert isinstance(target, Word)
                stdin = target.data + b"\n"
            case ">" | "1>":
                output = target.data if isinstance(target, Word) else None
            case "2>" | "&>" | ">>" | "2>>" | "2>&1":
                pass
            case sign:
                raise NotUnderstood(f"{sign} is not understood")
    return Command(tuple(words), stdin, output)


def _program(words: tuple[bytes, ...]) -> tuple[bytes, ...]:
    """The program and its arguments, without assignments and the like in front."""
    place = 0
    while place < len(words):
        word = words[place]
        if ASSIGNMENT.match(word):
            place += 1
        elif word.rpartition(b"/")[2] in _WRAPPERS:
            place += 1 + _WRAPPERS[word.rpartition(b"/")[2]]
        else:
            break
    return words[place:]


def _written(step: Sequence[Token], read: ReadNamed) -> tuple[str, bytes]:
    """The name and content of the file in ``printf TEXT > name``, which a line makes for its
    program."""
    command = command_of(step, read)
    if command.output is None:
        raise NotUnderstood(
            "several commands on one line; only such as write a file may come first"
        )
    name = command.output.decode("utf-8", "surrogateescape")
    return name, produced(command, command.stdin, read)


def produced(command: Command, stdin: bytes | None, read: ReadNamed) -> bytes:
    """The output of one of a few well-known commands."""
    words = command.words
    match words[0] if words else b"":
        case b"printf" if len(words) > 1:
            return _printf(words[1], words[2:])
        case b"echo":
            return _echo(words[1:])
        case b"cat":
            given = command.stdin if command.stdin is not None else stdin
            return b"".join(map(read, words[1:])) or given or b""
        case b":" | b"true":
            return b""
        case other:
            raise NotUnderstood(f"what '{other.decode('latin-1')}' prints is not known")


def _echo(words: Sequence[bytes]) -> bytes:
    if words[:1] == (b"-n",):
        return b" ".join(words[1:])
    if words[:1] == (b"-e",):
        return _unescaped(b" ".join(words[1:])) + b"\n"
    return b" ".join(words) + b"\n"


def _printf(form: bytes, arguments: Sequence[bytes]) -> bytes:
    """The output of printf(1): the format is used again while arguments are left."""
    if form == b"--" and arguments:
        form, arguments = arguments[0], arguments[1:]
    if b"%" in _FORMAT.sub(b"", form):
        raise NotUnderstood("a conversion of printf other than %s %b %c %d")
    waiting = list(arguments)
    found = _round(form, waiting)
    while waiting and len(_FORMAT.findall(form)) > form.count(b"%%"):
        found += _round(form, waiting)
    return found


def _round(form: bytes, waiting: list[bytes]) -> bytes:
    pieces = _FORMAT.split(form)
    found = _unescaped(pieces[0])
    for letter, text in zip(pieces[1::2], pieces[2::2], strict=True):
        value = b"%" if letter == b"%" else waiting.pop(0) if waiting else b""
        match letter:
            case b"b":
                value = _unescaped(value)
            case b"c":
                value = value[:1]
            case b"d":
                value = value or b"0"
        found += value + _unescaped(text)
    return found


def _unescaped(text: bytes) -> bytes:
    def meant(match: re.Match[bytes]) -> bytes:
        code = match[1]
        if code[:1] == b"x" and len(code) > 1:
            return bytes([int(code[1:], 16)])
        if code.isdigit():
            return bytes([int(code, 8) & 0xFF])
        return (
            bytes([_LETTERS[code]]) if code in _LETTERS else code if code in b"\\'\"" else match[0]
        )

    return _ESCAPE.sub(meant, text)


def _content(name: bytes, folder: Path) -> bytes:
    if name == b"/dev/null":
        return b""
    file = folder / name.decode("utf-8", "surrogateescape")
    try:
        return read_file(file, LARGEST_NAMED)
    except UsageError as error:
        raise NotUnderstood(error.message) from None


def _take_file(word: bytes, folder: Path, files: dict[str, bytes]) -> None:
    """Add the file that an argument names, if it is below the folder: the program gets a copy of
    it."""
    name = word.decode("utf-8", "surrogateescape")
    path = Path(name)
    if not name or name in files or path.is_absolute() or ".." in path.parts or "\0" in name:
        return
    if os.path.isfile(folder / name):  # False for a name that is too long
        files[name] = _content(word, folder)
