"""One game at one table, without processes or waiting (architecture.md, referee).

Call `answer` or `leave` to report an event to a `Table`. It checks whether each answer is in time and legal, or a
fault. Then it advances at once, through decisions with one legal action, seats that the referee plays, and the ends of
hands, until a seat must be asked (`due`) or the game has ended (`record`). It deals with seats, cards and times, but
not with connections.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from bowerbird.engine import ENGINE_VERSION, RULES_VERSION, Action, Game, Stream, new_game, stream
from bowerbird.harness.records.values.annotations import Note, NoteBook, kept_text
from bowerbird.harness.records.values.faults import FORFEIT, ILLEGAL, TIMEOUT
from bowerbird.harness.records.values.game_record import (
    Conditions,
    FaultRecord,
    GameRecord,
    HandRecord,
    ResultRecord,
    SeatRecord,
)
from bowerbird.harness.records.values.live import LiveAction
from bowerbird.harness.records.values.outcome import WITHDRAWN, forfeit_of, result_of
from bowerbird.harness.referee.game.clock import Bank, Pace, ms_at_least, whole_ms
from bowerbird.harness.referee.game.faults import Fault, one_line
from bowerbird.harness.referee.spec import TableSpec


class Due:
    """The decision that a table waits for: its seat, its number among this seat's decisions, and its legal actions."""

    __slots__ = ("legal", "number", "seat")

    def __init__(self, seat: int, number: int, legal: tuple[Action, ...]) -> None:
        """Create a decision of `seat`; `number` counts from 0."""
        self.seat = seat
        self.number = number
        self.legal = legal


def fresh_game(spec: TableSpec) -> Game:
    """Return the game of a table before its first decision. Raises engine errors for an invalid variant or option."""
    return new_game(spec.variant, spec.options, seed=spec.seed, entry=spec.entry, set_number=spec.set_number)


def conditions_of(spec: TableSpec, conditions: Conditions) -> Conditions:
    """Return the conditions for the record of this table, which may have its own fault policy."""
    return replace(conditions, on_fault=spec.on_fault) if spec.on_fault else conditions


def unplayed(
    spec: TableSpec, conditions: Conditions, seats: Sequence[SeatRecord], faults: Mapping[int, Fault]
) -> GameRecord:
    """Return the record of a game that was not played because the bots at the seats in `faults` had been withdrawn."""
    game = fresh_game(spec)
    return _record(
        spec,
        conditions_of(spec, conditions),
        seats,
        game,
        first_dealer=game.dealer,
        hands=(),
        faults=tuple(FaultRecord(0, 0, seat, faults[seat].kind, 0, 0, faults[seat].detail) for seat in sorted(faults)),
        result=replace(forfeit_of(game, tuple(faults)), ended=WITHDRAWN),
    )


