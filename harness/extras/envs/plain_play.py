"""The plain play of many games at once, on numpy arrays.

Input: games with only tricks left in their hand and following suit as the only rule (`Game.is_plain_play`), and the
cards chosen. Output: actors, observations and masks, and the tricks that each seat has won when a hand is played out.
The engine pauses until the hand is over, and then finishes it with these tricks (`Tracker.end_play`). The engine's
tables (`bowerbird.engine.cards.trump_order`) determine which cards follow suit and which card is best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bowerbird.engine import state_of
from bowerbird.harness.features.layout import LOW, TRUMPS
from bowerbird.harness.features.observing import Observer
from bowerbird.harness.features.tracking import Tracker

FROM_GAMES = 48
"""The minimum number of games for which arrays are faster than playing one game after another."""

NAMED = (*TRUMPS, LOW)
"""All trumps. A trump's place here is its number in arrays."""

MOST_CARDS = 64
"""The maximum number of cards in a set that fits in one number of an array."""

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class _Hands:
    """The hands in play, a row for each game of the batch. Only the rows that are `here` are valid.

    Attributes:
        here: whether the game is in plain play.
        seen: the ones and zeros of each seat's observation.
        numbers: the other numbers of each seat's observation.
        hands: the set of each seat's cards.
        after: the next active seat after each seat.
        actor, leader, winning: the seat to decide, the seat that led or leads, and the seat with the best card so far.
        trump: the number of the trump.
        led: the card led, by its place in the pack; the size of the pack if no card is.
        best: the minimum strength that beats the best card so far.
        on_table: the card that each seat played last, by its place in the pack.
        trick: the number of tricks finished.
        won: the number of tricks each seat has won.
    """

    here: NDArray[np.bool_]
    seen: NDArray[np.uint8]
    numbers: NDArray[np.float32]
    hands: NDArray[np.uint64]
    after: Ints
    actor: Ints
    leader: Ints
    winning: Ints
    trump: Ints
    led: Ints
    best: Ints
    on_table: Ints
    trick: Ints
    won: Ints


