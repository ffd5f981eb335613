"""Both versions of small programs, compiled and run for real."""

from __future__ import annotations

import platform
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from csg.errors import NOWHERE, ToolchainError, UsageError
from csg.language import types as c
from csg.programs import SourceFile
from csg.toolchain import find_compiler
from symexec.replay import PLAIN, SANITIZED, NativeReplay, ReplayPlan, Request, Text
from symexec.replay.build import Builds, Program
from symexec.replay.harness import run_paths
from symexec.testcases import (
    EntrySignature,
    LongDouble,
    Observation,
    Parameter,
    TestInput,
    parameter_of,
)
from symexec.testcases.inputs import nan_bits
from symexec.testcases.signature import lasting_parts
from tests.command_line import write_versions

EMPTY = TestInput()


def plan(
    folder: Path,
    old: str,
    new: str | None = None,
    old_flags: tuple[str, ...] = (),
    new_flags: tuple[str, ...] = (),
    **fields: object,
) -> ReplayPlan:
    write_versions(folder, old, old if new is None else new)
    return ReplayPlan(
        (SourceFile(folder / "old.c", old_flags, "new.c"),),
        (SourceFile(folder / "new.c", new_flags, "new.c"),),
        **fields,  # type: ignore[arg-type]
    )


def observe(folder: Path, text: str, test: TestInput = EMPTY, **fields: object) -> Observation:
    with NativeReplay(plan(folder, text, **fields)) as replay:
        return replay.observe("new", test)


PARSER = """
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int x = argc > 1 ? atoi(argv[1]) : getchar();
    assert(x != 3 LIMIT);
    printf("%d\\n", x);
    return x == 7;
}
"""


def test_both_versions_are_seen(tmp_path: Path) -> None:
    with NativeReplay(
        plan(tmp_path, PARSER.replace("LIMIT", ""), PARSER.replace("LIMIT", "&& x != 4"))
    ) as replay:
        pair = replay.pair(TestInput(args=(b"4",)))
        assert (pair.old.exit, pair.old.stdout) == (0, b"4\n")
        assert (pair.new.exit, pair.new.signal) == (None, "SIGABRT")
        assert b"program: " in pair.new.stderr and b"x != 4" in pair.new.stderr
        assert pair.stable and pair.stderr_stable
        assert replay.pair(TestInput(args=(b"7",))).new.exit == 1
        assert replay.pair(TestInput(stdin=b"A")).new.stdout == b"65\n"
        assert "landlock" in replay.level or "namespaces" in replay.level


def test_what_two_versions_show_alike_is_decoded_once(tmp_path: Path) -> None:
    text = "#include <stdio.h>\nint main(int c, char **v) { return puts(v[1]) < 0 || SAME; }"
    tests = [TestInput(args=(word,)) for word in (b"one", b"two", b"one")]
    requests = [Request(build, test) for test in tests for build in ("old", "new")]
    with NativeReplay(plan(tmp_path, text.replace("SAME", "0"))) as replay:
        seen = list(replay.observe_all(requests))
    assert [each.stdout for each in seen] == [b"one\n"] * 2 + [b"two\n"] * 2 + [b"one\n"] * 2
    assert all(seen[place] is seen[place + 1] for place in (0, 2, 4))
    new = text.replace("SAME", "*v[1] == 't'")
    with NativeReplay(plan(tmp_path, text.replace("SAME", "0"), new)) as replay:
        codes = [each.exit for each in replay.observe_all(requests)]
    assert codes == [0, 0, 0, 1, 0, 0]


@pytest.mark.skipif(platform.machine() != "x86_64", reason="servers know x86-64 only")
@pytest.mark.parametrize("style", [PLAIN, SANITIZED])
def test_hardly_a_run_begins_by_execve(style: str, tmp_path: Path) -> None:
    tests = [TestInput(args=(b"%d" % number,)) for number in range(20)]
    requests = [Request(build, test, None, style) for test in tests for build in ("old", "new")]
    with NativeReplay(plan(tmp_path, "int main(int c, char **v) { return *v[1]; }")) as replay:
        codes = [each.exit for each in replay.observe_all(requests)]
        assert replay.executed == 0
    assert codes == [test.args[0][0] for test in tests for _ in range(2)]


