"""Pairs of programs of several files, which share types in all the ways that files do.

    names.h   typedef struct r1 R1;                  all files know the names
    r1.h      struct r1 { struct r0 m[2]; };         some see the members
    f1.c      typedef struct { short a; } cell;      each has types of its own, of the same names
              struct holder1 { cell *cells; };       that others know by name alone

``several_files(Random(3))`` gives the files of the old version and of the new one, by name. The
program takes a number and prints one.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from random import Random

Files = dict[str, str]

SCALARS = ("int {}", "char {}", "short {}[3]", "unsigned {} : 3", "double {}", "char *{}")
OF_RECORDS = (
    "{} {{}}",
    "{} {{}}[2]",
    "{} *{{}}",
    "{} (*{{}})[2]",
    "int (*{{}})({} (*)[2])",
    "struct {{{{ {} inner; char end; }}}} {{}}",
    "union {{{{ {} of{{0}}; long number{{0}}; }}}}",
)
OWN_TAGS = (
    "struct node {{ {0}; struct node *next; }};",
    "union node {{ {0}; char bytes[4]; }};",
    "enum node {{ NODE_A = {1}, NODE_B }};",
    "",
)
OWN_TYPES = (
    "typedef struct {{ {0}; }} cell;",
    "typedef union {{ {0}; long number; }} cell;",
    "typedef enum {{ FIRST = {1}, SECOND }} cell;",
    "typedef struct cell {{ struct {{ {0}; }} in[2]; enum {{ LEFT = {1} }} side; }} cell;",
)
MAIN = """\
#include <stdio.h>
#include <stdlib.h>
#include "names.h"
int api(struct top *t, int x) {{ return t && x > 3 ? {calls} : x; }}
int main(int argc, char **argv)
{{
    struct top t = {{0}};
    return printf("%d\\n", api(&t, argc > 1 ? atoi(argv[1]) : 4)) < 0;
}}
"""


@dataclass
class Record:
    """A type that several files know. ``embeds``: the records whose headers it includes."""

    keyword: str
    members: list[str]
    embeds: list[int]


@dataclass
class File:
    """``sees``: the records whose members it sees, in the order of its includes."""

    sees: list[int]
    own: str = ""
    number: int = 0


@dataclass
class Program:
    records: list[Record] = field(default_factory=list)
    files: list[File] = field(default_factory=list)

    def texts(self) -> Files:
        count = range(len(self.records))
        found = {"names.h": guarded("names", self.names()), "main.c": main_text(len(self.records))}
        found |= {f"r{at}.h": guarded(f"r{at}", self.header(at)) for at in count}
        return found | {f"f{at}.c": self.file(at) for at in count}

    def names(self) -> str:
        lines = [f"typedef {each.keyword} r{at} R{at};" for at, each in enumerate(self.records)]
        members = " ".join(f"struct holder{at} *h{at}; R{at} *r{at};" for at in range(len(lines)))
        lines += [f"struct holder{at};" for at in range(len(lines))]
        lines += [f"struct top {{ {members} }};"]
        lines += [
            f"int use{at}(R{at} *r, struct holder{at} *h, int x);" for at in range(len(lines) // 2)
        ]
        return "\n".join(lines)

    def header(self, at: int) -> str:
        record = self.records[at]
        includes = "".join(f'#include "r{each}.h"\n' for each in record.embeds)
        return f"{includes}{record.keyword} r{at} {{ {' '.join(record.members)} }};"

    def file(self, at: int) -> str:
        file, record = self.files[at], self.records[at]
        sizes = "".join(f" + (int)sizeof(R{each})" for each in file.sees)
        calls = "".join(
            f"    R{each} *p{each} = 0;\n    x += use{each}(p{each}, 0, x - {file.number});\n"
            for each in range(at)
            if each % 2 == at % 2
        )
        first = "r->m0" if record.members[0].endswith("*m0;") else "&r->m0"
        return (
            '#include "names.h"\n'
            + "".join(f'#include "r{each}.h"\n' for each in file.sees)
            + f"{file.own}\n"
            + f"struct holder{at} {{ cell *cells; cell one; }};\n"
            + f"static int size(cell *c) {{ return (int)sizeof *c + {file.number}; }}\n"
            + f"int use{at}(R{at} *r, struct holder{at} *h, int x)\n{{\n{calls}"
            + f"    if (r)\n        x += (char *)({first}) - (char *)r;\n"
            + "    if (h)\n        x += size(h->cells) + (int)sizeof h->one;\n"
            + f"    return x * 3{sizes} + size(0);\n}}\n"
        )


def guarded(name: str, text: str) -> str:
    return f"#ifndef {name.upper()}_H\n#define {name.upper()}_H\n{text}\n#endif\n"


def main_text(count: int) -> str:
    return MAIN.format(calls=" + ".join(f"use{at}(t->r{at}, t->h{at}, x)" for at in range(count)))


def several_files(random: Random) -> tuple[Files, Files]:
    """The files of the old version and of the new one."""
    old = Program()
    for at in range(random.randint(2, 4)):
        old.records.append(_record(random, at))
        others = [each for each in range(at) if random.random() < 0.5]
        old.files.append(File([], _own(random), random.randint(0, 9)))
        old.files[at].sees = random.sample([at, *others], len(others) + 1)
    new = deepcopy(old)
    for _ in range(random.randint(1, 3)):
        _edit(random, new, random.randrange(len(new.files)))
    return old.texts(), new.texts()


def _record(random: Random, at: int) -> Record:
    members, embeds = [f"{random.choice(('int', 'char', 'char *', 'double'))} m0;"], []
    for number in range(1, random.randint(2, 4)):
        if at and random.random() < 0.7:
            embedded = random.randrange(at)
            embeds.append(embedded)
            shape = random.choice(OF_RECORDS).format(f"R{embedded}")
        else:
            shape = random.choice(SCALARS)
        members.append(f"{shape.format(f'm{number}')};")
    return Record(random.choice(("struct", "struct", "union")), members, sorted({*embeds}))


def _own(random: Random) -> str:
    lines = [random.choice(OWN_TAGS), random.choice(OWN_TYPES)]
    return "\n".join(
        line.format(random.choice(SCALARS).format("a"), random.randint(0, 2)) for line in lines
    )


def _edit(random: Random, program: Program, at: int) -> None:
    record, file = program.records[at], program.files[at]
    match random.choice(("number", "member", "order", "own", "see", "keyword", "includes")):
        case "number":
            file.number += 1
        case "member":
            record.members.append("int added;" if "int added;" not in record.members else "")
        case "order":
            record.members[1:] = reversed(record.members[1:])
        case "own":
            file.own = _own(random)
        case "see":  # or no longer: the others are known by name
            file.sees = [at] if len(file.sees) > 1 else [*range(at + 1)]
        case "keyword":
            record.keyword = "union" if record.keyword == "struct" else "struct"
        case "includes":
            file.sees.reverse()
