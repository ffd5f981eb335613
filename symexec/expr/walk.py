"""Walk terms: evaluate them, replace in them, list their symbols, print them.

    evaluate(x + 1, {x: 4})          ->  5
    substitute(x + y, {x: 4})        ->  y + 4
    symbols(x + y)                   ->  {x, y}
    to_text(x + 1)                   ->  (add x 1)

Nothing here recurses: a loop of ten thousand additions is a term ten thousand deep.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from math import prod
from typing import TYPE_CHECKING

from symexec.expr import arrays, float_operations
from symexec.expr.concrete import BINARY, COMPARE, UNARY, sign_extend
from symexec.expr.ranges import bounds
from symexec.expr.terms import FLOAT_OPERATIONS, Operand, Term, operand

if TYPE_CHECKING:
    from symexec.expr.terms import Term


Model = Mapping[Term, int]
Value = int | bytes | dict[int, int]

_LONG_TEXT = 400


def symbols(term: Term) -> frozenset[Term]:
    """The symbols in a term; they are stored in the term."""
    known = term._symbols
    if known is not None:
        return known
    stack = [term]
    while stack:
        top = stack[-1]
        missing = [child for child in top.args if child._symbols is None]
        if missing:
            stack.extend(missing)
            continue
        stack.pop()
        if top._symbols is None:
            top._symbols = _union(top)
    assert term._symbols is not None
    return term._symbols


def _union(term: Term) -> frozenset[Term]:
    if term.op == "symbol":
        return frozenset((term,))
    result: frozenset[Term] = frozenset()
    for child in term.args:
        below = child._symbols or frozenset()
        if not below <= result:
            result = below if result <= below else result | below
    return result


def evaluate(term: Term, model: Model, cache: dict[Term, Value] | None = None) -> int:
    """The value of a term when its symbols have these values (0 for symbols that the model leaves
    out). ``cache`` holds the values of subterms between calls with the same model."""
    values = cache if cache is not None else {}
    found = values.get(term)
    if found is None:
        found = _evaluate(term, model, values)
    assert isinstance(found, int)
    return found


def _evaluate(term: Term, model: Model, values: dict[Term, Value]) -> Value:
    stack = [term]
    push = stack.append
    while stack:
        top = stack[-1]
        if top in values:
            stack.pop()
            continue
        ready = True
        for child in top.args:
            if child not in values:
                push(child)
                ready = False
        if ready:
            stack.pop()
            values[top] = _STEPS[top.op](top, values, model)
    return values[term]


Step = Callable[[Term, dict[Term, "Value"], Model], "Value"]


def _binary_step(op: str) -> Step:
    fold = BINARY[op]

    def step(term: Term, values: dict[Term, Value], model: Model) -> Value:
        left, right = term.args
        return fold(term.width, values[left], values[right])  # type: ignore[arg-type]

    return step


def _compare_step(op: str) -> Step:
    fold = COMPARE[op]

    def step(term: Term, values: dict[Term, Value], model: Model) -> Value:
        left, right = term.args
        return fold(left.width, values[left], values[right])  # type: ignore[arg-type]

    return step


def _unary_step(op: str) -> Step:
    fold = UNARY[op]

    def step(term: Term, values: dict[Term, Value], model: Model) -> Value:
        return fold(term.width, values[term.args[0]])  # type: ignore[arg-type]

    return step


def _float_step(term: Term, values: dict[Term, Value], model: Model) -> Value:
    numbers = [value for child in term.args if isinstance(value := values[child], int)]
    return float_operations.apply(term.op, term.index, term.width, *numbers)


def _number(values: dict[Term, Value], term: Term) -> int:
    value = values[term]
    assert isinstance(value, int)
    return value


def _concat_step(term: Term, values: dict[Term, Value], model: Model) -> Value:
    high, low = term.args
    return _number(values, high) << low.width | _number(values, low)


def _sext_step(term: Term, values: dict[Term, Value], model: Model) -> Value:
    return sign_extend(term.args[0].width, term.width, _number(values, term.args[0]))


def _array_step(term: Term, values: dict[Term, Value], model: Model) -> Value:
    return bytes(_number(values, child) for child in term.args)


def _store_step(term: Term, values: dict[Term, Value], model: Model) -> Value:
    array, index, byte = (values[child] for child in term.args)
    assert isinstance(index, int) and isinstance(byte, int) and not isinstance(array, int)
    contents = dict(enumerate(array)) if isinstance(array, bytes) else dict(array)
    contents[index] = byte
    return contents


def _select_step(term: Term, values: dict[Term, Value], model: Model) -> Value:
    array, index = (values[child] for child in term.args)
    assert isinstance(index, int) and not isinstance(array, int)
    if isinstance(array, bytes):
        return array[index] if index < len(array) else 0
    return array.get(index, 0)


_STEPS: dict[str, Step] = {
    **{op: _binary_step(op) for op in BINARY},
    **{op: _compare_step(op) for op in COMPARE},
    **{op: _unary_step(op) for op in UNARY},
    **dict.fromkeys(FLOAT_OPERATIONS, _float_step),
    "const": lambda term, values, model: term.value or 0,
    "symbol": lambda term, values, model: model.get(term, 0),
    "zext": lambda term, values, model: values[term.args[0]],
    "sext": _sext_step,
    "extract": lambda term, values, model: (
        (_number(values, term.args[0]) >> term.index) & ((1 << term.width) - 1)
    ),
    "concat": _concat_step,
    "ite": lambda term, values, model: values[term.args[1 if values[term.args[0]] else 2]],
    "array": _array_step,
    "store": _store_step,
    "select": _select_step,
}


def substitute(term: Term, mapping: Mapping[Term, Operand]) -> Operand:
    """The term with some subterms (mostly symbols) replaced, simplified again."""
    result = _rebuild(term, dict(mapping))
    assert not isinstance(result, bytes)
    return result


def _rebuild(
    term: Term, done: dict[Term, Operand] | dict[Term, Operand | bytes]
) -> Operand | bytes:
    replaced: dict[Term, Operand | bytes] = {**done}
    stack = [term]
    while stack:
        top = stack[-1]
        if top in replaced:
            stack.pop()
            continue
        missing = [child for child in top.args if child not in replaced]
        if missing:
            stack.extend(missing)
            continue
        stack.pop()
        parts = [replaced[child] for child in top.args]
        if all(new is operand(old) for new, old in zip(parts, top.args, strict=True)):
            replaced[top] = operand(top)
        else:
            replaced[top] = _apply(top, parts)
    return replaced[term]


def _apply(term: Term, parts: list[Operand | bytes]) -> Operand | bytes:
    """Build the same operation on other operands."""
    op, width, table = term.op, term.width, term.table
    numbers = [part for part in parts if not isinstance(part, bytes)]
    if op in BINARY:
        return table.binary(op, width, *numbers)
    if op in COMPARE:
        return table.compare(op, term.args[0].width, *numbers)
    if op in UNARY:
        return table.unary(op, width, *numbers)
    if op in FLOAT_OPERATIONS:
        return float_operations.build(table, op, term.index, width, *numbers)
    match op:
        case "zext":
            return table.zext(numbers[0], term.args[0].width, width)
        case "sext":
            return table.sext(numbers[0], term.args[0].width, width)
        case "extract":
            return table.extract(numbers[0], term.index, width)
        case "concat":
            return table.concat(numbers[0], term.args[0].width, numbers[1], term.args[1].width)
        case "ite":
            return table.ite(numbers[0], numbers[1], numbers[2], width)
        case "array":
            return arrays.of(numbers)
        case "store":
            return arrays.store(_array(parts[0]), *numbers[-2:])
        case "select":
            return arrays.select(_array(parts[0]), numbers[-1])
        case _:
            raise AssertionError(op)


def _array(part: Operand | bytes) -> arrays.Array:
    assert not isinstance(part, int)
    return part


def to_text(term: Operand) -> str:
    """SMT-LIB-like text. What occurs more than once or is long, and is no leaf, is named first:
    ``(let t7 (add x y)) (mul t7 t7)``."""
    if isinstance(term, int):
        return str(term)
    order, uses = _order_and_uses(term)
    texts: dict[Term, str] = {}
    lets: list[str] = []
    for node in order:
        text = _node_text(node, texts)
        if node.args and (uses[node] > 1 or len(text) > _LONG_TEXT):
            lets.append(f"(let t{node.id} {text})")
            text = f"t{node.id}"
        texts[node] = text
    return " ".join([*lets, texts[term]])


def _order_and_uses(term: Term) -> tuple[list[Term], dict[Term, int]]:
    """All nodes, children first, and how many parents each has."""
    uses: dict[Term, int] = {term: 0}
    order: list[Term] = []
    stack: list[tuple[Term, bool]] = [(term, False)]
    while stack:
        node, finished = stack.pop()
        if finished:
            order.append(node)
            continue
        stack.append((node, True))
        for child in reversed(node.args):
            if child in uses:
                uses[child] += 1
            else:
                uses[child] = 1
                stack.append((child, False))
    order.sort(key=lambda node: node.id)  # children are always older than their parents
    return order, uses


def _node_text(node: Term, texts: dict[Term, str]) -> str:
    if node.value is not None:
        return str(node.value)
    if node.name is not None:
        return node.name
    details = {
        "extract": f" {node.index + node.width - 1} {node.index}",
        "zext": f" {node.width}",
        "sext": f" {node.width}",
    }.get(node.op, f" {node.index}" if node.index else "")
    return f"({node.op}{details} {' '.join(texts[child] for child in node.args)})"


# -------------------------------------------------------------------------------------------- few
# List the values that a term can have, when they are few.
#
#     n * 4096             while n is 1..4    ->  (4096, 8192, 12288, 16384)
#     zext(x < 3) * 292 + 8                   ->  (8, 300)
#     n / 8 + 1            while n is 0..23   ->  (1, 2, 3)
#
# The list may hold more than there are: operands are taken to vary by themselves.


Intervals = tuple[tuple[int, int], ...]
Values = frozenset[int]

_ARRAYS = ("array", "store")  # no numbers


def few_values(term: Term, domains: Mapping[Term, Intervals], most: int) -> tuple[int, ...] | None:
    """All values that a term can have, smallest first; None when there may be more than ``most``.
    ``domains``: what is known of symbols."""
    ends = {symbol: (domain[0][0], domain[-1][1]) for symbol, domain in domains.items()}
    ranges: dict[Term, tuple[int, int]] = {}
    ranges[term] = bounds(term, ends, ranges)
    found: dict[Term, Values | None] = {}
    for node, (low, high) in ranges.items():  # operands stand in front of their results
        if node.op not in _ARRAYS:
            parts = domains.get(node, ((low, high),))
            found[node] = _results(node, found, most) or _listed(parts, most)
    values = found[term]
    return None if values is None else tuple(sorted(values))


def _listed(parts: Intervals, most: int) -> Values | None:
    if sum(high - low + 1 for low, high in parts) > most:
        return None
    return frozenset(value for low, high in parts for value in range(low, high + 1))


def _results(node: Term, found: Mapping[Term, Values | None], most: int) -> Values | None:
    """The values of an operation for all values of its operands; None where there are too many."""
    if not node.args:
        return None
    varied = node.args[1:] if node.op == "ite" else node.args
    varied = tuple(dict.fromkeys(child for child in varied if symbols(child)))
    choices = [values for child in varied if (values := found.get(child)) is not None]
    if len(choices) < len(varied):
        return None
    if node.op == "ite":
        constants = {child.value for child in node.args[1:] if child.value is not None}
        results = constants.union(*choices)
    elif prod(map(len, choices)) > most * most:
        return None
    else:
        results = {
            evaluate(node, {}, dict(zip(varied, combination, strict=True)))
            for combination in product(*choices)
        }
    return frozenset(results) if len(results) <= most else None