@pytest.mark.parametrize("style", [PLAIN, SANITIZED])
@pytest.mark.parametrize("execute", [False, True])
def test_errno_is_zero_at_startup(style: str, execute: bool, tmp_path: Path) -> None:
    """Also where sanitizers have been at work before (C17 7.5p3); what a constructor of the
    program leaves there stays."""
    text = (
        "#include <errno.h>\nstatic int before;\n"
        "__attribute__((constructor)) static void early(void) { before = errno; errno = 7; }\n"
        "int main(void) { return before * 10 + errno; }\n"
    )
    with NativeReplay(plan(tmp_path, text)) as replay:
        request = Request("new", EMPTY, None, style, alone=execute)
        (seen,) = replay.observe_all([request])
    assert seen.exit == 7


def test_the_name_of_a_file_is_no_difference(tmp_path: Path) -> None:
    text = "#include <stdio.h>\nint main(void) { puts(__FILE__); return 0; }\n"
    with NativeReplay(plan(tmp_path, text)) as replay:
        pair = replay.pair(TestInput())
        assert pair.old == pair.new


def test_what_was_written_before_a_crash_counts_and_what_was_held_back_is_lost(
    tmp_path: Path,
) -> None:
    text = (
        "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n"
        'int main(void) { printf("a"); fflush(stdout); write(1, "b", 1); printf("c"); abort(); }\n'
    )
    assert observe(tmp_path, text).stdout == b"ab"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("int a[4]; a[argc + 3] = 1; return a[0];", "index out of bounds"),
        ("char *p = malloc(4); p[argc + 3] = 1; return 0;", "heap-buffer-overflow"),
        ("char *p = malloc(4); free(p); return p[argc];", "heap-use-after-free"),
        ("char *p = malloc(4); free(p); free(p); return 0;", "double-free"),
        ("int *p = argc > 5 ? &argc : 0; return *p;", "null pointer"),
        ("return 5 / (argc - 1);", "division by zero"),
        ("return *(volatile char *) 12345;", "SEGV"),
        ("char b[4]; memset(b, 0, 4 + argc); return 0;", "stack-buffer-overflow"),
        ("return argv[0][strlen(argv[0]) + 1];", "heap-buffer-overflow"),
        ("return argv[argc + 1] != 0;", "heap-buffer-overflow"),
        ("return environ[0][strlen(environ[0]) + argc];", "heap-buffer-overflow"),
    ],
)
def test_sanitizers_name_the_error(tmp_path: Path, body: str, kind: str) -> None:
    text = (
        "#define _GNU_SOURCE\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n"
        f"int main(int argc, char **argv) {{ {body} }}\n"
    )
    with NativeReplay(plan(tmp_path, text)) as replay:
        if not replay.sanitizers:
            pytest.skip("no sanitizers here")
        pair = replay.pair(TestInput())
    assert pair.new.sanitizer == kind
    assert pair.new.stderr == b""  # the report stands apart
    assert "new.c:5" in pair.new.report
    assert pair.stable


def test_a_crash_without_sanitizer_is_a_signal(tmp_path: Path) -> None:
    with NativeReplay(plan(tmp_path, "int main(void) { return *(volatile int *) 8; }")) as replay:
        assert replay.observe("new", TestInput(), style=PLAIN).signal == "SIGSEGV"


def test_what_never_ends_is_cut_off(tmp_path: Path) -> None:
    endless = "#include <stdio.h>\nint main(int c, char **v) { for (;;) if (c > 1) puts(v[1]); }"
    with NativeReplay(plan(tmp_path, "int main(void) {}", endless, wall_s=0.2)) as replay:
        pair = replay.pair(TestInput())
        assert pair.new.timed_out and not pair.old.timed_out and pair.stable
        assert replay.pair(TestInput(args=(b"text",))).new.timed_out  # stopped by its output


def test_a_version_that_fails_now_and_then_is_unstable(tmp_path: Path) -> None:
    """Every other process: of what varies in the output alone the rest is compared (varying.py)."""
    text = "#include <stdlib.h>\n#include <unistd.h>\n"
    text += "int main(void) { if (getpid() / 2 % 2) abort(); return 0; }"
    with NativeReplay(plan(tmp_path, text)) as replay:
        assert not replay.pair(TestInput()).stable


