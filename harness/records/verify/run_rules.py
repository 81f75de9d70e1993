"""The statements of a run's tournament file about each of its games. A genuine record never differs from the file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.text.bounded_toml import load_toml
from bowerbird.harness.records.values.game_record import MOST_CLOCK_MS, GameRecord, TimeControl
from bowerbird.harness.records.values.run import GameId

_MS = re.compile(r"(\d{1,9})ms")
_KEYS = ("per_decision", "bank", "increment", "game")
_SHOWN = 60
"""The most characters of a value that a message shows."""


@dataclass(frozen=True, slots=True)
class RunRules:
    """The statements of a resolved tournament file about games.

    Files of older versions lack some keys, which are not compared.

    time: the keys of [time], in ms.
    variants: by entry, the name, the options and the fault policy of a variant.
    own_times: the keys of each bot that has its own clock, by bot.
    """

    time: Mapping[str, int] = field(default_factory=dict)
    variants: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    own_times: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    @property
    def margin_ms(self) -> int:
        """The grace before a timeout is called; the longest possible grace if the file does not state it."""
        return self.time.get("margin", MOST_CLOCK_MS)

    def wrong_conditions(self, record: GameRecord) -> str:
        """Return a sentence about a difference of a game's variant or conditions from the file; "" if there is none.

        Raises ValueError for a malformed id.
        """
        entry = GameId.parse(record.id).entry
        stated = self.variants.get(entry, {})
        pairs: list[tuple[str, object, object]] = [
            ("variant", record.variant, stated.get("name")),
            ("on_fault", record.conditions.on_fault, stated.get("on_fault")),
            *((name, value, _table(stated.get("options")).get(name)) for name, value in record.options.items()),
            *_clock_pairs("", record.conditions.time, self.time),
        ]
        for seat in record.seats if self.time else ():
            own = self.own_times.get(seat.bot)
            if seat.time is not None and own is not None:
                pairs += _clock_pairs(f" of {seat.bot}", seat.time, own)
            elif seat.time is not None or own is not None:
                pairs.append((f"clock of {seat.bot}", _whose(seat.time), _whose(own)))
        for name, found, wanted in pairs:
            if wanted is not None and found != wanted:
                mine, theirs = shown(str(found), _SHOWN), shown(str(wanted), _SHOWN)
                return f"its {name} is {mine}, but {theirs} in the tournament file of its run"
        return ""


def run_rules(config: str) -> RunRules:
    """Return the statements of a run's config about its games; empty ones if it is not a tournament file."""
    try:
        file = load_toml(config)
    except ValueError:
        return RunRules()
    numbers: Counter[str] = Counter()
    variants = {}
    for table in map(_table, file["variant"] if isinstance(file.get("variant"), list) else []):
        name = str(table.get("name"))
        variants[f"{name}-{numbers[name]}"] = table
        numbers[name] += 1
    bots = map(_table, file["bot"] if isinstance(file.get("bot"), list) else [])
    own_times = {str(bot.get("name")): _times(_table(bot["time"])) for bot in bots if "time" in bot}
    return RunRules(_times(_table(file.get("time"))), variants, own_times)


def _clock_pairs(whose: str, clock: TimeControl, stated: Mapping[str, int]) -> list[tuple[str, object, object]]:
    """Return, for each key of [time], the value in a record and the value in the file; None if the file has none."""
    return [(f"{key}{whose}", getattr(clock, f"{key}_ms"), stated.get(key)) for key in _KEYS]


def _whose(own: object) -> str:
    return "that of the run" if own is None else "one of its own"


def _times(table: Mapping[str, Any]) -> dict[str, int]:
    """Return the times in a table, in ms."""
    found = {key: _MS.fullmatch(str(value)) for key, value in table.items()}
    return {key: int(match[1]) for key, match in found.items() if match}


def _table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
