"""Part O of the rules: options that bring in rules of their own. Seat 3 deals unless it is said otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from math import comb
from random import Random

import pytest

from bowerbird.engine import Game, InvalidOption, Sampler
from tests.support.engine.scenario import change, play, play_out, scenario, tokens, trick, view

MARCH = {0: "Js Jc As Ks Qs", 1: "Ah Kh Qh Jh Th", 2: "Ad Kd Qd Jd Td", 3: "Ac Kc Qc Tc 9c"}
"""Seat 0 takes five tricks in spades, the upcard being 9s."""

FOUR = {**MARCH, 0: "Js Jc As Ks 9h"}
"""Seat 0 takes four tricks in spades, and seat 1 the last."""

NONE = {0: "9h Th 9d Td Qc", 1: "Js Jc As Ks Qs", 2: "Kh Qh Kd Qd Kc", 3: "Ac Tc 9c Ah Ad"}
"""Seat 1 takes five tricks in spades."""

PASSED = "0 pass, 1 pass, 2 pass, 3 pass"


def deal(hands: Mapping[int, str], upcard: str = "9s", variant: str = "euchre", **options: object) -> Game:
    return scenario(variant, dealer=3, hands=hands, upcard=upcard, options=options)


def points(game: Game) -> tuple[int, ...]:
    """Play the hand out by the first legal card; return the points of each team."""
    play_out(game)
    return change(game)[:2]


# O3.


@pytest.mark.parametrize("jambone", [False, True])
def test_no_trump_may_be_named_in_the_second_round_only(jambone: bool) -> None:
    """O3, in every way to play; by default it is no action."""
    game = deal(MARCH, name_no_trump=True, jambone=jambone)
    assert not any("nt" in token for token in tokens(game))
    play(game, PASSED)
    named = ["call nt", "call nt alone", *(["call nt jambone"] if jambone else [])]
    assert tokens(game)[-len(named) :] == named
    assert not any("nt" in token for token in tokens(play(deal(MARCH), PASSED)))


def test_at_no_trump_no_jack_is_a_bower_and_nothing_trumps() -> None:
    """O3, A3: the highest card of the suit led wins."""
    game = play(deal({**MARCH, 0: "Js As Ks Qs Jc"}, name_no_trump=True), PASSED, "0 call nt")
    assert (view(game).trump, view(game).maker, view(game).upcard_place) == ("nt", 0, "down")
    trick(game, "0: Jc Ah Ad Ac")
    assert game.actor == 3, "the ace of clubs takes the jack"
    assert tokens(trick(game, "3: Kc Js Kh Kd")) == ["play Qc", "play Tc", "play 9c"]


@pytest.mark.parametrize(
    ("call", "hands", "expected"),
    [
        ("call nt", {0: "As Ks Qs Js Ts"}, (2, 0)),
        ("call nt alone", {0: "As Ks Qs Js Ts"}, (4, 0)),
        ("call nt", {0: "As Ks Qs Js 9h"}, (1, 0)),
        ("call nt alone", {0: "9h Th 9d Td Qc", 1: "As Ks Qs Js Ah"}, (0, 2)),
    ],
)
def test_no_trump_scores_as_a_trump(call: str, hands: Mapping[int, str], expected: tuple[int, int]) -> None:
    """O3, V1.8. The game is to 20, so that no hand ends it."""
    game = deal({**hands} if 1 in hands else {**MARCH, **hands}, name_no_trump=True, target=20)
    assert points(play(game, PASSED, f"0 {call}")) == expected


def test_a_stuck_dealer_may_name_no_trump() -> None:
    """O3, V1.5.3."""
    game = play(deal(MARCH, name_no_trump=True, stick_dealer=True), PASSED, "0 pass, 1 pass, 2 pass")
    assert tokens(game)[-1] == "call nt alone"
    assert "pass" not in tokens(game)


def test_no_jamboree_comes_at_no_trump() -> None:
    """O3: without trumps there are no five highest."""
    game = play(deal(MARCH, name_no_trump=True, jamboree=True), PASSED, "0 call nt")
    assert game.stage == "play"


def test_a_void_jambone_player_at_no_trump_is_dictated_to() -> None:
    """O3, V4.5.5c: he holds no trump."""
    hands = {0: "Th 9h Ad Kd Ac", 1: "Js Jc As Ks 9d", 2: "Qh Jh Kc Qc Tc", 3: "Td Qd Jd 9c Ah"}
    game = play(deal(hands, name_no_trump=True, jambone=True), PASSED, "0 pass, 1 call nt jambone, 0 play Th")
    assert (game.actor, tokens(game)) == (0, ["dictate As", "dictate Ks", "dictate Js", "dictate 9d", "dictate Jc"])


def test_a_defender_may_play_alone_against_no_trump() -> None:
    """O3, L3."""
    game = play(deal(MARCH, name_no_trump=True, defend_alone="always"), PASSED, "0 call nt")
    assert tokens(game) == ["defend", "decline"]


# O6 and O7.


@pytest.mark.parametrize(
    ("hands", "call", "expected"),
    [
        (MARCH, "order alone", (4, 0)),
        (FOUR, "order alone", (0, 2)),
        (NONE, "order alone", (0, 2)),
        (FOUR, "order", (1, 0)),
    ],
)
@pytest.mark.parametrize("variant", ["euchre", "british"])
def test_a_lone_maker_below_five_tricks_is_euchred(
    variant: str, hands: Mapping[int, str], call: str, expected: tuple[int, int]
) -> None:
    """O6. With a partner nothing changes."""
    game = deal(hands, variant=variant, alone_needs_five=True, defend_alone="never", target=20)
    discard = "3 discard Tc"
    assert points(play(game, f"0 {call}", discard)) == expected


def test_a_lone_maker_with_four_tricks_loses_what_a_euchred_one_does() -> None:
    """O6: 2 or 4 to two defenders, 4 to a lone one; Jambone keeps its own table."""
    options: dict[str, object] = {"alone_needs_five": True, "target": 20}
    game = deal(FOUR, **options, lone_euchre_points=4)
    assert points(play(game, "0 order alone, 3 discard Tc")) == (0, 4)
    game = deal(FOUR, **options, defend_alone="vs_alone")
    assert points(play(game, "0 order alone, 3 discard Tc, 1 defend")) == (0, 4)
    game = deal(FOUR, **options, jambone=True)
    assert points(play(game, "0 order jambone, 3 discard Tc, 1 dictate 9h")) == (1, 0)


@pytest.mark.parametrize(
    ("hands", "call", "expected"),
    [(MARCH, "order alone", (6, 0)), (MARCH, "order", (2, 0)), (FOUR, "order alone", (1, 0))],
)
def test_option_alone_march_points(hands: Mapping[int, str], call: str, expected: tuple[int, int]) -> None:
    """O7: it takes the place of the 4 in one line."""
    game = deal(hands, alone_march_points=6, target=20)
    assert points(play(game, f"0 {call}", "3 discard Tc")) == expected


# B6.

POOR = {0: "9s Th 9d Td 9c", 1: "Ah Kh Qh Jh Ts", 2: "Ad Kd Qd Jd As", 3: "Ac Kc Qc Jc Tc"}
"""Seat 0 holds nothing but nines and tens. The upcard is Js."""

ONE_ACE = {**POOR, 0: "As Th 9d Td 9c", 2: "Ad Kd Qd Jd 9s"}
"""Seat 0 holds nines, tens and one ace."""


@pytest.mark.parametrize(
    ("misdeal", "hand", "poor"),
    [
        ("nines_tens", "9s Th 9d Td 9c", True),
        ("nines_tens", "As Th 9d Td 9c", False),
        ("ace_no_face", "9s Th 9d Td 9c", True),
        ("ace_no_face", "As Th 9d Td 9c", True),
        ("ace_no_face", "As Ah 9d Td 9c", False),
        ("ace_no_face", "Ks Th 9d Td 9c", False),
        ("ace_no_face", "Js Th 9d Td 9c", False),
    ],
)
def test_a_poor_hand_may_be_claimed(misdeal: str, hand: str, poor: bool) -> None:
    """B6: every other hand can only decline."""
    game = deal({0: hand}, upcard="Qs", misdeal=misdeal)
    assert (game.actor, game.stage) == (0, "misdeal")
    assert tokens(game) == (["claim", "decline"] if poor else ["decline"])


def test_a_hand_with_a_joker_is_no_misdeal() -> None:
    """B6, V2."""
    game = deal({0: "X1 Th 9d Td 9c"}, upcard="Qs", variant="british", misdeal="ace_no_face")
    assert tokens(game) == ["decline"]


def test_in_a_longer_pack_lower_cards_are_poor_too() -> None:
    """B6: no ace, king, queen, jack or joker."""
    assert "claim" in tokens(deal({0: "7s Th 8d Td 9c"}, upcard="Qs", misdeal="nines_tens", deck=32))


def test_a_claimed_misdeal_is_thrown_in() -> None:
    """B6, A8, E14: nobody scores, the deal moves on, and the hand counts."""
    game = play(deal(POOR, upcard="Js", misdeal="nines_tens"), "0 claim")
    assert [(result.ended, result.points) for result in game.results] == [("thrown in", (0, 0, 0, 0))]
    assert (game.dealer, game.hand_number) == (0, 1)
    assert play(deal(POOR, upcard="Js", misdeal="nines_tens", max_hands=1), "0 claim").view(1).laid[0] == tuple(
        ["9s", "Th", "Td", "9d", "9c"]
    ), "all see the cards"


def test_every_seat_is_asked_until_one_claims() -> None:
    """B6, O1: from the eldest, the dealer last; then the first round begins."""
    game = play(deal(POOR, upcard="Js", misdeal="nines_tens"), "0 decline, 1 decline, 2 decline, 3 decline")
    assert (game.actor, game.stage) == (0, "order up")


def test_a_refusal_tells_nothing() -> None:
    """B6: the views of the others are the same, whether the seat could have claimed or not."""
    could = play(deal(POOR, upcard="Js", misdeal="nines_tens"), "0 decline")
    could_not = play(deal({**POOR, 0: "Ks Th 9d Td 9c"}, upcard="Js", misdeal="nines_tens"), "0 decline")
    assert could.view(1) == could_not.view(1)


@pytest.mark.parametrize("option", [{"misdeal": "ace_no_face"}, {"farmers_hand": "mixed"}])
def test_nobody_is_asked_when_a_joker_is_turned(option: dict[str, object]) -> None:
    """O1: the dealer has not seen his cards."""
    game = deal({}, upcard="X1", variant="british", **option)
    assert (game.actor, game.stage) == (3, "name trump")
    play(game, "3 call h")
    assert game.stage == "discard"


# B7.

FARMER = {0: "9s 9h 9d Td Ac", 1: "Ah Kh Qh Jh Ts", 2: "Ad Kd Qd Jd As", 3: "Kc Qc Tc 9c Th"}
"""Seat 0 holds three nines and a ten; seat 3 three nines and tens. The upcard is Js, the talon Ks Qs Jc."""


@pytest.mark.parametrize(
    ("farmers_hand", "hand", "low"),
    [
        ("clean", "9s 9h 9d Td Ac", True),
        ("clean", "Ts Th Td Tc Ac", True),
        ("clean", "9s 9h Td Tc Ac", False),
        ("mixed", "9s 9h Td Tc Ac", True),
        ("mixed", "9s Ah Td Kc Ac", False),
    ],
)
def test_a_farmers_hand_may_swap(farmers_hand: str, hand: str, low: bool) -> None:
    """B7: every other hand can only be kept."""
    game = deal({0: hand}, upcard="Js", farmers_hand=farmers_hand)
    assert (game.actor, game.stage) == (0, "go under")
    assert tokens(game) == (["swap", "keep"] if low else ["keep"])


def test_a_farmer_shows_three_cards_of_a_rank_and_takes_the_talon_unseen() -> None:
    """B7 clean: the others see the cards shown and not those taken; then the first round begins."""
    game = play(deal(FARMER, upcard="Js", farmers_hand="clean"), "0 swap")
    assert (game.stage, tokens(game)) == ("show", ["show 9s", "show 9h", "show 9d"])
    play(game, "0 show 9h, 0 show 9s, 0 show 9d")
    assert (game.actor, game.stage, game.view(1).upcard_place) == (0, "order up", "up")
    assert set(game.view(0).hand) == {"Ac", "Td", "Ks", "Qs", "Jc"}
    assert [(memory.what, memory.cards) for memory in game.view(0).memory[1:]] == [("widow", ("Ks", "Qs", "Jc"))]
    assert [str(event.action) for event in game.view(1).history] == ["swap", "show 9h", "show 9s", "show 9d"]
    assert [memory.what for memory in game.view(1).memory] == ["dealt"]


def test_a_mixed_farmers_hand_shows_any_three_nines_and_tens() -> None:
    """B7 mixed."""
    game = play(deal(FARMER, upcard="Js", farmers_hand="mixed"), "0 keep, 1 keep, 2 keep, 3 swap")
    assert tokens(game) == ["show Th", "show Tc", "show 9c"]
    game = play(deal(FARMER, upcard="Js", farmers_hand="mixed"), "0 swap, 0 show 9s")
    assert tokens(game) == ["show 9h", "show Td", "show 9d"]


def test_nobody_further_is_asked_after_a_swap() -> None:
    """B7: seat 3 could have swapped too."""
    game = play(deal(FARMER, upcard="Js", farmers_hand="mixed"), "0 swap, 0 show 9s, 0 show 9h, 0 show 9d, 0 pass")
    assert (game.actor, game.stage) == (1, "order up")


def test_a_misdeal_is_asked_before_a_farmers_hand() -> None:
    """O1, O2."""
    game = deal(FARMER, upcard="Js", farmers_hand="mixed", misdeal="nines_tens")
    play(game, "0 decline, 1 decline, 2 decline, 3 decline")
    assert (game.actor, game.stage) == (0, "go under")


@pytest.mark.parametrize("deck", [28, 32])
@pytest.mark.parametrize("farmers_hand", ["clean", "mixed"])
def test_a_farmers_hand_needs_the_short_pack(deck: int, farmers_hand: str) -> None:
    """O14."""
    with pytest.raises(InvalidOption, match=f'farmers_hand = "{farmers_hand}" needs deck = 24, not {deck}'):
        deal({}, upcard="Js", farmers_hand=farmers_hand, deck=deck)


@pytest.mark.parametrize("farmers_hand", ["clean", "mixed"])
@pytest.mark.parametrize("shown", [0, 1, 2, 3])
def test_a_world_of_a_farmers_hand_has_what_he_shows(farmers_hand: str, shown: int) -> None:
    """B7: being asked to show tells of the low cards that are still needed; afterwards nothing more is known."""
    game = play(deal(FARMER, upcard="Js", farmers_hand=farmers_hand), "0 swap")
    for card in ("9h", "9s", "9d")[:shown]:
        play(game, f"0 show {card}")
    for seat in (1, 2, 3):
        view_of = game.view(seat)
        sampler, rng = Sampler(view_of), Random(seat)
        for _ in range(20):
            sample = sampler.draw(rng)
            assert sample.view(seat) == view_of
            assert len(sample.legal_actions()) >= 3 - shown
            play_out(sample)


def test_every_world_of_a_clean_farmers_hand_is_equally_likely() -> None:
    """B7: to seat 1, which holds one ten, three nines are likelier than three tens, as their numbers say."""
    game = play(deal(FARMER, upcard="Js", farmers_hand="clean"), "0 swap")
    sampler, rng = Sampler(game.view(1)), Random(5)
    draws = 4000
    nines = sum(sum(card[0] == "9" for card in sampler.draw(rng).view(0).hand) >= 3 for _ in range(draws))
    # 18 cards are unseen, among them four nines and three tens; no hand of five has three of both.
    with_nines = comb(4, 3) * comb(14, 2) + comb(4, 4) * 14
    with_tens = comb(3, 3) * comb(15, 2)
    expected = draws * with_nines / (with_nines + with_tens)
    assert abs(nines - expected) < 5 * (expected * (1 - expected / draws)) ** 0.5
