"""Run both versions on an input, natively, in a sandbox, twice.

    replay = NativeReplay(ReplayPlan((SourceFile(Path("old.c")),), (SourceFile(Path("new.c")),)))
    pair = replay.pair(TestInput(args=(b"0-",)))
    pair.old.exit, pair.new.signal            # 0, "SIGABRT"

``observe("mask", test, {1, 3})`` runs the unified program with exactly these changes switched on.
"""

from __future__ import annotations

import re
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from csg.errors import ToolchainError
from csg.programs import SourceFile
from csg.unify.output.printing import mask_text
from symexec.replay import wire
from symexec.replay.build import (
    COVERED,
    HEAP_FILLING,
    LITERAL,
    PLAIN,
    SANITIZED,
    UNDEFINED,
    AwaitedBuilds,
    BuildListener,
    Builds,
    Executable,
    FinishedBuilds,
    Program,
    Source,
    Text,
    is_compiled,
)
from symexec.replay.harness import (
    CONTROL,
    CONTROL_ENTRY,
    CONTROL_NUMBERS,
    CONTROL_TEXT,
    NO_SYMBOLS,
    Symbols,
    check_control,
    control_input,
    control_text,
    decode_answer,
    read_symbols,
    run_paths,
)
from symexec.replay.reports import (
    Decided,
    leaks_of,
    read_decisions,
    sanitizer_environment,
    sanitizer_kind,
    touched,
    without_announcement,
)
from symexec.replay.sandbox import ALL_LAYERS, Sandbox, environment_below, signal_name
from symexec.replay.varying import Masks, masks, shows_addresses
from symexec.replay.wire import Job, RawResult, Stream
from symexec.testcases.inputs import TestInput
from symexec.testcases.signature import EntrySignature, ParameterKind, in_words_of
from symexec.testcases.testcase import OVERDRAWN, Observation, clipped

MOST_STARTS = 256
MOST_OUTPUT = 8 << 20
ROOM = 2  # times the plan's address_space: memory that all processes of a run may fill
TURNS = 4  # runs more of each version where one differs from itself
OFTEN = 12  # .. where both may depend on something that varies: a fair bit is missed once in 2^13
ELSEWHERE = 2  # .. and so many at other addresses
GROWN_WITHIN = 2000  # milliseconds beyond its time that a program has which makes inputs
HASTE = 0.25  # times the plan's wall_s: a run that is cut is known as far as it got
_LEADS_ELSEWHERE = b" elsewhere "  # in what a harness says
STEADY = 256  # bytes that a run has written that was cut off; how many more depends on the time
_SOME_PATH = b"/tmp/program"  # for the path of a build, as /proc/self/exe has it
_UNENDING = {signal.SIGXCPU, signal.SIGXFSZ, signal.SIGVTALRM}


@dataclass(frozen=True, slots=True)
class ReplayPlan:
    """What to run: both versions, the file with the entry function first. ``unified`` is the
    program with a run-time mask; ``signature`` None means main; ``name`` becomes argv[0] of every
    version."""

    old: tuple[SourceFile, ...]
    new: tuple[SourceFile, ...]
    golden: tuple[SourceFile, ...] = ()  # what is intended, as C files or as one executable
    unified: tuple[Source, ...] = ()
    probed: tuple[Source, ...] = ()  # the unified program with a probe at each change (reports.py)
    unseen: frozenset[int] = frozenset()  # changes that no probe shows, as those of data
    signature: EntrySignature | None = None
    renamed: tuple[tuple[str, str], ...] = ()  # types: what new and old version call them
    name: str = "program"
    wall_s: float = 1.0  # of processor time; a run that takes longer is cut off
    address_space: int = 1 << 30  # bytes, of builds without sanitizers
    unsandboxed: bool = False
    layers: int = ALL_LAYERS
    steady: bool = False  # a run that does not end is observed in no other way
    leaks: bool = False  # look for them where a run ends by itself
    # The program defines functions of the C library: calls within the library do not reach them, as
    # they would if it were linked statically.
    dynamic: bool = False
    may_vary: bool = True  # a version may ask for a clock, a random number, its own number ...
    foreign: bool = False  # a stranger chose the files: they are compiled in the sandbox as well
    calls_replaced: bool = True  # a version may call what a sanitizer replaces


