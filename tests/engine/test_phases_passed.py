"""The phases of each way through a hand, to be compared with the page of its variant (rules.md Part C).

Phases guard themselves, so an error in their order would be silent. Each way is one line: the stages asked, in order,
each once for as long as it lasts; in brackets the seats asked.
"""

from __future__ import annotations

import pytest

from tests.support.engine.scenario import scenario
from tests.support.engine.ways import options, way

HANDS = {0: "Js Jc As Ks Qs", 1: "Ah Kh Qh Jh Th", 2: "Ad Kd Qd Jd Td", 3: "Ac Kc Qc Tc 9c"}
PASSES = "0 pass, 1 pass, 2 pass, 3 pass"

EUCHRE = [
    ("", "0 order, 3 discard 9c", "order up (0), discard (3), play"),
    ("", f"{PASSES}, 0 pass, 1 call h", "order up (0123), name trump (01), play"),
    ("", f"{PASSES}, {PASSES}", "order up (0123), name trump (0123), thrown in"),
    ("", "0 order alone, 3 discard 9c", "order up (0), discard (3), play"),
    ("defend_alone=vs_alone", "0 order, 3 discard 9c", "order up (0), discard (3), play"),
    (
        "defend_alone=vs_alone",
        "0 order alone, 3 discard 9c, 1 decline, 3 defend",
        "order up (0), discard (3), defend alone (13), play",
    ),
    (
        "defend_alone=always",
        f"{PASSES}, 0 call h, 1 decline, 3 decline",
        "order up (0123), name trump (0), defend alone (13), play",
    ),
    ("jamboree=true", "0 order, 3 discard 9c, 0 claim", "order up (0), discard (3), claim (0), claimed"),
    (
        "jamboree=true defend_alone=always",
        "0 order, 3 discard 9c, 0 decline, 1 defend",
        "order up (0), discard (3), claim (0), defend alone (1), play",
    ),
    ("jambone=true", "0 order jambone, 3 discard 9c", "order up (0), discard (3), play"),
    (
        "jambone=true jamboree=true defend_alone=always",
        "0 order jambone, 3 discard 9c, 0 decline",
        "order up (0), discard (3), claim (0), play",
    ),
]

BUCK = [
    ("", "0 order, 3 discard 9c, 1 stay, 2 drop, 3 stay", "order up (0), discard (3), stay (123), play"),
    ("", "0 order, 3 discard 9c, 1 drop, 2 drop, 3 drop", "order up (0), discard (3), stay (123), uncontested"),
    ("", f"{PASSES}, 0 pass, 1 call h, 2 stay, 3 stay, 0 stay", "order up (0123), name trump (01), stay (230), play"),
    ("", f"{PASSES}, {PASSES}", "order up (0123), name trump (0123), play"),
    (
        "drop_in_no_trump=true",
        f"{PASSES}, {PASSES}, 0 stay, 1 stay, 2 stay, 3 drop",
        "order up (0123), name trump (0123), stay (0123), play",
    ),
    (
        "name_no_trump=true",
        f"{PASSES}, 0 call nt, 1 drop, 2 stay, 3 stay",
        "order up (0123), name trump (0), stay (123), play",
    ),
    (
        "club_pickup=dealer",
        "0 order, 3 discard 9c, 1 stay, 2 stay, 3 stay",
        "order up (0), discard (3), stay (123), play",
    ),
]

CLUBS = [
    ("", "", "play"),
    ("drop_in_no_trump=true", "", "play"),
    ("club_pickup=dealer", "3 discard Ac", "discard (3), play"),
]


@pytest.mark.parametrize(("chosen", "lines", "expected"), EUCHRE)
def test_ways_through_a_hand_of_euchre(chosen: str, lines: str, expected: str) -> None:
    """V1.5."""
    game = scenario("euchre", dealer=3, hands=HANDS, upcard="9s", options=options(chosen))
    assert way(game, lines) == expected


@pytest.mark.parametrize(("chosen", "lines", "expected"), BUCK)
def test_ways_through_a_hand_of_buck(chosen: str, lines: str, expected: str) -> None:
    """V12.5.2 to V12.5.6."""
    game = scenario("buck", dealer=3, hands=HANDS, upcard="9s", options=options(chosen))
    assert way(game, lines) == expected


@pytest.mark.parametrize(("chosen", "lines", "expected"), CLUBS)
def test_ways_through_a_club_hand_of_buck(chosen: str, lines: str, expected: str) -> None:
    """V12.5.1."""
    hands = {**HANDS, 3: "Ac Kc Qc Tc 9h"}
    game = scenario("buck", dealer=3, hands=hands, upcard="9c", options=options(chosen))
    assert way(game, lines) == expected


BIDS = "0 bid 3, 1 pass, 2 pass"
NO_STOCK = "2 exchange 0, 3 exchange 0, 0 exchange 0, 1 exchange 0"
STOCK = "exchange (2301)"

