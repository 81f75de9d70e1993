"""V7, Two-handed Euchre with dummy: at least one test for each number on its page. Seat 1 deals."""

from __future__ import annotations

import pytest

from bowerbird.engine import Game, InvalidOption, new_game, rules_of
from bowerbird.engine.game import state_of
from tests.support.engine.scenario import change, play, play_out, scenario, tokens, view
from tests.support.engine.short_hands import DEALER, taking

DUMMIES = {"dummies 0": "9h Th Jh", "dummies 1": "Ac Kc Jd"}
PUT_BACK = "0 discard 9h, 0 discard Th, 0 discard Jh, 1 discard Ac, 1 discard Kc, 1 discard Jd"


def deal(tricks: int = 5, **options: object) -> Game:
    hands = {0: taking(tricks), 1: DEALER}
    return scenario("two-handed-dummy", dealer=1, hands=hands, upcard="9s", piles=DUMMIES, options=options)


def ordered(tricks: int = 5, **options: object) -> Game:
    """Return the game after the other one ordered spades up."""
    return play(deal(tricks, **options), "0 order, 1 discard Qh")


def with_dummy(tricks: int, **options: object) -> Game:
    """Play a hand in which both take their dummies and discard again."""
    game = play(ordered(tricks, **options), "0 take", PUT_BACK)
    play_out(game)
    return game


def alone(tricks: int, **options: object) -> Game:
    """Play a hand in which the maker goes alone and his opponent takes his dummy and discards again."""
    game = play(ordered(tricks, **options), "0 alone, 1 discard Ac, 1 discard Kc, 1 discard Jd")
    play_out(game)
    return game


def test_two_players_and_a_dummy_for_each() -> None:
    """V7.1, V7.2, V7.4: 24 cards; hands 2-3, then a dummy of three to each; card 17 is turned up."""
    codes = rules_of("two-handed-dummy").rules().pack.codes
    assert len(codes) == 24
    game = new_game("two-handed-dummy", packs=[[" ".join(codes)]], first_dealer=1)
    assert game.view(0).hand == (*codes[0:2], *codes[4:7])
    assert game.view(1).hand == (*codes[2:4], *codes[7:10])
    assert game.view(0).upcard == codes[16]
    play(game, "0 pass, 1 pass, 0 call c, 0 take")
    assert set(game.view(0).hand) == {*codes[0:2], *codes[4:7], *codes[10:13]}
    assert set(game.view(1).hand) == {*codes[2:4], *codes[7:10], *codes[13:16]}


def test_the_ranking() -> None:
    """V7.3, A3: the left bower is a trump."""
    game = play(ordered(), "0 take", PUT_BACK, "0 play Jc")
    assert tokens(game) == ["play 9s"]


def test_the_rounds_have_no_alone_flag() -> None:
    """V7.5.1."""
    game = deal()
    assert tokens(game) == ["pass", "order"]
    assert tokens(play(game, "0 pass, 1 pass")) == ["pass", "call h", "call d", "call c"]


def test_a_hand_thrown_in_leaves_the_dummies_unseen() -> None:
    """V7.5.1, T4."""
    game = play(deal(), "0 pass, 1 pass, 0 pass, 1 pass")
    assert game.results[0].ended == "thrown in"
    assert [note.what for note in game.view(0).memory] == ["dealt"]


def test_the_dealer_has_five_cards_before_he_takes_his_dummy() -> None:
    """V7.5.2, V7.12.1: he may not discard the upcard now."""
    game = play(deal(), "0 order")
    assert (game.actor, view(game).stage) == (1, "discard")
    assert "discard 9s" not in tokens(game)
    play(game, "1 discard Qh")
    assert len(game.view(1).hand) == 5


def test_the_maker_takes_his_dummy_or_goes_alone() -> None:
    """V7.5.3, V7.12.2: before he sees it; the opponent takes his own in any case (V7.12.3)."""
    game = ordered()
    assert (game.actor, view(game).stage, tokens(game)) == (0, "take the dummy", ["take", "alone"])
    assert [note.what for note in view(game).memory] == ["dealt"]
    for choice, sizes in (("take", (8, 8)), ("alone", (5, 8))):
        game = play(ordered(), f"0 {choice}")
        assert tuple(len(game.view(seat).hand) for seat in (0, 1)) == sizes
        assert view(game).how == ("alone" if choice == "alone" else "")


