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

# Three workers, because a test often waits for another process or a deadline. The short tests of a folder, and the
# others of a file, run in one worker and in order (tests/conftest.py).
PYTEST := $(BIN)/python -m pytest -q
IN_PARALLEL := --numprocesses 3 --no-loadscope-reorder --dist

# What pytest made of the tests' files is kept for the next process, whatever the machine prefers.
test test-full coverage: export PYTHONDONTWRITEBYTECODE =
test: $(VENV)/ready  ## the short tests: some cases of each family
	$(PYTEST) $(IN_PARALLEL) loadscope -m 'not slow and not full'

test-full: $(VENV)/ready  ## the other cases, and what takes a second or more; after a larger change, both must pass
	$(PYTEST) $(IN_PARALLEL) loadfile -m 'full and not slow'

test-slow: $(VENV)/ready  ## all tests: statistical ones, and those that take minutes, as well
	$(PYTEST) -m 'slow or not slow'

# Without the isolation's own tests: what a locked-in process runs cannot be written down by it.
coverage: $(VENV)/ready  ## the short tests with branch coverage of grader/; fails below the floor in pyproject.toml
	$(PYTEST) $(IN_PARALLEL) loadscope -m 'not slow and not full' --ignore tests/unit/sandbox/isolation \
		--cov grader --cov-branch --cov-report term:skip-covered

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
