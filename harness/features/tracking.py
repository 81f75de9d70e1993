"""Observations of a game in play, kept up to date from action to action.

A play changes few places of an observation, and they are the same for all seats: they stand in blocks by seat number,
which `Observer.turned` turns for each seat. All that other actions may change is read anew from a view after them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bowerbird.engine import Action, Game, SeatView
from bowerbird.harness.features.observing import Observer

PASS = Action("pass")

PLAYS = frozenset({"play", "dictate"})
"""The kinds of actions that add a card to a trick."""


class _Plays:
    """The bits that plays set, by seat and card: tables of one observer.

    Attributes:
        card: by seat and card, the card on the table and among those played, in the blocks by seat number.
        in_trick: by trick and card, the card in the field `tricks`.
        passed, leader, won: by seat; by seat and number of tricks won before.
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
        said = layout.said.index(PASS) if PASS in layout.said else 0
        self.passed = [1 << start + place["said"] + said for start in starts]
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
    """The observations of one game, which `apply` moves on.

    It reads the public facts of the game and those that the observing seat knows, in views of that seat, and its hand.
    """

    __slots__ = (
        *("_blocks", "_bytes", "_double", "_hand_at", "_hand_number", "_has_laid", "_limit", "_number", "_numbers"),
        *("_observer", "_over", "_own", "_plays", "_seats_at", "_stage", "_table", "_view", "_width", "_won", "game"),
    )

    game: Game
    _blocks: int
    _table: int
    _own: list[int]
    _numbers: list[bytes]

    def __init__(self, observer: Observer, game: Game) -> None:
        """Observe `game`, which is one of the observer's variant and options."""
        layout = observer.layout
        self._observer = observer
        self._plays = _plays_of(observer)
        self._hand_at = layout["hand"].offset
        self._seats_at = layout.seats
        self._width = layout.block
        self._over = layout.block * layout.players
        self._bytes = (layout.bits + 7) // 8
        self._double = layout.rules.pack.double
        self._has_laid = "laid" in layout
        self._limit = layout.rules.tricks
        self.start(game)

    def __reduce__(self) -> tuple[type[Tracker], tuple[Observer, Game]]:
        return type(self), (self._observer, self.game)

    def start(self, game: Game) -> None:
        """Observe another game of the same variant and options."""
        self.game = game
        self._read()

    def apply(self, action: Action) -> bool:
        """Apply `action` to the game, and return whether a hand ended; raises as `Game.apply`."""
        game = self.game
        actor = game.actor
        game.apply(action)
        if action is PASS and game.stage == self._stage and game.hand_number == self._hand_number:
            self._blocks |= self._plays.passed[actor or 0]  # a pass that leaves the question open changes nothing else
            return False
        if action.kind in PLAYS and self._number < self._limit:
            trick = game.trick
            if trick:
                self._add(*trick[-1])
                return False
            if game.hand_number == self._hand_number and self._number + 1 < self._limit and game.actor is not None:
                self._end_trick()
                return False
        ended = game.actor is None or game.hand_number != self._hand_number
        self._read()
        return ended

    def bits(self, seat: int) -> int:
        """Return the ones and zeros of the observation of `seat`."""
        own = self._own[seat]
        if not own:
            self._look(self.game.view(seat))
            own = self._own[seat]
        hand = self.game.hands[seat]
        if self._double:
            hand = self._plays.canonical(hand)
        blocks = self._blocks
        if seat:  # `Observer.turned` written out: the hottest path
            width = self._width * seat
            blocks = blocks >> width | (blocks & (1 << width) - 1) << self._over - width
        return self._table | blocks << self._seats_at | hand << self._hand_at | own

    def packed(self, seat: int) -> bytes:
        """Return `bits` as bytes, place 0 in the lowest bit of the first."""
        return self.bits(seat).to_bytes(self._bytes, "little")

    def numbers(self, seat: int) -> bytes:
        """Return the part `numbers` of the observation of `seat` as the bytes of float32."""
        found = self._numbers[seat]
        if not found:
            values = self._observer.numbers(self._view, seat)
            found = self._numbers[seat] = np.array(values, dtype=np.float32).tobytes()
        return found

    def _read(self) -> None:
        """Read all public facts anew, and the facts of the actor."""
        game, observer = self.game, self._observer
        players = game.players
        view = game.view(game.actor or 0)
        self._view = view
        self._stage = game.stage
        self._hand_number = view.hand_number
        self._number = view.trick_number
        self._own = [0] * players
        self._numbers = [b""] * players
        self._won = list(view.tricks_won)
        self._blocks = observer.blocks(view)
        self._table = observer.table(view)
        self._look(view)

    def _look(self, view: SeatView) -> None:
        """Note what the seat of `view` alone knows, but for its hand. It is never 0: a seat is on its own side."""
        self._own[view.seat] = self._observer.stages.get(view.stage, 0) | self._observer.own_facts(view)

    def _add(self, seat: int, card: str) -> None:
        """Add a card to the trick on the table."""
        plays, number = self._plays, self._number
        if not self._double:
            self._blocks |= plays.card[seat][card]
            self._table |= plays.in_trick[number][card]
        else:  # a card takes the second place if the first copy has taken the first
            played, in_trick = plays.played[seat][card], plays.in_trick[number][card]
            self._blocks |= plays.on_table[seat][card] | (played << 1 if self._blocks & played else played)
            self._table |= in_trick << 1 if self._table & in_trick else in_trick
        if self._has_laid:
            self._see_laid()

    def _end_trick(self) -> None:
        """Add the last card of a trick, and give the trick to its winner."""
        game, plays, won = self.game, self._plays, self._won
        last = game.tricks[-1]
        self._add(*last.cards[-1])
        winner = last.winner
        self._blocks = self._blocks & plays.not_on_table | plays.leader[winner] | plays.won[winner][won[winner]]
        self._number += 1
        won[winner] += 1
        if game.scores != self._view.scores:
            self._count()

    def _see_laid(self) -> None:
        """Note the cards that lie face up, and the number of those that lie face down."""
        self._blocks &= self._plays.not_laid
        for cards, start in zip(self.game.laid, self._plays.laid_at, strict=False):  # no hand is laid in most games
            self._blocks |= self._plays.canonical(cards) << start
        if self.game.covered != self._view.covered:
            self._count()

    def _count(self) -> None:
        """Note scores that changed in mid-hand, and cards that were turned up."""
        self._view = self._view._replace(scores=self.game.scores, covered=self.game.covered)
        self._numbers = [b""] * len(self._numbers)


