"""What is exported is read back by others: a model made of SARIF's schema, junitparser, Test-Comp's
DTD, a Markdown parser, and readers of .ktest and of a workflow's commands written after the
descriptions of these."""

from __future__ import annotations

import copy
import hashlib
import html
import io
import json
import re
import struct
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import junitparser
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree
from markdown_it import MarkdownIt
from pydantic_sarif.model import StaticAnalysisResultsFormatSarifVersion210JsonSchema as SarifLog

import cli
from csg.errors import LINES, Location, printable
from csg.ir import ChangeInfo
from csg.ir.program import ChangeKind
from symexec.exports import export_file, export_folder, inputs, reviews
from symexec.exports.finished import finished_of, write_folder
from symexec.ledger import Verdict
from symexec.options import Form
from symexec.report.model import Report, report_from_json, report_to_json
from symexec.report.session import finish
from symexec.state.state import DivergenceKind
from symexec.testcases import (
    Blame,
    DifferenceKind,
    Divergence,
    EntrySignature,
    Observation,
    Observed,
    OutputFolder,
    Parameter,
    TestCase,
    TestInput,
)
from symexec.testcases.seeds import read_ktest
from symexec.testcases.signature import ParameterKind
from tests.command_line import csgtest, pair
from tests.nightly import examples

