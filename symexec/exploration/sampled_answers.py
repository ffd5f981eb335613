"""Find where a change meets the answer of a library function whose model is only sampled.

    if (fnmatch(name, text, 0) == 0)     the model is compared with the library in samples alone:
        price *= 2;     // * 3           it may choose another branch for a text that none has

Where no change depends on the answer, and nothing depends on both, a wrong model leaves the
versions as alike as they are.
"""

from __future__ import annotations

from collections.abc import Iterator

from symexec.exploration.depending import Influence
from symexec.ledger import Omission, Reason
from symexec.runtime.sampled import is_sampled


def beyond_samples(influence: Influence) -> Iterator[Omission]:
    """The calls of such functions, where a change depends on the answer or meets it."""
    program = influence.program
    for name, place, call in influence.library_calls():
        if is_sampled(name, program) and influence.meets_answer(name, place):
            text = f"the model of {name} was compared with the library in samples alone"
            yield Omission(Reason.SAMPLED, text, program.nodes[call.node].location)
