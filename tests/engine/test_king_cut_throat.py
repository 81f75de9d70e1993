"""V11, King Cut-Throat Euchre: at least one test for each number on its page, up to the seven tricks."""

from __future__ import annotations

import pytest

from bowerbird.engine import Game, InvalidOption, RecordError, new_game, rules_of
from bowerbird.engine.game import state_of
from tests.support.engine.king_hands import (
    AWAY,
    KEPT,
    KITTY,
    NAME,
    before_showdown,
    deal,
    discard,
    flipped,
    ordered,
    tricks,
)
from tests.support.engine.scenario import change, play, play_out, scenario, tokens, trick, view, written_pack

MARCH = {0: "X1 Js Jc As Qs Ts Ah", 1: "Ks 8h 9h 8d 9d Td Jd", 2: "7h 7d 8c 9c Tc Qc Qd"}
MARCH_AWAY = {0: "7c 8s Qh", 1: "Ac Kc Ad", 2: "Kh Kd Jh"}
"""Seat 0 takes seven tricks in spades."""

JOKER = "X1 Kc 9c"
WITHOUT_JOKER = {**KEPT, 0: "9s Js Jc 7h 7d 7c 8d"}


def marching(namer: int, **how: object) -> Game:
    """Return a played hand: seat 0 took seven tricks in spades; `namer` accepted them."""
    game = flipped(MARCH, MARCH_AWAY, "9s 7s Th", **how)
    play(game, *(f"{seat} pass" for seat in range(namer)), f"{namer} order")
    receiver = (namer + 1) % 3
    play(game, f"{receiver} discard 9s")
    play_out(game)
    return game


def test_three_players_each_for_himself() -> None:
    """V11.1."""
    page = rules_of(NAME)
    assert (page.seats(), page.teams(), page.better) == (3, None, "high")
    assert view(deal()).scores == (0, 0, 0)


def test_the_joker_is_the_highest_trump() -> None:
    """V11.2, V11.3: 33 cards; X1, right bower, left bower, A ... 7."""
    pack = rules_of(NAME).rules().pack
    assert (len(pack.codes), pack.codes[-1]) == (33, "X1")
    game = play(ordered(), "0 play X1")
    assert tokens(game) == ["play 9s"], "it asks for trumps"
    play(game, "1 play 9s, 2 play 9d")
    assert view(game).tricks_won == (1, 0, 0)
    assert tokens(trick(game, "0: Jc Ah 8c"))[0] == "play Js"
    assert view(game).tricks_won == (2, 0, 0), "so is the left bower a trump"


def test_packets_and_kitty() -> None:
    """V11.4: three to each, three to the kitty, four to each, three to each.

    The kitty's first card is its top (V11.12.5).
    """
    codes = rules_of(NAME).rules().pack.codes
    game = new_game(NAME, packs=[[" ".join(codes)]], first_dealer=2)
    assert game.view(0).hand == (*codes[0:3], *codes[12:16], *codes[24:27])
    assert game.view(2).hand == (*codes[6:9], *codes[20:24], *codes[30:33])
    for seat in range(3):
        discard(game, f"{seat}: {' '.join(game.view(seat).hand[:3])}")
    assert game.view(0).upcard == codes[9]


def test_each_player_discards_three_of_his_ten() -> None:
    """V11.5.1, A11, E9: from the eldest, each three in a row; nobody learns another's."""
    game = deal()
    assert (game.actor, view(game).stage, len(tokens(game)), view(game).upcard) == (0, "discard", 10, "")
    discard(game, "0: As Ks Qs")
    assert game.actor == 1
    assert [str(event.action) for event in view(game).history] == ["discard"] * 3
    discard(game, "1: Ts 8s 7s", "2: Kh Ad Kd")
    assert [len(game.view(seat).hand) for seat in range(3)] == [7, 7, 7]
    assert [note.cards for note in game.view(2).memory[1:]] == [("Kh",), ("Ad",), ("Kd",)]


def test_the_top_of_the_kitty_is_turned() -> None:
    """V11.5.2."""
    game = flipped()
    seen = view(game)
    assert (seen.upcard, seen.upcard_place, seen.stage, game.actor) == ("9s", "up", "order up", 0)


