"""Several files for each version become one program of both.

    main.c main.c    the same: shared, read once          Unified(unit, shared=(main.c,))
    list.c list.c    differ   \\
    --     hash.c    new       > joined, then unified       Unified.unit

A pair of files is shared when the compiler sees the same text, wherever it stands. Those that
differ are joined to one file for each version first.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from csg.errors import CsgtestError, Location, UnsupportedError, UsageError, deep_recursion
from csg.files import read_file
from csg.frontend import Preprocessed, parse_texts, preprocess_files
from csg.frontend.operators import compatible
from csg.frontend.prune import uneven_statics
from csg.language.syntax import (
    STRONG,
    Call,
    Cast,
    Declaration,
    FunctionDefinition,
    Linkage,
    Name,
    Symbol,
    TranslationUnit,
    Version,
)
from csg.language.traversal import Tree, rebuilt, walk
from csg.language.types import Enumeration, Function, Pointer, Record
from csg.programs import BY_TREES, Annotation, FilePair, Flags, SourceFile, files_of, is_aside
from csg.unify.linked import bypass_definitions, linked_otherwise
from csg.unify.matching.layouts import SameTypes
from csg.unify.matching.names import Translation, hooks_of_one, is_global
from csg.unify.object_code import (
    Compilation,
    apart,
    compiled_alike,
    dissents,
    is_same_code,
    spellings,
    with_dissents,
)
from csg.unify.output.annotated import annotated, published, refuse_annotated
from csg.unify.predefined import read_otherwise
from csg.unify.unified import Apart, Dissent, Unified
from csg.unify.unifier import unify

# -------------------------------------------------------------------- the files of a version joined
# Join the files of a version that differ from the other's to one, so that they are unified as one.
#
#     a.c    static int n; struct p {int x;};       struct p {int x;};
#     b.c    static int n; struct p {int x;};  ->   static int n; static int n__b;
#            int f(struct p *q)                     int f(struct p *q)
#            { return n + q->x; }                   { return n__b + q->x; }
#
# A function may then move from one file to another, and one that is called from another file may
# change its parameters. What several files call by one name and each means for itself is renamed,
# in both versions alike; records and enumerations that are equal become one. A call of a function
# that its file declares as something else than it is stays one: ``((void (*)(char *))warn)(text)``.


Unit = TranslationUnit
UnitPair = tuple[Unit | None, Unit | None]


def join(pairs: Sequence[UnitPair]) -> tuple[Unit, Unit]:
    """All old files as one, and all new ones. The units are changed in place."""
    if len(pairs) == 1:
        old, new = pairs[0]
        return old or Unit(_file(pairs[0])), new or Unit(_file(pairs[0]))
    keep_names_apart(pairs)
    return (
        _joined([old for old, _ in pairs if old is not None], _file(pairs[0])),
        _joined([new for _, new in pairs if new is not None], _file(pairs[0])),
    )


def _file(pair: UnitPair) -> str:
    unit = pair[1] or pair[0]
    return unit.file if unit is not None else ""


def _stem(file: str) -> str:
    """The name of a file as a part of identifiers: ``lib/a-b.c`` gives ``a_b``."""
    return re.sub(r"\W", "_", Path(file).stem)


# ------------------------------------------------------------------ names


def keep_names_apart(pairs: Sequence[UnitPair]) -> None:
    """``static int n`` of the second file that has one is called ``n__b`` after the file b.c."""
    symbols = [[symbol for unit in pair if unit for symbol in _globals(unit)] for pair in pairs]
    taken = {each.name for found in symbols for each in found if each.linkage is Linkage.EXTERNAL}
    reserved = taken | {name for pair in pairs for unit in pair if unit for name in _names(unit)}
    for pair, found in zip(pairs, symbols, strict=True):
        own = {symbol.name for symbol in found if symbol.linkage is Linkage.INTERNAL}
        renamed = {}
        for name in sorted(own & taken):
            renamed[name] = fresh(f"{name}__{_stem(_file(pair))}", reserved)
        for symbol in found:
            if symbol.linkage is Linkage.INTERNAL:
                symbol.name = renamed.get(symbol.name, symbol.name)
        taken |= own


def keep_functions_apart(pair: ProgramPair) -> None:
    """A static function of a shared file that is called as one elsewhere is renamed as well: what
    is said of a function by its name is said of one. Those of a header are one for all files."""
    differing = [unit for units in pair.differing for unit in units if unit]
    taken = {each.name for unit in (*differing, *pair.shared) for each in _globals(unit)}
    reserved = taken | {name for unit in (*differing, *pair.shared) for name in _names(unit)}
    known = {each.symbol.name: each.location for unit in differing for each in unit.functions}
    known |= {
        each.symbol.name: each.location
        for unit in pair.shared
        for each in unit.functions
        if each.symbol.linkage is Linkage.EXTERNAL
    }
    for unit in pair.shared:
        own = [each for each in unit.functions if each.symbol.linkage is Linkage.INTERNAL]
        renamed = {
            name: fresh(f"{name}__{_stem(unit.file)}", reserved)
            for name in sorted(each.symbol.name for each in own if _is_other(each, known))
        }
        known |= {
            each.symbol.name: each.location for each in own if each.symbol.name not in renamed
        }
        for symbol in _globals(unit) if renamed else ():
            if symbol.linkage is Linkage.INTERNAL:
                symbol.name = renamed.get(symbol.name, symbol.name)


def _is_other(function: FunctionDefinition, known: Mapping[str, Location]) -> bool:
    """Is a function of this name known that is written elsewhere?"""
    place = known.get(function.symbol.name, function.location)
    return (place.file, place.line) != (function.location.file, function.location.line)


def fresh(name: str, taken: set[str]) -> str:
    """``name``, or ``name`` with signs behind it until it is not in ``taken``; it is added
    there."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def _globals(unit: Unit) -> list[Symbol]:
    """Every symbol of file scope, each once."""
    found: dict[Symbol, None] = {}
    for symbol in _mentioned(unit):
        if is_global(symbol):
            found[symbol] = None
    return list(found)


