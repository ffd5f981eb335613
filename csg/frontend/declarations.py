"""Declarations become symbols, and statements that give them a value.

extern int n; int n = 3;      one Symbol n, defined, with the initialiser 3
{ static int calls; }         a Declaration whose symbol lives as long as the program
int f(a) char a; { ... }      a FunctionDefinition with the parameter a, a char
"""

from __future__ import annotations

from dataclasses import replace

from csg.errors import CsgtestError, ParseError, UnsupportedError
from csg.frontend import lengths
from csg.frontend.attributes import Wishes, wishes
from csg.frontend.context import Context, Enumerator, Jumps, Qualified, Scope, Typedef, refuse
from csg.frontend.declarators import parameter_symbol
from csg.frontend.operators import compatible
from csg.frontend.parser import Node, innermost, kind, name_place
from csg.language.syntax import (
    Compound,
    Declaration,
    FunctionDefinition,
    Initializer,
    Linkage,
    Statement,
    StorageDuration,
    Symbol,
    SymbolKind,
    Unsupported,
    is_variably_modified,
)
from csg.language.traversal import has_effects
from csg.language.types import INT, Array, Function, Record, Type, Void, decayed


def typedef(context: Context, node: Node) -> list[Statement]:
    with lengths.evaluating(context, every=True) as evaluated:
        found = context.type_name(node.type)
    wished = wishes(context, node.attributes, innermost(node.type).attributes)
    if isinstance(found.type, Record):
        found.type.transparent |= wished.transparent
        if not found.type.tag.isidentifier():
            found.type.typedef = found.type.typedef or node.name
    meaning = Qualified(
        wished.adapted(context, found.type, node.coord),
        found.qualifiers,
        max(found.alignment, wished.alignment),
    )
    names = context.scopes.innermost.names
    earlier = names.get(node.name)
    if earlier is not None and not isinstance(earlier, Typedef):
        raise refuse(node, f"'{node.name}' was declared as something else before")
    names[node.name] = Typedef(meaning)
    return lengths.as_statements(evaluated)


def static_assertion(context: Context, node: Node) -> list[Statement]:
    if not context.constant(node.cond, "the condition of _Static_assert"):
        message = node.message.value if node.message is not None else ""
        raise ParseError(f"static assertion failed {message}".strip(), node.coord)
    return []


# --------------------------------------------------------------------------- objects


def external(context: Context, node: Node) -> None:
    """A declaration at file scope."""
    if node.name is None:
        context.type_name(node.type)  # declares a tag
        return
    found, wished = _declared(context, node)
    if isinstance(found.type, Function):
        _function_symbol(context, node, found, wished)
        return
    symbol = _file_symbol(context, node, found)
    _apply(symbol, node, found, wished)
    initializer = None
    if node.init is not None:
        initializer = _initializer(context, node, symbol)
        if _redefines(context, symbol):
            raise refuse(node, f"redefinition of '{symbol.name}'")
    symbol.defined = symbol.defined or initializer is not None or "extern" not in node.storage
    _check_complete(symbol, node)
    _record(context, Declaration(symbol, initializer, location=symbol.location))


def _initializer(context: Context, node: Node, symbol: Symbol) -> Initializer | None:
    """What an object at file scope begins with. Where that is not supported, whatever names the
    object is not supported either; other files do not know, so it must be this file's own."""
    try:
        initializer, symbol.type = context.initializer(node.init, symbol.type)
    except UnsupportedError:
        if symbol.linkage is Linkage.EXTERNAL:
            raise
        context.without_value.add(symbol)
        return None
    return initializer


def _redefines(context: Context, symbol: Symbol) -> bool:
    known = context.declared.get(symbol)
    return known is not None and context.unit.declarations[known].initializer is not None


