"""V15, Dirty Clubs: at least one test for each number on its page. The last seat deals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from bowerbird.engine import Game, InvalidOption, RecordError, new_game, resolve_options, rules_of
from tests.support.engine.buck_hands import FOUR, NONE, SHARED, SWEEP, TWO, changes
from tests.support.engine.scenario import hands_in_a_row, play, play_out, scenario, tokens, trick, view, written_pack

NOBODY = "0 pass, 1 pass, 2 pass, 3 pass"
ALL_STAY = "1 stay, 2 stay, 3 stay"


def deal(hands: Mapping[int, str], upcard: str = "9s", **options: object) -> Game:
    return scenario("dirty-clubs", dealer=3, hands=hands, upcard=upcard, options=options)


def made(hands: Mapping[int, str], staying: str = ALL_STAY, bid: int = 3, **options: Any) -> Game:
    """Return the game after seat 0 bid, named spades and left the upcard, and the others said whether they stay."""
    return play(deal(hands, **options), f"0 bid {bid}, 1 pass, 2 pass, 3 pass, 0 call s, 0 decline", staying)


def two(bid: int, **options: Any) -> Game:
    """Return a played hand: seat 0, the maker, took two tricks, seat 1 three."""
    game = made(TWO, bid=bid, **options)
    for line in ("0: Js As Td Ac", "0: Jc Jh Jd Kc", "0: 9h Ah Qd Qc"):
        trick(game, line)
    return game


def shared(**options: object) -> Game:
    """Return a played no-trump hand without a maker: tricks 2, 2, 1, 0."""
    game = play(deal(SHARED, upcard="Qd", **options), NOBODY)
    for line in ("0: As 9s Qs Qc", "0: Ks Ts Js Jc", "0: 9h Ah Th Qh", "1: Kh Kd Jh Tc", "1: 9d Ad Jd Td"):
        trick(game, line)
    return game


def test_each_for_himself_from_20_down() -> None:
    """V15.1."""
    game = deal(SWEEP)
    assert (game.scores, game.players) == ((20,) * 4, 4)
    assert (rules_of("dirty-clubs").better, rules_of("dirty-clubs").teams()) == ("low", None)


PACKS = [(4, 24, "9"), (5, 28, "8"), (6, 32, "7"), (7, 36, "6"), (8, 44, "4"), (9, 48, "3"), (10, 52, "2")]


@pytest.mark.parametrize(("players", "cards", "lowest"), PACKS)
def test_option_players(players: int, cards: int, lowest: str) -> None:
    """V15.1, V15.2, V15.12.6, D1: the fewest whole ranks that suffice for five cards each and an upcard."""
    game = new_game("dirty-clubs", {"players": players}, first_dealer=players - 1, seed=bytes(32))
    rules = game.rules
    assert (game.players, rules.pack.size, rules.pack.ranks[-1]) == (players, cards, lowest)
    assert rules_of("dirty-clubs").seats({"players": players}) == players
    assert [len(game.view(seat).hand) for seat in range(players)] == [5] * players
    assert rules.plans[0].upcard == 5 * players, "the card after the last one dealt"


@pytest.mark.parametrize("players", [3, 11])
def test_no_other_number_of_players(players: int) -> None:
    """V15.10, E16: ten players are the most that 52 cards allow."""
    with pytest.raises(InvalidOption, match=f"players of dirty-clubs must be 4, 5, 6, 7, 8, 9 or 10, not {players}"):
        new_game("dirty-clubs", {"players": players})


def test_no_trump_is_possible_and_has_no_bowers() -> None:
    """V15.3."""
    game = play(deal(FOUR), "0 bid 1, 1 pass, 2 pass, 3 pass, 0 call nt, 0 decline", ALL_STAY)
    play(game, "0 play As, 1 play Ah, 2 play Ad, 3 play Ac, 0 play Ks, 1 play Kh, 2 play Kd, 3 play Kc")
    assert view(game).tricks_won == (2, 0, 0, 0)
    play(game, "0 play Jc")
    play(game, "1 play Qh, 2 play Qd")
    assert tokens(game) == ["play Qc", "play Tc", "play 9c"], "the jack is a club like any other"


def test_packets_of_two_and_three() -> None:
    """V15.4."""
    pack = "As Ks Ah Kh Ad Kd Ac Kc Qs Js Ts Qh Jh Th Qd Jd Td Qc Jc Tc 9s 9h 9d 9c"
    game = new_game("dirty-clubs", packs=[[pack]], first_dealer=3)
    assert (game.view(0).hand, game.view(0).upcard) == (("As", "Ks", "Qs", "Js", "Ts"), "9s")


def test_a_turned_club_is_trump_and_nobody_may_drop() -> None:
    """V15.5.1."""
    seen = view(deal({0: "Js Jc As Ks Qs"}, upcard="9c", drop_in_no_trump=True))
    assert (seen.stage, seen.actor, seen.trump, seen.maker, seen.upcard_place) == ("play", 0, "c", None, "out")


def test_one_round_of_bids_each_higher_than_the_last() -> None:
    """V15.5.2, V15.12.1, V15.12.7: every seat is asked once, also a player who can only pass."""
    game = deal(SWEEP)
    assert tokens(game) == ["pass", "bid 1", "bid 2", "bid 3", "bid 4", "bid 5"]
    play(game, "0 bid 2")
    assert tokens(game) == ["pass", "bid 3", "bid 4", "bid 5"]
    play(game, "1 pass, 2 bid 5")
    assert tokens(game) == ["pass"]
    assert view(game).maker is None
    play(game, "3 pass")
    assert (view(game).maker, view(game).contract, game.actor) == (2, 5, 2)
    assert view(play(deal(SWEEP), "0 pass, 1 bid 1, 2 pass, 3 bid 2")).maker == 3, "the last who is asked may win it"


def test_all_pass_is_a_no_trump_hand_in_which_nobody_may_drop() -> None:
    """V15.5.3, V15.12.2: the upcard is out of play."""
    seen = view(play(deal(SHARED, upcard="Qd"), NOBODY))
    assert (seen.trump, seen.maker, seen.upcard_place, seen.stage) == ("nt", None, "out", "play")


def test_the_maker_names_any_suit_or_no_trump() -> None:
    """V15.5.4: clubs and the upcard's suit included."""
    game = play(deal(SWEEP), "0 pass, 1 bid 1, 2 pass, 3 pass")
    assert (game.actor, tokens(game)) == (1, ["call s", "call h", "call d", "call c", "call nt"])


