"""Inputs of tests as files that other testing tools read.

    ktest       t0001.ktest   KTEST 3 | prog --sym-args 0 1 2 | n_args=1, arg00="0-", ..
    testcomp    metadata.xml, t0001.xml    <testcase><input>-7</input></testcase>

A test that cannot be written in a form is left out, and reported with the reason.
"""

from __future__ import annotations

import hashlib
import os
import re
import struct
import xml.etree.ElementTree as xml
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from csg import VERSION
from csg.errors import UsageError, printable
from csg.files import read_file
from csg.records import record
from symexec.exports.finished import Finished, write_folder
from symexec.options import Form
from symexec.replay.harness import memory_of
from symexec.testcases import EntrySignature, LongDouble, Parameter, Scalar, TestCase, Value
from symexec.testcases.inputs import Elements, Inside
from symexec.testcases.seeds import LARGEST
from symexec.testcases.signature import ParameterKind

_NAME = re.compile(r"[A-Za-z0-9][\w.+-]*", re.ASCII)


class _NoWords(Exception):
    """The reason why a form cannot represent this input."""


@record
class FolderForm:
    """How a form writes a test, and the other files in its folder; ``mine`` matches its files."""

    suffix: str
    mine: tuple[str, ...]
    of_test: Callable[[Finished, TestCase], bytes]
    of_all: Callable[[Finished], Mapping[str, bytes]]


def write(
    form: FolderForm, all_finished: Sequence[Finished], output: Path
) -> tuple[int, list[str]]:
    """Write every test of the folders, each folder into one of its own where there are several.
    Returns how many were written, and why others were left out."""
    count = 0
    left_out: list[str] = []
    for finished in all_finished:
        place = output
        if len(all_finished) > 1:
            place = output / f"{file_name(finished.report.name)}-{file_name(finished.report.entry)}"
        files: dict[str, bytes] = {}
        for case in finished.report.tests:
            try:
                files[f"{file_name(case.id)}{form.suffix}"] = form.of_test(finished, case)
            except _NoWords as reason:
                left_out.append(f"{case.id}: {reason}")
        if not files:
            reasons = f" ({left_out[0]})" if left_out else ""
            raise UsageError(
                f"'{finished.folder}' has no test that this form has words for{reasons}",
                hint="csgtest export --help names other forms",
            )
        count += len(files)
        write_folder(place, {**form.of_all(finished), **files}.items(), form.mine)
    return count, left_out


def file_name(text: str) -> str:
    """The name of a test as a file name. Raises UsageError where it is none."""
    if not _NAME.fullmatch(text):
        raise UsageError(f"{text!r:.60} is no name for a file")
    return text


# ------------------------------------------------------------------------------------------ ktest
# Version 3, all numbers of the frame 32 bits, the most significant byte first. Objects have the
# names and the order in which KLEE's runtime asks for them: of its model of the command line first
# arguments, then files, standard input and the version of the model; then what the program itself
# makes symbolic. An entry function's parameters are an object each, as a harness would have them.


_MODEL = 1
_BYTES_OF_STAT = 144


def ktest(finished: Finished, case: TestCase) -> bytes:
    words, objects = _klee_objects(finished, case)
    if not objects:
        raise _NoWords("it has no input")
    for name, data in objects:
        if not name or not data:
            raise _NoWords(f"'{name}' is empty, which readers refuse")
    return b"".join(
        (
            b"KTEST",
            _number(3),
            _number(len(words)),
            *(_counted(word.encode("utf-8", "surrogateescape")) for word in words),
            _number(0) * 2,
            _number(len(objects)),
            *(
                _counted(name.encode("utf-8", "surrogateescape")) + _counted(data)
                for name, data in objects
            ),
        )
    )


def _number(value: int) -> bytes:
    return value.to_bytes(4, "big")


def _counted(data: bytes) -> bytes:
    return _number(len(data)) + data


Objects = list[tuple[str, bytes]]


def _klee_objects(finished: Finished, case: TestCase) -> tuple[list[str], Objects]:
    """The arguments of KLEE, and the objects that it asks for, in this order."""
    if case.witness:
        raise _NoWords(f"it is a C program: tests/{case.id}.c")
    given, words = case.input, [finished.report.name or "program"]
    if given.nondet:
        raise _NoWords("it answers __VERIFIER_nondet_*, whose widths are not recorded")
    objects: Objects = []
    if finished.report.entry != "main":
        objects += _of_parameters(finished.report.signature, case)
    if given.args:
        longest = max(1, *map(len, given.args))
        words += ["--sym-args", "0", str(len(given.args)), str(longest)]
        objects.append(("n_args", len(given.args).to_bytes(4, "little")))
        objects += [
            (f"arg{number:02}", argument.ljust(longest + 1, b"\0"))
            for number, argument in enumerate(given.args)
        ]
    files = _files(case)
    if files:
        words += ["--sym-files", str(len(files)), str(len(files[0]))]
        for number, data in enumerate(files):
            objects += _of_file(
                f"{chr(ord('A') + number)}-data", f"{chr(65 + number)}-data-stat", data
            )
    if given.stdin:
        words += ["--sym-stdin", str(len(given.stdin))]
        objects += _of_file("stdin", "stdin-stat", given.stdin)
    if words[1:]:
        objects.append(("model_version", _MODEL.to_bytes(4, "little")))
    return words, [*objects, *given.objects]


