"""Runs the organiser's command after the end of a run (tournament-file.md, The tournament)."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING

from bowerbird.harness.cli.shared.output import note

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bowerbird.harness.records.store.store import StoredRun

LONGEST_S = 60.0
"""Seconds after which the command is killed, with all processes of its group."""

RUN, NAME, DATABASE = "BOWERBIRD_RUN", "BOWERBIRD_RUN_NAME", "BOWERBIRD_DB"
"""The environment variables that name the finished run and its database."""


def run_on_end(words: Sequence[str], folder: Path, run: StoredRun, longest_s: float = LONGEST_S) -> None:
    """Run a command in the folder of the tournament file; do nothing if `words` is empty.

    Its output goes to stderr. If it fails, hangs or is interrupted, print one line about that; the results stand in any
    case.

    words: the program and its arguments.
    longest_s: seconds after which it is killed.
    """
    if not words:
        return
    variables = {RUN: run.fingerprint, NAME: run.row.name, DATABASE: str(run.store.path.resolve())}
    try:
        process = subprocess.Popen(
            words,
            cwd=folder,
            env={**os.environ, **variables},
            stdin=subprocess.DEVNULL,
            stdout=2,
            start_new_session=True,
        )
    except OSError as error:
        _tell(words, f"does not start: {error.strerror or error}", run)
        return
    try:
        code = process.wait(longest_s)
    except subprocess.TimeoutExpired:
        _tell(words, f"took longer than {longest_s:g} s and was killed", run)
    except KeyboardInterrupt:
        _tell(words, "was interrupted and killed", run)
    else:
        if code:
            _tell(words, f"ended with {f'signal {-code}' if code < 0 else f'exit status {code}'}", run)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # and processes that it left running
        process.wait()


def _tell(words: Sequence[str], what: str, run: StoredRun) -> None:
    note(f"on_end: {words[0]} {what}; the results of run {run.fingerprint} stand")
