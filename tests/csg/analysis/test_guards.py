"""Variables whose values bar the way to a change, found in the program's code."""

from __future__ import annotations

from textwrap import dedent

import pytest

from csg.analysis import dependence_graph, guards
from csg.frontend import parse_text
from csg.lower import lower
from csg.pipeline import graph_of

ROWS = [
    # (statements around the change, what is compared)
    ("if (flag) CHANGE;", {"flag": {0}}),
    ("if (!flag && format == 3) CHANGE;", {"flag": {0}, "format": {3}}),
    ("if (format == 1) x++; else if (format == 2) CHANGE;", {"format": {1, 2}}),
    ("switch (format) { case 4: case 7: x = 1; break; case 5: CHANGE; }", {"format": {4, 5, 7}}),
    ("if (part.kind == 2) CHANGE;", {"part+4": {2}}),
    ("if (flag) x++; CHANGE;", {}),  # whatever it is, the change is met
    ("while (x < 9) { CHANGE; x++; }", {}),  # a value, no selector
    ("if (other() == 3) CHANGE;", {}),  # no place holds it
    ("int c; while ((c = other()) != -1) if (c == 3) CHANGE;", {}),  # each value is soon gone
    ("int c = x; while (other()) if (c == 3) CHANGE;", {"2": {3}}),
    ("if (flag) inner(x);", {"flag": {0}, "format": {6}}),
]


@pytest.mark.parametrize(("text", "expected"), ROWS, ids=[text for text, _ in ROWS])
def test_what_decides(text: str, expected: dict[str, set[int]]) -> None:
    change = "y = change(x, x + 1)"
    program = f"""
        int flag, format, y;
        struct {{ int size, kind; }} part;
        int other(void);
        void inner(int x) {{ if (format == 6) {change if "inner" in text else "y = x"}; }}
        void set(int f) {{ flag = f; format = f; part.kind = f; }}
        int f(int x) {{ {text.replace("CHANGE", change)} return y; }}
    """
    lowered = lower([parse_text(dedent(program))], entry="f")
    found = {
        f"{each.place.home}+{each.place.offset}"
        if each.place.offset
        else str(each.place.home): set(each.constants)
        for each in guards(dependence_graph(lowered))
    }
    assert found == expected


def test_locals_of_callers_count_as_well() -> None:
    text = """
        int y;
        static void meet(int x, int deep) { if (deep == 2) y = change(x, x + 1); }
        int f(int x, int mode) {
            int kind = 0;
            scan(&kind);
            if (kind == 5)
                meet(x, mode);
            return y;
        }
    """
    found = guards(dependence_graph(lower([parse_text(dedent(text))], entry="f")))
    assert [(each.place.function, set(each.constants)) for each in found] == [
        ("meet", {2}),
        ("f", {5}),
    ]
    assert [bool(each.place.size) for each in found] == [False, True]  # a register, a slot


BEHIND = """
    struct settings {{ int mode; const char *joiner; int quiet; }};
    int total;
    static void show(const struct settings *settings, int verbose) {{
        if (settings->quiet == 0)
            printf("%d", total);
        if (verbose == 4)
            printf("%d", total + 1);
    }}
    static void note(int level) {{ if (level == 8) printf("%d", total); }}
    static void compute(int x) {{ total = change(x, x + 1); }}
    int main(int argc, char **argv) {{
        struct settings settings = {{ argc, argv[0], argc - 2 }};
        int early = argc;
        if (early == 3)
            printf("first");
        {calls}
        return 0;
    }}
"""

CALLS = [
    # (calls in main, the guards of its outputs by function and place)
    ("compute(argc); show(&settings, argc);", {("main", "settings+16")}),
    ("show(&settings, argc); compute(argc);", set()),
    ("compute(argc); if (settings.joiner != 0) note(1);", {("main", "settings+8")}),
    ("compute(argc); settings.joiner = 0; if (settings.joiner != 0) note(1);", set()),
    (
        "settings.joiner = 0; compute(argc); if (settings.joiner != 0) note(1);",
        {("main", "settings+8")},
    ),
    ("compute(argc); if (settings.mode != 7) return 1;", set()),
]


@pytest.mark.parametrize(("calls", "expected"), CALLS, ids=[calls for calls, _ in CALLS])
def test_what_hides_the_effect_of_a_change(calls: str, expected: set[tuple[str, str]]) -> None:
    """Of outputs that are behind it only; of settings made before, through pointers too."""
    program = lower([parse_text(dedent(BEHIND.format(calls=calls)))], entry="main")
    dependences = dependence_graph(program)
    graph = graph_of(program, dependences=dependences)
    outputs = frozenset(each.node for each in graph.records if each.output and each.changes)
    found = set()
    for each in guards(dependences, outputs):
        function = each.place.function
        assert each.behind and each.place.size
        slot = program.functions[function].slots[each.place.home]
        found.add((function, f"{slot.name}+{each.place.offset}"))
    assert found == expected


@pytest.mark.parametrize(
    "condition",
    [
        "*--p == ' '",
        "p--[-1] == ' '",
        "*++p == ' '",
        "(p -= n)[1] == ' '",
        "(c = (char) (c + 1)) == 3",
        "(unsigned char) --c == 3",
    ],
)
@pytest.mark.parametrize("loop", ["while (CONDITION || other()) CHANGE;", "if (CONDITION) CHANGE;"])
def test_a_register_made_of_itself_is_followed_once(condition: str, loop: str) -> None:
    text = f"""
        int y;
        int other(void);
        int f(char *p, char c, int n, int x) {{
            for (; n; n--) {{ {loop.replace("CONDITION", condition)} }}
            return y;
        }}
    """
    lowered = lower([parse_text(dedent(text.replace("CHANGE", "y = change(x, x + 1)")))], entry="f")
    assert len(guards(dependence_graph(lowered))) <= 3
