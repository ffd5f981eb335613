"""The stages that stand behind a verdict of equality, each with a text that switches it off.

    Stage("the compiler: alignment", "csg/unify/assembly.py",
          "self._alignment = (*self._alignment, line)", "pass", ("tests/...::test_..[alignment]",))

What the compiler and the linker are asked (csg/unify, csg/retained.py), and what the attack tries
(symexec/attack, symexec/replay/driver.c). benchmarks/omissions.py switches off each of them in
turn, and the tests named there have to notice.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.omission_sites import ROOT


@dataclass(frozen=True, slots=True)
class Stage:
    """``before`` stands once in the file; with ``after`` in its place the stage does nothing.
    ``tests`` are pytest's names, one of which has to fail then."""

    name: str
    path: str
    before: str
    after: str
    tests: tuple[str, ...]

    @property
    def file(self) -> Path:
        return ROOT / self.path

    @property
    def line(self) -> int:
        text = self.file.read_text()
        return text.count("\n", 0, text.index(self.before)) + 1

    def removed(self) -> str:
        return self.file.read_text().replace(self.before, self.after, 1)


def stages() -> list[Stage]:
    return [*COMPILER, *claims(), *LINKER, *DRIVER, *ATTACK, *LINES]


# ------------------------------------------------------------------ what the compiler is asked

_CODE = "csg/unify/object_code.py"
_ASSEMBLY = "csg/unify/assembly.py"
_MEANINGS = "csg/unify/meanings.py"
_DISSENTS = "tests/test_dissents.py::test_"
_UNSEEN = f"{_DISSENTS}what_the_search_does_not_see_is_in_the_ledger"


_LINKED = "tests/test_linked_names.py::test_another_definition_is_a_difference"
_DEFINITIONS = "tests/test_linked_definitions.py::test_"
_SAME_CODE = "tests/test_same_code.py::test_the_compiler_says_that_something_changed"


def _told(kind: str) -> str:
    return f"{_DISSENTS}each_difference_is_told[{kind}]"


def _alike(kind: str) -> str:
    return f"{_DISSENTS}no_difference_is_told[{kind}]"


def _stage(name: str, path: str, before: str, after: str, *tests: str) -> Stage:
    return Stage(name, path, before, after, tests)


