"""V14, Buck Euchre after the wagering text: at least one test for each number on its page. Seat 3 deals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from bowerbird.engine import Game, new_game, resolve_options, rules_of
from tests.support.engine.buck_hands import FOUR, NONE, SHARED, SWEEP, TWO, changes
from tests.support.engine.scenario import hands_in_a_row, play, play_out, scenario, tokens, trick, view

NOBODY = "0 pass, 1 pass, 2 pass, 3 pass"


def deal(hands: Mapping[int, str], upcard: str = "9s", **options: object) -> Game:
    return scenario("buck-wager", dealer=3, hands=hands, upcard=upcard, options=options)


def made(hands: Mapping[int, str], bid: int = 3, discard: str = "9c", **options: Any) -> Game:
    """Return the game after seat 0 bid, seat 3 took the upcard, and seat 0 named spades."""
    return play(deal(hands, **options), f"0 bid {bid}, 1 pass, 2 pass, 3 discard {discard}, 0 call s")


def two_of_three(**options: Any) -> Game:
    """Return a played hand: seat 0 had contract 3 and took two tricks, seat 1 three."""
    game = made(TWO, discard="Qc", **options)
    for line in ("0: Js As Td 9s", "0: Jc Jh Jd Tc", "0: 9h Ah Qd Ac"):
        trick(game, line)
    return game


def test_four_players_count_down_from_25_with_24_cards() -> None:
    """V14.1, V14.2."""
    game = deal(SWEEP)
    assert (game.scores, game.rules.pack.size, rules_of("buck-wager").better) == ((25,) * 4, 24, "low")


def test_bowers_count_though_the_seed_never_names_them() -> None:
    """V14.3, V14.12.9."""
    game = made({**FOUR, 1: "Ah Kh Qh Jh Qs"})
    trick(game, "0: Jc Qs Ad 9s")
    assert view(game).tricks_won == (1, 0, 0, 0)


def test_one_packet_of_five_to_each() -> None:
    """V14.4: and card 21 is turned up."""
    pack = "As Ks Ah Kh Ad Kd Ac Kc Qs Js Ts Qh Jh Th Qd Jd Td Qc Jc Tc 9s 9h 9d 9c"
    game = new_game("buck-wager", packs=[[pack]], first_dealer=3)
    assert game.view(0).hand == ("As", "Ks", "Ah", "Kh", "Ad")
    assert game.view(3).hand == ("Jd", "Td", "Qc", "Jc", "Tc")
    assert game.view(1).upcard == "9s"


def test_a_turned_club_is_trump_and_all_play() -> None:
    """V14.5.1."""
    seen = view(deal({0: "Js Jc As Ks Qs"}, upcard="9c"))
    assert (seen.stage, seen.actor, seen.trump, seen.maker, seen.upcard_place) == ("play", 0, "c", None, "out")


def test_the_three_others_bid_once_each_higher_every_time() -> None:
    """V14.5.2, V14.12.10; a player who can only pass is asked, too (notation.md, Order of decisions)."""
    game = deal(SWEEP)
    assert (game.actor, tokens(game)) == (0, ["pass", "bid 3", "bid 4", "bid 5"])
    play(game, "0 bid 3")
    assert tokens(game) == ["pass", "bid 4", "bid 5"]
    play(game, "1 bid 5")
    assert tokens(game) == ["pass"]
    assert (view(game).maker, view(game).highest_bid, view(game).highest_bidder) == (None, 5, 1)
    play(game, "2 pass")
    seen = view(game)
    assert (seen.maker, seen.contract, seen.highest_bid, seen.highest_bidder, seen.trump) == (1, 5, 5, 1, "")
    assert view(play(deal(SWEEP), "0 pass, 1 bid 3, 2 bid 4")).maker == 2, "the last who is asked may win it"


def test_the_dealer_takes_the_upcard_and_then_the_maker_names_any_suit() -> None:
    """V14.5.2, V14.12.2, V14.12.3; the dealer may not discard the upcard (A10)."""
    game = play(deal(SWEEP), "0 pass, 1 bid 3, 2 pass")
    assert (game.actor, tokens(game)) == (3, ["discard Ac", "discard Kc", "discard Qc", "discard Tc", "discard 9c"])
    play(game, "3 discard 9c")
    assert (game.actor, tokens(game)) == (1, ["call s", "call h", "call d", "call c"])
    play(game, "1 call h")
    assert (view(game).trump, view(game).upcard_holder) == ("h", 3)


def test_the_dealer_decides_only_when_all_others_have_passed() -> None:
    """V14.5.2, V14.12.4: he takes it up with a contract of three, discards, and names any suit."""
    game = play(deal(SWEEP), "0 pass, 1 pass, 2 pass")
    assert (game.actor, view(game).stage, tokens(game)) == (3, "order up", ["pass", "order"])
    play(game, "3 order, 3 discard 9c")
    assert (game.actor, view(game).maker, view(game).contract) == (3, 3, 3)
    assert tokens(game) == ["call s", "call h", "call d", "call c"]


def test_all_four_pass_is_a_no_trump_hand() -> None:
    """V14.5.3: the upcard is turned down."""
    seen = view(play(deal(SHARED, upcard="Qd"), NOBODY))
    assert (seen.trump, seen.maker, seen.upcard_place, seen.stage) == ("nt", None, "down", "stay")


def test_dropping_is_asked_at_no_trump_only_of_all_four() -> None:
    """V14.5.4, V14.12.5: from the eldest; if there is a maker, nobody is asked."""
    game = play(deal(SHARED, upcard="Qd"), NOBODY, "0 stay, 1 drop, 2 stay, 3 drop")
    assert (view(game).stage, view(game).active) == ("play", (0, 2))
    assert view(made(SWEEP)).stage == "play"


def test_bids_are_public_and_the_discard_is_not() -> None:
    """V14.6."""
    assert [str(event.action) for event in view(made(SWEEP)).history] == [
        "bid 3", "pass", "pass", "discard", "call s",
    ]  # fmt: skip
    assert [memory.what for memory in made(SWEEP).view(3).memory] == ["dealt", "upcard", "discarded"]


def test_the_first_active_seat_from_the_eldest_leads() -> None:
    """V14.7: not the maker."""
    assert play(deal(SWEEP), "0 pass, 1 bid 4, 2 pass, 3 discard 9c, 1 call h").actor == 0
    assert play(deal(SHARED, upcard="Qd"), NOBODY, "0 drop, 1 stay, 2 stay, 3 stay").actor == 1


def test_all_lines_that_apply_are_added() -> None:
    """V14.8, V14.12.1, D5: contract kept; 3 bid and 2 taken; none taken; 5 bid and 4 taken."""
    assert changes(made(FOUR)) == (-4, -1, 5, 5)
    assert changes(made(FOUR, bid=4)) == (-4, -1, 5, 5)
    assert changes(two_of_three()) == (3, -3, 5, 5)
    assert changes(made(NONE)) == (10, -5, 5, 5)
    assert changes(made(FOUR, bid=5)) == (1, -1, 5, 5)


def test_dropped_is_nothing_and_uncontested_five_tricks() -> None:
    """V14.8, V14.12.8: no card is played, and the game is not won by it."""
    game = play(deal(SHARED, upcard="Qd"), NOBODY, "0 drop, 1 drop, 2 drop")
    assert (game.results[0].ended, game.results[0].scores) == ("uncontested", (25, 25, 25, 20))
    assert not game.is_over


def test_a_contested_sweep_wins_at_once() -> None:
    """V14.9, E12: also ahead of a player whose score is 0."""
    game = made(NONE, start=1)
    play_out(game)
    assert (game.ended, game.winners) == ("sweep", (1,))


ONE_AND_FOUR = {0: "Js Jc As 9h Th", 1: "Ah Kh Qh Jh Td", 2: "Ad Kd Qd Jd 9d", 3: "Ac Kc Qc Tc 9c"}
"""Seat 0 deals, takes 9s for Th, and takes four tricks in spades; seat 1 takes the first."""


def one_and_four(**options: object) -> Game:
    """Play a hand: seat 0 deals and takes it up: 4 off for it, 1 off for seat 1, 5 on for the others."""
    game = scenario("buck-wager", dealer=0, hands=ONE_AND_FOUR, upcard="9s", options=options)
    play(game, "1 pass, 2 pass, 3 pass, 0 order, 0 discard Th, 0 call s")
    trick(game, "1: Ah Ad Ac 9h")
    play_out(game)
    return game


def test_the_first_from_the_eldest_wins_whatever_the_others_have() -> None:
    """V14.9, V14.12.7: seat 1 with 0 wins over the dealer with -3, who is second. With 1 it has not arrived."""
    game = one_and_four(start=1)
    assert (game.ended, game.scores, game.winners, game.ranks) == ("target", (-3, 0, 6, 6), (1,), (2, 1, 3, 3))
    game = one_and_four(start=2)
    assert (game.scores, game.winners) == ((-2, 1, 7, 7), (0,))


def test_at_max_hands_the_seat_order_is_not_used() -> None:
    """A15: standings by score."""
    game = one_and_four(max_hands=1)
    assert (game.ended, game.winners) == ("limit", (0,))


def test_the_options_of_the_page_and_no_others() -> None:
    """V14.10, E5, O11, O13."""
    assert view(deal(SWEEP)).drops == (), "drops are not counted without the option"
    assert list(resolve_options("buck-wager")) == [
        "start", "contract", "uncontested_sweep_wins", "max_consecutive_drops", "no_drop_at_or_below",
        "sweep_wins", "reveal_at_end", "max_hands",
    ]  # fmt: skip


def test_option_start() -> None:
    """V14.10."""
    assert deal(SWEEP, start=7).scores == (7,) * 4


def test_option_contract_three() -> None:
    """V14.10, V14.12.1: a bid of 5 still needs three tricks."""
    assert changes(made(FOUR, bid=5, contract="three")) == (-4, -1, 5, 5)
    game = play(deal(FOUR, contract="three"), "0 bid 5, 1 pass, 2 pass")
    assert (view(game).contract, view(game).highest_bid) == (3, 5)


@pytest.mark.parametrize("wins", [False, True])
def test_option_uncontested_sweep_wins(wins: bool) -> None:
    """V14.10."""
    game = play(deal(SHARED, upcard="Qd", uncontested_sweep_wins=wins), NOBODY, "0 drop, 1 drop, 2 drop")
    assert game.is_over is wins
    assert game.winners == ((3,) if wins else ())


def test_option_max_consecutive_drops() -> None:
    """E5, B5: a player who dropped in the hand before is in unasked."""
    options = {"max_consecutive_drops": 1}
    game = hands_in_a_row("buck-wager", SHARED, upcard="Qd", options=options)
    play(game, NOBODY, "0 stay, 1 drop, 2 stay, 3 stay")
    play_out(game)
    play(game, "1 pass, 2 pass, 3 pass, 0 pass, 2 stay, 3 drop, 0 stay")
    assert (view(game).stage, view(game).active) == ("play", (0, 1, 2))
