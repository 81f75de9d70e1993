"""V1 euchre against OpenSpiel's euchre, which other people wrote: same deals, same decisions, same game.

At every decision the same seat is to decide among the same cards and calls; every trick has the same winner; every
hand the same points. Differences that are known, and how they are mapped:

    deal            OpenSpiel deals single cards from the dealer on; it is given the hands that were dealt here.
                    It is told which cards a hand holds, so the order of packets has no effect.
    single hands    OpenSpiel plays one hand for points and returns them as a zero-sum pair: a side's points less those
                    of the other. Match and target are ours alone (tests/engine/test_euchre_match.py).
    stick_dealer    is the default there; here it is an option. Both values are compared, set alike on both sides.
    alone           A maker says "alone" here with his call (L1), there after the dealer's discard. No card is seen
                    between the two by the maker unless he is the dealer; the later answer there is that of the call.
    discard         OpenSpiel, too, forbids discarding the upcard; the same five cards are legal.
    lone defender   With `allow_lone_defender` both defenders may play alone whether or not the maker does: our
                    `defend_alone = always`. There the eldest defender is asked first, here the first from the maker's
                    left (L3); its answers follow ours. A lone defender who euchres scores 4 on both sides.
    vs_alone        `defend_alone = vs_alone` and `lone_euchre_points`, `deck`, `lone_lead`, `assist_must_go_alone` and
                    the B4 switches do not exist there and are not compared.
    super-euchre    A comment in its sources speaks of 4 points for makers without a trick; its code scores 2, as V1.8.
"""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from bowerbird.engine import Action, Game, new_game
from tests.support.engine.openspiel import Twin

HANDS = 1500
"""Hands for each of the four settings: 6,000 in all."""

PASSES = 0.7
"""How often a seat passes if it may: often enough to reach every round of the bidding."""


def choose(game: Game, rng: Random) -> Action:
    """Return a random decision; passes are likely."""
    legal = game.legal_actions()
    if legal[0].kind == "pass" and rng.random() < PASSES:
        return legal[0]
    return rng.choice(legal)


@pytest.fixture
def pyspiel() -> Any:
    """Return OpenSpiel's module. Without it these tests skip, or fail if nothing may be skipped."""
    return pytest.importorskip("pyspiel", reason="OpenSpiel is not installed; `make oracle` adds it")


def compare(spiel: Any, options: dict[str, object]) -> Counter[str]:
    """Play HANDS hands on both sides; count how often each way through a hand was taken."""
    rng = Random(str(options))
    game = new_game("euchre", {"target": 10**6, "max_hands": HANDS, **options}, seed=rng.randbytes(32))
    ways: Counter[str] = Counter()
    while not game.is_over:
        number, before = game.hand_number, game.scores
        twin = Twin(spiel, game)
        while len(game.results) == number:
            twin.before(game)
            action = choose(game, rng)
            ways.update(ways_of(game, action))
            game.apply(action)
            twin.made(action)
        result = game.results[number]
        twin.finished(result, before)
        ways.update([result.ended, f"{max(map(abs, map(int.__sub__, result.scores, before)))} points"])
    return ways


def ways_of(game: Game, action: Action) -> list[str]:
    """Return the aspects of this decision that are worth counting."""
    ways = [action.kind]
    if action.how:
        ways.append("alone")
        if game.dealer == (game.actor or 0) ^ 2 and action.kind == "order":
            ways.append("the dealer discards and sits out")
    if action.kind == "defend":
        ways.append("defended against a lone maker" if game.how else "defended against two makers")
    if action.kind == "play" and action.card[0] == "J" and action.card[1] != game.trump:
        ways.append("a jack other than the right bower")
    return ways


EVERY_WAY = {
    *("pass", "order", "call", "discard", "play", "alone", "scored", "1 points", "2 points", "4 points"),
    *("the dealer discards and sits out", "a jack other than the right bower"),
}
"""Situations that a sound comparison must have met."""

LONE_DEFENDERS = {"defend", "decline", "defended against a lone maker", "defended against two makers"}


@pytest.mark.parametrize("stick_dealer", [False, True], ids=["may-pass", "stick-dealer"])
@pytest.mark.parametrize("defend_alone", ["never", "always"])
def test_euchre_is_the_same_game_in_openspiel(pyspiel: Any, stick_dealer: bool, defend_alone: str) -> None:
    """rules.md V1.3 to V1.8, A3 to A6, A10, T1 to T4, L2, L3: legal decisions, winners of tricks, points."""
    theirs = {"allow_lone_defender": defend_alone == "always", "stick_the_dealer": stick_dealer}
    met = compare(pyspiel.load_game("euchre", theirs), {"stick_dealer": stick_dealer, "defend_alone": defend_alone})
    expected = EVERY_WAY | (set() if stick_dealer else {"thrown in"})
    if defend_alone == "always":
        expected |= LONE_DEFENDERS
    assert not expected - set(met), f"never met in {HANDS} hands: {sorted(expected - set(met))}"