METADATA_DTD = """
<!ELEMENT test-metadata (sourcecodelang, producer, specification, programfile, programhash,
  entryfunction, architecture, inputtestsuitefile*, inputtestsuitehash*, creationtime)>
""" + "".join(
    f"<!ELEMENT {name} (#PCDATA)>"
    for name in (
        *("sourcecodelang", "producer", "specification", "programfile", "programhash"),
        *("entryfunction", "architecture", "inputtestsuitefile", "inputtestsuitehash"),
        "creationtime",
    )
)
TESTCASE_DTD = """
<!ELEMENT testcase (input*)> <!ELEMENT input (#PCDATA)>
<!ATTLIST testcase coversError (true|false) "false">
<!ATTLIST input type CDATA "" variable CDATA "">
"""
FOUND = Path("found")
TEXTS = st.text(st.characters(exclude_categories=()), max_size=30) | st.sampled_from(
    [
        "a|b",
        "\\|",
        "`` ` ```",
        "@you #1 :+1:",
        "]]>",
        "<!--",
        "\x00\x1b[2J",
        "[a](0)",
        "{0}",
        "&#1;",
    ]
)
BYTES = st.binary(max_size=6)
NO_NULS = st.lists(st.integers(1, 255), max_size=5).map(bytes)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished folder, and what the run itself has exported."""
    place = tmp_path_factory.mktemp("finished")
    exports = [f"--export={form}=found.{form}" for form in ("sarif", "junit", "markdown")]
    exports += ["--export", "ktest=found-ktest"]
    done = csgtest("build", *pair("plus_two"), "--time=2", "--no-native", *exports, folder=place)
    assert done.code == 1, done.err
    return place


def report_of(text: str, number: int = 1) -> Report:
    """Whatever others write into a report, everywhere."""
    seen = Observation(exit=0, stdout=text.encode("utf-8", "replace"))
    changes = [
        ChangeInfo(1, ChangeKind.MODIFIED, text, Location(text or "f.c", 3), None, text, "y"),
        ChangeInfo(2, ChangeKind.DELETED, "f", Location("f.c", 9), Location("f.c", 9), text, ""),
    ]
    tests = [
        TestCase(
            f"t{each}",
            TestInput(args=(text.encode("utf-8", "replace").replace(b"\0", b""),)),
            sequence=("c1",),
            divergence=Divergence(DivergenceKind.OUTPUT, text, 4),
            old=seen,
            new=Observation(exit=each, stderr=seen.stdout, report=text),
            observed=Observed.DIFFERENT,
            kind=DifferenceKind.DIFFERENCE,
            blame=Blame(((each % 2 + 1,),)),
            notes=(text,),
        )
        for each in range(1, number + 1)
    ]
    return Report(
        old="old.c", new="new.c", verdict=Verdict.DIFFERENT, changes=changes, tests=tests,
        notes=[text], name=text, directory="/somewhere", finished=True, bounds={"ranges": [text]},
        csg={"nodes": [{"id": "c1", "file": text, "line": 3, "text": text}]},
    )  # fmt: skip


def text_of(form: Form, report: Report) -> str:
    writers = {
        Form.SARIF: reviews.sarif,
        Form.JUNIT: reviews.junit,
        Form.MARKDOWN: reviews.markdown,
        Form.GITHUB: reviews.github,
    }
    return writers[form]([finished_of(FOUND, report)])


@pytest.mark.parametrize("form", [Form.SARIF, Form.MARKDOWN])
def test_what_is_not_covered_names_files_as_the_page_does(form: Form) -> None:
    """Neither the cache nor the copies of revisions are anything to a reader."""
    made = report_of("x")
    made.old, made.new = "out/versions/old", "out/versions/new"
    made.notes = [
        f"/home/me/.cache/csgtest/drivers/{'0f' * 20}/a.c:9: cut",
        "both fail at /home/me/out/versions/new/a.c:7",
    ]
    text = html.unescape(text_of(form, made))
    assert "driver of a.c:9: cut" in text and "both fail at new a.c:7" in text
    assert "/home/me" not in text


@pytest.mark.parametrize("form", [Form.SARIF, Form.JUNIT, Form.MARKDOWN, Form.GITHUB])
def test_every_way_in_which_a_difference_shows_is_exported(form: Form) -> None:
    made = report_of("x", 3)
    first, other, _ = (replace(each, blame=Blame(((1,),))) for each in made.tests)
    made.tests = [first]
    alone = text_of(form, made)
    made.tests = [first, replace(other, new=Observation(sanitizer="heap-buffer-overflow"))]
    text = html.unescape(text_of(form, made))
    assert "heap-buffer-overflow" in text and "also" in text and "also" not in alone


def test_a_fingerprint_is_another_where_there_is_another_way_to_show() -> None:
    """Whoever has dismissed an alert has not seen it."""
    made = report_of("x", 2)
    first, other = (replace(each, blame=Blame(((1,),))) for each in made.tests)
    worse = replace(other, new=Observation(sanitizer="SEGV"))
    found = []
    for tests in ([first], [first, other], [first, worse]):
        made.tests = tests
        (result,) = json.loads(text_of(Form.SARIF, made))["runs"][0]["results"]
        found.append(result["partialFingerprints"]["csgtest/v1"])
    assert found[0] == found[1] != found[2]


def test_a_run_exports_what_is_exported_of_its_folder(folder: Path) -> None:
    for form in (Form.SARIF, Form.JUNIT, Form.MARKDOWN):
        text = (folder / f"found.{form.value}").read_text()
        assert text == export_file([folder / "csgtest-out"], form)
    assert list((folder / "found-ktest").glob("*.ktest"))


def test_a_report_is_read_back_whole(folder: Path) -> None:
    value = json.loads((folder / "csgtest-out" / "report.json").read_text())
    assert report_to_json(report_from_json(value)) == value


def test_what_somebody_has_accepted_is_no_finding(folder: Path, tmp_path: Path) -> None:
    value = json.loads((folder / "csgtest-out" / "report.json").read_text())
    before = finished_of(tmp_path, report_from_json(value)).findings
    value["groups"][0]["accepted"] = {"id": "0123456789ab", "reason": "as intended"}
    after = finished_of(tmp_path, report_from_json(value)).findings
    assert [each.group.id for each in after] == [each.group.id for each in before][1:]


# ------------------------------------------------------------------------------------------ SARIF


def test_sarif_names_the_blamed_change_and_a_rule(folder: Path) -> None:
    log = json.loads((folder / "found.sarif").read_text())
    SarifLog.model_validate(log)
    (run,) = log["runs"]
    report = json.loads((folder / "csgtest-out" / "report.json").read_text())
    assert len(run["results"]) == len(report["groups"])
    for result, group in zip(run["results"], report["groups"], strict=True):
        first = next(each for each in report["changes"] if each["id"] in group["blamed"])
        (location,) = result["locations"]
        assert location["physicalLocation"]["region"]["startLine"] == first["line"]
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["properties"]["class"] == group["class"]


@given(TEXTS, st.integers(0, 5))
@examples(60)
def test_sarif_is_valid_whatever_stands_in_it(text: str, number: int) -> None:
    log = json.loads(text_of(Form.SARIF, report_of(text, number)))
    SarifLog.model_validate(log)
    marks = [each["partialFingerprints"]["csgtest/v1"] for each in log["runs"][0]["results"]]
    assert len(set(marks)) == len(marks)
    for result in log["runs"][0]["results"]:
        said = result["message"]["text"]
        assert not re.search(r"\]\(|(?<!\{)\{(?:\{\{)*(?!\{)", said)
        assert not (set(said) - set(LINES)) & set(map(chr, range(32)))


def test_fingerprints_do_not_depend_on_lines() -> None:
    def marks(line: int) -> list[str]:
        report = report_of("x", 2)
        report.changes = [
            ChangeInfo(each.id, each.kind, each.function, Location("f.c", line), None,
                       each.old_text, each.new_text)
            for each in report.changes
        ]  # fmt: skip
        results = json.loads(text_of(Form.SARIF, report))["runs"][0]["results"]
        return [each["partialFingerprints"]["csgtest/v1"] for each in results]

    assert marks(3) == marks(300)


@pytest.mark.parametrize(
    ("kind", "level", "rule"),
    [
        (DifferenceKind.REGRESSION, "error", "CSG005"),
        (DifferenceKind.HANG, "error", "CSG005"),
        (DifferenceKind.INCOMPLETE_FIX, "error", "CSG003"),
        (DifferenceKind.DIFFERENCE, "warning", "CSG004"),
        (DifferenceKind.FIX, "note", "CSG004"),
        (DifferenceKind.STDERR_ONLY, "note", "CSG004"),
    ],
)
def test_levels_and_rules_go_by_class(kind: DifferenceKind, level: str, rule: str) -> None:
    report = report_of("x")
    report.tests = [
        TestCase("t1", TestInput(), old=Observation(exit=0), new=Observation(signal="SIGSEGV"),
                 observed=Observed.DIFFERENT, kind=kind)
    ]  # fmt: skip
    (result,) = json.loads(text_of(Form.SARIF, report))["runs"][0]["results"]
    assert (result["level"], result["ruleId"]) == (level, rule)


# ------------------------------------------------------------------------------------------ JUnit


@given(TEXTS, st.integers(0, 4))
@examples(60)
def test_junit_is_read_by_a_stranger(text: str, number: int) -> None:
    report = report_of(text, number)
    report.tests += [
        TestCase("s1", TestInput(), observed=Observed.SAME, kind=DifferenceKind.PATH_ONLY),
        TestCase("s2", TestInput(), observed=Observed.SAME, kind=DifferenceKind.NONDETERMINISTIC),
        TestCase("s3", TestInput(), refused=text),
    ]
    suites = junitparser.JUnitXml.fromstring(text_of(Form.JUNIT, report).encode())
    (suite,) = suites
    kinds = [[type(each).__name__ for each in case.result] for case in suite]
    groups = len(report.groups)
    assert kinds == [["Failure"]] * groups + [[], ["Skipped"], ["Error"]]
    assert (suites.tests, suites.failures, suites.skipped, suites.errors) == (
        groups + 3,
        groups,
        1,
        1,
    )


# --------------------------------------------------------------------------------------- Markdown


def cells(document: str) -> list[list[str]]:
    """The table as a reader of Markdown has it: rows of what is shown."""
    found: list[list[str]] = []
    for token in MarkdownIt("commonmark").enable("table").parse(document):
        if token.type == "tr_open":
            found.append([])
        if token.type == "inline" and found and token.level == 4:
            parts = token.children or []
            assert {part.type for part in parts} <= {"text", "html_inline"}, token.content
            assert all(
                part.content in ("<code>", "</code>")
                for part in parts
                if part.type == "html_inline"
            )
            found[-1].append("".join(part.content for part in parts if part.type == "text"))
    return found


@given(TEXTS, st.integers(1, 3))
@examples(80)
def test_nothing_in_a_table_is_markup(text: str, number: int) -> None:
    report = report_of(text, number)
    finished = finished_of(FOUND, report)
    head, *rows = cells(reviews.markdown([finished]))
    assert head == ["", "class", "blamed", "input", "old", "new", "tests"]
    assert [row[0] for row in rows] == [each.id for each in report.groups]
    for row, finding in zip(rows, finished.findings, strict=True):
        call = printable(finished.call(finding.witness))
        assert " ".join(row[3].split()) == " ".join(call.split()) or row[3].endswith("...")


def test_an_input_can_be_copied(folder: Path) -> None:
    fences = [
        token
        for token in MarkdownIt("commonmark").parse((folder / "found.markdown").read_text())
        if token.type == "fence"
    ]
    tests = folder / "csgtest-out" / "tests"
    assert any(fences[0].content.strip() in each.read_text() for each in tests.glob("*.txt"))
    assert "diff" in {token.info for token in fences}


def test_a_comment_is_as_long_as_it_may_be() -> None:
    report = report_of("`" * 3000, 12)
    report.notes = ["n" * 3000] * 100
    one = finished_of(FOUND, report)
    assert len(reviews.markdown([one])) < 65_536
    many = reviews.markdown([one] * 10)
    assert len(many) < 65_536 and "more parts stand in the folder" in many


# ----------------------------------------------------------------------------------------- GitHub

DATA = {"%25": "%", "%0D": "\r", "%0A": "\n", "%3A": ":", "%2C": ","}


def commands(text: str) -> list[tuple[str, dict[str, str], str]]:
    """What the runner of a workflow makes of the lines of a job: command, properties, message."""
    found = []
    for line in re.split("\r\n|\r|\n", text)[:-1]:
        head, _, message = line.removeprefix("::").partition("::")
        name, _, properties = head.partition(" ")
        parts = [each.partition("=")[::2] for each in properties.split(",")]
        shown = [re.sub("%..", lambda sign: DATA[sign[0]], each) for _, each in parts]
        named = dict(zip([key for key, _ in parts], shown, strict=True))
        found.append((name, named, re.sub("%..", lambda sign: DATA[sign[0]], message)))
    return found


@given(TEXTS, st.integers(0, 4))
@examples(60)
def test_nothing_in_an_annotation_is_a_command(text: str, number: int) -> None:
    report = report_of(f"{text}\n::add-path::/evil", number)
    finished = finished_of(FOUND, report)
    found = commands(text_of(Form.GITHUB, report))
    assert len(found) == len(finished.findings)
    for (name, properties, message), finding in zip(found, finished.findings, strict=True):
        assert name in ("error", "warning", "notice") and list(properties) == [
            "file",
            "line",
            "title",
        ]
        place = finished.anchor(finding)
        assert properties["file"] == printable(place.path, LINES)
        assert properties["line"] == str(place.line)
        assert message.startswith(printable(finished.call(finding.witness), LINES))


# ------------------------------------------------------------------------------------------ ktest


def ktest(data: bytes) -> tuple[list[bytes], list[tuple[bytes, bytes]]]:
    """Arguments and objects, after the description: KTEST, version, arguments, symArgvs,
    symArgvLen, objects; what is empty is refused, as by KLEE's own reader in C."""
    stream = io.BytesIO(data)

    def number() -> int:
        return int(struct.unpack(">I", stream.read(4))[0])

    def counted() -> bytes:
        size = number()
        assert size
        found = stream.read(size)
        assert len(found) == size
        return found

    assert stream.read(5) == b"KTEST" and number() == 3
    arguments = [counted() for _ in range(number())]
    assert (number(), number()) == (0, 0)
    objects = [(counted(), counted()) for _ in range(number())]
    assert not stream.read()
    return arguments, objects


