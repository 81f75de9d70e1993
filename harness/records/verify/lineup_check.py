"""Checks that the bots of a game sit in the places given by its id: its line-up, rotated (ratings.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from bowerbird.engine import rules_of
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.replay.replay import REVEAL
from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.records.values.outcome import sides_of
from bowerbird.harness.records.values.run import GameId
from bowerbird.harness.records.values.seat_orders import seat_orders

_LONGEST_LINEUP = 120
"""The most characters of a line-up that a message shows."""


def wrong_seats(record: GameRecord) -> str:
    """Return why the bots in the seats of a game are not the bots of its id; "" if they are.

    A line-up of teams names one bot for each side, which fills the side, or one bot for each seat if partners are
    mixed. If each seat plays for itself, it names one bot for each seat, and deal sets vary their order
    (`seat_orders`). It can then also name fewer bots, which repeat in order around the table. Raises ValueError for a
    malformed id, bowerbird.engine.EngineError for an unknown variant or option.
    """
    place = GameId.parse(record.id)
    bots = tuple(seat.bot for seat in record.seats)
    named = tuple(place.lineup.split("+"))
    if rules_of(record.variant).teams(dict(record.options)) is not None:
        is_right = bots == _teams(named, place.rotation, sides_of(record.variant, record.options))
    else:
        # The first version placed the bots of a table the same way in all deal sets.
        number = place.set_number if REVEAL in record.options else 0
        is_right = bots == _each_for_itself(named, number, place.rotation, len(bots))
    if is_right:
        return ""
    return (
        f"at its seats are {shown(', '.join(bots), _LONGEST_LINEUP)}, which is not rotation {place.rotation} of "
        f"line-up {shown(place.lineup, _LONGEST_LINEUP)} in deal set {place.set_number}"
    )


def _teams(named: Sequence[str], rotation: int, sides: Sequence[int]) -> tuple[str, ...]:
    """Return the bot in each seat of a table with fixed sides; () if this is not a line-up of such a table.

    Bot k fills side k + rotation; with mixed partners, bot p sits at seat p + rotation.
    """
    if len(set(named)) < len(named):
        return ()
    count = len(set(sides))
    if len(named) == count and rotation < count:
        return tuple(named[(side - rotation) % count] for side in sides)
    return _turned(named, rotation, len(sides))


def _each_for_itself(named: Sequence[str], set_number: int, rotation: int, seats: int) -> tuple[str, ...]:
    """Return the bot in each seat of a table without fixed sides; () if this is not a line-up of such a table.

    In deal set n bot p takes place `order[p]`, where `order` is the nth of the orders of the table. Place p is in seat
    p + rotation. If there are fewer bots than seats, they take the places in turn.
    """
    if len(named) < seats:
        is_lineup = 1 < len(named) == len(set(named))
        return _turned([named[k % len(named)] for k in range(seats)], rotation, seats) if is_lineup else ()
    if len(named) > seats or not _is_table(named):
        return ()
    orders = seat_orders(seats)
    at_place = dict(zip(orders[set_number % len(orders)], named, strict=True))
    return _turned([at_place[number] for number in range(seats)], rotation, seats)


def _turned(at_places: Sequence[str], rotation: int, seats: int) -> tuple[str, ...]:
    """Return the bot in each seat: the bot of place p sits in seat p + rotation. () unless each seat has a place."""
    if len(at_places) != seats or rotation >= seats:
        return ()
    return tuple(at_places[(seat - rotation) % seats] for seat in range(seats))


def _is_table(named: Sequence[str]) -> bool:
    """Return True if several bots share a table as in tournaments: evenly, with copies of a bot side by side.

    One bot, such as a challenger, may have a single seat while the others share the rest evenly.
    """
    copies = [len(list(group)) for _, group in groupby(named)]
    if not 1 < len(copies) == len(set(named)):
        return False
    others = list((Counter(copies) - Counter([1])).elements())
    return max(copies) - min(copies) <= 1 or (1 in copies and max(others) - min(others) <= 1)
