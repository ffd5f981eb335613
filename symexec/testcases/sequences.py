"""A test driver that makes an object by one function and passes it on to others.

    --entry 'table_new,table_put|table_drop,table_get'

    int driven_table_new_table_get(int width, unsigned char then, const char *table_put_key,
                                   int table_put_value, const char *table_drop_key, const char *key)
    {
        struct table *made = table_new(width);
        if (!made)
            return 0;
        if (then == 1)
            (what table_put(made, table_put_key, table_put_value) returns is printed)
        else if (then == 2)
            ..
        return table_get(made, key);
    }

or ``struct table made = {0}; table_init(&made, ..)``, or ``struct table *made = 0; table_open(..,
&made)``; what is asked of such an object is there from then on, too (``struct row *made_ =
table_row(made, ..)``).
So tests have what they cannot set, since only the library knows how it is laid out, or what must
hold of it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

import networkx

from csg.analysis.nullness import functions_of, null_tests
from csg.analysis.output_buffers import BUFFER
from csg.errors import UsageError
from csg.ir import DRIVEN
from csg.language.syntax import (
    AddressOf,
    Assign,
    Call,
    Case,
    Cast,
    CompoundAssign,
    Dereference,
    EnumeratorName,
    FunctionDefinition,
    Increment,
    IntegerConstant,
    Linkage,
    Member,
    Name,
    Return,
    Symbol,
)
from csg.language.traversal import called_name, walk, without_casts
from csg.language.type_text import declaration_text
from csg.language.types import (
    Array,
    Enumeration,
    Floating,
    Function,
    Integer,
    Pointer,
    Record,
    Type,
    VaList,
    Void,
    is_stream,
)
from csg.programs import FilePair
from csg.unify.pairs import ProgramPair
from symexec.inputs.structures import is_open, is_text
from symexec.testcases.driver import (
    HEADERS,
    NOTHING,
    OFFSET,
    Passing,
    Uses,
    defined,
    definitions,
    finished,
    in_source_names,
    is_named,
    plain,
    printed,
    shown_choice,
    structure_of,
    with_driver,
    within_objects,
)
from symexec.testcases.signature import Step

if TYPE_CHECKING:
    from csg.analysis.call_graph import NameGraph

# Words in the names of functions that end the life of an object, or begin it.
_ENDS = re.compile(
    r"clean(up)?|close|de(init|l|lete|stroy)|dispose|end|fini(sh)?|x?free|kill|release|shutdown|"
    r"term(inate)?|un(init|ref)"
)
_BEGINS = re.compile(r"x?alloc|begin|construct|create|init(iali[sz]e)?|make|new|open|setup|start")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_PRINTS = re.compile(r"v\w*printf(_chk)?")
_QUALIFIER = re.compile(r"\b(?:const|volatile|restrict)\b ?")
_ALL = 1000  # members
_FEW = 3  # members and enumerators that a single kind of object may have
MOST_MAKERS = 4  # functions of which one makes the object
ALL_MAKERS = 8  # the same, if each sets something that no other one sets
MOST_GETTERS = 2  # objects that are made to come to the one that a function takes
MOST_STEPS = 6  # functions of which one is called in between
MOST_OBSERVERS = 3  # functions of which one is called at the end


class Part(NamedTuple):
    """One call: of one of these functions, or of none where it ``may_be_left_out``."""

    names: list[str]
    may_be_left_out: bool


def parts_of(entry: str) -> list[Part]:
    """The calls that a sequence names; one that may be left out has a ``|``."""
    return [
        Part([name.strip() for name in each.split("|") if name.strip()], "|" in each)
        for each in entry.split(",")
    ]


class Making(NamedTuple):
    """How the object that a function takes is made: one of the ``makers`` makes it, or one that
    leads to it by the ``getters``, each of which takes what is there and returns the next."""

    makers: list[FunctionDefinition]
    getters: list[FunctionDefinition]


def making_of(
    function: FunctionDefinition,
    known: Sequence[FunctionDefinition],
    own: Collection[str] = frozenset(),
    members: Members | None = None,
) -> Making:
    """The fewest calls that make the object which a function takes by a pointer. Where no function
    makes it out of what tests can set, it is asked of another object that can be made:

        struct array *value_array(struct value *)      value_new_array(); value_array(made)

    ``own``: structures that users do not see; ``members``: what the functions of the library read
    and write of structures, by which makers are chosen."""
    waiting: list[tuple[str, list[FunctionDefinition]]] = [(_taken_by(function), [])]
    seen = {""}
    for object_, getters in waiting:
        if object_ in seen:
            continue
        seen.add(object_)
        taker = getters[0] if getters else function
        makers = makers_of(taker, known, own, object_, members, function)
        if makers:
            return Making(makers, getters)
        if len(getters) < MOST_GETTERS:
            found = _getters_of(object_, function, known, own)
            waiting += [(parent, [each, *getters]) for parent, each in found]
    return Making([], [])


def _getters_of(
    object_: str,
    function: FunctionDefinition,
    known: Iterable[FunctionDefinition],
    own: Collection[str],
) -> list[tuple[str, FunctionDefinition]]:
    """The functions that return a pointer to an object, or set one, and take one other object that
    has to be made, with this one: first those that take little else, then those with names like the
    function's."""
    found: list[tuple[int, int, str, str, FunctionDefinition]] = []
    for each in known:
        wanted = [_object(one) for one in _types(each) if _object(one) and not _is_plain(one, own)]
        kinds = [_result(each), *(one.target for one in _types(each) if isinstance(one, Pointer))]
        if not any(_object(one) == object_ and _is_writable(one) for one in kinds):
            continue
        if each is function or len(wanted) != 1 or wanted[0] == object_:
            continue
        if _is_called(each, _ENDS) or not _is_callable(each):
            continue
        alike = _alike(each.symbol.name, function.symbol.name)
        found.append((len(_types(each)), -alike, each.symbol.name, wanted[0], each))
    return [(parent, each) for *_, parent, each in sorted(found, key=lambda one: one[:3])]


