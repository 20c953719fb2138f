# Two commands do everything on a machine with Python 3.11+ and make:
#   make grade   creates the environment, grades the sample submissions, says where the report is
#   make test    creates the environment, runs the tests
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
OUT ?= grades

.PHONY: install wheel sdist picture grade test test-full coverage test-slow lint format verify seeds bench clean help

help:
	@echo "make install    the environment alone: dojo and grade in .venv/bin"
	@echo "make wheel      dist/*.whl: the program and the public exercises; refuses to contain anything of solutions/"
	@echo "make grade      grade examples/submissions and say where the report is"
	@echo "make test       the short tests: some cases of each family"
	@echo "make test-full  the other cases, and what takes a second or more; after a larger change, both must pass"
	@echo "make coverage   the short tests with branch coverage of grader/ (slower; workers and forked commands are not measured)"
	@echo "make test-slow  statistical tests, and those that take minutes, as well"
	@echo "make lint       ruff, mypy, and the import linter (packages import downwards only)"
	@echo "make verify     every solution 100 %, every stub 0 %, every known mistake caught and named"
	@echo "make seeds      the verdict over 1,000 seeds, of the slow lessons over 50 (one to two hours on 2 cores)"
	@echo "make bench      what a submission costs, side by side in one run"
	@echo "make sdist      dist/*.tar.gz: the same as source; refuses likewise"
	@echo "make picture    the pictures in docs/, from real pages (needs chromium)"
	@echo "make format     ruff format"
	@echo "make clean      remove the environment and results"

$(VENV)/ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed; this is %d.%d. Try: make PYTHON=python3.11" % sys.version_info[:2] if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv --upgrade-deps $(VENV)  # a recent pip needs half the time to choose among the packages
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

install: $(VENV)/ready
	@echo "Ready. Next:  source $(VENV)/bin/activate && dojo"

# What students install in order to work without a clone: `pip install dist/*.whl && dojo start`.
wheel: $(VENV)/ready
	rm -rf dist
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps -w dist .
	@$(BIN)/python -m grader.authoring.release.leaks dist/*.whl

# What may be published: a source distribution without solutions/, from which pip builds the same wheel.
sdist: $(VENV)/ready
	rm -rf dist
	$(BIN)/python -m hatchling build -t sdist
	@$(BIN)/python -m grader.authoring.release.leaks dist/*.tar.gz

grade: $(VENV)/ready
	$(BIN)/grade run examples/submissions --lesson 02 --lesson 03 --lesson 04 --lesson 05 -o $(OUT)

# Three processes, because a test often waits for a worker or a deadline. Each takes whole folders: it collects no others,
# and its tests share what is loaded once. The first takes the sandbox's tests, because a folder of xdist's is closed to
# other users, and those of one terminal, which go on where the last one left off; the last takes what no other names.
IN_ORDER := tests/unit/sandbox tests/unit/dojo/test_dojo_watch.py
# Its temporary folders are its own: another pytest that starts closes the common one to other users.
PART_1 := tests/unit/sandbox tests/unit/dojo tests/unit/verdict tests/unit/publish --basetemp "$$said/tmp"
PART_2 := tests/unit/gradebook tests/unit/intake tests/e2e/browser
PARTS := 1 2
NAMED := $(sort $(filter tests/%,$(foreach part,$(PARTS),$(PART_$(part)))))
SHORT := $(BIN)/python -m pytest -q -m 'not slow and not full'
define in_parts
	said=$$(mktemp -d); started=; trap 'kill $$started 2>/dev/null; rm -rf "$$said"' EXIT; trap 'exit 130' INT TERM; \
	$(foreach part,$(PARTS),COVERAGE_FILE=.coverage.$(part) $(TEST) $(PART_$(part)) >"$$said/$(part)" 2>&1 & \
	  started="$$started $$!"; ) \
	status=0; COVERAGE_FILE=.coverage.0 $(TEST) $(addprefix --ignore ,$(NAMED)) || status=$$?; \
	for each in $$started; do wait $$each || status=$$?; done; started=; cat "$$said"/?; exit $$status
endef

# What pytest made of the tests' files is kept for the next process, whatever the machine prefers.
test test-full coverage: export PYTHONDONTWRITEBYTECODE =
test: TEST := $(SHORT)
test: $(VENV)/ready
	@$(in_parts)

FULL := $(BIN)/python -m pytest -q -m 'full and not slow'
test-full: $(VENV)/ready
	@status=0; $(FULL) --numprocesses 3 --dist worksteal $(addprefix --ignore ,$(IN_ORDER)) || status=$$?; \
	$(FULL) $(IN_ORDER) || status=$$?; exit $$status

# Without the isolation's own tests: what a locked-in process runs cannot be written down by it. The figures are printed
# also where a test fails; then it ends with the tests' status.
coverage: TEST := $(SHORT) --cov grader --cov-branch --cov-report=
coverage: PART_1 += --ignore tests/unit/sandbox/isolation
coverage: $(VENV)/ready
	@status=0; ($(in_parts)) || status=$$?; \
	$(BIN)/coverage combine --quiet && $(BIN)/coverage report --skip-covered || status=$$?; exit $$status

test-slow: $(VENV)/ready
	$(BIN)/python -m pytest -q -m 'slow or not slow'

lint: $(VENV)/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

verify: $(VENV)/ready
	$(BIN)/grade verify
	$(BIN)/grade stubs --check
	$(BIN)/grade figures --check

# A seed of these lessons takes 4 to 11 s of processor time, of the others 0.03 to 1 s. SLOW_SEEDS=1000 takes a night.
SLOW := 07 08 09 10 15 18 19
SEEDS ?= 1000
SLOW_SEEDS ?= 50
LESSONS := $(patsubst exercises/%,%,$(wildcard exercises/[0-9][0-9]_*))
seeds: $(VENV)/ready
	$(BIN)/python -m bench verdicts --seeds $(SEEDS) $(filter-out $(addsuffix _%,$(SLOW)),$(LESSONS))
	$(BIN)/python -m bench verdicts --seeds $(SLOW_SEEDS) $(filter $(addsuffix _%,$(SLOW)),$(LESSONS))

bench: $(VENV)/ready
	$(BIN)/python -m bench fork

clean:
	rm -rf $(VENV) $(OUT)

picture: $(VENV)/ready
	$(BIN)/python tests/e2e/browser/pictures.py docs
