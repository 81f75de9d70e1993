"""V12, Buck Euchre: at least one test for each number on its page. Seat 3 deals unless said otherwise."""

from __future__ import annotations

import pytest

from bowerbird.engine import InvalidOption, new_game, rules_of
from tests.support.engine.buck_hands import (
    ALL_PASS,
    ALL_STAY,
    FOUR,
    NONE,
    SHARED,
    SWEEP,
    changes,
    deal,
    ordered,
    shared,
    two_of_five,
)
from tests.support.engine.scenario import play, play_out, tokens, trick, view


def test_each_for_himself_from_25_down() -> None:
    """V12.1."""
    game = deal(SWEEP)
    assert game.scores == (25, 25, 25, 25)
    assert rules_of("buck").teams() is None
    assert rules_of("buck").better == "low"
    assert view(game).sides == (0, 1, 2, 3)


def test_the_pack_and_the_deal() -> None:
    """V12.2, V12.4: 24 cards, packets 2-3 from the eldest, card 21 is turned up."""
    pack = "As Ks Ah Kh Ad Kd Ac Kc Qs Js Ts Qh Jh Th Qd Jd Td Qc Jc Tc 9s 9h 9d 9c"
    game = new_game("buck", packs=[[pack]], first_dealer=1)
    assert game.view(2).hand == ("As", "Ks", "Qs", "Js", "Ts")
    assert game.view(1).hand == ("Ac", "Kc", "Qc", "Jc", "Tc")
    assert game.view(0).upcard == "9s"


def test_a_turned_club_is_trump_without_a_maker() -> None:
    """V12.5.1, V12.12.9, V12.12.10: no bidding, no dropping, nobody picks the club up."""
    game = deal({0: "Js Jc As Ks Qs", 3: "Ac Kc Qc Tc 9h"}, upcard="9c", drop_in_no_trump=True)
    seen = view(game)
    assert (game.actor, seen.stage, seen.trump, seen.maker) == (0, "play", "c", None)
    assert (seen.upcard, seen.upcard_place, seen.upcard_holder) == ("9c", "out", None)
    assert game.view(3).hand == ("9h", "Ac", "Kc", "Qc", "Tc")
    assert seen.active == (0, 1, 2, 3)


def test_the_first_round_has_no_lone_hands() -> None:
    """V12.5.2."""
    game = deal(SWEEP)
    assert tokens(game) == ["pass", "order"]
    play(game, "0 pass, 1 order")
    assert (view(game).maker, view(game).trump, game.actor) == (1, "s", 3)
    assert tokens(game) == ["discard Ac", "discard Kc", "discard Qc", "discard Tc", "discard 9c"]


def test_the_dealer_picks_up_before_he_may_drop() -> None:
    """V12.5.2, V12.12.6, B5: he was ordered up, discards, and drops like anybody else."""
    game = play(deal(SWEEP), "0 order, 3 discard Ac")
    assert game.view(3).hand == ("9s", "Kc", "Qc", "Tc", "9c")
    play(game, "1 stay, 2 stay, 3 drop")
    assert view(game).active == (0, 1, 2)
    assert (view(game).upcard_place, view(game).upcard_holder) == ("taken", 3)
    trick(game, "0: Js Ah Ad")
    assert game.actor == 0


def test_the_second_round_may_name_clubs_but_not_no_trump() -> None:
    """V12.5.3, V12.12.11: nobody picks the upcard up; the namer is the maker."""
    game = play(deal(SWEEP), "0 pass, 1 pass, 2 pass, 3 pass")
    assert tokens(game) == ["pass", "call h", "call d", "call c"]
    play(game, "0 pass, 1 call c")
    seen = view(game)
    assert (seen.maker, seen.trump, seen.stage, game.actor) == (1, "c", "stay", 2)
    assert seen.upcard_place == "down"


def test_all_pass_is_a_no_trump_hand_without_a_maker() -> None:
    """V12.5.4: never thrown in, nobody may drop."""
    game = play(deal(SHARED, upcard="Qd"), ALL_PASS)
    seen = view(game)
    assert (seen.trump, seen.maker, seen.stage, game.actor) == ("nt", None, "play", 0)


def test_staying_is_asked_from_the_left_of_the_maker() -> None:
    """V12.5.5, B5: the three others, one after another."""
    game = play(deal(SWEEP), "0 pass, 1 order, 3 discard 9c")
    asked = []
    while view(game).stage == "stay":
        asked.append(game.actor)
        assert tokens(game) == ["stay", "drop"]
        game.apply("stay")
    assert asked == [2, 3, 0]


def test_later_players_know_earlier_answers() -> None:
    """V12.6, B5."""
    game = play(deal(SWEEP), "0 order, 3 discard 9c, 1 drop")
    assert [str(event.action) for event in view(game).history][-1] == "drop"
    assert view(game).active == (0, 2, 3)


def test_the_first_active_seat_from_the_eldest_leads() -> None:
    """V12.7, V12.12.7, A6: the maker does not."""
    game = play(deal(SWEEP), "0 pass, 1 order, 3 discard 9c, 2 stay, 3 stay, 0 drop")
    assert game.actor == 1
    game = play(deal(SWEEP), "0 pass, 1 order, 3 discard 9c, 2 stay, 3 stay, 0 stay")
    assert game.actor == 0


