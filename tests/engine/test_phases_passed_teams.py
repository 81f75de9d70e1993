"""The phases of each way through a hand of V2, V3, V4, V19 and V20, to be compared with the pages."""

from __future__ import annotations

import pytest

from tests.support.engine.scenario import scenario
from tests.support.engine.ways import options, way

PASSES = "0 pass, 1 pass, 2 pass, 3 pass"
SIX_PASS = f"{PASSES}, 4 pass, 5 pass"
DEALER = {"british": 3, "railroad": 3, "lap-slam": 3, "cornish": 5, "almonte": 5}
SPADES = {
    "british": {0: "X1 Js Jc As Ks", 3: "9c 9d 9h Ah Kh"},
    "railroad": {0: "X1 Js Jc As Ks", 3: "9c 9d 9h Ah Kh"},
    "lap-slam": {0: "Js Jc As Ks Qs", 3: "9c 9d 9h Ah Kh"},
    "cornish": {0: "Js Jc As Ks Qs", 5: "9c 9d 9h Ah Kh"},
    "almonte": {0: "Js Jc As Ks Qs", 5: "9c 9d 9h Ah Kh"},
}
"""Seat 0 holds high trumps when 9s is turned; with a joker turned the hands are filled in canonical order."""

WAYS = [
    # V2.5
    ("british 9s", "0 order, 3 discard Ah, 1 decline, 3 decline", "order up (0), discard (3), defend alone (13), play"),
    ("british 9s", f"{PASSES}, {PASSES}", "order up (0123), name trump (0123), thrown in"),
    (
        "british 9s jamboree=true",
        "0 order alone, 3 discard Ah, 0 decline, 1 defend",
        "order up (0), discard (3), claim (0), defend alone (1), play",
    ),
    (
        "british X1",
        "3 call s, 3 discard Ah, 3 decline, 0 decline, 2 decline",
        "name trump (3), discard (3), go alone (3), defend alone (02), play",
    ),
    (
        "british X1 defend_alone=vs_alone",
        "3 call s, 3 discard Ah, 3 alone, 0 defend",
        "name trump (3), discard (3), go alone (3), defend alone (0), play",
    ),
    # V3.5
    ("railroad 9s", "0 order, 3 discard 9c, 0 decline", "order up (0), discard (3), claim (0), play"),
    ("railroad 9s", "0 order, 3 discard 9c, 0 claim", "order up (0), discard (3), claim (0), claimed"),
    (
        "railroad 9s",
        "0 order alone, 3 discard 9c, 0 decline, 0 ask 2, 2 give Ad, 0 discard Ks, "
        "1 defend, 1 ask 3, 3 give 9d, 1 discard Qs",
        "order up (0), discard (3), claim (0), ask for a card (0), give a card (2), discard (0), defend alone (1), "
        "ask for a card (1), give a card (3), discard (1), play",
    ),
    (
        "railroad 9s jambone=true",
        "0 order jambone, 3 discard 9c, 0 decline",
        "order up (0), discard (3), claim (0), play",
    ),
    (
        "railroad X1",
        "3 call s, 0 order, 3 discard 7s",
        "name trump (3), order up (0), discard (3), play",
    ),
    (
        "railroad X1",
        f"3 call s, {PASSES}, 0 call h alone, 0 decline, 1 decline, 3 decline",
        "name trump (3), order up (0123), name trump (0), ask for a card (0), defend alone (13), play",
    ),
    # V4.5
    (
        "lap-slam 9s",
        "0 order jambone, 3 discard 9c, 0 decline",
        "order up (0), discard (3), claim (0), play",
    ),
    (
        "lap-slam 9s defend_alone=vs_alone",
        "0 order alone, 3 discard 9c, 0 decline, 1 decline, 3 decline",
        "order up (0), discard (3), claim (0), defend alone (13), play",
    ),
    ("lap-slam 9s", f"{PASSES}, 0 call h", "order up (0123), name trump (0), play"),
    # V19.5
    (
        "cornish 9s",
        "0 order, 5 discard 9c, 1 decline, 3 decline, 5 decline",
        "order up (0), discard (5), defend alone (135), play",
    ),
    (
        "cornish X1",
        "5 call s, 5 discard Jc, 5 alone, 5 ask 1, 1 give 7h, 5 discard 7h, 0 decline, 2 defend, 2 decline",
        "name trump (5), discard (5), go alone (5), ask for a card (5), give a card (1), discard (5), "
        "defend alone (02), ask for a card (2), play",
    ),
    ("cornish 9s", f"{SIX_PASS}, {SIX_PASS}", "order up (012345), name trump (012345), thrown in"),
    # V20.5
    (
        "almonte X1",
        "5 call s, 5 discard 8c, 5 decline, 0 decline, 2 decline, 4 decline",
        "name trump (5), discard (5), go alone (5), defend alone (024), play",
    ),
    (
        "almonte X1 joker_turned=proposed defend_alone=never",
        "5 call s, 0 pass, 1 order, 5 discard 8c",
        "name trump (5), order up (01), discard (5), play",
    ),
    (
        "almonte X1 joker_turned=forced defend_alone=never",
        "5 call s, 0 pass, 1 pass, 2 pass, 3 pass, 4 pass, 5 order alone, 5 discard 8c, 5 decline",
        "name trump (5), order up (012345), discard (5), ask for a card (5), play",
    ),
    (
        "almonte 9s ask_card=false",
        "0 order alone, 5 discard 9c, 1 defend",
        "order up (0), discard (5), defend alone (1), play",
    ),
]


@pytest.mark.parametrize(("game", "lines", "expected"), WAYS)
def test_ways_through_a_hand_of_the_team_games(game: str, lines: str, expected: str) -> None:
    """V2.5, V3.5, V4.5, V19.5, V20.5, L4."""
    variant, upcard, *chosen = game.split()
    hands = SPADES[variant] if upcard == "9s" else {}
    began = scenario(variant, dealer=DEALER[variant], hands=hands, upcard=upcard, options=options(" ".join(chosen)))
    assert way(began, lines) == expected
