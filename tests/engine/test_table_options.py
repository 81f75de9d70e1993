"""Part O of the rules: options that bring in rules of their own. Seat 3 deals unless said otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from math import comb
from random import Random
from typing import Any

import pytest

from bowerbird.engine import Game, InvalidOption, Sampler, new_game, rules_of, sample_game
from bowerbird.engine.game import state_of
from tests.support.engine.scenario import change, play, play_out, scenario, tokens, trick, view, written_pack

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
    options: dict[str, Any] = {"alone_needs_five": True, "target": 20}
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


def test_the_five_cards_of_a_claimed_misdeal_are_shown_to_all() -> None:
    """B6: and nobody else's; of a hand that is not claimed none are."""
    game = play(deal(POOR, upcard="Js", misdeal="nines_tens"), "0 claim")
    shown = game.results[0].shown
    assert [len(cards) for cards in shown] == [5, 0, 0, 0]
    assert {card[0] for card in shown[0]} <= {"9", "T"}
    last = play(deal(POOR, upcard="Js", misdeal="nines_tens", stick_dealer=False), *(f"{k} decline" for k in range(4)))
    assert last.results == ()


def test_a_claimed_misdeal_is_thrown_in() -> None:
    """B6, A8, E14: nobody scores, the deal moves on, and the hand counts."""
    game = play(deal(POOR, upcard="Js", misdeal="nines_tens"), "0 claim")
    assert [(result.ended, result.points) for result in game.results] == [("thrown in", (0, 0, 0, 0))]
    assert (game.dealer, game.hand_number) == (0, 1)
    last = play(deal(POOR, upcard="Js", misdeal="nines_tens", max_hands=1), "0 claim")
    assert last.view(1).laid == (("9s", "Th", "Td", "9d", "9c"), (), (), ()), "all see the cards"


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
    """E23."""
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


# O4.


@pytest.mark.parametrize(("deck", "cards"), [(24, 25), (28, 29), (32, 33)])
def test_the_pack_has_a_joker_more(deck: int, cards: int) -> None:
    """O4."""
    game = deal({}, joker=True, deck=deck)
    assert len(game.packs[0].split()) == cards
    assert "X1" in game.packs[0]


def test_the_joker_beats_the_right_bower() -> None:
    """O4, A3."""
    game = play(deal({**MARCH, 1: "X1 Kh Qh Jh Th"}, joker=True), "0 order, 3 discard Tc, 0 play Js")
    assert tokens(game) == ["play X1"], "a joker is a trump in every respect"
    play(game, "1 play X1, 2 play Ad, 3 play 9s")
    assert game.actor == 1


def test_a_turned_joker_makes_the_dealer_the_maker() -> None:
    """O4, V2.5.1: he names before he sees his cards, takes it, discards another card, and may go alone then."""
    game = deal(MARCH, upcard="X1", joker=True, jambone=True)
    assert (game.actor, game.stage, game.view(3).hand) == (3, "name trump", ())
    play(game, "3 call c")
    assert (game.stage, view(game).maker, view(game).trump) == ("discard", 3, "c")
    assert "discard X1" not in tokens(game)
    play(game, "3 discard 9c")
    assert tokens(game) == ["alone", "decline"], "no jambone (E7)"
    assert play(game, "3 alone").view(0).active == (0, 2, 3)


def test_jamboree_with_a_joker_is_the_five_highest_trumps() -> None:
    """O4: JK, RB, LB, A, K."""
    game = play(deal({0: "X1 Js Jc As Ks"}, joker=True, jamboree=True), "0 order")
    game.apply(game.legal_actions()[0])
    assert game.stage == "claim"
    game = play(deal({0: "Js Jc As Ks Qs"}, joker=True, jamboree=True), "0 order")
    game.apply(game.legal_actions()[0])
    assert game.stage == "play"


def test_a_joker_and_no_trump_exclude_each_other() -> None:
    """E23."""
    with pytest.raises(InvalidOption, match="joker = true needs name_no_trump = false"):
        deal({}, joker=True, name_no_trump=True)


# O5.


def test_a_lone_maker_may_ask_his_partner_for_a_card() -> None:
    """O5, B3: the gift first, then a discard of any of his six cards, the gift included; partner and maker know it."""
    game = play(deal(FOUR, call_best=True), "0 order alone, 3 discard Tc")
    assert (game.actor, tokens(game)) == (0, ["ask 2", "decline"])
    play(game, "0 ask 2")
    assert (game.actor, tokens(game)) == (2, ["give Ad", "give Kd", "give Qd", "give Jd", "give Td"])
    play(game, "2 give Ad")
    assert (game.actor, "discard Ad" in tokens(game), len(tokens(game))) == (0, True, 6)
    play(game, "0 discard 9h")
    assert game.stage == "play"
    assert set(game.view(0).hand) == {"Js", "Jc", "As", "Ks", "Ad"}
    assert [str(event.action) for event in game.view(1).history[2:]] == ["ask 2", "give", "discard"]


