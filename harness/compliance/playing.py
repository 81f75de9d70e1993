"""Plays games with a bot and judges each of its answers as the contract does, but never its slowness."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from engine import Action
from harness.compliance.connection import Connection
from harness.compliance.game import Deal, Explorer, Manner, SeatGame
from harness.compliance.verdict import FailedError, Law
from harness.referee.table import chosen_action
from harness.v1 import seat_pb2
from harness.wire.encode import decision_requests

Change = Callable[[bytes], Iterable[bytes]]
"""What is sent instead of a message of the referee."""


def unchanged(message: bytes) -> Iterable[bytes]:
    """The message itself."""
    return (message,)


@dataclass(frozen=True, slots=True)
class Pace:
    """How games are played: tables at once, decisions in one message at most, patience for each answer in seconds."""

    tables: int
    batch: int
    patience: float


class Player:
    """Plays games over one connection. `times` are the seconds that messages of one decision took to be answered."""

    def __init__(self, connection: Connection, manner: Manner, change: Change = unchanged) -> None:
        """`change` may add to, or alter, whatever is sent."""
        self._connection = connection
        self._manner = manner
        self._change = change
        self._abandoned: set[str] = set()
        self._repeated = ""
        self.times: list[float] = []
        self.answers = 0

    def open(self, deal: Deal, explorer: Explorer) -> SeatGame:
        """Seat the bot at a new table."""
        game = SeatGame(f"table-{len(self._connection.opened)}", deal, self._manner, explorer)
        self._connection.opened.add(game.table_id)
        self._say(game.opened())
        return game

    async def play(self, deals: Sequence[Deal], pace: Pace, explorer: Explorer | None = None) -> None:
        """Play all of them to their ends, several at once, their decisions in turn. Raises FailedError."""
        explorer = explorer or Explorer()
        to_come = iter(deals)
        waiting: deque[SeatGame] = deque()
        while True:
            self._fill(waiting, to_come, pace.tables, explorer)
            if not waiting:
                return
            asked = [waiting.popleft() for _ in range(min(pace.batch, len(waiting)))]
            await self.ask(asked, pace.patience)
            waiting.extend(game for game in asked if self._goes_on(game))

    def _fill(self, waiting: deque[SeatGame], to_come: Iterator[Deal], tables: int, explorer: Explorer) -> None:
        while len(waiting) < tables and (deal := next(to_come, None)) is not None:
            game = self.open(deal, explorer)
            if self._goes_on(game):
                waiting.append(game)

    def _goes_on(self, game: SeatGame) -> bool:
        """Whether the bot has another decision to make; a game that is over is closed."""
        more = game.advance()
        for message in game.news():
            self._say(message)
        if not more and not game.closed:
            self._say(game.table_closed())
        return more

    def abandon(self, game: SeatGame) -> None:
        """Close a table that is in play; what the bot still says about it is ignored (TableClosed)."""
        self._abandoned.add(game.table_id)
        self._say(game.table_closed())

    def request(self, games: Iterable[SeatGame]) -> int:
        """Ask what these games wait for, in one message; when it was sent, in nanoseconds."""
        requests = [game.request() for game in games]
        self._say(decision_requests(requests, deadline_ms=self._manner.budget_ms * len(requests)))
        return time.monotonic_ns()

    async def ask(self, games: Sequence[SeatGame], patience: float) -> None:
        """Ask what these games wait for, in one message, and take all the answers. Raises FailedError."""
        due = {game.table_id: game for game in games}
        sent = self.request(games)
        while due:
            awaited = f"an answer to decision {', '.join(_place(game) for game in list(due.values())[:3])}"
            if self._repeated:
                awaited += f" ({self._repeated})"
            said = await self._connection.hear(awaited, patience)
            match said.request.WhichOneof("message"):
                case "decisions":
                    for decision in said.request.decisions.decisions:
                        self._take(decision, due)
                case "resign":
                    self._resigned(said.request.resign.table_id, due)
                case other:
                    raise FailedError(f"it said {other or 'nothing known'}; {awaited} was due")
        if self._repeated:
            raise FailedError(self._repeated, Law.ONCE)
        if len(games) == 1:
            self.times.append((said.arrival - sent) / 1e9)

    def _take(self, decision: seat_pb2.Decision, due: dict[str, SeatGame]) -> None:
        game = due.get(decision.table_id)
        if game is None or decision.decision_id != game.number:
            self._not_asked(decision, game)
            return
        index = decision.action_index if decision.HasField("action_index") else None
        legal = game.game.legal_actions()
        action = chosen_action(legal, index, decision.action)
        if not isinstance(action, Action):
            raise FailedError(
                f"it answered {action} to decision {_place(game)} ({game.deal.name}); "
                f"legal are {', '.join(f'{number} {one.token!r}' for number, one in enumerate(legal))}",
                Law.LEGAL,
            )
        del due[decision.table_id]
        game.answer(action)
        self.answers += 1

    def _not_asked(self, decision: seat_pb2.Decision, game: SeatGame | None) -> None:
        """An answer to something that is not open. A repeated one is judged when it is known what else came."""
        table, number = decision.table_id, decision.decision_id
        if table in self._abandoned:
            return
        if table not in self._connection.opened:
            raise FailedError(f"it answered at a table {table!r}, and no table has this id")
        if game is None or number < game.number:
            self._repeated = f"it answered decision {number} of table {table!r} again"
            return
        raise FailedError(f"it answered decision {number} of table {table!r}; decision {game.number} was asked")

    def _resigned(self, table_id: str, due: dict[str, SeatGame]) -> None:
        game = due.pop(table_id, None)
        if game is not None:
            self._say(game.table_closed())

    def _say(self, message: bytes) -> None:
        for changed in self._change(message):
            self._connection.say(changed)


def _place(game: SeatGame) -> str:
    return f"{game.number} of table {game.table_id!r}"
