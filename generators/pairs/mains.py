"""Random programs with ``main``, which look at their arguments and read standard input.

main_program(Random(3))                        Source whose entry is main
"""

from __future__ import annotations

from random import Random

from generators.pairs.growing import Grower, number
from generators.pairs.tree import Function, Node, Source

HEAD = ["#include <ctype.h>", "#include <stdlib.h>", "#include <string.h>"]
PIECES = (
    "if (argc > 1 && strcmp(argv[1], \"-n\") == 0) {x} += 3;",
    "if (argc > 1) {x} = atoi(argv[1]);",
    "if (argc > 1) {x} ^= strtol(argv[1], 0, 16);",
    "if (argc > 1) {{ char *q{k}; for (q{k} = argv[1]; *q{k}; q{k}++) {y} = {y} * 3 + *q{k}; }}",
    "if (argc > 1) {{ {x} = strlen(argv[1]); printf(\"<%s>\", argv[1]); }}",
    "if (argc > 1 && strchr(\"ab0\", argv[1][0])) {x}--;",
    "if (isdigit(a)) {x} += a - '0'; else if (isalpha(a)) {y}++;",
    "switch (a) {{ case '-': {x}++; case 'n': {y} = {e}; break; case '0': {x} = 9; }}",
    "while ((c = getchar()) != EOF) {{ if (c == '\\n') {x}++; else putchar(toupper(c)); }}",
    "{{ char z{k}[4] = \"\"; if (fgets(z{k}, 3, stdin)) {x} += z{k}[0] + z{k}[1]; }}",
    "{{ char z{k}[12]; sprintf(z{k}, \"%d\", {e} & 3); {x} += strlen(z{k}) + z{k}[0]; }}",
    "if ({e} == 7) exit({d});",
    "if (a == '-' && {e} > 3) {{ fputs(\"usage\\n\", stderr); return 2; }}",
    "printf(\"%c%d\\n\", a > 0 ? a : '?', {x});",
    "if (a == 'z') abort();",
)  # fmt: skip


def main_program(random: Random) -> Source:
    grower = Grower(random, 0.0)
    grower.readable = ["argc", "a", "b"]
    grower.scalars = ["v0", "v1", "c"]
    grower.counters = ["i2", "i1"]
    grower.prints = True
    grower.pieces = PIECES
    own = [
        ("int", "a", Node("raw", "argc > 1 ? argv[1][0] : -1")),
        ("int", "b", Node("raw", "a > 0 ? argv[1][1] : 0")),
        ("int", "c", Node("raw", "getchar()") if random.random() < 0.5 else number(random)),
        ("int", "v0", number(random)),
        ("int", "v1", number(random)),
        ("int", "i1", Node("number", "0")),
        ("int", "i2", Node("number", "0")),
    ]
    body = grower.block(2, 4)
    for _ in range(2):
        piece = grower._piece(1)
        assert piece is not None
        body.parts.insert(random.randint(0, len(body.parts)), piece)
    body.parts.append(Node("return", "", [grower.value(2)]))
    parameters = [("int", "argc"), ("char **", "argv")]
    return Source(HEAD, [], [Function("int", "main", parameters, own, body)], [])
