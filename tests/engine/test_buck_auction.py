"""V24, Buck with an auction and folding: at least one test for each number on its page. The last seat deals."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import pytest

from bowerbird.engine import Game, HandResult, InvalidOption, new_game, rules_of, sample_game
from tests.support.engine.buck_hands import FOUR, NONE, SHARED, SWEEP, TWO, changes
from tests.support.engine.random_options import random_options
from tests.support.engine.scenario import hands_in_a_row, play, play_out, scenario, tokens, trick, view
from tests.support.engine.variant_games import started, step

NOBODY = "0 pass, 1 pass, 2 pass, 3 pass"
ALL_STAY = "1 stay, 2 stay, 3 stay"


def deal(hands: Mapping[int, str], upcard: str = "9s", **options: object) -> Game:
    return scenario("buck-auction", dealer=3, hands=hands, upcard=upcard, options=options)


def made(hands: Mapping[int, str], staying: str = ALL_STAY, bid: int = 3, **options: Any) -> Game:
    """Return the game after seat 0 bid and named spades, and the others said whether they stay."""
    return play(deal(hands, **options), f"0 bid {bid}, 1 pass, 2 pass, 3 pass, 0 call s", staying)


def two(**options: Any) -> Game:
    """Return a played hand: seat 0, the maker, took two tricks, seat 1 three."""
    game = made(TWO, bid=3, **options)
    for line in ("0: Js As Td Ac", "0: Jc Jh Jd Kc", "0: 9h Ah Qd Qc"):
        trick(game, line)
    return game


def test_each_for_himself_from_15_down() -> None:
    """V24.1."""
    game = deal(SWEEP)
    assert (game.scores, game.players) == ((15,) * 4, 4)
    assert (rules_of("buck-auction").better, rules_of("buck-auction").teams()) == ("low", None)


def test_pack_and_packets() -> None:
    """V24.2, V24.4: 24 cards, packets of two and three, then the upcard."""
    pack = "As Ks Ah Kh Ad Kd Ac Kc Qs Js Ts Qh Jh Th Qd Jd Td Qc Jc Tc 9s 9h 9d 9c"
    game = new_game("buck-auction", packs=[[pack]], first_dealer=3)
    assert (game.view(0).hand, game.view(0).upcard) == (("As", "Ks", "Qs", "Js", "Ts"), "9s")


@pytest.mark.parametrize("upcard", ["9s", "9c"])
def test_the_upcard_never_comes_into_play(upcard: str) -> None:
    """V24.4, V24.12.10: no seat may take it, whatever its suit."""
    hands = {**SWEEP, 3: "Ac Kc Qc Tc 9h"}
    assert view(deal(hands, upcard)).upcard_place == "out"


def test_a_turned_club_is_trump_without_a_maker() -> None:
    """V24.5.1, V24.7, V24.12.7: nobody may drop, and the eldest leads."""
    seen = view(deal({0: "Js Jc As Ks Qs"}, upcard="9c"))
    assert (seen.stage, seen.actor, seen.trump, seen.maker) == ("play", 0, "c", None)


def test_each_bid_is_higher_than_the_last() -> None:
    """V24.5.2."""
    game = deal(SWEEP)
    assert tokens(game) == ["pass", "bid 2", "bid 3", "bid 4", "bid 5"]
    play(game, "0 bid 3")
    assert tokens(game) == ["pass", "bid 4", "bid 5"]


def test_who_passes_is_out_of_the_auction() -> None:
    """V24.5.2: it goes round among the others until one of them is left."""
    game = play(deal(SWEEP), "0 pass, 1 bid 2, 2 pass, 3 bid 3, 1 bid 4, 3 bid 5")
    assert (game.actor, tokens(game)) == (1, ["pass"])
    play(game, "1 pass")
    seen = view(game)
    assert (game.actor, seen.stage, seen.maker, seen.contract) == (3, "name trump", 3, 5)


def test_the_last_seat_is_asked_although_all_others_have_passed() -> None:
    """V24.5.2, V24.12.8: only the highest bidder can be the one who is left."""
    game = play(deal(SWEEP), "0 pass, 1 pass, 2 pass")
    assert (game.actor, tokens(game)) == (3, ["pass", "bid 2", "bid 3", "bid 4", "bid 5"])
    assert (play(game, "3 bid 2").actor, view(game).stage) == (3, "name trump")


def test_after_the_highest_bid_the_others_still_in_pass() -> None:
    """E17, V24.12.6: seat 1 has passed and is not asked again."""
    game = play(deal(SWEEP), "0 bid 2, 1 pass, 2 bid 5")
    for seat in (3, 0):
        assert (game.actor, tokens(game)) == (seat, ["pass"])
        game.apply("pass")
    assert view(game).maker == 2


def test_all_pass_is_thrown_in() -> None:
    """V24.5.3, V24.12.3."""
    game = play(deal(SWEEP), NOBODY)
    assert (game.results[0].ended, game.scores, game.dealer) == ("thrown in", (15,) * 4, 0)


def test_option_all_pass() -> None:
    """V24.5.3, V24.10, E18: played at no trump without a maker; nobody may drop, the eldest leads."""
    seen = view(play(deal(SWEEP, all_pass="no_trump"), NOBODY))
    assert (seen.trump, seen.maker, seen.stage, seen.actor) == ("nt", None, "play", 0)


def test_the_maker_names_any_suit() -> None:
    """V24.5.4, V24.12.2: the upcard's suit and clubs too, no trump only by the option."""
    auction = "0 pass, 1 bid 2, 2 pass, 3 pass"
    assert tokens(play(deal(SWEEP), auction)) == ["call s", "call h", "call d", "call c"]
    with_no_trump = play(deal(SWEEP, name_no_trump=True), auction)
    assert tokens(with_no_trump) == ["call s", "call h", "call d", "call c", "call nt"]


