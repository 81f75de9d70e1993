"""Bot processes that start before their referee exists (`Prestart`)."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bowerbird.harness.referee.connection.prestart import Prestart
from bowerbird.harness.referee.isolation.tiers import Unconfined
from bowerbird.harness.referee.process.supervisor_handle import SupervisorHandle
from bowerbird.harness.referee.spec import BotSpec
from tests.support.deadline import DEADLINE_S
from tests.support.referee.tables import MARK, conditions

STARTUP_MS = conditions().time.startup_ms


@contextmanager
def head_start(workspace: Path, bots: Sequence[BotSpec]) -> Iterator[Prestart]:
    """Prestart a process of each of these bots. On leaving, end those that no referee took over."""
    with SupervisorHandle.start() as handle, Prestart(handle) as ahead:
        ahead.start_first(bots, Unconfined(), workspace, STARTUP_MS)
        yield ahead


def marked(workspace: Path, *bots: BotSpec) -> list[BotSpec]:
    """Return the bots with the mark by which `running(workspace)` finds their processes."""
    return [dataclasses.replace(spec, environment={**spec.environment, MARK: str(workspace)}) for spec in bots]


def until(condition: Callable[[], bool]) -> None:
    """Wait at most DEADLINE_S for a condition; fail if it does not hold then."""
    deadline = time.monotonic() + DEADLINE_S
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.005)
    assert condition()
