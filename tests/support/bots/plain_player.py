"""Plays without gRPC, protobuf or the SDK, which take a quarter of a second of the processor at each start.

Hundreds of tests need a bot that plays on and does nothing else. It speaks HTTP/2 by hand
(`plain_call`) and reads of each message what it must answer, as docs/how-to/write-a-client.md describes it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from tests.support.bots.plain_call import BrokenError, Call


class Manner(NamedTuple):
    """A way to play: what to wait for at every message, and which action to take.

    `choose` gets the seed of its table, the number of the decision there, and the tokens of the legal actions, and
    returns an index.
    """

    choose: Callable[[bytes, int, list[bytes]], int]
    wait: Callable[[], None] = lambda: None


def _think() -> None:
    time.sleep(int(os.environ["THINK_MS"]) / 1000)


def _compute() -> None:
    done_ns = time.thread_time_ns() + int(os.environ["THINK_MS"]) * 1_000_000
    while time.thread_time_ns() < done_ns:
        pass


def _wait_for_gate() -> None:
    while not os.path.exists(os.environ["GATE"]):
        time.sleep(0.01)


def _round_and_round(_seed: bytes, decision: int, tokens: list[bytes]) -> int:
    return decision % len(tokens)


def _draw(seed: bytes, decision: int, tokens: list[bytes]) -> int:
    return seed[decision % len(seed)] % len(tokens)


PLAIN = {
    "honest": Manner(_round_and_round),
    "draws": Manner(_draw),
    "last": Manner(lambda _seed, _, tokens: len(tokens) - 1),
    "passes": Manner(lambda _seed, _, tokens: tokens.index(b"pass") if b"pass" in tokens else 0),
    "slow": Manner(_round_and_round, _think),
    "computes": Manner(_round_and_round, _compute),
    "gated": Manner(_round_and_round, _wait_for_gate),
}
"""By mode: honest; what follows from the seed that the referee gave the seat; the last action; a pass where that is
legal; honest after the environment's THINK_MS, after as much time of the processor, and once the file exists that GATE
names, so that a test decides when play goes on."""

MANY = 64

HELLO, READY, DECISIONS, PONG = 1, 2, 3, 5
TABLE_OPENED, DECISION_REQUESTS, REQUEST_PING = 2, 3, 6
TABLE_ID, SEED = 1, 10


def play(mode: str, *, wants_events: bool) -> None:
    """Play at the environment's address until the referee ends the stream, or breaks it."""
    try:
        _play(PLAIN[mode], wants_events)
    except (BrokenError, OSError) as broken:
        print("the stream broke:", broken, flush=True)


def _play(manner: Manner, wants_events: bool) -> None:
    call = Call(os.environ["BOWERBIRD_ADDRESS"])
    call.send(_held(HELLO, _hello(wants_events)))
    call.send(_held(READY, b""))
    seeds: dict[bytes, bytes] = {}
    for heard in call.heard():
        [(kind, body)] = fields(heard)
        assert isinstance(body, bytes)
        if kind == TABLE_OPENED:
            told = {number: value for number, value in fields(body) if isinstance(value, bytes)}
            seeds[told[TABLE_ID]] = told[SEED]
        elif kind == DECISION_REQUESTS:
            manner.wait()
            call.send(_held(DECISIONS, b"".join(_answers(body, manner, seeds))))
        elif kind == REQUEST_PING:
            call.send(_held(PONG, body))  # both are a ping_id
    call.close()


def _hello(wants_events: bool) -> bytes:
    knows = b"".join(_held(6, word) for word in (b"lone", b"low", b"misdeal", b"show"))  # it chooses among any tokens
    capabilities = _number(1, MANY) + _number(2, MANY) + (_number(3, 1) if wants_events else b"") + knows
    token = os.environ["BOWERBIRD_TOKEN"].encode()
    return b"".join((_held(1, token), _held(2, b"\x01"), _held(3, b"plain"), _held(4, b"1.0"), _held(5, capabilities)))


def _answers(requests: bytes, manner: Manner, seeds: Mapping[bytes, bytes]) -> Iterator[bytes]:
    for kind, request in fields(requests):
        if kind == 1:
            assert isinstance(request, bytes)
            table, decision = b"", 0
            tokens = []
            for number, value in fields(request):
                if number == 1 and isinstance(value, bytes):
                    table = value
                elif number == 2 and isinstance(value, int):
                    decision = value
                elif number == 3 and isinstance(value, bytes):
                    tokens.append(
                        next(token for name, token in fields(value) if name == 1 and isinstance(token, bytes))
                    )
            index = manner.choose(seeds[table], decision, tokens)
            yield _held(1, _held(1, table) + _number(2, decision) + _number(3, index))


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _held(field: int, data: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def fields(data: bytes) -> list[tuple[int, int | bytes]]:
    """Return the fields of a message by their numbers: a number, or the bytes of a string or a message."""
    found: list[tuple[int, int | bytes]] = []
    at = 0
    while at < len(data):
        tag, at = _read(data, at)
        value, at = _read(data, at)
        if tag & 7 == 2:
            found.append((tag >> 3, data[at : at + value]))
            at += value
        else:
            assert tag & 7 == 0, "the messages that are read hold numbers, texts and messages alone"
            found.append((tag >> 3, value))
    return found


def _read(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
