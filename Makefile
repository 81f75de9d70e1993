# Everything starts from a machine with Python 3.11 or newer and make; each target sets up what it needs.
.DEFAULT_GOAL := help
.PHONY: help setup demo test test-all lint proto bench lock clean
export PYTHON

VENV := .venv/bin
READY := .venv/.ready
PYTEST := $(VENV)/python -m pytest

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(READY) ## make .venv with the command .venv/bin/bowerbird (quick when nothing has changed)
	@:

$(READY): requirements.lock pyproject.toml .ci/setup
	@.ci/setup

demo: setup ## play a small tournament between the bundled bots and show the standings
	@$(VENV)/bowerbird demo

test: setup ## run the tests, in under five minutes (ARGS="-k name" for pytest)
	@$(PYTEST) -m "not slow" $(ARGS)

test-all: setup ## run all tests, the slow ones too
	@$(PYTEST) $(ARGS)

lint: setup ## ruff and mypy --strict
	@$(VENV)/ruff check .
	@$(VENV)/ruff format --check .
	@$(VENV)/mypy --strict

proto: setup ## generate the stubs in harness/v1 from proto/
	@$(VENV)/python proto/generate.py

bench: setup ## measure the engine and the referee on this machine
	@$(VENV)/python tests/bench.py

lock: ## resolve requirements.lock anew (needs uv)
	@uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	    --upgrade --extra test --extra dev --output-file requirements.lock pyproject.toml

clean: ## remove .venv and all caches (recorded runs stay)
	@rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis
