#!/usr/bin/env bash
# openskill 6.2.0: PlackettLuce.rate and BradleyTerryFull.rate with weights.
#
# One would guess: a player of weight 0, who sat out, keeps its rating, and the partner gets the rest.
# What happens: the player of weight 0 moves as far as without weights, and the partner twice as far: weights of 1 and 0
# act like weights of 2 and 1.
#
# Prints what it saw; exits with 1 if that is no longer so.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: \
  openskill==6.2.0 || exit 2
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import sys

from openskill.models import BradleyTerryFull, PlackettLuce


def moved(model, weights):
    """Return how far the mu of both winners moves."""
    teams = [[model.rating(), model.rating()], [model.rating(), model.rating()]]
    [[one, other], _] = model.rate(teams, ranks=[1, 2], weights=weights)
    return round(one.mu - 25, 3), round(other.mu - 25, 3)


same = True
for model in (PlackettLuce(), BradleyTerryFull()):
    plain, sat_out, double = (moved(model, weights) for weights in (None, [[1, 0], [1, 1]], [[2, 1], [1, 1]]))
    print(f"{type(model).__name__}: no weights {plain}, weights 1 and 0 {sat_out}, weights 2 and 1 {double}")
    same = same and sat_out == double and sat_out[1] == plain[1] > 0
sys.exit(0 if same else 1)
PYTHON
