"""A C program around an entry function that is not ``main``, and what passes in and out of it.

    int clamp(int x)              int csgtest_0 = 0;
                                  csgtest_set("x", &csgtest_0, sizeof csgtest_0);
                                  csgtest_called();
                                  int result = clamp(csgtest_0);
                                  csgtest_returned(&result, sizeof result);
                                  csgtest_finished();

    int len(struct list *l)       void *csgtest_0 = csgtest_object("l", 16, 1);
                                  csgtest_member("l->n", csgtest_0, 0, 4);
                                  ...

The user's file is included as it is, its ``main`` renamed. Descriptor 3 brings the values and takes
what is to be observed (harness_support.c has the lines). Global and static objects are set, and
looked at after the call, by their addresses (``Symbols``): C has no name for those of other files
and functions.
"""

from __future__ import annotations

import math
import os
import re
import struct
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from csg.errors import ToolchainError, UsageError
from csg.language import types as c
from symexec.testcases.command_text import c_value
from symexec.testcases.inputs import (
    Elements,
    Inside,
    LongDouble,
    Scalar,
    TestInput,
    Value,
    nan_bits,
)
from symexec.testcases.signature import (
    ERRNO_NAME,
    EntrySignature,
    Parameter,
    ParameterKind,
    parameter_of,
)
from symexec.testcases.testcase import NOT_CALLED, NOT_HEARD, Observation

FREED = b"[freed]"  # in place of an object that the program has freed
ANCHOR = "csgtest_anchor"
THREAD_ANCHOR = "csgtest_thread_anchor"
OF_THREAD = 1 << 61  # places of thread-local objects count from here
_ELF64_LITTLE = b"\x7fELF\x02\x01"
_SECTION = struct.Struct("<IIQQQQIIQQ")  # name, type, flags, address, offset, size, link, ...
_SYMBOL = struct.Struct("<IBBHQQ")  # name, info, other, section, value, size
_SYMTAB, _OBJECT, _FUNCTION, _FILE, _THREAD = 2, 1, 2, 4, 6
_DYNAMIC, _RPATH, _RUNPATH = 6, 15, 29  # a type of sections, and tags in one
_NUMBER = re.compile(r"\.\d+$")
# Compound literals of file scope, as gcc and clang call them.
NAMELESS = frozenset(("__compound_literal", "compoundliteral", ".compoundliteral"))
_NOWHERE_ELSE = "0" * 16  # at the start of the object, in hexadecimal
_PRELUDE = """\
extern void csgtest_set(const char *, void *, unsigned long);
extern void csgtest_set_objects(void);
extern void csgtest_objects_left(void);
extern void *csgtest_array(const char *, unsigned long *);
extern void *csgtest_object(const char *, unsigned long, unsigned long);
extern void *csgtest_value(const char *, unsigned long);
extern void *csgtest_inside(const char *, void *);
extern void csgtest_lead(const char *, void *, unsigned long);
extern void csgtest_link(void *, unsigned long, void *);
extern void csgtest_member(const char *, void *, unsigned long, unsigned long);
extern void csgtest_bits(const char *, void *, unsigned long, unsigned, unsigned);
extern const void *csgtest_readable(const void *, unsigned long);
extern const void *csgtest_followed(const void *, unsigned long, unsigned long);
extern void csgtest_object_left(const char *, const void *);
extern void csgtest_member_left(const char *, const void *, unsigned long, unsigned long);
extern void csgtest_bits_left(const char *, const void *, unsigned long, unsigned, unsigned);
extern void csgtest_link_left(const char *, const void *, unsigned long, int);
extern void csgtest_called(void);
extern void csgtest_returned(const void *, unsigned long);
extern void csgtest_returned_string(const char *);
extern void csgtest_returned_nothing(const char *);
extern void csgtest_returned_pointer(const void *);
extern void csgtest_memory(const char *, const void *, unsigned long);
extern void csgtest_finished(void);
extern void csgtest_look_for_leaks(void) __attribute__((weak));
"""
# It has a call for each part of each object: to optimise them takes seconds, and brings nothing.
_AS_IT_IS = """\
#ifdef __clang__
__attribute__((optnone))
#else
__attribute__((optimize(0)))
#endif
"""


