"""The text of a regression test, in C for an entry function and in sh for a whole program.

    parse_ranges("0-") returns 1      int csgtest_result = parse_ranges(csgtest_0);
                                      csgtest_check("the result", csgtest_result == 1);
    ./range -f 0-  exits with 0       env PATH="$folder/bin:$PATH" 'range' '-f' '0-' < ../stdin ..
                                      test $status -eq 0 || fails "exit status $status, .."

What cannot be said in the language, or compared by bytes, is ``Dropped`` with the reason. All that
a report says stands in comments or literals, or is checked to be a name.
"""

from __future__ import annotations

import ast
import math
import os
import re
import signal
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from csg.errors import UsageError, printable
from csg.files import read_text
from symexec.exports.finished import Finished
from symexec.replay import ReplayPlan
from symexec.replay.harness import FREED
from symexec.report.words import changes_named, contrasted
from symexec.testcases import (
    MASKED,
    EntrySignature,
    LongDouble,
    Observation,
    Parameter,
    Scalar,
    TestCase,
    TestInput,
    Value,
)
from symexec.testcases.command_text import printf_command
from symexec.testcases.driver import entry_first, read_driver
from symexec.testcases.inputs import Elements, Inside, nan_words
from symexec.testcases.signature import ParameterKind, counts_in, parts_there
from symexec.testcases.testcase import MOST_STORED

SKIP = 77
SANITIZER = "-fsanitize=address,undefined"
TRIED = "tried with: "  # in a test's head, before the flags
HEAD = "csgtest: a regression test, written by csgtest emit, which writes it anew"


class Dropped(Exception):
    """The reason why there is no such test."""


@dataclass(frozen=True, slots=True)
class Test:
    """A regression test. ``expected``: old, new or golden; ``seen``: what that version showed.
    ``equal``: both versions show it. ``sanitized``: only a build with sanitizers distinguishes the
    versions."""

    name: str
    called: str  # the class, which is no regression where no caller can run the test
    case: TestCase
    expected: str
    seen: Observation
    equal: bool
    text: str = ""
    sanitized: bool = False


# ---------------------------------------------------------------------------------------------- C
# main calls the entry function as replay's harness does: objects behind pointers are exactly as
# long as the test says, members of structures are set by their offsets, next to which are their
# names.


RENAMED = "-Dmain=csgtest_user_main"
_SUPPORT = """\
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int csgtest_failures;

/* An object of exactly these bytes. */
static void *csgtest_object(const void *content, size_t size)
{
    void *object = malloc(size ? size : 1);
    if (!object)
        exit(99);
    return content ? memcpy(object, content, size) : memset(object, 0, size);
}

static void csgtest_check(const char *what, int holds)
{
    if (!holds) {
        fprintf(stderr, "%s is not as expected\\n", what);
        csgtest_failures = 1;
    }
}

/* Is this what lies there? */
#define CSGTEST_SAME(place, type, ...) \\
    (memcmp((place), (type[]) {__VA_ARGS__}, sizeof (type[]) {__VA_ARGS__}) == 0)
#define CSGTEST_PUT(place, type, ...) \\
    memcpy((place), (type[]) {__VA_ARGS__}, sizeof (type[]) {__VA_ARGS__})

"""


