"""Several units, statics of one name, libraries."""

from __future__ import annotations

import random
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from csg.errors import UnsupportedError
from csg.frontend import parse_text
from csg.ir import Program
from csg.ir.verify import verify
from csg.lower import link, lower
from oracles.reference.interpreter import run


def lowered(*texts: str, library: bool = False) -> Program:
    units = [parse_text(text, f"{number}.c") for number, text in enumerate(texts)]
    program = lower(units, library=library)
    assert verify(program) == []
    return program


def test_units_meet_by_external_names() -> None:
    program = lowered(
        "int shared = 5; int twice(int); int main(void) { return twice(shared); }",
        "extern int shared; int twice(int x) { return x + shared; }",
    )
    assert run(program).status == 10


def test_a_definition_in_a_later_unit_serves_an_earlier_declaration() -> None:
    program = lowered(
        "extern int shared[]; int main(void) { return shared[1]; }", "int shared[2] = {3, 4};"
    )
    assert not program.globals["shared"].external
    assert run(program).status == 4


def test_statics_of_one_name_stay_apart() -> None:
    program = lowered(
        "static int n = 1; static int f(void) { return n; } int g(void);"
        "int main(void) { return f() * 10 + g(); }",
        "static int n = 2; static int f(void) { return n; } int g(void) { return f(); }",
    )
    assert {"n", "n.1"} <= program.globals.keys()
    assert {"f", "f.1"} <= program.functions.keys()
    assert run(program).status == 12


def test_block_scope_statics_carry_their_function() -> None:
    program = lowered("int main(void) { static int n; { static int n = 4; return n; } }")
    assert [*program.globals] == ["main.n", "main.n.1"]


def test_equal_strings_are_one_object() -> None:
    program = lowered('const char *a = "x", *b = "x", *c = "y"; int main(void) { return a == b; }')
    assert [name for name in program.globals if name.startswith(".str")] == [".str.0", ".str.1"]
    assert run(program).status == 1


def test_a_function_defined_twice_is_refused_where_it_stands() -> None:
    with pytest.raises(UnsupportedError) as caught:
        lowered("int f(void) { return 1; }", "\nint f(void) { return 2; }")
    assert "function 'f' is defined a second time" in str(caught.value)
    assert caught.value.location is not None
    assert (caught.value.location.file, caught.value.location.line) == ("1.c", 2)


def test_what_is_called_and_defined_nowhere_is_listed() -> None:
    program = lowered(
        "int f(int); int (*p)(void); int g(void); int main(void) { p = g; return f(1);}"
    )
    assert program.undefined == {"f", "g"}


def test_a_library_gives_what_is_missing_and_no_more() -> None:
    library = lowered(
        "static int calls; int help(int x) { calls++; return x + 1; }"
        "int wanted(int x) { return help(x) + calls; } int other(void) { return 0; }",
        library=True,
    )
    program = lowered(
        "static int calls = 40; int wanted(int); int main(void) { return wanted(calls); }"
    )
    link(program, library)
    assert verify(program) == []
    assert {*program.functions} == {"main", "wanted", "help"}
    assert program.functions["help"].library
    assert not program.undefined
    assert {*program.globals} == {"calls", "libc:calls"}
    assert run(program).status == 42


def test_linked_instructions_point_to_their_own_statements() -> None:
    library = lowered("int wanted(int x) { return x; }", library=True)
    program = lowered("int wanted(int); int main(void) { return wanted(3); }")
    link(program, library)
    for function in program.functions.values():
        for block in function.blocks:
            for item in block.instructions:
                assert program.nodes[item.node].function == function.name


def test_the_programs_own_function_wins_over_the_library() -> None:
    library = lowered("int wanted(void) { return 1; }", library=True)
    program = lowered("int wanted(void) { return 2; } int main(void) { return wanted(); }")
    link(program, library)
    assert run(program).status == 2


def test_an_object_defined_twice_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="'n' is defined a second time"):
        lowered("int n = 1; int main(void) { return n; }", "int n = 2;")