def _names(unit: Unit) -> set[str]:
    return {symbol.name for symbol in _mentioned(unit)} | {
        name for kind in unit.types if isinstance(kind, Enumeration) for name, _ in kind.enumerators
    }


def _mentioned(unit: Unit) -> Iterator[Symbol]:
    for function in unit.functions:
        yield function.symbol
        yield from function.parameters
    yield from (declaration.symbol for declaration in unit.declarations)
    for node in walk(*unit.declarations, *(function.body for function in unit.functions)):
        if isinstance(node, Name | Declaration):
            yield node.symbol


# ------------------------------------------------------------------ trees


def _joined(units: Sequence[Unit], file: str) -> Unit:
    whole = Unit(file)
    with deep_recursion():
        for at, unit in enumerate(units):
            _add(whole, unit if at == 0 else _in_types_of(whole, unit))
        _call_as_declared(whole)
    whole.declarations = _one_for_each_name(whole)
    return whole


def _add(whole: Unit, unit: Unit) -> None:
    known = set(whole.types)
    whole.types += [kind for kind in unit.types if kind not in known]
    whole.declarations += unit.declarations
    for function in unit.functions:
        _add_function(whole.functions, function)
    whole.sources |= unit.sources
    whole.dropped += unit.dropped
    whole.warnings += unit.warnings


