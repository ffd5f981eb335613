"""Regular expressions of POSIX: their syntax, and regcomp, regexec."""

from __future__ import annotations

from collections.abc import Sequence as Items

from symexec.expr import Operand, binary, conjunction
from symexec.ledger import Reason
from symexec.memory import AllocationKind
from symexec.runtime.contract import Arguments, Context, End, Model, Registry
from symexec.runtime.operands import (
    Asking,
    decide,
    holds,
    pin,
    place,
    plain,
    read_bytes,
    read_string,
    signed,
    write_bytes,
)
from symexec.runtime.regex.automaton import NOWHERE, Automaton, EndlessError, Node, Span
from symexec.runtime.regex.syntax import (
    BAD_PATTERN,
    WORD,
    Anchor,
    BadPattern,
    Letter,
    Pattern,
    parse,
)
from symexec.state.endings import Aborted, Unsupported

# ---------------------------------------------------------------------------------- regular match
# Where a regular expression matches a text: the leftmost place, the longest there, POSIX XBD 9.1.
#
#     search(Automaton(parse(b"(a|ab)(c|bcd)*")), 2)   of xabcd   ->   [(1, 5), (1, 2), (2, 5)]
#
# For each place the nodes of the automaton that a match can be at are worked out once. A symbolic
# byte costs one request for each set of characters that it is compared with.


class Matcher:
    """Matches a text. ``not_begin`` and ``not_end``: the ends of the text are not ends of a line;
    ``newline``: its lines have ends of their own."""

    def __init__(
        self, text: Items[Operand], newline: bool = False, not_begin: bool = False,
        not_end: bool = False,
    ) -> None:  # fmt: skip
        self.text = text
        self.newline = newline
        self.not_begin = not_begin
        self.not_end = not_end
        self.is_doubtful = False  # may glibc find another match?
        self._tests: dict[tuple[frozenset[int], int], bool] = {}

    def search(
        self, automaton: Automaton, groups: int, first: int = 0
    ) -> Asking[list[Span] | None]:
        """The span of the whole match, which begins at ``first`` or behind it, and of each group;
        None when there is no match."""
        self.is_doubtful = automaton.has_inner_anchor()
        for start in range(first, len(self.text) + 1):
            reached = yield from self._reach(automaton, start)
            if reached:
                self.is_doubtful |= groups > 0 and automaton.has_several_ends(reached)
                return automaton.spans(reached, start, groups)
        return None

    def _reach(self, automaton: Automaton, start: int) -> Asking[list[frozenset[int]]]:
        """The nodes that a match from a place can pass, at each place to the end of the longest
        one; none if nothing matches."""
        reached: list[frozenset[int]] = []
        longest = 0
        waiting = [automaton.first]
        for at in range(start, len(self.text) + 1):
            here: set[int] = set()
            seen: set[int] = set()
            while waiting:
                number = waiting.pop()
                if number not in seen:
                    seen.add(number)
                    if (yield from self._passes(automaton.nodes[number], at)):
                        here.add(number)
                        if not isinstance(automaton.nodes[number], Letter):
                            waiting += automaton.followers[number]
            reached.append(frozenset(here))
            if automaton.last in here:
                longest = len(reached)
            waiting = automaton.behind_letters(here)
            if not waiting:
                break
        return reached[:longest]

    # ------------------------------------------------------------------ one character

    def _passes(self, node: Node, at: int) -> Asking[bool]:
        match node:
            case Letter(members=members):
                return at < len(self.text) and (yield from self._is_in(at, members))
            case Anchor(kind=kind):
                return (yield from self._holds(kind, at))
            case _:
                return True

    def _is_in(self, at: int, members: frozenset[int]) -> Asking[bool]:
        byte = self.text[at]
        if isinstance(byte, int):
            return byte in members
        if (members, at) not in self._tests:
            self._tests[members, at] = yield from decide(membership(byte, members))
        return self._tests[members, at]

    def _is_word(self, at: int) -> Asking[bool]:
        return 0 <= at < len(self.text) and (yield from self._is_in(at, WORD))

    def _holds(self, kind: str, at: int) -> Asking[bool]:
        at_start, at_end = at == 0, at == len(self.text)
        match kind:
            case "^":
                if at_start:
                    return not self.not_begin
                return self.newline and (yield from self._is_in(at - 1, frozenset({10})))
            case "$":
                if at_end:
                    return not self.not_end
                return self.newline and (yield from self._is_in(at, frozenset({10})))
            case "`":
                return at_start
            case "'":
                return at_end
            case _:
                before = yield from self._is_word(at - 1)
                after = yield from self._is_word(at)
                return {
                    "b": before != after,
                    "B": before == after,
                    "<": after and not before,
                    ">": before and not after,
                }[kind]


