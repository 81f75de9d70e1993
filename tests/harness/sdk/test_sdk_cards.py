"""A bot's questions about a position, compared with the whole game, which the bot cannot see."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator

import pytest

from bowerbird.engine import Game, members, new_game, variant_names
from bowerbird.harness.sdk import Bot, Decision
from bowerbird.harness.sdk.cards import SHOWING, Cards
from bowerbird.harness.sdk.local import play
from tests.support.engine.random_options import random_options


def _positions(variant: str, hands: int = 4) -> Iterator[Game]:
    rng = random.Random(variant)
    game = new_game(variant, {"max_hands": hands}, seed=hashlib.sha256(variant.encode()).digest())
    while game.actor is not None:
        yield game
        game.apply(rng.choice(game.legal_actions()))


def _codes(game: Game, cards: int) -> list[str]:
    return [game.rules.pack.code[card] for card in members(cards)]


class Watching:
    """The cards of a hand that one seat has seen, collected from the whole game as it goes on (rules.md A9)."""

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self._deals = 0
        self._played = 0
        self._seen = 0
        self._is_showdown = False

    def unseen(self, game: Game) -> list[str]:
        return _codes(game, game.rules.pack.whole & ~self._seen)

    def look(self, game: Game) -> None:
        """Update from the table. One more pack means that cards were dealt: a new hand, a redeal, or a showdown."""
        deals = sum(len(hand.packs) for hand in game.results) + len(game.packs)
        if deals != self._deals:
            self._is_showdown = len(game.packs) > 1 and game.trick_number > 0
            self._played = self._played if self._is_showdown else 0
            self._seen = self._played
        self._deals = deals
        self._seen |= game.hands[self.seat] | (0 if self._is_showdown else game.upcard)
        for laid in game.laid:
            self._seen |= laid

    def see_played(self, game: Game, code: str) -> None:
        """Note a card before it is played. Of two copies in one hand, the one that was seen there is played."""
        pack = game.rules.pack
        held = game.choices()
        card = max((each for each in members(held) if pack.code[each] == code), key=lambda each: each & self._seen)
        self._seen |= card
        self._played |= card


def _watched(variant: str, rng: random.Random, hands: int = 4) -> Iterator[tuple[Game, list[Watching]]]:
    """Yield a random game with random options, and what each seat has seen, at every decision."""
    options = random_options(variant, rng, hands)
    game = new_game(variant, options, seed=rng.randbytes(32))
    seats = [Watching(seat) for seat in range(game.players)]
    while game.actor is not None:
        for seat in seats:
            seat.look(game)
        yield game, seats
        action = rng.choice(game.legal_actions())
        if action.kind in SHOWING or action.kind == "show":  # a card that is put away face up (B7)
            for seat in seats:
                seat.see_played(game, action.card)
        game.apply(action)


@pytest.mark.parametrize("variant", variant_names())
def test_unseen_is_the_pack_without_what_the_seat_has_seen(variant: str) -> None:
    for game, seats in _watched(variant, random.Random(variant)):
        for seat in seats:
            cards = Cards(game.view(seat.seat))
            assert sorted(cards.unseen) == sorted(seat.unseen(game)), f"seat {seat.seat}: {cards.view}"


def test_in_a_showdown_what_was_put_away_is_unseen_again() -> None:
    """rules.md V11.5.8: the outside is shuffled and dealt, own discards too. Cards that were played stay seen."""
    rng = random.Random("showdown")
    looked = 0
    while not looked:
        for game, seats in _watched("king-cut-throat", rng):
            if game.stage != "play" or game.trick_number < 7:
                continue
            for seat in seats:
                looked += 1
                cards = Cards(game.view(seat.seat))
                assert sorted(cards.unseen) == sorted(seat.unseen(game)), f"seat {seat.seat}: {cards.view}"
                others = set(range(game.players)) - {seat.seat}
                assert not any(map(cards.seen_in_hand, others)), "their hands are new"
                hidden = {code for other in others for code in _codes(game, game.hands[other])}
                assert hidden <= set(cards.unseen)


def test_the_upcard_in_the_dealers_hand_has_been_seen_until_he_plays_it() -> None:
    game = new_game("euchre", first_dealer=3, seed=bytes(32))
    game.apply("order")
    view = game.view(0)
    cards = Cards(view)
    assert cards.seen_in_hand(3) == (view.upcard,)
    assert view.upcard not in cards.unseen
    assert cards.seen_in_hand(0) == view.hand


@pytest.mark.parametrize("variant", sorted(set(variant_names()) - {"two-handed-straw-men"}))
def test_void_suits_are_not_in_the_hand(variant: str) -> None:
    shown = 0
    for game in _positions(variant):
        assert game.actor is not None
        if game.stage != "play":
            continue
        cards = Cards(game.view(game.actor))
        for seat in game.active:
            void = cards.void(seat)
            shown += len(void)
            wrong = [code for code in _codes(game, game.hands[seat]) if cards.suit(code) in void]
            assert not wrong, f"seat {seat} is said to be void in {sorted(void)} and holds {wrong}"
    assert shown, "nobody ever failed to follow suit"


@pytest.mark.parametrize("variant", variant_names())
def test_winning_is_who_wins(variant: str) -> None:
    for game in _positions(variant):
        assert game.actor is not None
        winning = Cards(game.view(game.actor)).winning()
        assert winning is None if not game.trick else winning is not None and winning[0] == game.winning


def test_left_bower_beats_the_ace_of_trumps_and_follows_trump() -> None:
    """rules.md A3."""
    cards = Cards(new_game("euchre", seed=bytes(32)).view(0))
    assert cards.beats("Jc", "As", trump="s")
    assert not cards.beats("As", "Jc", trump="s")
    assert cards.suit("Jc", trump="s") == "s"
    assert cards.trumps("s")[:3] == ("Js", "Jc", "As")
    assert not cards.beats("Ah", "9c", trump="s"), "a plain card of another suit takes nothing"


def test_beating_without_trump_says_what_to_do() -> None:
    cards = Cards(new_game("euchre", seed=bytes(32)).view(0))
    assert cards.trumps() == ()
    with pytest.raises(ValueError, match="say which one you mean"):
        cards.beats("As", "Ks")


def test_a_decision_has_them() -> None:
    class Looking(Bot):
        def act(self, decision: Decision) -> int:
            assert decision.cards is decision.cards
            assert set(decision.view.hand).isdisjoint(decision.cards.unseen)
            return 0

    assert play("euchre", [Looking()] * 4, seed="a", options={"max_hands": 2}).is_over


def test_a_slip_in_a_trump_or_a_card_is_an_error_and_not_an_empty_answer() -> None:
    cards = Cards(new_game("euchre", seed=bytes(32)).view(0))
    for wrong in ("hearts", "H", "x"):
        with pytest.raises(ValueError, match=f"unknown trump '{wrong}'; must be 's', 'h', 'd', 'c', 'nt' or 'low'"):
            cards.trumps(wrong)
    assert cards.trumps("") == cards.trumps() == (), "trump is not fixed yet"
    for ask in (lambda: cards.suit("10h"), lambda: cards.beats("As", "Zz", trump="h"), lambda: cards.beats("2s", "As")):
        with pytest.raises(ValueError, match=r"unknown card|say which one you mean"):
            ask()
