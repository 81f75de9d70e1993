"""V22, Partnership Bid Euchre: at least one test for each number on its page, and B8, B9. Seat 3 deals."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import pytest

from bowerbird.engine import Game, InvalidOption, Memory, new_game, rules_of, sample_game
from tests.support.engine.random_options import random_options
from tests.support.engine.scenario import change, play, play_out, scenario, tokens, trick
from tests.support.engine.second_bid_euchre import SecondGame
from tests.support.engine.variant_games import step

GAMES = 40
"""Random games with random options that a second implementation checks."""

ALL = {0: "Js Js Jc Jc As As Ks Ks", 1: "Ah Ah Kh Kh Qh Qh Jh Jh", 2: "Ad Ad Kd Kd Qd Qd Jd Jd"}
"""Seat 0 takes all tricks in spades."""

SEVEN = {
    0: "Js Js Jc Jc As As Ks Qc",
    1: "Ks Ah Ah Kh Kh Qh Qh Jh",
    2: "Kd Kd Jd Qs Qs Jh Kc Qc",
    3: "Ad Ad Qd Qd Jd Ac Ac Kc",
}
"""Seat 0 takes seven tricks in spades, and seat 3 the last one."""

THREE_PASS = "1 pass, 2 pass, 3 pass"


def deal(hands: Mapping[int, str], **options: Any) -> Game:
    return scenario("bid-euchre", dealer=3, hands=hands, options=options)


def bid(hands: Mapping[int, str], first: str, **options: Any) -> Game:
    return play(deal(hands, **options), f"0 {first}", THREE_PASS)


def points(game: Game) -> tuple[int, ...]:
    """Play the hand out by the first legal card; return the points of each team."""
    play_out(game)
    return change(game)[:2]


def test_bid_euchre_is_played_by_two_teams_that_begin_at_0() -> None:
    """V22.1."""
    assert rules_of("bid-euchre").teams() == ((0, 2), (1, 3))
    assert new_game("bid-euchre").scores == (0, 0, 0, 0)


@pytest.mark.parametrize(
    ("deck", "ranks", "copies"),
    [("double-32", "AKQJ", 2), ("single-24", "AKQJT9", 1), ("double-40", "AKQJT", 2), ("double-48", "AKQJT9", 2)],
)
def test_all_four_packs_are_dealt_out(deck: str, ranks: str, copies: int) -> None:
    """V22.2, V22.4: all cards are dealt, and there are as many tricks as cards in a hand."""
    game = new_game("bid-euchre", {"deck": deck})
    assert sorted(game.packs[0].split()) == sorted([rank + suit for rank in ranks for suit in "shdc"] * copies)
    hands = [game.view(seat).hand for seat in range(4)]
    assert {len(hand) for hand in hands} == {len(ranks) * copies} == {game.rules.tricks}
    assert (game.view(0).upcard, dict(game.piles)) == ("", {})


def test_cards_are_dealt_one_at_a_time() -> None:
    """V22.4: from the eldest."""
    codes = rules_of("bid-euchre").rules().pack.codes
    game = new_game("bid-euchre", packs=[[" ".join(codes)]], first_dealer=0)
    assert sorted(game.view(1).hand) == sorted(codes[0::4])
    assert sorted(game.view(0).hand) == sorted(codes[3::4])


@pytest.mark.parametrize(
    ("trump", "cards", "winner"),
    [
        ("s", "Jc Js As Js", 1),  # the right bower is above the left, the first of two above the second
        ("s", "Jc As Jc Ks", 0),
        ("h", "As Ks Ah Ah", 2),
        ("h", "Ks As As Qs", 1),
        ("nt", "Js As Jc Ks", 1),  # no bowers
        ("nt", "As As Ah Ad", 0),
        ("low", "As Ks Qs Js", 3),  # B8: J beats Q beats K beats A
        ("low", "Js Ks Js Qs", 0),
        ("low", "Ks Jh As Qs", 3),  # another suit does not win
    ],
)
def test_ranking(trump: str, cards: str, winner: int) -> None:
    """V22.3, B8: of two identical cards the first played wins. Seat 0 holds all other spades, so that all may play."""
    codes = list(rules_of("bid-euchre").rules().pack.codes)
    for card in cards.split():
        codes.remove(card)
    spades = [card for card in codes if card[1] == "s" or (card, trump) == ("Jc", "s")]
    hands = dict(enumerate(cards.split()))
    game = bid({**hands, 0: " ".join([hands[0], *spades])}, f"bid 4 {trump}", no_trump="high_low")
    trick(game, f"0: {cards}")
    assert game.tricks[0].winner == winner


def test_the_auction_offers_numbers_by_trump_and_then_lone_bids() -> None:
    """V22.5.1; notation.md, Order of legal actions: `lone 0` stands first, though it is the highest bid."""
    trumps = ("s", "h", "d", "c", "nt")
    offered = [*(f"bid {n}" for n in range(1, 9)), "lone 0", "lone 1", "lone 2"]
    assert tokens(deal(ALL)) == ["pass", *(f"{said} {trump}" for said in offered for trump in trumps)]


@pytest.mark.parametrize(
    ("said", "least"),
    [
        ("bid 3 nt", "bid 4 s"),
        ("bid 3 s", "bid 4 s"),  # a suit and no trump have no rank
        ("bid 8 s", "lone 0 s"),
        ("lone 2 h", "lone 0 s"),
        ("lone 1 h", "lone 0 s"),
    ],
)
def test_each_bid_is_higher_than_the_one_before(said: str, least: str) -> None:
    """V22.5.1, B9: by number alone; every lone bid is above them, and the one with fewer cards is higher."""
    assert tokens(play(deal(ALL), f"0 {said}"))[:2] == ["pass", least]


def test_nothing_is_above_a_lone_bid_without_cards() -> None:
    """V22.5.1, B9, E17: the others are asked, too."""
    game = play(deal(ALL), "0 lone 2 s", "1 lone 1 nt", "2 lone 0 c")
    assert tokens(game) == ["pass"]
    assert play(game, "3 pass").maker == 2


@pytest.mark.parametrize(
    ("value", "cards"),
    [("none", ""), ("plain", "0"), ("call_1", "0 1"), ("call_2", "0 1 2"), ("call_3", "0 3")],
)
def test_lone_bids_allowed(value: str, cards: str) -> None:
    """V22.10 `lone_bids`."""
    offered = tokens(deal(ALL, lone_bids=value))
    assert [said for said in offered if said.startswith("lone") and said.endswith(" s")] == [
        f"lone {number} s" for number in cards.split()
    ]


@pytest.mark.parametrize(
    ("value", "trumps"), [("none", "s h d c"), ("high", "s h d c nt"), ("high_low", "s h d c nt low")]
)
def test_trumps_allowed(value: str, trumps: str) -> None:
    """V22.10 `no_trump`, in bids and in the naming after bids without a trump."""
    assert [said[6:] for said in tokens(deal(ALL, no_trump=value)) if said.startswith("bid 4")] == trumps.split()
    game = bid(ALL, "bid 4", bids="number", no_trump=value)
    assert tokens(game) == [f"call {trump}" for trump in trumps.split()]


def test_the_lowest_bid_is_an_option() -> None:
    """V22.10 `min_bid`; E25: it does not concern lone bids."""
    offered = tokens(deal(ALL, min_bid=8, no_trump="none"))
    assert offered[1] == "bid 8 s"
    assert "lone 2 s" in offered


def test_one_round_ends_with_the_dealer() -> None:
    """V22.5.1 one_round: each once."""
    game = play(deal(ALL), "0 bid 1 s, 1 bid 2 h, 2 pass, 3 bid 3 nt")
    assert (game.maker, game.trump, game.contract, game.stage) == (3, "nt", 3, "play")


def test_an_auction_that_goes_round_lets_a_seat_bid_after_its_pass() -> None:
    """V22.5.1 going_round: it ends when the three others have passed in succession after the last bid."""
    game = play(deal(ALL, auction="going_round"), "0 pass, 1 bid 2 h, 2 pass, 3 pass, 0 bid 3 s, 1 pass, 2 pass")
    assert game.stage == "bid"
    assert play(game, "3 pass").maker == 0


@pytest.mark.parametrize("auction", ["one_round", "going_round"])
def test_a_hand_that_nobody_bids_is_thrown_in(auction: str) -> None:
    """V22.5.1, A8."""
    game = play(deal(ALL, auction=auction), "0 pass", THREE_PASS)
    assert (game.results[0].ended, game.results[0].points) == ("thrown in", (0, 0, 0, 0))
    assert game.dealer == 0


@pytest.mark.parametrize("auction", ["one_round", "going_round"])
def test_a_stuck_dealer_must_bid_what_he_likes(auction: str) -> None:
    """V22.10 `stick_dealer`: any bid is open to him; he may pass if another seat has bid."""
    game = play(deal(ALL, auction=auction, stick_dealer=True), "0 pass, 1 pass, 2 pass")
    assert tokens(game) == tokens(deal(ALL))[1:]
    assert tokens(play(deal(ALL, auction=auction, stick_dealer=True), "0 pass, 1 bid 1 s, 2 pass"))[0] == "pass"


def test_lone_bids_without_a_trump_name_it_afterwards() -> None:
    """V22.5.2, V22.5.3: trump is known before the exchange."""
    game = play(bid(ALL, "lone 2", bids="number"), "0 call s")
    assert (game.trump, game.how, game.stage, game.actor) == ("s", "alone", "discard", 0)


def test_the_exchange_after_a_lone_bid() -> None:
    """B9, V22.5.3: the maker discards from the cards dealt, the partner gives, and only then the maker takes."""
    game = play(bid(ALL, "lone 2 s"), "0 discard Ks, 0 discard Ks")
    assert tokens(game) == [f"give {card}" for card in ("Ad", "Kd", "Qd", "Jd")]
    play(game, "2 give Ad")
    assert len(game.view(0).hand) == 6
    assert tokens(game)[0] == "give Ad", "he holds it twice"
    play(game, "2 give Ad")
    assert sorted(game.view(0).hand) == sorted(["Js", "Js", "Jc", "Jc", "As", "As", "Ad", "Ad"])
    assert len(game.view(2).hand) == 6
    assert game.view(0).memory[-1] == Memory("received", ("Ad", "Ad"), 2)
    assert game.view(2).memory[-2:] == (Memory("gave", ("Ad",), 0), Memory("gave", ("Ad",), 0))
    assert (game.active, game.actor) == ((0, 1, 3), 0)


def test_others_learn_only_the_number_of_cards_exchanged() -> None:
    """B9, A9, V22.6."""
    game = play(bid(ALL, "lone 1 s"), "0 discard Ks, 2 give Ad")
    for seat in (1, 2, 3):
        assert [str(event.action) for event in game.view(seat).history[-2:]] == ["discard", "give"]
    assert [memory.what for memory in game.view(1).memory] == ["dealt"]
    assert [memory.what for memory in game.view(2).memory] == ["dealt", "gave"]


def test_a_lone_bid_without_cards_has_no_exchange() -> None:
    """B9: K = 0."""
    game = bid(ALL, "lone 0 s")
    assert (game.stage, game.actor, game.active) == ("play", 0, (0, 1, 3))


def test_the_maker_leads() -> None:
    """V22.7."""
    assert play(deal(ALL), "0 pass, 1 pass, 2 bid 1 d, 3 pass").actor == 2


@pytest.mark.parametrize(
    ("hands", "said", "options", "expected"),
    [
        (SEVEN, "bid 7 s", {}, (7, 1)),
        (SEVEN, "bid 2 s", {}, (7, 1)),
        (SEVEN, "bid 2 s", {"made_scores": "tricks_plus_two"}, (9, 1)),
        (SEVEN, "bid 2 s", {"made_scores": "bid"}, (2, 1)),
        (SEVEN, "bid 8 s", {}, (-8, 1)),
        (SEVEN, "bid 8 s", {"made_scores": "tricks_plus_two"}, (-8, 1)),
        (SEVEN, "lone 0 s", {}, (-24, 1)),
        (SEVEN, "lone 0 s", {"alone_points": 5, "made_scores": "bid"}, (-5, 1)),
        (ALL, "bid 8 s", {}, (8, 0)),
        (ALL, "lone 0 s", {}, (24, 0)),
        (ALL, "lone 0 s", {"alone_points": 30, "made_scores": "tricks_plus_two"}, (30, 0)),
    ],
)
def test_points(hands: Mapping[int, str], said: str, options: dict[str, Any], expected: tuple[int, int]) -> None:
    """V22.8, V22.12.22: both teams score; scores fall below 0."""
    assert points(bid(hands, said, **options)) == expected


@pytest.mark.parametrize(
    ("said", "exchange", "lone_bids", "option", "default"),
    [
        ("lone 1 s", "0 discard Ks, 2 give Ad", "call_2", "call_1_points", 18),
        ("lone 2 s", "0 discard Ks, 0 discard Ks, 2 give Ad, 2 give Ad", "call_2", "call_2_points", 12),
        (
            "lone 3 s",
            "0 discard Ks, 0 discard Ks, 0 discard As, 2 give Ad, 2 give Ad, 2 give Kd",
            "call_3",
            "call_3_points",
            12,
        ),
    ],
)
def test_points_of_lone_bids_with_cards(said: str, exchange: str, lone_bids: str, option: str, default: int) -> None:
    """V22.8: p(1), p(2), p(3)."""
    for options, expected in (({}, default), ({option: 7}, 7)):
        assert points(play(bid(ALL, said, lone_bids=lone_bids, **options), exchange)) == (expected, 0)


@pytest.mark.parametrize(
    ("who", "said", "target", "winners"),
    [
        ("after_set", "bid 7 s", 7, (0, 2)),
        ("after_set", "bid 7 s", 1, (0, 2)),  # both have arrived
        ("after_set", "bid 8 s", 1, (1, 3)),
        ("after_set", "bid 7 s", 8, ()),
        ("never", "bid 7 s", 7, (0, 2)),
        ("never", "bid 8 s", 1, ()),
        ("always", "bid 7 s", 1, (0, 2)),
        ("always", "bid 8 s", 1, (1, 3)),
    ],
)
def test_end_of_a_game(who: str, said: str, target: int, winners: tuple[int, ...]) -> None:
    """V22.9 by `defenders_win`; of two teams that arrive the makers win (E20)."""
    game = bid(SEVEN, said, defenders_win=who, target=target)
    play_out(game)
    assert game.winners == winners
    assert game.ended == ("target" if winners else "")
    if winners:
        assert [game.ranks[seat] for seat in winners] == [1, 1]


@pytest.mark.parametrize(("who", "winners"), [("after_set", ()), ("never", ()), ("always", (1, 3))])
def test_points_beside_a_bid_that_was_made_end_the_game_only_if_always(who: str, winners: tuple[int, ...]) -> None:
    """V22.9: the defenders reach the target with their tricks while the makers make their bid below it."""
    hands = {0: "As Qs Qh Qh Qd Qd Qc Qc", 1: "As Ks Ah Ah Ad Ad Ac Ac"}
    makers, defenders = points(bid(hands, "bid 1 nt"))
    assert defenders > makers >= 1
    game = bid(hands, "bid 1 nt", defenders_win=who, target=defenders)
    play_out(game)
    assert game.winners == winners


@pytest.mark.parametrize(("deck", "lowest"), [("single-24", 7), ("double-32", 9), ("double-40", 11)])
def test_a_lowest_bid_that_no_hand_can_make_is_refused(deck: str, lowest: int) -> None:
    """V22.10, E23."""
    rules_of("bid-euchre").resolve({"deck": deck, "min_bid": lowest - 1})
    with pytest.raises(InvalidOption, match=f"min_bid = {lowest} is above the {lowest - 1} tricks of deck = {deck}"):
        rules_of("bid-euchre").resolve({"deck": deck, "min_bid": lowest})


@pytest.mark.parametrize("number", range(GAMES))
def test_a_second_implementation_finds_the_same_legal_actions_scores_and_winners(number: int) -> None:
    """V22, B8, B9, under random options; and the worlds of a sampler look the same to their seat (A9)."""
    rng = Random(f"bid-euchre {number}")
    options = random_options("bid-euchre", rng, rng.choice((1, 4)))
    game = new_game("bid-euchre", options, seed=rng.randbytes(32))
    second = SecondGame(game.options, game.dealer)
    second.deal(game.packs[0])
    while game.actor is not None:
        assert (second.seat, second.legal) == (game.actor, tokens(game))
        if rng.random() < 0.05:
            seat = rng.randrange(4)
            view = game.view(seat)
            assert sample_game(view, rng).view(seat) == view
        hand = game.hand_number
        second.apply(str(step(game, rng)))
        assert second.is_over == (game.hand_number != hand or game.is_over)
        if second.is_over:
            assert game.results[-1].scores == (*second.scores, *second.scores)
            if game.actor is not None:
                assert second.winner is None
                second.deal(game.packs[0])
    if game.ended == "target":
        assert game.winners == tuple(seat for seat in range(4) if seat % 2 == second.winner)
    else:
        assert second.winner is None