def c_text(test: Test, finished: Finished, plan: ReplayPlan, output: Path) -> str:
    signature = finished.report.signature
    assert signature is not None
    _check_recorded(test)
    given, seen = test.case.input, test.seen
    if given.files or given.nondet or given.objects:
        raise Dropped("its input has files, or what the program asks for itself")
    if seen.returned is None:
        raise Dropped("the version that it expects does not return from the call")
    other = test.case.old if test.expected == "new" else test.case.new
    shows = bool(seen.stdout or (other is not None and other.stdout))
    lines = ["alarm(60);", *_inputs(signature, given)]
    if given.stdin:
        text = _c_string(given.stdin)
        lines += [
            "FILE *csgtest_in = tmpfile();",
            f"if (!csgtest_in || fwrite({text}, {len(given.stdin)}, 1, csgtest_in) != 1)",
            "    return 99;",
            "rewind(csgtest_in);",
            "if (dup2(fileno(csgtest_in), 0) < 0)",
            "    return 99;",
        ]
    if shows:
        lines += [
            "FILE *csgtest_out = tmpfile();",
            "if (!csgtest_out || dup2(fileno(csgtest_out), 1) < 0)",
            "    return 99;",
        ]
    lines += _called(signature, seen.returned)
    if shows:
        size = len(seen.stdout)
        lines += [
            "fflush(stdout);",
            f"char *csgtest_shown = csgtest_object(NULL, {size} + 1);",
            "rewind(csgtest_out);",
            f"size_t csgtest_size = fread(csgtest_shown, 1, {size} + 1, csgtest_out);",
            'csgtest_check("standard output",',
            f"              csgtest_size == {size}",
            f"                  && memcmp(csgtest_shown, {_c_string(seen.stdout)}, {size}) == 0);",
        ]
    file, driver = read_driver(entry_first(plan.new)[0].path)
    said = set(re.findall(r"\w+", read_text(file) + driver))
    lines += _left(signature, given, seen, said)
    source = included(os.path.relpath(file, output))
    body = "\n".join(f"    {line}" for line in [*lines, "_exit(csgtest_failures);"])
    head = "\n".join(f" * {line}".replace("*/", "* /") for line in _about(test, finished, plan))
    return (
        f"/* {HEAD}\n *\n{head}\n */\n\n"
        f"#ifndef CSGTEST_SOURCE\n#define CSGTEST_SOURCE {source}\n#endif\n"
        "#define main csgtest_user_main\n#include CSGTEST_SOURCE\n#undef main\n\n"
        f"{driver}"
        f"{_SUPPORT}int main(void)\n{{\n{body}\n}}\n"
    )


def _check_recorded(test: Test) -> None:
    """Drop the test where what it expects cannot be compared byte by byte."""
    if any(note.startswith(MASKED) for note in test.case.notes):
        raise Dropped("something that it shows varies between runs")
    if test.seen.timed_out:
        raise Dropped(f"the {test.expected} version, which it expects, does not end")
    if test.seen.sanitizer is not None:
        raise Dropped(f"a sanitizer ends the {test.expected} version, which it expects")
    if len(test.seen.stdout) > MOST_STORED:
        raise Dropped("what it prints is too long to be recorded whole")


def _inputs(signature: EntrySignature, given: TestInput) -> Iterator[str]:
    """Declarations in0, in1, .. in the order of the parameters and their parts."""
    values, known = dict(given.parameters), _variables(signature)
    aliased = {name: each for name, each in values.items() if isinstance(each, Inside)}
    absent = {*aliased}  # what is behind these belongs to the other object
    linked: dict[str, tuple[str, str]] = {}
    for each in parts_there(signature.parameters, counts_in(values)):
        if each.level and each.name not in values:
            continue
        if each.owner in absent:
            absent.add(each.name)
            continue
        value, name = values.get(each.name), known[each.name]
        note = f"  /* {printable(each.name).replace('*/', '* /')} */"
        inside = each.owner and (each.kind is ParameterKind.SCALAR or each.embedded)
        if each.kind is ParameterKind.STRUCTURE and each.embedded:
            raise Dropped("it passes a structure by value")
        if inside:
            if each.name in values and values.get(each.owner, ()) is not None:
                place = f"(char *) {known[each.owner]} + {each.offset}"
                yield _put(place, each, value) + note
            continue
        if each.kind is ParameterKind.SCALAR:
            yield f"{each.element} {name} = {_number(value or 0, each)};{note}"
            continue
        yield f"void *{name} = {_object(each, value, each.name in values)};{note}"
        if each.owner and each.kind is not ParameterKind.OPAQUE:
            owner = known[each.owner]
            there = f" && {name}" if each.instead else ""
            put = f"    memcpy((char *) {owner} + {each.offset}, &{name}, sizeof {name});"
            if each.name in aliased:
                linked[each.name] = f"if ({owner})", put
                continue
            yield f"if ({owner}{there})"
            yield put
    for own, target in aliased.items():
        yield f"{known[own]} = {_inside(target, known)};"
        yield from linked.get(own, ())
    for own, content in given.globals:
        part = next((each for each in signature.globals if each.name == own), None)
        if part is None or not (own.isidentifier() and own.isascii()):
            raise Dropped(f"{own} has no name in C")
        yield _put(f"(char *) &{own}", part, content)


