"""Indexes beyond arrays inside of larger objects: the engine ends where ``-fsanitize=bounds`` of
the gcc here does, and nowhere else.

Random objects and random ways into them, many functions in one program:

    static void f7(void) { struct s3 *p = room(); int i = 3; out(p->m1[i].m0[2]); }

Natively each runs in a process of its own; the engine runs each from its beginning.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from symexec.campaign.building import BuildJob
from symexec.exploration.concrete_run import engine_alone
from symexec.exploration.start import fresh_state, loaded_program
from symexec.memory import FaultKind
from symexec.options import (
    BuildOptions,
    InputOptions,
    MemoryOptions,
    Range,
    SearchOptions,
    Uninitialised,
)
from symexec.replay.reports import sanitizer_kind
from symexec.state.endings import MemoryFault, PathEnding, Returned
from symexec.testcases import Observed
from tests.command_line import write_versions
from tests.jobs import finished
from tests.nightly import daily

FUNCTIONS = 150  # of one program
FLAGS = (
    "-g", "-O0", "-w", "-fwrapv",
    "-fsanitize=address,bounds,null,integer-divide-by-zero", "-fno-sanitize-recover=all",
)  # fmt: skip
HEAD = """
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile long shown;
static void *volatile taken;
static void out(long value) { shown = value; }
static void take(const void *place) { taken = (void *)place; }
static void *room(void) { return (char *)calloc(1, 1 << 16) + (1 << 15); }
"""
MAIN = """
int main(void)
{
    for (int n = 0; n < sizeof all / sizeof *all; n++) {
        if (!fork()) {
            all[n]();
            _exit(0);
        }
        int status = 0;
        wait(&status);
        write(2, status ? "\\n-\\n" : "\\n+\\n", 3);
    }
}
"""

Kind = "Scalar | Array | Struct"


class Scalar:
    def __init__(self, name: str) -> None:
        self.name = name


class Array:
    def __init__(self, element: Scalar | Array | Struct, length: int) -> None:
        self.element = element
        self.length = length


class Struct:
    """A structure or union. ``open``: its last member is an array without a length."""

    def __init__(
        self, name: str, members: list[tuple[str, Scalar | Array | Struct]], is_open: bool
    ) -> None:
        self.name = name
        self.members = members
        self.is_open = is_open


def declared(kind: Scalar | Array | Struct, name: str) -> str:
    while isinstance(kind, Array):
        name += f"[{kind.length or ''}]"
        kind = kind.element
    return f"{kind.name} {name}"


class Writer:
    """Random types, objects and accesses."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.structs: list[Struct] = []
        self.lines: list[str] = []

    def one_in(self, count: int) -> bool:
        return self.chance.randrange(count) == 0

    def kind(self, depth: int) -> Scalar | Array | Struct:
        choice = self.chance.randrange(10)
        if choice < 3 or depth == 0:
            return Scalar(self.chance.choice(("char", "short", "int", "long", "unsigned char")))
        if choice < 7:
            return Array(self.kind(depth - 1), self.chance.randint(1, 4))
        closed = [each for each in self.structs if not each.is_open]
        return self.chance.choice(closed) if closed else Scalar("int")

    def struct(self) -> Struct:
        number = len(self.structs)
        union = self.one_in(5)
        members = [(f"m{at}", self.kind(2)) for at in range(self.chance.randint(1, 4))]
        is_open = not union and self.one_in(6)
        if is_open:
            members.append(("more", Array(Scalar("int"), 0)))
            members.insert(0, ("size", Scalar("int")))
        made = Struct(f"{'union' if union else 'struct'} s{number}", members, is_open)
        body = " ".join(declared(kind, name) + ";" for name, kind in members)
        if not is_open and not union and self.one_in(6):
            body += " int : 3;"
        self.lines.append(f"{made.name} {{ {body} }};")
        self.structs.append(made)
        return made

    # ------------------------------------------------------------------ one function

    def function(self, number: int) -> str:
        self.locals: list[str] = []
        lvalue, kind, arrow = self.object(number)
        place, kind = self.path(lvalue, kind, arrow)
        use = self.use(place, kind)
        body = " ".join([*self.locals, use])
        return f"static void f{number}(void) {{ {body} }}"

    def object(self, number: int) -> tuple[str, Scalar | Array | Struct, bool]:
        """An object to begin with: its text, its type, and whether the text is a pointer to it."""
        kind = self.chance.choice(self.structs)
        closed = self.chance.choice([each for each in self.structs if not each.is_open])
        match self.chance.randrange(8):
            case 0 | 1 | 2:
                self.locals.append(f"{kind.name} *p = room();")
                return "p", kind, True
            case 3:
                self.lines.append(f"static {closed.name} g{number};")
                return self.chance.choice(
                    ((f"g{number}", closed, False), (f"(&g{number})", closed, True))
                )
            case 4:
                self.locals.append(f"{closed.name} s; memset(&s, 0, sizeof s);")
                return "s", closed, False
            case 5:
                many = Array(self.kind(1), self.chance.randint(1, 4))
                self.lines.append(f"static {declared(many, f'g{number}')};")
                return f"g{number}", many, False
            case 6:
                row = Array(self.kind(1), self.chance.randint(1, 4))
                self.locals.append(f"{declared(row, '(*p)')} = room();")
                return self.chance.choice((("(*p)", row, False), ("p[1]", row, False)))
            case _:
                element = Scalar(self.chance.choice(("char", "int", "long")))
                count = self.chance.randint(1, 4)
                whole = Array(Array(element, count), self.chance.randint(1, 3))
                self.locals.append(
                    f"int n = {count}; {element.name} v[{whole.length}][n]; "
                    "memset(v, 0, sizeof v); n = 9;"
                )
                return "v", whole, False

    def path(
        self, text: str, kind: Scalar | Array | Struct, arrow: bool
    ) -> tuple[str, Scalar | Array | Struct]:
        """A way from the object to a part of it."""
        while True:
            if text == "p" and arrow and self.one_in(6):
                text, arrow = f"{text}[1]", False
            elif arrow and self.one_in(6):
                text, arrow = f"(*{text})", False
            match kind:
                case Struct():
                    name, kind = self.chance.choice(kind.members)
                    text, arrow = f"{text}{'->' if arrow else '.'}{name}", False
                case Array():
                    if self.one_in(8):
                        return text, kind
                    text, kind = f"{text}[{self.index(kind.length)}]", kind.element
                case _:
                    return text, kind
            if self.one_in(12):
                text, arrow = f"(&{text})", True
                if not isinstance(kind, Struct):
                    text, arrow = f"(*{text})", False

    def index(self, length: int) -> str:
        value = self.chance.choice((0, length - 1, length - 1, length, length, length + 1, -1, 7))
        match self.chance.randrange(6):
            case 0:
                return str(value)
            case 1:
                value = abs(value)
                return f"{self.local('int', value)} & {self.chance.choice((1, 3, 7))}"
            case 2:
                return f"{self.local('unsigned', abs(value))} % {self.chance.choice((2, 3, 5))}u"
            case _:
                kinds = ("int", "long", "unsigned", "unsigned long", "unsigned char", "short")
                kind = self.chance.choice(kinds)
                if self.one_in(12) and kind in ("long", "unsigned long"):
                    return self.local(kind, (1 << 62) + abs(value))
                return self.local(kind, value)

    def local(self, kind: str, value: int) -> str:
        name = f"i{len(self.locals)}"
        self.locals.append(f"{kind} {name} = {value};")
        return name

    def use(self, place: str, kind: Scalar | Array | Struct) -> str:
        match kind:
            case Scalar():
                return self.chance.choice(
                    (
                        f"out({place});", f"out({place});", f"{place} = 3;", f"{place} += 2;",
                        f"{place}++;", f"--{place};", f"take(&{place});", f"out(*&{place});",
                        f"out(sizeof {place});", f"out({place} ? 1 : 2);", f"take(&{place} + 0);",
                        f"long t[] = {{ {place} }}; out(t[0]);",
                    )
                )  # fmt: skip
            case Array(length=0):
                return f"take({place});"
            case Array():
                return self.chance.choice(
                    (f"take({place});", f"take(&{place});", f"take({place} + 1);",
                     f"take(&{place}[{self.index(kind.length)}]);")
                )  # fmt: skip
            case _:
                return f"{kind.name} other = {place}; take(&other);"

    def program(self) -> str:
        for _ in range(12):
            self.struct()
        functions = [self.function(number) for number in range(FUNCTIONS)]
        names = ", ".join(f"f{number}" for number in range(FUNCTIONS))
        table = f"static void (*const all[])(void) = {{ {names} }};"
        return "\n".join([HEAD, *self.lines, *functions, table, MAIN])


