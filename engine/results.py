"""Results of finished hands and games, and the names of the ways in which they end."""

from __future__ import annotations

from typing import NamedTuple

from bowerbird.engine.actions import Event
from bowerbird.engine.cards.pack import Pack


class HandResult(NamedTuple):
    """The result of one finished hand.

    >>> game = new_game("buck", {"max_hands": 1}, first_dealer=2, seed=bytes(32))
    >>> while game.actor is not None:
    ...     game.apply(game.legal_actions()[0])
    >>> game.results[0].ended, sum(game.results[0].tricks)
    ('sweep', 5)

    Attributes:
        number: number of the hand, from 0.
        dealer: the seat that dealt.
        pack: the pack in use.
        orders: the cards of `pack` after each shuffle, with every copy of a card replaced by the first copy.
        scores: scores after the hand, by seat.
        games: games won after the hand, by seat; () without B4.
        ended: "scored" (played to the end), "thrown in", "uncontested" (B5), "sweep" (all tricks, which win the game),
            "claimed" (Jamboree), or a word added by a variant's page.
        tricks: tricks won, by seat.
        history: every public decision of the hand in order, including the last ones, which are not in any view.
        points: the change of each seat's score in this hand, before a match carries points over to its next game (B4).
        shown: the cards of each seat that a claim showed to everyone (Jamboree, B6), ending the hand; () without a
            claim.
    """

    number: int
    dealer: int
    pack: Pack
    orders: tuple[tuple[int, ...], ...]
    scores: tuple[int, ...]
    games: tuple[int, ...]
    ended: str
    tricks: tuple[int, ...]
    history: tuple[Event, ...]
    points: tuple[int, ...]
    shown: tuple[tuple[str, ...], ...] = ()

    @property
    def packs(self) -> tuple[str, ...]:
        """The text of each shuffled pack in shuffle order, top card first."""
        return tuple(map(self.pack.written, self.orders))


class Verdict(NamedTuple):
    """The end of a game: its name (notation.md, Results) and the seats that won."""

    ended: str
    winners: tuple[int, ...]


SCORED = "scored"
THROWN_IN = "thrown in"
UNCONTESTED = "uncontested"
SWEEP = "sweep"
CLAIMED = "claimed"
KING = "king"
"""A king's point ended the hand and the game before all cards were played (V11.9)."""
SHOWDOWN = "showdown"
"""A showdown decided the hand (V11.5.8), and the game if it brought the last point."""
REDEAL = "redeal"
"""The hand is dealt again with the same number and dealer, and the next shuffle (V11). Never the result of a hand."""

JAMBOREE = 16
"""Points of a claimed Jamboree (V3.8, V4.8)."""

TARGET = "target"
LIMIT = "limit"
