"""Bots' processes that are started ahead of the referee, while what it needs is still imported.

A bot takes longer to start than trio and the referee to be imported. What a process must find when it dials is a
server, for which gRPC is enough; what it says is kept until the referee is there, which then sees it in like any other.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from types import TracebackType

from harness.referee.doorstep import Doorstep
from harness.referee.isolation import NONE, Tier, hide_memory
from harness.referee.lifeline import Lifeline
from harness.referee.log import Log
from harness.referee.order import Order
from harness.referee.post import Post
from harness.referee.spec import BotSpec, InstanceKey
from harness.referee.tiers import tier_named

STARTS_AT_ONCE = 4
"""A few processes start at a time, so that many do not time out while they starve each other."""

IMPORT_S = 30.0
"""How long the referee may take to be there; until then nobody answers a bot, and its start-up clock stands still."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A process that was sent for: where it comes in, and the order to start it."""

    door: Doorstep
    order: Order


class HeadStart:
    """What there is before a referee: its launcher process, its post, and processes that are on their way already.

    A context manager: at its end no server is left of those that no referee has taken over. The launcher process, which
    ends the processes, is not its own.
    """

    def __init__(self, lifeline: Lifeline) -> None:
        """Nobody is on the way. To be made before the first gRPC server is (`Lifeline`)."""
        self.lifeline = lifeline
        self.post = Post()
        self._sent: dict[InstanceKey, Sent] = {}

    def isolate(self, tier: str, hidden: Sequence[Path]) -> Tier:
        """The tier of this name (`tier_named`), the same for what is sent for here and what the referee starts.

        In a sandbox the sockets of others are hidden besides, and from each isolated bot the memory of this process.
        """
        if tier != NONE:
            hide_memory()
        return tier_named(tier, hidden=(*hidden, self.lifeline.folder))

    def send_for(self, bots: Iterable[BotSpec], tier: Tier, workspace: Path, startup_ms: int) -> None:
        """Start the first process of each of the first few bots that run here.

        What cannot be done now is left to the referee, which does it in its turn and says why if it still cannot.
        """
        local = [bot for bot in bots if not bot.remote]
        for number, bot in enumerate(local[:STARTS_AT_ONCE], 1):
            key = InstanceKey(bot.name, 0)
            address = f"unix:{self.lifeline.folder}/ahead-{number}"
            with contextlib.suppress(OSError), contextlib.ExitStack() as undoing:
                door = Doorstep(address, self.post, startup_ms / 1000 + IMPORT_S)
                undoing.callback(door.close)
                log = Log(log_path(workspace, key, 1))
                self._sent[key] = Sent(door, self.lifeline.order(tier.launch(bot, door.seat), log))
                undoing.pop_all()

    def take(self, key: InstanceKey) -> Sent | None:
        """The process of this instance, if it is on its way; it is the caller's from now on."""
        return self._sent.pop(key, None)

    def __enter__(self) -> HeadStart:
        """Nothing happens."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Stop to listen for those that nobody has taken over."""
        while self._sent:
            _, sent = self._sent.popitem()
            sent.order.give_up()
            sent.door.close()


def log_path(workspace: Path, key: InstanceKey, start: int) -> Path:
    """A file for each process; those of an earlier part of the run stay, since stories name them."""
    bot = re.sub(r"[^A-Za-z0-9._-]", "_", key.bot)
    paths = (workspace / f"{bot}-{key.number}-{number}.log" for number in count(start))
    return next(path for path in paths if not path.exists())
