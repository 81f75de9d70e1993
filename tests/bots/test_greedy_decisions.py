"""Decisions of the greedy bot: one plain position for each kind of decision (notation.md, Decisions)."""

from __future__ import annotations

from typing import Any

import pytest

from bowerbird.bots.greedy.player import choose
from bowerbird.bots.greedy.thresholds import THRESHOLDS
from bowerbird.engine import Action, Event, Memory, SeatView, new_game


def _actions(*tokens: str) -> tuple[Action, ...]:
    return tuple(map(Action, tokens))


def _view(variant: str = "euchre", hand: str = "", legal: str = "", **changes: Any) -> SeatView:
    """Return a view: seat 0 is to decide, seat 3 has dealt, 9c was turned; `legal` has its tokens between bars."""
    game = new_game(variant, first_dealer=3, seed=bytes(32))
    cards = tuple(hand.split())
    fields = {
        "seat": 0,
        "actor": 0,
        "upcard": "9c",
        "history": (),
        "hand": cards,
        "memory": (Memory("dealt", cards),),
        "legal": _actions(*legal.split(" | ")),
    }
    return SeatView.from_fields(**(game.view(0).fields() | fields | changes))


def _in_play(hand: str, trick: str = "", variant: str = "euchre", **changes: Any) -> SeatView:
    """Return a view with spades as trump; the trick's cards were played by the seats before seat 0."""
    cards = trick.split()
    seats = range(4 - len(cards), 4)
    played = tuple(zip(seats, cards, strict=True))
    legal = changes.pop("legal", " | ".join(f"play {card}" for card in hand.split()))
    fields: dict[str, Any] = {
        "upcard": "9s",
        "upcard_place": "out",
        "trump": "s",
        "maker": 0,
        "leader": played[0][0] if played else 0,
        "trick": played,
        "history": tuple(Event(seat, Action(f"play {card}")) for seat, card in played),
    }
    return _view(variant, hand, legal, **(fields | changes))


def _assert_chooses(view: SeatView, token: str) -> None:
    chosen = choose(view)
    assert str(chosen) == token, f"with {' '.join(view.hand)} it chose {chosen} of {view.legal}"


def test_strong_hand_orders_up() -> None:
    _assert_chooses(_view(hand="Jc Js Ac As 9d", legal="pass | order"), "order")


def test_hand_that_hardly_loses_a_trick_goes_alone() -> None:
    _assert_chooses(_view(hand="Jc Js Ac Kc As", legal="pass | order | order alone"), "order alone")


def test_weak_hand_passes() -> None:
    _assert_chooses(_view(hand="9s Td 9d Qh 9h", legal="pass | order | order alone"), "pass")


def test_same_hand_orders_up_for_the_own_side_and_not_for_the_other() -> None:
    hand, legal = "Ac Qc Ad 9d 9h", "pass | order"
    _assert_chooses(_view(hand=hand, legal=legal, upcard="Jc", dealer=2), "order")
    _assert_chooses(_view(hand=hand, legal=legal, upcard="Jc", dealer=3), "pass")


def test_longest_and_highest_suit_is_named() -> None:
    hand = "Jh Jd Ah Kh 9s"
    _assert_chooses(_view(hand=hand, legal="pass | call s | call h | call d", upcard_place="down"), "call h")


def test_dealer_who_must_name_without_cards_names_the_first_suit() -> None:
    _assert_chooses(_view(legal="call s | call h | call d | call c", memory=()), "call s")


def test_bid_is_what_just_tops_the_highest() -> None:
    hand = "Jh Jd Ah Kh 9s"
    _assert_chooses(_view("buck", hand, "pass | bid 3 | bid 4 | bid 5"), "bid 3")
    _assert_chooses(_view("buck", "9s Td 9d Qh 9h", "pass | bid 3 | bid 4 | bid 5"), "pass")


@pytest.mark.parametrize(
    ("hand", "token"),
    [("9s Td 9d Qh 9h", "pass"), ("Ah Qh 9h 9s Td", "bid 4 h"), ("Jh Jd Ah Kh Qh", "bid 15 h")],
)
def test_bid_with_a_suit_is_the_stake_that_wins_most(monkeypatch: pytest.MonkeyPatch, hand: str, token: str) -> None:
    monkeypatch.setitem(THRESHOLDS, "euchre", THRESHOLDS["five-handed"])
    bids = " | ".join(f"bid {number} {suit}" for number in (3, 4, 5, 8, 15) for suit in "shdc")
    _assert_chooses(_view(hand=hand, legal=f"pass | {bids}"), token)


def test_discard_is_the_card_missed_least() -> None:
    hand = "Js As Ks Ah 9d 9s"
    legal = " | ".join(f"discard {card}" for card in ["As", "Ks", "Js", "Ah", "9d"])
    _assert_chooses(_view(hand=hand, legal=legal, trump="s", maker=0, upcard="9s", upcard_place="taken"), "discard 9d")


@pytest.mark.parametrize(("hand", "token"), [("Js Jc As Ks Ah", "alone"), ("9s Td Ah Kh Qd", "decline")])
def test_alone_after_the_discard_needs_a_hand_that_hardly_loses_a_trick(hand: str, token: str) -> None:
    _assert_chooses(_view(hand=hand, legal="alone | decline", trump="s", maker=0), token)


