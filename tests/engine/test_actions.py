"""Actions are written and read as notation.md says."""

from __future__ import annotations

import copy
import pickle

import pytest

from bowerbird.engine import Action, IllegalAction

WRITTEN = (
    "pass|order|order alone|order jambone|call s|call nt|call s alone|call h jambone|bid 4|bid 4 h|bid 20 s|discard 9c"
    "|call low|bid 4 nt|bid 4 low|lone 0|lone 2 h|lone 3 nt|lone 1 low|discard|alone|decline|swap|keep|take"
    "|exchange 0|exchange 2|defend|ask 4|give Kd|give|claim|dictate Qh|stay|drop"
    "|partner 3|lead 2|play Jd|play X1|play Xr"
)
TOKENS = WRITTEN.split("|")


@pytest.mark.parametrize("token", TOKENS)
def test_every_token_of_the_notation_reads_back(token: str) -> None:
    assert str(Action.parse(token)) == token


@pytest.mark.parametrize("token", TOKENS)
def test_a_token_is_one_object_also_after_pickling(token: str) -> None:
    action = Action.parse(token)
    assert Action.parse(token) is action
    assert pickle.loads(pickle.dumps(action)) is action
    assert copy.deepcopy(action) is action


@pytest.mark.parametrize(
    "token",
    ["", "Pass", "order  alone", "order alone ", "call x", "call s twice", "bid", "bid 0", "bid 04", "bid 4 x", "play",
     "lone", "lone 4", "lone 02", "call low h", "order low", "play 1s", "play as", "discard X4", "ask", "ask 10",
     "exchange -1", "fold"],
)  # fmt: skip
def test_what_the_notation_does_not_know_is_refused_by_name(token: str) -> None:
    with pytest.raises(IllegalAction, match="is not an action") as refused:
        Action.parse(token)
    assert f'"{token}"' in refused.value.args[0]


def test_the_parts_of_a_token_are_read_once() -> None:
    action = Action.parse("call h alone")
    assert (action.kind, action.suit, action.how, action.card, action.number, action.seat) == (
        "call", "h", "alone", "", None, None,
    )  # fmt: skip
    assert Action.parse("bid 15 d").number == 15
    assert (Action.parse("lone 0 low").number, Action.parse("lone 0 low").suit) == (0, "low")
    assert Action.parse("ask 4").seat == 4
    assert Action.parse("play Td").card == "Td"


def test_only_the_actor_sees_the_card_of_a_discard_or_a_gift() -> None:
    """rules.md A9, A10, B3."""
    assert str(Action.parse("discard 9c").public) == "discard"
    assert str(Action.parse("give Kd").public) == "give"
    for token in ("play Jd", "dictate Qh", "order alone", "bid 4 h", "discard"):
        assert Action.parse(token).public is Action.parse(token)


def test_an_action_cannot_be_changed() -> None:
    with pytest.raises(AttributeError, match="shared"):
        Action.parse("pass").kind = "stay"
    with pytest.raises(AttributeError, match="shared"):
        del Action.parse("pass").kind
