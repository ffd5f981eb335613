"""A search that takes long looks beyond the bounds, where the user has set none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import Done, csgtest, differing, until

DEEP = r"""
#include <stdio.h>
int main(int argc, char **argv)
{
    int c, n = 0, marks = 0;
    for (int i = 1; i < argc; i++)
        for (char *p = argv[i]; *p; p++)
            marks += *p == 'x' ? 1 : *p == 'y' ? 2 : 3;
    FILE *in = OPENED;
    if (in == NULL)
        return 1;
    while ((c = getc(in)) == "<!--x>"[n])
        n++;
    if (n == 6)
        printf("%s %d\n", "MARK", marks);
    return 0;
}
"""
BROAD = r"""
#include <stdio.h>
int main(void)
{
    int c, sum = 0;
    while ((c = getchar()) != EOF) {
        switch (c) {
        case 'a': sum += 1; break;
        case 'b': sum += 5; break;
        case 'c': sum ^= 3; break;
        case 'd': sum *= 7; break;
        case 'e': sum -= 9; break;
        default: sum++;
        }
    }
    printf("%d\n", TWICE);
    return 0;
}
"""


def written(folder: Path, text: str, old: str, new: str) -> tuple[str, ...]:
    """What to ask for; the versions are there."""
    for name, value in (("old.c", old), ("new.c", new)):
        (folder / name).write_text(text.replace("MARK", value).replace("TWICE", value))
    return ("build", "old.c", "new.c", "--no-native", "--without", "usage")


def built(folder: Path, text: str, old: str, new: str, *words: str) -> Done:
    return csgtest(*written(folder, text, old, new), *words, folder=folder)


@pytest.mark.parametrize("opened", ["stdin", 'argc == 2 ? fopen(argv[1], "r") : NULL'])
def test_more_is_read_than_the_bounds_allow(opened: str, tmp_path: Path) -> None:
    words = written(tmp_path, DEEP.replace("OPENED", opened), "one", "two")
    done = until(differing, *words, "--time", "60", folder=tmp_path)
    assert done.report["verdict"] == "different", done
    for test in done.differing:
        given = test["input"]
        assert "<!--x>" in (given["stdin"][:6], *(data[:6] for data in given["files"].values()))
        assert max(len(given["stdin"]), *map(len, given["files"].values()), 0) <= 12
    assert done.report["counters"]["mispredicted"] == 0


def test_bounds_of_the_user_hold(tmp_path: Path) -> None:
    text = DEEP.replace("OPENED", "stdin")
    done = built(tmp_path, text, "one", "two", "--sym-args", "0", "4", "6", "--time", "4")
    assert done.code == 0, done


def test_what_lies_beyond_does_not_keep_the_bounds_from_being_exhausted(tmp_path: Path) -> None:
    """Which is known long before the time is over; only a run that has ended says "equivalent"."""
    words = (*written(tmp_path, BROAD, "2 * sum", "sum + sum"), "--time", "60")
    done = until(lambda report: report["counters"].get("exhausted"), *words, folder=tmp_path)
    assert [each["reason"] for each in done.report["omissions"]] == ["unfinished"], done
    assert done.report["counters"]["states"] > 1000


GROWN = {
    "arguments": ("int main(int argc, char **argv)\n{ return argc == 7 ? VALUE : 0; }", ()),
    "length of an argument": (
        "#include <string.h>\nint main(int argc, char **argv)\n"
        "{ return argc == 2 && strlen(argv[1]) == 30 ? VALUE : 0; }",
        (),
    ),
    "strings": ("#include <string.h>\nint f(char *s) { return strlen(s) == 30 ? VALUE : 0; }", ()),
    "elements of a list": (
        "struct l { int n; struct l *next; };\nint f(struct l *l)\n"
        "{ int n = 0; for (; l; l = l->next) n++; return n == 6 ? VALUE : n; }",
        (),
    ),
    "elements of a list, linked both ways": (
        "struct l { struct l *before, *next; char *name; };\nint f(struct l *l)\n"
        "{ int n = 0; for (; l; l = l->next) n++; return n == 13 ? VALUE : n; }",
        (),
    ),
    "elements of a list of lists": (
        "struct l { int n; struct l *next; };\nstruct h { struct h *other; struct l *first; };\n"
        "int f(struct h *h)\n{ int n = 0; if (!h->other) return 0;\n"
        "  for (struct l *l = h->other->first; l; l = l->next) n += l->n == 1;\n"
        "  return n == 5 ? VALUE : n; }",
        (),
    ),
    "depth of a tree": (
        "struct t { int key; struct t *left, *right; };\nint f(struct t *t)\n"
        "{ if (!t) return 0; int l = f(t->left), r = f(t->right);\n"
        "  int d = 1 + (l > r ? l : r); return d == 5 ? VALUE + 4 : d; }",
        (),
    ),
    "what sorting leaves of five elements": (
        "#include <stddef.h>\nstruct l { int n; struct l *next; };\nvoid f(struct l *l)\n"
        "{ struct l *sorted = NULL; int count = 0;\n  while (l) {\n"
        "    struct l *next = l->next, **at = &sorted; count++;\n"
        "    while (*at && (*at)->n < l->n && (count != 5 || VALUE == 3)) at = &(*at)->next;\n"
        "    l->next = *at; *at = l; l = next; } }",
        (),
    ),
    "a returned list": (
        "#include <stdlib.h>\nstruct l { int n; struct l *next; };\n"
        "struct l *f(const struct l *l)\n{ struct l *first = NULL, **end = &first; int k = 0;\n"
        "  for (; l; l = l->next) { struct l *made = malloc(sizeof *made);\n"
        "    if (!made) return first; made->n = k++ == 5 ? VALUE : 0; made->next = NULL;\n"
        "    *end = made; end = &made->next; } return first; }",
        (),
    ),
}


@pytest.mark.parametrize("kind", GROWN)
def test_inputs_grow_until_a_difference_is_found(kind: str, tmp_path: Path) -> None:
    text, more = GROWN[kind]
    words = (*written(tmp_path, text.replace("VALUE", "TWICE"), "3", "4"), "--time", "60", *more)
    done = until(differing, *words, folder=tmp_path)
    assert done.report["verdict"] == "different", done


def test_the_verdict_says_the_largest_level_that_is_complete(tmp_path: Path) -> None:
    text = "#include <string.h>\nint f(const char *s) { return (int) strlen(s) * TWICE; }"
    done = built(tmp_path, text, "8", "2 * 4", "--time", "30")
    assert done.out.startswith("Equivalent for strings of up to 64 bytes: "), done
    assert "bytes to read" not in done.out and "Beyond" not in done.out
    assert [each["array_length"] for each in done.report["bounds"]["deeper"]] == [8, 16, 32, 64]
    page = (tmp_path / "csgtest-out" / "report.html").read_text()
    assert "Equivalent for strings of up to 64 bytes" in page


LIST = """
struct list { int n; struct list *next; };
int f(struct list *l)
{
    int n = 0;
    for (; l; l = l->next)
        n += TWICE;
    return n;
}
"""


def test_the_verdict_says_how_deep_structures_were_followed(tmp_path: Path) -> None:
    done = built(tmp_path, LIST, "2", "4 / 2", "--time", "60")
    told = "Equivalent for structures without cycles up to 15 pointers deep: "
    assert done.out.startswith(told), done
    deeper = done.report["bounds"]["deeper"]
    assert [each["structure_depth"] for each in deeper] == [7, 15]
    assert all(each["complete"] for each in deeper)


def test_structures_that_lead_to_no_others_do_not_grow(tmp_path: Path) -> None:
    text = "struct s { int n; };\nint f(struct s *s) { return TWICE; }"
    done = built(tmp_path, text, "s->n * 2", "s->n + s->n", "--time", "30")
    assert done.code == 0 and "deeper" not in done.report["bounds"], done


def test_a_level_that_is_not_complete_is_not_claimed(tmp_path: Path) -> None:
    text = "int f(const char *s)\n{ int n = 0; for (; *s; s++) n = n * (*s == 'a' ? TWICE : 3);"
    done = built(tmp_path, text + " return n; }", "2", "8 / 4", "--time", "4")
    whole = [each["array_length"] for each in done.report["bounds"]["deeper"] if each["complete"]]
    assert 64 not in whole
    assert f"Equivalent for strings of up to {max(whole, default=4)} bytes" in done.out, done
    assert "Beyond the bounds, strings of up to" in done.out


BOTH = """
#include <string.h>
int f(const char *s, int k)
{
    if (k == 77)
        return MARK;
    return strlen(s) == 7 ? TWICE : 0;
}
"""


def test_levels_go_on_while_a_change_has_no_difference(tmp_path: Path) -> None:
    """And end where each has one, long before the time is over."""
    text = BOTH.replace("MARK", "TWICE + 1")
    done = built(tmp_path, text, "3", "4", "--time", "90")
    blamed = {change for test in done.differing for change in test["blamed"]}
    assert blamed == {1, 2}, done
    assert done.report["counters"]["wall_s"] < 60


def test_levels_end_where_as_many_differ_as_were_asked_for(tmp_path: Path) -> None:
    text = BOTH.replace("MARK", "TWICE + 1")
    done = built(tmp_path, text, "3", "4", "--time", "90", "--stop-after", "1")
    assert done.differing and "deeper" not in done.report["bounds"]


ENDLESS = """\
int f(const char *s, unsigned times)
{
    int sum = 0;
    for (unsigned i = 0; i < times; i++)
        sum += s[i % 4] > (int)(i * 3) ? 2 : s[(i + 1) % 4] == 7 ? 3 : 5;
    return s[0] > 1 ? MARK : sum;
}
"""


@pytest.mark.night
def test_a_search_that_takes_all_the_time_leaves_some_for_what_was_found(tmp_path: Path) -> None:
    """The tests that wait then are replayed, and the witness is one that can be read."""
    asked = written(tmp_path, ENDLESS, "sum", "sum + 1")
    done = csgtest(*asked, "--entry", "f", "--time", "12", folder=tmp_path)
    assert "not all paths were followed" in done.out
    (row,) = (line for line in done.out.splitlines() if line.startswith("difference"))
    assert row.split()[:2] == ["difference", "1"] and 'f("a", 0)' in row
