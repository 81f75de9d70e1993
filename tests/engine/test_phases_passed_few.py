"""The phases of each way through a hand of V5 to V11, to be compared with the pages."""

from __future__ import annotations

from typing import Any

import pytest

from bowerbird.engine import Game
from tests.support.engine.king_hands import AWAY, SHOWDOWN, THREE_THREE_ONE, deal
from tests.support.engine.scenario import scenario
from tests.support.engine.short_hands import DEALER, taking
from tests.support.engine.ways import options, way

BETWEEN = "Jh Th 9h Jd Kc"
TWO_PASS = "0 pass, 1 pass"
THREE_PASS = "0 pass, 1 pass, 2 pass"
OWN_DUMMY = "0 discard Ts, 0 discard Jh, 0 discard Th, 1 discard Ah, 1 discard Kh, 1 discard Ad"

UPCARD = [
    # V5.5
    ("two-handed", "0 order, 1 discard Qh", "order up (0), discard (1), play"),
    ("two-handed", f"{TWO_PASS}, 0 call h", "order up (01), name trump (0), play"),
    ("two-handed", f"{TWO_PASS}, {TWO_PASS}", "order up (01), name trump (01), thrown in"),
    # V6.5
    (
        "two-handed-extra-hands",
        "0 swap, 1 keep, 0 keep, 0 pass, 1 pass, 0 call h alone, 1 defend",
        "swap (010), order up (01), name trump (0), defend alone (1), play",
    ),
    (
        "two-handed-extra-hands",
        "0 keep, 1 keep, 0 order, 1 discard Qh",
        "swap (01), order up (0), discard (1), play",
    ),
    (
        "two-handed-extra-hands",
        f"0 swap, 1 swap, {TWO_PASS}, {TWO_PASS}",
        "swap (01), order up (01), name trump (01), thrown in",
    ),
    # V7.5
    (
        "two-handed-dummy",
        f"0 order, 1 discard Qh, 0 take, {OWN_DUMMY}",
        "order up (0), discard (1), take the dummy (0), discard (000111), play",
    ),
    (
        "two-handed-dummy",
        f"{TWO_PASS}, 0 call c, 0 alone, 1 discard Ah, 1 discard Kh, 1 discard Ad",
        "order up (01), name trump (0), take the dummy (0), discard (111), play",
    ),
    ("two-handed-dummy", f"{TWO_PASS}, {TWO_PASS}", "order up (01), name trump (01), thrown in"),
    # V9.5, V10.5
    ("three-handed", "0 pass, 1 order, 2 discard Qh", "order up (01), discard (2), play"),
    ("cut-throat", f"{THREE_PASS}, 0 pass, 1 call h", "order up (012), name trump (01), play"),
    ("cut-throat", f"{THREE_PASS}, {THREE_PASS}", "order up (012), name trump (012), thrown in"),
]

STRAW_MEN = [
    ("", "0 bid 7, 1 bid 8, 0 pass, 1 call nt", "bid (010), name trump (1), play"),
    ("", "0 bid 12, 0 call s", "bid (0), name trump (0), play"),
    ("", "0 pass, 1 bid 7, 0 pass, 1 call s", "bid (010), name trump (1), play"),
    ("", TWO_PASS, "bid (01), thrown in"),
    ("forced_opening=true", "0 bid 7, 1 pass, 0 call s", "bid (01), name trump (0), play"),
]

FIRST = ", ".join(f"{seat} discard {card}" for seat, cards in AWAY.items() for card in cards.split())
DISCARDS = "discard (000111222)"


def cards(lines: tuple[str, ...], seats: int) -> str:
    """Return tricks written as in `scenario.trick`, seat by seat."""
    found: list[str] = []
    for line in lines:
        leader, played = line.split(": ")
        found.extend(f"{(int(leader) + k) % seats} play {card}" for k, card in enumerate(played.split()))
    return ", ".join(found)


SEVEN = f"0 order, 1 discard Td, {cards(THREE_THREE_ONE, 3)}"
PLAYED = "play (012012012012201120120)"
LAST = f"0 discard 9c, 1 discard Td, {cards(SHOWDOWN, 2)}"
KINGS = [
    ("", f"{THREE_PASS}, 0 call d, 1 discard Kc, 1 discard 9c", "order up (012), name trump (0), discard (11), play"),
    (
        "",
        f"{THREE_PASS}, 0 pass, 1 call h, 2 discard Kc, 2 discard 9c",
        "order up (012), name trump (01), discard (22), play",
    ),
    ("", f"{THREE_PASS}, {THREE_PASS}", "order up (012), name trump (012), thrown in"),
    ("", f"{SEVEN}, {LAST}", f"order up (0), discard (1), {PLAYED}, discard (01), play (1001101001), showdown"),
    (
        "showdown_lead=mediator_chooses",
        f"{SEVEN}, 2 lead 1, {LAST}",
        f"order up (0), discard (1), {PLAYED}, lead (2), discard (01), play (1001101001), showdown",
    ),
    (
        "target=1",
        f"{SEVEN}, 0 discard 9c, 1 discard Td, 1 play 7s, 0 play Ks",
        f"order up (0), discard (1), {PLAYED}, discard (01), play (10), king",
    ),
]


@pytest.mark.parametrize(("variant", "lines", "expected"), UPCARD)
def test_ways_through_a_hand_with_an_upcard(variant: str, lines: str, expected: str) -> None:
    hands = {0: taking(5), 1: DEALER} if variant.startswith("two") else {0: taking(5), 1: BETWEEN, 2: DEALER}
    game = scenario(variant, dealer=len(hands) - 1, hands=hands, upcard="9s")
    assert way(game, lines) == expected


@pytest.mark.parametrize(("chosen", "lines", "expected"), STRAW_MEN)
def test_ways_through_a_hand_of_straw_men(chosen: str, lines: str, expected: str) -> None:
    """V8.5."""
    game = scenario("two-handed-straw-men", dealer=1, hands={}, options=options(chosen))
    assert way(game, lines) == expected


@pytest.mark.parametrize(("chosen", "lines", "expected"), KINGS)
def test_ways_through_a_hand_of_king_cut_throat(chosen: str, lines: str, expected: str) -> None:
    """V11.5."""
    assert way(king(chosen), f"{FIRST}, {lines}") == f"{DISCARDS}, {expected}"


def king(chosen: str) -> Game:
    """Return a game of King Cut-Throat before its first decision."""
    asked: dict[str, Any] = {**options(chosen)}
    return deal(**asked)
