"""The tiers of tests (tests/conftest.py): what a tier runs follows from the fixtures that a test takes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.referee.fault_matrix import matrix_numbers

pytest_plugins = ["pytester"]


def test_a_process_in_a_test_that_does_not_say_so_is_refused_with_the_remedy() -> None:
    with pytest.raises(AssertionError, match=r'starts a process .*Give it the fixture "processes"'):
        subprocess.run([sys.executable, "-c", ""], check=True)
    with pytest.raises(AssertionError, match="starts a process"):
        os.fork()


def test_a_test_that_says_so_starts_its_process(processes: None) -> None:
    subprocess.run([sys.executable, "-c", ""], check=True)


FILES = """
import pytest

def test_plain():
    assert False

def test_starting(processes):
    pass

@pytest.mark.usefixtures("simulations")
def test_computing():
    pass

@pytest.mark.toolchain("sh")
def test_other_language():
    pass

@pytest.mark.long
def test_long():
    pass
"""


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makeconftest((Path(__file__).parent / "conftest.py").read_text(encoding="utf-8"))
    pytester.makeini("[pytest]\nmarkers =\n    toolchain\n    long\n")
    pytester.makepyfile(FILES)
    return pytester


@pytest.mark.parametrize(
    ("tier", "tests"),
    [
        ("process", {"test_plain"}),
        ("processes", {"test_starting", "test_computing", "test_other_language"}),
        ("long", {"test_long"}),
        ("pages", set()),
    ],
)
def test_a_tier_is_decided_by_fixtures_and_markers(suite: pytest.Pytester, tier: str, tests: set[str]) -> None:
    result = suite.runpytest("--tier", tier, "--collect-only", "-q")
    assert {line.rpartition("::")[2] for line in result.outlines if "::" in line} == tests


def test_without_a_tier_all_but_the_long_tests_run_and_a_failure_says_how_to_run_it_alone(
    suite: pytest.Pytester,
) -> None:
    result = suite.runpytest()
    result.assert_outcomes(passed=3, failed=1, deselected=1)
    result.stdout.fnmatch_lines([".venv/bin/python -m pytest *.py::test_plain"])


def test_a_test_that_its_own_tier_would_not_read_is_refused(pytester: pytest.Pytester) -> None:
    """The tier `processes` reads no file outside its folders that has none of the words (NAMES_SLOWER)."""
    fixture = "import pytest\n\n@pytest.fixture\ndef started({}):\n    pass\n"
    pytester.makeconftest(
        (Path(__file__).parent / "conftest.py").read_text(encoding="utf-8") + fixture.format("processes")
    )
    pytester.makeini("[pytest]\nmarkers =\n    toolchain\n    long\n")
    pytester.makepyfile("def test_quiet(started):\n    pass\n")
    assert pytester.runpytest("--tier", "processes").ret == pytest.ExitCode.NO_TESTS_COLLECTED
    refused = pytester.runpytest("--tier", "process")
    assert refused.ret == pytest.ExitCode.USAGE_ERROR
    refused.stderr.fnmatch_lines(["*::test_quiet would be left out*"])


ROWS = """
import pytest

@pytest.mark.row(1, 3)
def test_shown(seen):
    seen("all well")

@pytest.mark.row(34)
@pytest.mark.skipif(True, reason="only root can")
def test_not_tried():
    pass
"""


@pytest.mark.parametrize("all_tried", [False, True])
def test_the_matrix_knows_the_rows_of_tests_that_a_mark_skips(pytester: pytest.Pytester, *, all_tried: bool) -> None:
    text = (Path(__file__).parent / "faults" / "conftest.py").read_text(encoding="utf-8")
    pytester.makeconftest(f"{text}\n_can_try_all = lambda: {all_tried}\n")
    pytester.makeini("[pytest]\nmarkers =\n    row\n")
    pytester.makepyfile(ROWS)
    told = pytester.runpytest("--matrix").outlines
    [last] = [line for line in told if "rows hold" in line]
    assert ("all tests of: [34]" in last) == (not all_tried)
    missing = {int(number) for number in re.findall(r"\d+", last.partition("not shown: [")[2].partition("]")[0])}
    assert missing == matrix_numbers() - {1, 3} - (set() if all_tried else {34})
