# The two commands a newcomer needs are `make demo` and `make test`; both set up .venv themselves.
PYTHON ?= python3.11
ifeq ($(shell command -v $(PYTHON) 2>/dev/null),)
PYTHON := python3
endif
VENV := .venv
BIN := $(VENV)/bin
CORE := $(VENV)/.core
READY := $(VENV)/.ready

SHELL := bash
.DEFAULT_GOAL := help
.PHONY: help oracle facts suites sbom dist release pictures demo test coverage slow fuzz mutants health check recordings bench peers chaos simulate seeds reference docs format clean

# Tests start thousands of processes: where images forbid bytecode, each of them would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE

# The first five lines are what a first change needs.
help: ## what the targets do
	@echo "make demo    see what it does; it installs the core into .venv"
	@echo "make test    the quick tests, before you change anything; it installs the tools as well"
	@echo "edit         docs/architecture.md says where; a change brings its test and its line in CHANGELOG.md"
	@echo "try          .venv/bin/python -m pytest -q tests/PATH, then make check"
	@echo "send         a pull request, as .github/CONTRIBUTING.md says"
	@echo
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

# $(call install,WHAT,OPTIONS) into .venv, with the versions of constraints.txt
define install
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; set PYTHON=..." >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing into $(VENV), once; versions are those of constraints.txt"
	@set -o pipefail; $(BIN)/python -m pip install --disable-pip-version-check --progress-bar off -c constraints.txt $(2) -e $(1) | awk '$(PROGRESS)'
	@touch $(CORE)
endef

# A checkout reads Discovery documents from Google's client; a wheel has them.
$(CORE): pyproject.toml constraints.txt
	$(call install,. google-api-python-client)

# Not compiled: of what 160 packages hold, tests import a small part.
$(READY): pyproject.toml constraints.txt
	$(call install,'.[dev]',--no-compile)
	@touch $@

# a line that counts, since the 160 packages of developers take a minute or two
PROGRESS := /^(Collecting|Requirement already)/ { printf "\r  %d packages found", ++n; fflush() } \
	/^Installing collected/ { printf "\n  installing them ...\n"; fflush() } \
	END { print "  done" }

demo: $(or $(wildcard $(READY)),$(CORE)) ## a good agent, the same agent lying, and how the harness knows
	@$(BIN)/understudy demo

# What is measured notes itself what is reached of it (tests/reach); its modules are made anew for each run.
COVERAGE ?=
MEASURED := $(filter-out 0,$(COVERAGE))
AGAIN ?=
PYTEST := $(if $(AGAIN),.ci/again) $(BIN)/python -m pytest -n 2 --dist worksteal

# What `make health` reads: the seconds of each test, by kind of run.
RESULTS := build/tests
told = --junitxml=$(RESULTS)/$(1).xml

# A room is a folder of the house and of its tests: redaction, apis/drive, checks.
ROOM ?=
ROOMS = $(strip $(foreach house,tests/mockserver tests/harness tests mockserver harness,$(wildcard $(house)/$(ROOM))))

ifneq ($(ROOM),)
test: $(READY)
	@$(BIN)/python -m pytest -q -n 2 --dist worksteal -m "not slow" $(or $(ROOMS),$(error no room is called $(ROOM): it is a folder below tests/mockserver or tests/harness))
else
test: export COVERAGE_REACH := $(if $(MEASURED),$(CURDIR)/build/reach)
test: $(READY) ## the quick tests; ROOM=redaction those of a room; COVERAGE=1 measures what they cover, as CI does
	@$(if $(MEASURED),$(BIN)/python -m tests.reach begin)
	@$(PYTEST) -m "not slow" $(call told,quick)
	@$(if $(MEASURED),$(BIN)/python -m tests.reach end && $(BIN)/python -m coverage report)
endif

coverage: ## the quick tests with branch coverage, which may not be below 95 %
	@$(MAKE) --no-print-directory test COVERAGE=1

# They wait for processes half of the time, so one more than there are cores run beside each other.
TURNS ?=
slow: $(READY) ## the tests that take longer: demos, killed runs, many processes; TURNS=1 a third, drawn by the commit
	@$(PYTEST) -n 3 -m slow $(if $(TURNS),--by-turns) $(call told,slow) tests

oracle: $(READY) ## whether methods agree with recordings of live services as they did: REFERENCES=DIR [KEEP=1]
	@$(BIN)/python -m tests.acceptance.agreement $(or $(REFERENCES),$(error name the folder of recordings: make oracle REFERENCES=DIR)) $(if $(KEEP),--keep)

facts: $(READY) ## the facts that come along, learned anew from recordings of live services: REFERENCES=DIR
	@$(BIN)/python -m tests.acceptance.facts $(or $(REFERENCES),$(error name the folder of recordings: make facts REFERENCES=DIR))

