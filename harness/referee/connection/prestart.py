"""Starts the first bots before the referee exists, while trio and the referee are still being imported.

Starting a bot takes longer than importing trio and the referee. A process needs an address to dial, for which a
listening socket is enough. There it waits until the referee takes it over like any other process.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from bowerbird.harness.closing import Closing
from bowerbird.harness.records.values.game_record import NO_ISOLATION, SANDBOX
from bowerbird.harness.referee.connection.endpoint import Endpoint
from bowerbird.harness.referee.connection.mailbox import Mailbox
from bowerbird.harness.referee.isolation.launch import Tier, hide_memory
from bowerbird.harness.referee.isolation.tiers import tier_named
from bowerbird.harness.referee.process.output import OutputLog
from bowerbird.harness.referee.process.supervisor_handle import StartRequest, SupervisorHandle
from bowerbird.harness.referee.spec import BotSpec, InstanceKey

MAX_STARTING = 4
"""How many processes start at the same time. With more, they would starve each other and time out."""

IMPORT_S = 30.0
"""How long importing the referee may take. During this time a bot gets no answer, and its start-up clock does not run.
"""


@dataclass(frozen=True, slots=True)
class PrestartedProcess:
    """A starting process: its endpoint, and the request to the supervisor."""

    endpoint: Endpoint
    request: StartRequest


class Prestart(Closing):
    """The parts of a referee that exist before it: the supervisor process, the mailbox, and starting processes.

    It is a context manager, whose end closes the endpoints that no referee took over. It does not end the supervisor
    process, which ends the bots.
    """

    def __init__(self, supervisor: SupervisorHandle) -> None:
        """Create it without starting anything. This must happen before the first gRPC server (`SupervisorHandle`)."""
        self.supervisor = supervisor
        self.mailbox = Mailbox()
        self._processes: dict[InstanceKey, PrestartedProcess] = {}

    def tier(self, name: str, hidden: Sequence[Path], measures: Sequence[str] = ()) -> Tier:
        """Return the isolation tier of this name, for processes started here and by the referee (`tier_named`).

        A sandbox also hides the sockets of other bots. No isolated bot can read this process's memory.

        measures: the members of `game_record.MEASURES` that are in force.
        """
        if name != NO_ISOLATION:
            hide_memory()
        return tier_named(name, hidden=(*hidden, self.supervisor.folder), measures=measures)

    def start_first(self, bots: Iterable[BotSpec], tier: Tier, workspace: Path, startup_ms: int) -> None:
        """Start one process for each of the first MAX_STARTING local bots.

        A process that cannot be started here is left to the referee, which tries again and reports the reason.
        """
        local = [bot for bot in bots if not bot.remote]
        for number, bot in enumerate(local[:MAX_STARTING], 1):
            key = InstanceKey(bot.name, 0)
            address = f"unix:{self.supervisor.folder}/ahead-{number}"
            with contextlib.suppress(OSError), contextlib.ExitStack() as undo:
                endpoint = Endpoint(
                    address, self.mailbox, startup_ms / 1000 + IMPORT_S, is_private=tier.name == SANDBOX
                )
                undo.callback(endpoint.close)
                log = OutputLog(log_path(workspace, key, 1))
                request = self.supervisor.request_start(tier.launch(bot, {**bot.private, **endpoint.environment}), log)
                self._processes[key] = PrestartedProcess(endpoint, request)
                undo.pop_all()

    def take(self, key: InstanceKey) -> PrestartedProcess | None:
        """Hand over the process of this instance if it was started here. The caller must then close it."""
        return self._processes.pop(key, None)

    def close(self) -> None:
        """Close the endpoints that were not taken over."""
        while self._processes:
            _, process = self._processes.popitem()
            process.request.discard()
            process.endpoint.close()


def log_path(workspace: Path, key: InstanceKey, start: int) -> Path:
    """Return a new path for the output of the `start`-th process of an instance.

    Existing files are kept, since stories of an earlier part of the run refer to them.
    """
    bot = re.sub(r"[^A-Za-z0-9._-]", "_", key.bot)
    paths = (workspace / f"{bot}-{key.number}-{number}.log" for number in count(start))
    return next(path for path in paths if not path.exists())