def test_files_written_changed_and_removed_are_observed(tmp_path: Path) -> None:
    text = """
    #include <stdio.h>
    #include <sys/stat.h>
    int main(void)
    {
        fputs("made", fopen("new", "w"));
        fputs("more", fopen("kept/changed", "a"));
        remove("removed");
        mkdir("folder", 0755);
        return 0;
    }
    """
    files = (("kept/changed", b"x"), ("kept/same", b"y"), ("removed", b"z"))
    seen = observe(tmp_path, text, TestInput(files=files))
    assert seen.files == (
        ("folder/", b""),
        ("kept/changed", b"xmore"),
        ("new", b"made"),
        ("removed", b"[removed]"),
    )


def test_a_long_output_is_clipped_but_still_compared(tmp_path: Path) -> None:
    text = """
    #include <stdio.h>
    int main(int argc, char **argv)
    {
        for (int i = 0; i < 200000; i++) putchar('a');
        puts(argv[1]);
        return 0;
    }
    """
    with NativeReplay(plan(tmp_path, text)) as replay:
        one = replay.observe("new", TestInput(args=(b"1",)))
        two = replay.observe("new", TestInput(args=(b"2",)))
    assert len(one.stdout) < 70_000
    assert one.stdout != two.stdout


def scalar(name: str, kind: c.Type) -> Parameter:
    return parameter_of(name, kind)


def test_an_entry_function_is_called_with_its_values(tmp_path: Path) -> None:
    text = """
    #include <stdio.h>
    static int counter = 5;
    static short table[3];
    int main(void) { return 42; }
    static long f(signed char c, unsigned u, _Bool b, const char *s, int *a)
    {
        counter += c;
        table[1] = (short) u;
        a[1] = s[0];
        printf("%d %u %d %s", c, u, b, s);
        return (long) u << 8;
    }
    """
    signature = EntrySignature(
        "f",
        scalar("", c.LONG),
        (
            scalar("c", c.SCHAR),
            scalar("u", c.UINT),
            scalar("b", c.BOOL),
            scalar("s", c.Pointer(c.CHAR)),
            scalar("a", c.Pointer(c.INT)),
        ),
        (scalar("counter", c.INT),),
        lasting=(
            *lasting_parts("counter", c.INT, NOWHERE),
            *lasting_parts("table", c.Array(c.SHORT, 3), NOWHERE),
        ),
    )
    test = TestInput(
        parameters=(("c", -3), ("u", 4294967295), ("b", 1), ("s", b"hi"), ("a", (7, -8))),
        globals=(("counter", 10),),
    )
    seen = observe(tmp_path, text, test, signature=signature)
    assert (seen.exit, seen.stdout, seen.returned) == (0, b"-3 4294967295 1 hi", "1099511627520")
    assert seen.memory == (
        ("s", b"hi"),
        ("a", (7, 104)),
        ("counter", 7),
        ("table", (0, -1, 0)),
    )


@pytest.mark.parametrize(
    ("kind", "value", "returned"),
    [
        (c.FLOAT, 0.1, "0.10000000149011612"),
        (c.DOUBLE, 0.1, "0.1"),
        (c.DOUBLE, 7, "7.0"),
        (c.DOUBLE, float("-inf"), "-inf"),
        (c.DOUBLE, LongDouble("nan"), "nan"),
        (c.LDOUBLE, LongDouble("0x8.000000000000001p-3"), "0x8000000000000001p-63"),
        (c.ULONG, 2**64 - 1, "18446744073709551615"),
        (c.SHORT, -1, "-1"),
    ],
)
def test_numbers_pass_exactly(tmp_path: Path, kind: c.Type, value: object, returned: str) -> None:
    text = f"{kind} f({kind} x) {{ return x; }}\n"
    signature = EntrySignature("f", scalar("", kind), (scalar("x", kind),))
    test = TestInput(parameters=(("x", value),))  # type: ignore[arg-type]
    assert observe(tmp_path, text, test, signature=signature).returned == returned