def _inside(value: Inside, known: Mapping[str, str]) -> str:
    """The address in another object."""
    if value.name.removeprefix("&").isidentifier() and value.name.startswith("&"):
        return f"(char *) {value.name} + {value.offset}"
    if value.name not in known:
        raise Dropped("a pointer leads into an object that is not there")
    return f"(char *) {known[value.name]} + {value.offset}"


def _variables(signature: EntrySignature) -> dict[str, str]:
    return {each.name: f"csgtest_{number}" for number, each in enumerate(signature.parameters)}


def _object(each: Parameter, value: Value, there: bool) -> str:
    match value:
        case None | Inside():
            return "NULL"
        case bytes():
            size = len(value) + each.size
            return f"csgtest_object({_c_string(value)}, {size})" if each.size == 1 else _wide()
        case tuple() if each.kind is ParameterKind.STRUCTURE:
            return f"csgtest_object(NULL, {each.size})" if there else "NULL"
        case Elements(count=count):
            return f"csgtest_object(NULL, {count} * {each.size})"
        case tuple() if value:
            numbers = ", ".join(_number(item, each) for item in value)
            most = f"{len(value)} * sizeof ({each.element})"
            return f"csgtest_object(({each.element}[]) {{{numbers}}}, {most})"
        case tuple():
            return "csgtest_object(NULL, 0)"
        case _:
            number = _number(value, each)
            return f"csgtest_object(({each.element}[]) {{{number}}}, sizeof ({each.element}))"


def _wide() -> str:
    raise Dropped("it has a text of wide characters")


def _put(place: str, each: Parameter, value: Value) -> str:
    if each.bits is not None:
        raise Dropped("it sets a bit-field")
    match value:
        case bytes():
            size = min(len(value) + 1, each.room or len(value) + 1)
            return f"memcpy({place}, {_c_string(value)}, {size});"
        case None | () | Elements() | Inside():
            return ""
        case tuple():
            numbers = ", ".join(_number(item, each) for item in value)
            return f"CSGTEST_PUT({place}, {each.element}, {numbers});"
        case _:
            return f"CSGTEST_PUT({place}, {each.element}, {_number(value, each)});"


def _called(signature: EntrySignature, returned: str) -> Iterator[str]:
    known = _variables(signature)
    given = ", ".join(known[each.name] for each in signature.parameters if not each.owner)
    call, result = f"{signature.name}({given})", signature.result
    check = 'csgtest_check("the result", '
    if result is None or result.kind is ParameterKind.STRUCTURE:
        yield f"{call};"
    elif result.kind is ParameterKind.SCALAR:
        yield f"{result.element} csgtest_result = {call};"
        number = _read_number(returned, result)
        if result.floating and math.isnan(_as_float(number)):
            yield f"{check}csgtest_result != csgtest_result);"
        else:
            yield f"{check}csgtest_result == {_number(number, result)});"
    else:
        yield f"const char *csgtest_result = (const char *) {call};"
        if result.kind is not ParameterKind.STRING or returned == "null":
            sign = "==" if returned == "null" else "!="
            yield f"{check}csgtest_result {sign} NULL);"
        else:
            literal, at, place = returned.partition('" at &')
            text = _c_string(text_of_literal(f'{literal}"' if at else literal))
            yield f"{check}csgtest_result && strcmp(csgtest_result, {text}) == 0);"
            name, _, offset = place.partition(" + ")
            if name in known:
                start = f"(const char *) {known[name]}"
                yield f"{check}csgtest_result - {start} == {offset or 0});"