def _in_types_of(whole: Unit, unit: Unit) -> Unit:
    """The unit with its records and enumerations replaced by equal ones of ``whole``."""
    types = SameTypes(whole, unit, _stem(unit.file))
    done: set[Symbol] = set()

    def symbol(found: Symbol) -> Symbol:
        if found not in done:
            done.add(found)
            found.type = translation.type(found.type)
        return found

    translation = Translation(types, Version.OLD, symbol)
    declarations = [translation.node(each) for each in unit.declarations]
    functions = [
        replace(
            each,
            symbol=symbol(each.symbol),
            parameters=tuple([symbol(parameter) for parameter in each.parameters]),
            body=translation.node(each.body),
        )
        for each in unit.functions
    ]
    named: list[Record | Enumeration] = []
    for kind in unit.types:
        unified = types.unified(kind)
        assert isinstance(unified, Record | Enumeration)
        named.append(unified)
    return replace(unit, types=named, declarations=declarations, functions=functions)


def _add_function(functions: list[FunctionDefinition], function: FunctionDefinition) -> None:
    """Add a function. Inline and weak definitions, which many files may have from a header, yield
    to others."""
    symbol = function.symbol
    for at, known in enumerate(functions):
        if known.symbol.name != symbol.name or symbol.linkage is not Linkage.EXTERNAL:
            continue
        if symbol.strength == known.symbol.strength == STRONG:
            raise defined_twice("function", symbol.name, function, known)
        if symbol.strength > known.symbol.strength:
            functions[at] = function
        return
    functions.append(function)


def defined_twice(
    what: str,
    name: str,
    second: Declaration | FunctionDefinition,
    first: Declaration | FunctionDefinition,
) -> UnsupportedError:
    return UnsupportedError(
        f"{what} '{name}' is defined a second time",
        second.location,
        f"the first definition is at {first.location}",
    )


def _one_for_each_name(whole: Unit) -> list[Declaration]:
    """The declarations without repetition: an external object has its definition only, and a
    function that is defined has no declaration."""
    bodies = {function.symbol.name for function in whole.functions}
    best: dict[str, Declaration] = {}
    for each in _external(whole.declarations):
        known = best.get(each.symbol.name)
        both = known is not None and known.initializer is not None and each.initializer is not None
        if known is not None and both and each.symbol.strength == known.symbol.strength == STRONG:
            raise defined_twice("object", each.symbol.name, each, known)
        if known is None or _weight(each) > _weight(known):
            best[each.symbol.name] = each
    return [
        each
        for each in whole.declarations
        if each.symbol.linkage is not Linkage.EXTERNAL
        or (best[each.symbol.name] is each and each.symbol.name not in bodies)
    ]


def _call_as_declared(whole: Unit) -> None:
    """A call of what another file defines otherwise goes through a pointer of the type that the
    call's own file declares: the one declaration that is left would not let it pass."""
    defined = {each.symbol.name: each.symbol for each in whole.functions if is_global(each.symbol)}

    def called(node: Tree) -> Tree:
        node = rebuilt(node, called)
        match node:
            case Call(function=Name(symbol=symbol), arguments=given) if (
                symbol.linkage is Linkage.EXTERNAL
                and not _passes(symbol, defined.get(symbol.name, symbol), len(given))
            ):
                function = Cast(node.function, Pointer(symbol.type), node.location)
                return replace(node, function=function)
            case _:
                return node

    def differs(symbol: Symbol) -> bool:
        return not _passes(symbol, defined.get(symbol.name, symbol), None)

    for at, function in enumerate(whole.functions):
        if any(isinstance(node, Name) and differs(node.symbol) for node in walk(function.body)):
            whole.functions[at] = replace(function, body=rebuilt(function.body, called))


def _passes(declared: Symbol, defined: Symbol, given: int | None) -> bool:
    """Does a call by one declaration fit the definition as well? ``given`` is the number of
    arguments where there is no prototype (None: any number)."""
    if declared is defined:
        return True
    one, other = declared.type, defined.type
    if not (isinstance(one, Function) and isinstance(other, Function)):
        return True
    if one.prototype or not other.prototype:
        return compatible(one, other)
    fits = given is not None and (given == len(other.parameters) or other.variadic)
    return fits and compatible(one.result, other.result)


