"""Which lines a line depends on, written beside it: ``// 3 5`` data or control of lines 3 and 5,
``// -`` on nothing but the function's entry."""

from __future__ import annotations

import re
from textwrap import dedent

import pytest

from csg.analysis import dependence_graph, statement_sources
from csg.frontend import parse_text
from csg.lower import lower

PROGRAMS = {
    "registers": """
        int f(int x) {
            int a = x;             // -
            int b = 2;             // -
            if (x)                 // -
                a = b;             // 4 5
            return a + b;          // 3 4 6
        }
    """,
    "a definition ends the life of earlier ones": """
        int f(int x) {
            int a = x;             // -
            a = 2;                 // -
            return a;              // 4
        }
    """,
    "loops": """
        int f(int n) {
            int sum = 0;           // -
            int i = 0;             // -
            while (i < n) {        // 4 7
                sum += i;          // 3 4 5 7
                i++;               // 4 5
            }
            return sum;            // 3 6
        }
    """,
    "a write after a read is no source, unless a loop leads back": """
        int g;
        int f(void) {
            int a = g;             // -
            g = 2;                 // -
            return a;              // 4
        }
    """,
    "memory through pointers": """
        int f(int x) {
            int a = 1, b = 2;      // -
            int *p = &a;           // -
            int *q = x ? &a : &b;  // -
            *p = 3;                // 4
            *q = 4;                // 5
            return a + b;          // 3 6 7
        }
    """,
    "fields are told apart; a variable index may reach all of its object": """
        struct s { int a, b; int c[3]; };
        int f(int i) {
            struct s s;
            s.a = 1;               // -
            s.b = 2;               // -
            s.c[0] = 3;            // -
            s.c[i] = 4;            // -
            int x = s.a;           // 5 8
            int y = s.b;           // 6 8
            int z = s.c[1];        // 8
            return x + y + z;      // 9 10 11
        }
    """,
    "calls: arguments, results, globals": """
        int g;
        static int twice(int x) {
            g = 1;                 // -
            return x + x;          // 10
        }
        int f(int y) {
            int a = y + 1;         // -
            g = 7;                 // -
            int b = twice(a);      // 5 8
            return b + g;          // 4 9 10
        }
    """,
    "library functions": """
        #include <string.h>
        int f(const char *s) {
            char t[8];
            strcpy(t, s);          // -
            size_t n = strlen(t);  // 5
            return (int) n + t[0]; // 6 5
        }
    """,
    "what an assertion lets pass depends on it": """
        #include <assert.h>
        int f(int x) {
            assert(x);             // -
            return 1;              // 4
        }
    """,
    "what a function that never returns lets pass, depends on why it was called": """
        void exit(int);
        static void fail(int x) {
            exit(x);               // 8
        }
        int f(int x) {
            if (x)                 // -
                fail(2);           // 7
            return 1;              // 7
        }
    """,
    "function pointers": """
        static int one(void) {
            return 1;              // -
        }
        static int two(void) {
            return 2;
        }
        static int (*table[])(void) = { one };
        int f(int x) {
            if (x)                 // -
                return two();      // 6 10
            return table[0]();     // 3 10
        }
    """,
    "a switch decides its cases, and what they fall into": """
        int f(int x) {
            int a = 0;             // -
            switch (x) {           // -
            case 1:
                a = 1;             // 4
            case 2:
                a++;               // 3 4 6
                break;             // 4
            }
            return a;              // 3 8
        }
    """,
    "each version's definitions reach its own uses": """
        int f(int x) {
            int a = change(x, 1);  // -
            if (execute(OLD)) {
                a = 2;             // -
            }
            int b = 0;             // -
            if (execute(NEW)) {
                b = a;             // 3
            }
            return a + b;          // 3 5 7 9
        }
    """,
}
EXPECTATION = re.compile(r"// ([-\d ]+)$")


@pytest.mark.parametrize("name", PROGRAMS)
def test_dependences_are_those_beside_the_lines(name: str) -> None:
    text = dedent(PROGRAMS[name])
    program = lower([parse_text(text)], entry="f")
    data, control = statement_sources(dependence_graph(program))
    found: dict[int, set[int]] = {}
    for node in program.nodes:
        sources = data[node.id] | control[node.id]
        lines = {
            program.nodes[s].location.line
            for s in sources
            if program.nodes[s].kind not in ("entry", "exit")
        }
        found.setdefault(node.location.line, set()).update(lines - {node.location.line})
    for number, line in enumerate(text.splitlines(), 1):
        expected = EXPECTATION.search(line)
        if expected:
            numbers = {int(n) for n in expected.group(1).split() if n != "-"}
            assert found[number] == numbers, f"line {number}: {line.strip()}"
