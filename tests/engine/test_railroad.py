"""V3, Railroad Euchre: at least one test for each number on its page. Seat 3 deals unless said otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from bowerbird.engine import Game, Memory, new_game, resolve_options, rules_of
from tests.support.engine.scenario import change, play, play_out, scenario, tokens, trick, view

MARCH = {0: "X1 Js Jc As Qs", 1: "Ah Kh Qh Jh Th", 2: "Ad Kd Qd Jd Td", 3: "Ac Kc Qc Tc 9c"}
"""Seat 0 takes five tricks in spades, the upcard being 9s."""

FOUR = {0: "X1 Js Jc As 9h", 1: "Ah Kh Qh Jh Th", 2: "Ad Kd Qd Jd Td", 3: "Ac Kc Qc Tc 9c"}
"""Seat 0 takes four tricks in spades, and seat 1 one, whatever he is given."""

EUCHRED = {0: "9h Th 9d Td Qc", 1: "X1 Js Jc As Ks", 2: "Kh Qh Kd Qd Kc", 3: "Ac Tc 9c Ah Ad"}
"""Seat 1 takes five tricks in spades."""

JAMBOREE = {**MARCH, 0: "X1 Js Jc As Ks"}
ALL_PASS = "0 pass, 1 pass, 2 pass, 3 pass"
ALONE = "0 order alone, 3 discard 9c"


def deal(hands: Mapping[int, str], upcard: str = "9s", dealer: int = 3, **options: object) -> Game:
    return scenario("railroad", dealer=dealer, hands=hands, upcard=upcard, options=options)


def joker_turned(**options: Any) -> Game:
    """Return a game in which seat 3 deals and turns the joker."""
    return deal({**MARCH, 0: "Qs 9s 9h Ts 9d", 3: "Js Jc As Ks Ac"}, upcard="X1", **options)


def points(game: Game) -> tuple[int, ...]:
    """Play the hand out by the first legal card; return the points of each team."""
    play_out(game)
    return change(game)[:2]


def test_railroad_is_played_by_two_pairs() -> None:
    """V3.1."""
    assert rules_of("railroad").teams() == ((0, 2), (1, 3))


def test_the_railroad_pack_has_33_cards_with_a_joker() -> None:
    """V3.2, D1."""
    expected = [rank + suit for rank in "AKQJT987" for suit in "shdc"] + ["X1"]
    assert sorted(new_game("railroad").packs[0].split()) == sorted(expected)


@pytest.mark.parametrize(
    ("cards", "winner"), [("Js X1 Jc As", 1), ("Jc Js Ks As", 1), ("8s 7s 9s Ts", 3), ("8d 7d 7s Ad", 2)]
)
def test_railroad_ranking(cards: str, winner: int) -> None:
    """V3.3; spades are trump, seat 0 leads."""
    game = play(deal(dict(enumerate(cards.split())), upcard="9d"), ALL_PASS, "0 call s")
    trick(game, f"0: {cards}")
    assert game.actor == winner, f"{cards}: seat {winner} has the highest card"


def test_railroad_packets_of_two_and_three_from_the_eldest() -> None:
    """V3.4: card 21 is turned up."""
    game = new_game("railroad", packs=[[" ".join(rules_of("railroad").rules().pack.codes)]], first_dealer=1)
    assert game.view(2).hand == ("As", "Ks", "Ah", "Kh", "Qh")
    assert game.view(1).hand == ("8s", "7s", "Kd", "Qd", "Jd")
    assert game.view(0).upcard == "Td"


def test_joker_turned_the_suit_is_named_unseen_and_only_proposed() -> None:
    """V3.5.1, V3.12.2: the dealer sees nothing before. The first round follows, and anybody may accept."""
    game = joker_turned()
    assert (game.actor, tokens(game)) == (3, ["call s", "call h", "call d", "call c"])
    assert (view(game).hand, view(game).memory) == ((), ())
    play(game, "3 call h")
    assert (game.actor, view(game).stage, view(game).proposed, view(game).maker) == (0, "order up", "h", None)
    assert game.view(3).hand == ("As", "Ks", "Js", "Ac", "Jc")
    assert game.view(3).memory == (Memory("dealt", ("As", "Ks", "Js", "Ac", "Jc")),)
    play(game, "0 pass, 1 order")
    assert (view(game).maker, view(game).trump) == (1, "h")


def test_joker_turned_the_dealer_takes_it_when_the_proposal_is_accepted() -> None:
    """V3.5.1, T2: and he may not discard it."""
    game = play(joker_turned(), "3 call h, 0 order")
    assert game.view(3).hand == ("As", "Ks", "Js", "Ac", "Jc", "X1")
    assert tokens(game) == ["discard As", "discard Ks", "discard Js", "discard Ac", "discard Jc"]


def test_joker_turned_the_dealer_may_turn_it_down() -> None:
    """V3.5.1, V3.12.3: in the second round the suit proposed is barred."""
    game = play(joker_turned(), "3 call h", ALL_PASS)
    assert tokens(game) == ["pass", *(f"call {suit}{how}" for suit in "sdc" for how in ("", " alone"))]
    assert (view(game).upcard, view(game).upcard_place) == ("X1", "down")
    assert play(game, ALL_PASS).results[0].ended == "thrown in"


def test_railroad_calls_of_both_rounds() -> None:
    """V3.5.2: alone is open to everyone; all pass: thrown in."""
    game = deal(MARCH)
    for seat in range(4):
        assert (game.actor, tokens(game)) == (seat, ["pass", "order", "order alone"])
        game.apply("pass")
    assert tokens(game)[:3] == ["pass", "call h", "call h alone"]
    assert play(game, ALL_PASS).results[0].ended == "thrown in"


def test_railroad_dealer_takes_the_upcard() -> None:
    """V3.5.3."""
    assert play(deal(MARCH), "0 order").view(3).hand == ("9s", "Ac", "Kc", "Qc", "Tc", "9c")


def test_railroad_jamboree_needs_joker_bowers_ace_and_king() -> None:
    """V3.5.4, V3.12.10: asked in private; worth 16, the hand is over."""
    game = play(deal(JAMBOREE), "0 order, 3 discard 9c")
    assert (game.actor, tokens(game), game.view(1).actor) == (0, ["claim", "decline"], None)
    play(game, "0 claim")
    assert (game.results[0].ended, game.results[0].tricks) == ("claimed", (0, 0, 0, 0))
    assert view(play(deal(MARCH), "0 order, 3 discard 9c")).stage == "play", "the queen is no substitute for the king"


def test_a_gift_completes_no_jamboree() -> None:
    """V3.12.11, L4: own cards after the pick-up, before a card is asked for."""
    game = play(deal({**MARCH, 2: "Ks Kd Qd Jd Td"}), ALONE, "0 ask 2, 2 give Ks, 0 discard Qs")
    assert game.view(0).hand == ("As", "Ks", "Js", "Jc", "X1")
    assert view(game).stage == "defend alone"


def test_a_lone_maker_calls_for_a_card() -> None:
    """V3.5.5, V3.12.4 to 6: he asks or not; the partner gives any card; then he discards another one."""
    game = play(deal(MARCH), ALONE)
    assert (game.actor, view(game).stage, tokens(game)) == (0, "ask for a card", ["ask 2", "decline"])
    play(game, "0 ask 2")
    assert (game.actor, view(game).stage) == (2, "give a card")
    assert tokens(game) == ["give Ad", "give Kd", "give Qd", "give Jd", "give Td"]
    play(game, "2 give Jd")
    assert (game.actor, view(game).stage) == (0, "discard")
    assert tokens(game) == ["discard As", "discard Qs", "discard Js", "discard Jc", "discard X1"]
    play(game, "0 discard Qs")
    assert game.view(0).hand == ("As", "Js", "Jd", "Jc", "X1")
    assert game.view(2).hand == ("Ad", "Kd", "Qd", "Td")


def test_a_gift_is_known_to_giver_and_receiver_only() -> None:
    """V3.6, A9: it is public that a card was asked for, and from whom."""
    game = play(deal(MARCH), ALONE, "0 ask 2, 2 give Jd, 0 discard Qs")
    assert game.view(2).memory[1:] == (Memory("gave", ("Jd",), 0),)
    assert game.view(0).memory[1:] == (Memory("received", ("Jd",), 2), Memory("discarded", ("Qs",)))
    for seat in (1, 3):
        history = [str(event.action) for event in game.view(seat).history]
        assert history == ["order alone", "discard", "ask 2", "give", "discard"]
        assert not {memory.what for memory in game.view(seat).memory} & {"gave", "received"}
    other = play(deal(MARCH), ALONE, "0 ask 2, 2 give Ad, 0 discard Jc")
    assert game.view(1) == other.view(1)


def test_a_lone_maker_need_not_ask() -> None:
    """B3."""
    game = play(deal(MARCH), ALONE, "0 decline")
    assert view(game).stage == "defend alone"


def test_the_lone_makers_partner_who_deals_may_give_the_upcard() -> None:
    """V3.12.13: he discards first."""
    game = play(deal(MARCH, dealer=2), "3 pass, 0 order alone, 2 discard Td, 0 ask 2")
    assert tokens(game) == ["give 9s", "give Ad", "give Kd", "give Qd", "give Jd"]


def test_a_lone_dealer_may_discard_the_upcard_for_the_gift() -> None:
    """E8; but not the gift (V3.12.5)."""
    game = play(deal(MARCH, dealer=0), "1 pass, 2 pass, 3 pass, 0 order alone, 0 discard Qs, 0 ask 2, 2 give Ad")
    assert tokens(game) == ["discard As", "discard Js", "discard 9s", "discard Jc", "discard X1"]


def test_a_defender_alone_against_a_lone_maker_only() -> None:
    """V3.5.6, V3.12.7, V3.12.8: asked after the maker's exchange."""
    game = play(deal(MARCH), ALONE, "0 decline")
    assert (game.actor, tokens(game)) == (1, ["defend", "decline"])
    assert view(play(deal(MARCH), "0 order, 3 discard 9c")).stage == "play"


