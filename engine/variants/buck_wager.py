"""V14 Buck Euchre (wagering text): non-dealers bid tricks, the dealer takes the upcard, the maker names any suit."""

from __future__ import annotations

from dataclasses import dataclass

from engine.cards.pack import pack_of
from engine.ends import CountDownInTurn
from engine.options import Options, choice, number, switch
from engine.phases.auction import DealerMayTakeUp, NameTrump, OneRoundAuction
from engine.phases.staying import Staying
from engine.phases.tricks import Tricks
from engine.phases.upcard import NoTrumpHand, PickUp, TurnedSuit
from engine.rules import Rules, Variant
from engine.state import State
from engine.variants.buck import COUNT_DOWN_OPTIONS


@dataclass(frozen=True)
class WagerTable:
    """The sum of minus one for each trick, plus five for none, and plus five for a maker below his contract (V14.8)."""

    def __call__(self, h: State) -> tuple[int, ...]:
        """Return each seat's change of score."""
        return tuple(
            -won + 5 * (won == 0) + 5 * (seat == h.maker and won < h.contract) if seat in h.active else 0
            for seat, won in enumerate(h.tricks_won)
        )


def _buck_wager(o: Options) -> Rules:
    return Rules(
        "buck-wager",
        o,
        players=4,
        start=o.int("start"),
        better="low",  # V14.1
        pack=pack_of(6),  # 2
        deal="hands 5, upcard",  # 4
        phases=(
            TurnedSuit("c"),  # 5.1
            OneRoundAuction(3, 5, contract=3 if o.word("contract") == "three" else 0, dealer_bids=False),  # 5.2
            DealerMayTakeUp(contract=3),
            PickUp(),
            NameTrump(no_trump=False),
            NoTrumpHand(),  # 5.3
            Staying(  # 5.4
                tricks=5,
                from_left_of_maker=False,
                in_no_trump=True,
                against_maker=False,
                max_consecutive=o.int("max_consecutive_drops"),
            ),
            Tricks(5),  # 5.5, 7
        ),
        score=WagerTable(),  # 8
        end=CountDownInTurn(5, sweep=True, uncontested_sweep=o.on("uncontested_sweep_wins")),  # 9
    )


BUCK_WAGER = Variant(
    name="buck-wager",
    section="V14",
    title="Buck Euchre (wagering text)",
    page="""Seats   4, each for himself. Everybody begins with {start} points and counts down.
Pack    24: A K Q J T 9 in four suits. Each is dealt 5; the next card is the upcard, 3 stay in the talon.
Order   Trumps from the top: the jack of trumps (right bower), the other jack of that colour (left bower), A K Q T 9.
        The left bower is a trump in every respect. Plain suits, and all suits at no trump: A K Q J T 9.

The hand
  1  The upcard is a club: clubs are trump, there is no maker, nobody takes the upcard, all play. Go to 5.
  2  Else the three others, from the dealer's left, each once, bid tricks ("bid 3" to "bid 5", higher than the last bid)
     or pass. The highest bidder is the maker, his bid the contract. All three pass: the dealer may "order" and be the
     maker with a contract of 3, or pass.
  3  There is a maker: the dealer takes the upcard and discards another card. Then the maker names any of the four suits
     as trump ("call h"). Nobody may drop out.
  4  The dealer has passed, too: the hand is played at no trump, without a maker. From the dealer's left all say whether
     they "stay" or "drop". Who drops lays his cards aside and neither gains nor loses. If three drop, the one left is
     credited with five tricks and no card is played.
  5  Five tricks. The first seat in play from the dealer's left leads. Follow suit if you can; else play anything.

Points  (to each player; fewer are better; all that apply are added)
  each trick                               1 off
  in the hand without a trick              5 on
  a maker below his contract               5 on
  dropped out                              nothing
End     Five tricks in a hand in which somebody else played win the game at once. Else, when somebody has 0 or less
        after a hand, the first of them from that dealer's left wins, whatever the others have.
""",
    declare=_buck_wager,
    own_options={
        "start": number(25, "points at the beginning"),
        "contract": choice("tricks that a maker has to take: his bid, or always three", "bid", "three"),
        "uncontested_sweep_wins": switch("five tricks credited because all others dropped win the game at once, too"),
        "max_consecutive_drops": COUNT_DOWN_OPTIONS["max_consecutive_drops"],
    },
)

VARIANTS = (BUCK_WAGER,)
