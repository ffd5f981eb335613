"""Which repository a folder lies in: its work tree, and the folder in which git keeps it.

    ~/sum/.git                              a folder: that is where git keeps it
    ~/sum-fix/.git                          "gitdir: /home/ann/sum/.git/worktrees/sum-fix"
      sum/.git/worktrees/sum-fix/gitdir     "/home/ann/sum-fix/.git": it names the work tree back
    ~/archive/.git                          "gitdir: /home/ann/private/.git": nothing names it back

A stranger's archive can hold a ``.git`` that says anything, and cannot write into a repository of
the user's. So a work tree may be kept in itself, or by a folder that names the work tree back, as
that of ``git worktree add`` and of a submodule does; or where the user says so (``GIT_DIR``). What
lies in these folders may not lead out of them either: links, ``commondir``, ``core.worktree``, and
the alternates of its objects.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from csg.errors import UsageError
from csg.files import read_text
from csg.records import record

Ask = Callable[..., bytes]  # git, in a folder, without what the environment says of a repository

# What git reads of the environment about one repository: nothing of it is true of another one.
LOCAL = (
    "GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_PREFIX", "GIT_SHALLOW_FILE",
)  # fmt: skip
_BEGINS = "gitdir: "
_LONGEST_PATH = 4096  # bytes of a file that holds a path
_MOST_ALTERNATES = 1 << 20  # bytes of a list of folders
_DEEPEST = 5  # alternates of alternates, as for git
# Folders of a repository that git does not read for csgtest; hooks are often links to scripts.
_UNREAD = frozenset(("hooks", "modules", "worktrees", "lfs", "annex"))


@record
class Place:
    """``top`` is the top of the work tree, ``folder`` is where git keeps it, ``common`` what it
    shares with other work trees. ``own``: what the environment says is about this repository."""

    top: Path
    folder: Path
    common: Path
    own: bool

    @property
    def variables(self) -> Mapping[str, str]:
        """What git is told instead of looking for it."""
        return {"GIT_DIR": str(self.folder), "GIT_WORK_TREE": str(self.top)}

    def holds(self, path: Path) -> bool:
        return any(_is_in(path, each) for each in (self.top, self.folder, self.common))


def find_place(folder: Path, ask: Ask) -> Place | None:
    """The repository that a folder lies in; None where it lies in none. Raises UsageError where the
    repository leads out of itself, and what ``ask`` raises where git does not read it, as that of
    another user."""
    start = _real(folder)
    own = _is_users(start)
    environment = os.environ if own else {}
    around = _folder_around(start)
    if environment.get("GIT_DIR"):
        git_folder = _real(Path(environment["GIT_DIR"]))
        here = around if around is not None and _leads_to(around, git_folder) else _real(Path.cwd())
    elif around is not None:
        git_folder, here = _git_folder_of(around), around
    else:
        return None
    top = _real(Path(environment["GIT_WORK_TREE"])) if environment.get("GIT_WORK_TREE") else here
    place = Place(top, git_folder, _common(git_folder), own)
    if not environment.get("GIT_DIR"):
        said = ask(start, "rev-parse", "--absolute-git-dir")
        seen = _real(Path(os.fsdecode(said.removesuffix(b"\n"))))
        if seen != git_folder:
            raise _refused(start, f"git reads '{seen}' there, and not '{git_folder}'", git_folder)
        _check(place, here, ask, environment)
    elif not _is_in(git_folder, here) and git_folder.stat().st_uid != os.geteuid():
        ask(git_folder, "rev-parse", "--absolute-git-dir")
    return place


def state_of(folder: Path) -> tuple[object, ...]:
    """What decides where the repository around a folder is: as long as it is the same, that is."""
    around = _folder_around(_real(folder))
    changed = (around / ".git").lstat().st_ctime_ns if around is not None else 0
    return around, changed, Path.cwd(), *(os.environ.get(name) for name in LOCAL)


def _folder_around(folder: Path) -> Path | None:
    """The folder with a ``.git`` that a folder lies in, or is."""
    above = (folder, *folder.parents)
    return next((each for each in above if os.path.lexists(each / ".git")), None)


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _is_in(path: Path, folder: Path) -> bool:
    return path == folder or folder in path.parents


def _is_users(folder: Path) -> bool:
    """Is the folder what the environment speaks of, as where git runs csgtest as a hook: around the
    working folder, or the work tree that is named?"""
    here = _real(Path.cwd())
    named = os.environ.get("GIT_WORK_TREE")
    return _is_in(here, folder) or (named is not None and _real(Path(named)) == folder)


def _leads_to(top: Path, git_folder: Path) -> bool:
    try:
        return _git_folder_of(top) == git_folder
    except UsageError:
        return False


def _git_folder_of(top: Path) -> Path:
    """Where the ``.git`` of a work tree says that it is kept."""
    entry = top / ".git"
    if not stat.S_ISREG(entry.lstat().st_mode):
        return _real(entry)
    said = read_text(entry, _LONGEST_PATH)
    if not said.startswith(_BEGINS):
        raise UsageError(f"'{entry}' is no folder, and names none", hint="see 'git status'")
    return _real(top / said.removeprefix(_BEGINS).rstrip("\r\n"))


def _common(git_folder: Path) -> Path:
    named = git_folder / "commondir"
    if not os.path.lexists(named):
        return git_folder
    return _real(git_folder / read_text(named, _LONGEST_PATH).rstrip("\r\n"))


def _check(place: Place, around: Path, ask: Ask, environment: Mapping[str, str]) -> None:
    """Raise UsageError where a repository that nobody named leads out of itself. ``around`` is the
    folder that its ``.git`` is in."""
    git_folder, common = place.folder, place.common
    linked = git_folder.parent.name == "worktrees" and git_folder.parent.parent == common
    named = [*_work_trees(place, ask)]
    named_back = around in named or (linked and _names_back(git_folder, around))
    if not (_is_in(git_folder, around) or named_back):
        why = f"its .git leads to '{git_folder}', which does not name this folder back"
        raise _refused(around, why, git_folder)
    if common != git_folder and not linked and not _is_in(common, around):
        raise _refused(around, f"'{git_folder / 'commondir'}' leads to '{common}'", git_folder)
    other = next((each for each in named if each != around), None)
    if other is not None and not environment.get("GIT_WORK_TREE"):
        raise UsageError(
            f"the repository of '{around}' says that its files are in '{other}' (core.worktree)",
            hint=f"if that is meant, say so: GIT_WORK_TREE='{other}' csgtest ..",
        )
    for folder in dict.fromkeys((git_folder, common)):
        _check_links(folder, place)
    more = environment.get("GIT_ALTERNATE_OBJECT_DIRECTORIES", "").split(os.pathsep)
    _check_alternates(common / "objects", place, {_real(Path(each)) for each in more if each}, 0)


def _names_back(git_folder: Path, top: Path) -> bool:
    named = git_folder / "gitdir"
    if not named.is_file():
        return False
    path = git_folder / read_text(named, _LONGEST_PATH).rstrip("\r\n")
    return path.name == ".git" and _real(path.parent) == top


def _work_trees(place: Place, ask: Ask) -> Iterator[Path]:
    """The folders that ``core.worktree`` of this work tree's own configuration names."""
    own = [place.folder / "config"] if place.folder == place.common else []
    for file in (*own, place.folder / "config.worktree"):
        if os.path.lexists(file):
            listed = ask(Path("/"), "config", "--no-includes", "--file", str(file), "--list", "-z")
            for key, _, value in (each.partition(b"\n") for each in listed.split(b"\0")):
                if key == b"core.worktree":
                    yield _real(place.folder / os.fsdecode(value))


