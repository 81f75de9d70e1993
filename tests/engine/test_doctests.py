"""The examples in the engine's docstrings are run."""

from __future__ import annotations

import doctest
from importlib import import_module
from pkgutil import walk_packages

import pytest

from bowerbird import engine

MODULES = (engine.__name__, *(module.name for module in walk_packages(engine.__path__, f"{engine.__name__}.")))


@pytest.mark.parametrize("name", MODULES)
def test_examples_are_true(name: str) -> None:
    module = import_module(name)
    failed, _ = doctest.testmod(module, extraglobs={each: getattr(engine, each) for each in engine.__all__})
    assert not failed, f"examples in {name} say something else"


def test_the_face_has_examples() -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    shown = {
        name
        for name in engine.__all__
        if callable(value := getattr(engine, name)) and any(test.examples for test in finder.find(value, name))
    }
    assert {"Action", "Game", "HandResult", "Sampler", "SeatView", "Variant", "new_game", "rules_of"} <= shown
    assert {"resolve_options", "sample_game", "stream", "effective_suit"} <= shown
