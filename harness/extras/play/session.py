"""One game while it is being played: the process of the run, the line to the bot `human`, and the messages of both.

`open_session` starts the process. `messages` yields the events until the run has ended. `answer` answers the open
decision. Before the context ends, for whatever reason, the process ends.
"""

from __future__ import annotations

import base64
import json
import secrets
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import trio

from bowerbird.harness.extras.play.bot_line import HELLO_S, SECRET_BYTES, lines_of, listen, says
from bowerbird.harness.extras.play.run_end import end_in_order, unexpected_end
from bowerbird.harness.extras.play.setup import PlayError, Setup
from bowerbird.harness.records.values.game_record import FaultRecord
from bowerbird.harness.records.values.live import LiveAction, LiveSteps
from bowerbird.seat.v1 import seat_pb2


@dataclass(frozen=True, slots=True)
class TableOpened:
    """The person sits at a table. `fields` are the fields of `bowerbird.bots.human.relay`."""

    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Asked:
    """A decision of the person is open."""

    number: int
    request: seat_pb2.DecisionRequest


@dataclass(frozen=True, slots=True)
class GameOver:
    """The game is over, before it is stored. `faults` are (seat, kind, detail)."""

    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    games: tuple[int, ...]
    ended: str
    faults: tuple[tuple[int, str, str], ...]


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence from the run."""

    text: str


@dataclass(frozen=True, slots=True)
class Lost:
    """The bot `human` lost its line, since its process was ended."""


@dataclass(frozen=True, slots=True)
class RunOver:
    """The run has ended. `why` is "" if the game is stored, or else a sentence."""

    why: str


Message = TableOpened | Asked | LiveSteps | GameOver | Remark | Lost | RunOver


class Session:
    """A game in play. Use it only in the trio thread."""

    def __init__(self, process: trio.Process, messages: trio.MemoryReceiveChannel[Message]) -> None:
        """Use `open_session`."""
        self.messages = messages
        self._process = process
        self._line: trio.SocketStream | None = None
        self._open: int | None = None
        self.lost = trio.Event()
        """Set when the bot `human` has lost its line or the run has ended, so that no open decision can be answered."""

    @property
    def is_open(self) -> bool:
        """Whether a decision of the person is open."""
        return self._open is not None

    async def answer(self, number: int, token: str) -> bool:
        """Answer decision `number` with a legal action. Return False if it is not open."""
        return await self._send(number, {"id": number, "action": token})

    async def resign(self, number: int) -> bool:
        """Resign the game at decision `number`. Return False if it is not open."""
        return await self._send(number, {"id": number, "resign": True})

    async def _send(self, number: int, answer: Mapping[str, object]) -> bool:
        if self._open != number or self._line is None:
            return False
        self._open = None
        try:
            await self._line.send_all(json.dumps(answer).encode() + b"\n")
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return False
        return True


@asynccontextmanager
async def open_session(setup: Setup, db: Path) -> AsyncIterator[Session]:
    """Start the run of one game. On exit, end it. Raises PlayError if it cannot be started."""
    send, receive = trio.open_memory_channel[Message](256)
    with tempfile.TemporaryDirectory(prefix="bowerbird-play-") as name:
        folder = Path(name)
        path, secret = folder / "line", secrets.token_urlsafe(SECRET_BYTES)
        listener = listen(path, 8)
        order = {"setup": setup.fields(), "db": str(db), "socket": str(path), "secret": secret}
        async with trio.open_nursery() as nursery:
            process = await _start(folder / "run.log")
            session = Session(process, receive)
            try:
                nursery.start_soon(_serve, listener, secret, session, send.clone())
                nursery.start_soon(_follow, process, folder / "run.log", send)
                assert process.stdin is not None  # it is a pipe
                await process.stdin.send_all(json.dumps(order).encode() + b"\n")
                yield session
            except trio.BrokenResourceError:
                raise PlayError("the process of the run ended before it began") from None
            finally:
                with trio.CancelScope(shield=True):
                    await end_in_order(process)
                    await listener.aclose()
                nursery.cancel_scope.cancel()


async def _start(log: Path) -> trio.Process:
    """Start the process of the run in its own session, so that no key pressed in the terminal reaches it."""
    with log.open("wb") as errors:
        process = await trio.lowlevel.open_process(
            [sys.executable, "-m", "bowerbird.harness.extras.play.run_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
        )
    assert isinstance(process, trio.Process)
    return process


async def _follow(process: trio.Process, log: Path, send: trio.MemorySendChannel[Message]) -> None:
    """Pass on the run's messages, and finally how it ended."""
    why = ""
    is_stored = False
    assert process.stdout is not None  # it is a pipe
    async for line in lines_of(process.stdout):
        said = json.loads(line)
        if said["kind"] == "failed":
            why = said["why"]
        elif said["kind"] == "stored":
            is_stored = True
        elif said["kind"] == "steps":
            await send.send(_steps(said))
        elif said["kind"] == "building":
            await send.send(Remark(f"building bot {said['bot']} …"))
        elif said["remark"]:
            await send.send(Remark(said["remark"]))
    code = await process.wait()
    if not is_stored and not why:
        why = f"{unexpected_end(code, log.read_text(errors='replace'))}; the game is not recorded"
    await send.send(RunOver("" if is_stored and code == 0 else why))


def _steps(said: Mapping[str, Any]) -> LiveSteps:
    """Return an event at the table (`run_process`)."""
    actions = tuple(LiveAction(*fields) for fields in said["actions"])
    return LiveSteps(said["game"], actions, tuple(FaultRecord(**fields) for fields in said["faults"]))


async def _serve(
    listener: trio.SocketListener, secret: str, session: Session, send: trio.MemorySendChannel[Message]
) -> None:
    """Accept connections of the bot, and listen only to one that sends the secret."""
    async with trio.open_nursery() as nursery:
        while True:
            try:
                line = await listener.accept()
            except (trio.ClosedResourceError, OSError):
                return
            nursery.start_soon(_hear, line, secret, session, send)


async def _hear(line: trio.SocketStream, secret: str, session: Session, send: trio.MemorySendChannel[Message]) -> None:
    async with line:
        lines = lines_of(line)
        with trio.move_on_after(HELLO_S):
            hello = await anext(lines, b"")
            if not says(hello, secret):
                return
        session._line, session.lost = line, trio.Event()
        try:
            async for text in lines:
                message = _message(json.loads(text))
                if isinstance(message, Asked):
                    session._open = message.number
                await send.send(message)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass
        if session._line is line:
            session._line, session._open = None, None
            session.lost.set()
            await send.send(Lost())


def _message(fields: Mapping[str, Any]) -> Message:
    """Return a message of the bot (`bowerbird.bots.human.relay`)."""
    match fields["kind"]:
        case "table":
            return TableOpened({key: value for key, value in fields.items() if key != "kind"})
        case "decision":
            return Asked(
                fields["id"], seat_pb2.DecisionRequest.FromString(base64.b64decode(fields["request"], validate=True))
            )
        case _:
            return GameOver(
                tuple(fields["ranks"]),
                tuple(fields["scores"]),
                tuple(fields["games"]),
                fields["ended"],
                tuple((seat, kind, detail) for seat, kind, detail in fields["faults"]),
            )
