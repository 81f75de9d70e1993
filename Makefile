# Everything starts from a machine with Python 3.11 or newer and make; each target sets up what it needs.
.DEFAULT_GOAL := help
.PHONY: help setup oracle learners demo test test-processes test-all test-long mutants test-pythons test-faults fuzz findings lint news proto bench champion docs pages pictures lock clean
export PYTHON
# Python keeps what it has compiled, whatever the shell says: tests are hundreds of modules, and start many programs.
export PYTHONDONTWRITEBYTECODE :=

VENV := .venv/bin
READY := .venv/.ready
ORACLE := .venv/.oracle
LEARNERS := .venv-learners/.ready
SPHINX := .venv/.docs
SITE := docs/_build/html
# An idle worker takes tests from a busy one; tests of processes wait half of their time, so four share two cores.
# ARGS="-n 0" for one after the other.
PYTEST := $(VENV)/python -m pytest --maxprocesses 4 --dist worksteal

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(READY) ## make .venv with the command .venv/bin/bowerbird (quick when nothing has changed)
	@:

$(READY): requirements.lock pyproject.toml .ci/setup
	@.ci/setup

oracle: $(ORACLE) ## add OpenSpiel, with which tests and benchmarks compare euchre
	@:

$(ORACLE): requirements-oracle.lock .ci/oracle | $(READY)
	@.ci/oracle

learners: $(LEARNERS) ## train the examples with sb3-contrib and Tianshou and rate them, four minutes (first 3 GB of PyTorch)
	@.venv-learners/bin/python examples/sb3/learn.py
	@.venv-learners/bin/python examples/tianshou/learn.py
	@.venv-learners/bin/bowerbird tournament examples/learners.toml

$(LEARNERS): requirements-learners.lock .ci/learners | $(READY)
	@.ci/learners

docs: $(SPHINX) ## build the site of the documentation, check its links, and compare the pages with the code
	@$(VENV)/python -m sphinx -E -b html -W --keep-going -q -d docs/_build/doctrees docs $(SITE)
	@$(VENV)/python -m tests.support.docs.site $(SITE)
	@$(PYTEST) -n auto --tier pages $(ARGS)
	@echo "The site is built; open file://$(abspath $(SITE))/index.html"

$(SPHINX): requirements-docs.lock .ci/docs | $(READY)
	@.ci/docs

pages: setup ## regenerate the pages and parts of pages
	@$(VENV)/python -m tests.support.docs.generate

pictures: setup ## remake the pictures of docs/pictures from a small run (needs Chromium)
	@$(VENV)/python -m tests.support.docs.pictures

demo: setup ## play a small tournament between the bundled bots and show the standings
	@$(VENV)/bowerbird demo

test: setup oracle ## run the tests that start no process, two to four minutes on two cores (ARGS="-k name" for pytest)
	@echo "All tests that start no process: two to four minutes on two cores. A dot is a test; the first come after ten to thirty seconds."
	@$(PYTEST) -n auto --tier process $(ARGS)

test-processes: setup oracle ## run the tests with real referees, bots and browsers, and simulations, half an hour
	@echo "Real referees, bots, browsers and clusters, and simulations: half an hour on two cores."
	@status=0; $(if $(ARGS),,$(VENV)/python -m pytest --tier processes -m alone || status=$$?;) \
	$(PYTEST) -n 4 --tier processes $(or $(ARGS),-m "not alone") || status=$$?; exit $$status

test-all: test test-processes ## run both

test-long: setup ## run the tests that take too long for every change, one after the other
	@$(VENV)/python -m pytest --tier long $(ARGS)

mutants: setup ## plant 60 small faults and count those that the tests find, in clones; a night (ARGS="--count 20")
	@$(VENV)/python -m tests.support.mutants $(ARGS)

test-pythons: setup ## install the wheel into every Python there is and try it (PYTHONS="python3.13 /path/to/python3.14")
	@PYTHONS="$(PYTHONS)" $(VENV)/python -m pytest --tier long tests/wheel/test_pythons.py --durations 0 $(ARGS)

test-faults: setup ## the fault matrix with real hostile processes, printed (KILLS=100 to kill the referee that often)
	@$(VENV)/python -m pytest tests/faults --matrix $(if $(KILLS),--kills $(KILLS)) $(ARGS)

fuzz: setup ## draw input for every reader of files and requests, ten minutes (SECONDS=3600 for an hour)
	@$(VENV)/python -m pytest -n 0 --tier fuzz tests/fuzz --fuzz-seconds $(or $(SECONDS),600) $(ARGS)

findings: ## run findings/ and print which surprises have changed, an hour (ARGS=mcp for those of that name; VERBOSE=1)
	@.ci/findings $(ARGS)

lint: setup ## ruff, mypy --strict, and buf on the contract (needs npm)
	@$(VENV)/ruff check .
	@$(VENV)/ruff format --check .
	@$(VENV)/mypy --strict
	@$(VENV)/mypy --strict docs/conf.py
	@.ci/buf lint
	@.ci/buf format --diff --exit-code
	@.ci/buf breaking --against released.binpb

news: setup ## print what docs/newsfragments adds to CHANGELOG.md at the next release
	@$(VENV)/towncrier build --draft --version next

proto: setup ## generate the stubs in bowerbird/seat/v1 from proto/
	@$(VENV)/python proto/generate.py

bench: setup $(if $(filter engine envs ismcts,$(ARGS)),oracle) ## measure the system, 10 minutes, or one part (ARGS="PART …"; ARGS=help lists the parts)
	@$(VENV)/python -m benchmarks $(ARGS)

champion: setup ## retrain the networks of bots/champion, three hours on one core (ARGS="--rounds 800 euchre")
	@$(VENV)/python -m bowerbird.bots.champion.training $(ARGS)

LOCK := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --upgrade
lock: ## resolve the requirements*.lock again (needs uv)
	@$(LOCK) --extra cluster --extra serve --extra test --extra dev --extra rl --extra data --extra llm --extra mcp --extra beacon --output-file requirements.lock pyproject.toml
	@$(LOCK) --extra oracle --constraints requirements.lock --output-file requirements-oracle.lock pyproject.toml
	@$(LOCK) --extra rl --extra learners --output-file requirements-learners.lock pyproject.toml
	@$(LOCK) --extra docs --constraints requirements.lock --output-file requirements-docs.lock pyproject.toml

clean: ## remove .venv, .venv-learners and all caches (recorded runs stay)
	@rm -rf .venv .venv-learners docs/_build .mypy_cache .ruff_cache .pytest_cache .hypothesis
