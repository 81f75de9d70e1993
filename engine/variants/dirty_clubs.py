"""V15 Dirty Clubs: one round of bids, any trump, for four to ten players."""

from __future__ import annotations

from engine.cards.pack import Pack, pack_of
from engine.ends import CountDown
from engine.options import Options, choice, number
from engine.phases.auction import NameTrump, OneRoundAuction
from engine.phases.base import when
from engine.phases.exchange import DiscardForUpcard, MayTakeUpcard
from engine.phases.staying import Staying
from engine.phases.tricks import Tricks
from engine.phases.upcard import NoTrumpHand, PickUp, TurnedSuit
from engine.rules import Rules, Variant
from engine.scoring import CountDownTable
from engine.variants.buck import BUCK_OPTIONS, needs_sweep

ALL_PASS = choice("nobody bids: the hand is played at no trump, or thrown in", "no_trump", "thrown_in")
FOUR_SUITS = 4


def pack_for(players: int) -> Pack:
    """Return the pack with the fewest ranks that give each of `players` five cards and leave an upcard (V15.2)."""
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
            OneRoundAuction(1, 5, thrown_in=o.word("all_pass") == "thrown_in"),  # 5.2
            NameTrump(no_trump=True),  # 5.4
            NoTrumpHand(),  # 5.3
            MayTakeUpcard(),  # 5.5
            DiscardForUpcard(),
            Staying(  # 5.6
                tricks=5,
                from_left_of_maker=o.word("drop_order") == "from_left_of_maker",
                in_no_trump=o.on("drop_in_no_trump"),
                max_consecutive=o.int("max_consecutive_drops"),
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
    page="""Seats   {players}, or by the option players up to 10; each for himself. All begin with {start} \
points and count down.
Pack    As many ranks of four suits, from the ace down, as are needed: 24 cards (A to 9) for 4 players, 28 for 5, 32 for
        6, 36 for 7, 44 for 8, 48 for 9, 52 for 10. Each is dealt 5; the next card is the upcard, the rest stays in the
        talon.
Order   Trumps from the top: the jack of trumps (right bower), the other jack of that colour (left bower), A K Q T 9 8
        and so on. The left bower is a trump in every respect. Plain suits, and all suits at no trump: A K Q J T 9 8 ...

The hand
  1  The upcard is a club: clubs are trump, there is no maker, nobody takes the upcard and nobody may drop out. Go to 5.
  2  Else, from the dealer's left, each once, bid tricks ("bid 1" to "bid 5", higher than the last bid) or pass. The
     highest bidder is the maker. All pass: the hand is played at no trump, without a maker, nobody may drop out and the
     upcard is out of play.
  3  The maker names trump: any suit, clubs and the upcard's too, or no trump ("call h", "call nt"). Then he may "take"
     the upcard and discard another card, or "decline"; then it is out of play.
  4  The others say from his left whether they "stay" or "drop". Who drops lays his cards aside and neither gains nor
     loses. If all others drop, the maker is credited with five tricks and no card is played.
  5  Five tricks. The first seat in play from the dealer's left leads. Follow suit if you can; else play anything.

Points  (to each player; fewer are better)
  each trick                               1 off
  in the hand without a trick              5 on
  a maker below his bid                    5 on, and no trick is taken off
  dropped out                              nothing
End     Five tricks in a hand in which somebody else played win the game at once. Else, when somebody has 0 or less
        after a hand, the lowest score wins; equal ones share.
""",
    declare=_dirty_clubs,
    own_options={
        "players": choice("number of players; the pack follows from it", 4, 5, 6, 7, 8, 9, 10),
        "start": number(20, "points at the beginning"),
        "all_pass": ALL_PASS,
        **{name: option for name, option in BUCK_OPTIONS.items() if name not in ("start", "name_no_trump")},  # E11
    },
    check=needs_sweep,
)

VARIANTS = (DIRTY_CLUBS,)
