"""The example that trains: it learns, the same seed gives the same policy, and what it saved plays in a match."""

from __future__ import annotations

import csv
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.support.command.bowerbird_command import Bowerbird
from tests.support.paths import ROOT

FOLDER = ROOT / "examples" / "train"
HANDS = 400
"""Deal sets of the match, each of two hands."""


@pytest.fixture
def folder(bowerbird: Bowerbird) -> Path:
    """Return a copy of the example."""
    copied = bowerbird.folder / "train"
    shutil.copytree(FOLDER, copied, ignore=shutil.ignore_patterns("weights.npz", "__pycache__"))
    return copied


def trained(bowerbird: Bowerbird, folder: Path, rounds: int, *arguments: str) -> dict[str, np.ndarray]:
    """Train and return the weights."""
    done = bowerbird.run(sys.executable, folder / "train.py", "--rounds", str(rounds), "--looks", "1", *arguments)
    assert done.returncode == 0, done.stderr
    with np.load(folder / "weights.npz") as weights:
        return dict(weights)


@pytest.mark.long
@pytest.mark.usefixtures("simulations")
def test_the_same_seed_gives_the_same_policy_with_and_without_workers(bowerbird: Bowerbird, folder: Path) -> None:
    first = trained(bowerbird, folder, 2, "--workers", "0")
    again = trained(bowerbird, folder, 2, "--workers", "2")
    other = trained(bowerbird, folder, 2, "--workers", "0", "--seed", "2")
    assert all((first[name] == again[name]).all() for name in first)
    assert not all((first[name] == other[name]).all() for name in first)


@pytest.mark.usefixtures("simulations")
def test_what_it_learnt_beats_random_play_over_the_protocol(bowerbird: Bowerbird, folder: Path) -> None:
    """After a fraction of the training that the page describes; the margin is three standard errors and more."""
    trained(bowerbird, folder, 12, "--curve", "curve.csv")
    match = bowerbird.json(
        *("match", folder, "random", "--variant", "two-handed", "--deals", "--sets", str(HANDS), "--seed", "t"),
    )
    line = next(line for line in match["overall"]["standings"] if line["bot"] == "trained")
    assert not any(line["faults"].values()), line
    points = line["points"]
    assert points["mean"] > 3 * points["error"], points
    with (bowerbird.folder / "curve.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert float(rows[-1]["points"]) > 0.2 > abs(float(rows[0]["points"])), "it began with nothing, and learnt"
    done = bowerbird.run(sys.executable, folder / "curve.py", "curve.csv", "curve.svg")
    assert done.returncode == 0, done.stderr
    assert (bowerbird.folder / "curve.svg").read_text(encoding="utf-8").startswith("<svg")


def test_a_bad_command_line_is_refused(bowerbird: Bowerbird, folder: Path) -> None:
    done = bowerbird.run(sys.executable, folder / "train.py", "--variant", "two-hnded", "--rounds", "1")
    assert done.returncode == 2
    assert "unknown variant 'two-hnded', did you mean 'two-handed'" in done.stderr
    assert "Traceback" not in done.stderr
