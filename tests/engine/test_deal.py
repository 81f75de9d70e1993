"""The language of deals (rules.md A7)."""

from __future__ import annotations

import re

import pytest

from bowerbird.engine.cards.deal import plans


def test_a_deal_names_where_each_card_goes() -> None:
    plan = plans("hands 2, hands widow 1, upcard", 2, piles=("widow",))[1]
    assert [hand(range(8)) for hand in plan.hands] == [(0, 1, 4), (2, 3, 5)]
    assert (plan.piles, plan.upcard, plan.dealt) == ((("widow", (6,)),), 7, 8)


@pytest.mark.parametrize(
    ("deal", "sentence"),
    [
        ("hands 2, upcrad", "deal \"hands 2, upcrad\": unknown receiver 'upcrad', did you mean 'upcard'?"),
        ("hand 2, upcard", "unknown receiver 'hand', did you mean 'hands'?"),
        ("hands 2, widwo 3", "unknown receiver 'widwo', did you mean 'widow'?"),
        ("hands two", "unknown receiver 'two'"),
        ("hands 2 x four", "unknown receiver "),
        ("hands 2, 3", "a round names no receiver"),
        ("hands 2,", "a round names no receiver"),
        ("hands 2, upcard 2", "the upcard is one card and takes no number"),
    ],
)
def test_a_word_that_does_not_exist_is_refused(deal: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        plans(deal, 4, piles=("widow",))
