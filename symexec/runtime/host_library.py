"""Call functions of this machine's C library on bit patterns, numbers only; and tell its version.

    call("frexp", 64, "xI", [bits of 12.0])   ->   Answer(bits of 0.75, (4,), 0)

A shape has one letter for each parameter: ``x`` a number of the function's width, ``i`` an int,
``I`` a pointer to an int that is written.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from csg.records import record
from symexec.expr import float_compare, float_unary
from symexec.runtime.contract import Arguments, Context, End, Model, Registry
from symexec.runtime.operands import choice, pin, place, plain, signed
from symexec.state.endings import Unsupported

LIBRARY = "libm.so.6"


class _Float(ctypes.c_float):
    """A floating-point number as ctypes passes it by its bytes: subclasses are not converted to
    Python's floats."""


class _Double(ctypes.c_double):
    pass


class _LongDouble(ctypes.c_longdouble):
    pass


@record
class Answer:
    """The result of a call. ``written`` are the ints behind pointers; ``errno`` 0: not set."""

    pattern: int
    written: tuple[int, ...]
    errno: int


def call(name: str, width: int, shape: str, values: Sequence[int]) -> Answer:
    kind = {32: _Float, 64: _Double, 80: _LongDouble}[width]
    function = getattr(ctypes.CDLL(LIBRARY, use_errno=True), name)
    function.restype = kind
    rest = iter(values)
    targets: list[ctypes.c_int] = []
    arguments: list[object] = []
    for letter in shape:
        match letter:
            case "x":
                data = next(rest).to_bytes(ctypes.sizeof(kind), "little")
                arguments.append(kind.from_buffer_copy(data))
            case "i":
                arguments.append(ctypes.c_int(next(rest)))
            case _:
                targets.append(ctypes.c_int())
                arguments.append(ctypes.byref(targets[-1]))
    ctypes.set_errno(0)
    result = function(*arguments)
    pattern = int.from_bytes(bytes(result)[: width // 8], "little")
    return Answer(pattern, tuple(target.value for target in targets), ctypes.get_errno())


def version(release: bool) -> bytes:
    """``b"2.36"``, or the word for its release, ``b"stable"``."""
    name = "gnu_get_libc_release" if release else "gnu_get_libc_version"
    function = getattr(ctypes.CDLL(None), name)
    function.restype = ctypes.c_char_p
    found = function()
    assert isinstance(found, bytes)
    return found


# -------------------------------------------------------------------------------------- host math
# Functions of numbers that nobody works out exactly: sin, exp, pow ... C17 7.12.4 to 7.12.12.
#
#     sin(1.0)    ->   what this machine's C library says, which is what a native run sees
#     sin(x)      ->   x is pinned to one value (an event), then the same
#     sqrt(x)     ->   a term: it is rounded once, on every machine alike
#
# ``double`` has the plain name, ``float`` and ``long double`` an f and an l behind it.


models = Registry()

ERRNO = "__csgtest_errno"
SIGN_OF_GAMMA = "signgam"
OUT_OF_DOMAIN = 33
MOST_STEPS = 1 << 20  # the library takes one for each order of a Bessel function
WIDTHS = {"": 64, "f": 32, "l": 80}
SHAPES = (  # as host_library.py reads them
    (
        "x",
        "acos acosh asin asinh atan atanh cbrt cos cosh erf erfc exp exp10 exp2 expm1 log log10 "
        "log1p log2 sin sinh tan tanh tgamma j0 j1 y0 y1 significand",
    ),
    ("xx", "atan2 fmod hypot pow remainder drem"),
    ("xxx", "fma"),
    ("ix", "jn yn"),
    ("xxI", "remquo"),
)


def _calculated(
    context: Context, name: str, width: int, shape: str, values: list[int], targets: list[int]
) -> int:
    answer = call(name, width, shape, values)
    for target, written in zip(targets, answer.written, strict=True):
        context.store(target, 4, written & 0xFFFFFFFF)
    if answer.errno:
        context.store(context.global_address(ERRNO), 4, answer.errno)
    return answer.pattern


def _register(name: str, width: int, shape: str) -> None:
    written = [str(index) for index, letter in enumerate(shape) if letter == "I"]
    effects = f"writes {' '.join(written)}" if written else "nothing"

    @models(name, effects=effects, needs=(ERRNO,))
    def calculate(context: Context, arguments: Arguments) -> Model:
        values, targets = [], []
        for letter, argument in zip(shape, arguments, strict=False):
            if letter == "I":
                targets.append((yield from place(argument)))
                continue
            values.append((yield from pin(argument, f"an argument of {name}")))
            if letter == "i" and abs(signed(values[-1], 32)) > MOST_STEPS:
                yield End(Unsupported(f"{name} of so high an order: {signed(values[-1], 32)}"))
        return _calculated(context, name, width, shape, values, targets)


def _register_gamma(name: str, suffix: str) -> None:
    @models(name, effects="nothing", needs=(ERRNO, SIGN_OF_GAMMA))
    def calculate(context: Context, arguments: Arguments) -> Model:
        """lgamma: the logarithm; ``signgam`` gets the sign of the gamma function."""
        number = yield from pin(arguments[0], f"an argument of {name}")
        targets = [context.global_address(SIGN_OF_GAMMA)]
        return _calculated(context, f"lgamma{suffix}_r", WIDTHS[suffix], "xI", [number], targets)


def _register_sine_and_cosine(suffix: str) -> None:
    @models(f"sincos{suffix}", effects="writes 1 2", needs=(ERRNO,))
    def calculate(context: Context, arguments: Arguments) -> Model:
        width = WIDTHS[suffix]
        number = yield from pin(arguments[0], f"an argument of sincos{suffix}")
        sine = yield from place(arguments[1])
        cosine = yield from place(arguments[2])
        for name, target in (("sin", sine), ("cos", cosine)):
            pattern = _calculated(context, name + suffix, width, "x", [number], [])
            context.store(target, width // 8, pattern)
        return None


def _register_root(suffix: str) -> None:
    @models(f"sqrt{suffix}", effects="nothing", needs=(ERRNO,))
    def calculate(context: Context, arguments: Arguments) -> Model:
        width, number = WIDTHS[suffix], arguments[0]
        negative = plain(float_compare("lt", width, number, 0))
        if negative != 0:
            address = context.global_address(ERRNO)
            before = context.load(address, 4)
            context.store(address, 4, choice(negative, OUT_OF_DOMAIN, before, 32))
        return plain(float_unary("sqrt", width, number))
        yield


for _suffix, _width in WIDTHS.items():
    for _shape, _names in SHAPES:
        for _name in _names.split():
            _register(_name + _suffix, _width, _shape)
    _register(f"lgamma{_suffix}_r", _width, "xI")
    _register_gamma(f"lgamma{_suffix}", _suffix)
    _register_gamma(f"gamma{_suffix}", _suffix)
    _register_sine_and_cosine(_suffix)
    _register_root(_suffix)
