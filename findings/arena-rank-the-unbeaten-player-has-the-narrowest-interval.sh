#!/usr/bin/env bash
# arena-rank 0.1.1: BradleyTerry.compute_ratings_and_cis with four players, one of whom wins every game.
#
# One would guess: nobody's strength is less certain than the unbeaten player's, so its interval is the widest, or has
# no upper end.
# What happens: its interval is less than a hundredth of a point wide, and the others' are over 200 wide.
#
# Prints what it saw; exits with 1 if that is no longer so.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: \
  arena-rank==0.1.1 || exit 2
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import sys

import pandas as pd
from arena_rank.models.bradley_terry import BradleyTerry
from arena_rank.utils.data_utils import PairDataset

GAMES = [("b", "c", 6, 4), ("c", "d", 7, 3), ("b", "d", 8, 2), ("a", "b", 10, 0), ("a", "c", 10, 0), ("a", "d", 10, 0)]
rows = [
    (one, other, winner)
    for one, other, won, lost in GAMES
    for winner in ["model_a"] * won + ["model_b"] * lost
]
data = PairDataset.from_pandas(pd.DataFrame(rows, columns=["model_a", "model_b", "winner"]))
found = pd.DataFrame(BradleyTerry(n_competitors=len(data.competitors)).compute_ratings_and_cis(data))
found["width"] = found["rating_upper"] - found["rating_lower"]
print(found[["competitors", "ratings", "width"]].to_string(index=False))
width = dict(zip(found["competitors"], found["width"]))
sys.exit(0 if width["a"] < 0.01 and min(width[name] for name in "bcd") > 200 else 1)
PYTHON
