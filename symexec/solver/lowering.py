"""Turn terms into those of a solver, each once, and path conditions into its assertions."""

from __future__ import annotations

from dataclasses import dataclass, field

from symexec.expr import Term
from symexec.expr.float_operations import in_integer_range, interchange, nan_result
from symexec.expr.softfloat import FORMATS
from symexec.expr.terms import FLOAT_OPERATIONS
from symexec.solver.backend import Builder, Handle
from symexec.solver.path import PathCondition

# --------------------------------------------------------------------------------- float lowering
# Turn float terms into the floating-point theory of a solver.
#
# flt(fadd(x, y), 1.0)   ->   fp.lt(fp.add(RNE, to_fp(x'), to_fp(y')), 1.0)
# the pattern of fadd    ->   a fresh bit-vector b, with to_fp(b) = fp.add(...) asserted as well;
#                             where the sum is NaN, the pattern the x86 would give


_ARITHMETIC = {
    "fadd": "fp.add",
    "fsub": "fp.sub",
    "fmul": "fp.mul",
    "fdiv": "fp.div",
    "fsqrt": "fp.sqrt",
}
_ORDER = {"feq": "fp.eq", "flt": "fp.lt", "fle": "fp.leq"}
_INTEGERS = ("s_to_f", "u_to_f")

Needed = list[tuple[Term, bool]]


def _sort(width: int) -> tuple[int, int]:
    """SMT-LIB's indices: exponent bits, significand bits with the leading one."""
    form = FORMATS[width]
    return form.exponent_bits, form.fraction_bits + 1


def _is_number(term: Term) -> bool:
    """Is the term's value a float by construction?"""
    return term.op in _ARITHMETIC or term.op == "f_to_f" or term.op in _INTEGERS


class FloatLowering:
    def __init__(self, builder: Builder, handles: dict[Term, Handle]) -> None:
        self._builder = builder
        self._handles = handles
        self.numbers: dict[Term, Handle] = {}
        self._defined: dict[Term, Handle] = {}
        self._definitions: dict[Term, tuple[Handle, ...]] = {}

    def forget(self) -> None:
        self.numbers.clear()
        self._defined.clear()
        self._definitions.clear()

    # ------------------------------------------------------------------ what comes first

    def needs(self, term: Term, as_number: bool) -> Needed:
        """What has to be lowered before this: (term, as a number?)."""
        if not as_number:
            if term.op in _ORDER:
                return [(child, True) for child in term.args]
            if term.op == "f_to_int":
                return [(term.args[0], True), *self._bits(term, in_integer_range(term))]
            return [(term, True), *self._bits(term, nan_result(term))]
        if term.op in _INTEGERS:
            return [(child, False) for child in term.args]
        if _is_number(term):
            return [(child, True) for child in term.args]
        return self._bits(term, interchange(term.table, term.width, _as_operand(term)))

    def _bits(self, term: Term, extra: int | Term) -> Needed:
        return [(extra, False)] if isinstance(extra, Term) else []

    # ------------------------------------------------------------------ numbers

    def number(self, term: Term) -> Handle:
        exponent, significand = _sort(term.width)
        args = term.args
        if term.op in _ARITHMETIC:
            return self._builder.float_apply(
                _ARITHMETIC[term.op], *[self.numbers[child] for child in args]
            )
        if term.op == "f_to_f":
            return self._builder.float_of_float(exponent, significand, self.numbers[args[0]])
        if term.op in _INTEGERS:
            source = self._handles[args[0]]
            if args[0].width == 1:
                number = self._builder.number
                source = self._builder.apply("ite", source, number(2, 1), number(2, 0))
            return self._builder.float_of_integer(
                exponent, significand, source, term.op == "s_to_f"
            )
        width = term.width if term.width != 80 else 79
        pattern = interchange(term.table, term.width, _as_operand(term))
        return self._builder.float_of_bits(exponent, significand, self._handle(pattern, width))

    def _handle(self, operand: int | Term, width: int) -> Handle:
        if isinstance(operand, Term):
            return self._handles[operand]
        if width == 1:
            return self._builder.boolean(operand == 1)
        return self._builder.number(width, operand)

    # ------------------------------------------------------------------ patterns

    def pattern(self, term: Term) -> Handle:
        apply = self._builder.apply
        if term.op in _ORDER:
            return self._builder.float_apply(
                _ORDER[term.op], *[self.numbers[child] for child in term.args]
            )
        if term.op == "f_to_int":
            value = self._builder.integer_of_float(term.width, self.numbers[term.args[0]])
            indefinite = self._builder.number(term.width, 1 << (term.width - 1))
            return apply("ite", self._handle(in_integer_range(term), 1), value, indefinite)
        number = self.numbers[term]
        exponent, significand = _sort(term.width)
        bits, definition = self._builder.bits_of_float(
            f"float!{term.id}", exponent, significand, number
        )
        is_nan = self._builder.float_apply("fp.isNaN", number)
        if definition is not None:
            self._defined[term] = apply("or", is_nan, definition)
        if term.width == 80:
            bits = self._with_explicit_bit(bits)
        nan = self._handle(nan_result(term), term.width)
        return apply("ite", is_nan, nan, bits)

    def _with_explicit_bit(self, bits: Handle) -> Handle:
        builder = self._builder
        head = builder.extract(bits, 78, 63)
        exponent = builder.extract(bits, 77, 63)
        normal = builder.apply("not", builder.apply("=", exponent, builder.number(15, 0)))
        leading = builder.apply("ite", normal, builder.number(1, 1), builder.number(1, 0))
        fraction = builder.extract(bits, 62, 0)
        return builder.apply("concat", builder.apply("concat", head, leading), fraction)

    # ------------------------------------------------------------------ definitions

    def definitions(self, term: Term) -> tuple[Handle, ...]:
        """The definitions of all patterns that the lowered term refers to."""
        if not self._defined:
            return ()
        found = self._definitions.get(term)
        if found is None:
            found = self._definitions[term] = self._collect(term)
        return found

    def _collect(self, term: Term) -> tuple[Handle, ...]:
        seen = {term}
        stack = [term]
        result: list[Term] = []
        while stack:
            top = stack.pop()
            if top in self._defined:
                result.append(top)
            children: list[Term] = list(top.args)
            if top.op in FLOAT_OPERATIONS and top.op not in _ORDER:
                hidden = in_integer_range(top) if top.op == "f_to_int" else nan_result(top)
                if isinstance(hidden, Term):
                    children.append(hidden)
            for child in children:
                if child not in seen:
                    seen.add(child)
                    stack.append(child)
        result.sort(key=lambda defined: defined.id)
        return tuple(self._defined[defined] for defined in result)


