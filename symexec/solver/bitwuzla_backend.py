"""The door to bitwuzla.

    push, assert x' < 5;  check_sat(assumption y' == 2)

Two settings matter more than all others (measured): no preprocessing with rewrite level 1, because
queries are small and many; and a new solver every few hundred queries, because learnt clauses about
popped levels pile up. The term manager lives on, so nothing is lowered twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from symexec.expr import Term
from symexec.solver.alignment import Alignment
from symexec.solver.answer import Answer
from symexec.solver.lowering import Handle, Lowering
from symexec.solver.path import PathCondition

_REBUILD_AFTER = 200


class BitwuzlaBackend:
    name = "bitwuzla"

    def __init__(self, rebuild_after: int = _REBUILD_AFTER) -> None:
        import bitwuzla  # loading takes 20 ms

        self._library: Any = bitwuzla
        self._manager: Any = bitwuzla.TermManager()
        self._lowering = Lowering(_Builder(bitwuzla, self._manager))
        self._rebuild_after = rebuild_after
        self._solver: Any = None
        self._limit_ms = 0
        self._queries = 0
        self._alignment = Alignment()
        self.rebuilds = -1

    def check(self, path: PathCondition, condition: Term | None, limit_s: float) -> Answer:
        limit_ms = max(1, int(limit_s * 1000))
        if (
            self._solver is None
            or self._queries >= self._rebuild_after
            or limit_ms != self._limit_ms
        ):
            self._rebuild(limit_ms)
        self._queries += 1
        self._align(path)
        assumptions = [] if condition is None else [self._lowering.lower(condition)]
        result = self._solver.check_sat(*assumptions)
        if result == self._library.Result.SAT:
            return Answer.SAT
        return Answer.UNSAT if result == self._library.Result.UNSAT else Answer.UNKNOWN

    def _rebuild(self, limit_ms: int) -> None:
        options = self._library.Options()
        option = self._library.Option
        options.set(option.PRODUCE_MODELS, True)
        options.set(option.PREPROCESS, False)
        options.set(option.REWRITE_LEVEL, 1)
        options.set(option.TIME_LIMIT_PER, limit_ms)
        self._solver = self._library.Bitwuzla(self._manager, options)
        self._limit_ms = limit_ms
        self._alignment = Alignment()
        self._queries = 0
        self.rebuilds += 1

    def _align(self, path: PathCondition) -> None:
        popped, fresh = self._alignment.moves(path)
        if popped:
            self._solver.pop(popped)
        for node in fresh:
            assert node.term is not None
            self._solver.push(1)
            self._solver.assert_formula(self._lowering.lower(node.term))

    def values(self, symbols: Iterable[Term]) -> dict[Term, int]:
        get_value = self._solver.get_value
        result: dict[Term, int] = {}
        for symbol in symbols:
            value = get_value(self._lowering.lower(symbol)).value(16)
            # bool for Booleans, hexadecimal text for bit-vectors
            result[symbol] = int(value, 16) if isinstance(value, str) else int(value)
        return result


class _Builder:
    """SMT-LIB's functions in bitwuzla's spelling."""

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
        }
        self._sorts: dict[int, Any] = {1: manager.mk_bool_sort()}

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