AUCTIONS = [
    (
        "buck-turn-up",
        "9s",
        "0 order, 3 discard 9c, 1 stay, 2 drop, 3 stay",
        "order up (0), discard (3), stay (123), play",
    ),
    (
        "buck-turn-up",
        "9s",
        f"{PASSES}, {PASSES}, 0 drop, 1 stay, 2 stay, 3 stay",
        "order up (0123), name trump (0123), stay (0123), play",
    ),
    ("buck-turn-up", "9c", "", "play"),
    ("buck-wager", "9s", f"{BIDS}, 3 discard 9c, 0 call s", "bid (012), discard (3), name trump (0), play"),
    (
        "buck-wager",
        "9s",
        "0 pass, 1 pass, 2 pass, 3 order, 3 discard 9c, 3 call c",
        "bid (012), order up (3), discard (3), name trump (3), play",
    ),
    (
        "buck-wager",
        "9s",
        f"{PASSES}, 0 stay, 1 stay, 2 stay, 3 drop",
        "bid (012), order up (3), stay (0123), play",
    ),
    ("buck-wager", "9c", "", "play"),
    (
        "dirty-clubs",
        "9s",
        f"{BIDS}, 3 pass, 0 call h, 0 take, 0 discard As, 1 stay, 2 stay, 3 stay",
        "bid (0123), name trump (0), take the upcard (0), discard (0), stay (123), play",
    ),
    (
        "dirty-clubs",
        "9s",
        f"{BIDS}, 3 pass, 0 call h, 0 decline, 1 drop, 2 drop, 3 drop",
        "bid (0123), name trump (0), take the upcard (0), stay (123), uncontested",
    ),
    ("dirty-clubs", "9s", PASSES, "bid (0123), play"),
    ("dirty-clubs all_pass=thrown_in", "9s", PASSES, "bid (0123), thrown in"),
    ("dirty-clubs", "9c", "", "play"),
    (
        "bid-102",
        "",
        f"{NO_STOCK}, {BIDS}, 3 pass, 0 call s, 1 stay, 2 stay, 3 stay",
        f"{STOCK}, bid (0123), name trump (0), stay (123), play",
    ),
    (
        "bid-102",
        "",
        f"2 exchange 4, 2 discard Ad, 2 discard Kd, 2 discard Qd, 2 discard Jd, {PASSES}",
        "exchange (2), discard (2222), bid (0123), play",
    ),
    ("bid-102 stock_exchange=false all_pass=thrown_in", "", PASSES, "bid (0123), thrown in"),
    (
        "hasenpfeffer",
        "",
        f"{BIDS}, 3 pass, 0 call s, 0 discard As",
        "bid (0123), name trump (0), discard (0), play",
    ),
    ("hasenpfeffer widow=unused", "", f"{BIDS}, 3 pass, 0 call s", "bid (0123), name trump (0), play"),
    ("hasenpfeffer all_pass=thrown_in", "", PASSES, "bid (0123), thrown in"),
    ("hasenpfeffer", "", PASSES, "bid (0123), thrown in"),
    (
        "buck-auction",
        "9s",
        "0 pass, 1 bid 2, 2 pass, 3 bid 3, 1 pass, 3 call h, 0 stay, 1 drop, 2 stay",
        "bid (01231), name trump (3), stay (012), play",
    ),
    (
        "buck-auction",
        "9s",
        f"{BIDS}, 3 pass, 0 call h, 1 drop, 2 drop, 3 drop",
        "bid (0123), name trump (0), stay (123), uncontested",
    ),
    ("buck-auction", "9s", PASSES, "bid (0123), thrown in"),
    ("buck-auction all_pass=no_trump", "9s", PASSES, "bid (0123), play"),
    ("buck-auction", "9c", "", "play"),
]

THREE = {0: "Js Jc As Ks Qs", 1: "Ah Kh Qh Jh Th", 2: "Ad Kd Qd Jd Td"}

THREE_HANDED = [
    (
        "1 keep, 2 swap, 0 bid 2, 1 pass, 2 pass, 0 call s, 1 stay, 2 drop",
        "take the widow (12), bid (012), name trump (0), stay (12), play",
    ),
    ("1 keep, 2 keep, 0 keep, 0 pass, 1 pass, 2 pass", "take the widow (120), bid (012), play"),
]

FIVE = {0: "Js Jc As Ks Qs", 1: "Ah Kh Qh Jh Th", 2: "Ad Kd Qd Jd Td", 3: "Ac Kc Qc Tc 9c"}
OTHERS_PASS = "1 pass, 2 pass, 3 pass, 4 pass"

FIVE_HANDED = [
    (
        f"0 bid 4 s, {OTHERS_PASS}, 0 discard Js, 0 discard Jc, 0 discard As, 0 partner 1, 0 partner 2",
        "bid (01234), discard (000), choose a partner (00), play",
    ),
    (
        f"0 bid 8 s, {OTHERS_PASS}, 0 discard Js, 0 discard Jc, 0 discard As",
        "bid (01234), discard (000), play",
    ),
    (f"0 bid 15 s, {OTHERS_PASS}", "bid (01234), play"),
    (f"0 pass, {OTHERS_PASS}", "bid (01234), thrown in"),
]


@pytest.mark.parametrize(("game", "upcard", "lines", "expected"), AUCTIONS)
def test_ways_through_a_hand_of_the_other_buck_games(game: str, upcard: str, lines: str, expected: str) -> None:
    """V13.5, V14.5, V15.5, V17.5."""
    variant, _, chosen = game.partition(" ")
    hands = {**HANDS, 3: "Ac Kc Qc Tc 9h"} if upcard == "9c" else HANDS
    assert way(scenario(variant, dealer=3, hands=hands, upcard=upcard, options=options(chosen)), lines) == expected


@pytest.mark.parametrize(("lines", "expected"), THREE_HANDED)
def test_ways_through_a_hand_of_three_player_buck(lines: str, expected: str) -> None:
    """V16.5."""
    assert way(scenario("buck-three-handed", dealer=2, hands=THREE), lines) == expected


@pytest.mark.parametrize(("lines", "expected"), FIVE_HANDED)
def test_ways_through_a_five_handed_hand(lines: str, expected: str) -> None:
    """V18.5; seven-handed takes the same ways (V21.5)."""
    assert way(scenario("five-handed", dealer=4, hands=FIVE), lines) == expected
