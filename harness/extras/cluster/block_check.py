"""Checks a worker's answers before any part of them is used, so that a lie harms the worker but no bot.

A worker has the seed and the bots, so a carefully forged game looks real (docs/how-to/cluster.md). These checks find
games that are not in its block, games that break the rules or have other packs, conditions or bots, incidents of bots
that do not play there, and values that would end the run later.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from bowerbird.engine import RecordError
from bowerbird.harness.extras.cluster.answer_types import is_of_type
from bowerbird.harness.extras.cluster.connection import WorkerAnswerError, WorkerDefectError
from bowerbird.harness.extras.cluster.on_worker.session import Reply
from bowerbird.harness.records.quoting import LONGEST_SENTENCE, shown
from bowerbird.harness.records.replay.note_check import note_contradictions
from bowerbird.harness.records.replay.replay import check_dealt
from bowerbird.harness.records.replay.story_check import contradictions
from bowerbird.harness.records.values.annotations import Annotations
from bowerbird.harness.records.values.faults import FAULT_KINDS, Incident
from bowerbird.harness.records.values.game_record import MOST_CHARGED_MS, GameRecord, HandRecord, SeatRecord
from bowerbird.harness.records.values.outcome import WITHDRAWN
from bowerbird.harness.records.values.run import COMMON, OWN, pack_attempt
from bowerbird.harness.referee.game.fault_ledger import CpuUsed
from bowerbird.harness.referee.game.table import conditions_of
from bowerbird.harness.referee.spec import TableSpec, VoidedGame
from bowerbird.harness.tournament.executors.contract import RefereeSetup
from bowerbird.harness.tournament.executors.messages import (
    ChunkPlayed,
    GameEnded,
    GameVoided,
    LedgerUpdate,
    StallEnded,
    WorkerFailed,
)

MOST_CPU_MS = 1 << 40
"""An update must report less processor time than this, in ms."""

_MESSAGES = GameEnded | GameVoided | LedgerUpdate | StallEnded | WorkerFailed | ChunkPlayed

Lot = Callable[[], bool]
"""Decides by chance, for each game, whether to play it again as a check."""


class BlockCheck:
    """Checks the answers of workers against the setup of the run."""

    def __init__(self, setup: RefereeSetup, is_withdrawn: Callable[[Collection[str]], bool]) -> None:
        """Store the arguments. `is_withdrawn` returns whether one of the bots is out of the run."""
        self._conditions = setup.conditions
        self._is_withdrawn = is_withdrawn
        self._seated: Mapping[str, SeatRecord] = {
            bot.name: SeatRecord(bot.name, bot.version, bot.fingerprint, bot.time) for bot in setup.bots
        }

    def refuse_update(self, reply: object) -> None:
        """Raise WorkerAnswerError unless a referee of the run can have made this update."""
        if (
            not isinstance(reply, Reply)
            or not is_of_type(reply, Reply)
            or reply.number < 1
            or not is_of_type(reply.message, LedgerUpdate | StallEnded)
        ):
            raise WorkerAnswerError("it sent an update that no referee sends")
        if not isinstance(reply.message, LedgerUpdate):
            return
        entry = reply.message.entry
        if entry.bot not in self._seated:
            raise WorkerAnswerError(f"it reported bot {shown(entry.bot, 60)}, which is not in the run")
        if isinstance(entry, CpuUsed) and not (0 <= entry.cpu_ms <= MOST_CPU_MS and 0 <= entry.processes <= 1 << 20):
            raise WorkerAnswerError(f"it reported {entry.cpu_ms} ms of processor time at once")
        if isinstance(entry, Incident) and entry.kind not in FAULT_KINDS:
            raise WorkerAnswerError("it reported a fault of an unknown kind")

    def refuse_answer(
        self, tables: Sequence[TableSpec], replies: object, is_drawn: Lot, accused: Iterable[str] = ()
    ) -> None:
        """Raise WorkerAnswerError unless a worker's answer has exactly one correct end for each game of its block.

        Raises WorkerDefectError if its referee reports that it failed.

        is_drawn: returns whether to play the next game again.
        accused: the bots that the worker has already accused, which may be withdrawn there.
        """
        if type(replies) is not list or not all(is_of_type(one, Reply) for one in replies):
            raise WorkerAnswerError("its answer to a block is not a list of games")
        messages = [one.message for one in replies]
        if not all(is_of_type(message, _MESSAGES) for message in messages):
            raise WorkerAnswerError("its answer to a block is not a list of games")
        if failed := next((one for one in messages if isinstance(one, WorkerFailed)), None):
            raise WorkerDefectError(failed.traceback)
        for one in replies:
            if isinstance(one.message, LedgerUpdate | StallEnded):
                self.refuse_update(one)
        ends = [one for one in messages if isinstance(one, GameEnded | GameVoided)]
        if any(one.index not in range(len(tables)) for one in ends):
            raise WorkerAnswerError("it delivered a game that it was not asked for")
        accused = {*accused, *accused_by(replies)}
        for one in ends:
            if isinstance(one, GameEnded):
                self._refuse_game(tables[one.index], one.record, one.annotations, accused, is_drawn)
            else:
                _refuse_void(tables[one.index], one.voided)
        if Counter(one.index for one in ends) != Counter(range(len(tables))):
            raise WorkerAnswerError("it did not deliver each game of its block once")

    def _refuse_game(
        self, table: TableSpec, record: GameRecord, annotations: Annotations, accused: set[str], is_drawn: Lot
    ) -> None:
        if record.id != table.game_id:
            raise WorkerAnswerError("it delivered a game that it was not asked for")
        if wrong := self._wrong_head(table, record):
            raise WorkerAnswerError(f"it delivered game {record.id} with {wrong}")
        if record.result.ended == WITHDRAWN:
            gone = [record.seats[fault.seat].bot for fault in record.faults if fault.seat in range(len(record.seats))]
            if not self._is_withdrawn(gone) and accused.isdisjoint(gone):
                raise WorkerAnswerError(f"it did not play game {record.id}, whose bots are all in the run")
        if not _is_storable(record):
            raise WorkerAnswerError(f"it delivered game {record.id}, which is not a game")
        try:
            if is_drawn():
                _play_again(table, record, self._conditions.time.margin_ms)
            beside = [*contradictions(record, annotations.stories), *note_contradictions(record, annotations.notes)]
        except RecordError as error:
            raise WorkerAnswerError(f"it delivered a wrong game: {shown(str(error), LONGEST_SENTENCE // 2)}") from None
        except Exception as error:  # any error: the game is forged
            wrong = f"it delivered game {record.id}, which is not a game ({type(error).__name__})"
            raise WorkerAnswerError(wrong) from None
        told = {story.game for story in annotations.stories} | {note.game for note in annotations.notes}
        if beside or not told <= {record.id}:
            raise WorkerAnswerError(f"what it delivered with game {record.id} contradicts the game")

    def _wrong_head(self, table: TableSpec, record: GameRecord) -> str:
        """Return the part of a record that does not match its table, or "" if all of it matches."""
        conditions = conditions_of(table, self._conditions)
        pairs = {
            "another variant": (record.variant, table.variant),
            "other options": (record.options, dict(table.options)),
            "another commitment": (record.commitment, table.commitment),
            "other bots": (record.seats, tuple(self._seated[seat.bot] for seat in table.seats)),
            "other conditions": (replace(record.conditions, measures=()), replace(conditions, measures=())),
        }
        return next((what for what, (found, wanted) in pairs.items() if found != wanted), "")


def _is_storable(record: GameRecord) -> bool:
    """Return whether a game can be stored and rated: its numbers match its contents, and its seats exist."""
    seats = len(record.seats)
    result = record.result
    names = {str(seat) for seat in range(seats)}
    return (
        len(result.ranks) == seats
        and min(result.ranks) >= 1
        and len(result.games) in (0, seats)
        and {*result.winners} <= {*range(seats)}
        and all(fault.seat in range(seats) and fault.kind in FAULT_KINDS for fault in record.faults)
        and all(_is_storable_hand(hand, seats, names) for hand in record.hands)
        and sum(sum(hand.ms) for hand in record.hands) <= MOST_CHARGED_MS
    )


def _is_storable_hand(hand: HandRecord, seats: int, names: set[str]) -> bool:
    actions = len(hand.actions)
    marked = {*hand.forced, *hand.substituted}
    return (
        len(hand.ms) == actions
        and min(hand.ms, default=0) >= 0
        and min(marked, default=0) >= 0
        and max(marked, default=-1) < actions
        and len(hand.scores) in (0, seats)
        and {action[: action.find(" ")] for action in hand.actions} <= names
    )


def accused_by(replies: Iterable[Reply]) -> Iterator[str]:
    """Yield the bots of the incidents in these replies."""
    for one in replies:
        if isinstance(one.message, LedgerUpdate) and isinstance(one.message.entry, Incident):
            yield one.message.entry.bot


def _play_again(table: TableSpec, record: GameRecord, margin_ms: int) -> None:
    packs = OWN if "/" in table.entry.partition("//")[0] else COMMON
    check_dealt(record, table.seed, packs, attempt=pack_attempt(table.entry), margin_ms=margin_ms)


def _refuse_void(table: TableSpec, voided: VoidedGame) -> None:
    if not {*voided.bots} <= {seat.bot for seat in table.seats} or len(voided.why) > LONGEST_SENTENCE:
        raise WorkerAnswerError(f"it voided game {table.game_id} for bots that do not play it")
