"""A plan: a tournament file, its seed and everything that follows from the two."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass, field

from harness.records.run import Entrant, RunHeader, commitment_of, deal_seed
from harness.tournament.config import TournamentFile
from harness.tournament.formats import Extent, extent, no_time, rounds_of_run
from harness.tournament.resolved import resolved_text
from harness.tournament.rounds import PlayedUntil, Rounds
from harness.tournament.schedule import RunIdentity

SEED_BYTES = 32
_HEX_SEED = re.compile(r"[0-9A-Fa-f]{64}")


@dataclass(frozen=True, slots=True)
class Plan:
    """What is going to be played. Equal files and seeds make equal plans, on every machine.

    `seed` is the secret that the run commits to.
    """

    file: TournamentFile
    header: RunHeader
    seed: bytes = field(repr=False)

    def rounds(self, played_until: PlayedUntil = no_time) -> Rounds:
        """The rounds of the run, from the first; each call begins anew. A limit on time asks `played_until`."""
        identity = RunIdentity(
            self.header.fingerprint, self.header.commitment, deal_seed(self.seed, self.header.beacon)
        )
        return rounds_of_run(self.file, identity, played_until)

    @property
    def extent(self) -> Extent:
        """How much there is to be played, as far as it is known before the first game."""
        return extent(self.file)


def make_plan(file: TournamentFile, seed: bytes | None = None) -> Plan:
    """The plan of a tournament file.

    A typed seed makes a practice run. Without one a seed of 32 bytes is drawn from the system, unless `seed` gives
    the one that was drawn when the run began, to go on with it.
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
    """The 32 bytes that a typed seed stands for: 64 hex digits as they are, any other text by its SHA-256."""
    if _HEX_SEED.fullmatch(typed):
        return bytes.fromhex(typed)
    return hashlib.sha256(typed.encode()).digest()