def test_the_maker_may_take_the_upcard_and_discards_another_card() -> None:
    """V15.5.5, V15.12.3, V15.12.4: after naming, before the others decide; not the upcard itself (A10)."""
    game = play(deal(SWEEP), "0 pass, 1 bid 1, 2 pass, 3 pass, 1 call h")
    assert tokens(game) == ["take", "decline"]
    play(game, "1 take")
    assert (view(game).upcard_place, view(game).upcard_holder) == ("taken", 1)
    assert (game.actor, tokens(game)) == (1, [f"discard {card}" for card in ("Ah", "Kh", "Qh", "Jh", "Th")])
    play(game, "1 discard Th")
    assert (game.actor, view(game).stage, game.view(1).hand) == (2, "stay", ("9s", "Ah", "Kh", "Qh", "Jh"))


def test_the_maker_may_leave_the_upcard() -> None:
    """V15.5.5: it is then out of play."""
    game = play(deal(SWEEP), "0 pass, 1 bid 1, 2 pass, 3 pass, 1 call h, 1 decline")
    assert (game.actor, view(game).stage, view(game).upcard_place) == (2, "stay", "out")
    assert view(game).upcard_holder is None


def test_staying_is_asked_from_the_left_of_the_maker() -> None:
    """V15.5.6, B5."""
    game = play(deal(SWEEP), "0 pass, 1 bid 1, 2 pass, 3 pass, 1 call h, 1 decline", "2 stay, 3 drop, 0 stay")
    assert (view(game).stage, view(game).active) == ("play", (0, 1, 2))


