"""Turn float terms into the floating-point theory of a solver.

flt(fadd(x, y), 1.0)   ->   fp.lt(fp.add(RNE, to_fp(x'), to_fp(y')), 1.0)
the pattern of fadd    ->   a fresh bit-vector b, with to_fp(b) = fp.add(...) asserted beside;
                            where the sum is NaN, the pattern the x86 would give
"""

from __future__ import annotations

from symexec.expr import Term
from symexec.expr.float_patterns import in_integer_range, interchange, nan_result
from symexec.expr.softfloat import FORMATS
from symexec.expr.terms import FLOAT_OPERATIONS
from symexec.solver.builder import Builder, Handle

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
    """The term's value is a float by construction."""
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
