"""A build of the user's own, by its compile_commands.json.

That of the checkout, or of each revision, says how files are compiled. Which of them are one
program, it says by the names of objects, if at all:

    src/CMakeFiles/sum.dir/main.c.o     sum.p/main.c.o     of the target sum (CMake, Meson)
    main.o                              a file with main is a program, all others are a library

So its files are compiled and linked by a Makefile of our own: each program with all libraries, of
which the linker takes what it needs.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from pathlib import Path, PurePosixPath

from csg.files import is_inside, read_file, read_text
from csg.programs import NAME as COMMANDS
from csg.programs import CompilerCall, calls_of, find_commands, is_aside
from csg.records import record
from csg.toolchain import find_compiler
from symexec.projects.building import PLACE
from symexec.projects.revisions import BEGINS, Revisions
from symexec.projects.trees import Folders, folders_above, listed_paths
from symexec.testcases.store import is_ours

_OWN = "csgtest-build"  # the folder of this Makefile, as of what csgtest configures
_TARGET = re.compile(r"(.*?)(?:CMakeFiles/)?([^/]+)\.(?:dir|p)/")
_GENERATED = (".h", ".inc", ".def")
# Where one of these differs, one version's build does not say how the other one is compiled.
_SAYS_HOW = re.compile(
    r"CMakeLists\.txt|meson\.build|meson_options\.txt|meson\.options|(?:GNUm|M|m)akefile.*|configure(?:\.ac|\.in)?"
    r"|.*\.(?:cmake|mk|mak|am|ac|m4|in|y|l|re|rl|gperf)"
)
_LIBRARY = re.compile(r"(?<![\w-])-l[\w+.-]+")


@record
class OwnBuild:
    """What a build of the user's own says of both trees: ``command`` compiles and links them so.
    ``doubt``: why it may not be said of both, "" where there is none."""

    command: str
    source: str
    doubt: str


def own_build(
    revisions: Revisions, trees: Sequence[Path], differing: Sequence[str]
) -> OwnBuild | None:
    """The compile_commands.json of each revision, or of one of them, or of the checkout; its paths
    are those of the trees. None where there is none, or where it names nothing of them.
    ``differing``: the names of the files that differ."""
    top = revisions.repository
    found = [find_commands(tree, None) for tree in trees]
    database = next((each for each in (*found, find_commands(top, None)) if each is not None), None)
    if database is None:
        return None
    rules = []
    for tree, other, own in zip(trees, reversed(trees), found, strict=True):
        calls = _calls_in(own or database, top, tree)
        if not calls:
            return None
        rules.append((tree, [*calls, *_added(calls, tree, other)]))
    unnamed = {name for name in differing if name.endswith(".c") and not is_aside(name)}
    unnamed -= {call.file for _, calls in rules for call in calls}
    how = [name for name in differing if _SAYS_HOW.fullmatch(PurePosixPath(name).name)]
    libraries = _libraries_near(database)
    for tree, calls in rules:
        text = _rules(tree, calls, libraries, top.name)
        for place in (tree / _OWN, tree / _OWN / "Makefile"):  # a repository may have links there
            if place.is_symlink():
                place.unlink()
        (tree / _OWN).mkdir(exist_ok=True)
        (tree / _OWN / "Makefile").write_text(text, "utf-8", "surrogateescape")
    source, doubt = os.path.relpath(database), ""
    for tree, revision in zip(trees, revisions.shown, strict=True):
        if database.is_relative_to(tree.resolve()):
            source = f"{database.relative_to(tree.resolve())} of {revision}"
    if all(each is not None for each in found):
        source = f"the {COMMANDS} of each version"
    elif how:
        doubt = f"{', '.join(how[:3])} differ{'s' * (len(how) == 1)}"
    elif unnamed:
        doubt = f"it does not name {', '.join(sorted(unnamed)[:3])}"
    make = f"make -k -j{max(1, os.cpu_count() or 1)} -f {_OWN}/Makefile"
    return OwnBuild(f"{make} && test ! -e {_OWN}/failed", source, doubt)


def _calls_in(database: Path, top: Path, tree: Path) -> list[CompilerCall]:
    """The calls about C files of a tree: their paths are below its top, those in flags are as while
    it is built. What the checkout alone has, as generated headers, is copied to the tree."""
    _, calls = calls_of(database)
    root = _root_of(calls, tree)
    if not root:
        return []
    folder = os.path.dirname(os.path.realpath(database))
    if root == os.path.realpath(top):
        _copy_generated(Path(root), tree, {os.path.relpath(each.file, root) for each in calls})
    places = [(root, PLACE)]
    if not f"{folder}/".startswith(f"{root}/") and tree.resolve() not in Path(folder).parents:
        places.insert(0, (folder, f"{PLACE}/{_OWN}"))
    found = []
    for each in calls:
        name = os.path.relpath(each.file, root)
        if name.endswith(".c") and (tree / name).is_file():
            flags = each.flags
            for before, after in places:
                form = re.compile(rf"{re.escape(before)}(?=[/\"']|$)")
                flags = tuple(form.sub(after, flag) for flag in flags)
            found.append(CompilerCall(name, flags, each.output.replace("../", "")))
    return found


def _root_of(calls: Sequence[CompilerCall], tree: Path) -> str:
    """The folder that was the top when the database was written; "" where no file is known."""
    votes: Counter[str] = Counter()
    for each in calls:
        parts = PurePosixPath(each.file).parts
        for at in range(1, len(parts)):
            if (tree / PurePosixPath(*parts[at:])).is_file():
                votes[str(PurePosixPath(*parts[:at]))] += 1
                break
    return votes.most_common(1)[0][0] if votes else ""


def _copy_generated(top: Path, tree: Path, named: Set[str]) -> None:
    folders = Folders(top)
    for path in listed_paths(top, "ls-files", "--others"):
        source, copy = top / path, tree / path
        if not (path.endswith(_GENERATED) or path in named):
            continue
        linked = source.is_symlink() or not folders.lead_to(path)
        if not source.is_file() or (linked and not is_inside(source, top)):
            continue
        if not is_inside(copy.parent, tree, hidden=True):  # a folder there may be a link
            continue
        if not os.path.lexists(copy) and not any(
            is_ours(place) for place in folders_above(path, top)
        ):
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, copy)


def _added(calls: Sequence[CompilerCall], tree: Path, other: Path) -> Iterator[CompilerCall]:
    """C files that the other version does not have, and the database neither: as their neighbours
    are compiled, and of the same targets."""
    known = {each.file for each in calls}
    by_folder: dict[str, list[CompilerCall]] = {}
    for each in calls:
        by_folder.setdefault(os.path.dirname(each.file), []).append(each)
    for folder, neighbours in by_folder.items():
        for file in sorted((tree / folder).glob("*.c")):
            name = os.path.normpath(os.path.join(folder, file.name))
            if name in known or (other / name).exists() or is_aside(name):
                continue
            for near in {_target_of(each): each for each in neighbours}.values():
                output = os.path.join(os.path.dirname(near.output), f"{file.name}.o")
                yield CompilerCall(name, near.flags, output)


def _target_of(call: CompilerCall) -> str:
    found = _TARGET.match(call.output)
    return f"{found[1]}{found[2]}" if found is not None else ""


def _libraries_near(database: Path) -> list[str]:
    """The libraries of the system that the user's build links with, as CMake and Meson note it."""
    folder = database.parent
    files = [*sorted(folder.glob("**/CMakeFiles/*.dir/link.txt")), folder / "build.ninja"]
    texts = [read_text(each) for each in files if each.is_file()]
    return [*dict.fromkeys(["-lm", *(flag for text in texts for flag in _LIBRARY.findall(text))])]


