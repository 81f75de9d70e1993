"""The match with OpenSpiel's search: the figures of bots/README.md can be reproduced from their seed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.deadline import DEADLINE_S
from tests.support.paths import ROOT


def played(seed: str, hash_seed: int, *more: str) -> str:
    """Return what a small match prints, decision by decision, in a process of its own."""
    size = ("pimc:5", "--deals", "2", "--simulations", "60")
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "ismcts", *size, "--seed", seed, "--decisions", *more],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
        env={**os.environ, "PYTHONHASHSEED": str(hash_seed)},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.usefixtures("simulations")
def test_a_match_with_openspiel_is_played_again_from_its_seed(tmp_path: Path) -> None:
    """Two processes make the same decisions, although their hashes and memory addresses differ. `--out` keeps both."""
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed; `make oracle` adds it")
    kept = tmp_path / "ismcts.jsonl"
    first = played("any", 1, "--out", str(kept))
    assert first.count("play ") >= 4 * 10, f"four hands must show their decisions: {first}"
    assert played("any", 2, "--out", str(kept)) == first
    rows = [json.loads(line) for line in kept.read_text(encoding="utf-8").splitlines()]
    same = ("bot", "simulations", "deals", "gain", "reach")
    assert [[row[name] for name in same] for row in rows] == [[rows[0][name] for name in same]] * 2
    assert (rows[0]["bot"], rows[0]["simulations"], rows[0]["deals"]) == ("pimc:5", 60, 2)
    assert played("other", hash_seed=1) != first
