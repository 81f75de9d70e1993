"""The input of a compliance check: a bot that is built, its isolation, and how long the check waits."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field, replace

from bowerbird.harness.cli.shared.output import note
from bowerbird.harness.records.values.game_record import LIMITS
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

    `isolation` is the tier's name, `measures` are the members of `game_record.MEASURES` that go with it. `seed` gives
    the cards of all games and what the bot may draw its random numbers from. It is drawn for each check, so that no bot
    knows the games of a check.
    """

    bot: BotSpec
    isolation: str
    timeouts: Timeouts
    measures: tuple[str, ...] = ()
    seed: str = field(default_factory=lambda: secrets.token_hex(SEED_BYTES))


def check_config(bot: str, isolation: str | None, timeouts: Timeouts, seed: str = "") -> CheckConfig:
    """Return the configuration for the bot that the user named. Build it if it must be, and say so on stderr.

    seed: the seed of the games; "" to draw one.

    Raises InputError or ConfigError if there is no such bot or it cannot be started.
    """
    from bowerbird.harness.tournament.config.bot_file import load_bot
    from bowerbird.harness.tournament.config.bot_paths import find_bot
    from bowerbird.harness.tournament.preparation.build import prepare
    from bowerbird.harness.tournament.preparation.isolation import choose_tier

    ready = prepare(load_bot(find_bot(bot)), lambda name: note(f"building bot {name} …"))
    tier = choose_tier(isolation or "", [ready], (), None)
    if tier.remark and isolation != LIMITS:  # its remark is about the seed of a run, and a check has no run
        note(tier.remark)
    config = CheckConfig(ready, tier.tier, timeouts, tier.measures)
    return replace(config, seed=seed) if seed else config
