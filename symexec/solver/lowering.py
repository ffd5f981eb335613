"""Turn terms into the terms of a solver, each once.

    (add x 1)   ->   builder.apply("bvadd", x', 1')
    (zext c)    ->   builder.apply("ite", c', #x00000001, #x00000000)      c has width 1

A term of width 1 is a Bool in the solver, every other one a bit-vector, an array maps 32-bit
indices to bytes. Solvers differ only in how they spell SMT-LIB's functions: that is the builder.
Floats have two forms here: the pattern (a bit-vector, what a term is) and the number (of the
floating-point theory, what float operations need); each is lowered when something asks for it.
"""

from __future__ import annotations

from symexec.expr import Term
from symexec.expr.terms import FLOAT_OPERATIONS
from symexec.solver.builder import Builder, Handle
from symexec.solver.float_lowering import FloatLowering

_FUNCTIONS = {
    "add": "bvadd",
    "sub": "bvsub",
    "mul": "bvmul",
    "udiv": "bvudiv",
    "urem": "bvurem",
    "sdiv": "bvsdiv",
    "srem": "bvsrem",
    "shl": "bvshl",
    "lshr": "bvlshr",
    "ashr": "bvashr",
    "neg": "bvneg",
    "eq": "=",
    "ult": "bvult",
    "ule": "bvule",
    "slt": "bvslt",
    "sle": "bvsle",
    "ite": "ite",
    "store": "store",
    "select": "select",
}


class Lowering:
    """Remembers what was lowered; children first, without recursion."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.handles: dict[Term, Handle] = {}
        self._floats = FloatLowering(builder, self.handles)

    def forget(self) -> None:
        """Lets go of all terms of the solver."""
        self.handles.clear()
        self._floats.forget()

    def lower(self, term: Term) -> Handle:
        """The term in the solver; what must hold beside it is in ``definitions(term)``."""
        handles = self.handles
        found = handles.get(term)
        if found is not None:
            return found
        stack: list[tuple[Term, bool]] = [(term, False)]  # (term, as a number?)
        while stack:
            top, as_number = stack[-1]
            done = self._floats.numbers if as_number else handles
            if top in done:
                stack.pop()
                continue
            if as_number or top.op in FLOAT_OPERATIONS:
                needed = self._floats.needs(top, as_number)
                missing = [
                    (child, number)
                    for child, number in needed
                    if child not in (self._floats.numbers if number else handles)
                ]
            else:
                missing = [(child, False) for child in top.args if child not in handles]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            done[top] = self._floats.number(top) if as_number else self._lower(top)
        return handles[term]

    def definitions(self, term: Term) -> tuple[Handle, ...]:
        """What has to be asserted with the term: which patterns its float numbers have."""
        return self._floats.definitions(term)

    def _lower(self, term: Term) -> Handle:
        match term.op:
            case "const":
                return self._constant(term)
            case "symbol":
                return self._symbol(term)
            case "zext" | "sext":
                return self._extend(term)
            case "extract":
                return self._extract(term)
            case "concat":
                return self._concat(term)
            case "array":
                return self._array(term)
            case "and" | "or" | "xor" | "not":
                function = term.op if term.width == 1 else "bv" + term.op
            case _ if term.op in FLOAT_OPERATIONS:
                return self._floats.pattern(term)
            case _:
                function = _FUNCTIONS[term.op]
        return self.builder.apply(function, *[self.handles[child] for child in term.args])

    def _constant(self, term: Term) -> Handle:
        assert term.value is not None
        if term.width == 1:
            return self.builder.boolean(term.value == 1)
        return self.builder.number(term.width, term.value)

    def _symbol(self, term: Term) -> Handle:
        assert term.name is not None
        return self.builder.symbol(term.name, term.width)

    def _bits(self, term: Term) -> Handle:
        """The child as a bit-vector, also when it is a Bool."""
        handle = self.handles[term]
        return self._choice(handle, 1, 1) if term.width == 1 else handle

    def _choice(self, condition: Handle, width: int, value: int) -> Handle:
        number = self.builder.number
        return self.builder.apply("ite", condition, number(width, value), number(width, 0))

    def _extend(self, term: Term) -> Handle:
        child = term.args[0]
        if child.width == 1:
            value = 1 if term.op == "zext" else (1 << term.width) - 1
            return self._choice(self.handles[child], term.width, value)
        more = term.width - child.width
        return self.builder.extend(self.handles[child], more, term.op == "sext")

    def _extract(self, term: Term) -> Handle:
        high = term.index + term.width - 1
        bits = self.builder.extract(self.handles[term.args[0]], high, term.index)
        return self.builder.apply("=", bits, self.builder.number(1, 1)) if term.width == 1 else bits

    def _concat(self, term: Term) -> Handle:
        return self.builder.apply("concat", *[self._bits(child) for child in term.args])

    def _array(self, term: Term) -> Handle:
        array = self.builder.zero_array()
        for index, child in enumerate(term.args):
            if child.value != 0:
                place = self.builder.number(32, index)
                array = self.builder.apply("store", array, place, self.handles[child])
        return array
