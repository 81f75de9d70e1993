"""Checks single games: compares each stored game with its record, its run and the rules."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from bowerbird.engine import EngineError, RecordError, counted
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.replay.note_check import note_contradictions
from bowerbird.harness.records.replay.replay import ReplayError, check
from bowerbird.harness.records.replay.story_check import contradictions
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.store.tables.games import TableRows, rows_of_record
from bowerbird.harness.records.text.beside_text import NoteError, StoryError, read_notes, read_stories
from bowerbird.harness.records.text.reader import ReadError, read
from bowerbird.harness.records.values.annotations import Annotations
from bowerbird.harness.records.values.corrections import DealSources, VoidedGame
from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.records.values.outcome import sides_of
from bowerbird.harness.records.values.run import GameId, SetKey, is_whole_set
from bowerbird.harness.records.values.voids import MOST_ATTEMPTS
from bowerbird.harness.records.verify.lineup_check import wrong_seats
from bowerbird.harness.records.verify.run_rules import RunRules

Identity = tuple[str, str, str]
"""Name, version and fingerprint of a bot."""

Block = tuple[str, ...]
"""The ids of some games, in whole deal sets, that are examined together."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference: the id of the `game` ("" for the run itself), `where` it is, and a sentence."""

    game: str
    where: str
    sentence: str

    def __str__(self) -> str:
        """Return the three as one line that is safe for a terminal."""
        parts = (self.game and f"game {self.game}", self.where, self.sentence)
        return shown(": ".join(part for part in parts if part))


def verify_text(text: str | bytes, game: str = "") -> list[Difference]:
    """Read one record, play it and check its seats. Return at most one difference, the first.

    `game` is the id that the record must have, "" if unknown.
    """
    try:
        record = read(text)
        check_single(record)
    except RecordError as error:
        return [difference_of(error, game)]
    if game and record.id != game:
        return [Difference(game, "id", f"the record stored here is that of game {record.id}")]
    return []


@dataclass(frozen=True, slots=True)
class RunFacts:
    """The facts with which the games of a run are compared.

    fingerprint, packs, beacon: the run's values (`RunRow`).
    entered: its bots.
    sources: the seeds from which its deal sets are dealt.
    is_complete: True if it claims to be complete.
    config: its resolved tournament file.
    rules: the statements of its tournament file about games.
    """

    fingerprint: str
    packs: str
    beacon: str | None
    entered: Collection[Identity]
    sources: DealSources
    is_complete: bool
    rules: RunRules
    config: str


@dataclass(frozen=True, slots=True)
class StoredGame:
    """All stored data of one game: its rows, and the data beside its record."""

    rows: TableRows
    annotations: Annotations


def stored_games(store: Store, games: Iterable[str]) -> Iterator[StoredGame]:
    """Yield all stored data of these games (ids). Raises StoreError if they cannot be read."""
    return (StoredGame(store.table_rows(game), Annotations(store.stories(game), store.notes(game))) for game in games)


def examine(games: Iterable[StoredGame], run: RunFacts) -> list[Difference]:
    """Return all differences in these games of a run, which are whole deal sets. This needs no database."""
    deals = _Deals()
    return [difference for game in games for difference in _game(game.rows, game.annotations, run, deals)]


def check_in_run(
    record: GameRecord, seed: bytes | None, packs: str, beacon: str | None, *, attempt: int, rules: RunRules
) -> None:
    """Replay a record of a run (`replay.check`), in a deal set that has `attempt` voids. Check its seats.

    rules: the statements of the run's tournament file about games.

    Raises ReplayError at the first error. The error mentions it if only the packs are wrong and belong to another
    attempt.
    """
    try:
        check(record, seed, packs, beacon, attempt=attempt, margin_ms=rules.margin_ms)
    except ReplayError:
        for other in range(MOST_ATTEMPTS):
            if seed is not None and other != attempt and _is_right(record, seed, packs, beacon, other):
                raise ReplayError(
                    record.id,
                    f"its packs are those of attempt {other}, and with {counted(attempt, 'void')} its deal set has "
                    f"those of attempt {attempt}",
                ) from None
        raise
    _check_seats(record)
    if wrong := rules.wrong_conditions(record):
        raise ReplayError(record.id, wrong)


def check_single(record: GameRecord) -> None:
    """Replay a record whose run is unknown. Check its seats. Raises ReplayError at the first error."""
    check(record)
    _check_seats(record)


def _check_seats(record: GameRecord) -> None:
    try:
        wrong = wrong_seats(record)
    except ValueError as error:
        raise ReplayError(record.id, str(error)) from None
    if wrong:
        raise ReplayError(record.id, wrong)


def _is_right(record: GameRecord, seed: bytes, packs: str, beacon: str | None, attempt: int) -> bool:
    try:
        check(record, seed, packs, beacon, attempt=attempt)
    except ReplayError:
        return False
    return True


class _Deals:
    """The deals of some deal sets, for comparing them across rotations."""

    def __init__(self) -> None:
        self.packs: dict[tuple[SetKey, int, int, str], str] = {}
        self.first_dealer: dict[SetKey, int] = {}
        self.sides = 0
        """The number of sides in the last game; 0 before the first."""

    def add(self, key: SetKey, record: GameRecord) -> Iterator[Difference]:
        """Add a game. Yield the places where its deals differ from those of earlier games in its set."""
        self.sides = len(set(sides_of(record.variant, record.options)))
        dealer = self.first_dealer.setdefault(key, record.first_dealer)
        if dealer != record.first_dealer:
            yield Difference(record.id, "first dealer", f"seat {record.first_dealer}, but the set has seat {dealer}")
        for hand, dealt in enumerate(record.hands):
            for shuffle, pack in enumerate(dealt.packs):
                cards = " ".join(sorted(pack.split()))  # the cards of a showdown's pack (V11) depend on the play
                if self.packs.setdefault((key, hand, shuffle, cards), pack) != pack:
                    yield Difference(record.id, f"hand {hand}", f"pack {shuffle} is not that of its deal set")


