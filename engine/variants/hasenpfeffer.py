"""V23 Hasenpfeffer: two teams bid tricks with a joker and a widow of one card, and both score."""

from __future__ import annotations

from collections.abc import Iterator

from bowerbird.engine.cards.deal import DealPlan
from bowerbird.engine.cards.pack import SINGLE_JOKER, pack_of
from bowerbird.engine.ends import BIDDERS_END
from bowerbird.engine.options import OneOf, Option, Options, choice, number
from bowerbird.engine.phases.auction import Auction, GoingRoundAuction, JokerBids, NameTrump, OneRoundAuction
from bowerbird.engine.phases.base import PASS, when
from bowerbird.engine.phases.exchange import WIDOW, TakeWidow
from bowerbird.engine.phases.tricks import Tricks, maker_leads
from bowerbird.engine.rules import TWO_TEAMS_OF_TWO, Recall, Rules, Variant
from bowerbird.engine.scoring import BidTricks
from bowerbird.engine.views import SeatView

(JOKER,) = SINGLE_JOKER


class JokerShown(Recall):
    """The recall of who has the joker, which a forced bid reveals to everyone (V23.6).

    The joker is put into the first place of his hand; all places of a hand are alike, so no world is lost.
    """

    def places(self, view: SeatView, plan: DealPlan) -> Iterator[tuple[int, str]]:
        """Yield the joker's place if another seat has been asked for a forced bid."""
        calls = view.history[: view.players]
        if len(calls) < view.players or any(event.action is not PASS for event in calls):
            return
        holder = view.history[view.players].seat if len(view.history) > view.players else view.actor
        if holder is not None and holder != view.seat:
            yield plan.hands[holder](range(plan.dealt))[0], JOKER


def _auction(o: Options) -> Auction:
    made = OneRoundAuction if o.word("auction") == "one_round" else GoingRoundAuction
    return made(o.int("min_bid"), 6, thrown_in=o.word("all_pass") == "thrown_in")


def _hasenpfeffer(o: Options) -> Rules:
    return Rules(
        "hasenpfeffer",
        o,
        players=4,
        teams=TWO_TEAMS_OF_TWO,  # V23.1
        pack=pack_of(6, SINGLE_JOKER),  # 2
        deal="hands 3, hands 3, widow",  # 4
        piles=(WIDOW,),
        phases=(
            _auction(o),  # 5.1
            *when(o.word("all_pass") == "joker", JokerBids(JOKER, o.int("forced_bid"))),  # 5.2
            NameTrump(no_trump=False),  # 5.3
            *when(o.word("widow") == "maker", TakeWidow()),  # 5.4
            Tricks(6, maker_leads),  # 5.5, 7
        ),
        score=BidTricks(),  # 8
        end=BIDDERS_END[o.word("defenders_win")](o.int("target")),  # 9
        recall=JokerShown(),  # 6
    )


HASENPFEFFER = Variant(
    name="hasenpfeffer",
    section="V23",
    title="Hasenpfeffer",
    page="""
Seats   4 players in two teams: seats 0 and 2 against seats 1 and 3. Scores may fall below 0.
Pack    25 cards: A K Q J T 9 in four suits, and the joker X1. Each player gets 6 cards. The last card is the
        widow, face down.
Order   Trumps, highest first: X1, jack of trumps (right bower), other jack of that colour (left bower),
        A K Q T 9. The joker and the left bower are trumps in every respect. Plain suits: A K Q J T 9.

The hand
  1  There is one round of bids. Starting at the dealer's left, each player bids a number of tricks for his team
     ("bid {min_bid}" to "bid 6", higher than the last bid) or passes. The highest bidder is the maker.
  2  If all pass, the player who holds the joker must say "bid {forced_bid}" and is the maker. If the joker is
     the widow, the hand is thrown in: nobody scores.
  3  The maker names any of the four suits as trump ("call h"). Then he takes the widow, unseen by the others,
     and discards any of his seven cards.
  4  Play of six tricks. All four play, and the maker leads. Follow suit if you can; otherwise play any card.
     The winner of a trick leads the next.

Points  (both teams score in each hand)
  makers take the tricks they bid      to the makers their tricks
  makers take fewer                    the makers lose their bid
  in any case                          to the defenders their tricks
End     When a team has {target} points or more after a hand, it wins. If both have, the makers win.
""",
    declare=_hasenpfeffer,
    own_options={
        "target": number(10, "points that win the game"),
        "auction": choice(
            "one round of bids, or round and round: a player who has passed may bid later", "one_round", "going_round"
        ),
        "min_bid": choice("the lowest bid", 1, 2, 3, 4, 5, 6),
        "all_pass": choice(
            "after four passes the joker's holder must bid, or the hand is thrown in", "joker", "thrown_in"
        ),
        "forced_bid": Option(3, OneOf((1, 2, 3, 4, 5, 6)), "the bid of the joker's holder when all pass"),
        "widow": choice("the maker takes the widow and discards a card, or it stays unseen", "maker", "unused"),
        "defenders_win": choice(
            "whether the defenders may win: always, only after a bid that failed (after_set), or never",
            "always",
            "after_set",
            "never",
        ),
    },
)

VARIANTS = (HASENPFEFFER,)
