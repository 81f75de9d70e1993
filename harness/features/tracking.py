"""Observations of a game in play, kept up to date from action to action.

A play changes only a few places of an observation, and the same ones for all seats: they are in blocks by seat number,
which are rotated for each seat. After other actions, everything that they may change is read again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from operator import attrgetter
from struct import Struct

import numpy as np
from numpy.typing import NDArray

from bowerbird.engine import Action, Game, GameState, state_of
from bowerbird.harness.features.observing import Observer

PASS = Action("pass")

PLAYS = frozenset({"play", "dictate"})
"""The kinds of actions that add a card to a trick."""


class _Plays:
    """The look-up tables of one observer's trackers: the bits set by plays, by seat and card, and the blocks' offsets.

    The blocks by seat number appear twice, one after the other, at their place in an observation, so that one shift
    rotates them for a seat (`turn`, `turned`).

    Attributes:
        card: by seat and card, the card on the table and among those played, in the blocks; and all places of an
            observation except that of the card in the field `hand`.
        on_table, played: by seat and card, the same places in the blocks one by one.
        in_trick: by trick and card, the card in the field `tricks`; nothing after the last trick.
        simple: whether cards have one copy and are never laid face up.
        passed, leader, won: by seat; by seat and number of tricks won before.
        has_laid: whether the layout has the field `laid`.
        not_on_table, not_laid: all blocks without the fields `trick` and `leader`, or without `laid`.
        turn: by seat, the distance of its own block from the first place.
        turned: all blocks, once.
        hand_at: first place of the field `hand`.
        double: whether cards have two copies.
        in_private: whether a phase asks a seat without the others' knowledge.
        length: the number of bytes of an observation's ones and zeros.
        row: the number of bytes of these plus the mask of the legal actions.
        first_card: by kind of action, how far to shift a set of cards to get the mask of their actions in a row.
        numbers: a function from the part `numbers` to the bytes of float32.
        counted: a function from a state to the values on which the part `numbers` depends.
    """

    def __init__(self, observer: Observer) -> None:
        layout, pack = observer.layout, observer.layout.rules.pack
        width, first = layout.block, layout.seats
        place = {name: field.offset for name, field in layout.fields.items()}
        starts = [seat * width - first for seat in range(layout.players)]
        low = {code: bits & -bits for code, bits in pack.bits.items()}
        self._first, self._over = first, layout.players * width
        self.turn = [width * seat for seat in range(layout.players)]
        self.turned = (1 << self._over) - 1 << first
        self.hand_at = place["hand"]
        self.on_table = [{code: self.twice(bit << s + place["trick"]) for code, bit in low.items()} for s in starts]
        self.played = [{code: self.twice(bit << s + place["played"]) for code, bit in low.items()} for s in starts]
        own = (1 << layout.bits) - 1
        self.card = [
            {code: (table[code] | played[code], own ^ bit << place["hand"]) for code, bit in low.items()}
            for table, played in zip(self.on_table, self.played, strict=True)
        ]
        self.in_trick = [
            {code: bit << place["tricks"] + number * pack.size for code, bit in low.items()}
            for number in range(layout.rules.most_tricks)
        ] + [{}]
        self.leader = [self.twice(1 << start + place["leader"]) for start in starts]
        self.won = [
            [self.twice(1 << start + place["won"] + k) for k in range(layout["won"].length)] for start in starts
        ]
        self._laid_at = [start + place["laid"] for start in starts] if "laid" in place else []
        self.has_laid = bool(self._laid_at)
        said = layout.said.index(PASS) if PASS in layout.said else 0
        self.passed = [self.twice(1 << start + place["said"] + said) for start in starts]
        everything = self.twice((1 << self._over) - 1)
        tables = self.twice(sum(pack.whole << start + place["trick"] for start in starts))
        self.not_on_table = everything & ~tables & ~sum(self.leader)
        self.not_laid = everything & ~self.twice(sum(pack.whole << start for start in self._laid_at))
        self.length = (layout.bits + 7) // 8
        self.row = (layout.bits + len(observer.actions) + 7) // 8
        self.first_card = {kind: layout.bits + number for kind, number in observer.actions.first_card.items()}
        self.numbers = Struct(f"={layout.size - layout.bits}f").pack
        counts = [name for name, field in layout.fields.items() if field.part == "numbers"]
        self.counted: Callable[[GameState], object] = attrgetter(*counts)
        self.double = pack.double
        self.simple = not self.double and not self.has_laid
        self.in_private = layout.rules.asks_in_private
        self._lower = sum(low.values())
        self._paired = sum(low[code] for code, bits in pack.bits.items() if bits != low[code])

    def twice(self, blocks: int) -> int:
        """Return the blocks by seat number, twice, at their place in an observation."""
        return (blocks | blocks << self._over) << self._first

    def canonical(self, cards: int) -> int:
        """Return a set of cards in the layout's form: a single copy sets the first place, whichever copy it is."""
        if not self.double:
            return cards
        lower, upper = cards & self._lower, cards >> 1 & self._lower & self._paired
        return lower | upper | (lower & upper) << 1

    def laid(self, hands: Sequence[int]) -> int:
        """Return face-up cards by seat in the blocks."""
        found = 0
        for cards, start in zip(hands, self._laid_at, strict=False):  # in most games no hand is laid face up
            found |= self.canonical(cards) << start
        return self.twice(found)