def test_a_makers_tricks_are_subtracted() -> None:
    """V12.8: three or more."""
    assert changes(ordered(FOUR)) == (-4, -1, 5, 5)


def test_a_maker_below_three_adds_five() -> None:
    """V12.8, V12.12.2: his tricks are not subtracted; other players' are."""
    assert changes(two_of_five()) == (5, -3, 5, 5)


def test_option_failed_maker_keeps_tricks() -> None:
    """V12.10: 5 less his tricks; for no trick the penalty for none."""
    assert changes(two_of_five(failed_maker_keeps_tricks=True)) == (3, -3, 5, 5)
    assert changes(ordered(NONE, sweep_wins=False, failed_maker_keeps_tricks=True)) == (5, -5, 5, 5)


@pytest.mark.parametrize("penalty", [5, 10])
def test_option_maker_zero_penalty(penalty: int) -> None:
    """V12.8, V12.12.3: for a maker without a trick, and for nobody else."""
    assert changes(ordered(NONE, sweep_wins=False, maker_zero_penalty=penalty)) == (penalty, -5, 5, 5)
    assert changes(two_of_five(maker_zero_penalty=penalty))[0] == 5


def test_dropping_out_neither_gains_nor_loses() -> None:
    """V12.8, B5."""
    assert changes(ordered(FOUR, "1 drop, 2 stay, 3 drop")) == (-5, 0, 5, 0)


def test_hands_without_a_maker_count_as_for_non_makers() -> None:
    """V12.8, V12.12.10: there is no contract of three; taking none is +5."""
    assert shared().results[0].scores == (23, 23, 24, 30)
    clubs = {0: "Jc Js 9h 9d Th", 1: "Ah Kh Qh Jh Ac", 2: "Qd Kd 9s Jd Td", 3: "As Ks Qs Ts Ad"}
    game = deal(clubs, upcard="9c")
    for line in ("0: Jc Ac Td Ts", "0: Js Jh Jd Qs", "0: 9h Ah Qd As"):
        trick(game, line)
    assert changes(game) == (-2, -3, 5, 5)


def test_an_uncontested_hand_is_five_tricks_without_a_card() -> None:
    """V12.8, V12.12.8, B5: the game is not won by it."""
    game = ordered(SWEEP, "1 drop, 2 drop, 3 drop")
    result = game.results[0]
    assert (result.ended, result.scores, result.tricks) == ("uncontested", (20, 25, 25, 25), (5, 0, 0, 0))
    assert not any(event.action.kind == "play" for event in result.history)
    assert not game.is_over
    assert (game.hand_number, game.dealer) == (1, 0)


def test_an_uncontested_hand_may_still_reach_zero() -> None:
    """V12.9b."""
    game = ordered(SWEEP, "1 drop, 2 drop, 3 drop", start=5)
    assert (game.ended, game.winners, game.scores) == ("target", (0,), (0, 5, 5, 5))


def test_option_uncontested_sweep_wins() -> None:
    """B5, V12.9, E12."""
    game = ordered(SWEEP, "1 drop, 2 drop, 3 drop", uncontested_sweep_wins=True)
    assert (game.ended, game.winners, game.scores) == ("sweep", (0,), (20, 25, 25, 25))
    with pytest.raises(InvalidOption, match="needs sweep_wins"):
        new_game("buck", {"uncontested_sweep_wins": True, "sweep_wins": False})


@pytest.mark.parametrize("staying", [ALL_STAY, "1 drop, 2 drop, 3 stay"])
def test_a_contested_sweep_wins_the_game_at_once(staying: str) -> None:
    """V12.9a: whatever the scores, if at least one other player was active."""
    game = ordered(SWEEP, staying)
    play_out(game)
    assert (game.ended, game.winners, game.results[0].ended) == ("sweep", (0,), "sweep")
    assert game.ranks[0] == 1


def test_a_non_maker_may_sweep() -> None:
    """V12.9a."""
    game = ordered(NONE)
    play_out(game)
    assert (game.ended, game.winners) == ("sweep", (1,))


def test_a_sweep_wins_in_club_and_no_trump_hands() -> None:
    """V12.9a."""
    game = deal({0: "Jc Js Ac Kc Qc", 1: "Ah Kh Qh Jh Th"}, upcard="9c")
    play_out(game)
    assert (game.ended, game.winners) == ("sweep", (0,))
    game = play(deal({0: "As Ks Qs Js Ts", 1: "Ah Kh Qh Jh Th"}, upcard="9d"), ALL_PASS)
    play_out(game)
    assert (game.ended, game.winners) == ("sweep", (0,))


def test_option_sweep_wins_off() -> None:
    """V12.10."""
    game = ordered(SWEEP, sweep_wins=False)
    assert changes(game) == (-5, 5, 5, 5)
    assert not game.is_over


