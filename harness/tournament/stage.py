"""A stage: a final between the best bots of an earlier run (tournament-file.md, The tournament).

Input: a tournament file with `stage`, and the store with the complete earlier run. Output: the bots that take part, in
the order of their places. They stay the entrants of the run, even when it is resumed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bowerbird.engine import did_you_mean
from bowerbird.harness.tournament.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Collection

    from bowerbird.harness.records.store.store import Store
    from bowerbird.harness.tournament.config.tournament_file import TournamentFile

FEWEST = 2
"""The fewest bots in a tournament."""


def best_of(file: TournamentFile, store: Store) -> tuple[str, ...]:
    """Return the bots that take part in a tournament with a stage, the best of the earlier run first.

    A bot that was withdrawn there is skipped. All bots that share the last place take part.

    Raises StoreError if there is no such run; ConfigError if it is not complete or has no places, if a chosen bot is
    not in the file, or if fewer than two are left.
    """
    from bowerbird.harness.ratings.standings.overview import overview
    from bowerbird.harness.ratings.standings.places import places_of_run

    assert file.stage is not None, "only a file with a stage is asked"
    run = store.run(file.stage.run)
    where = f"{file.name}: stage: run {run.fingerprint} ({run.row.name})"
    if run.row.original_name == file.name:
        raise ConfigError(f"{where} is this tournament itself; name an earlier run")
    if run.row.ended is None:
        raise ConfigError(f"{where} is not complete, so its places are not final; resume it first")
    places = places_of_run(run, overview([run]).overall.standings)
    if not places:
        raise ConfigError(f"{where} is adaptive, so it has no places")
    gone = {one.bot for one in run.withdrawals()}
    chosen: list[str] = []
    for bot in sorted((bot for bot in places if bot not in gone), key=lambda one: (places[one], one)):
        if len(chosen) >= file.stage.best and places[bot] != places[chosen[-1]]:
            break
        chosen.append(bot)
    _check(chosen, [bot.name for bot in file.bots], where)
    return tuple(chosen)


def _check(chosen: Collection[str], entered: Collection[str], where: str) -> None:
    for bot in chosen:
        if bot not in entered:
            raise ConfigError(f"{where}: {bot!r} is among its best, but is not a [[bot]]{did_you_mean(bot, entered)}")
    if len(chosen) < FEWEST:
        raise ConfigError(f"{where} leaves {len(chosen)} of its bots for a final, which needs at least {FEWEST}")
