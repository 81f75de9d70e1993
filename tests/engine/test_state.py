"""Copies and views follow the declaration of the state."""

from __future__ import annotations

import pickle

import pytest

from bowerbird.engine import new_game
from bowerbird.engine.fields import KEPT, Know
from bowerbird.engine.game import Game, state_of
from bowerbird.engine.game_state import GameState
from bowerbird.engine.state import State

FIELDS = GameState.fields
LISTS = ("tricks_won", "log", "hands", "notes")


class Mark:
    """A value that equals only itself."""


def test_a_copy_takes_every_field() -> None:
    state = GameState()
    for name in FIELDS:
        setattr(state, name, [Mark()] if name in LISTS else Mark())
    twin = state.copy()
    for name in FIELDS:
        assert getattr(twin, name) == getattr(state, name), f"{name} is not copied"
    for name in LISTS:
        assert getattr(twin, name) is not getattr(state, name), f"{name} is shared with the copy"


def test_clear_sets_every_field_of_the_hand_and_no_other() -> None:
    state = state_of(new_game("buck", seed=bytes(32)))
    marks = {name: Mark() for name in FIELDS}
    carried = {name for name, field in FIELDS.items() if field.know is Know.CARRIED}
    carried |= {"source", "results", "scores_dealt"}
    assert carried == {name for name, field in FIELDS.items() if field.start is KEPT}
    for name, mark in marks.items():
        if name != "rules":
            setattr(state, name, mark)
    state.clear()
    for name, mark in marks.items():
        if name != "rules":
            assert (getattr(state, name) is mark) == (name in carried), f"{name}: clear treats it wrongly"


def test_every_field_is_declared() -> None:
    assert State.__slots__ == tuple(State.fields)  # type: ignore[attr-defined]  # made from the declarations
    assert (*State.fields, *GameState.__slots__) == tuple(FIELDS)  # type: ignore[attr-defined]  # as above
    assert set(State.__annotations__) == set(State.fields)
    assert not hasattr(GameState(), "__dict__")


def test_just_the_lists_are_copied() -> None:
    assert {name for name, field in FIELDS.items() if field.is_list} == set(LISTS)


def test_a_game_keeps_its_state_private() -> None:
    game = new_game("buck", seed=bytes(32))
    with pytest.raises(TypeError):
        game.hands[0] = 0  # type: ignore[index]  # that is what is tested
    with pytest.raises(TypeError):
        game.piles["widow"] = ()  # type: ignore[index]  # as above
    for name in dir(Game):
        if not name.startswith("_"):
            with pytest.raises(AttributeError):
                setattr(game, name, None)
    with pytest.raises(AttributeError):
        game.anything = None  # type: ignore[attr-defined]  # as above


def test_a_game_is_made_by_new_game() -> None:
    with pytest.raises(TypeError, match="new_game"):
        Game()


def test_a_game_survives_pickling() -> None:
    """Jobs and their results cross processes."""
    game = new_game("euchre", {"jamboree": True}, seed=bytes(32))
    for _ in range(7):
        game.apply(game.legal_actions()[-1])
    again = pickle.loads(pickle.dumps(game))
    assert [again.view(seat) for seat in range(4)] == [game.view(seat) for seat in range(4)]
    for _ in range(30):
        assert again.legal_actions() == game.legal_actions()
        action = game.legal_actions()[0]
        game.apply(action)
        again.apply(action)
    assert again.view(0) == game.view(0)
