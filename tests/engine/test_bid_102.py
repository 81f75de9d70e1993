"""V17, Bid Euchre 102: at least one test for each number on its page. Seat 3 deals; the exchange begins with seat 2."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import pytest

from bowerbird.engine import Game, InvalidOption, new_game, resolve_options, rules_of, sample_game
from tests.support.engine.buck_hands import FOUR, NONE, SWEEP, changes
from tests.support.engine.scenario import hands_in_a_row, play, play_out, scenario, tokens, trick, view

STOCK = {"stock": "9s Ts 9h 9d"}
NO_EXCHANGE = "2 exchange 0, 3 exchange 0, 0 exchange 0, 1 exchange 0"
NOBODY = "0 pass, 1 pass, 2 pass, 3 pass"
ALL_STAY = "1 stay, 2 stay, 3 stay"


def deal(hands: Mapping[int, str], piles: Mapping[str, str] = STOCK, **options: object) -> Game:
    return scenario("bid-102", dealer=3, hands=hands, piles=piles, options=options)


def made(hands: Mapping[int, str], bid: int = 3, staying: str = ALL_STAY, **options: object) -> Game:
    """Return the game after nobody exchanged, seat 0 bid and named spades, and the others answered."""
    game = play(deal(hands, {}, **options), NO_EXCHANGE)
    return play(game, f"0 bid {bid}, 1 pass, 2 pass, 3 pass, 0 call s", staying)


def test_four_players_count_down_from_15_with_24_cards() -> None:
    """V17.1, V17.2."""
    game = deal(SWEEP)
    assert (game.players, game.scores, game.rules.pack.size) == (4, (15,) * 4, 24)
    assert rules_of("bid-102").better == "low"


def test_bowers_are_trumps_and_no_trump_has_none() -> None:
    """V17.3."""
    game = made({**FOUR, 1: "Ah Kh Qh Jh Qs"})
    assert tokens(play(game, "0 play Jc")) == ["play Qs"]
    game = play(deal(SWEEP), NO_EXCHANGE, "0 bid 1, 1 pass, 2 pass, 3 pass, 0 call nt", ALL_STAY, "0 play Js")
    assert tokens(game) == [f"play {card}" for card in ("Ah", "Kh", "Qh", "Jh", "Th")]


def test_packets_of_two_and_three_and_the_last_four_are_the_stock() -> None:
    """V17.4, D1: no upcard."""
    pack = "As Ks Ah Kh Ad Kd Ac Kc Qs Js Ts Qh Jh Th Qd Jd Td Qc Jc Tc 9s 9h 9d 9c"
    game = new_game("bid-102", packs=[[pack]], first_dealer=3)
    assert game.view(0).hand == ("As", "Ks", "Qs", "Js", "Ts")
    assert view(game).upcard == ""
    play(game, "2 exchange 4, 2 discard Ad, 2 discard Kd, 2 discard Qd, 2 discard Jd")
    assert game.view(2).hand == ("9s", "9h", "Td", "9d", "9c")


def test_the_exchange_goes_from_the_right_of_the_dealer_each_once() -> None:
    """V17.5.1, V17.12.1, V17.12.4: right of the dealer, dealer, and on clockwise."""
    game = deal(SWEEP)
    asked = []
    while view(game).stage == "exchange":
        asked.append(game.actor)
        assert tokens(game) == [f"exchange {number}" for number in range(5)]
        game.apply("exchange 0")
    assert asked == [2, 3, 0, 1]
    assert (game.actor, view(game).stage) == (0, "bid")


def test_cards_are_discarded_first_and_the_top_of_the_stock_is_taken() -> None:
    """V17.5.1, V17.12.2, V17.12.3: one discard after another; what is taken cannot be discarded."""
    game = play(deal(SWEEP), "2 exchange 2")
    assert tokens(game) == [f"discard {card}" for card in ("Ad", "Kd", "Qd", "Jd", "Td")]
    play(game, "2 discard Jd")
    assert game.view(2).hand == ("Ad", "Kd", "Qd", "Td")
    play(game, "2 discard Td")
    assert game.view(2).hand == ("Ts", "9s", "Ad", "Kd", "Qd")
    assert (game.actor, tokens(game)) == (3, ["exchange 0", "exchange 1", "exchange 2"])


def test_the_next_takes_the_next_cards_and_discards_do_not_return() -> None:
    """V17.5.1, V17.12.3."""
    game = play(deal(SWEEP), "2 exchange 2, 2 discard Jd, 2 discard Td, 3 exchange 1, 3 discard 9c, 0 exchange 1")
    assert game.view(3).hand == ("9h", "Ac", "Kc", "Qc", "Tc")
    play(game, "0 discard Qs")
    assert game.view(0).hand == ("As", "Ks", "Js", "9d", "Jc")


def test_with_an_empty_stock_nobody_further_is_asked() -> None:
    """V17.5.1."""
    game = play(deal(SWEEP), "2 exchange 0, 3 exchange 4, 3 discard Ac, 3 discard Kc, 3 discard Qc, 3 discard Tc")
    assert (game.actor, view(game).stage) == (0, "bid")


def test_the_auction_goes_round_until_three_pass_in_succession() -> None:
    """V17.5.2: who has passed may bid later."""
    game = play(deal(SWEEP), NO_EXCHANGE)
    assert tokens(game) == ["pass", *(f"bid {number}" for number in range(1, 11))]
    play(game, "0 pass, 1 pass, 2 pass, 3 bid 1, 0 pass, 1 bid 3")
    assert tokens(game) == ["pass", *(f"bid {number}" for number in range(4, 11))]
    play(game, "2 pass, 3 pass, 0 pass")
    assert (game.actor, view(game).maker, view(game).contract) == (1, 1, 3)


def test_after_the_highest_bid_the_others_still_pass() -> None:
    """E17."""
    game = play(deal(SWEEP), NO_EXCHANGE, "0 bid 10")
    for seat in (1, 2, 3):
        assert (game.actor, tokens(game)) == (seat, ["pass"])
        game.apply("pass")
    assert view(game).maker == 0


def test_no_bid_is_a_no_trump_hand_and_nobody_may_drop() -> None:
    """V17.5.3: four passes."""
    seen = view(play(deal(SWEEP), NO_EXCHANGE, NOBODY))
    assert (seen.trump, seen.maker, seen.stage, seen.actor) == ("nt", None, "play", 0)


def test_the_maker_names_a_suit_or_no_trump() -> None:
    """V17.5.4."""
    game = play(deal(SWEEP), NO_EXCHANGE, "0 bid 1, 1 pass, 2 pass, 3 pass")
    assert tokens(game) == ["call s", "call h", "call d", "call c", "call nt"]


@pytest.mark.parametrize(("start", "asked"), [(5, False), (6, True)])
def test_who_has_five_or_fewer_may_not_drop(start: int, asked: bool) -> None:
    """V17.5.5."""
    game = play(deal(SWEEP, start=start), NO_EXCHANGE, "0 pass, 1 bid 1, 2 pass, 3 pass, 0 pass, 1 call h")
    assert (view(game).stage, game.actor) == (("stay", 2) if asked else ("play", 0))


def test_numbers_exchanged_are_public_and_cards_are_not() -> None:
    """V17.6."""
    game = play(deal(SWEEP), "2 exchange 1, 2 discard Td")
    assert [str(event.action) for event in game.view(0).history] == ["exchange 1", "discard"]
    assert [(memory.what, memory.cards) for memory in game.view(2).memory[1:]] == [
        ("discarded", ("Td",)),
        ("widow", ("9s",)),
    ]
    assert len(game.view(0).memory) == 1


def test_samples_know_what_was_exchanged() -> None:
    """V17.6: own discards are dead. Cards that others put away or took may be any cards not seen."""
    game = play(deal(SWEEP), "2 exchange 2, 2 discard Jd, 2 discard Td, 3 exchange 1, 3 discard 9c")
    for number in range(30):
        sample = sample_game(game.view(2), Random(number))
        assert sample.view(2) == game.view(2)
        assert not {"Jd", "Td"} & {card for seat in (0, 1, 3) for card in sample.view(seat).hand}
    stocks = {sample_game(game.view(2), Random(number)).piles["stock"] for number in range(30)}
    assert len(stocks) > 10, "the rest of the stock is not known"


def test_the_first_active_seat_from_the_eldest_leads() -> None:
    """V17.7: not the maker."""
    names = "0 pass, 1 bid 1, 2 pass, 3 pass, 0 pass, 1 call h"
    assert play(deal(SWEEP), NO_EXCHANGE, names, "2 stay, 3 stay, 0 stay").actor == 0
    assert play(deal(SWEEP), NO_EXCHANGE, names, "2 stay, 3 stay, 0 drop").actor == 1


def test_the_points_of_v16() -> None:
    """V17.8: four tricks for bids of 4 and 5, none for 3, five for a sacrifice; dropped."""
    assert changes(made(FOUR, bid=4)) == (-4, -1, 5, 5)
    assert changes(made(FOUR, bid=5)) == (5, -1, 5, 5)
    assert changes(made(NONE)) == (5, -5, 5, 5)
    assert changes(made(SWEEP, bid=6)) == (5, 5, 5, 5)
    assert changes(made(FOUR, staying="1 drop, 2 stay, 3 drop")) == (-5, 0, 5, 0)


def test_no_contract_without_a_maker() -> None:
    """V17.8: every seat scores like a player who is not the maker."""
    hands = {0: "As 9h 9d Th Td", 1: "Ah Ks Kh Qh Jh", 2: "Ad Kd Qd Jd Qs", 3: "Ac Kc Qc Tc Js"}
    game = play(deal(hands, {}), NO_EXCHANGE, NOBODY)
    trick(game, "0: As Ks Qs Js")
    trick(game, "0: 9h Ah Ad Ac")
    assert changes(game) == (-1, -4, 5, 5)


@pytest.mark.parametrize(("bid", "change"), [(5, -5), (6, 5)])
def test_uncontested_the_maker_is_credited_with_five_tricks(bid: int, change: int) -> None:
    """V17.8, V16.12.7."""
    game = made(FOUR, bid=bid, staying="1 drop, 2 drop, 3 drop")
    assert (game.results[0].ended, game.results[0].scores) == ("uncontested", (15 + change, 15, 15, 15))


def test_five_tricks_do_not_win_the_game() -> None:
    """V17.9."""
    game = made(SWEEP)
    assert changes(game) == (-5, 5, 5, 5)
    assert not game.is_over


def test_the_lowest_at_zero_or_below_wins() -> None:
    """V17.9: the most negative; equal ones share."""
    game = made(FOUR, start=1, no_drop_at_or_below=0)
    play_out(game)
    assert (game.ended, game.scores, game.winners) == ("target", (-3, 0, 6, 6), (0,))
    hands = {0: "As Ks 9h Td Tc", 1: "Ah Kh 9s Ts 9d", 2: "Ad Kd Th Qs Js", 3: "Qh Jh Jd Qc Jc"}
    game = play(deal(hands, {}, start=2), NO_EXCHANGE, NOBODY)
    for line in ("0: As 9s Qs Qc", "0: Ks Ts Js Jc", "0: 9h Ah Th Qh", "1: Kh Kd Jh Tc", "1: 9d Ad Jd Td"):
        trick(game, line)
    assert (game.scores, game.winners) == ((0, 0, 1, 7), (0, 1))


def test_the_options_of_the_page() -> None:
    """V17.10, E5."""
    assert view(deal(SWEEP)).drops == (), "drops are not counted without the option"
    assert resolve_options("bid-102") == {**resolve_options("buck-three-handed"), "stock_exchange": True}


@pytest.mark.parametrize(("limit", "stage"), [(4, "stay"), (-1, "stay"), (15, "play")])
def test_option_no_drop_at_or_below(limit: int, stage: str) -> None:
    """V17.10."""
    start = 15 if limit == 15 else 5
    game = play(deal(SWEEP, no_drop_at_or_below=limit, start=start), NO_EXCHANGE)
    assert view(play(game, "0 bid 1, 1 pass, 2 pass, 3 pass, 0 call s")).stage == stage


def test_option_max_bid() -> None:
    """V17.10, E16; notation.md, Decisions: two digits."""
    assert tokens(play(deal(SWEEP, max_bid=1), NO_EXCHANGE)) == ["pass", "bid 1"]
    with pytest.raises(InvalidOption, match="bid-102: max_bid = 100 is too high: bids are written up to 99"):
        deal(SWEEP, max_bid=100)


@pytest.mark.parametrize("bid", [3, 6])
def test_option_sweep_wins(bid: int) -> None:
    """V17.10, E12: even if the bid failed."""
    game = made(SWEEP, bid=bid, sweep_wins=True)
    play_out(game)
    assert (game.ended, game.winners) == ("sweep", (0,))


def test_option_uncontested_sweep_wins() -> None:
    """E5, E12."""
    game = made(FOUR, bid=6, staying="1 drop, 2 drop, 3 drop", sweep_wins=True, uncontested_sweep_wins=True)
    assert (game.ended, game.winners) == ("sweep", (0,))
    with pytest.raises(InvalidOption, match="bid-102: uncontested_sweep_wins = true needs sweep_wins = true"):
        deal(SWEEP, uncontested_sweep_wins=True)


def test_option_max_consecutive_drops() -> None:
    """E5, B5."""
    game = hands_in_a_row("bid-102", FOUR, options={"max_consecutive_drops": 1})
    play(game, NO_EXCHANGE, "0 bid 3, 1 pass, 2 pass, 3 pass, 0 call s, 1 stay, 2 drop, 3 stay")
    play_out(game)
    play(game, "3 exchange 0, 0 exchange 0, 1 exchange 0, 2 exchange 0")
    play(game, "1 bid 1, 2 pass, 3 pass, 0 pass, 1 call s, 3 stay, 0 stay")
    assert (view(game).stage, view(game).active) == ("play", (0, 1, 2, 3))


def test_option_stock_exchange_off() -> None:
    """V17.10: the auction comes first; the four cards stay unused."""
    game = deal(SWEEP, stock_exchange=False)
    assert (game.actor, view(game).stage) == (0, "bid")


def test_option_all_pass() -> None:
    """V17.10, E18."""
    game = play(deal(SWEEP, all_pass="thrown_in"), NO_EXCHANGE, NOBODY)
    assert (game.results[0].ended, game.scores, game.dealer) == ("thrown in", (15,) * 4, 0)


def test_option_start() -> None:
    """V17.10."""
    assert deal(SWEEP, start=7).scores == (7,) * 4