class Table:
    """One game from the first card to its record.

    Life: created, `start`, any number of `answer` and `leave`, ended (`record` is set).

    due: the decision that it waits for, or None. record: the game's record once it has ended. hands: the finished
        hands.
    clocks, banks: by seat. legal_at_fault: the tokens that were legal when a seat's fault landed, by seat.
    """

    def __init__(
        self,
        spec: TableSpec,
        conditions: Conditions,
        seats: Sequence[SeatRecord],
        wants_forced: Collection[int] = (),
    ) -> None:
        """Create a table that has not started. `wants_forced` are the seats to ask even if only one action is legal.

        Raises engine errors for a wrong variant or option.
        """
        self.spec = spec
        self.due: Due | None = None
        self.record: GameRecord | None = None
        self.hands: list[HandRecord] = []
        self.faults: list[FaultRecord] = []
        self.game = fresh_game(spec)
        self.conditions = conditions_of(spec, conditions)
        self._seats = tuple(seats)
        self._wants_forced = frozenset(wants_forced)
        self.clocks = tuple(seat.time or conditions.time for seat in self._seats)
        self.banks = tuple(Bank(Pace.of(clock)) for clock in self.clocks)
        self._made = [0] * self.game.players
        self._first_dealer = self.game.dealer
        self._faults_to_land: dict[int, Fault] = {}
        self.legal_at_fault: dict[int, tuple[str, ...]] = {}
        self._substitutes: dict[int, Stream] = {}
        self._notes: NoteBook | None = None
        self._new_hand()

    def start(self) -> None:
        """Play up to the first decision that a seat must be asked."""
        self._advance()

    def answer(self, choice: int | str | None, charge: int) -> Fault | None:
        """Answer the due decision. Return the fault that landed, or None.

        choice: an index into its legal actions, a token, or None. charge: the time it cost, in ns. Lateness is checked
            before legality. Raises RuntimeError if nothing is due, since the caller must match the decision's number.
        """
        due = self.due
        if due is None:
            raise RuntimeError(f"{self.spec.game_id}: an answer without a decision that is due")
        bank = self.banks[due.seat]
        limit = bank.limit
        if not bank.charge(charge):
            fault = Fault(TIMEOUT, "answered too late", ms_at_least(limit), ms_at_least(charge))
        else:
            action = chosen_action(due.legal, choice)
            if isinstance(action, Action):
                self.due = None
                self._apply(due.seat, action, whole_ms(charge))
                self._advance()
                return None
            fault = Fault(ILLEGAL, action, ms_at_least(limit), ms_at_least(charge))
        self.leave(due.seat, fault)
        return fault

    def leave(self, seat: int, fault: Fault) -> bool:
        """Remove the seat's bot from the table. The fault lands when a decision of the seat is due, which may be now.

        A seat leaves only once; further calls change nothing. Return whether this was the first.
        """
        if self.record is not None or seat in self._faults_to_land or seat in self._substitutes:
            return False
        self._faults_to_land[seat] = fault
        if self.due is not None and self.due.seat == seat:
            self.due = None
            self._advance()
        return True

    @property
    def next_action(self) -> tuple[int, int]:
        """The hand of the next recorded action and the action's number in it, each from 0."""
        return len(self.hands), len(self._actions)

    def add_note(self, seat: int, action: tuple[int, int], text: str) -> None:
        """Keep a bot's note on its action at this place (`next_action` before it) beside the record."""
        if self._notes is None:
            self._notes = NoteBook()
        self._notes.add(Note(self.spec.game_id, seat, *action, kept_text(text)))

    @property
    def notes(self) -> tuple[Note, ...]:
        """The notes of the bots, in the order of the actions."""
        return () if self._notes is None else self._notes.notes()

    def has_left(self, seat: int) -> bool:
        """Return whether the seat's bot has left, because of a fault."""
        return seat in self._faults_to_land or seat in self._substitutes

    def actions_from(self, hand: int, index: int) -> tuple[tuple[LiveAction, ...], tuple[int, int]]:
        """Return the actions of a hand from number `index` on, and the hand and number of the next action."""
        found: list[LiveAction] = []
        for done in self.hands[hand:]:
            found += _live_actions(done.actions, done.ms, done.forced, done.substituted, index)
            index = 0
        if self.record is None:
            found += _live_actions(self._actions, self._ms, self._forced, self._substituted, index)
        return tuple(found), (len(self.hands), len(self._actions))

    def _advance(self) -> None:
        game = self.game
        while (seat := game.actor) is not None:
            legal = game.legal_actions()
            if len(legal) == 1 and (seat not in self._wants_forced or self.has_left(seat)):
                self._forced.append(len(self._actions))
                self._apply(seat, legal[0], 0)
            elif seat in self._substitutes:
                self._substituted.append(len(self._actions))
                self._apply(seat, legal[self._substitutes[seat].uniform(len(legal))], 0)
            elif seat in self._faults_to_land:
                self._land(seat, self._faults_to_land.pop(seat))
                if self.record is not None:
                    return
            else:
                self.due = Due(seat, self._made[seat], legal)
                return
        self._finish(result_of(game))

    def _apply(self, seat: int, action: Action, ms: int) -> None:
        game = self.game
        game.apply(action)
        self._made[seat] += 1
        self._actions.append(action.lines[seat])
        self._ms.append(ms)
        if len(game.results) != len(self.hands):
            self._end_hand()

    def _end_hand(self) -> None:
        for done in self.game.results[len(self.hands) :]:
            self.hands.append(
                HandRecord(
                    dealer=done.dealer,
                    packs=tuple(done.packs),
                    actions=tuple(self._actions),
                    ms=tuple(self._ms),
                    forced=tuple(self._forced),
                    substituted=tuple(self._substituted),
                    scores=tuple(done.scores),
                )
            )
            self._new_hand()

    def _new_hand(self) -> None:
        self._actions: list[str] = []
        self._ms: list[int] = []
        self._forced: list[int] = []
        self._substituted: list[int] = []
        for bank in self.banks:
            bank.begin_hand()

    def _land(self, seat: int, fault: Fault) -> None:
        self.legal_at_fault[seat] = tuple(action.token for action in self.game.legal_actions())
        self.faults.append(
            FaultRecord(
                hand=len(self.hands),
                action=len(self._actions),
                seat=seat,
                kind=fault.kind,
                limit_ms=fault.limit_ms,
                elapsed_ms=fault.elapsed_ms,
                detail=one_line(fault.detail),
            )
        )
        if self.conditions.on_fault == FORFEIT:
            self._forfeit(seat)
        else:
            self._substitutes[seat] = stream(self.spec.seed, "substitute", self.spec.game_id, seat)

    def _forfeit(self, seat: int) -> None:
        game = self.game
        self.hands.append(
            HandRecord(
                dealer=game.dealer,
                packs=tuple(game.packs),
                actions=tuple(self._actions),
                ms=tuple(self._ms),
                forced=tuple(self._forced),
                substituted=tuple(self._substituted),
                scores=(),
            )
        )
        self._finish(forfeit_of(game, (seat,)))

    def _finish(self, result: ResultRecord) -> None:
        self.record = _record(
            self.spec,
            self.conditions,
            self._seats,
            self.game,
            first_dealer=self._first_dealer,
            hands=tuple(self.hands),
            faults=tuple(self.faults),
            result=result,
        )


