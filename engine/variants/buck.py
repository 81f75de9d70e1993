"""V12 Buck Euchre (four players, Ohio) and V13, the same game from another text."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from bowerbird.engine.cards.pack import pack_of
from bowerbird.engine.ends import CountDown
from bowerbird.engine.options import AnyInteger, Option, Options, OptionValue, added, choice, number, switch
from bowerbird.engine.phases.base import when
from bowerbird.engine.phases.staying import Staying
from bowerbird.engine.phases.tricks import Tricks
from bowerbird.engine.phases.upcard import NameSuit, NoTrumpHand, OrderUp, PickUp, TurnedSuit
from bowerbird.engine.rules import Rules, Variant, refuse
from bowerbird.engine.scoring import CountDownTable

HIGHEST_WRITTEN_BID = 99
"""The highest bid that has a token, which allows two digits (notation.md, Decisions). No bid above 5 can succeed."""

NO_DROP = "a player with this score or less before the hand may not drop"

COUNT_DOWN_OPTIONS: dict[str, Option] = {
    "sweep_wins": switch(
        "a player who takes all five tricks wins the game, if another player was in the hand", default=True
    ),
    "uncontested_sweep_wins": switch("a player also wins the game if all others drop; needs sweep_wins"),
    "maker_zero_penalty": choice("points that a maker with no trick adds", 5, 10),
    "failed_maker_keeps_tricks": switch("a maker who fails subtracts his tricks, too"),
    "max_consecutive_drops": number(0, "a player may drop in this many hands in a row; 0: no limit", low=0),
}

BUCK_OPTIONS: dict[str, Option] = {
    "start": number(25, "points at the beginning"),
    **COUNT_DOWN_OPTIONS,
    "drop_in_no_trump": switch("players may also drop in a no-trump hand without a maker"),
    "drop_order": choice(
        "who is asked first: left of the maker, or left of the dealer (eldest)", "from_left_of_maker", "from_eldest"
    ),
    "name_no_trump": switch("players may name no trump in the second round"),
    "club_pickup": choice(
        "who takes a club that is turned up: no player, or the dealer, who discards a card", "none", "dealer"
    ),
    "no_drop_at_or_below": added(Option(0, AnyInteger(), f"{NO_DROP} (O11)")),
}


def needs_sweep(variant: str, values: dict[str, OptionValue], given: Mapping[str, object]) -> None:
    """Reject `uncontested_sweep_wins` without `sweep_wins` (E12)."""
    if values["uncontested_sweep_wins"] and not values["sweep_wins"]:
        raise refuse(variant, "uncontested_sweep_wins = true needs sweep_wins = true")


def bids_can_be_written(variant: str, values: dict[str, OptionValue], given: Mapping[str, object]) -> None:
    """Reject combinations that E12 excludes, and a `max_bid` without a token (E23)."""
    needs_sweep(variant, values, given)
    highest = values["max_bid"]
    if isinstance(highest, int) and highest > HIGHEST_WRITTEN_BID:
        raise refuse(variant, f"max_bid = {highest} is too high: bids are written up to {HIGHEST_WRITTEN_BID}")


def _buck(variant: str, o: Options) -> Rules:
    return Rules(
        variant,
        o,
        players=4,
        start=o.int("start"),
        better="low",  # V12.1
        pack=pack_of(6),  # 2
        deal="hands 2, hands 3, upcard",  # 4
        phases=(
            TurnedSuit("c"),  # 5.1
            *when(o.word("club_pickup") == "dealer", PickUp(without_maker=True)),  # 10
            OrderUp(),
            PickUp(),  # 5.2
            NameSuit(no_trump=o.on("name_no_trump"), thrown_in=False),  # 5.3
            NoTrumpHand(),  # 5.4
            Staying(  # 5.5
                tricks=5,
                from_left_of_maker=o.word("drop_order") == "from_left_of_maker",
                in_no_trump=o.on("drop_in_no_trump"),
                max_consecutive=o.int("max_consecutive_drops"),
                no_drop_at_or_below=o.int("no_drop_at_or_below"),  # O11
            ),
            Tricks(5),  # 5.6, 7
        ),
        score=CountDownTable(3, o.int("maker_zero_penalty"), o.on("failed_maker_keeps_tricks")),  # 8
        end=CountDown(5, o.on("sweep_wins"), o.on("uncontested_sweep_wins")),  # 9
    )


_PACK = """\
Pack    24 cards: A K Q J T 9 in four suits. Each player gets 5 cards. The next card is turned up (the
        upcard). The other 3 are the talon and stay unused.