def text_of_literal(literal: str) -> bytes:
    """The text that a literal stands for. Raises Dropped where it is none, or may be longer."""
    try:
        found = ast.literal_eval(f"b{literal}") if literal.startswith('"') else None
    except (ValueError, SyntaxError):
        found = None
    if not isinstance(found, bytes) or b"\0" in found or len(found) >= _LONGEST:
        raise Dropped("the text that it returns is not recorded byte by byte")
    return found


_LONGEST = 4096  # bytes of a returned text, as the harness of replay shows it


def _left(
    signature: EntrySignature, given: TestInput, seen: Observation, said: Collection[str]
) -> Iterator[str]:
    """Checks of what the call left in its caller's objects, and in those that outlive it, if their
    names are ``said`` in the file: of numbers and texts, but not of where pointers lead."""
    known, values = _variables(signature), dict(given.parameters)
    after = dict(seen.memory)
    freed = {name for name, value in after.items() if value == FREED}
    lasting = [each for each in signature.lasting if (each.owner or each.name) in said]
    known |= {each.name: f"&{each.name}" for each in lasting if not each.owner}
    for each in (*parts_there(signature.parameters, counts_in(values)), *lasting):
        value = after.get(each.name)
        root = each.owner or each.name
        if each.name not in after or root in freed or each.bits is not None or value is None:
            continue
        inside = each.owner and (each.kind is ParameterKind.SCALAR or each.embedded)
        if each.kind is ParameterKind.STRUCTURE or (each.owner and not inside):
            continue
        if root not in known:
            continue
        place = f"(char *) {known[root]} + {each.offset}" if inside else known[each.name]
        before = values.get(each.name)
        if isinstance(value, bytes):
            size = each.room if inside else len(before) + 1 if isinstance(before, bytes) else 0
            if len(value) > size or each.size != 1:
                continue
            size = min(size, len(value) + 1) if each in lasting else size
            text = _c_string(value.ljust(size, b"\0"))
            holds = f"memcmp({place}, {text}, {size}) == 0"
        else:
            numbers = value if isinstance(value, tuple) else (value,)
            if not numbers or any(_is_nan(each) for each in numbers) or each.size > 8:
                continue
            listed = ", ".join(_number(number, each) for number in numbers)
            holds = f"CSGTEST_SAME({place}, {each.element}, {listed})"
        yield f"csgtest_check({_c_string(each.name.encode())}, {holds});"


def _is_nan(value: Scalar | Elements | Inside) -> bool:
    return isinstance(value, LongDouble) or (isinstance(value, float) and math.isnan(value))


def _read_number(text: str, kind: Parameter) -> Scalar:
    try:
        if not kind.floating:
            return int(text)
        return LongDouble(text) if text.lstrip("-").startswith("0x") else float(text)
    except ValueError:
        raise Dropped("the result is no number") from None


def _as_float(value: Scalar) -> float:
    return 0.0 if isinstance(value, LongDouble) else float(value)


def _number(value: Value, kind: Parameter) -> str:
    """A constant of C with this value, whatever its type."""
    match value:
        case LongDouble() if value.is_nan:
            return nan_words(value, min(kind.size, 10) * 8)
        case LongDouble(text=text) if re.fullmatch(r"-?0x[0-9a-f.]+p[-+]?\d+", text):
            return f"{text}L"
        case bool() | int() if -(1 << 63) < value < 1 << 63:
            return f"{value}" if abs(value) < 1 << 31 else f"{value}LL"
        case int() if value == -(1 << 63):
            return "(-9223372036854775807LL - 1)"
        case int() if 0 < value < 1 << 64:
            return f"{value}ULL"
        case float() if math.isfinite(value):
            return value.hex() if kind.floating else str(int(value))
        case float() if math.isinf(value):
            return "-__builtin_inf()" if value < 0 else "__builtin_inf()"
        case _:
            raise Dropped("it has a number of 128 bits")