def exported(case: TestCase, **about: Any) -> bytes:
    report = Report(old="old.c", new="new.c", name="prog", tests=[case], **about)
    return inputs.ktest(finished_of(FOUND, report), case)


@given(
    st.lists(NO_NULS, max_size=4),
    BYTES,
    st.integers(1, 4).flatmap(
        lambda size: st.lists(st.binary(min_size=size, max_size=size), max_size=3)
    ),
    st.lists(st.tuples(st.sampled_from(["x", "buffer"]), st.binary(min_size=1, max_size=5))),
)
def test_a_command_line_comes_back(
    words: list[bytes], stdin: bytes, files: list[bytes], objects: list[tuple[str, bytes]]
) -> None:
    named = tuple((chr(65 + number), data) for number, data in enumerate(files))
    test = TestInput(tuple(words), stdin, named, objects=tuple(objects))
    if test == TestInput():
        return
    arguments, found = ktest(data := exported(TestCase("t1", test)))
    assert read_ktest(data) == test
    # As KLEE's runtime asks for them: of each size that the options give.
    assert arguments[0] == b"prog"
    asked = dict(pairwise(arguments))
    sizes = {name: len(content) for name, content in found if name not in (b"x", b"buffer")}
    if words:
        place = arguments.index(b"--sym-args")
        most, longest = int(arguments[place + 2]), int(arguments[place + 3])
        assert (sizes[b"n_args"], most) == (4, len(words))
        assert all(sizes[b"arg%02d" % each] == longest + 1 for each in range(most))
    for number in range(len(files)):
        assert sizes[b"%c-data" % (65 + number)] == len(files[0])
        assert sizes[b"%c-data-stat" % (65 + number)] == 144
    if stdin:
        assert sizes[b"stdin"] == int(asked[b"--sym-stdin"]) == len(stdin)
    assert [name for name, _ in found[len(found) - len(objects) :]] == [
        name.encode() for name, _ in objects
    ]


