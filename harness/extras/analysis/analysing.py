"""Analyses a run game by game, in one or several processes or on other machines.

Input: a complete run, a judge and its number of worlds. Output: figures in the file beside its database. Each game is
stored as soon as it is done, and stored games are not computed again.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache, partial
from hashlib import sha256
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING

from bowerbird.bots.champion.judging import Judge
from bowerbird.engine import OptionValue, RecordError, counted
from bowerbird.harness.extras.analysis.analysis_file import AnalysisFile, digest_of
from bowerbird.harness.extras.analysis.game_analysis import GameAnalysis, analysed, judge_name, refuse_impossible
from bowerbird.harness.process_settings import without_interrupts
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.quoting import utf8
from bowerbird.harness.records.store.store import Store, StoredRun
from bowerbird.harness.records.text.reader import read
from bowerbird.harness.records.values.faults import FORFEIT
from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.records.values.outcome import WITHDRAWN
from bowerbird.harness.records.values.query_results import GameRow
from bowerbird.harness.records.verify.pool import opened, worker_processes
from bowerbird.harness.tournament.executors.other_machines import Work

if TYPE_CHECKING:
    from bowerbird.harness.tournament.events import Progress as TellOfMachines
    from bowerbird.harness.tournament.executors.other_machines import OtherMachines

WORLDS = 20
"""The default number of worlds for each decision."""

Progress = Callable[[int, int], None]
"""Called with (games done, games to analyse)."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Which games of a run are analysed, and why the others are not.

    Attributes:
        worlds: the number of worlds for each decision.
        judges: the name of the judge of each game.
        left_out: a sentence for each kind of game that is left out, and for anything else that a reader must know.
    """

    worlds: int
    judges: Mapping[str, str]
    left_out: tuple[str, ...]


Analyser = Callable[[Store, Sequence[str], Plan], Generator[tuple[str, GameAnalysis]]]
"""Yields the figures of games (ids) in order, according to a plan. The caller must close it."""


def plan_of(
    run: StoredRun, worlds: int, bots: Sequence[str] = (), games: Sequence[str] = (), deals: int | None = None
) -> Plan:
    """Return which games of a run to analyse.

    bots: only games with one of them; () for all. games: only games whose ids begin with one of these; () for all.
    deals: only a sample of these, in whole deal sets with at least this many hands; None for all.

    Raises StoreError if the run is not complete, a bot or game is not in it, or nothing is left to analyse.
    """
    refuse_unfinished(run)
    for bot in bots:
        run.require_bot(bot)
    rows = run.games()
    for game in games:
        if not any(row.id.startswith(game) for row in rows):
            raise StoreError(f"run {run.fingerprint}: no game {game!r}; bowerbird matches lists them")
    chosen = [
        row
        for row in rows
        if (not bots or set(bots) & set(row.bots)) and (not games or row.id.startswith(tuple(games)))
    ]
    played = [row for row in chosen if row.ended not in (FORFEIT, WITHDRAWN)]
    judges, unknown = _judges(run, played, worlds)
    if not judges:
        reasons = "; ".join(_left_out(run, chosen, unknown)) or "it has no games"
        raise StoreError(f"run {run.fingerprint}: there is nothing to analyse: {reasons}")
    left_out = tuple(_left_out(run, chosen, unknown))
    judged = [row for row in played if row.id in judges]
    taken = judged if deals is None else _sample(judged, deals)
    if len(taken) < len(judged):
        hands, of = (sum(row.hands for row in rows) for rows in (taken, judged))
        left_out = (f"a sample: {hands} of {counted(of, 'hand')}, in whole deal sets", *left_out)
        judges = {row.id: judges[row.id] for row in taken}
    return Plan(worlds, judges, left_out)


def _sample(rows: Sequence[GameRow], hands: int) -> list[GameRow]:
    """Return the games of random deal sets with this many hands.

    A larger number adds to the same games. Deal sets are whole, in all line-ups, so that the luck of the cards stays
    balanced. Entries take turns.
    """
    of_set: dict[tuple[str, int], int] = {}
    for row in rows:
        place = (row.entry, row.set_number)
        of_set[place] = of_set.get(place, 0) + row.hands
    turns: dict[str, int] = {}
    due: list[tuple[int, str, int]] = []
    for entry, number in sorted(of_set, key=_drawn):
        turns[entry] = turns.get(entry, 0) + 1
        due.append((turns[entry], entry, number))
    taken: set[tuple[str, int]] = set()
    for _, entry, number in sorted(due):
        if hands <= 0:
            break
        taken.add((entry, number))
        hands -= of_set[entry, number]
    return [row for row in rows if (row.entry, row.set_number) in taken]


def _drawn(place: tuple[str, int]) -> bytes:
    """Return a sort key that shuffles deal sets in the same way each time."""
    entry, number = place
    return sha256(utf8(f"{entry}/{number}")).digest()


def refuse_unfinished(run: StoredRun) -> None:
    """Raise StoreError if a run is not complete, since nobody may see its hidden cards while it is being played."""
    if run.row.ended is None:
        raise StoreError(
            f"run {run.fingerprint} is not complete, and an analysis shows hidden cards; wait until it has ended, or "
            f"finish it with 'bowerbird runs resume {run.fingerprint}'"
        )


def _judges(run: StoredRun, rows: Sequence[GameRow], worlds: int) -> tuple[dict[str, str], dict[str, int]]:
    """Return the judge of each game, and the number of games of each entry without a judge."""
    known: dict[str, str | None] = {}
    judges: dict[str, str] = {}
    unknown: dict[str, int] = {}
    for row in rows:
        if row.entry not in known:
            record = run.store.record(row.id)
            known[row.entry] = judge_name(record.variant, dict(record.options), worlds)
        name = known[row.entry]
        if name is None:
            unknown[row.entry] = unknown.get(row.entry, 0) + 1
        else:
            judges[row.id] = name
    return judges, unknown


def _left_out(run: StoredRun, rows: Sequence[GameRow], unknown: Mapping[str, int]) -> Iterator[str]:
    """Yield a sentence for each kind of game that is not analysed, and one if the run was imported."""
    forfeited = sum(row.ended == FORFEIT for row in rows)
    if forfeited:
        yield f"{counted(forfeited, 'forfeited game')} left out, since a fault ended play"
    missed = sum(row.ended == WITHDRAWN for row in rows)
    if missed:
        yield f"{counted(missed, 'game')} of withdrawn bots left out, since nobody played"
    if run.row.voids:
        yield f"{counted(run.row.voids, 'void attempt')} at deal sets left out, since they do not count"
    corrected = sum(len(one.sets) for one in run.corrections()) if run.row.corrections else 0
    if corrected:
        yield f"{counted(corrected, 'deal set')} removed by corrections left out, since they do not count"
    for entry, games in unknown.items():
        yield f"{counted(games, 'game')} of {entry} left out, since champion has no networks for these options"
    if run.origins():
        yield (
            f"run {run.fingerprint} was imported: its records are analysed as they came, and 'bowerbird verify "
            f"{run.fingerprint}' checks them"
        )


def analyse(run: StoredRun, plan: Plan, figures: AnalysisFile, analyser: Analyser, progress: Progress) -> int:
    """Analyse the games that are not stored yet, storing each. Return the number of games analysed.

    Raises StoreError if a file cannot be read or written, RecordError if a record is damaged, and the analyser's
    errors.
    """
    stored = figures.stored(run.fingerprint, plan.judges)
    digests = {game: digest_of(text) for game, text in run.record_texts() if game in plan.judges}
    due = [game for game in plan.judges if stored.get(game) != digests[game]]
    done = len(plan.judges) - len(due)
    progress(done, len(plan.judges))
    if due:
        with closing(analyser(run.store, due, plan)) as games:
            for game, found in games:
                figures.save(run.fingerprint, game, digests[game], plan.judges[game], found)
                done += 1
                progress(done, len(plan.judges))
    return len(due)


def analysed_on(machines: OtherMachines, tell: TellOfMachines) -> Analyser:
    """Return the analyser that works on other machines. It raises MachinesError if none can work or none is left.

    tell: called for each machine that is left out, is lost or joins.
    """
    return partial(_analysed_there, machines, tell)


def _analysed_there(
    machines: OtherMachines, tell: TellOfMachines, store: Store, games: Sequence[str], plan: Plan
) -> Generator[tuple[str, GameAnalysis]]:
    items = ((f"game {game}", (store.record_text(game), plan.judges[game], plan.worlds)) for game in games)
    with machines.pool(tell, "analyse") as pool:
        for game, found in zip(games, pool.mapped(_ANALYSING, items), strict=True):
            if isinstance(found, str):
                raise RecordError(found)
            yield game, found


def analysed_text(item: tuple[str, str, int]) -> GameAnalysis | str:
    """Return the figures of a game on another machine, or the error in its record.

    item: the text of the record, the name of the judge, and the number of worlds.
    """
    text, name, worlds = item
    try:
        return _analysed_record(read(text), name, worlds)
    except RecordError as error:
        return str(error)


def _refuse(item: tuple[str, str, int], found: GameAnalysis | str) -> None:
    """Raise ValueError for an impossible result of a machine. An error in a record is found again here."""
    if isinstance(found, GameAnalysis):
        try:
            refuse_impossible(found, read(item[0]))
        except RecordError as error:
            raise ValueError(str(error)) from None


_ANALYSING = Work(analysed_text, GameAnalysis | str, _refuse, lambda found: isinstance(found, str))


def analysed_here(jobs: int) -> Analyser:
    """Return an analyser with this many processes, including this one."""
    return partial(_analysed_here, jobs)


def _analysed_here(jobs: int, store: Store, games: Sequence[str], plan: Plan) -> Generator[tuple[str, GameAnalysis]]:
    if jobs == 1 or len(games) < 2:
        for game in games:
            yield game, _analysed_game(store, game, plan.judges[game], plan.worlds)
        return
    names = [plan.judges[game] for game in games]
    workers = min(jobs, len(games))
    who = f"{store.path}: a process of the analysis"
    with worker_processes(workers, who, ", and the games that were done are stored") as pool:
        with without_interrupts():
            found = pool.map(_analysed_in_worker, repeat(store.path), games, names, repeat(plan.worlds))
        yield from zip(games, found, strict=True)


def _analysed_game(store: Store, game: str, name: str, worlds: int) -> GameAnalysis:
    return _analysed_record(store.record(game), name, worlds)


def _analysed_record(record: GameRecord, name: str, worlds: int) -> GameAnalysis:
    judge = _judge(record.variant, tuple(sorted(record.options.items())), worlds)
    return analysed(record, judge, name)


def _analysed_in_worker(path: Path, game: str, name: str, worlds: int) -> GameAnalysis:
    return _analysed_game(opened(path), game, name, worlds)


@lru_cache(maxsize=64)
def _judge(variant: str, options: tuple[tuple[str, OptionValue], ...], worlds: int) -> Judge:
    judge = Judge.of(variant, dict(options), worlds)
    assert judge is not None, "a planned game has networks"
    return judge