FUZZ := --count 20000
fuzz: $(READY) ## spoilt files for every reader of files; FUZZ="--count 500 --seed 3 --loader cassettes"
	@$(BIN)/python -m tests.hostile.fuzz $(FUZZ)

MUTANTS := --count 300 --seed 0
mutants: $(READY) ## small changes to the code that a test must notice; MUTANTS="--count 30 --seed 3 --only runner" or "--changed"
	@$(BIN)/python -m tests.mutants $(MUTANTS)

health: $(READY) ## sizes, long functions, duplicates, coverage, mutants and seconds by room, as tables in Markdown
	@$(BIN)/python -m tests.health

check: $(READY) ## lint, format, types, floors
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

recordings: $(READY) ## public recordings replayed: make recordings REFERENCES=DIR, a folder of projects
	@test -d "$(REFERENCES)" || { echo "name a folder of projects: make recordings REFERENCES=DIR" >&2; exit 1; }
	@$(BIN)/python -m tests.acceptance.references "$(REFERENCES)"

suites: $(READY) ## suites that projects wrote for the live service: make suites REFERENCES=DIR [ONLY="gspread PyDrive2"]
	@$(BIN)/python -m tests.acceptance.suites $(or $(REFERENCES),$(error name the folder of projects: make suites REFERENCES=DIR)) $(if $(ONLY),--only $(ONLY))

BENCH :=
bench: $(READY) ## speed and size, as ratios within one run; BENCH="http_speed stub_speed" for some
	@$(BIN)/python -m tests.benchmarks $(BENCH)

peers: $(READY) ## other mock servers beside ours in one run, as a table; HOVERFLY=/path/to/hoverfly adds that one
	@$(BIN)/python -m tests.benchmarks.peer_servers

chaos: $(READY) ## kills, full disks and other faults at seeded moments; CHAOS="--moments 200 --seed 3 --only capture"
	@$(BIN)/python -m tests.chaos $(CHAOS)

simulate: $(READY) ## how often comparisons of runs are wrong; PAIRS=400 simulated pairs a cell
	@$(BIN)/python -m tests.simulations

seeds: $(READY) ## the public projects behind the case formats; REFERENCES=DIR holds copies of them
	@$(BIN)/python -m tests.seeds "$(REFERENCES)"

reference: $(READY) ## the pages of docs/reference that are made of the code: after a change of an option, a schema or a model's docstring
	@$(BIN)/python -m tests.reference

# Tools of releases, apart from those of development.
TOOLS := build/tools/bin
$(TOOLS)/.ready:
	@echo "installing cyclonedx-bom and twine into build/tools, once"
	@$(PYTHON) -m venv build/tools
	@$(TOOLS)/python -m pip install --quiet --disable-pip-version-check cyclonedx-bom==7.5.0 twine==7.0.0
	@touch $@

CYCLONEDX := $(TOOLS)/cyclonedx-py environment --pyproject pyproject.toml --mc-type application --output-reproducible --of JSON

SBOM := build/sbom
sbom: $(READY) $(TOOLS)/.ready ## what is installed, as CycloneDX, and the licence of each package, in build/sbom
	@mkdir -p $(SBOM)
	@$(CYCLONEDX) -o $(SBOM)/understudy.cdx.json $(BIN)/python
	@$(BIN)/python -m tests.licences > $(SBOM)/licences.md
	@echo "$(SBOM)/understudy.cdx.json, $(SBOM)/licences.md"

dist: $(READY) ## the wheel and the source archive, in dist; PROJECT_URL=https://... says where the project is
	@rm -rf dist
	@$(BIN)/python -m hatchling build -d dist

# The SBOM is that of the wheel in an empty environment, which must play the demo.
RELEASE := build/release
release: dist $(TOOLS)/.ready ## dist with SBOM, image file and checksums, checked as an upload checks it; PUBLISH=1 is strict
	@rm -rf $(RELEASE) && $(PYTHON) -m venv $(RELEASE)
	@echo "installing the wheel into $(RELEASE), which is empty"
	@$(RELEASE)/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt dist/*.whl
	@cd $(RELEASE) && bin/understudy demo > demo.log || { cat demo.log; exit 1; }
	@$(CYCLONEDX) -o dist/understudy.cdx.json $(RELEASE)/bin/python
	@$(TOOLS)/twine check --strict dist/*.whl dist/*.tar.gz
	@$(BIN)/python -m tests.release dist $(if $(PUBLISH),--publish)

pictures: $(READY) ## the pictures of the docs, of real runs; PICTURES="demo console" for some
	@$(BIN)/python -m tests.pictures $(PICTURES)

docs: $(READY) ## the pages of docs/ as a site, in build/site
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --config-file .ci/mkdocs.yml
	@echo "open build/site/index.html"

format: $(READY) ## let ruff rewrite
	@$(BIN)/ruff check --fix --exit-zero .
	@$(BIN)/ruff format .

clean: ## remove what make made
	@rm -rf $(VENV) .coverage .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist *.egg-info