def test_a_turned_joker_is_a_redeal_by_the_same_dealer() -> None:
    """V11.5.2, V11.12.3, A8, E14: all cards are shuffled again, nobody scores, the hand keeps its number."""
    again = written_pack(NAME, 2, {seat: f"{KEPT[seat]} {AWAY[seat]}" for seat in KEPT}, piles={"kitty": KITTY})
    game = flipped(WITHOUT_JOKER, AWAY, JOKER, shuffles=(again,), max_hands=1)
    assert (game.hand_number, game.dealer, game.actor, len(game.packs)) == (0, 2, 0, 2)
    assert (view(game).stage, len(view(game).hand), game.scores) == ("discard", 10, (0, 0, 0))
    assert [note.what for note in view(game).memory] == ["dealt"]
    assert view(game).extra == (("redeals", "1"),)
    assert len(view(game).history) == 9, "the history of the hand goes on"
    discard(game, *(f"{seat}: {AWAY[seat]}" for seat in AWAY))
    assert view(game).upcard == "9s"
    play(game, "0 pass, 1 pass, 2 pass, 0 pass, 1 pass, 2 pass")
    assert (len(game.results), len(game.results[0].packs), game.ended) == (1, 2, "limit")


def test_a_redeal_without_its_pack_changes_nothing() -> None:
    """notation.md, Record of a game: a pack missing in a record is detected before anything changes."""
    game = deal(WITHOUT_JOKER, AWAY, JOKER, shuffles=())
    discard(game, "0: As Ks Qs", "1: Ts 8s 7s", "2: Kh Ad")
    with pytest.raises(RecordError, match="hand 0, shuffle 1: no pack"):
        game.apply("discard Kd")
    assert (game.actor, tokens(game)[0], len(game.view(2).hand)) == (2, "discard 8h", 8)


def test_the_left_of_the_acceptor_receives_the_upcard() -> None:
    """V11.5.3: openly; he may discard any of his eight cards, the upcard too (V11.12.2)."""
    game = play(flipped(), "0 pass, 1 order")
    seen = view(game)
    assert (seen.maker, seen.trump, seen.upcard_place, seen.upcard_holder) == (1, "s", "taken", 2)
    assert (game.actor, seen.stage, len(tokens(game))) == (2, "discard", 8)
    assert "discard 9s" in tokens(game)
    play(game, "2 discard 9s")
    assert (game.actor, view(game).stage) == (0, "play")


def test_the_rest_of_the_kitty_goes_outside_unseen() -> None:
    """V11.5.3, V11.6."""
    game = play(flipped(), "0 order, 1 discard Td")
    for seat in range(3):
        seen = game.view(seat)
        assert not {"Kc", "9c"} & {*seen.hand, *(card for note in seen.memory for card in note.cards)}


def test_the_second_round_bars_the_turned_suit() -> None:
    """V11.5.4: from the eldest, each once."""
    game = play(flipped(), "0 pass, 1 pass, 2 pass")
    assert (game.actor, view(game).upcard_place) == (0, "down")
    assert tokens(game) == ["pass", "call h", "call d", "call c"]


def test_the_left_of_the_namer_receives_the_two_unseen_cards() -> None:
    """V11.5.4: unseen by others. He discards any two of nine. The upcard goes outside, and its identity stays known."""
    game = play(flipped(), "0 pass, 1 pass, 2 pass, 0 pass, 1 pass, 2 call d")
    assert (game.actor, len(tokens(game)), view(game).maker) == (0, 9, 2)
    assert view(game).memory[-1] == ("widow", ("Kc", "9c"), None)
    assert (view(game).upcard, view(game).upcard_place, view(game).upcard_holder) == ("9s", "out", None)
    assert not {"Kc", "9c"} & {card for note in game.view(1).memory for card in note.cards}
    discard(game, "0: Kc 7h")
    assert (game.actor, view(game).stage, len(game.view(0).hand)) == (0, "play", 7)


def test_all_pass_again_is_thrown_in() -> None:
    """V11.5.5: the deal moves left."""
    game = play(flipped(), "0 pass, 1 pass, 2 pass, 0 pass, 1 pass, 2 pass")
    assert (game.results[0].ended, game.scores, game.dealer) == ("thrown in", (0, 0, 0), 0)


@pytest.mark.parametrize("call", ["0 order, 1 discard Td", "0 pass, 1 pass, 2 pass, 0 call d"])
def test_twelve_cards_are_outside(call: str) -> None:
    """V11.5.6."""
    game = play(flipped(), call)
    if game.actor == 1:
        discard(game, "1: Kc 9c")
    assert state_of(game).dead.bit_count() == 12