COMPILER = [
    _stage(
        "compiler: all that it is asked",
        "csg/unify/pairs.py",
        "found = dissents(unified, compilation, spelt, pair.shared)",
        "found = ()",
        _told("an alias"),
    ),
    _stage(
        "compiler: what follows from a difference",
        "csg/unify/pairs.py",
        "parts = apart(found, unified, entry)",
        "parts = Apart()",
        _told("an alias"),
    ),
    _stage(
        "compiler: a file that it refuses",
        _CODE,
        "if level == PLAIN and made.result() is None:",
        "if False:",
        f"{_DISSENTS}a_file_that_the_compiler_refuses_is_told",
    ),
    _stage(
        "compiler: what flags mean",
        _CODE,
        "for claims, place in self._claims:",
        "for claims, place in ():",
        f"{_DISSENTS}what_flags_mean_is_told",
    ),
    _stage(
        "compiler: where types lie",
        _CODE,
        "for text in taken_out(found, data):",
        "for text in ():",
        f"{_DISSENTS}where_types_lie_is_told",
    ),
    _stage(
        "compiler: how functions are linked",
        _CODE,
        "if not _is_linked_so(each, found):",
        "if False:",
        f"{_DEFINITIONS}what_gcc_links_otherwise_is_told",
    ),
    _stage(
        "compiler: what no function of a file that differs sees",
        "csg/unify/pairs.py",
        "if not unified.changes and unified.unseen:",
        "if False:",
        f"{_DEFINITIONS}the_order_in_a_section_counts_in_every_file[global-second]",
    ),
    _stage(
        "compiler: lines under no symbol in a section",
        _ASSEMBLY,
        'self._placed.append((self._section, "", whole))',
        "pass",
        f"{_DEFINITIONS}the_order_in_a_section_counts_in_every_file[assembly-second]",
    ),
    _stage(
        "linker: definitions that are passed over",
        "csg/unify/pairs.py",
        "bypassed = bypass_definitions(pair.differing, pair.shared, _linked_at(pair, entry))",
        "bypassed = bypass_definitions([], [], {})",
        f"{_DEFINITIONS}the_search_runs_what_gcc_calls[static inline-inline]",
    ),
    _stage(
        "linker: definitions that are passed over in one version",
        "csg/unify/pairs.py",
        "if bypassed.uneven:",
        "if False:",
        f"{_DEFINITIONS}a_weak_definition_of_a_file_that_does_not_differ",
    ),
    _stage(
        "compiler: without const",
        _CODE,
        'OTHER_WAYS = (CONSTLESS, "-O1", "-O2")',
        'OTHER_WAYS = ("-O1", "-O2")',
        _alike("the value of a constant"),
    ),
    _stage(
        "compiler: with optimisation",
        _CODE,
        'OTHER_WAYS = (CONSTLESS, "-O1", "-O2")',
        "OTHER_WAYS = (CONSTLESS,)",
        _alike("a variable in a register"),
    ),
    _stage(
        "compiler: calls that return twice, by attribute",
        _CODE,
        "if self._compilation.says(_SAID_TO_RETURN_TWICE):",
        "if False:",
        _told("variables behind a second return of an own function"),
    ),
    _stage(
        "compiler: calls that return twice, by name",
        _CODE,
        "return any(map(_RETURNING_TWICE.fullmatch, self._named_in(name)))",
        "return False",
        _told("variables behind a second return"),
    ),
    _stage(
        "compiler: static objects of unchanged functions",
        _CODE,
        "left = [name for name in names if _statics(before, name) == _statics(after, name)]",
        "left = list(names)",
        _told("a static object of a function"),
    ),
    _stage(
        "compiler: shared files",
        _CODE,
        "self._strong_elsewhere = frozenset(_defined(shared))",
        "self._strong_elsewhere = frozenset()",
        f"{_DISSENTS}what_a_shared_file_defines_comes_from_nowhere_else",
    ),
    _stage(
        "compiler: names in shared files",
        _CODE,
        "self._named_elsewhere = frozenset(_external(shared))",
        "self._named_elsewhere = frozenset()",
        f"{_LINKED}[a weak reference finds it by its new name]",
    ),
    _stage(
        "compiler: names that others see",
        _CODE,
        "if after is None or _seen_as(before) == _seen_as(after):",
        "if after is None or before.linking == after.linking:",
        f"{_LINKED}[what the compiler calls for printf]",
    ),
    _stage(
        "compiler: the same code as it trusts C",
        _CODE,
        "for level in (PLAIN, TRUSTING, CHECKED)",
        "for level in (PLAIN, CHECKED)",
        f"{_SAME_CODE}[restrict]",
    ),
    _stage(
        "compiler: the same code with checks",
        _CODE,
        "for level in (PLAIN, TRUSTING, CHECKED)",
        "for level in (PLAIN, TRUSTING)",
        f"{_SAME_CODE}[the size of an array, in the same room]",
    ),
    _stage(
        "compiler: lines that a program asks for",
        _CODE,
        "if _PLACES.search(text.text):",
        "if False:",
        f"{_LINKED}[the line of a call]",
    ),
    _stage(
        "compiler: names in assembly",
        _CODE,
        "if not each.linked_as or each.linked_as in defined",
        "if True",
        _told("a name in assembly"),
    ),
    _stage(
        "compiler: the lines of assertions",
        _CODE,
        """return Source(_ASSERTED.sub('"", 0, "")', retained) + "\\n", text.flags, text.file)""",
        """return Source(retained + "\\n", text.flags, text.file)""",
        _alike("the line of an assertion"),
    ),
    _stage(
        "compiler: functions that use what differs",
        _CODE,
        "whole |= seeing - changed",
        "pass",
        f"{_DISSENTS}who_uses_what_differs_is_changed",
    ),
    _stage(
        "compiler: objects that differ",
        _CODE,
        "split.add(each.name)",
        "pass",
        _told("the storage of an object"),
    ),
    _stage(
        "compiler: functions of any number of arguments",
        _CODE,
        "frozenset(split | whole & variadic)",
        "frozenset(split)",
        f"{_DISSENTS}a_function_of_any_number_of_arguments_that_uses_what_differs_is_changed",
    ),
    _stage(
        "compiler: what nobody is known to use",
        _CODE,
        "if not seeing and not (whole or split or changed):",
        "if False:",
        f"{_DISSENTS}what_nobody_is_known_to_use_lies_behind_the_entry",
    ),
    _stage(
        "compiler: causes of changes",
        _CODE,
        "unified.changes = tuple(_caused(each, texts, rest, parts) for each in unified.changes)",
        "pass",
        "tests/test_compiled_differently.py::test_a_change_that_no_text_shows_names_its_cause",
    ),
    _stage(
        "compiler: differences that the search does not see",
        "csg/unify/unified.py",
        "return [each for each in self.dissents if not each.modelled]",
        "return []",
        f"{_UNSEEN}[an alias-k: its content or storage differs]",
    ),
    _stage(
        "compiler: differences that the search sees",
        _CODE,
        "_described(before, after), old == new)",
        "_described(before, after), True)",
        f"{_UNSEEN}[the alignment of an object-k: nothing became .align 64]",
    ),
    _stage(
        "assembly: alignment",
        _ASSEMBLY,
        "self._alignment = (*self._alignment, line)",
        "pass",
        _told("the alignment of an object"),
    ),
    _stage(
        "assembly: sections and alignment of a symbol",
        _ASSEMBLY,
        "yield from (heads(head) for head in piece.head)",
        "pass",
        _told("the storage of an object"),
    ),
    _stage(
        "assembly: content",
        _ASSEMBLY,
        "yield self._line(line, numbers, heads)",
        "self._line(line, numbers, heads)",
        _told("the content of a constant"),
    ),
    _stage(
        "assembly: content of what is used",
        _ASSEMBLY,
        "waiting += [name for name in named if name in self.assembly.pieces]",
        "pass",
        "tests/test_compiled_differently.py::test_inner_names_count_by_their_content",
    ),
    _stage(
        "assembly: what is said of a symbol",
        _ASSEMBLY,
        "yield from (mark for mark in said if mark not in _LINKING)",
        "pass",
        _told("how a function is resolved"),
    ),
    _stage(
        "assembly: aliases",
        _ASSEMBLY,
        "self._found.aliases[assigned[1] or assigned[2]] = assigned[3]",
        "pass",
        _told("an alias"),
    ),
    _stage(
        "assembly: what an alias stands for",
        _ASSEMBLY,
        """yield f"= {self._line(f'. {self.assembly.aliases[each]}', numbers)}\"""",
        "pass",
        _told("an alias"),
    ),
    _stage(
        "assembly: static objects of a changed function",
        _ASSEMBLY,
        """yield f"{word.rpartition('.')[0]} {size}", self.storage(word)""",
        "yield '', ()",
        _told("a static object of a changed function"),
    ),
    _stage(
        "assembly: zeros",
        _ASSEMBLY,
        """return head.replace(".bss", ".data", 1).replace(',"aw",@nobits', ',"aw"')""",
        "return head",
        _alike("zeros become numbers"),
    ),
    _stage(
        "assembly: what has no label",
        _ASSEMBLY,
        "self._loose.append((self._section, whole))",
        "pass",
        _told("what stands outside of all symbols"),
    ),
    _stage(
        "assembly: inner names",
        _ASSEMBLY,
        'return f"<{numbers.setdefault(word, len(numbers))}>"',
        "return word",
        _alike("a static object renamed"),
    ),
    *(
        _stage(
            f"types: {member}",
            _MEANINGS,
            before,
            after,
            f"{_DISSENTS}the_compiler_is_asked_for_each_part_of_a_type[{test}]",
        )
        for member, before, after, test in (
            (
                "size",
                'values = [("size", f"sizeof({name})", size_of(kind))]',
                "values = []",
                "struct s-size",
            ),
            (
                "alignment",
                'values.append(("alignment", f"__alignof__({name})", alignment_of(kind)))',
                "pass",
                "struct s-alignment",
            ),
            (
                "sign",
                'values.append(("sign", f"({name})-1 < 0", int(is_signed(kind))))',
                "pass",
                "enum e-sign",
            ),
            ("members", "for field in kind.fields or ():", "for field in ():", "struct s-'i'"),
        )
    ),
]


