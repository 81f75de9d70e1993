"""The public package is whole, documented and typed, its examples are true, and importing it does nothing else."""

from __future__ import annotations

import doctest
import inspect
import re
import subprocess
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import bowerbird.engine
from bowerbird import engine
from bowerbird.harness.sdk.local import MAX_HANDS
from bowerbird.harness.tournament.config import schema
from tests.support.deadline import DEADLINE_S
from tests.support.paths import ROOT

MODULES = (
    *("bowerbird.sdk", "bowerbird.engine", "bowerbird.records", "bowerbird.ratings", "bowerbird.spectator"),
    *("bowerbird.envs", "bowerbird.envs.tracking", "bowerbird.envs.vector"),
)
PAGE = ROOT / "docs" / "reference" / "python.md"
WORDING = {"counted", "did_you_mean", "known_are", "listed", "unknown"}
"""Names that the engine exports for sentences of this project's own commands."""


@pytest.fixture(params=MODULES)
def module(request: pytest.FixtureRequest) -> ModuleType:
    return import_module(request.param)


def names_of(module: ModuleType) -> Mapping[str, object]:
    return {name: getattr(module, name) for name in module.__all__}


def test_every_name_is_there_sorted_and_listed_by_dir(module: ModuleType) -> None:
    assert set(names_of(module)) <= set(dir(module))
    assert len(set(module.__all__)) == len(module.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    for name in MODULES:
        with pytest.raises(AttributeError, match="nothing_of_that_name"):
            _ = import_module(name).nothing_of_that_name


def test_every_class_and_function_says_what_it_is(module: ModuleType) -> None:
    assert module.__doc__
    undocumented = [
        name
        for name, value in names_of(module).items()
        if inspect.isroutine(value) or inspect.isclass(value)
        if not inspect.getdoc(value)
    ]
    assert not undocumented


@pytest.mark.usefixtures("processes")
@pytest.mark.usefixtures("in_recorded")
def test_examples_are_true(module: ModuleType) -> None:
    failed, tried = doctest.testmod(module, extraglobs=dict(names_of(module)))
    assert tried
    assert not failed, f"examples in {module.__name__} say something else"


def test_the_package_is_marked_as_typed() -> None:
    assert (ROOT / "bowerbird" / "py.typed").is_file()


def test_the_engine_is_public_but_for_the_wording_of_our_sentences() -> None:
    assert set(bowerbird.engine.__all__) == set(engine.__all__) - WORDING
    assert all(getattr(bowerbird.engine, name) is getattr(engine, name) for name in bowerbird.engine.__all__)


def test_a_game_in_one_process_stops_where_a_game_of_a_tournament_does() -> None:
    assert schema.MAX_HANDS.default == MAX_HANDS


# What an import does


def report_of(module: str, what: str) -> str:
    """Return what a fresh interpreter prints: `what`, evaluated after it imported the module."""
    program = f"import os, sys, threading; before = dict(os.environ); import {module}; print({what})"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=DEADLINE_S, check=True, cwd=ROOT
    )
    return done.stdout.strip()


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("name", MODULES)
def test_an_import_changes_no_environment_variable_and_starts_no_thread(name: str) -> None:
    assert report_of(name, "dict(os.environ) == before, threading.active_count()") == "True 1"


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize(
    ("name", "heavy"),
    [
        ("bowerbird.sdk", ["numpy", "scipy", "click", "sqlite3", "grpc", "google.protobuf", "engine", "trio"]),
        ("bowerbird.engine", ["numpy", "scipy", "click", "sqlite3", "grpc", "google.protobuf", "trio", "harness"]),
        ("bowerbird.records", ["numpy", "scipy", "click", "grpc", "google.protobuf", "trio"]),
        ("bowerbird.ratings", ["numpy", "scipy", "click", "grpc", "google.protobuf", "trio"]),
        ("bowerbird.envs", ["scipy", "click", "sqlite3", "grpc", "google.protobuf", "trio", "gymnasium", "pettingzoo"]),
    ],
)
def test_an_import_leaves_out_what_takes_time(name: str, heavy: list[str]) -> None:
    assert report_of(name, f"[each for each in {heavy!r} if each in sys.modules]") == "[]"


@pytest.mark.usefixtures("processes")
def test_importing_what_a_bot_needs_loads_neither_numbers_nor_a_database() -> None:
    heavy = ["numpy", "scipy", "click", "sqlite3", "trio"]
    found = report_of("bowerbird.sdk as sdk; sdk.Decision, sdk.play", f"[x for x in {heavy!r} if x in sys.modules]")
    assert found == "[]"


# The page


def section_of(name: str) -> str:
    return PAGE.read_text(encoding="utf-8").partition(f"\n## {name}\n")[2].partition("\n## ")[0]


@pytest.mark.parametrize("name", MODULES)
def test_the_page_names_everything(name: str) -> None:
    named = set(re.findall(r"`(\w+)(?=[`(])", section_of(name)))
    assert set(import_module(name).__all__) <= named


def blocks() -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("block", range(len(blocks())))
def test_an_example_of_the_page_runs(in_recorded: Path, block: int) -> None:
    exec(compile(blocks()[block], str(PAGE), "exec"), {"__name__": "page"})


def test_every_module_has_an_example_on_the_page() -> None:
    assert all(f"```python\nfrom {name} import" in section_of(name) for name in MODULES)
