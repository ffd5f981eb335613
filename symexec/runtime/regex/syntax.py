"""Regular expressions of POSIX (XBD 9) as trees, with what glibc adds: \\w \\s \\b \\< \\+ \\| ...

parse(b"a\\\\(b*\\\\)", extended=False)   ->   Sequence(Letter({a}), Group(1, Repeat(Letter({b}))))
"""

from __future__ import annotations

from csg.records import record

BAD_ESCAPE, BAD_REFERENCE, NO_BRACKET, NO_PARENTHESIS, NO_BRACE = 5, 6, 7, 8, 9
BAD_PATTERN, BAD_COLLATION, BAD_CLASS, BAD_BRACE, BAD_RANGE, TOO_LARGE, BAD_REPEAT = (
    2,
    3,
    4,
    10,
    11,
    15,
    13,
)
MOST_REPEATS = 0x7FFF

SPACE = frozenset(b" \t\n\v\f\r")
DIGIT = frozenset(b"0123456789")
UPPER = frozenset(range(ord("A"), ord("Z") + 1))
LOWER = frozenset(range(ord("a"), ord("z") + 1))
WORD = UPPER | LOWER | DIGIT | {ord("_")}
GRAPHIC = frozenset(range(33, 127))
ALL = frozenset(range(256))
CLASSES = {
    b"alpha": UPPER | LOWER,
    b"digit": DIGIT,
    b"alnum": UPPER | LOWER | DIGIT,
    b"upper": UPPER,
    b"lower": LOWER,
    b"space": SPACE,
    b"blank": frozenset(b" \t"),
    b"punct": GRAPHIC - UPPER - LOWER - DIGIT,
    b"print": GRAPHIC | {32},
    b"graph": GRAPHIC,
    b"cntrl": frozenset(range(32)) | {127},
    b"xdigit": DIGIT | frozenset(b"abcdefABCDEF"),
}


@record
class Letter:
    """One character out of a set."""

    members: frozenset[int]


@record
class Anchor:
    """``^ $ b B < > ` '``: a place between characters."""

    kind: str


@record
class Reference:
    """The text of a group again."""

    number: int


@record
class Group:
    number: int
    part: Tree


@record
class Sequence:
    parts: tuple[Tree, ...]


@record
class Choice:
    parts: tuple[Tree, ...]


@record
class Repeat:
    """``most`` None: without a bound."""

    part: Tree
    least: int
    most: int | None


Tree = Letter | Anchor | Reference | Group | Sequence | Choice | Repeat


