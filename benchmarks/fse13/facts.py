"""What is known of the pairs, as records: ``PAIRS["cut.v1v2"].errors[0].fix.commit``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from csg.records import record


@record
class Figures:
    """Tests that were made, that differ, and that expose the error."""

    tests: int
    differing: int
    exposing: int

    def __str__(self) -> str:
        return f"{self.tests} / {self.differing} / {self.exposing}"


@record
class Fix:
    """The commit that repairs an error, and the paper's name of the version."""

    commit: str
    version: str


@record
class Known:
    """An input, and the outcome of old, new and fixed: exit status (negative: a signal), standard
    output, and for errors of memory whether AddressSanitizer blames the named function."""

    given: Mapping[str, Any]
    outcomes: Mapping[str, Mapping[str, Any]]


@record
class Error:
    """``kind``: output or memory; ``interaction``: a change interaction error, as the paper says;
    ``function``: where an error of memory is reported."""

    id: str
    what: str
    kind: str
    interaction: bool
    guided: Figures
    isolated: Figures
    fix: Fix
    inputs: tuple[Known, ...]
    function: str = ""
    made_by: tuple[str, ...] = ()  # in which statements of the patch, pieces of them (causes.json)


@record
class Shares:
    """Of Table 2, in per cent: tests on a kind of sequence, and those of them that expose."""

    tests: float
    exposing: float


@record
class Pair:
    """``old`` and ``new`` are commits."""

    name: str
    tool: str
    versions: str
    old: str
    new: str
    errors: tuple[Error, ...]
    critical: Shares
    other: Shares


def _figures(value: Mapping[str, int]) -> Figures:
    return Figures(value["tests"], value["diff"], value["error"])


def _error(value: Mapping[str, Any]) -> Error:
    fix = value["fix"]
    return Error(
        value["id"],
        value["what"],
        value["kind"],
        value["interaction"],
        _figures(value["paper"]["guided"]),
        _figures(value["paper"]["isolated"]),
        Fix(fix["commit"], fix["version"]),
        tuple(
            Known(
                {"args": each["args"], "stdin": each["stdin"]},
                {version: each[version] for version in ("old", "new", "fixed")},
            )
            for each in value["inputs"]
        ),
        value.get("function", ""),
        tuple(_CAUSES[value["id"]]["statements"]),
    )


def _pair(name: str, value: Mapping[str, Any]) -> Pair:
    return Pair(
        name,
        value["tool"],
        value["versions"],
        value["old"]["commit"],
        value["new"]["commit"],
        tuple(map(_error, value["errors"])),
        Shares(**value["paper"]["critical"]),
        Shares(**value["paper"]["other"]),
    )


_CAUSES = json.loads(Path(__file__).with_name("causes.json").read_text())["causes"]
_FACTS = json.loads(Path(__file__).with_name("pairs.json").read_text())
PAIRS = {name: _pair(name, value) for name, value in _FACTS["pairs"].items()}