@pytest.mark.parametrize(("order", "asked"), [("from_left_of_maker", [2, 3, 0]), ("from_eldest", [0, 2, 3])])
def test_option_drop_order(order: str, asked: list[int]) -> None:
    """V24.5.4, V24.10, V24.12.1: from the maker's left, or from the eldest."""
    game = play(deal(SWEEP, drop_order=order), "0 pass, 1 bid 2, 2 pass, 3 pass, 1 call h")
    found = []
    while view(game).stage == "stay":
        assert tokens(game) == ["stay", "drop"]
        found.append(game.actor)
        game.apply("stay")
    assert found == asked


def test_the_maker_leads() -> None:
    """V24.7: not the eldest."""
    game = play(deal(SWEEP), "0 pass, 1 pass, 2 bid 2, 3 pass, 2 call d, 3 stay, 0 drop, 1 stay")
    assert (game.actor, view(game).stage, view(game).leader) == (2, "play", 2)


def test_points() -> None:
    """V24.8: four tricks for bids of 4 and 5; two for a bid of 3; none; dropped."""
    assert changes(made(FOUR, bid=4)) == (-4, -1, 5, 5)
    assert changes(made(FOUR, bid=5)) == (5, -1, 5, 5)
    assert changes(two()) == (5, -3, 5, 5)
    assert changes(made(NONE)) == (5, -5, 5, 5)
    assert changes(made(FOUR, staying="1 drop, 2 stay, 3 drop")) == (-5, 0, 5, 0)


@pytest.mark.parametrize(("bid", "change"), [(5, -5), (6, 5)])
def test_uncontested_the_maker_is_credited_with_five_tricks(bid: int, change: int) -> None:
    """V24.8, V24.12.4, V24.12.9: a bid above 5 fails."""
    game = made(FOUR, bid=bid, staying="1 drop, 2 drop, 3 drop", max_bid=6)
    assert (game.results[0].ended, game.results[0].scores) == ("uncontested", (15 + change, 15, 15, 15))


def test_the_lowest_at_zero_or_below_wins() -> None:
    """V24.9, V24.12.5: the most negative; equal ones share."""
    game = made(FOUR, start=1)
    play_out(game)
    assert (game.ended, game.scores, game.winners) == ("target", (-3, 0, 6, 6), (0,))
    game = play(deal(SHARED, upcard="Qd", start=2, all_pass="no_trump"), NOBODY)
    for line in ("0: As 9s Qs Qc", "0: Ks Ts Js Jc", "0: 9h Ah Th Qh", "1: Kh Kd Jh Tc", "1: 9d Ad Jd Td"):
        trick(game, line)
    assert (game.scores, game.winners) == ((0, 0, 1, 7), (0, 1))


def test_five_tricks_do_not_win_the_game() -> None:
    """V24.9."""
    game = made(SWEEP)
    assert changes(game) == (-5, 5, 5, 5)
    assert not game.is_over


