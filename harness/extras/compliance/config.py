"""The input of a compliance check: the bot, its isolation, and how long the check waits."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field

from bowerbird.harness.referee.spec import BotSpec

SEED_BYTES = 8


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long the check waits, in seconds; a bot that is merely slow should not fail for it.

    `startup`: until Ready, as in [time] of a tournament file. `answer`: for each answer. `exit`: for the end of the
    process. `variant`: for all games of one variant; games left over by then do not count against the bot.
    """

    startup: float = 20.0
    answer: float = 10.0
    exit: float = 5.0
    variant: float = 15.0


@dataclass(frozen=True, slots=True)
class CheckConfig:
    """A bot that is ready to start (built, its program found), under a working isolation tier.

    `isolation` is the tier's name, `measures` are those of `game_record.MEASURES` that go with it. `seed` gives the
    cards of all games and what the bot may draw its random numbers from. It is drawn for each check, so that no bot
    knows the games of a check.
    """

    bot: BotSpec
    isolation: str
    timeouts: Timeouts
    measures: tuple[str, ...] = ()
    seed: str = field(default_factory=lambda: secrets.token_hex(SEED_BYTES))
