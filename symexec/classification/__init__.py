"""From observations to findings: what differs, what class it is, which changes are to blame."""

from symexec.classification.blame import blame, native_blame
from symexec.classification.compare import Kind, Verdict, classify, differing_parts
from symexec.classification.examine import examine, shrink
from symexec.classification.grouping import Group, group
from symexec.classification.minimise import minimise
from symexec.classification.subsets import Patience, smallest_sets

__all__ = [
    "Group",
    "Kind",
    "Patience",
    "Verdict",
    "blame",
    "classify",
    "differing_parts",
    "examine",
    "group",
    "minimise",
    "native_blame",
    "shrink",
    "smallest_sets",
]
