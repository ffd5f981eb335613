"""The recipes of docs/architecture.md are carried out: what they add is there and works.

Each is a change to the source, ``tests/recipes/NAME.diff``. All are made to one copy of the tree,
which compares two versions; its models in C are left out, as making them anew takes long."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.command_line import write_versions

ROOT = Path(__file__).parents[1]
RECIPES = {
    "export": "A form of export",
    "layer": "A solver layer",
    "instruction": "An instruction of the intermediate representation",
}
OLD = "int f(int x) { return x > 4 ? ~x : x; }"
WITHOUT_MODELS = """
import sys, cli, symexec.runtime.library as library
library.load_archive = dict
sys.exit(cli.main(sys.argv[1:]))
"""
LOWERED = """
import sys
from csg.frontend import parse_text
from csg.ir.text import print_program
from csg.ir.verify import verify
from csg.lower import lower
program = lower([parse_text(sys.argv[1], "f.c")])
print(print_program(program), verify(program))
"""

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def touched(name: str) -> set[str]:
    """The files that a recipe changes."""
    text = (ROOT / "tests" / "recipes" / f"{name}.diff").read_text()
    return set(re.findall(r"^\+\+\+ b/(.*)$", text, re.MULTILINE))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """Runs Python on the copy after all recipes."""
    tree = tmp_path_factory.mktemp("recipes")
    for name in ("csg", "symexec"):
        shutil.copytree(ROOT / name, tree / name)
    shutil.copy(ROOT / "cli.py", tree)
    environment = {**os.environ, "PYTHONPATH": str(tree), "GIT_DIR": os.devnull}
    for name in RECIPES:
        diff = ROOT / "tests" / "recipes" / f"{name}.diff"
        subprocess.run(["git", "apply", str(diff)], cwd=tree, env=environment, check=True)

    def python(code: str, *words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", code, *words]
        return subprocess.run(
            command, cwd=tree, env=environment, capture_output=True, text=True, check=False
        )

    yield python
    shutil.rmtree(tree)


@pytest.fixture(scope="module")
def compared(run: Run, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder and report.json of two versions that differ where x is 7."""
    folder = tmp_path_factory.mktemp("pair")
    write_versions(folder, OLD, OLD.replace("~x", "~x + (x == 7)"))
    files = [str(folder / "old.c"), str(folder / "new.c"), "--entry", "f"]
    out = folder / "out"
    done = run(WITHOUT_MODELS, "build", *files, "--out", str(out), "--no-native", "--quiet")
    assert done.returncode == 1, done.stderr
    return out, (out / "report.json").read_text()


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_has_three_steps_at_most_and_names_its_files(name: str) -> None:
    text = (ROOT / "docs" / "architecture.md").read_text()
    recipe = text.partition(f"- *{RECIPES[name]}*:")[2].partition("\n- *")[0]
    steps = re.findall(r"\((\d)\) \w", recipe)
    assert steps in (["1", "2"], ["1", "2", "3"])
    assert touched(name) <= set(re.findall(r"`([\w/]+\.py)`", recipe))


def test_findings_have_the_new_form(run: Run, compared: tuple[Path, str]) -> None:
    done = run(WITHOUT_MODELS, "export", str(compared[0]), "--as", "lines")
    assert re.fullmatch(r"difference: t\d+\n", done.stdout), done.stderr


def test_the_new_layer_answers_queries(compared: tuple[Path, str]) -> None:
    answered = re.search(r'"constants": (\d+)', compared[1])
    assert answered is not None and int(answered[1]) > 0


def test_the_new_instruction_is_lowered_printed_and_computes(
    run: Run, compared: tuple[Path, str]
) -> None:
    done = run(LOWERED, OLD)
    assert " = complement %" in done.stdout and done.stdout.endswith("[]\n"), done.stderr
    assert '"mispredicted": 0' in compared[1]