def _game(stored: TableRows, annotations: Annotations, run: RunFacts, deals: _Deals) -> Iterator[Difference]:
    game, text = str(stored.game["id"]), str(stored.game["record"])
    key = SetKey(str(stored.game["entry"]), str(stored.game["lineup"]), int(str(stored.game["set_number"])))
    record = yield from _record(game, text, key, run)
    if record is None:
        return
    yield from _columns(game, rows_of_record(record, text), stored)
    yield from _entrants(run, record)
    for contradiction in contradictions(record, annotations.stories):
        yield Difference(game, f"story of seat {contradiction.seat}", contradiction.reason)
    for wrong in note_contradictions(record, annotations.notes):
        where = f"note of seat {wrong.note.seat}, hand {wrong.note.hand}, action {wrong.note.action}"
        yield Difference(game, where, wrong.reason)
    yield from deals.add(key, record)


def _record(
    game: str, text: str, key: SetKey, run: RunFacts, voided_by: int = 0
) -> Generator[Difference, None, GameRecord | None]:
    """Read a record, play it, and return it. If it is wrong, yield the first difference and return None.

    voided_by: the number of the correction that took it out of the results; 0 if it counts.
    """
    try:
        record = read(text)
        if record.id != game:
            yield Difference(game, "id", f"the record stored here is that of game {record.id}")
            return None
        source = run.sources.find(key, record.commitment, voided_by)
        if source is None:
            yield Difference(game, "commitment", "it is not that of its run, or of a correction that deals its set")
            return None
        if run.is_complete and source.seed is None and source.correction:
            yield Difference(game, "commitment", f"the seed of correction {source.correction} is not published")
            return None
        attempt = run.sources.attempt(key, source)
        check_in_run(record, source.seed, run.packs, run.beacon, attempt=attempt, rules=run.rules)
    except RecordError as error:
        yield difference_of(error, game)
        return None
    return record


def voided_differences(games: Iterable[VoidedGame], run: RunFacts) -> Iterator[Difference]:
    """Yield all differences in games that corrections took out of the results, in the order of corrections and ids."""
    for (correction, key), of_set in groupby(games, key=lambda one: (one.correction, GameId.parse(one.id).set_key)):
        deals, rotations, sides = _Deals(), 0, 1
        where = f"voided by correction {correction}"
        for voided in of_set:
            if GameId.parse(voided.id).rotation != rotations:
                yield Difference(voided.id, where, f"rotation {rotations} of its deal set is missing")
            rotations += 1
            for difference in _voided(voided, key, run, deals):
                yield replace(difference, where=f"{where}, {difference.where}" if difference.where else where)
            sides = deals.sides or sides
        if not is_whole_set(rotations, sides, run.config):
            place = f"deal set {run.fingerprint}/{key}, {where}"
            yield Difference("", place, f"{rotations} rotations for {sides} sides: it is not complete")


def _voided(voided: VoidedGame, key: SetKey, run: RunFacts, deals: _Deals) -> Iterator[Difference]:
    record = yield from _record(voided.id, voided.record, key, run, voided.correction)
    if record is None:
        return
    yield from _entrants(run, record)
    yield from deals.add(key, record)
    try:
        stories = read_stories(voided.stories, record, "stories") if voided.stories else ()
        notes = read_notes(voided.notes, record, "notes") if voided.notes else ()
    except (StoryError, NoteError) as error:
        yield difference_of(error, voided.id)
        return
    if len(stories) != voided.story_count:
        yield Difference(voided.id, "stories", f"there are {len(stories)}, and {voided.story_count} are counted")
    if len(notes) != voided.note_count:
        yield Difference(voided.id, "notes", f"there are {len(notes)}, and {voided.note_count} are counted")


def _columns(game: str, expected: TableRows, stored: TableRows) -> Iterator[Difference]:
    yield from _table(game, "game", [expected.game], [stored.game])
    yield from _table(game, "seat", expected.seats, stored.seats)
    yield from _table(game, "fault", expected.faults, stored.faults)


def _table(
    game: str, table: str, expected: Sequence[Mapping[str, object]], stored: Sequence[Mapping[str, object]]
) -> Iterator[Difference]:
    if len(expected) != len(stored):
        yield Difference(game, f"table {table}", f"{len(stored)} rows, but its record gives {len(expected)}")
        return
    for number, (right, found) in enumerate(zip(expected, stored, strict=True)):
        for column, value in right.items():
            if found[column] != value:
                where = f"table {table}, row {number}, column {column}"
                yield Difference(game, where, f"{found[column]!r}, but its record gives {value!r}")


def _entrants(run: RunFacts, record: GameRecord) -> Iterator[Difference]:
    for number, seat in enumerate(record.seats):
        if (seat.bot, seat.version, seat.fingerprint) not in run.entered:
            sentence = f"bot {seat.bot} {seat.version} with these files was not entered in run {run.fingerprint}"
            yield Difference(record.id, f"seat {number}", sentence)


def difference_of(error: EngineError, game: str) -> Difference:
    """Return an error in a record as a difference."""
    if isinstance(error, ReadError):
        return Difference(game or error.game, f"line {error.line}", error.reason)
    if isinstance(error, StoryError):
        return Difference(game or error.game, f"stories, line {error.line}", error.reason)
    if isinstance(error, NoteError):
        return Difference(game or error.game, f"notes, line {error.line}", error.reason)
    if isinstance(error, ReplayError):
        return Difference(game or error.game, error.where, error.reason)
    return Difference(game, "", str(error))