def membership(byte: Operand, members: frozenset[int]) -> Operand:
    """The condition that a symbolic byte is one of a set, over the runs of the set or of its
    complement."""
    if len(members) > 128:
        return plain(binary("xor", 1, membership(byte, frozenset(range(256)) - members), 1))
    runs: list[tuple[int, int]] = []
    for value in sorted(members):
        if runs and runs[-1][1] == value - 1:
            runs[-1] = (runs[-1][0], value)
        else:
            runs.append((value, value))
    outside: list[Operand] = []
    for low, high in runs:
        if low == high:
            outside.append(holds("ne", 8, byte, low))
        else:
            distance = plain(binary("sub", 8, byte, low))
            outside.append(holds("ult", 8, high - low, distance))
    return plain(binary("xor", 1, plain(conjunction(outside)), 1)) if outside else 0


# ---------------------------------------------------------------------------------------- regular
# POSIX regular expressions: regcomp, regexec, regfree, regerror.
#
#     regcomp(&r, "a*b", 0)                ->   r holds a copy of the expression
#     regexec(&r, "xaab", 1, m, 0)         ->   0, m[0] is 1 .. 4
#
# A symbolic text is matched by requests about its bytes; a symbolic expression is pinned (an
# event).


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


@models("regcomp", effects="reads 1, writes 0, fresh")
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
    copy = context.allocate(len(text) + 1, AllocationKind.HEAP, "regular expression")
    write_bytes(context, copy, [*text, 0])
    context.fill(target, SIZE, 0)
    context.store(target + HELD, 8, copy)
    context.store(target + FLAGS, 8, flags)
    context.store(target + GROUPS, 8, pattern.groups)
    return 0


@models("regexec", effects="reads 0+ 1 3, writes 3")
def execute_expression(context: Context, arguments: Arguments) -> Model:
    compiled = yield from place(arguments[0])
    source = yield from place(arguments[1])
    room = yield from pin(arguments[2], "the number of matches asked of regexec")
    target = yield from place(arguments[3])
    flags = yield from pin(arguments[4], "the flags given to regexec")
    held = yield from place(context.load(compiled + HELD, 8))
    compiled_flags = yield from pin(context.load(compiled + FLAGS, 8), "a regex_t")
    pattern = _parsed((yield from _known(context, held)), compiled_flags)
    if flags & ~(NOTBOL | NOTEOL | STARTEND):
        return BAD_PATTERN
    start = 0
    if flags & STARTEND:
        start = signed((yield from pin(context.load(target, 4), "the start of a text")), 32)
        end = signed((yield from pin(context.load(target + 4, 4), "the end of a text")), 32)
        text = read_bytes(context, source, end)
    else:
        text = yield from read_string(context, source)
    newline = bool(compiled_flags & NEWLINE)
    matcher = Matcher(text, newline, bool(flags & NOTBOL), bool(flags & NOTEOL))
    groups = 0 if compiled_flags & NOSUB or room < 2 else pattern.groups
    try:
        spans = yield from matcher.search(Automaton(pattern), groups, start)
    except EndlessError:
        yield End(Unsupported("a regular expression that glibc never stops to match"))
        return NO_MATCH
    if matcher.is_doubtful:
        context.event(Reason.APPROXIMATED, "anchors within a regular expression")
    if spans is None:
        return NO_MATCH
    if not compiled_flags & NOSUB:
        for index in range(room):
            low, high = spans[index] if index < len(spans) else NOWHERE
            context.store(target + 8 * index, 4, low & 0xFFFFFFFF)
            context.store(target + 8 * index + 4, 4, high & 0xFFFFFFFF)
    return 0


@models("regfree", effects="reads 0, writes 0")
def free_expression(context: Context, arguments: Arguments) -> Model:
    compiled = yield from place(arguments[0])
    held = yield from place(context.load(compiled + HELD, 8))
    if held:
        context.free(held)
        context.store(compiled + HELD, 8, 0)
    return None


@models("regerror", effects="writes 2")
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
