"""Which cards beat which, as sets: for rollouts, where every look-up counts."""

from __future__ import annotations

from engine.cards import Pack


class Beating:
    """A pack under one trump.

    Attributes:
        trumps: the set of all trumps.
        cost: by card, how much one misses it; any trump more than any plain card.
        over: by what follows (`Lead.follow`) and the strength of the best card so far, the cards that beat it.
        against: by card led, what follows it and the cards that beat it.
    """

    __slots__ = ("against", "cost", "over", "trumps")

    def __init__(self, pack: Pack, trump: str) -> None:
        """See the class."""
        order = pack.order(trump)
        self.trumps = order.trumps
        self.cost = {card: order.lead[card].strength[card] for card in pack.cards}
        self.over: dict[int, dict[int, int]] = {}
        self.against: dict[int, tuple[int, int]] = {}
        for led in pack.cards:
            lead = order.lead[led]
            if lead.follow not in self.over:
                self.over[lead.follow] = {
                    least: sum(card for card, strength in lead.strength.items() if strength >= max(least, 1))
                    for least in set(lead.strength.values())
                }
            self.against[led] = (lead.follow, self.over[lead.follow][lead.strength[led]] & ~led)