def test_parameters_are_objects_as_they_lie_in_memory() -> None:
    def part(name: str, kind: str, size: int, **more: Any) -> Parameter:
        return Parameter(name, ParameterKind(kind), "int", size, 8 * size, **more)

    signature = EntrySignature(
        "f",
        parameters=(
            part("n", "scalar", 4, signed=True),
            part("s", "string", 1),
            part("a", "array", 2),
            part("q", "array", 4),
            part("l", "structure", 16),
            part("l->n", "scalar", 4, owner="l", offset=4),
            part("l->low", "scalar", 4, owner="l", offset=8, bits=3),
            part("l->text", "string", 1, owner="l", offset=10, room=4, embedded=True),
            part("l->next", "array", 4, owner="l", offset=0),
        ),
    )
    values = (
        *(("n", -2), ("s", b"ab"), ("a", (1, 2)), ("q", None), ("l", ()), ("l->n", 7)),
        *(("l->low", 1), ("l->text", b"xyz"), ("l->next", (5,))),
    )
    case = TestCase("t1", TestInput(parameters=values))
    assert ktest(exported(case, entry="f", signature=signature)) == (
        [b"prog"],
        [
            (b"n", b"\xfe\xff\xff\xff"),
            (b"s", b"ab\0"),
            (b"a", b"\1\0\2\0"),
            (b"l", b"\0\0\0\0\7\0\0\0\x08\0xyz\0\0\0"),
            (b"l->next", b"\5\0\0\0"),
        ],
    )


