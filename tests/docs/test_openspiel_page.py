"""Every program on the page about OpenSpiel runs."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.support.deadline import DEADLINE_S
from tests.support.docs.blocks import blocks
from tests.support.paths import ROOT

PROGRAMS = [one.text for one in blocks(ROOT / "docs" / "how-to" / "openspiel.md") if one.language == "python"]


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("program", PROGRAMS, ids=["load", "search", "learn", "save"])
def test_the_program_runs(program: str) -> None:
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed; `make oracle` adds it")
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=DEADLINE_S, check=False
    )
    assert done.returncode == 0, done.stderr
