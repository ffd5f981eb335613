"""glob finds in the engine what it finds natively."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.command_line import csgtest

PROGRAM = r"""
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int told(const char *path, int error)
{
    printf("%s: %d\n", path, error);
    return error == 20;
}

int main(void)
{
    const char *folders[] = {"d", "d/e", "f", ".g", "x*y"};
    const char *files[] = {"a.c", "b.c", "c.h", ".h.c", "d/a.c", "d/.i",
                           "d/e/z.c", "f/a.c", ".g/a.c", "x*y/q", "A"};
    const char *patterns[] = {"*", "*.c", "[a-b].?", "*/*", "*/*.c", "d/*", "d*/", "d/", "d",
                              "none", "none*", "*/e/*.c", "./*.c", "d//*.c", ".*.c", "x\\*y/*",
                              "x\\*y", "", "[", "a.c/*", "*/none", "*/.*i", "d/e/../*.c",
                              "[!a-z]*"};
    const int flags[] = {0, GLOB_MARK, GLOB_NOCHECK, GLOB_NOMAGIC, GLOB_PERIOD, GLOB_NOESCAPE,
                         GLOB_MARK | GLOB_NOCHECK | GLOB_PERIOD, GLOB_ERR};
    for (unsigned i = 0; i < sizeof folders / sizeof *folders; i++)
        mkdir(folders[i], 0777);
    for (unsigned i = 0; i < sizeof files / sizeof *files; i++)
        close(open(files[i], O_CREAT | O_WRONLY, 0666));
    for (unsigned i = 0; i < sizeof patterns / sizeof *patterns; i++)
        for (unsigned j = 0; j < sizeof flags / sizeof *flags; j++) {
            glob_t found;
            int result = glob(patterns[i], flags[j], told, &found);
            printf("%s %d: %d", patterns[i], flags[j], result);
            if (result == 0) {
                printf(" %d", found.gl_flags & GLOB_MAGCHAR);
                for (char **path = found.gl_pathv; *path; path++)
                    printf(" %s", *path);
                globfree(&found);
            }
            puts("");
        }
    glob_t all = {.gl_offs = 2};
    glob("*.h", GLOB_DOOFFS, NULL, &all);
    glob("*.c", GLOB_DOOFFS | GLOB_APPEND, NULL, &all);
    printf("%d:", (int) all.gl_pathc);
    for (unsigned i = 0; i < 2 + all.gl_pathc + 1; i++)
        printf(" %s", all.gl_pathv[i] ? all.gl_pathv[i] : "-");
    globfree(&all);
    return 0;
}
"""


def test_what_matches_is_found(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("native", "engine")]
    for folder in folders:
        folder.mkdir()
    source, program = tmp_path / "globs.c", tmp_path / "globs"
    source.write_text(PROGRAM)
    subprocess.run(["cc", "-w", "-o", program, source], check=True)
    native = subprocess.run([program], cwd=folders[0], capture_output=True, text=True, check=True)
    shown = csgtest("run", source, folder=folders[1])
    assert (shown.code, shown.err) == (0, ""), shown
    pairs = zip(shown.out.splitlines(), native.stdout.splitlines(), strict=True)
    assert "\n".join(map(str, (pair for pair in pairs if pair[0] != pair[1]))) == ""
