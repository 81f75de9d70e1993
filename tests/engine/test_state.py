"""The declaration of the state is what copies and views follow (ENGINE.md)."""

from __future__ import annotations

import pickle

from engine import new_game
from engine.game import Game
from engine.state import KNOWLEDGE, Know, State


class Mark:
    """A value that is only equal to itself."""


def test_a_copy_takes_every_field() -> None:
    game = Game()
    for name in KNOWLEDGE:
        setattr(game, name, [Mark()] if name in ("tricks_won", "log", "hands", "notes") else Mark())
    twin = game.copy()
    for name in KNOWLEDGE:
        assert getattr(twin, name) == getattr(game, name), f"{name} is not copied"
    for name in ("tricks_won", "log", "hands", "notes"):
        assert getattr(twin, name) is not getattr(game, name), f"{name} is shared with the copy"


def test_clear_sets_every_field_of_the_hand_and_no_other() -> None:
    game = new_game("buck", seed=bytes(32))
    marks = {name: Mark() for name in KNOWLEDGE}
    carried = {name for name, know in KNOWLEDGE.items() if know is Know.CARRIED} | {"source", "results"}
    for name, mark in marks.items():
        if name != "rules":
            setattr(game, name, mark)
    game.clear()
    for name, mark in marks.items():
        if name != "rules":
            assert (getattr(game, name) is mark) == (name in carried), f"{name}: clear treats it wrongly"


def test_every_field_is_declared() -> None:
    assert State.__slots__ == tuple(KNOWLEDGE)
    assert Game.__slots__ == ()
    assert set(State.__annotations__) == set(KNOWLEDGE)


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
