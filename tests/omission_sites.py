"""Find every call that records an omission: in csg, symexec and fleet, and in the C models.

    state.note(Reason.CUT, text, place)         symexec/executor/accesses.py:_too_large:cut
    yield End(Unsupported("..."))               symexec/runtime/memory.py:_of_known_size:unsupported
    yield Dissent("b", place, ".data became")   csg/unify/object_code.py:_of_heads:any
    __csgtest_approximated("no time passes");   symexec/runtime/libc/waiting.c:poll:approximated

A site is named by its file, its function and its reason; of several that have one name, the second
ends in ``:2``. So a name stays when lines move.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("csg", "symexec", "fleet")
MODELS = "symexec/runtime/libc"

# Calls that record, whatever they are called on. Each has a line where it is defined, which is no
# site: there it makes the record out of its parameters.
RECORDERS = frozenset(
    (
        "_count_failure",
        "_forgotten",
        "_note_events",
        "_note_unseen",
        "_omit",
        "event",
        "note",
        "note_again",
        "refuse",
    )
)
# Whose ``note`` it is; others note something else.
NOTES_OF = ("state", "successor", "self._state", "pristine", "other")
# Generators of these record by what they yield.
YIELDED = frozenset(
    ("Iterator[Omission]", "Iterator[Dissent]", "Iterator[tuple[Omission, Operand]]")
)
# Counters that a ledger reads, each with its reason there.
COUNTED = {"self.counters.unknown": "unknown", "counters.branch_mismatches": "mismatched"}
# Where omissions are kept, read and written; nothing is left out there.
LEDGER = frozenset(("symexec/ledger.py", "symexec/report/model.py"))
C_RECORDERS = ("__csgtest_approximated", "__csgtest_unsupported")


@dataclass(frozen=True, slots=True)
class Site:
    """A recording call. ``begin`` and ``end``: the offsets of its statement in the file's text;
    ``instead``: the text of a statement that does nothing."""

    name: str
    file: Path
    line: int
    begin: int
    end: int
    instead: str

    def removed(self) -> str:
        """The text of the file without the call."""
        text = self.file.read_text()
        return text[: self.begin] + self.instead + text[self.end :]


def sites() -> list[Site]:
    """All sites, in the order of files and lines."""
    found = [
        site
        for package in PACKAGES
        for file in sorted((ROOT / package).rglob("*.py"))
        for site in python_sites(file)
    ]
    for file in sorted((ROOT / MODELS).glob("*.c")):
        found += c_sites(file)
    return found


# ------------------------------------------------------------------------------------------ Python


def python_sites(file: Path) -> list[Site]:
    shown = file.relative_to(ROOT).as_posix()
    if shown in LEDGER:
        return []
    text = file.read_text()
    starts = _starts(text)
    found = []
    tree = ast.parse(text)
    yielding = _yielding(tree)
    for function, statement in _statements(tree):
        reason = _recorded(statement)
        if reason is None and function in yielding:
            reason = _yielded(statement)
        if reason is None:
            continue
        begin = _offset(text, starts, statement.lineno, statement.col_offset)
        assert statement.end_lineno is not None and statement.end_col_offset is not None
        end = _offset(text, starts, statement.end_lineno, statement.end_col_offset)
        name = f"{shown}:{function}:{reason}"
        found.append((name, statement.lineno, begin, end, _nothing(statement)))
    return _numbered(file, found)


def makers(file: Path) -> set[str]:
    """The functions of a file that make an omission."""
    return {
        function
        for function, statement in _statements(ast.parse(file.read_text()))
        if not isinstance(statement, ast.FunctionDef | ast.ClassDef)
        and "Omission(" in ast.unparse(statement)
    }


def _statements(tree: ast.Module) -> Iterator[tuple[str, ast.stmt]]:
    """Every statement with the name of the function around it, in the order of lines."""
    waiting: list[tuple[str, ast.AST]] = [("", tree)]
    found: list[tuple[str, ast.stmt]] = []
    while waiting:
        function, node = waiting.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt):
                found.append((function, child))
            within = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            waiting.append((child.name if within else function, child))  # type: ignore[attr-defined]
    yield from sorted(found, key=lambda each: (each[1].lineno, each[1].col_offset))


def _yielding(tree: ast.Module) -> set[str]:
    """The functions of a file whose generators yield what is left out."""
    return {
        each.name
        for each in ast.walk(tree)
        if isinstance(each, ast.FunctionDef)
        and each.returns is not None
        and ast.unparse(each.returns) in YIELDED
    }


def _yielded(statement: ast.stmt) -> str | None:
    match statement:
        case ast.Expr(value=ast.Yield() | ast.YieldFrom()):
            return _reason_in(ast.unparse(statement))
        case _:
            return None


def _recorded(statement: ast.stmt) -> str | None:
    """The reason that a statement records; "any" when it passes on what others have recorded."""
    match statement:
        case ast.Expr(value=ast.YieldFrom(value=ast.Call() as call)):
            return _reason(call)
        case ast.Expr(value=ast.Yield(value=ast.Call() as call)) if _ends_path(call):
            return "unsupported" if "Unsupported(" in ast.unparse(call) else None
        case ast.Expr(value=ast.Call() as call):
            return _reason(call)
        case ast.Assign(targets=[ast.Subscript() as entry]):
            return _reason_of_entry(ast.unparse(entry))
        case ast.AugAssign(target=counter) | ast.Assign(targets=[counter]):
            return COUNTED.get(ast.unparse(counter))
        case ast.Return(value=ast.ListComp() | ast.Call(func=ast.Name("tuple")) as made):
            shown = ast.unparse(made)
            return _reason_in(shown) if "Omission(" in shown else None
        case ast.Return(value=ast.Call() as call) if ast.unparse(call.func) == "self.refuse":
            return _reason(call)
        case _:
            return None


def _reason(call: ast.Call) -> str | None:
    shown = ast.unparse(call)
    receiver, _, callee = ast.unparse(call.func).rpartition(".")
    match callee:
        case "refuse":
            of_engine = receiver in ("engine", "self") and shown.partition("(")[2].startswith(
                "state"
            )
            return "unsupported" if of_engine else None
        case "note" | "note_again":
            records = bool(receiver in NOTES_OF or "Reason." in shown or "event." in shown)
        case "record":
            records = receiver.endswith("ledger") or receiver == "found"
        case "append" | "add":
            records = "Omission(" in shown or ".event, " in shown or "ledger" in receiver
            records |= "(event, " in shown
        case "emit":
            return "unsupported" if "Refuse(" in shown else None
        case _:
            records = callee in RECORDERS or (receiver, callee) == ("self", "_doubt")
            records |= callee == "_note" and len(call.args) == 1  # of an attack
    return _reason_in(shown) if records else None


def _reason_of_entry(shown: str) -> str | None:
    """The reason of an entry that a ledger, or what becomes one, gets."""
    if "ledger.entries[" not in shown and "Omission(" not in shown:
        return None
    return _reason_in(shown)


def _reason_in(shown: str) -> str:
    named = re.search(r"\bReason\.([A-Z_]+)", shown)
    return "any" if named is None else named[1].lower().replace("_", "-")


def _ends_path(call: ast.Call) -> bool:
    return ast.unparse(call.func) == "End"


def _nothing(statement: ast.stmt) -> str:
    """A statement of the same kind without effect: a generator stays one."""
    match statement:
        case ast.Expr(value=ast.Yield() | ast.YieldFrom()):
            return "yield from ()"
        case ast.Return(value=ast.ListComp() | ast.Call(func=ast.Name("tuple"))):
            return "return ()"
        case ast.Return():
            return "return iter(())"
        case _:
            return "pass"


def _starts(text: str) -> list[int]:
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    return starts


def _offset(text: str, starts: list[int], line: int, column: int) -> int:
    """The offset of a place that ast gives in bytes."""
    begin = starts[line - 1]
    return begin + len(text[begin : starts[line]].encode()[:column].decode())


# ----------------------------------------------------------------------------------------------- C

_FUNCTION = re.compile(r"^(?![/}\s]|typedef|extern|enum\b)(?:#define |[^#(]*?)(\w+)\((?!.*\);$)")
_DECLARATION = re.compile(r"^extern\b")


def c_sites(file: Path) -> list[Site]:
    shown = file.relative_to(ROOT).as_posix()
    text = file.read_text()
    helpers = recording_helpers(text)
    calls = re.compile(rf"\b({'|'.join([*C_RECORDERS, *helpers])})\(")
    found = []
    function = ""
    offset = 0
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        head = _FUNCTION.match(line)
        if head is not None:
            function = head[1]
        for call in calls.finditer(line):
            own = call[1] == function and head is not None and head.end(1) == call.end(1)
            if _DECLARATION.match(line) or own or line.lstrip().startswith("//"):
                continue
            reason = helpers.get(call[1]) or call[1].removeprefix("__csgtest_")
            begin = offset + call.start()
            end = _behind(text, offset + call.end())
            found.append((f"{shown}:{function}:{reason}", number, begin, end, "(void) 0"))
        offset += len(line)
    return _numbered(file, found)


def recording_helpers(text: str) -> dict[str, str]:
    """The functions of a file that do nothing but record, each with its reason."""
    one = re.compile(r"^static void (\w+)\(void\)\s*\{\s*__csgtest_(\w+)\([^;]*\);\s*\}", re.M)
    return {each[1]: each[2] for each in one.finditer(text)}


def _behind(text: str, offset: int) -> int:
    """The offset behind the parenthesis that closes; ``offset`` is behind the one that opens."""
    depth, quoted = 1, False
    while depth:
        letter = text[offset]
        if letter == "\\" and quoted:
            offset += 1
        elif letter == '"':
            quoted = not quoted
        elif not quoted:
            depth += (letter == "(") - (letter == ")")
        offset += 1
    return offset


def _numbered(file: Path, found: Iterable[tuple[str, int, int, int, str]]) -> list[Site]:
    """The sites, with a number for each but the first of one name."""
    seen: Counter[str] = Counter()
    made = []
    for name, line, begin, end, instead in found:
        seen[name] += 1
        number = f":{seen[name]}" if seen[name] > 1 else ""
        made.append(Site(name + number, file, line, begin, end, instead))
    return made


if __name__ == "__main__":
    for each in sites():
        print(f"{each.line:5} {each.name}")
