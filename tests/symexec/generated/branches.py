"""Run all tests of a search natively and compare the branches that they take.

    with Promising(options_of(old, new, folder)) as job:
        job.explore()
        job.check().mismatches          ->   []

Nothing else is compiled or run: that is what other tests are for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from symexec.exploration.paths import Finding
from symexec.exploration.preparation import Prepared
from symexec.exploration.searching import Search
from symexec.replay import NativeReplay
from symexec.state.state import State
from symexec.testcases import decode
from symexec.validation import TraceValidation
from tests.symexec.generated.checking import Recording


class Promising(Recording):
    """A job without native runs, but for those that compare branches."""

    def __enter__(self) -> Promising:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def _begun(self, prepared: Prepared, deadline: float, *rest: Any) -> Search:
        search = super()._begun(prepared, deadline, *rest)
        plan = replace(self.builds, old=(), new=(), signature=self.signature, unsandboxed=True)
        self.replay = NativeReplay(replace(plan, layers=0, wall_s=0.2))
        validation = self.validation = TraceValidation(prepared, self.replay, self.options.inputs)
        turns = search.exploration.turns

        def noted(initial: list[State], deadline: float) -> Iterator[Finding | None]:
            for finding in turns(initial, deadline):
                if finding is not None:
                    test = decode(finding.state.inputs, finding.model)
                    validation.note(f"t{len(self.findings)}", test, None, finding)
                yield finding

        search.exploration.turns = noted  # type: ignore[method-assign]
        return search

    def check(self) -> TraceValidation | None:
        """None where there is no change."""
        if self.validation is not None:
            for _ in self.validation.compared_one_by_one(lambda: True):
                pass
        return self.validation
