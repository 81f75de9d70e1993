"""Finds the games that corrections took out of the results of a run (faults.md, Corrections)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import click

from bowerbird.harness.cli.shared.errors import InputError
from bowerbird.harness.cli.shared.options import number_option

if TYPE_CHECKING:
    from bowerbird.harness.records.store.store import Store, StoredRun
    from bowerbird.harness.records.values.annotations import Note
    from bowerbird.harness.records.values.corrections import Correction, VoidedGame
    from bowerbird.harness.records.values.faults import FaultStory
    from bowerbird.harness.records.values.game_record import GameRecord
    from bowerbird.harness.records.values.query_results import FaultRow, GameRow
    from bowerbird.harness.records.values.run import SetKey

NAMED = 3
"""The most ids or numbers that a message lists."""

voided_option = number_option(
    "--voided",
    click.IntRange(min=1),
    "Use the record that correction N removed from the results.",
    name="correction",
)


@dataclass(frozen=True, slots=True)
class VoidedRecord:
    """A game that no longer counts, as read from the store.

    correction: the correction that took it out of the results.
    text: its record, as stored.
    faults: its faults with their stories, as they happened.
    notes: its bots' notes, in the order of the actions.
    """

    correction: Correction
    text: str
    record: GameRecord
    faults: tuple[FaultRow, ...]
    notes: tuple[Note, ...] = ()


def voided_record(store: Store, ref: str, number: int) -> VoidedRecord:
    """Return the game that correction `number` took out of the results.

    ref: the id of the game, including that of its run, or the start of it. Raises InputError, with the nearest match,
        if there is no such correction or game.
    """
    from bowerbird.engine import did_you_mean

    run = store.run(ref.partition("/")[0])
    corrections = run.corrections()
    correction = next((one for one in corrections if one.number == number), None)
    if correction is None:
        raise InputError(f"run {run.fingerprint} has {_numbers(len(corrections))}; there is no correction {number}")
    games = list(run.voided_games(number, _set_key(ref)))
    found = [game for game in games if game.id == ref] or [game for game in games if game.id.startswith(ref)]
    if len(found) == 1:
        return _read(found[0], correction, store)
    if found:
        ids = ", ".join(game.id for game in found[:NAMED]) + (", …" if len(found) > NAMED else "")
        raise InputError(f"game {ref!r} could be {ids}; give more characters")
    known = [game.id for game in run.voided_games(number)]
    raise InputError(
        f"correction {number} of run {run.fingerprint} did not remove a game {ref!r}{did_you_mean(ref, known)}; "
        f"bowerbird matches {run.fingerprint} --voided lists them"
    )


def voided_records(run: StoredRun) -> Iterator[VoidedRecord]:
    """Yield the games that corrections took out of the results of a run, by correction and id."""
    corrections = {one.number: one for one in run.corrections()}
    for game in run.voided_games():
        yield _read(game, corrections[game.correction], run.store)


def game_row(record: GameRecord) -> GameRow:
    """Return a record as it appears in a list of games."""
    from bowerbird.harness.records.store.tables.games import rows_of_record
    from bowerbird.harness.records.store.tables.table import value_of
    from bowerbird.harness.records.values.query_results import GameRow

    rows = rows_of_record(record, "")
    by_seat = {f"{name}s": tuple(seat[name] for seat in rows.seats) for name in ("bot", "score", "rank")}
    return value_of(GameRow, rows.game, **by_seat, faults=len(rows.faults))


def _numbers(corrections: int) -> str:
    if corrections < 2:
        return "correction 1 alone" if corrections else "no correction"
    return f"corrections 1 to {corrections}"


def _set_key(ref: str) -> SetKey | None:
    """Return the deal set of a complete id; None for a partial one."""
    from bowerbird.harness.records.values.run import GameId

    try:
        return GameId.parse(ref).set_key
    except ValueError:
        return None


def _read(game: VoidedGame, correction: Correction, store: Store) -> VoidedRecord:
    from bowerbird.harness.records.text.beside_text import read_notes, read_stories
    from bowerbird.harness.records.text.reader import read

    record = read(game.record)
    stories = read_stories(game.stories, record, f"stories of {game.id}") if game.stories else ()
    notes = read_notes(game.notes, record, f"notes of {game.id}") if game.notes else ()
    return VoidedRecord(correction, game.record, record, tuple(_faults(record, stories, store)), notes)


def _faults(record: GameRecord, stories: Sequence[FaultStory], store: Store) -> Iterator[FaultRow]:
    from bowerbird.harness.records.values.faults import NO_LOG
    from bowerbird.harness.records.values.query_results import FaultRow

    by_seat = {story.seat: story for story in stories}
    for fault in record.faults:
        story = by_seat.get(fault.seat)
        is_here = story is not None and os.path.exists(store.path.parent / story.log)  # unlike Path, it never raises
        yield FaultRow(
            game=record.id,
            bot=record.seats[fault.seat].bot,
            **asdict(fault),
            legal=story.legal if story else (),
            how_ended=story.how_ended if story else "",
            stderr=story.stderr if story else "",
            log=story.log if story and is_here else "",
            no_log=NO_LOG if story and not is_here else "",
        )
