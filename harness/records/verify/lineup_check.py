"""Checks that the bots of a game sit where its id says: those of its line-up, turned by its rotation (ratings.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from engine import rules_of
from harness.records.quoting import shown
from harness.records.values.game_record import GameRecord
from harness.records.values.outcome import sides_of
from harness.records.values.run import GameId

_LONGEST_LINEUP = 120
"""Characters of a line-up that a sentence shows."""


def wrong_seats(record: GameRecord) -> str:
    """Return why the bots at the seats of a game are not those of its id; "" if they are.

    A line-up names a bot for each side, which then fills it, or one for each seat. Where each seat plays for itself,
    only the seat of the first bot is checked, since deal sets place the others in turn; fewer bots than seats share
    them evenly. Raises ValueError for a
    malformed id, engine.EngineError for an unknown variant or option.
    """
    place = GameId.parse(record.id)
    bots = tuple(seat.bot for seat in record.seats)
    named = place.lineup.split("+")
    lineup = shown(place.lineup, _LONGEST_LINEUP)
    has_teams = rules_of(record.variant).teams(dict(record.options)) is not None
    if has_teams and len(named) == len(bots):
        right = bots == _turned(named, place.rotation)
    elif has_teams:
        right = bots == _teams(named, place.rotation, sides_of(record.variant, record.options))
    else:
        right = _is_table_of(named, bots) and bots[place.rotation % len(bots)] == named[0]
    if right:
        return ""
    return (
        f"at its seats are {shown(', '.join(bots), _LONGEST_LINEUP)}, which is not rotation {place.rotation} of "
        f"line-up {lineup}"
    )


def _is_table_of(named: Sequence[str], bots: Sequence[str]) -> bool:
    """Return whether a table has the bots of a line-up, whatever their seats."""
    seated = Counter(bots)
    if len(named) == len(bots):
        return seated == Counter(named)
    return set(seated) == set(named) and max(seated.values()) - min(seated.values()) <= 1


def _turned(named: Sequence[str], rotation: int) -> tuple[str, ...]:
    """Return the bot at each seat: bot p of the line-up sits at seat p + rotation."""
    return tuple(named[(seat - rotation) % len(named)] for seat in range(len(named)))


def _teams(named: Sequence[str], rotation: int, sides: Sequence[int]) -> tuple[str, ...]:
    """Return the bot at each seat: bot k of the line-up fills side k + rotation. () if it has not one for each side."""
    count = len(set(sides))
    return tuple(named[(side - rotation) % count] for side in sides) if len(named) == count else ()
