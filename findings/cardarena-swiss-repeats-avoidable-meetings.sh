#!/usr/bin/env bash
# cardarena-tournament-core 1.5.0: Swiss, "rematch avoidance" in its description.
#
# One would guess: two players meet again only if no pairing of the round could avoid it.
# What happens: in 46 of 100 events with eight players, four rounds and random results, two players meet again although
# the round could have been paired without that.
#
# Prints what it saw; exits with 1 if that is no longer so.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: \
  cardarena-tournament-core==1.5.0 || exit 2
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import random
import sys

from cardarena_tournament_core import MatchupOutcome, Player, Swiss


def is_avoidable(ids, met):
    """Return whether all can be paired without a second meeting."""
    return not ids or any(
        {ids[0], other} not in met and is_avoidable([each for each in ids[1:] if each != other], met)
        for other in ids[1:]
    )


def repeats(seed):
    """Play an event; return whether two met again in a round that could have been paired without that."""
    rng, players = random.Random(seed), [Player(id=str(number), name=f"player {number}") for number in range(8)]
    swiss, met = Swiss(players), []
    for _ in range(4):
        made = swiss.pair()
        pairs = [{each.player1.id, each.player2.id} for each in made.matchups]
        if any(pair in met for pair in pairs) and is_avoidable([player.id for player in players], met):
            return True
        met += pairs
        for each in made.matchups:
            each.outcome = rng.choice([MatchupOutcome.PLAYER1_WINS, MatchupOutcome.PLAYER2_WINS])
        swiss.submit_results(made)
    return False


found = sum(map(repeats, range(100)))
print(f"{found} of 100 events repeat a meeting that could have been avoided")
sys.exit(0 if found == 46 else 1)
PYTHON
