"""What the source calls the variables that guard a change."""

from __future__ import annotations

from textwrap import dedent

from csg.analysis import dependence_graph, guard_names, guards
from csg.frontend import parse_text
from csg.lower import lower

PROGRAM = """
    struct shade { int hue, depth; };
    struct settings { int size; struct shade shades[2]; char *text; };
    int format, y;
    void set_format(int value) { format = value; }
    void set_depth(struct settings *settings, int value) { settings->shades[1].depth = value; }
    void set_size(struct settings *settings, int value) { settings->size = value; }
    static void meet(struct settings *settings, int x)
    {
        if (settings->shades[1].depth == 3)
            y = change(x, x + 1);
    }
    int main(int argc, char **argv)
    {
        struct settings settings = { 0 };
        int quick = argc;
        scan(&quick);
        set_format(argc);
        set_depth(&settings, argc);
        set_size(&settings, argc);
        if (format == 5 && quick == 2)
            meet(&settings, argc);
        return y;
    }
"""


def test_variables_members_and_who_writes_them() -> None:
    dependences = dependence_graph(lower([parse_text(dedent(PROGRAM))], entry="main"))
    names = guard_names(dependences, guards(dependences))
    assert names == {"format", "set_format", "quick", "shades", "depth", "set_depth"}
