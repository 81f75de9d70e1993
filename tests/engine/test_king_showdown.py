"""V11.5.8: the showdown after tricks of 3, 3 and 1. Seat 2 is the mediator, seat 1 took the last trick."""

from __future__ import annotations

import pytest

from bowerbird.engine import RecordError
from tests.support.engine.king_hands import (
    AWAY,
    KEPT,
    KITTY,
    OUTSIDE,
    SHOWDOWN,
    after_showdown,
    before_showdown,
    flipped,
    ordered,
    tricks,
)
from tests.support.engine.scenario import change, play, tokens, view

MEDIATOR_LAST = {**KEPT, 1: "Ah Qh Jh 9h Qd 9c Td"}
TO_MEDIATOR = ("0: X1 9s 9d", "0: Js 9h Tc", "0: Jc Jh 8c", "0: 7h Ah 8h", "1: Qh Qc 7d", "1: Qd Jd 8d", "1: 9c Ac 7c")


def test_the_outside_is_shuffled_and_dealt_to_the_two() -> None:
    """V11.5.8, V11.6: the first six to the first clockwise from the mediator; own discards may come back (A10)."""
    game = before_showdown()
    assert game.packs[1] == OUTSIDE
    assert set(game.view(0).hand) == {"As", "Ks", "Ad", "Kd", "Kc", "9c"}
    assert set(game.view(1).hand) == {"Qs", "Ts", "8s", "7s", "Kh", "Td"}
    assert game.view(2).hand == ()
    assert (view(game).active, view(game).maker, view(game).trump) == ((0, 1), 0, "s")
    assert game.view(0).memory[-1] == ("dealt", ("As", "Ks", "Ad", "Kd", "Kc", "9c"), None)


def test_a_shuffle_of_other_cards_is_refused() -> None:
    """notation.md, Shuffling: only the twelve cards that are outside."""
    game = tricks(ordered(shuffles=(OUTSIDE.replace("As", "Js"),)), ("0: X1 9s 9d", "0: Js 9h Jd", "0: Jc Jh Tc"))
    tricks(game, ("0: 7c Th Ac", "2: 8h 7h Ah", "1: Qh 8c 7d"))
    play(game, "1 play Qd, 2 play Qc")
    with pytest.raises(RecordError, match='shuffle 1: card 0 is "Js"'):
        game.apply("play 8d")
    assert (game.actor, tokens(game)) == (0, ["play 8d"])


def test_each_discards_one_the_first_from_the_mediator_first() -> None:
    """V11.5.8, A11: secretly."""
    game = before_showdown()
    assert (game.actor, view(game).stage, len(tokens(game))) == (0, "discard", 6)
    play(game, "0 discard 9c")
    assert (game.actor, str(view(game).history[-1].action)) == (1, "discard")
    play(game, "1 discard Td")
    assert (view(game).stage, len(game.view(0).hand), len(game.view(1).hand)) == ("play", 5, 5)


def test_the_winner_of_the_later_trick_leads() -> None:
    """V11.5.8."""
    game = play(before_showdown(), "0 discard 9c, 1 discard Td")
    assert (game.actor, view(game).leader) == (1, 1)


def test_the_later_trick_may_have_been_led_by_the_other() -> None:
    """V11.5.8: the winner of the trick leads, not its leader."""
    lines = ("0: Js 9s 9d", "0: Jc 9h Jd", "0: 7c Th Ac", "2: 8h 7h Ah", "1: Qh 8c 7d", "1: Qd Qc 8d", "1: Jh Tc X1")
    game = play(tricks(ordered(), lines), "0 discard 9c, 1 discard Td")
    assert (game.actor, view(game).leader) == (0, 0)


def test_a_last_trick_of_the_mediator_does_not_count_for_the_lead() -> None:
    """V11.5.8: in that case the winner of the sixth trick leads."""
    away = {**AWAY, 0: "As Ks Th"}
    outside = "As Ks Ad Kd Kc Th Qs Ts 8s 7s Kh Td"
    game = flipped(MEDIATOR_LAST, away, "9s Kc Qs", shuffles=(outside,))
    tricks(play(game, "0 order, 1 discard Td"), TO_MEDIATOR)
    assert view(game).tricks_won == (3, 3, 1)
    play(game, "0 discard Th, 1 discard Td")
    assert (game.actor, view(game).stage) == (1, "play")


