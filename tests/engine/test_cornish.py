"""V19, Six-handed Cornish Euchre: at least one test for each number on its page. Seat 5 deals unless said otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from bowerbird.engine import Game, Memory, new_game, resolve_options, rules_of
from tests.support.engine.scenario import change, play, play_out, scenario, tokens, trick, view

REST = {2: "Ad Kd Qd Jd Td", 3: "Qh Th 8h 7h 7c", 4: "9d 8d 7d 8c 9c", 5: "Ac Kc Qc Tc Jh"}
MARCH = {0: "X1 Js Jc As Ks", 1: "Ah Kh 9h 7s 8s", **REST}
"""Seat 0 takes five tricks in spades, the upcard being 9s."""

FOUR = {**MARCH, 0: "X1 Js Jc As 9h", 1: "Ah Kh Ts 7s 8s"}
"""Seat 0 takes four tricks in spades, and seat 1 one."""

EUCHRED = {**MARCH, 0: "Ah Kh 9h 7s 8s", 1: "X1 Js Jc As Ks"}
"""Seat 1 takes five tricks in spades."""

ALL_PASS = "0 pass, 1 pass, 2 pass, 3 pass, 4 pass, 5 pass"
ORDER = "0 order, 5 discard Tc"
ALONE = "0 order alone, 5 discard Tc, 0 decline"
NOBODY_DEFENDS = "1 decline, 3 decline, 5 decline"


def deal(hands: Mapping[int, str], upcard: str = "9s", dealer: int = 5, **options: object) -> Game:
    return scenario("cornish", dealer=dealer, hands=hands, upcard=upcard, options=options)


def double(hands: Mapping[int, str], upcard: str = "9d", **options: Any) -> Game:
    return deal(hands, upcard, pack=50, **options)


def benny_turned(**options: Any) -> Game:
    return deal({5: "Js Jc As Ks Ac"}, upcard="X1", **options)


def points(game: Game) -> tuple[int, ...]:
    """Play the hand out by the first legal card; return the points of each team."""
    play_out(game)
    return change(game)[:2]


def test_cornish_is_played_by_three_against_three() -> None:
    """V19.1."""
    assert rules_of("cornish").seats() == 6
    assert rules_of("cornish").teams() == ((0, 2, 4), (1, 3, 5))


@pytest.mark.parametrize(
    ("pack", "ranks", "copies", "jokers"), [(33, "AKQJT987", 1, ["X1"]), (50, "AKQJT9", 2, ["Xr", "Xb"])]
)
def test_both_cornish_packs(pack: int, ranks: str, copies: int, jokers: list[str]) -> None:
    """V19.2, V19.10 `pack`, D1."""
    cards = new_game("cornish", {"pack": pack}).packs[0].split()
    assert sorted(cards) == sorted([rank + suit for rank in ranks for suit in "shdc"] * copies + jokers)


def test_cornish_deals_30_cards_and_turns_the_next() -> None:
    """V19.4: packets of two and three from the eldest."""
    codes = rules_of("cornish").rules().pack.codes
    game = new_game("cornish", packs=[[" ".join(codes)]], first_dealer=0)
    assert game.view(1).hand == (*codes[0:2], *codes[12:15])
    assert game.view(0).hand == (*codes[10:12], *codes[27:30])
    assert game.view(3).upcard == codes[30]


@pytest.mark.parametrize(
    ("cards", "winner"), [("Js X1 Jc As Ks Qs", 1), ("Ks Jc As Ts 8s Qs", 1), ("8s 7s Ts 9s Ks Qs", 4)]
)
def test_cornish_ranking_with_33_cards(cards: str, winner: int) -> None:
    """V19.3; spades are trump, seat 0 leads."""
    game = play(deal(dict(enumerate(cards.split())), upcard="9d"), ALL_PASS, "0 call s", NOBODY_DEFENDS)
    trick(game, f"0: {cards}")
    assert game.actor == winner


@pytest.mark.parametrize(
    ("trump", "bennies", "cards", "winner"),
    [
        ("s", "red_black", "Xr Xb Js Jc As As", 1),
        ("s", "red_black", "Xb Xr Js Jc As As", 0),
        ("h", "red_black", "Xb Xr Jh Jd Ah Ah", 1),
        ("h", "red_black", "Xr Xb Jh Jd Ah Ah", 0),
        ("s", "same", "Xb Xr Js Jc As As", 1),
        ("s", "same", "Xr Xb Js Jc As As", 1),
        ("s", "red_black", "As 9s Ks As Ks Qs", 3),
        ("s", "red_black", "Js 9s Jc Js Ks Qs", 3),
        ("s", "red_black", "As Jc Ks Jc Ks Qs", 3),
        ("s", "red_black", "Ah Kh Ah Kh Qh Qh", 2),
        ("s", "red_black", "Ah 9s Ah 9s Qh Qh", 3),
        ("s", "red_black", "Kh Ac Ac Qh 9h Kh", 5),
    ],
)
def test_of_two_equal_cards_the_second_wins(trump: str, bennies: str, cards: str, winner: int) -> None:
    """V19.3, V19.12.6, A5c, V19.10 `bennies`: bowers, too.

    Of the Bennies the one of trump's colour wins, or the second.
    """
    game = double(dict(enumerate(cards.split())), bennies=bennies)
    play(game, ALL_PASS, f"0 call {trump}", NOBODY_DEFENDS)
    trick(game, f"0: {cards}")
    assert game.actor == winner


def test_a_card_held_twice_is_one_choice() -> None:
    """A17, notation.md, Cards: both copies are written in the same way."""
    game = play(double({0: "As As Ah Kh Kh"}), ALL_PASS, "0 call s", NOBODY_DEFENDS)
    assert view(game).hand == ("As", "As", "Ah", "Kh", "Kh")
    assert tokens(game) == ["play As", "play Ah", "play Kh"]
    assert play(game, "0 play As").view(0).hand == ("As", "Ah", "Kh", "Kh")


def test_a_dealer_may_discard_the_twin_of_the_upcard() -> None:
    """A17, A10: only the physical card itself is barred."""
    game = play(double({5: "As Ah Kh Qh Jh"}, upcard="As"), "0 order")
    assert view(game).hand == ("As", "As", "Ah", "Kh", "Qh", "Jh")
    assert "discard As" in tokens(game)
    game.apply("discard As")
    assert game.view(5).hand == ("As", "Ah", "Kh", "Qh", "Jh")
    assert "discard As" not in tokens(play(double({5: "Ks Ah Kh Qh Jh"}, upcard="As"), "0 order"))


def test_cornish_benny_turned_the_dealer_is_the_maker() -> None:
    """V19.5.1: as V2.5.1; then he asks for a card as any lone maker."""
    game = benny_turned()
    assert (game.actor, view(game).hand, tokens(game)) == (5, (), ["call s", "call h", "call d", "call c"])
    play(game, "5 call s")
    assert (game.actor, view(game).stage, "discard X1" in tokens(game)) == (5, "discard", False)
    play(game, "5 discard Ac")
    assert tokens(game) == ["alone", "decline"]
    play(game, "5 alone")
    assert (game.actor, tokens(game)) == (5, ["ask 1", "ask 3", "decline"])


@pytest.mark.parametrize("joker", ["Xr", "Xb"])
def test_either_benny_turned_in_the_double_pack(joker: str) -> None:
    """V19.12.8: the dealer may discard the other joker."""
    other = {"Xr": "Xb", "Xb": "Xr"}[joker]
    game = double({5: f"Js Jc As Ks {other}"}, upcard=joker)
    assert (game.actor, view(game).hand) == (5, ())
    play(game, "5 call h")
    assert (f"discard {other}" in tokens(game), f"discard {joker}" in tokens(game)) == (True, False)


def test_cornish_rounds_allow_everyone_alone() -> None:
    """V19.5.2, V19.12.4: also the dealer's partners; all pass twice: thrown in."""
    game = deal(MARCH)
    for seat in range(6):
        assert (game.actor, tokens(game)) == (seat, ["pass", "order", "order alone"])
        game.apply("pass")
    for seat in range(6):
        assert (game.actor, tokens(game)[:3]) == (seat, ["pass", "call h", "call h alone"])
        game.apply("pass")
    assert game.results[0].ended == "thrown in"


