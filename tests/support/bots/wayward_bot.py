"""A bot with one defect, named by its argument. Each defect breaks one sentence of `bowerbird check-bot`.

Defects that break several sentences, or a decision, belong to the hostile bot (tests/faults).
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import grpc

sys.path.append(str(Path(__file__).resolve().parents[3]))  # a bot is started as a file, from any folder
from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet

from bowerbird.seat.v1 import seat_pb2, table_pb2
from tests.support.bots.hostile_stream import Stream, answer, answers, wait_for_ever

MODE = sys.argv[1] if len(sys.argv) > 1 else "honest"
MOST = 20
NOISE = "noise " * 40_000
"""More than a pipe holds."""

FIRST_UNKNOWN = 90
"""Enum values from here on are not of v1."""


def holds_unknown_fields(message: Message) -> bool:
    if len(UnknownFieldSet(message)):
        return True
    for field, value in message.ListFields():
        if field.message_type is not None:
            held = value if isinstance(value, Iterable) else (value,)
            if any(map(holds_unknown_fields, held)):
                return True
    return False


def breaks_at(message: seat_pb2.PlayResponse) -> bool:
    """Return whether the bot dies at this message."""
    kind = message.WhichOneof("message")
    match MODE:
        case "dies-when-broken-off":
            return kind == "table_closed" and message.table_closed.ended == table_pb2.GAME_ENDING_ABANDONED
        case "dies-at-an-error":
            return kind == "error"
        case "dies-at-an-unknown-message":
            return kind is None
        case "dies-at-an-unknown-field":
            return kind is not None and holds_unknown_fields(message)
        case "dies-at-an-unknown-value":
            return message.table_opened.fault_policy >= FIRST_UNKNOWN
        case "dies-in-railroad":
            return message.table_opened.variant == "railroad"
    return False


class Bot:
    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._table = ""
        self._strange = False
        self._was_strange = False
        self.said_goodbye = False
        self.refused = False

    def hear(self, message: seat_pb2.PlayResponse) -> None:
        if breaks_at(message):
            sys.stderr.write(f"cannot bear this: {message.WhichOneof('message')}\n")
            os._exit(3)
        follows_strange, self._was_strange = self._was_strange, message.WhichOneof("message") is None
        self._strange |= self._was_strange
        match message.WhichOneof("message"):
            case "welcome":
                self._stream.ready()
            case "table_opened":
                self._table = message.table_opened.table_id
            case "decision_requests":
                self._decide(list(message.decision_requests.requests), follows_strange)
            case "ping" if MODE != "mute":
                self._stream.say(seat_pb2.PlayRequest(pong=seat_pb2.Pong(ping_id=message.ping.ping_id)))
            case "error":
                self.refused = message.error.fatal
            case "goodbye":
                self.said_goodbye = True

    def _decide(self, requests: Sequence[seat_pb2.DecisionRequest], follows_strange: bool) -> None:
        if MODE in ("noisy", "dies-of-its-output"):
            print(NOISE, flush=True)
        if MODE == "dies-of-its-output" and self._strange and not follows_strange:
            # The first decision after the check with unknown messages (15) belongs to the check of its output.
            raise OSError("my log is full")
        if MODE == "dawdles":
            time.sleep(0.25)
        if MODE == "chokes" and len(requests) > MOST:
            raise ValueError(f"{len(requests)} decisions at once")
        if MODE == "one-answer":
            requests = requests[:1]
        if MODE == "one-table":
            requests = [request for request in requests if request.table_id == self._table]
        self._stream.say(answers(*map(answer, requests)))


def stays(bot: Bot, cut: bool) -> bool:
    """Return whether the process lives on after its stream has ended."""
    match MODE:
        case "stays-after-goodbye":
            return bot.said_goodbye
        case "stays-at-the-end":
            return not (bot.said_goodbye or bot.refused or cut)
        case "stays-when-cut":
            return cut
        case "any-version":
            return bot.refused
    return False


def main() -> None:
    protocols = os.environ["BOWERBIRD_PROTOCOLS"]
    if "1" not in protocols.split(",") and MODE != "any-version":
        sys.exit(f"the referee speaks {protocols}, this bot 1")
    if MODE == "exact-version" and protocols != "1":
        sys.exit(f"{protocols} is not 1")
    if MODE == "unix-only" and not os.environ["BOWERBIRD_ADDRESS"].startswith("unix:"):
        sys.exit("not a socket")
    stream = Stream()
    stream.hello(resume=MODE == "pretends-to-resume")
    bot = Bot(stream)
    cut = False
    try:
        for message in stream.heard:
            bot.hear(message)
    except grpc.RpcError:
        cut = True
    if stays(bot, cut):
        wait_for_ever()
    if MODE == "leaves-a-child":
        subprocess.Popen(["sleep", "600"], start_new_session=True)
    stream.half_close()


if __name__ == "__main__":
    main()
