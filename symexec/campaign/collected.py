"""The tests of a campaign: each input once, and the same names whatever runs beside the search.

    t0001, t0002 ...   of the search       s0001, e0001 ...   of symbolic execution beside it
    m14-0009           of the native phase, which names its own

An input that was found beside the search first keeps its name; when the search comes upon it, too,
a number of its own is left out.
"""

from __future__ import annotations

from collections import Counter

from symexec.testcases import TestCase, TestInput

OWN = "t"  # how the search's tests are called
ALIKE = 100  # tests of the search with one sequence that part at one place and differ in one way
ALIKE_THERE = 500  # of those that part there and differ so, whatever their sequences are


class Collected:
    def __init__(self) -> None:
        self.differing: set[str] = set()  # names of tests whose versions were seen to differ
        self.seen: Counter[tuple[object, ...]] = Counter()  # tests of each kind
        self._cases: dict[str, TestCase] = {}
        self._names: dict[TestInput, str] = {}
        self._numbers: Counter[str] = Counter()
        self._foreign: set[TestInput] = set()  # found beside the search, and not by it so far
        self._predicted: set[str] = set()
        self._doubted: set[str] = set()  # replayed as tests on which no difference is predicted
        self._there: Counter[object] = Counter()
        self.left_out = 0  # tests of the search that are like many others

    def __contains__(self, test: TestInput) -> bool:
        return test in self._names

    def name(self, test: TestInput, series: str = OWN) -> str:
        """The next one of the series."""
        self._numbers[series] += 1
        found = f"{series}{self._numbers[series]:04d}"
        self._known(test, found, series != OWN)
        return found

    def enough(self, kind: tuple[object, ...], there: object) -> bool:
        """Are there many tests of the kind, or of what they do at that place? Then one more, whose
        input nobody has tried so far, is counted as left out."""
        self._there[there] += 1
        if self.seen[kind] < ALIKE and self._there[there] <= ALIKE_THERE:
            return False
        self.left_out += 1
        return True

    def take(self, case: TestCase) -> None:
        """A test that has its name already."""
        self._known(case.input, case.id, True)

    def _known(self, test: TestInput, name: str, foreign: bool) -> None:
        self._names[test] = name
        if foreign:
            self._foreign.add(test)

    def found_again(self, test: TestInput, predicted: bool) -> str | None:
        """The search comes upon an input that is there. Its name, if it has been another's so far;
        ``predicted``: to show a difference."""
        name = self._names[test]
        if predicted:
            self.predict(name)
        if test not in self._foreign:
            return None
        self._foreign.remove(test)
        self._numbers[OWN] += 1
        return name

    def predict(self, name: str) -> None:
        self._predicted.add(name)

    def doubt(self, case: TestCase) -> None:
        """No difference is predicted on it so far."""
        self._doubted.add(case.id)

    def doubted(self, test: TestInput) -> TestCase | None:
        """The test of this input, once, if no difference was predicted on it before."""
        name = self._names[test]
        if name not in self._doubted:
            return None
        self._doubted.remove(name)
        return self._cases[name]

    def keep(self, case: TestCase) -> None:
        """A new test, or more about one that is there already."""
        self._cases[case.id] = case
        if case.observed == "different":
            self.differing.add(case.id)
        else:
            self.differing.discard(case.id)

    @property
    def cases(self) -> list[TestCase]:
        return list(self._cases.values())

    @property
    def predicted(self) -> list[TestCase]:
        """Tests on which the model sees the versions differ."""
        return [self._cases[name] for name in sorted(self._predicted)]

    @property
    def mispredicted(self) -> list[TestCase]:
        """Tests that were to differ and did not: a defect of ours, or of the model."""
        return [
            case
            for case in self.predicted
            if case.observed == "same"
            and not case.unwritten
            and case.kind not in ("timeout", "nondeterministic")
        ]

    @property
    def refused(self) -> dict[str, int]:
        """Why predictions of a difference were refused, and how many for each reason."""
        return dict(Counter(case.refused or "not looked at again" for case in self.mispredicted))
