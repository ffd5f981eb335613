"""Declarations and statements in their normal form."""

from __future__ import annotations

from csg.frontend import parse_text
from csg.language.syntax import (
    Assembly,
    Break,
    Builtin,
    Case,
    Change,
    Compound,
    ComputedGoto,
    Declaration,
    DoWhile,
    Execute,
    ExpressionStatement,
    For,
    Goto,
    If,
    Label,
    Logical,
    Name,
    Return,
    SizeOf,
    Statement,
    StatementExpression,
    Switch,
    Symbol,
    TranslationUnit,
    VaArg,
    Version,
    While,
)
from csg.language.types import CHAR, FLOAT, INT, LONG, Array, Function, Pointer


def body_of(text: str, head: str = "void f(int x, int y)") -> tuple[Statement, ...]:
    return parse_text(f"{head} {{ {text} }}").functions[-1].body.items


def symbol_of(unit: TranslationUnit, name: str) -> Symbol:
    symbols = [d.symbol for d in unit.declarations] + [f.symbol for f in unit.functions]
    return next(symbol for symbol in symbols if symbol.name == name)


def kinds(items: tuple[Statement, ...]) -> list[type]:
    return [type(item) for item in items]


# --------------------------------------------------------------------------- statements


def test_bodies_are_blocks() -> None:
    choice, loop, last = body_of(
        "if (x) y = 1; else while (y) y--; do x++; while (x < 3); return;"
    )[:3]
    assert isinstance(choice, If)
    assert kinds(choice.then.items) == [ExpressionStatement]
    assert choice.otherwise is not None and kinds(choice.otherwise.items) == [While]
    assert isinstance(loop, DoWhile) and isinstance(last, Return)


def test_labels_and_cases_stand_on_their_own() -> None:
    switch, label, after = body_of(
        "switch (x) { case 1: case 2: y = 1; break; case 4 ... 6: default: y = 2; } end: x = 1;"
    )[:3]
    assert isinstance(switch, Switch)
    assert kinds(switch.body.items) == [
        Case, Case, ExpressionStatement, Break, Case, Case, ExpressionStatement,
    ]  # fmt: skip
    cases = [item for item in switch.body.items if isinstance(item, Case)]
    assert [(c.low, c.high) for c in cases] == [(1, 1), (2, 2), (4, 6), (None, None)]
    assert label == Label("end") and isinstance(after, ExpressionStatement)


def test_cases_may_stand_deep_within() -> None:
    """Duff's device keeps its shape."""
    (switch,) = body_of("switch (x % 2) { case 0: do { y++; case 1: y++; } while (--x); }")
    assert isinstance(switch, Switch)
    first, loop = switch.body.items
    assert isinstance(first, Case) and isinstance(loop, DoWhile)
    assert kinds(loop.body.items) == [ExpressionStatement, Case, ExpressionStatement]


def test_for_declares_in_a_scope_of_its_own() -> None:
    loop, empty, forever = body_of(
        "for (int i = 0, j = 1; i < j; i++) { int i = 2; y += i; } for (;;) break; for (x = 1;;) ;"
    )
    assert isinstance(loop, For) and kinds(loop.start) == [Declaration, Declaration]
    assert isinstance(empty, For) and (empty.start, empty.condition, empty.step) == ((), None, None)
    assert isinstance(forever, For) and kinds(forever.start) == [ExpressionStatement]


def test_logical_chains_are_flat() -> None:
    (statement,) = body_of("return x && y && (x && 1) || y || x;", "int f(int x, int y)")
    assert isinstance(statement, Return) and isinstance(statement.value, Logical)
    first, *others = statement.value.operands
    assert isinstance(first, Logical) and len(first.operands) == 4 and len(others) == 2


def test_gnu_statements() -> None:
    items = body_of(
        '__label__ l; void *p = &&l; goto *p; l: asm volatile ("nop"); y = ({ int t = x; t; });'
    )
    declaration, jump, label, assembly, assignment = items
    assert isinstance(declaration, Declaration)
    assert isinstance(declaration.initializer, Builtin)
    assert declaration.initializer.name == "label_address"
    assert isinstance(jump, ComputedGoto) and isinstance(label, Label)
    assert assembly == Assembly('asm ("nop")')
    assert isinstance(assignment, ExpressionStatement)
    assert isinstance(assignment.expression.value, StatementExpression)  # type: ignore[union-attr]


