"""Looks after the results of a league: verifies and archives each epoch, and limits the space that the league uses."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import suppress

from bowerbird.engine import counted
from bowerbird.harness.extras.league.snapshots import folder_of
from bowerbird.harness.records.store.changes import delete_run
from bowerbird.harness.records.store.league import changing
from bowerbird.harness.records.store.sidecar import logs_of
from bowerbird.harness.records.store.store import Store, StoredRun
from bowerbird.harness.records.values.league import Epoch
from bowerbird.harness.records.vouching import NotSignedError, signer_of

ENDED_EARLY = "the epoch was interrupted, and "
"""The beginning of the reason if the run of an epoch ended early.

Some of the scheduler's deal sets are then missing, which `bowerbird verify` reports.
"""

MEBIBYTE = 1 << 20

REMEMBERED = 100
"""How many of the latest events are checked for a sentence, so that it is not repeated."""


def verify_and_archive(run: StoredRun, league: str) -> tuple[str, str]:
    """Verify a complete run, and write its archive, signed if this installation may sign.

    Return the path of the archive relative to the database's folder, or "" if the run differs from its records. Also
    return a remark about a difference or a missing signature, or "". Raises StoreError, OSError.
    """
    from bowerbird.harness.ratings.results_digest import digest_of
    from bowerbird.harness.records.archive.archive import write_archive
    from bowerbird.harness.records.verify.verification import verify_run
    from bowerbird.harness.tournament.pairing.replay import wrong_pairings

    is_whole = not run.row.stopped.startswith(ENDED_EARLY)
    differences = verify_run(run, digest_of, check_pairings=wrong_pairings if is_whole else None)
    if differences:
        return "", f"verify found {counted(len(differences), 'difference')}, the first: {differences[0]}"
    folder = folder_of(run.store.path, league) / "archives"
    folder.mkdir(parents=True, exist_ok=True)
    archive = folder / f"{run.row.original_name}.tar.gz"
    remark = "" if is_whole else run.row.stopped
    try:
        sign = signer_of(run).sign
    except NotSignedError as error:
        sign, remark = None, "; ".join(filter(None, [remark, f"the archive is not signed: {error.args[0]}"]))
    write_archive(run, archive, sign=sign)
    return str(archive.relative_to(run.store.path.parent)), remark


def prune(store: Store, league: str, disk_mb: int) -> list[str]:
    """Delete the runs of the oldest archived epochs of earlier seasons while the database is larger than `disk_mb`.

    Store and return a sentence for each deleted run, and one if the database is still too large. Sentences are not
    repeated. Raises StoreError.
    """
    said = list(_pruned(store, league, disk_mb)) if disk_mb else []
    before = {event.what for event in store.league_events(league, REMEMBERED)}
    news = [what for what in said if what not in before]
    with changing(store.path, league) as change:
        for what in news:
            change.tell(what)
    return news


def _pruned(store: Store, league: str, disk_mb: int) -> Iterator[str]:
    """Delete runs, and yield a sentence for each."""
    for season, epoch in _earlier_epochs(store, league):
        if store.used_bytes() <= disk_mb * MEBIBYTE:
            return
        if (store.path.parent / epoch.archive).is_file():
            delete_run(store.path, epoch.run)
            yield (
                f"the games of epoch {epoch.number} of season {season} leave the database, which takes more than "
                f"{disk_mb} MiB; {epoch.archive} holds them"
            )
    if store.used_bytes() > disk_mb * MEBIBYTE:
        yield (
            f"the database takes more than {disk_mb} MiB with this season alone: allow more with disk_mb, or begin a "
            "new season with 'bowerbird league season-end'"
        )


def remove_old_logs(store: Store, league: str, kept: int) -> None:
    """Remove the bots' logs of all complete epochs except the latest `kept`. The stories of faults stay.

    Raises OSError.
    """
    epochs = [epoch for _, epoch in _epochs(store, league, _present(store, league)) if epoch.ended is not None]
    for epoch in epochs[: max(0, len(epochs) - kept)]:
        with suppress(FileNotFoundError):  # they were removed earlier
            shutil.rmtree(logs_of(store.path, epoch.run))


def _earlier_epochs(store: Store, league: str) -> list[tuple[int, Epoch]]:
    """Return the archived epochs of earlier seasons whose games are in the database, oldest first."""
    return [
        (season, epoch)
        for season, epoch in _epochs(store, league, _present(store, league) - 1)
        if epoch.archive and store[epoch.run].header() is not None
    ]


def _epochs(store: Store, league: str, last: int) -> Iterator[tuple[int, Epoch]]:
    """Yield the epochs of seasons 1 to `last` in order, each with its season."""
    for number in range(1, last + 1):
        season = store.season(league, number)
        assert season is not None  # seasons are consecutive
        for epoch in sorted(season.epochs, key=lambda one: one.number):
            yield number, epoch


def _present(store: Store, league: str) -> int:
    """Return the number of the present season."""
    season = store.season(league)
    assert season is not None  # it plays
    return season.league.season