@pytest.mark.parametrize(
    ("test", "reason"),
    [
        (TestInput(), "no input"),
        (TestInput(nondet=(1,)), "widths are not recorded"),
        (TestInput(files=(("conf", b"a"),)), "other names than A"),
        (TestInput(files=(("A", b"a"), ("B", b"ab"))), "several lengths"),
        (TestInput(objects=(("x", b""),)), "is empty"),
    ],
)
def test_what_ktest_has_no_words_for_is_left_out_and_told(
    test: TestInput, reason: str, tmp_path: Path
) -> None:
    tests = [TestCase("t1", TestInput(args=(b"a",))), TestCase("t2", test)]
    out = tmp_path / "out"
    with OutputFolder(out) as folder:
        finish(folder, Report(old="old.c", new="new.c", tests=tests))
    written, (left_out,) = export_folder([out], Form.KTEST, tmp_path / "k")
    assert written == 1 and left_out.startswith("t2: ") and reason in left_out
    assert [each.name for each in (tmp_path / "k").glob("*.ktest")] == ["t1.ktest"]


# --------------------------------------------------------------------------------------- Test-Comp


def test_testcomp_follows_its_dtd(tmp_path: Path) -> None:
    program = tmp_path / "old.c"
    program.write_text(
        "int __VERIFIER_nondet_int(void);\n"
        "int main(void) { int a = __VERIFIER_nondet_int(); return a < __VERIFIER_nondet_int(); }\n"
    )
    new = tmp_path / "new.c"
    new.write_text(program.read_text().replace("a < ", "a <= "))
    done = csgtest("build", program, new, "--time=3", "--no-native", folder=tmp_path)
    assert done.code == 1, done.err
    assert (
        cli.main(
            ["export", str(tmp_path / "csgtest-out"), "--as=testcomp", "-o", str(tmp_path / "s")]
        )
        == 0
    )
    metadata = etree.parse(tmp_path / "s" / "metadata.xml")
    assert etree.DTD(io.StringIO(METADATA_DTD)).validate(metadata)
    assert (
        metadata.docinfo.public_id == "+//IDN sosy-lab.org//DTD test-format test-metadata 1.1//EN"
    )
    assert metadata.docinfo.system_url == "https://sosy-lab.org/test-format/test-metadata-1.1.dtd"
    assert metadata.findtext("programhash") == hashlib.sha256(new.read_bytes()).hexdigest()
    values = {name: metadata.findtext(name) for name in ("programfile", "entryfunction")}
    assert values == {"programfile": str(new), "entryfunction": "main"}
    differing = {each["id"]: each["input"]["nondet"] for each in done.differing}
    assert differing
    for name, nondet in differing.items():
        test = etree.parse(tmp_path / "s" / f"{name}.xml")
        assert etree.DTD(io.StringIO(TESTCASE_DTD)).validate(test)
        assert test.docinfo.public_id == "+//IDN sosy-lab.org//DTD test-format testcase 1.1//EN"
        assert test.docinfo.system_url == "https://sosy-lab.org/test-format/testcase-1.1.dtd"
        assert [int(each.text) for each in test.getroot()] == nondet


