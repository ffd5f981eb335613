"""Path conditions: what has been assumed on the way to a point of the program.

    path = PathCondition().assuming(x < 5).assuming(y == 2)
    path.terms()             ->  [x < 5, y == 2]
    path.holds(x < 5)        ->  True

A path condition is never changed; extending one leaves it as it was, and forks share their common
part. It carries two things that only save work, both worked out when they are asked for: models
known to satisfy it, taken over from the path it extends, and facts (facts.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from symexec.expr import Operand, Term
from symexec.expr.terms import operand
from symexec.expr.walk import Value, evaluate, symbols
from symexec.solver import domains
from symexec.solver.domains import Intervals

MOST_MODELS = 4


class Assignment:
    """A model, and the values of terms that were already evaluated under it."""

    __slots__ = ("_cache", "values")

    def __init__(self, values: dict[Term, int], condition: Term | None = None) -> None:
        """``condition``: one that is known to hold."""
        self.values = values
        self._cache: dict[Term, Value] = {} if condition is None else {condition: 1}

    def restricted(self, names: frozenset[Term]) -> dict[Term, int]:
        """The values of these symbols; 0 for those that the model leaves out."""
        values = self.values
        if values.keys() <= names:
            return values
        return {name: value for name, value in values.items() if name in names}

    def value(self, term: Term) -> int:
        return evaluate(term, self.values, self._cache)

    def holds(self, condition: Term) -> bool:
        return evaluate(condition, self.values, self._cache) == 1


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Literals that share symbols, directly or through others. ``open``: what they say beyond the
    domains of the symbols, as of the last time that was computed."""

    symbols: frozenset[Term]
    literals: tuple[Term, ...]
    open: tuple[Term, ...] = ()

    @property
    def exact(self) -> bool:
        """Do the domains say all that the literals say?"""
        return not self.open


@dataclass(slots=True)
class Facts:
    known: dict[Term, int] = field(default_factory=dict)
    domains: dict[Term, Intervals] = field(default_factory=dict)
    groups: dict[Term, Group] = field(default_factory=dict)
    contradictory: bool = False

    def copy(self) -> Facts:
        return Facts(self.known.copy(), self.domains.copy(), self.groups.copy(), self.contradictory)

    def decide(self, condition: Term, value: int) -> None:
        """Note that the condition has this value wherever the path condition holds."""
        self.known[condition] = value
        opposite = condition.table.negate(condition)
        if isinstance(opposite, Term):
            self.known[opposite] = 1 - value

    def value_of(self, term: Term) -> int | None:
        """The only value of a condition or a symbol that the literals allow; None where there are
        several."""
        if term.width == 1:
            return self.known.get(term)
        if term.op == "symbol":
            match self.domains.get(term):
                case ((low, high),) if low == high:
                    return low
        return None

    def narrow(self, symbol: Term, values: Intervals) -> bool:
        """Note that the symbol has one of these values. Returns False when that was known."""
        before = self.domains.get(symbol)
        domain = values if before is None else domains.intersect(before, values)
        if domain == before:
            return False
        self.domains[symbol] = domain
        if not domain:
            self.contradictory = True
        return True

    def truth(self, symbol: Term, values: Intervals) -> int | None:
        """1 or 0 where the domain of the only symbol decides a condition that holds for these
        values; else None."""
        domain = self.domains.get(symbol)
        if domain is None:
            return None
        common = domains.intersect(domain, values)
        return 0 if not common else 1 if common == domain else None

    def ranges(self, term: Term) -> dict[Term, tuple[int, int]]:
        """Bounds of those symbols of a term that the literals constrain."""
        domains = self.domains_of(term)
        return {symbol: (domain[0][0], domain[-1][1]) for symbol, domain in domains.items()}

    def domains_of(self, term: Term) -> dict[Term, Intervals]:
        """The values of those symbols of a term that the literals constrain."""
        return {symbol: domain for symbol in symbols(term) if (domain := self.domains.get(symbol))}

    def groups_of(self, names: Iterable[Term]) -> list[Group]:
        """The distinct groups that these symbols belong to, in order of the symbols' age."""
        found: dict[Group, None] = {}
        for symbol in sorted(names, key=lambda term: term.id):
            group = self.groups.get(symbol)
            if group is not None:
                found[group] = None
        return list(found)


