"""Inputs that grow by what they cover, and what becomes of them on their way to the program."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from csg.frontend import parse_text
from symexec.campaign.building import BuildJob
from symexec.fuzzing import growing as growing_module
from symexec.fuzzing.candidates import FunctionDomain
from symexec.fuzzing.growing import Flag, FunctionInputs, Growing, Inputs, LineInputs
from symexec.fuzzing.option_table import vocabulary
from symexec.options import BuildOptions, InputOptions, SymbolicArguments, SymbolicFiles
from symexec.replay import COVERED
from symexec.testcases import TestInput, signature_of
from tests.command_line import write_versions
from tests.nightly import nightly


@contextmanager
def prepared(folder: Path, text: str, entry: str | None = None) -> Iterator[BuildJob]:
    files = write_versions(folder, text.replace("CHANGED", "1"), text.replace("CHANGED", "2"))
    inputs = InputOptions(entry=entry)
    job = BuildJob(BuildOptions(*files, inputs=inputs))
    try:
        job.prepare()
        yield job
    finally:
        job.close()


def differing(
    job: BuildJob, inputs: Inputs, begin: list[TestInput], words: list[bytes]
) -> TestInput:
    """The first input that is seen to differ."""
    assert job.replay is not None
    job.replay.wait("touch", COVERED)
    growing = Growing(job.replay, inputs, words, seed=1)
    growing.give(begin)
    deadline = time.monotonic() + 300  # of a busy machine; mostly it takes a second or two
    while time.monotonic() < deadline:
        for test, flags in growing.turn(0.5):
            if Flag.DIFFERS in flags:
                assert growing.runs > 0 and not growing.failure
                return test
        assert not growing.failure
    raise AssertionError(f"nothing in {growing.runs} runs")


def function_inputs(job: BuildJob) -> FunctionInputs:
    assert job.prepared is not None and job.signature is not None
    words, _ = job.prepared.vocabulary_and_usage()
    return FunctionInputs(
        FunctionDomain(job.signature, words, job.options.inputs), job.options.inputs
    )


# ------------------------------------------------------------------ what becomes of values


def test_values_come_back_as_they_were() -> None:
    unit = parse_text(
        """
        struct list { int n; char name[6]; struct list *next; };
        int f(const char *s, unsigned char *b, short *a, double d, struct list *l, _Bool y)
        { return !l || !l->next; }
        """
    )
    domain = FunctionDomain(signature_of(unit.functions[0]), vocabulary(unit), InputOptions())
    inputs = FunctionInputs(domain, InputOptions())
    seen = 0
    for seen, test in enumerate(domain.enumerated()):
        values = inputs.values(test)
        assert values is not None
        assert inputs.test(values) == test
        if seen == 200:
            break
    assert seen == 200


@pytest.mark.parametrize(
    "test",
    [
        TestInput(),
        TestInput(args=(b"-a", b"b"), stdin=b"a\0b"),
        TestInput(args=(b"x",), files=(("A", b"\n"),)),
    ],
)
def test_so_do_command_lines(test: TestInput) -> None:
    inputs = LineInputs(InputOptions(), True, [b"A"])
    values = inputs.values(test)
    assert values is not None and inputs.test(values) == test


def test_bounds_of_the_user_are_those_of_the_fields() -> None:
    asked = InputOptions(arguments=SymbolicArguments(0, 1, 3), stdin=2)
    inputs = LineInputs(asked, True, [])
    assert [each.most for each in inputs.fields] == [3, 2]
    assert inputs.values(TestInput(args=(b"a", b"b"))) is None


# ------------------------------------------------------------------ what they grow to

NESTED = """
#include <string.h>
static int value(const char **s)
{
    int sum = 0;
    if (strncmp(*s, "list<", 5))
        return **s == 'v' ? (*s)++, 1 : -1000;
    *s += 5;
    while (**s && **s != '>' && sum >= 0) {
        sum += value(s);
        if (**s == ';')
            (*s)++;
    }
    if (**s != '>')
        return -1000;
    (*s)++;
    return sum;
}
int f(const char *s)
{
    int found = *s == 'v' ? -1 : value(&s);
    if (found < 0 || strncmp(s, "!end", 4))
        return 0;
    return found == 3 ? CHANGED : 0;
}
"""


def test_a_text_grows_word_by_word(tmp_path: Path) -> None:
    """As many runs on each machine: with this seed a few thousand."""
    with prepared(tmp_path, NESTED, "f") as job:
        growing = grown(job, [b""], [], seed=2)
        while growing.runs < 200_000:
            for test, flags in growing.turn(PATIENCE, 2000):
                if Flag.DIFFERS in flags:
                    assert text_of(test).partition(b">!end")[0].count(b"v") == 3
                    return
        raise AssertionError("not found")


MAGIC = """
#include <stdio.h>
int main(void)
{
    char name[64] = "";
    unsigned number = 0;
    if (fread(&number, 4, 1, stdin) != 1 || number != 0x7f454c46)
        return 1;
    if (scanf("%63[a-z]=%u", name, &number) != 2)
        return 1;
    if (number == 48151)
        printf("%d\\n", CHANGED);
    return 0;
}
"""


def test_standard_input_grows_by_what_it_is_compared_with(tmp_path: Path) -> None:
    with prepared(tmp_path, MAGIC) as job:
        inputs = LineInputs(InputOptions(), False, [])
        test = differing(job, inputs, [TestInput(stdin=b"abcd")], [b"=", b"a=1"])
        assert test.stdin.startswith(b"FLE\x7f") and b"=48151" in test.stdin


ENDLESS = """
int f(const unsigned char *s, unsigned n)
{
    int sum = 0, found = 0;
    for (unsigned at = 0; at < n; at++) {
        sum += s[at];
        found |= s[at] == 200;
    }
    while (found && CHANGED == 2)
        ;
    return sum;
}
"""


def test_a_run_without_end_is_one_that_differs(tmp_path: Path) -> None:
    with prepared(tmp_path, ENDLESS, "f") as job:
        begin = [TestInput(parameters=(("s", b"abc"), ("n", 3)))]
        inputs = function_inputs(job)
        assert [each.size_of for each in inputs.fields] == [None, (0, 1)]
        test = differing(job, inputs, begin, [])
        given = dict(test.parameters)
        assert given["n"] <= len(given["s"]) + 1  # type: ignore[operator, arg-type]
        assert b"\xc8" in dict(test.parameters)["s"]  # type: ignore[operator]


def test_a_program_that_does_not_run_is_told(tmp_path: Path) -> None:
    text = "int main(void) { return CHANGED; }\n__attribute__((constructor(99))) void end(void)"
    text += (
        '{ extern char *getenv(const char *); extern void _exit(int); if (getenv("CSGTEST_GROW"))'
    )
    text += " _exit(3); }\n"
    with prepared(tmp_path, text) as job:
        assert job.replay is not None
        job.replay.wait("touch", COVERED)
        growing = Growing(job.replay, LineInputs(InputOptions(), False, []), [], 0)
        growing.give([TestInput(stdin=b"a")])
        assert growing.turn(0.2) == [] and growing.failure


HEAD = """
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
"""
DEAF = "sigset_t all; sigfillset(&all); sigprocmask(SIG_SETMASK, &all, NULL);"
ALIKE = [  # what both versions do in the same way, whatever a run before them has left
    'puts(argc > 1 ? argv[1] : ""); if (argc > 1) memset(argv[1], 0, strlen(argv[1]));',
    'FILE *made = fopen("made", "r"); puts(made ? "again" : "first"); fopen("made", "w");',
    'if (fork() == 0) { usleep(30000); puts("late"); fflush(stdout); }',
    'if (fork() == 0) { setsid(); usleep(30000); puts("late"); fflush(stdout); }',
    f"{DEAF} if (getchar() == 'h') for (;;) pause();",
    f"{DEAF} if (getchar() == 'h') for (;;) argc++;",
    "if (getchar() == 'h') for (;;) fork();",
]


@pytest.mark.parametrize("body", nightly(ALIKE, [*ALIKE[3:5], *ALIKE[-1:]]))
def test_no_run_shows_what_another_one_did(tmp_path: Path, body: str) -> None:
    """Nothing lives on, and a run that heeds no signal ends all the same."""
    text = HEAD + "int main(int argc, char **argv) { int n = CHANGED; BODY return n > 5; }"
    with prepared(tmp_path, text.replace("BODY", body)) as job:
        assert job.replay is not None
        job.replay.wait("touch", COVERED)
        growing = Growing(job.replay, LineInputs(InputOptions(), True, []), [b"h", b"q"], 0)
        growing.give([TestInput(args=(b"key",), stdin=b"a"), TestInput(stdin=b"h")])
        found = [each for _ in range(3) for each in growing.turn(0.5)]
        assert growing.runs > 4 and not growing.failure
        assert found and not [test for test, flags in found if Flag.DIFFERS in flags]


def test_arguments_are_those_that_were_given(tmp_path: Path) -> None:
    text = HEAD + "int main(int argc, char **argv)"
    text += '{ return argc == 2 && !strcmp(argv[1], "key") ? CHANGED : 0; }'
    with prepared(tmp_path, text) as job:
        assert job.replay is not None
        job.replay.wait("touch", COVERED)
        growing = Growing(job.replay, LineInputs(InputOptions(), True, []), [], 0)
        growing.give([TestInput(args=(b"key",))])
        (given, flags), *_ = growing.turn(0.5)
        assert given.args == (b"key",) and Flag.DIFFERS in flags


def test_there_are_as_many_arguments_as_were_asked_for(tmp_path: Path) -> None:
    inputs = LineInputs(InputOptions(arguments=SymbolicArguments(1, 2, 3)), True, [])
    assert [each.nullable for each in inputs.fields] == [False, True, False]
    assert inputs.values(TestInput()) is None
    text = HEAD + "int main(int argc, char **argv) { return argc + CHANGED; }"
    with prepared(tmp_path, text) as job:
        assert job.replay is not None
        job.replay.wait("touch", COVERED)
        growing = Growing(job.replay, inputs, [b"h", b"q"], 0)
        growing.give([TestInput(), TestInput(args=(b"a",))])
        growing.give_texts([b"bc"])
        found = [test for _ in range(3) for test, _ in growing.turn(PATIENCE, 300)]
        assert {len(each.args) for each in found} == {1, 2}


def test_a_file_is_grown_where_something_can_say_its_name() -> None:
    assert len(LineInputs(InputOptions(), False, [b"A"]).fields) == 1
    asked = InputOptions(stdin=4, files=SymbolicFiles(1, 4))
    assert len(LineInputs(asked, False, [b"A"]).fields) == 2


# ------------------------------------------------------------------ what is news, and what is tried

PATIENCE = 300.0  # seconds that a turn may take: runs end it


def text_of(test: TestInput) -> bytes:
    ((_, text),) = test.parameters
    assert isinstance(text, bytes)
    return text


def grown(job: BuildJob, given: list[bytes], words: list[bytes], seed: int = 1) -> Growing:
    assert job.replay is not None
    job.replay.wait("touch", COVERED)
    growing = Growing(job.replay, function_inputs(job), words, seed)
    growing.give(TestInput(parameters=(("s", text),)) for text in given)
    return growing


LISTS = """
static int list(const char **s)
{
    int sum = 0;
    for (; **s && **s != ')'; (*s)++) {
        if (**s == '(') {
            ++*s;
            sum += list(s);
        }
        sum += **s == 'x';
    }
    return sum;
}
int f(const char *s) { return list(&s) == 77 ? CHANGED : 0; }
"""


def test_calls_that_nest_more_deeply_are_news(tmp_path: Path) -> None:
    """What one level comes to in many calls is none; where levels are many, they count as one."""
    deep = [b"(" * level + b"x" + b")" * level for level in (1, 2, 3, 10, 40, 80)]
    given = [deep[0], b"(x)" * 40, *deep[1:]]
    with prepared(tmp_path, LISTS, "f") as job:
        growing = grown(job, given, [])
        found = {text_of(test): flags for test, flags in growing.turn(PATIENCE, len(given))}
        deeper = [text for text in given if Flag.DEEPER in found.get(text, Flag(0))]
        assert deeper == deep[:4] and growing.runs == len(given)


BLOCKS = """
static const char *at;
static int block(int depth, int *total)
{
    for (;;) {
        if (*at == 'b' && at[1] == '{') {
            at += 2;
            if (depth == 5 || !block(depth + 1, total))
                return 0;
        } else if (*at == 'w' && at[1] == '=') {
            at += 2;
            if (*at < '0' || *at > '9')
                return 0;
            if (depth >= 2 + CHANGED)
                *total += *at - '0';
            *total += 10 * (*at++ - '0');
            if (*at++ != ';')
                return 0;
        } else if (*at == '}' && depth > 0) {
            at++;
            return 1;
        } else {
            return *at == 0 && depth == 0;
        }
    }
}
int f(const char *s)
{
    int total = 0;
    at = s;
    return block(0, &total) ? total : -1;
}
"""


def test_inputs_on_which_the_versions_part_are_marked(tmp_path: Path) -> None:
    """Also where nothing shows it: the condition of a change holds in one version alone."""
    nested = [b"b{" * depth + b"w=4" for depth in range(6)]
    with prepared(tmp_path, BLOCKS, "f") as job:
        growing = grown(job, nested, [])
        found = {text_of(test): flags for test, flags in growing.turn(PATIENCE, 2 * len(nested))}
    parting = [text for text, flags in found.items() if Flag.PARTS in flags]
    assert parting == [nested[3]]  # the first version from there on, the second one level later
    assert Flag.DIFFERS not in found[nested[3]] and Flag.TOUCHES in found[nested[4]]


def test_where_the_versions_part_the_input_is_brought_to_its_end(tmp_path: Path) -> None:
    """Without a preference for such inputs 60,000 runs show nothing, whatever the seed."""
    with prepared(tmp_path, BLOCKS, "f") as job:
        growing = grown(job, [b""], [b"b", b"w", b"=", b"{", b"}", b";", b"0", b"1"], seed=2)
        shown: list[bytes] = []
        while growing.runs < 30_000 and not shown:
            turn = growing.turn(PATIENCE, 500)
            shown = [text_of(test) for test, flags in turn if Flag.DIFFERS in flags]
            assert not growing.failure
        assert shown, growing.runs


SENTENCE = """
#include <ctype.h>
#include <string.h>
static const char *rest;
static int is(const char *wanted)
{
    size_t size = 0;
    while (*rest == ' ')
        rest++;
    while (isalnum((unsigned char) rest[size]))
        size++;
    int same = size == strlen(wanted) && !memcmp(rest, wanted, size);
    rest += size;
    return same;
}
int f(const char *s)
{
    rest = s;
    return is("set") && is("mode") && is("fast") ? CHANGED : 0;
}
"""


@pytest.mark.parametrize("most", [40, 2000])
def test_words_are_put_behind_words_and_apart_from_them(tmp_path: Path, most: int) -> None:
    """What a turn has no time for is tried in the next one."""
    others = [b"w%d" % number for number in range(60)]
    with prepared(tmp_path, SENTENCE, "f") as job:
        growing = grown(job, [b"set"], [*others, b"fast", b"mode"])
        while growing.runs < 4000:
            for test, flags in growing.turn(PATIENCE, most):
                if Flag.DIFFERS in flags:
                    assert text_of(test).split() == [b"set", b"mode", b"fast"]
                    return
        raise AssertionError("not found")


CLOSED = r"""
#include <string.h>
int f(const char *s)
{
    unsigned sum = 0; /* nothing to be seen in comparisons */
    if (strncmp(s, "{ [a(<\"}>", 9))
        return 0;
    for (s += 9; *s; s++)
        sum = 31 * sum + *s;
    return sum == 33289165u ? CHANGED : 0;
}
"""


def test_open_brackets_and_quotations_are_closed(tmp_path: Path) -> None:
    with prepared(tmp_path, CLOSED, "f") as job:
        growing = grown(job, [b'{ [a(<"}>'], [])
        found = growing.turn(PATIENCE, 1500)
        assert [text_of(test) for test, flags in found if Flag.DIFFERS in flags]


def test_so_many_runs_bring_the_same_each_time(tmp_path: Path) -> None:
    with prepared(tmp_path, NESTED, "f") as job:
        both = [grown(job, [b"", b"v"], []) for _ in range(2)]
        first, second = ([each.turn(PATIENCE, 300) for _ in range(3)] for each in both)
        assert first == second and any(first)


def test_a_new_population_has_its_turn_and_tells_of_changes_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It reaches the same code again, from what was given to the first one."""
    monkeypatch.setattr(growing_module, "GENERATION", 400)
    text = HEAD + "int main(int argc, char **argv)"
    text += '{ return argc == 2 && !strcmp(argv[1], "a") ? 7 : argc > 2 ? CHANGED : argc; }'
    with prepared(tmp_path, text) as job:
        assert job.replay is not None
        job.replay.wait("touch", COVERED)
        growing = Growing(job.replay, LineInputs(InputOptions(), False, []), [b"h"], 0)
        growing.give([TestInput(stdin=b"a")])
        told = [growing.turn(PATIENCE, 200) for _ in range(8)]
        assert [bool(each) for each in told] == [True, *[False] * 7]
        assert growing.runs >= 1600 and not growing.failure
