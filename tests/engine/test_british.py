"""V2, British Euchre with Benny: at least one test for each number on its page. Seat 3 deals unless said otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from bowerbird.engine import Game, new_game, resolve_options, rules_of
from tests.support.engine.scenario import change, play, play_out, scenario, tokens, trick, view

MARCH = {0: "X1 Js Jc As Ks", 1: "Ah Kh Qh Jh Th", 2: "Ad Kd Qd Jd Td", 3: "Ac Kc Qc Tc 9c"}
"""Seat 0 takes five tricks in spades, the upcard being 9s."""

FOUR = {0: "X1 Js Jc As 9h", 1: "Ah Kh Qh Jh Th", 2: "Ad Kd Qd Jd Td", 3: "Ac Kc Qc Tc 9c"}
"""Seat 0 takes four tricks in spades, and seat 1 one."""

EUCHRED = {0: "9h Th 9d Td Qc", 1: "X1 Js Jc As Ks", 2: "Kh Qh Kd Qd Kc", 3: "Ac Tc 9c Ah Ad"}
"""Seat 1 takes five tricks in spades."""

ALL_PASS = "0 pass, 1 pass, 2 pass, 3 pass"
NOBODY_DEFENDS = "1 decline, 3 decline"


def deal(hands: Mapping[int, str], upcard: str = "9s", dealer: int = 3, **options: object) -> Game:
    return scenario("british", dealer=dealer, hands=hands, upcard=upcard, options=options)


def benny_turned(**options: Any) -> Game:
    """Return a game in which seat 3 deals and turns the joker."""
    return deal({**MARCH, 0: "Qs 9s 9h Ts 9d", 3: "Js Jc As Ks Ac"}, upcard="X1", **options)


def points(game: Game) -> tuple[int, ...]:
    """Play the hand out by the first legal card; return the points of each team."""
    play_out(game)
    return change(game)[:2]


def test_british_is_played_by_two_pairs() -> None:
    """V2.1."""
    assert rules_of("british").teams() == ((0, 2), (1, 3))


def test_the_british_pack_has_25_cards_with_a_joker() -> None:
    """V2.2, D1."""
    expected = [rank + suit for rank in "AKQJT9" for suit in "shdc"] + ["X1"]
    assert sorted(new_game("british").packs[0].split()) == sorted(expected)


def test_british_packets_of_two_and_three_from_the_eldest() -> None:
    """V2.4: card 21 is turned up."""
    pack = "As Ks Ah Kh Ad Kd Ac Kc Qs Js Ts Qh Jh Th Qd Jd Td Qc Jc Tc 9s 9h 9d 9c X1"
    game = new_game("british", packs=[[pack]], first_dealer=1)
    assert game.view(2).hand == ("As", "Ks", "Qs", "Js", "Ts")
    assert game.view(1).hand == ("Ac", "Kc", "Qc", "Jc", "Tc")
    assert game.view(0).upcard == "9s"


@pytest.mark.parametrize(
    ("cards", "winner"),
    [
        ("Js X1 Jc As", 1),
        ("Jc Js Ks As", 1),
        ("As Ks Jc Qs", 2),
        ("Ts 9s Qs Ks", 3),
        ("Ah Kh X1 Qh", 2),
        ("Ah Qh 9s Ts", 3),
    ],
)
def test_the_joker_is_the_highest_trump(cards: str, winner: int) -> None:
    """V2.3; spades are trump, seat 0 leads."""
    hands = dict(enumerate(cards.split()))
    game = play(deal(hands, upcard="9d"), ALL_PASS, "0 call s, 1 decline, 3 decline")
    trick(game, f"0: {cards}")
    assert game.actor == winner, f"{cards}: seat {winner} has the highest card"


def test_a_led_joker_asks_for_trumps() -> None:
    """V2.7: the left bower follows it, and a plain jack does not."""
    hands = {0: "X1", 1: "Jc Ac Ah Kh Qh", 2: "Jd", 3: "9s"}
    game = play(deal(hands, upcard="9d"), ALL_PASS, "0 call s, 1 decline, 3 decline, 0 play X1")
    assert tokens(game) == ["play Jc"]


def test_benny_turned_the_dealer_names_before_he_looks() -> None:
    """V2.5.1, V2.6: he must name one of four suits and sees no card of his; the others see theirs."""
    game = benny_turned()
    assert (game.actor, view(game).stage) == (3, "name trump")
    assert tokens(game) == ["call s", "call h", "call d", "call c"]
    assert view(game).hand == ()
    assert view(game).memory == ()
    assert game.view(1).hand == ("Ah", "Kh", "Qh", "Jh", "Th")


def test_benny_turned_two_deals_look_alike_to_the_dealer_until_he_has_named() -> None:
    """V2.6."""
    other = deal({3: "Ts 9c Tc 9h 9d"}, upcard="X1")
    assert other.view(3) == benny_turned().view(3)
    assert play(other, "3 call s").view(3) != play(benny_turned(), "3 call s").view(3)


def test_benny_turned_the_dealer_is_the_maker_and_takes_the_joker() -> None:
    """V2.5.1, V2.12.3: no bidding. He then sees his hand and discards any card but the joker."""
    game = play(benny_turned(), "3 call h")
    seen = view(game)
    assert (game.actor, seen.stage, seen.maker, seen.trump, seen.how) == (3, "discard", 3, "h", "")
    assert seen.hand == ("As", "Ks", "Js", "Ac", "Jc", "X1")
    assert tokens(game) == ["discard As", "discard Ks", "discard Js", "discard Ac", "discard Jc"]
    assert [memory.what for memory in seen.memory] == ["dealt", "upcard"]
    assert seen.memory[0].cards == ("As", "Ks", "Js", "Ac", "Jc")


def test_benny_turned_the_dealer_goes_alone_with_his_discard() -> None:
    """V2.5.1, V2.12.4, notation.md, Order of decisions: asked after the discard; his partner then sits out."""
    game = play(benny_turned(), "3 call s, 3 discard Ac")
    assert (game.actor, view(game).stage, tokens(game)) == (3, "go alone", ["alone", "decline"])
    together = play(game.copy(), "3 decline, 0 decline, 2 decline")
    assert (view(together).how, view(together).active) == ("", (0, 1, 2, 3))
    alone = play(game, "3 alone, 0 decline, 2 decline")
    assert (view(alone).how, view(alone).active) == ("alone", (0, 2, 3))
    assert points(alone) == (0, 4)
    assert points(together) == (0, 2)


def test_alone_is_asked_after_a_discard_only_if_the_benny_was_turned() -> None:
    """V2.5.1, L1."""
    game = play(deal(MARCH), "0 pass, 1 pass, 2 pass, 3 order, 3 discard 9c")
    assert view(game).stage == "defend alone"


def test_dealers_partner_may_order_up_only_alone() -> None:
    """V2.5.2: in the first round; the others may order either way."""
    game = deal(MARCH)
    for seat, legal in enumerate(
        [
            ["pass", "order", "order alone"],
            ["pass", "order alone"],
            ["pass", "order", "order alone"],
            ["pass", "order", "order alone"],
        ]
    ):
        assert (game.actor, tokens(game)) == (seat, legal)
        game.apply("pass")


def test_dealers_partner_may_name_a_suit_and_play_with_him() -> None:
    """V2.5.3, V2.12.5: no restriction in the second round."""
    game = play(deal(MARCH), ALL_PASS, "0 pass")
    assert (game.actor, tokens(game)[:3]) == (1, ["pass", "call h", "call h alone"])


def test_british_all_pass_is_thrown_in() -> None:
    """V2.5.3, D2."""
    game = play(deal(MARCH), ALL_PASS, ALL_PASS)
    assert (game.results[0].ended, change(game), game.dealer) == ("thrown in", (0, 0, 0, 0), 0)


def test_british_dealer_takes_the_upcard_and_discards_another_card() -> None:
    """V2.5.4, A10; the joker may go."""
    game = play(deal({**MARCH, 0: "Js Jc As Ks Qs", 3: "Ac Kc Qc Tc X1"}), "0 order")
    assert (game.actor, tokens(game)) == (3, ["discard Ac", "discard Kc", "discard Qc", "discard Tc", "discard X1"])


def test_a_defender_may_play_alone_against_two_makers() -> None:
    """V2.5.5, V2.12.6, V2.12.7: asked from the maker's left; the first who accepts, and his partner sits out."""
    game = play(deal(EUCHRED), "0 order, 3 discard 9c")
    assert (game.actor, view(game).stage, tokens(game)) == (1, "defend alone", ["defend", "decline"])
    second = play(game.copy(), "1 decline")
    assert second.actor == 3
    assert view(play(second, "3 defend")).active == (0, 2, 3)
    play(game, "1 defend")
    assert (view(game).stage, view(game).lone_defender, view(game).active) == ("play", 1, (0, 1, 2))


