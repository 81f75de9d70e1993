"""The terminal interface: prints events and reads lines.

It reads lines rather than keys, so that it works in every terminal.

Ctrl-C and the end of the input leave the game. The run then ends properly, and the game is not recorded. After Ctrl-Z
and `fg` the question is asked again. The clock of the table allows most of a day.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import trio

from bowerbird.harness.extras.compliance.config import CheckConfig
from bowerbird.harness.extras.play import screen
from bowerbird.harness.extras.play.hints import Adviser, run_adviser
from bowerbird.harness.extras.play.person_game import OpenDecision, PersonGame
from bowerbird.harness.extras.play.screen import Look
from bowerbird.harness.extras.play.session import Lost, Message, Remark, RunOver, Session, open_session
from bowerbird.harness.extras.play.setup import Setup, new_run
from bowerbird.harness.extras.play.words import KEYS, LEAVING_KEYS, NEXT_KEYS, choice, chosen, key_of
from bowerbird.harness.records.store.store import Store

LEFT = 130
"""The exit code of an abandoned game."""

PIECE = 4096
PATIENCE_S = 1.5
"""After this long without news the screen says that the others are thinking."""


@contextmanager
def unwrapped() -> Iterator[None]:
    """Raise a single error without the exception groups of trio's nurseries."""
    try:
        yield
    except BaseExceptionGroup as group:
        error: BaseException = group
        while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
            error = error.exceptions[0]
        raise error from None


class LeftError(Exception):
    """The person left, or the terminal is gone."""


@dataclass(frozen=True, slots=True)
class TerminalFace:
    """How to show the game, and the functions of the keys.

    hint: makes the configuration of the bot that gives hints, when it is first asked.
    rules: returns the variant's page.
    command: returns the command line of `bowerbird` with these arguments.
    """

    plain: bool
    hint: Callable[[], CheckConfig]
    rules: Callable[[], Iterable[str]]
    command: Callable[..., str]


def play_in_terminal(setup: Setup, db: Path, face: TerminalFace) -> int:
    """Play games until the person leaves.

    Return the exit code, which is LEFT if a game was abandoned. Raises PlayError.
    """
    with unwrapped():
        return trio.run(_play, setup, db, face)


async def _play(setup: Setup, db: Path, face: TerminalFace) -> int:
    code = 0
    async with trio.open_nursery() as nursery, _Keyboard.open() as keyboard:
        table = _TerminalTable(face, keyboard, db, nursery)
        next_setup: Setup | None = setup
        try:
            while next_setup is not None:
                await table.play(next_setup)
                next_setup = await table.another(next_setup)
        except LeftError:
            code = LEFT if table.in_game else 0
        finally:
            nursery.cancel_scope.cancel()
    return code


class _Keyboard:
    """The lines that the person types. A signal that ends programs sets `leaving`."""

    def __init__(self, lines: trio.MemoryReceiveChannel[str]) -> None:
        """Use `open`."""
        self.leaving = trio.Event()
        self._lines = lines
        self._prompt = ""

    @classmethod
    @asynccontextmanager
    async def open(cls) -> AsyncIterator[_Keyboard]:
        """Read lines and watch signals until the context ends."""
        send, receive = trio.open_memory_channel[str](64)
        async with trio.open_nursery() as nursery:
            keyboard = cls(receive)
            await nursery.start(keyboard._watch)
            nursery.start_soon(_read, send)
            yield keyboard
            nursery.cancel_scope.cancel()

    async def line(self, prompt: str, until: trio.Event | None = None) -> str | None:
        """Ask for a line and return it, or None if `until` is set first.

        Raises LeftError, also at the end of the input.
        """
        self._prompt = prompt
        _write(prompt)
        found: list[str] = []

        async def receive() -> None:
            with suppress(trio.EndOfChannel):
                found.append(await self._lines.receive())

        await self.unless_left(partial(_first, receive, until.wait) if until is not None else receive)
        self._prompt = ""
        if not found:
            _write("\n")
            if until is not None and until.is_set():
                return None
            raise LeftError
        return found[0].strip()

    async def unless_left(self, wait: Callable[[], Awaitable[None]]) -> None:
        """Wait, and raise LeftError if the person leaves first."""
        async with trio.open_nursery() as nursery:

            async def leave() -> None:
                await self.leaving.wait()
                nursery.cancel_scope.cancel()

            nursery.start_soon(leave)
            await wait()
            nursery.cancel_scope.cancel()
        if self.leaving.is_set():
            _write("\n")
            raise LeftError

    async def _watch(self, *, task_status: trio.TaskStatus[None]) -> None:
        """Note the signals that end a program, and repeat the question after a stop."""
        with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCONT) as signals:
            task_status.started()
            async for number in signals:
                if number == signal.SIGCONT:
                    _write(self._prompt and f"\n{self._prompt}")
                else:
                    self.leaving.set()


