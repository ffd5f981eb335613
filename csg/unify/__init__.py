"""Unify two versions of a program.

    old.c   y = -x;                new.c   y = x * x; y = y + 1;

    unify(old, new)   ->   y = change(-x, x * x);
                           if (execute(NEW)) { y = y + 1; }

``matching`` finds what of one version is what of the other, ``merging`` makes one tree of two,
``changes`` numbers and explains what differs, ``output`` writes and checks the result. Programs of
several files come in by ``pairs``.
"""

from csg.unify.compiled import unify_compiled
from csg.unify.output.printing import printed
from csg.unify.unified import ChangeRecord, Fallback, Unified, check
from csg.unify.unifier import unify

__all__ = ["ChangeRecord", "Fallback", "Unified", "check", "printed", "unify", "unify_compiled"]