def test_a_lone_defender_calls_for_a_card() -> None:
    """V3.5.7."""
    game = play(deal(MARCH), ALONE, "0 decline, 1 decline, 3 defend")
    assert (game.actor, tokens(game)) == (3, ["ask 1", "decline"])
    play(game, "3 ask 1, 1 give Ah")
    assert (game.actor, "discard Ah" in tokens(game)) == (3, False)
    play(game, "3 discard Tc")
    assert (view(game).stage, view(game).active, view(game).lone_defender) == ("play", (0, 3), 3)


def test_both_lone_players_may_have_a_card() -> None:
    """V3.5.5 to V3.5.8: the maker's exchange, the defender's question, the defender's exchange, play."""
    game = play(deal(MARCH), ALONE, "0 ask 2, 2 give Ad, 0 discard Qs")
    play(game, "1 defend, 1 ask 3, 3 give Ac, 1 discard Th")
    assert (view(game).stage, game.actor, view(game).active) == ("play", 0, (0, 1))
    assert game.view(0).hand == ("As", "Js", "Ad", "Jc", "X1")
    assert game.view(1).hand == ("Ah", "Kh", "Qh", "Jh", "Ac")
    assert play_out(game).tricks == (5, 0, 0, 0)


def test_without_a_lone_defender_nobody_else_gives_a_card() -> None:
    """V3.5.7, V3.5.8: the maker's exchange is over when both have declined."""
    game = play(deal(MARCH), ALONE, "0 ask 2, 2 give Ad, 0 discard Qs, 1 decline, 3 decline")
    assert (view(game).stage, game.actor) == ("play", 0)


