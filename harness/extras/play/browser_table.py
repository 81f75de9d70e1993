"""The games of a person in the browser, one after another, and the tabs that show them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path

import trio
from starlette.responses import JSONResponse, PlainTextResponse, Response

from bowerbird.engine import EngineError
from bowerbird.harness.extras.compliance.config import CheckConfig
from bowerbird.harness.extras.play import screen
from bowerbird.harness.extras.play.hints import Adviser, run_adviser
from bowerbird.harness.extras.play.lobby import Lobby
from bowerbird.harness.extras.play.person_game import FinishedHand, OpenDecision, PersonGame
from bowerbird.harness.extras.play.screen import Look
from bowerbird.harness.extras.play.session import Lost, Remark, Session, open_session
from bowerbird.harness.extras.play.setup import PlayError, Setup, new_run
from bowerbird.harness.extras.play.terminal import unwrapped
from bowerbird.harness.extras.play.words import choice, question
from bowerbird.harness.extras.serve.addresses import Addresses
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.report.replay_data import frame_values, trump_marks
from bowerbird.harness.tournament.errors import TournamentError

HEADERS = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


def refused(status: int, sentence: str) -> Response:
    """Return a refusal. `sentence` has no full stop."""
    return PlainTextResponse(f"{sentence[:1].upper()}{sentence[1:]}.\n", status, headers=HEADERS)


HEARTBEAT_S = 15.0
MOST_TABS = 16
QUEUE = 512

_LOOK = Look(width=200)


@dataclass(frozen=True, slots=True)
class BrowserFace:
    """The settings of the games.

    setup: the first game; None if it is chosen on a page.
    lobby: the tables that can be set up afterwards.
    db: the database that records the games.
    hint: makes the configuration of the bot that gives hints, when it is first asked.
    pages: the address of the same database's pages, without the last slash; "" if they are not served.
    """

    setup: Setup | None
    lobby: Lobby
    db: Path
    hint: Callable[[], CheckConfig]
    pages: str = ""


class BrowserTable:
    """The games, one after another, and the tabs that show them. Use it only in the trio thread."""

    def __init__(self, face: BrowserFace, nursery: trio.Nursery) -> None:
        """Store the command's settings; `run` begins."""
        self._setup = face.setup
        self._lobby = face.lobby
        self._db = face.db
        self._hint = face.hint
        self._pages = face.pages
        self._nursery = nursery
        self._game: PersonGame | None = None
        self._session: Session | None = None
        self._adviser: Adviser | None = None
        self._next = trio.Event()
        self._wish: Setup | None = None
        self._events: list[str] = []
        """The events that a new tab needs: the game, and those of this hand."""
        self._tabs: set[trio.MemorySendChannel[str]] = set()

    async def run(self) -> None:
        """Play games forever, each on request."""
        wanted = self._setup
        while True:
            if wanted is not None:
                self._next = trio.Event()
                with unwrapped():
                    await self._one_game(wanted)
            await self._next.wait()
            wanted = self._wish

    async def _one_game(self, setup: Setup) -> None:
        with Store.open(self._db) as store:
            setup, plan = new_run(setup, store)
        is_elsewhere = self._setup is None or self._setup.bots != setup.bots or self._setup.variant != setup.variant
        self._setup = setup
        game = self._game = PersonGame(setup, plan)
        self._events = []
        if is_elsewhere:
            self._send("elsewhere")
        self._tell("game", seat=game.seat, title=game.title, lines=screen.opening(game, _LOOK)[2:-1])
        async with open_session(setup, self._db) as session:
            self._session = session
            while game.ended is None:
                message = await session.messages.receive()
                decision = game.decision
                game.take(message)
                if isinstance(message, Lost) and decision is not None:
                    self._tell("answered", number=decision.number, words="")
                if isinstance(message, Remark):
                    self._tell("remark", text=message.text)
                elif isinstance(message, Lost) and game.over is None:
                    self._tell("remark", text="The bot that plays for you has ended; the referee takes over.")
                self._show(game)
                if game.decision is not None and game.decision is not decision:
                    self._ask(game)
            self._session = None
        self._end(game)

    def _show(self, game: PersonGame) -> None:
        for frame in game.take_fresh():
            if frame.kind == "deal":
                self._events = self._events[:1]
            self._tell("frame", **{**frame_values(frame), "t": screen.said(game, frame)})
            if frame.kind == "end":
                hand = game.hands[frame.hand]
                self._tell("turned", hand=frame.hand, rows=screen.turned_rows(game, hand))
                self._nursery.start_soon(self._teach, game, hand)

    async def _teach(self, game: PersonGame, hand: FinishedHand) -> None:
        """Send what the person's mistakes in a hand cost, once that is known, unless another game has begun."""
        rows = await trio.to_thread.run_sync(screen.lesson_rows, game, hand)
        if rows and self._game is game:
            self._tell("lessons", hand=hand.number, none=screen.NO_MISTAKES, rows=rows)

    def _ask(self, game: PersonGame) -> None:
        decision = game.decision
        assert decision is not None  # the last message opened it
        if self._adviser is not None:
            self._adviser.note(decision)
        self._tell(
            "ask",
            number=decision.number,
            question=question(decision.view.stage),
            choices=[
                {"token": action.token, "card": action.card, "words": choice(action.token, game.names)}
                for action in decision.view.legal
            ],
            last=screen.last_trick(game, _LOOK),
        )

    def _end(self, game: PersonGame) -> None:
        assert game.ended is not None  # `_one_game` waits for it
        if game.ended.why:
            self._tell("over", lines=[f"The game is over: {game.ended.why}."], replay="", address="")
            return
        with Store.open(self._db) as store:
            record = store.record(game.game_id)
        game.scores = record.scores or game.scores
        faults = [(fault.seat, fault.kind, fault.detail) for fault in record.faults]
        lines = screen.result(game, record.result.ranks, record.result.ended, faults)
        address = Addresses(self._pages).game(game.game_id) if self._pages else ""
        self._tell("over", lines=lines, replay=game.game_id, address=address)

    def _tell(self, kind: str, **fields: object) -> None:
        """Send an event to every tab, and to tabs that open later in this hand."""
        self._events.append(self._send(kind, **fields))

    def _send(self, kind: str, **fields: object) -> str:
        """Send an event to every tab, and return it."""
        text = json.dumps(fields, ensure_ascii=False)
        event = f"event: {kind}\ndata: {text}\n\n"
        for tab in [*self._tabs]:
            try:
                tab.send_nowait(event)
            except trio.WouldBlock:  # it has fallen behind; it reconnects and gets the whole hand
                self._tabs.discard(tab)
                tab.close()
        return event

    async def look(self) -> AsyncIterator[str]:
        """Yield the events of this hand so far, and then each new event, for one tab."""
        send, receive = trio.open_memory_channel[str](QUEUE)
        for event in self._events:
            yield event
        yield "event: now\ndata: {}\n\n"
        self._tabs.add(send)
        try:
            while True:
                with trio.move_on_after(HEARTBEAT_S):
                    try:
                        yield await receive.receive()
                    except trio.EndOfChannel:
                        return
                    continue
                yield ": still here\n\n"
        finally:
            self._tabs.discard(send)

    @property
    def is_full(self) -> bool:
        """Whether no more tabs may join."""
        return len(self._tabs) >= MOST_TABS

    def lobby(self) -> dict[str, object]:
        """Return the data for the page that sets up a table. Reads the files of bots."""
        return {**self._lobby.values(), "is_in_play": self._game is not None and self._game.ended is None}

    def drawing(self) -> dict[str, object] | None:
        """Return the data for drawing the table, or None before the first game."""
        game, setup = self._game, self._setup
        if game is None or setup is None:
            return None
        return {
            "title": game.title,
            "only": game.seat,
            "variant": setup.variant,
            "seats": [{"bot": name} for name in game.names],
            "seat": game.seat,
            "teams": game.sides is not None,
            "clock": {"decision": 0, "bank": 0},
            "marks": trump_marks(setup.variant, setup.resolved),
            "rules": game.rules.better,
        }

    def _open(self, number: object) -> OpenDecision | None:
        """Return the open decision if it has this `number`, or else None."""
        decision = self._game.decision if self._game is not None else None
        return decision if decision is not None and decision.number == number else None

    async def choose(self, wish: dict[str, object]) -> Response:
        """Answer the open decision."""
        decision = self._open(wish.get("number"))
        token = wish.get("action")
        if decision is None or self._session is None or self._game is None:
            return refused(409, "this decision is already answered")
        if not isinstance(token, str) or token not in decision.legal:
            return refused(400, "this is not a legal action")
        self._game.answered()
        self._tell("answered", number=decision.number, words=choice(token, self._game.names))
        await self._session.answer(decision.number, token)
        return JSONResponse({})

    async def resign(self, wish: dict[str, object]) -> Response:
        """Resign at the open decision."""
        decision = self._open(wish.get("number"))
        if decision is None or self._session is None or self._game is None:
            return refused(409, "you have no open decision")
        self._game.answered()
        self._tell("answered", number=decision.number, words="resign")
        await self._session.resign(decision.number)
        return JSONResponse({})

    async def hint(self, wish: dict[str, object]) -> Response:
        """Ask the adviser."""
        decision, game = self._open(wish.get("number")), self._game
        if decision is None or game is None:
            return refused(409, "you have no open decision")
        if self._adviser is None:
            config = await trio.to_thread.run_sync(self._hint)
            self._adviser = await self._nursery.start(run_adviser, config)
        token = await self._adviser.ask(game, decision)
        if token not in decision.legal:
            return JSONResponse({"text": shown(token, 300), "token": ""})
        return JSONResponse({"text": f"{self._adviser.name} would {choice(token, game.names)}.", "token": token})

    async def another(self, wish: dict[str, object]) -> Response:
        """Begin another game once this one is over."""
        if not self._is_free or self._setup is None:
            return refused(409, "the game is not over")
        self._begin(self._setup.again() if wish.get("deal") == "same" else self._setup.anew())
        return JSONResponse({})

    async def begin(self, wish: dict[str, object]) -> Response:
        """Begin a game at a table that the page has set up."""
        try:
            setup = await trio.to_thread.run_sync(self._lobby.setup, wish)
        except (PlayError, EngineError, TournamentError) as error:
            return refused(400, str(error.args[0]))
        if not self._is_free:
            return refused(409, "a game is in play; finish it or resign first")
        self._begin(setup)
        return JSONResponse({})

    @property
    def _is_free(self) -> bool:
        """Whether a game can begin: none is in play or was requested."""
        return (self._game is None or self._game.ended is not None) and not self._next.is_set()

    def _begin(self, setup: Setup) -> None:
        self._wish = setup
        self._next.set()
