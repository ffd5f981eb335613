"""How a program ends itself, where it jumps, what it runs on, what it leaves behind, and what
models in C admit of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from csg.errors import Location
from csg.records import record
from symexec.expr import Data, Operand, Term, compare, conjunction, disjunction, ite, negate
from symexec.ledger import Reason
from symexec.runtime import host_library
from symexec.runtime.contract import (
    Arguments,
    Context,
    Defer,
    End,
    JumpBack,
    Model,
    Place,
    Registry,
    SharedArguments,
    SharedModel,
)
from symexec.runtime.filesystem.nodes import (
    FILE,
    FOLDER,
    LINK,
    ROOT,
    Contents,
    Node,
    changed_bytes,
    creation_mask,
    current_folder,
    descriptor,
    file_of,
    node,
    opened,
    put_node,
)
from symexec.runtime.filesystem.open_files import APPEND
from symexec.runtime.operands import (
    Asking,
    agreed,
    holds,
    pin,
    place,
    plain,
    read_string,
    write_bytes,
)
from symexec.runtime.stdio.streams import discard_pending, standard, stream, streams
from symexec.state.endings import (
    Aborted,
    AssertionFailed,
    Exit,
    Killed,
    PathEnding,
    Returned,
    Trapped,
    Unsupported,
)
from symexec.state.state import Outcome

# ---------------------------------------------------------------------------------------- process
# How a program ends itself: exit, abort, a failed assertion; and what it runs on. C17 7.22.4, 7.2.
#
# exit(3)      handlers run first (libc/exit.c), then the path ends with Exit(3)
# assert(0)    AssertionFailed("0", where it stands)


models = Registry()


@models("__csgtest_exit", effects="nothing")
def leave(context: Context, arguments: Arguments) -> Model:
    yield End(Exit(arguments[0]))
    return None


@models("_exit", "_Exit", effects="output")
def leave_at_once(context: Context, arguments: Arguments) -> Model:
    """_exit: what streams have not written yet is lost."""
    discard_pending(context)
    yield End(Exit(arguments[0], at_once=True))
    return None


@models("__csgtest_abort", effects="output")
def give_up(context: Context, arguments: Arguments) -> Model:
    yield End(Aborted())
    return None


@models("__csgtest_killed", effects="nothing")
def be_killed(context: Context, arguments: Arguments) -> Model:
    """End the process by a signal that it sends to itself. What streams have not written yet is
    lost."""
    number = yield from pin(arguments[0], "a signal")
    discard_pending(context)
    yield End(Killed(number))
    return None


@models("__builtin_trap", "__csgtest_trap", effects="output")
def trap(context: Context, arguments: Arguments) -> Model:
    yield End(Trapped("__builtin_trap"))
    return None


@models("__csgtest_assert_fail", "__assert_fail", effects="reads 0.., output")
def fail_assertion(context: Context, arguments: Arguments) -> Model:
    if (yield from standard(context, 2)) != 2:
        yield End(Unsupported("the message of an assertion, where stderr is another stream"))
    text = yield from known_text(context, arguments[0])
    file = yield from known_text(context, arguments[1])
    line = yield from pin(arguments[2], "the line of an assertion")
    yield End(AssertionFailed(text, Location(file, line)))
    return None


@models("__csgtest_library_version", effects="writes 0")
def library_version(context: Context, arguments: Arguments) -> Model:
    """Write the result of gnu_get_libc_version into a buffer of a given size; with a third argument
    that is not 0, that of gnu_get_libc_release."""
    release = yield from pin(arguments[2], "which version of the library")
    room = yield from pin(arguments[1], "the room for a version")
    address = yield from place(arguments[0])
    write_bytes(context, address, [*host_library.version(bool(release))[: room - 1], 0])
    return 0


def known_text(context: Context, pointer: Operand) -> Asking[str]:
    """The text of a message; its symbolic bytes are shown as question marks."""
    address = yield from place(pointer)
    if address == 0:
        return ""
    found = yield from read_string(context, address)
    known = bytes(byte if isinstance(byte, int) else ord("?") for byte in found)
    return known.decode("utf-8", "replace")


# -------------------------------------------------------------------------------------- admitting
# What models in C admit: that something is not as it would be, cannot be at all, or is seldom.
#
# __csgtest_approximated("the variable HOME")       an event, and the path goes on
# __csgtest_unsupported("a command for system")     the path ends
# __csgtest_is_option(c)                            any byte is an option: the path can wait
# __csgtest_is_constant(bits)                       the same for all inputs: gcc may know it, too


SHAPED = "command lines are shaped"  # known options are words of others
BEHIND = 3  # steps that such an option goes


@models("__csgtest_approximated", effects="reads 0")
def tell(context: Context, arguments: Arguments) -> Model:
    text = yield from known_text(context, arguments[0])
    context.event(Reason.APPROXIMATED, text)
    return None


@models("__csgtest_unsupported", effects="reads 0")
def admit_giving_up(context: Context, arguments: Arguments) -> Model:
    text = yield from known_text(context, arguments[0])
    yield End(Unsupported(text))
    return None


@models("__csgtest_is_constant", effects="nothing")
def is_constant(context: Context, arguments: Arguments) -> Model:
    return int(not isinstance(arguments[0], Term))
    yield


@models("__csgtest_is_option", effects="nothing")
def found_option(context: Context, arguments: Arguments) -> Model:
    """The byte that makes a word an option. Where command lines are made from the program's
    options, other initial states have the same option by its name; the path of a word that happens
    to be one is ranked behind."""
    if isinstance(arguments[0], Term) and context.get(SHAPED, False):
        yield Defer(BEHIND)
    return None


# ----------------------------------------------------------------------------- setjmp and longjmp
# setjmp and longjmp, C17 7.13: a place is noted in the engine, its number in the jmp_buf.
#
#     setjmp(b)        ->  0, and b holds the number of this call
#     longjmp(b, 3)    ->  the calls above that one are left, and it returns again: 3
#
# As in glibc, sigsetjmp stores whether the mask of blocked signals was saved, and the mask, behind
# the eight registers; longjmp restores it.


SETTERS = ("setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp", "__sigsetjmp_cancel")
BLOCKED = "__csgtest_blocked"  # libc/system.c
_SAVED, _MASK = 64, 72  # offsets in a jmp_buf


@models.aware("setjmp", "_setjmp", effects="writes 0")
def set_jump(context: Context, arguments: SharedArguments) -> SharedModel:
    return (yield from _set_jump(context, arguments[0], 0))


@models.aware(
    "sigsetjmp", "__sigsetjmp", "__sigsetjmp_cancel", effects="writes 0", needs=(BLOCKED,)
)
def set_jump_with_mask(context: Context, arguments: SharedArguments) -> SharedModel:
    saves = ite(compare("ne", 32, arguments[1], 0), 1, 0, 32)
    return (yield from _set_jump(context, arguments[0], saves))


def _set_jump(context: Context, pointer: Data, saves: Data) -> SharedModel:
    address = yield from place(agreed(pointer))
    number = yield Place()
    assert isinstance(number, int)
    context.store(address, 8, number)
    context.store(address + _SAVED, 4, saves)
    if saves != 0:
        blocked = context.load_pair(context.global_address(BLOCKED), 8)
        context.store(address + _MASK, 8, blocked)
    return 0


@models.aware(
    "longjmp", "_longjmp", "siglongjmp", "__longjmp_chk", effects="reads 0", needs=(BLOCKED,)
)
def jump(context: Context, arguments: SharedArguments) -> SharedModel:
    """longjmp: the value, and whether a mask was saved, may differ between the versions; 0 becomes
    1."""
    address = yield from place(agreed(arguments[0]))
    value = arguments[1]
    returned = ite(compare("eq", 32, value, 0), 1, value, 32)
    number = context.load(address, 8)
    saved = context.load_pair(address + _SAVED, 4)
    if saved != 0:
        blocked = context.global_address(BLOCKED)
        mask, before = context.load_pair(address + _MASK, 8), context.load_pair(blocked, 8)
        context.store(blocked, 8, ite(compare("eq", 32, saved, 1), mask, before, 64))
    yield JumpBack(number, returned)
    return None


# ------------------------------------------------------------------------------ what is left behind
# What a run leaves behind, in its working folder and elsewhere, and when two versions leave others.
#
#     old wrote "a" to A, new wrote x      ->   x != 97
#     new made the file B, old did not     ->   true
#
# Where that cannot be told the answer is "perhaps" (true), and native replay decides.

Store = Mapping[str, object]
Tree = dict[bytes, Node]


class _Entries:
    """The environment store of a version that has ended, with what the file system uses of a
    Context."""

    def __init__(self, entries: Store) -> None:
        self._entries = dict(entries)

    def get(self, key: str, default: object = None) -> object:
        return self._entries.get(key, default)

    def put(self, key: str, value: object) -> None:
        self._entries[key] = value


@record
class FilesLeft:
    """How the files differ that two versions leave. ``condition``: that under which contents or
    names differ; None when it is not known. ``modes``: do permissions differ, which native runs do
    not look at?"""

    condition: Operand | None = 0
    modes: bool = False


def compare_files_left(old: Outcome, new: Outcome) -> FilesLeft:
    untouched = _concerning_files(old.environment) == _concerning_files(new.environment)
    if untouched and type(old.ending) is type(new.ending):
        return FilesLeft()
    left, right = _left(old.environment, old.ending), _left(new.environment, new.ending)
    if left is None or right is None:
        return FilesLeft(None)
    parts = [
        _differ(left.get(name), right.get(name)) for name in sorted(left.keys() | right.keys())
    ]
    modes = any(left[name].mode != right[name].mode for name in left.keys() & right.keys())
    return FilesLeft(plain(disjunction(parts)) if parts else 0, modes)


def _concerning_files(entries: Store) -> dict[str, object]:
    return {key: item for key, item in entries.items() if key.startswith(("node", "stream"))}


def _left(entries: Store, ending: PathEnding) -> Tree | None:
    """All files and folders, by path; None when that is not known."""
    context: Context = _Entries(entries)  # type: ignore[assignment]
    if isinstance(ending, Exit | Returned) and not _flush(context):
        return None
    return _tree(context)


def _tree(context: Context) -> Tree:
    found: Tree = {}
    waiting = [(b"/", ROOT)]
    while waiting:
        prefix, folder = waiting.pop()
        for name, number in node(context, folder).entries:
            each = node(context, number)
            found[prefix + name] = each
            if each.kind == FOLDER:
                waiting.append((prefix + name + b"/", number))
    return found


def compare_files_now(old: Store, new: Store) -> Operand:
    """The condition under which files differ as long as streams hold back what they do."""
    if _concerning_files(old) == _concerning_files(new):
        return 0
    left, right = (_tree(_Entries(each)) for each in (old, new))  # type: ignore[arg-type]
    names = sorted(left.keys() | right.keys())
    return plain(disjunction([_differ(left.get(name), right.get(name)) for name in names]))


def _flush(context: Context) -> bool:
    """Write what streams hold at a normal end to their files. Returns False where the size of a
    file is not known."""
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
    parts = [_unless(holds("eq", 1, old.exists, new.exists))]
    if old.kind != FOLDER and old.contents != new.contents:
        parts.append(_different_bytes(old.contents, new.contents))
    return plain(disjunction(parts))


def _unless(condition: Operand) -> Operand:
    return plain(negate(condition))


def _different_bytes(old: Contents, new: Contents) -> Operand:
    """The condition that two files have different sizes, or different bytes at some place."""
    parts = [_unless(holds("eq", 32, old.size, new.size))]
    for index, (one, two) in enumerate(zip(old.bytes, new.bytes, strict=False)):
        if one is two:
            continue
        there = holds("ult", 32, index, old.size)
        other = _unless(holds("eq", 8, one, two))
        parts.append(plain(conjunction([there, other])))
    return plain(disjunction(parts))


# What of the process itself a caller may notice after the call, and no native run looks at:
#
#     close(0)   |                       ->   "descriptor 0"
#     fclose(f)  |                       ->   "an open stream", where f was opened by the call
#     umask(022) |  umask(077)           ->   "the umask"


def process_apart(old: Store, new: Store) -> Iterator[str]:
    """The names of what differs, or may differ."""
    left: Context = _Entries(old)  # type: ignore[assignment]
    right: Context = _Entries(new)  # type: ignore[assignment]
    if creation_mask(left) != creation_mask(right):
        yield "the umask"
    if current_folder(left) != current_folder(right):
        yield "the working folder"
    for number in sorted(_descriptors(old) | _descriptors(new)):
        if _described(left, number) != _described(right, number):
            yield f"descriptor {number}"
    for number in sorted({*streams(left), *streams(right)}):
        if _standing(left, number) != _standing(right, number):
            yield _STANDARD_STREAMS.get(number, "an open stream")


_STANDARD_STREAMS = MappingProxyType({0: "stdin", 1: "stdout", 2: "stderr"})
_DESCRIPTOR = "descriptor"


def _descriptors(entries: Store) -> set[int]:
    known = (key.removeprefix(_DESCRIPTOR) for key in entries if key.startswith(_DESCRIPTOR))
    return {0, 1, 2, *(int(each) for each in known if each.isdigit())}


def _described(context: Context, number: int) -> object:
    """The file behind a descriptor, and where it stands there."""
    known = descriptor(context, number)
    if known is None:
        return None
    return known.closes_on_exec, opened(context, known.opened)


def _standing(context: Context, number: int) -> object:
    """What a caller can find out about a stream by reading and writing on; None if it is closed."""
    known = stream(context, number)
    if number not in streams(context):
        return None
    buffer = known.buffered, known.area.size, known.area.lines
    at = known.descriptor, known.access, known.position, *buffer
    return *at, known.pushed, known.ended, known.failed
