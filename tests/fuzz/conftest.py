"""The time of each harness: the option's time, divided evenly."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import SearchStrategy

from tests.support.fuzz.mutation import Fuzz, Value

ROUND = 20
"""Examples between two checks of the clock."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--fuzz-seconds", type=float, default=600.0, help="how long all harnesses together draw examples")


@pytest.fixture
def fuzz(request: pytest.FixtureRequest) -> Fuzz[Value]:
    """Return a function that tries drawn values until the time of this harness is over. The check fails by raising."""
    seconds = request.config.getoption("--fuzz-seconds") / len(request.session.items)

    def run(values: SearchStrategy[Value], check: Callable[[Value], None]) -> None:
        end = time.monotonic() + seconds
        quick = settings(max_examples=ROUND, suppress_health_check=list(HealthCheck))
        while True:
            quick(given(values)(check))()
            if time.monotonic() >= end:
                return

    return run
