"""The rows of the tidy tables for one record and its notes. Replaying the record also checks it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from bowerbird.engine import rules_of
from bowerbird.harness.extras.tables.columns import Row
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.replay.replay import Step, replay
from bowerbird.harness.records.store.tables.games import seat_results_of
from bowerbird.harness.records.values.annotations import Note
from bowerbird.harness.records.values.game_record import GameRecord


def rows_of(record: GameRecord, notes: Sequence[Note] = ()) -> Iterator[tuple[str, Row]]:
    """Yield the rows of a record and its notes, each with the name of its table.

    Raises RecordError if the record breaks the rules.
    """
    noted = {note.place: note.text for note in notes}
    steps: list[Step] = []
    for step in replay(record):
        if steps and steps[-1].hand != step.hand:
            yield "hands", _hand(record, steps)
            steps = []
        steps.append(step)
        yield "decisions", _decision(record, step, noted.get((step.hand, step.index)))
    if steps:
        yield "hands", _hand(record, steps)
    results = seat_results_of(record)
    for seat in results:
        version = shown(record.seats[seat.seat].version)
        yield (
            "results",
            (
                record.id,
                seat.seat,
                shown(seat.bot),
                version,
                seat.side,
                seat.rank,
                seat.score,
                seat.points,
                seat.penalised,
                seat.decisions,
                seat.time_ms,
                record.clocks[seat.seat].per_decision_ms,
                record.clocks[seat.seat].bank_ms,
            ),
        )
    first, time = results[0], record.conditions.time
    options = json.dumps(dict(record.options), sort_keys=True)
    decisions = sum(len(hand.actions) for hand in record.hands)
    yield (
        "games",
        (
            record.id,
            first.run,
            first.entry,
            record.variant,
            options,
            shown(first.lineup),
            first.set_number,
            first.rotation,
            len(record.seats),
            record.first_dealer,
            first.ended,
            first.hands,
            decisions,
            len(record.faults),
            time.per_decision_ms,
            time.bank_ms,
        ),
    )


def _decision(record: GameRecord, step: Step, note: str | None) -> Row:
    fault = None if step.fault is None else step.fault.kind
    stage = step.before.stage
    return (
        record.id,
        step.hand,
        step.index,
        step.seat,
        shown(record.seats[step.seat].bot),
        stage,
        step.token,
        step.ms,
        len(step.legal),
        step.forced,
        step.substituted,
        fault,
        None if note is None else shown(note),
    )


def _hand(record: GameRecord, steps: list[Step]) -> Row:
    """Return the row of a hand from all its steps. The maker comes from the state before the last step."""
    number, last = steps[0].hand, steps[-1]
    dealer, maker = record.hands[number].dealer, last.before.maker
    is_finished = not last.is_within_hand
    before, after = last.before.scores, last.after.scores
    better = 1 if rules_of(record.variant).better == "high" else -1
    points = [better * (new - old) for old, new in zip(before, after, strict=True)]
    has_points = is_finished and not record.result.games
    return (
        record.id,
        number,
        dealer,
        shown(record.seats[dealer].bot),
        maker,
        None if maker is None else shown(record.seats[maker].bot),
        last.before.how or None,
        is_finished,
        points[dealer] if has_points else None,
        points[maker] if has_points and maker is not None else None,
        len(steps),
        sum(step.ms for step in steps),
    )
