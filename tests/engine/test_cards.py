"""Packs and sets of cards (rules.md A2, A17; notation.md, Cards)."""

from __future__ import annotations

import pickle

import pytest

from bowerbird.engine.actions import Action
from bowerbird.engine.cards.pack import SINGLE_JOKER, THREE_JOKERS, TWO_JOKERS, Pack, pack_of


@pytest.mark.parametrize(
    ("pack", "size", "first", "last"),
    [
        (pack_of(6), 24, "As Ks Qs Js Ts 9s Ah", "Tc 9c"),
        (pack_of(7), 28, "As Ks Qs Js Ts 9s 8s Ah", "9c 8c"),
        (pack_of(8), 32, "As Ks Qs Js Ts 9s 8s 7s Ah", "8c 7c"),
        (pack_of(8, SINGLE_JOKER), 33, "As", "7c X1"),
        (pack_of(7, THREE_JOKERS), 31, "As", "8c X1 X2 X3"),
        (pack_of(13, SINGLE_JOKER), 53, "As Ks Qs Js Ts 9s 8s 7s 6s 5s 4s 3s 2s Ah", "2c X1"),
        (pack_of(6, TWO_JOKERS, double=True), 50, "As Ks Qs Js Ts 9s Ah", "9c Xr Xb"),
    ],
    ids=str,
)
def test_the_canonical_order_of_a_pack(pack: Pack, size: int, first: str, last: str) -> None:
    codes = " ".join(pack.codes)
    assert codes.count(" ") == size - 1
    assert codes.startswith(first)
    assert codes.endswith(last)


def test_a_double_pack_is_the_whole_single_pack_twice() -> None:
    pack = pack_of(6, TWO_JOKERS, double=True)
    assert pack.codes[:24] == pack.codes[24:48] == pack_of(6).codes


def test_a_card_held_twice_is_written_twice_and_played_once() -> None:
    """A17; two legal actions never have one token."""
    pack = pack_of(6, TWO_JOKERS, double=True)
    both = pack.set_of(["As", "9c", "As", "Xb"])
    assert pack.text(both) == ("As", "As", "9c", "Xb")
    assert [str(action) for action in pack.plays(both)] == ["play As", "play 9c", "play Xb"]


def test_actions_of_a_set_stand_in_canonical_order() -> None:
    pack = pack_of(13, SINGLE_JOKER)
    assert [action.card for action in pack.discards(pack.whole)] == list(pack.codes)


def test_a_code_too_many_is_refused() -> None:
    with pytest.raises(KeyError, match="As"):
        pack_of(6).set_of(["As", "As"])


def test_a_pack_is_one_object_also_after_pickling() -> None:
    pack = pack_of(8, SINGLE_JOKER)
    assert pack is pack_of(8, SINGLE_JOKER)
    assert pickle.loads(pickle.dumps(pack)) is pack


@pytest.mark.parametrize("ranks", range(1, 8))
def test_a_card_held_twice_is_one_action_and_two_cards(ranks: int) -> None:
    """A17: two copies of a card are alike, at all places of a double pack of any size."""
    pack = pack_of(ranks, double=True)
    for code, copies in pack.bits.items():
        assert pack.plays(copies) == (Action(f"play {code}"),), f"both copies of {code} of a pack of {pack.size}"
        assert pack.text(copies) == (code, code)