# ------------------------------------------------------------------ the symbol table
# Where a compiled program keeps its global and static objects, by name:
#
#     int total;                            total      anchor + 64
#     int f(void) { static int n; ... }     f.n        anchor + 80     (n.0, as gcc calls it)
#
# Addresses count from the harness' own symbol ``csgtest_anchor``, so that they hold wherever the
# program is loaded. A static object has an address only where its name is the only such one among
# the files that were compiled: gcc numbers the static objects of functions in an order of its own.


@dataclass(frozen=True, slots=True)
class Symbols:
    """The symbols of an executable. ``places`` are addresses by name, relative to the anchor; None:
    there are several with this name."""

    places: dict[str, int | None] = field(default_factory=dict)
    ranges: tuple[tuple[int, int, str], ...] = ()  # start, size, name; sorted
    nameless: frozenset[str] = frozenset()  # what callers know by no name

    def place(self, name: str) -> int | None:
        """The address of an object (``name``, or ``&name`` where that is a pointer); ``f.n`` is the
        static object n of the function f. None: it has none, or it is not known which one it is."""
        name = name.removeprefix("&")
        _, _, local = name.partition(".")
        if not local:
            return self.places.get(name)
        return self.places.get(name) or self.places.get(f".{local}")

    def at(self, place: int) -> tuple[str, int] | None:
        """The object at an address, or that ends there, and the distance from its start in bytes;
        None where there is none, or one that callers know by no name."""
        index = bisect_right(self.ranges, (place, 1 << 62, "")) - 1
        if index < 0:
            return None
        start, size, name = self.ranges[index]
        is_there = place <= start + size and name not in NAMELESS and name not in self.nameless
        return (name, place - start) if is_there else None


NO_SYMBOLS = Symbols()


def read_symbols(executable: str, files: Iterable[str]) -> Symbols:
    """Read the symbol table. ``files``: base names of the C files whose own (static) symbols count.
    Empty when the file is no 64 bit ELF file with a symbol table."""
    wanted = {os.path.basename(each) for each in files}
    data = Path(executable).read_bytes()
    if not data.startswith(_ELF64_LITTLE):
        return Symbols()
    places: dict[str, int | None] = {}
    ranges: list[tuple[int, int, str]] = []
    anchor = thread_anchor = None
    file = ""
    of_thread: set[str] = set()
    for name, info, section, value, size in _symbols(data):
        kind, is_global = info & 15, info >> 4 != 0
        if kind == _FILE:
            file = name
        if kind not in (_OBJECT, _FUNCTION, _THREAD) or not section:
            continue
        if name == ANCHOR:
            anchor = value
        if name == THREAD_ANCHOR:
            thread_anchor = value
        if not is_global and file not in wanted:
            continue
        known = name if is_global or not _NUMBER.search(name) else f".{_NUMBER.sub('', name)}"
        if known in places and not is_global:
            places[known] = None
        elif places.get(known, 0) is not None:
            places[known] = value
        if kind == _THREAD:
            of_thread.add(known)
            continue
        ranges.append((value, size, known.removeprefix(".")))
    if anchor is None:
        return Symbols()
    start = 0 if thread_anchor is None else thread_anchor - OF_THREAD
    return Symbols(
        {
            name: None if at is None else at - (start if name in of_thread else anchor)
            for name, at in places.items()
        },
        tuple(sorted((at - anchor, size, name) for at, size, name in ranges)),
    )


def run_paths(executable: Path) -> list[str]:
    """The folders in which an executable looks for its libraries (DT_RPATH, DT_RUNPATH); none where
    it is no 64 bit ELF file."""
    data = executable.read_bytes()
    if not data.startswith(_ELF64_LITTLE):
        return []
    sections = _sections(data)
    found = []
    for section in sections:
        if section[1] != _DYNAMIC:
            continue
        names = sections[section[6]][4]
        for tag, value in struct.iter_unpack("<QQ", data[section[4] : section[4] + section[5]]):
            if tag in (_RPATH, _RUNPATH):
                text = data[names + value : data.index(b"\0", names + value)]
                found += os.fsdecode(text).split(":")
    return [each for each in found if each.startswith("/")]


def _sections(data: bytes) -> list[tuple[int, ...]]:
    (start,) = struct.unpack_from("<Q", data, 0x28)
    length, count = struct.unpack_from("<HH", data, 0x3A)
    return [_SECTION.unpack_from(data, start + length * i) for i in range(count)]