def _c_string(data: bytes) -> str:
    """A string literal; octal escapes have three digits, so that digits after them do not belong to
    them."""
    plain = {*range(0x20, 0x7F)} - {*b'"\\?'}
    return '"' + "".join(chr(each) if each in plain else f"\\{each:03o}" for each in data) + '"'


def included(path: str) -> str:
    """The path as #include needs it, which has no escapes."""
    if not path.isprintable() or '"' in path or "\\" in path:
        raise Dropped("the name of its source cannot be included")
    return f'"{path}"'


def _is_made(part: Parameter) -> bool:
    """Is the object made by its size alone, so that its type is not in the text?"""
    return part.kind in (ParameterKind.STRUCTURE, ParameterKind.OPAQUE)


def check_types(signature: EntrySignature) -> None:
    """Check that types, which are in the text as they are, consist of words of C only: a report may
    come from a stranger."""
    spelt = [each for each in (*signature.parameters, *signature.globals) if not _is_made(each)]
    if signature.result is not None and not _is_made(signature.result):
        spelt.append(signature.result)
    for each in spelt:
        if not re.fullmatch(r"[A-Za-z_]\w*( [A-Za-z_]\w*)*( \*)?", each.element, re.ASCII):
            raise UsageError(f"{each.element!r:.60} is no type that tests can be written with")
    names: set[str] = set()
    for each in signature.parameters:
        if each.owner and each.owner not in names:
            raise UsageError(f"{each.name!r:.60} is a part of nothing")
        names.add(each.name)
    if not (signature.name.isascii() and signature.name.isidentifier()):
        raise UsageError(f"{signature.name!r:.60} is no name of a function")


def _about(test: Test, finished: Finished, plan: ReplayPlan) -> Iterator[str]:
    """The lines in the head of a test for its reader."""
    old, new = contrasted(test.case.old, test.case.new)
    yield printable(f"{test.called}: {finished.call(test.case)}")
    if test.equal:
        yield printable(f"both versions: {new}")
    else:
        yield printable(f"old version: {old}; new version: {new}; expected: {test.expected}")
    blame = test.case.blame
    if blame is not None and blame.blamed:
        yield f"changes to blame: {changes_named(blame.blamed, blame.interaction)}"
        texts = {change.id: change for change in finished.report.changes}
        for number in blame.blamed:
            if number in texts:
                change = texts[number]
                where = finished.place_of(change)
                yield printable(f"  {where.path}:{where.line}: {change.new_text or 'deleted'}")
    flags = " ".join(entry_first(plan.new)[0].flags)
    yield printable(f"{TRIED}{' '.join(plain_flags())} {flags}".rstrip())
    yield f"exit status: 0 passes, 1 fails, {SKIP} skipped, 99 cannot run"


def plain_flags() -> tuple[str, ...]:
    return ("-O1", "-fwrapv", "-fno-strict-aliasing")


# --------------------------------------------------------------------------------------------- sh