@pytest.mark.parametrize("bid", [3, 6])
def test_option_sweep_wins(bid: int) -> None:
    """V24.10, E12: even if the bid failed."""
    game = made(SWEEP, bid=bid, sweep_wins=True, max_bid=6)
    play_out(game)
    assert (game.ended, game.winners) == ("sweep", (0,))


def test_option_uncontested_sweep_wins() -> None:
    """E5, E12."""
    game = made(FOUR, staying="1 drop, 2 drop, 3 drop", sweep_wins=True, uncontested_sweep_wins=True)
    assert (game.ended, game.winners) == ("sweep", (0,))
    with pytest.raises(InvalidOption, match="buck-auction: uncontested_sweep_wins = true needs sweep_wins = true"):
        deal(SWEEP, uncontested_sweep_wins=True)


@pytest.mark.parametrize(("limit", "stage"), [(14, "stay"), (-1, "stay"), (15, "play")])
def test_option_no_drop_at_or_below(limit: int, stage: str) -> None:
    """V24.10."""
    game = deal(SWEEP, no_drop_at_or_below=limit)
    assert view(play(game, "0 bid 2, 1 pass, 2 pass, 3 pass, 0 call s")).stage == stage


def test_option_max_consecutive_drops() -> None:
    """E5, B5."""
    game = hands_in_a_row("buck-auction", FOUR, upcard="9s", options={"max_consecutive_drops": 1})
    assert view(game).drops == (0,) * 4
    play(game, "0 bid 3, 1 pass, 2 pass, 3 pass, 0 call s, 1 stay, 2 drop, 3 stay")
    play_out(game)
    play(game, "1 bid 2, 2 pass, 3 pass, 0 pass, 1 call s, 3 stay, 0 stay")
    assert (view(game).stage, view(game).active) == ("play", (0, 1, 2, 3))


@pytest.mark.parametrize(("low", "high", "bids"), [(1, 3, [1, 2, 3]), (4, 7, [4, 5, 6, 7]), (5, 5, [5])])
def test_options_of_the_bids(low: int, high: int, bids: list[int]) -> None:
    """V24.5.2, V24.10."""
    assert tokens(deal(SWEEP, min_bid=low, max_bid=high)) == ["pass", *(f"bid {number}" for number in bids)]


def test_bids_that_cannot_be_made_are_refused() -> None:
    """V24.10, E16."""
    with pytest.raises(InvalidOption, match="buck-auction: min_bid = 4 must not be above max_bid = 3"):
        deal(SWEEP, min_bid=4, max_bid=3)
    with pytest.raises(InvalidOption, match="buck-auction: max_bid = 100 is too high: bids are written up to 99"):
        deal(SWEEP, max_bid=100)


def points(result: HandResult) -> tuple[int, ...]:
    """Return what V24.8 gives, read from the history of a hand alone."""
    bids = [(event.action.number or 0, event.seat) for event in result.history if event.action.kind == "bid"]
    bid, maker = max(bids, default=(0, None))
    dropped = {event.seat for event in result.history if event.action.kind == "drop"}
    found = []
    for seat, tricks in enumerate(result.tricks):
        failed = tricks < bid if seat == maker else tricks == 0
        found.append(0 if seat in dropped else 5 if failed else -tricks)
    return tuple(found)


def test_random_games_score_as_the_table() -> None:
    """V24.5.2, V24.8, with random options: each hand by its history, each auction by its passes."""
    rng = Random("buck-auction")
    for number in range(40):
        game = started("buck-auction", random_options("buck-auction", rng, max_hands=5), rng)
        while game.actor is not None:
            step(game, rng)
        for result in game.results:
            assert result.points == ((0,) * 4 if result.ended == "thrown in" else points(result)), f"game {number}"
            passes = [event.seat for event in result.history if event.action.kind == "pass"]
            assert len(set(passes)) == len(passes), f"game {number}: a seat is asked after it has passed"
            has_bids = any(event.action.kind == "bid" for event in result.history)
            assert len(passes) in ((3,) if has_bids else (0, 4)), f"game {number}: the auction ends too early or late"


def test_sampled_worlds_look_the_same() -> None:
    """A9: in random positions under random options."""
    rng = Random("buck-auction worlds")
    for _ in range(8):
        game = started("buck-auction", random_options("buck-auction", rng, max_hands=2), rng)
        while game.actor is not None:
            if rng.random() < 0.3:
                seen = game.view(rng.randrange(4))
                assert sample_game(seen, rng).view(seen.seat) == seen
            step(game, rng)
