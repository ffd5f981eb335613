"""Where tests of a library begin, and what a difference there means for its users."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from csg.errors import UsageError
from csg.programs import Versions
from csg.unify.pairs import Readings
from symexec.campaign.building import BuildJob
from symexec.exports import export_file
from symexec.options import (
    BuildOptions,
    FailOn,
    FileOptions,
    Form,
    InputOptions,
    RevisionOptions,
    SearchOptions,
)
from symexec.progress import Silence
from symexec.projects.entries import Entry, entries_of, installed_headers
from symexec.projects.session import Session, library_of
from symexec.report.model import Report, report_from_json, report_to_json
from symexec.report.session import build
from symexec.search.registry import Aim
from tests.command_line import csgtest, write_versions
from tests.repositories import Repository

FILES = {
    "Makefile": """\
CFLAGS = -Iinclude
libtable.a: src/table.o src/cell.o
\t$(AR) cr $@ $^
""",
    "include/table.h": """\
struct table;
struct table *table_new(int width);
int table_width(const struct table *t);
int table_cell(int n);
int table_first(int n);
int table_any(int n);
""",
    "src/cell.h": "int cell(int n);\n",
    "src/cell.c": """\
#include "cell.h"
static int slot(int n)
{
    return n * 2;
}
int cell(int n)
{
    return slot(n) + 1;
}
""",
    "src/table.c": """\
