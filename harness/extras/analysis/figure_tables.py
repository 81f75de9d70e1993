"""Writes the figures of a run as two CSV files, `losses.csv` and `pars.csv`. Points have three decimals."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from bowerbird.harness.extras.analysis.game_analysis import THOUSAND, GameAnalysis
from bowerbird.harness.extras.analysis.profile import Figures
from bowerbird.harness.records.store.atomic_file import replacing

LOSSES = ("game", "hand", "step", "seat", "bot", "stage", "token", "best", "did", "better", "loss", "error", "worths")
"""The columns of a decision.

`game`, `hand` and `step` are those of `decisions` in `bowerbird export --format csv`.
"""

PARS = ("game", "hand", "seat", "side", "bot", "result", "par", "own", "others", "rest")
"""The columns of a hand at a seat."""


def write_tables(figures: Figures, judges: Mapping[str, str], folder: Path) -> dict[str, int]:
    """Write the tables into a folder, and return how many rows each has. Each file appears whole.

    The last column is the judge. Raises OSError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    tables = {"losses": (LOSSES, _losses), "pars": (PARS, _pars)}
    counts = {}
    for name, (columns, rows_of) in tables.items():
        with replacing(folder / f"{name}.csv") as file:
            text = io.TextIOWrapper(file, encoding="utf-8", newline="")
            writer = csv.writer(text, lineterminator="\n")
            writer.writerow([*columns, "judge"])
            counts[name] = 0
            for game in sorted(figures):
                for row in rows_of(figures[game]):
                    writer.writerow([game, *row, judges[game]])
                    counts[name] += 1
            text.detach()
    return counts


def _losses(found: GameAnalysis) -> Iterator[Sequence[object]]:
    for one in found.decisions:
        worths = json.dumps({token: worth / THOUSAND for token, worth in one.values})
        words = (one.stage, one.token, one.best, one.did, one.better)
        yield (one.hand, one.step, one.seat, one.bot, *words, _points(one.loss), _points(one.error), worths)


def _pars(found: GameAnalysis) -> Iterator[Sequence[object]]:
    for one in found.hands:
        parts = (one.result, one.par, one.own, one.others, one.rest)
        yield (one.hand, one.seat, one.side, one.bot, *map(_points, parts))


def _points(thousandths: int) -> str:
    return f"{thousandths / THOUSAND:.3f}"
