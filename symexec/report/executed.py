"""Was anything run natively at all? If not, and the search alone proves nothing, why not, and what
helps.

    3 tests, none replayed, the build of new.c fails   ->   the compiler's error
    no test, no native run, paths cut                  ->   "nothing was compared natively: .."
    all paths followed, nothing left out               ->   None: the search is a proof
"""

from __future__ import annotations

from csg.errors import CsgtestError, ToolchainError
from csg.toolchain import clang_version
from symexec.campaign.building import BuildJob
from symexec.campaign.fuzzing_worker import Fuzzing
from symexec.ledger import Verdict
from symexec.testcases import UNTOLD, Observed

_UNPROVED = (Verdict.NO_DIFFERENCE_FOUND,)
NO_SANITIZER = "the compiler has no sanitizers: an error of memory shows only where it crashes"
NO_ADDRESS_SANITIZER = (
    "AddressSanitizer would call the program's own functions: natively an error of memory shows "
    "only where it crashes"
)


def not_executed(job: BuildJob) -> CsgtestError | None:
    """Why nothing was compared natively; None where something was, where the search alone proves
    its verdict, and where the user asked for no native runs."""
    if job.replay is None or job.prepared is None or job.verdict not in _UNPROVED:
        return None
    if not job.options.native:
        return None
    compared = any(
        case.observed is not Observed.NOT_REPLAYED and not case.varies_wholly for case in job.found
    )
    attacked = (job.attack_facts or {}).get("alike")
    if compared or attacked or (job.fuzzing is not None and _compares(job.fuzzing)):
        return None
    failure = job.replay.failure()
    if failure is not None:
        return failure
    if job.fuzzing is not None and job.fuzzing.failure:
        return ToolchainError(f"nothing was compared natively: {job.fuzzing.failure}")
    varying = job.fuzzing.varying if job.fuzzing is not None else ""
    if varying or any(case.varies_wholly for case in job.found):
        return ToolchainError(
            "nothing was compared natively: what each version shows varies between its runs",
            hint="leave out by #ifdef what it depends on: a clock, a process, an address",
        )
    shown = [note for case in job.found for note in case.notes if note.startswith(UNTOLD)]
    if shown:
        return ToolchainError(
            f"nothing was compared natively: {shown[0].removeprefix(f'{UNTOLD}: ')}",
            hint="look at the constructors of the program, and at what it does with descriptors",
        )
    waiting = "" if job.replay.all_built() else ", as compilers still ran"
    return ToolchainError(
        f"nothing was compared natively{waiting} when the time was over",
        hint="give more --time, or --no-replay to be content with what the search says",
    )


def _compares(fuzzing: Fuzzing) -> bool:
    """Has it compared anything? What differs and was not repeated may vary."""
    return bool(fuzzing.compared or (fuzzing.runs and not fuzzing.varying))


def without_sanitizer() -> str:
    """A note for builds without sanitizers: what is not seen, and for clang the package that
    brings its runtime."""
    version = clang_version()
    return f"{NO_SANITIZER}{f'; install libclang-rt-{version}-dev' if version else ''}"
