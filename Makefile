# make demo   the main job on a sample            make test   every check there is
# make bench  measure, rewrite docs/performance.md make docs   run what the documents show, anew
# make format tidy the Python sources             make clean  remove what the others made
# make night    the rest of families of tests that `make test` takes some members of, and properties
#               with all of their examples
# make mutants  mutation testing of three packages, half an hour: for the night
# make soak   random pairs and faults for two hours, a second opinion on each verdict: for the night
#
# Each creates .venv and installs into it first. Needed: Python 3.11 or later, a C compiler, make, git.

VENV := .venv
BIN := $(VENV)/bin
PYTHON_FOUND := $(firstword $(shell for python in $(PYTHON) python3.11 python3.12 python3.13 python3.14 python3; do \
	"$$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& command -v "$$python"; done; true))
CC_FOUND := $(firstword $(shell for compiler in $(CC) cc gcc clang; do command -v "$$compiler"; done; true))
WORKERS := 3  # tests at a time: on two cores, each of them waits for a part of its time
SOURCES := cli.py csg symexec fleet generators oracles tests benchmarks

.PHONY: demo test types tests-compiled night bench mutants soak docs install check-tools format clean

demo: install
	@echo '$$ csgtest build samples/cut_ranges/old.c samples/cut_ranges/new.c --entry parse_ranges --time 20'
	@$(BIN)/csgtest build samples/cut_ranges/old.c samples/cut_ranges/new.c \
		--entry parse_ranges --time 20 --out csgtest-out-demo || test $$? -eq 1
	@echo 'Everything it found is in csgtest-out-demo/.'

test: install
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/lint-imports
	@$(MAKE) --no-print-directory -j2 types tests-compiled
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

types: install
	MYPY_NUM_WORKERS=2 $(BIN)/mypy

# What pytest makes of assertions, once instead of by each worker; what is wrong, the run says.
tests-compiled: install
	@env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest --collect-only -q >/dev/null 2>&1 || true

night: install
	HYPOTHESIS_PROFILE=night $(BIN)/python -m pytest -n 2 --dist worksteal -m 'night or hypothesis'

bench: install
	$(BIN)/python benchmarks/run.py

mutants: install
	$(BIN)/python -m benchmarks.mutants

soak: install
	$(BIN)/python -m benchmarks.soak --minutes 120 --jobs 2 --seed $$(date +%Y%m%d) --resume

docs: install
	$(BIN)/csgtest graph samples/cut_ranges/old.c samples/cut_ranges/new.c --entry parse_ranges \
		--format svg -o docs/images/cut_ranges.svg
	$(BIN)/csgtest graph samples/cut_ranges/old.c samples/cut_ranges/new.c --entry parse_ranges \
		--what figure --format svg -o docs/images/cut_ranges_figure.svg
	$(BIN)/python benchmarks/foreign.py
	$(BIN)/python -m tests.first_hour
	CSGTEST_UPDATE=1 $(BIN)/python -m pytest tests/test_docs.py -k shows_what_happens -m 'night or not night'

format: install
	$(BIN)/ruff format $(SOURCES)
	$(BIN)/ruff check --fix $(SOURCES)

install: check-tools $(VENV)/installed

$(VENV)/installed: pyproject.toml
	@test -x $(BIN)/python || "$(PYTHON_FOUND)" -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

check-tools:
	@test -n "$(PYTHON_FOUND)" || { echo 'csgtest needs Python 3.11 or later with its venv module, and none was found.'; \
		echo '  Debian, Ubuntu: apt-get install python3 python3-venv    Fedora: dnf install python3.11'; \
		echo '  elsewhere: https://www.python.org/downloads, or make PYTHON=/path/to/python3.11'; exit 2; } >&2
	@test -n "$(CC_FOUND)" || { echo 'csgtest needs a C compiler with its headers, and neither cc, gcc nor clang was found.'; \
		echo '  Debian, Ubuntu: apt-get install gcc libc6-dev    Fedora: dnf install gcc glibc-devel'; exit 2; } >&2
	@command -v git >/dev/null || { echo 'csgtest needs git, and it was not found.'; \
		echo '  Debian, Ubuntu: apt-get install git    Fedora: dnf install git'; exit 2; } >&2

clean:
	rm -rf $(VENV) build *.egg-info csgtest-out-demo .mypy_cache .ruff_cache .pytest_cache \
		.hypothesis .import_linter_cache