@pytest.mark.parametrize(
    ("hands", "call", "defence", "expected"),
    [
        (MARCH, "order", NOBODY_DEFENDS, (2, 0)),
        (MARCH, "order alone", NOBODY_DEFENDS, (4, 0)),
        (MARCH, "order alone", "1 defend", (4, 0)),
        (FOUR, "order", NOBODY_DEFENDS, (1, 0)),
        (FOUR, "order alone", NOBODY_DEFENDS, (1, 0)),
        (FOUR, "order alone", "1 defend", (1, 0)),
        (EUCHRED, "order", NOBODY_DEFENDS, (0, 2)),
        (EUCHRED, "order alone", NOBODY_DEFENDS, (0, 2)),
        (EUCHRED, "order", "1 defend", (0, 4)),
        (EUCHRED, "order alone", "1 defend", (0, 4)),
    ],
)
def test_british_score(hands: Mapping[int, str], call: str, defence: str, expected: tuple[int, int]) -> None:
    """V2.8."""
    assert points(play(deal(hands), f"0 {call}, 3 discard 9c, {defence}")) == expected


def test_eleven_points_win() -> None:
    """V2.9, V2.12.2."""
    packs = [[deal(MARCH, dealer=dealer).packs[0]] for dealer in (3, 0, 1, 2) * 3]
    game = new_game("british", first_dealer=3, packs=packs)
    while not game.is_over:
        legal = tokens(game)
        alone = game.actor == 0 and "order alone" in legal
        passed = next(token for token in ("decline", "pass", legal[0]) if token in legal)
        game.apply("order alone" if alone else passed)
    assert [result.scores[0] for result in game.results] == [4, 8, 12]
    assert (game.ended, game.winners, game.ranks) == ("target", (0, 2), (1, 2, 1, 2))
    assert resolve_options("british")["target"] == 11