def _symbols(data: bytes) -> Iterator[tuple[str, int, int, int, int]]:
    """The symbols: name, info, section, value, size. Those of a file follow the symbol of the file
    itself."""
    sections = _sections(data)
    for section in sections:
        if section[1] != _SYMTAB:
            continue
        names = sections[section[6]][4]
        table = data[section[4] : section[4] + section[5]]
        for name, info, _, where, value, size in _SYMBOL.iter_unpack(table):
            end = data.index(b"\0", names + name)
            yield data[names + name : end].decode("utf-8", "replace"), info, where, value, size


# ------------------------------------------------------------------ the program


def included(path: str) -> str:
    """The user's file, with another name for its ``main``."""
    quoted = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'#define main csgtest_user_main\n#include "{quoted}"\n#undef main\n'


def harness_text(signature: EntrySignature, path: str) -> str:
    """The harness for the entry function in the file at ``path``."""
    values = {each.name for each in signature.parameters if _by_value(each)}
    names = {each.name: f"csgtest_{i}" for i, each in enumerate(signature.parameters)}
    own = [(names[each.name], each, names.get(each.owner, "")) for each in signature.parameters]
    before = [_declared(parameter, name, owner) for name, parameter, owner in own]
    before += [
        f'csgtest_lead("{each.name}", {owner}, {each.offset});'
        for _, each, owner in own
        if owner and not each.embedded
        if each.kind not in (ParameterKind.SCALAR, ParameterKind.OPAQUE)
    ]
    before.append("csgtest_set_objects();")
    after = [
        text
        for name, each, owner in own
        for text in _guarded(each, own, list(_left(each, name, owner, values)))
    ]
    after += _result_left(signature.returned)
    after.append("csgtest_objects_left();")
    # A pointer to void becomes any pointer to an object.
    given = [(name, each) for name, each, owner in own if not owner]
    arguments = [_argument(each, name) for name, each in given]
    call = f"{_callee(signature, [each for _, each in given])}({', '.join(arguments)})"
    after += ["if (csgtest_look_for_leaks)\n    csgtest_look_for_leaks();"]
    called = ["csgtest_called();", *_called(signature.result, call)]
    lines = [*before, *called, *after, "csgtest_finished();"]
    body = "\n".join("    " + line for part in lines for line in part.split("\n"))
    return f"{included(path)}{_PRELUDE}{_AS_IT_IS}int main(void)\n{{\n{body}\n}}\n"


def _guarded(
    part: Parameter, own: Sequence[tuple[str, Parameter, str]], lines: Sequence[str]
) -> Iterator[str]:
    """The lines that show a part. In a union a pointer is shown where it was given, and then no
    number in its place: nobody compares addresses."""
    if not part.owner:
        yield from lines
        return
    if part.instead:
        name = next(name for name, each, _ in own if each is part)
        yield from (f"if ({name}) {{\n{line}\n}}" for line in lines)
        return
    size = part.room or max(part.size, 1)
    over = [
        name
        for name, each, _ in own
        if each.instead and each.owner == part.owner
        if each.offset < part.offset + size and part.offset < each.offset + 8
    ]
    unless = f"if (!({' || '.join(over)}))\n    " if over else ""
    yield from (f"{unless}{line}" for line in lines)


def _argument(parameter: Parameter, name: str) -> str:
    """What is passed: a pointer may lead into the object of another one, which is there by now."""
    if _by_value(parameter):
        return f"*({_type_of(parameter)} *) {name}"
    if parameter.kind is ParameterKind.SCALAR:
        return name
    return f'csgtest_inside("{parameter.name}", {name})'


def _by_value(parameter: Parameter) -> bool:
    """Is the parameter a structure that is passed by value?"""
    return parameter.kind is ParameterKind.STRUCTURE and parameter.embedded


def _callee(signature: EntrySignature, given: Sequence[Parameter]) -> str:
    """The entry function, as a call with the arguments of the harness names it. The brackets keep
    a macro out, and let the compiler refuse a function that nothing declares. Where a structure has
    no name in C, a structure of the same layout is passed in the same way."""
    if not any(_by_value(each) and "{" in each.element for each in given):
        return f"({signature.name})"
    result = signature.result
    kind = "void *"
    if result is None:
        kind = "void"
    elif result.kind in (ParameterKind.SCALAR, ParameterKind.STRUCTURE):
        kind = result.element
    types = [_passed(each) for each in given]
    return f"(({kind} (*)({', '.join(types)})) {signature.name})"