def _record(context: Context, declaration: Declaration) -> None:
    """Note a declaration of a symbol in the unit: one entry for each symbol, the one that defines
    it if any does, else the first."""
    declarations = context.unit.declarations
    known = context.declared.setdefault(declaration.symbol, len(declarations))
    if known == len(declarations):
        declarations.append(declaration)
    elif declaration.initializer is not None:
        declarations[known] = declaration


def local(context: Context, node: Node) -> list[Statement]:
    """A declaration in a block."""
    if node.name is None:
        context.type_name(node.type)
        return []
    with lengths.evaluating(context) as evaluated:
        found, wished = _declared(context, node)
    if isinstance(found.type, Function):
        symbol = _function_symbol(context, node, found, wished, in_block=True)
        context.scopes.innermost.names[node.name] = symbol
        return []
    if "extern" in node.storage:
        symbol = _file_symbol(context, node, found)
        context.scopes.innermost.names[node.name] = symbol
        _record(context, Declaration(symbol, None, location=symbol.location))
        return []
    return [*lengths.as_statements(evaluated), _block_object(context, node, found, wished)]


def _block_object(context: Context, node: Node, found: Qualified, wished: Wishes) -> Declaration:
    lasting = {"static", "_Thread_local"} & set(node.storage)
    storage = StorageDuration.STATIC if lasting else StorageDuration.AUTOMATIC
    symbol = Symbol(node.name, found.type, name_place(node), storage=storage, defined=True)
    _apply(symbol, node, found, wished)
    names = context.scopes.innermost.names
    if node.name in names:
        raise refuse(node, f"redefinition of '{node.name}'")
    names[node.name] = symbol  # visible in its own initialiser (C17 6.2.1p7)
    initializer = None
    if node.init is not None:
        initializer, symbol.type = context.initializer(node.init, symbol.type)
    _check_complete(symbol, node)
    return Declaration(symbol, initializer, location=symbol.location)


def _declared(context: Context, node: Node) -> tuple[Qualified, Wishes]:
    """The type of a declared name and what its attributes ask for."""
    inner = innermost(node.type)
    outer = getattr(node.type, "attributes", None) if node.type is not inner else None
    wished = wishes(context, node.align, inner.attributes, outer)
    if kind(inner.type) == "InferredType":
        with lengths.evaluated_elsewhere(context):
            value = context.value(node.init)
        if is_variably_modified(value.type) and has_effects(value):
            raise UnsupportedError("a type of run-time size is inferred", node.coord)
        return Qualified(value.type, frozenset(inner.quals or ()) & {"const", "volatile"}), wished
    found = context.type_name(node.type)
    return replace(found, type=wished.adapted(context, found.type, node.coord)), wished


def _apply(symbol: Symbol, node: Node, found: Qualified, wished: Wishes) -> None:
    symbol.qualifiers = found.qualifiers
    symbol.alignment = max(symbol.alignment, wished.alignment, found.alignment)
    symbol.noreturn = symbol.noreturn or wished.noreturn or "_Noreturn" in (node.funcspec or ())
    symbol.hooks += tuple(hook for hook in wished.hooks if hook not in symbol.hooks)
    if "inline" not in (node.funcspec or ()):  # else gcc pays no attention to it
        symbol.weak = symbol.weak or wished.weak
    symbol.nonnull |= wished.nonnull
    symbol.access += tuple(each for each in wished.access if each not in symbol.access)
    symbol.alias = symbol.alias or wished.alias
    symbol.linked_as = symbol.linked_as or wished.linked_as
    symbol.address_taken = symbol.address_taken or isinstance(symbol.type, Array | Record)


def _check_complete(symbol: Symbol, node: Node) -> None:
    kind_ = symbol.type
    incomplete = isinstance(kind_, Record) and kind_.fields is None
    if isinstance(kind_, Void) or (incomplete and symbol.storage is StorageDuration.AUTOMATIC):
        raise refuse(node, f"the type of '{symbol.name}' is incomplete: {kind_}")