def test_a_led_joker_asks_for_trumps_in_railroad() -> None:
    """V3.7."""
    hands = {0: "X1", 1: "Jc Ac Ah Kh Qh", 2: "Jd", 3: "9s"}
    assert tokens(play(deal(hands, upcard="9d"), ALL_PASS, "0 call s, 0 play X1")) == ["play Jc"]


@pytest.mark.parametrize(
    ("hands", "calls", "expected"),
    [
        (MARCH, "0 order, 3 discard 9c", (2, 0)),
        (FOUR, "0 order, 3 discard 9c", (1, 0)),
        (EUCHRED, "0 order, 3 discard 9c", (0, 2)),
        (MARCH, f"{ALONE}, 0 decline, 1 decline, 3 decline", (4, 0)),
        (MARCH, f"{ALONE}, 0 decline, 1 defend, 1 decline", (4, 0)),
        (FOUR, f"{ALONE}, 0 decline, 1 decline, 3 decline", (1, 0)),
        (FOUR, f"{ALONE}, 0 decline, 1 defend, 1 decline", (1, 0)),
        (EUCHRED, f"{ALONE}, 0 decline, 1 decline, 3 decline", (0, 2)),
        (EUCHRED, f"{ALONE}, 0 decline, 1 defend, 1 decline", (0, 4)),
        (JAMBOREE, "0 order, 3 discard 9c, 0 claim", (16, 0)),
    ],
)
def test_railroad_score(hands: Mapping[int, str], calls: str, expected: tuple[int, int]) -> None:
    """V3.8."""
    assert points(play(deal(hands, target=99), calls)) == expected


