"""A program that plays one run of a season on a listener that it inherits, as the league's child does.

Usage: python -m tests.support.command.season_run FILE DATABASE FOLDER DESCRIPTOR [AWAY...]
"""

from __future__ import annotations

import socket
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from bowerbird.harness.records.store.store import Store
from bowerbird.harness.tournament.config.tournament_file import load_tournament
from bowerbird.harness.tournament.errors import MissingBotsError
from bowerbird.harness.tournament.events import AdmissionUpdate, TournamentEvent
from bowerbird.harness.tournament.plan import make_plan
from bowerbird.harness.tournament.preparation.hosting import (
    Hosting,
    InvitationFile,
    Season,
    address_of,
    inherited,
    season_certificate,
)
from bowerbird.harness.tournament.preparation.season_tokens import SeasonTokens
from bowerbird.harness.tournament.run_options import RunOptions
from bowerbird.harness.tournament.start import play_tournament

NAME = "127.0.0.1"
MISSING = 3
"""The exit code of a run that did not begin."""


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


def _on_event(event: TournamentEvent) -> None:
    _say(event.line if isinstance(event, AdmissionUpdate) else type(event).__name__)


def hosting(folder: Path, listener: socket.socket, away: Sequence[str], wait_s: float) -> Hosting:
    """Return the hosting of one run of the season in `folder`."""
    certificate = season_certificate([NAME], folder)

    def announce(invitations: Sequence[InvitationFile], _trust: Path, _commitment: str) -> None:
        assert not invitations, "the bots of a season are invited already"
        _say("open")

    return Hosting(
        listener=listener,
        certificate=certificate,
        address=address_of(NAME, listener),
        wait_s=wait_s,
        folder=folder / "invitations",
        announce=announce,
        season=Season(
            SeasonTokens(folder), frozenset(away), grace_s=1.0, on_outsider=lambda name: _say(f"outsider {name}")
        ),
    )


def main() -> None:
    """Play the run. Exit with `MISSING` if bots are missing."""
    began = time.monotonic()
    file, database, folder, descriptor, *away = sys.argv[1:]
    plan = make_plan(load_tournament(Path(file)))
    season = hosting(Path(folder), inherited(int(descriptor)), away, wait_s=60)
    with Store.create(Path(database)) as store:
        try:
            play_tournament(plan, store, _on_event, RunOptions(hosting=season))
        except MissingBotsError as error:
            _say(f"missing {' '.join(error.missing)}")
            sys.exit(MISSING)
    _say(f"complete after {time.monotonic() - began:.1f} s")


if __name__ == "__main__":
    main()
