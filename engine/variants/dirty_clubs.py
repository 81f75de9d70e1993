"""V15 Dirty Clubs: one round of bids, any trump, for four to ten players."""

from __future__ import annotations

from bowerbird.engine.cards.pack import Pack, pack_of
from bowerbird.engine.ends import CountDown
from bowerbird.engine.options import Options, added, choice, number
from bowerbird.engine.phases.auction import NameTrump, OneRoundAuction
from bowerbird.engine.phases.base import when
from bowerbird.engine.phases.exchange import DiscardForUpcard, MayTakeUpcard
from bowerbird.engine.phases.staying import Staying
from bowerbird.engine.phases.tricks import Tricks
from bowerbird.engine.phases.upcard import NoTrumpHand, PickUp, TurnedSuit
from bowerbird.engine.rules import Rules, Variant
from bowerbird.engine.scoring import CountDownTable
from bowerbird.engine.variants.buck import BUCK_OPTIONS, HIGHEST_WRITTEN_BID, bids_can_be_written

ALL_PASS = choice("a hand without a bid is played at no trump, or thrown in", "no_trump", "thrown_in")
FOUR_SUITS = 4


def pack_for(players: int) -> Pack:
    """Return the pack with the fewest ranks that has five cards for each of `players` and an upcard (V15.2)."""
    return pack_of(-(-(5 * players + 1) // FOUR_SUITS))


def _dirty_clubs(o: Options) -> Rules:
    return Rules(
        "dirty-clubs",
        o,
        players=o.int("players"),
        start=o.int("start"),
        better="low",  # V15.1
        pack=pack_for(o.int("players")),  # 2
        deal="hands 2, hands 3, upcard",  # 4
        phases=(
            TurnedSuit("c"),  # 5.1
            *when(o.word("club_pickup") == "dealer", PickUp(without_maker=True)),  # 10
            OneRoundAuction(1, o.int("max_bid"), thrown_in=o.word("all_pass") == "thrown_in"),  # 5.2, O12
            NameTrump(no_trump=True),  # 5.4
            NoTrumpHand(),  # 5.3
            MayTakeUpcard(),  # 5.5
            DiscardForUpcard(),
            Staying(  # 5.6
                tricks=5,
                from_left_of_maker=o.word("drop_order") == "from_left_of_maker",
                in_no_trump=o.on("drop_in_no_trump"),
                max_consecutive=o.int("max_consecutive_drops"),
                no_drop_at_or_below=o.int("no_drop_at_or_below"),  # O11
            ),
            Tricks(5),  # 5.7, 7
        ),
        score=CountDownTable(0, o.int("maker_zero_penalty"), o.on("failed_maker_keeps_tricks")),  # 8
        end=CountDown(5, o.on("sweep_wins"), o.on("uncontested_sweep_wins")),  # 9
    )


DIRTY_CLUBS = Variant(
    name="dirty-clubs",
    section="V15",
    title="Dirty Clubs",
    page="""
Seats   {players} players (up to 10 with the option players), each for himself. Each starts with {start}
        points and counts down.
Pack    Four suits with the fewest ranks, from the ace down, that are enough: 24 cards (A to 9) for 4 players,
        28 for 5, 32 for 6, 36 for 7, 44 for 8, 48 for 9, 52 for 10. Each player gets 5 cards. The next card
        is turned up (the upcard). The others are the talon and stay unused.
Order   Trumps, highest first: jack of trumps (right bower), other jack of that colour (left bower),
        A K Q T 9 8 and so on. The left bower is a trump in every respect. Plain suits, and every suit at no
        trump: A K Q J T 9 8 and so on.

The hand
  1  If the upcard is a club, clubs are trump. There is no maker, no player takes the upcard, and no player
     may drop out. Go to 5.
  2  Otherwise there is one round of bids. Starting at the dealer's left, each player bids a number of tricks
     ("bid 1" to "bid {max_bid}", higher than the last bid) or passes. The highest bidder is the maker. If all pass,
     the hand is played at no trump without a maker, no player may drop out, and the upcard is out of play. Go
     to 5.
  3  The maker names any suit, or no trump ("call h", "call nt"). Clubs and the upcard's suit are allowed. Then
     he takes the upcard and discards another card ("take"), or leaves it out of play ("decline").
  4  Each other player, starting at the maker's left, says "stay" or "drop". A player who drops puts
     his cards aside and neither gains nor loses.
     If all others drop, the maker is credited with five tricks and no card is played.
  5  Play of five tricks. The player at the dealer's left leads, or the next one who is in. Follow suit if
     you can; otherwise play any card. The winner of a trick leads the next.

Points  (to each player; fewer are better)
  each trick taken                         -1
  no trick taken                           +5
  maker with tricks, but below his bid     +5, and nothing off for the tricks
  maker with no trick                      +{maker_zero_penalty}
  dropped out                               0
End     A player who takes all five tricks wins the game at once, if another player was in the hand.
        Otherwise, when a player has 0 points or fewer after a hand, the lowest score wins. Equal scores share
        the win.
""",
    declare=_dirty_clubs,
    own_options={
        "players": choice("number of players; it determines the pack", 4, 5, 6, 7, 8, 9, 10),
        "start": number(20, "points at the beginning"),
        "all_pass": ALL_PASS,
        **{name: option for name, option in BUCK_OPTIONS.items() if name not in ("start", "name_no_trump")},  # E11
        "max_bid": added(
            number(5, f"the highest bid, at most {HIGHEST_WRITTEN_BID}; bids above 5 cannot be made (O12)")
        ),
    },
    check=bids_can_be_written,
)

VARIANTS = (DIRTY_CLUBS,)
