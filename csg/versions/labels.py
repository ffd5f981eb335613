"""Labels that stand in different places in the two versions.

    goto out;                       if (change(1, 0)) goto out__old; else goto out__new;
    p = &&out;               ->     p = change(&&out__old, &&out__new);
    out: (here, or further down)    out__old: ... out__new: ...

Labels align by name only. One that both versions leave over is two labels; a jump of one version
goes to its own, a jump that both have to the one of the version that runs.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

from csg.language.syntax import (
    Builtin,
    Change,
    Compound,
    ComputedGoto,
    Execute,
    Expression,
    Goto,
    If,
    Label,
    Statement,
    StringLiteral,
    Version,
)
from csg.language.traversal import rebuilt, walk
from csg.language.types import INT
from csg.versions.declared import CannotUnite
from csg.versions.edits import Edits
from csg.versions.neutral import neutral, reached_by


def marked(statement: Any, version: Version) -> Any:
    """The labels in a statement of one version, under that version's names."""
    if not any(isinstance(node, Label) for node in walk(statement)):
        return statement

    def renamed(node: Any) -> Any:
        if isinstance(node, Label):
            return replace(node, name=own_name(node.name, version))
        return rebuilt(node, renamed)

    return renamed(statement)


def own_name(name: str, version: Version) -> str:
    return f"{name}__{version.value.lower()}"


def settle_labels(body: Compound, edits: Edits) -> Compound:
    """Give every jump its label, and labels that did not double their own name back."""
    if not any(isinstance(node, Label | Goto | ComputedGoto | Builtin) for node in walk(body)):
        return body
    found = Counter(node.name for node in walk(body) if isinstance(node, Label))
    if any(count > 1 for count in found.values()):
        raise CannotUnite("a label stands in several places")
    settled: Compound = _Jumps(set(found), edits).node(body)
    return settled


class _Jumps:
    def __init__(self, labels: set[str], edits: Edits) -> None:
        self._labels = labels
        self._edits = edits
        self._version: Version | None = None

    def node(self, node: Any) -> Any:
        match node:
            case Label(name=name):
                return replace(node, name=self._shown(name))
            case Goto():
                return self._goto(node)
            case Builtin(name="label_address", arguments=(StringLiteral(value=label),)):
                return self._address(node, label.decode())
            case Change(old=old, new=new):
                before = self._only(Version.OLD, old)
                return replace(node, old=before, new=self._only(Version.NEW, new))
            case Execute(version=version):
                return self._only(version, node)
            case If():
                return self._if(node)
            case _:
                return rebuilt(node, self.node)

    def _only(self, version: Version | None, node: Any) -> Any:
        before = self._version
        self._version = version or before
        changed = self.node(node) if not isinstance(node, Execute) else rebuilt(node, self.node)
        self._version = before
        return changed

    def _if(self, node: If) -> If:
        condition = self.node(node.condition)
        then = self._only(reached_by(node.condition, True), node.then)
        otherwise = node.otherwise
        if otherwise is not None:
            otherwise = self._only(reached_by(node.condition, False), otherwise)
        return If(condition, then, otherwise, node.location)

    def _shown(self, name: str) -> str:
        """``out__old`` is ``out`` when nothing else has that name."""
        for version in Version:
            base = name.removesuffix(own_name("", version))
            if base != name:
                taken = {base, own_name(base, version.other)} & self._labels
                return name if taken else base
        return name

    def _target(self, name: str, version: Version) -> str | None:
        own = own_name(name, version)
        if own in self._labels:
            return self._shown(own)
        return name if name in self._labels else None

    def _targets(self, label: str) -> list[str]:
        """What ``label`` is called in the version that runs: one name, or old and new."""
        found: list[str] = []
        for version in Version:
            if self._version in (None, version):
                target = self._target(label, version)
                if target is None:
                    raise CannotUnite(f"the label '{label}' is missing")
                found.append(target)
        return found[:1] if len(set(found)) == 1 else found

    def _goto(self, node: Goto) -> Statement:
        names = self._targets(node.label)
        if len(names) == 1:
            return replace(node, label=names[0])
        edit = self._edits.record((node,), (node,), node.location)
        place = node.location
        jumps = [Compound((Goto(name, place),), place, place) for name in names]
        condition = Change(neutral(1), neutral(0), edit, INT, place)
        return If(condition, jumps[0], jumps[1], place)

    def _address(self, node: Builtin, label: str) -> Expression:
        found = [of_label(node, name) for name in self._targets(label)]
        if len(found) == 1:
            return found[0]
        edit = self._edits.record((node,), (node,), node.location)
        return Change(found[0], found[1], edit, node.type, node.location)


def of_label(node: Builtin, name: str) -> Builtin:
    (label,) = node.arguments
    assert isinstance(label, StringLiteral)
    return replace(node, arguments=(replace(label, value=name.encode()),))