#include <stdlib.h>
#include "table.h"
#include "cell.h"
struct table { int width; int *cells; };
static int bounded(int n)
{
    return n + 3;
}
struct table *table_new(int width)
{
    struct table *t = malloc(sizeof *t);
    if (t) {
        t->width = width & 15;
        t->cells = NULL;
    }
    return t;
}
int table_width(const struct table *t)
{
    if (t == NULL)
        return -1;
    return t->width;
}
int table_cell(int n)
{
    return cell(n);
}
int table_first(int n)
{
    if (n < 0 || n > 9)
        return -1;
    return bounded(n);
}
int table_any(int n)
{
    return bounded(n & 7);
}
""",
}


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    folder = tmp_path / "table"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return Repository(folder, FILES)


def built(library: Repository, *words: str) -> tuple[int, str, dict[str, Any]]:
    """Exit code, what is said, and the report of each entry."""
    done = csgtest("build", "HEAD", "--time", "6", *words, folder=library.folder)
    out = library.folder / "csgtest-out"
    found = [*out.glob("report.json"), *out.glob("*/report.json")]
    reports = [json.loads(each.read_text()) for each in found]
    return done.code, done.out, {each["entry"]: each for each in reports}


def versions(folder: Path, text: str, **more: str) -> Versions:
    """Two folders that differ in ``{0}``."""
    for side, value in (("old", 1), ("new", 2)):
        for name, content in {"a.c": text, **more}.items():
            file = folder / side / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content.replace("{0}", str(value)))
    return Versions(folder / "old", folder / "new")


def chosen(given: Versions) -> tuple[Entry, ...]:
    return entries_of(given, Readings())


def entries(found: tuple[Entry, ...]) -> list[tuple[str, str]]:
    return [(each.name, each.internal.reason if each.internal else "") for each in found]


def public(found: tuple[Entry, ...]) -> list[str]:
    return [name for name, inner in entries(found) if not inner]


BOX = "union box { int n; float f; };\nstatic int bounded(union box b)"
TEXT = """\
static int inner(int x) { return x + {0}; }
int near(int x) { return inner(x) * 2; }
int far(int x) { return near(x) + 1; }
int other(int x) { return x; }
static int alone(int x) { return x * {0}; }
"""


def test_without_a_header_whatever_is_not_static_is_public(tmp_path: Path) -> None:
    found = chosen(versions(tmp_path, TEXT))
    inner = [("alone", "alone is static (a.c:5)"), ("inner", "inner is static (a.c:1)")]
    assert entries(found) == [*inner, ("near", ""), ("far", "")]


def test_who_passes_an_inner_function_on_is_nearer_than_who_calls_through_a_pointer(
    tmp_path: Path,
) -> None:
    """Others call ``each`` with functions of their own."""
    text = "typedef int seeing(int);\nstatic int seen(int n) { return n + {0}; }\n"
    text += "int each(const int *s, seeing *f) { while (*s) if (f(*s++)) return 1; return 0; }\n"
    text += "int any(const int *s, seeing *f) { return each(s, f) & 1; }\n"
    text += "int find(const int *s) { return each(s, seen); }\n"
    text += "int where(const int *s) { return find(s) + 1; }\n"
    found = chosen(versions(tmp_path, text))
    assert public(found) == ["find", "where", "each", "any"]
    table = text.replace("each(s, seen)", "each(s, known[0])")
    table = table.replace("int each", "static seeing *known[] = {seen};\nint each")
    assert public(chosen(versions(tmp_path, table)))[0] == "each"


def test_what_a_header_declares_is_public(tmp_path: Path) -> None:
    own = '#include "a.h"\n' + TEXT
    found = chosen(versions(tmp_path, own, **{"a.h": "int far(int);\nint other(int);\n"}))
    assert public(found) == ["far"]


@pytest.mark.parametrize(
    "private", ["a_internal.h", "private/a.h", "src/a.h"], ids=["name", "folder", "beside"]
)
def test_headers_of_the_library_itself_offer_nothing(tmp_path: Path, private: str) -> None:
    own = f'#include "{private}"\n#include "include/b.h"\n' + TEXT
    found = chosen(
        versions(tmp_path, own, **{private: "int near(int);\n", "include/b.h": "int far(int);\n"})
    )
    assert public(found) == ["far"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Makefile.am", "include_HEADERS = a.h \\\n  b.h\nnoinst_HEADERS = own.h\n"),
        ("Makefile", "HEADERS = a.h b.h\nOWN = own.h\ninstall:\n\tinstall -m 644 $(HEADERS) /x\n"),
        ("Makefile", "all: own.h\ninstall:\n\tcp src/a.h b.h $(DESTDIR)/include\n"),
        ("CMakeLists.txt", 'install(FILES "${S}/a.h" b.h\n DESTINATION include)\nset(O own.h)\n'),
        (
            "CMakeLists.txt",
            "set(H a.h\n b.h)\nset_target_properties(a PUBLIC_HEADER ${H})",
        ),
        ("meson.build", "install_headers('a.h', 'b.h')\nsources = files('own.h')\n"),
        ("meson.build", "inc = files('a.h',\n 'src/b.h')\ninstall_headers(inc, subdir : 'a')\n"),
    ],
)
def test_build_files_say_which_headers_are_installed(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / name).write_text(text)
    assert installed_headers(tmp_path) == {"a.h", "b.h"}


def test_what_is_installed_is_public(tmp_path: Path) -> None:
    own = '#include "a.h"\n#include "b.h"\n' + TEXT
    given = versions(tmp_path, own, **{"a.h": "int far(int);\n"}, **{"b.h": "int near(int);\n"})
    assert public(chosen(given)) == ["near", "far"]
    assert public(entries_of(given, Readings(), frozenset({"a.h"}))) == ["far"]


def test_inner_functions_are_entries_where_no_other_reaches_the_change(tmp_path: Path) -> None:
    text = (
        'int f(int);\n#include "a.h"\nint f(int x) { return x + {0}; }\nint g(void) { return 1; }\n'
    )
    found = chosen(versions(tmp_path, text, **{"a.h": "int g(void);\n"}))
    assert entries(found) == [("f", "f is declared in no header (a.c:3)")]


def test_what_only_the_library_makes_is_no_input_of_a_caller(library: Repository) -> None:
    """A null pointer is: the difference there is a regression, as ever."""
    library.edit("include/table.h", "struct table *table_new(int width);\n", "")
    library.commit("no user can make one")
    library.edit("src/table.c", "return t->width;", "return 10 / (t->width - 7);")
    code, said, reports = built(library)
    report = reports["table_width"]
    assert report["internal"] == {"reason": "", "hidden": ["struct table"]}
    assert report["groups"]
    for group in report["groups"]:
        assert group["internal"] == {"reached": None, "unmade": True}
        assert "regression" not in group["class"]
    assert "internal-failure" in {group["class"] for group in report["groups"]}
    assert "Inner code behaves differently." in said and "regression" not in said
    assert "only the library makes a struct table\n" in said
    assert "not confirmed from the API within the bounds" in said
    assert code == 0 and report["verdict"] == "no-difference-found"
    _tell_of_it(library.folder / "csgtest-out", report)
    library.edit("src/table.c", "return -1;\n    return 10", "abort();\n    return 10")
    assert built(library, "--fail-on", "regression")[0] == 1
    report = report_from_json(json.loads(Path("csgtest-out/report.json").read_text()))
    first, *others = report.groups
    assert first.called == "regression" and all(each.internal for each in others)


POOL = """\
#include "pool.h"
typedef struct own { int n; } own;
static int used(struct own *o) { return o->n; }
static int passed(void *any) { return used(any); }
int cast(void *p, void *q) { own *o = (own *) p; return o->n + (q != 0) + {0}; }
int assigned(void *p) { struct own *o; o = p; return o->n + {0}; }
int initialised(pool p) { const struct own *o = p; return o->n + {0}; }
int given(void *p) { return passed(p) + {0}; }
"""


def test_a_function_that_only_moved_is_no_entry(tmp_path: Path) -> None:
    """Its __LINE__ is another one."""
    moved = (
        "int at(int);\n{0}int f(int x) { return at(__LINE__) + x; }\nint g(int x) { return 1{1}; }"
    )
    for side, line, body in (("old", "", ""), ("new", "\n", " + x")):
        (tmp_path / side).mkdir()
        (tmp_path / side / "a.c").write_text(moved.replace("{0}", line).replace("{1}", body))
    given = Versions(tmp_path / "old", tmp_path / "new")
    assert public(chosen(given)) == ["g"]
    (tmp_path / "new/a.c").write_text(moved.replace("{0}", "\n").replace("{1}", ""))
    assert public(chosen(given)) == ["f"]


def test_what_only_the_library_makes_may_be_behind_a_pointer_to_void(tmp_path: Path) -> None:
    """A structure that callers know of may be anything else as well, and so may bytes."""
    public = """\
