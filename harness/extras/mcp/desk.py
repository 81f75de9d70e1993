"""What one agent may know and do: its open decisions, the recent events, its finished games.

Input: messages of the agent's bots (`lines`). Output: decisions for the agent, one at a time and in random order, under
names that reveal nothing. Use it in one trio thread.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import trio

from bowerbird.harness.sdk.figures import noted

TOKENS = "tokens"
"""The figure for how many tokens the agent used for a decision (protocol.md, Figures)."""

LONGEST_NEWS = 200
"""How many lines of news are kept until the agent acts."""

LONGEST_LOG = 5000
"""How many lines of a game are kept. A game of 100 hands has fewer."""

MOST_GAMES = 500
"""How many of the newest finished games are kept."""

MOST_CLOSED = 2000
"""How many of the newest closed decisions are remembered, to report what became of them."""

Answer = Callable[[Mapping[str, object]], None]
"""Sends an answer to a bot. It must not wait."""


class SeatError(Exception):
    """A call of the agent cannot be carried out. `args[0]` is a sentence that says what is possible."""


@dataclass(frozen=True, slots=True)
class SeatTable:
    """A table that the agent sits at.

    Attributes:
        name: its name for the agent, drawn at random.
        variant, options, seat, players: the game. `options` has every option.
        per_decision_ms, bank_ms: the clock.
        on_fault: the consequence of a missed decision, forfeit or substitute.
        log: the events since the game began, one per line.
    """

    name: str
    variant: str
    options: Mapping[str, Any]
    seat: int
    players: int
    per_decision_ms: int
    bank_ms: int
    on_fault: str
    log: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class OpenDecision:
    """A decision that waits for the agent. `due` is on trio's clock; `view` consists of JSON types."""

    name: str
    table: SeatTable
    legal: tuple[str, ...]
    view: Mapping[str, Any]
    due: float
    answer: Answer
    number: int


@dataclass(frozen=True, slots=True)
class FinishedGame:
    """A game that is over. `rank` is 1 for first, 0 if the game was broken off; `log` is what the agent saw."""

    table: str
    variant: str
    seat: int
    rank: int
    scores: tuple[int, ...]
    ended: str
    faults: tuple[str, ...]
    log: tuple[str, ...]


