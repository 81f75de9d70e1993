"""Replays a record through the engine, step by step, and checks every part of it.

Every action must be legal, every pack complete, and every dealer, score and rank must follow from the play. Even a
record with a correct digest can be refused here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import NoReturn

from bowerbird.engine import (
    RULES_VERSION,
    Action,
    EngineError,
    Game,
    RecordError,
    Stream,
    new_game,
    resolve_options,
    rules_of,
    stream,
)
from bowerbird.harness.records.values.faults import FORFEIT
from bowerbird.harness.records.values.game_record import (
    LIMITS,
    MOST_CLOCK_MS,
    OWN_USER,
    FaultRecord,
    GameRecord,
    HandRecord,
    ResultRecord,
    TimeControl,
)
from bowerbird.harness.records.values.outcome import WITHDRAWN, forfeit_of, result_of
from bowerbird.harness.records.values.run import COMMON, GameId, commitment_of, deal_seed, pack_entry

PLAYS = ("play", "dictate")
"""Kinds of action that put a card on the table."""

REVEAL = "reveal_at_end"
"""An option that every variant has, but that records of store version 1 lack."""


@dataclass(frozen=True, slots=True)
class Step:
    """One action of a game.

    `legal` are the actions that were allowed. The referee made a `forced` action because it was the only one, and a
    `substituted` one in the seat's place. `fault` is the fault at this decision, before the action. `before` and
    `after` are the game around the action; do not change them.
    """

    hand: int
    index: int
    seat: int
    token: str
    action: Action
    legal: tuple[Action, ...]
    forced: bool
    substituted: bool
    ms: int
    fault: FaultRecord | None
    before: Game
    after: Game

    @property
    def is_within_hand(self) -> bool:
        """True if the hand continues after the step."""
        return len(self.after.results) == len(self.before.results)

    @property
    def player(self) -> int:
        """The owner of the played card. A dictated card belongs to the maker (rules.md V4.5.5)."""
        maker = self.before.view(self.seat).maker if self.action.kind == "dictate" else None
        return self.seat if maker is None else maker

    @property
    def tricks(self) -> tuple[int, ...]:
        """The tricks won, by seat, after the step, even if it ended the hand."""
        return tuple(self.after.tricks_won) if self.is_within_hand else self.after.results[-1].tricks

    @property
    def trick_winner(self) -> int | None:
        """The seat that won a trick with this step, or None."""
        if self.action.kind not in PLAYS:
            return None
        before = self.before.tricks_won
        return next((seat for seat, tricks in enumerate(self.tricks) if tricks > before[seat]), None)


class ReplayError(RecordError):
    """The error for a record whose play breaks the rules.

    `game` is its id. `hand` and `action` are the place (None if the error is not in one hand or action). `legal` are
    the tokens allowed there, if an action is wrong.
    """

    def __init__(
        self, game: str, reason: str, hand: int | None = None, action: int | None = None, legal: Sequence[str] = ()
    ) -> None:
        """Build the message from its parts."""
        self.game = game
        self.reason = reason
        self.hand = hand
        self.action = action
        self.legal = tuple(legal)
        super().__init__(": ".join(part for part in (f"game {game}", self.where, reason) if part))

    @property
    def where(self) -> str:
        """The place in words, "hand 3, action 17"; "" for the whole game."""
        places = (("hand", self.hand), ("action", self.action))
        return ", ".join(f"{word} {number}" for word, number in places if number is not None)


def check(
    record: GameRecord,
    seed: bytes | None = None,
    packs: str = COMMON,
    beacon: str | None = None,
    *,
    attempt: int = 0,
    margin_ms: int = MOST_CLOCK_MS,
) -> None:
    """Play the whole record. Raises ReplayError (a RecordError) at the first error.

    If the run's `seed` is given, packs, first dealer and substituted actions must follow from it; `packs` and `beacon`
    are then those of the run, and `attempt` is that of the deal set (`values.voids`). `margin_ms` is the margin of the
    run's clock, by default the longest margin.
    """
    _begun(record, seed, packs, beacon, attempt=attempt, margin_ms=margin_ms).check()


def check_dealt(record: GameRecord, deals: bytes, packs: str, *, attempt: int, margin_ms: int) -> None:
    """Play the whole record of a game whose deals come from the seed `deals` (`values.run.deal_seed`). See `check`."""
    _Replay(record, deals, packs, attempt, margin_ms).check()


def replay(
    record: GameRecord,
    seed: bytes | None = None,
    packs: str = COMMON,
    beacon: str | None = None,
    *,
    attempt: int = 0,
) -> Iterator[Step]:
    """Yield the steps of a record, checking each first; check the result after the last step.

    seed, packs, beacon: the values of the record's run, once its seed is published. Then packs, first dealer and
        substituted actions must follow from the seed. None checks only the play.
    attempt: the number of voids of the game's deal set, each of which led to new packs (faults.md, Voids).

    The iteration raises ReplayError (a RecordError) at the step with the error.
    """
    return _begun(record, seed, packs, beacon, attempt=attempt).steps()


def _begun(
    record: GameRecord,
    seed: bytes | None,
    packs: str,
    beacon: str | None,
    *,
    attempt: int,
    margin_ms: int = MOST_CLOCK_MS,
) -> _Replay:
    if seed is not None and commitment_of(seed) != record.commitment:
        raise ReplayError(record.id, "its commitment is not that of the run's seed")
    return _Replay(record, None if seed is None else deal_seed(seed, beacon), packs, attempt, margin_ms)


@dataclass(frozen=True, slots=True)
class _Play:
    """An action that was checked and applied. Fields are as in `Step`."""

    hand: int
    index: int
    seat: int
    action: Action
    legal: tuple[Action, ...]
    forced: bool
    substituted: bool
    ms: int
    fault: FaultRecord | None


class _SeatClock:
    """The most time that a seat can have left, judging by the rounded times of its record (protocol.md, The clock)."""

    def __init__(self, time: TimeControl, margin_ms: int) -> None:
        self._time = time
        self._margin = margin_ms
        self._bank = float(time.bank_ms)
        self._game = float(time.game_ms or inf)
        self.free_ms = 0 if time.game_ms else time.per_decision_ms
        """The longest time that can be charged for a decision without changing anything."""

    def begin_hand(self) -> None:
        """Add the increment of a new hand."""
        self._bank += self._time.increment_ms

    @property
    def most(self) -> int:
        """The most that can be charged for the next decision, rounded."""
        return int(min(self._time.per_decision_ms + self._bank, self._game) + self._margin + 0.5)

    def charge(self, ms: int) -> None:
        """Charge a decision, assuming that it took half a millisecond less than recorded."""
        self._bank = max(0.0, self._bank - max(0.0, ms - 0.5 - self._time.per_decision_ms))
        self._game = max(0.0, self._game - max(0.0, ms - 0.5))


class _Replay:
    """The replay of one record."""

    def __init__(self, record: GameRecord, seed: bytes | None, packs: str, attempt: int, margin_ms: int) -> None:
        self.record = record
        self.seed = seed
        self._check_head()
        self.faults = self._faults_by_place()
        self.gone: set[int] = set()
        self.offender: int | None = None
        self.substitutes: dict[int, Stream] = {}
        self.game = self._new_game(packs, attempt)
        self.clocks = [_SeatClock(clock, margin_ms) for clock in record.clocks]
        if self.game.dealer != record.first_dealer:
            self._refuse(f"first dealer is seat {record.first_dealer}, the seed gives seat {self.game.dealer}")

    # Before the first card

    def _check_head(self) -> None:
        record = self.record
        if record.rules != RULES_VERSION:
            self._refuse(f"its rules are version {record.rules!r}, but this engine plays version {RULES_VERSION!r}")
        try:
            resolved = resolve_options(record.variant, dict(record.options))
            rules = rules_of(record.variant)
            seats = rules.seats(resolved)
        except EngineError as error:
            self._refuse(str(error))
        later = {
            name: resolved[name]
            for name, option in rules.options.items()
            if option.added and name not in record.options
        }
        if dict(resolved) != {**later, **record.options}:
            missing = ", ".join(sorted(set(resolved) - set(record.options) - set(later)))
            self._refuse(f"its options are not the resolved ones; missing: {missing}")
        if len(record.seats) != seats:
            self._refuse(f"it has {len(record.seats)} seats, but {record.variant} with these options has {seats}")
        if record.first_dealer >= seats:
            self._refuse(f"first dealer is seat {record.first_dealer} of {seats}, counted from 0")
        if not record.hands and record.result.ended != WITHDRAWN:
            self._refuse("no hand was played")
        if OWN_USER in record.conditions.measures and record.conditions.isolation != LIMITS:
            self._refuse(f"the measure {OWN_USER!r} is only for isolation {LIMITS!r}")

    def _faults_by_place(self) -> dict[tuple[int, int], FaultRecord]:
        places: dict[tuple[int, int], FaultRecord] = {}
        if self.record.result.ended == WITHDRAWN:
            return places
        for fault in self.record.faults:
            place = (fault.hand, fault.action)
            if place in places:
                self._refuse("two faults for one decision", *place)
            places[place] = fault
        return places

    def _new_game(self, packs: str, attempt: int) -> Game:
        record = self.record
        try:
            if self.seed is not None:
                return self._seeded_game(self.seed, packs, attempt)
            if not record.hands:
                return new_game(record.variant, record.options, first_dealer=record.first_dealer, seed=bytes(32))
            return new_game(
                record.variant,
                record.options,
                first_dealer=record.first_dealer,
                packs=[hand.packs for hand in record.hands],
            )
        except ValueError as error:  # an EngineError, or a malformed id
            self._refuse(str(error))

    def _seeded_game(self, seed: bytes, packs: str, attempt: int) -> Game:
        record = self.record
        place = GameId.parse(record.id)
        entry = pack_entry(place.entry, place.lineup, packs, attempt)
        return new_game(record.variant, record.options, seed=seed, entry=entry, set_number=place.set_number)

    # The play

    def steps(self) -> Iterator[Step]:
        """Yield all steps, each with the game before and after, then check the result."""
        before = self.game.copy()
        for play in self.plays():
            after = self.game.copy()
            yield Step(
                hand=play.hand,
                index=play.index,
                seat=play.seat,
                token=str(play.action),
                action=play.action,
                legal=play.legal,
                forced=play.forced,
                substituted=play.substituted,
                ms=play.ms,
                fault=play.fault,
                before=before,
                after=after,
            )
            before = after

    def check(self) -> None:
        """Play all actions, then check the result. Hands without faults use a faster path."""
        for number, hand in enumerate(self.record.hands):
            if self.faults or self.gone or hand.substituted:
                for _ in self._hand(number, hand):
                    pass
            else:
                self._check_plain_hand(number, hand)
        self._check_end()

    def plays(self) -> Iterator[_Play]:
        """Yield each action as soon as it is applied, then check the result."""
        for number, hand in enumerate(self.record.hands):
            yield from self._hand(number, hand)
        self._check_end()

    def _hand(self, number: int, hand: HandRecord) -> Iterator[_Play]:
        self._begin_hand(number, hand)
        forced, substituted = frozenset(hand.forced), frozenset(hand.substituted)
        for index, (text, ms) in enumerate(zip(hand.actions, hand.ms, strict=True)):
            if len(self.game.results) > number:
                self._refuse(f"{text!r} after the end of the hand", number, index)
            yield self._play(number, index, text, ms, (index in forced, index in substituted))
        self._end_hand(number, hand)

    def _check_plain_hand(self, number: int, hand: HandRecord) -> None:
        """Check a hand in which no seat is at fault. `_play` decides about each action that is not obviously right."""
        self._begin_hand(number, hand)
        game, free_ms = self.game, [clock.free_ms for clock in self.clocks]
        legal_actions, apply = game.legal_actions, game.apply
        forced = frozenset(hand.forced)
        for index, (text, ms) in enumerate(zip(hand.actions, hand.ms, strict=True)):
            if game.hand_number != number or game.actor is None:
                self._refuse(f"{text!r} after the end of the hand", number, index)
            seat, legal = game.actor, legal_actions()
            for action in legal:
                if action.lines[seat] == text:
                    break
            else:
                self._action(text, seat, legal, number, index)
            if ms > (0 if index in forced else free_ms[seat]) or (index in forced and len(legal) > 1):
                self._play(number, index, text, ms, (index in forced, False))
                continue
            try:
                apply(action)
            except EngineError as error:
                self._refuse(str(error), number, index)
        self._end_hand(number, hand)

    def _begin_hand(self, number: int, hand: HandRecord) -> None:
        if self.game.is_over:
            self._refuse("a hand after the end of the game", number)
        if hand.dealer != self.game.dealer:
            self._refuse(f"dealer is seat {hand.dealer}, but seat {self.game.dealer} must deal", number)
        self._check_packs(number, hand, self.game.packs, whole=False)
        for clock in self.clocks:
            clock.begin_hand()

    def _end_hand(self, number: int, hand: HandRecord) -> None:
        if len(self.game.results) > number:
            self._check_finished(number, hand)
        else:
            self._check_unfinished(number, hand)

    def _play(self, number: int, index: int, text: str, ms: int, marks: tuple[bool, bool]) -> _Play:
        game = self.game
        seat = game.actor
        assert seat is not None  # neither the hand nor the game is over
        fault = self._fault(number, index, seat)
        legal = game.legal_actions()
        action = self._action(text, seat, legal, number, index)
        self._check_referee(seat, action, legal, marks, (number, index))
        if ms:
            self._charge(seat, ms, marks, (number, index))
        try:
            game.apply(action)
        except EngineError as error:
            self._refuse(str(error), number, index)
        return _Play(number, index, seat, action, legal, *marks, ms, fault)

    def _charge(self, seat: int, ms: int, marks: tuple[bool, bool], place: tuple[int, int]) -> None:
        """Charge an action to the clock of its seat. The clock must allow it."""
        if any(marks):
            self._refuse(f"{ms} ms are charged for an action of the referee", *place)
        clock = self.clocks[seat]
        if ms > (most := clock.most):
            self._refuse(f"{ms} ms are charged without a TIMEOUT, but its clock allows {most} ms", *place)
        clock.charge(ms)

    def _fault(self, number: int, index: int, seat: int) -> FaultRecord | None:
        fault = self.faults.pop((number, index), None)
        if fault is None:
            return None
        if fault.seat != seat:
            self._refuse(f"a fault of seat {fault.seat}, but seat {seat} must decide", number, index)
        if seat in self.gone:
            self._refuse(f"a second fault of seat {seat}, for which the referee already plays", number, index)
        if self.record.conditions.on_fault == FORFEIT:
            self._refuse("play continues after a fault that forfeits the game", number, index)
        self.gone.add(seat)
        if self.seed is not None:
            self.substitutes[seat] = stream(self.seed, "substitute", self.record.id, seat)
        return fault

    def _action(self, text: str, seat: int, legal: tuple[Action, ...], number: int, index: int) -> Action:
        who, _, token = text.partition(" ")
        if who != str(seat):
            self._refuse(f"{text!r}, but seat {seat} must decide", number, index, legal)
        for action in legal:
            if action.token == token:
                break
        else:
            self._refuse(f"{token!r} is not legal for seat {seat}", number, index, legal)
        return action

    def _check_referee(
        self, seat: int, action: Action, legal: tuple[Action, ...], marks: tuple[bool, bool], place: tuple[int, int]
    ) -> None:
        """Check the marks `forced` and `substituted` of an action, and the substituted action."""
        forced, substituted = marks
        if forced and substituted:
            self._refuse("both forced and substituted", *place)
        if forced and len(legal) > 1:
            self._refuse(f"marked as forced, with {len(legal)} legal actions", *place, legal)
        if seat not in self.gone:
            if substituted:
                self._refuse(f"substituted, but seat {seat} was not at fault", *place)
            return
        if not (forced or substituted):
            self._refuse(f"an action of seat {seat} after its fault that the referee did not make", *place)
        if substituted and len(legal) == 1:
            self._refuse("marked as substituted, but with only one legal action it is forced", *place)
        if substituted and seat in self.substitutes:
            due = legal[self.substitutes[seat].uniform(len(legal))]
            if action != due:
                self._refuse(f"substituted {str(action)!r}, the seed gives {str(due)!r}", *place)

    def _check_packs(self, number: int, hand: HandRecord, dealt: Sequence[str], whole: bool) -> None:
        """Compare the packs of a hand with those that the engine dealt, from the seed if it is known."""
        source = "as the seed deals it" if self.seed is not None else "as it was dealt"
        for shuffle, pack in enumerate(dealt):
            if shuffle >= len(hand.packs):
                self._refuse(f"pack {shuffle} is missing", number)
            if hand.packs[shuffle] != pack:
                self._refuse(f"pack {shuffle} is not {source}: {pack}", number)
        if whole and len(hand.packs) > len(dealt):
            self._refuse(f"{len(hand.packs)} packs, but the hand has {len(dealt)}", number)

    def _check_finished(self, number: int, hand: HandRecord) -> None:
        done = self.game.results[number]
        self._check_packs(number, hand, done.packs, whole=True)
        if not hand.scores:
            self._refuse(f"the hand is over, and its scores are missing: {_spaced(done.scores)}", number)
        if hand.scores != done.scores:
            self._refuse(
                f"scores {_spaced(hand.scores)} do not follow from the play, which gives {_spaced(done.scores)}", number
            )

    def _check_unfinished(self, number: int, hand: HandRecord) -> None:
        if hand.scores:
            legal = self.game.legal_actions()
            self._refuse("the hand has scores, but is not over", number, len(hand.actions), legal)
        if number + 1 < len(self.record.hands):
            self._refuse("the hand is not over, but another follows", number, len(hand.actions))
        self._check_packs(number, hand, self.game.packs, whole=True)
        self._check_forfeit(number, len(hand.actions))

    def _check_forfeit(self, number: int, index: int) -> None:
        fault = self.faults.pop((number, index), None)
        actor = self.game.actor
        if fault is None or self.record.conditions.on_fault != FORFEIT:
            legal = self.game.legal_actions()
            self._refuse("the game stops without a fault that forfeits it", number, index, legal)
        if fault.seat != actor:
            self._refuse(f"a fault of seat {fault.seat}, but seat {actor} must decide", number, index)
        self.offender = fault.seat

    # The end

    def _check_end(self) -> None:
        if self.faults:
            self._refuse("a fault for a decision that was never asked", *next(iter(self.faults)))
        self._check_result()

    def _check_result(self) -> None:
        expected, stated = self._expected_result(), self.record.result
        for name in ("ended", "winners", "ranks", "games"):
            right, found = getattr(expected, name), getattr(stated, name)
            if right != found:
                self._refuse(f"result: {name} {_said(found)} does not follow from the play, which gives {_said(right)}")

    def _expected_result(self) -> ResultRecord:
        if self.record.result.ended == WITHDRAWN:
            return self._withdrawn()
        if self.offender is not None:
            return forfeit_of(self.game, (self.offender,))
        if not self.game.is_over:
            self._refuse("the game is not over after its last hand", len(self.record.hands) - 1)
        return result_of(self.game)

    def _withdrawn(self) -> ResultRecord:
        record = self.record
        absent = [fault.seat for fault in record.faults]
        if record.hands or not absent or any((fault.hand, fault.action) != (0, 0) for fault in record.faults):
            self._refuse("a game that withdrawn bots missed must have no hand, and one fault for each of them")
        if len(set(absent)) != len(absent) or any(seat >= self.game.players for seat in absent):
            self._refuse(f"withdrawn seats {_spaced(absent)}; there are {self.game.players}, each once")
        return replace(forfeit_of(self.game, absent), ended=WITHDRAWN)

    def _refuse(
        self, reason: str, hand: int | None = None, action: int | None = None, legal: Sequence[Action] = ()
    ) -> NoReturn:
        tokens = [str(one) for one in legal]
        allowed = f"; legal: {', '.join(tokens)}" if tokens else ""
        raise ReplayError(self.record.id, reason + allowed, hand, action, tokens)


def opening(record: GameRecord) -> Game:
    """Return the game before its first action."""
    packs = [hand.packs for hand in record.hands]
    return new_game(record.variant, record.options, first_dealer=record.first_dealer, packs=packs)


def _spaced(values: Sequence[int]) -> str:
    return " ".join(map(str, values))


def _said(value: str | tuple[int, ...]) -> str:
    return repr(value) if isinstance(value, str) else f"[{_spaced(value)}]"
