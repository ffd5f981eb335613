"""Pointer parameters behind which a function only writes characters, and nothing says how many.

    int check(const char *text, char *error)
    {
        if (*text != '{')
            return sprintf(error, "no object, but '%s'", text);      error
        ...

What stands there before the call means nothing, and a caller has to know from elsewhere how much
room there must be. A parameter is one of these if each of its uses, and of local copies, writes
(``*p++ = c``, ``strcpy(p, s)``), steps, compares or returns it, or passes it to a function of which
the same is true; one that is read, also after it was written, is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from csg.analysis.lengths import Functions, called_from, counted
from csg.ir.library_effects import Effect, effect_of
from csg.language.syntax import (
    AddressOf,
    Assign,
    Binary,
    Call,
    Cast,
    CompoundAssign,
    Conditional,
    Declaration,
    Dereference,
    DoWhile,
    Expression,
    ExpressionStatement,
    For,
    FunctionDefinition,
    If,
    Increment,
    Index,
    Logical,
    Name,
    Return,
    StorageDuration,
    Symbol,
    Unary,
    While,
)
from csg.language.traversal import (
    Tree,
    assigned_values,
    called_name,
    constant_of,
    is_null,
    walk,
)
from csg.language.types import Integer, Pointer, Type

BUFFER = "room_"  # before the name of such a parameter: the object that a driver passes
ROOM = 4_096  # its size in bytes
UNKNOWN = float("inf")  # how far a step is that is no constant
_Parameter = tuple[str, int]  # function, number of the parameter


def output_buffers(versions: Sequence[Functions], name: str) -> frozenset[int]:
    """The parameters of a function of which this holds in all versions, by their numbers."""
    found: frozenset[int] | None = None
    for functions in versions:
        if name not in functions:
            return frozenset()
        here = _without_size(functions, functions[name])
        found = here if found is None else found & here
    return found or frozenset()


def _without_size(functions: Functions, entry: FunctionDefinition) -> frozenset[int]:
    """The parameters that are only written to, without those of which a number says how much there
    is. What a loop counts says nothing of one that it steps further than it counts:
    ``*to++ = '%', *to++ = hex[c >> 4]``."""
    if not any(_is_writable(each.type) for each in entry.parameters):
        return frozenset()
    uses = {each.symbol.name: _Uses(each, functions) for each in called_from(functions, entry)}
    found = _only_written(uses, entry.symbol.name)
    if not found:
        return found
    sized = {int(pointer) for pointer, _ in counted(functions, entry) if pointer.isdigit()}
    sized -= uses[entry.symbol.name].outrun
    return found - sized - {pointer - 1 for pointer, _ in entry.symbol.access}


def _only_written(uses: Mapping[str, _Uses], entry: str) -> frozenset[int]:
    found = {(name, at) for name, each in uses.items() for at in each.numbers.values()}
    while True:  # each round removes what is passed to one that was removed
        left = {(name, at) for name, each in uses.items() for at in each.only_written(found)}
        if left == found:
            break
        found = left
    written: set[_Parameter] = set()
    while True:
        more = {(name, at) for name, each in uses.items() for at in each.written(written)} & found
        if more == written:
            break
        written = more
    return frozenset(at for name, at in written if name == entry)


class _Uses:
    """How one function uses its pointers to characters, and local copies of them. Nodes of names
    are known by identity."""

    def __init__(self, definition: FunctionDefinition, functions: Functions) -> None:
        self._functions = functions
        self.numbers = {
            each: at for at, each in enumerate(definition.parameters) if _is_writable(each.type)
        }
        self._nodes = list(walk(definition.body)) if self.numbers else []
        self._bases = {each: each for each in self.numbers}
        self._learn_copies()
        self._names: dict[Symbol, set[int]] = {each: set() for each in self.numbers}
        for node in self._nodes:
            if isinstance(node, Name) and node.symbol in self._bases:
                self._names[self._bases[node.symbol]].add(id(node))
        self._harmless: set[int] = set()
        self._reads: set[Symbol] = set()  # parameters
        self._writes: set[Symbol] = set()
        self._passed: list[tuple[Name, _Parameter]] = []
        targets = {id(each.target) for each in self._nodes if isinstance(each, Assign)}
        addressed = {id(each.operand) for each in self._nodes if isinstance(each, AddressOf)}
        for node in self._nodes:
            self._use(node, targets, addressed)

    def only_written(self, others: AbstractSet[_Parameter]) -> Iterator[int]:
        """The parameters, if ``others`` are such as well."""
        passed = {id(name) for name, where in self._passed if where in others}
        for symbol, at in self.numbers.items():
            if symbol not in self._reads and self._names[symbol] <= self._harmless | passed:
                yield at

    def written(self, others: AbstractSet[_Parameter]) -> Iterator[int]:
        """The parameters through which something is written, if it is through ``others``."""
        found = {self._bases[name.symbol] for name, where in self._passed if where in others}
        for symbol in (found | self._writes) & self.numbers.keys():
            yield self.numbers[symbol]

    @property
    def outrun(self) -> set[int]:
        """The parameters that a loop steps further than any number that it counts by constants."""
        found: set[int] = set()
        for loop in self._nodes:
            if not isinstance(loop, For | While | DoWhile):
                continue
            steps: dict[Symbol, float] = {}
            for symbol, step in map(_step, walk(loop)):
                if symbol is not None:
                    known = self._bases.get(symbol, symbol)
                    steps[known] = steps.get(known, 0) + step
            counted = [n for each, n in steps.items() if not isinstance(each.type, Pointer)]
            most = max((each for each in counted if each < UNKNOWN), default=0)
            found |= {at for each, at in self.numbers.items() if steps.get(each, 0) > max(1, most)}
        return found

    def _learn_copies(self) -> None:
        assigned = assigned_values(self._nodes)
        for _ in range(3):  # copies of copies
            for symbol, values in assigned.items():
                is_local = symbol.storage is StorageDuration.AUTOMATIC
                if symbol in self._bases or not is_local or not isinstance(symbol.type, Pointer):
                    continue
                leads = {self._base(each) for each in values if not is_null(each)}
                if len(leads) == 1 and (base := leads.pop()) is not None:
                    self._bases[symbol] = base

    def _base(self, expression: Expression) -> Symbol | None:
        name = self._name(expression)
        return None if name is None else self._bases[name.symbol]

    def _name(self, expression: Expression | None, calls: bool = True) -> Name | None:
        """The name, of a parameter or a copy, that an address is computed from; also by ``calls``,
        which lead on from an argument."""
        while True:
            match expression:
                case Cast(operand=inner) | Increment(operand=inner) | CompoundAssign(target=inner):
                    expression = inner
                case Binary(operator="+" | "-", left=left, right=right, type=Pointer()):
                    expression = left if isinstance(left.type, Pointer) else right
                case AddressOf(operand=Index(base=inner) | Dereference(operand=inner)):
                    expression = inner
                case Call(type=Pointer()) if calls:
                    expression = self._led_on(expression)
                case Name(symbol=symbol) if symbol in self._bases:
                    return expression
                case _:
                    return None

    def _led_on(self, call: Call) -> Expression | None:
        """The argument that the result of a call leads on from: ``p = put(p, c)``."""
        called = called_name(call)
        effect = None if called in self._functions else effect_of(called)
        if effect is not None:
            given = [call.arguments[at] for at in effect.returns if at < len(call.arguments)]
        elif called in self._functions:
            given = [each for each in call.arguments if each.type == call.type]
        else:
            given = []
        return given[0] if len(given) == 1 else None

    def _use(self, node: Tree, targets: AbstractSet[int], addressed: AbstractSet[int]) -> None:
        match node:
            case Dereference(operand=pointer) | Index(base=pointer):
                name = self._name(pointer)
                if name is not None and id(node) not in addressed:
                    changed = self._writes if id(node) in targets else self._reads
                    changed.add(self._bases[name.symbol])
                    self._pass(pointer)
            case Assign(target=Name(symbol=symbol) as target, value=value):
                if symbol in self._bases and not is_null(value):
                    if self._base(value) is not self._bases[symbol]:
                        self._reads.add(self._bases[symbol])  # it leads elsewhere
                    self._pass(value)
                self._pass(target)
            case Declaration(symbol=symbol, initializer=value) if symbol in self._bases:
                self._pass(value)
            case Increment(operand=pointer) | CompoundAssign(target=pointer):
                self._pass(pointer)
            case Binary(operator="==" | "!=" | "<" | ">" | "<=" | ">=" | "-"):
                if not isinstance(node.type, Pointer):
                    self._pass(node.left, node.right)
            case Logical(operands=operands):
                self._pass(*operands)
            case (
                Unary(operator="!", operand=inner)
                | If(condition=inner)
                | While(condition=inner)
                | DoWhile(condition=inner)
                | For(condition=inner)
                | Conditional(condition=inner)
                | Return(value=inner)
                | ExpressionStatement(expression=inner)
            ):
                self._pass(inner)
            case Call():
                self._call(node)
            case _:
                pass

    def _pass(self, *expressions: object) -> None:
        """What stands here is only an address. What is passed to a function is judged there."""
        for each in expressions:
            name = self._name(each, calls=False)  # type: ignore[arg-type]
            if name is not None:
                self._harmless.add(id(name))

    def _call(self, call: Call) -> None:
        called = called_name(call)
        effect = None if called in self._functions else effect_of(called)
        for at, argument in enumerate(call.arguments):
            name = self._name(argument, calls=False)
            if name is None:
                continue
            if called in self._functions:
                self._passed.append((name, (called, at)))
            elif effect is not None and _only_writes(effect, at):
                self._harmless.add(id(name))
                self._writes.add(self._bases[name.symbol])


def _step(node: Tree) -> tuple[Symbol | None, float]:
    """The variable that a node steps, and how far."""
    match node:
        case Increment(operand=Name(symbol=symbol)):
            return symbol, 1
        case CompoundAssign(operator="+" | "-", target=Name(symbol=symbol), value=value):
            step = constant_of(value)
            return symbol, UNKNOWN if step is None else abs(step)
        case _:
            return None, 0


def _only_writes(effect: Effect, at: int) -> bool:
    rest = effect.reads_rest
    return at in effect.writes and at not in effect.reads and (rest is None or at < rest)


def _is_writable(kind: Type) -> bool:
    match kind:
        case Pointer(target=Integer(size=1), qualifiers=qualifiers):
            return "const" not in qualifiers
        case _:
            return False
