"""Records on a pipe: each is pickled behind a 32-bit length.

send(out, Keep(test))                    read_frame(requests) -> Keep(test)
frames = Frames()                        for whoever must not wait for the rest of a record
list(frames.whole(piece)) -> [...]
"""

from __future__ import annotations

import pickle
import struct
from collections.abc import Iterator
from typing import BinaryIO

_HEAD = struct.Struct("<I")


def framed(item: object) -> bytes:
    data = pickle.dumps(item, pickle.HIGHEST_PROTOCOL)
    return _HEAD.pack(len(data)) + data


def send(out: BinaryIO, item: object) -> None:
    out.write(framed(item))
    out.flush()


def read_frame(stream: BinaryIO) -> object:
    """EOFError when the other side has closed its end."""
    (length,) = _HEAD.unpack(_exactly(stream, _HEAD.size))
    found: object = pickle.loads(_exactly(stream, length))
    return found


def _exactly(stream: BinaryIO, size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data


class Frames:
    """Puts records together from the pieces that a pipe has at the moment."""

    def __init__(self) -> None:
        self._data = bytearray()

    def whole(self, piece: bytes) -> Iterator[object]:
        self._data += piece
        while len(self._data) >= _HEAD.size:
            (length,) = _HEAD.unpack_from(self._data)
            end = _HEAD.size + length
            if len(self._data) < end:
                return
            item: object = pickle.loads(self._data[_HEAD.size : end])
            del self._data[:end]
            yield item