def chosen_action(legal: tuple[Action, ...], choice: int | str | None) -> Action | str:
    """Return the action chosen by index or by token; if it is not legal, return the reason in words."""
    if choice is None:
        return "neither action_index nor action"
    if isinstance(choice, int):
        return legal[choice] if 0 <= choice < len(legal) else f"action_index {choice} of {len(legal)} legal actions"
    chosen = next((action for action in legal if action.token == choice), None)
    return chosen if chosen is not None else f"action {choice!r}"


def _live_actions(
    actions: Sequence[str], ms: Sequence[int], forced: Collection[int], substituted: Collection[int], first: int
) -> Iterator[LiveAction]:
    for number in range(first, len(actions)):
        yield LiveAction(actions[number], ms[number], number in forced, number in substituted)


def _record(
    spec: TableSpec,
    conditions: Conditions,
    seats: Sequence[SeatRecord],
    game: Game,
    *,
    first_dealer: int,
    hands: tuple[HandRecord, ...],
    faults: tuple[FaultRecord, ...],
    result: ResultRecord,
) -> GameRecord:
    return GameRecord(
        id=spec.game_id,
        engine=ENGINE_VERSION,
        rules=RULES_VERSION,
        variant=spec.variant,
        options=dict(game.options),
        first_dealer=first_dealer,
        commitment=spec.commitment,
        conditions=conditions,
        seats=tuple(seats),
        hands=hands,
        faults=faults,
        result=result,
    )