@dataclass(frozen=True, slots=True)
class Request:
    """One run. ``build`` is old, new, golden or mask."""

    build: str
    test: TestInput
    changes: frozenset[int] | None = None  # switched on; for the mask build
    style: str = SANITIZED
    patience: float = 1.0  # times the plan's wall_s
    explain: bool = False  # a sanitizer's report with functions and lines
    most_output: int = MOST_OUTPUT  # bytes of a file: a run that writes more counts as cut off
    alone: bool = False  # begin by execve, though the program could fork
    anywhere: bool = False  # at other addresses each time; alone, too
    # AddressSanitizer takes memory of its own for local objects; where it does not: alone, too
    fake_stack: bool = True

    @property
    def begins_by_itself(self) -> bool:
        return self.alone or self.anywhere or not self.fake_stack


@dataclass(frozen=True, slots=True)
class Pair:
    """Both versions on one input. ``stable``: both did the same each time, except for standard
    error; ``stderr_stable``: that too. ``golden``: the golden version, where both differ; None also
    where that does not do the same each time. ``masks``: what varied is masked in both.
    ``varies``: it ends by itself each time, in several ways."""

    old: Observation
    new: Observation
    golden: Observation | None = None
    stable: bool = True
    stderr_stable: bool = True
    masks: Masks | None = None
    varies: bool = False

    @property
    def cut_off(self) -> int:
        """How many of the versions did not end in time."""
        return self.old.timed_out + self.new.timed_out