def test_change_and_execute_written_by_hand() -> None:
    items = body_of(
        "int z = change(x + 1, x - 1); if (execute(OLD)) { z++; } else { z--; }"
        " z = change_(7, z, 2L); if (change(x, y)) return;"
    )
    declaration, old, new, numbered, choice = items
    assert isinstance(declaration, Declaration) and isinstance(declaration.initializer, Change)
    assert (declaration.initializer.id, declaration.initializer.type) == (1, INT)
    assert isinstance(old, Execute) and (old.version, old.change) == (Version.OLD, 2)
    assert isinstance(new, Execute) and (new.version, new.change) == (Version.NEW, 2)
    assert isinstance(numbered, ExpressionStatement)
    change = numbered.expression.value  # type: ignore[union-attr]
    assert isinstance(change, Change) and (change.id, change.type) == (7, LONG)
    assert isinstance(choice, If) and isinstance(choice.condition, Change)
    assert choice.condition.id == 8


def test_a_function_of_ones_own_may_be_named_change() -> None:
    unit = parse_text("int change(int a, int b) { return a; } int f(void) { return change(1, 2); }")
    (statement,) = unit.functions[1].body.items
    assert isinstance(statement, Return) and not isinstance(statement.value, Change)


# --------------------------------------------------------------------------- declarations


def test_one_symbol_for_all_declarations_of_a_name() -> None:
    unit = parse_text(
        "extern int a[]; int f(void) { extern int a[4]; return a[1]; } int a[]; int t; int t;"
        "extern int only; int g(void) { return only; } static int s; int a[4] = {1};"
    )
    assert [d.symbol.name for d in unit.declarations] == ["a", "t", "only", "s"]
    a = symbol_of(unit, "a")
    assert a.type == Array(INT, 4) and a.defined and a.linkage == "external" and a.address_taken
    assert unit.declarations[0].initializer is not None
    assert not symbol_of(unit, "only").defined
    assert symbol_of(unit, "t").defined
    assert symbol_of(unit, "s").linkage == "internal"


def test_functions_declared_and_defined() -> None:
    unit = parse_text(
        "int used(int); static int later(void); int f(void) { return used(1) + later(); }"
        "static int later(void) { return 2; } _Noreturn void stop(void);"
        "void halt(void) __attribute__((noreturn)); inline int i(void) { return 1; }"
    )
    assert [d.symbol.name for d in unit.declarations] == ["used", "stop", "halt"]
    assert [f.symbol.name for f in unit.functions] == ["f", "later", "i"]
    assert symbol_of(unit, "later").linkage == "internal"
    assert symbol_of(unit, "stop").noreturn and symbol_of(unit, "halt").noreturn
    assert symbol_of(unit, "i").inline and symbol_of(unit, "f").defined


def test_old_style_definitions() -> None:
    unit = parse_text("f(a, b, c) char a; float b; { return a; } int g() { return f(1, 2.0, 3); }")
    function = unit.functions[0]
    assert [(p.name, p.type) for p in function.parameters] == [
        ("a", CHAR),
        ("b", FLOAT),
        ("c", INT),
    ]
    assert isinstance(function.symbol.type, Function) and not function.symbol.type.prototype


def test_parameters_are_adjusted() -> None:
    unit = parse_text("int f(int a[3], int g(char), int n, int m[n][n], const int *restrict p, ...)"
                      "{ return m[1][0]; }")  # fmt: skip
    a, g, n, m, p = (s.type for s in unit.functions[0].parameters)
    assert (a, g, n) == (Pointer(INT), Pointer(Function(INT, (CHAR,))), INT)
    assert isinstance(m, Pointer) and isinstance(m.target, Array)
    length = m.target.length
    assert isinstance(length, Name) and length.symbol is unit.functions[0].parameters[2]
    assert isinstance(p, Pointer) and p.qualifiers == {"const"}
    kind = unit.functions[0].symbol.type
    assert isinstance(kind, Function) and kind.variadic


