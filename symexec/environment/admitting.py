"""What models in C admit: that something is not as it would be, or cannot be at all.

__csgtest_approximated("the variable HOME")       an event, and the path goes on
__csgtest_unsupported("a command for system")     the path ends
"""

from __future__ import annotations

from symexec.environment.contract import Arguments, Context, End, Model, Registry
from symexec.environment.process import known_text
from symexec.state.endings import Unsupported

models = Registry()


@models("__csgtest_approximated")
def tell(context: Context, arguments: Arguments) -> Model:
    text = yield from known_text(context, arguments[0])
    context.event("approximated", text)
    return None


@models("__csgtest_unsupported")
def give_up(context: Context, arguments: Arguments) -> Model:
    text = yield from known_text(context, arguments[0])
    context.event("unsupported", text)
    yield End(Unsupported(text))
    return None
