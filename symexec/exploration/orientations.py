"""Find streams that a program uses with wide characters and with bytes.

    wprintf(L"a");  printf("b");        the library prints nothing for the second call, and it fails

A stream takes the one kind that it had first, and C leaves the other one undefined (C17 7.21.2p4,
7.21.2p5). The models let a stream take both, so a change that meets a call on such a stream is an
omission. Messages of the library itself (``perror``, ``warn``) go by what the stream takes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from csg.ir import Call
from csg.language.syntax import Version
from csg.records import record
from symexec.exploration.depending import Influence, accesses, own_functions
from symexec.exploration.standard_streams import STDERR, STDIN, STDOUT, objects_at
from symexec.ledger import Omission, Reason

_TEXT = "a stream that takes wide characters and bytes: the library refuses one of them"


def _each(at: int | str, names: str) -> dict[str, int | str]:
    return {f"{name}{end}": at for name in names.split() for end in ("", "_unlocked")}


# Functions, and which argument is their stream, or the object of a standard one.
_WIDE: Mapping[str, int | str] = MappingProxyType(
    {
        **_each(0, "__isoc99_fwscanf fgetwc fwide fwprintf fwscanf getwc vfwprintf vfwscanf"),
        **_each(1, "fputwc fputws putwc ungetwc"),
        **_each(2, "fgetws"),
        **_each(STDIN, "__isoc99_wscanf getwchar vwscanf wscanf"),
        **_each(STDOUT, "putwchar vwprintf wprintf"),
    }
)
_BYTES: Mapping[str, int | str] = MappingProxyType(
    {
        **_each(
            0, "__fprintf_chk __isoc99_fscanf _IO_getc fgetc fprintf fscanf getc getw vfprintf"
        ),
        **_each(0, "vfscanf"),
        **_each(1, "_IO_putc fputc fputs putc putw ungetc"),
        **_each(2, "fgets getline"),
        **_each(3, "fread fwrite getdelim"),
        **_each(STDIN, "__isoc99_scanf getchar gets scanf vscanf"),
        **_each(STDOUT, "__printf_chk printf putchar puts vprintf"),
    }
)
_Stream = int | str  # an object, by its number, or by its name for a standard stream


def mixed_streams(influence: Influence) -> Iterator[Omission]:
    """The calls on streams that take both kinds in one version, where a change meets one of
    them."""
    program = influence.program
    uses = [*_uses(influence)]
    both: set[_Stream] = set()
    for version in Version:
        wide, narrow = (
            {each.stream for each in uses if each.kind is kind and each.version in (None, version)}
            for kind in (_WIDE, _BYTES)
        )
        both |= wide & narrow
    if not both:
        return
    changes = influence.of_changes()
    met = [each.call for each in uses if each.stream in both and each.vertex in changes]
    for location in dict.fromkeys(program.nodes[call.node].location for call in met):
        yield Omission(Reason.UNDEFINED, _TEXT, location)


@record
class _Use:
    """A call that is about a stream, of one ``kind``. ``version``: the only one that has it."""

    vertex: int
    call: Call
    kind: Mapping[str, int | str]
    stream: _Stream
    version: Version | None


def _uses(influence: Influence) -> Iterator[_Use]:
    program, dependences = influence.program, influence.dependences
    own = own_functions(program)
    for place, step in accesses(program, own):
        if not isinstance(step, Call):
            continue
        vertex = dependences.vertices.instruction(place)
        version = step.version or program.functions[place[0]].blocks[place[1]].region
        named = (step.callee,) if isinstance(step.callee, str) else ()
        for name in named or dependences.pointers.callees.get(place, ()):
            for kind in (_WIDE, _BYTES):
                if name in kind and name not in own:
                    for stream in _streams(influence, place[0], step, kind[name]):
                        yield _Use(vertex, step, kind, stream, version)


def _streams(influence: Influence, function: str, call: Call, at: int | str) -> set[_Stream]:
    if isinstance(at, str):
        return {at}
    if at >= len(call.arguments):
        return set()
    pointers = influence.dependences.pointers
    found: set[_Stream] = set()
    for number in objects_at(pointers, function, call.arguments[at]):
        name = pointers.objects.objects[number].name
        found.add(name if name in (STDIN, STDOUT, STDERR) else number)
    return found
