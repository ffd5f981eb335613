"""The token pass for GNU C: what the parser's grammar has no place for is taken out and noted.

    __extension__ typedef int pair[2] __attribute__ ((aligned (16), unused));

becomes ``typedef int pair [2]`` and one token that holds ``aligned (16)``; ``unused`` is noted as
dropped. asm with all its operands becomes one token, and so does a pragma about packing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from csg.errors import ParseError
from csg.frontend.tokens import GnuAttribute, Token
from csg.source import Location

# Attributes with a meaning for types or control flow; others are noted and left out.
_LINKING = frozenset({"constructor", "destructor", "weak", "alias"})
_KEPT = _LINKING | {
    "noreturn", "_Noreturn", "packed", "aligned", "mode", "vector_size", "cleanup",
    "transparent_union",
}  # fmt: skip
_ASM_WORDS = frozenset({"VOLATILE", "GOTO", "INLINE"})
_STATEMENT_BEGINS = frozenset({"SEMI", "LBRACE", "RBRACE", "COLON", "RPAREN", "ELSE", "DO"})
_OPERAND_ENDS = frozenset({"ID", "TYPEID", "RPAREN", "RBRACKET", "PLUSPLUS", "MINUSMINUS"})
_OPENING = {"LPAREN": 1, "LBRACKET": 1, "LBRACE": 1, "RPAREN": -1, "RBRACKET": -1, "RBRACE": -1}

Dropped = list[tuple[Location, str]]


def standard_tokens(tokens: Iterable[Token], dropped: Dropped) -> list[Token]:
    """The tokens that the parser reads; what is left out is appended to ``dropped``."""
    return list(_GnuPass(iter(tokens), dropped).run())


class _GnuPass:
    """Copies tokens; a class of token with an entry in ``_RULES`` is treated by its rule."""

    def __init__(self, tokens: Iterator[Token], dropped: Dropped) -> None:
        self.tokens = tokens
        self.dropped = dropped
        self.waiting: Token | None = None  # read, but not yet treated
        self.depth = 0  # of braces
        self.own_labels: list[tuple[int, dict[str, str]]] = []  # depth of a block, its labels
        self.count = 0  # of labels that blocks of this function have to themselves

    def run(self) -> Iterator[Token]:
        for token in self._treated():
            if token.type in ("LBRACE", "RBRACE"):
                self._braces(token)
            yield token

    def _treated(self) -> Iterator[Token]:
        before = beyond = ""  # the types of the last two tokens
        while (token := self.next()) is not None:
            if self.own_labels and token.type == "ID":
                self._rename(token, before, beyond)
            before, beyond = token.type, before
            rule = _RULES.get(token.type)
            if rule is None:
                yield token
            elif (result := rule(self, token)) is not None:
                yield result

    def next(self) -> Token | None:
        if self.waiting is not None:
            token, self.waiting = self.waiting, None
            return token
        return next(self.tokens, None)

    def drop(self, location: Location, what: str) -> None:
        self.dropped.append((location, what))

    # ------------------------------------------------------------------ rules

    def extension(self, token: Token) -> Token | None:
        return None

    def attribute(self, token: Token) -> Token | None:
        """``__attribute__ ((a, b (1)))``: one token with those that are kept, or none."""
        inner = self.parenthesized(token)
        if len(inner) >= 2 and inner[0].type == "LPAREN":
            inner = inner[1:-1]
        return self._kept(token, list(_attributes(inner)))

    def bracket(self, token: Token) -> Token | None:
        """``[[noreturn]]`` of C23; two opening brackets start nothing else."""
        following = self.next()
        if following is None or following.type != "LBRACKET":
            self.waiting = following
            return token
        inner = self._until_closed(2, token)
        return self._kept(token, list(_attributes(inner[:-2])))

    def asm(self, token: Token) -> Token | None:
        """``asm volatile ("...")``, or the name that ``int f() asm ("g")`` has for linking."""
        following = self.next()
        while following is not None and following.type in _ASM_WORDS:
            following = self.next()
        self.waiting = following
        inner = self.parenthesized(token)
        token.value = f"asm ({' '.join(t.value for t in inner)})"
        return token

    def local_labels(self, token: Token) -> Token | None:
        """``__label__ a, b;``: labels that the block has to itself get names that no other has."""
        if not self.own_labels or self.own_labels[-1][0] != self.depth:
            self.own_labels.append((self.depth, {}))
        while (following := self.next()) is not None and following.type != "SEMI":
            if following.type == "ID":
                self.count += 1
                self.own_labels[-1][1][following.value] = f"{following.value}__own{self.count}"
        return None

    def _braces(self, token: Token) -> None:
        self.depth += 1 if token.type == "LBRACE" else -1
        while self.own_labels and self.own_labels[-1][0] > self.depth:
            self.own_labels.pop()
        if not self.depth:
            self.count = 0

    def _rename(self, token: Token, before: str, beyond: str) -> None:
        """A name is a label behind ``goto``, behind ``&&`` that no operand stands before, and in
        front of a colon where a statement begins."""
        label = before == "GOTO" or (before == "LAND" and beyond not in _OPERAND_ENDS)
        if before in _STATEMENT_BEGINS:
            self.waiting = self.next()
            label = self.waiting is not None and self.waiting.type == "COLON"
        if label:
            for _, names in reversed(self.own_labels):
                if token.value in names:
                    token.value = names[token.value]
                    return

    def pragma(self, token: Token) -> Token | None:
        words = token.value[1:].split(None, 1)
        if words[:1] != ["pragma"]:
            raise ParseError(f"directive '{token.value}' after preprocessing", token.location)
        if len(words) > 1 and words[1].startswith("pack"):
            token.value = words[1]
            token.type = "PACK"
            return token
        self.drop(token.location, token.value)
        return None

    # ------------------------------------------------------------------ parts

    def parenthesized(self, owner: Token) -> list[Token]:
        """The tokens within the parentheses that must follow."""
        opening = self.next()
        if opening is None or opening.type != "LPAREN":
            raise ParseError(f"'(' expected after '{owner.value}'", owner.location)
        return self._until_closed(1, owner)[:-1]

    def _until_closed(self, depth: int, owner: Token) -> list[Token]:
        inner: list[Token] = []
        while depth > 0:
            token = self.next()
            if token is None:
                raise ParseError(f"'{owner.value}' is not closed", owner.location)
            depth += _OPENING.get(token.type, 0)
            inner.append(token)
        return inner

    def _kept(self, token: Token, attributes: list[GnuAttribute]) -> Token | None:
        for attribute in attributes:
            if attribute.name not in _KEPT:
                self.drop(attribute.location, f"__attribute__(({attribute.name}))")
        kept = tuple(a for a in attributes if a.name in _KEPT)
        if not kept:
            return None
        return Token("_ALIGNAS", "__attribute__", *_place(token), kept)


def _place(token: Token) -> tuple[int, int, str]:
    return token.lineno, token.column, token.filename


def _attributes(tokens: list[Token]) -> Iterator[GnuAttribute]:
    """Cut an attribute list at its commas."""
    depth = 0
    part: list[Token] = []
    for token in [*tokens, Token("COMMA", ",", 0, 0, "")]:
        if token.type == "COMMA" and depth == 0:
            if [t.type for t in part[1:3]] == ["COLON", "COLON"]:  # gnu::packed
                part = part[3:]
            if part:
                yield GnuAttribute(part[0].value.strip("_"), part[2:-1], part[0].location)
            part = []
        else:
            depth += _OPENING.get(token.type, 0)
            part.append(token)


_RULES: dict[str, Callable[[_GnuPass, Token], Token | None]] = {
    "EXTENSION": _GnuPass.extension,
    "ATTRIBUTE": _GnuPass.attribute,
    "LBRACKET": _GnuPass.bracket,
    "ASM": _GnuPass.asm,
    "LOCAL_LABELS": _GnuPass.local_labels,
    "PRAGMA": _GnuPass.pragma,
}
