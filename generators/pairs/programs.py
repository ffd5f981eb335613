"""Random programs: an entry function of two or three small integers, helpers, global state.

    program(Random(7))    ->    Source with .text, .ranges for the inputs, .entry

Every loop is bounded and nothing is undefined but indexes out of bounds and divisions by zero.
"""

from __future__ import annotations

from random import Random

from generators.pairs import fragments
from generators.pairs.growing import ARITHMETIC, SMALL, TYPES, Grower, name, number
from generators.pairs.tree import Function, Node, Source


def program(random: Random) -> Source:
    risky = random.choice((0.0, 0.0, 0.3))
    wide = random.random() < 0.6
    head: list[str] = [*fragments.HEAD, *fragments.OTHERS] if wide else []
    globals_: list[tuple[str, str, str]] = []
    if random.random() < 0.5:
        globals_.append((f"{random.choice(TYPES)} g0", "g0", str(random.randint(0, 5))))
    tables: list[tuple[str, int]] = []
    if random.random() < 0.5:
        size = random.choice((2, 4))
        values = ", ".join(str(random.randint(0, 9)) for _ in range(size))
        globals_.append((f"{random.choice(SMALL)} t0[{size}]", "t0", f"{{{values}}}"))
        tables.append(("t0", size))
    structured = random.random() < 0.4
    if structured:
        kinds = [random.choice(SMALL) for _ in range(3)]
        head.append(f"struct S {{ {kinds[0]} x; {kinds[1]} y; {kinds[2]} z; }};")
        if random.random() < 0.5:
            globals_.append(("struct S r", "r", "{1, 2, 3}"))
    outer = [each[1] for each in globals_ if each[1] == "g0"]
    fields = ["r.x", "r.y", "r.z"] if any(each[1] == "r" for each in globals_) else []
    functions = _helpers(random, risky, outer, tables, structured)
    functions.append(_entry(random, risky, outer, tables, fields, functions, wide))
    entry = functions[-1]
    ranges = [_range(random, kind, each) for kind, each in entry.parameters if each != "in"]
    made = Source(head, globals_, functions, ranges, list(fragments.NAMES) if wide else [])
    if entry.parameters[-1][1] == "in":
        made.buffer = 2
        made.ranges += [(f"in[{at}]", low, low + 2) for at, low in enumerate((0, 126))]
    return made