def _passed(parameter: Parameter) -> str:
    if _by_value(parameter):
        return _type_of(parameter)
    return parameter.element if parameter.kind is ParameterKind.SCALAR else "void *"


def _type_of(parameter: Parameter) -> str:
    """The type of a parameter; a structure without a name gets one name in the whole text, since C
    takes every such text for a type of its own."""
    if "{" not in parameter.element:
        return parameter.element
    return "csgtest_type_" + parameter.name


def _declared(parameter: Parameter, name: str, owner: str) -> str:
    if parameter.kind is ParameterKind.OPAQUE:
        return ""
    if owner and (parameter.kind is ParameterKind.SCALAR or parameter.embedded):
        return f"{_member('', parameter, owner)};"
    linked = f"\ncsgtest_link({owner}, {parameter.offset}, {name});" if owner else ""
    if parameter.instead:
        linked = f"\nif ({name})\n    csgtest_link({owner}, {parameter.offset}, {name});"
    there = f"!{owner} ? 0 : " if owner else ""  # nothing is behind null
    if parameter.kind is ParameterKind.STRUCTURE:
        made = f'csgtest_object("{parameter.name}", {parameter.size}, {parameter.elements})'
        if not _by_value(parameter):
            return f"void *{name} = {there}{made};{linked}"
        made = f'csgtest_value("{parameter.name}", {parameter.size})'
        named = f"typedef {parameter.element} {_type_of(parameter)};\n"
        return f"{named if '{' in parameter.element else ''}void *{name} = {made};"
    if parameter.kind is ParameterKind.SCALAR:
        setting = f'csgtest_set("{parameter.name}", &{name}, sizeof {name});'
        return f"{parameter.element} {name} = 0;\n{setting}"
    return (
        f"unsigned long {name}_size = 0;\n"
        f'void *{name} = {there}csgtest_array("{parameter.name}", &{name}_size);{linked}'
    )


def _member(what: str, parameter: Parameter, owner: str) -> str:
    """The line that sets a part of an object, or (``_left``) shows it."""
    start = f'"{parameter.name}", {owner}, {parameter.offset}'
    if parameter.bits is not None:
        return f"csgtest_bits{what}({start}, {parameter.bits}, {parameter.width})"
    return f"csgtest_member{what}({start}, {parameter.room or parameter.size})"


def _left(parameter: Parameter, name: str, owner: str, values: set[str]) -> Iterator[str]:
    """The lines that show what a caller sees of a parameter after the call: of a structure passed
    by value nothing but what its pointers lead to (``values``)."""
    if parameter.name in values:
        return
    inside = parameter.owner in values
    if owner and (parameter.kind is ParameterKind.SCALAR or parameter.embedded):
        if not inside:
            yield f"{_member('_left', parameter, owner)};"
        return
    if owner and not inside:
        text = int(parameter.kind is ParameterKind.STRING)
        start = f'"{parameter.name}", {owner}, {parameter.offset}'
        yield f"csgtest_link_left({start}, {text});"
    if parameter.kind is ParameterKind.STRUCTURE:
        yield f'csgtest_object_left("{parameter.name}", {name});'
    if parameter.kind not in (ParameterKind.SCALAR, ParameterKind.STRUCTURE, ParameterKind.OPAQUE):
        yield _shown(parameter, name)


def _result_left(parts: Sequence[Parameter]) -> Iterator[str]:
    """The lines that show what the result leads to."""
    names = {each.name: f"csgtest_r{i}" for i, each in enumerate(parts)}
    for each in parts:
        owner = names.get(each.owner, "")
        if each.kind is ParameterKind.STRUCTURE:
            found = f"csgtest_followed({owner}, {each.offset}, {each.size})"
            if not owner:
                result = "&csgtest_result" if each.embedded else "csgtest_result"
                found = f"csgtest_readable((const void *) {result}, {each.size})"
            yield f"const void *{names[each.name]} = {found};"
        elif each.kind is ParameterKind.SCALAR or each.embedded:
            yield f"{_member('_left', each, owner)};"
        if owner and each.kind is not ParameterKind.SCALAR and not each.embedded:
            text = int(each.kind is ParameterKind.STRING)
            yield f'csgtest_link_left("{each.name}", {owner}, {each.offset}, {text});'


