"""What a program can look at beside its arguments is known by what it calls."""

from __future__ import annotations

from pathlib import Path

import pytest

from csg.ir.library_effects import reads_stdin
from symexec.exploration.start import loaded_program
from symexec.runtime import library
from symexec.runtime.library import FAMILIES, Source, looked_at
from tests.command_line import csgtest, write_versions

# of the models for files and streams, those that write, close or ask for no content
NEITHER = """
    close dup dup2 dup3 fcntl fcntl64 fdatasync fsync ftruncate ftruncate64 isatty pipe pipe2 pwrite
    pwrite64 write __csgtest_begun __csgtest_buffering __csgtest_close __csgtest_failed
    __csgtest_flush
    __csgtest_flush_all __csgtest_memory_file __csgtest_pending __csgtest_purge __csgtest_seek
    __csgtest_stream_room __csgtest_tell fileno fileno_unlocked __csgtest_current_folder _IO_putc
    __fprintf_chk __printf_chk __snprintf_chk __sprintf_chk asprintf dprintf fprintf fputc
    fputc_unlocked fputs fputs_unlocked fwrite fwrite_unlocked printf putc putc_unlocked putchar
    putchar_unlocked puts snprintf sprintf vasprintf vdprintf vfprintf vprintf vsnprintf vsprintf
    fchmod fchown fpathconf fstatfs fstatfs64 futimens futimes futimesat umask clearerr
    clearerr_unlocked feof feof_unlocked ferror ferror_unlocked ungetc
"""


def test_each_model_for_files_and_streams_is_one_or_neither() -> None:
    known = {*NEITHER.split(), *library._STDIN.split(), *library._FILES.split()}
    of_files = [each for each in FAMILIES if {"filesystem", "stdio"} & {*each.__name__.split(".")}]
    names = [name for family in of_files for name in family.models.entries]
    assert len(names) > 100
    assert [name for name in names if name not in known and not reads_stdin(name)] == []


@pytest.mark.parametrize(
    ("body", "sources"),
    [
        ('puts("text");', set()),
        ('fprintf(stderr, "%d", fflush(stdout)); exit(3);', set()),
        ("return getchar();", {Source.STDIN}),
        ("char text[9]; return scanf(\"%8s\", text);", {Source.STDIN}),
        ("char text[9]; return (int) read(0, text, 9);", {Source.STDIN}),
        ("return getc(fdopen(0, \"r\"));", {Source.STDIN}),
        ("char *line = 0; size_t n = 0; return (int) getline(&line, &n, stdin);", {Source.STDIN}),
        ('return access("A", R_OK);', {Source.FILES}),
        ('return open("A", O_RDONLY) > 0;', {Source.FILES}),
        ('return fopen("A", "r") != 0;', {Source.FILES}),
        ('return opendir(".") != 0;', {Source.FILES}),
        ('return getenv("HOME") != 0;', {Source.VARIABLES}),
    ],
)  # fmt: skip
def test_sources_of_programs(body: str, sources: set[Source], tmp_path: Path) -> None:
    headers = ("dirent.h", "fcntl.h", "stdio.h", "stdlib.h", "unistd.h")
    text = "".join(f"#include <{each}>\n" for each in headers)
    file = tmp_path / "program.c"
    file.write_text(f"{text}int main(void) {{ {body} return 0; }}\n")
    found = looked_at(loaded_program(file, (), "main"))
    assert found >= sources
    assert (found == set()) == (sources == set())


def test_what_is_not_looked_at_is_no_bound(tmp_path: Path) -> None:
    """And nothing grows: the search is over when the paths are."""
    write_versions(
        tmp_path,
        "int main(int argc, char **argv) { return argc > 1 && argv[1][0] == 'a'; }",
        "int main(int argc, char **argv) { return argc >= 2 && *argv[1] == 'a'; }",
    )
    words = ("build", "old.c", "new.c", "--sym-args", "0", "1", "2", "--time", "60")
    done = csgtest(*words, folder=tmp_path)
    assert done.code == 0
    assert "Equivalent for up to 1 argument of up to 2 bytes:" in done.out
    assert not {"sym_stdin", "sym_files"} & {*done.report["bounds"]}