def claims() -> Iterator[Stage]:
    """Each claim about the language, and each type whose size is one."""
    text = (ROOT / _MEANINGS).read_text()
    test = f"{_DISSENTS}each_claim_about_the_language_is_asked"
    for name, entry in _entries(text, "_CLAIMS"):
        yield Stage(f"claim: {name}", _MEANINGS, entry, "", (f"{test}[{name}]",))
    for name, entry in _entries(text, "_SIZES"):
        sizes = {
            "_Bool": 1, "short": 2, "int": 4, "long": 8, "float": 4, "double": 8,
            "long double": 16, "__WCHAR_TYPE__": 4, "1.0": 8, "1.0f": 4, "L'a'": 4, "void *": 8,
        }  # fmt: skip
        of_size = f"{test}[{name} has {sizes.get(name)} bytes]"
        yield Stage(f"claim: the size of {name}", _MEANINGS, entry, "", (of_size,))


def _entries(text: str, table: str) -> Iterator[tuple[str, str]]:
    """The entries of a table of the module, each with its text."""
    lines = text.splitlines(keepends=True)
    for node in ast.parse(text).body:
        if not (isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == table):
            continue
        assert isinstance(node.value, ast.Dict)
        for key, value in zip(node.value.keys, node.value.values, strict=True):
            if isinstance(key, ast.Constant):
                end = value.end_lineno or 0
                begin = sum(map(len, lines[: key.lineno - 1])) + key.col_offset
                entry = text[begin : sum(map(len, lines[: end - 1])) + (value.end_col_offset or 0)]
                parenthesis = text[begin + len(entry) :].lstrip()
                if parenthesis.startswith(")"):
                    entry = text[begin : text.index(")", begin + len(entry)) + 1]
                yield str(key.value), entry + ","


