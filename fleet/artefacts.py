"""Files by their content, in a folder or behind any URL that fsspec knows.

    put(b"..") -> "9f86d081..", in PLACE/9f/86d081..

A file is written beside its place and moved there, so that it is whole or absent, and a second one
with the same content costs nothing. No link in the folder is followed.
"""

from __future__ import annotations

import hashlib
import os
import re

import fsspec
from fsspec.implementations.local import LocalFileSystem

from csg.errors import UsageError
from csg.files import read_file, write_inside
from fleet.outcomes import damaged

_NAME = re.compile(r"[0-9a-f]{64}")  # SHA-256


class Artefacts:
    """The files of a store. ``place`` is a folder, or a URL as ``s3://bucket/folder``."""

    def __init__(self, place: str) -> None:
        try:
            self._files, self._root = fsspec.core.url_to_fs(place)
        except (ImportError, ValueError) as error:
            raise UsageError(
                f"'{place}' is no place for artefacts: {error}",
                hint="name a folder, or a URL that fsspec knows",
            ) from None
        self._local = isinstance(self._files, LocalFileSystem)

    def put(self, content: bytes) -> str:
        """Keep a content, and return its name: the SHA-256. Raises UsageError where it cannot be
        kept, as on a disk that is full."""
        name = hashlib.sha256(content).hexdigest()
        target = self._path(name)
        try:
            if not self._files.exists(target):
                self._write(target, content)
        except OSError as error:
            raise UsageError(
                f"nothing more can be kept in '{self._root}': {error.strerror or error}",
                hint="make room there, and give --resume: what was complete is kept",
            ) from None
        return name

    def _write(self, target: str, content: bytes) -> None:
        self._files.makedirs(self._root if self._local else os.path.dirname(target), exist_ok=True)
        if not self._local:  # an object appears there when all of it has arrived
            self._files.pipe_file(target, content)
            return
        write_inside(self._root, os.path.relpath(target, self._root), content, durable=True)

    def get(self, name: str) -> bytes:
        """The content of that name. Raises UsageError where it is gone, is not what it was, or
        cannot be read."""
        if not _NAME.fullmatch(name):  # it would be a path to somewhere else
            raise damaged(f"{ascii(name)[:40]} is no name of an artefact")
        path = self._path(name)
        try:
            if not self._files.exists(path):
                raise UsageError(
                    f"the artefact {path} is gone", hint="run its task again, with --retry"
                )
            content = read_file(path) if self._local else bytes(self._files.cat_file(path))
        except OSError as error:
            raise UsageError(
                f"cannot read the artefact {path}: {error.strerror or error}",
                hint="see that it is there and may be read",
            ) from None
        if hashlib.sha256(content).hexdigest() != name:
            raise UsageError(
                f"the artefact {path} is damaged", hint="remove it and run its task again"
            )
        return content

    def _path(self, name: str) -> str:
        return f"{self._root}/{name[:2]}/{name[2:]}"