def _files(case: TestCase) -> list[bytes]:
    files = dict(case.input.files)
    names = [chr(ord("A") + number) for number in range(len(files))]
    if sorted(files) != names:
        raise _NoWords("it has files of other names than A, B ..")
    if len(set(map(len, files.values()))) > 1 or not all(files.values()):
        raise _NoWords("its files are empty or of several lengths")
    return [files[name] for name in names]


def _of_file(name: str, stat: str, data: bytes) -> Objects:
    """The content of a file, and what stat(2) says of it: a plain file."""
    head = struct.pack("<QQQIIIIQqqq", 0, 1, 1, 0o100644, 0, 0, 0, 0, len(data), 4096, 8)
    return [(name, data), (stat, head.ljust(_BYTES_OF_STAT, b"\0"))]


def _of_parameters(signature: EntrySignature | None, case: TestCase) -> Objects:
    """One object for each parameter, and one for each structure. Null pointers have none, and
    pointers in structures are zero: a harness sets them to the objects that follow."""
    if signature is None:
        raise _NoWords("the types of its parameters are not recorded")
    values = dict(case.input.parameters)
    if any(isinstance(each, Inside) for each in values.values()):
        raise _NoWords("two of its pointers lead into one object")
    found: Objects = []
    structures: dict[str, bytearray] = {}
    try:
        for each in signature.parameters:
            if each.name not in values:
                continue
            value = values[each.name]
            if each.kind is ParameterKind.STRUCTURE and value is not None:
                count = value.count if isinstance(value, Elements) else each.elements
                structures[each.name] = bytearray(each.size * count)
                found.append((each.name, b""))
            elif each.owner in structures and (each.kind is ParameterKind.SCALAR or each.embedded):
                _put(structures[each.owner], each, value)
            elif (data := memory_of(each, value)) is not None:
                found.append((each.name, data))
        known = {each.name: each for each in signature.globals}
        for name, value in case.input.globals:
            if name in known and (data := memory_of(known[name], value)) is not None:
                found.append((name, data))
    except UsageError as error:
        raise _NoWords(error.message) from None
    return [(name, bytes(structures.get(name, data))) for name, data in found]


def _put(memory: bytearray, part: Parameter, value: Value) -> None:
    """Put a member into its structure; a bit-field's bits are merged with those that are there."""
    if part.bits is not None:
        number = int(value) if isinstance(value, int) else 0
        size = (part.bits + part.width + 7) // 8
        place = slice(part.offset, part.offset + size)
        before = int.from_bytes(memory[place], "little")
        bits = (number & ((1 << part.width) - 1)) << part.bits
        memory[place] = (before | bits).to_bytes(size, "little")[: len(memory[place])]
        return
    data = (memory_of(part, value) or b"")[: part.room or part.size]
    place = slice(part.offset, part.offset + len(data))
    memory[place] = data[: len(memory[place])]


# --------------------------------------------------------------------------------------- Test-Comp
# The exchange format of test suites, 1.1: the values that __VERIFIER_nondet_* yields, in order.


_TYPES: Final = {
    "test-metadata": "+//IDN sosy-lab.org//DTD test-format test-metadata 1.1//EN",
    "testcase": "+//IDN sosy-lab.org//DTD test-format testcase 1.1//EN",
}
_SPECIFICATION = "COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )"


def testcomp(finished: Finished, case: TestCase) -> bytes:
    given = case.input
    if given.args or given.stdin or given.files or given.parameters or given.objects:
        raise _NoWords("it has other inputs than __VERIFIER_nondet_*")
    if not given.nondet:
        raise _NoWords("it has no input")
    root = xml.Element("testcase")
    for value in given.nondet:
        xml.SubElement(root, "input").text = _spelt(value)
    return _document(root)


def _spelt(value: Scalar) -> str:
    return printable(value.text) if isinstance(value, LongDouble) else repr(value)


def metadata(finished: Finished) -> Mapping[str, bytes]:
    """The metadata on the new version. The time is that of the report."""
    report = finished.report
    if not report.new_files:
        raise UsageError(f"'{finished.folder}': the report names no file of the new version")
    program = report.new_files[0].path
    written = os.stat(finished.folder / "report.json").st_mtime
    root = xml.Element("test-metadata")
    for name, text in (
        ("sourcecodelang", "C"),
        ("producer", f"csgtest {VERSION}"),
        ("specification", _SPECIFICATION),
        ("programfile", str(program)),
        ("programhash", _hash(Path(report.directory) / program)),
        ("entryfunction", report.entry),
        ("architecture", "64bit"),
        ("creationtime", datetime.fromtimestamp(int(written), UTC).isoformat()),
    ):
        xml.SubElement(root, name).text = printable(text)
    return {"metadata.xml": _document(root)}


def _hash(program: Path) -> str:
    return hashlib.sha256(read_file(program, LARGEST)).hexdigest()


def _document(root: xml.Element) -> bytes:
    kind = _TYPES[root.tag]
    address = f"https://sosy-lab.org/test-format/{root.tag}-1.1.dtd"
    xml.indent(root)
    head = '<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n'
    text = xml.tostring(root, encoding="unicode")
    return f'{head}<!DOCTYPE {root.tag} PUBLIC "{kind}" "{address}">\n{text}\n'.encode()


def _nothing(finished: Finished) -> Mapping[str, bytes]:
    return {}


FORMS: Final = {
    Form.KTEST: FolderForm(".ktest", ("*.ktest",), ktest, _nothing),
    Form.TESTCOMP: FolderForm(".xml", ("*.xml",), testcomp, metadata),
}
