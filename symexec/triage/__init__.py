"""From observations to findings: what differs, which class it has, which changes are to blame."""

from symexec.triage.blame import (
    Patience,
    Requirements,
    blame,
    native_blame,
    shows_as_new,
    smallest_sets,
)
from symexec.triage.classification import Classified, classify, differing_parts
from symexec.triage.examine import (
    Refusal,
    decided,
    examine,
    explained,
    looked_again,
    observe,
    repeating,
    shrink,
)
from symexec.triage.grouping import (
    Group,
    changed_nodes,
    group,
    hidden_parts,
    likeness,
    may_share,
    never_met,
    options_used,
    rewordings,
)
from symexec.triage.minimise import minimise
from symexec.triage.undefined import (
    by_chance,
    judged,
    may_be_undefined,
    plainly_explained,
    uninitialised,
    use_explained,
)

__all__ = [
    "Classified",
    "Group",
    "Patience",
    "Refusal",
    "Requirements",
    "blame",
    "by_chance",
    "changed_nodes",
    "classify",
    "decided",
    "differing_parts",
    "examine",
    "explained",
    "group",
    "hidden_parts",
    "judged",
    "likeness",
    "looked_again",
    "may_be_undefined",
    "may_share",
    "minimise",
    "native_blame",
    "never_met",
    "observe",
    "options_used",
    "plainly_explained",
    "repeating",
    "rewordings",
    "shows_as_new",
    "shrink",
    "smallest_sets",
    "uninitialised",
    "use_explained",
]