def test_there_is_none_without_two_times_three_tricks() -> None:
    """V11.5.8, V11.12.10."""
    away = {**AWAY, 0: "Ks Qs Jh"}
    kept = {**KEPT, 0: "X1 Js Jc As 7d 7c 8d", 1: "Ah Qh Th 9h Qd 7h Td"}
    game = play(flipped(kept, away, KITTY, shuffles=()), "0 order, 1 discard Td")
    tricks(
        game, ("0: X1 9s 9d", "0: Js 9h Jd", "0: Jc Th Tc", "0: As 7h Qc", "0: 7c Ah Ac", "2: 8c 7d Qd", "2: 8h 8d Qh")
    )
    assert (game.results[0].tricks, game.results[0].ended) == ((4, 1, 2), "scored")
    assert len(game.results[0].packs) == 1


def test_five_tricks_with_the_same_trumps() -> None:
    """V11.5.8, V11.12.6: the mediator does not take part; all five are played."""
    game = after_showdown()
    result = game.results[0]
    assert (result.tricks, result.ended) == ((5, 6, 1), "showdown")
    assert {event.seat for event in result.history[-10:]} == {0, 1}


def test_kings_score_in_the_showdown() -> None:
    """V11.8, V11.12.1: here each player scores one, before the showdown's own points."""
    game = tricks(play(before_showdown(), "0 discard 9c, 1 discard Td"), SHOWDOWN[:3])
    assert (view(game).scores, view(game).extra) == ((1, 1, 0), (("kings", "1 1 0"),))


@pytest.mark.parametrize(("before", "after"), [((0, 0, 0), (0, 2, 0)), ((3, 4, 5), (3, 6, 5)), ((1, 0, 0), (1, 2, 0))])
def test_points(before: tuple[int, ...], after: tuple[int, ...]) -> None:
    """V11.8: 1 to the winner, 1 from the loser; kings came before; nobody has the point for most tricks."""
    assert after_showdown(scores=before).results[0].scores == after


def test_the_loser_never_falls_below_zero() -> None:
    """V11.8."""
    game = after_showdown(kings_score_in_showdown=False)
    assert change(game) == (0, 1, 0)
    game = after_showdown(scores=(2, 0, 0), kings_score_in_showdown=False)
    assert game.results[0].scores == (1, 1, 0)


def test_the_showdown_may_end_the_game() -> None:
    """V11.9, V11.12.7: the loser's point is booked together with the winner's, before the test."""
    game = after_showdown(scores=(9, 9, 0), kings_score_in_showdown=False)
    assert (game.ended, game.winners, game.scores) == ("showdown", (1,), (8, 10, 0))
    assert game.results[0].ended == "showdown"


def test_a_king_may_end_the_game_in_a_showdown() -> None:
    """V11.9: at once; the points of the showdown are not booked."""
    game = tricks(play(before_showdown(scores=(9, 9, 0)), "0 discard 9c, 1 discard Td"), SHOWDOWN[:1])
    assert (game.ended, game.winners, game.scores) == ("king", (0,), (10, 9, 0))


def test_option_kings_score_in_showdown() -> None:
    """V11.10."""
    game = play(before_showdown(kings_score_in_showdown=False), "0 discard 9c, 1 discard Td")
    tricks(game, SHOWDOWN[:3])
    assert (view(game).scores, view(game).extra) == ((0, 0, 0), ())


@pytest.mark.parametrize("leader", [0, 1])
def test_option_showdown_lead(leader: int) -> None:
    """V11.10: the mediator names the leader, before anyone looks at the cards."""
    game = before_showdown(showdown_lead="mediator_chooses")
    assert (game.actor, view(game).stage, tokens(game)) == (2, "lead", ["lead 0", "lead 1"])
    assert (game.view(0).hand, game.view(1).hand, len(game.packs)) == ((), (), 1)
    play(game, f"2 lead {leader}, 0 discard 9c, 1 discard Td")
    assert (game.actor, view(game).leader) == (leader, leader)