def test_an_object_declared_only_is_external() -> None:
    program = lowered("extern int there; int here; int main(void) { return there + here; }")
    assert (program.globals["there"].external, program.globals["here"].external) == (True, False)


def test_long_chains_and_deep_nesting_are_lowered() -> None:
    total = " + ".join(["x"] * 2000)
    nested = "(" * 200 + "x" + " * 1 - 1)" * 200
    tests = " else ".join(f"if (x == {number}) return {number};" for number in range(500))
    program = lowered(
        f"int f(int x) {{ return {total}; }} int g(int x) {{ return {nested}; }}"
        f"int h(int x) {{ {tests} return 0; }}"
        "int main(void) { return f(1) / 100 + g(201) + h(77); }"
    )
    assert run(program).status == 20 + 1 + 77


def generated(rng: random.Random, apart: bool) -> list[str]:
    """Three files of functions that call each other, static ones of the same name in several files
    among them. If not ``apart``, some use a number of their file, take an address or are in a
    table."""
    names = [f"f{number}" for number in range(12)]
    everywhere = {name for name in names[1:] if rng.random() < 0.4}
    texts = []
    for file in range(3):
        lines = [f"{'static ' if each in everywhere else ''}int {each}(int);" for each in names]
        lines.append("static int number; static int (*kept)(int);")
        own = [each for each in names if each in everywhere or names.index(each) % 3 == file]
        for name in own:
            later = names[names.index(name) + 1 :]
            terms = [f"{each}(x)" for each in rng.sample(later, min(len(later), rng.randrange(3)))]
            if not apart:
                ways = ["number", "(number = x)", "kept(x)"]
                ways += [f"((kept = {each}) != 0)" for each in later[:1]]
                terms += rng.sample(ways, rng.choice((0, 0, 0, 1)))
            word = "static " if name in everywhere else ""
            lines.append(f"{word}int {name}(int x) {{ return {' + '.join(['x', *terms])}; }}")
        if not apart and rng.random() < 0.3:
            lines.append(f"int (*const table{file}[])(int) = {{ {rng.choice(own)} }};")
        texts.append("\n".join(lines))
    return texts


@pytest.mark.parametrize("apart", [True, False])
def test_what_a_linker_keeps_for_a_function_is_lowered_for_it(apart: bool, tmp_path: Path) -> None:
    rng = random.Random(7)
    left_out = 0
    for _ in range(25):
        texts = generated(rng, apart)
        files = [tmp_path / f"{number}.c" for number in range(len(texts))]
        for file, text in zip(files, texts, strict=True):
            file.write_text(text)
        words = ["cc", "-w", "-O0", "-ffunction-sections", "-nostdlib", "-Wl,--gc-sections"]
        words += ["-Wl,-e,f0", *map(str, files), "-o", str(tmp_path / "linked")]
        subprocess.run(words, check=True)
        listed = subprocess.check_output(["nm", tmp_path / "linked"], text=True)
        kept = Counter(line.split()[2] for line in listed.splitlines() if line.split()[1] in "tT")
        units = [parse_text(text, str(file)) for text, file in zip(texts, files, strict=True)]
        whole, program = lower(units), lower(units, entry="f0", roots=())
        assert verify(program) == [] and not program.undefined
        found = Counter(name.partition(".")[0] for name in program.functions)
        assert found == kept if apart else found >= kept
        left_out += len(whole.functions) - len(program.functions)
    assert left_out > 25


def test_what_may_set_an_object_of_the_entry_is_needed() -> None:
    unit = parse_text(
        "static int limit; static int (*handler)(int); static const int least = 2;"
        "static int twice(int x) { return 2 * x; }"
        "int set(int x) { return limit = x; }"
        "int choose(void) { handler = twice; return 0; }"
        "int lowest(void) { return least; }"
        "int f(int x) { return x > limit ? handler(x) : least; }"
    )
    program = lower([unit], entry="f", roots=())
    assert program.functions.keys() == {"f", "set", "choose", "twice"}
