"""What a run leaves behind in its working folder, and when two versions leave different files.

    old wrote "a" to A, new wrote x      ->   x != 97
    new made the file B, old did not     ->   true

Where that cannot be told the answer is "perhaps" (true), and native replay decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symexec.expr import Operand, conjunction, disjunction, negate
from symexec.runtime.contract import Context
from symexec.runtime.filesystem.nodes import (
    FILE,
    FOLDER,
    LINK,
    WORK,
    Contents,
    Node,
    changed_bytes,
    file_of,
    node,
    put_node,
)
from symexec.runtime.filesystem.open_files import APPEND
from symexec.runtime.operands import holds, plain
from symexec.runtime.stdio.streams import stream, streams
from symexec.state.endings import Exit, PathEnding, Returned
from symexec.state.state import Outcome

Store = Mapping[str, object]
Tree = dict[bytes, Node]


class _Entries:
    """An environment store that nothing runs on any more, as far as the file system asks."""

    def __init__(self, entries: Store) -> None:
        self._entries = dict(entries)

    def get(self, key: str, default: object = None) -> object:
        return self._entries.get(key, default)

    def put(self, key: str, value: object) -> None:
        self._entries[key] = value


def different_files(old: Outcome, new: Outcome) -> Operand:
    """The condition under which the versions leave different files behind."""
    untouched = _concerning_files(old.environment) == _concerning_files(new.environment)
    if untouched and type(old.ending) is type(new.ending):
        return 0
    left, right = _left(old.environment, old.ending), _left(new.environment, new.ending)
    if left is None or right is None:
        return 1
    parts: list[Operand] = []
    for name in sorted(left.keys() | right.keys()):
        parts.append(_differ(left.get(name), right.get(name)))
    return plain(disjunction(parts)) if parts else 0


def _concerning_files(entries: Store) -> dict[str, object]:
    return {key: item for key, item in entries.items() if key.startswith(("node", "stream"))}


def _left(entries: Store, ending: PathEnding) -> Tree | None:
    """What lies below the working folder, by path; None when that is not known."""
    context: Context = _Entries(entries)  # type: ignore[assignment]
    if isinstance(ending, Exit | Returned) and not _flush(context):
        return None
    start = context.get("start", WORK)
    assert isinstance(start, int)
    found: Tree = {}
    waiting = [(b"", start)]
    while waiting:
        prefix, folder = waiting.pop()
        for name, number in node(context, folder).entries:
            each = node(context, number)
            found[prefix + name] = each
            if each.kind == FOLDER:
                waiting.append((prefix + name + b"/", number))
    return found


def _flush(context: Context) -> bool:
    """What streams hold at a normal end goes into their files; False where it cannot be told how
    large those are."""
    for number in streams(context):
        before = stream(context, number)
        file = file_of(context, before.descriptor) if before.pending else None
        if file is None:
            continue
        target = node(context, file.node)
        size = target.contents.size
        if not isinstance(size, int) or file.clipped:
            return False
        if target.kind == FILE:
            place = size if file.flags & APPEND else file.position
            after = changed_bytes(target.contents, size, place, list(before.pending))
            put_node(context, file.node, replace(target, contents=after))
    return True


def _differ(old: Node | None, new: Node | None) -> Operand:
    if old is None or new is None:
        there = old or new
        return 1 if there is None else there.exists
    if old.kind != new.kind:
        return 1
    if old.kind == LINK:
        return int(old.target != new.target)
    if old.kind == FOLDER or old.contents == new.contents:
        return 0
    return _different_bytes(old.contents, new.contents)


def _unless(condition: Operand) -> Operand:
    return plain(negate(condition))


def _different_bytes(old: Contents, new: Contents) -> Operand:
    """Of another size, or another byte at a place that there is."""
    parts = [_unless(holds("eq", 32, old.size, new.size))]
    for place, (one, two) in enumerate(zip(old.bytes, new.bytes, strict=False)):
        if one is two:
            continue
        there = holds("ult", 32, place, old.size)
        other = _unless(holds("eq", 8, one, two))
        parts.append(plain(conjunction([there, other])))
    return plain(disjunction(parts))