class Desk:
    """The agent's place.

    Attributes:
        games: the finished games, oldest first.
        problem: a sentence that says why nothing is played, or "".
        is_idle: whether nothing is played or about to be played, so that no decision can come.
    """

    def __init__(self) -> None:
        """Start without a game."""
        self.games: list[FinishedGame] = []
        self.problem = ""
        self.is_idle = True
        self.decisions_made = 0
        self._tables: dict[tuple[int, str], SeatTable] = {}
        self._open: dict[str, OpenDecision] = {}
        self._shown = ""
        self._closed: dict[str, str] = {}
        self._numbers: dict[str, int] = {}
        """The number of the last answer, by its decision."""
        self._news: list[str] = []
        self._changed = trio.Event()

    # The bots' messages

    def table_opened(self, line: int, said: Mapping[str, Any]) -> None:
        """Receive the start of a game from the bot at `line`. The seat's random seed is dropped."""
        table = SeatTable(
            name=f"table-{secrets.token_hex(3)}",
            variant=said["variant"],
            options=said["options"],
            seat=said["seat"],
            players=said["players"],
            per_decision_ms=said["per_decision_ms"],
            bank_ms=said["bank_ms"],
            on_fault=said["on_fault"],
        )
        self._tables[line, said["table"]] = table
        self._tell(table, f"a game of {table.variant} begins; you have seat {table.seat} of {table.players}")

    def decision(self, line: int, said: Mapping[str, Any], answer: Answer) -> None:
        """Receive a decision for the agent. `answer` sends the answer to the bot."""
        table = self._tables[line, said["table"]]
        self._events(table, said["events"])
        opened = OpenDecision(
            name=f"d-{secrets.token_hex(4)}",
            table=table,
            legal=tuple(said["legal"]),
            view=said["view"],
            due=trio.current_time() + said["remaining_ms"] / 1000,
            answer=answer,
            number=said["id"],
        )
        self._withdraw(table, "the referee has decided in your place")
        self._open[opened.name] = opened
        self._wake()

    def hand_ended(self, line: int, said: Mapping[str, Any]) -> None:
        """Receive the end of a hand."""
        table = self._tables[line, said["table"]]
        self._events(table, said["events"])
        scores = " ".join(map(str, said["scores"]))
        self._tell(table, f"hand {said['hand_number']} is over ({said['ended']}); scores by seat: {scores}")

    def table_closed(self, line: int, said: Mapping[str, Any]) -> None:
        """Receive the end of a game."""
        table = self._tables.pop((line, said["table"]))
        self._withdraw(table, "the game is over")
        rank = said["ranks"][table.seat] if said["ranks"] else 0
        scores = " ".join(map(str, said["scores"]))
        place = f"you are number {rank}" if rank else "it has no result"
        self._tell(table, f"the game is over ({said['ended']}); {place}; scores by seat: {scores}")
        faults = tuple(f"seat {one['seat']}: {one['kind']}" for one in said["faults"])
        self.games.append(
            FinishedGame(
                table.name,
                table.variant,
                table.seat,
                rank,
                tuple(said["scores"]),
                said["ended"],
                faults,
                tuple(table.log),
            )
        )
        del self.games[:-MOST_GAMES]

    def line_lost(self, line: int) -> None:
        """Receive the end of a bot's connection, after which none of its decisions can be answered."""
        for key in [key for key in self._tables if key[0] == line]:
            table = self._tables.pop(key)
            self._withdraw(table, "the connection to the game was lost")
            self._tell(table, "the connection to this game was lost")
        self._wake()

    def begun(self) -> None:
        """Note that play has begun."""
        self.is_idle, self.problem = False, ""
        self._wake()

    def ended(self, problem: str = "") -> None:
        """Note that play is over, with the reason if that is a problem."""
        self.is_idle, self.problem = True, problem
        self._wake()

    # The agent's calls

    @property
    def tables(self) -> tuple[SeatTable, ...]:
        """The tables that the agent sits at now."""
        return tuple(self._tables.values())

    @property
    def news(self) -> tuple[str, ...]:
        """The events since the agent last acted, oldest first."""
        return tuple(self._news)

    def shown(self) -> OpenDecision | None:
        """Return the decision for the agent to make now: the same one until it is closed, then any of the open ones."""
        self._drop_late()
        if self._shown not in self._open:
            self._shown = random.SystemRandom().choice([*self._open]) if self._open else ""
        return self._open.get(self._shown)

    async def wait(self, seconds: float) -> OpenDecision | None:
        """Wait until a decision is open, at most `seconds`. Return at once if none can come."""
        with trio.move_on_after(seconds):
            while self.shown() is None and not self.is_idle:
                await self._changed.wait()
        return self.shown()

    def act(self, name: object, action: object, tokens: int | None = None) -> str:
        """Answer a decision with a legal action: its token, or its number from 1. Return the token.

        Repeating an answer, for example after a lost reply, changes nothing. Raises SeatError.

        tokens: how many tokens the agent says it used. The number goes into the decision's note.
        """
        self._drop_late()
        opened = self._open.get(name) if isinstance(name, str) else None
        if opened is None:
            return self._repeated(name, action)
        token = _chosen(action, opened.legal)
        if not token:
            raise SeatError(f"{_quoted(action)} is not legal now; legal are {listed(opened.legal)}")
        figures = {} if tokens is None else {TOKENS: tokens}
        opened.answer({"id": opened.number, "action": token, "note": noted(figures, "")})
        self.decisions_made += 1
        self._news.clear()
        self._close(opened, f"answered {token}")
        self._numbers = {opened.name: opened.legal.index(token) + 1}
        self._wake()
        return token

    def _repeated(self, name: object, action: object) -> str:
        """Return the earlier answer if `action` is the same. Raises SeatError otherwise."""
        what = self._closed.get(name) if isinstance(name, str) else None
        if what is None:
            now = self.shown()
            instead = f"the open one is {now.name!r}" if now else "no decision is open"
            raise SeatError(f"there is no decision {_quoted(name)}; {instead}")
        token = what.removeprefix("answered ")
        if what.startswith("answered "):
            if action in (token, self._numbers.get(str(name))) and not isinstance(action, bool):
                return token
            raise SeatError(f"decision {name!r} is already answered with {token!r}; ask for the next one")
        raise SeatError(f"decision {name!r} is closed: {what}; ask for the next one")

    # Inside

    def _events(self, table: SeatTable, events: list[Mapping[str, Any]]) -> None:
        for event in events:
            who = "you" if event["seat"] == table.seat else f"seat {event['seat']}"
            self._tell(table, f"{who}: {event['action']}")

    def _tell(self, table: SeatTable, line: str) -> None:
        table.log.append(line)
        del table.log[:-LONGEST_LOG]
        self._news.append(f"{table.name}: {line}")
        del self._news[:-LONGEST_NEWS]
        self._wake()

    def _drop_late(self) -> None:
        now = trio.current_time()
        for opened in [one for one in self._open.values() if one.due <= now]:
            self._close(opened, "its time was up, so the referee decides in your place")

    def _withdraw(self, table: SeatTable, why: str) -> None:
        for opened in [one for one in self._open.values() if one.table is table]:
            self._close(opened, why)

    def _close(self, opened: OpenDecision, what: str) -> None:
        del self._open[opened.name]
        self._closed[opened.name] = what
        while len(self._closed) > MOST_CLOSED:
            del self._closed[next(iter(self._closed))]

    def _wake(self) -> None:
        self._changed.set()
        self._changed = trio.Event()


def listed(legal: tuple[str, ...]) -> str:
    """Return legal actions with their numbers, in one line."""
    return ", ".join(f"{number} ({token})" for number, token in enumerate(legal, 1))


def _chosen(action: object, legal: tuple[str, ...]) -> str:
    """Return the legal action that is meant, or ""."""
    if isinstance(action, str):
        if action in legal:
            return action
        if not (action.isascii() and action.isdecimal() and len(action) < 5):
            return ""
        action = int(action)
    if isinstance(action, bool) or not isinstance(action, int):
        return ""
    return legal[action - 1] if 1 <= action <= len(legal) else ""


def _quoted(said: object) -> str:
    text = ascii(said)
    return text if len(text) <= 60 else f"{text[:60]}..."
