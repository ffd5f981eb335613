"""Cut a hard question into easy ones: which parts of it are the same value on this path?

    where x < y:   100000 * |x - y| != 100000 * ((d ^ s) - s),  d = y - x, s = d >> 31
    s == 0, since it is 0 on all samples, and no backend finds another; then (d ^ 0) - 0 is d ...

What two versions compute is alike piece by piece, but a backend that is shown the whole only sees
two large circuits. Pieces with the same value under some models of the path are put to a backend,
inner ones first, and become one piece when they are proved to be equal (SAT sweeping).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from time import thread_time

from symexec.expr import Operand, Term, substitute, symbols
from symexec.solver import sets
from symexec.solver.answer import Answer
from symexec.solver.path import Assignment, PathCondition
from symexec.solver.question import Question
from symexec.solver.simplifying import Simplifier

_MOST = 60  # questions for one sweep
_NODES = 400
_TRIED = 40  # assignments, of which those that satisfy the path are samples
_FEW = 3  # samples; fewer say nothing of a constant

Ask = Callable[[PathCondition, Term, Sequence[Term]], tuple[Answer, Assignment | None]]


def compares(condition: Term) -> bool:
    """Does it ask whether two computed numbers are the same? Such questions, of what two versions
    have come to, are mostly answered with no, and that is where pieces help."""
    stack = [condition]
    while stack:
        top = stack.pop()
        if top.op in ("and", "or", "not"):
            stack.extend(top.args)
        elif top.op == "eq" and all(side.width > 1 and side.args for side in top.args):
            return True
    return False


class Sweep:
    """One question's. ``ask`` puts the negation of a lemma to a backend, and says with which values
    of the symbols it holds; ``lemmas`` counts that."""

    def __init__(
        self,
        ask: Ask,
        simplifier: Simplifier,
        question: Question,
        base: Assignment,
    ) -> None:
        self.lemmas = 0
        self._ask = ask
        self._simplifier = simplifier
        self._path = question.path
        self._facts = question.facts
        self._condition = question.condition
        names = self._path.symbols() | symbols(self._condition)
        self._names = sorted(names, key=lambda term: term.id)
        self._samples = [base, *_neighbours(question, self._names, base)]
        self._pieces: dict[tuple[int, ...], list[Term]] = {}

    def swept(self, seconds: float) -> Operand:
        """The condition with equal pieces made one, as far as the time goes."""
        condition, end = self._condition, thread_time() + seconds
        replaced: dict[Term, Operand] = {}
        for node in inner_first(condition):
            if thread_time() > end or self.lemmas >= _MOST:
                break
            piece = substitute(node, replaced) if replaced else node
            same = self._same(piece) if isinstance(piece, Term) else piece
            if same is not node:
                replaced[node] = same
        return substitute(condition, replaced) if replaced else condition

    def _same(self, piece: Term) -> Operand:
        """A constant or an older piece of the same value; else the piece itself."""
        while True:
            key = self._key(piece)
            if piece in self._pieces.get(key, ()):
                return piece
            refuted = False
            for candidate in self._candidates(piece, key):
                answer = self._proved(piece, candidate)
                if answer is Answer.UNSAT:
                    return candidate
                if answer is Answer.SAT:
                    refuted = True
                    break
            if not refuted:
                self._pieces.setdefault(key, []).append(piece)
                return piece

    def _candidates(self, piece: Term, key: tuple[int, ...]) -> list[Operand]:
        if not piece.args:
            return []
        found: list[Operand] = []
        if len(self._samples) >= _FEW and len(set(key[1:])) == 1:
            found.append(key[1])
        if piece.width > 1:
            found += self._pieces.get(key, ())
        return found

    def _proved(self, piece: Term, candidate: Operand) -> Answer:
        """UNSAT: they are equal wherever the path condition holds."""
        differ = piece.table.negate(piece.table.compare("eq", piece.width, piece, candidate))
        if isinstance(differ, Term) and self._simplifier.is_dear(differ):
            differ = self._simplifier.simplified(self._path, self._facts, differ)
        if isinstance(differ, int):
            return Answer.SAT if differ else Answer.UNSAT
        if self.lemmas >= _MOST:
            return Answer.UNKNOWN
        self.lemmas += 1
        answer, sample = self._ask(self._path, differ, self._names)
        if sample is not None:
            self._learn(sample)
        return answer

    def _learn(self, sample: Assignment) -> None:
        """One more sample tells pieces apart that looked alike."""
        self._samples.append(sample)
        before, self._pieces = self._pieces, {}
        for key, pieces in before.items():
            for piece in pieces:
                self._pieces.setdefault((*key, sample.value(piece)), []).append(piece)

    def _key(self, piece: Term) -> tuple[int, ...]:
        return (piece.width, *(sample.value(piece) for sample in self._samples))


def _neighbours(question: Question, names: list[Term], base: Assignment) -> list[Assignment]:
    """Assignments like the base one, other values here and there, that satisfy the path."""
    chosen = random.Random(0)
    literals, domains = question.path.terms(), question.facts.domains
    found: list[Assignment] = []
    for _ in range(_TRIED):
        values = dict(base.values)
        for symbol in names:
            if chosen.random() < 0.5:
                low, high = chosen.choice(domains.get(symbol) or sets.full(symbol.width))
                values[symbol] = chosen.randint(low, high)
        sample = Assignment(values)
        if all(map(sample.holds, literals)):
            found.append(sample)
    return found


def inner_first(condition: Term) -> list[Term]:
    """The numbers and truth values that it is made of, but for itself."""
    seen = {condition}
    stack = [condition]
    while stack and len(seen) < _NODES:
        for child in stack.pop().args:
            if child not in seen and child.value is None and child.width:
                seen.add(child)
                stack.append(child)
    whole = {condition, *(condition.args if condition.op == "not" else ())}
    return sorted(seen - whole, key=lambda term: term.id)
