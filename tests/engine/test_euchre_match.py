"""V1 with the switches of V4.10 and E3: laps, slams, Jambone and Jamboree (B4, V4.5, V4.8). Seat 3 deals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from bowerbird.engine import Game, new_game, resolve_options
from tests.support.engine.scenario import change, play, play_out, scenario, tokens, view

MARCH = {0: "Js Jc As Ks Qs", 1: "Ah Kh Qh Jh Th", 2: "Ad Kd Qd Jd Td", 3: "Ac Kc Qc Tc 9c"}
LOSING = {0: "9h Th 9d Td Qc", 1: "Js Jc As Ks Qs", 2: "Kh Qh Kd Qd Kc", 3: "Ac Tc 9c Ah Ad"}


def deal(hands: Mapping[int, str], upcard: str = "9s", dealer: int = 3, **options: object) -> Game:
    return scenario("euchre", dealer=dealer, hands=hands, upcard=upcard, options=options)


def march(**options: Any) -> Game:
    """Return a played hand: seat 0 and his partner took five tricks, for 2 points."""
    game = play(deal(MARCH, **options), "0 order, 3 discard 9c")
    play_out(game)
    return game


@pytest.mark.parametrize(
    ("given", "games"),
    [({}, 1), ({"lap": True}, 2), ({"slam": True}, 2), ({"lap": True, "games_to_win": 1}, 1), ({"jambone": True}, 1)],
)
def test_two_games_when_laps_or_slams_count_and_nothing_is_said(given: dict[str, object], games: int) -> None:
    """E3."""
    assert resolve_options("euchre", given)["games_to_win"] == games


def test_option_games_to_win() -> None:
    """B4.3, B4.4: a game is credited, the next begins at 0, the match ends with the second."""
    game = march(target=2, games_to_win=2)
    assert (game.is_over, game.games, game.scores) == (False, (1, 0, 1, 0), (0, 0, 0, 0))
    assert game.view(1).games == (1, 0, 1, 0)
    assert (game.hand_number, game.dealer) == (1, 0)
    game = march(target=2, games_to_win=1)
    assert (game.is_over, game.games) == (True, ()), "one game without laps is no match (E3)"


def test_option_slam() -> None:
    """B4.1: a game won against a side without a point counts twice."""
    game = march(target=2, slam=True)
    assert (game.is_over, game.games, game.winners, game.ended) == (True, (2, 0, 2, 0), (0, 2), "target")


def test_no_slam_against_a_side_with_a_point() -> None:
    """B4.1."""
    one_point = {0: "Ac Kc Qc Tc 9c", 1: "Js Jc As Ks 9h", 2: "Ah Kh Qh Jh Th", 3: "Ad Kd Qd Jd Td"}
    packs = [[deal(one_point, dealer=0).packs[0]], *[[deal(MARCH).packs[0]]] * 5]
    game = new_game("euchre", {"target": 2, "slam": True, "games_to_win": 3}, first_dealer=0, packs=packs)
    play(game, "1 order, 0 discard Ac")
    play_out(game)
    assert game.scores == (0, 1, 0, 1)
    while game.dealer != 3:
        game.apply("pass")
    play(game, "0 order, 3 discard 9c")
    play_out(game, 3)
    assert game.games == (1, 0, 1, 0)


def test_option_lap() -> None:
    """B4.2: points over the target count towards the next game; without laps they are lost."""
    assert march(target=1, games_to_win=5, lap=True).games == (2, 0, 2, 0)
    assert march(target=1, games_to_win=5).games == (1, 0, 1, 0)


def test_the_surplus_is_void_at_the_end_of_the_match() -> None:
    """B4.4, E2."""
    game = play(deal(MARCH, target=3, games_to_win=1, lap=True), "0 order alone, 3 discard 9c")
    play_out(game)
    assert (game.is_over, game.games, game.scores) == (True, (1, 0, 1, 0), (0, 0, 0, 0))


def claim(**options: Any) -> Game:
    return play(deal(MARCH, jamboree=True, **options), "0 order, 3 discard 9c, 0 claim")


def test_option_jamboree() -> None:
    """V3.5.4, V4.5.3, V4.8: asked after the pick-up, worth 16, no play."""
    game = play(deal(MARCH, jamboree=True, target=20), "0 order, 3 discard 9c")
    assert (game.actor, view(game).stage, tokens(game)) == (0, "claim", ["claim", "decline"])
    declined = game.copy()
    play(game, "0 claim")
    assert game.results[0].ended == "claimed"
    assert change(game) == (16, 0, 16, 0)
    assert game.results[0].tricks == (0, 0, 0, 0)
    play(declined, "0 decline")
    assert view(declined).stage == "play"


def test_jamboree_is_three_games_and_a_point() -> None:
    """V4.12.7, V4.12.8: with a target of 5 sixteen points are three laps and 1 point, and never a slam."""
    game = claim(target=5, lap=True, slam=True, games_to_win=9)
    assert (game.games, game.scores) == ((3, 0, 3, 0), (1, 0, 1, 0))


def test_jamboree_needs_the_five_highest_trumps_in_the_makers_own_hand() -> None:
    """V4.5.3: a partner's or a defender's hand does not count."""
    game = play(deal(MARCH, jamboree=True), "0 pass, 1 order, 3 discard 9c")
    assert view(game).stage == "play"
    game = play(deal({**MARCH, 0: "Js Jc As Ks Ts"}, jamboree=True), "0 order, 3 discard 9c")
    assert view(game).stage == "play"


def test_a_dealer_may_complete_a_jamboree_with_the_upcard() -> None:
    """V4.5.3: after T2."""
    hands = {3: "Js Jc As Ks 9h", 0: "Ah Kh Qh Jh Th", 1: "Ad Kd Qd Jd Td"}
    game = play(deal(hands, upcard="Qs", jamboree=True), "0 pass, 1 pass, 2 pass, 3 order, 3 discard 9h")
    assert (game.actor, view(game).stage) == (3, "claim")


def test_a_jamboree_query_leaves_nothing_to_be_seen() -> None:
    """V3.5.4 "private": no actor and no event is visible, asked or not, declined or not."""
    asked = play(deal(MARCH, jamboree=True), "0 order, 3 discard 9c")
    for seat in (1, 2, 3):
        assert asked.view(seat).actor is None
        assert asked.view(seat).stage == ""
        assert asked.view(seat).legal == ()
    assert asked.view(0).actor == 0
    play(asked, "0 decline")
    not_asked = play(deal({**MARCH, 0: "Js Jc As Ks Ts"}, jamboree=True), "0 order, 3 discard 9c")
    assert asked.view(1) == not_asked.view(1)._replace(memory=asked.view(1).memory)
    assert [str(event.action) for event in asked.view(0).history] == ["order", "discard"]


def test_option_jambone_scores() -> None:
    """V4.8: 8 for five tricks, 1 for three or four, 8 to the defenders for fewer."""
    game = play(deal(MARCH, jambone=True, target=20), "0 order jambone, 3 discard 9c, 1 dictate Js")
    assert view(game).how == "jambone"
    play_out(game)
    assert change(game) == (8, 0, 8, 0)
    four = {**MARCH, 0: "Js Jc As Ks 9h"}
    game = play(deal(four, jambone=True, target=20), "0 order jambone, 3 discard 9c, 1 dictate 9h")
    play_out(game)
    assert change(game) == (1, 0, 1, 0)
    game = play(deal(LOSING, jambone=True, target=20), "0 order jambone, 3 discard 9c, 1 dictate 9h")
    play_out(game)
    assert change(game) == (0, 8, 0, 8)


def test_jambone_may_be_called_in_both_rounds() -> None:
    """V4.5.1, notation.md, Order of legal actions: plain, alone, jambone."""
    game = deal(MARCH, jambone=True)
    assert tokens(game) == ["pass", "order", "order alone", "order jambone"]
    play(game, "0 pass, 1 pass, 2 pass, 3 pass")
    assert tokens(game)[:4] == ["pass", "call h", "call h alone", "call h jambone"]


def test_the_jambone_hand_is_laid_open_after_the_pick_up() -> None:
    """V4.5.4, V4.6: all see it, and later the rest of it."""
    game = play(deal(MARCH, jambone=True), "0 order jambone")
    assert view(game).laid == ()
    play(game, "3 discard 9c")
    assert game.view(3).laid == (("As", "Ks", "Qs", "Js", "Jc"), (), (), ())
    play(game, "1 dictate Ks")
    assert game.view(3).laid[0] == ("As", "Qs", "Js", "Jc")
    assert game.view(0).hand == ("As", "Qs", "Js", "Jc")
    assert game.view(3).active == (0, 1, 3)


@pytest.mark.parametrize("defend", ["vs_alone", "always"])
def test_nobody_defends_alone_against_a_jambone(defend: str) -> None:
    """V4.5.4, V4.10."""
    game = play(deal(MARCH, jambone=True, defend_alone=defend), "0 order jambone, 3 discard 9c")
    assert game.actor == 1
    assert tokens(game)[0].startswith("dictate")


def test_left_of_a_leading_jambone_player_dictates_any_card() -> None:
    """V4.5.5, L = J: it is led at once, no `play` follows."""
    game = play(deal(MARCH, jambone=True), "0 order jambone, 3 discard 9c")
    assert tokens(game) == ["dictate As", "dictate Ks", "dictate Qs", "dictate Js", "dictate Jc"]
    play(game, "1 dictate Qs")
    assert (view(game).trick, game.actor) == (((0, "Qs"),), 1)
    play(game, "1 play Ah, 3 play 9s")
    assert game.actor == 0
    assert tokens(game) == ["play As", "play Ks", "play Js", "play Jc"], "from the second trick on J plays freely"


JAMBONE_OF_ONE = {1: "Js Jc Ah Kh 9d", 0: "Th 9h Ad Kd Ac", 2: "Qh Jh Kc Qc Tc", 3: "Td Qd Jd 9c As"}


def test_the_leader_dictates_a_card_that_follows_suit() -> None:
    """V4.5.5a: L leads as usual, and at J's turn dictates one of J's cards of the suit led."""
    game = play(deal(JAMBONE_OF_ONE, jambone=True), "0 pass, 1 order jambone, 3 discard 9c")
    assert tokens(game)[0].startswith("play")
    play(game, "0 play Th")
    assert (game.actor, tokens(game)) == (0, ["dictate Ah", "dictate Kh"])
    play(game, "0 dictate Kh")
    assert view(game).trick == ((0, "Th"), (1, "Kh"))
    assert game.actor == 2


def test_a_void_jambone_player_with_a_trump_chooses_freely() -> None:
    """V4.5.5b, V4.12.4."""
    game = play(deal(JAMBONE_OF_ONE, jambone=True), "0 pass, 1 order jambone, 3 discard 9c, 0 play Ac")
    assert game.actor == 1
    assert tokens(game) == ["play Js", "play Ah", "play Kh", "play 9d", "play Jc"]


def test_the_leader_dictates_to_a_void_jambone_player_without_trump() -> None:
    """V4.5.5c."""
    passes = "0 pass, 1 pass, 2 pass, 3 pass, 0 pass"
    hands = {**JAMBONE_OF_ONE, 1: "Qs Ks Ah Kh 9d"}
    game = play(deal(hands, jambone=True), passes, "1 call c jambone, 0 play Ad")
    assert tokens(game) == ["dictate 9d"], "he can follow"
    hands = {**JAMBONE_OF_ONE, 1: "Qs Ks Ah Kh Ts"}
    game = play(deal(hands, jambone=True), passes, "1 call c jambone, 0 play Ad")
    assert game.actor == 0
    assert tokens(game) == ["dictate Ks", "dictate Qs", "dictate Ts", "dictate Ah", "dictate Kh"]


def test_the_partner_of_a_jambone_player_never_dictates() -> None:
    """V4.12.5: the eldest sits out, the next active seat leads and dictates."""
    hands = {0: "Ah Kh Qh 9h Th", 1: "Qd Td Kd 9d As", 2: "Js Jc Ks Qs Ad", 3: "Ac Kc Qc Tc 9c"}
    game = play(deal(hands, jambone=True), "0 pass, 1 pass, 2 order jambone, 3 discard 9c")
    assert game.actor == 1
    play(game, "1 play Qd")
    assert (game.actor, tokens(game)) == (1, ["dictate Ad"])
