#!/usr/bin/env bash
# OpenSpiel 2.0.2 (open_spiel), euchre: resample_from_infostate.
#
# One would guess: a state resampled for a player agrees with all that the player has seen, so that no other seat holds
# a suit that it could not follow.
# What happens: the hidden cards are drawn without regard to voids: in about one of six resamples in the play of random
# hands, and in one of four of those after a void was shown, a seat again holds a suit in which it has shown a void.
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


def suit_of(card, trump):
    """Return the suit that a card follows: the left bower is a trump."""
    printed = SUITS[card % 4]
    return trump if card // 4 == 2 and MATE[printed] == trump else printed


def hands(state):
    """Return what each seat holds, from the history alone."""
    history = state.full_history()
    dealer = history[0].action
    held = [set() for _ in range(4)]
    for place, dealt in enumerate(history[1:21]):
        held[(dealer + place) % 4].add(dealt.action)
    if ordered(state):
        held[dealer].add(history[21].action)
    for made in history[22:]:
        if made.action < PASS:
            held[made.player].discard(made.action)
    return held


def impossible(state, voids, player=None):
    """Return whether a seat but `player` holds a suit in which it is void."""
    held, trump = hands(state), SUITS[state.trump_suit()]
    return any(suit_of(card, trump) == suit for seat, suit in voids if seat != player for card in held[seat])


game, rng = pyspiel.load_game("euchre"), random.Random(1)
sampler = pyspiel.UniformProbabilitySampler(1, 0.0, 1.0)
drawn = after_void = wrong = 0
for _ in range(300):
    state, trick, voids = game.new_initial_state(), [], set()
    while not state.is_terminal():
        action = rng.choice(state.legal_actions())
        if state.current_phase() != PLAY:
            state.apply_action(action)
            continue
        seat, trump = state.current_player(), SUITS[state.trump_suit()]
        assert not impossible(state, voids), "the true hands agree with the voids"
        drawn += 1
        after_void += any(other != seat for other, _ in voids)
        wrong += impossible(state.resample_from_infostate(seat, sampler), voids, seat)
        trick.append(action)
        if suit_of(action, trump) != suit_of(trick[0], trump):
            voids.add((seat, suit_of(trick[0], trump)))
        number = state.current_trick_index()
        state.apply_action(action)
        if state.is_terminal() or state.current_trick_index() != number:
            trick = []
print(f"{wrong} of {drawn} resampled states are impossible, of {after_void} after another seat has shown a void")
sys.exit(0 if wrong > 0.1 * drawn else 1)
PYTHON
