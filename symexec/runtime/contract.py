"""What the models of library functions see of the engine, and what they may ask of it.

    @models("abs")
    def absolute(context: Context, arguments: Arguments) -> Model:
        value = arguments[0]
        negative = yield from decide(compare("slt", 32, value, 0))
        return unary("neg", 32, value) if negative else value

A model is a generator: it yields requests and returns the function's result. A request that goes
both ways forks the state, and the model starts over in each half with the answer known: *a model
asks before it writes*. It runs for one version at a time (or for both at once while they agree), so
it meets no shadowed value, unless it is registered as ``aware``.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from typing import NoReturn, Protocol

from csg.errors import Location
from csg.ir import Passed
from csg.records import record
from symexec.expr import Data, Operand, Shadowed, Term, TermTable
from symexec.ledger import Reason
from symexec.memory import AllocationKind
from symexec.state.endings import PathEnding
from symexec.state.inputs import Input
from symexec.state.state import Holder, OutputItem


@record
class Decide:
    """Is this condition (width 1) true? Answered with a bool. Where both are possible, the path on
    which it is false is ranked ``behind`` steps later: what users seldom write can wait.
    ``presumed``: where both are possible, only the path on which it is true is followed."""

    condition: Operand
    behind: int = 0
    presumed: bool = False


@record
class Defer:
    """Rank the path so many steps behind others; no answer. The request is made once, so nothing
    that forks may follow it."""

    behind: int


@record
class Concretize:
    """Fix a term to one value that the path allows (an event: the other values are lost). Answered
    with an int; ``why`` names what could not stay symbolic."""

    term: Operand
    why: str


@record
class Suggest:
    """A value that the term can have here; answered with an int. Nothing is fixed: a model that
    goes on with the value has to ``Decide`` that the term has it."""

    term: Operand


@record
class End:
    """The path ends here; no answer comes."""

    ending: PathEnding


@record
class Place:
    """Note the place of this call; answered with a number to jump back to, 0 where there is
    none."""


@record
class JumpBack:
    """Return once more from the call that has this number, with the result ``value``; no answer."""

    number: Operand
    value: Data


Request = Decide | Defer | Concretize | Suggest | End | Place | JumpBack
Arguments = tuple[Operand, ...]
SharedArguments = tuple[Data, ...]  # of an aware model
Model = Generator[Request, object, Operand | None]
SharedModel = Generator[Request, object, Data | None]


class Paired(Exception):
    """A model that runs once for both versions met a value that differs between them: it has to run
    for each."""


# Whether callers run the entry function in a process of their own, in the environment store.
CALLED = "the entry function is called"


class Context(Protocol):
    """The engine as a model sees it during one call. Addresses are concrete; an access that is an
    error of the program under test ends the path, and the call does not return to the model."""

    @property
    def table(self) -> TermTable: ...

    @property
    def location(self) -> Location:
        """The place of the call in the user's code."""

    @property
    def caller(self) -> str: ...

    @property
    def is_used(self) -> bool:
        """Does the user's code use the result of the call?"""

    def load(self, address: int, size: int) -> Operand:
        """The value of ``size`` bytes, little-endian: 8 * size bits."""

    def load_ahead(self, address: int) -> Operand:
        """A byte that may lie behind the end of a text: it counts only where the text goes on."""

    def load_number_ahead(self, address: int) -> Operand:
        """The same of a byte that is compared as a number, also where a pointer lies."""

    def check_read(self, address: int, size: int) -> None:
        """End the path unless ``size`` bytes from an address can be read."""

    def load_pair(self, address: int, size: int) -> Data:
        """As ``load``, for a model that is ``aware``: the value may differ between the versions."""

    def store(self, address: int, size: int, value: Data) -> None: ...

    def copy(self, destination: int, source: int, size: Operand) -> None:
        """Copy as memmove does. A symbolic size is one that is known to be ``within`` both
        objects."""

    def fill(self, address: int, size: Operand, byte: Operand) -> None: ...

    def one_sided(self) -> bool:
        """Do writes change one version's half only at the moment? Then they are made byte by
        byte."""

    def within(self, address: int, size: Operand) -> Operand:
        """The condition that ``size`` bytes from an address are inside one object."""

    def outside(self, address: int, size: Operand, write: bool) -> NoReturn:
        """End the path: an access there is an error of the program."""

    def allocate(self, size: int, kind: AllocationKind, name: str) -> int:
        """A new object of kind "heap" or "static"; ``name`` is for messages. Returns its
        address."""

    def largest(self, size: Operand) -> int:
        """The largest size in bytes that is followed for an object of this symbolic size."""

    def few(self, size: Operand) -> tuple[int, ...]:
        """All values that a size can have, smallest first; none when they are many."""

    def allocate_some(self, size: Data, name: str, zeroed: bool) -> int:
        """A new heap object of a symbolic size up to the ``largest``. Returns its address."""

    def free(self, address: int, successor: int | None = None) -> None:
        """End the life of an allocated object. ``successor``: the address of what realloc made of
        it, which may lie in its place though it is there already."""

    def check_free(self, address: int) -> None:
        """End the path if ``free`` of this address is an error."""

    def extent(self, address: int) -> Operand | None:
        """The size in bytes of the object that an address points into; None when there is no live
        object."""

    def move(self, destination: int, source: int) -> None:
        """Copy between two whole objects as many bytes as both have."""

    def scalars(self, address: int, size: int) -> list[int]:
        """The sizes in bytes of the scalars in a range of memory, by its declared type. Undeclared
        memory of a scalar's size counts as one scalar, else as single bytes."""

    def room(self, address: int) -> int:
        """The bytes that are certainly there from an address to the end of its object, 0 when there
        is none."""

    def global_address(self, name: str) -> int:
        """The address of a global object that the registration of the model ``needs``."""

    def variable(self, name: str) -> int | None:
        """The address of an object of the library that programs can assign to (stdout); None when
        the program does not name it."""

    def next_argument(self, list_address: int, size: int, passed: Passed) -> Data:
        """Take the next argument of a va_list."""

    def get(self, key: str, default: object = None) -> object:
        """An entry of the environment store."""

    def put(self, key: str, value: object) -> None:
        """Set an entry of the environment store. Values must be immutable: forks share them; each
        version sees its own."""

    def emit(self, stream: int, item: OutputItem, holder: Holder | None = None) -> None:
        """Write to descriptor 1 or 2: known bytes, one byte as a term, or a formatted number."""

    def event(self, kind: Reason, text: str) -> None:
        """Note an event for the report: "approximated", "unsupported" ...; the engine adds place
        and count."""

    def fresh(self, name: str, width: int) -> Term:
        """The input symbol of that name, new or known."""

    def add_input(self, made: Input) -> None:
        """Add an input to this path, unless it is there already."""