def test_the_eldest_leads_seven_tricks() -> None:
    """V11.5.7, V11.7."""
    for call, discards in (("0 order", "1: Td"), ("0 pass, 1 order", "2: 8h"), ("0 pass, 1 pass, 2 order", "0: 7h")):
        game = discard(play(flipped(), call), discards)
        assert (game.actor, view(game).stage) == (0, "play")
    game = marching(0)
    assert sum(game.results[0].tricks) == 7


@pytest.mark.parametrize(("namer", "points"), [(0, 2), (1, 3), (2, 3)])
def test_seven_tricks(namer: int, points: int) -> None:
    """V11.8: 2 to the namer, 3 to another player, instead of 1."""
    game = marching(namer)
    assert game.results[0].tricks == (7, 0, 0)
    assert change(game) == (points, 0, 0)


def test_a_king_that_is_captured_scores_nothing() -> None:
    """V11.8: seat 1's king of spades falls under the joker."""
    assert marching(0).scores[1] == 0


FOUR_TWO_ONE = {0: "X1 Js Jc As 7h 7d 7c", 1: "Kh Qh 9h 8h 9d 8d Td", 2: "Kc 8c Ac 9c Jd Jh Qd"}
FOUR_AWAY = {0: "Qs Ts 8s", 1: "7s Ks Qc", 2: "Kd Ad Ah"}
FOUR_TRICKS = ("0: X1 9s 9c", "0: Js 8h Jh", "0: Jc 8d Jd", "0: As 9h Qd", "0: 7c 9d Kc", "2: 8c 7d Qh", "2: Ac 7h Kh")


def four_two_one(lines: tuple[str, ...] = FOUR_TRICKS, **how: object) -> Game:
    """Return a played hand: seat 0, the namer, took four tricks; a king of seat 2 took one of its three."""
    game = flipped(FOUR_TWO_ONE, FOUR_AWAY, "9s Th Tc", **how)
    return tricks(play(game, "0 order, 1 discard Td"), lines)


def test_a_king_scores_at_once() -> None:
    """V11.8: for the player who won a trick with it, in a plain suit too, before the hand is over."""
    game = four_two_one(FOUR_TRICKS[:5])
    assert view(game).scores == (0, 0, 1)
    assert view(game).extra == (("kings", "0 0 1"),)
    assert game.results == ()


def test_a_king_of_trumps_scores() -> None:
    """V11.8."""
    game = flipped({**FOUR_TWO_ONE, 0: "Ks Qs 7h 7d 7c X1 Jc"}, {**FOUR_AWAY, 0: "As Ts 8s", 1: "7s Js Qc"}, "9s Th Tc")
    trick(play(game, "0 order, 1 discard Td"), "0: Ks 9s 9c")
    assert view(game).scores == (1, 0, 0)


def test_a_king_that_does_not_win_scores_nothing() -> None:
    """V11.8: the king of hearts is thrown away, and nobody wins with it."""
    assert four_two_one().scores[1] == 0


def test_most_tricks() -> None:
    """V11.8: one point, whether or not it is the namer (V11.12.9). The king's point comes on top."""
    game = four_two_one()
    assert game.results[0].tricks == (4, 0, 3)
    assert (change(game), game.results[0].ended) == ((1, 0, 1), "scored")


def test_the_namer_is_not_punished() -> None:
    """V11.12.9: seat 1 has named, and has no trick."""
    game = flipped(FOUR_TWO_ONE, FOUR_AWAY, "9s Th Tc")
    play(game, "0 pass, 1 order, 2 discard 9s")
    play_out(game)
    assert game.results[0].scores[1] == 0


def test_a_king_ends_the_game_in_mid_hand() -> None:
    """V11.9, A13: the remaining tricks are not played, and nothing more is booked."""
    game = four_two_one(FOUR_TRICKS[:5], scores=(9, 9, 9))
    assert (game.ended, game.winners, game.scores, game.ranks) == ("king", (2,), (9, 9, 10), (2, 2, 1))
    assert (game.results[0].ended, game.results[0].tricks) == ("king", (4, 0, 1))
    assert game.actor is None


def test_a_king_in_the_last_trick_comes_before_most_tricks() -> None:
    """V11.8, V11.9: it is booked first, and the game is over."""
    kept = {**FOUR_TWO_ONE, 2: "Jh 8c Ac 9c Jd Kc Qd"}
    game = play(flipped(kept, FOUR_AWAY, "9s Th Tc", scores=(9, 9, 0)), "0 order, 1 discard Td")
    tricks(
        game, ("0: X1 9s 9c", "0: Js 8h 8c", "0: Jc 8d Jd", "0: As 9h Qd", "0: 7d 9d Jh", "1: Qh Kc 7h", "1: Kh Ac 7c")
    )
    assert (game.results[0].tricks, game.results[0].ended) == ((4, 3, 0), "king")
    assert (game.winners, game.scores) == ((1,), (9, 10, 0))


