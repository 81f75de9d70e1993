"""One game at one table, without processes and without waiting (ARCHITECTURE.md, referee).

A `Table` is told what happened (`answer`, `leave`) and moves on at once: through decisions that have one legal action,
through seats that the referee plays, from hand to hand, until a seat must be asked (`due`) or the game is recorded
(`record`). It knows seats, cards and times; what carries them is none of its business.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from engine import ENGINE_VERSION, RULES_VERSION, Action, Game, new_game
from engine.shuffle import Stream, stream
from engine.views import SeatView
from harness.records.record import Conditions, FaultRecord, GameRecord, HandRecord, ResultRecord, SeatRecord
from harness.records.result import forfeit_of, result_of
from harness.referee.clock import Bank, Pace, ms_at_least, whole_ms
from harness.referee.faults import FORFEIT, ILLEGAL, TIMEOUT, WITHDRAWN, Fault, one_line
from harness.referee.spec import TableSpec


class Due:
    """The decision that a table waits for: whose it is, its number among this seat's own, its choices."""

    __slots__ = ("legal", "number", "seat")

    def __init__(self, seat: int, number: int, legal: tuple[Action, ...]) -> None:
        """A decision of `seat`; `number` counts from 0."""
        self.seat = seat
        self.number = number
        self.legal = legal


def fresh_game(spec: TableSpec) -> Game:
    """The game of a table before its first decision. Raises engine errors for a variant or option that is wrong."""
    return new_game(spec.variant, spec.options, seed=spec.seed, entry=spec.entry, set_number=spec.set_number)


def conditions_of(spec: TableSpec, conditions: Conditions) -> Conditions:
    """What the record of this table says: a table may carry a fault policy of its own."""
    return replace(conditions, on_fault=spec.on_fault) if spec.on_fault else conditions


def unplayed(
    spec: TableSpec, conditions: Conditions, seats: Sequence[SeatRecord], faults: Mapping[int, Fault]
) -> GameRecord:
    """The record of a game that was not played, because the bots at the seats in `faults` had been withdrawn."""
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

    `due` is the decision it waits for, or None; `record` is the game's record once it has ended. `wants_forced` names
    seats that want to be asked even where only one action is legal. `hands` are those finished so far.
    """

    def __init__(
        self,
        spec: TableSpec,
        conditions: Conditions,
        seats: Sequence[SeatRecord],
        wants_forced: Collection[int] = (),
    ) -> None:
        """A table that has not started. Raises engine errors for a variant or option that is wrong."""
        self.spec = spec
        self.due: Due | None = None
        self.record: GameRecord | None = None
        self.hands: list[HandRecord] = []
        self.faults: list[FaultRecord] = []
        self.game = fresh_game(spec)
        self.conditions = conditions_of(spec, conditions)
        self._seats = tuple(seats)
        self._wants_forced = frozenset(wants_forced)
        self._pace = Pace.of(conditions.time)
        self.banks = tuple(Bank(self._pace) for _ in range(self.game.players))
        self._made = [0] * self.game.players
        self._first_dealer = self.game.dealer
        self._gone: dict[int, Fault] = {}
        self.open_at_fault: dict[int, tuple[str, ...]] = {}
        """By seat whose fault has landed: the tokens between which it was to decide."""
        self._substitutes: dict[int, Stream] = {}
        self._hand_number = self.game.hand_number
        self._new_hand()

    def start(self) -> None:
        """Play up to the first decision that a seat must be asked."""
        self._advance()

    def view(self, seat: int) -> SeatView:
        """What the seat may know now."""
        return self.game.view(seat)

    def answer(self, index: int | None, echo: str, charge: int) -> Fault | None:
        """The due decision's answer: an index into its legal actions, a token ("" for none), the time it cost in ns.

        Lateness is judged before legality. Returns the fault that landed, or None. Raises RuntimeError if nothing is
        due: who calls must have matched the decision's number.
        """
        due = self.due
        if due is None:
            raise RuntimeError(f"{self.spec.game_id}: an answer without a decision that is due")
        bank = self.banks[due.seat]
        limit = bank.limit
        if not bank.charge(charge):
            fault = Fault(TIMEOUT, "answered too late", ms_at_least(limit), ms_at_least(charge))
        else:
            action = chosen_action(due.legal, index, echo)
            if isinstance(action, Action):
                self.due = None
                self._apply(due.seat, action, whole_ms(charge))
                self._advance()
                return None
            fault = Fault(ILLEGAL, action, ms_at_least(limit), ms_at_least(charge))
        self.leave(due.seat, fault)
        return fault

    def leave(self, seat: int, fault: Fault) -> bool:
        """From now on the seat answers nothing more. The fault lands at its next decision that is due, maybe now.

        A seat leaves once: whatever follows changes nothing. Returns whether this was the first time.
        """
        if self.record is not None or seat in self._gone or seat in self._substitutes:
            return False
        self._gone[seat] = fault
        if self.due is not None and self.due.seat == seat:
            self.due = None
            self._advance()
        return True

    def has_left(self, seat: int) -> bool:
        """Whether the seat's bot plays here no more, because of a fault of its own."""
        return seat in self._gone or seat in self._substitutes

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
            elif seat in self._gone:
                self._land(seat, self._gone.pop(seat))
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
        self._actions.append(f"{seat} {action.token}")
        self._ms.append(ms)
        if game.hand_number != self._hand_number or game.actor is None:
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
        self._hand_number = self.game.hand_number

    def _new_hand(self) -> None:
        self._actions: list[str] = []
        self._ms: list[int] = []
        self._forced: list[int] = []
        self._substituted: list[int] = []
        for bank in self.banks:
            bank.begin_hand()

    def _land(self, seat: int, fault: Fault) -> None:
        self.open_at_fault[seat] = tuple(action.token for action in self.game.legal_actions())
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


def chosen_action(legal: tuple[Action, ...], index: int | None, token: str) -> Action | str:
    """The action that was chosen by index, by token or by both; if it is not legal, what is wrong, in words."""
    if index is None:
        if not token:
            return "neither action_index nor action"
        chosen = next((action for action in legal if action.token == token), None)
        return chosen if chosen is not None else f"action {token!r}"
    if not 0 <= index < len(legal):
        return f"action_index {index} of {len(legal)} legal actions"
    if token and token != legal[index].token:
        return f"action_index {index} is {legal[index].token!r}, action says {token!r}"
    return legal[index]


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
