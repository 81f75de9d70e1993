"""A bot that behaves as its first argument says. Run as a script by the tests; talks gRPC itself, without the SDK.

It misbehaves at the decision whose number (over all its tables, from 0) is the second argument; with "every" before
the mode at each one.
"""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

import grpc

from harness.v1 import seat_pb2

ADDRESS = os.environ["BOWERBIRD_ADDRESS"]
TOKEN = os.environ["BOWERBIRD_TOKEN"]


def wait_for_ever() -> None:
    while True:
        signal.pause()


class Stream:
    """One call of Play."""

    def __init__(self) -> None:
        self._outbox: queue.SimpleQueue[seat_pb2.PlayRequest | bytes | None] = queue.SimpleQueue()
        self._channel = grpc.insecure_channel(ADDRESS)
        play = self._channel.stream_stream(
            "/harness.v1.SeatService/Play",
            request_serializer=lambda said: said if isinstance(said, bytes) else said.SerializeToString(),
            response_deserializer=seat_pb2.PlayResponse.FromString,
        )
        self.heard = play(iter(self._outbox.get, None))

    def say(self, message: seat_pb2.PlayRequest | bytes) -> None:
        self._outbox.put(message)

    def half_close(self) -> None:
        self._outbox.put(None)

    def hello(self, token: str = TOKEN, versions: tuple[int, ...] = (1,), batch: int = 64) -> None:
        capabilities = seat_pb2.Capabilities(max_tables=64, max_batch=batch, wants_events="events" in sys.argv)
        self.say(
            seat_pb2.PlayRequest(
                hello=seat_pb2.Hello(
                    token=token, protocol_versions=versions, bot_name="hostile", capabilities=capabilities
                )
            )
        )

    def ready(self) -> None:
        self.say(seat_pb2.PlayRequest(ready=seat_pb2.Ready()))


def answer(request: seat_pb2.DecisionRequest, **changes: object) -> seat_pb2.Decision:
    decision = seat_pb2.Decision(table_id=request.table_id, decision_id=request.decision_id, action_index=0)
    for name, value in changes.items():
        if value is None:
            decision.ClearField(name)
        else:
            setattr(decision, name, value)
    return decision


def answers(*decisions: seat_pb2.Decision) -> seat_pb2.PlayRequest:
    return seat_pb2.PlayRequest(decisions=seat_pb2.Decisions(decisions=decisions))