def test_ten_points_after_a_hand_win() -> None:
    """V11.9."""
    game = four_two_one(scores=(9, 0, 0))
    assert (game.ended, game.winners, game.scores) == ("target", (0,), (10, 0, 1))
    assert not four_two_one(scores=(8, 0, 0)).is_over


@pytest.mark.parametrize(("target", "ended"), [(1, "king"), (2, "target"), (3, "")])
def test_option_target(target: int, ended: str) -> None:
    """V11.10: tested after kings and after hands."""
    scores = (1, 0, 0)
    assert four_two_one(FOUR_TRICKS[: 5 if target == 1 else 7], scores=scores, target=target).ended == ended


@pytest.mark.parametrize("suit", ["s", "h", "d", "c"])
def test_option_joker_flip(suit: str) -> None:
    """V11.10: the joker counts as that suit.

    The player left of the acceptor receives it. In round 2 the suit is barred.
    """
    game = flipped(WITHOUT_JOKER, AWAY, JOKER, joker_flip=suit)
    assert (view(game).upcard, view(game).proposed, view(game).stage) == ("X1", suit, "order up")
    play(game, "0 order")
    assert (view(game).trump, game.actor, view(game).upcard_holder) == (suit, 1, 1)
    assert "X1" in view(game).hand
    game = play(flipped(WITHOUT_JOKER, AWAY, JOKER, joker_flip=suit), "0 pass, 1 pass, 2 pass")
    assert tokens(game) == ["pass", *(f"call {other}" for other in "shdc" if other != suit)]


def test_option_joker_flip_leaves_other_cards_alone() -> None:
    """V11.10."""
    assert view(flipped(joker_flip="h")).proposed == ""


@pytest.mark.parametrize("polite", [True, False])
def test_option_polite_has_no_effect_on_play(polite: bool) -> None:
    """V11.10: a display matter."""
    assert before_showdown(polite=polite).packs == before_showdown().packs


def test_two_players_and_a_phantom() -> None:
    """V11.1, V11.4, V11.10 `players`, V11.12.11: its hand is dealt between them and stays unseen."""
    codes = rules_of(NAME).rules({"players": 2}).pack.codes
    game = new_game(NAME, {"players": 2}, packs=[[" ".join(codes)]], first_dealer=1)
    assert game.players == 2
    assert game.view(0).hand == (*codes[0:3], *codes[12:16], *codes[24:27])
    assert game.view(1).hand == (*codes[6:9], *codes[20:24], *codes[30:33])
    for seat in (0, 1):
        discard(game, f"{seat}: {' '.join(game.view(seat).hand[:3])}")
    assert game.view(0).upcard == codes[9]


@pytest.mark.parametrize(("call", "receiver"), [("0 order", 1), ("0 pass, 1 order", 0)])
def test_with_two_players_the_opponent_receives(call: str, receiver: int) -> None:
    """V11.5.3, V11.12.4: nine cards are outside in the end (V11.5.6)."""
    hands = {0: "X1 Js Jc As Qs Ts Ah Ac Ad Kh", 1: "9h 8h 7h 9d 8d 7d 9c 8c 7c Ks"}
    game = scenario(NAME, dealer=1, hands=hands, piles={"kitty": "9s Qh Qd"}, options={"players": 2})
    discard(game, "0: Ac Ad Kh", "1: 9c 8c 7c")
    assert game.actor == 0
    play(game, call)
    assert (game.actor, view(game).upcard_holder) == (receiver, receiver)
    play(game, f"{receiver} discard 9s")
    assert state_of(game).dead.bit_count() == 9
    assert game.actor == 0
    result = play_out(game)
    assert (result.tricks, result.ended) == ((7, 0), "scored")
    assert change(game) == ((2, 0) if receiver == 1 else (3, 0))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"players": 4}, "must be 3 or 2, not 4"),
        ({"joker_flip": "nt"}, 'must be "redeal", "s", "h", "d" or "c"'),
        ({"showdown_lead": "mediator"}, "did you mean 'mediator_chooses'?"),
        ({"target": 0}, "from 1 up"),
    ],
)
def test_a_wrong_option_is_refused_by_name(options: dict[str, object], message: str) -> None:
    """V11.10, E16."""
    with pytest.raises(InvalidOption) as refused:
        new_game(NAME, options)
    assert message in refused.value.args[0]
