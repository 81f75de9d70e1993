"""V6, Two-handed Euchre with extra hands: at least one test for each number on its page. Seat 1 deals."""

from __future__ import annotations

from typing import Any

import pytest

from bowerbird.engine import Game, new_game, rules_of
from bowerbird.engine.game import state_of
from tests.support.engine.scenario import change, play, play_out, scenario, tokens, view
from tests.support.engine.short_hands import DEALER, taking

SECONDS = {"seconds 0": "Jd Td 9h Th Jh", "seconds 1": "Ac Kc Qc Qd Ts"}


def deal(tricks: int = 5, piles: dict[str, str] | None = None, **options: object) -> Game:
    return scenario(
        "two-handed-extra-hands",
        dealer=1,
        hands={0: taking(tricks), 1: DEALER},
        upcard="9s",
        piles=piles,
        options=options,
    )


def kept(tricks: int, call: str, **options: Any) -> Game:
    """Return the game after nobody swapped and the other one ordered spades up."""
    return play(deal(tricks, **options), "0 keep, 1 keep", f"0 {call}, 1 discard Qh")


def test_two_players_with_two_hands_each() -> None:
    """V6.1, V6.2, V6.4: 24 cards; first hands, then second hands, packets 2-3; card 21 is turned up."""
    codes = rules_of("two-handed-extra-hands").rules().pack.codes
    assert len(codes) == 24
    game = new_game("two-handed-extra-hands", packs=[[" ".join(codes)]], first_dealer=1)
    assert game.view(0).hand == (*codes[0:2], *codes[8:11])
    assert game.view(1).hand == (*codes[2:4], *codes[11:14])
    assert game.view(0).upcard == codes[20]
    play(game, "0 swap, 1 swap")
    assert game.view(0).hand == (*codes[4:6], *codes[14:17])
    assert game.view(1).hand == (*codes[6:8], *codes[17:20])


def test_the_ranking() -> None:
    """V6.3, A3: the left bower is the second trump."""
    game = kept(5, "order")
    play(game, "0 play Jc")
    assert tokens(game) == ["play 9s"]


def test_the_upcard_is_seen_before_the_exchange() -> None:
    """V6.5.1, V6.12.2."""
    game = deal()
    assert (view(game).upcard, view(game).stage, game.actor) == ("9s", "swap", 0)
    assert tokens(game) == ["swap", "keep"]


@pytest.mark.parametrize(
    ("answers", "again"),
    [
        ("0 keep, 1 keep", None),
        ("0 keep, 1 swap", 1),
        ("0 swap, 1 keep", 0),
        ("0 swap, 1 swap", None),
    ],
)
def test_only_one_who_swapped_alone_is_asked_again(answers: str, again: int | None) -> None:
    """V6.5.1c, V6.5.1d, V6.12.1."""
    game = play(deal(piles=SECONDS), answers)
    assert view(game).stage == ("order up" if again is None else "swap")
    assert game.actor == (again or 0)
    if again is not None:
        assert tokens(game) == ["swap", "keep"]
        play(game, f"{again} keep")
        assert (view(game).stage, game.actor) == ("order up", 0)


@pytest.mark.parametrize("seat", [0, 1])
def test_the_second_swap_takes_the_others_second_hand(seat: int) -> None:
    """V6.5.1c, V6.5.1d: both hands given up are dead, and only he knows them."""
    first = {0: taking(5), 1: DEALER}[seat]
    own, other = SECONDS[f"seconds {seat}"], SECONDS[f"seconds {1 - seat}"]
    game = play(deal(piles=SECONDS), "0 swap, 1 keep, 0 swap" if seat == 0 else "0 keep, 1 swap, 1 swap")
    text = game.rules.pack.text

    def sorted_in(cards: str) -> tuple[str, ...]:
        return text(game.rules.pack.set_of(cards.split()))

    assert game.view(seat).hand == sorted_in(other)
    assert [(note.what, note.cards) for note in game.view(seat).memory] == [
        ("dealt", sorted_in(first)),
        ("left", sorted_in(first)),
        ("widow", sorted_in(own)),
        ("left", sorted_in(own)),
        ("widow", sorted_in(other)),
    ]
    assert [note.what for note in game.view(1 - seat).memory] == ["dealt"]
    assert set(text(state_of(game).dead)) == {*first.split(), *own.split()}


