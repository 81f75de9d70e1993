"""The game as the person sees it: receives the messages of a `Session`, and keeps what a terminal or a page shows.

The process of the run reports all actions, even hidden ones. The program that shows the game dealt the packs, so it may
know them. The frames of the seat show only what that seat knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bowerbird.engine import EngineError, Game, SeatView, rules_of
from bowerbird.harness.extras.play.session import Asked, GameOver, Lost, Message, RunOver, TableOpened
from bowerbird.harness.extras.play.setup import Setup, table_of
from bowerbird.harness.records.replay.frames import Frame, FrameMaker
from bowerbird.harness.records.replay.replay import Step
from bowerbird.harness.records.values.game_record import FaultRecord, TimeControl
from bowerbird.harness.records.values.live import LiveAction, LiveSteps
from bowerbird.harness.referee.game.table import fresh_game
from bowerbird.harness.wire import decode, encode
from bowerbird.seat.v1 import seat_pb2, table_pb2

if TYPE_CHECKING:
    from bowerbird.engine import Trick
    from bowerbird.harness.tournament.plan import Plan


class Follower:
    """The game as one seat saw it so far.

    Attributes:
        game: the game after the last reported action. Do not change it.
        open_frames: the frames of every finished hand with all cards, by hand.
        steps: the steps of every finished hand, by hand. Each has the game before it. `after` is the current game.
    """

    def __init__(self, game: Game, seat: int, names: Sequence[str], time: TimeControl) -> None:
        """Start at the deal of `game`. `names` are the bots' names by seat, and `time` is the clock of all seats."""
        self.game = game.copy()
        self.open_frames: list[list[Frame]] = []
        self.steps: list[list[Step]] = []
        clocks = [time] * len(names)
        self._seen = FrameMaker(names, clocks, seat)
        self._all = FrameMaker(names, clocks, None)
        self._faults: dict[tuple[int, int], FaultRecord] = {}
        self._index = 0
        """The number of the next action of the hand."""
        self._hand = [self._all.deal(self.game)]
        self._steps: list[Step] = []

    def deal(self) -> Frame:
        """Return the frame of the first hand's deal, for the seat. Call it once, before anything else."""
        return self._seen.deal(self.game)

    def take(self, steps: LiveSteps) -> list[Frame]:
        """Apply the next event, and return the seat's frames. Raises EngineError if the event is impossible."""
        self._faults |= {(fault.hand, fault.action): fault for fault in steps.faults}
        return [frame for action in steps.actions for frame in self._apply(action)]

    def _apply(self, told: LiveAction) -> list[Frame]:
        before = self.game.copy()
        legal = before.legal_actions()
        seat, _, token = told.text.partition(" ")
        action = next((one for one in legal if one.token == token), None)
        if action is None or str(before.actor) != seat:
            raise EngineError(f"{told.text!r} was told, and cannot be played")
        hand = len(before.results)
        self.game.apply(action)
        step = Step(
            hand=hand,
            index=self._index,
            seat=int(seat),
            token=token,
            action=action,
            legal=legal,
            forced=told.forced,
            substituted=told.substituted,
            ms=told.ms,
            fault=self._faults.pop((hand, self._index), None),
            before=before,
            after=self.game,
        )
        self._index += 1
        self._steps.append(step)
        self._hand += self._all.step(step)
        fresh = self._seen.step(step)
        if not step.is_within_hand:
            fresh += self._next_hand()
        return fresh

    def _next_hand(self) -> list[Frame]:
        """Turn the hands over, and return the frame of the next deal, if there is one."""
        self.open_frames.append(self._hand)
        self.steps.append(self._steps)
        self._index, self._steps = 0, []
        if self.game.is_over:
            return []
        self._hand = [self._all.deal(self.game)]
        return [self._seen.deal(self.game)]


@dataclass(frozen=True, slots=True)
class OpenDecision:
    """A decision that waits for the person. `request` is the referee's message."""

    number: int
    view: SeatView
    request: seat_pb2.DecisionRequest

    @property
    def legal(self) -> tuple[str, ...]:
        """The tokens of the legal actions, in canonical order."""
        return tuple(action.token for action in self.view.legal)


@dataclass(frozen=True, slots=True)
class FinishedHand:
    """A hand that is over. `frames` show it with all cards; `steps` are the actions, each with the game before it."""

    number: int
    scores: tuple[int, ...]
    frames: Sequence[Frame]
    steps: Sequence[Step]