typedef void *pool; struct known { int n; };
int cast(void *, void *); int assigned(void *); int initialised(pool); int given(void *);
"""
    (tmp_path / "one").mkdir()
    found = chosen(versions(tmp_path / "one", POOL, **{"pool.h": public}))
    handles = {each.name: each.internal.handles for each in found if each.internal is not None}
    assert handles == dict.fromkeys(
        ("cast", "assigned", "initialised", "given"), (("p", "struct own"),)
    )
    (tmp_path / "two").mkdir()
    known = POOL.replace("struct own { int n; }", "struct known").replace("struct own", "own")
    found = chosen(versions(tmp_path / "two", known, **{"pool.h": public}))
    assert len(found) == 4 and {each.internal for each in found} == {None}


def _tell_of_it(out: Path, form: dict[str, Any]) -> None:
    report = report_from_json(form)
    assert report_to_json(report)["groups"] == form["groups"]
    asked = (FailOn.ANY, FailOn.REGRESSION, FailOn.INTERACTION, FailOn.NEVER)
    assert [report.fails(each) for each in asked] == [False] * 4
    page = (out / "report.html").read_text()
    assert "Internal, and no regression: only the library makes a struct table" in page
    for file in (out / "tests").glob("*.txt"):
        assert "internal, only the library makes" in file.read_text().splitlines()[0]
    sarif = json.loads(export_file([out], Form.SARIF))
    results = sarif["runs"][0]["results"]
    assert {(each["ruleId"], each["level"]) for each in results} == {("CSG006", "note")}
    assert 'failures="0"' in export_file([out], Form.JUNIT)
    assert "internal" in export_file([out], Form.MARKDOWN)
    assert export_file([out], Form.GITHUB).startswith("::notice ")


def test_an_inner_difference_is_confirmed_by_an_entry_that_callers_have(
    library: Repository,
) -> None:
    """What a caller guards against is not: the other one that reaches it tells."""
    library.edit("src/table.c", "return n + 3;", "return n + 3 + (n == 5);")
    _, said, reports = built(library)
    assert reports.keys() == {"bounded", "table_first", "table_any"}
    assert reports["bounded"]["internal"]["reason"] == "bounded is static (table.c:5)"
    (group,) = reports["bounded"]["groups"]
    reached = group["internal"]["reached"]
    assert reached["entry"] in ("table_any", "table_first")
    tests = {each["id"]: each for each in reports[reached["entry"]]["tests"]}
    assert tests[reached["test"]]["observed"] == "different"
    assert all("internal" not in each for each in reports["table_any"]["groups"])
    place = library.folder / "csgtest-out/bounded"
    assert (place / reached["folder"] / "tests" / f"{reached['test']}.txt").is_file()
    assert f"reachable from API {reached['entry']} with {reached['call']}" in said
    assert f"reachable from API {reached['entry']} with" in (place / "report.html").read_text()
    assert said.index("table_any:") < said.rindex("bounded:")  # told when all is known


def test_a_failure_is_not_confirmed_by_what_fails_nowhere(library: Repository) -> None:
    """The same change shows at the public entry, but none of its callers meets the failure."""
    worse = "return n == 70 ? *(int *)0 : n + 3 + (n == 5);"
    library.edit("src/table.c", "return n + 3;", worse)
    code, said, reports = built(library, "--fail-on", "regression", "--no-preconditions")
    groups = {each["class"]: each["internal"]["reached"] for each in reports["bounded"]["groups"]}
    assert groups.keys() == {"internal-failure", "internal-difference"}
    assert groups["internal-failure"]["kind"] == "difference"
    assert "not confirmed from the API within the bounds; another class at API table_" in said
    assert "change 1: reachable from API table_" in said
    assert code == 0


def test_of_two_static_functions_of_one_name_one_is_an_entry(tmp_path: Path) -> None:
    one = "static int inner(int x) {{ return x + {{0}}; }}\nint {0}(int x) {{ return inner(x); }}\n"
    given = versions(tmp_path, one.format("f"), **{"b.c": one.format("g")})
    assert [each.name for each in chosen(given)] == ["inner", "f", "g"]


def test_an_inner_difference_that_callers_guard_against_is_not_confirmed(
    library: Repository,
) -> None:
    library.edit("src/table.c", "return n + 3;", "return n == 70 ? *(int *)0 : n + 3;")
    code, said, reports = built(library, "--fail-on", "regression", "--no-preconditions")
    (group,) = reports["bounded"]["groups"]
    assert (group["class"], group["internal"]) == (
        "internal-failure",
        {"reached": None, "unmade": False},
    )
    assert not reports["table_first"]["groups"] and not reports["table_any"]["groups"]
    assert "not confirmed from the API within the bounds" in said and "regression" not in said
    assert code == 0
    code, said, reports = built(library)  # what all callers keep to is known
    assert reports["bounded"]["verdict"] == "equivalent-within-bounds" and code == 0
    assert "0 <= n <= 9" in " ".join(said.split())


def test_what_entries_share_is_as_if_each_were_alone(tmp_path: Path) -> None:
    """One whose parameters changed is unified by itself."""
    before = """\