def test_the_discard_is_the_makers_secret() -> None:
    """V15.6, A9."""
    game = play(deal(SWEEP), "0 bid 1, 1 pass, 2 pass, 3 pass, 0 call s, 0 take, 0 discard Qs")
    assert str(game.view(2).history[-1].action) == "discard"
    assert game.view(2).memory[1:] == ()
    assert [memory.cards for memory in game.view(0).memory[1:]] == [("9s",), ("Qs",)]


def test_the_first_active_seat_from_the_eldest_leads() -> None:
    """V15.7."""
    names = "0 pass, 1 bid 1, 2 pass, 3 pass, 1 call h, 1 decline"
    assert play(deal(SWEEP), names, "2 stay, 3 stay, 0 stay").actor == 0
    assert play(deal(SWEEP), names, "2 stay, 3 stay, 0 drop").actor == 1


def test_the_maker_needs_his_bid() -> None:
    """V15.8, V15.12.5: two tricks suffice for a bid of 2; for one of 3 they cost 5 flat. Others score as always."""
    assert changes(made(FOUR)) == (-4, -1, 5, 5)
    assert changes(two(2)) == (-2, -3, 5, 5)
    assert changes(two(3)) == (5, -3, 5, 5)
    assert changes(made(FOUR, bid=5)) == (5, -1, 5, 5)
    assert shared().results[0].scores == (18, 18, 19, 25)


def test_dropped_is_nothing_and_uncontested_five_tricks() -> None:
    """V15.8, B5."""
    assert changes(made(FOUR, "1 drop, 2 stay, 3 drop")) == (-5, 0, 5, 0)
    game = made(FOUR, "1 drop, 2 drop, 3 drop", bid=5)
    assert (game.results[0].ended, game.results[0].scores, game.is_over) == ("uncontested", (15, 20, 20, 20), False)


def test_a_sweep_wins_at_once() -> None:
    """V15.9."""
    game = made(NONE)
    play_out(game)
    assert (game.ended, game.winners) == ("sweep", (1,))


def test_else_the_lowest_at_zero_or_below_wins() -> None:
    """V15.9; equal ones share."""
    game = made(FOUR, start=1)
    play_out(game)
    assert (game.ended, game.winners, game.scores[:2]) == ("target", (0,), (-3, 0))
    assert shared(start=2).winners == (0, 1)


def test_a_big_table_plays_to_the_end() -> None:
    """V15.1: ten players, all of them active."""
    options = {"players": 10, "sweep_wins": False, "start": 1}
    game = scenario("dirty-clubs", dealer=9, hands={0: "Js Jc As Ks Qs"}, upcard="2s", options=options)
    play(game, "0 bid 5, " + ", ".join(f"{seat} pass" for seat in range(1, 10)), "0 call s, 0 decline")
    play(game, ", ".join(f"{seat} stay" for seat in range(1, 10)))
    assert view(game).active == tuple(range(10))
    play_out(game)
    assert (game.winners, game.scores) == ((0,), (-4, *(6,) * 9))


def test_the_options_are_those_of_v12_without_naming_no_trump() -> None:
    """V15.10, E11."""
    assert view(deal(SWEEP)).drops == (), "drops are not counted without the option"
    assert set(resolve_options("dirty-clubs")) == set(resolve_options("buck")) - {"name_no_trump"} | {
        "players", "all_pass", "max_bid",
    }  # fmt: skip


def test_option_start() -> None:
    """V15.10."""
    assert deal(SWEEP, start=7).scores == (7,) * 4


