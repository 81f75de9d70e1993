"""V13, Buck Euchre after the turn-up text: its differences from V12, and every number of its page. Seat 3 deals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from bowerbird.engine import Game, InvalidOption, new_game, resolve_options, rules_of
from tests.support.engine.buck_hands import ALL_PASS, FOUR, NONE, SHARED, SWEEP, TWO, changes
from tests.support.engine.scenario import hands_in_a_row, play, play_out, scenario, tokens, trick, view

ALL_STAY = "1 stay, 2 stay, 3 stay"


def deal(hands: Mapping[int, str], upcard: str = "9s", **options: object) -> Game:
    return scenario("buck-turn-up", dealer=3, hands=hands, upcard=upcard, options=options)


def ordered(hands: Mapping[int, str], staying: str = ALL_STAY, discard: str = "9c", **options: Any) -> Game:
    """Return the game after seat 0 ordered spades up and the others said whether they stay."""
    return play(deal(hands, **options), f"0 order, 3 discard {discard}", staying)


def two_of_five(**options: Any) -> Game:
    """Return a played hand: seat 0, the maker, took two tricks, seat 1 three."""
    game = ordered(TWO, discard="Qc", **options)
    for line in ("0: Js As Td 9s", "0: Jc Jh Jd Tc", "0: 9h Ah Qd Ac"):
        trick(game, line)
    return game


def test_four_players_count_down_from_25() -> None:
    """V13.1, V13.2."""
    game = deal(SWEEP)
    assert (game.scores, game.rules.pack.size, rules_of("buck-turn-up").better) == ((25,) * 4, 24, "low")


def test_bowers_are_trumps_and_no_trump_has_none() -> None:
    """V13.3."""
    game = ordered({**FOUR, 1: "Ah Kh Qh Jh Qs"})
    trick(game, "0: Jc Qs Ad 9s")
    assert view(game).tricks_won == (1, 0, 0, 0), "the left bower asks for spades and beats the queen"
    game = play(deal(SHARED, upcard="Qd"), ALL_PASS, "0 stay, 1 stay, 2 stay, 3 stay")
    play(game, "0 play As, 1 play 9s")
    assert tokens(game) == ["play Qs", "play Js"], "at no trump the jack is a spade like any other"


def test_packets_of_two_and_three_and_card_21_is_turned_up() -> None:
    """V13.4."""
    pack = "As Ks Ah Kh Ad Kd Ac Kc Qs Js Ts Qh Jh Th Qd Jd Td Qc Jc Tc 9s 9h 9d 9c"
    game = new_game("buck-turn-up", packs=[[pack]], first_dealer=3)
    assert (game.view(0).hand, game.view(3).hand) == (("As", "Ks", "Qs", "Js", "Ts"), ("Ac", "Kc", "Qc", "Jc", "Tc"))
    assert game.view(1).upcard == "9s"


def test_a_turned_club_is_trump_and_nobody_may_drop() -> None:
    """V13.5.1, V13.5.5: "every hand whose upcard is not a club"."""
    seen = view(deal({0: "Js Jc As Ks Qs"}, upcard="9c"))
    assert (seen.stage, seen.actor, seen.trump, seen.maker, seen.upcard_place) == ("play", 0, "c", None, "out")


def test_the_acceptor_is_the_maker_and_the_dealer_picks_up() -> None:
    """V13.5.2."""
    game = play(deal(SWEEP), "0 pass, 1 order")
    assert (view(game).maker, view(game).trump, game.actor) == (1, "s", 3)
    assert tokens(game) == ["discard Ac", "discard Kc", "discard Qc", "discard Tc", "discard 9c"]


def test_any_suit_but_the_upcards_is_named_in_the_second_round() -> None:
    """V13.5.3, V13.12.6."""
    game = play(deal(SWEEP), "0 pass, 1 pass, 2 pass, 3 pass")
    assert tokens(game) == ["pass", "call h", "call d", "call c"]
    assert view(play(game, "0 call h")).maker == 0


def test_all_pass_is_a_no_trump_hand_in_which_one_may_drop() -> None:
    """V13.5.4, V13.5.5: all four are asked, from the eldest."""
    game = play(deal(SHARED, upcard="Qd"), ALL_PASS, "0 stay, 1 drop, 2 stay, 3 drop")
    assert (view(game).trump, view(game).maker, view(game).active) == ("nt", None, (0, 2))


def test_staying_is_asked_from_the_eldest_and_never_of_the_maker() -> None:
    """V13.5.5, V13.12.1: seat 1 is the maker."""
    game = play(deal(SWEEP), "0 pass, 1 order, 3 discard 9c, 0 stay, 2 stay, 3 drop")
    assert (view(game).stage, view(game).active) == ("play", (0, 1, 2))


def test_the_last_one_left_is_in_unasked() -> None:
    """V13.12.2, V13.8: 5 tricks without a card, and no game by it."""
    game = play(deal(SHARED, upcard="Qd"), ALL_PASS, "0 drop, 1 drop, 2 drop")
    assert (game.results[0].ended, game.results[0].scores) == ("uncontested", (25, 25, 25, 20))
    assert not game.is_over


def test_answers_are_public() -> None:
    """V13.6, B5."""
    game = play(deal(SWEEP), "0 order, 3 discard 9c, 1 drop")
    assert [(event.seat, str(event.action)) for event in view(game).history] == [
        (0, "order"), (3, "discard"), (1, "drop"),
    ]  # fmt: skip


def test_the_first_active_seat_from_the_eldest_leads() -> None:
    """V13.7."""
    assert play(deal(SWEEP), "0 pass, 1 order, 3 discard 9c, 0 drop, 2 stay, 3 stay").actor == 1


def test_the_points() -> None:
    """V13.8: three or more are subtracted; fewer cost a maker 5; 5 for none; nothing for a player who dropped."""
    assert changes(ordered(FOUR)) == (-4, -1, 5, 5)
    assert changes(two_of_five()) == (5, -3, 5, 5)
    assert changes(ordered(NONE)) == (5, -5, 5, 5)
    assert changes(ordered(FOUR, "1 drop, 2 stay, 3 drop")) == (-5, 0, 5, 0)


def test_a_sweep_wins_at_once() -> None:
    """V13.9a."""
    game = ordered(NONE)
    play_out(game)
    assert (game.ended, game.winners) == ("sweep", (1,))


def test_else_the_lowest_score_at_zero_or_below_wins() -> None:
    """V13.9b, V13.12.3; equal ones share."""
    game = ordered(FOUR, start=1)
    play_out(game)
    assert (game.ended, game.winners, game.scores[:2]) == ("target", (0,), (-3, 0))
    game = play(deal(SHARED, upcard="Qd", start=2), ALL_PASS, "0 stay, 1 stay, 2 stay, 3 stay")
    for line in ("0: As 9s Qs Qc", "0: Ks Ts Js Jc", "0: 9h Ah Th Qh", "1: Kh Kd Jh Tc", "1: 9d Ad Jd Td"):
        trick(game, line)
    assert (game.scores, game.winners) == ((0, 0, 1, 7), (0, 1))


def test_the_defaults_differ_from_v12_in_two_options() -> None:
    """V13.10."""
    mine, others = resolve_options("buck-turn-up"), resolve_options("buck")
    assert {name: mine[name] for name in mine if mine[name] != others[name]} == {
        "drop_in_no_trump": True,
        "drop_order": "from_eldest",
    }


def test_option_start() -> None:
    """V13.10."""
    assert deal(SWEEP, start=7).scores == (7,) * 4


def test_option_sweep_wins_off() -> None:
    """V13.10."""
    game = ordered(SWEEP, sweep_wins=False)
    assert changes(game) == (-5, 5, 5, 5)
    assert not game.is_over


def test_option_uncontested_sweep_wins() -> None:
    """V13.10, E12."""
    game = ordered(SWEEP, "1 drop, 2 drop, 3 drop", uncontested_sweep_wins=True)
    assert (game.ended, game.winners) == ("sweep", (0,))
    with pytest.raises(InvalidOption, match="buck-turn-up: uncontested_sweep_wins = true needs sweep_wins = true"):
        deal(SWEEP, uncontested_sweep_wins=True, sweep_wins=False)


def test_option_maker_zero_penalty() -> None:
    """V13.12.5."""
    assert changes(ordered(NONE, maker_zero_penalty=10)) == (10, -5, 5, 5)


def test_option_failed_maker_keeps_tricks() -> None:
    """V13.12.4."""
    assert changes(two_of_five(failed_maker_keeps_tricks=True)) == (3, -3, 5, 5)


def test_option_max_consecutive_drops() -> None:
    """V13.10, B5: a player who dropped once is in unasked in the next hand."""
    game = hands_in_a_row("buck-turn-up", FOUR, upcard="9s", options={"max_consecutive_drops": 1, "sweep_wins": False})
    play(game, "0 order, 3 discard 9c, 1 drop, 2 stay, 3 drop")
    play_out(game)
    play(game, "1 order, 0 discard 9c, 2 stay, 0 stay")
    assert (view(game).stage, view(game).active) == ("play", (0, 1, 2, 3))


def test_option_drop_in_no_trump_off() -> None:
    """V13.10: without a maker all play, as in V12."""
    assert view(play(deal(SHARED, upcard="Qd", drop_in_no_trump=False), ALL_PASS)).stage == "play"


def test_option_drop_order() -> None:
    """V13.10: from the left of the maker, seat 1."""
    game = play(deal(SWEEP, drop_order="from_left_of_maker"), "0 pass, 1 order, 3 discard 9c, 2 stay, 3 stay, 0 stay")
    assert view(game).stage == "play"


def test_option_name_no_trump() -> None:
    """V13.10: its maker is not asked whether he stays."""
    game = play(deal(SHARED, upcard="Qd", name_no_trump=True), "0 pass, 1 pass, 2 pass, 3 pass")
    assert tokens(game) == ["pass", "call s", "call h", "call c", "call nt"]
    play(game, "0 pass, 1 call nt, 0 stay, 2 stay, 3 stay")
    assert (view(game).maker, view(game).stage) == (1, "play")


def test_option_club_pickup() -> None:
    """V13.10."""
    game = deal({3: "Ac Kc Qc Tc 9h"}, upcard="9c", club_pickup="dealer")
    play(game, "3 discard 9h")
    assert (view(game).stage, view(game).maker, "9c" in game.view(3).hand) == ("play", None, True)
