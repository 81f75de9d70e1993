#!/usr/bin/env bash
# evalica 0.4.2: bradley_terry with four players, one of whom wins every game.
#
# One would guess: the unbeaten player is first, and the others are ordered as they would be without it.
# What happens: all four scores are 1e-06, so nobody is ahead of anybody; nothing warns. `newman` does the same. `elo`
# keeps an order.
#
# Prints what it saw; exits with 1 if that is no longer so.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: \
  evalica==0.4.2 || exit 2
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import sys

from evalica import Winner, bradley_terry, newman

GAMES = [("b", "c", 6, 4), ("c", "d", 7, 3), ("b", "d", 8, 2)]
UNBEATEN = [("a", "b", 10, 0), ("a", "c", 10, 0), ("a", "d", 10, 0)]


def scores(rate, games):
    rows = [
        (one, other, winner)
        for one, other, won, lost in games
        for winner in [Winner.X] * won + [Winner.Y] * lost
    ]
    return {name: round(float(score), 6) for name, score in rate(*map(list, zip(*rows))).scores.items()}


three = scores(bradley_terry, GAMES)
four = [scores(rate, GAMES + UNBEATEN) for rate in (bradley_terry, newman)]
print("b, c, d alone:", three)
print("with a, which wins every game:", *four)
sys.exit(0 if three["b"] > three["c"] > three["d"] and all(len(set(each.values())) == 1 for each in four) else 1)
PYTHON