def _called(result: Parameter | None, call: str) -> list[str]:
    if result is None:
        return [f"{call};", 'csgtest_returned_nothing("void");']
    if _by_value(result):
        return [f"__auto_type csgtest_result = {call};", 'csgtest_returned_nothing("structure");']
    # the sanitizer must not take what it points to for lost
    stored = f"const void *volatile csgtest_result = {call};"
    if result.kind is ParameterKind.STRING:
        return [stored, "csgtest_returned_string((const char *) csgtest_result);"]
    if result.kind is not ParameterKind.SCALAR:
        return [stored, "csgtest_returned_pointer((const void *) csgtest_result);"]
    return [
        f"{result.element} csgtest_result = {call};",
        "csgtest_returned(&csgtest_result, sizeof csgtest_result);",
    ]


def _shown(parameter: Parameter, name: str) -> str:
    return f'if ({name})\n    csgtest_memory("{parameter.name}", {name}, {name}_size);'


# ------------------------------------------------------------------------------- values in


def control_text(
    test: TestInput, signature: EntrySignature | None, symbols: Symbols = NO_SYMBOLS
) -> bytes:
    """What descriptor 3 holds at the start. It is never empty: that would mean that nobody
    listens."""
    lines = ["begin"]
    if signature is not None:
        named = _named_lines(signature.parameters, dict(test.parameters), "parameter")
        lines += [f"p {name} {_placed(packed, symbols)}" for name, _, packed in named]
        set_before = _named_lines(signature.globals, dict(test.globals), "global")
        lines += [
            f"s {place} {_size_of(parameter, value)} {packed}"
            for name, (parameter, value), packed in set_before
            if (place := symbols.place(name)) is not None
        ]
        lines += [f"e {packed}" for name, _, packed in set_before if name == ERRNO_NAME]
        lines += _looked_at(signature.lasting, symbols)
    lines += [f"n {_nondet(value)}" for value in test.nondet]
    lines += [f"o {_one_word(name)} i {data.hex()}" for name, data in test.objects]
    return "".join(line + "\n" for line in lines).encode()


def _named_lines(
    parameters: Iterable[Parameter], values: dict[str, Value], what: str
) -> list[tuple[str, tuple[Parameter, Value], str]]:
    known = {parameter.name: parameter for parameter in parameters}
    for name in values.keys() - known.keys():
        raise UsageError(f"the entry function has no {what} '{name}'")
    return [
        (name, (known[name], value), _packed(known[name], value)) for name, value in values.items()
    ]


def _size_of(parameter: Parameter, value: Value) -> int:
    return parameter.size * (len(value) if isinstance(value, tuple | bytes) else 1)


def _looked_at(parts: Sequence[Parameter], symbols: Symbols) -> Iterator[str]:
    """The lines that say what to look at after the call: objects (w o, w f) are counted, and their
    parts name the number. An object that this program does not have is left out, with its parts."""
    numbers: dict[str, int] = {}
    for each in parts:
        if each.kind is ParameterKind.STRUCTURE:
            place = symbols.place(each.name)
            if not each.owner and place is not None:
                yield f"w o {place} {each.size}"
            elif each.owner in numbers:
                yield f"w f {numbers[each.owner]} {each.offset} {each.size}"
            else:
                continue
            numbers[each.name] = len(numbers)
        elif each.owner not in numbers:
            continue
        elif each.bits is not None:
            yield f"w b {each.name} {numbers[each.owner]} {each.offset} {each.bits} {each.width}"
        elif each.kind is ParameterKind.SCALAR or each.embedded:
            size = each.room or each.size
            yield f"w m {each.name} {numbers[each.owner]} {each.offset} {size}"
        if each.owner in numbers and not each.embedded and each.kind is not ParameterKind.SCALAR:
            text = int(each.kind is ParameterKind.STRING)
            yield f"w l {each.name} {numbers[each.owner]} {each.offset} {text}"


