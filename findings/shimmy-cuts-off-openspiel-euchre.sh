#!/usr/bin/env bash
# Shimmy 2.0.1 (shimmy) with OpenSpiel 2.0.2 (open_spiel): OpenSpielCompatibilityV0 of the game euchre.
#
# One would guess: a hand of euchre is played to its end, and each seat gets its points.
# What happens: Shimmy counts the dealer and the 21 cards dealt as moves, against OpenSpiel's limit of 29, which is a
# limit on decisions. So every hand is truncated after seven decisions, and every reward is 0.
#
# Prints what it saw; exits with 1 if that is no longer so.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: \
  open_spiel==2.0.2 shimmy==2.0.1 pettingzoo==1.27.0 gymnasium==1.4.0 || exit 2
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import random
import sys

import numpy as np
import pyspiel
from shimmy import OpenSpielCompatibilityV0

game = pyspiel.load_game("euchre")
env, rng = OpenSpielCompatibilityV0(env=game), random.Random(1)
lengths, rewards, truncated = set(), set(), 0
for seed in range(200):
    env.reset(seed=seed)
    decisions = 0
    for _ in env.agent_iter():
        _, reward, over, cut, info = env.last()
        rewards.add(reward)
        if over or cut:
            env.step(None)
        else:
            env.step(rng.choice(np.flatnonzero(info["action_mask"]).tolist()))
            decisions += 1
        truncated += cut
    lengths.add(decisions)
print(f"limit {game.max_game_length()}; decisions in a hand: {lengths}; rewards: {rewards}; truncated: {truncated > 0}")
sys.exit(0 if lengths == {7} and rewards == {0.0} and truncated else 1)
PYTHON
