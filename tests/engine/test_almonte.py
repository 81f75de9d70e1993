"""V20, Six-handed Almonte Euchre: at least one test for each number on its page. Seat 5 deals."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from bowerbird.engine import Game, Memory, new_game, resolve_options, rules_of
from tests.support.engine.scenario import change, play, play_out, scenario, tokens, trick, view

REST = {2: "Ad Kd Qd Jd Td", 3: "Qh Th 8h Jh Qs", 4: "9d 8d X3 8c 9c", 5: "Ac Kc Qc Tc Ts"}
MARCH = {0: "X1 X2 Js Jc As", 1: "Ah Kh 9h 8s Ks", **REST}
"""Seat 0 takes five tricks in spades, the upcard being 9s."""

FOUR = {**MARCH, 0: "X1 X2 Js Jc 9h", 1: "Ah Kh As 8s Ks"}
"""Seat 0 takes four tricks in spades, and seat 1 one."""

EUCHRED = {**MARCH, 0: "Ah Kh 9h 8s Ks", 1: "X1 X2 Js Jc As"}
"""Seat 1 takes five tricks in spades."""

ALL_PASS = "0 pass, 1 pass, 2 pass, 3 pass, 4 pass, 5 pass"
FIVE_PASS = "0 pass, 1 pass, 2 pass, 3 pass, 4 pass"
ORDER = "0 order, 5 discard Tc"
ALONE = "0 order alone, 5 discard Tc, 0 decline"
NOBODY_DEFENDS = "1 decline, 3 decline, 5 decline"
CALLS = ["call s", "call h", "call d", "call c"]


def deal(hands: Mapping[int, str], upcard: str = "9s", **options: object) -> Game:
    return scenario("almonte", dealer=5, hands=hands, upcard=upcard, options=options)


def joker_turned(meaning: str) -> Game:
    return deal({5: "Js Jc As Ks Ac"}, upcard="X2", joker_turned=meaning)


def points(game: Game) -> tuple[int, ...]:
    """Play the hand out by the first legal card; return the points of each team."""
    play_out(game)
    return change(game)[:2]


def test_almonte_is_played_by_three_against_three() -> None:
    """V20.1."""
    assert rules_of("almonte").teams() == ((0, 2, 4), (1, 3, 5))


def test_the_almonte_pack_has_31_cards_with_three_jokers() -> None:
    """V20.2, D1."""
    expected = [rank + suit for rank in "AKQJT98" for suit in "shdc"] + ["X1", "X2", "X3"]
    assert sorted(new_game("almonte").packs[0].split()) == sorted(expected)


@pytest.mark.parametrize(
    ("cards", "winner"),
    [
        ("X2 X3 X1 Js Jc As", 2),
        ("X3 X2 Js Jc As Ks", 1),
        ("Js X3 Jc As Ks Qs", 1),
        ("Jc As Js Ks Qs Ts", 2),
        ("8s 9s Ts Qs Ks As", 5),
    ],
)
def test_almonte_ranking(cards: str, winner: int) -> None:
    """V20.3, V20.12.1: X1 X2 X3, then the bowers; spades are trump, seat 0 leads."""
    game = play(deal(dict(enumerate(cards.split())), upcard="9d"), ALL_PASS, "0 call s", NOBODY_DEFENDS)
    trick(game, f"0: {cards}")
    assert game.actor == winner


def test_an_almonte_joker_has_no_suit_but_trump() -> None:
    """V20.3, V20.7: a joker never follows a plain suit, and a led joker asks for trumps."""
    hands = {0: "X3 Ad", 1: "X1 9d Ac Kc Qc", 2: "X2 8d Kd Qd Jd"}
    game = play(deal(hands, upcard="9s"), ALL_PASS, "0 call h", NOBODY_DEFENDS)
    assert tokens(play(game.copy(), "0 play Ad")) == ["play 9d"]
    play(game, "0 play X3")
    assert tokens(game) == ["play X1"]


def test_almonte_deals_30_cards_and_turns_the_last() -> None:
    """V20.4, V20.12.3: nothing is left."""
    codes = rules_of("almonte").rules().pack.codes
    game = new_game("almonte", packs=[[" ".join(codes)]], first_dealer=0)
    assert game.view(1).hand == (*codes[0:2], *codes[12:15])
    assert (game.view(3).upcard, game.actor, view(game).hand) == ("X3", 0, ())


def test_almonte_joker_turned_the_dealer_is_the_maker() -> None:
    """V20.5.1, V20.12.2: he names trump unseen. No bidding; the dealer takes it, discards, and plays alone or not."""
    game = joker_turned("maker")
    assert (game.actor, view(game).hand, view(game).memory, tokens(game)) == (5, (), (), CALLS)
    play(game, "5 call h")
    assert (game.actor, view(game).maker, view(game).trump) == (5, 5, "h")
    assert tokens(game) == [f"discard {card}" for card in ("As", "Ks", "Js", "Ac", "Jc")]
    play(game, "5 discard Ac, 5 decline")
    assert (game.actor, view(game).stage) == (0, "defend alone")


def test_almonte_option_joker_turned_proposed() -> None:
    """V20.5.1, V20.10: anyone may accept; the dealer may turn it down; then the suit is barred."""
    game = joker_turned("proposed")
    assert (game.actor, view(game).hand, tokens(game)) == (5, (), CALLS)
    play(game, "5 call h")
    assert (view(game).proposed, view(game).maker, game.actor) == ("h", None, 0)
    assert game.view(5).memory == (Memory("dealt", ("As", "Ks", "Js", "Ac", "Jc")),)
    accepted = play(game.copy(), "0 pass, 1 order")
    assert (accepted.actor, "discard X2" in tokens(accepted), "X2" in view(accepted).hand) == (5, False, True)
    assert view(play(accepted, "5 discard Ac")).stage == "defend alone", "alone is said in the call, not afterwards"
    play(game, FIVE_PASS)
    assert tokens(game) == ["pass", "order", "order alone"]
    play(game, "5 pass")
    assert [token for token in tokens(game) if "alone" not in token] == ["pass", "call s", "call d", "call c"]
    assert play(game, ALL_PASS).results[0].ended == "thrown in"


def test_almonte_option_joker_turned_forced() -> None:
    """V20.5.1, E13: if the five others pass, the dealer may only order or order alone."""
    game = play(joker_turned("forced"), "5 call h")
    assert tokens(game) == ["pass", "order", "order alone"]
    play(game, FIVE_PASS)
    assert (game.actor, tokens(game)) == (5, ["order", "order alone"])
    play(game, "5 order")
    assert (view(game).maker, view(game).trump, view(game).stage) == (5, "h", "discard")


def test_a_dealer_is_forced_only_by_a_joker() -> None:
    """V20.5.1: he may turn down any other upcard."""
    assert tokens(play(deal(MARCH, joker_turned="forced"), FIVE_PASS)) == ["pass", "order", "order alone"]


def test_almonte_rounds_allow_everyone_alone() -> None:
    """V20.5.2: all pass twice: thrown in."""
    game = deal(MARCH)
    for seat in range(6):
        assert (game.actor, tokens(game)) == (seat, ["pass", "order", "order alone"])
        game.apply("pass")
    assert tokens(game)[:3] == ["pass", "call h", "call h alone"]
    assert play(game, ALL_PASS).results[0].ended == "thrown in"


def test_almonte_dealer_takes_the_upcard_and_may_discard_a_joker() -> None:
    """V20.5.3, A10."""
    game = play(deal({5: "X1 Js Jc As Ks"}), "0 order")
    assert tokens(game) == [f"discard {card}" for card in ("As", "Ks", "Js", "Jc", "X1")]


def test_almonte_exchange_defence_exchange() -> None:
    """V20.5.4 to V20.5.6, V20.12.5: in this order; any of six cards is discarded; both partners sit out."""
    game = play(deal(MARCH), "0 order alone, 5 discard Tc")
    assert tokens(game) == ["ask 2", "ask 4", "decline"]
    play(game, "0 ask 4, 4 give X3")
    assert tokens(game) == [f"discard {card}" for card in ("As", "Js", "Jc", "X1", "X2", "X3")]
    play(game, "0 discard X3")
    assert (game.actor, tokens(game)) == (1, ["defend", "decline"])
    play(game, "1 decline, 3 defend")
    assert (game.actor, tokens(game)) == (3, ["ask 1", "ask 5", "decline"])
    play(game, "3 ask 1, 1 give Ah, 3 discard Qs")
    assert (view(game).stage, view(game).active, game.actor) == ("play", (0, 3), 0)


def test_almonte_gifts_are_private() -> None:
    """V20.6."""
    game = play(deal(MARCH), "0 order alone, 5 discard Tc, 0 ask 4, 4 give X3, 0 discard X3")
    other = play(deal(MARCH), "0 order alone, 5 discard Tc, 0 ask 4, 4 give 8d, 0 discard As")
    assert all(game.view(seat) == other.view(seat) for seat in (1, 2, 3, 5))
    assert game.view(4).memory[1:] == (Memory("gave", ("X3",), 0),)


@pytest.mark.parametrize(
    ("hands", "calls", "expected"),
    [
        (MARCH, f"{ORDER}, {NOBODY_DEFENDS}", (3, 0)),
        (MARCH, f"{ALONE}, {NOBODY_DEFENDS}", (6, 0)),
        (FOUR, f"{ORDER}, {NOBODY_DEFENDS}", (1, 0)),
        (FOUR, f"{ALONE}, {NOBODY_DEFENDS}", (1, 0)),
        (EUCHRED, f"{ORDER}, {NOBODY_DEFENDS}", (0, 3)),
        (EUCHRED, f"{ALONE}, {NOBODY_DEFENDS}", (0, 3)),
        (EUCHRED, f"{ORDER}, 1 defend, 1 decline", (0, 6)),
    ],
)
def test_almonte_score(hands: Mapping[int, str], calls: str, expected: tuple[int, int]) -> None:
    """V20.8."""
    assert points(play(deal(hands), calls)) == expected


@pytest.mark.parametrize(("target", "over"), [(6, True), (7, False)])
def test_almonte_ends_with_the_target(target: int, over: bool) -> None:
    """V20.9, V20.10 `target`."""
    game = play(deal(MARCH, target=target), ALONE, NOBODY_DEFENDS)
    play_out(game)
    assert game.is_over == over


def test_almonte_defaults() -> None:
    """V20.10."""
    assert resolve_options("almonte") == {
        "target": 15, "joker_turned": "maker", "defend_alone": "always", "assist_must_go_alone": False,
        "ask_card": True, "lone_lead": "eldest", "reveal_at_end": False, "max_hands": 0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("defend", "calls", "asked"), [("never", ALONE, False), ("vs_alone", ORDER, False), ("vs_alone", ALONE, True)]
)
def test_almonte_option_defend_alone(defend: str, calls: str, asked: bool) -> None:
    """V20.10."""
    assert (view(play(deal(MARCH, defend_alone=defend), calls)).stage == "defend alone") == asked


@pytest.mark.parametrize("meaning", ["maker", "proposed", "forced"])
def test_almonte_option_assist_must_go_alone(meaning: str) -> None:
    """V20.10, E6: it binds both partners of the dealer, whatever a turned joker means; never the dealer."""
    game = deal(MARCH, assist_must_go_alone=True, joker_turned=meaning)
    for seat in range(6):
        partner = seat in (1, 3)
        assert tokens(game) == (["pass", "order alone"] if partner else ["pass", "order", "order alone"])
        game.apply("pass")


def test_almonte_option_ask_card() -> None:
    """V20.10."""
    game = play(deal(MARCH, ask_card=False), "0 order alone, 5 discard Tc")
    assert view(game).stage == "defend alone"
    assert view(play(game, "1 defend")).stage == "play"


def test_almonte_option_lone_lead() -> None:
    """V20.10, L5."""
    calls = "0 pass, 1 pass, 2 order alone, 5 discard Tc, 2 decline, 3 decline, 5 decline, 1 decline"
    assert play(deal(MARCH, lone_lead="left_of_lone"), calls).actor == 3
    assert play(deal(MARCH), calls).actor == 1
