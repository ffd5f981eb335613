"""The solver that the executor asks: cheap layers first, a backend for the rest.

solver = build_solver("bitwuzla")
solver.directions(path, x < 5)          ->  (True, True)
solver.check(path, x < 5)               ->  Answer.SAT
solver.model(path, x < 5)               ->  {x: 0}
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import inf
from time import monotonic, perf_counter

from csg.records import record
from symexec.counters import Counters
from symexec.expr import Operand, Term, bounds, few_values
from symexec.solver.backend import Answer, Backend, canonical_model
from symexec.solver.bitwuzla_backend import BitwuzlaBackend
from symexec.solver.facts import FactFinder, Layer, Query
from symexec.solver.layers import (
    KnownConditions,
    ModelPatching,
    PathModels,
    Reduced,
    SimplerForms,
    SingleSymbols,
    SliceCache,
    SymbolBounds,
)
from symexec.solver.path import Assignment, PathCondition
from symexec.solver.simplifying import Simplifier, Sweep
from symexec.solver.z3_backend import Z3Backend

BRIEF = 0.5  # seconds that a query may always take
_QUERY = 0.001  # seconds that a query to a backend counts for, in addition to its steps
_MOMENT = 0.3  # seconds for a query before it is cut into pieces


@record
class SolverOptions:
    """Options of the chain. ``self_check``: every n-th answer of the backend is checked by the
    other one and every model is evaluated; 0 is off. ``deterministic``: limits are counts of the
    backend's steps, not times, and models are canonical."""

    limit_s: float = 10.0
    self_check: int = 0
    rebuild_after: int = 300
    deterministic: bool = False


def build_solver(
    name: str = "bitwuzla",
    options: SolverOptions | None = None,
    counters: Counters | None = None,
) -> SolverChain:
    """Build the whole chain."""
    options = options or SolverOptions()
    counters = counters if counters is not None else Counters()
    finder, simplifier = FactFinder(), Simplifier()
    layers: tuple[Layer, ...] = (
        KnownConditions(),
        PathModels(),
        SingleSymbols(finder),
        Reduced(finder),
        SymbolBounds(),
        ModelPatching(),
        SliceCache(),
        SimplerForms(simplifier),
    )
    return SolverChain(name, layers, finder, simplifier, options, counters)


def build_backend(name: str, options: SolverOptions) -> Backend:
    match name:
        case "bitwuzla":
            return BitwuzlaBackend(options.rebuild_after, options.deterministic)
        case "z3":
            return Z3Backend(options.deterministic)
        case _:
            raise ValueError(f"unknown solver {name!r}: bitwuzla or z3")


