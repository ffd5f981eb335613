"""A test's input as a person would write it.

main:    printf 'a\\n' | ./range -f 0-
else:    counter = 3; sum((int[]) {1, 2}, 2)
         length(&(struct list) {.n = 1, .next = &(struct list) {.n = 2}})
"""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Sequence

from symexec.testcases.encoding import LongDouble, Scalar, Value
from symexec.testcases.inputs import TestInput
from symexec.testcases.signature import EntrySignature, Parameter

_PLAIN = re.compile(rb"[\x20-\x7e]*")
_ESCAPES = {0x0A: "\\n", 0x09: "\\t", 0x0D: "\\r", 0x5C: "\\\\"}


def spelled(
    test: TestInput, program: str, entry: str = "main", signature: EntrySignature | None = None
) -> str:
    """The shell command line, or the C call when ``entry`` is another function than main."""
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
    """The types of elements are known from the signature; without it they are guessed."""
    before = "".join(f"{name} = {c_value(value)}; " for name, value in test.globals)
    if signature is None:
        arguments = [c_value(value) for _, value in test.parameters]
    else:
        arguments = _arguments(dict(test.parameters), signature.parameters)
    return f"{before}{entry}({', '.join(arguments)}){_comment(test)}"


def _arguments(values: dict[str, Value], parameters: Sequence[Parameter]) -> list[str]:
    """Parts come after what they belong to, so that going backwards every object is complete."""
    inside: dict[str, list[str]] = {}
    arguments: list[str] = []
    for each in reversed(parameters):
        value = values.get(each.name, None if each.kind != "scalar" else 0)
        if each.kind == "structure" and value is not None:
            parts = ", ".join(reversed(inside.get(each.name, [])))
            address = "" if each.embedded else "&"
            text = f"{address}({each.element}) {{{parts or '0'}}}"
        else:
            text = _typed(each, value)
        if not each.owner:
            arguments.append(text)
        elif not _is_zero(value) and not (each.embedded and value == b""):
            member = member_of(each)
            inside.setdefault(each.owner, []).append(f".{member} = {text}" if member else text)
    return arguments[::-1]


def member_of(part: Parameter) -> str:
    """What a part is called in its structure; empty for what a pointer to a pointer leads to."""
    if part.name == f"*{part.owner}":
        return ""
    return part.name.removeprefix(f"({part.owner})").removeprefix(part.owner).lstrip("->.")


def _typed(parameter: Parameter, value: Value) -> str:
    if not isinstance(value, tuple):
        return c_value(value)
    numbers = ", ".join(map(_number, value))
    return f"{{{numbers}}}" if parameter.embedded else f"({parameter.element}[]) {{{numbers}}}"


def _is_zero(value: Value) -> bool:
    """Is it what a member is that nothing is said of?"""
    match value:
        case None:
            return True
        case bytes():
            return False
        case tuple():
            return bool(value) and all(map(_is_zero, value))
        case LongDouble():
            return False
        case _:
            return value == 0 and math.copysign(1, value) > 0


def _comment(test: TestInput) -> str:
    parts = []
    if test.nondet:
        parts.append("nondet: " + ", ".join(map(c_value, test.nondet)))
    parts += [f"{name}: {c_value(data)}" for name, data in test.objects]
    return f"  # {'; '.join(parts)}" if parts else ""


def c_value(value: Value) -> str:
    match value:
        case None:
            return "NULL"
        case bytes():
            # A digit after an octal escape of three digits is no part of it. Zeros at the end are
            # what was left of the buffer.
            return '"' + _escaped(value.rstrip(b"\0")).replace('"', '\\"') + '"'
        case tuple():
            kind = "int" if all(isinstance(element, int) for element in value) else "double"
            return f"({kind}[]) {{{', '.join(map(_number, value))}}}"
        case _:
            return _number(value)


def _number(value: Scalar) -> str:
    match value:
        case LongDouble(text=text):
            return f"{text}L"
        case float() if math.isnan(value):
            return "NAN"
        case float() if math.isinf(value):
            return "-INFINITY" if value < 0 else "INFINITY"
        case _:
            return repr(value)
