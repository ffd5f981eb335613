"""Repositories that are made to run programs, to write elsewhere, or to be written to a terminal.

    for name, make in REPOSITORIES:
        make(folder)          a repository with two commits, whose C code differs
        HARM in folder.rglob  a program that it names has run

Each has its harm in its own ``.git/config``, its attributes, or in objects that git itself would
not write.
"""

from __future__ import annotations

import hashlib
import subprocess
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

HARM = "harmed"  # the file that a program of the repository's choice makes
OLD = b"int main(int argc, char **argv) { return argc > 2; }\n"
NEW = b"int main(int argc, char **argv) { return argc > 3; }\n"
_PERSON = b"Someone <someone@example.org> 1600000000 +0000"

Make = Callable[[Path], None]


def git(folder: Path, *words: str, data: bytes = b"") -> str:
    command = ["git", "-C", str(folder), *words]
    done = subprocess.run(command, input=data, capture_output=True, check=True)
    return done.stdout.decode("utf-8", "surrogateescape").strip()


def put(folder: Path, kind: str, content: bytes) -> str:
    """Write an object as it is: git asks nothing of what lies there."""
    data = b"%s %d\0%s" % (kind.encode(), len(content), content)
    number = hashlib.sha1(data, usedforsecurity=False).hexdigest()
    place = folder / ".git" / "objects" / number[:2] / number[2:]
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(zlib.compress(data))
    return number


def tree_of(folder: Path, entries: list[tuple[bytes, bytes, str]]) -> str:
    """A tree of (mode, name, object) in the order given."""
    return put(
        folder,
        "tree",
        b"".join(b"%s %s\0%s" % (mode, name, bytes.fromhex(of)) for mode, name, of in entries),
    )


def commit_of(folder: Path, tree: str, parent: str = "", extra: bytes = b"") -> str:
    above = b"parent %s\n" % parent.encode() if parent else b""
    text = b"tree %s\n%sauthor %s\ncommitter %s\n%s\nA change\n"
    return put(folder, "commit", text % (tree.encode(), above, _PERSON, _PERSON, extra))


def _begin(folder: Path) -> None:
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")


def _end(folder: Path, commit: str) -> None:
    (folder / ".git" / "refs" / "heads" / "main").write_text(f"{commit}\n")


def _with_entries(folder: Path, more: list[tuple[bytes, bytes, bytes]]) -> None:
    """Two commits of main.c, both with further entries: (mode, name, content)."""
    _begin(folder)
    others = [(mode, name, put(folder, "blob", content)) for mode, name, content in more]
    trees = [
        tree_of(folder, sorted([*others, (b"100644", b"main.c", put(folder, "blob", text))]))
        for text in (OLD, NEW)
    ]
    _end(folder, commit_of(folder, trees[1], commit_of(folder, trees[0])))


def two_commits(folder: Path, *more: tuple[bytes, bytes]) -> None:
    """OLD and NEW as main.c, beside further files: (name, content)."""
    _with_entries(folder, [(b"100644", name, content) for name, content in more])


def _nested(folder: Path, names: list[bytes], content: bytes) -> None:
    """Both commits have a file below folders of these names."""
    _begin(folder)
    inner = put(folder, "blob", content)
    mode = b"100644"
    for name in reversed(names[1:]):
        inner, mode = tree_of(folder, [(mode, name, inner)]), b"40000"
    trees = [
        tree_of(
            folder,
            [(mode, names[0], inner), (b"100644", b"main.c", put(folder, "blob", text))],
        )
        for text in (OLD, NEW)
    ]
    _end(folder, commit_of(folder, trees[1], commit_of(folder, trees[0])))


def _configured(folder: Path, lines: str, attributes: str = "", signed: bool = False) -> None:
    """Ordinary commits; the configuration has ``lines``, where HARM stands for a program."""
    more = [(b"100644", b".gitattributes", attributes.encode())] if attributes else []
    _with_entries(folder, more)
    program = folder / ".git" / "program"
    program.write_text(f"#!/bin/sh\ntouch '{folder / HARM}'\ncat\n")
    program.chmod(0o755)
    with (folder / ".git" / "config").open("a") as file:
        file.write(lines.replace("HARM", str(program)))
    if signed:
        last, before = (git(folder, "rev-parse", each) for each in ("main^{tree}", "main~1"))
        key = b"gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ\n -----END PGP SIGNATURE-----\n"
        _end(folder, commit_of(folder, last, before, key))


