"""A plan: a tournament file and its seed, which together determine everything that is played."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass, field

from bowerbird.harness.records.quoting import utf8
from bowerbird.harness.records.values.run import Entrant, RunHeader, commitment_of, deal_seed
from bowerbird.harness.tournament.config.resolved import resolved_text
from bowerbird.harness.tournament.config.tournament_file import TournamentFile
from bowerbird.harness.tournament.formats.absences import NO_ABSENCES, Absences
from bowerbird.harness.tournament.formats.catalogue import Extent, extent, no_time, rounds_of_run
from bowerbird.harness.tournament.formats.rounds import PlayedUntil, Rounds
from bowerbird.harness.tournament.jobs.schedule import RunIdentity

SEED_BYTES = 32
_HEX_SEED = re.compile(r"[0-9A-Fa-f]{64}")


@dataclass(frozen=True, slots=True)
class Plan:
    """A tournament that is ready to play. Equal files and seeds make equal plans on every machine.

    `seed` is the 32-byte secret that the run commits to.
    """

    file: TournamentFile
    header: RunHeader
    seed: bytes = field(repr=False)

    def rounds(self, played_until: PlayedUntil = no_time, absences: Absences = NO_ABSENCES) -> Rounds:
        """Return the rounds of the run; each call begins with the first round (`rounds_of_run`)."""
        identity = RunIdentity(
            self.header.fingerprint, self.header.commitment, deal_seed(self.seed, self.header.beacon)
        )
        return rounds_of_run(self.file, identity, played_until, absences)

    @property
    def extent(self) -> Extent:
        """The size of the run as known before the first game."""
        return extent(self.file)


def make_plan(file: TournamentFile, seed: bytes | None = None) -> Plan:
    """Return the plan of a tournament file.

    A seed in the file makes a practice run. Without one, a seed is drawn from the operating system. To resume a run,
    pass its `seed`.
    """
    secret = seed if seed is not None else (seed_of(file.seed) if file.seed else os.urandom(SEED_BYTES))
    commitment = commitment_of(secret)
    header = RunHeader(
        name=file.name,
        commitment=commitment,
        practice=bool(file.seed),
        config=resolved_text(file),
        bots=tuple(Entrant(bot.name, bot.version, bot.fingerprint, bot.author) for bot in file.bots),
        packs=file.packs,
        beacon=file.beacon,
    )
    return Plan(file, header, secret)


def seed_of(typed: str) -> bytes:
    """Return the 32 bytes of a seed given as text: the value of 64 hex digits, or the SHA-256 of any other text."""
    if _HEX_SEED.fullmatch(typed):
        return bytes.fromhex(typed)
    return hashlib.sha256(utf8(typed)).digest()
