"""Trump, bowers, following suit and winning a trick (rules.md A3, A4, A5)."""

from __future__ import annotations

import pytest

from bowerbird.engine.cards.pack import SINGLE_JOKER, THREE_JOKERS, TWO_JOKERS, Pack, pack_of
from bowerbird.engine.cards.trump_order import MATES, effective_suit

EUCHRE = pack_of(6)
RAILROAD = pack_of(8, SINGLE_JOKER)
ALMONTE = pack_of(7, THREE_JOKERS)
CORNISH = pack_of(6, TWO_JOKERS, double=True)


def cards(written: str) -> set[str]:
    return set(written.split())


def winner(pack: Pack, trump: str, played: str) -> int:
    """Return who takes a trick of these cards, by place in the order played."""
    order = pack.order(trump)
    used = 0
    bits = []
    for code in played.split():
        free = pack.bits[code] & ~used
        bits.append(free & -free)
        used |= bits[-1]
    strength = order.lead[bits[0]].strength
    best, place = strength[bits[0]], 0
    for k, card in enumerate(bits[1:], 1):
        if strength[card] >= best:
            best, place = strength[card], k
    return place


def ranking(pack: Pack, trump: str) -> str:
    return " ".join(pack.code[card] for card in pack.order(trump).ranking)


def follows(pack: Pack, trump: str, led: str) -> set[str]:
    lead = pack.order(trump).lead[pack.bits[led] & -pack.bits[led]]
    return set(pack.text(lead.follow))


@pytest.mark.parametrize("trump", "shdc")
def test_the_left_bower_is_the_second_trump(trump: str) -> None:
    """A3."""
    mate = MATES[trump]
    expected = f"J{trump} J{mate} A{trump} K{trump} Q{trump} T{trump} 9{trump}"
    assert ranking(EUCHRE, trump) == expected


def test_left_bower_follows_trump() -> None:
    """A3: the bowers count as trumps for every purpose."""
    assert effective_suit("Jc", "s") == "s"
    assert "Jc" in follows(EUCHRE, "s", "As")
    assert follows(EUCHRE, "s", "Jc") == cards("As Ks Qs Js Ts 9s Jc")
    assert follows(EUCHRE, "s", "Ac") == cards("Ac Kc Qc Tc 9c")


def test_no_trump_has_no_bowers() -> None:
    """A3: with NT every card has its printed suit; A K Q J 10 9 in every suit."""
    assert effective_suit("Jc", "nt") == "c"
    assert winner(EUCHRE, "nt", "Qs Js Ks As") == 3
    assert winner(EUCHRE, "nt", "9s Ac Ah Ad") == 0
    assert follows(EUCHRE, "nt", "Jc") == cards("Ac Kc Qc Jc Tc 9c")


def test_a_plain_suit_ranks_its_jack_below_the_queen() -> None:
    """A3."""
    assert winner(EUCHRE, "s", "Th Jh Qh 9h") == 2


@pytest.mark.parametrize(
    ("cards", "place"),
    [("Ah Kh Qh 9h", 0), ("Kh Ah 9s Qh", 2), ("Kh 9s Js Jc", 2), ("9h Ad Ac Kc", 0), ("Jc As Js Ks", 2)],
)
def test_the_highest_trump_wins_else_the_highest_of_the_suit_led(cards: str, place: int) -> None:
    """A5, spades are trump."""
    assert winner(EUCHRE, "s", cards) == place


def test_a_joker_is_the_highest_trump() -> None:
    """A3, V3.3."""
    assert ranking(RAILROAD, "h") == "X1 Jh Jd Ah Kh Qh Th 9h 8h 7h"
    assert follows(RAILROAD, "h", "X1") == cards("X1 Jh Jd Ah Kh Qh Th 9h 8h 7h")


def test_three_jokers_keep_their_order() -> None:
    """V20.3."""
    assert ranking(ALMONTE, "d") == "X1 X2 X3 Jd Jh Ad Kd Qd Td 9d 8d"


@pytest.mark.parametrize(("trump", "first"), [("s", "Xb Xr"), ("c", "Xb Xr"), ("h", "Xr Xb"), ("d", "Xr Xb")])
def test_the_joker_of_the_trump_colour_is_the_higher(trump: str, first: str) -> None:
    """V19.3."""
    assert ranking(CORNISH, trump).startswith(first)


def test_second_beats_first_in_the_double_pack() -> None:
    """A5c, V19.12.6: identical copies; plain cards, trumps and left bowers alike."""
    assert winner(CORNISH, "s", "Ah Ah Kh 9h Th Qh") == 1
    assert winner(CORNISH, "s", "Js Js") == 1
    assert winner(CORNISH, "s", "Jc As Jc") == 2
    assert winner(CORNISH, "s", "Ah Kh Ah") == 2


def test_copies_of_another_card_do_not_win_a_plain_trick() -> None:
    """A5c is about a copy of the best card, not about any pair."""
    assert winner(CORNISH, "s", "Ah Kd Kd") == 0


def test_jokers_declared_alike_beat_each_other_second() -> None:
    """A5c with V19 `bennies` = same; with red_black the colour decides."""
    alike = pack_of(6, TWO_JOKERS, double=True, equal_jokers=True)
    assert winner(alike, "s", "Xr Xb") == 1
    assert winner(alike, "s", "Xb Xr") == 1
    assert winner(CORNISH, "s", "Xb Xr") == 0


def test_a_joker_with_no_trump_is_refused() -> None:
    """A3."""
    with pytest.raises(ValueError, match="no trump"):
        RAILROAD.order("nt")


def test_the_five_highest_trumps_belong_to_the_pack() -> None:
    """V3.5.4, V4.10."""
    assert set(EUCHRE.text(EUCHRE.order("h").highest(5))) == cards("Jh Jd Ah Kh Qh")
    assert set(RAILROAD.text(RAILROAD.order("h").highest(5))) == cards("X1 Jh Jd Ah Kh")
