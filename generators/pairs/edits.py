"""Change a program as a patch would: 1 to 4 small edits drawn from a random generator.

a < b  ->  a <= b    |    x = 1;  ->  if (c) { x = 1; }    |    int v2  ->  short v2    | ...
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from generators.pairs.growing import ARITHMETIC, COMPARISONS, TYPES, Grower, name, number
from generators.pairs.tree import EXPRESSIONS, STATEMENTS, Function, Node, Source, walk


def edited(source: Source, random: Random) -> Source:
    changed = source.copy()
    for _ in range(random.randint(1, 4)):
        for _attempt in range(20):
            if random.choice(EDITS)(changed, random):
                break
    return changed


def _function(source: Source, random: Random) -> Function:
    return source.entry if random.random() < 0.7 else random.choice(source.functions)


def _nodes(function: Function, forms: frozenset[str]) -> list[Node]:
    return [node for node in walk(function.body) if node.form in forms]


def _slots(function: Function) -> list[tuple[Node, int]]:
    """Each statement in a block: its block and place. The last one (the return) stays."""
    slots = []
    for node in walk(function.body):
        if node.form == "block":
            slots += [(node, at) for at, part in enumerate(node.parts) if part.form in STATEMENTS]
    last = (function.body, len(function.body.parts) - 1)
    return [slot for slot in slots if slot[0] is not last[0] or slot[1] != last[1]]


def _grower(function: Function, random: Random) -> Grower:
    """Grows code in the function's own variables."""
    grower = Grower(random, 0.2)
    names = [each for kind, each in function.parameters if "*" not in kind]
    names += [each for kind, each, _ in function.locals if kind in TYPES and each[0] != "i"]
    grower.scalars = names
    grower.result = function.result != "void"
    return grower


def _operator(source: Source, random: Random) -> bool:
    function = _function(source, random)
    found = _nodes(function, frozenset(("binary", "compare", "logic", "shift", "divide", "step")))
    found = [n for n in found if not (n.form == "binary" and n.parts[1].text in ("1", "3", "7"))]
    if not found:
        return False
    node = random.choice(found)
    choices: dict[str, tuple[str, ...]] = {
        "binary": ARITHMETIC, "compare": COMPARISONS, "logic": ("&&", "||"),
        "shift": ("<<", ">>"), "divide": ("/", "%"), "step": ("++", "--"),
    }  # fmt: skip
    node.text = random.choice([each for each in choices[node.form] if each != node.text])
    return True


def _constant(source: Source, random: Random) -> bool:
    found = _nodes(_function(source, random), frozenset(("number",)))
    if not found:
        return False
    node = random.choice(found)
    value = int(node.text)
    if value in (3, 7):  # masks that keep loops and indexes small
        node.text = str(random.choice((1, 2, value)))
    else:
        node.text = str(value + random.choice((-1, 1)))
    return True


def _value(source: Source, random: Random) -> bool:
    function = _function(source, random)
    found = [n for n in _nodes(function, EXPRESSIONS) if n.form not in ("call", "logic")]
    held = {id(n.parts[0]) for n in walk(function.body) if n.form in ("assign", "step")}
    held |= {id(part) for n in walk(function.body) if n.form == "piece" for part in n.parts[2:]}
    held |= {id(part) for n in walk(function.body) for part in n.parts if n.form == "loop"}
    held |= {id(n) for each in walk(function.body) if each.form in ("call", "index", "divide")
             for part in each.parts for n in walk(part)}  # fmt: skip
    found = [node for node in found if id(node) not in held]
    if not found:
        return False
    node = random.choice(found)
    grower = _grower(function, random)
    made = grower.condition(1) if node.form == "compare" else grower.value(1)
    node.form, node.text, node.parts = made.form, made.text, made.parts
    return True


def _condition(source: Source, random: Random) -> bool:
    function = _function(source, random)
    found = _nodes(function, frozenset(("if", "while", "do")))
    if not found:
        return False
    node = random.choice(found)
    grower = _grower(function, random)
    pair = [node.parts[0], grower.condition(0)]
    random.shuffle(pair)
    node.parts[0] = random.choice(
        (
            Node("logic", random.choice(("&&", "||")), pair),
            Node("unary", "!", [node.parts[0]]),
            grower.condition(1),
        )
    )
    return True


def _add(source: Source, random: Random) -> bool:
    function = _function(source, random)
    block, at = random.choice(_slots(function) or [(function.body, 0)])
    block.parts.insert(at, _grower(function, random).statement(1))
    return True


def _delete(source: Source, random: Random) -> bool:
    slots = _slots(_function(source, random))
    slots = [slot for slot in slots if len(slot[0].parts) > 1]
    if not slots:
        return False
    block, at = random.choice(slots)
    del block.parts[at]
    return True


def _duplicate(source: Source, random: Random) -> bool:
    slots = [(b, at) for b, at in _slots(_function(source, random)) if not _jumps(b.parts[at])]
    if not slots:
        return False
    block, at = random.choice(slots)
    block.parts.insert(at, block.parts[at].copy())
    return True


def _jumps(node: Node) -> bool:
    """Does it hold what cannot stand twice?"""
    forms = ("label", "loop", "while", "do")
    return any(n.form in forms or (n.form == "piece" and "again" in n.text) for n in walk(node))


def _swap(source: Source, random: Random) -> bool:
    slots = _slots(_function(source, random))
    slots = [(b, at) for b, at in slots if at + 1 < len(b.parts) and (b, at + 1) in slots]
    if not slots:
        return False
    block, at = random.choice(slots)
    block.parts[at : at + 2] = reversed(block.parts[at : at + 2])
    return True


