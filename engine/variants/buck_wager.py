"""V14 Buck Euchre (wagering text): non-dealers bid tricks, the dealer takes the upcard, the maker names any suit."""

from __future__ import annotations

from dataclasses import dataclass

from bowerbird.engine.cards.pack import pack_of
from bowerbird.engine.ends import CountDownInTurn
from bowerbird.engine.options import Options, added, choice, number, switch
from bowerbird.engine.phases.auction import DealerMayTakeUp, NameTrump, OneRoundAuction
from bowerbird.engine.phases.staying import Staying
from bowerbird.engine.phases.tricks import Tricks
from bowerbird.engine.phases.upcard import NoTrumpHand, PickUp, TurnedSuit
from bowerbird.engine.rules import Rules, Variant
from bowerbird.engine.state import State
from bowerbird.engine.variants.buck import BUCK_OPTIONS, COUNT_DOWN_OPTIONS, needs_sweep


@dataclass(frozen=True)
class WagerTable:
    """The score of a hand: -1 for each trick, +5 for no trick, and +5 for a maker below his contract (V14.8)."""

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
                no_drop_at_or_below=o.int("no_drop_at_or_below"),  # O11
            ),
            Tricks(5),  # 5.5, 7
        ),
        score=WagerTable(),  # 8
        end=CountDownInTurn(5, sweep=o.on("sweep_wins"), uncontested_sweep=o.on("uncontested_sweep_wins")),  # 9
    )


BUCK_WAGER = Variant(
    name="buck-wager",
    section="V14",
    title="Buck Euchre (wagering text)",
    also=("Buck Euchre wagering",),
    page="""
Seats   4 players, each for himself. Each starts with {start} points and counts down.
Pack    24 cards: A K Q J T 9 in four suits. Each player gets 5 cards. The next card is turned up (the
        upcard). The other 3 are the talon and stay unused.
Order   Trumps, highest first: jack of trumps (right bower), other jack of that colour (left bower),
        A K Q T 9. The left bower is a trump in every respect. Plain suits, and every suit at no trump:
        A K Q J T 9.

The hand
  1  If the upcard is a club, clubs are trump. There is no maker, no player takes the upcard, and all play.
     Go to 5.
  2  Otherwise there is one round of bids. Starting at the dealer's left, each of the other three bids a
     number of tricks ("bid 3" to "bid 5", higher than the last bid) or passes. The highest bidder is the
     maker, and the bid is his contract. If all three pass, the dealer says "order" and is the maker with a
     contract of 3, or he passes, too.
  3  If there is a maker, the dealer takes the upcard and discards another card. Then the maker names any of
     the four suits as trump ("call h"). No player may drop out. Go to 5.
  4  If the dealer passes, too, the hand is played at no trump without a maker. Starting at the dealer's left,
     each player says "stay" or "drop". A player who drops puts
     his cards aside and neither gains nor loses. If three drop, the last
     player is credited with five tricks and no card is played.
  5  Play of five tricks. The player at the dealer's left leads, or the next one who is in. Follow suit if
     you can; otherwise play any card. The winner of a trick leads the next.

Points  (to each player; fewer are better; all lines that apply are added)
  each trick taken                         -1
  no trick taken                           +5
  maker below his contract                 +5
  dropped out                               0
End     A player who takes all five tricks wins the game at once, if another player was in the hand.
        Otherwise, when players have 0 points or fewer after a hand, the first of them wins, starting at the
        left of that hand's dealer.
""",
    declare=_buck_wager,
    own_options={
        "start": number(25, "points at the beginning"),
        "contract": choice("tricks that the maker needs: his bid, or always three", "bid", "three"),
        "uncontested_sweep_wins": switch("a player also wins the game if all others drop; needs sweep_wins"),
        "max_consecutive_drops": COUNT_DOWN_OPTIONS["max_consecutive_drops"],
        "no_drop_at_or_below": BUCK_OPTIONS["no_drop_at_or_below"],
        "sweep_wins": added(COUNT_DOWN_OPTIONS["sweep_wins"]),
    },
    check=needs_sweep,
)

VARIANTS = (BUCK_WAGER,)