static int g(int a) { return a; }
int f(int x) { return g(x) + 1; }
int h(int x) { return g(x) * 2 + f(x); }
"""
    after = before.replace("g(int a)", "g(int a, int b)").replace("g(x)", "g(x, 1)")
    pair = write_versions(tmp_path, before, after.replace("return a", "return a + (a > b)"))
    readings = Readings()
    search = SearchOptions(time=1.0, deterministic=True)

    def found(entry: str, shared: Readings | None) -> list[object]:
        options = BuildOptions(*pair, inputs=InputOptions(entry), search=search, replay=False)
        job = BuildJob(options, shared)
        try:
            job.prepare()
            return [job.unified_text, *job.cases(Silence())]
        finally:
            job.close()

    for entry in ("f", "h", "f"):
        alone = found(entry, None)
        assert found(entry, readings) == alone and len(alone) > 1
    unified = readings.unify(Versions(tmp_path / "old.c", tmp_path / "new.c").pairs(), "f")
    assert readings.unify(Versions(tmp_path / "old.c", tmp_path / "new.c").pairs(), "h") is unified
    with pytest.raises(UsageError, match="the parameters or the result of 'g' differ"):
        found("g", readings)


def test_the_search_from_a_public_entry_begins_at_the_changes_that_nothing_confirms(
    library: Repository, tmp_path: Path
) -> None:
    """A change nearer by is not what is looked for first."""
    library.edit("src/table.c", "return n + 3;", "return n == 70 ? 1 : n + 3;")
    library.edit("src/table.c", "return bounded(n);", "return bounded(n + 1) - 1;")
    search = SearchOptions(time=8.0)
    asked = FileOptions(revision=RevisionOptions("HEAD"))
    empty = Path()
    inputs = InputOptions(inferred=False)  # else callers' guards are known where it is alone
    options = BuildOptions(
        empty, empty, inputs=inputs, search=search, out=tmp_path / "out", files=asked
    )
    session = Session(options, quiet=True)
    looked_for = {}
    for run in session.calls():
        run.report = build(run.options, Silence(), run.subject.readings)
        looked_for[run.options.inputs.entry] = {each.new for each in run.options.wanted}
    assert looked_for["bounded"] == set()
    assert looked_for["table_first"] == {"return n == 70 ? 1: n + 3"}
    by_entry = {each.options.inputs.entry: each.options for each in session.runs}
    job = BuildJob(by_entry["table_first"])
    try:
        job.prepare()
        prepared = job.prepared
        assert prepared is not None
        targets = prepared.targets(Aim.SEQUENCES, job.options.wanted)
        places = [prepared.program.nodes[each].location.line for each in targets.start]
        assert places == [7] and targets.start != prepared.targets(Aim.SEQUENCES).start
    finally:
        job.close()


def test_a_public_function_that_no_test_can_call_is_left_to_others(library: Repository) -> None:
    """Where no other reaches the change, that is the trouble."""
    taken = "union box { int n; float f; };\nint table_box(union box b);\nint table_any(int n);"
    library.edit("include/table.h", "int table_any(int n);", taken)
    file, box = "src/table.c", "int table_box(union box b)\n{\n    return cell(b.n) & 1;\n}\n"
    library.edit(file, "int table_any(int n)", box + "int table_any(int n)")
    library.commit("box")
    library.edit("src/cell.c", "n * 2", "n * 4")
    words = ("build", "HEAD", "--time", "8", "--stop-after", "1")
    done = csgtest(*words, folder=library.folder)
    assert done.code == 1 and "table_cell:" in done.out
    assert "  not tested by itself: 'b' has a type that tests cannot set" in done.out
    library.edit("src/cell.c", "n * 4", "n * 2")
    library.edit(file, "cell(b.n) & 1", "cell(b.n) & 3")
    done = csgtest(*words, folder=library.folder)
    assert done.code == 2 and "error: 'b' has a type that tests cannot set" in done.err


def test_an_inner_function_that_no_test_can_call_is_left_to_its_callers(
    library: Repository,
) -> None:
    file = "src/table.c"
    library.edit(file, "static int bounded(int n)", BOX)
    library.edit(file, "return n + 3;", "return b.n + 3;")
    library.edit(file, "bounded(n);", "bounded((union box){n});")
    library.edit(file, "bounded(n & 7);", "bounded((union box){n & 7});")
    library.commit("union")
    library.edit(file, "return b.n + 3;", "return b.n + 3 + (b.n == 5);")
    done = csgtest("build", "HEAD", "--time", "4", folder=library.folder)
    assert done.code == 1 and "  not tested by itself: " in done.out
    assert "table_any:" in done.out and "internal" not in done.out
    library.edit(file, "(b.n == 5)", "0")
    assert csgtest("build", "HEAD", "--time", "4", folder=library.folder).code == 0


def test_others_stand_in_for_entries_that_no_test_can_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which leave them their time."""
    monkeypatch.chdir(tmp_path)
    inner = [f"static int inner{n}(int a) {{ return a + {n}; }}\n" for n in range(3)]
    calls = " + ".join(f"inner{n}(a)" for n in range(3))
    text = "".join(inner) + f"int both(int a) {{ return {calls}; }}\n"
    text += "int two(int a) { return both(a); }\nint three(int a) { return two(a); }\n"
    changed = text.replace("return a +", "return 1 + a +")
    options = BuildOptions(
        *write_versions(tmp_path, text, changed),
        search=SearchOptions(time=40),
        out=tmp_path / "out",
    )
    library = library_of(options)
    shares, names = [], []
    for run in Session(options, True, library).calls() if library else ():
        names.append(run.options.inputs.entry)
        shares.append(run.options.search.time)
        if run.options.inputs.entry != "inner1":  # it is refused
            run.report = Report("old.c", "new.c")
    assert names == ["inner0", "inner1", "both", "two", "three"]
    assert shares == [10, 10, 10, 10, 10]


