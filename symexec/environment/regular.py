"""POSIX regular expressions: regcomp, regexec, regfree, regerror.

    regcomp(&r, "a*b", 0)                ->   r holds a copy of the expression
    regexec(&r, "xaab", 1, m, 0)         ->   0, m[0] is 1 .. 4

A symbolic text is matched by questions about its bytes; a symbolic expression is pinned (an event).
"""

from __future__ import annotations

from symexec.environment.contract import Arguments, Context, End, Model, Registry
from symexec.environment.operands import Asking, pin, place, signed
from symexec.environment.regular_match import NOWHERE, Matcher
from symexec.environment.regular_syntax import BadPattern, Pattern, parse
from symexec.environment.strings import read_bytes, read_string, write_bytes
from symexec.state.endings import Aborted, Unsupported

models = Registry()

EXTENDED, ICASE, NEWLINE, NOSUB = 1, 2, 4, 8
NOTBOL, NOTEOL, STARTEND = 1, 2, 4
SIZE, HELD, FLAGS, GROUPS = 64, 0, 8, 48  # of a regex_t, and offsets in it; re_nsub is glibc's
NO_MATCH = 1
MESSAGES = (
    b"Success",
    b"No match",
    b"Invalid regular expression",
    b"Invalid collation character",
    b"Invalid character class name",
    b"Trailing backslash",
    b"Invalid back reference",
    b"Unmatched [, [^, [:, [., or [=",
    b"Unmatched ( or \\(",
    b"Unmatched \\{",
    b"Invalid content of \\{\\}",
    b"Invalid range end",
    b"Memory exhausted",
    b"Invalid preceding regular expression",
    b"Premature end of regular expression",
    b"Regular expression too big",
    b"Unmatched ) or \\)",
)


def _parsed(text: bytes, flags: int) -> Pattern:
    return parse(text, bool(flags & EXTENDED), bool(flags & ICASE), bool(flags & NEWLINE))


def _known(context: Context, address: int) -> Asking[bytes]:
    text = yield from read_string(context, address)
    known = bytearray()
    for byte in text:
        known.append((yield from pin(byte, "a symbolic regular expression")))
    return bytes(known)


@models("regcomp")
def compile_expression(context: Context, arguments: Arguments) -> Model:
    target = yield from place(arguments[0])
    source = yield from place(arguments[1])
    flags = yield from pin(arguments[2], "the flags given to regcomp")
    text = yield from _known(context, source)
    try:
        pattern = _parsed(text, flags)
    except BadPattern as bad:
        return bad.number
    if pattern.has_references:
        yield End(Unsupported("a back reference in a regular expression"))
    copy = context.allocate(len(text) + 1, "heap", "regular expression")
    write_bytes(context, copy, [*text, 0])
    context.fill(target, SIZE, 0)
    context.store(target + HELD, 8, copy)
    context.store(target + FLAGS, 8, flags)
    context.store(target + GROUPS, 8, pattern.groups)
    return 0


@models("regexec")
def execute_expression(context: Context, arguments: Arguments) -> Model:
    compiled = yield from place(arguments[0])
    source = yield from place(arguments[1])
    room = yield from pin(arguments[2], "the number of matches asked of regexec")
    target = yield from place(arguments[3])
    flags = yield from pin(arguments[4], "the flags given to regexec")
    held = yield from place(context.load(compiled + HELD, 8))
    compiled_flags = yield from pin(context.load(compiled + FLAGS, 8), "a regex_t")
    pattern = _parsed((yield from _known(context, held)), compiled_flags)
    start = 0
    if flags & STARTEND:
        start = signed((yield from pin(context.load(target, 4), "the start of a text")), 32)
        end = signed((yield from pin(context.load(target + 4, 4), "the end of a text")), 32)
        text = read_bytes(context, source + start, end - start)
    else:
        text = yield from read_string(context, source)
    newline = bool(compiled_flags & NEWLINE)
    matcher = Matcher(text, newline, bool(flags & NOTBOL), bool(flags & NOTEOL))
    spans = yield from matcher.search(pattern)
    if spans is None:
        return NO_MATCH
    if not compiled_flags & NOSUB:
        for index in range(room):
            low, high = spans[index] if index < len(spans) else NOWHERE
            if low >= 0:
                low, high = low + start, high + start
            context.store(target + 8 * index, 4, low & 0xFFFFFFFF)
            context.store(target + 8 * index + 4, 4, high & 0xFFFFFFFF)
    return 0


@models("regfree")
def free_expression(context: Context, arguments: Arguments) -> Model:
    compiled = yield from place(arguments[0])
    held = yield from place(context.load(compiled + HELD, 8))
    if held:
        context.free(held)
        context.store(compiled + HELD, 8, 0)
    return None


@models("regerror")
def describe_error(context: Context, arguments: Arguments) -> Model:
    number = yield from pin(arguments[0], "the error given to regerror")
    target = yield from place(arguments[2])
    room = yield from pin(arguments[3], "the room given to regerror")
    if number >= len(MESSAGES):  # as glibc does
        yield End(Aborted())
    message = MESSAGES[number]
    if room:
        write_bytes(context, target, [*message[: room - 1], 0])
    return len(message) + 1
