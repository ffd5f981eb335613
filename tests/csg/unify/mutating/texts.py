"""Edits of the text: what the preprocessor and the declarations of types say.

#define LIMIT 8             ->   #define LIMIT 9
x = 7;                      ->   #define NUMBER 7 ... x = NUMBER;
struct p { int x; char c; } ->   struct p { char c; int x; int added; }
enum e { A, B }             ->   enum e { ADDED, A, B }
typedef int number;         ->   typedef long number;
"""

from __future__ import annotations

import re
from random import Random


def change_macro(text: str, random: Random) -> str | None:
    return _change_number(text, random, r"^#\s*define\s+[A-Z]\w*\s+\(?(\d{1,3})\)?$")


def change_typedef(text: str, random: Random) -> str | None:
    found = list(re.finditer(r"^typedef (int|long|unsigned|short|unsigned char) \w+;", text, re.M))
    if not found:
        return None
    chosen = random.choice(found)
    other = random.choice(["int", "long", "unsigned", "short", "unsigned char"])
    return text[: chosen.start(1)] + other + text[chosen.end(1) :]


def name_a_number(text: str, random: Random) -> str | None:
    """The program stays what it is."""
    start = text.find("{")
    found = [
        each
        for each in re.finditer(r"(?<![\w.'\"%])\d{1,3}(?![\w.'\"])", text[start:])
        if _in_code(text, start + each.start())
    ]
    if not found:
        return None
    chosen = random.choice(found)
    at = start + chosen.start()
    named = text[:at] + "NUMBER_OF_OURS" + text[start + chosen.end() :]
    return f"#define NUMBER_OF_OURS {chosen[0]}\n{named}"


def switch_off(text: str, random: Random) -> str | None:
    """A line of a function goes behind ``#if 0``."""
    lines = text.split("\n")
    found = [
        at
        for at, line in enumerate(lines)
        if re.fullmatch(r"    +(?!return)[\w*.\[\]>-]+ *([-+*|&^]?=|\(|\+\+|--)[^{}\"']*;", line)
        and lines[at - 1].rstrip().endswith((";", "{", "}"))
    ]
    if not found:
        return None
    at = random.choice(found)
    return "\n".join([*lines[:at], "#if 0", lines[at], "#endif", *lines[at + 1 :]])


def add_noise(text: str, random: Random) -> str | None:
    """Comments, white space, and code that no compiler sees."""
    noise = [
        "/* what follows is as it was */",
        "#if 0\nint never(void) { return 1; }\n#endif",
        "#define NEVER_USED(x) ((x) + 1)",
    ]
    lines = text.split("\n")
    places = [at for at, line in enumerate(lines) if re.match(r"(static |int |struct )", line)]
    if not places:
        return None
    lines.insert(random.choice(places), random.choice(noise))
    return "\n".join(lines)


def add_field(text: str, random: Random) -> str | None:
    return _in_record(text, random, lambda rows: _inserted(rows, "    int added;", random))


def reorder_fields(text: str, random: Random) -> str | None:
    def shuffled(rows: list[str]) -> list[str] | None:
        flexible = any("[]" in row for row in rows)
        if len(rows) < 2 or flexible:
            return None
        mixed = list(rows)
        random.shuffle(mixed)
        return mixed

    return _in_record(text, random, shuffled)


def retype_field(text: str, random: Random) -> str | None:
    def retyped(rows: list[str]) -> list[str] | None:
        at = [i for i, row in enumerate(rows) if re.match(r"\s*int \w+(\[\w+\])?;", row)]
        if not at:
            return None
        chosen = random.choice(at)
        other = rows[chosen].replace("int ", "long ", 1)
        return [*rows[:chosen], other, *rows[chosen + 1 :]]

    return _in_record(text, random, retyped)


def shift_enumerators(text: str, random: Random) -> str | None:
    found = list(re.finditer(r"enum(?: [a-z]\w*)? ?\{\s*([A-Z]\w*)(?= *[,}=])", text))
    if not found:
        return None
    chosen = random.choice(found)
    name = random.choice(("ADDED_FIRST, ", "ADDED_FIRST = 1, "))
    return text[: chosen.start(1)] + name + text[chosen.start(1) :]


def change_number(text: str, random: Random) -> str | None:
    return _change_number(text, random, r"^(?:static|const)[^;{(]*= (\d{1,3});$")


def _change_number(text: str, random: Random, pattern: str) -> str | None:
    found = list(re.finditer(pattern, text, re.M))
    if not found:
        return None
    chosen = random.choice(found)
    value = max(0, int(chosen[1]) + random.choice((1, -1)))
    return f"{text[: chosen.start(1)]}{value}{text[chosen.end(1) :]}"


def _in_record(text: str, random: Random, change) -> str | None:  # type: ignore[no-untyped-def]
    found = list(re.finditer(r"^struct [a-z]\w* \{\n((?:    [^{}\n:]*;[^\n]*\n)+)\};", text, re.M))
    if not found:
        return None
    chosen = random.choice(found)
    rows = change(chosen[1].rstrip("\n").split("\n"))
    if rows is None:
        return None
    return text[: chosen.start(1)] + "\n".join(rows) + "\n" + text[chosen.end(1) :]


def _inserted(rows: list[str], row: str, random: Random) -> list[str] | None:
    if any("[]" in each for each in rows):
        return None
    at = random.randrange(len(rows) + 1)
    return [*rows[:at], row, *rows[at:]]


def _in_code(text: str, at: int) -> bool:
    """Not in a string, a comment or a line of the preprocessor."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line.count('"') % 2 == 0 and not re.search(r"//|/\*|^\s*(#|\*)", line)


TEXTS = (
    change_macro,
    change_typedef,
    name_a_number,
    switch_off,
    add_noise,
    add_field,
    reorder_fields,
    retype_field,
    shift_enumerators,
    change_number,
)