def makers_of(
    function: FunctionDefinition,
    known: Iterable[FunctionDefinition],
    own: Collection[str] = frozenset(),
    object_: str = "",
    members: Members | None = None,
    reader: FunctionDefinition | None = None,
) -> list[FunctionDefinition]:
    """The functions that make the object which a function takes by a pointer, the likeliest first:
    one that returns a pointer to it and takes none, or one that may be null, or sets a pointer to
    it, and one that fills it and says so in its name; of these the one whose name begins with most
    words of the function's, and then the one that sets most of it. Of several any may be called:
    first those that set what the ``reader``, the function that is tested, tells apart.
    ``object_``: the structure, if it is not the first that the function takes."""
    object_ = object_ or _taken_by(function)
    known = [*known]
    functions = {each.symbol.name: each for each in known} if members is None else members.functions
    found: list[tuple[tuple[int, int, int, int, int, str], FunctionDefinition]] = []
    for each in known if object_ and _is_callable(function) else ():
        taken = [*map(_object, _types(each))]
        others = [one for one in _types(each) if _object(one) not in (object_, "")]
        plain_ = all(_is_plain(one, own) for one in others)
        if each is function or _is_called(each, _ENDS) or not plain_:
            continue
        if not _is_callable(each, functions):
            continue
        named = _is_called(each, _BEGINS)
        gives = object_ in map(_set_object, _types(each)) or object_ == _object(_result(each))
        filled = words = 0
        needs = object_ in taken and not (
            named and object_ == _object(_result(each)) and _spares(each, object_, functions)
        )
        if gives and not needs:
            rank = 0 if named else 2
        elif named and taken[:1] == [object_] and _fillable(each.parameters[0]):
            rank, filled = 1, _filled(each, each.parameters[0])
            words = _words_alike(each.symbol.name, function.symbol.name)
        else:
            continue
        alike = _alike(each.symbol.name, function.symbol.name)
        key = (rank, -words, -filled, -alike, len(taken), each.symbol.name)
        found.append((key, each))
    best = sorted(found, key=lambda one: one[0])
    if best and best[0][0][0] == 1:  # it fills an object, which others may not do as well
        return [best[0][1]]
    if best:
        best = [each for each in best if _object(_result(each[1])) == object_] or best[:1]
        reading = [each for each in best if any(map(_is_bytes, _types(each[1])))]
        best = [*dict.fromkeys([*best[:1], *reading[:1], *best])]
    made = [each for _, each in best]
    return made if members is None else _distinguishing(made, reader or function, members)


def _spares(
    function: FunctionDefinition, object_: str, functions: Mapping[str, FunctionDefinition]
) -> bool:
    """May all pointers to such an object be null that a function takes? It asks for it."""
    taken = {at for at, each in enumerate(_types(function)) if _object(each) == object_}
    return taken <= null_tests(functions, function).asked


