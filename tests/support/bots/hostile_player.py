"""The hostile bot as its mode says: it plays, and misbehaves at the decision that is named."""

from __future__ import annotations

import argparse
import importlib
import os
from collections.abc import Iterator

from bowerbird.seat.v1 import seat_pb2
from tests.support.bots.hostile_acts import ACTS, MANNERS, Turn
from tests.support.bots.hostile_starts import STARTS, Start
from tests.support.bots.hostile_stream import GrpcStream, PlainStream, Stream
from tests.support.bots.plain_call import BrokenError

MORE = ("hostile_floods", "hostile_sandbox_acts", "hostile_syscalls")
"""Modules that register acts of their own. Most bots need none of them."""

OF_GRPC = {
    *("half-closes", "hangs-up", "second-stream", "deaf-ears", "crowds", "steals", "huge", "colossal", "bomb"),
    *("floods", "floods-empty", "never-hello", "leaves-before-ready", "squeezes"),
}
"""Modes for which gRPC matters: its windows, its threads that read while the bot does not, its compression. Acts of
`MORE` have it, too."""


class Bot:
    """Plays on, until it does not."""

    def __init__(self, stream: Stream, mode: str, at: int, every: bool) -> None:
        self._stream = stream
        self._behave = MANNERS.get(mode, MANNERS["honest"])
        self._misbehave = ACTS.get(mode, self._behave)
        self._at = at
        self._every = every
        self._made = 0

    def play(self) -> None:
        """Play until the referee ends the stream, or the mode does."""
        try:
            for message in self._stream.messages():
                self._take(message)
        except BrokenError as error:
            print("the stream broke:", error, flush=True)

    def _take(self, message: seat_pb2.PlayResponse) -> None:
        match message.WhichOneof("message"):
            case "decision_requests":
                for said in self._react(list(message.decision_requests.requests)):
                    self._stream.say(said)
            case "ping":
                self._stream.say(seat_pb2.PlayRequest(pong=seat_pb2.Pong(ping_id=message.ping.ping_id)))

    def _react(self, requests: list[seat_pb2.DecisionRequest]) -> Iterator[seat_pb2.PlayRequest | bytes]:
        wrong = [request for number, request in enumerate(requests, self._made) if self._is_wrong(number)]
        self._made += len(requests)
        return (self._misbehave if wrong else self._behave)(Turn(self._stream, requests, wrong))

    def _is_wrong(self, number: int) -> bool:
        return number >= self._at if self._every else number == self._at


def _is_known(mode: str) -> bool:
    return mode in MANNERS or mode in ACTS or mode in STARTS


def main() -> None:
    """Do what the arguments of the process say (hostile_bot.py)."""
    parser = argparse.ArgumentParser()
    parser.add_argument("mode")
    parser.add_argument("at", type=int, nargs="?", default=-1)
    parser.add_argument("--every", action="store_true")
    parser.add_argument("--events", action="store_true")
    parser.add_argument("--gzip", action="store_true")
    chosen = parser.parse_intermixed_args()
    needs_grpc = chosen.gzip or chosen.mode in OF_GRPC or not _is_known(chosen.mode)
    if not _is_known(chosen.mode):
        for module in MORE:
            importlib.import_module(f"tests.support.bots.{module}")
    if not _is_known(chosen.mode):
        parser.error(f"{chosen.mode} is not a mode")
    start = STARTS.get(chosen.mode, Start())
    start.before()
    spy = os.environ.get("SPY_FOLDER")
    stream = GrpcStream(spy, gzip=chosen.gzip) if needs_grpc else PlainStream(spy)
    start.greet(stream, chosen.events)
    Bot(stream, chosen.mode, chosen.at, chosen.every).play()
    start.after()
    stream.half_close()
