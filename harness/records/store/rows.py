"""Maps values to rows of the store's tables, and rows of its tables and views to values.

A field and its column have the same name unless a function here says otherwise. `X_row` returns the row to insert for a
value, `X_from` the value of a row.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, dataclass, fields
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

from engine import rules_of
from harness.records.errors import StoreError
from harness.records.quoting import shown
from harness.records.values.annotations import Note
from harness.records.values.corrections import Correction, VoidedGame
from harness.records.values.faults import FAULT_KINDS, NO_LOG, FaultStory, Incident
from harness.records.values.game_record import FaultRecord, GameRecord
from harness.records.values.game_result import GameResult
from harness.records.values.league import Epoch, League, LeagueBot, LeagueEvent
from harness.records.values.machines import Machine, MachineTotal
from harness.records.values.origin import Origin
from harness.records.values.outcome import WITHDRAWN, opening_scores, sides_of
from harness.records.values.placements import MatchResult, Placement
from harness.records.values.query_results import CpuTime, FaultRow, GameRow, Pairing, RunRow, SeatResult, Standing
from harness.records.values.run import Entrant, GameId, RatingRow, RecordRating, RunHeader, SetKey
from harness.records.values.voids import VoidedSet


class Dataclass(Protocol):
    """An instance of any dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


Row = Mapping[str, object]
"""A row to insert: column -> value."""

Value = TypeVar("Value", bound=Dataclass)


LONGEST_QUOTE = 120
"""Characters of a wrong value that a sentence shows."""