def sh_text(test: Test, finished: Finished, plan: ReplayPlan) -> str:
    _check_recorded(test)
    given, seen, name = test.case.input, test.seen, finished.report.name or "program"
    if given.nondet or given.objects:
        raise Dropped("its input is what the program asks for itself")
    if "=" in name or "/" in name or not name.isprintable():
        raise Dropped("the program's name cannot stand on a command line")
    if seen.exit is None and seen.signal is None:
        raise Dropped("how the version that it expects ends is not recorded")
    status = seen.exit if seen.exit is not None else 128 + _number_of(seen.signal or "")
    lines = ["#!/bin/sh", f"# {HEAD}", "#"]
    lines += [f"# {line}" for line in _about(test, finished, plan)]
    lines += [f"# usage: sh {test.name}.sh PROGRAM, or with CSGTEST_PROGRAM set", *_PREPARED]
    for number, (file, data) in enumerate(given.files):
        _check_file(file)
        if "/" in file:
            lines.append(f"mkdir -p {_word(os.path.dirname(file).encode())[0]}")
        lines.append(f"{printf_command(data)} > {_quoted(file)} || exit 99  # file {number + 1}")
    words = []
    for number, word in enumerate(given.args):
        text, odd = _word(word, f"word_{number}")
        lines += odd
        words.append(text)
    command = " ".join(['"$folder/bin:$PATH"', _quoted(name), *words])
    lines += [
        f"{printf_command(given.stdin)} > ../stdin || exit 99",
        f'ln -s "$program" ../bin/{_quoted(name)} || exit 99',
        "ulimit -t 20",
        'LC_ALL=C TZ=UTC HOME="$folder/home" TMPDIR="$folder/tmp" \\',
        f"    env PATH={command} < ../stdin > ../stdout 2> ../stderr",
        "status=$?",
        f'test $status -eq {status} || fails "exit status $status, expected {status}"',
        f"{printf_command(seen.stdout)} > ../expected",
        "cmp -s ../expected ../stdout || fails 'standard output is not as expected'",
        *_files_left(seen),
        'exit "$failed"',
    ]
    return "\n".join(lines) + "\n"


_PREPARED = (
    "",
    "given=${1-${CSGTEST_PROGRAM-}}",
    "test -n \"$given\" || { echo 'name the program to test' >&2; exit 77; }",
    "case $given in /*) program=$given ;; *) program=$(pwd)/$given ;; esac",
    'test -x "$program" || { echo "cannot run $program" >&2; exit 99; }',
    "folder=$(mktemp -d) || exit 99",
    "trap 'rm -rf \"$folder\"' EXIT",
    'mkdir "$folder/bin" "$folder/home" "$folder/tmp" "$folder/work" || exit 99',
    'cd "$folder/work" || exit 99',
    "failed=0",
    'fails() { echo "$1" >&2; failed=1; }',
    "",
)


def _number_of(name: str) -> int:
    if name not in signal.Signals.__members__:
        raise Dropped("it ends by a signal that has no name here")
    return signal.Signals[name].value


def _files_left(seen: Observation) -> Iterator[str]:
    """Checks of the files that the run leaves; folders and links are not checked."""
    for name, data in seen.files:
        _check_file(name.rstrip("/"))
        if name.endswith("/") or data.startswith(b"[link to] ") or len(data) > MOST_STORED:
            continue
        quoted = _quoted(name)
        if data == b"[removed]":
            yield f"test ! -e {quoted} || fails 'a file is still there'"
        else:
            yield f"{printf_command(data)} > ../expected"
            yield f"cmp -s ../expected {quoted} || fails 'a file is not as expected'"


def _check_file(name: str) -> None:
    parts = name.split("/")
    if name.startswith("/") or {"", ".."} & {*parts} or not name.isprintable():
        raise Dropped("a file has a name that leaves its folder")


def _quoted(text: str) -> str:
    """The word quoted for a shell, with ./ in front where it could be an option."""
    quoted = "'" + text.replace("'", "'\\''") + "'"
    return f"./{quoted}" if text.startswith("-") else quoted


def _word(data: bytes, name: str = "") -> tuple[str, list[str]]:
    """A word of the command line, and the lines that compute it. The x keeps a shell from cutting
    newlines off its end."""
    if all(0x20 <= each < 0x7F for each in data):
        return "'" + data.decode().replace("'", "'\\''") + "'", []
    return f'"${name}"', [f"{name}=$({printf_command(data + b'x')})", f"{name}=${{{name}%x}}"]