@lru_cache(maxsize=512)
def _plays_of(observer: Observer) -> _Plays:
    return _Plays(observer)


class Tracker:
    """The observations of one game, which `apply` advances.

    It reads the public facts of the game and those that the observing seat knows: its hand and its memory. It reads
    them from the state behind the game, since the game's properties would cost twice as much.
    """

    __slots__ = (
        *(
            "_blocks",
            "_cards_at",
            "_counts",
            "_hand_number",
            "_hands",
            "_in_trick",
            "_limit",
            "_notes",
            "_number",
            "_numbers",
            "_observer",
        ),
        *("_orders", "_own", "_phase", "_plays", "_sides", "_state", "_table", "_won", "game"),
    )

    game: Game
    _blocks: int
    _cards_at: int | None
    _state: GameState
    _table: int
    _own: list[int]
    _numbers: list[bytes]
    _in_trick: Mapping[str, int]
    _orders: tuple[tuple[int, ...], ...] | None
    _hands: list[int]
    _notes: list[tuple[int, str, int, int | None]]
    _sides: tuple[int, ...]

    def __init__(self, observer: Observer, game: Game) -> None:
        """Observe `game`, which has the observer's variant and options."""
        self._observer = observer
        self._plays = _plays_of(observer)
        self._limit = observer.layout.rules.tricks
        self.start(game)

    def __reduce__(self) -> tuple[type[Tracker], tuple[Observer, Game]]:
        return type(self), (self._observer, self.game)

    def start(self, game: Game) -> None:
        """Observe another game of the same variant and options."""
        self.game = game
        self._counts: object = None
        self._orders, self._hands, self._notes, self._sides = None, [], [], ()
        self._state = state_of(game)
        self._read(self._state)

    def alike(self, game: Game) -> Tracker:
        """Return the tracker of a game that differs from this one in cards that nobody has shown, and in what seats
        know of those: in less time than it takes to read all public facts again.
        """
        found = object.__new__(type(self))
        for name in Tracker.__slots__:
            setattr(found, name, getattr(self, name))
        h = found._state = state_of(game)
        found.game = game
        found._won, found._hands, found._notes, found._orders = self._won[:], h.hands[:], h.notes[:], h.orders
        found._own, found._numbers = [0] * len(h.hands), [b""] * len(h.hands)
        return found

    def apply(self, action: Action) -> bool:
        """Apply `action` to the game, and return whether a hand ended; raises as `Game.apply` does."""
        actor = self._state.actor
        try:
            self.game.apply(action)
        finally:  # a game whose packs have run out goes back to a copy of its state
            self._state = state_of(self.game)
        return self._moved(action, actor)

    def apply_legal(self, action: Action) -> bool:
        """Do the same as `apply`, but faster, for an action known to be legal.

        The packs of the game must not run out.
        """
        actor = self._state.actor
        self._state.move(action)
        return self._moved(action, actor)

    @property
    def begins_plain_play(self) -> bool:
        """Whether the first card of a hand is due, and the play is plain (`Game.is_plain_play`)."""
        h = self._state
        return h.leader is not None and not h.trick and not h.trick_number and self.game.is_plain_play()

    def end_play(self, tricks_won: Sequence[int]) -> None:
        """Finish a hand in plain play, like `Game.end_play`, and observe the next one. The packs must not run out."""
        self._state.end_play(tricks_won)
        self._read(self._state)

    def _moved(self, action: Action, actor: int | None) -> bool:
        """Note the changes of the `action` that `actor` just made; return whether a hand ended."""
        h = self._state
        if action.kind in PLAYS:
            if self._number < self._limit:
                trick = h.trick
                if trick:
                    seat, card = trick[-1]
                    if self._plays.simple:  # `_add` inlined: the hottest path
                        bits, rest = self._plays.card[seat][card]
                        self._blocks |= bits
                        self._table |= self._in_trick[card]
                        self._own[seat] &= rest
                    else:
                        self._add(h, seat, card)
                    return False
                if self._number + 1 < self._limit and h.hand_number == self._hand_number and h.actor is not None:
                    self._end_trick(h)
                    return False
        elif action is PASS and h.actor is not None and h.phase is self._phase and h.hand_number == self._hand_number:
            self._blocks |= self._plays.passed[actor or 0]  # a pass that leaves the question open changes nothing else
            return False
        ended = h.actor is None or h.hand_number != self._hand_number
        self._read(h)
        return ended

    def bits(self, seat: int) -> int:
        """Return the ones and zeros of the observation of `seat`."""
        plays = self._plays
        found = self._table | self._blocks >> plays.turn[seat] & plays.turned | (self._own[seat] or self._look(seat))
        if plays.double:
            found |= plays.canonical(self._state.hands[seat]) << plays.hand_at
        return found

    def packed(self, seat: int) -> bytes:
        """Return `bits` as bytes, place 0 in the lowest bit of the first."""
        return self.bits(seat).to_bytes(self._plays.length, "little")

    def numbers(self, seat: int) -> bytes:
        """Return the part `numbers` of the observation of `seat` as the bytes of float32."""
        found = self._numbers[seat]
        if not found:
            found = self._numbers[seat] = self._plays.numbers(*self._observer.numbers(self._state, seat))
        return found

    def _read(self, h: GameState) -> None:
        """Reread all public facts, and find the seats whose own facts have changed."""
        observer, plays = self._observer, self._plays
        self._phase = h.phase
        self._cards_at = None if plays.double else plays.first_card.get(h.phase.card_kind)
        self._hand_number = h.hand_number
        self._number = h.trick_number
        self._in_trick = plays.in_trick[h.trick_number]
        self._won = h.tricks_won[:]
        self._count(h)
        self._forget(h)
        if self._number or h.trick or plays.has_laid or h.actor is None:  # a last hand may end with credited tricks
            view = self.game.view(h.actor or 0)
            self._blocks = plays.twice(observer.blocks(view))
            self._table = observer.table(view)
        else:
            self._blocks = plays.twice(observer.roles(h, h.log))
            self._table = observer.called(h)
        if h.actor is not None and not plays.in_private:
            self._table |= observer.stages[h.phase.stage]

    def _forget(self, h: GameState) -> None:
        """Forget the own facts of each seat whose cards or knowledge have changed since the last call."""
        hands, notes, sides = h.hands[:], h.notes[:], h.sides
        known = len(self._notes)
        if (
            self._plays.in_private
            or h.orders is not self._orders  # the cards are dealt again
            or sides != self._sides
            or notes[:known] != self._notes
        ):
            self._own = [0] * len(hands)
        else:
            before = zip(self._own, hands, self._hands, strict=True)
            self._own = [own if hand == old else 0 for own, hand, old in before]
            for seat, *_ in notes[known:]:
                self._own[seat] = 0
        self._orders, self._hands, self._notes, self._sides = h.orders, hands, notes, sides

    def _look(self, seat: int) -> int:
        """Note and return the facts that only `seat` knows. They are never 0, since a seat is on its own side.

        The hands of a double pack are left out, since a play leaves open which copy it takes.
        """
        h, observer, plays = self._state, self._observer, self._plays
        found = observer.side(h.sides, seat)
        learnt = observer.learnt
        for owner, what, cards, _ in h.notes:
            if owner == seat and what in learnt:
                found |= plays.canonical(cards) << learnt[what]
        if plays.in_private:  # only the asked seat knows the question
            found |= observer.stages.get(self.game.view(seat).stage, 0)
        if not plays.double:
            found |= h.hands[seat] << plays.hand_at
        self._own[seat] = found
        return found

    def _add(self, h: GameState, seat: int, card: str) -> None:
        """Add a card to the trick on the table."""
        plays = self._plays
        if not plays.double:
            bits, rest = plays.card[seat][card]
            self._blocks |= bits
            self._table |= self._in_trick[card]
            self._own[seat] &= rest
        else:  # a card gets the second place if the first copy has the first
            played, in_trick = plays.played[seat][card], self._in_trick[card]
            self._blocks |= plays.on_table[seat][card] | (played << 1 if self._blocks & played else played)
            self._table |= in_trick << 1 if self._table & in_trick else in_trick
        if plays.has_laid:
            self._blocks = self._blocks & plays.not_laid | plays.laid(h.laid)
            self._count(h)

    def _end_trick(self, h: GameState) -> None:
        """Add the last card of a trick, and give the trick to its winner."""
        plays, won = self._plays, self._won
        cards, winner = h.tricks[-1]
        self._add(h, *cards[-1])
        self._blocks = self._blocks & plays.not_on_table | plays.leader[winner] | plays.won[winner][won[winner]]
        self._number += 1
        self._in_trick = plays.in_trick[self._number]
        won[winner] += 1
        self._count(h)

    def _count(self, h: GameState) -> None:
        """Note scores and other numbers that have changed."""
        counts = self._plays.counted(h)
        if counts != self._counts:
            self._counts = counts
            self._numbers = [b""] * len(h.hands)


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
    games = len(trackers)
    actors = np.empty(games, np.int64)
    observations = np.empty((games, observer.layout.size), np.float32)
    masks = np.empty((games, len(observer.actions)), np.int8)
    write_arrays(observer, trackers, actors, observations, masks)
    return actors, observations, masks