def _range(random: Random, kind: str, parameter: str) -> tuple[str, int, int]:
    width = random.choice((5, 8, 12, 16)) if parameter != "c" else random.choice((2, 3))
    if kind.startswith("unsigned"):
        low = random.choice((0, 0, 1, 250 - width, 120))
    else:
        low = random.choice((-width // 2, 0, -3, -128, 120 - width))
    return (parameter, low, low + width - 1)


def _helpers(
    random: Random, risky: float, outer: list[str], tables: list[tuple[str, int]], structured: bool
) -> list[Function]:
    made = []
    if random.random() < 0.6:
        grower = Grower(random, risky)
        kinds = [(random.choice(TYPES), each) for each in ("m", "n")]
        grower.scalars = ["m", "n"]
        grower.readable = list(outer)
        grower.tables = list(tables)
        first = [(random.choice(TYPES), "k", grower.value(1))]
        grower.scalars.append("k")
        body = _pure_block(grower)
        made.append(Function(random.choice(TYPES), "h0", kinds, first, body))
    if random.random() < 0.4:  # writes through a pointer, and to globals
        grower = Grower(random, risky)
        grower.scalars = ["n", *outer]
        grower.pointers = ["p"]
        grower.tables = list(tables)
        grower.result = False
        body = grower.block(2, 3)
        made.append(Function("void", "h1", [("int *", "p"), ("int", "n")], [], body))
    if structured and random.random() < 0.6:
        grower = Grower(random, risky)
        grower.scalars = ["n"]
        grower.fields = ["q->x", "q->y", "q->z"]
        body = grower.block(2, 3)
        body.parts.append(Node("return", "", [grower.value(2)]))
        made.append(Function("int", "h2", [("struct S *", "q"), ("int", "n")], [], body))
    if random.random() < 0.3:  # calls itself
        down = Node("call", "h3", [Node("binary", "-", [name("n"), Node("number", "1")])])
        grower = Grower(random, risky)
        grower.scalars = ["n"]
        grower.readable = list(outer)
        done = Node("block", "", [Node("return", "", [grower.value(1)])])
        stop = Node("compare", "<=", [name("n"), Node("number", "0")])
        again = Node("binary", random.choice(ARITHMETIC), [grower.value(1), down])
        body = Node("block", "", [Node("if", "", [stop, done]), Node("return", "", [again])])
        made.append(Function("int", "h3", [("int", "n")], [], body))
    return made


def _pure_block(grower: Grower) -> Node:
    """Statements that write nothing but the function's own variables."""
    tables, grower.tables = grower.tables, []
    body = grower.block(2, 3)
    grower.tables = tables
    body.parts.append(Node("return", "", [grower.value(2)]))
    return body


def _entry(
    random: Random,
    risky: float,
    outer: list[str],
    tables: list[tuple[str, int]],
    fields: list[str],
    helpers: list[Function],
    wide: bool,
) -> Function:
    grower = Grower(random, risky)
    parameters = [("signed char", "a"), ("unsigned char", "b")]
    if random.random() < 0.4:
        parameters.append((random.choice(("int", "short", "unsigned char")), "c"))
    names = [each for _, each in parameters]
    if wide and random.random() < 0.25:
        parameters = [parameters[0], ("short *", "in")]
        names = names[:1]
        grower.tables.append(("in", 2))
    grower.readable = list(names)
    grower.scalars = [*outer, "v0", "v1", "v2", *random.sample(names, 1)]
    grower.tables += tables
    grower.fields = list(fields)
    if wide:
        grower.pieces = fragments.PLAIN + fragments.CALLS
        grower.pieces += fragments.ENDINGS if random.random() < 0.5 else ()
        grower.pieces += fragments.FLOATING if random.random() < 0.15 else ()
    grower.counters = ["i3", "i2", "i1", "i0"]
    grower.prints = random.random() < 0.35
    own = [("int", "v0", grower_first(random, names)), ("int", "v1", number(random))]
    own.append((random.choice(TYPES), "v2", grower_first(random, names)))
    own += [("int", each, Node("number", "0")) for each in grower.counters]
    if random.random() < 0.4:
        kind, size = random.choice(SMALL), random.choice((2, 4))
        values = ", ".join(str(random.randint(0, 5)) for _ in range(size))
        own.append((f"{kind}[{size}]", "u", Node("raw", f"{{{values}}}")))
        grower.tables.append(("u", size))
    if random.random() < 0.3:
        grower.pointers = ["p"]
        own.append(("int *", "p", Node("raw", "&v0")))
    if random.random() < 0.3:
        grower.walkers = ["w"]
        own.append(("const char *", "w", Node("raw", '""')))
    _offer(random, grower, own, names, helpers)
    grower.label = "out" if random.random() < 0.3 else ""
    body = grower.block(3, 6)
    grower.label, label = "", grower.label
    if label:
        body.parts.append(Node("label", label))
    body.parts.append(Node("return", "", [grower.value(3)]))
    kind = random.choice(("int", "int", "int", "unsigned char", "long", "short"))
    return Function(kind, "f", parameters, own, body)


def grower_first(random: Random, names: list[str]) -> Node:
    return name(random.choice(names)) if random.random() < 0.6 else number(random)


def _offer(
    random: Random,
    grower: Grower,
    own: list[tuple[str, str, Node]],
    names: list[str],
    helpers: list[Function],
) -> None:
    """What the entry function may call."""
    for helper in helpers:
        argument = random.choice(names)
        match helper.name:
            case "h0":
                grower.pure.append(("h0", 2))
            case "h1":
                grower.invocations += [f"h1(&v0, {argument})", f"h1(&v1, {argument} + 1)"]
            case "h2":
                own.append(("struct S", "s", Node("raw", f"{{1, {argument}, 2}}")))
                grower.fields += ["s.x", "s.y", "s.z"]
                grower.invocations += [f"v1 = h2(&s, {argument})", "v2 += h2(&s, v1)"]
            case "h3":
                grower.invocations += [f"v0 = h3({argument} & 3)", "v2 ^= h3(v1 & 3)"]
