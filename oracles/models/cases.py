"""A call of a model with arguments from inputs, as C.

"see_long(@($text, $int(0, 9)));"   ->   void case_7(void) { see_long(strchr_like(i7_0, i7_1)); }
                                         char i7_0[7]; int i7_1;

``@`` is the function, ``$kind`` an argument from an input of its own. What a template does not say
is made by the types of the prototype.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from oracles.models.drawing import Cell, Input
from oracles.models.prototypes import Prototype

TEXT, ROOM, BYTES = 6, 24, 8
LETTERS = tuple(b"\0\0aabAZ019- +.xX%/\n\t\x7f\x80\xff")
WIDE_LETTERS = tuple(b"\0\0aabAZ019- +.xX/\n\t\x7f")


class Unknown(Exception):
    """No way is known to make an argument of this type, or to look at a result of it."""


@dataclass(frozen=True, slots=True)
class Case:
    """``text`` is the body of ``case_N``; ``functions`` stand before it."""

    number: int
    name: str
    text: str
    inputs: tuple[Input, ...]
    functions: str = ""

    @property
    def source(self) -> str:
        lines = [each.declaration + ";\n" for each in self.inputs]
        table = "".join(f"{{(void *)&{each.name}, {each.size}}}, " for each in self.inputs)
        lines.append(f"const struct input inputs_{self.number}[] = {{{table}{{0, 0}}}};\n")
        lines.append(self.functions)
        lines.append(f"void case_{self.number}(void)\n{{\n    own = inputs_{self.number};\n")
        return "".join(lines) + f"    {self.text}\n}}\n"


_INTEGERS = {  # kind -> C type, bytes, least, greatest, favourites
    "int": (
        "int", 4, -(2**31), 2**31 - 1,
        (-1, 0, 1, 2, 9, 10, 48, 65, 97, 127, 128, 255, 256, -128, -2),
    ),
    "unsigned": ("unsigned", 4, 0, 2**32 - 1, (0, 1, 9, 10, 2**31)),
    "short": ("unsigned short", 2, 0, 2**16 - 1, (0, 1, 255, 256)),
    "long": ("long", 8, -(2**63), 2**63 - 1, (-1, 0, 1, 2, 10, -10, 2**31, 2**32, 86400)),
    "ulong": ("unsigned long", 8, 0, 2**64 - 1, (0, 1, 10, 2**31, 2**32)),
    "size": ("unsigned long", 8, 0, BYTES, ()),
    "wide": (
        "int", 4, -(2**31), 2**31 - 1, (-1, 0, 10, 32, 48, 57, 65, 90, 97, 122, 127, 128, 255),
    ),
    "char": ("unsigned char", 1, 0, 255, LETTERS),
}  # fmt: skip
_FLOATS = {
    "float": ("float", 4, 4),
    "double": ("double", 8, 8),
    "extended": ("long double", 10, 16),
}

ARGUMENTS = {  # type of a parameter -> what is passed
    "int": "$int", "wint_t": "$wide", "wchar_t": "$wide", "long int": "$long",
    "unsigned int": "$unsigned", "long long int": "$long", "intmax_t": "$long",
    "long unsigned int": "$ulong", "size_t": "$size", "uint32_t": "$unsigned",
    "uint16_t": "$short", "__uid_t": "$unsigned", "__gid_t": "$unsigned", "__pid_t": "$int",
    "__mode_t": "$int(0, 0x1ff)", "mode_t": "$int(0, 0x1ff)", "float": "$float",
    "double": "$double", "long double": "$extended", "const char *": "$text", "char *": "$buffer",
    "const void *": "$bytes", "void *": "$buffer", "const wchar_t *": "$wtext",
    "char **": "$object(char *)", "const __gwchar_t *": "$wtext", "wchar_t *": "$wbuffer",
    "wchar_t **": "$object(wchar_t *)", "__gwchar_t **": "$object(wchar_t *)",
    "int *": "$object(int)", "size_t *": "$object(size_t)", "double *": "$object(double)",
    "float *": "$object(float)", "long double *": "$object(long double)",
    "mbstate_t *": "$object(mbstate_t)", "time_t": "$long(-90000000000, 90000000000)",
    "const time_t *": "$given(long, -90000000000, 90000000000)",
    "locale_t": "newlocale(LC_ALL_MASK, \"C\", 0)", "FILE *": "$stream", "__FILE *": "$stream",
    "unsigned int *": "$given(unsigned)", "struct timespec *": "$object(struct timespec)",
    "wctype_t": "wctype(\"alpha\")", "void **": "$object(void *)", "char16_t": "$short",
}  # fmt: skip
_WHOLE = (
    "int", "wint_t", "size_t", "long int", "long long int", "ssize_t", "__ssize_t", "time_t",
    "long unsigned int", "long long unsigned int", "intmax_t", "uintmax_t", "uint32_t", "uint16_t",
    "__uid_t", "__gid_t", "__pid_t", "__off_t", "__off64_t", "unsigned int", "__mode_t", "clock_t",
    "wctype_t", "wctrans_t",
)  # fmt: skip
_SEES = {
    **dict.fromkeys(_WHOLE, "see_long((long) ({}));"),
    "double": "see_double({});", "float": "see_float({});", "long double": "see_extended({});",
    "char *": "see_text({});", "const char *": "see_text({});", "void *": "see_pointer({});",
    "wchar_t *": "see_wide_text({});", "void": "{};", "FILE *": "see_stream({});",
    "locale_t": "see_long(({}) != 0);",
}  # fmt: skip
_WRITTEN = re.compile(r"\$(format|numbers|wformat|scan|wscan|mode|letters)\b")
_MACRO = re.compile(r'\$(\w+)(?:\(((?:[^()"]|"[^"]*")*)\))?')
_PARTS = re.compile(r'\s*("[^"]*"|[^,]+)')


def default_template(prototype: Prototype) -> str:
    """What is called, and looked at, by the types alone."""
    if prototype.variadic:
        raise Unknown(f"{prototype.name} takes more arguments")
    arguments: list[str] = []
    for kind in prototype.parameters:
        if kind not in ARGUMENTS:
            raise Unknown(f"argument {kind}")
        arguments.append(ARGUMENTS[kind])
    if prototype.result not in _SEES:
        raise Unknown(f"result {prototype.result}")
    return _SEES[prototype.result].format(f"@({', '.join(arguments)})")


class Maker:
    """Turns templates into cases. Two that it makes of one seed are the same."""

    def __init__(self, seed: str) -> None:
        self.chance = random.Random(seed)

    def case(self, number: int, name: str, template: str, called: str, functions: str = "") -> Case:
        inputs: list[Input] = []
        before: list[str] = []
        after: list[str] = []

        def expanded(found: re.Match[str]) -> str:
            where = f"i{number}_{len(inputs)}"
            words = [each.strip() for each in _PARTS.findall(found[2] or "")]
            made, passed, first, last = self._input(where, found[1], words)
            inputs.append(made)
            before.append(first)
            after.append(last)
            return passed

        written = _WRITTEN.sub(lambda found: self._written(found[1]), template)
        body = _MACRO.sub(expanded, written).replace("@", called)
        lines = [each for each in (*before, "errno = 0;", body, "see_long(errno);", *after) if each]
        return Case(number, name, "\n    ".join(lines), tuple(inputs), functions)

    def _written(self, kind: str) -> str:
        """A format and its arguments, or a letter of a mode, by chance."""
        match kind:
            case "mode":
                return '((const char *[]){"r", "w", "a", "r+", "w+", "a+", "rb"})[$int(0, 6)]'
            case "letters":
                return self.chance.choice(('"ab:cx::"', '"+ab:c"', '":a:b"', '"-ab:x"'))
            case "scan" | "wscan":
                return self._scanned("L" * (kind == "wscan"))
            case _:
                return self._printed(kind)

    def _printed(self, kind: str) -> str:
        """``kind``: format, numbers (what has no long text), wformat."""
        wide = kind == "wformat"
        text, arguments = "", list[str]()
        for _ in range(self.chance.choice((1, 1, 2))):
            letters = "diouxXcs%" + "pegaEGA" * (kind == "format") + "d" * 3
            letter = self.chance.choice(letters)
            flags = "".join(sorted({self.chance.choice(" -+ #0") for _ in range(2)} - {" "}))
            if letter in "csp%":
                flags = flags.replace("0", "").replace("#", "").replace("+", "")
            width = self.chance.choice(("", "", "1", "7", "12", "*"))
            precision = self.chance.choice(("", "", "", ".", ".0", ".1", ".5", ".*"))
            if letter in "cp%":
                precision = ""
            if letter == "%":
                flags = width = ""
            length, argument = "", "$int(0, 127)" if wide else "$int(0, 255)"
            arguments += ["$int(-9, 12)"] * ((width + precision).count("*"))
            if letter in "diouxX":
                length = self.chance.choice(("", "", "hh", "h", "l", "ll", "j", "z", "t"))
                argument = "$int" if length in ("", "h", "hh") else "$long"
            elif letter == "s":
                argument = "$ascii(4)" if wide else "$text(4)"
            elif letter == "p":
                argument = "(void *) $long(0, 99)"
            elif letter in "egaEGA":
                length = self.chance.choice(("", "", "L"))
                argument = "$extended" if length else "$double"
            text += (
                self.chance.choice(("", "n=", " ")) + f"%{flags}{width}{precision}{length}{letter}"
            )
            arguments += [argument] * (letter != "%")
        return ", ".join([f'{"L" * wide}"{text}"', *arguments])

    def _scanned(self, prefix: str) -> str:
        text, arguments = "", list[str]()
        for _ in range(self.chance.choice((1, 2))):
            letter, kind = self.chance.choice((
                ("d", "int"), ("u", "unsigned"), ("x", "unsigned"), ("o", "unsigned"), ("i", "int"),
                ("ld", "long"), ("hhd", "char"), ("3d", "int"), ("*d", ""), ("s", "text"),
                ("2s", "text"), ("[0-9a]", "text"), ("[^0-9]", "text"), ("c", "char"),
                ("n", "int"), ("2x", "unsigned"), ("5lf", "double"),
            ))  # fmt: skip
            text += self.chance.choice(("", " ", "-")) + f"%{letter}"
            if kind == "text":
                arguments.append("$buffer(16)")
            elif kind:
                arguments.append(f"$object({kind})")
        return ", ".join([f'{prefix}"{text}"', *arguments])

    def _input(self, where: str, kind: str, words: list[str]) -> tuple[Input, str, str, str]:
        """The input, what is passed, and what runs before and after the call."""
        if kind in _INTEGERS:
            ctype, size, low, high, usual = _INTEGERS[kind]
            if words:
                low, high = int(words[0], 0), int(words[1], 0)
            cell = Cell(0, size, low, high, (*usual, *(int(each, 0) for each in words[2:])))
            return Input(where, f"{ctype} {where}", size, (cell,), bytes(size)), where, "", ""
        if kind in _FLOATS:
            ctype, stored, size = _FLOATS[kind]
            cell = Cell(0, stored, 0, (1 << 8 * stored) - 1, floating=True)
            return Input(where, f"{ctype} {where}", size, (cell,), bytes(size)), where, "", ""
        match kind:
            case "text":  # $text(most, favourites); one NUL behind
                most = int(words[0]) if words else TEXT
                usual = _letters(words, LETTERS)
                return self._chars(where, 1, most, most + 1, usual), where, "", ""
            case "ascii":
                most = int(words[0]) if words else TEXT
                usual = _letters(words, WIDE_LETTERS)
                return self._chars(where, 1, most, most + 1, usual, 127), where, "", ""
            case "bytes":
                most = int(words[0]) if words else BYTES
                return self._chars(where, 1, most, most, LETTERS), where, "", ""
            case "buffer":
                room = int(words[0]) if words else ROOM
                return self._chars(where, 1, min(TEXT, room - 1), room, LETTERS), where, "", ""
            case "wtext":
                most = int(words[0]) if words else TEXT
                usual = _letters(words, WIDE_LETTERS)
                return self._chars(where, 4, most, most + 1, usual), where, "", ""
            case "wbuffer":
                return self._chars(where, 4, TEXT, ROOM, WIDE_LETTERS), where, "", ""
            case "object":  # begins with zeros; pointers in it are looked at as such
                pointer = words[0].endswith("*")
                after = f"see_pointer({where}_o);" if pointer else f"see_object({where}_o);"
                if (words[0] in _SEES and "double" in words[0]) or words[0] == "float":
                    after = _SEES[words[0]].format(f"{where}_o")
                before = f"{words[0]} {where}_o;\n    memset(&{where}_o, 0, sizeof {where}_o);"
                return _nothing(where), f"&{where}_o", before, after
            case "given":  # a pointer to a number
                ctype, size, low, high, usual = _INTEGERS[words[0]]
                if len(words) > 1:
                    low, high = int(words[1], 0), int(words[2], 0)
                cell = Cell(0, size, low, high, usual)
                made = Input(where, f"{ctype} {where}", size, (cell,), bytes(size))
                return made, f"&{where}", "", ""
            case "stream" | "descriptor":
                most = int(words[0]) if words else BYTES
                made = self._chars(where, 1, most, most, LETTERS)
                ctype = "FILE *" if kind == "stream" else "int "
                before = f"{ctype}{where}_s = {kind}_on({where}, {most});"
                return made, f"{where}_s", before, f"see_{kind}({where}_s);"
            case _:
                raise Unknown(f"${kind}")

    def _chars(
        self, where: str, unit: int, drawn: int, room: int, usual: tuple[int, ...], high: int = 0
    ) -> Input:
        """``drawn`` units come from the input, a zero follows, and known ones up to ``room``."""
        high = high or (255 if unit == 1 else 2**31 - 1)
        cells = tuple(Cell(unit * at, unit, 0, high, usual) for at in range(drawn))
        rest = bytearray(unit * room)
        for at in range(drawn + 1, room):
            rest[unit * at] = ord("#")
        ctype = "char" if unit == 1 else "wchar_t"
        return Input(where, f"{ctype} {where}[{room}]", unit * room, cells, bytes(rest))


def _letters(words: list[str], usual: tuple[int, ...]) -> tuple[int, ...]:
    return (*words[1].strip('"').encode(), 0) if len(words) > 1 else usual


def _nothing(where: str) -> Input:
    return Input(where, f"char {where}[1]", 1, (), b"\0")