@pytest.mark.parametrize("nan", ["nan", "-nan(0x2bc)", "nans(0x2bc)", "-nans(0x1)"])
@pytest.mark.parametrize(
    ("kind", "element", "width"),
    [(c.FLOAT, "*x", 32), (c.DOUBLE, "*x", 64), (c.LDOUBLE, "x", 80), (c.DOUBLE, "x", 64)],
)
def test_a_nan_passes_with_its_bits(
    tmp_path: Path, kind: c.Type, element: str, width: int, nan: str
) -> None:
    text = (
        f"unsigned long f({kind} {element}) {{ unsigned long u[2] = {{0}}; "
        f"__builtin_memcpy(u, &{element}, {width // 8}); return u[0] * 31 + u[1]; }}\n"
    )
    given: c.Type = c.Pointer(kind) if "*" in element else kind
    signature = EntrySignature("f", scalar("", c.ULONG), (scalar("x", given),))
    value = LongDouble(nan)
    bits = nan_bits(value, width)
    assert bits is not None
    test = TestInput(parameters=(("x", (value,) if "*" in element else value),))
    expected = ((bits & (1 << 64) - 1) * 31 + (bits >> 64)) % (1 << 64)
    assert observe(tmp_path, text, test, signature=signature).returned == str(expected)


@pytest.mark.parametrize(
    ("text", "kind", "returned"),
    [
        ('char *f(void) { return "ab\\n"; }', c.Pointer(c.CHAR), '"ab\\n"'),
        ('char *f(void) { return ""; }', c.Pointer(c.CHAR), '""'),
        ('char *f(void) { return "null"; }', c.Pointer(c.CHAR), '"null"'),
        ("char *f(void) { return 0; }", c.Pointer(c.CHAR), "null"),
        ("int x; int *f(void) { return &x; }", c.Pointer(c.INT), "&x"),
        ("void *f(void) { return (void *) -1; }", c.Pointer(c.VOID), "(void *) -1"),
        ("void *f(void) { return (void *) 0x7fffffff; }", c.Pointer(c.VOID), "(void *) 2147483647"),
        ("static int x[3]; int *f(void) { return x + 2; }", c.Pointer(c.INT), "&x + 8"),
        ("int abs(int); void *f(void) { return abs; }", c.Pointer(c.VOID), "&abs"),
        (
            "void *malloc(unsigned long); void *f(void) { return malloc(1); }",
            c.Pointer(c.VOID),
            "pointer",
        ),
        ("void f(void) {}", None, "void"),
    ],
)
def test_other_results(tmp_path: Path, text: str, kind: c.Type | None, returned: str) -> None:
    signature = EntrySignature("f", scalar("", kind) if kind else None)
    assert observe(tmp_path, text, signature=signature).returned == returned


def test_arrays_end_where_the_test_says(tmp_path: Path) -> None:
    signature = EntrySignature("f", scalar("", c.INT), (scalar("a", c.Pointer(c.INT)),))
    text = "int f(int *a) { return a ? a[2] : -1; }"
    with NativeReplay(plan(tmp_path, text, signature=signature)) as replay:
        assert replay.observe("new", TestInput(parameters=(("a", (1, 2, 3)),))).returned == "3"
        short = replay.observe("new", TestInput(parameters=(("a", (1, 2)),)))
        assert short.sanitizer == "heap-buffer-overflow" and short.returned is None
        assert replay.observe("new", TestInput(parameters=(("a", None),))).returned == "-1"


def test_a_function_that_exits_does_not_return(tmp_path: Path) -> None:
    signature = EntrySignature("f", None)
    seen = observe(tmp_path, "#include <stdlib.h>\nvoid f(void) { exit(3); }", signature=signature)
    assert (seen.exit, seen.returned) == (3, None)


@pytest.mark.parametrize(("leave", "shown"), [("return;", b"left"), ("exit(0);", b"left, gone")])
def test_a_function_that_returns_is_over(tmp_path: Path, leave: str, shown: bytes) -> None:
    """What waits in buffers is written; handlers run where the function itself ends the process."""
    text = (
        "#include <stdio.h>\n#include <stdlib.h>\n"
        'static void gone(void) { printf(", gone"); }\n'
        'void f(void) { setvbuf(stdout, 0, _IOFBF, 64); atexit(gone); printf("left"); %s }'
    )
    seen = observe(tmp_path, text % leave, signature=EntrySignature("f", None))
    assert (seen.exit, seen.stdout) == (0, shown)


@pytest.mark.parametrize(
    ("text", "static"),
    [
        ("#include <grp.h>\nint main(void) { return getgrgid(123456) != 0; }", False),
        ('#include <netdb.h>\nint main(void) { return gethostbyname("x.invalid") != 0; }', False),
        ("int main(void) { return 0; }", True),
    ],
)
def test_what_loads_libraries_is_not_linked_statically(
    tmp_path: Path, text: str, static: bool
) -> None:
    """It may crash, or find nothing; the others start sooner."""
    file = tmp_path / "a.c"
    file.write_text(text)
    with NativeReplay(ReplayPlan((SourceFile(file),), (SourceFile(file),))) as replay:
        for style in (PLAIN, SANITIZED):
            seen = replay.observe("old", TestInput(), style=style)
            assert (seen.exit, seen.signal) == (0, None)
        linked = Path(replay.executable("old", PLAIN)).read_bytes()
        assert (b"/ld-linux" in linked or b"/ld-musl" in linked) != static


