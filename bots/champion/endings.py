"""The last tricks of a hand, solved exactly with all cards open: alpha-beta on sets of cards, with transpositions.

A solution is the number of remaining tricks that a side takes if both sides play their best. The engine finds its
value: for each number of tricks, it plays one line that leads to it to the end of the hand, so no rule of scoring is
repeated here. With two sides, more tricks are never worth less, so the solver counts only tricks.

It follows rules.md A3 to A5. It does not fit (`fits`) if more than two sides play, since the others then do not act as
one, if cards lie on the table, or if the hand is not in play.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bowerbird.bots.search.rollout import PLAY
from bowerbird.engine import Game, Lead

_Key = tuple[int, ...]


def fits(game: Game) -> bool:
    """Return whether the rest of the hand can be solved: two sides play tricks only from the hands dealt.

    A showdown has more tricks than the hands dealt (rules.md V11.5.8), and kings score in it.
    """
    rules = game.rules
    return (
        game.stage == PLAY
        and len({game.sides[seat] for seat in game.active}) == 2
        and rules.most_tricks <= rules.hand_size
        and not any(game.laid)
        and not any(game.covered)
    )


def tricks_left(game: Game) -> int:
    """Return the number of tricks of the hand that are not complete."""
    return game.rules.most_tricks - game.trick_number


class Endings:
    """The ends of hands that differ only in cards (same call, same sides), from the point of view of one seat."""

    def __init__(self, game: Game, seat: int, most_tricks: int, worth: Callable[[Game], float]) -> None:
        """Solve ends of at most `most_tricks` tricks for the side of `seat`.

        `game` has the call and the sides of all of them, and it fits (`fits`). `worth` returns the value of a game
        after its hand to the seat. More tricks for its side must never be worth less.
        """
        self._worth_of = worth
        self._most_tricks = most_tricks
        self._solver = Solver(game, seat)
        self._worths: dict[int, float] = {}

    def has_come(self, game: Game) -> bool:
        """Return whether few enough tricks are left to solve the rest. An open trick counts."""
        return tricks_left(game) <= self._most_tricks

    def worth(self, game: Game) -> float:
        """Return the value of the game to the seat if both sides play their best."""
        solver = self._solver
        total = solver.total(game)
        found = self._worths.get(total)
        if found is None:
            found = self._worths[total] = self._worth_of(solver.played_out(game))
        return found


class Solver:
    """A solver for the rest of hands with one call: one trump, the same seats on the same sides."""

    def __init__(self, game: Game, seat: int) -> None:
        """Count the tricks of the side of `seat`, with the trump and sides of `game`."""
        self._leads = game.rules.pack.order(game.trump).lead
        self._is_own = tuple(side == game.sides[seat] for side in game.sides)
        active = game.active
        self._after = {each: active[(place + 1) % len(active)] for place, each in enumerate(active)}
        self._hands: list[int] = []
        self._bounds: dict[_Key, tuple[int, int]] = {}

    def taken(self, game: Game) -> int:
        """Return the number of tricks that the seat's side has taken."""
        return self._own(game.tricks_won)

    def tricks(self, game: Game) -> int:
        """Return how many remaining tricks, including the open one, the seat's side takes if both play their best."""
        self._hands = list(game.hands)
        left = tricks_left(game)
        actor, leader = game.actor, game.leader
        assert actor is not None
        assert leader is not None
        if actor == leader and not game.trick:
            return self._lead(leader, left, 0, left)
        trick = game.open_trick()
        return self._play(actor, leader, trick.lead, trick.best, game.winning, left, 0, left)

    def total(self, game: Game) -> int:
        """Return the tricks of the seat's side in the whole hand if both sides play their best."""
        return self.taken(game) + self.tricks(game)

    def played_out(self, game: Game) -> Game:
        """Return the game after its hand, in which both sides played their best."""
        game = game.copy()
        game.skip_later_shuffles()
        hand = game.hand_number
        while game.actor is not None and game.hand_number == hand:
            game = self._best(game, hand)
        return game

    def _best(self, game: Game, hand: int) -> Game:
        """Return the game after an action of the actor that preserves the value of the position."""
        legal = game.legal_actions()
        expected = self.total(game) if len(legal) > 1 else None
        for action in legal:
            tried = game.copy()
            tried.apply(action)
            if expected is None or self._total_of(tried, hand) == expected:
                return tried
        raise AssertionError("no action keeps the value of the position")

    def _total_of(self, game: Game, hand: int) -> int:
        """Return `total`, even if the hand has ended."""
        if game.actor is not None and game.hand_number == hand:
            return self.total(game)
        return self._own(game.results[-1].tricks)

    def _own(self, tricks: Sequence[int]) -> int:
        """Return the tricks of a seat's side, given the tricks by seat."""
        return sum(won for won, is_own in zip(tricks, self._is_own, strict=True) if is_own)

    def _lead(self, seat: int, left: int, low: int, high: int) -> int:
        """Return the side's tricks when `seat` leads. Exact between `low` and `high`, otherwise a bound (fail-soft)."""
        if not left:
            return 0
        key = (seat, *self._hands)
        least, most = self._bounds.get(key, (0, left))
        if least >= high or least == most:
            return least
        if most <= low:
            return most
        low, high = max(low, least), min(high, most)
        value = self._play(seat, seat, None, 0, seat, left, low, high)
        self._bounds[key] = (value, most) if value >= high else (least, value) if value <= low else (value, value)
        return value

    def _play(  # noqa: PLR0917 # the hottest path: the trick's state, without an object around it
        self, seat: int, leader: int, lead: Lead | None, best: int, winning: int, left: int, low: int, high: int
    ) -> int:
        """Return the side's tricks when `seat` plays to a trick, including this one. Without `lead` it leads.

        See `_lead`. `best` is the minimum strength that beats the best card so far, or 0 before the lead; `winning`
        played that card.
        """
        hands = self._hands
        hand = hands[seat]
        cards = hand if lead is None else hand & lead.follow or hand
        is_own = self._is_own[seat]
        after = self._after[seat]
        value = -1 if is_own else left + 1
        while cards:
            card = 1 << cards.bit_length() - 1
            cards ^= card
            hands[seat] = hand ^ card
            now_lead = self._leads[card] if lead is None else lead
            own = now_lead.strength[card]
            if own >= best:
                now_best, now_winning = now_lead.to_beat[card], seat
            else:
                now_best, now_winning = best, winning
            if after == leader:
                won = self._is_own[now_winning]
                found = won + self._lead(now_winning, left - 1, low - won, high - won)
            else:
                found = self._play(after, leader, now_lead, now_best, now_winning, left, low, high)
            if is_own:
                if found > value:
                    value = found
                    low = max(low, value)
            elif found < value:
                value = found
                high = min(high, value)
            if low >= high:
                break
        hands[seat] = hand
        return value
