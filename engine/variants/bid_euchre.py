"""V22 Partnership Bid Euchre: a bid names tricks and trump, in single and double packs."""

from __future__ import annotations

from collections.abc import Mapping

from bowerbird.engine.actions import LOW, SUITS, TRUMPS
from bowerbird.engine.cards.pack import Pack, pack_of
from bowerbird.engine.ends import BIDDERS_END
from bowerbird.engine.options import OneOf, Option, Options, OptionValue, choice, number, switch
from bowerbird.engine.phases.auction import Auction, GoingRoundAuction, NameTrump, OneRoundAuction
from bowerbird.engine.phases.base import when
from bowerbird.engine.phases.lone import LoneMaker
from bowerbird.engine.phases.partner_card import DiscardForGifts, GiveToMaker
from bowerbird.engine.phases.tricks import Tricks, maker_leads
from bowerbird.engine.rules import TWO_TEAMS_OF_TWO, Rules, Variant, refuse
from bowerbird.engine.scoring import BidTricks

DECKS: Mapping[str, Pack] = {  # V22.2
    "double-32": pack_of(4, double=True, first_wins=True),
    "single-24": pack_of(6),
    "double-40": pack_of(5, double=True, first_wins=True),
    "double-48": pack_of(6, double=True, first_wins=True),
}

NAMED = {"none": SUITS, "high": TRUMPS, "high_low": (*TRUMPS, LOW)}
"""The possible trumps for each value of the option `no_trump`."""

LONE = {"none": (), "plain": (0,), "call_1": (1, 0), "call_2": (2, 1, 0), "call_3": (3, 0)}
"""The number of partner's cards in each lone bid, from the lowest bid up, for each value of `lone_bids`."""


def cards_each(deck: str) -> int:
    """Return the number of cards in a hand, which is also the number of tricks."""
    return DECKS[deck].size // 4


def _auction(o: Options) -> Auction:
    return (OneRoundAuction if o.word("auction") == "one_round" else GoingRoundAuction)(
        o.int("min_bid"),
        cards_each(o.word("deck")),
        thrown_in=True,
        trumps=NAMED[o.word("no_trump")] if o.word("bids") == "with_suit" else (),
        lone=LONE[o.word("lone_bids")],
        stick_dealer=o.on("stick_dealer"),
    )


def _bid_euchre(o: Options) -> Rules:
    n = cards_each(o.word("deck"))
    no_trump, lone = o.word("no_trump"), LONE[o.word("lone_bids")]
    return Rules(
        "bid-euchre",
        o,
        players=4,
        teams=TWO_TEAMS_OF_TWO,  # V22.1
        pack=DECKS[o.word("deck")],  # 2, 3
        deal=f"hands 1 x {n}",  # 4
        phases=(
            _auction(o),  # 5.1
            *when(
                o.word("bids") == "number",
                NameTrump(no_trump=no_trump != "none", low=no_trump == "high_low"),  # 5.2
            ),
            *when(bool(lone), LoneMaker()),  # B9
            *when(any(lone), DiscardForGifts(), GiveToMaker()),  # 5.3
            Tricks(n, maker_leads),  # 5.4, 7
        ),
        score=BidTricks(  # 8
            o.word("made_scores"),
            {
                0: o.int("alone_points"),
                1: o.int("call_1_points"),
                2: o.int("call_2_points"),
                3: o.int("call_3_points"),
            },
        ),
        end=BIDDERS_END[o.word("defenders_win")](o.int("target")),  # 9
    )


def _check(variant: str, values: dict[str, OptionValue], given: Mapping[str, object]) -> None:
    """Reject a lowest bid that no hand can make (E23)."""
    lowest, deck = values["min_bid"], values["deck"]
    assert isinstance(lowest, int)
    assert isinstance(deck, str)
    if lowest > cards_each(deck):
        raise refuse(variant, f"min_bid = {lowest} is above the {cards_each(deck)} tricks of deck = {deck}")


