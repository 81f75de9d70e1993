"""A hand of our euchre played a second time by OpenSpiel, decision by decision.

OpenSpiel (`open_spiel` from PyPI, written by other people in C++ from other rule texts) has euchre as single hands for
points. `Twin` deals it the cards of a hand that our engine has just dealt and repeats every decision there. Where the
two differ it fails and shows both sides.

Cards are numbers in OpenSpiel: rank * 4 + suit, ranks 9 T J Q K A, suits c d h s. 24 is to pass, 25 to 28 name a suit,
29 and 30 say whether one plays alone. `test_openspiel.py` lists the known differences.
"""

from __future__ import annotations

from typing import Any

from bowerbird.engine import Action, Game, HandResult

RANKS = "9TJQKA"
SUITS = "cdhs"
PASS = 24
FIRST_SUIT = 25
ALONE = 29
WITH_PARTNER = 30


def number_of(code: str) -> int:
    """Return OpenSpiel's number of a card."""
    return RANKS.index(code[0]) * len(SUITS) + SUITS.index(code[1])


def code_of(number: int) -> str:
    """Return the card with this number in OpenSpiel."""
    return RANKS[number // len(SUITS)] + SUITS[number % len(SUITS)]


class Twin:
    """The same hand in OpenSpiel. Call `before` and `made` around each decision, `finished` at the end of the hand."""

    def __init__(self, spiel: Any, game: Game) -> None:
        """Deal OpenSpiel the hand that our engine has just dealt; `spiel` is the game made by `pyspiel.load_game`."""
        self.state = spiel.new_initial_state()
        self.where = f"hand {game.hand_number}, packs {game.packs}"
        self.how = ""
        self.winners: list[int] = []
        dealer = game.dealer
        hands = [list(game.view(seat).hand) for seat in range(game.players)]
        self.state.apply_action(dealer)
        for place in range(20):  # one card at a time, the dealer first: the order of a deal is not a rule of the game
            self.state.apply_action(number_of(hands[(dealer + place) % 4][place // 4]))
        self.state.apply_action(number_of(game.view(dealer).upcard))

    def before(self, game: Game) -> None:
        """Compare who is to decide and what is legal."""
        stage = game.stage
        if stage == "defend alone":  # asked in another order there: answered when ours is known
            self._equal("what a defender is asked", {"defend", "decline"}, set(map(str, game.legal_actions())))
            return
        if stage == "play":
            self._let_defenders_answer(game)
        self._equal("who is to decide", self.state.current_player(), game.actor)
        theirs = sorted(map(self._token, self.state.legal_actions()))
        ours = sorted({self._without_how(action) for action in game.legal_actions()})
        self._equal(f"what seat {game.actor} may do", theirs, ours)
        if stage == "play" and not game.trick and game.trick_number:
            assert game.leader is not None
            self.winners.append(game.leader)

    def made(self, action: Action) -> None:
        """Repeat a decision that was legal here."""
        if action.kind in ("defend", "decline"):
            return
        if action.kind == "pass":
            self.state.apply_action(PASS)
        elif action.kind in ("order", "call"):
            self.how = action.how
            suit = next(
                legal for legal in self.state.legal_actions() if self._token(legal) == self._without_how(action)
            )
            self.state.apply_action(suit)
            if action.kind == "call":
                self._say_how()
        else:
            self.state.apply_action(number_of(action.card))
            if action.kind == "discard":
                self._say_how()

    def finished(self, result: HandResult, before: tuple[int, ...]) -> None:
        """Compare each trick's winner and the points of the hand; `before` are the scores at its beginning."""
        assert self.state.is_terminal(), f"{self.where}: OpenSpiel plays on: {self.state}"
        change = [after - old for after, old in zip(result.scores, before, strict=True)]
        own, other = change[0], change[1]
        self._equal("the points", self.state.returns(), [own - other, other - own] * 2)
        if result.ended == "thrown in":
            return
        winners = [trick.winner() for trick in self.state.tricks()]
        self._equal("the winners of the first four tricks", winners[:-1], self.winners)
        self._equal("tricks by seat", [winners.count(seat) for seat in range(4)], list(result.tricks))

    def _say_how(self) -> None:
        """Repeat the maker's answer whether he plays alone: part of his call here, asked after the discard there."""
        self._equal("what the maker is asked", self.state.legal_actions(), [ALONE, WITH_PARTNER])
        self.state.apply_action(ALONE if self.how else WITH_PARTNER)

    def _let_defenders_answer(self, game: Game) -> None:
        """Repeat the defenders' answers: there the eldest is asked first, here the one to the maker's left."""
        assert game.maker is not None
        asked = set()
        while self.state.legal_actions() == [ALONE, WITH_PARTNER]:
            seat = self.state.current_player()
            asked.add(seat)
            self.state.apply_action(ALONE if seat == game.lone_defender else WITH_PARTNER)
        if asked and game.lone_defender is None:
            self._equal("the defenders", asked, {(game.maker + 1) % 4, (game.maker + 3) % 4})

    @staticmethod
    def _token(action: int) -> str:
        """Return an OpenSpiel action as our token, without the maker's way of playing."""
        if action == PASS:
            return "pass"
        return code_of(action) if action < PASS else SUITS[action - FIRST_SUIT]

    def _without_how(self, action: Action) -> str:
        if action.kind == "order":
            return code_of(self.state.upcard())[1]
        return action.card or action.suit or action.kind

    def _equal(self, what: str, theirs: object, ours: object) -> None:
        assert theirs == ours, f"{self.where}: {what}: OpenSpiel {theirs}, here {ours}\n{self.state}"
