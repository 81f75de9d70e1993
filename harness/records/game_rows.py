"""What the tables of the store hold of one game; all of it is worked out from its record."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from engine import rules_of
from harness.records.record import GameRecord
from harness.records.result import opening_scores, sides_of
from harness.records.run import GameId


@dataclass(frozen=True, slots=True)
class GameRows:
    """What the tables hold of one game, all of it worked out from its record."""

    game: Mapping[str, object]
    seats: tuple[Mapping[str, object], ...]
    faults: tuple[Mapping[str, object], ...]


def game_rows(record: GameRecord, text: str) -> GameRows:
    """The rows of a record. `text` is its canonical form.

    Raises ValueError where the id is no id of a game, engine.EngineError where variant or options are unknown.
    """
    place = GameId.parse(record.id)
    game: dict[str, object] = {
        "id": record.id,
        "run": place.run,
        "entry": place.entry,
        "lineup": place.lineup,
        "set_number": place.set_number,
        "rotation": place.rotation,
        "variant": record.variant,
        "ended": record.result.ended,
        "hands": sum(bool(hand.scores) for hand in record.hands),
        "decisions": sum(len(hand.actions) for hand in record.hands),
        "record": text,
    }
    faults = tuple(
        {
            "game": record.id,
            "place": number,
            "hand": fault.hand,
            "action": fault.action,
            "seat": fault.seat,
            "kind": fault.kind,
            "limit_ms": fault.limit_ms,
            "elapsed_ms": fault.elapsed_ms,
            "detail": fault.detail,
        }
        for number, fault in enumerate(record.faults)
    )
    return GameRows(game, _seat_rows(record, place.run), faults)


def _seat_rows(record: GameRecord, run: str) -> tuple[Mapping[str, object], ...]:
    opening = opening_scores(record.variant, record.options)
    sides = sides_of(record.variant, record.options)
    scores = record.scores or opening
    better = 1 if rules_of(record.variant).better == "high" else -1
    guilty = {sides[fault.seat] for fault in record.faults}
    charged, times = _times(record)
    return tuple(
        {
            "game": record.id,
            "seat": seat,
            "run": run,
            "bot": who.bot,
            "side": sides[seat],
            "rank": record.result.ranks[seat],
            "score": scores[seat],
            "points": None if record.result.games else better * (scores[seat] - opening[seat]),
            "penalised": sides[seat] in guilty,
            "decisions": times[seat].total(),
            "time_ms": charged[seat],
            "times": json.dumps({str(ms): times[seat][ms] for ms in sorted(times[seat])}),
        }
        for seat, who in enumerate(record.seats)
    )


def _times(record: GameRecord) -> tuple[list[int], list[Counter[int]]]:
    """By seat: the time charged in all, and how many of the bot's own decisions took how many milliseconds."""
    charged = [0] * len(record.seats)
    times: list[Counter[int]] = [Counter() for _ in record.seats]
    for hand in record.hands:
        not_its_own = {*hand.forced, *hand.substituted}
        for index, (seat, ms) in enumerate(zip(map(_seat_of, hand.actions), hand.ms, strict=True)):
            charged[seat] += ms
            if index not in not_its_own:
                times[seat][ms] += 1
    return charged, times


@lru_cache(maxsize=4096)
def _seat_of(action: str) -> int:
    return int(action.partition(" ")[0])
