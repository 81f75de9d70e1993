"""The match with OpenSpiel's search: the figures of bots/README.md can be reproduced from their seed."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.support.paths import ROOT

DEADLINE_S = 120


def played(seed: str, hash_seed: int) -> str:
    """Return what a small match prints, decision by decision, in a process of its own."""
    size = ("pimc:5", "--deals", "2", "--simulations", "60")
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.strength.openspiel_match", *size, "--seed", seed, "--decisions"],
        cwd=ROOT,
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
    """Two processes make the same decisions, although their hashes and memory addresses differ."""
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed; `make oracle` adds it")
    first = played("any", hash_seed=1)
    assert first.count("play ") >= 4 * 10, f"four hands must show their decisions: {first}"
    assert played("any", hash_seed=2) == first
    assert played("other", hash_seed=1) != first
