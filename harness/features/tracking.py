"""Observations of a game in play, kept up to date from action to action.

A play changes few places of an observation, and they are the same for all seats: they stand in blocks by seat number,
which `Observer.turned` turns for each seat. All that other actions may change is read anew from a view after them.
"""

from __future__ import annotations

from functools import lru_cache

from engine import Action, Game, SeatView
from harness.features.observing import Observer

PLAYS = frozenset({"play", "dictate"})
"""The kinds of actions that add a card to a trick."""


class _Plays:
    """The bits that plays set, by seat and card: tables of one observer.

    Attributes:
        card: by seat and card, the card on the table and among those played, in the blocks by seat number.
        in_trick: by trick and card, the card in the field `tricks`.
        leader, won: by seat; by seat and number of tricks won before.
        laid_at: by seat the first place of its field `laid`, if the layout has it.
        not_on_table, not_laid: all blocks without the fields `trick` and `leader`, or without `laid`.
    """

    def __init__(self, observer: Observer) -> None:
        layout, pack = observer.layout, observer.layout.rules.pack
        width, first = layout.block, layout.seats
        place = {name: field.offset for name, field in layout.fields.items()}
        starts = [seat * width - first for seat in range(layout.players)]
        low = {code: bits & -bits for code, bits in pack.bits.items()}
        self.on_table = [{code: bit << start + place["trick"] for code, bit in low.items()} for start in starts]
        self.played = [{code: bit << start + place["played"] for code, bit in low.items()} for start in starts]
        self.card = [
            {code: table[code] | played[code] for code in low}
            for table, played in zip(self.on_table, self.played, strict=True)
        ]
        self.in_trick = [
            {code: bit << place["tricks"] + number * pack.size for code, bit in low.items()}
            for number in range(layout.rules.most_tricks())
        ]
        self.leader = [1 << start + place["leader"] for start in starts]
        self.won = [[1 << start + place["won"] + k for k in range(layout["won"].length)] for start in starts]
        self.laid_at = [start + place["laid"] for start in starts] if "laid" in place else []
        everything = (1 << layout.players * width) - 1
        tables = sum(pack.whole << start + place["trick"] for start in starts)
        self.not_on_table = everything & ~tables & ~sum(self.leader)
        self.not_laid = everything & ~sum(pack.whole << start for start in self.laid_at)
        self._double = pack.double
        self._lower = sum(low.values())
        self._paired = sum(low[code] for code, bits in pack.bits.items() if bits != low[code])

    def canonical(self, cards: int) -> int:
        """Return a set of cards as a layout has it: of a single copy the first place, whichever the copy."""
        if not self._double:
            return cards
        lower, upper = cards & self._lower, cards >> 1 & self._lower & self._paired
        return lower | upper | (lower & upper) << 1


@lru_cache(maxsize=512)
def _plays_of(observer: Observer) -> _Plays:
    return _Plays(observer)


class Tracker:
    """The observations of one game. Call `applied` after each action of the game, then `bits` and `numbers`.

    It reads the public facts of the game and of the observing seat those in its view and its hand, nothing else.
    """

    __slots__ = (
        *("_blocks", "_double", "_hand_at", "_hand_number", "_has_laid", "_limit", "_numbers", "_observer", "_own"),
        *("_playing", "_seats_at", "_table", "_view", "_won", "game"),
    )

    game: Game
    _blocks: int
    _table: int
    _own: list[int]
    _numbers: list[tuple[int, ...]]

    def __init__(self, observer: Observer, game: Game) -> None:
        """Observe `game`, which is one of the observer's variant and options."""
        layout = observer.layout
        self._observer = observer
        self._playing = _plays_of(observer)
        self._hand_at = layout["hand"].offset
        self._seats_at = layout.seats
        self._double = layout.rules.pack.double
        self._has_laid = "laid" in layout
        self._limit = layout.rules.tricks
        self.start(game)

    def start(self, game: Game) -> None:
        """Observe another game of the same variant and options."""
        self.game = game
        self._read()

    def applied(self, action: Action) -> None:
        """Follow the game after `action` was applied to it."""
        game = self.game
        number = game.trick_number
        if action.kind not in PLAYS or game.hand_number != self._hand_number or number >= self._limit or game.is_over:
            self._read()
            return
        playing = self._playing
        trick = game.trick
        if trick:
            seat, card = trick[-1]
            if self._double:
                self._add_copy(seat, card, number)
            else:
                self._blocks |= playing.card[seat][card]
                self._table |= playing.in_trick[number][card]
        else:
            last = game.tricks[-1]
            seat, card = last.cards[-1]
            if self._double:
                self._add_copy(seat, card, number - 1)
            else:
                self._blocks |= playing.card[seat][card]
                self._table |= playing.in_trick[number - 1][card]
            winner = last.winner
            won = self._won
            self._blocks = (
                self._blocks & playing.not_on_table | playing.leader[winner] | playing.won[winner][won[winner]]
            )
            won[winner] += 1
            if game.scores != self._view.scores:
                self._count()
        if self._has_laid:
            self._see_laid()

    def bits(self, seat: int) -> int:
        """Return the ones and zeros of the observation of `seat`."""
        own = self._own[seat]
        if not own:
            self._look(self.game.view(seat))
            own = self._own[seat]
        hand = self.game.hands[seat]
        if self._double:
            hand = self._playing.canonical(hand)
        blocks = self._observer.turned(self._blocks, seat)
        return self._table | blocks << self._seats_at | hand << self._hand_at | own

    def numbers(self, seat: int) -> tuple[int, ...]:
        """Return the part `numbers` of the observation of `seat`."""
        return self._numbers[seat] or self._numbered(seat)

    def _read(self) -> None:
        """Read all public facts anew, and the facts of the actor."""
        game, observer = self.game, self._observer
        players = game.players
        view = game.view(game.actor or 0)
        self._view = view
        self._hand_number = view.hand_number
        self._own = [0] * players
        self._numbers = [()] * players
        self._won = list(view.tricks_won)
        self._blocks = observer.blocks(view)
        self._table = observer.table(view)
        self._look(view)

    def _look(self, view: SeatView) -> None:
        """Note what the seat of `view` alone knows, but for its hand. It is never 0: a seat is on its own side."""
        self._own[view.seat] = self._observer.stages.get(view.stage, 0) | self._observer.own_facts(view)

    def _count(self) -> None:
        """Note scores that changed in mid-hand, and cards that were turned up."""
        self._view = self._view._replace(scores=self.game.scores, covered=self.game.covered)
        self._numbers = [()] * len(self._numbers)

    def _numbered(self, seat: int) -> tuple[int, ...]:
        found = self._numbers[seat] = self._observer.numbers(self._view, seat)
        return found

    def _add_copy(self, seat: int, card: str, number: int) -> None:
        """Add a card of a double pack: it takes the second place if the first copy has taken the first."""
        playing = self._playing
        played, in_trick = playing.played[seat][card], playing.in_trick[number][card]
        self._blocks |= playing.on_table[seat][card] | (played << 1 if self._blocks & played else played)
        self._table |= in_trick << 1 if self._table & in_trick else in_trick

    def _see_laid(self) -> None:
        """Note the cards that lie face up."""
        playing = self._playing
        self._blocks &= playing.not_laid
        for seat, cards in enumerate(self.game.laid):
            self._blocks |= playing.canonical(cards) << playing.laid_at[seat]
        if self.game.covered != self._view.covered:
            self._count()
