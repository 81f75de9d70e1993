"""Prepares a bot for `bowerbird.harness.extras.compliance`: built, its program found, its isolation tier tried."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bowerbird.harness.cli.shared.output import note
from bowerbird.harness.records.values.game_record import LIMITS

if TYPE_CHECKING:
    from bowerbird.harness.extras.compliance.config import CheckConfig, Timeouts


def check_config(bot: str, isolation: str | None, timeouts: Timeouts, seed: str = "") -> CheckConfig:
    """Return the configuration for the bot that the user named. Build it if it must be, and say so on stderr.

    seed: that of the games; "" to draw one.

    Raises InputError or ConfigError if there is no such bot or it cannot be started.
    """
    from bowerbird.harness.extras.compliance.config import CheckConfig
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