def test_cornish_dealer_takes_the_upcard() -> None:
    """V19.5.3."""
    game = play(deal(MARCH), "0 order")
    assert (game.actor, tokens(game)) == (5, [f"discard {card}" for card in ("Jh", "Ac", "Kc", "Qc", "Tc")])


def test_a_lone_maker_asks_either_of_two_partners() -> None:
    """V19.5.4, V19.12.5, V19.12.10: one of them, once; any card; then he discards any of his six."""
    game = play(deal(MARCH), "0 order alone, 5 discard Tc")
    assert (game.actor, tokens(game)) == (0, ["ask 2", "ask 4", "decline"])
    play(game, "0 ask 4")
    assert (game.actor, tokens(game)) == (4, [f"give {card}" for card in ("9d", "8d", "7d", "9c", "8c")])
    play(game, "4 give 9c")
    assert (game.actor, view(game).stage) == (0, "discard")
    assert tokens(game) == [f"discard {card}" for card in ("As", "Ks", "Js", "Jc", "9c", "X1")]
    play(game, "0 discard 9c")
    assert (game.view(0).hand, view(game).stage) == (("As", "Ks", "Js", "Jc", "X1"), "defend alone")


def test_who_was_asked_is_public_and_the_card_is_not() -> None:
    """V19.6."""
    game = play(deal(MARCH), "0 order alone, 5 discard Tc, 0 ask 4, 4 give 9c, 0 discard 9c")
    other = play(deal(MARCH), "0 order alone, 5 discard Tc, 0 ask 4, 4 give 8c, 0 discard As")
    for seat in (1, 2, 3, 5):
        assert game.view(seat) == other.view(seat)
    assert [str(event.action) for event in game.view(2).history[2:]] == ["ask 4", "give", "discard"]
    assert game.view(4).memory[1:] == (Memory("gave", ("9c",), 0),)
    assert game.view(0).memory[1:] == (Memory("received", ("9c",), 4), Memory("discarded", ("9c",)))