def _check_links(folder: Path, place: Place) -> None:
    waiting = [str(folder)]
    while waiting:
        try:
            entries = [*os.scandir(waiting.pop())]
        except OSError:  # git cannot read it either
            continue
        for entry in entries:
            path = Path(entry.path)
            if path.parent == folder and entry.name in _UNREAD:
                continue
            if entry.is_symlink() and not place.holds(_real(path)):
                raise _refused(place.top, f"the link '{path}' leads out of it", place.folder)
            if entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)


def _check_alternates(objects: Path, place: Place, named: set[Path], depth: int) -> None:
    """Git takes objects from the folders that are listed there, too."""
    file = objects / "info" / "alternates"
    if not os.path.lexists(file):
        return
    for line in read_text(file, _MOST_ALTERNATES).splitlines():
        if not line or line.startswith("#"):
            continue
        other = _real(objects / line)
        if other in named:
            continue
        if line.startswith('"') or not place.holds(other) or depth == _DEEPEST:
            raise UsageError(
                f"the repository of '{place.top}' takes objects from elsewhere: "
                f"'{file}' names '{line}'",
                hint="if that is meant, say so: "
                f"GIT_ALTERNATE_OBJECT_DIRECTORIES='{other}' csgtest ..",
            )
        if other.is_dir():
            _check_links(other, place)
            _check_alternates(other, place, named, depth + 1)


def _refused(top: Path, why: str, git_folder: Path) -> UsageError:
    return UsageError(
        f"'{top}' is not read as a repository: {why}",
        hint=f"if that is meant, name the repository yourself: GIT_DIR='{git_folder}' csgtest ..",
    )