def _external(declarations: Iterable[Declaration]) -> Iterator[Declaration]:
    return (each for each in declarations if each.symbol.linkage is Linkage.EXTERNAL)


def _weight(declaration: Declaration) -> tuple[int, bool]:
    defines = declaration.initializer is not None or declaration.symbol.defined
    strength = declaration.symbol.strength if defines else -1
    return strength, declaration.initializer is not None


# ----------------------------------------------------------------------------------- pairs of files


LeftOut = dict[FilePair, CsgtestError]  # files that are no C, and the reasons
TextPair = tuple[Preprocessed | None, Preprocessed | None]


_MAY_BE_ANNOTATED = re.compile(r"\b(?:change|execute)_?\s*\(")


@dataclass(slots=True)
class ProgramPair:
    """The files of both versions, parsed. The texts are those that the trees were made from."""

    differing_texts: list[TextPair]
    shared_texts: list[Preprocessed]
    differing: list[tuple[TranslationUnit | None, TranslationUnit | None]]
    shared: list[TranslationUnit]
    both: TranslationUnit | None = None  # what was unified by hand
    left_out: LeftOut = field(default_factory=dict)  # no C, and not needed
    places: Mapping[str, int] = field(default_factory=dict)  # of the files among all

    @property
    def old(self) -> list[TranslationUnit]:
        return [unit for unit, _ in self.differing if unit is not None] + self.shared

    @property
    def new(self) -> list[TranslationUnit]:
        return [unit for _, unit in self.differing if unit is not None] + self.shared


def read_pair(pairs: Sequence[FilePair]) -> ProgramPair:
    """Read the files of both versions. Files of a folder that are not C are left out when they
    define nothing that others lack, else their first error is raised. Tests and examples with a
    ``main`` of their own are left out where another file has the program's."""
    read = _read_what_is_c(pairs)
    mains = {text.file for text, unit in _trees(read) if _defines_main(unit)}
    programs = [pair for pair in pairs if mains & {str(file.path) for file in _files(pair)}]
    aside = {pair for pair in programs if pair.below and is_aside(pair.below)}
    if not aside or len(aside) == len(programs):
        return read
    without = _read_pair([pair for pair in pairs if pair not in {*aside, *read.left_out}])
    wanted = undefined_names(without)
    if any(wanted & _may_define(pair, wanted) for pair in aside):
        return read
    second = UsageError("it has a main of its own, as a test or an example")
    without.left_out = {**read.left_out, **dict.fromkeys(aside, second)}
    return without


def _defines_main(unit: TranslationUnit) -> bool:
    return any(each.symbol.name == "main" for each in unit.functions)


def _files(pair: FilePair) -> list[SourceFile]:
    return [file for file in (pair.old, pair.new) if file is not None]


def _read_what_is_c(pairs: Sequence[FilePair]) -> ProgramPair:
    try:
        return _read_pair(pairs)
    except CsgtestError:
        broken = {pair: error for pair in pairs if pair.unnamed and (error := _error_of(pair))}
        retained = [pair for pair in pairs if pair not in broken]
        if not broken or not retained:
            raise
        read = _read_pair(retained)
        wanted = undefined_names(read)
        for pair, error in broken.items():
            if wanted & _may_define(pair, wanted):
                raise error from None
        read.left_out = broken
        return read


def _error_of(pair: FilePair) -> CsgtestError | None:
    """Why one of its versions cannot be read; None where both can."""
    try:
        for file in _files(pair):
            parse_texts(preprocess_files([file]), may_be_empty=True)
    except CsgtestError as error:
        return error
    return None


def undefined_names(pair: ProgramPair) -> frozenset[str]:
    """The names that a version uses and does not define, those of the C library among them."""
    return _wanted(pair.old) | _wanted(pair.new)