ModelFunction = Callable[[Context, tuple[Data, ...]], SharedModel]


@record
class ModelEntry:
    """A registered model. ``needs``: objects of libc/*.c that it stores to (errno); ``effects``:
    what else a call does to memory, and whether it is output, as csg/ir/library_effects.py reads
    it."""

    name: str
    function: ModelFunction
    effects: str
    aware: bool = False
    needs: tuple[str, ...] = ()


PlainModel = Callable[[Context, Arguments], Model]


class Registry:
    """Collects the models of one module: ``models = Registry()`` on top,
    ``@models("name", ..., effects="reads 0")`` on each function."""

    def __init__(self) -> None:
        self._entries: list[ModelEntry] = []

    def __call__(
        self, *names: str, effects: str, needs: tuple[str, ...] = ()
    ) -> Callable[[PlainModel], PlainModel]:
        """Register a model that runs for one version, or for both while they agree."""

        def register(function: PlainModel) -> PlainModel:
            def plain(context: Context, arguments: tuple[Data, ...]) -> SharedModel:
                return function(context, tuple(_plain(argument) for argument in arguments))

            self._entries += [ModelEntry(name, plain, effects, False, needs) for name in names]
            return function

        return register

    def aware(
        self, *names: str, effects: str, needs: tuple[str, ...] = ()
    ) -> Callable[[ModelFunction], ModelFunction]:
        """Register a model that runs once for both versions; its arguments may be shadowed."""

        def register(function: ModelFunction) -> ModelFunction:
            self._entries += [ModelEntry(name, function, effects, True, needs) for name in names]
            return function

        return register

    @property
    def entries(self) -> Mapping[str, ModelEntry]:
        return {entry.name: entry for entry in self._entries}


def _plain(value: Data) -> Operand:
    assert not isinstance(value, Shadowed)
    return value