def _distinguishing(
    makers: Sequence[FunctionDefinition], reader: FunctionDefinition, members: Members
) -> list[FunctionDefinition]:
    """The makers; those first that set something by which the reader tells objects apart, and that
    no maker before them sets, the rarest first:

        value_kind(v) { switch (v->kind) { case NUMBER: .. v->number .. }}     value_new_number(int)
    """
    read = members.traits(reader.symbol.name)[0]
    set_ = {each.symbol.name: members.traits(each.symbol.name)[1] & read for each in makers}
    count = Counter(trait for each in set_.values() for trait in each)
    # one that sets nearly all of it makes anything out of a text: it takes nobody's place
    most = max(_FEW, 0.75 * len(count))
    reading = [each for each in makers if any(map(_is_bytes, _types(each)))]
    general = [each for each in reading if len(set_[each.symbol.name]) > most][:1]
    left = [each for each in makers if each not in general]
    chosen: list[FunctionDefinition] = []
    seen: set[str] = set()
    while left and len(chosen) < ALL_MAKERS:
        new = {
            each.symbol.name: sum(1 / count[trait] for trait in set_[each.symbol.name] - seen)
            for each in left
        }
        best = max(left, key=lambda each: new[each.symbol.name])
        if len(chosen) + len(general) >= MOST_MAKERS and not new[best.symbol.name]:
            break
        chosen.append(best)
        left.remove(best)
        seen |= set_[best.symbol.name]
    return [*chosen[:1], *general, *chosen[1:]]


def _is_plain(kind: Type, own: Collection[str]) -> bool:
    """Does a pointer lead to a structure of numbers, also in structures inside of it, whose members
    users may set? ``own``: structures that they do not see."""
    if not isinstance(kind, Pointer) or structure_of(kind) in own:
        return False
    waiting: list[Type] = [kind.target]
    for each in waiting:
        if isinstance(each, Record) and each.fields is not None:
            waiting += [field.type for field in each.fields]
        elif not isinstance(each, Integer | Enumeration | Floating):
            return False
    return True


def _is_bytes(kind: Type) -> bool:
    return isinstance(kind, Pointer) and is_text(kind.target)


def _is_callable(
    function: FunctionDefinition, functions: Mapping[str, FunctionDefinition] | None = None
) -> bool:
    """Can a driver call it: from any file, with parameters whose types have names? One that formats
    its arguments as printf does can be called where the ``functions`` of the library are given."""
    kind = function.symbol.type
    external = function.symbol.linkage is Linkage.EXTERNAL
    named = all(map(is_named, (_result(function), *_types(function))))
    if not external or not named or not isinstance(kind, Function):
        return False
    return not kind.variadic or (functions is not None and _formats(function, functions))


def _formats(function: FunctionDefinition, functions: Mapping[str, FunctionDefinition]) -> bool:
    """Does a variadic function pass its last parameter, and the arguments behind it, on to
    vsnprintf or its like, itself or by functions of its own?"""
    kind = function.symbol.type
    if not isinstance(kind, Function) or not kind.variadic or not function.parameters:
        return False
    waiting = [(function, len(function.parameters) - 1)]
    seen = {function.symbol.name}
    for each, at in waiting:
        for node in walk(each.body):
            name = called_name(node)
            if not isinstance(node, Call) or not node.arguments:
                continue
            *_, format_, rest = [None, *node.arguments]
            given = without_casts(format_) if format_ is not None else None
            passes = isinstance(given, Name) and given.symbol is each.parameters[at]
            if not passes or rest is None or not isinstance(rest.type, VaList):
                continue
            if name not in functions:
                return _PRINTS.fullmatch(name) is not None
            if name not in seen and len(functions[name].parameters) == len(node.arguments):
                seen.add(name)
                waiting.append((functions[name], len(node.arguments) - 2))
    return False


def _filled(function: FunctionDefinition, pointer: Symbol) -> int:
    """The number of members that a function sets of what is passed to it; many where it sets all
    bytes of it."""
    members: set[str] = set()
    for node in walk(function.body):
        match node:
            case Assign(
                target=Member(
                    record=Name(symbol=symbol) | Dereference(operand=Name(symbol=symbol)), field=to
                )
            ) if symbol is pointer:
                members.add(to.name)
            case Call(function=Name(symbol=Symbol(name=name)), arguments=[first, *_]):
                whole = first.operand if isinstance(first, Cast) else first
                if "memset" in name and isinstance(whole, Name) and whole.symbol is pointer:
                    return _ALL
            case _:
                pass
    return len(members)