def test_that_a_swap_took_place_is_public() -> None:
    """V6.6."""
    game = play(deal(), "0 keep, 1 swap")
    assert [str(event.action) for event in game.view(0).history] == ["keep", "swap"]


def test_calls_may_be_alone_in_both_rounds() -> None:
    """V6.5.2."""
    game = play(deal(), "0 keep, 1 keep")
    assert tokens(game) == ["pass", "order", "order alone"]
    play(game, "0 pass, 1 pass")
    assert tokens(game) == ["pass", "call h", "call h alone", "call d", "call d alone", "call c", "call c alone"]
    play(game, "0 pass, 1 pass")
    assert game.results[0].ended == "thrown in"


def test_the_dealer_picks_up_after_a_swap_too() -> None:
    """V6.5.3."""
    game = play(deal(piles=SECONDS), "0 keep, 1 swap, 1 keep, 0 order")
    assert tokens(game) == ["discard Ts", "discard Qd", "discard Ac", "discard Kc", "discard Qc"]


def test_the_other_one_is_asked_to_defend_alone() -> None:
    """V6.5.4, V6.12.6: after the pick-up, before the lead; only against a lone maker (V6.12.7)."""
    game = kept(5, "order alone")
    assert (game.actor, view(game).stage, tokens(game)) == (1, "defend alone", ["defend", "decline"])
    play(game, "1 defend")
    assert (view(game).lone_defender, view(game).active, game.actor) == (1, (0, 1), 0)
    assert view(kept(5, "order")).stage == "play"


def test_the_other_one_leads_five_tricks() -> None:
    """V6.5.5, V6.7."""
    game = play(deal(), "0 keep, 1 keep, 0 pass, 1 order, 1 discard Qh")
    assert game.actor == 0
    assert sum(play_out(game).tricks) == 5


@pytest.mark.parametrize(
    ("tricks", "plain", "alone", "defended"),
    [
        (5, (2, 0), (4, 0), (2, 0)),
        (4, (1, 0), (0, 2), (2, 0)),
        (3, (1, 0), (0, 2), (2, 0)),
        (2, (0, 2), (0, 2), (0, 4)),
        (0, (0, 2), (0, 2), (0, 4)),
    ],
)
def test_points(tricks: int, plain: tuple[int, int], alone: tuple[int, int], defended: tuple[int, int]) -> None:
    """V6.8, V6.12.3, V6.12.4, V6.12.5."""
    games = (
        (kept(tricks, "order"), plain),
        (play(kept(tricks, "order alone"), "1 decline"), alone),
        (play(kept(tricks, "order alone"), "1 defend"), defended),
    )
    for game, points in games:
        assert play_out(game).tricks[0] == tricks
        assert change(game) == points


def test_the_first_with_five_points_wins() -> None:
    """V6.9, V6.12.8."""
    game = deal()
    state_of(game).scores = (3, 4)
    play_out(play(game, "0 keep, 1 keep, 0 order, 1 discard Qh"))
    assert (game.ended, game.winners, game.scores) == ("target", (0,), (5, 4))


def test_option_target() -> None:
    """V6.10."""
    for target, over in ((2, True), (3, False)):
        game = kept(5, "order", target=target)
        play_out(game)
        assert game.is_over == over


def test_option_alone_march_points() -> None:
    """V6.10: only for five tricks alone without a lone defender."""
    game = play(kept(5, "order alone", alone_march_points=3), "1 decline")
    play_out(game)
    assert change(game) == (3, 0)
    game = play(kept(5, "order alone", alone_march_points=3), "1 defend")
    play_out(game)
    assert change(game) == (2, 0)


def test_option_defended_march_points() -> None:
    """V6.10, V6.12.5: only all five tricks."""
    for tricks, points in ((5, 4), (4, 2)):
        game = play(kept(tricks, "order alone", defended_march_points=4), "1 defend")
        play_out(game)
        assert change(game) == (points, 0)