class NativeReplay:
    """Runs programs. Compiles in the background from the start on; ``close`` ends all runs and
    removes everything. ``builds``: what was compiled elsewhere; ``scratch``: a folder for all other
    files."""

    def __init__(
        self,
        plan: ReplayPlan,
        builds: FinishedBuilds | AwaitedBuilds | None = None,
        scratch: Path | None = None,
    ) -> None:
        self.plan = plan
        self._scratch = scratch
        self._builds: Builds | FinishedBuilds | AwaitedBuilds
        self._builds = builds or Builds(_programs(plan), plan.leaks, plan.foreign)
        self._level = ""  # as another process found it to be
        self._starts: dict[object, bytes] = {}
        self._given: dict[object, tuple[TestInput | None, bytes]] = {}  # the last; by what it needs
        self._symbols: dict[str, Symbols] = {}  # of what keeps objects that are set or looked at
        self._relied: set[str] = set()  # styles of which the control program shows what it has to
        self._sandbox = self._new_sandbox()
        try:
            for name in ("old", "new"):
                self.prepare(name)
        except BaseException:
            self.close()
            raise

    def _new_sandbox(self) -> Sandbox:
        plan = self.plan
        return Sandbox(
            self._builds.folder,
            plan.layers,
            plan.unsandboxed,
            runner=lambda private: self._builds.runner(),
            private=self._scratch,
            visible=tuple(dict.fromkeys(_folders_of_libraries(plan))),
        )

    def __enter__(self) -> NativeReplay:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def close(self) -> None:
        self._sandbox.close()
        self._builds.close()

    def stop(self) -> None:
        """Stop from another thread: whoever waits for a run gets a ToolchainError."""
        self._sandbox.stop()
        if isinstance(self._builds, AwaitedBuilds):
            self._builds.stop()

    def prepare(self, build: str, style: str = SANITIZED) -> None:
        """Begin to compile what will be needed soon."""
        if self._builds.has(build):
            self._builds.start(build, style)
            self._builds.start(CONTROL, style)

    def wait(self, build: str, style: str = SANITIZED) -> None:
        """Wait until it is compiled. Raises ToolchainError when it does not compile."""
        if self._builds.has(build):
            self._builds.result(build, style)

    def ready(self, build: str, style: str = SANITIZED) -> bool:
        """Is it compiled, or has it failed to compile?"""
        return self._builds.done(build, style)

    def failure(self) -> ToolchainError | None:
        """Why one of the versions cannot be run, as far as that is known by now."""
        try:
            for build in ("old", "new"):
                if self.ready(build):
                    self.wait(build)
        except ToolchainError as error:
            return error
        return None

    def all_built(self) -> bool:
        """Are both versions compiled?"""
        return all(self.ready(build) for build in ("old", "new"))

    def lent(self) -> tuple[ReplayPlan, FinishedBuilds]:
        """What a NativeReplay of another process needs to run what is compiled by now."""
        assert isinstance(self._builds, Builds)
        return self._bare, self._builds.finished()

    def lent_early(self) -> tuple[ReplayPlan, Path, frozenset[str]]:
        """The same for a process that waits until something is compiled (``AwaitedBuilds``)."""
        assert isinstance(self._builds, Builds)
        return self._bare, self._builds.folder, self._builds.names

    @property
    def _bare(self) -> ReplayPlan:
        return replace(self.plan, old=(), new=(), golden=(), unified=(), probed=())

    def when_built(self, build: str, style: str, listener: BuildListener) -> None:
        """``listener`` is called once, by some thread, when it is compiled or has failed to."""
        assert isinstance(self._builds, Builds)
        if self._builds.has(build):
            self._builds.when_built(build, style, listener)

    def when_runner(self, listener: Callable[[Path | ToolchainError], None]) -> None:
        assert isinstance(self._builds, Builds)
        self._builds.when_runner(listener)

    def executable(self, build: str, style: str = SANITIZED) -> str:
        """The path of the program, once it is compiled."""
        return self._builds.result(build, style).path

    @property
    def executed(self) -> int:
        """How many runs began by execve; the others are forks of a server."""
        return self._sandbox.executed

    @property
    def has_mask(self) -> bool:
        return self._builds.has("mask")

    @property
    def has_probes(self) -> bool:
        """Can ``touched`` be called?"""
        return self._builds.has("touch")

    @property
    def level(self) -> str:
        """The layers of the sandbox that hold: "namespaces+landlock+seccomp", .. or "none"."""
        return self._level or self._sandbox.level

    def learn(self, level: str) -> None:
        """Take the layers of another process that runs the same programs in the same way."""
        self._level = level

    @property
    def sanitizers(self) -> str:
        """The sanitizers of the new version's build; "" when the compiler has none."""
        return self._builds.result("new").sanitizers

    def observe(
        self,
        build: str,
        test: TestInput,
        changes: Iterable[int] | None = None,
        style: str = SANITIZED,
    ) -> Observation:
        chosen = frozenset(changes) if changes is not None else None
        return next(self.observe_all([Request(build, test, chosen, style)]))

    def both(
        self,
        test: TestInput,
        style: str = SANITIZED,
        patience: float = 1.0,
        most_output: int = MOST_OUTPUT,
    ) -> tuple[Observation, Observation]:
        """Run the old and the new version once each."""
        old, new = self.observe_all(
            Request(name, test, None, style, patience, most_output=most_output)
            for name in ("old", "new")
        )
        return old, new

    def touched(
        self,
        tests: Iterable[TestInput],
        changes: frozenset[int],
        patience: float = 1.0,
        most_output: int = MOST_OUTPUT,
    ) -> list[frozenset[int] | None]:
        """For each test, those of the changes that the new version executes; None where that cannot
        be seen."""
        requests = (
            Request("touch", test, changes, COVERED, patience, most_output=most_output)
            for test in tests
        )
        return [touched(seen) for seen in self.observe_all(requests)]

    def control(self, test: TestInput) -> bytes | None:
        """What the unified program with coverage reads through descriptor 3; None for nothing."""
        executable = self._builds.result("touch", COVERED)
        if not executable.takes_values:
            return None
        symbols = self._symbols_of(executable) or NO_SYMBOLS
        return control_text(test, self.plan.signature, symbols)

    def grown(self, request: bytes, seconds: float) -> bytes:
        """The answer of the unified program with coverage to a request (growing.c); empty where
        there is none."""
        plain = self._job(Request("touch", TestInput(), None, COVERED), self._sandbox)
        job = replace(
            plain,
            control=request,
            environment=(*plain.environment, b"CSGTEST_GROW=1"),
            wall_ms=round(1000 * seconds) + GROWN_WITHIN,
            capture=MOST_OUTPUT,
            file_size=MOST_OUTPUT,
            forks=False,
        )
        result = self._sandbox.run(job)
        return b"" if result.exit or result.timed_out else result.control.data

    def add(self, build: str, program: Program) -> None:
        """Add a program that can be compiled."""
        assert isinstance(self._builds, Builds)
        self._builds.add(build, program)

    def driven(
        self, build: str, style: str, request: bytes, seconds: float, anywhere: bool = False
    ) -> RawResult:
        """Run a program that reads a request from descriptor 3 and answers there. Its own limit of
        time is what the request says; ``seconds`` is for one that forgets it."""
        self._rely(style)
        plain = self._job(Request(build, TestInput(), None, style), self._sandbox)
        job = replace(
            plain,
            control=request,
            wall_ms=round(1000 * seconds),
            capture=MOST_OUTPUT,
            file_size=MOST_OUTPUT,
            forks=False,
            anywhere=anywhere,
        )
        return self._sandbox.run(job)

    def symbols(self, build: str, style: str) -> Symbols:
        """The symbols of a program, once it is compiled."""
        executable = self._builds.result(build, style)
        if executable.path not in self._symbols:
            self._symbols[executable.path] = read_symbols(executable.path, executable.files)
        return self._symbols[executable.path]

    def run_script(self, text: str, build: str, style: str = SANITIZED) -> RawResult:
        """Run ``sh SCRIPT PROGRAM`` in the same sandbox; the script is a file there."""
        program = self._builds.result(build, style)
        self._rely(style)
        script = self._builds.folder / f"{build}-{style}-script.sh"
        script.write_bytes(text.encode("utf-8", "surrogateescape"))
        environment = environment_below(self._sandbox.base)
        if program.sanitizers:
            environment += sanitizer_environment(self._sandbox.base, False, True)
        return self._sandbox.run(
            Job(
                program="/bin/sh",
                arguments=(b"sh", str(script).encode(), program.path.encode()),
                environment=environment,
                wall_ms=round(self.plan.wall_s * 3000),
                memory=ROOM * self.plan.address_space,
            )
        )

    def observe_all(self, requests: Iterable[Request]) -> Iterator[Observation]:
        """Observations in the order of the requests; runs overlap with what the caller does. Raises
        ToolchainError where runs show nothing that can be relied on."""
        asked: deque[Request] = deque()
        first = next(iterator := iter(requests), None)
        if first is None:
            return
        self._rely(first.style)

        def runs() -> Iterator[wire.Request]:
            for request in chain((first,), iterator):
                asked.append(request)
                yield self._run(request, self._sandbox)

        last: TestInput | None = None
        same: dict[bytes, Observation] = {}  # versions mostly do the same on an input
        for _, body in self._sandbox.answers(runs()):
            request = asked.popleft()
            if request.test is not last:
                last = request.test
                same.clear()
            shown = wire.timeless(body)
            if _LEADS_ELSEWHERE in shown:  # what it means depends on where a build has its objects
                yield self._observation(request, wire.decode_result(body))
                continue
            if shown not in same:
                same[shown] = self._observation(request, wire.decode_result(body))
            yield same[shown]

    def _rely(self, style: str) -> None:
        """Before the first run of a style, check that runs show differences and errors
        (harness.py)."""
        builds = self._builds
        lent = builds.made if isinstance(builds, FinishedBuilds) else None
        if style in self._relied or (lent is not None and (CONTROL, style) not in lent):
            return  # whoever lends builds has checked it
        self._relied.add(style)
        calls = self.plan.signature is not None
        given = {each: control_input(each, calls) for each in CONTROL_NUMBERS}
        check_control(
            lambda number: self.observe(CONTROL, given[number], style=style),
            self._builds.result(CONTROL, style).sanitizers,
        )

    def log_decisions(self, sources: tuple[Source, ...]) -> None:
        """Begin to compile ``sources``: the unified program with a probe wherever it decides."""
        assert isinstance(self._builds, Builds)
        program = Program(sources, self.plan.signature, logs=True, dynamic=self.plan.dynamic)
        self._builds.add("decisions", program)
        self._builds.start("decisions", LITERAL)

    def decided(
        self, runs: Iterable[tuple[TestInput, frozenset[int]]]
    ) -> Generator[Decided, None, None]:
        """What each run with these changes switched on decided. Nothing else may run meanwhile.
        Raises ToolchainError when the program with probes does not compile."""
        asked = (
            self._run(Request("decisions", test, changes, LITERAL, HASTE), self._sandbox)
            for test, changes in runs
        )
        for _, body in self._sandbox.answers(asked):
            result = wire.decode_result(body)
            cut = result.timed_out or result.signal in _UNENDING
            yield read_decisions(result.control.data, cut)

    def pair(
        self, test: TestInput, style: str = SANITIZED, explain: bool = True, alone: bool = False
    ) -> Pair:
        """Run both versions (and the golden one where they differ) twice each. A run that was cut
        off is not repeated: callers who need to know more give it more time. ``explain``: look up
        functions and lines for a sanitizer's report, 0.1 s each."""
        names = ["old", "new"]
        asked = [Request(name, test, style=style, alone=alone) for name in names]
        first = list(self.observe_all(asked))
        again = self.observe_all(
            replace(request, patience=2.0, explain=explain and bool(seen.sanitizer or seen.leaks))
            for request, seen in zip(asked, first, strict=True)
            if not seen.timed_out
        )
        second = [seen if seen.timed_out else next(again) for seen in first]
        repeats: Sequence[Sequence[Observation]] = list(zip(first, second, strict=True))
        stable, stderr_stable = _agree(repeats)
        if self.plan.may_vary and first[0] != first[1]:
            repeats = self._more(asked, repeats, OFTEN)
            repeats = self._more(asked, repeats, ELSEWHERE, anywhere=True)
            stable, stderr_stable = _agree(repeats)
        varies = False
        if not (stable and stderr_stable) or shows_addresses(*first):
            repeats = self._more(asked, repeats, TURNS, anywhere=True)
            found = masks(*repeats)
            if found is not None and found.apart:
                repeats = self._more(asked, repeats, OFTEN, anywhere=True)
                found = masks(*repeats)
            if found is not None and (found.places or found.apart):
                return Pair(found.old, found.new, masks=found)
            stable, stderr_stable = _agree(repeats)
            cut = any(seen.timed_out for each in repeats for seen in each)
            varies = not stable and not cut
        return Pair(
            old=_explained(first[0], second[0]),
            new=_explained(first[1], second[1]),
            golden=self._intended(test, style) if first[0] != first[1] else None,
            stable=stable,
            stderr_stable=stderr_stable,
            varies=varies,
        )

    def _more(
        self,
        asked: Sequence[Request],
        runs: Sequence[Sequence[Observation]],
        times: int,
        anywhere: bool = False,
    ) -> Sequence[Sequence[Observation]]:
        """The runs of both versions and so many more of each, in the order of ``in_turn``; no more
        where one was cut off."""
        found = [[*each] for each in runs]
        if any(seen.timed_out for each in runs for seen in each):
            return found
        order = list(in_turn(times))
        requests = (replace(asked[which], patience=2.0, anywhere=anywhere) for which in order)
        for which, seen in zip(order, self.observe_all(requests), strict=True):
            found[which].append(seen)
        return found

    def _intended(self, test: TestInput, style: str) -> Observation | None:
        """What the golden version does, if there is one and it does the same each time."""
        if not self._builds.has("golden"):
            return None
        first, second = self.observe_all(
            Request("golden", test, None, style, patience) for patience in (1.0, 2.0)
        )
        return first if _steady(first) == _steady(second) else None

    def _run(self, request: Request, sandbox: Sandbox) -> wire.Request:
        """The request, encoded; the part that it shares with others is encoded once."""
        executable = self._builds.result(request.build, request.style)
        chosen = (
            request.style,
            request.changes,
            request.patience,
            request.explain,
            request.most_output,
            request.alone,
            request.anywhere,
            request.fake_stack,
        )
        key = (executable.path, chosen, sandbox.base)
        if key not in self._starts:
            if len(self._starts) >= MOST_STARTS:
                self._starts.clear()
            self._starts[key] = wire.encode_start(self._job(request, sandbox))
        by_address = self._symbols_of(executable) is not None
        what = executable.path if by_address else executable.takes_values
        test, given = self._given.get(what, (None, b""))
        if test is not request.test:
            given = wire.encode_input(self._job(request, sandbox))
            self._given[what] = request.test, given
        return wire.encoded(executable.path, self._starts[key], given)

    def _job(self, request: Request, sandbox: Sandbox) -> Job:
        executable = self._builds.result(request.build, request.style)
        base = sandbox.base
        values = None
        if executable.takes_values:
            symbols = self._symbols_of(executable) or NO_SYMBOLS
            values = control_text(request.test, self._signature_of(request.build), symbols)
        environment = [*environment_below(base)]
        if request.style in HEAP_FILLING:
            environment.append(HEAP_FILLING[request.style])
        if request.changes is not None:
            environment.append(_mask_variable(request.changes))
        if executable.sanitizers:
            halts = request.style != UNDEFINED
            environment += sanitizer_environment(base, request.explain, halts, request.fake_stack)
        return Job(
            program=executable.path,
            arguments=(self.plan.name.encode(), *request.test.args),
            environment=tuple(environment),
            stdin=request.test.stdin,
            control=values,
            files=request.test.files,
            wall_ms=max(1, round(self.plan.wall_s * request.patience * 1000)),
            address_space=0 if executable.sanitizers else self.plan.address_space,
            file_size=request.most_output,
            memory=ROOM * self.plan.address_space,
            forks=executable.forks and not request.begins_by_itself,
            anywhere=request.anywhere,
            proves=executable.proves,
        )

    def _signature_of(self, build: str) -> EntrySignature | None:
        if build == CONTROL and self.plan.signature is not None:
            return CONTROL_ENTRY
        return self.plan.signature

    def _symbols_of(self, executable: Executable) -> Symbols | None:
        """The symbols of an executable; None where no object is set or observed by its address, and
        no pointer is given, returned or left in one."""
        signature = self.plan.signature
        if signature is None or not (
            signature.globals
            or signature.lasting
            or _returns_pointer(signature)
            or _takes_pointers(signature)
        ):
            return None
        if executable.path not in self._symbols:
            found = read_symbols(executable.path, executable.files)
            self._symbols[executable.path] = replace(found, nameless=signature.nameless)
        return self._symbols[executable.path]

    def _observation(self, request: Request, result: RawResult) -> Observation:
        timed_out = result.timed_out or result.overdrawn or result.signal in _UNENDING
        if timed_out and self.plan.steady:
            return Observation(timed_out=True, stdout=result.stdout.data[:STEADY])
        kind, report = sanitizer_kind(result.reports)
        leaks, lost = leaks_of(result.reports)
        executable = self._builds.result(request.build, request.style)
        own_path = executable.path.encode()
        stdout = result.stdout.data.replace(own_path, _SOME_PATH)
        stderr = without_announcement(result.stderr.data) if kind else result.stderr.data
        stderr = stderr.replace(own_path, _SOME_PATH)
        symbols = self._symbols_of(executable) or NO_SYMBOLS
        signature = self._signature_of(request.build)
        answer = decode_answer(result.control.data, request.test, signature, symbols)
        returned = "assumption fails" if answer.assumption_failed else answer.returned
        ended_by_signal = result.signal != 0 and not timed_out
        tells = signature is None or timed_out
        return Observation(
            exit=result.exit if result.exit >= 0 else None,
            signal=signal_name(result.signal) if ended_by_signal else None,
            stdout=clipped(
                stdout,
                result.stdout.total - len(result.stdout.data) + len(stdout),
                result.stdout.sum,
            ),
            stderr=clipped(
                stderr,
                result.stderr.total - len(result.stderr.data) + len(stderr),
                result.stderr.sum,
            ),
            returned=returned,
            sanitizer=None if timed_out else kind,
            timed_out=timed_out,
            memory=answer.memory,
            private=signature.private if signature and answer.memory else frozenset(),
            files=tuple(
                (name, content.replace(own_path, _SOME_PATH))
                for name, content in _written(request.test, result)
            ),
            report=OVERDRAWN
            if result.overdrawn
            else (report or lost).replace(f"{self._builds.folder}/", ""),
            leaks=leaks,
            untold="" if tells else answer.why_untold(result.signal),
            cpu_s=self._spent(request, result),
        )

    def _spent(self, request: Request, result: RawResult) -> float | None:
        """The processor time of a run in seconds; of one that was cut off at least the limit, since
        it may have waited. None where nothing may depend on a clock."""
        if self.plan.steady:
            return None
        least = self.plan.wall_s * request.patience if result.timed_out else 0.0
        return max(result.cpu_us / 1e6, least)


