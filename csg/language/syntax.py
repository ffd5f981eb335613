"""The syntax tree of a program whose names and types are resolved.

Close to the source: no conversion is spelled out. Every expression carries the type that it has
*before* it is converted to what its context asks for (``csg.language.types`` has the rules), after
array and function decay where the context decays it. Loops, labels and blocks are in normal form:
bodies are always ``Compound``; ``case``, ``default`` and labels are statements of their own that
stand before what they label.

The same tree holds two versions at once: ``Change``, ``Execute`` and a ``version`` on declarations
and cases mark what belongs to one of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, StrEnum

from csg.errors import NOWHERE, Location
from csg.language.types import (
    NONE,
    AnyExpression,
    Array,
    Enumeration,
    Field,
    Function,
    Pointer,
    Qualifiers,
    Record,
    Type,
    bit_field_type,
    decayed,
    promoted,
    usual_conversion,
)
from csg.records import record


class Version(Enum):
    OLD = "OLD"
    NEW = "NEW"

    @property
    def other(self) -> Version:
        return Version.NEW if self is Version.OLD else Version.OLD


Hook = tuple[str, int]  # "constructor" or "destructor", and its priority
LAST_PRIORITY = 65535


INLINE, WEAK, EMITTED, STRONG = range(4)


class SymbolKind(StrEnum):
    """What a symbol declares."""

    OBJECT = "object"
    PARAMETER = "parameter"
    FUNCTION = "function"


HEADERS = (".h", ".hh", ".hpp", ".in")  # how the names of files end that others include


class StorageDuration(StrEnum):
    """C17 6.2.4."""

    AUTOMATIC = "automatic"
    STATIC = "static"


class Linkage(StrEnum):
    """C17 6.2.2."""

    NONE = "none"
    INTERNAL = "internal"
    EXTERNAL = "external"


@dataclass(eq=False, slots=True)
class Symbol:
    """A declared object, parameter or function. Two names that refer to it share the same Symbol
    object."""

    name: str
    type: Type
    location: Location = NOWHERE
    kind: SymbolKind = SymbolKind.OBJECT
    storage: StorageDuration = StorageDuration.AUTOMATIC
    linkage: Linkage = Linkage.NONE
    qualifiers: Qualifiers = NONE
    address_taken: bool = False  # & applied, or an array/struct: it needs memory
    from_header: bool = False
    noreturn: bool = False
    alignment: int = 0  # asked for beyond the type's own; 0: none
    inline: bool = False
    emitted: bool = False  # its inline definition is for other files as well (C17 6.7.4p7)
    gnu_inline: bool = False  # whether it is emitted follows the older rule of gcc
    always_inline: bool = False  # its own file calls its inline definition
    hooks: tuple[Hook, ...] = ()  # of a function that runs before or after main
    weak: bool = False  # may be defined nowhere: then its address is null; or in many files
    alias: str = ""  # the name of what it is another name of
    linked_as: str = ""  # the name that linking knows it by (asm)
    nonnull: frozenset[int] = frozenset()  # parameters of a function, from 1 on; 0: all
    access: tuple[tuple[int, int], ...] = ()  # parameters: a pointer, and how much is behind it
    defined: bool = False  # this unit gives it storage (a tentative definition counts) or a body
    restrict: bool = False  # a pointer parameter that says so (C17 6.7.3.1)

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name}>"

    @property
    def strength(self) -> int:
        """The rank of a definition: of several definitions of one external name the strongest
        counts, and the first of equally strong ones. An inline definition that is for its own
        file alone yields to all others, then a weak one. Two strong ones are an error; an inline
        one that is for other files as well may be in many here, as from a header."""
        if self.inline and not self.emitted:
            return INLINE
        if self.weak:
            return WEAK
        return EMITTED if self.inline else STRONG


def _place() -> Location:
    return field(default=NOWHERE, compare=False, repr=False)


# --------------------------------------------------------------------------- expressions


@record
class IntegerConstant(AnyExpression):
    """``value`` fits ``type``. ``text`` is the spelling, for printing ('\\n', 0x1F, EOF's -1)."""

    value: int
    type: Type
    text: str = field(default="", compare=False)
    location: Location = _place()


@record
class FloatingConstant(AnyExpression):
    text: str  # as spelt, without suffix; decimal or hexadecimal
    type: Type
    location: Location = _place()


@record
class StringLiteral(AnyExpression):
    """``value`` holds the bytes without the terminating NUL (wide ones as little-endian units);
    ``type`` is Pointer to the element, or Array where it does not decay (sizeof, initialiser)."""

    value: bytes
    type: Type
    unit: int = 1  # bytes of an element
    prefix: str = ""  # "", "L", "u8", "u", "U"
    location: Location = _place()


@record
class Name(AnyExpression):
    """A name that is used, of an object, parameter or function. An array or function has its
    decayed type here, except under sizeof and &."""

    symbol: Symbol
    type: Type
    location: Location = _place()


@record
class EnumeratorName(AnyExpression):
    name: str
    value: int
    type: Type
    location: Location = _place()


@record
class Unary(AnyExpression):
    """``- ~ ! +``"""

    operator: str
    operand: Expression
    type: Type
    location: Location = _place()


@record
class AddressOf(AnyExpression):
    operand: Expression
    type: Type
    location: Location = _place()


@record
class Dereference(AnyExpression):
    operand: Expression
    type: Type
    location: Location = _place()


@record
class Index(AnyExpression):
    """``base[index]``; ``base`` is the pointer operand whatever the order in the source."""

    base: Expression
    index: Expression
    type: Type
    location: Location = _place()


@record
class Member(AnyExpression):
    """``record.field`` or, with ``arrow``, ``record->field``. Members of anonymous members are
    spelt step by step by the front end with fields named ''."""

    record: Expression
    field: Field
    arrow: bool
    type: Type
    location: Location = _place()


@record
class Binary(AnyExpression):
    """Arithmetic, shifts, bitwise, comparisons; pointers included. ``type`` is the result's."""

    operator: str  # + - * / % << >> & | ^ < > <= >= == !=
    left: Expression
    right: Expression
    type: Type
    location: Location = _place()


@record
class Logical(AnyExpression):
    """``&&`` or ``||`` of two or more operands, left to right."""

    operator: str
    operands: tuple[Expression, ...]
    type: Type
    location: Location = _place()


@record
class Conditional(AnyExpression):
    """``condition ? then : otherwise``; ``then`` None is GNU ``condition ?: otherwise``."""

    condition: Expression
    then: Expression | None
    otherwise: Expression
    type: Type
    location: Location = _place()


@record
class Assign(AnyExpression):
    target: Expression
    value: Expression
    type: Type
    location: Location = _place()


@record
class CompoundAssign(AnyExpression):
    """``target operator= value``; the operation is done in ``operation_type``."""

    operator: str
    target: Expression
    value: Expression
    operation_type: Type
    type: Type
    location: Location = _place()


@record
class Increment(AnyExpression):
    """``++`` or ``--``, before or after its operand."""

    operator: str  # "++" | "--"
    prefix: bool
    operand: Expression
    type: Type
    location: Location = _place()


@record
class Call(AnyExpression):
    """``function`` is a Name of a function, or any expression of pointer-to-function type."""

    function: Expression
    arguments: tuple[Expression, ...]
    type: Type
    location: Location = _place()


@record
class Cast(AnyExpression):
    operand: Expression
    type: Type
    location: Location = _place()


@record
class SizeOf(AnyExpression):
    """``sizeof``/``_Alignof``; ``value`` None when the type is a variable-length array."""

    of: Type
    operand: Expression | None  # for ``sizeof expression``
    value: int | None
    type: Type
    keyword: str = "sizeof"
    location: Location = _place()


@record
class Comma(AnyExpression):
    left: Expression
    right: Expression
    type: Type
    location: Location = _place()


@record
class CompoundLiteral(AnyExpression):
    """An unnamed object; ``symbol`` is its storage (static at file scope)."""

    symbol: Symbol
    initializer: InitializerList | Expression
    type: Type
    location: Location = _place()


@record
class StatementExpression(AnyExpression):
    """GNU ``({ ... })``; its value is the last item, an ExpressionStatement, or void."""

    body: Compound
    type: Type
    location: Location = _place()


@record
class VaArg(AnyExpression):
    list: Expression
    type: Type
    location: Location = _place()


@record
class Builtin(AnyExpression):
    """``__builtin_X(arguments)`` that is no plain call: va_start, va_end, va_copy, expect, ..."""

    name: str
    arguments: tuple[Expression, ...]
    type: Type
    location: Location = _place()


@record
class Change(AnyExpression):
    """``change(old, new)``: each version evaluates its own argument only. ``id`` numbers the change
    in source order; ``type`` is the common type both convert to."""

    old: Expression
    new: Expression
    id: int
    type: Type
    location: Location = _place()


Expression = (
    IntegerConstant
    | FloatingConstant
    | StringLiteral
    | Name
    | EnumeratorName
    | Unary
    | AddressOf
    | Dereference
    | Index
    | Member
    | Binary
    | Logical
    | Conditional
    | Assign
    | CompoundAssign
    | Increment
    | Call
    | Cast
    | SizeOf
    | Comma
    | CompoundLiteral
    | StatementExpression
    | VaArg
    | Builtin
    | Change
)


def bit_field_width(expression: Expression) -> int | None:
    """The width of a bit-field, or of what is assigned to one: by it the value is promoted (C17
    6.3.1.1p2; gcc gives an assignment the type of the bit-field). None for all other values."""
    while True:
        match expression:
            case Member(field=field):
                return field.bit_width
            case Assign(target=target) | CompoundAssign(target=target):
                expression = target
            case Increment(operand=operand):
                expression = operand
            case Comma(right=right):
                expression = right
            case StatementExpression(body=Compound(items=(*_, ExpressionStatement() as last))):
                expression = last.expression
            case _:
                return None


def operand_type(expression: Expression) -> Type:
    """The type of an operand after the integer promotions; a bit-field promotes by its width."""
    return promoted(expression.type, bit_field_width(expression))


def value_type(expression: Expression) -> Type:
    """The type of a value before any promotion, as _Generic and typeof see it: gcc gives a
    bit-field a type of just its width, a standard one if there is one."""
    width = bit_field_width(expression)
    return expression.type if width is None else bit_field_type(expression.type, width)


def arithmetic_type(left: Expression, right: Expression) -> Type:
    """The type that the usual arithmetic conversions give two operands (C17 6.3.1.8)."""
    return usual_conversion(operand_type(left), operand_type(right))


def converted_type(expression: Expression) -> Type:
    """The type of an operand after the integer promotions, or the pointer that it decays to."""
    return decayed(operand_type(expression))


def run_time_length(kind: Array) -> Expression | None:
    """What the length of a variable array is computed by (C17 6.7.6.2p4); None for other arrays."""
    if kind.length is None or isinstance(kind.length, int):
        return None
    assert isinstance(kind.length, Expression)
    return kind.length


LENGTH_NAME = "csgtest_length_"  # what variables are called that keep a length (lengths.py)


def is_variably_modified(kind: Type) -> bool:
    """Is there an array in it whose size is known at run time only (C17 6.7.6p3)?"""
    match kind:
        case Array(element=inner):
            return run_time_length(kind) is not None or is_variably_modified(inner)
        case Pointer(target=inner) | Function(result=inner):
            return is_variably_modified(inner)
        case _:
            return False


def is_variable(kind: Type) -> bool:
    """Is it an array whose size is known at run time only?"""
    while isinstance(kind, Array):
        if run_time_length(kind) is not None:
            return True
        kind = kind.element
    return False


@record
class InitializerEntry:
    """One scalar (or whole-struct expression, or string for a char array) put at ``offset`` bytes;
    ``path`` names it in C: ``("a", 2)`` is ``.a[2]``. Entries of one list with the same ``shared``
    (not 0) come from one range, ``[0 ... 2] = f()``: their value is worked out once."""

    path: tuple[str | int, ...]
    offset: int
    type: Type
    value: Expression
    field: Field | None = None  # when the target is a bit-field
    shared: int = 0

    @property
    def bit_width(self) -> int | None:
        return None if self.field is None else self.field.bit_width


@record
class InitializerList:
    """A braced list, flattened; what no entry names is zero."""

    entries: tuple[InitializerEntry, ...]
    type: Type
    location: Location = _place()


Initializer = Expression | InitializerList

# --------------------------------------------------------------------------- statements


@record
class Compound:
    items: tuple[Statement, ...]
    location: Location = _place()
    end: Location = _place()


@record
class Declaration:
    """A declaration of an object, in a block or at file scope. ``version``: the only version that
    has it."""

    symbol: Symbol
    initializer: Initializer | None
    version: Version | None = None
    change: int = 0
    location: Location = _place()


@record
class ExpressionStatement:
    expression: Expression
    location: Location = _place()


@record
class If:
    condition: Expression
    then: Compound
    otherwise: Compound | None
    location: Location = _place()


@record
class While:
    condition: Expression
    body: Compound
    location: Location = _place()


@record
class DoWhile:
    body: Compound
    condition: Expression
    location: Location = _place()


@record
class For:
    """``start`` is a declaration list, an expression statement, or empty."""

    start: tuple[Statement, ...]
    condition: Expression | None
    step: Expression | None
    body: Compound
    location: Location = _place()


@record
class Switch:
    """``selector`` after promotion has the type ``selector_type``; cases are converted to it."""

    selector: Expression
    selector_type: Type
    body: Compound
    location: Location = _place()


@record
class Case:
    """``case low:`` or GNU ``case low ... high:``; ``default`` has both None. With ``version`` the
    label exists in that version only."""

    low: int | None
    high: int | None
    text: str = field(default="", compare=False)  # spelling of the value
    version: Version | None = None
    change: int = 0
    location: Location = _place()


@record
class Label:
    name: str
    location: Location = _place()


@record
class Goto:
    label: str
    location: Location = _place()


@record
class ComputedGoto:
    target: Expression
    location: Location = _place()


@record
class Break:
    location: Location = _place()


@record
class Continue:
    location: Location = _place()


@record
class Return:
    value: Expression | None
    location: Location = _place()


@record
class Empty:
    location: Location = _place()


@record
class Assembly:
    """An asm statement. Executing it ends the path with an event, unless it is empty."""

    text: str
    location: Location = _place()


@record
class Unsupported:
    """Correct C that csgtest cannot treat, as its source says it: a statement, or all of a
    function's body in braces. Executing it ends the path with an event."""

    text: str
    reason: str
    location: Location = _place()


@record
class Execute:
    """``if (execute(version)) { body }``: only that version runs it. Control does not leave the
    body other than at its end (the unifier writes a guard instead)."""

    version: Version
    body: Compound
    change: int = 0
    location: Location = _place()


Statement = (
    Compound
    | Declaration
    | ExpressionStatement
    | If
    | While
    | DoWhile
    | For
    | Switch
    | Case
    | Label
    | Goto
    | ComputedGoto
    | Break
    | Continue
    | Return
    | Empty
    | Assembly
    | Unsupported
    | Execute
)

# --------------------------------------------------------------------------- a whole program


@record
class FunctionDefinition:
    """A function with its body. ``version``: the only version that has it; ``change`` is then its
    number."""

    symbol: Symbol
    parameters: tuple[Symbol, ...]
    body: Compound
    version: Version | None = field(default=None, kw_only=True)
    change: int = field(default=0, kw_only=True)
    location: Location = _place()
    end: Location = _place()

    @property
    def is_for_others(self) -> bool:
        """Can functions of other files call it? Those can that include its header, if it is
        static."""
        return self.symbol.linkage is Linkage.EXTERNAL or self.location.file.endswith(HEADERS)


@dataclass(slots=True)
class TranslationUnit:
    """One preprocessed file. ``types`` are the records and enumerations in the order in which they
    were completed, ``declarations`` the file-scope objects (one per symbol, with its initialiser
    when defined here) and functions declared without a body, in source order. Declarations of
    headers are there only where the user's own files refer to them, directly or not."""

    file: str
    types: list[Record | Enumeration] = field(default_factory=list)
    declarations: list[Declaration] = field(default_factory=list)
    functions: list[FunctionDefinition] = field(default_factory=list)
    sources: dict[str, list[str]] = field(default_factory=dict)  # user file -> its lines
    dropped: list[tuple[Location, str]] = field(default_factory=list)  # what the token pass removed
    warnings: list[tuple[Location, str]] = field(default_factory=list)  # implicit functions ...