def _placed(packed: str, symbols: Symbols) -> str:
    """The text with the place of a global object for its name; null where there is none."""
    match packed.split(" "):
        case ["w", name, offset] if name.startswith("&"):
            place = symbols.place(name)
            return "n" if place is None else f"g {place + int(offset)}"
        case _:
            return packed


def _packed(parameter: Parameter, value: Value) -> str:
    if isinstance(value, Inside):
        return f"w {_one_word(value.name)} {value.offset}"
    if parameter.kind is ParameterKind.SCALAR and parameter.floating and isinstance(value, Scalar):
        pattern = _nan_bytes(parameter, value)
        return f"f {_floating_text(value)}" if pattern is None else f"i {pattern.hex()}"
    data = memory_of(parameter, value)
    return "n" if data is None else f"i {data.hex()}"


def memory_of(parameter: Parameter, value: Value) -> bytes | None:
    """The bytes of the object that a parameter is or leads to (for several structures, their
    number); None for a null pointer, or one into another object. Raises UsageError for a long
    double, whose bytes no test records."""
    match value:
        case None | Inside():
            return None
        case bytes():
            return value + b"\0" * parameter.size
        case tuple():
            return b"".join(_element_bytes(parameter, each) for each in value)
        case Elements(count=count):
            return count.to_bytes(4, "little")
        case _:
            return _element_bytes(parameter, value)


def _element_bytes(parameter: Parameter, value: Scalar) -> bytes:
    if not parameter.floating:
        number = int(value) if not isinstance(value, LongDouble) else 0
        return (number % (1 << (8 * parameter.size))).to_bytes(parameter.size, "little")
    pattern = _nan_bytes(parameter, value)
    if pattern is not None:
        return pattern
    if parameter.size == 4:
        return _as_float(_as_double(value))
    if parameter.size == 8:
        return struct.pack("<d", _as_double(value))
    raise UsageError(f"'{parameter.name}': bytes of a long double are not recorded")


def _nan_bytes(parameter: Parameter, value: Scalar) -> bytes | None:
    """The bytes of a NaN, which no function of the library reads whole; None for other numbers."""
    size = min(parameter.size, 10)  # of a long double; the others of its 16 bytes do not count
    bits = nan_bits(value, 8 * size) if isinstance(value, LongDouble) else None
    return None if bits is None else bits.to_bytes(size, "little").ljust(parameter.size, b"\0")


def _as_float(value: float) -> bytes:
    try:
        return struct.pack("<f", value)
    except OverflowError:  # as C converts it
        return struct.pack("<f", math.copysign(math.inf, value))


def _as_double(value: Scalar) -> float:
    return float.fromhex(value.text) if isinstance(value, LongDouble) else float(value)


def _floating_text(value: Scalar) -> str:
    if isinstance(value, LongDouble):
        return _one_word(value.text)
    return float(value).hex() if isinstance(value, float) else str(value)


def _nondet(value: Scalar) -> str:
    if isinstance(value, int):
        return f"i {(value % (1 << 128)).to_bytes(16, 'little').hex()}"
    return f"f {_floating_text(value)}"


def _one_word(text: str) -> str:
    return "".join(text.split()) or "unnamed"


# ------------------------------------------------------------------------------ values out

UNHEARD = 64  # harness_support.c: the signal that ends a process whose descriptor is lost


@dataclass(frozen=True, slots=True)
class Answer:
    """What a harness says of the call; ``returned`` is None when the function did not return.
    ``called``: the call began; ``finished``: it returned, and all was said. ``garbled``: the
    program has written there as well."""

    returned: str | None = None
    memory: tuple[tuple[str, Value], ...] = ()
    assumption_failed: bool = False
    called: bool = False
    finished: bool = False
    garbled: bool = False

    def why_untold(self, signal: int) -> str:
        """Why a run that ended by itself, or by a signal, says nothing of the call; "" where it
        does."""
        if self.garbled or (signal == UNHEARD and not self.finished):
            return NOT_HEARD
        return "" if self.called else NOT_CALLED


def decode_answer(
    data: bytes,
    test: TestInput,
    signature: EntrySignature | None,
    symbols: Symbols = NO_SYMBOLS,
) -> Answer:
    try:
        return _decode_lines(data, test, signature, symbols)
    except (ValueError, struct.error):
        return Answer(garbled=True)


