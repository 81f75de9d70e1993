"""Plays a person's decisions (relay.py)."""

from __future__ import annotations

import os
import sys

from bowerbird.bots.human.relay import SECRET, SOCKET, NobodyThereError, Relay
from bowerbird.sdk import RESIGN, Bot, Capabilities, Choice, Decision, Table, TableEnd, run


class HumanBot(Bot):
    """A bot that asks a person. The referee makes forced decisions."""

    name = "human"
    capabilities = Capabilities(max_tables=1, max_batch=1)

    def __init__(self, relay: Relay) -> None:
        """Connect to the program that shows the game."""
        self._relay = relay

    def act(self, decision: Decision) -> Choice:
        """Return the person's choice."""
        token = self._relay.ask(decision)
        return RESIGN if token is None else token

    def table_opened(self, table: Table) -> None:
        """Pass it on."""
        self._relay.table(table)

    def table_closed(self, table: Table, end: TableEnd) -> None:
        """Pass it on."""
        self._relay.closed(end)


def main() -> None:
    """Connect to the program that shows the game, then play."""
    if SOCKET not in os.environ:
        sys.exit("this bot plays for a person, and no program shows the game; start one with: bowerbird play VARIANT")
    try:
        run(HumanBot(Relay(os.environ[SOCKET], os.environ.get(SECRET, ""))))
    except NobodyThereError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
