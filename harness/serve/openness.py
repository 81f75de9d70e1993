"""Which stored games may be shown: the law of the open hand (`harness.tournament.open_hands`) over a database."""

from __future__ import annotations

from harness.records.store.store import Store
from harness.records.values.game_record import GameRecord
from harness.records.values.query_results import RunRow
from harness.records.values.run import GameId
from harness.records.values.voids import left_out_of
from harness.tournament.config.tournament_file import stored_tournament
from harness.tournament.errors import TournamentError
from harness.tournament.open_hands import OpenHands, PackUse, pack_use


def open_hands(store: Store, run: RunRow) -> OpenHands:
    """Return which deal sets of a stored run are open."""
    if run.ended is not None:
        return OpenHands(_nobody_knows(run), is_complete=True)
    ended = [*store.stored_sets(run.fingerprint), *left_out_of(store.voids(run.fingerprint))]
    return OpenHands(_use_of(store, run), ended)


def _use_of(store: Store, run: RunRow) -> PackUse:
    """Return who is dealt the packs of a run; who may still be dealt them is unknown if its bots are gone."""
    folder = store.config_folder(run.fingerprint)
    if folder is None:
        return _nobody_knows(run)
    try:
        return pack_use(stored_tournament(run.config, folder, f"run {run.fingerprint}"))
    except (TournamentError, OSError):
        return _nobody_knows(run)


def _nobody_knows(run: RunRow) -> PackUse:
    return PackUse(run.packs, "", 0, None)


def shown_record(store: Store, run: RunRow, game: GameId) -> tuple[GameRecord | None, str]:
    """Return the record of a stored game, and "" ; or None and a sentence that says when it is shown.

    Raises StoreError if there is no such game, ReadError if its record is damaged.
    """
    why = open_hands(store, run).why_hidden(game.set_key)
    return (None, why) if why else (store.record(str(game)), "")