def test_he_need_not_ask() -> None:
    """O5."""
    assert play(deal(FOUR, call_best=True), "0 order alone, 3 discard Tc, 0 decline").stage == "play"


@pytest.mark.parametrize("call", ["order", "order jambone"])
def test_only_a_lone_maker_may_ask(call: str) -> None:
    """O5: not with a partner, and not with Jambone."""
    game = play(deal(FOUR, call_best=True, jambone=True), f"0 {call}, 3 discard Tc")
    assert game.stage == "play"


def test_a_lone_defender_may_not_ask() -> None:
    """O5, L4: the defenders are asked after the exchange."""
    game = deal(FOUR, call_best=True, defend_alone="vs_alone")
    play(game, "0 order alone, 3 discard Tc, 0 ask 2, 2 give Ad, 0 discard 9h, 1 defend")
    assert game.stage == "play"


def test_a_partner_who_deals_picks_up_before_he_gives() -> None:
    """O5, V3.12.13: he may give the upcard."""
    game = play(deal(MARCH, call_best=True), "0 pass, 1 order alone, 3 discard Tc, 1 ask 3")
    assert "give 9s" in tokens(game)


def test_a_lone_maker_asks_at_no_trump_and_after_a_turned_benny() -> None:
    """O5."""
    assert tokens(play(deal(MARCH, call_best=True, name_no_trump=True), PASSED, "0 call nt alone"))[0] == "ask 2"
    game = deal({}, upcard="X1", variant="british", call_best=True)
    play(game, "3 call h")
    game.apply(game.legal_actions()[0])
    assert tokens(play(game, "3 alone"))[0] == "ask 1"


# O8.


def lapped(**options: object) -> Game:
    """Return a match to games of three points in which seats 0 and 2 take two points in every hand."""
    packs = []
    for dealer in (3, 0, 1, 2, 3):
        march = {(dealer + 1 + k) % 4: cards for k, cards in enumerate(MARCH.values())}
        if dealer in (0, 2):  # the eldest sits on the other side: the seat left of him gets the march
            march = {(seat + 1) % 4: cards for seat, cards in march.items()}
        packs.append([written_pack("euchre", dealer, march, upcard="9s")])
    return new_game("euchre", {"target": 3, "games_to_win": 9, **options}, first_dealer=3, packs=packs)


def take(game: Game) -> None:
    """Let seat 0 or 2, whichever holds the bowers, order up and take all five tricks."""
    hand = game.hand_number
    strong = next(seat for seat in (0, 2) if "Js" in game.view(seat).hand)
    while game.hand_number == hand and not game.is_over:
        if game.stage == "order up":
            game.apply("order" if game.actor == strong else "pass")
        else:
            game.apply(game.legal_actions()[0])


@pytest.mark.parametrize("after_lap", [False, True])
def test_points_of_a_lap_are_not_scored_in_the_game(after_lap: bool) -> None:
    """O8, B4.1: they save from a slam only by default, and they are a public fact of each hand."""
    game = lapped(lap=True, slam=True, slam_after_lap=after_lap)
    take(game)
    take(game)
    assert (game.scores, game.games) == ((1, 0, 1, 0), (2, 0, 2, 0)), "a slam, and a point over"
    shown = (("points of a lap", "1 0 1 0"),)
    assert game.view(1).extra == (shown if after_lap else ())
    state = state_of(game)
    state.scores = (1, 2, 1, 2)  # the others have come to two points since
    state.hand_ended, state.scores = "scored", (1, 3, 1, 3)
    game.rules.end.settle(state)
    assert state.games[1] == (2 if after_lap else 1)
    assert state.lapped == ((0, 0, 0, 0) if after_lap else ())


def test_a_point_of_ones_own_saves_from_a_slam() -> None:
    """O8: it was scored in this game."""
    game = lapped(lap=True, slam=True, slam_after_lap=True)
    take(game)
    take(game)
    state = state_of(game)
    state.hand_ended, state.scores = "scored", (2, 3, 2, 3)
    game.rules.end.settle(state)
    assert state.games[1] == 1


def test_a_sampled_game_knows_the_points_of_a_lap() -> None:
    """O8: they follow from the view."""
    game = lapped(lap=True, slam=True, slam_after_lap=True)
    take(game)
    take(game)
    sample = sample_game(game.view(1), Random(1))
    assert sample.view(1) == game.view(1)
    assert state_of(sample).lapped == (1, 0, 1, 0)


@pytest.mark.parametrize("variant", ["euchre", "british", "railroad", "lap-slam"])
@pytest.mark.parametrize("missing", ["lap", "slam"])
def test_slams_after_laps_need_both(variant: str, missing: str) -> None:
    """E23."""
    options: dict[str, object] = {"lap": True, "slam": True, "slam_after_lap": True, missing: False}
    with pytest.raises(InvalidOption, match=f"slam_after_lap = true needs {missing} = true"):
        new_game(variant, options)


