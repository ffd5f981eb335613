"""The functions of peers' harnesses, so that these run unmodified: KLEE's and SV-COMP's."""

from __future__ import annotations

from types import MappingProxyType

from csg.errors import Location
from symexec.expr import Operand, Term
from symexec.runtime.contract import Arguments, Context, End, Model, Registry
from symexec.runtime.operands import Asking, choice, decide, holds, pin, place
from symexec.runtime.process import known_text
from symexec.state.endings import Aborted, AssertionFailed, AssumptionFailed, Exit
from symexec.state.inputs import Input, InputKind

# ------------------------------------------------------------------------------------------- klee
# KLEE's intrinsics, so that its harnesses run unmodified.
#
#     int x;
#     klee_make_symbolic(&x, sizeof x, "x");    x is a fresh symbol, an input of kind "object";
#                                               an array or struct gets one for each scalar in it
#     klee_assume(x > 0);                       the path ends where this is false
#
# Objects are numbered as the program asks for them; the nth of the old version is the nth of the
# new.


models = Registry()


@models("klee_make_symbolic", effects="reads 2, writes 0")
def make_symbolic(context: Context, arguments: Arguments) -> Model:
    address = yield from place(arguments[0])
    size = yield from pin(arguments[1], "the size given to klee_make_symbolic")
    name = yield from _name(context, arguments[2])
    scalars = context.scalars(address, min(size, context.room(address) + 1))  # one more: a fault
    if len(scalars) == 1:
        context.store(address, scalars[0], _fresh(context, name, scalars[0]))
        return None
    order, label = _numbered(context, name)
    terms = []
    for index, bytes_of_it in enumerate(scalars):
        term = context.fresh(f"{label}[{index}]:{8 * bytes_of_it}", 8 * bytes_of_it)
        context.store(address, bytes_of_it, term)
        address += bytes_of_it
        terms.append(term)
    context.add_input(Input(InputKind.OBJECT, name, "unsigned char", 8, tuple(terms), order=order))
    return None


def _name(context: Context, pointer: Operand) -> Asking[str]:
    text = yield from known_text(context, pointer)
    return text or "unnamed"


def _fresh(context: Context, name: str, size: int) -> Term:
    """A new object of ``size`` bytes as one symbol."""
    order, label = _numbered(context, name)
    term = context.fresh(f"{label}:{8 * size}", 8 * size)
    made = Input(
        InputKind.OBJECT, name, "unsigned char", 8 * size, (term,), order=order, scalar=True
    )
    context.add_input(made)
    return term


def _numbered(context: Context, name: str) -> tuple[int, str]:
    """The number of the object, and a name that no other input has."""
    order = context.get("objects", 0)
    assert isinstance(order, int)
    context.put("objects", order + 1)
    return order, f"{name}@{order}"


@models("klee_int", effects="reads 0")
def symbolic_int(context: Context, arguments: Arguments) -> Model:
    name = yield from _name(context, arguments[0])
    return _fresh(context, name, 4)


@models("klee_range", effects="reads 2")
def symbolic_in_range(context: Context, arguments: Arguments) -> Model:
    """klee_range: a value with ``begin`` <= value < ``end``."""
    begin, end = arguments[:2]
    name = yield from _name(context, arguments[2])
    order = context.get("objects", 0)
    value = context.fresh(f"{name}@{order}:32", 32)
    inside = choice(holds("sle", 32, begin, value), holds("slt", 32, value, end), 0, 1)
    yield from _assume(inside)
    return _fresh(context, name, 4)


@models("klee_choose", effects="nothing")
def choose(context: Context, arguments: Arguments) -> Model:
    value = context.fresh(f"klee_choose@{context.get('objects', 0)}:64", 64)
    yield from _assume(holds("ult", 64, value, arguments[0]))
    return _fresh(context, "klee_choose", 8)


@models("klee_assume", effects="nothing")
def assume(context: Context, arguments: Arguments) -> Model:
    yield from _assume(holds("ne", 64, arguments[0], 0))
    return None


def _assume(condition: Operand) -> Asking[None]:
    if not (yield from decide(condition)):
        yield End(AssumptionFailed())


@models("klee_assert", effects="nothing")
def check(context: Context, arguments: Arguments) -> Model:
    if not (yield from decide(holds("ne", 32, arguments[0], 0))):
        yield End(AssertionFailed("klee_assert", context.location))
    return None


@models("klee_report_error", effects="reads 0.., output")
def report_error(context: Context, arguments: Arguments) -> Model:
    file = yield from known_text(context, arguments[0])
    line = yield from pin(arguments[1], "the line given to klee_report_error")
    message = yield from known_text(context, arguments[2])
    yield End(AssertionFailed(message, Location(file, line)))
    return None


