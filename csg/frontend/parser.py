"""The only module that uses pycparser: tokens become its syntax tree, with GNU C's grammar added.

    x = a ?: ({ 1; });      TernaryOp(ID a, None, Compound)
    case 1 ... 5:           Case(BinaryOp("...", 1, 5))
    [0 ... 3] = 7           NamedInitializer([ArrayDesignator(BinaryOp("...", 0, 3))], 7)
    goto *p;   &&label      Goto(name=node p), UnaryOp("&&", ID label)
    int x __attribute__((aligned(8)))   TypeDecl.attributes = [Attributes]

The tokens are ours, so nothing is written out and read again and every place is a ``Location``.
pycparser has no types: the front end relies on ``Node`` and ``kind`` and on nothing else of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NoReturn, Protocol

from pycparser import c_ast
from pycparser.c_parser import CParser

from csg.errors import NOWHERE, Location, ParseError, too_deep
from csg.frontend.tokens import Token


class Node(Protocol):
    """A node of the syntax as parsed; its parts (``expr``, ``type``, ...) depend on its kind."""

    coord: Location

    def __getattr__(self, name: str, /) -> Any: ...


def kind(node: Node) -> str:
    """``"BinaryOp"``, ``"FuncDef"``, ... (pycparser's names, plus Attributes and Assembly)."""
    return type(node).__name__


def innermost(node: Node) -> Node:
    """The declarator that holds the name (or the specifiers, when there is none)."""
    while kind(node) in ("PtrDecl", "ArrayDecl", "FuncDecl"):
        node = node.type
    return node


def name_place(node: Node) -> Location:
    """Where the name that a declaration introduces is written."""
    found = innermost(node.type).coord or node.coord
    return found if isinstance(found, Location) else NOWHERE


class Attributes(c_ast.Alignas):  # type: ignore[misc]
    """``__attribute__((...))``: pairs of a name and the expression in its parentheses, or None."""

    __slots__ = ("entries",)

    def __init__(self, entries: list[tuple[str, Node | None]], coord: Location) -> None:
        super().__init__(None, coord)
        self.entries = entries


class Assembly(c_ast.Node):  # type: ignore[misc]
    """An asm statement."""

    __slots__ = ("coord", "text")

    def __init__(self, text: str, coord: Location) -> None:
        self.text = text
        self.coord = coord


class ExpressionStatement(c_ast.Node):  # type: ignore[misc]
    """``expr;``, from its first token on (which may be a parenthesis). ``span``: the range of its
    tokens."""

    __slots__ = ("coord", "expr", "span")

    def __init__(self, expr: Any, coord: Location, span: tuple[int, int] = (0, 0)) -> None:
        self.expr = expr
        self.coord = coord
        self.span = span


class StatementExpression(c_ast.Node):  # type: ignore[misc]
    """``({ ... })``"""

    __slots__ = ("body", "coord")

    def __init__(self, body: Any, coord: Location) -> None:
        self.body = body
        self.coord = coord


class SharedType(c_ast.IdentifierType):  # type: ignore[misc]
    """The name of a type in front of several declarators, which mean the same type by it, also
    where the first of them declares another meaning: ``list list, *other;``. ``meanings``: a place
    for what the front end finds first."""

    __slots__ = ("meanings",)

    def __init__(self, names: list[str], coord: Location) -> None:
        super().__init__(names, coord)
        self.meanings: list[Any] = []


class Compound(c_ast.Compound):  # type: ignore[misc]
    """A block that knows where it ends, and the range of its tokens."""

    __slots__ = ("end", "span")


def parse(tokens: Sequence[Token], file: str, dropped: list[tuple[Location, str]]) -> list[Node]:
    """The external declarations of a translation unit; names for linking go to ``dropped``."""
    parser = _GnuParser(tokens, file)
    nodes: list[Node] = parser.unit()
    dropped += parser.names_for_linking
    return nodes


def parse_lone_expression(tokens: Sequence[Token], file: str) -> Node:
    node: Node = _GnuParser(tokens, file).lone_expression()
    return node


class _Tokens:
    """The tokens as the parser reads them, with any number of tokens of lookahead, and
    backtracking."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.buffer: list[Token | None] = [*tokens, None, None, None, None]
        self.index = 0

    def peek(self, k: int = 1) -> Token | None:
        return self.buffer[self.index + k - 1]

    def next(self) -> Token | None:
        token = self.buffer[self.index]
        if token is not None:
            self.index += 1
        return token

    def mark(self) -> int:
        return self.index

    def reset(self, mark: int) -> None:
        self.index = mark


_BEFORE_EXPRESSIONS = frozenset(("return", "else", "do", "case", "sizeof", "if", "while", "for"))


class _GnuParser(CParser):  # type: ignore[misc]
    """pycparser's grammar, with those rules replaced that GNU C extends."""

    def __init__(self, tokens: Sequence[Token], file: str) -> None:
        super().__init__(dialect="c23")
        self._tokens = _Tokens(tokens)
        self._file = file
        self.names_for_linking: list[tuple[Location, str]] = []

    def unit(self) -> list[Any]:
        nodes: list[Any] = []
        while (token := self._tokens.peek()) is not None:
            try:
                nodes.extend(self._parse_external_declaration())
            except RecursionError:
                raise too_deep(token.location) from None
        return nodes

    def lone_expression(self) -> Any:
        node = self._parse_expression()
        if (left := self._tokens.peek()) is not None:
            self._parse_error(f"before: {left.value}", left.location)
        return node

    # ------------------------------------------------------------------ places and errors

    def _tok_coord(self, token: Token) -> Location:
        return Location(token.filename, token.lineno, token.column)

    def _parse_error(self, msg: str, coord: Any) -> NoReturn:
        before = self._tokens.buffer[max(self._tokens.index - 1, 0)]
        place = coord if isinstance(coord, Location) else before.location if before else None
        if msg == "before: {" and self._begins_nested_function():
            msg = "a function that is defined within a function is not supported"
        elif msg.startswith("before: "):
            msg = f"syntax error before '{msg[8:]}'{self._unknown_type()}"
        elif msg == "At end of input":
            msg = "the text ends too early"
        elif msg == "Invalid function definition" and self._unknown_type():
            msg = f"syntax error{self._unknown_type()}"
        elif before is not None and not isinstance(coord, Location):
            msg = f"syntax error: {msg[0].lower()}{msg[1:]} near '{before.value}'"
        raise ParseError(msg, place or Location(self._file))

    def _begins_nested_function(self) -> bool:
        """Does ``int name(...)`` stand before the brace that is refused? Behind one at the level of
        the file there is a body, so this one is in a function."""
        before = [each.value for each in self._tokens.buffer[: self._tokens.index] if each]
        while before and before[-1] in ("{", "("):
            before.pop()
        if not before or before[-1] != ")":
            return False
        depth = 0
        while before:
            token = before.pop()
            depth += (token == ")") - (token == "(")
            if not depth:
                break
        names = before[-2:]
        return len(names) == 2 and all(
            each.isidentifier() and each not in _BEFORE_EXPRESSIONS for each in names
        )

    def _unknown_type(self) -> str:
        """A hint for two names in a row: the first was perhaps meant to be a type."""
        here = self._tokens.buffer[max(self._tokens.index - 2, 0) : self._tokens.index + 2]
        for token, following in pairwise(here):
            if token is not None and following is not None and token.type == following.type == "ID":
                return f"; is '{token.value}' meant to be a type? It is not declared"
        return ""

    # ------------------------------------------------------------------ speed: the hot helpers

    def _classify(self, token: Token) -> None:
        token.type = "TYPEID" if self._is_type_in_scope(token.value) else "ID"

    def _peek(self, k: int = 1) -> Token | None:
        token = self._tokens.buffer[self._tokens.index + k - 1]
        if token is not None and token.type in ("ID", "TYPEID"):
            self._classify(token)
        return token

    def _peek_type(self, k: int = 1) -> str | None:
        token = self._tokens.buffer[self._tokens.index + k - 1]
        if token is None:
            return None
        if token.type in ("ID", "TYPEID"):
            self._classify(token)
        return token.type

    def _accept(self, token_type: str) -> Token | None:
        token = self._tokens.buffer[self._tokens.index]
        if token is None:
            return None
        if token.type in ("ID", "TYPEID"):
            self._classify(token)
        if token.type != token_type:
            return None
        self._tokens.index += 1
        return token

    # ------------------------------------------------------------------ attributes and asm

    def _attribute_tokens(self) -> list[Any]:
        """The attributes that stand here; a name for linking (asm) as one of them."""
        found = []
        while (token := self._tokens.peek()) is not None:
            if token.type == "_ALIGNAS" and token.extra:
                found.append(self._parse_alignment_specifier())
            elif token.type == "ASM":
                self._advance()
                self.names_for_linking.append((token.location, token.value))
                text = c_ast.Constant("string", token.value, token.location)
                found.append(Attributes([("linked_as", text)], token.location))
            else:
                break
        return found

    def _parse_attribute_specifier_sequence(self) -> list[Any]:
        token = self._tokens.peek()
        return self._attribute_tokens() if token is not None and token.extra else []

    def _parse_alignment_specifier(self) -> Any:
        token = self._tokens.peek()
        if token is None or not token.extra:
            return super()._parse_alignment_specifier()
        self._advance()
        entries = [(a.name, self._attribute_argument(a.arguments)) for a in token.extra]
        return Attributes(entries, token.location)

    def _attribute_argument(self, tokens: list[Token]) -> Any:
        if not tokens:
            return None
        outer, self._tokens = self._tokens, _Tokens(tokens)
        try:
            return self._parse_expression()
        finally:
            self._tokens = outer

    def _parse_decl_suffixes(self, decl: Any) -> Any:
        decl = super()._parse_decl_suffixes(decl)
        if attributes := self._attribute_tokens():
            _declared(decl).attributes = [*_declared(decl).attributes, *attributes]
        return decl

    def _parse_declarator_kind(self, kind: str, allow_paren: bool) -> Any:
        attributes = self._attribute_tokens()
        decl = super()._parse_declarator_kind(kind, allow_paren)
        if attributes:
            _declared(decl).attributes = [*attributes, *_declared(decl).attributes]
        return decl

    def _scan_declarator_name_info(self) -> tuple[str | None, bool]:
        self._attribute_tokens()
        found: tuple[str | None, bool] = super()._scan_declarator_name_info()
        return found

    def _parse_init_declarator(self, id_only: bool = False) -> Any:
        """The name means what is declared from its declarator on (C17 6.2.1p7), also where it is
        that of a type: ``list *list = malloc(sizeof(*list));``"""
        decl = self._parse_id_declarator() if id_only else self._parse_declarator()
        if self._peek_type() == "EQUALS":
            name = innermost(decl).declname
            if not self._scope_stack[-1].get(name, False):
                self._scope_stack[-1][name] = False
        if self._accept("EQUALS"):
            return {"decl": decl, "init": self._parse_initializer()}
        return {"decl": decl}

    def _parse_struct_declarator(self) -> Any:
        declared = super()._parse_struct_declarator()
        if attributes := self._attribute_tokens():
            decl = _declared(declared["decl"])
            decl.attributes = [*decl.attributes, *attributes]
        return declared

    def _parse_struct_or_union_specifier(self) -> Any:
        return self._with_trailing_attributes(super()._parse_struct_or_union_specifier())

    def _parse_enum_specifier(self) -> Any:
        return self._with_trailing_attributes(super()._parse_enum_specifier())

    def _with_trailing_attributes(self, node: Any) -> Any:
        """Attributes after the ``}`` belong to the type, not to what is declared with it."""
        last = self._tokens.buffer[self._tokens.index - 1]
        if last is not None and last.type == "RBRACE":
            node.attributes = [*node.attributes, *self._attribute_tokens()]
        return node

    def _build_declarations(
        self, spec: Any, decls: Any, typedef_namespace: bool = False
    ) -> list[Any]:
        nodes: list[Any] = super()._build_declarations(spec, decls, typedef_namespace)
        for node in nodes:
            if isinstance(node, c_ast.Typedef):  # has no place for alignment
                node.attributes = spec["alignment"]
        inner = [_declared(node.type) for node in nodes]
        if len(inner) > 1 and isinstance(inner[0].type, c_ast.IdentifierType):
            shared = SharedType(inner[0].type.names, inner[0].type.coord)
            for node in inner:
                node.type = shared
        return nodes

    # ------------------------------------------------------------------ declarations

    def _parse_external_declaration(self) -> list[Any]:
        token = self._tokens.peek()
        match token.type if token is not None else None:
            case "ASM":
                self._advance()
                self._accept("SEMI")
                return [Assembly(token.value, token.location)]  # type: ignore[union-attr]
            case "PACK":
                self._advance()
                return [c_ast.Pragma(token.value, token.location)]  # type: ignore[union-attr]
            case "ID" if self._peek_type() == "ID" and self._peek_type(2) == "LPAREN":
                return [self._parse_untyped_function()]
            case _:
                nodes: list[Any] = super()._parse_external_declaration()
                return nodes

    def _parse_untyped_function(self) -> Any:
        """``f(a) char a; { ... }`` of C90, which returns int."""
        decl = self._parse_id_declarator()
        specifiers: Any = {
            "qual": [],
            "alignment": [],
            "storage": [],
            "type": [c_ast.IdentifierType(["int"], coord=decl.coord)],
            "function": [],
            "type_attributes": [],
        }
        return self._parse_function_definition(specifiers, decl)

    def _parse_initializer_item(self) -> Any:
        if self._peek_type() in ("ID", "TYPEID") and self._peek_type(2) == "COLON":
            token = self._advance()  # GNU's old ``name: value``
            self._advance()
            name = c_ast.ID(token.value, token.location)
            return c_ast.NamedInitializer([name], self._parse_initializer(), token.location)
        node = super()._parse_initializer_item()
        if isinstance(node, c_ast.NamedInitializer):
            node.coord = node.name[0].coord
        return node

    def _parse_designator(self) -> Any:
        token = self._tokens.peek()
        if token is None or token.type != "LBRACKET":
            return super()._parse_designator()
        self._advance()
        index = self._parse_range()
        self._expect("RBRACKET")
        return c_ast.ArrayDesignator(index, token.location)

    def _parse_range(self) -> Any:
        """``low`` or ``low ... high``."""
        low = self._parse_constant_expression()
        if self._accept("ELLIPSIS"):
            return c_ast.BinaryOp("...", low, self._parse_constant_expression(), low.coord)
        return low

    # ------------------------------------------------------------------ statements

    def _parse_compound_statement(self, *, new_scope: bool = True) -> Any:
        first = self._tokens.index
        node = super()._parse_compound_statement(new_scope=new_scope)
        last = self._tokens.buffer[self._tokens.index - 1]
        block = Compound(node.block_items, node.coord)
        block.span = first, self._tokens.index
        block.end = last.location if last is not None else node.coord
        return block

    def _parse_statement(self) -> Any:
        token = self._tokens.peek()
        if token is not None and token.type == "ASM":
            self._advance()
            self._expect("SEMI")
            return Assembly(token.value, token.location)
        if token is not None and token.type == "PACK":
            self._advance()
            return c_ast.Pragma(token.value, token.location)
        return super()._parse_statement()

    def _parse_expression_statement(self) -> Any:
        token, first = self._tokens.peek(), self._tokens.index
        node = super()._parse_expression_statement()
        if token is None or isinstance(node, c_ast.EmptyStatement):
            return node
        return ExpressionStatement(node, token.location, (first, self._tokens.index))

    def _starts_statement(self) -> bool:
        token = self._tokens.peek()
        return (token is not None and token.type == "ASM") or super()._starts_statement()

    def _parse_labeled_statement(self) -> Any:
        if self._peek_type() != "CASE":
            return super()._parse_labeled_statement()
        place = self._advance().location
        value = self._parse_range()
        self._expect("COLON")
        if self._starts_statement():
            return c_ast.Case(value, [self._parse_statement()], place)
        return c_ast.Case(value, [c_ast.EmptyStatement(place)], place)

    def _parse_selection_statement(self) -> Any:
        """As pycparser, but a switch keeps its cases where they stand."""
        if self._peek_type() != "SWITCH":
            return super()._parse_selection_statement()
        place = self._advance().location
        self._expect("LPAREN")
        selector = self._parse_expression()
        self._expect("RPAREN")
        return c_ast.Switch(selector, self._parse_statement(), place)

    def _parse_jump_statement(self) -> Any:
        if self._peek_type() != "GOTO" or self._peek_type(2) != "TIMES":
            return super()._parse_jump_statement()
        place = self._advance().location
        self._advance()
        target = self._parse_expression()
        self._expect("SEMI")
        return c_ast.Goto(target, place)

    # ------------------------------------------------------------------ expressions

    def _starts_expression(self, tok: Token | None = None) -> bool:
        token = tok or self._tokens.peek()
        if token is not None and token.type in ("LAND", "ON_TYPES"):
            return True
        starts: bool = super()._starts_expression(tok)
        return starts

    def _parse_primary_expression(self) -> Any:
        token = self._tokens.peek()
        match token.type if token is not None else None:
            case "ON_TYPES":
                return self._parse_compared_types()
            case "LPAREN" if self._peek_type(2) == "LBRACE":
                self._advance()
                body = self._parse_compound_statement()
                self._expect("RPAREN")
                return StatementExpression(body, token.location)  # type: ignore[union-attr]
            case _:
                return super()._parse_primary_expression()

    def _parse_constant(self) -> Any:
        """A constant as it is written; ``csg.frontend.constants`` reads its value later."""
        token = self._tokens.peek()
        if token is None or token.type not in ("INT_CONST_DEC", "FLOAT_CONST"):
            return super()._parse_constant()
        self._advance()
        kind = "int" if token.type == "INT_CONST_DEC" else "double"
        return c_ast.Constant(kind, token.value, token.location)

    def _parse_compared_types(self) -> Any:
        """``__builtin_types_compatible_p(int, long)``"""
        token = self._advance()
        self._expect("LPAREN")
        first = self._parse_type_name()
        self._expect("COMMA")
        second = self._parse_type_name()
        self._expect("RPAREN")
        name = c_ast.ID(token.value, token.location)
        both = c_ast.ExprList([first, second], token.location)
        return c_ast.FuncCall(name, both, token.location)

    def _parse_conditional_expression(self) -> Any:
        condition = self._parse_binary_expression()
        if not self._accept("CONDOP"):
            return condition
        then = None if self._peek_type() == "COLON" else self._parse_expression()
        self._expect("COLON")
        otherwise = self._parse_conditional_expression()
        return c_ast.TernaryOp(condition, then, otherwise, condition.coord)

    def _parse_unary_expression(self) -> Any:
        token = self._tokens.peek()
        if token is None:
            return super()._parse_unary_expression()
        match token.type:
            case "LAND":
                self._advance()
                label = self._expect("ID")
                return c_ast.UnaryOp("&&", c_ast.ID(label.value, label.location), token.location)
            case "_ALIGNOF":
                self._advance()
                named = self._try_parse_paren_type_name()
                operand = named[0] if named else self._parse_unary_expression()
                return c_ast.UnaryOp("_Alignof", operand, token.location)
            case "SIZEOF":
                return super()._parse_unary_expression()
            case "ID" if token.value in _PARTS and self._peek_type(2) in _OPERANDS:
                self._advance()
                operand = self._parse_unary_expression()
                return c_ast.UnaryOp(_PARTS[token.value], operand, token.location)
            case _:
                node = super()._parse_unary_expression()
                if isinstance(node, c_ast.UnaryOp) and not node.op.startswith("p"):
                    node.coord = token.location
                return node


# Of a complex number.
_PARTS = {
    "__real__": "__real__", "__real": "__real__", "__imag__": "__imag__", "__imag": "__imag__"
}  # fmt: skip
_OPERANDS = frozenset({"ID", "LPAREN", "TIMES"})


def _declared(node: Any) -> Any:
    """The innermost declarator, which holds the name; specifiers without a declarator stand for
    themselves."""
    while not isinstance(node, c_ast.TypeDecl) and isinstance(
        node, c_ast.PtrDecl | c_ast.ArrayDecl | c_ast.FuncDecl
    ):
        node = node.type
    return node