# ---------------------------------------------------------------------------------------- folders


def test_only_own_folders_are_written(tmp_path: Path) -> None:
    (tmp_path / "mine.ktest").write_text("mine")
    with pytest.raises(Exception, match="was not written by this command"):
        write_folder(tmp_path, [("a.ktest", b"a")], ["*.ktest"])
    assert [each.name for each in tmp_path.iterdir()] == ["mine.ktest"]
    own = tmp_path / "own"
    write_folder(own, [("a.ktest", b"a")], ["*.ktest"])
    (own / "notes").write_text("kept")
    write_folder(own, [("b.ktest", b"b")], ["*.ktest"])
    assert sorted(each.name for each in own.iterdir()) == [".csgtest", "b.ktest", "notes"]


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every place of a JSON value: its container and key."""
    found, waiting = [], [value]
    while waiting:
        each = waiting.pop()
        keys = list(each) if isinstance(each, dict) else list(range(len(each)))
        found += [(each, key) for key in keys]
        waiting += [each[key] for key in keys if isinstance(each[key], dict | list)]
    return found


@given(st.data())
@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_a_stranger_s_report_gives_a_message_or_a_valid_file(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], data: st.DataObject
) -> None:
    """One place of the report is another value: nothing of it becomes a traceback."""
    out = folder / "csgtest-out" / "report.json"
    before = out.read_bytes()
    value = json.loads(before)
    for each in value["tests"][2:]:
        value["tests"].remove(each)
    container, key = data.draw(st.sampled_from(places(value)))
    container[key] = data.draw(
        st.sampled_from([None, 1, -1, "x", "../x", [], {}, [1], {"a": 1}, 1.5, True, 10**400])
    )
    if isinstance(container, dict) and data.draw(st.booleans()):
        del container[key]
    form = data.draw(st.sampled_from(list(Form)))
    target = tmp_path / f"x.{form.value}"
    try:
        out.write_text(json.dumps(value))
        code = cli.main(["export", str(out.parent), "--as", form.value, "-o", str(target)])
    finally:
        out.write_bytes(before)
    said = capsys.readouterr().err
    assert code in (0, 2) and "Traceback" not in said and "internal error" not in said, said


def test_a_folder_that_is_none_of_ours_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["export", str(tmp_path), "--as", "sarif"]) == 2
    assert "no output folder of csgtest" in capsys.readouterr().err


@pytest.mark.parametrize("words", ["sarif", "sarif=", "=x", "html=x"])
def test_an_export_has_a_form_and_a_file(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        cli.main(["build", "a.c", "b.c", "--export", words])
    assert end.value.code == 2 and "write FORM=FILE" in capsys.readouterr().err


def test_paths_are_those_of_the_repository(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "src").mkdir()
    report = Report(old="old.c", new="new.c", directory=str(tmp_path / "src"))
    finished = finished_of(FOUND, report)
    assert finished.place("a b.c", 3).uri == "src/a%20b.c"
    assert finished.place("/elsewhere/a.c", 3).uri == "file:///elsewhere/a.c"


def test_copies_of_a_revision_s_files_stand_for_the_repository(tmp_path: Path) -> None:
    out = tmp_path / "csgtest-out"
    new = out / "versions" / "new"
    report = Report(old="o", new=str(new), directory=str(tmp_path))
    for folder in (out, out / "entry"):
        finished = finished_of(folder, copy.copy(report))
        assert finished.place(str(new / "src" / "a.c"), 3).path == "src/a.c"
