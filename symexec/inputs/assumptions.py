"""What the user knows of the inputs, as conditions on their terms.

--range x=-100..100           -100 <= x and x <= 100, at x's width and sign
--assume 'x + y < 9'          a C expression over the inputs' names, with C's conversions
--assume 's[0] != 45'         elements of strings and arrays, at constant places
--assume 'l->n > 0'           members of what a parameter leads to; it says nothing where l is null
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import assert_never

from csg.analysis.preconditions import (
    Asserted,
    Bounded,
    Ended,
    Length,
    NonNull,
    OneOf,
    Precondition,
    Roomy,
    Single,
    Terminated,
    TruthValue,
)
from csg.analysis.several import ALONE, Several
from csg.errors import CsgtestError, UnsupportedError, UsageError
from csg.frontend import parse_expression
from csg.language.syntax import (
    Binary,
    Cast,
    Conditional,
    Dereference,
    EnumeratorName,
    Expression,
    Index,
    IntegerConstant,
    Logical,
    Member,
    Name,
    SizeOf,
    Symbol,
    Unary,
)
from csg.language.traversal import Tree, walk
from csg.language.types import (
    INT,
    Array,
    Field,
    Floating,
    Integer,
    Pointer,
    Record,
    Type,
    is_integer,
    is_signed,
    promoted,
    size_of,
    usual_conversion,
    value_bits,
)
from csg.records import record
from symexec.expr import Operand, disjunction, extract, unary
from symexec.inputs.structures import DEPTHS, Count, Place, is_text, led_to, parameter_places
from symexec.options import ARRAYS, InputOptions, Range
from symexec.runtime.operands import calculated, choice, holds, plain, widened

COMPARISONS = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
ARITHMETIC = {"+": "add", "-": "sub", "*": "mul", "&": "and", "|": "or", "^": "xor"}


@record
class Named:
    """An input as it is named in expressions: its terms, and the type of one element. A pointer to
    a structure has no terms: its members are inputs of their own, ``l->n``."""

    element: Type
    terms: tuple[Operand, ...]
    scalar: bool

    @property
    def type(self) -> Type:
        return self.element if self.scalar else Array(self.element, len(self.terms))


def range_conditions(asked: Range, named: Mapping[str, Named]) -> list[Operand]:
    """Both bounds as conditions, on the value or on each element."""
    known = named.get(asked.name)
    if known is None:
        raise _unknown(asked.name, named)
    if isinstance(known.element, Floating):
        raise UsageError(f"--range {asked.name}: ranges are for integers")
    width, is_negative = value_bits(known.element), is_signed(known.element)
    lowest = -(1 << (width - 1)) if is_negative else 0
    highest = (1 << (width - is_negative)) - 1
    if asked.high < lowest or asked.low > highest:
        raise UsageError(f"--range {asked.name}: no value of {known.element} lies in it")
    order, mask = "sle" if is_negative else "ule", (1 << width) - 1
    low, high = max(asked.low, lowest) & mask, min(asked.high, highest) & mask
    found: list[Operand] = []
    for term in known.terms:
        if not isinstance(term, int):
            found += [holds(order, width, low, term), holds(order, width, term, high)]
    return found


def assumption(text: str, named: Mapping[str, Named]) -> Operand:
    """The condition that a C expression states; true if it names objects that do not exist."""
    scope = {name: item.type for name, item in named.items()}
    try:
        expression = parse_expression(text, scope, "--assume")
    except CsgtestError as error:
        place = f", column {error.location.column}" if error.location else ""
        inputs = ", ".join(named) or "none"
        raise UsageError(
            f"--assume '{text}'{place}: {error.message}",
            hint=f"write a C expression over the inputs: {inputs}",
        ) from None
    return condition(expression, named, text)


def condition(expression: Expression, named: Mapping[str, Named], text: str) -> Operand:
    """The condition that ``expression`` is not 0; true if it names objects that do not exist."""
    missing = [path for path in _paths(expression) if path not in named]
    return 1 if missing else _Reader(named, text).truth(expression)


def _paths(expression: Expression) -> list[str]:
    """The numbers, texts and arrays in an expression that are parts of objects."""
    found = []
    for node in walk(expression):
        if isinstance(node, Member | Dereference) and not _leads_on(node.type):
            found.append(path_of(node))
    return [path for path in found if path]


def _leads_on(kind: Type) -> bool:
    """Is it no input itself, but a step to one: a pointer to a structure, or a structure?"""
    match kind:
        case Record() | Pointer(target=Record() | Pointer()):
            return True
        case _:
            return False


def path_of(expression: Tree) -> str:
    """The name of an input: ``l->at.x``, ``*out``; empty for other expressions."""
    steps: list[str] = []
    while True:
        match expression:
            case Name(symbol=symbol):
                return "".join([symbol.name, *reversed(steps)])
            case Member(record=base, field=Field(name=""), arrow=arrow):
                if arrow and steps:
                    steps[-1] = "->" + steps[-1].removeprefix(".")
                expression = base
            case Member(record=base, field=member, arrow=arrow):
                steps.append(("->" if arrow else ".") + member.name)
                expression = base
            case Index(base=base, index=IntegerConstant(value=place)):
                steps.append(f"[{place}]")
                expression = base
            case Dereference(operand=Name(symbol=symbol)) if not steps:
                return f"*{symbol.name}"
            case _:
                return ""


def _unknown(name: str, named: Mapping[str, Named]) -> UsageError:
    inputs = ", ".join(named) or "none"
    return UsageError(f"there is no symbolic input '{name}'", hint=f"inputs: {inputs}")


@record
class _Reader:
    """Translates expressions to terms. A value has a type: C's conversions depend on it."""

    named: Mapping[str, Named]
    text: str

    def truth(self, expression: Expression) -> Operand:
        """``expression`` != 0, of width 1."""
        match expression:
            case Logical(operator=operator, operands=operands):
                parts = [self.truth(each) for each in operands]
                return self._joined("and" if operator == "&&" else "or", parts)
            case Unary(operator="!", operand=operand):
                return plain(unary("not", 1, self.truth(operand)))
            case Binary(operator=operator) if operator in COMPARISONS:
                return self._comparison(expression)
            case _:
                value, kind = self.value(expression)
                return holds("ne", value_bits(kind), value, 0)

    def _joined(self, operator: str, parts: Sequence[Operand]) -> Operand:
        result = parts[0]
        for part in parts[1:]:
            result = calculated(operator, 1, result, part)
        return result

    def value(self, expression: Expression) -> tuple[Operand, Type]:
        match expression:
            case IntegerConstant(value=value, type=kind) | EnumeratorName(value=value, type=kind):
                return value & ((1 << value_bits(kind)) - 1), kind
            case SizeOf(value=int() as value, type=kind):
                return value, kind
            case Name(symbol=symbol) if self.named[symbol.name].scalar:
                known = self.named[symbol.name]
                if not known.terms:
                    raise self._refused()
                return known.terms[0], self._integer(known.element)
            case Member() | Dereference() if (path := path_of(expression)) in self.named:
                known = self.named[path]
                return known.terms[0], self._integer(known.element)
            case Index(base=base, index=index) if (path := path_of(base)) in self.named:
                return self._element(self.named[path], index)
            case Cast(operand=operand, type=kind):
                return self._converted(operand, self._integer(kind)), kind
            case Unary(operator="+" | "-" | "~" as operator, operand=operand):
                return self._unary(operator, operand)
            case Binary(operator=operator) if operator not in COMPARISONS:
                return self._arithmetic(expression)
            case Conditional(condition=condition, then=then, otherwise=otherwise, type=kind):
                test = self.truth(condition)
                first = self._converted(condition if then is None else then, kind)
                second = self._converted(otherwise, kind)
                return choice(test, first, second, value_bits(kind)), kind
            case Logical() | Binary() | Unary():
                return widened(self.truth(expression), 1, 32), INT
            case _:
                raise self._refused()

    def _element(self, known: Named, index: Expression) -> tuple[Operand, Type]:
        place, _ = self.value(index)
        if not isinstance(place, int) or place >= len(known.terms):
            raise self._refused()
        return known.terms[place], self._integer(known.element)

    def _integer(self, kind: Type) -> Type:
        if not is_integer(kind):
            raise self._refused()
        return kind

    def _refused(self) -> UnsupportedError:
        return UnsupportedError(
            f"--assume '{self.text}': too much for an assumption",
            hint="use integer arithmetic, comparisons, && || ! and elements at constant places",
        )

    def _converted(self, expression: Expression, kind: Type) -> Operand:
        value, source = self.value(expression)
        have, want = value_bits(source), value_bits(kind)
        if want == 1:
            return holds("ne", have, value, 0)
        if want <= have:
            return plain(extract(value, 0, want))
        return widened(value, have, want, is_signed(source))

    def _unary(self, operator: str, operand: Expression) -> tuple[Operand, Type]:
        _, source = self.value(operand)
        kind = promoted(source)
        value = self._converted(operand, kind)
        if operator == "+":
            return value, kind
        return plain(unary("neg" if operator == "-" else "not", value_bits(kind), value)), kind

    def _comparison(self, expression: Binary) -> Operand:
        kind, left, right = self._operands(expression)
        operator = COMPARISONS[expression.operator]
        if operator in ("gt", "ge"):
            left, right = right, left
        if operator not in ("eq", "ne"):
            sign = "s" if is_signed(kind) else "u"
            operator = sign + ("lt" if operator in ("lt", "gt") else "le")
        return holds(operator, value_bits(kind), left, right)

    def _arithmetic(self, expression: Binary) -> tuple[Operand, Type]:
        operator = expression.operator
        if operator in ("<<", ">>"):  # promoted separately (C17 6.5.7p3)
            kind = promoted(self.value(expression.left)[1])
            left = self._converted(expression.left, kind)
            right = self._converted(expression.right, kind)
            right = calculated("and", value_bits(kind), right, value_bits(kind) - 1)
            shift = "shl" if operator == "<<" else "ashr" if is_signed(kind) else "lshr"
            return calculated(shift, value_bits(kind), left, right), kind
        kind, left, right = self._operands(expression)
        if operator in ("/", "%"):
            name = ("s" if is_signed(kind) else "u") + ("div" if operator == "/" else "rem")
        else:
            name = ARITHMETIC[operator]
        return calculated(name, value_bits(kind), left, right), kind

    def _operands(self, expression: Binary) -> tuple[Type, Operand, Operand]:
        kind = usual_conversion(self.value(expression.left)[1], self.value(expression.right)[1])
        return (
            kind,
            self._converted(expression.left, kind),
            self._converted(expression.right, kind),
        )


