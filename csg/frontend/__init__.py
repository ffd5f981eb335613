"""C text becomes a typed syntax tree.

    parse_file("range.c")                       TranslationUnit
    parse_files([SourceFile(path), ...])        several, preprocessed at the same time
    parse_expression("x > 0", {"x": INT})       Binary(">", Name x, 0)

Stages: preprocess (``csg.toolchain``), leave out unused declarations of headers (``prune``), cut
into tokens (``tokens``), parse (``parser``, the only module that uses pycparser), resolve names and
types (``translate`` and the modules that it names).
"""

from __future__ import annotations

from csg.frontend.files import (
    Preprocessed,
    parse_expression,
    parse_file,
    parse_files,
    parse_text,
    parse_texts,
    preprocess_files,
)

__all__ = [
    "Preprocessed",
    "parse_expression",
    "parse_file",
    "parse_files",
    "parse_text",
    "parse_texts",
    "preprocess_files",
]