@pytest.mark.parametrize(
    ("options", "games", "score", "over"),
    [
        ({}, 1, 6, False),
        ({"target": 8}, 2, 0, True),
        ({"target": 16}, 1, 0, False),
        ({"lap": False}, 1, 0, False),
        ({"games_to_win": 1}, 1, 0, True),
    ],
)
def test_railroad_is_a_match_of_two_games(options: dict[str, Any], games: int, score: int, over: bool) -> None:
    """V3.9, V3.12.12, B4, E2: 16 points for a Jamboree, T* = 10, laps count; it never slams."""
    game = play(deal(JAMBOREE, **options), "0 order, 3 discard 9c, 0 claim")
    assert (game.games, game.scores, game.is_over) == ((games, 0, games, 0), (score, 0, score, 0), over)


@pytest.mark.parametrize(("options", "games"), [({}, 2), ({"slam": False}, 1), ({"slam": False, "games_to_win": 1}, 1)])
def test_railroad_slam(options: dict[str, Any], games: int) -> None:
    """V3.9, B4.1: a game against a side without a point counts twice; a match of one game still counts it."""
    game = play(deal(MARCH, target=2, **options), "0 order, 3 discard 9c")
    play_out(game)
    assert game.games == (games, 0, games, 0)


def test_railroad_defaults() -> None:
    """V3.10."""
    assert resolve_options("railroad") == {
        "target": 10, "games_to_win": 2, "lap": True, "slam": True, "jambone": False, "jamboree": True,
        "defend_alone": "vs_alone", "call_best": True, "lone_euchre_points": 2, "jamboree_holder": "maker",
        "lone_lead": "eldest", "slam_after_lap": False, "jamboree_cards": "highest",
        "reveal_at_end": False, "max_hands": 0,
    }  # fmt: skip
    assert resolve_options("railroad", {"lap": False, "slam": False})["games_to_win"] == 2


def test_railroad_option_jamboree() -> None:
    """V3.10."""
    assert view(play(deal(JAMBOREE, jamboree=False), "0 order, 3 discard 9c")).stage == "play"