_COMMANDS = {
    # settings, by what makes git run the program that they name
    "smudge": ('[filter "x"]\n\tsmudge = HARM\n', "*.c filter=x\n"),
    "clean": ('[filter "x"]\n\tclean = HARM\n\trequired = true\n', "*.c filter=x\n"),
    "process": ('[filter "x"]\n\tprocess = HARM\n\trequired = true\n', "*.c filter=x\n"),
    "required": ('[filter "x"]\n\tsmudge = false\n\trequired = true\n', "*.c filter=x\n"),
    "external diff": ("[diff]\n\texternal = HARM\n", ""),
    "driver": ('[diff "x"]\n\tcommand = HARM\n', "*.c diff=x\n"),
    "textconv": ('[diff "x"]\n\ttextconv = HARM\n\tcachetextconv = true\n', "*.c diff=x\n"),
    "monitor": ("[core]\n\tfsmonitor = HARM\n", ""),
    "monitor that is built in": ("[core]\n\tfsmonitor = true\n\tuntrackedCache = true\n", ""),
    "ssh": ("[core]\n\tsshCommand = HARM\n", ""),
    "pager": ("[core]\n\tpager = HARM\n[pager]\n\tlog = HARM\n\tdiff = HARM\n", ""),
    "editor": ("[core]\n\teditor = HARM\n[sequence]\n\teditor = HARM\n", ""),
    "password": ("[core]\n\taskPass = HARM\n[credential]\n\thelper = HARM\n", ""),
    "signature": ("[log]\n\tshowSignature = true\n[gpg]\n\tprogram = HARM\n", ""),
    "alias": ('[alias]\n\tdiff = "!HARM"\n\tls-tree = "!HARM"\n\trev-parse = "!HARM"\n', ""),
    "merge driver": ('[merge "x"]\n\tdriver = HARM\n', "*.c merge=x\n"),
    "included": ("[include]\n\tpath = program\n", ""),
    "encoding": ("", "*.c working-tree-encoding=UTF-16\n"),
    "no encoding": ("", "*.c working-tree-encoding=no-such-encoding\n"),
    "line ends": ("[core]\n\tautocrlf = true\n\teol = crlf\n", "*.c text eol=crlf ident\n"),
    "sparse": ("[core]\n\tsparseCheckout = true\n\tsparseCheckoutCone = false\n", ""),
    "elsewhere": ("[core]\n\tworktree = /\n", ""),
}


def _hooked(folder: Path) -> None:
    _with_entries(folder, [])
    names = "post-checkout post-index-change reference-transaction pre-auto-gc fsmonitor-watchman"
    for name in names.split():
        hook = folder / ".git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch '{folder / HARM}'\n")
        hook.chmod(0o755)


def _partial(folder: Path, remote: str) -> None:
    """A clone without a part of its objects, which ``remote`` is to be asked for."""
    _with_entries(folder, [(b"100644", b"data.txt", b"not here\n")])
    program = folder / ".git" / "program"
    program.write_text(f"#!/bin/sh\ntouch '{folder / HARM}'\n")
    program.chmod(0o755)
    number = git(folder, "rev-parse", "main:data.txt")
    (folder / ".git" / "objects" / number[:2] / number[2:]).unlink()
    with (folder / ".git" / "config").open("a") as file:
        file.write(remote.replace("HARM", str(program)))
        file.write("[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = origin\n")


_REMOTES = {
    "transport": (
        '[remote "origin"]\n\turl = "ext::HARM %S"\n\tpromisor = true\n'
        '[protocol "ext"]\n\tallow = always\n'
    ),
    "pack program": (
        '[remote "origin"]\n\turl = /\n\tuploadpack = HARM\n\tpromisor = true\n'
        '[protocol "file"]\n\tallow = always\n'
    ),
    "remote shell": (
        '[remote "origin"]\n\turl = ssh://nobody@localhost/x\n\tpromisor = true\n'
        "[core]\n\tsshCommand = HARM\n"
    ),
}