# O9.


@pytest.mark.parametrize(
    ("hand", "cards", "asked"),
    [
        ("Js Jc As Ks Qs", "listed", True),
        ("X1 Js Jc As Ks", "listed", False),
        ("Js Jc As Ks Qs", "highest", False),
        ("X1 Js Jc As Ks", "highest", True),
    ],
)
def test_option_jamboree_cards(hand: str, cards: str, asked: bool) -> None:
    """O9: both bowers, ace, king and queen, and the joker is none of them."""
    game = play(deal({0: hand}, variant="railroad", jamboree_cards=cards), "0 order")
    game.apply(game.legal_actions()[0])
    assert (game.stage == "claim") == asked


# O10.


@pytest.mark.parametrize(
    ("variant", "talon"),
    [("two-handed", 17), ("three-handed", 12), ("cut-throat", 12), ("lap-slam", 7), ("two-handed-dummy", 11)],
)
def test_a_pack_of_28_ends_with_the_eight(variant: str, talon: int) -> None:
    """O10: the cards dealt do not change, the rest is talon."""
    rules = rules_of(variant).rules({"deck": 28})
    assert rules.pack.size - rules.plans[0].dealt == talon
    assert "8c" in rules.pack.codes
    assert "7c" not in rules.pack.codes


def test_the_dummy_game_has_a_pack_of_32() -> None:
    """O10."""
    assert rules_of("two-handed-dummy").rules({"deck": 32}).pack.size == 32


# O11.


@pytest.mark.parametrize("variant", ["buck", "buck-turn-up"])
def test_a_player_with_few_points_may_not_drop(variant: str) -> None:
    """O11: he is not asked, and is in."""
    game = deal(MARCH, variant=variant, no_drop_at_or_below=25)
    assert play(game, "0 order, 3 discard Tc").stage == "play"
    game = deal(MARCH, variant=variant, no_drop_at_or_below=24)
    assert play(game, "0 order, 3 discard Tc").stage == "stay"


def test_in_the_wagering_game_and_in_dirty_clubs_too() -> None:
    """O11: wherever dropping is allowed."""
    game = deal(MARCH, variant="buck-wager", no_drop_at_or_below=25)
    assert play(game, "0 pass, 1 pass, 2 pass, 3 pass").stage == "play"
    game = deal(MARCH, variant="dirty-clubs", no_drop_at_or_below=20)
    assert play(game, "0 bid 3, 1 pass, 2 pass, 3 pass, 0 call s, 0 decline").stage == "play"


def test_who_may_not_drop_has_no_consecutive_drop() -> None:
    """O11, B5: a hand in which he is in sets his count back."""
    game = deal(MARCH, variant="buck", no_drop_at_or_below=25, max_consecutive_drops=1)
    play_out(play(game, "0 order, 3 discard Tc"))
    assert state_of(game).drops == (0, 0, 0, 0)


# O12.


def test_a_bid_above_five_is_a_sacrifice() -> None:
    """O12: it outbids five, and always fails."""
    game = deal(MARCH, variant="dirty-clubs", max_bid=7, sweep_wins=False)
    assert tokens(game)[-1] == "bid 7"
    play(game, "0 bid 5, 1 bid 6, 2 pass, 3 pass, 1 call h, 1 decline")
    play(game, "2 drop, 3 drop, 0 drop")
    assert game.results[0].ended == "uncontested"
    assert change(game, start=20) == (0, 5, 0, 0)


def test_five_tricks_after_a_sacrifice_win_the_game_if_sweeps_do() -> None:
    """O12, E12."""
    game = deal(MARCH, variant="dirty-clubs", max_bid=7)
    play(game, "0 bid 6, 1 pass, 2 pass, 3 pass, 0 call s, 0 decline, 1 stay, 2 stay, 3 stay")
    play_out(game)
    assert (game.ended, game.winners, change(game, start=20)[0]) == ("sweep", (0,), 5)


def test_a_bid_needs_a_token() -> None:
    """E23."""
    with pytest.raises(InvalidOption, match="max_bid = 100 is too high"):
        new_game("dirty-clubs", {"max_bid": 100})


# O13.


@pytest.mark.parametrize("sweep", [False, True])
def test_a_sweep_wins_the_wagering_game_only_if_it_may(sweep: bool) -> None:
    """O13, V14.9."""
    game = deal(MARCH, variant="buck-wager", sweep_wins=sweep)
    play(game, "0 bid 5, 1 pass, 2 pass, 3 discard Tc, 0 call s")
    play_out(game)
    assert (game.ended == "sweep") == sweep
    assert change(game, start=25)[0] == -5


def test_a_credited_sweep_needs_the_rule_of_sweeps() -> None:
    """O13, E12."""
    with pytest.raises(InvalidOption, match="uncontested_sweep_wins = true needs sweep_wins = true"):
        new_game("buck-wager", {"sweep_wins": False, "uncontested_sweep_wins": True})