def natively(file: Path) -> list[str]:
    """The error of each function, as the sanitizers call it; "" where it ends well."""
    binary = file.with_suffix("")
    subprocess.run(["gcc", *FLAGS, str(file), "-o", str(binary)], check=True, capture_output=True)
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}
    done = subprocess.run([str(binary)], capture_output=True, check=True, env=environment)
    parts = re.split(rb"\n([-+])\n", done.stderr)[:-1]
    kinds = [sanitizer_kind([report])[0] or "" for report in parts[::2]]
    assert [bool(kind) for kind in kinds] == [sign == b"-" for sign in parts[1::2]]
    return kinds


def by_engine(file: Path) -> Iterator[PathEnding]:
    program = loaded_program(file, (), "main", [])
    engine = engine_alone(program, MemoryOptions(Uninitialised.ZERO))
    for number in range(FUNCTIONS):
        state = fresh_state(engine)
        engine.machine.enter(state, f"f{number}", (), None)
        while state.frame is not None:
            (state,) = engine.advance(state, 10_000)
        outcome = state.new_outcome
        assert outcome is not None
        yield outcome.ending


def agree(native: str, ending: PathEnding, text: str) -> bool:
    """Is the ending what a native run shows? An index beyond a whole object may be called an access
    beyond it, and natively ``a[i] += 1`` reads the element before the index is checked."""
    match ending:
        case MemoryFault(kind=FaultKind.INDEX) if "+=" not in text:
            return native == "index out of bounds"
        case MemoryFault():
            return bool(native)
        case _:
            return isinstance(ending, Returned) and not native