class SolverChain:
    def __init__(
        self,
        name: str,
        layers: Sequence[Layer],
        finder: FactFinder,
        simplifier: Simplifier,
        options: SolverOptions,
        counters: Counters,
    ) -> None:
        self.name = name
        self.layers = layers
        self._beyond_models = [each for each in layers if not isinstance(each, PathModels)]
        self.options = options
        self.counters = counters
        self.deadline = float("inf")  # on the monotonic clock; no query lasts much longer
        self.patience = float("inf")  # seconds for all queries that are not answered briefly
        self._finder = finder
        self._simplifier = simplifier
        self._backend: Backend | None = None  # loaded by the first query that needs it
        other = "z3" if name == "bitwuzla" else "bitwuzla"
        self._self_check = (
            SelfCheck(lambda: build_backend(other, options), options.self_check, counters)
            if options.self_check
            else None
        )

    # ------------------------------------------------------------------ queries

    def check(self, path: PathCondition, condition: Operand | None = None) -> Answer:
        """Can the path condition hold, and the condition with it?"""
        return self._ask(path, condition)[0]

    def directions(self, path: PathCondition, condition: Operand) -> tuple[bool, bool]:
        """Whether the condition can be true, and whether it can be false, on a path that can be
        taken. A side that the solver gave up on counts as possible, and in ``counters.unknown``."""
        if isinstance(condition, int):
            return condition == 1, condition == 0
        can_be_true = can_be_false = False
        for model in path.models:
            if model.holds(condition):
                can_be_true = True
            else:
                can_be_false = True
            if can_be_true and can_be_false:
                self.counters.queries += 1
                self.counters.answer("model")
                return True, True
        known = self._finder.facts(path).known.get(condition)
        if known is not None:
            self.counters.queries += 1
            self.counters.answer("known")
            return known == 1, known == 0
        tried = can_be_true or can_be_false
        if not can_be_true:
            can_be_true = self._ask(path, condition, tried)[0] is not Answer.UNSAT
            if not can_be_true:
                return False, True
        if not can_be_false:
            opposite = condition.table.negate(condition)
            can_be_false = self._ask(path, opposite, tried)[0] is not Answer.UNSAT
        return can_be_true, can_be_false

    def learn(self, path: PathCondition, condition: Term, value: bool) -> None:
        """Note that ``directions`` has found before, on the same path, that the condition has this
        value there."""
        facts = self._finder.facts(path)
        if condition not in facts.known:
            excluded = condition.table.negate(condition) if value else condition
            assert isinstance(excluded, Term)
            self._finder.rule_out(facts, excluded)

    def model(
        self, path: PathCondition, condition: Operand | None = None
    ) -> dict[Term, int] | None:
        """Values of the symbols that occur, 0 for those left out; None if there is no model or the
        solver gave up. Depends on earlier queries, unless the solver is deterministic and finds a
        canonical model in time."""
        if self.options.deterministic:
            found = self.canonical_model(path, condition)
            if found is not None:
                return found
        answer, assignment = self._ask(path, condition)
        if answer is not Answer.SAT or assignment is None:
            return None
        extended = path if condition is None else path.assuming(condition)
        return assignment.restricted(extended.symbols())

    def canonical_model(
        self, path: PathCondition, condition: Operand | None = None
    ) -> dict[Term, int] | None:
        """A model that is the same for every history of queries and prefers small values
        (``backend.py``)."""
        extended = path if condition is None else path.assuming(condition)
        facts = self._finder.facts(extended)
        if facts.contradictory:
            return None
        limit = self._limit()
        if not self.options.deterministic:
            limit = max(0.1, min(limit, self.deadline - monotonic()))
        build = partial(build_backend, self.name, self.options)
        return canonical_model(facts, build, limit, self._count_query)

    def _count_query(self, backend: Backend) -> None:
        """Count the time of a query for a canonical model, by its steps."""
        self.counters.backend_queries += 1
        self.counters.solver_s += _QUERY + backend.work_s

    def restart(self) -> None:
        """Forget cached answers, and the backend, which an interrupted query leaves in disorder.
        Paths retain what is known of them."""
        self._backend = None
        for layer in self.layers:
            layer.forget()

    def simplified(self, path: PathCondition, term: Operand) -> Operand:
        """The term without the conditions and symbols that the path condition decides."""
        if isinstance(term, int):
            return term
        return self._finder.simplified(path, term)

    def knows(self, path: PathCondition, condition: Term) -> bool:
        """Is the condition decided by what was assumed or queried on the path?"""
        return condition in self._finder.facts(path).known

    def bounds(self, path: PathCondition, term: Operand) -> tuple[int, int]:
        """Unsigned bounds of a term under the path condition, without querying a backend."""
        if isinstance(term, int):
            return term, term
        return bounds(term, self._finder.facts(path).ranges(term), {})

    def values(self, path: PathCondition, term: Operand, most: int) -> tuple[int, ...]:
        """All values that a term can have under the path condition, smallest first, without
        querying a backend; none when there may be more than ``most``."""
        if isinstance(term, int):
            return (term,)
        return few_values(term, self._finder.facts(path).domains_of(term), most) or ()

    # ------------------------------------------------------------------ answers

    def _ask(
        self, path: PathCondition, condition: Operand | None, tried: bool = False
    ) -> tuple[Answer, Assignment | None]:
        """The answer to a query. ``tried``: no known model of the path satisfies the condition."""
        self.counters.queries += 1
        if condition == 0 or path.contradictory:
            self.counters.answer("fold")
            return Answer.UNSAT, None
        base = self._base_model(path)
        if condition is None or isinstance(condition, int):
            if base is not None:
                self.counters.answer("model")
                return Answer.SAT, base
            if self._finder.facts(path).contradictory:
                self.counters.answer("known")
                return Answer.UNSAT, None
            return self._ask_backend(path, None)
        facts = self._finder.facts(path)
        if facts.contradictory:
            self.counters.answer("known")
            return Answer.UNSAT, None
        query = Query(path, facts, condition, base)
        for layer in self._beyond_models if tried else self.layers:
            answer = layer.decide(query)
            if answer is not None:
                self.counters.answer(layer.name)
                break
        else:
            if base is not None and query.divisible:
                answer, query.assignment = self._ask_piecewise(path, query, base)
            else:
                answer, query.assignment = self._ask_backend(path, query)
            for layer in self.layers:
                layer.learn(query, answer)
        if query.assignment is not None:
            path.keep_model(query.assignment)
        elif answer is Answer.UNSAT and base is not None:
            self._finder.rule_out(facts, condition)
        return answer, query.assignment

    def _base_model(self, path: PathCondition) -> Assignment | None:
        """A model of the path itself. Mostly the branch that led here left one; a path built
        without queries gets one now."""
        for model in path.models:
            return model
        facts = self._finder.facts(path)
        if facts.contradictory:
            return None
        parent, literal = path.parent, path.term
        if parent is not None and literal is not None and parent.models:
            answer, found = self._ask(parent, literal)
        elif (found := self._model_by_layers(path)) is not None:
            answer = Answer.SAT
        else:
            answer, found = self._ask_backend(path, None)
        if answer is Answer.UNSAT:
            facts.contradictory = True
        elif found is not None:
            path.keep_model(found)
        return found

    def _model_by_layers(self, path: PathCondition) -> Assignment | None:
        """A model of a path of which only a beginning has one, as where states were found again by
        their decisions: the model of the beginning is changed for one literal after the other. None
        where a literal needs a backend."""
        beginning, pending = path.modelled()
        if not beginning.models:
            return None
        facts = self._finder.facts(beginning).copy()
        for step in pending:
            literal, before = step.term, step.parent
            if literal is None or before is None:
                return None
            if not step.models:
                query = Query(before, facts, literal, before.models[0])
                for layer in self._beyond_models:
                    if layer.decide(query) is not None:
                        self.counters.answer(layer.name)
                        break
                if query.assignment is None:
                    return None
                step.keep_model(query.assignment)
            self._finder.add(facts, literal)
        return path.models[0]

    def _ask_backend(
        self, path: PathCondition, query: Query | None
    ) -> tuple[Answer, Assignment | None]:
        answer, found = self._consult(path, query, self._limit())
        if answer is Answer.UNKNOWN:
            self.counters.unknown += 1
        return answer, found

    def _ask_piecewise(
        self, path: PathCondition, query: Query, base: Assignment
    ) -> tuple[Answer, Assignment | None]:
        """Query the backend for a short time as a whole; then replace equal pieces, and query again
        as long as it may take."""
        answer, found = self._consult(path, query, _MOMENT)
        if answer is not Answer.UNKNOWN:
            return answer, found
        sweep = Sweep(self._lemma, self._simplifier, query, base)
        swept = sweep.swept(inf if self.options.deterministic else self._limit() / 2)
        self.counters.backend_queries += sweep.lemmas
        if isinstance(swept, Term):
            swept = self._simplifier.simplified(path, query.facts, swept)
        if isinstance(swept, int):
            return (Answer.SAT, base) if swept else (Answer.UNSAT, None)
        query.simpler = swept
        return self._ask_backend(path, query)

    def _opened(self) -> Backend:
        if self._backend is None:
            self._backend = build_backend(self.name, self.options)
        return self._backend

    def _consult(
        self, path: PathCondition, query: Query | None, limit: float
    ) -> tuple[Answer, Assignment | None]:
        backend = self._opened()
        condition = None if query is None else query.simpler or query.condition
        self.counters.backend_queries += 1
        self.counters.answer("backend")
        started = perf_counter()
        answer = backend.check(path, condition, limit, self.deadline)
        found: Assignment | None = None
        if answer is Answer.SAT:
            found = self._found(backend, path, query)
        if self.options.deterministic:
            seconds = _QUERY + backend.work_s
        else:
            seconds = perf_counter() - started
        self.counters.solver_s += seconds
        if seconds > BRIEF:
            self.patience -= seconds
        self.counters.rebuilds = backend.rebuilds
        if self._self_check is not None:
            asked = None if query is None else query.condition
            self._self_check.verify(path, asked, answer, found)
        return answer, found

    def _limit(self) -> float:
        """The seconds for one query; few of them when hard queries have used up their share."""
        return self.options.limit_s if self.patience >= 0 else min(self.options.limit_s, BRIEF)

    def _lemma(
        self, path: PathCondition, negation: Term, names: Sequence[Term]
    ) -> tuple[Answer, Assignment | None]:
        """The answer to a query about a piece, and the values of these symbols that refute it."""
        backend = self._opened()
        answer = backend.check(path, negation, 3 * _MOMENT, self.deadline)
        found = Assignment(backend.values(names)) if answer is Answer.SAT else None
        return answer, found

    def _found(self, backend: Backend, path: PathCondition, query: Query | None) -> Assignment:
        """The backend's model. Only symbols of the slice are read; the base model has the
        others."""
        if query is not None and query.base is not None:
            changes = backend.values(query.slice_symbols())
            return Assignment({**query.base.values, **changes})
        names = path.symbols()
        if query is not None:
            names = names.union(query.slice_symbols())
        return Assignment(backend.values(sorted(names, key=lambda term: term.id)))


# ------------------------------------------------------------------------------------- self check
# Doubt the answers: ask the other solver about a sample, evaluate every model.
#
# SelfCheck(z3, every=10)   every tenth answer of bitwuzla is put to z3


_LIMIT_S = 20.0


class SelfCheck:
    """Checks answers. A wrong one is a defect of csgtest or of the solver: an assertion fails, and
    no path ends."""

    def __init__(self, build: Callable[[], Backend], every: int, counters: Counters) -> None:
        self._build = build
        self._every = every
        self._counters = counters
        self._backend: Backend | None = None
        self._seen = 0

    def verify(
        self,
        path: PathCondition,
        condition: Term | None,
        answer: Answer,
        found: Assignment | None,
    ) -> None:
        if found is not None:
            self._counters.models_checked += 1
            for literal in (*path.terms(), *([] if condition is None else [condition])):
                assert Assignment(found.values).holds(literal), f"no model of {literal!r}"
        self._seen += 1
        if self._seen % self._every or answer is Answer.UNKNOWN:
            return
        if self._backend is None:
            self._backend = self._build()
        second = self._backend.check(path, condition, _LIMIT_S)
        self._counters.answers_checked += 1
        assert second in (answer, Answer.UNKNOWN), f"{answer.value} against {second.value}"