def arrays_of(
    observer: Observer, trackers: Sequence[Tracker]
) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.int8]]:
    """Return actor, observation and mask of legal actions of each game, row by row. Every game has an actor.

    >>> game = new_game("euchre", seed=bytes(32))
    >>> observer = observer_of("euchre")
    >>> actors, observations, masks = arrays_of(observer, [Tracker(observer, game)] * 3)
    >>> actors.tolist() == [game.actor] * 3, observations.shape, masks.shape
    (True, (3, 491), (3, 59))
    """
    actors, bits, numbers, masks = [], [], [], []
    packed = observer.actions.packed
    for tracker in trackers:
        game = tracker.game
        actor = game.actor or 0
        actors.append(actor)
        bits.append(tracker.packed(actor))
        numbers.append(tracker.numbers(actor))
        masks.append(packed(game.legal_actions()))
    ones = observer.layout.bits
    observations = np.empty((len(actors), observer.layout.size), np.float32)
    observations[:, :ones] = _unpacked(bits, ones)
    observations[:, ones:] = np.frombuffer(b"".join(numbers), dtype=np.float32).reshape(len(actors), -1)
    return np.array(actors), observations, _unpacked(masks, len(observer.actions)).view(np.int8)


def hands_of_others(observer: Observer, trackers: Sequence[Tracker]) -> NDArray[np.float32]:
    """Return the hands that the seat to decide does not see, in each game, row by row: for a critic that may see them.

    A row has a set of cards for each other seat, clockwise from the actor, in the form of a layout's sets. Every game
    has an actor.

    >>> game = new_game("euchre", seed=bytes(32))
    >>> observer = observer_of("euchre")
    >>> hands = hands_of_others(observer, [Tracker(observer, game)])
    >>> hands.shape, hands.sum()
    ((1, 72), 15.0)
    """
    pack, players = observer.layout.rules.pack, observer.layout.players
    length, rows = (pack.size + 7) // 8, []
    for tracker in trackers:
        hands, actor = tracker.game.hands, tracker.game.actor or 0
        rows += [hands[(actor + offset) % players].to_bytes(length, "little") for offset in range(1, players)]
    return _unpacked(rows, pack.size).reshape(len(trackers), -1).astype(np.float32)


def _unpacked(rows: list[bytes], count: int) -> NDArray[np.uint8]:
    packed = np.frombuffer(b"".join(rows), dtype=np.uint8).reshape(len(rows), -1)
    return np.unpackbits(packed, axis=1, count=count, bitorder="little")