# ------------------------------------------------------------------ what the linker is asked

_RETAINED = "csg/retained.py"


def _around(way: str, effect: str = "itself") -> str:
    return f"tests/test_retained.py::test_the_linker_says_what_runs_around_main[{way}-{effect}]"


def _around_main(way: str) -> str:
    return (
        f"tests/test_retained.py::test_what_runs_around_main_matters_where_only_main_changed[{way}]"
    )


_LINKED = "tests/test_retained.py::test_"

LINKER = [
    _stage(
        "linker: what it retains",
        _RETAINED,
        "return tuple(_of(each) for each in suspects if",
        "return tuple(_of(each) for each in () if",
        _around("init-array"),
    ),
    _stage(
        "linker: programs that cannot be linked",
        _RETAINED,
        "return tuple(_of(each, asked=False) for each in suspects)",
        "return ()",
        f"{_LINKED}a_program_that_cannot_be_linked_may_have_it_all",
    ),
    _stage(
        "linker: what is not retained",
        _RETAINED,
        "if not names.isdisjoint(_spellings(each.symbol)))",
        ")",
        _around("never"),
    ),
    _stage(
        "linker: what main leads to",
        _RETAINED,
        "reached = _closure(self._named, [(_OUTSIDE, entry), *hooks])",
        "reached = set()",
        f"{_LINKED}what_main_leads_to_needs_no_linker",
    ),
    _stage(
        "linker: what changed",
        _RETAINED,
        "if key in wanted or (key not in reached and self._is_offered(key, words))",
        "if key not in reached and self._is_offered(key, words)",
        _around("in-a-structure", "behind"),
        _around("init-array"),
        f"{_LINKED}a_pointer_that_leads_elsewhere_is_told_with_its_place",
    ),
    _stage(
        "linker: signs of being named from outside",
        _RETAINED,
        "if key in wanted or (key not in reached and self._is_offered(key, words))",
        "if key in wanted",
        _around_main("init-array"),
    ),
    _stage(
        "linker: words of flags",
        _RETAINED,
        "return not names.isdisjoint(words) or bool(seen and not thing.symbol.inline)",
        "return bool(seen and not thing.symbol.inline)",
        _around_main("initialiser"),
    ),
    _stage(
        "linker: names of the system",
        _RETAINED,
        "return not names.isdisjoint(words) or bool(seen and not thing.symbol.inline)",
        "return not names.isdisjoint(words)",
        _around_main("profiling"),
    ),
    _stage(
        "linker: arrays of functions",
        _RETAINED,
        "return any(isinstance(each, FunctionDefinition) for each in named)",
        "return False",
        _around_main("init-array"),
    ),
    _stage(
        "linker: names of aliases",
        _RETAINED,
        "names = {*_spellings(thing.symbol), *self._aliases.get(thing.symbol.name, ())}",
        "names = _spellings(thing.symbol)",
        _around_main("profiling-by-alias"),
        _around_main("alias"),
    ),
    _stage(
        "linker: what aliases lead to",
        _RETAINED,
        "named |= {(number, symbol.alias), (_OUTSIDE, symbol.alias)}",
        "pass",
        "tests/test_retained.py::test_what_main_leads_to_needs_no_linker[alias-g();]",
    ),
    _stage(
        "linker: initialisers",
        _RETAINED,
        "root = thing.body if isinstance(thing, FunctionDefinition) else thing.initializer",
        "root = thing.body if isinstance(thing, FunctionDefinition) else None",
        _around_main("init-array"),
    ),
]

# ------------------------------------------------------------------ what the attack tries

_DRIVER = "symexec/replay/driver.c"
_FUNCTIONS = "symexec/attack/functions.py"
_DRIVERS = "symexec/attack/drivers.py"
_WORDS = "symexec/attack/words.py"
_LINES = "symexec/attack/command_lines.py"
_JOB = "symexec/campaign/building.py"
_TRIED = "tests/symexec/attack/test_what_is_tried.py::test_"
_ATTACKS = "tests/symexec/attack/test_attack.py::test_"
_COMMANDS = "tests/symexec/attack/test_command_lines.py::test_"


def _tried(what: str, before: str, after: str, *kinds: str, path: str = _DRIVER) -> Stage:
    tests = tuple(f"{_TRIED}each_kind_of_value_is_tried[{kind}]" for kind in kinds or (what,))
    return Stage(f"attack: {what}", path, before, after, tests)


def _seen(what: str, before: str, after: str, *kinds: str) -> Stage:
    tests = tuple(
        f"{_TRIED}all_that_a_caller_sees_is_compared[{kind}]" for kind in kinds or (what,)
    )
    return Stage(f"attack: {what}", _DRIVER, before, after, tests)


