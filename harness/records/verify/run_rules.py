"""What the tournament file of a run says of each of its games: no run writes a record that differs from it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.text.bounded_toml import load_toml
from bowerbird.harness.records.values.game_record import MOST_CLOCK_MS, GameRecord
from bowerbird.harness.records.values.run import GameId

_MS = re.compile(r"(\d{1,9})ms")
_SHOWN = 60
"""Characters of a value that a sentence shows."""


@dataclass(frozen=True, slots=True)
class RunRules:
    """What a resolved tournament file says of games. Files of older versions lack some keys, which are not compared.

    time: the keys of [time], in ms.
    variants: by entry, the name, the options and the fault policy of a variant.
    """

    time: Mapping[str, int] = field(default_factory=dict)
    variants: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def margin_ms(self) -> int:
        """Grace before a timeout is called; the longest that there is if the file does not say."""
        return self.time.get("margin", MOST_CLOCK_MS)

    def wrong_conditions(self, record: GameRecord) -> str:
        """Return where the variant or the conditions of a game are not those of the file, as a sentence; "" if nowhere.

        Raises ValueError for a malformed id.
        """
        entry, clock = GameId.parse(record.id).entry, record.conditions.time
        stated = self.variants.get(entry, {})
        pairs = [
            ("variant", record.variant, stated.get("name")),
            ("on_fault", record.conditions.on_fault, stated.get("on_fault")),
            *((name, value, _table(stated.get("options")).get(name)) for name, value in record.options.items()),
            ("per_decision", clock.per_decision_ms, self.time.get("per_decision")),
            ("bank", clock.bank_ms, self.time.get("bank")),
            ("increment", clock.increment_ms, self.time.get("increment")),
            ("game", clock.game_ms, self.time.get("game")),
        ]
        for name, found, wanted in pairs:
            if wanted is not None and found != wanted:
                mine, theirs = shown(str(found), _SHOWN), shown(str(wanted), _SHOWN)
                return f"its {name} is {mine}, and {theirs} in the tournament file of its run"
        return ""


def run_rules(config: str) -> RunRules:
    """Return what a run's config says of its games: nothing if it is not a tournament file."""
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
    times = {key: _MS.fullmatch(str(value)) for key, value in _table(file.get("time")).items()}
    return RunRules({key: int(match[1]) for key, match in times.items() if match}, variants)


def _table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
