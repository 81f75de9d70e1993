"""The process of the run: plays the one game, as `play_tournament` plays any run, and ends with the program above it.

Reads one JSON line from stdin: the setup, the database, the socket and the secret of the program that shows the game.
Writes one JSON line for each thing to tell that program. If stdin ends, that program is gone, however it went, and the
run ends in order. An interrupted game leaves nothing behind.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from bowerbird.engine import EngineError
from bowerbird.harness.extras.play.errors import PlayError
from bowerbird.harness.extras.play.setup import Setup, plan_of, with_person
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.store.changes import delete_run
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.live import LiveSteps
from bowerbird.harness.tournament.errors import TournamentError
from bowerbird.harness.tournament.events import Building, IsolationChosen, RunEnded, TournamentEvent
from bowerbird.harness.tournament.plan import Plan
from bowerbird.harness.tournament.run_options import RunOptions
from bowerbird.harness.tournament.start import play_tournament

FAILED = 2
INTERRUPTED = 130


def main() -> int:
    """Play the game that stdin describes. Return the exit code."""
    order = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        plan = with_person(plan_of(Setup.from_fields(order["setup"])), Path(order["socket"]), order["secret"])
        return _play(plan, Path(order["db"]))
    except (TournamentError, StoreError, EngineError, PlayError) as error:
        _tell("failed", why=str(error.args[0]))
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED


def _play(plan: Plan, db: Path) -> int:
    fingerprint = plan.header.fingerprint
    with Store.create(db) as store:
        try:
            play_tournament(plan, store, _on_event, RunOptions(on_steps=_on_steps))
        except KeyboardInterrupt:
            is_empty = not store[fingerprint].stored_sets()
        else:
            return 0
    if is_empty:
        with suppress(StoreError):  # it may not have begun
            delete_run(db, fingerprint)
    return INTERRUPTED


def _on_event(event: TournamentEvent) -> None:
    match event:
        case Building(bot=bot):
            _tell("building", bot=bot)
        case IsolationChosen(tier=tier, remark=remark):
            _tell("isolation", tier=tier, remark=remark)
        case RunEnded():
            _tell("stored")


def _on_steps(steps: LiveSteps) -> None:
    """Tell what happened at the table, hidden actions too: the program above dealt the packs."""
    _tell("steps", game=steps.game, actions=steps.actions, faults=[asdict(fault) for fault in steps.faults])


def _tell(what: str, **fields: object) -> None:
    with suppress(OSError):  # the program above may be gone; then stdin ends, too
        sys.stdout.write(json.dumps({"kind": what, **fields}) + "\n")
        sys.stdout.flush()


def _end_with_parent() -> None:
    """Interrupt this process when stdin ends."""
    with suppress(OSError):
        while sys.stdin.readline():
            pass
    os.kill(os.getpid(), signal.SIGINT)


if __name__ == "__main__":
    sys.exit(main())
