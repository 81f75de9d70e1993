"""Actions in the words of replays and analyses (`bowerbird.harness.records.replay.words`)."""

from __future__ import annotations

import pytest

from bowerbird.harness.records.replay.words import card_sign, in_words


@pytest.mark.parametrize(
    ("token", "stage", "words"),
    [
        ("order alone", "", "orders up, alone"),
        ("call s jambone", "name trump", "calls ♠, jambone"),
        ("bid 3 nt", "", "bids 3 no trump"),
        ("lone 1", "", "bids alone with 1 card of the partner"),
        ("lone 2", "", "bids alone with 2 cards of the partner"),
        ("lone 0 s", "", "bids alone in ♠ with 0 cards of the partner"),
        ("exchange 1", "", "exchanges 1 card"),
        ("exchange 0", "", "exchanges 0 cards"),
        ("ask 2", "", "asks seat 2"),
        ("claim", "", "claims the Jamboree"),
        ("claim", "misdeal", "claims a misdeal"),
        ("decline", "misdeal", "claims no misdeal"),
        ("decline", "", "declines"),
        ("swap", "go under", "goes under"),
        ("swap", "", "swaps hands"),
        ("play X1", "", "plays Joker"),
    ],
)
def test_an_action_is_said_in_the_third_person(token: str, stage: str, words: str) -> None:
    assert in_words(token, stage) == words


def test_jokers_are_told_apart_where_there_are_several() -> None:
    assert [card_sign(card) for card in ("X1", "X2", "Xr", "Xb")] == ["Joker", "Joker 2", "red Joker", "black Joker"]