def write_arrays(
    observer: Observer,
    trackers: Iterable[Tracker],
    actors: NDArray[np.int64],
    observations: NDArray[np.float32],
    masks: NDArray[np.int8],
    *,
    rows: slice | Sequence[int] = slice(None),
) -> None:
    """Write what `arrays_of` returns into `rows` of existing arrays.

    Each tracker is read before the next one is requested, so they can be produced one by one as their games advance.
    """
    seats, packed, numbers = [], [], []
    ones, legal = observer.layout.bits, observer.actions.bits
    plays = _plays_of(observer)
    turn, turned, length = plays.turn, plays.turned, plays.row
    for tracker in trackers:
        h = tracker._state
        actor = h.actor or 0
        seats.append(actor)
        if plays.double:
            found = tracker.bits(actor)
        else:  # `bits` inlined: the hottest path
            own = tracker._own[actor] or tracker._look(actor)
            found = tracker._table | tracker._blocks >> turn[actor] & turned | own
        cards_at = tracker._cards_at
        found |= legal[h.legal_actions()] << ones if cards_at is None else h.phase.choices(h) << cards_at
        packed.append(found.to_bytes(length, "little"))
        numbers.append(tracker._numbers[actor] or tracker.numbers(actor))
    unpacked = _unpacked(packed, ones + len(observer.actions))
    actors[rows] = seats
    observations[rows, :ones] = unpacked[:, :ones]
    observations[rows, ones:] = np.frombuffer(b"".join(numbers), dtype=np.float32).reshape(len(seats), -1)
    masks[rows] = unpacked[:, ones:]


def hands_of_others(observer: Observer, trackers: Sequence[Tracker]) -> NDArray[np.float32]:
    """Return the hands that the deciding seat cannot see, game by game, row by row, for a critic that may see them.

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
