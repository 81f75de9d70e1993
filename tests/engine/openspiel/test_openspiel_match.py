"""The match with OpenSpiel's search (match.py): what bots/README.md prints must come out again."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

MATCH = Path(__file__).with_name("match.py")
DEADLINE_S = 120


def played(seed: str, hash_seed: int) -> str:
    """What a small match prints, decision by decision, in a process of its own."""
    size = ("--deals", "2", "--worlds", "5", "--simulations", "60")
    done = subprocess.run(
        [sys.executable, str(MATCH), *size, "--seed", seed, "--decisions"],
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
        env={**os.environ, "PYTHONHASHSEED": str(hash_seed)},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_a_match_with_openspiel_is_played_again_from_its_seed() -> None:
    """The same decisions in two processes, whose hashes and memory addresses differ."""
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed; `make oracle` adds it")
    first = played("any", hash_seed=1)
    assert first.count("play ") >= 4 * 10, f"four hands must show their decisions: {first}"
    assert played("any", hash_seed=2) == first
    assert played("other", hash_seed=1) != first
