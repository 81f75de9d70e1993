"""Asks a bot for one decision in this process, without a referee, and stops in Python's debugger where it decides.

`bowerbird ask --pdb` starts the bot's program with BOWERBIRD_ASK. It names a file with the referee's messages up
to that decision: one serialised PlayResponse a line, in hex.
"""

from __future__ import annotations

import bdb
import pdb
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bowerbird.harness.sdk.bot import Bot
from bowerbird.harness.sdk.log import fail, log
from bowerbird.harness.sdk.session import Session
from bowerbird.seat.v1 import seat_pb2

ENVIRONMENT = "BOWERBIRD_ASK"
"""The environment variable with the name of the file."""


def debug(bot: Bot, file: Path) -> int:
    """Pass `bot` the messages in `file`, the last one under the debugger, and print its choice.

    Return the exit code: 0 if the choice is a legal action. If the bot raises, print the traceback and stop there.
    """
    session = Session(bot)
    session.receive(seat_pb2.PlayResponse(welcome=seat_pb2.Welcome(protocol_version=1, awaits_ready=True)))
    messages = [seat_pb2.PlayResponse.FromString(bytes.fromhex(line)) for line in file.read_text().split()]
    for message in messages[:-1]:
        if message.WhichOneof("message") != "hand_ended" or bot.capabilities.wants_events:
            session.receive(_wanted(bot, message))
    _stop_where_it_decides(bot)
    return _answer(session, _wanted(bot, messages[-1]))


def _wanted(bot: Bot, message: seat_pb2.PlayResponse) -> seat_pb2.PlayResponse:
    """Return the message, without its events unless the bot wants them."""
    if not bot.capabilities.wants_events:
        for request in message.decision_requests.requests:
            request.ClearField("events")
    return message


class _Debugger(pdb.Pdb):
    """Python's debugger. `is_left` is True if the user left it (`q`) instead of letting the bot continue."""

    is_left = False

    def set_quit(self) -> None:
        """Leave the debugger."""
        self.is_left = True
        super().set_quit()


def _stop_where_it_decides(bot: Bot) -> None:
    """Make the next call to `act`, or to an overridden `act_batch`, stop on its first line."""
    name = "act" if type(bot).act_batch is Bot.act_batch else "act_batch"
    method: Callable[..., Any] = getattr(bot, name)
    debugger = _Debugger()

    def decide(*arguments: Any) -> Any:
        choice = debugger.runcall(method, *arguments)
        if debugger.is_left:  # runcall then returned None
            raise bdb.BdbQuit
        return choice

    setattr(bot, name, decide)


def _answer(session: Session, message: seat_pb2.PlayResponse) -> int:
    try:
        answers = session.receive(message)
    except bdb.BdbQuit:
        return fail("the debugger was left before the bot had chosen")
    except Exception:
        traceback.print_exc()
        log("the bot raised an exception; the debugger is where it happened, `q` leaves it")
        pdb.post_mortem(sys.exc_info()[2])
        return 1
    if answers[0].WhichOneof("message") == "resign":
        return fail("the bot resigns the game")
    legal = [action.token for action in message.decision_requests.requests[0].legal_actions]
    decision = answers[0].decisions.decisions[0]
    if decision.WhichOneof("choice") != "action_index" or decision.action_index >= len(legal):
        return fail("the bot chose no legal action")
    log(f"the bot chooses {legal[decision.action_index]}")
    return 0
