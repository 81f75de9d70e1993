"""Tests that need another language skip with a reason, or fail if every toolchain is required."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

TEST = """
import pytest

@pytest.mark.toolchain("sh", "no-such-program")
def test_other_language():
    pass

@pytest.mark.toolchain("sh")
def test_shell():
    pass
"""


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makeconftest((Path(__file__).parent / "conftest.py").read_text(encoding="utf-8"))
    pytester.makeini("[pytest]\nmarkers = toolchain\n")
    pytester.makepyfile(TEST)
    return pytester


def test_absent_toolchain_skips_with_a_reason(suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BOWERBIRD_REQUIRE_TOOLCHAINS", raising=False)
    result = suite.runpytest("-rs")
    result.assert_outcomes(passed=1, skipped=1)
    result.stdout.fnmatch_lines(["*needs no-such-program, not on the PATH*"])


def test_skip_is_a_failure_where_toolchains_are_required(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOWERBIRD_REQUIRE_TOOLCHAINS", "1")
    result = suite.runpytest()
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*skipped, which BOWERBIRD_REQUIRE_TOOLCHAINS=1 forbids*no-such-program*"])