def _wrap(source: Source, random: Random) -> bool:
    function = _function(source, random)
    slots = _slots(function)
    if not slots:
        return False
    block, at = random.choice(slots)
    inner = Node("block", "", [block.parts[at]])
    parts = [_grower(function, random).condition(1), inner]
    if random.random() < 0.3:
        parts.append(_grower(function, random).block(0, 1))
    block.parts[at] = Node("if", "", parts)
    return True


def _unwrap(source: Source, random: Random) -> bool:
    slots = [(b, at) for b, at in _slots(_function(source, random)) if b.parts[at].form == "if"]
    if not slots:
        return False
    block, at = random.choice(slots)
    block.parts[at : at + 1] = block.parts[at].parts[1].parts
    return True


def _leave(source: Source, random: Random) -> bool:
    function = _function(source, random)
    if not function.result or function.result == "void":
        return False
    grower = _grower(function, random)
    leave = Node("block", "", [Node("return", "", [grower.value(1)])])
    block, at = random.choice(_slots(function) or [(function.body, 0)])
    block.parts.insert(at, Node("if", "", [grower.condition(1), leave]))
    return True


def _type(source: Source, random: Random) -> bool:
    function = _function(source, random)
    found = [
        at
        for at, (kind, each, _) in enumerate(function.locals)
        if kind in TYPES and each in ("v2", "k", "n0")
    ]
    if found:
        at = random.choice(found)
        _, each, value = function.locals[at]
        function.locals[at] = (random.choice(TYPES), each, value)
    elif function is not source.entry:
        scalars = [at for at, (kind, _) in enumerate(function.parameters) if "*" not in kind]
        at = random.choice(scalars)
        function.parameters[at] = (random.choice(TYPES), function.parameters[at][1])
    return True


def _variable(source: Source, random: Random) -> bool:
    function = _function(source, random)
    if any(each == "n0" for _, each, _ in function.locals):
        return False
    grower = _grower(function, random)
    first = number(random) if random.random() < 0.5 else name(random.choice(grower.scalars))
    kind = random.choice(TYPES)
    if first.form == "name" and not any(first.text == each for _, each in function.parameters):
        function.locals.append((kind, "n0", first))
    else:
        function.locals.insert(0, (kind, "n0", first))
    block, at = random.choice(_slots(function) or [(function.body, 0)])
    use = Node("assign", random.choice(("=", "+=", "^=")), [])
    use.parts = [name(random.choice(grower.scalars)), name("n0")]
    block.parts.insert(at, use)
    return True


def _arm(source: Source, random: Random) -> bool:
    """A case is added, dropped, relabelled, or falls through where it did not."""
    found = _nodes(source.entry, frozenset(("switch",)))
    if not found:
        return False
    switch = random.choice(found)
    at = random.randrange(1, len(switch.parts))
    arm = switch.parts[at]
    match random.randrange(4):
        case 0 if len(switch.parts) > 2:
            del switch.parts[at]
        case 1 if arm.text != "d":
            arm.text = str(random.randint(40, 44))
        case 2:
            arm.text = arm.text.removesuffix(" !") if "!" in arm.text else f"{arm.text} !"
        case _:
            block = Node("block", "", [_grower(source.entry, random).statement(0)])
            switch.parts.insert(at, Node("arm", str(random.randint(30, 33)), [block]))
    return True


def _head(source: Source, random: Random) -> bool:
    """A function or type of fragments.py changes."""
    swaps = (
        ("i - j", "i + j"), ("signed char a", "short a"), ("{i, 7}", "{j, 7}"), ("i * 3", "i * 2"),
        ("n + o4", "n - o4"), ("*i = *j", "*i = *j + 1"), ("j > 1", "j > 2"), ("v.a++", "v.b--"),
        ("int a; int b", "int b; int a"), ("struct V v) { v.a++;", "struct V v) {"),
        ("{ unsigned char x;", "{ int x;"), ("int o0(int i", "int o0(short i"),
    )  # fmt: skip
    one, other = random.choice(swaps)
    for at, line in enumerate(source.head):
        if one in line:
            source.head[at] = line.replace(one, other)
            return True
    return False


def _reorder(source: Source, random: Random) -> bool:
    if len(source.functions) < 3:
        return False
    source.functions[0], source.functions[1] = source.functions[1], source.functions[0]
    return True


def _rename(source: Source, random: Random) -> bool:
    """A local variable that nothing but names refers to."""
    function = source.entry
    if any(each in ("piece", "aim", "invoke") for each in (n.form for n in walk(function.body))):
        return False
    if any(each == "renamed" for _, each, _ in function.locals) or source.copy().buffer:
        return False
    for at, (kind, each, value) in enumerate(function.locals):
        if each == "v2":
            function.locals[at] = (kind, "renamed", value)
    for node in [*walk(function.body), *(n for _, _, v in function.locals for n in walk(v))]:
        if node.form == "name" and node.text == "v2":
            node.text = "renamed"
    return True


def _initial(source: Source, random: Random) -> bool:
    if not source.globals:
        return False
    at = random.randrange(len(source.globals))
    declarator, each, value = source.globals[at]
    if not value.isdigit():
        return False
    source.globals[at] = (declarator, each, str(int(value) + 1))
    return True


EDITS: tuple[Callable[[Source, Random], bool], ...] = (
    _operator, _operator, _constant, _constant, _value, _value, _condition, _condition, _add, _add,
    _delete, _delete, _duplicate, _swap, _wrap, _wrap, _unwrap, _leave, _leave, _type, _variable,
    _initial, _arm, _arm, _head, _head, _reorder, _rename,
)  # fmt: skip