def steps_of(
    function: FunctionDefinition,
    maker: FunctionDefinition,
    known: Iterable[FunctionDefinition],
    members: Members,
) -> list[FunctionDefinition]:
    """The functions that may change the object before the function takes it: they take a pointer
    through which they can write, nothing else that has to be made, and neither begin nor end its
    life. One that frees what members lead to, and clears these in some version, leaves an object
    that may be used, and cleared, again. First those that write what the function reads and few
    others write."""
    object_ = _taken_by(function)
    found = []
    for each in known:
        taken = [*map(_object, _types(each))]
        if each is maker or taken.count(object_) != 1 or {*taken} > {object_, ""}:
            continue
        parameter = each.parameters[taken.index(object_)]
        if not _fillable(parameter) or not _is_callable(each, members.functions):
            continue
        if _is_called(each, _BEGINS) or _frees(each, parameter, members):
            continue
        if _is_called(each, _ENDS) and not _clears(each, members):
            continue
        found.append(each)
    read, _ = members.of(function.symbol.name)
    written = {each.symbol.name: members.of(each.symbol.name)[1] & read for each in found}
    writers = Counter(member for each in written.values() for member in each)

    def order(each: FunctionDefinition) -> tuple[bool, float, int, int]:
        name = each.symbol.name
        prepared = sum(1 / writers[member] for member in written[name])
        again = each is function and not _clears(each, members)
        return again, -prepared, -_alike(name, function.symbol.name), len(_types(each))

    return sorted(found, key=order)[:MOST_STEPS]


MemberName = tuple[str, str]  # the tag of a structure, a name


def observers_of(
    function: FunctionDefinition,
    known: Iterable[FunctionDefinition],
    steps: Sequence[FunctionDefinition],
    members: Members,
    changed: Collection[str],
) -> list[FunctionDefinition]:
    """The functions that tell what changed code has written of the object that a function takes:
    they take it and nothing that has to be made, return something, and write none of that. First
    those that read little else. Then those that show what was freed: the ``steps`` that go on with
    the object and come to no change, and one function that ends it."""
    object_ = _taken_by(function)
    written = set().union(*(members.own(name)[1] for name in changed))
    found: list[tuple[float, int, str, FunctionDefinition]] = []
    ending: list[FunctionDefinition] = []
    for each in known:
        taken = [*map(_object, _types(each))]
        if each is function or object_ not in taken or {*taken} > {object_, ""}:
            continue
        read, changes = members.of(each.symbol.name)
        if not read & written or not _is_callable(each, members.functions):
            continue
        if _is_called(each, _ENDS):
            ending += [each] if taken == [object_] else []
            continue
        tells = not isinstance(_result(each), Void | Record)
        if tells and not _is_called(each, _BEGINS) and not changes & written:
            share = len(read & written) / len(read)
            found.append((-share, len(taken), each.symbol.name, each))
    using = [
        each
        for each in steps
        if members.of(each.symbol.name)[0] & written
        if members.reached(each.symbol.name).isdisjoint(changed)
    ]
    return [
        *(each for *_, each in sorted(found, key=lambda one: one[:3])[:MOST_OBSERVERS]),
        *using,
        *sorted(ending, key=lambda one: one.symbol.name)[:1],
    ]


