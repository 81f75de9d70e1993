"""Decides which stored games of a database may be shown, by the rule in `harness.tournament.playing.open_hands`."""

from __future__ import annotations

from bowerbird.harness.records.store.store import StoredRun
from bowerbird.harness.records.values.corrections import annulled_sets
from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.records.values.run import GameId
from bowerbird.harness.records.values.voids import left_out_of
from bowerbird.harness.tournament.config.tournament_file import stored_tournament
from bowerbird.harness.tournament.errors import TournamentError
from bowerbird.harness.tournament.playing.open_hands import OpenHands, PackUse, pack_use


def open_hands(run: StoredRun) -> OpenHands:
    """Return which deal sets of a stored run are open."""
    if run.row.ended is not None:
        return OpenHands(_nobody_knows(run), is_complete=True)
    ended = [*run.stored_sets(), *annulled_sets(run.corrections()), *left_out_of(run.voids())]
    return OpenHands(_use_of(run), ended)


def _use_of(run: StoredRun) -> PackUse:
    """Return which bots are dealt the packs of a run.

    If its bots are gone, nobody knows who may still be dealt them.
    """
    folder = run.config_folder()
    if folder is None:
        return _nobody_knows(run)
    try:
        return pack_use(stored_tournament(run.row.config, folder, f"run {run.fingerprint}"))
    except (TournamentError, OSError):
        return _nobody_knows(run)


def _nobody_knows(run: StoredRun) -> PackUse:
    return PackUse(run.row.packs, "", 0, None)


def shown_record(run: StoredRun, game: GameId) -> tuple[GameRecord | None, str]:
    """Return the record of a stored game and "", or None and a sentence that says when the game will be shown.

    Raises StoreError if there is no such game, ReadError if its record is damaged.
    """
    why = open_hands(run).why_hidden(game.set_key)
    return (None, why) if why else (run.store.record(str(game)), "")
