"""V24 Buck with an auction and folding: bids go round until all but one player have passed, and the maker leads."""

from __future__ import annotations

from collections.abc import Mapping

from bowerbird.engine.cards.pack import pack_of
from bowerbird.engine.ends import CountDown
from bowerbird.engine.options import AnyInteger, OneOf, Option, Options, OptionValue, choice, number, switch
from bowerbird.engine.phases.auction import LeavingAuction, NameTrump
from bowerbird.engine.phases.staying import Staying
from bowerbird.engine.phases.tricks import Tricks, maker_or_eldest_leads
from bowerbird.engine.phases.upcard import NoTrumpHand, TurnedSuit
from bowerbird.engine.rules import Rules, Variant, refuse
from bowerbird.engine.scoring import CountDownTable
from bowerbird.engine.variants.buck import BUCK_OPTIONS, HIGHEST_WRITTEN_BID, NO_DROP, bids_can_be_written
from bowerbird.engine.variants.buck_bid import SHARED_OPTIONS


def _check(variant: str, values: dict[str, OptionValue], given: Mapping[str, object]) -> None:
    """Reject combinations that E12 excludes, a `max_bid` without a token, and limits that leave no bid."""
    bids_can_be_written(variant, values, given)
    low, high = values["min_bid"], values["max_bid"]
    if isinstance(low, int) and isinstance(high, int) and low > high:
        raise refuse(variant, f"min_bid = {low} must not be above max_bid = {high}")


def _buck_auction(o: Options) -> Rules:
    return Rules(
        "buck-auction",
        o,
        players=4,
        start=o.int("start"),
        better="low",  # V24.1
        pack=pack_of(6),  # 2
        deal="hands 2, hands 3, upcard",  # 4
        phases=(
            TurnedSuit("c", never_taken=True),  # 4, 5.1
            LeavingAuction(o.int("min_bid"), o.int("max_bid"), thrown_in=o.word("all_pass") == "thrown_in"),  # 5.2, 5.3
            NameTrump(no_trump=o.on("name_no_trump")),  # 5.4
            NoTrumpHand(),  # 5.3
            Staying(  # 5.4
                tricks=5,
                from_left_of_maker=o.word("drop_order") == "from_left_of_maker",
                no_drop_at_or_below=o.int("no_drop_at_or_below"),
                max_consecutive=o.int("max_consecutive_drops"),
            ),
            Tricks(5, maker_or_eldest_leads),  # 5.5, 7
        ),
        score=CountDownTable(0),  # 8
        end=CountDown(5, o.on("sweep_wins"), o.on("uncontested_sweep_wins")),  # 9
    )


BUCK_AUCTION = Variant(
    name="buck-auction",
    section="V24",
    title="Buck with an auction and folding",
    also=("Buck auction", "Buck Euchre auction", "Buck with an auction"),
    page="""
Seats   4 players, each for himself. Each starts with {start} points and counts down.
Pack    24 cards: A K Q J T 9 in four suits. Each player gets 5 cards. The next card is turned up (the
        upcard). The upcard and the other 3, the talon, stay out of play.
Order   Trumps, highest first: jack of trumps (right bower), other jack of that colour (left bower),
        A K Q T 9. The left bower is a trump in every respect. Plain suits, and every suit at no trump:
        A K Q J T 9.

The hand
  1  If the upcard is a club, clubs are trump. There are no bids and no maker, and no player may drop out.
     Go to 5.
  2  Otherwise, starting at the dealer's left, the players in turn bid a number of tricks ("bid {min_bid}" to
     "bid {max_bid}", higher than the last bid) or pass. A player who has passed is out of the auction. It
     ends when all but the highest bidder have passed. If all pass, the hand is thrown in: nobody scores.
  3  The highest bidder is the maker. He names any of the four suits as trump ("call h"), the upcard's suit
     included.
  4  Each other player, starting at the maker's left, says "stay" or "drop". A player who drops puts his cards
     aside and neither gains nor loses. If all others drop, the maker is credited with five tricks and no
     card is played.
  5  Play of five tricks. The maker leads; without a maker, the player at the dealer's left. Follow suit if
     you can; otherwise play any card. The winner of a trick leads the next.

Points  (to each player; fewer are better)
  each trick taken                         -1
  no trick taken                           +5
  maker below his bid                      +5, and nothing off for his tricks
  dropped out                               0
End     When a player has 0 points or fewer after a hand, the lowest score wins. Equal scores share the win.
        Five tricks do not win the game (option sweep_wins).
""",
    declare=_buck_auction,
    own_options={
        "start": number(15, "points at the beginning"),
        "min_bid": Option(2, OneOf((1, 2, 3, 4, 5)), "the lowest bid, at most max_bid"),
        "max_bid": number(5, f"the highest bid, at most {HIGHEST_WRITTEN_BID}; bids above 5 cannot be made"),
        "name_no_trump": switch("the maker may name no trump"),
        "all_pass": choice("a hand without a bid is thrown in, or played at no trump", "thrown_in", "no_trump"),
        "drop_order": BUCK_OPTIONS["drop_order"],
        "no_drop_at_or_below": Option(0, AnyInteger(), f"{NO_DROP} (O11)"),
        **{name: SHARED_OPTIONS[name] for name in ("sweep_wins", "uncontested_sweep_wins", "max_consecutive_drops")},
    },
    check=_check,
)

VARIANTS = (BUCK_AUCTION,)
