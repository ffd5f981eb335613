"""Unite two versions of a program.

old.c   y = -x;                new.c   y = x * x; y = y + 1;

unify(old, new)   ->   y = change(-x, x * x);
                       if (execute(NEW)) { y = y + 1; }
"""

from csg.versions.checking import check
from csg.versions.compiled import unify_compiled
from csg.versions.printing import printed
from csg.versions.unified import ChangeRecord, Fallback, Unified
from csg.versions.unifier import unify

__all__ = ["ChangeRecord", "Fallback", "Unified", "check", "printed", "unify", "unify_compiled"]
