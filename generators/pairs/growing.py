"""Grow random expressions and statements over given names, within bounds that keep runs short.

grower = Grower(random, risky=0.0)
grower.scalars = ["v0", "v1"]
grower.block(depth=2, size=3)          Node("block", "", [...])
"""

from __future__ import annotations

from random import Random

from generators.pairs.tree import Node

TYPES = ("int", "int", "int", "unsigned", "signed char", "unsigned char", "short", "long")
SMALL = ("signed char", "unsigned char", "char", "short", "int", "unsigned")
ARITHMETIC = ("+", "-", "+", "-", "*", "&", "|", "^")
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


def number(random: Random) -> Node:
    return Node("number", str(random.choice((0, 1, 2, 3, 4, 5, 7, 8, 10, -1, -2, 100, 255))))


def name(text: str) -> Node:
    return Node("name", text)


class Grower:
    """Grows one function. ``scalars`` may be assigned, ``readable`` only read; ``tables`` are
    (name, size) of arrays; ``pure`` are names and arities of functions without effects."""

    def __init__(self, random: Random, risky: float) -> None:
        self.random = random
        self.risky = risky  # how often an index or divisor is left unchecked
        self.scalars: list[str] = []
        self.readable: list[str] = []
        self.tables: list[tuple[str, int]] = []
        self.fields: list[str] = []
        self.pointers: list[str] = []
        self.pure: list[tuple[str, int]] = []
        self.invocations: list[str] = []
        self.counters: list[str] = []
        self.walkers: list[str] = []
        self.prints = False
        self.result = True
        self.label = ""
        self.loops = 0
        self.pieces: tuple[str, ...] = ()
        self.marks = 0

    # ------------------------------------------------------------------ expressions

    def leaf(self) -> Node:
        random = self.random
        if random.random() < 0.25:
            return number(random)
        if self.fields and random.random() < 0.15:
            return Node("field", random.choice(self.fields))
        if self.pointers and random.random() < 0.12:
            return Node("target", random.choice(self.pointers))
        return name(random.choice(self.readable + self.scalars))

    def value(self, depth: int) -> Node:
        random = self.random
        if depth <= 0 or random.random() < 0.2:
            return self.leaf()
        kind = random.choices(
            ("binary", "shift", "divide", "unary", "cast", "choice", "index", "call", "truth"),
            (10, 2, 2, 2, 3, 2, 4, 3, 2),
        )[0]
        match kind:
            case "shift":
                return Node(kind, random.choice(("<<", ">>")), self.pair(depth))
            case "divide":
                divisor = self.value(depth - 2)
                if random.random() > self.risky:
                    masked = Node("binary", "&", [divisor, Node("number", "7")])
                    divisor = Node("binary", "+", [masked, Node("number", "1")])
                return Node(kind, random.choice("/%"), [self.value(depth - 1), divisor])
            case "unary":
                return Node(kind, random.choice("-~!"), [self.value(depth - 1)])
            case "cast":
                return Node(kind, random.choice(SMALL), [self.value(depth - 1)])
            case "choice":
                return Node(kind, "", [self.condition(1), *self.pair(depth)])
            case "index" if self.tables:
                return self.element(depth)
            case "call" if self.pure:
                called, arity = random.choice(self.pure)
                return Node(kind, called, [self.value(depth - 2) for _ in range(arity)])
            case "truth":
                return self.condition(depth - 1)
            case _:
                return Node("binary", random.choice(ARITHMETIC), self.pair(depth))

    def pair(self, depth: int) -> list[Node]:
        return [self.value(depth - 1), self.value(depth - 1)]

    def element(self, depth: int) -> Node:
        table, size = self.random.choice(self.tables)
        index = self.value(depth - 2)
        if self.random.random() > self.risky:
            index = Node("binary", "&", [index, Node("number", str(size - 1))])
        return Node("index", f"{table}/{size}", [index])

    def condition(self, depth: int) -> Node:
        random = self.random
        if depth > 0 and random.random() < 0.3:
            pair = [self.condition(depth - 1), self.condition(depth - 1)]
            return Node("logic", random.choice(("&&", "||")), pair)
        if random.random() < 0.12:
            return self.value(1)
        left = self.value(random.choice((0, 1, 1, 2)))
        right = number(random) if random.random() < 0.5 else self.value(1)
        return Node("compare", random.choice(COMPARISONS), [left, right])

    # ------------------------------------------------------------------ statements

    def place(self) -> Node:
        random = self.random
        if self.tables and random.random() < 0.2:
            return self.element(2)
        if self.fields and random.random() < 0.2:
            return Node("field", random.choice(self.fields))
        if self.pointers and random.random() < 0.15:
            return Node("target", random.choice(self.pointers))
        return name(random.choice(self.scalars))

    def block(self, depth: int, size: int) -> Node:
        count = self.random.randint(1, size)
        return Node("block", "", [self.statement(depth) for _ in range(count)])

    def statement(self, depth: int) -> Node:
        random = self.random
        kinds = ("assign", "step", "if", "loop", "while", "do", "switch", "leave", "invoke",
                 "print", "aim", "jump", "walk", "piece")  # fmt: skip
        weights = (12, 2, 7, 2, 1, 1, 2, 1, 3, 1, 1, 2, 1, 4)
        kind = random.choices(kinds, weights)[0]
        if depth <= 0 and kind in ("if", "loop", "while", "do", "switch", "walk"):
            kind = "assign"
        grown = getattr(self, "_" + kind)(depth)
        return grown if grown is not None else self._assign(depth)

    def _assign(self, _depth: int) -> Node:
        operator = self.random.choice(("=", "=", "=", "+=", "-=", "^=", "|=", "&=", "*="))
        return Node("assign", operator, [self.place(), self.value(2)])

    def _step(self, _depth: int) -> Node:
        return Node("step", self.random.choice(("++", "--")), [self.place()])

    def _if(self, depth: int) -> Node:
        parts = [self.condition(2), self.block(depth - 1, 2)]
        if self.random.random() < 0.4:
            parts.append(self.block(depth - 1, 2))
        return Node("if", "", parts)

    def _counted(self, grow: object) -> Node | None:
        """A loop takes a counter for itself, which its body may read but not write."""
        if not self.counters or self.loops >= 2:
            return None
        counter = self.counters.pop()
        self.readable.append(counter)
        self.loops += 1
        made: Node = grow(counter)  # type: ignore[operator]
        self.loops -= 1
        return made

    def _loop(self, depth: int) -> Node | None:
        def grow(counter: str) -> Node:
            bound = Node("number", str(self.random.randint(1, 4)))
            if self.random.random() < 0.4:
                bound = Node("binary", "&", [self.value(1), Node("number", "3")])
            return Node("loop", counter, [bound, self.block(depth - 1, 2)])

        return self._counted(grow)

    def _while(self, depth: int) -> Node | None:
        def grow(counter: str) -> Node:
            return Node("while", counter, [self.condition(1), self.block(depth - 1, 2)])

        return self._counted(grow)

    def _do(self, depth: int) -> Node | None:
        def grow(counter: str) -> Node:
            return Node("do", counter, [self.condition(1), self.block(depth - 1, 2)])

        return self._counted(grow)

    def _walk(self, depth: int) -> Node | None:
        if not self.walkers or self.loops >= 2:
            return None
        walker = self.walkers.pop()
        self.readable.append(f"*{walker}")
        self.loops += 1
        text = self.random.choice(("abc", "x0", "", "zzz", "\\001\\377"))
        made = Node("walk", f"{walker}/{text}", [self.block(depth - 1, 2)])
        self.loops -= 1
        self.readable.remove(f"*{walker}")
        return made

    def _switch(self, depth: int) -> Node:
        random = self.random
        arms, labels = [], random.sample(range(-1, 7), random.randint(2, 4))
        for label in labels:
            text = str(label) + (f" {label + 20}" if random.random() < 0.2 else "")
            text += " !" if random.random() < 0.3 else ""
            arms.append(Node("arm", text, [self.block(depth - 1, 1)]))
        if random.random() < 0.7:
            default = Node("arm", "d", [self.block(depth - 1, 1)])
            arms.insert(random.randint(0, len(arms)), default)
        value = self.value(1)
        if random.random() < 0.6:
            value = Node("binary", "&", [value, Node("number", "7")])
        return Node("switch", "", [value, *arms])

    def _leave(self, _depth: int) -> Node:
        return Node("return", "", [self.value(2)] if self.result else [])

    def _jump(self, _depth: int) -> Node | None:
        if self.loops and self.random.random() < 0.7:
            kind = self.random.choice(("break", "continue"))
            return Node("if", "", [self.condition(1), Node("block", "", [Node(kind)])])
        if self.label and self.random.random() < 0.4:
            jump = Node("block", "", [Node("goto", self.label)])
            return Node("if", "", [self.condition(1), jump])
        return None

    def _invoke(self, _depth: int) -> Node | None:
        if not self.invocations:
            return None
        return Node("invoke", self.random.choice(self.invocations))

    def _print(self, _depth: int) -> Node | None:
        if not self.prints:
            return None
        if self.random.random() < 0.3:
            masked = Node("binary", "&", [self.value(1), Node("number", "15")])
            return Node("put", "", [Node("binary", "+", [masked, Node("number", "65")])])
        text = self.random.choice(("%d", "v=%d", "[%5d]", "%u", "%x"))
        return Node("print", text, [Node("cast", "int", [self.value(1)])])

    def _piece(self, _depth: int) -> Node | None:
        own = [each for each in self.scalars if each in ("v0", "v1")]
        if not self.pieces or len(own) < 2:
            return None
        self.random.shuffle(own)
        self.marks += 1
        parts = [self.value(1), self.value(1), name(own[0]), name(own[1])]
        parts.append(Node("mark", str(self.marks)))
        return Node("piece", self.random.choice(self.pieces), parts)

    def _aim(self, _depth: int) -> Node | None:
        if not self.pointers or "v0" not in self.scalars:
            return None
        pointer = self.random.choice(self.pointers)
        return Node("aim", f"{pointer}/v0/v1", [self.condition(1)])
