"""What models in C admit: that something is not as it would be, cannot be at all, or is seldom.

__csgtest_approximated("the variable HOME")       an event, and the path goes on
__csgtest_unsupported("a command for system")     the path ends
__csgtest_is_option(c)                            any byte is an option: the path can wait
"""

from __future__ import annotations

from symexec.environment.contract import Arguments, Context, Defer, End, Model, Registry
from symexec.environment.process import known_text
from symexec.expr import Term
from symexec.state.endings import Unsupported

models = Registry()

SHAPED = "command lines are shaped"  # known options are words of others
BEHIND = 3  # steps that such an option goes


@models("__csgtest_approximated")
def tell(context: Context, arguments: Arguments) -> Model:
    text = yield from known_text(context, arguments[0])
    context.event("approximated", text)
    return None


@models("__csgtest_unsupported")
def give_up(context: Context, arguments: Arguments) -> Model:
    text = yield from known_text(context, arguments[0])
    yield End(Unsupported(text))
    return None


@models("__csgtest_is_option")
def found_option(context: Context, arguments: Arguments) -> Model:
    """The byte that makes a word an option. Where command lines are shaped, other beginnings have
    the same option by its name; the path of a word that happens to spell one goes behind."""
    if isinstance(arguments[0], Term) and context.get(SHAPED, False):
        yield Defer(BEHIND)
    return None
