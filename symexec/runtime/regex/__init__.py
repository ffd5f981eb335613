"""Regular expressions of POSIX: their syntax, and regcomp, regexec."""

from __future__ import annotations

from collections.abc import Sequence as Items

from symexec.expr import Operand, binary, conjunction
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
from symexec.runtime.regex.syntax import (
    WORD,
    Anchor,
    BadPattern,
    Choice,
    Group,
    Letter,
    Pattern,
    Reference,
    Repeat,
    Sequence,
    Tree,
    parse,
)
from symexec.state.endings import Aborted, Unsupported

# ---------------------------------------------------------------------------------- regular match
# Where a regular expression matches a text: the leftmost place, the longest there, POSIX XBD 9.1.
#
#     search(parse(b"(a|ab)(c|bcd)*"), b"xabcd")   ->   [(1, 5), (1, 3), (3, 4)] or the like
#
# For each part and place the ends that the part can have are worked out once. A symbolic byte
# costs one request for each set of characters that it is compared with. Then the match is taken
# apart from the left: each part is as long as the rest allows.


Span = tuple[int, int]
NOWHERE = (-1, -1)


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
        self._ends: dict[tuple[int, int, int], frozenset[int]] = {}
        self._trees: list[Tree] = []  # so that no other tree gets the identity of a known one
        self._tests: dict[tuple[frozenset[int], int], bool] = {}

    def search(self, pattern: Pattern) -> Asking[list[Span] | None]:
        """The span of the whole match and of each group; None when there is no match."""
        for start in range(len(self.text) + 1):
            ends = yield from self.ends(pattern.tree, start)
            if ends:
                spans = [NOWHERE] * (pattern.groups + 1)
                spans[0] = (start, max(ends))
                yield from self._assign(pattern.tree, start, max(ends), spans)
                return spans
        return None

    # ------------------------------------------------------------------ one character

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

    # ------------------------------------------------------------------ where a part can end

    def ends(self, tree: Tree, start: int, part: int = 0) -> Asking[frozenset[int]]:
        """The ends that a part can have when it starts at ``start``. ``part``: of a sequence, the
        first item that is still to come; of a repetition, how often it has been done."""
        key = (id(tree), start, part)
        if key not in self._ends:
            found = yield from self._ends_of(tree, start, part)
            self._ends[key] = found
            self._trees.append(tree)
        return self._ends[key]

    def _ends_of(self, tree: Tree, start: int, part: int) -> Asking[frozenset[int]]:
        match tree:
            case Letter(members=members):
                fits = start < len(self.text) and (yield from self._is_in(start, members))
                return frozenset({start + 1}) if fits else frozenset()
            case Anchor(kind=kind):
                return frozenset({start}) if (yield from self._holds(kind, start)) else frozenset()
            case Group(part=inner):
                return (yield from self.ends(inner, start))
            case Choice(parts=parts):
                found: frozenset[int] = frozenset()
                for each in parts:
                    found |= yield from self.ends(each, start)
                return found
            case Sequence(parts=parts):
                return (yield from self._through(parts[part:], start))
            case Repeat():
                return (yield from self._repeated(tree, start, part))
            case Reference():
                raise AssertionError("a reference is refused beforehand")

    def _through(self, parts: Items[Tree], start: int) -> Asking[frozenset[int]]:
        places = frozenset({start})
        for each in parts:
            following: frozenset[int] = frozenset()
            for at in sorted(places):
                following |= yield from self.ends(each, at)
            places = following
        return places

    def _repeated(self, tree: Repeat, start: int, done: int) -> Asking[frozenset[int]]:
        places, found = frozenset({start}), set[int]()
        count = done
        seen: set[int] = set()
        while places:
            if count >= tree.least:
                found |= places
                if tree.most is None:
                    places -= seen
                    seen |= places
            if tree.most is not None and count >= tree.most:
                break
            following: frozenset[int] = frozenset()
            for at in sorted(places):
                following |= yield from self.ends(tree.part, at)
            if count >= tree.least and following <= found:
                break
            places = following
            count += 1
        return frozenset(found)

    # ------------------------------------------------------------------ who matched what

    def _assign(self, tree: Tree, start: int, end: int, spans: list[Span]) -> Asking[None]:
        pending: list[tuple[Tree, int, int]] = [(tree, start, end)]
        while pending:
            here, low, high = pending.pop()
            match here:
                case Group(number=number, part=inner):
                    spans[number] = (low, high)
                    pending.append((inner, low, high))
                case Choice(parts=parts):
                    for each in parts:
                        if high in (yield from self.ends(each, low)):
                            pending.append((each, low, high))
                            break
                case Sequence():
                    cuts = yield from self._cut_sequence(here, low, high)
                    pending += reversed(cuts)
                case Repeat():
                    cuts = yield from self._cut_repeat(here, low, high)
                    pending += reversed(cuts)
                case _:
                    pass

    def _cut_sequence(
        self, tree: Sequence, start: int, end: int
    ) -> Asking[list[tuple[Tree, int, int]]]:
        cuts: list[tuple[Tree, int, int]] = []
        at = start
        for index, part in enumerate(tree.parts):
            ends = yield from self.ends(part, at)
            for cut in sorted(ends, reverse=True):
                if cut <= end and end in (yield from self.ends(tree, cut, index + 1)):
                    break
            cuts.append((part, at, cut))
            at = cut
        return cuts

    def _cut_repeat(
        self, tree: Repeat, start: int, end: int
    ) -> Asking[list[tuple[Tree, int, int]]]:
        """The rounds of a repetition in a match. An empty round counts only where the minimum
        requires it, or if it is the only one."""
        cuts: list[tuple[Tree, int, int]] = []
        at, count = start, 0
        while at != end or count < tree.least or (count == 0 and tree.most != 0):
            ends = yield from self.ends(tree.part, at)
            done = min(count + 1, tree.least) if tree.most is None else count + 1
            for cut in sorted(ends, reverse=True):
                if cut <= end and end in (yield from self.ends(tree, cut, done)):
                    break
            else:
                break
            cuts.append((tree.part, at, cut))
            at, count = cut, count + 1
        return cuts


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
