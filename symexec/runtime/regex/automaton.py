"""The automaton of a regular expression, and the groups of a match as glibc's regexec tells them.

    Automaton(parse(b"(a|ab)(c|bcd)(d*)"))    groups of "abcd":   (0, 1) (1, 4) (4, 4)

POSIX wants each part to be as long as the rest allows, from the left. glibc takes the first
alternative with which the whole match can end where it ends, and one round more of a repetition
where that is possible. An optional group that matches nothing keeps what it matched before.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from collections.abc import Sequence as Items

from csg.records import record
from symexec.runtime.regex.syntax import (
    Anchor,
    Choice,
    Group,
    Letter,
    Pattern,
    Reference,
    Repeat,
    Sequence,
    Tree,
)

Span = tuple[int, int]
NOWHERE = (-1, -1)


@record
class Open:
    number: int


@record
class Close:
    """``optional``: of the group of a repetition, in a round that need not be."""

    number: int
    optional: bool


@record
class Fork:
    """An alternative, or another round of a repetition."""


@record
class End:
    """The whole expression has matched."""


Node = Letter | Anchor | Open | Close | Fork | End


@record
class _Part:
    """The nodes of a part of an expression: the first, and those which the next part follows."""

    first: int
    ends: tuple[int, ...]


class EndlessError(Exception):
    """glibc goes round in circles for ever."""


class Automaton:
    """``followers``: of each node the ones behind it, in the order in which glibc tries them."""

    def __init__(self, pattern: Pattern) -> None:
        self.nodes: list[Node] = []
        self.followers: list[tuple[int, ...]] = []
        self.copies: dict[int, int] = {}  # of ((a)) the inner group has the span of the outer one
        whole = self._build(pattern.tree, is_copy=False)
        self.last = self._add(End())
        if whole is not None:
            self._follow(whole.ends, self.last)
        self.first = self.last if whole is None else whole.first
        self.anchors = frozenset(
            at for at, node in enumerate(self.nodes) if isinstance(node, Anchor)
        )

    def _add(self, node: Node, followers: tuple[int, ...] = ()) -> int:
        self.nodes.append(node)
        self.followers.append(followers)
        return len(self.nodes) - 1

    def _follow(self, ends: Items[int], follower: int) -> None:
        """glibc tries nodes in the order of their places in the expression."""
        for end in ends:
            self.followers[end] = tuple(sorted({*self.followers[end], follower}))

    def _build(self, tree: Tree, is_copy: bool, optional: bool = False) -> _Part | None:
        """The part of a tree, None if it is empty. ``is_copy``: in another round of a
        repetition, where glibc takes no group for optional but the one that is repeated."""
        match tree:
            case Letter() | Anchor():
                node = self._add(tree)
                return _Part(node, (node,))
            case Group(number=number, part=inner):
                if isinstance(inner, Group):
                    self.copies[inner.number] = number
                    inner = inner.part
                start = self._add(Open(number))
                body = self._build(inner, is_copy)
                node = self._add(Close(number, optional))
                end = _Part(node, (node,))
                return self._join(_Part(start, (start,)), self._join(body, end))
            case Sequence(parts=parts):
                joined: _Part | None = None
                for part in parts:
                    joined = self._join(joined, self._build(part, is_copy))
                return joined
            case Choice(parts=parts):
                chosen = self._build(parts[0], is_copy)
                for part in parts[1:]:
                    chosen = self._fork(chosen, self._build(part, is_copy))
                return chosen
            case Repeat():
                return self._repeat(tree, is_copy)
            case Reference():
                raise AssertionError("a reference is refused beforehand")

    def _join(self, before: _Part | None, after: _Part | None) -> _Part | None:
        if before is None or after is None:
            return after if before is None else before
        self._follow(before.ends, after.first)
        return _Part(before.first, after.ends)

    def _fork(self, left: _Part | None, right: _Part | None) -> _Part:
        parts = [part for part in (left, right) if part is not None]
        node = self._add(Fork(), tuple(sorted(part.first for part in parts)))
        ends = [end for part in parts for end in part.ends]
        return _Part(node, (*ends, *([node] if len(parts) < 2 else [])))

    def _repeat(self, tree: Repeat, is_copy: bool) -> _Part | None:
        """``a{2,4}`` is ``aa((a?)a)?``, as glibc has it; ``a+`` is ``aa*``."""
        if tree.most == 0:
            return None
        needed: _Part | None = None
        for round_ in range(tree.least):
            needed = self._join(needed, self._build(tree.part, is_copy or round_ > 0))
        if tree.most == tree.least:
            return needed
        more = self._build(tree.part, is_copy or tree.least > 0, optional=not is_copy)
        if more is None:
            return needed
        if tree.most is None:
            node = self._add(Fork(), (more.first,))
            self._follow(more.ends, node)
            return self._join(needed, _Part(node, (node,)))
        more = self._fork(more, None)
        for _ in range(tree.least + 1, tree.most):
            more = self._fork(self._join(more, self._build(tree.part, is_copy=True)), None)
        return self._join(needed, more)

    def behind_letters(self, nodes: Iterable[int]) -> list[int]:
        """The nodes behind the letters among some nodes, which a match is at one place further."""
        letters = (node for node in nodes if isinstance(self.nodes[node], Letter))
        return sorted({self.followers[node][0] for node in letters})

    # ------------------------------------------------------------------ who matched what

    def spans(self, reached: Items[frozenset[int]], start: int, groups: int) -> list[Span]:
        """The spans of the match and its groups. ``reached``: the nodes that a match from ``start``
        can pass, at each place up to its end."""
        end = start + len(reached) - 1
        without = self.closure(self._seeds(reached), self.anchors)
        last = reached[-1] & without if self.last in without else reached[-1]
        alive = self._alive([*reached[:-1], last])  # glibc ends a match without an anchor if it can
        if not groups:
            return [(start, end)]
        spans = [NOWHERE] * (groups + 1)
        spans[0] = (start, end)
        before, node, at, passed, circling = [*spans], self.first, start, set[int](), 0
        while True:
            before = self._note(self.nodes[node], at, spans, before)
            if node == self.last:
                break
            if isinstance(self.nodes[node], Letter):
                (node,), at, passed = self.followers[node], at + 1, set()
                continue
            circling = circling + 1 if node in passed else 0
            if circling > len(self.nodes):
                raise EndlessError
            passed.add(node)
            ways = [each for each in self.followers[node] if each in alive[at - start]]
            node = ways[1] if len(ways) > 1 and ways[0] in passed else ways[0]
        for inner, outer in self.copies.items():
            spans[inner] = spans[outer]
        return spans

    def _seeds(self, reached: Items[frozenset[int]]) -> list[int]:
        """The nodes that a match comes to at its end."""
        return self.behind_letters(reached[-2]) if len(reached) > 1 else [self.first]

    def has_several_ends(self, reached: Items[frozenset[int]]) -> bool:
        """Can the match end by several ways through anchors, which differ for glibc?"""
        seeds, anchors = self._seeds(reached), self.anchors & reached[-1]
        if self.last in self.closure(seeds, anchors):
            return False
        return any(
            self.last in self.closure([anchor]) and self.last in self.closure(seeds, {anchor})
            for anchor in anchors
        )

    def closure(self, seeds: Iterable[int], barred: Set[int] = frozenset()) -> frozenset[int]:
        """Some nodes and those behind them that no letter is before, nor one that is ``barred``."""
        waiting, found = [*seeds], set[int]()
        while waiting:
            node = waiting.pop()
            if node not in found and node not in barred:
                found.add(node)
                if not isinstance(self.nodes[node], Letter):
                    waiting += self.followers[node]
        return frozenset(found)

    def has_inner_anchor(self) -> bool:
        """Is there an anchor between letters, a ^ behind or a $ before one? glibc takes any newline
        for the end of a line there, and places within words for their ends."""
        letters = {at for at, node in enumerate(self.nodes) if isinstance(node, Letter)}
        behind = self.closure(self.behind_letters(letters))
        for at in self.anchors:
            before = not letters.isdisjoint(self.closure([at]))
            if (at in behind and (before or self.nodes[at] == Anchor("^"))) or (
                before and self.nodes[at] == Anchor("$")
            ):
                return True
        return False

    def _note(self, node: Node, at: int, spans: list[Span], before: list[Span]) -> list[Span]:
        """Note a group that begins or ends. Returns the spans when a group last had matched some
        text."""
        match node:
            case Open(number=number):
                spans[number] = (at, -1)
            case Close(number=number, optional=optional):
                if spans[number][0] < at:
                    spans[number] = (spans[number][0], at)
                    return [*spans]
                if optional and before[number][0] != -1:
                    spans[:] = before
                else:
                    spans[number] = (spans[number][0], at)
            case _:
                pass
        return before

    def _alive(self, reached: Items[frozenset[int]]) -> list[set[int]]:
        """Of the nodes at each place, those from which the match can end where it ends."""
        alive: list[set[int]] = []
        after: set[int] = set()
        for nodes in reversed(reached):
            here = {
                node
                for node in nodes
                if isinstance(self.nodes[node], Letter) and self.followers[node][0] in after
            }
            if not alive:
                here = {self.last}
            grown = True
            while grown:
                more = {
                    node
                    for node in nodes - here
                    if not isinstance(self.nodes[node], Letter)
                    and not here.isdisjoint(self.followers[node])
                }
                here |= more
                grown = bool(more)
            alive.append(here)
            after = here
        return alive[::-1]