Order   Trumps, highest first: jack of trumps (right bower), other jack of that colour (left bower),
        A K Q T 9. The left bower is a trump in every respect. Plain suits, and every suit at no trump:
        A K Q J T 9.
"""

_CALLS = """\
  1  If the upcard is a club, clubs are trump. There is no maker, no player takes the upcard, and no player
     may drop out. Go to 5.
  2  Otherwise, starting at the dealer's left, each player accepts the upcard's suit as trump ("order") or
     passes. The first to accept is the maker. The dealer takes the upcard, even if another player accepted
     it, and discards another card.
  3  If all pass, the upcard is turned down. Each in turn names another suit ("call c") or passes; the first
     to name one is the maker. If all pass again, the hand is played at no trump without a maker.
"""

_POINTS_AND_END = """\
Points  (to each player; fewer are better)
  each trick taken                         -1
  no trick taken                           +5
  maker with 1 or 2 tricks                 +5, and nothing off for the tricks
  maker with no trick                      +{maker_zero_penalty}
  dropped out                               0
End     A player who takes all five tricks wins the game at once, if another player was in the hand.
        Otherwise, when a player has 0 points or fewer after a hand, the lowest score wins. Equal scores share
        the win.
"""

BUCK = Variant(
    name="buck",
    section="V12",
    title="Buck Euchre",
    page=f"""
Seats   4 players, each for himself. Each starts with {{start}} points and counts down.
{_PACK}
The hand
{_CALLS}     In that case no player may drop out. Go to 5.
  4  If there is a maker, each other player, starting at the maker's left, says "stay" or "drop".
     A player who drops puts
     his cards aside and neither gains nor loses. If all others drop, the maker is credited with five tricks
     and no card is played.
  5  Play of five tricks. The player at the dealer's left leads, or the next one who is in. Follow suit if
     you can; otherwise play any card. The winner of a trick leads the next.

{_POINTS_AND_END}
""",
    declare=partial(_buck, "buck"),
    own_options=BUCK_OPTIONS,
    check=needs_sweep,
)

BUCK_TURN_UP = Variant(
    name="buck-turn-up",
    section="V13",
    title="Buck Euchre (turn-up text)",
    also=("Buck Euchre turn-up",),
    page=f"""
Seats   4 players, each for himself. Each starts with {{start}} points and counts down.
{_PACK}
The hand
{_CALLS}  4  Each player except the maker, starting at the dealer's left, says "stay" or "drop", also at no trump.
     A player who drops puts
     his cards aside and neither gains nor loses. If all but one drop, the last player is credited
     with five tricks and no card is played.
  5  Play of five tricks. The player at the dealer's left leads, or the next one who is in. Follow suit if
     you can; otherwise play any card. The winner of a trick leads the next.

{_POINTS_AND_END}
""",
    declare=partial(_buck, "buck-turn-up"),  # V13 is V12 with two other defaults
    own_options={
        **BUCK_OPTIONS,
        "drop_in_no_trump": switch("players may also drop in a no-trump hand without a maker", default=True),
        "drop_order": choice(
            "who is asked first: left of the maker, or left of the dealer (eldest)", "from_eldest", "from_left_of_maker"
        ),
    },
    check=needs_sweep,
)

VARIANTS = (BUCK, BUCK_TURN_UP)
