"""Write an input that no test can say as a C program of its own.

both(&x, &x)      #include VERSION
                  int main(void) { ... result = both((void *) object0, (void *) object0); ... }
"""

from __future__ import annotations

from collections.abc import Iterator

from csg.language.syntax import FunctionDefinition
from csg.language.types import (
    Enumeration,
    Floating,
    Function,
    Integer,
    Pointer,
    Record,
    Type,
    Void,
    is_signed,
)
from symexec.attack.functions import Unusual
from symexec.attack.inputs import Argument, DriverInput, Made

PER_LINE = 16
SHOWN = 24  # bytes of an object in a line
_BEGIN = """\
/* {why}
 * Compile it with either version, and with the other files of the program:
 *     cc -DVERSION='"old.c"' {name}.c && ./a.out
 *     cc -DVERSION='"new.c"' {name}.c && ./a.out */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define main user_main
#include VERSION
#undef main

static void show(const char *name, const unsigned char *bytes, unsigned long size)
{{
    printf("%s", name);
    for (unsigned long i = 0; i < size; i++)
        printf(" %02x", bytes[i]);
    printf("\\n");
}}

static unsigned char *object(const char *bytes, unsigned long size)
{{
    return memcpy(malloc(size ? size : 1), bytes, size);
}}

int main(void)
{{
"""


def witness(
    entry: FunctionDefinition, made: DriverInput, unusual: Unusual, name: str, why: str
) -> str:
    """The program; it says where it leaves out what it cannot write down."""
    lines = [
        f"    unsigned char *object{at} = object({_literal(each)}, {len(each.data)});"
        for at, each in enumerate(made.objects)
    ]
    for at, each in enumerate(made.objects):
        lines += _links(at, each)
    kind = entry.symbol.type
    assert isinstance(kind, Function)
    for at, (argument, symbol) in enumerate(zip(made.arguments, entry.parameters, strict=True)):
        lines += _argument(at, argument, symbol.type)
    names = ", ".join(f"argument{at}" for at in range(len(made.arguments)))
    call = f"{entry.symbol.name}({names})"
    again = [f"    {call}; /* the first of two calls */"] if Unusual.TWICE in unusual else []
    lines += [*again, *_result(kind.result, call)]
    lines += [
        f'    show("object{at}", object{at}, {len(each.data)}); /* undefined if it was freed */'
        for at, each in enumerate(made.objects)
    ]
    return _BEGIN.format(why=why, name=name) + "\n".join(lines) + "\n    return 0;\n}\n"


def call_text(entry: FunctionDefinition, made: DriverInput, unusual: Unusual) -> str:
    """The call in one line, with what the objects hold."""
    given = []
    for argument, symbol in zip(made.arguments, entry.parameters, strict=True):
        if argument.object >= 0:
            tagged = f" + {argument.offset}" if argument.offset else ""
            given.append(f"object{argument.object}{tagged}")
        elif isinstance(symbol.type, Integer | Enumeration):
            number = int.from_bytes(argument.data, "little", signed=is_signed(symbol.type))
            given.append(str(number))
        else:
            given.append(argument.word or argument.data.hex(" "))
    call = f"{entry.symbol.name}({', '.join(given)})"
    twice = f"{call}; " if Unusual.TWICE in unusual else ""
    held = [f"object{at}: {each.data[:SHOWN].hex(' ')}" for at, each in enumerate(made.objects[:3])]
    return f"{twice}{call}{'  # ' if held else ''}{'; '.join(held)}"


def _literal(made: Made) -> str:
    rows = [made.data[at : at + PER_LINE] for at in range(0, len(made.data), PER_LINE)]
    texts = ['"' + "".join(f"\\{each:03o}" for each in row) + '"' for row in rows]
    return ("\n        " if len(texts) > 1 else "") + "\n        ".join(texts or ['""'])


def _links(at: int, made: Made) -> Iterator[str]:
    for offset, (to, distance) in sorted(made.links.items()):
        yield f"    *(void **) (object{at} + {offset}) = object{to} + {distance};"
    for offset in sorted(made.foreign):
        yield f"    *(void **) (object{at} + {offset}) = NULL; /* a function or a global object */"


def _argument(at: int, argument: Argument, kind: Type) -> Iterator[str]:
    if isinstance(kind, Pointer):
        where = "NULL"
        if argument.object >= 0:
            where = f"object{argument.object} + {argument.offset}"
        elif argument.word != "null":
            where = f"NULL /* {argument.word.replace('*/', '')} */"
        yield f"    void *argument{at} = {where};"
    elif isinstance(kind, Integer | Enumeration):
        text = str(kind.underlying if isinstance(kind, Enumeration) else kind)
        value = int.from_bytes(argument.data[:8], "little", signed=is_signed(kind))
        yield f"    {text} argument{at} = ({text}) {value % (1 << 64):#x}; /* {value} */"
    else:
        type_text = str(kind) if isinstance(kind, Floating) else _structure(kind)
        data = '"' + "".join(f"\\{each:03o}" for each in argument.data) + '"'
        yield f"    {type_text} argument{at};"
        yield f"    memcpy(&argument{at}, {data}, {len(argument.data)});"


def _structure(kind: Type) -> str:
    assert isinstance(kind, Record)
    return f"{kind.kind} {kind.tag}" if kind.tag.isidentifier() else kind.typedef


def _result(kind: Type, call: str) -> Iterator[str]:
    match kind:
        case Void():
            yield f"    {call};"
        case Integer() | Enumeration():
            yield f'    printf("result %lld\\n", (long long) {call});'
        case Floating():
            yield f'    printf("result %La\\n", (long double) {call});'
        case _:
            yield f"    __auto_type result = {call};"
            yield '    show("result", (const unsigned char *) &result, sizeof result);'
