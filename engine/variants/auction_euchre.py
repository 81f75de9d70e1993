"""V18 Five-handed and V21 Seven-handed Euchre (Foster 1897): bids of points and a suit; the maker chooses partners."""

from __future__ import annotations

from dataclasses import dataclass

from bowerbird.engine.cards.pack import SINGLE_JOKER, Pack, pack_of
from bowerbird.engine.ends import SIMULTANEOUS_WIN
from bowerbird.engine.options import Option, Options, choice, number
from bowerbird.engine.phases.exchange import WIDOW
from bowerbird.engine.phases.suit_auction import Bid, ChoosePartners, Ladder, SuitAuction, WidowForMaker
from bowerbird.engine.phases.tricks import Tricks, maker_leads
from bowerbird.engine.rules import Rules, Variant
from bowerbird.engine.state import State

FIVE_LADDER: Ladder = {  # V18.5, V18.8
    3: Bid(tricks=3, partners=1, widow=True),
    4: Bid(tricks=4, partners=2, widow=True),
    5: Bid(tricks=5, partners=2, widow=True),
    8: Bid(tricks=5, partners=0, widow=True),
    15: Bid(tricks=5, partners=0, widow=False),
}


def seven_ladder(lowest: int, ten_partners: int) -> Ladder:
    """Return the bids of V21.5 and V21.8 from `lowest` up."""
    return {
        **{n: Bid(tricks=n, partners=2 if n <= 5 else 3, widow=True) for n in range(lowest, 8)},
        10: Bid(tricks=7, partners=ten_partners, widow=True),
        20: Bid(tricks=7, partners=0, widow=False),
    }


@dataclass(frozen=True)
class BidTable:
    """The score of a hand: the points bid, for each maker if the bid is made, else for each defender (V18.8, V21.8)."""

    ladder: Ladder

    def __call__(self, h: State) -> tuple[int, ...]:
        """Return each seat's change of score."""
        assert h.maker is not None
        makers = h.sides[h.maker]
        tricks = sum(won for won, side in zip(h.tricks_won, h.sides, strict=True) if side == makers)
        made = tricks >= self.ladder[h.contract].tricks
        return tuple(h.contract if (side == makers) is made else 0 for side in h.sides)


def _auction_euchre(
    variant: str, o: Options, *, players: int, pack: Pack, deal: str, tricks: int, ladder: Ladder
) -> Rules:
    return Rules(
        variant,
        o,
        players=players,  # V18.1, V21.1
        pack=pack,  # 2
        deal=deal,  # 4
        piles=(WIDOW,),
        phases=(
            SuitAuction(ladder),  # 5.1
            WidowForMaker(ladder),  # 5.2
            ChoosePartners(ladder),  # 5.3
            Tricks(tricks, maker_leads),  # 5.4, 7
        ),
        score=BidTable(ladder),  # 8
        end=SIMULTANEOUS_WIN[o.word("simultaneous_win")](o.int("target")),  # 9
    )


def _five_handed(o: Options) -> Rules:
    return _auction_euchre(
        "five-handed",
        o,
        players=5,
        pack=pack_of(7),
        deal="hands 2, hands 3, widow 3",
        tricks=5,
        ladder=FIVE_LADDER,
    )


def _seven_handed(o: Options) -> Rules:
    return _auction_euchre(
        "seven-handed",
        o,
        players=7,
        pack=pack_of(13, SINGLE_JOKER),
        deal="hands 2, hands 3, hands 2, widow 4",
        tricks=7,
        ladder=seven_ladder(o.int("min_bid"), o.int("ten_partners")),
    )


TARGET_OPTIONS: dict[str, Option] = {
    "target": number(100, "points that win the game"),
    "simultaneous_win": choice(
        "who wins if several reach the target in one hand: the highest score, or all of them", "highest", "joint"
    ),
}

