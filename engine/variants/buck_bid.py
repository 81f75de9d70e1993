"""V16 Three-player Buck Euchre (Columbus) and V17 Bid Euchre 102: an auction that goes round, then stay or drop."""

from __future__ import annotations

from bowerbird.engine.cards.pack import pack_of
from bowerbird.engine.ends import CountDown
from bowerbird.engine.options import AnyInteger, Option, Options, number, switch
from bowerbird.engine.phases.auction import GoingRoundAuction, NameTrump
from bowerbird.engine.phases.base import Phase, when
from bowerbird.engine.phases.exchange import STOCK, WIDOW, SwapForWidow, stock_exchange
from bowerbird.engine.phases.staying import Staying
from bowerbird.engine.phases.tricks import Tricks
from bowerbird.engine.phases.upcard import NoTrumpHand
from bowerbird.engine.rules import Rules, Variant
from bowerbird.engine.scoring import CountDownTable
from bowerbird.engine.variants.buck import (
    COUNT_DOWN_OPTIONS,
    HIGHEST_WRITTEN_BID,
    NO_DROP,
    bids_can_be_written,
)
from bowerbird.engine.variants.dirty_clubs import ALL_PASS

SHARED_OPTIONS: dict[str, Option] = {
    "start": number(15, "points at the beginning"),
    "no_drop_at_or_below": Option(5, AnyInteger(), NO_DROP),
    "max_bid": number(10, f"the highest bid, at most {HIGHEST_WRITTEN_BID}; bids above 5 cannot be made"),
    "sweep_wins": switch(
        "a player who takes all five tricks wins the game, if another player was in the hand; even below his bid"
    ),
    "uncontested_sweep_wins": COUNT_DOWN_OPTIONS["uncontested_sweep_wins"],
    "max_consecutive_drops": COUNT_DOWN_OPTIONS["max_consecutive_drops"],
    "all_pass": ALL_PASS,
}


def _bid_and_play(o: Options) -> tuple[Phase, ...]:
    """Return the phases of V16.5.2 to 5.6 and V17.5.2 to 5.6."""
    return (
        GoingRoundAuction(1, o.int("max_bid"), thrown_in=o.word("all_pass") == "thrown_in"),  # 5.2
        NameTrump(no_trump=True),  # 5.4
        NoTrumpHand(),  # 5.3
        Staying(  # 5.5
            tricks=5,
            no_drop_at_or_below=o.int("no_drop_at_or_below"),
            max_consecutive=o.int("max_consecutive_drops"),
        ),
        Tricks(5),  # 5.6, 7
    )


def _buck_three_handed(o: Options) -> Rules:
    return Rules(
        "buck-three-handed",
        o,
        players=3,
        start=o.int("start"),
        better="low",  # V16.1
        pack=pack_of(6),  # 2
        deal="hands widow 2, hands widow 3",  # 4
        piles=(WIDOW,),
        phases=(SwapForWidow(), *_bid_and_play(o)),  # 5.1, and the rest of 5
        score=CountDownTable(0),  # 8
        end=CountDown(5, o.on("sweep_wins"), o.on("uncontested_sweep_wins")),  # 9
    )


def _bid_102(o: Options) -> Rules:
    return Rules(
        "bid-102",
        o,
        players=4,
        start=o.int("start"),
        better="low",  # V17.1
        pack=pack_of(6),  # 2
        deal="hands 2, hands 3, stock 4",  # 4
        piles=(STOCK,),
        phases=(*when(o.on("stock_exchange"), *stock_exchange(4)), *_bid_and_play(o)),  # 5.1, and the rest of 5
        score=CountDownTable(0),  # 8: the table of V16
        end=CountDown(5, o.on("sweep_wins"), o.on("uncontested_sweep_wins")),  # 9
    )


_ORDER = """\
Order   Trumps, highest first: jack of trumps (right bower), other jack of that colour (left bower),
        A K Q T 9. The left bower is a trump in every respect. Plain suits, and every suit at no trump:
        A K Q J T 9.
"""

_THE_REST = """\
     Bids above 5 cannot be fulfilled; they only stop another player from becoming the maker. If there is no bid,
     the hand is played at no trump without a maker, and no player may drop out. Go to 5.
  3  The highest bidder is the maker. He names any suit, or no trump ("call h", "call nt").
  4  Each other player, starting at the maker's left, says "stay" or "drop". A player with
     {no_drop_at_or_below} points or fewer is not asked: he stays in. A player who drops puts his cards aside
     and neither gains nor loses. If all others drop, the maker is credited with five tricks and no card is
     played.
  5  Play of five tricks. The player at the dealer's left leads, or the next one who is in. Follow suit if
     you can; otherwise play any card. The winner of a trick leads the next.

Points  (to each player; fewer are better)
  each trick taken                         -1
  no trick taken                           +5
  maker below his bid (always if above 5)  +5, and nothing off for tricks
  dropped out                               0
End     When a player has 0 points or fewer after a hand, the lowest score wins. Equal scores share the win.
        Five tricks do not win the game (option sweep_wins).
"""

BUCK_THREE_HANDED = Variant(
    name="buck-three-handed",
    section="V16",
    title="Three-player Buck Euchre",
    also=("Three-handed Buck Euchre",),
    page=f"""
Seats   3 players, each for himself. Each starts with {{start}} points and counts down.
Pack    24 cards: A K Q J T 9 in four suits. Each player gets 5 cards; 5 more are the widow, face down. The
        other 4 are the talon and stay unused.
{_ORDER}
The hand
  1  The player at the dealer's right, the dealer and the player at the dealer's left are asked in this order
     until one of them takes the widow: "swap" or "keep". He takes it unseen in exchange for his whole hand,
     which is then out of play.
  2  Starting at the dealer's left, the players in turn bid a number of tricks ("bid 1" to "bid {{max_bid}}",
     higher than the last bid) or pass. A player who has passed may bid later. The auction ends when the other
     two pass in a row after a bid.
{_THE_REST}
""",
    declare=_buck_three_handed,
    own_options=SHARED_OPTIONS,
    check=bids_can_be_written,
)

BID_102 = Variant(
    name="bid-102",
    section="V17",
    title="Bid Euchre 102",
    also=("102",),
    page=f"""
Seats   4 players, each for himself. Each starts with {{start}} points and counts down.
Pack    24 cards: A K Q J T 9 in four suits. Each player gets 5 cards. The other 4 are the stock, face down.
{_ORDER}
The hand
  1  The player at the dealer's right, the dealer, the player at the dealer's left and the next one are asked
     in this order, while stock cards are left. With "exchange 2" a player discards two cards, one at a time,
     and then takes the top two cards of the stock. With "exchange 0" he keeps his hand.
  2  Starting at the dealer's left, the players in turn bid a number of tricks ("bid 1" to "bid {{max_bid}}",
     higher than the last bid) or pass. A player who has passed may bid later. The auction ends when the other
     three pass in a row after a bid.
{_THE_REST}
""",
    declare=_bid_102,
    own_options={
        **SHARED_OPTIONS,
        "stock_exchange": switch("players may exchange cards with the stock", default=True),
    },
    check=bids_can_be_written,
)

VARIANTS = (BUCK_THREE_HANDED, BID_102)