def test_whose_dummy_is_known_to_whom() -> None:
    """V7.6, A9: each player has seen his own dummy; nobody has seen a lone maker's dummy."""
    game = play(ordered(), "0 take")
    assert game.view(0).memory[-1] == ("widow", ("Jh", "Th", "9h"), None)
    assert game.view(1).memory[-1] == ("widow", ("Jd", "Ac", "Kc"), None)
    game = play(ordered(), "0 alone")
    assert [note.what for note in game.view(0).memory] == ["dealt"]


def test_each_discards_three_in_a_row_from_the_eldest() -> None:
    """V7.5.4, A11, E9: nobody learns another's; the upcard may go now."""
    game = play(ordered(), "0 take")
    assert (game.actor, view(game).stage, len(tokens(game))) == (0, "discard", 8)
    play(game, "0 discard 9h, 0 discard Th, 0 discard Jh")
    assert game.actor == 1
    assert [str(event.action) for event in view(game).history][-3:] == ["discard"] * 3
    assert "discard 9s" in tokens(game)
    play(game, "1 discard 9s, 1 discard Ac, 1 discard Kc")
    assert (view(game).stage, game.actor, len(game.view(0).hand), len(game.view(1).hand)) == ("play", 0, 5, 5)
    assert [note.cards for note in game.view(1).memory if note.what == "discarded"] == [
        ("Qh",), ("9s",), ("Ac",), ("Kc",),
    ]  # fmt: skip


def test_a_lone_maker_discards_nothing() -> None:
    """V7.5.4."""
    game = play(ordered(), "0 alone")
    assert (game.actor, view(game).stage) == (1, "discard")


def test_a_dealer_who_makes_trump_himself() -> None:
    """V7.5.3, V7.7: the other one discards first, and leads."""
    game = play(deal(), "0 pass, 1 order, 1 discard Qh, 1 alone")
    assert (game.actor, view(game).stage) == (0, "discard")
    play(game, "0 discard 9h, 0 discard Th, 0 discard Jh")
    assert (game.actor, view(game).stage, view(game).how) == (0, "play", "alone")


@pytest.mark.parametrize(
    ("tricks", "dummy", "lone"),
    [(5, (2, 0), (4, 0)), (4, (1, 0), (1, 0)), (3, (1, 0), (1, 0)), (2, (0, 2), (0, 2)), (0, (0, 2), (0, 2))],
)
def test_points(tricks: int, dummy: tuple[int, int], lone: tuple[int, int]) -> None:
    """V7.8, V7.12.4."""
    for game, points in ((with_dummy(tricks), dummy), (alone(tricks), lone)):
        assert game.results[0].tricks == (tricks, 5 - tricks)
        assert change(game) == points


def test_the_first_with_five_points_wins() -> None:
    """V7.9."""
    game = ordered()
    state_of(game).scores = (1, 4)
    play_out(play(game, "0 alone"))
    assert (game.ended, game.winners, game.scores) == ("target", (0,), (5, 4))


@pytest.mark.parametrize(("target", "over"), [(4, True), (5, False)])
def test_option_target(target: int, over: bool) -> None:
    """V7.10."""
    assert alone(5, target=target).is_over == over


def test_option_deck() -> None:
    """V7.10, O10: 24 by default."""
    assert new_game("two-handed-dummy").options["deck"] == 24
    assert "7c" in new_game("two-handed-dummy", {"deck": 32}).packs[0]
    with pytest.raises(InvalidOption, match="deck of two-handed-dummy must be 24, 28 or 32, not 33"):
        new_game("two-handed-dummy", {"deck": 33})


@pytest.mark.parametrize(("tricks", "points"), [(5, (4, 0)), (4, (0, 2)), (3, (0, 2)), (2, (0, 2))])
def test_option_alone_needs_five(tricks: int, points: tuple[int, int]) -> None:
    """V7.10, V7.12.4: only a lone maker."""
    assert change(alone(tricks, alone_needs_five=True)) == points
    assert change(with_dummy(tricks, alone_needs_five=True)) == change(with_dummy(tricks))