def test_option_all_pass() -> None:
    """V15.10, E18: nobody scores, the deal moves on, and the count of drops stays."""
    options: dict[str, object] = {"all_pass": "thrown_in", "max_consecutive_drops": 2, "sweep_wins": False}
    game = hands_in_a_row("dirty-clubs", FOUR, upcard="9s", options=options)
    play(game, "0 bid 3, 1 pass, 2 pass, 3 pass, 0 call s, 0 decline, 1 drop, 2 stay, 3 stay")
    play_out(game)
    scores = game.scores
    play(game, "1 pass, 2 pass, 3 pass, 0 pass")
    assert (game.results[1].ended, game.scores, game.dealer) == ("thrown in", scores, 1)
    assert view(game).drops == (0, 1, 0, 0)


def test_option_sweep_wins_off() -> None:
    """V15.10."""
    assert changes(made(SWEEP, sweep_wins=False)) == (-5, 5, 5, 5)


def test_option_uncontested_sweep_wins() -> None:
    """V15.10, E12."""
    game = made(FOUR, "1 drop, 2 drop, 3 drop", uncontested_sweep_wins=True)
    assert (game.ended, game.winners) == ("sweep", (0,))
    with pytest.raises(InvalidOption, match="needs sweep_wins = true"):
        deal(SWEEP, uncontested_sweep_wins=True, sweep_wins=False)


def test_option_maker_zero_penalty() -> None:
    """V15.10: for a maker without a trick only."""
    assert changes(made(NONE, maker_zero_penalty=10)) == (10, -5, 5, 5)
    assert changes(two(3, maker_zero_penalty=10))[0] == 5


def test_option_failed_maker_keeps_tricks() -> None:
    """V15.10: 5 less his tricks."""
    assert changes(two(3, failed_maker_keeps_tricks=True)) == (3, -3, 5, 5)


def test_option_max_consecutive_drops() -> None:
    """V15.10, B5."""
    options: dict[str, object] = {"max_consecutive_drops": 1, "sweep_wins": False}
    game = hands_in_a_row("dirty-clubs", FOUR, upcard="9s", options=options)
    play(game, "0 bid 3, 1 pass, 2 pass, 3 pass, 0 call s, 0 decline, 1 stay, 2 drop, 3 stay")
    play_out(game)
    play(game, "1 bid 3, 2 pass, 3 pass, 0 pass, 1 call s, 1 decline, 3 stay, 0 stay")
    assert (view(game).stage, view(game).active) == ("play", (0, 1, 2, 3))


def test_option_drop_in_no_trump() -> None:
    """V15.10, E10: a hand without a maker, from the eldest; never a club hand."""
    game = play(deal(SHARED, upcard="Qd", drop_in_no_trump=True), NOBODY, "0 stay, 1 drop, 2 stay, 3 stay")
    assert view(game).active == (0, 2, 3)


def test_option_drop_order() -> None:
    """V15.10: from the eldest."""
    names = "0 pass, 1 bid 1, 2 pass, 3 pass, 1 call h, 1 decline"
    game = play(deal(SWEEP, drop_order="from_eldest"), names, "0 stay, 2 stay, 3 stay")
    assert view(game).stage == "play"


def test_option_club_pickup() -> None:
    """V15.10: the dealer takes the club and discards another card, and is no maker."""
    game = deal({3: "Ac Kc Qc Tc 9h"}, upcard="9c", club_pickup="dealer")
    assert tokens(game) == ["discard 9h", "discard Ac", "discard Kc", "discard Qc", "discard Tc"]
    play(game, "3 discard 9h")
    assert (game.actor, view(game).stage, view(game).maker, "9c" in game.view(3).hand) == (0, "play", None, True)
    assert view(deal(SWEEP, club_pickup="dealer")).stage == "bid", "other suits go on as always"


def test_a_pack_of_another_size_is_refused() -> None:
    """V15.2: ten players cannot be served from 24 cards."""
    with pytest.raises(RecordError, match="the pack has 24 cards, but must have 52"):
        new_game("dirty-clubs", {"players": 10}, first_dealer=0, packs=[[written_pack("dirty-clubs", 0, {})]])