_END = """\
  Extra tricks score nothing, and no points are ever subtracted.
End     When a player has {target} points or more after a hand, the highest score wins. Equal scores share the
        win.
"""

FIVE_HANDED = Variant(
    name="five-handed",
    section="V18",
    title="Five-handed Euchre",
    page=f"""
Seats   5 players, each for himself. In each hand the maker and the partners he chooses play against the rest.
Pack    28 cards: A K Q J T 9 8 in four suits. Each player gets 5 cards. The other 3 are the widow, face down.
Order   Trumps, highest first: jack of trumps (right bower), other jack of that colour (left bower),
        A K Q T 9 8. The left bower is a trump in every respect. Plain suits: A K Q J T 9 8.

The hand
  1  There is one round of bids. Starting at the dealer's left, each player bids points and a suit ("bid 4 h")
     or passes. The points are 3, 4, 5, 8 or 15, and more than the last bid; suits have no rank. The highest
     bidder is the maker, and his suit is trump. If all pass, the hand is thrown in: nobody scores.
  2  With a bid of 3, 4, 5 or 8 the maker takes the widow into his hand and discards any 3 of his 8 cards, one
     at a time. With a bid of 15 the widow stays face down.
  3  The maker chooses his partners ("partner 3"), one at a time. They cannot refuse. The table has their
     number.
  4  Play of five tricks. All five play, and the maker leads. Follow suit if you can; otherwise play any card.
     The winner of a trick leads the next.

Points  (made: to the maker and each partner; failed: to each other player)
  bid   partners   tricks needed       made   failed
    3          1   3                      3        3
    4          2   4                      4        4
    5          2   5                      5        5
    8          0   5                      8        8
   15          0   5, no widow           15       15
{_END}
""",
    declare=_five_handed,
    own_options=TARGET_OPTIONS,
)

SEVEN_HANDED = Variant(
    name="seven-handed",
    section="V21",
    title="Seven-handed Euchre",
    page=f"""
Seats   7 players, each for himself. In each hand the maker and the partners he chooses play against the rest.
Pack    53 cards: A K Q J T 9 8 7 6 5 4 3 2 in four suits, and the joker X1. Each player gets 7 cards. The
        other 4 are the widow, face down.
Order   Trumps, highest first: X1, jack of trumps (right bower), other jack of that colour (left bower),
        A K Q T 9 8 7 6 5 4 3 2. The joker and the left bower are trumps in every respect. Plain suits:
        A K Q J T 9 8 7 6 5 4 3 2.

The hand
  1  There is one round of bids. Starting at the dealer's left, each player bids points and a suit ("bid 4 h")
     or passes. The points are {{min_bid}} to 7, 10 or 20, and more than the last bid; suits have no rank. The
     highest bidder is the maker, and his suit is trump. If all pass, the hand is thrown in: nobody scores.
  2  With any bid but 20 the maker takes the widow into his hand and discards any 4 of his 11 cards, one at a
     time. With a bid of 20 the widow stays face down.
  3  The maker chooses his partners ("partner 3"), one at a time. They cannot refuse. The table has their
     number.
  4  Play of seven tricks. All seven play, and the maker leads. Follow suit if you can; otherwise play any
     card. The winner of a trick leads the next.

Points  (made: to the maker and each partner; failed: to each other player)
  bid      partners   tricks needed       made      failed
  {{min_bid}} to 5          2   the bid         the bid     the bid
  6 or 7          3   the bid         the bid     the bid
  10      {{ten_partners:>9}}   7                    10          10
  20              0   7, no widow          20          20
{_END}
""",
    declare=_seven_handed,
    own_options={
        **TARGET_OPTIONS,
        "min_bid": choice("the lowest bid", 1, 2, 3, 4, 5, 6, 7),
        "ten_partners": choice("number of partners of a maker who bid 10", 0, 3),
    },
)

VARIANTS = (FIVE_HANDED, SEVEN_HANDED)
