"""A run in its own process, which another program starts, listens to and ends.

Input: one JSON line from stdin, the order. Output: one JSON line for each message to that program. If stdin ends, that
program has ended for whatever reason, and the run ends properly.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from bowerbird.engine import EngineError
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.store.changes import delete_run
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.tournament.errors import TournamentError
from bowerbird.harness.tournament.events import Progress
from bowerbird.harness.tournament.plan import Plan
from bowerbird.harness.tournament.run_options import RunOptions
from bowerbird.harness.tournament.start import play_tournament

FAILED = 2
INTERRUPTED = 130


def carry_out(play: Callable[[Any], int]) -> int:
    """Read the order from stdin, pass it to `play`, and return the exit code. Errors for people are reported."""
    order = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        return play(order)
    except (TournamentError, StoreError, EngineError) as error:
        tell("failed", why=str(error.args[0]))
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED


def play_run(plan: Plan, db: Path, on_event: Progress, options: RunOptions) -> int:
    """Play a plan. Return the exit code. An interrupted run without a finished deal set leaves nothing behind."""
    fingerprint = plan.header.fingerprint
    with Store.create(db) as store:
        try:
            play_tournament(plan, store, on_event, options)
        except KeyboardInterrupt:
            is_empty = not store[fingerprint].stored_sets()
        else:
            return 0
    if is_empty:
        with suppress(StoreError):  # the run may not have begun
            delete_run(db, fingerprint)
    return INTERRUPTED


def tell(what: str, **fields: object) -> None:
    """Send a message to the program that ordered the run."""
    with suppress(OSError):  # it may be gone, but then stdin ends, too
        sys.stdout.write(json.dumps({"kind": what, **fields}) + "\n")
        sys.stdout.flush()


def _end_with_parent() -> None:
    """Interrupt this process when stdin ends."""
    with suppress(OSError):
        while sys.stdin.readline():
            pass
    os.kill(os.getpid(), signal.SIGINT)
