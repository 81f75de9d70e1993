"""A bot of the SDK that notes what the hostile bot notes in its mode `noting`. It may run elsewhere."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3]))  # a bot is started as a file, from any folder
from bowerbird.sdk import Bot, Decision, run
from tests.support.bots.hostile_acts import note_of


class NotingBot(Bot):
    """Notes something about all decisions except every seventh."""

    def act(self, decision: Decision) -> int:
        """Return the legal actions in turn."""
        if decision.id % 7:
            decision.note = note_of(decision.id)
        return decision.id % decision.choices


if __name__ == "__main__":
    run(NotingBot())
