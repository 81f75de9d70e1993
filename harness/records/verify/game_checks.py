"""Checks single games: whether a stored game agrees with its record, its run and the rules."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from engine import EngineError, RecordError, counted
from harness.records.quoting import shown
from harness.records.replay.replay import ReplayError, check
from harness.records.replay.story_check import contradictions
from harness.records.store.rows import TableRows, rows_of_record
from harness.records.store.store import Store
from harness.records.text.reader import ReadError, read
from harness.records.text.story_text import StoryError
from harness.records.values.faults import FaultStory
from harness.records.values.game_record import GameRecord
from harness.records.values.run import SetKey
from harness.records.values.voids import MOST_ATTEMPTS
from harness.records.verify.lineup_check import wrong_seats

Identity = tuple[str, str, str]
"""Name, version and fingerprint of a bot."""

Block = tuple[str, ...]
"""The ids of some games, in whole deal sets: what is examined at a time."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that is wrong: the id of the `game` ("" for the run itself), `where` in it, and a sentence."""

    game: str
    where: str
    sentence: str

    def __str__(self) -> str:
        """Return the three as one line that is safe for a terminal."""
        parts = (self.game and f"game {self.game}", self.where, self.sentence)
        return shown(": ".join(part for part in parts if part))


def verify_text(text: str | bytes, game: str = "") -> list[Difference]:
    """Read one record and play it. Return at most one difference, the first.

    `game` is the id that the record must have, "" if unknown.
    """
    try:
        record = read(text)
        check(record)
    except RecordError as error:
        return [difference_of(error, game)]
    if game and record.id != game:
        return [Difference(game, "id", f"the record stored here is that of game {record.id}")]
    return []


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What the games of a run are compared with.

    fingerprint, commitment, seed, packs, beacon: those of the run (`RunRow`).
    entered: its bots.
    attempts: of its deal sets with voids (`voids`).
    """

    fingerprint: str
    commitment: str
    seed: bytes | None
    packs: str
    beacon: str | None
    entered: Collection[Identity]
    attempts: Mapping[SetKey, int]


@dataclass(frozen=True, slots=True)
class StoredGame:
    """All that is stored of one game: its rows, and the stories of its faults."""

    rows: TableRows
    stories: tuple[FaultStory, ...]


def stored_games(store: Store, games: Iterable[str]) -> Iterator[StoredGame]:
    """Yield all that is stored of these games (ids). Raises StoreError if it cannot be read."""
    return (StoredGame(store.table_rows(game), store.stories(game)) for game in games)


def examine(games: Iterable[StoredGame], run: RunFacts) -> list[Difference]:
    """Return all differences in these games of a run, which are whole deal sets. Needs no database."""
    deals = _Deals()
    return [difference for game in games for difference in _game(game.rows, game.stories, run, deals)]


def check_in_run(record: GameRecord, seed: bytes | None, packs: str, beacon: str | None, attempt: int) -> None:
    """Play a record as that of a run (`replay.check`), in a deal set that has `attempt` voids. Check its seats.

    Raises ReplayError at the first error. If only the packs are wrong, and are those of another attempt, it says so.
    """
    try:
        check(record, seed, packs, beacon, attempt=attempt)
    except ReplayError:
        for other in range(MOST_ATTEMPTS):
            if seed is not None and other != attempt and _is_right(record, seed, packs, beacon, other):
                raise ReplayError(
                    record.id,
                    f"its packs are those of attempt {other}, and with {counted(attempt, 'void')} its deal set has "
                    f"those of attempt {attempt}",
                ) from None
        raise
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
    """The deals of some deal sets, to compare them over their rotations."""

    def __init__(self) -> None:
        self.packs: dict[tuple[SetKey, int, int, str], str] = {}
        self.first_dealer: dict[SetKey, int] = {}

    def add(self, key: SetKey, record: GameRecord) -> Iterator[Difference]:
        """Add a game. Yield where its deals differ from those of its set's earlier games."""
        dealer = self.first_dealer.setdefault(key, record.first_dealer)
        if dealer != record.first_dealer:
            yield Difference(record.id, "first dealer", f"seat {record.first_dealer}, seat {dealer} in its deal set")
        for hand, dealt in enumerate(record.hands):
            for shuffle, pack in enumerate(dealt.packs):
                cards = " ".join(sorted(pack.split()))  # the cards of a showdown's pack (V11) depend on the play
                if self.packs.setdefault((key, hand, shuffle, cards), pack) != pack:
                    yield Difference(record.id, f"hand {hand}", f"pack {shuffle} is not that of its deal set")


def _game(stored: TableRows, stories: Sequence[FaultStory], run: RunFacts, deals: _Deals) -> Iterator[Difference]:
    game, text = str(stored.game["id"]), str(stored.game["record"])
    key = SetKey(str(stored.game["entry"]), str(stored.game["lineup"]), int(str(stored.game["set_number"])))
    try:
        record = read(text)
        if record.id != game:
            yield Difference(game, "id", f"the record stored here is that of game {record.id}")
            return
        if record.commitment != run.commitment:
            yield Difference(game, "commitment", "the record has another one than its run")
            return
        check_in_run(record, run.seed, run.packs, run.beacon, run.attempts.get(key, 0))
    except RecordError as error:
        yield difference_of(error, game)
        return
    yield from _columns(game, rows_of_record(record, text), stored)
    yield from _entrants(run, record)
    for contradiction in contradictions(record, stories):
        yield Difference(game, f"story of seat {contradiction.seat}", contradiction.reason)
    yield from deals.add(key, record)


def _columns(game: str, expected: TableRows, stored: TableRows) -> Iterator[Difference]:
    yield from _table(game, "game", [expected.game], [stored.game])
    yield from _table(game, "seat", expected.seats, stored.seats)
    yield from _table(game, "fault", expected.faults, stored.faults)


def _table(
    game: str, table: str, expected: Sequence[Mapping[str, object]], stored: Sequence[Mapping[str, object]]
) -> Iterator[Difference]:
    if len(expected) != len(stored):
        yield Difference(game, f"table {table}", f"{len(stored)} rows, its record gives {len(expected)}")
        return
    for number, (right, found) in enumerate(zip(expected, stored, strict=True)):
        for column, value in right.items():
            if found[column] != value:
                where = f"table {table}, row {number}, column {column}"
                yield Difference(game, where, f"{found[column]!r}, its record gives {value!r}")


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
    if isinstance(error, ReplayError):
        return Difference(game or error.game, error.where, error.reason)
    return Difference(game, "", str(error))
