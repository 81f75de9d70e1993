"""A bot that does what its argument says, right or wrong. It needs the stubs alone, and writes down what it is sent.

    scripted_bot.py BEHAVIOUR [AFTER]

Its n-th decision at a table is the n-th legal action, counted round and round: it depends on nothing else. When it has
answered AFTER decisions (0 if left out) it behaves: honest (goes on), illegal (an index that does not exist), sleep
(never answers again), die (kills itself), leave (ends its stream and lives on). BEHAVIOUR unborn exits before it says
anything; once plays in its first process and is unborn in those after it (the environment's ONCE is a folder that the
first one makes). Where the environment names SPY_FOLDER, every byte received goes into a file there, one for each
process, each message behind its length in 4 bytes.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import grpc

from harness.v1 import seat_pb2

PLAY = "/harness.v1.SeatService/Play"
MANY = 64
UNBORN_STATUS = 7


class Spy:
    """Writes down every message as it came, and reads it."""

    def __init__(self, folder: str | None) -> None:
        self._file = (Path(folder) / f"{os.getpid()}.bytes").open("ab") if folder else None

    def read(self, message: bytes) -> seat_pb2.PlayResponse:
        if self._file is not None:
            self._file.write(len(message).to_bytes(4, "big") + message)
            self._file.flush()
        return seat_pb2.PlayResponse.FromString(message)


class Script:
    """Answers decisions as the behaviour demands."""

    def __init__(self, behaviour: str, after: int) -> None:
        self._behaviour = behaviour
        self._after = after
        self._answered = 0
        self.left = False

    def answer(self, request: seat_pb2.DecisionRequest) -> seat_pb2.Decision | None:
        """The answer to one decision; None where the bot leaves instead."""
        index = request.decision_id % len(request.legal_actions)
        if self._answered >= self._after:
            if self._behaviour == "die":
                os.kill(os.getpid(), signal.SIGKILL)
            if self._behaviour == "sleep":
                threading.Event().wait()
            if self._behaviour == "leave":
                self.left = True
                return None
            if self._behaviour == "illegal":
                index = len(request.legal_actions)
        self._answered += 1
        return seat_pb2.Decision(table_id=request.table_id, decision_id=request.decision_id, action_index=index)


def hello() -> seat_pb2.PlayRequest:
    return seat_pb2.PlayRequest(
        hello=seat_pb2.Hello(
            token=os.environ["BOWERBIRD_TOKEN"],
            protocol_versions=[1],
            bot_name="scripted",
            bot_version="1.0",
            capabilities=seat_pb2.Capabilities(max_tables=MANY, max_batch=MANY),
        )
    )


def play(script: Script, spy: Spy) -> None:
    """Play until the referee ends the stream, or the script does."""
    outbox: queue.SimpleQueue[seat_pb2.PlayRequest | None] = queue.SimpleQueue()

    def requests() -> Iterator[seat_pb2.PlayRequest]:
        while (request := outbox.get()) is not None:
            yield request

    with grpc.insecure_channel(os.environ["BOWERBIRD_ADDRESS"]) as channel:
        call = channel.stream_stream(
            PLAY, request_serializer=seat_pb2.PlayRequest.SerializeToString, response_deserializer=spy.read
        )
        outbox.put(hello())
        for response in call(requests()):
            kind = response.WhichOneof("message")
            if kind == "welcome":
                outbox.put(seat_pb2.PlayRequest(ready=seat_pb2.Ready()))
            elif kind == "decision_requests":
                answers = [script.answer(request) for request in response.decision_requests.requests]
                if None in answers:
                    break
                outbox.put(seat_pb2.PlayRequest(decisions=seat_pb2.Decisions(decisions=answers)))
            elif kind == "ping":
                outbox.put(seat_pb2.PlayRequest(pong=seat_pb2.Pong(ping_id=response.ping.ping_id)))
            elif kind == "goodbye":
                break
        outbox.put(None)
    if script.left:
        threading.Event().wait()


def first_of_all() -> bool:
    """Whether no process of this bot was started before."""
    try:
        Path(os.environ["ONCE"]).mkdir()
    except FileExistsError:
        return False
    return True


def main() -> None:
    behaviour = sys.argv[1]
    if behaviour == "unborn" or (behaviour == "once" and not first_of_all()):
        print("no model found, giving up", file=sys.stderr)
        sys.exit(UNBORN_STATUS)
    play(Script(behaviour, int(sys.argv[2]) if len(sys.argv) > 2 else 0), Spy(os.environ.get("SPY_FOLDER")))


if __name__ == "__main__":
    main()
