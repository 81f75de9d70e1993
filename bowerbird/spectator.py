"""Spectators: follow a run while another process plays it.

    from bowerbird.spectator import Frame, connect, running

    with connect(running()[0]) as client:
        table = client.tables()[0]
        for update in client.watch_table(table.game):
            if isinstance(update, Frame):
                print(update.said)

`running` finds the runs of this user; the socket of a run is named after its id and its database:

>>> address = watch_address("results/bowerbird.db", "4f1c9a7be2")
>>> address.path.name.startswith("4f1c9a7be2-"), address.target.startswith("unix:/")
(True, True)

A frame shows the whole table without hands. The record of a game has all hands; `WatchClient.record` returns it once
its cards are not dealt again. Errors are WatchError, with one sentence for people. The protocol is `watch.proto`; a
spectator in another language needs this file alone.
"""

from __future__ import annotations

from bowerbird.harness.extras.watch.client import UpdateStream, WatchClient, connect, connect_to
from bowerbird.harness.records.replay.frames import Frame, Pile, SeatFrame
from bowerbird.harness.watch.address import WatchAddress, running, watch_address
from bowerbird.harness.watch.errors import NotFoundError, NotOpenError, RunGoneError, TooManyError, WatchError
from bowerbird.harness.watch.values import (
    BotFailed,
    BotInfo,
    ClockInfo,
    DealSet,
    GameOutcome,
    GamesOpened,
    Lost,
    RoundBegan,
    RunInfo,
    RunOver,
    RunUpdate,
    SetFinished,
    SetVoided,
    Standing,
    Standings,
    TableEnded,
    TableInfo,
    TableUpdate,
    Thinking,
)

__all__ = [
    "BotFailed",
    "BotInfo",
    "ClockInfo",
    "DealSet",
    "Frame",
    "GameOutcome",
    "GamesOpened",
    "Lost",
    "NotFoundError",
    "NotOpenError",
    "Pile",
    "RoundBegan",
    "RunGoneError",
    "RunInfo",
    "RunOver",
    "RunUpdate",
    "SeatFrame",
    "SetFinished",
    "SetVoided",
    "Standing",
    "Standings",
    "TableEnded",
    "TableInfo",
    "TableUpdate",
    "Thinking",
    "TooManyError",
    "UpdateStream",
    "WatchAddress",
    "WatchClient",
    "WatchError",
    "connect",
    "connect_to",
    "running",
    "watch_address",
]