def _decode_lines(
    data: bytes, test: TestInput, signature: EntrySignature | None, symbols: Symbols
) -> Answer:
    returned: str | None = None
    memory: list[tuple[str, Value]] = []
    said: set[str] = set()
    given = {**dict(test.parameters), **dict(test.globals)}
    moved: set[str] = set()
    place = ""
    known = {each.name: each for each in (*_parts(signature),)}
    for line in data.decode("ascii", "replace").splitlines():
        match line.split(" "):
            case ["returned", "pointer", *where]:
                returned = _returned_pointer(where, symbols)
            case ["lies", *where]:
                place = f" at {_returned_pointer(where, symbols)}"
            case ["returned", "open", text]:
                returned = f"{c_value(bytes.fromhex(text))} without a 0{place}"
            case ["returned", text]:
                returned = _returned(text, signature.result if signature else None) + place
            case ["memory", name, text] if name in known:
                was_string = _is_text(known[name], given.get(name))
                value = _unpacked(known[name], bytes.fromhex(text), was_string)
                memory.append((f"{name} as given" if name in moved else name, value))
            case ["large", name, size, text]:
                memory.append((name, f"[{size} bytes, {text}]".encode()))
            case ["freed", name]:
                memory.append((f"{name} as given" if name in moved else name, FREED))
            case ["link", name, *where] if where != [name, _NOWHERE_ELSE]:
                moved.add(name)
                memory.append((name, _pointed(where, symbols)))
            case ["called" | "done" | "assume" as word]:
                said.add(word)
            case ["broken"]:
                raise ToolchainError(
                    "the harness cannot hand its values to the program under test",
                    hint="look for limits of memory and open files (ulimit -a)",
                )
    words = {each: each in said for each in ("assume", "called", "done")}
    return Answer(returned, tuple(memory), words["assume"], words["called"], words["done"])


def _is_text(parameter: Parameter, given: Value) -> bool:
    """Is the object shown as a text? A member is shown by its own type; other objects have the form
    of the input."""
    if parameter.owner and parameter.embedded:
        return parameter.kind is ParameterKind.STRING
    return isinstance(given, bytes)


def _pointed(where: list[str], symbols: Symbols) -> Value:
    """Where a pointer leads after the call, if not to what it was given: the name of an object, or
    whether it is null."""
    match where:
        case ["null"]:
            return None
        case ["text", text]:
            return bytes.fromhex(text)
        case ["number", text]:
            return f"(void *) {int(text)}".encode()
        case ["elsewhere", place]:
            found = symbols.at(int(place))
            return b"elsewhere" if found is None else _address(*found)
        case [name, offset]:
            distance = int.from_bytes(bytes.fromhex(offset), "little", signed=True)
            return _address(name, distance)
        case _:
            return b"elsewhere"


def _returned_pointer(where: list[str], symbols: Symbols) -> str:
    """Where a returned pointer leads: the name of an object or function, or that it is one."""
    found = _pointed(where, symbols)
    assert isinstance(found, bytes)
    return "pointer" if found == b"elsewhere" else found.decode("utf-8", "replace")


def _address(name: str, distance: int) -> bytes:
    sign = "-" if distance < 0 else "+"
    return f"&{name}{f' {sign} {abs(distance)}' if distance else ''}".encode()


def _parts(signature: EntrySignature | None) -> tuple[Parameter, ...]:
    if signature is None:
        return ()
    return (*signature.parameters, *signature.returned, *signature.lasting)


def _returned(text: str, result: Parameter | None) -> str:
    if result is None or text in ("null", "pointer", "structure"):
        return text
    data = bytes.fromhex(text)
    if result.kind is ParameterKind.STRING:
        return c_value(data)  # quoted: the text "null" is no null pointer
    return _as_c_prints(_scalar(result, data))


def _as_c_prints(value: Scalar) -> str:
    return value.text if isinstance(value, LongDouble) else repr(value)


def _unpacked(parameter: Parameter, data: bytes, was_string: bool) -> Value:
    if parameter.bits is not None:
        value = int.from_bytes(data, "little")
        negative = parameter.signed and value >> (parameter.width - 1)
        return value - (1 << parameter.width) if negative else value
    if was_string:
        return data.rstrip(b"\0")  # a buffer may hold more bytes behind its first 0
    size = parameter.size
    parts = [data[i : i + size] for i in range(0, len(data), size)]
    values = tuple(_signed_zero(_scalar(parameter, part)) for part in parts if len(part) == size)
    return values[0] if parameter.kind is ParameterKind.SCALAR and values else values