def test_storage_of_locals() -> None:
    items = body_of(
        "static int calls = 1; register int r; _Alignas(32) char buffer[4]; int *p = &r;"
    )
    symbols = [item.symbol for item in items if isinstance(item, Declaration)]
    assert [s.storage for s in symbols] == ["static", "automatic", "automatic", "automatic"]
    assert [s.linkage for s in symbols] == ["none"] * 4
    assert [s.address_taken for s in symbols] == [False, True, True, False]
    assert symbols[2].alignment == 32


def test_address_of_a_part_marks_the_whole() -> None:
    items = body_of(
        "struct { int a[2]; struct { int b; } c; } s, t; int u, v, *p; p = &s.c.b; p = &u; v = *&v;"
    )
    symbols = {i.symbol.name: i.symbol for i in items if isinstance(i, Declaration)}
    assert symbols["u"].address_taken and symbols["v"].address_taken
    assert not symbols["p"].address_taken


def test_types_hide_and_are_hidden() -> None:
    items = body_of(
        "T T = 1; x = T + 1; { typedef char T; T c; x = sizeof(T); } { enum { T = 9 }; x = T; }",
        "typedef long T; void f(int x)",
    )
    first = items[0]
    assert isinstance(first, Declaration) and first.symbol.type == LONG
    inner = items[2]
    assert isinstance(inner, Compound) and isinstance(inner.items[0], Declaration)
    assert inner.items[0].symbol.type == CHAR


def test_variable_length_arrays() -> None:
    kept, *items = body_of("int a[x][3]; y = sizeof a; y = sizeof a[0]; typedef int row[y]; row r;")
    size = items[1].expression.value  # type: ignore[union-attr]
    assert isinstance(size, SizeOf) and size.value is None
    known = items[2].expression.value  # type: ignore[union-attr]
    assert isinstance(known, SizeOf) and known.value == 12
    assert isinstance(items[-1], Declaration) and isinstance(items[-1].symbol.type, Array)
    assert isinstance(kept, Declaration) and isinstance(items[-1].symbol.type.length, Name)
    assert items[-1].symbol.type.length.symbol is kept.symbol


def test_variable_arguments() -> None:
    items = body_of(
        "va_list l, m; va_start(l, x); va_copy(m, l); y = va_arg(l, int); va_end(l);",
        "#include <stdarg.h>\nvoid f(int x, int y, ...)",
    )
    calls = [item.expression for item in items if isinstance(item, ExpressionStatement)]
    assert [getattr(c, "name", "") for c in calls] == ["va_start", "va_copy", "", "va_end"]
    assert isinstance(calls[2].value, VaArg)  # type: ignore[union-attr]


def test_undeclared_functions_return_int_with_a_warning() -> None:
    unit = parse_text("int f(void) {\n return unknown(1) + unknown(2, 3);\n}", "a.c")
    assert [(str(place), text) for place, text in unit.warnings] == [
        ("a.c:2:9", "implicit declaration of function 'unknown'")
    ]
    assert symbol_of(unit, "unknown").type == Function(INT, (), False, False)


def test_inferred_types() -> None:
    items = body_of("__auto_type a = 1L + x; __typeof__(a) b; typeof(int[2]) c; __typeof__(&c) d;")
    types = [item.symbol.type for item in items if isinstance(item, Declaration)]
    assert types == [LONG, LONG, Array(INT, 2), Pointer(Array(INT, 2))]


def test_attributes_are_noted() -> None:
    unit = parse_text('int f(int x) __asm__("g");\nint v __attribute__((section("s"))) = 1;', "a.c")
    assert [(str(place), what) for place, what in unit.dropped] == [
        ("a.c:1:14", 'asm ("g")'),
        ("a.c:2:22", "__attribute__((section))"),
    ]


def test_gotos_name_their_labels() -> None:
    jump, *_ = body_of("goto done; done: ;")
    assert jump == Goto("done")


def test_types_are_listed_in_the_order_of_their_completion() -> None:
    unit = parse_text(
        "struct b; struct a { struct b *p; enum e { X } e; }; struct b { struct a a; };"
    )
    assert [str(kind) for kind in unit.types] == ["enum e", "struct a", "struct b"]