@pytest.mark.parametrize(("hand", "token"), [("Js Jc As Ks Ah", "keep"), ("9s Td 9h Qh Qd", "swap")])
def test_weak_hand_is_swapped_for_an_unseen_one(hand: str, token: str) -> None:
    _assert_chooses(_view(hand=hand, legal="swap | keep"), token)


@pytest.mark.parametrize(("hand", "token"), [("Js Jc As Ks Ah", "alone"), ("9s Td 9h Qh Qd", "take")])
def test_dummy_is_taken_unless_the_hand_can_go_alone(hand: str, token: str) -> None:
    _assert_chooses(_view(hand=hand, legal="take | alone", trump="s", maker=0), token)


@pytest.mark.parametrize(("upcard", "token"), [("Js", "take"), ("9d", "decline")])
def test_upcard_is_taken_when_it_is_better_than_the_worst_card(upcard: str, token: str) -> None:
    _assert_chooses(_view("buck", "Jc As Ks Ah Kh", "take | decline", trump="s", maker=0, upcard=upcard), token)


def test_useless_cards_are_exchanged() -> None:
    hand = "Js As Ks 9h 9d"
    legal = "exchange 0 | exchange 1 | exchange 2 | exchange 3"
    _assert_chooses(_view("buck", hand, legal, upcard="", upcard_place=""), "exchange 2")


@pytest.mark.parametrize(("hand", "token"), [("Js Jc As Ks 9h", "defend"), ("Ks Td Ah Kh Qd", "decline")])
def test_defending_alone_needs_a_hand_that_euchres_by_itself(hand: str, token: str) -> None:
    _assert_chooses(_view(hand=hand, legal="defend | decline", trump="s", maker=1, how="alone"), token)


def test_lone_player_asks_for_a_card() -> None:
    _assert_chooses(_view(hand="Js Jc As Ks 9h", legal="ask 2 | decline", trump="s", maker=0), "ask 2")


def test_partner_gives_his_best_trump() -> None:
    hand = "Qd Kd Js 9s Th"
    legal = " | ".join(f"give {card}" for card in ["Js", "9s", "Th", "Kd", "Qd"])
    _assert_chooses(_view(hand=hand, legal=legal, trump="s", maker=2), "give Js")


def test_jamboree_is_claimed() -> None:
    _assert_chooses(_view(hand="Js Jc As Ks Qs", legal="claim | decline", trump="s", maker=0), "claim")


def test_dictated_card_is_the_strongest_that_loses() -> None:
    laid = ((), ("Js", "As", "Kh", "Qh", "9h"), (), ())
    view = _in_play("Ah 9d Td Qd Kd", legal="dictate Kh | dictate Qh | dictate 9h", laid=laid, maker=1, how="jambone")
    led: dict[str, Any] = {
        "leader": 0,
        "trick": ((0, "Ah"),),
        "history": (Event(0, Action("play Ah")),),
        "hand": view.hand[1:],
    }
    _assert_chooses(view._replace(**led), "dictate Kh")


@pytest.mark.parametrize(("hand", "token"), [("Js As Ks Ah 9d", "stay"), ("9h Td 9d Qh Qd", "drop")])
def test_hand_without_a_likely_trick_drops(hand: str, token: str) -> None:
    _assert_chooses(_view("buck", hand, "stay | drop", trump="s", maker=2), token)


def test_partner_is_who_bid_the_same_suit_then_who_has_least() -> None:
    changes: dict[str, Any] = {"trump": "s", "maker": 0, "scores": (0, 9, 5, 7)}
    legal = "partner 1 | partner 2 | partner 3"
    said = (Event(1, Action("bid 3 s")), Event(2, Action("bid 4 h")), Event(0, Action("bid 5 s")))
    _assert_chooses(_view(hand="Js As Ks Ah 9d", legal=legal, history=said, **changes), "partner 1")
    _assert_chooses(_view(hand="Js As Ks Ah 9d", legal=legal, **changes), "partner 2")


def test_showdown_is_led_by_who_has_fewer_points() -> None:
    _assert_chooses(_view(legal="lead 1 | lead 2", trump="s", scores=(3, 8, 2, 0)), "lead 2")


def test_maker_draws_trumps_from_the_highest() -> None:
    _assert_chooses(_in_play("Js As Ks Ah 9d"), "play Js")


def test_defender_leads_an_ace_rather_than_a_trump() -> None:
    _assert_chooses(_in_play("Qs Ah 9d Td Kd", maker=1), "play Ah")


def test_last_player_wins_as_cheaply_as_he_can() -> None:
    _assert_chooses(_in_play("Ah Kh Qh 9s 9d", "9h Td Jh", legal="play Ah | play Kh | play Qh"), "play Qh")


def test_last_player_leaves_the_trick_to_his_partner() -> None:
    _assert_chooses(_in_play("Kh 9h Qs", "Th Ah 9d", legal="play Kh | play 9h"), "play 9h")


def test_each_for_himself_takes_the_trick_that_a_team_would_leave() -> None:
    _assert_chooses(_in_play("Ah 9h Qs", "Th Kh 9d", "buck", legal="play Ah | play 9h", leader=1), "play Ah")


def test_lowest_card_goes_to_a_lost_trick() -> None:
    _assert_chooses(_in_play("Qh Kh 9h", "Th Ah 9d", "buck", legal="play Kh | play Qh | play 9h"), "play 9h")


def test_trick_is_ruffed_with_the_lowest_trump() -> None:
    _assert_chooses(_in_play("Js 9s Ts Kd", "Th Qh Ah", legal="play Js | play Ts | play 9s | play Kd"), "play 9s")
