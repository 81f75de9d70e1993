"""Written hands of King Cut-Throat Euchre for three (V11). Seat 2 deals, 9s is turned, and spades are trump."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bowerbird.engine import Game, new_game, rules_of
from bowerbird.engine.game import state_of
from tests.support.engine.scenario import play, trick, written_pack

NAME = "king-cut-throat"

AWAY = {0: "As Ks Qs", 1: "Ts 8s 7s", 2: "Kh Ad Kd"}
"""First discards."""

KEPT = {0: "X1 Js Jc 7h 7d 7c 8d", 1: "Ah Qh Jh Th 9h Qd Td", 2: "Ac Qc Tc 8c 9d 8h Jd"}
"""With 9s for Td in seat 1's hand the tricks are 3, 3 and 1 as THREE_THREE_ONE plays them."""

KITTY = "9s Kc 9c"

THREE_THREE_ONE = (
    "0: X1 9s 9d",
    "0: Js 9h Jd",
    "0: Jc Jh Tc",
    "0: 7c Th Ac",
    "2: 8h 7h Ah",
    "1: Qh 8c 7d",
    "1: Qd Qc 8d",
)

OUTSIDE = "As Ks Ad Kd Kc 9c Qs Ts 8s 7s Kh Td"
"""A shuffle of the twelve cards outside after THREE_THREE_ONE: six to seat 0, six to seat 1."""

SHOWDOWN = ("1: 7s Ks", "0: Ad 8s", "1: Kh Kc", "1: Ts As", "0: Kd Qs")
"""After 0 discards 9c and 1 discards Td: seat 1 has three tricks; a king of each has taken one."""


def deal(
    kept: Mapping[int, str] = KEPT,
    away: Mapping[int, str] = AWAY,
    kitty: str = KITTY,
    shuffles: Sequence[str] = (OUTSIDE,),
    scores: tuple[int, ...] = (0, 0, 0),
    **options: object,
) -> Game:
    """Return a hand with these cards and later shuffles; unshuffled packs follow."""
    hands = {seat: f"{kept[seat]} {away[seat]}" for seat in kept}
    first = written_pack(NAME, 2, hands, piles={"kitty": kitty}, options=options)
    later = " ".join(rules_of(NAME).rules(options).pack.codes)
    game = new_game(NAME, options, first_dealer=2, packs=[[first, *shuffles], [later], [later]])
    state_of(game).scores = scores
    return game


def discard(game: Game, *lines: str) -> Game:
    """Make discards written "seat: cards"."""
    for line in lines:
        seat, cards = line.split(": ")
        play(game, *(f"{seat} discard {card}" for card in cards.split()))
    return game


def flipped(kept: Mapping[int, str] = KEPT, away: Mapping[int, str] = AWAY, kitty: str = KITTY, **how: Any) -> Game:
    """Return the hand after all first discards."""
    return discard(deal(kept, away, kitty, **how), *(f"{seat}: {away[seat]}" for seat in sorted(away)))


def ordered(**how: Any) -> Game:
    """Return the game after seat 0 accepted spades and seat 1 took the upcard and put Td away."""
    return play(flipped(**how), "0 order, 1 discard Td")


def tricks(game: Game, lines: Sequence[str]) -> Game:
    for line in lines:
        trick(game, line)
    return game


def before_showdown(**how: object) -> Game:
    """Return the game after seven tricks of 3, 3 and 1."""
    return tricks(ordered(**how), THREE_THREE_ONE)


def after_showdown(**how: object) -> Game:
    """Return the game after seat 1 won the showdown, 3 to 2."""
    return tricks(play(before_showdown(**how), "0 discard 9c, 1 discard Td"), SHOWDOWN)
