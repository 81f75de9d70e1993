"""Written hands of Buck Euchre, for the tests of V12 and its relatives. Seat 3 deals unless stated otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bowerbird.engine import Game
from tests.support.engine.scenario import change, play, play_out, scenario, trick

SWEEP = {0: "Js Jc As Ks Qs", 1: "Ah Kh Qh Jh Th", 2: "Ad Kd Qd Jd Td", 3: "Ac Kc Qc Tc 9c"}
"""Seat 0 takes five tricks in spades, the upcard being 9s."""

FOUR = {0: "Js Jc As Ks 9h", 1: "Ah Kh Qh Jh Th", 2: "Ad Kd Qd Jd Td", 3: "Ac Kc Qc Tc 9c"}
"""Seat 0 takes four tricks in spades, and seat 1 the last."""

TWO = {0: "Js Jc 9h 9d Th", 1: "Ah Kh Qh Jh As", 2: "Qd Kd 9c Jd Td", 3: "Ac Kc Qc Tc Ad"}
"""Seat 0 takes two tricks in spades, and seat 1 three."""

NONE = {0: "9h Th 9d Td Qc", 1: "Js Jc As Ks Qs", 2: "Kh Qh Kd Qd Kc", 3: "Ac Tc 9c Ah Ad"}
"""Seat 1 takes five tricks in spades."""

SHARED = {0: "As Ks 9h Td Tc", 1: "Ah Kh 9s Ts 9d", 2: "Ad Kd Th Qs Js", 3: "Qh Jh Jd Qc Jc"}
"""At no trump the tricks fall 2, 2, 1, 0; the upcard is Qd."""

ALL_PASS = "0 pass, 1 pass, 2 pass, 3 pass, 0 pass, 1 pass, 2 pass, 3 pass"
ALL_STAY = "1 stay, 2 stay, 3 stay"


def deal(hands: Mapping[int, str], upcard: str = "9s", dealer: int = 3, **options: object) -> Game:
    return scenario("buck", dealer=dealer, hands=hands, upcard=upcard, options=options)


def ordered(hands: Mapping[int, str], staying: str = ALL_STAY, discard: str = "9c", **options: Any) -> Game:
    """Return the game after seat 0 ordered spades up and the others said whether they stay."""
    return play(deal(hands, **options), f"0 order, 3 discard {discard}", staying)


def changes(game: Game) -> tuple[int, ...]:
    """Play the hand out by the first legal card; return each seat's change."""
    play_out(game)
    start = game.options["start"]
    assert isinstance(start, int)
    return change(game, start=start)


def two_of_five(**options: Any) -> Game:
    """Return a played hand: seat 0, the maker, took two tricks, seat 1 three."""
    game = ordered(TWO, discard="Qc", **options)
    for line in ("0: Js As Td 9s", "0: Jc Jh Jd Tc", "0: 9h Ah Qd Ac"):
        trick(game, line)
    return game


def shared(**options: Any) -> Game:
    """Return a played no-trump hand without a maker: tricks 2, 2, 1, 0."""
    game = play(deal(SHARED, upcard="Qd", **options), ALL_PASS)
    for line in ("0: As 9s Qs Qc", "0: Ks Ts Js Jc", "0: 9h Ah Th Qh", "1: Kh Kd Jh Tc", "1: 9d Ad Jd Td"):
        trick(game, line)
    return game