def test_an_unknown_parameter_is_refused(tmp_path: Path) -> None:
    signature = EntrySignature("f", None)
    with pytest.raises(UsageError, match="no parameter 'y'"):
        observe(tmp_path, "void f(void) {}", TestInput(parameters=(("y", 1),)), signature=signature)


def test_recorded_values_answer_sv_comp_and_klee(tmp_path: Path) -> None:
    text = """
    #include <stdio.h>
    extern int __VERIFIER_nondet_int(void);
    extern unsigned char __VERIFIER_nondet_uchar(void);
    extern double __VERIFIER_nondet_double(void);
    void klee_make_symbolic(void *, unsigned long, const char *);
    extern void __VERIFIER_assume(int);
    int main(void)
    {
        char buffer[3];
        int i = __VERIFIER_nondet_int();
        unsigned char u = __VERIFIER_nondet_uchar();
        double d = __VERIFIER_nondet_double();
        klee_make_symbolic(buffer, 3, "buffer");
        FILE *f = fopen("/dev/null", "r");
        printf("%d %d %g %.3s %d %d", i, u, d, buffer, fileno(f), __VERIFIER_nondet_int());
        fflush(stdout);
        __VERIFIER_assume(i == -1);
        return 9;
    }
    """
    with NativeReplay(plan(tmp_path, text)) as replay:
        test = TestInput(nondet=(-1, 255, 0.5), objects=(("buffer", b"abc"),))
        seen = replay.observe("new", test)
        assert (seen.exit, seen.stdout) == (9, b"-1 255 0.5 abc 3 0")
        assert replay.observe("new", TestInput()).returned == "assumption fails"


def test_the_mask_build_switches_changes(tmp_path: Path) -> None:
    unified = """
    #include <stdio.h>
    #include <stdlib.h>
    int main(void) { printf("%.6s", getenv("CSGTEST_MASK")); return 0; }
    """
    with NativeReplay(plan(tmp_path, "int main(void) {}", unified=(Text(unified),))) as replay:
        assert replay.observe("mask", TestInput(), {3, 1}).stdout == b"101000"
        asked = [Request("mask", TestInput(), frozenset({i})) for i in range(5)]
        seen = [each.stdout for each in replay.observe_all(asked)]
        assert seen == [b"000000", b"100000", b"010000", b"001000", b"000100"]


def test_a_program_that_does_not_compile_is_the_users_trouble(tmp_path: Path) -> None:
    with NativeReplay(plan(tmp_path, "int main(void) { return x; }")) as replay:
        with pytest.raises(ToolchainError, match="undeclared") as caught:
            replay.pair(TestInput())
        assert caught.value.location is not None and caught.value.location.line == 1


def test_flags_of_the_user_count(tmp_path: Path) -> None:
    text = "int main(void) { return VALUE; }"
    flags = {"old_flags": ("-DVALUE=1",), "new_flags": ("-DVALUE=2",)}
    with NativeReplay(plan(tmp_path, text, **flags)) as replay:
        pair = replay.pair(TestInput())
    assert (pair.old.exit, pair.new.exit) == (1, 2)


def test_what_is_asked_of_closed_builds_is_told_to_nobody(tmp_path: Path) -> None:
    (tmp_path / "old.c").write_text("int main(void) { return 0; }\n")
    builds = Builds({"old": Program((SourceFile(tmp_path / "old.c"),))})
    builds.close()
    told: list[object] = []
    builds.when_built("old", PLAIN, told.append)
    assert told == []


COUNTING = """#!/bin/sh
case " $* " in *" -c "*) case " $* " in *" -E "*) ;; *) echo "$*" >> {log} ;; esac ;; esac
exec {compiler} "$@"
"""
UNCHANGED = {
    "plain.c": '#include "limit.h"\nint plain(int x) { return x + LIMIT; }\n',
    "naming.c": "#include <assert.h>\nint naming(int x) { assert(x != 3); return x; }\n",
}
READ_LATER = r"""
__asm__(".section .rodata\nbyte: .incbin \"FOLDER/byte\"\n.text");
extern const char byte;
int added(void) { return byte; }
"""


