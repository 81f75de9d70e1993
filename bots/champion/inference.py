"""Estimates how likely a world is by whether the network would have decided as the other seats did."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bowerbird.bots.champion.deciding import Decider
from bowerbird.bots.champion.network import softmax
from bowerbird.engine import Action, Game, SeatView
from bowerbird.envs.tracking import Tracker

DOUBT = 0.1
"""The assumed rate of random decisions, since other players differ from the network."""

TRUST = 0.5
"""The weight of the decisions of others: the share of the logarithm of their likelihood that counts.

Others differ from the network in the same way again and again, so their decisions are not independent evidence.
`benchmarks.strength.inference` measures the gain.
"""

HIDDEN_CARDS = {"discard": "discarded", "give": "gave"}
"""The kinds of action with a hidden card, and the fact from which the seat knows the card (`Memory`)."""


def likely(
    decider: Decider, view: SeatView, worlds: Sequence[Game], count: int, rng: random.Random
) -> list[tuple[Game, int]]:
    """Draw `count` of the worlds by their likelihood. Return those drawn, and how often each was drawn."""
    weights = np.exp(log_weights(decider, view, worlds))
    cumulative = (weights / weights.sum()).cumsum()
    places = (np.arange(count) + rng.random()) / count
    drawn = Counter(np.minimum(cumulative.searchsorted(places), len(worlds) - 1).tolist())
    return [(worlds[place], times) for place, times in drawn.items()]


def log_weights(decider: Decider, view: SeatView, worlds: Sequence[Game]) -> NDArray[np.float64]:
    """Return the logarithm of the weight of each world: how likely the other seats' decisions were in it.

    The largest is 0. Each world is dealt again and its hand played as before, up to the first decision that cannot be
    repeated.
    """
    found = np.zeros(len(worlds))
    if all(event.seat == view.seat for event in view.history):
        return found
    replayed = [decider.follow(world.redealt()) for world in worlds]
    secrets = [_Secrets(world) for world in worlds]
    for seat, public in view.history:
        found_out = [_made(each, seat, public, secret) for each, secret in zip(replayed, secrets, strict=True)]
        made = [action for action in found_out if action is not None]
        if len(made) < len(replayed):
            break
        if seat != view.seat:
            _weigh(decider, replayed, made, found)
        for each, action in zip(replayed, made, strict=True):
            each.apply(action)
    return np.asarray(TRUST * (found - found.max()), np.float64)


def _weigh(decider: Decider, replayed: Sequence[Tracker], made: Sequence[Action], into: NDArray[np.float64]) -> None:
    """Add the logarithms of the probabilities of the chosen actions, if there was a choice."""
    rows = [row for row, each in enumerate(replayed) if len(each.game.legal_actions()) > 1]
    if not rows:
        return
    odds = softmax(decider.scores([replayed[row] for row in rows]))
    for place, row in enumerate(rows):
        by_chance = DOUBT / len(replayed[row].game.legal_actions())
        into[row] += np.log((1 - DOUBT) * odds[place, decider.number[made[row]]] + by_chance)


class _Secrets:
    """The hidden cards of the decisions in a world, each used up when its decision is repeated."""

    def __init__(self, world: Game) -> None:
        self._world = world
        self._left: dict[tuple[int, str], list[str]] = {}

    def take(self, seat: int, kind: str, legal: Sequence[Action]) -> Action | None:
        """Return the legal action of this kind with the next hidden card of the seat, or None."""
        left = self._left.get((seat, kind))
        if left is None:
            what = HIDDEN_CARDS.get(kind)
            facts = self._world.view(seat).memory
            left = self._left[seat, kind] = [card for fact in facts if fact.what == what for card in fact.cards]
        found = next((action for action in legal if action.kind == kind and action.card in left), None)
        if found is not None:
            left.remove(found.card)
        return found


def _made(replayed: Tracker, seat: int, public: Action, secrets: _Secrets) -> Action | None:
    """Return the action of a seat of which everybody saw `public`, or None if it is unknown."""
    game = replayed.game
    if game.actor != seat:
        return None
    legal = game.legal_actions()
    return public if public in legal else secrets.take(seat, public.kind, legal)
