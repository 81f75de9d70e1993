"""The game as the person sees it: takes the messages of a `Session`, and keeps what a terminal or a page shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bowerbird.engine import SeatView, rules_of
from bowerbird.harness.extras.play.follower import Follower
from bowerbird.harness.extras.play.session import Asked, GameOver, Lost, Message, RunOver, TableOpened
from bowerbird.harness.extras.play.setup import Setup, table_of
from bowerbird.harness.records.replay.frames import Frame
from bowerbird.harness.records.replay.replay import Step
from bowerbird.harness.records.values.live import LiveSteps
from bowerbird.harness.referee.game.table import fresh_game
from bowerbird.harness.wire import decode, encode
from bowerbird.seat.v1 import seat_pb2, table_pb2

if TYPE_CHECKING:
    from bowerbird.engine import Trick
    from bowerbird.harness.tournament.plan import Plan


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
    """A hand that is over. `frames` show it with all cards; `steps` are what was done, each with the game before it."""

    number: int
    scores: tuple[int, ...]
    frames: Sequence[Frame]
    steps: Sequence[Step]


class PersonGame:
    """One game, as far as it has come.

    Attributes:
        setup, game_id: what is played, the id of the game in the database.
        names: of the bots by seat; that of the person is "you".
        decision: the open decision, or None. It is open once everything before it was told.
        fresh: frames that were not shown yet; the face takes them with `take_fresh`.
        hands: those that are over.
        last_trick: the last finished trick of the hand, None before one.
        over: how the game ended, as the bot was told; None before that.
        ended: how the run ended; None while it lasts.
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
        """A decision that the bot was asked for, before everything leading to it was reported."""
        self._fresh = [self._follower.deal()]

    @property
    def sides(self) -> tuple[tuple[int, ...], ...] | None:
        """The seats of each fixed side; None if each plays for itself."""
        return self.rules.teams

    def take(self, message: Message) -> None:
        """Take a message of the session."""
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
        """Return "you", or the bot with its seat."""
        return "you" if seat == self.seat else f"{self.names[seat]} ({seat})"

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
        """Open the decision that the bot was asked for, once the game has reached it: two lines report them."""
        if self._asked is None or self._follower.game.view(self.seat) != self._asked.view:
            return
        self.decision, self._asked = self._asked, None
        view = self.decision.view
        self.last_trick = view.tricks[-1] if view.tricks else self.last_trick if view.trick_number else None
        self.scores, self.games = view.scores, view.games

    def _withdraw(self) -> None:
        self.decision = self._asked = None
