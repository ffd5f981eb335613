"""SV-COMP's functions, so that its benchmarks and Test-Comp's run unmodified.

int x = __VERIFIER_nondet_int();    a fresh symbol, an input of kind "nondet"

Values are numbered as the program asks for them; the nth of the old version is the nth of the new.
"""

from __future__ import annotations

from types import MappingProxyType

from symexec.environment.contract import Arguments, Context, End, Model, Registry
from symexec.environment.operands import decide, holds
from symexec.state.endings import Aborted, AssumptionFailed
from symexec.state.inputs import Input

models = Registry()

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

    @models(PREFIX + kind)
    def value(context: Context, arguments: Arguments) -> Model:
        order = context.get("nondet", 0)
        assert isinstance(order, int)
        context.put("nondet", order + 1)
        term = context.fresh(f"{kind}#{order}", bits)
        made = Input(
            "nondet", f"{kind}#{order}", text, bits, (term,), is_signed, floating, order=order
        )
        context.add_input(made)
        return term
        yield


for _kind in TYPES:
    _nondet(_kind)


@models("__VERIFIER_assume")
def assume(context: Context, arguments: Arguments) -> Model:
    if not (yield from decide(holds("ne", 32, arguments[0], 0))):
        yield End(AssumptionFailed())
    return None


@models("__VERIFIER_error", "reach_error")
def reach_error(context: Context, arguments: Arguments) -> Model:
    yield End(Aborted("reach_error"))
    return None


@models("__VERIFIER_atomic_begin", "__VERIFIER_atomic_end")
def ignore(context: Context, arguments: Arguments) -> Model:
    return None
    yield