class PathCondition:
    """A linked list of literals (terms of width 1), the last one first. ``term`` is None in the
    empty one and where a constant false was assumed (``contradictory``)."""

    __slots__ = ("_facts", "_models", "_symbols", "contradictory", "length", "parent", "term")

    parent: PathCondition | None
    term: Term | None
    length: int
    contradictory: bool
    _facts: Facts | None
    _models: list[Assignment] | None
    _symbols: frozenset[Term] | None

    def __init__(
        self,
        parent: PathCondition | None = None,
        term: Term | None = None,
        contradictory: bool = False,
    ) -> None:
        self.parent = parent
        self.term = term
        self.length = parent.length + 1 if parent is not None else 0
        self.contradictory = contradictory
        self._facts = None
        self._models = None
        self._symbols = None

    def __repr__(self) -> str:
        return f"<path condition of {self.length}{' (false)' if self.contradictory else ''}>"

    @property
    def models(self) -> list[Assignment]:
        """Models known to satisfy the path. The empty path is shared by runs and stores none."""
        found = self._models
        if found is None:
            if not self.length:
                return [Assignment({})]
            found = self._models = self._inherited()
        return found

    def _inherited(self) -> list[Assignment]:
        literals: list[Term] = []
        node: PathCondition = self
        while node._models is None and node.parent is not None:
            if node.term is None:
                return []
            literals.append(node.term)
            node = node.parent
        found = []
        for model in node.models:
            for literal in literals:
                if not model.holds(literal):
                    break
            else:
                found.append(model)
        return found

    def modelled(self) -> tuple[PathCondition, list[PathCondition]]:
        """The longest beginning of this path of which models are known, as far as they were looked
        for, and the paths from there to this one, shortest first."""
        pending: list[PathCondition] = []
        node: PathCondition = self
        while not node._models and node.parent is not None:
            pending.append(node)
            node = node.parent
        pending.reverse()
        return node, pending

    def keep_model(self, found: Assignment) -> None:
        """Store a model for queries about this path and those that extend it."""
        models = self.models
        if self.length and found not in models:
            models.insert(0, found)
            del models[MOST_MODELS:]

    def symbols(self) -> frozenset[Term]:
        """The symbols that occur in the literals."""
        pending: list[PathCondition] = []
        node: PathCondition = self
        while node._symbols is None and node.parent is not None:
            pending.append(node)
            node = node.parent
        found = node._symbols if node._symbols is not None else frozenset()
        for node in reversed(pending):
            if node.term is not None and not (own := symbols(node.term)) <= found:
                found = found | own
            node._symbols = found
        return found

    def assuming(self, condition: Operand) -> PathCondition:
        """This path with one more condition; a conjunction becomes several literals."""
        if isinstance(condition, int):
            return self if condition or self.contradictory else PathCondition(self, None, True)
        facts = self._facts
        if facts is not None:
            known = facts.known.get(condition)
            if known is not None:
                return self.assuming(known)
        if condition.op == "and":
            return self._assuming_all(condition)
        return PathCondition(self, condition, self.contradictory)

    def _assuming_all(self, condition: Term) -> PathCondition:
        path = self
        rest = [condition]
        while rest:
            term = rest.pop()
            if term.op == "and":
                rest.extend(reversed(term.args))
            else:
                path = PathCondition(path, term, self.contradictory)
        return path

    def terms(self) -> list[Term]:
        """The literals in the order in which they were assumed."""
        result: list[Term] = []
        node: PathCondition | None = self
        while node is not None:
            if node.term is not None:
                result.append(node.term)
            node = node.parent
        result.reverse()
        return result

    def holds(self, condition: Operand) -> bool:
        """Is the condition (or every part of a conjunction) among the literals, or known to follow
        from them?"""
        if isinstance(condition, int):
            return bool(condition)
        facts = self._facts
        if facts is not None:
            return facts.known.get(condition) == 1
        parts = {condition}
        node: PathCondition | None = self
        while node is not None:
            if node.term is not None and node.term in parts:
                return True
            if node._facts is not None:
                return node._facts.known.get(condition) == 1
            node = node.parent
        return condition.op == "and" and all(self.holds(operand(part)) for part in condition.args)


EMPTY = PathCondition()