def _without_mode(flag: str, kind: str) -> Stage:
    modes = "{0, BEHIND_IT, ALIASES, OVERLAPS, TAGS, TWICE, GLOBALS, BEHIND_IT | ALIASES}"
    left = modes.replace("BEHIND_IT | ALIASES", "0").replace(f" {flag}", " 0")
    return _tried(kind, modes, left)


DRIVER = [
    _tried("small numbers", "return length ? below(length + 1) : below(3);", "return next();"),
    _tried("usual numbers", "return usual[below(sizeof usual / sizeof *usual)];", "return 0;"),
    _tried("numbers of the text", "if (all->number_count) {", "if (0) {"),
    _tried(
        "neighbours of numbers of the text",
        "return once_in(2) ? value : value + below(3) - 1;",
        "return value;",
        "numbers of the text",
    ),
    _tried(
        "powers of two and their neighbours",
        "value = (uint64_t) 1 << below(bits);\n        return value + below(3) - 1;",
        "return 0;",
    ),
    _tried("negative numbers", "return -(uint64_t) (1 + below(16));", "return 0;"),
    _tried("the limits", "return limits[below(5)];", "return 0;", "the greatest number"),
    _tried("any numbers", "return next() >> below(64);", "return 0;"),
    _tried("digits", "case 0: return '0' + below(10);", "case 0: return 1;"),
    _tried("small letters", "case 1: return 'a' + below(26);", "case 1: return 1;"),
    _tried("capital letters", "case 2: return 'A' + below(26);", "case 2: return 1;"),
    _tried("white space", 'case 3: return " \\t\\n\\r\\v\\f"[below(6)];', "case 3: return 1;"),
    _tried("printed characters", "case 4: return '!' + below(94);", "case 4: return 1;"),
    _tried("both truth values", "*at = (unsigned char) below(2);", "*at = 0;"),
    _tried(
        "usual floating numbers",
        "value = usual[below(sizeof usual / sizeof *usual)];",
        "value = 0;",
        "infinity",
        "minus zero",
        "subnormal numbers",
        "the greatest floating number",
    ),
    _tried(
        "NaN",
        "memcpy(&value, &bits, sizeof value);\n        break;\n    case 4:",
        "break;\n    case 4:",
        "NaN of both signs",
    ),
    _tried("neighbours of usual numbers", "step = (int) below(3) - 1;", "step = 0;"),
    _tried("whole numbers", "value = (double) (int64_t) make_number(32, 0);", "value = 0;"),
    _tried("eighths", "value = (double) (int) below(2001) / 8 - 125;", "value = 0;"),
    _tried(
        "fractions",
        "value = (double) (int64_t) next() / (double) ((uint64_t) 1 << (32 + below(32)));",
        "value = 0;",
    ),
    _tried(
        "any bits",
        "    default:\n        bits = next();\n        memcpy(&value, &bits, sizeof value);",
        "    default:\n        value = 0;",
    ),
    _tried("words of the text", "if (all->word_count && once_in(3)) {", "if (0) {"),
    _tried("words with another letter", "at[below(size)] ^= (unsigned char) (1 << below(7));", ";"),
    _tried("words with more behind", "at[size++] = (unsigned char) (33 + below(94));", ";"),
    _tried("texts of digits", "case 0: at[i] = (unsigned char) ('0' + below(10)); break;", ""),
    _tried("texts of few letters", "case 1: at[i] = (unsigned char) ('a' + below(3)); break;", ""),
    _tried("texts of signs", '#=0aA"[below(19)]; break;', '#=0aA"[below(19)], at[i] = 200; break;'),
    _tried("texts of any bytes", "case 3: at[i] = (unsigned char) (1 + below(255)); break;", ""),
    _tried(
        "texts that are long",
        "once_in(3) ? length : below(4) ? below(8) : below(most + 1);",
        "once_in(3) ? length : below(8);",
    ),
    _tried(
        "texts of the length of a number",
        "once_in(3) ? length : below(4) ? below(8) : below(most + 1);",
        "below(4) ? below(8) : below(most + 1);",
    ),
    _tried(
        "arrays of several lengths",
        "unsigned count = length ? length : below(2);",
        "unsigned count = 1;",
    ),
    _tried("arrays of texts", "count++; /* the last one is null */", "count = 1;"),
    _tried(
        "null",
        "if (!once_in(argument->may_be_null ? 8 : 32))",
        "if (1)",
    ),
    _without_mode("ALIASES", "two pointers to one object"),
    _without_mode("OVERLAPS", "a pointer into another object"),
    _without_mode("TAGS", "low bits of pointers"),
    _without_mode("TWICE", "a second call"),
    _without_mode("GLOBALS", "global objects"),
    _tried(
        "more behind an object",
        "size_t behind = (mode & BEHIND_IT) ? BEHIND : 0;",
        "size_t behind = 0;",
    ),
    _tried(
        "pointers behind an object", "switch (below(depth > 0 ? 5 : 4)) {", "switch (below(4)) {"
    ),
    _tried(
        "several objects in an array",
        "unsigned count = once_in(6) ? 1 + length : 1;",
        "unsigned count = 1;",
    ),
    _tried(
        "objects of members",
        "if (depth > 0 && !once_in(record ? 3 : 8))",
        "if (0)",
        "objects of members",
        "texts of members",
    ),
    _tried(
        "members without objects",
        "if (depth > 0 && !once_in(record ? 3 : 8))",
        "if (depth > -40)",
    ),
    _tried("bit-fields", "set_bits(at, member, make_number(member->width, 0));", ";"),
    _tried(
        "memory of malloc",
        "unsigned char *at = __real_malloc(size ? size : 1);\n    memset(at, 0, size ? size : 1);",
        "static unsigned char room[1 << 20], *free_room; if (!free_room) free_room = room;\n"
        "    unsigned char *at = free_room; free_room += (size + 31) & ~15ul;",
        "memory that can grow",
    ),
    _tried(
        "each member of a union",
        "(union_turn++ + below(kind->count)) % kind->count",
        "0",
    ),
    _tried("texts behind void", "if (kind->kind == CSGTEST_VOID && once_in(2))", "if (0)"),
    _tried(
        "numbers and pointers behind void",
        "else\n            fill_plausibly(at, BEHIND, depth - 1);",
        "",
    ),
    _tried(
        "functions that compare",
        "if (left && right && kind->kind == CSGTEST_INTEGER) {",
        "if (0) {",
    ),
    _tried(
        "results of functions", "uint64_t value = once_in(2) ? 0 : below(4);", "uint64_t value = 0;"
    ),
    _tried("floating results of functions", "make_floating(result, kind->size);", ";"),
    _tried("files", "for (unsigned line = below(4); line > 0; line--) {", "while (0) {"),
    _tried(
        "few bits completely",
        "    if (all->whole)\n        make_whole(index, places);\n    else\n",
        "",
    ),
    Stage(
        "attack: what is only read lies apart",
        _DRIVER,
        "if (!(mode & (ALIASES | OVERLAPS)) || is_read)",
        "if (!(mode & (ALIASES | OVERLAPS)))",
        (f"{_TRIED}what_is_const_lies_apart",),
    ),
    Stage(
        "attack: restrict",
        _DRIVER,
        "if (!all->aliases)",
        "if (0)",
        (f"{_TRIED}what_callers_promise_holds",),
    ),
    Stage(
        "attack: ranges and assumptions",
        _DRIVER,
        "if (!csgtest_allowed((void **) places))",
        "if (0)",
        (f"{_TRIED}what_callers_promise_holds",),
    ),
    Stage(
        "attack: other bytes on the stack",
        _DRIVER,
        "room[i] = (unsigned char) asked.fill;",
        "room[i] = 0;",
        (f"{_TRIED}uninitialised_memory_holds_what_is_asked_for",),
    ),
    Stage(
        "attack: other bytes of malloc",
        _DRIVER,
        "mallopt(M_PERTURB, (int) asked.fill);",
        ";",
        (f"{_TRIED}uninitialised_memory_holds_what_is_asked_for",),
    ),
    *(
        Stage(
            f"attack: {flag} is told",
            _DRIVER,
            before,
            ";",
            (f"{_TRIED}what_is_unusual_is_told[{flag}]",),
        )
        for flag, before in (
            ("ALIASES", "shared->unusual |= ALIASES;"),
            ("OVERLAPS", "shared->unusual |= OVERLAPS;"),
            ("BEHIND_IT", "shared->unusual |= BEHIND_IT;"),
            ("TWICE", "shared->unusual |= TWICE;"),
            ("GLOBALS", "shared->unusual |= GLOBALS;"),
            ("UNIONS", "shared->unusual |= UNIONS;"),
            ("RECORDS", "shared->unusual |= RECORDS;"),
            ("HEAP_WORDS", "shared->unusual |= HEAP_WORDS;"),
            ("INNER_NULLS", "shared->unusual |= INNER_NULLS;"),
        )
    ),
    _seen(
        "what is returned",
        'put("returned ");\n        show(all->result, result, 3);',
        "",
        "what is returned",
        "members of what is returned",
    ),
    _seen("objects of the caller", "    show_items();\n    show_objects();", "    show_objects();"),
    _seen(
        "global objects that are shown",
        "    show_items();\n    show_objects();",
        "    show_items();",
        "global objects",
    ),
    _seen("calls of functions", 'put("callback %u\\n", stub);', ";"),
    _seen(
        "what functions are given", "show(type, value, 1);\n    put", "put", "calls of functions"
    ),
    _seen("an object that is freed", 'put("object %u freed\\n", i);', ";"),
    _seen("a new object", "note_item(at, size, 0, 0);\n}", "}"),
    _seen("every NaN alike", 'put("nan"); /*', 'put("%La", value); /*'),
    _seen("texts behind pointers", "        show_text(to);\n", "", "texts"),
    _seen(
        "members that are bit-fields", 'put("%" PRIx64, bits_of(at, member));', ";", "bit-fields"
    ),
    _seen("output", "dup2(printed[0].file, 1);", ";"),
    _seen("errors", "dup2(printed[1].file, 2);", ";"),
    _seen(
        "arrays", "show(kind->inner, at + (size_t) i * all->types[kind->inner].size, depth);", ";"
    ),
]

