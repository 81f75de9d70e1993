"""Values of leagues for tests."""

from __future__ import annotations

from pathlib import Path

from bowerbird.harness.records.values.league import PLAYING, Epoch, League, LeagueBot, Season
from bowerbird.harness.referee.spec import BotSpec


def league(name: str = "autumn", *, season: int = 1) -> League:
    """Return a league in its file's words."""
    return League(name, f"{name}.toml", "", season, is_paused=False, is_ending=False, started="2026-11-26T12:00:00")


def league_bot(
    name: str, bot: str | None = None, number: int = 1, version: str = "1", status: str = PLAYING
) -> LeagueBot:
    """Return a version of a bot, by default the first."""
    return LeagueBot(
        name=name,
        bot=bot or name,
        number=number,
        version=version,
        author="Ada",
        fingerprint=f"sha256:{name}",
        status=status,
        why="" if status == PLAYING else "for a test",
        since=1,
        entry=f'path = "greedy"\nname = "{name}"',
    )


def season(*bots: LeagueBot, epochs: tuple[Epoch, ...] = ()) -> Season:
    """Return a season of these bots."""
    return Season(league(), bots, epochs)


def spec(name: str, version: str = "1", fingerprint: str | None = None) -> BotSpec:
    """Return a bot as it is in its folder."""
    return BotSpec(
        name=name,
        version=version,
        author="Ada",
        command=("true",),
        cwd=Path(),
        build=(),
        environment={},
        variants=("*",),
        tables=1,
        memory_mb=16,
        read=(),
        source=Path(name, "bot.toml"),
        fingerprint=fingerprint or f"sha256:{name}",
    )
