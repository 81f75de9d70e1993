"""Distributes the seats of an agent's bots among its desks, so that no desk has two seats of one table.

Input: the messages of the bots. Output: each seat's messages, to its desk. A bot plays one table at a time
(`agent_bot`), so all open seats on its line are of one table. With a desk for each player, every desk keeps one seat of
the table. Since cards belong to the seat, no desk meets a deal from two sides. With fewer desks, they move on by one
seat of the agent's side from game to game. Seats without a desk are the partner's (`agent_bot`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bowerbird.harness.extras.mcp.agent_bot.agent import PARTNER
from bowerbird.harness.extras.mcp.desk import Answer, Desk

Key = tuple[int, str]
"""A line, and the name of a table on it. Each seat has its own name for its table."""


class Seating:
    """The seats of one agent on all lines. Use it in one trio thread."""

    def __init__(self, desks: Sequence[Desk]) -> None:
        """Store the desks."""
        self._desks = desks
        self._games = 0
        self._opened: dict[Key, Mapping[str, Any]] = {}
        """Seats that wait until the whole table is known, which is at its first other message."""
        self._desk_of: dict[Key, Desk | None] = {}

    def take(self, line: int, said: Mapping[str, Any], answer: Answer) -> None:
        """Receive a message from the bot at `line`. `answer` sends an answer to it."""
        if said["type"] == "hello":
            answer({"ready": True})
            return
        key = line, said["table"]
        if said["type"] == "table_opened":
            self._opened[key] = said
            return
        self._share_out(line)
        desk = self._desk_of.pop(key) if said["type"] == "table_closed" else self._desk_of[key]
        if desk is None:
            if said["type"] == "decision":
                answer({"id": said["id"], "action": PARTNER})
            return
        tell: Mapping[str, Callable[[], None]] = {
            "decision": lambda: desk.decision(line, said, answer),
            "hand_ended": lambda: desk.hand_ended(line, said),
            "table_closed": lambda: desk.table_closed(line, said),
        }
        tell[said["type"]]()

    def line_lost(self, line: int) -> None:
        """Receive the end of a bot's connection."""
        for seats in (self._opened, self._desk_of):
            for key in [key for key in seats if key[0] == line]:
                del seats[key]
        for desk in self._desks:
            desk.line_lost(line)

    def _share_out(self, line: int) -> None:
        """Assign the seats that were opened on a line to desks."""
        keys = sorted((key for key in self._opened if key[0] == line), key=lambda key: self._opened[key]["seat"])
        for place, key in enumerate(keys):
            said = self._opened.pop(key)
            number = said["seat"] if len(self._desks) >= said["players"] else (place + self._games) % len(keys)
            desk = self._desk_of[key] = self._desks[number] if number < len(self._desks) else None
            if desk is not None:
                desk.table_opened(line, said)
        self._games += bool(keys)