# ---------------------------------------------------------------------------------- preconditions
# Inferred preconditions, as conditions on the terms of a start, and as ranges to draw from.
#
# n <= elements of a, a of 4 elements     n <= 4         where a is not null


def conditions(
    given: Sequence[Precondition],
    named: Mapping[str, Named],
    sizes: Mapping[str, int],
    null: Collection[str] = (),
) -> Iterator[Operand]:
    """The preconditions as conditions. ``sizes``: the sizes in bytes of the objects that exist, by
    the pointer to them. ``null``: the pointers that are null. Those that are never null are null in
    no start."""
    for each in given:
        match each.claim:
            case Length(room=room) as claim if room:
                for name, known in named.items():
                    if of_first(name) == claim.number and known.scalar and known.terms:
                        yield _at_most(known.terms[0], known.element, claim.most(room))
            case Length() as claim:
                there = {**sizes, **dict.fromkeys(null if claim.null else (), 0)}
                for pointer, number in pairs(claim, there):
                    counts = named.get(number)
                    if counts is not None and counts.scalar and counts.terms:
                        most = claim.most(there[pointer])
                        yield _at_most(counts.terms[0], counts.element, most)
            case OneOf(name=name, values=values):
                one = named[name]
                width = value_bits(one.element)
                term = one.terms[0]
                yield plain(disjunction(holds("eq", width, term, v % (1 << width)) for v in values))
            case Bounded(name=name, low=low, high=high):
                yield from range_conditions(Range(name, low, high), named)
            case Asserted(expression=expression):
                yield condition(expression, named, each.text)
            case NonNull() | Ended() | Single() | Terminated() | Roomy() | TruthValue():
                pass
            case _:
                assert_never(each.claim)