@pytest.mark.parametrize("seed", daily(range(60), 6))
def test_generated_indexes_fail_as_they_natively_do(seed: int, tmp_path: Path) -> None:
    file = tmp_path / "indexes.c"
    writer = Writer(seed)
    file.write_text(writer.program())
    native = natively(file)
    assert len(native) == FUNCTIONS
    lines = {line[12:].partition("(")[0]: line for line in file.read_text().splitlines()}
    wrong = [
        f"natively {shown or 'well'}, here {ending}: {lines[f'f{number}']}"
        for number, (shown, ending) in enumerate(zip(native, by_engine(file), strict=True))
        if not agree(shown, ending, lines[f"f{number}"])
    ]
    assert wrong == []
    assert native.count("index out of bounds") > FUNCTIONS // 10 and "" in native


# --------------------------------------------------------------------------- two versions

GIF = """
struct frame { int first, second; };
struct gif { int size; struct frame frames[3]; int head, two[2], four[4], total; };
static struct gif known;
static int three[3], five[5];

int f(struct gif *p, int i)
{
    BODY
}
"""
INDEX = "index out of bounds"

# what old and new do, and which of them end with an index beyond an array, by the index
PAIRS = {
    "both end": (
        "return i < 3 ? i : p->frames[i].first + 1;",
        "return i < 3 ? i + 1 : p->frames[i].first + 2;",
        {3: (INDEX, INDEX)},
    ),
    "the old version ends": (
        "return p->frames[i].first;",
        "return i < 0 || i > 2 ? 0 : p->frames[i].first;",
        {3: (INDEX, None)},
    ),
    "the new version ends": (
        "return i < 3 ? p->frames[i < 0 ? 0 : i].first : 0;",
        "return i < 4 ? p->frames[i < 0 ? 0 : i].first : 0;",
        {3: (None, INDEX)},
    ),
    "an index changes": (
        "return known.frames[i].second;",
        "return known.frames[i + 1].second;",
        {2: (None, INDEX), -1: (INDEX, None), 4: (INDEX, INDEX)},
    ),
    "an address one further": (
        "return p->head ? &p->frames[i] == 0 : 7;",
        "return p->head ? &p->frames[i + 1] == 0 : 7;",
        {3: (None, INDEX)},
    ),
    "an array becomes a member": (
        "return three[i];",
        "return known.frames[i].first;",
        {3: (INDEX, INDEX)},
    ),
    "a longer array": (
        "return i > 0 ? *&three[i] : 0;",
        "return i > 0 ? *&five[i] : 0;",
        {4: (INDEX, None), 6: (INDEX, INDEX)},
    ),
    "another member": (
        "return p->two[i < 0 ? 0 : i];",
        "return p->four[i < 0 ? 0 : i];",
        {3: (INDEX, None), 5: (INDEX, INDEX)},
    ),
    "a pointer instead of an array": (
        "int *two = p->two; return i < 0 || i > 4 ? 9 : two[i];",
        "int *two = p->two; return i < 0 || i > 4 ? 9 : p->two[i];",
        {3: (None, INDEX)},
    ),
    "a loop": (
        "for (int k = 0; k < 3; k++) known.frames[k].first = i; return i;",
        "for (int k = 0; k < i && k < 5; k++) known.frames[k].first = i; return i;",
        {4: (None, INDEX)},
    ),
    "a check instead of an error": (
        "p->frames[p->head].first = i; return i;",
        "if (p->head < 0 || p->head > 2) return -1; p->frames[p->head].first = i; return i;",
        {},
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_versions_differ_as_predicted(name: str, tmp_path: Path) -> None:
    old, new, shown = PAIRS[name]
    files = write_versions(tmp_path, GIF.replace("BODY", old), GIF.replace("BODY", new))
    inputs = InputOptions(entry="f", ranges=(Range("i", -2, 7),))
    options = BuildOptions(*files, inputs=inputs, search=SearchOptions(time=20.0))
    job = finished(BuildJob(options))
    assert job.mispredicted == [] and job.counters.branch_mismatches == 0
    assert all(case.observed is Observed.DIFFERENT for case in job.predicted)
    seen = {dict(case.input.parameters)["i"]: case for case in job.found}
    for index, kinds in shown.items():
        case = seen.get(index)
        if case is not None and case.old is not None and case.new is not None:
            assert (case.old.sanitizer, case.new.sanitizer) == kinds
    ends = [
        (case.old.sanitizer, case.new.sanitizer)
        for case in job.found
        if case.old is not None and case.new is not None
    ]
    for kinds in shown.values():
        assert kinds[0] == kinds[1] or kinds in ends
    assert ends
