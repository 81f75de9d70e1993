"""The engine's public face, and its errors for bad input."""

from __future__ import annotations

import pytest

from bowerbird import engine
from bowerbird.engine import (
    EngineError,
    Game,
    IllegalAction,
    InvalidOption,
    RecordError,
    UnknownVariant,
    new_game,
    rules_of,
)
from tests.support.engine.scenario import play, scenario, written_pack

SEED = bytes(range(32))


def state(game: Game) -> tuple[object, ...]:
    return tuple(game.view(seat) for seat in range(game.players)), game.packs, game.results


def test_the_face_has_its_names() -> None:
    assert set(engine.__all__) <= set(dir(engine))
    assert engine.RULES_VERSION == "1"
    assert engine.ENGINE_VERSION.count(".") == 2


def test_every_error_is_an_engine_error_with_one_sentence() -> None:
    for error in (UnknownVariant, InvalidOption, IllegalAction, RecordError):
        assert issubclass(error, EngineError)
    with pytest.raises(EngineError) as refused:
        new_game("buk")
    (sentence,) = refused.value.args
    assert sentence == "unknown variant 'buk', did you mean 'buck'?"


def test_an_unknown_variant_is_refused_everywhere() -> None:
    for call in (new_game, rules_of, engine.resolve_options):
        with pytest.raises(UnknownVariant, match="did you mean 'euchre'"):
            call("eucre")


def test_options_are_read_from_text_too() -> None:
    """CONTRACTS: TOML values and "k=v" text are equivalent."""
    as_text = engine.resolve_options("buck", {"start": "20", "sweep_wins": "false", "drop_order": "from_eldest"})
    assert as_text == engine.resolve_options("buck", {"start": 20, "sweep_wins": False, "drop_order": "from_eldest"})
    option = rules_of("buck").options["start"]
    assert (option.parse("20"), option.parse("many")) == (20, "many")


def test_every_option_is_resolved() -> None:
    game = new_game("buck", {"start": 20}, seed=SEED)
    assert dict(game.options) == engine.resolve_options("buck", {"start": 20})
    assert game.options["max_hands"] == 0


def test_a_seed_gives_one_game() -> None:
    first, second = (new_game("euchre", seed=SEED, entry="euchre-0", set_number=3) for _ in range(2))
    assert state(first) == state(second)
    assert new_game("euchre", seed=SEED, entry="euchre-0", set_number=4).packs != first.packs
    assert new_game("euchre", seed=SEED, entry="euchre-1", set_number=3).packs != first.packs


def test_without_a_seed_games_differ() -> None:
    assert len({new_game("euchre").packs for _ in range(5)}) == 5


def test_first_dealer_is_uniform_or_given() -> None:
    """A7."""
    assert {new_game("euchre", seed=SEED, set_number=k).dealer for k in range(40)} == {0, 1, 2, 3}
    assert new_game("euchre", seed=SEED, first_dealer=2).dealer == 2
    with pytest.raises(InvalidOption, match="first_dealer cannot be 4: euchre has seats 0 to 3"):
        new_game("euchre", seed=SEED, first_dealer=4)


def test_seed_and_packs_exclude_each_other() -> None:
    pack = new_game("euchre").packs
    with pytest.raises(EngineError, match="not both"):
        new_game("euchre", first_dealer=0, seed=SEED, packs=[pack])


PACK = written_pack("euchre", 3, {}, upcard="9s")


@pytest.mark.parametrize(
    ("packs", "message"),
    [
        ([], "no pack is given, not even for hand 0"),
        ([[]], "hand 0: no pack is given"),
        ([[PACK], []], "hand 1: no pack is given"),
        ([[PACK], [PACK[:-3]]], "hand 1: the pack has 23 cards, but must have 24"),
        ([[PACK.replace("As", "Ks")]], '"Ks" once too often'),
        ([[PACK.replace("As", "8s")]], '"8s", which is not in this pack'),
        ([[PACK.replace("As", "X1")]], '"X1", which is not in this pack'),
        ([PACK], "hand 0: packs are a list of texts"),
    ],
)
def test_packs_that_do_not_fit_are_refused_before_the_game_begins(packs: list[list[str]], message: str) -> None:
    with pytest.raises(RecordError) as refused:
        new_game("euchre", first_dealer=3, packs=packs)
    assert message in refused.value.args[0]


def test_packs_without_a_dealer_are_refused() -> None:
    with pytest.raises(RecordError, match="first_dealer"):
        new_game("euchre", packs=[[PACK]])


def test_a_missing_pack_is_found_before_anything_changes() -> None:
    """The decision that ends the hand is refused, and the game stays as it was."""
    game = scenario("euchre", dealer=3, hands={}, upcard="9s", later=0)
    play(game, "0 pass, 1 pass, 2 pass, 3 pass, 0 pass, 1 pass, 2 pass")
    before = state(game)
    with pytest.raises(RecordError, match="hand 1: no pack is given, and the game needs one"):
        game.apply("pass")
    assert state(game) == before
    assert (game.actor, game.hand_number) == (3, 0)
    play(game, "3 call h")


def test_an_illegal_action_names_seat_token_and_what_is_legal() -> None:
    game = scenario("euchre", dealer=3, hands={}, upcard="9s")
    with pytest.raises(IllegalAction) as refused:
        game.apply("stay")
    assert refused.value.args[0] == 'seat 0 cannot do "stay" (order up); legal: pass, order, order alone'


def test_nothing_can_be_done_after_the_end() -> None:
    game = new_game("euchre", {"max_hands": 1}, seed=SEED)
    while game.actor is not None:
        game.apply("pass")
    with pytest.raises(IllegalAction, match="the game is over"):
        game.apply("pass")
    assert game.legal_actions() == ()
    assert game.view(0).actor is None


@pytest.mark.parametrize("seat", [-1, 4])
def test_a_view_of_a_seat_that_does_not_exist_is_refused(seat: int) -> None:
    with pytest.raises(IndexError, match="seats are 0 to 3"):
        new_game("euchre").view(seat)


def test_ranks_are_empty_while_the_game_is_in_play() -> None:
    game = new_game("buck")
    assert (game.ranks, game.winners, game.ended, game.is_over) == ((), (), "", False)