def test_a_gift_may_be_the_twin_of_a_card_held() -> None:
    """A17, V19.5.4."""
    game = play(double({0: "As Ks Qs Js 9s", 2: "As Ah Kh Qh Jh"}, upcard="Ts"), "0 order alone")
    game.apply(game.legal_actions()[0])
    play(game, "0 ask 2, 2 give As")
    assert tokens(game) == [f"discard {card}" for card in ("As", "Ks", "Qs", "Js", "9s")]
    assert play(game, "0 discard As").view(0).hand == ("As", "Ks", "Qs", "Js", "9s")


def test_a_lone_dealer_may_discard_the_upcard() -> None:
    """E8."""
    game = play(deal(MARCH), "0 pass, 1 pass, 2 pass, 3 pass, 4 pass, 5 order alone, 5 discard Tc, 5 ask 1, 1 give Ah")
    assert "discard 9s" in tokens(game)


def test_three_defenders_are_asked_from_the_makers_left() -> None:
    """V19.5.5, V19.12.3: whether the maker is alone or not; both partners of a lone defender sit out."""
    game = play(deal(MARCH), "0 pass, 1 pass, 2 order, 5 discard Tc")
    for seat in (3, 5, 1):
        assert (game.actor, tokens(game)) == (seat, ["defend", "decline"])
        last = game.copy()
        game.apply("decline")
    play(last, "1 defend")
    assert (last.view(1).active, last.actor, tokens(last)) == ((0, 1, 2, 4), 1, ["ask 3", "ask 5", "decline"])


def test_a_lone_defender_asks_for_a_card_in_cornish() -> None:
    """V19.5.6: against a lone maker, who has asked first."""
    game = play(deal(MARCH), ALONE, "1 decline, 3 defend, 3 ask 5, 5 give Ac")
    assert "discard Ac" in tokens(game)
    play(game, "3 discard 7c")
    assert (view(game).stage, game.actor, view(game).active) == ("play", 0, (0, 3))
    assert game.view(3).hand == ("Qh", "Th", "8h", "7h", "Ac")


