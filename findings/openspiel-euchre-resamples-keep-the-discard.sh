#!/usr/bin/env bash
# OpenSpiel 2.0.2 (open_spiel), euchre: resample_from_infostate.
#
# One would guess: in a state resampled for a player who is not the dealer, the card that the dealer put away face down
# is drawn at random, as other hidden cards are.
# What happens: every resampled state keeps the true discard, so a search that uses these states knows one hidden card.
#
# Prints what it saw; exits with 1 if that is no longer so.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: open_spiel==2.0.2 || exit 2
"$folder/venv/bin/python" - <<'PYTHON'
import random
import sys

import pyspiel

PASS = 24
SUITS = "cdhs"
MATE = {"c": "s", "s": "c", "d": "h", "h": "d"}
PLAY = pyspiel.euchre.Phase.PLAY


def ordered(state):
    """Return whether the upcard was ordered up: then the dealer holds it and has put a card away."""
    return any(each.action != PASS for each in state.full_history()[22:26])


game, rng = pyspiel.load_game("euchre"), random.Random(1)
sampler = pyspiel.UniformProbabilitySampler(1, 0.0, 1.0)
drawn = same = 0
for _ in range(200):
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.current_phase() == PLAY and ordered(state) and state.current_player() != state.dealer():
            drawn += 1
            same += state.resample_from_infostate(state.current_player(), sampler).discard() == state.discard()
        state.apply_action(rng.choice(state.legal_actions()))
print(f"{same} of {drawn} states resampled for a seat that is not the dealer have the dealer's true discard")
sys.exit(0 if drawn and same == drawn else 1)
PYTHON