def with_flags(files: Sequence[FilePair], flags: Flags) -> tuple[FilePair, ...]:
    """The same files, compiled with more flags."""

    def one(file: SourceFile | None) -> SourceFile | None:
        return None if file is None else replace(file, flags=(*file.flags, *flags))

    return tuple(
        replace(each, old=one(each.old), new=one(each.new), both=one(each.both)) for each in files
    )


def _wanted(units: Sequence[TranslationUnit]) -> frozenset[str]:
    """The names that are used but not defined, those of the C library among them."""
    symbols = [each.symbol for unit in units for each in unit.declarations]
    defined = {each.symbol.name for unit in units for each in unit.functions}
    defined |= {symbol.name for symbol in symbols if symbol.defined}
    found = {symbol.name for symbol in symbols if symbol.linkage is Linkage.EXTERNAL} - defined
    return frozenset(found if "main" in defined else {*found, "main"})


def _may_define(pair: FilePair, names: frozenset[str]) -> frozenset[str]:
    """The names that seem to be defined in the text of the pair."""
    files = [file.path for file in _files(pair)]
    texts = [read_file(path) for path in files if path.is_file()]
    text = b"\n".join(texts).decode("utf-8", "replace")
    words = set(re.findall(r"\b(\w+)\s*(?:\([^;{}]*\)[^{}()]*\{|[=;\[])", text))
    return names & words


def _read_pair(pairs: Sequence[FilePair]) -> ProgramPair:
    """Read the pairs. Where the compiler sees no difference in any file, those whose text differs
    count as differing; if there is none, the first."""
    old, new = files_of(pairs)
    by_hand = [pair.both for pair in pairs if pair.both is not None]
    both = [*old, *new, *by_hand]
    texts = dict(zip(both, preprocess_files(both), strict=True))
    preprocessed = [
        (
            texts[pair.old] if pair.old is not None else None,
            texts[pair.new] if pair.new is not None else None,
        )
        for pair in pairs
    ]
    unified = [pair.both is not None for pair in pairs]
    read = _parsed_pairs(preprocessed, unified)
    if not by_hand and not any(_defines_main(unit) for _, unit in _trees(read)):
        offering = _offering(preprocessed)
        if offering != preprocessed:
            read = _parsed_pairs(offering, unified)
    read.places = {str(file.path): at for at, pair in enumerate(pairs) for file in _files(pair)}
    if not by_hand:
        for text, unit in _trees(read):
            if _MAY_BE_ANNOTATED.search(text.text):
                refuse_annotated(unit)
    for file in by_hand:
        (read.both,) = parse_texts([texts[file]])
    return read


def _parsed_pairs(texts: Sequence[TextPair], unified: Sequence[bool]) -> ProgramPair:
    """``unified``: which pairs were unified by hand."""
    differing: list[TextPair] = []
    same: list[tuple[Preprocessed, Preprocessed]] = []
    for (before, after), by_hand in zip(texts, unified, strict=True):
        if by_hand or before is None or after is None:
            differing.append((before, after))
        elif before.means_the_same(after) and compiled_alike(before.flags, after.flags):
            same.append((before, after))
        else:
            differing.append((before, after))
    if not differing:
        differing += [each for each in same if _differ_on_disk(*each)] or same[:1]
    shared = [each[1] for each in same if each not in differing]
    return _parsed(differing, shared, len(texts) > 1)


def _offering(pairs: Sequence[TextPair]) -> list[TextPair]:
    """The files of a library, with the static functions and objects of headers that differ and that
    they do not need: other files can, which include the header. The first file has them that
    includes the header."""
    uneven = [
        [*uneven_statics(before.text, after.text)]
        if before is not None and after is not None and not before.is_text_of(after)
        else []
        for before, after in pairs
    ]
    known = {(each.old, each.new) for found in uneven for each in found if each.needed}
    offering = [*pairs]
    for at, ((before, after), found) in enumerate(zip(pairs, uneven, strict=True)):
        more = [each for each in found if (each.old, each.new) not in known]
        known |= {(each.old, each.new) for each in more}
        if before is not None and after is not None and more:
            names = frozenset(each.name for each in more)
            offering[at] = replace(before, offered=names), replace(after, offered=names)
    return offering