BID_EUCHRE = Variant(
    name="bid-euchre",
    section="V22",
    title="Partnership Bid Euchre",
    also=("Bid Euchre", "Double Deck Bid Euchre", "Double Deck Euchre", "Pepper", "Double Hasenpfeffer"),
    page="""
Seats   4 players in two teams: seats 0 and 2 against seats 1 and 3. Scores may fall below 0.
Pack    {deck} is 32 cards, two each of A K Q J in four suits. Each player gets 8 cards. With deck = single-24:
        A K Q J T 9 once, 6 cards each. With double-40: two each of A K Q J T, 10 cards each. With double-48: two
        each of A K Q J T 9, 12 cards each. There is no upcard and no talon.
Order   Trumps, highest first: jack of trumps (right bower), other jack of that colour (left bower), A K Q, and
        T 9 if they are in the pack. The left bower is a trump in every respect. Plain suits, and every suit at no
        trump: A K Q J T 9. Of two equal cards in a trick, the one played first wins.

The hand
  1  There is one round of bids. Starting at the dealer's left, each player passes or bids a number of tricks
     for his team and the trump ("bid 4 h"), more than the last bid; trumps have no rank. No trump may be bid too
     ("bid 4 nt"). With no_trump = high_low there is also "bid 4 low": no trump, and the lowest card of the suit
     led wins.
  2  Above all these are the lone bids: all tricks, played alone, with two cards of the partner ("lone 2 h"),
     with one ("lone 1 h") and without any ("lone 0 h"), which is the highest. The highest bidder is the maker.
     If all pass, the hand is thrown in: nobody scores.
  3  After "lone 1" or "lone 2" the maker discards as many of his cards. His partner then gives him as many of
     his own, of his free choice. Neither sees the other's cards before he has chosen. The partner of a lone
     maker sits out.
  4  Play of all tricks. The maker leads. Follow suit if you can; otherwise play any card. The winner of a trick
     leads the next.

Points  (both teams score in each hand)
  makers take the tricks they bid      to the makers their tricks
  makers take fewer                    the makers lose their bid
  lone maker takes all tricks          {alone_points}; {call_1_points} with one card, {call_2_points} with two cards
  lone maker misses a trick            the makers lose as much
  in any case                          to the defenders their tricks
End     After a hand the makers win if they made their bid and have {target} points or more. The defenders win
        only if the makers failed and they have {target} points or more.
""",
    declare=_bid_euchre,
    own_options={
        "target": number(52, "points that win the game"),
        "deck": choice(
            "the pack: a double pack of A K Q J, one pack down to the 9, or a double pack down to the T or 9",
            "double-32",
            "single-24",
            "double-40",
            "double-48",
        ),
        "bids": choice(
            "what is bid: a number and the trump, or a number alone; the maker then names trump", "with_suit", "number"
        ),
        "auction": choice(
            "one round of bids, or round and round: a player who has passed may bid later", "one_round", "going_round"
        ),
        "min_bid": Option(1, OneOf(tuple(range(1, 13))), "the lowest bid; at most the number of tricks"),
        "stick_dealer": switch("the dealer must bid if nobody else has"),
        "no_trump": choice(
            "no trump: none, high, or also low, at which the lowest card of the suit led wins",
            "high",
            "none",
            "high_low",
        ),
        "lone_bids": choice(
            "the cards of the partner in lone bids: two, one or none (call_2); one or none (call_1); three or none"
            " (call_3); always none (plain); or no lone bids at all (none)",
            "call_2",
            "none",
            "plain",
            "call_1",
            "call_3",
        ),
        "made_scores": choice(
            "points of a bid that was made: the tricks taken, two more than these, or the bid",
            "tricks",
            "tricks_plus_two",
            "bid",
        ),
        "alone_points": number(24, "points for all tricks alone, without cards of the partner; as many are lost"),
        "call_1_points": number(18, "the same with one card of the partner"),
        "call_2_points": number(12, "the same with two cards of the partner"),
        "call_3_points": number(12, "the same with three cards of the partner"),
        "defenders_win": choice(
            "when the defenders may win: only when a bid failed, never, or always; the makers then come first",
            "after_set",
            "never",
            "always",
        ),
    },
    check=_check,
)

VARIANTS = (BID_EUCHRE,)