def test_railroad_option_jamboree_holder() -> None:
    """V3.10, E19: any holder claims for his side, asked from the eldest. A partner who sits out is not asked."""
    holder = {**JAMBOREE, 0: JAMBOREE[1], 1: JAMBOREE[0]}
    game = play(deal(holder, jamboree_holder="anyone", target=99), "0 order, 3 discard 9c")
    assert (game.actor, view(game).stage, game.view(0).actor) == (1, "claim", None)
    play(game, "1 claim")
    assert change(game)[:2] == (0, 16)
    game = play(deal(holder), "0 order, 3 discard 9c")
    assert view(game).stage == "play"
    game = play(deal(holder, jamboree_holder="anyone"), "0 pass, 1 pass, 2 pass, 3 order alone, 3 discard 9c")
    assert (game.actor, view(game).stage) == (3, "ask for a card")


def test_railroad_jamboree_of_a_defender_comes_before_the_exchange() -> None:
    """E19."""
    holder = {**JAMBOREE, 0: JAMBOREE[1], 1: JAMBOREE[0]}
    game = play(deal(holder, jamboree_holder="anyone"), ALONE)
    assert (game.actor, view(game).stage) == (1, "claim")
    assert (play(game, "1 decline").actor, view(game).stage) == (0, "ask for a card")


def test_railroad_option_jambone() -> None:
    """V3.10: a Jambone player may not ask for a card and cannot be defended alone."""
    game = deal(MARCH, jambone=True)
    assert tokens(game) == ["pass", "order", "order alone", "order jambone"]
    play(game, "0 order jambone, 3 discard 9c")
    assert (game.actor, tokens(game)[0]) == (1, "dictate As")
    assert points(game) == (8, 0)


@pytest.mark.parametrize(
    ("hands", "expected"), [({**FOUR, 0: "X1 Js Jc As 9d"}, (1, 0)), (EUCHRED, (0, 8))], ids=["four", "euchred"]
)
def test_railroad_jambone_scores(hands: Mapping[int, str], expected: tuple[int, int]) -> None:
    """V4.8 through V3.10."""
    game = play(deal(hands, jambone=True, target=99), "0 order jambone, 3 discard 9c, 1 dictate 9d")
    assert points(game) == expected


@pytest.mark.parametrize(
    ("defend", "calls", "asked"),
    [
        ("never", f"{ALONE}, 0 decline", False),
        ("always", "0 order, 3 discard 9c", True),
        ("always", f"{ALONE}, 0 decline", True),
    ],
)
def test_railroad_option_defend_alone(defend: str, calls: str, asked: bool) -> None:
    """V3.10, E4."""
    assert (view(play(deal(MARCH, defend_alone=defend), calls)).stage == "defend alone") == asked


def test_a_lone_defender_against_two_makers_scores_four() -> None:
    """E4."""
    game = play(deal(EUCHRED, defend_alone="always"), "0 order, 3 discard 9c, 1 defend, 1 decline")
    assert points(game) == (0, 4)


def test_railroad_option_call_best() -> None:
    """V3.10: false: nobody asks for a card."""
    game = play(deal(MARCH, call_best=False), ALONE)
    assert (game.actor, view(game).stage) == (1, "defend alone")
    assert view(play(game, "1 defend")).stage == "play"


def test_railroad_option_lone_euchre_points() -> None:
    """V3.10, V3.12.9."""
    game = play(deal(EUCHRED, lone_euchre_points=4), ALONE, "0 decline, 1 decline, 3 decline")
    assert points(game) == (0, 4)


def test_railroad_option_lone_lead() -> None:
    """E5, L5."""
    calls = "0 pass, 1 pass, 2 order alone, 3 discard 9c, 2 decline, 3 decline, 1 decline"
    assert play(deal(MARCH, lone_lead="left_of_lone"), calls).actor == 3
    assert play(deal(MARCH), calls).actor == 1