def test_left_bower_follows_trump_in_cornish() -> None:
    """V19.7; with both copies in the double pack."""
    game = play(double({0: "As", 1: "Jc Jc Ac Ah Kh"}), ALL_PASS, "0 call s", NOBODY_DEFENDS, "0 play As")
    assert tokens(game) == ["play Jc"]


@pytest.mark.parametrize(
    ("hands", "calls", "expected"),
    [
        (MARCH, f"{ORDER}, {NOBODY_DEFENDS}", (3, 0)),
        (MARCH, f"{ALONE}, {NOBODY_DEFENDS}", (6, 0)),
        (MARCH, f"{ALONE}, 1 defend, 1 decline", (6, 0)),
        (FOUR, f"{ORDER}, {NOBODY_DEFENDS}", (1, 0)),
        (FOUR, f"{ALONE}, {NOBODY_DEFENDS}", (1, 0)),
        (EUCHRED, f"{ORDER}, {NOBODY_DEFENDS}", (0, 3)),
        (EUCHRED, f"{ALONE}, {NOBODY_DEFENDS}", (0, 3)),
        (EUCHRED, f"{ORDER}, 1 defend, 1 decline", (0, 6)),
        (EUCHRED, f"{ALONE}, 1 defend, 1 decline", (0, 6)),
    ],
)
def test_cornish_score(hands: Mapping[int, str], calls: str, expected: tuple[int, int]) -> None:
    """V19.8, V19.12.2."""
    game = play(deal(hands), calls)
    assert points(game) == expected
    assert change(game) == expected * 3


@pytest.mark.parametrize(("target", "over"), [(6, True), (7, False)])
def test_cornish_ends_with_the_target(target: int, over: bool) -> None:
    """V19.9, V19.10 `target`."""
    game = play(deal(MARCH, target=target), ALONE, NOBODY_DEFENDS)
    play_out(game)
    assert game.is_over == over
    assert game.winners == ((0, 2, 4) if over else ())


def test_cornish_defaults() -> None:
    """V19.10."""
    assert resolve_options("cornish") == {
        "pack": 33, "bennies": "red_black", "target": 11, "defend_alone": "always", "assist_must_go_alone": False,
        "ask_card": True, "lone_lead": "eldest", "reveal_at_end": False, "max_hands": 0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("defend", "calls", "asked"),
    [("never", ALONE, False), ("vs_alone", ORDER, False), ("vs_alone", ALONE, True)],
)
def test_cornish_option_defend_alone(defend: str, calls: str, asked: bool) -> None:
    """V19.10."""
    assert (view(play(deal(MARCH, defend_alone=defend), calls)).stage == "defend alone") == asked


def test_cornish_option_assist_must_go_alone() -> None:
    """V19.10, E6: it binds both partners of the dealer, in the first round only."""
    game = deal(MARCH, assist_must_go_alone=True)
    for seat in range(6):
        partner = seat in (1, 3)
        assert tokens(game) == (["pass", "order alone"] if partner else ["pass", "order", "order alone"])
        game.apply("pass")
    assert tokens(play(game, "0 pass"))[:2] == ["pass", "call h"]


def test_cornish_option_ask_card() -> None:
    """V19.10: false: neither the lone maker nor a lone defender asks."""
    game = play(deal(MARCH, ask_card=False), "0 order alone, 5 discard Tc")
    assert view(game).stage == "defend alone"
    assert view(play(game, "1 defend")).stage == "play"


def test_cornish_option_lone_lead() -> None:
    """V19.10, L5."""
    calls = "0 pass, 1 pass, 2 order alone, 5 discard Tc, 2 decline, 3 decline, 5 decline, 1 decline"
    assert play(deal(MARCH, lone_lead="left_of_lone"), calls).actor == 3
    assert play(deal(MARCH), calls).actor == 1
