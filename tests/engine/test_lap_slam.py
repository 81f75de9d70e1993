"""V4, Euchre with Lap, Slam, Jambone and Jamboree: at least one test for each number on its page. Seat 3 deals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from bowerbird.engine import Game, InvalidOption, new_game, resolve_options, rules_of
from tests.support.engine.scenario import change, play, play_out, scenario, tokens, trick, view

MARCH = {0: "Js Jc As Ks Ts", 1: "Ah Kh Qh Jh Th", 2: "Ad Kd Qd Jd Td", 3: "Ac Kc Qc Tc 9c"}
"""Seat 0 takes five tricks in spades, the upcard being 9s."""

FOUR = {0: "Js Jc As Ks 9h", 1: "Ah Kh Qh Jh Th", 2: "Ad Kd Qd Jd Td", 3: "Ac Kc Qc Tc 9c"}
"""Seat 0 takes four tricks in spades, and seat 1 one."""

EUCHRED = {0: "9h Th 9d Td Qc", 1: "Js Jc As Ks Qs", 2: "Kh Qh Kd Qd Kc", 3: "Ac Tc 9c Ah Ad"}
"""Seat 1 takes five tricks in spades."""

JAMBOREE = {**MARCH, 0: "Js Jc As Ks Qs"}
ALL_PASS = "0 pass, 1 pass, 2 pass, 3 pass"


def deal(hands: Mapping[int, str], upcard: str = "9s", dealer: int = 3, **options: object) -> Game:
    return scenario("lap-slam", dealer=dealer, hands=hands, upcard=upcard, options=options)


def points(game: Game) -> tuple[int, ...]:
    """Play the hand out by the first legal card; return the points of each team."""
    play_out(game)
    return change(game)[:2]


def test_lap_slam_is_played_by_two_pairs() -> None:
    """V4.1."""
    assert rules_of("lap-slam").teams() == ((0, 2), (1, 3))


def test_the_lap_slam_pack_has_32_cards_and_no_joker() -> None:
    """V4.2, D1."""
    expected = [rank + suit for rank in "AKQJT987" for suit in "shdc"]
    assert sorted(new_game("lap-slam").packs[0].split()) == sorted(expected)


@pytest.mark.parametrize(("cards", "winner"), [("As Js Jc Ks", 1), ("Ks 8s Jc Qs", 2), ("8s 7s 9s Ts", 3)])
def test_lap_slam_ranking(cards: str, winner: int) -> None:
    """V4.3; spades are trump, seat 0 leads."""
    game = play(deal(dict(enumerate(cards.split())), upcard="9d"), ALL_PASS, "0 call s")
    trick(game, f"0: {cards}")
    assert game.actor == winner


def test_lap_slam_packets_of_two_and_three_from_the_eldest() -> None:
    """V4.4: card 21 is turned up."""
    game = new_game("lap-slam", packs=[[" ".join(rules_of("lap-slam").rules().pack.codes)]], first_dealer=1)
    assert game.view(2).hand == ("As", "Ks", "Ah", "Kh", "Qh")
    assert game.view(0).upcard == "Td"


def test_every_call_is_plain_alone_or_jambone() -> None:
    """V4.5.1: in both rounds; all pass: thrown in."""
    game = deal(MARCH)
    for seat in range(4):
        assert (game.actor, tokens(game)) == (seat, ["pass", "order", "order alone", "order jambone"])
        game.apply("pass")
    expected = [f"call {suit}{how}" for suit in "hdc" for how in ("", " alone", " jambone")]
    for seat in range(4):
        assert (game.actor, tokens(game)) == (seat, ["pass", *expected])
        game.apply("pass")
    assert game.results[0].ended == "thrown in"


def test_lap_slam_dealer_takes_the_upcard_before_jamboree_and_jambone() -> None:
    """V4.5.2, V4.5.3, V4.12.6."""
    game = play(deal(JAMBOREE), "0 order jambone")
    assert (game.actor, view(game).stage, view(game).laid) == (3, "discard", ())
    play(game, "3 discard 9c")
    assert (game.actor, view(game).stage, view(game).laid) == (0, "claim", ())
    play(game, "0 decline")
    assert game.view(2).laid[0] == ("As", "Ks", "Qs", "Js", "Jc")


def test_the_five_highest_trumps_are_bowers_ace_king_and_queen() -> None:
    """V4.5.3."""
    assert view(play(deal(JAMBOREE), "0 order, 3 discard 9c")).stage == "claim"
    assert view(play(deal(MARCH), "0 order, 3 discard 9c")).stage == "play"


def test_a_jambone_hand_lies_open_and_the_partner_sits_out() -> None:
    """V4.5.4, V4.6."""
    game = play(deal(MARCH), "0 order jambone, 3 discard 9c")
    assert game.view(1).laid == (("As", "Ks", "Js", "Ts", "Jc"), (), (), ())
    assert game.view(1).active == (0, 1, 3)


JAMBONE_OF_ONE = {1: "Js Jc Ah Kh 9d", 0: "Th 9h Ad Kd Ac", 2: "Qh Jh Kc Qc Tc", 3: "Td Qd Jd 9c As"}


@pytest.mark.parametrize(
    ("hand", "lead", "asked", "legal"),
    [
        ("Js Jc Ah Kh 9d", "Th", 0, ["dictate Ah", "dictate Kh"]),
        ("Js Jc Ah Kh 9d", "Ac", 1, ["play Js", "play Ah", "play Kh", "play 9d", "play Jc"]),
        ("8h 7h Ah Kh 8d", "Ac", 0, ["dictate Ah", "dictate Kh", "dictate 8h", "dictate 7h", "dictate 8d"]),
    ],
    ids=["follows: the leader dictates", "void with a trump: free", "void without trump: the leader dictates any"],
)
def test_the_first_trick_against_a_jambone(hand: str, lead: str, asked: int, legal: list[str]) -> None:
    """V4.5.5 a, b, c."""
    game = play(deal({**JAMBONE_OF_ONE, 1: hand}), f"0 pass, 1 order jambone, 3 discard 9c, 0 play {lead}")
    assert (game.actor, tokens(game)) == (asked, legal)


def test_left_of_a_leading_jambone_player_dictates() -> None:
    """V4.5.5: it is led at once; from the second trick on he plays freely."""
    game = play(deal(MARCH), "0 order jambone, 3 discard 9c")
    assert (game.actor, tokens(game)[0]) == (1, "dictate As")
    play(game, "1 dictate Ts, 1 play Th, 3 play 9s")
    assert (game.actor, tokens(game)[0]) == (0, "play As")
    assert [str(event.action) for event in view(game).history[2:]] == ["dictate Ts", "play Th", "play 9s"]


def test_a_jambone_card_is_dictated_at_his_turn() -> None:
    """V4.5.5: the leader sees the cards played before."""
    game = play(deal({**JAMBONE_OF_ONE, 1: JAMBONE_OF_ONE[3], 3: JAMBONE_OF_ONE[1]}, upcard="8s"), "0 pass, 1 pass")
    play(game, "2 pass, 3 order jambone, 3 discard 9d, 0 play Th")
    assert game.actor == 2, "seat 1 sits out"
    play(game, "2 play Qh")
    assert (game.actor, tokens(game)) == (0, ["dictate Ah", "dictate Kh"])
    assert view(game).trick == ((0, "Th"), (2, "Qh"))


def test_left_bower_follows_trump_in_lap_slam() -> None:
    """V4.7, A3."""
    hands = {0: "Ks", 1: "Jc Ac Ah Kh Qh"}
    assert tokens(play(deal(hands, upcard="9d"), ALL_PASS, "0 call s, 0 play Ks")) == ["play Jc"]


@pytest.mark.parametrize(
    ("hands", "call", "expected"),
    [
        (MARCH, "", (2, 0)),
        (MARCH, "alone", (4, 0)),
        (MARCH, "jambone", (8, 0)),
        (FOUR, "", (1, 0)),
        (FOUR, "alone", (1, 0)),
        (FOUR, "jambone", (1, 0)),
        (EUCHRED, "", (0, 2)),
        (EUCHRED, "alone", (0, 2)),
        (EUCHRED, "jambone", (0, 8)),
    ],
)
def test_lap_slam_score(hands: Mapping[int, str], call: str, expected: tuple[int, int]) -> None:
    """V4.8, V4.12.1, V4.12.2. The card dictated to a Jambone player is the last of the legal ones."""
    game = play(deal(hands, target=99), f"0 order {call}".rstrip(), "3 discard 9c")
    if call == "jambone":
        game.apply(game.legal_actions()[-1])
    assert points(game) == expected


@pytest.mark.parametrize("call", ["order", "order alone", "order jambone"])
def test_a_jamboree_is_worth_16_whatever_was_called(call: str) -> None:
    """V4.8."""
    game = play(deal(JAMBOREE, target=99), f"0 {call}, 3 discard 9c, 0 claim")
    assert change(game) == (16, 0, 16, 0)


@pytest.mark.parametrize(
    ("options", "games", "score", "over"),
    [
        ({"games_to_win": 4}, 3, 1, False),
        ({}, 3, 0, True),
        ({"lap": False}, 1, 0, False),
        ({"target": 10}, 1, 6, False),
    ],
)
def test_a_jamboree_is_three_games_and_a_point(options: dict[str, Any], games: int, score: int, over: bool) -> None:
    """V4.9, V4.12.7, V4.12.8, E2: and never a slam."""
    game = play(deal(JAMBOREE, **options), "0 order, 3 discard 9c, 0 claim")
    assert (game.games, game.scores, game.is_over) == ((games, 0, games, 0), (score, 0, score, 0), over)


@pytest.mark.parametrize(
    ("options", "games", "score"),
    [
        ({"games_to_win": 5}, 2, 3),
        ({"games_to_win": 5, "slam": False}, 1, 3),
        ({"games_to_win": 5, "lap": False}, 2, 0),
        ({"games_to_win": 5, "target": 4}, 3, 0),
        ({"games_to_win": 5, "target": 9}, 0, 8),
    ],
)
def test_laps_and_slams_of_a_jambone(options: dict[str, Any], games: int, score: int) -> None:
    """V4.9, V4.12.9, B4.1 to 3: 8 points at 0 to 0; the games of a lap count once each."""
    game = play(deal(MARCH, **options), "0 order jambone, 3 discard 9c")
    play_out(game)
    assert (game.games, game.scores) == ((games, 0, games, 0), (score, 0, score, 0))


def test_lap_slam_defaults() -> None:
    """V4.10."""
    assert resolve_options("lap-slam") == {
        "target": 5, "games_to_win": 2, "lap": True, "slam": True, "jambone": True, "jamboree": True,
        "defend_alone": "never", "deck": 32, "jamboree_holder": "maker", "lone_lead": "eldest",
        "slam_after_lap": False, "reveal_at_end": False, "max_hands": 0,
    }  # fmt: skip


def test_lap_slam_option_jambone() -> None:
    """V4.10."""
    assert tokens(deal(MARCH, jambone=False)) == ["pass", "order", "order alone"]


def test_lap_slam_option_jamboree() -> None:
    """V4.10."""
    assert view(play(deal(JAMBOREE, jamboree=False), "0 order, 3 discard 9c")).stage == "play"


def test_lap_slam_option_jamboree_holder() -> None:
    """V4.10, E19: the claim is for the holder's side."""
    holder = {**JAMBOREE, 0: JAMBOREE[1], 1: JAMBOREE[0]}
    assert view(play(deal(holder), "0 order, 3 discard 9c")).stage == "play"
    game = play(deal(holder, jamboree_holder="anyone", target=99), "0 order, 3 discard 9c, 1 claim")
    assert change(game) == (0, 16, 0, 16)


