"""The door to bitwuzla.

    push, assert x' < 5;  check_sat(assumption y' == 2)

Two settings matter more than all others (measured): no preprocessing with rewrite level 1, because
queries are small and many; and a new solver every few hundred queries, because learnt clauses about
popped levels and circuits of conditions asked once pile up. The term manager lives on, so nothing
is lowered twice.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from inspect import GEN_CLOSED, getgeneratorstate
from math import inf
from time import monotonic, thread_time
from typing import Any

from symexec.expr import Term
from symexec.solver.backend import ROUNDED, Answer, Handle
from symexec.solver.lowering import Alignment, Lowering
from symexec.solver.path import PathCondition

_REBUILD_AFTER = 300
_GROWN = 50  # terms
CALLS_A_SECOND = 2000  # how often the library asks whether to give up: as often each time


class BitwuzlaBackend:
    name = "bitwuzla"

    def __init__(self, rebuild_after: int = _REBUILD_AFTER, counted: bool = False) -> None:
        import bitwuzla  # loading takes 20 ms

        self._library: Any = bitwuzla
        self._manager: Any = bitwuzla.TermManager()
        self._builder = _Builder(bitwuzla, self._manager)
        self._lowering = Lowering(self._builder)
        self._rebuild_after = rebuild_after
        self._solver: Any = None
        self._counted = counted
        self._deadline = _Deadline(counted)
        self._queries = 0
        self._lowered_before = 0
        self._alignment = Alignment()
        self.rebuilds = -1

    @property
    def work_s(self) -> float:
        """The duration of the last check where limits are counted: seconds, by a count of steps."""
        return self._deadline.calls / CALLS_A_SECOND

    def __del__(self) -> None:
        """Delete terms and solvers in the right order: the library crashes when one outlives its
        manager, and neither the order of attributes nor the garbage collector guarantees it. An
        object whose construction was interrupted lacks some attributes."""
        self._solver = None
        for part in ("_lowering", "_builder"):
            if hasattr(self, part):
                getattr(self, part).forget()
        self._manager = None

    def check(
        self, path: PathCondition, condition: Term | None, limit_s: float, until: float = inf
    ) -> Answer:
        with _without_frames():
            return self._answer(path, condition, limit_s, until)

    def _answer(
        self, path: PathCondition, condition: Term | None, limit_s: float, until: float
    ) -> Answer:
        if self._deadline.has_ended:
            self._solver, self._deadline = None, _Deadline(self._counted)
        if self._solver is None or self._is_stale(path):
            self._rebuild()
        self._queries += 1
        self._align(path)
        assumptions = [] if condition is None else self._lowered(condition)
        self._deadline.set(limit_s, until)
        try:
            result = self._solver.check_sat(*assumptions)
        finally:  # also where another signal comes at once behind the query
            self._deadline.interrupt()
        if result == self._library.Result.SAT:
            return Answer.SAT
        return Answer.UNSAT if result == self._library.Result.UNSAT else Answer.UNKNOWN

    def _is_stale(self, path: PathCondition) -> bool:
        """Is it time for a new solver? Circuits of earlier conditions slow down every query: a few
        hundred plain comparisons do, or fewer with many new terms. Those that the path needs do not
        count."""
        grown = len(self._lowering.handles) - self._lowered_before
        return self._queries >= self._rebuild_after or grown > _GROWN + 4 * path.length

    def _rebuild(self) -> None:
        options = self._library.Options()
        option = self._library.Option
        options.set(option.PRODUCE_MODELS, True)
        options.set(option.PREPROCESS, False)
        options.set(option.REWRITE_LEVEL, 1)
        self._solver = None
        solver = self._library.Bitwuzla(self._manager, options)
        solver.configure_terminator(self._deadline.over)
        self._alignment = Alignment()
        self._queries = 0
        self._lowered_before = len(self._lowering.handles)
        self.rebuilds += 1
        self._solver = solver

    def _align(self, path: PathCondition) -> None:
        """Let the solver hold the path's conditions. Who is interrupted meanwhile leaves no solver
        behind: nobody knows what it holds."""
        solver, self._solver = self._solver, None
        popped, fresh = self._alignment.moves(path)
        if popped:
            solver.pop(popped)
        for node in fresh:
            assert node.term is not None
            solver.push(1)
            for formula in self._lowered(node.term):
                solver.assert_formula(formula)
        self._solver = solver

    def _lowered(self, term: Term) -> list[Handle]:
        return [self._lowering.lower(term), *self._lowering.definitions(term)]

    def values(self, symbols: Iterable[Term]) -> dict[Term, int]:
        with _without_frames():
            return self._values(symbols)

    def _values(self, symbols: Iterable[Term]) -> dict[Term, int]:
        get_value = self._solver.get_value
        result: dict[Term, int] = {}
        for symbol in symbols:
            value = get_value(self._lowering.lower(symbol)).value(16)
            # bool for Booleans, hexadecimal text for bit-vectors
            result[symbol] = int(value, 16) if isinstance(value, str) else int(value)
        return result


class _without_frames:
    """Of an interruption forget where it came: the frames hold terms, and the library crashes when
    one outlives its manager."""

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is not None and not isinstance(error, Exception):
            raise error.with_traceback(None)


@dataclass(slots=True)
class _Limits:
    """The limits of one query. ``interruptions``: the exceptions raised during the query.
    ``counted``: the limit is a number of ``calls`` and no time."""

    counted: bool
    calls: int = 0
    most: float = 0.0
    end: float = 0.0  # CPU seconds of this thread
    until: float = 0.0  # on the clock
    interruptions: tuple[BaseException, ...] = ()

    def over(self) -> bool:
        self.calls += 1
        if self.counted:
            return self.calls > self.most
        return thread_time() > self.end or monotonic() > self.until


class _Deadline:
    """Called by the library now and then during a query: ``over`` says whether to give up. (The
    library's own time limit is an option that a solver has for life.)

    The library swallows exceptions, and a signal's handler may raise one at any moment, also before
    a function's first statement. A generator can catch it wherever it comes: it is stored, ends the
    query, and is raised by ``interrupt``. Several signals may wait for the library to call. Where
    one is too many, the generator ends, and with it the query.
    """

    __slots__ = ("_answers", "_limits", "over")

    def __init__(self, counted: bool) -> None:
        self._limits = _Limits(counted)
        # holds no reference to the backend: a cycle would end with the library
        self._answers = _answers(self._limits)
        next(self._answers)
        self.over: Callable[[], bool] = partial(next, self._answers, True)

    def set(self, limit_s: float, until: float) -> None:
        limits = self._limits
        limits.calls, limits.most = 0, limit_s * CALLS_A_SECOND
        limits.end, limits.until = thread_time() + limit_s, until
        limits.interruptions = ()  # that of a query before was raised already

    @property
    def calls(self) -> int:
        return self._limits.calls

    @property
    def has_ended(self) -> bool:
        """Does it say of each query from now on that it is over?"""
        return getgeneratorstate(self._answers) == GEN_CLOSED

    def interrupt(self) -> None:
        """Raise the exception that came during a query; of several, the one that ends the run."""
        interruptions, self._limits.interruptions = self._limits.interruptions, ()
        found = [each for last in interruptions for each in _with_contexts(last)]
        for each in found:
            each.__context__ = None
        if found:
            ending = (each for each in found if isinstance(each, KeyboardInterrupt))
            raise next(ending, found[0]).with_traceback(None)


def _with_contexts(last: BaseException) -> Iterator[BaseException]:
    """An exception behind those during which it came."""
    if last.__context__ is not None:
        yield from _with_contexts(last.__context__)
    yield last


def _answers(limits: _Limits) -> Generator[bool, None, None]:
    """The handlers call nothing: that is where Python would raise the next exception."""
    try:
        while True:
            try:
                while True:
                    yield bool(limits.interruptions) or limits.over()
            except GeneratorExit:
                return
            except BaseException as interruption:
                limits.interruptions += (interruption,)
    except BaseException as interruption:
        limits.interruptions += (interruption,)


class _Builder:
    """SMT-LIB's functions as bitwuzla's kinds."""

    def __init__(self, library: Any, manager: Any) -> None:
        kind = library.Kind
        self._manager = manager
        self._extract = kind.BV_EXTRACT
        self._extends = {False: kind.BV_ZERO_EXTEND, True: kind.BV_SIGN_EXTEND}
        self._kinds = {
            "=": kind.EQUAL,
            "and": kind.AND,
            "or": kind.OR,
            "xor": kind.XOR,
            "not": kind.NOT,
            "ite": kind.ITE,
            "store": kind.ARRAY_STORE,
            "select": kind.ARRAY_SELECT,
            "concat": kind.BV_CONCAT,
            "bvadd": kind.BV_ADD,
            "bvsub": kind.BV_SUB,
            "bvmul": kind.BV_MUL,
            "bvudiv": kind.BV_UDIV,
            "bvurem": kind.BV_UREM,
            "bvsdiv": kind.BV_SDIV,
            "bvsrem": kind.BV_SREM,
            "bvand": kind.BV_AND,
            "bvor": kind.BV_OR,
            "bvxor": kind.BV_XOR,
            "bvnot": kind.BV_NOT,
            "bvneg": kind.BV_NEG,
            "bvshl": kind.BV_SHL,
            "bvlshr": kind.BV_SHR,
            "bvashr": kind.BV_ASHR,
            "bvult": kind.BV_ULT,
            "bvule": kind.BV_ULE,
            "bvslt": kind.BV_SLT,
            "bvsle": kind.BV_SLE,
            "fp.add": kind.FP_ADD,
            "fp.sub": kind.FP_SUB,
            "fp.mul": kind.FP_MUL,
            "fp.div": kind.FP_DIV,
            "fp.sqrt": kind.FP_SQRT,
            "fp.eq": kind.FP_EQUAL,
            "fp.lt": kind.FP_LT,
            "fp.leq": kind.FP_LEQ,
            "fp.isNaN": kind.FP_IS_NAN,
        }
        self._conversions = {
            "bits": kind.FP_TO_FP_FROM_BV,
            "float": kind.FP_TO_FP_FROM_FP,
            "signed": kind.FP_TO_FP_FROM_SBV,
            "unsigned": kind.FP_TO_FP_FROM_UBV,
            "integer": kind.FP_TO_SBV,
        }
        self._nearest = manager.mk_rm_value(library.RoundingMode.RNE)
        self._to_zero = manager.mk_rm_value(library.RoundingMode.RTZ)
        self._sorts: dict[int, Any] = {1: manager.mk_bool_sort()}

    def forget(self) -> None:
        self._sorts.clear()
        self._nearest = self._to_zero = None

    def _sort(self, width: int) -> Any:
        found = self._sorts.get(width)
        if found is None:
            found = self._sorts[width] = self._manager.mk_bv_sort(width)
        return found

    def boolean(self, value: bool) -> Handle:
        return self._manager.mk_true() if value else self._manager.mk_false()

    def number(self, width: int, value: int) -> Handle:
        sort = self._sort(width) if width > 1 else self._manager.mk_bv_sort(1)
        return self._manager.mk_bv_value(sort, value)

    def symbol(self, name: str, width: int) -> Handle:
        return self._manager.mk_const(self._sort(width), name)

    def zero_array(self) -> Handle:
        sort = self._manager.mk_array_sort(self._sort(32), self._sort(8))
        return self._manager.mk_const_array(sort, self.number(8, 0))

    def apply(self, function: str, *args: Handle) -> Handle:
        return self._manager.mk_term(self._kinds[function], list(args))

    def extract(self, a: Handle, high: int, low: int) -> Handle:
        return self._manager.mk_term(self._extract, [a], [high, low])

    def extend(self, a: Handle, more: int, signed: bool) -> Handle:
        return self._manager.mk_term(self._extends[signed], [a], [more])

    def float_of_bits(self, exponent: int, significand: int, bits: Handle) -> Handle:
        kind = self._conversions["bits"]
        return self._manager.mk_term(kind, [bits], [exponent, significand])

    def bits_of_float(
        self, name: str, exponent: int, significand: int, number: Handle
    ) -> tuple[Handle, Handle | None]:
        bits = self.symbol(name, exponent + significand)
        again = self.float_of_bits(exponent, significand, bits)
        return bits, self.apply("=", again, number)

    def float_apply(self, function: str, *args: Handle) -> Handle:
        mode = [self._nearest] if function in ROUNDED else []
        return self._manager.mk_term(self._kinds[function], [*mode, *args])

    def float_of_float(self, exponent: int, significand: int, number: Handle) -> Handle:
        kind = self._conversions["float"]
        return self._manager.mk_term(kind, [self._nearest, number], [exponent, significand])

    def float_of_integer(
        self, exponent: int, significand: int, bits: Handle, signed: bool
    ) -> Handle:
        kind = self._conversions["signed" if signed else "unsigned"]
        return self._manager.mk_term(kind, [self._nearest, bits], [exponent, significand])

    def integer_of_float(self, width: int, number: Handle) -> Handle:
        kind = self._conversions["integer"]
        return self._manager.mk_term(kind, [self._to_zero, number], [width])