_STYLES = "tests/symexec/attack/test_what_is_tried.py::test_each_build_is_tried"
ATTACK = [
    _stage(
        "attack: -O0",
        _FUNCTIONS,
        "turns = (NATURAL[0], NATURAL[0], SANITIZED, NATURAL[1])",
        "turns = (SANITIZED, NATURAL[1])",
        f"{_STYLES}[-O0]",
    ),
    _stage(
        "attack: -O2",
        _FUNCTIONS,
        "turns = (NATURAL[0], NATURAL[0], SANITIZED, NATURAL[1])",
        "turns = (NATURAL[0], NATURAL[0], SANITIZED)",
        f"{_STYLES}[-O2]",
    ),
    _stage(
        "attack: sanitized",
        _FUNCTIONS,
        "turns = (NATURAL[0], NATURAL[0], SANITIZED, NATURAL[1])",
        "turns = (NATURAL[0], NATURAL[0], NATURAL[1])",
        "tests/symexec/attack/test_what_is_tried.py::test_the_sanitized_build_is_tried",
    ),
    _stage(
        "attack: small domains",
        _FUNCTIONS,
        "total = 1 << self.drivers.whole if self.drivers.whole is not None else None",
        "total = None",
        f"{_ATTACKS}an_equal_verdict_says_what_was_tried",
    ),
    _stage(
        "attack: runs that vary with uninitialised memory",
        _FUNCTIONS,
        "((FILLINGS[0], False), (FILLINGS[1], False), (FILLINGS[0], True))",
        "((FILLINGS[0], False), (FILLINGS[0], True))",
        f"{_ATTACKS}what_varies_with_memory_is_no_difference[uninitialised memory]",
    ),
    _stage(
        "attack: runs that vary with addresses",
        _FUNCTIONS,
        "((FILLINGS[0], False), (FILLINGS[1], False), (FILLINGS[0], True))",
        "((FILLINGS[0], False), (FILLINGS[1], False))",
        f"{_ATTACKS}what_varies_with_memory_is_no_difference[addresses]",
    ),
    _stage(
        "attack: all inputs of a function",
        _FUNCTIONS,
        "for place in _turned(records[0][:done], records[1][:done], seen, style):",
        "for place in ():",
        f"{_ATTACKS}a_fixed_number_of_inputs_gives_the_same_each_time",
    ),
    _stage(
        "attack: restrict in the text",
        "symexec/campaign/attacking.py",
        "has_restrict(self.unified, self.entry),",
        "False,",
        f"{_TRIED}restrict_is_found_in_the_text",
    ),
    _stage(
        "attack: pointers taken as numbers",
        _WORDS,
        "                tags = True\n",
        "                pass\n",
        f"{_TRIED}each_word_of_the_text_is_found[tags]",
        f"{_TRIED}each_kind_of_value_is_tried[low bits of pointers]",
    ),
    _stage(
        "attack: enumerators",
        _WORDS,
        "numbers |= dict.fromkeys(value for _, value in kind.enumerators)",
        "pass",
        f"{_TRIED}each_word_of_the_text_is_found[enumerators]",
    ),
    _stage(
        "attack: constants",
        _WORDS,
        "                numbers[value] = None",
        "                pass",
        f"{_TRIED}each_word_of_the_text_is_found[constants]",
    ),
    _stage(
        "attack: floating constants",
        _WORDS,
        "                numbers |= dict.fromkeys(_whole(text))",
        "                pass",
        f"{_TRIED}each_word_of_the_text_is_found[floating constants]",
    ),
    _stage(
        "attack: texts",
        _WORDS,
        "                texts[value] = None",
        "                pass",
        f"{_TRIED}each_word_of_the_text_is_found[texts]",
    ),
    _stage(
        "attack: words of initialisers",
        _WORDS,
        "yield declaration.initializer",
        "yield from ()",
        f"{_TRIED}each_word_of_the_text_is_found[initialisers]",
    ),
    _stage(
        "attack: versions whose trees are the same",
        _JOB,
        "return self._attack_unchanged(read)",
        "return None",
        f"{_ATTACKS}programs_whose_trees_are_the_same_are_attacked_though_nothing_is_changed",
    ),
    _stage(
        "attack: equal verdicts",
        _JOB,
        "for case in attacking.cases(goes_on):",
        "for case in ():",
        f"{_ATTACKS}what_no_test_can_say_is_a_c_program",
    ),
    _stage(
        "attack: its time",
        _JOB,
        "until = max(until, least)",
        "pass",
        "tests/test_omissions.py::test_an_equal_verdict_is_attacked_though_the_time_is_over",
    ),
]

