"""Files of others: which are read whole, which in part, and which are refused, with the field (egn.md)."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from bowerbird.harness.extras.egn.errors import EgnError
from bowerbird.harness.extras.egn.fields import parse
from bowerbird.harness.extras.egn.judge import JudgedGame, judged
from bowerbird.harness.extras.egn.notation import lines_of
from tests.support.records.egn_files import base

Change = Callable[[dict[str, Any]], object]


def deal(document: dict[str, Any]) -> Any:
    return document["deals"][0]


def bidding(document: dict[str, Any]) -> Any:
    return deal(document)["phases"][0]


def tricks(document: dict[str, Any]) -> Any:
    return deal(document)["phases"][1]["tricks"]


def rules(document: dict[str, Any]) -> Any:
    return document["metadata"]["ruleset"]


def hands(document: dict[str, Any]) -> Any:
    return deal(document)["initialState"]["playerCards"]


def read(change: Change = lambda document: None) -> JudgedGame:
    document = copy.deepcopy(base())
    change(document)
    return judged(parse(json.dumps(document).encode()))


def test_the_file_of_these_tests_is_whole() -> None:
    assert (read().missing, read().scores) == ("", ((0, 2),))


WHOLE: dict[str, Change] = {
    "N for nine": lambda it: tricks(it)[0].__setitem__(1, "Nc"),
    "bowers by their letters": lambda it: (tricks(it)[0].__setitem__(0, "R"), tricks(it)[1].__setitem__(0, "L")),
    "capital suits": lambda it: tricks(it)[0].__setitem__(2, "QH"),
    "comments and other lines": lambda it: (
        bidding(it).update(callAnnotations={"0": ["[!]Strong"]}),
        deal(it).update(alternativeLines=[{"branchIndex": 0, "phases": [{**bidding(it), "calls": ["Pass"]}]}]),
    ),
    "hands that follow from the play": lambda it: deal(it)["initialState"].pop("playerCards"),
    "one hand": lambda it: deal(it)["initialState"].update(playerCards=hands(it)[:1]),
    "no final score": lambda it: it["metadata"].pop("finalScore"),
    "a local date": lambda it: it["metadata"].update(date="2026-05-30 03:51"),
    "a version of a patch": lambda it: it.update(version="1.4.2"),
    "version 1.6, whose phases need no number": lambda it: (
        it.update(version="1.6"),
        it["metadata"].update(teamNames=["Aces", "Kings"], date=""),
        [phase.pop("phaseNumber") for phase in deal(it)["phases"]],
    ),
    "another march": lambda it: rules(it).update(loner_march_score=5),
    "rules of the table": lambda it: rules(it).update(joker=True, partners_best=True, go_under=True),
    "no trumps that nobody calls": lambda it: rules(it).update(allow_no_trump=True),
    "rules that are off": lambda it: rules(it).update(joker=False, farmers=False, min_rank=9, num_players=4),
}


@pytest.mark.parametrize("change", WHOLE.values(), ids=WHOLE.keys())
def test_files_that_come_in_whole(change: Change) -> None:
    assert read(change).missing == ""


PARTIAL: dict[str, tuple[Change, str]] = {
    "neither hands nor discard": (
        lambda it: (deal(it)["initialState"].pop("playerCards"), bidding(it).pop("discard")),
        "not every hand is known",
    ),
    "no discard": (lambda it: bidding(it).pop("discard"), "the discard is not known"),
    "an unknown discard": (lambda it: bidding(it).update(discard="Xx"), "the discard is not known"),
    "no play": (lambda it: deal(it)["phases"].pop(), "it is not played to its end"),
    "no phases": (lambda it: deal(it).update(phases=[]), "the bidding is not recorded"),
    "a short last trick": (lambda it: tricks(it)[4].pop(), "it is not played to its end"),
    "an unknown card": (lambda it: tricks(it)[0].__setitem__(1, "Xx"), "the winner of trick 1 is not known"),
    "an unknown call": (
        lambda it: bidding(it).update(calls=["Pass"] * 4 + ["x"]) or bidding(it).pop("discard"),
        "the trumps are not known",
    ),
    "an unknown upcard": (lambda it: deal(it)["initialState"].update(upCard="Xh"), "the trumps are not known"),
    "generic suits": (lambda it: deal(it)["initialState"].update(upCard="9t"), "the trumps are not known"),
    "a later beginning": (
        lambda it: it["metadata"].update(initialScore=[4, 6], finalScore=[4, 8]),
        "it begins at 4 to 6",
    ),
    "a game that goes on": (lambda it: rules(it).update(num_deals=2), "the game is not played to its end"),
    "no march": (lambda it: rules(it).update(loner_march_score=0), "a lone march scores 0"),
    "a joker and no trumps": (lambda it: rules(it).update(joker=True, allow_no_trump=True), "only one of the two"),
    "another loner": (lambda it: rules(it).update(loner_euchred_score=3), "a euchred loner costs 3"),
    "the bidding broken off": (
        lambda it: (deal(it).update(phases=[{**bidding(it), "calls": ["Pass"]}]), bidding(it).pop("discard")),
        "the bidding is not recorded to its end",
    ),
    "no deals": (
        lambda it: (it.update(deals=[]), it["metadata"].pop("finalScore")),
        "the game is not played to its end",
    ),
}


@pytest.mark.parametrize(("change", "why"), PARTIAL.values(), ids=PARTIAL.keys())
def test_files_that_come_in_partly_are_shown_as_far_as_they_go(change: Change, why: str) -> None:
    game = read(change)
    assert why in game.missing
    assert f"partial: {game.missing}" in list(lines_of(game))


def test_a_partial_deal_has_the_hands_that_follow_from_the_play() -> None:
    game = read(PARTIAL["neither hands nor discard"][0])
    played = game.deals[0]
    assert set(played.hands[1]) == {"Jh", "Jd", "Ah", "As", "Ks"}
    assert set(played.hands[0]) == {"9s", "Tc", "Ts", "Qc"}, "the upcard was not dealt, and the discard is not known"
    assert game.scores == ((0, 2),)
    lines = list(lines_of(game))
    assert "  seat 0  9s Tc Ts Qc ?" in lines
    assert "  trick 1 1 Jh   2 9c   3 Qh   0 9h   won by 1" in lines
    assert not [line for line in lines if line.endswith("defend")], "nobody defends alone in this deal"


REFUSED: dict[str, tuple[Change, str]] = {
    "another file": (lambda it: it.update(fileType="Chess"), 'fileType: is "Chess"'),
    "a match": (lambda it: it.update(fileType="Euchre Match Notation"), "this is an EGN match: end its name in .emn"),
    "a version": (lambda it: it.update(version="1.0"), 'version: got "1.0"; must be a version from 1.2'),
    "an unknown field": (lambda it: deal(it).update(winner=1), 'deals[0]: unknown field "winner"'),
    "a slip": (lambda it: rules(it).update(canadain=True), "did you mean 'canadian'?"),
    "no dealer": (
        lambda it: deal(it)["initialState"].pop("dealer"),
        'deals[0].initialState: the field "dealer" is missing',
    ),
    "a dealer of ten": (
        lambda it: deal(it)["initialState"].update(dealer=7),
        "dealer: got 7; must be a whole number from 0 to 3",
    ),
    "no card": (lambda it: tricks(it)[2].__setitem__(1, "1d"), 'deals[0].phases[1].tricks[2][1]: got "1d"'),
    "a truth for a number": (
        lambda it: deal(it).update(dealNumber=True),
        "dealNumber: got true; must be a whole number",
    ),
    "three players": (lambda it: it["metadata"]["players"].pop(), "metadata.players: got 3 names"),
    "both ends": (lambda it: rules(it).update(winning_score=10), "must have winning_score or num_deals"),
    "no end": (lambda it: (rules(it).pop("num_deals"), rules(it).update(winning_score=0)), "never ends"),
    "a joker that is not in the pack": (
        lambda it: tricks(it)[0].__setitem__(1, "B"),
        "has the card B, which is not in the pack of 24",
    ),
    "farmer's hands": (
        lambda it: rules(it).update(farmers=True),
        "metadata.ruleset.farmers: the game has farmer's hands, and EGN leaves open",
    ),
    "a fast break": (lambda it: rules(it).update(fast_break=True), "ruleset.fast_break: the game has the score"),
    "tokens": (lambda it: rules(it).update(four_trick_tokens=True), "four_trick_tokens: the game has tokens"),
    "an exchange with nobody alone": (
        lambda it: (
            rules(it).update(partners_best=True),
            bidding(it).update(cardExchanges=[{"sender": 3, "receiver": 1, "cards": ["9c"]}]),
        ),
        "cardExchanges[0]: cards change hands, which no rule of the game allows",
    ),
    "32 cards": (lambda it: rules(it).update(min_rank=7), "min_rank: got 7"),
    "a packed deal": (lambda it: it.update(deals=["AAEC"]), "deals[0]: is packed"),
    "too many deals": (lambda it: it.update(deals=it["deals"] * 101), "deals: got 101 entries; must be at most 100"),
    "a card twice": (lambda it: tricks(it)[1].__setitem__(1, "9c"), "tricks[1]: plays 9c again"),
    "a card of another": (
        lambda it: (tricks(it)[1].__setitem__(1, "As"), tricks(it)[3].__setitem__(0, "Td")),
        "tricks[1]: has As with seat 2, who does not have it",
    ),
    "the upcard of another": (
        lambda it: (tricks(it)[0].__setitem__(1, "9h"), tricks(it)[0].__setitem__(3, "9c")),
        "has the upcard 9h with seat 2, who does not have it",
    ),
    "a card in two hands": (
        lambda it: hands(it)[2].__setitem__(0, "Ts"),
        "playerCards[2]: has Ts, which is already elsewhere",
    ),
    "the upcard in a hand": (lambda it: hands(it)[2].__setitem__(0, "9h"), "playerCards[2]: has 9h"),
    "a suit not followed": (
        lambda it: (tricks(it)[0].__setitem__(2, "Kd"), tricks(it)[2].__setitem__(2, "Qh")),
        "tricks[0]: has Kd with seat 3, who holds Kh and must follow suit",
    ),
    "a discard that is played": (lambda it: bidding(it).update(discard="9s"), "discard: is 9s, which is played later"),
    "a discard without an order": (
        lambda it: bidding(it).update(calls=["Pass"] * 4 + ["d"]),
        "discard: is given, but nobody ordered the upcard",
    ),
    "an order too late": (lambda it: bidding(it).update(calls=["Pass"] * 4 + ["Order"]), 'is "Order" in round 2'),
    "a suit too early": (lambda it: bidding(it).update(calls=["d"]), 'is "d" in round 1'),
    "the suit turned down": (
        lambda it: bidding(it).update(calls=["Pass"] * 4 + ["h"]),
        "calls the suit of the upcard, which was turned down",
    ),
    "a call after the call": (lambda it: bidding(it).update(calls=["Order", "Pass"]), "calls[1]: follows the call"),
    "no trumps": (lambda it: bidding(it).update(calls=["Pass"] * 4 + ["n"]), "calls no trumps"),
    "alone without a call": (
        lambda it: bidding(it).update(calls=["Pass"], isAlone=True),
        "isAlone: is true, but nobody called",
    ),
    "cards without a call": (
        lambda it: (bidding(it).update(calls=["Pass"] * 8), bidding(it).pop("discard"), rules(it).update(std=False)),
        "cards are played, but nobody called a suit",
    ),
    "a dealer who passes twice": (
        lambda it: (bidding(it).update(calls=["Pass"] * 8), bidding(it).pop("discard")),
        "calls[7]: passes, but under the rule std the dealer must name a suit",
    ),
    "a trick too many": (lambda it: tricks(it).append(["Ks"]), "got 6 tricks; must be at most 5"),
    "a short trick within": (lambda it: tricks(it)[1].pop(), "tricks[1]: got 3 cards, but 4 players take part"),
    "alone with four": (lambda it: bidding(it).update(isAlone=True), "tricks[0]: got 4 cards, but 3 players take part"),
    "a lone defender": (lambda it: bidding(it).update(aloneDefender=2), "nobody may defend alone here"),
    "an exchange": (
        lambda it: bidding(it).update(cardExchanges=[{"receiver": 1, "cards": ["9c"]}]),
        "cards change hands",
    ),
    "the score": (lambda it: it["metadata"].update(finalScore=[2, 0]), "got 2 to 0, but the deals add up to 0 to 2"),
    "a deal twice": (lambda it: (it["deals"].append(deal(it)), rules(it).update(num_deals=2)), "dealNumber: got 0"),
    "a deal after the end": (
        lambda it: it["deals"].append({**deal(it), "dealNumber": 1}),
        "is one more than num_deals",
    ),
}


@pytest.mark.parametrize(("change", "sentence"), REFUSED.values(), ids=REFUSED.keys())
def test_files_that_contradict_the_specification_or_themselves_are_refused(change: Change, sentence: str) -> None:
    with pytest.raises(EgnError) as caught:
        read(change)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "line 1, column 1: is not JSON"),
        (b'{\n "fileType": }', "line 2, column 14: is not JSON"),
        (b"\xff\xfe", "byte 0 is not UTF-8"),
        (b"[" * 100_000, "its brackets are nested too deeply"),
        (b'{"version": 1, "version": 2}', 'has the field "version" twice in one object'),
        (b'{"fileType": NaN}', "has NaN, which is not a JSON number"),
        (b'{"fileType": ' + b"9" * 10_000 + b"}", "has a number with too many digits"),
        (b"[]", "the file: got []; must be an object"),
        (b'"\\u001b[31m"', "the file: got"),
    ],
)
def test_bytes_that_are_no_egn_are_refused_in_one_sentence(data: bytes, sentence: str) -> None:
    with pytest.raises(EgnError) as caught:
        parse(data)
    assert sentence in str(caught.value)
    assert "\x1b" not in str(caught.value)
