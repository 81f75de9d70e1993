"""Async tests are run, under a deadline, with their fixtures entered (conftest.py)."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

TEST = """
from contextlib import asynccontextmanager

import pytest
import trio

@pytest.fixture
@asynccontextmanager
async def number():
    yield 7
    print("the fixture is left")

async def test_holds(number):
    await trio.lowlevel.checkpoint()
    assert number == 7

async def test_fails(number):
    assert number == 8

@pytest.mark.mock_clock
async def test_hangs():
    await trio.sleep_forever()
"""


def test_an_async_test_passes_fails_and_has_a_deadline(pytester: pytest.Pytester) -> None:
    pytester.makeconftest((Path(__file__).parent / "conftest.py").read_text(encoding="utf-8"))
    pytester.makeini("[pytest]\nmarkers = mock_clock\n")
    pytester.makepyfile(TEST)
    result = pytester.runpytest("-s")
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines_random(["*the fixture is left*", "*assert 7 == 8*", "*TooSlowError*"])