def _file_symbol(context: Context, node: Node, found: Qualified) -> Symbol:
    """The symbol of a file-scope name: that of an earlier declaration, or a new one."""
    file = context.scopes.file
    static = "static" in node.storage
    location = name_place(node)
    known = _known(file, node, node.name)
    if known is None:
        linkage = Linkage.INTERNAL if static else Linkage.EXTERNAL
        known = Symbol(
            node.name, found.type, location, storage=StorageDuration.STATIC, linkage=linkage
        )
        known.from_header = context.is_system(location)
        file.names[node.name] = known
    elif known.kind is SymbolKind.FUNCTION:
        raise refuse(node, f"'{node.name}' was declared as a function before")
    known.type = _composite(known, found.type, node)
    return known


def _known(file: Scope, node: Node, name: str) -> Symbol | None:
    known = file.names.get(name)
    if isinstance(known, Typedef | Enumerator):
        raise refuse(node, f"'{name}' was declared as something else before")
    return known


# Where a program has a function by a name that the C library took later.
_HIDDEN = "a header of the system has it; -- -D_POSIX_C_SOURCE=200112L leaves out what came later"


def _composite(known: Symbol, later: Type, node: Node) -> Type:
    """The type that two declarations of one name make together (C17 6.2.7)."""
    hint = _HIDDEN if known.from_header else ""
    match known.type, later:
        case Array(length=None), Array():
            return later
        case ((Array() as earlier), Array(length=None)):
            return earlier
        case ((Function(prototype=True) as earlier), Function(prototype=False)):
            return earlier
        case ((Function() as earlier), Function()):
            if not compatible(decayed(earlier.result), decayed(later.result)):
                message = f"'{node.name}' was declared with another result before"
                raise refuse(node, message, hint)
            return later
        case earlier, _:
            if earlier != later:
                raise refuse(node, f"'{node.name}' was declared with another type before", hint)
            return later


# --------------------------------------------------------------------------- functions


def _function_symbol(
    context: Context,
    node: Node,
    found: Qualified,
    wished: Wishes,
    in_block: bool = False,
    defines: bool = False,
) -> Symbol:
    """The symbol of a function's declaration; it is noted once for the unit."""
    file = context.scopes.file
    location = name_place(node)
    known = _known(file, node, node.name)
    if known is None:
        linkage = Linkage.INTERNAL if "static" in node.storage else Linkage.EXTERNAL
        known = Symbol(
            node.name, found.type, location, SymbolKind.FUNCTION, StorageDuration.STATIC, linkage
        )
        known.from_header = context.is_system(location)
        file.names[node.name] = known
        context.unit.declarations.append(Declaration(known, None, location=location))
        _apply_inline(context, known, node, wished, defines)
    elif known.kind is not SymbolKind.FUNCTION:
        raise refuse(node, f"'{node.name}' was declared as an object before")
    else:
        known.type = _composite(known, found.type, node)
        if not in_block:  # nor does gcc count it then
            _apply_inline(context, known, node, wished, defines)
    _apply(known, node, replace(found, qualifiers=frozenset()), wished)
    if context.is_system(location) and _is_another(node.name, wished.linked_as):
        known.name, known.linked_as = known.linked_as, ""
    return known


def _is_another(name: str, label: str) -> bool:
    """Does a header let a name of C stand for another function, as macros of the program ask for?

    getopt, _POSIX_C_SOURCE           __posix_getopt, which takes no options behind other words
    sscanf                            __isoc99_sscanf, the usual one
    open, _FILE_OFFSET_BITS=64        open64, the same where a long has 64 bits
    """
    plain = label.removeprefix("__isoc99_").replace("64", "")
    return bool(label) and not name.startswith("__") and plain != name