class Members:
    """The members of structures that functions read and write, by themselves or in what they
    call."""

    def __init__(self, functions: Mapping[str, FunctionDefinition], calls: NameGraph) -> None:
        self.functions = functions
        self._calls = calls
        self._own: dict[str, tuple[set[MemberName], set[MemberName]]] = {}

    def definition(self, name: str) -> FunctionDefinition | None:
        return self.functions.get(name)

    def of(self, name: str) -> tuple[set[MemberName], set[MemberName]]:
        both = [self.own(each) for each in self.reached(name)]
        return set().union(*(read for read, _ in both)), set().union(*(made for _, made in both))

    def traits(self, name: str) -> tuple[set[str], set[str]]:
        """What tells objects apart in what a function reads, and in what it makes: the members that
        it reads or writes, and the enumerators that it names, by itself or in what it calls."""
        read, written = self.of(name)
        named = set()
        for each in self.reached(name):
            for node in walk(self.functions[each].body):
                match node:
                    case EnumeratorName(name=enumerator) | Case(text=enumerator):
                        named.add(f"={enumerator}")
                    case _:
                        pass
        both = [{".".join(each) for each in part} for part in (read, written)]
        return both[0] | named, both[1] | named

    def reached(self, name: str) -> set[str]:
        """A function, and those that it calls."""
        found = {name}
        if name in self._calls:
            found |= networkx.descendants(self._calls, name)
        return found & self.functions.keys()

    def own(self, name: str) -> tuple[set[MemberName], set[MemberName]]:
        """What the body of a function itself reads and writes."""
        if name not in self.functions:
            return set(), set()
        if name not in self._own:
            read: set[MemberName] = set()
            written: set[MemberName] = set()
            targets: set[int] = set()
            for node in walk(self.functions[name].body):
                match node:
                    case Assign(target=Member() as target):
                        targets.add(id(target))
                        written.add(_member_name(target))
                    case (
                        Assign(target=place)
                        | CompoundAssign(target=place)
                        | Increment(operand=place)
                        | AddressOf(operand=place)
                    ):
                        inner = [each for each in walk(place) if isinstance(each, Member)]
                        written.update(map(_member_name, inner[:1]))
                    case Call(arguments=arguments):
                        passed = [each for each in arguments if isinstance(each, Member)]
                        lent = [each for each in passed if isinstance(each.type, Array)]
                        written.update(map(_member_name, lent))
                    case Member() if id(node) not in targets:
                        read.add(_member_name(node))
                    case _:
                        pass
            self._own[name] = read, written
        return self._own[name]


def _member_name(node: Member) -> MemberName:
    kind = node.record.type
    kind = kind.target if isinstance(kind, Pointer) else kind
    return getattr(kind, "tag", ""), node.field.name


def sequence_files(
    files: Sequence[FilePair],
    pair: ProgramPair,
    entry: str,
    uses_of: Callable[[str], Uses] = lambda name: NOTHING,
) -> tuple[tuple[FilePair, ...], str, tuple[Step, ...]]:
    """The files with a driver that calls the functions of a sequence, the name of the driver, and
    its calls. Raises UsageError where there is no such driver. ``uses_of``: what both versions do
    with the parameters of a function."""
    parts = parts_of(entry)
    names = [name for part in parts for name in part.names]
    whole = all(part.names for part in parts) and _main(parts) > 0
    if not whole or (len(parts[0].names) == 1 and parts[0].may_be_left_out):
        raise UsageError(
            f"'{entry}' is no sequence of calls",
            hint="name the function that makes an object and one that takes it: new,get; in "
            "between and behind, those of which one may be called: new,put|drop,get,size|",
        )
    sides = []
    for units in (pair.old, pair.new):
        known = {}
        for name in names:
            found = [*definitions(units, name)]
            if len(found) != 1:
                what = "several are called so" if found else "there is none"
                raise UsageError(f"no call of '{name}' can be tested: {what} in one version")
            if not all(map(is_named, (_result(found[0][1]), *_types(found[0][1])))):
                raise UsageError(f"no call of '{name}' can be tested: one of its types has no name")
            known[name] = found[0]
        home = known[parts[_main(parts)].names[0]][0]
        uses = {
            name: uses_of(name) if there == home else uses_of(name).elsewhere()
            for name, (there, _) in known.items()
        }
        called = {name: each for name, (_, each) in known.items()}
        driver = _Driver(called, parts, uses, functions_of(units))
        text = in_source_names(driver.text(), units)
        sides.append((home, text, tuple(driver.steps)))
    (old, text, steps), (new, other, _) = sides
    alike = _without_qualifiers(text) == _without_qualifiers(other)
    made = with_driver(files, {old, new}, text, other) if alike else None
    if made is None:
        raise UsageError(f"the functions of '{entry}' are not called alike in both versions")
    return made, _name(parts), steps


def _without_qualifiers(text: str) -> str:
    """C text without the qualifiers of its types: they change no call."""
    return _QUALIFIER.sub("", text)


def _name(parts: Sequence[Part]) -> str:
    return f"{DRIVEN}{parts[0].names[0]}_{parts[_main(parts)].names[0]}"