@cache
def _field_names(kind: type[Dataclass]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def _columns(value: Dataclass, *, without: Sequence[str] = ()) -> dict[str, object]:
    return {name: getattr(value, name) for name in _field_names(type(value)) if name not in without}


def _value(kind: type[Value], row: sqlite3.Row, **converted: object) -> Value:
    """Return a `kind` whose fields are `converted`, or else the columns of the same name."""
    make: Callable[..., Value] = kind
    return make(**{name: row[name] for name in _field_names(kind) if name not in converted}, **converted)


@lru_cache(maxsize=4096)
def _tuple(text: str) -> tuple[Any, ...]:
    try:
        return tuple(json.loads(text))
    except (TypeError, ValueError, RecursionError) as error:  # another program wrote it
        raise StoreError(f"{shown(text, LONGEST_QUOTE)!r} is in the database where a list in JSON must be") from error


# Runs: table `run`, view `runs`, tables `bot`, `incident` and `rating`


def run_row(
    header: RunHeader,
    *,
    engine: str,
    rules: str,
    started: str,
    sets_after_seed: int = 0,
    label: str | None = None,
    folder: str = "",
) -> Row:
    """Return the row of a run; its `bots` have rows of their own."""
    return {
        "fingerprint": header.fingerprint,
        **_columns(header, without=("bots",)),
        "engine": engine,
        "rules": rules,
        "started": started,
        "sets_after_seed": sets_after_seed,
        "label": label,
        "folder": folder,
    }


def header_from(row: sqlite3.Row, bots: Sequence[Entrant]) -> RunHeader:
    """Return the header of a row of `run`."""
    return _value(RunHeader, row, practice=bool(row["practice"]), bots=tuple(bots))


def run_from(row: sqlite3.Row) -> RunRow:
    """Return the run of a row of `runs`."""
    return _value(RunRow, row, seed=None if row["seed"] is None else _seed(row["seed"]), practice=bool(row["practice"]))


def _seed(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError as error:
        raise StoreError(
            f"{shown(text, LONGEST_QUOTE)!r} is in the database where the seed of a run must be"
        ) from error


def bot_row(run: str, bot: Entrant, place: int) -> Row:
    """Return the row of a bot; `place` is its index in the tournament file."""
    return {"run": run, **_columns(bot), "place": place}


def entrant_from(row: sqlite3.Row) -> Entrant:
    """Return the bot of a row of `bot`."""
    return _value(Entrant, row)


def origin_row(run: str, origin: Origin) -> Row:
    """Return the row of an origin of a run."""
    return {"run": run, **_columns(origin)}


def origin_from(row: sqlite3.Row) -> Origin:
    """Return the origin of a row of `origin`."""
    return _value(Origin, row)


def incident_row(run: str, incident: Incident) -> Row:
    """Return the row of an incident, which does not keep its `games`."""
    return {"run": run, **_columns(incident, without=("games",))}


def incident_from(row: sqlite3.Row) -> Incident:
    """Return the incident of a row of `incident`."""
    return _value(Incident, row, games=())


def cpu_time_from(row: sqlite3.Row) -> CpuTime:
    """Return the processor time of a row of the view `cpu_time`."""
    return _value(CpuTime, row)


def rating_row(run: str, rating: RatingRow) -> Row:
    """Return the row of a rating."""
    return {"run": run, **_columns(rating)}


def rating_from(row: sqlite3.Row) -> RatingRow:
    """Return the rating of a row of `rating`."""
    return _value(RatingRow, row)


def standing_from(row: sqlite3.Row) -> Standing:
    """Return the line of a row of `standings`."""
    return _value(Standing, row, faults={kind: row[kind.lower()] for kind in FAULT_KINDS})


def pairing_from(row: sqlite3.Row) -> Pairing:
    """Return the cell of a row of `crosstable`."""
    return _value(Pairing, row)


# Leagues: tables `league`, `league_bot`, `epoch` and `league_event`


def league_row(league: League) -> Row:
    """Return the row of a league."""
    return {**_columns(league), "is_paused": int(league.is_paused), "is_ending": int(league.is_ending)}


def league_from(row: sqlite3.Row) -> League:
    """Return the league of a row of `league`."""
    return _value(League, row, is_paused=bool(row["is_paused"]), is_ending=bool(row["is_ending"]))


def league_bot_row(league: str, season: int, bot: LeagueBot) -> Row:
    """Return the row of a version of a bot."""
    return {"league": league, "season": season, **_columns(bot)}


def league_bot_from(row: sqlite3.Row) -> LeagueBot:
    """Return the version of a bot of a row of `league_bot`."""
    return _value(LeagueBot, row)


def epoch_row(league: str, season: int, epoch: Epoch) -> Row:
    """Return the row of an epoch."""
    return {"league": league, "season": season, **_columns(epoch)}


def epoch_from(row: sqlite3.Row) -> Epoch:
    """Return the epoch of a row of `epoch`."""
    return _value(Epoch, row)


def league_event_row(league: str, event: LeagueEvent) -> Row:
    """Return the row of an event."""
    return {"league": league, **_columns(event)}


def league_event_from(row: sqlite3.Row) -> LeagueEvent:
    """Return the event of a row of `league_event`."""
    return _value(LeagueEvent, row)


# Outcomes: tables `placement`, `match_result` and `record_rating`


def placement_row(run: str, number: int, placement: Placement) -> Row:
    """Return the row of a place; `number` is its index in the table of places."""
    return {"run": run, "number": number, **_columns(placement)}


def placement_from(row: sqlite3.Row) -> Placement:
    """Return the place of a row of `placement`. Raises StoreError for values that no run has."""
    return _checked(Placement, row)


def match_result_row(run: str, number: int, match: MatchResult) -> Row:
    """Return the row of a match; `number` is its index among the run's matches. A missing bot becomes NULL."""
    columns = _columns(match)
    return {"run": run, "number": number, **columns, "opponent": match.opponent or None, "winner": match.winner or None}


def match_result_from(row: sqlite3.Row) -> MatchResult:
    """Return the match of a row of `match_result`. Raises StoreError for values that no run has."""
    return _checked(MatchResult, row, opponent=row["opponent"] or "", winner=row["winner"] or "")


def _checked(kind: type[Value], row: sqlite3.Row, **converted: object) -> Value:
    try:
        return _value(kind, row, **converted)
    except ValueError as error:  # another program wrote it
        raise StoreError(f"run {row['run']} has a wrong outcome in the database: {error}") from error


def record_rating_row(run: str, rating: RecordRating, digest: str) -> Row:
    """Return the row of a rating of record; `digest` is that of the results behind it."""
    return {"run": run, **_columns(rating), "digest": digest}


def record_rating_from(row: sqlite3.Row) -> RecordRating:
    """Return the rating of a row of `record_rating`."""
    return _value(RecordRating, row)


# Deal sets: tables `job` and `void`, view `machines`, and the columns that refer to `job`


def set_columns(run: str, key: SetKey) -> Row:
    """Return the columns that identify a deal set, in every table that has them."""
    return {"run": run, "entry": key.entry, "lineup": key.lineup, "set_number": key.number}


def set_key_from(row: sqlite3.Row) -> SetKey:
    """Return the deal set that a row belongs to."""
    return SetKey(row["entry"], row["lineup"], row["set_number"])


def job_row(run: str, key: SetKey, *, games: int, saved: str, played_ms: int, machine: int | None) -> Row:
    """Return the row of a complete deal set. `machine` is the id of a row of `machine`."""
    return {**set_columns(run, key), "games": games, "saved": saved, "played_ms": played_ms, "machine": machine}


def machine_total_from(row: sqlite3.Row) -> MachineTotal:
    """Return the machine of a row of the view `machines`."""
    return MachineTotal(_value(Machine, row), row["sets"])


def void_row(run: str, void: VoidedSet, saved: str) -> Row:
    """Return the row of a void, stored at the time `saved`."""
    return {
        **set_columns(run, void.key),
        "correction": void.correction,
        "attempt": void.attempt,
        "bots": json.dumps(void.bots),
        "why": void.why,
        "saved": saved,
    }


def void_from(row: sqlite3.Row) -> VoidedSet:
    """Return the void of a row of `void`."""
    bots = tuple(map(str, _tuple(row["bots"])))
    return _value(VoidedSet, row, key=set_key_from(row), bots=bots, is_past=bool(row["is_past"]))


# Corrections: tables `correction`, `corrected_set` and `voided_game`


def correction_row(run: str, correction: Correction) -> Row:
    """Return the row of a correction; its `sets` and `games` have rows of their own."""
    seed = None if correction.seed is None else correction.seed.hex()
    return {"run": run, **_columns(correction, without=("sets", "games")), "seed": seed}


def correction_from(row: sqlite3.Row, sets: tuple[SetKey, ...], games: int) -> Correction:
    """Return the correction of a row of `correction`, with its deal sets and the number of their games."""
    seed = None if row["seed"] is None else _seed(row["seed"])
    return _value(Correction, row, seed=seed, sets=sets, games=games)


def corrected_set_row(run: str, correction: int, key: SetKey) -> Row:
    """Return the row of a deal set in a correction."""
    return {**set_columns(run, key), "correction": correction}


def voided_game_row(game: VoidedGame) -> Row:
    """Return the row of a game that does not count any more. Raises ValueError for a malformed id."""
    place = GameId.parse(game.id)
    return {
        **set_columns(place.run, place.set_key),
        "rotation": place.rotation,
        **_columns(game, without=("id",)),
    }


def voided_game_from(row: sqlite3.Row) -> VoidedGame:
    """Return the game of a row of `voided_game`."""
    key = set_key_from(row)
    game = GameId(row["run"], key.entry, key.lineup, key.number, row["rotation"])
    return _value(VoidedGame, row, id=str(game))


# Games: tables `game`, `seat` and `fault`, view `matches`


@dataclass(frozen=True, slots=True)
class TableRows:
    """The rows of one game in the tables `game`, `seat` and `fault`, all computed from its record."""

    game: Row
    seats: tuple[Row, ...]
    faults: tuple[Row, ...]


def rows_of_record(record: GameRecord, text: str) -> TableRows:
    """Return the rows of a record. `text` is its canonical form.

    Raises ValueError for a malformed id, engine.EngineError for an unknown variant or option.
    """
    place = GameId.parse(record.id)
    game: Row = {
        "id": record.id,
        **set_columns(place.run, place.set_key),
        "rotation": place.rotation,
        "variant": record.variant,
        "ended": record.result.ended,
        "hands": sum(bool(hand.scores) for hand in record.hands),
        "decisions": sum(len(hand.actions) for hand in record.hands),
        "record": text,
    }
    faults = tuple(_fault_row(record.id, number, fault) for number, fault in enumerate(record.faults))
    return TableRows(game, _seat_rows(record, place.run), faults)


def _fault_row(game: str, place: int, fault: FaultRecord) -> Row:
    return {"game": game, "place": place, **_columns(fault)}


def _seat_rows(record: GameRecord, run: str) -> tuple[Row, ...]:
    opening = opening_scores(record.variant, record.options)
    sides = sides_of(record.variant, record.options)
    scores = record.scores or opening
    better = 1 if rules_of(record.variant).better == "high" else -1
    guilty = {sides[fault.seat] for fault in record.faults}
    charged, times = _times(record)
    return tuple(
        {
            "game": record.id,
            "seat": seat,
            "run": run,
            "bot": who.bot,
            "side": sides[seat],
            "rank": record.result.ranks[seat],
            "score": scores[seat],
            "points": None if record.result.games else better * (scores[seat] - opening[seat]),
            "penalised": sides[seat] in guilty,
            "decisions": times[seat].total(),
            "time_ms": charged[seat],
            "times": json.dumps({str(ms): times[seat][ms] for ms in sorted(times[seat])}),
        }
        for seat, who in enumerate(record.seats)
    )


def _times(record: GameRecord) -> tuple[list[int], list[Counter[int]]]:
    """Return, by seat, the total time charged and how many of the bot's own decisions took how many milliseconds."""
    every: Counter[tuple[int, int]] = Counter()
    not_its_own: Counter[tuple[int, int]] = Counter()
    for hand in record.hands:  # counted in C: a record has hundreds of decisions and few different times
        made = list(zip(map(_seat_of, hand.actions), hand.ms, strict=True))
        every.update(made)
        not_its_own.update([made[index] for index in {*hand.forced, *hand.substituted}])
    charged = [0] * len(record.seats)
    times: list[Counter[int]] = [Counter() for _ in record.seats]
    for (seat, ms), count in every.items():
        charged[seat] += ms * count
        if own := count - not_its_own[seat, ms]:
            times[seat][ms] = own
    return charged, times


@lru_cache(maxsize=4096)
def _seat_of(action: str) -> int:
    return int(action.partition(" ")[0])


def game_from(row: sqlite3.Row) -> GameRow:
    """Return the game of a row of `matches`, for lists."""
    return _value(GameRow, row, bots=_tuple(row["bots"]), scores=_tuple(row["scores"]), ranks=_tuple(row["ranks"]))


def seat_result_from(row: sqlite3.Row | Row) -> SeatResult:
    """Return the seat of a row of `seat` joined with the columns of its `game`."""
    values: Any = {name: row[name] for name in SeatResult._fields}
    return SeatResult(**{**values, "penalised": bool(row["penalised"])})


def seat_results_of(record: GameRecord) -> tuple[SeatResult, ...]:
    """Return the rows of a record, one for each seat.

    Raises ValueError for a malformed id, EngineError for an unknown variant or option.
    """
    rows = rows_of_record(record, "")
    return tuple(seat_result_from({**rows.game, **seat}) for seat in rows.seats)


def result_from(row: sqlite3.Row) -> GameResult:
    """Return the result of a row of `matches`, for ratings."""
    return GameResult(
        id=GameId.parse(row["id"]),
        variant=row["variant"],
        bots=_tuple(row["bots"]),
        sides=_tuple(row["sides"]),
        ranks=_tuple(row["ranks"]),
        scores=_tuple(row["scores"]),
        offenders=_tuple(row["offenders"]),
        rated=row["ended"] != WITHDRAWN,
        decisions=row["decisions"],
        hands=row["hands"],
        thinking_ms=_times_from(row["thinking_ms"]),
    )


def _times_from(text: str) -> tuple[int, ...]:
    return tuple(map(int, json.loads(text)))  # not by `_tuple`: nearly all are different


# Faults with their stories: table `story`, view `faults`


def story_row(story: FaultStory, folder: Path) -> Row:
    """Return the row of a story, whose `bot` is in the table `seat`.

    `folder` is the database's; the path of a log below it becomes relative to it.
    """
    columns = _columns(story, without=("bot",))
    return {**columns, "legal": json.dumps(story.legal), "log": _relative(story.log, folder.absolute())}


def _relative(log: str, folder: Path) -> str:
    return str(Path(log).relative_to(folder)) if log and Path(log).is_relative_to(folder) else log


def story_from(row: sqlite3.Row) -> FaultStory:
    """Return the story of a row of `story` joined with the `bot` of its seat."""
    return _value(FaultStory, row, legal=_tuple(row["legal"]))


def fault_from(row: sqlite3.Row, folder: Path) -> FaultRow:
    """Return the fault of a row of `faults`; `folder` is the database's."""
    log = row["log"]
    is_here = os.path.exists(folder / log)  # unlike Path.exists, it never raises
    return _value(
        FaultRow, row, legal=_tuple(row["legal"]), log=log if is_here else "", no_log="" if is_here else NO_LOG
    )


# Notes: table `note`


def note_row(note: Note) -> Row:
    """Return the row of a note."""
    return _columns(note)


def note_from(row: sqlite3.Row) -> Note:
    """Return the note of a row of `note`."""
    return _value(Note, row)