class PlainPlay:
    """The games of one batch that are in plain play, by their row in the batch."""

    def __init__(self, observer: Observer, games: int) -> None:
        """Make room for `games` rows of games that the observer `fits`. None of them is in play yet."""
        layout, pack = observer.layout, observer.layout.rules.pack
        players, size = layout.players, pack.size
        self._pack, self._players, self._size, self._bits = pack, players, size, layout.bits
        self._row = players * layout.bits
        self._first = observer.actions.first_card["play"]
        self._hand = layout["hand"].offset
        self._tricks = layout.rules.tricks
        self._rows = np.arange(games)
        self._bit = np.left_shift(np.uint64(1), np.arange(size, dtype=np.uint64))
        self._note_places(observer)
        trumps = len(NAMED)
        self._trumps: dict[str, int] = {}
        self._follow = np.zeros((trumps, size + 1), np.uint64)  # no card follows if no card is led
        self._strength = np.zeros((trumps, size + 1, size), np.int64)
        self._to_beat = np.zeros((trumps, size + 1, size), np.int64)
        self.hands = _Hands(
            here=np.zeros(games, np.bool_),
            seen=np.zeros((games, players, layout.bits), np.uint8),
            numbers=np.zeros((games, players, layout.size - layout.bits), np.float32),
            hands=np.zeros((games, players), np.uint64),
            after=np.zeros((games, players), np.int64),
            actor=np.zeros(games, np.int64),
            leader=np.zeros(games, np.int64),
            winning=np.zeros(games, np.int64),
            trump=np.zeros(games, np.int64),
            led=np.zeros(games, np.int64),
            best=np.zeros(games, np.int64),
            on_table=np.zeros((games, players), np.int64),
            trick=np.zeros(games, np.int64),
            won=np.zeros((games, players), np.int64),
        )

    @staticmethod
    def fits(observer: Observer) -> bool:
        """Return whether games of this observer can be played here: only single cards, none of them face up."""
        rules = observer.layout.rules
        plain = not (rules.pack.double or rules.asks_in_private or "laid" in observer.layout)
        return plain and rules.tricks == rules.most_tricks and rules.pack.size <= MOST_CARDS

    def _note_places(self, observer: Observer) -> None:
        """Store the places in a row of `seen` for a card, a leader or a won trick.

        All seats see a play, and each has the player's block at a different place.
        """
        layout, size = observer.layout, self._size
        seats = np.arange(self._players)
        begin = seats * layout.bits  # the place of each observing seat's observation
        block = begin + (seats[:, None] - seats) % self._players * layout.block  # by player, then observer
        cards, tricks = np.arange(size), np.arange(self._tricks)
        on_table = block[:, None, :] + layout["trick"].offset + cards[:, None]  # by player, card and observer
        played = block[:, None, :] + layout["played"].offset + cards[:, None]
        in_trick = begin + layout["tricks"].offset + (tricks[:, None] * size + cards)[:, :, None]
        shape = (self._tricks, self._players, size, self._players)
        seen = (np.broadcast_to(on_table, shape), np.broadcast_to(played, shape))
        whole = np.concatenate([*seen, np.broadcast_to(in_trick[:, None], shape)], axis=3)
        self._played = np.ascontiguousarray(whole.reshape(-1, 3 * self._players))
        self._on_table = np.ascontiguousarray(on_table.reshape(-1, self._players))
        self._led_by = block + layout["leader"].offset
        self._won_by = block[:, None, :] + layout["won"].offset + np.arange(layout["won"].length)[:, None]

    def _number_of(self, trump: str) -> int:
        """Return the number of a trump, filling its tables at first use."""
        found = self._trumps.get(trump)
        if found is None:
            found = self._trumps[trump] = NAMED.index(trump)
            for bit, lead in self._pack.order(trump).lead.items():
                led = bit.bit_length() - 1
                self._follow[found, led] = lead.follow
                self._strength[found, led] = [lead.strength[1 << card] for card in range(self._size)]
                self._to_beat[found, led] = [lead.to_beat[1 << card] for card in range(self._size)]
        return found

    def restore(self, hands: _Hands) -> None:
        """Continue with the hands of another environment."""
        self.hands = hands
        for number in np.unique(hands.trump[hands.here]).tolist():
            self._number_of(NAMED[number])

    def clear(self) -> None:
        """Remove all games."""
        self.hands.here[:] = False

    def begin(self, rows: Sequence[int], trackers: Sequence[Tracker]) -> None:
        """Begin to play the hands of `trackers`, which begin plain play, in these rows."""
        seats = range(self._players)
        states = [state_of(tracker.game) for tracker in trackers]
        packed = b"".join([tracker.packed(seat) for tracker in trackers for seat in seats])
        bits = np.frombuffer(packed, np.uint8).reshape(len(rows) * self._players, -1)
        numbers = b"".join([tracker.numbers(seat) for tracker in trackers for seat in seats])
        shape = (len(rows), self._players, -1)
        hands, at = self.hands, np.array(rows)
        hands.here[at] = True
        hands.seen[at] = np.unpackbits(bits, axis=1, count=self._bits, bitorder="little").reshape(shape)
        hands.numbers[at] = np.frombuffer(numbers, np.float32).reshape(shape)
        hands.hands[at] = np.array([h.hands for h in states], np.uint64)
        hands.after[at] = [h.after for h in states]
        hands.actor[at] = hands.leader[at] = [h.leader or 0 for h in states]
        hands.trump[at] = [self._number_of(h.trump) for h in states]
        hands.led[at] = self._size
        for array in (hands.best, hands.trick, hands.won):
            array[at] = 0

    def play(self, rows: Ints, numbers: Ints) -> Ints:
        """Play a legal card, given by action number, in each of these rows. Return the rows whose hands are over."""
        hands, size, cards = self.hands, self._size, numbers - self._first
        seats = hands.actor[rows]
        at = rows * self._players + seats
        hands.hands.reshape(-1)[at] ^= self._bit.take(cards)
        hands.on_table.reshape(-1)[at] = cards
        seen, start = hands.seen.reshape(-1), rows * self._row
        played = self._played.take((hands.trick[rows] * self._players + seats) * size + cards, axis=0)
        played += start[:, None]
        seen[played] = 1
        seen[at * self._bits + (self._hand + cards)] = 0
        led = hands.led[rows]
        led = hands.led[rows] = np.where(led == size, cards, led)
        place = (hands.trump[rows] * (size + 1) + led) * size + cards
        best = hands.best[rows]
        beats = self._strength.take(place) >= best
        hands.best[rows] = np.where(beats, self._to_beat.take(place), best)
        hands.winning[rows] = np.where(beats, seats, hands.winning[rows])
        following = hands.actor[rows] = hands.after.reshape(-1).take(at)
        return self._end_tricks(rows[following == hands.leader[rows]])

    def _end_tricks(self, rows: Ints) -> Ints:
        """Give the tricks of these rows to their winners, who lead the next ones.

        Return the rows whose hands are over.
        """
        hands = self.hands
        winners, start = hands.winning[rows], rows * self._row
        seen = hands.seen.reshape(-1)
        cards = hands.on_table[rows] + np.arange(self._players) * self._size  # an inactive seat has none
        seen[start[:, None, None] + self._on_table[cards]] = 0
        seen[start[:, None] + self._led_by[hands.leader[rows]]] = 0
        seen[start[:, None] + self._led_by[winners]] = 1
        seen[start[:, None] + self._won_by[winners, hands.won[rows, winners]]] = 1
        hands.won[rows, winners] += 1
        hands.leader[rows] = hands.actor[rows] = winners
        hands.led[rows] = self._size
        hands.best[rows] = 0
        tricks = hands.trick[rows] = hands.trick[rows] + 1
        over: Ints = rows[tricks == self._tricks]
        hands.here[over] = False
        return over

    def tricks_won(self, rows: Ints) -> list[list[int]]:
        """Return how many tricks each seat has won in the hands of these rows."""
        won: list[list[int]] = self.hands.won[rows].tolist()
        return won

    def write(self, actors: Ints, observations: NDArray[np.float32], masks: NDArray[np.int8]) -> None:
        """Write a row for each game of the batch. The caller overwrites the rows of games that are not in play."""
        hands, bits, first, size = self.hands, self._bits, self._first, self._size
        at = self._rows * self._players + hands.actor
        actors[:] = hands.actor
        observations[:, :bits] = hands.seen.reshape(-1, bits).take(at, axis=0)
        observations[:, bits:] = hands.numbers.reshape(len(self._rows) * self._players, -1).take(at, axis=0)
        held = hands.hands.take(at)
        choices = held & self._follow.take(hands.trump * (size + 1) + hands.led)
        choices = np.where(choices, choices, held).astype("<u8", copy=False)
        packed = choices.view(np.uint8).reshape(-1, 8)
        masks[:] = 0
        masks[:, first : first + size] = np.unpackbits(packed, axis=1, count=size, bitorder="little")
