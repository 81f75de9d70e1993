"""A bot that behaves as its first argument says, right or wrong. It talks gRPC by itself, without the SDK.

    hostile_bot.py MODE [AT] [--every] [--events] [--gzip]

MODE is one of these:

- a way to play (hostile_acts.MANNERS);
- a misbehaviour (hostile_acts.ACTS) at decision AT, counted from 0 over all its tables; with --every also at each later
  decision;
- a bad start (hostile_starts.STARTS).

An honest decision depends only on its number: the n-th at a table is the n-th legal action, counted round and round.
Mode `once` plays in its first process and exits at once in later ones. The first process makes the folder named by the
environment's ONCE. Mode `exits-for-good` does the same, and its first process also exits in mid-game. If the
environment names SPY_FOLDER, every byte received goes into a file there, one for each process.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import grpc

sys.path.append(str(Path(__file__).resolve().parents[3]))  # a bot is started as a file, from any folder
import tests.support.bots.hostile_floods  # it registers its acts
import tests.support.bots.hostile_sandbox_acts  # so does this
import tests.support.bots.hostile_syscalls  # noqa: F401  # and this
from bowerbird.seat.v1 import seat_pb2
from tests.support.bots.hostile_acts import ACTS, MANNERS, Turn
from tests.support.bots.hostile_starts import STARTS, Start
from tests.support.bots.hostile_stream import Stream


class Bot:
    """Plays on until it does not."""

    def __init__(self, stream: Stream, mode: str, at: int, every: bool) -> None:
        self._stream = stream
        self._behave = MANNERS.get(mode, MANNERS["honest"])
        self._misbehave = ACTS.get(mode, self._behave)
        self._at = at
        self._every = every
        self._made = 0

    def play(self) -> None:
        """Play until the referee ends the stream, or the mode does."""
        for message in self._heard():
            match message.WhichOneof("message"):
                case "decision_requests":
                    for said in self._react(list(message.decision_requests.requests)):
                        self._stream.say(said)
                case "ping":
                    self._stream.say(seat_pb2.PlayRequest(pong=seat_pb2.Pong(ping_id=message.ping.ping_id)))

    def _heard(self) -> Iterator[seat_pb2.PlayResponse]:
        try:
            yield from self._stream.heard
        except grpc.RpcError as error:
            print("the stream broke:", error.code(), flush=True)

    def _react(self, requests: list[seat_pb2.DecisionRequest]) -> Iterator[seat_pb2.PlayRequest | bytes]:
        wrong = [request for number, request in enumerate(requests, self._made) if self._is_wrong(number)]
        self._made += len(requests)
        return (self._misbehave if wrong else self._behave)(Turn(self._stream, requests, wrong))

    def _is_wrong(self, number: int) -> bool:
        return number >= self._at if self._every else number == self._at


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("mode", choices=sorted([*MANNERS, *ACTS, *STARTS]))
    parser.add_argument("at", type=int, nargs="?", default=-1)
    parser.add_argument("--every", action="store_true")
    parser.add_argument("--events", action="store_true")
    parser.add_argument("--gzip", action="store_true")
    chosen = parser.parse_intermixed_args()
    start = STARTS.get(chosen.mode, Start())
    start.before()
    compression = grpc.Compression.Gzip if chosen.gzip else None
    stream = Stream(os.environ.get("SPY_FOLDER"), compression=compression)
    start.greet(stream, chosen.events)
    Bot(stream, chosen.mode, chosen.at, chosen.every).play()
    start.after()
    stream.half_close()


if __name__ == "__main__":
    main()
