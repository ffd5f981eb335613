"""Check before the first test that native runs can show differences, and errors.

    control(1), control(1)     alike           control(1), control(2)     another status and output
    control(3)                 a sanitizer reports it (memory, overflow) in builds that have one

The program is compiled, started, fed and observed as programs under test are. A defect of the
sandbox, the harness or a sanitizer is the same for both versions: every test would show the same
failure twice, and pass for alike.
"""

from __future__ import annotations

from collections.abc import Callable

from csg.errors import ToolchainError
from csg.language import types as c
from symexec.testcases.inputs import TestInput
from symexec.testcases.signature import EntrySignature, parameter_of
from symexec.testcases.testcase import Observation

CONTROL = "control"  # its name among the builds
NUMBERS = ONE, OTHER, ERROR = 1, 2, 3
TEXT = """\
extern int printf(const char *, ...);
extern void *malloc(unsigned long);
int csgtest_control(int x)
{
    char *bytes = malloc(4);
    int sum = x + 2147483645; /* too much of 3 */
    (void) sum;
    printf("%d\\n", x);
    if (bytes)
        bytes[x + 1] = 0;
    return bytes ? x : 0;
}
int main(int argc, char **argv)
{
    return argc > 1 ? csgtest_control(argv[1][0] - '0') : 0;
}
"""
ENTRY = EntrySignature("csgtest_control", parameter_of("", c.INT), (parameter_of("x", c.INT),))


def given(value: int, calls: bool) -> TestInput:
    """The input that gives the control program a number: as a parameter (``calls``), or to
    ``main``."""
    if calls:
        return TestInput(parameters=(("x", value),))
    return TestInput(args=(str(value).encode(),))


def check(run: Callable[[int], Observation], sanitizers: str) -> None:
    """Check a style of builds: ``run`` shows what the control program does with a number. Raises
    ToolchainError when that is not what it must show."""
    one, again, other = run(ONE), run(ONE), run(OTHER)
    if one != again:
        raise _broken("the same program shows one thing and another", one, again)
    shown = [(seen.stdout, seen.exit, seen.returned) for seen in (one, other)]
    if shown[0] == shown[1] or one.failed or other.failed:
        raise _broken("programs that differ are not told apart", one, other)
    if sanitizers and run(ERROR).sanitizer is None:
        raise _broken("an error is not seen by the sanitizer", one, run(ERROR))


def _broken(what: str, *seen: Observation) -> ToolchainError:
    shown = "; ".join(
        f"exit {each.exit}, signal {each.signal}, prints {each.stdout[:40]!r}" for each in seen
    )
    return ToolchainError(
        f"native runs cannot be relied on here: {what} ({shown})",
        hint="look for limits (ulimit -a) and for what keeps programs from running in a sandbox "
        "here; --no-replay goes without native runs",
    )
