"""Regression tests that need no csgtest, each tried on both versions first.

    g1 regression parse_ranges("0-")    csgtest_g1.c    includes the source, calls, compares
    g1 difference ./range -f 0-         csgtest_g1.sh   runs the program $1, compares

A test of a difference passes on the version whose behaviour it expects and fails on the other one;
a test of what stays equal passes on both. Tests for which this does not hold are dropped, and
reported with the reason.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from csg.errors import CsgtestError, UsageError
from csg.files import read_json
from csg.leftovers import own_folder
from csg.programs import SourceFile
from symexec.exports.emitted import (
    HEAD,
    RENAMED,
    SANITIZER,
    SKIP,
    TRIED,
    Dropped,
    Test,
    c_text,
    check_types,
    included,
    plain_flags,
    sh_text,
)
from symexec.exports.finished import Finished, finished_of, write_folder
from symexec.exports.inputs import file_name
from symexec.options import BlessOptions, EmitOptions, Emitted, Expected
from symexec.replay import PLAIN, SANITIZED, NativeReplay, ReplayPlan, reported_flags
from symexec.replay.build import is_compiled
from symexec.report.replaying import Trusts, plan_of, trusted_report
from symexec.testcases import DifferenceKind, TestCase, TestInput
from symexec.testcases.driver import entry_first, read_driver
from symexec.testcases.store import EMITTED, is_ours
from symexec.triage import Severity, severity

_MINE = ("csgtest_*.c", "csgtest_*.sh", EMITTED, "CMakeLists.txt", "meson.build")


@dataclass(frozen=True, slots=True)
class Emission:
    retained: tuple[Test, ...]
    dropped: tuple[str, ...]


def emit(options: EmitOptions, trusts: Trusts) -> Emission:
    """Write the tests of a finished folder to ``options.output``."""
    finished = finished_of(options.folder, trusted_report(options.folder, trusts))
    known = {each.group.id for each in finished.findings}
    if unknown := [each for each in options.blessed if each not in known]:
        raise UsageError(
            f"'{options.folder}' has no difference {unknown[0]}",
            hint=f"there are {', '.join(sorted(known, key=lambda name: (len(name), name)))}",
        )
    calls = finished.report.entry != "main"
    if options.form in (Emitted.C, Emitted.SH) and calls != (options.form is Emitted.C):
        what, other = ("an entry function", "c") if calls else ("a whole program", "sh")
        raise UsageError(f"these are tests of {what}", hint=f"write them --as {other}")
    if calls and finished.report.signature is None:
        raise UsageError(f"'{options.folder}': the types of its parameters are not recorded")
    if finished.report.signature is not None:
        check_types(finished.report.signature)
    plan = plan_of(finished.report, options.unsandboxed)
    retained: list[Test] = []
    dropped: list[str] = []
    replay = None if calls else NativeReplay(plan)
    try:
        for test in _candidates(finished, options, dropped):
            try:
                if calls:
                    text = c_text(test, finished, plan, options.output)
                else:
                    text = sh_text(test, finished, plan)
                written = replace(test, text=text)
                tried = _tried(written, plan) if replay is None else _tried_script(written, replay)
                retained.append(tried)
            except (Dropped, CsgtestError) as reason:
                said = reason.message if isinstance(reason, CsgtestError) else str(reason)
                dropped.append(f"{test.name}: {said.splitlines()[0]}")
    finally:
        if replay is not None:
            replay.close()
    suffix = ".c" if calls else ".sh"
    files = {f"{test.name}{suffix}": test.text for test in retained}
    if options.form is Emitted.CMAKE:
        files["CMakeLists.txt"] = cmake_text(retained, plan, options.output, calls)
    if options.form is Emitted.MESON:
        files["meson.build"] = meson_text(retained, plan, options.output, calls)
    files[EMITTED] = _asked(options)
    contents = [(name, text.encode("utf-8", "surrogateescape")) for name, text in files.items()]
    write_folder(options.output, contents, _MINE)
    return Emission(tuple(retained), tuple(dropped))


def bless(options: BlessOptions, trusts: Trusts) -> Emission:
    """Write the tests of a folder anew, so that those of the given differences expect what the
    other version does. What is blessed once more expects what it did at first."""
    try:
        asked = read_json(options.output / EMITTED, "list of emitted tests")
        folder = Path(os.path.normpath(options.output / asked["folder"]))
        form, expected = Emitted(asked["form"]), Expected(asked["expected"])
        before, equal = frozenset(map(str, asked["blessed"])), int(asked["equal"])
    except (UsageError, ValueError, KeyError, TypeError):
        hint, number = "name their folder with -o", options.ids[0]
        below = [each for deep in ("*", "*/*") for each in options.output.glob(f"{deep}/{EMITTED}")]
        named = sorted(str(each.parent.relative_to(options.output)) for each in below)
        if named:
            hint = f"say of which folder: {', '.join(f'{name}/{number}' for name in named[:8])}"
        elif is_ours(options.output):
            hint = f"csgtest emit {options.output} --as c -o FOLDER writes some: name it with -o"
        raise UsageError(
            f"'{options.output}' has no tests that csgtest emit wrote", hint=hint
        ) from None
    blessed = tuple(sorted(before.symmetric_difference(options.ids)))
    unsandboxed, trusted = options.unsandboxed, options.trusted
    whole = EmitOptions(
        folder, form, options.output, expected, equal, unsandboxed, trusted, blessed
    )
    return emit(whole, trusts)


def _asked(options: EmitOptions) -> str:
    asked = {
        "folder": os.path.relpath(options.folder, options.output),
        "form": options.form.value,
        "expected": options.expected.value,
        "equal": options.equal,
        "blessed": list(options.blessed),
    }
    return json.dumps(asked, indent=1) + "\n"


def _candidates(finished: Finished, options: EmitOptions, dropped: list[str]) -> Iterator[Test]:
    """A test for each group of differences, then the smallest of those that stay equal. No two have
    the same input."""
    inputs: set[TestInput] = set()
    for finding in finished.findings:
        witness, name = finding.witness, f"csgtest_{file_name(finding.group.id)}"
        expected = _expected(options.expected, finding.kind, witness)
        if finding.group.id in options.blessed:
            expected = "old" if expected == "new" else "new"
        seen = {"old": witness.old, "new": witness.new, "golden": witness.golden}[expected]
        if seen is None:
            dropped.append(f"{name}: nothing is recorded of the {expected} version")
        elif witness.witness:
            dropped.append(f"{name}: it is a C program already: tests/{witness.id}.c")
        elif finding.parts == ("stderr",):
            dropped.append(f"{name}: only standard error differs, which no test compares")
        elif witness.input not in inputs:
            inputs.add(witness.input)
            yield Test(name, finding.group.called, witness, expected, seen, False)
    alike = [
        each for each in finished.others() if each.kind is DifferenceKind.PATH_ONLY and each.new
    ]
    count = 0
    for case in sorted(alike, key=lambda each: (each.input.size, each.id)):
        if case.input in inputs or count >= options.equal or case.new is None:
            continue
        inputs.add(case.input)
        count += 1
        name = f"csgtest_{file_name(case.id)}"
        yield Test(name, case.called, case, "new", case.new, True)


def _expected(asked: Expected, kind: DifferenceKind, witness: TestCase) -> str:
    if asked is not Expected.USUAL:
        return str(asked.value)
    if kind is DifferenceKind.INCOMPLETE_FIX and witness.golden is not None:
        return "golden"
    return "old" if severity(kind, witness.new) is Severity.WORSE else "new"


# ------------------------------------------------------------------------------------------ trying


def _tried(test: Test, plan: ReplayPlan) -> Test:
    """A test in C after it was compiled and run with each version in turn."""
    with own_folder("emitted") as folder:
        path = folder / f"{test.name}.c"
        path.write_text(test.text, encoding="utf-8", errors="surrogateescape")

        def with_source(files: tuple[SourceFile, ...]) -> tuple[SourceFile, ...]:
            if not files or is_compiled(files[0]):
                return ()
            first, *others = entry_first(files)
            source = read_driver(first.path)[0]
            # the compiler can read what its command names
            folder_flag = f"-iquote{source.absolute().parent}"
            flags = (*first.flags, folder_flag, f"-DCSGTEST_SOURCE={included(str(source))}")
            renamed = [replace(each, flags=(*each.flags, RENAMED)) for each in others]
            return (SourceFile(path, flags, path.name), *renamed)

        own = replace(
            plan,
            old=with_source(plan.old),
            new=with_source(plan.new),
            golden=with_source(plan.golden),
            signature=None,
            leaks=False,
        )
        if test.expected == "golden" and not own.golden:
            raise Dropped("the golden version is no C file")
        with NativeReplay(own) as replay:

            def passes(build: str, style: str) -> bool:
                seen = replay.observe(build, TestInput(), style=style)
                return seen.exit == 0 and not seen.failed

            return _judged(test, passes)


def _tried_script(test: Test, replay: NativeReplay) -> Test:
    if test.expected == "golden" and not replay.plan.golden:
        raise Dropped("there is no golden version")

    def passes(build: str, style: str) -> bool:
        result = replay.run_script(test.text, build, style)
        return result.exit == 0 and not result.timed_out and not result.overdrawn

    return _judged(test, passes)


def _judged(test: Test, passes: Callable[[str, str], bool]) -> Test:
    """The test with its verdicts, each of which was given twice. A plain build is tried first,
    since projects have that."""
    reasons = []
    for style in (PLAIN, SANITIZED):
        names = ("old", "new") if test.expected != "golden" else ("old", "new", "golden")
        seen = {name: passes(name, style) for name in names}
        if seen != {name: passes(name, style) for name in names}:
            reasons.append("it does not do the same each time")
        elif not seen[test.expected]:
            reasons.append(f"it fails on the {test.expected} version, which it expects")
        elif test.equal != all(seen.values()):
            failing = [name for name in names if not seen[name]]
            reason = f"it fails on the {failing[0]} version" if test.equal else "it passes on both"
            reasons.append(reason)
        else:
            if style == PLAIN:
                return test
            tried = " ".join((*reported_flags("").split(), SANITIZER))
            text = test.text.replace(TRIED + " ".join(plain_flags()), TRIED + tried)
            return replace(test, text=text, sanitized=True)
    raise Dropped(reasons[0])


# ------------------------------------------------------------------------------------ CMake, Meson


def cmake_text(tests: Sequence[Test], plan: ReplayPlan, output: Path, calls: bool) -> str:
    """CMakeLists.txt. Raises UsageError for a name or a flag that CMake would read as more."""
    first, *others = plan.new
    lines = [f"# {HEAD}", "cmake_minimum_required(VERSION 3.11)", "project(csgtest_regression C)"]
    lines.append("enable_testing()")
    if not calls:
        lines.append('set(CSGTEST_PROGRAM "" CACHE FILEPATH "the program to test")')
    files = [*map(_cmake_name, _below(others, output))]
    for each, file in zip(others, files, strict=True):
        if calls and each.flags:
            flags = " ".join(map(_cmake_word, each.flags))
            lines.append(f"set_property(SOURCE {file} PROPERTY COMPILE_OPTIONS {flags})")
    for test in tests:
        lines.append("")
        if calls:
            flags = " ".join(map(_cmake_word, _flags_of(test, first)))
            libraries = f"m {SANITIZER}" if test.sanitized else "m"
            lines += [
                f"add_executable({' '.join([test.name, f'{test.name}.c', *files])})",
                f"target_compile_options({test.name} PRIVATE {flags})",
                f"target_link_libraries({test.name} PRIVATE {libraries})",
                f"add_test(NAME {test.name} COMMAND {test.name})",
            ]
        else:
            file = f"${{CMAKE_CURRENT_SOURCE_DIR}}/{test.name}.sh"
            lines.append(f"add_test(NAME {test.name} COMMAND sh {file} ${{CSGTEST_PROGRAM}})")
        lines.append(f"set_tests_properties({test.name} PROPERTIES SKIP_RETURN_CODE {SKIP})")
    return "\n".join(lines) + "\n"


def _cmake_name(path: str) -> str:
    """The name of a file. CMake writes names to other build files, and does not quote all there."""
    if not re.fullmatch(r"[\w ./+,=@~-]+", path):
        raise _unwritable(path)
    return _cmake_word(path)


def _cmake_word(text: str) -> str:
    """A word in which CMake expands nothing. In its lists, semicolons, brackets and a backslash at
    the end still have a meaning, and so have generator expressions."""
    is_joined = text.endswith("\\") or text.count("[") != text.count("]")
    if ";" in text or "$<" in text or is_joined:
        raise _unwritable(text)
    if re.fullmatch(r"[\w./+=,-]+", _one_line(text), re.ASCII):
        return text
    level = "=" * (1 + max(map(len, re.findall("=+", text)), default=0))
    return f"[{level}[{text}]{level}]"


def _one_line(text: str) -> str:
    if not text.isprintable():
        raise _unwritable(text)
    return text


def _unwritable(text: str) -> UsageError:
    return UsageError(f"no build file can hold {ascii(text)[:80]}", hint="write the tests --as c")


def meson_text(tests: Sequence[Test], plan: ReplayPlan, output: Path, calls: bool) -> str:
    """meson.build. Raises UsageError for a name or a flag that it cannot hold."""
    first, *others = plan.new
    lines = [f"# {HEAD}", "project('csgtest_regression', 'c')", ""]
    if calls:
        lines.append("maths = meson.get_compiler('c').find_library('m', required: false)")
    else:
        lines += [
            "# the program to test: CSGTEST_PROGRAM=... meson test",
            "sh = find_program('sh')",
        ]
    files = "".join(f", {_meson_word(each)}" for each in _below(others, output))
    for test in tests:
        if calls:
            flags = ", ".join(map(_meson_word, _flags_of(test, first)))
            link = f", link_args: {_meson_word(SANITIZER)}" if test.sanitized else ""
            lines += [
                f"{test.name} = executable('{test.name}', '{test.name}.c'{files},",
                f"  c_args: [{flags}]{link}, dependencies: maths)",
                f"test('{test.name}', {test.name})",
            ]
        else:
            lines.append(f"test('{test.name}', sh, args: [files('{test.name}.sh')])")
    return "\n".join(lines) + "\n"


def _meson_word(text: str) -> str:
    return "'" + _one_line(text).replace("\\", "\\\\").replace("'", "\\'") + "'"


def _flags_of(test: Test, first: SourceFile) -> tuple[str, ...]:
    """The flags with which a test was tried."""
    more = plain_flags()
    if test.sanitized:
        more = (*reported_flags("").split(), SANITIZER, "-fno-sanitize-recover=all")
    return (*first.flags, "-w", RENAMED, *more)


def _below(files: Sequence[SourceFile], output: Path) -> list[str]:
    return [os.path.relpath(each.path, output) for each in files]
