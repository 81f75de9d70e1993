"""A season: one listener, its runs as processes one after another, and bots in loops, as their authors start them."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from bowerbird.harness.tournament.preparation.hosting import address_of, season_certificate, write_invitations
from bowerbird.harness.tournament.preparation.season_tokens import SeasonTokens
from tests.support.command.bowerbird_command import MARK, Bowerbird
from tests.support.command.hosted import PYTHON, HostProcess
from tests.support.command.season_run import NAME
from tests.support.deadline import DEADLINE_S
from tests.support.paths import ROOT

LOOP = 'while true; do "$@"; sleep 0.5; done'
"""What an author starts. The invitation has a longer pause."""


class SeasonOrganiser:
    """The process that outlives the runs: it keeps the listener open and the tokens."""

    def __init__(self, command: Bowerbird, *bots: str) -> None:
        """Invite these bots."""
        self.command = command
        self.folder = command.folder / "season"
        self.database = command.folder / "x.db"
        self.listener = socket.create_server((NAME, 0), backlog=64)
        self.tokens = SeasonTokens(self.folder)
        for bot in bots:
            self.tokens.invite(bot)

    def invitation(self, bot: str, token: int = 0) -> dict[str, str]:
        """Return the environment that a bot's author sets for a process with this token. Invite it first."""
        tokens = {bot: self.tokens.invite(bot)}
        certificate = season_certificate([NAME], self.folder)
        address = address_of(NAME, self.listener)
        [made] = write_invitations(self.folder / "invitations", tokens, address, certificate, for_season=True)
        found = dict(line.split("=", 1) for line in made.environment)
        found["BOWERBIRD_TOKEN"] = tokens[bot][token]
        found["BOWERBIRD_CA"] = str(made.file.with_name(found["BOWERBIRD_CA"]))
        return found

    @contextmanager
    def run(self, file: Path, *away: str) -> Iterator[HostProcess]:
        """Start a run of a tournament file; end it on leaving."""
        descriptor = self.listener.fileno()
        arguments = [file, self.database, self.folder, descriptor, *away]
        host = HostProcess(
            subprocess.Popen(
                [sys.executable, "-m", "tests.support.command.season_run", *map(str, arguments)],
                cwd=ROOT,
                env=self.command.environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=[descriptor],
                text=True,
            )
        )
        try:
            yield host
        finally:
            host.close()


class LoopedBot:
    """A bot in a shell loop. Its log holds what all its processes wrote to stderr."""

    def __init__(self, invitation: Mapping[str, str], log: Path, command: Sequence[str], mark: str, loop: str) -> None:
        self.log = log
        environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), MARK: mark, **invitation}
        with log.open("a") as written:
            self._shell = subprocess.Popen(
                ["/bin/sh", "-c", loop, "loop", *command],
                cwd=ROOT,
                env=environment,
                stdin=subprocess.DEVNULL,
                stderr=written,
                start_new_session=True,
            )

    def said(self) -> str:
        """Return what its processes have written to stderr."""
        return self.log.read_text()

    def ended(self) -> int:
        """Wait for the end of its shell, which needs a loop that ends; return the exit code."""
        return self._shell.wait(timeout=DEADLINE_S)

    def kill(self) -> None:
        """Kill the loop and its process."""
        with contextlib.suppress(ProcessLookupError):  # it has ended
            os.killpg(self._shell.pid, signal.SIGKILL)
        self._shell.wait(timeout=DEADLINE_S)


@contextmanager
def season(command: Bowerbird, *bots: str) -> Iterator[SeasonOrganiser]:
    """Open a season for these bots; close its listener on leaving."""
    made = SeasonOrganiser(command, *bots)
    with made.listener:
        yield made


@contextmanager
def looped(
    organiser: SeasonOrganiser,
    bot: str,
    *command: str,
    token: int = 0,
    loop: str = LOOP,
    environment: Mapping[str, str] | None = None,
) -> Iterator[LoopedBot]:
    """Start a bot in a loop, `bots.random` by default; kill it on leaving. `environment` overrides its invitation."""
    log = organiser.command.folder / f"{bot}-{token}.log"
    invitation = environment or organiser.invitation(bot, token)
    made = LoopedBot(invitation, log, command or (PYTHON, "-m", "bowerbird.bots.random"), organiser.command.mark, loop)
    try:
        yield made
    finally:
        made.kill()
