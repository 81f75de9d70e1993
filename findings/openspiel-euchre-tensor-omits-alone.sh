#!/usr/bin/env bash
# OpenSpiel 2.0.2 (open_spiel), euchre: information_state_tensor.
#
# One would guess: the tensor of an information state says what the string says, including whether the maker plays
# alone.
# What happens: the tensors of all four seats are the same whether the maker plays alone or with a partner; the strings
# differ.
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

PASS, ALONE, WITH_PARTNER = 24, 29, 30

rng = random.Random(1)
state = pyspiel.load_game("euchre").new_initial_state()
while state.is_chance_node():
    state.apply_action(rng.choice(state.legal_actions()))
for _ in range(4):
    state.apply_action(PASS)
state.apply_action(next(action for action in state.legal_actions() if action != PASS))
alone, partners = state.child(ALONE), state.child(WITH_PARTNER)
tensors = [alone.information_state_tensor(seat) == partners.information_state_tensor(seat) for seat in range(4)]
strings = [alone.information_state_string(seat) == partners.information_state_string(seat) for seat in range(4)]
print("equal tensors, by seat:", *tensors)
print("equal strings, by seat:", *strings)
sys.exit(0 if all(tensors) and not any(strings) else 1)
PYTHON