def _trees(read: ProgramPair) -> Iterator[tuple[Preprocessed, TranslationUnit]]:
    for texts, units in zip(read.differing_texts, read.differing, strict=True):
        for text, unit in zip(texts, units, strict=True):
            if text is not None and unit is not None:
                yield text, unit
    yield from zip(read.shared_texts, read.shared, strict=True)


def _differ_on_disk(old: Preprocessed, new: Preprocessed) -> bool:
    return old is not new and read_file(old.file) != read_file(new.file)


def _parsed(
    differing: list[TextPair], shared: list[Preprocessed], may_be_empty: bool
) -> ProgramPair:
    both = [text for pair in differing for text in pair if text is not None]
    units = iter(parse_texts([*both, *shared], may_be_empty))

    def tree(text: Preprocessed | None) -> TranslationUnit | None:
        return None if text is None else next(units)

    return ProgramPair(
        differing,
        shared,
        [(tree(before), tree(after)) for before, after in differing],
        list(units),
    )


def unify_pair(
    pair: ProgramPair, entry: str = "main", annotation: Annotation = BY_TREES
) -> Unified:
    """Unify both versions. A shared file that uses a name that was split in other files is unified
    with these, though its own text is the same. So is one of which a definition is linked in one
    version alone, and the one with the entry function where no function of the others is known to
    see what the compiler makes differently."""
    if pair.both is not None:
        ((old, new),) = pair.differing
        assert old is not None and new is not None
        by_hand = annotated(pair.both, old, new)
        by_hand.shared = tuple(pair.shared)
        return by_hand
    while True:
        bypassed = bypass_definitions(pair.differing, pair.shared, _linked_at(pair, entry))
        if bypassed.uneven:
            pair = _with_shared(pair, bypassed.uneven)
            continue
        with Compilation(pair.differing_texts, pair.differing) as compilation:
            spelt = spellings(pair.differing)
            keep_functions_apart(pair)
            unified = unify(*join(pair.differing), entry, by_lines=annotation.by_lines)
            found = dissents(unified, compilation, spelt, pair.shared)
            same_code = bool(unified.changes) and is_same_code(
                unified, compilation, spelt, pair.shared
            )
            unmodelled = (*compilation.unmodelled(), *_of_hooks(unified))
            otherwise = (
                *read_otherwise((unit, text.flags) for text, unit in _trees(pair)),
                *_read_by_assembler(pair),
                *_linked_otherwise(pair),
                *bypassed.doubtful,
            )
        unified = divided(unified, found, entry, annotation.by_lines)
        unified.unmodelled, unified.read_otherwise = unmodelled, otherwise
        unified.same_code = same_code
        apart = _split_names(unified)
        concerned = {at for at, unit in enumerate(pair.shared) if apart & _used(unit)}
        if not unified.changes and unified.unseen:
            concerned |= _entered(pair.shared, entry)
        if not concerned:
            unified.shared = tuple(pair.shared)
            return published(unified) if annotation.published else unified
        pair = _with_shared(pair, concerned)


def _with_shared(pair: ProgramPair, concerned: Collection[int]) -> ProgramPair:
    """The files, read anew, with some of those that are shared among those that differ."""
    texts = list(enumerate(pair.shared_texts))
    differing = [*pair.differing_texts, *((each, each) for at, each in texts if at in concerned)]
    found = _parsed(differing, [each for at, each in texts if at not in concerned], True)
    found.places = pair.places
    return found


