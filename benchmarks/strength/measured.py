"""Functions shared by the measurements in this folder: means with intervals, options, and JSON-lines files."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from bowerbird.harness.ratings.estimate import Estimate

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def mean_of(values: Sequence[float]) -> Estimate:
    """Return the mean of independent observations with its standard error (Student's t), infinite for a single one."""
    mean = sum(values) / len(values)
    if len(values) < 2:
        return Estimate(mean, math.inf)
    variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
    return Estimate(mean, math.sqrt(variance / len(values)), len(values) - 1)


def reach_of(estimate: Estimate) -> float:
    """Return half the 95% interval."""
    low, high = estimate.interval()
    return (high - low) / 2


def add_options(parser: argparse.ArgumentParser, seed: str) -> None:
    """Add options for the amount of play, the seed (by default `seed`), and the file for results."""
    parser.add_argument("--deals", type=int, default=100)
    parser.add_argument("--seed", default=seed, help="a text that determines the games (%(default)s)")
    parser.add_argument("--out", type=Path, help="append each result as a line of JSON to this file")


def add_result(file: Path | None, result: DataclassInstance) -> None:
    """Append a result to the file of `--out`, if given."""
    if file:
        with file.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(asdict(result)) + "\n")
