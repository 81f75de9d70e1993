"""Observations of views: the single definition of a layout's contents. `tracking` must agree with it; tests check that.

All ones and zeros of an observation are one int, place k in bit k. Facts about seats are collected by seat number and
then rotated, so that the observing seat's block comes first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from bowerbird.engine import Event, GameState, OptionValue, SeatView
from bowerbird.harness.features.actions import ActionNumbers, action_numbers
from bowerbird.harness.features.layout import CARDS_LEARNT, Layout, layout_of

Observation = NDArray[np.float32]
"""The numbers of a layout."""


class Observer:
    """The observations of one variant under its options."""

    def __init__(self, layout: Layout, actions: ActionNumbers) -> None:
        self.layout = layout
        self.actions = actions
        self._pack = layout.rules.pack
        self._bytes = (layout.bits + 7) // 8
        place = {name: field.offset for name, field in layout.fields.items()}
        self._place = place
        self._cards = layout.rules.pack.size
        starts = [seat * layout.block - layout.seats for seat in range(layout.players)]
        self._in_block = {name: place[name] - layout.seats for name in place if layout[name].part == "seats"}
        self._said = tuple(
            {action: 1 << start + place["said"] + number for number, action in enumerate(layout.said)}
            for start in starts
        )
        self._holders = tuple(
            (attrgetter(name), {None: 0, **{seat: 1 << start + place[field] for seat, start in enumerate(starts)}})
            for name, field in (
                *(("dealer", "dealer"), ("maker", "maker"), ("leader", "leader"), ("lone_defender", "lone_defender")),
                *(("highest_bidder", "highest_bidder"), ("upcard_holder", "upcard_holder")),
            )
            if field in place
        )
        self._active = _SetsOfSeats([1 << start + place["active"] for start in starts])
        self._values = tuple(
            (attrgetter(name), {"": 0, **{value: 1 << place[name] + number for number, value in enumerate(values)}})
            for name in ("trump", "how", "upcard_place", "proposed")
            if name in place
            for values in (layout[name].values,)
        )
        self._upcard: dict[str | int, int] = {"": 0, 0: 0}  # by code in a view, by bit in a state
        if "upcard" in place:
            for bit, code in self._pack.code.items():
                copies = self._pack.bits[code]
                self._upcard[code] = self._upcard[bit] = (copies & -copies) << place["upcard"]
        self._sides: dict[tuple[tuple[int, ...], int], int] = {}
        self._has_upcard = "upcard" in place
        self.learnt = {what: place[what] for what in CARDS_LEARNT if what in place}
        self.stages = {stage: 1 << number for number, stage in enumerate(layout["stage"].values)}
        self._all_blocks = (1 << layout.players * layout.block) - 1
        self._numbers = tuple(
            _by_seat(name, layout.players) if field.length == layout.players else _alone(name)
            for name, field in layout.fields.items()
            if field.part == "numbers"
        )

    def __reduce__(self) -> tuple[Callable[..., Observer], tuple[str, dict[str, OptionValue]]]:
        rules = self.layout.rules
        return observer_of, (rules.variant, dict(rules.options))

    def observation(self, view: SeatView) -> Observation:
        """Return the observation of a view, a new array of `layout.size` numbers."""
        found = np.empty(self.layout.size, dtype=np.float32)
        self.write(self.bits(view), self.numbers(view, view.seat), found)
        return found

    def write(self, bits: int, numbers: tuple[int, ...], into: Observation) -> None:
        """Write the ones and zeros in `bits`, and the numbers after them, to an array."""
        row = np.frombuffer(bits.to_bytes(self._bytes, "little"), dtype=np.uint8)
        into[: self.layout.bits] = np.unpackbits(row, count=self.layout.bits, bitorder="little")
        into[self.layout.bits :] = numbers

    def bits(self, view: SeatView) -> int:
        """Return the ones and zeros of a view."""
        blocks = self.turned(self.blocks(view), view.seat) << self.layout.seats
        hand = self.set_of(view.hand) << self._place["hand"]
        return self.stages.get(view.stage, 0) | self.table(view) | blocks | self.own_facts(view) | hand

    def called(self, of: SeatView | GameState) -> int:
        """Return the part `table` without its stage and its tricks."""
        found = self._upcard[of.upcard] if self._has_upcard else 0
        for value_of, bits in self._values:
            found |= bits[value_of(of)]
        return found

    def table(self, view: SeatView) -> int:
        """Return the part `table` without its stage."""
        found = self.called(view)
        tricks = [trick.cards for trick in view.tricks]
        for number, cards in enumerate([*tricks, view.trick] if view.trick else tricks):
            found |= self.set_of([card for _, card in cards]) << self._place["tricks"] + number * self._cards
        return found

    def roles(self, of: SeatView | GameState, history: Iterable[Event]) -> int:
        """Return the seats' roles and calls, in the blocks by seat number."""
        found = self._active[of.active]
        for holder_of, bits in self._holders:
            found |= bits[holder_of(of)]
        said = self._said
        for seat, action in history:
            if not action.card:
                found |= said[seat].get(action, 0)
            elif action.kind == "show":
                found |= self.set_of((action.card,)) << self._in_block["shown"] + seat * self.layout.block
        return found

    def blocks(self, view: SeatView) -> int:
        """Return the blocks by seat number."""
        found = self.roles(view, view.history)
        if view.trick or any(view.tricks_won):
            found |= self._cards_of_seats(view)
        if "laid" in self._in_block:
            for seat, cards in enumerate(view.laid):
                found |= self.set_of(cards) << self._in_block["laid"] + seat * self.layout.block
        return found

    def _cards_of_seats(self, view: SeatView) -> int:
        """Return tricks won, cards on the table and cards played, in the blocks by seat number."""
        found, place = 0, self._in_block
        trick = dict(view.trick)
        for seat, won in enumerate(view.tricks_won):
            played = [card for each in view.tricks for player, card in each.cards if player == seat]
            now = [trick[seat]] if seat in trick else []
            bits = (1 << won) - 1 << place["won"]
            bits |= self.set_of(now) << place["trick"] | self.set_of([*played, *now]) << place["played"]
            found |= bits << seat * self.layout.block
        return found

    def own_facts(self, view: SeatView) -> int:
        """Return the part `own` without the hand."""
        found = self.side(view.sides, view.seat)
        for what, cards, _ in view.memory:
            if what in self.learnt:
                found |= self.set_of(cards) << self.learnt[what]
        return found

    def side(self, sides: tuple[int, ...], seat: int) -> int:
        """Return the fields `side` and `seat`."""
        return self._sides.get((sides, seat)) or self._side(sides, seat)

    def _side(self, sides: tuple[int, ...], seat: int) -> int:
        turned = sides[seat:] + sides[:seat]
        found = sum(1 << self._place["side"] + k for k, side in enumerate(turned) if side == sides[seat])
        if "seat" in self._place:
            found |= 1 << self._place["seat"] + seat
        self._sides[sides, seat] = found
        return found

    def set_of(self, codes: Iterable[str]) -> int:
        """Return cards as a set; a card that occurs twice sets both places of a double pack."""
        found = 0
        for code in codes:
            copies = self._pack.bits[code]
            free = copies & ~found
            found |= free & -free
        return found

    def turned(self, blocks: int, seat: int) -> int:
        """Return blocks by seat number in the order of the observing seat: its own first, then clockwise."""
        width = self.layout.block * seat
        return blocks >> width | blocks << self.layout.players * self.layout.block - width & self._all_blocks

    def numbers(self, of: SeatView | GameState, seat: int) -> tuple[int, ...]:
        """Return the part `numbers`."""
        return tuple([number for numbers_of in self._numbers for number in numbers_of(of, seat)])