def test_entries_of_two_folders_are_chosen(tmp_path: Path) -> None:
    """As those of a library of a repository, with include folders that are found."""
    for side, text in (("old", "return n + 3;"), ("new", "return n + 3 + (n == 5);")):
        for name, content in FILES.items():
            file = tmp_path / side / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content.replace("return n + 3;", text))
    for words in ((), ("--entry", "auto")):
        done = csgtest("build", "old", "new", "--time", "8", *words, folder=tmp_path)
        found = {
            each.parent.name: each for each in (tmp_path / "csgtest-out").glob("*/report.json")
        }
        assert found.keys() == {"bounded", "table_first", "table_any"}, done
        (group,) = json.loads(found["bounded"].read_text())["groups"]
        assert group["internal"]["reached"]["entry"] in ("table_any", "table_first")
        assert done.code == 1 and "new, table_any:" in done.out
    one = csgtest("build", "old", "new", "--entry", "table_cell", "--time", "2", folder=tmp_path)
    assert (one.code, one.report["entry"]) == (0, "table_cell")


def test_entries_of_two_files_are_chosen(tmp_path: Path) -> None:
    text = "int f(int x) { return x > {0}; }\nint g(int x) { return f(x + 1); }\n"
    write_versions(tmp_path, text.replace("{0}", "3"), text.replace("{0}", "4"))
    done = csgtest("build", "old.c", "new.c", "--time", "6", folder=tmp_path)
    assert done.code == 1 and "new.c, f:" in done.out and "new.c, g:" in done.out
    described = csgtest("build", "old.c", "new.c", "--range", "x=0..9", folder=tmp_path)
    assert described.code == 2 and "choose one with --entry: f, g" in described.err
    program = text + "int main(int c, char **v) { return f(c) + (v[0] == 0); }"
    write_versions(tmp_path, program.replace("{0}", "3"), program.replace("{0}", "2"))
    done = csgtest("build", "old.c", "new.c", "--time", "3", "--entry", "auto", folder=tmp_path)
    assert done.report["entry"] == "main"


