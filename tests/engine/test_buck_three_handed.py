"""V16, three-player Buck Euchre: at least one test for each number on its page. Seat 2 deals, seat 0 is the eldest."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import pytest

from bowerbird.engine import Game, InvalidOption, new_game, resolve_options, rules_of, sample_game
from bowerbird.engine.game import state_of
from tests.support.engine.scenario import change, hands_in_a_row, play, play_out, scenario, tokens, trick, view

WIDOW = {"widow": "Ac Kc Qc Tc 9c"}

FOUR = {0: "Js Jc As Ks 9h", 1: "Ah Kh Qh Jh Th", 2: "Ad Kd Qd Jd Td"}
"""With spades as trump seat 0 takes four tricks, and seat 1 the last."""

SWEEP = {0: "Js Jc As Ks Qs", 1: "Ah Kh Qh Jh Th", 2: "Ad Kd Qd Jd Td"}
"""With spades as trump seat 0 takes all."""

NONE = {0: "9h Th 9d Td Jd", 1: "Js Jc As Ks Qs", 2: "Kh Qh Kd Qd Ad"}
"""With spades as trump seat 1 takes all."""

KEEP = "1 keep, 2 keep, 0 keep"
NOBODY = "0 pass, 1 pass, 2 pass"


def deal(hands: Mapping[int, str], **options: object) -> Game:
    return scenario("buck-three-handed", dealer=2, hands=hands, piles=WIDOW, options=options)


def made(hands: Mapping[int, str], bid: int = 3, staying: str = "1 stay, 2 stay", **options: object) -> Game:
    """Return the game after nobody took the widow, seat 0 bid and named spades, and the others answered."""
    return play(deal(hands, **options), KEEP, f"0 bid {bid}, 1 pass, 2 pass, 0 call s", staying)


def changes(game: Game) -> tuple[int, ...]:
    play_out(game)
    start = game.options["start"]
    assert isinstance(start, int)
    return change(game, start=start)


def test_three_players_count_down_from_15_with_24_cards() -> None:
    """V16.1, V16.2."""
    game = deal(SWEEP)
    assert (game.players, game.scores, game.rules.pack.size) == (3, (15,) * 3, 24)
    assert rules_of("buck-three-handed").better == "low"


def test_bowers_are_trumps_and_no_trump_has_none() -> None:
    """V16.3."""
    game = made({**FOUR, 1: "Ah Kh Qh Jh Qs"})
    assert tokens(play(game, "0 play Jc")) == ["play Qs"]
    game = play(deal(FOUR), KEEP, "0 bid 1, 1 pass, 2 pass, 0 call nt, 1 stay, 2 stay, 0 play Js")
    assert tokens(game) == [f"play {card}" for card in ("Ah", "Kh", "Qh", "Jh", "Th")]


def test_four_hands_are_dealt_in_two_and_three() -> None:
    """V16.4: eldest, his left, dealer, widow; four cards stay unused."""
    pack = "As Ks Ah Kh Ad Kd Ac Kc Qs Js Ts Qh Jh Th Qd Jd Td Qc Jc Tc 9s 9h 9d 9c"
    game = new_game("buck-three-handed", packs=[[pack]], first_dealer=2)
    assert game.view(0).hand == ("As", "Ks", "Qs", "Js", "Ts")
    assert game.view(2).hand == ("Ad", "Kd", "Qd", "Jd", "Td")
    assert view(game).upcard == ""
    play(game, "1 swap")
    assert game.view(1).hand == ("Ac", "Kc", "Qc", "Jc", "Tc")


def test_the_widow_is_offered_from_the_right_of_the_dealer() -> None:
    """V16.5.1: right of the dealer, dealer, left of the dealer."""
    game = deal(SWEEP)
    asked = []
    while tokens(game) == ["swap", "keep"]:
        asked.append(game.actor)
        game.apply("keep")
    assert asked == [1, 2, 0]
    assert (game.actor, view(game).stage) == (0, "bid")


@pytest.mark.parametrize("before", ["", "1 keep, ", "1 keep, 2 keep, "])
def test_the_first_taker_has_the_widow_for_his_hand_and_nobody_further_is_asked(before: str) -> None:
    """V16.5.1."""
    game = deal(SWEEP)
    taker = {"": 1, "1 keep, ": 2, "1 keep, 2 keep, ": 0}[before]
    play(game, f"{before}{taker} swap")
    assert game.view(taker).hand == ("Ac", "Kc", "Qc", "Tc", "9c")
    assert set(game.rules.pack.text(state_of(game).dead)) == set(SWEEP[taker].split())
    assert not game.piles, "each card lies in one place"
    assert (game.actor, view(game).stage) == (0, "bid")


def test_the_auction_goes_round_and_who_passed_may_bid_later() -> None:
    """V16.5.2: it ends when both others have passed in succession after the last bid."""
    game = play(deal(SWEEP), KEEP)
    assert tokens(game) == ["pass", *(f"bid {number}" for number in range(1, 11))]
    play(game, "0 pass, 1 bid 1, 2 pass, 0 bid 4")
    assert tokens(game) == ["pass", *(f"bid {number}" for number in range(5, 11))]
    play(game, "1 pass, 2 bid 5, 0 pass, 1 pass")
    assert (game.actor, view(game).maker, view(game).contract) == (2, 2, 5)


def test_two_passes_before_any_bid_end_nothing() -> None:
    """V16.5.2, V16.12.1: the third may still bid, and then both others are asked again."""
    game = play(deal(SWEEP), KEEP, "0 pass, 1 pass, 2 bid 1, 0 pass, 1 pass")
    assert (game.actor, view(game).maker) == (2, 2)


def test_after_the_highest_bid_the_others_still_pass() -> None:
    """E17, V16.12.2."""
    game = play(deal(SWEEP), KEEP, "0 bid 10")
    assert (game.actor, tokens(game)) == (1, ["pass"])
    play(game, "1 pass")
    assert (game.actor, tokens(game)) == (2, ["pass"])
    assert view(play(game, "2 pass")).contract == 10


def test_no_bid_is_a_no_trump_hand_and_nobody_may_drop() -> None:
    """V16.5.3, V16.12.1: three passes."""
    seen = view(play(deal(SWEEP), KEEP, NOBODY))
    assert (seen.trump, seen.maker, seen.stage, seen.actor) == ("nt", None, "play", 0)


def test_the_maker_names_a_suit_or_no_trump() -> None:
    """V16.5.4."""
    game = play(deal(SWEEP), KEEP, "0 bid 1, 1 pass, 2 pass")
    assert tokens(game) == ["call s", "call h", "call d", "call c", "call nt"]


def test_staying_is_asked_from_the_left_of_the_maker() -> None:
    """V16.5.5."""
    game = play(deal(SWEEP), KEEP, "0 pass, 1 bid 1, 2 pass, 0 pass, 1 call h, 2 drop, 0 stay")
    assert (view(game).stage, view(game).active) == ("play", (0, 1))


@pytest.mark.parametrize(("start", "asked"), [(5, False), (6, True)])
def test_who_has_five_or_fewer_may_not_drop(start: int, asked: bool) -> None:
    """V16.5.5, V16.12.6: he is not asked."""
    game = play(deal(SWEEP, start=start), KEEP, "0 bid 1, 1 pass, 2 pass, 0 call s")
    assert view(game).stage == ("stay" if asked else "play")


def test_only_the_player_at_five_or_fewer_is_bound() -> None:
    """V16.5.5: after 9 - 4 = 5 seat 0 is in, the others have more and are asked."""
    game = hands_in_a_row("buck-three-handed", FOUR, piles=WIDOW, options={"start": 9})
    play(game, KEEP, "0 bid 3, 1 pass, 2 pass, 0 call s, 1 stay, 2 stay")
    play_out(game)
    assert game.scores == (5, 8, 14)
    play(game, "2 keep, 0 keep, 1 keep, 1 bid 1, 2 pass, 0 pass, 1 call s, 2 drop")
    assert (view(game).stage, view(game).active) == ("play", (0, 1))


def test_that_the_widow_was_taken_is_public_and_its_cards_are_not() -> None:
    """V16.6, V16.5.1: the taker alone knows his old hand."""
    game = play(deal(SWEEP), "1 swap")
    assert [(event.seat, str(event.action)) for event in game.view(0).history] == [(1, "swap")]
    assert [(memory.what, memory.cards) for memory in game.view(1).memory] == [
        ("dealt", ("Ah", "Kh", "Qh", "Jh", "Th")),
        ("left", ("Ah", "Kh", "Qh", "Jh", "Th")),
        ("widow", ("Ac", "Kc", "Qc", "Tc", "9c")),
    ]
    assert [memory.what for memory in game.view(2).memory] == ["dealt"]


def test_samples_know_what_the_taker_knows() -> None:
    """V16.6: to him his old hand is dead; to the others any card may lie there."""
    game = play(deal(SWEEP), "1 swap")
    old = set(FOUR[1].split())
    for number in range(30):
        sample = sample_game(game.view(1), Random(number))
        assert sample.view(1) == game.view(1)
        assert not old & {*sample.view(0).hand, *sample.view(2).hand}
    taken = {card for number in range(60) for card in sample_game(game.view(0), Random(number)).view(1).hand}
    assert taken == set(game.rules.pack.codes) - set(SWEEP[0].split())


def test_the_first_active_seat_from_the_eldest_leads() -> None:
    """V16.7, V16.12.3: not the maker."""
    names = "0 pass, 1 bid 1, 2 pass, 0 pass, 1 call h"
    assert play(deal(SWEEP), KEEP, names, "2 stay, 0 stay").actor == 0
    assert play(deal(SWEEP), KEEP, names, "2 stay, 0 drop").actor == 1


def test_the_maker_needs_his_bid() -> None:
    """V16.8: four tricks for bids of 4 and 5, none for 1; others as always."""
    assert changes(made(FOUR, bid=4)) == (-4, -1, 5)
    assert changes(made(FOUR, bid=5)) == (5, -1, 5)
    assert changes(made(NONE, bid=1)) == (5, -5, 5)


def test_a_bid_above_five_always_fails() -> None:
    """V16.8, V16.5.2: a sacrifice costs 5, five tricks or not."""
    assert changes(made(SWEEP, bid=6)) == (5, 5, 5)


def test_dropped_is_nothing_and_hands_without_a_maker_have_no_contract() -> None:
    """V16.8, V16.12.5."""
    assert changes(made(FOUR, staying="1 drop, 2 stay")) == (-5, 0, 5)
    game = play(deal({0: "As 9h 9d Th Td", 1: "Ah Ks Kh Qh Jh", 2: "Ad Kd Qd Jd Qs"}), KEEP, NOBODY)
    trick(game, "0: As Ks Qs")
    trick(game, "0: 9h Ah Ad")
    assert changes(game) == (-1, -4, 5)


@pytest.mark.parametrize(("bid", "change"), [(5, -5), (6, 5)])
def test_uncontested_the_maker_is_credited_with_five_tricks(bid: int, change: int) -> None:
    """V16.8, V16.12.7."""
    game = made(FOUR, bid=bid, staying="1 drop, 2 drop")
    assert (game.results[0].ended, game.results[0].scores) == ("uncontested", (15 + change, 15, 15))
    assert not game.is_over


def test_five_tricks_do_not_win_the_game() -> None:
    """V16.8."""
    game = made(SWEEP)
    assert changes(game) == (-5, 5, 5)
    assert not game.is_over


def test_the_lowest_at_zero_or_below_wins() -> None:
    """V16.9, V16.12.4: the most negative."""
    game = made(FOUR, start=1, no_drop_at_or_below=0)
    play_out(game)
    assert (game.ended, game.scores, game.winners) == ("target", (-3, 0, 6), (0,))


def test_equal_lowest_share() -> None:
    """V16.9: seats 0 and 1 take two tricks each, seat 2 one."""
    hands = {0: "As Ks 9h 9d Th", 1: "Ah Kh 9s Ts Jd", 2: "Ad Kd Qs Js Td"}
    game = play(deal(hands, start=2), KEEP, NOBODY)
    for line in ("0: As 9s Qs", "0: Ks Ts Js", "0: 9h Ah Td", "1: Kh Kd Th"):
        trick(game, line)
    play_out(game)
    assert (game.scores, game.winners, game.ranks) == ((0, 0, 1), (0, 1), (1, 1, 3))


def test_the_options_of_the_page() -> None:
    """V16.10, E5."""
    assert view(deal(SWEEP)).drops == (), "drops are not counted without the option"
    assert resolve_options("buck-three-handed") == {
        "start": 15,
        "no_drop_at_or_below": 5,
        "max_bid": 10,
        "sweep_wins": False,
        "uncontested_sweep_wins": False,
        "max_consecutive_drops": 0,
        "all_pass": "no_trump",
        "reveal_at_end": False,
        "max_hands": 0,
    }


@pytest.mark.parametrize(("limit", "stage"), [(4, "stay"), (7, "play"), (-3, "stay")])
def test_option_no_drop_at_or_below(limit: int, stage: str) -> None:
    """V16.10, E16: any whole number; all have 5, or 7."""
    start = 7 if limit == 7 else 5
    game = play(deal(SWEEP, no_drop_at_or_below=limit, start=start), KEEP, "0 bid 1, 1 pass, 2 pass, 0 call s")
    assert view(game).stage == stage


def test_option_max_bid() -> None:
    """V16.10; E16 requires 1 or more, and a bid has at most two digits (notation.md, Decisions)."""
    assert tokens(play(deal(SWEEP, max_bid=2), KEEP)) == ["pass", "bid 1", "bid 2"]
    assert tokens(play(deal(SWEEP, max_bid=99), KEEP))[-1] == "bid 99"
    for highest, allowed in ((0, "from 1 up"), (100, "bids are written up to 99")):
        with pytest.raises(InvalidOption, match=allowed):
            deal(SWEEP, max_bid=highest)


@pytest.mark.parametrize("bid", [3, 6])
def test_option_sweep_wins(bid: int) -> None:
    """V16.10, E12: even if the bid failed."""
    game = made(SWEEP, bid=bid, sweep_wins=True)
    play_out(game)
    assert (game.ended, game.winners) == ("sweep", (0,))
    assert not made(FOUR, staying="1 drop, 2 drop", sweep_wins=True).is_over, "not when it is uncontested"


def test_option_uncontested_sweep_wins() -> None:
    """E5, E12: needs sweep_wins, and wins even if the bid failed."""
    game = made(FOUR, bid=6, staying="1 drop, 2 drop", sweep_wins=True, uncontested_sweep_wins=True)
    assert (game.ended, game.winners) == ("sweep", (0,))
    with pytest.raises(InvalidOption, match="buck-three-handed: uncontested_sweep_wins = true needs sweep_wins = true"):
        deal(SWEEP, uncontested_sweep_wins=True)


def test_option_max_consecutive_drops() -> None:
    """E5, B5."""
    game = hands_in_a_row("buck-three-handed", FOUR, piles=WIDOW, options={"max_consecutive_drops": 1})
    play(game, KEEP, "0 bid 3, 1 pass, 2 pass, 0 call s, 1 stay, 2 drop")
    play_out(game)
    play(game, "2 keep, 0 keep, 1 keep, 1 bid 1, 2 pass, 0 pass, 1 call s, 0 stay")
    assert (view(game).stage, view(game).active) == ("play", (0, 1, 2))


def test_option_all_pass() -> None:
    """V16.10, E18."""
    game = play(deal(SWEEP, all_pass="thrown_in"), KEEP, NOBODY)
    assert (game.results[0].ended, game.scores, game.dealer) == ("thrown in", (15,) * 3, 0)


def test_option_start() -> None:
    """V16.10."""
    assert deal(SWEEP, start=7).scores == (7,) * 3