def _rules(tree: Path, calls: Sequence[CompilerCall], libraries: Sequence[str], name: str) -> str:
    """A Makefile that compiles these files, and links them to what they are of: archives first, for
    each program is linked with all of them."""
    targets: dict[str, list[int]] = {}
    programs = set()
    compiler = "cc" if shutil.which("cc") else shlex.split(find_compiler())[0]
    lines = []
    for number, call in enumerate(calls):
        begins = BEGINS.search(read_file(tree / call.file)) is not None
        target = _target_of(call) or (call.file[: -len(".c")] if begins else f"lib{name}")
        targets.setdefault(target, []).append(number)
        programs |= {target} if begins else set()
        words = (compiler, "-w", "-g", *call.flags, "-c", "-o", f"{_OWN}/{number}.o", call.file)
        lines += [f"o{number}:", f"\t{_for_make(words)} || touch {_OWN}/failed"]
    archives = [f"{_OWN}/{_archive_name(each)}" for each in targets if each not in programs]
    rest = f"-Wl,-z,muldefs -Wl,--start-group {_for_make(archives)} -Wl,--end-group"
    libraries_made = [f"t{at}" for at, each in enumerate(targets) if each not in programs]
    for at, (target, numbers) in enumerate(targets.items()):
        needed = [f"o{each}" for each in numbers]
        objects = f"`ls {' '.join(f'{_OWN}/{each}.o' for each in numbers)} 2>/dev/null`"
        made = f"ar crs {_for_make([f'{_OWN}/{_archive_name(target)}'])} {objects}"
        if target in programs:  # main may be behind an #if
            needed += libraries_made
            link = f"{compiler} -o {_for_make([f'{_OWN}/{target}'])} {objects} {rest}"
            link = f"{link} {' '.join(libraries)} || {link} -Wl,--unresolved-symbols=ignore-all"
            made = f"if nm {objects} | grep -q ' [TW] main$$'; then {link}; else {made}; fi"
        place = _for_make([os.path.dirname(f"{_OWN}/{target}")])
        lines += [f"t{at}: {' '.join(needed)}", f"\tmkdir -p {place} && {{ {made}; }}"]
    wanted = " ".join(f"t{at}" for at in range(len(targets)))
    phony = " ".join(line.partition(":")[0] for line in lines if not line.startswith("\t"))
    return "\n".join([f"all: {wanted}", f".PHONY: all {phony}", *lines, ""])


def _archive_name(target: str) -> str:
    """libx.a for a target x, libx.a or libx.so.1."""
    folder, name = os.path.split(target)
    stem = name.partition(".")[0]
    return os.path.join(folder, f"{'' if stem.startswith('lib') else 'lib'}{stem}.a")


def _for_make(words: Iterable[str]) -> str:
    return shlex.join(words).replace("$", "$$")