def test_the_lowest_at_zero_or_below_wins() -> None:
    """V12.9b: 5 - 4 = 1 is not enough; 4 - 4 = 0 is."""
    game = ordered(FOUR, start=5)
    play_out(game)
    assert not game.is_over
    game = ordered(FOUR, start=4)
    play_out(game)
    assert (game.ended, game.winners, game.scores, game.ranks) == ("target", (0,), (0, 3, 9, 9), (1, 2, 3, 3))


def test_the_most_negative_of_several_wins() -> None:
    """V12.9b, D4: -4 beats 0."""
    game = ordered(FOUR, start=1)
    play_out(game)
    assert (game.scores[:2], game.winners) == ((-3, 0), (0,))


def test_equal_lowest_share_the_win() -> None:
    """V12.9b, V12.12.13, A14, E1: after two winners the next place is the third."""
    game = shared(start=2)
    assert (game.scores, game.winners, game.ranks) == ((0, 0, 1, 7), (0, 1), (1, 1, 3, 4))


def test_option_start() -> None:
    """V12.10 `start`."""
    assert deal(SWEEP, start=7).scores == (7, 7, 7, 7)


def test_option_name_no_trump() -> None:
    """V12.10: the player who names it is the maker, and the others may drop."""
    game = play(deal(SHARED, upcard="Qd", name_no_trump=True), "0 pass, 1 pass, 2 pass, 3 pass")
    assert tokens(game) == ["pass", "call s", "call h", "call c", "call nt"]
    play(game, "0 call nt")
    assert (view(game).trump, view(game).maker, view(game).stage, game.actor) == ("nt", 0, "stay", 1)


def test_option_drop_order() -> None:
    """V12.10 `drop_order`: from the eldest over all but the maker."""
    game = play(deal(SWEEP, drop_order="from_eldest"), "0 pass, 1 order, 3 discard 9c")
    play(game, "0 stay, 2 stay, 3 stay")
    assert view(game).stage == "play"


@pytest.mark.parametrize("order", ["from_left_of_maker", "from_eldest"])
def test_option_drop_in_no_trump(order: str) -> None:
    """V12.10, E10: without a maker all seats are asked, from the eldest under any `drop_order`."""
    game = play(deal(SHARED, upcard="Qd", drop_in_no_trump=True, drop_order=order), ALL_PASS)
    play(game, "0 stay, 1 drop, 2 stay, 3 drop")
    assert (view(game).stage, view(game).active) == ("play", (0, 2))


def test_the_last_one_left_is_in_without_being_asked() -> None:
    """B5: all but one have dropped."""
    game = play(deal(SHARED, upcard="Qd", drop_in_no_trump=True), ALL_PASS, "0 drop, 1 drop, 2 drop")
    assert game.results[0].ended == "uncontested"
    assert game.results[0].scores == (25, 25, 25, 20)


def test_dropping_is_never_allowed_in_a_club_hand() -> None:
    """V12.10 `drop_in_no_trump` never applies to club hands."""
    assert view(deal(SHARED, upcard="9c", drop_in_no_trump=True)).stage == "play"


def test_option_club_pickup() -> None:
    """V12.10: the dealer takes the club and discards another card before the lead; still no maker."""
    game = deal({0: "Js Jc As Ks Qs", 3: "Ac Kc Qc Tc 9h"}, upcard="9c", club_pickup="dealer")
    assert (game.actor, view(game).stage, view(game).trump) == (3, "discard", "c")
    assert tokens(game) == ["discard 9h", "discard Ac", "discard Kc", "discard Qc", "discard Tc"]
    play(game, "3 discard 9h")
    seen = view(game)
    assert (game.actor, seen.stage, seen.maker, seen.upcard_place) == (0, "play", None, "taken")
    assert "9c" in game.view(3).hand
    game = play(deal(SWEEP, club_pickup="dealer"), "0 order")
    assert view(game).stage == "discard", "other suits go on as always"
    assert view(play(game, "3 discard 9c")).stage == "stay"


def test_option_max_hands() -> None:
    """A15: by score in the variant's own direction; equal ones share."""
    game = shared(max_hands=1)
    assert (game.ended, game.winners, game.ranks) == ("limit", (0, 1), (1, 1, 3, 4))


def test_the_deal_moves_on_after_every_hand() -> None:
    """A8."""
    game = shared()
    assert (game.hand_number, game.dealer, game.actor) == (1, 0, 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"start": 0}, "start of buck must be a whole number from 1 up, not 0"),
        ({"maker_zero_penalty": 7}, "must be 5 or 10, not 7"),
        ({"drop_order": "eldest"}, "did you mean 'from_eldest'?"),
        ({"club_pickup": True}, 'must be "none" or "dealer", not true'),
        ({"max_consecutive_drops": -1}, "from 0 up"),
        ({"target": 10}, "unknown option 'target' of buck, did you mean 'start'?"),
    ],
)
def test_a_wrong_option_is_refused_by_name(options: dict[str, object], message: str) -> None:
    """V12.10, E16."""
    with pytest.raises(InvalidOption) as refused:
        new_game("buck", options)
    assert message in refused.value.args[0]
