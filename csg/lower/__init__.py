"""Lower syntax trees to the intermediate representation.

program = lower([parse_text("int main(void) { return 0; }")])
link(program, library)
"""

from csg.lower.linking import link, lower

__all__ = ["link", "lower"]
