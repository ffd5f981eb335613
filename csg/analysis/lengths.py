"""Which number says how much there is behind a pointer, as the code of one version uses both.

    for (i = 0; i < n; i++) sum += a[i];          (a, n): so many elements
    memcpy(to, from, n * sizeof *to);             (to, n), (from, n)
    end = text + size;                            (text, size)
    return sum_of(b->at, b->count);               (b->at, b->count), if sum_of has such a pair
    end = key + len / 8 * 8; .. switch (len % 8)  (key, len): eight at a time, and the rest
    for (i = 0; i <= n - m; i++) if (!memcmp(s + i, t, m)) ..    (s, n), (t, m)
    len > 2 && memcmp(buf, "abc", 3) == 0         (buf, len), if nothing else uses what buf leads to

Parameters are called by their places: ``0``, ``1->count``. A pair has to be certain, for inputs
that break it are not tried. There is none where code of the function bounds the number before it
counts (``if (n > 64) return -1;``: a caller may pass more than there is), where something else
bounds the loop, where the pointer leads to a text or to anything else that ends by itself, where
another branch takes the number for something else (``return code ? sum(a, n) : n / 3;``), and where
two numbers could be meant and neither order nor names decide.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import pairwise
from math import prod

from csg.analysis.guarded_lengths import Counted, Guarded, Pair, size_in_bytes, stride
from csg.analysis.null_checks import asked_in
from csg.analysis.order import Order, atoms, exit_of
from csg.analysis.steps import Steps
from csg.errors import Location
from csg.ir.library_effects import TAKES
from csg.language.syntax import (
    AddressOf,
    Assign,
    Binary,
    Break,
    Call,
    Cast,
    Compound,
    CompoundAssign,
    Conditional,
    Continue,
    Declaration,
    Dereference,
    DoWhile,
    Expression,
    ExpressionStatement,
    For,
    FunctionDefinition,
    Goto,
    If,
    Increment,
    Index,
    Logical,
    Member,
    Name,
    Return,
    StorageDuration,
    Switch,
    Symbol,
    Unary,
    While,
)
from csg.language.traversal import (
    INVERSE,
    Tree,
    assigned_values,
    called_name,
    comparisons,
    constant_of,
    is_failed_assertion,
    place_of,
    pointee,
    root_of,
    value_of,
    walk,
    without_casts,
)
from csg.language.types import Function, Integer, Pointer, Type, Void, is_integer
from csg.records import record

Functions = Mapping[str, FunctionDefinition]
# How many arrows there may be in the place of a pointer: no input has deeper structures, and of a
# tree each arrow more has twice as many pairs. The first of these depths counts at which no
# function has more pairs than MOST_PAIRS.
ARROWS = (16, 8, 4, 2)
MOST_PAIRS = 256
MOST_FUNCTIONS = 64  # functions that are analysed, from the entry function on
_LENGTH = re.compile(
    r"(len|length|size|siz|count|cnt|num|qty|quantity|bytes|total)\d*$"
    r"|(^|_)(n[a-z]?|nr|no|sz|max|cap|capacity|avail|left|nmemb|nitems|nel|nelems?)\d*$"
    r"|^(n|nr|num|no|number|count)_(of_)?[a-z]+s$",
    re.IGNORECASE,
)
_OF_WHAT_STANDS_BEFORE = re.compile(r"(len|length|size|bytes)\d*$", re.IGNORECASE)
_WRITES = {  # the position of the argument that is written to
    **dict.fromkeys(("memcpy", "memmove", "mempcpy", "memset", "fread"), 0),
    **dict.fromkeys(("read", "recv", "pread"), 1),
}
_OF_TEXTS = re.compile(r"str|wcs|ato[ilf]|f?puts$|fopen$|getenv$|open$|access$|unlink$|remove$")
_IN_TEXTS = re.compile(r"strn(case)?cmp$")  # a text that ends, or one in the midst of bytes
_LOOPS = (For, While, DoWhile)


def counted(functions: Functions, entry: FunctionDefinition) -> dict[Pair, Counted]:
    """The pairs of the entry function: those that its own code shows, and those of the functions
    that it passes its parameters to."""
    uses = {each.symbol.name: _Uses(each, functions) for each in called_from(functions, entry)}
    for arrows in ARROWS:
        found = _brought_up(uses, arrows)
        if max(map(len, found.values())) <= MOST_PAIRS:
            break
    return found[entry.symbol.name]


def _brought_up(uses: Mapping[str, _Uses], arrows: int) -> dict[str, dict[Pair, Counted]]:
    """The pairs of each function with those of the functions that it calls, or as many as show that
    they are too many. Pointers behind more ``arrows`` have none: a call only adds arrows, so a
    number that is left out below is no candidate above."""
    found: dict[str, dict[Pair, Counted]] = {name: {} for name in uses}
    for _ in uses:  # each round brings them one call further up
        again = {name: each.pairs(found, arrows) for name, each in uses.items()}
        if again == found:
            break
        found = again
        if arrows > ARROWS[-1] and max(map(len, found.values())) > MOST_PAIRS:
            break
    return found


def called_from(functions: Functions, entry: FunctionDefinition) -> list[FunctionDefinition]:
    """The functions that a call of ``entry`` can reach by name, itself first, the nearest before
    others; at most ``MOST_FUNCTIONS``."""
    known = {entry.symbol.name}
    found = [entry]
    for each in found:
        for node in walk(each.body):
            name = called_name(node)
            if name in functions and name not in known and len(found) < MOST_FUNCTIONS:
                known.add(name)
                found.append(functions[name])
    return found


# ------------------------------------------------------------------ one function


@record
class _Bound:
    """At these ``places`` of the function, a number is below ``by`` (a variable or a parameter)
    plus ``beyond``: the node at ``origin`` suggests it."""

    by: Symbol | str
    places: range
    beyond: int = 0
    origin: int = -1


@record
class _Held:
    """A condition has just been true: at the start of ``places``, a variable is below ``by`` plus
    ``beyond``, which may be negative. ``unequal``: it is not ``by`` plus ``beyond``."""

    by: Symbol | str
    places: range
    beyond: int
    unequal: bool


@record
class _Compared:
    """At these ``places``, the ``names`` are at most a sum of these ``variables`` and numbers: the
    node at ``origin`` says so."""

    names: frozenset[Symbol | str]
    variables: frozenset[Symbol | str]
    places: range
    origin: int


@record
class _Room:
    """At these ``places``, a variable plus the number ``more`` is below ``by`` plus ``beyond``."""

    variable: Symbol
    more: str
    by: str
    places: range
    beyond: int


class _Uses:
    """What one function does with its parameters, their members, and local copies of them."""

    def __init__(self, definition: FunctionDefinition, functions: Functions) -> None:
        self._functions = functions
        self._parameters = {each: str(place) for place, each in enumerate(definition.parameters)}
        self._types: dict[str, Type] = {
            str(place): each.type for place, each in enumerate(definition.parameters)
        }
        self._words: dict[str, str] = {  # the names of numbers and pointers in C
            str(place): each.name for place, each in enumerate(definition.parameters)
        }
        self._roots = dict(self._parameters)  # parameters, and local pointers into the same objects
        self._starts: dict[Symbol, int] = {}  # so many elements behind the roots, where constant
        # local numbers, and the parameters that they are computed from
        self._made: dict[Symbol, frozenset[str]] = {}
        self._equal: set[Symbol] = set()  # those of them that are copies of one parameter
        # local numbers that say how many times a constant is in a parameter: n / 8
        self._quotients: dict[Symbol, tuple[str, int]] = {}
        self._unsteady: set[str] = set()  # parameters that are assigned something else
        self._counting_down: set[Symbol | str] = set()
        # local numbers that are assigned other than by counting down
        self._changing: set[Symbol] = set()
        self._moving: set[str] = set()  # pointers that are stepped
        self._below: dict[Symbol | str, list[_Bound]] = {}
        self._held: dict[Symbol, list[_Held]] = {}
        self._orders: list[_Compared] = []  # comparisons of numbers with variables
        self._left: dict[Symbol, list[_Bound]] = {}  # where loops have left the variable
        self._rooms: list[_Room] = []
        # places where something else bounds the number
        self._bounded: dict[Symbol | str, list[range]] = {}
        self._least: dict[str, int] = {}  # number -> the code distinguishes numbers below this
        # places where a number is at most as large as another one
        self._weighed: dict[str, list[range]] = {}
        self._texts: set[str] = set()  # pointers to texts, and to other data that ends by itself
        self._judged: set[str] = set()  # pointers to what a branch depends on
        self._written: set[int] = set()  # identities of the elements that are written
        self._found: dict[Pair, Counted] = {}  # pairs found by loops and sums
        self._taken: dict[Pair, Counted] = {}  # pairs found by calls of the C library
        # pairs of a pointer and a number that only occur together
        self._hinted: dict[Pair, Counted] = {}
        self._order = Order(definition.body)
        self._nodes = nodes = self._order.nodes
        self._steps = Steps(self._order)
        self._calls = [node for node in nodes if isinstance(node, Call)]
        self._said: dict[Pair, set[int]] = {}  # the places that show the pair
        self._everywhere = range(len(nodes))
        loops = [node for node in nodes if isinstance(node, _LOOPS)]
        self._repeated = [self._extent(node) for node in loops]
        self._bodies = {self._extent(node.body): node for node in loops}
        if any(isinstance(node, Goto) for node in nodes):
            self._repeated.insert(0, self._everywhere)
        self._here = 0  # the place of the node that is analysed
        self._copies(nodes)
        self._constant = Guarded(self, nodes)
        for self._here, node in enumerate(nodes):
            self._bounds(node)
            self._text(node)
        self._hold()
        for order in self._orders:
            self._put_in_order(order)
        for self._here, node in enumerate(nodes):
            self._use(node)
            self._loop(node)
        for pair, each, places in self._constant.pairs():
            self._found.setdefault(pair, each)
            self._said.setdefault(pair, set()).update(places)
        self._named_pairs = dict(self._by_names())
        for pair in self._named_pairs:
            self._said.setdefault(pair, set())

    def _extent(self, node: Tree) -> range:
        """The places of a node and of all its descendants."""
        return self._order.extent(node)

    def _from_here(self) -> range:
        """The places that can run after the present one: all that follow in the text, and all of
        the outermost loop around it."""
        around = [each.start for each in self._repeated if self._here in each]
        return range(min(around, default=self._here), self._everywhere.stop)

    def _behind(self, node: If, certain: bool) -> range:
        """The places that run if a branch of ``node`` leaves and was not taken: all that follow in
        the text. If the condition is ``certain``, the loops that evaluate it in each round count
        as a whole."""
        place, part = self._here, self._order.part(self._here)
        behind = range(self._extent(node).stop, self._everywhere.stop)
        if not certain or isinstance(exit_of(node.then), Continue):
            return behind
        if self._everywhere in self._repeated:
            return self._everywhere
        while (loop := self._bodies.get(part)) is not None:
            place = self._extent(loop).start
            part = self._order.part(place)
        return behind if place == self._here else range(place, self._everywhere.stop)

    # -------------------------------------------------------------- copies

    def _copies(self, nodes: list[Tree]) -> None:
        assigned = assigned_values(nodes)
        for node in nodes:
            match node:
                case Assign(target=target) if not isinstance(target, Name):
                    self._unsteady.add(place_of(target, self._parameters))
                case AddressOf(operand=operand):
                    self._unsteady.add(place_of(operand, self._parameters))
                case _:
                    pass
        for symbol, values in assigned.items():
            if symbol in self._parameters and any(not _is_step(symbol, each) for each in values):
                self._unsteady.add(self._parameters[symbol])
        self._changing = {each for node in nodes if (each := _changed(node)) is not None}
        for _ in range(3):  # copies of copies
            for symbol, values in assigned.items():
                if symbol not in self._parameters and symbol.storage is StorageDuration.AUTOMATIC:
                    retained = [each for each in values if not _is_step(symbol, each)]
                    self._copy(symbol, [part for each in retained for part in _alternatives(each)])
        for symbol, values in assigned.items():
            if len(values) == 1 and symbol not in {*self._parameters, *self._changing}:
                number, by = self._quotient(values[0])
                if number:
                    self._quotients[symbol] = number, by
        for node in nodes:
            self._step(node)

    def _quotient(self, expression: Expression) -> tuple[str, int]:
        """The number that is divided by a constant, and that; empty for other expressions."""
        match without_casts(expression):
            case Binary(operator="/" | ">>" as operator, left=left, right=right):
                value = constant_of(right)
                if value is not None and 0 < value < 64:
                    return self.number(left), value if operator == "/" else 1 << value
            case Name(symbol=symbol) if symbol in self._quotients:
                return self._quotients[symbol]
            case _:
                pass
        return "", 0

    def _copy(self, symbol: Symbol, values: list[Expression]) -> None:
        if isinstance(symbol.type, Pointer):
            # a constant, as (T *) -1, leads nowhere; null says that there may be nothing
            leading = [each for each in values if not value_of(each)]
            bases = {self._base(value) for value in leading}
            if len(bases) == 1 and "" not in bases:
                self._roots[symbol] = bases.pop()
                self._starts[symbol] = max(0, *map(_elements_added, leading))
        elif is_integer(symbol.type) and symbol not in self._changing:
            each = [self._numbers(value) for value in values if constant_of(value) != 0]
            if each and all(each):  # else it is something else as well, as in min(strlen(s), n)
                self._made[symbol] = frozenset().union(*each)
                if len(values) == 1 and isinstance(without_casts(values[0]), Name | Member):
                    self._equal.add(symbol)

    def _step(self, node: Tree) -> None:
        match node:
            case CompoundAssign(operator=operator, target=target):
                down = operator.startswith("-")
            case Increment(operator=operator, operand=target):
                down = operator == "--"
            case Assign(target=Name(symbol=symbol) as target, value=Binary(operator="-") as value):
                if not _is_step(symbol, value):
                    return
                down = True
            case _:
                return
        if isinstance(target.type, Pointer):
            self._moving.add(place_of(target, self._roots))
            return
        name = place_of(target, self._parameters)
        if name and not down:
            self._unsteady.add(name)
        elif isinstance(inner := without_casts(target), Name) and down:
            self._counting_down.add(inner.symbol)
        elif down:
            self._counting_down.add(name)

    def _base(self, expression: Expression) -> str:
        """The pointer that an address is computed from by adding to it."""
        while True:
            match expression:
                case Cast(operand=inner) | Increment(operand=inner):
                    expression = inner
                case Binary(operator="+" | "-", left=left, right=right, type=Pointer()):
                    expression = left if isinstance(left.type, Pointer) else right
                case AddressOf(operand=Index(base=base)):
                    expression = base
                case AddressOf(operand=Dereference(operand=inner)):
                    expression = inner
                case Name() | Member() if isinstance(expression.type, Pointer):
                    return self._named(expression, self._roots)
                case _:
                    return ""

    def _named(self, expression: Expression, roots: Mapping[Symbol, str]) -> str:
        name = place_of(expression, roots)
        if name not in self._words:
            root = root_of(name)
            if root:
                self._words[name] = self._words[root] + name.removeprefix(root)
                self._types[name] = expression.type
        return name

    def _numbers(self, expression: Expression) -> set[str]:
        """The parameters, and members of what they point to, that occur in a sum. A parameter that
        the function counts up is a variable."""
        found: set[str] = set()
        for node in _summands(expression):
            match node:
                case Name(symbol=symbol) if symbol in self._made:
                    found |= self._made[symbol]
                case Name(symbol=symbol) if self._steps.counts(symbol):
                    pass
                case Name() | Member() if is_integer(node.type):
                    found.add(self._named(node, self._parameters))
                case _:
                    pass
        return found - {""}

    def _variables(self, expression: Expression, subtracted: bool = True) -> set[Symbol]:
        """The local numbers that occur in a sum and are not computed from parameters, and the
        parameters that are counted up."""
        return {
            node.symbol
            for node in _summands(expression, subtracted)
            if isinstance(node, Name)
            and is_integer(node.type)
            and node.symbol.storage is StorageDuration.AUTOMATIC
            and node.symbol not in self._made
            and (node.symbol not in self._parameters or self._steps.counts(node.symbol))
        }

    def _down(self, expression: Expression) -> set[Symbol]:
        """The local numbers of a sum that are counted down from a parameter."""
        return {
            node.symbol
            for node in _summands(expression, subtracted=True)
            if isinstance(node, Name) and node.symbol in {*self._made} & self._counting_down
        }

    def _free(self, expression: Expression) -> list[Symbol]:
        """The variables of a sum that nothing else bounds at the present place."""
        return [each for each in self._variables(expression) if not self._is_bounded(each)]

    def _bound(self, names: AbstractSet[Symbol | str], places: range) -> None:
        for each in names:
            self._bounded.setdefault(each, []).append(places)

    def _is_bounded(self, name: Symbol | str) -> bool:
        return any(self._here in places for places in self._bounded.get(name, ()))

    def _upper_bounds(self, of: Symbol | str) -> dict[str, int]:
        """The numbers that ``of`` is below at the present place, directly or by way of variables,
        each with the constant that has to be added to the bound."""
        found: dict[str, int] = {}
        waiting: list[tuple[Symbol | str, int]] = [(of, 0)]
        seen = {of}
        for each, sum_ in waiting:
            for by, beyond in self._bounds_at_once(each).items():
                if by in seen:
                    continue
                if isinstance(by, str):
                    found[by] = min(sum_ + beyond, found.get(by, sum_ + beyond))
                else:
                    seen.add(by)
                    waiting.append((by, sum_ + beyond))
        return found

    def _bounds_at_once(self, of: Symbol | str) -> dict[Symbol | str, int]:
        """What ``of`` is directly below at the present place, and how much has to be added to that.
        Only a condition that still holds there makes the sum smaller."""
        found: dict[Symbol | str, int] = {}
        if self._is_bounded(of):
            return found
        if isinstance(of, Symbol) and of in self._counting_down:
            found = dict.fromkeys(self._made.get(of, ()), 0)
        for bound in self._below.get(of, ()):
            if self._here in bound.places:
                found[bound.by] = min(bound.beyond, found.get(bound.by, bound.beyond))
        if isinstance(of, str):
            return found
        held = [each for each in self._held.get(of, ()) if self._here in each.places]
        for each in sorted(held, key=lambda each: (each.unequal, -each.beyond)):
            steps = self._steps.since(of, each.places.start, self._here)
            if isinstance(each.by, Symbol):
                moved = self._steps.since(each.by, each.places.start, self._here)
                steps = steps if moved == 0 else None
            if steps is None:
                continue
            beyond = each.beyond + steps
            if not each.unequal:
                found[each.by] = min(beyond, found.get(each.by, beyond))
            elif found.get(each.by) == beyond + 1:
                found[each.by] = beyond
        return found

    def _directly_above(self, of: Symbol | str) -> set[str]:
        return {
            each.by
            for each in self._below.get(of, ())
            if isinstance(each.by, str) and self._here in each.places
        }

    # -------------------------------------------------------------- for guarded uses

    def extent(self, node: Tree) -> range:
        return self._extent(node)

    def word(self, name: str) -> str:
        return self._word(name)

    def base(self, expression: Expression) -> str:
        return self._base(expression)

    def parameter(self, expression: Expression) -> str:
        """The name of a parameter, or of a member of what one leads to; empty for others."""
        return self._named(expression, self._parameters)

    def place_of(self, symbol: Symbol) -> str:
        return self._parameters.get(symbol, "")

    @property
    def own(self) -> set[Symbol]:
        return {*self._parameters}

    def number(self, expression: Expression) -> str:
        """The parameter, or member, that an expression has the value of; empty for others."""
        inner = without_casts(expression)
        if isinstance(inner, Name) and inner.symbol in self._made:
            made = self._made[inner.symbol]
            return next(iter(made)) if len(made) == 1 and inner.symbol in self._equal else ""
        return self.parameter(inner) if is_integer(inner.type) else ""

    def element(self, name: str) -> int:
        kind = self._types[name]
        return stride(kind)

    def defines(self, name: str) -> bool:
        return name in self._functions

    def moves(self, pointer: str) -> bool:
        return pointer in self._moving or pointer in self._unsteady

    def changes(self, number: str) -> bool:
        counted = {
            each if isinstance(each, str) else self._parameters.get(each, "")
            for each in self._counting_down
        }
        return number in self._unsteady or number in counted

    # -------------------------------------------------------------- what is bounded by what

    def _bounds(self, node: Tree) -> None:
        match node:
            case If():
                self._branches(node)
            case While() | DoWhile() | For() if node.condition is not None:
                for left, operator, right in comparisons(node.condition):
                    self._compared(left, operator, right, self._extent(node))
                    if operator in ("<", "<="):
                        beyond = _added(right) - _added(left) + (operator == "<=") + 1
                        self._leaves(node, left, self._numbers(right), beyond)
            case Conditional(condition=condition, otherwise=otherwise):
                for left, operator, right in comparisons(condition):
                    self._distinguished(left, operator, right)
                    if not is_failed_assertion(otherwise):
                        self._chooses(node, left, operator, right)
            case (
                Declaration(symbol=symbol, initializer=Conditional() as chosen)
                | Assign(target=Name(symbol=symbol), value=Conditional() as chosen)
            ):
                self._smaller(symbol, chosen)
            case Switch(selector=selector):
                self._bound(self._numbers(selector), self._extent(node))
            case Logical(operator="&&"):
                for left, operator, right in comparisons(node):
                    self._compared(left, operator, right, self._extent(node))
            case _:
                pass

    def _chooses(
        self, node: Conditional, left: Expression, operator: str, right: Expression
    ) -> None:
        """Note what ``c ? x : y`` says of x, by a comparison in c, and of y."""
        for branch, holds in ((node.then, operator), (node.otherwise, INVERSE[operator])):
            if branch is None:
                continue
            for places in (self._extent(node.condition), self._extent(branch)):
                if holds == "!=":
                    self._keep_below(left, holds, right, places)
                else:
                    self._compared(left, holds, right, places)

    def _leaves(self, loop: Tree, left: Expression, above: set[str], beyond: int) -> None:
        """Note that i is at most n behind ``while (i < n && ..) i++``, until i is set again."""
        places = self._extent(loop)
        for each in self._variables(left):
            changed = (at for at in range(places.stop, len(self._nodes)) if self._sets(at, each))
            behind = range(places.stop, next(changed, self._everywhere.stop))
            if each in map(_stepped_variable, self._nodes[places.start : places.stop]):
                self._left.setdefault(each, []).extend(_Bound(by, behind, beyond) for by in above)

    def _sets(self, place: int, symbol: Symbol) -> bool:
        """Does the node at this place assign to the variable?"""
        match self._nodes[place]:
            case Assign(target=target) | CompoundAssign(target=target) | Increment(operand=target):
                return isinstance(target, Name) and target.symbol is symbol
            case _:
                return False

    def _branches(self, node: If) -> None:
        """Note what a branch bounds: ``if (n > 64) return -1;`` bounds n, and so does ``if (n <=
        64) {..}``."""
        if self._cuts(node):
            return
        left_by = exit_of(node.then)
        certain = [
            (left, right)
            for each, _ in atoms(node.condition, False)
            for left, _, right in comparisons(each)
        ]
        for left, operator, right in comparisons(node.condition):
            if left_by is not None and not (operator == "==" and isinstance(left_by, Continue)):
                is_certain = any(left is one and right is other for one, other in certain)
                start = min(self._extent(each).start for each in (left, right))
                asked = self._extent(node.condition)
                self._keep_below(left, INVERSE[operator], right, asked)
                for places in (range(start, asked.stop), self._behind(node, is_certain)):
                    self._compared(left, INVERSE[operator], right, places)
            self._distinguished(left, operator if left_by is None else INVERSE[operator], right)
            for branch, holds in ((node.then, operator), (node.otherwise, INVERSE[operator])):
                if branch is None or not branch.items:
                    continue
                places = range(self._here, self._extent(branch).stop)
                if exit_of(branch) is not None:
                    self._keep_below(left, holds, right, places)
                elif holds in ("<", "<=") or (holds == "==" and self._uses(branch)):
                    self._compared(left, holds, right, places)

    def _smaller(self, symbol: Symbol, chosen: Conditional) -> None:
        """Note that in ``m = k < n ? k : n``, m is below n."""
        compared = {
            name for left, _, _ in comparisons(chosen.condition) for name in self._numbers(left)
        }
        taken = {name for each in _alternatives(chosen) for name in self._numbers(each)}
        if symbol in self._made or symbol in self._parameters:
            return
        self._is_below(symbol, compared & taken, self._from_here())
        if any(constant_of(each) is not None for each in _alternatives(chosen)):
            self._bound({symbol}, self._from_here())

    def _cuts(self, node: If) -> bool:
        """Is it ``if (m >= n) m = n - 1;``? Whatever m was, it is below n from there on."""
        match node.then.items:
            case (ExpressionStatement(expression=Assign(target=Name(symbol=symbol), value=value)),):
                numbers = self._numbers(value)
            case _:
                return False
        if symbol in self._made or symbol in self._parameters:
            return False
        for left, operator, right in comparisons(node.condition):
            if symbol in self._variables(left) and numbers <= self._numbers(right):
                self._compared(left, INVERSE[operator], right, self._from_here())
                return bool(numbers)
        return False

    def _distinguished(self, left: Expression, operator: str, right: Expression) -> None:
        """Note a comparison such as ``n >= 20``: an array must have so many elements for code
        behind it to run."""
        value = constant_of(right)
        if value is not None and operator in (">", ">=", "=="):
            for number in self._numbers(left):
                self._least[number] = max(self._least.get(number, 0), value + (operator == ">"))

    def _uses(self, branch: Compound) -> bool:
        """Does the branch use memory, call a function, or use what a caller passes?"""
        return any(
            isinstance(node, Index | Dereference | Call)
            or (
                isinstance(node, Name)
                and (node.symbol in self._parameters or node.symbol in self._made)
            )
            for node in walk(branch)
        )

    def _compared(self, left: Expression, operator: str, right: Expression, places: range) -> None:
        """Note that ``left operator right`` holds at these places."""
        numbers, value = self._numbers(right), constant_of(right)
        mine, variables = self._numbers(left), self._variables(left)
        own = self._variables(left, subtracted=False)
        is_other = not numbers and not self._variables(right, subtracted=False) - variables
        inner = without_casts(left)
        if isinstance(inner, Binary) and inner.operator == "-":
            mine = mine - self._numbers(inner.right)  # n - i, where i counts down from n
        self._keep_below(left, operator, right, places)
        against: set[Symbol | str] = {*numbers, *self._variables(right), *variables}
        if operator == "!=":
            if is_other and value != 0:
                self._bound(own if not mine else set(), places)
        elif operator == "==" and value != 0:
            self._orders.append(_Compared(frozenset(mine), frozenset(against), places, self._here))
        elif operator in ("<", "<="):
            alone = mine if not variables else set[str]()
            if numbers:
                self._orders.append(
                    _Compared(frozenset(alone), frozenset(against), places, self._here)
                )
            elif value is None or value > 1:
                self._bound(own if is_other else set(), places)
                self._orders.append(
                    _Compared(frozenset(mine), frozenset(against), places, self._here)
                )

    def _put_in_order(self, order: _Compared) -> None:
        """Note that something bounds a number, or another number does. What counts up to the number
        does not: ``n <= i + 1``, ``i == n - 1``."""
        numbers = {each for each in order.variables if isinstance(each, str)}
        for name in order.names:
            against = order.variables - {name}
            if against and all(self._counts_up_to(each, name, order) for each in against):
                continue
            if not numbers:
                self._bound({name}, order.places)
            elif isinstance(name, str) and numbers - {name}:
                self._weighed.setdefault(name, []).append(order.places)

    def _counts_up_to(self, counter: Symbol | str, name: Symbol | str, order: _Compared) -> bool:
        """Is it a counter that something else keeps below the number, where these are compared?"""
        parameters = {place: symbol for symbol, place in self._parameters.items()}
        symbol = parameters.get(counter) if isinstance(counter, str) else counter
        is_counter = counter in self._unsteady if symbol is None else self._steps.counts(symbol)
        return is_counter and any(
            each.by == name and order.origin in each.places and each.origin != order.origin
            for each in self._below.get(counter, ())
        )

    def _keep_below(
        self, left: Expression, operator: str, right: Expression, places: range
    ) -> None:
        """Note that i is below n where ``i < n``, ``i != n`` or ``i < n - k`` holds."""
        if operator not in ("!=", "<", "<="):
            return
        variables = self._variables(left)
        above = self._numbers(right) | (self._variables(right, subtracted=False) - variables)
        beyond = _added(right) - _added(left) + (operator == "<=")
        for each in variables:
            self._is_below(each, above, places, max(0, beyond))
        if operator != "!=" and not variables:  # m is not, in i + m <= n
            numbers = self._numbers(right)
            for name in self._numbers(left):
                self._is_below(name, numbers - {name}, places)
        if operator != "!=":
            self._keep_room(left, right, places, beyond)
        inner = without_casts(right)
        if operator != "!=" and isinstance(inner, Binary) and inner.operator == "-":
            for each in self._variables(inner.right):
                self._is_below(each, self._numbers(inner.left), places)

    def _keep_room(self, left: Expression, right: Expression, places: range, beyond: int) -> None:
        """Note what ``i <= n - m``, or ``i + m <= n``, says of i, m and n."""
        inner = without_casts(right)
        taken = inner.right if isinstance(inner, Binary) and inner.operator == "-" else None
        more = self._numbers(left) | (self._numbers(taken) if taken is not None else set())
        by, variables = self._numbers(right), self._variables(left)
        if len(more) == len(by) == len(variables) == 1 and more != by:
            known = variables.pop(), more.pop(), by.pop()
            self._rooms.append(_Room(*known, places, beyond))

    def _is_below(
        self,
        name: Symbol | str,
        above: AbstractSet[Symbol | str],
        places: range,
        beyond: int = 0,
    ) -> None:
        self._below.setdefault(name, []).extend(
            _Bound(each, places, beyond, self._here) for each in above
        )

    def _hold(self) -> None:
        """Note what conditions say for certain, until the variables are set again."""
        loops = [
            self._extent(each.condition)
            for each in self._nodes
            if isinstance(each, _LOOPS) and each.condition is not None
        ]
        for held in self._order.conditions():
            for each, holds in atoms(held.condition, held.holds):
                if not isinstance(without_casts(each), Binary):
                    continue
                steps = any(self._extent(each).start in loop for loop in loops)
                for left, operator, right in comparisons(each):
                    sure = operator if holds else INVERSE[operator]
                    self._holds(left, sure, right, held.places, steps)

    def _holds(
        self, left: Expression, operator: str, right: Expression, places: range, steps: bool
    ) -> None:
        """Note that i is below n less 1 where ``i < n - 1``, ``i + 1 < n``, ``n - i > 1`` or ``i !=
        n - 1`` holds. ``steps``: it is the condition of a loop, which may step i up to n - 1."""
        if operator not in ("!=", "<", "<="):
            return
        beyond = _added(right) - _added(left) + (operator == "<=")
        unequal = operator == "!=" and not steps
        above: list[Symbol | str] = [*self._numbers(right)]
        above += self._variables(right, subtracted=False)
        inner = without_casts(right)
        if constant_of(left) is not None and isinstance(inner, Binary) and inner.operator == "-":
            variables, above = self._variables(inner.right), [*self._numbers(inner.left)]
            variables |= self._down(inner.right)
            beyond = _added(inner.left) - _added(inner.right) - (constant_of(left) or 0)
            beyond += operator == "<="
        else:
            variables = self._variables(left)
            if variables != self._variables(left, subtracted=False):
                return
            variables |= self._down(left)
            beyond += _stepped_after(left)
        if len(above) != 1 or len(variables) != 1:
            return
        (variable,) = variables
        self._held.setdefault(variable, []).append(_Held(above[0], places, beyond, unequal))

    # -------------------------------------------------------------- texts

    def _text(self, node: Tree) -> None:
        """Note that a pointer leads to a text: its elements are compared with 0, or a function
        takes it that looks for the terminating null."""
        match node:
            case Call(arguments=arguments) if _OF_TEXTS.match(called_name(node)):
                within = _IN_TEXTS.match(called_name(node)) is not None
                self._texts.update(
                    self._base(each)
                    for each in arguments
                    if not (within and (self._base(each) in self._moving or _is_inside(each)))
                )
            case Call(arguments=arguments) if _looks_for_an_end(node):
                self._texts.add(self._base(arguments[0]))
            case Call(arguments=arguments) if called_name(node) in self._functions:
                called = self._functions[called_name(node)]
                for parameter, each in zip(called.parameters, arguments, strict=False):
                    if _asks_for_zero(called, parameter):
                        self._ended(each)
            case Binary(operator="==" | "!=", left=left, right=right):
                if constant_of(right) == 0:
                    self._ended(left)
                elif constant_of(left) == 0:
                    self._ended(right)
            case Unary(operator="!", operand=operand):
                self._ended(operand)
            case Logical(operands=operands):
                for each in operands:
                    self._ended(each)
            case While(condition=condition) | DoWhile(condition=condition):
                self._ending(condition)
            case For(condition=condition) if condition:
                self._ending(condition)
            case If(condition=condition) | Conditional(condition=condition):
                self._ended(condition)
                self._judges(condition)
            case Switch(selector=selector):
                self._judges(selector)
            case Assign(target=Index() as element) | CompoundAssign(target=Index() as element):
                self._written.add(id(element))
            case _:
                pass

    def _judges(self, condition: Expression) -> None:
        for node in walk(condition):
            if isinstance(node, Index | Dereference):
                self._judged.add(self._base(node.base if isinstance(node, Index) else node.operand))

    def _ending(self, condition: Expression) -> None:
        """Note what ends by itself, by the condition of a loop: ``a[i] != -1`` ends an array as the
        null ends a text, whatever the type of the elements."""
        self._ended(condition)
        self._judges(condition)
        for left, operator, right in comparisons(condition):
            if operator == "!=" and constant_of(right) is not None:
                self._ended(left, every_type=True)
        for each in _conjuncts(condition):
            self._ended(each, every_type=True)

    def _ended(self, expression: Expression, every_type: bool = False) -> None:
        match without_casts(expression):
            case Index(base=pointer, type=kind) | Dereference(operand=pointer, type=kind):
                if every_type or (isinstance(kind, Integer) and kind.name == "char"):
                    self._texts.add(self._base(pointer))
            case Assign(value=value):
                self._ended(value, every_type)
            case _:
                pass

    # -------------------------------------------------------------- what speaks for a pair

    def _use(self, node: Tree) -> None:
        match node:
            case Index(base=base, index=index):
                written = id(node) in self._written
                self._reached(self._base(base), index, pointee(base), node.location, written)
            case Binary(operator="+", left=left, right=right, type=Pointer(target=kind)):
                pointer, index = (left, right) if isinstance(left.type, Pointer) else (right, left)
                name = self._base(pointer)
                for number in self._numbers(index):
                    why = f"{self._word(name)} + {self._word(number)} is its end"
                    self._note(self._found, name, number, kind, why, node.location)
                self._in_steps(name, index, kind, node.location)
                self._reached(name, index, kind, node.location)
            case Call():
                self._called(node)
            case _:
                pass

    def _in_steps(self, name: str, index: Expression, kind: Type, place: Location) -> None:
        """Note ``name + n / 8 * 8``: there are n elements, where the code asks for the rest of n as
        well, or else as many as that is."""
        constant, others = 1, list[Expression]()
        for each in _product(index):
            value = constant_of(each)
            constant *= 1 if value is None else value
            others += [each] if value is None else []
        number, by = self._quotient(others[0]) if len(others) == 1 else ("", 0)
        size = constant * size_in_bytes(kind)
        if number and size > 0 and size % by == 0:
            less = 0 if self._asks_for_rest(number, by) else by - 1
            why = f"{self._word(name)} is used {by} at a time up to {self._word(number)}"
            self._note(self._found, name, number, size // by, why, place, less=less)

    def _asks_for_rest(self, number: str, by: int) -> bool:
        """Does the function compute ``n % 8``, or ``n & 7``?"""
        for node in self._nodes:
            match node:
                case Binary(operator="%", left=left, right=right):
                    rest = constant_of(right)
                case Binary(operator="&", left=left, right=right):
                    rest = (constant_of(right) or 0) + 1
                case _:
                    continue
            if rest == by and self.number(left) == number:
                return True
        return False

    def _reached(
        self, name: str, index: Expression, kind: Type, place: Location, written: bool = False
    ) -> None:
        """Note that ``name[index]`` is used. A number that bounds the index only by way of a
        variable with other assignments is a hint, unless the element is ``written`` there."""
        for variable in self._free(index):
            direct = self._directly_above(variable)
            for number, beyond in self._upper_bounds(variable).items():
                why = f"{self._word(name)}[{variable.name}] stands below {self._word(number)}"
                where = self._found if written or number in direct else self._hinted
                sure = written or name not in self._judged
                less = -_added(index) - beyond
                self._note(where, name, number, kind, why, place, sure=sure, less=less)
            for bound in self._left.get(variable, ()):
                pair = name, str(bound.by)
                if self._here in bound.places and (known := self._found.get(pair)) is not None:
                    less = max(0, min(known.less, -_added(index) - bound.beyond))
                    self._found[pair] = replace(known, less=less)
        down = {
            number: beyond
            for each in self._down(index)
            for number, beyond in self._bounds_at_once(each).items()
        }
        for number in self._numbers(index):
            why = f"{self._word(name)} is used up to {self._word(number)}"
            where = self._found if number in down else self._hinted
            less = -_added(index) - down.get(number, 1)
            self._note(where, name, number, kind, why, place, less=less)
            for above in self._directly_above(number):
                why = f"{self._word(name)}[{self._word(number)}] stands below {self._word(above)}"
                sure = written or name not in self._judged
                self._note(self._found, name, above, kind, why, place, sure=sure)

    def _called(self, node: Call) -> None:
        name, arguments = called_name(node), node.arguments
        if name in self._functions:
            return
        for at, by, element in TAKES.get(name, ()) if not _looks_for_an_end(node) else ():
            if max(at, by, element or 0) < len(arguments):
                self._take(name, arguments, at, by, element)
        if name in TAKES or _looks_for_an_end(node) or _OF_TEXTS.match(name):
            return
        for pointer, number in pairwise(arguments):
            for each in self._numbers(number) if is_integer(number.type) else ():
                word = name or "a function"
                why = f"{word} takes {self._word(self._base(pointer))} and {self._word(each)}"
                self._note(self._hinted, self._base(pointer), each, None, why, node.location)

    def _take(
        self, name: str, arguments: tuple[Expression, ...], at: int, by: int, element: int | None
    ) -> None:
        factors = _factors(arguments[by])
        if element is not None:
            factors.append(constant_of(arguments[element]))
        unit = prod(each for each in factors if each)
        base, place = self._base(arguments[at]), arguments[by].location
        within = self._within(arguments[at], arguments[by])
        for room in within:
            why = f"{name} takes {self._word(room.more)} of {self._word(base)} below"
            why = f"{why} {self._word(room.by)}"
            less = 1 - room.beyond
            self._note(self._found, base, room.by, unit, why, place, sure=True, less=less)
        for number in self._numbers(arguments[by]) if not within else ():
            for each in (number, *sorted(self._directly_above(number))):
                why = f"{name} takes {self._word(each)} of {self._word(base)}"
                less = -_added(arguments[by]) if each == number else 0
                self._note(self._taken, base, each, unit, why, place, sure=True, less=less)
        if at == _WRITES.get(name):
            for variable in self._variables(arguments[by]):
                for each, beyond in self._upper_bounds(variable).items():
                    why = f"{name} takes no more than {self._word(each)} of {self._word(base)}"
                    less = -_added(arguments[by]) - beyond + 1
                    self._note(self._found, base, each, unit, why, place, less=less)

    def _within(self, pointer: Expression, size: Expression) -> list[_Room]:
        """What is known of i, m and n where a function takes m of ``p + i``."""
        match without_casts(pointer):
            case Binary(operator="+", left=left, right=right, type=Pointer()):
                offset = right if isinstance(left.type, Pointer) else left
            case AddressOf(operand=Index(index=offset)):
                pass
            case _:
                return []
        numbers, variables = self._numbers(size), self._variables(offset)
        return [
            each
            for each in self._rooms
            if self._here in each.places and {each.variable} == variables and {each.more} == numbers
        ]

    def _loop(self, node: Tree) -> None:
        """Note pointers that a loop steps while it counts a number."""
        match node:
            case While(condition=condition, body=body) | DoWhile(condition=condition, body=body):
                inside: list[Tree] = [body, condition]
            case For(condition=condition, step=step, body=body) if condition is not None:
                inside = [body, condition, *([step] if step is not None else [])]
            case _:
                return
        numbers = self._counted_down(condition)
        steps: dict[Pair, int] = {}
        less = _rounds_left_out(condition)
        for left, operator, right in comparisons(condition):
            if operator in ("<", "<=", "!=") and self._free(left):
                numbers |= self._numbers(right)
        stepped = Counter(filter(None, map(_stepped_variable, self._nodes[: self._here])))
        for each in walk(*inside):
            for pointer, kind, beyond, where in self._along(each):
                name = self._base(pointer)
                if name not in self._moving:
                    continue
                further = beyond + self._ahead(pointer, stepped)
                for number in numbers:
                    why = f"a loop goes along {self._word(name)} by {self._word(number)}"
                    unit, left_out = kind, less - further
                    if (name, number) not in steps:
                        steps[name, number] = self._step_of(inside, name, number)
                    if by := steps[name, number]:
                        size = kind if isinstance(kind, int) else size_in_bytes(kind)
                        unit, left_out = by, less + 1 - (further + 1) * size // by
                    self._note(self._found, name, number, unit, why, where, less=left_out)
            if symbol := _stepped_variable(each):
                stepped[symbol] += 1

    def _ahead(self, pointer: Expression, stepped: Mapping[Symbol, int]) -> int:
        """How many elements a pointer is beyond its object's start when a loop first uses it:
        1 for ``*++p``, for ``*p`` after ``p++``, and for ``*p`` where ``p = a + 1``."""
        inner = without_casts(pointer)
        symbol = _stepped_variable(inner)
        prefix = isinstance(inner, Increment) and inner.prefix and symbol is not None
        if isinstance(inner, Name):
            symbol = inner.symbol
        if symbol is None:
            return 0
        return int(prefix) + self._starts.get(symbol, 0) + stepped.get(symbol, 0)

    def _step_of(self, inside: Sequence[Tree], pointer: str, number: str) -> int:
        """The bytes that a loop steps a pointer by while it counts a number down by one; 0 where
        that is not known, or no number of bytes."""
        along: list[int] = []
        down: list[int] = []
        for node in walk(*inside):
            match node:
                case CompoundAssign(operator=operator, target=target, value=by):
                    step = constant_of(by) or 0
                case Increment(operator=operator, operand=target):
                    step = 1
                case _:
                    continue
            if isinstance(kind := target.type, Pointer):
                if place_of(target, self._roots) == pointer:
                    along.append(step * size_in_bytes(kind.target) * (operator[0] == "+"))
            elif self.number(target) == number:
                down.append(step * (operator[0] == "-"))
        if len(along) != 1 or len(down) != 1 or not along[0] or not down[0]:
            return 0
        return 0 if along[0] % down[0] else along[0] // down[0]

    @staticmethod
    def _along(node: Tree) -> Iterator[tuple[Expression, Type | int, int, Location]]:
        """What a node uses of a pointer: the pointer, the type of an element or its size, and how
        many elements lie before the last one that is used; and where."""
        match node:
            case Index(base=pointer, index=index):
                yield pointer, pointee(pointer), max(0, value_of(index) or 0), node.location
            case Dereference(operand=pointer):
                yield pointer, pointee(pointer), 0, node.location
            case Call(arguments=arguments):
                for at, by, element in TAKES.get(called_name(node), ()):
                    if element is None and max(at, by) < len(arguments):
                        size = value_of(arguments[by])
                        if size:
                            yield arguments[at], 1, size - 1, node.location
                if _IN_TEXTS.match(called_name(node)):
                    pointers = (each for each in arguments if isinstance(each.type, Pointer))
                    yield from ((each, 1, 0, node.location) for each in pointers)
            case _:
                pass

    def _counted_down(self, condition: Expression) -> set[str]:
        found: set[str] = set()
        for node in walk(condition):
            match node:
                case Name(symbol=symbol) if symbol in self._counting_down:
                    found |= self._numbers(node)
                case Member() if self._named(node, self._parameters) in self._counting_down:
                    found |= self._numbers(node)
                case _:
                    pass
        return found

    def _note(
        self,
        where: dict[Pair, Counted],
        pointer: str,
        number: str,
        unit: Type | int | None,
        why: str,
        place: Location,
        sure: bool = False,
        less: int = 0,
    ) -> None:
        if not pointer or not number or self._is_bounded(number):
            return
        if unit is None:
            kind = self._types[pointer]
            unit = kind.target if isinstance(kind, Pointer) else 1
        size = unit if isinstance(unit, int) else size_in_bytes(unit)
        known = where.get((pointer, number))
        less = max(less, 0) if known is None else max(0, min(less, known.less))
        sure = sure or (known is not None and known.sure)
        if known is None or size < known.unit:
            known = Counted(size, why, place)
        where[pointer, number] = replace(known, sure=sure, less=less)
        self._said.setdefault((pointer, number), set()).add(self._here)

    def _word(self, name: str) -> str:
        return self._words.get(name, name)

    # -------------------------------------------------------------- pairs

    def pairs(
        self, of_others: Mapping[str, Mapping[Pair, Counted]], arrows: int
    ) -> dict[Pair, Counted]:
        """The pairs of this function, with those that the functions called by it (``of_others``)
        have for what is passed to them, for pointers behind up to so many ``arrows``."""
        found = {**self._found}
        for (pointer, number), each in self._passed_on(of_others):
            found.setdefault((pointer, number), each)
        for pair, each in self._named_pairs.items():
            found.setdefault(pair, each)
        for name in self._texts:
            found = {pair: each for pair, each in found.items() if pair[0] != name}
        found |= self._taken
        chosen: dict[Pair, Counted] = {}
        for pointer in sorted({pair[0] for pair in (*found, *self._hinted)} - self._unsteady):
            if pointer.count("->") > arrows:
                continue
            number = self._chosen(pointer, found)
            if number and not self._means_more(pointer, number):
                pair = pointer, number
                said = [where[pair] for where in (found, self._hinted) if pair in where]
                least = max(said[0].least, self._least.get(number, 0))
                less = min(each.less for each in said)
                chosen[pair] = replace(said[0], least=least, less=less)
        return chosen

    def _by_names(self) -> Iterator[tuple[Pair, Counted]]:
        """The sizes of buffers whose names say so, where nothing bounds them: ``(const void *fdt,
        size_t bufsize)``, ``(char *data, int data_len)``."""
        for one, two in pairwise(self._parameters):
            pointer, number = self._parameters[one], self._parameters[two]
            kind = one.type.target if isinstance(one.type, Pointer) else None
            is_bytes = isinstance(kind, Void) or (isinstance(kind, Integer) and kind.size == 1)
            form = rf"(buf(fer)?|{re.escape(one.name)})_?(size|sz|len|length|bytes)"
            named = re.fullmatch(form, two.name, re.IGNORECASE) is not None
            if is_bytes and named and is_integer(two.type) and not self._bounded.get(number):
                why = f"{two.name} is called so behind {one.name}"
                yield (pointer, number), Counted(1, why, two.location)

    def _passed_on(
        self, of_others: Mapping[str, Mapping[Pair, Counted]]
    ) -> Iterator[tuple[Pair, Counted]]:
        for call in self._calls:
            name = called_name(call)
            for (pointer, number), each in of_others.get(name, {}).items():
                first, place = self._argument(call, pointer), call.location
                argument = self._given(call, number)
                seconds = {self._argument(call, number)}
                if argument is not None and number.isdigit():
                    seconds = self._numbers(argument)
                self._here = self._extent(call).start
                for second in sorted(seconds - {""}) if first else ():
                    if self._is_bounded(second):
                        continue
                    self._said.setdefault((first, second), set()).add(self._here)
                    why = f"{name} takes {self._word(first)} and {self._word(second)}"
                    sure = each.sure and self._passed(argument) == second
                    less = max(0, each.less - (_added(argument) if argument is not None else 0))
                    yield (first, second), Counted(each.unit, why, place, each.least, sure, less)

    def _passed(self, argument: Expression | None) -> str:
        return "" if argument is None else place_of(argument, self._parameters)

    def _argument(self, call: Call, name: str) -> str:
        """The name that the caller has for a pointer parameter of the callee, or for a member of
        what one points to; empty where it is neither."""
        argument, rest = self._given(call, name), name.removeprefix(root_of(name))
        if argument is None:
            return ""
        start = place_of(argument, self._parameters) if rest else self._base(argument)
        if start and rest:
            self._words.setdefault(start + rest, self._word(start) + rest)
        return start and start + rest

    @staticmethod
    def _given(call: Call, name: str) -> Expression | None:
        place = int(root_of(name))
        return call.arguments[place] if place < len(call.arguments) else None

    def _chosen(self, pointer: str, found: Mapping[Pair, Counted]) -> str:
        """The number that says how much is behind ``pointer``; empty where none or several
        could."""

        def is_free(number: str) -> bool:
            return number not in self._unsteady

        numbers = sorted(number for at, number in found if at == pointer and is_free(number))
        hinted: list[str] = []
        if pointer.isdigit() and pointer not in self._texts:
            hinted = [number for at, number in self._hinted if at == pointer and is_free(number)]
        elif not pointer.isdigit():
            if self._lends(root_of(pointer)):
                return ""
            numbers = [each for each in numbers if root_of(each) == root_of(pointer)]
        following = str(int(pointer) + 1) if pointer.isdigit() else ""
        if following in (*numbers, *hinted) and self._is_length(following):
            return following
        alone = [each for each in numbers if not self._is_weighed(pointer, each)]
        if len(numbers) == 1 == len(alone):
            sure = self._is_length(alone[0]) or found[pointer, alone[0]].sure
            return alone[0] if sure else ""
        lengths = [each for each in alone if self._is_length(each)]
        return lengths[0] if len(lengths) == 1 else ""

    def _is_weighed(self, pointer: str, number: str) -> bool:
        """Is the number no more than another one where it is used with the pointer?"""
        places = self._weighed.get(number, ())
        return any(at in each for each in places for at in self._said.get((pointer, number), ()))

    # -------------------------------------------------------------- branches that know no pair

    def _means_more(self, pointer: str, number: str) -> bool:
        """Does only one branch show what the number counts, while another one uses it for something
        else? Then a caller may pass any number, unless its name says that it is a length of what
        stands before it."""
        follows = pointer.isdigit() and number == str(int(pointer) + 1)
        if follows and _OF_WHAT_STANDS_BEFORE.search(self._word(number)):
            return False
        said = self._said[pointer, number]
        for node in self._nodes:
            branches = [*self._branches_of(node)]
            saying = [each for each in branches if any(place in each for place in said)]
            if len(saying) != 1 or not all(place in saying[0] for place in said):
                continue
            others = [each for each in branches if each is not saying[0]]
            if self._speaks_of(node, saying[0], pointer, number):
                continue
            if any(self._uses_otherwise(number, each) for each in others):
                return True
        return False

    def _branches_of(self, node: Tree) -> Iterator[range]:
        """The places of the branches of ``node``, of which a run takes one only."""
        match node:
            case If(then=then, otherwise=otherwise):
                yield self._extent(then)
                if otherwise is not None:
                    yield self._extent(otherwise)
                elif exit_of(then) is not None and not isinstance(exit_of(then), Goto):
                    yield range(self._extent(node).stop, self._end_around(node))
            case Conditional(then=then, otherwise=otherwise) if then is not None:
                yield self._extent(then)
                yield self._extent(otherwise)
            case Switch(body=body):
                start = self._extent(body).start
                for item in body.items:
                    if isinstance(item, Break | Return | Continue):
                        yield range(start, self._extent(item).stop)
                        start = self._extent(item).stop
                yield range(start, self._extent(body).stop)
            case _:
                pass

    def _end_around(self, node: Tree) -> int:
        """The place where the innermost loop around the node ends, or else the function."""
        place = self._extent(node).start
        return min(
            (each.stop for each in self._repeated if place in each), default=self._everywhere.stop
        )

    def _speaks_of(self, node: Tree, saying: range, pointer: str, number: str) -> bool:
        """Is the condition of ``node`` about the pair itself: about the pointer, what it points to,
        or a number that is too small?"""
        match node:
            case If(condition=condition, then=then) | Conditional(condition=condition, then=then):
                holds = then is not None and self._extent(then) == saying
            case Switch(selector=condition):
                holds = True
            case _:
                return False
        names = (each for each in walk(condition) if isinstance(each, Name | Member))
        if any(place_of(each, self._roots) == pointer for each in names):
            return True
        compared = [
            (operator if holds else INVERSE[operator], right)
            for left, operator, right in comparisons(condition)
            if number in self._numbers(left)
        ]
        return bool(compared) and not any(
            operator in ("<", "<=", "==") and constant_of(right) is not None
            for operator, right in compared
        )

    def _uses_otherwise(self, number: str, places: range) -> bool:
        """Does a value depend on the number at these places? Returning it and printing it do not
        count."""
        plain: set[int] = set()
        for node in (self._nodes[place] for place in places):
            match node:
                case Return(value=Name() | Member() as value):
                    plain.add(id(value))
                case Call(function=function, arguments=arguments) if _is_variadic(function):
                    plain |= {id(without_casts(each)) for each in arguments}
                case Name() | Member() if id(node) not in plain and is_integer(node.type):
                    if number in self._numbers(node):
                        return True
                case _:
                    pass
        return False

    # -------------------------------------------------------------- which number

    def _is_length(self, number: str) -> bool:
        word = self._word(number)
        return _LENGTH.search(re.split(r"->|\.", word)[-1]) is not None

    def _lends(self, root: str) -> bool:
        """Is the whole object passed to a function that may set its members?"""
        for call in self._calls:
            for argument in call.arguments:
                if place_of(argument, self._parameters) == root:
                    kind = argument.type
                    if isinstance(kind, Pointer) and "const" not in kind.qualifiers:
                        return True
        return False


def _is_inside(expression: Expression) -> bool:
    """Is it an address at a distance that varies: ``buf + i``, ``&buf[i]``?"""
    match without_casts(expression):
        case Binary(operator="+" | "-", left=left, right=right, type=Pointer()):
            number = right if isinstance(left.type, Pointer) else left
            return value_of(number) is None
        case AddressOf(operand=Index(index=index)):
            return value_of(index) is None
        case _:
            return False


def _added(expression: Expression) -> int:
    """The constant of a sum: -1 in ``n - 1``, and in ``(n - 1) * sizeof *a``."""
    total, waiting = 0, [(expression, 1)]
    while waiting:
        node, sign = waiting.pop()
        match without_casts(node):
            case Binary(operator="+" | "-" as operator, left=left, right=right):
                waiting += [(left, sign), (right, sign if operator == "+" else -sign)]
            case Binary(operator="*", left=left, right=right) if node is expression:
                if constant_of(left) is not None or constant_of(right) is not None:
                    waiting.append((left if constant_of(left) is None else right, sign))
            case inner:
                total += sign * (constant_of(inner) or 0)
    return total


def _stepped_after(expression: Expression) -> int:
    """How often a sum steps a variable that it has the value of: 1 in ``i++ < n``."""
    return sum(
        isinstance(each, Increment) and each.operator == "++" and not each.prefix
        for each in walk(expression)
    )


def _stepped_variable(node: Tree) -> Symbol | None:
    """The variable that ``p++`` or ``++p`` increments; None for other expressions."""
    match node:
        case Increment(operator="++", operand=Name(symbol=symbol)):
            return symbol
        case _:
            return None


def _elements_added(pointer: Expression) -> int:
    """The constant that is added to a pointer: 1 for ``a + 1`` and ``&a[1]``, else 0."""
    match without_casts(pointer):
        case Binary(operator="+", left=left, right=right, type=Pointer()):
            return value_of(right if isinstance(left.type, Pointer) else left) or 0
        case AddressOf(operand=Index(index=index)):
            return value_of(index) or 0
        case _:
            return 0


def _rounds_left_out(condition: Expression) -> int:
    """By how many rounds a loop runs less often than its number says: 1 for ``while (--n)``, ``n--
    > 1`` and ``i < n - 1``."""
    left_out = sum(
        isinstance(node, Increment) and node.operator == "--" and node.prefix
        for node in walk(condition)
    )
    for left, operator, right in comparisons(condition):
        value = constant_of(right)
        if value is not None and value > 0 and operator in (">", ">="):
            left_out += value - (operator == ">=")
        elif value is None and operator in ("<", "<=") and constant_of(left) is None:
            left_out += max(0, _added(left) - _added(right) - (operator == "<="))
    return left_out


def _alternatives(expression: Expression) -> Iterator[Expression]:
    """The expressions that ``c ? a : b`` may yield."""
    stack = [expression]
    while stack:
        match without_casts(node := stack.pop()):
            case Conditional(condition=condition, then=then, otherwise=otherwise):
                stack += [condition if then is None else then, otherwise]
            case _:
                yield node


def _conjuncts(condition: Expression) -> Iterator[Expression]:
    """The conditions that all have to be true for a loop to go on."""
    stack = [condition]
    while stack:
        match without_casts(node := stack.pop()):
            case Logical(operands=operands):
                stack += operands
            case _:
                yield node


def _is_variadic(function: Expression) -> bool:
    kind = without_casts(function).type
    kind = kind.target if isinstance(kind, Pointer) else kind
    return isinstance(kind, Function) and kind.variadic


def _looks_for_an_end(call: Call) -> bool:
    """Does the call look for a null byte, as ``memchr(p, 0, n)`` does?"""
    return called_name(call) == "memchr" and constant_of(call.arguments[1]) == 0


def _asks_for_zero(function: FunctionDefinition, parameter: Symbol) -> bool:
    """Does a function decide by whether a number that it gets is 0?"""
    if not isinstance(parameter.type, Integer):
        return False
    kind = function.symbol.type
    result = kind.result if isinstance(kind, Function) else kind
    asked = (each for node in walk(function.body) for each in asked_in(node, result))
    inner = (without_casts(each) for each in asked)
    return any(isinstance(each, Name) and each.symbol is parameter for each in inner)


def _changed(node: Tree) -> Symbol | None:
    """The variable that a node assigns other than by counting it down; None where there is none."""
    match node:
        case Increment(operator="++", operand=target) | CompoundAssign(target=target):
            inner = without_casts(target)
            down = isinstance(node, CompoundAssign) and node.operator.startswith("-")
            return inner.symbol if isinstance(inner, Name) and not down else None
        case _:
            return None


def _is_step(symbol: Symbol, value: Expression) -> bool:
    """Is ``value`` a step of ``symbol``, as in ``p = p + 1``: of a pointer by anything, of a number
    towards 0?"""
    match without_casts(value):
        case Binary(operator="+" | "-" as operator, left=left):
            inner = without_casts(left)
            is_own = isinstance(inner, Name) and inner.symbol is symbol
            return is_own and (operator == "-" or isinstance(symbol.type, Pointer))
        case _:
            return False


def _summands(expression: Expression, subtracted: bool = False) -> Iterator[Expression]:
    """The operands of a sum; those that are ``subtracted`` from it only where asked for."""
    stack: list[Expression] = [expression]
    while stack:
        node = stack.pop()
        match node:
            case Cast(operand=inner) | Increment(operand=inner):
                stack.append(inner)
            case Binary(operator="+" | "-" | "*" as operator, left=left, right=right):
                stack += [left, right] if operator != "-" or subtracted else [left]
            case Conditional(condition=condition, then=then, otherwise=otherwise):
                stack += [condition if then is None else then, otherwise]
            case _:
                yield node


def _product(expression: Expression) -> Iterator[Expression]:
    """The factors of a product."""
    stack = [expression]
    while stack:
        node = without_casts(stack.pop())
        if isinstance(node, Binary) and node.operator == "*":
            stack += [node.left, node.right]
        else:
            yield node


def _factors(expression: Expression) -> list[int | None]:
    """The constant values of the factors of a product; None for a factor that is not constant."""
    return [value for each in _product(expression) if (value := constant_of(each)) is not None]