def _linked(folder: Path, target: bytes) -> None:
    """A link, and a file of the same name as a folder: whoever follows it writes elsewhere."""
    _begin(folder)
    link, text = put(folder, "blob", target), put(folder, "blob", b"written\n")
    below = tree_of(folder, [(b"100644", HARM.encode(), text)])
    trees = [
        tree_of(
            folder,
            [
                (b"120000", b"a", link),
                (b"40000", b"a", below),
                (b"100644", b"main.c", put(folder, "blob", each)),
            ],
        )
        for each in (OLD, NEW)
    ]
    _end(folder, commit_of(folder, trees[1], commit_of(folder, trees[0])))


# Names that a terminal, a path, a compiler's command or generated C may take for something else.
NAMES = {
    "escape": b"a\x1b[31m\x1b]0;x\x07.c",
    "newline": b"a\nb.c",
    "carriage return": b"a\rb.c",
    "bidi": "a\u202eb.c".encode(),
    "no UTF-8": b"a\xff\xfe.c",
    "quotes": b"a\"b'c.c",
    "backslash": b"a\\nb\\.c",
    "option": b"-o.c",
    "response file": b"@a.c",
    "shell": b"$(touch harmed);`touch harmed`.c",
    "wildcard": b"*?[a].c",
    "percent": b"%s%n%d.c",
    "trigraph": b"a??(b.c",
    "blanks": b"  a  b .c",
    "tab": b"a\tb.c",
    "long": b"x" * 250 + b".c",
    "markup": b"<script>alert(1)<!--.c",
    "delete": b"a\x7f.c",
    "emoji": "\U0001f4a5.c".encode(),
}
_PATHS = {
    "above": [b"..", b"..", HARM.encode()],
    "here": [b".", HARM.encode()],
    "of git": [b".git", b"hooks", HARM.encode()],
    "of git, in capitals": [b".GIT", HARM.encode()],
    "nothing": [b"", HARM.encode()],
    "deep": [b"d"] * 2000 + [b"a.c"],
    "too long": [b"x" * 300],
}


def _of_name(folder: Path, name: bytes) -> None:
    """The only file with code has the name."""
    _begin(folder)
    trees = [tree_of(folder, [(b"100644", name, put(folder, "blob", text))]) for text in (OLD, NEW)]
    _end(folder, commit_of(folder, trees[1], commit_of(folder, trees[0])))


def repositories() -> Iterator[tuple[str, Make]]:
    for name, (lines, attributes) in _COMMANDS.items():
        signed = name == "signature"
        yield (
            f"config: {name}",
            partial(_configured, lines=lines, attributes=attributes, signed=signed),
        )
    yield "hooks", _hooked
    for name, remote in _REMOTES.items():
        yield f"partial: {name}", partial(_partial, remote=remote)
    yield "link to /", partial(_linked, target=b"/tmp")
    yield "link above", partial(_linked, target=b"../..")
    for name, file in NAMES.items():
        yield f"name: {name}", partial(_of_name, name=file)
    for name, parts in _PATHS.items():
        yield f"path: {name}", partial(_nested, names=parts, content=b"written\n")
    modes = {
        "a link to a device": [(b"120000", b"b.c", b"/dev/zero")],
        "a link to itself": [(b"120000", b"b.c", b"b.c")],
        "a link to nothing": [(b"120000", b"b.c", b"")],
        "a link with a null character": [(b"120000", b"b.c", b"a\0b")],
        "modes of old": [(b"100664", b"b.h", b"\n")],
        "no mode": [(b"777777", b"b.h", b"\n")],
        "settings that are none": [(b"100644", b"csgtest.toml", b"= [\xff\n")],
        "settings that name a device": [(b"120000", b"csgtest.toml", b"/dev/zero")],
        "attributes without end": [(b"100644", b".gitattributes", b"*.c " + b"a" * (1 << 20))],
        "a recipe that is a device": [(b"120000", b"CMakeLists.txt", b"/dev/zero")],
    }
    for name, entries in modes.items():
        yield f"entry: {name}", partial(_with_entries, more=entries)


REPOSITORIES = [*repositories()]
