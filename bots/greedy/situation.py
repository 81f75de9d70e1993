"""What a view tells a plain player: who is against him, what he has not seen, what lies on the table."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from bots.greedy.odds import Odds
from bots.greedy.ranking import Ranking, pack_of, ranking_of, set_of
from bots.greedy.temper import Temper, temper_of
from engine import SeatView

SHOWN_BY = frozenset({"play", "dictate"})
"""Decisions that show a card to all."""


@dataclass(frozen=True, slots=False)
class Situation:
    """A view, read for one decision. Cards are bits, what is read is kept."""

    view: SeatView

    @cached_property
    def temper(self) -> Temper:
        """The thresholds for this variant."""
        return temper_of(self.view.variant)

    @cached_property
    def hand(self) -> int:
        """The own cards that can be played, those that lie open included."""
        view = self.view
        pack = pack_of(view)
        held = set_of(pack, view.hand)
        return held | set_of(pack, view.laid[view.seat]) if view.laid else held

    @cached_property
    def ranking(self) -> Ranking:
        """The cards under the trump that is fixed."""
        return ranking_of(self.view, self.view.trump)

    @cached_property
    def foes(self) -> tuple[int, ...]:
        """The other seats in the play that are not on the own side."""
        view = self.view
        return tuple(seat for seat in view.active if seat != view.seat and not self.allied(seat))

    def allied(self, seat: int) -> bool:
        """Whether a seat is on the own side: by the sides, or because all others stand together against the maker."""
        view = self.view
        if view.sides[seat] == view.sides[view.seat]:
            return True
        return self.temper.allied_defenders and view.maker not in (None, seat, view.seat)

    @cached_property
    def shown(self) -> int:
        """Cards that lie open before opponents."""
        view = self.view
        if not view.laid:
            return 0
        pack = pack_of(view)
        return sum(set_of(pack, view.laid[seat]) for seat in self.foes)

    @cached_property
    def unseen(self) -> int:
        """Cards of which the seat does not know where they are."""
        view = self.view
        pack = pack_of(view)
        seen = self.hand | self.shown
        for event in view.history:
            if event.action.kind in SHOWN_BY:
                seen = set_of(pack, (event.action.card,), seen)
        for memory in view.memory:
            if memory.what in ("discarded", "left"):
                seen = set_of(pack, memory.cards, seen)
        if view.upcard_place in ("up", "down", "out"):
            seen = set_of(pack, (view.upcard,), seen)
        return pack.whole & ~seen

    @cached_property
    def each(self) -> int:
        """Cards that an opponent holds face down, as a rule."""
        view = self.view
        covered = view.covered[view.seat] if view.covered else 0
        own = self.hand.bit_count() + covered
        if not view.laid or not self.foes:
            return own
        return max(0, own - len(view.laid[self.foes[0]]))

    @cached_property
    def odds(self) -> Odds:
        """What stands against the seat under the trump that is fixed."""
        return self.under(self.ranking)

    def under(self, ranking: Ranking) -> Odds:
        """What would stand against the seat under a trump."""
        return Odds(ranking, self.unseen, self.shown, len(self.foes), self.each)
