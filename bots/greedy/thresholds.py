"""How boldly the greedy bot plays: thresholds by variant, in tricks that its own hand can expect.

They come from playing the bot against itself with other thresholds, as in `python -m benchmarks duel greedy:stay=1.1
greedy buck-auction`. In 400 mirrored deals none of these was clearly ahead (points a deal):

- hasenpfeffer: shares_tricks .25 -0.29 ± 0.19, .55 +0.03 ± 0.18, .7 -0.04 ± 0.24; bid_margin -.6 +0.04 ± 0.17, .6 -0.45
  ± 0.20.
- buck-auction: bid_margin -1.8 -0.17 ± 0.12, -.6 0.00 ± 0.10, 0 -0.23 ± 0.12; stay .5 -0.13 ± 0.09, 1.1 -0.15 ± 0.07,
  1.4 -0.27 ± 0.09.
- bid-euchre: shares_tricks .25 -0.05 ± 0.13; bid_margin .7 -0.06 ± 0.11.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The thresholds of one variant. Numbers are expected tricks of the bot's own hand unless stated otherwise.

    Attributes:
        order: the fewest tricks to accept the upcard's suit.
        name: the fewest tricks to name a suit. It is lower than `order`, because seats with better hands have passed.
        alone: the fewest tricks to go alone.
        defend: the fewest tricks to defend alone.
        stay: the fewest tricks to stay in, before `bidding.STAY_MARGIN`.
        swap: a hand with fewer tricks is given up for an unseen one.
        bid_margin: a bid of a number needs that number of tricks plus this margin.
        partner_tricks: the tricks expected from each partner.
        widow_tricks: the tricks expected from an unseen widow.
        shares_tricks: the partner's share of the tricks that the hand does not take, if both teams score what they take
            and a bid is a contract; 0 otherwise.
        names_no_trump: the winner of the auction may name no trump.
        names_any_suit: the seat that accepts the upcard may name any suit.
        takes_upcard: the winner of the auction may take the upcard.
        contracts: for each number of a bid with a suit: tricks needed, number of partners, whether the widow is taken.
        king_bonus: the extra value of a king that wins, in tricks.
    """

    order: float = 2.0
    name: float = 1.8
    alone: float = 4.1
    defend: float = 2.8
    stay: float = 1.2
    swap: float = 1.7
    bid_margin: float = 0.0
    partner_tricks: float = 0.9
    widow_tricks: float = 0.0
    shares_tricks: float = 0.0
    names_no_trump: bool = False
    names_any_suit: bool = False
    takes_upcard: bool = False
    contracts: Mapping[int, tuple[int, int, bool]] = field(default_factory=dict)
    king_bonus: float = 0.0


FIVE_HANDED = {3: (3, 1, True), 4: (4, 2, True), 5: (5, 2, True), 8: (5, 0, True), 15: (5, 0, False)}
"""V18.8."""

SEVEN_HANDED = {
    **{tricks: (tricks, 2 if tricks < 6 else 3, True) for tricks in range(1, 8)},
    10: (7, 0, True),
    20: (7, 0, False),
}
"""V21.8. With the option `ten_partners` a bid of 10 is easier than in this table."""

TEAMS = Thresholds()
BUCK = Thresholds(order=1.5, name=1.4, stay=0.8)

THRESHOLDS = {
    "euchre": TEAMS,
    "british": TEAMS,
    "railroad": TEAMS,
    "lap-slam": TEAMS,
    "cornish": Thresholds(alone=3.7),
    "almonte": Thresholds(alone=3.7),
    "two-handed": Thresholds(order=2.4, name=2.2, alone=4.3),
    "two-handed-extra-hands": Thresholds(order=2.4, name=2.2, alone=4.4, swap=2.5),
    "two-handed-dummy": Thresholds(order=2.4, name=2.2, alone=4.0),
    "two-handed-straw-men": Thresholds(bid_margin=-2.8, names_no_trump=True),
    "three-handed": Thresholds(order=2.4, name=2.2),
    "cut-throat": Thresholds(order=2.4, name=2.2),
    "king-cut-throat": Thresholds(order=3.0, name=2.8, king_bonus=1.5),
    "buck": BUCK,
    "buck-turn-up": BUCK,
    "buck-wager": Thresholds(order=1.7, stay=0.8, bid_margin=-1.2, names_any_suit=True),
    "dirty-clubs": Thresholds(stay=0.8, bid_margin=-1.3, takes_upcard=True, names_no_trump=True),
    "buck-three-handed": Thresholds(stay=0.8, bid_margin=-1.2, names_no_trump=True),
    "bid-102": Thresholds(stay=0.8, bid_margin=-1.0, names_no_trump=True),
    "five-handed": Thresholds(widow_tricks=0.7, contracts=FIVE_HANDED),
    "seven-handed": Thresholds(partner_tricks=0.7, widow_tricks=0.6, contracts=SEVEN_HANDED),
    "bid-euchre": Thresholds(shares_tricks=0.4, names_no_trump=True),
    "hasenpfeffer": Thresholds(shares_tricks=0.4),
    "buck-auction": Thresholds(stay=0.8, bid_margin=-1.2),
}


def thresholds_for(variant: str) -> Thresholds:
    """Return the thresholds of `variant`, or plain euchre's if it has none."""
    return THRESHOLDS.get(variant, TEAMS)
