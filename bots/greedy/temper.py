"""How bold the player is: thresholds by variant, in tricks that his own hand takes as a rule.

They were found by playing the bot against itself with other thresholds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Temper:
    """Thresholds of one variant.

    Attributes:
        order: accepts the upcard's suit from so many expected tricks.
        name: names a suit from so many; less than `order`, because whoever could better has passed.
        alone: goes alone from so many.
        defend: defends alone from so many.
        stay: stays in from so many.
        caution: bids a number of tricks when he expects that many and so much more.
        partner: what a partner is expected to bring.
        widow: what an unseen widow is expected to bring.
        names_no_trump: he who wins the auction may name no trump.
        names_any_suit: he who accepts the upcard may name any suit.
        takes_upcard: the winner of the auction may take the upcard.
        swap: gives up a hand that expects fewer tricks for an unseen one.
        ladder: by bid, tricks needed, number of partners, whether the widow is taken; where bids name a suit.
        king: what a king that wins is worth beside the trick.
    """

    order: float = 2.0
    name: float = 1.8
    alone: float = 4.1
    defend: float = 2.8
    stay: float = 1.2
    caution: float = 0.0
    partner: float = 0.9
    widow: float = 0.0
    names_no_trump: bool = False
    names_any_suit: bool = False
    takes_upcard: bool = False
    swap: float = 1.7
    ladder: Mapping[int, tuple[int, int, bool]] = field(default_factory=dict)
    king: float = 0.0


FIVE_HANDED = {3: (3, 1, True), 4: (4, 2, True), 5: (5, 2, True), 8: (5, 0, True), 15: (5, 0, False)}
"""V18.8."""

SEVEN_HANDED = {
    **{tricks: (tricks, 2 if tricks < 6 else 3, True) for tricks in range(1, 8)},
    10: (7, 0, True),
    20: (7, 0, False),
}
"""V21.8; with `ten_partners` a bid of 10 is easier than the player thinks."""

TEAMS = Temper()
BUCK = Temper(order=1.5, name=1.4, stay=0.8)
SINGLE = Temper(order=2.4, name=2.2, alone=4.3)

TEMPERS = {
    "euchre": TEAMS,
    "british": TEAMS,
    "railroad": TEAMS,
    "lap-slam": TEAMS,
    "cornish": Temper(alone=3.7),
    "almonte": Temper(alone=3.7),
    "two-handed": SINGLE,
    "two-handed-extra-hands": Temper(order=2.4, name=2.2, alone=4.4, swap=2.5),
    "two-handed-dummy": Temper(order=2.4, name=2.2, alone=4.0),
    "two-handed-straw-men": Temper(caution=-2.8, names_no_trump=True),
    "three-handed": Temper(order=2.4, name=2.2),
    "cut-throat": Temper(order=2.4, name=2.2),
    "king-cut-throat": Temper(order=3.0, name=2.8, king=1.5),
    "buck": BUCK,
    "buck-turn-up": BUCK,
    "buck-wager": Temper(order=1.7, stay=0.8, caution=-1.2, names_any_suit=True),
    "dirty-clubs": Temper(stay=0.8, caution=-1.3, takes_upcard=True, names_no_trump=True),
    "buck-three-handed": Temper(stay=0.8, caution=-1.2, names_no_trump=True),
    "bid-102": Temper(stay=0.8, caution=-1.0, names_no_trump=True),
    "five-handed": Temper(widow=0.7, ladder=FIVE_HANDED),
    "seven-handed": Temper(partner=0.7, widow=0.6, ladder=SEVEN_HANDED),
}


def temper_of(variant: str) -> Temper:
    """The thresholds of a variant; those of plain Euchre where it has none of its own."""
    return TEMPERS.get(variant, TEAMS)
