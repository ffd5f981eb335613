"""The door to z3.

    push, add x' < 5;  check(assumption y' == 2)

``SimpleSolver`` with one level for each literal is far better incrementally than the QF_BV tactic.
Terms are built through z3's C functions, because z3's Python classes cost five times as much.

A query of the main thread that takes long goes on in a thread of its own: so the main thread hears
signals, as those of the watchdog, and what they raise ends the query.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from math import inf
from threading import Event, Thread, current_thread, main_thread
from time import monotonic
from typing import Any

from symexec.expr import Term
from symexec.solver.backend import ROUNDED, Answer, Handle
from symexec.solver.lowering import Alignment, Lowering
from symexec.solver.path import PathCondition

_BRIEF_MS = 250  # for a query before it goes on in a thread
_GLANCE = 0.01  # seconds until an interrupted query is asked again to end
_STEPS_A_MILLISECOND = 7000  # by the library's own count of what it does


class Z3Backend:
    name = "z3"

    def __init__(self, counted: bool = False) -> None:
        import z3  # loading takes 70 ms

        self._library: Any = z3
        self._context: Any = z3.Context()
        self._lowering = Lowering(_Builder(z3, self._context))
        self._solver: Any = None
        self._counted = counted
        self._limit_ms = 0
        self._alignment = Alignment()
        self._model: Any = None
        self._done = 0  # steps, by the library's count
        self.rebuilds = 0

    def check(
        self, path: PathCondition, condition: Term | None, limit_s: float, until: float = inf
    ) -> Answer:
        if self._solver is None:
            self._rebuild()
        self._align(path)
        assumptions = [] if condition is None else self._expressions(condition)
        result = self._result(assumptions, max(1, int(limit_s * 1000)), until)
        self._model = None
        if result == self._library.sat:
            return Answer.SAT
        return Answer.UNSAT if result == self._library.unsat else Answer.UNKNOWN

    def _result(self, assumptions: Sequence[Any], limit_ms: int, until: float) -> Any:
        threads = current_thread() is main_thread() and not self._counted
        first_ms = min(_BRIEF_MS, limit_ms) if threads else limit_ms
        self._limit(first_ms, until)
        result = self._solver.check(*assumptions)
        left_ms = limit_ms - first_ms
        if result != self._library.unknown or not left_ms or monotonic() >= until:
            return result
        self._limit(left_ms, until)
        return self._in_thread(assumptions)

    def _in_thread(self, assumptions: Sequence[Any]) -> Any:
        """The result, found by another thread. Who is interrupted leaves no solver behind, and none
        at work."""
        solver, self._solver = self._solver, None
        found: list[Any] = []
        begun, given_up, over = Event(), Event(), Event()

        def work() -> None:
            begun.set()
            try:
                if not given_up.is_set():
                    found.append(solver.check(*assumptions))
            finally:
                over.set()

        try:
            Thread(target=work, daemon=True).start()
            over.wait()
        finally:
            given_up.set()  # whoever has not begun by now does not
            while begun.is_set() and not over.is_set():
                with suppress(BaseException):  # the first interruption goes on from here
                    self._context.interrupt()
                    over.wait(_GLANCE)
        self._solver = solver
        return found[0] if found else self._library.unknown

    def _rebuild(self) -> None:
        self._alignment = Alignment()
        self._limit_ms = self._done = 0
        self._solver = self._library.SimpleSolver(ctx=self._context)

    def _limit(self, limit_ms: int, until: float) -> None:
        left_ms = inf if self._counted else (until - monotonic()) * 1000
        while limit_ms > left_ms and limit_ms > 100:  # few values, for each is set anew
            limit_ms //= 2
        if limit_ms != self._limit_ms:
            if self._counted:
                self._solver.set("rlimit", limit_ms * _STEPS_A_MILLISECOND)
            else:
                self._solver.set("timeout", limit_ms)
            self._limit_ms = limit_ms

    @property
    def work_s(self) -> float:
        """The duration of the last check where limits are counted: seconds, by a count of steps."""
        steps = self._solver.statistics()
        known = int(dict(steps[at] for at in range(len(steps))).get("rlimit count", 0))
        done, self._done = known - self._done, known
        return done / (1000 * _STEPS_A_MILLISECOND)

    def _expressions(self, term: Term) -> list[Any]:
        formulas = [self._lowering.lower(term), *self._lowering.definitions(term)]
        return [self._library.BoolRef(formula, self._context) for formula in formulas]

    def _align(self, path: PathCondition) -> None:
        """Let the solver hold the path's conditions. Who is interrupted meanwhile leaves no solver
        behind: nobody knows what it holds."""
        solver, self._solver = self._solver, None
        popped, fresh = self._alignment.moves(path)
        if popped:
            solver.pop(popped)
        for node in fresh:
            assert node.term is not None
            solver.push()
            solver.add(*self._expressions(node.term))
        self._solver = solver

    def values(self, symbols: Iterable[Term]) -> dict[Term, int]:
        if self._model is None:
            self._model = self._solver.model()
        result: dict[Term, int] = {}
        for symbol in symbols:
            kind = self._library.BoolRef if symbol.width == 1 else self._library.BitVecRef
            value = self._model.eval(
                kind(self._lowering.lower(symbol), self._context), model_completion=True
            )
            if symbol.width == 1:
                result[symbol] = int(self._library.is_true(value))
            else:
                result[symbol] = value.as_long()
        return result


class _Builder:
    """SMT-LIB's functions as calls of z3's C interface."""

    def __init__(self, library: Any, context: Any) -> None:
        self._c: Any = library.z3core
        self._context = context
        self._ref = context.ref()
        c = self._c
        self._array_types: Any = library.Ast
        self._functions = {
            "=": c.Z3_mk_eq,
            "xor": c.Z3_mk_xor,
            "not": c.Z3_mk_not,
            "ite": c.Z3_mk_ite,
            "store": c.Z3_mk_store,
            "select": c.Z3_mk_select,
            "concat": c.Z3_mk_concat,
            "bvadd": c.Z3_mk_bvadd,
            "bvsub": c.Z3_mk_bvsub,
            "bvmul": c.Z3_mk_bvmul,
            "bvudiv": c.Z3_mk_bvudiv,
            "bvurem": c.Z3_mk_bvurem,
            "bvsdiv": c.Z3_mk_bvsdiv,
            "bvsrem": c.Z3_mk_bvsrem,
            "bvand": c.Z3_mk_bvand,
            "bvor": c.Z3_mk_bvor,
            "bvxor": c.Z3_mk_bvxor,
            "bvnot": c.Z3_mk_bvnot,
            "bvneg": c.Z3_mk_bvneg,
            "bvshl": c.Z3_mk_bvshl,
            "bvlshr": c.Z3_mk_bvlshr,
            "bvashr": c.Z3_mk_bvashr,
            "bvult": c.Z3_mk_bvult,
            "bvule": c.Z3_mk_bvule,
            "bvslt": c.Z3_mk_bvslt,
            "bvsle": c.Z3_mk_bvsle,
            "fp.add": c.Z3_mk_fpa_add,
            "fp.sub": c.Z3_mk_fpa_sub,
            "fp.mul": c.Z3_mk_fpa_mul,
            "fp.div": c.Z3_mk_fpa_div,
            "fp.sqrt": c.Z3_mk_fpa_sqrt,
            "fp.eq": c.Z3_mk_fpa_eq,
            "fp.lt": c.Z3_mk_fpa_lt,
            "fp.leq": c.Z3_mk_fpa_leq,
            "fp.isNaN": c.Z3_mk_fpa_is_nan,
        }
        self._nearest = self._referenced(c.Z3_mk_fpa_rne(self._ref))
        self._to_zero = self._referenced(c.Z3_mk_fpa_rtz(self._ref))
        self._sorts: dict[int, Any] = {}  # by width; 0 is Bool, floats are negative
        self._lists = {"and": c.Z3_mk_and, "or": c.Z3_mk_or}

    def _referenced(self, ast: Any) -> Handle:
        """A handle that is referenced for as long as the context lives: the lowering caches all of
        them."""
        self._c.Z3_inc_ref(self._ref, ast)
        return ast

    def _sort(self, width: int) -> Any:
        found = self._sorts.get(width)
        if found is None:
            make = self._c.Z3_mk_bv_sort
            found = make(self._ref, width) if width else self._c.Z3_mk_bool_sort(self._ref)
            self._sorts[width] = self._referenced(found)
        return found

    def boolean(self, value: bool) -> Handle:
        return self._referenced(
            self._c.Z3_mk_true(self._ref) if value else self._c.Z3_mk_false(self._ref)
        )

    def number(self, width: int, value: int) -> Handle:
        return self._referenced(self._c.Z3_mk_numeral(self._ref, str(value), self._sort(width)))

    def symbol(self, name: str, width: int) -> Handle:
        label = self._c.Z3_mk_string_symbol(self._ref, name)
        sort = self._sort(width if width > 1 else 0)  # a Bool
        return self._referenced(self._c.Z3_mk_const(self._ref, label, sort))

    def zero_array(self) -> Handle:
        return self._referenced(
            self._c.Z3_mk_const_array(self._ref, self._sort(32), self.number(8, 0))
        )

    def apply(self, function: str, *args: Handle) -> Handle:
        listed = self._lists.get(function)
        if listed is not None:
            return self._referenced(
                listed(self._ref, len(args), (self._array_types * len(args))(*args))
            )
        return self._referenced(self._functions[function](self._ref, *args))

    def extract(self, a: Handle, high: int, low: int) -> Handle:
        return self._referenced(self._c.Z3_mk_extract(self._ref, high, low, a))

    def extend(self, a: Handle, more: int, signed: bool) -> Handle:
        extend = self._c.Z3_mk_sign_ext if signed else self._c.Z3_mk_zero_ext
        return self._referenced(extend(self._ref, more, a))

    def _float_sort(self, exponent: int, significand: int) -> Any:
        key = -(exponent << 8 | significand)
        if key not in self._sorts:
            sort = self._c.Z3_mk_fpa_sort(self._ref, exponent, significand)
            self._sorts[key] = self._referenced(sort)
        return self._sorts[key]

    def float_of_bits(self, exponent: int, significand: int, bits: Handle) -> Handle:
        sort = self._float_sort(exponent, significand)
        return self._referenced(self._c.Z3_mk_fpa_to_fp_bv(self._ref, bits, sort))

    def bits_of_float(
        self, name: str, exponent: int, significand: int, number: Handle
    ) -> tuple[Handle, Handle | None]:
        return self._referenced(self._c.Z3_mk_fpa_to_ieee_bv(self._ref, number)), None

    def float_apply(self, function: str, *args: Handle) -> Handle:
        mode = [self._nearest] if function in ROUNDED else []
        return self._referenced(self._functions[function](self._ref, *mode, *args))

    def float_of_float(self, exponent: int, significand: int, number: Handle) -> Handle:
        sort = self._float_sort(exponent, significand)
        convert = self._c.Z3_mk_fpa_to_fp_float
        return self._referenced(convert(self._ref, self._nearest, number, sort))

    def float_of_integer(
        self, exponent: int, significand: int, bits: Handle, signed: bool
    ) -> Handle:
        sort = self._float_sort(exponent, significand)
        convert = self._c.Z3_mk_fpa_to_fp_signed if signed else self._c.Z3_mk_fpa_to_fp_unsigned
        return self._referenced(convert(self._ref, self._nearest, bits, sort))

    def integer_of_float(self, width: int, number: Handle) -> Handle:
        return self._referenced(self._c.Z3_mk_fpa_to_sbv(self._ref, self._to_zero, number, width))
