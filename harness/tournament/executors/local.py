"""Plays jobs in this process."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from types import TracebackType

from harness.referee.referee import OnGame, Referee
from harness.referee.roster import BotStory
from harness.referee.spec import InstanceKey
from harness.tournament.job import Job


class LocalExecutor:
    """A referee as an executor (`Executor`). Jobs begin in their order, each while the one before it ends."""

    def __init__(self, referee: Referee) -> None:
        """An executor that plays with this referee, and opens and closes it."""
        self._referee = referee

    async def __aenter__(self) -> LocalExecutor:
        """Open the referee."""
        await self._referee.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool | None:
        """Close the referee."""
        return await self._referee.__aexit__(kind, error, traceback)

    def hurry(self) -> None:
        """See `Executor`."""
        self._referee.hurry()

    async def roll_call(self, soon: Collection[InstanceKey] = ()) -> tuple[BotStory, ...]:
        """See `Executor`."""
        return await self._referee.roll_call(soon)

    async def play(self, jobs: Sequence[Job], on_game: OnGame) -> None:
        """See `Executor`."""
        await self._referee.play_jobs(jobs, on_game)
