"""Command lines to compare on, utility by utility: as a shell would read them, ``< text`` behind.

    "-d , -f 2 < a,b,c\\n"    ->    arguments ("-d", ",", "-f", "2"), standard input b"a,b,c\\n"

They follow the examples and the options of the utilities' documentation, error cases included. The
files that they name are ``FILES``.
"""

from __future__ import annotations

import shlex

FILES = {
    "abc": b"a\nb\nc\n",
    "bcd": b"b\nc\nd\n",
    "fields": b"one:two:three\nno separator\n:empty:\n",
    "numbers": b"10\n9\n2\n2\n-1\n",
    "text": b"The quick\tbrown fox\n\njumps over\nthe lazy dog",
    "pairs": b"a 1\nb 2\nd 4\n",
    "others": b"a x\nb y\nc z\n",
    "repeated": b"a\na\nA\nb\nb\nc\n",
}

LINES: dict[str, str] = {
    "echo": r"""
hello world

-n no newline
-e a\tb\nc
-E a\tb
-e a\cb
-e '\x41\0101\\'
-ne x
-- x
-nx
--help x
-e '\a\b\f\v\r\e'
-e '\0'
'a  b'
-n -e 'x\n'
-neE 'a\n'
--version x
-e '\1'
-
-e a\
""",
    "basename": r"""
/usr/bin/sort
include/stdio.h .h
-s .h include/stdio.h
-a any/str1 any/str2
/
//
a/b/
''
.h .h
-z a/b
-as .c x/a.c y/b.c

a b c
--suffix=.c a.c
--multiple a/b c/d
-q
--suffix
-- -x
a.c .d
--zero
""",
    "seq": r"""
5
2 4
1 2 7
1 .5 3
5 -1 1
-s , 3
-w 8 11
-f %g 3
-f %05.1f 1 .5 2
-s '' -w 9 10

1 0 5
x
-f %d 3
-f %g%g 3
1 2 3 4
-2 2
3 1
0x10 0x12
1e1 12
-w -1 1
--separator=: 3
-f a%%b%e 1 2
1000000 1000002
-f %s 1
-w 1 .25 2
inf -1
-f % 1
""",
    "cut": r"""
-d : -f 2 fields
-d : -f 1,3 fields
-d : -f 2- fields
-d : -f -2 fields
-b 1-3 text
-c 2 text
-c 2-4,6- text
-s -d : -f 1 fields
--complement -d : -f 2 fields
--output-delimiter=/ -d : -f 1,2 fields
-f 2 text
-d '' -f 1 fields

-f 0 fields
-f 3-2 fields
-f a fields
-b 1 -f 1 fields
-d ab -f 1 fields
-d : fields
-b 1 missing
-z -b 1-2 < ab\ncd\0ef
-f 1 -d , < a,b\nc
-b 1- -s text
-n -b 1 abc
--output-delimiter=x -b 1,3 text
-c 99999999999999999999 text
-f - abc
""",
    "expr": r"""
1 + 2
3 '*' 4
7 / 2
7 % 3
1 - 5
a = a
a '<' b
2 '<' 10
'' '|' 5
0 '|' 0
1 '&' 2
length abc
substr abcdef 2 3
index abcdef dc
'(' 1 + 2 ')' '*' 3
abc : 'a\(.\)c'
abc : a.
1 +
a + 1
1 / 0

1 2
+ length
9223372036854775807 + 1
-5 % 3
'(' 1
abc : x
match abc b
""",
    "wc": r"""
abc
-l abc
-w text
-c text
-m text
-L text
abc bcd
-lw < a b\nc
missing
-
--total=never abc
--files0-from=missing
-x
-clw fields
<
-l missing abc
--lines --words abc
--bytes < xyz
--help=x
-cm text
""",
    "tr": r"""
a-z A-Z < Hello
-d l < hello
-s l < hello
-s a-z < aabbcc
-c a-z x < ab1
-cd a-z < ab1\n
-ds l o < hellloo
abc d < aabbcc
'[:lower:]' '[:upper:]' < abc
'[:upper:]' '[:lower:]' < ABC
a-c '[x*]' < abcd
-t abc x < abc
z-a x < abc

a < abc
'\n' ' ' < a\nb\n
'\101' b < AB
-d a b < abc
'[:foo:]' x < abc
'[=a=]' b < abc
-d '[:digit:]' < a1b2
a '' < abc
""",
    "paste": r"""
abc bcd
-s abc
-d , abc bcd
-s -d ',\n' numbers
-d '\0' abc bcd
- - < 1\n2\n3\n
abc missing

-z abc bcd
-d '\' abc
-d '' abc bcd
abc - < x\ny\n
-s abc bcd
-d ab abc bcd abc
--serial --delimiters=: abc
-x
text abc
fields
-d '\t' abc bcd
-s -z abc
""",
    "fold": r"""
-w 3 text
-w 5 -s text
-b -w 4 text
-10 text
-w 0 text
-w x text
text
-w 1 abc
missing
-s -w 3 < aa bb cc dd
-w
-bs -w 6 text
-w 3 abc bcd
--width=4 < abcdefgh
-w 8 < a\tb\tc
-w 4 < ab\bcd\refgh
-x
-3 < abcdefg
-w 99999999999999999999 abc
- < abc\n
""",
    "uniq": r"""
repeated
-c repeated
-d repeated
-u repeated
-i repeated
-D repeated
-f 1 pairs
-s 1 repeated
-w 1 text
-ci repeated
--group repeated
--all-repeated=separate repeated
--group=both repeated
-c --group repeated
missing
-x
a b c
-f x repeated
< a\na\nb
-z < a\0a\0b\0
-dc numbers
""",
    "head": r"""
-n 2 numbers
-n -2 numbers
-c 4 text
-c -4 text
-1 text
numbers
-n 1 abc bcd
-q -n 1 abc bcd
-v -n 1 abc
missing
-n x abc
-c 1k text
-n 0 abc
- < a\nb\n
-z -n 1 < a\0b\0
-n 1 missing abc
-n
--lines=1 text
--bytes=3 text
-2c text
""",
    "tail": r"""
-n 2 numbers
-n +2 numbers
-c 4 text
-c +4 text
-1 text
numbers
-n 1 abc bcd
-q -n 1 abc bcd
-v -n 1 abc
missing
-n x abc
-c 1k text
-n 0 abc
- < a\nb\n
-z -n 1 < a\0b\0
-n 1 missing abc
-n
--lines=1 text
--bytes=3 text
-n 1 < a\nb\nc
""",
    "nl": r"""
abc
-b a text
-b t text
-b n text
-n ln abc
-n rz abc
-s : abc
-w 3 abc
-v 5 abc
-i 2 abc
-v x abc
missing
-b x abc
-b pa abc
-w 0 abc
-l 2 -b a text
-d : text
< \\:\\:\\:\nh\n\\:\\:\nb\n
-n xx abc
-p < \\:\\:\na\n\\:\\:\nb\n
""",
    "comm": r"""
abc bcd
-1 abc bcd
-2 abc bcd
-3 abc bcd
-12 abc bcd
-23 abc bcd
--total abc bcd
--output-delimiter=, abc bcd
abc
abc missing
numbers abc
--check-order numbers abc
--nocheck-order numbers abc
- bcd < b\n
-z abc bcd
-x abc bcd
abc bcd text
--output-delimiter= abc bcd
abc abc
-123 abc bcd
""",
    "join": r"""
pairs others
-a 1 pairs others
-a 2 pairs others
-v 1 pairs others
-o 1.2,2.2 pairs others
-o 0 pairs others
-1 1 -2 1 pairs others
-t : fields fields
-i pairs others
-e x -a 1 -o 0,1.2,2.2 pairs others
-j 2 pairs pairs
pairs missing
pairs
numbers abc
--check-order numbers abc
--nocheck-order numbers abc
-o 3.1 pairs others
-t ab pairs others
- others < a 9\n
--header pairs others
-o auto pairs others
""",
    "od": r"""
abc
-c abc
-x abc
-d abc
-An -tx1 abc
-tx1z abc
-j 2 abc
-N 3 abc
-td4 text
-to1 abc
-Ax abc
-ta text
-w4 -tx1 text
-v abc
missing
-tq abc
-A q abc
-b abc
-tf4 < abcdefgh
-tf8 < abcdefgh
-S 3 text
""",
    "sort": r"""
numbers
-n numbers
-r numbers
-u numbers
-nu numbers
-k 2 pairs
-k 2,2nr pairs
-t : -k 2 fields
-f repeated
-c numbers
-c abc
-C numbers
-m abc bcd
-s -k 1,1 repeated
missing
-k 0 abc
-b text
-d text
-g numbers
-z < b\0a\0
-x
< c\nb\na
""",
    "test": r"""
a
''

a = a
a = b
a != b
1 -eq 1
1 -lt 0
-n a
-z a
! a
a -a b
a -o ''
'(' a ')'
-e abc
-f abc
-d abc
-e missing
x -eq 1
1 -eq
a b
-s abc
2 -ge 2
""",
    "printf": r"""
%s\n hello
%d\n 42
%5d,%-5d,\n 1 2
%x\n 255
%c abc
%f\n 1.5
%e\n 1234.5
%s-%s\n a b c
%%
'a\tb\n'
%b 'a\tb'
%d x
%d 5x
%q 'a b'
'\x41\101'

%z
%d "'a"
%*d 5 3
%.3s abcdef
%i 0x10
%g 1e10
""",
    "factor": r"""
12
7
1
0
97 100
1000000007
360360
18446744073709551615
x
-1
< 10 15
< \n
< 8\nx\n
2147483647
4
+5
''
600851475143
999999000001
6 x 7
""",
}


def command_lines(utility: str) -> list[tuple[str, list[str], bytes]]:
    """Each line as written, its words, and standard input."""
    found = []
    for line in LINES[utility].removeprefix("\n").removesuffix("\n").split("\n"):
        words, _, text = ("", "", "") if line == "<" else line.partition("< ")
        stdin = text.encode().decode("unicode_escape").encode("latin-1")
        found.append((line, shlex.split(_kept(words)), stdin))
    return found


def _kept(words: str) -> str:
    """A backslash outside of quotes stands for itself."""
    if "'" in words or '"' in words:
        return words
    return words.replace("\\", "\\\\")
