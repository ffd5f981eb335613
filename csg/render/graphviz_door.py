"""The only module that talks to graphviz: the package drives the program ``dot``, if there is one.

rendered(text, "png")   ->   the bytes of a picture, or None when ``dot`` is not installed
"""

from __future__ import annotations

import shutil


def has_dot() -> bool:
    return shutil.which("dot") is not None


def rendered(text: str, form: str) -> bytes | None:
    """``text`` in graphviz's language, ``form`` "svg" or "png"."""
    if not has_dot():
        return None
    import graphviz

    picture: bytes = graphviz.Source(text).pipe(format=form)
    return picture
