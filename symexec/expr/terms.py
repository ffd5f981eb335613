"""The terms of symbolic execution: interned nodes of a directed acyclic graph.

    x = table.symbol("x", 32)
    (x + 1) + 2   ->   one node: add, width 32, args (x, const 3)
    x - x         ->   0, a plain int

Two terms are equal exactly when they are the same object. Width 1 is the Boolean sort. A node's
children are always terms (constants too), but whoever builds with terms gives and gets plain ints
for constants: that is an *operand*. Terms are built through the table that owns them, and what is
simpler than asked for comes from the table's rules (arithmetic.py, bitwise.py, shape.py ...).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Union

from symexec.expr import concrete

Operand = Union[int, "Term"]
Rule = Callable[["Terms", int, Operand, Operand], Operand]

FLOAT_OPERATIONS = {"fadd", "fsub", "fmul", "fdiv", "fsqrt", "feq", "flt", "fle"} | {
    "f_to_f",
    "f_to_int",
    "s_to_f",
    "u_to_f",
}


class Term:
    """One node. ``value`` is set for constants, ``name`` for symbols; ``index`` is the lowest bit
    of an extract or the source width of a float operation. Arrays have width 0."""

    __slots__ = (
        "_range",
        "_symbols",
        "args",
        "id",
        "index",
        "name",
        "op",
        "table",
        "value",
        "width",
    )

    op: str
    width: int
    args: tuple[Term, ...]
    index: int
    value: int | None
    name: str | None
    id: int
    table: Terms
    _symbols: frozenset[Term] | None
    _range: tuple[int, int] | None

    def __init__(
        self,
        table: Terms,
        op: str,
        width: int,
        args: tuple[Term, ...],
        index: int = 0,
        value: int | None = None,
        name: str | None = None,
    ) -> None:
        self.op = op
        self.width = width
        self.args = args
        self.index = index
        self.value = value
        self.name = name
        self.table = table
        self._symbols = None
        self._range = None
        self.id = table.count
        table.count += 1

    def __repr__(self) -> str:
        if self.value is not None:
            return f"<{self.value}:{self.width}>"
        if self.name is not None:
            return f"<{self.name}:{self.width}>"
        return f"<{self.op}:{self.width} #{self.id}>"

    # The operators serve generated code: a hit costs one look-up. They are written out, not
    # generated, because a call more would double their price.

    def __add__(self, other: Any) -> Any:
        found = self.table.memo.get(("add", self, other))
        return found if found is not None else _operate("add", self, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        found = self.table.memo.get(("sub", self, other))
        return found if found is not None else _operate("sub", self, other)

    def __rsub__(self, other: Any) -> Any:
        if type(other) is not int:
            return NotImplemented
        return self.table.binary("sub", self.width, other & ((1 << self.width) - 1), self)

    def __mul__(self, other: Any) -> Any:
        found = self.table.memo.get(("mul", self, other))
        return found if found is not None else _operate("mul", self, other)

    __rmul__ = __mul__

    def __and__(self, other: Any) -> Any:
        # Generated code wraps at a width with `& mask`; usually there is nothing to wrap.
        if other == self.table.masks[self.width]:
            return self
        found = self.table.memo.get(("and", self, other))
        return found if found is not None else _operate("and", self, other)

    __rand__ = __and__

    def __or__(self, other: Any) -> Any:
        found = self.table.memo.get(("or", self, other))
        return found if found is not None else _operate("or", self, other)

    __ror__ = __or__

    def __xor__(self, other: Any) -> Any:
        found = self.table.memo.get(("xor", self, other))
        return found if found is not None else _operate("xor", self, other)

    __rxor__ = __xor__

    def __lshift__(self, other: Any) -> Any:
        return _operate("shl", self, other)

    def __rshift__(self, other: Any) -> Any:
        return _operate("lshr", self, other)

    def __neg__(self) -> Operand:
        return self.table.unary("neg", self.width, self)

    def __invert__(self) -> Operand:
        return self.table.unary("not", self.width, self)


def _operate(op: str, left: Term, right: Any) -> Any:
    """Apply an operator whose operands the memo does not hold as they are."""
    table = left.table
    width = left.width
    if type(right) is int:
        if op not in ("shl", "lshr"):  # a shift count is not reduced modulo 2**width
            right &= table.masks[width]
        return table.binary(op, width, left, right)
    if type(right) is not Term:
        return NotImplemented
    found = table.memo[op, left, right] = table.rules[op](table, width, left, right)
    return found


def operand(term: Term) -> Operand:
    """A child as the rules want it: a constant as an int."""
    return term if term.value is None else term.value


class Terms:
    """The table that interns terms and builds them by its rules. ``symexec.expr.TermTable`` is the
    one with the rules."""

    __slots__ = (
        "_compare_rules",
        "_shape_rules",
        "_unary_rules",
        "byte_arrays",
        "constants",
        "count",
        "masks",
        "memo",
        "nodes",
        "rules",
        "symbols",
    )

    def __init__(
        self,
        rules: Mapping[str, Rule],
        compare_rules: Mapping[str, Rule],
        unary_rules: Mapping[str, Callable[[Terms, int, Operand], Operand]],
        shape_rules: Mapping[str, Callable[..., Operand]],
    ) -> None:
        self.rules = rules
        self._compare_rules = compare_rules
        self._unary_rules = unary_rules
        self._shape_rules = shape_rules
        self.nodes: dict[tuple[Any, ...], Term] = {}
        self.memo: dict[tuple[Any, ...], Operand] = {}
        self.constants: dict[tuple[int, int], Term] = {}
        self.symbols: dict[str, Term] = {}
        self.byte_arrays: dict[bytes, Term] = {}
        self.masks = [(1 << width) - 1 for width in range(1025)]
        self.masks[0] = -1  # arrays, of width 0, have no mask
        self.count = 0

    # ------------------------------------------------------------------ nodes as they are

    def symbol(self, name: str, width: int) -> Term:
        """The symbol of that name, new or known."""
        found = self.symbols.get(name)
        if found is None:
            found = self.symbols[name] = Term(self, "symbol", width, (), name=name)
        assert found.width == width, f"{name} has width {found.width}"
        return found

    def constant(self, width: int, value: int) -> Term:
        key = (width, value)
        found = self.constants.get(key)
        if found is None:
            assert 0 <= value < 1 << width
            found = self.constants[key] = Term(self, "const", width, (), value=value)
        return found

    def term(self, width: int, value: Operand) -> Term:
        """An operand as a child: a constant as a term."""
        return self.constant(width, value) if isinstance(value, int) else value

    def node(self, op: str, width: int, args: tuple[Term, ...], index: int = 0) -> Term:
        """The node with exactly these parts; applies no rule."""
        key = (op, width, index, args)
        found = self.nodes.get(key)
        if found is None:
            found = self.nodes[key] = Term(self, op, width, args, index)
        return found

    # A node of two operands stands in the memo under its own operation and operands, so that
    # building it and looking up the result of its rule are one entry.

    def pair(self, op: str, width: int, a: Operand, b: Operand) -> Term:
        """A node with two children of its own width."""
        key = (op, a, b)
        found = self.memo.get(key)
        if type(found) is Term and found.op is op:
            return found
        left = a if type(a) is Term else self.term(width, a)
        right = b if type(b) is Term else self.term(width, b)
        made = self.memo[key] = Term(self, op, width, (left, right))
        return made

    def order(self, op: str, width: int, a: Operand, b: Operand) -> Term:
        """A comparison of two operands of this width."""
        key = (op, a, b)
        found = self.memo.get(key)
        if type(found) is Term and found.op is op:
            return found
        left = a if type(a) is Term else self.term(width, a)
        right = b if type(b) is Term else self.term(width, b)
        made = self.memo[key] = Term(self, op, 1, (left, right))
        return made

    def pair_eq(self, a: Operand, b: Operand) -> Term:
        """``a == b`` for operands of one width, without rules: constants on the right, older terms
        on the left."""
        if isinstance(a, int) or (isinstance(b, Term) and b.id < a.id):
            a, b = b, a
        assert isinstance(a, Term)
        return self.order("eq", a.width, a, b)

    # ------------------------------------------------------------------ nodes by the rules

    def binary(self, op: str, width: int, a: Operand, b: Operand) -> Operand:
        if type(a) is int and type(b) is int:
            return concrete.BINARY[op](width, a, b)
        key = (op, a, b)
        found = self.memo.get(key)
        if found is None:
            found = self.memo[key] = self.rules[op](self, width, a, b)
        return found

    def compare(self, op: str, width: int, a: Operand, b: Operand) -> Operand:
        if type(a) is int and type(b) is int:
            return concrete.COMPARE[op](width, a, b)
        key = (op, a, b)
        found = self.memo.get(key)
        if found is None:
            found = self.memo[key] = self._compare_rules[op](self, width, a, b)
        return found

    def unary(self, op: str, width: int, a: Operand) -> Operand:
        if type(a) is int:
            return concrete.UNARY[op](width, a)
        key = (op, a, width)
        found = self.memo.get(key)
        if found is None:
            found = self.memo[key] = self._unary_rules[op](self, width, a)
        return found

    def negate(self, a: Operand) -> Operand:
        return self.unary("not", 1, a)

    def zext(self, a: Operand, source_width: int, width: int) -> Operand:
        key = ("zext", a, source_width, width)
        found = self.memo.get(key)
        if found is None:
            found = self.memo[key] = self._shape_rules["zext"](self, a, source_width, width)
        return found

    def sext(self, a: Operand, source_width: int, width: int) -> Operand:
        key = ("sext", a, source_width, width)
        found = self.memo.get(key)
        if found is None:
            found = self.memo[key] = self._shape_rules["sext"](self, a, source_width, width)
        return found

    def extract(self, a: Operand, low: int, width: int) -> Operand:
        key = ("extract", a, low, width)
        found = self.memo.get(key)
        if found is None:
            found = self.memo[key] = self._shape_rules["extract"](self, a, low, width)
        return found

    def concat(self, high: Operand, high_width: int, low: Operand, low_width: int) -> Operand:
        key = ("concat", high, high_width, low, low_width)
        found = self.memo.get(key)
        if found is None:
            rule = self._shape_rules["concat"]
            found = self.memo[key] = rule(self, high, high_width, low, low_width)
        return found

    def ite(self, condition: Operand, a: Operand, b: Operand, width: int) -> Operand:
        key = ("ite", condition, a, b, width)
        found = self.memo.get(key)
        if found is None:
            found = self.memo[key] = self._shape_rules["ite"](self, condition, a, b, width)
        return found