@models("klee_silent_exit", effects="output")
def exit_silently(context: Context, arguments: Arguments) -> Model:
    yield End(Exit(arguments[0]))
    return None


@models("klee_is_symbolic", effects="nothing")
def is_symbolic(context: Context, arguments: Arguments) -> Model:
    return int(isinstance(arguments[0], Term))
    yield


@models(
    "klee_get_valuef",
    "klee_get_valued",
    "klee_get_valuel",
    "klee_get_valuell",
    "klee_get_value_i32",
    "klee_get_value_i64",
    effects="nothing",
)
def get_value(context: Context, arguments: Arguments) -> Model:
    return (yield from pin(arguments[0], "klee_get_value"))


@models("klee_get_obj_size", effects="nothing")
def get_size(context: Context, arguments: Arguments) -> Model:
    address = yield from place(arguments[0])
    return context.extent(address) or 0


@models(
    "klee_prefer_cex",
    "klee_posix_prefer_cex",
    "klee_print_expr",
    "klee_print_range",
    "klee_warning",
    "klee_warning_once",
    "klee_set_forking",
    "klee_open_merge",
    "klee_close_merge",
    "klee_mark_global",
    "klee_stack_trace",
    "klee_check_memory_access",
    effects="nothing",
)
def ignore(context: Context, arguments: Arguments) -> Model:
    """Intrinsics that give hints to KLEE's search or messages to its user: they change nothing in
    the program."""
    return 0
    yield


# --------------------------------------------------------------------------------------- verifier
# SV-COMP's functions, so that its benchmarks and Test-Comp's run unmodified.
#
# int x = __VERIFIER_nondet_int();    a fresh symbol, an input of kind "nondet"
#
# Values are numbered as the program asks for them; the nth of the old version is the nth of the
# new.


PREFIX = "__VERIFIER_nondet_"

# C text, bits, signed, floating
TYPES = MappingProxyType(
    {
        "bool": ("_Bool", 1, False, False),
        "char": ("char", 8, True, False),
        "schar": ("signed char", 8, True, False),
        "uchar": ("unsigned char", 8, False, False),
        "short": ("short", 16, True, False),
        "ushort": ("unsigned short", 16, False, False),
        "int": ("int", 32, True, False),
        "uint": ("unsigned int", 32, False, False),
        "unsigned": ("unsigned int", 32, False, False),
        "unsigned_int": ("unsigned int", 32, False, False),
        "long": ("long", 64, True, False),
        "ulong": ("unsigned long", 64, False, False),
        "longlong": ("long long", 64, True, False),
        "ulonglong": ("unsigned long long", 64, False, False),
        "u8": ("unsigned char", 8, False, False),
        "u16": ("unsigned short", 16, False, False),
        "u32": ("unsigned int", 32, False, False),
        "S8": ("signed char", 8, True, False),
        "U8": ("unsigned char", 8, False, False),
        "S16": ("short", 16, True, False),
        "U16": ("unsigned short", 16, False, False),
        "S32": ("int", 32, True, False),
        "U32": ("unsigned int", 32, False, False),
        "loff_t": ("long long", 64, True, False),
        "size_t": ("unsigned long", 64, False, False),
        "pointer": ("void *", 64, False, False),
        "int128": ("__int128", 128, True, False),
        "uint128": ("unsigned __int128", 128, False, False),
        "float": ("float", 32, True, True),
        "double": ("double", 64, True, True),
    }
)


def _nondet(kind: str) -> None:
    text, bits, is_signed, floating = TYPES[kind]

    @models(PREFIX + kind, effects="nothing")
    def value(context: Context, arguments: Arguments) -> Model:
        order = context.get("nondet", 0)
        assert isinstance(order, int)
        context.put("nondet", order + 1)
        term = context.fresh(f"{kind}#{order}", bits)
        made = Input(
            InputKind.NONDET,
            f"{kind}#{order}",
            text,
            bits,
            (term,),
            is_signed,
            floating,
            order=order,
        )
        context.add_input(made)
        return term
        yield


for _kind in TYPES:
    _nondet(_kind)


@models("__VERIFIER_assume", effects="nothing")
def verifier_assume(context: Context, arguments: Arguments) -> Model:
    if not (yield from decide(holds("ne", 32, arguments[0], 0))):
        yield End(AssumptionFailed())
    return None


@models("__VERIFIER_error", "reach_error", effects="output")
def reach_error(context: Context, arguments: Arguments) -> Model:
    yield End(Aborted("reach_error"))
    return None


@models("__VERIFIER_atomic_begin", "__VERIFIER_atomic_end", effects="nothing")
def ignore_argument(context: Context, arguments: Arguments) -> Model:
    return None
    yield
