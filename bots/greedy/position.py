"""The position for the greedy bot: its hand, its opponents, and the cards that it has not seen."""

from __future__ import annotations

from bowerbird.bots.greedy.odds import Odds
from bowerbird.bots.greedy.ranking import Ranking, pack_of, ranking_of, set_of
from bowerbird.bots.greedy.thresholds import Thresholds, thresholds_for
from bowerbird.engine import SeatView

SHOWN_BY = frozenset({"play", "dictate", "show"})
"""The kinds of decision that show a card to all seats."""


class Position:
    """A view, read once for one decision. Cards are bits, and sets of cards are ints.

    Attributes:
        view: the view itself.
        thresholds: the thresholds for this variant.
        pack: the pack in use.
        hand: the seat's playable cards, including face-up ones.
        opponents: the seats in the play on other sides.
        shown: the cards that lie open before opponents.
        unseen: the cards whose place the seat does not know.
        cards_each: the usual number of cards that an opponent holds face down.
    """

    __slots__ = ("_odds", "cards_each", "hand", "opponents", "pack", "shown", "thresholds", "unseen", "view")

    def __init__(self, view: SeatView, thresholds: Thresholds | None = None) -> None:
        """Read what every decision needs.

        `odds` is computed on first use. The thresholds are the variant's by default.
        """
        self.view = view
        self.thresholds = thresholds_for(view.variant) if thresholds is None else thresholds
        pack = self.pack = pack_of(view)
        self.hand = set_of(pack, view.hand)
        self.opponents = tuple(seat for seat in view.active if seat != view.seat and not self.is_ally(seat))
        self.shown = 0
        self.cards_each = self.hand.bit_count()
        if view.laid:
            self.hand |= set_of(pack, view.laid[view.seat])
            self.shown = sum(set_of(pack, view.laid[seat]) for seat in self.opponents)
            covered = view.covered[view.seat] if view.covered else 0
            self.cards_each = max(0, self.hand.bit_count() + covered - len(view.laid[self.opponents[0]]))
        self.unseen = pack.whole & ~self._seen()
        self._odds: Odds | None = None

    def _seen(self) -> int:
        """Return the cards whose place is known: the seat's own, shown, played, discarded and turned-up cards."""
        view = self.view
        pack = self.pack
        seen = self.hand | self.shown
        for event in view.history:
            action = event.action
            if action.kind in SHOWN_BY:
                copies = pack.bits[action.card] & ~seen
                seen |= copies & -copies
        for memory in view.memory:
            if memory.what in ("discarded", "left"):
                seen = set_of(pack, memory.cards, seen)
        if view.upcard_place in ("up", "down", "out"):
            seen = set_of(pack, (view.upcard,), seen)
        return seen

    def is_ally(self, seat: int) -> bool:
        """Return whether `seat` is on the deciding seat's side in this hand."""
        sides = self.view.sides
        return sides[seat] == sides[self.view.seat]

    @property
    def ranking(self) -> Ranking:
        """The cards under the actual trump."""
        return self.odds.ranking

    @property
    def odds(self) -> Odds:
        """The odds under the actual trump."""
        odds = self._odds
        if odds is None:
            odds = self._odds = self.odds_under(ranking_of(self.view, self.view.trump))
        return odds

    def odds_under(self, ranking: Ranking) -> Odds:
        """Return the odds under the trump of `ranking`."""
        return Odds(ranking, self.unseen, self.shown, len(self.opponents), self.cards_each)