LINES = [
    _stage(f"lines: {what}", _LINES, before, after, f"{_COMMANDS}{test}")
    for what, before, after, test in (
        (
            "no argument",
            "        yield TestInput()\n",
            "        pass\n",
            "each_kind_of_line_is_tried[no argument]",
        ),
        (
            "each byte",
            'for each in (b"", *(bytes([byte]) for byte in range(1, 256))):',
            "for each in ():",
            "each_kind_of_line_is_tried[each byte]",
        ),
        (
            "each word",
            "        for each in _texts(words):\n",
            "        for each in ():\n",
            "each_kind_of_line_is_tried[each word]",
        ),
        (
            "each byte and word to read",
            "for each in (*(bytes([byte]) for byte in range(256)), *_texts(words)):",
            "for each in ():",
            "each_kind_of_line_is_tried[each byte to read]",
        ),
        (
            "ends of lines",
            'yield TestInput(stdin=each + b"\\n")',
            "pass",
            "each_kind_of_line_is_tried[the end of a line]",
        ),
        (
            "texts of the program",
            "    yield from words.texts\n",
            "",
            "each_kind_of_line_is_tried[each word]",
        ),
        (
            "numbers of the program",
            "dict.fromkeys((*words.numbers, *_BOUNDARIES))",
            "dict.fromkeys(_BOUNDARIES)",
            "each_kind_of_line_is_tried[numbers of the text]",
        ),
        (
            "boundaries",
            "dict.fromkeys((*words.numbers, *_BOUNDARIES))",
            "dict.fromkeys(words.numbers)",
            "each_kind_of_line_is_tried[boundaries]",
        ),
        (
            "numbers as bytes",
            "yield bytes([number])",
            "pass",
            "each_kind_of_line_is_tried[numbers as bytes]",
        ),
        ("long options", 'yield b"--" + each', "pass", "each_kind_of_line_is_tried[long options]"),
        (
            "short options",
            'yield b"-" + each[:1]',
            "pass",
            "each_kind_of_line_is_tried[short options]",
        ),
        (
            "several arguments",
            "for _ in range(choose.randint(bounds.least, bounds.most))",
            "for _ in range(bounds.least)",
            "each_kind_of_line_is_tried[several arguments]",
        ),
        (
            "several lines to read",
            "if bounds.stdin and choose.random() < 0.6:",
            "if False:",
            "each_kind_of_line_is_tried[several lines to read]",
        ),
        (
            "files of the text",
            "named[choose.choice(names)] = 64",
            "pass",
            "words_of_the_text_become_arguments_lines_and_files",
        ),
        (
            "few bytes completely",
            "makers = chain(_first(words, bounds), _whole(bounds))",
            "makers = _first(words, bounds)",
            "two_bytes_are_tried_completely",
        ),
        *(
            (
                f"texts of kind {number}",
                before,
                'return b"a"',
                f"each_kind_of_line_is_tried[{kind}]",
            )
            for number, before, kind in (
                (
                    0,
                    "return bytes(choose.randrange(256) for _ in range(choose.randint(0, 4)))",
                    "any bytes",
                ),
                (
                    1,
                    "return bytes(choose.choice(_USUAL) for _ in range(choose.randint(0, 6)))",
                    "usual bytes",
                ),
                (2, "return bytes(word)", "words with another byte"),
                (
                    3,
                    'return choose.choice(pool) + choose.choice((b"", b" ", b"=", b",", b"-"))',
                    "words with a sign",
                ),
                (4, "return str(choose.randint(-300, 300)).encode()", "small numbers"),
            )
        ),
    )
]
LINES += [
    _stage(
        "lines: -O2",
        _LINES,
        "optimised = (turn % OPTIMISED_EVERY == 0 or ended) and bool(self._again)",
        "optimised = False",
        f"{_COMMANDS}each_build_is_tried[-O2]",
    ),
    _stage(
        "lines: -O0",
        _LINES,
        "style = NATURAL[optimised]",
        "style = NATURAL[1]",
        f"{_COMMANDS}each_build_is_tried[-O0]",
    ),
    _stage(
        "lines: what was written before runs were cut off",
        _LINES,
        "return _contradict(old.stdout, new.stdout)",
        "return False",
        f"{_COMMANDS}runs_that_were_cut_off_differ_in_what_both_have_written_alone[old3-new3-True]",
    ),
]