class BadPattern(Exception):
    """The pattern is no regular expression; has the error number that regcomp returns."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


@record
class Pattern:
    tree: Tree
    groups: int
    has_references: bool


def parse(text: bytes, extended: bool, fold: bool = False, newline: bool = False) -> Pattern:
    """The tree of a pattern. ``fold``: capital letters match small ones; ``newline``: dots and
    ``[^...]`` do not match it."""
    reader = _Reader(text, extended, fold, newline)
    tree = reader.choice(0)
    return Pattern(tree, reader.groups, reader.has_references)


class _Reader:
    def __init__(self, text: bytes, extended: bool, fold: bool, newline: bool) -> None:
        self.text = text
        self.extended = extended
        self.fold = fold
        self.newline = newline
        self.place = 0
        self.groups = 0
        self.completed: set[int] = set()
        self.has_references = False

    # ------------------------------------------------------------------ tokens

    def token(self, place: int | None = None) -> bytes:
        """The token at a place: b"" at the end. An operator of a basic expression is returned
        without its backslash, as in an extended one; a literal that is no operator is returned
        escaped."""
        place = self.place if place is None else place
        one = self.text[place : place + 1]
        if one == b"\\":
            after = self.text[place + 1 : place + 2]
            if not after:
                raise BadPattern(BAD_ESCAPE)
            if not self.extended and after in b"(){}|+?":
                return after
            return one + after
        if not self.extended and one and one in b"(){}|+?":
            return b"\\" + one
        return one

    def take(self) -> bytes:
        token = self.token()
        self.place += 2 if self.text[self.place : self.place + 1] == b"\\" else len(token[:1])
        return token

    def is_caret(self, first: bool) -> bool:
        return self.extended or first or self.place == 0

    def is_dollar(self) -> bool:
        if self.extended or self.place + 1 == len(self.text):
            return True
        return self.token(self.place + 1) in (b"|", b")")

    # ------------------------------------------------------------------ grammar

    def choice(self, depth: int) -> Tree:
        parts = [self.branch(depth)]
        while self.token() == b"|":
            self.take()
            parts.append(self.branch(depth))
        return parts[0] if len(parts) == 1 else Choice(tuple(parts))

    def branch(self, depth: int) -> Tree:
        parts: list[Tree] = []
        first = True
        while True:
            token = self.token()
            if token in (b"", b"|") or (token == b")" and depth):
                return parts[0] if len(parts) == 1 else Sequence(tuple(parts))
            parts.append(self.piece(depth, first))
            first = False

    def piece(self, depth: int, first: bool) -> Tree:
        token = self.token()
        anchor = self._anchor(token, first)
        if anchor is not None:
            self.take()
            if anchor.kind == "^" and not self.extended and self.token() == b"*":
                self.take()
                return Sequence((anchor, self.repeated(self.letters(b"*"))))
            if anchor.kind in "^$" and self.extended and self.token() in (b"*", b"+", b"?", b"{"):
                raise BadPattern(BAD_REPEAT)
            return anchor
        return self.repeated(self.atom(depth))

    def _anchor(self, token: bytes, first: bool) -> Anchor | None:
        if (token == b"^" and self.is_caret(first)) or (token == b"$" and self.is_dollar()):
            return Anchor(token.decode())
        if len(token) == 2 and token[1:] in (b"b", b"B", b"<", b">", b"`", b"'"):
            return Anchor(token[1:].decode())
        return None

    def atom(self, depth: int) -> Tree:
        token = self.take()
        if token == b"(":
            self.groups += 1
            number = self.groups
            part = self.choice(depth + 1)
            if self.take() != b")":
                raise BadPattern(NO_PARENTHESIS)
            self.completed.add(number)
            return Group(number, part)
        if token == b")" and not self.extended:
            raise BadPattern(NO_PARENTHESIS)
        if token == b"{":
            raise BadPattern(BAD_REPEAT)
        if token in (b"*", b"+", b"?") and self.extended:
            raise BadPattern(BAD_REPEAT)
        if token == b"[":
            return self.bracket()
        if token == b".":
            return Letter(ALL - {0} - ({10} if self.newline else set()))
        if len(token) == 2:
            return self._escaped(token[1:])
        return self.letters(token)

    def _escaped(self, letter: bytes) -> Tree:
        if letter.isdigit() and letter != b"0":
            number = int(letter)
            if number not in self.completed:
                raise BadPattern(BAD_REFERENCE)
            self.has_references = True
            return Reference(number)
        named = {b"w": WORD, b"W": ALL - WORD, b"s": SPACE, b"S": ALL - SPACE}.get(letter)
        return self.letters(letter) if named is None else Letter(named)

    def letters(self, letter: bytes) -> Letter:
        return Letter(self.folded(frozenset(letter)))

    def folded(self, members: frozenset[int]) -> frozenset[int]:
        if not self.fold:
            return members
        swapped = {c ^ 32 for c in members if c in UPPER or c in LOWER}
        return members | swapped

    # ------------------------------------------------------------------ repetition

    def repeated(self, part: Tree) -> Tree:
        while True:
            token = self.token()
            match token:
                case b"*":
                    part = Repeat(part, 0, None)
                case b"+":
                    part = Repeat(part, 1, None)
                case b"?":
                    part = Repeat(part, 0, 1)
                case b"{":
                    pass
                case _:
                    return part
            self.take()
            if token == b"{":
                part = self.interval(part)
            if not self.extended and self.token() in (b"*", b"{"):
                raise BadPattern(BAD_REPEAT)

    def interval(self, part: Tree) -> Tree:
        least = self.number()
        most = least
        if not self.at_end and self.token() in (b",", b"\\,"):
            self.take()
            least, most = least or 0, self.number()
        if least is None or self.at_end or self.token() != b"}":
            raise BadPattern(self._error_of_interval())
        self.take()
        if most is not None and least > most:
            raise BadPattern(BAD_BRACE)
        if (least if most is None else most) > MOST_REPEATS:
            raise BadPattern(TOO_LARGE)
        return Repeat(part, least, most)

    @property
    def at_end(self) -> bool:
        return self.place >= len(self.text) or self.text[self.place :] == b"\\"

    def _error_of_interval(self) -> int:
        """The error number of an interval that is not closed, or not well formed."""
        while not self.at_end and self.token() not in (b"}", b",", b"\\,"):
            self.take()
        return NO_BRACE if self.at_end else BAD_BRACE

    def number(self) -> int | None:
        start = self.place
        while self.text[self.place : self.place + 1].isdigit():
            self.place += 1
        return int(self.text[start : self.place]) if self.place > start else None

    # ------------------------------------------------------------------ lists in brackets

    def bracket(self) -> Tree:
        excluded = self.text[self.place : self.place + 1] == b"^"
        self.place += excluded
        if self.place >= len(self.text):
            raise BadPattern(BAD_PATTERN)
        members: set[int] = set()
        first = True
        while first or self.text[self.place : self.place + 1] != b"]":
            self._element(members, first)
            first = False
        self.place += 1
        found = self.folded(frozenset(members))
        if excluded:
            found = ALL - found - ({10} if self.newline else set())
        return Letter(found)

    def _element(self, members: set[int], first: bool) -> None:
        if not first and self._rest(1) == b"-" and self._rest(2) != b"-]":
            raise BadPattern(BAD_RANGE)
        start = self._one()
        if not isinstance(start, frozenset):
            self._need()
            if self._rest(2) == b"-":
                raise BadPattern(NO_BRACKET)
            if self._rest(1) == b"-" and self._rest(2) != b"-]":
                self.place += 1
                members |= self._range(start, self._one(is_end=True))
                return
        members |= start if isinstance(start, frozenset) else {self._character(start)}

    def _range(self, start: bytes, end: bytes | frozenset[int]) -> set[int]:
        assert isinstance(end, bytes)
        low, high = self._character(start), self._character(end)
        if low > high:
            raise BadPattern(BAD_RANGE)
        return set(range(low, high + 1))

    def _rest(self, count: int) -> bytes:
        return self.text[self.place : self.place + count]

    def _character(self, name: bytes) -> int:
        if len(name) != 1:
            raise BadPattern(BAD_COLLATION)
        return name[0]

    def _need(self) -> None:
        if self.place >= len(self.text):
            raise BadPattern(NO_BRACKET)

    def _one(self, is_end: bool = False) -> bytes | frozenset[int]:
        """The name of a character, or a class ``[:alpha:]`` or ``[=a=]``."""
        self._need()
        kind = self.text[self.place + 1 : self.place + 2]
        if self._rest(1) != b"[" or kind not in (b":", b".", b"="):
            self.place += 1
            return self.text[self.place - 1 : self.place]
        end = self.text.find(kind + b"]", self.place + 2)
        if end < 0:
            raise BadPattern(NO_BRACKET)
        name = self.text[self.place + 2 : end]
        self.place = end + 2
        if kind == b".":
            return name
        if is_end:
            raise BadPattern(BAD_RANGE)
        if kind == b"=":
            return frozenset({self._character(name)})
        if name not in CLASSES:
            raise BadPattern(BAD_CLASS)
        return self._class(name)

    def _class(self, name: bytes) -> frozenset[int]:
        if self.fold and name in (b"upper", b"lower"):
            return CLASSES[b"alpha"]
        return CLASSES[name]