async def _first(*waits: Callable[[], Awaitable[None]]) -> None:
    """Return when the first of several waits is over, and cancel the others."""
    async with trio.open_nursery() as nursery:

        async def run(wait: Callable[[], Awaitable[None]]) -> None:
            await wait()
            nursery.cancel_scope.cancel()

        for wait in waits:
            nursery.start_soon(run, wait)


async def _read(send: trio.MemorySendChannel[str]) -> None:
    """Pass on the lines of the input. A thread reads them, since a file or a device may not signal when it is ready."""
    waiting = b""
    async with send:
        while True:
            try:
                piece = await trio.to_thread.run_sync(os.read, 0, PIECE, abandon_on_cancel=True)
            except OSError:  # the terminal is gone
                return
            if not piece:
                return
            *lines, waiting = (waiting + piece).split(b"\n")
            waiting = waiting[-PIECE:]
            for line in lines:
                try:
                    await send.send(line.decode(errors="replace"))
                except trio.BrokenResourceError:
                    return


def _write(text: str) -> None:
    """Write to the terminal. Raises LeftError if it is gone."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError:
        raise LeftError from None


class _TerminalTable:
    """One game after another on the terminal."""

    def __init__(self, face: TerminalFace, keyboard: _Keyboard, db: Path, nursery: trio.Nursery) -> None:
        self.in_game = False
        self._face = face
        self._keyboard = keyboard
        self._db = db
        self._nursery = nursery
        self._adviser: Adviser | None = None
        self._game: PersonGame | None = None
        self._hand_lines: list[str] = []

    def _look(self) -> Look:
        """Return what the terminal can show now. Its width may change while a game is being played."""
        is_terminal = sys.stdout.isatty()
        colours = is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        signs = (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")
        width = shutil.get_terminal_size().columns or 80
        return Look(width, colours and not self._face.plain, signs, self._face.plain)

    def _say(self, texts: Iterable[str]) -> None:
        for line in self._look().lines(texts):
            _write(f"{line}\n")

    async def play(self, setup: Setup) -> None:
        """Play one game to its end. Raises LeftError, and PlayError if it cannot be played."""
        with Store.open(self._db) as store:
            setup, plan = new_run(setup, store)
        game = self._game = PersonGame(setup, plan)
        self.in_game = True
        self._say(screen.opening(game, self._look()))
        with unwrapped():
            await self._until_over(game, setup)
        self._end(game)
        self.in_game = False

    async def _until_over(self, game: PersonGame, setup: Setup) -> None:
        async with open_session(setup, self._db) as session:
            while game.ended is None:
                message = await self._next(session)
                game.take(message)
                if isinstance(message, Remark):
                    self._say([message.text])
                elif isinstance(message, Lost) and game.over is None:
                    self._say(["", "The bot that plays for you has ended; the referee takes over."])
                await self._show_fresh(game)
                if game.decision is not None:
                    await self._decide(game, session)
                    game.answered()

    async def _next(self, session: Session) -> Message:
        """Return the next message of a session. Raises LeftError if the person leaves first."""
        found: list[Message] = []

        async def receive() -> None:
            with trio.move_on_after(PATIENCE_S):
                found.append(await session.messages.receive())
            if not found:
                begun = self._game is not None and self._game.table_opened is not None
                self._say(["  The others are thinking …" if begun else "  The bots are starting …"])
                found.append(await session.messages.receive())

        await self._keyboard.unless_left(receive)
        return found[0]

    async def _show_fresh(self, game: PersonGame) -> None:
        fresh = game.take_fresh()
        for frame in fresh:
            lines = screen.happened(game, [frame], self._look())
            self._hand_lines = lines if frame.kind == "deal" else [*self._hand_lines, *lines]
            self._say(lines)
            if frame.kind == "end":
                hand = game.hands[frame.hand]
                self._say([screen.score(game), *screen.turned_over(game, hand)])
                self._say([f"  {line}" for line in await trio.to_thread.run_sync(screen.lessons, game, hand)])

    async def _decide(self, game: PersonGame, session: Session) -> None:
        """Ask the person until the open decision is answered. Raises LeftError."""
        decision = game.decision
        assert decision is not None  # the last message opened it
        if self._adviser is not None:
            self._adviser.note(decision)
        self._say(screen.position(game, decision, self._look()))
        while True:
            typed = await self._keyboard.line("> ", session.lost)
            if typed is None:
                return
            token = chosen(typed, decision.legal)
            if token:
                await session.answer(decision.number, token)
                return
            if await self._command(typed, game, decision, session):
                return

    async def _command(self, typed: str, game: PersonGame, decision: OpenDecision, session: Session) -> bool:
        """Carry out a key's command. Return whether it answered the decision. Raises LeftError."""
        look = self._look()
        match key_of(typed, KEYS):
            case "":
                self._say(screen.position(game, decision, look))
            case "?":
                self._say([await self._hint(game, decision)])
            case "t":
                self._say([screen.last_trick(game, look)])
            case "s":
                self._say([screen.score(game)])
            case "l":
                self._say(self._hand_lines)
            case "v":
                self._say(self._face.rules())
            case "h":
                self._say([*(screen.PLAIN_HELP if look.plain else screen.HELP), *screen.choices(game, decision, look)])
            case "q":
                return await self._leave(decision, session)
            case _:
                count = len(decision.legal)
                self._say([f"That is not one of your choices. Type a number from 1 to {count}, or h for help."])
        return False

    async def _leave(self, decision: OpenDecision, session: Session) -> bool:
        """Ask how to leave, and return whether the person resigned. Raises LeftError."""
        self._say(["Leave the game? r resigns: the game is recorded as lost. l leaves: nothing is recorded."])
        while True:
            typed = await self._keyboard.line("r, l, or Enter to play on > ", session.lost)
            match key_of(typed or "", LEAVING_KEYS):
                case "":
                    return False
                case "r":
                    await session.resign(decision.number)
                    return True
                case "l":
                    raise LeftError
                case _:
                    self._say(["That is not one of the choices. Type r or resign, l or leave, or just press Enter."])

    async def _hint(self, game: PersonGame, decision: OpenDecision) -> str:
        if self._adviser is None:
            self._adviser = await self._nursery.start(run_adviser, await trio.to_thread.run_sync(self._face.hint))
        token = await self._adviser.ask(game, decision)
        return f"{self._adviser.name} would {choice(token, game.names)}." if token in decision.legal else token

    def _end(self, game: PersonGame) -> None:
        assert isinstance(game.ended, RunOver)  # `play` waits for it
        if game.ended.why:
            self._say(["", f"The game is over: {game.ended.why}."])
            return
        with Store.open(self._db) as store:
            record = store.record(game.game_id)
        game.scores = record.scores or game.scores
        faults = [(fault.seat, fault.kind, fault.detail) for fault in record.faults]
        lines = screen.result(game, record.result.ranks, record.result.ended, faults)
        self._say(["", self._look().heading("The game is over"), *lines])
        _write(f"It is recorded. To see it again:\n  {self._face.command('replay', game.game_id, '--step')}\n")

    async def another(self, setup: Setup) -> Setup | None:
        """Ask what to do next. Return the setup of the next game, or None to end. Raises LeftError."""
        game = self._game
        assert game is not None  # a game was played
        while True:
            self._say(["", "a  the same deal again    n  a new game    o  the hands turned over    q  leave"])
            match key_of(await self._keyboard.line("> ") or "", NEXT_KEYS):
                case "a":
                    return setup.again()
                case "n":
                    return setup.anew()
                case "o":
                    for hand in game.hands:
                        said = f"Hand {hand.number}: {', '.join(map(str, hand.scores))}"
                        self._say(["", self._look().heading(said), *screen.turned_over(game, hand)[1:]])
                case "q":
                    return None