class PersonGame:
    """One game and its progress.

    Attributes:
        setup, game_id: the setup, and the id of the game in the database.
        names: the names of the bots by seat; the person's name is "you".
        decision: the open decision, or None. It is open once everything before it has been reported.
        fresh: frames that have not been shown yet, which the interface gets with `take_fresh`.
        hands: the finished hands.
        last_trick: the last finished trick of the hand, or None.
        over: how the game ended, as the bot was told; None before that.
        ended: how the run ended; None before that.
    """

    def __init__(self, setup: Setup, plan: Plan) -> None:
        """Begin with the deal of a plan's only table."""
        spec = table_of(plan)
        game = fresh_game(spec)
        self.setup = setup
        self.seat = setup.seat
        self.game_id = spec.game_id
        self.variant = setup.variant
        self.title = rules_of(setup.variant).title
        self.rules = game.rules
        self.names = tuple("you" if number == setup.seat else bot.name for number, bot in enumerate(plan.file.bots))
        self.decision: OpenDecision | None = None
        self.hands: list[FinishedHand] = []
        self.last_trick: Trick | None = None
        self.over: GameOver | None = None
        self.ended: RunOver | None = None
        self.scores = game.scores
        self.games = game.games
        self.table_opened: seat_pb2.PlayResponse | None = None
        self._follower = Follower(game, setup.seat, self.names, plan.file.time)
        self._constants: decode.TableConstants | None = None
        self._asked: OpenDecision | None = None
        """A decision that the bot was asked for before everything leading to it was reported."""
        self._fresh = [self._follower.deal()]

    @property
    def sides(self) -> tuple[tuple[int, ...], ...] | None:
        """The seats of each fixed side; None if each seat plays alone."""
        return self.rules.teams

    @property
    def partners(self) -> tuple[int, ...]:
        """The other seats of the person's fixed side; () if there are none."""
        own = next((side for side in self.sides or () if self.seat in side), ())
        return tuple(seat for seat in own if seat != self.seat)

    def take(self, message: Message) -> None:
        """Process a message of the session."""
        match message:
            case TableOpened(fields=fields):
                self._open(fields["id"], fields["per_decision_ms"], fields["bank_ms"], fields["on_fault"])
            case Asked():
                self._ask(message)
            case LiveSteps():
                self._step(message)
            case GameOver():
                self.over = message
                self._withdraw()
            case RunOver():
                self.ended = message
                self._withdraw()
            case Lost():
                self._withdraw()

    def answered(self) -> None:
        """Note that the person answered the open decision."""
        self.decision = None

    def take_fresh(self) -> list[Frame]:
        """Return the frames since the last call."""
        fresh, self._fresh = self._fresh, []
        return fresh

    def name(self, seat: int) -> str:
        """Return "you", or the bot with its seat: "greedy (1)", "partner greedy-2 (2)"."""
        if seat == self.seat:
            return "you"
        return f"{'partner ' if seat in self.partners else ''}{self.names[seat]} ({seat})"

    def _open(self, table_id: str, per_decision_ms: int, bank_ms: int, on_fault: str) -> None:
        clock = table_pb2.Clock(per_decision_ms=per_decision_ms, bank_ms=bank_ms)
        self.table_opened = encode.table_opened(
            table_id=table_id, seat=self.seat, rules=self.rules, clock=clock, on_fault=on_fault, seed=bytes(32)
        )
        self._constants = decode.table_constants(self.table_opened.table_opened)

    def _ask(self, asked: Asked) -> None:
        assert self._constants is not None  # a table is opened before its first decision
        view = decode.view(self._constants, asked.request.view, decode.legal(asked.request))
        self._asked = OpenDecision(asked.number, view, asked.request)
        self._open_if_told()

    def _step(self, steps: LiveSteps) -> None:
        self._fresh += self._follower.take(steps)
        results = self._follower.game.results
        for done in results[len(self.hands) :]:
            place = len(self.hands)
            shown, made = self._follower.open_frames[place], self._follower.steps[place]
            self.hands.append(FinishedHand(done.number, done.scores, shown, made))
            self.scores, self.games = done.scores, done.games
            self.last_trick = None
        self._open_if_told()

    def _open_if_told(self) -> None:
        """Open the decision that the bot was asked for once the game has reached it.

        The two come on different lines.
        """
        if self._asked is None or self._follower.game.view(self.seat) != self._asked.view:
            return
        self.decision, self._asked = self._asked, None
        view = self.decision.view
        self.last_trick = view.tricks[-1] if view.tricks else self.last_trick if view.trick_number else None
        self.scores, self.games = view.scores, view.games

    def _withdraw(self) -> None:
        self.decision = self._asked = None