def _scalar(parameter: Parameter, data: bytes) -> Scalar:
    if not parameter.floating:
        return int.from_bytes(data, "little", signed=parameter.signed)
    if len(data) > 8:
        return _x87(data)
    value = float(struct.unpack("<f" if len(data) == 4 else "<d", data)[0])
    return LongDouble("nan") if value != value else value  # noqa: PLR0124


def _signed_zero(value: Scalar) -> Scalar:
    """The value, in a form in which -0.0 is not equal to 0.0."""
    negative = isinstance(value, float) and value == 0.0 and math.copysign(1.0, value) < 0
    return LongDouble("-0x0p+0") if negative else value


def _x87(data: bytes) -> Scalar:
    """A long double of 80 bits: sign, 15 bits of exponent, 64 of significand with its leading
    one."""
    significand = int.from_bytes(data[:8], "little")
    head = int.from_bytes(data[8:10], "little")
    sign, exponent = "-" if head >> 15 else "", head & 0x7FFF
    if exponent == 0x7FFF:
        infinite = significand << 1 & (1 << 64) - 1 == 0
        return float(sign + "inf") if infinite else LongDouble("nan")
    if significand == 0:
        return -0.0 if sign else 0.0
    return LongDouble(f"{sign}0x{significand:x}p{max(exponent, 1) - 16383 - 63:+d}")


# ------------------------------------------------------------------ the control program
# Before the first test it is checked that native runs can show differences, and errors.
#
#     control(1), control(1)     alike       control(1), control(2)     another status and output
#     control(3)                 a sanitizer reports it (memory, overflow) in builds that have one
#
# The program is compiled, started, fed and observed as programs under test are. A defect of the
# sandbox, the harness or a sanitizer is the same for both versions: every test would show the same
# failure twice, and pass for alike.

CONTROL = "control"  # its name among the builds
CONTROL_NUMBERS = ONE, OTHER, ERROR = 1, 2, 3
CONTROL_TEXT = """\
extern int printf(const char *, ...);
extern void *malloc(unsigned long);
int csgtest_control(int x)
{
    char *bytes = malloc(4);
    int sum = x + 2147483645; /* too much of 3 */
    (void) sum;
    printf("%d\\n", x);
    if (bytes)
        bytes[x + 1] = 0;
    return bytes ? x : 0;
}
int main(int argc, char **argv)
{
    return argc > 1 ? csgtest_control(argv[1][0] - '0') : 0;
}
"""
CONTROL_ENTRY = EntrySignature(
    "csgtest_control", parameter_of("", c.INT), (parameter_of("x", c.INT),)
)


def control_input(value: int, calls: bool) -> TestInput:
    """The input that gives the control program a number: as a parameter (``calls``), or to
    ``main``."""
    if calls:
        return TestInput(parameters=(("x", value),))
    return TestInput(args=(str(value).encode(),))


def check_control(run: Callable[[int], Observation], sanitizers: str) -> None:
    """Check a style of builds: ``run`` shows what the control program does with a number. Raises
    ToolchainError when that is not what it must show."""
    one, again, other = run(ONE), run(ONE), run(OTHER)
    if one != again:
        raise _broken("the same program shows one thing and another", one, again)
    shown = [(seen.stdout, seen.exit, seen.returned) for seen in (one, other)]
    if shown[0] == shown[1] or one.failed or other.failed:
        raise _broken("programs that differ are not told apart", one, other)
    if sanitizers and run(ERROR).sanitizer is None:
        raise _broken("an error is not seen by the sanitizer", one, run(ERROR))


def _broken(what: str, *seen: Observation) -> ToolchainError:
    shown = "; ".join(
        f"exit {each.exit}, signal {each.signal}, prints {each.stdout[:40]!r}" for each in seen
    )
    return ToolchainError(
        f"native runs cannot be relied on here: {what} ({shown})",
        hint="look for limits (ulimit -a) and for what keeps programs from running in a sandbox "
        "here; --no-replay goes without native runs",
    )
