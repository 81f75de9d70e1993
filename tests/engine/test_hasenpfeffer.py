"""V23, Hasenpfeffer: at least one test for each number on its page. The last seat deals."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import pytest

from bowerbird.engine import Game, HandResult, new_game, rules_of, sample_game
from tests.support.engine.random_options import random_options
from tests.support.engine.scenario import play, play_out, scenario, tokens, trick, view
from tests.support.engine.second_cards import answered
from tests.support.engine.second_hasenpfeffer import Score
from tests.support.engine.variant_games import started, step

SIX = {0: "X1 Js Jc As Ks Qs", 1: "Ah Kh Qh Jh Th 9h", 2: "Ad Kd Qd Jd Td 9d", 3: "Ac Kc Qc Tc 9c Ts"}
"""The widow is 9s. Seat 0 takes six tricks in spades."""

THREE = {0: "X1 Js Jc 9h 9d Tc", 1: "Ah Kh Qh Jh Th 9s", 2: "Qd Kd Jd Td 9c Qc", 3: "As Ks Qs Ts Ad Kc"}
"""Seat 0 takes three tricks in spades, and seat 3 the others."""

TWO = {0: "X1 Js 9h 9d Tc Td", 1: "Ah Kh Qh Jh Th 9s", 2: "Qd Kd Jd 9c Qc Ts", 3: "Jc As Ks Qs Ad Kc"}
"""Seat 0 takes two tricks in spades, and seat 3 the others."""

NOBODY = "0 pass, 1 pass, 2 pass, 3 pass"


def deal(hands: Mapping[int, str] = SIX, last: str = "", **options: object) -> Game:
    """Return a game; `last` is the card of the widow, a card that is left over unless it is given."""
    piles = {"widow": last} if last else None
    return scenario("hasenpfeffer", dealer=3, hands=hands, piles=piles, options=options)


def made(hands: Mapping[int, str], bid: int, **options: Any) -> Game:
    """Return the game after seat 0 bid and named spades; the widow stays unused."""
    return play(deal(hands, widow="unused", **options), f"0 bid {bid}, 1 pass, 2 pass, 3 pass, 0 call s")


def played(hands: Mapping[int, str], bid: int, **options: Any) -> Game:
    """Return the game after its first hand, in which seat 0 made spades."""
    game = made(hands, bid, **options)
    play_out(game)
    return game


def test_two_teams_from_0_up() -> None:
    """V23.1."""
    assert deal().scores == (0,) * 4
    assert (rules_of("hasenpfeffer").better, rules_of("hasenpfeffer").teams()) == ("high", ((0, 2), (1, 3)))


def test_pack_and_packets() -> None:
    """V23.2, V23.4: 25 cards, two packets of three, the last card is the widow."""
    pack = "As Ks Qs Ah Kh Qh Ad Kd Qd Ac Kc Qc Js Ts 9s Jh Th 9h Jd Td 9d Jc Tc 9c X1"
    game = new_game("hasenpfeffer", packs=[[pack]], first_dealer=3)
    assert game.view(0).hand == ("As", "Ks", "Qs", "Js", "Ts", "9s")
    assert game.view(0).upcard == ""
    assert game.rules.pack.text(sum(game.piles["widow"])) == ("X1",)


def test_the_joker_is_the_highest_trump() -> None:
    """V23.3, A3: above both bowers; led, it asks for trumps."""
    hands = {0: "Js X1 9h Th 9d Td", 1: "Jc As Ah Kh Qh Jh", 2: "Qs Ks Ts 9s Ad Kd", 3: "Qd Jd Ac Kc Qc Tc"}
    game = trick(made(hands, 3), "0: X1 Jc Ks Qd")
    assert view(game).tricks_won == (1, 0, 0, 0)
    assert tokens(play(game, "0 play Js")) == ["play As"]


def test_one_round_of_bids_each_higher_than_the_last() -> None:
    """V23.5.1, V23.12.3, V23.12.5: who can only pass is asked too."""
    game = deal()
    assert tokens(game) == ["pass", *(f"bid {number}" for number in range(1, 7))]
    play(game, "0 bid 2, 1 pass, 2 bid 6")
    assert (game.actor, tokens(game)) == (3, ["pass"])
    play(game, "3 pass")
    seen = view(game)
    assert (game.actor, seen.stage, seen.maker, seen.contract) == (2, "name trump", 2, 6)


def test_option_auction() -> None:
    """V23.5.1, V22.5.1: round and round, and a pass does not exclude."""
    game = play(deal(auction="going_round"), "0 bid 2, 1 bid 3, 2 pass, 3 pass, 0 bid 4, 1 pass, 2 pass")
    assert (game.actor, view(game).stage) == (3, "bid")
    play(game, "3 pass")
    assert (game.actor, view(game).maker, view(game).contract) == (0, 0, 4)


def test_when_all_pass_the_holder_of_the_joker_must_bid() -> None:
    """V23.5.2, V23.12.4: he has no other action, and is the maker."""
    game = play(deal({**SIX, 0: "9s Js Jc As Ks Qs", 2: "X1 Kd Qd Jd Td 9d"}, "Ad"), NOBODY)
    assert (game.actor, view(game).stage, tokens(game)) == (2, "bid", ["bid 3"])
    play(game, "2 bid 3")
    seen = view(game)
    assert (game.actor, seen.stage, seen.maker, seen.contract) == (2, "name trump", 2, 3)
    assert (seen.highest_bid, seen.highest_bidder) == (3, 2)


@pytest.mark.parametrize("game", [deal(all_pass="thrown_in"), deal({**SIX, 0: "9s Js Jc As Ks Qs"}, "X1")])
def test_thrown_in(game: Game) -> None:
    """V23.5.2, V23.12.4: by the option, or since the joker is the widow."""
    play(game, NOBODY)
    assert (game.results[0].ended, game.scores, game.dealer) == ("thrown in", (0,) * 4, 0)


@pytest.mark.parametrize(("forced", "lowest"), [(1, 4), (6, 1)])
def test_option_forced_bid(forced: int, lowest: int) -> None:
    """V23.5.2, V23.10: also below the lowest bid."""
    game = play(deal(forced_bid=forced, min_bid=lowest), NOBODY)
    assert (game.actor, tokens(game)) == (0, [f"bid {forced}"])


def test_option_min_bid() -> None:
    """V23.10."""
    assert tokens(deal(min_bid=5)) == ["pass", "bid 5", "bid 6"]


def test_the_maker_names_a_suit_and_then_takes_the_widow() -> None:
    """V23.5.3, V23.5.4, V23.12.1, V23.12.2: no trump cannot be named; any of his seven cards may go."""
    game = play(deal(last="9s"), "0 bid 3, 1 pass, 2 pass, 3 pass")
    assert tokens(game) == ["call s", "call h", "call d", "call c"]
    play(game, "0 call s")
    assert [str(action) for action in game.legal_actions()] == [
        f"discard {card}" for card in ("As", "Ks", "Qs", "Js", "9s", "Jc", "X1")
    ]
    play(game, "0 discard 9s")
    assert (game.actor, view(game).stage, len(view(game).hand)) == (0, "play", 6)


def test_widow_and_discard_are_the_makers_secret() -> None:
    """V23.6: all see that he discards, and nobody else sees a card of it."""
    game = play(deal(last="9s"), "0 bid 3, 1 pass, 2 pass, 3 pass, 0 call s, 0 discard 9s")
    learnt = [(memory.what, memory.cards) for memory in game.view(0).memory[1:]]
    assert learnt == [("widow", ("9s",)), ("discarded", ("9s",))]
    assert str(game.view(1).history[-1].action) == "discard"
    assert len(game.view(1).memory) == 1


def test_option_widow() -> None:
    """V23.5.4, V23.10: unused, it stays unseen."""
    game = made(SIX, 3)
    assert (view(game).stage, game.actor, len(game.piles["widow"])) == ("play", 0, 1)


def test_the_maker_leads_and_all_four_play() -> None:
    """V23.5.5, V23.7."""
    game = play(deal(widow="unused"), "0 pass, 1 pass, 2 bid 1, 3 pass, 2 call d")
    assert (game.actor, view(game).leader, view(game).active) == (2, 2, (0, 1, 2, 3))


def test_points() -> None:
    """V23.8, V23.12.6, E20: both teams score their tricks; who fails loses his bid, below 0 too."""
    assert played(SIX, 6).scores == (6, 0, 6, 0)
    assert played(THREE, 3).scores == (3, 3, 3, 3)
    assert played(THREE, 4).scores == (-4, 3, -4, 3)
    assert played(TWO, 2).scores == (2, 4, 2, 4)


@pytest.mark.parametrize(
    ("hands", "bid", "rule", "winners"),
    [
        (THREE, 3, "always", (0, 2)),  # both have arrived
        (THREE, 3, "after_set", (0, 2)),
        (THREE, 3, "never", (0, 2)),
        (TWO, 2, "always", (1, 3)),  # the makers have made their bid, and have not arrived
        (TWO, 2, "after_set", ()),
        (TWO, 2, "never", ()),
        (TWO, 3, "always", (1, 3)),  # the makers have failed
        (TWO, 3, "after_set", (1, 3)),
        (TWO, 3, "never", ()),
    ],
)
def test_end(hands: Mapping[int, str], bid: int, rule: str, winners: tuple[int, ...]) -> None:
    """V23.9, V23.12.7, V22.9: two winners never."""
    game = played(hands, bid, target=3, defenders_win=rule)
    assert (game.winners, game.ended) == (winners, "target" if winners else "")
    if winners:
        assert sorted(game.ranks) == [1, 1, 2, 2]


def test_target() -> None:
    """V23.9: ten by default."""
    game = played(SIX, 6)
    assert not game.is_over
    assert played(SIX, 6, target=6).winners == (0, 2)


def test_a_forced_bid_shows_who_holds_the_joker() -> None:
    """V23.6: no sampled world has it elsewhere, as long as he may still hold it."""
    game = play(deal({**SIX, 0: "9s Js Jc As Ks Qs", 2: "X1 Kd Qd Jd Td 9d"}, "Ad"), NOBODY)
    joker = game.rules.pack.bits["X1"]
    rng = Random(1)
    for line in ("2 bid 3", "2 call d"):
        for seat in (0, 1, 3):
            assert all(sample_game(game.view(seat), rng).hands[2] & joker for _ in range(10)), line
        play(game, line)
    seen = {bool(sample_game(play(game.copy(), "2 discard Ad").view(1), rng).hands[2] & joker) for _ in range(200)}
    assert seen == {True, False}, "he may have discarded it"


def points(result: HandResult) -> tuple[int, ...]:
    """Return what V23.8 gives, read from the history of a hand alone."""
    bid, maker = max((event.action.number or 0, event.seat) for event in result.history if event.action.kind == "bid")
    tricks = [result.tricks[0] + result.tricks[2], result.tricks[1] + result.tricks[3]]
    return tuple(-bid if seat % 2 == maker % 2 and tricks[seat % 2] < bid else tricks[seat % 2] for seat in range(4))


def test_random_games_score_as_the_table() -> None:
    """V23.5.2, V23.8, with random options and often without a bid."""
    rng = Random("hasenpfeffer")
    forced = 0
    for number in range(40):
        game = started("hasenpfeffer", random_options("hasenpfeffer", rng, max_hands=4), rng)
        shy = rng.random() < 0.5
        while game.actor is not None:
            legal = game.legal_actions()
            game.apply(legal[0] if shy and legal[0].kind == "pass" else rng.choice(legal))
        for result in game.results:
            assert result.points == ((0,) * 4 if result.ended == "thrown in" else points(result)), f"game {number}"
            if [event.action.kind for event in result.history[:5]] == ["pass"] * 4 + ["bid"]:
                forced += 1
                assert result.history[4].action.number == game.options["forced_bid"]
    assert forced > 5, "too few forced bids: the test has lost its point"


def test_sampled_worlds_look_the_same() -> None:
    """A9: in random positions under random options."""
    rng = Random("hasenpfeffer worlds")
    for _ in range(8):
        game = started("hasenpfeffer", random_options("hasenpfeffer", rng, max_hands=2), rng)
        while game.actor is not None:
            if rng.random() < 0.3:
                seen = game.view(rng.randrange(4))
                assert sample_game(seen, rng).view(seen.seat) == seen
            legal = game.legal_actions()
            game.apply(legal[0]) if legal[0].kind == "pass" and rng.random() < 0.6 else step(game, rng)


def test_a_second_implementation_agrees_under_random_options() -> None:
    """V23: who is asked, what is legal, what each hand scores, and who wins."""
    rng = Random("hasenpfeffer")
    for number in range(60):
        game = new_game("hasenpfeffer", random_options("hasenpfeffer", rng, 8), seed=rng.randbytes(32))
        score = Score(game.options)
        while not game.is_over:
            assert score.winner is None
            at, hand = game.hand_number, score.hand(game.dealer, game.packs[0].split())
            asked = next(hand, None)
            while len(game.results) == at:
                said = [str(event.action) for event in game.history]
                assert asked == (game.actor, tokens(game)), f"game {number}, hand {at}: {said}"
                asked = answered(hand, str(step(game, rng)))
            assert asked is None, f"game {number}, hand {at}: the engine's hand is over"
            assert game.results[at].scores == (*score.points, *score.points), f"game {number}, hand {at}"
        if game.ended == "target":
            assert score.winner is not None
            assert game.winners == (score.winner, score.winner + 2)
        else:
            assert score.winner is None
