"""What a campaign and its native phase, a process of its own, say to each other.

    campaign -> phase   Commission   once: what to run, and on which inputs
                        Keep         a test that the search has made: mutate it
    phase -> campaign   Begun        once: where its temporary files are
                        Sighting     an input on which the versions differ, or that is new in kind
                        Tally        how far it is, a few times a second
                        Trouble      why it ends early

A record is pickled behind a 32-bit length. The campaign closes its end of the pipe to end the
phase; so does the operating system when the campaign dies.
"""

from __future__ import annotations

import pickle
import struct
from collections.abc import Iterator
from typing import BinaryIO

from csg.language.syntax import FunctionDefinition, Symbol
from csg.records import record
from symexec.campaign.option_table import Option
from symexec.campaign.vocabulary import Vocabulary
from symexec.options import InputOptions
from symexec.replay import ReplayPlan
from symexec.replay.build import FinishedBuilds
from symexec.testcases import TestInput
from symexec.testcases.signature import EntrySignature

_HEAD = struct.Struct("<I")


@record
class Commission:
    """``signature`` None means main. ``entry`` without its body; ``symbols`` are the globals that
    are inputs. ``share``: the part of its time that the phase may use."""

    plan: ReplayPlan
    builds: FinishedBuilds
    entry: FunctionDefinition
    symbols: tuple[Symbol, ...]
    signature: EntrySignature | None
    words: Vocabulary
    options: tuple[Option, ...]
    inputs: InputOptions
    seed: int = 0
    share: float = 1.0


@record
class Keep:
    input: TestInput


@record
class Begun:
    folder: str


@record
class Sighting:
    """``alike`` is what the test has in common with others that look like it, ``found_at`` a time
    on the monotonic clock, which processes share."""

    name: str
    input: TestInput
    found_at: float
    differs: bool
    alike: object


@record
class Tally:
    tests: int
    differing: int
    exhausted: bool  # of what it makes up itself


@record
class Trouble:
    text: str


Request = Commission | Keep
Answer = Begun | Sighting | Tally | Trouble


def framed(item: Request | Answer) -> bytes:
    data = pickle.dumps(item, pickle.HIGHEST_PROTOCOL)
    return _HEAD.pack(len(data)) + data


def read_request(stream: BinaryIO) -> Request:
    """EOFError when the campaign has closed its end."""
    (length,) = _HEAD.unpack(_exactly(stream, _HEAD.size))
    found: Request = pickle.loads(_exactly(stream, length))
    return found


def _exactly(stream: BinaryIO, size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data


class Frames:
    """Puts answers together from the pieces that a pipe has at the moment."""

    def __init__(self) -> None:
        self._data = bytearray()

    def whole(self, piece: bytes) -> Iterator[Answer]:
        self._data += piece
        while len(self._data) >= _HEAD.size:
            (length,) = _HEAD.unpack_from(self._data)
            end = _HEAD.size + length
            if len(self._data) < end:
                return
            item: Answer = pickle.loads(self._data[_HEAD.size : end])
            del self._data[:end]
            yield item
