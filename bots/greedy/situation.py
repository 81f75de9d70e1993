"""What a view tells a plain player: who is against him, what he has not seen, what lies on the table."""

from __future__ import annotations

from bots.greedy.odds import Odds
from bots.greedy.ranking import Ranking, pack_of, ranking_of, set_of
from bots.greedy.temper import temper_of
from engine import SeatView

SHOWN_BY = frozenset({"play", "dictate"})
"""Decisions that show a card to all."""


class Situation:
    """A view, read once for one decision. Cards are bits.

    Attributes:
        view: as it came.
        temper: the thresholds for this variant.
        pack: the pack played with.
        hand: the own cards that can be played, those that lie open included.
        foes: the other seats in the play that are not on the own side.
        shown: cards that lie open before them.
        unseen: cards of which the seat does not know where they are.
        each: cards that an opponent holds face down, as a rule.
    """

    __slots__ = ("_odds", "each", "foes", "hand", "pack", "shown", "temper", "unseen", "view")

    def __init__(self, view: SeatView) -> None:
        """Reads what every decision needs; what stands against the seat is worked out when asked for."""
        self.view = view
        self.temper = temper_of(view.variant)
        pack = self.pack = pack_of(view)
        self.hand = set_of(pack, view.hand)
        self.foes = tuple(seat for seat in view.active if seat != view.seat and not self.allied(seat))
        self.shown = 0
        self.each = self.hand.bit_count()
        if view.laid:
            self.hand |= set_of(pack, view.laid[view.seat])
            self.shown = sum(set_of(pack, view.laid[seat]) for seat in self.foes)
            covered = view.covered[view.seat] if view.covered else 0
            self.each = max(0, self.hand.bit_count() + covered - len(view.laid[self.foes[0]]))
        self.unseen = pack.whole & ~self._seen()
        self._odds: Odds | None = None

    def _seen(self) -> int:
        """Cards whose place is known: own, shown, played, discarded, turned."""
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

    def allied(self, seat: int) -> bool:
        """Whether a seat is on the own side in this hand."""
        sides = self.view.sides
        return sides[seat] == sides[self.view.seat]

    @property
    def ranking(self) -> Ranking:
        """The cards under the trump that is fixed."""
        return self.odds.ranking

    @property
    def odds(self) -> Odds:
        """What stands against the seat under the trump that is fixed."""
        odds = self._odds
        if odds is None:
            odds = self._odds = self.under(ranking_of(self.view, self.view.trump))
        return odds

    def under(self, ranking: Ranking) -> Odds:
        """What would stand against the seat under a trump."""
        return Odds(ranking, self.unseen, self.shown, len(self.foes), self.each)