def test_british_option_target() -> None:
    """V2.10: 10 instead of 11."""
    won = [play(deal(MARCH, target=target), "0 order, 3 discard 9c", NOBODY_DEFENDS) for target in (2, 3)]
    for game in won:
        play_out(game)
    assert [game.is_over for game in won] == [True, False]


def test_british_option_assist_must_go_alone() -> None:
    """V2.10: false lets the dealer's partner order up with him."""
    game = play(deal(MARCH, assist_must_go_alone=False), "0 pass")
    assert tokens(game) == ["pass", "order", "order alone"]


@pytest.mark.parametrize(
    ("defend", "call", "asked"),
    [
        ("never", "order", False),
        ("never", "order alone", False),
        ("vs_alone", "order", False),
        ("vs_alone", "order alone", True),
    ],
)
def test_british_option_defend_alone(defend: str, call: str, asked: bool) -> None:
    """V2.10, L3."""
    game = play(deal(MARCH, defend_alone=defend), f"0 {call}, 3 discard 9c")
    assert (view(game).stage == "defend alone") == asked


def test_british_option_lone_lead() -> None:
    """L5: the first active seat to the left of the lone maker leads, of a maker with partner the eldest."""
    calls = "0 pass, 1 pass, 2 {}, 3 discard 9c, 3 decline, 1 decline"
    assert play(deal(MARCH, lone_lead="left_of_lone"), calls.format("order alone")).actor == 3
    assert play(deal(MARCH), calls.format("order alone")).actor == 1
    assert play(deal(MARCH, lone_lead="left_of_lone"), calls.format("order")).actor == 0


