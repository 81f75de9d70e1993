"""V12 with `max_consecutive_drops` (B5, Jack Thomson's rule): after too many drops in a row a player is in unasked."""

from __future__ import annotations

from bowerbird.engine import Game, new_game
from tests.support.engine.buck_hands import FOUR, ordered
from tests.support.engine.scenario import play, play_out, view, written_pack


def thomson(limit: int, *first: str) -> Game:
    """Play hands: the eldest orders spades up, the dealer discards; `first` are the answers, hand by hand."""
    options = {"max_consecutive_drops": limit, "sweep_wins": False}
    packs = []
    for dealer in (3, 0, 1, 2, 3):
        hands = {(seat + dealer + 1) % 4: cards for seat, cards in FOUR.items()}
        packs.append([written_pack("buck", dealer, hands, upcard="9s", options=options)])
    game = new_game("buck", options, first_dealer=3, packs=packs)
    for hand, staying in enumerate(first):
        maker = (game.dealer + 1) % 4
        play(game, f"{maker} order, {game.dealer} discard 9c", staying)
        play_out(game, hand)
    return play(game, f"{(game.dealer + 1) % 4} order, {game.dealer} discard 9c")


def test_option_max_consecutive_drops() -> None:
    """B5: a player who dropped in each of the last k hands is not asked in the next; he is in."""
    game = thomson(1, "1 drop, 2 stay, 3 drop")
    assert view(game).drops == (0, 1, 0, 1)
    play(game, "2 stay, 0 stay")
    assert (view(game).stage, view(game).active) == ("play", (0, 1, 2, 3))


def test_a_hand_that_is_played_resets_the_count() -> None:
    """B5, V12.12.14: by choice, forced or as maker."""
    game = thomson(1, "1 stay, 2 drop, 3 stay", "3 stay, 0 stay")
    assert view(game).drops == (0, 0, 0, 0)
    game = thomson(2, "1 stay, 2 drop, 3 stay", "2 drop, 3 stay, 0 stay")
    assert view(game).drops == (0, 0, 2, 0)
    assert view(game).maker == 2, "as maker he is in anyway"


def test_jack_thomsons_rule_is_two_in_a_row() -> None:
    """B5: after one drop he is asked again."""
    game = thomson(2, "1 stay, 2 stay, 3 drop")
    assert game.actor == 2
    play(game, "2 stay, 3 drop, 0 stay")
    play_out(game, 1)
    play(game, "2 order, 1 discard 9c")
    assert view(game).drops == (0, 0, 0, 2)
    assert game.actor == 0, "seat 3 is in, unasked"


def test_a_club_hand_resets_the_count() -> None:
    """B5: "or because dropping was not allowed"."""
    options = {"max_consecutive_drops": 1, "sweep_wins": False}
    packs = [
        [written_pack("buck", 3, FOUR, upcard="9s")],
        [written_pack("buck", 0, {}, upcard="9c")],
        [written_pack("buck", 1, {}, upcard="9s")],
    ]
    game = new_game("buck", options, first_dealer=3, packs=packs)
    play(game, "0 order, 3 discard 9c, 1 drop, 2 stay, 3 stay")
    play_out(game, 0)
    assert view(game).drops == (0, 1, 0, 0)
    play_out(game, 1)
    assert view(game).drops == (0, 0, 0, 0)


def test_drops_are_not_counted_without_the_option() -> None:
    """V12.10: () where unused."""
    game = ordered(FOUR, "1 drop, 2 stay, 3 stay")
    play_out(game)
    assert game.view(0).drops == ()
