"""A league in a database: two seasons of real games, with bots of every status, played in this process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

from bowerbird.harness.ratings.pairs import result_of_record
from bowerbird.harness.ratings.results_digest import digest_of
from bowerbird.harness.records.store.league import LeagueChange, changing
from bowerbird.harness.records.store.run_members import store_run_digest
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.records.values.league import PLAYING, RETIRED, SUSPENDED, WITHDRAWN, Epoch, League, LeagueBot
from bowerbird.harness.records.values.run import CompletedSet
from tests.support.records.played_games import SEED, deal_set, faulty_set, header

LEAGUE = "autumn"
OPTIONS = {"max_hands": 2}

HOSTILE = "<script>alert('\u2665')</script>\x1b[2J\u202e"
"""Text that a bot or a file may bring: markup, control characters, a mark that turns the writing direction."""

HIDDEN_FOLDER = "/home/organiser/secret"
"""A folder of the organiser's machine that sentences name."""


def league_bot(
    name: str, bot: str = "", number: int = 1, *, status: str = PLAYING, why: str = "", since: int = 1
) -> LeagueBot:
    """Return a version of a bot."""
    version = f"{number}.0"
    return LeagueBot(
        name, bot or name, number, version, f"{bot or name}'s author", f"sha256:{name}", status, why, since, ""
    )


def store_league(path: Path, *, variants: Sequence[str] = ("euchre", "buck"), is_open: bool = True) -> list[str]:
    """Store a league with two seasons; return the runs of the current one.

    Season 1 has one epoch. Season 2 has three: ann, whose second version comes with the second epoch, bob, cat, who
    faults and is suspended after it, dan, who is withdrawn before it, and eve, who comes after the last one began. With
    `is_open` the third epoch is not complete.
    """
    old = _played(path, 1, 1, ("ann", "bob"), variants)
    epochs = [
        _played(path, 2, 1, ("ann", "bob", "cat", "dan"), variants),
        _played(path, 2, 2, ("ann", "ann-2", "bob", "cat"), variants, faulty=("bob", "cat")),
        _played(path, 2, 3, ("ann-2", "bob"), variants, end=not is_open),
    ]
    with changing(path, LEAGUE) as change:
        change.put_league(League(LEAGUE, "autumn.toml", "", 1, False, False, "2026-09-01T00:00:00Z"))
        for bot in ("ann", "bob"):
            change.put_bot(league_bot(bot))
        change.put_epoch(old)
        change.tell("season 1 has ended, season 2 begins")
        change.put_league(replace(change.known.league, season=2, started="2026-10-01T00:00:00Z"))
        _tell_second_season(change, epochs)
    return [epoch.run for epoch in epochs]


def _tell_second_season(change: LeagueChange, epochs: Sequence[Epoch]) -> None:
    first, second, third = epochs
    for bot in ("ann", "bob", "cat", "dan"):
        change.put_bot(league_bot(bot))
        change.tell(f"{bot} enters, version 1.0", bot)
    change.put_epoch(replace(first, archive="leagues/autumn/archives/autumn-s2-e1.tar.gz"))
    change.put_bot(league_bot("dan", status=WITHDRAWN, why="the organiser took it out"))
    change.tell("dan leaves, the organiser took it out", "dan")
    change.put_bot(league_bot("ann-2", "ann", 2, since=2))
    change.tell("ann-2 enters: ann in its version 2.0, number 2 of the season", "ann-2")
    change.put_epoch(replace(second, remark=f"the archive is not signed: {HIDDEN_FOLDER}/key.pem: {HOSTILE}"))
    why = f"it was withdrawn from the epoch: CRASHED: {HOSTILE} in {HIDDEN_FOLDER}/cat/bot.py"
    change.put_bot(league_bot("cat", status=SUSPENDED, why=why))
    change.tell(f"cat is suspended until it has a new version: {why}", "cat")
    change.put_bot(league_bot("ann", status=RETIRED, why="ann-2 is better by about 20 Elo"))
    change.tell("ann retires, ann-2 is better by about 20 Elo", "ann")
    change.put_epoch(third)
    change.put_bot(league_bot("eve", since=4))
    change.tell(f"a bot of the league file is left as it was: {HIDDEN_FOLDER}/autumn.toml: {HOSTILE}")


def _played(
    path: Path,
    season: int,
    number: int,
    bots: tuple[str, ...],
    variants: Sequence[str],
    *,
    faulty: tuple[str, ...] = (),
    end: bool = True,
) -> Epoch:
    """Play and store an epoch in which each pair of bots meets once in each variant."""
    run = header(f"{LEAGUE}-s{season}-e{number}", bots=bots)
    results: list[GameRecord] = []
    with Store.create(path) as store, store.begin(run, SEED) as writer:
        for variant in variants:
            for pair in combinations(bots, 2):
                key, games = deal_set(variant, number, run, bots=pair, options=OPTIONS)
                results += games
                writer.save_sets([CompletedSet(key, games)], digest_of([]))
        if faulty:
            key, games, stories = faulty_set(variants[0], 100, run, bots=faulty, options=OPTIONS)
            results += games
            writer.save_sets([CompletedSet(key, games, stories)], digest_of(map(result_of_record, results)))
        if end:
            writer.end()
            store_run_digest(store[run.fingerprint])
    start = f"2026-10-{10 * season + number:02}T12:00:00Z"
    return Epoch(number, run.fingerprint, start, start.replace("T12", "T13") if end else None)