def _apply_inline(
    context: Context, symbol: Symbol, node: Node, wished: Wishes, defines: bool
) -> None:
    """Note what a declaration says of whether the function is one of its own file alone. C counts
    all declarations (C17 6.7.4p7); the older rule of gcc counts the definition, and other
    declarations that say ``inline``."""
    inline = "inline" in (node.funcspec or ())
    extern = "extern" in (node.storage or ())
    if (wished.gnu_inline or context.gnu_inline) and not symbol.gnu_inline:
        symbol.gnu_inline, symbol.emitted = True, False
    symbol.inline = symbol.inline or inline
    symbol.always_inline = symbol.always_inline or wished.always_inline
    if not symbol.gnu_inline:
        symbol.emitted = symbol.emitted or not inline or extern
    elif inline or defines:
        symbol.emitted = symbol.emitted or not (inline and extern)


def definition(context: Context, node: Node) -> None:
    """A function with its body."""
    found, wished = _declared(context, node.decl)
    declarator = node.decl.type
    if not isinstance(found.type, Function):
        raise refuse(node, f"'{node.decl.name}' is no function, but has a body")
    own = id(_own_declarator(declarator))
    parameters, evaluated = context.parameters[own], context.parameter_lengths[own]
    context.scopes.enter()
    if node.param_decls:
        parameters = _old_style(context, node, parameters)
    declared = _with_prototype(found, parameters)
    symbol = _function_symbol(context, node.decl, declared, wished, defines=True)
    if symbol.defined:
        raise refuse(node, f"redefinition of '{symbol.name}'")
    symbol.defined = True
    symbol.location = name_place(node.decl)
    symbol.from_header = context.is_system(symbol.location)
    for parameter in parameters:
        if not parameter.name:
            raise ParseError("a parameter of a function definition has no name", parameter.location)
        context.scopes.innermost.names[parameter.name] = parameter
    context.function = symbol
    body = _body(context, node.body)
    body = lengths.with_lengths(context, evaluated, body)
    context.length_variables = []
    context.function = None
    context.scopes.leave()
    context.unit.functions.append(
        FunctionDefinition(symbol, parameters, body, symbol.location, body.end)
    )


def _body(context: Context, node: Node) -> Compound:
    """A function's body; all of it is one unsupported statement where more than a statement of it
    is not supported."""
    depth = len(context.scopes.stack)
    context.jumps = Jumps()
    context.opaque_met = False
    try:
        body = context.function_body(node)
        context.jumps.finish()
    except CsgtestError as error:
        reason = context.unsupported_reason(error)
        del context.scopes.stack[depth:]
        whole = Unsupported(context.source(node.span), reason, error.location or node.coord)
        return Compound((whole,), node.coord, node.end)
    return body


def _own_declarator(node: Node) -> Node:
    """The function declarator next to the name: that of ``int (*f(int a))(char b)`` with ``a``."""
    while kind(node) != "FuncDecl":
        node = node.type
    return node


def _old_style(context: Context, node: Node, names: tuple[Symbol, ...]) -> tuple[Symbol, ...]:
    """The parameters of a K&R definition, with the types declared before its body."""
    declared: dict[str, Symbol] = {}
    for decl in node.param_decls:
        if kind(decl) != "Decl" or decl.name is None:
            continue
        if decl.name not in {symbol.name for symbol in names}:
            raise refuse(decl, f"'{decl.name}' is no parameter of '{node.decl.name}'")
        found = context.type_name(decl.type)
        declared[decl.name] = parameter_symbol(decl.name, found, name_place(decl))
        context.scopes.innermost.names[decl.name] = declared[decl.name]
    return tuple(
        declared.get(s.name, parameter_symbol(s.name, Qualified(INT), s.location)) for s in names
    )


def _with_prototype(found: Qualified, parameters: tuple[Symbol, ...]) -> Qualified:
    """The function's type with the parameters of its definition: calls are checked against these,
    whether the definition is a prototype or not."""
    kind_ = found.type
    assert isinstance(kind_, Function)
    if kind_.prototype:
        return found
    return Qualified(replace(kind_, parameters=tuple(p.type for p in parameters)))