def _main(parts: Sequence[Part]) -> int:
    """The place of the last call that is not left out; 0: there is none behind the first."""
    return max(at for at, part in enumerate(parts) if at == 0 or not part.may_be_left_out)


def _alike(one: str, other: str) -> int:
    """The number of characters with which both names begin."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _words_alike(one: str, other: str) -> int:
    """The number of words with which both names begin: 2 of ``zip_reader_init, zip_reader_get``."""
    pairs = zip(_WORD.findall(one), _WORD.findall(other), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _is_called(function: FunctionDefinition, *forms: re.Pattern[str]) -> bool:
    """Has the name of a function a word of such a form: ``table_free``, ``tableFree``?"""
    return any(_has_word(function.symbol.name, form) for form in forms)


def _has_word(name: str, form: re.Pattern[str]) -> bool:
    return any(form.fullmatch(each.lower()) for each in _WORD.findall(name))


def _types(function: FunctionDefinition) -> list[Type]:
    return [each.type for each in function.parameters]


def _result(function: FunctionDefinition) -> Type:
    kind = function.symbol.type
    assert isinstance(kind, Function)
    return kind.result


def _taken_by(function: FunctionDefinition) -> str:
    """The structure that a function takes by a pointer, the first of several; "": none."""
    return next(filter(None, map(_object, _types(function))), "")


def _object(kind: Type) -> str:
    """The structure that a pointer leads to; "" for other types, and for streams."""
    return "" if is_stream(kind) else structure_of(kind)


def _set_object(kind: Type) -> str:
    """What is made by a function that sets a pointer: ``struct table **to``."""
    return _object(kind.target) if isinstance(kind, Pointer) else ""


def _fillable(parameter: Symbol) -> bool:
    return _is_writable(parameter.type)


def _is_writable(kind: Type) -> bool:
    return isinstance(kind, Pointer) and "const" not in kind.qualifiers


def _frees(function: FunctionDefinition, parameter: Symbol, members: Members) -> bool:
    """Does a function pass what it is given to ``free``, or to a function without source that is
    called so, by itself or in what it calls?"""
    waiting, seen = [(function, parameter)], {parameter}
    for each, given in waiting:
        for node in walk(each.body):
            if not isinstance(node, Call):
                continue
            name = _called_name(node)
            passed = [isinstance(one, Name) and one.symbol is given for one in node.arguments]
            called = members.definition(name)
            if called is not None:
                to = [one for one, here in zip(called.parameters, passed, strict=False) if here]
                waiting += [(called, one) for one in to if one not in seen]
                seen.update(to)
            elif any(passed) and _has_word(name, _ENDS):
                return True
    return False


def _clears(function: FunctionDefinition, members: Members) -> bool:
    """Does a function pass a member to ``free``, or to its like, and set that member as well, by
    itself or in what it calls?"""
    freed: set[MemberName] = set()
    for each in members.reached(function.symbol.name):
        for node in walk(members.functions[each].body):
            if isinstance(node, Call) and _has_word(_called_name(node), _ENDS):
                passed = map(without_casts, node.arguments)
                freed.update(_member_name(one) for one in passed if isinstance(one, Member))
    return not freed.isdisjoint(members.of(function.symbol.name)[1])


def _called_name(call: Call) -> str:
    """The name that a call has in front: of a function, of a pointer to one, or of a member."""
    named = call.function.operand if isinstance(call.function, Dereference) else call.function
    match named:
        case Name(symbol=symbol):
            return symbol.name
        case Member(field=field_):
            return field_.name
        case _:
            return ""


def _success(function: FunctionDefinition) -> int | None:
    """The number that a function returns at its end; None where that is no constant."""
    last = None
    for node in walk(function.body):
        if isinstance(node, Return):
            last = node
    value = last.value if last is not None else None
    return value.value if isinstance(value, IntegerConstant) else None


@dataclass(slots=True)
class _Driver:
    """The driver of a sequence. ``made`` are the objects that are there: how a call names each."""

    functions: Mapping[str, FunctionDefinition]
    parts: Sequence[Part]
    uses: Mapping[str, Uses]
    defined: Mapping[str, FunctionDefinition]
    passed: Passing = field(default_factory=Passing)
    lines: list[str] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    made: dict[str, str] = field(default_factory=dict)
    _taken: set[str] = field(default_factory=set)

    def text(self) -> str:
        place = _main(self.parts)
        main = self.functions[self.parts[place].names[0]]
        ends = place == len(self.parts) - 1
        result = _result(main) if ends else Void()
        self._taken = {*self.functions, *(each.name for each in main.parameters)}
        for at, part in enumerate(self.parts):
            if at == 0 and len(part.names) > 1:
                self.lines += self._made_by_one_of(part.names, result)
            elif at == place and ends:
                self.lines += finished(self._call(main, {}, own=True), result)
            elif part.may_be_left_out:
                self.lines += self._one_of(part.names, at, result)
            else:
                called = self.functions[part.names[0]]
                self.lines += self._called(called, result, first=at == 0, own=at == place)
        if not ends:
            self.lines.append("fflush(NULL);")
        prototypes = [_prototype(each) for each in self.functions.values()]
        body = [*self.passed.before, *self.lines]
        driver = defined(_name(self.parts), result, self.passed.declared, body)
        return "\n".join([HEADERS, *prototypes, *self.passed.stubs, driver])

    def _made_by_one_of(self, names: Sequence[str], result: Type) -> Iterator[str]:
        """The object is what one of these returns."""
        kinds = [_result(self.functions[name]) for name in names]
        object_ = _object(kinds[0])
        if not object_ or any(_object(each) != object_ for each in kinds):
            raise UsageError(f"{' and '.join(names)} do not return pointers to one structure")
        chosen, variable = self._fresh("first"), self._fresh("made")
        self.passed.declared.append(f"unsigned char {chosen}")
        yield f"{declaration_text(kinds[0], variable)} = 0;"
        for number, name in enumerate(names, 1):
            function = self.functions[name]
            call = self._call(
                function, self._spared(function), chosen=chosen, value=number, to=variable
            )
            yield f"{'else ' if number > 1 else ''}if ({chosen} == {number})"
            yield f"    {variable} = ({declaration_text(kinds[0])}) {call};"
        self.made[object_] = variable
        yield from _ending(f"!{variable}", result)

    def _one_of(self, names: Sequence[str], at: int, result: Type) -> Iterator[str]:
        """None of these calls, or one."""
        chosen = self._fresh("then" if at == 1 else f"then_{at}")
        self.passed.declared.append(f"unsigned char {chosen}")
        for number, name in enumerate(names, 1):
            yield f"{'else ' if number > 1 else ''}if ({chosen} == {number}) {{"
            for line in self._called(self.functions[name], result, chosen, number):
                yield f"    {line}"
            yield "}"

    def _called(
        self,
        function: FunctionDefinition,
        result: Type,
        chosen: str = "",
        value: int = 0,
        first: bool = False,
        own: bool = False,
    ) -> Iterator[str]:
        """A call whose result no caller gets. What it makes is there from now on; what else
        it returns is printed. The ``first`` one fills what it is passed."""
        kind = function.symbol.type
        assert isinstance(kind, Function)
        name = function.symbol.name
        made = self._spared(function) if first else {}
        guard, outcome = "", f"{name}_result"
        if not chosen and isinstance(kind.result, Integer | Enumeration | Floating | Pointer):
            outcome = self._fresh(outcome)
        if not chosen:
            for at, each in enumerate(function.parameters):
                if at in made:
                    continue
                here, set_ = _object(each.type), _set_object(each.type)
                target = each.type.target if isinstance(each.type, Pointer) else each.type
                if set_ and set_ not in self.made and self._is_wanted(set_):
                    variable = self._fresh("made")
                    assert isinstance(target, Pointer)
                    yield f"{declaration_text(target, variable)} = 0;"
                    made[at] = set_, f"&{variable}"
                    self.made[set_] = variable
                    guard = f"!{variable}"
                elif (
                    first
                    and here
                    and here not in self.made
                    and self._is_wanted(here)
                    and _fillable(each)
                    and isinstance(target, Record)
                    and is_open(target)
                ):
                    variable = self._fresh("made")
                    yield f"{declaration_text(target, variable)} = {{0}};"
                    made[at] = here, f"&{variable}"
                    self.made[here] = f"&{variable}"
                    success = _success(function)
                    if isinstance(kind.result, Integer | Enumeration) and success is not None:
                        guard = f"{outcome} != {success}"
        new = _object(kind.result)
        if new in self.made or not self._is_wanted(new) or chosen:
            new = ""
        variable = self._fresh("made") if new else ""
        call = self._call(function, made, own, chosen, value, variable)
        if new:
            yield f"{declaration_text(kind.result, variable)} = {call};"
            self.made[new] = variable
            guard = f"!{variable}"
        elif isinstance(kind.result, Integer | Enumeration | Floating | Pointer):
            yield f"{declaration_text(plain(kind.result), outcome)} = {call};"
            yield f'printf("{name}: ");'
            yield printed(kind.result, outcome, "")
            yield 'printf("\\n");'
        else:
            yield f"{call};"
        if guard:
            yield from _ending(guard, result)

    def _spared(self, function: FunctionDefinition) -> dict[int, tuple[str, str]]:
        """The pointers that are null in a call which makes the object that they lead to."""
        object_ = _object(_result(function))
        taken = [at for at, each in enumerate(_types(function)) if _object(each) == object_ != ""]
        if not taken or object_ in self.made or not _spares(function, object_, self.defined):
            return {}
        return dict.fromkeys(taken, (object_, "NULL"))

    def _is_wanted(self, object_: str) -> bool:
        names = {name for part in self.parts[1:] for name in part.names}
        return any(object_ in map(_object, _types(self.functions[name])) for name in names)

    def _call(
        self,
        function: FunctionDefinition,
        made: Mapping[int, tuple[str, str]],
        own: bool = False,
        chosen: str = "",
        value: int = 0,
        to: str = "",
    ) -> str:
        """The text of a call; parameters of the last function have their ``own`` names. ``to``: the
        variable that what it makes is stored in."""
        name = function.symbol.name
        shown: list[str] = []
        given: list[str] = []
        within = within_objects(function, self.uses[name].ranges)
        formats = not own and _formats(function, self.defined)
        names = {
            each: each.name if own else self._fresh(f"{name}_{each.name}")
            for at, each in enumerate(function.parameters)
            if at not in made and _object(each.type) not in self.made
        }
        for at, each in enumerate(function.parameters):
            variable = made[at][1] if at in made else self.made.get(_object(each.type))
            if variable is not None:
                shown.append(variable)
                given.append(variable)
                continue
            parameter, inside = names[each], within.get(at)
            if formats and at == len(function.parameters) - 1:
                self.passed.declared.append(f"const char *{parameter}")
                given += ['"%s"', parameter]
                shown += ['"%s"', f"{{{parameter}}}"]
                continue
            if inside is not None and inside.symbol in names:
                inside = replace(inside, name=names[inside.symbol])
                self.passed.add(each, parameter, within=inside)
                plainly = f"{{{inside.name}}} + {{{parameter}{OFFSET}}}"
            else:
                if at in self.uses[name].buffers and inside is None:
                    self.passed.add_buffer(each, parameter)
                else:
                    self.passed.add(each, parameter)
                own_object = self.passed.given[-1]
                is_made = own_object in (f"stub_{parameter}", f"{BUFFER}{parameter}")
                plainly = own_object if is_made else f"{{{parameter}}}"
            shown.append(self._with_choice(function, at, names, plainly))
            given.append(self.passed.given[-1])
        before = f"{to} = " if to else ""
        self.steps.append(Step(f"{before}{name}({', '.join(shown)})", chosen, value))
        return f"{name}({', '.join(given)})"

    def _with_choice(
        self, function: FunctionDefinition, at: int, names: Mapping[Symbol, str], plainly: str
    ) -> str:
        """The argument that was added last as readers see it, with what tests pass instead."""
        choice = self.uses[function.symbol.name].choice(at)
        if choice is None:
            return plainly
        each = function.parameters[at]
        own = {symbol.name: name for symbol, name in names.items()}
        self.passed.choose(each, names[each], choice, own.__getitem__)
        return shown_choice(each.type, names[each], choice, plainly, own.__getitem__)

    def _fresh(self, name: str) -> str:
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name


def _ending(guard: str, result: Type) -> Iterator[str]:
    """The driver ends, with zero, where this holds."""
    yield f"if ({guard}) {{"
    if isinstance(result, Void):
        yield "    return;"
    else:
        yield f"    {declaration_text(plain(result), 'nothing')} = {{0}};"
        yield "    return nothing;"
    yield "}"


def _prototype(function: FunctionDefinition) -> str:
    static = "static " if function.symbol.linkage is Linkage.INTERNAL else ""
    return f"{static}{declaration_text(function.symbol.type, function.symbol.name)};"


def is_sequence(entry: str) -> bool:
    return "," in entry