def _as_operand(term: Term) -> int | Term:
    return term if term.value is None else term.value


# --------------------------------------------------------------------------------------- lowering
# Turn terms into the terms of a solver, each once.
#
#     (add x 1)   ->   builder.apply("bvadd", x', 1')
#     (zext c)    ->   builder.apply("ite", c', #x00000001, #x00000000)      c has width 1
#
# A term of width 1 is a Bool in the solver, every other one a bit-vector, an array maps 32-bit
# indices to bytes. Solvers differ only in how they spell SMT-LIB's functions: that is the builder.
# Floats have two forms here: the pattern (a bit-vector, what a term is) and the number (of the
# floating-point theory, what float operations need); each is lowered when something asks for it.


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
    """Lowers terms and caches the results; children first, without recursion."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.handles: dict[Term, Handle] = {}
        self._floats = FloatLowering(builder, self.handles)

    def forget(self) -> None:
        """Release all terms of the solver."""
        self.handles.clear()
        self._floats.forget()

    def lower(self, term: Term) -> Handle:
        """The term in the solver. What has to be asserted in addition is in
        ``definitions(term)``."""
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
        """What has to be asserted together with the term: the patterns of its float numbers."""
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


# -------------------------------------------------------------------------------------- alignment
# Keep a backend's assertion stack equal to a path condition, one level for each literal.
#
# asserted  x < 5, y == 2          next query under  x < 5, z != 0
# ->  pop 1, push, assert z != 0


@dataclass(slots=True)
class Alignment:
    stack: list[PathCondition] = field(default_factory=list)

    def moves(self, path: PathCondition) -> tuple[int, list[PathCondition]]:
        """(levels to pop, paths whose last literals to push); the stack counts as changed
        afterwards."""
        stack = self.stack
        fresh: list[PathCondition] = []
        node: PathCondition | None = path
        while node is not None and node.length:
            if node.length <= len(stack) and stack[node.length - 1] is node:
                break
            fresh.append(node)
            node = node.parent
        common = node.length if node is not None else 0
        popped = len(stack) - common
        del stack[common:]
        fresh.reverse()
        stack.extend(fresh)
        return popped, fresh
