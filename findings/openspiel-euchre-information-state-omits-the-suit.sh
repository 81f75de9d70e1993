#!/usr/bin/env bash
# OpenSpiel 2.0.2 (open_spiel), euchre: information_state_string.
#
# One would guess: two positions with different calls, which everybody heard, have different information states.
# What happens: if the seat left of the dealer names a suit in the second round, the string says "Pick up!" for any
# suit: play goes on under different trumps, and the strings of all four seats are equal. (The tensors differ.)
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

PASS, WITH_PARTNER = 24, 30

rng = random.Random(1)
state = pyspiel.load_game("euchre").new_initial_state()
while state.is_chance_node():
    state.apply_action(rng.choice(state.legal_actions()))
for _ in range(4):
    state.apply_action(PASS)
named = []
for suit in [action for action in state.legal_actions() if action != PASS]:
    after = state.child(suit)
    after.apply_action(WITH_PARTNER)
    named.append(after)
print("trumps:", *(after.trump_suit() for after in named))
equal = [len({after.information_state_string(seat) for after in named}) == 1 for seat in range(4)]
print("one string for all three, by seat:", *equal)
print(named[0].information_state_string(1))
trumps = {after.trump_suit() for after in named}
sys.exit(0 if len(trumps) == 3 and all(equal) else 1)
PYTHON
