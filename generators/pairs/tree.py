"""Small C programs as trees that are easy to grow and to change, and their text.

    Node("if", "", [Node("compare", "<", [a, b]), block])      if ((a < b)) { .. }

Indexes and divisions go through the macros AT and DIV, so that a native run can see what C leaves
undefined (truth.py defines them).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

EXPRESSIONS = frozenset(
    ("number", "name", "binary", "shift", "divide", "compare", "logic", "unary", "cast", "choice",
     "index", "field", "call", "target")
)  # fmt: skip
STATEMENTS = frozenset(
    ("assign", "step", "if", "loop", "while", "do", "switch", "return", "invoke", "print", "put",
     "break", "continue", "block", "goto", "aim", "walk", "piece")
)  # fmt: skip
MACROS = (
    "#include <stdio.h>",
    "#ifndef AT",
    "#define AT(index, size) (index)",
    "#define DIV(left, operator, right) ((left) operator (right))",
    "#endif",
)


@dataclass
class Node:
    """``text`` is an operator, a name, a type or a number; the rest is in ``parts``."""

    form: str
    text: str = ""
    parts: list[Node] = field(default_factory=list)

    def copy(self) -> Node:
        return Node(self.form, self.text, [part.copy() for part in self.parts])


@dataclass
class Function:
    """``parameters`` and ``locals`` are (type, name) and (type, name, first value)."""

    result: str
    name: str
    parameters: list[tuple[str, str]]
    locals: list[tuple[str, str, Node]]
    body: Node

    def copy(self) -> Function:
        held = [(kind, name, value.copy()) for kind, name, value in self.locals]
        return Function(self.result, self.name, list(self.parameters), held, self.body.copy())


@dataclass
class Source:
    """``globals`` are (declarator text, name, initialiser); the last function is the entry."""

    head: list[str]
    globals: list[tuple[str, str, str]]
    functions: list[Function]
    ranges: list[tuple[str, int, int]]
    names: list[str] = field(default_factory=list)  # of what the head defines
    buffer: int = 0  # elements of a last parameter ``short *in``, the last ranges

    def copy(self) -> Source:
        functions = [function.copy() for function in self.functions]
        return replace(self, head=list(self.head), globals=list(self.globals), functions=functions)

    @property
    def entry(self) -> Function:
        return self.functions[-1]

    @property
    def text(self) -> str:
        lines = [*MACROS, *self.head]
        lines += [f"{declarator} = {value};" for declarator, _, value in self.globals]
        for function in self.functions:
            lines += function_lines(function)
        return "\n".join(lines) + "\n"


def walk(node: Node) -> Iterator[Node]:
    stack = [node]
    while stack:
        top = stack.pop()
        yield top
        stack.extend(reversed(top.parts))


# --------------------------------------------------------------------------- expressions


def expression(node: Node) -> str:
    parts = [expression(part) for part in node.parts]
    match node.form:
        case "number":
            return f"({node.text})" if node.text[0] == "-" else node.text
        case "name" | "field" | "mark":
            return node.text
        case "binary" | "compare" | "logic":
            return f"({parts[0]} {node.text} {parts[1]})"
        case "shift":
            return f"({parts[0]} {node.text} ({parts[1]} & 7))"
        case "divide":
            return f"DIV({parts[0]}, {node.text}, {parts[1]})"
        case "unary":
            return f"({node.text}{parts[0]})"
        case "cast":
            return f"(({node.text}) {parts[0]})"
        case "choice":
            return f"({parts[0]} ? {parts[1]} : {parts[2]})"
        case "index":  # "table/4"
            name, size = node.text.split("/")
            return f"{name}[AT({parts[0]}, {size})]"
        case "call":
            return f"{node.text}({', '.join(parts)})"
        case "target":  # what a pointer points to
            return f"(*{node.text})"
        case _:
            raise AssertionError(node.form)


# --------------------------------------------------------------------------- statements


def function_lines(function: Function) -> list[str]:
    parameters = ", ".join(_declared(kind, name) for kind, name in function.parameters)
    lines = [f"{function.result} {function.name}({parameters or 'void'})", "{"]
    lines += [f"    {_declared(k, name)} = {_first(value)};" for k, name, value in function.locals]
    lines += statement(function.body, "")[1:-1]
    return [*lines, "}"]


def _declared(kind: str, name: str) -> str:
    if "[" in kind:
        element, _, rest = kind.partition("[")
        return f"{element.rstrip()} {name}[{rest}"
    return f"{kind}{name}" if kind.endswith("*") else f"{kind} {name}"


def _first(value: Node) -> str:
    return value.text if value.form == "raw" else expression(value)


def statement(node: Node, indent: str) -> list[str]:
    deeper = indent + "    "
    parts = node.parts
    match node.form:
        case "block":
            inner = [line for part in parts for line in statement(part, deeper)]
            return [indent + "{", *inner, indent + "}"]
        case "assign":
            return [f"{indent}{expression(parts[0])} {node.text} {expression(parts[1])};"]
        case "step":
            return [f"{indent}{expression(parts[0])}{node.text};"]
        case "if":
            lines = [f"{indent}if ({expression(parts[0])})", *statement(parts[1], indent)]
            if len(parts) > 2:
                lines += [indent + "else", *statement(parts[2], indent)]
            return lines
        case "loop":  # counts the variable ``text`` up to a bound
            name = node.text
            head = f"for ({name} = 0; {name} < {expression(parts[0])}; {name}++)"
            return [f"{indent}{head}", *statement(parts[1], indent)]
        case "while":  # at most as often as the counter ``text`` allows
            head = f"while ({expression(parts[0])} && {node.text}++ < 5)"
            return [indent + head, *statement(parts[1], indent)]
        case "do":
            foot = f"while ({node.text}++ < 3 && {expression(parts[0])});"
            return [indent + "do", *statement(parts[1], indent), indent + foot]
        case "walk":  # along a string: "p/text"
            name, text = node.text.split("/")
            head = f'for ({name} = "{text}"; *{name}; {name}++)'
            return [indent + head, *statement(parts[0], indent)]
        case "switch":
            return _switch(node, indent)
        case _:
            return [indent + _simple(node)]


def _simple(node: Node) -> str:
    parts = [expression(part) for part in node.parts]
    match node.form:
        case "return":
            return f"return {parts[0]};" if parts else "return;"
        case "invoke":  # "name(&" + argument texts
            return f"{node.text};"
        case "piece":
            return node.text.format(e=parts[0], d=parts[1], x=parts[2], y=parts[3], k=parts[4])
        case "print":
            return f'printf("{node.text}\\n", {", ".join(parts)});'
        case "put":
            return f"putchar({parts[0]});"
        case "aim":  # a pointer is set: "p/v0/v1"
            name, first, second = node.text.split("/")
            return f"{name} = {parts[0]} ? &{first} : &{second};"
        case "goto":
            return f"goto {node.text};"
        case "label":
            return f"{node.text}: ;"
        case "break" | "continue":
            return f"{node.form};"
        case _:
            raise AssertionError(node.form)


def _switch(node: Node, indent: str) -> list[str]:
    """``parts`` is the value, then arms: Node("arm", "1 2", [block]); "!" falls through."""
    lines = [f"{indent}switch ({expression(node.parts[0])}) {{"]
    for arm in node.parts[1:]:
        for label in arm.text.replace("!", "").split():
            lines.append(f"{indent}{'default' if label == 'd' else 'case ' + label}:")
        lines += statement(arm.parts[0], indent + "    ")
        if "!" not in arm.text:
            lines.append(f"{indent}    break;")
    return [*lines, f"{indent}}}"]