def test_british_option_stick_dealer() -> None:
    """V2.10: in the second round the dealer may not pass."""
    game = play(deal(MARCH, stick_dealer=True), ALL_PASS, "0 pass, 1 pass, 2 pass")
    assert tokens(game)[0] == "call h"


@pytest.mark.parametrize(
    ("options", "games", "over"),
    [
        ({}, (), True),
        ({"games_to_win": 2}, (1, 0, 1, 0), False),
        ({"slam": True}, (2, 0, 2, 0), True),
        ({"slam": True, "games_to_win": 1}, (2, 0, 2, 0), True),
        ({"slam": True, "games_to_win": 3}, (2, 0, 2, 0), False),
        ({"lap": True, "target": 1}, (2, 0, 2, 0), True),
        ({"games_to_win": 2, "target": 1}, (1, 0, 1, 0), False),
    ],
)
def test_british_games_laps_and_slams(options: dict[str, Any], games: tuple[int, ...], over: bool) -> None:
    """E3, B4: a march won at 0 to 0 with a target of 2."""
    game = play(deal(MARCH, **{"target": 2, **options}), "0 order, 3 discard 9c", NOBODY_DEFENDS)
    play_out(game)
    assert (game.games, game.is_over) == (games, over)


@pytest.mark.parametrize("switch", ["lap", "slam"])
def test_british_laps_or_slams_mean_two_games(switch: str) -> None:
    """E3: if games_to_win is not given."""
    assert resolve_options("british", {switch: True})["games_to_win"] == 2
    assert resolve_options("british")["games_to_win"] == 1


def test_british_option_jamboree() -> None:
    """E3, V4.10: the five highest trumps of this pack are the joker, both bowers, ace and king."""
    game = play(deal(MARCH, jamboree=True), "0 order, 3 discard 9c")
    assert (game.actor, view(game).stage) == (0, "claim")
    assert game.view(1).actor is None
    play(game, "0 claim")
    assert change(game) == (16, 0, 16, 0)
    assert view(play(deal(MARCH), "0 order, 3 discard 9c")).stage == "defend alone"
    bowers_to_queen = {**MARCH, 0: "Js Jc As Ks Qs"}
    assert view(play(deal(bowers_to_queen, jamboree=True), "0 order, 3 discard 9c")).stage == "defend alone"


def test_a_claim_of_jamboree_is_public() -> None:
    """V3.5.4, A9: a claim is in the history of the hand, a declined query is not."""
    game = play(deal(MARCH, jamboree=True), "0 order, 3 discard 9c")
    declined = play(game.copy(), "0 decline")
    assert [str(event.action) for event in declined.view(1).history] == ["order", "discard"]
    play(game, "0 claim")
    assert game.is_over
    assert [str(event.action) for event in game.results[0].history] == ["order", "discard", "claim"]
    assert game.view(1).laid[0] == ("As", "Ks", "Js", "Jc", "X1")


def test_british_option_jambone() -> None:
    """E3, E6: the dealer's partner may order jambone, too; nobody defends alone (V4.5.4)."""
    game = play(deal(MARCH, jambone=True), "0 pass")
    assert tokens(game) == ["pass", "order alone", "order jambone"]
    game = play(deal(MARCH, jambone=True), "0 order jambone, 3 discard 9c")
    assert (game.actor, tokens(game)[-1]) == (1, "dictate X1")
    assert points(game) == (8, 0)


def test_benny_turned_no_jambone() -> None:
    """E7: only alone or decline."""
    game = play(benny_turned(jambone=True), "3 call s, 3 discard Ac")
    assert tokens(game) == ["alone", "decline"]