class Bot:
    """Plays the first legal action, until it does not."""

    def __init__(self, mode: str, begin: int, every: bool) -> None:
        self.mode = mode
        self.every = every
        self.begin = begin
        self.made = 0
        self.stream = Stream()

    def play(self) -> None:
        for message in self._heard():
            if message.WhichOneof("message") == "decision_requests":
                for said in self.react(message.decision_requests.requests):
                    self.stream.say(said)
            elif message.WhichOneof("message") == "goodbye":
                print("goodbye", seat_pb2.GoodbyeReason.Name(message.goodbye.reason), flush=True)
        if self.mode == "deaf":
            wait_for_ever()
        self.stream.half_close()

    def _heard(self) -> Iterator[seat_pb2.PlayResponse]:
        try:
            yield from self.stream.heard
        except grpc.RpcError as error:
            print("the stream broke:", error.code(), flush=True)

    def react(self, requests: Iterator[seat_pb2.DecisionRequest]) -> Iterator[seat_pb2.PlayRequest | bytes]:
        decisions = []
        for request in requests:
            wrong = self.every or self.made == self.begin
            self.made += 1
            decisions.append((request, wrong))
        if not any(wrong for _, wrong in decisions):
            yield from self.behave([request for request, _ in decisions])
        else:
            yield from self.misbehave(decisions)

    def behave(self, requests: list[seat_pb2.DecisionRequest]) -> Iterator[seat_pb2.PlayRequest]:
        plain = [answer(request) for request in requests]
        match self.mode:
            case "repeats":
                yield answers(*plain)
                yield answers(*plain)
            case "parts":
                for decision in reversed(plain):
                    yield answers(decision)
            case "tokens":
                tokens = [request.legal_actions[0].token for request in requests]
                yield answers(
                    *(answer(r, action_index=None, action=token) for r, token in zip(requests, tokens, strict=True))
                )
            case "last":
                yield answers(*(answer(request, action_index=len(request.legal_actions) - 1) for request in requests))
            case _:
                yield answers(*plain)

    def misbehave(  # noqa: PLR0912  # one case for each misbehaviour
        self, decisions: list[tuple[seat_pb2.DecisionRequest, bool]]
    ) -> Iterator[seat_pb2.PlayRequest | bytes]:
        changes: dict[str, dict[str, object]] = {
            "illegal": {"action_index": 99},
            "disagrees": {"action": "play nonsense"},
            "nothing": {"action_index": None},
            "unasked": {"decision_id": 4_000_000},
        }
        match self.mode:
            case mode if mode in changes:
                yield answers(*(answer(r, **(changes[mode] if wrong else {})) for r, wrong in decisions))
            case "silent":
                return
            case "killed":
                os.kill(os.getpid(), signal.SIGKILL)
            case "exits":
                os._exit(3)
            case "half-closes":
                self.stream.half_close()
                wait_for_ever()
            case "hangs-up":
                self.stream.heard.cancel()
                wait_for_ever()
            case "stopped":
                os.kill(os.getpid(), signal.SIGSTOP)
            case "malformed":
                yield b"\xff\xff\xff\xff"
            case "oversize":
                yield answers(answer(decisions[0][0], note="x" * 100_000))
            case "huge":
                yield b"\0" * 10_000_000
            case "floods":
                for _ in range(2000):
                    yield answers(*(answer(r, table_id="none") for r, _ in decisions))
            case "resigns":
                wrong = next(r for r, wrong in decisions if wrong)
                yield seat_pb2.PlayRequest(resign=seat_pb2.Resign(table_id=wrong.table_id))
                yield answers(*(answer(r) for r, _ in decisions))
            case "gives-up":
                yield seat_pb2.PlayRequest(bot_fault=seat_pb2.BotFault(message="out of ideas"))
            case "hello-again":
                self.stream.hello()
            case "second-stream":
                second = Stream()
                second.hello()
                print([message.error.code for message in second.heard], flush=True)
                yield answers(*(answer(r) for r, _ in decisions))
            case _:
                yield from self.behave([r for r, _ in decisions])


def start_badly(mode: str) -> None:
    """Misbehaviour before Ready; comes back where there is none."""
    match mode:
        case "exits-at-once":
            sys.exit("no such model: queen of spades")
        case "never-connects":
            wait_for_ever()
        case "has-children":
            print(subprocess.Popen(["sleep", "600"]).pid, flush=True)
        case "noisy":
            threading.Thread(target=lambda: [print("noise " * 99) for _ in range(5000)], daemon=True).start()


def main() -> None:
    mode, *rest = sys.argv[1:]
    every = mode == "every"
    if every:
        mode, *rest = rest
    start_badly(mode)
    bot = Bot(mode, int(rest[0]) if rest else -1, every)
    match mode:
        case "never-hello":
            wait_for_ever()
        case "wrong-token":
            bot.stream.hello(token="not it")
        case "speaks-2":
            bot.stream.hello(versions=(2,))
        case "ready-first":
            bot.stream.ready()
        case "one-by-one":
            bot.stream.hello(batch=1)
        case _:
            bot.stream.hello()
    if mode == "leaves-before-ready":
        bot.stream.half_close()
        wait_for_ever()
    if mode == "garbage-before-ready":
        bot.stream.say(b"\xff\xff\xff\xff")
    if mode != "never-ready":
        bot.stream.ready()
    bot.play()


if __name__ == "__main__":
    main()