RING = """\
#include "ring.h"
MADE
int ring_put(struct ring *r, int n)
{
    if (r->used ASKS 4)
        return -1;
    r->items[r->used++] = n;
    return 0;
}
"""
MAKERS = {
    "it returns one": ("struct ring *ring_new(void)", "static struct ring r; return &r;", True),
    "it sets a pointer to one": (
        "int ring_open(struct ring **to)",
        "static struct ring r; *to = &r; return 0;",
        True,
    ),
    "nothing": ("int ring_most(void)", "return 4;", False),
}


@pytest.mark.parametrize("maker", MAKERS)
def test_an_object_that_a_public_function_makes_is_not_laid_out_by_callers(
    maker: str, tmp_path: Path
) -> None:
    """``used`` is never more than 4, unless a test says so."""
    head, body, internal = MAKERS[maker]
    header = "struct ring {{ int used, items[4]; }};\n{};\nint ring_put(struct ring *r, int n);\n"
    text = RING.replace("MADE", f"{head} {{ {body} }}")
    for side, asks in (("old", ">="), ("new", "==")):
        folder = tmp_path / side
        folder.mkdir()
        (folder / "ring.h").write_text(header.format(head))
        (folder / "ring.c").write_text(text.replace("ASKS", asks))
    done = csgtest("build", "old", "new", "--entry", "auto", "--time", "10", folder=tmp_path)
    reports = [json.loads(each.read_text()) for each in tmp_path.rglob("report.json")]
    verdicts = {each["verdict"] for each in reports}
    assert ("different" in verdicts) is not internal and done.code == int(not internal), done.out
    assert internal is ("only the library makes a struct ring" in done.out)


TABLE = """\
static const int depths[] = {{0}, 7};
static const int *const tables[] = { depths };
int copied(int i) { return depths[i & 1]; }
int through(int i) { return *tables[0] + i; }
int calls(int i) { return copied(i) + 1; }
int other(int x) { return x; }
"""


def test_functions_that_use_a_changed_table_are_entries(tmp_path: Path) -> None:
    found = public(chosen(versions(tmp_path, TABLE)))
    assert found[:2] == ["copied", "through"] and "calls" in found and "other" not in found


def test_a_changed_table_that_no_function_uses_gives_no_entry(tmp_path: Path) -> None:
    text = "const int depths[] = {{0}, 7};\nint other(int x) { return x; }\n"
    assert chosen(versions(tmp_path, text)) == ()