def in_turn(times: int) -> Iterator[int]:
    """0 and 1 so many times each, one of each at a time, first one and then the other as in the
    sequence of Thue and Morse: 0 1, 1 0, 1 0, 0 1 ... Processes are numbered one by one, and of two
    versions in strict turn one would only have even numbers."""
    for turn in range(times):
        first = turn.bit_count() & 1
        yield from (first, 1 - first)


def _agree(runs: Sequence[Sequence[Observation]]) -> tuple[bool, bool]:
    """Does each version do the same each time; and does it write the same to standard error?"""
    stable = all(_steady(seen) == _steady(each[0]) for each in runs for seen in each)
    return stable, all(seen.stderr == each[0].stderr for each in runs for seen in each)


def _mask_variable(changes: Iterable[int]) -> bytes:
    """The environment variable of the mask. Its length is constant: the size of the environment
    decides where the stack begins, and a program that reads uninitialised memory must do the same
    under every mask."""
    text = mask_text(changes)
    return b"CSGTEST_MASK=" + text.ljust(-(-len(text) // 64) * 64 or 64, "0").encode()


_RUN_PATH = re.compile(r"-(?:Wl,)?-?(?:rpath|R)[,=](/[^,]+)")


def _folders_of_libraries(plan: ReplayPlan) -> Iterator[str]:
    """The folders outside of the system in which programs look for their libraries: those that
    their flags name, and those of an executable that was there before."""
    for source in (*plan.old, *plan.new, *plan.golden):
        for flag in source.flags:
            yield from _RUN_PATH.findall(flag)
        if is_compiled(source):
            yield from run_paths(source.path)


def _programs(plan: ReplayPlan) -> dict[str, Program]:
    named = {
        "old": plan.old,
        "new": plan.new,
        "golden": plan.golden,
        "mask": plan.unified,
        "touch": plan.probed,
    }
    signatures = dict.fromkeys(named, plan.signature)
    if plan.signature is not None:
        signatures["old"] = in_words_of(plan.signature, dict(plan.renamed))
    programs = {
        name: Program(files, signatures[name], dynamic=plan.dynamic)
        for name, files in named.items()
        if files
    }
    entry = None if plan.signature is None else CONTROL_ENTRY
    return {**programs, CONTROL: Program((Text(CONTROL_TEXT),), entry)}


def _explained(seen: Observation, again: Observation) -> Observation:
    alike = (seen.sanitizer, seen.leaks) == (again.sanitizer, again.leaks)
    return replace(seen, report=again.report) if alike else seen


def _steady(seen: Observation) -> Observation:
    """The parts of an observation that must be the same each time. A run that was cut off may have
    got any distance."""
    if seen.timed_out:
        return Observation(timed_out=True)
    return replace(seen, stderr=b"", report="")


def _content(stream: Stream) -> bytes:
    """The content of a file. Where not all of it is here, its holes count as well."""
    holes = len(stream.data) < stream.total and stream.allocated < stream.total
    return clipped(
        stream.data, stream.total, stream.sum, stream.allocated if holes else stream.total
    )


def _written(test: TestInput, result: RawResult) -> tuple[tuple[str, bytes], ...]:
    """Files that are new or changed, folders with a slash, links with their target. What the test
    brought along and the run removed has the content ``[removed]``. Names outside of the working
    folder are absolute."""
    given = dict(test.files)
    found: dict[str, bytes] = {}
    for file in result.files:
        name = file.path.decode("utf-8", "backslashreplace")
        match file.mode & 0o170000:
            case 0:
                found[name + "/"] = b"[removed]"
            case 0o040000:
                found[name + "/"] = b""
            case 0o120000:
                found[name] = b"[link to] " + file.content.data
            case _:
                found[name] = _content(file.content)
    folders = {name[: i + 1] for name in given for i, sign in enumerate(name) if sign == "/"}
    written = [
        (name, content)
        for name, content in found.items()
        if name not in folders and given.get(name) != content
    ]
    removed = [(name, b"[removed]") for name in given if name not in found]
    return tuple(sorted(written + removed))


def _takes_pointers(signature: EntrySignature) -> bool:
    """Are there pointers that lead to global objects, before the call or, in the caller's objects,
    after it?"""
    return any(
        not each.embedded and (each.owner or each.kind is not ParameterKind.SCALAR)
        for each in signature.parameters
    )


def _returns_pointer(signature: EntrySignature) -> bool:
    return signature.result is not None and signature.result.kind is not ParameterKind.SCALAR


__all__ = ["PLAIN", "SANITIZED", "NativeReplay", "Pair", "ReplayPlan", "Request"]
