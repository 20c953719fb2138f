# Two commands do everything on a machine with Python 3.11+ and make:
#   make grade   creates the environment, grades the sample submissions, says where the report is
#   make test    creates the environment, runs the tests
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
OUT ?= grades

.PHONY: help install wheel sdist grade test test-full test-slow coverage lint format verify seeds bench picture clean

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*##/make \1\t/p' Makefile | expand -t 18

$(VENV)/ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed; this is %d.%d. Try: make PYTHON=python3.11" % sys.version_info[:2] if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv --upgrade-deps $(VENV)  # a recent pip needs half the time to choose among the packages
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

install: $(VENV)/ready  ## the environment alone: dojo and grade in .venv/bin
	@echo "Ready. Next:  source $(VENV)/bin/activate && dojo"

wheel: $(VENV)/ready  ## dist/*.whl: the program and the public exercises; refuses to contain anything of solutions/
	rm -rf dist
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps -w dist .
	@$(BIN)/python -m grader.authoring.release.leaks dist/*.whl

sdist: $(VENV)/ready  ## dist/*.tar.gz: the same as source; refuses likewise
	rm -rf dist
	$(BIN)/python -m hatchling build -t sdist
	@$(BIN)/python -m grader.authoring.release.leaks dist/*.tar.gz

grade: $(VENV)/ready  ## grade examples/submissions and say where the report is
	$(BIN)/grade run examples/submissions --lesson 02 --lesson 03 --lesson 04 --lesson 05 -o $(OUT)

# Three processes, because a test often waits for a worker or a deadline. Each takes whole folders, because tests of a
# folder share what is loaded once. The first has temporary folders of its own: another pytest that starts closes the
# common one to other users.
PART_1 := tests/unit/sandbox tests/unit/dojo tests/unit/verdict tests/unit/publish --basetemp "$$said/tmp"
PART_2 := tests/unit/gradebook tests/unit/intake tests/e2e/browser
PART_0 := $(addprefix --ignore ,$(filter tests/%,$(PART_1) $(PART_2)))
define in_parts
	said=$$(mktemp -d); trap 'kill $$first $$second 2>/dev/null; rm -rf "$$said"' EXIT; trap 'exit 130' INT TERM; \
	COVERAGE_FILE=.coverage.1 $(TEST) $(PART_1) >"$$said/1" 2>&1 & first=$$!; \
	COVERAGE_FILE=.coverage.2 $(TEST) $(PART_2) >"$$said/2" 2>&1 & second=$$!; \
	status=0; COVERAGE_FILE=.coverage.0 $(TEST) $(PART_0) || status=$$?; \
	for each in $$first $$second; do wait $$each || status=$$?; done; first=; second=; cat "$$said"/?; exit $$status
endef

# What pytest made of the tests' files is kept for the next process, whatever the machine prefers.
test test-full coverage: export PYTHONDONTWRITEBYTECODE =
test coverage: TEST := $(BIN)/python -m pytest -q -m 'not slow and not full'
test: $(VENV)/ready  ## the short tests: some cases of each family
	@$(in_parts)

# Without xdist: the sandbox's tests, because a folder of xdist's is closed to other users, and those of one terminal,
# which go on where the last one left off.
FULL := $(BIN)/python -m pytest -q -m 'full and not slow'
IN_ORDER := tests/unit/sandbox tests/unit/dojo/test_dojo_watch.py
test-full: $(VENV)/ready  ## the other cases, and what takes a second or more; after a larger change, both must pass
	@status=0; $(FULL) --numprocesses 3 --dist worksteal $(addprefix --ignore ,$(IN_ORDER)) || status=$$?; \
	$(FULL) $(IN_ORDER) || status=$$?; exit $$status

test-slow: $(VENV)/ready  ## all tests: statistical ones, and those that take minutes, as well
	$(BIN)/python -m pytest -q -m 'slow or not slow'

# Without the isolation's own tests: what a locked-in process runs cannot be written down by it.
coverage: TEST += --cov grader --cov-branch --cov-report= --cov-fail-under=0
coverage: PART_1 += --ignore tests/unit/sandbox/isolation
coverage: $(VENV)/ready  ## the short tests with branch coverage of grader/; fails below the floor in pyproject.toml
	@status=0; ($(in_parts)) || status=$$?; \
	$(BIN)/coverage combine --quiet && $(BIN)/coverage report --skip-covered || status=$$?; exit $$status

lint: $(VENV)/ready  ## ruff, mypy, and the import linter (packages import downwards only)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/ready  ## ruff's fixes and format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

verify: $(VENV)/ready  ## every solution 100 %, every stub 0 %, every known mistake caught and named
	$(BIN)/grade verify
	$(BIN)/grade stubs --check
	$(BIN)/grade figures --check

# A seed of these lessons takes 4 to 11 s of processor time, of the others 0.03 to 1 s. SLOW_SEEDS=1000 takes a night.
SLOW := 07 08 09 10 15 18 19
SEEDS ?= 1000
SLOW_SEEDS ?= 50
LESSONS := $(patsubst exercises/%,%,$(wildcard exercises/[0-9][0-9]_*))
seeds: $(VENV)/ready  ## the verdict over 1,000 seeds, of the slow lessons over 50 (one to two hours on 2 cores)
	$(BIN)/python -m bench verdicts --seeds $(SEEDS) $(filter-out $(addsuffix _%,$(SLOW)),$(LESSONS))
	$(BIN)/python -m bench verdicts --seeds $(SLOW_SEEDS) $(filter $(addsuffix _%,$(SLOW)),$(LESSONS))

bench: $(VENV)/ready  ## what locking a worker in costs; `python -m bench` lists the other benches
	$(BIN)/python -m bench fork

picture: $(VENV)/ready  ## the pictures in docs/, from real pages (needs chromium)
	$(BIN)/python tests/e2e/browser/pictures.py docs

clean:  ## remove the environment and results
	rm -rf $(VENV) $(OUT)
