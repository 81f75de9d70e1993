"""Spectators: follow a run while another process plays it.

    from bowerbird.spectator import Frame, connect, running

    with connect(running()[0]) as client:
        table = client.tables()[0]
        for update in client.watch_table(table.game):
            if isinstance(update, Frame):
                print(update.said)

`running` finds this user's runs. A run's socket is named after its id and its database:

>>> address = watch_address("results/bowerbird.db", "4f1c9a7be2")
>>> address.path.name.startswith("4f1c9a7be2-"), address.target.startswith("unix:/")
(True, True)

A frame shows the whole table except the hands. The record of a game contains all hands; `WatchClient.record` returns it
once its cards will not be dealt again. Every error is a WatchError with a one-sentence message. The protocol is in
`watch.proto`, which is all that a spectator in another language needs.
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