class _SetsOfSeats(dict[tuple[int, ...], int]):
    """Sets of seats, each as the sum of its seats' bits, computed once."""

    def __init__(self, bits: Sequence[int]) -> None:
        super().__init__()
        self._bits = bits

    def __missing__(self, seats: tuple[int, ...]) -> int:
        found = self[seats] = sum([self._bits[seat] for seat in seats])
        return found


def _by_seat(name: str, players: int) -> Callable[[SeatView | GameState, int], tuple[int, ...]]:
    def turned(of: SeatView | GameState, seat: int) -> tuple[int, ...]:
        values: tuple[int, ...] = getattr(of, name)
        return values[seat:] + values[:seat] if values else (0,) * players

    return turned


def _alone(name: str) -> Callable[[SeatView | GameState, int], tuple[int, ...]]:
    return lambda of, _: (getattr(of, name),)


def observer_of(variant: str, options: Mapping[str, object] | None = None) -> Observer:
    """Return the observer of a variant under `options`, created once; raises as `layout_of` does."""
    return _observer(variant, layout_of(variant, options).rules.options)


@lru_cache(maxsize=512)
def _observer(variant: str, options: Mapping[str, OptionValue]) -> Observer:
    return Observer(layout_of(variant, options), action_numbers(variant, options))


def observation(view: SeatView) -> Observation:
    """Return the observation of a view."""
    return observer_of(view.variant, view.options).observation(view)


def action_mask(view: SeatView) -> NDArray[np.int8]:
    """Return the mask of a view's legal actions; all zeros unless it is its seat's turn."""
    return action_numbers(view.variant, view.options).mask(view.legal)
