"""A small repository of programs in C that share a library, built by make."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Mapping
from pathlib import Path

MAKEFILE = """\
CFLAGS = -Ilib -DLIMIT=10
all: sum words tests/check
version.h: VERSION
\tprintf '#define VERSION "%s"\\n' "`cat VERSION`" > $@
lib/libutil.a: lib/number.o lib/unused.o
\t$(AR) cr $@ $^
sum: src/sum.o lib/libutil.a
\t$(CC) -o $@ src/sum.o -Llib -lutil -lm
src/sum.o: version.h
words: src/words.o
\t$(CC) -o $@ $^
tests/check: tests/check.o lib/libutil.a
\t$(CC) -o $@ $^
"""
FILES = {
    "Makefile": MAKEFILE,
    "VERSION": "1.0\n",
    "lib/number.h": "int number(const char *text);\n",
    "lib/number.c": """\
#include "number.h"
int number(const char *text)
{
    return *text - '0';
}
""",
    "lib/unused.c": 'int number(const char *text);\nint unused(void) { return number("1"); }\n',
    "src/sum.c": """\
#include <math.h>
#include <stdio.h>
#include "../version.h"
#include "number.h"
int main(int argc, char **argv)
{
    int total = argc > 1 ? number(argv[1]) : 0;
    if (total > LIMIT)
        puts("large");
    printf("%d\\n", total + (int) floor(2.5));
    return 0;
}
""",
    "src/words.c": """\
#include <stdio.h>
int main(int argc, char **argv)
{
    printf("%d\\n", argc);
    return argv == NULL;
}
""",
    "tests/check.c": 'int number(const char *);\nint main(void) { return number("2") != 2; }\n',
}


class Repository:
    def __init__(self, folder: Path, files: Mapping[str, str] = FILES) -> None:
        self.folder = folder
        self.git("init", "-q", "-b", "main")
        for name, text in files.items():
            self.write(name, text)
        self.commit("begin")

    def git(self, *words: str) -> str:
        named = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always")
        done = subprocess.run(
            ["git", *named, *words], cwd=self.folder, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def write(self, name: str, text: str) -> None:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def edit(self, name: str, old: str, new: str) -> None:
        text = (self.folder / name).read_text()
        assert old in text
        self.write(name, text.replace(old, new))

    def commit(self, message: str) -> str:
        self.git("add", "-A")
        self.git("commit", "-qm", message)
        return self.git("rev-parse", "HEAD")

    def state(self) -> dict[str, str]:
        """Every file of the repository and of the work tree."""
        return {
            str(file.relative_to(self.folder)): hashlib.sha256(file.read_bytes()).hexdigest()
            for file in sorted(self.folder.rglob("*"))
            if file.is_file()
        }