def _linked_at(pair: ProgramPair, entry: str) -> dict[str, int]:
    """The places of the files among those that are linked: the one with the entry function is
    linked first."""
    first = {
        unit.file
        for unit in (*pair.old, *pair.new)
        if any(each.symbol.name == (entry or "main") for each in unit.functions)
    }
    return {file: -1 if file in first else at for file, at in pair.places.items()}


def _entered(units: Sequence[TranslationUnit], entry: str) -> set[int]:
    """Which of these files have the entry function; where none has, those with a function that
    others can call."""
    outer = [
        {each.symbol.name for each in unit.functions if each.symbol.linkage is Linkage.EXTERNAL}
        for unit in units
    ]
    found = {at for at, names in enumerate(outer) if (entry or "main") in names}
    return found or {at for at, names in enumerate(outer) if names}


_READS = re.compile(r"\.(?:incbin|include)\b")


def _read_by_assembler(pair: ProgramPair) -> Iterator[Dissent]:
    for text, _ in _trees(pair):
        if _READS.search(text.text):
            yield Dissent("", Location(text.file), "its assembly reads a file that is not compared")


def _linked_otherwise(pair: ProgramPair) -> Iterator[Dissent]:
    """What the linker is asked for; nothing where the versions are the same for the compiler."""
    if any(
        old is None or new is None or old.flags != new.flags or not old.means_the_same(new)
        for old, new in pair.differing_texts
    ):
        yield from linked_otherwise((unit, text.flags) for text, unit in _trees(pair))


def _of_hooks(unified: Unified) -> Iterator[Dissent]:
    for name, place in hooks_of_one(unified.old, unified.new).items():
        text = f"'{name}' does not run before or after main alike in both versions"
        yield Dissent(name, place, text)


def divided(
    unified: Unified, found: Sequence[Dissent], entry: str, by_lines: bool = False
) -> Unified:
    """The same versions, with changes where the compiler sees differences."""
    if not found:
        return unified
    parts = apart(found, unified, entry)
    if parts != Apart():
        old, new = unified.old, unified.new
        unified = unify(old, new, entry, parts.functions, parts.objects, by_lines)
    return with_dissents(unified, found, parts)


class Readings:
    """What the entries of one program have in common: its files as they were read, and both
    versions unified. Only those of the files that were asked for last are stored."""

    def __init__(self) -> None:
        self._files: tuple[FilePair, ...] = ()
        self._pair: ProgramPair | None = None
        self._unified: dict[Annotation, Unified] = {}
        self._whole = True  # are the trees as they were read?
        # what an entry has read instead of the files that it was given, and without which of them
        self.instead: dict[tuple[FilePair, ...], tuple[tuple[FilePair, ...], LeftOut]] = {}

    def read(self, files: tuple[FilePair, ...]) -> ProgramPair:
        """As ``read_pair``."""
        if self._pair is None or files != self._files:
            self._files, self._pair, self._unified = files, read_pair(files), {}
            self._whole = True
        return self._pair

    def unify(
        self, files: tuple[FilePair, ...], entry: str, annotation: Annotation = BY_TREES
    ) -> Unified:
        """As ``unify_pair``, which changes the trees that it is given. An entry whose signature
        differs is unified separately: callers outside know it by one name."""
        pair = self.read(files)
        if annotation not in self._unified:
            whole = pair if self._whole else read_pair(files)
            self._whole = False
            self._unified[annotation] = unify_pair(whole, "", annotation)
        found = self._unified[annotation]
        other = {symbol.name for symbol in found.names.signatures} | found.splits.keys()
        if entry in other:
            return unify_pair(read_pair(files), entry, annotation)
        return found


def _split_names(unified: Unified) -> set[str]:
    """The external names that other files cannot use as before: they are split, or have another
    signature."""
    return {*unified.splits, *(symbol.name for symbol in unified.names.signatures)}


def _used(unit: TranslationUnit) -> set[str]:
    return {
        each.symbol.name for each in unit.declarations if each.symbol.linkage is Linkage.EXTERNAL
    }