def test_an_unchanged_file_is_compiled_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For both versions where its object does not say where it lies, and for later runs; again when
    a header differs. Runs are as they were."""
    log, compiler = tmp_path / "log", tmp_path / "counting"
    compiler.write_text(COUNTING.format(log=log, compiler=find_compiler()))
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", str(compiler))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    names = ("main.c", *UNCHANGED)
    for side, change in (("old", 0), ("new", 1)):
        (tmp_path / side).mkdir()
        text = f"return naming(plain(getchar() - 48)) + {change};"
        (tmp_path / side / "main.c").write_text(
            f"#include <stdio.h>\nint plain(int), naming(int);\nint main(void) {{ {text} }}\n"
        )
        (tmp_path / side / "limit.h").write_text("#define LIMIT 1\n")
        for name, text in UNCHANGED.items():
            (tmp_path / side / name).write_text(text)

    def compiled() -> list[str]:
        """What one run compiles; its results are checked."""
        log.write_text("")
        both = (
            tuple(
                SourceFile(tmp_path / side / each, (), f"{tmp_path}/new/{each}") for each in names
            )
            for side in ("old", "new")
        )
        with NativeReplay(ReplayPlan(*both)) as replay:
            limit = int((tmp_path / "new/limit.h").read_text().split()[-1])
            for style in (PLAIN, SANITIZED):
                pair = [
                    replay.observe(side, TestInput(stdin=b"5"), style=style)
                    for side in ("old", "new")
                ]
                assert [each.exit for each in pair] == [5 + limit, 6 + limit]
            failed = replay.observe("old", TestInput(stdin=b"%d" % (3 - limit)), style=PLAIN)
            assert f"{tmp_path}/new/naming.c:2: naming".encode() in failed.stderr
        return [Path(each).name for line in log.read_text().splitlines() for each in line.split()
                if each.endswith((*UNCHANGED,)) and each.startswith(str(tmp_path))]  # fmt: skip

    first = compiled()
    assert first.count("naming.c") == 4  # assert() and the sanitizer name its place
    assert first.count("plain.c") in (3, 4)  # 4: at the same time
    assert compiled() == []
    (tmp_path / "old/limit.h").write_text("#define LIMIT 2\n")
    (tmp_path / "new/limit.h").write_text("#define LIMIT 2\n")
    assert set(compiled()) == {"plain.c"}


def test_an_object_with_a_file_of_its_assembler_is_compiled_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the preprocessor says of it does not change when the file does."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "main.c").write_text("int added(void);\nint main(void) { return added(); }\n")
    (tmp_path / "added.c").write_text(READ_LATER.replace("FOLDER", str(tmp_path)))
    sources = tuple(SourceFile(tmp_path / each) for each in ("main.c", "added.c"))
    for content in b"\1", b"\2":
        (tmp_path / "byte").write_bytes(content)
        with NativeReplay(ReplayPlan(sources, sources)) as replay:
            assert replay.observe("new", EMPTY, style=PLAIN).exit == content[0]


def test_a_library_that_lies_outside_of_the_system_is_found(tmp_path: Path) -> None:
    """Where a flag or an executable names its folder; all else there stays hidden."""
    folder = Path(tempfile.mkdtemp(dir="/var/tmp"))
    try:
        folder.chmod(0o755)
        library = folder / "libother.so"
        text = b"int other(void) { return 7; }\n"
        command = ["cc", "-shared", "-fPIC", "-o", str(library), "-x", "c", "-"]
        subprocess.run(command, input=text, check=True)
        source = tmp_path / "main.c"
        source.write_text("int other(void);\nint main(void) { return other(); }\n")
        flags = (f"-L{folder}", "-lother", f"-Wl,-rpath,{folder}")
        program = tmp_path / "program"
        subprocess.run(["cc", str(source), *flags, "-o", str(program)], check=True)
        assert run_paths(program) == [str(folder)]
        for files in (
            (SourceFile(program, (), "program"),),
            (SourceFile(source, flags, "main.c"),),
        ):
            with NativeReplay(ReplayPlan(files, files)) as native:
                assert native.pair(TestInput()).new.exit == 7
    finally:
        shutil.rmtree(folder)