def pairs(claim: Length, pointers: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The pairs of pointer and number that a claim is about: a claim on ``b->at`` and ``b->n``
    holds for ``b[1].at`` and ``b[1].n`` as well."""
    start = ""
    for step in re.findall(r".*?(?:->|\.)", claim.pointer):
        if not claim.number.startswith(start + step):
            break
        start += step
    tail, number = claim.pointer[len(start) :], claim.number[len(start) :]
    for pointer in pointers:
        before = pointer.removesuffix(tail)
        if pointer.endswith(tail) and of_first(before) == start:
            yield pointer, before + number


def of_first(name: str) -> str:
    """The name of the same part in the first element of an array: ``b->n`` for ``b[1].n``."""
    return re.sub(r"\[\d+\]\.", "->", name)


def is_single(name: str, options: InputOptions) -> bool:
    """Does the pointer lead to one number?"""
    claims = (each.claim for each in options.preconditions)
    return any(isinstance(each, Single) and each.pointer == name for each in claims)


def is_ended(name: str, options: InputOptions) -> bool:
    """Is the last structure behind the pointer zero?"""
    claims = (each.claim for each in options.preconditions)
    return any(isinstance(each, Ended) and of_first(name) in each.pointers for each in claims)


def ended(
    given: Sequence[Precondition], parameters: Sequence[Symbol], several: Several
) -> Iterator[Precondition]:
    """Preconditions for the pointers that lead to several structures, or pointers, and have no
    length."""
    lengths = {each.claim.pointer for each in given if isinstance(each.claim, Length)}
    lengths |= {
        name for each in given if isinstance(each.claim, Ended) for name in each.claim.pointers
    }
    found: dict[tuple[str, str, str], dict[str, Symbol]] = {}
    for symbol in parameters:
        for place in parameter_places(symbol, several, depths=DEPTHS):
            name = of_first(place.name)
            if isinstance(place.type, Array):  # of the rows of a matrix none is known to be zero
                continue
            if place.several and name not in lengths:
                what = "null" if isinstance(place.type, Pointer) else "zero"
                member = re.split(r"->|\.", name)[-1]
                found.setdefault((member, str(place.type), what), {}).setdefault(name, symbol)
    for (member, _, what), names in found.items():
        first, *others = names
        further = f", and of each further {member}" if others else ""
        why = "code steps through it, and nothing says how many there are"
        text = f"the last of {first} is {what}{further}"
        yield Precondition(Ended(tuple(names)), text, why, names[first].location)


_Part = tuple[str, str]  # its name, and the type of the structure that it is a member of


def terminated(parameters: Sequence[Symbol], several: Several) -> Iterator[Precondition]:
    """What every test does with texts, whatever the code says: their last byte is 0. Of a member
    that many objects have it is said once."""
    why = "a text in a test ends so"

    def texts(symbol: Symbol) -> Iterator[_Part]:
        if isinstance(symbol.type, Pointer) and is_text(led_to(symbol.type)):
            yield symbol.name, ""
        for place in parameter_places(symbol, several):
            kind = str(place.type)
            yield from ((link.name, kind) for link in place.links if is_text(link.target))
            yield from ((each.name, kind) for each in place.members if each.text)

    for symbol, name in _first_of_each(parameters, texts):
        text = f"{name} ends with a 0 byte"
        yield Precondition(Terminated(name), text, why, symbol.location)


def truth_values(parameters: Sequence[Symbol], several: Several) -> Iterator[Precondition]:
    """What every test does with each _Bool in memory. Of a member that many objects have it is said
    once."""
    why = "a _Bool has no other value"

    def flags(symbol: Symbol) -> Iterator[_Part]:
        if isinstance(symbol.type, Pointer) and _is_truth_value(symbol.type.target):
            yield f"*{symbol.name}", ""
        for place in parameter_places(symbol, several):
            for each in place.members:
                if each.bit_width is None and _is_truth_value(each.type):
                    yield each.name, str(place.type)

    for symbol, name in _first_of_each(parameters, flags):
        yield Precondition(TruthValue(name), f"{name} is 0 or 1", why, symbol.location)


def _first_of_each(
    parameters: Sequence[Symbol], parts: Callable[[Symbol], Iterable[_Part]]
) -> Iterator[tuple[Symbol, str]]:
    """The parts of the parameters, of a member that many objects have the first one."""
    seen: set[_Part] = set()
    for symbol in parameters:
        for name, kind in parts(symbol):
            key = re.split(r"->|\.", name)[-1], kind
            if key not in seen:
                seen.add(key)
                yield symbol, name


def _is_truth_value(kind: Type) -> bool:
    element = kind.element if isinstance(kind, Array) else kind
    return isinstance(element, Integer) and value_bits(element) == 1


def counted_elements(given: Sequence[Precondition]) -> frozenset[str]:
    """The pointers that lead to as many elements as a number says: where these are characters, no 0
    has to stand behind them. Where all callers are there, they may pass texts alone."""
    claims = [each.claim for each in given if isinstance(each.claim, Length)]
    passed = {claim.pointer for claim in claims if claim.passed}
    return frozenset(claim.pointer for claim in claims) - passed


def within_bounds(
    given: Sequence[Precondition], parameters: Sequence[Symbol], options: InputOptions
) -> InputOptions:
    """The options with those preconditions that hide nothing: a search begins with arrays that are
    as long as the numbers that the code distinguishes; where they cannot be, nothing is assumed
    about their length."""
    types = {each.name: each.type for each in parameters}
    rooms = _rooms(parameters, options.several or ALONE)
    longest = ARRAYS[-1] if options.array_length is None else options.array_length
    stepped = options.several.parameters if options.several is not None else frozenset()
    retained, least = [], 0
    for each in given:
        claim = each.claim
        if isinstance(claim, Length) and claim.pointer in rooms:
            room = rooms[claim.pointer]
            if (claim.least - claim.less) * claim.unit <= room:
                retained.append(replace(each, claim=replace(claim, room=room)))
            continue
        if isinstance(claim, Length):
            kind, needed = types.get(claim.pointer), (claim.least - claim.less) * claim.unit
            target = kind.target if isinstance(kind, Pointer) else None
            if isinstance(target, Record) and claim.pointer not in stepped:
                if needed > size_of(target):
                    continue
            else:
                needed = -(-needed // (claim.unit if target is None else size_of(target)))
                if needed > longest:
                    continue
                least = max(least, needed)
        retained.append(each)
    level = options.level
    if options.array_length is None:
        level = next(at for at, length in enumerate(ARRAYS) if at >= level and length >= least)
    counted = counted_elements(retained)
    hold = [
        each
        for each in retained
        if not (isinstance(each.claim, Terminated) and each.claim.pointer in counted)
    ]
    return replace(options, preconditions=tuple(hold), level=level)


def _rooms(parameters: Sequence[Symbol], several: Several) -> dict[str, int]:
    """The sizes in bytes of the arrays in what parameters are or lead to, by their names in the
    first of several elements."""
    return {
        of_first(name): size
        for symbol in parameters
        for place in parameter_places(symbol, several, depths=DEPTHS)
        for name, size in place.arrays
    }


def elements_of(name: str, options: InputOptions) -> int:
    """As many elements as arrays have, or fewer where fewer suffice for the number that says how
    many there are: uses behind the end are found then. One where no more is used."""
    if is_single(name, options):
        return 1
    less = [
        each.claim.less
        for each in options.preconditions
        if isinstance(each.claim, Length) and each.claim.pointer == of_first(name)
    ]
    return max(1, options.elements - min(less, default=0))


def count_of(options: InputOptions, given: Mapping[str, int]) -> Count:
    """How many elements an object has: as many as arrays have, or as are ``given`` for its name.
    The last one is no input where it must be zero."""

    def count(place: Place) -> tuple[int, int]:
        if not place.several:
            return 1, 1
        there = given.get(place.name, elements_of(place.name, options))
        there = min(there, place.elements)
        return there, max(0, there - is_ended(place.name, options))

    return count


def _at_most(term: Operand, kind: Type, bound: int) -> Operand:
    if not is_integer(kind):
        return 1
    width, signed = value_bits(kind), is_signed(kind)
    if bound >= (1 << (width - signed)) - 1:
        return 1
    return holds("sle" if signed else "ule", width, term, bound)


def range_of(name: str, options: InputOptions, sizes: Mapping[str, int]) -> Range | None:
    """The range outside of which no input satisfies what is given and inferred for ``name``; None
    where there is none."""
    found = options.range_of(name)
    for each in options.preconditions:
        match each.claim:
            case Length() as claim:
                bounds = [
                    claim.most(sizes[pointer])
                    for pointer, number in pairs(claim, sizes)
                    if number == name
                ]
                if claim.room:
                    bounds = [claim.most(claim.room)] * (of_first(name) == claim.number)
                for bound in bounds:
                    low, high = (found.low, found.high) if found else (-(1 << 127), bound)
                    found = Range(name, low, min(high, bound))
            case OneOf(name=own, values=values) if own == name:
                low, high = (found.low, found.high) if found else (values[0], values[-1])
                found = Range(name, max(low, values[0]), min(high, values[-1]))
            case Bounded(name=own, low=least, high=most) if own == name:
                low, high = (found.low, found.high) if found else (least, most)
                found = Range(name, max(low, least), min(high, most))
            case _:
                pass
    return found
