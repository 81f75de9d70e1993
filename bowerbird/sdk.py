"""Write a bot, run it, and play whole games in one process.

    from bowerbird.sdk import Bot, Decision, run

    class MyBot(Bot):
        def act(self, decision: Decision) -> int:
            return 0

    if __name__ == "__main__":
        run(MyBot())

`bowerbird match` starts this program and lets it play. `play` needs no referee, so you can debug a bot in one process:

>>> class First(Bot):
...     def act(self, decision: Decision) -> int:
...         return 0
>>> game = play("euchre", [First()] * 4, seed="1")
>>> game.ended, len(game.results), game.scores
('limit', 100, (0, 0, 0, 0))

This bot always passes, so the game stops after 100 hands, as in a tournament.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from bowerbird.harness.sdk import RESIGN, Bot, BotFailedError, Capabilities, Choice, run

if TYPE_CHECKING:
    from bowerbird.harness.sdk.cards import Cards
    from bowerbird.harness.sdk.decision import Decision, Fault, HandEnd, Table, TableEnd
    from bowerbird.harness.sdk.local import ResignedError, play

__all__ = [
    "RESIGN",
    "Bot",
    "BotFailedError",
    "Capabilities",
    "Cards",
    "Choice",
    "Decision",
    "Fault",
    "HandEnd",
    "ResignedError",
    "Table",
    "TableEnd",
    "play",
    "run",
]

_LATER = {
    "Cards": "bowerbird.harness.sdk.cards",
    "Decision": "bowerbird.harness.sdk.decision",
    "Fault": "bowerbird.harness.sdk.decision",
    "HandEnd": "bowerbird.harness.sdk.decision",
    "ResignedError": "bowerbird.harness.sdk.local",
    "Table": "bowerbird.harness.sdk.decision",
    "TableEnd": "bowerbird.harness.sdk.decision",
    "play": "bowerbird.harness.sdk.local",
}
"""The module of each name whose import loads the engine and the protocol: imported on first use."""


if not TYPE_CHECKING:  # a type checker must see only the names above

    def __getattr__(name: str) -> object:
        """Import a name of `_LATER` on first use, because a run starts many bot processes and each start takes time."""
        if name in _LATER:
            return getattr(import_module(_LATER[name]), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return all names, including those not imported yet."""
    return sorted({*globals(), *__all__})
