"""The input of a compliance check: a bot that has been built, its isolation, and the check's timeouts."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field, replace

from bowerbird.harness.cli.shared.output import note
from bowerbird.harness.records.values.game_record import LIMITS
from bowerbird.harness.referee.spec import BotSpec

SEED_BYTES = 8


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long the check waits, in seconds. A bot that is merely slow should not fail.

    `startup`: until Ready, as in [time] of a tournament file. `answer`: for each answer. `exit`: for the end of the
    process. `variant`: for all games of one variant. Games not played by then do not count against the bot.
    """

    startup: float = 20.0
    answer: float = 10.0
    exit: float = 5.0
    variant: float = 15.0


@dataclass(frozen=True, slots=True)
class CheckConfig:
    """A bot that is ready to start (built, its program found), under a working isolation tier.

    `isolation` is the tier's name, and `measures` are its members of `game_record.MEASURES`. The cards of all games and
    the bot's seed follow from `seed`. It is drawn for each check, so that no bot can know the games in advance.
    """

    bot: BotSpec
    isolation: str
    timeouts: Timeouts
    measures: tuple[str, ...] = ()
    seed: str = field(default_factory=lambda: secrets.token_hex(SEED_BYTES))


def check_config(bot: str, isolation: str | None, timeouts: Timeouts, seed: str = "") -> CheckConfig:
    """Return the configuration for the bot that the user named. Build the bot if needed, with a note on stderr.

    seed: the seed of the games; "" to draw one.

    Raises InputError or ConfigError if there is no such bot or it cannot be started.
    """
    from bowerbird.harness.tournament.config.bot_file import load_bot
    from bowerbird.harness.tournament.config.bot_paths import find_bot
    from bowerbird.harness.tournament.preparation.build import prepare
    from bowerbird.harness.tournament.preparation.isolation import choose_tier

    ready = prepare(load_bot(find_bot(bot)), lambda name: note(f"building bot {name} …"))
    tier = choose_tier(isolation or "", [ready], (), None)
    if tier.remark and isolation != LIMITS:  # ignored: its remark is about the seed of a run, and a check has no run
        note(tier.remark)
    config = CheckConfig(ready, tier.tier, timeouts, tier.measures)
    return replace(config, seed=seed) if seed else config