@pytest.mark.parametrize(("call", "asked"), [("order", False), ("order alone", True), ("order jambone", False)])
def test_lap_slam_option_defend_alone(call: str, asked: bool) -> None:
    """V4.10: never against a Jambone; by default never at all."""
    game = play(deal(EUCHRED, defend_alone="vs_alone"), f"0 {call}, 3 discard 9c")
    assert (view(game).stage == "defend alone") == asked
    assert view(play(deal(EUCHRED), f"0 {call}, 3 discard 9c")).stage == "play"


def test_a_lone_defender_scores_no_more_than_two_in_lap_slam() -> None:
    """E4; and he cannot defend alone against two makers."""
    game = play(deal(EUCHRED, defend_alone="vs_alone"), "0 order alone, 3 discard 9c, 1 defend")
    assert view(game).active == (0, 1)
    assert points(game) == (0, 2)
    with pytest.raises(InvalidOption, match="defend_alone"):
        new_game("lap-slam", {"defend_alone": "always"})


def test_lap_slam_option_deck() -> None:
    """V4.10."""
    assert len(new_game("lap-slam", {"deck": 24}).packs[0].split()) == 24


def test_lap_slam_option_lone_lead() -> None:
    """E5, L5."""
    calls = "0 pass, 1 pass, 2 order alone, 3 discard 9c"
    assert play(deal(MARCH, lone_lead="left_of_lone"), calls).actor == 3
    assert play(deal(MARCH), calls).actor == 1
